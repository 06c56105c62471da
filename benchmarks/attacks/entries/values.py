"""What entry points are called with: labels, scores and weights in many writings, and junk."""

import datetime
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from numpy.typing import NDArray

from attacks.drawn import Draw
from attacks.verdicts import Finding

__all__ = ["JUNK", "SEEDS", "Labeled", "close", "draw_labeled", "draw_table", "expect"]

SEEDS = st.integers(0, 2**32 - 1)
JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.binary(max_size=3),
    st.lists(st.integers(), max_size=3),
    st.dictionaries(st.text(max_size=2), st.integers(), max_size=2),
    st.sampled_from(
        (
            np.array([1.0, 2.0]), np.array([]), np.zeros((2, 2)), np.array(["a"]), (1,), set(),
            1j, 10**400, -0.0, np.float32(0.5), np.int64(3), np.nan, np.inf, Decimal("0.3"),
            Fraction(1, 3), pd.NA, pd.NaT, np.datetime64("2024"), datetime.date(2024, 1, 1),
            int, len, "a\x1b[31m\n", "x" * 600, "\u202e", "0.5", "1", "nan", "auto", object(),
            pd.Series([1.0]), pd.DataFrame({"a": [1]}), np.bool_(True), range(3), slice(2),
        )
    ),
)  # fmt: skip


def expect(holds: Any, note: str) -> None:
    """Raise a finding unless something holds that must."""
    if not holds:
        raise Finding("wrong", note)


def close(one: Any, two: Any, rel: float = 1e-9) -> bool:
    """Say whether numbers are equal but for rounding."""
    return bool(np.allclose(one, two, rtol=rel, atol=rel, equal_nan=True))


@dataclass
class Labeled:
    """Labels and scores as they are given, and in plain arrays what they mean."""

    y: Any
    scores: Any
    labels: NDArray[np.int8]
    values: NDArray[np.float64]
    rng: np.random.Generator

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.labels)

    def shuffled(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Return the rows in another order: that, labels and scores."""
        order = self.rng.permutation(self.n)
        return order, self.labels[order], self.values[order]

    def __repr__(self) -> str:
        return f"Labeled(y={self.y!r}, scores={self.scores!r})"


_FORMS: dict[str, Callable[[NDArray[Any]], Any]] = {
    "int8": lambda y: y,
    "int64": lambda y: y.astype(np.int64),
    "float": lambda y: y.astype(float),
    "float32": lambda y: y.astype(np.float32),
    "list": lambda y: y.tolist(),
    "tuple": lambda y: tuple(y.tolist()),
    "objects": lambda y: y.astype(object),
    "series": lambda y: pd.Series(y, index=np.arange(len(y))[::-1] * 3),
    "nullable": lambda y: pd.Series(y, dtype="Int8"),
    "category": lambda y: pd.Series(y).astype("category"),
    "masked": lambda y: np.ma.masked_array(y, mask=False),
    "strided": lambda y: np.repeat(y, 2)[::2],
    "read-only": lambda y: _frozen(y.copy()),
    "big-endian": lambda y: y.astype(">i4"),
    "booleans": lambda y: y.astype(bool) if y.min() >= 0 else y,
}
_BAD_FORMS: dict[str, Callable[[NDArray[Any]], Any]] = {
    "words": lambda y: np.where(y == 1, "yes", "no"),
    "digits": lambda y: y.astype(str),
    "NaN": lambda y: np.where(y == 0, np.nan, y),
    "None": lambda y: [None if one == 0 else int(one) for one in y],
    "NA": lambda y: pd.Series(y, dtype="Int8").where(y == 1),
    "twos": lambda y: y + 1,
    "halves": lambda y: y / 2,
    "infinite": lambda y: np.where(y == 1, np.inf, y),
    "complex": lambda y: y + 0j,
    "a column": lambda y: y[:, None],
    "a frame": lambda y: pd.DataFrame({"y": y}),
    "two columns": lambda y: np.column_stack([y, y]),
    "one label for all": lambda y: np.ones_like(y),
    "none": lambda y: np.zeros_like(y),
    "empty": lambda y: y[:0],
    "short": lambda y: y[:-1],
    "a scalar": lambda y: 1,
    "dates": lambda y: pd.to_datetime(y.astype("int64")),
    "ragged": lambda y: [[1], [0, 1]],
    "masked": lambda y: np.ma.masked_array(y, mask=y == 0),
    "iterator": lambda y: iter(y.tolist()),
    "bytes": lambda y: y.astype("S"),
    "huge": lambda y: [10**30 * int(one) for one in y],
    "nested": lambda y: [[int(one)] for one in y],
}


def _frozen(values: Any) -> Any:
    values.flags.writeable = False
    return values


def draw_labeled(
    d: Draw, *, least: int = 1, most_rows: int = 60, reviewed: bool = True, odd: float = 0.04
) -> Labeled:
    """Draw labels and scores of some rows.

    Parameters
    ----------
    d : Draw
        Draws.
    least : int
        Labeled rows, and as many unlabeled ones.
    most_rows : int
        Rows at most.
    reviewed : bool
        Whether there may be reviewed negatives.
    odd : float
        How often labels or scores are odd.
    """
    n = d(st.integers(2 * least, most_rows))
    n_labeled = max(least, min(d.one(1, 2, 3, 5, n // 3, n // 2, n), n - least))
    n_reviewed = d.one(0, 0, 1, n // 4) if reviewed else 0
    n_reviewed = min(n_reviewed, n - n_labeled - least)
    rng = np.random.default_rng(d(SEEDS))
    labels = np.zeros(n, np.int8)
    labels[:n_labeled] = 1
    labels[n_labeled : n_labeled + n_reviewed] = -1
    labels = rng.permutation(labels)
    values = _SCORES[d(st.sampled_from(sorted(_SCORES)))](rng, n, labels)
    y = _FORMS[d(st.sampled_from(sorted(_FORMS)))](labels)
    scores = d.one(*_WRITINGS)(values)
    if d.chance(odd):
        d.odd = True
        y = _BAD_FORMS[d(st.sampled_from(sorted(_BAD_FORMS)))](labels)
    if d.chance(odd):
        d.odd = True
        scores = d(st.one_of(JUNK, st.sampled_from(_BAD_SCORES).map(lambda bad: bad(values))))
    return Labeled(y, scores, labels, np.asarray(values, float), rng)


_SCORES: dict[str, Callable[[Any, int, Any], Any]] = {
    "normal": lambda rng, n, y: rng.normal(size=n),
    "good": lambda rng, n, y: rng.normal(size=n) + 2 * y,
    "perfect": lambda rng, n, y: 1.0 * y,
    "ties": lambda rng, n, y: rng.integers(0, 4, n),
    "constant": lambda rng, n, y: np.full(n, 0.25),
    "huge": lambda rng, n, y: rng.normal(size=n) * 1e300,
    "tiny": lambda rng, n, y: rng.normal(size=n) * 1e-310,
    "neighbors": lambda rng, n, y: 1 + rng.integers(0, 3, n) * 2.0**-52,
    "float32": lambda rng, n, y: rng.normal(size=n).astype(np.float32),
    "float16": lambda rng, n, y: rng.normal(size=n).astype(np.float16),
    "whole": lambda rng, n, y: rng.integers(-(2**40), 2**40, n),
    "bytes": lambda rng, n, y: rng.integers(0, 256, n).astype(np.uint8),
    "booleans": lambda rng, n, y: rng.random(n) < 0.4,
    "zeros": lambda rng, n, y: rng.choice([0.0, -0.0, 1.0], n),
    "wide": lambda rng, n, y: rng.choice([-1e308, -1.0, 0.0, 1e-300, 1e308], n),
}
_WRITINGS: tuple[Callable[[Any], Any], ...] = (
    lambda s: s,
    lambda s: s.tolist(),
    lambda s: pd.Series(s, index=np.arange(len(s)) % 2),
    lambda s: s.astype(object),
    lambda s: np.ma.masked_array(s, mask=False),
    lambda s: _frozen(np.array(s)),
)
_BAD_SCORES: tuple[Callable[[Any], Any], ...] = (
    lambda s: np.where(np.arange(len(s)) == 0, np.nan, s.astype(float)),
    lambda s: np.where(np.arange(len(s)) == 0, np.inf, s.astype(float)),
    lambda s: np.where(np.arange(len(s)) % 2 == 0, -np.inf, s.astype(float)),
    lambda s: s[:-1],
    lambda s: s[:0],
    lambda s: s[:, None],
    lambda s: np.column_stack([s, s]),
    lambda s: s.astype(str),
    lambda s: [f"s{one}" for one in s],
    lambda s: [None] * len(s),
    lambda s: s + 1j,
    lambda s: pd.to_datetime(np.arange(len(s))),
    lambda s: np.ma.masked_array(s, mask=True),
    lambda s: {"a": s},
    lambda s: [[1], [1, 2]],
    lambda s: pd.Series(s, dtype="category"),
)


def draw_table(
    d: Draw, *, least: int = 2, most_rows: int = 40, reviewed: bool = True, odd: float = 0.04
) -> tuple[Labeled, Any]:
    """Draw labels, and a table of columns of numbers that know something of them.

    Parameters
    ----------
    d, least, most_rows, reviewed, odd
        As in `draw_labeled`.
    """
    rows = draw_labeled(d, least=least, most_rows=most_rows, reviewed=reviewed, odd=odd)
    n_columns = d(st.integers(1, 5))
    X = rows.rng.normal(size=(rows.n, n_columns)) + (rows.labels == 1)[:, None]
    X = d.one(*_COLUMNS)(X, rows.rng)
    X = d.one(*_TABLES)(X)
    if d.chance(odd):
        d.odd = True
        X = d(st.one_of(JUNK, st.sampled_from(_BAD_TABLES).map(lambda bad: bad(X))))
    return rows, X


_COLUMNS: tuple[Callable[[Any, Any], Any], ...] = (
    lambda X, rng: X,
    lambda X, rng: X.round(),
    lambda X, rng: X * np.geomspace(1e-6, 1e6, X.shape[1]),
    lambda X, rng: np.column_stack([X, np.ones(len(X))]),
    lambda X, rng: np.repeat(X, 2, axis=1),
    lambda X, rng: X.astype(np.float32),
)
_TABLES: tuple[Callable[[Any], Any], ...] = (
    lambda X: X,
    lambda X: np.asfortranarray(X),
    lambda X: pd.DataFrame(X, columns=[f"c{i}" for i in range(X.shape[1])]),
    lambda X: pd.DataFrame(X, columns=[f"c{i}" for i in range(X.shape[1])]).iloc[::-1][::-1],
    lambda X: X.tolist(),
    lambda X: _frozen(X.copy()),
)
_BAD_TABLES: tuple[Callable[[Any], Any], ...] = (
    lambda X: np.asarray(X)[:-1],
    lambda X: np.asarray(X)[:, :0],
    lambda X: np.asarray(X)[0],
    lambda X: np.asarray(X)[None],
    lambda X: np.asarray(X) * np.inf,
    lambda X: np.full_like(np.asarray(X), np.nan),
    lambda X: np.asarray(X) * 1e300,
    lambda X: np.asarray(X).astype(str),
    lambda X: np.asarray(X).astype(object),
    lambda X: pd.DataFrame(np.asarray(X)).assign(a="text"),
    lambda X: pd.DataFrame(np.asarray(X), columns=["a"] * np.asarray(X).shape[1]),
    lambda X: pd.DataFrame({"when": pd.date_range("2024", periods=len(np.asarray(X)))}),
    lambda X: np.asarray(X) + 1j,
    lambda X: [[1.0], [1.0, 2.0]],
)
