"""Training: steps down any risk, one batch at a time."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from torch import nn

from lopsided._progress import Bar
from lopsided._rows import TrainingRows
from lopsided.nets.batches import draw_batches
from lopsided.nets.devices import scores_of
from lopsided.risks import Risk

__all__ = [
    "CosineSchedule",
    "LabelPrecision",
    "Schedule",
    "ValidationMetric",
    "train",
    "train_step",
]


class ValidationMetric(Protocol):
    """What held-out rows are judged by, the less the better; every risk is one."""

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
        Stop when held-out rows have not been judged better for so many epochs.
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

    def configure_optimizer(self, net: nn.Module, n_epochs: int) -> tuple[Any, Any]:
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

    def configure_optimizer(self, net: nn.Module, n_epochs: int) -> tuple[Any, Any]:
        """Return the optimizer, and what lowers its rate after each epoch."""
        optimizer = torch.optim.AdamW(
            net.parameters(), lr=self.learning_rate, weight_decay=self.weight_decay
        )
        return optimizer, torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, n_epochs)


def train(
    net: nn.Module,
    risk: Risk,
    rows: TrainingRows,
    prior: float,
    schedule: Schedule,
    rng: np.random.Generator,
    validation: tuple[ValidationMetric, TrainingRows] | None = None,
    stop: int | None = None,
    label: str = "training",
) -> int:
    """Train a net on a risk; return the number of epochs, the best one if rows were held out.

    Parameters
    ----------
    net : Module
        Gives one score per row; changed in place.
    risk : Risk
        What to lower. With `GradientAscent` as its clamp a step is that of algorithm 1 of the
        papers.
    rows : TrainingRows
        Inputs of the net, labels and weights.
    prior : float
        P(y_true = 1).
    schedule : Schedule
        How long and in what steps.
    rng : Generator
        Source of the batches.
    validation : (ValidationMetric, TrainingRows), optional
        Held-out rows and what they are judged by, such as their risk: training stops when it
        no longer sinks.
    stop : int, optional
        Stop after so many epochs, the rate sinking as if all were to come.
    label : str, default="training"
        What the progress bar says.
    """
    device = next(net.parameters()).device
    X = torch.as_tensor(rows.X, dtype=torch.float32, device=device)
    y = torch.as_tensor(rows.y, device=device)
    n_epochs = schedule.epochs(len(rows))
    optimizer, scheduler = schedule.configure_optimizer(net, n_epochs)
    n_epochs = n_epochs if stop is None else min(stop, n_epochs)
    best_value, best_epoch = np.inf, n_epochs
    with Bar(n_epochs, label) as bar:
        for epoch in range(1, n_epochs + 1):
            net.train()
            for batch in draw_batches(rows.y, schedule.batch_size, rng, rows.weight):
                here = torch.as_tensor(batch.rows, device=device)
                inputs = (X[here], y[here], prior, batch.weight)
                train_step(net, optimizer, risk, *inputs, schedule.clip)
            scheduler.step()
            bar.advance()
            if validation is not None:
                metric, there = validation
                scores = scores_of(net, there.X)
                value = float(metric.estimate(scores, there.y, prior, there.weight))
                if value < best_value:
                    best_value, best_epoch = value, epoch
                elif epoch - best_epoch >= schedule.patience:
                    break
    return best_epoch


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
