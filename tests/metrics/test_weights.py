import numpy as np
import pytest

from lopsided import metrics
from lopsided._sketch import ScoreSketch

SCENARIOS = ("one-sample", "two-sample")
PRIOR = {"one-sample": 0.3, "two-sample": 0.2}
WITHOUT_PRIOR = ("pu_mean_log_rank", "pu_recall_at_k", "pu_lift_at_k")
NAMES = (
    *WITHOUT_PRIOR,
    "pu_damped_log_rank",
    "pu_roc_auc",
    "pu_average_precision",
    "pu_precision_at_k",
    "pu_f1_at_k",
)


def ask(name, y, scores, scenario, prior, **more):
    params = {} if name in WITHOUT_PRIOR else {"prior": prior}
    if name.endswith(("at_k", "finds")):
        params["k"] = 0.1
    return getattr(metrics, name)(y, scores, scenario=scenario, **params, **more)


def make_rows(n_rows=400, digits=1):
    rng = np.random.default_rng(0)
    y = rng.choice([1, 0, -1], n_rows, p=[0.1, 0.8, 0.1])
    return y, (rng.normal(size=n_rows) + y).round(digits), rng.integers(0, 4, n_rows)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("name", NAMES)
def test_metrics_of_a_sketch_are_those_of_its_table(name, scenario):
    rng = np.random.default_rng(0)
    y = (rng.random(30_000) < 0.01).astype(int)
    scores = rng.normal(size=30_000) + 3 * y
    sketch = ScoreSketch(n_exact=2000, n_points=2000)
    for part in np.array_split(np.arange(30_000), 10):
        sketch.update(scores[part], y[part])
    rows = sketch.to_rows()
    assert len(rows.y) < 5000
    found = ask(name, rows.y, rows.scores, scenario, 0.02, sample_weight=rows.weight)
    assert found == pytest.approx(ask(name, y, scores, scenario, 0.02), rel=2e-3)
