"""
How many positives are hidden: a prior with its interval
========================================================

The *prior* is the share of positives in a table. Labels and scores do not identify it by
themselves: few positives that are often labeled look like many that are rarely labeled, unless
the top of the ranking holds positives only. :func:`lopsided.priors.estimate_prior` returns a
value, an interval, and a verdict on whether this table tells the prior at all.

Two bundled tables with a known prior: ``digits-8``, where the positives stand apart, and
``diabetes-top``, where they overlap with the rest.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from lopsided import build
from lopsided.datasets import load
from lopsided.exceptions import PriorWarning
from lopsided.labeling import SCAR
from lopsided.priors import Beta, estimate_prior

SHARES = (0.1, 0.25, 0.5, 0.75, 0.9)  # of the positives, labeled
plt.style.use("tableau-colorblind10")
warnings.simplefilter("ignore", PriorWarning)  # the verdict is plotted instead

# %%
# Estimates at several label shares
# ---------------------------------
# Labels are drawn completely at random (SCAR), and rows are scored out-of-bag: a model ranks
# the labeled rows that it was fitted on too high, and the prior would come out too low. Without
# a word on the *label frequency*, the share of positives that get labeled, the belief is
# ``Beta(2, 2)``: about half of them. The second estimate is told more, as an audit of a random
# sample might tell it: 20 positives were looked up, and so many of them were labeled.


def estimate_all(data):
    """Return estimates without and with a belief that comes from an audit, by label share."""
    plain, told = [], []
    for share in SHARES:
        y = SCAR(hidden=1 - share).draw(data.X, data.y_true, rng=0)
        model = build("focused-fast", random_state=0).fit(data.X, y)
        scores = model.oob_decision_function_
        audit = Beta(1 + 20 * share, 1 + 20 * (1 - share))
        plain.append(estimate_prior(y, scores, random_state=0))
        told.append(estimate_prior(y, scores, label_frequency=audit, random_state=0))
    return plain, told


tables = {name: load(name) for name in ("digits-8", "diabetes-top")}
estimates = {name: estimate_all(data) for name, data in tables.items()}
for name, (plain, _) in estimates.items():
    truth = tables[name].y_true.mean()
    for share, one in zip(SHARES, plain, strict=True):
        held = "holds" if one.low <= truth <= one.high else "misses"
        verdict = "" if one.identified else ", not identified"
        print(f"{name}, {share:.0%} labeled: the interval {held} the truth{verdict}")

# %%
# Against the truth
# -----------------
# Hollow points are those where the verdict is that the table does not identify the prior: the
# value is then little more than the belief. The dashed line takes unlabeled for negative, the
# naive answer, which is too low by all that is hidden. Where far fewer or far more than half of
# the positives are labeled, the default leans on its belief, and its interval may miss the
# truth without a word: this is where a number from outside is worth most.

fig, axes = plt.subplots(1, 2, figsize=(10, 4.3), sharey=True, layout="constrained")
for ax, (name, found) in zip(axes, estimates.items(), strict=True):
    truth = tables[name].y_true.mean()
    for some, color, shift in zip(found, ("C0", "C5"), (-0.012, 0.012), strict=True):
        for share, one in zip(SHARES, some, strict=True):
            ax.errorbar(
                share + shift,
                one.value,
                [[one.value - one.low], [one.high - one.value]],
                fmt="o",
                color=color,
                markerfacecolor=color if one.identified else "white",
                capsize=3,
            )
    for color, label in (("C0", "belief Beta(2, 2)"), ("C5", "belief from an audit")):
        ax.plot([], [], "o-", color=color, label=f"{label}, 90 %")
    ax.plot([], [], "o", color="C0", markerfacecolor="white", label="not identified")
    ax.axhline(truth, color="black", linestyle=":", label="truth")
    ax.plot(SHARES, truth * np.array(SHARES), "C1--", label="unlabeled as negative")
    ax.set(title=name, xlabel="share of positives labeled", yscale="log")
axes[0].set(ylabel="prior", yticks=[0.01, 0.03, 0.1, 0.3])
axes[0].yaxis.set_major_formatter("{x:g}")
axes[0].legend(loc="lower right", fontsize="small")
plt.show()
