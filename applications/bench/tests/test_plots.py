import re
from itertools import combinations, product

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba, to_rgba_array

from lopsided_bench import plots

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
    shown = " ".join(texts(plots.critical_difference_diagram(make_table(), METRIC)))
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


def test_a_method_has_the_color_of_the_legend_even_where_others_are_missing():
    table = make_table(factors=(0.5, 1.0))
    table = table[(table["label"] != "ours") | (table["mechanism"] != "scar")]
    figure = plots.prior_sensitivity(table, METRIC)
    legend = figure.legends[0]
    names = [text.get_text() for text in legend.get_texts()]
    colors = [to_rgba_array(drawn.get_color())[0] for drawn in legend.legend_handles]
    assert set(names) == set(LABELS)
    # A row of panels for each mechanism, the fewest labels first.
    settings = product(("scar", "sar-far"), (0.75, 0.5))
    for ax, (mechanism, hidden) in zip(figure.axes, settings, strict=True):
        here = table[(table["mechanism"] == mechanism) & (table["hidden"] == hidden)]
        for label, rows in here.groupby("label"):
            mean = rows.groupby("prior_factor")["value"].mean()
            line = next(line for line in ax.lines if np.allclose(line.get_ydata(), mean))
            assert np.allclose(to_rgba(line.get_color()), colors[names.index(label)])


@pytest.mark.parametrize("kind", ["prior_sensitivity", "box_plots", "heat_map"])
def test_panels_keep_their_room_beside_many_and_long_names(kind):
    labels = [f"a-method-with-a-rather-long-name-{number}" for number in range(25)]
    table = make_table(factors=(0.5, 1.0), labels=labels)
    more = [["a", "b"]] if kind == "box_plots" else []
    figure = getattr(plots, kind)(table, METRIC, *more)
    figure.draw_without_rendering()
    for ax in figure.axes:
        box = ax.get_window_extent()
        assert box.height > 0.9 * figure.dpi
        assert box.width > (0.1 if ax.get_label() == "<colorbar>" else 1) * figure.dpi


def test_names_beside_their_spots_do_not_cover_each_other():
    labels = [f"method-{number}" for number in range(12)]
    table = make_table(labels=labels)
    table["seconds"] = 1 + 0.1 * table["label"].str.len()
    figure = plots.quality_and_time(table, METRIC)
    figure.draw_without_rendering()
    notes = [note for note in figure.axes[0].texts if note.get_text() in labels]
    boxes = [note.get_window_extent() for note in notes]
    assert len(boxes) == len(labels)
    covered = [(a, b) for a, b in combinations(boxes, 2) if a.overlaps(b)]
    assert len(covered) <= 2  # spots may lie too close for any place


@pytest.mark.parametrize(
    "kind",
    [
        "box_plots",
        "prior_sensitivity",
        "heat_map",
        "quality_and_time",
        "critical_difference_diagram",
    ],
)
def test_dollars_in_names_are_no_formulas(kind, tmp_path):
    table = make_table(factors=(0.5, 1.0), labels=[r"$\bad$", "b$", r"c\$"])
    table["dataset"] = "$" + table["dataset"] + "$"
    more = [["$a$", "$b$"]] if kind == "box_plots" else []
    figure = getattr(plots, kind)(table, METRIC, *more)
    with mpl.rc_context({"svg.fonttype": "none"}):
        figure.savefig(tmp_path / "figure.svg")
    shown = (tmp_path / "figure.svg").read_text(encoding="utf-8")
    words = ["$a$", "$b$"] if kind in ("box_plots", "heat_map") else []
    for word in [r"$\bad$", "b$", r"c\$", *words]:
        assert re.search(rf"[> ]{re.escape(word)}[<, ]", shown)


@pytest.mark.parametrize(
    "kind", ["heat_map", "quality_and_time", "critical_difference_diagram"]
)
def test_figures_can_be_saved_and_failed_rows_do_no_harm(kind, tmp_path):
    table = make_table()
    some = (table["label"] == table["label"].iloc[0]) & (np.arange(len(table)) % 7 == 0)
    table.loc[some, ["status", "value"]] = ["failed", np.nan]
    getattr(plots, kind)(table, METRIC).savefig(tmp_path / "figure.svg")
    assert (tmp_path / "figure.svg").stat().st_size > 1000
