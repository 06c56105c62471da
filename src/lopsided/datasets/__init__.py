"""Imbalanced tables with known truth: the paper's, ADBench's, and a few without download."""

from lopsided.datasets.claims import Claims, make_claims
from lopsided.datasets.entries import Entry, describe, list_datasets, list_entries
from lopsided.datasets.loading import Dataset, DatasetNotFoundError, load
from lopsided.datasets.sources import ChecksumError

__all__ = [
    "ChecksumError",
    "Claims",
    "Dataset",
    "DatasetNotFoundError",
    "Entry",
    "describe",
    "list_datasets",
    "list_entries",
    "load",
    "make_claims",
]
