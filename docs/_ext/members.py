"""Which members of a class its page shows: those that lopsided defines."""

import inspect
import re

_ROUTING = re.compile(r"set_\w+_request|get_metadata_routing")


def skip_foreign(app, what, name, member, skip, options):
    """Leave out what other packages define and what has no words of its own."""
    if what != "class":
        return None
    if _ROUTING.fullmatch(name) or type(member).__name__ == "_tuplegetter":
        return True
    plain = inspect.unwrap(getattr(member, "fget", None) or getattr(member, "__func__", member))
    module = getattr(plain, "__module__", None)
    return True if module and not module.startswith("lopsided") else None


def setup(app):
    """Ask before a member is shown."""
    app.connect("autodoc-skip-member", skip_foreign)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
