"""The table of methods: a name for each learner with its settings."""

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from lopsided.losses import CalibratedFocalLoss, FocalLoss, LogisticLoss
from lopsided.risks import ClipAtZero, ifpu, imbnnpu, naive, nnpu, supervised, upu
from lopsided.trees.sampling import Bagging, StratifiedBootstrap, WholeTable

__all__ = ["METHODS", "Method"]

_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Method(NamedTuple):
    """A registry entry: a name for a learner with its settings."""

    name: str
    target: str  # "module:class", imported when built
    params: Mapping[str, Any]
    summary: str
    reference: str
    needs: tuple[str, ...] = ()  # optional packages
    labels: Literal["pu", "true"] = "pu"  # "true": an oracle row, fitted on y_true by studies
    quick: Mapping[str, Any] = _NOTHING  # small settings for contract tests
    source: str = "lopsided"  # or the package of a peer

    @property
    def kind(self) -> str:
        """Under which word it is listed: "pu", "true" or "peer"."""
        return self.labels if self.source == "lopsided" else "peer"

    @property
    def takes_prior(self) -> bool:
        """Whether it can be told the prior, as its estimator says."""
        return self.load()(**self.params).needs_prior()

    def load(self) -> Any:
        """Import and return the estimator class."""
        module, _, name = self.target.partition(":")
        return getattr(import_module(module), name)


_FOCUSED = "lopsided.methods.focused:FocusedClassifier"
_BOOSTING = "lopsided.methods.boosting:BoostedRiskClassifier"
_NET = "lopsided.methods.mlp:NeuralRiskClassifier"
_FOREST = "lopsided.methods.forest:PUForestClassifier"
_QUICK = MappingProxyType({"n_estimators": 20})
_SMALL_NET = MappingProxyType({"hidden_layer_sizes": (20, 20), "n_steps": 40})
_FEW_TREES = MappingProxyType({"n_estimators": 20})
_PAPER = "Zavitsanos, Paliouras: Focused PU learning from imbalanced data."
_HELLINGER = "Ortega Vazquez, vanden Broucke, De Weerdt. Machine Learning 2024."
_XGBOOST = "Chen, Guestrin: XGBoost. KDD 2016."

_OURS: tuple[Method, ...] = (
    Method(
        "focused",
        _FOCUSED,
        {},
        "An ensemble of boosters on the focused PU risk, forests and logistic regression.",
        _PAPER,
        quick=MappingProxyType({"preset": "fast"}),
    ),
    Method(
        "focused-fast",
        _FOCUSED,
        {"preset": "fast"},
        "Its fast preset: bagged trees and logistic regression, at about a tenth of the cost.",
        _PAPER,
    ),
    Method(
        "focused-xgb",
        _BOOSTING,
        {
            "risk": ifpu(clamp=ClipAtZero(), target_prior=0.5),
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
        {"risk": ifpu(clamp=ClipAtZero())},
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
        {"risk": nnpu(LogisticLoss(), clamp=ClipAtZero())},
        "Non-negative PU risk on the logistic loss.",
        "Kiryo, Niu, du Plessis, Sugiyama. NeurIPS 2017.",
        quick=_QUICK,
    ),
    Method(
        "imbnnpu-xgb",
        _BOOSTING,
        {"risk": imbnnpu(LogisticLoss(), clamp=ClipAtZero())},
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
        quick=_QUICK,
    ),
    Method(
        "naive-forest",
        _FOREST,
        {"splitter": "random", "n_estimators": 300},
        "Bootstrapped extra trees with unlabeled rows taken for negatives: hard to beat.",
        "Geurts, Ernst, Wehenkel: Extremely randomized trees. Machine Learning 2006.",
        quick=_FEW_TREES,
    ),
    Method(
        "naive-logistic",
        "lopsided.methods.logistic:NaiveLogisticClassifier",
        {},
        "Balanced logistic regression with unlabeled rows taken for negatives.",
        "Lee, Liu: Learning with positive and unlabeled examples using weighted logistic "
        "regression. ICML 2003.",
    ),
    Method(
        "pu-bagging",
        _FOREST,
        {"splitter": "random", "n_estimators": 300, "sampling": Bagging(ratio=20.0)},
        "Extra trees, each on the labeled rows and 20 unlabeled ones for each of them.",
        "Mordelet, Vert. Pattern Recognition Letters 2014.",
        quick=_FEW_TREES,
    ),
    Method(
        "hellinger-forest",
        _FOREST,
        {"criterion": "hellinger", "sampling": StratifiedBootstrap()},
        "Random forest on the Hellinger distance of labeled and unlabeled rows.",
        "Cieslak, Hoens, Chawla, Kegelmeyer. Data Mining and Knowledge Discovery 2012.",
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
        {"criterion": "nnpu", "splitter": "random", "n_estimators": 300},
        "Extra trees that lower the non-negative PU risk.",
        "Wilton, Koay, Ko, Xu, Ye. NeurIPS 2022.",
        quick=_FEW_TREES,
    ),
    Method(
        "ifpu-mlp",
        _NET,
        {"risk": ifpu()},
        "A net on the focused PU risk: the paper's neural row.",
        _PAPER,
        needs=("torch",),
        quick=_SMALL_NET,
    ),
    Method(
        "ifpu-tabgmlp",
        "lopsided.methods.tab_gmlp:TabGMLPClassifier",
        {"risk": nnpu(CalibratedFocalLoss())},
        "Categories in a transformer, all columns in a gated net, the calibrated focal loss.",
        "Huang et al. 2020. Liu et al. NeurIPS 2021. Mukhoti et al. NeurIPS 2020.",
        needs=("torch",),
        quick=MappingProxyType({"depth": 1, "n_blocks": 1, "n_epochs": 5, "batch_size": 64}),
    ),
    Method(
        "upu-mlp",
        _NET,
        {"risk": upu()},
        "A net on the unbiased PU risk of the sigmoid loss.",
        "du Plessis, Niu, Sugiyama. ICML 2015.",
        needs=("torch",),
        quick=_SMALL_NET,
    ),
    Method(
        "nnpu-mlp",
        _NET,
        {"risk": nnpu()},
        "A net on the non-negative PU risk of the sigmoid loss.",
        "Kiryo, Niu, du Plessis, Sugiyama. NeurIPS 2017.",
        needs=("torch",),
        quick=_SMALL_NET,
    ),
    Method(
        "imbnnpu-mlp",
        _NET,
        {"risk": imbnnpu()},
        "A net on the non-negative PU risk, both classes weighed alike.",
        "Su, Chen, Xu. IJCAI 2021.",
        needs=("torch",),
        quick=_SMALL_NET,
    ),
    Method(
        "lbe",
        "lopsided.methods.lbe:LBEClassifier",
        {},
        "Two nets, for the class and for the propensity, trained in turns by EM.",
        "Gong et al. TPAMI 2022.",
        needs=("torch",),
        quick=MappingProxyType({"width": 20, "n_rounds": 5}),
    ),
    Method(
        "sarem",
        "lopsided.methods.sar_em:SAREMClassifier",
        {},
        "Two logistic regressions, for the class and for the propensity, fitted by EM.",
        "Bekker, Robberechts, Davis. ECML PKDD 2019.",
        quick=MappingProxyType({"max_iter": 15}),
    ),
    Method(
        "nnif",
        "lopsided.methods.nnif:NNIFClassifier",
        {},
        "Outliers near labeled rows, by an isolation forest, are set apart, then XGBoost.",
        "Ortega Vazquez, vanden Broucke, De Weerdt. Data Mining and Knowledge Discovery 2023.",
        quick=MappingProxyType({"n_estimators": 20}),
    ),
    Method(
        "elkan-noto",
        "lopsided.methods.elkan_noto:ElkanNotoClassifier",
        {},
        "Unlabeled rows weighted by their probability to be hidden positives, then refitted.",
        "Elkan, Noto. KDD 2008.",
    ),
    Method(
        "spy",
        "lopsided.methods.spy:SpyClassifier",
        {},
        "Spies, labeled rows among the unlabeled, show which of these are reliable negatives.",
        "Liu, Lee, Yu, Li. ICML 2002.",
    ),
    Method(
        "xgb",
        _BOOSTING,
        {"risk": supervised(), "gradient_scale": 1.0},
        "XGBoost on the true labels: what full knowledge would give.",
        _XGBOOST,
        labels="true",
        quick=_QUICK,
    ),
    Method(
        "xgb-focal",
        _BOOSTING,
        {"risk": supervised(FocalLoss()), "gradient_scale": 1.0},
        "XGBoost with the focal loss on the true labels.",
        _PAPER,
        labels="true",
        quick=_QUICK,
    ),
)


def _pulearn(algorithm: str, summary: str, reference: str, **small: int) -> Method:
    """Return the entry of one of pulearn's estimators."""
    return Method(
        f"pulearn-{algorithm}",
        "lopsided.methods.peers:PulearnClassifier",
        {"algorithm": algorithm},
        summary,
        reference,
        needs=("pulearn",),
        quick=MappingProxyType({"settings": small}) if small else _NOTHING,
        source="pulearn",
    )


_BAYES = "Zhang: Bayesian Classifiers for PU Learning, as in pulearn."
_PEERS: tuple[Method, ...] = (
    _pulearn(
        "elkan-noto",
        "pulearn's: a forest whose probabilities are divided by the label frequency.",
        "Elkan, Noto. KDD 2008.",
        estimator__n_estimators=20,
    ),
    _pulearn(
        "weighted-elkan-noto",
        "pulearn's: a forest, its probabilities scaled by an estimate from the scored rows.",
        "Elkan, Noto. KDD 2008.",
        estimator__n_estimators=20,
    ),
    _pulearn(
        "bagging",
        "pulearn's: forests, each on the labeled rows and a bootstrap of the others.",
        "Mordelet, Vert. Pattern Recognition Letters 2014.",
        n_estimators=3,
        estimator__n_estimators=5,
    ),
    _pulearn(
        "nnpu",
        "pulearn's: a linear model on the non-negative PU risk of the sigmoid loss.",
        "Kiryo, Niu, du Plessis, Sugiyama. NeurIPS 2017.",
        max_iter=100,
    ),
    _pulearn(
        "naive-bayes",
        "pulearn's: naive Bayes on binned columns, unlabeled rows taken for negatives.",
        _BAYES,
    ),
    _pulearn(
        "weighted-naive-bayes",
        "pulearn's: naive Bayes, each column weighted by what it tells about the label.",
        _BAYES,
    ),
    _pulearn(
        "tan",
        "pulearn's: naive Bayes in which each column depends on another, in a tree.",
        _BAYES,
    ),
    _pulearn(
        "weighted-tan",
        "pulearn's: such a tree, each column weighted by what it tells about the label.",
        _BAYES,
    ),
)

METHODS: tuple[Method, ...] = _OURS + _PEERS
