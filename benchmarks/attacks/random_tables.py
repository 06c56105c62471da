"""Random tables, as users have them and as they should not be."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse

from attacks.columns import CATEGORIES, HOSTILE, NUMBERS, PLAIN, draw_column

__all__ = ["Table", "draw_table"]

Rng = np.random.Generator
_NAMES = (
    lambda i: f"column {i}",
    lambda i: i,
    lambda i: ("pair", i),
    lambda i: i + 0.5,
    lambda i: ["a", "b", "a", "c"][i % 4],
    lambda i: ["[0]", "<b>", "a,b", "", "f0", "é\n", "y", "__"][i % 8] + " " * (i // 8),
    lambda i: [i, f"{i}"][i % 2],
    lambda i: None if i == 0 else f"{i}",
)
_MOODS = {
    "plain": 0.15,
    "odd column": 0.45,
    "odd container": 0.15,
    "odd labels": 0.1,
    "anything": 0.15,
}
_PRIORS = (0, 1, -0.1, np.nan, np.inf, "high", True, [0.2], 1e-12, 1 - 1e-12, np.float32(0.2))


class Table(NamedTuple):
    """What a method is given, and what is known about it."""

    X: Any
    y: Any
    new: Any  # rows to score
    weight: Any
    prior: Any
    plain: bool  # there is nothing to refuse
    story: str  # what it is, for a reader


def draw_table(rng: Rng) -> Table:
    """Return a random table; some are plain, and most others have one oddity."""
    n, m = _draw_height(rng), int(rng.integers(1, 12))
    mood = str(rng.choice(list(_MOODS), p=list(_MOODS.values())))
    if mood == "odd container" and rng.random() < 0.2:
        X, new, story = _draw_no_table(rng, n)
        return Table(X, _good_labels(rng, n), new, None, None, False, story)
    kinds = _draw_kinds(rng, mood)
    whole = pd.concat(
        [pd.Series(draw_column(kind, rng, n + m), copy=True) for kind in kinds], axis=1
    )
    if len(kinds) > 1 and rng.random() < 0.1:
        whole.isetitem(1, whole.iloc[:, 0])  # the same column twice
    name = _NAMES[
        0 if mood == "plain" else rng.choice(len(_NAMES), p=_mostly_first(len(_NAMES)))
    ]
    whole.columns = pd.Index([name(i) for i in range(len(kinds))], tupleize_cols=False)
    X, new = whole.iloc[:n], whole.iloc[n:].reset_index(drop=True)
    form = "frame"
    if mood != "odd labels" or rng.random() < 0.5:
        X, new, form = _in_container(rng, X, new, mood)
    strict = mood in ("plain", "odd labels")
    y, label_story, good = _good_labels(rng, n), "good labels", True
    if mood in ("odd labels", "anything"):
        y, label_story, good = _odd_labels(rng, y)
    weight, prior = _draw_weight(rng, y, mood), _draw_prior(rng, mood)
    plain = strict and good and n >= 4 and weight is None and prior is None
    plain = plain and form in ("frame", "array") and mood == "plain"
    story = f"{n} rows as {form}, names like {name(0)!r}: {', '.join(kinds)}; {label_story}"
    if weight is not None:
        story += f"; weights {np.asarray(weight).ravel()[:3]}"
    if prior is not None:
        story += f"; prior {prior!r}"
    return Table(X, y, new, weight, prior, plain, story)


def _mostly_first(n: int) -> Any:
    return np.r_[0.7, np.full(n - 1, 0.3 / (n - 1))]


def _draw_height(rng: Rng) -> int:
    chance = rng.random()
    if chance < 0.1:
        return int(rng.integers(1, 5))
    if chance < 0.95:
        return int(rng.integers(5, 81))
    return int(rng.integers(100, 500)) if chance < 0.995 else int(rng.integers(1100, 1500))


def _draw_kinds(rng: Rng, mood: str) -> list[str]:
    width = int(rng.integers(1, 6)) if rng.random() < 0.95 else int(rng.integers(20, 120))
    kinds = list(rng.choice(list(PLAIN), width))
    if mood in ("odd column", "anything"):
        groups = [NUMBERS, CATEGORIES, CATEGORIES, HOSTILE]
        for _ in range(1 if mood == "odd column" else int(rng.integers(1, 4))):
            group = groups[rng.integers(len(groups))]
            kinds[rng.integers(width)] = str(rng.choice(list(group)))
    return [str(kind) for kind in kinds]


def _in_container(rng: Rng, X: Any, new: Any, mood: str) -> tuple[Any, Any, str]:
    """Return both parts of a table in the same container, and its name."""
    if mood == "plain":
        if rng.random() < 0.5:
            return X, new, "frame"
        return X.to_numpy(float), new.to_numpy(float), "array"
    forms = ["frame"] * 4 + [
        "polars",
        "array",
        "float32",
        "sparse",
        "list",
        "odd index",
        "objects",
    ]
    form = str(rng.choice(forms if mood != "odd container" else forms[4:]))
    if form == "odd index":
        return X.set_axis(rng.integers(0, 3, len(X)), axis=0), new, form
    try:
        return *(_convert(part, form, int(rng.integers(99))) for part in (X, new)), form
    except Exception:  # this column fits in no such container
        return X, new, "frame"


def _convert(part: Any, form: str, choice: int) -> Any:
    if form == "frame":
        return part
    if form == "polars":
        import polars

        return polars.from_pandas(part)
    if form == "objects":
        return part.to_numpy(object)
    values = part.to_numpy(float)
    if form == "list":
        return values.tolist()
    if form == "sparse":
        kinds = ["csr_array", "csc_array", "coo_array", "csr_matrix", "lil_matrix", "bsr_array"]
        return getattr(scipy.sparse, kinds[choice % len(kinds)])(values)
    if form == "float32":
        with np.errstate(all="ignore"):
            return values.astype(np.float32)
    layouts = [np.asfortranarray, np.ascontiguousarray, lambda v: v.astype(">f8"), _read_only]
    return layouts[choice % len(layouts)](values)


def _read_only(values: Any) -> Any:
    values = values.copy()
    values.setflags(write=False)
    return values


def _draw_no_table(rng: Rng, n: int) -> tuple[Any, Any, str]:
    """Return what is no table at all."""
    good = rng.normal(size=(n, 2))
    choices = {
        "no rows": np.empty((0, 3)),
        "no columns": np.empty((n, 0)),
        "a frame without columns": pd.DataFrame(index=range(n)),
        "one dimension": good[:, 0],
        "three dimensions": good[:, :, None],
        "nothing": None,
        "a word": "table",
        "ragged lists": [[1.0], [1.0, 2.0]] * n,
        "a dict": {"a": [1, 2]},
        "a series": pd.Series(good[:, 0]),
        "structured": np.zeros(n, dtype=[("a", float), ("b", float)]),
        "a mask": np.ma.masked_less(good, 0),
        "text array": good.astype(str),
    }
    story = str(rng.choice(list(choices)))
    return choices[story], good, story


def _good_labels(rng: Rng, n: int) -> Any:
    """Return labels, at least two of them where there is room."""
    y = (rng.random(n) < rng.choice([0.1, 0.3, 0.6])).astype(int)
    if n >= 4:
        spots = rng.permutation(n)
        y[spots[:2]], y[spots[2:4]] = 1, 0
    return y


def _odd_labels(rng: Rng, y: Any) -> tuple[Any, str, bool]:
    """Return labels in odd forms: the first few are good ones, the others are not."""
    good = {
        "floats": y.astype(float),
        "booleans": y.astype(bool),
        "a list": y.tolist(),
        "a series": pd.Series(y, index=np.arange(len(y))[::-1]),
        "objects": y.astype(object),
        "unsigned": y.astype(np.uint8),
        "nullable": pd.array(y, "Int64"),
    }
    with_nan = y.astype(float)
    with_nan[-1] = np.nan
    bad = {
        "a column": y[:, None],
        "digits": y.astype(str),
        "words": np.where(y == 1, "yes", "no"),
        "NaN": with_nan,
        "minus one": np.where(y == 1, 1, -1),
        "twos": y * 2,
        "halves": y / 2,
        "none labeled": np.zeros_like(y),
        "one labeled": np.eye(1, len(y), dtype=int)[0],
        "all labeled": np.ones_like(y),
        "too short": y[:-1],
        "too long": np.r_[y, 1],
        "nothing": None,
        "two columns": np.column_stack([y, y]),
        "nullable with NA": pd.array([None, *y[1:]], "Int64"),
        "categories": pd.Categorical(y),
        "dates": pd.to_datetime(y),
        "huge": y * 1e300,
        "scalar": 1,
        "empty": [],
        "infinite": np.where(y == 1, np.inf, 0.0),
        "None inside": np.array([None, *y[1:]], dtype=object),
        "complex": y.astype(complex),
        "frame": pd.DataFrame({"y": y}),
    }
    story = str(rng.choice(list(good) + list(bad)))
    return {**good, **bad}[story], f"labels: {story}", story in good


def _draw_weight(rng: Rng, y: Any, mood: str) -> Any:
    if mood == "plain" or rng.random() < 0.8:
        return None
    n = np.size(y)
    choices = [
        rng.random(n),
        rng.random(n) + 1,
        np.ones(n),
        rng.integers(0, 3, n),
        np.zeros(n),
        -np.ones(n),
        np.full(n, np.nan),
        np.full(n, np.inf),
        np.full(n, 1e-300),
        np.full(n, 1e300),
        np.ones(n + 1),
        2.0,
        "heavy",
        rng.random(n).tolist(),
        np.where(rng.random(n) < 0.9, 0, 1e6),
        np.ones((n, 1)),
    ]
    return choices[rng.integers(len(choices))]


def _draw_prior(rng: Rng, mood: str) -> Any:
    if mood == "plain" or rng.random() < 0.5:
        return None
    if rng.random() < 0.6:
        return float(rng.random())
    return _PRIORS[rng.integers(len(_PRIORS))]
