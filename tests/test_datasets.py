"""Bundled tables are the same everywhere."""

import dataclasses

import numpy as np
import pytest

from lopsided.datasets import list_datasets, load

# Rows, columns and positives.
SIZES = {
    "digits-8": (1797, 64, 174),
    "breast-cancer-rare": (393, 30, 36),
    "diabetes-top": (442, 10, 47),
    "wine-rare": (146, 13, 16),
}


@pytest.mark.parametrize("name", list_datasets())
def test_a_bundled_table_is_rare_and_of_its_size(name):
    table = load(name)
    assert (table.n_rows, table.n_features, table.y_true.sum()) == SIZES[name]
    assert 0 < table.prior < 0.12
    assert len(set(table.feature_names)) == table.n_features
    assert np.isfinite(table.X).all()
    assert table.X.dtype == np.float64
    assert table.X.flags.c_contiguous
    assert table.y_true.dtype == np.int8
    assert table.reference


def test_a_repr_is_short():
    assert repr(load("wine-rare")) == (
        "Dataset('wine-rare', 146 rows, 13 features, prior 0.1096)"
    )


def test_a_table_cannot_be_reassigned():
    with pytest.raises(dataclasses.FrozenInstanceError):
        load("wine-rare").X = None
