"""Losses and risks: finite, equal to difference quotients, alike for arrays and tensors."""

from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st

from attacks.drawn import Draw, Entry, arguments
from attacks.entries.values import JUNK, SEEDS, close, expect
from lopsided import losses, risks, testing

__all__ = ["ENTRIES"]

_NUMBERS = st.floats(-100, 100)
_EDGES = (0.0, -0.0, 1e-300, -1e-300, 100.0, -100.0, 80.0, -80.0, 1e-8, np.log(0.25))
_GAMMA = st.one_of(st.floats(0, 8), st.integers(0, 5), st.sampled_from((0.0, 0.5, 1, 3.0)))
_BAD_GAMMA = st.one_of(JUNK, st.sampled_from((-1, -1e-9, "3", np.nan)))


def _draw_margin(d: Draw) -> Any:
    """Draw margins of any size up to 100, shape and type."""
    values = np.array(d(st.lists(st.one_of(_NUMBERS, st.sampled_from(_EDGES)), max_size=6)))
    form = d.one("float", "float32", "scalar", "column", "int", "tensor", "tensor32", "strided")
    if form == "scalar":
        return d.one(float, np.float64, np.float32)(values[0] if len(values) else 0.0)
    if form == "column":
        return values[:, None]
    if form == "int":
        return values.astype(np.int64)
    if form == "strided":
        return np.repeat(values, 2)[::-2]
    if form.startswith("tensor"):
        import torch

        wide = torch.float32 if form == "tensor32" else torch.float64
        return torch.as_tensor(values, dtype=wide)
    return values.astype(np.float32 if form == "float32" else np.float64)


def _draw_loss(d: Draw) -> Any:
    kind = d.one("logistic", "sigmoid", "focal", "calibrated")
    if kind == "focal":
        return losses.FocalLoss(d(_GAMMA, _BAD_GAMMA))
    if kind == "calibrated":
        return losses.CalibratedFocalLoss(
            d(_GAMMA, _BAD_GAMMA), d(_GAMMA, _BAD_GAMMA), d(st.floats(0.01, 0.5))
        )
    return losses.LogisticLoss() if kind == "logistic" else losses.SigmoidLoss()


@arguments
def _loss_arguments(d: Draw) -> dict[str, Any]:
    return {"loss": _draw_loss(d), "margin": _draw_margin(d)}


def _attack_loss(loss: Any, margin: Any) -> None:
    loss.check()
    shape = np.shape(margin)
    found = {
        name: np.asarray(getattr(loss, name)(margin), dtype=float)
        for name in ("value", "gradient", "hessian", "curvature", "log_odds")
    }
    for name, values in found.items():
        expect(values.shape == shape, f"{name} of {shape} is {values.shape}")
        expect(np.isfinite(values).all(), f"{name} is {values} at {margin}")
    expect((found["value"] >= 0).all(), f"a loss below 0: {found['value']}")
    expect((found["gradient"] <= 0).all(), f"a loss that rises: {found['gradient']}")
    expect((found["curvature"] >= 0).all(), f"a curvature below 0: {found['curvature']}")
    z = np.asarray(margin, dtype=float)
    exact = np.finfo(np.float64 if _is_wide(margin) else np.float32).eps
    _check_slopes(loss, z, found, exact)
    flat = np.sort(z.ravel())
    rises = np.diff(np.asarray(loss.log_odds(flat), float)) >= 0
    expect(rises.all(), f"log-odds fall along {flat}")


def _is_wide(margin: Any) -> bool:
    return str(getattr(margin, "dtype", "float64")) in ("float64", "int64", "torch.float64")


def _check_slopes(loss: Any, z: Any, found: dict[str, Any], exact: float) -> None:
    """Compare the derivatives with difference quotients, away from the switch of a loss."""
    step = 1e-5
    p = 1 / (1 + np.exp(-z))
    smooth = np.abs(p - getattr(loss, "switch", -1)) > 1e-4
    tolerance = 1e-5 + 100 * exact * (1 + np.abs(z))
    for name, slope in (("value", "gradient"), ("gradient", "hessian")):
        function = getattr(loss, name)
        quotient = (function(z + step) - function(z - step)) / (2 * step)
        gap = np.abs(quotient - found[slope])
        good = gap <= tolerance * (1 + np.abs(quotient))
        expect((good | ~smooth).all(), f"{slope} is off by {gap.max(initial=0)} at {z}")


@arguments
def _risk_arguments(d: Draw) -> dict[str, Any]:
    n = d(st.integers(2, 20))
    rng = np.random.default_rng(d(SEEDS))
    y = rng.permutation(np.r_[1, 0, rng.choice([1, 0, 0, 0, -1], n - 2)])
    scores = rng.normal(size=n) * d.one(0.1, 1.0, 10.0, 40.0)
    kind = d.one("upu", "nnpu", "imbnnpu", "ifpu", "naive", "supervised", "pu")
    if kind in ("naive", "supervised"):
        y = np.maximum(y, 0)
    return {
        "risk": _draw_risk(d, kind),
        "scores": scores.astype(d.one(np.float64, np.float64, np.float32)),
        "y": y.astype(d.one(np.int8, np.int64, np.float64)),
        "prior": d(st.floats(0.01, 0.99)),
        "weight": d.one(None, None, np.ones(n), rng.random(n) + 0.1, rng.integers(1, 4, n)),
        "tensor": d.chance(0.2),
    }


def _draw_risk(d: Draw, kind: str) -> Any:
    loss = _draw_loss(d)
    target = d(st.one_of(st.none(), st.floats(0.01, 0.99)), JUNK, 0.03)
    clamp = d(
        st.sampled_from((None, risks.ClipAtZero(), risks.GradientAscent(0.1, 0.5))), JUNK, 0.03
    )
    if kind == "imbnnpu":
        return risks.imbnnpu(loss, clamp, 0.5 if target is None else target)
    if kind == "ifpu":
        return risks.ifpu(d(_GAMMA, _BAD_GAMMA), clamp, target)
    if kind == "pu":
        scenario = d(st.sampled_from(("one-sample", "two-sample")), JUNK, 0.03)
        reviewed = d(st.floats(1, 9), JUNK, 0.03)
        return risks.PURisk(loss, clamp, target, scenario, reviewed)
    if kind == "nnpu":
        return risks.nnpu(loss, clamp)
    return getattr(risks, kind)(loss)


def _attack_risk(
    risk: Any, scores: Any, y: Any, prior: float, weight: Any, tensor: bool
) -> None:
    risk.check()
    found = {
        name: np.asarray(getattr(risk, name)(scores, y, prior, weight), dtype=float)
        for name in ("objective", "estimate", "gradient", "curvature")
    }
    weights = risk.weights(scores, y, prior, weight)
    found |= {
        "positive": np.asarray(weights.positive),
        "negative": np.asarray(weights.negative),
    }
    for name, values in found.items():
        expect(np.isfinite(values).all(), f"{name} is {values}")
    expect((found["curvature"] >= 0).all(), "a curvature below 0")
    expect(np.isfinite(risk.log_odds(scores, prior)).all(), "log-odds are not finite")
    start = risk.fit_intercept_only(y, prior, weight)
    expect(isinstance(start, float) and abs(start) <= 100, f"the intercept is {start!r}")
    if weight is not None and (np.asarray(weight) % 1 == 0).all():
        times = np.asarray(weight).astype(int)
        repeated = risk.estimate(np.repeat(scores, times), np.repeat(y, times), prior)
        expect(close(found["estimate"], repeated, 1e-4), "a weight of 2 is not two rows")
    if tensor:
        _compare_tensors(risk, scores, y, prior, weight, found)


def _compare_tensors(
    risk: Any, scores: Any, y: Any, prior: float, weight: Any, found: dict[str, Any]
) -> None:
    """See that torch's automatic derivative is the gradient."""
    import torch

    leaf = torch.tensor(scores.astype(np.float64), requires_grad=True)
    heavy = None if weight is None else torch.tensor(np.asarray(weight, float))
    given = torch.tensor(np.asarray(y, float))
    value = risk.objective(leaf, given, prior, heavy)
    value.backward()
    gap = np.abs(leaf.grad.numpy() - found["gradient"]).max()
    smooth = type(risk.loss).__name__ != "CalibratedFocalLoss"
    expect(not smooth or gap <= 1e-4 * (1 + np.abs(scores).max()), f"autograd is off by {gap}")


@arguments
def _params_arguments(d: Draw) -> dict[str, Any]:
    key = st.sampled_from(("loss", "loss__gamma", "clamp", "target_prior", "clamp__beta"))
    keys = st.one_of(key, st.text(max_size=6))
    d.odd = True  # many names are none
    return {
        "risk": _draw_risk(d, d.one("ifpu", "nnpu", "naive")),
        "params": d(st.dictionaries(keys, JUNK, max_size=2)),
    }


def _attack_params(risk: Any, params: dict[str, Any]) -> None:
    before = risk.get_params()
    expect(repr(risk) and set(before) >= {"loss", "clamp"}, f"the parameters are {before}")
    risk.set_params(**params)
    after = risk.get_params()
    for name, value in params.items():
        expect(after.get(name, value) is value, f"{name} is not what was set")


class _Broken(risks.SupervisedRisk):
    """A risk whose weights are those of the naive one after a change."""

    change: Any = None

    def raw_weights(self, y: Any, prior: float, weight: Any = None) -> Any:
        positive, negative = super().raw_weights(y, prior, weight)
        return risks.SignedWeights(*self.change(positive, negative, weight))


_BREAKS: dict[str, Any] = {
    "scaled": lambda up, down, weight: (700 * up, 700 * down),
    "weighted twice": lambda up, down, weight: (
        (up, down) if weight is None else (up * weight, down * weight)
    ),
    "swapped": lambda up, down, weight: (down, up),
    "short": lambda up, down, weight: (up[1:], down),
    "missing": lambda up, down, weight: (up, down * np.nan),
    "a number": lambda up, down, weight: (up, 0.5),
    "none": lambda up, down, weight: (up, None),
}


@arguments
def _check_arguments(d: Draw) -> dict[str, Any]:
    kind = d.one("upu", "nnpu", "imbnnpu", "ifpu", "naive", "supervised", "pu")
    prior = d(st.floats(0.01, 0.99), st.one_of(JUNK, st.sampled_from((0.0, 1.0))), 0.1)
    broken = d(st.none(), st.sampled_from(tuple(_BREAKS)), 0.3)
    risk = d(st.just(_draw_risk(d, kind)), JUNK, 0.1)
    if broken is not None:
        risk = _Broken(_draw_loss(d))
        risk.change = _BREAKS[broken]
    return {"risk": risk, "prior": prior, "broken": broken}


def _attack_check(risk: Any, prior: Any, broken: str | None) -> None:
    found = testing.check_risk(risk, prior)
    expect(found is None, f"a check answers {found!r}")
    expect(broken is None, f"a risk that is {broken} passes")


_LOSSES = ("LogisticLoss", "SigmoidLoss", "FocalLoss", "CalibratedFocalLoss", "Loss")
_RISKS = (
    "PURisk",
    "SupervisedRisk",
    "Risk",
    "Clamp",
    "SignedWeights",
    "ClipAtZero",
    "GradientAscent",
)
_RISKS += ("upu", "nnpu", "imbnnpu", "ifpu", "naive", "supervised")

ENTRIES = (
    Entry(tuple(f"losses.{name}" for name in _LOSSES), _loss_arguments, _attack_loss, share=2),
    Entry(tuple(f"risks.{name}" for name in _RISKS), _risk_arguments, _attack_risk, share=2),
    Entry(("risks.PURisk",), _params_arguments, partial(_attack_params)),
    Entry(("testing.check_risk",), _check_arguments, _attack_check, errors=(AssertionError,)),
)
