"""Imbalanced tables with known truth: the paper's fourteen and a few that need no download."""

from lopsided.datasets.dataset import Dataset
from lopsided.datasets.entries import Entry, describe, list_datasets, list_entries
from lopsided.datasets.files import ChecksumError
from lopsided.datasets.loading import DatasetNotFoundError, load

__all__ = [
    "ChecksumError",
    "Dataset",
    "DatasetNotFoundError",
    "Entry",
    "describe",
    "list_datasets",
    "list_entries",
    "load",
]
