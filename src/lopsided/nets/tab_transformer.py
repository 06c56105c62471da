"""Categories as tokens: a vector for each, and a transformer that lets them see each other.

Tokens come first, rows second: tensors have the shape (n_tokens, n_rows, width).
"""

from collections.abc import Sequence

import torch
from torch import nn
from torch.nn import functional as F

from lopsided.nets.layers import draw_vectors, linear

__all__ = ["Attention", "ColumnEmbedding", "FeedForward", "TabTransformer"]

_FEW = 4  # tokens


class ColumnEmbedding(nn.Module):
    """One token for each category: a vector of its value beside a vector of its column.

    Each column has one id more than levels, the last, for a value that is missing or was not
    seen in training. Its vector starts at 0: in the middle of the others.

    Parameters
    ----------
    levels : sequence of int
        The number of levels of each column.
    width : int
        Size of a token; an eighth of it is the vector of the column.
    generator : torch.Generator
        Source of the starting vectors.
    """

    starts: torch.Tensor  # the first id of each column among the vectors of all

    def __init__(self, levels: Sequence[int], width: int, generator: torch.Generator) -> None:
        super().__init__()
        shared = width // 8
        ids = torch.tensor([n_levels + 1 for n_levels in levels], dtype=torch.long)
        ends = ids.cumsum(0)
        self.values = draw_vectors(int(ids.sum()), width - shared, generator)
        self.columns = draw_vectors(len(levels), shared, generator)
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
    """Every token of a row asks all tokens of the row, with several heads.

    Parameters
    ----------
    width : int
        Size of a token.
    n_heads, head_width : int
        Number of heads, and size of the vectors in which each compares tokens.
    dropout : float
        Share of the attention that is left out at random in training.
    generator : torch.Generator
        Source of the starting weights.
    """

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
    """Two linear layers with a gated GELU between them, for each token by itself.

    Parameters
    ----------
    width : int
        Size of a token.
    inner : int
        Size between the two layers.
    dropout : float
        Share of the inner units that are left out at random in training.
    generator : torch.Generator
        Source of the starting weights.

    References
    ----------
    Shazeer: GLU variants improve transformer. 2020.
    """

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
    """Embed the categories of a row and let them see each other: pre-norm transformer layers.

    Parameters
    ----------
    levels : sequence of int
        The number of levels of each column, at least one column.
    depth : int
        Number of layers; 0 leaves the embeddings as they are.
    generator : torch.Generator
        Source of the starting weights.
    width : int, default=32
        Size of a token.
    n_heads, head_width : int, default=8 and 16
        Of the attention.
    dropout : float, default=0.1
        In attention and feed-forward layers.

    References
    ----------
    Huang, Khetan, Cvitkovic, Karnin: TabTransformer. 2020.
    """

    def __init__(
        self,
        levels: Sequence[int],
        depth: int,
        generator: torch.Generator,
        width: int = 32,
        n_heads: int = 8,
        head_width: int = 16,
        dropout: float = 0.1,
    ) -> None:
        super().__init__()
        self.embed = ColumnEmbedding(levels, width, generator)
        layers: list[nn.Module] = []
        for _ in range(depth):
            attention = Attention(width, n_heads, head_width, dropout, generator)
            layers.append(nn.Sequential(nn.LayerNorm(width), attention))
            forward = FeedForward(width, 4 * width, dropout, generator)
            layers.append(nn.Sequential(nn.LayerNorm(width), forward))
        self.layers = nn.ModuleList(layers)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Return the tokens of rows in context, from ids of shape (n_rows, n_columns)."""
        X = self.embed(ids)
        for layer in self.layers:
            X = X + layer(X)
        return X
