r"""Risks: a loss, and how much each row weighs as a positive and as a negative.

One formula carries them all,

.. math:: \sum_i a_i\, l(s_i) + b_i\, l(-s_i),

with the signed weights :math:`a, b` of the rows. uPU, nnPU, imbalanced nnPU, iFPU and the naive
baseline differ in these weights only. They may be negative: a labeled row takes away what the
positives among the unlabeled rows cost as negatives.
"""

from lopsided.risks.clamps import Clamp, ClipAtZero, GradientAscent
from lopsided.risks.named import ifpu, imbnnpu, naive, nnpu, supervised, upu
from lopsided.risks.pu import PURisk, SupervisedRisk
from lopsided.risks.risk import Risk, SignedWeights

__all__ = [
    "Clamp",
    "ClipAtZero",
    "GradientAscent",
    "PURisk",
    "Risk",
    "SignedWeights",
    "SupervisedRisk",
    "ifpu",
    "imbnnpu",
    "naive",
    "nnpu",
    "supervised",
    "upu",
]
