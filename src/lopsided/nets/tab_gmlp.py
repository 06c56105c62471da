"""A transformer over the categories of a row, then gMLP blocks over all it knows.

Tokens come first, rows second: tensors have the shape (n_tokens, n_rows, width), so that the
gate of all rows is one product of matrices. Starting weights come from the generators given.

Huang, Khetan, Cvitkovic, Karnin: TabTransformer. 2020. Liu, Dai, So, Le: Pay attention to MLPs.
NeurIPS 2021. Cholakov, Kolev: The GatedTabTransformer. 2022.
"""

from collections.abc import Sequence

import torch
from torch import nn
from torch.nn import functional as F

from lopsided._validation import check_choice
from lopsided.nets.mlp import linear

_WIDTH = 32  # of a token
_INNER = 16  # of each half in a block
_N_HEADS, _HEAD_WIDTH = 8, 16  # of the attention
_DROPOUT = 0.1
_FEW = 4  # tokens


def _draw_vectors(n_vectors: int, width: int, generator: torch.Generator) -> nn.Parameter:
    """Return vectors to be learned, of length about 1."""
    return nn.Parameter(torch.randn(n_vectors, width, generator=generator) / width**0.5)


class ColumnEmbedding(nn.Module):
    """One token for each category: a vector of its value beside a vector of its column.

    Each column has one id more than levels, the last, for a value that is missing or was not
    seen in training. Its vector starts at 0: in the middle of the others.
    """

    starts: torch.Tensor  # the first id of each column among the vectors of all

    def __init__(self, levels: Sequence[int], width: int, generator: torch.Generator) -> None:
        super().__init__()
        shared = width // 8
        ids = torch.tensor([n_levels + 1 for n_levels in levels], dtype=torch.long)
        ends = ids.cumsum(0)
        self.values = _draw_vectors(int(ids.sum()), width - shared, generator)
        self.columns = _draw_vectors(len(levels), shared, generator)
        self.register_buffer("starts", ends - ids)
        with torch.no_grad():
            self.values[ends - 1] = 0.0

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Return the tokens of rows, from ids of shape (n_rows, n_columns)."""
        # Not by indexing: its gradient adds up row after row, this one is fast.
        values = F.embedding((ids + self.starts).T, self.values)
        columns = self.columns[:, None].expand(-1, len(ids), -1)
        return torch.cat([values, columns], dim=-1)


class Attention(nn.Module):
    """Every token of a row asks all tokens of the row, with several heads."""

    def __init__(
        self,
        width: int,
        n_heads: int,
        head_width: int,
        dropout: float,
        generator: torch.Generator,
    ) -> None:
        super().__init__()
        self.n_heads, self.head_width, self.dropout = n_heads, head_width, dropout
        inner = n_heads * head_width
        self.qkv = linear(width, 3 * inner, generator, bias=False)
        self.out_proj = linear(inner, width, generator)

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        """Return what each token learns from the tokens of its row."""
        n_tokens, n_rows, _ = X.shape
        parts = self.qkv(X).view(n_tokens, n_rows, 3, self.n_heads, self.head_width)
        queries, keys, values = parts.unbind(2)
        attend = _attend_few if n_tokens <= _FEW else _attend
        found = attend(queries, keys, values, self.dropout if self.training else 0.0)
        return self.out_proj(found.reshape(n_tokens, n_rows, -1))


def _attend(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, dropout: float
) -> torch.Tensor:
    """Return the values that each query finds, tensors of (token, row, head, width)."""
    queries, keys, values = (part.permute(1, 2, 0, 3) for part in (queries, keys, values))
    found = F.scaled_dot_product_attention(queries, keys, values, dropout_p=dropout)
    return found.permute(2, 0, 1, 3)


def _attend_few(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, dropout: float
) -> torch.Tensor:
    """Do the same by hand: for few tokens faster than thousands of tiny matrix products."""
    matches = (queries[:, None] * keys).sum(dim=-1) / queries.shape[-1] ** 0.5
    shares = F.dropout(matches.softmax(dim=1), dropout)
    return (shares[..., None] * values).sum(dim=1)


class FeedForward(nn.Module):
    """Two linear layers with a gated GELU (Shazeer 2020) between them, for each token."""

    def __init__(
        self, width: int, inner: int, dropout: float, generator: torch.Generator
    ) -> None:
        super().__init__()
        self.widen = linear(width, 2 * inner, generator)
        self.dropout = nn.Dropout(dropout)
        self.narrow = linear(inner, width, generator)

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        """Return what each token makes of itself."""
        values, gates = self.widen(X).chunk(2, dim=-1)
        return self.narrow(self.dropout(values * F.gelu(gates)))


class TabTransformer(nn.Module):
    """Embed categories and let those of a row see each other: pre-norm transformer layers."""

    def __init__(self, levels: Sequence[int], depth: int, generator: torch.Generator) -> None:
        super().__init__()
        self.embed = ColumnEmbedding(levels, _WIDTH, generator)
        layers: list[nn.Module] = []
        for _ in range(depth):
            attention = Attention(_WIDTH, _N_HEADS, _HEAD_WIDTH, _DROPOUT, generator)
            layers.append(nn.Sequential(nn.LayerNorm(_WIDTH), attention))
            forward = FeedForward(_WIDTH, 4 * _WIDTH, _DROPOUT, generator)
            layers.append(nn.Sequential(nn.LayerNorm(_WIDTH), forward))
        self.layers = nn.ModuleList(layers)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Return the tokens of rows in context, from ids of shape (n_rows, n_columns)."""
        X = self.embed(ids)
        for layer in self.layers:
            X = X + layer(X)
        return X


class SpatialGate(nn.Module):
    r"""Half of each token, times what the other half is told by all tokens.

    .. math:: Z_1 \odot (W\, \mathrm{LN}(Z_2) + b)

    with W along the axis of tokens. It starts near 0 and b at 1, so that at the start every
    token minds its own business.
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
    r"""A residual block with a gate: :math:`X + s(\mathrm{GELU}(\mathrm{LN}(X) U)) V`."""

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


class ColumnTokens(nn.Module):
    """A token for each column: those of the categories, and one for each number.

    The token of column j with value x is x times a vector plus another, both of the column.
    """

    def __init__(self, n_numbers: int, n_categories: int, generator: torch.Generator) -> None:
        super().__init__()
        self.n_tokens = n_categories + n_numbers
        self.slopes = _draw_vectors(n_numbers, _WIDTH, generator)
        self.shifts = _draw_vectors(n_numbers, _WIDTH, generator)

    def forward(self, numbers: torch.Tensor, categories: torch.Tensor) -> torch.Tensor:
        """Return all tokens of rows."""
        tokens = torch.addcmul(self.shifts[:, None], numbers.T[..., None], self.slopes[:, None])
        return torch.cat([categories, tokens])


class ScalarTokens(nn.Module):
    """A token for each scalar: of the categories' tokens, laid side by side, and the numbers.

    All go through one linear layer of one input, the numbers of a row normalized before.
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

    Numbers come first in X, then the ids of category columns, each from 0 to its number of
    levels, which is a missing value. Scores start at `start`, the bias of the last layer.
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
        self.categories = TabTransformer(levels, depth, generator) if levels else None
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
