"""All that the page on a ranking shows, as typed records of plain values.

Whoever ranks a table fills a `RankingSummary`; `lopsided.report.ranking_page` shows it. Parts
that could not be made are None or empty; `RankingSummary.missing` can say why.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

__all__ = [
    "AssumedOutcome",
    "Counts",
    "FeatureEffect",
    "FindsCurve",
    "Member",
    "Notice",
    "PriorFact",
    "RankedRow",
    "RankingSummary",
    "Reason",
    "RecallRow",
    "Reliability",
    "ReliabilityBin",
    "RivalRecall",
]


@dataclass(frozen=True)
class Counts:
    """How large the table is.

    Attributes
    ----------
    n_rows, n_columns : int
        Rows of the table, and columns that were learned from.
    n_labeled, n_reviewed, n_unlabeled : int
        Labeled positives (1), reviewed negatives (-1) and unlabeled rows (0).
    """

    n_rows: int
    n_labeled: int
    n_reviewed: int
    n_unlabeled: int
    n_columns: int


@dataclass(frozen=True)
class Notice:
    """What a reader must know before acting; `stop` says not to act at all."""

    level: Literal["stop", "warning", "note"]
    text: str


@dataclass(frozen=True)
class Reason:
    """What one column of a row adds to its score.

    Attributes
    ----------
    column, value : str
        The column, and what the row holds there.
    contribution : float
        What it adds, in log-odds: above 0 it raises the row, below 0 it lowers it.
    """

    column: str
    value: str
    contribution: float


@dataclass(frozen=True)
class RankedRow:
    """A row of the ranking.

    Attributes
    ----------
    rank : int
        From 1.
    id : str
        What names the row.
    score : float
        Log-odds; 0 is the boundary.
    probability : float or None
        The calibrated chance to be positive, if there is one.
    reasons : tuple of Reason
        The weightiest first.
    cells : tuple of str
        The row's own values, one for each of `RankingSummary.columns`.
    """

    rank: int
    id: str
    score: float
    probability: float | None = None
    reasons: tuple[Reason, ...] = ()
    cells: tuple[str, ...] = ()


@dataclass(frozen=True)
class FindsCurve:
    """Hidden positives to expect against rows reviewed.

    Attributes
    ----------
    k : tuple of int
        Rows reviewed, ascending.
    expected, low, high : tuple of float
        Expected finds among them, with a band.
    chance : tuple of float
        The same for rows in random order.
    naive : tuple of float
        The same for the naive baseline; may be empty.
    stop_at : int or None
        After how many rows to stop, if that can be told.
    level : float
        Level of the band.
    sentence : str
        All of it in words.
    """

    k: tuple[int, ...]
    expected: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    chance: tuple[float, ...] = ()
    naive: tuple[float, ...] = ()
    stop_at: int | None = None
    level: float = 0.9
    sentence: str = ""


@dataclass(frozen=True)
class PriorFact:
    """The share of positives that the page works with, as in `priors.PriorEstimate`.

    Attributes
    ----------
    value, low, high : float
        The share with its interval; all are equal if it was given.
    n_hidden : float
        Positives among the unlabeled rows, as the value has it.
    identified : bool
        Whether the table tells it.
    sentence : str
        All of it in words.
    level : float
        Level of the interval.
    """

    value: float
    low: float
    high: float
    n_hidden: float
    identified: bool
    sentence: str
    level: float = 0.9


@dataclass(frozen=True)
class ReliabilityBin:
    """Rows of like probability: their mean, the share of positives with a band, their share."""

    predicted: float
    observed: float
    low: float
    high: float
    share: float


@dataclass(frozen=True)
class Reliability:
    """How far probabilities can be trusted: bins, the calibration error, and words."""

    bins: tuple[ReliabilityBin, ...]
    error: float
    sentence: str
    level: float = 0.9


@dataclass(frozen=True)
class FeatureEffect:
    """What a column does to the ranking as a whole.

    Attributes
    ----------
    name, kind : str
        The column, and what it holds: "number", "category", "text", "date".
    share : float
        Its share of all that the columns do, from 0 to 1.
    direction : str
        Which values raise a row, in words: "higher is more suspicious".
    example : str
        What it does in a row of the ranking, or anything else worth a few words.
    """

    name: str
    kind: str
    share: float
    direction: str = ""
    example: str = ""


@dataclass(frozen=True)
class RivalRecall:
    """What another score finds among the same labeled rows, as in `diagnostics.Rival`."""

    name: str
    found: float
    sentence: str = ""


@dataclass(frozen=True)
class RecallRow:
    """Labeled positives in the first k rows, each scored as if it were unlabeled.

    Attributes
    ----------
    k, n_labeled : int
        Length of the list, and all labeled positives.
    ours, low, high : float
        How many of them stand in the first k, with an interval.
    naive : float or None
        The same by the naive baseline.
    chance : float
        The same for rows in random order.
    rivals : tuple of RivalRecall
        Other scores, such as the desk's own.
    sentence : str
        All of it in words.
    """

    k: int
    n_labeled: int
    ours: float
    low: float
    high: float
    chance: float
    naive: float | None = None
    rivals: tuple[RivalRecall, ...] = ()
    sentence: str = ""


@dataclass(frozen=True)
class AssumedOutcome:
    """What would hold under an assumption, as in `diagnostics.Outcome`."""

    assumption: str
    prior: float
    recall: float
    finds: float
    k: int


@dataclass(frozen=True)
class Member:
    """A member of an ensemble, and how much it counts."""

    name: str
    weight: float


@dataclass(frozen=True)
class RankingSummary:
    """What the page on a ranking shows.

    Attributes
    ----------
    title, source, created, method : str
        The page's title, the file that was ranked, when, and by which method.
    counts : Counts
        The size of the table.
    headline : str
        One sentence: what to do.
    n_ranked : int
        Rows of the whole ranking, of which `rows` are the first.
    columns : tuple of str
        Names of the cells of each row.
    rows : tuple of RankedRow
        The first rows, best first. The page shows as many as it can hold.
    rest : str
        The file that holds the whole ranking, if there is one.
    warnings : tuple of Notice
        What to know before acting.
    signal : str
        Whether there is signal, in words.
    finds, prior, calibration : optional
        Expected finds, the share of positives, and how far probabilities can be trusted.
    features : tuple of FeatureEffect
        Columns, the weightiest first.
    comparison : tuple of RecallRow
        Beside chance and the naive baseline, for several lengths of the list.
    assumptions : tuple of str
        What all of this takes for granted, in sentences.
    outcomes : tuple of AssumedOutcome
        What would hold under others.
    made, cleaning, versions : mapping of str to str
        How it was made, by headings; what was done to each column; versions by package.
    members : tuple of Member
        Of an ensemble.
    missing : mapping of str to str
        Why a part is missing, by its name here, such as "calibration". A part that is missing
        without a reason has no section.
    """

    title: str
    source: str
    created: str
    method: str
    counts: Counts
    headline: str
    n_ranked: int
    columns: tuple[str, ...] = ()
    rows: tuple[RankedRow, ...] = ()
    rest: str = ""
    warnings: tuple[Notice, ...] = ()
    signal: str = ""
    finds: FindsCurve | None = None
    prior: PriorFact | None = None
    calibration: Reliability | None = None
    features: tuple[FeatureEffect, ...] = ()
    comparison: tuple[RecallRow, ...] = ()
    assumptions: tuple[str, ...] = ()
    outcomes: tuple[AssumedOutcome, ...] = ()
    made: Mapping[str, str] = field(default_factory=dict)
    cleaning: Mapping[str, str] = field(default_factory=dict)
    members: tuple[Member, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)
