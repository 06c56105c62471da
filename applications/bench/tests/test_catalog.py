"""The peers are methods of lopsided, and keep what every method promises."""

import sys
from importlib.util import find_spec

import numpy as np
import pytest

import lopsided
from lopsided.exceptions import MissingExtraError
from lopsided.methods.registry import METHODS, get_method, list_methods
from lopsided.testing import contract_checks
from lopsided_bench.catalog import PEERS

NAMES = [peer.name for peer in PEERS]


def is_here(peer):
    try:
        return all(find_spec(package) is not None for package in peer.needs)
    except ModuleNotFoundError:  # blocked by --without
        return False


def test_the_entry_point_registers_the_peers():
    assert list_methods("peer") == NAMES
    assert not set(NAMES) & {method.name for method in METHODS}
    assert all(get_method(peer.name) is peer for peer in PEERS)


def test_every_entry_says_what_it_is_and_can_be_built():
    assert len(set(NAMES)) == len(NAMES)
    for peer in PEERS:
        assert peer.kind == "peer"
        assert peer.summary.endswith(".")
        assert peer.reference
        assert "Classifier" in repr(lopsided.build(peer.name))


def test_listing_the_peers_imports_nothing_heavy():
    import subprocess

    code = (
        "import sys, lopsided; lopsided.list_methods('peer'); "
        "print(set(sys.modules) & {'sklearn', 'pandas', 'catboost', 'pyod', 'matplotlib'})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "set()\n"


CHECKS = [
    pytest.param(check, id=f"{peer.name}-{name}")
    for peer in PEERS
    if is_here(peer)
    for name, check in contract_checks(peer.name)
]


@pytest.mark.parametrize("check", CHECKS)
def test_every_peer_keeps_the_contract(check):
    check()


@pytest.mark.parametrize("peer", PEERS, ids=NAMES)
def test_without_its_package_a_fit_says_what_to_install(peer, monkeypatch):
    (package,) = peer.needs
    for module in [one for one in sys.modules if one.partition(".")[0] == package]:
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setitem(sys.modules, package, None)
    X = np.random.default_rng(0).normal(size=(40, 2))
    prior = {"prior": 0.2} if peer.takes_prior else {}
    with pytest.raises(MissingExtraError, match=r"lopsided-bench\[peers\]"):
        lopsided.build(peer.name, **prior).fit(X, X[:, 0] > 1)
