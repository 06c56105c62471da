"""Random tables through every method: fit, score, rank, and properties that must hold."""

import copy
import logging
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from attacks.random_tables import Table, draw_table
from attacks.verdicts import Finding, check_warnings, judge_error
from lopsided import list_methods, rank_unlabeled
from lopsided.methods.registry import build, get_method

__all__ = ["CASES", "DEADLINE", "run"]

CASES = 2400
DEADLINE = 120.0  # a table takes a fraction of a second, on a busy machine some

# Where the quick settings of the registry take half a second.
_QUICKER = {"lbe": {"n_rounds": 1}}
_log = logging.getLogger("attack")


def run(seed: int, folder: Any) -> None:
    """Let a method meet a random table.

    Parameters
    ----------
    seed : int
        Decides both. Every method has its turn.
    folder : path
        Not used.
    """
    rng = np.random.default_rng([1, seed])
    methods = list_methods()
    name = methods[seed % len(methods)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = draw_table(rng)
    _log.info("%s: %s", name, table.story)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            _attack(name, table, rng, seed)
        check_warnings(caught)
    except Finding as found:
        raise Finding(found.outcome.verdict, f"{name}: {found.outcome.note}") from found
    except Exception as error:
        _log.info("It was refused:", exc_info=True)
        outcome = judge_error(error)
        if outcome.verdict == "error" and table.plain:
            raise Finding("wrong", f"{name} refuses a plain table: {outcome.note}") from error
        raise Finding(outcome.verdict, f"{name}: {outcome.note}") from error


def _attack(name: str, table: Table, rng: np.random.Generator, seed: int) -> None:
    """Fit, score new rows, then look at properties that must hold."""
    entry = get_method(name)
    settings = {**entry.quick, **_QUICKER.get(name, {})}
    if entry.takes_prior and table.prior is not None:
        settings["prior"] = table.prior
    model = build(name, random_state=seed, **settings)
    before = copy.deepcopy((table.X, table.y, table.weight))
    if rng.random() < 0.1 and table.weight is None:
        _rank(model, table, seed)
        return
    model.fit(table.X, table.y, sample_weight=table.weight)
    scores = model.decision_function(table.new)
    _check_scores(scores, _height(table.new))
    _check_chances(model.predict_proba(table.new), scores)
    if not _same(before, (table.X, table.y, table.weight)):
        raise Finding("wrong", "fit changes what it is given")
    for check in _PROPERTIES:
        _log.info("property: %s", check.__name__)
        check(model, table, scores)
    if rng.random() < 0.3:  # another fit
        _seed_decides(model, table, scores)


def _rank(model: Any, table: Table, seed: int) -> None:
    scores = rank_unlabeled(table.X, table.y, model, folds=3, random_state=seed)
    y = np.asarray(table.y).astype(float).ravel()
    if scores.shape != y.shape:
        raise Finding("wrong", f"{scores.shape} ranks of {y.shape} rows")
    if not (np.isnan(scores) == (y == 1)).all() or not np.isfinite(scores[y == 0]).all():
        raise Finding("wrong", "rank_unlabeled must rank unlabeled rows, and these only")
    if not ((scores[y == 0] >= -0.5) & (scores[y == 0] <= 1.5)).all():
        raise Finding("wrong", "rank_unlabeled gives ranks outside 0 to 1")


def _height(rows: Any) -> int:
    return rows.shape[0] if hasattr(rows, "shape") else len(rows)


def _check_scores(scores: Any, n: int) -> None:
    if not isinstance(scores, np.ndarray) or scores.shape != (n,):
        raise Finding("wrong", f"scores of shape {np.shape(scores)} for {n} rows")
    if not np.isfinite(scores).all():
        bad = scores[~np.isfinite(scores)][0]
        raise Finding("wrong", f"a score is {bad}")


def _check_chances(chances: Any, scores: Any) -> None:
    if chances.shape != (len(scores), 2):
        raise Finding("wrong", f"chances of shape {chances.shape} for {len(scores)} rows")
    if not ((chances >= 0) & (chances <= 1)).all():
        raise Finding("wrong", "a chance is outside 0 to 1")
    if not np.allclose(chances.sum(axis=1), 1):
        raise Finding("wrong", "the chances of a row do not add up to 1")
    order = np.argsort(scores)
    if (np.diff(chances[order, 1]) < 0).any():
        raise Finding("wrong", "a larger score has a smaller chance")


def _same(before: Any, after: Any) -> bool:
    """Say whether nothing was changed, as far as it can be compared."""
    try:
        return all(_equal(one, two) for one, two in zip(before, after, strict=True))
    except (TypeError, ValueError):
        return True  # cells that cannot be compared, as lists in cells


def _equal(one: Any, two: Any) -> bool:
    if isinstance(one, (pd.DataFrame, pd.Series)):
        return bool(one.equals(two))
    if isinstance(one, np.ndarray) and one.dtype.kind in "biuf":
        return np.array_equal(one, two, equal_nan=one.dtype.kind == "f")
    return True


def _close(first: Any, second: Any, tolerance: float) -> bool:
    scale = np.maximum(1, np.abs(first))
    return bool((np.abs(first - second) <= tolerance * scale).all())


def _seed_decides(model: Any, table: Table, scores: Any) -> None:
    again = clone(model).fit(table.X, table.y, sample_weight=table.weight)
    if not np.array_equal(again.decision_function(table.new), scores):
        raise Finding("wrong", "the same seed gives other scores")


def _rows_alone(model: Any, table: Table, scores: Any) -> None:
    """See that a row's score does not depend on the rows beside it."""
    rows = table.new
    if hasattr(rows, "tocoo"):
        return
    if hasattr(rows, "iloc"):
        each = [rows.iloc[[i]] for i in range(len(rows))]
        alone = np.concatenate([model.decision_function(one) for one in each])
    else:
        alone = model.decision_function(rows[::-1])[::-1]
    if not _close(scores, alone, 1e-4):
        gap = np.abs(scores - alone).max()
        raise Finding("wrong", f"a row's score depends on the rows beside it, by {gap:.3g}")


def _columns_by_name(model: Any, table: Table, scores: Any) -> None:
    rows = table.new
    if not isinstance(rows, pd.DataFrame) or rows.columns.has_duplicates:
        return
    try:
        moved = model.decision_function(rows[rows.columns[::-1].tolist()])
    except (ValueError, TypeError) as error:
        if judge_error(error).verdict != "error":
            raise
        return
    if not np.array_equal(moved, scores) and hasattr(model, "feature_names_in_"):
        raise Finding("wrong", "the order of named columns changes scores")


def _other_columns(model: Any, table: Table, scores: Any) -> None:
    """Fewer and more columns than in training must be refused."""
    rows = table.new
    if isinstance(rows, pd.DataFrame):
        another = pd.Series(1.0, index=rows.index, name="another one")
        for other in (rows.iloc[:, 1:], pd.concat([rows, another], axis=1)):
            try:
                model.decision_function(other)
            except (ValueError, TypeError) as error:
                if judge_error(error).verdict != "error":
                    raise
            else:
                raise Finding("wrong", f"scores {other.shape[1]} columns for {rows.shape[1]}")


def _unseen_is_missing(model: Any, table: Table, scores: Any) -> None:
    """Unseen levels, declared levels without rows and missing cells are treated alike."""
    if not isinstance(table.X, pd.DataFrame) or table.X.columns.has_duplicates:
        return
    for name, column in table.X.items():
        if not isinstance(column.dtype, pd.CategoricalDtype):
            continue
        levels = [np.nan, "a level that nobody saw", 987654321]
        used = {str(level) for level in column.dropna().unique()}  # 1 and "1" are one level
        levels += [level for level in column.cat.categories if str(level) not in used][:1]
        found = [_scores_or_refusal(model, table.new, name, level) for level in levels]
        for level, one in zip(levels[1:], found[1:], strict=True):
            if isinstance(one, str) != isinstance(found[0], str) or (
                not isinstance(one, str) and not np.array_equal(one, found[0])
            ):
                raise Finding("wrong", f"level {level!r} and a missing one differ in score")


def _scores_or_refusal(model: Any, rows: Any, name: Any, level: Any) -> Any:
    changed = rows.copy()
    values = pd.Series([level] * len(rows), dtype=object)  # NumPy would strip a NUL
    at = list(rows.columns).index(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        changed.isetitem(at, pd.Categorical(values))
        try:
            return model.decision_function(changed)
        except (ValueError, TypeError) as error:
            if judge_error(error).verdict != "error":
                raise
            return "refused"


def _pickle_keeps(model: Any, table: Table, scores: Any) -> None:
    again = pickle.loads(pickle.dumps(model))
    if not np.array_equal(again.decision_function(table.new), scores):
        raise Finding("wrong", "a pickled model gives other scores")


def _width_of_floats(model: Any, table: Table, scores: Any) -> None:
    """See that the same numbers as float32 and float64 have the same scores."""
    if not isinstance(table.new, np.ndarray) or table.new.dtype.kind != "f":
        return
    with np.errstate(all="ignore"):
        short = table.new.astype(np.float32)
    if not np.isfinite(short).all():
        return
    first = model.decision_function(short)
    second = model.decision_function(short.astype(np.float64))
    if not _close(first, second, 1e-3):
        gap = np.abs(first - second).max()
        raise Finding("wrong", f"float32 and float64 rows differ in score by {gap:.3g}")


def _text_levels(model: Any, table: Table, scores: Any) -> None:
    """Levels of another type are matched, or refused, or warned of: any is an answer."""
    if isinstance(table.new, pd.DataFrame) and not table.new.columns.has_duplicates:
        changed = table.new.copy()
        for at, dtype in enumerate(changed.dtypes):
            if isinstance(dtype, pd.CategoricalDtype):
                changed.isetitem(at, changed.iloc[:, at].astype(str).astype("category"))
        _check_scores(model.decision_function(changed), len(changed))


_PROPERTIES: tuple[Callable[[Any, Table, Any], None], ...] = (
    _rows_alone,
    _columns_by_name,
    _other_columns,
    _unseen_is_missing,
    _pickle_keeps,
    _width_of_floats,
    _text_levels,
)
