"""The same seed gives the same numbers, whatever the threads, and rows know no neighbors."""

import numpy as np
import pytest

from lopsided import build
from lopsided.model_selection import compare, out_of_fold_scores


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
