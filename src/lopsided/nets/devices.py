"""Where nets run: device, threads, and scores of rows."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import nn

_ROWS_AT_ONCE = 16384  # unless a net says otherwise


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
