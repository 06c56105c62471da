"""The members of a fusion: how each is built, fitted, and scored on rows it has not seen."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided._check import check_choice
from lopsided._rows import TrainingRows
from lopsided.methods.base import PUClassifier

__all__ = [
    "MIN_TO_FOLD",
    "Fitted",
    "Member",
    "Rows",
    "assign_folds",
    "choose",
    "fit_member",
    "sharing_members",
]

_STORE: ContextVar[dict[str, Any] | None] = ContextVar("fitted members", default=None)
MIN_TO_FOLD = 3  # labeled rows: a part without one must keep two


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
    """A fitted member, and scores of the training rows by models that have not seen them.

    Only labeled rows of which there are no more than two, and a lone unlabeled one, have been
    seen by every model.
    """

    title: str
    models: list[PUClassifier]
    unseen: NDArray[np.float64]

    def __repr__(self) -> str:
        return f"Fitted({self.title!r}, {len(self.models)} models, {len(self.unseen)} rows)"

    def scores(self, X: Any) -> NDArray[np.float64]:
        """Return the mean score of the models for each row."""
        return np.mean([model._scores(X) for model in self.models], axis=0)


@dataclass(frozen=True)
class Rows:
    """Training rows that the method which a member is a part of has checked.

    Parameters
    ----------
    X, y, weight : arrays
        The table, the labels, and the sample weights or None.
    of : PUClassifier
        That method.
    """

    X: Any
    y: NDArray[np.int8]
    weight: Any
    of: PUClassifier

    def take(self, kept: NDArray[np.bool_]) -> "Rows":
        """Return some of the rows."""
        weight = None if self.weight is None else self.weight[kept]
        return Rows(self.X[kept], self.y[kept], weight, self.of)

    def fit(self, member: Member, seed: int, n_threads: int) -> PUClassifier:
        """Return one fitted model of a member."""
        model = member.build(float(np.average(self.y, weights=self.weight)))
        model.set_params(n_jobs=n_threads)
        return model._fit_part(TrainingRows(self.X, self.y, self.weight), seed, self.of)


def fit_member(member: Member, rows: Rows, seed: int, n_folds: int, n_threads: int) -> Fitted:
    """Fit a member, or take it from those that are shared.

    Parameters
    ----------
    member : Member
        What to fit.
    rows : Rows
        What to fit it on.
    seed : int
        Source of its randomness; the result depends on nothing else that varies.
    n_folds, n_threads : int
        How many models at most, and how many threads.
    """
    store = _STORE.get()
    key = "" if store is None else _fingerprint(member, rows, seed, n_folds)
    if store is not None and key in store:
        return store[key]
    if member.unseen == "bags":
        fitted = _fit_bags(member, rows, seed, n_threads)
    else:
        fitted = _fit_folds(member, rows, seed, n_folds, n_threads)
    if store is not None:
        store[key] = fitted
    return fitted


@contextmanager
def sharing_members() -> Iterator[None]:
    """Fit a member once for all fusions with the same rows, labels, settings and seed."""
    token = _STORE.set({})
    try:
        yield
    finally:
        _STORE.reset(token)


def _fingerprint(member: Member, rows: Rows, seed: int, n_folds: int) -> str:
    """Return a hash of all that a fitted member depends on."""
    model = (member.build(0.1), member.unseen, seed, n_folds)
    table = (rows.X.shape, rows.X.dtype, rows.of.categorical_, rows.of.category_levels_)
    found = hashlib.sha256(f"{model!r} {table!r}".encode())
    for part in (rows.X, rows.y, rows.weight):
        if part is not None:
            found.update(np.ascontiguousarray(part).tobytes())
    return found.hexdigest()


def _fit_bags(member: Member, rows: Rows, seed: int, n_threads: int) -> Fitted:
    model: Any = rows.fit(member, seed, n_threads)
    unseen = model.oob_decision_function_
    lost = np.isnan(unseen)
    if lost.any():  # in every bag: the trees have all seen such a row
        unseen = np.where(lost, model._scores(rows.X), unseen)
    return Fitted(member.title, [model], unseen)


def _fit_folds(member: Member, rows: Rows, seed: int, n_folds: int, n_threads: int) -> Fitted:
    from joblib import Parallel, delayed

    fold_of = assign_folds(rows.y, n_folds, seed)
    # Where no row can be left out, one model of all rows is the member.
    folds = range(max(int(fold_of.max()) + 1, 1))

    def fit(fold: int) -> tuple[PUClassifier, NDArray[np.float64]]:
        left_out = fold_of == fold
        model = rows.take(~left_out).fit(member, seed + fold, n_threads=1)
        return model, model._scores(rows.X[left_out]) if left_out.any() else np.empty(0)

    # Threads share the table, and each model runs on one: the same numbers for any number.
    done = Parallel(n_jobs=n_threads, require="sharedmem")(delayed(fit)(f) for f in folds)
    fitted = Fitted(member.title, [model for model, _ in done], np.empty(len(fold_of)))
    for fold, (_, scores) in zip(folds, done, strict=True):
        fitted.unseen[fold_of == fold] = scores
    always_in = fold_of < 0
    if always_in.any():
        fitted.unseen[always_in] = fitted.scores(rows.X[always_in])
    return fitted


def assign_folds(y: NDArray[np.int8], n_folds: int, seed: int) -> NDArray[np.int64]:
    """Return the fold of each row, labeled and unlabeled rows dealt evenly.

    Two labeled rows, or one unlabeled row, are in every part, as -1: a model needs them.

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
    enough = len(labeled) >= MIN_TO_FOLD
    most = len(labeled) if enough else n_folds
    n_folds = max(min(n_folds, max(len(unlabeled), 2), most), 2)
    rng = np.random.default_rng(seed)
    fold_of = np.full(len(y), -1)
    dealt = rng.permutation(np.arange(len(unlabeled)) % n_folds)
    if len(unlabeled) > 1:
        fold_of[unlabeled] = dealt
    if enough:
        fold_of[labeled] = rng.permutation(np.arange(len(labeled)) % n_folds)
    return fold_of


def choose(members: Sequence[Member], names: Any) -> list[Member]:
    """Return the members of some names."""
    known = {member.name: member for member in members}
    wanted = [names] if isinstance(names, str) else names
    if not isinstance(wanted, Iterable):
        raise ValueError(f"members must be names of members, got {names!r}.")
    wanted = list(wanted)
    if not wanted:
        raise ValueError("members must name at least one member, got none.")
    return [known[check_choice(name, known, "member")] for name in dict.fromkeys(wanted)]
