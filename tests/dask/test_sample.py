"""Methods that one worker fits on a sample of the collection."""

import numpy as np
import pandas as pd
import pytest

import lopsided
from lopsided.dask import DaskPUClassifier
from lopsided.metrics import average_precision
from lopsided.priors import AutoPrior, Beta

dd = pytest.importorskip("dask.dataframe")
FEATURES = list("abcd")


def test_focused_learns_from_a_sample_and_says_so(client, table):
    X, y, y_true = table
    collection = dd.from_pandas(X.assign(y=y), npartitions=3)
    model = DaskPUClassifier("focused-fast", sample_size=500, random_state=0, client=client)
    told = rf"on all {y.sum()} labeled rows and 500 of {(y == 0).sum()} unlabeled ones"
    with pytest.warns(UserWarning, match=told):
        model.fit(collection[FEATURES], collection["y"])
    scores = model.decision_function(collection[FEATURES]).compute()
    assert len(scores) == len(X)
    assert average_precision(y_true, scores) > 3 * y_true.mean()
    assert isinstance(model.to_local(), lopsided.FocusedClassifier)


@pytest.mark.filterwarnings("ignore:FocusedClassifier is fitted on one worker")
def test_a_sample_of_all_rows_is_the_fit_of_one_machine(client, table):
    X, y, _ = table
    kinds = pd.Categorical(np.array(["x", "y", "z"])[(X["d"] % 3).astype(int)])
    whole = X.assign(d=kinds)
    collection = dd.from_pandas(whole.assign(y=y), npartitions=3)
    spread = DaskPUClassifier("focused-fast", prior=0.06, random_state=0, client=client)
    spread.fit(collection[FEATURES], collection["y"])
    local = lopsided.build("focused-fast", prior=0.06, random_state=0).fit(whole, y)
    scores = spread.decision_function(collection[FEATURES]).compute()
    np.testing.assert_allclose(scores, local.decision_function(whole), atol=1e-8)


def test_a_sampled_prior_is_that_of_the_table(client, table):
    X, y, _ = table
    collection = dd.from_pandas(X.assign(y=y), npartitions=3)
    priors = [
        DaskPUClassifier(
            lopsided.build("ifpu-xgb", n_estimators=2),
            sample_size=size,
            random_state=0,
            client=client,
        )
        .fit(collection[FEATURES], collection["y"])
        .prior_
        for size in (970, 5000)
    ]
    assert priors[0] < 2 * priors[1]  # unweighted, the sample would have twice the share
    assert y.mean() < priors[0] < 3 * y.mean()


def test_a_belief_is_heard_by_the_worker_that_estimates_the_prior(client, table):
    X, y, _ = table
    collection = dd.from_pandas(X.assign(y=y), npartitions=3)
    local = lopsided.build("ifpu-xgb", n_estimators=2, random_state=0)
    found = []
    for prior in ("auto", AutoPrior(), AutoPrior(Beta.around(0.05))):
        spread = DaskPUClassifier(local, prior=prior, random_state=0, client=client)
        found.append(spread.fit(collection[FEATURES], collection["y"]).prior_)
    assert found[0] == found[1] < found[2] / 1.5
