"""Columns as tables in the wild have them: a name for each, and how to draw one."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["CATEGORIES", "HOSTILE", "NUMBERS", "PLAIN", "draw_column"]

Rng = np.random.Generator


def _with(rng: Rng, values: Any, odd: Any, share: float = 0.2) -> Any:
    """Put an odd value into some of the cells."""
    values = np.array(values)
    values[rng.random(len(values)) < share] = odd
    return values


def _levels(rng: Rng, n: int, levels: Any, **options: Any) -> Any:
    return pd.Categorical(rng.choice(np.asarray(levels, dtype=object), n), **options)


def _empty_levels(rng: Rng, n: int) -> Any:
    return _levels(rng, n, ["a", "b"], categories=["void", "a", "b", "nobody"])


def _missing_levels(rng: Rng, n: int) -> Any:
    column = pd.Series(_levels(rng, n, list("abcde")))
    column[rng.random(n) < 0.3] = np.nan
    return column.array


def _intervals(rng: Rng, n: int) -> Any:
    return pd.cut(rng.normal(size=n), [-9, -0.5, 0.5, 9])


PLAIN: dict[str, Callable[[Rng, int], Any]] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "rounded": lambda rng, n: rng.normal(size=n).round(1),
    "counts": lambda rng, n: rng.poisson(3, n),
    "skewed": lambda rng, n: np.exp(2 * rng.normal(size=n)),
    "flags": lambda rng, n: rng.random(n) < 0.3,
    "small floats": lambda rng, n: rng.normal(size=n).astype(np.float32),
    "constant": lambda rng, n: np.full(n, 7.0),
}
"""What every method must take."""

NUMBERS: dict[str, Callable[[Rng, int], Any]] = {
    "huge": lambda rng, n: rng.normal(size=n) * 1e30,
    "hugest": lambda rng, n: rng.choice([-1.7e308, 0, 1.7e308], n),
    "beyond float32": lambda rng, n: rng.normal(size=n) * 1e60,
    "denormal": lambda rng, n: rng.choice([0, 5e-324, 1e-310], n),
    "tiny": lambda rng, n: rng.normal(size=n) * 1e-200,
    "mixed scales": lambda rng, n: 10.0 ** rng.integers(-30, 30, n),
    "far from zero": lambda rng, n: 1e15 + rng.integers(0, 3, n),
    "nan": lambda rng, n: _with(rng, rng.normal(size=n), np.nan),
    "mostly nan": lambda rng, n: _with(rng, rng.normal(size=n), np.nan, 0.95),
    "only nan": lambda rng, n: np.full(n, np.nan),
    "inf": lambda rng, n: _with(rng, rng.normal(size=n), np.inf, 0.1),
    "-inf": lambda rng, n: _with(rng, rng.normal(size=n), -np.inf, 0.1),
    "negative zero": lambda rng, n: rng.choice([0.0, -0.0], n),
    "int8": lambda rng, n: rng.integers(-128, 128, n, dtype=np.int8),
    "uint64": lambda rng, n: rng.integers(0, 2**64, n, dtype=np.uint64),
    "half": lambda rng, n: rng.normal(size=n).astype(np.float16),
}

CATEGORIES: dict[str, Callable[[Rng, int], Any]] = {
    "two levels": lambda rng, n: _levels(rng, n, ["x", "y"]),
    "many levels": lambda rng, n: _levels(rng, n, [f"level {i}" for i in range(max(n, 40))]),
    "missing levels": _missing_levels,
    "empty levels": _empty_levels,
    "number levels": lambda rng, n: _levels(rng, n, [1, 2, 3]),
    "float levels": lambda rng, n: _levels(rng, n, [0.5, 1.5]),
    "true levels": lambda rng, n: _levels(rng, n, [True, False]),
    "mixed levels": lambda rng, n: _levels(rng, n, ["1", 1, 2.5]),
    "ordered": lambda rng, n: _levels(
        rng, n, ["low", "high"], categories=["low", "high"], ordered=True
    ),
    "one level": lambda rng, n: _levels(rng, n, ["only"]),
    "no level": lambda rng, n: pd.Categorical([None] * n, categories=["a"]),
    "no level at all": lambda rng, n: pd.Categorical([None] * n),
    "date levels": lambda rng, n: _levels(rng, n, list(pd.date_range("2024", periods=3))),
    "intervals": _intervals,
    "odd names": lambda rng, n: _levels(rng, n, ["", " ", "nan", "\x00", "é\u2028", "[<"]),
}

HOSTILE: dict[str, Callable[[Rng, int], Any]] = {
    "Int64": lambda rng, n: pd.array(_with(rng, rng.normal(size=n).round(), np.nan), "Int64"),
    "Float64": lambda rng, n: pd.array(_with(rng, rng.normal(size=n), np.nan), "Float64"),
    "boolean": lambda rng, n: pd.array(rng.choice([True, False, None], n), "boolean"),
    "arrow": lambda rng, n: pd.array(rng.normal(size=n), "float64[pyarrow]"),
    "arrow text": lambda rng, n: pd.array(rng.choice(["a", "b"], n), "string[pyarrow]"),
    "objects": lambda rng, n: rng.normal(size=n).astype(object),
    "objects with None": lambda rng, n: rng.choice(np.array([1, 2.5, None], dtype=object), n),
    "mixed objects": lambda rng, n: rng.choice(np.array([1, "x", None], dtype=object), n),
    "decimals": lambda rng, n: np.array([Decimal(int(i)) for i in rng.integers(0, 9, n)]),
    "text": lambda rng, n: rng.choice(np.array(["a", "b"], dtype=object), n),
    "numbers as text": lambda rng, n: rng.choice(np.array(["1", "2.5"], dtype=object), n),
    "lists": lambda rng, n: pd.Series([[1, 2]] * n).to_numpy(),
    "complex": lambda rng, n: rng.normal(size=n) + 1j,
    "dates": lambda rng, n: (
        pd.to_datetime("2024") + pd.to_timedelta(rng.integers(0, 99, n), "D")
    ),
    "dates with zone": lambda rng, n: pd.date_range("2024", periods=n, tz="UTC"),
    "spans": lambda rng, n: pd.to_timedelta(rng.integers(0, 99, n), "D"),
    "periods": lambda rng, n: pd.period_range("2024", periods=n, freq="M"),
    "sparse": lambda rng, n: pd.arrays.SparseArray(rng.poisson(0.2, n).astype(float)),
    "bytes": lambda rng, n: np.array([b"x"] * n, dtype=object),
    "huge ints": lambda rng, n: np.array([10**30] * n, dtype=object),
}

_ALL = {**PLAIN, **NUMBERS, **CATEGORIES, **HOSTILE}


def draw_column(kind: str, rng: Rng, n: int) -> Any:
    """Return n cells of a kind.

    Parameters
    ----------
    kind : str
        A name of the lists in this file.
    rng : Generator
        The source of chance.
    n : int
        How many.
    """
    return _ALL[kind](rng, n)
