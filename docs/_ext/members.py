"""Which members of a class its page shows: those that lopsided defines for its users."""

import inspect
import re

_ROUTING = re.compile(r"set_\w+_request|get_metadata_routing")
# What other parts of lopsided ask of a table's model, and who has one does not.
_TABLE_MODEL = ("blind_proba", "explain_rows", "from_parts", "log_hidden", "score", "to_parts")
_INTERNAL = {f"TableModel.{name}" for name in _TABLE_MODEL}


def skip_foreign(app, what, name, member, skip, options):
    """Leave out what other packages define, what has no words of its own, and internals."""
    if what != "class":
        return None
    if _ROUTING.fullmatch(name) or type(member).__name__ == "_tuplegetter":
        return True
    plain = inspect.unwrap(getattr(member, "fget", None) or getattr(member, "__func__", member))
    if getattr(plain, "__qualname__", None) in _INTERNAL:
        return True
    module = getattr(plain, "__module__", None)
    return True if module and not module.startswith("lopsided") else None


def setup(app):
    """Ask before a member is shown."""
    app.connect("autodoc-skip-member", skip_foreign)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
