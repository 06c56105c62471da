import pickle
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import check_scoring
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score

from lopsided import metrics
from lopsided.metrics import make_pu_scorer, scorers
from lopsided.metrics.named import OF_ALL_ROWS
from lopsided.model_selection import PUStratifiedKFold
from lopsided.priors import estimate_prior

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3))
Y = (X[:, 0] + RNG.normal(size=120) > 1.5).astype(int)
FOLDS = StratifiedKFold(3)


@pytest.mark.parametrize("name", OF_ALL_ROWS)
@pytest.mark.parametrize("model", [LogisticRegression(), RandomForestClassifier(5)], ids=repr)
def test_a_scorer_scores_each_fold_by_its_metric(name, model):
    model.set_params(random_state=0)
    scorer = getattr(metrics, f"{name}_scorer")
    found = cross_val_score(model, X, Y, scoring=scorer, cv=FOLDS)
    for score, (train, test) in zip(found, FOLDS.split(X, Y), strict=True):
        fitted = clone(model).fit(X[train], Y[train])
        response = getattr(fitted, "decision_function", None)
        scores = response(X[test]) if response else fitted.predict_proba(X[test])[:, 1]
        assert score == pytest.approx(getattr(metrics, name)(Y[test], scores))


def test_a_search_takes_scorers_with_and_without_parameters():
    grid = {"C": [0.1, 10]}
    auc = metrics.pu_roc_auc_scorer
    search = GridSearchCV(LogisticRegression(), grid, scoring=auc, cv=FOLDS).fit(X, Y)
    assert 0.5 < search.best_score_ <= 1
    several = {"recall": make_pu_scorer("pu_recall_at_k", k=0.2), "auc": auc}
    search = GridSearchCV(LogisticRegression(), grid, scoring=several, cv=FOLDS, refit="auc")
    assert "mean_test_recall" in search.fit(X, Y).cv_results_


def test_a_scorer_is_made_once_and_listed():
    assert metrics.pu_roc_auc_scorer is metrics.pu_roc_auc_scorer
    assert set(scorers.SCORERS) <= set(dir(metrics)) & set(metrics.__all__)
    with pytest.raises(AttributeError, match="pu_roc_scorer"):
        metrics.pu_roc_scorer  # noqa: B018


STATE = """
import sys
import sklearn.model_selection
from sklearn.metrics._scorer import _SCORERS

def state():
    constraints = {
        (module, name, parameter): [str(one) for one in allowed]
        for module in sorted(sys.modules)
        if module.partition(".")[0] == "sklearn"
        for name, member in list(vars(sys.modules[module]).items())
        for attribute in ("_skl_parameter_constraints", "_parameter_constraints")
        if isinstance(getattr(member, attribute, None), dict)
        for parameter, allowed in getattr(member, attribute).items()
    }
    return list(sys.meta_path), constraints, sorted(_SCORERS)

before = state()
{imports}
after = state()
assert after[0] == before[0], after[0]
assert all(after[1][key] == allowed for key, allowed in before[1].items())
assert after[2] == before[2], after[2]
assert any("roc_auc" in str(allowed) for allowed in before[1].values())
"""


@pytest.mark.parametrize(
    "imports", ["import lopsided", "import lopsided.metrics", "from lopsided.metrics import *"]
)
def test_an_import_leaves_scikit_learn_and_the_import_system_as_they_were(imports):
    code = STATE.replace("{imports}", imports)
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


def test_an_import_before_scikit_learn_leaves_no_finder_behind():
    code = "import sys; finders = list(sys.meta_path); import lopsided, lopsided.metrics; "
    code += "assert sys.meta_path == finders"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_scorer_is_copied_pickled_and_named_by_its_metric():
    scorer = make_pu_scorer(metrics.pu_precision_at_k, k=10, prior=0.3)
    model = LogisticRegression().fit(X, Y)
    expected = metrics.pu_precision_at_k(Y, model.decision_function(X), 10, 0.3)
    assert pickle.loads(pickle.dumps(scorer))(model, X, Y) == expected
    assert "pu_precision_at_k" in repr(scorer)
    plain = metrics.pu_roc_auc_scorer
    assert check_scoring(model, plain) is plain
    assert clone(plain, safe=False)(model, X, Y) == plain(model, X, Y)


@pytest.mark.parametrize("name", ["pu_damped_log_rank", "pu_mean_log_rank", "pu_roc_auc"])
def test_one_labeled_row_in_a_fold_is_enough(name):
    few = np.flatnonzero(Y == 1)[:5]
    y = np.isin(np.arange(120), few).astype(int)
    scorer = getattr(metrics, f"{name}_scorer")
    found = cross_val_score(LogisticRegression(), X, y, scoring=scorer, cv=PUStratifiedKFold(5))
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
        make_pu_scorer(name)(model, X, y)


def test_a_fold_with_more_labeled_rows_than_the_prior_allows_has_their_share():
    model = LogisticRegression().fit(X, Y)
    scorer = make_pu_scorer("pu_roc_auc", prior=Y.mean() / 2)
    assert scorer(model, X, Y) == pytest.approx(metrics.pu_roc_auc_scorer(model, X, Y))
