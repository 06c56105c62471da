"""A plain network of fully connected layers."""

from collections.abc import Sequence
from itertools import pairwise
from math import sqrt

import torch
from torch import nn

__all__ = ["MLP"]


class MLP(nn.Module):
    """Linear layers without bias, each normalized over the batch and rectified; then one score.

    Parameters
    ----------
    n_inputs : int
        Number of inputs.
    hidden_layer_sizes : sequence of int
        Units of each hidden layer.
    start : float
        Where the score of every row starts, the bias of the last layer.
    generator : torch.Generator
        Source of the starting weights: normal with variance 1 over the number of inputs.

    References
    ----------
    Kiryo, Niu, du Plessis, Sugiyama. NeurIPS 2017: four hidden layers of 300 units.
    """

    def __init__(
        self,
        n_inputs: int,
        hidden_layer_sizes: Sequence[int],
        start: float,
        generator: torch.Generator,
    ) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        with torch.random.fork_rng(devices=[]):  # layers draw weights at birth, replaced below
            for before, after in pairwise((n_inputs, *hidden_layer_sizes)):
                layers += [nn.Linear(before, after, bias=False), nn.BatchNorm1d(after)]
                layers.append(nn.ReLU())
            last = nn.Linear((n_inputs, *hidden_layer_sizes)[-1], 1)
            layers.append(last)
        self.layers = nn.Sequential(*layers)
        for layer in layers:
            if isinstance(layer, nn.Linear):
                spread = 1 / sqrt(max(layer.in_features, 1))
                nn.init.normal_(layer.weight, std=spread, generator=generator)
        nn.init.constant_(last.bias, start)

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        """Return one score per row."""
        return self.layers(X).squeeze(-1)
