"""A user's table as learners take it: a file read, its labels found, its columns features."""

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided._check import check_choice
from lopsided._files import write_whole

__all__ = ["Task", "check_output", "prepare", "read_table", "write_table"]

_FEW = 0.5  # a text column with more distinct values per row than this names rows
_MOSTLY = 0.9  # a text column with so many numbers among its values is one of numbers


class Task(NamedTuple):
    """What a table asks: which rows are labeled, and the features of all."""

    X: Any  # data frame of numbers and categories
    y: NDArray[np.int8]
    ids: Any  # series
    left_out: tuple[str, ...]  # columns that could not serve as features


def read_table(path: str | os.PathLike[str]) -> Any:
    """Read a csv or parquet file into a pandas frame.

    Parameters
    ----------
    path : path
        Ends in .csv, .tsv, .txt (any of them may be followed by .gz, .bz2, .xz, .zst, .zip) or
        .parquet.
    """
    import pandas as pd

    file = Path(path)
    if not file.is_file():
        raise FileNotFoundError(
            f"There is no file {file}. Give the path of a csv or parquet file."
        )
    kind = _kind(file)
    try:
        if kind == "parquet":
            frame = pd.read_parquet(file)
        else:
            frame = pd.read_csv(file, sep="\t" if kind == "tsv" else ",", low_memory=False)
    except (ValueError, OSError, EOFError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else "it is cut off"
        raise ValueError(f"{file} could not be read as a {kind} file: {reason}") from None
    if not len(frame):
        raise ValueError(
            f"{file} must hold rows, got none. Give a table with a header and rows."
        )
    return frame


def check_output(path: str | os.PathLike[str]) -> None:
    """Raise an error now if a table cannot be written there later."""
    _kind(Path(path))
    if Path(path).is_dir():
        raise IsADirectoryError(f"{path} is a folder. Give the name of a file to write.")
    folder = Path(path).absolute().parent
    while not folder.exists():
        folder = folder.parent
    if not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise PermissionError(
            f"{folder} cannot be written to. Choose another folder for {path}."
        )


def write_table(frame: Any, path: str | os.PathLike[str]) -> None:
    """Write a frame as csv or parquet, whole or not at all."""
    kind = _kind(Path(path))
    with write_whole(path) as draft:
        if kind == "parquet":
            frame.to_parquet(draft, index=False)
        else:
            frame.to_csv(
                draft,
                index=False,
                sep="\t" if kind == "tsv" else ",",
                compression=_compression(Path(path)),
            )


def _compression(file: Path) -> Any:
    known = {".gz": "gzip", ".bz2": "bz2", ".xz": "xz", ".zst": "zstd", ".zip": "zip"}
    return known.get(file.suffix.lower())


def _kind(file: Path) -> str:
    suffixes = [suffix.lower() for suffix in file.suffixes]
    if _compression(file):
        suffixes = suffixes[:-1]
    kinds = {
        ".csv": "csv",
        ".txt": "csv",
        ".tsv": "tsv",
        ".parquet": "parquet",
        ".pq": "parquet",
    }
    if not suffixes or suffixes[-1] not in kinds:
        raise ValueError(f"{file} must end in .csv, .tsv or .parquet. Rename or convert it.")
    return kinds[suffixes[-1]]


def prepare(
    frame: Any,
    label: str,
    positive: str | None = None,
    id_column: str | None = None,
    drop: tuple[str, ...] = (),
) -> Task:
    """Split a table into labels, ids and features.

    Numbers stay, also where they are written as text with a few words between them; other text
    becomes categories, dates become days since the first one. Columns that cannot help, such as
    text that differs from row to row, are left out and named.

    Parameters
    ----------
    frame : DataFrame
        One row per case.
    label : str
        The column that marks labeled positives.
    positive : str or None
        The value that marks them; None expects 1 and 0, true and false, with blanks as 0.
    id_column : str or None
        The column that names rows; None numbers them from 1.
    drop : tuple of str
        Columns to leave out.
    """
    import pandas as pd

    names = [str(name) for name in frame.columns]
    for name in (label, *drop, *([id_column] if id_column else [])):
        check_choice(name, names, "column")
    frame = frame.set_axis(names, axis=1)
    y = _labels(frame[label], label, positive)
    ids = (
        frame[id_column]
        if id_column
        else pd.Series(np.arange(1, len(frame) + 1), index=frame.index)
    )
    features, left_out = {}, []
    for name in names:
        if name in (label, id_column, *drop):
            continue
        feature = _feature(frame[name])
        if feature is None:
            left_out.append(name)
        else:
            features[name] = feature
    if not features:
        raise ValueError(
            f"No column is left to learn from, got only {', '.join(names)}. Add columns of "
            "numbers, categories or dates that differ between rows and repeat values."
        )
    return Task(pd.DataFrame(features, index=frame.index), y, ids, tuple(left_out))


def _labels(column: Any, name: str, positive: str | None) -> NDArray[np.int8]:
    """Return 1 for labeled positives, 0 for the rest."""
    if positive is not None:
        y = np.asarray([_same(value, positive) for value in column], dtype=np.int8)
        if not y.any():
            shown = ", ".join(str(value) for value in column.dropna().unique()[:5])
            raise ValueError(
                f"No row of column {name!r} is {positive!r}, got {shown or 'blanks only'}. "
                "Name the value that marks labeled positives."
            )
        return y
    known = {"1": 1, "1.0": 1, "true": 1, "0": 0, "0.0": 0, "false": 0, "nan": 0, "": 0}
    texts = (
        column.astype(object).where(column.notna(), "nan").astype(str).str.strip().str.lower()
    )
    strange = sorted(set(texts) - set(known))
    if strange:
        raise ValueError(
            f"Column {name!r} must hold 1 (labeled positive) and 0 (unlabeled), got "
            f"{', '.join(strange[:5])}. Name the value of the positives with --positive."
        )
    return texts.map(known).to_numpy(np.int8)


def _same(value: Any, wanted: str) -> bool:
    """Compare a cell with a word of the command line: as text, else as a number."""
    if str(value) == wanted:
        return True
    try:
        return float(value) == float(wanted)
    except (TypeError, ValueError):
        return False


def _feature(column: Any) -> Any:
    """Return a column as numbers or categories, or None if it says nothing about rows."""
    import pandas as pd

    if column.isna().all():
        return None
    if pd.api.types.is_timedelta64_dtype(column.dtype):
        return column / pd.Timedelta(days=1)
    if pd.api.types.is_bool_dtype(column.dtype) or pd.api.types.is_numeric_dtype(column.dtype):
        numbers = column.astype(float)
        if np.isinf(numbers.to_numpy()).any():
            raise ValueError(
                f"Column {column.name!r} must hold finite numbers, got infinity. "
                "Leave such cells blank."
            )
        return numbers
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return _days(column)
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(object)
    texts = column.where(column.isna(), column.astype(str).str.strip())
    if (numbers := _as_numbers(texts)) is not None:
        return numbers
    dates = pd.to_datetime(texts, errors="coerce", format="ISO8601", utc=True)
    if dates.notna().equals(texts.notna()):
        return _days(dates)
    if texts.nunique() > max(_FEW * texts.notna().sum(), 1):
        return None
    return texts.astype("category")


def _as_numbers(texts: Any) -> Any:
    """Return text as numbers if nearly all of it is, commas between thousands allowed."""
    import pandas as pd

    plain = texts.str.replace(r"(?<=\d),(?=\d{3}\b)", "", regex=True)
    numbers = pd.to_numeric(plain, errors="coerce").replace([np.inf, -np.inf], np.nan)
    mostly = numbers.notna().sum() >= _MOSTLY * texts.notna().sum()
    return numbers.astype(float) if mostly else None


def _days(dates: Any) -> Any:
    import pandas as pd

    return (dates - dates.min()) / pd.Timedelta(days=1)
