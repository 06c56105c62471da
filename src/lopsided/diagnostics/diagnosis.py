"""Everything that can be said of a model without negatives, from scores made once."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from lopsided._reduction import reduce_sparse
from lopsided._rows import TrainingRows
from lopsided._validation import as_floats, as_generator, check_labels, check_level
from lopsided.diagnostics._rows import LEVEL, check_cuts
from lopsided.diagnostics.assumptions import Sensitivity, sensitivity
from lopsided.diagnostics.blind import BlindRecall, blind_recall
from lopsided.diagnostics.finds import ExpectedFinds, ReviewCurve, review_curve
from lopsided.diagnostics.leaks import Leak, find_leaks
from lopsided.diagnostics.scar import ScarCheck, check_scar
from lopsided.diagnostics.signal import (
    SignalCheck,
    add_normal_scores,
    check_signal,
    judge_signal,
    score_by_line,
)
from lopsided.priors import estimate_prior
from lopsided.priors.registry import check_belief

__all__ = ["Diagnosis", "diagnose"]

_CUTS = (50, 100, 200)
BASELINE = "naive-forest"


@dataclass(frozen=True)
class Diagnosis:
    """What blind scores say of a model, its labels and its use; `str` says it in words.

    Attributes
    ----------
    recall : tuple of BlindRecall
        Confirmed cases in the first k rows, one for each k, beside the rivals.
    signal : SignalCheck
        Whether there is any signal.
    leaks : tuple of Leak
        Columns that give the label away.
    prior : float, pair or estimate
        The prior that finds and sensitivity took.
    scar : ScarCheck
        Whether labels may be given at random.
    finds : tuple of ExpectedFinds
        Hidden positives in the first k rows, one for each k.
    curve : ReviewCurve
        Finds along the list.
    sensitivity : Sensitivity or None
        How the answers move with the assumptions; None after reviews.
    rate : float
        Finds that ten further rows must promise.
    scores : ndarray of shape (n_rows,)
        Blind scores that all of it comes from; NaN for rows that no fold tests on.

    Examples
    --------
    >>> import numpy as np
    >>> from lopsided.diagnostics import diagnose
    >>> X = np.random.default_rng(0).normal(size=(400, 3))
    >>> positive = X[:, 0] + X[:, 1] > 2.3
    >>> y = (positive & (np.arange(400) % 2 == 0)).astype(int)
    >>> found = diagnose(X, y, "naive-logistic", prior=positive.mean(), k=20)
    >>> found.signal.found
    True
    >>> print(found.finds[0])
    The first 20 unlabeled rows should hold about 6 hidden positives (90 % band 4 to 7).
    """

    recall: tuple[BlindRecall, ...]
    signal: SignalCheck
    leaks: tuple[Leak, ...]
    prior: Any
    scar: ScarCheck
    finds: tuple[ExpectedFinds, ...]
    curve: ReviewCurve
    sensitivity: Sensitivity | None
    rate: float
    scores: NDArray[np.float64]

    def __str__(self) -> str:
        leaks = [str(leak) for leak in self.leaks] or ["No column gives the label away."]
        parts = {
            "Is there signal?": [str(self.signal)],
            "Does the list find what is known?": [str(one) for one in self.recall],
            "Does a column give the label away?": leaks,
            "Are labels given at random?": [str(self.scar)],
            "What will a review find?": self._say_finds(),
        }
        if self.sensitivity is not None:
            lines = str(self.sensitivity).split("\n")
            parts["How much hangs on the assumptions?"] = lines
        judged = ~np.isnan(self.scores)
        left_out = (
            f"{judged.sum()} of {len(judged)} rows are judged: those that a fold tests on."
        )
        return "\n\n".join(
            [left_out] * (not judged.all())
            + [
                "\n".join([title, *("  " + line for line in lines)])
                for title, lines in parts.items()
            ]
        )

    def _say_finds(self) -> list[str]:
        """Return what a review will find, line by line."""
        prior = f"Prior: {self.prior}"
        lines = [prior if prior.endswith(".") else prior + ".", *map(str, self.finds)]
        if self.signal.found:
            return [*lines, self.curve.describe(self.rate)]
        # Where to stop would be advice to begin.
        return [
            "These numbers assume signal, and none was found: plan no review by them.",
            *lines,
        ]


def diagnose(
    X: Any,
    y: Any,
    estimator: Any = "focused",
    *,
    prior: Any = None,
    label_frequency: Any = None,
    scenario: Literal["one-sample", "two-sample"] = "one-sample",
    k: Any = None,
    rivals: Mapping[str, Any] | None = None,
    rate: float = 1.0,
    scores: Any = None,
    cv: Any = None,
    groups: Any = None,
    level: float = LEVEL,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> Diagnosis:
    """Fit blind, and say in plain words what is known of a model without negatives.

    Parameters
    ----------
    X : array, sparse matrix or data frame of shape (n_rows, n_features)
        The table. Of a sparse one, the naive baseline and the check of signal see the leading
        20 components (truncated SVD).
    y : array of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled, -1 = reviewed negative, which is on no list.
    estimator : str or estimator, default="focused"
        A name of the registry, or a method or other classifier.
    prior : float, pair of floats, estimate, "auto" or None, default=None
        P(y_true = 1), as in `expected_finds`; None and "auto" estimate it from the blind
        scores, whatever the prior of `estimator`.
    label_frequency : Beta or None, default=None
        What is believed of the share of positives that are labeled, for that estimate; refused
        beside a prior that is given.
    scenario : {"one-sample", "two-sample"}, default="one-sample"
        Whether the prior is that of all rows or of the unlabeled ones.
    k : int, sequence of int or None, default=None
        Lengths of the list; None is those of 50, 100 and 200 that fit into the unlabeled rows.
    rivals : dict of str to array, or None, default=None
        Other scores by name, such as the desk's own. The naive baseline, "naive-forest", which
        takes unlabeled rows for negatives, is always among them.
    rate : float, default=1.0
        Finds that ten further rows must promise to be worth a review.
    scores : array of shape (n_rows,) or None, default=None
        Blind scores that are there already, such as `oob_decision_function_`; `estimator` is
        not fitted then.
    cv, groups : optional
        How rows are left out, as in `lopsided.model_selection.out_of_fold_scores`. Rows that no
        fold tests on, as the first ones of a split by time, are not judged.
    level : float, default=0.9
        Level of the intervals.
    random_state : int, Generator or None, default=0
        Seed of the fits and draws.
    n_jobs : int or None, default=None
        Threads.

    Returns
    -------
    Diagnosis
        Records for code, and a `str` to read.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(400, 3))
    >>> positive = X[:, 0] + X[:, 1] > 2.3
    >>> y = (positive & (np.arange(400) % 2 == 0)).astype(int)
    >>> found = diagnose(X, y, "naive-logistic", prior=positive.mean(), k=20)
    >>> found.signal.found, len(found.leaks), found.finds[0].k
    (True, 0, 20)
    """
    labels = check_labels(y, keep_reviewed=True)
    rng = as_generator(random_state)
    check_level(level)
    prior = None if isinstance(prior, str) and prior == "auto" else prior
    if label_frequency is not None:
        check_belief(label_frequency, prior)
    others = {
        name: _check_scores(one, f"rivals[{name!r}]", labels)
        for name, one in (rivals or {}).items()
    }
    if scores is not None:
        scores = _check_scores(scores, "scores", labels)
    blind = _score_blind(X, labels, estimator, scores, cv, groups, rng, n_jobs)
    rows, scores, own = blind.rows, blind.scores, blind.rows.labels
    n_unlabeled = int((own == 0).sum())
    cuts = check_cuts(
        [cut for cut in _CUTS if cut <= n_unlabeled] or [n_unlabeled] if k is None else k,
        n_unlabeled,
    )
    named = {name: one[blind.judged] for name, one in others.items()}
    if prior is None:
        prior = estimate_prior(
            own,
            scores,
            X=rows.X,
            label_frequency=label_frequency,
            scenario=scenario,
            level=level,
            random_state=rng,
        )
    curve = review_curve(own, scores, prior, scenario=scenario, level=level)
    return Diagnosis(
        recall=tuple(
            blind_recall(
                own,
                scores,
                cut,
                rivals={_name_baseline(X): blind.baseline, **named},
                level=level,
                random_state=rng,
            )
            for cut in cuts
        ),
        signal=blind.signal,
        leaks=tuple(find_leaks(X, labels)),
        prior=prior,
        scar=check_scar(own, scores, prior, scenario=scenario, random_state=rng),
        finds=tuple(curve.expect(cut) for cut in cuts),
        curve=curve,
        sensitivity=sensitivity(own, scores, cuts[-1], prior, scenario=scenario),
        rate=rate,
        scores=blind.all_scores,
    )


def _check_scores(scores: Any, name: str, y: NDArray[np.int8]) -> NDArray[np.float64]:
    """Return scores, one per row; NaN stands for none."""
    values = as_floats(scores, name)
    if values.shape != y.shape:
        raise ValueError(
            f"{name} must be one number per row {y.shape}, got {values.shape}. Write NaN for "
            "rows without a score."
        )
    return values


def _name_baseline(X: Any) -> str:
    reduced = " on leading components" if hasattr(X, "tocsr") else ""
    return f"the naive baseline ({BASELINE}{reduced})"


@dataclass(frozen=True)
class _Blind:
    """Blind scores of the rows that are judged, and whether they hold any signal."""

    rows: TrainingRows
    judged: NDArray[np.bool_]
    all_scores: NDArray[np.float64]
    baseline: NDArray[np.float64]
    signal: SignalCheck

    @property
    def scores(self) -> NDArray[np.float64]:
        return self.all_scores[self.judged]


def _score_blind(
    X: Any,
    y: NDArray[np.int8],
    estimator: Any,
    known_scores: NDArray[np.float64] | None,
    cv: Any,
    groups: Any,
    rng: np.random.Generator,
    n_jobs: int | None,
) -> _Blind:
    """Score all rows by models that have not seen them, the naive ones too."""
    from lopsided.methods.registry import build, check_ranks
    from lopsided.model_selection import out_of_fold_scores

    if cv is not None and not isinstance(cv, (int, np.integer)) and not hasattr(cv, "split"):
        cv = list(cv)  # splits that come one by one are needed again

    def score(model: Any, table: Any) -> NDArray[np.float64]:
        built = build(check_ranks(model)) if isinstance(model, str) else model
        return out_of_fold_scores(
            built, table, y, cv=cv, groups=groups, random_state=rng, n_jobs=n_jobs
        )

    scores = score(estimator, X) if known_scores is None else known_scores
    dense = reduce_sparse(X, 0)
    forest = score(BASELINE, dense)
    judged = ~np.isnan(scores)
    table = X.tocsr() if hasattr(X, "tocsr") else X if hasattr(X, "shape") else np.asarray(X)
    known = np.maximum(y, 0)
    rows = TrainingRows(table, known, np.ones(len(y)), y == -1)
    rows = rows if judged.all() else rows.take(judged)
    if cv is None and groups is None:
        line = score_by_line(dense, known, 5, int(rng.integers(2**31)), n_jobs)
        signal = judge_signal(dense, known, add_normal_scores(forest, line), None, rng)
    else:  # rows that belong together must not vouch for each other
        plain = add_normal_scores(forest[judged], score("naive-logistic", dense)[judged])
        signal = check_signal(rows.y, plain, random_state=rng)
    return _Blind(rows, judged, scores, forest[judged], signal)
