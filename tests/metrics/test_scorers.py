import pickle
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import check_scoring, get_scorer
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score

from lopsided import metrics
from lopsided.metrics import make_pu_scorer, scorers
from lopsided.model_selection import PUStratifiedKFold
from lopsided.priors import estimate_prior

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3))
Y = (X[:, 0] + RNG.normal(size=120) > 1.5).astype(int)
FOLDS = StratifiedKFold(3)


@pytest.mark.parametrize("name", scorers.REGISTERED)
@pytest.mark.parametrize("model", [LogisticRegression(), RandomForestClassifier(5)], ids=repr)
def test_scikit_learn_knows_the_metrics_by_name(name, model):
    model.set_params(random_state=0)
    found = cross_val_score(model, X, Y, scoring=name, cv=FOLDS)
    for score, (train, test) in zip(found, FOLDS.split(X, Y), strict=True):
        fitted = clone(model).fit(X[train], Y[train])
        response = getattr(fitted, "decision_function", None)
        scores = response(X[test]) if response else fitted.predict_proba(X[test])[:, 1]
        assert score == pytest.approx(getattr(metrics, name)(Y[test], scores))


def test_a_search_takes_a_name_and_scorers_with_parameters():
    grid = {"C": [0.1, 10]}
    search = GridSearchCV(LogisticRegression(), grid, scoring="pu_roc_auc", cv=FOLDS).fit(X, Y)
    assert 0.5 < search.best_score_ <= 1
    several = {"recall": make_pu_scorer("pu_recall_at_k", k=0.2), "auc": "pu_roc_auc"}
    search = GridSearchCV(LogisticRegression(), grid, scoring=several, cv=FOLDS, refit="auc")
    assert "mean_test_recall" in search.fit(X, Y).cv_results_


def test_names_are_known_when_scikit_learn_is_imported_later():
    code = (
        "import lopsided.metrics\n"
        "from sklearn.linear_model import LogisticRegression\n"
        "from sklearn.model_selection import cross_val_score\n"
        "y = [1, 1, 0, 0] * 5\n"
        "X = [[value, 0] for value in y]\n"
        "found = cross_val_score(LogisticRegression(), X, y, scoring='pu_average_precision')\n"
        "assert (found == 1).all(), found"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


def test_names_are_known_when_scikit_learn_was_imported_before():
    allowed = cross_val_score._skl_parameter_constraints["scoring"][0].options
    allowed.difference_update(scorers.REGISTERED)
    with pytest.raises(ValueError, match="'scoring' parameter"):
        cross_val_score(LogisticRegression(), X, Y, scoring="pu_roc_auc", cv=FOLDS)
    metrics.register_scorers()
    cross_val_score(LogisticRegression(), X, Y, scoring="pu_roc_auc", cv=FOLDS)


def test_a_scorer_is_copied_pickled_and_named_by_its_metric():
    scorer = make_pu_scorer(metrics.pu_precision_at_k, k=10, prior=0.3)
    model = LogisticRegression().fit(X, Y)
    expected = metrics.pu_precision_at_k(Y, model.decision_function(X), 10, 0.3)
    assert pickle.loads(pickle.dumps(scorer))(model, X, Y) == expected
    assert "pu_precision_at_k" in repr(scorer)
    assert check_scoring(model, "pu_roc_auc")(model, X, Y) == get_scorer("pu_roc_auc")(
        model, X, Y
    )


@pytest.mark.parametrize("name", ["pu_damped_log_rank", "pu_mean_log_rank", "pu_roc_auc"])
def test_one_labeled_row_in_a_fold_is_enough(name):
    few = np.flatnonzero(Y == 1)[:5]
    y = np.isin(np.arange(120), few).astype(int)
    found = cross_val_score(LogisticRegression(), X, y, scoring=name, cv=PUStratifiedKFold(5))
    assert np.isfinite(found).all()


def test_a_scorer_takes_the_value_of_an_estimate():
    model = LogisticRegression().fit(X, Y)
    prior = estimate_prior(Y, X[:, 0])
    scorer = make_pu_scorer("pu_roc_auc", prior=prior)
    assert scorer(model, X, Y) == make_pu_scorer("pu_roc_auc", prior=prior.value)(model, X, Y)


@pytest.mark.parametrize(
    ("name", "n_labeled"), [("pu_average_precision", 1), ("pu_roc_auc", 0), ("pu_roc_auc", 120)]
)
def test_a_fold_without_enough_rows_says_what_to_do(name, n_labeled):
    model = LogisticRegression().fit(X, Y)
    y = (np.arange(120) < n_labeled).astype(int)
    words = rf"got {n_labeled} labeled of 120 rows\. Take fewer folds"
    with pytest.raises(ValueError, match=words):
        get_scorer(name)(model, X, y)


def test_a_fold_with_more_labeled_rows_than_the_prior_allows_has_their_share():
    model = LogisticRegression().fit(X, Y)
    scorer = make_pu_scorer("pu_roc_auc", prior=Y.mean() / 2)
    assert scorer(model, X, Y) == pytest.approx(get_scorer("pu_roc_auc")(model, X, Y))


@pytest.mark.parametrize(
    ("metric", "settings", "words"),
    [
        ("roc_auc", {}, "No PU metric is called 'roc_auc'. Did you mean pu_roc_auc"),
        ("pu_roc_auc", {"prior": (0.1, 0.2)}, "one number"),
    ],
)
def test_what_is_no_scorer_is_refused(metric, settings, words):
    with pytest.raises(ValueError, match=words):
        make_pu_scorer(metric, **settings)


def test_a_scikit_learn_without_its_list_is_left_alone(monkeypatch):
    assert metrics.register_scorers()
    monkeypatch.setitem(sys.modules, "sklearn.metrics._scorer", SimpleNamespace())
    assert not metrics.register_scorers()


@pytest.mark.parametrize("prior", ["auto", 1.5, True])
def test_a_scorer_refuses_what_is_no_prior_before_any_fold(prior):
    with pytest.raises(ValueError, match="prior of a scorer must be a number from 0"):
        make_pu_scorer("pu_roc_auc", prior=prior)
