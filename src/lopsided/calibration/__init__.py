"""Probabilities of being positive from PU labels, and how far to trust them.

`PUCalibratedClassifier` gives them to a classifier, `fit_calibration` to scores. `pu_log_loss`,
`pu_calibration_error` and `pu_reliability_curve` judge them without negatives.
"""

from typing import TYPE_CHECKING, Any

from lopsided.calibration.maps import CalibrationMap, fit_calibration
from lopsided.calibration.metrics import (
    ReliabilityCurve,
    pu_calibration_error,
    pu_log_loss,
    pu_reliability_curve,
)

if TYPE_CHECKING:
    from lopsided.calibration.classifier import PUCalibratedClassifier

__all__ = [
    "CalibrationMap",
    "PUCalibratedClassifier",
    "ReliabilityCurve",
    "fit_calibration",
    "pu_calibration_error",
    "pu_log_loss",
    "pu_reliability_curve",
]


def __getattr__(name: str) -> Any:
    # Imported late: the classifier needs the methods, and a method needs the maps.
    if name == "PUCalibratedClassifier":
        from lopsided.calibration.classifier import PUCalibratedClassifier

        return PUCalibratedClassifier
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
