"""Study files that nobody should write, each with what must come of it."""

from typing import NamedTuple

__all__ = ["STUDIES", "Hostile"]

_HEAD = """\
title = "T"
datasets = ["wine-rare"]
mechanisms = [{ kind = "scar", hidden = [0.5] }]
methods = ["naive-logistic"]
repeats = 1
"""


class Hostile(NamedTuple):
    """The text of a file, and what must come of it: "error", "result", or "either"."""

    what: str
    content: bytes
    wanted: str = "error"
    run: bool = False  # not only --dry-run
    name: str = "hostile.toml"


def _with(line: str, old: str = "", new: str = "") -> bytes:
    """Return a good study with one line in the place of that of the same name."""
    key = line.partition("=")[0].strip()
    lines = [one for one in _HEAD.splitlines() if one.partition("=")[0].strip() != key]
    return ("\n".join([*lines, line]) + "\n").replace(old, new).encode()


def _method(**entries: str) -> bytes:
    """Return a good study of one method, its entries written as TOML."""
    return _with(f"methods = [{{ {', '.join(f'{k} = {v}' for k, v in entries.items())} }}]")


def _deep(opening: str, closing: str, depth: int = 20_000) -> bytes:
    return _with(f"methods = {opening * depth}{closing * depth}")


def _many_methods(n: int) -> bytes:
    entries = ", ".join(f'{{ label = "m{i}", name = "naive-logistic" }}' for i in range(n))
    return _with(f"methods = [{entries}]")


def _many_shares(n: int) -> bytes:
    shares = ", ".join(f"0.{i:06d}" for i in range(1, n))
    return _with(f"mechanisms = [{{ kind = 'scar', hidden = [{shares}] }}]")


_ESCAPE = '"\\u001b[31mred\\u0007"'

STUDIES: tuple[Hostile, ...] = (
    Hostile("nothing odd", _HEAD.encode(), "result", run=True),
    Hostile("empty", b""),
    Hostile("no TOML", b"title = = 3"),
    Hostile("random bytes", bytes(range(256)) * 20),
    Hostile("UTF-16", _HEAD.encode("utf-16")),
    Hostile("a mark in front", b"\xef\xbb\xbf" + _HEAD.encode(), "either"),
    Hostile("NUL", _HEAD.encode().replace(b"T", b"\x00")),
    Hostile("deep lists", _deep("[", "]")),
    Hostile("deep tables", _with("methods = " + "{a=" * 20_000 + "1" + "}" * 20_000)),
    Hostile("deep dotted keys", ("a." * 50_000 + "b = 1\n").encode()),
    Hostile("a table for a risk", _method(name="'ifpu-xgb'", params="{ risk = { a = 1 } }")),
    Hostile("a word for a risk", _method(name="'ifpu-xgb'", params="{ risk = 'x' }")),
    Hostile(
        "a list for a count",
        _method(name="'puhrf'", params="{ n_estimators = [] }"),
        "either",
        run=True,
    ),
    Hostile(
        "a net of no width",
        _method(name="'nnpu-mlp'", params="{ widths = [0] }"),
        "either",
        run=True,
    ),
    Hostile("first 10**40", _with(f"first = 1{'0' * 40}")),
    Hostile("repeats 10**9", _with("repeats = 1000000000")),
    Hostile("repeats 10**5000", _with(f"repeats = 1{'0' * 5000}")),
    Hostile("seed 10**40", _with(f"seed = 1{'0' * 40}"), "either", run=True),
    Hostile("100,000 methods", _many_methods(100_000), "either"),
    Hostile("100,000 shares", _many_shares(100_000), "either"),
    Hostile("a share of 1", _with("mechanisms = [{kind='scar', hidden=[1.0]}]")),
    Hostile("a share that is NaN", _with("mechanisms = [{kind='scar', hidden=[nan]}]")),
    Hostile(
        "nearly all hidden",
        _with("mechanisms = [{kind='scar', hidden=[0.9999999]}]"),
        "either",
        run=True,
    ),
    Hostile("hardly a test row", _with("test_share = 1e-9"), "either", run=True),
    Hostile("hardly a training row", _with("test_share = 0.9999999"), "either", run=True),
    Hostile("no time", _with("timeout = 1e-9"), "either", run=True),
    Hostile("endless time", _with("timeout = 1e300"), "either", run=True),
    Hostile("infinite time", _with("timeout = inf")),
    Hostile(
        "a huge prior factor",
        _with("prior_factors = [1.0, 1e308]", "naive-logistic", "puhdt"),
        "either",
        run=True,
    ),
    Hostile("no factor of 1", _with("prior_factors = [2.0]")),
    Hostile("labels twice", _with("methods = ['spy', 'spy']")),
    Hostile(
        "a label with an escape", _method(name="'puhdt'", label=_ESCAPE), "either", run=True
    ),
    Hostile(
        "a label that is a path", _method(name="'puhdt'", label="'../../x'"), "result", run=True
    ),
    Hostile(
        "a label of 100,000 letters",
        _method(name="'puhdt'", label=f"'{'x' * 100_000}'"),
        "either",
    ),
    Hostile("an unknown method", _with(f"methods = ['{'focsed' * 5000}']")),
    Hostile("an unknown entry with an escape", _HEAD.encode() + f"{_ESCAPE} = 1\n".encode()),
    Hostile("a study of itself", _method(name="'puhdt'", label="'a'", like="'a'")),
    Hostile("dates for numbers", _with("repeats = 2024-01-01")),
    Hostile("a title of many lines", _with('title = "a\\nb\\u001b[2J"'), "either", run=True),
    Hostile(
        "a name with a newline", _HEAD.encode(), "either", run=True, name="two\nlines.toml"
    ),
)
