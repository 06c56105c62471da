"""Files of tables: what was written is read, and what is broken is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from attacks.drawn import Draw, Entry, arguments
from attacks.entries.values import JUNK, SEEDS, expect
from attacks.mutations import mutate
from lopsided.workflow import tables

__all__ = ["ENTRIES"]

_FORMULAS = st.one_of(
    st.text(max_size=8), st.sampled_from(("=1+1", "-3", "'=a", "+", "@x", "\t=", "'", "-"))
)


@arguments
def _formula_arguments(d: Draw) -> dict[str, Any]:
    n = d(st.integers(1, 6))
    cells_of = st.lists(
        st.one_of(_FORMULAS, st.none(), st.integers(-3, 3)), min_size=n, max_size=n
    )
    column = pd.Series(d(cells_of), dtype=object)
    if d.chance(0.2):
        column = column.astype(str).astype("category")
    name = d(st.one_of(st.just("a"), _FORMULAS))
    return {"frame": pd.DataFrame({name: column, "number": range(n)})}


def _attack_formulas(frame: Any) -> None:
    before = frame.copy()
    safe = tables.escape_formulas(frame)
    expect(frame.equals(before), "the frame was changed")
    for cell in safe.iloc[:, 0]:
        text = cell if isinstance(cell, str) else ""
        expect(text[:1] not in ("=", "@"), f"{text!r} is a formula")
    again = tables.unescape_formulas(safe)
    expect(list(again.columns) == list(frame.columns), f"names {list(again.columns)}")
    pairs = zip(again.iloc[:, 0], frame.iloc[:, 0], strict=True)
    expect(all(one == two or pd.isna(one) for one, two in pairs), "cells do not come back")
    loud = tables.map_texts(frame, str.upper)
    expect(loud.shape == frame.shape and type(loud) is type(frame), "another frame")


@arguments
def _folder_arguments(d: Draw) -> dict[str, Any]:
    good = st.sampled_from(("out", "out/inner", Path("out")))
    odd = st.sampled_from(("", "/proc/no", "file/inner", "file"))
    return {"folder": d(good, odd, 0.3), "wait": d.chance(0.5)}


def _attack_folder(folder: Any, wait: bool) -> None:
    Path("file").write_text("kept")
    with tables.hold_folder(folder, wait):
        expect(Path(folder).is_dir(), "there is no folder")
        try:
            with tables.hold_folder(folder, False):
                expect(False, "two hold one folder")
        except BlockingIOError as error:
            expect(str(error).endswith("."), str(error))
    expect(Path("file").read_text() == "kept", "a file was changed")


_CELL_TEXT = st.text(
    st.characters(codec="utf-8", exclude_characters="\x00", exclude_categories=("Cs",)),
    max_size=8,
)
_FORMATS = st.builds(
    tables.TextFormat,
    st.sampled_from((",", ";", "\t", "|")),
    st.sampled_from((".", ",")),
    st.booleans(),
)
_SUFFIXES = (".csv", ".tsv", ".csv.gz", ".csv.bz2", ".csv.xz", ".parquet", ".feather", ".txt")


@arguments
def _file_arguments(d: Draw) -> dict[str, Any]:
    n, n_columns = d(st.integers(1, 5)), d(st.integers(1, 4))
    rows = d(
        st.lists(
            st.lists(_CELL_TEXT, min_size=n_columns, max_size=n_columns), min_size=n, max_size=n
        )
    )
    names = [f"c{place}" for place in range(n_columns)]
    if d.chance(0.1):
        d.odd = True
        names = d(st.lists(_CELL_TEXT, min_size=n_columns, max_size=n_columns))
    suffix = d(st.sampled_from(_SUFFIXES), st.sampled_from((".pdf", "", ".json", ".xlsx")))
    return {
        "frame": pd.DataFrame(rows, columns=names),
        "suffix": suffix,
        "text_format": d(st.one_of(st.none(), _FORMATS), JUNK, 0.02),
    }


def _attack_files(frame: Any, suffix: str, text_format: Any) -> None:
    path, copy = Path(f"table{suffix}"), Path("copy.csv")
    before = frame.copy()
    try:
        tables.check_output(path)
        tables.write_table(frame, path, text_format)
        text = tables.format_csv(frame, text_format)
        expect(isinstance(text, str), f"{text!r} is no text")
        expect(frame.equals(before), "the frame was changed")
        separator = text_format.separator if text_format is not None else ","
        options = {"separator": separator} if suffix.startswith((".csv", ".txt")) else {}
        found, _ = tables.read_with_format(path, **options)
        again = tables.read_table(path, **options)
        expect(found.equals(again), "two ways of reading a file differ")
        _check_same_cells(found, frame)
        with tables.atomic_write(copy) as draft:
            draft.write_text(text, encoding="utf-8", newline="")
        other = tables.read_table(copy, separator=separator)
        expect(other.shape == frame.shape, f"{other.shape} cells of {frame.shape}")
    finally:
        for file in (path, copy):
            file.unlink(missing_ok=True)


def _check_same_cells(found: Any, frame: Any) -> None:
    """Compare cells; a blank one may come back as missing."""
    expect(found.shape == frame.shape, f"{found.shape} cells of {frame.shape}")
    read = enumerate(found.columns)
    unnamed = {place for place, name in read if name == f"Unnamed: {place}"}  # none in a text
    names = [
        f"Unnamed: {place}" if not name and place in unnamed else str(name)
        for place, name in enumerate(frame.columns)
    ]
    expect(names == list(found.columns), f"{names} are read as {list(found.columns)}")
    for name, (one, two) in enumerate(
        zip(found.to_numpy(object).ravel(), frame.to_numpy(object).ravel(), strict=True)
    ):
        one = "" if pd.isna(one) else str(one)
        expect(one == two, f"cell {name} is {one!r} and was {two!r}")


@arguments
def _broken_arguments(d: Draw) -> dict[str, Any]:
    d.odd = True
    rng = np.random.default_rng(d(SEEDS))
    plain = "id;a;y\n" if d.chance(0.3) else "id,a,y\n"
    rows = "".join(f"{place},{place / 7:.3f},{place % 2}\n" for place in range(9))
    content = (plain + rows).encode(d.one("utf-8", "utf-8", "utf-16", "cp1252"))
    if d.chance(0.8):
        content, _ = mutate(rng, content)
    content = d(st.one_of(st.just(content), st.just(content), st.binary(max_size=60)))
    return {
        "content": content,
        "suffix": d.one(*[".csv", ".tsv", ".txt"] * 5, *_SUFFIXES, ".xlsx", ".zip", ".pq"),
        "options": {
            "separator": d(st.none(), st.one_of(JUNK, st.sampled_from((",", ";"))), 0.1),
            "encoding": d(st.none(), st.one_of(JUNK, st.sampled_from(("utf-8", "x"))), 0.1),
            "sheet": d(st.none(), st.one_of(JUNK, st.sampled_from((0, "a"))), 0.03),
        },
    }


def _attack_broken(content: bytes, suffix: str, options: dict[str, Any]) -> None:
    path = Path(f"table{suffix}")
    path.write_bytes(content)
    try:
        found = tables.read_table(path, **options)
        expect(len(found) >= 1 and isinstance(found, pd.DataFrame), f"{found!r}")
        expect(path.read_bytes() == content, "the file was changed")
    finally:
        path.unlink()


_FILES = ("read_with_format", "write_table", "format_csv", "check_output", "atomic_write")
_FORMULAS_OF = ("escape_formulas", "unescape_formulas", "map_texts")

ENTRIES = (
    Entry(
        (*(f"tables.{name}" for name in _FILES), "tables.TextFormat"),
        _file_arguments,
        _attack_files,
        share=2,
        errors=(OSError,),
    ),
    Entry(("tables.read_table",), _broken_arguments, _attack_broken, 3, (OSError,)),
    Entry(
        tuple(f"tables.{name}" for name in _FORMULAS_OF), _formula_arguments, _attack_formulas
    ),
    Entry(
        ("tables.hold_folder",),
        _folder_arguments,
        _attack_folder,
        errors=(OSError,),
        keeps=True,
    ),
)
