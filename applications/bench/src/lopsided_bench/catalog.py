"""The entries of the peers, which lopsided finds by an entry point of this package.

Nothing is imported from the peers' packages before one of them is built.
"""

from typing import Any

from lopsided.methods.registry import Method

__all__ = ["PEERS"]

_BAYES = "Zhang: Bayesian Classifiers for PU Learning, as in pulearn."
_ELKAN_NOTO = "Elkan, Noto. KDD 2008."
_NNPU = "Kiryo, Niu, du Plessis, Sugiyama. NeurIPS 2017."
_PU_BAGGING = "Mordelet, Vert. Pattern Recognition Letters 2014."


def _pulearn(algorithm: str, summary: str, reference: str, **small: int) -> Method:
    """Return the entry of one of pulearn's estimators."""
    return Method(
        f"pulearn-{algorithm}",
        "lopsided_bench.peers:PulearnClassifier",
        f"pulearn's: {summary}",
        reference,
        {"algorithm": algorithm},
        ("pulearn",),
        quick={"settings": small} if small else {},
        source="pulearn",
    )


def _supervised(
    algorithm: str, package: str, needs: str, summary: str, reference: str, **small: Any
) -> Method:
    """Return the entry of a classifier that treats unlabeled rows as negative."""
    return Method(
        algorithm,
        "lopsided_bench.peers:SupervisedPeerClassifier",
        f"{package}'s: {summary}",
        reference,
        {"algorithm": algorithm},
        (needs,),
        quick={"settings": small},
        source=package,
    )


PEERS: tuple[Method, ...] = (
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
        "forests, each on the labeled rows and a bootstrap of the unlabeled ones.",
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
        "naive Bayes on binned columns, with unlabeled rows as negatives.",
        _BAYES,
    ),
    _pulearn(
        "weighted-naive-bayes",
        "naive Bayes, each column weighted by its information about the label.",
        _BAYES,
    ),
    _pulearn("tan", "naive Bayes in which each column depends on another, in a tree.", _BAYES),
    _pulearn(
        "weighted-tan",
        "the same tree, each column weighted by its information about the label.",
        _BAYES,
    ),
    _supervised(
        "catboost",
        "catboost",
        "catboost",
        "ordered boosting of symmetric trees, with unlabeled rows as negatives.",
        "Prokhorenkova, Gusev, Vorobev, Dorogush, Gulin. NeurIPS 2018.",
        iterations=20,
        depth=4,
    ),
    _supervised(
        "lightgbm",
        "lightgbm",
        "lightgbm",
        "boosting of leaf-wise trees, with unlabeled rows as negatives.",
        "Ke et al. NIPS 2017.",
        n_estimators=20,
        min_child_samples=5,
    ),
    _supervised(
        "easy-ensemble",
        "imbalanced-learn",
        "imblearn",
        "AdaBoost on the labeled rows and as many unlabeled ones, ten times.",
        "Liu, Wu, Zhou. IEEE Transactions on Systems, Man, and Cybernetics 2009.",
        n_estimators=1,
    ),
    _supervised(
        "balanced-forest",
        "imbalanced-learn",
        "imblearn",
        "a random forest, each tree on as many labeled rows as unlabeled ones.",
        "Chen, Liaw, Breiman: Using random forest to learn imbalanced data. 2004.",
        n_estimators=20,
    ),
    Method(
        "xgbod",
        "lopsided_bench.peers:XGBODClassifier",
        "PyOD's: XGBoost on the columns and the scores of 41 unsupervised detectors.",
        "Zhao, Hryniewicki. IJCNN 2018.",
        needs=("pyod",),
        quick={"detectors": ("knn",), "settings": {"n_estimators": 20}},
        source="pyod",
    ),
)
