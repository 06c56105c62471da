"""Names in the code style of a page, such as `PURisk`, link to the reference if it has them.

On the page of a class a bare name is that of its member, if it has one: `fit` of a method and
not the function `lopsided.fit`.
"""

import re

from docutils import nodes
from sphinx import addnodes
from sphinx.util.nodes import make_refnode

_NAME = re.compile(r"(?:\w+\.)*\w+")
_KINDS = ("class", "function", "data", "exception")


def list_names(env):
    """Return public names in full and by their last part, unless two things share it."""
    names, shared = {}, set()
    for full, entry in env.get_domain("py").objects.items():
        if entry.aliased or entry.objtype not in _KINDS:
            continue
        names[full] = entry
        short = full.rpartition(".")[2]
        if short in names:
            shared.add(short)
        names[short] = entry
    return {name: entry for name, entry in names.items() if name not in shared}


def is_telling(name):
    """Say whether a name can mean nothing else: `fit` may be a command or a word."""
    return "." in name or "_" in name.strip("_") or name != name.lower()


def link(app, doctree, docname):
    """Link the names on a page that is not of the reference itself."""
    if docname.startswith("api/"):
        return
    known = list_names(app.env)
    for literal in list(doctree.findall(nodes.literal)):
        name = literal.astext().removesuffix("()")
        if isinstance(literal.parent, nodes.reference | nodes.title):
            continue
        if not (_NAME.fullmatch(name) and is_telling(name) and name in known):
            continue
        entry = known[name]
        target = make_refnode(
            app.builder, docname, entry.docname, entry.node_id, literal.deepcopy(), name
        )
        literal.replace_self(target)


def prefer_members(app, doctree):
    """Point bare names in the text of a class at its members, which Sphinx looks for last."""
    known = app.env.get_domain("py").objects
    for wanted in doctree.findall(addnodes.pending_xref):
        if wanted.get("refdomain") != "py" or not wanted.get("py:class"):
            continue
        parts = (wanted.get("py:module"), wanted["py:class"], wanted["reftarget"])
        full = ".".join(filter(None, parts))
        if full in known:
            wanted["reftarget"] = full


def setup(app):
    """Turn names as a page is read, and link once all names are known."""
    app.connect("doctree-read", prefer_members)
    app.connect("doctree-resolved", link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
