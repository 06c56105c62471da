"""Estimators of the prior: between the labeled share and 1, with the value in its interval."""

from typing import Any

import numpy as np
from hypothesis import strategies as st
from scipy.stats import rankdata

from attacks.drawn import Draw, Entry, arguments
from attacks.entries.values import JUNK, Labeled, close, draw_labeled, expect
from lopsided import priors
from lopsided.priors import Beta

__all__ = ["ENTRIES"]

_CLASSES = {
    "auto": priors.AutoPrior,
    "elkan-noto": priors.ElkanNotoPrior,
    "tail-ratio": priors.TailRatioPrior,
    "dedpul": priors.DEDPULPrior,
    "bbe": priors.BBEPrior,
    "tice": priors.TIcEPrior,
    "km2": priors.KM2Prior,
    "pulscar": priors.PULSCARPrior,
    "twice-labeled": priors.TwiceLabeledPrior,
}
_SETTINGS: dict[str, dict[str, Any]] = {
    "auto": {
        "belief": st.builds(Beta, st.floats(0.1, 20), st.floats(0.1, 20)),
        "noise": st.floats(0, 2),
    },
    "elkan-noto": {"statistic": st.sampled_from(("max", "mean"))},
    "tail-ratio": {"min_recall": st.floats(0.01, 1)},
    "dedpul": {"tolerance": st.floats(0.001, 0.5)},
    "bbe": {"delta": st.floats(0.01, 0.9), "gamma": st.floats(0, 1)},
    "tice": {"n_folds": st.integers(2, 6), "max_splits": st.integers(1, 50)},
    "km2": {"max_rows": st.integers(10, 60), "threshold": st.floats(0.01, 1)},
    "pulscar": {"n_steps": st.integers(10, 60)},
    "twice-labeled": {},
}
_FAST = ("auto", "auto", "elkan-noto", "tail-ratio", "bbe", "twice-labeled", "tice", "dedpul")
_SLOW = ("km2", "pulscar")
_SMALL = JUNK.filter(lambda junk: not isinstance(junk, (int, float)) or abs(junk) < 200)


def _draw_estimator(d: Draw) -> Any:
    """Draw an estimator with settings of its own, by a class or by its name."""
    name = d.one(*_FAST * 3, *_SLOW)
    params = {
        key: d(good, _SMALL, 0.1) for key, good in _SETTINGS[name].items() if d.chance(0.5)
    }
    return name, params, d.chance(0.3)


@arguments
def _estimate_arguments(d: Draw) -> dict[str, Any]:
    rows = draw_labeled(d, least=2)
    name, params, by_name = _draw_estimator(d)
    weights = (None, None, np.ones(rows.n), rows.rng.random(rows.n) + 0.1)
    bad = (np.zeros(rows.n), -np.ones(rows.n), np.full(rows.n, np.nan), np.ones(rows.n + 1))
    return {
        "rows": rows,
        "name": name if by_name and not params else d(st.just(name), JUNK, 0.02),
        "params": params,
        "by_name": by_name,
        "options": {
            "scenario": d(st.sampled_from(("one-sample", "two-sample")), JUNK, 0.03),
            "level": d(st.floats(0.05, 0.99), JUNK, 0.03),
            "n_draws": d(st.integers(0, 4), _SMALL, 0.03),
            "weight": d(st.sampled_from(weights), st.one_of(JUNK, st.sampled_from(bad)), 0.04),
            "n_rows": d(st.one_of(st.none(), st.floats(10, 1e6)), JUNK, 0.03),
            "random_state": d(st.integers(0, 9), JUNK, 0.03),
            "X": d(st.sampled_from((None, rows.rng.normal(size=(rows.n, 2)))), JUNK, 0.03),
            **({"label_frequency": d(st.just(Beta(2, 5)), JUNK)} if name == "auto" else {}),
        },
    }


def _attack_estimate(
    rows: Labeled, name: Any, params: dict[str, Any], by_name: bool, options: dict[str, Any]
) -> None:
    expect(priors.list_priors() == list(_CLASSES), f"the names are {priors.list_priors()}")
    if isinstance(name, str) and name in _CLASSES:
        method: Any = (
            priors.build_prior(name, **params) if by_name else _CLASSES[name](**params)
        )
        expect(isinstance(method, priors.PriorEstimator), f"{method!r} is no estimator")
    else:
        method = name
    found = priors.estimate_prior(rows.y, rows.scores, method=method, **options)
    _check_estimate(found)
    share, one_sample = _labeled_share(rows, options)
    expect(
        found.value >= share * one_sample - 1e-9,
        f"a prior of {found.value} below the labeled share {share}",
    )
    again = priors.estimate_prior(rows.y, rows.scores, method=method, **options)
    if isinstance(options["random_state"], int):
        expect(again == found, f"the same seed gives {found.value} and {again.value}")


def _check_estimate(found: Any) -> None:
    numbers = (found.value, found.low, found.high, found.n_hidden)
    expect(np.isfinite(numbers).all(), f"{found!r} is not finite")
    expect(0 <= found.low <= found.value <= found.high <= 1 + 1e-12, f"the ends of {found!r}")
    expect(found.n_hidden >= -1e-9, f"{found.n_hidden} are hidden")
    expect(str(found) == found.sentence and found.sentence.endswith("."), f"{found}")


def _labeled_share(rows: Labeled, options: dict[str, Any]) -> tuple[float, bool]:
    y = np.asarray(rows.y).astype(object).astype(float).ravel()
    weight = options["weight"]
    heavy = np.ones(len(y)) if weight is None else np.asarray(weight, float)
    one_sample = options["scenario"] == "one-sample"
    return float(np.average(y == 1, weights=heavy)), one_sample


@arguments
def _direct_arguments(d: Draw) -> dict[str, Any]:
    rows = draw_labeled(d, least=2, reviewed=False, odd=0)
    name = d.one(*_FAST * 3, *_SLOW)
    params = {key: d(good) for key, good in _SETTINGS[name].items() if d.chance(0.5)}
    return {"rows": rows, "estimator": _CLASSES[name](**params)}


def _attack_direct(rows: Labeled, estimator: Any) -> None:
    rng = np.random.default_rng(0)
    found = estimator.estimate(rows.values, rows.labels, rng)
    share = float(rows.labels.mean())
    expect(isinstance(found, float), f"{found!r} is no float")
    if type(estimator).__name__ != "TwiceLabeledPrior":
        expect(share - 1e-9 <= found <= 1 + 1e-9, f"{found} and a labeled share of {share}")
    again = type(estimator)(**estimator.get_params(deep=False))
    moved = again.estimate(rankdata(rows.values, "dense"), rows.labels, rng)
    if type(estimator).__name__ in ("AutoPrior", "BBEPrior", "TailRatioPrior"):
        expect(close(found, moved), f"{found} and again {moved}")


@arguments
def _posterior_arguments(d: Draw) -> dict[str, Any]:
    rows = draw_labeled(d, least=1, reviewed=False, odd=0)
    belief = (d(st.floats(0.1, 9), JUNK), d(st.floats(0.1, 9), JUNK))
    return {"rows": rows, "belief": belief, "quantile": d(st.floats(0.01, 0.99))}


def _attack_posterior(rows: Labeled, belief: tuple[Any, Any], quantile: float) -> None:
    one = Beta(*belief)
    density = one.log_density(np.array([0.2, 0.5]))
    expect(np.isfinite(density).all(), f"the density is {density}")
    found = priors.AutoPrior(one).posterior(rows.values, rows.labels)
    share = float(rows.labels.mean())
    values = [found.prior(at) for at in (0.0, quantile, 1.0)]
    expect(values == sorted(values), f"quantiles are {values}")
    expect(share - 1e-9 <= values[0] and values[-1] <= 1, f"quantiles are {values}, {share}")
    frequencies = [found.label_frequency(at) for at in (0.0, quantile, 1.0)]
    expect(frequencies == sorted(frequencies), f"quantiles are {frequencies}")


ENTRIES = (
    Entry(
        (
            "priors.estimate_prior",
            "priors.PriorEstimate",
            "priors.build_prior",
            "priors.list_priors",
        ),
        _estimate_arguments,
        _attack_estimate,
        share=3,
    ),
    Entry(
        (
            "priors.PriorEstimator",
            *(f"priors.{one.__name__}" for one in _CLASSES.values()),
        ),
        _direct_arguments,
        _attack_direct,
        share=2,
    ),
    Entry(
        ("priors.Beta", "priors.LabelFrequencyPosterior"),
        _posterior_arguments,
        _attack_posterior,
    ),
)
