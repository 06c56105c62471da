"""The sections of a report: each a function from parts of a summary to markup."""

from collections.abc import Iterable, Mapping
from typing import Any

from lopsided.bench.display_names import name_metric
from lopsided.report.figures import Shown
from lopsided.report.markup import Cell, as_figure, as_list, as_paragraph, as_table
from lopsided.report.paper import METRICS as PRINTED_METRICS

__all__ = [
    "head_metric",
    "show_failed",
    "show_metric",
    "show_protocol",
    "show_short",
    "show_time",
    "show_versions",
]

_MAX_FAILED = 500  # rows; a method that cannot run at all fails thousands of times
_MARKS = {1: "best", 2: "second"}


def head_metric(metric: str) -> str:
    """Return a metric as a heading."""
    words = name_metric(metric)
    return words[0].upper() + words[1:]


def show_short(summary: Mapping[str, Any]) -> str:
    """Return the outcome in a few sentences."""
    trials, failed = summary["trials"], len(summary["failed"])
    told = [
        f"{trials} trials of {len(summary['methods'])} methods on "
        f"{len(summary['datasets'])} data sets; {failed or 'none'} failed."
    ]
    for metric, found in summary["metrics"].items():
        tests, name = found["tests"], name_metric(metric)
        if tests["reason"] is None:
            first = tests["methods"][0]
            told.append(
                f"By {name}, {first['label']} ranks best, {first['rank']:.2f} on average."
            )
    if not summary["metrics"]:
        told.append("No trial came to an end, so there is nothing to compare.")
    return "\n".join(map(as_paragraph, told))


def show_protocol(summary: Mapping[str, Any]) -> str:
    """Return how the numbers were made."""
    return as_list(summary["protocol"])


def show_metric(metric: str, found: Mapping[str, Any], figures: Iterable[Shown]) -> str:
    """Return the tables, tests and figures of one metric."""
    name = head_metric(metric)
    parts = [_macro(name, found), _paper(metric, found), *_tests(name, found["tests"])]
    return "\n".join([*parts, *(as_figure(*figure) for figure in figures)])


def show_time(summary: Mapping[str, Any]) -> str:
    """Return the mean seconds of a fit and how much of the study each method has run."""
    rows = [
        [
            _name(method),
            _number(method["seconds"], "{:.3f}"),
            _number(method["datasets"], "{}"),
            _number(method["repeats"], "{}"),
        ]
        for method in summary["methods"]
    ]
    headers = ["Method", "Seconds", "Data sets", "Repeats"]
    return as_table("Mean seconds of a fit, and what was run", headers, rows)


def show_failed(summary: Mapping[str, Any]) -> str:
    """Return the trials that came to no end, or that there are none."""
    failed = summary["failed"]
    if not failed:
        return as_paragraph("None.")
    headers = ["Method", "Data set", "Mechanism", "Hidden", "Prior factor", "Repeat"]
    headers += ["Status", "Message"]
    rows = [
        [
            Cell(row["label"]),
            Cell(row["dataset"]),
            Cell(row["mechanism"]),
            _number(row["hidden"], "{:g}"),
            _number(row["prior_factor"], "{:g}"),
            _number(row["repeat"], "{}"),
            Cell(row["status"]),
            Cell(row["message"]),
        ]
        for row in failed[:_MAX_FAILED]
    ]
    more = len(failed) - len(rows)
    note = f"{more} more are in the data at the end of this file." if more else ""
    table = as_table("Trials that failed or took too long", headers, rows)
    return f"{table}\n{as_paragraph(note)}" if note else table


def show_versions(summary: Mapping[str, Any]) -> str:
    """Return what the results were made with."""
    return "\n".join(as_paragraph(f"{versions}.") for versions in summary["versions"])


def _macro(name: str, found: Mapping[str, Any]) -> str:
    rows, partial = [], False
    most = max(row["repeats"] for row in found["rows"])
    for row in found["rows"]:
        cells = []
        for cell in row["cells"]:
            star = "" if cell["complete"] or cell["mean"] is None else "*"
            partial = partial or bool(star)
            spread = "" if cell["deviation"] is None else f"± {cell['deviation']:.3f}"
            mark = _MARKS.get(cell["place"], "")
            cells.append(_number(cell["mean"], "{:.3f}" + star, mark, spread))
        rows.append([_name(row, most), *cells])
    caption = (
        f"{name}, mean over data sets ± deviation over repeats; columns are the mechanism and "
        "the share of positives that stays labeled. Bold is best, underlined second."
    )
    headers = ["Method", *(column["name"] for column in found["columns"])]
    note = (
        "* Mean over fewer data sets or repeats than are due, so it is not marked."
        if partial
        else ""
    )
    return as_table(caption, headers, rows) + (as_paragraph(note) if note else "")


def _paper(metric: str, found: Mapping[str, Any]) -> str:
    heading = "<h3>Beside the paper</h3>\n"
    if metric not in PRINTED_METRICS:
        return heading + as_paragraph(f"The paper does not print {name_metric(metric)}.")
    if not found["comparable"]:
        return heading + as_paragraph(
            "Left out: the paper prints means over its 14 data sets, and this table has others."
        )
    rows = []
    for row in found["rows"]:
        if not any(cell["paper"] for cell in row["cells"]):
            continue
        cells = []
        for cell in row["cells"]:
            paper = cell["paper"]
            note = f"{paper['mean']:.2f} ± {paper['deviation']:.2f}" if paper else ""
            cells.append(_number(cell["difference"], "{:+.3f}", note=note))
        rows.append([_name(row), *cells])
    caption = (
        "Our mean over the paper's, and what the paper prints. Its one SAR is laid beside both "
        "of ours; it prints PR-AUC where we measure average precision."
    )
    headers = ["Method", *(column["name"] for column in found["columns"])]
    return heading + as_table(caption, headers, rows)


def _tests(name: str, tests: Mapping[str, Any]) -> Iterable[str]:
    yield "<h3>Tests</h3>"
    if tests.get("left_out"):
        yield as_paragraph(
            "Without a score for each data set, setting and repeat, and so not compared: "
            f"{', '.join(tests['left_out'])}."
        )
    if tests["reason"]:
        yield as_paragraph(f"Left out: {tests['reason']}")
        return
    if tests["few_repeats"]:
        yield as_paragraph(
            "Means over fewer repeats than the others have, and so less sure: "
            f"{', '.join(tests['few_repeats'])}."
        )
    found, baseline = tests["friedman"], tests["baseline"]
    f_value = found["iman_davenport"]
    yield as_paragraph(
        f"Over {found['n_blocks']} data sets and {found['n_methods']} methods, Friedman's "
        f"chi square is {found['chi_square']:.2f} (p {_p(found['p_value'])}), Iman and "
        f"Davenport's F {'beyond bounds' if f_value is None else f'{f_value:.2f}'} "
        f"(p {_p(found['iman_davenport_p'])}). Nemenyi's critical difference of ranks at 5 % "
        f"is {tests['critical_difference']:.2f}."
    )
    headers = ["Method", "Average rank", "Behind the best", "p (Wilcoxon)", "p (Holm)"]
    headers += [f"Over {baseline}"] if baseline else []
    rows = []
    for row in tests["methods"]:
        cells = [
            Cell(row["label"], mark="best" if row["best"] else ""),
            _number(row["rank"], "{:.2f}"),
            _number(row.get("behind_best"), "{:.3f}"),
            _p_cell(row.get("p_value")),
            _p_cell(row.get("p_holm")),
        ]
        rows.append([*cells, _interval(row.get("over_baseline"))] if baseline else cells)
    over = f" The last column is the mean over {baseline} with a bootstrap 95 % interval."
    yield as_table(
        f"{name}: ranks over data sets, and signed-rank tests against {tests['best']}."
        + (over if baseline else ""),
        headers,
        rows,
    )


def _name(row: Mapping[str, Any], most: int = 0) -> Cell:
    """Return a method's name, with a note on what makes its row unlike others."""
    notes = ["oracle"] if row["oracle"] else []
    if row["repeats"] < most:
        notes.append(f"{row['repeats']} of {most} repeats")
    return Cell(row["label"], note=", ".join(notes))


def _number(value: float | None, form: str, mark: Any = "", note: str = "") -> Cell:
    if value is None:
        return Cell(note=note)
    return Cell(_with_minus(form.format(value)), value, mark, note)


def _with_minus(text: str) -> str:
    """Return numbers with a minus as wide as a plus, so that columns stand straight."""
    return text.replace("-", "\N{MINUS SIGN}")


def _interval(found: Mapping[str, float] | None) -> Cell:
    if found is None:
        return Cell()
    note = _with_minus(f"{found['low']:+.3f} to {found['high']:+.3f}")
    return _number(found["mean"], "{:+.3f}", note=note)


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"= {value:.3f}"


def _p_cell(value: float | None) -> Cell:
    return Cell() if value is None else Cell(_p(value).removeprefix("= "), value)
