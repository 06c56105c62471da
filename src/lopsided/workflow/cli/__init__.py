"""The command line: each command parses, calls one function, prints."""

import argparse
from collections.abc import Sequence

from lopsided import __version__
from lopsided.workflow.cli.other_commands import add_other_commands
from lopsided.workflow.cli.parsing import Parser, as_count, as_jobs, as_seed, as_words
from lopsided.workflow.cli.running import run_command
from lopsided.workflow.cli.table_parsers import add_table_commands

__all__ = [
    "Parser",
    "as_count",
    "as_jobs",
    "as_seed",
    "as_words",
    "build_parser",
    "main",
    "run_command",
]

_EXAMPLES = """\
a month:
  lopsided check claims.csv --label fraud --id claim_no
  lopsided fit claims.csv --label fraud --id claim_no -o claims.lop
  lopsided rank claims.lop claims.csv --top 200 -o ranked.csv
  lopsided explain claims.lop claims.csv --row C-1042
  lopsided report claims.lop claims.csv -o report.html
and the next:
  lopsided feedback claims.lop reviewed.csv -o claims2.lop
  lopsided rank claims2.lop next_month.csv -o ranked.csv
at once:
  lopsided rank claims.csv --label status --positive confirmed --negative cleared
"""


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = Parser(
        prog="lopsided",
        description="Rank the rows of a table when only some of the few positives are labeled.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"lopsided {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    add_table_commands(commands)
    add_other_commands(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the words after `lopsided`, by default those of the process; see `run_command`."""
    return run_command(build_parser(), arguments)
