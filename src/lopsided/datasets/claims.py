"""Insurance claims, made up: a table as an office has it, and the truth."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided._terminal import quote
from lopsided._validation import as_generator, check_count, check_share

__all__ = ["Claims", "make_claims"]

_PRIOR = 0.04
_KINDS = ("glass", "theft", "water", "collision", "liability", "travel")
_CHANNELS = ("app", "web", "phone", "broker")
_TRADES = ("Garage", "Autohaus", "Glazing", "Towing", "Clinic", "Plumbing", "Electronics")
_FAMILIES = ("Miller", "Garcia", "Rossi", "Novak", "Weber", "Silva", "Petit", "Larsen", "Kaya")
_CITIES = ("North", "Harbor", "Old Town", "Hill", "Station", "Lake", "Market", "Mill")
_N_REVIEWED = 3  # cleared claims for each confirmed one


class Claims(NamedTuple):
    """A table of claims and which of them are fraud.

    Attributes
    ----------
    table : DataFrame
        Claims as a file would hold them: numbers, amounts and dates as text, blanks, an id, and
        a status: "confirmed" fraud, "cleared" after a review, or blank.
    y_true : ndarray of shape (n_rows,)
        1 = fraud, known or not.

    Examples
    --------
    >>> from lopsided.datasets import make_claims
    >>> claims = make_claims(500)
    >>> known = claims.table["status"] == "confirmed"
    >>> int(known.sum()), int(claims.y_true.sum())  # confirmed frauds, and all
    (5, 19)
    """

    table: Any
    y_true: NDArray[np.int8]


def _as_day(day: Any) -> Any:
    """Return a day that is written as text, or say that it is none."""
    import pandas as pd

    try:
        found = pd.Timestamp(day)
        if not pd.isna(found):
            return found
    except (TypeError, ValueError, OverflowError):
        pass
    raise ValueError(f"first_day must be a day such as '2025-01-01', got {quote(day)}.")


def make_claims(
    n_rows: int = 3000,
    *,
    labeled: float = 0.25,
    first_day: str = "2025-01-01",
    random_state: Any = 0,
) -> Claims:
    """Make up insurance claims, of which four in a hundred are fraud and few are known to be.

    Fraud is more likely with large amounts soon after a policy began, at night, with earlier
    claims, and with a few repair shops that collude. Confirmed frauds are a random part of all;
    cleared claims are honest ones that looked suspicious, as reviewers choose them.

    Parameters
    ----------
    n_rows : int, default=3000
        Number of claims.
    labeled : float, default=0.25
        The share of frauds that are confirmed, below 1; 0 gives a month that nobody has
        looked at.
    first_day : str, default="2025-01-01"
        The first of the 90 days in which claims are filed.
    random_state : int, Generator or None, default=0
        Seed. Shops and how they collude are the same for all seeds.

    Examples
    --------
    >>> claims = make_claims(200)
    >>> claims.table.columns.tolist()[:4]
    ['claim_no', 'filed', 'time', 'amount']
    >>> sorted(claims.table["status"].unique())
    ['', 'cleared', 'confirmed']
    """
    import pandas as pd

    check_count(n_rows, "n_rows", least=50)
    start = _as_day(first_day)
    check_share(labeled, "labeled")
    rng = as_generator(random_state)
    shops, collusion = _make_shops()
    popularity = 1 / np.arange(3, 3 + len(shops))
    shop = rng.choice(len(shops), size=n_rows, p=popularity / popularity.sum())
    kind, channel = rng.integers(len(_KINDS), size=n_rows), rng.choice(4, n_rows)
    size = rng.normal(size=n_rows)
    amount = np.exp(6.5 + 0.15 * kind + 0.9 * size)
    policy_days = np.floor(rng.exponential(500, n_rows))
    minutes = (
        np.where(
            rng.random(n_rows) < 0.85,
            rng.normal(14 * 60, 200, n_rows),
            rng.uniform(0, 1440, n_rows),
        ).astype(int)
        % 1440
    )
    earlier = rng.poisson(0.7, n_rows)
    age = rng.normal(45, 14, n_rows).clip(18, 95).round()
    deductible = rng.choice([0, 5, 10, 20], size=n_rows)
    filed = start + pd.to_timedelta(rng.integers(90, size=n_rows), unit="D")
    is_new, at_night = np.exp(-policy_days / 90), (minutes < 330) | (minutes > 1350)
    log_odds = 3 * (
        0.7 * size + 1.3 * is_new + is_new * size.clip(0) + 0.8 * at_night
        + 0.35 * earlier.clip(max=4) + collusion[shop] - 0.02 * deductible
    )  # fmt: skip
    y_true = _draw_frauds(log_odds, rng)
    table = pd.DataFrame(
        {
            "claim_no": [f"C-{number:06d}" for number in rng.permutation(10**6)[:n_rows]],
            "filed": filed.strftime("%d.%m.%Y"),
            "time": [f"{minute // 60:02d}:{minute % 60:02d}" for minute in minutes],
            "amount": [f"${value:,.2f}" for value in amount],
            "deductible": [f"{share} %" for share in deductible],
            "kind": np.array(_KINDS)[kind],
            "channel": _blank(np.array(_CHANNELS)[channel], 0.05, rng),
            "repair_shop": _blank(np.array(shops)[shop], 0.1, rng),
            "policy_days": [f"{days:.0f}" for days in policy_days],
            "earlier_claims": earlier.astype(str),
            "age": _blank(np.array([f"{years:.0f}" for years in age]), 0.06, rng),
            "photos": rng.choice(["yes", "no"], size=n_rows),
            "status": _draw_status(y_true, log_odds, labeled, rng),
        }
    )
    return Claims(table, y_true)


def _make_shops() -> tuple[list[str], NDArray[np.float64]]:
    """Return the names of the repair shops, and how much each colludes."""
    rng = np.random.default_rng(1)
    names = [f"{a} {b}, {c}" for a in _FAMILIES for b in _TRADES for c in _CITIES]
    shops = list(rng.permutation(names)[:180])
    collusion = rng.normal(0, 0.25, len(shops))
    collusion[rng.choice(60, size=5, replace=False)] += 1.6  # not the smallest ones
    return shops, collusion


def _draw_frauds(log_odds: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int8]:
    """Return who commits fraud, moved so that the expected share is the prior."""
    from scipy.optimize import brentq
    from scipy.special import expit

    shift = brentq(lambda moved: expit(log_odds + moved).mean() - _PRIOR, -50, 50)
    return (rng.random(len(log_odds)) < expit(log_odds + shift)).astype(np.int8)


def _draw_status(
    y_true: NDArray[np.int8], log_odds: NDArray[np.float64], labeled: float, rng: Any
) -> NDArray[np.object_]:
    """Return which frauds are confirmed and which honest claims were looked at and cleared."""
    status = np.full(len(y_true), "", dtype=object)
    frauds, honest = np.flatnonzero(y_true), np.flatnonzero(y_true == 0)
    n_confirmed = round(labeled * len(frauds))
    status[rng.permutation(frauds)[:n_confirmed]] = "confirmed"
    looks_bad = log_odds[honest] + 3 * rng.normal(size=len(honest))
    status[honest[np.argsort(-looks_bad)[: _N_REVIEWED * n_confirmed]]] = "cleared"
    return status


def _blank(values: NDArray[Any], share: float, rng: Any) -> NDArray[np.object_]:
    """Return a column with some cells blank."""
    return np.where(rng.random(len(values)) < share, "", values).astype(object)
