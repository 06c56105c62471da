"""The command `lopsided-misstatement`."""

import argparse
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lopsided.workflow.cli import Parser, as_count, as_words, run_command

if TYPE_CHECKING:
    from lopsided_misstatement.source import Source

__all__ = ["main"]

_MAX_DIGITS = 4  # of a year


def _parser() -> Parser:
    parser = Parser(
        prog="lopsided-misstatement",
        description="Rank annual reports by the risk of misstatement, year by year: models "
        "learn from three years of reports, of which some misstatements are known, and rank "
        "the next. Stop it at any time: the next run goes on where this one was.",
    )
    panel = parser.add_mutually_exclusive_group()
    panel.add_argument(
        "--panel", metavar="PATH", help="csv, parquet, or the authors' folder (LOPSIDED_DATA)"
    )
    panel.add_argument("--synthetic", action="store_true", help="a panel that is made up")
    add = parser.add_argument
    add(
        "--columns",
        type=as_renamings,
        default=(),
        metavar="OLD=NEW",
        help="the panel's names of columns and those used here, with commas",
    )
    add("--cases", metavar="FILE", help="SEC cases (beside the panel)")
    add("--out", metavar="DIR", help="folder of the results (out/misstatement)")
    add("--models", type=as_words, default=(), metavar="NAMES", help="only these, with commas")
    add("--nets", action="store_true", help="also nets, which take long")
    add("--parts", action="store_true", help="also variants that show what a setting does")
    add("--years", type=as_years, default=(), metavar="A-B,C", help="years to rank")
    add("--all-rows", action="store_true", help="keep reports with missing values")
    add("--seeds", type=as_count, metavar="N", help="seeds of a model at most")
    add("--jobs", type=as_count, default=1, metavar="N", help="processes (1)")
    add(
        "--compare-panels",
        action="store_true",
        help="only print facts of the panel beside those of a synthetic one",
    )
    parser.set_defaults(run=_run)
    return parser


def as_renamings(text: str) -> tuple[tuple[str, str], ...]:
    """Return pairs of names, OLD=NEW, that commas separate."""
    pairs = [tuple(word.split("=")) for word in as_words(text)]
    if any(len(pair) != 2 or not all(pair) for pair in pairs):
        raise argparse.ArgumentTypeError(f"OLD=NEW,OLD=NEW is wanted, got {text!r}")
    return tuple((pair[0], pair[1]) for pair in pairs)


def as_years(text: str) -> tuple[int, ...]:
    """Return years from spans and single ones, 2003-2005,2007."""
    found: list[int] = []
    for part in as_words(text):
        first, dash, last = part.partition("-")
        years = (first, last) if dash else (first,)
        if not all(year.isdecimal() and len(year) <= _MAX_DIGITS for year in years):
            raise argparse.ArgumentTypeError(
                f"years as 2003-2005,2007 are wanted, got {text[:60]!r}"
            )
        if dash and int(last) < int(first):
            raise argparse.ArgumentTypeError(f"the earlier year must come first, got {part!r}")
        found += range(int(first), int(last or first) + 1)
    return tuple(sorted(set(found)))


def _run(options: argparse.Namespace) -> str:
    from lopsided_misstatement.panel import TERMS
    from lopsided_misstatement.source import Source

    if options.synthetic and (options.cases or options.columns):
        raise ValueError("A synthetic panel takes no --cases and no --columns. Leave them out.")
    if options.synthetic and options.compare_panels:
        raise ValueError("--compare-panels makes a synthetic panel itself. Leave one out.")
    source = Source(
        options.panel,
        options.synthetic,
        options.columns,
        options.cases,
        "all" if options.all_rows else "complete",
    )
    said = (_compare if options.compare_panels else _study)(source, options)
    if options.panel is None and not options.synthetic:
        warnings.warn(TERMS, stacklevel=2)
    return said


def _study(source: "Source", options: argparse.Namespace) -> str:
    from lopsided_misstatement.study import run_study

    return run_study(
        source,
        options.out or f"out/misstatement{'-synthetic' if options.synthetic else ''}",
        models=options.models,
        groups=["main", *["nets"] * options.nets, *["parts"] * options.parts],
        years=options.years,
        seeds=options.seeds,
        jobs=options.jobs,
    )


def _compare(source: "Source", options: argparse.Namespace) -> str:
    from lopsided_misstatement.panel_comparison import (
        compare_panels,
        format_comparison,
        write_comparison,
    )

    synthetic = replace(source, path=None, synthetic=True, columns=(), cases=None)
    table = compare_panels({"panel": source.load_all(), "synthetic": synthetic.load_all()})
    if options.out is not None:
        write_comparison(table, Path(options.out))
    return format_comparison(table)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 0, 2 for bad input, and 128 + its number for a signal."""
    return run_command(_parser(), arguments)
