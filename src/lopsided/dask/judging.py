"""Prior, metrics and calibration of a collection, from a summary of its partitions."""

from dataclasses import dataclass
from functools import reduce
from typing import Any

from lopsided._sketch import ScoreSketch
from lopsided._validation import require
from lopsided.calibration import CalibrationMap, fit_calibration
from lopsided.dask.failures import in_partition, naming_failures
from lopsided.dask.partitions import Part, as_parts, compute, find_client, is_array
from lopsided.dask.training import merge_in_tree
from lopsided.methods.table_summary import check_part
from lopsided.metrics.named import get_metric
from lopsided.priors import PriorEstimate, estimate_prior

__all__ = ["ScoreSummary", "summarize_scores"]

_METRICS = ("pu_mean_log_rank", "pu_roc_auc", "pu_average_precision")


@dataclass(frozen=True)
class ScoreSummary:
    """Scores and labels of a whole collection in a few megabytes.

    Scores of labeled and reviewed rows are exact, and so are those of the 100,000 unlabeled
    rows that score highest; the others are quantiles, by which no rank is off by more than
    `rank_error` rows.

    Attributes
    ----------
    sketch : ScoreSketch
        Which makes it up.

    Examples
    --------
    >>> import dask.array as da, numpy as np
    >>> from distributed import Client
    >>> from lopsided.dask import summarize_scores
    >>> y = np.repeat([1, 0], [200, 1800])
    >>> scores = np.random.default_rng(0).normal(size=2000) + 2 * y
    >>> with Client(processes=False, dashboard_address=None):
    ...     found = summarize_scores(da.from_array(y), da.from_array(scores))
    >>> found.n_labeled, round(found.metric("pu_roc_auc"), 2)
    (200.0, 0.93)
    """

    sketch: ScoreSketch

    @property
    def n_rows(self) -> float:
        """The number of rows, by their weights."""
        return self.sketch.n_rows

    @property
    def n_unlabeled(self) -> float:
        """The number of unlabeled rows, by their weights."""
        return self.sketch.n_unlabeled

    @property
    def n_labeled(self) -> float:
        """The number of labeled rows, by their weights."""
        return self.sketch.n_labeled

    @property
    def rank_error(self) -> float:
        """How far the rank of an unlabeled row may be off, in rows."""
        return self.sketch.rank_error

    def estimate_prior(self, method: Any = "auto", **options: Any) -> PriorEstimate:
        """Return the share of positives; options are those of `priors.estimate_prior`."""
        rows = self.sketch.to_rows()
        return estimate_prior(
            rows.y,
            rows.scores,
            method=method,
            weight=rows.weight,
            n_rows=self.sketch.n_rows,
            **options,
        )

    def metric(self, name: str, **options: Any) -> float:
        """Return a metric of `lopsided.metrics` against PU labels, such as "pu_roc_auc"."""
        rows = self.sketch.to_rows()
        judge = get_metric(name)
        return float(judge(rows.y, rows.scores, sample_weight=rows.weight, **options))

    def metrics(self) -> dict[str, float]:
        """Return the metrics that need no number besides: rank, ROC-AUC, average precision."""
        return {name: self.metric(name) for name in _METRICS}

    def fit_calibration(self, prior: Any, method: Any = "beta") -> CalibrationMap:
        """Return the map from scores to log-odds of being positive, given the prior."""
        rows = self.sketch.to_rows()
        return fit_calibration(
            rows.scores,
            rows.y,
            prior,
            method=method,
            sample_weight=rows.weight,
            n_rows=self.sketch.n_rows,
        )

    def rank(self, scores: Any) -> Any:
        """Return the place from 1 of each score among the unlabeled rows, ties the first."""
        return self.sketch.rank_unlabeled(scores)


def summarize_scores(
    y: Any, scores: Any, sample_weight: Any = None, *, client: Any = None
) -> ScoreSummary:
    """Sum up labels and scores of a collection, each partition where it is.

    Parameters
    ----------
    y : Dask series or array of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled, -1 = reviewed negative.
    scores : Dask series or array of shape (n_rows,)
        Larger = more positive, best by a model that has not seen the rows.
    sample_weight : Dask series or array of shape (n_rows,), optional
        How many rows each one stands for.
    client : distributed.Client or None, default=None
        The cluster; None is the current client.

    Returns
    -------
    ScoreSummary

    Examples
    --------
    >>> import dask.array as da, numpy as np
    >>> from distributed import Client
    >>> y = np.repeat([1, 0], [200, 1800])
    >>> scores = np.random.default_rng(0).normal(size=2000) + 2 * y
    >>> with Client(processes=False, dashboard_address=None):
    ...     found = summarize_scores(da.from_array(y, 1000), da.from_array(scores, 1000))
    >>> print(found.estimate_prior().sentence.partition(":")[0])
    A share of 0.11 is positive (90 % interval 0.1 to 0.14)
    """
    table = scores[:, None] if is_array(scores) else scores.to_frame(name="score")
    found = sketch_parts(as_parts(table, y, sample_weight))
    with naming_failures("while scores were summed up"):
        return ScoreSummary(compute(find_client(client), found))


def sketch_parts(parts: list[Any]) -> Any:
    """Return the delayed sketch of parts whose only column is the score."""
    delayed = require("dask").delayed
    sketches = [delayed(in_partition(_sketch, place))(part) for place, part in enumerate(parts)]
    return merge_in_tree(_merge, sketches)


def _sketch(part: Part) -> ScoreSketch:
    scores, labels, weight = check_part(*part.rows)
    values = scores.to_numpy() if hasattr(scores, "to_numpy") else scores
    return ScoreSketch().update(values[:, 0], labels, weight)


def _merge(sketches: list[ScoreSketch]) -> ScoreSketch:
    return reduce(lambda one, other: one.merge(other), sketches, ScoreSketch())
