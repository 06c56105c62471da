"""The figures of a ranking's page: SVG in the page's own style, without matplotlib."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from lopsided.report.ranking_summary import FindsCurve, PriorFact, Reliability

__all__ = ["draw_finds", "draw_prior", "draw_reliability", "format_share"]

_WIDTH = 600


@dataclass(frozen=True)
class _Scale:
    """Numbers from 0 on as places on the drawing."""

    most: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        inside = min(max(value, 0.0), self.most)
        return self.start + (self.end - self.start) * inside / self.most


def draw_finds(finds: FindsCurve) -> Markup | None:
    """Return expected finds against rows reviewed, or None if there is nothing to draw."""
    points = [
        (k, *values)
        for k, *values in zip(finds.k, finds.expected, finds.low, finds.high, strict=True)
        if all(map(math.isfinite, values))
    ]
    if len(points) < 2 or points[-1][0] <= 0:
        return None
    ks = [point[0] for point in points]
    highest = max(point[3] for point in points)
    rivals = {
        name: [(k, y) for k, y in zip(finds.k, line, strict=True) if math.isfinite(y)]
        for name, line in (("chance", finds.chance), ("naive", finds.naive))
        if line
    }
    tops = [y for line in rivals.values() for _, y in line]
    x_ticks, y_ticks = _ticks(ks[-1], 1), _ticks(max(highest, *tops, 1.0), 1)
    x, y = _Scale(ks[-1], 62, 584), _Scale(y_ticks[-1], 252, 34)
    band = [(x(k), y(high)) for k, _, _, high in points]
    band += [(x(k), y(low)) for k, _, low, _ in reversed(points)]
    parts = [
        *_grid(x, y, [tick for tick in x_ticks if tick <= ks[-1]], y_ticks, "{:,.6g}"),
        _text(2, 16, "Hidden positives found", "title"),
        _text(584, 294, "Rows reviewed", "title", "end"),
        Markup('<polygon class="band" points="{}"/>').format(_points(band)),
    ]
    for name, line in rivals.items():
        parts.append(_line([(x(k), y(value)) for k, value in line], name))
    parts.append(_line([(x(k), y(expected)) for k, expected, _, _ in points], "expected"))
    if finds.stop_at is not None and 0 < finds.stop_at <= ks[-1]:
        parts += _mark_stop(finds.stop_at, points, x, y)
    words = [f"The first {ks[-1]:,} rows should hold {points[-1][1]:,.0f} hidden positives, "]
    words.append(f"{points[-1][2]:,.0f} to {points[-1][3]:,.0f}.")
    if finds.stop_at:
        words.append(f" A mark says to stop after {finds.stop_at:,} rows.")
    return _svg("finds", 300, "Expected finds against rows reviewed", "".join(words), parts)


def _mark_stop(
    stop: int, points: Sequence[Sequence[float]], x: _Scale, y: _Scale
) -> Iterable[Markup]:
    """Yield a line where to stop, a dot on the curve and what it means."""
    before, after = points[0], points[-1]
    for one, two in pairwise(points):
        if one[0] <= stop <= two[0]:
            before, after = one, two
    step = after[0] - before[0]
    part = (stop - before[0]) / step if step else 0.0
    height = before[1] + (after[1] - before[1]) * part
    at = x(stop)
    yield _line([(at, y(0)), (at, y.end)], "stop")
    yield Markup('<circle class="stop" cx="{:.1f}" cy="{:.1f}" r="5"/>').format(at, y(height))
    left = at > 330
    end = "end" if left else "start"
    yield _text(at - 8 if left else at + 8, y.end + 12, f"Stop after {stop:,}", "halo", end)


def draw_reliability(found: Reliability) -> Markup | None:
    """Return the share of positives against the probability, or None without bins."""
    bins = [
        one
        for one in found.bins
        if all(map(math.isfinite, (one.predicted, one.observed, one.low, one.high)))
    ]
    if not bins:
        return None
    most = max(max(one.predicted, one.high) for one in bins)
    ticks = _ticks(min(max(most, 0.01), 1.0))
    x, y = _Scale(ticks[-1], 62, 584), _Scale(ticks[-1], 312, 34)
    parts = [
        *_grid(x, y, ticks, ticks, "share"),
        _text(2, 16, "Share that is positive", "title"),
        _text(584, 354, "Probability on this page", "title", "end"),
    ]
    bins.sort(key=lambda one: one.predicted)
    if len(bins) > 1:
        band = [(x(one.predicted), y(one.high)) for one in bins]
        band += [(x(one.predicted), y(one.low)) for one in reversed(bins)]
        parts.append(Markup('<polygon class="band" points="{}"/>').format(_points(band)))
    parts.append(_line([(x(0), y(0)), (x(ticks[-1]), y(ticks[-1]))], "chance"))
    for one in bins:
        at = x(one.predicted)
        parts.append(_line([(at, y(one.low)), (at, y(one.high))], "whisker"))
    parts.append(_line([(x(one.predicted), y(one.observed)) for one in bins], "expected"))
    for one in bins:
        words = (
            f"{format_share(one.predicted)} promised, {format_share(one.observed)} found "
            f"({format_share(one.low)} to {format_share(one.high)})"
        )
        parts.append(
            Markup('<circle class="dot" cx="{:.1f}" cy="{:.1f}" r="4.5">{}</circle>').format(
                x(one.predicted), y(one.observed), Markup("<title>{}</title>").format(words)
            )
        )
    lowest, highest = bins[0], bins[-1]
    words = (
        f"Rows of probability {format_share(lowest.predicted)} are positive in "
        f"{format_share(lowest.observed)} of all cases, those of "
        f"{format_share(highest.predicted)} in {format_share(highest.observed)}. The dotted "
        "line is where both agree."
    )
    return _svg("reliability", 360, "Probability and share of positives", words, parts)


def draw_prior(prior: PriorFact) -> Markup | None:
    """Return the share of positives with its interval on a line, or None if it is unknown."""
    if not all(map(math.isfinite, (prior.value, prior.low, prior.high))):
        return None
    ticks = _ticks(min(max(1.2 * prior.high, 1e-6), 1.0))
    x = _Scale(ticks[-1], 20, 580)
    parts = [_line([(20, 46), (580, 46)], "axis")]
    for tick in ticks:
        parts.append(_line([(x(tick), 46), (x(tick), 52)], "axis"))
        parts.append(_text(x(tick), 72, format_share(tick), "", "middle"))
    if prior.low < prior.high:
        parts.append(_line([(x(prior.low), 46), (x(prior.high), 46)], "interval"))
    at = x(prior.value)
    parts.append(Markup('<circle class="stop" cx="{:.1f}" cy="46" r="6"/>').format(at))
    words = format_share(prior.value)
    if prior.low < prior.high:
        words += f" ({format_share(prior.low)} to {format_share(prior.high)})"
    end = "start" if at < 150 else "end" if at > 450 else "middle"
    parts.append(_text(at, 24, words, "strong", end))
    return _svg("prior", 84, "Share of positives", f"{words} are positive.", parts)


def format_share(value: float) -> str:
    """Return a share in percent, with two digits where it is small, and a dash for none.

    Examples
    --------
    >>> [format_share(value) for value in (0.5, 0.034, 0.00012, 0.996, 0, 1)]
    ['50 %', '3.4 %', '0.012 %', '99.6 %', '0 %', '100 %']
    """
    if not math.isfinite(value):
        return "\N{EN DASH}"
    percent = 100 * value
    if 99 < percent < 100:
        words = f"{min(percent, 99.9):.1f}"
    elif percent >= 10 or percent <= 0:
        words = f"{percent:.0f}"
    else:
        words = f"{percent:.2g}" if percent >= 1e-4 else f"{percent:.0e}"
    return f"{words} %".replace("-", "\N{MINUS SIGN}")


def _ticks(most: float, least_step: float = 0.0) -> list[float]:
    """Return about five round numbers from 0 on, the last at or above `most`."""
    power = 10.0 ** math.floor(math.log10(most / 5))
    step = next(power * one for one in (1, 2, 2.5, 5, 10) if power * one * 5 >= most * 0.999)
    step = max(step, least_step)
    count = math.ceil(most / step - 1e-9)
    return [float(f"{step * at:.12g}") for at in range(count + 1)]


def _grid(
    x: _Scale, y: _Scale, x_ticks: Sequence[float], y_ticks: Sequence[float], form: str
) -> Iterable[Markup]:
    """Yield the lines and numbers of both axes."""

    def words(tick: float) -> str:
        return format_share(tick) if form == "share" else form.format(tick)

    for tick in y_ticks:
        yield _line([(x.start, y(tick)), (x.end, y(tick))], "axis" if tick == 0 else "grid")
        yield _text(x.start - 8, y(tick) + 4, words(tick), "", "end")
    for tick in x_ticks:
        yield _line([(x(tick), y.start), (x(tick), y.start + 5)], "axis")
        yield _text(x(tick), y.start + 22, words(tick), "", "middle")


def _points(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _line(points: Iterable[tuple[float, float]], kind: str) -> Markup:
    return Markup('<polyline class="{}" points="{}"/>').format(kind, _points(points))


def _text(x: float, y: float, words: str, kind: str, anchor: str = "start") -> Markup:
    shape = Markup(' class="{}"').format(kind) if kind else ""
    return Markup('<text x="{:.1f}" y="{:.1f}" text-anchor="{}"{}>{}</text>').format(
        x, y, anchor, shape, words
    )


def _svg(name: str, height: int, title: str, words: str, parts: Iterable[Markup]) -> Markup:
    """Return a drawing that a screen reader can read out."""
    head = Markup(
        '<svg class="chart" viewBox="0 0 {width} {height}" role="img" '
        'aria-labelledby="{name}-title {name}-words">'
        '<title id="{name}-title">{title}</title><desc id="{name}-words">{words}</desc>'
    ).format(width=_WIDTH, height=height, name=name, title=title, words=words)
    return head + Markup("").join(parts) + Markup("</svg>")
