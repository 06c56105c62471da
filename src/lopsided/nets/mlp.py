"""A plain network of fully connected layers."""

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import nn


def linear(
    n_inputs: int, n_outputs: int, generator: torch.Generator, bias: bool = True
) -> nn.Linear:
    """Return a linear layer, its weights of variance 1 over the number of inputs, no shift."""
    # Not nn.Linear(...): it would draw weights from torch's own source, seen by everyone.
    layer = nn.utils.skip_init(nn.Linear, n_inputs, n_outputs, bias=bias)
    nn.init.normal_(layer.weight, std=max(n_inputs, 1) ** -0.5, generator=generator)
    if bias:
        nn.init.zeros_(layer.bias)
    return layer


class MLP(nn.Module):
    """Linear layers without bias, each normalized over the batch and rectified; then one score.

    The score of every row starts at `start`, the bias of the last layer. Kiryo et al. (NeurIPS
    2017) have four hidden layers of 300 units.
    """

    def __init__(
        self,
        n_inputs: int,
        hidden_layer_sizes: Sequence[int],
        start: float,
        generator: torch.Generator,
    ) -> None:
        super().__init__()
        sizes = (n_inputs, *hidden_layer_sizes)
        layers: list[nn.Module] = []
        for before, after in pairwise(sizes):
            layers.append(linear(before, after, generator, bias=False))
            layers += [nn.BatchNorm1d(after), nn.ReLU()]
        last = linear(sizes[-1], 1, generator)
        nn.init.constant_(last.bias, start)
        self.layers = nn.Sequential(*layers, last)

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        """Return one score per row."""
        return self.layers(X).squeeze(-1)
