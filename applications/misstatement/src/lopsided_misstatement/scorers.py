"""Ways to score the reports of a year: rules, methods of lopsided, pipelines, nets."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from lopsided import build
from lopsided.risks import Risk
from lopsided_misstatement.folds import COLUMNS, YearFold
from lopsided_misstatement.ratios import ITEMS

__all__ = [
    "Scorer",
    "encode_ordinal",
    "fit_method",
    "fit_pipeline",
    "fit_rus_boost",
    "labeled_fraction",
    "make_forest",
    "make_linear_svm",
    "make_logistic",
    "one_hot",
    "random_order",
    "remember_firms",
    "signed_log",
    "train_net",
    "with_firm",
]

_ATTEMPTS, _STEP = 50, 1000  # other seeds to try, far from those of a study

Scorer = Callable[[YearFold, int], NDArray[np.float64]]
Change = Callable[[Any, Any, YearFold], Any]


def random_order(fold: YearFold, seed: int) -> NDArray[np.float64]:
    """Return scores that mean nothing."""
    return np.random.default_rng([seed, fold.year]).random(len(fold.test))


def remember_firms(fold: YearFold, seed: int) -> NDArray[np.float64]:
    """Return 1 for firms with a known misstatement in the training years."""
    firms = fold.train["gvkey"][fold.y == 1]
    return fold.test["gvkey"].isin(firms).to_numpy(dtype=float)


def fit_method(
    name: str, change: Change | None = None, columns: str = "all", **params: Any
) -> Scorer:
    """Return a scorer that fits a method of lopsided; categories go in as they are.

    The features are a key of `COLUMNS`; `change` makes others of the features and the rows of
    training or test. A parameter of the method that is a function is given the fold.
    """

    def score(fold: YearFold, seed: int) -> NDArray[np.float64]:
        train, test = fold.features(COLUMNS[columns])
        if change is not None:
            train, test = change(train, fold.train, fold), change(test, fold.test, fold)
        values = {key: v(fold) if callable(v) else v for key, v in params.items()}
        model = _with_rough_prior(build(name, random_state=seed, **values))
        return model.fit(train, fold.y).decision_function(test)

    return score


def _with_rough_prior(model: Any) -> Any:
    """Return a method that takes twice the labeled share for a prior it was not given.

    Labels here come in series, years late: an estimate would take them for a random sample.
    """
    unknown = model.needs_prior() and model.prior == "auto"
    return model.set_params(prior="twice-labeled") if unknown else model


def labeled_fraction(fold: YearFold) -> float:
    """Return the share of training reports that are known to be misstated."""
    return float(fold.y.mean())


def encode_ordinal(frame: Any, rows: Any, fold: YearFold) -> Any:
    """Return categories as numbers: SIC is one, and states are in the order of their names."""
    return frame.assign(sic=frame["sic"].astype(float), state=frame["state"].cat.codes)


def with_firm(frame: Any, rows: Any, fold: YearFold) -> Any:
    """Return the features and the firm, those that training has not seen as missing."""
    firms = pd.CategoricalDtype(fold.train["gvkey"].unique())
    known = rows["gvkey"].where(rows["gvkey"].isin(firms.categories))
    return frame.assign(gvkey=known.astype(firms))


def fit_pipeline(
    make: Callable[[int], Any],
    columns: str,
    take: Callable[..., tuple[Any, Any]] = YearFold.winsorized_features,
) -> Scorer:
    """Return a scorer that fits a scikit-learn pipeline, made from a seed."""

    def score(fold: YearFold, seed: int) -> NDArray[np.float64]:
        train, test = take(fold, COLUMNS[columns])
        model = make(seed).fit(train, fold.y)
        if hasattr(model, "decision_function"):
            return model.decision_function(test)
        return model.predict_proba(test)[:, 1]

    return score


def _standardized(model: Any) -> Any:
    return make_pipeline(SimpleImputer(strategy="median"), StandardScaler(), model)


def make_logistic(class_weight: str | None = None) -> Callable[[int], Any]:
    """Return what makes a logistic regression, which needs no seed."""
    return lambda seed: _standardized(
        LogisticRegression(class_weight=class_weight, max_iter=2000)
    )


def make_linear_svm(seed: int) -> Any:
    """Return a linear support vector machine with balanced classes."""
    return _standardized(LinearSVC(class_weight="balanced", random_state=seed))


def _make_rus_boost(seed: int) -> Any:
    from imblearn.ensemble import RUSBoostClassifier

    tree = DecisionTreeClassifier(min_samples_leaf=5)
    boost = RUSBoostClassifier(tree, n_estimators=300, learning_rate=0.1, random_state=seed)
    return make_pipeline(SimpleImputer(strategy="median"), boost)


def fit_rus_boost(fold: YearFold, seed: int) -> NDArray[np.float64]:
    """Return the scores of boosted trees on samples with as many sound as misstated reports.

    imbalanced-learn gives up if its first tree is worse than chance, which is a matter of luck:
    then another seed is tried.
    """
    score = fit_pipeline(_make_rus_boost, "items")
    for attempt in range(_ATTEMPTS):
        try:
            return score(fold, seed + _STEP * attempt)
        except ValueError as error:
            if "worse than random" not in str(error):
                raise
    raise ValueError(f"No first tree of {_ATTEMPTS} was better than chance.")


def one_hot(model: Any) -> Any:
    """Return a pipeline that one-hot encodes categories for a model."""
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    categories = make_column_selector(dtype_include="category")
    columns = make_column_transformer((encoder, categories), remainder="passthrough")
    return make_pipeline(columns, model)


def make_forest(seed: int) -> Any:
    """Return scikit-learn's random forest."""
    return one_hot(RandomForestClassifier(100, random_state=seed))


def train_net(risk: Risk) -> Scorer:
    """Return a scorer that averages three nets; their epochs are chosen on the last year.

    Nets that train on the years before rank the last training year, whose labels are those
    known by now. What is best there for all three is how long they are then trained on all.
    """

    def score(fold: YearFold, seed: int) -> NDArray[np.float64]:
        train, test = map(signed_log, fold.features(COLUMNS["all"]))
        net = build(
            "ifpu-tabgmlp",
            risk=risk,
            n_epochs=60,
            patience=20,  # they may be no better than chance for some epochs at the start
            n_estimators=3,
            validation="last",
            validation_fraction=float(
                (fold.train["fyear"] == fold.train["fyear"].max()).mean()
            ),
            random_state=seed,
        )
        return _with_rough_prior(net).fit(train, fold.y).decision_function(test)

    return score


def signed_log(frame: Any) -> Any:
    """Return a frame whose items are on a signed log scale: their tails are heavy."""
    items = [name for name in ITEMS if name in frame]
    return frame.assign(**{n: np.sign(frame[n]) * np.log1p(frame[n].abs()) for n in items})
