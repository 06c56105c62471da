import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import rankdata
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

import lopsided
from lopsided.methods.registry import get_method, list_methods
from lopsided_bench import peers
from lopsided_bench.peers import PulearnClassifier

pulearn = pytest.importorskip("pulearn")

FOREST_SEED, OWN_SEED = 3, 4
N_LABELED, N_ROWS = 40, 400
PULEARN = [name for name in list_methods("peer") if get_method(name).source == "pulearn"]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    truth = np.arange(N_ROWS) < 2 * N_LABELED
    X = 1000 + 50 * (rng.normal(size=(N_ROWS, 4)) + 1.5 * truth[:, None])
    return X, (np.arange(N_ROWS) < N_LABELED).astype(int)


def forest(n_trees):
    return RandomForestClassifier(n_trees, random_state=FOREST_SEED)


def by_hand():
    """Return pulearn's estimators as one would call them without this library."""
    own = {"random_state": OWN_SEED}
    n_others = N_ROWS - N_LABELED
    return {
        "elkan-noto": pulearn.ElkanotoPuClassifier(forest(300), hold_out_ratio=0.2, **own),
        "weighted-elkan-noto": pulearn.WeightedElkanotoPuClassifier(
            forest(300), N_LABELED, n_others, hold_out_ratio=0.2, **own
        ),
        "bagging": pulearn.BaggingPuClassifier(forest(20), n_estimators=15, **own),
        # Of 80 positives 40 are labeled: the others are a ninth of the unlabeled rows.
        "nnpu": pulearn.NNPUClassifier(prior=1 / 9, **own),
        "naive-bayes": pulearn.PositiveNaiveBayesClassifier(),
        "weighted-naive-bayes": pulearn.WeightedNaiveBayesClassifier(),
        "tan": pulearn.PositiveTANClassifier(),
        "weighted-tan": pulearn.WeightedTANClassifier(),
    }


def seeds(model):
    """Return as settings the seeds that an estimator was given by hand."""
    return {
        name: value
        for name, value in model.get_params().items()
        if name.endswith("random_state")
    }


@pytest.mark.parametrize("algorithm", by_hand())
def test_an_adapter_scores_as_the_estimator_does_by_hand(table, algorithm):
    X, y = table
    given = {"prior": 0.2} if algorithm == "nnpu" else {}
    settings = seeds(by_hand()[algorithm])
    ours = lopsided.build(f"pulearn-{algorithm}", settings=settings, **given).fit(X, y)
    chance, found = ours.predict_proba(X)[:, 1], ours.predict(X)
    scores = ours.decision_function(X)
    Z = StandardScaler().fit_transform(X)
    for unlabeled in (0, -1):
        theirs = by_hand()[algorithm].fit(Z, np.where(y == 1, 1, unlabeled))
        proba = theirs.predict_proba(Z)[:, 1]
        assert_allclose(chance, np.minimum(proba, 1), atol=1e-9)
        assert_array_equal(found, theirs.predict(Z) == 1)
        assert_array_equal(rankdata(scores.round(9)), rankdata(proba.round(12)))


def test_every_classifier_of_pulearn_has_an_entry():
    known = {type(model).__name__ for model in by_hand().values()}
    theirs = {name for name in dir(pulearn) if name.endswith("Classifier")}
    assert theirs - {"BasePUClassifier"} == known
    assert [f"pulearn-{algorithm}" for algorithm in by_hand()] == PULEARN


def test_probabilities_above_one_keep_their_order(table):
    X, y = table
    model = lopsided.build("pulearn-elkan-noto", random_state=0).fit(X, y)
    proba = model.model_.predict_proba(model.encoder_.transform(X))[:, 1]
    assert proba.max() > 1
    assert_array_equal(rankdata(model.decision_function(X)), rankdata(proba))
    assert model.predict_proba(X).max() == 1


def test_scores_of_the_weighted_elkan_noto_depend_on_the_other_rows_but_not_their_order(table):
    X, y = table
    model = lopsided.build("pulearn-weighted-elkan-noto", random_state=0).fit(X, y)
    alone, among = model.decision_function(X[::2]), model.decision_function(X)[::2]
    assert np.abs(alone - among).max() > 0.01
    assert_array_equal(rankdata(alone), rankdata(among))


def test_settings_reach_pulearn_and_what_it_wraps(table):
    X, y = table
    model = PulearnClassifier(
        settings={"estimator": LogisticRegression(), "hold_out_ratio": 0.4}, random_state=0
    ).fit(X, y)
    assert model.model_.hold_out_ratio == 0.4
    assert isinstance(model.model_.estimator, LogisticRegression)
    model = PulearnClassifier("bagging", settings={"estimator__max_depth": 2}).fit(X, y)
    assert model.model_.estimators_[0].max_depth == 2


def test_the_classifier_given_stays_unfitted(table):
    given = LogisticRegression()
    PulearnClassifier(settings={"estimator": given}, random_state=0).fit(*table)
    assert not hasattr(given, "coef_")


def fails(seed, X, y):
    try:
        pulearn.ElkanotoPuClassifier(LogisticRegression(), 0.2, random_state=seed).fit(X, y)
    except ValueError as error:
        return "No positive examples found in the hold-out" in str(error)
    return False


def test_another_hold_out_is_drawn_until_one_has_a_labeled_row(table):
    X, y = table
    few = y * (np.arange(N_ROWS) < 3)
    assert sum(fails(seed, X, few) for seed in range(20)) > 5
    for seed in range(20):
        settings = {"estimator": LogisticRegression()}
        model = PulearnClassifier(settings=settings, random_state=seed).fit(X, few)
        assert np.isfinite(model.decision_function(X)).all()


@pytest.mark.parametrize("algorithm", ["elkan-noto", "weighted-elkan-noto"])
def test_when_no_hold_out_gives_a_frequency_the_fit_says_so(table, algorithm, monkeypatch):
    monkeypatch.setattr(peers, "_MAX_DRAWS", 3)
    X, y = table
    settings = {"hold_out_ratio": 1e-9, "estimator__n_estimators": 5}
    model = PulearnClassifier(algorithm, settings=settings, random_state=0)
    with pytest.raises(ValueError, match="from 3 hold-outs"):
        model.fit(X, y * (np.arange(N_ROWS) < 2))


def test_a_prior_at_the_labeled_share_is_taken(table):
    X, y = table
    model = lopsided.build("pulearn-nnpu", prior=y.mean(), random_state=0).fit(X, y)
    assert model.model_.prior == 0.5 / (N_ROWS - N_LABELED)


def test_rows_are_weighted_by_bagging_and_repeated_for_the_others(table):
    X, y = table
    weight = np.linspace(1, 2, N_ROWS)
    lopsided.build("pulearn-bagging", random_state=0).fit(X, y, sample_weight=weight)
    with pytest.raises(ValueError, match=r"sample_weight.*PositiveNaiveBayesClassifier"):
        lopsided.build("pulearn-naive-bayes").fit(X, y, sample_weight=weight)
    counts = np.arange(N_ROWS) % 3
    repeated = lopsided.build("pulearn-naive-bayes").fit(X.repeat(counts, 0), y.repeat(counts))
    weighted = lopsided.build("pulearn-naive-bayes").fit(X, y, sample_weight=counts)
    assert_allclose(repeated.decision_function(X), weighted.decision_function(X))


def test_unknown_algorithms_are_refused_with_the_nearest(table):
    with pytest.raises(ValueError, match="bagging"):
        PulearnClassifier("baging").fit(*table)
