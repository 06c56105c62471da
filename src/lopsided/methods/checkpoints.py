"""Long boosting in segments, each of which starts from what a file can hold."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lopsided._check import check_count, require
from lopsided._files import atomic_write, check_no_file
from lopsided.methods.distributed import BoostingPlan

__all__ = ["Checkpoint", "boost_in_segments"]

_FILE = "checkpoint.ubj"
_MARK = "lopsided_fit"

# Takes XGBoost's parameters, a number of rounds and the trees to start from, or None.
Train = Callable[[dict[str, Any], int, Any], Any]


@dataclass(frozen=True)
class Checkpoint:
    """A folder with the trees of a fit under way, written every so many rounds.

    Row and column samples are drawn anew in each segment, so that a fit which was stopped and
    taken up again has the trees of one that was not.

    Parameters
    ----------
    folder : str or path
        Made if it is missing; the file in it is written whole or not at all.
    every : int
        Rounds of a segment.
    """

    folder: Any
    every: int

    def check(self) -> None:
        """Refuse settings that make no sense."""
        check_count(self.every, "checkpoint_every")
        check_no_file(self.folder, " for the checkpoint")

    def load(self, plan: BoostingPlan) -> Any:
        """Return the trees of an earlier run of the same fit, None if there was none."""
        path = Path(self.folder) / _FILE
        if not path.exists():
            return None
        xgboost = require("xgboost")
        try:
            booster = xgboost.Booster(model_file=bytearray(path.read_bytes()))
        except xgboost.core.XGBoostError:
            raise ValueError(
                f"{path} must be a checkpoint, got a file that is damaged. Delete it to start "
                "anew."
            ) from None
        if booster.attr(_MARK) != self._name(plan):
            raise ValueError(
                f"{self.folder} must be new or hold the checkpoint of this fit, got that of "
                "another table or other parameters. Name another folder."
            )
        return booster

    def save(self, booster: Any, plan: BoostingPlan) -> None:
        """Write the trees."""
        marked = booster.copy()
        marked.set_attr(**{_MARK: self._name(plan)})
        with atomic_write(Path(self.folder) / _FILE) as draft:
            draft.write_bytes(marked.save_raw("ubj"))

    def _name(self, plan: BoostingPlan) -> str:
        """Return what tells a fit from others: table, labels, parameters and segments."""
        model = plan.model
        fit = (plan.params, plan.n_estimators, model.gradient_scale, model.risk_, self.every)
        told = repr((*fit, model.category_levels_, plan.checksum))
        return hashlib.sha256(told.encode()).hexdigest()


def boost_in_segments(
    plan: BoostingPlan, train: Train, checkpoint: Checkpoint | None = None
) -> Any:
    """Return a booster of all rounds: in one go, or by segments with a file after each."""
    if checkpoint is None:
        return train(plan.params, plan.n_estimators, None)
    booster = checkpoint.load(plan)
    done = 0 if booster is None else booster.num_boosted_rounds()
    while done < plan.n_estimators:
        n_rounds = min(checkpoint.every, plan.n_estimators - done)
        seed = (plan.params["seed"] + done) % 2**31
        booster = train({**plan.params, "seed": seed}, n_rounds, booster)
        checkpoint.save(booster, plan)
        done += n_rounds
    booster.set_attr(**{_MARK: None})
    return booster
