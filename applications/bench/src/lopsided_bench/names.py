"""Names: settings and metrics as tables and figures show them, and choices among words."""

import difflib
from collections.abc import Iterable

__all__ = ["MECHANISM_NAMES", "check_choice", "name_metric", "name_setting"]

MECHANISM_NAMES = {
    "scar": "SCAR",
    "sar-near": "SAR near",
    "sar-far": "SAR far",
    "adbench": "ADBench",
    "none": "truth",
}
_METRICS = {"roc_auc": "ROC-AUC", "r_precision": "R-precision", "ndcg_at_r": "NDCG at R"}


def name_setting(mechanism: str, hidden: float) -> str:
    """Return the mechanism and the share that stays labeled, such as "SCAR 25 %"."""
    return f"{MECHANISM_NAMES.get(mechanism, mechanism)} {100 * (1 - hidden):g} %"


def name_metric(metric: str) -> str:
    """Return a metric as it is written inside a sentence."""
    plain = metric.replace("ndcg", "NDCG").replace("percent", "%").replace("_", " ")
    return _METRICS.get(metric, plain)


def check_choice(word: object, choices: Iterable[str], what: str) -> str:
    """Return a word that is one of the choices, or name the nearest ones."""
    known = list(choices)
    if isinstance(word, str) and word in known:
        return word
    near = difflib.get_close_matches(str(word), known, n=3, cutoff=0.5)
    hint = f"Did you mean {' or '.join(near)}?" if near else f"Choose from {', '.join(known)}."
    raise ValueError(f"No {what} is called {word!r}. {hint}")
