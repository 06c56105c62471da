"""The tables of docs/arena.md: ADBench's sets, and our rows beside its printed ones."""

from math import isnan
from typing import NamedTuple

from render_tables import render_markdown

from lopsided_bench.aggregate import scores
from lopsided_bench.datasets import describe
from lopsided_bench.names import name_metric
from lopsided_bench.study import Setting
from lopsided_bench.summary import summarize

_METRICS = ("average_precision", "roc_auc")
_CLOSE_LOOK = Setting("adbench", 0.9)  # the share that is shown set by set
_TITLES = {
    **{"catboost": "CatBoost", "lightgbm": "LightGBM", "xgboost": "XGBoost", "xgbod": "XGBOD"},
    **{"random-forest": "RandomForest", "naive-bayes": "naive Bayes", "svm": "SVM"},
    **{"mlp": "MLP", "resnet": "ResNet", "ft-transformer": "FTTransformer"},
    **{"devnet": "DevNet", "prenet": "PReNet", "deepsad": "DeepSAD", "repen": "REPEN"},
    **{"feawad": "FEAWAD", "ganomaly": "GANomaly"},
}


_BRIEF = ("`focused`", "`focused-fast`", "`pu-bagging`", "`naive-forest`", "`naive-xgb`")
_BRIEF += (
    "CatBoost, in ADBench's paper",
    "XGBOD, in ADBench's paper",
    "PReNet, in ADBench's paper",
    "`xgb` (truth)",
)


class _Line(NamedTuple):
    """A row of a table of means, one for each share that is labeled."""

    name: str
    means: list[float]
    whole: bool = True  # over every set and seed, and so among those that can be best
    ceiling: bool = False  # not what one method could reach with these labels


def render_arena(study, table, published, earlier=None) -> dict[str, str]:
    """Return every block of the text by its name.

    Parameters
    ----------
    study : Study
        That of `studies/adbench.toml`.
    table : DataFrame or None
        Its results; None shows the printed rows alone.
    published : PublishedTable
        What ADBench prints.
    earlier : dict of str to PublishedTable, optional
        Results of earlier runs of ours by their names, to stand beside those of today.
    """
    blocks = {"the sets of the arena": _render_sets(study)}
    for metric in _METRICS:
        title = f"what the arena found in {name_metric(metric)}"
        lines = _own_lines(study, table, metric)
        for name, run in (earlier or {}).items():
            lines += _find_lines(study, run, metric, f"`{{}}`, {name}")
        lines += _printed_lines(study, published, metric)
        blocks[title] = _render_means(study, lines)
        if metric == _METRICS[0]:
            brief = [line for line in lines if line.ceiling or line.name in _BRIEF]
            blocks["what the arena found in brief"] = _render_means(study, brief)
    blocks["what the arena found set by set"] = _render_each(study, table, published)
    return blocks


def _render_sets(study) -> str:
    rows = []
    for entry in map(describe, study.datasets):
        share = f"{100 * entry.prior:.2g} %"
        sizes = entry.rows, entry.features, entry.positives
        rows.append([entry.title, *map(str, sizes), share, f"{entry.repeated}"])
    headers = ["", "rows", "columns", "positives", "share", "rows equal to an earlier one"]
    return render_markdown(headers, rows)


def _render_means(study, lines: list[_Line]) -> str:
    """Return the means over sets by share, best first; the best of a column is bold."""
    lines.sort(key=lambda line: (line.ceiling, -sum(line.means) / len(line.means)))
    ranked = [line for line in lines if line.whole and not line.ceiling]
    places = range(len(study.settings))
    best = [max(line.means[i] for line in ranked) for i in places]
    rows = []
    for line in lines:
        star = "" if line.whole else r"\*"
        marks = ["**" if line in ranked and line.means[i] == best[i] else star for i in places]
        cells = [
            f"**{mean:.3f}**" if mark == "**" else f"{mean:.3f}{mark}"
            for mean, mark in zip(line.means, marks, strict=True)
        ]
        rows.append([line.name, *cells])
    shares = [f"{100 * (1 - setting.hidden):g} %" for setting in study.settings]
    return render_markdown(["", *shares], rows)


def _own_lines(study, table, metric: str) -> list[_Line]:
    if table is None:
        return []
    found = summarize(table, study).metrics[metric]
    lines = []
    for row in found.rows:
        by_setting = dict(zip(found.settings, row.scores, strict=True))
        own = [by_setting[setting] for setting in study.settings if setting in by_setting]
        means = [score.mean for score in own]
        if len(own) < len(study.settings) or any(map(isnan, means)):
            continue  # not run at every share yet
        name = f"`{row.label}`{' (truth)' if row.oracle else ''}"
        lines.append(_Line(name, means, not any(s.partial for s in own), row.oracle))
    return lines


def _find_lines(study, published, metric: str, title: str) -> list[_Line]:
    """Return the methods that have a number everywhere, each in a line of its title."""
    lines = []
    for method in published.methods:
        found = [published.find(method, metric, one, study.datasets) for one in study.settings]
        if all(found):
            name = title.format(_TITLES.get(method, method))
            lines.append(_Line(name, [one.mean for one in found]))
    return lines


def _printed_lines(study, published, metric: str) -> list[_Line]:
    lines = _find_lines(study, published, metric, "{}, in ADBench's paper")
    best = [published.find_best(metric, one, study.datasets).mean for one in study.settings]
    n_printed = len(published.methods)
    name = f"best of the {n_printed} in ADBench's paper for each set, in hindsight"
    return [*lines, _Line(name, best, ceiling=True)]


def _render_each(study, table, published) -> str:
    """Return each set at one share: our methods and the best printed one."""
    metric = _METRICS[0]
    ours = {} if table is None else _each_mean(table, metric)
    labels = [method.label for method in study.methods if method.label in ours]
    rows = []
    for name in study.datasets:
        means = {
            method: found.mean
            for method in published.methods
            if (found := published.find(method, metric, _CLOSE_LOOK, [name]))
        }
        best = max(means, key=means.get)
        own = [ours[label].get(name) for label in labels]
        cells = ["" if mean is None else f"{mean:.3f}" for mean in own]
        printed = f"{means[best]:.3f} ({_TITLES.get(best, best)})"
        rows.append([describe(name).title, *cells, printed])
    return render_markdown(
        ["", *(f"`{label}`" for label in labels), "best in ADBench's paper"], rows
    )


def _each_mean(table, metric: str) -> dict[str, dict[str, float]]:
    """Return means over seeds by label, then by data set."""
    cells = scores(table, metric)
    here = cells[cells["hidden"].round(9) == _CLOSE_LOOK.hidden]
    found: dict[str, dict[str, float]] = {}
    for row in here.itertuples():
        found.setdefault(row.label, {})[row.dataset] = row.value
    return found
