"""Values of a category column, found among the levels of training: 1, 1.0 and "1" are one."""

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["find_levels", "order_levels"]

# No exponents or blanks: "1E5" is more often a name than a number.
_PLAIN_NUMBER = re.compile(r"[-+]?[0-9]{1,40}(\.[0-9]{1,40})?")


def order_levels(levels: Iterable[Any]) -> tuple[Any, ...]:
    """Return levels in their own order, or by type and text where they have none."""
    try:
        return tuple(sorted(levels))
    except TypeError:
        return tuple(sorted(levels, key=lambda level: (type(level).__name__, str(level))))


def find_levels(
    values: Sequence[Any], levels: Sequence[Any]
) -> tuple[NDArray[np.float64], dict[int, tuple[Any, ...]]]:
    """Return the place of each value among the levels, NaN where it is none of them.

    Files of several kinds disagree on what is text: a value that is no level itself is looked
    up as a number among levels of text, and the other way round, where one level alone reads
    as that number.

    Parameters
    ----------
    values, levels : sequences
        Distinct values, none of them missing.

    Returns
    -------
    ndarray of shape (n_values,), dict
        The places, and the levels that a value might be, for each that might be several.
    """
    exact = {level: place for place, level in enumerate(levels)}
    found = np.array([exact.get(value, np.nan) for value in values], np.float64)
    ambiguous = {}
    if np.isnan(found).any():
        alike: dict[Any, list[Any]] = {}
        for level in levels:
            alike.setdefault(_as_number(level), []).append(level)
        alike.pop(None, None)
        for place in map(int, np.flatnonzero(np.isnan(found))):
            value = values[place]
            same = alike.get(_as_number(value), [])
            if len(same) == 1 and isinstance(value, str) != isinstance(same[0], str):
                found[place] = exact[same[0]]
            elif len(same) > 1:
                ambiguous[place] = tuple(same)
    return found, ambiguous


def _as_number(value: Any) -> int | float | None:
    """Return a number, or text that is one, as a number; None for anything else."""
    if isinstance(value, str):
        plain = _PLAIN_NUMBER.fullmatch(value)
        return None if plain is None else float(value) if plain[1] else int(value)
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (Real, Decimal)):
        return None
    return int(value) if isinstance(value, Integral) else float(value)
