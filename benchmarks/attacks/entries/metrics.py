"""Metrics: equal to slow twins, and unmoved by the order of rows and by what keeps ranks."""

from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, ClassifierMixin

from attacks.drawn import Draw, Entry, arguments
from attacks.entries.twins import PU_TWINS, TRUE_TWINS
from attacks.entries.values import JUNK, Labeled, close, draw_labeled, expect
from attacks.verdicts import Finding
from lopsided import metrics
from lopsided.metrics.named import OF_ALL_ROWS
from lopsided.priors import PriorEstimate

__all__ = ["ENTRIES"]

_AT_K = ("precision_at_k", "recall_at_k", "ndcg_at_k")
_WITHOUT_PRIOR = ("pu_mean_log_rank", "pu_recall_at_k", "pu_lift_at_k")
_CLIPPED = ("pu_roc_auc", "pu_average_precision", "pu_precision_at_k", "pu_f1_at_k")
_NEED_PRIOR = ("pu_average_precision", "pu_precision_at_k", "pu_f1_at_k")
_BAD_CUTS = st.one_of(JUNK, st.sampled_from((0, -1, 2.5, 10**9, 0.0, 1e-320, "2")))
_BAD_PRIORS = st.one_of(JUNK, st.sampled_from((0.0, 1.0, 1e-9, -0.1, 2, (0.9, 0.1), (0.1,))))


def _draw_cut(d: Draw, n: int) -> Any:
    """Draw a number of rows, or a share of them."""
    whole = st.integers(1, n)
    share = st.floats(0.001, 0.999)
    good = st.one_of(whole, whole.map(np.int64), whole.map(float), share, share.map(np.float32))
    return d(good, _BAD_CUTS)


@arguments
def _true_arguments(d: Draw) -> dict[str, Any]:
    rows = draw_labeled(d, reviewed=False)
    return {"rows": rows, "k": _draw_cut(d, rows.n)}


def _attack_truth(name: str, rows: Labeled, k: Any) -> None:
    metric = getattr(metrics, name)
    cut = {"k": k} if name in _AT_K else {}
    found = metric(rows.y, rows.scores, **cut)
    expect(isinstance(found, float) and 0 <= found <= 1 + 1e-12, f"{found!r} is no share")
    labels, values = _as_meant(rows)
    if name in TRUE_TWINS:
        wanted = TRUE_TWINS[name](labels, values, **cut)
        expect(close(found, wanted), f"{found!r}, and the twin says {wanted!r}")
    order = rows.rng.permutation(len(labels))
    for other, what in (
        (metric(labels[order], values[order], **cut), "the order of rows"),
        (metric(labels, rankdata(values, "dense"), **cut), "a scale that keeps ranks"),
    ):
        expect(close(found, other), f"{what} changes {found!r} to {other!r}")


def _as_meant(rows: Labeled) -> tuple[Any, Any]:
    """Return what labels and scores were taken for, where even odd ones were."""
    labels = np.asarray(rows.y).astype(object).astype(float).astype(np.int8).ravel()
    return labels, np.asarray(rows.scores, dtype=float)


@arguments
def _pu_arguments(d: Draw) -> dict[str, Any]:
    rows = draw_labeled(d, least=2)
    scenario = d(st.sampled_from(("one-sample", "one-sample", "two-sample")), JUNK, 0.03)
    weight = _draw_weight(d, rows)
    share, n_unlabeled = _weigh(rows, weight)
    one = st.floats(share + (1 - share) / 50, 1 - (1 - share) / 50)
    good = st.one_of(
        *([st.none()] if isinstance(scenario, str) and scenario == "one-sample" else []),
        one,
        one.map(np.float64),
        one.map(_estimate),
    )
    return {
        "rows": rows,
        "scenario": scenario,
        "prior": d(good, _BAD_PRIORS),
        "k": _draw_cut(d, n_unlabeled),
        "clip": d(st.booleans(), JUNK, 0.02),
        "weight": weight,
    }


def _weigh(rows: Labeled, weight: Any) -> tuple[float, int]:
    """Return the labeled share by weights, and how many whole rows the others stand for."""
    heavy = np.ones(rows.n)
    if np.shape(weight) == heavy.shape and np.asarray(weight).dtype.kind in "if":
        heavy = np.asarray(weight, float)
    share = heavy[rows.labels == 1].sum() / max(heavy.sum(), 1e-9)
    n_unlabeled = heavy[rows.labels == 0].sum()
    share = float(share) if 0 < share < 1 else 0.5
    return share, int(n_unlabeled) if 1 < n_unlabeled < 1e6 else 1


def _estimate(prior: float) -> PriorEstimate:
    return PriorEstimate(prior, prior, min(prior * 1.1, 1), 0.9, True, 1.0, "x", "A prior.")


def _draw_weight(d: Draw, rows: Labeled) -> Any:
    """Draw weights, most often none, whole ones, or others."""
    n, rng = rows.n, rows.rng
    counts = np.maximum(rng.integers(0, 4, n), rows.labels == 1)
    counts[np.flatnonzero(rows.labels == 0)[:2]] = 2
    good = st.sampled_from(
        (None, None, None, np.ones(n), counts, counts.tolist(), counts * 2.5, counts + 1e-9)
    )
    odd = st.one_of(
        JUNK.filter(lambda junk: junk is not None),
        st.sampled_from((-counts, counts * np.nan, counts * 0, counts[:-1], counts * 1e300)),
    )
    return d(good, odd, 0.04)


def _attack_pu(
    name: str, rows: Labeled, scenario: Any, prior: Any, k: Any, clip: Any, weight: Any
) -> None:
    metric, options = getattr(metrics, name), {"scenario": scenario}
    if name not in _WITHOUT_PRIOR:
        options["prior"] = prior
    if name in _CLIPPED:
        options["clip"] = clip
    if name.endswith(("at_k", "finds")):
        options["k"] = k
    found = metric(rows.y, rows.scores, **options, sample_weight=weight)
    if isinstance(found, tuple):
        expect(isinstance(prior, (tuple, list)), f"two values {found!r} for one prior")
        return
    expect(isinstance(found, float) and np.isfinite(found), f"{found!r} is no number")
    expect(name == "pu_roc_auc" or found >= -1e-12, f"{found!r} is below 0")
    if name in _CLIPPED and clip is True:
        expect(0 <= found <= 1, f"{found!r} is clipped")
    labels, values = _as_meant(rows)
    _check_pu(metric, name, found, labels, values, options, weight, rows.rng)


def _check_pu(
    metric: Any,
    name: str,
    found: float,
    labels: Any,
    values: Any,
    options: dict[str, Any],
    weight: Any,
    rng: np.random.Generator,
) -> None:
    heavy = None if weight is None else np.asarray(weight, float)
    whole = heavy is None or ((heavy % 1 == 0) & (heavy < 99)).all()
    if whole:
        times = np.ones(len(labels), int) if heavy is None else heavy.astype(int)
        repeated = np.repeat(labels, times), np.repeat(values, times)
        wanted = PU_TWINS[name](*repeated, **options)
        expect(close(found, wanted), f"{found!r}, and the twin says {wanted!r}")
    order = rng.permutation(len(labels))
    moved = None if heavy is None else heavy[order]
    others = {
        "the order of rows": metric(
            labels[order], values[order], **options, sample_weight=moved
        ),
        "a scale that keeps ranks": metric(
            labels, rankdata(values, "dense"), **options, sample_weight=heavy
        ),
    }
    if heavy is not None:
        kept = heavy > 0
        others["taking out rows of no weight"] = metric(
            labels[kept], values[kept], **options, sample_weight=heavy[kept]
        )
    for what, other in others.items():
        expect(close(found, other, 1e-7), f"{what} changes {found!r} to {other!r}")


@arguments
def _bootstrap_arguments(d: Draw) -> dict[str, Any]:
    rows = draw_labeled(d, least=2)
    share = float((rows.labels == 1).mean())
    prior = st.floats(share + (1 - share) * 0.2, 0.99)
    names = sorted(PU_TWINS)
    name = d(st.sampled_from(names), JUNK, 0.03)
    known = isinstance(name, str) and name in names
    return {
        "rows": rows,
        "metric": d.one(name, getattr(metrics, name)) if known else name,
        "prior": d(st.one_of(st.none(), prior, prior.map(_estimate)), _BAD_PRIORS),
        "k": _draw_cut(d, int((rows.labels == 0).sum())),
        "n_draws": d(st.integers(1, 60), JUNK.filter(_is_small), 0.04),
        "level": d(st.floats(0.01, 0.99), JUNK, 0.04),
        "seed": d(st.integers(0, 99), JUNK, 0.03),
    }


def _is_small(junk: Any) -> bool:
    """Say whether a number that is asked for asks for little."""
    return not isinstance(junk, (int, float)) or not 1000 < abs(junk) < np.inf


def _attack_bootstrap(
    rows: Labeled, metric: Any, prior: Any, k: Any, n_draws: Any, level: Any, seed: Any
) -> None:
    name = metric if isinstance(metric, str) else getattr(metric, "__name__", "")
    options = {"prior": prior, "n_draws": n_draws, "level": level, "random_state": seed}
    if name.endswith(("at_k", "finds")):
        options["k"] = k
    found = metrics.pu_bootstrap(metric, rows.y, rows.scores, **options)
    numbers = (found.value, found.standard_error, found.low, found.high)
    expect(np.isfinite(numbers).all(), f"{found!r} is not finite")
    expect(found.low <= found.clipped <= found.high, f"{found!r} has its value outside")
    expect(found.standard_error >= 0, f"{found!r} has an error below 0")
    expect(found.low >= 0, f"{found!r} reaches below 0")
    expect("interval" in str(found), f"{found} does not tell its interval")
    if isinstance(seed, int) and not isinstance(prior, (tuple, list)):
        again = metrics.pu_bootstrap(metric, rows.y, rows.scores, **options)
        expect(again == found, f"the same seed gives {found!r} and {again!r}")


@arguments
def _scorer_arguments(d: Draw) -> dict[str, Any]:
    rows = draw_labeled(d, least=2, reviewed=False, odd=0)
    names = sorted(PU_TWINS)
    params: dict[str, Any] = {}
    name = d(st.sampled_from(names), JUNK, 0.05)
    if name in names and name.endswith(("at_k", "finds")):
        params["k"] = _draw_cut(d, int((rows.labels == 0).sum()))
    if name in names and name not in _WITHOUT_PRIOR and d.chance(0.5):
        params["prior"] = d(st.floats(0.01, 0.99), _BAD_PRIORS)
    return {"rows": rows, "metric": name, "params": params}


class _Scores(ClassifierMixin, BaseEstimator):
    """A fitted classifier whose scores are the first column."""

    classes_ = np.array([0, 1])

    def fit(self, X: Any, y: Any) -> "_Scores":
        return self

    def decision_function(self, X: Any) -> Any:
        return X[:, 0]

    def __sklearn_is_fitted__(self) -> bool:
        return True


def _attack_scorer(rows: Labeled, metric: Any, params: dict[str, Any]) -> None:
    scorer = metrics.make_pu_scorer(metric, **params)
    found = scorer(_Scores(), rows.values[:, None], rows.y)
    given = dict(params)
    if given.get("prior") is not None:
        given["prior"] = max(given["prior"], float((rows.labels == 1).mean()))
    wanted = getattr(metrics, metric)(rows.labels, rows.values, **given)
    expect(close(found, wanted), f"the scorer says {found!r}, the metric {wanted!r}")


@arguments
def _named_scorer_arguments(d: Draw) -> dict[str, Any]:
    return {"rows": draw_labeled(d, least=2, reviewed=False, odd=0)}


def _attack_named_scorer(name: str, rows: Labeled) -> None:
    found = getattr(metrics, f"{name}_scorer")(_Scores(), rows.values[:, None], rows.y)
    wanted = getattr(metrics, name)(rows.labels, rows.values)
    expect(close(found, wanted), f"the scorer says {found!r}, the metric {wanted!r}")


@arguments
def _estimate_arguments(d: Draw) -> dict[str, Any]:
    low, value, high = sorted(d(st.lists(st.floats(-9, 9), min_size=3, max_size=3)))
    return {"value": d.one(value, value + 9), "low": low, "high": high}


def _attack_estimate(value: float, low: float, high: float) -> None:
    found = metrics.Estimate(value, 0.1, low, high)
    expect(low <= found.clipped <= high, f"{found!r} clips to {found.clipped}")
    if str(found).count("interval") != 1:
        raise Finding("wrong", f"{found} does not tell its interval")


ENTRIES = (
    *(
        Entry((f"metrics.{name}",), _true_arguments, partial(_attack_truth, name), share=3)
        for name in (*TRUE_TWINS, "ndcg_at_k")
    ),
    *(
        Entry((f"metrics.{name}",), _pu_arguments, partial(_attack_pu, name), share=4)
        for name in PU_TWINS
    ),
    Entry(("metrics.pu_bootstrap",), _bootstrap_arguments, _attack_bootstrap, share=4),
    Entry(("metrics.make_pu_scorer",), _scorer_arguments, _attack_scorer, share=2),
    Entry(("metrics.Estimate",), _estimate_arguments, _attack_estimate),
    *(
        Entry(
            (f"metrics.{name}_scorer",),
            _named_scorer_arguments,
            partial(_attack_named_scorer, name),
        )
        for name in OF_ALL_ROWS
    ),
)
