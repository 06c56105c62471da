"""The tables, figures and numbers of docs/finance.in.md, from a committed run."""

from render_synthetic import render_synthetic
from render_tables import render_markdown

from lopsided_bench.names import name_metric
from lopsided_misstatement.figures import draw_all
from lopsided_misstatement.models import KINDS, get_model, list_models
from lopsided_misstatement.panel import TERMS
from lopsided_misstatement.results_io import summarize_models

_MEASURES = (
    *("r_precision", "average_precision", "ndcg_at_r"),
    *("precision_at_1_percent", "recall_at_1_percent"),
)


def render_finance(results, render_figure) -> dict[str, str]:
    """Return every part of the text by the name that the template knows it by.

    Parameters
    ----------
    results : Results
        The committed run.
    render_figure : callable
        Writes a figure; returns what shows it in a text.
    """
    table, about = results.table, results.about
    views = {
        view: summarize_models(table, view) for view in ("released", "strict", "new firms")
    }
    figures = draw_all(results)
    rates = {view: _rates(rows) for view, rows in views.items()}
    known = results.known[results.known["rule"] == "released"]["share"]
    return {
        "n_rows": f"{about['rows']}",
        "n_firms": f"{about['firms']}",
        "n_misstated": f"{about['misstated']}",
        "n_undated": f"{about['undated']}",
        "share": f"{100 * about['misstated'] / about['rows']:.1f}",
        "released": _standings(views["released"], in_print=True),
        "strict": _standings(views["strict"]),
        "new_firms": _standings(views["new firms"]),
        "differences": _differences(results.differences),
        "parts": _parts(rates),
        "nets_text": _nets(views["released"], rates),
        "years_figure": render_figure(figures["years"]),
        "known_figure": render_figure(figures["known"]),
        "known_released": ", ".join(f"{100 * share:.1f}" for share in known),
        "terms": TERMS,
        "versions": about["versions"],
        **render_synthetic(results),
        **_hours(table),
        **_numbers(views, rates, results),
    }


def _rates(rows) -> dict[str, str]:
    """Return the mean R-precision of each model in percent."""
    return {one.model: f"{100 * one.means['r_precision']:.1f}" for one in rows}


def _numbers(views, rates, results) -> dict[str, str]:
    learned = {
        view: [one for one in rows if one.kind in ("pu", "negative") and _compared(one.model)]
        for view, rows in views.items()
    }
    printed = [model.printed for model in map(get_model, list_models("any")) if model.printed]
    by_ap = max(learned["released"], key=lambda one: one.means["average_precision"])
    memory_rate = float(rates["released"]["firm-memory"])
    assert memory_rate > max(printed), "the text says that one boolean is ahead"
    memory = next(one for one in views["released"] if one.model == "firm-memory")
    parts = [float(rates["new firms"][name]) for name in _variants(rates)]
    new_best = learned["new firms"][0].model
    gap = _gap(results.differences, "new firms", new_best, "random")
    return {
        "noise": f"{_standard_error(memory.means['r_precision'], results.about):.1f}",
        "best_ap": f"{100 * by_ap.means['average_precision']:.1f}",
        "best_ap_name": f"`{by_ap.model}`",
        "memory_ap": f"{100 * memory.means['average_precision']:.1f}",
        "printed_best": f"{max(printed):.2f}",
        "memory_released": rates["released"]["firm-memory"],
        "strict_memory": rates["strict"]["firm-memory"],
        "new_random": rates["new firms"]["random"],
        "new_best": rates["new firms"][new_best],
        "new_best_name": f"`{new_best}`",
        "new_gap": f"{100 * gap.mean:.1f}",
        "new_interval": f"{100 * gap.low:.1f} to {100 * gap.high:.1f}",
        "strict_best": rates["strict"][learned["strict"][0].model],
        "strict_best_name": f"`{learned['strict'][0].model}`",
        "truth_released": rates["released"]["xgb-truth"],
        "naive_released": rates["released"]["naive-xgb"],
        "ifpu_released": rates["released"]["ifpu-xgb"],
        "scale_released": rates["released"]["ifpu-xgb-scale"],
        "deep_released": rates["released"]["ifpu-xgb-deep"],
        "slow_released": rates["released"]["ifpu-xgb-slow"],
        "firm_released": rates["released"]["ifpu-xgb-firm"],
        "parts_new_low": f"{min(parts):.1f}",
        "parts_new_high": f"{max(parts):.1f}",
        "focused_released": rates["released"]["focused"],
        "focused_strict": rates["strict"]["focused"],
        "focused_new": rates["new firms"]["focused"],
        "pu_sentence": _pu_sentence(results.differences),
    }


def _gap(differences, view, first, second):
    """Return the difference of two models in R-precision."""
    rows = differences[
        (differences["view"] == view) & (differences["measure"] == "r_precision")
    ]
    return next(rows[(rows["first"] == first) & (rows["second"] == second)].itertuples())


def _standard_error(share: float, about) -> float:
    """Return the standard error, in points, of a mean over years of shares of so many."""
    counts = about["misstated_of_year"]
    return 100 * sum(share * (1 - share) / n for n in counts) ** 0.5 / len(counts)


def _pu_sentence(differences) -> str:
    """Return in words whether the best PU model is ahead of the best other in each view."""
    sentences = []
    for view in ("released", "strict", "new firms"):
        rows = differences[(differences["view"] == view) & (differences["second"] != "random")]
        gap = next(rows[rows["measure"] == "r_precision"].itertuples())
        sure = "ahead" if gap.low > 0 else "behind" if gap.high < 0 else "not to be told from"
        link = " of" if sure in ("ahead", "behind") else ""
        sentences.append(
            f"{view}: `{gap.first}` is {sure}{link} `{gap.second}` ({100 * gap.mean:+.1f}, "
            f"{100 * gap.low:+.1f} to {100 * gap.high:+.1f})"
        )
    beside = "The best PU model beside the best that takes unlabeled for sound"
    return f"{beside}, {'; '.join(sentences)}."


def _variants(rates) -> list[str]:
    return [name for name in list_models("parts") if name in rates["released"]]


def _compared(name: str) -> bool:
    return get_model(name).group != "parts"


def _standings(rows, in_print: bool = False) -> str:
    body = []
    for one in rows:
        if not _compared(one.model):
            continue
        several = one.n_seeds > 1 and one.kind != "rule"
        spread = f" ± {100 * one.deviations['r_precision']:.1f}" if several else ""
        values = [f"{100 * one.means[name]:.1f}" for name in _MEASURES]
        values[0] += spread
        printed = ["" if one.printed is None else f"{one.printed:.2f}"] if in_print else []
        body.append([f"`{one.model}`", one.title, KINDS[one.kind], *values, *printed])
    last = ["R-precision in print"] if in_print else []
    headers = ["", "", "", *(name_metric(name) for name in _MEASURES), *last]
    return render_markdown(headers, body)


def _differences(found) -> str:
    body = [
        [
            one.view,
            f"`{one.first}`",
            f"`{one.second}`",
            name_metric(one.measure),
            f"{100 * one.mean:+.2f} ({100 * one.low:+.2f} to {100 * one.high:+.2f})",
        ]
        for one in found.itertuples()
    ]
    return render_markdown(["view", "first", "second", "measure", "points"], body)


def _parts(rates) -> str:
    names = ["ifpu-xgb", *_variants(rates)]
    body = [
        [
            f"`{name}`",
            get_model(name).title,
            rates["released"][name],
            rates["new firms"][name],
        ]
        for name in names
    ]
    return render_markdown(["", "", "released", "new firms"], body)


def _nets(rows, rates) -> str:
    sentences = []
    for one in rows:
        if get_model(one.model).group == "nets":
            spread = f" ± {100 * one.deviations['r_precision']:.1f}" if one.n_seeds > 1 else ""
            sentences.append(
                f"`{one.model}` ({one.title}) has an R-precision of "
                f"{100 * one.means['r_precision']:.1f} %{spread}, {one.printed:.2f} % in "
                f"print, and {rates['new firms'][one.model]} % on new firms; "
                f"{one.seconds:.0f} s a year on one core, beside other work."
            )
    return "\n\n".join(sentences)


def _hours(table) -> dict[str, str]:
    fits = table.drop_duplicates(["view", "model", "seed", "year"])
    # Views of new firms look at rankings that are there already; so do views of the truth.
    fits = fits[fits["view"].isin(["released", "strict"])]
    fits = fits.drop_duplicates(["model", "seed", "year", "seconds"])
    nets = fits["model"].isin(list_models("nets"))
    return {
        "hours": f"{fits['seconds'].sum() / 3600:.1f}",
        "net_hours": f"{fits['seconds'][nets].sum() / 3600:.1f}",
    }
