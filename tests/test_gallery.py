"""The examples of the gallery run, on smaller tables and with the fast preset."""

import re
import warnings
from pathlib import Path
from runpy import run_path

import numpy as np
import pytest

from lopsided.methods import registry

plt = pytest.importorskip("matplotlib.pyplot")

ROOT = Path(__file__).parents[1]
GALLERY = ROOT / "examples" / "gallery"
ORDER = ROOT / "docs" / "_ext" / "reading_order.py"
# What makes an example lean; the rest stays as it is.
SMALLER = {
    "plot_blind_metrics": {"HIDDEN, K, N_DRAWS": "0.75, 100, 3"},
    "plot_fraud": {"N_ROWS": "1200"},
    "plot_genes": {"N_COLUMNS": "200"},
    "plot_marketing": {"N_ROWS, N_LABELED": "1500, 60"},
    "plot_prior_interval": {"SHARES": "(0.1, 0.5)"},
    "plot_probabilities": {"N_ROWS, N_NEW": "1500, 4000"},
    "plot_review_loop": {"N_ROWS, N_ROUNDS, BATCH": "1000, 2, 30"},
    "plot_scar_sar": {"HIDDEN, K, N_DRAWS": "0.75, 100, 2"},
    "plot_sensor_faults": {"N_ROWS, N_LABELED": "1200, 10"},
    "plot_time_aware": {"N_QUARTERS, N_ROWS": "8, 400"},
}
NAIVE = {"naive-xgb", "unlabeled as negative"}  # methods, and metrics or priors


def shrink(name):
    """Return the code of an example, with smaller constants, in blocks as the site runs it."""
    code = (GALLERY / f"{name}.py").read_text(encoding="utf-8")
    for constant, value in SMALLER[name].items():
        line = rf"^{re.escape(constant)} = [^#\n]+"
        code, n_found = re.subn(line, f"{constant} = {value}", code, flags=re.MULTILINE)
        assert n_found == 1, f"{name} has no line for {constant}"
    blocks = re.split(r"^(?=# %%$)", code, flags=re.MULTILINE)
    above = [code[: code.index(block)].count("\n") for block in blocks]
    return ["\n" * n_lines + block for n_lines, block in zip(above, blocks, strict=True)]


@pytest.fixture
def fast(monkeypatch):
    """Let the fast preset stand in for the default method."""
    methods = [
        method._replace(params={"preset": "fast"}) if method.name == "focused" else method
        for method in registry.METHODS
    ]
    monkeypatch.setattr(registry, "METHODS", tuple(methods))


@pytest.fixture
def figures():
    """Collect the figures that an example draws, without a window."""
    backend = plt.get_backend()
    plt.switch_backend("agg")
    with plt.rc_context():
        yield lambda: [plt.figure(number) for number in plt.get_fignums()]
        plt.close("all")
    plt.switch_backend(backend)


def check_finds(ax):
    """Check that no curve of finds falls, or passes the line of all that is hidden."""
    top = [line.get_ydata()[0] for line in ax.lines if "all hidden" in line.get_label()]
    for line in ax.lines if top else ():
        finds = np.asarray(line.get_ydata(), float)
        assert (np.diff(finds) >= 0).all(), line
        assert 0 <= finds.min() <= finds.max() <= top[0], line


def check_figure(figure):
    """Check that nothing is left empty or without a label; return legends and titles."""
    figure.canvas.draw()  # where there is no room for the axes, it warns here
    assert any(ax.get_legend() for ax in figure.axes) or figure.legends
    named = set()
    for ax in figure.axes:
        sharing_x = ax.get_shared_x_axes().get_siblings(ax)
        sharing_y = ax.get_shared_y_axes().get_siblings(ax)
        assert any(one.get_xlabel() for one in sharing_x), "an x axis without a label"
        assert any(one.get_ylabel() for one in sharing_y), "a y axis without a label"
        assert any(len(line.get_xydata()) for line in ax.lines) or ax.collections or ax.patches
        check_finds(ax)
        named |= set(ax.get_legend_handles_labels()[1]) | {ax.get_title()}
    return named


def test_the_gallery_is_tested_whole():
    assert {path.stem for path in GALLERY.glob("plot_*.py")} == set(SMALLER)


def test_the_order_of_reading_names_every_example_once():
    assert sorted(run_path(str(ORDER))["ORDER"]) == sorted(SMALLER)


@pytest.mark.parametrize("name", SMALLER)
def test_an_example_runs_without_a_warning_and_draws_the_baseline(
    name, fast, figures, capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    names, named, n_drawn = {"__name__": "__main__"}, set(), 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Agg has no window to show.
        warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")
        for block in shrink(name):
            exec(compile(block, f"{name}.py", "exec"), names)
            for figure in figures():  # saved and closed when the block ends
                named |= check_figure(figure)
                n_drawn += 1
            plt.close("all")
    assert n_drawn
    assert any(word in text for text in named for word in NAIVE), named
    assert capsys.readouterr().out.count("\n") >= 2
    assert not list(tmp_path.iterdir()), "an example leaves files behind"


@pytest.mark.parametrize("name", SMALLER)
def test_an_example_is_short_and_needs_nothing_from_outside(name):
    code = (GALLERY / f"{name}.py").read_text(encoding="utf-8")
    assert 40 <= len(code.splitlines()) <= 140
    assert code.startswith('"""\n')
    title, rule = code.splitlines()[1:3]
    assert rule == "=" * len(title)
    assert "LOPSIDED_DATA" not in code
    assert not re.search(r"^\s*(from|import) (urllib|requests|pooch|torch)", code, re.MULTILINE)
    assert not re.search(r"lopsided[\w.]*\._|import _", code), "a private name is used"
