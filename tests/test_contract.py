import pytest

from lopsided.methods.registry import list_methods
from lopsided.testing import contract_checks

CASES = [
    pytest.param(check, id=f"{method}-{name}")
    for method in list_methods("any")
    for name, check in contract_checks(method)
]


@pytest.mark.parametrize("check", CASES)
def test_every_method_keeps_the_contract(check):
    check()
