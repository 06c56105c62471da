"""Inputs for nets that read categories as ids: numbers of one scale, then an id for each."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided.methods._inputs import Inputs, fit_inputs
from lopsided.methods._levels import LevelMap, fit_level_map

__all__ = ["Tokens", "fit_tokens"]

_TAILS = 0.01  # share of a column's values at each end that are brought in


@dataclass(frozen=True)
class Tokens:
    """How raw columns become numbers and ids.

    Numbers come first, winsorized and standardized, missing ones as the median; then a flag for
    each column that had missing values in training; then an id for each category column. Levels
    that had rows in training are counted from 0, and all else has the id after the last.
    """

    numbers: NDArray[np.intp]  # positions of the columns of numbers
    inputs: Inputs  # of these columns alone
    ids: dict[int, LevelMap]  # position of each category column: the id of each level

    @property
    def n_numbers(self) -> int:
        """How many numbers come out, flags included."""
        return self.inputs.n_columns

    @property
    def levels(self) -> list[int]:
        """The number of levels of each category column, without the id for all else."""
        return [found.n_codes for found in self.ids.values()]

    def transform(self, X: NDArray[Any]) -> NDArray[np.float64]:
        """Return the numbers and ids of some rows.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features)
            As in training, NaN allowed, categories as codes.

        Returns
        -------
        ndarray of shape (n_rows, n_numbers + n_categories)
        """
        parts = [self.inputs.transform(X[:, self.numbers])]
        for position, found in self.ids.items():
            parts.append(np.nan_to_num(found.transform(X[:, [position]]), nan=found.n_codes))
        return np.hstack(parts)


def fit_tokens(X: NDArray[Any], levels: dict[int, int], weight: Any = None) -> Tokens:
    """Learn scales and ids from training rows.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        NaN allowed, categories as codes.
    levels : dict of int to int
        Positions of category columns and their numbers of levels.
    weight : ndarray of shape (n_rows,), optional
        Sample weights; 2 counts a row twice, and 0 leaves it out.
    """
    numbers = np.setdiff1d(np.arange(X.shape[1]), list(levels)).astype(np.intp)
    inputs = fit_inputs(X[:, numbers], weight=weight, tails=_TAILS)
    # All levels keep their ids: a level more is one vector more, not one input more.
    ids = {
        position: fit_level_map(X[:, position], n_levels, weight)
        for position, n_levels in levels.items()
    }
    return Tokens(numbers, inputs, ids)
