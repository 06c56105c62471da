"""Tables as people write them: cells, labels and columns, read without losing any."""

from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from attacks.drawn import Draw, Entry, arguments
from attacks.entries.values import JUNK, SEEDS, expect
from attacks.user_columns import COLUMNS, draw_column
from attacks.user_tables import cells
from lopsided import TableCleaner
from lopsided.workflow import tables

__all__ = ["ENTRIES"]

_TEXT = st.one_of(
    st.text(max_size=10),
    st.sampled_from(
        ("", " ", "NA", "n/a", "-", "open", "New", "1", "1.0", "true", "-1", "#N/A")
    ),
)
_CELL = st.one_of(cells().map(lambda drawn: drawn[0]), JUNK)
_OPTIONS = st.sampled_from(("auto", ".", ","))


@arguments
def _cell_arguments(d: Draw) -> dict[str, Any]:
    return {"text": d(_TEXT), "other": d(_TEXT), "cell": d(_CELL)}


def _attack_cells(text: str, other: str, cell: Any) -> None:
    for function in (tables.is_blank, tables.is_unreviewed):
        expect(function(text) in (True, False), f"{function.__name__} of {text!r} is no answer")
    expect(tables.is_missing(cell) in (True, False), f"is {cell!r} missing?")
    spelled = tables.spell(cell)
    expect(isinstance(spelled, str), f"{cell!r} is spelled {spelled!r}")
    expect(tables.spell(text) == text, f"{text!r} is spelled {tables.spell(text)!r}")
    same = tables.same_value(text, other)
    expect(same in (True, False), f"{text!r} and {other!r}: {same!r}")
    blank = tables.is_blank(text)
    expect(blank or tables.same_value(text, text), f"{text!r} is not itself")


def _draw_column(d: Draw) -> Any:
    """Draw a column of a kind that users have, or of cells of any kind."""
    rng = np.random.default_rng(d(SEEDS))
    n = d(st.integers(1, 25))
    if d.chance(0.5):
        return draw_column(d(st.sampled_from(sorted(COLUMNS))), rng, n)
    drawn = d(cells())
    column = pd.Series([None] * n, dtype=object)
    for row, place in enumerate(rng.integers(0, len(drawn), n)):
        column.iat[row] = drawn[place]
    return column


_LABELS = st.sampled_from(
    (1, 0, -1, 1.0, "1", "0", "-1", "true", "", None, "NA", "fraud", "open")
)


@arguments
def _label_arguments(d: Draw) -> dict[str, Any]:
    d.odd = True  # what is no label, or labels of one kind, is refused
    column: Any = d(st.lists(_LABELS, min_size=1, max_size=20))
    if d.chance(0.3):
        column = _draw_column(d)
    elif d.chance(0.3):
        column = pd.Series(column, dtype=object)
    value = st.one_of(st.none(), st.sampled_from(("1", "fraud", "cleared", "-1")), _TEXT)
    return {
        "column": column,
        "positive": d(value, JUNK, 0.05),
        "negative": d(value, JUNK, 0.05),
        "name": d(_TEXT),
        "need": d.chance(0.7),
    }


def _attack_labels(column: Any, positive: Any, negative: Any, name: str, need: bool) -> None:
    found = tables.read_labels(column, name, positive, negative, need)
    expect(found.dtype == np.int8 and len(found) == len(column), f"labels {found!r}")
    expect(set(found.tolist()) <= {-1, 0, 1}, f"labels {found!r}")
    texts = tables.read_texts(column)
    expect(len(texts) == len(column), "texts of other rows")
    named = {str(one).strip().lower() for one in (positive, negative)}
    for text, label in zip(texts, found, strict=True):
        if tables.is_blank(text) and str(text).strip().lower() not in named:
            expect(label == 0, f"a blank cell {text!r} is {label}")
        elif isinstance(positive, str) and tables.same_value(text, positive):
            expect(label == 1, f"{text!r} is {label}, the positives are {positive!r}")


@arguments
def _name_arguments(d: Draw) -> dict[str, Any]:
    words = st.lists(_TEXT, max_size=4)
    d.odd = True  # words may be no names
    return {"column": _draw_column(d), "words": d(words), "names": d(words)}


def _attack_names(column: Any, words: Any, names: Any) -> None:
    found = tables.read_names(column)
    expect(found.dtype.kind == "U" and len(found) == len(column), f"names {found!r}")
    texts = tables.read_texts(column)
    expect(all(isinstance(text, str) for text in texts), f"texts {texts!r}")
    some = tables.find_columns(words, names)
    expect(set(some) <= set(names), f"{some} are none of {names}")


@arguments
def _cleaner_arguments(d: Draw) -> dict[str, Any]:
    rng = np.random.default_rng(d(SEEDS))
    n = d(st.integers(1, 25))
    kinds = d(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, max_size=4))
    frame = pd.DataFrame(
        {f"column {place}": draw_column(kind, rng, n) for place, kind in enumerate(kinds)}
    )
    frame["numbers"] = np.arange(n) % 7 / 3
    if d.chance(0.3):
        frame["drawn"] = _stack(d(cells()), rng, n)
    d.odd = d.odd or "complex" in kinds
    names = list(frame.columns)
    types = st.dictionaries(
        st.sampled_from(names),
        st.sampled_from(("number", "boolean", "category", "date", "text", "id", "drop")),
        max_size=1,
    )
    settings = {}
    if d.chance(0.4):
        d.odd = True  # a column may not be of the kind that is named
        settings = {
            "types": d(types, st.one_of(JUNK, st.dictionaries(_TEXT, _TEXT)), 0.1),
            "drop": d(st.lists(st.sampled_from(names), max_size=1), JUNK, 0.1),
            "decimal": d(_OPTIONS, JUNK, 0.1),
            "day_first": d(st.sampled_from(("auto", True, False)), JUNK, 0.1),
            "text": d(st.sampled_from(("auto", "drop", "category")), JUNK, 0.1),
        }
    return {"frame": d(st.just(frame), JUNK, 0.03), "settings": settings}


def _stack(drawn: Any, rng: np.random.Generator, n: int) -> Any:
    column = pd.Series([None] * n, dtype=object)
    for row, place in enumerate(rng.integers(0, len(drawn), n)):
        column.iat[row] = drawn[place]
    return column


def _attack_cleaner(frame: Any, settings: dict[str, Any]) -> None:
    cleaner = TableCleaner(**settings).fit(frame)
    found = cleaner.transform(frame)
    expect(len(found) == len(frame), f"{len(found)} rows of {len(frame)}")
    names = list(cleaner.get_feature_names_out())
    expect(names == list(found.columns), f"features {names} and {list(found.columns)}")
    expect(len(set(names)) == len(names), f"features {names}")
    for name, column in found.items():
        if column.dtype.kind == "f":
            expect(not np.isinf(column).any(), f"{name} is infinite")
        else:
            expect(isinstance(column.dtype, pd.CategoricalDtype), f"{name}: {column.dtype}")
    alone = cleaner.transform(frame.iloc[:1])
    for name in names:
        one, two = alone[name].iloc[0], found[name].iloc[0]
        expect(one == two or (pd.isna(one) and pd.isna(two)), f"{name}: {one!r} and {two!r}")
    expect(isinstance(cleaner.describe(), str), "no description")
    for problem in tables.find_parse_problems(cleaner, frame):
        expect(problem.text.endswith("."), problem.text)


@arguments
def _frame_arguments(d: Draw) -> dict[str, Any]:
    column = _draw_column(d)
    frame = pd.DataFrame({"a": column, "b": range(len(column))})
    form = d.one("pandas", "pandas", "arrow", "polars", "dict", "array")
    table: Any = frame
    if form == "arrow":
        import pyarrow as pa

        table = pa.table({"a": frame["b"], "b": frame["b"] / 2})
    elif form == "polars":
        import polars as pl

        table = pl.DataFrame({"a": frame["b"].to_numpy(), "b": frame["b"].to_numpy()})
    elif form == "dict":
        d.odd, table = True, {"a": [1, 2]}
    elif form == "array":
        d.odd, table = True, np.zeros((2, 2))
    return {"table": d(st.just(table), JUNK)}


def _attack_frame(table: Any) -> None:
    found = tables.read_frame(table)
    expect(isinstance(found, pd.DataFrame), f"a frame of {type(found)}")
    expect(len(found) == len(table), f"{len(found)} rows of {len(table)}")


_CELLS = ("is_blank", "is_unreviewed", "is_missing", "spell", "same_value")

ENTRIES = (
    Entry(tuple(f"tables.{name}" for name in _CELLS), _cell_arguments, _attack_cells, share=2),
    Entry(("tables.read_labels", "tables.read_texts"), _label_arguments, _attack_labels, 3),
    Entry(("tables.read_names", "tables.find_columns"), _name_arguments, _attack_names, 2),
    Entry(
        (
            "tables.TableCleaner",
            "TableCleaner",
            "tables.CleanedColumn",
            "tables.find_parse_problems",
            "tables.ParseProblem",
        ),
        _cleaner_arguments,
        _attack_cleaner,
        share=2,
    ),
    Entry(("tables.read_frame",), _frame_arguments, _attack_frame),
)
