"""BLAS has one setting for the whole process: fits limit it, and leave it as it was."""

import threading

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_info, threadpool_limits

from lopsided import ElkanNotoClassifier, FocusedClassifier
from lopsided.datasets import make_claims
from lopsided.model_selection import out_of_fold_scores
from lopsided.workflow.tables import TableCleaner

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 3))
Y = (X[:, 0] > 1).astype(int)


def blas_threads():
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def two_blas_threads():
    with threadpool_limits(2, user_api="blas"):
        if blas_threads() != {2}:
            pytest.skip("the threads of this BLAS cannot be set")
        yield


class Learner(LogisticRegression):
    """A logistic regression that calls a function during its fit."""

    call = staticmethod(lambda: None)

    def fit(self, X, y, sample_weight=None):
        self.call()
        return super().fit(X, y, sample_weight)


def fit():
    return ElkanNotoClassifier(Learner(), n_jobs=2).fit(X, Y)


def test_overlapping_fits_in_two_threads_leave_the_setting_as_it_was(monkeypatch):
    second_is_inside, first_is_done, seen = threading.Event(), threading.Event(), []

    def meet():
        seen.append(blas_threads())
        if threading.current_thread() is first:
            if second.ident is None:
                second.start()
            assert second_is_inside.wait(60)
        else:
            second_is_inside.set()
            assert first_is_done.wait(60)

    monkeypatch.setattr(Learner, "call", staticmethod(meet))
    first, second = threading.Thread(target=fit), threading.Thread(target=fit)
    first.start()
    first.join()
    first_is_done.set()
    second.join()
    assert seen
    assert all(one == {1} for one in seen)
    assert blas_threads() == {2}


def test_a_fit_that_fails_leaves_the_setting_as_it_was(monkeypatch):
    def fail():
        assert blas_threads() == {1}
        raise ZeroDivisionError

    monkeypatch.setattr(Learner, "call", staticmethod(fail))
    with pytest.raises(ZeroDivisionError):
        fit()
    assert blas_threads() == {2}


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_folds_of_any_classifier_are_fitted_by_one_thread_each(monkeypatch, n_jobs):
    seen = []
    monkeypatch.setattr(Learner, "call", staticmethod(lambda: seen.append(blas_threads())))
    out_of_fold_scores(Learner(), X, Y, cv=4, random_state=0, n_jobs=n_jobs)
    assert seen == [{1}] * 4
    assert blas_threads() == {2}


def test_fits_with_concurrent_folds_give_the_same_bits_each_time():
    # So many rows that OpenBLAS would add them up by two threads.
    claims = make_claims(20_000, random_state=0).table
    y = claims["status"].map({"confirmed": 1, "cleared": -1}).fillna(0).to_numpy()
    table = TableCleaner().fit_transform(claims.drop(columns=["status", "claim_no"]))

    def score(n_jobs):
        model = FocusedClassifier(["logistic"], n_jobs=n_jobs, random_state=0)
        scores = model.fit(table, y).decision_function(table)
        assert blas_threads() == {2}
        return scores

    alone = score(1)
    for _ in range(4):
        np.testing.assert_array_equal(score(2), alone)
