"""Store the scores of every method, and compare the scores of another tree with them.

    python benchmarks/score_snapshot.py scores.npz              # before a change
    python benchmarks/score_snapshot.py scores.npz --compare    # after it

Ten fits of each method: four tables with a quarter and half of the positives labeled (SCAR),
and the first table also with missing values, a category and sample weights. Scores are compared
to the bit, and by the mean change of average precision. A method that refuses a table has no
scores.

The file also holds the tables and what each method takes, so that a comparison needs only
`lopsided.build` of the other tree. Set PYTHONPATH to the `src` of a tree to run it on that
tree. A run that was stopped continues with the methods that the file lacks. All methods take
about three minutes on one core.
"""

import argparse
import sys
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.metrics import average_precision_score
from sklearn.model_selection import train_test_split

import lopsided

SETS = ("cardio", "climate", "yeast", "pizzacutter")
FITS = [(name, labeled, "plain") for name in SETS for labeled in (0.25, 0.5)]
FITS += [(SETS[0], labeled, "mixed") for labeled in (0.25, 0.5)]


def store_tables():
    """Return the arrays of the tables: features, truth, and the prior of the whole table."""
    from lopsided_bench.datasets import load

    tables = {name: load(name) for name in SETS}
    return {
        f"{part}|{name}": np.asarray(getattr(table, part))
        for name, table in tables.items()
        for part in ("X", "y_true", "prior")
    }


def describe_method(method):
    """Return whether a method learns from the truth, takes a prior, and takes categories."""
    from lopsided.methods.registry import get_method

    entry = get_method(method)
    tags = lopsided.build(method).__sklearn_tags__()
    return np.array([entry.labels == "true", entry.takes_prior, tags.input_tags.categorical])


def split_rows(y_true, name, labeled):
    """Return training rows, test rows, and the labels of the training rows."""
    rng = np.random.default_rng([0, sum(map(ord, name))])
    train, test = train_test_split(
        np.arange(len(y_true)),
        test_size=0.3,
        stratify=y_true,
        random_state=int(rng.integers(2**31)),
    )
    positives = train[y_true[train] == 1]
    shown = rng.choice(positives, max(2, round(labeled * len(positives))), replace=False)
    return train, test, np.isin(train, shown).astype(int)


def mix_columns(X):
    """Return a frame whose first column is a category and whose second has missing values."""
    frame = pd.DataFrame(X).add_prefix("x")
    frame["x0"] = pd.qcut(frame["x0"].rank(method="first"), 7, labels=list("abcdefg"))
    frame.loc[frame.index % 5 == 0, "x1"] = np.nan
    return frame


def score_fits(method, stored):
    """Return the test scores of each fit of a method by their key."""
    learns_truth, takes_prior, takes_categories = stored[f"about|{method}"]
    scores = {}
    for name, labeled, kind in FITS:
        X, y_true = stored[f"X|{name}"], stored[f"y_true|{name}"]
        train, test, y = split_rows(y_true, name, labeled)
        y = y_true[train] if learns_truth else y
        mixed = kind == "mixed"
        rows = mix_columns(X).iloc if mixed and takes_categories else X
        params = {"prior": float(stored[f"prior|{name}"])} if takes_prior else {}
        model = lopsided.build(method, random_state=7, **params)
        weight = 1.0 + np.arange(len(train)) % 3 if mixed else None
        key = f"{method}|{name}|{labeled}|{kind}"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                model.fit(rows[train], y, sample_weight=weight)
                scores[key] = np.asarray(model.decision_function(rows[test]))
            except (ValueError, TypeError) as error:  # a peer refuses some tables
                print(f"{key}: {error}")
                scores[key] = np.array([])
    return scores


def average_precision(key, scores, stored):
    """Return the average precision of the scores of one fit, NaN if there are none."""
    _, name, labeled, _ = key.split("|")
    y_true = stored[f"y_true|{name}"]
    _, test, _ = split_rows(y_true, name, float(labeled))
    return average_precision_score(y_true[test], scores) if len(scores) else np.nan


def compare(method, scores, stored):
    """Print how many fits give the stored scores; return whether all do."""
    same = [np.array_equal(scores[key], stored[key]) for key in scores]
    precision = partial(average_precision, stored=stored)
    changes = [precision(key, scores[key]) - precision(key, stored[key]) for key in scores]
    mean = np.nanmean(changes)
    print(f"{method:28} {sum(same):2} of {len(same)} equal; AP {mean:+.4f}", flush=True)
    return all(same)


def main():
    """Store scores, or compare with the stored ones."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--methods", help="names with commas between; default: all")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    stored = dict(np.load(options.file)) if options.file.exists() else store_tables()
    known = [key.partition("|")[2] for key in stored if key.startswith("about|")]
    methods = known if options.compare else lopsided.list_methods("any")
    if options.methods:
        methods = options.methods.split(",")
    if not options.compare:
        methods = [method for method in methods if method not in known]
    about = {} if options.compare else {f"about|{one}": describe_method(one) for one in methods}
    start, equal = time.perf_counter(), True
    tasks = (delayed(score_fits)(method, stored | about) for method in methods)
    runs = Parallel(options.jobs, return_as="generator")(tasks)
    for method, scores in zip(methods, runs, strict=True):
        if options.compare:
            equal &= compare(method, scores, stored)
            continue
        stored |= scores | {f"about|{method}": about[f"about|{method}"]}
        np.savez(options.file, **stored)
        print(f"{time.perf_counter() - start:7.0f} s {method}", flush=True)
    sys.exit(not equal)


if __name__ == "__main__":
    main()
