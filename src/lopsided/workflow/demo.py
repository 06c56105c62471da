"""A demonstration: the whole journey on made-up claims, whose truth is known."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from lopsided._files import check_folder, check_no_file, hold_folder
from lopsided._terminal import print_result
from lopsided.datasets import make_claims
from lopsided.methods.registry import check_ranks
from lopsided.workflow.check import check
from lopsided.workflow.fitting import fit
from lopsided.workflow.model import TableModel
from lopsided.workflow.tables import write_table

__all__ = ["run_demo"]

_ROLES: dict[str, Any] = {
    "label": "status",
    "positive": "confirmed",
    "negative": "cleared",
    "id": "claim_no",
}
_FILES = (
    "claims.csv",
    "claims.lop",
    "ranked.csv",
    "reviewed.csv",
    "claims2.lop",
    "report.html",
)
_N_REVIEWS = 50
_SHOWN = 8


def run_demo(out: str, method: str = "focused", random_state: int = 0) -> str:
    """Walk through a month: check, fit, rank, explain, review, learn from it, report.

    The folder gets the files that the commands would have written, which a later demo removes
    or writes over, and nothing else; two at once are refused. The last line is the path of the
    report.
    """
    check_ranks(method)
    check_no_file(out, " (out=...)")
    check_folder(out, ("claims.lop",), _FILES)
    with hold_folder(out, wait=False):
        return _walk(Path(out), method, random_state)


def _walk(folder: Path, method: str, random_state: int) -> str:
    paths = {name: folder / name for name in _FILES}
    claims = make_claims(random_state=random_state)
    truth = dict(zip(claims.table["claim_no"], claims.y_true, strict=True))
    # What an older demo left would not fit to what a stopped one leaves; the model marks the
    # folder as ours, and is the last to go and the first to come.
    for name in _FILES:
        if name != "claims.lop":
            paths[name].unlink(missing_ok=True)
    n_frauds, n_known = int(claims.y_true.sum()), int((claims.table["status"] != "").sum())
    print_result(
        f"{len(claims.table)} made-up claims, {paths['claims.csv']}: {n_frauds} are fraud, but "
        f"the office has looked at {n_known} only."
    )
    with _step(f"lopsided check {paths['claims.csv']} --label status --positive confirmed ..."):
        print_result(check(claims.table, **_ROLES))
    with _step(f"lopsided fit {paths['claims.csv']} ... -o {paths['claims.lop']}"):
        model = fit(claims.table, method=method, random_state=random_state, **_ROLES)
        model.save(paths["claims.lop"])
        write_table(claims.table, paths["claims.csv"])
        print_result(model.describe())
    with _step(f"lopsided rank {paths['claims.lop']} {paths['claims.csv']} ..."):
        ranking = model.rank(claims.table)
        write_table(ranking, paths["ranked.csv"])
        print_result(_show(ranking, truth))
    with _step(f"lopsided explain {paths['claims.lop']} ... --row {ranking['id'].iloc[0]}"):
        print_result(model.explain(claims.table, ranking["id"].iloc[0]))
    with _step(f"Somebody reviews the first {_N_REVIEWS} claims: {paths['reviewed.csv']}"):
        reviewed = ranking.head(_N_REVIEWS).copy()
        reviewed["verdict"] = np.where(reviewed["id"].map(truth) == 1, "1", "-1")
        write_table(reviewed, paths["reviewed.csv"])
        print_result(f"{(reviewed['verdict'] == '1').sum()} of them are fraud.")
    with _step(f"lopsided feedback {paths['claims.lop']} ... -o {paths['claims2.lop']}"):
        second = model.feedback(reviewed)
        second.save(paths["claims2.lop"])
        print_result(_say_what_is_left(second, claims.table, truth))
    with _step(f"lopsided report {paths['claims2.lop']} {paths['claims.csv']} ..."):
        page = second.report(claims.table, paths["report.html"], source="claims.csv")
    return str(page)


@contextmanager
def _step(title: str) -> Iterator[None]:
    start = perf_counter()
    print_result(f"\n$ {title}")
    yield
    print_result(f"({perf_counter() - start:.1f} s)")


def _show(ranking: Any, truth: dict[str, int]) -> str:
    """Return the first rows of a ranking, with the truth, and what all of it caught."""
    lines = [f"{'rank':>4}  {'id':<9} {'score':>6} {'probability':>11}  in truth, and why"]
    for row in ranking.head(_SHOWN).itertuples():
        lines.append(
            f"{row.rank:>4}  {row.id:<9} {row.score:>6.2f} {row.probability:>11.2f}  "
            f"{'FRAUD ' if truth[row.id] else 'honest'} {row.reasons}"
        )
    lines.append(_count(ranking, truth, sum(ranking["id"].map(truth))))
    return "\n".join(lines)


def _say_what_is_left(model: TableModel, table: Any, truth: dict[str, int]) -> str:
    """Say what the model knows by now, and what the next rows of its list hold."""
    ranking = model.rank(table, reasons=0)
    return f"{model.describe()}\n{_count(ranking, truth, _N_REVIEWS)}"


def _count(ranking: Any, truth: dict[str, int], n_rows: int) -> str:
    """Say how many of the hidden frauds the first rows of a list hold."""
    hidden = ranking["id"].map(truth).to_numpy()
    caught, by_chance = int(hidden[:n_rows].sum()), n_rows * hidden.mean()
    return (
        f"The first {n_rows} rows hold {caught} of the {hidden.sum()} hidden frauds; chance "
        f"would give {by_chance:.0f}."
    )
