"""Commands besides tables: the list of methods, the demonstration, completion."""

import argparse
from typing import Any

from lopsided.workflow.cli.parsing import add_quiet, add_seed

__all__ = ["add_other_commands"]


def add_other_commands(commands: Any) -> None:
    """Add the commands to those of a parser."""
    methods = commands.add_parser("methods", help="list the methods")
    methods.add_argument("--all", action="store_true", help="also oracles and peers")
    methods.set_defaults(run=list_known_methods)
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


def _demo(options: argparse.Namespace) -> str:
    from lopsided.workflow.demo import run_demo

    return run_demo(options.out, method=options.method, random_state=options.seed)


def list_known_methods(options: argparse.Namespace) -> str:
    """Return the methods, one a line."""
    from lopsided.methods.registry import get_method, list_methods

    names = list_methods("any" if options.all else "pu")
    width = max(map(len, names))
    return "\n".join(f"{name:<{width}} {get_method(name).summary}" for name in names)


def _complete(options: argparse.Namespace) -> str:
    from lopsided._validation import require
    from lopsided.workflow.cli import build_parser

    shtab = require("shtab")
    return str(shtab.complete(build_parser(), options.shell))
