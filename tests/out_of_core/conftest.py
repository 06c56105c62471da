import sys
from pathlib import Path

import pytest

from lopsided.out_of_core import parquet

sys.path.insert(0, str(Path(__file__).parent))  # for parts.py


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch):
    monkeypatch.setattr(parquet, "_MOST_ROWS", 256)
    monkeypatch.setattr(parquet, "_LEAST_ROWS", 256)
