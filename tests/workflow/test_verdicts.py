"""What reviewers wrote is read as it was meant, or refused: no verdict is lost."""

import pandas as pd
import pytest

from lopsided.workflow.roles import Roles
from lopsided.workflow.verdicts import read_verdicts

ROLES = Roles("fraud", id="claim")


def read(verdicts, *words, column="verdict", roles=ROLES):
    frame = pd.DataFrame({"claim": [f"c{i}" for i in range(len(verdicts))], column: verdicts})
    found = read_verdicts(frame, roles, *words)
    return dict(zip(found.ids, found.verdicts.tolist(), strict=True))


@pytest.mark.parametrize(
    "verdicts",
    [
        [1, None, -1],
        ["1", "", "-1"],
        ["yes", "n/a", "No"],
        ["Confirmed", " ", "CLEARED"],
        [1.0, float("nan"), -1.0],
        [True, None, False],
    ],
    ids=str,
)
def test_verdicts_are_read_as_they_are_written(verdicts):
    assert read(verdicts) == {"c0": 1, "c2": -1}


def test_values_can_be_named():
    assert read(["bad", "good", ""], None, "bad", "good") == {"c0": 1, "c1": -1}


@pytest.mark.parametrize("verdicts", [["1", "maybe"], ["1", "2"], ["yes", "unclear"]])
def test_a_word_that_is_no_verdict_is_refused_and_not_dropped(verdicts):
    with pytest.raises(ValueError, match=f"got {verdicts[1]}. Name other values"):
        read(verdicts)


def test_zero_might_mean_either():
    with pytest.raises(ValueError, match="0 might mean either: write -1 for a negative"):
        read([1, 0, 0])


def test_in_the_label_column_zero_is_undecided():
    assert read([1, 0, -1, None], column="fraud") == {"c0": 1, "c2": -1}
    roles = Roles("status", "confirmed", "cleared", "claim")
    found = read(["confirmed", "open", "cleared"], column="status", roles=roles)
    assert found == {"c0": 1, "c2": -1}


def test_a_table_without_verdicts_is_refused():
    with pytest.raises(ValueError, match="must hold verdicts, got none"):
        read(["", None])
    with pytest.raises(ValueError, match="must have a column 'verdict' or 'fraud', got claim"):
        read([1], column="opinion")
