"""Folders that nobody but their owner can change, so that what lies there may be trusted."""

import os
import stat
from pathlib import Path


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
