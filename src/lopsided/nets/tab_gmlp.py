"""A transformer over the categories of a row, then gMLP blocks over all it knows."""

from collections.abc import Sequence

import torch
from torch import nn

from lopsided._check import check_choice
from lopsided.nets.gmlp import GMLPBlock
from lopsided.nets.layers import draw_vectors, linear
from lopsided.nets.tab_transformer import TabTransformer

__all__ = ["TOKENIZERS", "ColumnTokens", "ScalarTokens", "TabGMLP"]

_WIDTH = 32  # of a token
_INNER = 16  # of each half in a block


class ColumnTokens(nn.Module):
    """A token for each column: those of the categories, and one for each number.

    The token of column j with value x is x times a vector plus another, both of the column.
    """

    def __init__(self, n_numbers: int, n_categories: int, generator: torch.Generator) -> None:
        super().__init__()
        self.n_tokens = n_categories + n_numbers
        self.slopes = draw_vectors(n_numbers, _WIDTH, generator)
        self.shifts = draw_vectors(n_numbers, _WIDTH, generator)

    def forward(self, numbers: torch.Tensor, categories: torch.Tensor) -> torch.Tensor:
        """Return all tokens of rows."""
        tokens = torch.addcmul(self.shifts[:, None], numbers.T[..., None], self.slopes[:, None])
        return torch.cat([categories, tokens])


class ScalarTokens(nn.Module):
    """A token for each scalar: of the categories' tokens, laid side by side, and the numbers.

    All scalars go through one linear layer of one input. The numbers of a row are normalized
    before.

    References
    ----------
    Cholakov, Kolev: The GatedTabTransformer. 2022.
    """

    def __init__(self, n_numbers: int, n_categories: int, generator: torch.Generator) -> None:
        super().__init__()
        self.n_tokens = n_categories * _WIDTH + n_numbers
        # Of one number a norm leaves nothing, of two no more than a sign.
        self.norm = nn.LayerNorm(n_numbers) if n_numbers > 2 else nn.Identity()
        self.widen = linear(1, _WIDTH, generator)

    def forward(self, numbers: torch.Tensor, categories: torch.Tensor) -> torch.Tensor:
        """Return all tokens of rows."""
        laid_out = categories.transpose(1, 2).flatten(0, 1)
        scalars = torch.cat([laid_out, self.norm(numbers).T])
        return self.widen(scalars[..., None])


TOKENIZERS: dict[str, type[ColumnTokens] | type[ScalarTokens]] = {
    "columns": ColumnTokens,
    "scalars": ScalarTokens,
}


class TabGMLP(nn.Module):
    """Categories in context joined with numbers, gMLP blocks over the tokens, one score.

    Parameters
    ----------
    n_numbers : int
        Number of columns of numbers, which come first.
    levels : sequence of int
        The number of levels of each category column; these follow, as ids from 0, the number
        of levels for a missing value.
    start : float
        Where the score of every row starts, the bias of the last layer.
    generator : torch.Generator
        Source of the starting weights.
    tokenizer : {"columns", "scalars"}, default="columns"
        What a token is.
    depth : int, default=2
        Layers of the transformer.
    n_blocks : int, default=4
        Blocks of the gMLP.

    References
    ----------
    Huang et al. 2020. Liu et al. NeurIPS 2021. Cholakov, Kolev 2022.
    """

    rows_at_once = 1024  # many tokens for each: more would not fit into a cache

    def __init__(
        self,
        n_numbers: int,
        levels: Sequence[int],
        start: float,
        generator: torch.Generator,
        tokenizer: str = "columns",
        depth: int = 2,
        n_blocks: int = 4,
    ) -> None:
        super().__init__()
        check_choice(tokenizer, TOKENIZERS, "tokenizer")
        self.n_numbers = n_numbers
        self.categories = TabTransformer(levels, depth, generator, _WIDTH) if levels else None
        self.tokens = TOKENIZERS[tokenizer](n_numbers, len(levels), generator)
        n_tokens = self.tokens.n_tokens
        blocks = [GMLPBlock(n_tokens, _WIDTH, _INNER, generator) for _ in range(n_blocks)]
        self.blocks = nn.Sequential(*blocks)
        self.norm = nn.LayerNorm(_WIDTH)
        self.last = linear(_WIDTH, 1, generator)
        nn.init.constant_(self.last.bias, start)

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        """Return one score per row."""
        numbers, ids = X[:, : self.n_numbers], X[:, self.n_numbers :].long()
        if self.categories is None:
            categories = X.new_zeros(0, len(X), _WIDTH)
        else:
            categories = self.categories(ids)
        tokens = self.blocks(self.tokens(numbers, categories))
        return self.last(self.norm(tokens).mean(dim=0)).squeeze(-1)
