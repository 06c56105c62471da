"""The rows that a table's model was fitted on: known again when they come back."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lopsided.workflow.tables import read_names

__all__ = ["TrainingTable"]

_DIGITS = 12  # of a number that a spreadsheet gives back; it knows 15


@dataclass(frozen=True)
class TrainingTable:
    """Clean rows with their labels and blind scores, now and before any review.

    Blind scores are those of models that have not seen the row.
    """

    X: Any  # clean frame
    ids: NDArray[np.str_]
    y: NDArray[np.int8]
    first: NDArray[np.int8]  # the labels before any review
    scores: NDArray[np.float64]  # blind, of the model of now
    first_scores: NDArray[np.float64]  # blind, of the model before any review; else NaN
    own: NDArray[np.bool_]  # whether a row is of the first table, and not added by a review
    named: bool  # whether ids are names that a user gave, and not numbers
    groups: NDArray[np.intp] | None = None

    @classmethod
    def start(
        cls,
        X: Any,
        ids: Any,
        y: NDArray[np.int8],
        scores: NDArray[np.float64],
        groups: Any,
        named: bool,
    ) -> "TrainingTable":
        """Return the rows before any review."""
        codes = None if groups is None else pd.factorize(groups)[0].astype(np.intp)
        own = np.ones(len(y), bool)
        X = X.reset_index(drop=True)
        return cls(X, read_names(ids), y, y, scores, scores, own, named, codes)

    def __len__(self) -> int:
        return len(self.y)

    def find(self, X: Any, ids: Any, y: NDArray[np.int8] | None = None) -> NDArray[np.intp]:
        """Return the place of each row among those of training, -1 where it is not there.

        A row is known again by all its features and by its id, if ids are names: numbers of
        rows change with the table. Where training has a row more than once, those of the label
        it first had are found one after the other, without labels those yet unlabeled.
        """
        known, wanted = (
            _fingerprints(table, names if self.named else np.full(len(names), ""))
            for table, names in ((self.X, self.ids), (X, read_names(ids)))
        )
        first = pd.Series(np.arange(len(self)), index=known)
        places = first[~first.index.duplicated()].reindex(wanted, fill_value=-1)
        had, has = (self.y, np.zeros(len(X), np.int8)) if y is None else (self.first, y)
        found = pd.Series(np.arange(len(self)), _count_equal(known, had))
        same = found.reindex(_count_equal(wanted, has), fill_value=-1).to_numpy()
        return np.where(same >= 0, same, places.to_numpy()).astype(np.intp)

    def find_by_id(self, ids: Any) -> NDArray[np.intp]:
        """Return the place of the one row of training with each id, -1 if there is not one.

        A number that lost its leading zeros in a spreadsheet is the id that had them.
        """
        wanted = pd.Series(read_names(ids))
        places = _look_up(pd.Series(self.ids), wanted)
        lost = places < 0
        if lost.any():
            short = _look_up(_strip_zeros(pd.Series(self.ids)), _strip_zeros(wanted[lost]))
            places[lost] = short
        return places

    def append(self, X: Any, ids: Any, scores: NDArray[np.float64]) -> "TrainingTable":
        """Return the table with unlabeled rows that a model has scored without seeing them."""
        none, unknown = np.zeros(len(X), np.int8), np.full(len(X), np.nan)
        last = -1 if self.groups is None or not len(self) else int(self.groups.max())
        alone = np.arange(last + 1, last + 1 + len(X))
        return TrainingTable(
            # Levels of text may have another type of text, if they come from a file.
            pd.concat([self.X, X.astype(self.X.dtypes)], ignore_index=True),
            np.append(self.ids, read_names(ids)),
            np.append(self.y, none),
            np.append(self.first, none),
            np.append(self.scores, scores),
            np.append(self.first_scores, unknown),
            np.append(self.own, none.astype(bool)),
            self.named,
            None if self.groups is None else np.append(self.groups, alone),
        )

    def first_table(self) -> "TrainingTable":
        """Return the rows without those that reviews have added.

        These were chosen from the top of a list, and say nothing of how many positives there
        are. A label that a review has overturned is no first label any more.
        """
        kept = self.own
        return replace(
            self,
            X=self.X[kept],
            ids=self.ids[kept],
            y=self.y[kept],
            first=np.where((self.first == 1) & (self.y == -1), self.y, self.first)[kept],
            scores=self.scores[kept],
            first_scores=self.first_scores[kept],
            own=self.own[kept],
            groups=None if self.groups is None else self.groups[kept],
        )

    def decide(self, rows: NDArray[np.intp], verdicts: NDArray[np.int8]) -> "TrainingTable":
        """Return the table with verdicts in place of labels."""
        y = self.y.copy()
        y[rows] = verdicts
        return replace(self, y=y)

    @property
    def is_reviewed(self) -> bool:
        """Whether verdicts have come since the first fit."""
        return bool((self.y != self.first).any())

    def to_frames(self) -> dict[str, Any]:
        """Return data frames that hold all of it."""
        facts = pd.DataFrame(
            {
                "id": self.ids.astype(object),
                "label": self.y,
                "first_label": self.first,
                "score": self.scores,
                "first_score": self.first_scores,
                "own": self.own,
                "named": np.full(len(self), self.named),
            }
        )
        if self.groups is not None:
            facts["group"] = self.groups
        return {"features": self.X, "facts": facts}

    @classmethod
    def from_frames(cls, frames: dict[str, Any]) -> "TrainingTable":
        """Return the table that `to_frames` gave."""
        facts = frames["facts"]
        return cls(
            frames["features"],
            np.asarray(facts["id"].astype(str), dtype=np.str_),
            facts["label"].to_numpy(np.int8),
            facts["first_label"].to_numpy(np.int8),
            facts["score"].to_numpy(np.float64),
            facts["first_score"].to_numpy(np.float64),
            facts["own"].to_numpy(bool),
            bool(facts["named"].all()),
            facts["group"].to_numpy(np.intp) if "group" in facts else None,
        )


def _look_up(known: Any, wanted: Any) -> NDArray[np.intp]:
    """Return where each wanted text stands, -1 unless it stands there once."""
    places = pd.Series(np.arange(len(known)), index=known)
    places = places[~places.index.duplicated(keep=False)]
    return places.reindex(wanted, fill_value=-1).to_numpy(np.intp, copy=True)


def _strip_zeros(texts: Any) -> Any:
    return texts.where(~texts.str.fullmatch(r"\d+"), texts.str.lstrip("0"))


def _count_equal(codes: NDArray[np.uint64], y: NDArray[np.int8]) -> Any:
    """Return an index of rows by their code, their label, and how many such came before."""
    rows = pd.DataFrame({"code": codes, "label": y})
    return pd.MultiIndex.from_arrays([codes, y, rows.groupby(["code", "label"]).cumcount()])


def _fingerprints(X: Any, ids: NDArray[np.str_]) -> NDArray[np.uint64]:
    """Return a number for each row by which its id and features are known again."""
    plain = X.reset_index(drop=True).copy(deep=False)
    for name, dtype in zip(X.columns, X.dtypes, strict=True):
        if isinstance(dtype, pd.CategoricalDtype):  # by its text, whatever the levels are
            plain[name] = X[name].astype(object).where(X[name].notna(), None).to_numpy()
        else:
            plain[name] = _round(X[name].to_numpy(np.float64))
    plain.insert(0, "", ids.astype(object), allow_duplicates=True)
    return np.asarray(pd.util.hash_pandas_object(plain, index=False), dtype=np.uint64)


def _round(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return numbers to so many digits as survive a way through other programs."""
    sizes = np.where(np.isfinite(values) & (values != 0), np.abs(values), 1.0)
    scale = 10.0 ** np.clip(np.floor(np.log10(sizes)), -300, 300)
    return np.round(values / scale, _DIGITS - 1) * scale + 0.0  # -0.0 is 0.0
