"""
Reviews in rounds, and what each round teaches
==============================================

Somebody looks at the first forty claims of a list, confirms some as fraud and clears the
others. A model that learns from these verdicts makes another list, and the next forty come from
there.
:class:`lopsided.ReviewLoop` runs such rounds: it proposes rows, takes verdicts, fits again, and
says what to expect and when to stop.

The claims are made up, so that a line of code can play the reviewer.
"""

import matplotlib.pyplot as plt
import numpy as np

from lopsided import ReviewLoop, TableCleaner
from lopsided.datasets import make_claims

N_ROWS, N_ROUNDS, BATCH = 2000, 4, 40
plt.style.use("tableau-colorblind10")

claims = make_claims(N_ROWS, random_state=0)
X = TableCleaner().fit_transform(claims.table.drop(columns=["claim_no", "status"]))
y = (claims.table["status"] == "confirmed").to_numpy().astype(int)
n_hidden = int(claims.y_true.sum() - y.sum())
print(f"{y.sum()} frauds are known, {n_hidden} are hidden among {(y == 0).sum()} claims")


def review(rows):
    """Return verdicts that are never wrong: 1 is fraud, -1 is cleared."""
    return np.where(claims.y_true[rows] == 1, 1, -1)


# %%
# Rounds
# ------
# A cleared claim is a *reviewed negative*, label -1, and counts for more than an unlabeled one:
# it is negative for sure, and it looked like a positive. Each batch comes with the finds to
# expect and a band.


def run(method):
    """Return the loop after all rounds, its first list, and the rows as they were reviewed."""
    loop, reviewed = ReviewLoop(X, y, method), []
    first_list = np.argsort(-np.where(y == 0, loop.scores_, -np.inf), kind="stable")
    for _ in range(N_ROUNDS):
        batch = loop.query(BATCH)
        loop.teach(batch.rows, review(batch.rows))
        reviewed.extend(batch.rows)
    return loop, first_list[: len(reviewed)], np.array(reviewed)


loop, first_list, reviewed = run("focused")
_, _, by_naive = run("naive-xgb")
history = loop.history
shown = ["round", "positives", "expected", "expected_low", "expected_high", "inside"]
print(history[shown].round(1).to_string(index=False))
print(loop.advice())

# %%
# Finds, and the prior
# --------------------
# Left: the rounds of ``focused``, those of the baseline ``naive-xgb``, and the first list of
# ``focused`` followed to its end without learning. If the loop gains over the first list, the
# verdicts have taught it something; early on there is little to gain, as both begin with the
# same rows. Verdicts mend the baseline too: cleared claims are the negatives that it had to
# make up. With a handful of finds in a round, a lead of a few is luck as much as learning.
#
# Right: the estimated share of frauds after each round, with its interval. Few labels and a
# ranking without a pure top hardly identify it; a review that counts what it finds on the way
# down the list adds what no model can know.

orders = {
    "focused, in rounds": reviewed,
    "focused, first list": first_list,
    "naive-xgb, in rounds": by_naive,
}
fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4.3), layout="constrained")
reviews = np.arange(N_ROUNDS * BATCH + 1)
for (name, rows), style in zip(orders.items(), ("C0-", "C0--", "C1-"), strict=True):
    finds = np.r_[0, np.cumsum(claims.y_true[rows])]
    left.plot(reviews, finds, style, label=name)
    print(f"{name}: {finds[-1]} finds in {len(rows)} reviews")
left.plot(reviews, n_hidden * reviews / (y == 0).sum(), "C2--", label="random order")
for end in reviews[BATCH::BATCH]:
    left.axvline(end, color="0.9", linewidth=0.8, zorder=0)
left.set(xlabel="claims reviewed", ylabel="hidden frauds found", xlim=(0, None), ylim=(0, None))
left.legend(loc="upper left")

priors = [(row.prior, row.prior_low, row.prior_high) for row in history.itertuples()]
priors.append((loop.prior_.value, loop.prior_.low, loop.prior_.high))
value, low, high = np.array(priors).T
rounds = np.arange(N_ROUNDS + 1)
bars = [value - low, high - value]
right.errorbar(rounds, value, bars, fmt="o", capsize=4, label="estimate, 90 % interval")
right.axhline(claims.y_true.mean(), color="black", linestyle=":", label="truth")
right.axhline(y.mean(), color="C1", linestyle="--", label="labeled share at first")
right.set_xticks(rounds)
right.set(xlabel="rounds of reviews", ylabel="share of frauds (prior)", ylim=(0, None))
right.legend(loc="upper right")
plt.show()
