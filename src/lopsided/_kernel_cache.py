"""Compiled functions on disk: only where they can be trusted, and never in the way."""

import hashlib
import os
import pickle
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    NullCache,
    UserProvidedCacheLocator,
)
from numba.core.serialize import dumps

from lopsided._warnings import warn

_PACKAGE = Path(__file__).parent


class KernelCache(NullCache):
    """Numba's cache of a function, opened when it is compiled, not when it is imported.

    A cache is a convenience: a damaged one is emptied and filled anew, and where nothing can be
    kept the function is compiled in every process.
    """

    def __init__(self, function: Any):
        self._function = function

    @property
    def cache_path(self) -> str | None:
        """The folder of this function's files; None if there is none."""
        return _open(self._function).cache_path

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the form for a signature, or None if it has to be compiled."""
        kept = _open(self._function)
        try:
            return kept.load_overload(sig, target_context)
        except Exception:  # there is hardly one that a damaged pickle cannot raise
            shutil.rmtree(kept.cache_path, ignore_errors=True)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the form for a signature, if possible."""
        kept = _open(self._function)
        try:
            kept.save_overload(sig, data)
        except Exception as error:
            _warn(_not_kept(kept.cache_path, error))


class _Sealed(CompileResultCacheImpl):
    """Numba's form of a compiled function with a checksum, for machine code has none."""

    # Without the others: they would turn to folders that were not looked at.
    _locator_classes = (UserProvidedCacheLocator,)

    def reduce(self, cres: Any) -> tuple[bytes, bytes]:
        content = dumps(super().reduce(cres))
        return hashlib.sha256(content).digest(), content

    def rebuild(self, target_context: Any, payload: tuple[bytes, bytes]) -> Any:
        digest, content = payload
        if hashlib.sha256(content).digest() != digest:
            raise ValueError("a compiled function is damaged")
        return super().rebuild(target_context, pickle.loads(content))


class _SealedCache(FunctionCache):
    _impl_class = _Sealed


def _open(function: Any) -> Any:
    """Return numba's own cache of a function, in a folder that is ours now, or an empty one."""
    folder = _chosen_folder()
    if folder is None or not make_private(folder):
        return NullCache()
    try:
        with _numba_keeps_in(folder):
            return _SealedCache(function)
    except (OSError, RuntimeError) as error:  # numba's word for a folder without room, too
        _warn(_not_kept(folder, error))
        return NullCache()


@contextmanager
def _numba_keeps_in(folder: Path) -> Iterator[None]:
    wanted = {"CACHE_DIR": str(folder), "CACHE_LOCATOR_CLASSES": ""}
    before = {name: getattr(numba.config, name, "") for name in wanted}
    vars(numba.config).update(wanted)
    try:
        yield
    finally:
        vars(numba.config).update(before)


@cache
def _chosen_folder() -> Path | None:
    folder = compile_cache_folder()
    if folder is None:
        _warn("There is no folder for compiled code that is safe from other users")
    return folder


def _not_kept(folder: Any, error: Exception) -> str:
    reason = getattr(error, "strerror", None) or error
    return f"Compiled code cannot be kept in {folder} ({reason})"


def _warn(trouble: str) -> None:
    warn(
        f"{trouble}, so that every start compiles it again, which takes a while. Set"
        " NUMBA_CACHE_DIR to a folder of your own on a disk with room.",
    )


def compile_cache_folder(package: Path = _PACKAGE) -> Path | None:
    """Return a folder for compiled code that nobody else can change; None if there is none.

    To load compiled code is to run it, so a place that others may have written to is passed
    over, even if `NUMBA_CACHE_DIR` names it. That comes first, then a place beside the source.
    A package installed for all users has its folder in the user's cache or, where there is
    none, as in some containers, in the temporary folder.
    """
    name = f"lopsided-kernels-{hash_sources(package)}"
    folders = (Path(os.path.realpath(place), name) for place in _places(package))
    return next(filter(make_private, folders), None)


def _places(package: Path) -> Iterator[Path]:
    """Yield places for a cache; each is looked for only if those before were passed over."""
    if wish := os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(wish)
        warn(
            f"NUMBA_CACHE_DIR must be a folder that you, and only you, can write to; {wish} is"
            " passed over.",
        )
    yield package / "__pycache__"
    home = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"))
    if home.is_absolute():  # any other is to be ignored, by the standard; or there is no home
        yield home / "lopsided"
    try:
        temporary = tempfile.gettempdir()
    except OSError:
        return
    user = os.geteuid() if hasattr(os, "geteuid") else ""
    yield Path(temporary, f"lopsided-{user}")


def hash_sources(package: Path) -> str:
    """Return a hash of all sources of a package that hold compiled functions.

    Numba itself compares only the file of a function, not those of the functions that it calls.
    """
    hashed = hashlib.sha256()
    for source in sorted(package.rglob("*.py")):
        content = source.read_bytes()
        if b"lopsided._kernel" in content:  # imported by each that has compiled functions
            hashed.update(content)
    return hashed.hexdigest()[:16]


def make_private(folder: Path) -> bool:
    """Make a folder for this user alone, unless there is one; say whether it may be trusted.

    It may if it is the user's, nobody else may enter it, and only the user and root can put
    another in its place, or in that of a folder above it. New folders are made nowhere else.
    There must be no links in the path, which could be turned elsewhere (`os.path.realpath`).
    """
    try:
        for above in reversed(folder.parents):
            above.mkdir(mode=0o700, exist_ok=True)
            if not _keeps_what_it_holds(os.lstat(above)):
                return False
        folder.mkdir(mode=0o700, exist_ok=True)
        return _is_ours_alone(os.lstat(folder)) and os.access(folder, os.W_OK)
    except OSError:
        return False


def _keeps_what_it_holds(found: os.stat_result) -> bool:
    """Say whether strangers cannot rename or replace a folder in this one."""
    if not hasattr(os, "geteuid"):  # on Windows a profile keeps other users out by itself
        return True
    # In a sticky folder, as the temporary one is, they can do so only to what is theirs.
    others = stat.S_IWOTH | stat.S_IWGRP  # a group may hold anybody
    shared = found.st_mode & others and not found.st_mode & stat.S_ISVTX
    return stat.S_ISDIR(found.st_mode) and found.st_uid in (0, os.geteuid()) and not shared


def _is_ours_alone(found: os.stat_result) -> bool:
    if not stat.S_ISDIR(found.st_mode):  # but a link, say
        return False
    # Nobody else may even enter: files are as open as the umask leaves them.
    return not hasattr(os, "geteuid") or (
        found.st_uid == os.geteuid() and not found.st_mode & 0o077
    )
