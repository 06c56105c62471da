import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from lopsided._sketch import QuantileSummary, ScoreSketch
from lopsided.calibration.maps import METHODS, fit_calibration
from lopsided.methods._normal_scores import fit_normal_scores
from lopsided.priors import estimate_prior

SMALL = {"n_exact": 50, "n_exact_labeled": 80, "n_points": 64}


def make_scores(kind, n_rows=20_000, seed=0):
    rng = np.random.default_rng(seed)
    normal = rng.normal(size=n_rows)
    return {
        "normal": normal,
        "ties": normal.round(1),
        "one value": np.where(rng.random(n_rows) < 0.7, 0.0, normal),
        "far apart": np.sign(normal) * np.exp(20 * np.abs(normal)),
        "sorted": np.sort(normal),
    }[kind]


KINDS = ["normal", "ties", "one value", "far apart", "sorted"]


def make_labels(n_rows, seed=1):
    return np.random.default_rng(seed).choice([1, 0, -1], n_rows, p=[0.003, 0.995, 0.002])


def fill(scores, y, n_batches, weight=None, **sizes):
    """Return sketches of the batches of a table."""
    weight = np.ones(len(y)) if weight is None else weight
    parts = (np.array_split(column, n_batches) for column in (scores, y, weight))
    return [ScoreSketch(**sizes).update(*batch) for batch in zip(*parts, strict=True)]


def merge_in_turn(sketches):
    for other in sketches[1:]:
        sketches[0].merge(other)
    return sketches[0]


def merge_in_pairs(sketches):
    while len(sketches) > 1:
        pairs = zip(sketches[::2], sketches[1::2], strict=False)
        sketches = [one.merge(other) for one, other in pairs] + sketches[len(sketches) & ~1 :]
    return sketches[0]


def merge_backwards(sketches):
    return merge_in_turn(sketches[::-1])


MERGES = [merge_in_turn, merge_in_pairs, merge_backwards]


@pytest.mark.parametrize("merge", MERGES)
@pytest.mark.parametrize("kind", KINDS)
def test_ranks_are_off_by_no_more_than_is_said_however_sketches_are_merged(kind, merge):
    scores = make_scores(kind)
    y = make_labels(len(scores))
    sketch = merge(fill(scores, y, 37, **SMALL))
    hidden = np.sort(scores[y == 0])
    asked = np.unique(scores)
    expected = 1 + len(hidden) - np.searchsorted(hidden, asked, "right")
    error = np.abs(sketch.rank_unlabeled(asked) - expected)
    assert error.max() <= sketch.rank_error + 1e-6
    bound = 2 * (1 + np.log2(1 + len(hidden) / 64)) / 64
    assert sketch.rank_error <= bound * len(hidden)


@pytest.mark.parametrize("merge", MERGES)
@pytest.mark.parametrize("kind", KINDS)
def test_the_highest_scores_keep_their_exact_ranks(kind, merge):
    scores = make_scores(kind)
    y = make_labels(len(scores))
    hidden = np.sort(scores[y == 0])[::-1]
    first = hidden[hidden > hidden[50]]
    expected = 1 + np.searchsorted(-hidden, -first)
    sketch = merge(fill(scores, y, 23, **SMALL))
    assert_array_equal(sketch.rank_unlabeled(first), expected)


def test_few_labeled_and_reviewed_scores_are_kept_as_they_are():
    scores = make_scores("normal")
    y = make_labels(len(scores))
    rows = merge_in_pairs(fill(scores, y, 5, **SMALL)).to_rows()
    for label in (1, -1):
        assert_array_equal(rows.scores[rows.y == label], np.sort(scores[y == label]))
        assert (rows.weight[rows.y == label] == 1).all()


@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_few_and_weigh_as_much_as_the_table(kind):
    scores = make_scores(kind)
    y = make_labels(len(scores))
    weight = np.random.default_rng(2).choice([0.0, 0.5, 1.0, 3.0], len(y))
    sketch = merge_in_turn(fill(scores, y, 11, weight, **SMALL))
    rows = sketch.to_rows()
    for label in (1, 0, -1):
        assert rows.weight[rows.y == label].sum() == pytest.approx(weight[y == label].sum())
    assert (rows.y == 0).sum() <= 50 + 64 + 1
    assert (rows.y == 1).sum() <= 80 + 64 + 1
    assert sketch.n_rows == pytest.approx(weight.sum())


def test_whole_weights_count_as_repeated_rows():
    scores = make_scores("normal", 3000)
    y = make_labels(len(scores))
    weight = np.random.default_rng(2).integers(0, 4, len(y))
    sketch = ScoreSketch(**SMALL).update(scores, y, weight)
    repeated = ScoreSketch(**SMALL).update(np.repeat(scores, weight), np.repeat(y, weight))
    asked = np.linspace(-4, 4, 200)
    gap = sketch.rank_unlabeled(asked) - repeated.rank_unlabeled(asked)
    assert np.abs(gap).max() <= sketch.rank_error + repeated.rank_error


def test_quantiles_are_those_of_all_rows():
    scores = make_scores("normal")
    sketch = ScoreSketch(n_exact=500, n_points=1000).update(scores, make_labels(len(scores)))
    shares = [0.001, 0.1, 0.5, 0.9, 0.999]
    below = np.searchsorted(np.sort(scores), sketch.quantile(shares)) / len(scores)
    assert_allclose(below, shares, atol=0.004)


def test_a_sketch_travels_between_processes():
    scores = make_scores("normal")
    sketch = ScoreSketch(**SMALL).update(scores, make_labels(len(scores)))
    again = pickle.loads(pickle.dumps(sketch))
    assert_array_equal(again.rank_unlabeled(scores), sketch.rank_unlabeled(scores))
    assert again.merge(ScoreSketch(**SMALL)).n_rows == sketch.n_rows


def test_memory_does_not_grow_with_the_table():
    summary, rng = QuantileSummary(n_exact=1000, n_points=512), np.random.default_rng(0)
    sizes = []
    for _ in range(200):
        summary.update(rng.normal(size=5000), np.ones(5000))
        sizes.append(len(pickle.dumps(summary)))
    assert max(sizes[100:]) < 1.3 * max(sizes[:100])
    assert summary.total == 1_000_000


def test_scores_that_are_no_numbers_are_refused():
    with pytest.raises(ValueError, match="got NaN"):
        ScoreSketch().update([np.nan], [0])


@pytest.fixture(scope="module")
def summary():
    """A table whose labeled rows stand higher, and the rows of its sketch."""
    rng = np.random.default_rng(0)
    positive = rng.random(40_000) < 0.02
    scores = rng.normal(size=40_000) + 3 * positive
    y = (positive & (rng.random(40_000) < 0.5)).astype(int)
    rows = merge_in_pairs(fill(scores, y, 9, n_exact=2000, n_points=1000)).to_rows()
    assert len(rows.y) < 4000
    return scores, y, rows


@pytest.mark.parametrize("method", METHODS)
def test_probabilities_from_a_sketch_are_those_of_its_table(summary, method):
    scores, y, rows = summary
    found = fit_calibration(rows.scores, rows.y, 0.02, method, rows.weight, n_rows=len(y))
    expected = fit_calibration(scores, y, 0.02, method)
    asked = np.linspace(-2, 5, 50)
    proba = [1 / (1 + np.exp(-one.transform(asked))) for one in (found, expected)]
    assert_allclose(*proba, atol=0.005)


def test_normal_scores_from_a_sketch_are_those_of_its_table(summary):
    scores, _, rows = summary
    found = fit_normal_scores(rows.scores, rows.weight)
    expected = fit_normal_scores(scores, np.ones(len(scores)))
    asked = np.linspace(-2, 5, 50)
    assert_allclose(found.transform(asked), expected.transform(asked), atol=0.01)


def test_the_prior_from_a_sketch_is_that_of_its_table(summary):
    scores, y, rows = summary
    found = estimate_prior(rows.y, rows.scores, weight=rows.weight, n_rows=len(y))
    expected = estimate_prior(y, scores)
    for name in ("value", "low", "high"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name), rel=0.01)
    assert found.identified == expected.identified
