"""Tables with label columns as users bring them: cells by hypothesis, all else from a seed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from numpy.typing import NDArray

from attacks.user_columns import CELLS, COLUMNS, draw_column

__all__ = ["STEPS", "Recipe", "UserTable", "cells", "draw_recipe", "make_table"]

Rng = np.random.Generator
STEPS = ("again", "explain", "store", "next month", "feedback", "report")
_NAMES: tuple[Any, ...] = (
    "rank", "id", "score", "probability", "reasons", "row number", "verdict", "row_label",
    "rank_", "id_", "score_", "label_", "first_label", "group", "features", "", " ", "nan",
    None, 0, 1, -1, 2.5, True, ("a", 1), ("b",), "a,b", "a=b", "a: days", "days", "é\n", "x\ty",
    "مبلغ", "👩\u200d💻", "\u202eevil", "\x07", "<b>name</b>", "{x}", "%s", "n" * 300, "[0]",
    "Unnamed: 0", "index", "level_0", "claim_id",
)  # fmt: skip
_INDEXES = ("count", "count", "count", "text", "repeated", "shuffled", "levels", "moments")
_METHODS = (*["naive-logistic"] * 12, *["puhdt"] * 3, "focused-fast")
_WAYS = ("frame", "frame", "file", "command")
_SUFFIXES = (".csv", ".csv", ".tsv", ".csv.gz", ".parquet", ".semicolon")
_TYPES = ("number", "boolean", "category", "date", "text", "id", "drop")
_BAD_PRIORS = (0, 1, -0.5, float("nan"), "high", 2, True)


@dataclass(frozen=True)
class Recipe:
    """All that a table and what is done with it depend on."""

    n_rows: int
    columns: tuple[tuple[Any, str], ...]  # names and kinds
    cells: tuple[Any, ...]  # of columns of the kind "drawn"
    label_name: Any
    label: str
    id: str | None
    group: str | None
    index: str
    method: str
    way: str  # "frame", "file" or "command"
    file: str  # the suffix
    steps: frozenset[str]
    options: dict[str, Any] = field(default_factory=dict)
    seed: int = 0


@dataclass(frozen=True)
class UserTable:
    """A table, the words to say about it, and the truth about its labels."""

    frame: Any
    roles: dict[str, Any]  # label, positive, negative, id, group, drop, types, decimal
    y: NDArray[np.int8] | None  # None: a refusal may be right


def cells() -> Any:
    """Return a strategy for a few cells of any kind, of which a column is made."""
    plain = (cell for cell in CELLS if not callable(cell))
    one = st.one_of(
        st.text(max_size=8),
        st.integers(-(10**20), 10**20),
        st.floats(),
        st.booleans(),
        st.none(),
        st.dates(),
        st.datetimes(),
        st.times(),
        st.timedeltas(),
        st.decimals(),
        st.binary(max_size=4),
        st.sampled_from(list(plain)),
    )
    return st.lists(one, min_size=1, max_size=6).map(tuple)


def draw_recipe(seed: Any, drawn: tuple[Any, ...], ways: Sequence[str] = _WAYS) -> Recipe:
    """Return a recipe by chance: all that is usual is frequent, all that is odd comes up.

    Parameters
    ----------
    seed : int or sequence of int
        The source of chance.
    drawn : tuple
        From `cells`.
    ways : sequence of str
        How the table may reach the library.
    """
    rng = np.random.default_rng(seed)
    columns = _draw_columns(rng)
    label = str(rng.choice(_USUAL if rng.random() < 0.75 else list(_LABELS)))
    return Recipe(
        n_rows=_draw_height(rng),
        columns=columns,
        cells=drawn,
        label_name="label" if rng.random() < 0.85 else _one_of(rng, _NAMES),
        label=label,
        id=None if rng.random() < 0.5 else str(rng.choice(list(_IDS))),
        group=None if rng.random() < 0.85 else str(rng.choice(list(_GROUPS))),
        index=str(rng.choice(_INDEXES)),
        method=str(rng.choice(_METHODS)),
        way=str(rng.choice(ways)),
        file=str(rng.choice(_SUFFIXES)),
        steps=frozenset(map(str, rng.choice(STEPS, rng.choice([0, 0, 1, 2])))),
        options=_draw_options(rng, columns),
        seed=int(rng.integers(2**32)),
    )


def _one_of(rng: Rng, values: Any) -> Any:
    return values[rng.integers(len(values))]


def _draw_height(rng: Rng) -> int:
    chance = rng.random()
    if chance < 0.1:
        return int(rng.integers(1, 5))
    return int(rng.integers(5, 61)) if chance < 0.97 else int(rng.integers(100, 500))


def _draw_columns(rng: Rng) -> tuple[tuple[Any, str], ...]:
    kinds = rng.choice(["drawn", *COLUMNS], rng.integers(0, 9) if rng.random() < 0.97 else 40)
    odd = rng.random() < 0.3
    columns = [
        (_one_of(rng, _NAMES) if odd and rng.random() < 0.5 else f"column {place}", str(kind))
        for place, kind in enumerate(kinds)
        if kind != "complex" or rng.random() < 0.2  # which no other column makes up for
    ]
    if rng.random() < 0.97:  # else names may come twice
        columns = list({str(name): (name, kind) for name, kind in columns}.values())
    return tuple(columns)


def _draw_options(rng: Rng, columns: tuple[tuple[Any, str], ...]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if columns and rng.random() < 0.1:
        options["types"] = {str(_one_of(rng, columns)[0]): str(rng.choice(_TYPES))}
    if columns and rng.random() < 0.1:
        options["drop"] = [str(_one_of(rng, columns)[0])]
    if rng.random() < 0.1:
        options["decimal"] = str(rng.choice([".", ","]))
    if rng.random() < 0.1:
        options["prior"] = 0.3 if rng.random() < 0.5 else _one_of(rng, _BAD_PRIORS)
    return options


def make_table(recipe: Recipe, month: int = 0) -> UserTable:
    """Return the table of a recipe.

    Parameters
    ----------
    recipe : Recipe
        From `draw_recipe`.
    month : int
        Other numbers give other rows of the same columns.
    """
    n, rng = recipe.n_rows, np.random.default_rng([recipe.seed, month])
    parts = []
    for name, kind in recipe.columns:
        if kind == "drawn":
            column = pd.Series([None] * n, dtype=object)
            for row, place in enumerate(rng.integers(0, len(recipe.cells), n)):
                column.iat[row] = recipe.cells[place]
        else:
            column = draw_column(kind, rng, n)
        parts.append((name, column))
    label, roles, y = _LABELS[recipe.label](rng, n)
    roles["label"] = str(recipe.label_name)
    parts.append((recipe.label_name, _column(label)))
    for role, kind, ways in (("id", recipe.id, _IDS), ("group", recipe.group, _GROUPS)):
        if kind is not None:
            roles[role] = f"the {role}"
            parts.append((f"the {role}", _column(ways[kind](rng, n))))
    parts = [
        parts[place] for place in np.random.default_rng(recipe.seed).permutation(len(parts))
    ]
    frame = pd.concat([column for _, column in parts], axis=1)
    frame.columns = pd.Index([name for name, _ in parts], dtype=object, tupleize_cols=False)
    frame.index = _index(recipe.index, rng, n)
    roles |= {name: recipe.options[name] for name in recipe.options if name != "prior"}
    return UserTable(frame, roles, y)


def _column(cells: Any) -> Any:
    if isinstance(cells, list):
        column = pd.Series([None] * len(cells), dtype=object)
        for place, cell in enumerate(cells):
            column.iat[place] = cell
        return column
    return pd.Series(cells)


def _index(kind: str, rng: Rng, n: int) -> Any:
    if kind == "text":
        return pd.Index([f"row {place}" for place in range(n)])
    if kind == "repeated":
        return pd.Index(rng.integers(0, 3, n))
    if kind == "shuffled":
        return pd.Index(rng.permutation(n), name="key")
    if kind == "levels":
        return pd.MultiIndex.from_arrays([rng.integers(0, 3, n), rng.integers(0, 3, n)])
    if kind == "moments":
        return pd.date_range("2024", periods=n)
    return pd.RangeIndex(n)


def _truth(rng: Rng, n: int, reviewed: bool = True) -> NDArray[np.int8]:
    """Return labels of which each kind may be missing, where n is small."""
    share = rng.choice([0.1, 0.2, 0.5])
    y = (rng.random(n) < share).astype(np.int8)
    if reviewed and rng.random() < 0.5:
        y[(rng.random(n) < 0.2) & (y == 0)] = -1
    return y


def _coded(codes: Any, dtype: Any = None, **roles: Any) -> Callable[[Rng, int], Any]:
    """Return how to draw labels that are written in one way."""

    def draw(rng: Rng, n: int) -> Any:
        y = _truth(rng, n, reviewed=-1 in codes)
        cells = [codes[int(one)] for one in y]
        choose = [_one_of(rng, cell) if isinstance(cell, tuple) else cell for cell in cells]
        named = dict(roles)
        if not (y == -1).any() and rng.random() < 0.95:  # else it is named, and not there
            named.pop("negative", None)
        return (choose if dtype is None else pd.array(choose, dtype)), named, y

    return draw


def _wrong(values: Any, **roles: Any) -> Callable[[Rng, int], Any]:
    """Return how to draw labels that may be none, and must be refused if so."""
    return lambda rng, n: (
        [values[i] for i in rng.integers(0, len(values), n)],
        dict(roles),
        None,
    )


_LABELS: dict[str, Callable[[Rng, int], Any]] = {
    "numbers": _coded({1: 1, 0: 0, -1: -1}),
    "words": _coded(
        {1: "fraud", 0: ("", "open"), -1: "cleared"}, positive="fraud", negative="cleared"
    ),
    "floats": _coded({1: 1.0, 0: (0.0, float("nan")), -1: -1.0}),
    "booleans": _coded({1: True, 0: False}, bool),
    "nullable": _coded({1: 1, 0: (0, None), -1: -1}, "Int64"),
    "nullable booleans": _coded({1: True, 0: (False, None)}, "boolean"),
    "text of numbers": _coded({1: ("1", "1.0", " 1"), 0: ("0", "", "NA", None), -1: "-1"}),
    "text of booleans": _coded({1: ("True", "TRUE"), 0: ("false", "")}),
    "marked": _coded({1: ("yes", "YES "), 0: ("", None, "no")}, positive="yes"),
    "unicode": _coded({1: "詐欺", 0: ("", "مفتوح"), -1: "👍"}, positive="詐欺", negative="👍"),
    "number as positive": _coded({1: (7, "7.0"), 0: 3}, positive=7),
    "category": _coded(
        {1: "bad", 0: "open", -1: "good"}, "category", positive="bad", negative="good"
    ),
    "no negative named": _coded({1: "bad", 0: ("good", "open")}, positive="bad"),
    "all blank": lambda rng, n: (
        [("", None, "NA")[place] for place in rng.integers(0, 3, n)],
        {},
        np.zeros(n, np.int8),
    ),
    "one label": lambda rng, n: (
        [int(row == n // 2) for row in range(n)],
        {},
        (np.arange(n) == n // 2).astype(np.int8),
    ),
    "all labeled": _wrong([1]),
    "all reviewed": _wrong([1, -1]),
    "wrong words": _wrong(["a", "b", ""]),
    "wrong value": _wrong(["a", "b"], positive="c"),
    "empty value": _wrong(["a", "", None], positive=" "),
    "same values": _wrong(["a", "b"], positive="a", negative="A"),
    "long words": _wrong(["w" * 500 + str(place) for place in range(9)]),
    "dates": _wrong(["2024-01-01", "2024-05-05"]),
    "a date as positive": _wrong(["2024-01-01", "", ""], positive="2024-01-01"),
    "moments": _wrong([pd.Timestamp("2024"), pd.NaT]),
    "other numbers": _wrong([0, 1, 2, 3]),
    "shares": _wrong([0.1, 0.9]),
    "lists": _wrong([[1], [0], None]),
    "anything": _wrong(CELLS),
    "anything named": _wrong(CELLS, positive="1"),
    "missing column": lambda rng, n: (_truth(rng, n), {"id": "not there"}, None),
}
_USUAL = list(_LABELS)[: list(_LABELS).index("all labeled")]
_IDS: dict[str, Callable[[Rng, int], Any]] = {
    "keys": lambda rng, n: [f"C-{place:04d}" for place in rng.permutation(n)],
    "numbers": lambda rng, n: rng.permutation(n),
    "leading zeros": lambda rng, n: [f"{place:06d}" for place in rng.permutation(n)],
    "repeated": lambda rng, n: [f"C-{place}" for place in rng.integers(0, max(n // 2, 1), n)],
    "with gaps": lambda rng, n: [f"C-{place}" if place % 3 else None for place in range(n)],
    "floats": lambda rng, n: np.where(rng.random(n) < 0.3, np.nan, np.arange(n)),
    "blank": lambda rng, n: [None] * n,
    "moments": lambda rng, n: pd.date_range("2024", periods=n),
    "levels": lambda rng, n: pd.Categorical([f"C-{place}" for place in range(n)]),
    "anything": lambda rng, n: [CELLS[place] for place in rng.integers(0, len(CELLS), n)],
}
_GROUPS: dict[str, Callable[[Rng, int], Any]] = {
    "few": lambda rng, n: rng.integers(0, max(n // 4, 2), n),
    "one": lambda rng, n: ["same"] * n,
    "own": lambda rng, n: [f"g{place}" for place in range(n)],
    "with gaps": lambda rng, n: [(None, "a", "b", "c", "d")[i] for i in rng.integers(0, 5, n)],
    "anything": lambda rng, n: [CELLS[place] for place in rng.integers(0, len(CELLS), n)],
}
