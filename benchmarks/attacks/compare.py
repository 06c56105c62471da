"""What two runs of a study have in common: everything but the seconds."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from attacks.verdicts import Finding
from lopsided.bench.table import Row

__all__ = ["check_same_results", "list_files", "read_finished"]


def list_files(folder: Path) -> set[str]:
    """Return the files below a folder by their relative names."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def read_finished(folder: Path, but: str = "") -> dict[tuple[str, str], float]:
    """Return the seconds of every finished trial in the folder of a study, by key and metric.

    Read without lopsided's own readers; a line that is cut off is no finished trial.

    Parameters
    ----------
    folder : path
        Where the results are.
    but : str
        The file that is not looked at, say because it is damaged.
    """
    import pandas as pd

    rows: list[dict[str, Any]] = []
    table = folder / "table.parquet"
    if table.exists() and but != "table.parquet":
        rows += pd.read_parquet(table).to_dict("records")
    for part in folder.glob("parts/*.jsonl"):
        if but != f"parts/{part.name}":
            for line in part.read_text(errors="replace").splitlines():
                with suppress(json.JSONDecodeError):
                    rows += [
                        dict(zip(Row._fields, one, strict=True)) for one in json.loads(line)
                    ]
    return {
        (row["key"], row["metric"]): row["seconds"] for row in rows if row["status"] == "ok"
    }


def check_same_results(folder: Path, reference: Path, keys: list[str]) -> None:
    """Raise a finding unless both folders hold the same table, seconds and versions aside.

    Parameters
    ----------
    folder, reference : path
        Each holds a `table.parquet`.
    keys : list of str
        Columns that name a row.
    """
    tables = [_read(place / "table.parquet", keys) for place in (folder, reference)]
    if [len(table) for table in tables] != [len(tables[1])] * 2:
        raise Finding(
            "wrong", f"{len(tables[0])} rows of results, {len(tables[1])} undisturbed"
        )
    if not tables[0].equals(tables[1]):
        raise Finding("wrong", "the results are not those of an undisturbed run")


def _read(file: Path, keys: list[str]) -> Any:
    import pandas as pd

    table = pd.read_parquet(file)
    return table.sort_values(keys, ignore_index=True)[[*keys, "value"]]
