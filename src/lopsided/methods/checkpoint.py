"""Checkpoints of boosting: the trees so far in a file, from which a fit goes on."""

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lopsided._files import atomic_write, check_no_file
from lopsided._validation import check_count, require

__all__ = ["SEEDLESS", "Checkpoint", "list_facts"]

SEEDLESS = (
    "A checkpoint takes a random_state, got None: the fit that goes on would be another one. "
    "Pass a number, such as random_state=0."
)

_FORMAT = "lopsided boosting checkpoint 1"
_NAME = "boosting.checkpoint"

Train = Callable[[int, Any], Any]  # rounds to add and the booster to add them to, if any


def list_facts(model: Any, params: Mapping[str, Any], rows: str) -> dict[str, str]:
    """Return what the trees of a method depend on, by name: a checkpoint is of one such fit.

    Parameters
    ----------
    model : BoostedRiskClassifier
        With its prior and its risk, and no trees yet.
    params : mapping
        XGBoost's. The number of threads changes no tree.
    rows : str
        Another one for other rows.
    """
    settings = {**params, "gradient_scale": model.gradient_scale}
    settings.pop("nthread", None)
    return {
        "rows": rows,
        "columns": repr((model.n_features_in_, model.category_levels_)),
        "prior": repr(float(model.prior_)),
        "risk": repr((model.risk_, getattr(model.risk_, "reviewed_weight", None))),
        **{name: repr(_as_plain(value)) for name, value in settings.items()},
    }


def _as_plain(value: Any) -> Any:
    """Return a number of NumPy as Python writes it."""
    return value.item() if isinstance(value, np.generic) else value


@dataclass(frozen=True)
class Checkpoint:
    """Keep the trees of a fit every so many rounds, and go on from them after a stop.

    The fit is cut into steps of `every` rounds, each of which starts from the file of the one
    before, whether it was just written or found: a fit that was stopped gives the very trees
    of one that was not. The file is written whole or not at all. It stays after the fit, which
    is then at its end at once when asked for again; one of other rows or settings is refused.

    Parameters
    ----------
    folder : path
        Where the file is kept; made if it is missing.
    every : int, default=10
        Rounds of a step. It is a setting like others: where rows or columns are sampled, the
        draws depend on where steps begin.

    Examples
    --------
    >>> Checkpoint("run-1", every=20)
    Checkpoint(folder='run-1', every=20)
    """

    folder: str | os.PathLike[str]
    every: int = 10

    @property
    def path(self) -> Path:
        """The file."""
        return Path(self.folder) / _NAME

    def boost(self, train: Train, n_rounds: int, facts: Mapping[str, Any]) -> Any:
        """Return the booster after all rounds, from the file where there is one.

        Parameters
        ----------
        train : callable
            `train(n, booster)` adds n rounds to a booster, or starts one if that is None, and
            returns it. Its random draws depend on nothing but the round
            (`seed_per_iteration`).
        n_rounds : int
            Rounds in all.
        facts : mapping
            What the trees depend on, rows and settings, as JSON can hold it.
        """
        check_count(self.every, "every")
        check_no_file(self.folder, " for the checkpoint")
        known = json.loads(json.dumps({**facts, "every": self.every, "n_rounds": n_rounds}))
        done, trees = self._read(known)
        if done == n_rounds:
            return train(0, _as_booster(trees))
        booster = None
        while done < n_rounds:
            step = min(self.every, n_rounds - done)
            booster = train(step, None if trees is None else _as_booster(trees))
            trees, done = bytes(booster.save_raw(raw_format="ubj")), done + step
            self._write(known, done, trees)
        return booster

    def _write(self, facts: dict[str, Any], done: int, trees: bytes) -> None:
        digest = hashlib.sha256(trees).hexdigest()
        header = {"format": _FORMAT, "facts": facts, "rounds": done, "sha256": digest}
        with atomic_write(self.path) as draft:
            draft.write_bytes(json.dumps(header).encode() + b"\n" + trees)

    def _read(self, facts: dict[str, Any]) -> tuple[int, bytes | None]:
        """Return the rounds that are done and their trees, or say why the file is no use."""
        if not self.path.exists():
            return 0, None
        head, _, trees = self.path.read_bytes().partition(b"\n")
        try:
            header = json.loads(head)
            known, done = header["facts"], int(header["rounds"])
            whole = header["sha256"] == hashlib.sha256(trees).hexdigest()
            whole = whole and header["format"] == _FORMAT and isinstance(known, dict)
        except (ValueError, KeyError, TypeError):
            whole = False
        if not whole:
            raise ValueError(
                f"{self.path} must be a checkpoint as it was written, got a damaged or another "
                "file. Delete it to start anew, or name another folder."
            )
        if known != facts:
            names = sorted(
                name for name in {*known, *facts} if known.get(name) != facts.get(name)
            )
            raise ValueError(
                f"{self.path} must be a checkpoint of this fit, got one with other "
                f"{', '.join(names)}. Delete it to start anew, or name another folder."
            )
        return done, trees


def _as_booster(trees: bytes | None) -> Any:
    booster: Any = require("xgboost").Booster()
    booster.load_model(bytearray(trees or b""))
    return booster
