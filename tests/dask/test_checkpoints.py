"""A fit that was stopped goes on to the model of one that was not."""

import pytest
from sklearn.base import clone

import lopsided
from lopsided.dask import DaskPUClassifier

dd = pytest.importorskip("dask.dataframe")
FEATURES = list("abcd")


class Stopped(Exception):
    pass


@pytest.fixture
def stop_after(monkeypatch):
    """Let training end without a word after some segments, as a process that is killed."""

    def stop_after(n_segments):
        xgboost_dask = pytest.importorskip("xgboost.dask")
        train, calls = xgboost_dask.train, []

        def stopping(*given, **settings):
            calls.append(given)
            if len(calls) > n_segments:
                raise Stopped
            return train(*given, **settings)

        monkeypatch.setattr(xgboost_dask, "train", stopping)
        return calls

    yield stop_after
    monkeypatch.undo()


def fit(client, table, folder, **params):
    X, y, _ = table
    collection = dd.from_pandas(X.assign(y=y), npartitions=3)
    # With samples of rows and columns, which depend on a state that no file holds.
    model = lopsided.build("focused-xgb", prior=0.06, n_estimators=9, random_state=0)
    model.set_params(**params)
    found = DaskPUClassifier(model, checkpoint=folder, checkpoint_every=4, client=client)
    return found.fit(collection[FEATURES], collection["y"]).to_local()


def test_a_stopped_fit_is_taken_up_again_to_the_same_model(
    tmp_path, client, table, stop_after, monkeypatch
):
    X, _, _ = table
    whole = fit(client, table, tmp_path / "whole").decision_function(X)
    stop_after(1)
    with pytest.raises(Stopped):
        fit(client, table, tmp_path / "stopped")
    monkeypatch.undo()
    calls = stop_after(2)
    taken_up = fit(client, table, tmp_path / "stopped")
    assert len(calls) == 2  # rounds 5 to 8, and the last one
    assert taken_up.n_estimators_ == 9
    assert (taken_up.decision_function(X) == whole).all()


def test_a_checkpoint_of_another_fit_is_refused(tmp_path, client, table):
    X, y, y_true = table
    fit(client, table, tmp_path)
    with pytest.raises(ValueError, match="of this fit, got one with other max_depth"):
        fit(client, table, tmp_path, max_depth=3)
    changed, moved = X.copy(), y.copy()
    changed.iloc[7, 2] += 1
    moved[[0, -1]] = y[[-1, 0]]  # from the first row, which is labeled, to the last
    for other in ((changed, y, y_true), (X, moved, y_true)):
        with pytest.raises(ValueError, match="of this fit, got one with other rows"):
            fit(client, other, tmp_path)


def test_a_checkpoint_of_a_method_without_rounds_is_refused(tmp_path, client, table):
    X, y, _ = table
    rows = dd.from_pandas(X.assign(y=y), npartitions=2)
    model = DaskPUClassifier("focused-fast", checkpoint=tmp_path, client=client)
    with pytest.raises(ValueError, match="fitted on a sample, got one for FocusedClassifier"):
        model.fit(rows[FEATURES], rows["y"])


def test_a_copy_keeps_the_client(tmp_path, client):
    model = DaskPUClassifier(lopsided.build("ifpu-xgb"), checkpoint=tmp_path, client=client)
    copied = clone(model)
    assert copied.client is client
    assert copied.method is not model.method
    assert repr(copied.get_params()) == repr(model.get_params())


def test_a_damaged_checkpoint_is_refused(tmp_path, client, table):
    (tmp_path / "boosting.checkpoint").write_bytes(b"nothing of the kind")
    with pytest.raises(
        ValueError, match=r"must be a checkpoint as it was written, got a damaged"
    ):
        fit(client, table, tmp_path)


def test_what_is_no_folder_is_refused(tmp_path, client, table):
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError, match="Name a folder for the checkpoint"):
        fit(client, table, tmp_path / "file")


def test_a_checkpoint_takes_a_seed(tmp_path, client, table):
    with pytest.raises(ValueError, match="A checkpoint takes a random_state, got None"):
        fit(client, table, tmp_path, random_state=None)
    assert not any(tmp_path.iterdir())
