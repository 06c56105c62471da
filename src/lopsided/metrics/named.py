"""PU metrics by their names: which there are, which need no `k` and which take a prior."""

from collections.abc import Callable
from functools import partial
from typing import Any

from lopsided._validation import check_choice
from lopsided.metrics import at_k, pu

__all__ = ["OF_ALL_ROWS", "WITHOUT_PRIOR", "bind_prior", "get_metric", "list_metrics"]

OF_ALL_ROWS = ("pu_damped_log_rank", "pu_mean_log_rank", "pu_roc_auc", "pu_average_precision")
WITHOUT_PRIOR = ("pu_mean_log_rank", "pu_recall_at_k", "pu_lift_at_k")
_METRICS: dict[str, Callable[..., Any]] = {
    name: getattr(module, name) for module in (pu, at_k) for name in module.__all__
}


def list_metrics() -> tuple[str, ...]:
    """Return the names of all PU metrics."""
    return tuple(_METRICS)


def get_metric(name: str) -> Callable[..., Any]:
    """Return a PU metric by its name."""
    return _METRICS[check_choice(name, _METRICS, "PU metric")]


def bind_prior(name: str, prior: Any) -> Callable[..., Any]:
    """Return a metric with the prior given, if it takes one."""
    metric = get_metric(name)
    return metric if name in WITHOUT_PRIOR else partial(metric, prior=prior)
