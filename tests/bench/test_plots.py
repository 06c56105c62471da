from itertools import product

import numpy as np
import pandas as pd
import pytest

from lopsided.bench import plots

METRIC = "average_precision"
LABELS = ["ours", "theirs", "<script>alert(1)</script>"]


def make_table(factors=(1.0,), labels=LABELS):
    rng = np.random.default_rng(0)
    rows = [
        (dataset, mechanism, hidden, label, factor, repeat, METRIC, rng.random(), 0.1, "ok")
        for dataset, mechanism, hidden, label, factor, repeat in product(
            "abcd", ("scar", "sar-far"), (0.75, 0.5), labels, factors, range(3)
        )
    ]
    rows += [
        (dataset, "none", 0.0, "oracle", 1.0, repeat, METRIC, 0.9, 0.1, "ok")
        for dataset, repeat in product("abcd", range(3))
    ]
    columns = "dataset mechanism hidden label prior_factor repeat metric value seconds status"
    table = pd.DataFrame(rows, columns=columns.split())
    return table.assign(message="", key=[str(i) for i in range(len(table))])


def texts(figure):
    """All words that a figure shows."""
    import matplotlib.text

    return [found.get_text() for found in figure.findobj(matplotlib.text.Text)]


def test_box_plots_have_a_panel_for_each_data_set_and_mechanism():
    figure = plots.box_plots(make_table(), METRIC, ["a", "c"])
    titles = [ax.get_title() for ax in figure.axes]
    assert titles == [f"{d}, {m} 25 %" for d, m in product("ac", ("SCAR", "SAR far"))]
    assert set(LABELS) <= set(texts(figure))


def test_prior_lines_go_through_the_means_and_methods_without_prior_are_level():
    table = make_table(factors=(0.5, 1.0, 2.0), labels=["ours"])
    plain = make_table(labels=["plain"])
    both = pd.concat([table, plain[plain["label"] == "plain"]])
    both = both[both["mechanism"] == "scar"]
    figure = plots.prior_sensitivity(both, METRIC)
    ax = figure.axes[0]
    line = next(line for line in ax.lines if len(line.get_xdata()) == 3)
    here = both[(both["label"] == "ours") & (both["hidden"] == 0.75)]
    expected = here.groupby("prior_factor")["value"].mean()
    assert np.allclose(line.get_ydata(), expected)
    level = next(line for line in ax.lines if line.get_linestyle() == "--")
    values = both[(both["label"] == "plain") & (both["hidden"] == 0.75)]["value"]
    assert np.allclose(level.get_ydata(), values.mean())


def test_the_rank_diagram_names_every_method_but_the_oracle():
    shown = " ".join(texts(plots.rank_diagram(make_table(), METRIC)))
    assert all(label in shown for label in LABELS)
    assert "oracle" not in shown
    assert "critical difference" in shown


def test_the_heat_map_prints_the_means_best_method_first():
    table = make_table()
    figure = plots.heat_map(table, METRIC)
    rows = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert rows[0] == "oracle"
    mean = table[table["label"] == rows[1]].groupby("dataset")["value"].mean()
    assert f"{100 * mean['a']:.0f}" in texts(figure)


def test_quality_and_time_shows_every_method():
    shown = texts(plots.quality_and_time(make_table(), METRIC))
    assert {*LABELS, "oracle"} <= set(shown)


@pytest.mark.parametrize("kind", ["heat_map", "quality_and_time", "rank_diagram"])
def test_figures_can_be_saved_and_failed_rows_do_no_harm(kind, tmp_path):
    table = make_table()
    table.loc[::7, ["status", "value"]] = ["failed", np.nan]
    getattr(plots, kind)(table, METRIC).savefig(tmp_path / "figure.svg")
    assert (tmp_path / "figure.svg").stat().st_size > 1000
