"""What a diagnosis says, as parts of the page on a ranking."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided.diagnostics import (
    BlindRecall,
    Diagnosis,
    ExpectedFinds,
    ReviewCurve,
    Sensitivity,
    expected_finds,
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
    "choose_cuts",
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
    labels, scores = np.asarray(y)[judged], diagnosis.scores[judged]
    finds = summarize_finds(
        labels,
        scores,
        diagnosis.prior,
        diagnosis.curve,
        rate=diagnosis.rate,
        naive=None if naive is None else np.asarray(naive)[judged],
        scenario=scenario,
        level=diagnosis.finds[0].level,
    )
    prior = summarize_prior(diagnosis.prior, labels, scenario)
    n_unlabeled = int((labels == 0).sum())
    return {
        "headline": write_headline(finds, n_unlabeled, found=diagnosis.signal.found),
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
    y: Any,
    scores: Any,
    prior: Any,
    curve: ReviewCurve,
    *,
    rate: float = 1.0,
    naive: Any = None,
    scenario: str = "one-sample",
    level: float = 0.9,
) -> FindsCurve:
    """Return expected finds with their bands, well past the place where to stop.

    Parameters
    ----------
    y, scores, prior, scenario, level
        As in `lopsided.diagnostics.expected_finds`.
    curve : ReviewCurve
        Of the same scores; says where to stop.
    rate : float, default=1.0
        Finds that the rows of a step of it must promise.
    naive : array of shape (n_rows,) or None, default=None
        Blind scores of the naive baseline.
    """
    n_unlabeled = int((np.asarray(y) == 0).sum())
    stop = curve.stop_at(rate)
    if stop == curve.k[-1]:  # the last rows are less than a step
        stop = n_unlabeled
    cuts = choose_cuts(stop, n_unlabeled)

    def expect(values: Any) -> tuple[ExpectedFinds, ...]:
        return expected_finds(y, values, cuts, prior, scenario=scenario, level=level)

    ours = expect(scores)
    hidden = summarize_prior(prior, y, scenario).n_hidden
    return FindsCurve(
        k=(0, *map(int, cuts)),
        expected=(0.0, *(one.value for one in ours)),
        low=(0.0, *(float(one.low) for one in ours)),
        high=(0.0, *(float(one.high) for one in ours)),
        chance=(0.0, *(hidden * int(cut) / n_unlabeled for cut in cuts)),
        naive=() if naive is None else (0.0, *(one.value for one in expect(naive))),
        stop_at=stop or None,
        level=level,
        sentence=_describe_finds(curve, rate, stop, ours),
    )


def choose_cuts(stop: int, n_rows: int) -> NDArray[np.int64]:
    """Return lengths of a list that show it well past the place where to stop.

    Parameters
    ----------
    stop : int
        That place, which is among them; 0 if there is none.
    n_rows : int
        The length of the whole list.
    """
    most = min(n_rows, max(_MIN_ROWS, round(2.5 * stop)))
    return np.unique(np.r_[np.linspace(1, most, _POINTS).round(), stop or 1]).astype(np.int64)


def _describe_finds(
    curve: ReviewCurve, rate: float, stop: int, bands: Sequence[ExpectedFinds]
) -> str:
    if stop == 0:
        return curve.describe(rate)
    here = next(one for one in bands if one.k == stop)
    if stop >= curve.k[-1]:
        return f"{here} Every {curve.step} rows promise {rate:g} or more finds."
    return f"{here} After that, {curve.step} further rows promise fewer than {rate:g}."


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


def summarize_sensitivity(found: Sensitivity) -> tuple[AssumedOutcome, ...]:
    """Return what would hold under each assumption."""
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
