import numpy as np
from numpy.testing import assert_allclose

from lopsided.methods._neighbors import NeighborRatioClassifier

RNG = np.random.default_rng(0)
X = RNG.normal(size=(150, 20))
X[100:120] = X[:20]  # twins
Y = (np.arange(150) % 9 == 0).astype(int)


def slow_scores(rows):
    """The definition, row by row and distance by distance."""
    scale = X.std(axis=0)
    found = []
    for row in rows:
        gaps = np.sqrt((((X - row) / scale) ** 2).sum(axis=1))
        near, far = (np.sort(gaps[label == Y])[:k].mean() for label, k in ((1, 3), (0, 5)))
        found.append(np.log(far + 1e-3) - np.log(near + 1e-3))
    return found


def test_scores_are_those_of_the_definition():
    fresh = RNG.normal(size=(30, 20))
    model = NeighborRatioClassifier().fit(X, Y)
    assert_allclose(model.decision_function(fresh), slow_scores(fresh))
    assert_allclose(model.decision_function(X), slow_scores(X), atol=1e-9)


def test_a_row_alone_has_the_score_it_has_among_others():
    model = NeighborRatioClassifier().fit(X, Y)
    alone = [model.decision_function(X[[i]])[0] for i in range(len(X))]
    assert_allclose(alone, model.decision_function(X), rtol=0, atol=1e-12)
