import warnings

import numpy as np
import pandas as pd
import pyarrow.dataset as ds
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from parts import make_table, write_parts

import lopsided
from lopsided.exceptions import PriorWarning
from lopsided.methods.checkpoint import Checkpoint
from lopsided.metrics import average_precision
from lopsided.out_of_core import fit_parquet
from lopsided.risks import nnpu

QUICK = {"n_estimators": 12, "max_depth": 3}
NAMES = list("abcd")
SAMPLED = {"subsample": 0.5, "colsample_bytree": 0.5, "n_parallel_trees": 2}


def fit_in_memory(frame, names=NAMES, **params):
    model = lopsided.build("ifpu-xgb", random_state=0, **{**QUICK, "prior": 0.1, **params})
    return model.fit(frame[names], frame["fraud"])


def fit_parts(source, params=None, **options):
    given = {**QUICK, "prior": 0.1, **(params or {})}
    model = lopsided.build("ifpu-xgb", random_state=0, **given)
    return fit_parquet(source, "fraud", model, drop=["row"], random_state=1, **options)


@pytest.mark.parametrize("max_memory", [2**30, 0], ids=["bins in memory", "bins in files"])
@pytest.mark.parametrize("params", [{}, {"n_parallel_trees": 2, "colsample_bynode": 0.5}])
def test_trees_on_batches_are_those_of_a_fit_in_memory(tmp_path, params, max_memory):
    table = make_table()
    folder = write_parts(table, tmp_path / "parts")
    model = fit_parts(folder, params, max_memory=max_memory)
    expected = fit_in_memory(table, **params)
    scores = model.decision_function(table[NAMES])
    assert_allclose(scores, expected.decision_function(table[NAMES]), atol=1e-6)
    assert_allclose(model.mean_terms_, expected.mean_terms_, atol=1e-6)
    assert_array_equal(model.typical_row_, expected.typical_row_)
    assert model.prior_ == expected.prior_


def test_continuous_columns_rank_as_well_as_in_memory(tmp_path):
    table = make_table(6000, digits=9)
    folder = write_parts(table, tmp_path / "parts")
    models = fit_in_memory(table), fit_parts(folder), fit_parts(folder, max_memory=0)
    found = [
        average_precision(table["fraud"], one.decision_function(table[NAMES])) for one in models
    ]
    assert_allclose(found[1:], found[0], atol=0.003)


def test_reviewed_rows_and_other_risks_reach_the_trees(tmp_path):
    table = make_table()
    table.loc[table.index % 7 == 3, "fraud"] = -1
    folder = write_parts(table, tmp_path / "parts")
    params = {"risk": nnpu()}
    scores = fit_parts(folder, params).decision_function(table[NAMES])
    expected = fit_in_memory(table, **params).decision_function(table[NAMES])
    assert_allclose(scores, expected, atol=1e-6)


def test_categories_and_texts_may_differ_between_files(tmp_path):
    table = make_table()
    rng = np.random.default_rng(0)
    words = np.array(["red", "green", "blue", "pink", "gold", None], object)
    table["color"] = words[rng.integers(0, 3, len(table)) + (np.arange(len(table)) > 700) * 3]
    table["kind"] = pd.Categorical(words[rng.integers(1, 5, len(table))])
    folder = tmp_path / "parts"
    folder.mkdir()
    for place in range(3):
        part = table[500 * place : 500 * place + 500]
        part.assign(kind=part["kind"].astype(str).astype("category")).to_parquet(
            folder / f"{place}.parquet"
        )
    typed = table.astype({"color": "category"})
    names = [*NAMES, "color", "kind"]
    model, expected = fit_parts(folder), fit_in_memory(typed, names)
    assert model.category_levels_ == expected.category_levels_
    found = model.decision_function(typed[names])
    assert_allclose(found, expected.decision_function(typed[names]), atol=1e-6)


def test_levels_outside_of_the_sample_are_learned_too(tmp_path):
    table = make_table(2000)
    table["kind"] = np.where(np.arange(len(table)) == 1234, "rare", "common")
    model = fit_parts(write_parts(table, tmp_path / "parts"), n_sample=20)
    assert model.category_levels_["kind"] == ("common", "rare")


@pytest.mark.parametrize("as_source", ["list", "dataset", "file"])
def test_a_table_may_be_files_a_dataset_or_one_file(tmp_path, as_source):
    table = make_table()
    folder = write_parts(table, tmp_path / "parts", 1 if as_source == "file" else 3)
    source = {
        "list": sorted(folder.iterdir()),
        "dataset": ds.dataset(folder),
        "file": folder / "part-0.parquet",
    }[as_source]
    scores = fit_parts(source).decision_function(table[NAMES])
    assert_allclose(scores, fit_in_memory(table).decision_function(table[NAMES]), atol=1e-6)


def test_the_prior_of_a_table_that_is_its_own_sample_is_that_of_memory(tmp_path):
    table = make_table()
    folder = write_parts(table, tmp_path / "parts")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PriorWarning)
        model = fit_parts(folder, {"prior": "auto"})
        expected = fit_in_memory(table, prior="auto")
    assert model.prior_ == expected.prior_
    assert model.prior_estimate_ == expected.prior_estimate_


def test_a_prior_from_a_sample_is_near_that_of_the_whole_table(tmp_path):
    table = make_table(12_000)
    folder = write_parts(table, tmp_path / "parts")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PriorWarning)
        found = fit_parts(folder, {"prior": "auto"}, n_sample=2000)
        expected = fit_in_memory(table, prior="auto")
    assert found.prior_ == pytest.approx(expected.prior_, rel=0.25)
    estimate = found.prior_estimate_
    assert estimate.n_hidden == pytest.approx(
        found.prior_ * 12_000 - table["fraud"].sum(), rel=1e-6
    )


def test_a_sample_may_leave_out_labeled_rows_alone(tmp_path):
    table = make_table(900)
    table["fraud"] = (np.arange(900) % 5 > 0).astype(int)
    folder = write_parts(table, tmp_path / "parts")
    with pytest.warns(PriorWarning):
        model = fit_parts(folder, {"prior": "auto"}, n_sample=300)
    assert 0.8 <= model.prior_ < 1


def test_other_methods_learn_from_a_weighted_sample_and_say_so(tmp_path):
    table = make_table(4000)
    folder = write_parts(table, tmp_path / "parts")
    model = lopsided.build("naive-logistic")
    with pytest.warns(
        UserWarning, match=r"learns from a sample: \d+ labeled rows and 1,000 of"
    ):
        fitted = fit_parquet(folder, "fraud", model, drop=["row"], n_sample=1000)
    assert fitted.prior_ == pytest.approx(table["fraud"].mean())


def test_the_probabilities_of_an_ensemble_on_a_sample_are_those_of_the_table(tmp_path):
    table = make_table(4000)
    folder = write_parts(table, tmp_path / "parts")
    model = lopsided.FocusedClassifier(("logistic",), prior=0.1, random_state=0)
    with pytest.warns(UserWarning, match="weighted so that prior and probabilities are those"):
        fit_parquet(folder, "fraud", model, drop=["row"], n_sample=800, random_state=0)
    proba = model.predict_proba(table[NAMES])[:, 1]
    assert proba.mean() == pytest.approx(0.1, rel=0.15)


def test_a_model_of_batches_is_saved_and_loaded(tmp_path):
    table = make_table()
    model = fit_parts(write_parts(table, tmp_path / "parts"))
    lopsided.save(model, tmp_path / "model.lop")
    loaded = lopsided.load(tmp_path / "model.lop")
    found, again = (one.decision_function(table[NAMES]) for one in (model, loaded))
    assert_array_equal(found, again)


@pytest.mark.parametrize("params", [{}, SAMPLED], ids=["all rows", "samples"])
@pytest.mark.parametrize("max_memory", [2**30, 0], ids=["bins in memory", "bins in files"])
def test_a_stopped_fit_goes_on_to_the_same_model(tmp_path, monkeypatch, params, max_memory):
    table = make_table()
    folder = write_parts(table, tmp_path / "parts")
    options = {"max_memory": max_memory}
    whole = fit_parts(folder, params, checkpoint=Checkpoint(tmp_path / "a", 5), **options)
    stopped, write = Checkpoint(tmp_path / "b", 5), Checkpoint._write

    def write_and_stop(self, *given):
        write(self, *given)
        raise KeyboardInterrupt

    monkeypatch.setattr(Checkpoint, "_write", write_and_stop)
    with pytest.raises(KeyboardInterrupt):
        fit_parts(folder, params, checkpoint=stopped, **options)
    monkeypatch.setattr(Checkpoint, "_write", write)
    model = fit_parts(folder, params, checkpoint=stopped, **options)
    assert model.booster_.save_raw("ubj") == whole.booster_.save_raw("ubj")
    assert_array_equal(model.mean_terms_, whole.mean_terms_)


def test_a_checkpoint_changes_no_tree_that_sees_all_rows(tmp_path):
    table = make_table()
    folder = write_parts(table, tmp_path / "parts")
    model = fit_parts(folder, checkpoint=Checkpoint(tmp_path / "kept", 5))
    scores = fit_parts(folder).decision_function(table[NAMES])
    assert_allclose(model.decision_function(table[NAMES]), scores, atol=1e-6)


@pytest.mark.parametrize(
    ("change", "named"),
    [({"fraud": 2}, "rows"), ({"prior": 0.2}, "prior"), ({"max_depth": 4}, "max_depth")],
)
def test_a_checkpoint_of_other_rows_or_settings_is_refused(tmp_path, change, named):
    table = make_table()
    kept = Checkpoint(tmp_path / "kept", 5)
    fit_parts(write_parts(table, tmp_path / "parts"), checkpoint=kept)
    if "fraud" in change:
        table.loc[table.index[:2], "a"] += 1
    params = {name: value for name, value in change.items() if name != "fraud"}
    with pytest.raises(ValueError, match=f"other .*{named}"):
        fit_parts(write_parts(table, tmp_path / "other"), params, checkpoint=kept)


def test_bins_in_files_leave_nothing_behind(tmp_path):
    folder, scratch = write_parts(make_table(), tmp_path / "parts"), tmp_path / "scratch"
    scratch.mkdir()
    fit_parts(folder, max_memory=0, folder=scratch)
    assert not list(scratch.iterdir())


@pytest.mark.parametrize("change", ["number", "word", "swap"])
def test_a_checkpoint_notices_one_cell_of_an_unlabeled_row(tmp_path, change):
    table = make_table(900).assign(word=lambda own: np.where(own["a"] > 0, "hot", "cold"))
    kept = Checkpoint(tmp_path / "kept", 5)
    options = {"n_sample": 50, "checkpoint": kept}
    fit_parts(write_parts(table, tmp_path / "parts"), {"n_estimators": 2}, **options)
    fit_parts(write_parts(table, tmp_path / "same", 5), {"n_estimators": 2}, **options)
    unlabeled = table[(table["fraud"] == 0) & table["b"].notna()]
    row = unlabeled.index[100]
    other = unlabeled.index[unlabeled["b"] != table.loc[row, "b"]][300]
    if change == "number":
        table.loc[row, "b"] += 1
    elif change == "word":
        table.loc[row, "word"] = "hot" if table.loc[row, "word"] == "cold" else "cold"
    else:
        table.loc[[row, other], "b"] = table.loc[[other, row], "b"].to_numpy()
    with pytest.raises(ValueError, match="got one with other rows"):
        fit_parts(write_parts(table, tmp_path / "other"), {"n_estimators": 2}, **options)


def test_a_checkpoint_takes_a_seed(tmp_path):
    folder, kept = write_parts(make_table(300), tmp_path / "parts"), Checkpoint(tmp_path / "k")
    with pytest.raises(ValueError, match="A checkpoint takes a random_state, got None"):
        fit_parquet(folder, "fraud", drop=["row"], prior=0.1, checkpoint=kept)
    model = lopsided.build("ifpu-xgb", prior=0.1, **QUICK)
    with pytest.raises(ValueError, match="A checkpoint takes a random_state, got None"):
        fit_parquet(folder, "fraud", model, drop=["row"], checkpoint=kept, random_state=0)
    assert not kept.path.exists()


def test_a_checkpoint_of_another_weight_of_reviewed_rows_is_refused(tmp_path):
    folder, kept = write_parts(make_table(300), tmp_path / "parts"), Checkpoint(tmp_path / "k")
    fit_parts(folder, {"n_estimators": 2}, checkpoint=kept)
    with pytest.raises(ValueError, match="got one with other risk"):
        fit_parts(folder, {"n_estimators": 2, "reviewed_weight": 9.0}, checkpoint=kept)


def test_one_column_may_be_dropped_by_its_name(tmp_path):
    folder = write_parts(make_table(300), tmp_path / "parts")
    model = fit_parquet(folder, "fraud", "naive-xgb", drop="row", random_state=0)
    assert "row" not in model.feature_names_in_
