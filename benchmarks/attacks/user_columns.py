"""Columns as they come in users' tables: one way to draw each, typed or as text."""

import datetime
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["CELLS", "COLUMNS", "draw_column"]

Rng = np.random.Generator
_BLANKS = ("", " ", "NA", "n/a", "NaN", "None", "null", "-", "--", "?", "#N/A", "<NA>", None)
_WORDS = (
    "paid by card in the shop, late",
    "paid in cash at the desk, early",
    "wired by the customer, late",
    "returned by the shop in time",
    "wired to the desk in two parts",
    "مبلغ غير مدفوع",
    "支払い済み",
    "cafe\u0301 au lait",
    "👩\u200d💻 sent 🎉",
    "\u202eright to left",
)
_ODD = ("\u200b", "\ufeffx", "a\u2028b", "\x07", "x\x1b[31m", "a\tb", "a\nb", "\\N", "'", '"')
_DATES = (
    "%Y-%m-%d",
    "%d.%m.%Y",
    "%d/%m/%Y",
    "%m/%d/%y",
    "%d-%b-%Y",
    "%B %d, %Y",
    "%Y%m%d",
    "%Y-%m-%dT%H:%M:%S",
    "%Y-%m-%d %H:%M:%S+02:00",
    "%d %B %Y %I:%M %p",
    "%b %Y",
    "%H:%M",
)


def _pick(rng: Rng, n: int, values: Any) -> list[Any]:
    """Return some of the values, whatever their types."""
    return [values[place] for place in rng.integers(0, len(values), n)]


def _objects(values: Any) -> Any:
    """Return a column whose cells stay what they are, lists too."""
    column = pd.Series([None] * len(values), dtype=object)
    for place, value in enumerate(values):
        column.iat[place] = value
    return column


def _with_gaps(rng: Rng, values: Any, gaps: Any = _BLANKS, share: float = 0.2) -> Any:
    found = [
        value if rng.random() > share else gaps[rng.integers(len(gaps))] for value in values
    ]
    return _objects(found)


def _moments(rng: Rng, n: int) -> Any:
    start = np.datetime64("2019-01-01T00:00")
    return pd.Series(pd.to_datetime(start + rng.integers(0, 3_000_000, n)))


def _amounts(rng: Rng, n: int) -> Any:
    return np.exp(rng.normal(5, 2, n)).round(2) * rng.choice([1, 1, -1], n)


def _swap(text: str) -> str:
    return text.translate(str.maketrans(",.", ".,"))


def _mixed_writing(rng: Rng, n: int) -> list[str]:
    forms: tuple[Callable[[float], str], ...] = (
        "{:,.2f}".format,
        "{:.0f}".format,
        "${:,.0f}".format,
        "{:e}".format,
        "({:.1f})".format,
        "{:.1f} %".format,
        "{:.2f}-".format,
        lambda value: f"{value:,.2f}".replace(",", " "),
        lambda value: f"{value:,.2f}".replace(",", "'"),
        lambda value: f"EUR {_swap(f'{value:,.2f}')}",
        lambda value: f"\u2212{abs(value):.1f}",
    )
    return [forms[rng.integers(len(forms))](value) for value in _amounts(rng, n)]


def _categories(rng: Rng, n: int, levels: Any, **options: Any) -> Any:
    codes = rng.integers(-1, len(levels), n)
    return pd.Series(pd.Categorical.from_codes(codes, levels, **options))


def _text_dates(rng: Rng, n: int) -> Any:
    form = _DATES[rng.integers(len(_DATES))]
    return _with_gaps(rng, _moments(rng, n).dt.strftime(form), share=0.1)


def _many_dates(rng: Rng, n: int) -> Any:
    return _objects(
        [one.strftime(_DATES[rng.integers(len(_DATES))]) for one in _moments(rng, n)]
    )


def _impossible_dates(rng: Rng, n: int) -> list[str]:
    bad = ("2024-02-30", "0000-00-00", "31/31/2020", "9999-12-31", "0001-01-01", "1.1.20")
    return _pick(rng, n, bad)


def _far_dates(rng: Rng, n: int) -> Any:
    far = (datetime.date(1, 1, 1), datetime.date(9999, 12, 31), datetime.date(1700, 5, 5), None)
    return _objects(_pick(rng, n, far))


CELLS: tuple[Any, ...] = (
    1, 0, -1, 2**70, 1.5, float("nan"), float("inf"), -float("inf"), 5e-324, 1.7e308, True,
    None, pd.NA, pd.NaT, "", " ", "x", "1", "1,5", "yes", "2024-01-01", b"raw", b"\xff",
    Decimal("1.10"), Decimal("NaN"), Decimal("Infinity"), Fraction(1, 3), 1 + 2j, [1, 2],
    [], {"a": 1}, (1, 2), {3}, frozenset(), np.array([1.0, 2.0]), np.float32(2.5),
    np.int8(3), np.datetime64("2024-01"), np.timedelta64(3, "D"), datetime.date(2024, 5, 5),
    datetime.datetime(2024, 5, 5, 5), datetime.time(5, 30), datetime.timedelta(hours=5),
    pd.Timestamp("2024", tz="UTC"), pd.Period("2024-05"), pd.Interval(0, 1), range(3), len,
    int, "\x00", "\ud800", "a" * 500,
)  # fmt: skip
"""Single cells of any kind."""

COLUMNS: dict[str, Callable[[Rng, int], Any]] = {
    "numbers": lambda rng, n: rng.normal(size=n),
    "numbers with gaps": lambda rng, n: np.where(
        rng.random(n) < 0.3, np.nan, rng.normal(size=n)
    ),
    "counts": lambda rng, n: rng.poisson(3, n),
    "single precision": lambda rng, n: rng.normal(size=n).astype(np.float32),
    "half precision": lambda rng, n: rng.normal(size=n).astype(np.float16),
    "bytes of one": lambda rng, n: rng.integers(-128, 128, n, dtype=np.int8),
    "largest whole": lambda rng, n: rng.integers(2**63, 2**64, n, dtype=np.uint64),
    "huge": lambda rng, n: rng.normal(size=n) * 1e300,
    "tiny": lambda rng, n: rng.choice([0.0, -0.0, 5e-324, 1e-310, 1e-200], n),
    "all sizes": lambda rng, n: 10.0 ** rng.integers(-300, 300, n),
    "infinite": lambda rng, n: rng.choice([np.inf, -np.inf, 0.5, np.nan], n),
    "only infinite": lambda rng, n: np.full(n, np.inf),
    "constant": lambda rng, n: np.full(n, 7),
    "constant with gaps": lambda rng, n: _with_gaps(rng, ["same"] * n),
    "blank": lambda rng, n: _objects(_pick(rng, n, _BLANKS)),
    "NaN": lambda rng, n: np.full(n, np.nan),
    "None": lambda rng, n: _objects([None] * n),
    "counting": lambda rng, n: np.arange(n),
    "counting down": lambda rng, n: np.arange(n)[::-1] + 10**6,
    "keys": lambda rng, n: [f"K-{place:05d}" for place in rng.permutation(n)],
    "codes": lambda rng, n: [f"{code:05d}" for code in rng.integers(0, 30, n)],
    "huge codes": lambda rng, n: [str(10**40 + int(code)) for code in rng.integers(0, 9, n)],
    "huge whole": lambda rng, n: _objects(
        [10**40 + int(code) for code in rng.integers(0, 9, n)]
    ),
    "amounts": lambda rng, n: _with_gaps(rng, [f"{one:,.2f}" for one in _amounts(rng, n)]),
    "decimal commas": lambda rng, n: [_swap(f"{one:,.2f}") for one in _amounts(rng, n)],
    "open commas": lambda rng, n: [f"{one},{one:03d}" for one in rng.integers(100, 999, n)],
    "euros": lambda rng, n: [f"{one:.2f} €" for one in _amounts(rng, n)],
    "accounting": lambda rng, n: [
        f"({-one:,.1f})" if one < 0 else f"{one:,.1f}" for one in _amounts(rng, n)
    ],
    "percent": lambda rng, n: [f"{one:.0%}" for one in rng.random(n)],
    "many writings": _mixed_writing,
    "numbers and words": lambda rng, n: _with_gaps(
        rng, rng.normal(size=n), ("none yet", "~5", "<1")
    ),
    "other digits": lambda rng, n: _pick(
        rng, n, ("٣", "३", "3", "²", "Ⅷ", "½", "\uff11\uff12")
    ),
    "exponents": lambda rng, n: _pick(
        rng, n, ("1e400", "-1e400", "1e-400", "1e5", "0x1F", "1_000", "infinity", "nan")
    ),
    "yes and no": lambda rng, n: _with_gaps(rng, _pick(rng, n, ("yes", "no", "Yes"))),
    "ja": lambda rng, n: _pick(rng, n, ("ja", "nein", "")),
    "marks": lambda rng, n: _pick(rng, n, ("x", "", None)),
    "flags": lambda rng, n: rng.random(n) < 0.4,
    "flags with gaps": lambda rng, n: _objects(_pick(rng, n, (True, False, None))),
    "few words": lambda rng, n: _with_gaps(rng, _pick(rng, n, ("north", "south", "east"))),
    "free text": lambda rng, n: [" ".join(_pick(rng, 3, _WORDS)) for _ in range(n)],
    "unicode": lambda rng, n: _pick(rng, n, _WORDS),
    "odd letters": lambda rng, n: _pick(rng, n, _ODD),
    "NUL": lambda rng, n: _pick(rng, n, ("a\x00b", "\x00", "c")),
    "half a letter": lambda rng, n: _objects(_pick(rng, n, ("\ud800", "a", "b"))),
    "long cells": lambda rng, n: ["long " * int(size) for size in rng.integers(1, 800, n)],
    "one long word": lambda rng, n: ["x" * int(size) for size in rng.integers(1, 3000, n)],
    "markup": lambda rng, n: _pick(
        rng, n, ("<b>", "<script>alert(1)</script>", "&amp;", "{{x}}")
    ),
    "formulas": lambda rng, n: _pick(rng, n, ("=1+1", "@x", "+1", "-1")),
    "dates": _text_dates,
    "many dates": _many_dates,
    "impossible dates": _impossible_dates,
    "far dates": _far_dates,
    "moments": _moments,
    "moments with zone": lambda rng, n: (
        _moments(rng, n).dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo")
    ),
    "moments with gaps": lambda rng, n: _moments(rng, n).where(rng.random(n) < 0.7),
    "zones mixed": lambda rng, n: _objects(
        _pick(
            rng,
            n,
            (
                pd.Timestamp("2024", tz="UTC"),
                pd.Timestamp("2023", tz="Asia/Tokyo"),
                pd.Timestamp("2022"),
            ),
        )
    ),
    "only NaT": lambda rng, n: pd.Series(pd.to_datetime([None] * n)),
    "seconds": lambda rng, n: _moments(rng, n).astype("datetime64[s]"),
    "spans": lambda rng, n: pd.to_timedelta(rng.integers(-99, 99, n), "h"),
    "spans with gaps": lambda rng, n: pd.Series(
        pd.to_timedelta(rng.integers(-9, 9, n), "h")
    ).where(rng.random(n) < 0.7),
    "months": lambda rng, n: pd.Series(pd.period_range("2020", periods=n, freq="M")),
    "quarters": lambda rng, n: pd.Series(
        pd.PeriodIndex(_pick(rng, n, ("2020Q1", "2020Q3", "NaT")), freq="Q")
    ),
    "intervals": lambda rng, n: pd.Series(
        pd.arrays.IntervalArray.from_breaks(np.arange(n + 1.0))
    ),
    "cut": lambda rng, n: pd.Series(pd.cut(rng.normal(size=n), [-9, -0.5, 0.5, 9])),
    "times": lambda rng, n: _objects([one.time() for one in _moments(rng, n)]),
    "days": lambda rng, n: _objects([one.date() for one in _moments(rng, n)]),
    "levels": lambda rng, n: _categories(rng, n, ["a", "b", "c"]),
    "ordered levels": lambda rng, n: _categories(
        rng, n, ["low", "mid", "high", "never"], ordered=True
    ),
    "numeric levels": lambda rng, n: _categories(rng, n, [1, 2, 3]),
    "ordered numbers": lambda rng, n: _categories(rng, n, [3.0, 1.0, 2.5], ordered=True),
    "mixed levels": lambda rng, n: _categories(rng, n, ["1", 1, 2.5]),
    "blank levels": lambda rng, n: _categories(rng, n, ["", "NA", "x", " x"]),
    "date levels": lambda rng, n: _categories(rng, n, pd.date_range("2024", periods=3)),
    "no level": lambda rng, n: pd.Series(pd.Categorical([None] * n, categories=["a"])),
    "Int64": lambda rng, n: pd.array(_pick(rng, n, (1, 2, 30, None)), "Int64"),
    "UInt8": lambda rng, n: pd.array(_pick(rng, n, (1, 2, 30, None)), "UInt8"),
    "Float64": lambda rng, n: pd.array(_pick(rng, n, (1.5, -2.5, 1e300, None)), "Float64"),
    "boolean": lambda rng, n: pd.array(_pick(rng, n, (True, False, None)), "boolean"),
    "string": lambda rng, n: pd.array(_pick(rng, n, ("a", "1", None, "")), "string"),
    "only NA": lambda rng, n: pd.array([None] * n, "Int64"),
    "arrow numbers": lambda rng, n: pd.array(
        _pick(rng, n, (1.5, 2.0, None)), "float64[pyarrow]"
    ),
    "arrow text": lambda rng, n: pd.array(_pick(rng, n, ("a", "bc", None)), "string[pyarrow]"),
    "arrow days": lambda rng, n: pd.Series(
        pd.array(list(_moments(rng, n).dt.date), "date32[pyarrow]")
    ),
    "arrow moments": lambda rng, n: pd.Series(_moments(rng, n)).astype(
        "timestamp[us][pyarrow]"
    ),
    "arrow flags": lambda rng, n: pd.array(_pick(rng, n, (True, False, None)), "bool[pyarrow]"),
    "sparse": lambda rng, n: pd.Series(
        pd.arrays.SparseArray(rng.poisson(0.3, n).astype(float))
    ),
    "sparse whole": lambda rng, n: pd.Series(pd.arrays.SparseArray(rng.poisson(0.3, n))),
    "raw bytes": lambda rng, n: _objects(
        [bytes([int(one), 255]) for one in rng.integers(0, 9, n)]
    ),
    "decimals": lambda rng, n: _objects([Decimal(f"{one:.2f}") for one in _amounts(rng, n)]),
    "odd decimals": lambda rng, n: _objects(
        _pick(rng, n, (Decimal("NaN"), Decimal("Infinity"), Decimal("1e500")))
    ),
    "fractions": lambda rng, n: _objects(
        [Fraction(int(one), 7) for one in rng.integers(1, 60, n)]
    ),
    "lists": lambda rng, n: _objects([[int(one)] * int(one) for one in rng.integers(0, 4, n)]),
    "dicts": lambda rng, n: _objects([{"a": int(one)} for one in rng.integers(0, 3, n)]),
    "sets": lambda rng, n: _objects([{int(one)} for one in rng.integers(0, 3, n)]),
    "arrays": lambda rng, n: _objects([np.arange(int(one)) for one in rng.integers(0, 4, n)]),
    "complex": lambda rng, n: rng.normal(size=n) + 1j,
    "complex cells": lambda rng, n: _objects(_pick(rng, n, (1 + 2j, 2j, 3))),
    "anything": lambda rng, n: _objects(_pick(rng, n, CELLS)),
    "nearly numbers": lambda rng, n: _with_gaps(rng, rng.normal(size=n), CELLS, 0.1),
}
"""How to draw n cells of each kind."""


def draw_column(kind: str, rng: Rng, n: int) -> Any:
    """Return n cells of a kind as a pandas column.

    Parameters
    ----------
    kind : str
        One of `COLUMNS`.
    rng : Generator
        The source of chance.
    n : int
        How many.
    """
    return pd.Series(COLUMNS[kind](rng, n)).reset_index(drop=True)
