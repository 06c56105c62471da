"""Tokens that see each other through a gate, without attention: the gMLP block.

Tokens come first, rows second: tensors have the shape (n_tokens, n_rows, width), so that the
gate of all rows is one product of matrices.
"""

import torch
from torch import nn
from torch.nn import functional as F

from lopsided.nets.layers import linear

__all__ = ["GMLPBlock", "SpatialGate"]


class SpatialGate(nn.Module):
    r"""Half of each token, times what the other half is told by all tokens.

    .. math:: Z_1 \odot (W\, \mathrm{LN}(Z_2) + b)

    with W along the axis of tokens. It starts near 0 and b at 1, so that at the start every
    token minds its own business.

    Parameters
    ----------
    n_tokens : int
        Number of tokens.
    inner : int
        Size of each half.
    generator : torch.Generator
        Source of the starting weights.
    """

    def __init__(self, n_tokens: int, inner: int, generator: torch.Generator) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(inner)
        self.weight = nn.Parameter(torch.empty(n_tokens, n_tokens))
        self.bias = nn.Parameter(torch.ones(n_tokens))
        bound = 1e-3 / n_tokens
        nn.init.uniform_(self.weight, -bound, bound, generator=generator)

    def forward(self, u: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        """Return the first half of each token, gated."""
        gates = torch.addmm(self.bias[:, None], self.weight, self.norm(v).flatten(1))
        return u * gates.view(u.shape)


class GMLPBlock(nn.Module):
    r"""A residual block with a spatial gate: :math:`X + s(\mathrm{GELU}(\mathrm{LN}(X) U)) V`.

    Parameters
    ----------
    n_tokens : int
        Number of tokens.
    width : int
        Size of a token.
    inner : int
        Size of each of the two halves inside.
    generator : torch.Generator
        Source of the starting weights.

    References
    ----------
    Liu, Dai, So, Le: Pay attention to MLPs. NeurIPS 2021.
    """

    def __init__(
        self, n_tokens: int, width: int, inner: int, generator: torch.Generator
    ) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        # U in two halves: neither has to be cut out and copied.
        self.proj_u = linear(width, inner, generator, bias=False)
        self.proj_v = linear(width, inner, generator, bias=False)
        self.gate = SpatialGate(n_tokens, inner, generator)
        self.narrow = linear(inner, width, generator, bias=False)

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        """Return the tokens after the block."""
        Z = self.norm(X)
        return X + self.narrow(self.gate(F.gelu(self.proj_u(Z)), F.gelu(self.proj_v(Z))))
