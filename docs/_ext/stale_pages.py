"""Generated pages whose source has gone are removed, or they would be built for ever."""

import re
from pathlib import Path

_MODULE = re.compile(r"\.\. currentmodule:: (\S+)")
_NAME = re.compile(r"   ([A-Za-z][\w.]*)")


def list_names(folder):
    """Return the full names that the pages of the reference list."""
    names, module = set(), ""
    for page in folder.glob("*.rst"):
        for line in page.read_text(encoding="utf-8").splitlines():
            if found := _MODULE.fullmatch(line):
                module = found[1]
            elif found := _NAME.fullmatch(line):
                names.add(f"{module}.{found[1]}")
    return names


def remove_stale(app):
    """Remove pages of names and of examples that are no more."""
    docs = Path(app.srcdir)
    names = list_names(docs / "api")
    for page in (docs / "api" / "generated").glob("*.rst"):
        if page.stem not in names:
            page.unlink()
    examples = {path.stem for path in (docs.parent / "examples" / "gallery").glob("plot_*.py")}
    for page in (docs / "auto_examples").glob("plot_*"):
        if page.name.partition(".")[0] not in examples:
            page.unlink()


def setup(app):
    """Remove before pages are generated and looked for."""
    app.connect("builder-inited", remove_stale, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
