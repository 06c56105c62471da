"""What the commands about a table do: check, fit, rank, explain, report and others."""

import argparse
import json
import os
import re
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from lopsided._files import check_new_file, check_readable
from lopsided._terminal import is_terminal, print_result, say, show_in_line
from lopsided.exceptions import FindingWarning, PriorWarning
from lopsided.workflow.cli.dask_commands import fit_on_dask, rank_on_dask
from lopsided.workflow.cli.out_of_core import check_in_memory, fit_files, rank_files
from lopsided.workflow.cli.parsing import read_belief
from lopsided.workflow.cli.running import name_options

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


_TABLE_NAME = re.compile(
    r"\.(csv|tsv|txt|parquet|pq|feather|arrow|xlsx|xlsm|xls)(\.(gz|bz2|xz|zip))?$",
    re.IGNORECASE,
)
_ROLES = ("label", "positive", "negative", "id", "group", "drop", "decimal", "day_first")


def _read(options: argparse.Namespace, path: str) -> Any:
    """Return a table of the command line, read as its options say."""
    return _read_with_format(options, path)[0]


def _read_with_format(options: argparse.Namespace, path: str) -> tuple[Any, Any]:
    """Return it with how it is written, if it is text."""
    from lopsided.workflow.tables import read_with_format

    source = "/dev/stdin" if path == "-" else path
    return read_with_format(source, options.sep, options.encoding, options.sheet)


def _load(path: str) -> Any:
    from lopsided.workflow.model import load_table_model

    return load_table_model(path)


def _check_paths(table: str | None, model: str | None = None) -> None:
    """Raise an error now, before anything heavy is imported, if there is nothing to read."""
    if model is not None:
        wanted = "Give the name of one that lopsided fit wrote."
        check_readable(model, "model file", wanted)
        if os.path.isfile(model) and _TABLE_NAME.search(model):
            raise ValueError(
                f"The model must come before the table, got the table {model} there."
            )
    if table is not None and table != "-":
        check_readable(table)


def _roles(options: argparse.Namespace) -> dict[str, Any]:
    return {**{name: getattr(options, name) for name in _ROLES}, "types": dict(options.type)}


def check_table(options: argparse.Namespace) -> int:
    """Say what a table holds and what will hurt."""
    _check_paths(options.table)
    from lopsided.workflow.check import check

    found = check(_read(options, options.table), n_jobs=options.jobs, **_roles(options))
    _tell(options, found, found.to_dict)
    return 1 if options.strict and found.problems else 0


def fit_table(options: argparse.Namespace) -> None:
    """Learn from a table and write the model."""
    _check_model_name(options.output)
    if options.dask is not None:
        return fit_on_dask(options)
    if options.out_of_core:
        return fit_files(options)
    check_in_memory(options)
    _check_paths(options.table)
    _check_output(options.output, options.table)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PriorWarning)  # `describe` says it
        model = _fit_frame(options, _read(options, options.table))
    model.save(options.output)
    _tell_model(options, model)


def _fit_frame(options: argparse.Namespace, frame: Any) -> Any:
    from lopsided.workflow.fitting import fit

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FindingWarning)  # `_warn` says it
        return fit(
            frame,
            method=options.method or "focused",
            prior=options.prior,
            label_frequency=read_belief(options),
            n_jobs=options.jobs,
            random_state=options.seed,
            **_roles(options),
        )


def rank_table(options: argparse.Namespace) -> None:
    """Rank a table, by a model or by its own labels."""
    models, table = _split_words(options)
    if options.dask is not None:
        return rank_on_dask(options, models, table)
    if options.out_of_core:
        return rank_files(options, models, table)
    check_in_memory(options)
    _check_paths(table, *models)
    from lopsided.workflow.tables import check_output, escape_formulas, write_table

    reasons = _count_reasons(options.reasons)
    output = None if options.output == "-" else options.output
    if output is not None:
        check_output(output, *options.words)
    if models:
        model = _load(models[0])
    frame, found = _read_with_format(options, table)
    form = _choose_format(options, table, found)
    if not models:
        model = _fit_frame(options, frame)
        _warn(options, model)
    ranking = model.rank(frame, top=options.top, reasons=reasons)
    summary = ranking.summary
    if options.spreadsheet_safe:
        ranking = escape_formulas(ranking)
    if output is not None:
        write_table(ranking, output, form)
        if options.json:
            print_result(json.dumps({"written": output, "rows": len(ranking)}))
    elif options.json:
        print_result(ranking.to_json(orient="records", date_format="iso", double_precision=15))
    else:
        _print_list(ranking, form)
    if not options.quiet:
        say(summary + (f" Written to {output}." if output else ""))


def _print_list(ranking: Any, form: Any) -> None:
    """Print a list with the cells that it has; on a terminal each row takes one line."""
    from lopsided.workflow.tables import format_csv, map_texts

    if is_terminal():
        ranking = map_texts(ranking, show_in_line)
    print_result(format_csv(ranking, form), end="", exact=True)


def _choose_format(options: argparse.Namespace, table: str, found: Any) -> Any:
    """Return how a list is written as text: as its table is, unless an option says otherwise.

    A table with tabs by its name becomes a list with commas, if that is what its name says.
    """
    from lopsided.workflow.tables import TextFormat

    if found is None or ".tsv" in os.path.basename(table).lower():
        found = TextFormat(decimal=found.decimal if found else ".")
    if options.out_sep is None:
        return found
    if len(options.out_sep) != 1:
        raise ValueError(f"--out-sep must be one character, got {options.out_sep!r}.")
    decimal = "." if options.out_sep == "," else found.decimal
    return found._replace(separator=options.out_sep, decimal=decimal)


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
            for name in (*_ROLES, "type", "method", "prior", "label_frequency")
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
    _check_paths(options.table, options.model)
    model = _load(options.model)
    found = model.explain(_read(options, options.table), options.row)
    _tell(options, found, found.to_dict)


def report_ranking(options: argparse.Namespace) -> object:
    """Write the page on a model and its list."""
    _check_paths(options.table, options.model)
    from lopsided.report.page import check_page
    from lopsided.report.ranking_page import write_ranking_report
    from lopsided.workflow.report import summarize_ranking

    check_page(options.output)
    summary = summarize_ranking(
        _load(options.model),
        _read(options, options.table),
        title=options.title,
        source="standard input" if options.table == "-" else options.table,
        rivals=options.rival,
        n_jobs=options.jobs,
    )
    return write_ranking_report(_name_options(summary), options.output)


def _name_options(summary: Any) -> Any:
    """Return a page's notes with options where they name parameters."""
    notes = tuple(replace(one, text=name_options(one.text)) for one in summary.warnings)
    prior = summary.prior
    if prior is not None:
        prior = replace(prior, sentence=name_options(prior.sentence))
    return replace(summary, warnings=notes, prior=prior)


def learn_from_feedback(options: argparse.Namespace) -> None:
    """Learn from reviews and write the new model."""
    _check_paths(options.reviewed, options.model)
    _check_model_name(options.output)
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
    _check_paths(options.table)
    belief = read_belief(options)
    if options.label is None:
        model = _load(options.table)
    else:
        options.prior = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PriorWarning)  # it is the answer here
            model = _fit_frame(options, _read(options, options.table))
    found = model.prior_estimate(label_frequency=belief)
    if found is None:
        raise ValueError(
            f"{options.table} has no estimate of the prior: it was given, or no row is labeled."
        )
    _tell(options, found, lambda: vars(found))
    believed = model.label_frequency if belief is None else belief
    if believed is None and not (found.identified or options.quiet):
        say(
            "note: half of the positives are believed to be labeled. Say what you know of that "
            "share by --label-frequency, or of the prior by --prior of lopsided fit."
        )


def compare_methods(options: argparse.Namespace) -> None:
    """Compare methods on a table."""
    _check_paths(options.table)
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
    target = check_new_file(output)
    if target.exists() and os.path.exists(source) and os.path.samefile(target, source):
        raise ValueError(f"{output} is the table itself. Write to another file.")


def _check_model_name(output: str) -> None:
    """Refuse the name of a table for a model: another command would read it as one."""
    if ending := _TABLE_NAME.search(output):
        raise ValueError(
            f"{output} is the name of a table, and a model is written. Replace {ending[0]} by "
            "another ending, such as .lop."
        )


def _tell(options: argparse.Namespace, found: object, to_dict: Callable[[], Any]) -> None:
    told = json.dumps(to_dict(), indent=2) if options.json else str(found)
    print_result(name_options(told))


def _tell_model(options: argparse.Namespace, model: Any) -> None:
    """Say what a model has learned, and where it is."""
    if options.json:
        told = json.dumps({"model": options.output, **model.to_dict()}, indent=2)
        print_result(name_options(told))
        return
    _warn(options, model)
    if not options.quiet:
        say(f"{model.describe()}\nWritten to {options.output}.")


def _warn(options: argparse.Namespace, model: Any) -> None:
    """Say what was found in the table of a model that may hurt."""
    if not options.quiet:
        for one in model.findings:
            say(name_options(f"{one.level}: {one}"))
