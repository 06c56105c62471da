"""Categories as codes: data frames as numbers, values among levels, rare levels merged."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._terminal import quote
from lopsided._validation import check_unique, fill_masked
from lopsided._warnings import warn

# No exponents or blanks: "1E5" is more often a name than a number.
_PLAIN_NUMBER = re.compile(r"[-+]?[0-9]{1,40}(\.[0-9]{1,40})?")


def as_pandas(X: Any) -> Any:
    """Return a pandas frame for any kind of data frame, and an array without a mask."""
    if hasattr(X, "collect") and not hasattr(X, "to_pandas"):  # a lazy frame of polars
        X = X.collect()
    X = X.to_pandas() if hasattr(X, "to_pandas") else X
    if _is_frame(X):
        check_unique(X.columns)
    kinds = X.dtypes if _is_frame(X) else [getattr(X, "dtype", None)]
    if any(getattr(kind, "kind", "") == "c" for kind in kinds):
        raise ValueError("Complex data not supported: X must hold real numbers. Split them.")
    if isinstance(X, np.ma.MaskedArray):
        X = fill_masked(X)
    if isinstance(X, np.ndarray) and X.ndim == 1:
        raise ValueError(
            "X must have rows and columns, got a 1D array. Reshape your data with "
            "X.reshape(-1, 1) if it is one column."
        )
    return X


def _is_frame(X: Any) -> bool:
    return hasattr(X, "dtypes") and hasattr(X, "columns") and hasattr(X, "iloc")


def category_levels(X: Any, takes_categories: bool) -> dict[Any, tuple[Any, ...]]:
    """Return the levels of each categorical column, and refuse what no learner can read.

    Levels without an order of their own are sorted: frames may list them as rows bring them up.
    """
    if not _is_frame(X):
        return {}
    import pandas as pd

    levels = {}
    dates, texts = [], []
    for name, dtype in zip(X.columns, X.dtypes, strict=True):
        if isinstance(dtype, pd.CategoricalDtype):
            if not takes_categories:
                raise ValueError(
                    f"This method takes numbers only, got the categories of column {name!r}. "
                    "Turn them into numbers, e.g. with pandas.get_dummies."
                )
            declared = dtype.categories
            levels[name] = tuple(declared) if dtype.ordered else order_levels(declared)
        elif getattr(dtype, "kind", "") in "mM":
            dates.append(name)
        elif not (pd.api.types.is_numeric_dtype(dtype) or _reads_as_numbers(X[name])):
            texts.append(name)
    if dates or texts:
        raise ValueError(_refuse(dates, texts))
    return levels


def _refuse(dates: list[Any], texts: list[Any]) -> str:
    """Return what to do about columns that are neither numbers nor categories."""
    found = [
        f"{kind} in column{'s' if len(names) > 1 else ''} {_name_some(names)}"
        for kind, names in (("dates", dates), ("text", texts))
        if names
    ]
    return (
        f"X must hold numbers and categories, got {' and '.join(found)}. Clean the table by "
        "lopsided.TableCleaner, or turn dates into numbers and text into categories "
        "(astype('category'))."
    )


def _name_some(names: list[Any]) -> str:
    shown = ", ".join(map(repr, names[:5]))
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"


def find_categories(X: Any, levels: dict[Any, Any]) -> tuple[int, ...]:
    """Return the positions of the categorical columns."""
    return tuple(i for i, name in enumerate(X.columns) if name in levels) if levels else ()


def _reads_as_numbers(column: Any) -> bool:
    try:
        column.astype(float)
    except (TypeError, ValueError):
        return False
    return True


def drop_empty_levels(
    X: NDArray[Any], levels: dict[Any, tuple[Any, ...]], weight: Any, positions: tuple[int, ...]
) -> tuple[NDArray[Any], dict[Any, tuple[Any, ...]]]:
    """Return codes and levels without the levels that no row of a weight above 0 has.

    A learner could not tell where they belong: they are as good as missing.
    """
    kept = dict(levels)
    for position, (name, known) in zip(positions, levels.items(), strict=True):
        found = fit_level_map(X[:, position], len(known), weight)
        if found.n_codes < len(known):
            X = np.array(X) if kept == levels else X  # the caller's stays as it is
            X[:, position] = found.transform(X[:, position])
            kept[name] = tuple(known[place] for place in np.flatnonzero(found.seen))
    return X, kept


def encode_categories(X: Any, levels: dict[Any, tuple[Any, ...]]) -> Any:
    """Return the frame with categories as codes; levels unseen in training are missing."""
    if not levels:
        return X
    if not _is_frame(X):
        raise ValueError(
            f"This model was fitted on a data frame with categories in {list(levels)}, got "
            f"{type(X).__name__}. Pass a data frame with the same columns."
        )
    encoded = X.copy()
    for name, known in levels.items():
        if name in encoded.columns:
            encoded[name] = _codes(encoded[name], known)
    return encoded


def _codes(column: Any, known: tuple[Any, ...]) -> NDArray[np.float64]:
    """Return the places of a column's values among the known levels, NaN for all else."""
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        places, values = column.cat.codes.to_numpy(), list(column.cat.categories)
    else:
        places, uniques = pd.factorize(column)
        values = list(uniques)
    found, ambiguous = find_levels(values, known)
    trouble = ""
    occurring = np.unique(places[places >= 0])  # -1 is missing
    if unclear := [place for place in occurring if place in ambiguous]:
        value, several = values[unclear[0]], ambiguous[unclear[0]]
        trouble = (
            f"{quote(value)}, which might be any of {quote(several)} in training, and "
            "counts as missing"
        )
    elif len(occurring) and np.isnan(found[occurring]).all():
        trouble = (
            "no category of training, and counts as missing in all rows: got "
            f"{quote(values[occurring[0]])}, and training had "
            f"{quote(known[0]) if known else None}"
        )
    if trouble:
        warn(
            f"Column {quote(column.name)} holds {trouble}. Write its categories as they were "
            "in training.",
        )
    return np.append(found, np.nan)[places]


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
    as that number. Returned too are the levels that a value might be, for each that might be
    several.
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


@dataclass(frozen=True)
class LevelMap:
    """The code that each level of a column has in a fit.

    A level without rows there is missing; if levels are merged, the rare ones share the last
    code.
    """

    codes: NDArray[np.float64]  # (n_levels + 1,): NaN for a level without rows, and at the end
    n_codes: int

    @property
    def seen(self) -> NDArray[np.bool_]:
        """Which levels have rows."""
        return ~np.isnan(self.codes[:-1])

    def transform(self, column: NDArray[Any]) -> NDArray[np.float64]:
        """Return the codes of a column of levels, NaN where one is missing."""
        return self.codes[np.nan_to_num(column, nan=len(self.codes) - 1).astype(np.intp)]


def fit_level_map(
    column: NDArray[Any],
    n_levels: int,
    weight: NDArray[np.float64] | None = None,
    max_codes: int | None = None,
) -> LevelMap:
    """Learn which levels have rows, and which are so rare that they share a code.

    Codes follow the order of the levels. Where more than `max_codes` levels have rows, the
    heaviest keep codes of their own, the first ones of those that weigh alike, and all others
    share one: a known level, not a missing one.
    """
    counts = np.ones(len(column)) if weight is None else np.asarray(weight, np.float64)
    rows = ~np.isnan(column) & (counts > 0)
    weights = np.bincount(column[rows].astype(np.intp), counts[rows], minlength=n_levels)
    own = weights > 0
    rare = np.zeros(n_levels, bool)
    if max_codes is not None and own.sum() > max_codes:
        heaviest_first = np.argsort(-weights, kind="stable")
        rare[heaviest_first[max_codes - 1 :]] = True
        rare &= own
        own &= ~rare
    codes = np.full(n_levels + 1, np.nan)
    codes[:-1][own] = np.arange(own.sum())
    codes[:-1][rare] = own.sum()
    return LevelMap(codes, int(own.sum() + rare.any()))


def map_levels(X: NDArray[Any], maps: Mapping[int, LevelMap]) -> NDArray[Any]:
    """Return a table with the levels of some columns as the codes of their maps."""
    if not maps:
        return X
    mapped = np.array(X)
    for position, found in maps.items():
        mapped[:, position] = found.transform(X[:, position])
    return mapped
