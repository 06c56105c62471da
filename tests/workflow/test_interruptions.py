"""Whoever stops a fit, and wherever the disk ends, finds the old model as it was."""

import os
import signal
import subprocess
import sys
import time

import pytest
from signal_defaults import hear_signals

from lopsided.datasets import make_claims
from lopsided.workflow.tables import write_table

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
OLD = b"the model of last month"


@pytest.fixture
def desk(request, tmp_path):
    """A folder with a table and an older file where the model is to go."""
    n_rows = getattr(request, "param", 600)
    write_table(make_claims(n_rows, labeled=0.5).table, tmp_path / "claims.csv")
    (tmp_path / "model.lop").write_bytes(OLD)
    return tmp_path


def begin(desk, *words, before=""):
    line = f"{before} exec '{sys.executable}' -m lopsided fit claims.csv --label status"
    return subprocess.Popen(
        f"{line} --positive confirmed --negative cleared -o model.lop {' '.join(words)}",
        shell=True,
        cwd=desk,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hear_signals,
    )


def is_as_it_was(desk):
    assert (desk / "model.lop").read_bytes() == OLD
    assert sorted(os.listdir(desk)) == ["claims.csv", "model.lop"]


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("desk", [6000], indirect=True)  # a fit that takes a while
def test_a_stop_while_fitting_leaves_the_old_model(desk, stop):
    running = begin(desk)
    for _ in range(1200):
        with open(f"/proc/{running.pid}/maps") as maps:
            if "libxgboost" in maps.read():
                break
        time.sleep(0.05)
    time.sleep(0.3)
    running.send_signal(stop)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 128 + stop
    assert said.endswith("lopsided: stopped; nothing was left half written.\n")
    assert "Traceback" not in said
    is_as_it_was(desk)


def test_a_disk_that_is_full_leaves_the_old_model(desk):
    # No file may grow beyond a few blocks, which stands for a disk that ends there.
    running = begin(desk, "--method", "naive-logistic", "-q", before="ulimit -f 8;")
    _, said = running.communicate(timeout=120)
    assert running.returncode == 2
    assert said.count("\n") == 1
    assert "Traceback" not in said
    is_as_it_was(desk)


def test_a_table_that_nobody_may_read_is_one_sentence(desk):
    (desk / "claims.csv").chmod(0)
    if os.access(desk / "claims.csv", os.R_OK):
        (desk / "claims.csv").unlink()  # root reads everything
        (desk / "claims.csv").mkdir()
    running = begin(desk)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 2
    assert said.count("\n") == 1
    assert (desk / "model.lop").read_bytes() == OLD
