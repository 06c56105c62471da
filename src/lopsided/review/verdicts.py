"""Verdicts as they come in: which rows they mean, and whether they can be."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._terminal import list_some

__all__ = ["WORDS", "check_ids", "check_verdicts", "find_rows", "open_frame"]

WORDS = {  # what reviewers write, in lower case
    **dict.fromkeys(("1", "1.0", "true", "yes", "y", "positive", "confirmed"), 1),
    **dict.fromkeys(("-1", "-1.0", "false", "no", "n", "negative", "cleared"), -1),
}
_UNDECIDED = ("", "0", "0.0")


def check_ids(ids: Any, n_rows: int) -> NDArray[Any]:
    """Return one name for each row, numbers or texts, none twice; None is the positions."""
    if ids is None:
        return np.arange(n_rows)
    names = np.asarray(ids)
    if names.dtype.kind == "O":
        if any(name is None or name != name for name in names.tolist()):
            raise ValueError("ids must name every row, got a missing one. Fill it in.")
        kinds = {type(name) for name in names.tolist()}
        names = names.astype(np.int64 if kinds == {int} else np.str_)
    if names.shape != (n_rows,):
        raise ValueError(f"ids must be one name for each of {n_rows} rows, got {names.shape}.")
    if names.dtype.kind not in "iuU":
        raise ValueError(
            f"ids must be whole numbers or texts, got {names.dtype}. Turn them into texts."
        )
    found, counts = np.unique(names, return_counts=True)
    if len(found) < n_rows:
        raise ValueError(
            f"ids must name each row once, got {found[counts.argmax()]!s} {counts.max()} times."
        )
    return names


def open_frame(frame: Any) -> tuple[dict[str, Any], Any]:
    """Return the rows, or else the ids, of a batch that came back, and its verdicts."""
    names = list(frame.columns)
    named = [name for name in ("row", "id") if name in names]
    if not named or "verdict" not in names:
        raise ValueError(
            "A frame of verdicts must have the column 'verdict', and 'row' or 'id' as that of "
            f"the batch has, got {list_some(names[:8], 120)}. Rename its columns."
        )
    place = {"row": "rows", "id": "ids"}[named[0]]
    return {place: np.asarray(frame[named[0]])}, np.asarray(frame["verdict"], dtype=object)


def find_rows(rows: Any, ids: Any, known: NDArray[Any]) -> NDArray[np.intp]:
    """Return the positions that rows or ids mean."""
    if (rows is None) == (ids is None):
        raise ValueError("Verdicts must come with rows or with ids, got both or neither.")
    if ids is not None:
        order = np.argsort(known, kind="stable")
        asked = _as_ids(ids, known)
        place = np.minimum(np.searchsorted(known[order], asked), len(known) - 1)
        found = order[place]
        strange = asked[known[found] != asked]
        if len(strange):
            raise ValueError(
                f"ids must be those of the table, got {strange[0]!s} and no row of that name. "
                "Use the ids of the batch."
            )
    else:
        found = _as_vector(rows, "rows")
        if found.dtype.kind not in "iu" and found.size:
            raise ValueError(
                f"rows must be whole numbers, positions in the table, got {found.dtype}."
            )
        found = found.astype(np.intp)
        strange = found[(found < 0) | (found >= len(known))]
        if len(strange):
            raise ValueError(
                f"rows must be from 0 to {len(known) - 1}, got {strange[0]}. Use batch.rows."
            )
    repeated = len(found) - len(np.unique(found))
    if repeated:
        raise ValueError(
            f"Each row must have one verdict, got {repeated} more than once. Keep one of each."
        )
    return found


def _as_vector(values: Any, name: str) -> NDArray[Any]:
    """Return one or several values in a row."""
    vector = np.atleast_1d(np.asarray(values))
    if vector.ndim != 1:
        raise ValueError(
            f"{name} must be one row of values, got shape {vector.shape}. Pass a flat list."
        )
    return vector


def _as_ids(ids: Any, known: NDArray[Any]) -> NDArray[Any]:
    """Return ids of the kind that the table has, as they are and not made to fit."""
    asked = _as_vector(ids, "ids")
    values = asked.tolist()
    wanted, kind = ("texts", str) if known.dtype.kind == "U" else ("whole numbers", int)
    wrong = [one for one in values if not isinstance(one, kind) or isinstance(one, bool)]
    if wrong:
        raise ValueError(
            f"ids must be {wanted} like those of the table, got {wrong[0]!r}. Use the ids of "
            "the batch."
        )
    return np.array(values, dtype=np.str_ if kind is str else np.int64)


def _read_word(verdict: Any) -> Any:
    """Return what a word says as a number; leave all else as it is."""
    if not isinstance(verdict, str):
        return verdict
    word = verdict.strip().lower()
    return 0 if word in _UNDECIDED else WORDS.get(word, verdict)


def check_verdicts(
    verdicts: Any, rows: NDArray[np.intp], y: NDArray[np.int8], ids: NDArray[Any]
) -> NDArray[np.int8]:
    """Return 1, -1 and 0 for the rows, none of which may be decided already."""
    import pandas as pd

    if verdicts is None:
        raise ValueError("verdicts must be 1, -1 or 0 for each row, got none. Pass them.")
    given = pd.Series(_as_vector(np.asarray(verdicts, dtype=object), "verdicts"), dtype=object)
    if len(given) != len(rows):
        raise ValueError(
            f"There must be a verdict for each row, got {len(given)} for {len(rows)}."
        )
    filled = given.where(given.notna(), 0).map(_read_word)
    numbers = pd.to_numeric(filled, errors="coerce").to_numpy(dtype=float)
    wrong = ~np.isin(numbers, (1, -1, 0))
    wrong |= [isinstance(one, (bool, np.bool_)) for one in given]  # is False -1, or 0?
    if wrong.any():
        raise ValueError(
            "verdicts must be 1 or 'confirmed' (positive), -1 or 'cleared' (negative), 0 or "
            f"blank (undecided), got {given[wrong].iloc[0]!r}."
        )
    again = rows[y[rows] != 0]
    if len(again):
        which = {1: "a positive", -1: "a negative"}[int(y[again[0]])]
        raise ValueError(
            f"Verdicts must be about unlabeled rows, got row {ids[again[0]]!s}, which is known "
            f"to be {which}. Leave out the {len(again)} decided rows."
        )
    return numbers.astype(np.int8)
