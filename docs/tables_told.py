"""Tables of results as markdown."""

from lopsided.bench.aggregate import macro, macro_deviation
from lopsided.bench.display_names import name_setting
from lopsided.report.paper import list_printed, printed


def markdown(headers: list[str], rows: list[list[str]]) -> str:
    """Return rows as a markdown table."""
    lines = [headers, ["---"] * len(headers), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def macro_table(found, metric: str, in_print: tuple[str, ...] = ()) -> str:
    """Return the macro means of a summary; a column's best is bold, its second italic.

    Parameters
    ----------
    found : dict
        One metric of what `summarize` returns.
    metric : str
        Its name.
    in_print : tuple of str, default=()
        Methods of which the paper's own numbers come last.
    """
    most = max(row["repeats"] for row in found["rows"])
    several = len(found["columns"]) > 1
    rows = []
    for row in found["rows"]:
        few = f" ({row['repeats']} repeats)" if row["repeats"] < most else ""
        cells = [f"`{row['label']}`{few}{' (truth)' if row['oracle'] else ''}"]
        for cell in row["cells"]:
            mark = {1: "**", 2: "*"}.get(cell["place"], "")
            star = "" if cell["complete"] else r"\*"
            cells.append(f"{mark}{cell['mean']:.3f}{star}{mark}")
        mean = sum(cell["mean"] for cell in row["cells"]) / len(row["cells"])
        rows.append([*cells, f"{mean:.3f}"] if several else cells)
    settings = [(column["mechanism"], column["hidden"]) for column in found["columns"]]
    for label in in_print:
        there = [printed(label, metric, *setting).mean for setting in settings]
        rows.append([f"`{label}` in print", *(f"{value:.2f}" for value in there), ""])
    headers = ["", *(column["name"] for column in found["columns"])]
    return markdown([*headers, "mean"] if several else headers, rows)


def beside_paper(table, metric: str) -> str:
    """Return the methods of the paper: ours ± deviation, and what it prints."""
    means, spread = macro(table, metric), macro_deviation(table, metric)
    rows = []
    for label in list_printed():
        cells = [f"`{label}`"]
        for setting in means.columns:
            there = printed(label, metric, *setting)
            mean, deviation = means.loc[label, setting], spread.loc[label, setting]
            cells.append(f"{mean:.2f}±{deviation:.2f} / {there.mean:.2f}±{there.deviation:.2f}")
        rows.append(cells)
    return markdown(["ours / paper", *(name_setting(*s) for s in means.columns)], rows)


def tests_table(found) -> str:
    """Return ranks and tests over data sets, best rank first."""
    rows = []
    for row in found["methods"]:
        over = row.get("over_baseline")
        gain = (
            f"{over['mean']:+.3f} ({over['low']:+.3f} to {over['high']:+.3f})" if over else ""
        )
        rows.append(
            [
                f"`{row['label']}`",
                f"{row['rank']:.2f}",
                "" if row["best"] else f"{row['behind_best']:.3f}",
                "" if row["best"] else f"{row['p_value']:.4f}",
                "" if row["best"] else f"{row['p_holm']:.4f}",
                gain,
            ]
        )
    headers = ["", "average rank", f"behind `{found['best']}`", "p", "p (Holm)"]
    return markdown([*headers, f"over `{found['baseline']}`"], rows)


def prior_table(table, metric: str) -> str:
    """Return the macro means by what the true prior was multiplied with."""
    rows = []
    for factor in sorted(table["prior_factor"].unique()):
        means = macro(table, metric, prior_factor=factor)
        for label in means.index:
            values = [f"{means.loc[label, setting]:.3f}" for setting in means.columns]
            rows.append((label, factor, [f"`{label}`", f"{factor:g}", *values]))
    columns = macro(table, metric).columns
    headers = ["", "given / true prior", *(name_setting(*setting) for setting in columns)]
    return markdown(headers, [cells for _, _, cells in sorted(rows, key=lambda row: row[:2])])
