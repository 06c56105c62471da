"""Methods with odd parameters, and what fits them: rankings, folds, searches, comparisons."""

from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st
from sklearn.base import clone

import lopsided
from attacks.drawn import Draw, Entry, arguments
from attacks.entries.values import JUNK, Labeled, draw_table, expect
from attacks.verdicts import Finding
from lopsided import build, list_methods, metrics, model_selection
from lopsided.methods.registry import get_method

__all__ = ["ENTRIES"]

_CHEAP = (
    *("naive-logistic", "puhdt", "naive-xgb", "ifpu-xgb", "nnpu-xgb", "upu-xgb", "imbnnpu-xgb"),
    *("elkan-noto", "spy", "puhrf", "pu-bagging", "naive-forest", "hellinger-forest", "puet"),
)
_SLOW = (
    "focused",
    "focused-fast",
    "nnif",
    "sarem",
    "ifpu-mlp",
    "devnet",
    "ifpu-tabgmlp",
    "lbe",
)
_SMALL = JUNK.filter(lambda junk: not isinstance(junk, (int, float)) or not abs(junk) > 30)
_CLASSES = (
    *("BoostedRiskClassifier", "ElkanNotoClassifier", "FocusedClassifier"),
    *("PUForestClassifier", "LBEClassifier", "NaiveLogisticClassifier"),
    *("NeuralRiskClassifier", "NNIFClassifier", "SAREMClassifier", "SpyClassifier"),
    "TabGMLPClassifier",
)


@cache
def _settings(name: str) -> dict[str, Any]:
    """Return the smallest settings of a method."""
    entry = get_method(name)
    few = {"n_estimators": 3} if "n_estimators" in entry.quick else {}
    few |= {"n_rounds": 1} if name == "lbe" else {}
    return {**entry.quick, **few}


@cache
def _names(name: str) -> tuple[str, ...]:
    return tuple(sorted(build(name).get_params()))


def _as_method(name: str) -> Any:
    return build(name, random_state=0, **_settings(name))


_METHODS = st.sampled_from(("naive-logistic", "naive-logistic", "puhdt", "naive-xgb"))


def _draw_build(d: Draw, names: tuple[str, ...]) -> dict[str, Any]:
    name = d.one(*names)
    known = st.sampled_from(_names(name))
    params = {}
    if d.chance(0.6):
        d.odd = True  # any value of a parameter may be refused
        keys = st.one_of(known, known, known, st.text(max_size=6))
        params = d(st.dictionaries(keys, _SMALL, min_size=1, max_size=2))
    rows, X = draw_table(d, least=3, most_rows=25)
    weight = st.sampled_from((None, None, np.ones(rows.n), rows.rng.random(rows.n) + 0.1))
    bad = (np.zeros(rows.n), -np.ones(rows.n), np.ones(rows.n + 1), np.full(rows.n, np.nan))
    return {
        "rows": rows,
        "X": X,
        "name": d(st.just(name), JUNK, 0.02),
        "params": params,
        "weight": d(weight, st.one_of(JUNK, st.sampled_from(bad)), 0.04),
    }


@arguments
def _cheap_arguments(d: Draw) -> dict[str, Any]:
    return _draw_build(d, _CHEAP)


@arguments
def _slow_arguments(d: Draw) -> dict[str, Any]:
    return _draw_build(d, _SLOW)


def _attack_method(
    rows: Labeled, X: Any, name: Any, params: dict[str, Any], weight: Any
) -> None:
    small = _settings(name) if isinstance(name, str) and name in _CHEAP + _SLOW else {}
    model = build(name, **{"random_state": 0, **small, **params})
    model = clone(model)
    model.fit(X, rows.y, sample_weight=weight)
    scores, proba = model.decision_function(X), model.predict_proba(X)
    expect(scores.shape == (rows.n,) and np.isfinite(scores).all(), f"scores are {scores}")
    expect(((proba >= 0) & (proba <= 1)).all(), f"probabilities are {proba}")
    expect(np.allclose(proba.sum(axis=1), 1), "probabilities do not add up to 1")
    order = np.argsort(scores, kind="stable")
    expect((np.diff(proba[order, 1]) >= -1e-12).all(), "a larger score is less likely")
    expect(set(model.predict(X).tolist()) <= {0, 1}, "other classes are predicted")


@arguments
def _list_arguments(d: Draw) -> dict[str, Any]:
    return {"kind": d(st.sampled_from(("pu", "true", "peer", "any")), JUNK, 0.5)}


def _attack_list(kind: Any) -> None:
    names = list_methods(kind)
    expect(set(names) <= set(list_methods("any")) and names, f"{kind} lists {names}")
    expect(all(get_method(name).name == name for name in names), "a name has no entry")


@arguments
def _rank_arguments(d: Draw) -> dict[str, Any]:
    rows, X = draw_table(d, least=4, most_rows=25)
    options = {
        "folds": d(st.one_of(st.none(), st.integers(2, 4)), _SMALL, 0.04),
        "random_state": d(st.integers(0, 9), JUNK, 0.03),
        "n_jobs": d(st.none(), JUNK.filter(_is_few), 0.03),
    }
    if d.chance(0.1):
        d.odd = True
        options |= {
            "cv": d(st.sampled_from((None, 3, [], model_selection.PUStratifiedKFold(2))), JUNK),
            "groups": d(st.sampled_from((None, rows.rng.integers(0, 9, rows.n))), JUNK, 0.2),
            "prior": d(st.one_of(st.none(), st.floats(0, 1)), JUNK, 0.2),
        }
    return {"rows": rows, "X": X, "method": d(_METHODS, JUNK, 0.03), "options": options}


def _is_few(junk: Any) -> bool:
    return not isinstance(junk, int) or abs(junk) < 3


def _attack_rank(rows: Labeled, X: Any, method: Any, options: dict[str, Any]) -> None:
    method = _as_method(method) if isinstance(method, str) and method == "naive-xgb" else method
    found = lopsided.rank_unlabeled(X, rows.y, method, **options)
    labels = np.asarray(rows.y).astype(object).astype(float).ravel()
    expect(found.shape == labels.shape, f"{found.shape} ranks of {labels.shape} rows")
    ranked = np.isfinite(found)
    expect(not ranked[labels != 0].any(), "a labeled row is ranked")
    expect(ranked[labels == 0].all() or "cv" in options, "an unlabeled row is not ranked")
    expect((np.abs(found[ranked] - 0.5) <= 1).all(), f"ranks are {found}")


@arguments
def _blind_arguments(d: Draw) -> dict[str, Any]:
    rows, X = draw_table(d, least=5, most_rows=25)
    d.odd = d.odd or d.chance(0.1)
    cv = st.integers(2, 3)
    groups = np.arange(rows.n)
    return {
        "rows": rows,
        "X": X,
        "method": d(_METHODS.map(_as_method), JUNK, 0.03),
        "options": {
            "cv": d(cv, st.one_of(_SMALL, st.just(model_selection.PUTimeSplit(2))), 0.05),
            "groups": d(st.sampled_from((None, groups)), JUNK, 0.03),
            "random_state": d(st.integers(0, 9), JUNK, 0.03),
        },
    }


def _attack_blind(rows: Labeled, X: Any, method: Any, options: dict[str, Any]) -> None:
    found = model_selection.out_of_fold_scores(method, X, rows.y, **options)
    expect(found.shape == (rows.n,), f"{found.shape} scores of {rows.n} rows")
    seen = np.isfinite(found)
    expect(seen.all() or not isinstance(options["cv"], int), f"scores are {found}")


@arguments
def _search_arguments(d: Draw) -> dict[str, Any]:
    rows, X = draw_table(d, least=6, most_rows=25, odd=0.03)
    grid = st.sampled_from(({"C": [0.1, 1.0]}, {"C": [1.0]}, [{"C": [0.1]}, {"C": [2]}]))
    odd = st.one_of(JUNK, st.sampled_from(({"D": [1]}, {"C": []}, {"C": 1}, {"C": ["a"]}, {})))
    scoring = st.sampled_from(
        (None, metrics.pu_roc_auc_scorer, metrics.pu_mean_log_rank_scorer)
    )
    return {
        "rows": rows,
        "X": X,
        "grid": d(grid, odd, 0.1),
        "options": {
            "scoring": d(scoring, JUNK, 0.04),
            "cv": d(st.integers(2, 3), _SMALL, 0.04),
            "n_standard_errors": d(st.floats(0, 2), JUNK, 0.04),
            "random_state": d(st.integers(0, 9), JUNK, 0.03),
        },
    }


def _attack_search(rows: Labeled, X: Any, grid: Any, options: dict[str, Any]) -> None:
    model = model_selection.PUSearchCV(build("naive-logistic"), grid, **options)
    try:
        model.fit(X, rows.y)
    except ValueError as error:  # so few rows may have no signal in any fold
        if "must tell rows apart" not in str(error):
            raise
        raise Finding("error", str(error)) from error
    expect(set(model.best_params_) == {"C"}, f"the best is {model.best_params_}")
    scores = model.decision_function(X)
    expect(np.isfinite(scores).all(), f"scores are {scores}")
    found = model.cv_results_["mean_test_score"]
    expect(np.isclose(found[model.best_index_], model.best_score_), "another best score")


@arguments
def _compare_arguments(d: Draw) -> dict[str, Any]:
    rows, X = draw_table(d, least=6, most_rows=25, odd=0.03)
    names = st.sampled_from((["naive-logistic"], ["puhdt", "naive-logistic"], []))
    return {
        "rows": rows,
        "X": X,
        "names": d(names, st.one_of(JUNK, st.sampled_from((["x"], {"a": 1}))), 0.06),
        "options": {
            "metric": d(st.sampled_from(("pu_damped_log_rank", "pu_roc_auc")), JUNK, 0.04),
            "n_draws": d(st.integers(1, 30), _SMALL, 0.04),
            "level": d(st.floats(0.1, 0.95), JUNK, 0.04),
            "cv": d(st.just(2), _SMALL, 0.04),
            "random_state": d(st.integers(0, 9), JUNK, 0.03),
        },
    }


def _attack_compare(rows: Labeled, X: Any, names: Any, options: dict[str, Any]) -> None:
    given = {"naive-xgb": _as_method("naive-xgb")}
    if isinstance(names, list) and all(isinstance(name, str) for name in names):
        names = given | {name: name for name in names}
    found = model_selection.compare(names, X, rows.y, **options)
    expect(set(found.table.index) == set(names), f"{list(found.table.index)} of {names}")
    column = found.table[found.metric]
    expect((np.diff(column) <= 1e-12).all(), "the best is not first")
    expect(found.best in names and set(found.tied) <= set(names), f"{found.best}, {found.tied}")
    expect(str(found).endswith("."), str(found)[-200:])


@arguments
def _kinds_arguments(d: Draw) -> dict[str, Any]:
    rows, X = draw_table(d, least=4, most_rows=25, odd=0)
    y = rows.labels * np.where(rows.labels == 1, rows.rng.integers(1, 4, rows.n), 1)
    odd = st.one_of(JUNK, st.sampled_from((y * 0.5, y.astype(str), y - 3, y * 0, y[:-1])))
    frequency = st.sampled_from((None, None, dict.fromkeys(y[y > 0].tolist(), 0.5)))
    return {
        "X": X,
        "y": d(st.sampled_from((y, y.tolist(), y.astype(float))), odd, 0.08),
        "settings": {
            "estimator": d(_METHODS, JUNK, 0.04),
            "label_frequency": d(frequency, st.one_of(JUNK, st.just({1: 2.0})), 0.05),
            "random_state": d(st.integers(0, 9), JUNK, 0.03),
        },
    }


def _attack_kinds(X: Any, y: Any, settings: dict[str, Any]) -> None:
    model = lopsided.MultiPositiveClassifier(**settings).fit(X, y)
    kinds = model.predict_kind_proba(X)
    expect(kinds.shape == (len(y), len(model.kinds_)), f"{kinds.shape} chances of kinds")
    expect(np.allclose(kinds.sum(axis=1), 1), "chances of kinds do not add up to 1")
    expect(np.isfinite(model.decision_function(X)).all(), "scores are not finite")
    wanted = {0, *model.kinds_.tolist()}
    expect(set(model.predict(X).tolist()) <= wanted, "other classes are predicted")


@arguments
def _contract_arguments(d: Draw) -> dict[str, Any]:
    return {"method": d(st.just("naive-logistic"), JUNK, 0.5), "place": d(st.integers(0, 40))}


def _attack_contract(method: Any, place: int) -> None:
    checks = list(lopsided.testing.contract_checks(method))
    name, check = checks[place % len(checks)]
    expect(isinstance(name, str) and name, f"a check is called {name!r}")
    check()


ENTRIES = (
    Entry(
        ("build", *_CLASSES[:7], "SpyClassifier"), _cheap_arguments, _attack_method, share=12
    ),
    Entry(("methods.registry.build", *_CLASSES), _slow_arguments, _attack_method, 2),
    Entry(("list_methods",), _list_arguments, _attack_list, share=2),
    Entry(("rank_unlabeled", "ranking.rank_unlabeled"), _rank_arguments, _attack_rank, share=5),
    Entry(("model_selection.out_of_fold_scores",), _blind_arguments, _attack_blind, share=4),
    Entry(("model_selection.PUSearchCV",), _search_arguments, _attack_search, share=3),
    Entry(
        ("model_selection.compare", "model_selection.Comparison"),
        _compare_arguments,
        _attack_compare,
        share=2,
    ),
    Entry(("MultiPositiveClassifier",), _kinds_arguments, _attack_kinds, share=3),
    Entry(("testing.contract_checks",), _contract_arguments, _attack_contract),
)
