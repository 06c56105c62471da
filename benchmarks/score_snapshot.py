"""Keep the scores of every method, and compare another tree's with them.

    python benchmarks/score_snapshot.py scores.npz              # before a change
    python benchmarks/score_snapshot.py scores.npz --compare    # after it

Four tables, one split each unless told otherwise, a quarter and half of the positives labeled
(SCAR); the first also with missing values, a category and sample weights. Scores are compared
to the bit, and by the mean change of average precision.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from sklearn.metrics import average_precision_score
from sklearn.model_selection import train_test_split

import lopsided
from lopsided.methods.registry import get_method
from lopsided_bench.datasets import load

SETS = ("cardio", "climate", "yeast", "pizzacutter")
LABELED = (0.25, 0.5)


def _task(name, labeled, repeat):
    """Return a table split in two, with some positives labeled in the first part."""
    table = load(name)
    rng = np.random.default_rng([repeat, sum(map(ord, name))])
    train, test = train_test_split(
        np.arange(table.n_rows),
        test_size=0.3,
        stratify=table.y_true,
        random_state=int(rng.integers(2**31)),
    )
    positives = train[table.y_true[train] == 1]
    shown = rng.choice(positives, max(2, round(labeled * len(positives))), replace=False)
    return table, train, test, np.isin(train, shown).astype(int)


def _columns(table, method):
    """Return the columns: with missing values and a category, where a method takes them."""
    if not lopsided.build(method).__sklearn_tags__().input_tags.categorical:
        return table.X
    import pandas as pd

    frame = pd.DataFrame(table.X, columns=list(table.feature_names))
    first, second = frame.columns[:2]
    frame[first] = pd.qcut(frame[first].rank(method="first"), 7, labels=list("abcdefg"))
    frame.loc[frame.index % 5 == 0, second] = np.nan
    return frame


def scores_of(method, name, labeled, repeat, mixed):
    """Return the test scores of one fit, and their average precision."""
    table, train, test, y = _task(name, labeled, repeat)
    X = _columns(table, method) if mixed else table.X
    weight = 1.0 + np.arange(len(train)) % 3 if mixed else None
    X = getattr(X, "iloc", X)
    entry = get_method(method)
    if entry.labels == "true":
        y = table.y_true[train]
    params = {"random_state": 7} | ({"prior": table.prior} if entry.takes_prior else {})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = lopsided.build(method, **params).fit(X[train], y, sample_weight=weight)
        scores = model.decision_function(X[test])
    return scores, float(average_precision_score(table.y_true[test], scores))


def _run(keys, n_jobs):
    """Return what each key's fit gave, None where it failed."""
    found = Parallel(n_jobs, verbose=1)(delayed(_attempt)(key) for key in keys)
    return dict(zip(keys, found, strict=True))


def _attempt(key):
    method, name, labeled, repeat, kind = key.split("|")
    try:
        return scores_of(method, name, float(labeled), int(repeat), kind == "mixed")
    except ValueError as error:  # a peer refuses some tables, before and after
        print(f"{key}: {error}")
        return np.array([]), float("nan")


def main():
    """Store scores, or compare with those stored."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--methods", default=",".join(lopsided.list_methods("any")))
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    keys = [
        f"{method}|{name}|{labeled}|{repeat}|{kind}"
        for method in options.methods.split(",")
        for name in SETS
        for labeled in LABELED
        for repeat in range(options.repeats)
        for kind in ("plain", "mixed")
        if kind == "plain" or (name == SETS[0] and repeat == 0)
    ]
    stored = dict(np.load(options.file)) if options.file.exists() else {}
    if not options.compare:
        fresh = _run([key for key in keys if key not in stored], options.jobs)
        np.savez(options.file, **stored, **{key: scores for key, (scores, _) in fresh.items()})
        return
    fresh = _run(keys, options.jobs)
    for method in options.methods.split(","):
        mine = [key for key in keys if key.split("|")[0] == method]
        same = sum(np.array_equal(fresh[key][0], stored[key]) for key in mine)
        falls = [fresh[key][1] - _precision(key, stored[key]) for key in mine]
        print(f"{method:28} {same:2} of {len(mine)} equal; AP {np.nanmean(falls):+.4f}")


def _precision(key, scores):
    _, name, labeled, repeat, _ = key.split("|")
    table, _, test, _ = _task(name, float(labeled), int(repeat))
    return average_precision_score(table.y_true[test], scores) if len(scores) else np.nan


if __name__ == "__main__":
    main()
