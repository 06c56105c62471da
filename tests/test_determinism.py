"""The same seed gives the same numbers, whatever the threads, and rows know no neighbors."""

import time

import numpy as np
import pandas as pd
import pytest

from lopsided import build
from lopsided.model_selection import compare, out_of_fold_scores
from lopsided.tables import write_table


def make_table(n_rows=300, seed=0):
    """Return a PU table of five columns, one of them with few values."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 5))
    X[:, 4] = X[:, 4].round()
    positive = X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=n_rows) / 2 > 1
    return X, (positive & (rng.random(n_rows) < 0.6)).astype(int)


@pytest.mark.parametrize("name", ["ifpu-xgb", "elkan-noto"])
def test_a_comparison_estimates_the_prior_from_its_own_seed(name):
    X, y = make_table()
    first, second = (
        out_of_fold_scores(build(name), X, y, cv=3, random_state=0, n_jobs=n_jobs)
        for n_jobs in (1, 2)
    )
    np.testing.assert_array_equal(first, second)
    tables = [compare([name], X, y, cv=3, random_state=0).table for _ in range(2)]
    columns = [one for one in tables[0] if one != "seconds"]
    assert tables[0][columns].equals(tables[1][columns])


@pytest.mark.parametrize("suffix", ["csv.gz", "csv.zip", "tsv.bz2", "csv.xz", "parquet"])
def test_a_file_holds_neither_the_time_nor_a_passing_name(
    tmp_path, monkeypatch, suffix
):
    frame = pd.DataFrame({"a": [1, 2]})
    write_table(frame, tmp_path / f"a.{suffix}")
    first = (tmp_path / f"a.{suffix}").read_bytes()
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 1e6)
    monkeypatch.setattr(time, "localtime", lambda *_: time.gmtime(now + 1e6))
    write_table(frame, tmp_path / f"a.{suffix}")
    assert (tmp_path / f"a.{suffix}").read_bytes() == first
