"""
Judging a ranking without negatives
===================================

Average precision and recall need the truth. Taken of PU labels as if these were the truth,
every hidden positive on top of the list counts as an error, and a model that finds many looks
worse than it is. The metrics of :mod:`lopsided.metrics` whose names begin with ``pu_`` estimate
what the truth would say, and :func:`lopsided.metrics.pu_bootstrap` gives them an interval.

Here the truth is known. The labels of one table are drawn again and again, and each time the
estimate is laid beside the truth.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from lopsided import build
from lopsided.datasets import load
from lopsided.labeling import SCAR
from lopsided.metrics import average_precision, pu_bootstrap, recall_at_k

HIDDEN, K, N_DRAWS = 0.75, 100, 30
plt.style.use("tableau-colorblind10")

data = load("digits-8")
X, y_true = data.X, data.y_true
prior = float(y_true.mean())
TITLES = {"recall": f"recall in the first {K} rows", "precision": "average precision"}

# %%
# The labels, drawn again and again
# ---------------------------------
# Each draw is learned from anew and scored blind, here out-of-bag. Recall needs no prior for
# its value. Average precision moves nearly in proportion to the prior; it has the true one
# here, so that the prior is left out of the doubt. An estimate of it
# (:func:`lopsided.priors.estimate_prior`) can be passed as it is, and makes intervals wider.


def learn(y):
    """Return blind scores of a model of these labels."""
    return build("focused-fast", prior=prior, random_state=0).fit(X, y).oob_decision_function_


def judge(y, scores):
    """Return one line for each metric: estimate, interval, truth, and the naive value."""
    known = {"prior": prior, "random_state": 0}
    recall = pu_bootstrap("pu_recall_at_k", y, scores, k=K, **known)
    precision = pu_bootstrap("pu_average_precision", y, scores, **known)
    truth = recall_at_k(y_true, scores, K), average_precision(y_true, scores)
    naive = np.nan, average_precision(y, scores)
    return [
        (name, one.value, one.clipped, one.low, one.high, *others)
        for name, one, *others in zip(TITLES, (recall, precision), truth, naive, strict=True)
    ]


NAIVE = "unlabeled as negative"
COLUMNS = ["metric", "estimate", "clipped", "low", "high", "truth", NAIVE]
draws = [SCAR(HIDDEN).draw(X, y_true, rng=draw) for draw in range(N_DRAWS)]
found = pd.DataFrame([line for y in draws for line in judge(y, learn(y))], columns=COLUMNS)
print(found.groupby("metric", sort=False)[["truth", "estimate", NAIVE]].mean().round(3))

# %%
# Do the intervals hold the truth?
# --------------------------------
# An interval of 90 % is to miss one time in ten. It knows the luck of which positives are
# labeled, for a ranking that is given. A model that is fitted on the same labels moves with
# them, of which the interval knows nothing. So both are counted: rankings learned from each
# draw, and a ranking that was there before, such as the score of a desk.

given = learn(SCAR(HIDDEN).draw(X, y_true, rng=N_DRAWS))
fixed = pd.DataFrame([line for y in draws for line in judge(y, given)], columns=COLUMNS)
for name, some in {"learned from the labels": found, "given": fixed}.items():
    held = some["truth"].between(some["low"], some["high"]).groupby(some["metric"]).sum()
    for metric, title in TITLES.items():
        print(f"{title}, ranking {name}: {held[metric]} of {N_DRAWS} intervals hold the truth")

# %%
# Intervals beside the truth
# --------------------------
# One bar is one draw, learned from anew. A single estimate scatters widely, since it rests on a
# few dozen labeled rows; one above 1 is shown as 1, and counted as it is in the mean. Average
# precision with unlabeled rows as negatives says how few labels there are more than how good
# the order is. For recall the plain share of the labeled rows is the estimate, and right under
# SCAR.

fig, axes = plt.subplots(2, 1, figsize=(8.5, 6.5), sharex=True, layout="constrained")
numbers = np.arange(1, N_DRAWS + 1)
for ax, (metric, title) in zip(axes, TITLES.items(), strict=True):
    some = found[found["metric"] == metric]
    bars = [some["clipped"] - some["low"], some["high"] - some["clipped"]]
    label = "from PU labels, 90 % interval"
    ax.errorbar(numbers, some["clipped"], bars, fmt="C0o", capsize=3, label=label)
    ax.plot(numbers, some["truth"], "kx", label="truth")
    ax.plot(numbers, some[NAIVE], "C1s", label=NAIVE)
    ax.set(ylabel=title, ylim=(0, 1.05))
axes[1].set(xlabel="draw of the labels")
axes[0].legend(*axes[1].get_legend_handles_labels(), loc="upper center", ncols=3)
plt.show()
