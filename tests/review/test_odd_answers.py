"""Answers that reviewers and files should not give, and tables that begin or end oddly."""

import numpy as np
import pandas as pd
import pytest

from lopsided.review import ReviewLoop

RNG = np.random.default_rng(0)
TRUTH = np.repeat([1, 0], [45, 255])
X = RNG.normal(size=(300, 4)) + 1.5 * TRUTH[:, None] * [1, 1, 0, 0]


def start(n_labeled=10, **options):
    y = np.where(np.arange(300) < n_labeled, 1, 0)
    return ReviewLoop(X, y, "naive-logistic", **options)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            {"rows": [50], "verdicts": [False]},
            "1 or .confirmed. .*, got False",
        ),
        ({"rows": [50]}, "got none. Pass them"),
        ({"rows": [[50, 51]], "verdicts": [[1, 1]]}, "rows must be one row of values"),
        ({"rows": [50], "verdicts": ["perhaps"]}, "blank .undecided., got 'perhaps'"),
        (
            {"rows": pd.DataFrame({"row": [50], "result": [1]})},
            "must have the column",
        ),
        ({"ids": [0.7], "verdicts": [1]}, "ids must be whole numbers .* got 0.7"),
        ({"ids": [True], "verdicts": [1]}, "ids must be whole numbers .* got True"),
        ({"ids": ["abc"], "verdicts": [1]}, "ids must be whole numbers .* got 'abc'"),
        ({"ids": [None], "verdicts": [1]}, "ids must be whole numbers .* got None"),
    ],
)
def test_answers_that_cannot_be_meant_are_refused(given, words):
    loop = start()
    with pytest.raises(ValueError, match=words):
        loop.teach(**given)
    assert (loop.y[10:] == 0).all()


def test_a_row_without_a_name_is_refused():
    with pytest.raises(ValueError, match="ids"):
        start(ids=[None, *map(str, range(299))])


def test_one_label_claims_nothing_and_does_not_stop_a_review():
    loop = start(n_labeled=1)
    assert not loop.should_stop()
    batch = loop.query(20)
    loop.teach(batch.rows, 2 * TRUTH[batch.rows] - 1)
    assert loop.prior_.low <= TRUTH.mean() <= loop.prior_.high
    assert not loop.prior_.identified


def test_rows_that_rest_come_again_when_nothing_else_is_left():
    loop = start()
    left = np.flatnonzero(loop.y == 0)
    loop.teach(left, np.zeros(len(left)))
    assert len(loop.query(5)) == 5


def test_a_table_that_is_decided_to_its_end_is_counted():
    loop = start()
    left = np.flatnonzero(loop.y == 0)
    loop.teach(left, 2 * TRUTH[left] - 1)
    assert loop.prior_.value == pytest.approx(TRUTH.mean())
    assert (loop.probability_ == TRUTH).all()
    assert loop.should_stop()
    assert "nothing left" in loop.advice()


def test_a_damaged_file_is_refused(tmp_path):
    loop, path = start(), tmp_path / "loop.npz"
    loop.save(path)
    whole = path.read_bytes()
    rng, refused = np.random.default_rng(0), 0
    for _ in range(60):
        damaged = bytearray(whole)
        for place in rng.integers(len(whole), size=3):
            damaged[place] ^= 0xFF
        path.write_bytes(damaged[: rng.integers(len(whole) // 2, len(whole) + 1)])
        try:
            again = ReviewLoop.load(path, X)
        except ValueError:
            refused += 1
        else:
            assert (again.y == loop.y).all()
    assert refused > 50


@pytest.mark.parametrize("verdict", [1, -1])
def test_the_last_unlabeled_rows_of_a_table_are_still_ranked(verdict):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 2)), np.repeat([1, 0], [4, 8])
    loop = ReviewLoop(X, y, "naive-logistic")
    for _ in range(4):  # until one is left, in a fold of its own
        batch = loop.query(2 if (loop.y == 0).sum() > 2 else 1)
        loop.teach(batch.rows, [verdict] * len(batch.rows))
        assert np.isfinite(loop.scores_).all()
        assert loop.advice().endswith(".")
    assert (loop.y == 0).sum() == 1
