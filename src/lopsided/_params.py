"""Parameters of the parts of an estimator, as scikit-learn reaches them."""

from dataclasses import fields
from typing import Any, Self


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
                    f"{name} of {type(self).__name__} must have parameters, got {part!r}: "
                    f"{next(iter(changes))!r} cannot be set."
                )
            part.set_params(**changes)
        return self
