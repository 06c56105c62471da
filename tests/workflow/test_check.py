"""What will hurt is found before anything is fitted."""

import numpy as np
import pandas as pd
import pytest

import lopsided

ROLES = {"label": "status", "positive": "confirmed", "negative": "cleared", "id": "claim_no"}


def texts(found, level="problem"):
    return [one.text for one in found.findings if one.level == level]


def check(table, **words):
    return lopsided.check(table, **{**ROLES, **words}, n_jobs=1)


@pytest.fixture(scope="module")
def healthy(claims):
    return check(claims.table)


def test_a_healthy_table_has_no_problem(claims, healthy):
    assert not healthy.problems
    assert healthy.counts == {
        1: (claims.table["status"] == "confirmed").sum(),
        0: (claims.table["status"] == "").sum(),
        -1: (claims.table["status"] == "cleared").sum(),
    }
    assert "Nothing was found that will hurt." in str(healthy)
    assert any(text.startswith("There is signal") for text in texts(healthy, "note"))


def test_a_column_that_gives_the_label_away_is_named(claims):
    known = claims.table["status"] == "confirmed"
    leak = claims.table.assign(case_handler=np.where(known, "fraud desk", ""))
    assert any("'case_handler' gives the label away" in text for text in texts(check(leak)))


def test_duplicates_are_counted_and_twins_of_labeled_rows_are_a_problem(claims):
    table = claims.table
    unlabeled = table[table["status"] == ""].head(7)
    doubled = pd.concat([table, unlabeled.assign(claim_no="again")])
    assert any("7 rows repeat another row" in text for text in texts(check(doubled), "note"))
    known = table[table["status"] == "confirmed"].head(3)
    twins = pd.concat([table, known.assign(status="", claim_no="twin")])
    assert any(
        "3 unlabeled rows are twins of a labeled one" in text for text in texts(check(twins))
    )


def test_a_table_of_few_distinct_rows_is_called_coarse(claims):
    coarse = claims.table[["claim_no", "photos", "channel", "status"]]
    found = check(coarse)
    assert any("tell few rows apart" in text for text in texts(found, "note"))
    assert not any("twins" in text for text in texts(found))


@pytest.mark.parametrize("n_labeled", [0, 1, 3])
def test_few_labels_are_said_to_make_a_weak_list(claims, n_labeled):
    known = claims.table.index[claims.table["status"] == "confirmed"][:n_labeled]
    table = claims.table.assign(status=claims.table.index.isin(known).astype(int))
    said = texts(check(table, positive=None, negative=None))
    wanted = f"Only {n_labeled} row" if n_labeled else "No row is labeled"
    assert any(text.startswith(wanted) for text in said)


def test_values_that_may_be_verdicts_are_asked_about(claims, healthy):
    found = check(claims.table, negative=None)
    assert any("also holds 'cleared'" in text for text in texts(found, "note"))
    assert not any("also holds" in text for text in texts(healthy, "note"))


def test_labels_at_random_are_told_to_have_no_signal(claims):
    rng = np.random.default_rng(1)
    noise = claims.table[["claim_no", "photos", "age", "channel"]].assign(
        status=np.where(rng.random(len(claims.table)) < 0.05, "confirmed", "")
    )
    assert any("no signal was found" in text for text in texts(check(noise, negative=None)))


def test_ids_that_come_twice_may_be_groups(claims):
    table = claims.table.assign(claim_no=np.arange(len(claims.table)) // 2)
    (said,) = [text for text in texts(check(table), "note") if "name it as the group" in text]
    assert said.startswith("800 rows share 400 ids of column 'claim_no', two or more each.")


def test_a_fit_keeps_what_was_found(claims):
    known = claims.table["status"] == "confirmed"
    leak = claims.table.assign(case_handler=np.where(known, "fraud desk", ""))
    model = lopsided.fit(leak, **ROLES, method="naive-logistic")
    assert any("gives the label away" in one.text for one in model.findings)


def write_amounts(share, rng):
    """Return amounts, a share of them as Germans write them."""
    amounts = rng.lognormal(7, 1, 800)
    german = str.maketrans(",.", ".,")
    return [
        f"{amount:,.2f} €".translate(german) if other else f"${amount:,.2f}"
        for amount, other in zip(amounts, rng.random(800) < share, strict=True)
    ]


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_numbers_in_two_writings_are_a_problem(claims, share):
    cells = write_amounts(share, np.random.default_rng(0))
    found = check(claims.table.assign(amount=cells))
    (said,) = [text for text in texts(found) if "'amount'" in text]
    assert "decimal point" in said or "decimal comma" in said
    assert said.endswith("Write all alike.")
    assert "Nothing was found" not in str(found)


@pytest.mark.parametrize(
    ("word", "level"), [("see page 4", "problem"), ("on request", "note")], ids=str
)
def test_many_cells_that_cannot_be_read_are_told(claims, word, level):
    rng = np.random.default_rng(0)
    for share, is_told in ((0.2, True), (0.01, False)):
        lost = rng.random(800) < share
        cells = np.where(lost, word, rng.integers(1, 10**5, 800).astype(str))
        said = texts(check(claims.table.assign(extra=cells)), level)
        told = [text for text in said if "'extra' cannot be read as numbers" in text]
        assert bool(told) == is_told
        if told:
            assert told[0].startswith(f"{lost.sum()} of 800 cells (")
            assert told[0].endswith("Correct them, or say what the column holds (types=...).")


@pytest.mark.parametrize(
    "names",
    [
        [f"10.{i // 250}.{i % 250}.{i % 7}" for i in range(800)],
        [f"{i // 8}.{i % 8}-{i:04d}" for i in range(800)],
        [f"{i:03d}.{i * 7:03d}.{i * 3:04d}" for i in range(800)],
        [f"{1000 + i}" for i in range(800)],
        [f"INV,{i}.{i % 9}" for i in range(800)],
        [f"{i * 37 % 997}.{100 + i}" for i in range(800)],
    ],
    ids=range(6),
)
def test_names_of_rows_are_no_numbers_in_two_writings(claims, names):
    found = check(claims.table.assign(extra=names))
    assert not any("'extra'" in text for text in texts(found))
