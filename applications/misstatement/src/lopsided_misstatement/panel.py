"""The panel of annual reports: one row per firm and fiscal year, under the names used here."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from lopsided.workflow.tables import read_table
from lopsided_misstatement.ratios import ITEMS, RATIOS
from lopsided_misstatement.releases import match_cases

__all__ = ["TERMS", "check_panel", "load_panel"]

TERMS = (
    "The misstatement panel is not part of lopsided. Its rows were published by Zavitsanos, "
    "Bougiatiotis, Sideras and Paliouras (ICAIF 2025, github.com/iit-Demokritos/pu_finance) "
    "without a licence and rest on Compustat and Audit Analytics: cite them, and ask before "
    "passing rows on."
)
_COLUMNS = ("gvkey", "fyear", "sic", "state", "misstated", *ITEMS)
_PANEL, _CASES = "panel_2000_2014.csv.gz", "aaer_firm_year_farr.csv"
_PUBLISHED = {"SIC": "sic", "State of Inc": "state"}
_TRUTH = ("Misstatement_BAO", "Misstatement_AA")  # the SEC's cases, and restatements
_EXTRA = ("restatement_year", "aaer_year", "case_end", "ppent")
_FIRST_SPLIT = 2003


def load_panel(
    path: str | os.PathLike[str] | None = None,
    columns: Mapping[str, str] | None = None,
    cases: str | os.PathLike[str] | None = None,
) -> Any:
    """Read a panel of firm-years with items, ratios and what is known of misstatements.

    Parameters
    ----------
    path : path, optional
        A csv or parquet file, or a folder with the authors' splits (`split_2003` and so on,
        each with `train_instances.csv` and `test_instances.csv`). None takes `finance/` in the
        folder LOPSIDED_DATA.
    columns : mapping of str to str, optional
        The file's names of columns to those used here, where they differ.
    cases : path, optional
        SEC cases: `p_aaer`, `gvkey`, `min_year`, `max_year`. None looks beside the panel.

    Returns
    -------
    DataFrame
        Sorted by year and firm: `gvkey`, `fyear`, `sic` and `state` as categories, the 28
        items, the ratios that the file has, `misstated`, `restatement_year`, `aaer_year`,
        `case_end`.
    """
    file = _own_panel() if path is None else Path(path)
    frame = _read_splits(file) if file.is_dir() else read_table(file)
    frame = _renamed(frame, columns or {})
    if "misstated" not in frame and all(name in frame for name in _TRUTH):
        either = [_numbers(frame[name], name) == 1 for name in _TRUTH]
        frame["misstated"] = (either[0] | either[1]).astype(np.int64)
    panel = check_panel(_typed(frame))
    beside = (file if file.is_dir() else file.parent) / _CASES
    if cases is not None or (beside.exists() and "aaer_year" not in panel):
        panel = match_cases(panel, read_table(beside if cases is None else cases))
    return panel.sort_values(["fyear", "gvkey"], ignore_index=True)


def check_panel(panel: Any) -> Any:
    """Return a panel if it can be learned from; else say in a sentence what is wrong."""
    missing = [name for name in _COLUMNS if name not in panel]
    if missing:
        raise ValueError(
            f"A panel must have {len(_COLUMNS)} columns of set names; this one lacks "
            f"{', '.join(missing)}. Rename yours with --columns OLD=NEW, in Python with "
            "load_panel(columns={OLD: NEW})."
        )
    twice = panel.duplicated(["gvkey", "fyear"])
    if twice.any():
        firm, year = panel.loc[twice, ["gvkey", "fyear"]].iloc[0]
        raise ValueError(
            f"A panel must have one row for each firm and year, got {int(twice.sum())} more, "
            f"the first for gvkey {firm} in {year}. Keep one of them."
        )
    truth = panel["misstated"]
    if not truth.isin([0, 1]).all():
        raise ValueError(
            f"misstated must hold 1 (misstated) and 0, got {sorted(truth.unique())[:5]}."
        )
    if panel["fyear"].nunique() < 2:
        raise ValueError(
            "A panel must have at least two fiscal years, one to learn from and one to rank, "
            f"got {panel['fyear'].unique().tolist()}. Add earlier years."
        )
    return panel


def _renamed(frame: Any, columns: Mapping[str, str]) -> Any:
    """Return a frame under the names used here; what a user says goes before what is usual."""
    absent = [name for name in columns if name not in frame]
    if absent:
        raise ValueError(
            f"Columns to rename must be in the panel, got {', '.join(absent)}, which are not. "
            f"It has {', '.join(map(str, frame.columns[:8]))} and so on."
        )
    if len(set(columns.values())) < len(columns):
        raise ValueError(f"Each column needs a name of its own, got {dict(columns)}.")
    usual = {
        old: new
        for old, new in _PUBLISHED.items()
        if old in frame and new not in frame and new not in columns.values()
    }
    names = {**usual, **columns}
    covered = [name for name in names.values() if name in frame and name not in names]
    return frame.drop(columns=covered).rename(columns=names)


def _own_panel() -> Path:
    """Return the panel in LOPSIDED_DATA, or say how to get it."""
    folder = os.environ.get("LOPSIDED_DATA")
    file = Path(folder or ".") / "finance" / _PANEL
    if folder is None or not file.exists():
        where = "LOPSIDED_DATA is not set" if folder is None else f"there is no {file}"
        raise FileNotFoundError(
            f"A panel is wanted and {where}. Give the path of one, or use a synthetic one "
            f"(--synthetic). {TERMS}"
        )
    return file


def _read_splits(folder: Path) -> Any:
    """Return the rows of the authors' splits: training rows of the first, test rows of all."""
    tests = sorted(folder.glob("split_*/test_instances.csv"))
    first = folder / f"split_{_FIRST_SPLIT}" / "train_instances.csv"
    if not tests or not first.exists():
        raise FileNotFoundError(
            f"{folder} must hold {first.relative_to(folder)} and "
            f"split_{_FIRST_SPLIT}/test_instances.csv and so on, and does not. Give the folder "
            f"of the authors' splits, or a file."
        )
    parts = [read_table(file) for file in (first, *tests)]
    frame = pd.concat(parts, ignore_index=True)
    if "fyear" not in frame:
        if "Basename" not in frame:
            raise ValueError(
                f"{folder}: the splits must have the column fyear or Basename (firm_year), "
                "got neither."
            )
        frame["fyear"] = frame["Basename"].str.rpartition("_")[2]
    return frame


def _typed(frame: Any) -> Any:
    """Return the columns used here as numbers and categories."""
    known = [name for name in (*_COLUMNS, *RATIOS, *_EXTRA) if name in frame]
    panel = pd.DataFrame({name: _typed_column(frame[name], name) for name in known})
    if "restatement_year" not in panel:
        panel["restatement_year"] = np.nan
    return panel


def _typed_column(column: Any, name: str) -> Any:
    if name in ("sic", "state"):
        words = column.astype("string").str.strip().str.removesuffix(".0")
        words = words.mask(words == "").astype(object)
        return words.where(words.notna(), np.nan).astype("category")
    numbers = _numbers(column, name)
    if name not in ("gvkey", "fyear", "misstated"):
        return numbers
    if numbers.isna().any():
        raise ValueError(
            f"{name} must be known for every row of a panel, got {int(numbers.isna().sum())} "
            "empty cells. Fill or drop these rows."
        )
    odd = numbers[numbers % 1 != 0]
    if len(odd):
        raise ValueError(f"{name} must be a whole number in every row, got {odd.iloc[0]:g}.")
    return numbers.astype(np.int64)


def _numbers(column: Any, name: str) -> Any:
    if pd.api.types.is_numeric_dtype(column):
        return column.astype(float)
    words = column.astype("string").str.strip()
    numbers = pd.to_numeric(words.mask(words == ""), errors="coerce").astype(float)
    wrong = numbers.isna() & words.notna() & ~words.str.lower().isin(["", "na", "nan"])
    if wrong.any():
        advice = " Number the firms, with pandas.factorize for example."
        raise ValueError(
            f"The column {name} of a panel must hold numbers, got {words[wrong].iloc[0]!r}."
            f"{advice if name == 'gvkey' else ''}"
        )
    return numbers
