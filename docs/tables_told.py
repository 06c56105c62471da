"""Tables of results as markdown."""

import numpy as np

from lopsided.bench.means import macro, macro_deviation
from lopsided.bench.plots import name_setting
from lopsided.bench.trial import ORACLE
from lopsided.report.comparison import compare
from lopsided.report.paper import list_printed, printed


def markdown(headers: list[str], rows: list[list[str]]) -> str:
    """Return rows as a markdown table."""
    lines = [headers, ["---"] * len(headers), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def oracles(table) -> set[str]:
    """Return the labels of what was fitted on the truth."""
    return set(table.loc[table["mechanism"] == ORACLE.mechanism, "label"])


def macro_table(table, metric: str, in_print: tuple[str, ...] = ()) -> str:
    """Return the macro means, best methods first; a column's best is bold, its second italic.

    The rows that the paper prints for the methods `in_print` come last.
    """
    means, known = macro(table, metric), oracles(table)
    repeats = table[table["status"] == "ok"].groupby("label")["repeat"].nunique()
    means = means.loc[means.mean(axis=1).sort_values(ascending=False, kind="stable").index]
    hidden = means[~means.index.isin(known)]
    rows = []
    for label in [*hidden.index, *(name for name in means.index if name in known)]:
        few = f" ({repeats[label]} repeats)" if repeats[label] < repeats.max() else ""
        cells = [f"`{label}`{few}{' (truth)' if label in known else ''}"]
        for setting in means.columns:
            value = means.loc[label, setting]
            best = sorted(hidden[setting], reverse=True)[:2]
            mark = {best[0]: "**", best[1]: "*"}.get(value, "") if label not in known else ""
            cells.append(f"{mark}{value:.3f}{mark}")
        rows.append([*cells, f"{means.loc[label].mean():.3f}"])
    for label in in_print:
        there = [printed(label, metric, *setting).mean for setting in means.columns]
        rows.append([f"`{label}` in print", *(f"{value:.2f}" for value in there), ""])
    headers = ["", *(name_setting(*setting) for setting in means.columns), "mean"]
    return markdown(headers, rows)


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


def tests_table(table, metric: str) -> str:
    """Return ranks and tests over data sets, best rank first."""
    found = compare(table[np.isclose(table["prior_factor"], 1.0)], metric)
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
