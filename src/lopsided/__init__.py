"""Learn from positive and unlabeled tables in which positives are rare.

Names are loaded on first use, so that `import lopsided` costs next to nothing.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "lopsided._check": ("MissingExtraError", "PriorWarning"),
    "lopsided.labeling": ("SAR", "SCAR"),
    "lopsided.losses": (
        "CalibratedFocalLoss",
        "FocalLoss",
        "LogisticLoss",
        "Loss",
        "SigmoidLoss",
    ),
    "lopsided.methods.base": ("PUClassifier",),
    "lopsided.methods.boosting": ("BoostedRiskClassifier",),
    "lopsided.methods.elkan_noto": ("ElkanNotoClassifier",),
    "lopsided.methods.focused": ("FocusedClassifier",),
    "lopsided.methods.forest": ("PUForestClassifier",),
    "lopsided.methods.lbe": ("LBEClassifier",),
    "lopsided.methods.logistic": ("NaiveLogisticClassifier",),
    "lopsided.methods.mlp": ("NeuralRiskClassifier",),
    "lopsided.methods.nnif": ("NNIFClassifier",),
    "lopsided.methods.registry": ("build", "list_methods"),
    "lopsided.methods.sar_em": ("SAREMClassifier",),
    "lopsided.methods.spy": ("SpyClassifier",),
    "lopsided.methods.tab_gmlp": ("TabGMLPClassifier",),
    "lopsided.ranking": ("rank_unlabeled",),
    "lopsided.trees.sampling": (
        "Bagging",
        "Bootstrap",
        "StratifiedBootstrap",
        "WholeTable",
    ),
    "lopsided.risks": (
        "GradientAscent",
        "ClipAtZero",
        "PURisk",
        "PropensityRisk",
        "Risk",
        "SupervisedRisk",
        "ifpu",
        "imbnnpu",
        "naive",
        "nnpu",
        "supervised",
        "upu",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_MODULES = (
    "datasets",
    "labeling",
    "losses",
    "methods",
    "metrics",
    "ranking",
    "risks",
    "testing",
)

__all__ = [
    "SAR",
    "SCAR",
    "Bagging",
    "BoostedRiskClassifier",
    "Bootstrap",
    "CalibratedFocalLoss",
    "ClipAtZero",
    "ElkanNotoClassifier",
    "FocalLoss",
    "FocusedClassifier",
    "GradientAscent",
    "LBEClassifier",
    "LogisticLoss",
    "Loss",
    "MissingExtraError",
    "NNIFClassifier",
    "NaiveLogisticClassifier",
    "NeuralRiskClassifier",
    "PUClassifier",
    "PUForestClassifier",
    "PURisk",
    "PriorWarning",
    "PropensityRisk",
    "Risk",
    "SAREMClassifier",
    "SigmoidLoss",
    "SpyClassifier",
    "StratifiedBootstrap",
    "SupervisedRisk",
    "TabGMLPClassifier",
    "WholeTable",
    "build",
    "datasets",
    "ifpu",
    "imbnnpu",
    "list_methods",
    "metrics",
    "naive",
    "nnpu",
    "rank_unlabeled",
    "supervised",
    "testing",
    "upu",
]


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        value = getattr(import_module(_HOME_OF[name]), name)
        globals()[name] = value
        return value
    if name in _MODULES:
        return import_module(f"lopsided.{name}")
    raise AttributeError(f"module 'lopsided' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME_OF, *_MODULES})
