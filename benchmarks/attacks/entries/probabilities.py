"""Calibration: maps that rise, and metrics of probabilities that equal what they say."""

from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st

from attacks.drawn import Draw, Entry, arguments
from attacks.entries.values import JUNK, Labeled, close, draw_labeled, draw_table, expect
from lopsided import build, calibration

__all__ = ["ENTRIES"]

_METHODS = st.sampled_from(("temperature", "platt", "beta", "isotonic"))
_BAD_PRIORS = st.one_of(JUNK, st.sampled_from((0.0, 1.0, -1, 2, (0.2, 0.4), "auto")))


def _draw_weights(d: Draw, n: int, rng: np.random.Generator) -> Any:
    good = (None, None, np.ones(n), rng.integers(1, 4, n), rng.random(n) + 0.1)
    odd = (np.zeros(n), -np.ones(n), np.full(n, np.nan), np.ones(n + 1), np.ones(n) * np.inf)
    return d(st.sampled_from(good), st.one_of(JUNK, st.sampled_from(odd)), 0.05)


@arguments
def _map_arguments(d: Draw) -> dict[str, Any]:
    rows = draw_labeled(d, least=2)
    share = float((rows.labels == 1).mean())
    return {
        "rows": rows,
        "prior": d(st.floats(share + (1 - share) / 50, 1 - (1 - share) / 50), _BAD_PRIORS),
        "method": d(_METHODS, JUNK, 0.04),
        "weight": _draw_weights(d, rows.n, rows.rng),
        "scenario": d(st.sampled_from(("one-sample", "two-sample")), JUNK, 0.03),
        "n_rows": d(st.one_of(st.none(), st.floats(5, 1e7)), JUNK, 0.04),
        "fresh": d(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=4)),
    }


def _attack_map(
    rows: Labeled, prior: Any, method: Any, weight: Any, scenario: Any, n_rows: Any, fresh: Any
) -> None:
    found = calibration.fit_calibration(
        rows.scores, rows.y, prior, method, weight, scenario=scenario, n_rows=n_rows
    )
    grid = np.sort(np.r_[rows.values, fresh, 0.0])
    log_odds = found.transform(grid)
    expect(np.isfinite(log_odds).all(), f"log-odds are {log_odds} at {grid}")
    steps = np.diff(log_odds)
    expect((steps >= -1e-9 * (1 + np.abs(log_odds[1:]))).all(), f"{method} falls: {log_odds}")
    shape = found.transform(grid[:, None]).shape
    expect(shape == (len(grid), 1), f"a column of scores becomes {shape}")


@arguments
def _metric_arguments(d: Draw) -> dict[str, Any]:
    rows = draw_labeled(d, least=2)
    proba = d.one(
        1 / (1 + np.exp(-np.clip(rows.values, -40, 40))),
        rows.rng.random(rows.n),
        rows.rng.integers(0, 2, rows.n).astype(float),
        rows.rng.integers(0, 11, rows.n) / 10,
        np.full(rows.n, 0.5),
    )
    odd = (proba + 1, -proba - 1, np.full(rows.n, np.nan), proba[:-1], proba.astype(str))
    share = float((rows.labels == 1).mean())
    return {
        "rows": rows,
        "proba": d(
            st.sampled_from((proba, proba.tolist(), proba.astype(np.float32))),
            st.one_of(JUNK, st.sampled_from((*odd, proba + 1j, proba[:, None]))),
        ),
        "prior": d(st.floats(share + (1 - share) / 50, 1 - (1 - share) / 50), _BAD_PRIORS),
        "weight": _draw_weights(d, rows.n, rows.rng),
        "options": {"scenario": d(st.sampled_from(("one-sample", "two-sample")), JUNK, 0.03)},
        "bins": {
            "n_bins": d(st.integers(1, 20), JUNK.filter(_is_small), 0.04),
            "strategy": d(st.sampled_from(("uniform", "quantile")), JUNK, 0.03),
        },
        "level": d(st.floats(0.05, 0.99), JUNK, 0.03),
    }


def _is_small(junk: Any) -> bool:
    return not isinstance(junk, int) or junk < 10**6


def _attack_metric(
    name: str,
    rows: Labeled,
    proba: Any,
    prior: Any,
    weight: Any,
    options: dict[str, Any],
    bins: dict[str, Any],
    level: Any,
) -> None:
    metric = getattr(calibration, name)
    given = {**options, "sample_weight": weight}
    if name != "pu_log_loss":
        given |= bins
    if name == "pu_reliability_curve":
        _check_curve(metric(rows.y, proba, prior, level=level, **given), rows)
        return
    found = metric(rows.y, proba, prior, **given)
    expect(isinstance(found, float) and np.isfinite(found), f"{found!r} is no number")
    if name == "pu_calibration_error":
        expect(0 <= found <= 2, f"an error of {found}")
    order = rows.rng.permutation(rows.n)
    moved = None if weight is None else np.asarray(weight)[order]
    y = np.asarray(rows.y).astype(object).astype(float).ravel()[order]
    again = metric(y, np.asarray(proba)[order], prior, **{**given, "sample_weight": moved})
    expect(close(found, again), f"the order of rows changes {found} to {again}")
    if weight is not None:
        scaled = {**given, "sample_weight": np.asarray(weight, float) * 3.0}
        again = metric(rows.y, proba, prior, **scaled)
        expect(close(found, again), f"the scale of weights changes {found} to {again}")


def _check_curve(curve: Any, rows: Labeled) -> None:
    expect(isinstance(curve, calibration.ReliabilityCurve), f"{curve!r}")
    lengths = {len(column) for column in curve}
    expect(len(lengths) == 1 and lengths != {0}, f"columns of {lengths} bins")
    for column in curve:
        expect(np.isfinite(column).all(), f"{curve!r} is not finite")
    expect((curve.low <= curve.prob_true + 1e-9).all(), f"{curve!r} has a value below its band")
    expect((curve.prob_true <= curve.high + 1e-9).all(), f"{curve!r} has one above it")
    for column in (curve.prob_pred, curve.prob_true, curve.low, curve.high):
        expect(((column >= -1e-12) & (column <= 1 + 1e-12)).all(), f"{curve!r}: no shares")
    expect((np.diff(curve.prob_pred) >= -1e-12).all(), "bins are not in order")


@arguments
def _classifier_arguments(d: Draw) -> dict[str, Any]:
    rows, X = draw_table(d, least=3, most_rows=25)
    return {
        "rows": rows,
        "X": X,
        "estimator": d(st.sampled_from(("naive-logistic", "puhdt")).map(build), JUNK, 0.03),
        "settings": {
            "method": d(_METHODS, JUNK, 0.04),
            "prior": d(st.one_of(st.just("auto"), st.floats(0.6, 0.95)), JUNK, 0.03),
            "cv": d(st.integers(2, 3), JUNK.filter(lambda cv: not isinstance(cv, str)), 0.04),
            "random_state": d(st.integers(0, 9), JUNK, 0.03),
        },
        "weight": _draw_weights(d, rows.n, rows.rng),
    }


def _attack_classifier(
    rows: Labeled, X: Any, estimator: Any, settings: dict[str, Any], weight: Any
) -> None:
    model = calibration.PUCalibratedClassifier(estimator, **settings)
    model.fit(X, rows.y, sample_weight=weight)
    scores, proba = model.decision_function(X), model.predict_proba(X)
    expect(scores.shape == (rows.n,) and np.isfinite(scores).all(), f"log-odds are {scores}")
    expect(((proba >= 0) & (proba <= 1)).all(), f"probabilities are {proba}")
    expect(np.allclose(proba.sum(axis=1), 1), "probabilities do not add up to 1")
    raw = estimator.__class__ and model.estimator_.decision_function(X)
    order = np.argsort(raw, kind="stable")
    expect((np.diff(scores[order]) >= -1e-9 * (1 + np.abs(scores).max())).all(), "order lost")


ENTRIES = (
    Entry(
        ("calibration.fit_calibration", "calibration.CalibrationMap"),
        _map_arguments,
        _attack_map,
        share=3,
    ),
    *(
        Entry((f"calibration.{name}",), _metric_arguments, partial(_attack_metric, name), 2)
        for name in ("pu_log_loss", "pu_calibration_error")
    ),
    Entry(
        ("calibration.pu_reliability_curve", "calibration.ReliabilityCurve"),
        _metric_arguments,
        partial(_attack_metric, "pu_reliability_curve"),
        share=2,
    ),
    Entry(("calibration.PUCalibratedClassifier",), _classifier_arguments, _attack_classifier),
)
