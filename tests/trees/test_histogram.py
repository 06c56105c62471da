import numba
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from twin import most_bins

from lopsided.trees.binning import MISSING
from lopsided.trees.histogram import gather, group_codes, make_groups


@numba.njit
def group_twice(column, signed, groups):
    """The groups of a node, found twice in the same arrays: nothing may be left behind."""
    buffer = np.empty(len(column), np.uint16)
    rows = np.arange(len(column)).astype(np.uint32)
    least, largest, ml, mu, n_missing = gather(column, rows, signed, buffer)
    n = 0
    for _ in range(2):
        n = group_codes(buffer, signed, least, largest, n_missing, True, groups)
    return n, (least, largest, ml, mu, n_missing)


def groups_of(column, signed):
    groups = make_groups(len(column), 65536)
    n, seen = group_twice(column.astype(np.uint16), signed, groups)
    assert not groups.weights.any()
    assert not groups.counts.any()
    assert not groups.filled.any()
    parts = {"last": groups.last, "n_rows": groups.n_rows}
    parts |= {"labeled": groups.labeled, "unlabeled": groups.unlabeled}
    return {name: part[:n] for name, part in parts.items()}, seen


def a_node(n, top, seed=0, missing=0.0, labeled=0.3):
    rng = np.random.default_rng(seed)
    column = rng.integers(100, 100 + top, n)
    column[rng.random(n) < missing] = MISSING
    weight = rng.choice([0.5, 1.0, 2.0], n)
    return column, np.where(rng.random(n) < labeled, weight, -weight)


@pytest.mark.parametrize("missing", [0.0, 0.4])
@pytest.mark.parametrize(
    ("n", "top"),
    [(2, 2), (30, 5), (30, 60_000), (47, 48), (48, 900), (100, 1024), (3000, 1000)],
)
def test_every_code_is_a_group_where_bins_suffice(n, top, missing):
    column, signed = a_node(n, top, missing=missing)
    column[0] = 100
    groups, seen = groups_of(column, signed)
    present = column != MISSING
    codes = np.unique(column[present])
    assert_array_equal(groups["last"], codes)
    for group, code in enumerate(codes):
        here = signed[column == code]
        assert groups["labeled"][group] == here[here > 0].sum()
        assert groups["unlabeled"][group] == -here[here < 0].sum()
        assert groups["n_rows"][group] == len(here)
    gone = signed[~present]
    assert seen == (
        codes[0], codes[-1], gone[gone > 0].sum(), -gone[gone < 0].sum(), len(gone)
    )  # fmt: skip


@pytest.mark.parametrize("n", [60, 200, 5000])
def test_wide_codes_are_binned_evenly(n):
    column, signed = a_node(n, 60_000, missing=0.1)
    groups, (least, largest, *_) = groups_of(column, signed)
    width = 1
    while (largest - least) // width >= most_bins(n):
        width *= 2
    assert ((groups["last"][:-1] + 1 - least) % width == 0).all()
    assert groups["last"][-1] == largest
    assert (np.diff(groups["last"]) > 0).all()
    assert groups["n_rows"].sum() == (column != MISSING).sum()
    for group, last in enumerate(groups["last"]):
        first = least + (last - least) // width * width
        inside = (column >= first) & (column <= last)
        here = signed[inside & (column != MISSING)]
        assert len(here) == groups["n_rows"][group] > 0
        assert groups["labeled"][group] == here[here > 0].sum()
        assert groups["unlabeled"][group] == -here[here < 0].sum()


def test_a_node_of_missing_values_alone_has_no_largest_code():
    column, signed = np.full(5, MISSING), np.array([1.0, -1, -1, 2, -3])

    @numba.njit
    def look(column, signed):
        rows = np.arange(len(column)).astype(np.uint32)
        return gather(column, rows, signed, np.empty(len(column), np.uint16))

    _, largest, labeled, unlabeled, n_missing = look(column, signed)
    assert (largest, labeled, unlabeled, n_missing) == (-1, 3.0, 5.0, 5)
