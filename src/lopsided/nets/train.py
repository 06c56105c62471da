"""Training: steps down any risk, one batch at a time."""

from copy import deepcopy
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from torch import nn

from lopsided._progress import Bar
from lopsided.nets.batches import draw_batches
from lopsided.nets.devices import scores_of
from lopsided.risks import Risk

__all__ = [
    "CosineSchedule",
    "Criterion",
    "LabelPrecision",
    "Rows",
    "Schedule",
    "train",
    "train_step",
]


class Rows(NamedTuple):
    """Rows to learn from or to watch: inputs, labels and weights."""

    X: Any
    y: Any
    weight: Any = None


class Criterion(Protocol):
    """What watched rows are judged by, the less the better; every risk is one."""

    def estimate(self, scores: Any, y: Any, prior: float, weight: Any = None) -> Any:
        """Return how bad the scores are."""


@dataclass(frozen=True)
class LabelPrecision:
    """What the average precision of the labels lacks to 1: where labeled rows end up."""

    def estimate(self, scores: Any, y: Any, prior: float, weight: Any = None) -> float:
        """Return one minus the average precision."""
        from sklearn.metrics import average_precision_score

        return 1 - float(average_precision_score(y, scores, sample_weight=weight))


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
    clip : float or None
        The longest gradient of a step, longer ones are cut to it; None lets all pass.
    """

    n_steps: int = 200
    batch_size: int = 256
    learning_rate: float = 1e-3
    weight_decay: float = 0.05
    patience: int = 20
    clip: float | None = None

    def epochs(self, n_rows: int) -> int:
        """Return the number of epochs for a table of so many rows."""
        batches = -(-n_rows // self.batch_size)
        return max(1, -(-self.n_steps // batches))

    def descent(self, net: nn.Module, n_epochs: int) -> tuple[Any, Any]:
        """Return the optimizer, and what lowers its rate after each epoch."""
        optimizer = torch.optim.Adam(
            net.parameters(), lr=self.learning_rate, weight_decay=self.weight_decay
        )
        # Small steps at the end, so that the last batch does not decide what comes out.
        return optimizer, torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, n_epochs)


@dataclass(frozen=True)
class CosineSchedule(Schedule):
    """Steps of AdamW for a number of epochs, the rate sinking along half a cosine.

    Parameters
    ----------
    n_epochs : int
        Epochs in all, in place of `n_steps`.
    """

    weight_decay: float = 1e-4
    clip: float | None = 1.0
    n_epochs: int = 15

    def epochs(self, n_rows: int) -> int:
        """Return the number of epochs, for a table of any size."""
        return self.n_epochs

    def descent(self, net: nn.Module, n_epochs: int) -> tuple[Any, Any]:
        """Return the optimizer, and what lowers its rate after each epoch."""
        optimizer = torch.optim.AdamW(
            net.parameters(), lr=self.learning_rate, weight_decay=self.weight_decay
        )
        return optimizer, torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, n_epochs)


def train(
    net: nn.Module,
    risk: Risk,
    rows: Rows,
    prior: float,
    schedule: Schedule,
    rng: np.random.Generator,
    watched: tuple[Criterion, Rows] | None = None,
    stop: int | None = None,
    label: str = "training",
) -> int:
    """Train a net on a risk; return the number of epochs whose result was kept.

    Parameters
    ----------
    net : Module
        Gives one score per row; changed in place.
    risk : Risk
        What to lower. With `GradientAscent` as its clamp a step is that of algorithm 1 of the
        papers.
    rows : Rows
        The training rows, as arrays.
    prior : float
        P(y_true = 1).
    schedule : Schedule
        How long and in what steps.
    rng : Generator
        Source of the batches.
    watched : (Criterion, Rows), optional
        Held-out rows and what they are judged by, such as their risk: training stops when it
        no longer sinks, and the best net is kept.
    stop : int, optional
        Stop after so many epochs, the rate sinking as if all were to come.
    label : str, default="training"
        What the progress bar says.
    """
    device = next(net.parameters()).device
    X = torch.as_tensor(rows.X, dtype=torch.float32, device=device)
    y = torch.as_tensor(rows.y, device=device)
    n_epochs = schedule.epochs(len(rows.y))
    optimizer, slower = schedule.descent(net, n_epochs)
    n_epochs = n_epochs if stop is None else min(stop, n_epochs)
    best = _Best(net, schedule.patience)
    with Bar(n_epochs, label) as bar:
        for epoch in range(n_epochs):
            net.train()
            for batch in draw_batches(rows.y, schedule.batch_size, rng, rows.weight):
                here = torch.as_tensor(batch.rows, device=device)
                part = risk.take(batch.rows)
                weight, clip = batch.weight, schedule.clip
                train_step(net, optimizer, part, X[here], y[here], prior, weight, clip)
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
    net: nn.Module,
    optimizer: Any,
    risk: Risk,
    X: Any,
    y: Any,
    prior: float,
    weight: Any,
    clip: float | None = None,
) -> None:
    """Take one step on a batch: down the risk, or as its clamp says up its negative part."""
    optimizer.zero_grad(set_to_none=True)
    risk.objective(net(X), y, prior, weight).backward()
    if clip is not None:
        nn.utils.clip_grad_norm_(net.parameters(), clip)
    optimizer.step()


class _Best:
    """Remembers the net that did best so far."""

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
