"""The models that rank a year's reports: those of the paper, baselines, and this library's."""

import difflib
from dataclasses import dataclass
from typing import Any, Literal

from lopsided import build
from lopsided.losses import CalibratedFocalLoss
from lopsided.risks import GradientAscent, PURisk, SupervisedRisk
from lopsided_misstatement.folds import YearFold
from lopsided_misstatement.scorers import (
    Scorer,
    encode_ordinal,
    fit_method,
    fit_pipeline,
    fit_rus_boost,
    labeled_fraction,
    make_forest,
    make_linear_svm,
    make_logistic,
    one_hot,
    random_order,
    remember_firms,
    train_net,
    with_firm,
)

__all__ = ["KINDS", "MODELS", "Model", "get_model", "list_models"]

Kind = Literal["pu", "negative", "rule", "truth"]
KINDS = {
    "pu": "positive and unlabeled",
    "negative": "unlabeled as negative",
    "rule": "rule",
    "truth": "sees later labels",
}


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
        Takes a fold and a seed, returns one score per report.
    printed : float or None, default=None
        The paper's mean R-precision, in percent.
    n_seeds : int, default=1
        How many seeds are averaged in a study.
    span, gap : int
        Training years, and years left out before the year to rank.
    group : {"main", "nets", "parts"}, default="main"
        Whether it belongs to the comparison, trains a net, or is there to see what
        a setting does.
    needs : str, default=""
        The module of an optional package that it imports.
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
    needs: str = ""


def list_models(group: str = "main") -> list[str]:
    """Return the names of the models of a group: "main", "nets", "parts" or "any"."""
    return [model.name for model in MODELS if group in (model.group, "any")]


def get_model(name: str) -> Model:
    """Return the model of a name, or name the nearest ones."""
    if name not in _BY_NAME:
        near = difflib.get_close_matches(name, _BY_NAME, cutoff=0.5) or list(_BY_NAME)
        raise ValueError(f"No model is called {name[:60]!r}. Choose from {', '.join(near)}.")
    return _BY_NAME[name]


_CALIBRATED = CalibratedFocalLoss()
_SCALED: dict[str, Any] = {"gradient_scale": 1.0}
_DEEP = {**_SCALED, "max_depth": 12}
_SLOW = {**_DEEP, "colsample_bynode": 0.3, "learning_rate": 0.1, "n_estimators": 300}


def _part(name: str, title: str, score: Scorer, n_seeds: int = 1) -> Model:
    """Return a variant of the paper's booster or of a forest, to see what a setting does."""
    kind: Kind = "pu" if name.startswith("ifpu") else "negative"
    return Model(name, title, kind, score, n_seeds=n_seeds, group="parts")


MODELS = (
    Model("random", "a random order", "rule", random_order, n_seeds=20),
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
        fit_pipeline(make_logistic("balanced"), "ratios"),
        printed=2.40,
        span=None,
        gap=1,
    ),
    Model(
        "svm-gap",
        "linear support vector machine on 28 items of all years up to two before",
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
        fit_rus_boost,
        printed=5.73,
        n_seeds=3,
        needs="imblearn",
    ),
    Model(
        "fin-svm",
        "linear support vector machine on items and ratios",
        "negative",
        fit_pipeline(make_linear_svm, "published"),
        printed=3.40,
    ),
    Model(
        "fin-lr",
        "logistic regression on items and ratios",
        "negative",
        fit_pipeline(make_logistic(), "published"),
        printed=4.70,
    ),
    Model(
        "forest",
        "scikit-learn's random forest, categories one-hot encoded",
        "negative",
        fit_pipeline(make_forest, "all", YearFold.features),
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
        fit_method("puhrf", prior=labeled_fraction),
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
        fit_method("focused-fast"),
        n_seeds=3,
    ),
    Model(
        "focused-gap",
        "the flagship's fast preset on 14 ratios of all years up to two before",
        "pu",
        fit_method("focused-fast", columns="ratios"),
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
        group="nets",
        needs="torch",
    ),
    Model(
        "calibrated-ifpu",
        "the same net on the focused PU risk",
        "pu",
        train_net(PURisk(_CALIBRATED, GradientAscent(), target_prior=0.5)),
        printed=19.10,
        group="nets",
        needs="torch",
    ),
    _part("ifpu-xgb-shallow", "depth 3", fit_method("ifpu-xgb", max_depth=3)),
    _part("ifpu-xgb-scale", "gradients times n", fit_method("ifpu-xgb", **_SCALED)),
    _part("ifpu-xgb-deep", "and depth 12", fit_method("ifpu-xgb", **_DEEP)),
    _part(
        "ifpu-xgb-slow",
        "and 300 small steps, 30 % of the columns at a node",
        fit_method("ifpu-xgb", **_SLOW),
        n_seeds=3,
    ),
    _part(
        "ifpu-xgb-one-hot",
        "deep, categories one-hot encoded",
        fit_pipeline(
            lambda seed: one_hot(build("ifpu-xgb", random_state=seed, **_DEEP)),
            "all",
            YearFold.features,
        ),
    ),
    _part(
        "ifpu-xgb-codes",
        "deep, SIC and state as numbers",
        fit_method("ifpu-xgb", change=encode_ordinal, **_DEEP),
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

_BY_NAME = {model.name: model for model in MODELS}
