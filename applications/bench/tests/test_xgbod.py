import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.preprocessing import StandardScaler

import lopsided
from lopsided_bench.peers import XGBODClassifier

xgbod = pytest.importorskip("pyod.models.xgbod")


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    X[:20] += 2.5
    return X, (np.arange(150) < 10).astype(int)


def detectors_of(model):
    """Return the fitted detectors, which were the given ones before PyOD 3.6.7."""
    return getattr(model, "estimator_list_", model.estimator_list)


def test_an_adapter_scores_as_xgbod_does_by_hand_and_says_nothing(table, recwarn, capfd):
    X, y = table
    ours = lopsided.build("xgbod", settings={"random_state": 3}).fit(X, y)
    found = ours.predict_proba(X)[:, 1]
    assert not recwarn.list
    assert capfd.readouterr() == ("", "")
    Z = StandardScaler().fit_transform(X)
    theirs = xgbod.XGBOD(random_state=3).fit(Z, y)
    assert len(detectors_of(ours.model_)) == len(detectors_of(theirs)) == 41
    assert_allclose(found, theirs.predict_proba(Z), atol=1e-6)


def test_the_seed_decides(table):
    X, y = table
    names = ("lof", "hbos", "ocsvm", "iforest")
    scores = [
        XGBODClassifier(names, random_state=seed).fit(X, y).decision_function(X)
        for seed in (1, 1, 2)
    ]
    assert_array_equal(scores[0], scores[1])
    assert np.abs(scores[0] - scores[2]).max() > 0


def test_detectors_are_chosen_by_name(table):
    model = XGBODClassifier(("knn", "iforest"), random_state=0).fit(*table)
    found = [type(one).__name__ for one in detectors_of(model.model_)]
    assert found == ["KNN", "IForest"]
    with pytest.raises(ValueError, match="iforest"):
        XGBODClassifier(("iforests",)).fit(*table)


def test_rows_are_repeated_instead_of_weights(table):
    X, y = table
    model = XGBODClassifier(("hbos",), random_state=0)
    with pytest.raises(ValueError, match=r"sample_weight.*XGBOD"):
        model.fit(X, y, sample_weight=np.linspace(1, 2, 150))
    counts = 1 + np.arange(150) % 2
    weighted = model.fit(X, y, sample_weight=counts).decision_function(X)
    repeated = model.fit(X.repeat(counts, 0), y.repeat(counts)).decision_function(X)
    assert_allclose(weighted, repeated)
