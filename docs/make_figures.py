"""Write the tables and figures of README.md and docs/ from the committed results of studies.

    python docs/make_figures.py [--out FOLDER]

Nothing is fitted. The same tables give the same bytes, so that a difference in the texts is a
difference in the results.
"""

import argparse
import re
from pathlib import Path
from string import Template

from finance_told import tell_finance
from numbers_told import tell_all
from tables_told import beside_paper, macro_table, prior_table, tests_table

from lopsided._files import atomic_write
from lopsided.bench.study import read_study
from lopsided.bench.table import read_result_table
from lopsided.report.figures import draw_figures
from lopsided.report.protocol import describe_protocol
from lopsided.report.summary import summarize
from lopsided_misstatement.results_io import read_results as read_finance

ROOT = Path(__file__).parents[1]
METRIC = "average_precision"
_OPEN = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
_PAPER_WHITE = 'style="background:white" '  # drawn in black: dark pages would swallow it


def read_results(name: str):
    """Return a study and the committed table of its results."""
    studies = ROOT / "studies"
    return read_study(studies / f"{name}.toml"), read_result_table(
        studies / "results" / f"{name}.parquet"
    )


def draw(table, folder: Path, prefix: str, titles: tuple[str, ...] = ()) -> str:
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
    shown = []
    for title, caption, svg in draw_figures(table, METRIC, f"{prefix}-"):
        if titles and title not in titles:
            continue
        shown.append(show(folder, prefix, title, caption, svg))
    return "\n\n".join(shown)


def show(folder: Path, prefix: str, title: str, caption: str, svg: str) -> str:
    """Write one figure to the folder; return what shows it in a text."""
    name = f"{prefix}-{re.sub('[^a-z]+', '-', title.lower())}.svg"
    with atomic_write(folder / name) as draft:
        draft.write_text(svg.replace("<svg ", _OPEN + _PAPER_WHITE, 1) + "\n", encoding="utf-8")
    return f"**{title}.** {caption}\n\n![{title}](figures/{name})"


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
    found = summarize(paper, paper_study)["metrics"]
    em_study, em = read_results("em")
    rounds = summarize(em, em_study)["metrics"][METRIC]
    ablation_study, ablation = read_results("ablation")
    without = summarize(ablation, ablation_study)["metrics"][METRIC]
    parts = {
        "average_precision": macro_table(found["average_precision"], "average_precision"),
        "roc_auc": macro_table(found["roc_auc"], "roc_auc"),
        "beside_average_precision": beside_paper(paper, "average_precision"),
        "beside_roc_auc": beside_paper(paper, "roc_auc"),
        "tests": tests_table(found[METRIC]["tests"]),
        "figures": draw(paper, figures, "paper"),
        "prior_table": prior_table(prior, METRIC),
        "prior_figure": draw(prior, figures, "prior", ("Wrong priors",)),
        "protocol": "\n".join(f"- **{name}.** {text}" for name, text in protocol.items()),
        **tell_all(paper, prior),
    }
    finance = tell_finance(
        read_finance(ROOT / "studies" / "results" / "finance"),
        lambda *figure: show(figures, "finance", *figure),
    )
    texts = {
        "docs/reproduction.md": _template("reproduction").substitute(parts),
        "docs/finance.md": _template("finance").substitute(finance),
    }
    blocks = {
        "README.md": (
            "what the paper study found",
            macro_table(found[METRIC], METRIC, ("ifpu-xgb", "puhrf")),
        ),
        "docs/methods.md": ("what the study of EM found", macro_table(rounds, METRIC)),
        "docs/focused.md": ("what the ablation found", macro_table(without, METRIC)),
    }
    for name, (title, block) in blocks.items():
        texts[name] = fill_block((ROOT / name).read_text(encoding="utf-8"), title, block)
    for name, text in texts.items():
        with atomic_write(out / name) as draft:
            draft.write_text(text, encoding="utf-8")
    print(f"{', '.join(texts)} and {len(list(figures.iterdir()))} figures in {figures}")


if __name__ == "__main__":
    main()
