"""Reviews: rounds with odd verdicts, weights that undo a choice, and priors after verdicts."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from attacks.drawn import Draw, Entry, arguments
from attacks.entries.values import JUNK, Labeled, draw_labeled, draw_table, expect
from lopsided import review
from lopsided.priors import Beta

__all__ = ["ENTRIES"]

_VERDICTS = st.sampled_from((1, -1, 0, "confirmed", "cleared", "yes", " NO ", "", None, 1.0))
_BAD_VERDICTS = st.one_of(JUNK, st.sampled_from((2, "maybe", True, "1.5", -2.0)))


@arguments
def _propensity_arguments(d: Draw) -> dict[str, Any]:
    rows = draw_labeled(d, least=1)
    reviewed = bool((rows.labels == -1).any())
    top = d(st.integers(1, 70) if not reviewed else st.none(), JUNK, 0.05)
    d.odd = d.odd or (top is None and not reviewed)
    return {"rows": rows, "top": top, "audit": d(st.floats(0, 0.99), JUNK, 0.05)}


def _attack_propensity(rows: Labeled, top: Any, audit: Any) -> None:
    found = review.review_propensity(rows.y, rows.scores, reviewed_top=top, audit=audit)
    expect(found.shape == (rows.n,), f"{found.shape} propensities of {rows.n} rows")
    expect(((found >= 0) & (found <= 1)).all(), f"propensities are {found}")
    expect((found >= audit).all(), f"{found} with an audit of {audit}")
    scores = np.asarray(rows.scores, float)
    listed = np.asarray(rows.y).astype(object).astype(float).ravel() == 0
    order = np.argsort(scores[listed], kind="stable")
    expect((np.diff(found[listed][order]) >= -1e-12).all(), "a higher place is reviewed less")


@arguments
def _weight_arguments(d: Draw) -> dict[str, Any]:
    rows = draw_labeled(d, least=1)
    propensity = d.one(
        rows.rng.random(rows.n),
        np.ones(rows.n),
        np.zeros(rows.n),
        rows.rng.integers(0, 2, rows.n),
    )
    odd = (propensity + 1, propensity - 1.5, propensity * np.nan, propensity[:-1])
    return {
        "rows": rows,
        "propensity": d(
            st.sampled_from((propensity, propensity.tolist())),
            st.one_of(JUNK, st.sampled_from(odd)),
        ),
        "label_frequency": d(st.floats(0.01, 1), JUNK, 0.05),
        "max_weight": d(st.floats(1, 100), JUNK, 0.05),
    }


def _attack_weights(
    rows: Labeled, propensity: Any, label_frequency: Any, max_weight: Any
) -> None:
    found = review.review_weights(
        rows.y, propensity, label_frequency=label_frequency, max_weight=max_weight
    )
    labels = np.asarray(rows.y).astype(object).astype(float).ravel()
    expect(np.isfinite(found).all() and (found > 0).all(), f"weights are {found}")
    expect((found[labels == 0] == 1).all(), "unlabeled rows have other weights")
    for kind in (1, -1):
        own = found[labels == kind]
        if not len(own):
            continue
        expect(abs(own.mean() - 1) < 1e-9, f"the mean of {kind} is {own.mean()}")
        ratio = own.max() / own.min()
        expect(ratio <= max_weight * (1 + 1e-9), f"weights of {kind} differ by {ratio}")


@arguments
def _after_arguments(d: Draw) -> dict[str, Any]:
    rows = draw_labeled(d, least=2, reviewed=False)
    now = rows.labels.copy()
    open_rows = np.flatnonzero(now == 0)
    share = d.one(0.0, 0.2, 0.9)
    reviewed = open_rows[rows.rng.random(len(open_rows)) < share]
    now[reviewed] = rows.rng.choice([1, -1, -1], len(reviewed))
    left = int((now == 0).sum())
    n = min(left, 5)
    found = d(st.integers(0, n))
    audit = review.Audit(max(left, 1), int((now == 1).sum()), n, min(found, n))
    odd = st.one_of(JUNK, st.sampled_from(([(1, 2)], [review.Audit(1, 1, 9, 12)], "a")))
    return {
        "rows": rows,
        "now": d(st.sampled_from((now, now.tolist(), now.astype(float))), JUNK),
        "options": {
            "audits": d(st.sampled_from(((), (), (audit,) if n else ())), odd, 0.05),
            "label_frequency": d(st.sampled_from((None, Beta(2, 9))), JUNK, 0.03),
            "level": d(st.floats(0.05, 0.99), JUNK, 0.03),
        },
    }


def _attack_after(rows: Labeled, now: Any, options: dict[str, Any]) -> None:
    found = review.estimate_prior_after_reviews(rows.y, now, rows.scores, **options)
    numbers = (found.value, found.low, found.high, found.n_hidden)
    expect(np.isfinite(numbers).all(), f"{found!r}")
    expect(0 <= found.low <= found.value <= found.high <= 1 + 1e-9, f"{found!r}")
    known = (np.asarray(now, float) == 1).mean()
    most = 1 - (np.asarray(now, float) == -1).mean()
    expect(known - 1e-9 <= found.value <= most + 1e-9, f"{found.value}, {known} are known")
    expect(found.sentence.endswith("."), found.sentence)


@arguments
def _loop_arguments(d: Draw) -> dict[str, Any]:
    rows, X = draw_table(d, least=3, most_rows=30, odd=0.03)
    n = rows.n
    ids = (None, None, np.arange(n) + 100, [f"r{place}" for place in range(n)])
    bad_ids = ([1] * n, list(range(n - 1)), [None] * n, [1.5] * n, "ids")
    verdicts = st.lists(_VERDICTS, min_size=40, max_size=40)
    if d.chance(0.1):
        d.odd = True
        verdicts = st.lists(st.one_of(_VERDICTS, _BAD_VERDICTS), min_size=40, max_size=40)
    return {
        "rows": rows,
        "X": X,
        "settings": {
            "strategy": d(st.sampled_from(("top", "top-audit", "mixed")), JUNK, 0.03),
            "audit": d(st.floats(0, 0.9), JUNK, 0.03),
            "bias_weights": d(st.booleans()),
            "ids": d(st.sampled_from(ids), st.one_of(JUNK, st.sampled_from(bad_ids)), 0.04),
            "random_state": d(st.integers(0, 9), JUNK, 0.03),
            "label_frequency": d(st.sampled_from((None, Beta(2, 5))), JUNK, 0.03),
        },
        "k": d(st.integers(1, 9), JUNK, 0.04),
        "verdicts": d(verdicts),
        "answer": d.one("rows", "ids", "frame"),
        "rate": d(st.floats(0, 5)),
        "save": d.chance(0.4),
    }


def _attack_loop(
    rows: Labeled,
    X: Any,
    settings: dict[str, Any],
    k: Any,
    verdicts: Any,
    answer: str,
    rate: float,
    save: bool,
) -> None:
    loop = review.ReviewLoop(X, rows.y, "naive-logistic", **settings)
    batch = loop.query(k)
    _check_batch(loop, batch, k, rows.labels)
    again = loop.query(k)
    expect((again.rows == batch.rows).all(), "asked again, other rows are proposed")
    given = verdicts[: len(batch.rows)]
    before = loop.y.copy()
    if answer == "frame":
        loop.teach(batch.to_frame().assign(verdict=pd.Series(given, dtype=object)))
    elif answer == "ids":
        loop.teach(ids=batch.ids, verdicts=given)
    else:
        loop.teach(batch.rows, given)
    _check_verdicts(loop.y, before, batch.rows, given)
    if save:
        path = Path("loop.npz")
        loop.save(path)
        other = review.ReviewLoop.load(path, X)
        path.unlink()
        expect((other.y == loop.y).all(), "a saved loop has other labels")
        expect(other.history.equals(loop.history), "a saved loop has another history")
    if (loop.y == 0).any():
        expect(isinstance(loop.should_stop(rate), bool), "no answer whether to stop")
    expect(loop.advice(rate).endswith("."), loop.advice(rate))
    expect(
        0 <= loop.prior_.low <= loop.prior_.value <= loop.prior_.high <= 1, f"{loop.prior_!r}"
    )
    proba = loop.probability_
    expect(((proba >= 0) & (proba <= 1)).all(), f"probabilities are {proba}")


def _check_batch(loop: Any, batch: Any, k: Any, labels: Any) -> None:
    expect(len(batch.rows) == min(k, int((loop.y == 0).sum())), f"{len(batch.rows)} of {k}")
    expect(len(set(batch.rows.tolist())) == len(batch.rows), "a row is proposed twice")
    expect((loop.y[batch.rows] == 0).all(), "a decided row is proposed")
    expect(((batch.probability >= 0) & (batch.probability <= 1)).all(), "no probabilities")
    expect((loop.ids[batch.rows] == batch.ids).all(), "ids of other rows")
    expect(np.isfinite(batch.scores).all(), f"scores are {batch.scores}")


def _check_verdicts(after: Any, before: Any, rows: Any, given: Any) -> None:
    words = {"confirmed": 1, "yes": 1, "cleared": -1, "no": -1, "": 0}
    for row, verdict in zip(rows, given, strict=True):
        if isinstance(verdict, str):
            verdict = words.get(verdict.strip().lower(), verdict)
        if isinstance(verdict, (int, float)) or verdict is None:
            wanted = int(verdict or 0)
            expect(after[row] == wanted, f"verdict {verdict!r} became {after[row]}")
    others = np.setdiff1d(np.arange(len(after)), rows)
    expect((after[others] == before[others]).all(), "labels of other rows were changed")


@arguments
def _simulation_arguments(d: Draw) -> dict[str, Any]:
    rows, X = draw_table(d, least=3, most_rows=25, reviewed=False, odd=0.03)
    truth = np.maximum(rows.labels == 1, rows.rng.random(rows.n) < 0.3).astype(int)
    truth[np.flatnonzero(rows.labels == 0)[0]] = 0
    return {
        "rows": rows,
        "X": X,
        "truth": d(st.sampled_from((truth, truth.tolist())), JUNK, 0.05),
        "options": {
            "policy": d(st.sampled_from(("top", "mixed", "top-audit")), JUNK, 0.03),
            "budget": d(st.integers(1, 9), JUNK.filter(_is_small), 0.04),
            "batch_size": d(st.integers(3, 9), JUNK.filter(_is_small), 0.04),
        },
    }


def _is_small(junk: Any) -> bool:
    return not isinstance(junk, int) or junk < 10


def _attack_simulation(rows: Labeled, X: Any, truth: Any, options: dict[str, Any]) -> None:
    found = review.simulate_reviews(X, truth, rows.y, method="naive-logistic", **options)
    n = min(options["budget"], int((rows.labels == 0).sum()))
    expect(len(found.rows) == len(found.round) == len(found.found) == n, f"{found!r}")
    expect((np.asarray(truth)[found.rows] == found.found).all(), "finds that are none")
    expect(found.finds.sum() == found.found.sum(), f"{found.finds} and {found.found.sum()}")
    expect(str(found).endswith("."), f"{found}")


ENTRIES = (
    Entry(("review.review_propensity",), _propensity_arguments, _attack_propensity, share=10),
    Entry(("review.review_weights",), _weight_arguments, _attack_weights, share=10),
    Entry(
        ("review.estimate_prior_after_reviews", "review.Audit"),
        _after_arguments,
        _attack_after,
        share=8,
    ),
    Entry(
        ("review.ReviewLoop", "review.Batch", "ReviewLoop"),
        _loop_arguments,
        _attack_loop,
        share=1,
        errors=(OSError,),
    ),
    Entry(
        ("review.simulate_reviews", "review.Simulation", "simulate_reviews"),
        _simulation_arguments,
        _attack_simulation,
    ),
)
