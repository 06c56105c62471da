"""Applications are built on public names alone; layers are import-linter's."""

import ast
import re
from pathlib import Path

import pytest

APPLICATIONS = Path(__file__).parents[1] / "applications"
SOURCES = sorted(APPLICATIONS.rglob("*.py"))


def list_imports(path):
    """Yield what a file imports, as dotted names, at any depth."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def list_private(path):
    """Return the private names of lopsided that a file imports."""
    return [
        name
        for name in list_imports(path)
        if name.startswith("lopsided.") and re.search(r"\._(?!_)", name)
    ]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(APPLICATIONS)))
def test_an_application_imports_public_names_only(path):
    assert not list_private(path)


def test_a_private_import_is_seen(tmp_path):
    file = tmp_path / "odd.py"
    file.write_text(
        "import lopsided._math\n"
        "from lopsided import __version__, fit\n"
        "def f():\n    from lopsided.methods.base import _hidden\n"
        "from lopsided_bench._own import fine\n"
    )
    assert list_private(file) == ["lopsided._math", "lopsided.methods.base._hidden"]
