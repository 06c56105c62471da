"""Layers whose weights are drawn from a generator of their own."""

import torch
from torch import nn

__all__ = ["draw_vectors", "linear"]


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


def draw_vectors(n_vectors: int, width: int, generator: torch.Generator) -> nn.Parameter:
    """Return vectors to be learned, of length about 1."""
    return nn.Parameter(torch.randn(n_vectors, width, generator=generator) / width**0.5)
