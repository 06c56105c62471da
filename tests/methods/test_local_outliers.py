import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.neighbors import LocalOutlierFactor

from lopsided import build
from lopsided._rows import TrainingRows
from lopsided.methods._local_outliers import fit_local_outliers
from lopsided.methods.additive import AdditiveScores
from lopsided.metrics import average_precision

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 6)) * RNG.choice([0.2, 1.0], size=(300, 1))
FRESH = RNG.normal(size=(80, 6))
Y = (np.arange(300) % 11 == 0).astype(int)


def fit(table=X):
    """Return what widens a table, and the two columns of its own rows."""
    n_rows, n_raw = table.shape
    rows = TrainingRows(table, np.zeros(n_rows, np.int8), np.ones(n_rows))
    local, wide = fit_local_outliers(rows, {})
    assert (wide[:, :n_raw] == table).all()
    return local, wide[:, n_raw:]


def standardized(rows):
    return (rows - X.mean(axis=0)) / X.std(axis=0)


def test_training_rows_have_the_local_outlier_factor_of_scikit_learn():
    factor = LocalOutlierFactor(n_neighbors=20).fit(standardized(X)).negative_outlier_factor_
    _, columns = fit()
    assert_allclose(np.exp(columns[:, 1]), -factor, rtol=1e-6)


def test_new_rows_have_the_local_outlier_factor_of_scikit_learn():
    other = LocalOutlierFactor(n_neighbors=20, novelty=True).fit(standardized(X))
    ours = fit()[0].widen(FRESH)[:, -1]
    assert_allclose(np.exp(ours), -other.score_samples(standardized(FRESH)), rtol=1e-6)


def test_the_distance_is_the_mean_over_five_neighbors():
    gaps = np.linalg.norm(standardized(FRESH)[:, None] - standardized(X)[None], axis=2)
    expected = np.log(np.sort(gaps, axis=1)[:, :5].mean(axis=1) + 1e-3)
    assert_allclose(fit()[0].widen(FRESH)[:, -2], expected)


def test_a_training_row_is_not_its_own_neighbor_but_its_twin_is():
    twins = np.vstack([X, X[:1]])
    local, _ = fit(twins)
    nearest, distances = local._find_neighbors(local.encoder.transform(twins), own=True)
    assert not (nearest == np.arange(len(twins))[:, None]).any()
    assert nearest[0, 0] == len(twins) - 1
    assert distances[0, 0] == 0


def test_a_row_alone_has_the_columns_it_has_among_others():
    whole = np.round(X, 1)  # with rows that are equally far
    local, _ = fit(whole)
    alone = np.vstack([local.widen(whole[[i]]) for i in range(len(whole))])
    assert_allclose(alone, local.widen(whole), rtol=0, atol=1e-12)


def test_the_type_of_a_table_stays():
    local, _ = fit(X.astype(np.float32))
    assert local.widen(FRESH.astype(np.float32)).dtype == np.float32


def test_what_the_columns_add_is_shared_by_the_distances_of_raw_columns():
    constant = np.column_stack([X, np.ones(len(X))])
    local, _ = fit(constant)
    fresh = np.column_stack([FRESH, np.ones(len(FRESH))])
    terms = RNG.normal(size=(len(fresh), 9))
    wide = AdditiveScores(0.5, terms, 0.5 + terms.sum(axis=1))
    found = local.narrow(wide, fresh)
    assert_allclose(found.base + found.terms.sum(axis=1), wide.scores)
    shared = (found.terms - terms[:, :7]) / terms[:, 7:].sum(axis=1, keepdims=True)
    assert not shared[:, -1].round(12).any()  # by a constant nobody is far from anybody
    assert (shared > -1e-12).all()


def test_importances_of_the_columns_are_shared_too():
    importances = fit()[0].narrow_importances(np.array([0.2, 0, 0, 0, 0, 0, 0.5, 0.3]))
    assert_allclose(importances.sum(), 1)
    assert importances[0] > 0.2
    assert (importances[1:] > 0).all()


@pytest.mark.parametrize("n_rows", [2, 3, 8])
def test_small_tables_have_the_neighbors_that_there_are(n_rows):
    local, columns = fit(X[:n_rows])
    assert np.isfinite(columns).all()
    assert np.isfinite(local.widen(FRESH)).all()


def test_members_see_the_columns_while_a_table_is_small(monkeypatch):
    params = {"estimators": ["bagged-trees", "logistic"], "random_state": 0}
    small = build("focused", **params).fit(X, Y)
    widths = {name: one.models[0].n_features_in_ for name, one in small.estimators_.items()}
    assert widths == {"bagged-trees": 8, "logistic": 6}
    assert small.feature_importances_.shape == (6,)
    monkeypatch.setattr("lopsided.methods._teams._MAX_NEIGHBOR_ROWS", 299)
    large = build("focused", **params).fit(X, Y)
    assert large.local_outliers_ is None
    assert large.estimators_["bagged-trees"].models[0].n_features_in_ == 6


def test_positives_between_dense_rows_are_found(monkeypatch):
    rng = np.random.default_rng(1)
    centers = rng.normal(size=(40, 5)) * 3
    rows = centers[rng.integers(40, size=1200)] + 0.05 * rng.normal(size=(1200, 5))
    truth = rng.random(1200) < 0.05
    rows[truth] += 0.6 * rng.normal(size=(truth.sum(), 5))  # near a center, yet apart from it
    labels = (truth & (rng.random(1200) < 0.5)).astype(int)
    hidden, found = labels == 0, []
    for most in (1_200, 100):
        monkeypatch.setattr("lopsided.methods._teams._MAX_NEIGHBOR_ROWS", most)
        model = build("focused", estimators=["bagged-trees"], random_state=0).fit(rows, labels)
        scores = model.oob_decision_function_
        found.append(average_precision(truth[hidden], scores[hidden]))
    assert found[0] > found[1] + 0.1
