"""Tables that are hard on arithmetic: every method gives finite scores or a ValueError."""

import warnings

import numpy as np
import pytest

from lopsided import rank_unlabeled
from lopsided._validation import require
from lopsided.exceptions import MissingExtraError, PriorWarning
from lopsided.methods.registry import METHODS, build, get_method


def has_packages(method):
    try:
        for package in get_method(method).needs:
            require(package)
    except MissingExtraError:
        return False
    return True


HERE = [method.name for method in METHODS if has_packages(method.name)]
FROM_LABELS = [method for method in HERE if get_method(method).labels == "pu"]
RNG = np.random.default_rng(0)
N = 60
Y = np.repeat([1, 0], [8, N - 8])
USEFUL = RNG.normal(size=N) + 2 * (np.arange(N) < 16)
COLUMNS = {
    "tiny": 1e-300 * RNG.integers(0, 5, N),
    "huge": 3e38 * RNG.choice([-1, 0, 1], N),
    "one huge": np.where(np.arange(N) == 30, 3e38, RNG.normal(size=N)),
    "all sizes": RNG.choice([1e-40, 1.0, 1e38], N),
    "constant": np.full(N, 7.0),
    "rounding": 1e10 + 1e-6 * RNG.integers(0, 2, N),
}


def quick(method):
    return build(method, random_state=0, **get_method(method).quick)


@pytest.fixture(autouse=True)
def no_prior_is_known():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PriorWarning)
        warnings.filterwarnings("ignore", "No split lowered the risk", UserWarning)
        warnings.filterwarnings("ignore", "X holds the same values", UserWarning)
        yield


@pytest.mark.parametrize("method", HERE)
def test_columns_of_any_size_give_finite_scores(method):
    X = np.column_stack([USEFUL, *COLUMNS.values()])
    model = quick(method).fit(X, Y)
    assert np.isfinite(model.decision_function(X)).all()
    for value in (0.0, 1.0, -1e30):  # what training never saw
        X[:, 1:] = value
        assert np.isfinite(model.decision_function(X)).all()


@pytest.mark.parametrize("method", [*HERE, "full focused"])
@pytest.mark.parametrize(("n_labeled", "n_unlabeled"), [(2, 1), (2, 3), (3, 1)])
@pytest.mark.parametrize("spread", [1, 0], ids=["different", "equal"])
def test_a_handful_of_rows_gives_finite_scores(method, n_labeled, n_unlabeled, spread):
    y = np.repeat([1, 0], [n_labeled, n_unlabeled])
    X = 1 + spread * np.random.default_rng(1).normal(size=(len(y), 2))
    model = build("focused", random_state=0) if method == "full focused" else quick(method)
    assert np.isfinite(model.fit(X, y).decision_function(X)).all()


@pytest.mark.parametrize("method", FROM_LABELS)
@pytest.mark.filterwarnings("ignore:.* gave all rows of a fold the same score")
def test_two_unlabeled_rows_are_ranked(method):
    X, y = np.random.default_rng(1).normal(size=(4, 2)), np.array([1, 1, 0, 0])
    scores = rank_unlabeled(X, y, quick(method), random_state=0)
    assert np.isfinite(scores[2:]).all()


LEARNERS = ["naive-logistic", "naive-forest", "puhdt", "elkan-noto", "focused-fast", "spy"]
SAME = {
    "constant": np.tile([7.0, -1.0], (N, 1)),
    "missing": np.full((N, 2), np.nan),
    "both": np.tile([7.0, np.nan], (N, 1)),
    "one row": np.ones((N, 1), np.float32),
}


@pytest.mark.parametrize("method", [*LEARNERS, "naive-xgb"])
@pytest.mark.parametrize("table", SAME)
def test_a_table_of_equal_rows_is_said_once_to_teach_nothing(method, table):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", PriorWarning)
        model = quick(method).fit(SAME[table], Y)
    assert len(set(model.decision_function(SAME[table]))) == 1
    (warning,) = [one for one in seen if issubclass(one.category, UserWarning)]
    assert "score" in str(warning.message)
    assert warning.filename == __file__
