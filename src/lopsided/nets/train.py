"""Training: steps down any risk, one batch at a time."""

from copy import deepcopy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from lopsided._progress import Bar
from lopsided.nets.batches import draw_batches
from lopsided.nets.devices import scores_of
from lopsided.risks import Risk

__all__ = ["Rows", "Schedule", "train", "train_step"]


class Rows(NamedTuple):
    """Rows to learn from or to watch: inputs, labels and weights."""

    X: Any
    y: Any
    weight: Any = None


@dataclass(frozen=True)
class Schedule:
    """How long and in what steps to train.

    Parameters
    ----------
    n_steps : int
        Steps in all, rounded up to whole epochs.
    batch_size : int
        Rows of a batch, about.
    learning_rate, weight_decay : float
        Of Adam; the rate sinks from epoch to epoch, the decay is added to the gradient.
    patience : int
        Stop when the risk of the watched rows has not sunk for so many epochs.
    """

    n_steps: int = 200
    batch_size: int = 256
    learning_rate: float = 1e-3
    weight_decay: float = 0.05
    patience: int = 20

    def epochs(self, n_rows: int) -> int:
        """Return the number of epochs for a table of so many rows."""
        batches = -(-n_rows // self.batch_size)
        return max(1, -(-self.n_steps // batches))


def train(
    net: nn.Module,
    risk: Risk,
    rows: Rows,
    prior: float,
    schedule: Schedule,
    rng: np.random.Generator,
    watched: tuple[Risk, Rows] | None = None,
) -> int:
    """Train a net on a risk; return the number of epochs whose result was kept.

    Parameters
    ----------
    net : Module
        Gives one score per row; changed in place.
    risk : Risk
        What to lower. With `Climb` as its clamp a step is that of algorithm 1 of the papers.
    rows : Rows
        The training rows, as arrays.
    prior : float
        P(y_true = 1).
    schedule : Schedule
        How long and in what steps.
    rng : Generator
        Source of the batches.
    watched : (Risk, Rows), optional
        Held-out rows and their risk: training stops when it no longer sinks, and the best net
        is kept.
    """
    device = next(net.parameters()).device
    X = torch.as_tensor(rows.X, dtype=torch.float32, device=device)
    y = torch.as_tensor(rows.y, device=device)
    optimizer = torch.optim.Adam(
        net.parameters(), lr=schedule.learning_rate, weight_decay=schedule.weight_decay
    )
    n_epochs = schedule.epochs(len(rows.y))
    # Small steps at the end, so that the last batch does not decide what comes out.
    slower = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, n_epochs)
    best = _Best(net, schedule.patience)
    with Bar(n_epochs, "training") as bar:
        for epoch in range(n_epochs):
            net.train()
            for batch in draw_batches(rows.y, schedule.batch_size, rng, rows.weight):
                here = torch.as_tensor(batch.rows, device=device)
                part = risk.take(batch.rows)
                train_step(net, optimizer, part, X[here], y[here], prior, batch.weight)
            slower.step()
            bar.advance()
            if watched is not None:
                held_out, there = watched
                scores = scores_of(net, there.X)
                value = held_out.estimate(scores, there.y, prior, there.weight)
                if best.tell(float(value), epoch + 1):
                    break
    return best.restore() if watched is not None else n_epochs


def train_step(
    net: nn.Module, optimizer: Any, risk: Risk, X: Any, y: Any, prior: float, weight: Any
) -> None:
    """Take one step on a batch: down the risk, or as its clamp says up its negative part."""
    optimizer.zero_grad(set_to_none=True)
    risk.objective(net(X), y, prior, weight).backward()
    optimizer.step()


class _Best:
    """Remembers the net with the least risk so far."""

    def __init__(self, net: nn.Module, patience: int) -> None:
        self.net, self.patience = net, patience
        self.value, self.epoch = np.inf, 0
        self.state: dict[str, Any] | None = None

    def tell(self, value: float, epoch: int) -> bool:
        """Take note of an epoch; say whether it is time to stop."""
        if value < self.value:
            self.value, self.epoch = value, epoch
            self.state = deepcopy(self.net.state_dict())
        return epoch - self.epoch >= self.patience

    def restore(self) -> int:
        """Put the best net back; return its epoch."""
        if self.state is not None:
            self.net.load_state_dict(self.state)
        return self.epoch
