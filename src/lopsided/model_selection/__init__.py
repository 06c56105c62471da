"""Judge and choose models without negatives, on rows that they have not seen.

- Splits that keep labeled rows on both sides: `PUStratifiedKFold`, `PUGroupKFold` (whole
  groups), `PUTimeSplit` (train on the past, with groups or without).
- Scores of every row by a model fitted without it: `out_of_fold_scores`.
- A choice made on them: `PUSearchCV` among parameters, `compare` among methods.
- Time and labels that come late: `GroupTimeSeriesSplit`, `labels_as_of`,
  `DelayedLabelClassifier`.
"""

from lopsided.model_selection.comparison import Comparison, compare
from lopsided.model_selection.out_of_fold import out_of_fold_scores, rank_against
from lopsided.model_selection.search import PUSearchCV
from lopsided.model_selection.splitters import PUGroupKFold, PUStratifiedKFold, PUTimeSplit
from lopsided.model_selection.time import (
    DelayedLabelClassifier,
    GroupTimeSeriesSplit,
    labels_as_of,
)

__all__ = [
    "Comparison",
    "DelayedLabelClassifier",
    "GroupTimeSeriesSplit",
    "PUGroupKFold",
    "PUSearchCV",
    "PUStratifiedKFold",
    "PUTimeSplit",
    "compare",
    "labels_as_of",
    "out_of_fold_scores",
    "rank_against",
]
