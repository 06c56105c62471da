"""What Python is told of a table, and at which line."""

import warnings

import numpy as np
import pytest

import lopsided
from lopsided.exceptions import FindingWarning
from lopsided.workflow.cli import main
from lopsided.workflow.tables import TableCleaner, write_table

ROLES = {"label": "status", "positive": "confirmed", "id": "claim_no"}
QUICK = {"method": "naive-logistic", "prior": 0.1}


@pytest.fixture(scope="module")
def leaky(claims):
    """Claims with a column that was filled in when they were paid back."""
    frame = claims.table.head(600)
    return frame.assign(paid_back=np.where(frame["status"] == "confirmed", "yes", ""))


@pytest.mark.parametrize("run", [lopsided.fit, lopsided.rank])
def test_what_will_hurt_is_warned_of_once_at_the_line_of_the_user(leaky, run):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        run(leaky, **ROLES, **QUICK)
    found = [one for one in said if "gives the label away" in str(one.message)]
    assert len(found) == 1
    assert found[0].category is FindingWarning
    assert {one.filename for one in said} == {__file__}


def test_notes_are_kept_and_not_warned_of(leaky):
    plain = leaky.drop(columns="paid_back")
    with warnings.catch_warnings():
        warnings.simplefilter("error", FindingWarning)
        model = lopsided.fit(plain, **ROLES, **QUICK)
    assert "(negative=...)" in next(one.text for one in model.findings if one.level == "note")


def test_the_command_line_says_a_problem_once_and_names_its_options(leaky, tmp_path, capsys):
    write_table(leaky, tmp_path / "t.csv")
    words = ["rank", str(tmp_path / "t.csv"), "--label", "status", "--positive", "confirmed"]
    assert main([*words, "--method", "naive-logistic", "--prior", "0.1", "--jobs", "1"]) == 0
    said = capsys.readouterr().err
    assert said.count("gives the label away") == 1
    assert "problem: Column 'paid_back'" in said
    assert "(--negative)" in said
    assert "=..." not in said


def test_a_table_without_labels_is_said_to_be_ranked_without_them_once(leaky):
    blank = leaky.drop(columns="paid_back").assign(status="")
    with pytest.warns(UserWarning, match="No row is labeled: the ranking is") as said:
        model = lopsided.fit(blank, **ROLES)
    assert len([one for one in said if "No row is labeled" in str(one.message)]) == 1
    cleared = blank.head(9).assign(verdict="cleared")
    with pytest.warns(UserWarning, match="stays unsupervised"):
        model.feedback(cleared)


def test_a_parameter_is_named_as_python_has_it(leaky):
    with pytest.raises(ValueError, match=r"the positives \(positive=\.\.\.\)"):
        lopsided.fit(leaky, "status")


def test_warnings_through_scikit_learn_point_to_the_user_too(leaky):
    cleaner = TableCleaner().fit(leaky)
    with pytest.warns(UserWarning, match="The table lacks column") as said:
        cleaner.transform(leaky.drop(columns="paid_back"))
    assert said[0].filename == __file__


def test_new_categories_are_told_from_a_small_share_on(leaky):
    cleaner = TableCleaner(types={"channel": "category"}).fit(leaky)
    few, many = (leaky.copy() for _ in range(2))
    few.loc[few.index[:20], "channel"] = "Atlantis"
    many.loc[many.index[:60], "channel"] = "Atlantis"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cleaner.transform(few)
    with pytest.warns(UserWarning, match=r"60 of .*'channel' \(10 %\) .*'Atlantis'"):
        cleaner.transform(many)
