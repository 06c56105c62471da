"""Diagnostics: numbers in their intervals, and sentences for all of them."""

from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from attacks.drawn import Draw, Entry, arguments
from attacks.entries.values import JUNK, Labeled, draw_labeled, draw_table, expect
from lopsided import diagnostics
from lopsided.priors import PriorEstimate

__all__ = ["ENTRIES"]

_BAD_PRIORS = st.one_of(JUNK, st.sampled_from((0.0, 1.0, -1, (0.5, 0.2), (1, 2, 3), "auto")))


def _draw_prior(d: Draw, rows: Labeled) -> Any:
    share = float((rows.labels == 1).mean())
    one = st.floats(share + (1 - share) / 50, 1 - (1 - share) / 50)
    pair = st.tuples(one, one).map(sorted).map(tuple)
    return d(st.one_of(one, pair, one.map(_estimate)), _BAD_PRIORS)


def _estimate(value: float) -> PriorEstimate:
    return PriorEstimate(value, value * 0.9, min(1.0, value * 1.3), 0.9, True, 3.0, "a", "A.")


def _draw_cut(d: Draw, rows: Labeled, several: bool = False) -> Any:
    n = int((rows.labels == 0).sum())
    good: Any = st.integers(1, n)
    if several:
        good = st.one_of(good, st.lists(good, min_size=1, max_size=3))
    odd = st.one_of(JUNK, st.sampled_from((0, n + 1, 1.5, [], [1, "a"], [[1]])))
    return d(good, odd)


@arguments
def _list_arguments(d: Draw) -> dict[str, Any]:
    rows = draw_labeled(d, least=1)
    rivals = st.sampled_from(
        (None, {}, {"desk": rows.rng.normal(size=rows.n)}, {"a": rows.values, "b": rows.labels})
    )
    gaps = {"gaps": np.where(rows.labels == 1, np.nan, 1.0)}
    odd = st.one_of(JUNK, st.sampled_from(({"x": [1.0]}, {"x": "a"}, {1: None}, gaps)))
    return {
        "rows": rows,
        "k": _draw_cut(d, rows),
        "several": _draw_cut(d, rows, several=True),
        "prior": _draw_prior(d, rows),
        "scenario": d(st.sampled_from(("one-sample", "two-sample")), JUNK, 0.03),
        "level": d(st.floats(0.05, 0.99), JUNK, 0.03),
        "rivals": d(rivals, odd, 0.05),
        "tilt": d(st.floats(1.01, 50), JUNK, 0.04),
        "step": d(st.integers(1, 20), JUNK, 0.04),
        "rate": d(st.floats(0, 10), JUNK.filter(_is_number), 0.03),
        "seed": d(st.integers(0, 9), JUNK, 0.03),
    }


def _is_number(junk: Any) -> bool:
    return isinstance(junk, (int, float))


def _attack_blind(rows: Labeled, k: Any, rivals: Any, level: Any, seed: Any, **_: Any) -> None:
    found = diagnostics.blind_recall(
        rows.y, rows.scores, k, rivals=rivals, level=level, random_state=seed
    )
    n = (rows.labels == 1).sum()
    expect(0 <= found.n_found <= n + 1e-9, f"{found.n_found} of {n} are found")
    expect(0 <= found.low <= found.high <= n + 1e-9, f"the interval of {found!r}")
    expect(str(found).endswith("."), f"{found}")
    for rival in found.rivals:
        expect(rival.low <= rival.difference <= rival.high, f"{rival!r}")
        expect(0 <= rival.p_value <= 1, f"{rival!r}")


def _attack_finds(
    rows: Labeled, several: Any, prior: Any, scenario: Any, level: Any, **_: Any
) -> None:
    found = diagnostics.expected_finds(
        rows.y, rows.scores, several, prior, scenario=scenario, level=level
    )
    expect(len(found) == np.size(several), f"{len(found)} answers for {several}")
    for one in found:
        expect(0 <= one.low <= one.high <= one.k, f"{one!r}")
        expect(-1e-9 <= one.value <= one.k + 1e-9, f"{one!r}")
        expect(str(one).endswith("."), f"{one}")
    ordered = sorted(found, key=lambda one: one.k)
    values = [one.value for one in ordered]
    expect((np.diff(values) >= -1e-6).all(), f"a longer list promises less: {values}")


def _attack_curve(
    rows: Labeled, prior: Any, scenario: Any, step: Any, rate: Any, **_: Any
) -> None:
    curve = diagnostics.review_curve(rows.y, rows.scores, prior, step=step, scenario=scenario)
    finds, rows_read = curve.finds, np.arange(len(curve) + 1)
    expect(np.isfinite(curve.log_odds).all(), f"log-odds are {curve.log_odds}")
    expect((np.diff(finds) >= 0).all(), f"finds fall: {finds}")
    expect((finds <= rows_read + 1e-9).all(), f"finds pass the rows: {finds}")
    expect((np.diff(finds, 2) <= 1e-9).all(), f"the rate rises: {finds}")
    expect(0 <= curve.stop_at(rate) <= len(curve), f"stop at {curve.stop_at(rate)}")
    expect(curve.describe(rate).endswith("."), curve.describe(rate))


def _attack_sensitivity(
    rows: Labeled, k: Any, prior: Any, tilt: Any, scenario: Any, **_: Any
) -> None:
    found = diagnostics.sensitivity(rows.y, rows.scores, k, prior, tilt=tilt, scenario=scenario)
    for one in found.outcomes:
        numbers = (one.prior, one.recall, one.average_precision, one.finds)
        expect(np.isfinite(numbers).all(), f"{one!r}")
        shares = numbers[:3]
        expect(all(-1e-9 <= share <= 1 + 1e-9 for share in shares), f"{one!r}")
        expect(-1e-9 <= one.finds <= k + 1e-9, f"{one!r}")
    expect(len(str(found).splitlines()) == 1 + len(found.outcomes), f"{found}")


def _attack_scar(
    rows: Labeled, prior: Any, scenario: Any, level: Any, seed: Any, **_: Any
) -> None:
    options = {"scenario": scenario, "level": level, "random_state": seed}
    found = diagnostics.check_scar(rows.y, rows.scores, prior, **options)
    expect(0 < found.p_value <= 1, f"{found!r}")
    expect(str(found).endswith("."), f"{found}")
    expect(found.plausible == (found.p_value > found.level), f"{found!r}")


def _attack_signal(rows: Labeled, level: Any, seed: Any, **_: Any) -> None:
    found = diagnostics.check_signal(rows.y, rows.scores, level=level, random_state=seed)
    expect(0 < found.p_value <= 1 and 0 <= found.roc_auc <= 1, f"{found!r}")
    expect(found.found == (found.p_value <= found.level), f"{found!r}")
    expect(str(found).endswith("."), f"{found}")


@arguments
def _table_arguments(d: Draw) -> dict[str, Any]:
    rows, X = draw_table(d, least=2, most_rows=60)
    if d.chance(0.3) and isinstance(X, pd.DataFrame):
        words = np.where(rows.labels == 1, "a", rows.rng.choice(["a", "b", "c"], rows.n))
        X = X.assign(
            word=d.one(words, pd.Categorical(words), np.where(words == "a", None, words)),
            when=pd.Timestamp("2024") + pd.to_timedelta(rows.rng.integers(0, 9, rows.n), "D"),
        )
    return {"rows": rows, "X": X}


def _attack_leaks(rows: Labeled, X: Any) -> None:
    for leak in diagnostics.find_leaks(X, rows.y):
        expect(0 < leak.n_labeled <= leak.n_rows, f"{leak!r}")
        expect(0 <= leak.share <= 1 and 0 <= leak.roc_auc <= 1, f"{leak!r}")
        expect(str(leak).endswith("."), f"{leak}")


@arguments
def _diagnose_arguments(d: Draw) -> dict[str, Any]:
    rows, X = draw_table(d, least=4, most_rows=40, odd=0.03)
    share = float((rows.labels == 1).mean())
    prior = st.floats(share + (1 - share) / 50, 1 - (1 - share) / 50)
    return {
        "rows": rows,
        "X": X,
        "options": {
            "prior": d(st.one_of(st.none(), prior), JUNK, 0.04),
            "k": d(st.one_of(st.none(), st.integers(1, 4)), JUNK, 0.04),
            "rate": d(st.floats(0, 3)),
            "level": d(st.floats(0.5, 0.95), JUNK, 0.03),
            "random_state": d(st.integers(0, 9), JUNK, 0.03),
            "scores": d(st.just(rows.values), JUNK, 0.04),
        },
    }


def _attack_diagnose(rows: Labeled, X: Any, options: dict[str, Any]) -> None:
    found = diagnostics.diagnose(X, rows.y, "naive-logistic", **options)
    expect(len(found.recall) == len(found.finds), f"{found!r}")
    expect(str(found).count("?") >= 5, f"{found}")


def _attack_signal_in_table(rows: Labeled, X: Any) -> None:
    found = diagnostics.check_signal_in_table(X, rows.y, folds=2)
    expect(0 < found.p_value <= 1 and 0 <= found.roc_auc <= 1, f"{found!r}")


@arguments
def _signal_arguments(d: Draw) -> dict[str, Any]:
    rows, X = draw_table(d, least=4, most_rows=20, odd=0.1)
    return {"rows": rows, "X": X}


ENTRIES = (
    Entry(
        ("diagnostics.blind_recall", "diagnostics.BlindRecall", "diagnostics.Rival"),
        _list_arguments,
        _attack_blind,
        share=9,
    ),
    Entry(
        ("diagnostics.expected_finds", "diagnostics.ExpectedFinds"),
        _list_arguments,
        _attack_finds,
        share=9,
    ),
    Entry(
        ("diagnostics.review_curve", "diagnostics.ReviewCurve"),
        _list_arguments,
        _attack_curve,
        share=9,
    ),
    Entry(
        ("diagnostics.sensitivity", "diagnostics.Sensitivity", "diagnostics.Outcome"),
        _list_arguments,
        _attack_sensitivity,
        share=9,
    ),
    Entry(
        ("diagnostics.check_scar", "diagnostics.ScarCheck"), _list_arguments, _attack_scar, 6
    ),
    Entry(
        ("diagnostics.check_signal", "diagnostics.SignalCheck"),
        _list_arguments,
        _attack_signal,
        share=6,
    ),
    Entry(("diagnostics.find_leaks", "diagnostics.Leak"), _table_arguments, _attack_leaks, 9),
    Entry(
        ("diagnostics.diagnose", "diagnostics.Diagnosis"), _diagnose_arguments, _attack_diagnose
    ),
    Entry(("diagnostics.check_signal_in_table",), _signal_arguments, _attack_signal_in_table),
)
