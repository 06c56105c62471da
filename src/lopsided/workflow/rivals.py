"""Scores that a desk has already, as columns of its table, to compare a model with."""

import warnings
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._terminal import abbreviate, list_some
from lopsided.workflow.model import TableModel
from lopsided.workflow.ranked import Scored
from lopsided.workflow.tables import TableCleaner, find_columns, is_blank, read_texts

__all__ = ["read_rivals"]


def read_rivals(
    model: TableModel, frame: Any, scored: Scored, columns: str | Iterable[str]
) -> dict[str, NDArray[np.float64]]:
    """Return other scores of the rows of training, by the name of their column.

    Larger is more suspicious, and a blank cell stands last, as in `blind_recall`.
    """
    words = [columns] if isinstance(columns, str) else list(columns)
    names = find_columns(words, list(frame.columns))
    if not names:
        return {}
    rows = model.training.first_table()
    places = rows.find(scored.X, scored.ids, model.roles.labels(frame, need_labeled=False))
    found = {name: np.full(len(rows), np.nan) for name in names}
    n_known = len(np.unique(places[places >= 0]))
    if n_known < len(rows):
        raise ValueError(
            "A rival must score all rows that were learned from, got a table with "
            f"{n_known} of {len(rows)} of them. Give the table that was learned from."
        )
    for name, scores in found.items():
        scores[places[places >= 0]] = _read_scores(frame, name)[places >= 0]
    return found


def _read_scores(frame: Any, name: str) -> NDArray[np.float64]:
    """Return the numbers of a column, however they are written."""
    texts = [text for text in read_texts(frame[name]) if not is_blank(text)]
    values = np.full(len(frame), np.nan)
    if texts:
        # Cells that are no numbers are warned of, or refused, in words that are not ours.
        with warnings.catch_warnings(), suppress(ValueError):
            warnings.simplefilter("ignore", UserWarning)
            cleaner = TableCleaner(types={name: "number"})
            values = cleaner.fit_transform(frame[[name]])[name].to_numpy(np.float64)
    if np.isfinite(values).sum() <= len(texts) / 2:
        raise ValueError(
            f"Column {abbreviate(name)!r} must hold scores as numbers to be a rival, got "
            f"{list_some(sorted(set(texts)), 40) or 'blank cells'}. Name another (rivals=...)."
        )
    return values
