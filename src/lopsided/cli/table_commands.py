"""What the commands about a table do: check, fit, rank, explain, report and others."""

import argparse
import json
import os
import warnings
from collections.abc import Callable
from typing import Any

from lopsided._terminal import print_result, say
from lopsided.cli.dask_commands import fit_on_dask, rank_on_dask
from lopsided.cli.out_of_core import check_in_memory, fit_files, rank_files
from lopsided.exceptions import PriorWarning

__all__ = [
    "check_table",
    "compare_methods",
    "explain_row",
    "fit_table",
    "learn_from_feedback",
    "rank_table",
    "report_ranking",
    "tell_prior",
]


_ROLES = ("label", "positive", "negative", "id", "group", "drop", "decimal", "day_first")


def _read(options: argparse.Namespace, path: str) -> Any:
    """Return a table of the command line, read as its options say."""
    from lopsided.tables import read_table

    return read_table(
        "/dev/stdin" if path == "-" else path,
        separator=options.sep,
        encoding=options.encoding,
        sheet=options.sheet,
    )


def _load(path: str) -> Any:
    from lopsided.workflow.model import load_table_model

    if os.path.isfile(path) and path.endswith((".csv", ".tsv", ".parquet", ".xlsx", ".gz")):
        raise ValueError(f"The model must come before the table, got the table {path} there.")
    return load_table_model(path)


def _roles(options: argparse.Namespace) -> dict[str, Any]:
    return {**{name: getattr(options, name) for name in _ROLES}, "types": dict(options.type)}


def check_table(options: argparse.Namespace) -> int:
    """Say what a table holds and what will hurt."""
    from lopsided.workflow.check import check

    found = check(_read(options, options.table), n_jobs=options.jobs, **_roles(options))
    _tell(options, found, found.to_dict)
    return 1 if options.strict and found.problems else 0


def fit_table(options: argparse.Namespace) -> None:
    """Learn from a table and write the model."""
    if options.dask is not None:
        return fit_on_dask(options)
    if options.out_of_core:
        return fit_files(options)
    check_in_memory(options)
    _check_output(options.output, options.table)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PriorWarning)  # `describe` says it
        model = _fit_frame(options, _read(options, options.table))
    model.save(options.output)
    _tell_model(options, model)


def _fit_frame(options: argparse.Namespace, frame: Any) -> Any:
    from lopsided.workflow.fitting import fit

    return fit(
        frame,
        method=options.method or "focused",
        prior=options.prior,
        n_jobs=options.jobs,
        random_state=options.seed,
        **_roles(options),
    )


def rank_table(options: argparse.Namespace) -> None:
    """Rank a table, by a model or by its own labels."""
    from lopsided.tables import check_output, format_csv, write_table

    models, table = _split_words(options)
    if options.dask is not None:
        return rank_on_dask(options, models, table)
    if options.out_of_core:
        return rank_files(options, models, table)
    check_in_memory(options)
    reasons = _count_reasons(options.reasons)
    output = None if options.output == "-" else options.output
    if output is not None:
        check_output(output, *options.words)
    if models:
        model, frame = _load(models[0]), _read(options, table)
    else:
        frame = _read(options, table)
        model = _fit_frame(options, frame)
        _warn(options, model)
    ranking = model.rank(frame, top=options.top, reasons=reasons)
    if output is not None:
        write_table(ranking, output)
        if options.json:
            print_result(json.dumps({"written": output, "rows": len(ranking)}))
    elif options.json:
        print_result(ranking.to_json(orient="records", date_format="iso", double_precision=15))
    else:
        print_result(format_csv(ranking), end="")
    if not options.quiet:
        say(ranking.summary + (f" Written to {output}." if output else ""))


def _split_words(options: argparse.Namespace) -> tuple[list[str], str]:
    """Return the model, if there is one, and the table."""
    words = options.words
    if len(words) > 2:
        raise ValueError(
            f"A table, or a model and a table, are wanted, got {len(words)} names."
        )
    *models, table = words
    if not models and table.endswith(".lop"):
        raise ValueError(f"A table is wanted after the model {table}, got none.")
    if not models and options.label is None:
        raise ValueError(
            "Either --label must name the column to learn from, or a model must come before "
            "the table, got neither."
        )
    if models and table.endswith(".lop") and not models[0].endswith(".lop"):
        raise ValueError(f"The model must come before the table, got {models[0]} {table}.")
    if models:
        by_parts = options.out_of_core or options.dask is not None
        told = ("label", "positive", "negative", "id") if by_parts else ()
        given = [
            name
            for name in (*_ROLES, "type", "method", "prior")
            if _is_given(options, name) and name not in told
        ]
        if given:
            raise ValueError(
                f"The model {models[0]} knows how its table is read and learned from, got "
                f"--{given[0].replace('_', '-')} as well. Leave out one of the two."
            )
    return models, table


def _is_given(options: argparse.Namespace, name: str) -> bool:
    return getattr(options, name) not in (None, [])


def _count_reasons(text: str) -> int | None:
    if text == "all":
        return None
    if not text.isdecimal():
        raise ValueError(f"--reasons must be a number of rows or all, got {text!r}.")
    return int(text)


def explain_row(options: argparse.Namespace) -> None:
    """Say what each column adds to a row's score."""
    model = _load(options.model)
    found = model.explain(_read(options, options.table), options.row)
    _tell(options, found, found.to_dict)


def report_ranking(options: argparse.Namespace) -> object:
    """Write the page on a model and its list."""
    from lopsided.report.page import check_page
    from lopsided.workflow.report import write_table_report

    if options.table is None:
        raise ValueError(
            f"A table is wanted after the model {options.model}, got none. The report of a "
            "study is written by lopsided bench FOLDER --report."
        )
    check_page(options.output)
    return write_table_report(
        _load(options.model),
        _read(options, options.table),
        options.output,
        title=options.title,
        source="standard input" if options.table == "-" else options.table,
        n_jobs=options.jobs,
    )


def learn_from_feedback(options: argparse.Namespace) -> None:
    """Learn from reviews and write the new model."""
    _check_output(options.output, options.reviewed)
    model = _load(options.model).feedback(
        _read(options, options.reviewed),
        verdict=options.verdict,
        positive=options.positive,
        negative=options.negative,
        n_jobs=options.jobs,
    )
    model.save(options.output)
    _tell_model(options, model)


def tell_prior(options: argparse.Namespace) -> None:
    """Say how many positives are hidden."""
    if options.label is None and not options.table.endswith(".lop"):
        raise ValueError(
            "Either --label must name the column to learn from, or a model (.lop) be given, "
            f"got {options.table} alone."
        )
    if options.label is None:
        found = _load(options.table).prior_estimate()
        if found is None:
            raise ValueError(
                f"{options.table} has no estimate of the prior: it was given, or no row is "
                "labeled."
            )
    else:
        options.prior = None
        found = _fit_frame(options, _read(options, options.table)).prior_estimate()
    _tell(options, found, lambda: vars(found))


def compare_methods(options: argparse.Namespace) -> None:
    """Compare methods on a table."""
    from lopsided.workflow.comparison import compare_on_table

    found = compare_on_table(
        _read(options, options.table),
        methods=options.methods,
        prior=options.prior,
        folds=options.folds,
        n_jobs=options.jobs,
        random_state=options.seed,
        **_roles(options),
    )
    _tell(
        options, found, lambda: json.loads(found.table.reset_index().to_json(orient="records"))
    )


def _check_output(output: str, source: str) -> None:
    """Raise an error now if a model cannot be written later, or must not be."""
    from lopsided._files import check_writable

    target = check_writable(output)
    if target.exists() and os.path.exists(source) and os.path.samefile(target, source):
        raise ValueError(f"{output} is the table itself. Write to another file.")


def _tell(options: argparse.Namespace, found: object, to_dict: Callable[[], Any]) -> None:
    print_result(json.dumps(to_dict(), indent=2) if options.json else found)


def _tell_model(options: argparse.Namespace, model: Any) -> None:
    """Say what a model has learned, and where it is."""
    if options.json:
        print_result(json.dumps({"model": options.output, **model.to_dict()}, indent=2))
        return
    _warn(options, model)
    if not options.quiet:
        say(f"{model.describe()}\nWritten to {options.output}.")


def _warn(options: argparse.Namespace, model: Any) -> None:
    """Say what was found in the table of a model that may hurt."""
    if not options.quiet:
        for one in model.findings:
            say(f"{one.level}: {one}")
