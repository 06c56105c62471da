"""The folder of a ranking: nothing of it is replaced before all of a new one is written."""

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from lopsided._files import atomic_write, check_no_file

__all__ = ["MARK", "check_ranking_folder", "replacing"]

MARK = "ranking.json"
_DRAFT = ".lopsided-ranking-"
_PARTS = "part-*.parquet"


def check_ranking_folder(folder: Any, sources: Iterable[Any] = ()) -> Path:
    """Return where a ranking is to be written; refuse what holds other files, or the table.

    Parameters
    ----------
    folder : path
        New, empty, or one of ours: with a ranking, or with what is left of one.
    sources : iterable of paths
        Folders and files that the table is read from.

    Returns
    -------
    Path
        Absolute, since workers have other folders of their own.
    """
    target = Path(os.path.realpath(folder))
    check_no_file(target, " for the ranking")
    if target in {_folder_of(source) for source in sources}:
        raise ValueError(
            f"{folder} must be another folder than the table's, got the one that is read. Name "
            "another folder."
        )
    names = [path.name for path in target.iterdir()] if target.exists() else []
    if names and MARK not in names and not any(name.startswith(_DRAFT) for name in names):
        raise FileExistsError(
            f"{folder} must be new or hold a ranking, got a folder with other files. Name "
            "another folder."
        )
    return target


def _folder_of(path: Any) -> Path:
    """Return the folder that a path leads to, or that of the file."""
    place = Path(os.path.realpath(path))
    return place.parent if place.is_file() else place


@contextmanager
def replacing(target: Path) -> Iterator[tuple[Path, Path]]:
    """Give a folder for new parts and a file for their mark; on success they are the ranking.

    The draft is inside of the folder, as that around it may be nobody's to write to, and goes
    last: where it is left, what is beside it is ours to replace.
    """
    is_new = not target.exists()
    target.mkdir(parents=True, exist_ok=True)
    left = [path for path in target.iterdir() if path.name.startswith(_DRAFT)]
    draft = target / f"{_DRAFT}{uuid4().hex}"
    draft.mkdir()
    try:
        yield draft, draft / MARK
    except BaseException:
        shutil.rmtree(target if is_new else draft, ignore_errors=True)
        raise
    (target / MARK).unlink(missing_ok=True)
    for old in target.glob(_PARTS):
        old.unlink()
    for new in draft.glob(_PARTS):
        os.replace(new, target / new.name)
    with atomic_write(target / MARK) as mark:
        mark.write_bytes((draft / MARK).read_bytes())
    for one in (*left, draft):
        shutil.rmtree(one, ignore_errors=True)
