import numpy as np
import pytest
from numpy.testing import assert_allclose

torch = pytest.importorskip("torch")

import lopsided  # noqa: E402
from lopsided.methods.lbe import LBEClassifier  # noqa: E402
from lopsided.nets.lbe import expect, make_net, maximize_step, train_pair  # noqa: E402


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def draw(n, seed=0):
    """A table from the model itself: f and e on columns of their own."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    f = sigmoid(3.0 * X[:, 0] + 2.0 * X[:, 1] - 1.5)
    e = sigmoid(2.0 * X[:, 2] - 1.5 * X[:, 3])
    truth = rng.random(n) < f
    return X, (truth & (rng.random(n) < e)).astype(int), f, e


def test_both_nets_are_recovered_from_their_own_data():
    X, y, f, e = draw(5_000)
    # Without a hidden layer, as the data were made; a wider net can tell the two apart less.
    whole = {"width": 0, "keep_fraction": 1.0, "weight_decay": 0.0}
    # Long steps on a few rows, so that few of them do.
    steps = {"n_rounds": 30, "n_steps": 20, "batch_fraction": 0.2, "learning_rate": 0.01}
    model = LBEClassifier(**whole, **steps, random_state=0).fit(X, y)
    assert np.corrcoef(model.predict_proba(X)[:, 1], f)[0, 1] > 0.9
    assert np.corrcoef(model.predict_propensity(X), e)[0, 1] > 0.9


def test_the_expectation_is_bayes_rule():
    generator = torch.Generator().manual_seed(0)
    nets = [make_net(3, 5, generator).double() for _ in range(2)]
    X = torch.randn(20, 3, generator=generator, dtype=torch.float64)
    y = torch.tensor([1.0] * 5 + [0.0] * 15, dtype=torch.float64)
    h, eta = (sigmoid(net(X).detach().numpy()) for net in nets)
    hidden = h * (1 - eta) / (h * (1 - eta) + 1 - h)
    assert_allclose(expect(nets, X, y), np.where(y == 1, 1, hidden))


class Fixed(torch.nn.Module):
    """One score for each row of a batch, free to move."""

    def __init__(self, scores):
        super().__init__()
        self.scores = torch.nn.Parameter(torch.tensor(scores, dtype=torch.float64))

    def forward(self, X):
        return self.scores


def test_a_step_leaves_out_large_losses_and_weighs_labels_by_the_posterior():
    scores, others = [2.0, -1.0, 0.5, 1.0], [0.3, -0.2, 1.0, 0.0]
    nets = Fixed(scores), Fixed(others)
    optimizers = [torch.optim.SGD(net.parameters(), lr=1.0) for net in nets]
    q = torch.tensor([1.0, 0.2, 0.5, 0.0], dtype=torch.float64)
    y = torch.tensor([1.0, 0, 0, 0], dtype=torch.float64)
    ones = torch.ones(4, dtype=torch.float64)
    maximize_step(nets, optimizers, None, y, q, ones, keep_fraction=0.75)
    # The last row has the largest loss, log(1 + e): it does not teach the classifier.
    step = (sigmoid(np.array(scores)) - q.numpy()) / 3 * [1, 1, 1, 0]
    assert_allclose(nets[0].scores.detach(), scores - step)
    step = q.numpy() * (sigmoid(np.array(others)) - y.numpy()) / 4
    assert_allclose(nets[1].scores.detach(), others - step)
    assert step[-1] == 0  # a sure negative says nothing about labeling


def test_both_nets_start_as_balanced_classifiers_of_the_labels():
    X, y, _, _ = draw(1000)
    tensors = [torch.as_tensor(part, dtype=torch.float32) for part in (X, y, np.ones(1000))]
    generator = torch.Generator().manual_seed(0)
    nets = [make_net(4, 0, generator) for _ in range(2)]
    warm_up = {"n_warmup_steps": 400, "learning_rate": 0.1, "weight_decay": 0.0}
    nothing_else = {"n_rounds": 0, "n_steps": 0, "batch_fraction": 0.1, "keep_fraction": 1.0}
    train_pair(nets, *tensors, np.random.default_rng(0), **warm_up, **nothing_else)
    from sklearn.linear_model import LogisticRegression

    rival = LogisticRegression(C=1e6, class_weight="balanced").fit(X, y).decision_function(X)
    for net in nets:
        assert_allclose(net(tensors[0]).detach(), rival, atol=0.05)


def test_the_same_seed_gives_the_same_scores():
    X, y, _, _ = draw(300)
    models = [lopsided.build("lbe", n_rounds=3, random_state=4).fit(X, y) for _ in range(2)]
    assert (models[0].decision_function(X) == models[1].decision_function(X)).all()
