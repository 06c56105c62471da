"""Tables of results as markdown."""

from lopsided_bench.aggregate import macro
from lopsided_bench.names import name_setting


def render_markdown(headers: list[str], rows: list[list[str]]) -> str:
    """Return rows as a markdown table."""
    lines = [headers, ["---"] * len(headers), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def render_macro(found, in_print: tuple[str, ...] = ()) -> str:
    """Return the macro means of a metric; a column's best is bold, its second italic.

    Parameters
    ----------
    found : MetricSummary
        One metric of what `summarize` returns.
    in_print : tuple of str, default=()
        Labels of which the published numbers come last.
    """
    most = max(row.n_repeats for row in found.rows)
    several = len(found.columns) > 1
    rows = []
    for row in found.rows:
        few = f" ({row.n_repeats} repeats)" if row.n_repeats < most else ""
        cells = [f"`{row.label}`{few}{' (truth)' if row.oracle else ''}"]
        for score in row.scores:
            mark = {1: "**", 2: "*"}.get(score.place, "")
            star = r"\*" if score.partial else ""
            cells.append(f"{mark}{score.mean:.3f}{star}{mark}")
        mean = sum(score.mean for score in row.scores) / len(row.scores)
        rows.append([*cells, f"{mean:.3f}"] if several else cells)
    by_label = {row.label: row for row in found.rows}
    for label in in_print:
        cells = [f"{score.published.mean:.2f}" for score in by_label[label].scores]
        rows.append([f"`{label}` in print", *cells, ""])
    headers = ["", *found.columns]
    return render_markdown([*headers, "mean"] if several else headers, rows)


def render_macro_brief(found, labels: tuple[str, ...]) -> str:
    """Return some rows of the macro means, without SAR far, which no paper prints.

    Parameters
    ----------
    found : MetricSummary
        One metric of what `summarize` returns.
    labels : tuple of str
        Of the rows; the last is that of the published numbers.
    """
    shown = [place for place, name in enumerate(found.columns) if "far" not in name]
    by_label = {row.label: row for row in found.rows}
    rows = []
    for label in labels[:-1]:
        row = by_label[label]
        scores = [row.scores[place] for place in shown]
        marks = ["**" if score.place == 1 else "" for score in scores]
        means = [f"{mark}{one.mean:.3f}{mark}" for one, mark in zip(scores, marks, strict=True)]
        rows.append([f"`{label}`{' (truth)' if row.oracle else ''}", *means])
    told = [by_label[labels[-1]].scores[place].published.mean for place in shown]
    rows.append([f"`{labels[-1]}` in print", *(f"{mean:.2f}" for mean in told)])
    return render_markdown(["", *(found.columns[place] for place in shown)], rows)


def render_published(found, published) -> str:
    """Return the methods with published numbers: ours ± deviation, and what was published.

    Parameters
    ----------
    found : MetricSummary
        One metric of what `summarize` returns.
    published : PublishedTable
        Whose order the methods have.
    """
    by_label = {row.label: row for row in found.rows}
    rows = []
    for label in published.methods:
        cells = [f"`{label}`"]
        for score in by_label[label].scores:
            there = score.published.text.replace(" ", "")
            cells.append(f"{score.mean:.2f}±{score.deviation:.2f} / {there}")
        rows.append(cells)
    return render_markdown(["ours / paper", *found.columns], rows)


def render_ranks(tests) -> str:
    """Return ranks and tests over data sets, best rank first.

    Parameters
    ----------
    tests : Comparison
        Of a metric.
    """
    rows = []
    for row in tests.ranks:
        over = row.over_baseline
        against_best = ["", "", ""]
        if not row.best:
            against_best = [f"{row.behind_best:.3f}", f"{row.p_value:.4f}", f"{row.p_holm:.4f}"]
        gain = f"{over.mean:+.3f} ({over.low:+.3f} to {over.high:+.3f})" if over else ""
        rows.append([f"`{row.label}`", f"{row.rank:.2f}", *against_best, gain])
    headers = ["", "average rank", f"behind `{tests.ranks[0].label}`", "p", "p (Holm)"]
    return render_markdown([*headers, f"over `{tests.baseline}`"], rows)


def render_priors(table, metric: str) -> str:
    """Return the macro means by what the true prior was multiplied with."""
    rows = []
    for factor in sorted(table["prior_factor"].unique()):
        means = macro(table, metric, prior_factor=factor)
        for label in means.index:
            values = [f"{means.loc[label, setting]:.3f}" for setting in means.columns]
            rows.append((label, factor, [f"`{label}`", f"{factor:g}", *values]))
    columns = macro(table, metric).columns
    headers = ["", "given / true prior", *(name_setting(*setting) for setting in columns)]
    return render_markdown(
        headers, [cells for _, _, cells in sorted(rows, key=lambda row: row[:2])]
    )
