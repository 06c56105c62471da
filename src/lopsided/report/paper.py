"""The numbers that the paper prints, to lay beside our own."""

from functools import cache
from typing import NamedTuple

__all__ = ["METRICS", "Printed", "list_printed", "printed"]

# Macro averages over the paper's 14 data sets with their deviations, by our names of methods:
# ROC-AUC, then PR-AUC, each with 25, 50 and 75 % of the positives labeled.
_SCAR = """
upu-mlp     0.53±0.06 0.55±0.05 0.56±0.04 0.12±0.04 0.13±0.03 0.13±0.02
nnpu-mlp    0.54±0.06 0.55±0.05 0.56±0.04 0.12±0.04 0.13±0.02 0.13±0.02
imbnnpu-mlp 0.54±0.05 0.56±0.05 0.56±0.03 0.12±0.03 0.13±0.02 0.13±0.02
ifpu-mlp    0.58±0.03 0.60±0.03 0.62±0.03 0.13±0.03 0.14±0.02 0.14±0.01
nnif        0.81±0.05 0.85±0.03 0.87±0.03 0.46±0.06 0.50±0.06 0.53±0.05
puhdt       0.72±0.09 0.77±0.07 0.79±0.07 0.40±0.07 0.43±0.06 0.46±0.05
puhrf       0.83±0.07 0.87±0.06 0.89±0.06 0.52±0.09 0.59±0.07 0.63±0.06
lbe         0.80±0.06 0.84±0.05 0.86±0.04 0.49±0.08 0.53±0.06 0.53±0.06
sarem       0.81±0.05 0.84±0.04 0.85±0.04 0.51±0.06 0.55±0.06 0.56±0.06
ifpu-xgb    0.80±0.04 0.85±0.03 0.87±0.03 0.52±0.05 0.57±0.04 0.60±0.05
xgb         0.90±0.03 0.90±0.03 0.90±0.03 0.65±0.05 0.65±0.05 0.65±0.05
xgb-focal   0.92±0.03 0.92±0.03 0.92±0.03 0.67±0.05 0.67±0.05 0.67±0.05
"""
_SAR = """
upu-mlp     0.52±0.05 0.52±0.04 0.53±0.03 0.11±0.02 0.11±0.02 0.12±0.02
nnpu-mlp    0.53±0.05 0.53±0.04 0.54±0.03 0.11±0.02 0.11±0.02 0.12±0.02
imbnnpu-mlp 0.54±0.05 0.53±0.03 0.54±0.02 0.12±0.02 0.12±0.02 0.12±0.02
ifpu-mlp    0.58±0.04 0.60±0.02 0.61±0.01 0.13±0.02 0.14±0.02 0.14±0.01
nnif        0.80±0.05 0.85±0.03 0.87±0.03 0.43±0.06 0.50±0.06 0.53±0.05
puhdt       0.69±0.06 0.76±0.06 0.78±0.06 0.33±0.06 0.41±0.05 0.45±0.05
puhrf       0.80±0.06 0.86±0.06 0.89±0.05 0.45±0.06 0.57±0.06 0.62±0.06
lbe         0.79±0.05 0.84±0.04 0.85±0.04 0.47±0.07 0.53±0.06 0.53±0.06
sarem       0.80±0.05 0.84±0.04 0.85±0.04 0.48±0.07 0.53±0.07 0.55±0.06
ifpu-xgb    0.80±0.05 0.84±0.03 0.87±0.05 0.50±0.05 0.55±0.05 0.60±0.05
xgb         0.90±0.03 0.90±0.03 0.90±0.03 0.65±0.05 0.65±0.05 0.65±0.05
xgb-focal   0.92±0.03 0.92±0.03 0.92±0.03 0.67±0.05 0.67±0.05 0.67±0.05
"""
METRICS = ("roc_auc", "average_precision")
_HIDDEN = (0.75, 0.5, 0.25)
# The paper has one SAR; both of ours are laid beside it.
_TABLES = {"scar": _SCAR, "sar-near": _SAR, "sar-far": _SAR}


class Printed(NamedTuple):
    """A mean and a deviation as the paper prints them, with two digits."""

    mean: float
    deviation: float


def list_printed() -> list[str]:
    """Return our names of the methods that the paper has a row of."""
    return list(dict.fromkeys(method for method, _, _, _ in _cells()))


def printed(method: str, metric: str, mechanism: str, hidden: float) -> Printed | None:
    """Return what the paper prints for a method in a setting, or None.

    Parameters
    ----------
    method : str
        Our name of the method.
    metric : str
        "roc_auc" or "average_precision", which the paper calls PR-AUC; it has no other.
    mechanism : str
        "scar", or "sar-near" and "sar-far", which share the paper's SAR.
    hidden : float
        The share of positives that is hidden: 0.75, 0.5 or 0.25.

    Examples
    --------
    >>> printed("puhrf", "average_precision", "scar", hidden=0.75)
    Printed(mean=0.52, deviation=0.09)
    """
    return _cells().get((method, metric, mechanism, round(hidden, 9)))


@cache
def _cells() -> dict[tuple[str, str, str, float], Printed]:
    columns = [(metric, hidden) for metric in METRICS for hidden in _HIDDEN]
    found = {}
    for mechanism, text in _TABLES.items():
        for line in text.split("\n")[1:-1]:
            method, *numbers = line.split()
            for (metric, hidden), number in zip(columns, numbers, strict=True):
                mean, deviation = map(float, number.split("±"))
                found[method, metric, mechanism, hidden] = Printed(mean, deviation)
    return found
