"""Small mathematics, most of it alike for NumPy arrays and torch tensors."""

import sys
from math import ceil
from typing import Any

import numpy as np

_EPS = 1e-9  # how near to 0 and 1 a probability may come before it is turned into log-odds
_RANKING_BITS = 40  # of a score that decide its rank: 12 digits


def backend(values: Any) -> Any:
    """Return torch for a tensor, else NumPy: the module whose functions fit `values`."""
    torch = sys.modules.get("torch")  # a tensor exists only where torch is loaded already
    return torch if torch is not None and isinstance(values, torch.Tensor) else np


def sigmoid(values: Any) -> Any:
    r"""Return :math:`1 / (1 + e^{-z})`, accurate in both tails."""
    if (torch := backend(values)) is not np:
        return torch.sigmoid(values)
    from scipy.special import expit

    return expit(values)


def log_odds_of(proba: Any) -> Any:
    """Return probabilities as log-odds, finite even for 0 and 1."""
    return np.log(np.maximum(proba, _EPS)) - np.log(np.maximum(1 - proba, _EPS))


def softplus(values: Any) -> Any:
    r"""Return :math:`\log(1 + e^z)`, accurate in both tails."""
    if (torch := backend(values)) is not np:
        # torch's own softplus gives up on the last digits above 20.
        return -torch.nn.functional.logsigmoid(-values)
    return np.logaddexp(np.zeros_like(values), values)


def cast(values: Any, like: Any) -> Any:
    """Return `values` as floats of the kind, precision and device of `like`."""
    if (torch := backend(like)) is not np:
        dtype = like.dtype if like.is_floating_point() else torch.get_default_dtype()
        return torch.as_tensor(values, dtype=dtype, device=like.device)
    floats = np.asarray(like)
    return np.asarray(values, dtype=floats.dtype if floats.dtype.kind == "f" else float)


def detach(values: Any) -> Any:
    """Return `values` as they are, but out of reach of torch's gradients."""
    return values if backend(values) is np else values.detach()


def normalized(mask: Any, like: Any, weight: Any = None) -> Any:
    """Spread a total of 1 over the rows of `mask`, evenly or by weight; 0 where it is empty."""
    spread = cast(mask, like)
    if weight is not None:
        spread = spread * cast(weight, like)
    total = spread.sum()
    return spread / total if total > 0 else spread


def positive_posterior(y: Any, scores: Any, propensity_scores: Any) -> Any:
    r"""Return the probability that each row is positive, given its label.

    A labeled row (1) is, a reviewed negative (-1) is not. An unlabeled one (0) with probability
    :math:`f` of a positive and propensity :math:`e`, both given as log-odds, is with
    probability

    .. math:: \frac{f (1 - e)}{f (1 - e) + 1 - f}.
    """
    hidden = sigmoid(scores - softplus(propensity_scores))  # log(1 - e) is minus the softplus
    return cast(y == 1, hidden) + cast(y == 0, hidden) * hidden


def best_first(scores: Any) -> Any:
    """Return the positions of scores from the highest to the lowest; of ties the first leads.

    Scores are compared to 12 significant digits: linear algebra rounds the last digits
    differently on another processor, and the order should be the same there.
    """
    mantissa, exponent = np.frexp(scores)
    rounded = np.ldexp(np.rint(np.ldexp(mantissa, _RANKING_BITS)), exponent - _RANKING_BITS)
    return np.argsort(-rounded, kind="stable")


def count_rivals(rivals: Any, scores: Any) -> tuple[Any, Any]:
    """Return how many rivals outrank each score, and how many tie with it."""
    ordered = np.sort(rivals)
    upto = np.searchsorted(ordered, scores, "right")
    return len(ordered) - upto, upto - np.searchsorted(ordered, scores, "left")


def weigh_rivals(rivals: Any, weight: Any, scores: Any) -> tuple[Any, Any]:
    """Return the weight of rivals that outrank each score, and of those that tie with it."""
    order = np.argsort(rivals, kind="stable")
    ordered, ends = rivals[order], np.append(0.0, np.cumsum(weight[order]))
    upto = ends[np.searchsorted(ordered, scores, "right")]
    return ends[-1] - upto, upto - ends[np.searchsorted(ordered, scores, "left")]


def chance_within(k: int, ahead: Any, tied: Any) -> Any:
    """Return the chance to stand in the first k, by the rows ahead and the others tied with."""
    return np.clip((k - ahead) / (tied + 1), 0.0, 1.0)


def rows_of_share(share: float, n_rows: int) -> int:
    """Return a share of rows as a count, rounded up; 0.55 of 20 is 11 and not 12."""
    return ceil(float(share) * n_rows - 1e-9)
