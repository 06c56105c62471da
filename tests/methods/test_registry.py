from importlib.metadata import EntryPoint

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.semi_supervised import SelfTrainingClassifier

import lopsided
from lopsided.methods import registry
from lopsided.methods.registry import METHODS, get_method, list_methods
from lopsided.risks import GradientAscent, ifpu


def test_names_are_unique_and_every_entry_tells_what_it_is():
    names = [method.name for method in METHODS]
    assert len(set(names)) == len(names)
    for method in METHODS:
        assert method.summary.endswith(".")
        assert method.reference


def test_oracle_rows_are_not_listed_unless_asked_for():
    assert "xgb" not in list_methods()
    assert list_methods("true") == ["xgb", "xgb-focal"]
    assert {method.name for method in METHODS} <= set(list_methods("any"))


def test_every_method_is_of_one_kind():
    listed = [name for kind in ("pu", "true", "peer") for name in list_methods(kind)]
    assert sorted(listed) == sorted(list_methods("any"))


@pytest.fixture
def register(monkeypatch):
    """Let an installed package register some methods."""

    def load(*methods):
        point = EntryPoint("theirs", f"{__name__}:METHODS", "lopsided.methods")
        monkeypatch.setattr(EntryPoint, "load", lambda _: methods)
        monkeypatch.setattr(registry, "entry_points", lambda group: (point,) * bool(methods))
        monkeypatch.setattr(registry, "_added_methods", registry._added_methods.__wrapped__)

    return load


def test_an_entry_point_adds_methods_and_takes_no_name_of_ours(register):
    theirs = get_method("naive-xgb")._replace(name="their-xgb", source="theirs")
    register(theirs, theirs._replace(name="focused"))
    assert "their-xgb" in list_methods("peer")
    assert "their-xgb" not in list_methods()
    assert get_method("their-xgb") is theirs
    assert type(lopsided.build("their-xgb")) is lopsided.BoostedRiskClassifier
    assert get_method("focused").source == "lopsided"
    assert list_methods("any").count("focused") == 1


def test_a_name_of_a_package_that_is_not_installed_says_which_one_has_such_names(register):
    register()
    with pytest.raises(ValueError, match=r"catboost.*lopsided-bench"):
        lopsided.build("catboost")


@pytest.mark.parametrize("name", [method.name for method in METHODS])
def test_every_method_can_be_built_and_says_so_in_its_repr(name):
    assert "Classifier" in repr(lopsided.build(name))


def test_the_fast_preset_of_the_flagship_has_a_name_of_its_own():
    named, preset = lopsided.build("focused-fast"), lopsided.build("focused", preset="fast")
    assert repr(named) == repr(preset)
    assert "focused-fast" in list_methods()


def test_build_routes_settings_to_the_risk_and_its_loss():
    model = lopsided.build(
        "ifpu-xgb",
        gamma=0,
        target_prior=0.4,
        scenario="two-sample",
        clamp=GradientAscent(),
        max_depth=2,
    )
    assert model.risk.loss.gamma == 0
    assert model.risk.target_prior == 0.4
    assert model.risk.scenario == "two-sample"
    assert model.risk.clamp == GradientAscent()
    assert model.max_depth == 2


def test_a_short_name_is_refused_where_two_parameters_as_near_have_it(monkeypatch):
    steps = make_pipeline(StandardScaler(), MinMaxScaler(), LogisticRegression())
    entry = get_method("elkan-noto")._replace(params={"estimator": steps})
    monkeypatch.setattr(registry, "METHODS", (entry,))
    paths = "estimator__minmaxscaler__copy and estimator__standardscaler__copy"
    with pytest.raises(ValueError, match=f"'copy'.*{paths}"):
        lopsided.build("elkan-noto", copy=False)
    built = lopsided.build("elkan-noto", C=0.1, estimator__minmaxscaler__copy=False)
    assert built.estimator[-1].C == 0.1
    assert built.estimator[0].copy != built.estimator[1].copy


def test_the_nearest_of_several_parameters_has_the_short_name(monkeypatch):
    steps = make_pipeline(SelfTrainingClassifier(LogisticRegression(max_iter=7)))
    entry = get_method("elkan-noto")._replace(params={"estimator": steps})
    monkeypatch.setattr(registry, "METHODS", (entry,))
    built = lopsided.build("elkan-noto", max_iter=9)
    assert built.estimator[-1].max_iter == 9
    assert built.estimator[-1].estimator.max_iter == 7


@pytest.mark.parametrize("name", [method.name for method in METHODS])
def test_every_short_name_of_every_method_is_that_of_one_parameter(name):
    known = lopsided.build(name).get_params()
    given = {path.rpartition("__")[2]: value for path, value in known.items()}
    for short in sorted(set(given) - {"prior"}):
        lopsided.build(name, **{short: given[short]})


def test_build_leaves_the_registry_as_it_was():
    lopsided.build("ifpu-xgb", gamma=0)
    assert lopsided.build("ifpu-xgb").risk.loss.gamma == 3


def test_a_method_with_another_risk_takes_its_prior():
    assert lopsided.build("naive-xgb", prior=None).prior == "auto"
    assert lopsided.build("naive-xgb", risk=ifpu(), prior=0.1).prior == 0.1


@pytest.mark.parametrize("name", ["ifpu-xgb", "ifpu-mlp"])
def test_a_grid_search_reaches_the_risk_and_its_loss(name):
    import numpy as np
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV

    if name == "ifpu-mlp":
        pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] > 1.2).astype(int)
    model = lopsided.build(name, prior=0.2, random_state=0, **get_method(name).quick)
    grid = {"risk__loss__gamma": [0, 3], "risk__target_prior": [None, 0.5]}
    search = GridSearchCV(model, grid, scoring="average_precision", cv=2).fit(X, y)
    assert len(search.cv_results_["params"]) == 4
    assert search.best_estimator_.risk_.loss.gamma == search.best_params_["risk__loss__gamma"]
    assert model.risk.loss.gamma == 3  # the search works on copies
    copy = clone(model)
    assert copy.risk == model.risk
    assert copy.risk is not model.risk
    assert "gamma" in search._repr_html_()
