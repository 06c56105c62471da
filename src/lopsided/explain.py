"""Reasons: what each column adds to the score of a row."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._terminal import quote
from lopsided._validation import as_floats, check_count
from lopsided.methods.additive import AdditiveScores, additive_scores
from lopsided.methods.base import as_pandas

__all__ = ["Explanation", "explain"]


@dataclass(frozen=True, eq=False)
class Explanation:
    """Scores of rows as sums: a base, and a contribution of each feature.

    Parameters
    ----------
    feature_names : tuple of str
        The names of the features.
    base : ndarray of shape (n_rows,)
        The score without any contribution, of an average or a typical row.
    contributions : ndarray of shape (n_rows, n_features)
        What each feature adds; above 0, it makes the row look more positive.
    scores : ndarray of shape (n_rows,)
        Base and contributions, added up: the scores of `decision_function`.

    Examples
    --------
    >>> import lopsided, numpy as np
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = (X[:, 0] > 1.5).astype(int)
    >>> model = lopsided.build("naive-logistic").fit(X, y)
    >>> found = explain(model, X)
    >>> found.mean_absolute().round(1)
    array([3.4, 0.2, 0.1])
    >>> bool(np.allclose(found.base + found.contributions.sum(axis=1), found.scores))
    True
    """

    feature_names: tuple[str, ...]
    base: NDArray[np.float64]
    contributions: NDArray[np.float64]
    scores: NDArray[np.float64]

    def grouped(self, sources: Sequence[str]) -> "Explanation":
        """Return the explanation by source: features of the same one are added up.

        Parameters
        ----------
        sources : sequence of str
            For each feature where it comes from, such as the raw column of a date's parts.

        Returns
        -------
        Explanation
            Its features are the sources, in the order in which they come up.
        """
        n_sources = len(sources) if np.ndim(sources) == 1 else quote(sources)
        if n_sources != len(self.feature_names):
            raise ValueError(
                f"sources must name one column for each of {len(self.feature_names)} "
                f"features, got {n_sources}."
            )
        names = tuple(dict.fromkeys(map(str, sources)))
        places = [names.index(str(source)) for source in sources]
        total = np.zeros((len(names), len(self.scores)))
        np.add.at(total, places, self.contributions.T)
        return replace(self, feature_names=names, contributions=np.ascontiguousarray(total.T))

    def mapped(self, rising: Callable[[Any], Any]) -> "Explanation":
        """Return the explanation of scores under a rising map, such as a calibration.

        Contributions are passed by the secant, see `lopsided.methods.additive`.

        Parameters
        ----------
        rising : callable
            From scores to scores, element by element.
        """
        sums = AdditiveScores(self.base, self.contributions, self.scores).mapped(rising)
        return replace(self, base=sums.base, contributions=sums.terms, scores=sums.scores)

    def centered(self, typical: Sequence[float]) -> "Explanation":
        """Return the explanation with what is typical of a feature taken from it.

        A contribution is then what a feature adds beyond that, and the base the score of an
        average row: sums stay the same.

        Parameters
        ----------
        typical : sequence of float
            Mean contributions of rows such as those of training, one for each feature.
        """
        usual = as_floats(typical, "typical")
        if usual.shape != (len(self.feature_names),):
            raise ValueError(
                f"typical must be one number for each of {len(self.feature_names)} features, "
                f"got shape {usual.shape}."
            )
        added = self.contributions - usual
        return replace(self, contributions=added, base=self.scores - added.sum(axis=1))

    def top(self, k: int = 3) -> list[list[tuple[str, float]]]:
        """Return for each row the features that raise its score most, with how much.

        Parameters
        ----------
        k : int, default=3
            How many, at most: features that add nothing or lower the score are left out.

        Returns
        -------
        list of list of (str, float)
            The largest contribution first.
        """
        check_count(k, "k")
        order = np.argsort(-self.contributions, axis=1, kind="stable")[:, :k]
        return [
            [(self.feature_names[j], float(own[j])) for j in first if own[j] > 0]
            for own, first in zip(self.contributions, order, strict=True)
        ]

    def mean_absolute(self) -> NDArray[np.float64]:
        """Return the mean size of each feature's contributions, of shape (n_features,)."""
        return np.asarray(np.abs(self.contributions).mean(axis=0))

    def direction(self, X: Any) -> NDArray[np.float64]:
        """Return whether contributions rise or fall with the values of each feature.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            The rows that were explained.

        Returns
        -------
        ndarray of shape (n_features,)
            Spearman's rank correlation of values and contributions, missing values left out: 1
            where they rise together. 0 where either does not vary, NaN for categories and text.
        """
        table = X if hasattr(X, "toarray") else as_pandas(X)
        table = table if hasattr(table, "shape") else np.asarray(table)
        if table.shape != self.contributions.shape:
            raise ValueError(
                f"X must be the rows that were explained, of shape {self.contributions.shape}, "
                f"got {table.shape}. Take it before features are grouped."
            )
        pairs = zip(_numeric_columns(table), self.contributions.T, strict=True)
        return np.array([_rank_correlation(values, own) for values, own in pairs])


def explain(
    model: Any, X: Any, *, background: Any = None, random_state: Any = 0
) -> Explanation:
    r"""Return what each column adds to the score of each row.

    Contributions are exact where a model has sums of its own, on the scale of
    `decision_function`:

    - forests along the paths of their trees, each split's change of the labeled share going to
      its column, from the share of the root down;
    - logistic regression by its terms :math:`w_j (x_j - \bar x_j)` about the mean row of
      training, a column with all that encodes it; so for methods that end in one;
    - boosters by XGBoost's own Shapley values, about their means in training;
    - nearest neighbors by what each column adds to the distances;
    - "focused" by its members, weighted, and `PUCalibratedClassifier` by its classifier.

    Maps that rise on top of a sum, such as log-odds, normal scores and calibration, are passed
    by the secant, see `lopsided.methods.additive`. All other models, such as nets, classifiers
    of other packages and pipelines, are sampled: Shapley values along a few random orders of
    the columns, which add up as well but cost many scores of each row.

    Contributions say what moves the score of this model, not what causes a positive. Of columns
    that tell the same, any may be given the credit.

    Parameters
    ----------
    model : fitted classifier
        A method, `PUCalibratedClassifier`, or any other with `decision_function` or
        `predict_proba`, whose log-odds are then explained.
    X : array, sparse matrix or data frame of shape (n_rows, n_features)
        Columns as in `fit`.
    background : array or data frame of shape (n_others, n_features), optional
        Rows to compare with where contributions are sampled, at most 20 of which are drawn; the
        base is their mean score. None is the typical row of training, that of medians and
        commonest categories, and for classifiers of other packages, which keep none, the
        typical row of X. Exact contributions have a base of their own.
    random_state : int, Generator or None, default=0
        Seed of the sampling.

    Returns
    -------
    Explanation

    References
    ----------
    Saabas: Interpreting random forests. 2014. Lundberg, Lee: A unified approach to interpreting
    model predictions. NeurIPS 2017.

    Examples
    --------
    >>> import lopsided, numpy as np
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = (X[:, 0] > 1.5).astype(int)
    >>> model = lopsided.build("naive-forest", n_estimators=20, random_state=0).fit(X, y)
    >>> found = explain(model, X[y == 1])
    >>> {reasons[0][0] for reasons in found.top(1)}
    {'x0'}
    """
    if not any(hasattr(model, name) for name in ("decision_function", "predict_proba")):
        raise ValueError(
            f"model must be a classifier that scores rows, got {quote(model)}. Fit one."
        )
    found = additive_scores(model, X, background=background, random_state=random_state)
    names = _feature_names(model, X, found.terms.shape[1])
    return Explanation(names, found.base, found.terms, found.scores)


def _feature_names(model: Any, X: Any, n_features: int) -> tuple[str, ...]:
    """Return the names of the columns, of training or of X, or numbered."""
    named = getattr(model, "feature_names_in_", getattr(X, "columns", None))
    if named is None or len(named) != n_features:
        named = [f"x{j}" for j in range(n_features)]
    return tuple(map(str, named))


def _numeric_columns(table: Any) -> list[NDArray[np.float64] | None]:
    """Return the columns of a table as numbers, None for those that hold none."""
    if hasattr(table, "toarray"):
        return list(table.toarray().T.astype(np.float64))
    if not hasattr(table, "columns"):
        return [_as_numbers(column) for column in table.T]
    columns = (table.iloc[:, j] for j in range(table.shape[1]))
    return [None if column.dtype == "category" else _as_numbers(column) for column in columns]


def _as_numbers(column: Any) -> NDArray[np.float64] | None:
    try:
        return np.asarray(column, np.float64)
    except (TypeError, ValueError):
        return None


def _rank_correlation(values: NDArray[np.float64] | None, own: NDArray[np.float64]) -> float:
    from scipy.stats import rankdata

    if values is None:
        return float("nan")
    known = ~np.isnan(values)
    if not known.any():
        return 0.0
    ranks = np.array([rankdata(values[known]), rankdata(own[known])])
    ranks -= ranks.mean(axis=1, keepdims=True)
    size = np.sqrt((ranks**2).sum(axis=1)).prod()
    return float(ranks.prod(axis=0).sum() / size) if size > 0 else 0.0
