"""What reviewers wrote: a verdict for each row they decided on."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lopsided._terminal import abbreviate, list_some
from lopsided._validation import check_choice
from lopsided._warnings import warn
from lopsided.review.verdicts import WORDS
from lopsided.workflow.roles import ROW_NUMBER, Roles
from lopsided.workflow.tables import is_blank, read_texts, same_value
from lopsided.workflow.training import TrainingTable

__all__ = ["Verdicts", "place_verdicts", "read_verdicts"]

_COLUMN = "verdict"


class Verdicts(NamedTuple):
    """The rows that were decided, with their ids and what was decided."""

    frame: Any
    ids: Any
    verdicts: NDArray[np.int8]  # 1 = positive, -1 = negative


def read_verdicts(
    frame: Any,
    roles: Roles,
    column: str | None = None,
    positive: str | None = None,
    negative: str | None = None,
) -> Verdicts:
    """Return the decided rows of a reviewed table; a blank cell decides nothing.

    In the label column, which the reviewers may have filled in, 0 is undecided too.
    """
    name = _find_column(frame, roles, column)
    if name == roles.label and positive is None and negative is None:
        verdicts = roles.labels(frame, need_labeled=False)
    else:
        own = (positive or roles.positive, negative or roles.negative)
        verdicts = _read_words(frame[name], name, *own)
    decided = np.flatnonzero(verdicts)
    if not len(decided):
        raise ValueError(
            f"Column {abbreviate(name)!r} must hold verdicts, got none. Write 1 for a positive "
            "and -1 for a negative, and leave the others blank."
        )
    ids = roles.ids(frame).iloc[decided].reset_index(drop=True)
    return Verdicts(frame.iloc[decided].reset_index(drop=True), ids, verdicts[decided])


def _read_words(
    column: Any, name: str, positive: str | None, negative: str | None
) -> NDArray[np.int8]:
    """Return 1 and -1 for cells that decide, 0 for blank ones."""
    texts = read_texts(column)
    found = {text: WORDS.get(text.lower(), 0) for text in texts.unique()}
    for given, verdict in ((positive, 1), (negative, -1)):
        if given is not None and str(given).strip():
            found |= dict.fromkeys(
                (text for text in found if same_value(text, str(given))), verdict
            )
    strange = [text for text, verdict in found.items() if not verdict and not is_blank(text)]
    if strange:  # a verdict must not be lost
        zero = " 0 might mean either: write -1 for a negative." if "0" in strange else ""
        raise ValueError(
            f"Column {abbreviate(name)!r} must hold 1 (positive), -1 (negative) or blanks "
            f"(undecided), got {list_some(strange[:5], 80)}.{zero} Name other values "
            "(positive=..., negative=...)."
        )
    return texts.map(found).to_numpy(np.int8)


def _find_column(frame: Any, roles: Roles, column: str | None) -> str:
    if column is not None:
        return check_choice(column, list(frame.columns), "column")
    for name in (_COLUMN, roles.label):
        if name in frame.columns:
            return name
    raise ValueError(
        f"The reviewed table must have a column {_COLUMN!r} or {abbreviate(roles.label)!r}, "
        f"got {list_some(frame.columns[:8], 120)}. Name the column of verdicts (verdict=...)."
    )


def place_verdicts(model: Any, verdicts: Verdicts) -> tuple[TrainingTable, NDArray[np.intp]]:
    """Return a model's training table with all rows of verdicts in it, and where they are.

    Rows are known again by id and features, then by their id; all others are added.
    """
    rows, frame = model.training, verdicts.frame
    columns = [name for name in model.cleaner.feature_names_in_ if name in frame.columns]
    if not columns:  # ids and verdicts alone
        if model.roles.id is None and ROW_NUMBER not in frame.columns:
            raise ValueError(
                "The reviewed table must name its rows, got neither their id nor their "
                "columns. Keep the column id of the ranking."
            )
        return rows, _check_agreement(_find_all(rows, verdicts.ids), verdicts)
    X = model.cleaner.transform(frame[columns])
    places = rows.find(X, verdicts.ids)
    if rows.named:
        by_id = rows.find_by_id(verdicts.ids)
        changed = (places < 0) & (by_id >= 0)
        places[changed] = by_id[changed]
        if changed.any():
            warn(
                f"{changed.sum()} of {len(changed)} reviewed rows are known by their id alone: "
                "their other cells have changed since training. Their verdicts are taken, "
                "their cells are kept as training had them.",
            )
    new = places < 0
    if new.any():
        warn(
            f"{new.sum()} of {len(new)} reviewed rows were not in training and are added.",
        )
        places[new] = len(rows) + np.arange(new.sum())
        scores = model.estimator.decision_function(X[new])
        rows = rows.append(X[new], verdicts.ids[new], scores)
    return rows, _check_agreement(places, verdicts)


def _check_agreement(places: NDArray[np.intp], verdicts: Verdicts) -> NDArray[np.intp]:
    """Return the places, or raise an error if a row has two verdicts."""
    given = pd.DataFrame({"place": places, "verdict": verdicts.verdicts})
    two = given.groupby("place")["verdict"].transform("nunique").to_numpy() > 1
    if two.any():
        row = abbreviate(verdicts.ids[two].iloc[0])
        raise ValueError(
            f"A row must have one verdict, got both 1 and -1 for {row!r}. Leave one of them."
        )
    return places


def _find_all(rows: TrainingTable, ids: Any) -> NDArray[np.intp]:
    """Return the places of rows that have nothing but an id."""
    places = rows.find_by_id(ids)
    lost = ids[places < 0].astype(str)
    if len(lost):
        raise ValueError(
            "Rows without any column of training must be known by an id that one row has, got "
            f"{len(lost)} that are not, such as {abbreviate(lost.iloc[0])!r}. Review a list "
            "that rank wrote, with its columns."
        )
    return places
