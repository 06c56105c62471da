"""A slice of the tables of benchmarks/generated_tables.py, and how they are judged."""

import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from attacks.sentences import check_said, check_sentence, generalize
from attacks.user_journeys import travel
from attacks.user_tables import draw_recipe
from attacks.verdicts import Finding
from generated_tables import for_each

CHUNK = 1000  # none of those of the benchmark, a hundred cases


def test_tables_of_any_kind_end_in_a_result_or_in_one_sentence(tmp_path):
    endings, defects = Counter(), {}

    def take(number, recipe):
        quick = replace(
            recipe,
            n_rows=min(recipe.n_rows, 30),
            method="naive-logistic",
            steps=frozenset(sorted(recipe.steps - {"report", "again"})[:1]),
        )
        folder = tmp_path / str(number)
        folder.mkdir()
        try:
            endings[travel(quick, folder).verdict] += 1
        except Finding as found:
            defects[number] = str(found)

    for_each(CHUNK, take)
    assert not defects
    assert sum(endings.values()) == 100
    assert min(endings["result"], endings["sentence"]) > 20  # else nothing was tried


def test_a_recipe_is_the_same_from_the_same_seed():
    assert draw_recipe([3, 4], (1, "x")) == draw_recipe([3, 4], (1, "x"))
    assert draw_recipe([3, 4], (1,)).seed != draw_recipe([3, 5], (1,)).seed


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("lopsided: Column 'y' must hold 1, got 2. Write 1.\n", None),
        ("note: a note.\nlopsided: Column 'y' must hold 1, got 2. Write 1.\n", None),
        ("lopsided: Column 'y' must hold 1.\nWrite 1.\n", "sentence"),
        ("lopsided: could not convert string to float: 'a'.\n", "sentence"),
        ("lopsided: " + "a long tale " * 50 + ".\n", "sentence"),
        ("Traceback (most recent call last):\nValueError: no.\n", "sentence"),
        ("", "sentence"),
    ],
)
def test_what_a_command_says_is_judged(said, verdict):
    if verdict is None:
        assert generalize(check_said(said)) == "Column … must hold N"
    else:
        with pytest.raises(Finding) as found:
            check_said(said)
        assert found.value.outcome.verdict == verdict


def test_an_error_that_nobody_raised_on_purpose_is_a_traceback():
    try:
        float("a")
    except ValueError as error:
        with pytest.raises(Finding, match="could not convert"):
            check_sentence(error)
