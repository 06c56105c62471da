"""The table of methods: a name for each learner with its settings."""

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from lopsided.losses import CalibratedFocalLoss, FocalLoss, LogisticLoss
from lopsided.risks import ClipAtZero, Risk, ifpu, imbnnpu, naive, nnpu, supervised, upu
from lopsided.trees.sampling import Bagging, StratifiedBootstrap, WholeTable

__all__ = ["METHODS", "Method"]

_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Method(NamedTuple):
    """A registry entry: a name for a learner with its settings."""

    name: str
    target: str  # "module:class", imported when built
    summary: str
    reference: str
    params: Mapping[str, Any] = _NOTHING
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


def _boosting(
    name: str, summary: str, reference: str, risk: Risk, settings: Mapping[str, Any] = _NOTHING
) -> Method:
    target = "lopsided.methods.boosting:BoostedRiskClassifier"
    params = {"risk": risk, **settings}
    return Method(name, target, summary, reference, params, quick={"n_estimators": 20})


def _forest(name: str, summary: str, reference: str, params: Mapping[str, Any]) -> Method:
    target = "lopsided.methods.forest:PUForestClassifier"
    return Method(name, target, summary, reference, params, quick={"n_estimators": 20})


def _net(name: str, summary: str, reference: str, risk: Risk) -> Method:
    target = "lopsided.methods.mlp:NeuralRiskClassifier"
    quick = {"hidden_layer_sizes": (20, 20), "n_steps": 40}
    return Method(name, target, summary, reference, {"risk": risk}, ("torch",), quick=quick)


_FOCUSED = "lopsided.methods.focused:FocusedClassifier"

_BAYES = "Zhang: Bayesian Classifiers for PU Learning, as in pulearn."
_ELKAN_NOTO = "Elkan, Noto. KDD 2008."
_HELLINGER = "Ortega Vazquez, vanden Broucke, De Weerdt. Machine Learning 2024."
_IMBNNPU = "Su, Chen, Xu. IJCAI 2021."
_NNPU = "Kiryo, Niu, du Plessis, Sugiyama. NeurIPS 2017."
_PAPER = "Zavitsanos, Paliouras: Focused PU learning from imbalanced data."
_PU_BAGGING = "Mordelet, Vert. Pattern Recognition Letters 2014."
_UPU = "du Plessis, Niu, Sugiyama. ICML 2015."
_XGBOOST = "Chen, Guestrin: XGBoost. KDD 2016."

_OURS: tuple[Method, ...] = (
    Method(
        "focused",
        _FOCUSED,
        "An ensemble: boosters on the focused PU risk, forests, logistic regression, kNN.",
        _PAPER,
        quick={"estimators": ("logistic", "knn")},  # focused-fast has trees
    ),
    Method(
        "focused-fast",
        _FOCUSED,
        "Its fast preset: bagged trees and logistic regression, at about a tenth of the cost.",
        _PAPER,
        {"preset": "fast"},
    ),
    _boosting(
        "focused-xgb",
        "Class-balanced focused PU risk, boosted with low variance.",
        _PAPER,
        ifpu(clamp=ClipAtZero(), target_prior=0.5),
        {
            "gradient_scale": 0.3,
            "learning_rate": 0.1,
            "subsample": 0.5,
            "colsample_bynode": 0.5,
            "n_parallel_trees": 4,
        },
    ),
    _boosting(
        "ifpu-xgb",
        "Non-negative PU risk on the focal loss, XGBoost's default parameters: the paper's.",
        _PAPER,
        ifpu(clamp=ClipAtZero()),
    ),
    _boosting("upu-xgb", "Unbiased PU risk on the logistic loss.", _UPU, upu(LogisticLoss())),
    _boosting(
        "nnpu-xgb",
        "Non-negative PU risk on the logistic loss.",
        _NNPU,
        nnpu(LogisticLoss(), clamp=ClipAtZero()),
    ),
    _boosting(
        "imbnnpu-xgb",
        "Class-balanced non-negative PU risk.",
        _IMBNNPU,
        imbnnpu(LogisticLoss(), clamp=ClipAtZero()),
    ),
    _boosting(
        "naive-xgb",
        "XGBoost with unlabeled rows taken for negatives: the baseline to beat.",
        _XGBOOST,
        naive(),
        {"gradient_scale": 1.0},
    ),
    _forest(
        "naive-forest",
        "Bootstrapped extra trees with unlabeled rows taken for negatives: hard to beat.",
        "Geurts, Ernst, Wehenkel: Extremely randomized trees. Machine Learning 2006.",
        {"splitter": "random", "n_estimators": 300},
    ),
    Method(
        "naive-logistic",
        "lopsided.methods.logistic:NaiveLogisticClassifier",
        "Balanced logistic regression with unlabeled rows taken for negatives.",
        "Lee, Liu: Learning with positive and unlabeled examples using weighted logistic "
        "regression. ICML 2003.",
    ),
    _forest(
        "pu-bagging",
        "Extra trees, each on the labeled rows and 20 unlabeled ones for each of them.",
        _PU_BAGGING,
        {"splitter": "random", "n_estimators": 300, "sampling": Bagging(ratio=20.0)},
    ),
    _forest(
        "hellinger-forest",
        "Random forest on the Hellinger distance of labeled and unlabeled rows.",
        "Cieslak, Hoens, Chawla, Kegelmeyer. Data Mining and Knowledge Discovery 2012.",
        {"criterion": "hellinger", "sampling": StratifiedBootstrap()},
    ),
    _forest(
        "puhdt",
        "One Hellinger tree of depth 5 on estimated positives and negatives.",
        _HELLINGER,
        {
            "criterion": "pu-hellinger",
            "n_estimators": 1,
            "max_depth": 5,
            "max_features": None,
            "sampling": WholeTable(),
        },
    )._replace(quick=_NOTHING),  # one tree is quick
    _forest(
        "puhrf",
        "Random forest of such trees, every labeled row in each.",
        _HELLINGER,
        {"criterion": "pu-hellinger", "sampling": StratifiedBootstrap()},
    ),
    _forest(
        "puet",
        "Extra trees that minimize the non-negative PU risk.",
        "Wilton, Koay, Ko, Xu, Ye. NeurIPS 2022.",
        {"criterion": "nnpu", "splitter": "random", "n_estimators": 300},
    ),
    _net("ifpu-mlp", "A net on the focused PU risk: the paper's neural row.", _PAPER, ifpu()),
    Method(
        "ifpu-tabgmlp",
        "lopsided.methods.tab_gmlp:TabGMLPClassifier",
        "TabTransformer embeddings and gMLP blocks on the calibrated focal loss.",
        "Huang et al. 2020. Liu et al. NeurIPS 2021. Mukhoti et al. NeurIPS 2020.",
        {"risk": nnpu(CalibratedFocalLoss())},
        ("torch",),
        quick={"depth": 1, "n_blocks": 1, "n_epochs": 5, "batch_size": 64},
    ),
    _net("upu-mlp", "A net on the unbiased PU risk of the sigmoid loss.", _UPU, upu()),
    _net("nnpu-mlp", "A net on the non-negative PU risk of the sigmoid loss.", _NNPU, nnpu()),
    _net(
        "imbnnpu-mlp",
        "A multilayer perceptron on the class-balanced non-negative PU risk.",
        _IMBNNPU,
        imbnnpu(),
    ),
    Method(
        "lbe",
        "lopsided.methods.lbe:LBEClassifier",
        "Two nets, for the class and for the propensity, trained in turns by EM.",
        "Gong et al. TPAMI 2022.",
        needs=("torch",),
        quick={"width": 20, "n_rounds": 3, "n_warmup_steps": 20, "n_steps": 10},
    ),
    Method(
        "sarem",
        "lopsided.methods.sar_em:SAREMClassifier",
        "Two logistic regressions, for the class and for the propensity, fitted by EM.",
        "Bekker, Robberechts, Davis. ECML PKDD 2019.",
        quick={"max_iter": 15},
    ),
    Method(
        "nnif",
        "lopsided.methods.nnif:NNIFClassifier",
        "Outliers near labeled rows, by an isolation forest, are set apart, then XGBoost.",
        "Ortega Vazquez, vanden Broucke, De Weerdt. Data Mining and Knowledge Discovery 2023.",
        quick={"n_estimators": 20},
    ),
    Method(
        "elkan-noto",
        "lopsided.methods.elkan_noto:ElkanNotoClassifier",
        "Unlabeled rows weighted by their probability to be hidden positives, then refitted.",
        _ELKAN_NOTO,
    ),
    Method(
        "spy",
        "lopsided.methods.spy:SpyClassifier",
        "Spies, labeled rows among the unlabeled, show which of these are reliable negatives.",
        "Liu, Lee, Yu, Li. ICML 2002.",
    ),
    _boosting(
        "xgb",
        "XGBoost on the true labels: an upper reference.",
        _XGBOOST,
        supervised(),
        {"gradient_scale": 1.0},
    )._replace(labels="true"),
    _boosting(
        "xgb-focal",
        "XGBoost with the focal loss on the true labels.",
        _PAPER,
        supervised(FocalLoss()),
        {"gradient_scale": 1.0},
    )._replace(labels="true"),
)


def _pulearn(algorithm: str, summary: str, reference: str, **small: int) -> Method:
    """Return the entry of one of pulearn's estimators."""
    return Method(
        f"pulearn-{algorithm}",
        "lopsided.methods.peers:PulearnClassifier",
        f"pulearn's: {summary}",
        reference,
        {"algorithm": algorithm},
        ("pulearn",),
        quick={"settings": small} if small else _NOTHING,
        source="pulearn",
    )


_PEERS: tuple[Method, ...] = (
    _pulearn(
        "elkan-noto",
        "a forest whose probabilities are divided by the label frequency.",
        _ELKAN_NOTO,
        estimator__n_estimators=20,
    ),
    _pulearn(
        "weighted-elkan-noto",
        "a forest, its probabilities scaled by an estimate from the scored rows.",
        _ELKAN_NOTO,
        estimator__n_estimators=20,
    ),
    _pulearn(
        "bagging",
        "forests, each on the labeled rows and a bootstrap of the others.",
        _PU_BAGGING,
        n_estimators=3,
        estimator__n_estimators=5,
    ),
    _pulearn(
        "nnpu",
        "a linear model on the non-negative PU risk of the sigmoid loss.",
        _NNPU,
        max_iter=100,
    ),
    _pulearn(
        "naive-bayes",
        "naive Bayes on binned columns, unlabeled rows taken for negatives.",
        _BAYES,
    ),
    _pulearn(
        "weighted-naive-bayes",
        "naive Bayes, each column weighted by what it tells about the label.",
        _BAYES,
    ),
    _pulearn("tan", "naive Bayes in which each column depends on another, in a tree.", _BAYES),
    _pulearn(
        "weighted-tan",
        "such a tree, each column weighted by what it tells about the label.",
        _BAYES,
    ),
)

METHODS: tuple[Method, ...] = _OURS + _PEERS
