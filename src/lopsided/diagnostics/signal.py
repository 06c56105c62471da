"""Is there signal at all: do labeled rows outrank others more than chance would have it."""

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._reduction import reduce_sparse
from lopsided._validation import as_generator, check_count, check_labels, check_level
from lopsided.diagnostics._permutation import permute_and_refit
from lopsided.diagnostics._rows import check_rows

__all__ = ["SignalCheck", "check_signal", "check_signal_in_table"]

# Stricter than the 10 % that it is to keep: models of folds share rows, so that their scores on
# noise swing wider than labels that are shuffled under fixed scores.
_LEVEL = 0.05
_EXACT_LEVEL = 0.08  # where every shuffle is learned anew, as what it says is what it keeps
_FEW = 12  # labeled rows; with more, forests see what straight lines and distances do not
_DRAWS = 1999
_MAX_SHUFFLED = 100  # labeled rows; a mean of more is normal


@dataclass(frozen=True)
class SignalCheck:
    """Whether labeled rows, scored blind, stand higher than random rows would.

    Attributes
    ----------
    p_value : float
        Share of shuffled labels that stand as high as the labeled rows.
    level : float
        The p-value above which the user is warned.
    roc_auc : float
        Probability that a labeled row outranks an unlabeled one.
    n_labeled : int
        Labeled rows.

    Examples
    --------
    >>> import numpy as np
    >>> from lopsided.diagnostics import check_signal
    >>> y = np.repeat([1, 0], [10, 190])
    >>> scores = np.random.default_rng(0).normal(size=200) + y
    >>> found = check_signal(y, scores)
    >>> found.found, round(found.roc_auc, 2)
    (True, 0.8)
    """

    p_value: float
    level: float
    roc_auc: float
    n_labeled: int

    @property
    def found(self) -> bool:
        """Whether there is signal."""
        return self.p_value <= self.level

    def __str__(self) -> str:
        facts = (
            f"AUC {self.roc_auc:.2f} of {self.n_labeled} labeled rows, p = {self.p_value:.2g}"
        )
        if self.found:
            return f"There is signal: labeled rows, scored blind, stand high ({facts})."
        return (
            "Warning: no signal was found. Labeled rows, scored blind, stand no higher than "
            f"random rows might ({facts}). Do not act on this ranking."
        )


def check_signal(
    y: Any, scores: Any, *, level: float = _LEVEL, random_state: Any = 0
) -> SignalCheck:
    r"""Test whether labeled rows, scored blind, stand higher than chance.

    The statistic is the mean of :math:`-\sqrt{rank}` of the labeled rows among all rows,
    between the AUC's (all ranks alike) and the log-rank's (the first few). Labels are shuffled
    under fixed scores; the p-value is one-sided.

    The scores must come from models that neither saw a row nor were *chosen* by its label.
    An ensemble that weighs its members by how high labeled rows stand, as `focused` does, finds
    signal in noise too often; give the scores of one plain method, or use
    `check_signal_in_table`.

    Parameters
    ----------
    y : array of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled.
    scores : array of shape (n_rows,)
        Scores of every row by models that have not seen it.
    level : float, default=0.05
        The p-value above which there is no signal.
    random_state : int, Generator or None, default=0
        Source of the shuffles.

    Returns
    -------
    SignalCheck
        Its `str` says it in plain words.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([1, 0], [8, 200])
    >>> check_signal(y, rng.normal(size=208) + 2 * y).found
    True
    >>> check_signal(y, rng.normal(size=208)).found
    False
    """
    from scipy.stats import rankdata

    labels, values = check_rows(y, scores)
    ranks = rankdata(-values)
    labeled = labels == 1
    n_labeled, n_unlabeled = int(labeled.sum()), int((~labeled).sum())
    outranked = len(labels) + 0.5 + n_labeled / 2 - ranks[labeled].mean() - n_labeled
    return SignalCheck(
        _shuffle(-np.sqrt(ranks), labeled, as_generator(random_state)),
        check_level(level),
        float(outranked / n_unlabeled),
        n_labeled,
    )


def _shuffle(value: NDArray[np.float64], labeled: Any, rng: np.random.Generator) -> float:
    """Return how often a random choice of as many rows has as high a mean."""
    n_labeled = int(labeled.sum())
    real = value[labeled].mean()
    if n_labeled > _MAX_SHUFFLED:
        from scipy.special import ndtr

        rest = (len(value) - n_labeled) / (len(value) - 1)
        spread = value.std() * np.sqrt(rest / n_labeled)
        return (
            float(ndtr((value.mean() - real) / spread)) if spread > 1e-12 * abs(real) else 1.0
        )
    drawn = value[_choose(len(value), n_labeled, rng)].mean(axis=1)
    margin = 1e-12 * abs(real)  # a tie counts, however its sum was rounded
    return float((1 + (drawn >= real - margin).sum()) / (_DRAWS + 1))


def _choose(n_rows: int, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw sets of rows without replacement, all sets at once, by Floyd's algorithm."""
    chosen = np.empty((_DRAWS, size), dtype=np.int64)
    for i, last in enumerate(range(n_rows - size, n_rows)):
        new = rng.integers(0, last + 1, size=_DRAWS)
        taken = (chosen[:, :i] == new[:, None]).any(axis=1)
        chosen[:, i] = np.where(taken, last, new)
    return chosen


def check_signal_in_table(
    X: Any,
    y: Any,
    *,
    level: float | None = None,
    folds: int = 5,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> SignalCheck:
    """Test whether the columns say anything about the labels, by two plain methods.

    A forest, scored out-of-bag, and logistic regression, scored out-of-fold, count alike: the
    sum of their normal scores goes to `check_signal`. Nothing is chosen by the labels, so that
    the test stays honest, and what either method sees is seen.

    Up to 12 labeled rows, the p-value is that of a permutation test that learns every one of
    999 shuffled labelings anew, by ridge regression with each labeled row left out and by the
    energy distance of labeled rows to all. It is exact under noise. Still, two labeled rows can
    show little: in most tables where signal is weak the user is warned, and should be.

    Parameters
    ----------
    X : array, sparse matrix or data frame of shape (n_rows, n_features)
        The table; of a sparse one the leading 20 components (truncated SVD) are looked at.
    y : array of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled.
    level : float or None, default=None
        The p-value above which there is no signal; None is 0.08 up to 12 labeled rows and 0.05
        beyond, where shuffles under fixed scores are a little too sure.
    folds : int, default=5
        Folds of the logistic regression, at most one per labeled row.
    random_state : int, Generator or None, default=0
        Seed of the fits, the folds and the shuffles.
    n_jobs : int or None, default=None
        Threads of the fits.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(300, 3))
    >>> check_signal_in_table(X, (X[:, 0] > 2).astype(int)).found
    True
    """
    from lopsided.methods.registry import build

    labels = check_labels(y, least=2)
    rng = as_generator(random_state)
    seed = int(rng.integers(2**31))
    X = reduce_sparse(X, seed)
    forest = build("naive-forest", oob_score=True, random_state=seed, n_jobs=n_jobs)
    scores = add_normal_scores(
        forest.fit(X, labels).oob_decision_function_,
        score_by_line(X, labels, check_count(folds, "folds", 2), seed, n_jobs),
    )
    return judge_signal(X, labels, scores, level, rng)


def judge_signal(
    X: Any, y: NDArray[np.int8], scores: Any, level: float | None, rng: np.random.Generator
) -> SignalCheck:
    """Test blind scores; where labels are few, the columns themselves."""
    few = int(y.sum()) <= _FEW
    if level is None:
        level = _EXACT_LEVEL if few else _LEVEL
    found = check_signal(y, scores, level=level, random_state=rng)
    return replace(found, p_value=permute_and_refit(X, y, rng)) if few else found


def score_by_line(
    X: Any, y: NDArray[np.int8], folds: int, seed: int, n_jobs: int | None
) -> NDArray[np.float64]:
    """Return out-of-fold scores of logistic regression, from two labeled rows on."""
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    from lopsided.methods.registry import build

    n_folds = max(min(folds, int(y.sum()), int((y == 0).sum())), 2)
    cv = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    splits = []
    for train, test in cv.split(np.zeros(len(y)), y):
        own = train[y[train] == 1]
        # A fit wants two labeled rows; the classes weigh alike, so one may come twice.
        splits.append((np.r_[train, own] if len(own) < 2 else train, test))
    line = build("naive-logistic", n_jobs=n_jobs)
    with warnings.catch_warnings():
        # The few rows of a fold may have categories that no others have.
        warnings.filterwarnings("ignore", "Column .* holds no category of training")
        scores: NDArray[np.float64] = cross_val_predict(
            line, X, y, cv=splits, method="decision_function"
        )
    return scores


def add_normal_scores(*scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum of several scores, each first brought to a normal distribution."""
    from scipy.special import ndtri
    from scipy.stats import rankdata

    return np.sum([ndtri((rankdata(one) - 0.5) / len(one)) for one in scores], axis=0)
