"""What `prior="auto"` stands for: an estimate from out-of-bag scores of a small forest."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from lopsided._reduction import reduce_sparse
from lopsided._rows import TrainingRows
from lopsided._sketch import ScoreSketch
from lopsided.methods.forest import PUForestClassifier
from lopsided.priors import PriorEstimate, estimate_prior
from lopsided.priors.estimation import warn_unidentified
from lopsided.priors.registry import resolve_prior
from lopsided.priors.twice_labeled import TwiceLabeledPrior
from lopsided.trees.sampling import Bagging

_MAX_SCORED = 2_000_000  # rows of a table in batches that are scored beside the sample
# Chosen on repeats 100 and 101 of the paper's sets: estimates are no worse than those of 100
# trees on bootstraps of all rows, as `benchmarks/prior_cost.py` measures.
_N_TREES, _MIN_SAMPLES_LEAF = 50, 3
_RATIO = 10.0  # unlabeled rows of a bag for each labeled one
_MAX_UNLABELED = 4000  # rows of a bag, so that trees cost no more in a larger table


def estimate_prior_of(
    rows: TrainingRows,
    schema: Mapping[str, Any],
    how: Any,
    scenario: Any,
    n_threads: int,
    rng: np.random.Generator,
) -> PriorEstimate:
    """Return the prior of a method's training rows, with a warning where it is but a guess."""
    kept = rows.take(rows.weight > 0)
    by_labels = isinstance(resolve_prior(how), TwiceLabeledPrior)  # which reads no scores
    scores = np.zeros(len(kept)) if by_labels else _score(kept, schema, n_threads, rng)
    found = estimate_prior(
        kept.counted_labels,
        scores,
        method=how,
        scenario=scenario,
        weight=kept.sample_weight,
        random_state=rng,
    )
    warn_unidentified(found)
    return found


def estimate_prior_of_batches(
    sample: TrainingRows,
    batches: Iterable[Any],
    unseen: NDArray[np.bool_],
    schema: Mapping[str, Any],
    how: Any,
    scenario: Any,
    n_threads: int,
    rng: np.random.Generator,
) -> PriorEstimate:
    """Return the prior of a table in batches, of which a sample is in memory.

    The forest is fitted on the sample, without its weights, so that labeled rows are no rarer
    to it than they must be. Rows of the sample are scored out-of-bag, and up to two million
    unlabeled rows of the others, evenly over the table, as they are: it has not seen them.
    """
    even = replace(sample, weight=np.ones(len(sample)))
    forest, scores = _fit_forest(even, schema, n_threads, rng)
    sketch = ScoreSketch()
    for label in (1, -1):
        own = sample.labels == label
        sketch.update(scores[own], sample.labels[own], sample.weight[own])
    own = sample.labels == 0
    sketch.update(scores[own], sample.labels[own])
    n_unseen = int(unseen.sum())
    asked = np.flatnonzero(unseen)[:: max(-(-n_unseen // _MAX_SCORED), 1)]
    start = 0
    for X in batches:
        low, high = np.searchsorted(asked, (start, start + len(X)))
        if low < high:
            found = np.asarray(forest._scores(X[asked[low:high] - start]), np.float64)
            each = np.full(len(found), n_unseen / len(asked))
            sketch.update(found, np.zeros(len(found), np.int8), each)
        start += len(X)
    rows = sketch.to_rows()
    found_prior = estimate_prior(
        rows.y,
        rows.scores,
        method=how,
        scenario=scenario,
        weight=rows.weight,
        n_rows=sketch.n_rows,
        random_state=rng,
    )
    warn_unidentified(found_prior)
    return found_prior


def small_bags(n_labeled: int) -> Bagging:
    """Return a scheme whose bags have few unlabeled rows, and as many as labeled ones at least.

    Examples
    --------
    >>> small_bags(100), small_bags(800), small_bags(10_000)
    (Bagging(ratio=10.0), Bagging(ratio=5.0), Bagging(ratio=1.0))
    """
    return Bagging(min(_RATIO, max(_MAX_UNLABELED / n_labeled, 1.0)))


def _score(
    rows: TrainingRows, schema: Mapping[str, Any], n_threads: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return out-of-bag scores; a row that is in every bag gets that of a typical one."""
    return _fit_forest(rows, schema, n_threads, rng)[1]


def _fit_forest(
    rows: TrainingRows, schema: Mapping[str, Any], n_threads: int, rng: np.random.Generator
) -> tuple[Any, NDArray[np.float64]]:
    seed = int(rng.integers(2**31))
    if issparse(rows.X):
        X = reduce_sparse(rows.X, seed)
        rows = TrainingRows(X, rows.y, rows.weight)
        schema = {"category_levels_": {}, "categorical_": (), "n_features_in_": X.shape[1]}
    forest = PUForestClassifier(
        splitter="random",
        n_estimators=_N_TREES,
        min_samples_leaf=_MIN_SAMPLES_LEAF,
        sampling=small_bags(int(rows.y.sum())),
        oob_score=True,
        n_jobs=n_threads,
    )
    scores = forest._fit_part(rows, seed, schema).oob_decision_function_
    return forest, np.where(np.isnan(scores), np.nanmedian(scores), scores)
