"""Compare methods on the same folds, with intervals for how far apart they are."""

import time
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lopsided._rows import TrainingRows
from lopsided._terminal import quote
from lopsided._validation import (
    as_generator,
    check_choice,
    check_classifier,
    check_count,
    check_level,
    check_prior,
)
from lopsided.methods.registry import build, check_ranks, get_method
from lopsided.metrics.named import OF_ALL_ROWS as METRICS
from lopsided.metrics.named import bind_prior
from lopsided.metrics.pu import damped_log, damping
from lopsided.model_selection.out_of_fold import (
    Split,
    as_rows,
    cross_score,
    list_splits,
    place_in_fold,
)

__all__ = ["Comparison", "compare"]

BASELINE = "naive-xgb"


@dataclass(frozen=True)
class Comparison:
    """What `compare` found; its text is a table and a sentence.

    Attributes
    ----------
    table : DataFrame
        A row for each estimator, the best first: the metrics, the difference of `metric` to
        the baseline and to the best, each with the ends of an interval, and the seconds of the
        fits.
    scores : dict
        The out-of-fold scores of every row, by label: the share of its fold that it outranks.
    metric : str
        What the estimators are ordered by.
    level : float
        The share of differences that the intervals are to cover.
    baseline : str
        The label of the baseline.
    n_labeled : int
        Number of labeled rows that were judged by.

    Examples
    --------
    >>> import numpy as np
    >>> from lopsided.model_selection import compare
    >>> X = np.random.default_rng(0).normal(size=(400, 3))
    >>> y = (X[:, 0] + X[:, 1] > 2.2).astype(int)
    >>> found = compare(["naive-logistic"], X, y, cv=3, random_state=0)
    >>> found.best, found.baseline, found.n_labeled
    ('naive-logistic', 'naive-xgb', 21)
    """

    table: pd.DataFrame
    scores: Mapping[str, NDArray[np.float64]] = field(repr=False)
    metric: str
    level: float
    baseline: str
    n_labeled: int

    @property
    def best(self) -> str:
        """The label of the estimator with the highest metric."""
        return str(self.table.index[0])

    @property
    def tied(self) -> list[str]:
        """The labels whose difference to the best may be 0, the best aside."""
        return [str(label) for label in self.table.index[1:][self.table["best_high"][1:] >= 0]]

    def __str__(self) -> str:
        return f"{self._format()}\n\n{self._say_best()}"

    def _format(self) -> str:
        found = self.table
        shown = found[list(METRICS)].map("{:.3f}".format)
        for name, title in (("baseline", f"over {self.baseline}"), ("best", "over the best")):
            columns = found[[name, f"{name}_low", f"{name}_high"]].to_numpy()
            shown[title] = ["{:+.3f} ({:+.3f} to {:+.3f})".format(*row) for row in columns]
        shown["seconds"] = found["seconds"].map("{:.1f}".format)
        return shown.to_string()

    def _say_best(self) -> str:
        row = self.table.loc[self.best]
        span = f"{100 * self.level:g} % interval"
        said = f"{self.best} has the highest {self.metric}, {row[self.metric]:.3f}"
        if self.best == self.baseline:
            said += ": nothing ranks better than the baseline"
        else:
            said += (
                f", {row['baseline']:.3f} above {self.baseline} ({span} "
                f"{row['baseline_low']:+.3f} to {row['baseline_high']:+.3f})"
            )
        rest = self.tied
        tied = f" {', '.join(rest)} may be as good." if rest else ""
        return f"{said}, by {self.n_labeled} labeled rows scored blind.{tied}"


def compare(
    estimators: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 5,
    groups: Any = None,
    metric: str = "pu_damped_log_rank",
    prior: Any = None,
    n_draws: int = 1000,
    level: float = 0.9,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> Comparison:
    r"""Compare methods by out-of-fold scores on the same folds, the naive baseline among them.

    Each row is scored by a model that has not seen it, and its score is its place in its fold.

    Differences have intervals from a paired bootstrap: labeled rows are drawn with replacement,
    the same ones for both estimators, and the spread of the differences is put around the one
    that was found. It is the luck of which positives got labeled that they tell of, and with
    :math:`L` labeled rows their width falls as :math:`1 / \sqrt L`. Under SCAR the order is
    that of the truth but for this luck; under SAR it is the order on positives like the labeled
    ones.

    Parameters
    ----------
    estimators : sequence of str, or mapping of labels to estimators or names
        What to compare: names of the registry, or estimators that are cloned. "naive-xgb" is
        added if it is not there.
    X : array, sparse matrix or data frame of shape (n_rows, n_features)
        The table.
    y : array of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled.
    cv, groups :
        The folds, see `out_of_fold_scores`.
    metric : str, default="pu_damped_log_rank"
        What to order by: this, "pu_mean_log_rank", "pu_roc_auc" or "pu_average_precision".
    prior : float, estimate, "auto" or None, default=None
        P(y_true = 1) in the whole table, for the metrics and for named methods that take one;
        of an estimate the value. None and "auto" leave it to each method, and to the metrics.
    n_draws : int, default=1000
        Number of bootstrap draws.
    level : float, default=0.9
        The share of differences that the intervals are to cover.
    random_state : int, Generator or None, default=None
        Seed of folds and draws, and of the fits of an estimator that has none of its own.
    n_jobs : int or None, default=None
        Number of folds to fit at a time, in threads.

    Returns
    -------
    Comparison
        With `table`, a data frame, and a text for people.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(400, 3))
    >>> y = (X[:, 0] + X[:, 1] > 2.2).astype(int)
    >>> found = compare(["naive-logistic"], X, y, cv=3, random_state=0)
    >>> found.best
    'naive-logistic'
    >>> found.table.index.tolist()
    ['naive-logistic', 'naive-xgb']
    """
    check_choice(metric, METRICS, "metric")
    check_count(n_draws, "n_draws")
    check_level(level)
    prior = (
        None if isinstance(prior, str) and prior == "auto" else getattr(prior, "value", prior)
    )
    rows = as_rows(X, y, groups=groups)
    if prior is not None:
        prior = check_prior(prior, rows.labeled_share)
    models = _list_models(estimators, prior)
    rng = as_generator(random_state)
    splits = list_splits(cv, rows, groups, rng)
    scores, seconds = _score_all(models, rows, splits, int(rng.integers(2**31)), n_jobs)
    judged = ~np.isnan(next(iter(scores.values())))  # a split by time tests on no early rows
    labels = rows.y[judged]
    if prior is not None:  # the rows that are judged may hold more labeled ones than all do
        prior = max(prior, float(labels.mean()))
    counts = _resample(int(labels.sum()), n_draws, rng)
    table, drawn = {}, {}
    for label, one in scores.items():
        table[label] = [bind_prior(name, prior)(labels, one[judged]) for name in METRICS]
        drawn[label] = LabeledPlaces(labels, one[judged]).draw(metric, counts, prior)
    found = pd.DataFrame.from_dict(table, orient="index", columns=list(METRICS))
    found = found.sort_values(metric, ascending=False, kind="stable")
    for name, other in (("baseline", BASELINE), ("best", found.index[0])):
        found[[name, f"{name}_low", f"{name}_high"]] = [
            _differ(found[metric], drawn, label, other, level) for label in found.index
        ]
    found["seconds"] = pd.Series(seconds)
    return Comparison(found, scores, metric, level, BASELINE, int(labels.sum()))


class LabeledPlaces:
    """Where labeled rows stand among the others: all that the metrics need to be redrawn.

    Rows of one score make a block; there are `above` unlabeled rows above a block and `tied`
    ones in it, and `block` says in which one a labeled row is, the highest first.
    """

    def __init__(self, y: NDArray[np.int8], scores: NDArray[np.float64]) -> None:
        values, self.block = np.unique(-scores[y == 1], return_inverse=True)
        others = np.sort(-scores[y == 0])
        self.above = np.searchsorted(others, values)
        self.tied = np.searchsorted(others, values, side="right") - self.above
        self.n_unlabeled = len(others)

    def draw(
        self, metric: str, counts: NDArray[np.int64], prior: float | None = None
    ) -> NDArray[np.float64]:
        """Return the metric of each draw, a line of how often each labeled row is in it."""
        n_labeled = counts.shape[1]
        n_rows = n_labeled + self.n_unlabeled
        n_positives = n_labeled if prior is None else max(prior * n_rows, n_labeled)
        order = np.argsort(self.block, kind="stable")
        starts = np.searchsorted(self.block[order], np.arange(len(self.above)))
        own = np.add.reduceat(counts[:, order], starts, axis=1)  # drawn rows of each block
        if metric == "pu_roc_auc":
            outranked = 1 - (self.above + self.tied / 2) / self.n_unlabeled
            hidden = (n_positives - n_labeled) / self.n_unlabeled
            return (own @ outranked / n_labeled - hidden / 2) / (1 - hidden)
        so_far = np.cumsum(own, axis=1)
        if metric != "pu_average_precision":
            damped = metric == "pu_damped_log_rank"
            width = damping(n_labeled / n_rows, prior) if damped else 0.0
            ranks = self.above + so_far - own + (self.tied + own + 1) / 2
            gains = damped_log(ranks / n_rows, width)
            return (own * gains).sum(axis=1) / n_labeled
        scale = (n_positives - 1) / (n_labeled - 1)
        places = self.above + self.tied + so_far
        precision = (1 + (so_far - 1) * scale) / np.maximum(places, 1)
        return (own * precision).sum(axis=1) / n_labeled


def _list_models(estimators: Any, prior: float | None) -> dict[str, Any]:
    """Return the estimators by label, the baseline among them."""
    if isinstance(estimators, str):
        estimators = [estimators]
    if not isinstance(estimators, Iterable):
        raise ValueError(
            "estimators must be names of methods or a dict with labels, got "
            f"{quote(estimators)}. Pass for example ['focused', 'naive-xgb']."
        )
    named = estimators if isinstance(estimators, Mapping) else {one: one for one in estimators}
    models = {}
    for label, model in {**named, BASELINE: named.get(BASELINE, BASELINE)}.items():
        if not isinstance(label, str):
            raise ValueError(
                "estimators must be names of methods or a dict with labels, got "
                f"{quote(label)}. Write {{'a label': estimator}}."
            )
        if isinstance(model, str):
            models[label] = _build(model, prior)
        else:
            models[label] = check_classifier(model, f"The estimator {quote(label)}")
    return models


def _build(name: str, prior: float | None) -> Any:
    takes_prior = get_method(check_ranks(name)).takes_prior
    return build(name, **({"prior": prior} if prior is not None and takes_prior else {}))


def _score_all(
    models: Mapping[str, Any],
    rows: TrainingRows,
    splits: list[Split],
    seed: int,
    n_jobs: int | None,
) -> tuple[dict[str, NDArray[np.float64]], dict[str, float]]:
    """Return the out-of-fold scores and the seconds of each, whoever else is compared."""
    scores, seconds = {}, {}
    for label, model in models.items():
        own = np.random.default_rng([seed, zlib.crc32(label.encode())])
        start = time.perf_counter()
        scores[label] = cross_score(
            model, rows, splits, own, place_in_fold, n_jobs=n_jobs, label=label
        )
        seconds[label] = time.perf_counter() - start
    return scores, seconds


def _resample(n_labeled: int, n_draws: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return how often each labeled row is in each draw with replacement."""
    return rng.multinomial(n_labeled, np.full(n_labeled, 1 / n_labeled), size=n_draws)


def _differ(
    values: pd.Series,
    drawn: Mapping[str, NDArray[np.float64]],
    label: str,
    other: str,
    level: float,
) -> list[float]:
    """Return a difference and its interval.

    The spread of the drawn differences is put around the found one: their own middle is off
    where copies of a row count as others above it.
    """
    found = float(values[label] - values[other])
    spread = drawn[label] - drawn[other]
    low, high = np.quantile(spread - spread.mean(), [(1 - level) / 2, (1 + level) / 2])
    return [found, found + float(low), found + float(high)]
