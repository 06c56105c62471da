"""
Labels that come late: judging a model as time goes
===================================================

A fraud comes out months after the claim was paid. A model that ranks the claims of a quarter
may learn from what was known then, not from what has come out since. A random split breaks this
twice: it learns from the future, and from labels that nobody had. Its score is that of a model
that could not have been there.

The claims are made up: the way in which fraud is done changes from quarter to quarter, and each
fraud becomes known some quarters later.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.metrics import average_precision_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict, cross_val_score

from lopsided import build
from lopsided.exceptions import PriorWarning
from lopsided.model_selection import DelayedLabelClassifier, GroupTimeSeriesSplit, labels_as_of

N_QUARTERS, N_ROWS = 12, 800  # claims in each quarter
TESTED = range(6, N_QUARTERS)
plt.style.use("tableau-colorblind10")
warnings.simplefilter("ignore", PriorWarning)  # what is compared here is the order

rng = np.random.default_rng(0)
quarter = np.repeat(np.arange(N_QUARTERS), N_ROWS)
X = pd.DataFrame(rng.normal(size=(len(quarter), 8))).add_prefix("feature_")
angle = quarter / N_QUARTERS * np.pi / 2  # the direction of fraud turns by a right angle
direction = np.cos(angle) * X["feature_0"] + np.sin(angle) * X["feature_1"]
log_odds = -8 + 3 * direction + 1.5 * X["feature_2"]
y_true = (rng.random(len(X)) < 1 / (1 + np.exp(-log_odds))).astype(int)
known_since = quarter + 1 + rng.geometric(0.3, len(X))

for date in (6, 9, 12):
    past = quarter < date
    known = labels_as_of(y_true[past], known_since[past], date)
    print(f"before quarter {date}: {known.sum()} of {y_true[past].sum()} frauds were known")

# %%
# Three ways to ask the same question
# -----------------------------------
# How well does a model rank the claims of a quarter? Today's labels are the truth to compare
# with each time; what differs is what the model may learn from.
#
# - *Random split*: other rows of all quarters, with today's labels.
# - *By time, today's labels*: only earlier quarters, but with labels that came out later
#   (:class:`~lopsided.model_selection.GroupTimeSeriesSplit`).
# - *As it was*: earlier quarters, and of their labels those that were known when the quarter
#   began (:class:`~lopsided.model_selection.DelayedLabelClassifier`).

timed = X.assign(time=quarter, known_since=known_since)
cv = GroupTimeSeriesSplit(list(TESTED))
shuffled = StratifiedKFold(5, shuffle=True, random_state=0)


def judge(method):
    """Return the average precision in each tested quarter, by way of splitting."""
    model = build(method, random_state=0)
    blind = cross_val_predict(model, X, y_true, cv=shuffled, method="decision_function")
    by_quarter = [quarter == one for one in TESTED]
    by_time = {"groups": quarter, "cv": cv, "scoring": "average_precision"}
    return {
        "random split": [average_precision_score(y_true[q], blind[q]) for q in by_quarter],
        "by time, today's labels": cross_val_score(model, X, y_true, **by_time),
        "as it was": cross_val_score(DelayedLabelClassifier(model), timed, y_true, **by_time),
    }


# %%
# What flatters
# -------------
# The gap between the first line and the last is what a random split promises too much. The
# baseline ``naive-xgb`` is judged in the same three ways: no method learns what is not known
# yet. Where two methods are to be compared, compare them as it was. One quarter has few frauds,
# so that single points move by luck; look at the means that are printed.

fig, axes = plt.subplots(1, 2, figsize=(10, 4.3), sharey=True, layout="constrained")
for ax, method in zip(axes, ("focused-fast", "naive-xgb"), strict=True):
    found = judge(method)
    for (way, values), style in zip(found.items(), ("C2s--", "C1D-", "C0o-"), strict=True):
        ax.plot(TESTED, values, style, label=way)
    means = ", ".join(f"{way} {np.mean(values):.2f}" for way, values in found.items())
    print(f"{method}, mean average precision: {means}")
    share = [y_true[quarter == one].mean() for one in TESTED]
    ax.plot(TESTED, share, "k:", label="random order")
    ax.set(title=method, xlabel="quarter of the claims", ylim=(0, None))
axes[0].set_ylabel("average precision")
axes[0].legend(fontsize="small")
plt.show()
