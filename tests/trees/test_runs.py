import numba
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from lopsided.trees.binning import MISSING
from lopsided.trees.histogram import gather, make_groups
from lopsided.trees.runs import group_runs


@numba.njit
def group_twice(column, signed, groups):
    """The runs of a node, found twice in the same arrays: nothing may be left behind."""
    buffer = np.empty(len(column), np.uint16)
    rows = np.arange(len(column)).astype(np.uint32)
    least, largest, _, _, n_missing = gather(column, rows, signed, buffer)
    n = 0
    for _ in range(2):
        n = group_runs(buffer, signed, least, largest, n_missing, groups)
    return n


def a_node(n, top, labeled, missing=0.1, seed=0):
    """Codes with many ties of near ones, and signed weights, labeled rows first."""
    rng = np.random.default_rng(seed)
    column = (100 + top * rng.beta(0.5, 2, n)).astype(np.uint16)
    column[rng.random(n) < missing] = MISSING
    weight = rng.choice([0.5, 1.0, 2.0], n)
    signed = np.where(rng.random(n) < labeled, weight, -weight)
    order = np.argsort(signed < 0, kind="stable")
    return column[order], signed[order]


def boundaries(column, signed):
    """The last code of each run that is all labeled, all unlabeled, or one mixed code."""
    codes = np.unique(column[column != MISSING])
    kinds = [frozenset(np.sign(signed[column == code])) for code in codes]
    ends = [
        code
        for code, kind, after in zip(codes, kinds, kinds[1:], strict=False)
        if kind != after or len(kind) == 2
    ]
    return [*ends, codes[-1]]


@pytest.mark.parametrize("labeled", [0.01, 0.1, 0.6])
@pytest.mark.parametrize(
    ("n", "top"), [(2, 50), (60, 20), (60, 60_000), (500, 800), (6000, 60_000)]
)
def test_groups_end_wherever_labeled_and_unlabeled_rows_meet(n, top, labeled):
    column, signed = a_node(n, top, labeled)
    signed[0] = abs(signed[0])
    groups = make_groups(len(column), 65536)
    n_groups = group_twice(column, signed, groups)
    assert not groups.weights.any()
    assert not groups.newest.any()
    last = groups.last[:n_groups]
    assert (np.diff(last) > 0).all()
    present = column != MISSING
    # A cut may lie anywhere before the next code that occurs.
    codes = np.unique(column[present])
    ends = codes[np.searchsorted(codes, last, side="right") - 1]
    assert set(boundaries(column, signed)) <= set(ends)
    for group, (below, end) in enumerate(zip([-1, *last], last, strict=False)):
        here = signed[present & (column > below) & (column <= end)]
        assert len(here) > 0
        assert groups.labeled[group] == here[here > 0].sum()
        assert groups.unlabeled[group] == -here[here < 0].sum()


def test_neighbors_without_labeled_rows_make_one_group():
    column = np.array([500, 100, 300, 400, 900, 1000], np.uint16)
    signed = np.array([2.0, -1, -1, -1, -1, -1])
    groups = make_groups(len(column), 65536)
    n_groups = group_twice(column, signed, groups)
    assert_array_equal(groups.labeled[:n_groups], [0, 2, 0])
    assert_array_equal(groups.unlabeled[:n_groups], [3, 0, 2])
