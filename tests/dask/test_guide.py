"""The code of docs/dask.md runs as it is printed."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

GUIDE = Path(__file__).parents[2] / "docs" / "dask.md"


def test_the_python_of_the_guide_runs(client, table, tmp_path, monkeypatch):
    X, y, _ = table
    claims = X.rename(columns={"a": "amount", "b": "age", "c": "visits", "d": "claim"})
    (tmp_path / "claims").mkdir()
    for i, part in enumerate(np.array_split(np.arange(len(X)), 2)):
        whole = claims.assign(fraud=y).iloc[part]
        whole.to_parquet(tmp_path / "claims" / f"{i}.parquet", index=False)
    monkeypatch.chdir(tmp_path)
    pytest.importorskip("dask.distributed")
    monkeypatch.setattr("dask.distributed.Client", lambda address: client)
    found: dict = {}
    blocks = GUIDE.read_text().split("```python\n")[1:]
    for block in blocks:
        exec(block.partition("```")[0], found)
    assert len(blocks) == 3
    assert found["ranking"].n_rows == (y == 0).sum()
    assert len(pd.read_parquet(sorted((tmp_path / "ranking").glob("*.parquet"))[0])) > 0
    assert (tmp_path / "run-1" / "boosting.checkpoint").exists()
