"""What comes back from a model file is what went in."""

import json
import subprocess
import sys
import warnings
from functools import cache
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)
from sklearn.tree import DecisionTreeClassifier

from lopsided import MultiPositiveClassifier, build
from lopsided.calibration import PUCalibratedClassifier
from lopsided.datasets import make_claims
from lopsided.methods.registry import METHODS, get_method
from lopsided.model_selection import PUGroupKFold, PUStratifiedKFold, PUTimeSplit
from lopsided.priors import AutoPrior, Beta, build_prior, estimate_prior, list_priors
from lopsided.store import TRUSTED, load, save
from lopsided.store.container import read_archive, unpack
from lopsided.trees.sampling import Bootstrap
from lopsided.workflow.tables import TableCleaner

N_ROWS = 160


def make_table(seed=0):
    """A frame with missing values and categories of text, numbers, dates and intervals."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(N_ROWS, 3)), columns=list("abc"))
    y = ((X["a"] > 1) & (rng.random(N_ROWS) < 0.7)).astype(int)
    X["d"] = pd.Categorical(rng.choice(["u", "v", "w"], N_ROWS))
    X["e"] = pd.Categorical(rng.choice([3, 1, 7], N_ROWS))
    X.loc[rng.random(N_ROWS) < 0.1, ["b", "d"]] = np.nan
    return X, y.to_numpy()


X, Y = make_table()
NUMBERS = X[["a", "b", "c"]]
UNSEEN, _ = make_table(seed=1)
NAMES = [method.name for method in METHODS]


def logistic(**params):
    return build("naive-logistic", random_state=0, **params)


def odd_levels():
    """Categories whose levels are no text."""
    days = pd.to_datetime(["2020-01-01", "2021-06-01"])
    return X.assign(
        dates=pd.Categorical(days.repeat(N_ROWS // 2)),
        zoned=pd.Categorical(days.tz_localize("Europe/Athens").repeat(N_ROWS // 2)),
        flags=pd.Categorical(X["a"] > 0),
        mixed=pd.Categorical(["x" if value > 0 else 3 for value in X["a"]]),
        shares=pd.Categorical(np.where(X["a"] > 0, 0.5, 3.0)),
        cut=pd.cut(X["a"], 3),
        periods=pd.cut(pd.Series(pd.date_range("2020", periods=N_ROWS)), 2),
        ordered=pd.Categorical(X["d"], ["w", "v", "u"], ordered=True),
    )


def columns_apart():
    return make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), ["a", "b"]),
        (OneHotEncoder(handle_unknown="ignore"), ["d"]),
        (OrdinalEncoder(), ["e"]),
        remainder="passthrough",
    )


FEW = np.where(np.cumsum(Y) <= 4, Y, 0)
KINDS = np.where(Y == 1, 1 + (X["c"].to_numpy() > 0), 0)
SCALERS = (SimpleImputer(), RobustScaler(), MinMaxScaler(), QuantileTransformer(n_quantiles=9))
KNN = ("knn", "logistic")
MORE = {
    "few labels": lambda: (build("focused", estimators=("outliers",)), X, FEW),
    "local outliers": lambda: (build("focused", estimators=("entropy-trees",)), X, Y),
    "beta": lambda: (PUCalibratedClassifier(logistic(), random_state=0), X, Y),
    "platt": lambda: (PUCalibratedClassifier(logistic(), "platt", random_state=0), X, Y),
    "isotonic": lambda: (PUCalibratedClassifier(logistic(), "isotonic", random_state=0), X, Y),
    "tree": lambda: (build("nnif", prior=0.2, estimator=DecisionTreeClassifier()), X, Y),
    "kinds": lambda: (MultiPositiveClassifier("naive-logistic", random_state=0), X, KINDS),
    "columns": lambda: (make_pipeline(columns_apart(), logistic()), X, Y),
    "scalers": lambda: (make_pipeline(*SCALERS, build("puhdt", prior=0.2)), NUMBERS, Y),
    "generator": lambda: (logistic().set_params(random_state=np.random.default_rng(1)), X, Y),
    "state": lambda: (logistic().set_params(random_state=np.random.RandomState(1)), X, Y),
    "prior": lambda: (build("ifpu-xgb", prior=estimate_prior(Y, X["a"])), X, Y),
    **{
        f"prior by {name}": lambda name=name: (build("puhdt", prior=build_prior(name)), X, Y)
        for name in list_priors()
    },
    "belief": lambda: (build("puhdt", prior=AutoPrior(Beta(2, 9))), X, Y),
    "bootstrap": lambda: (build("naive-forest", n_estimators=3, sampling=Bootstrap()), X, Y),
    "array": lambda: (build("focused", estimators=KNN), NUMBERS.to_numpy(), Y),
    "folds": lambda: (build("focused", estimators=KNN, cv=PUStratifiedKFold(3)), X, Y),
    "groups": lambda: (PUCalibratedClassifier(logistic(), cv=PUGroupKFold(3)), X, Y),
    "months": lambda: (PUCalibratedClassifier(logistic(), cv=PUTimeSplit(n_splits=3)), X, Y),
    "levels by trees": lambda: (build("naive-forest", n_estimators=3), odd_levels(), Y),
    "levels by boosting": lambda: (build("naive-xgb", n_estimators=9), odd_levels(), Y),
    "levels by logistic": lambda: (logistic(), odd_levels(), Y),
    "numbered columns": lambda: (logistic(), pd.DataFrame(NUMBERS.to_numpy()), Y),
}


@cache
def fit(name):
    """Return a fitted model and the table it was fitted on."""
    if name in NAMES:
        method = get_method(name)
        for package in method.needs:
            if find_spec(package) is None:
                pytest.skip(f"needs {package}")
        model, table, y = build(name, random_state=0, **method.quick), X, Y
    else:
        model, table, y = MORE[name]()
    options = {"groups": np.arange(N_ROWS) // 4} if name == "groups" else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(table, y, **options), table, y


def find_types(path):
    """Return the types of objects that a file names."""
    _, members = unpack(path.read_bytes(), 2**31)
    waiting = [json.loads(read_archive(members["model.skops"], 2**31)["schema.json"])]
    found = set()
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            if node.get("__loader__") in ("ObjectNode", "TupleNode"):
                found.add(f"{node['__module__']}.{node['__class__']}")
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)
    return found - {"builtins.tuple"}


@pytest.mark.parametrize("name", [*NAMES, *MORE])
def test_scores_are_bit_equal_after_a_round_trip(name, tmp_path):
    model, table, _ = fit(name)
    save(model, tmp_path / "model.lop")
    loaded = load(tmp_path / "model.lop")
    rows = UNSEEN if table is X else table
    np.testing.assert_array_equal(loaded.decision_function(rows), model.decision_function(rows))
    save(loaded, tmp_path / "again.lop")
    again, first = ((tmp_path / f"{one}.lop").read_bytes() for one in ("again", "model"))
    assert again == first


@pytest.mark.parametrize("name", NAMES)
def test_a_loaded_model_is_described_cloned_and_fitted_again(name, tmp_path):
    model, table, y = fit(name)
    save(model, tmp_path / "model.lop")
    loaded = load(tmp_path / "model.lop")
    assert repr(loaded.get_params()) == repr(model.get_params())
    if hasattr(model, "describe"):
        assert loaded.describe() == model.describe()
    if hasattr(model, "feature_importances_"):
        np.testing.assert_array_equal(loaded.feature_importances_, model.feature_importances_)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = clone(loaded).fit(table, y)
    np.testing.assert_array_equal(fitted.decision_function(X), model.decision_function(X))


def test_kinds_are_equal_after_a_round_trip(tmp_path):
    model, _, _ = fit("kinds")
    save(model, tmp_path / "model.lop")
    loaded = load(tmp_path / "model.lop")
    np.testing.assert_array_equal(
        loaded.predict_kind_proba(UNSEEN), model.predict_kind_proba(UNSEEN)
    )


@cache
def fit_cleaner():
    """Return a pipeline that reads text, and a table for it."""
    pytest.importorskip("skrub")
    claims = make_claims(300).table
    table, y = claims.drop(columns=["claim_no", "status"]), claims["status"] == "confirmed"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make_pipeline(TableCleaner(), logistic()).fit(table, y.astype(int)), table


def test_a_cleaner_reads_text_after_a_round_trip_as_before(tmp_path):
    model, table = fit_cleaner()
    save(model, tmp_path / "model.lop")
    loaded = load(tmp_path / "model.lop")
    np.testing.assert_array_equal(
        loaded.decision_function(table[::-1]), model.decision_function(table[::-1])
    )
    assert loaded[0].describe() == model[0].describe()
    assert {one.kind for one in model[0].columns_} == {
        "boolean", "category", "date", "number", "text", "time",
    }  # fmt: skip


def test_each_trusted_type_is_needed_by_some_model(tmp_path):
    save(fit_cleaner()[0], tmp_path / "model.lop")
    needed = find_types(tmp_path / "model.lop")
    for name in [*NAMES, *MORE]:
        model, _, _ = fit(name)
        save(model, tmp_path / "model.lop")
        needed |= find_types(tmp_path / "model.lop")
    assert needed == set(TRUSTED)


def test_a_saved_model_stays_as_it_is(tmp_path):
    model, _, _ = fit("focused")
    before = {key: id(value) for key, value in vars(model).items()}
    save(model, tmp_path / "model.lop")
    assert {key: id(value) for key, value in vars(model).items()} == before


def test_a_folder_of_caches_stays_on_its_machine(tmp_path):
    model = build("focused", estimators=("logistic",), memory=str(tmp_path / "cache"))
    save(model.fit(X, Y), tmp_path / "model.lop")
    assert load(tmp_path / "model.lop").memory is None


def test_a_model_that_holds_itself_is_refused(tmp_path):
    model = logistic().fit(X, Y)
    model.itself_ = [model]
    with pytest.raises(ValueError, match="do not hold themselves"):
        save(model, tmp_path / "model.lop")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("odd", [len, np.sum, object(), {(1, 2): 3}, {True: 1}, 1j, {1}])
def test_what_a_file_cannot_hold_is_refused_when_it_is_saved(odd, tmp_path):
    model = logistic().fit(X, Y)
    model.odd_ = odd
    with pytest.raises(ValueError, match="NaiveLogisticClassifier cannot be saved"):
        save(model, tmp_path / "model.lop")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("before", ["", "import pandas, scipy; ", "import sklearn.utils; "])
def test_a_process_may_begin_with_loading_a_model(before, tmp_path):
    save(build("focused-fast", prior=0.2, random_state=0).fit(X, Y), tmp_path / "model.lop")
    script = before + "import sys, lopsided; print(lopsided.load(sys.argv[1]).prior_)"
    done = subprocess.run(
        [sys.executable, "-c", script, tmp_path / "model.lop"], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "0.2\n"), done.stderr


def test_a_model_file_is_written_and_read_without_torch(tmp_path):
    pytest.importorskip("torch")
    script = (
        "import sys, numpy, lopsided; X = numpy.arange(80.0).reshape(40, 2); "
        "model = lopsided.build('naive-logistic').fit(X, X[:, 0] > 60); "
        "lopsided.save(model, sys.argv[1]); lopsided.load(sys.argv[1]); "
        "assert 'torch' not in sys.modules; import torch; torch.zeros(1)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, tmp_path / "model.lop"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
