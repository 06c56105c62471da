"""The command line: each command parses, calls one function, prints."""

import argparse
import os
import signal
import warnings
from collections.abc import Sequence
from typing import Any, NoReturn

from lopsided import __version__
from lopsided._signals import Stopped, stops_unwind
from lopsided._terminal import check_streams, escape_controls, print_result, say

__all__ = ["Parser", "as_count", "as_jobs", "as_seed", "as_words", "main", "run_command"]

_EXAMPLES = """\
examples:
  lopsided rank claims.csv --label fraud --id claim_no -o ranked.csv
  lopsided rank claims.parquet --label status --positive confirmed --drop notes --top 50
  lopsided methods
  lopsided bench smoke --jobs 2
  lopsided report out/smoke
  lopsided demo
"""


class Parser(argparse.ArgumentParser):
    """A parser whose errors show the control characters of a word, and do not send them on."""

    def error(self, message: str) -> NoReturn:
        """Show how the command is used and what is wrong, and exit with code 2."""
        super().error(escape_controls(message))


def as_count(text: str) -> int:
    """Return a whole number from 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a whole number from 1 is wanted, got {text!r}")
    return int(text)


def as_seed(text: str) -> int:
    """Return a whole number from 0."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"a whole number from 0 is wanted, got {text!r}")
    return int(text)


def as_jobs(text: str) -> int:
    """Return a number of workers; -1 is all."""
    return -1 if text == "-1" else as_count(text)


def as_words(text: str) -> tuple[str, ...]:
    """Return words that commas separate."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="lopsided",
        description="Rank the rows of a table when only some of the few positives are labeled.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"lopsided {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_rank(commands)
    methods = commands.add_parser("methods", help="list the methods")
    methods.add_argument("--all", action="store_true", help="also oracles and peers")
    methods.set_defaults(run=_methods)
    commands.add_parser("datasets", help="list the data sets").set_defaults(run=_datasets)
    _add_bench(commands)
    _add_report(commands)
    demo = commands.add_parser(
        "demo", help="hide labels of a bundled table, rank it and see what was caught"
    )
    demo.add_argument("--out", default="out/demo", metavar="DIR", help="folder (%(default)s)")
    demo.add_argument("--method", default="focused", metavar="NAME", help="(%(default)s)")
    demo.add_argument("--seed", type=as_seed, default=0, metavar="N", help="(%(default)s)")
    demo.set_defaults(run=_demo)
    return parser


def _add_rank(commands: Any) -> None:
    rank = commands.add_parser(
        "rank",
        help="rank the unlabeled rows of a table",
        description="Rank the unlabeled rows of a csv or parquet table. Each row is scored by "
        "a model that has not seen it: the share of the model's own rows that it outranks.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    rank.add_argument(
        "table", metavar="TABLE", help="csv or parquet file with a header; - for standard input"
    )
    rank.add_argument("--label", required=True, metavar="COL", help="column of the labels")
    rank.add_argument("--positive", metavar="VALUE", help="its value for positives (1 or true)")
    rank.add_argument("--id", metavar="COL", help="column that names rows (the row's number)")
    drop: Any = {"action": "append", "default": [], "metavar": "COLS"}
    rank.add_argument("--drop", **drop, help="columns to ignore, with commas or one by one")
    rank.add_argument("--method", default="focused", metavar="NAME", help="(%(default)s)")
    rank.add_argument("--prior", type=float, metavar="P", help="share of positives, if known")
    rank.add_argument("--top", type=as_count, metavar="K", help="only the first K rows")
    rank.add_argument("--folds", type=as_count, default=5, metavar="N", help="(%(default)s)")
    rank.add_argument("--jobs", type=as_jobs, default=-1, metavar="N", help="threads (all)")
    rank.add_argument("--seed", type=as_seed, default=0, metavar="N", help="(%(default)s)")
    rank.add_argument("-o", "--output", metavar="FILE", help="csv or parquet (standard output)")
    rank.set_defaults(run=_rank)


def _add_bench(commands: Any) -> None:
    bench = commands.add_parser(
        "bench",
        help="run a study: methods compared on data sets with hidden labels",
        description="Run a study from a TOML file, or the one that comes with the package, "
        "smoke. Stop it at any time: the next run goes on where this one was.",
    )
    bench.add_argument("study", metavar="STUDY", help="a .toml file, or smoke")
    bench.add_argument("--out", metavar="DIR", help="folder of the results (out/<study>)")
    bench.add_argument("--jobs", type=as_count, default=1, metavar="N", help="processes (1)")
    words: Any = {"type": as_words, "action": "extend", "default": []}
    only, redo = "only these methods or data sets", "run these methods again"
    bench.add_argument("--only", **words, metavar="NAMES", help=f"{only}, with commas")
    bench.add_argument("--redo", **words, metavar="LABELS", help=f"{redo}, with commas")
    bench.add_argument("--dry-run", action="store_true", help="only say what is left to run")
    bench.set_defaults(run=_bench)


def _add_report(commands: Any) -> None:
    report = commands.add_parser(
        "report",
        help="write what a study found as one HTML file",
        description="Write the tables, tests and figures of a study as one HTML file that "
        "needs no network.",
    )
    report.add_argument("folder", metavar="DIR", help="what lopsided bench wrote")
    report.add_argument("-o", "--output", metavar="FILE", help="(DIR/report.html)")
    report.set_defaults(run=_report)


def _report(options: argparse.Namespace) -> object:
    from lopsided.report.page import report

    return report(options.folder, options.output)


def _bench(options: argparse.Namespace) -> str:
    from lopsided.bench.command import bench

    return bench(
        options.study,
        out=options.out,
        n_workers=options.jobs,
        only=options.only,
        redo=options.redo,
        dry_run=options.dry_run,
    )


def _rank(options: argparse.Namespace) -> None:
    from lopsided.table_ranking import rank_table
    from lopsided.tables import format_csv

    done = rank_table(
        "/dev/stdin" if options.table == "-" else options.table,
        label=options.label,
        positive=options.positive,
        id_column=options.id,
        drop=tuple(options.drop),
        method=options.method,
        prior=options.prior,
        top=options.top,
        folds=options.folds,
        n_jobs=options.jobs,
        random_state=options.seed,
        output=options.output,
    )
    if options.output is None:
        print_result(format_csv(done.ranking), end="")
    say(done.summary)


def _demo(options: argparse.Namespace) -> str:
    from lopsided.demo import run_demo

    return run_demo(options.out, method=options.method, random_state=options.seed)


def _methods(options: argparse.Namespace) -> str:
    from lopsided.methods.registry import get_method, list_methods

    names = list_methods("any" if options.all else "pu")
    width = max(map(len, names))
    return "\n".join(f"{name:<{width}} {get_method(name).summary}" for name in names)


def _datasets(options: argparse.Namespace) -> str:
    from lopsided.datasets import list_entries

    lines = [f"{'name':<20} {'rows':>6} {'columns':>7} {'positives':>9}  source"]
    for entry in list_entries():
        source = "scikit-learn" if entry.group == "bundled" else "LOPSIDED_DATA or download"
        size = f"{entry.rows:>6} {entry.features:>7} {entry.positives:>9}"
        lines.append(f"{entry.name:<20} {size}  {source}")
    return "\n".join(lines)


def _note(message: Any, category: Any, *_: Any, **__: Any) -> None:
    if issubclass(category, UserWarning):
        say(f"note: {message}")


def run_command(parser: argparse.ArgumentParser, arguments: Sequence[str] | None = None) -> int:
    """Run what a parser chooses; return 0, 2 for bad input, and 128 + the number of a signal.

    An application with a command of its own gets the manners of this one: an error is one
    sentence, and Ctrl-C, SIGTERM and SIGHUP leave nothing half written.

    Parameters
    ----------
    parser : ArgumentParser
        Its options have a default `run`, a function of the options. What it returns is printed.
    arguments : sequence of str, optional
        The words after the command; those of the process by default.
    """
    options = parser.parse_args(arguments)
    # Threads that wait must not spin: on a busy machine they take the cores they wait for.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        with stops_unwind(), warnings.catch_warnings():
            warnings.showwarning = _note
            check_streams(results=getattr(options, "output", None) is None)
            result = options.run(options)
            if result is not None:
                print_result(result)
    except (ValueError, OSError, ImportError) as error:
        say(f"{parser.prog}: {error}")
        return 2
    except KeyboardInterrupt as stop:
        say(f"{parser.prog}: stopped; nothing was left half written.")
        return 128 + (stop.number if isinstance(stop, Stopped) else signal.SIGINT)
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the words after `lopsided`, by default those of the process; see `run_command`."""
    return run_command(_parser(), arguments)
