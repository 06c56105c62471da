"""Every public name says what it is, what it takes and how it is used."""

import doctest
import inspect

import pytest
from numpydoc.docscrape import NumpyDocString
from public_names import list_public

PUBLIC = list_public()
assert len(PUBLIC) > 150
# `+SKIP` on the line that matters: what an example must not do, and why.
SKIPPED = {
    "lopsided_bench.runner.run_study": "starts processes, which take seconds each",
    "lopsided.export.to_treelite": "prints a number that treelite's versions may change",
    "lopsided_bench.peers.XGBODClassifier": "imports PyOD, which takes seconds",
}


def parse(thing):
    return NumpyDocString(inspect.cleandoc(thing.__doc__ or ""))


def list_parameters(thing):
    """Return the names that a caller can give, those of exceptions and protocols left out."""
    if inspect.isclass(thing):
        if issubclass(thing, Exception) or getattr(thing, "_is_protocol", False):
            return []
        if thing.__init__ is object.__init__ and thing.__new__ is object.__new__:
            return []
    return list(inspect.signature(thing).parameters)


def list_documented(thing):
    """Return the names that a docstring explains; of a class, attributes too."""
    told = parse(thing)
    sections = ("Parameters", "Attributes") if inspect.isclass(thing) else ("Parameters",)
    return {
        name.strip().lstrip("*")
        for section in sections
        for entry in told[section]
        for name in entry.name.split(",")
    }


@pytest.mark.parametrize("name", PUBLIC)
def test_the_summary_is_one_sentence(name):
    thing = PUBLIC[name]
    assert "__doc__" in vars(thing) or inspect.isfunction(thing), "the docstring is a parent's"
    summary = inspect.cleandoc(thing.__doc__).splitlines()[0]
    assert summary.endswith("."), summary
    assert summary[0].isupper(), summary


@pytest.mark.parametrize("name", PUBLIC)
def test_every_parameter_is_explained(name):
    thing = PUBLIC[name]
    missing = set(list_parameters(thing)) - list_documented(thing)
    assert not missing, f"{name} does not explain {sorted(missing)}"


@pytest.mark.parametrize("name", PUBLIC)
def test_no_parameter_is_explained_that_is_not_there(name):
    thing = PUBLIC[name]
    told = {
        part.strip().lstrip("*")
        for entry in parse(thing)["Parameters"]
        for part in entry.name.split(",")
    }
    stale = told - set(list_parameters(thing))
    assert not stale, f"{name} explains {sorted(stale)}, which it does not take"


@pytest.mark.parametrize("name", PUBLIC)
def test_an_example_runs(name):
    """That its output is right, the examples themselves say when they are run as tests."""
    lines = doctest.DocTestParser().get_examples("\n".join(parse(PUBLIC[name])["Examples"]))
    skipped = [line for line in lines if line.options.get(doctest.SKIP)]
    assert len(lines) > len(skipped), f"{name} has no example"
    assert bool(skipped) == (name in SKIPPED), skipped


def test_every_line_that_is_skipped_is_one_of_a_public_name():
    assert set(SKIPPED) <= set(PUBLIC)
