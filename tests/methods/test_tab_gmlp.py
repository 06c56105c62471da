import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import average_precision_score

torch = pytest.importorskip("torch")

import lopsided  # noqa: E402
import lopsided.nets.train  # noqa: E402
from lopsided.methods.tab_gmlp import TabGMLPClassifier  # noqa: E402
from lopsided.metrics import roc_auc  # noqa: E402
from lopsided.nets.train import scores_of  # noqa: E402
from lopsided.risks import naive  # noqa: E402

SMALL = {"depth": 1, "n_blocks": 1, "n_epochs": 3, "batch_size": 128, "random_state": 0}


def draw_table(n_rows=600, seed=0):
    """Rows are positive where two categories agree, the more so the larger a number is."""
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(n_rows, 2))
    kinds = rng.integers(0, 3, size=(n_rows, 2))
    pull = 1.5 * (kinds[:, 0] == kinds[:, 1]) + 0.5 * numbers[:, 0]
    truth = pull + 0.3 * rng.normal(size=n_rows) > 1.6
    frame = pd.DataFrame(numbers, columns=["a", "b"])
    frame["one"] = pd.Categorical.from_codes(kinds[:, 0], list("xyz"))
    frame["two"] = pd.Categorical.from_codes(kinds[:, 1], list("uvw"))
    return frame, (truth & (rng.random(n_rows) < 0.5)).astype(int), truth


TABLE, Y, TRUTH = draw_table()


def fit(X=TABLE, y=Y, weight=None, **settings):
    model = TabGMLPClassifier(**{"prior": 0.25, **SMALL, **settings})
    return model.fit(X, y, sample_weight=weight)


@pytest.mark.parametrize("tokenizer", ["columns", "scalars"])
def test_an_interaction_of_categories_is_learned(tokenizer):
    rate = 1e-2 if tokenizer == "columns" else 3e-3
    model = fit(tokenizer=tokenizer, n_epochs=20, learning_rate=rate)
    frame, _, truth = draw_table(seed=1)
    assert roc_auc(truth, model.decision_function(frame)) > 0.8


def test_the_registry_knows_it_with_the_calibrated_loss():
    model = lopsided.build("ifpu-tabgmlp", prior=0.25, **SMALL).fit(TABLE, Y)
    assert_allclose(model.decision_function(TABLE), fit().decision_function(TABLE))
    assert model.risk_.loss.hard == 5


@pytest.mark.parametrize(
    "settings", [{}, {"patience": 1}, {"n_estimators": 2}, {"patience": 1, "n_estimators": 2}]
)
def test_the_same_seed_gives_the_same_scores_and_torch_is_left_alone(settings):
    torch.manual_seed(7)
    state = torch.get_rng_state()
    first = fit(**settings).decision_function(TABLE)
    torch.manual_seed(8)
    second = fit(**settings).decision_function(TABLE)
    torch.manual_seed(7)
    other = fit(**settings, random_state=1).decision_function(TABLE)
    assert (first == second).all()
    assert not np.isclose(first, other).any()
    assert torch.equal(torch.get_rng_state(), state)


def test_a_row_alone_scores_as_in_a_table():
    model = fit()
    scores = model.decision_function(TABLE)
    alone = [model.decision_function(TABLE.iloc[[i]])[0] for i in range(5)]
    assert_allclose(alone, scores[:5], rtol=1e-9)


def test_an_unseen_category_scores_like_a_missing_one():
    model = fit()
    unseen, missing = TABLE.copy(), TABLE.copy()
    unseen["one"] = pd.Categorical(["new"] * len(TABLE))
    missing["one"] = pd.Categorical([None] * len(TABLE), categories=list("xyz"))
    with pytest.warns(UserWarning, match="'one'"):
        scores = model.decision_function(unseen)
    assert (scores == model.decision_function(missing)).all()
    assert (scores != model.decision_function(TABLE)).all()


@pytest.mark.parametrize("columns", [["a", "b"], ["one", "two"], ["a"], ["one"]])
@pytest.mark.parametrize("tokenizer", ["columns", "scalars"])
def test_tables_of_one_kind_of_column_are_read(columns, tokenizer):
    model = fit(TABLE[columns], tokenizer=tokenizer)
    assert np.isfinite(model.decision_function(TABLE[columns])).all()


def test_missing_numbers_get_a_flag():
    frame = TABLE.copy()
    frame.loc[TRUTH, "b"] = np.nan  # what is missing tells
    model = fit(frame, n_epochs=10, learning_rate=1e-2)
    assert model.encoder_.n_numbers == 3
    assert roc_auc(TRUTH, model.decision_function(frame)) > 0.95


def test_several_nets_are_averaged():
    model = fit(n_estimators=3)
    inputs = model.encoder_.transform(np.column_stack([TABLE[["a", "b"]], *codes()]))
    each = [scores_of(net, inputs) for net in model.nets_]
    assert not np.isclose(each[0], each[1]).any()
    expected = model.risk_.log_odds(np.mean(each, axis=0), 0.25)
    assert_allclose(model.decision_function(TABLE), expected)
    alone = scores_of(fit(n_estimators=1).nets_[0], inputs)
    assert (alone == each[0]).all()  # more nets do not change the first


def codes():
    return [TABLE[name].cat.codes.to_numpy(float) for name in ("one", "two")]


@pytest.fixture
def runs(monkeypatch):
    """Every call of `train`, as (rows, held-out rows or None, epoch to stop at, result)."""
    seen = []
    train = lopsided.nets.train.train

    def spy(nets, risk, rows, prior, schedule, rng, validation=None, stop=None, label=""):
        kept = train(nets, risk, rows, prior, schedule, rng, validation, stop, label)
        seen.append((rows, None if validation is None else validation[1], stop, kept))
        return kept

    monkeypatch.setattr(lopsided.nets.train, "train", spy)
    return seen


def test_time_ordered_validation_holds_out_the_last_rows_then_trains_on_all(runs):
    frame = TABLE.assign(a=np.arange(600.0))  # its order shows which rows came
    model = fit(frame, patience=1, validation="last", n_epochs=6, learning_rate=0.05)
    (rows, held_out, _, kept), (everything, nothing, stop, _) = runs
    assert len(rows.y) == 480
    assert (rows.y == Y[:480]).all()
    assert (held_out.y == Y[480:]).all()
    # The ends of the column are those of the training rows, and all held-out rows lie beyond.
    assert np.ptp(held_out.X[:, 0]) == 0
    assert (everything.y == Y).all()
    assert nothing is None
    assert kept == stop == model.n_epochs_


def test_several_nets_share_the_epochs_that_suit_their_mean_score(monkeypatch):
    validated = []
    mean_scores = lopsided.nets.train.mean_scores

    def spy(nets, X):
        scores = mean_scores(nets, X)
        assert_allclose(scores, np.mean([scores_of(net, X) for net in nets], axis=0))
        validated.append((len(nets), average_precision_score(Y[480:], scores)))
        return scores

    monkeypatch.setattr(lopsided.nets.train, "mean_scores", spy)
    settings = {"n_epochs": 12, "learning_rate": 0.02, "validation": "last"}
    model = fit(n_estimators=3, patience=4, **settings)
    n_nets, precisions = zip(*validated, strict=True)
    assert set(n_nets) == {3}
    assert model.n_epochs_ == np.argmax(precisions) + 1
    assert len(precisions) == min(model.n_epochs_ + 4, 12)
    assert len(model.nets_) == 3


def test_the_nets_that_are_kept_are_those_of_the_best_epoch(monkeypatch):
    """They are the nets of a run over all epochs, as they were after the best one."""
    at_epoch = []
    step = torch.optim.lr_scheduler.CosineAnnealingLR.step

    def spy(scheduler, *given):
        step(scheduler, *given)
        group = scheduler.optimizer.param_groups[0]["params"]
        at_epoch.append([weights.detach().clone() for weights in group])

    settings = {"n_epochs": 12, "learning_rate": 0.02, "random_state": 3}
    best = fit(patience=3, validation="last", **settings)
    assert best.n_epochs_ < 12
    monkeypatch.setattr(torch.optim.lr_scheduler.CosineAnnealingLR, "step", spy)
    fit(**settings)
    there = at_epoch[best.n_epochs_ - 12 - 1]  # the last is that of epoch 12
    kept = [weights.float() for weights in best.nets_[0].parameters()]
    assert all(map(torch.equal, kept, there))


def test_random_validation_holds_out_labels_by_their_share(runs):
    fit(patience=1)
    rows, held_out, *_ = runs[0]
    assert len(held_out.y) == 120
    assert abs(held_out.y.sum() - 0.2 * Y.sum()) <= 1
    assert len(rows.y) == 480
    assert (held_out.y != Y[480:]).any()


def test_labels_that_are_too_few_are_not_held_out(runs):
    few = Y.copy()
    few[np.flatnonzero(Y)[15:]] = 0
    with pytest.warns(UserWarning, match="4 labeled"):
        fit(y=few, patience=1)
    early = Y.copy()
    early[480:] = 0
    with pytest.warns(UserWarning, match="4 labeled"):
        fit(y=early, patience=1, validation="last")
    fit(patience=None)
    assert [held_out for _, held_out, *_ in runs] == [None] * 3
    assert [kept for *_, kept in runs] == [3] * 3


def test_weights_are_taken_along_into_early_stopping():
    model = fit(
        risk=naive(),
        prior="auto",
        weight=np.where(TABLE["a"] > 0, 2.0, 1.0),
        patience=2,
        n_epochs=10,
        learning_rate=1e-2,
    )
    assert roc_auc(TRUTH, model.decision_function(TABLE)) > 0.75


def test_a_risk_without_prior_needs_none():
    assert np.isfinite(fit(prior="auto", risk=naive()).decision_function(TABLE)).all()
