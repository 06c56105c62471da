"""Public docstrings have a summary, all parameters and an example, which doctest runs."""

import inspect

import pytest
from numpydoc.docscrape import NumpyDocString
from numpydoc.validate import validate
from public_names import list_public

PUBLIC = list_public()
# Docstring, capital, period, parameters that are missing or unknown, example.
CODES = {"GL08", "SS02", "SS03", "PR01", "PR02", "EX01"}


@pytest.mark.parametrize("name", PUBLIC)
def test_a_docstring_is_complete(name):
    thing = PUBLIC[name]
    problems = {code: text for code, text in validate(name)["errors"] if code in CODES}
    attributes = NumpyDocString(inspect.getdoc(thing))["Attributes"]
    if inspect.isclass(thing) and (attributes or getattr(thing, "_is_protocol", False)):
        problems.pop("PR01", None)  # fields of a record are its attributes
    assert not problems
