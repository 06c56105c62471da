"""What of a ranking fits on a page: the first rows, and no text that outgrows it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, is_dataclass, replace
from typing import Any, NamedTuple

from markupsafe import escape

from lopsided.report.ranking_summary import FindsCurve, RankedRow, RankingSummary, Reason
from lopsided.report.visible_text import Excerpt, excerpt, shorten

__all__ = ["RankingExcerpt", "ShownReason", "ShownRow", "take_excerpt"]

_MAX_ROWS = 1000
_MAX_COLUMNS = 40
_MAX_REASONS = 8
_MAX_ROW_BYTES = 2_000_000  # of all rows in the table and in the data behind it
_MAX_POINTS = 120  # of a curve
_CELL, _WHOLE_CELL = 60, 600  # characters
_NAME, _SENTENCE = 120, 1000
_MAX_PARTS = {
    "warnings": 20,
    "features": 40,
    "comparison": 12,
    "assumptions": 12,
    "outcomes": 12,
    "made": 30,
    "cleaning": 120,
    "members": 40,
    "versions": 30,
    "missing": 12,
}
_NUMBER = re.compile(r"[-+\u2212]?(\d+|\d{1,3}(,\d{3})+)?(\.\d*)?([eE][-+]?\d{1,3})?")
_NO_NUMBERS = ("", "nan", "<na>", "nat")


class ShownReason(NamedTuple):
    """A reason as its chip has it."""

    column: Excerpt
    value: Excerpt
    contribution: float


class ShownRow(NamedTuple):
    """A row as the table has it."""

    rank: int
    id: Excerpt
    score: float
    probability: float | None
    reasons: tuple[ShownReason, ...]
    cells: tuple[Excerpt, ...]


@dataclass(frozen=True)
class RankingExcerpt:
    """A ranking cut to what a page can hold.

    Attributes
    ----------
    summary : RankingSummary
        All texts visible and short, the rows those shown, without their cells.
    rows : sequence of ShownRow
        The same rows, with their cells.
    columns : sequence of Excerpt
        Names of the cells.
    are_numbers : sequence of bool
        Whether the cells of a column are numbers.
    left_out : mapping of str to int
        How many columns, features and so on are not shown.
    """

    summary: RankingSummary
    rows: Sequence[ShownRow]
    columns: Sequence[Excerpt]
    are_numbers: Sequence[bool]
    left_out: Mapping[str, int]


def take_excerpt(summary: RankingSummary) -> RankingExcerpt:
    """Return what of a ranking fits on a page of less than 3 MB."""
    for row in summary.rows[:_MAX_ROWS]:
        if len(row.cells) != len(summary.columns):
            raise ValueError(
                f"cells must be one for each of the {len(summary.columns)} columns, got "
                f"{len(row.cells)} in row {row.rank}. Write a blank text where there is none."
            )
    columns = summary.columns[:_MAX_COLUMNS]
    rows = _take_rows(summary.rows, len(columns))
    parts = {name: _take_part(summary, name) for name in _MAX_PARTS}
    kept = replace(
        summary,
        **{name: _clean(getattr(summary, name), _NAME) for name in ("source", "rest")},
        **{name: _clean(getattr(summary, name), _NAME) for name in ("created", "method")},
        **{name: _clean(getattr(summary, name), _SENTENCE) for name in ("headline", "signal")},
        **{
            name: _clean(getattr(summary, name), _SENTENCE) for name in ("prior", "calibration")
        },
        **parts,
        title=_clean(summary.title, 2 * _NAME),
        finds=None if summary.finds is None else _thin_out(summary.finds),
        columns=tuple(shorten(name, _CELL) for name in columns),
        rows=tuple(_as_plain_row(row) for row in rows),
    )
    return RankingExcerpt(
        kept,
        rows,
        [excerpt(name, _CELL, _WHOLE_CELL) for name in columns],
        [_are_numbers([row.cells[at].short for row in rows]) for at in range(len(columns))],
        {
            "columns": len(summary.columns) - len(columns),
            **{name: len(getattr(summary, name)) - len(part) for name, part in parts.items()},
        },
    )


def _take_rows(rows: Sequence[RankedRow], n_columns: int) -> list[ShownRow]:
    """Return the first rows, at least one, until their texts are too long together."""
    shown: list[ShownRow] = []
    left = _MAX_ROW_BYTES
    for row in rows[:_MAX_ROWS]:
        new = ShownRow(
            row.rank,
            excerpt(row.id, _CELL, _WHOLE_CELL),
            row.score,
            row.probability,
            tuple(
                ShownReason(
                    excerpt(reason.column, _CELL, _CELL),
                    excerpt(reason.value, _CELL // 2, _WHOLE_CELL // 2),
                    reason.contribution,
                )
                for reason in row.reasons[:_MAX_REASONS]
            ),
            tuple(excerpt(cell, _CELL, _WHOLE_CELL) for cell in row.cells[:n_columns]),
        )
        left -= _count_bytes(new)
        if shown and left < 0:
            break
        shown.append(new)
    return shown


def _count_bytes(row: ShownRow) -> int:
    """Return about how many bytes a row takes, with its tags and in the data of the page."""
    texts = [row.id, *row.cells]
    texts += [text for reason in row.reasons for text in (reason.column, reason.value)]
    # Tags of a cell, and those of a long one.
    tags = sum(20 + 90 * bool(text.whole) for text in texts)
    size = 350 + tags + sum(len(_encode(text.short + text.whole)) for text in texts)
    for text in (texts[0], *texts[1 + len(row.cells) :]):
        size += 20 + sum(1 if char.isascii() else 12 for char in text.short)  # as JSON has it
    return size


def _encode(text: str) -> bytes:
    return str(escape(text)).encode()


def _as_plain_row(row: ShownRow) -> RankedRow:
    """Return a row as the data of the page has it: its cells are in the table."""
    reasons = (
        Reason(one.column.short, one.value.short, one.contribution) for one in row.reasons
    )
    return RankedRow(row.rank, row.id.short, row.score, row.probability, tuple(reasons))


def _take_part(summary: RankingSummary, name: str) -> Any:
    """Return the first entries of a part, their texts short."""
    part, most = getattr(summary, name), _MAX_PARTS[name]
    limit = _NAME if name in ("features", "cleaning", "members", "versions") else _SENTENCE
    if isinstance(part, Mapping):
        return {
            shorten(str(key), _NAME): _clean(value, limit)
            for key, value in list(part.items())[:most]
        }
    return tuple(_clean(one, limit) for one in part[:most])


def _clean(value: Any, most: int) -> Any:
    """Return a record in which every text is visible and short."""
    if isinstance(value, str):
        return shorten(value, most)
    if isinstance(value, tuple):
        return tuple(_clean(one, most) for one in value[:_MAX_POINTS])
    if is_dataclass(value) and not isinstance(value, type):
        cleaned = {name: _clean(one, most) for name, one in vars(value).items()}
        return replace(value, **cleaned)
    return value


def _thin_out(finds: FindsCurve) -> FindsCurve:
    """Return a curve of not too many points, its ends and where to stop among them."""
    n_points = len(finds.k)
    curves = {name: getattr(finds, name) for name in ("k", "expected", "low", "high")}
    # Curves that may be missing.
    curves |= {name: line for name in ("chance", "naive") if (line := getattr(finds, name))}
    for name, curve in curves.items():
        if len(curve) != n_points:
            raise ValueError(
                f"finds must have as many values in {name} as in k ({n_points}), got "
                f"{len(curve)}."
            )
    if n_points > _MAX_POINTS:
        kept = {at * (n_points - 1) // (_MAX_POINTS - 2) for at in range(_MAX_POINTS - 1)}
        if finds.stop_at in finds.k:
            kept.add(finds.k.index(finds.stop_at))
        chosen = sorted(kept)
        curves = {name: tuple(curve[at] for at in chosen) for name, curve in curves.items()}
    return replace(finds, **curves, sentence=shorten(finds.sentence, _SENTENCE))


def _are_numbers(cells: Sequence[str]) -> bool:
    """Whether all cells are numbers or blank, and some are numbers."""
    known = [cell for cell in map(str.strip, cells) if cell.lower() not in _NO_NUMBERS]
    return bool(known) and all(
        _NUMBER.fullmatch(cell) and any(char.isdigit() for char in cell) for cell in known
    )
