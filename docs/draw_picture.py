"""Draws the picture of the front page from a small run: `python docs/draw_picture.py`.

Claims are made up, so that the picture can show the frauds that nobody has labeled. The method
does not see them.
"""

import argparse
import math
from pathlib import Path

import lopsided
from lopsided.datasets import make_claims

SIDE, GAP, COLUMNS = 10, 3, 34
STEP = SIDE + GAP
PANEL, HEAD = COLUMNS * STEP - GAP, 60  # how wide one is, and what is above its rows
MARGIN, BETWEEN = 4, 70
KEYS = [
    (0, "labeled", "known fraud"),
    (120, "cleared", "cleared"),
    (210, "unlabeled", "unlabeled"),
]
STYLE = """
.rows text { font: 15px system-ui, sans-serif; fill: #222832; }
.rows .strong { font-weight: 600; }
.rows .unlabeled { fill: #6b7280; fill-opacity: 0.28; }
.rows .cleared { fill: none; stroke: #6b7280; stroke-opacity: 0.6; }
.rows .arrow { fill: none; stroke: #6b7280; stroke-width: 2.5; }
.rows .labeled { fill: #0072b2; }
.rows .hidden { fill: #d55e00; }
@media (prefers-color-scheme: dark) {
  .rows text { fill: #ced6dd; }
  .rows .labeled { fill: #56b4e9; }
  .rows .hidden { fill: #f0843c; }
}
"""


def run(n_rows):
    """Return the kind of each row as the table has them, and of the ranked ones, best first."""
    claims = make_claims(n_rows, labeled=0.4)
    words = {"confirmed": "labeled", "cleared": "cleared"}
    known = [words.get(status, "unlabeled") for status in claims.table["status"]]
    ranked = lopsided.rank(
        claims.table,
        label="status",
        positive="confirmed",
        negative="cleared",
        id="claim_no",
        method="focused-fast",
    )
    fraud = dict(zip(claims.table["claim_no"], claims.y_true, strict=True))
    return known, ["hidden" if fraud[claim] else "unlabeled" for claim in ranked["id"]]


def draw_rows(kinds, left, top):
    """Return a path for each kind of row: squares, line by line."""
    paths = {}
    for place, kind in enumerate(kinds):
        line, column = divmod(place, COLUMNS)
        square = f"M{left + column * STEP} {top + line * STEP}h{SIDE}v{SIDE}h-{SIDE}z"
        paths.setdefault(kind, []).append(square)
    return [
        f'<path class="{kind}" d="{"".join(squares)}"/>'
        for kind, squares in sorted(paths.items())
    ]


def draw_text(x, y, text, kind=""):
    """Return a line of text."""
    mark = f' class="{kind}"' if kind else ""
    return f'<text x="{x}" y="{y}"{mark}>{text}</text>'


def draw_panel(kinds, left, top, title, told, keys):
    """Return rows with a title and a sentence above and what colors mean below."""
    bottom = top + HEAD + math.ceil(len(kinds) / COLUMNS) * STEP + 22
    parts = [
        draw_text(left, top + 18, title, "strong"),
        draw_text(left, top + 42, told),
        *draw_rows(kinds, left, top + HEAD),
    ]
    for shift, kind, meaning in keys:
        x = left + shift
        parts.append(f'<path class="{kind}" d="M{x} {bottom - SIDE}h{SIDE}v{SIDE}h-{SIDE}z"/>')
        parts.append(draw_text(x + SIDE + 7, bottom, meaning))
    return parts, bottom + 10


def draw(known, ranked, tall):
    """Return the picture: the table, and beside or below it the ranking."""
    hidden = [place for place, kind in enumerate(ranked) if kind == "hidden"]
    first = sum(place < 100 for place in hidden)
    n_labeled, n_cleared = known.count("labeled"), known.count("cleared")
    found = f"Of {len(hidden)} frauds never labeled, {first} are in the first 100."
    parts, bottom = draw_panel(
        known,
        MARGIN,
        0,
        f"A table of {len(known):,} claims",
        f"{n_labeled} are known to be fraud, {n_cleared} were cleared.",
        KEYS,
    )
    left, top = (MARGIN, bottom + BETWEEN // 2) if tall else (MARGIN + PANEL + BETWEEN, 0)
    right, end = draw_panel(
        ranked,
        left,
        top,
        "The unlabeled rows, ranked, best first",
        found,
        [(0, "hidden", "fraud that the method was not told of")],
    )
    if not tall:
        arrow = f"M{MARGIN + PANEL + 20} {bottom // 2}h26m-9 -8l9 8l-9 8"
        parts.append(f'<path class="arrow" d="{arrow}"/>')
    said = (
        f"First {len(known)} rows of which {n_labeled} are labeled, then the unlabeled rows in "
        f"the order of the ranking. {found}"
    )
    body = "\n".join([*parts, *right])
    box = f"0 0 {left + PANEL + MARGIN} {max(bottom, end)}"
    return (
        f'<svg class="rows" xmlns="http://www.w3.org/2000/svg" viewBox="{box}" role="img" '
        f'aria-label="{said}">\n<style>{STYLE}</style>\n{body}\n</svg>\n'
    )


def main():
    """Write the picture, for wide and for narrow screens."""
    parser = argparse.ArgumentParser(description=__doc__)
    folder = Path(__file__).parent / "_static"
    parser.add_argument("--out", type=Path, default=folder, help="folder (docs/_static)")
    out = parser.parse_args().out
    kinds = run(1000)
    (out / "picture.svg").write_text(draw(*kinds, tall=False), encoding="utf-8")
    (out / "picture-tall.svg").write_text(draw(*kinds, tall=True), encoding="utf-8")


if __name__ == "__main__":
    main()
