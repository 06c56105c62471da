"""What a diagnosis says, as parts of the page on a ranking."""

from typing import Any

import numpy as np

from lopsided.diagnostics import (
    BlindRecall,
    Diagnosis,
    ReviewCurve,
    Sensitivity,
    review_curve,
)
from lopsided.report.ranking_summary import (
    AssumedOutcome,
    FindsCurve,
    Notice,
    PriorFact,
    RecallRow,
    Reliability,
    ReliabilityBin,
    RivalRecall,
)

__all__ = [
    "summarize_diagnosis",
    "summarize_finds",
    "summarize_prior",
    "summarize_recall",
    "summarize_reliability",
    "summarize_sensitivity",
    "write_headline",
]

_POINTS = 30  # of a curve
_MIN_ROWS = 100  # that a curve shows, if there are so many
_BASELINE = "the naive baseline"  # how `diagnose` begins its name


def summarize_diagnosis(
    diagnosis: Diagnosis, y: Any, *, naive: Any = None, scenario: str = "one-sample"
) -> dict[str, Any]:
    """Return the fields of a `RankingSummary` that a diagnosis fills, by their names.

    These are headline, signal, warnings, finds, prior, comparison, assumptions and outcomes.

    Parameters
    ----------
    diagnosis : Diagnosis
        As from `lopsided.diagnostics.diagnose`.
    y : array of shape (n_rows,)
        The labels that it was made with.
    naive : array of shape (n_rows,) or None, default=None
        Blind scores of the naive baseline, for its line beside the finds.
    scenario : {"one-sample", "two-sample"}, default="one-sample"
        The one that it was made with.
    """
    judged = ~np.isnan(diagnosis.scores)
    labels = np.asarray(y)[judged]
    baseline = None
    if naive is not None:
        values = np.asarray(naive)[judged]
        baseline = review_curve(labels, values, diagnosis.prior, scenario=scenario)
    finds = summarize_finds(diagnosis.curve, rate=diagnosis.rate, naive=baseline)
    prior = summarize_prior(diagnosis.prior, labels, scenario)
    n_unlabeled = int((labels == 0).sum())
    return {
        "headline": write_headline(finds, len(diagnosis.curve), found=diagnosis.signal.found),
        "signal": str(diagnosis.signal),
        "warnings": _collect_warnings(diagnosis, prior),
        "finds": finds,
        "prior": prior,
        "comparison": tuple(summarize_recall(one, n_unlabeled) for one in diagnosis.recall),
        "assumptions": (
            "Labels are taken to be given at random among all positives (SCAR), and hidden "
            "positives to look like labeled ones: a kind of case that nobody has labeled yet "
            "cannot be ranked.",
            str(diagnosis.scar),
        ),
        "outcomes": summarize_sensitivity(diagnosis.sensitivity),
    }


def write_headline(finds: FindsCurve, n_unlabeled: int, *, found: bool) -> str:
    """Return one sentence: what to do.

    Parameters
    ----------
    finds : FindsCurve
        What a review will find.
    n_unlabeled : int
        All rows that may be reviewed.
    found : bool
        Whether there is signal.
    """
    if not found:
        return "Do not act on this ranking: no signal was found."
    if not finds.stop_at:
        return "Review nothing by this ranking: no part of it promises enough finds."
    at = finds.k.index(finds.stop_at)
    rows = f"the first {finds.stop_at:,} rows"
    if finds.stop_at == n_unlabeled:
        rows = f"all {n_unlabeled:,} rows"
    about = f"{finds.expected[at]:,.0f}"
    more = "more positive is" if about == "1" else "more positives are"
    band = f"({finds.low[at]:,.0f} to {finds.high[at]:,.0f})"
    return f"Review {rows}: {about} {band} {more} expected there."


def _collect_warnings(diagnosis: Diagnosis, prior: PriorFact) -> tuple[Notice, ...]:
    """Return what to know before acting, the gravest first."""
    notices = []
    if not diagnosis.signal.found:
        notices.append(
            Notice(
                "stop", "All numbers below assume signal, and none was found: plan no review."
            )
        )
    notices += [Notice("warning", str(leak)) for leak in diagnosis.leaks]
    if not diagnosis.scar.plausible:
        notices.append(Notice("warning", str(diagnosis.scar)))
    if not prior.identified:
        notices.append(Notice("warning", prior.sentence))
    judged = ~np.isnan(diagnosis.scores)
    if not judged.all():
        notices.append(
            Notice("note", f"{judged.sum():,} of {len(judged):,} rows are judged by this page.")
        )
    return tuple(notices)


def summarize_finds(
    curve: ReviewCurve, *, rate: float = 1.0, naive: ReviewCurve | None = None
) -> FindsCurve:
    """Return expected finds with their bands, well past the place where to stop.

    Parameters
    ----------
    curve : ReviewCurve
        Of the list.
    rate : float, default=1.0
        Finds that the rows of a step must promise.
    naive : ReviewCurve or None, default=None
        Of the list of the naive baseline.
    """
    stop = curve.stop_at(rate)
    cuts = _choose_cuts(stop, len(curve))
    bands = [curve.expect(cut) for cut in cuts]
    return FindsCurve(
        k=(0, *cuts),
        expected=(0.0, *(one.value for one in bands)),
        low=(0.0, *(float(one.low) for one in bands)),
        high=(0.0, *(float(one.high) for one in bands)),
        chance=(0.0, *(curve.n_hidden * cut / len(curve) for cut in cuts)),
        naive=() if naive is None else (0.0, *(float(naive.finds[cut]) for cut in cuts)),
        stop_at=stop or None,
        level=curve.level,
        sentence=_describe_finds(curve, rate, stop),
    )


def _choose_cuts(stop: int, n_rows: int) -> list[int]:
    """Return lengths of a list that show it well past the place where to stop."""
    most = min(n_rows, max(_MIN_ROWS, round(2.5 * stop)))
    return sorted({*np.linspace(1, most, _POINTS).round().astype(int).tolist(), stop or 1})


def _describe_finds(curve: ReviewCurve, rate: float, stop: int) -> str:
    if stop == 0:
        return curve.describe(rate)
    if stop == len(curve):
        return f"{curve.expect(stop)} Every {curve.step} rows promise {rate:g} or more finds."
    return (
        f"{curve.expect(stop)} After that, {curve.step} further rows promise fewer than "
        f"{rate:g}."
    )


def summarize_prior(prior: Any, y: Any, scenario: str = "one-sample") -> PriorFact:
    """Return an estimate of the prior, a number or a pair as a fact of the page.

    Parameters
    ----------
    prior : PriorEstimate, float or pair of floats
        As in `lopsided.diagnostics.expected_finds`.
    y : array of shape (n_rows,)
        1 = labeled positive, 0 = unlabeled, -1 = reviewed negative.
    scenario : {"one-sample", "two-sample"}, default="one-sample"
        Whether it is that of all rows or of the unlabeled ones.
    """
    if hasattr(prior, "sentence"):
        return PriorFact(
            float(prior.value),
            float(prior.low),
            float(prior.high),
            float(prior.n_hidden),
            bool(prior.identified),
            str(prior.sentence),
            float(prior.level),
        )
    if hasattr(prior, "value"):
        value, low, high = float(prior.value), float(prior.low), float(prior.high)
    else:
        low, high = map(float, prior if isinstance(prior, tuple | list) else (prior, prior))
        value = float(np.sqrt(low * high))
    labels = np.asarray(y)
    n_labeled, n_unlabeled = int((labels == 1).sum()), int((labels == 0).sum())
    hidden = value * len(labels) - n_labeled
    if scenario == "two-sample":
        hidden = value * (len(labels) - n_labeled)
    hidden = float(np.clip(hidden, 0, n_unlabeled))
    given = f"{value:.2g}" if low == high else f"{low:.2g} to {high:.2g}"
    sentence = (
        f"A share of {given} is taken to be positive, as given: about {hidden:,.0f} of the "
        f"{n_unlabeled:,} unlabeled rows."
    )
    return PriorFact(value, low, high, hidden, True, sentence)


def summarize_recall(recall: BlindRecall, n_unlabeled: int) -> RecallRow:
    """Return blind recall beside chance, the naive baseline and other rivals."""
    naive = [one for one in recall.rivals if one.name.startswith(_BASELINE)]
    return RecallRow(
        recall.k,
        recall.n_labeled,
        recall.n_found,
        recall.low,
        recall.high,
        recall.n_labeled * recall.k / n_unlabeled,
        naive[0].n_found if naive else None,
        tuple(RivalRecall(one.name, one.n_found) for one in recall.rivals if one not in naive),
        str(recall),
    )


def summarize_sensitivity(found: Sensitivity | None) -> tuple[AssumedOutcome, ...]:
    """Return what would hold under each assumption."""
    if found is None:
        return ()
    return tuple(
        AssumedOutcome(one.assumption, one.prior, one.recall, one.finds, found.k)
        for one in found.outcomes
    )


def summarize_reliability(curve: Any, error: float, level: float = 0.9) -> Reliability:
    """Return how far probabilities can be trusted, in numbers and words.

    Parameters
    ----------
    curve : ReliabilityCurve
        As from `lopsided.calibration.pu_reliability_curve`.
    error : float
        As from `lopsided.calibration.pu_calibration_error`.
    level : float, default=0.9
        Level of the curve's band.
    """
    shares = np.asarray(curve.n_rows) / np.sum(curve.n_rows)
    columns = curve.prob_pred, curve.prob_true, curve.low, curve.high, shares
    bins = tuple(ReliabilityBin(*map(float, one)) for one in zip(*columns, strict=True))
    too_high = sum(one.predicted > one.high for one in bins)
    too_low = sum(one.predicted < one.low for one in bins)
    groups = f"{len(bins)} groups of rows of like probability"
    if not too_high + too_low:
        sentence = (
            f"Probabilities agree with the labels: in none of {groups} does the mean lie "
            f"outside of the {100 * level:g} % band."
        )
    else:
        sentence = (
            f"Take probabilities with care: in {too_high + too_low} of {groups} they lie "
            f"outside of the {100 * level:g} % band, too high in {too_high} and too low in "
            f"{too_low}. The order of the rows does not hang on that."
        )
    return Reliability(bins, float(error), sentence, level)
