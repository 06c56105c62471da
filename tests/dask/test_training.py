"""A fit on two workers is that of one machine, wherever rows are."""

import gc
import time

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import lopsided
from lopsided.dask import DaskPUClassifier
from lopsided.dask.partitions import as_parts
from lopsided.dask.training import boost, summarize
from lopsided.methods.distributed import as_method, plan_boosting
from lopsided.metrics import average_precision

METHODS = ["ifpu-xgb", "nnpu-xgb", "imbnnpu-xgb", "upu-xgb", "naive-xgb"]


def build(name, n_estimators=20, **params):
    return lopsided.build(name, n_estimators=n_estimators, random_state=0, **params)


def fit_both(name, place, frames, ys, weights=None, **params):
    """Return scores of all rows by a fit on one machine and by one on the cluster."""
    X, y = pd.concat(frames, ignore_index=True), np.concatenate(ys)
    model = build(name, **params)
    weight = None if weights is None else np.concatenate(weights)
    local = lopsided.build(name).set_params(**model.get_params()).fit(X, y, weight)
    collection = place(
        [
            frame.assign(y=own, w=1.0 if weights is None else weights[i])
            for i, (frame, own) in enumerate(zip(frames, ys, strict=True))
        ]
    )
    weigh = {} if weights is None else {"sample_weight": collection["w"]}
    features = collection[list(X.columns)]
    spread = DaskPUClassifier(model).fit(features, collection["y"], **weigh)
    assert spread.to_local().prior_ == local.prior_
    return local.decision_function(X), spread.decision_function(features).compute()


def halves(X, y, cut):
    """Return the first rows for one worker and the others for the other one."""
    return [X[:cut], X[cut:].reset_index(drop=True)], [y[:cut], y[cut:]]


@pytest.mark.parametrize("name", METHODS)
def test_all_labeled_rows_on_one_worker_make_no_difference(name, place, table):
    X, y, _ = table
    assert y[1000:].sum() == 0
    prior = {} if name == "naive-xgb" else {"prior": 0.06}
    one, two = fit_both(name, place, *halves(X, y, 1000), **prior)
    assert np.ptp(one) > 1
    assert_allclose(two, one, atol=1e-6)


def test_an_estimated_prior_is_that_of_one_machine(place, table):
    X, y, _ = table
    one, two = fit_both("ifpu-xgb", place, *halves(X, y, 1000))
    assert_allclose(two, one, atol=1e-6)


def test_without_sums_over_workers_the_model_is_another(client, place, table):
    X, y, _ = table
    frames, ys = halves(X, y, 1000)
    one = build("ifpu-xgb", prior=0.06).fit(X, y).decision_function(X)
    pairs = zip(frames, ys, strict=True)
    collection = place([frame.assign(y=own) for frame, own in pairs])
    parts = as_parts(collection[list(X.columns)], collection["y"])

    def fit(alone):
        def reduce(values):
            from distributed import get_worker

            from lopsided.methods.distributed import sum_over_workers

            get_worker().totals = list(values) if len(values) == 3 else get_worker().totals
            return values if alone else sum_over_workers(values)

        model = as_method(build("ifpu-xgb", prior=0.06))
        plan = plan_boosting(model, summarize(parts, client))
        return boost(plan, parts, client, reduce=reduce).decision_function(X)

    assert_allclose(fit(alone=False), one, atol=1e-6)
    totals = client.run(lambda dask_worker: dask_worker.totals)
    assert sorted(labeled for _, labeled, _ in totals.values()) == [0, y.sum()]
    assert np.abs(fit(alone=True) - one).max() > 1


def test_continuous_columns_rank_new_rows_as_well_on_average(place):
    apart = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = pd.DataFrame(rng.normal(size=(40_000, 5)), columns=list("abcde"))
        signal = X["a"] + X["b"] + rng.normal(size=len(X))
        y_true = (signal > np.quantile(signal, 0.95)).to_numpy().astype(int)
        X, new = X[:20_000], X[20_000:]
        y = y_true[:20_000] * (rng.random(20_000) < 0.5)
        params = {"max_depth": 3, "learning_rate": 0.1, "prior": 0.05}
        local = build("ifpu-xgb", **params).fit(X, y)
        collection = place([X.assign(y=y)[:8000], X.assign(y=y)[8000:]])
        spread = DaskPUClassifier(build("ifpu-xgb", **params))
        spread.fit(collection[list(X.columns)], collection["y"])
        one, two = local.decision_function(new), spread.to_local().decision_function(new)
        assert (one != two).any()  # bins are sketched
        truth = y_true[20_000:]
        apart.append(average_precision(truth, two) - average_precision(truth, one))
    assert abs(np.mean(apart)) < 0.003


def test_a_worker_without_a_row_takes_part(place, table):
    X, y, _ = table
    one, two = fit_both("ifpu-xgb", place, [X, X[:0]], [y, y[:0]], prior=0.06)
    assert_allclose(two, one, atol=1e-6)


def test_categories_that_partitions_declare_apart_are_one_list(place, table):
    X, y, _ = table
    kinds = np.array(["x", "y", "z", "w"])[(X["d"] % 4).astype(int)]
    frames, ys = halves(X.assign(kind=kinds), y, 1000)
    first, second = frames
    first["kind"] = pd.Categorical(first["kind"], ["z", "y", "x", "w", "unused"])
    second["kind"] = pd.Categorical(second["kind"])
    merged = X.assign(kind=pd.Categorical(kinds))
    local = build("ifpu-xgb", prior=0.06).fit(merged, y)
    collection = place([first.assign(y=ys[0]), second.assign(y=ys[1])])
    features = collection[list(merged.columns)]
    spread = DaskPUClassifier(build("ifpu-xgb", prior=0.06)).fit(features, collection["y"])
    assert spread.to_local().category_levels_ == {"kind": ("w", "x", "y", "z")}
    assert_allclose(
        spread.decision_function(features).compute(),
        local.decision_function(merged),
        atol=1e-6,
    )


def test_columns_that_can_be_missing_count_as_on_one_machine(place, table):
    X, y, _ = table
    X = X.assign(b=X["b"].where(X["a"] > 9), d=(X["d"] > 7).astype(float).where(X["a"] < 30))
    X = X.astype({"b": "Int64", "d": "boolean"})
    one, two = fit_both("ifpu-xgb", place, *halves(X, y, 1000), prior=0.06)
    assert_allclose(two, one, atol=1e-6)


def test_weights_and_reviewed_negatives_count_as_on_one_machine(place, table):
    X, y, y_true = table
    reviewed = np.where((y == 0) & (y_true == 0) & (np.arange(len(y)) % 9 == 0), -1, y)
    frames, ys = halves(X, reviewed, 700)
    weight = 1.0 + np.arange(len(y)) % 3
    weights = [weight[:700], weight[700:]]
    one, two = fit_both("ifpu-xgb", place, frames, ys, weights, prior=0.06)
    assert_allclose(two, one, atol=1e-6)


def test_arrays_answer_as_arrays(client, table):
    da = pytest.importorskip("dask.array")
    X, y, _ = table
    rows, labels = da.from_array(X.to_numpy(), chunks=(600, 2)), da.from_array(y, chunks=600)
    model = DaskPUClassifier(build("ifpu-xgb", prior=0.06), client=client).fit(rows, labels)
    local = build("ifpu-xgb", prior=0.06).fit(X.to_numpy(), y)
    assert_allclose(model.decision_function(rows), local.decision_function(X.to_numpy()))
    assert_allclose(model.predict_proba(rows), local.predict_proba(X.to_numpy()))
    assert (model.predict(rows).compute() == local.predict(X.to_numpy())).all()


def test_the_local_model_is_one_like_any_other(tmp_path, place, table):
    X, y, _ = table
    frames, ys = halves(X, y, 1000)
    collection = place([frames[0].assign(y=ys[0]), frames[1].assign(y=ys[1])])
    model = DaskPUClassifier(build("ifpu-xgb", prior=0.06))
    model.fit(collection[list(X.columns)], collection["y"])
    lopsided.save(model.to_local(), tmp_path / "model.lop")
    loaded = lopsided.load(tmp_path / "model.lop")
    scores = loaded.decision_function(X)
    assert (scores == model.to_local().decision_function(X)).all()
    assert_allclose(loaded.additive_scores(X[:5]).scores, scores[:5])


def test_a_fit_leaves_nothing_on_the_workers(client, place, table):
    X, y, _ = table
    frames, ys = halves(X, y, 1000)
    collection = place([frames[0].assign(y=ys[0]), frames[1].assign(y=ys[1])])
    before = {key for keys in client.has_what().values() for key in keys}
    DaskPUClassifier(build("ifpu-xgb", prior=0.06)).fit(
        collection[list(X.columns)], collection["y"]
    )
    for _ in range(100):  # workers are told late
        gc.collect()
        after = {key for keys in client.has_what().values() for key in keys}
        if after <= before:
            break
        time.sleep(0.1)
    assert after <= before
