"""What may hurt a ranking, seen in a table before any fit, and what to do about it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lopsided._terminal import abbreviate
from lopsided._warnings import warn
from lopsided.diagnostics import check_signal, check_signal_in_table, find_leaks
from lopsided.diagnostics.signal import add_normal_scores
from lopsided.exceptions import FindingWarning
from lopsided.methods.registry import build
from lopsided.model_selection import out_of_fold_scores
from lopsided.workflow.roles import Roles
from lopsided.workflow.tables import (
    TableCleaner,
    find_parse_problems,
    is_blank,
    is_unreviewed,
    read_names,
    read_texts,
)

__all__ = ["Finding", "find_silence", "find_trouble", "warn_of_problems"]

_FEW = 10  # labeled rows below which a list is weak
_COARSE = 0.2  # share of rows that repeat another one, above which it is the columns' fault
_MIN_ROWS = 2  # labeled ones, and others, to see signal by
_MANY_VALUES = 12  # of a label column: more are no verdicts
_MIN_COUNT = 5  # rows of a value that is worth a question


@dataclass(frozen=True)
class Finding:
    """Something that hurts ("problem") or that is good to know ("note"), in a sentence.

    Attributes
    ----------
    level : {"problem", "note"}
        Whether it hurts.
    text : str
        What it is, and what to do about it.

    Examples
    --------
    >>> import lopsided, numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame({"amount": rng.normal(size=200), "fraud": [1] * 20 + [0] * 180})
    >>> table["closed by"] = ["fraud desk"] * 20 + [""] * 180
    >>> finding = lopsided.check(table, "fraud").findings[0]
    >>> finding.level, finding.text.partition(":")[0]
    ('problem', "Column 'closed by' gives the label away")
    """

    level: str
    text: str

    def __str__(self) -> str:
        return self.text


def find_trouble(
    frame: Any, roles: Roles, cleaner: TableCleaner, X: Any, y: NDArray[np.int8]
) -> tuple[Finding, ...]:
    """Return what a look at labels and columns finds: few labels, lost cells, leaks, twins."""
    found = _look_at_labels(y)
    found += _look_at_values(frame, roles)
    found += [
        Finding("problem" if one.hurts else "note", one.text)
        for one in find_parse_problems(cleaner, roles.features(frame))
    ]
    if (y == 1).any():
        found += [Finding("problem", str(leak)) for leak in find_leaks(X, np.maximum(y, 0))]
    return tuple(found + _look_for_twins(X, y) + _look_at_ids(frame, roles))


def warn_of_problems(findings: Iterable[Finding]) -> None:
    """Warn of what will hurt, each problem once."""
    for one in findings:
        if one.level == "problem":
            warn(one.text, FindingWarning)


def find_silence(
    X: Any, y: NDArray[np.int8], groups: Any = None, n_jobs: int | None = None
) -> tuple[Finding, ...]:
    """Return a problem if the columns say nothing about the labels."""
    if min((y == 1).sum(), (y < 1).sum()) < _MIN_ROWS:  # which is a problem of its own
        return ()
    known = np.maximum(y, 0)
    if groups is None:
        check = check_signal_in_table(X, known, n_jobs=n_jobs)
    else:  # rows that belong together must not vouch for each other
        try:
            plain = [
                out_of_fold_scores(build(name), X, known, groups=groups, random_state=0)
                for name in ("naive-forest", "naive-logistic")
            ]
        except ValueError as why:  # of a splitter, which a fit with these groups does not need
            text = f"Whether the columns say anything about the labels cannot be told: {why}"
            return (Finding("note", text),)
        check = check_signal(known, add_normal_scores(*plain))
    return (Finding("note" if check.found else "problem", str(check)),)


def _look_at_labels(y: NDArray[np.int8]) -> list[Finding]:
    n_labeled = int((y == 1).sum())
    if not n_labeled:
        return [
            Finding(
                "problem",
                "No row is labeled: the ranking is unsupervised, outliers first. Label rows "
                "that you know to be positive, one is enough to learn from.",
            )
        ]
    if n_labeled < _FEW:
        rows = "row is" if n_labeled == 1 else "rows are"
        return [
            Finding(
                "problem",
                f"Only {n_labeled} {rows} labeled: the list is weak, and neither its quality "
                f"nor the number of hidden positives can be told. From {_FEW} on both improve "
                "fast.",
            )
        ]
    return []


def _look_at_values(frame: Any, roles: Roles) -> list[Finding]:
    """Ask about values of the label column that count as unlabeled and look like verdicts."""
    if roles.positive is None:
        return []
    texts = read_texts(frame[roles.label])
    counts = texts[~roles.labels(frame, need_labeled=False).astype(bool)].value_counts()
    counts = counts[
        [not (is_blank(text) or is_unreviewed(text) or text == "0") for text in counts.index]
    ]
    if not 1 <= len(counts) <= _MANY_VALUES or counts.iloc[0] < _MIN_COUNT:
        return []
    shown = ", ".join(f"{abbreviate(text)!r} ({n} rows)" for text, n in counts.head(5).items())
    return [
        Finding(
            "note",
            f"Column {abbreviate(roles.label)!r} also holds {shown}: they count as unlabeled. "
            "If one of them marks rows that were reviewed and found to be negative, say so "
            "(negative=...).",
        )
    ]


def _look_for_twins(X: Any, y: NDArray[np.int8]) -> list[Finding]:
    """Report rows that are equal in every feature, worst where only one of them is labeled."""
    codes = pd.util.hash_pandas_object(X.reset_index(drop=True), index=False)
    repeated = codes.duplicated(keep=False).to_numpy()
    n_extra = int(codes.duplicated().sum())
    if not n_extra:
        return []
    if n_extra > _COARSE * len(y):
        return [
            Finding(
                "note",
                f"The columns tell few rows apart: {n_extra} rows repeat another one in every "
                "column, and will be tied. Add columns.",
            )
        ]
    n_twins = int(codes[repeated & (y == 0)].isin(codes[repeated & (y == 1)]).sum())
    text = f"{n_extra} rows repeat another row in every column that is learned from."
    if n_twins:
        text += (
            f" {n_twins} unlabeled rows are twins of a labeled one, and will stand on top: "
            "remove them if they are the same case."
        )
    else:
        text += " Remove them if they are the same case."
    return [Finding("problem" if n_twins else "note", text)]


def _look_at_ids(frame: Any, roles: Roles) -> list[Finding]:
    if roles.id is None or roles.group is not None:
        return []
    ids = pd.Index(read_names(frame[roles.id]))
    n_shared = int(ids.duplicated(keep=False).sum())
    if not n_shared:
        return []
    n_ids = ids[ids.duplicated()].nunique()
    return [
        Finding(
            "note",
            f"{n_shared} rows share {n_ids} id{'s' if n_ids > 1 else ''} of column "
            f"{abbreviate(roles.id)!r}, two or more each. "
            "If it is a customer with several rows, name it as the group (group=...).",
        )
    ]
