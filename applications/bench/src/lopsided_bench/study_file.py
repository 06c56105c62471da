"""The TOML file of a study: found by its path or its name, and read within limits."""

import difflib
import reprlib
import tomllib
from pathlib import Path
from typing import Any

__all__ = ["find_study", "list_studies", "name_of_study", "read_toml", "shorten"]

_NAMED = Path(__file__).with_name("studies")  # these come with the package
# Far more than any study needs, and little enough that whatever a file holds is read at once:
# the time that a key takes grows with the square of its dots.
_MAX_BYTES, _MAX_DOTS, _MAX_LETTERS, _MAX_DEPTH = 64_000, 200, 500, 8
_TOO_DEEP = "It is nested deeper than any study. Write it flat."
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 80
shorten = _SHORT.repr  # a value as an error shows it: on one line, and shortened


def list_studies() -> list[str]:
    """Return the names of the studies that come with the package."""
    return sorted(file.stem for file in _NAMED.glob("*.toml"))


def find_study(study: str | Path) -> Path:
    """Return the file of a study; a file that is there wins over a study of the same name."""
    file = Path(study)
    if file.is_file():
        return file
    names = list_studies()
    if str(study) in names:
        return _NAMED / f"{study}.toml"
    near = difflib.get_close_matches(file.stem, names, n=1, cutoff=0.5)
    hint = (
        f"Did you mean {near[0]}?" if near else f"Name a .toml file, or {' or '.join(names)}."
    )
    raise FileNotFoundError(f"No study is at {study}. {hint}")


def name_of_study(file: Path) -> str:
    """Return the name that a file gives its study; what a stem is hangs on Python's version."""
    return file.name.removesuffix(".toml") if file.name.endswith(".toml") else file.stem


def read_toml(file: Path) -> dict[str, Any]:
    """Read a TOML file of a size, depth and numbers that a study may have."""
    with open(file, "rb") as opened:
        content = opened.read(_MAX_BYTES + 1)
    if len(content) > _MAX_BYTES:
        raise ValueError(f"A study must have at most {_MAX_BYTES} bytes. Split it.")
    if any(line.count(b".") > _MAX_DOTS for line in content.splitlines()):
        raise ValueError(_TOO_DEEP)
    try:
        found = tomllib.loads(content.decode())
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    except ValueError as error:  # also of numbers with thousands of digits
        raise ValueError(f"A study must be TOML, and this is not: {error}.") from error
    _check_size(found)
    return found


def _check_size(value: Any, depth: int = 0) -> None:
    """Refuse a value deeper, longer or larger than any in a study; it cannot recurse deeper."""
    if depth > _MAX_DEPTH:
        raise ValueError(_TOO_DEEP)
    if isinstance(value, str) and len(value) > _MAX_LETTERS:
        raise ValueError(
            f"A text must have at most {_MAX_LETTERS} letters, got {shorten(value)}."
        )
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise ValueError(
            "A whole number must fit into 64 bits, as TOML has it, got one of "
            f"{value.bit_length()}."
        )
    parts = (*value, *value.values()) if isinstance(value, dict) else value
    for part in parts if isinstance(parts, tuple | list) else ():
        _check_size(part, depth + 1)
