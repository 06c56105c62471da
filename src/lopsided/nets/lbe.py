"""Two small nets, one for who is positive and one for who gets labeled, trained in turns."""

from collections.abc import Sequence
from math import ceil
from typing import Any

import numpy as np
import torch
from torch import nn

from lopsided._math import positive_posterior, softplus
from lopsided._progress import Bar

_MIN_BATCH = 64  # rows of a step


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
    nets: Sequence[nn.Module],
    X: torch.Tensor,
    labels: torch.Tensor,
    weight: torch.Tensor,
    rng: np.random.Generator,
    *,
    n_warmup_steps: int,
    n_rounds: int,
    n_steps: int,
    batch_fraction: float,
    keep_fraction: float,
    **options: float,
) -> None:
    """Train both nets, for the class and for the propensity: a warm-up, then rounds of EM.

    Settings are those of `LBEClassifier`; the options are Adam's.
    """
    y = labels.clamp(min=0)  # a reviewed negative is not labeled, and never thought positive
    labeled = (weight * y).sum() / weight.sum()
    balanced = weight * torch.where(y == 1, 1 - labeled, labeled)
    with Bar(2 + n_rounds, "LBE") as bar:
        for net in nets:
            optimizer = _adam(net, **options)
            for _ in range(n_warmup_steps):
                _step(optimizer, (balanced * _costs(net(X), y)).mean())
            bar.advance()
        optimizers = [_adam(net, **options) for net in nets]
        size = min(len(y), max(_MIN_BATCH, ceil(batch_fraction * len(y))))
        for _ in range(n_rounds):
            q = expect(nets, X, labels)
            for _ in range(n_steps):
                rows = torch.as_tensor(rng.choice(len(y), size, replace=False), device=X.device)
                batch = X[rows], y[rows], q[rows], weight[rows]
                maximize_step(nets, optimizers, *batch, keep_fraction)
            bar.advance()


def expect(nets: Sequence[nn.Module], X: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return how probably each row is positive, given its label and both nets."""
    classifier, propensity = nets
    with torch.no_grad():
        return positive_posterior(y, classifier(X), propensity(X))


def maximize_step(
    nets: Any, optimizers: Any, X: Any, y: Any, q: Any, weight: Any, keep_fraction: float
) -> None:
    """Take one step of each net on some rows, given how probably they are positive."""
    classifier, propensity = nets
    costs = _costs(classifier(X), q)
    # Large losses are taken for errors of q, and left out.
    n_kept = max(1, round(keep_fraction * len(costs)))
    least = torch.topk(costs.detach(), n_kept, largest=False).indices
    _step(optimizers[0], (weight * costs)[least].mean())
    # Only positives say how they come to be labeled: weighted by q, not by 1 for every row.
    _step(optimizers[1], (weight * q * _costs(propensity(X), y)).mean())


def _costs(scores: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Return the logistic loss of each row, whose target may lie between 0 and 1."""
    return target * softplus(-scores) + (1 - target) * softplus(scores)


def _adam(net: nn.Module, learning_rate: float, weight_decay: float) -> Any:
    return torch.optim.Adam(net.parameters(), lr=learning_rate, weight_decay=weight_decay)


def _step(optimizer: Any, cost: torch.Tensor) -> None:
    optimizer.zero_grad(set_to_none=True)
    cost.backward()
    optimizer.step()
