"""A table's way through check, fit, rank and what comes after, and what must hold of it."""

import contextlib
import csv
import io
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import lopsided
from attacks.sentences import check_said, check_sentence
from attacks.user_tables import Recipe, UserTable, make_table
from attacks.verdicts import Finding
from lopsided.exceptions import FindingWarning, PriorWarning
from lopsided.workflow.cli import main
from lopsided.workflow.ranked import name_row_labels
from lopsided.workflow.report import write_table_report
from lopsided.workflow.tables import read_frame

__all__ = ["Ending", "travel"]

HEAD = ["rank", "id", "score", "probability", "reasons"]


class Ending(NamedTuple):
    """How a journey ended: "result", or "sentence" with what was said and at which step."""

    verdict: str
    step: str = ""
    said: str = ""


class _Refused(Exception):
    def __init__(self, step: str, said: str):
        super().__init__(said)
        self.ending = Ending("sentence", step, said)


def travel(recipe: Recipe, folder: Path) -> Ending:
    """Take a table to its end; raise a `Finding` for anything but a result or a sentence.

    Parameters
    ----------
    recipe : Recipe
        The table, and what is done with it.
    folder : path
        An empty folder for files.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        table = make_table(recipe)
        path = None if recipe.way == "frame" else _write(table.frame, recipe, folder)
        warnings.simplefilter("always")
        try:
            if path is None:
                ending = _by_calls(recipe, table, table.frame, folder)
            elif recipe.way == "file":
                ending = _by_calls(recipe, table, path, folder)
            else:
                ending = _by_commands(recipe, table, path, folder)
        except _Refused as refused:
            ending = refused.ending
    for one in caught:
        if one.category not in (UserWarning, PriorWarning, FindingWarning):
            place = f"{Path(one.filename).name}:{one.lineno}"
            raise Finding("wrong", f"{one.category.__name__}: {one.message} (at {place})")
        check_sentence(str(one.message))
    if ending.verdict == "sentence" and _is_plain(recipe, table):
        raise Finding("wrong", f"a plain table is refused: {ending.said}")
    return ending


def _write(frame: Any, recipe: Recipe, folder: Path) -> Path | None:
    """Write the table as its owner would; None if that cannot be done."""
    path = folder / ("table.csv" if recipe.file == ".semicolon" else f"table{recipe.file}")
    try:
        if recipe.file == ".parquet":
            frame.to_parquet(path)
        elif recipe.file == ".semicolon":
            frame.to_csv(path, index=False, sep=";", decimal=",")
        else:
            frame.to_csv(path, index=False, sep="\t" if recipe.file == ".tsv" else ",")
    except Exception:  # what pandas cannot write is nobody's file
        return None
    return path


def _is_plain(recipe: Recipe, table: UserTable) -> bool:
    """Say whether there is nothing to refuse in a table."""
    kinds = {kind for _, kind in recipe.columns}
    names = [str(name) for name in table.frame.columns]
    return (
        table.y is not None
        and (table.y == 1).sum() >= 2
        and (table.y == 0).sum() >= 2
        and "numbers" in kinds
        and "complex" not in kinds
        and not recipe.options
        and recipe.group is None
        and len(set(names)) == len(names)
        and recipe.label_name == "label"
        and not recipe.steps
    )


def _call(step: str, function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Return what a function does, or end the journey with the sentence it refuses by."""
    try:
        return function(*args, **options)
    except Exception as error:
        raise _Refused(step, check_sentence(error)) from error


def _by_calls(recipe: Recipe, table: UserTable, source: Any, folder: Path) -> Ending:
    before = _spell(table.frame)
    roles, told = dict(table.roles), ""
    try:
        found = _call("check", lopsided.check, source, **roles, n_jobs=1)
        json.dumps(found.to_dict()), str(found)
    except _Refused as refused:
        told = refused.ending.said
    given = {"prior": recipe.options["prior"]} if "prior" in recipe.options else {}
    options = {"method": recipe.method, "n_jobs": 1, **roles, **given}
    model = _call("fit", lopsided.fit, source, **options)
    if told:
        raise Finding("wrong", f"check refuses what fit takes: {told}")
    json.dumps(model.to_dict()), repr(model), model.describe()
    rows = np.random.default_rng(recipe.seed)
    reasons = [0, 3, None][rows.integers(3)]
    ranking = _call("rank", model.rank, source, reasons=reasons)
    frame = read_frame(source)
    _check_ranking(ranking, model, frame, table.y)
    if _spell(table.frame) != before:
        raise Finding("wrong", "the table itself was changed")
    if ranking.columns.duplicated().any():
        raise Finding("wrong", "two columns of a ranking have one name")
    for step in sorted(recipe.steps):
        _STEPS[step](recipe, table, source, model, ranking, folder)
    return Ending("result")


def _check_ranking(ranking: Any, model: Any, frame: Any, y: Any) -> None:
    """See that all unlabeled rows are there, and no other, in order and as they were."""
    n = len(ranking)
    if list(ranking.columns[:5]) != HEAD or ranking["rank"].tolist() != list(range(1, n + 1)):
        raise Finding("wrong", f"ranks {ranking['rank'].tolist()[:5]} of {n} rows")
    scores = ranking["score"].to_numpy(float)
    if not np.isfinite(scores).all() or (np.diff(scores) > 0).any():
        raise Finding("wrong", f"scores {scores[:5]}")
    chances = ranking["probability"].to_numpy(float)
    fine = (chances >= 0) & (chances <= 1)
    if not (fine.all() or np.isnan(chances).all()) or (np.diff(chances) > 1e-12).any():
        raise Finding("wrong", f"probabilities {chances[:5]}")
    order = model.score(frame).order
    if y is not None and sorted(order) != list(np.flatnonzero(y == 0)):
        raise Finding("wrong", f"{len(order)} rows are ranked, {(y == 0).sum()} are unlabeled")
    own = frame.drop(columns=[model.roles.id]) if model.roles.id is not None else frame
    n_labels = len(name_row_labels(frame))
    if _spell(ranking.iloc[:, 5 + n_labels :]) != _spell(own.iloc[order]):
        raise Finding("wrong", "cells of ranked rows are not those of the table")


def _spell(frame: Any) -> list[list[str]]:
    return [list(map(repr, column)) for _, column in frame.items()]


def _rank_again(
    recipe: Recipe, table: UserTable, source: Any, model: Any, ranking: Any, folder: Path
) -> None:
    given = {"prior": recipe.options["prior"]} if "prior" in recipe.options else {}
    options = {"method": recipe.method, "n_jobs": 1, **table.roles, **given}
    again = _call("rank", lopsided.rank, source, **options)
    top = _call("rank", model.rank, source, top=3, reasons=0)
    if not np.array_equal(again["score"], ranking["score"]):
        raise Finding("wrong", "a second fit has other scores")
    if _spell(top.drop(columns="reasons")) != _spell(ranking.head(3).drop(columns="reasons")):
        raise Finding("wrong", "the first rows are others if only they are asked for")
    again._repr_html_()


def _explain(
    recipe: Recipe, table: UserTable, source: Any, model: Any, ranking: Any, folder: Path
) -> None:
    if not len(ranking):
        return
    found = _call("explain", model.explain, source, ranking["id"].iloc[0])
    added = found.base + sum(one.contribution for one in found.reasons)
    if not np.isclose(added, found.model_score, atol=1e-6 * max(1, abs(added))):
        raise Finding("wrong", f"reasons add up to {added}, the score is {found.model_score}")
    json.dumps(found.to_dict()), str(found)


def _store(
    recipe: Recipe, table: UserTable, source: Any, model: Any, ranking: Any, folder: Path
) -> None:
    path = folder / "model.lop"
    _call("save", model.save, path)
    again = _call("load", lopsided.load, path).rank(source)
    if not np.array_equal(again["score"], ranking["score"]):
        raise Finding("wrong", "a model that was stored has other scores")


def _next_month(
    recipe: Recipe, table: UserTable, source: Any, model: Any, ranking: Any, folder: Path
) -> None:
    other = make_table(recipe, month=1).frame
    other.columns = [str(name) for name in other.columns]
    rng = np.random.default_rng(recipe.seed)
    if rng.random() < 0.5:
        other = other.drop(columns=table.roles["label"])
    if rng.random() < 0.5:
        other = other[rng.permutation(list(other.columns))]
    if rng.random() < 0.3 and len(other.columns) > 2:
        other = other.drop(columns=[other.columns[0]])
    ranked = _call("next month", model.rank, other, reasons=3)
    scores = ranked["score"].to_numpy(float)
    if not np.isfinite(scores).all() or (np.diff(scores) > 0).any():
        raise Finding("wrong", f"scores of the next month {scores[:5]}")


def _feed_back(
    recipe: Recipe, table: UserTable, source: Any, model: Any, ranking: Any, folder: Path
) -> None:
    if not len(ranking):
        return
    rng = np.random.default_rng(recipe.seed)
    reviewed = pd.DataFrame(ranking).head(int(rng.integers(1, 9)))
    verdicts = _verdicts(rng, len(reviewed))
    reviewed = reviewed.assign(**{"my verdict": verdicts})
    second = _call("feedback", model.feedback, reviewed, verdict="my verdict", n_jobs=1)
    n_decided = sum(one != "" for one in verdicts)
    if len(second.training) != len(model.training):
        raise Finding("wrong", "reviewed rows of training are not known again")
    if second.count_labels()[0] != model.count_labels()[0] - n_decided:
        raise Finding("wrong", f"{n_decided} verdicts change {second!r} from {model!r}")
    left = _call("rank", second.rank, source, reasons=1)
    if len(left) != len(ranking) - n_decided:
        raise Finding("wrong", f"{len(left)} rows are left of {len(ranking)} after {n_decided}")
    _check_ranking(left, second, read_frame(source), None)


def _verdicts(rng: Any, n: int) -> list[str]:
    verdicts = rng.choice(["1", "-1", ""], n).tolist()
    verdicts[0] = str(rng.choice(["1", "-1"]))
    return verdicts


def _report(
    recipe: Recipe, table: UserTable, source: Any, model: Any, ranking: Any, folder: Path
) -> None:
    if recipe.seed % 12:  # it takes long
        return
    page = _call("report", write_table_report, model, source, folder / "r.html", n_jobs=1)
    if "<html" not in page.read_text(encoding="utf-8"):
        raise Finding("wrong", "a report is no page")


_STEPS: dict[str, Callable[..., None]] = {
    "again": _rank_again,
    "explain": _explain,
    "store": _store,
    "next month": _next_month,
    "feedback": _feed_back,
    "report": _report,
}


def _by_commands(recipe: Recipe, table: UserTable, path: Path, folder: Path) -> Ending:  # noqa: C901
    words = [
        f"--{role}={value}"
        for role, value in table.roles.items()
        if role not in ("types", "drop")
    ]
    words += [f"--type={name}={kind}" for name, kind in table.roles.get("types", {}).items()]
    words += [f"--drop={name}" for name in table.roles.get("drop", ())]
    rng = np.random.default_rng(recipe.seed)
    jobs, model = ["--jobs", "1"], str(folder / "model.lop")
    as_json = ["--json"] if rng.random() < 0.3 else []
    strict = ["--strict"] if rng.random() < 0.3 else []
    checked, told = _run("check", [str(path), *words, *jobs, *as_json, *strict], bool(strict))
    if not checked and as_json:
        json.loads(told)
    method = ["--method", recipe.method]
    if "prior" in recipe.options:
        method.append(f"--prior={recipe.options['prior']}")
    _must("fit", [str(path), *words, *method, *jobs, *as_json, "-o", model])
    if checked == 2:
        raise Finding("wrong", f"check refuses what fit takes: {told}")
    if rng.random() < 0.5:
        shown = _must("rank", [model, str(path), "--reasons", "3"])
    else:
        _must("rank", [model, str(path), "-o", str(folder / "ranked.csv")])
        shown = (folder / "ranked.csv").read_text(encoding="utf-8-sig")
    rows = _read_list(shown)
    if table.y is not None and len(rows) != (table.y == 0).sum():
        raise Finding("wrong", f"{len(rows)} rows of {(table.y == 0).sum()} are ranked")
    if [row["rank"] for row in rows] != [str(place + 1) for place in range(len(rows))]:
        raise Finding("wrong", "ranks do not count")
    if "explain" in recipe.steps and rows:
        _must("explain", [model, str(path), f"--row={rows[0]['id']}", *as_json])
    if "again" in recipe.steps:
        alone = _must("rank", [str(path), *words, *method, *jobs, "-q", "--reasons", "3"])
        if [row["score"] for row in _read_list(alone)] != [row["score"] for row in rows]:
            raise Finding("wrong", "a table alone is ranked in another way than by its model")
    if "feedback" in recipe.steps and rows:
        _review(rows, rng, model, folder)
    if "report" in recipe.steps and recipe.seed % 12 == 0:
        _must("report", [model, str(path), *jobs, "-o", str(folder / "report.html")])
    return Ending("result")


def _read_list(text: str) -> list[Any]:
    """Return the rows of a list, which is separated as its table is."""
    separator = text.removeprefix("rank")[:1]
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=separator))


def _review(rows: list[Any], rng: Any, model: str, folder: Path) -> None:
    some = rows[: int(rng.integers(1, 9))]
    for row, verdict in zip(some, _verdicts(rng, len(some)), strict=True):
        row["my verdict"] = verdict
    with open(folder / "reviewed.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(some[0]))
        writer.writeheader()
        writer.writerows(some)
    words = [model, str(folder / "reviewed.csv"), "--verdict=my verdict", "--jobs", "1"]
    before = lopsided.load(model)
    told = json.loads(_must("feedback", [*words, "--json", "-o", str(folder / "second.lop")]))
    n_decided = sum(row["my verdict"] != "" for row in some)
    if sum(told["rows"].values()) != len(before.training):
        raise Finding("wrong", "reviewed rows of training are not known again")
    if told["rows"]["unlabeled"] != before.count_labels()[0] - n_decided:
        raise Finding("wrong", f"{n_decided} verdicts give {told['rows']}")


def _must(command: str, words: list[str]) -> str:
    """Return what a command prints, or end the journey with what it refuses by."""
    code, shown = _run(command, words, False)
    if code:
        raise _Refused(command, shown)
    return shown


def _run(command: str, words: list[str], strict: bool) -> tuple[int, str]:
    """Return the exit code of a command and what it prints, a refusal if the code is 2."""
    out, err = io.StringIO(newline=""), io.StringIO(newline="")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main([command, *words])
        except SystemExit as ended:  # by the parser
            code = int(ended.code or 0)
        except Exception as error:
            raise Finding("traceback", f"{command}: {error!r}"[:400]) from error
    said = err.getvalue()
    if code == 2:
        return 2, check_said(said)
    if code != 0 and not (code == 1 and strict):
        raise Finding("wrong", f"{command} ends with {code}: {said[-200:]}")
    return code, out.getvalue()
