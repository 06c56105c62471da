"""Methods by name: list them, look one up, build one."""

import inspect
from dataclasses import fields, is_dataclass, replace
from typing import Any, Literal

from lopsided._check import check_choice
from lopsided.methods.catalog import METHODS, Method

__all__ = ["METHODS", "Method", "build", "get_method", "list_methods"]


def list_methods(kind: Literal["pu", "true", "peer", "any"] = "pu") -> list[str]:
    """Return the names of the methods.

    Parameters
    ----------
    kind : {"pu", "true", "peer", "any"}, default="pu"
        "pu" lists those that learn from positive and unlabeled rows, "true" the oracle rows
        that studies fit on the truth, "peer" the estimators of other packages, "any" all.

    Examples
    --------
    >>> "ifpu-xgb" in list_methods()
    True
    """
    check_choice(kind, ("pu", "true", "peer", "any"), "kind of methods")
    return [method.name for method in METHODS if kind in (method.kind, "any")]


def get_method(name: str) -> Method:
    """Return the entry of a name, or name the nearest ones."""
    check_choice(name, list_methods("any"), "method")
    return next(method for method in METHODS if method.name == name)


def build(name: str, **params: Any) -> Any:
    """Make an estimator from its name in the registry.

    Parameters
    ----------
    name : str
        One of `list_methods("any")`.
    **params
        Settings of the estimator, or of its risk and loss (`gamma`, `target_prior`, `scenario`,
        `clamp`).

    Returns
    -------
    PUClassifier

    Examples
    --------
    >>> build("ifpu-xgb", gamma=0, max_depth=3).risk.loss
    FocalLoss(gamma=0)
    """
    method = get_method(name)
    estimator = method.load()
    own = set(inspect.signature(estimator).parameters)
    settings = {**method.params, **{key: params[key] for key in params if key in own}}
    routed = {key: value for key, value in params.items() if key not in own}
    risk = settings.get("risk")
    takes_prior = method.takes_prior if risk is None else risk.needs_prior
    if params.get("prior") is not None and not takes_prior:
        raise ValueError(f"{name} takes no prior: it does without. Leave prior out.")
    for key in routed:
        check_choice(key, sorted(own | _risk_parameters(risk)), f"parameter of {name}")
    if routed:
        settings["risk"] = _adjusted(risk, routed)
    return estimator(**settings)


def _names(part: Any) -> set[str]:
    return {setting.name for setting in fields(part)} if is_dataclass(part) else set()


def _risk_parameters(risk: Any) -> set[str]:
    """Return the names that `build` may set on a risk and its loss."""
    return (_names(risk) - {"loss"}) | _names(risk.loss) if risk is not None else set()


def _adjusted(risk: Any, changes: dict[str, Any]) -> Any:
    """Return a risk with some settings of its own and of its loss changed."""
    on_loss = {key: changes[key] for key in changes if key in _names(risk.loss)}
    on_risk = {key: changes[key] for key in changes if key not in on_loss}
    return replace(risk, loss=replace(risk.loss, **on_loss), **on_risk)
