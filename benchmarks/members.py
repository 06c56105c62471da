"""Compare teams of members for the flagship on stored scores: where its members are chosen.

Every candidate is fitted once on each table, and its scores of the training rows, out-of-bag or
out-of-fold, and of the test rows are kept. A team is then weighted and fused as `focused` does
it, which takes no time. Tables are the paper's 14 sets, repeats from 100 on, those of
`generality.py` and `user_tables.py`, repeats and seeds from 100 on too: no reported number
comes from them. Labels are 1, 3 or 6 rows, the shares of the paper's study, a tenth, or all.
Beside average precision stands the share of positives found in the first twentieth of the rows.

    python benchmarks/members.py [--repeats 1] [--jobs 2] [--out out/members]
                                 [--out-page benchmarks/results/members.md]

A run that is stopped goes on where it was: the scores of a table are a file, written whole.
"""

import argparse
import os
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import generality
import numpy as np
import pandas as pd
from generality import OWN
from scipy.special import log_ndtr
from user_tables import USER_TABLES, load_user_table

from lopsided._files import atomic_write
from lopsided._progress import Bar
from lopsided._rows import TrainingRows
from lopsided.methods import _members
from lopsided.methods._local_outliers import fit_local_outliers
from lopsided.methods._members import OUTLIERS, Member, fit_member
from lopsided.methods._normal_scores import fit_normal_scores
from lopsided.methods._teams import RiskParams, list_members
from lopsided.methods.base import PUClassifier, as_pandas
from lopsided.methods.focused import FocusedClassifier
from lopsided.methods.forest import PUForestClassifier
from lopsided.methods.registry import build
from lopsided.metrics import average_precision, recall_at_k
from lopsided.trees.sampling import Bagging
from lopsided_bench.protocols import TrainTestSplit
from lopsided_bench.study import Setting, read_study
from lopsided_bench.trial import seed_of, split_dataset

STUDY = read_study(Path(__file__).parents[1] / "studies" / "choice.toml")
FIRST = 100
FEW = tuple(Setting("rows", n) for n in (1, 3, 6))  # so many labeled rows
USUAL = tuple(Setting(*one) for one in product(("scar", "sar-near"), (0.75, 0.5, 0.25)))
TENTH, ALL = Setting("scar", 0.9), Setting("scar", 0.0)
MANY_LABELED = 10  # rows, from which on no team has outliers
BEFORE = ("bagged trees on raw columns", "extra-trees", "booster", "logistic", "knn")
PRESET_BEFORE = "the preset before"
BEFORE_WEIGHTS: dict[str, Any] = {
    "_HEAD_START": {"bagged trees on raw columns": 3.0, "logistic": 1.5},
    "_HANDICAP": {},
    "_LINEAR": (),
    "_OUTLIER_SHARE": 0.2,
    "MANY_LABELED": 10,
}
NOW = tuple(member.name for member in FocusedClassifier()._team(1_000, 10, 1_000))
MANY = 50  # labeled rows, from which on a team has the extra trees
OTHERS = (
    "bagged trees on raw columns",
    "bags of 1 to 1",
    "plain trees, bags of 1 to 1",
    "trees of few columns, bags of 1 to 20",
    "such trees with outlier columns",
    "booster with outlier columns",
    "logistic with outlier columns",
    "logistic-standardized with outlier columns",
    "boosters in bags of 1 to 5",
    "second pass",
)
TEAMS: dict[str, tuple[str, ...]] = {
    "the preset": NOW,
    PRESET_BEFORE: BEFORE,
    **{f"without {name}": tuple(one for one in NOW if one != name) for name in NOW},
    **{f"with {name}": (*NOW, name) for name in OTHERS},
}
# What is changed in the weights: constants of `_members`, or the scale of scores.
WEIGHTS: dict[str, dict[str, Any]] = {
    "sharpness 2": {"_SHARPNESS": 2.0},
    "sharpness 8": {"_SHARPNESS": 8.0},
    "no handicap of nearest neighbors": {"_HANDICAP": {}},
    "linear models do not fade": {"_LINEAR": ()},
    "no head start": {"_HEAD_START": {}},
    "no outliers": {"_OUTLIER_SHARE": 0.0},
    "outliers' share a fifth": {"_OUTLIER_SHARE": 0.2},
    "doubt up to 10 labeled rows": {"MANY_LABELED": 10},
    "log-ranks added up": {},
}


class Task(NamedTuple):
    """A table as one repeat has it, and how its labels are hidden."""

    part: str
    table: str
    repeat: int
    setting: Setting

    def path(self, folder: Path) -> Path:
        """Return the file of its scores."""
        where = f"{self.part}_{self.table}_{self.repeat}"
        return folder / f"{where}_{self.setting.mechanism}_{self.setting.hidden:g}.npz"


def list_tasks(repeats: int) -> list[Task]:
    """Return the tables, all of one repeat before those of the next."""
    others = (*generality.REAL, *generality.BUNDLED, *generality.GENERATORS)
    tasks = []
    for repeat in range(FIRST, FIRST + repeats):
        for setting in (*FEW, *USUAL):
            tasks += [Task("generality", name, repeat, setting) for name in others]
        for setting in (*FEW, *USUAL, TENTH, ALL):
            tasks += [Task("paper", name, repeat, setting) for name in STUDY.datasets]
        tasks += [Task("users", name, repeat, OWN) for name in USER_TABLES]
    return tasks


def load_split(task: Task) -> tuple[TrainTestSplit, Any]:
    """Return the rows of a table and the labels of its training rows."""
    if task.part == "users":
        X, y_true, y = load_user_table(task.table, task.repeat)
        return TrainTestSplit(X, y_true, X[y == 0], y_true[y == 0]), y
    if task.part == "paper":
        split = split_dataset(STUDY, task.table, task.repeat)
        if task.setting in FEW:
            return split, label_rows(task, split.y_true)
        words = (STUDY, task.table, task.repeat, task.setting, split)
        return split, STUDY.protocol.draw_labels(*words)
    from sklearn.model_selection import train_test_split

    X, truth = generality.load_table(task.table)
    seed = seed_of(task.table, task.repeat)
    rows, test = train_test_split(
        np.arange(len(truth)), test_size=0.3, stratify=truth, random_state=seed
    )
    split = TrainTestSplit(X[rows], truth[rows], X[test], truth[test])
    if task.setting in FEW:
        return split, label_rows(task, split.y_true)
    rng = np.random.default_rng(seed_of(task.table, task.repeat, task.setting.mechanism))
    return split, task.setting.build().draw(split.X, split.y_true, rng)


def label_rows(task: Task, y_true: Any) -> Any:
    """Return PU labels with so many labeled rows as the setting says, at random."""
    n_labeled, positives = int(task.setting.hidden), np.flatnonzero(y_true)
    if len(positives) <= n_labeled:
        raise ValueError(f"{len(positives)} positives are too few to label {n_labeled}")
    rng = np.random.default_rng(seed_of("rows", task.table, task.repeat, n_labeled))
    y = np.zeros(len(y_true), np.int8)
    y[rng.choice(positives, n_labeled, replace=False)] = 1
    return y


@dataclass(eq=False, repr=False)
class BaggedBoosters(PUClassifier):
    """Small boosters, each on labeled rows and 5 others for each, classes weighted alike."""

    n_jobs: int | None = None
    oob_score: bool = True

    def _fit(self, rows: TrainingRows, rng: np.random.Generator) -> None:
        import xgboost as xgb

        params = {"max_depth": 4, "eta": 0.15, "nthread": 1, "objective": "binary:logistic"}
        params["colsample_bytree"] = min(0.7, 100 / rows.X.shape[1] + 0.02)
        self.boosters_, total, times = [], np.zeros(len(rows)), np.zeros(len(rows))
        for _ in range(20):
            counts = Bagging(5.0).draw(rows.y, rng)
            if rows.y.sum() < 3:  # too few to leave one out
                counts[rows.y == 1] = 1
            bag = np.flatnonzero(counts)
            labeled, weight = rows.y[bag] == 1, counts[bag].astype(float)
            weight[labeled] *= weight[~labeled].sum() / weight[labeled].sum()
            data = xgb.DMatrix(rows.X[bag], rows.y[bag], weight=weight / weight.mean())
            params["seed"] = int(rng.integers(2**31))
            self.boosters_.append(xgb.train(params, data, 40))
            left_out = counts == 0
            margins = self.boosters_[-1].inplace_predict(
                rows.X[left_out], predict_type="margin"
            )
            total[left_out] += margins
            times += left_out
        seen = self._scores(rows.X)
        self.oob_decision_function_ = np.where(times > 0, total / np.maximum(times, 1), seen)

    def _scores(self, X: Any) -> Any:
        scores = [one.inplace_predict(X, predict_type="margin") for one in self.boosters_]
        return np.mean(scores, axis=0, dtype=np.float64)


def list_candidates(n_rows: int, n_features: int) -> list[Member]:
    """Return the members of the flagship and the others that were tried."""
    ours = list_members(n_rows, n_features, 500, RiskParams())
    known = {member.name: member for member in ours}
    bags = {"splitter": "random", "max_features": None, "oob_score": True}
    one_to_one = PUForestClassifier(
        "hellinger", n_estimators=500, min_samples_leaf=2, sampling=Bagging(1.0), **bags
    )
    plain = PUForestClassifier(
        "entropy", n_estimators=300, **(bags | {"splitter": "best"}), sampling=Bagging(1.0)
    )
    few_columns = build("pu-bagging", oob_score=True)
    others = [
        Member("bags of 1 to 1", "", one_to_one, 1),
        Member("plain trees, bags of 1 to 1", "", plain, 2),
        Member("trees of few columns, bags of 1 to 20", "", few_columns, 3),
        Member("such trees with outlier columns", "", few_columns, 4, sees_outliers=True),
        Member("boosters in bags of 1 to 5", "", BaggedBoosters(), 5),
        replace(known["bagged-trees"], name="bagged trees on raw columns", sees_outliers=False),
    ]
    wide = ("booster", "logistic", "logistic-standardized")
    return [
        *ours,
        *others,
        *(
            replace(known[name], name=f"{name} with outlier columns", sees_outliers=True)
            for name in wide
        ),
    ]


def run(task: Task, folder: Path) -> None:
    """Fit every candidate on one table, and keep the scores."""
    warnings.simplefilter("ignore")
    split, y = load_split(task)
    head = FocusedClassifier()
    rows = head._check_rows(split.X, y)
    rows = replace(rows, X=np.ascontiguousarray(rows.X, np.float64))
    X_test = np.ascontiguousarray(head._numbers(as_pandas(split.X_test), False), np.float64)
    schema, seed = head._schema(), seed_of(*task)
    local, wide_X = fit_local_outliers(rows, head._levels())
    wide_test = local.widen(X_test)
    wide_schema = {**schema, "n_features_in_": wide_X.shape[1]}
    found = {"y": rows.y, "y_true_test": split.y_true_test}

    def fit(member: Member, rows: TrainingRows, name: str) -> None:
        start, wide = time.perf_counter(), member.sees_outliers
        on = replace(rows, X=wide_X) if wide else rows
        given = (wide_schema if wide else schema, member.seed(seed), 5, 1)
        one = fit_member(member, on, *given)
        assert one is not None
        # A user's own unlabeled rows are ranked out-of-fold.
        scores = one.scores(wide_test if wide else X_test)
        scores = one.out_of_fold[rows.y == 0] if task.part == "users" else scores
        found[f"train:{name}"] = one.out_of_fold.astype(np.float32)
        found[f"test:{name}"] = scores.astype(np.float32)
        found[f"seconds:{name}"] = np.array(time.perf_counter() - start)

    candidates = list_candidates(*rows.X.shape)
    for member in candidates:
        if rows.y.sum() < MANY_LABELED or member.name != OUTLIERS:
            fit(member, rows, member.name)
    weight = doubt_unlabeled(rows.y, found["train:bagged-trees"])
    fit(candidates[0], replace(rows, weight=weight), "second pass")
    with atomic_write(task.path(folder)) as draft, open(draft, "wb") as file:
        np.savez(file, **found)


def doubt_unlabeled(y: Any, scores: Any) -> Any:
    """Return weights that fall for unlabeled rows, the more labeled ones they stand above."""
    below = np.searchsorted(np.sort(scores[y == 1]), scores) / (y.sum() + 1)
    return np.where(y == 1, 1.0, np.maximum(1 - below, 0.02))


def judge(task: Task, folder: Path) -> list[dict[str, Any]]:
    """Return what every team, way to weight and candidate makes of one table."""
    with np.load(task.path(folder)) as kept:
        found = dict(kept)
    y, truth = found["y"], found["y_true_test"]
    rows = TrainingRows(y[:, None], y, np.ones(len(y)))
    names = [key.removeprefix("train:") for key in found if key.startswith("train:")]
    raw = {name: found[f"train:{name}"].astype(np.float64) for name in names}
    maps = {name: fit_normal_scores(own, np.ones(len(own))) for name, own in raw.items()}
    test = {name: maps[name].transform(found[f"test:{name}"]) for name in names}
    results = []

    def keep(title: str, team: tuple[str, ...], constants: dict[str, Any]) -> None:
        before = {name: getattr(_members, name) for name in constants}
        for name, value in constants.items():
            setattr(_members, name, value)
        few = OUTLIERS in names and len(team) > 1 and y.sum() < _members.MANY_LABELED
        whole = (*team, OUTLIERS) if few else team
        if team[1:] and title != PRESET_BEFORE and y.sum() < MANY:
            whole = tuple(name for name in whole if name != "extra-trees")
        given = {name: raw[name] for name in whole}
        weights, _ = _members.weight_members(rows, given, "log-rank")
        for name, value in before.items():
            setattr(_members, name, value)
        scale = (lambda z: -log_ndtr(-z)) if title == "log-ranks added up" else (lambda z: z)
        fused = sum(w * scale(test[name]) for w, name in zip(weights, whole, strict=True))
        results.append(
            {
                "team": title,
                "part": task.part,
                "table": task.table,
                "setting": task.setting,
                "average_precision": average_precision(truth, fused),
                "finds": recall_at_k(truth, fused, max(len(truth) // 20, 1)),
                "seconds": sum(float(found[f"seconds:{name}"]) for name in team),
            }
        )

    for title, team in TEAMS.items():
        keep(title, team, BEFORE_WEIGHTS if title == PRESET_BEFORE else {})
    for title, constants in WEIGHTS.items():
        keep(title, NOW, constants)
    for name in names:
        keep(f"{name} alone", (name,), {})
    return results


def render(results: Any) -> list[str]:
    """Return the lines of a page: a row for each team."""
    paper, other = (results[results["part"] == part] for part in ("paper", "generality"))

    def usual(of: Any) -> Any:
        return of[of["setting"].isin(USUAL)]

    columns: dict[str, Callable[[], Any]] = {
        **{
            f"{one.hidden:g} labeled": lambda one=one: _mean(paper[paper["setting"] == one])
            for one in FEW
        },
        "10 %": lambda: _mean(paper[paper["setting"] == TENTH]),
        "25 to 75 %": lambda: _mean(usual(paper)),
        "finds": lambda: _mean(usual(paper), "finds"),
        "all": lambda: _mean(paper[paper["setting"] == ALL]),
        "other tables, 1 to 6": lambda: _mean(other[other["setting"].isin(FEW)]),
        "25 to 75 % there": lambda: _mean(usual(other)),
        "finds there": lambda: _mean(usual(other), "finds"),
        "users' tables": lambda: _mean(results[results["part"] == "users"]),
        "s a fit": lambda: _mean(usual(paper), "seconds"),
    }
    table = pd.DataFrame({name: column() for name, column in columns.items()})
    table = table.loc[results["team"].unique()]
    lines = ["| | " + " | ".join(table) + " |", "| --- |" + " ---: |" * table.shape[1]]
    for name, row in table.iterrows():
        cells = [f"{value:.4f}" for value in row[:-1]] + [f"{row.iloc[-1]:.2f}"]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    by_table = ["part", "table", "setting"]
    pair = [
        results[results["team"] == title].set_index(by_table)["average_precision"]
        for title in ("the preset", PRESET_BEFORE)
    ]
    gain = (pair[0] - pair[1])[lambda found: found.index.isin(USUAL, level=2)]
    each = gain.groupby(level=1).mean()
    lines += ["", "Average precision beyond that of the preset before, 25 to 75 % labeled:"]
    lines += ["", ", ".join(f"{name} {value:+.3f}" for name, value in each.items())]
    return lines


def _mean(results: Any, metric: str = "average_precision") -> Any:
    """Return the mean of tables of each team, those of one setting first."""
    return results.pivot_table(index="team", columns="setting", values=metric).mean(axis=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("out/members"))
    parser.add_argument("--out-page", type=Path, help="a file for the page")
    options = parser.parse_args()
    os.environ.update(OMP_NUM_THREADS="1", OMP_WAIT_POLICY="passive")
    options.out.mkdir(parents=True, exist_ok=True)
    tasks = list_tasks(options.repeats)
    left = [task for task in tasks if not task.path(options.out).is_file()]
    with ProcessPoolExecutor(options.jobs) as pool, Bar(len(left), "members") as bar:
        for task, done in [(task, pool.submit(run, task, options.out)) for task in left]:
            try:
                done.result()
            except ValueError as error:  # too few positives for so few labels
                print(f"{task.table}, {task.setting}: {error}")
            bar.advance()
    kept = [task for task in tasks if task.path(options.out).is_file()]
    lines = render(pd.DataFrame([one for task in kept for one in judge(task, options.out)]))
    lines += ["", f"{len(kept)} tables"]
    print(*lines, sep="\n")
    if options.out_page is not None:
        command = f"    python benchmarks/members.py --repeats {options.repeats}"
        about = [part for part in __doc__.split("\n\n") if not part.startswith(" ")]
        head = ["# Teams of members", "", command, "", *about[1].splitlines(), ""]
        options.out_page.write_text("\n".join([*head, *lines]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
