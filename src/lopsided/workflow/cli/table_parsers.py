"""What the commands about a table take: check, fit, rank, explain, report and others."""

from typing import Any

from lopsided.workflow.cli import table_commands as run
from lopsided.workflow.cli.out_of_core import add_out_of_core
from lopsided.workflow.cli.parsing import (
    add_quiet,
    add_seed,
    as_assignment,
    as_count,
    as_jobs,
    as_words,
    as_yes_or_no,
)

__all__ = ["add_table_commands"]

_MODEL = "a file that lopsided fit wrote"
_TABLE = "csv, tsv, parquet, feather or Excel file with a header; - for standard input"
_COMPARED = ("focused", "focused-fast", "naive-forest", "naive-logistic")


def add_table_commands(commands: Any) -> None:
    """Add the commands to those of a parser."""
    _add_check(commands)
    _add_fit(commands)
    _add_rank(commands)
    _add_explain(commands)
    _add_report(commands)
    _add_feedback(commands)
    _add_prior(commands)
    _add_compare(commands)


def _add_check(commands: Any) -> None:
    check = commands.add_parser(
        "check",
        help="look at a table: what is in it, what will hurt",
        description="Look at a table before anything is fitted: how each column is read, "
        "columns that give the label away, ids, duplicates, few labels, no signal.",
    )
    check.add_argument("table", metavar="TABLE", help=_TABLE)
    _add_roles(check)
    _add_reading(check)
    _add_json(check)
    check.add_argument(
        "--strict", action="store_true", help="exit with code 1 if something will hurt"
    )
    _add_jobs(check)
    add_quiet(check)
    check.set_defaults(run=run.check_table)


def _add_fit(commands: Any) -> None:
    fit = commands.add_parser(
        "fit",
        help="learn from a table, and keep the model",
        description="Learn from a table and write the model to a file: how columns are read, "
        "the method, and the clean rows, whose reviews it can learn from later.",
    )
    fit.add_argument("table", metavar="TABLE", help=_TABLE)
    _add_roles(fit)
    _add_reading(fit)
    _add_method(fit)
    add_out_of_core(fit)
    fit.add_argument("-o", "--output", required=True, metavar="FILE", help="e.g. model.lop")
    _add_dask(fit)
    _add_json(fit)
    add_quiet(fit)
    fit.set_defaults(run=run.fit_table)


def _add_rank(commands: Any) -> None:
    rank = commands.add_parser(
        "rank",
        help="rank the unlabeled rows of a table",
        description="Rank the unlabeled rows of a table: rank, id, score, probability, reasons "
        "and the row's own columns. With a model, of any table with its columns; without one, "
        "--label names the column to learn from first. The score is the log-odds of being "
        "positive: of training rows by models that have not seen the row, but with "
        "--out-of-core and --dask by the model of all rows. Rows that were reviewed and found "
        "to be negative are learned from and left out.",
    )
    rank.add_argument("words", metavar="[MODEL] TABLE", nargs="+", help=f"{_MODEL}; {_TABLE}")
    _add_roles(rank, required=False)
    _add_reading(rank)
    _add_method(rank)
    add_out_of_core(rank)
    rank.add_argument("--top", type=as_count, metavar="K", help="only the first K rows")
    rank.add_argument(
        "--reasons",
        default="100",
        metavar="K",
        help="reasons of the first K rows, or all (100)",
    )
    rank.add_argument(
        "-o", "--output", metavar="FILE", help="csv, tsv, parquet or feather (standard output)"
    )
    rank.add_argument(
        "--out-sep", metavar="CHAR", help="separator of a csv that is written (the table's)"
    )
    rank.add_argument(
        "--spreadsheet-safe",
        action="store_true",
        help="put an apostrophe before texts that a spreadsheet takes for formulas: those that "
        "begin with =, +, -, @ or a tab, but no numbers; feedback takes it off again",
    )
    _add_dask(rank)
    _add_json(rank)
    add_quiet(rank)
    rank.set_defaults(run=run.rank_table)


def _add_explain(commands: Any) -> None:
    explain = commands.add_parser("explain", help="say what each column adds to a row's score")
    explain.add_argument("model", metavar="MODEL", help=_MODEL)
    explain.add_argument("table", metavar="TABLE", help=_TABLE)
    explain.add_argument(
        "--row",
        required=True,
        metavar="ID",
        help="its id; without an id column its number from 1",
    )
    _add_reading(explain, types=False)
    _add_json(explain)
    add_quiet(explain)
    explain.set_defaults(run=run.explain_row)


def _add_report(commands: Any) -> None:
    report = commands.add_parser(
        "report",
        help="write a page on a model and its list that can be defended",
        description="Write one HTML file that needs no network: the first rows and their "
        "reasons, how sure they are, what a review will find and where to stop.",
    )
    report.add_argument("model", metavar="MODEL", help=_MODEL)
    report.add_argument("table", metavar="TABLE", help=_TABLE)
    report.add_argument(
        "-o", "--output", default="report.html", metavar="FILE", help="(%(default)s)"
    )
    report.add_argument("--title", metavar="TEXT", help="the page's title")
    report.add_argument(
        "--rival",
        action="append",
        default=[],
        metavar="COL",
        help="a column with the desk's own score, higher for the more suspicious, to compare "
        "with; may be given more than once",
    )
    _add_reading(report, types=False)
    _add_jobs(report)
    add_quiet(report)
    report.set_defaults(run=run.report_ranking)


def _add_feedback(commands: Any) -> None:
    feedback = commands.add_parser(
        "feedback",
        help="learn from reviews, and keep the new model",
        description="Learn from reviewed rows: a ranking with a column of verdicts, 1 for "
        "positives and -1 for negatives, blank where undecided.",
    )
    feedback.add_argument("model", metavar="MODEL", help=_MODEL)
    feedback.add_argument("reviewed", metavar="REVIEWED", help=_TABLE)
    feedback.add_argument(
        "--verdict", metavar="COL", help="column of the verdicts (verdict, or the label)"
    )
    feedback.add_argument("--positive", metavar="VALUE", help="its value for positives")
    feedback.add_argument("--negative", metavar="VALUE", help="its value for negatives")
    feedback.add_argument("-o", "--output", required=True, metavar="FILE", help="a new model")
    _add_reading(feedback, types=False)
    _add_jobs(feedback)
    _add_json(feedback)
    add_quiet(feedback)
    feedback.set_defaults(run=run.learn_from_feedback)


def _add_prior(commands: Any) -> None:
    prior = commands.add_parser(
        "prior",
        help="estimate how many positives are hidden",
        description="Estimate the share of positives of a table, or as a model has it, with an "
        "interval and whether the table can tell it.",
    )
    prior.add_argument("table", metavar="MODEL|TABLE", help=f"{_MODEL}, or {_TABLE}")
    _add_roles(prior, required=False)
    _add_reading(prior)
    prior.add_argument("--method", default="focused-fast", metavar="NAME", help="(%(default)s)")
    _add_belief(prior)
    _add_jobs(prior)
    add_seed(prior)
    _add_json(prior)
    add_quiet(prior)
    prior.set_defaults(run=run.tell_prior)


def _add_compare(commands: Any) -> None:
    compare = commands.add_parser(
        "compare",
        help="compare methods on a table, without negatives",
        description="Compare methods by how they rank labeled rows that they have not seen, on "
        "the same folds, the naive baseline among them.",
    )
    compare.add_argument("table", metavar="TABLE", help=_TABLE)
    _add_roles(compare)
    _add_reading(compare)
    compare.add_argument(
        "--methods",
        type=as_words,
        default=_COMPARED,
        metavar="NAMES",
        help=f"with commas ({','.join(_COMPARED)})",
    )
    compare.add_argument("--prior", type=float, metavar="P", help="share of positives")
    compare.add_argument("--folds", type=as_count, default=5, metavar="N", help="(%(default)s)")
    _add_jobs(compare)
    add_seed(compare)
    _add_json(compare)
    add_quiet(compare)
    compare.set_defaults(run=run.compare_methods)


def _add_roles(command: Any, required: bool = True) -> None:
    command.add_argument(
        "--label", required=required, metavar="COL", help="column of the labels"
    )
    command.add_argument(
        "--positive", metavar="VALUE", help="its value for positives (1, true)"
    )
    command.add_argument(
        "--negative", metavar="VALUE", help="its value for reviewed negatives (-1)"
    )
    command.add_argument("--id", metavar="COL", help="column that names rows (their number)")
    command.add_argument(
        "--group", metavar="COL", help="column of what belongs together, such as a customer"
    )
    drop: Any = {"action": "append", "default": [], "metavar": "COLS"}
    command.add_argument("--drop", **drop, help="columns to ignore, with commas or one by one")


def _add_reading(command: Any, types: bool = True) -> None:
    if types:
        command.add_argument(
            "--type",
            type=as_assignment,
            action="append",
            default=[],
            metavar="COL=KIND",
            help="number, boolean, category, date, text, id or drop, where the guess is wrong",
        )
        command.add_argument("--decimal", choices=(".", ","), help="of numbers (as found)")
        command.add_argument(
            "--day-first",
            type=as_yes_or_no,
            metavar="yes|no",
            help="whether 1/2/25 is the first of February (as found)",
        )
    command.add_argument("--sep", metavar="CHAR", help="separator of a text table (as found)")
    command.add_argument("--encoding", metavar="NAME", help="of a text table (as found)")
    command.add_argument("--sheet", metavar="NAME", help="of an Excel file (the first)")


def _add_method(command: Any) -> None:
    command.add_argument("--method", metavar="NAME", help="(focused)")
    command.add_argument(
        "--prior", type=float, metavar="P", help="share of positives, if known"
    )
    _add_belief(command)
    _add_jobs(command)
    add_seed(command)


def _add_belief(command: Any) -> None:
    command.add_argument(
        "--label-frequency",
        type=float,
        metavar="SHARE",
        help="what you believe of the share of the positives that are labeled, such as 0.05 "
        "(a weak belief in half)",
    )


def _add_dask(command: Any) -> None:
    command.add_argument(
        "--dask",
        metavar="ADDRESS|local",
        help="on Dask: TABLE is a folder of parquet files, the method focused-xgb unless "
        "named, and a ranking a folder without reasons",
    )


def _add_jobs(command: Any) -> None:
    command.add_argument("--jobs", type=as_jobs, default=-1, metavar="N", help="threads (all)")


def _add_json(command: Any) -> None:
    command.add_argument("--json", action="store_true", help="say it as JSON")
