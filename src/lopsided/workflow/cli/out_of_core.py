"""`fit` and `rank` for folders of parquet files that are larger than memory."""

import argparse
import json
from collections.abc import Callable
from typing import Any

from lopsided._terminal import print_result, say
from lopsided.workflow.cli.parsing import read_belief

__all__ = ["add_out_of_core", "check_in_memory", "fit_files", "rank_files"]

_ONLY_IN_MEMORY = ("group", "type", "decimal", "day_first", "sep", "encoding", "sheet")


def add_out_of_core(command: Any) -> None:
    """Add the options for tables larger than memory."""
    command.add_argument(
        "--out-of-core",
        action="store_true",
        help="TABLE is a folder of parquet files, read in batches: for tables larger than "
        "memory, columns as they are (method: ifpu-xgb)",
    )
    command.add_argument(
        "--checkpoint",
        metavar="FOLDER",
        help="with --out-of-core or --dask: keep the trees there every 10 rounds, and go on "
        "from them",
    )


def check_in_memory(options: argparse.Namespace) -> None:
    """Refuse options of --out-of-core without it."""
    if options.checkpoint is not None:
        raise ValueError(
            "--checkpoint goes with --out-of-core or --dask, got it alone. Leave it out, or "
            "add one of them for a folder of parquet files."
        )


def fit_files(options: argparse.Namespace) -> None:
    """Learn from parquet files and write the model."""
    from lopsided._files import check_writable
    from lopsided.store import save

    check_writable(options.output)
    model = _fit(options, options.table)
    save(model, options.output)
    facts = {"model": options.output, "prior": model.prior_}
    _tell(
        options,
        facts,
        lambda: f"Prior {model.prior_:.3g}. Written to {options.output}.",
    )


def rank_files(options: argparse.Namespace, models: list[str], table: str) -> None:
    """Rank the unlabeled rows of parquet files, by a model or by their own labels."""
    from lopsided._files import check_writable
    from lopsided.out_of_core import rank_parquet
    from lopsided.workflow.tables.parquet_folders import check_outside

    if options.output is None or not options.output.endswith((".parquet", ".pq")):
        raise ValueError(
            f"--out-of-core writes a parquet file, got {options.output or 'no name'}. Name one "
            "by -o, such as ranked.parquet."
        )
    if options.spreadsheet_safe:
        raise ValueError(
            "--spreadsheet-safe is for lists that spreadsheets open, got it with "
            "--out-of-core, which writes a parquet file. Leave out one of the two."
        )
    check_outside(check_writable(options.output), table)
    model = _load(models[0]) if models else _fit(options, table)
    found = rank_parquet(
        model,
        table,
        options.output,
        keep=[] if options.id is None else [options.id],
        label=options.label,
        positive=options.positive,
        negative=options.negative,
        top=options.top,
    )
    facts = {"written": options.output, "rows": found.n_written, "sorted": found.n_exact}
    _tell(options, {**facts, "rank_error": found.rank_error}, lambda: str(found))


def _fit(options: argparse.Namespace, source: str) -> Any:
    from lopsided.out_of_core import Checkpoint, fit_parquet
    from lopsided.priors.registry import choose_prior

    for name in _ONLY_IN_MEMORY:
        if getattr(options, name) not in (None, []):
            raise ValueError(
                f"--{name.replace('_', '-')} is for tables in memory, got it with "
                "--out-of-core. Leave out one of the two."
            )
    return fit_parquet(
        source,
        options.label,
        options.method or "ifpu-xgb",
        drop=_list_dropped(options, source),
        positive=options.positive,
        negative=options.negative,
        prior=choose_prior(options.prior, read_belief(options)),
        checkpoint=None if options.checkpoint is None else Checkpoint(options.checkpoint),
        n_jobs=options.jobs,
        random_state=options.seed,
    )


def _list_dropped(options: argparse.Namespace, source: str) -> list[str]:
    """Return the columns not to learn from; one may have a comma in its name."""
    from lopsided.workflow.tables.columns import find_columns
    from lopsided.workflow.tables.parquet_files import find_parquet

    names = find_parquet(source).schema.names
    return [*([] if options.id is None else [options.id]), *find_columns(options.drop, names)]


def _load(path: str) -> Any:
    from lopsided.store import load

    model = load(path)
    if not hasattr(model, "decision_function"):
        raise ValueError(
            f"{path} must hold a model of lopsided fit --out-of-core, got one of a table in "
            "memory. Rank by it without --out-of-core, or fit another."
        )
    return model


def _tell(
    options: argparse.Namespace, facts: dict[str, Any], sentence: Callable[[], str]
) -> None:
    if options.json:
        print_result(json.dumps(facts))
    elif not options.quiet:
        say(sentence())
