"""The tables of docs/deciding.md, copied from what the benchmarks found."""

import re
from pathlib import Path

from render_tables import render_markdown

RESULTS = Path(__file__).parents[1] / "benchmarks" / "results"
_CHOSEN_BY = (
    "hindsight",
    "always pu-bagging",
    "pu_damped_log_rank, mean of folds, no prior",
    "pu_damped_log_rank, mean of folds",
    "pu_damped_log_rank",
    "pu_roc_auc",
    "accuracy on PU labels",
    "at random",
    "always naive-xgb",
)
_RIGHT = "auto, a belief that is right"
_ESTIMATORS = (
    "auto",
    _RIGHT,
    "auto, belief Beta(1, 1)",
    "twice-labeled",
    "pulearn HistogramMatch",
    "elkan-noto",
    "tail-ratio",
    "tice",
    "km2",
)
_FAR = ("scar 10%", "sar-near 10%", "scar 90%", "sar-near 90%")
_MAPS = (
    "focused, as it ships",
    "raw scores",
    "CalibratedClassifierCV on PU labels",
    "Elkan-Noto scaling",
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


def read_table(text: str, line: str) -> dict[str, dict[str, str]]:
    """Return the first table after a line of a text: cells by their row and by their column."""
    header, _, *rows = copy_table(text, line).split("\n")
    names = _cells(header)
    return {cells[0]: dict(zip(names, cells, strict=True)) for cells in map(_cells, rows)}


def count_cells(n_cells: int, flagged: str, covered: str) -> tuple[int, int, int]:
    """Return how many cells are flagged, are not, and of the latter hold the truth.

    Parameters
    ----------
    n_cells : int
        All of them.
    flagged, covered : str
        Rounded shares, such as "60%": of all cells, and of those that are not flagged.
    """
    n_flagged = _find_count(n_cells, flagged)
    n_open = n_cells - n_flagged
    return n_flagged, n_open, _find_count(n_open, covered)


def _find_count(n_cells: int, share: str) -> int:
    """Return the one number of cells that a rounded share stands for."""
    found = [count for count in range(n_cells + 1) if f"{count / n_cells:.0%}" == share]
    if len(found) != 1:
        raise ValueError(f"{share} of {n_cells} must be one number of cells, got {found}.")
    return found[0]


def render_intervals(priors: str) -> str:
    """Return how often intervals of the prior hold the truth, and in how many cells."""
    near = read_table(priors, "## The default's 90 % intervals")
    far = {
        belief: read_table(priors, f"Intervals of `{name}`:")
        for belief, name in (("default", "auto"), ("right", _RIGHT))
    }
    n_near, n_far = (int(number) for number in re.findall(r"(\d+) cells", priors)[:2])
    settings = [f"{name} {share}%" for share in (25, 50, 75) for name in ("scar", "sar-near")]
    lines = [
        ("both, 10%", "default", far["default"]["10% labeled"], n_far // 2),
        ("both, 10%", "right", far["right"]["10% labeled"], n_far // 2),
        *(
            (name.replace(" ", ", "), "default", near[name], n_near // len(settings))
            for name in settings
        ),
        ("both, 90%", "default", far["default"]["90% labeled"], n_far // 2),
        ("both, 90%", "right", far["right"]["90% labeled"], n_far // 2),
    ]
    rows = []
    for labels, belief, found, n_cells in lines:
        shares = found["flagged"], found["covered, not flagged"]
        n_flagged, n_open, n_covered = count_cells(n_cells, *shares)
        row = [labels, belief, f"{n_flagged} of {n_cells}"]
        row += [f"{n_covered} of {n_open}, {shares[1]}"]
        rows.append([*row, found["within x2, all"], found["median high / low"]])
    headers = ["labels", "belief", "flagged", "not flagged: hold the truth"]
    return render_markdown([*headers, "within x2, all", "median high / low"], rows)


def render_errors(priors: str) -> str:
    """Return the errors of some estimators, near one half of the positives labeled and far."""
    near = read_table(priors, "# Priors")
    far = read_table(priors, "## Labeled shares far from one half")
    rows = []
    for name in _ESTIMATORS:
        row = [near.get(name, {}).get(column, "") for column in ("all", "bias", "within x2")]
        rows.append([name, *row, *(far.get(name, {}).get(column, "") for column in _FAR)])
    headers = ["estimator", "25 to 75 %", "bias", "within x2", *_FAR]
    return render_markdown(headers, rows)


def render_maps(calibration: str) -> str:
    """Return the calibration errors of some maps, with the estimated prior and the true one."""
    auto, true = (read_table(calibration, f"## Prior: {name}") for name in ("auto", "true"))
    rows = [[name, auto[name]["ECE"], true[name]["ECE"]] for name in _MAPS]
    return render_markdown(["map", "prior estimated", "true prior"], rows)


def render_finds(finds: str) -> str:
    """Return how often bands of finds hold, with the true prior and the estimated one."""
    true, auto = (
        [_cells(row) for row in copy_table(finds, line).split("\n")[2:]]
        for line in ("## The true prior", '## The prior of `prior="auto"`')
    )
    rows = []
    for known, guessed in zip(true, auto, strict=True):
        if known[2] == "all":  # of the lengths of the list
            shares = [cells[place] for cells in (known, guessed) for place in (3, 4, 6)]
            rows.append([*known[:2], *shares])
    names = ("hold", "too high", "width")
    parts = [f"{name}, {part}" for part in ("true prior", "estimated") for name in names]
    return render_markdown(["labels", "hidden", *parts], rows)


def render_deciding() -> dict[str, str]:
    """Return the tables of the page by the names of their markers."""
    priors, selection, calibration, finds = (
        (RESULTS / f"{name}.md").read_text(encoding="utf-8")
        for name in ("priors", "selection", "calibration", "finds")
    )
    by_setting = [
        f"{name} {share} %" for name in ("SCAR", "SAR-NEAR") for share in (25, 50, 75)
    ]
    tables = {
        "what choosing is worth": copy_table(
            selection, "# Choosing a method without negatives", _CHOSEN_BY, tuple(by_setting)
        ),
        "what the intervals of the prior hold": render_intervals(priors),
        "how far priors are off": render_errors(priors),
        "how well probabilities are calibrated": render_maps(calibration),
        "what bands of finds hold": render_finds(finds),
    }
    return {name: _spell_out(table) for name, table in tables.items()}


def _spell_out(text: str) -> str:
    """Return a table with mechanisms and shares spelled as in prose."""
    text = re.sub(r"\bscar\b", "SCAR", re.sub("(?i:sar-near)", "SAR near", text))
    return re.sub(r"(?<=\d)%", " %", text)
