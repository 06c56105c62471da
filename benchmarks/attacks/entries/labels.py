"""Mechanisms that hide labels, labels as of a date, and what learns from them."""

from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from attacks.drawn import Draw, Entry, arguments
from attacks.entries.values import JUNK, SEEDS, draw_table, expect
from lopsided import build, labeling
from lopsided.model_selection import DelayedLabelClassifier, labels_as_of

__all__ = ["ENTRIES"]


@arguments
def _hiding_arguments(d: Draw) -> dict[str, Any]:
    rows, X = draw_table(d, least=3, reviewed=False)
    n_positive = int((rows.labels == 1).sum())
    hidden = d(st.floats(0, 1 - 2 / n_positive), JUNK)
    sar = d.chance(0.6)
    return {
        "rows": rows,
        "X": X,
        "kind": "SAR" if sar else "SCAR",
        "settings": {
            "hidden": hidden,
            **({"toward": d(st.sampled_from(("near", "far")), JUNK)} if sar else {}),
            **(
                {"neighbors": d(st.sampled_from((None, "nearest", "all", "first")), JUNK, 0.03)}
                if sar
                else {}
            ),
        },
        "seed": d(st.integers(0, 99), JUNK, 0.04),
    }


def _attack_hiding(rows: Any, X: Any, kind: str, settings: dict[str, Any], seed: Any) -> None:
    mechanism = getattr(labeling, kind)(**settings)
    expect(isinstance(mechanism, labeling.Mechanism), "a mechanism is none")
    found = mechanism.draw(X, rows.y, seed)
    truth = np.asarray(rows.y).astype(object).astype(float).ravel()
    expect(found.dtype == np.int8 and found.shape == truth.shape, "labels of another shape")
    expect(set(found.tolist()) <= {0, 1}, f"labels are {set(found.tolist())}")
    expect((found <= truth).all(), "a negative is labeled")
    wanted = truth.sum() - np.ceil(mechanism.hidden * truth.sum() - 1e-9)
    expect(found.sum() == wanted, f"{found.sum()} labels stay, {wanted} should")
    if isinstance(seed, int):
        again = mechanism.draw(X, rows.y, seed)
        expect((again == found).all(), "the same seed hides other rows")


_TIMES = st.one_of(
    st.integers(1990, 2030), st.floats(), st.sampled_from((np.inf, -np.inf, np.nan))
)


@arguments
def _as_of_arguments(d: Draw) -> dict[str, Any]:
    n = d(st.integers(1, 12))
    since: Any = np.array(d(st.lists(_TIMES, min_size=n, max_size=n)), dtype=float)
    date: Any = d(st.floats(1980, 2040))
    form = d.one("numbers", "numbers", "list", "nullable", "dates", "whole")
    if form == "dates":
        days = np.where(np.isfinite(since), np.clip(since, -9e4, 9e4), np.nan)
        since = pd.to_datetime(pd.Series(days), unit="D")
        date = d.one("1975-01-01", pd.Timestamp("1975"), np.datetime64("1975"))
    elif form == "nullable":
        since = pd.Series([one if np.isfinite(one) else None for one in since], dtype="Float64")
    elif form == "whole":
        since = np.nan_to_num(since, nan=0, posinf=9e9, neginf=-9e9).clip(-9e9, 9e9).astype(int)
    elif form == "list":
        since = since.tolist()
    y = np.array(d(st.lists(st.integers(0, 1), min_size=n, max_size=n)))
    return {
        "y": d(st.sampled_from((y, y.tolist(), y.astype(float), y.astype(bool))), JUNK),
        "since": d(st.just(since), JUNK),
        "date": d(st.just(date), JUNK),
    }


def _attack_as_of(y: Any, since: Any, date: Any) -> None:
    found = labels_as_of(y, since, date)
    expect(found.dtype == np.int8 and len(found) == len(y), "labels of another shape")
    for one, label, truth in zip(pd.Series(since), found, np.asarray(y), strict=True):
        when = pd.Timestamp(date) if isinstance(one, pd.Timestamp) else date
        known = not pd.isna(one) and one < when
        expect(label == (truth == 1 and known), f"{truth} known since {one!r} is {label}")


@arguments
def _delayed_arguments(d: Draw) -> dict[str, Any]:
    n = d(st.integers(8, 30))
    rng = np.random.default_rng(d(SEEDS))
    y = rng.permutation(np.repeat([1, 0], [n // 3 + 1, n - n // 3 - 1]))
    frame = pd.DataFrame({"a": rng.normal(size=n) + y, "time": rng.integers(0, 5, n)})
    frame["known_since"] = frame["time"] - rng.integers(0, 3, n)
    names = {"time": "time", "known_since": "known_since"}
    for name in names:
        names[name] = d(st.just(name), JUNK, 0.03)
    return {
        "X": d(
            st.just(frame),
            st.sampled_from(
                (frame.to_numpy(), frame.drop(columns="time"), frame[:0], frame[1:], None)
            ),
        ),
        "y": d(st.sampled_from((y, y.tolist(), pd.Series(y))), JUNK),
        "settings": {**names, "horizon": d(st.integers(1, 3), JUNK, 0.03)},
        "estimator": d(st.sampled_from(("naive-logistic", "puhdt")).map(build), JUNK, 0.03),
    }


def _attack_delayed(X: Any, y: Any, settings: dict[str, Any], estimator: Any) -> None:
    model = DelayedLabelClassifier(estimator, **settings).fit(X, y)
    scores = model.decision_function(X)
    expect(scores.shape == (len(X),) and np.isfinite(scores).all(), "scores are not finite")
    expect((model.labels_ <= np.asarray(y)).all(), "a negative is known to be positive")
    proba = model.predict_proba(X)
    expect(np.allclose(proba.sum(axis=1), 1), "probabilities do not add up to 1")
    expect(set(model.predict(X).tolist()) <= {0, 1}, "other classes are predicted")


ENTRIES = (
    Entry(
        ("labeling.SAR", "labeling.SCAR", "labeling.Mechanism"),
        _hiding_arguments,
        _attack_hiding,
        share=3,
    ),
    Entry(("model_selection.labels_as_of",), _as_of_arguments, _attack_as_of, share=3),
    Entry(("model_selection.DelayedLabelClassifier",), _delayed_arguments, _attack_delayed),
)
