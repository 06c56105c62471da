"""Print how good the method is that a criterion chooses, without the truth, among ten.

On each split the ten methods are cross-fitted on the training rows, every criterion looks at
their out-of-fold scores and the PU labels, and chooses one. What counts is the average
precision, against the truth, that the chosen method has on the test rows after a fit on all
training rows. Methods and metrics that take a prior are given the true one, pulearn's too.

    python benchmarks/selection.py [--first 0] [--repeats 5] [--out out/selection]

The criterion of `PUSearchCV` was chosen on repeat 100. A run that is stopped goes on
where it was: each fit is a file, written whole.
"""

import argparse
import os
import warnings
from collections.abc import Callable, Iterable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import expit
from scipy.stats import spearmanr
from sklearn.base import BaseEstimator, ClassifierMixin

from lopsided._files import atomic_write
from lopsided._progress import Bar
from lopsided_bench.datasets import list_datasets
from lopsided_bench.study import Setting, Study
from lopsided_bench.trial import seed_of, split_dataset

METHODS = (
    "naive-xgb",
    "naive-forest",
    "naive-logistic",
    "pu-bagging",
    "hellinger-forest",
    "puhrf",
    "ifpu-xgb",
    "focused-xgb",
    "elkan-noto",
    "spy",
)
BASELINE = METHODS[0]
PULEARN = (
    "lee_liu",
    "pu_recall",
    "pu_precision",
    "pu_f1",
    "pu_specificity",
    "pu_roc_auc",
    "pu_average_precision",
    "pu_unbiased_risk",
    "pu_non_negative_risk",
)
MECHANISMS, HIDDEN = ("scar", "sar-near"), (0.75, 0.5, 0.25)
FOLDS = 3
MIN_LABELED = 3  # so that each training part has two
DEFAULT = "pu_damped_log_rank, mean of folds"  # of PUSearchCV, chosen on repeat 100
OUT = Path("out/selection")


class Key(NamedTuple):
    """A split and its labels."""

    dataset: str
    mechanism: str
    hidden: float
    repeat: int


class Fit(NamedTuple):
    """What the fits of one method have to say of one split."""

    y: Any  # of the training rows
    out_of_fold: Any  # ranks among the scores of each model's own training rows
    raw: Any  # the scores that they were made of: 0 is the boundary
    prior: Any  # the share of positives among the training rows
    y_test_true: Any
    test: Any  # scores of the test rows by a fit on all training rows


def path_of(key: Key, method: str, folder: Path) -> Path:
    """Return the file of a method's fits on a split."""
    dataset, mechanism, hidden, repeat = key
    return folder / f"{dataset}_{mechanism}_{hidden:g}_{repeat}_{method}.npz"


def fit_cell(key: Key, folder: Path) -> None:
    """Fit every method that has no file yet."""
    left = [method for method in METHODS if not path_of(key, method, folder).is_file()]
    if not left:
        return
    study = Study("selection", "", (key.dataset,), (), ())
    split = split_dataset(study, key.dataset, key.repeat)
    rng = np.random.default_rng(seed_of(study.seed, key.dataset, key.repeat, key.mechanism))
    y = Setting(key.mechanism, key.hidden).build().draw(split.X, split.y_true, rng)
    for method in left:
        found = fit_method(method, split, y, key)
        path = path_of(key, method, folder)
        with atomic_write(path) as draft, open(draft, "wb") as file:
            np.savez_compressed(file, **found._asdict())


def seed_of_key(key: Key) -> int:
    """Return the seed of folds and fits."""
    return seed_of(0, key.dataset, key.repeat, key.mechanism, key.hidden, "selection")


def list_folds(y: Any, key: Key) -> list[Any]:
    """Return the folds of a split, none where labels are too few."""
    from lopsided.model_selection import PUStratifiedKFold

    if y.sum() < MIN_LABELED:
        return []
    n_folds = min(FOLDS, int(y.sum()))
    return list(
        PUStratifiedKFold(n_folds, shuffle=True, random_state=seed_of_key(key)).split(y, y)
    )


def fit_method(method: str, split: Any, y: Any, key: Key) -> Fit:
    """Cross-fit a method, on the same folds as the others, and fit it on all rows."""
    from lopsided.methods.registry import build, get_method
    from lopsided.model_selection import rank_against

    prior = float(split.y_true.mean())
    known = {"prior": prior} if get_method(method).takes_prior else {}

    def fit(rows: Any) -> Any:
        model = build(method, random_state=seed_of_key(key), n_jobs=1, **known)
        return model.fit(split.X[rows], y[rows])

    raw, placed = np.full((2, len(y)), np.nan)
    for train, test in list_folds(y, key):
        model = fit(train)
        raw[test] = model.decision_function(split.X[test])
        placed[test] = rank_against(model.decision_function(split.X[train]), raw[test])
    scores = fit(np.arange(len(y))).decision_function(split.X_test)
    return Fit(y, placed, raw, prior, split.y_true_test, scores)


def list_criteria() -> dict[str, Callable[[Fit, list[Any]], float]]:
    """Return what to choose by: larger is better.

    Ours are looked at over all rows at once, as `compare` does, as the mean over folds, as
    `PUSearchCV` does, and on the scores of `out_of_fold_scores`.
    """
    from lopsided.metrics.named import OF_ALL_ROWS

    criteria: dict[str, Any] = {}
    for name in OF_ALL_ROWS:
        criteria[name] = partial(score_at_once, name)
        criteria[f"{name}, mean of folds"] = partial(score_by_fold, name)
        criteria[f"{name}, among training rows"] = partial(score_among_training, name)
    criteria["pu_damped_log_rank, mean of folds, no prior"] = partial(
        score_by_fold, "pu_damped_log_rank", blind=True
    )
    criteria["accuracy on PU labels"] = lambda fit, _: ((fit.raw > 0) == fit.y).mean()
    try:
        from pulearn.metrics import make_pu_scorer
    except ImportError:
        return criteria
    for name in PULEARN:
        criteria[f"pulearn: {name}"] = partial(score_as_pulearn, make_pu_scorer, name)
    return criteria


def score_at_once(name: str, fit: Fit, folds: list[Any]) -> float:
    """Return a metric of all rows, each with its place in its fold."""
    from lopsided.metrics.named import bind_prior
    from lopsided.model_selection import rank_against

    placed = np.empty(len(fit.y))
    for _, test in folds:
        placed[test] = rank_against(fit.raw[test], fit.raw[test])
    return bind_prior(name, float(fit.prior))(fit.y, placed)


def score_among_training(name: str, fit: Fit, _: list[Any]) -> float:
    """Return a metric of all rows, each with its place among its model's training rows."""
    from lopsided.metrics.named import bind_prior

    return bind_prior(name, float(fit.prior))(fit.y, fit.out_of_fold)


def score_by_fold(name: str, fit: Fit, folds: list[Any], blind: bool = False) -> float:
    """Return the mean over folds of a metric; those with a single label say nothing."""
    from lopsided.metrics.named import bind_prior

    metric = bind_prior(name, None if blind else float(fit.prior))
    kept = [test for _, test in folds if fit.y[test].sum() > 1]
    if not kept:
        return score_at_once(name, fit, folds)
    return float(np.mean([metric(fit.y[test], fit.raw[test]) for test in kept]))


def score_as_pulearn(make_scorer: Any, name: str, fit: Fit, folds: list[Any]) -> float:
    """Return the mean over folds of pulearn's scorer, as cross-validation has it."""
    scorer = make_scorer(name, float(fit.prior))
    return float(
        np.mean([scorer(Fixed(fit.raw[test]), None, fit.y[test]) for _, test in folds])
    )


class Fixed(ClassifierMixin, BaseEstimator):
    """A fitted classifier with the scores of some rows."""

    def __init__(self, scores: Any) -> None:
        self.scores = scores
        self.classes_ = np.array([0, 1])

    def predict(self, X: Any) -> Any:
        """Return 1 above the boundary."""
        return (self.scores > 0).astype(int)

    def predict_proba(self, X: Any) -> Any:
        """Return the probability of each class."""
        proba = expit(self.scores)
        return np.column_stack([1 - proba, proba])


def judge_cell(key: Key, folder: Path) -> list[dict[str, Any]]:
    """Return what each criterion gets, and its rank correlation with the truth."""
    from lopsided.metrics import average_precision

    fits = []
    for method in METHODS:
        with np.load(path_of(key, method, folder)) as arrays:
            fits.append(Fit(**arrays))
    truth = np.array([average_precision(fit.y_test_true, fit.test) for fit in fits])
    folds = list_folds(fits[0].y, key)
    where = {"dataset": key.dataset, "setting": name_setting(key), "repeat": key.repeat}
    fixed = {
        "hindsight": truth.max(),
        f"always {BASELINE}": truth[0],
        "at random": truth.mean(),
    }
    fixed |= {f"always {name}": one for name, one in zip(METHODS[1:], truth[1:], strict=True)}
    rows = [{**where, "criterion": name, "value": value} for name, value in fixed.items()]
    for name, score in list_criteria().items():
        if not folds:  # too few labels to choose by: the baseline stays
            value, correlation = truth[0], 0.0
        else:
            scores = np.array([score(fit, folds) for fit in fits])
            value = truth[scores == scores.max()].mean()  # one of those that tie
            varied = np.ptp(scores) > 0 and np.ptp(truth) > 0
            correlation = spearmanr(scores, truth).statistic if varied else 0.0
        rows.append({**where, "criterion": name, "value": value, "correlation": correlation})
    return rows


def name_setting(key: Key) -> str:
    return f"{key.mechanism.upper()} {100 * (1 - key.hidden):.0f} %"


def write_table(results: pd.DataFrame) -> str:
    """Return the macro averages as Markdown, the best criterion first."""
    by_set = results.groupby(["criterion", "setting", "dataset"])["value"].mean()
    table = by_set.groupby(["criterion", "setting"]).mean().unstack()
    settings = [name_setting(key) for key in list_keys([0])[: len(MECHANISMS) * len(HIDDEN)]]
    table = table[settings]
    table["all"] = table.mean(axis=1)
    means = results.groupby(["criterion", "dataset"])[["value", "correlation"]].mean()
    table["rank correlation"] = means["correlation"].groupby("criterion").mean()
    base = means["value"].unstack()
    margin = base.sub(base.loc[f"always {BASELINE}"], axis=1)
    table["sets above / below"] = [
        f"{(row > 1e-9).sum()} / {(row < -1e-9).sum()}" for _, row in margin.iterrows()
    ]
    table = table.loc[base.mean(axis=1).sort_values(ascending=False).index]
    lines = ["| chosen by | " + " | ".join(table.columns) + " |", "|---" * 10 + "|"]
    for name, row in table.iterrows():
        numbers = [f"{value:.3f}" for value in row.iloc[: len(settings) + 1]]
        known = "" if np.isnan(row["rank correlation"]) else f"{row['rank correlation']:.2f}"
        lines.append(f"| {name} | {' | '.join(numbers)} | {known} | {row.iloc[-1]} |")
    return "\n".join(lines)


def list_keys(repeats: Iterable[int]) -> list[Key]:
    """Return the splits of the paper's 14 sets."""
    return [Key(*one) for one in product(list_datasets("paper"), MECHANISMS, HIDDEN, repeats)]


def name_repeats(first: int, n_repeats: int) -> str:
    return f"repeat {first}" if n_repeats == 1 else f"{n_repeats} repeats from {first} on"


def write_differences(results: pd.DataFrame) -> str:
    """Return what the default criterion gains over every other, paired by data set."""
    by_set = results.groupby(["criterion", "dataset"])["value"].mean().unstack()
    gain = by_set.loc[DEFAULT] - by_set.drop(DEFAULT)
    lines = [f"| {DEFAULT} over | gain | standard error over sets |", "|---|---|---|"]
    for name, row in gain.loc[gain.mean(axis=1).sort_values().index].iterrows():
        error = row.std(ddof=1) / np.sqrt(len(row))
        lines.append(f"| {name} | {row.mean():+.4f} | {error:.4f} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    os.environ.update(OMP_NUM_THREADS="1", OMP_WAIT_POLICY="passive")
    warnings.simplefilter("ignore", UserWarning)
    keys = list_keys(range(options.first, options.first + options.repeats))
    with Bar(len(keys), "selection") as bar:
        for key in keys:
            fit_cell(key, options.out)
            bar.advance()
    results = pd.DataFrame([row for key in keys for row in judge_cell(key, options.out)])
    print(
        f"Average precision on the test rows of the chosen method, macro mean over "
        f"{len(list_datasets('paper'))} sets and {name_repeats(options.first, options.repeats)}"
        "; share of positives labeled in the columns.\n"
    )
    print(write_table(results))
    print()
    print(write_differences(results))


if __name__ == "__main__":
    main()
