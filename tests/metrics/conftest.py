"""Rankings of real tables with their truth."""

import functools

import numpy as np
import pytest

from lopsided.datasets import load

BUNDLED = ("digits-8", "breast-cancer-rare", "diabetes-top", "wine-rare")


@functools.cache
def rank(name):
    """Return the truth and scores of one column, without ties, more or less informative."""
    table = load(name)
    X = np.nan_to_num(np.asarray(table.X, float))
    truth = np.asarray(table.y_true)
    columns = (X - X.mean(axis=0)) / (X.std(axis=0) + 1e-9)
    gap = columns[truth == 1].mean(axis=0) - columns[truth == 0].mean(axis=0)
    scores = columns @ gap / np.linalg.norm(gap)
    return truth, scores + np.random.default_rng(0).normal(0, 0.3 * scores.std(), len(scores))


@pytest.fixture(params=BUNDLED)
def ranking(request):
    return rank(request.param)


@pytest.fixture
def rankings():
    return [rank(name) for name in BUNDLED]
