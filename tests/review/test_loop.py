import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from lopsided import PUForestClassifier
from lopsided.review import ReviewLoop, simulate_reviews
from lopsided.review.batch import choose_rows


def make_table(n_rows=500, seed=0):
    rng = np.random.default_rng(seed)
    y_true = (rng.random(n_rows) < 0.12).astype(int)
    X = rng.normal(size=(n_rows, 4)) + 1.3 * y_true[:, None]
    y = y_true * (rng.random(n_rows) < 0.35)
    return X, y_true, y


X, Y_TRUE, Y = make_table()
FOREST = PUForestClassifier(n_estimators=30, min_samples_leaf=3)


def make_loop(**settings):
    return ReviewLoop(X, Y, FOREST, **settings)


def teach_truth(loop, batch):
    loop.teach(batch.rows, 2 * Y_TRUE[batch.rows] - 1)


@pytest.mark.parametrize("strategy", ["top", "top-audit", "mixed"])
def test_rounds_propose_only_rows_that_nobody_has_decided(strategy):
    loop = make_loop(strategy=strategy)
    seen = set()
    for number in (1, 2, 3):
        batch = loop.query(20)
        assert batch.round == number
        assert len(set(batch.rows.tolist())) == len(batch) == 20
        assert not seen & set(batch.rows.tolist())
        assert (loop.y[batch.rows] == 0).all()
        seen |= set(batch.rows.tolist())
        teach_truth(loop, batch)
        assert_array_equal(loop.y[batch.rows], 2 * Y_TRUE[batch.rows] - 1)
    history = loop.history
    assert history["queried"].tolist() == [20, 20, 20]
    assert (history["positives"] + history["negatives"] == 20).all()
    assert (history["prior_low"] <= history["prior"]).all()
    assert history["inside"].notna().all()


def test_the_top_is_the_best_by_blind_scores():
    loop = make_loop()
    batch = loop.query(15)
    rest = np.setdiff1d(np.flatnonzero(loop.y == 0), batch.rows)
    assert batch.scores.min() >= loop.scores_[rest].max()
    assert (np.diff(batch.scores) <= 0).all()
    assert loop.model_.oob_score
    assert_array_equal(batch.scores, loop.model_.oob_decision_function_[batch.rows])


def test_the_audit_is_a_share_of_other_rows_drawn_at_random():
    loop = make_loop(strategy="top-audit", audit=0.25)
    batch = loop.query(20)
    assert batch.count() == {"top": 15, "uncertain": 0, "audit": 5}
    assert set(batch.rows[:15]) == set(make_loop().query(15).rows)
    other = make_loop(strategy="top-audit", audit=0.25, random_state=1).query(20)
    assert set(batch.rows[15:]) != set(other.rows[15:])


def test_the_audit_does_not_depend_on_the_order_of_the_other_rows():
    rows, scores = np.arange(len(X)), np.linspace(1, 0, len(X))
    elsewhere = np.r_[scores[:100], np.random.default_rng(0).permutation(scores[100:])]
    batches = [
        choose_rows("top-audit", 20, rows, own, own, 0.5, np.random.default_rng(0))
        for own in (scores, elsewhere)
    ]
    assert_array_equal(*(chosen for chosen, _ in batches))


def test_uncertain_rows_are_nearest_to_one_half():
    loop = make_loop(strategy="mixed")
    batch = loop.query(20)
    uncertain = batch.probability[batch.why == "uncertain"]
    rest = np.setdiff1d(np.flatnonzero(loop.y == 0), batch.rows)
    assert np.abs(uncertain - 0.5).max() <= np.abs(loop.probability_[rest] - 0.5).min()


def test_a_query_is_the_same_until_verdicts_come_and_fits_once():
    fits = []

    class Counted(PUForestClassifier):
        def fit(self, X, y, sample_weight=None):
            fits.append(np.unique(y).tolist())
            return super().fit(X, y, sample_weight)

    loop = ReviewLoop(X, Y, Counted(n_estimators=40, min_samples_leaf=3))
    assert not fits
    batch = loop.query(10)
    assert_array_equal(batch.rows, loop.query(10).rows)
    assert fits == [[0, 1]]
    teach_truth(loop, batch)
    assert loop.prior_.low > 0
    assert len(fits) == 1
    loop.query(10)
    loop.advice()
    assert fits == [[0, 1], [-1, 0, 1]]


def test_the_same_labels_give_the_same_scores():
    one, two = make_loop(), make_loop()
    for loop in (one, two):
        teach_truth(loop, loop.query(20))
    assert_array_equal(one.scores_, two.scores_)


def test_an_undecided_row_rests_for_a_round():
    loop = make_loop()
    batch = loop.query(10)
    loop.teach(batch.rows, [0, None, np.nan, *(2 * Y_TRUE[batch.rows[3:]] - 1)])
    assert loop.history["undecided"].tolist() == [3]
    assert loop.history["inside"].isna().all()
    second = loop.query(10)
    assert not set(batch.rows[:3]) & set(second.rows)
    teach_truth(loop, second)
    assert set(batch.rows[:3]) <= set(loop.query(300).rows)


def test_a_batch_may_be_answered_in_parts_and_with_other_rows():
    whole, parts = make_loop(), make_loop()
    batch = whole.query(10)
    teach_truth(whole, batch)
    parts.query(10)
    for some in (batch.rows[:4], batch.rows[4:]):
        parts.teach(some, 2 * Y_TRUE[some] - 1)
    pd.testing.assert_frame_equal(whole.history, parts.history)
    assert whole.prior_ == parts.prior_
    row = np.flatnonzero(parts.y == 0)[-1]
    parts.teach([row], [-1])
    assert parts.history["other"].tolist() == [1]


def test_verdicts_may_name_ids():
    ids = [f"claim {row}" for row in range(len(Y))]
    loop = make_loop(ids=ids)
    batch = loop.query(5)
    frame = batch.to_frame()
    assert frame["id"].tolist() == [ids[row] for row in batch.rows]
    loop.teach(ids=frame["id"], verdicts=[1, -1, 1, -1, 0])
    assert loop.y[batch.rows].tolist() == [1, -1, 1, -1, 0]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"rows": [600], "verdicts": [1]}, "from 0 to 499, got 600"),
        ({"rows": [0.5], "verdicts": [1]}, "whole numbers"),
        ({"rows": [1, 1], "verdicts": [1, 1]}, "one verdict"),
        ({"rows": [1], "verdicts": [2]}, "got 2"),
        ({"rows": [1], "verdicts": ["maybe"]}, "got 'maybe'"),
        ({"rows": [1], "verdicts": [1, 1]}, "got 2 for 1"),
        ({"rows": [int(np.flatnonzero(Y)[0])], "verdicts": [-1]}, "known to be a positive"),
        ({"ids": [-7], "verdicts": [1]}, "no row of that name"),
        ({"verdicts": [1]}, "both or neither"),
    ],
)
def test_verdicts_that_cannot_be_are_refused_and_change_nothing(given, words):
    loop = make_loop()
    with pytest.raises(ValueError, match=words):
        loop.teach(**given)
    assert_array_equal(loop.y, Y)
    assert loop.history.empty


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"strategy": "best"}, "No strategy is called"),
        ({"audit": 1.5}, "audit must be"),
        ({"ids": [1] * 500}, "got 1 500 times"),
        ({"ids": [1, 2]}, "500 rows"),
        ({"random_state": -1}, "random_state"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, words):
    with pytest.raises(ValueError, match=words):
        make_loop(**settings)


def test_a_loop_goes_on_as_if_it_had_not_been_saved(tmp_path):
    path = tmp_path / "reviews.npz"
    loop = ReviewLoop(X, Y, "naive-logistic", strategy="top-audit", ids=np.arange(500) + 7)
    teach_truth(loop, loop.query(10))
    batch = loop.query(10)
    loop.save(path)
    other = ReviewLoop.load(path, X)
    pd.testing.assert_frame_equal(loop.history, other.history)
    for one in (loop, other):
        teach_truth(one, batch)
    pd.testing.assert_frame_equal(loop.history, other.history)
    loop.save(path)
    third = ReviewLoop.load(path, X)
    again, expected = third.query(10), loop.query(10)
    assert_array_equal(again.to_frame(), expected.to_frame())
    assert again.expected == expected.expected
    assert third.prior_ == loop.prior_


def test_another_table_or_file_is_refused(tmp_path):
    path = tmp_path / "reviews.npz"
    make_loop().save(path)
    with pytest.raises(ValueError, match="other"):
        ReviewLoop.load(path, X + 1, method=FOREST)
    with pytest.raises(ValueError, match="number of rows"):
        ReviewLoop.load(path, X[:-1], method=FOREST)
    with pytest.raises(ValueError, match="same"):
        ReviewLoop.load(path, X)
    (tmp_path / "text").write_text("not a loop")
    for name in ("text", "numbers.npz"):
        np.savez(tmp_path / "numbers.npz", a=1)
        with pytest.raises(ValueError, match="file"):
            ReviewLoop.load(tmp_path / name, X)


def test_a_data_frame_with_categories_is_told_from_another(tmp_path):
    frame = pd.DataFrame({"a": X[:, 0], "b": pd.Categorical(np.where(X[:, 1] > 1, "x", "z"))})
    loop = ReviewLoop(frame, Y, "naive-forest")
    teach_truth(loop, loop.query(5))
    loop.save(tmp_path / "reviews")
    assert len(ReviewLoop.load(tmp_path / "reviews", frame).history) == 1
    with pytest.raises(ValueError, match="other"):
        ReviewLoop.load(tmp_path / "reviews", frame.rename(columns={"a": "c"}))


def test_it_says_to_stop_when_nothing_is_left():
    loop = make_loop()
    assert not loop.should_stop()
    assert "rows" in loop.advice()
    teach_truth(loop, loop.query(int((loop.y == 0).sum()) - 50))
    assert loop.should_stop()
    assert "review none" in loop.advice()
    last = np.flatnonzero(loop.y == 0)
    loop.teach(last, 2 * Y_TRUE[last] - 1)
    assert "nothing left" in loop.advice()
    with pytest.raises(ValueError, match="unlabeled"):
        loop.query(1)


def test_simulated_rounds_find_what_reviewers_would():
    done = simulate_reviews(X, Y_TRUE, Y, "top", 60, 20, FOREST)
    assert len(done.rows) == 60
    assert done.finds.sum() == Y_TRUE[done.rows].sum()
    assert done.history["positives"].tolist() == done.finds.tolist()
    assert_array_equal(done.rows[:20], done.first_list[:20])
    once = simulate_reviews(X, Y_TRUE, Y, "top", 60, 60, FOREST)
    assert_array_equal(once.rows, once.first_list[:60])


def test_bias_weights_change_the_second_round_alone():
    plain, weighted = make_loop(), make_loop(bias_weights=True)
    first = plain.query(20)
    assert_array_equal(first.rows, weighted.query(20).rows)
    for loop in (plain, weighted):
        teach_truth(loop, first)
    assert (plain.scores_ != weighted.scores_).any()


def test_only_verdicts_change_labels():
    loop = make_loop()
    with pytest.raises(ValueError, match="read-only"):
        loop.y[0] = 1
    assert_array_equal(loop.y, Y)


def test_one_labeled_row_is_enough():
    y = np.where(np.arange(500) == np.flatnonzero(Y)[0], 1, 0)
    for method in ("naive-logistic", FOREST):
        loop = ReviewLoop(X, y, method)
        teach_truth(loop, loop.query(10))
        assert len(loop.query(10)) == 10


@pytest.mark.parametrize("kept", ["row", "id"])
def test_a_batch_comes_back_with_words_in_a_column_of_verdicts(kept):
    by_numbers, by_words = (make_loop(ids=[f"r{row}" for row in range(500)]) for _ in range(2))
    batch = by_numbers.query(20)
    by_numbers.teach(batch.rows, [0, None, *(2 * Y_TRUE[batch.rows[2:]] - 1)])
    frame = by_words.query(20).to_frame().drop(columns={"row": "id", "id": "row"}[kept])
    words = np.where(Y_TRUE[batch.rows] == 1, "confirmed", " Cleared")
    by_words.teach(frame.assign(verdict=["", None, *words[2:]]).sort_values("score"))
    assert_array_equal(by_words.y, by_numbers.y)
    assert (by_words.y[batch.rows[2:]] != 0).all()
