"""Why a row is on top: what each column adds to its score, in words."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from lopsided._terminal import abbreviate
from lopsided.calibration.maps import CalibrationMap
from lopsided.explain import Explanation, explain
from lopsided.workflow.tables import TableCleaner, is_missing, spell

__all__ = ["Reason", "RowReasons", "explain_columns", "find_typical", "list_reasons"]

_N_REASONS = 3
_N_TYPICAL = 100  # rows that tell what is typical
_MIN_CONTRIBUTION = 0.005  # log-odds that are worth a word: +0.00 says nothing


@dataclass(frozen=True)
class Reason:
    """A column, the row's cell in it, and what it adds to the score."""

    column: str
    value: str
    contribution: float

    def __str__(self) -> str:
        return f"{abbreviate(self.column)} = {self.value} ({self.contribution:+.2f})"


@dataclass(frozen=True)
class RowReasons:
    """What columns add to the score of a row, the largest first; `str` says it in lines.

    Attributes
    ----------
    reasons : tuple of Reason
        In order of what they add; all columns in `TableModel.explain`, else those that lift
        the row most.
    base : float
        The score to which they add: that of an average row.
    model_score : float
        The sum: the score by the model, which may have been trained on the row.
    id : str
        The row.
    score, probability : float
        As in the ranking: by models that have not seen the row.
    """

    reasons: tuple[Reason, ...]
    base: float
    model_score: float
    id: str = ""
    score: float = np.nan
    probability: float = np.nan

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON takes it."""
        found = asdict(self)
        return {
            **found,
            "probability": None if np.isnan(self.probability) else self.probability,
        }

    def __str__(self) -> str:
        if not self.id:
            return "; ".join(map(str, self.reasons))
        chance = "" if np.isnan(self.probability) else f", probability {self.probability:.3f}"
        lines = [f"Row {abbreviate(self.id)}: score {self.score:+.2f}{chance}."]
        if abs(self.score - self.model_score) > _MIN_CONTRIBUTION:
            lines.append(
                "The row was there in training: its score is that of models that have not seen "
                "it. What follows adds up to the score of the model that has, "
                f"{self.model_score:+.2f}."
            )
        names = [abbreviate(one.column) for one in self.reasons]
        width = max(map(len, names))
        lines.append(f"  {self.base:+7.2f}  an average row")
        lines += [
            f"  {one.contribution:+7.2f}  {name:<{width}}  {one.value}"
            for name, one in zip(names, self.reasons, strict=True)
        ]
        lines.append(f"  {self.model_score:+7.2f}  in sum")
        return "\n".join(lines)


def explain_columns(
    estimator: Any, cleaner: TableCleaner, X: Any, calibration: CalibrationMap | None = None
) -> Explanation:
    """Return what each raw column adds to the scores of clean rows, calibrated or not."""
    found = explain(estimator, X).grouped(list(cleaner.sources_.values()))
    return found if calibration is None else found.mapped(calibration.transform)


def find_typical(
    estimator: Any, cleaner: TableCleaner, X: Any, calibration: CalibrationMap | None = None
) -> tuple[float, ...]:
    """Return what each raw column adds to the score of an average row, by some of the rows."""
    rows = np.random.default_rng(0).permutation(len(X))[:_N_TYPICAL]
    found = explain_columns(estimator, cleaner, X.iloc[np.sort(rows)], calibration)
    return tuple(found.contributions.mean(axis=0).tolist())


def list_reasons(
    explanation: Explanation, frame: Any, n_reasons: int | None = _N_REASONS
) -> list[RowReasons]:
    """Return the reasons of each row of an explanation by columns of a table.

    With a number of reasons only columns that lift a row count, else all do.
    """
    names, added = explanation.feature_names, explanation.contributions
    base = np.broadcast_to(explanation.base, explanation.scores.shape)
    cells = {name: frame[name].to_numpy(object) for name in names if name in frame.columns}
    found = []
    for row, own in enumerate(added):
        order = np.argsort(-own, kind="stable")
        if n_reasons is not None:
            order = order[own[order] >= _MIN_CONTRIBUTION][:n_reasons]
        found.append(
            RowReasons(
                tuple(
                    Reason(names[i], _show(cells.get(names[i]), row), float(own[i]))
                    for i in order
                ),
                float(base[row]),
                float(explanation.scores[row]),
            )
        )
    return found


def _show(cells: Any, row: int) -> str:
    """Return a cell as a reason quotes it."""
    if cells is None:
        return "missing"
    cell = cells[row]
    if is_missing(cell) or (isinstance(cell, str) and not cell):
        return "missing"
    if isinstance(cell, (float, np.floating)):
        return f"{cell:.6g}"
    return abbreviate(" ".join(spell(cell).split()))
