"""The tables of docs/deciding.md, copied from what the benchmarks found."""

import re
from pathlib import Path

RESULTS = Path(__file__).parents[1] / "benchmarks" / "results"
_INTERVALS = (
    "scar 25%",
    "scar 50%",
    "scar 75%",
    "sar-near 25%",
    "sar-near 50%",
    "sar-near 75%",
    "all",
)
_FINDS = tuple(
    f"{labels} | {hidden} | all"
    for labels in ("scar", "sar-near")
    for hidden in ("0.25", "0.5", "0.75", "all")
)
_MAPS = (
    "focused, as it ships",
    "raw scores",
    "CalibratedClassifierCV on PU labels",
    "Elkan-Noto scaling",
    "platt",
    "isotonic",
    "beta, fitted on the truth",
)


def copy_table(
    text: str, line: str, rows: tuple[str, ...] = (), without: tuple[str, ...] = ()
) -> str:
    """Return the first table after a line of a text.

    Parameters
    ----------
    text : str
        Markdown.
    line : str
        A heading, or another whole line.
    rows : tuple of str, default=()
        What the rows to keep begin with, whole cells; nothing keeps all.
    without : tuple of str, default=()
        The columns to leave out.
    """
    _, found, after = f"\n{text}".partition(f"\n{line}\n")
    if not found:
        raise ValueError(f"The text must hold the line {line!r}, and does not.")
    table: list[str] = []
    for one in after.split("\n"):
        if one.startswith("|"):
            table.append(one)
        elif table:
            break
    wanted = {row: f"| {row} |" for row in rows}
    for row, start in wanted.items():
        if not any(one.startswith(start) for one in table):
            raise ValueError(f"The table after {line!r} must have a row {row!r}, and has none.")
    starts = tuple(wanted.values())
    kept = [one for one in table[2:] if not rows or one.startswith(starts)]
    names = _cells(table[0])
    columns = [place for place, name in enumerate(names) if name not in without]
    copied = [[_cells(one)[place] for place in columns] for one in [*table[:2], *kept]]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in copied)


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip("|").split("|")]


def render_deciding() -> dict[str, str]:
    """Return the tables of the page by the names of their markers."""
    priors, selection, calibration, finds = (
        (RESULTS / f"{name}.md").read_text(encoding="utf-8")
        for name in ("priors", "selection", "calibration", "finds")
    )
    far = "## Labeled shares far from one half"
    by_setting = "ECE by mechanism and share of positives that are labeled:"
    true_prior, auto_prior = calibration.split("## Prior: auto")
    tables = {
        "what choosing is worth": copy_table(
            selection,
            "# Choosing a method without negatives",
            (
                "hindsight",
                "always pu-bagging",
                "pu_damped_log_rank, mean of folds, no prior",
                "pu_damped_log_rank, mean of folds",
                "pu_damped_log_rank",
                "pu_roc_auc",
                "pulearn: pu_roc_auc",
                "pu_average_precision",
                "accuracy on PU labels",
                "at random",
                "always naive-xgb",
            ),
        ),
        "how far priors are off": copy_table(priors, "# Priors", without=("ms",)),
        "how far priors are off far from one half": copy_table(priors, far, without=("ms",)),
        "what the intervals of the prior hold": copy_table(
            priors, "## The default's 90 % intervals", _INTERVALS
        ),
        "what the intervals hold far from one half": copy_table(
            priors, "Intervals of `auto`:", ("10% labeled", "90% labeled")
        ),
        "how well probabilities are calibrated": copy_table(auto_prior, by_setting, _MAPS),
        "how well probabilities are calibrated with the true prior": copy_table(
            true_prior, by_setting, _MAPS
        ),
        "what bands of finds hold": copy_table(finds, "## The true prior", _FINDS),
        "what bands of finds hold with an estimated prior": copy_table(
            finds, '## The prior of `prior="auto"`', _FINDS
        ),
    }
    return {name: _spell_mechanisms(table) for name, table in tables.items()}


def _spell_mechanisms(text: str) -> str:
    """Return a text with mechanisms spelled as in prose."""
    return re.sub(r"\bscar\b", "SCAR", re.sub("(?i:sar-near)", "SAR near", text))
