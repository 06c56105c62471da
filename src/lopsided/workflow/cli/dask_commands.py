"""What `fit` and `rank` do with --dask: folders of parquet files, on a cluster."""

import argparse
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lopsided._terminal import print_result, say
from lopsided.workflow.cli.parsing import read_belief

__all__ = ["fit_on_dask", "rank_on_dask"]

_FILES_ONLY = ("group", "sep", "encoding", "sheet")


def fit_on_dask(options: argparse.Namespace) -> None:
    """Learn from a folder and write the model."""
    from lopsided._files import check_writable
    from lopsided.store import save

    _check_options(options)
    check_writable(options.output)
    with _connect(options) as client:
        model = _fit(options, options.table, client)
    save(model, options.output)
    if options.json:
        told = {"model": options.output, "prior": float(model[-1].prior_)}
        print_result(json.dumps(told, indent=2))
    elif not options.quiet:
        say(f"{model[0].describe()}\nThe prior is {model[-1].prior_:.3g}.")
        say(f"Written to {options.output}.")


def rank_on_dask(options: argparse.Namespace, models: list[str], table: str) -> None:
    """Rank a folder, by a model or by its own labels, into another folder."""
    from lopsided.dask.folders import rank_folder
    from lopsided.dask.ranking_folder import check_ranking_folder
    from lopsided.store import load
    from lopsided.workflow.tables.parquet_folders import check_outside

    _check_options(options)
    _check_written(options)
    if options.output in (None, "-"):
        raise ValueError(
            "With --dask a ranking is a folder of parquet files, got none to write. Name one "
            "by --output."
        )
    check_outside(options.output, table)  # before anything is learned
    check_ranking_folder(options.output)
    model = load(models[0]) if models else None
    if model is not None and not hasattr(model, "steps"):
        raise ValueError(
            "With --dask the model must be one that lopsided fit --dask wrote, got "
            f"{models[0]}."
        )
    with _connect(options) as client:
        if model is None:
            model = _fit(options, table, client)
        roles = _roles(options)
        found = rank_folder(model, table, roles, options.output, client=client, top=options.top)
    if options.json:
        print_result(json.dumps({"written": options.output, "rows": found.n_rows}))
    if not options.quiet:
        say(str(found))


@contextmanager
def _connect(options: argparse.Namespace) -> Iterator[Any]:
    """Give a client; a worker that is lost ends a command in a sentence, like other errors."""
    from lopsided.dask.failures import WorkerLostError
    from lopsided.dask.folders import connect

    with connect(options.dask, options.jobs) as client:
        try:
            yield client
        except WorkerLostError as error:
            raise OSError(str(error).replace("checkpoint=FOLDER", "--checkpoint")) from error


def _check_options(options: argparse.Namespace) -> None:
    if options.out_of_core:
        raise ValueError("--dask and --out-of-core are two ways, got both. Leave out one.")
    given = [name for name in _FILES_ONLY if getattr(options, name) is not None]
    if given:
        raise ValueError(
            f"With --dask the table is a folder of parquet files, got --{given[0]} as well. "
            "Leave out one of the two."
        )


def _check_written(options: argparse.Namespace) -> None:
    """Refuse options of a ranking in one file; 100 reasons are what nobody has asked for."""
    given = ["--out-sep"] if options.out_sep is not None else []
    given += ["--spreadsheet-safe"] if options.spreadsheet_safe else []
    given += ["--reasons"] if options.reasons not in ("100", "0") else []
    if given:
        raise ValueError(
            "With --dask a ranking is a folder of parquet files without reasons, got "
            f"{given[0]}. Leave it out."
        )


def _fit(options: argparse.Namespace, table: str, client: Any) -> Any:
    from lopsided.dask.folders import fit_folder
    from lopsided.priors.registry import choose_prior

    return fit_folder(
        table,
        _roles(options),
        options.method or "focused-xgb",
        client=client,
        prior=choose_prior(options.prior, read_belief(options)),
        types=dict(options.type),
        decimal=options.decimal,
        day_first=options.day_first,
        checkpoint=options.checkpoint,
        random_state=options.seed,
    )


def _roles(options: argparse.Namespace) -> Any:
    from lopsided.dask.folders import FolderRoles

    roles = (options.label, options.positive, options.negative, options.id, options.drop)
    return FolderRoles(*roles)
