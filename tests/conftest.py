"""Settings that keep tests deterministic and off the network."""

import os
import sys

os.environ.setdefault("LOPSIDED_OFFLINE", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")


def pytest_addoption(parser):
    parser.addoption(
        "--without", action="append", default=[], help="act as if a package were not installed"
    )


def pytest_configure(config):
    for package in config.getoption("--without"):
        sys.modules[package] = None
