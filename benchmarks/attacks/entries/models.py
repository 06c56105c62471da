"""Models of tables: what users do with them, with tables and arguments of any kind."""

import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

import lopsided
from attacks.drawn import Draw, Entry, arguments
from attacks.entries.values import JUNK, SEEDS, expect
from attacks.user_journeys import travel
from attacks.user_tables import cells, draw_recipe
from attacks.verdicts import Finding, Outcome
from lopsided import datasets
from lopsided.priors import Beta

__all__ = ["ENTRIES", "make_model", "make_table"]

_QUICK = {"method": "naive-logistic", "n_jobs": 1}


@arguments
def _journey_arguments(d: Draw) -> dict[str, Any]:
    d.odd = True  # `travel` knows which tables are plain
    return {"drawn": d(cells()), "seed": d(SEEDS)}


def _attack_journey(drawn: Any, seed: int) -> Outcome:
    recipe = draw_recipe([7, seed], drawn, ways=("frame",))
    small = {"n_rows": min(recipe.n_rows, 30), "method": "naive-logistic"}
    steps = frozenset(sorted(recipe.steps - {"report", "again"})[:1])
    recipe = recipe.__class__(**{**vars(recipe), **small, "steps": steps})
    with tempfile.TemporaryDirectory() as folder:
        try:
            ending = travel(recipe, Path(folder))
        except Finding as found:
            verdict = found.outcome.verdict
            raise Finding(
                "traceback" if verdict == "sentence" else verdict, str(found)
            ) from None
    return Outcome("result" if ending.verdict == "result" else "error", f"x: {ending.said}")


@cache
def make_table() -> Any:
    """Return a small table of claims, of which a fifth is confirmed."""
    table = datasets.make_claims(60, labeled=0.9, random_state=3).table
    return table.assign(status=["confirmed", "", "", "cleared", ""] * 12)


@cache
def make_model() -> Any:
    """Return a model of it, made once."""
    roles = {"positive": "confirmed", "negative": "cleared", "id": "claim_no"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return lopsided.fit(make_table(), "status", **roles, **_QUICK)


@arguments
def _model_arguments(d: Draw) -> dict[str, Any]:
    table = make_table()
    tables = (
        table,
        table[:1],
        table.iloc[::-1],
        table.drop(columns="status"),
        table.assign(extra=1),
    )
    odd = (table[:0], table.drop(columns="amount"), table.to_numpy(), pd.concat([table, table]))
    reviewed = table.assign(verdict=["confirmed", "cleared", "", "", ""] * 12)
    odd_reviewed = (reviewed[:0], table, reviewed.assign(verdict="maybe"))
    return {
        "table": d(st.sampled_from(tables), st.one_of(JUNK, st.sampled_from(odd))),
        "top": d(st.one_of(st.none(), st.integers(1, 99)), JUNK, 0.1),
        "reasons": d(st.one_of(st.none(), st.integers(0, 5)), JUNK, 0.1),
        "row": d(st.just(table["claim_no"][0]), JUNK, 0.2),
        "reviewed": d(st.just(reviewed), st.one_of(JUNK, st.sampled_from(odd_reviewed)), 0.15),
        "verdict": d(st.sampled_from(("verdict", None)), JUNK, 0.15),
        "what": d.one("rank", "rank", "explain", "facts", "feedback"),
    }


def _attack_model(
    table: Any, top: Any, reasons: Any, row: Any, reviewed: Any, verdict: Any, what: str
) -> None:
    model = make_model()
    if what == "rank":
        ranked = model.rank(table, top=top, reasons=reasons)
        _check_ranking(ranked, table, top)
    elif what == "explain":
        found = model.explain(table, row)
        expect(isinstance(str(found), str), f"{found!r}")
    elif what == "feedback":
        options = {"positive": "confirmed", "negative": "cleared"}
        again = model.feedback(reviewed, verdict=verdict, **options, n_jobs=1)
        expect(again.count_labels()[1] >= model.count_labels()[1], "labels were lost")
    else:
        expect(isinstance(model.describe(), str) and model.to_dict(), "no description")
        expect(repr(model).startswith("TableModel("), repr(model))


def _check_ranking(ranked: Any, table: Any, top: Any) -> None:
    frame = ranked.frame if hasattr(ranked, "frame") else ranked
    scores, proba = frame["score"].to_numpy(), frame["probability"].to_numpy()
    expect(np.isfinite(scores).all() and (np.diff(scores) <= 0).all(), f"scores {scores}")
    expect(((proba >= 0) & (proba <= 1)).all(), f"probabilities {proba}")
    expect((np.diff(proba) <= 1e-12).all(), "a larger score is less likely")
    expect((frame["rank"].to_numpy() == np.arange(1, len(frame) + 1)).all(), "ranks")
    ids = frame["id"].tolist()
    expect(set(ids) <= set(table["claim_no"]), "ids that are not in the table")
    expect(top is None or len(frame) <= top, f"{len(frame)} rows of the first {top}")
    if "status" in table and top is None:
        wanted = table["claim_no"][table["status"] == ""].tolist()
        expect(sorted(wanted) == sorted(ids), "not the unlabeled rows are ranked")


@arguments
def _call_arguments(d: Draw) -> dict[str, Any]:
    d.odd = True
    table = d(st.just(make_table()), JUNK, 0.1)
    options = st.sampled_from(
        (
            "positive",
            "negative",
            "id",
            "group",
            "drop",
            "types",
            "decimal",
            "day_first",
            "prior",
            "label_frequency",
        )
    )
    values = st.one_of(JUNK, st.just("claim_no"), st.just(Beta(2, 9)))
    given = d(st.dictionaries(options, values, max_size=2))
    return {
        "function": d.one("fit", "check", "rank"),
        "table": table,
        "label": d(st.just("status"), JUNK, 0.1),
        "options": {"positive": "confirmed", "n_jobs": 1, **given},
        "method": d(st.just("naive-logistic"), JUNK, 0.1),
    }


def _attack_call(
    function: str, table: Any, label: Any, options: dict[str, Any], method: Any
) -> None:
    if function == "check":
        learning = ("prior", "label_frequency")
        options = {name: value for name, value in options.items() if name not in learning}
        found = lopsided.check(table, label, **options)
        expect(isinstance(str(found), str), "nothing was found")
        return
    found = getattr(lopsided, function)(table, label, method=method, **options)
    expect(found is not None, f"{function} gives nothing")


@arguments
def _data_arguments(d: Draw) -> dict[str, Any]:
    groups = st.sampled_from((None, "bundled", "paper", "adbench"))
    return {
        "group": d(groups, JUNK, 0.2),
        "name": d(st.sampled_from(("wine-rare", "digits-8")), JUNK, 0.3),
        "n_rows": d(st.integers(50, 90), JUNK.filter(_is_few), 0.1),
        "labeled": d(st.floats(0, 1, exclude_max=True), JUNK, 0.1),
        "first_day": d(st.sampled_from(("2025-01-01", "1999-12-31")), JUNK, 0.1),
        "seed": d(st.integers(0, 9), JUNK, 0.05),
    }


def _is_few(junk: Any) -> bool:
    return not isinstance(junk, int) or junk < 1000


def _attack_data(
    group: Any, name: Any, n_rows: Any, labeled: Any, first_day: Any, seed: Any
) -> None:
    claims = datasets.make_claims(
        n_rows, labeled=labeled, first_day=first_day, random_state=seed
    )
    expect(len(claims.table) == len(claims.y_true) == n_rows, "other rows")
    confirmed = (claims.table["status"] == "confirmed").to_numpy()
    expect((claims.y_true[confirmed] == 1).all(), "an honest claim is confirmed")
    entry = datasets.describe(name)
    expect(isinstance(entry, datasets.Entry) and entry in datasets.list_entries(), f"{entry}")
    data = datasets.load(name)
    expect(data.X.shape == (entry.rows, entry.features), f"{data!r} of {entry}")
    expect(np.isfinite(data.X).all() and set(data.y_true.tolist()) == {0, 1}, f"{data!r}")
    expect(set(datasets.list_datasets(group)) <= set(datasets.list_datasets()), "other names")


_DATA = ("load", "make_claims", "Claims", "Dataset", "describe", "Entry")
_DATA += ("list_datasets", "list_entries")

ENTRIES = (
    Entry(("fit", "rank", "check", "TableModel"), _journey_arguments, _attack_journey, share=4),
    Entry(("TableModel",), _model_arguments, _attack_model, share=3, errors=(OSError,)),
    Entry(("fit",), _call_arguments, _attack_call, share=2, errors=(OSError,)),
    Entry(
        tuple(f"datasets.{name}" for name in _DATA),
        _data_arguments,
        _attack_data,
        errors=(datasets.DatasetNotFoundError,),
    ),
)
