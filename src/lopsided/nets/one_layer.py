"""A net of one hidden layer, as small as those of anomaly detection are."""

import torch
from torch import nn


class OneLayerNet(nn.Module):
    """A hidden layer, rectified, and one score for each row."""

    def __init__(self, n_inputs: int, width: int, generator: torch.Generator) -> None:
        super().__init__()
        # Not nn.Linear(...): it would draw weights from torch's own source, seen by everyone.
        self.hidden = nn.utils.skip_init(nn.Linear, n_inputs, width)
        self.output = nn.utils.skip_init(nn.Linear, width, 1)
        for layer in (self.hidden, self.output):  # Glorot and Bengio's start
            nn.init.xavier_uniform_(layer.weight, generator=generator)
            nn.init.zeros_(layer.bias)

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        """Return one score per row."""
        return self.output(torch.relu(self.hidden(X))).squeeze(-1)


class UnitInterval:
    """Scales columns to 0 to 1, and becomes a part of the layer that was trained on them."""

    def __init__(self, X: torch.Tensor) -> None:
        self.low = X.amin(0)
        span = X.amax(0) - self.low
        self.span = torch.where(span > 0, span, torch.ones_like(span))

    def transform(self, X: torch.Tensor) -> torch.Tensor:
        """Return the rows in single precision, each column from 0 to 1."""
        return ((X - self.low) / self.span).float()

    @torch.no_grad()
    def move_into(self, layer: nn.Linear) -> None:
        """Let a layer of double precision take rows as they are, and answer as it did."""
        slopes = layer.weight / self.span.to(layer.weight)
        layer.bias.sub_(slopes @ self.low.to(layer.weight))
        layer.weight.copy_(slopes)


class PoolSampler:
    """Draws rows of a pool, each as often as it weighs, with replacement."""

    def __init__(self, rows: torch.Tensor, weight: torch.Tensor) -> None:
        self.rows = rows[weight > 0]
        self.ends = weight[weight > 0].double().cumsum(0)

    def draw(self, shape: tuple[int, ...], generator: torch.Generator) -> torch.Tensor:
        """Return positions of rows."""
        drawn = torch.rand(shape, generator=generator, dtype=torch.float64) * self.ends[-1]
        # Rounding may lift a draw to the very end.
        places = torch.searchsorted(self.ends, drawn, right=True).clamp(max=len(self.ends) - 1)
        return self.rows[places]
