"""Tables with known truth: a few cut from data in scikit-learn, and generated claims."""

from lopsided.datasets.bundled import Dataset, list_datasets, load
from lopsided.datasets.claims import Claims, make_claims

__all__ = ["Claims", "Dataset", "list_datasets", "load", "make_claims"]
