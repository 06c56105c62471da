"""Parts of a table add up to what a fit of the whole table knows and checks."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import lopsided
from lopsided.methods.distributed import as_method, know_columns
from lopsided.methods.row_sample import merge_samples, sample_part
from lopsided.methods.table_summary import merge_summaries, summarize_part


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=300), "b": rng.integers(0, 9, 300)})
    X["kind"] = pd.Categorical(rng.choice(["x", "y", "z"], 300), ["z", "y", "x", "unused"])
    y = (rng.random(300) < 0.2).astype(int)
    y[:9] = -1
    weight = rng.integers(0, 3, 300).astype(float)
    return X, y, weight


def cut(table, places):
    ends = [0, *places, 300]
    return [tuple(one[i:j] for one in table) for i, j in pairwise(ends)]


@pytest.mark.parametrize("places", [[], [100], [0, 50, 50, 299]])
def test_a_summary_does_not_depend_on_how_rows_are_cut(table, places):
    X, y, weight = table
    found = merge_summaries([summarize_part(*part) for part in cut(table, places)])
    whole = summarize_part(*table)
    assert found.checksum == whole.checksum
    assert found.counts == whole.counts
    assert found.weights == pytest.approx(whole.weights)
    assert not found.unweighted
    model = know_columns(as_method("ifpu-xgb"), found)
    local = lopsided.build("ifpu-xgb", prior=0.3, n_estimators=1).fit(X, y, weight)
    assert model.category_levels_ == local.category_levels_ == {"kind": ("x", "y", "z")}
    assert model.categorical_ == local.categorical_
    assert list(model.feature_names_in_) == list(local.feature_names_in_)


def test_any_change_of_a_row_changes_the_checksum(table):
    X, y, weight = table
    before = summarize_part(X, y, weight).checksum
    assert summarize_part(X[::-1], y[::-1], weight[::-1]).checksum == before
    swapped = X.assign(a=X["a"].iloc[[1, 0, *range(2, 300)]].to_numpy())
    kinds = X.assign(kind=X["kind"].where(X.index != 4, "z" if X["kind"][4] != "z" else "x"))
    others = [
        (swapped, y, weight),
        (kinds, y, weight),
        (X, np.where(np.arange(300) == 9, 1 - y[9], y), weight),
        (X, y, weight + (np.arange(300) == 5)),
    ]
    assert before not in [summarize_part(*other).checksum for other in others]


TABLES = {
    "whole numbers": lambda rng: rng.integers(0, 40, (200, 3)).astype(float),
    "0 and 1": lambda rng: rng.integers(0, 2, (200, 12)).astype(float),
    "short numbers": lambda rng: rng.normal(size=(200, 3)).astype(np.float32),
}


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("what", ["a label moves", "a cell moves", "labels are shuffled"])
def test_what_moves_from_row_to_row_changes_the_checksum(kind, what):
    rng = np.random.default_rng(0)
    X = TABLES[kind](rng)
    y = (rng.random(200) < 0.1).astype(int)
    before, rows = summarize_part(X, y).checksum, np.column_stack([y, X])
    same = []
    for _ in range(150):
        others = rows.copy()
        i, j = rng.choice(200, 2, replace=False)
        column = rng.integers(1, rows.shape[1])
        if what == "a label moves":
            others[[i, j], 0] = others[[j, i], 0]
        elif what == "a cell moves":
            others[[i, j], column] = others[[j, i], column]
        else:
            others[:, 0] = rng.permutation(others[:, 0])
        is_same_table = sorted(map(tuple, others)) == sorted(map(tuple, rows))
        found = summarize_part(others[:, 1:], others[:, 0]).checksum
        same.append((found == before) == is_same_table)
    assert all(same)


def test_columns_that_can_be_missing_are_summed_up_as_floats(table):
    X, y, weight = table
    flag = (X["a"] > 1).astype(float).where(X["b"] > 2)
    floats = X.assign(a=X["a"].where(X["b"] > 3), b=X["b"].where(X["a"] > 0), c=flag)
    nullable = floats.astype({"a": "Float64", "b": "Int64", "c": "boolean"})
    one, two = (summarize_part(some, y, weight) for some in (nullable, floats))
    assert one.checksum == two.checksum
    pd.testing.assert_frame_equal(one.head, two.head)


def test_a_level_without_weight_is_dropped_as_on_one_machine(table):
    X, y, weight = table
    weight = np.where(X["kind"] == "y", 0.0, weight)
    assert summarize_part(X, y, weight).category_levels == {"kind": ("x", "z")}


@pytest.mark.parametrize(("label", "told"), [(0, "labeled positives"), (1, "unlabeled rows")])
def test_a_table_of_one_kind_of_rows_is_refused(table, label, told):
    X, _, weight = table
    with pytest.raises(ValueError, match=f"y.*{told}"):
        summarize_part(X, np.full(300, label), weight).check()


def test_a_sample_keeps_what_is_known_and_stands_for_the_rest(table):
    X, y, _ = table
    parts = cut((X, y, np.ones(300)), [0, 120])
    sample = merge_samples(
        [sample_part(*part, size=40, seed=[0, i]) for i, part in enumerate(parts)]
    )
    assert (sample.labels == 1).sum() == (y == 1).sum()
    assert (sample.labels == -1).sum() == (y == -1).sum()
    assert (sample.labels == 0).sum() == 40
    assert np.average(sample.labels == 1, weights=sample.sample_weight) == pytest.approx(
        (y == 1).mean()
    )
    summary = merge_summaries([summarize_part(*part) for part in parts])
    assert list(sample.table(summary)["kind"].cat.categories) == ["x", "y", "z"]


def test_every_unlabeled_row_is_as_likely_to_be_sampled(table):
    X, y, _ = table
    parts = cut((X, y, np.ones(300)), [20, 200])
    drawn = np.zeros(300)
    for seed in range(400):
        samples = [sample_part(*p, size=30, seed=[seed, i]) for i, p in enumerate(parts)]
        found = merge_samples(samples)
        places = pd.Series(np.arange(300), X["a"])[found.X["a"]].to_numpy()
        drawn[places] += 1
    n_unlabeled = (y == 0).sum()
    share = drawn[y == 0] / 400
    assert share.mean() == pytest.approx(30 / n_unlabeled)
    assert share.std() < 2 * np.sqrt(30 / n_unlabeled / 400)
