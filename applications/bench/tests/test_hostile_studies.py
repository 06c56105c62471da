"""Study files that nobody should write, and what is said of them."""

import time
from dataclasses import replace
from itertools import islice

import pytest

from lopsided.workflow.cli import main
from lopsided_bench.runner import check_size, plan
from lopsided_bench.study import MethodSpec, read_study
from lopsided_bench.trial import count_trials, trials

HEAD = """
title = "A try"
datasets = ["wine-rare"]
mechanisms = ["scar"]
"""
GOOD = HEAD + 'methods = ["naive-xgb"]\n'


def methods(*entries):
    return f"{HEAD}methods = [{', '.join(entries)}]\n"


def settings(text):
    return methods(f'{{ name = "ifpu-xgb", params = {{ {text} }} }}')


HOSTILE = {
    "nothing": ("", "needs title"),
    "binary": (bytes(range(256)), "must be TOML"),
    "utf-16": (GOOD.encode("utf-16"), "must be TOML"),
    "nul": ("\0" * 1000, "must be TOML"),
    "deep lists": ("title = " + "[" * 20_000, "nested deeper"),
    "deep lists that end": ("title = " + "[" * 90 + "]" * 90, "nested deeper"),
    "deep tables": ("title = " + "{ a = " * 5_000, "nested deeper"),
    "deep keys": (".".join("a" * 20_000) + " = 1", "nested deeper"),
    "deep headers": ("[" + ".".join("a" * 150) + "]\n" + "a = 1", "nested deeper"),
    "many bytes": (GOOD + "#" * 70_000, "at most 64000 bytes"),
    "many methods": (methods(*['"naive-xgb"'] * 100_000), "at most 64000 bytes"),
    "one method often": (methods(*['"naive-xgb"'] * 4_000), "naive-xgb twice"),
    "long text": (GOOD.replace("A try", "x" * 5_000), "at most 500 letters"),
    "long key": (f"{GOOD}{'x' * 5_000} = 1", "at most 500 letters"),
    "key twice": (GOOD + 'title = "again"', "must be TOML"),
    "unknown key": (GOOD + "repeat = 3", "Did you mean repeats"),
    "unicode key": (GOOD + '"répétitions \\u202e" = 3', "No entry is called"),
    "text of two lines": (GOOD.replace("A try", "A\\ntry"), "title must be a text of one line"),
    "escapes": (GOOD.replace("A try", "\\u001b[31m"), "title must be a text of one line"),
    "title of numbers": (GOOD.replace('"A try"', "[1, 2]"), "title must be a text"),
    "first": (f"{GOOD}first = {10**40}", "fit into 64 bits"),
    "first of 64 bits": (f"{GOOD}first = {2**63 - 1}", "first must be a whole number"),
    "digits": (f"{GOOD}first = {'9' * 5_000}", "must be TOML"),
    "hexadecimal digits": (f"{GOOD}seed = 0x{'f' * 5_000}", "fit into 64 bits"),
    "repeats": (f"{GOOD}repeats = {10**9}", "at most 500,000 trials, got 3,000,000,000"),
    "negative repeats": (f"{GOOD}repeats = -1", "repeats must be a whole number"),
    "repeats of nan": (f"{GOOD}repeats = nan", "repeats must be a whole number"),
    "repeats of a table": (f"{GOOD}repeats = {{ a = 1 }}", "repeats must be a whole number"),
    "repeats of a date": (f"{GOOD}repeats = 1979-05-27", "repeats must be a whole number"),
    "seed of a list": (f"{GOOD}seed = [0]", "seed must be a whole number"),
    "huge timeout": (f"{GOOD}timeout = 1e300", "timeout must be a number from"),
    "timeout below a tick": (f"{GOOD}timeout = 1e-300", "timeout must be a number from"),
    "infinite timeout": (f"{GOOD}timeout = inf", "timeout must be a number above 0"),
    "no test rows": (f"{GOOD}test_share = 1e-9", "must leave positives"),
    "no training rows": (f"{GOOD}test_share = 0.999999", "must leave positives"),
    "infinite factor": (f"{GOOD}prior_factors = [1.0, inf]", "prior_factors must be a number"),
    "factors of text": (f"{GOOD}prior_factors = ['1']", "prior_factors must be a number"),
    "many factors": (
        f"{GOOD}prior_factors = [{', '.join(map(str, range(1, 9_000)))}]\n"
        f"repeats = 9000".replace("naive-xgb", "ifpu-xgb"),
        "at most 500,000 trials",
    ),
    "metrics of lists": (f"{GOOD}metrics = [['roc_auc']]", "A metric must be a text"),
    "metrics of tables": (f"{GOOD}metrics = [{{ a = 1 }}]", "A metric must be a text"),
    "no mechanism": (GOOD.replace('["scar"]', "[]"), "mechanisms must be a list"),
    "mechanism of a number": (GOOD.replace('["scar"]', "[5]"), "must be a word or a table"),
    "kind of a list": (GOOD.replace('"scar"', "{ kind = ['scar'] }"), "must be a text"),
    "hidden nan": (
        GOOD.replace('"scar"', '{ kind = "scar", hidden = [nan] }'),
        "hidden must be a number",
    ),
    "hidden beyond": (
        GOOD.replace('"scar"', '{ kind = "scar", hidden = [1] }'),
        "hidden must be a number",
    ),
    "path": (GOOD.replace("wine-rare", "/etc/passwd"), "No dataset is called"),
    "path upwards": (GOOD.replace("wine-rare", "../../wine-rare"), "No dataset is called"),
    "datasets of a table": (GOOD.replace('["wine-rare"]', "{ a = 1 }"), "datasets must be"),
    "no method": (methods(), "methods must be a list that is not empty"),
    "method of a list": (methods("[" + "1, " * 9_000 + "1]"), "must be a word or a table"),
    "method without a name": (methods("{}"), "A method needs name"),
    "seeds from itself": (
        methods('{ name = "naive-xgb", label = "a", seed_from = "a" }'),
        "No method before it is called 'a'",
    ),
    "seeds from a number": (methods('{ name = "naive-xgb", seed_from = 5 }'), "must be a text"),
    "repeats of a method": (
        methods('{ name = "naive-xgb", repeats = 0.5 }'),
        "repeats of naive-xgb must be a whole number",
    ),
    "risk of a table": (settings("risk = { a = 1 }"), "risk of ifpu-xgb must be a number"),
    "risk of a text": (settings("risk = 'nnpu'"), "risk of ifpu-xgb must be a number"),
    "setting of a table": (settings("max_depth = { a = 1 }"), "max_depth of ifpu-xgb must"),
    "loss": (settings("loss = 'x'"), "loss of ifpu-xgb must be a number, a text"),
    "published of a table": (f"{GOOD}published = {{ a = 1 }}", "published must be a text"),
    "published elsewhere": (
        f"{GOOD}published = '../../x.csv'",
        "published must be a path from",
    ),
    "published nowhere": (f"{GOOD}published = 'x.csv'", "published must be a csv file"),
    "published folder": (f"{GOOD}published = '.'", "published must be a csv file"),
    "no setting": (settings("__class__ = 1"), "No parameter of ifpu-xgb is called"),
    "seed of a method": (settings("random_state = 1"), "is set by the study itself"),
}


@pytest.mark.parametrize(("content", "said"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_study_gets_one_sentence_at_once(content, said, tmp_path, capsys):
    path, out = tmp_path / "try.toml", tmp_path / "out"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    start = time.perf_counter()
    assert main(["bench", str(path), "--out", str(out)]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert "try.toml" in told or "The study try" in told
    assert told.count("\n") == 1
    assert len(told) < 1000
    assert time.perf_counter() - start < 30  # an endless one would take hours
    assert not out.exists()


FULL = """
title = TITLE
datasets = DATASETS
mechanisms = [{ kind = KIND, hidden = HIDDEN }, MECHANISM]
methods = [
    "naive-xgb",
    { name = NAME, label = LABEL, repeats = OFTEN, seed_from = SEEDS_OF, params = PARAMS },
]
metrics = METRICS
repeats = REPEATS
first = FIRST
seed = SEED
test_share = TEST
prior_factors = FACTORS
timeout = TIMEOUT
published = PUBLISHED
"""
FINE = {
    "TITLE": '"A try"',
    "DATASETS": '["wine-rare"]',
    "KIND": '"scar"',
    "HIDDEN": "[0.5]",
    "MECHANISM": '"sar-far"',
    "NAME": '"ifpu-xgb"',
    "LABEL": '"deep"',
    "OFTEN": "1",
    "SEEDS_OF": '"naive-xgb"',
    "PARAMS": "{ gamma = 1, max_depth = 3 }",
    "METRICS": '["roc_auc"]',
    "REPEATS": "2",
    "FIRST": "0",
    "SEED": "0",
    "TEST": "0.3",
    "FACTORS": "[1.0]",
    "TIMEOUT": "60",
    "PUBLISHED": '"try.toml"',
}
VALUES = [
    *("0", "-1", "1", "1.5", "nan", "-inf", "1e308", "true", "9223372036854775807"),
    *(
        '""',
        '"x"',
        '"paper"',
        '"\\u0000"',
        '"../x"',
        "'focused'",
        "1979-05-27T07:32:00Z",
        "07:32:00",
    ),
    *("[]", "[[]]", "[1]", "[nan]", '["a", 1]', "[true]", "[1.0, 1.0]", "[{}]", "[[[[1]]]]"),
    *(
        "{}",
        "{ a = 1 }",
        "{ a.b = [{}] }",
        "{ risk = 1 }",
        "{ estimators = [1] }",
        "{ clamp = 'x' }",
    ),
]


def fill(path, **changes):
    text = FULL
    for word, value in {**FINE, **changes}.items():
        text = text.replace(word, value)
    path.write_text(text)
    return path


@pytest.mark.parametrize("word", FINE)
def test_whatever_stands_anywhere_is_a_study_or_a_sentence(word, tmp_path):
    path = tmp_path / "try.toml"
    assert count_trials(read_study(fill(path))) > 0
    for value in VALUES:
        told = say(fill(path, **{word: value}))
        assert told == "" or ("try" in told and "\n" not in told)


def say(path):
    """Return what is wrong with a study, in the words of the only error that may come."""
    try:
        check_size(read_study(path))
    except ValueError as error:
        return str(error)
    return ""


def test_a_file_whose_name_is_dots_is_refused(tmp_path):
    path = tmp_path / "...toml"  # its results would go beside its folder
    path.write_text(GOOD)
    with pytest.raises(ValueError, match="A study needs a name"):
        read_study(path)


def test_trials_are_counted_as_they_are_enumerated(tmp_path):
    path = tmp_path / "try.toml"
    path.write_text(
        methods('"xgb"', '"spy"', '{ name = "ifpu-xgb", repeats = 2 }', '"pu-bagging"')
        + 'prior_factors = [0.5, 1, 1.0, 2]\nrepeats = 3\nfirst = 100\nmetrics = "roc_auc"\n'
    )
    study = read_study(path)
    hashes = dict.fromkeys(study.datasets, "")
    found = list(trials(study, hashes))
    assert count_trials(study) == len(found) == len({trial.key for trial in found})
    assert {trial.repeat for trial in found} == {100, 101, 102}


def test_trials_of_an_endless_study_come_one_by_one(tmp_path):
    path = tmp_path / "try.toml"
    path.write_text(GOOD)
    endless = replace(read_study(path), repeats=10**9)
    found = list(islice(trials(endless, {"wine-rare": ""}), 9))
    assert [trial.repeat for trial in found] == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    for refuse in (check_size, lambda study: plan(study, tmp_path)):
        with pytest.raises(ValueError, match="at most 500,000 trials, got 3,000,000,000"):
            refuse(endless)
    # A repeat in which no method takes part is none.
    short = replace(endless, methods=(MethodSpec("naive", "naive-xgb", repeats=1),))
    assert len(list(trials(short, {"wine-rare": ""}))) == count_trials(short) == 3
