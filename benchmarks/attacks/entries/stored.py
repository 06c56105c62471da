"""What outlives a fit: model files, whole and mutated, exported trees, explanations."""

import sys
import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

import lopsided
from attacks.drawn import Draw, Entry, arguments
from attacks.entries.models import make_model, make_table
from attacks.entries.values import JUNK, SEEDS, close, expect
from attacks.verdicts import Finding, Outcome
from lopsided import explain, export

sys.path.insert(0, str(Path(__file__).parents[3] / "tests" / "store"))

__all__ = ["ENTRIES"]


@cache
def _saved() -> tuple[Any, dict[str, tuple[bytes, Any]]]:
    """Return the parts of the tests of model files, and the files of small models."""
    import mutations

    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        known = lopsided.store.KINDS
        files = mutations.make_files(Path(folder), slow=False)
        mutations.watch()
        lopsided.store.KINDS = {**known, **lopsided.store.KINDS}
        return mutations, files


@arguments
def _file_arguments(d: Draw) -> dict[str, Any]:
    d.odd = True
    return {"seed": d(SEEDS)}


def _attack_file(seed: int) -> Outcome:
    mutations, files = _saved()
    path = Path("model.lop")
    case = mutations.mutate(seed, files)
    try:
        verdict = mutations.judge(case, path, files[case.model][1])
    finally:
        path.unlink(missing_ok=True)
    word, _, note = verdict.partition(": ")
    if word not in ("refused", "equal scores", "another model"):
        raise Finding("wrong" if word in ("wrong", "executed") else "traceback", note)
    return Outcome("error" if word == "refused" else "result", f"x: {word}")


@arguments
def _store_arguments(d: Draw) -> dict[str, Any]:
    path = st.sampled_from(("model.lop", Path("model.lop"), "a b.lop"))
    return {
        "model": d(st.sampled_from(("table", "logistic", "forest")), JUNK, 0.2),
        "path": d(
            path, st.one_of(JUNK, st.sampled_from(("", ".", "/no/such/place.lop"))), 0.15
        ),
        "max_bytes": d(st.integers(10**6, 2**31), JUNK, 0.1),
    }


def _attack_store(model: Any, path: Any, max_bytes: Any) -> None:
    names = {"table": make_model, "logistic": _estimator, "forest": lambda: _estimator("puhdt")}
    known = isinstance(model, str) and model in names
    one = names[model]() if known else model
    before = set(Path().iterdir())
    try:
        lopsided.save(one, path)
        again = lopsided.load(path, max_bytes=max_bytes)
        expect(known, f"{model!r} was saved")
        expect(type(again) is type(one), f"a {type(one)} became a {type(again)}")
        table = make_table() if model == "table" else _rows()[0]
        if model == "table":
            same = again.rank(table).equals(one.rank(table))
        else:
            same = np.array_equal(again.decision_function(table), one.decision_function(table))
        expect(same, "a loaded model has other scores")
    finally:
        for file in set(Path().iterdir()) - before:
            file.unlink()


@cache
def _rows() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    return X, (X[:, 0] > 0.8).astype(int)


@cache
def _estimator(name: str = "naive-logistic") -> Any:
    small = {"n_estimators": 4} if name.endswith("xgb") else {}
    return lopsided.build(name, random_state=0, **small).fit(*_rows())


_EXPLAINED = ("naive-logistic", "puhdt", "naive-xgb", "ifpu-xgb")


@arguments
def _explain_arguments(d: Draw) -> dict[str, Any]:
    rows = _rows()[0]
    X = st.sampled_from((rows, rows[:1], rows.tolist(), rows.astype(np.float32)))
    odd = (rows[:, :2], rows[:0], rows * np.nan, rows[0], rows.astype(str), rows * np.inf)
    return {
        "model": d(st.sampled_from(_EXPLAINED), JUNK, 0.05),
        "X": d(X, st.one_of(JUNK, st.sampled_from(odd))),
        "k": d(st.integers(1, 5), JUNK, 0.05),
        "sources": d(st.sampled_from((["a", "a", "b"], ["x", "y", "z"])), JUNK, 0.05),
        "typical": d(st.just([0.1, 0.2, -0.3]), JUNK, 0.05),
    }


def _attack_explain(model: Any, X: Any, k: Any, sources: Any, typical: Any) -> None:
    fitted = isinstance(model, str) and model in _EXPLAINED
    one = _estimator(model) if fitted else model
    found = explain.explain(one, X)
    total = found.base + found.contributions.sum(axis=1)
    expect(close(total, found.scores, 1e-5), "contributions do not add up")
    expect(close(found.scores, one.decision_function(X), 1e-5), "scores of another model")
    for other in (found.grouped(sources), found.centered(typical)):
        gap = other.base + other.contributions.sum(axis=1) - other.scores
        # What is typical may be huge, and takes its last digits from what adds up.
        slack = 1e-5 * (1 + np.abs(other.scores)) + 1e-14 * np.abs(other.contributions).max()
        expect((np.abs(gap) <= slack).all(), f"contributions add up to {gap} more")
    tops = found.top(k)
    expect(all(len(one) <= k for one in tops), f"more than {k} reasons")
    expect((found.mean_absolute() >= 0).all(), "a mean of sizes below 0")
    doubled = found.mapped(lambda scores: 2 * scores)
    expect(close(doubled.scores, 2 * found.scores), "a map was not applied")


@arguments
def _export_arguments(d: Draw) -> dict[str, Any]:
    rows = _rows()[0]
    return {
        "model": d(
            st.sampled_from(("naive-xgb", "ifpu-xgb")), st.one_of(JUNK, st.just("puhdt"))
        ),
        "X": d(st.sampled_from((rows, rows[:2], rows.tolist())), JUNK, 0.1),
        "margins": d(st.lists(st.floats(-50, 50), max_size=5)),
        "path": d(st.just("trees.bin"), st.sampled_from(("", "/no/such/place", 3, None)), 0.1),
    }


def _attack_export(model: Any, X: Any, margins: Any, path: Any) -> None:
    one = _estimator(model) if isinstance(model, str) and "-" in model else model
    rows = export.encode_rows(one, X)
    expect(rows.dtype == np.float32 and rows.shape == np.shape(X), f"{rows.shape} rows")
    scores = export.score_map(one).transform(np.sort(margins))
    expect(np.isfinite(scores).all() and (np.diff(scores) >= 0).all(), f"scores are {scores}")
    expect(isinstance(export.score_map(one), export.ScoreMap), "no map")
    expect(export.to_treelite(one).num_tree >= 1, "no trees")
    files: tuple[Path, ...] = ()
    try:
        files = export.export(one, path)
        expect(all(file.stat().st_size for file in files), "an empty file")
    finally:
        for file in files:
            file.unlink()


_EXPORT = ("encode_rows", "score_map", "ScoreMap", "to_treelite", "export")

ENTRIES = (
    Entry(("load", "store.load", "store.KINDS"), _file_arguments, _attack_file, share=4),
    Entry(("save", "store.save"), _store_arguments, _attack_store, errors=(OSError,)),
    Entry(("explain.explain", "explain.Explanation"), _explain_arguments, _attack_explain, 3),
    Entry(
        tuple(f"export.{name}" for name in _EXPORT),
        _export_arguments,
        _attack_export,
        share=2,
        errors=(OSError,),
    ),
)
