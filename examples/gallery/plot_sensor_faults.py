"""
Sensor faults: missing values, local outliers, reasons
======================================================

A test stand records a dozen sensors in each run. A few runs are known to be faulty; most
faults went by unnoticed. The table is made up and has two kinds of faults. In one, a bearing
runs hot: vibration and oil temperature are high. In the other, a pressure sensor drifts away
from its twin: each value is usual by itself, and only the pair is not. Such rows are *local
outliers*: no column tells them, the distance to their neighbors does. Some cells are missing,
as sensors drop out.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import lopsided
from lopsided.exceptions import PriorWarning
from lopsided.methods.focused import OutlierClassifier

N_ROWS, N_LABELED = 2000, 12
plt.style.use("tableau-colorblind10")

rng = np.random.default_rng(0)
load, weather = rng.normal(size=(2, N_ROWS))
kind = rng.choice(["none", "bearing", "drift"], size=N_ROWS, p=[0.97, 0.015, 0.015])
pressure = 5 + load
sensors = {
    "pressure_1": pressure + 0.1 * rng.normal(size=N_ROWS),
    "pressure_2": pressure + 0.1 * rng.normal(size=N_ROWS) + 1.5 * (kind == "drift"),
    "vibration": np.exp(0.3 * rng.normal(size=N_ROWS) + 0.9 * (kind == "bearing")),
    "oil": 80 + 4 * load + 2 * rng.normal(size=N_ROWS) + 6 * (kind == "bearing"),
    "ambient": 20 + 6 * weather,
    "coolant": 60 + 3 * load + 3 * weather + 0.5 * rng.normal(size=N_ROWS),
}
sensors |= {f"current_{i}": 10 + load + 0.2 * rng.normal(size=N_ROWS) for i in range(1, 7)}
table = pd.DataFrame(sensors).round(3).mask(rng.random((N_ROWS, 12)) < 0.05)

y_true = (kind != "none").astype(int)
table["fault"] = 0
table.loc[rng.choice(np.flatnonzero(y_true), N_LABELED, replace=False), "fault"] = 1
print(f"{N_LABELED} of {y_true.sum()} faults are labeled; cells missing: ", end="")
print(f"{table.isna().to_numpy().mean():.1%}")

# %%
# Rank the runs
# -------------
# Missing cells stay missing: trees send them to the better side, and the other members of the
# ensemble impute them and are told where. On a table of this size ``focused`` also gives some
# of its forests two columns that no label is read for, the distance to the nearest neighbors
# and the local outlier factor. ``naive-xgb`` is the baseline. A third order reads no label at
# all: :class:`lopsided.methods.focused.OutlierClassifier`, outliers first.

warnings.simplefilter("ignore", PriorWarning)  # with few labels the prior is not identified
unlabeled = (table["fault"] == 0).to_numpy()
models = {
    method: lopsided.fit(table, label="fault", method=method, random_state=0)
    for method in ("focused", "naive-xgb")
}
print(models["focused"].prior_estimate())
orders = {name: model.rank(table, reasons=0)["id"] - 1 for name, model in models.items()}
outliers = OutlierClassifier(random_state=0).fit(table.drop(columns="fault"), table["fault"])
far = outliers.decision_function(table.drop(columns="fault"))
by_distance = np.argsort(-np.where(unlabeled, far, -np.inf), kind="stable")
orders["outliers, no label"] = by_distance[: unlabeled.sum()]

# %%
# Why is this run on top?
# -----------------------
# The list of runs has reasons, the columns that lift a run most. Not every run on top is
# faulty, and a reason says what moved the model, not what broke: an engineer may disagree.
# :meth:`lopsided.TableModel.explain` splits one score into what every column adds, in log-odds.
# Of two columns that tell the same either may get the credit: where a pair is off, look at
# both.

top = models["focused"].rank(table, top=10)
top.insert(2, "truth", kind[top["id"] - 1])
print(top[["rank", "id", "truth", "reasons"]].head(5).to_string(index=False))
confirmed = top.loc[top["truth"] != "none", "id"].iloc[0]
why = models["focused"].explain(table, confirmed)
print(f"Reasons of run {confirmed}, the first that inspection confirms:")
print(", ".join(map(str, why.reasons[:3])))

# %%
# Finds, and the reasons of one of them
# -------------------------------------
# A tree that cuts one column at a time hardly sees a drift; a hot bearing is easier. The curves
# count both, and the lines below tell them apart. The right plot has the columns that add most
# to the score of the first confirmed run, or take most away.

fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4.3), layout="constrained")
n_hidden, reviews = int(y_true[unlabeled].sum()), np.arange(301)
styles = {"focused": "C0-", "naive-xgb": "C1-", "outliers, no label": "C3-"}
for name, order in orders.items():
    finds = np.r_[0, np.cumsum(y_true[np.asarray(order)])]
    left.plot(reviews, finds[reviews], styles[name], label=name)
    first = kind[np.asarray(order)[:100]]
    drifts, bearings = (first == "drift").sum(), (first == "bearing").sum()
    print(f"{name}: {drifts} drifts and {bearings} hot bearings in the first 100 runs")
left.plot(reviews, n_hidden * reviews / unlabeled.sum(), "C2--", label="random order")
left.axhline(n_hidden, color="black", linestyle=":", label="all hidden faults")
left.set(xlabel="runs inspected, from the top", ylabel="hidden faults found")
left.set(xlim=(0, 300), ylim=(0, None))
left.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3, fontsize="small")

shown = sorted(why.reasons, key=lambda one: abs(one.contribution))[-6:]
labels = [f"{one.column} = {one.value}" for one in shown]
added = np.array([one.contribution for one in shown])
right.barh(labels, added.clip(0), color="C0", label="lifts the run")
right.barh(labels, added.clip(None, 0), color="C5", label="lowers it")
right.axvline(0, color="0.4", linewidth=0.8)
right.set(xlabel="log-odds added to the score", ylabel="column and its cell")
right.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2, fontsize="small")
plt.show()
