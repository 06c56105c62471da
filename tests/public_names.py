"""What is public: the names that the pages of the reference list, in `docs/api/`."""

import inspect
import re
from importlib import import_module
from pathlib import Path

API = Path(__file__).parents[1] / "docs" / "api"


def list_names():
    """Return the full names that the reference lists, in its order."""
    names = []
    for page in sorted(API.glob("*.rst")):
        module = ""
        for line in page.read_text(encoding="utf-8").splitlines():
            if named := re.fullmatch(r"\.\. currentmodule:: (\S+)", line):
                module = named[1]
            elif module and (named := re.fullmatch(r"   ([A-Za-z][\w.]*)", line)):
                names.append(f"{module}.{named[1]}")
    return names


def look_up(full):
    """Return what a full name stands for."""
    home, _, name = full.rpartition(".")
    return getattr(import_module(home), name)


def list_public():
    """Return the public functions and classes by the names that the reference has for them."""
    things = {full: look_up(full) for full in list_names()}
    return {
        full: thing
        for full, thing in things.items()
        if inspect.isclass(thing) or inspect.isfunction(thing)
    }
