"""The one list of methods that the library, command line, studies and tests read."""

import inspect
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from importlib import import_module
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from lopsided._check import check_choice
from lopsided.losses import FocalLoss, LogisticLoss
from lopsided.risks import Hold, ifpu, imbnnpu, naive, nnpu, supervised, upu
from lopsided.trees.sampling import Bagging, StratifiedBootstrap, WholeTable

__all__ = ["METHODS", "Method", "build", "get_method", "list_methods"]

_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Method(NamedTuple):
    """A registry entry: a name for a learner with its settings."""

    name: str
    target: str  # "module:class", imported when built
    params: Mapping[str, Any]
    summary: str
    reference: str
    takes_prior: bool = True
    needs: tuple[str, ...] = ()  # optional packages
    labels: Literal["pu", "true"] = "pu"  # "true": an oracle row, fitted on y_true by studies
    quick: Mapping[str, Any] = _NOTHING  # small settings for contract tests

    def load(self) -> Any:
        """Import and return the estimator class."""
        module, _, name = self.target.partition(":")
        return getattr(import_module(module), name)


_BOOSTING = "lopsided.methods.boosting:BoostedRiskClassifier"
_FOREST = "lopsided.methods.forest:PUForestClassifier"
_QUICK = MappingProxyType({"n_rounds": 20})
_FEW_TREES = MappingProxyType({"n_estimators": 20})
_PAPER = "Zavitsanos, Paliouras: Focused PU learning from imbalanced data."
_HELLINGER = "Ortega Vazquez, vanden Broucke, De Weerdt. Machine Learning 2024."
_XGBOOST = "Chen, Guestrin: XGBoost. KDD 2016."

METHODS: tuple[Method, ...] = (
    Method(
        "focused-xgb",
        _BOOSTING,
        {
            "risk": ifpu(clamp=Hold(), target_prior=0.5),
            "gradient_scale": 0.3,
            "learning_rate": 0.1,
            "subsample": 0.5,
            "colsample_bynode": 0.5,
            "n_parallel_trees": 4,
        },
        "Focused PU risk with both classes weighed alike, boosted with low variance.",
        _PAPER,
        quick=_QUICK,
    ),
    Method(
        "ifpu-xgb",
        _BOOSTING,
        {"risk": ifpu(clamp=Hold())},
        "Non-negative PU risk on the focal loss, XGBoost's default settings: the paper's row.",
        _PAPER,
        quick=_QUICK,
    ),
    Method(
        "upu-xgb",
        _BOOSTING,
        {"risk": upu(LogisticLoss())},
        "Unbiased PU risk on the logistic loss.",
        "du Plessis, Niu, Sugiyama. ICML 2015.",
        quick=_QUICK,
    ),
    Method(
        "nnpu-xgb",
        _BOOSTING,
        {"risk": nnpu(LogisticLoss(), clamp=Hold())},
        "Non-negative PU risk on the logistic loss.",
        "Kiryo, Niu, du Plessis, Sugiyama. NeurIPS 2017.",
        quick=_QUICK,
    ),
    Method(
        "imbnnpu-xgb",
        _BOOSTING,
        {"risk": imbnnpu(LogisticLoss(), clamp=Hold())},
        "Non-negative PU risk with both classes weighed alike.",
        "Su, Chen, Xu. IJCAI 2021.",
        quick=_QUICK,
    ),
    Method(
        "naive-xgb",
        _BOOSTING,
        {"risk": naive(), "gradient_scale": 1.0},
        "XGBoost with unlabeled rows taken for negatives: the baseline to beat.",
        _XGBOOST,
        takes_prior=False,
        quick=_QUICK,
    ),
    Method(
        "naive-forest",
        _FOREST,
        {"cuts": "random", "n_estimators": 300},
        "Bootstrapped extra trees with unlabeled rows taken for negatives: hard to beat.",
        "Geurts, Ernst, Wehenkel: Extremely randomized trees. Machine Learning 2006.",
        takes_prior=False,
        quick=_FEW_TREES,
    ),
    Method(
        "pu-bagging",
        _FOREST,
        {"cuts": "random", "n_estimators": 300, "sampling": Bagging(ratio=20.0)},
        "Extra trees, each on the labeled rows and 20 unlabeled ones for each of them.",
        "Mordelet, Vert. Pattern Recognition Letters 2014.",
        takes_prior=False,
        quick=_FEW_TREES,
    ),
    Method(
        "hellinger-forest",
        _FOREST,
        {"criterion": "hellinger", "sampling": StratifiedBootstrap()},
        "Random forest on the Hellinger distance of labeled and unlabeled rows.",
        "Cieslak, Hoens, Chawla, Kegelmeyer. Data Mining and Knowledge Discovery 2012.",
        takes_prior=False,
        quick=_FEW_TREES,
    ),
    Method(
        "puhdt",
        _FOREST,
        {
            "criterion": "pu-hellinger",
            "n_estimators": 1,
            "max_depth": 5,
            "max_features": None,
            "sampling": WholeTable(),
        },
        "One Hellinger tree of depth 5 on estimated positives and negatives.",
        _HELLINGER,
    ),
    Method(
        "puhrf",
        _FOREST,
        {"criterion": "pu-hellinger", "sampling": StratifiedBootstrap()},
        "Random forest of such trees, every labeled row in each.",
        _HELLINGER,
        quick=_FEW_TREES,
    ),
    Method(
        "puet",
        _FOREST,
        {"criterion": "nnpu", "cuts": "random", "n_estimators": 300},
        "Extra trees that lower the non-negative PU risk.",
        "Wilton, Koay, Ko, Xu, Ye. NeurIPS 2022.",
        quick=_FEW_TREES,
    ),
    Method(
        "xgb",
        _BOOSTING,
        {"risk": supervised(), "gradient_scale": 1.0},
        "XGBoost on the true labels: what full knowledge would give.",
        _XGBOOST,
        takes_prior=False,
        labels="true",
        quick=_QUICK,
    ),
    Method(
        "xgb-focal",
        _BOOSTING,
        {"risk": supervised(FocalLoss()), "gradient_scale": 1.0},
        "XGBoost with the focal loss on the true labels.",
        _PAPER,
        takes_prior=False,
        labels="true",
        quick=_QUICK,
    ),
)


def list_methods(labels: Literal["pu", "true", "any"] = "pu") -> list[str]:
    """Return the names of the methods.

    Parameters
    ----------
    labels : {"pu", "true", "any"}, default="pu"
        "pu" lists those that learn from positive and unlabeled rows, "true" the oracle rows
        that studies fit on the truth, "any" both.

    Examples
    --------
    >>> "ifpu-xgb" in list_methods()
    True
    """
    check_choice(labels, ("pu", "true", "any"), "kind of labels")
    return [method.name for method in METHODS if labels in (method.labels, "any")]


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
        Settings of the estimator, or of its risk and loss (`gamma`, `target_prior`, `pool`,
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
