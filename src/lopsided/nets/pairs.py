"""PReNet: a net that learns of two rows how many of them are labeled.

Pang, Shen, Jin, van den Hengel: Deep weakly-supervised anomaly detection. KDD 2023.
"""

from collections.abc import Sequence

import torch
from torch import nn

from lopsided._progress import Bar
from lopsided.nets.one_layer import OneLayerNet, PoolSampler


class PairNet(nn.Module):
    """One hidden layer for both rows of a pair, and one score for what they give together."""

    def __init__(self, n_inputs: int, width: int, generator: torch.Generator) -> None:
        super().__init__()
        self.hidden = nn.utils.skip_init(nn.Linear, n_inputs, width)
        self.output = nn.utils.skip_init(nn.Linear, 2 * width, 1)
        for layer in (self.hidden, self.output):  # as torch's own layers start
            bound = max(layer.in_features, 1) ** -0.5
            for values in layer.parameters():
                nn.init.uniform_(values, -bound, bound, generator=generator)

    def forward(self, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        """Return one score per pair."""
        parts = [torch.relu(self.hidden(rows)) for rows in (left, right)]
        return self.output(torch.cat(parts, dim=-1)).squeeze(-1)

    @torch.no_grad()
    def mean_over_pairs(self, X: torch.Tensor, weights: Sequence[torch.Tensor]) -> OneLayerNet:
        """Return a net that scores a row as the mean over all pairs that it can be in.

        A row is the right one beside a labeled row, and the left one beside an unlabeled row;
        the two means are added. The score of a pair is a sum over its rows, so that the
        partners only add a number: the mean over all of them costs nothing. `weights` are those
        of the unlabeled and of the labeled rows.
        """
        left, right = self.output.weight.view(2, -1)
        hidden = torch.relu(self.hidden(X))
        unlabeled, labeled = (weight @ hidden / weight.sum() for weight in weights)
        net = OneLayerNet(self.hidden.in_features, len(left), torch.Generator()).to(X)
        net.hidden.load_state_dict(self.hidden.state_dict())
        net.output.weight.copy_((left + right)[None])
        net.output.bias.copy_(labeled @ left + unlabeled @ right + 2 * self.output.bias)
        return net


def draw_pairs(
    pools: Sequence[PoolSampler], n_batches: int, batch_size: int, generator: torch.Generator
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the rows of pairs, left and right: of each batch half without a labeled row.

    A quarter has two labeled rows, a quarter a labeled one at the left; `count_labeled` tells
    which. The pools are those of unlabeled and of labeled rows.
    """
    quarter = batch_size // 4
    half = batch_size - 2 * quarter
    unlabeled, labeled = pools
    left = [labeled, labeled, unlabeled]
    right = [labeled, unlabeled, unlabeled]
    sides = []
    for side in (left, right):
        sizes = (quarter, quarter, half)
        drawn = [
            pool.draw((n_batches, size), generator)
            for pool, size in zip(side, sizes, strict=True)
        ]
        sides.append(torch.cat(drawn, dim=1))
    return sides[0], sides[1]


def count_labeled(batch_size: int) -> torch.Tensor:
    """Return how many labeled rows each pair of a batch has, in the order of `draw_pairs`."""
    quarter = batch_size // 4
    sizes = torch.tensor([quarter, quarter, batch_size - 2 * quarter])
    return torch.repeat_interleave(torch.tensor([2, 1, 0]), sizes)


def train_pairs(
    net: PairNet,
    X: torch.Tensor,
    pools: Sequence[PoolSampler],
    generator: torch.Generator,
    *,
    targets: Sequence[float],
    n_epochs: int,
    n_batches: int,
    batch_size: int,
    learning_rate: float,
    weight_decay: float,
) -> None:
    """Train a net on the absolute error of pairs; targets are those of 0, 1 and 2 labels."""
    target = torch.tensor(targets, dtype=X.dtype)[count_labeled(batch_size)].to(X.device)
    optimizer = torch.optim.RMSprop(
        net.parameters(), lr=learning_rate, weight_decay=weight_decay
    )
    with Bar(n_epochs, "PReNet") as bar:
        for _ in range(n_epochs):
            sides = draw_pairs(pools, n_batches, batch_size, generator)
            for left, right in zip(*(side.to(X.device) for side in sides), strict=True):
                cost = (net(X[left], X[right]) - target).abs().mean()
                optimizer.zero_grad(set_to_none=True)
                cost.backward()
                optimizer.step()
            bar.advance()
