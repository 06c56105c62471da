"""Tables that are hard on arithmetic: every method gives finite scores or one sentence."""

import warnings

import numpy as np
import pytest

from lopsided import rank_unlabeled
from lopsided._check import require
from lopsided.exceptions import MissingExtraError, PriorWarning
from lopsided.methods.registry import build, get_method, list_methods


def has_packages(method):
    try:
        for package in get_method(method).needs:
            require(package)
    except MissingExtraError:
        return False
    return True


HERE = [method for method in list_methods("any") if has_packages(method)]
FROM_LABELS = [method for method in HERE if get_method(method).labels == "pu"]
RNG = np.random.default_rng(0)
N = 60
Y = np.repeat([1, 0], [8, N - 8])
USEFUL = RNG.normal(size=N) + 2 * (np.arange(N) < 16)
COLUMNS = {
    "smallest steps": 5e-324 * RNG.integers(0, 2, N),
    "subnormal": 1e-310 * RNG.normal(size=N),
    "tiny": 1e-300 * RNG.integers(0, 5, N),
    "huge": 3e38 * RNG.choice([-1, 0, 1], N),
    "one huge": np.where(np.arange(N) == 30, 3e38, RNG.normal(size=N)),
    "all sizes": RNG.choice([5e-324, 1e-40, 1.0, 1e38], N),
    "constant": np.full(N, 7.0),
    "zeros": np.zeros(N),
    "huge constant": np.full(N, 3e38),
    "rounding": 1e10 + 1e-6 * RNG.integers(0, 2, N),
}


def quick(method):
    return build(method, random_state=0, **get_method(method).quick)


@pytest.fixture(autouse=True)
def no_prior_is_known():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PriorWarning)
        warnings.filterwarnings("ignore", "No split lowered the risk", UserWarning)
        yield


@pytest.mark.parametrize("method", HERE)
@pytest.mark.parametrize("columns", [["smallest steps"], list(COLUMNS)], ids=["one", "all"])
def test_columns_of_any_size_give_finite_scores(method, columns):
    X = np.column_stack([USEFUL, *(COLUMNS[name] for name in columns)])
    model = quick(method).fit(X, Y)
    assert np.isfinite(model.decision_function(X)).all()
    for value in (0.0, 1.0, -1e30):  # what training never saw
        X[:, 1:] = value
        assert np.isfinite(model.decision_function(X)).all()


@pytest.mark.parametrize("method", HERE)
def test_numbers_beyond_single_precision_are_ranked_or_refused_in_a_sentence(method):
    X = np.column_stack([USEFUL, 1.7e308 * (np.arange(N) % 3 == 0)])
    modest = np.column_stack([USEFUL, USEFUL])
    for trained_on in (X, modest):
        said = ""
        try:
            scores = quick(method).fit(trained_on, Y).decision_function(X)
        except ValueError as error:
            said = str(error)
        assert said.endswith("Rescale them.") if said else np.isfinite(scores).all()


@pytest.mark.parametrize("method", [*HERE, "full focused"])
@pytest.mark.parametrize(("n_labeled", "n_unlabeled"), [(2, 1), (2, 3), (3, 1)])
@pytest.mark.parametrize("spread", [1, 0], ids=["different", "equal"])
def test_a_handful_of_rows_gives_finite_scores(method, n_labeled, n_unlabeled, spread):
    y = np.repeat([1, 0], [n_labeled, n_unlabeled])
    X = 1 + spread * np.random.default_rng(1).normal(size=(len(y), 2))
    model = build("focused", random_state=0) if method == "full focused" else quick(method)
    assert np.isfinite(model.fit(X, y).decision_function(X)).all()


@pytest.mark.parametrize("method", FROM_LABELS)
def test_two_unlabeled_rows_are_ranked(method):
    X, y = np.random.default_rng(1).normal(size=(4, 2)), np.array([1, 1, 0, 0])
    scores = rank_unlabeled(X, y, quick(method), random_state=0)
    assert np.isfinite(scores[2:]).all()


def test_a_lone_unlabeled_row_cannot_be_ranked_and_a_sentence_says_so():
    with pytest.raises(ValueError, match="two unlabeled rows are needed"):
        rank_unlabeled(np.ones((3, 1)), [1, 1, 0])
