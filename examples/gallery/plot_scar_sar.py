"""
Labels given at random, and labels that are not
===============================================

Nearly everything that can be said of a table without negatives rests on one assumption: labeled
positives are *selected completely at random* (SCAR). Often they are not. Where plain cases get
labeled first, those that look like negatives stay hidden: labels are *selected at random* given
the row (SAR), here toward "near", as hidden positives are near to negatives. Toward "far" it is
the plain cases that stay hidden.

On a table of two columns with a known truth, :mod:`lopsided.labeling` hides the same share of
the positives in all three ways.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from lopsided import build
from lopsided.exceptions import PriorWarning
from lopsided.labeling import SAR, SCAR
from lopsided.metrics import average_precision, pu_recall_at_k, recall_at_k
from lopsided.model_selection import out_of_fold_scores
from lopsided.priors import estimate_prior

HIDDEN, K, N_DRAWS = 0.75, 100, 5
plt.style.use("tableau-colorblind10")
warnings.simplefilter("ignore", PriorWarning)  # the priors are plotted beside the truth

rng = np.random.default_rng(0)
y_true = np.repeat([1, 0], [100, 1900])
X = np.r_[rng.normal(2.5, 1.2, (100, 2)), rng.normal(0, 1, (1900, 2))]
mechanisms = {
    "SCAR": SCAR(HIDDEN),
    "SAR near": SAR(HIDDEN, toward="near"),
    "SAR far": SAR(HIDDEN, toward="far"),
}

# %%
# What the labels say, and what is true
# -------------------------------------
# Each draw of labels is learned from and judged blind. Recall among the first k rows is once
# estimated from the labels, as on any table, and once counted by the truth. The prior is
# estimated too. Average precision by the truth says what became of the ranking itself, beside
# the baseline ``naive-xgb``.

rows = []
for name, mechanism in mechanisms.items():
    for draw in range(N_DRAWS):
        y = mechanism.draw(X, y_true, rng=draw)
        scores = build("focused-fast", random_state=0).fit(X, y).oob_decision_function_
        naive = out_of_fold_scores(build("naive-xgb"), X, y, cv=3, random_state=0)
        rows.append(
            {
                "labels": name,
                "prior": estimate_prior(y, scores, random_state=0).value,
                "recall by labels": pu_recall_at_k(y, scores, K),
                "recall by truth": recall_at_k(y_true, scores, K),
                "focused-fast": average_precision(y_true, scores),
                "naive-xgb": average_precision(y_true, naive),
            }
        )
found = pd.DataFrame(rows)
print(f"prior in truth: {y_true.mean():.3f}")
print(found.groupby("labels", sort=False).mean().round(3).to_string())

# %%
# Which positives are labeled, and what that does
# -----------------------------------------------
# The upper row has the first draw of each way, the lower row a point for each draw. Under SCAR
# recall by labels scatters around the truth. Where the hidden positives are those that look
# like negatives, the labeled ones stand too high, and recall by labels is too good; where the
# plain ones are hidden it is too poor. The estimates of the prior are moved along with it. No
# metric made of these labels can notice: that takes a number from outside, such as an audit of
# random rows. Compare how far the order itself moves, in the last plot, before you give up on a
# ranking.

fig, axes = plt.subplots(2, 3, figsize=(11, 7), layout="constrained")
hollow = {"facecolors": "none", "edgecolors": "C1"}
for ax, (name, mechanism) in zip(axes[0], mechanisms.items(), strict=True):
    y = mechanism.draw(X, y_true, rng=0)
    ax.scatter(*X[y_true == 0].T, s=5, color="0.85", label="negative")
    ax.scatter(*X[(y_true == 1) & (y == 0)].T, s=22, label="hidden positive", **hollow)
    ax.scatter(*X[y == 1].T, s=22, color="C0", marker="D", label="labeled positive")
    ax.set(title=name, xlabel="column 1", ylabel="column 2")
axes[0, 0].legend(fontsize="small", loc="upper left")

panels = {
    "prior": {"prior": "C0o"},
    f"recall in the first {K} rows": {"recall by labels": "C0o", "recall by truth": "C5D"},
    "average precision by the truth": {"focused-fast": "C0o", "naive-xgb": "C1s"},
}
places = {name: place for place, name in enumerate(mechanisms)}
jitter = np.tile(np.linspace(-0.03, 0.03, N_DRAWS), len(mechanisms))
for ax, (title, columns) in zip(axes[1], panels.items(), strict=True):
    for side, (column, style) in zip((-0.08, 0.08), columns.items(), strict=False):
        where = found["labels"].map(places) + side + jitter
        ax.plot(where, found[column], style, alpha=0.7, markersize=5, label=column)
    ax.set(xlabel="how labels are given", ylabel=title, xlim=(-0.5, 2.5))
    ax.set_xticks(range(len(places)), places)
axes[1, 0].axhline(y_true.mean(), color="black", linestyle=":", label="truth")
axes[1, 0].set_ylim(0, None)
for ax in axes[1]:
    ax.legend(fontsize="small")
plt.show()
