import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_array_equal
from parts import make_table, write_parts

import lopsided
from lopsided import _sketch
from lopsided.out_of_core import rank_parquet
from lopsided.out_of_core import ranking as module

NAMES = list("abcd")


@pytest.fixture(scope="module")
def frame():
    return make_table(3000, digits=2)


@pytest.fixture(scope="module")
def model(frame):
    quick = {"n_estimators": 10, "max_depth": 4, "prior": 0.1, "random_state": 0}
    return lopsided.build("ifpu-xgb", **quick).fit(frame[NAMES], frame["fraud"])


@pytest.fixture
def folder(frame, tmp_path):
    return write_parts(frame, tmp_path / "parts")


def rank(model, folder, **options):
    path = folder.parent / "ranked.parquet"
    found = rank_parquet(model, folder, path, keep=["row"], label="fraud", **options)
    return found, pd.read_parquet(path)


def scores_of(model, frame):
    unlabeled = frame[frame["fraud"] == 0]
    scores = model.decision_function(unlabeled[NAMES])
    return pd.Series(scores, unlabeled["row"].to_numpy())


def test_the_first_rows_are_those_of_the_scores_in_their_order(frame, model, folder):
    found, ranked = rank(model, folder, n_exact=500)
    expected = scores_of(model, frame).sort_values(ascending=False, kind="stable")
    assert_array_equal(ranked["row"][:500], expected.index[:500])
    assert_array_equal(ranked["rank"][:500], np.arange(1, 501))
    assert found.n_exact == 500
    assert found.n_rows == found.n_written == len(ranked) == len(expected)


class LastBits:
    """A model whose scores are two numbers, but for the last bit."""

    feature_names_in_ = NAMES

    def decision_function(self, frame):
        scores = np.where(frame["a"] > 0, 0.7, 0.1)
        return np.nextafter(scores, np.where(frame["b"] > 0, np.inf, -np.inf))


def test_the_last_bit_of_a_score_decides_no_rank(frame, folder):
    _, ranked = rank(LastBits(), folder, n_exact=len(frame))
    unlabeled = frame[frame["fraud"] == 0]
    first = unlabeled["a"] > 0
    expected = [*unlabeled["row"][first], *unlabeled["row"][~first]]
    assert_array_equal(ranked["row"], expected)


def test_every_unlabeled_row_is_there_once_with_its_score_and_probability(frame, model, folder):
    _, ranked = rank(model, folder, n_exact=100)
    expected = scores_of(model, frame)
    assert sorted(ranked["row"]) == sorted(expected.index)
    assert_array_equal(ranked["score"], expected[ranked["row"]])
    proba = model.predict_proba(frame.set_index("row").loc[ranked["row"], NAMES])[:, 1]
    assert_array_equal(ranked["probability"], proba)


def test_the_other_ranks_are_off_by_no_more_than_is_said(frame, model, folder, monkeypatch):
    class Coarse(_sketch.ScoreSketch):
        def __init__(self, n_exact):
            super().__init__(n_exact=n_exact, n_points=64)

    monkeypatch.setattr(module, "ScoreSketch", Coarse)
    found, ranked = rank(model, folder, n_exact=100)
    exact = scores_of(model, frame)[ranked["row"]].rank(ascending=False, method="min")
    rest = slice(100, None)
    error = np.abs(ranked["rank"].to_numpy()[rest] - np.maximum(exact.to_numpy()[rest], 101))
    assert 0 < error.max() <= found.rank_error
    assert found.rank_error < 0.3 * len(ranked)


def test_only_the_top_is_written_where_it_is_asked_for(model, folder):
    whole = rank(model, folder)[1]
    found, ranked = rank(model, folder, top=40)
    pd.testing.assert_frame_equal(ranked, whole[:40])
    assert (found.n_written, found.n_exact) == (40, 40)
    assert found.n_rows == len(whole)
    assert str(found).startswith(f"{len(whole):,} rows ranked, the first 40 in order. Written")


def test_without_labels_all_rows_are_ranked(frame, model, folder):
    path = folder.parent / "all.parquet"
    assert rank_parquet(model, folder, path).n_rows == len(frame)
    assert pq.read_schema(path).names == ["rank", "score", "probability"]


def test_columns_that_files_write_differently_are_kept_as_one(model, frame, tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    one, other = frame[:1000].assign(number=1), frame[1000:].assign(number=2**40)
    one.astype({"row": "category", "number": "int8"}).to_parquet(folder / "1.parquet")
    other.to_parquet(folder / "2.parquet")
    path = tmp_path / "ranked.parquet"
    rank_parquet(model, folder, path, keep=["row", "number"])
    kinds = pq.read_schema(path)
    assert kinds.field("number").type == pa.int64()
    ranked = pd.read_parquet(path)
    small = ranked["row"].isin(frame["row"][:1000])
    assert_array_equal(ranked["number"], np.where(small, 1, 2**40))


def test_a_ranking_that_fails_leaves_the_file_as_it_was(model, folder, monkeypatch):
    path = folder.parent / "ranked.parquet"
    path.write_text("mine")
    scratch = folder.parent / "scratch"
    scratch.mkdir()

    def fail(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "_add_numbers", fail)
    with pytest.raises(KeyboardInterrupt):
        rank_parquet(model, folder, path, folder=scratch)
    assert path.read_text() == "mine"
    assert sorted(one.name for one in folder.parent.iterdir()) == [
        "parts",
        "ranked.parquet",
        "scratch",
    ]
    assert not list(scratch.iterdir())


def test_bad_requests_get_a_sentence(frame, model, folder, tmp_path):
    path = tmp_path / "ranked.parquet"
    with pytest.raises(ValueError, match="is one of the files of the table"):
        rank_parquet(model, folder, folder / "part-0.parquet")
    with pytest.raises(ValueError, match=r"No column is called 'rwo'\. Did you mean row"):
        rank_parquet(model, folder, path, keep=["rwo"])
    other = write_parts(frame.drop(columns="b"), tmp_path / "other")
    with pytest.raises(ValueError, match="that the model was fitted on, got none named 'b'"):
        rank_parquet(model, other, path)
    inside = folder / "ranked.parquet"
    with pytest.raises(ValueError, match="must be outside of the folder of the table"):
        rank_parquet(model, folder, inside)
    assert not inside.exists()
    nameless = lopsided.build("naive-logistic").fit(
        frame[NAMES].fillna(0).to_numpy(), frame["fraud"]
    )
    with pytest.raises(ValueError, match="must know its columns by name"):
        rank_parquet(nameless, folder, path)
    assert not path.exists()


def test_kept_columns_come_once_and_under_names_that_are_free(frame, model, tmp_path):
    own = frame.assign(rank=7, rank_=8, score="s")
    folder, path = write_parts(own, tmp_path / "taken"), tmp_path / "ranked.parquet"
    rank_parquet(model, folder, path, keep=["row", "rank", "rank_", "row", "score"], top=5)
    ranked = pd.read_parquet(path)
    head = ["rank", "score", "probability"]
    assert list(ranked.columns) == [*head, "row", "rank__", "rank_", "score_"]
    assert_array_equal(ranked["rank"], [1, 2, 3, 4, 5])
    assert ranked.iloc[:, 4:].to_numpy().tolist() == [[7, 8, "s"]] * 5
