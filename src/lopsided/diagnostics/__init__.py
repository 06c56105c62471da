"""Diagnostics without negatives: what blind scores say about a model, its labels and its use.

All start from out-of-fold scores that are made once; `diagnose` makes them and asks everything.
"""

from lopsided.diagnostics.assumptions import Outcome, Sensitivity, sensitivity
from lopsided.diagnostics.blind import BlindRecall, Rival, blind_recall
from lopsided.diagnostics.diagnosis import Diagnosis, diagnose
from lopsided.diagnostics.finds import (
    ExpectedFinds,
    ReviewCurve,
    expected_finds,
    review_curve,
)
from lopsided.diagnostics.leaks import Leak, find_leaks
from lopsided.diagnostics.scar import ScarCheck, check_scar
from lopsided.diagnostics.signal import SignalCheck, check_signal, check_signal_in_table

__all__ = [
    "BlindRecall",
    "Diagnosis",
    "ExpectedFinds",
    "Leak",
    "Outcome",
    "ReviewCurve",
    "Rival",
    "ScarCheck",
    "Sensitivity",
    "SignalCheck",
    "blind_recall",
    "check_scar",
    "check_signal",
    "check_signal_in_table",
    "diagnose",
    "expected_finds",
    "find_leaks",
    "review_curve",
    "sensitivity",
]
