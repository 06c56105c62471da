"""The command `lopsided-bench`."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lopsided.workflow.cli import Parser, as_count, as_words, run_command

__all__ = ["build_parser", "main"]


def build_parser() -> Parser:
    """Return the parser of all commands."""
    parser = Parser(
        prog="lopsided-bench",
        description="Compare methods for positive and unlabeled tables on data sets with known "
        "truth.",
    )
    commands: Any = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    run = commands.add_parser(
        "run",
        help="run a study",
        description="Run a study from a TOML file, or smoke, which comes with the package. A "
        "run that is stopped goes on where it was.",
    )
    run.add_argument("study", metavar="STUDY", help="a .toml file, or smoke")
    run.add_argument("--out", metavar="DIR", help="folder of the results (out/<study>)")
    run.add_argument("--jobs", type=as_count, default=1, metavar="N", help="processes (1)")
    words: Any = {"type": as_words, "action": "extend", "default": []}
    only, redo = "only these methods or data sets", "run these methods again"
    run.add_argument("--only", **words, metavar="NAMES", help=f"{only}, with commas")
    run.add_argument("--redo", **words, metavar="LABELS", help=f"{redo}, with commas")
    run.add_argument("--dry-run", action="store_true", help="only count what is left to run")
    run.set_defaults(run=_run)
    report = commands.add_parser(
        "report",
        help="write the results of a study as a page",
        description="Write tables, tests and figures of a study that was run as one HTML file "
        "that needs no network.",
    )
    report.add_argument("folder", metavar="FOLDER", help="folder of the results")
    report.add_argument(
        "-o", "--output", metavar="FILE", help="the page (report.html in the folder)"
    )
    report.set_defaults(run=_report)
    listing = commands.add_parser("list", help="list studies, data sets and peers")
    listing.set_defaults(run=_list)
    return parser


def _run(options: argparse.Namespace) -> str:
    from lopsided_bench.runner import run_file

    return run_file(
        options.study,
        out=options.out,
        n_workers=options.jobs,
        only=options.only,
        redo=options.redo,
        dry_run=options.dry_run,
    )


def _report(options: argparse.Namespace) -> Path:
    from lopsided_bench.page import report_folder

    return report_folder(options.folder, options.output)


def _list(_: argparse.Namespace) -> str:
    from lopsided_bench.catalog import PEERS
    from lopsided_bench.datasets import list_entries
    from lopsided_bench.study import list_studies

    lines = ["Studies of the package", *(f"  {name}" for name in list_studies())]
    lines += ["", f"{'Data sets':<22} {'rows':>6} {'columns':>7} {'positives':>9}  group"]
    lines += [
        f"  {one.name:<20} {one.rows:>6} {one.features:>7} {one.positives:>9}  {one.group}"
        for one in list_entries()
    ]
    lines += ["", "Peers"]
    return "\n".join([*lines, *(f"  {peer.name:<28} {peer.summary}" for peer in PEERS)])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 0, 2 for bad input, and 128 + its number for a signal."""
    return run_command(build_parser(), arguments)
