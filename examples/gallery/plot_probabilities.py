"""
What a score means: probabilities, and the prior behind them
============================================================

A probability is *calibrated* if of the rows at 0.7 about 70 in 100 are positive. Without
negatives this takes one more number than labels and scores can give: the *prior*, the share of
positives. ``focused`` estimates it unless it is given, and calibrates its scores to it. A
classifier that takes unlabeled for negative estimates something else, the probability to be
*labeled*, which is lower wherever positives are hidden.

The table is made up, with a large second sample from the same source to compare with the truth.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.calibration import calibration_curve

from lopsided import build
from lopsided.calibration import fit_calibration, pu_reliability_curve
from lopsided.labeling import SCAR

N_ROWS, N_NEW = 3000, 20_000
plt.style.use("tableau-colorblind10")


def make_rows(n_rows, rng):
    """Return rows, and which are positive: about one in eight."""
    X = rng.normal(size=(n_rows, 6))
    log_odds = -5 + 2.5 * X[:, 0] + 2 * np.maximum(X[:, 1], X[:, 2])
    return X, (rng.random(n_rows) < 1 / (1 + np.exp(-log_odds))).astype(int)


rng = np.random.default_rng(0)
X, y_true = make_rows(N_ROWS, rng)
X_new, y_new = make_rows(N_NEW, rng)
y = SCAR(hidden=0.6).draw(X, y_true, rng=0)
print(f"{y.sum()} rows are labeled; in truth a share of {y_true.mean():.3f} is positive")

# %%
# Reliability against the truth
# -----------------------------
# Both models are fitted on the labels and give probabilities of new rows. Where the line of a
# model runs on the diagonal, its probabilities are what they say. The labels can tell much of
# this: :func:`lopsided.calibration.pu_reliability_curve` needs no truth, only the prior and
# probabilities of rows that the model has not seen. Its band takes the prior for granted: if
# the estimate is too low, so are the probabilities and the band.

models = {
    "focused": build("focused", random_state=0).fit(X, y),
    "naive-xgb": build("naive-xgb", random_state=0).fit(X, y),
}
prior = models["focused"].prior_estimate_
print(prior)
for name, model in models.items():
    mean = model.predict_proba(X_new)[:, 1].mean()
    print(
        f"{name}: mean probability {mean:.3f}, positives among the new rows {y_new.mean():.3f}"
    )

fig, ax = plt.subplots(figsize=(6, 5), layout="constrained")
for (name, model), style in zip(models.items(), ("C0o-", "C1s-"), strict=True):
    proba = model.predict_proba(X_new)[:, 1]
    share, given = calibration_curve(y_new, proba, n_bins=8)
    ax.plot(given, share, style, label=f"{name}, by the truth")
scores = models["focused"].oob_decision_function_
blind = pu_reliability_curve(y, 1 / (1 + np.exp(-scores)), prior, n_bins=8)
band = (blind.prob_pred, blind.low, blind.high)
ax.fill_between(*band, color="C0", alpha=0.2, label="focused, by the labels, 90 %")
ax.plot([0, 1], [0, 1], "k:", label="calibrated")
ax.set(xlabel="probability given", ylabel="share of positives", xlim=(0, 1), ylim=(0, 1))
ax.legend(fontsize="small", loc="upper left")

# %%
# The same scores, another prior
# ------------------------------
# :func:`lopsided.calibration.fit_calibration` maps blind scores to log-odds for any prior. The
# order of the rows stays, the probabilities do not: half of the true prior makes them too small
# on average, its double too large. Labels and scores alone cannot say which line is right; an
# estimate that is off takes all probabilities along.

fig, ax = plt.subplots(figsize=(7, 4.3), layout="constrained")
order = np.argsort(-scores, kind="stable")
for factor, style in ((0.5, "C4--"), (1, "C0-"), (2, "C5-.")):
    given = factor * y_true.mean()
    log_odds = fit_calibration(scores, y, given).transform(scores)
    proba = 1 / (1 + np.exp(-log_odds))
    ax.plot(np.arange(len(y)), proba[order], style, label=f"prior {given:.3f}")
    print(f"prior {given:.3f}: mean probability {proba.mean():.3f}")
ax.set(xlabel="rows, from the top", ylabel="probability", xlim=(0, 4 * y_true.sum()))
ax.set(ylim=(0, 1))
ax.legend(title="truth, its half, its double", fontsize="small")
plt.show()
