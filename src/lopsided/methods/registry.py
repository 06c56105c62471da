"""Methods by name: list them, look one up, build one."""

from collections.abc import Iterable
from copy import deepcopy
from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Literal

from lopsided._terminal import quote
from lopsided._validation import check_choice
from lopsided.methods.catalog import METHODS, Method

if TYPE_CHECKING:
    from lopsided.methods.base import PUClassifier

__all__ = ["METHODS", "Method", "build", "get_method", "list_methods"]

_GROUP = "lopsided.methods"  # of entry points, each a tuple of `Method`


@cache
def _added_methods() -> tuple[Method, ...]:
    """Return the methods that installed packages register, as lopsided-bench does."""
    return tuple(method for point in entry_points(group=_GROUP) for method in point.load())


def list_methods(kind: Literal["pu", "true", "peer", "any"] = "pu") -> list[str]:
    """Return the names of the methods.

    Parameters
    ----------
    kind : {"pu", "true", "peer", "any"}, default="pu"
        "pu" lists those that learn from positive and unlabeled rows, "true" the oracle rows
        that studies fit on the truth, "peer" the estimators that other packages such as
        lopsided-bench register (entry points of the group `lopsided.methods`), "any" all.

    Examples
    --------
    >>> "ifpu-xgb" in list_methods()
    True
    """
    check_choice(kind, ("pu", "true", "peer", "any"), "kind of methods")
    # Other packages are asked only if it matters: reading their metadata takes a while.
    known = METHODS if kind in ("pu", "true") else (*METHODS, *_added_methods())
    return list(dict.fromkeys(one.name for one in known if kind in (one.kind, "any")))


def get_method(name: str) -> Method:
    """Return the entry of a name, or name the nearest ones.

    Parameters
    ----------
    name : str
        One of `list_methods("any")`.

    Returns
    -------
    Method

    Examples
    --------
    >>> get_method("pu-bagging").summary
    'Extra trees, each on the labeled rows and 20 unlabeled ones for each of them.'
    >>> get_method("ifpu-mlp").needs
    ('torch',)
    """
    for method in METHODS:  # a name of the catalog cannot be taken by another package
        if method.name == name:
            return method
    known = {method.name: method for method in (*METHODS, *_added_methods())}
    try:
        return known[check_choice(name, known, "method")]
    except ValueError as error:
        if _added_methods():
            raise
        raise ValueError(f"{error} Methods of other packages need lopsided-bench.") from None


def check_ranks(name: str) -> str:
    """Return the name of a method if it learns from PU labels, its own or a peer's."""
    if get_method(name).labels == "true":
        raise ValueError(
            f"{name} learns from true labels and is for comparison only, got PU labels. "
            "Choose another method."
        )
    return name


def build(name: str, **params: Any) -> "PUClassifier":
    """Make an estimator from its name in the registry.

    Parameters
    ----------
    name : str
        One of `list_methods("any")`.
    **params
        Parameters of the estimator, by name or by path; the last name of a path will do, as in
        `gamma` for `risk__loss__gamma`, if no other parameter as near has it.

    Returns
    -------
    PUClassifier

    Examples
    --------
    >>> build("ifpu-xgb", gamma=0, max_depth=3).risk.loss
    FocalLoss(gamma=0)
    """
    method = get_method(name)
    estimator = method.load()(**deepcopy(dict(method.params)))
    known, prior = estimator.get_params(), params.pop("prior", None)
    estimator.set_params(**{_path(key, known, name): value for key, value in params.items()})
    if prior is None:
        return estimator
    if not estimator.uses_prior():
        raise ValueError(f"{name} takes no prior, neither given nor estimated. Leave it out.")
    return estimator.set_params(prior=prior)


def _path(key: str, known: Iterable[str], name: str) -> str:
    """Return a parameter's path: `gamma` is short for `risk__loss__gamma`."""
    if key in known:
        return key
    paths: dict[str, list[str]] = {}
    for path in sorted(known):
        paths.setdefault(path.rpartition("__")[2], []).append(path)
    found = paths[check_choice(key, sorted(paths), f"parameter of {name}")]
    depth = min(path.count("__") for path in found)
    nearest = [path for path in found if path.count("__") == depth]
    if len(nearest) > 1:
        raise ValueError(
            f"{quote(key)} must name one parameter of {name}, got a name that "
            f"{' and '.join(nearest)} share. Write one of these instead."
        )
    return nearest[0]
