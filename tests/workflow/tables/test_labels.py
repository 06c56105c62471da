import numpy as np
import pandas as pd
import polars as pl
import pytest

from lopsided.workflow.tables import find_columns, read_labels


@pytest.mark.parametrize(
    ("labels", "positive"),
    [
        ([1, 0, 0, 1], None),
        ([1.0, np.nan, 0.0, 1.0], None),
        ([True, False, False, True], None),
        (["true", "", None, "True"], None),
        (["yes", "no", None, "yes"], "yes"),
        ([" Yes", "no", None, "yes "], "yes"),
        (["NA", "open", "", "NA"], "NA"),
        ([True, False, False, True], "true"),
        ([3, 2, 1, 3], "3"),
        ([3.0, np.nan, 1.0, 3.0], "3"),
        ([3, 2, 1, 3], 3),
        (pl.Series([1, 0, None, 1]), None),
        (pd.Series([1, 0, 0, 1], index=[7, 7, 3, 1]), None),
    ],
    ids=range(13),
)
def test_labels_are_read_in_the_forms_they_come_in(labels, positive):
    found = read_labels(labels, "y", positive)
    assert found.tolist() == [1, 0, 0, 1]
    assert found.dtype == np.int8


@pytest.mark.parametrize(
    ("labels", "positive", "negative"),
    [
        ([1, 0, -1, 1], None, None),
        ([1.0, np.nan, -1.0, 1.0], None, None),
        (pd.array([1, None, -1, 1], dtype="Int8"), None, None),
        (pd.array([1, None, -1, 1], dtype="int64[pyarrow]"), None, None),
        (["1", "", "-1", "1"], None, None),
        (["1.0", "-", "-1.0", " 1"], None, None),
        ([True, None, "cleared", True], None, "cleared"),
        (["yes", "", "no", "yes"], "yes", "no"),
        (pd.array(["yes", None, "No ", "Yes"], dtype="string"), "yes", "no"),
        (pd.Categorical(["fraud", "open", "cleared", "fraud"]), "fraud", "cleared"),
        ([3, 2, 9, 3], "3", "9"),
        ([3, 2, -1, 3], "3", "-1"),
        ([2, 0, -1, 2], "2", None),
        (["yes", "", "-1.0", "yes"], "yes", None),
        ([1, None, 0, 1], "1", "0"),
        ([1, None, 0, 1], None, "0"),
    ],
    ids=range(16),
)
def test_reviewed_negatives_are_read_in_the_forms_they_come_in(labels, positive, negative):
    assert read_labels(labels, "y", positive, negative).tolist() == [1, 0, -1, 1]


def test_a_column_without_labels_is_read_and_one_without_unlabeled_rows_refused():
    assert read_labels(["", None, "0"], "y").tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match=r"unlabeled rows \(0\) too, got 1 .* 2 reviewed"):
        read_labels([1, -1, -1], "y")


def test_positives_may_be_written_as_minus_one():
    assert read_labels([-1, 0, 1], "y", "-1").tolist() == [1, 0, 0]


def test_values_that_cannot_be_told_apart_are_refused():
    labels = ["yes", "no", ""]
    with pytest.raises(ValueError, match="values of their own, got 'yes' for both"):
        read_labels(labels, "y", "yes", " Yes")


def test_unclear_labels_are_refused_with_the_values_found_and_the_options():
    with pytest.raises(ValueError, match=r"got no, yes\. Name the value of the positives"):
        read_labels(["yes", "no"], "y")
    with pytest.raises(ValueError, match=r"No row of column 'y' is 'maybe', got 'yes', 'no'"):
        read_labels(["yes", "no"], "y", "maybe")


@pytest.mark.parametrize(
    ("labels", "missing"),
    [
        (["confirmed", "", "confirmed"], "cleared"),
        (["confirmed", "open", ""], "cleared"),
        (["cleared", "", None], "confirmed"),
        (["cleared", "0", "0"], "confirmed"),
        (["cleared", "open", "open"], "confirmed"),
        (["cleared", "Offen", "not reviewed", " TODO "], "confirmed"),
    ],
)
def test_a_month_without_one_of_the_named_values_is_read_with_a_warning(labels, missing):
    with pytest.warns(UserWarning, match=f"No row of column 'y' is '{missing}'"):
        found = read_labels(labels, "y", "confirmed", "cleared")
    words = {"confirmed": 1, "cleared": -1}
    assert found.tolist() == [words.get(label, 0) for label in labels]


@pytest.mark.parametrize("word", ["open", "Pending", "NEW", "not_reviewed", "offen"])
@pytest.mark.filterwarnings("ignore:No row of column 'y' is 'cleared'")
def test_a_month_that_nobody_has_looked_at_is_read_with_a_warning(word):
    with pytest.warns(UserWarning, match="there is no labeled positive to learn from"):
        found = read_labels([word] * 3, "y", "confirmed", "cleared")
    assert found.tolist() == [0, 0, 0]
    assert read_labels([word, "x"], "y", word).tolist() == [1, 0]  # unless somebody says so


def test_codes_of_other_digits_are_no_typos():
    with pytest.warns(UserWarning, match="No row of column 'y' is 'S-10'"):
        assert read_labels(["S-20", "S-11", ""], "y", "S-20", "S-10").tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["confirmed", "clear", ""], r"'cleared'\. Did you mean 'clear' \(negative=\.\.\.\)"),
        (["Confirm", "cleared", ""], r"'confirmed'\. Did you mean 'Confirm'"),
        (
            ["fraud", "cleared", ""],
            r"'confirmed', got 'fraud', 'cleared', \.\.\.\. Name the value of the positives "
            r"\(positive=\.\.\.\); if there is none, leave the cells of unlabeled rows blank",
        ),
        (["fraud", "open", ""], r"'confirmed', got 'fraud', 'open'"),
    ],
)
def test_a_name_that_seems_to_be_wrong_is_refused(labels, message):
    with pytest.raises(ValueError, match=f"No row of column 'y' is {message}"):
        read_labels(labels, "y", "confirmed", "cleared")


def test_columns_are_found_by_name_or_by_names_with_commas():
    names = ["city", "notes", "Smith, J."]
    assert find_columns(["notes,city", "Smith, J."], names) == ("notes", "city", "Smith, J.")
    with pytest.raises(ValueError, match=r"No column is called 'note'\. Did you mean notes"):
        find_columns(["note"], names)


def test_a_code_with_an_underscore_is_no_number():
    codes = ["1_0", "10", "10.0", ""]
    assert read_labels(codes, "code", "10", need_labeled=False).tolist() == [0, 1, 1, 0]
