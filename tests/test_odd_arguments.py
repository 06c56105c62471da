"""Arguments that nobody would think of, and a fuzz run did: each is refused in one sentence."""

import numpy as np
import pandas as pd
import pytest

import lopsided
from lopsided import metrics
from lopsided.diagnostics import blind_recall
from lopsided.labeling import SAR
from lopsided.losses import CalibratedFocalLoss, FocalLoss
from lopsided.model_selection import (
    DelayedLabelClassifier,
    PUSearchCV,
    PUStratifiedKFold,
    rank_against,
)
from lopsided.risks import nnpu
from lopsided.workflow.tables import TableCleaner

RNG = np.random.default_rng(0)
Y = np.repeat([1, 0], [8, 52])
X = RNG.normal(size=(60, 2)) + Y[:, None]
SCORES = X[:, 0]
HUGE = 10**400
TABLE = pd.DataFrame({"amount": SCORES, "fraud": Y})


def search(**options):
    return PUSearchCV(lopsided.build("naive-logistic"), {"C": [1.0]}, **options).fit(X, Y)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: list(PUStratifiedKFold(HUGE).split(X, Y)),
            r"labeled rows, 8, got 10{50,}\.\.\.",
        ),
        (
            lambda: metrics.pu_precision_at_k(Y, SCORES, prior=HUGE, k=5),
            "prior must be a number",
        ),
        (
            lambda: metrics.pu_bootstrap(pd.Series([1.0]), Y, SCORES),
            r"No PU metric is called .?Series\(\[1.0\]\)",
        ),
        (lambda: rank_against([1.0, 2.0], None), "scores must be numbers, got None"),
        (lambda: search(cv={}), "cv must give splits, got none of {}"),
        (lambda: search(cv=[([0.5], [1])]), r"rows to test on, got \(\[0\.5\], \[1\]\)"),
        (lambda: search(cv=b"a b"), "cv must be a number of folds or a splitter, got b'a b'"),
        (lambda: search(scoring=np.array([1, 2])), r"No scoring is called ndarray\(\[1, 2\]"),
        (
            lambda: PUSearchCV(lopsided.build("naive-logistic"), []).fit(X, Y),
            r"param_grid must hold a candidate, got \[\]",
        ),
        (
            lambda: DelayedLabelClassifier(lopsided.build("naive-logistic"), time=["a"]).fit(
                TABLE, Y
            ),
            r"a data frame with the columns \['a'\] and",
        ),
        (
            lambda: DelayedLabelClassifier(lopsided.build("naive-logistic"), time=([],)).fit(
                TABLE, Y
            ),
            r"a data frame with the columns \(\[\],\) and",
        ),
        (lambda: SAR(hidden=0.5).draw(X + 1j, Y, rng=0), "SAR needs a table of numbers"),
        (
            lambda: lopsided.build("ifpu-xgb", monotone_constraints=False).fit(X, Y),
            "monotone_constraints must hold -1, 0 or 1 for each of 2 columns, got False",
        ),
        (
            lambda: lopsided.build("ifpu-xgb", monotone_constraints=np.zeros((1, 2))).fit(X, Y),
            r"of 2 columns, got ndarray\(\[\[0\.0, 0\.0\]\]\)",
        ),
        (
            lambda: lopsided.build("nnif", prior=0.3, n_neighbors="a").fit(X, Y),
            "n_neighbors must be a whole number from 1, got 'a'",
        ),
        (
            lambda: TableCleaner(drop=None).fit(TABLE),
            "drop must be a list of columns, got None",
        ),
        (
            lambda: lopsided.fit(TABLE, "fraud", drop=1j),
            "drop must be a list of columns, got 1j",
        ),
        (
            lambda: lopsided.fit(TABLE, "fraud", drop=pd.Series([1.5, 2])),
            r"No column is called '1\.5'",
        ),
        (
            lambda: TableCleaner(types=pd.Series([1.0])).fit(TABLE),
            r"types must say .* got Series\(\[1\.0\]\)",
        ),
        (
            lambda: lopsided.MultiPositiveClassifier(pd.Series([1.0])).fit(X, Y),
            r"estimator must be a classifier .* got Series\(\[1\.0\]\)",
        ),
        (
            lambda: lopsided.datasets.make_claims(60, labeled=1.0),
            "labeled must be a number from 0 to below 1, got 1.0",
        ),
        (
            lambda: lopsided.datasets.make_claims(60, labeled=np.array([1.0, 2.0])),
            "labeled must be a number from 0 to below 1, got ndarray",
        ),
        (lambda: blind_recall(Y, SCORES, 5, rivals=0.5), "rivals must be scores by name"),
        (
            lambda: nnpu(clamp=pd.Series([1, 2])).set_params(clamp__beta=1),
            r"must have parameters, got Series\(\[1, 2\]\): 'beta'",
        ),
    ],
)
def test_an_odd_argument_is_refused_in_one_sentence(call, message):
    with pytest.raises(ValueError, match=message) as caught:
        call()
    said = str(caught.value)
    assert "\n" not in said
    assert len(said) < 400


def test_a_share_of_the_rows_is_one_row_at_the_least():
    assert metrics.pu_lift_at_k(Y, SCORES, k=1e-320) == metrics.pu_lift_at_k(Y, SCORES, k=1)


@pytest.mark.parametrize("scenario", ["one-sample", "two-sample"])
def test_a_last_place_is_worth_nothing_whatever_it_weighs(scenario):
    weight = np.array([1e-9, 1e-9, 1.0, 1.0])
    for metric in (metrics.pu_mean_log_rank, metrics.pu_damped_log_rank):
        given = {"scenario": scenario, "sample_weight": weight}
        assert metric([1, 1, 0, 0], [0.0, 0.0, 1.0, 1.0], **given) >= 0


def test_a_difference_lies_within_its_interval_where_ties_break_counts():
    rng = np.random.default_rng(1)
    for _ in range(40):
        y = (rng.random(40) < 0.4).astype(int)
        y[:2] = 1, 0
        ours, theirs = rng.integers(0, 2, (2, 40))
        found = blind_recall(
            y, ours, int((y == 0).sum()) // 2, rivals={"a": theirs}, level=0.05
        )
        (rival,) = found.rivals
        assert rival.low <= rival.difference <= rival.high


def test_numbers_of_any_kind_are_settings_of_a_loss():
    margin = np.linspace(-3, 3, 7)
    for made, plain in (
        (FocalLoss(np.array(2, dtype=object)[()]), FocalLoss(2.0)),
        (CalibratedFocalLoss(5, np.int64(3)), CalibratedFocalLoss(5.0, 3.0)),
    ):
        for name in ("value", "gradient", "hessian", "log_odds"):
            np.testing.assert_allclose(
                getattr(made, name)(margin), getattr(plain, name)(margin)
            )
