import numpy as np
import pandas as pd
import pytest

torch = pytest.importorskip("torch")

import lopsided  # noqa: E402
from lopsided.methods.mlp import NeuralRiskClassifier  # noqa: E402
from lopsided.metrics import roc_auc  # noqa: E402
from lopsided.risks import naive  # noqa: E402

NETS = ("ifpu-mlp", "upu-mlp", "nnpu-mlp", "imbnnpu-mlp")
SMALL = {"hidden_layer_sizes": (30, 30), "n_steps": 150, "random_state": 0}


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 6)) * [1, 100, 0.01, 1, 1, 1] + [0, 50, 0, 0, 0, 0]
    truth = X[:, 0] + (X[:, 1] - 50) / 100 + 0.3 * rng.normal(size=600) > 2
    return X, (truth & (rng.random(600) < 0.5)).astype(int), truth


@pytest.mark.parametrize("name", NETS)
def test_nets_learn(table, name):
    X, y, truth = table
    model = lopsided.build(name, prior=truth.mean(), **SMALL).fit(X, y)
    hidden = y == 0
    # The sigmoid loss is slow where positives are rare: its slope fades on both sides.
    least = 0.75 if name in ("upu-mlp", "nnpu-mlp") else 0.9
    assert roc_auc(truth[hidden], model.decision_function(X)[hidden]) > least


@pytest.mark.parametrize("name", NETS)
def test_the_scale_of_columns_does_not_matter(table, name):
    X, y, _ = table
    settings = {**SMALL, "n_steps": 40}
    scores = [
        lopsided.build(name, prior=0.1, **settings).fit(part, y).decision_function(part)
        for part in (X, X * 1000 - 5)
    ]
    assert np.corrcoef(scores)[0, 1] > 0.99


def test_missing_values_and_categories_are_read(table):
    X, y, truth = table
    frame = pd.DataFrame(X.copy(), columns=list("abcdef"))
    frame["kind"] = pd.Categorical(np.where(X[:, 0] > 1, "high", "low"))
    frame.loc[X[:, 0] > 1.2, "a"] = np.nan  # what is missing tells
    model = lopsided.build("ifpu-mlp", prior=0.1, **SMALL).fit(frame, y)
    assert model.encoder_.n_columns == 6 + 1 + 2
    assert roc_auc(truth, model.decision_function(frame)) > 0.9


def test_early_stopping_holds_rows_out_unless_labels_are_few(table):
    X, y, _ = table
    settings = {**SMALL, "n_steps": 3000, "learning_rate": 0.02, "risk": naive()}
    model = NeuralRiskClassifier(patience=5, **settings).fit(X, y)
    assert model.n_epochs_ < 300
    few = np.zeros_like(y)
    few[np.flatnonzero(y)[:15]] = 1  # three of them would be held out
    settings["n_steps"] = 30
    with pytest.warns(UserWarning, match="4 labeled"):
        assert NeuralRiskClassifier(patience=1, **settings).fit(X, few).n_epochs_ == 10


def test_any_number_of_threads_gives_nearly_the_same_scores(table):
    X, y, _ = table
    one, two = (
        lopsided.build("ifpu-mlp", prior=0.1, n_jobs=n, **SMALL).fit(X, y).decision_function(X)
        for n in (1, 2)
    )
    assert np.corrcoef(one, two)[0, 1] > 0.999
