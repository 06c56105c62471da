"""The shape of the tree: who may import what, and how large files may be."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "src").rglob("*.py")) + sorted((ROOT / "applications").rglob("*.py"))


def module_of(path):
    """Return the dotted name of a file's package."""
    parts = path.with_suffix("").parts
    return ".".join(parts[parts.index("src") + 1 : -1]) if "src" in parts else "tests"


def imports_of(path):
    """Yield (module, name or None) for every absolute import of a file, at any depth."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)


def is_private(name):
    return name.startswith("_") and not name.startswith("__")


def crossings(path):
    """Yield imports of another package's private modules or names."""
    home = module_of(path)
    for module, name in imports_of(path):
        words = [*module.split("."), *([name] if name else [])]
        for place, word in enumerate(words):
            owner = ".".join(words[:place])
            ours = words[0].startswith("lopsided")
            own = home == owner or home.startswith(f"{owner}.")
            if ours and is_private(word) and not own:
                yield ".".join(words)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_private_name_of_another_package_is_imported(path):
    assert not list(crossings(path))


def test_a_private_import_would_be_found(tmp_path):
    folder = tmp_path / "src" / "lopsided" / "bench"
    folder.mkdir(parents=True)
    file = folder / "odd.py"
    file.write_text(
        "from lopsided.methods._frames import as_pandas\n"
        "from lopsided.methods.base import _hidden\n"
        "from lopsided._check import require\n"
        "from lopsided.bench._own import fine\n"
    )
    found = ["lopsided.methods._frames.as_pandas", "lopsided.methods.base._hidden"]
    assert list(crossings(file)) == found


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_is_one_idea(path):
    assert len(path.read_text().splitlines()) <= 400
