"""Which kind a positive is: classifiers of labeled rows, shrunk to the kinds' frequencies."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from lopsided._rows import TrainingRows
from lopsided._terminal import abbreviate
from lopsided._validation import check_labels, fill_masked
from lopsided.methods._encoders import NumericEncoder, fit_numeric_encoder

FREQUENCY = "frequency"
_MAX_FOLDS = 5
_PSEUDO_ROWS = 0.5  # of each kind, for its frequency
_N_TREES = 100
_N_TREES_IN_FOLD = 40  # enough to judge by
_DOUBT = 0.25  # rows that speak for the frequencies beforehand, and as many for classifiers
_MAX_SCALE_ROWS = 20_000  # that scales are learned from, besides labeled ones
_MAX_DENSE = 2**26  # values of a sparse table among them
_MAX_STEPS = 1000
_TOLERANCE = 1e-8

Proba = NDArray[np.float64]


@dataclass(frozen=True)
class KindModel:
    """A mixture of the kinds' frequencies and of classifiers, for rows that are positive."""

    encoder: NumericEncoder  # scales are those of all rows: few labeled ones know them badly
    low: Proba  # (n_columns,), the ends of what labeled rows hold
    high: Proba
    frequencies: Proba  # (n_kinds,)
    classifiers: dict[str, Any]  # fitted on all labeled rows; their classes are places in kinds
    weights: dict[str, float]  # of the frequencies and of each classifier, 1 in sum
    places: NDArray[np.intp]  # where each kind stands in the order in which kinds were met

    def predict_proba(self, X: Any) -> Proba:
        """Return the probability of each kind, of shape (n_rows, n_kinds)."""
        # A row far beyond all labeled ones proves no kind.
        encoded = self.encoder.transform(_as_dense(X)).clip(self.low, self.high)
        mixed = np.tile(self.weights[FREQUENCY] * self.frequencies, (len(encoded), 1))
        for name, model in self.classifiers.items():
            mixed += self.weights[name] * _spread(model, encoded, len(self.frequencies))
        return mixed[:, self.places]


def check_kinds(y: Any) -> NDArray[np.int64]:
    """Return labels as whole numbers from -1, or say what else y held."""
    if y is None:
        check_labels(y)
    values = np.asarray(fill_masked(y))
    wanted = (
        "y must hold whole numbers: kinds of positives above 0, 0 (unlabeled) and -1 "
        "(reviewed negative)"
    )
    advice = "Number your kinds from 1, and write unknown rows as 0."
    try:
        numbers = values if values.dtype.kind in "biuf" else values.astype(object).astype(float)
    except (TypeError, ValueError):
        seen = sorted({abbreviate(value) for value in values.ravel().tolist()})[:5]
        raise ValueError(f"{wanted}, got Unknown label type: {seen}. {advice}") from None
    wrong = ~np.isfinite(numbers) | (numbers < -1) | (numbers % 1 != 0)
    if wrong.any():
        came = ", ".join(f"{value:g}" for value in np.unique(numbers[wrong])[:5].astype(float))
        if (numbers[wrong] % 1 == 0).all():  # whole, but below -1
            raise ValueError(f"{wanted}, got {came}. {advice}")
        raise ValueError(f"{wanted}, got Unknown label type: [{came}]. {advice}")
    check_labels(np.clip(numbers, -1, 1))
    return numbers.astype(np.int64).ravel()


def fit_kind_model(
    rows: TrainingRows,
    codes: NDArray[np.intp],
    n_kinds: int,
    levels: Mapping[int, int],
    rng: np.random.Generator,
    n_threads: int = 1,
) -> KindModel:
    """Learn kinds from labeled rows; `codes` has the kind of each row, from 0, -1 for none."""
    counted = (codes >= 0) & (rows.weight > 0)
    places = _order_met(codes[counted], n_kinds)
    kinds, weight = places[codes[counted]], rows.weight[counted]
    encoder = _fit_encoder(rows, levels, rng)
    encoded = encoder.transform(_as_dense(rows.X[counted]))
    ends = encoded.min(axis=0), encoded.max(axis=0)
    frequencies = _shares(kinds, weight, n_kinds)
    if len(np.unique(kinds)) < 2:  # nothing to tell apart
        return KindModel(encoder, *ends, frequencies, {}, {FREQUENCY: 1.0}, places)
    templates = _list_classifiers(int(rng.integers(2**31)), n_threads)
    fold_of = _assign_folds(kinds, rng)
    judged = fold_of >= 0
    likelihood = [
        _out_of_fold(template, encoded, kinds, weight, fold_of, n_kinds)[judged]
        for template in (None, *templates.values())
    ]
    prior = np.array([_DOUBT, *[_DOUBT / len(templates)] * len(templates)])
    weights = fit_mixture(np.column_stack(likelihood), weight[judged], prior)
    fitted = {
        name: template.fit(encoded, kinds, sample_weight=weight)
        for name, template in templates.items()
    }
    named = dict(zip((FREQUENCY, *templates), weights.tolist(), strict=True))
    return KindModel(encoder, *ends, frequencies, fitted, named, places)


def fit_mixture(likelihood: Proba, weight: Proba, prior: Proba) -> Proba:
    """Return the weights of the likeliest mixture, by expectation-maximization.

    `likelihood` is that of each row by each component, of shape (n_rows, n_components). `prior`
    counts as rows that speak for each component; without other rows it decides.
    """
    mixture = prior / prior.sum()
    for _ in range(_MAX_STEPS):
        share = likelihood * mixture
        share /= np.maximum(share.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        updated = weight @ share + prior
        updated /= updated.sum()
        if np.abs(updated - mixture).max() < _TOLERANCE:
            break
        mixture = updated
    return mixture


def _fit_encoder(
    rows: TrainingRows, levels: Mapping[int, int], rng: np.random.Generator
) -> NumericEncoder:
    """Return how columns become numbers, learned from labeled rows and many of the others."""
    kept = rows.weight > 0
    others = np.flatnonzero(kept & (rows.y == 0))
    most = max(1, min(_MAX_SCALE_ROWS, _MAX_DENSE // rows.X.shape[1]))
    if len(others) > most:
        others = np.sort(rng.choice(others, most, replace=False))
    some = rows.take(np.append(np.flatnonzero(kept & (rows.y == 1)), others))
    return fit_numeric_encoder(_as_dense(some.X), levels, some.weight)


def _list_classifiers(seed: int, n_threads: int) -> dict[str, Any]:
    """Return the classifiers that take part, not fitted."""
    from sklearn.ensemble import ExtraTreesClassifier
    from sklearn.linear_model import LogisticRegression

    return {
        "logistic": LogisticRegression(C=1.0, max_iter=2000),
        "extra-trees": ExtraTreesClassifier(_N_TREES, n_jobs=n_threads, random_state=seed),
    }


def _order_met(codes: NDArray[np.intp], n_kinds: int) -> NDArray[np.intp]:
    """Return the place of each kind in the order in which rows bring them up.

    Learners then see the same numbers whatever the kinds are called.
    """
    found, first = np.unique(codes, return_index=True)
    met = found[np.argsort(first)]
    order = np.append(met, np.setdiff1d(np.arange(n_kinds), met))
    return np.argsort(order)


def _assign_folds(kinds: NDArray[np.intp], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the fold of each row, rows of one kind spread evenly.

    The only row of a kind is never left out, -1: without it nobody could name the kind.
    """
    fold_of = np.full(len(kinds), -1)
    several = rng.permutation(np.flatnonzero(np.bincount(kinds)[kinds] > 1))
    by_kind = several[np.argsort(kinds[several], kind="stable")]
    fold_of[by_kind] = np.arange(len(by_kind)) % min(_MAX_FOLDS, max(len(by_kind), 1))
    return fold_of


def _out_of_fold(
    template: Any,
    X: Proba,
    kinds: NDArray[np.intp],
    weight: Proba,
    fold_of: NDArray[np.int64],
    n_kinds: int,
) -> Proba:
    """Return the probability of each row's own kind by a model without it, None by shares."""
    from sklearn.base import clone

    found = np.ones(len(kinds))
    for fold in range(fold_of.max() + 1):
        test = np.flatnonzero(fold_of == fold)
        train = np.flatnonzero(fold_of != fold)
        if template is None:
            found[test] = _shares(kinds[train], weight[train], n_kinds)[kinds[test]]
        else:
            model = clone(template)
            if hasattr(model, "n_estimators"):
                model.set_params(n_estimators=_N_TREES_IN_FOLD)
            model.fit(X[train], kinds[train], sample_weight=weight[train])
            found[test] = _spread(model, X[test], n_kinds)[np.arange(len(test)), kinds[test]]
    return found


def _shares(kinds: NDArray[np.intp], weight: Proba, n_kinds: int) -> Proba:
    """Return the frequency of each kind, above 0 for all."""
    counts = np.bincount(kinds, weight, n_kinds) + _PSEUDO_ROWS
    return counts / counts.sum()


def _spread(model: Any, X: Proba, n_kinds: int) -> Proba:
    """Return the probabilities of all kinds, 0 for those that a model has not met."""
    proba = np.zeros((len(X), n_kinds))
    proba[:, model.classes_] = model.predict_proba(X)
    return proba


def _as_dense(X: Any) -> Any:
    sparse: bool = issparse(X)
    return X.toarray() if sparse else X
