"""Commands about methods and data: lists, studies, the demonstration, completion."""

import argparse
import os
from typing import Any

from lopsided.workflow.cli.parsing import add_quiet, add_seed, as_count, as_words

__all__ = ["add_study_commands"]


def add_study_commands(commands: Any) -> None:
    """Add the commands to those of a parser."""
    methods = commands.add_parser("methods", help="list the methods")
    methods.add_argument("--all", action="store_true", help="also oracles and peers")
    methods.set_defaults(run=list_known_methods)
    datasets = commands.add_parser("datasets", help="list the data sets")
    datasets.set_defaults(run=_list_datasets)
    _add_bench(commands)
    demo = commands.add_parser(
        "demo", help="a month on made-up claims: check, fit, rank, review, report"
    )
    demo.add_argument("--out", default="out/demo", metavar="DIR", help="folder (%(default)s)")
    demo.add_argument("--method", default="focused", metavar="NAME", help="(%(default)s)")
    add_seed(demo)
    add_quiet(demo)
    demo.set_defaults(run=_demo)
    completion = commands.add_parser(
        "completion",
        help="print what lets a shell complete these commands",
        description="Print a script for bash, zsh or tcsh, to be sourced by its start-up file.",
    )
    completion.add_argument("shell", choices=("bash", "zsh", "tcsh"))
    completion.set_defaults(run=_complete)


def _add_bench(commands: Any) -> None:
    bench = commands.add_parser(
        "bench",
        help="run a study: methods compared on data sets with hidden labels",
        description="Run a study from a TOML file, or the one that comes with the package, "
        "smoke. Stop it at any time: the next run goes on where this one was. With --report "
        "its tables, tests and figures are written as one HTML file that needs no network; a "
        "folder of results is then reported as it is, and nothing is run.",
    )
    bench.add_argument("study", metavar="STUDY", help="a .toml file, smoke, or a folder")
    bench.add_argument("--out", metavar="DIR", help="folder of the results (out/<study>)")
    bench.add_argument("--jobs", type=as_count, default=1, metavar="N", help="processes (1)")
    words: Any = {"type": as_words, "action": "extend", "default": []}
    only, redo = "only these methods or data sets", "run these methods again"
    bench.add_argument("--only", **words, metavar="NAMES", help=f"{only}, with commas")
    bench.add_argument("--redo", **words, metavar="LABELS", help=f"{redo}, with commas")
    bench.add_argument("--dry-run", action="store_true", help="only say what is left to run")
    bench.add_argument(
        "--report",
        nargs="?",
        const="",
        metavar="FILE",
        help="write the results as an HTML page (DIR/report.html)",
    )
    bench.set_defaults(run=_bench)


def _bench(options: argparse.Namespace) -> object:
    from lopsided.bench.command import bench, find_results
    from lopsided.report.page import check_page, report

    if options.report:
        check_page(options.report)
    if options.report is not None and os.path.isdir(options.study):
        return report(options.study, options.report or None)
    done = bench(
        options.study,
        out=options.out,
        n_workers=options.jobs,
        only=options.only,
        redo=options.redo,
        dry_run=options.dry_run,
    )
    if options.report is None or options.dry_run:
        return done
    page = report(str(find_results(options.study, options.out)), options.report or None)
    return f"{done}\n{page}"


def _demo(options: argparse.Namespace) -> str:
    from lopsided.workflow.demo import run_demo

    return run_demo(options.out, method=options.method, random_state=options.seed)


def list_known_methods(options: argparse.Namespace) -> str:
    """Return the methods, one a line."""
    from lopsided.methods.registry import get_method, list_methods

    names = list_methods("any" if options.all else "pu")
    width = max(map(len, names))
    return "\n".join(f"{name:<{width}} {get_method(name).summary}" for name in names)


def _list_datasets(options: argparse.Namespace) -> str:
    from lopsided.datasets import list_entries

    lines = [f"{'name':<20} {'rows':>6} {'columns':>7} {'positives':>9}  source"]
    for entry in list_entries():
        source = "scikit-learn" if entry.group == "bundled" else "LOPSIDED_DATA or download"
        size = f"{entry.rows:>6} {entry.features:>7} {entry.positives:>9}"
        lines.append(f"{entry.name:<20} {size}  {source}")
    return "\n".join(lines)


def _complete(options: argparse.Namespace) -> str:
    from lopsided._check import require
    from lopsided.workflow.cli import build_parser

    shtab = require("shtab")
    return str(shtab.complete(build_parser(), options.shell))
