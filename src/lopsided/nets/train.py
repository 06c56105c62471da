"""Training, steps down any risk, one batch at a time; where nets run, and their scores."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from lopsided._progress import Bar
from lopsided._rows import TrainingRows
from lopsided.risks import Risk

_ROWS_AT_ONCE = 16384  # that are scored, unless a net says otherwise
_MIN_LABELED = 16  # in a batch, some of them more than once in an epoch if need be


class Batch(NamedTuple):
    """Rows, and weights that make labeled and unlabeled ones stand for their shares of all."""

    rows: NDArray[np.intp]
    weight: NDArray[np.float64]


def draw_batches(
    y: NDArray[Any], size: int, rng: np.random.Generator, weight: NDArray[np.float64]
) -> Iterator[Batch]:
    """Yield the batches of one epoch: every row once, labeled ones again where they are few."""
    labeled, unlabeled = (rng.permutation(np.flatnonzero(y == label)) for label in (1, 0))
    n_batches = max(1, ceil(len(y) / size))
    wanted = n_batches * min(len(labeled), _MIN_LABELED, max(size // 2, 1))
    while len(labeled) < wanted:  # whole rounds, so that every row comes up as often
        labeled = np.concatenate([labeled, rng.permutation(np.flatnonzero(y == 1))])
    shares = [weight[y == label].sum() / weight.sum() for label in (1, 0)]
    parts = np.array_split(labeled, n_batches), np.array_split(unlabeled, n_batches)
    for groups in zip(*parts, strict=True):
        weights = [
            share * weight[rows] / max(weight[rows].sum(), 1e-300)
            for share, rows in zip(shares, groups, strict=True)
        ]
        yield Batch(np.concatenate(groups), np.concatenate(weights))


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

        return 1 - float(average_precision_score(y == 1, scores, sample_weight=weight))


@dataclass(frozen=True)
class Schedule:
    """How long and in what steps of Adam to train; the rate sinks from epoch to epoch."""

    n_steps: int = 200  # rounded up to whole epochs
    batch_size: int = 256
    learning_rate: float = 1e-3
    weight_decay: float = 0.05
    patience: int = 20  # epochs without a better one
    clip: float | None = None  # the longest gradient of a step

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
    """Steps of AdamW for a number of epochs, the rate sinking along half a cosine."""

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
    nets: Sequence[nn.Module],
    risk: Risk,
    rows: TrainingRows,
    prior: float,
    schedule: Schedule,
    rng: np.random.Generator,
    validation: tuple[ValidationMetric, TrainingRows] | None = None,
    stop: int | None = None,
    label: str = "training",
) -> int:
    """Train nets on a risk; return the number of epochs, the best one if rows are held out.

    Several nets take turns, an epoch each. With `validation`, training stops when the mean of
    their scores is no longer better on held-out rows; after `stop` epochs it ends too, the rate
    sinking as if all were to come.
    """
    device = next(nets[0].parameters()).device
    X = torch.as_tensor(rows.X, dtype=torch.float32, device=device)
    y = torch.as_tensor(rows.labels, device=device)
    n_epochs = schedule.epochs(len(rows))
    configured = [(net, *schedule.configure_optimizer(net, n_epochs)) for net in nets]
    n_epochs = n_epochs if stop is None else min(stop, n_epochs)
    best_value, best_epoch = np.inf, n_epochs
    with Bar(n_epochs, label) as bar:
        for epoch in range(1, n_epochs + 1):
            for net, optimizer, scheduler in configured:
                net.train()
                for batch in draw_batches(rows.y, schedule.batch_size, rng, rows.weight):
                    here = torch.as_tensor(batch.rows, device=device)
                    inputs = (X[here], y[here], prior, batch.weight)
                    train_step(net, optimizer, risk, *inputs, schedule.clip)
                scheduler.step()
            bar.advance()
            if validation is not None:
                metric, there = validation
                scores = mean_scores(nets, there.X)
                value = float(metric.estimate(scores, there.labels, prior, there.weight))
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


def scores_of(net: nn.Module, X: Any) -> np.ndarray:
    """Return the score of each row as a row of its own: without the batch it comes in."""
    net.eval()
    first = next(net.parameters())
    at_once = int(getattr(net, "rows_at_once", _ROWS_AT_ONCE))
    scores = np.empty(len(X))
    with torch.no_grad():
        for start in range(0, len(X), at_once):
            part = slice(start, start + at_once)
            inputs = torch.as_tensor(X[part], dtype=first.dtype, device=first.device)
            scores[part] = net(inputs).cpu().numpy()
    return scores


def mean_scores(nets: Sequence[nn.Module], X: Any) -> NDArray[np.float64]:
    """Return the mean score of each row over several nets."""
    return np.asarray(np.mean([scores_of(net, X) for net in nets], axis=0))


def pick_device(device: str | None) -> torch.device:
    """Return the device to train on: as asked for, or a GPU if there is one."""
    if device is not None:
        try:
            return torch.empty(0, device=device).device
        except (RuntimeError, AssertionError) as error:
            raise ValueError(
                f"device must be one that torch can use here, got {device!r}. Leave it out, or "
                "pass 'cpu'."
            ) from error
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


@contextmanager
def threads(n_threads: int) -> Iterator[None]:
    """Let torch use so many threads for a while."""
    before = torch.get_num_threads()
    torch.set_num_threads(n_threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def seeded(seed: int, device: torch.device) -> Iterator[None]:
    """Let torch draw from a seed for a while, dropout above all, and leave no trace of it."""
    cards = [device] if device.type == "cuda" else []
    with torch.random.fork_rng(devices=cards):
        torch.default_generator.manual_seed(seed)
        for card in cards:
            with torch.cuda.device(card):
                torch.cuda.manual_seed(seed)
        yield
