"""Which columns of a table are not features: the label, ids, groups and what is left out."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lopsided._terminal import abbreviate, list_some, quote
from lopsided._validation import check_choice, check_unique
from lopsided.workflow.tables import (
    TableCleaner,
    find_columns,
    read_frame,
    read_labels,
    read_names,
)

__all__ = ["ROW_NUMBER", "Prepared", "Roles", "prepare"]

ROW_NUMBER = "row number"  # the column of ids of a ranking whose table has none


@dataclass(frozen=True)
class Roles:
    """What the columns of a table are for; all that have no role are features.

    Parameters
    ----------
    label : str
        The column that marks labeled positives.
    positive, negative : str or None
        Its values for labeled positives (1 or true) and for reviewed negatives (-1).
    id : str or None
        The column that names rows; None numbers them from 1.
    group : str or None
        The column of what belongs together, such as the customer of a claim.
    drop : tuple of str
        Columns to leave out.
    """

    label: str
    positive: str | None = None
    negative: str | None = None
    id: str | None = None
    group: str | None = None
    drop: tuple[str, ...] = ()

    @classmethod
    def find(
        cls, frame: Any, label: str, drop: str | Iterable[str] = (), **others: Any
    ) -> "Roles":
        """Return the roles in a table that has all the columns they name."""
        names = list(frame.columns)
        check_unique(names)
        if not (drop is None or isinstance(drop, Iterable)):
            raise ValueError(f"drop must be a list of columns, got {quote(drop)}.")
        dropped = () if drop is None else drop
        words = [drop] if isinstance(drop, str) else [str(word) for word in dropped]
        # Columns may be named by numbers, and labels be numbers; text is what all become.
        texts = {role: one if one is None else str(one) for role, one in others.items()}
        roles = cls(str(label), drop=find_columns(words, names), **texts)
        taken = [name for name in (roles.label, roles.id, roles.group) if name is not None]
        for name in taken:
            check_choice(name, names, "column")
        if len(set(taken)) < len(taken) or roles.label in roles.drop:
            raise ValueError(
                f"Label, id and group must be columns of their own and the label cannot be "
                f"dropped, got {list_some(taken, 120)}. Name another column."
            )
        return roles

    def features(self, frame: Any) -> Any:
        """Return the columns that have no role."""
        others = {self.label, self.id, self.group, ROW_NUMBER, *self.drop}
        return frame[[name for name in frame.columns if name not in others]]

    def labels(self, frame: Any, need_labeled: bool = True) -> NDArray[np.int8]:
        """Return 1, 0 and -1 for the rows; 0 for all where there is no label column."""
        if self.label not in frame.columns:
            return np.zeros(len(frame), np.int8)
        return read_labels(
            frame[self.label], self.label, self.positive, self.negative, need_labeled
        )

    def ids(self, frame: Any) -> Any:
        """Return the names of the rows as a series: those of the id column, or numbers."""
        if self.id is not None:
            check_choice(self.id, list(frame.columns), "column")
            return frame[self.id].reset_index(drop=True)
        if ROW_NUMBER in frame.columns:
            return frame[ROW_NUMBER].reset_index(drop=True)
        return pd.Series(np.arange(1, len(frame) + 1))

    def find_row(self, frame: Any, row: Any) -> NDArray[np.intp]:
        """Return the place of the one row that has an id, as an array of one."""
        ids = read_names(self.ids(frame))
        places = np.flatnonzero(ids == read_names(pd.Series([row], dtype=object))[0])
        if len(places) == 1:
            return places
        column = abbreviate(self.id or "the row's number")
        advice = f". Ids begin with {list_some(ids[:3])}."
        if len(places):
            advice = f": rows {list_some(places + 1, 60)} of the table. Leave one of them in."
        raise ValueError(
            f"One row must have the id {abbreviate(row)!r} ({column}), got "
            f"{len(places)}{advice}"
        )

    def groups(self, frame: Any) -> Any:
        """Return what belongs together, None if there is no such column."""
        return None if self.group is None else read_names(frame[self.group])


class Prepared(NamedTuple):
    """A table with the roles of its columns, and what is learned from."""

    frame: Any
    roles: Roles
    y: NDArray[np.int8]
    cleaner: TableCleaner
    X: Any

    @property
    def groups(self) -> Any:
        """What belongs together, None if nothing does."""
        return self.roles.groups(self.frame)


def prepare(
    table: Any,
    label: str,
    *,
    types: Any = None,
    decimal: str | None = None,
    day_first: bool | None = None,
    **roles: Any,
) -> Prepared:
    """Read a table, find its labels and clean all columns that have no role."""
    frame = read_frame(table)
    found = Roles.find(frame, label, **roles)
    y = found.labels(frame)
    cleaner = TableCleaner(
        types=types,
        decimal="auto" if decimal is None else decimal,
        day_first="auto" if day_first is None else day_first,
    )
    return Prepared(frame, found, y, cleaner, cleaner.fit_transform(found.features(frame)))
