"""What is public: the names that the pages of the reference list, in `docs/api/`."""

import inspect
import re
from importlib import import_module
from pathlib import Path

API = Path(__file__).parents[1] / "docs" / "api"


def list_public():
    """Return the public functions and classes by the names that the reference has for them."""
    found = {}
    for page in sorted(API.glob("*.rst")):
        module = ""
        for line in page.read_text(encoding="utf-8").splitlines():
            if named := re.fullmatch(r"\.\. currentmodule:: (\S+)", line):
                module = named[1]
            elif module and (named := re.fullmatch(r"   ([A-Za-z][\w.]*)", line)):
                home, _, name = f"{module}.{named[1]}".rpartition(".")
                thing = getattr(import_module(home), name)
                if inspect.isclass(thing) or inspect.isfunction(thing):
                    found[f"{home}.{name}"] = thing
    return found
