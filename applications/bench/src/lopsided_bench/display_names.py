"""Settings and metrics in the words that tables and figures use."""

__all__ = ["MECHANISM_NAMES", "name_metric", "name_setting"]

MECHANISM_NAMES = {
    "scar": "SCAR",
    "sar-near": "SAR near",
    "sar-far": "SAR far",
    "adbench": "ADBench",
    "none": "truth",
}
METRICS = {"roc_auc": "ROC-AUC", "r_precision": "R-precision", "ndcg_at_r": "NDCG at R"}


def name_setting(mechanism: str, hidden: float) -> str:
    """Return a setting as people read it: the mechanism and the share that stays labeled."""
    return f"{MECHANISM_NAMES.get(mechanism, mechanism)} {100 * (1 - hidden):g} %"


def name_metric(metric: str) -> str:
    """Return a metric as people read it, inside a sentence."""
    plain = metric.replace("ndcg", "NDCG").replace("percent", "%").replace("_", " ")
    return METRICS.get(metric, plain)
