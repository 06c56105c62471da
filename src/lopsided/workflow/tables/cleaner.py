"""A user's table as learners take it: types guessed once, kept, shown and overridable."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from lopsided._terminal import abbreviate, list_some, quote
from lopsided._validation import check_choice
from lopsided._warnings import warn
from lopsided.workflow.tables._categories import CategoryReader
from lopsided.workflow.tables._cells import quote_some
from lopsided.workflow.tables._frames import as_frame, is_nameless
from lopsided.workflow.tables._guess import KINDS, Guess, declare, examine, guess, settle
from lopsided.workflow.tables._reader import Reader, Reading

__all__ = ["CleanedColumn", "TableCleaner"]

_MANY = 0.5  # share of a column's cells, or of the columns, without which something is wrong
_SOME = 0.05  # share of a column's cells that are new categories, of which one is told
_ADVICE = "Add columns of numbers, categories or dates."


@dataclass(frozen=True)
class CleanedColumn:
    """What became of a raw column.

    Attributes
    ----------
    name : str
        The column.
    kind : str
        number, boolean, category, date, time, text; or why it is left out.
    how : str
        What it is read as.
    note : str
        What is worth to know of it.
    features : tuple of str
        What it became, none if it is left out.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"amount": ["1.250,00", "12,40"] * 9})
    >>> table["kind"] = ["fire", "water"] * 9
    >>> for column in TableCleaner().fit(table).columns_:
    ...     print(column.name, column.kind, column.features)
    amount number ('amount',)
    kind category ('kind',)
    """

    name: str
    kind: str  # number, boolean, category, date, time, text; or why it is left out
    how: str  # what it is read as
    note: str
    features: tuple[str, ...]  # none if it is left out


class TableCleaner(TransformerMixin, BaseEstimator):
    """Turns a table as people have it into numbers and categories that every method takes.

    Numbers are read as they are written: with currencies, per cent, thousands, decimal commas
    and minus signs of any kind. Dates become days since the first date of training, weekdays
    and so on; yes and no become 1 and 0; words that come back become categories; free text
    becomes components of its letters, by skrub. Columns that only name rows, and those that
    are blank or the same everywhere, are left out. How each column is read is decided in
    `fit`, shown by `describe`, and held to in `transform`.

    Parameters
    ----------
    types : mapping of str to str, optional
        What a column is, where the guess is wrong: "number", "boolean", "category", "date"
        (times of day too), "text", "id" or "drop".
    drop : iterable of str
        Columns to leave out.
    decimal : {"auto", ".", ","}
        The decimal separator of numbers written as text, for columns whose cells leave it open;
        "auto" goes by the other columns there.
    day_first : {"auto", True, False}
        Whether 1/2/25 is the first of February, for columns whose cells leave it open; "auto"
        goes by the other columns there.
    text : {"auto", "encode", "drop"}
        What becomes of free text: encoded, left out, or encoded if skrub is installed.

    Attributes
    ----------
    columns_ : tuple of CleanedColumn
        What became of each raw column.
    readers_ : dict of str to reader
        How each column that is used is read.
    sources_ : dict of str to str
        The raw column of each feature.
    feature_names_in_ : ndarray of str
        The raw columns.
    n_features_in_ : int
        How many there are.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame(
    ...     {"amount": ["1.234,50 €", "(12,00)"], "paid": ["ja", "nein"], "branch": ["A", "A"]}
    ... )
    >>> cleaner = TableCleaner()
    >>> cleaner.fit_transform(table)
       amount  paid
    0  1234.5   1.0
    1   -12.0   0.0
    >>> print(cleaner.describe())
    column  kind      read as                 features  note
    amount  number    numbers, decimal comma         1
    paid    boolean   1 for yes, 0 for no            1
    branch  constant                                 0  left out: the same in every row
    """

    columns_: tuple[CleanedColumn, ...]
    readers_: dict[str, Reader]
    sources_: dict[str, str]

    def __init__(
        self,
        types: Mapping[str, str] | None = None,
        drop: Iterable[str] = (),
        decimal: str = "auto",
        day_first: bool | str = "auto",
        text: str = "auto",
    ) -> None:
        self.types = types
        self.drop = drop
        self.decimal = decimal
        self.day_first = day_first
        self.text = text

    def fit(self, X: Any, y: Any = None) -> Self:
        """Decide how each column is read.

        Parameters
        ----------
        X : data frame of pandas, polars or pyarrow
            The columns to learn from: neither labels nor ids of rows.
        y : None
            Not used.
        """
        frame = as_frame(X)
        said = self._check(frame)
        used = {
            name: frame[name] for name in frame.columns if said.get(name) not in ("id", "drop")
        }
        examined = {name: examine(column, self.decimal) for name, column in used.items()}
        settings = settle(examined, self.decimal, self.day_first, self.text)
        guesses: dict[str, Guess] = {}
        for name in frame.columns:
            if said.get(name) in ("id", "drop"):
                guesses[name] = Guess(None, said[name], "left out: you said so")
            elif name in said:
                guesses[name] = declare(name, said[name], examined[name], settings)
            else:
                guesses[name] = guess(name, examined[name], settings)
        guesses = _leave_something(_leave_out_constants(guesses, examined, said))
        self.feature_names_in_ = np.array(list(frame.columns), object)
        self.n_features_in_ = len(frame.columns)
        self.readers_ = {
            name: found.reader for name, found in guesses.items() if found.reader is not None
        }
        self.columns_ = _name_features(guesses)
        self.sources_ = {
            feature: column.name for column in self.columns_ for feature in column.features
        }
        if not self.sources_:
            raise ValueError(
                f"No column is left to learn from, got only {list_some(frame.columns)}. "
                f"{_ADVICE}"
            )
        return self

    def transform(self, X: Any) -> Any:
        """Return a pandas frame of float columns and categories, NaN where a cell is missing.

        Columns may come in any order. Those that training had not are ignored, those that are
        missing count as missing in every row, each with a warning.

        Parameters
        ----------
        X : data frame of pandas, polars or pyarrow
            The columns of training.
        """
        check_is_fitted(self)
        frame = as_frame(X)
        if is_nameless(X) and frame.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {frame.shape[1]} features, but TableCleaner is expecting "
                f"{self.n_features_in_} features as input. Pass all columns of training."
            )
        self._check_columns(list(frame.columns))
        features: dict[str, Any] = {}
        unread = []
        for column in self.columns_:
            if not column.features:
                continue
            reader = self.readers_[column.name]
            if column.name in frame.columns:
                reading = reader.read(frame[column.name])
            else:
                reading = reader.read(pd.Series([None] * len(frame), dtype=object))
                reading = _all_missing(reading)
            new = isinstance(reader, CategoryReader)
            if reading.n_unread > (_SOME if new else _MANY) * reading.n_filled:
                unread.append(_tell_unread(column.name, reader, reading))
            if reading.n_suspect:
                unread.append(_tell_suspect(column.name, reader, reading))
            features |= dict(zip(column.features, reading.features, strict=True))
        for message in unread:
            warn(message)
        return pd.DataFrame(features, index=frame.index)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the features that `transform` gives."""
        check_is_fitted(self)
        return np.array(list(self.sources_), object)

    def describe(self) -> str:
        """Return what became of each column, as a table for people."""
        check_is_fitted(self)
        head = ("column", "kind", "read as", "features", "note")
        rows = [
            (
                abbreviate(column.name),
                column.kind,
                column.how,
                str(len(column.features)),
                column.note,
            )
            for column in self.columns_
        ]
        widths = [max(len(row[place]) for row in (head, *rows)) for place in range(4)]
        return "\n".join(
            "  ".join(
                [
                    *(cell.ljust(width) for cell, width in zip(row[:3], widths, strict=False)),
                    row[3].rjust(widths[3]),
                    row[4],
                ]
            ).rstrip()
            for row in (head, *rows)
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def _check(self, frame: Any) -> dict[str, str]:
        """Check the parameters, and return what somebody has said of columns."""
        names = list(frame.columns)
        if not len(frame):
            raise ValueError("X must hold rows, got 0 sample(s). Pass a table with rows.")
        if not names:
            raise ValueError(f"No column is left to learn from, got 0 feature(s). {_ADVICE}")
        if self.decimal not in ("auto", ".", ","):
            raise ValueError(f"decimal must be 'auto', '.' or ',', got {quote(self.decimal)}.")
        if self.day_first not in ("auto", True, False):
            raise ValueError(
                f"day_first must be 'auto', True or False, got {quote(self.day_first)}."
            )
        check_choice(self.text, ("auto", "encode", "drop"), "way to read text")
        if not isinstance(self.types, (Mapping, type(None))):
            raise ValueError(
                f"types must say what columns are, such as {{'zip': 'category'}}, got "
                f"{quote(self.types)}. Pass a dictionary."
            )
        said = {str(name): kind for name, kind in (self.types or {}).items()}
        for name, kind in said.items():
            check_choice(name, names, "column")
            check_choice(kind, KINDS, "type of a column")
        if isinstance(self.drop, str) or not isinstance(self.drop, Iterable):
            raise ValueError(
                f"drop must be a list of columns, got {quote(self.drop)}. Put it in []."
            )
        return said | {check_choice(name, names, "column"): "drop" for name in self.drop}

    def _check_columns(self, names: list[str]) -> None:
        """Warn of columns that are missing or new; refuse a table that is another one."""
        used = [column.name for column in self.columns_ if column.features]
        missing = [name for name in used if name not in names]
        known = set(self.feature_names_in_)
        new = [name for name in names if name not in known]
        if len(missing) > _MANY * len(used):
            raise ValueError(
                "The table must have the columns of training, got "
                f"{len(used) - len(missing)} of {len(used)}. {_suggest(missing, new)}"
            )
        if missing:
            warn(
                f"The table lacks column{'s' if len(missing) > 1 else ''} "
                f"{quote_some(missing, 4)}: missing in every row.",
            )
        if new:
            warn(
                f"The table has columns that training had not, which are ignored: "
                f"{quote_some(new, 4)}.",
            )


def _suggest(missing: list[str], new: list[str]) -> str:
    """Return which columns are missing, and what they may be called now."""
    hints = []
    for name in missing[:4]:
        try:
            check_choice(name, new, "column")
        except ValueError as error:
            hint = str(error).partition("Did you mean ")[2]
            shown = repr(abbreviate(name))
            hints.append(f"{shown} (did you mean {hint})" if hint else shown)
    more = ", ..." if len(missing) > 4 else ""
    return f"Missing: {', '.join(hints)}{more}. Rename the columns, or train anew."


def _tell_unread(name: str, reader: Reader, reading: Reading) -> str:
    counted = (
        f"{reading.n_unread:,} of {reading.n_filled:,} cells of column {abbreviate(name)!r}"
    )
    some = quote_some(reading.unread)
    if isinstance(reader, CategoryReader):
        share = f"{100 * reading.n_unread / reading.n_filled:.0f} %"
        return (
            f"{counted} ({share}) are categories that training had not, and count as missing: "
            f"{some}."
        )
    return f"{counted} cannot be read as {reader.how}, and count as missing: {some}."


def _tell_suspect(name: str, reader: Any, reading: Reading) -> str:
    mark, other = ("comma", "point") if reader.decimal == "," else ("point", "comma")
    return (
        f"{reading.n_suspect:,} of {reading.n_marked:,} cells of column {abbreviate(name)!r} "
        f"with a {mark} have three digits behind it, as thousands are written where the "
        f"decimal sign is a {other}; they were read as decimals, as in training. If they are "
        f"thousands, the numbers are 1,000 times too small: write them without the {mark}."
    )


def _all_missing(reading: Reading) -> Reading:
    """Return features of a column that is not there: also its blanks mean nothing."""
    empty = tuple(
        values if isinstance(values, pd.Categorical) else np.full(len(values), np.nan)
        for values in reading.features
    )
    return Reading(empty)


def _leave_out_constants(
    guesses: Mapping[str, Guess], examined: Mapping[str, Any], said: Mapping[str, str]
) -> dict[str, Guess]:
    """Leave out columns that are the same in every row."""
    note = "left out: the same in every row"
    return {
        name: Guess(None, "constant", note, spare=one.reader)
        if one.reader is not None and name not in said and examined[name].is_constant
        else one
        for name, one in guesses.items()
    }


def _leave_something(guesses: dict[str, Guess]) -> dict[str, Guess]:
    """Return guesses that keep keys and constants where nothing else is left."""
    if any(one.reader is not None for one in guesses.values()):
        return guesses
    return {
        name: one._replace(
            reader=one.spare,
            note=f"{one.note.removeprefix('left out: ')}; kept as no other column is left",
        )
        if one.spare is not None
        else one
        for name, one in guesses.items()
    }


def _name_features(guesses: Mapping[str, Guess]) -> tuple[CleanedColumn, ...]:
    """Name the features after their columns, each name once."""
    taken = set(guesses)
    columns = []
    for name, found in guesses.items():
        names = []
        for part in found.reader.parts if found.reader is not None else ():
            feature = f"{name}: {part}" if part else name
            while part and feature in taken:
                feature += "_"
            taken.add(feature)
            names.append(feature)
        how = found.reader.how if found.reader is not None else ""
        columns.append(CleanedColumn(name, found.kind, how, found.note, tuple(names)))
    return tuple(columns)
