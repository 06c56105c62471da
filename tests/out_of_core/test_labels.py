"""Labels of a table in batches are those of the whole table."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_array_equal
from parts import write_parts

from lopsided.out_of_core.fitting import read_label_column
from lopsided.out_of_core.parquet import open_parquet
from lopsided.workflow.tables import read_labels

WORDS = np.array(["fraud", "cleared", "", None, "open"], object)


@pytest.fixture
def words(tmp_path):
    column = WORDS[np.random.default_rng(0).integers(0, 5, 600)]
    return column, open_parquet(write_parts(pd.DataFrame({"y": column}), tmp_path / "words"))


def read(column, folder, *named):
    table = open_parquet(write_parts(pd.DataFrame({"y": column}), folder))
    return read_label_column(table, "y", *named)


def test_words_are_read_as_in_memory(words):
    column, table = words
    expected = read_labels(column, "y", "fraud", "cleared")
    assert_array_equal(read_label_column(table, "y", "fraud", "cleared"), expected)


@pytest.mark.parametrize(
    "column",
    [
        pd.array([1, 0, -1, None] * 9, "Int64"),
        pd.array([True, False, None] * 9, "boolean"),
        [1.0, 0.0, -1.0, np.nan] * 9,
        ["1", "0", "-1", None] * 9,
        pd.Categorical(["1", "0", None] * 9, categories=["1", "0", "maybe"]),
    ],
    ids=["Int64", "boolean", "float", "text", "category"],
)
def test_marks_are_read_as_in_memory(column, tmp_path):
    assert_array_equal(read(column, tmp_path), read_labels(column, "y"))


@pytest.mark.parametrize(
    ("named", "meant"),
    [(("fraud", "cleard"), "cleared"), (("fruad", "cleared"), "fraud")],
)
@pytest.mark.parametrize("need_labeled", [True, False])
def test_a_typo_in_a_named_value_is_refused(words, named, meant, need_labeled):
    with pytest.raises(ValueError, match=f"No row of column 'y' .* Did you mean '{meant}'"):
        read_label_column(words[1], "y", *named, need_labeled=need_labeled)


def test_a_value_in_one_part_alone_is_no_typo(tmp_path, recwarn):
    column = ["cleared"] + ["fraud", ""] * 300
    assert (read(column, tmp_path, "fraud", "cleared")[:2] == [-1, 1]).all()
    assert not recwarn.list


def test_a_month_without_a_named_value_is_warned_of_where_it_is_learned_from(words):
    with pytest.warns(UserWarning, match="there is no reviewed negative to learn from"):
        read_label_column(words[1], "y", "fraud", "refuted")


def test_a_column_of_many_values_is_no_reason_to_keep_them_all(tmp_path):
    column = [f"case {place}" for place in range(3000)] + ["cleared", "fraud"]
    labels = read(column, tmp_path, "fraud", "cleared")
    assert labels[-2:].tolist() == [-1, 1]
    assert not labels[:-2].any()


def test_labels_that_are_no_single_values_or_all_missing_get_a_sentence(tmp_path):
    pq.write_table(pa.table({"y": [[1], [0]]}), tmp_path / "lists.parquet")
    with pytest.raises(ValueError, match="'y' must be single values, got list"):
        read_label_column(open_parquet(tmp_path / "lists.parquet"), "y")
    assert not read([None] * 9, tmp_path / "missing").any()
