"""The models that rank a year's reports: those of the paper, baselines, and this library's."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from lopsided._check import check_choice
from lopsided.finance.scorers import (
    Scorer,
    as_codes,
    boost_balanced,
    draw_order,
    fit_method,
    fit_pipeline,
    labeled_share,
    make_balanced_line,
    make_forest,
    make_linear_svm,
    make_logistic,
    one_hot,
    remember_firms,
    train_net,
    with_firm,
)
from lopsided.finance.tasks import Task
from lopsided.losses import CalibratedFocalLoss
from lopsided.methods.registry import build
from lopsided.risks import GradientAscent, PURisk, SupervisedRisk

__all__ = ["MODELS", "Model", "get_model", "list_models"]

Kind = Literal["pu", "negative", "rule", "truth"]


@dataclass(frozen=True)
class Model:
    """A way to rank the reports of a year.

    Parameters
    ----------
    name, title : str
        Its short name, and what it is.
    kind : {"pu", "negative", "rule", "truth"}
        Whether unlabeled reports are taken for unlabeled or for sound, whether it is a plain
        rule, or has seen the labels that came out later.
    score : callable
        Takes a task and a seed, returns one score per report.
    printed : float or None, default=None
        The paper's mean R-precision, in percent.
    n_seeds : int, default=1
        How many seeds are averaged in a study.
    span, gap : int
        Training years, and years left out before the year to rank.
    group : {"main", "nets", "parts"}, default="main"
        Whether it belongs to the comparison, trains a net, or is there to see what
        a setting does.
    needs : tuple of str, default=()
        Modules of optional packages that it imports.
    """

    name: str
    title: str
    kind: Kind
    score: Scorer
    printed: float | None = None
    n_seeds: int = 1
    span: int | None = 3
    gap: int = 0
    group: Literal["main", "nets", "parts"] = "main"
    needs: tuple[str, ...] = ()


def list_models(group: str = "main") -> list[str]:
    """Return the names of the models of a group.

    Parameters
    ----------
    group : {"main", "nets", "parts", "any"}, default="main"
        Which.
    """
    check_choice(group, ("main", "nets", "parts", "any"), "group of models")
    return [model.name for model in MODELS if group in (model.group, "any")]


def get_model(name: str) -> Model:
    """Return the model of a name, or name the nearest ones.

    Parameters
    ----------
    name : str
        One of `list_models("any")`.
    """
    check_choice(name, list_models("any"), "model")
    return next(model for model in MODELS if model.name == name)


Settings = Mapping[str, Any]
_CALIBRATED = CalibratedFocalLoss()
_FULL_SCALE: Settings = MappingProxyType({"gradient_scale": 1.0})
_DEEP: Settings = MappingProxyType({**_FULL_SCALE, "max_depth": 12})
_SLOW: Settings = MappingProxyType(
    {**_DEEP, "colsample_bynode": 0.3, "learning_rate": 0.1, "n_estimators": 300}
)


def _part(name: str, title: str, score: Scorer, n_seeds: int = 1) -> Model:
    """Return a variant of the paper's booster or of a forest, to see what a setting does."""
    kind: Kind = "pu" if name.startswith("ifpu") else "negative"
    return Model(name, title, kind, score, n_seeds=n_seeds, group="parts")


MODELS = (
    Model("random", "a random order", "rule", draw_order, n_seeds=20),
    Model(
        "firm-memory",
        "firms with a known misstatement in the training years first",
        "rule",
        remember_firms,
    ),
    Model(
        "lr-gap",
        "logistic regression on 14 ratios of all years up to two before",
        "negative",
        fit_pipeline(make_balanced_line, "ratios"),
        printed=2.40,
        span=None,
        gap=1,
    ),
    Model(
        "svm-gap",
        "linear support vectors on 28 items of all years up to two before",
        "negative",
        fit_pipeline(make_linear_svm, "items"),
        printed=2.00,
        span=None,
        gap=1,
    ),
    Model(
        "rusboost",
        "boosted trees on balanced samples of 28 items",
        "negative",
        boost_balanced,
        printed=5.73,
        n_seeds=3,
        needs=("imblearn",),
    ),
    Model(
        "fin-svm",
        "linear support vectors on items and ratios",
        "negative",
        fit_pipeline(make_linear_svm, "published"),
        printed=3.40,
    ),
    Model(
        "fin-lr",
        "logistic regression on items and ratios",
        "negative",
        fit_pipeline(make_logistic, "published"),
        printed=4.70,
    ),
    Model(
        "forest",
        "scikit-learn's random forest, categories spread out",
        "negative",
        fit_pipeline(make_forest, "all", Task.features),
        n_seeds=3,
    ),
    Model(
        "naive-forest",
        "extra trees, unlabeled as negative",
        "negative",
        fit_method("naive-forest"),
        n_seeds=3,
    ),
    Model("naive-xgb", "XGBoost, unlabeled as negative", "negative", fit_method("naive-xgb")),
    Model(
        "puhrf",
        "PU Hellinger random forest, the labeled share as its prior",
        "pu",
        fit_method("puhrf", prior=labeled_share),
        printed=18.22,
        n_seeds=3,
    ),
    Model(
        "ifpu-xgb", "boosted trees on the focused PU risk", "pu", fit_method("ifpu-xgb"), 19.95
    ),
    Model(
        "focused-xgb",
        "the same risk with a target prior, on samples of rows and columns",
        "pu",
        fit_method("focused-xgb"),
        n_seeds=3,
    ),
    Model("focused", "the flagship", "pu", fit_method("focused"), n_seeds=3),
    Model(
        "focused-fast",
        "the flagship's fast preset",
        "pu",
        fit_method("focused", preset="fast"),
        n_seeds=3,
    ),
    Model(
        "focused-gap",
        "the flagship's fast preset on 14 ratios of all years up to two before",
        "pu",
        fit_method("focused", columns="ratios", preset="fast"),
        n_seeds=3,
        span=None,
        gap=1,
    ),
    Model("xgb-truth", "XGBoost on labels as they came out later", "truth", fit_method("xgb")),
    Model(
        "tab-gmlp",
        "TabTransformer and gMLP on the calibrated focal loss, classes balanced",
        "negative",
        train_net(SupervisedRisk(_CALIBRATED, target_prior=0.5)),
        printed=17.63,
        n_seeds=3,
        group="nets",
        needs=("torch",),
    ),
    Model(
        "calibrated-ifpu",
        "the same net on the focused PU risk",
        "pu",
        train_net(PURisk(_CALIBRATED, GradientAscent(), target_prior=0.5)),
        printed=19.10,
        n_seeds=3,
        group="nets",
        needs=("torch",),
    ),
    _part("ifpu-xgb-shallow", "depth 3", fit_method("ifpu-xgb", max_depth=3)),
    _part("ifpu-xgb-scale", "gradients times n", fit_method("ifpu-xgb", **_FULL_SCALE)),
    _part("ifpu-xgb-deep", "and depth 12", fit_method("ifpu-xgb", **_DEEP)),
    _part(
        "ifpu-xgb-slow",
        "and 300 small steps, 30 % of the columns at a node",
        fit_method("ifpu-xgb", **_SLOW),
        n_seeds=3,
    ),
    _part(
        "ifpu-xgb-one-hot",
        "deep, categories spread out",
        fit_pipeline(
            lambda seed: one_hot(build("ifpu-xgb", random_state=seed, **_DEEP)),
            "all",
            Task.features,
        ),
    ),
    _part(
        "ifpu-xgb-codes",
        "deep, SIC and state as numbers",
        fit_method("ifpu-xgb", change=as_codes, **_DEEP),
    ),
    _part(
        "ifpu-xgb-firm",
        "deep, with the firm as a category",
        fit_method("ifpu-xgb", change=with_firm, **_DEEP),
    ),
    _part(
        "ifpu-xgb-shallow-firm",
        "depth 6 and plain scale, with the firm as a category",
        fit_method("ifpu-xgb", change=with_firm),
    ),
    _part("naive-xgb-deep", "XGBoost, depth 12", fit_method("naive-xgb", max_depth=12)),
    _part(
        "naive-xgb-firm",
        "XGBoost, depth 12, with the firm as a category",
        fit_method("naive-xgb", change=with_firm, max_depth=12),
    ),
    _part(
        "naive-forest-leaf-10",
        "extra trees with ten reports in a leaf",
        fit_method("naive-forest", min_samples_leaf=10),
        n_seeds=3,
    ),
)
