"""Ranking metrics, against the truth and against PU labels.

Those against the truth (`lopsided.metrics.truth`) take `y_true` (1/0) first, then `scores`
(larger = more positive). Those named `pu_` (`lopsided.metrics.pu`, `lopsided.metrics.at_k`)
take `y` (1 = labeled positive, 0 = unlabeled) instead, and say what can be said without the
truth; `pu_bootstrap` gives each a standard error and an interval, and `make_pu_scorer` a scorer
for scikit-learn. Score the rows by a model that has not seen them.
"""

from lopsided.metrics.at_k import (
    pu_expected_finds,
    pu_f1_at_k,
    pu_lift_at_k,
    pu_precision_at_k,
    pu_recall_at_k,
)
from lopsided.metrics.bootstrap import Estimate, pu_bootstrap
from lopsided.metrics.pu import (
    pu_average_precision,
    pu_damped_log_rank,
    pu_mean_log_rank,
    pu_roc_auc,
)
from lopsided.metrics.scorers import make_pu_scorer, register_scorers
from lopsided.metrics.truth import (
    average_precision,
    ndcg_at_k,
    precision_at_k,
    r_precision,
    recall_at_k,
    roc_auc,
)

__all__ = [
    "Estimate",
    "average_precision",
    "make_pu_scorer",
    "ndcg_at_k",
    "precision_at_k",
    "pu_average_precision",
    "pu_bootstrap",
    "pu_damped_log_rank",
    "pu_expected_finds",
    "pu_f1_at_k",
    "pu_lift_at_k",
    "pu_mean_log_rank",
    "pu_precision_at_k",
    "pu_recall_at_k",
    "pu_roc_auc",
    "r_precision",
    "recall_at_k",
    "register_scorers",
    "roc_auc",
]

register_scorers()
