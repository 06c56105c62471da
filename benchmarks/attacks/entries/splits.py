"""Splitters: both sides of each fold have what they need, and no row or group is on both."""

from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from attacks.drawn import Draw, Entry, arguments
from attacks.entries.values import JUNK, close, draw_labeled, expect
from lopsided import model_selection

__all__ = ["ENTRIES"]


@arguments
def _fold_arguments(d: Draw) -> dict[str, Any]:
    rows = draw_labeled(d, least=4)
    most = int(min((rows.labels == 1).sum(), (rows.labels != 1).sum()))
    shuffle = d.chance(0.5)
    return {
        "rows": rows,
        "n_splits": d(st.integers(2, most), st.one_of(JUNK, st.just(most + 1))),
        "shuffle": d(st.just(shuffle), JUNK, 0.03),
        "seed": d(st.integers(0, 9) if shuffle else st.none(), JUNK, 0.03),
        "X": d(st.sampled_from((rows.labels, None)).map(lambda X: X), JUNK, 0.03),
    }


def _attack_folds(rows: Any, n_splits: Any, shuffle: Any, seed: Any, X: Any) -> None:
    splitter = model_selection.PUStratifiedKFold(n_splits, shuffle=shuffle, random_state=seed)
    X = np.zeros(rows.n) if X is None else X
    folds = list(splitter.split(X, rows.y))
    expect(len(folds) == splitter.get_n_splits() == n_splits, f"{len(folds)} folds")
    _check_folds(folds, rows, partition=True)
    counts = [int((rows.labels[test] == 1).sum()) for _, test in folds]
    expect(max(counts) - min(counts) <= 1, f"folds have {counts} labeled rows")


def _check_folds(folds: Any, rows: Any, partition: bool, groups: Any = None) -> None:
    seen = np.zeros(rows.n, int)
    y = np.asarray(rows.y).astype(object).astype(float).ravel()
    for train, test in folds:
        expect(not set(train.tolist()) & set(test.tolist()), "a row is on both sides")
        expect((y[train] == 1).sum() >= 2 and (y[test] == 1).any(), "a side has no labels")
        expect((y[train] != 1).any() and (y[test] != 1).any(), "a side has labels only")
        if groups is not None:
            both = set(groups[train].tolist()) & set(groups[test].tolist())
            expect(not both, f"groups {both} are on both sides")
        seen[test] += 1
        if partition:
            expect(len(train) + len(test) == rows.n, "rows are on neither side")
    expect((seen == 1).all() if partition else (seen <= 1).all(), f"rows are tested {seen}")


@arguments
def _group_arguments(d: Draw) -> dict[str, Any]:
    rows = draw_labeled(d, least=4)
    n_groups = d(st.integers(3, rows.n))
    groups: Any = rows.rng.integers(0, n_groups, rows.n)
    n_with = len(set(groups[rows.labels == 1].tolist()))
    d.odd = d.odd or n_with < 3  # a training side may have one labeled row
    form = d.one("numbers", "text", "list", "series", "category", "floats", "dates")
    if form == "dates":
        given: Any = pd.to_datetime(groups, unit="D")
    elif form == "floats":
        given = groups / 3
    elif form == "list":
        given = groups.tolist()
    elif form in ("series", "category"):
        given = pd.Series(groups.astype(str))
        given = given.astype("category") if form == "category" else given
    else:
        given = groups.astype(str) if form == "text" else groups
    odd = (groups[:-1], np.where(groups == 0, np.nan, groups), [None] * rows.n, groups[:, None])
    mixed = ([1, "a"] * rows.n)[: rows.n]
    d.odd = True  # groups may leave a side without rows of a kind
    return {
        "rows": rows,
        "n_splits": d(st.integers(2, max(n_with, 2)), JUNK),
        "shuffle": d.chance(0.5),
        "given": d(st.just(given), st.one_of(JUNK, st.sampled_from((*odd, mixed)))),
    }


def _attack_groups(rows: Any, n_splits: Any, shuffle: bool, given: Any) -> None:
    seed = 1 if shuffle else None
    splitter = model_selection.PUGroupKFold(n_splits, shuffle=shuffle, random_state=seed)
    folds = list(splitter.split(np.zeros(rows.n), rows.y, given))
    expect(len(folds) == n_splits, f"{len(folds)} folds")
    _check_folds(folds, rows, partition=True, groups=np.asarray(given).astype(str))


@arguments
def _time_arguments(d: Draw) -> dict[str, Any]:
    rows = draw_labeled(d, least=4)
    times = rows.rng.integers(0, d.one(3, 8, 100), rows.n)
    form = d.one("order", "values", "column", "dates", "floats")
    d.odd = True  # a time may have rows of one kind only
    odd = (times[:-1], np.where(times == 0, np.nan, times), "when", ["a", 1] * rows.n)
    return {
        "rows": rows,
        "n_splits": d(st.integers(1, 4), JUNK),
        "time": d(
            st.just(
                {
                    "order": None,
                    "values": times,
                    "column": "at",
                    "dates": pd.to_datetime(times, unit="D"),
                    "floats": times / 7,
                }[form]
            ),
            st.one_of(JUNK, st.sampled_from(odd)),
        ),
        "times": np.arange(rows.n) if form == "order" else times,
        "groups": d(
            st.one_of(st.none(), st.just(rows.rng.integers(0, 30, rows.n))), JUNK, 0.03
        ),
    }


def _attack_time(rows: Any, n_splits: Any, time: Any, times: Any, groups: Any) -> None:
    splitter = model_selection.PUTimeSplit(n_splits, time=time)
    times = np.arange(rows.n) if time is None else times
    X = pd.DataFrame({"at": times})
    folds = list(splitter.split(X, rows.y, groups))
    expect(len(folds) == splitter.get_n_splits() == n_splits, f"{len(folds)} folds")
    _check_folds(folds, rows, partition=False, groups=groups)
    if time is None or isinstance(time, str) or len(time) == rows.n:
        for train, test in folds:
            expect(times[train].max() < times[test].min(), "the future is learned from")


@arguments
def _period_arguments(d: Draw) -> dict[str, Any]:
    n = d(st.integers(2, 20))
    periods: Any = np.array(d(st.lists(st.integers(0, 6), min_size=n, max_size=n)))
    few = len(set(periods.tolist())) < 4
    d.odd = d.odd or few
    found = sorted(set(periods.tolist()))
    tests = st.one_of(st.none(), st.just(found[1:]) if len(found) > 1 else st.none())
    gap = d(st.integers(0, 1), JUNK, 0.04)
    d.odd = True  # gaps, and periods that nothing comes before, are refused
    return {
        "settings": {
            "test_groups": d(tests, JUNK, 0.06),
            "max_train_size": d(st.one_of(st.none(), st.integers(1, 4)), JUNK, 0.04),
            "gap": gap,
        },
        "groups": d(
            st.sampled_from((periods, periods.tolist(), periods.astype(float))), JUNK, 0.06
        ),
    }


def _attack_periods(settings: dict[str, Any], groups: Any) -> None:
    splitter = model_selection.GroupTimeSeriesSplit(**settings)
    periods = np.asarray(groups)
    folds = list(splitter.split(np.zeros(periods.size), groups=groups))
    expect(len(folds) == splitter.get_n_splits(groups=groups), f"{len(folds)} folds")
    for train, test in folds:
        gap = periods[test].min() - periods[train].max()
        expect(gap > splitter.gap, f"the gap is {gap}")
        expect(len(set(periods[test].tolist())) == 1, "a test of two periods")
        if splitter.max_train_size:
            wide = periods[test].min() - periods[train].min()
            expect(wide <= splitter.max_train_size + splitter.gap, f"{wide} periods back")


@arguments
def _against_arguments(d: Draw) -> dict[str, Any]:
    number = st.one_of(st.floats(-1e6, 1e6), st.integers(-3, 3).map(float))
    reference = d(st.lists(number, min_size=1, max_size=20))
    weights = st.lists(st.floats(0.1, 3), min_size=len(reference), max_size=len(reference))
    return {
        "reference": d(st.sampled_from((reference, np.array(reference))), JUNK, 0.04),
        "scores": d(st.lists(number, min_size=1, max_size=20), JUNK, 0.04),
        "weights": d(st.one_of(st.none(), weights), JUNK, 0.04),
    }


def _attack_against(reference: Any, scores: Any, weights: Any) -> None:
    found = model_selection.rank_against(reference, scores, weights)
    expect(found.shape == np.shape(scores), f"{found.shape} places of {np.shape(scores)}")
    values = np.asarray(scores, float).ravel()
    flat = found.ravel()
    expect(np.isfinite(flat).all(), f"places are {flat} of {scores!r} against {reference!r}")
    expect((flat >= -0.5).all() and (flat <= 1.5).all(), f"places are {flat}")
    order = np.argsort(values, kind="stable")
    expect((np.diff(flat[order]) >= -1e-12).all(), "a larger score has a lower place")
    again = model_selection.rank_against(reference, values[::-1], weights)[::-1]
    expect(close(flat, again), "places depend on the rows beside")


ENTRIES = (
    Entry(("model_selection.PUStratifiedKFold",), _fold_arguments, _attack_folds, share=3),
    Entry(("model_selection.PUGroupKFold",), _group_arguments, _attack_groups, share=3),
    Entry(("model_selection.PUTimeSplit",), _time_arguments, _attack_time, share=3),
    Entry(
        ("model_selection.GroupTimeSeriesSplit",), _period_arguments, _attack_periods, share=3
    ),
    Entry(
        ("model_selection.rank_against", "ranking.rank_against"),
        _against_arguments,
        _attack_against,
        share=2,
    ),
)
