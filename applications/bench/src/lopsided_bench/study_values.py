"""Values in a study file: each is returned in its type, or refused in one sentence."""

from collections.abc import Iterable
from typing import Any

from lopsided._check import check_choice
from lopsided_bench.study_file import shorten

__all__ = ["read_count", "read_entry", "read_list", "read_number", "read_share", "read_text"]

_MAX_COUNT = 10**9  # of what is counted; a study has fewer trials by far


def read_text(value: Any, name: str) -> str:
    """Return a text of one line."""
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise ValueError(f"{name} must be a text of one line, got {shorten(value)}.")
    return value


def read_count(value: Any, name: str, least: int = 1, most: int = _MAX_COUNT) -> int:
    """Return a whole number within limits."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or not least <= value <= most:
        raise ValueError(
            f"{name} must be a whole number from {least} to {most}, got {shorten(value)}."
        )
    return int(value)


def read_number(value: Any, name: str) -> float:
    """Return a finite number above 0."""
    known = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not known or not 0 < value < float("inf"):
        raise ValueError(f"{name} must be a number above 0, got {shorten(value)}.")
    return float(value)


def read_share(value: Any, name: str) -> float:
    """Return a number from 0 to below 1."""
    known = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not known or not 0 <= value < 1:
        raise ValueError(f"{name} must be a number from 0 to below 1, got {shorten(value)}.")
    return abs(float(value))  # no -0.0, which would have a key of its own


def read_list(value: Any, name: str) -> list[Any]:
    """Return a list that is not empty; one word alone is a list of it."""
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list) or not value:
        raise ValueError(f"{name} must be a list that is not empty, got {shorten(value)}.")
    return value


def read_entry(given: Any, first: str, what: str, known: Iterable[str]) -> dict[str, Any]:
    """Return an entry as a table, of which a lone word is the `first`."""
    one: dict[str, Any] = {first: given} if isinstance(given, str) else given
    if not isinstance(one, dict):
        raise ValueError(f"{what} must be a word or a table, got {shorten(given)}.")
    for key in one:
        check_choice(key, known, f"entry of {what.lower()}")
    if first not in one:
        raise ValueError(f"{what} needs {first}, got {shorten(given)}.")
    return one
