"""DevNet: scores of labeled rows lie far from those that a normal distribution would draw.

Pang, Shen, van den Hengel: Deep anomaly detection with deviation networks. KDD 2019.
"""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any, NamedTuple

import torch
from torch import nn

from lopsided._progress import Bar
from lopsided.nets.one_layer import OneLayerNet, PoolSampler

_N_REFERENCE = 5000  # draws of the normal distribution
_HIDDEN_DECAY = 0.01  # times the sum of squares of the hidden layer's weights
_CLIP = 1.0  # the longest gradient of a step


class Reference(NamedTuple):
    """The mean and the deviation of scores drawn from a standard normal distribution."""

    mean: float
    std: float

    @classmethod
    def draw(cls, generator: torch.Generator) -> "Reference":
        """Return those of a sample."""
        drawn = torch.randn(_N_REFERENCE, generator=generator, dtype=torch.float64)
        return cls(float(drawn.mean()), float(drawn.std(correction=0)))

    def deviation(self, scores: Any) -> Any:
        """Return how many standard deviations scores lie above the mean."""
        return (scores - self.mean) / self.std


def deviation_loss(deviation: torch.Tensor, y: torch.Tensor, margin: float) -> torch.Tensor:
    """Return the loss of each row: unlabeled ones shall be at 0, labeled ones past the margin.

    `(1 - y) * |deviation| + y * max(0, margin - deviation)`.
    """
    return (1 - y) * deviation.abs() + y * (margin - deviation).clamp(min=0)


def train_deviation(
    net: OneLayerNet,
    X: torch.Tensor,
    pools: Sequence[PoolSampler],
    generator: torch.Generator,
    *,
    margin: float,
    n_epochs: int,
    n_batches: int,
    batch_size: int,
    learning_rate: float,
) -> Reference:
    """Train a net on batches, half of them from each pool: unlabeled rows and labeled ones.

    The weights are those after the epoch with the least mean loss. Returns the reference that
    deviations are measured by.
    """
    reference = Reference.draw(generator)
    sizes = batch_size - batch_size // 2, batch_size // 2
    y = torch.cat([torch.full((n,), float(label)) for label, n in enumerate(sizes)])
    y = y.to(X.device)
    optimizer = torch.optim.RMSprop(net.parameters(), lr=learning_rate, alpha=0.9, eps=1e-7)
    least, best = float("inf"), deepcopy(net.state_dict())
    with Bar(n_epochs, "DevNet") as bar:
        for _ in range(n_epochs):
            drawn = [
                pool.draw((n_batches, size), generator)
                for pool, size in zip(pools, sizes, strict=True)
            ]
            total = 0.0
            for rows in torch.cat(drawn, dim=1).to(X.device):
                costs = deviation_loss(reference.deviation(net(X[rows])), y, margin)
                cost = costs.mean() + _HIDDEN_DECAY * net.hidden.weight.square().sum()
                optimizer.zero_grad(set_to_none=True)
                cost.backward()
                nn.utils.clip_grad_norm_(net.parameters(), _CLIP)
                optimizer.step()
                total += float(cost.detach())
            if total < least:
                least, best = total, deepcopy(net.state_dict())
            bar.advance()
    net.load_state_dict(best)
    return reference
