"""Exported trees score as the model does."""

import json
import sys

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from lopsided import build
from lopsided._validation import require
from lopsided.exceptions import MissingExtraError
from lopsided.export import encode_rows, export, score_map, to_treelite
from lopsided.methods.registry import METHODS

RNG = np.random.default_rng(0)
N_ROWS = 300
NUMBERS = RNG.normal(size=(N_ROWS, 4)) * [1, 100, 1e-3, 1]
Y = ((NUMBERS[:, 0] > 0.8) & (RNG.random(N_ROWS) < 0.7)).astype(int)
MISSING = np.where(RNG.random(NUMBERS.shape) < 0.2, np.nan, NUMBERS)
CATEGORIES = pd.DataFrame(MISSING, columns=list("abcd")).assign(
    few=pd.Categorical(RNG.choice(["u", "v", "w", None], N_ROWS)),
    many=pd.Categorical(RNG.integers(40, size=N_ROWS), categories=range(60)),
)
SPARSE = csr_array(np.where(np.abs(NUMBERS) < 0.5, 0, NUMBERS))
TABLES = {"numbers": NUMBERS, "nan": MISSING, "categories": CATEGORIES, "sparse": SPARSE}
BOOSTED = [method.name for method in METHODS if method.target.endswith("BoostedRiskClassifier")]


def predict(trees, rows):
    treelite = pytest.importorskip("treelite")
    return treelite.gtil.predict(trees, rows, nthread=1, pred_margin=True).ravel()


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("name", BOOSTED)
def test_exported_trees_give_the_scores_of_the_model(name, table):
    pytest.importorskip("treelite")
    X = TABLES[table]
    model = build(name, n_estimators=20, random_state=0).fit(X, Y)
    margins = predict(to_treelite(model), encode_rows(model, X))
    scores = score_map(model).transform(margins)
    np.testing.assert_allclose(scores, model.decision_function(X), rtol=1e-5, atol=1e-5)
    assert len(np.unique(scores)) > 1


def test_unknown_and_missing_levels_score_as_in_the_model():
    pytest.importorskip("treelite")
    model = build("naive-xgb", n_estimators=20, random_state=0).fit(CATEGORIES, Y)
    odd = CATEGORIES.assign(few=pd.Categorical(["new", *CATEGORIES["few"][1:]]), many=np.nan)
    odd["many"] = odd["many"].astype("category")
    rows, wanted = encode_rows(model, odd), model.decision_function(odd)
    assert np.isnan(rows[0, 4])
    assert np.isnan(rows[:, 5]).all()
    found = score_map(model).transform(predict(to_treelite(model), rows))
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


def test_a_dense_table_of_a_model_of_sparse_ones_scores_alike():
    pytest.importorskip("treelite")
    model = build("naive-xgb", n_estimators=20, random_state=0).fit(SPARSE, Y)
    margins = predict(to_treelite(model), encode_rows(model, SPARSE.toarray()))
    wanted = model.decision_function(SPARSE)
    np.testing.assert_allclose(score_map(model).transform(margins), wanted, atol=1e-5)


def test_files_are_enough_to_score(tmp_path):
    treelite = pytest.importorskip("treelite")
    model = build("naive-xgb", n_estimators=20, random_state=0).fit(CATEGORIES, Y)
    trees, beside = export(model, tmp_path / "model.tl")
    assert sorted(tmp_path.iterdir()) == [trees, beside]
    facts = json.loads(beside.read_text())
    rows = np.full((N_ROWS, 6), np.nan, np.float32)
    for place, name in enumerate(facts["columns"]):
        column = CATEGORIES[name]
        if name in facts["categories"]:
            codes = {one["level"]: one["code"] for one in facts["categories"][name]}
            column = column.astype(object).map(codes)
        rows[:, place] = column.astype(float)
    margins = predict(treelite.Model.deserialize(trees), rows)
    assert facts["score"]["loss"] == "LogisticLoss"
    found = margins + facts["score"]["shift"]
    np.testing.assert_allclose(found, model.decision_function(CATEGORIES), atol=1e-5)


@pytest.mark.parametrize("name", ["naive-forest", "naive-logistic", "nnif", "focused"])
def test_other_methods_say_that_they_cannot_be_exported(name):
    with pytest.raises(ValueError, match=r"Only boosted trees .* Use a method whose name ends"):
        to_treelite(build(name))


def test_an_unfitted_model_is_refused():
    with pytest.raises(ValueError, match="not fitted"):
        to_treelite(build("naive-xgb"))


@pytest.mark.parametrize("path", [None, 3])
def test_trees_are_written_to_a_path(path):
    with pytest.raises(ValueError, match=f"The file to write must be a path, got {path}"):
        export(build("naive-xgb", n_estimators=2).fit(NUMBERS, Y), path)


def test_without_treelite_the_error_says_what_to_type(monkeypatch):
    monkeypatch.setitem(sys.modules, "treelite", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'lopsided\[export\]'"):
        require("treelite")
