"""Write the tables and figures of README.md and docs/ from the committed results of studies.

    python docs/make_figures.py [--out FOLDER]

Nothing is fitted. The same tables give the same bytes, so that a difference in the texts is a
difference in the results.
"""

import argparse
import re
from pathlib import Path
from string import Template

from render_arena import render_arena
from render_deciding import render_deciding
from render_finance import render_finance
from render_numbers import render_numbers
from render_scale import render_scale
from render_tables import (
    render_macro,
    render_macro_brief,
    render_priors,
    render_published,
    render_ranks,
)

from lopsided.workflow.tables import atomic_write
from lopsided_bench.figures import Drawing, draw_figures
from lopsided_bench.published import read_published
from lopsided_bench.study import read_study
from lopsided_bench.summary import describe_protocol, summarize
from lopsided_bench.table import read_result_table
from lopsided_misstatement.results_io import read_results as read_finance

ROOT = Path(__file__).parents[1]
METRIC = "average_precision"
# The rows of README.md, and the one whose printed numbers stand below them.
IN_BRIEF = ("focused", "focused-fast", "pu-bagging", "ifpu-xgb", "naive-xgb", "xgb", "ifpu-xgb")
_OPEN = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
_PAPER_WHITE = 'style="background:white" '  # drawn in black: dark pages would swallow it


def read_results(name: str):
    """Return a study and the committed table of its results."""
    studies = ROOT / "studies"
    return read_study(studies / f"{name}.toml"), read_result_table(
        studies / "results" / f"{name}.parquet"
    )


def read_arena():
    """Return the study of ADBench's field, its results, printed numbers and earlier runs."""
    study = read_study(ROOT / "studies" / "adbench.toml")
    results = ROOT / "studies" / "results" / "adbench.parquet"
    table = read_result_table(results) if results.is_file() else None
    earlier = {
        f"{name} run": read_published(study.published.with_name(f"adbench_{name}.csv"))
        for name in ("first", "second")
    }
    return study, table, read_published(study.published), earlier


def render_figures(table, folder: Path, prefix: str, titles: tuple[str, ...] = ()) -> str:
    """Write figures of a table to the folder; return what shows them in a text.

    Parameters
    ----------
    table : DataFrame
        Results.
    folder : Path
        Where the figures go.
    prefix : str
        What their names begin with.
    titles : tuple of str, default=()
        Which to draw; nothing is all.
    """
    rendered = []
    for figure in draw_figures(table, METRIC, f"{prefix}-"):
        if not titles or figure.title in titles:
            rendered.append(render_figure(folder, prefix, figure))
    return "\n\n".join(rendered)


def render_figure(folder: Path, prefix: str, figure: Drawing) -> str:
    """Write one figure to the folder; return what shows it in a text."""
    title = figure.title
    name = f"{prefix}-{re.sub('[^a-z]+', '-', title.lower())}.svg"
    svg = figure.svg.replace("<svg ", _OPEN + _PAPER_WHITE, 1)
    with atomic_write(folder / name) as draft:
        draft.write_text(svg + "\n", encoding="utf-8")
    return f"**{title}.** {figure.caption}\n\n![{title}](figures/{name})"


def fill_block(text: str, name: str, block: str) -> str:
    """Return a text with what lies between the two markers of a name written anew."""
    start, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    before, _, rest = text.partition(start)
    _, found, after = rest.partition(end)
    if not found:
        raise ValueError(f"The text must hold {start.strip()} and {end}, and does not.")
    return f"{before}{start}\n{block}\n\n{end}{after}"


def _template(name: str) -> Template:
    return Template((ROOT / "docs" / f"{name}.in.md").read_text(encoding="utf-8"))


def main() -> None:
    """Write everything."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT, help="where the texts are written")
    out = parser.parse_args().out
    paper_study, paper = read_results("paper")
    _, prior = read_results("prior")
    figures = out / "docs" / "figures"
    protocol = describe_protocol(paper_study)
    found = summarize(paper, paper_study).metrics
    published = read_published(paper_study.published)
    em_study, em = read_results("em")
    rounds = summarize(em, em_study).metrics[METRIC]
    ablation_study, ablation = read_results("ablation")
    without = summarize(ablation, ablation_study).metrics[METRIC]
    peers_study, peers = read_results("peers")
    instead = summarize(peers, peers_study).metrics[METRIC]
    parts = {
        "average_precision": render_macro(found["average_precision"]),
        "roc_auc": render_macro(found["roc_auc"]),
        "beside_average_precision": render_published(found["average_precision"], published),
        "beside_roc_auc": render_published(found["roc_auc"], published),
        "tests": render_ranks(found[METRIC].tests),
        "figures": render_figures(paper, figures, "paper"),
        "prior_table": render_priors(prior, METRIC),
        "prior_figure": render_figures(prior, figures, "prior", ("Wrong priors",)),
        "protocol": "\n".join(f"- **{name}.** {text}" for name, text in protocol.items()),
        **render_numbers(paper, prior, published),
    }
    finance = render_finance(
        read_finance(ROOT / "studies" / "results" / "finance"),
        lambda figure: render_figure(figures, "finance", figure),
    )
    texts = {
        "docs/reproduction.md": _template("reproduction").substitute(parts),
        "docs/finance.md": _template("finance").substitute(finance),
    }
    arena = {
        **render_arena(*read_arena()),
        "what people use instead": render_macro(instead),
        "ranks of what people use instead": render_ranks(instead.tests),
    }
    brief = "what the arena found in brief"
    blocks = {
        "README.md": {
            "what the paper study found": render_macro_brief(found[METRIC], IN_BRIEF)
        },
        "docs/choosing.md": {brief: arena.pop(brief)},
        "docs/methods.md": {"what the study of EM found": render_macro(rounds)},
        "docs/focused.md": {"what the ablation found": render_macro(without)},
        "docs/deciding.md": render_deciding(),
        "docs/arena.md": arena,
        "docs/scale.md": render_scale(),
    }
    for name, filled in blocks.items():
        texts[name] = (ROOT / name).read_text(encoding="utf-8")
        for title, block in filled.items():
            texts[name] = fill_block(texts[name], title, block)
    for name, text in texts.items():
        with atomic_write(out / name) as draft:
            draft.write_text(text, encoding="utf-8")
    print(f"{', '.join(texts)} and {len(list(figures.iterdir()))} figures in {figures}")


if __name__ == "__main__":
    main()
