"""Two small nets, one for who is positive and one for who gets labeled, trained in turns."""

from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
import torch
from torch import nn

from lopsided._math import positive_posterior, softplus
from lopsided._progress import Bar

__all__ = ["Rounds", "expect", "make_net", "maximize_step", "train_pair"]


@dataclass(frozen=True)
class Rounds:
    """How the two nets are trained.

    Parameters
    ----------
    n_warmup_steps : int
        Steps on the labels alone before the first round.
    n_rounds, n_steps : int
        Rounds of expectation and maximization, and steps in each.
    subset, fewest : float, int
        Share of the rows that a step looks at, and at least how many.
    keep : float
        Share of these rows, those with the least loss, that teach the classifier.
    learning_rate, weight_decay : float
        Of Adam.
    """

    n_warmup_steps: int = 100
    n_rounds: int = 20
    n_steps: int = 40
    subset: float = 0.1
    fewest: int = 64
    keep: float = 0.8
    learning_rate: float = 1e-3
    weight_decay: float = 0.01


def make_net(n_inputs: int, width: int, generator: torch.Generator) -> nn.Module:
    """Return a net of one hidden layer that gives one log-odds per row."""
    with torch.random.fork_rng(devices=[]):  # layers draw weights at birth, replaced below
        layers: list[nn.Module] = [nn.Linear(n_inputs, width), nn.Tanh()] if width else []
        layers.append(nn.Linear(width or n_inputs, 1))
    for layer in layers:
        if isinstance(layer, nn.Linear):
            bound = max(layer.in_features, 1) ** -0.5
            for values in layer.parameters():
                nn.init.uniform_(values, -bound, bound, generator=generator)
    return nn.Sequential(*layers, nn.Flatten(0))


def train_pair(
    classifier: nn.Module,
    propensity: nn.Module,
    X: torch.Tensor,
    y: torch.Tensor,
    weight: torch.Tensor,
    rounds: Rounds,
    rng: np.random.Generator,
) -> None:
    """Train both nets: a balanced warm-up on the labels, then rounds of EM."""
    labeled = (weight * y).sum() / weight.sum()
    balanced = weight * torch.where(y == 1, 1 - labeled, labeled)
    with Bar(2 + rounds.n_rounds, "LBE") as bar:
        for net in (classifier, propensity):
            optimizer = _adam(net, rounds)
            for _ in range(rounds.n_warmup_steps):
                _step(optimizer, (balanced * _costs(net(X), y)).mean())
            bar.advance()
        optimizers = _adam(classifier, rounds), _adam(propensity, rounds)
        size = min(len(y), max(rounds.fewest, ceil(rounds.subset * len(y))))
        for _ in range(rounds.n_rounds):
            q = expect(classifier, propensity, X, y)
            for _ in range(rounds.n_steps):
                rows = torch.as_tensor(rng.choice(len(y), size, replace=False), device=X.device)
                maximize_step(
                    (classifier, propensity),
                    optimizers,
                    X[rows],
                    y[rows],
                    q[rows],
                    weight[rows],
                    rounds.keep,
                )
            bar.advance()


def expect(
    classifier: nn.Module, propensity: nn.Module, X: torch.Tensor, y: torch.Tensor
) -> torch.Tensor:
    """Return the chance that each row is positive, given its label and both nets."""
    with torch.no_grad():
        return positive_posterior(y, classifier(X), propensity(X))


def maximize_step(
    nets: Any, optimizers: Any, X: Any, y: Any, q: Any, weight: Any, keep: float
) -> None:
    """Take one step of each net on some rows, given the chance that they are positive."""
    classifier, propensity = nets
    costs = _costs(classifier(X), q)
    # Large losses are taken for errors of q, and left out.
    least = torch.topk(costs.detach(), max(1, round(keep * len(costs))), largest=False).indices
    _step(optimizers[0], (weight * costs)[least].mean())
    # Only positives say how they come to be labeled: weighed by q, not by 1 for every row.
    _step(optimizers[1], (weight * q * _costs(propensity(X), y)).mean())


def _costs(scores: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Return the logistic loss of each row, whose target may lie between 0 and 1."""
    return target * softplus(-scores) + (1 - target) * softplus(scores)


def _adam(net: nn.Module, rounds: Rounds) -> Any:
    return torch.optim.Adam(
        net.parameters(), lr=rounds.learning_rate, weight_decay=rounds.weight_decay
    )


def _step(optimizer: Any, cost: torch.Tensor) -> None:
    optimizer.zero_grad(set_to_none=True)
    cost.backward()
    optimizer.step()
