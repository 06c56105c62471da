import numpy as np
import pytest

from lopsided._check import _EXTRAS, require
from lopsided.exceptions import MissingExtraError
from lopsided.methods.registry import build, get_method, list_methods
from lopsided.testing import contract_checks


def is_missing(package):
    try:
        require(package)
    except MissingExtraError:
        return True
    return False


def lacks(method):
    return any(map(is_missing, get_method(method).needs))


CASES = [
    pytest.param(
        check,
        id=f"{method}-{name}",
        marks=[] if get_method(method).needs else [pytest.mark.no_extras],
    )
    for method in list_methods("any")
    if not lacks(method)
    for name, check in contract_checks(method)
]
OTHERS = [method for method in list_methods("any") if lacks(method)]


@pytest.mark.parametrize("check", CASES)
def test_every_method_keeps_the_contract(check):
    check()


@pytest.mark.skipif(not OTHERS, reason="every optional package is installed")
@pytest.mark.parametrize("method", OTHERS or [None])
def test_a_method_that_lacks_a_package_says_what_to_install(method):
    X = np.random.default_rng(0).normal(size=(40, 2))
    extra = _EXTRAS[get_method(method).needs[0]]
    with pytest.raises(MissingExtraError, match=rf"pip install 'lopsided\[{extra}\]'"):
        build(method).fit(X, X[:, 0] > 1)
