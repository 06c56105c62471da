"""Fitted names in docstrings, such as n_iter_, which reST takes for links if left bare."""

import re

_BARE = re.compile(r"(?<![`\w.])(\w+_)(?=[,)\"])")


def escape(app, what, name, obj, options, lines):
    """Escape the underscore at the end of names within types and sentences, not in code."""
    for place, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            lines[place] = _BARE.sub(lambda match: match[1][:-1] + "\\_", line)


def setup(app):
    """Escape before numpydoc reads a docstring."""
    app.connect("autodoc-process-docstring", escape, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
