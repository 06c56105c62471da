"""PU metrics as scorers of scikit-learn: for `cross_val_score`, searches and the like.

`pu_average_precision_scorer`, `pu_roc_auc_scorer`, `pu_mean_log_rank_scorer` and
`pu_damped_log_rank_scorer` of `lopsided.metrics` are scorers without parameters. Metrics with
parameters are made by `make_pu_scorer("pu_recall_at_k", k=0.05)`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lopsided._terminal import quote
from lopsided._validation import is_real
from lopsided.metrics._places import take_value
from lopsided.metrics.named import OF_ALL_ROWS, get_metric

__all__ = ["SCORERS", "make_pu_scorer"]

SCORERS = tuple(f"{name}_scorer" for name in OF_ALL_ROWS)  # attributes of `lopsided.metrics`
_COUNTS_PAIRS = ("pu_average_precision",)  # of labeled rows
_RESPONSES = ("decision_function", "predict_proba")


def make_pu_scorer(metric: str | Callable[..., float], **params: Any) -> Any:
    """Return a scorer that judges a fitted classifier on PU labels.

    It takes the scores of `decision_function`, else those of `predict_proba`, and needs a
    labeled row and an unlabeled one in every fold, average precision two labeled rows.

    Parameters
    ----------
    metric : str or function
        A metric of `lopsided.metrics` whose name begins with `pu_`, its name, or another
        function of y and scores.
    **params
        Parameters of the metric, as `prior` or `k`. The prior is that of the whole table: in a
        fold that happens to hold more labeled rows than it allows, their share is taken. Of
        an estimate the value is taken.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> X, y = make_classification(weights=[0.9], random_state=0)
    >>> scorer = make_pu_scorer("pu_recall_at_k", k=0.25)
    >>> cross_val_score(LogisticRegression(), X, y, scoring=scorer, cv=3).shape
    (3,)
    """
    from sklearn.metrics import make_scorer

    return make_scorer(_fold_metric(metric, params), response_method=_RESPONSES)


@dataclass(frozen=True)
class _FoldMetric:
    """A metric that says of a fold without enough labels what to do."""

    metric: Callable[..., float]
    params: dict[str, Any] = field(default_factory=dict)

    @property
    def __name__(self) -> str:
        return getattr(self.metric, "__name__", repr(self.metric))

    def __call__(self, y_true: Any, y_score: Any) -> float:
        labels = np.asarray(y_true)
        n_labeled = int(np.count_nonzero(labels == 1))
        least = 2 if self.__name__ in _COUNTS_PAIRS else 1
        if n_labeled < least or n_labeled == len(labels):
            raise ValueError(
                f"{self.__name__} needs {least} labeled row(s) and an unlabeled one in every "
                f"fold, got {n_labeled} labeled of {len(labels)} rows. Take fewer folds, "
                "stratified by y."
            )
        return self.metric(labels, y_score, **self._params_of(n_labeled / len(labels)))

    def _params_of(self, labeled_share: float) -> dict[str, Any]:
        one_sample = self.params.get("scenario", "one-sample") == "one-sample"
        if one_sample and self.params.get("prior") is not None:
            return {**self.params, "prior": max(self.params["prior"], labeled_share)}
        return self.params


def _fold_metric(metric: Any, params: dict[str, Any]) -> _FoldMetric:
    if isinstance(params.get("prior"), (tuple, list)):
        raise ValueError(
            f"prior of a scorer must be one number, got {quote(params['prior'])}. Make one "
            "scorer for each end."
        )
    if isinstance(metric, str):
        metric = get_metric(metric)
    if not callable(metric):
        raise ValueError(
            "metric must be a function of y and scores or the name of a PU metric, got "
            f"{quote(metric)}. Pass for example 'pu_roc_auc'."
        )
    if "prior" in params:
        params = {**params, "prior": _check_scorer_prior(params["prior"])}
    return _FoldMetric(metric, params)


def _check_scorer_prior(prior: Any) -> float | None:
    """Return the prior of a scorer; scikit-learn would make a NaN of an error in a fold."""
    value = take_value(prior)
    if not (value is None or (is_real(value) and 0 <= float(value) < 1)):
        raise ValueError(
            "prior of a scorer must be a number from 0 to below 1 or None, got "
            f"{quote(prior)}. Estimate it first, by lopsided.priors.estimate_prior."
        )
    return value
