"""Print how far probabilities of being positive are off, against the truth of unseen rows.

`focused` is judged as it ships: its `predict_proba` of test rows, with the prior that it
estimates and with the true one. Beside it stand other maps of the same scores, its members'
sum before calibration: each is fitted on the out-of-fold scores of the training rows and their
PU labels, and applied to the test rows; the truth of the test rows judges it. That sum is no
log-odds of anything: raw scores through a sigmoid only show what not calibrating costs. Scaling
by Elkan and Noto, and by the label frequency, start from the probability to be labeled.

Expected calibration error is over 10 bins of equal width; over 10 of equal mass beside it.
Brier score and log-loss are relative to a constant, the share of positives in training. A macro
mean is over data sets, of means over their cells. Repeats from 100 on were for choosing the
default map, those from 0 on are for the report. Cells that are not there are made first.

    python benchmarks/calibration.py [--first 0] [--repeats 5] [--cells out/cells] [--jobs 1]
        [--prior true auto half twice] [--out benchmarks/results/calibration.md]
"""

import argparse
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from cells import OUT, Cell, Key, list_keys, load_cell, make_cells

from lopsided._files import atomic_write
from lopsided._math import sigmoid
from lopsided._progress import Bar
from lopsided.calibration import fit_calibration

SHIPPED = "focused, as it ships"
DEFAULT = "beta"  # the map that it has
N_BINS = 10
PRIORS = ("true", "auto", "half", "twice")  # the last two are wrong on purpose
TARGETS = {"true": 0.02, "auto": 0.03}
COLUMNS = ["ECE", "ECE, equal mass", "Brier", "log-loss", "mean / prior", "off by chance"]
_EPS = 1e-9


def calibration_error(proba: Any, truth: Any, strategy: str = "uniform") -> float:
    """Return the expected calibration error against the truth."""
    if strategy == "uniform":
        bin_of = np.minimum((proba * N_BINS).astype(int), N_BINS - 1)
    else:
        bin_of = np.empty(len(proba), dtype=int)
        bin_of[np.argsort(proba, kind="stable")] = np.arange(len(proba)) * N_BINS // len(proba)
    return float(np.abs(np.bincount(bin_of, proba - truth, N_BINS)).sum() / len(proba))


def log_loss(proba: Any, truth: Any) -> float:
    inside = np.clip(proba, _EPS, 1 - _EPS)
    return -float(np.mean(np.where(truth == 1, np.log(inside), np.log1p(-inside))))


def judge(proba: Any, cell: Cell) -> list[float]:
    """Return the columns of the table, for probabilities of the test rows."""
    truth, base = cell.y_test_true, float(cell.y_true.mean())
    constant = np.full(len(truth), base)
    draws = np.random.default_rng(0).random((20, len(truth))) < proba
    return [
        calibration_error(proba, truth),
        calibration_error(proba, truth, "quantile"),
        float(np.mean((proba - truth) ** 2) / np.mean((constant - truth) ** 2)),
        log_loss(proba, truth) / log_loss(constant, truth),
        float(proba.mean()) / base,
        # What the first column would be if these probabilities were right.
        float(np.mean([calibration_error(proba, drawn) for drawn in draws])),
    ]


def fit_nnpu_platt(scores: Any, y: Any, prior: float) -> tuple[float, float]:
    """Return the line that minimises the non-negative PU log-loss, slope and intercept."""
    from scipy.optimize import minimize

    from lopsided.losses import LogisticLoss
    from lopsided.risks import ClipAtZero, nnpu

    risk = nnpu(LogisticLoss(), clamp=ClipAtZero())
    center, scale = scores.mean(), scores.std() or 1.0
    places = (scores - center) / scale

    def objective(theta: Any) -> tuple[float, Any]:
        log_odds = theta[0] * places + theta[1]
        slopes = risk.gradient(log_odds, y, prior)
        penalty = 1e-3 / len(y) * theta[0]
        value = float(risk.objective(log_odds, y, prior)) + penalty * theta[0] / 2
        return value, np.array([slopes @ places + penalty, slopes.sum()])

    slope, intercept = minimize(
        objective, [1.0, 0.0], jac=True, method="L-BFGS-B", bounds=[(1e-3, None), (None, None)]
    ).x
    return slope / scale, intercept - slope * center / scale


def calibrate(cell: Cell, prior: float) -> dict[str, Any]:
    """Return the probabilities of the test rows by each map of the raw scores."""
    from sklearn.calibration import _SigmoidCalibration

    scores, y, test = cell.oob, cell.y, cell.test
    of_labels = _SigmoidCalibration().fit(scores, y)
    labeled = of_labels.predict(test)  # the probability to be labeled
    label_frequency = y.mean() / max(prior, y.mean())
    slope, intercept = fit_nnpu_platt(scores, y, prior)
    found = {
        "raw scores": sigmoid(test),
        "CalibratedClassifierCV on PU labels": labeled,
        "Elkan-Noto scaling": np.minimum(labeled / of_labels.predict(scores[y == 1]).mean(), 1),
        "divided by the label frequency": np.minimum(labeled / label_frequency, 1),
        "platt on the nnPU log-loss": sigmoid(slope * test + intercept),
    }
    for method in ("temperature", "platt", "beta", "isotonic"):
        found[method] = sigmoid(fit_calibration(scores, y, prior, method).transform(test))
    known = fit_calibration(scores, cell.y_true, float(cell.y_true.mean()), DEFAULT)
    found[f"{DEFAULT}, fitted on the truth"] = sigmoid(known.transform(test))
    return found


def take_shipped(cell: Cell, kind: str) -> dict[str, Any]:
    """Return what `focused` says of the test rows, with the priors that it was fitted with."""
    fitted = {"true": cell.proba_true, "auto": cell.proba}
    return {SHIPPED: fitted[kind]} if kind in fitted else {}


def settle_prior(cell: Cell, kind: str) -> float:
    """Return a prior of the training rows: the true one, a wrong one, or an estimate."""
    factors = {"true": 1, "half": 0.5, "twice": 2}
    prior = cell.prior if kind == "auto" else factors[kind] * cell.y_true.mean()
    return float(np.clip(prior, cell.y.mean(), 0.9))


def run(keys: list[Key], folder: Path, kinds: list[str]) -> Any:
    """Return a table of one row for each cell, prior and map."""
    import pandas as pd

    rows = []
    with Bar(len(keys), "calibration") as bar:
        for key in keys:
            cell = load_cell(key, folder)
            for kind in kinds:
                others = calibrate(cell, settle_prior(cell, kind))
                for name, proba in (take_shipped(cell, kind) | others).items():
                    rows.append((*key, kind, name, *judge(proba, cell)))
            bar.advance()
    return pd.DataFrame(rows, columns=[*Key._fields, "prior", "map", *COLUMNS])


def as_markdown(table: Any, first: str, digits: int = 3) -> str:
    """Return a table in Markdown, numbers to the right."""
    lines = [
        f"| {' | '.join([first, *map(str, table.columns)])} |",
        f"| --- |{' ---: |' * len(table.columns)}",
    ]
    for name, row in zip(table.index, table.to_numpy(), strict=True):
        lines.append(f"| {name} | {' | '.join(f'{value:.{digits}f}' for value in row)} |")
    return "\n".join(lines)


def render(results: Any, n_cells: int, command: str) -> str:
    """Return the report."""
    parts = ["# Calibration", f"    {command}", f"{n_cells} cells are averaged."]
    for kind, own in results.groupby("prior", sort=False):
        by_set = own.groupby(["map", "dataset"], sort=False)[COLUMNS].mean()
        macro = by_set.groupby("map", sort=False).mean()
        judged = SHIPPED if SHIPPED in macro.index else DEFAULT
        found, target = float(macro.loc[judged, "ECE"]), TARGETS.get(str(kind))
        verdict = f"Macro ECE of {judged}: {found:.4f}"
        if target is not None:
            word = "met" if found <= target else "missed"
            verdict += f"; target at most {target}: {word}"
        chosen = own[own["map"] == judged]
        settings = own.pivot_table(
            index="map", columns=["mechanism", "hidden"], values="ECE", sort=False
        )
        settings.columns = [f"{one}, {100 * (1 - hidden):.0f} %" for one, hidden in settings]
        parts += [
            f"## Prior: {kind}",
            f"{verdict}.",
            as_markdown(macro, "map"),
            "ECE by mechanism and share of positives that are labeled:",
            as_markdown(settings, "map"),
            f"By data set, {judged}:",
            as_markdown(chosen.groupby("dataset", sort=False)[COLUMNS].mean(), "data set"),
        ]
    return "\n\n".join(parts) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--cells", type=Path, default=OUT)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--prior", nargs="+", choices=PRIORS, default=["true", "auto"])
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    keys = list_keys(range(options.first, options.first + options.repeats))
    make_cells(keys, options.cells, options.jobs)
    results = run(keys, options.cells, options.prior)
    command = " ".join(["python benchmarks/calibration.py", *sys.argv[1:]])
    text = render(results, len(keys), command)
    if options.out is not None:
        with atomic_write(options.out) as draft:
            draft.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
