"""
From a table of claims to a ranking
===================================

An insurer knows some frauds: the claims that a reviewer confirmed. A few others were reviewed
and cleared. Nobody has looked at the rest, and some of these are fraud as well. Such labels are
*positive and unlabeled* (PU). The task is to order the unlabeled claims so that a desk which
reviews them from the top finds frauds early.

The claims are made up, so that the truth is known and the order can be judged.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

import lopsided
from lopsided.datasets import make_claims
from lopsided.exceptions import PriorWarning

N_ROWS = 3000
plt.style.use("tableau-colorblind10")

claims = make_claims(N_ROWS, random_state=0)
table = claims.table
print(table.drop(columns=["claim_no", "time", "age"]).head(3).to_string(index=False))
print(table["status"].replace("", "nobody looked").value_counts().to_string())

# %%
# Learn and rank
# --------------
# Amounts, dates, percentages and blanks stay as they are written: :func:`lopsided.fit` reads
# them. A confirmed claim is a labeled positive, a cleared one a reviewed negative, and a blank
# is unlabeled. Every claim is scored by models that have not seen it, so that one table serves
# to learn and to rank.
#
# The share of frauds is estimated along with it. Where a table does not identify it, a
# ``PriorWarning`` says what is printed here: probabilities rest on that share, the order of the
# claims does not.

warnings.simplefilter("ignore", PriorWarning)
roles = {"label": "status", "positive": "confirmed", "negative": "cleared", "id": "claim_no"}
model = lopsided.fit(table, **roles, random_state=0)
print(model.prior_estimate())
ranked = model.rank(table)
print(ranked[["rank", "id", "score", "reasons"]].head(3).to_string(index=False))

# %%
# The baseline
# ------------
# ``naive-xgb`` takes unlabeled claims for honest ones and fits XGBoost. It is what most people
# would try first, and a method that does not beat it is not worth its trouble. It learns from
# the same table, cleared claims included. Beside it stands a desk that draws claims at random:
# after k reviews it expects to have found the share k / n of the hidden frauds.

baseline = lopsided.fit(table, **roles, method="naive-xgb", random_state=0).rank(
    table, reasons=0
)
truth = dict(zip(table["claim_no"], claims.y_true, strict=True))


def count_finds(ranking):
    """Return the hidden frauds among the first k claims, for k = 0, 1, 2, ..."""
    return np.r_[0, np.cumsum([truth[claim] for claim in ranking["id"]])]


finds = {"focused": count_finds(ranked), "naive-xgb": count_finds(baseline)}
n_unlabeled, n_hidden = len(ranked), int(finds["focused"][-1])
for k in (50, 100, 200):
    found = ", ".join(f"{name} {curve[k]}" for name, curve in finds.items())
    print(f"{k} reviews of {n_unlabeled}: {found}, at random {n_hidden * k / n_unlabeled:.1f}")

# %%
# What reviews would find
# -----------------------
# The steeper a curve leaves the origin, the fewer honest customers are bothered for a find. The
# dotted line is how many frauds are hidden: no curve can pass it, and nobody at the desk knows
# where it is. Where curves cross, a find more or less is luck. Why then ``focused``? It has the
# higher mean over many tables (:doc:`/choosing`), and here more frauds among the very first.

fig, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
reviews = np.arange(min(600, n_unlabeled) + 1)
for name, curve in finds.items():
    ax.plot(reviews, curve[reviews], label=name)
ax.plot(reviews, n_hidden * reviews / n_unlabeled, "--", label="random order")
ax.axhline(n_hidden, color="black", linestyle=":", label="all hidden frauds")
ax.set(xlabel="claims reviewed, from the top", ylabel="hidden frauds found")
ax.set(xlim=(0, reviews[-1]), ylim=(0, None))
ax.legend(loc="center right")
plt.show()
