"""The table of methods: a name for each learner with its settings."""

from collections.abc import Mapping
from typing import Any

from lopsided.losses import CalibratedFocalLoss, FocalLoss, LogisticLoss
from lopsided.methods.entry import NOTHING, Method
from lopsided.risks import ClipAtZero, Risk, ifpu, imbnnpu, naive, nnpu, supervised, upu
from lopsided.trees.sampling import Bagging, StratifiedBootstrap, WholeTable

__all__ = ["METHODS", "Method"]


def _boosting(
    name: str, summary: str, reference: str, risk: Risk, settings: Mapping[str, Any] = NOTHING
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


_FEW_STEPS = {"n_epochs": 4, "n_batches": 10, "batch_size": 32, "learning_rate": 0.03}
_FOCUSED = "lopsided.methods.focused:FocusedClassifier"

_ELKAN_NOTO = "Elkan, Noto. KDD 2008."
_HELLINGER = "Ortega Vazquez, vanden Broucke, De Weerdt. Machine Learning 2024."
_IMBNNPU = "Su, Chen, Xu. IJCAI 2021."
_NNPU = "Kiryo, Niu, du Plessis, Sugiyama. NeurIPS 2017."
_PAPER = "Zavitsanos, Paliouras: Focused PU learning from imbalanced data."
_PU_BAGGING = "Mordelet, Vert. Pattern Recognition Letters 2014."
_UPU = "du Plessis, Niu, Sugiyama. ICML 2015."
_XGBOOST = "Chen, Guestrin: XGBoost. KDD 2016."

METHODS: tuple[Method, ...] = (
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
    )._replace(quick=NOTHING),  # one tree is quick
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
        "devnet",
        "lopsided.methods.weak_anomaly:DevNetClassifier",
        "A small net: labeled rows score far above a normal reference, all others near it.",
        "Pang, Shen, van den Hengel. KDD 2019.",
        needs=("torch",),
        quick=_FEW_STEPS,
    ),
    Method(
        "prenet",
        "lopsided.methods.weak_anomaly:PReNetClassifier",
        "A small net learns of pairs of rows how many are labeled: none, one or both.",
        "Pang, Shen, Jin, van den Hengel. KDD 2023.",
        needs=("torch",),
        quick=_FEW_STEPS,
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
