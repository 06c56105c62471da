"""Ranking metrics, against the truth and against PU labels.

Those against the truth (`lopsided.metrics.truth`) take `y_true` (1/0) first, then `scores`
(larger = more positive). Those named `pu_` (`lopsided.metrics.pu`, `lopsided.metrics.at_k`)
take `y` (1 = labeled positive, 0 = unlabeled) instead, and say what can be said without the
truth; `pu_bootstrap` gives each a standard error and an interval. Score the rows by a model
that has not seen them.

`pu_roc_auc_scorer` and the other names that end in `_scorer` are scorers of scikit-learn;
`make_pu_scorer` makes scorers with parameters.
"""

from typing import Any

from lopsided.metrics.at_k import (
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
from lopsided.metrics.scorers import SCORERS, make_pu_scorer
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
    "pu_average_precision_scorer",
    "pu_bootstrap",
    "pu_damped_log_rank",
    "pu_damped_log_rank_scorer",
    "pu_f1_at_k",
    "pu_lift_at_k",
    "pu_mean_log_rank",
    "pu_mean_log_rank_scorer",
    "pu_precision_at_k",
    "pu_recall_at_k",
    "pu_roc_auc",
    "pu_roc_auc_scorer",
    "r_precision",
    "recall_at_k",
    "roc_auc",
]

pu_average_precision_scorer: Any
"""A scorer of scikit-learn for `pu_average_precision`, average precision from PU labels."""
pu_damped_log_rank_scorer: Any
"""A scorer of scikit-learn for `pu_damped_log_rank`, damped log-rank from PU labels."""
pu_mean_log_rank_scorer: Any
"""A scorer of scikit-learn for `pu_mean_log_rank`, mean log-rank from PU labels."""
pu_roc_auc_scorer: Any
"""A scorer of scikit-learn for `pu_roc_auc`, ROC-AUC from PU labels."""


def __getattr__(name: str) -> Any:
    """Make a scorer on first use, so that scikit-learn is not imported before."""
    if name not in SCORERS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    scorer = globals()[name] = make_pu_scorer(name.removesuffix("_scorer"))
    return scorer


def __dir__() -> list[str]:
    return sorted({*globals(), *SCORERS})
