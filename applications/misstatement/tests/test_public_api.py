"""The application stands on public names of lopsided alone."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import lopsided_misstatement

FILES = sorted(Path(lopsided_misstatement.__file__).parent.rglob("*.py"))


def is_private(name):
    return name.startswith("_") and not name.endswith("__")


def imported_names(tree):
    """Return every module and name that is imported from lopsided, in dotted parts."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (name.split(".") for name in names if name.split(".")[0] == "lopsided")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_no_private_name_of_lopsided_is_imported(file):
    tree = ast.parse(file.read_text(encoding="utf-8"))
    private = [".".join(name) for name in imported_names(tree) if any(map(is_private, name))]
    assert private == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_no_private_attribute_of_another_object_is_used(file):
    tree = ast.parse(file.read_text(encoding="utf-8"))
    used = [
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and is_private(node.attr)
        and not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"))
    ]
    assert used == []


def test_there_is_something_to_check():
    used = [
        ".".join(name)
        for file in FILES
        for name in imported_names(ast.parse(file.read_text(encoding="utf-8")))
    ]
    assert "lopsided.build" in used
    assert "lopsided.model_selection.labels_as_of" in used


def test_the_help_loads_nothing_heavy():
    script = (
        "import sys\nfrom lopsided_misstatement.cli import main\n"
        "try: main(['--help'])\nexcept SystemExit: print('\\n'.join(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert "--synthetic" in done.stdout
    assert not set(done.stdout.split()) & {"sklearn", "pandas", "scipy", "xgboost", "rich"}
