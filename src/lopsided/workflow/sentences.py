"""What a table's model has done, in sentences."""

from collections.abc import Sequence
from typing import Any

from lopsided._terminal import abbreviate
from lopsided.workflow.estimators import has_probabilities

__all__ = ["count", "say_what_was_learned", "say_what_was_ranked"]


def say_what_was_learned(model: Any) -> str:
    """Return from how many rows a model has learned, what carries it, and the prior."""
    counts = model.count_labels()
    lines = [
        f"{model.method} learned from {count(counts[1], 'labeled positive')}, "
        f"{count(counts[-1], 'reviewed negative')} and {count(counts[0], 'unlabeled row')}, "
        f"{count(len(model.cleaner.readers_), 'column')}."
    ]
    describe = getattr(model.estimator, "describe", None)
    if describe is not None and not model.training.is_reviewed:
        lines.append(describe())
    elif (estimate := model.prior_estimate()) is not None:
        lines.append(str(estimate))
    return "\n".join(lines)


def say_what_was_ranked(
    model: Any, scored: Any, n_listed: int, row_labels: Sequence[str]
) -> str:
    """Return how many rows were ranked, from what was learned, and what was left out."""
    n_ranked = len(scored.order)
    counts, rows = model.count_labels(), count(n_ranked, "unlabeled row")
    if has_probabilities(model.estimator):
        learned = count(counts[1], "labeled positive")
        learned += f", {count(counts[-1], 'reviewed negative')}" if counts[-1] else ""
        said = f"{model.method} ranked {rows}, learning from {learned} and"
    else:
        said = f"{rows} are ranked without any label, outliers first, by"
    said += f" {count(len(model.cleaner.readers_), 'column')}."
    if n_listed < n_ranked:
        said += f" The first {n_listed} of {n_ranked} are listed."
    n_labeled, n_cleared = (int((scored.y == label).sum()) for label in (1, -1))
    if n_labeled + n_cleared and not scored.trained_on.all():
        said += (
            f" Not listed: {count(n_labeled, 'labeled positive')} and "
            f"{count(n_cleared, 'reviewed negative')} of this table."
        )
    dropped = [abbreviate(one.name) for one in model.cleaner.columns_ if not one.features]
    if dropped:
        said += f" Left out: {', '.join(dropped)}."
    if row_labels:
        said += f" Row labels are kept as {', '.join(row_labels)}, and not learned from."
    return said


def count(number: int, noun: str) -> str:
    """Return a number of things, in words."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
