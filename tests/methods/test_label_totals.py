from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from lopsided._rows import TrainingRows
from lopsided.losses import FocalLoss, LogisticLoss, SigmoidLoss
from lopsided.methods._label_totals import fit_intercept_only, label_totals, weighs_by_label
from lopsided.risks import ClipAtZero, PURisk, Risk, SignedWeights, SupervisedRisk

RNG = np.random.default_rng(0)
N = 300
Y = (np.arange(N) < 40).astype(np.int8)
PLAIN = TrainingRows(np.empty((N, 0)), Y, np.ones(N))
WEIGHTED = replace(PLAIN, weight=RNG.integers(0, 3, size=N) + RNG.uniform(size=N))
REVIEWED = replace(WEIGHTED, reviewed=np.arange(N) >= 280)
TABLES = {
    "plain": PLAIN,
    "weighted": WEIGHTED,
    "reviewed": REVIEWED,
    "reviewed but weightless": replace(
        REVIEWED, weight=np.where(REVIEWED.labels == -1, 0, REVIEWED.weight)
    ),
    "none labeled": replace(REVIEWED, y=np.zeros_like(Y)),
    "all labeled": replace(WEIGHTED, y=np.ones_like(Y)),
}
RISKS = [
    *(
        PURisk(FocalLoss(), ClipAtZero(), target, scenario)
        for target in (None, 0.5)
        for scenario in ("one-sample", "two-sample")
    ),
    PURisk(LogisticLoss(), reviewed_weight=1.0),
    SupervisedRisk(LogisticLoss()),
    SupervisedRisk(SigmoidLoss(), target_prior=0.5),
]


class Twice(PURisk):
    def raw_weights(self, y, prior, weight=None):
        positive, negative = super().raw_weights(y, prior, weight)
        return SignedWeights(2 * positive, negative)


class OnScores(PURisk):
    def weights(self, scores, y, prior, weight=None):
        return Risk.weights(self, scores, y, prior, weight)


def in_two(rows, first):
    """Return the rows of one worker, and a sum to which the other adds its own."""
    parts = rows.take(first), rows.take(~first)
    sums = [np.array(label_totals(part)) for part in parts]
    return parts[0], lambda sent: sent + sums[1]


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("risk", RISKS, ids=repr)
def test_constants_of_labels_are_the_weights_of_rows(risk, name):
    rows = TABLES[name]
    units = label_totals(rows).unit_weights(risk, 0.2)
    expected = risk.raw_weights(rows.labels.astype(float), 0.2, rows.weight)
    for unit, weights in zip(units, expected, strict=True):
        assert_allclose(unit[rows.labels] * rows.weight, weights, rtol=1e-12, atol=1e-18)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("risk", RISKS, ids=repr)
def test_the_intercept_of_totals_is_that_of_the_rows(risk, name):
    rows = TABLES[name]
    expected = risk.fit_intercept_only(rows.labels, 0.2, rows.weight)
    assert fit_intercept_only(risk, rows, 0.2) == pytest.approx(expected, abs=1e-9)


def test_totals_are_sums_by_label():
    totals = label_totals(REVIEWED)
    for label, total in [(0, totals.unlabeled), (1, totals.labeled), (-1, totals.reviewed)]:
        assert total == pytest.approx(REVIEWED.weight[REVIEWED.labels == label].sum())
    assert totals.weight == pytest.approx(REVIEWED.weight.sum())


@pytest.mark.parametrize("kept", [Y == 1, Y == 0, np.arange(N) % 3 == 0, Y < 0])
def test_totals_of_two_workers_are_those_of_all_rows(kept):
    part, add = in_two(REVIEWED, kept)
    assert_allclose(label_totals(part, add), label_totals(REVIEWED), rtol=1e-12)
    start = fit_intercept_only(RISKS[0], part, 0.2, add)
    assert start == pytest.approx(fit_intercept_only(RISKS[0], REVIEWED, 0.2), abs=1e-9)


def test_no_rows_weigh_nothing():
    none = REVIEWED.take(np.zeros(N, bool))
    assert_array_equal(label_totals(none), np.zeros(3))
    assert fit_intercept_only(RISKS[0], none, 0.2) == 0.0


def test_weights_of_the_users_own_are_not_taken_for_constants_of_labels():
    assert all(map(weighs_by_label, RISKS))
    assert not weighs_by_label(Twice(LogisticLoss()))
    assert not weighs_by_label(OnScores(LogisticLoss()))
    expected = Twice(LogisticLoss()).fit_intercept_only(Y, 0.2)
    assert fit_intercept_only(Twice(LogisticLoss()), PLAIN, 0.2) == pytest.approx(expected)


def test_weights_of_the_users_own_are_refused_on_several_workers():
    with pytest.raises(ValueError, match="several workers"):
        fit_intercept_only(Twice(LogisticLoss()), PLAIN, 0.2, lambda sent: sent)
