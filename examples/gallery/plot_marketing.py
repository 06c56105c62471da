"""
Prospects who respond: gain, expected finds, and how many to contact
====================================================================

A shop has a file of people who responded to a campaign, and a table of prospects of whom
nothing is known. Some of the prospects would respond as well. The labeled rows are a sample of
their own and no part of the table: the *two-sample* scenario of PU learning, also called
case-control. The prior is then the share of responders among the prospects.

The prospects are made up, so that the truth is known.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from lopsided import build
from lopsided.diagnostics import expected_finds
from lopsided.exceptions import PriorWarning
from lopsided.model_selection import out_of_fold_scores

N_ROWS, N_LABELED = 4000, 150
COST, GAIN = 2, 15  # of a contact, and of a response
plt.style.use("tableau-colorblind10")


def make_people(n_rows, rng):
    """Return people and who of them responds: one in twenty or so."""
    people = pd.DataFrame(
        {
            "age": rng.normal(45, 15, n_rows).clip(18, 90).round(),
            "income": rng.lognormal(10.3, 0.5, n_rows).round(-2),
            "visits": rng.poisson(2, n_rows),
            "days_since_visit": rng.exponential(60, n_rows).round(),
            "newsletter": rng.random(n_rows) < 0.3,
            "basket": rng.lognormal(3, 0.8, n_rows).round(2),
        }
    )
    recent = np.exp(-people["days_since_visit"] / 30)
    log_odds = (
        -6.2 + 0.5 * people["visits"] + 2 * recent + 1.5 * people["newsletter"] * recent
        - ((people["age"] - 38) / 15) ** 2 / 2 + 0.5 * np.log(people["basket"])
    )  # fmt: skip
    return people, (rng.random(n_rows) < 1 / (1 + np.exp(-log_odds))).astype(int)


rng = np.random.default_rng(0)
prospects, y_true = make_people(N_ROWS, rng)
others, responded = make_people(40 * N_LABELED, rng)
responders = others[responded == 1].head(N_LABELED)
print(f"{len(responders)} responders, {len(prospects)} prospects")

# %%
# One table, blind scores
# -----------------------
# Responders are labeled 1 and prospects 0, one below the other. All rows are scored by models
# that were fitted without them: of the prospects the truth is unknown, and responders that a
# model was fitted on would stand too high to say where a responder stands. The order needs no
# prior, and so the warning that this table does not identify one is left out.

warnings.simplefilter("ignore", PriorWarning)
X = pd.concat([responders, prospects], ignore_index=True)
y = np.repeat([1, 0], [len(responders), len(prospects)])
scores = {
    method: out_of_fold_scores(build(method), X, y, random_state=0)
    for method in ("focused", "naive-xgb")
}

# %%
# Gain
# ----
# The gain at k is the share of all responders among the first k prospects; over k / n it is the
# *lift*. The curves count true responders. ``naive-xgb`` takes every prospect for someone who
# does not respond.


def count_responders(method):
    """Return the responders among the first k prospects, for k = 0, 1, 2, ..."""
    order = np.argsort(-scores[method][y == 0], kind="stable")
    return np.r_[0, np.cumsum(y_true[order])]


responses = {method: count_responders(method) for method in scores}
contacts = np.arange(len(prospects) + 1)
tenth = len(prospects) // 10
fig, ax = plt.subplots(figsize=(6, 4.3), layout="constrained")
for method, curve in responses.items():
    ax.plot(contacts / len(prospects), curve / curve[-1], label=method)
    print(f"{method}: lift {curve[tenth] / curve[-1] * 10:.1f} in the first tenth")
ax.plot([0, 1], [0, 1], "--", color="C2", label="random order")
ax.set(xlabel="share of prospects contacted", ylabel="share of responders reached (gain)")
ax.set(xlim=(0, 1), ylim=(0, 1))
ax.legend(loc="lower right")

# %%
# How many to contact
# -------------------
# A contact costs something and a response brings something. The share of responders among
# prospects is taken as known within limits, from earlier campaigns: between 3 and 8 in 100.
# :func:`lopsided.diagnostics.expected_finds` turns it and the blind scores into the responders
# to expect, with a band. Contact as many as the expected profit is largest for. The truth,
# which nobody has at that time, tells what the choice was worth.
#
# The band is as wide as the limits of the share are apart. A choice made by the expectation
# alone can lose money where the band goes below zero.

sizes = np.arange(50, len(prospects), 50)
found = expected_finds(y, scores["focused"], sizes, prior=(0.03, 0.08), scenario="two-sample")
expected, low, high = (
    GAIN * np.array([getattr(one, name) for one in found]) - COST * sizes
    for name in ("value", "low", "high")
)
fig, ax = plt.subplots(figsize=(7.5, 4.5), layout="constrained")
ax.fill_between(sizes, low, high, alpha=0.2, label="focused, 90 % band")
ax.plot(sizes, expected, "C0--", label="focused, expected")
profit = {method: GAIN * curve - COST * contacts for method, curve in responses.items()}
for method, curve in profit.items():
    ax.plot(contacts, curve, label=f"{method}, true")
choice = sizes[np.argmax(expected)]
ax.axvline(choice, color="black", linestyle=":", label="choice")
ax.axhline(0, color="0.6", linewidth=0.8)
half = len(prospects) // 2
ax.set(xlabel="prospects contacted", ylabel="profit", xlim=(0, half))
ax.set(ylim=(low[sizes <= half].min(), None))
ax.legend(loc="lower left")

best = profit["focused"]
print(f"{y_true.mean():.1%} of the prospects respond; {COST / GAIN:.1%} would pay the contacts")
print(f"chosen: {choice} contacts, expected profit {expected.max():.0f}, true {best[choice]}")
print(f"in hindsight: {best.argmax()} contacts, {best.max()}; everybody: {best[-1]}")
plt.show()
