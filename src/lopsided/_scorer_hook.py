"""Let scikit-learn know the PU metrics by name, without loading it or NumPy for that."""

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType

__all__ = ["register_late"]

_HOME = "sklearn.metrics._scorer"


def register_late() -> None:
    """Register the scorers of `lopsided.metrics` once scikit-learn has its own.

    Where scikit-learn is loaded, that is now; else a finder waits for it. A process that never
    loads scikit-learn pays nothing.
    """
    if _HOME in sys.modules:
        _register()
    elif not any(isinstance(finder, _WhenLoaded) for finder in sys.meta_path):
        sys.meta_path.insert(0, _WhenLoaded())


def _register() -> None:
    import_module("lopsided.metrics").register_scorers()


class _WhenLoaded:
    """A finder that waits for scikit-learn's scorers, and steps aside once they come."""

    def find_spec(
        self, name: str, path: object = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec that others find, with our import at the end of its run."""
        if name != _HOME:
            return None
        from importlib.util import find_spec

        sys.meta_path.remove(self)
        spec = find_spec(name)
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module

            def run_and_import(module: ModuleType) -> None:
                run(module)
                _register()

            spec.loader.exec_module = run_and_import  # type: ignore[method-assign]
        return spec
