"""A table's model as the parts that a model file holds, and back."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from lopsided.workflow.findings import Finding
from lopsided.workflow.roles import Roles
from lopsided.workflow.training import TrainingTable

__all__ = ["from_parts", "to_parts"]

_OBJECTS = ("cleaner", "estimator", "calibration", "label_frequency")
_PLAIN = ("method", "prior", "random_state")


def to_parts(model: Any) -> dict[str, Any]:
    """Return plain facts, objects and frames of a `TableModel`."""
    facts = {name: getattr(model, name) for name in _PLAIN}
    facts["roles"] = {**asdict(model.roles), "drop": list(model.roles.drop)}
    facts["typical"] = [float(one) for one in model.typical]
    facts["findings"] = [asdict(one) for one in model.findings]
    objects = {name: getattr(model, name) for name in _OBJECTS}
    return {"facts": facts, "objects": objects, "frames": model.training.to_frames()}


def from_parts(parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of the `TableModel` that gave these parts."""
    facts, objects = parts["facts"], parts["objects"]
    roles = {**facts["roles"], "drop": tuple(facts["roles"]["drop"])}
    return {
        **{name: facts[name] for name in _PLAIN},
        **{name: objects[name] for name in _OBJECTS},
        "roles": Roles(**roles),
        "training": TrainingTable.from_frames(parts["frames"]),
        "typical": tuple(facts["typical"]),
        "findings": tuple(Finding(**one) for one in facts["findings"]),
    }
