"""Ways to score the reports of a year: rules, methods of the registry, pipelines, nets."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._check import require
from lopsided.finance.ratios import ITEMS
from lopsided.finance.tasks import COLUMNS, Task
from lopsided.methods.registry import build
from lopsided.risks import Risk

__all__ = [
    "Scorer",
    "as_codes",
    "boost_balanced",
    "draw_order",
    "fit_method",
    "fit_pipeline",
    "labeled_share",
    "make_balanced_line",
    "make_forest",
    "make_linear_svm",
    "make_logistic",
    "one_hot",
    "remember_firms",
    "train_net",
    "with_firm",
]

_ATTEMPTS, _STEP = 50, 1000  # other seeds to try, far from those of a study

Scorer = Callable[[Task, int], NDArray[np.float64]]
Change = Callable[[Task, Any, Any], tuple[Any, Any]]


def draw_order(task: Task, seed: int) -> NDArray[np.float64]:
    """Return scores that mean nothing."""
    return np.random.default_rng([seed, task.year]).random(len(task.test))


def remember_firms(task: Task, seed: int) -> NDArray[np.float64]:
    """Return 1 for firms with a known misstatement in the training years."""
    firms = task.train["gvkey"][task.y == 1]
    return task.test["gvkey"].isin(firms).to_numpy(dtype=float)


def fit_method(
    name: str, change: Change | None = None, columns: str = "all", **params: Any
) -> Scorer:
    """Return a scorer that fits a method of the registry; categories go in as they are."""

    def score(task: Task, seed: int) -> NDArray[np.float64]:
        train, test = task.features(COLUMNS[columns])
        if change is not None:
            train, test = change(task, train, test)
        settings = {key: v(task) if callable(v) else v for key, v in params.items()}
        return (
            build(name, random_state=seed, **settings)
            .fit(train, task.y)
            .decision_function(test)
        )

    return score


def as_codes(task: Task, train: Any, test: Any) -> tuple[Any, Any]:
    """Return categories as numbers: SIC is one, and states are in the order of their names."""
    codes = [
        frame.assign(sic=frame["sic"].astype(float), state=frame["state"].cat.codes)
        for frame in (train, test)
    ]
    return codes[0], codes[1]


def with_firm(task: Task, train: Any, test: Any) -> tuple[Any, Any]:
    """Return the features and the firm, those that training has not seen as missing."""
    import pandas as pd

    firms = pd.CategoricalDtype(task.train["gvkey"].unique())
    known = [
        frame.assign(
            gvkey=rows["gvkey"].where(rows["gvkey"].isin(firms.categories)).astype(firms)
        )
        for frame, rows in ((train, task.train), (test, task.test))
    ]
    return known[0], known[1]


def fit_pipeline(
    make: Callable[[int], Any],
    columns: str,
    take: Callable[..., tuple[Any, Any]] = Task.limited_features,
) -> Scorer:
    """Return a scorer that fits a scikit-learn pipeline, made from a seed."""

    def score(task: Task, seed: int) -> NDArray[np.float64]:
        train, test = take(task, COLUMNS[columns])
        model = make(seed).fit(train, task.y)
        if hasattr(model, "decision_function"):
            return model.decision_function(test)
        return model.predict_proba(test)[:, 1]

    return score


def _standardized(model: Any) -> Any:
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(SimpleImputer(strategy="median"), StandardScaler(), model)


def make_logistic(seed: int) -> Any:
    """Return a logistic regression."""
    from sklearn.linear_model import LogisticRegression

    return _standardized(LogisticRegression(max_iter=2000))


def make_balanced_line(seed: int) -> Any:
    """Return a logistic regression with balanced classes."""
    from sklearn.linear_model import LogisticRegression

    return _standardized(LogisticRegression(class_weight="balanced", max_iter=2000))


def make_linear_svm(seed: int) -> Any:
    """Return a linear support vector machine with balanced classes."""
    from sklearn.svm import LinearSVC

    return _standardized(LinearSVC(class_weight="balanced", random_state=seed))


def _make_rus_boost(seed: int) -> Any:
    """Return boosted trees on samples with as many sound as misstated reports."""
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.tree import DecisionTreeClassifier

    boost = require("imblearn.ensemble").RUSBoostClassifier(
        DecisionTreeClassifier(min_samples_leaf=5),
        n_estimators=300,
        learning_rate=0.1,
        random_state=seed,
    )
    return make_pipeline(SimpleImputer(strategy="median"), boost)


def boost_balanced(task: Task, seed: int) -> NDArray[np.float64]:
    """Return the scores of boosted trees on balanced samples, from a start that works.

    imbalanced-learn gives up if its first tree is worse than chance, which is a matter of luck.
    """
    score = fit_pipeline(_make_rus_boost, "items")
    for attempt in range(_ATTEMPTS):
        try:
            return score(task, seed + _STEP * attempt)
        except ValueError as error:
            if "worse than random" not in str(error):
                raise
    raise ValueError(f"No first tree of {_ATTEMPTS} was better than chance.")


def one_hot(model: Any) -> Any:
    """Return a pipeline that spreads categories out into columns for a model."""
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    spread = make_column_transformer(
        (
            OneHotEncoder(handle_unknown="ignore", sparse_output=False),
            make_column_selector(dtype_include="category"),
        ),
        remainder="passthrough",
    )
    return make_pipeline(spread, model)


def make_forest(seed: int) -> Any:
    """Return scikit-learn's random forest."""
    from sklearn.ensemble import RandomForestClassifier

    return one_hot(RandomForestClassifier(100, random_state=seed))


def train_net(risk: Risk) -> Scorer:
    """Return a scorer that trains the net, watching the last training year."""

    def score(task: Task, seed: int) -> NDArray[np.float64]:
        train, test = map(_bend_items, task.features(COLUMNS["all"]))
        last = float((task.train["fyear"] == task.train["fyear"].max()).mean())
        net = build(
            "ifpu-tabgmlp",
            risk=risk,
            n_epochs=15,
            patience=15,  # no stop before the last epoch: the best of all is taken
            validation="last",
            validation_fraction=last,
            random_state=seed,
        )
        return net.fit(train, task.y).decision_function(test)

    return score


def _bend_items(frame: Any) -> Any:
    """Return a frame whose items are on a signed log scale: their tails are heavy."""
    items = [name for name in ITEMS if name in frame]
    return frame.assign(**{n: np.sign(frame[n]) * np.log1p(frame[n].abs()) for n in items})


def labeled_share(task: Task) -> float:
    """Return the share of training reports that are known to be misstated."""
    return float(task.y.mean())
