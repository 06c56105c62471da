"""Parameters: those of parts, as scikit-learn reaches them, and estimators that are one."""

from dataclasses import fields
from math import isfinite
from numbers import Real
from typing import Any, Self

import numpy as np

from lopsided._terminal import quote


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


def seeded_copy(estimator: Any, rng: np.random.Generator) -> Any:
    """Return a fresh copy of an estimator, its random states drawn where none was given.

    Those of its parts too: the steps of a pipeline, what a method wraps.
    """
    from sklearn.base import clone

    fresh = clone(estimator)
    given = fresh.get_params()
    names = sorted(name for name in given if name.endswith("random_state"))
    missing = [name for name in names if given[name] is None]
    return fresh.set_params(**{name: int(rng.integers(2**31)) for name in missing})


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
