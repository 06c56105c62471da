"""Which files of a folder, a list or a dataset are those of a table."""

import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow.dataset as ds

__all__ = ["check_outside", "list_parquet"]

_WHOLE = re.compile(r"-?\d{1,18}")
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


def check_outside(output: str | os.PathLike[str], source: Any) -> None:
    """Refuse to write into the folder of a table, where it would be read as a part of it."""
    if not isinstance(source, (str, os.PathLike)) or not Path(source).is_dir():
        return
    target, folder = Path(output).resolve(), Path(source).resolve()
    if target == folder or (
        folder in target.parents and not _is_hidden(target.relative_to(folder))
    ):
        raise ValueError(
            f"{output} must be outside of the folder of the table, {source}: it would be read "
            "as a part of the table. Write to another folder."
        )


def list_parquet(source: Any) -> list[tuple[Path, dict[str, Any]]]:
    """Return paths, and the values that the folders of each stand for."""
    if hasattr(source, "get_fragments"):
        return _list_fragments(source)
    if isinstance(source, (str, os.PathLike)):
        root = Path(source)
        if not root.exists():
            raise FileNotFoundError(
                f"There is no file or folder {root}. Give a parquet file or a folder of them."
            )
        if root.is_file():
            return [(root, {})]
        paths = sorted(
            path
            for path in root.rglob("*")
            if path.suffix in (".parquet", ".pq")
            and not _is_hidden(path.relative_to(root))
            and path.is_file()
        )
    else:
        paths = [Path(one) for one in source]
        root = Path(os.path.commonpath([path.parent for path in paths])) if paths else Path()
    if not paths:
        raise FileNotFoundError(
            f"{source} must hold parquet files (*.parquet), got none. Write the table as "
            "parquet."
        )
    values = [_read_folders(path.relative_to(root)) for path in paths]
    for name in {name for own in values for name in own}:
        texts = [own[name] for own in values if own.get(name) is not None]
        if all(_WHOLE.fullmatch(text) for text in texts):
            for own in values:
                if own.get(name) is not None:
                    own[name] = int(own[name])
    return list(zip(paths, values, strict=True))


def _list_fragments(source: Any) -> list[tuple[Path, dict[str, Any]]]:
    try:
        fragments = list(source.get_fragments())
    except ValueError:
        raise ValueError(
            "A dataset of Arrow must be whole, got one with a filter or a choice of columns. "
            "Write what it leaves to files of their own, and give these."
        ) from None
    if not all(hasattr(one, "path") for one in fragments) or not fragments:
        raise ValueError(
            "A dataset of Arrow must be one of parquet files, got one without files. Write it "
            "to files first."
        )
    return [
        (Path(one.path), ds.get_partition_keys(one.partition_expression)) for one in fragments
    ]


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(("_", ".")) for part in path.parts)


def _read_folders(path: Path) -> dict[str, Any]:
    pairs = (part.split("=", 1) for part in path.parts[:-1] if part.find("=") > 0)
    return {
        unquote(name): None if value == _NO_VALUE else unquote(value) for name, value in pairs
    }
