"""The members of a fusion: how each is built, fitted, and scored on rows it has not seen."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided.methods._base import PUClassifier

__all__ = ["Fitted", "Member", "choose", "deal_folds", "fit_member", "sharing_members"]

_STORE: ContextVar[dict[str, Any] | None] = ContextVar("fitted members", default=None)
_FEWEST_TO_FOLD = 3  # labeled rows: a part without one must keep two


@dataclass(frozen=True)
class Member:
    """A learner that takes part in a fusion.

    Parameters
    ----------
    name : str
        Its short name.
    title : str
        What it is, in the words of a sentence.
    build : callable
        Makes it from the labeled share of its rows.
    unseen : {"bags", "folds"}
        Whether its rows are scored by the trees that have not seen them, or by models that are
        fitted without a part of the rows in turn; these models together are the member.
    """

    name: str
    title: str
    build: Callable[[float], PUClassifier]
    unseen: Literal["bags", "folds"]


class Fitted(NamedTuple):
    """A fitted member, and scores of the training rows by models that have not seen them."""

    models: list[PUClassifier]
    unseen: NDArray[np.float64]

    def scores(self, X: Any) -> NDArray[np.float64]:
        """Return the mean score of the models for each row."""
        return np.mean([model._scores(X) for model in self.models], axis=0)


def fit_member(
    member: Member,
    X: Any,
    y: NDArray[np.int8],
    weight: Any,
    seed: int,
    of: PUClassifier,
    n_folds: int,
    n_threads: int,
) -> Fitted:
    """Fit a member on checked rows.

    Parameters
    ----------
    member : Member
        What to fit.
    X, y, weight : arrays
        The rows, as the method that it is a part of has checked them.
    seed : int
        Source of its randomness; the result depends on nothing else that varies.
    of : PUClassifier
        That method.
    n_folds, n_threads : int
        How many models at most, and how many threads.
    """
    store = _STORE.get()
    if store is None:
        return _fit(member, X, y, weight, seed, of, n_folds, n_threads)
    key = _fingerprint(member, X, y, weight, seed, n_folds)
    if key not in store:
        store[key] = _fit(member, X, y, weight, seed, of, n_folds, n_threads)
    return store[key]


@contextmanager
def sharing_members() -> Iterator[None]:
    """Fit a member once for all fusions with the same rows, labels, settings and seed."""
    token = _STORE.set({})
    try:
        yield
    finally:
        _STORE.reset(token)


def _fingerprint(
    member: Member, X: Any, y: NDArray[np.int8], weight: Any, seed: int, n_folds: int
) -> str:
    """Return a hash of all that a fitted member depends on."""
    found = hashlib.sha256(f"{member.build(0.1)!r} {X.shape} {seed} {n_folds}".encode())
    for part in (X, y, weight):
        if part is not None:
            found.update(np.ascontiguousarray(part).tobytes())
    return found.hexdigest()


def _fit(
    member: Member,
    X: Any,
    y: NDArray[np.int8],
    weight: Any,
    seed: int,
    of: PUClassifier,
    n_folds: int,
    n_threads: int,
) -> Fitted:
    if member.unseen == "bags":
        model = member.build(_share(y, weight)).set_params(n_jobs=n_threads)
        model._fit_part(X, y, weight, seed, of)
        unseen: Any = model.oob_decision_function_
        lost = np.isnan(unseen)
        if lost.any():  # in every bag: the trees have all seen such a row
            unseen = np.where(lost, model._scores(X), unseen)
        return Fitted([model], unseen)
    return _fit_folds(member, X, y, weight, seed, of, n_folds, n_threads)


def _fit_folds(
    member: Member,
    X: Any,
    y: NDArray[np.int8],
    weight: Any,
    seed: int,
    of: PUClassifier,
    n_folds: int,
    n_threads: int,
) -> Fitted:
    from joblib import Parallel, delayed

    fold_of = deal_folds(y, n_folds, seed)
    folds = range(int(fold_of.max()) + 1)

    def fit(fold: int) -> tuple[PUClassifier, NDArray[np.float64]]:
        kept = fold_of != fold
        part = None if weight is None else weight[kept]
        model = member.build(_share(y[kept], part)).set_params(n_jobs=1)
        model._fit_part(X[kept], y[kept], part, seed + fold, of)
        return model, model._scores(X[~kept])

    # Threads share the table, and each model runs on one: the same numbers for any number.
    done = Parallel(n_jobs=n_threads, require="sharedmem")(delayed(fit)(f) for f in folds)
    unseen = np.empty(len(y))
    for fold, (_, scores) in zip(folds, done, strict=True):
        unseen[fold_of == fold] = scores
    models = [model for model, _ in done]
    always_in = fold_of < 0
    if always_in.any():
        unseen[always_in] = np.mean([model._scores(X[always_in]) for model in models], axis=0)
    return Fitted(models, unseen)


def deal_folds(y: NDArray[np.int8], n_folds: int, seed: int) -> NDArray[np.int64]:
    """Return the fold of each row, labeled and unlabeled rows dealt evenly.

    Two labeled rows are in every part, as -1: a model needs both.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
        The labels.
    n_folds : int
        How many folds at most; no more than there are labeled rows.
    seed : int
        Source of randomness.
    """
    labeled, unlabeled = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    enough = len(labeled) >= _FEWEST_TO_FOLD
    n_folds = max(min(n_folds, len(unlabeled), len(labeled) if enough else n_folds), 2)
    rng = np.random.default_rng(seed)
    fold_of = np.full(len(y), -1)
    fold_of[unlabeled] = rng.permutation(np.arange(len(unlabeled)) % n_folds)
    if enough:
        fold_of[labeled] = rng.permutation(np.arange(len(labeled)) % n_folds)
    return fold_of


def _share(y: NDArray[np.int8], weight: Any) -> float:
    return float(np.average(y, weights=weight))


def choose(members: Sequence[Member], names: Any) -> list[Member]:
    """Return the members of some names, or all of them."""
    from lopsided._check import check_choice

    if names is None:
        return list(members)
    known = {member.name: member for member in members}
    wanted = [names] if isinstance(names, str) else list(names)
    if not wanted:
        raise ValueError("members must name at least one member, got none.")
    return [known[check_choice(name, known, "member")] for name in dict.fromkeys(wanted)]
