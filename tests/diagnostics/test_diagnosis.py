from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csc_array, csr_matrix
from sklearn.linear_model import LogisticRegression

from lopsided.diagnostics import check_signal_in_table, diagnose
from lopsided.labeling import SCAR
from lopsided.model_selection import PUTimeSplit
from lopsided.priors import Beta, estimate_prior

TRUTH = np.repeat([1, 0], [40, 360])
X = np.random.default_rng(0).normal(size=(400, 3)) + 2 * TRUTH[:, None] * [1, 1, 0]
Y = SCAR(0.5).draw(X, TRUTH, 0)
TITLES = ("signal?", "what is known?", "label away?", "at random?", "review find?", "hangs on")


@pytest.fixture(scope="module")
def found():
    desk = np.where(np.arange(400) % 3, X[:, 2], np.nan)
    rivals = {"the desk's own score": desk}
    return diagnose(X, Y, "naive-logistic", k=[20, 50], rivals=rivals)


def test_a_diagnosis_answers_every_question(found):
    text = str(found)
    assert all(title in text for title in TITLES)
    assert {rival.name for rival in found.recall[0].rivals} == {
        "the naive baseline (naive-forest)",
        "the desk's own score",
    }
    assert found.recall[0].n_labeled == 20
    assert not found.scar.testable
    assert found.signal.found
    assert found.leaks == ()
    assert [one.k for one in found.finds] == [20, 50]
    assert found.prior.low <= found.prior.value <= found.prior.high
    assert len(found.sensitivity.outcomes) == 5


def test_rows_are_scored_once_and_blind(found):
    assert found.scores.shape == (400,)
    assert np.isfinite(found.scores).all()
    assert found.recall[0].rivals[-1].low > 0  # the desk's column is noise


def test_noise_a_leak_and_groups_are_told():
    rng = np.random.default_rng(1)
    y = rng.permutation(Y)
    table = np.c_[rng.normal(size=(400, 2)), np.where(y == 1, 1.0, np.nan)]
    found = diagnose(table, y, "naive-logistic", prior=0.1, k=20)
    assert [leak.column for leak in found.leaks] == ["2"]
    groups = np.arange(400) // 2
    found = diagnose(table[:, :2], y, "naive-logistic", prior=0.1, k=20, groups=groups)
    assert not found.signal.found


def test_rows_that_no_fold_tests_on_are_not_judged():
    order = np.random.default_rng(1).permutation(400)
    found = diagnose(X[order], Y[order], "naive-logistic", cv=PUTimeSplit(3), k=20)
    judged = np.isfinite(found.scores)
    assert 0 < judged.sum() < 400
    assert str(found).startswith(f"{judged.sum()} of 400")
    assert found.recall[0].n_labeled == Y[order][judged].sum()


def test_a_belief_and_two_samples_reach_the_estimate():
    belief = {"label_frequency": Beta(50, 2), "scenario": "two-sample"}
    found = diagnose(X, Y, "naive-logistic", k=20, **belief)
    firm = estimate_prior(Y, found.scores, X=X, random_state=0, **belief)
    assert found.prior.value == pytest.approx(firm.value, rel=0.1)
    # Positives of the unlabeled sample alone are counted.
    assert found.finds[0].high <= found.prior.high * (Y == 0).sum() + 1


def test_without_signal_no_review_is_advised(found):
    lost = replace(found, signal=replace(found.signal, p_value=0.9))
    assert found.curve.describe() in str(found)
    assert found.curve.describe() not in str(lost)


def test_all_numbers_of_finds_come_from_one_curve(found):
    for one in found.finds:
        assert one == found.curve.expect(one.k)
    assert found.curve.n_hidden == pytest.approx(found.prior.n_hidden)
    usual = found.sensitivity.outcomes[0]
    assert usual.finds == pytest.approx(found.curve.finds[found.sensitivity.k])


@pytest.mark.parametrize("kind", [csr_matrix, csc_array])
def test_sparse_tables_are_diagnosed(kind):
    table = np.c_[np.where(X > 0.5, X, 0), np.eye(400)[:, :30]]
    found = diagnose(kind(table), Y, LogisticRegression(), prior=0.1, k=20)
    assert "naive-forest" in str(found)
    assert found.signal.found
    assert check_signal_in_table(kind(table), Y).found
    few = np.flatnonzero(Y == 1)[:6]
    assert check_signal_in_table(kind(table), np.isin(np.arange(400), few)).p_value < 0.5


def test_auto_is_no_prior():
    one, other = (
        diagnose(X, Y, "naive-logistic", prior=prior, k=20) for prior in ("auto", None)
    )
    assert str(one) == str(other)
