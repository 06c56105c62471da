import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from lopsided.methods.registry import build

RNG = np.random.default_rng(0)
KIND = RNG.choice(["1", "2", "10"], 200)
Y = ((KIND == "2") & (RNG.random(200) < 0.5)).astype(int)
NUMBERS = RNG.normal(size=200)
METHODS = ["hellinger-forest", "naive-xgb", "naive-logistic"]


def frame_of(kind):
    return pd.DataFrame({"x": NUMBERS, "kind": kind})


def fit(method="hellinger-forest", kind=None, **options):
    frame = frame_of(pd.Categorical(KIND) if kind is None else kind)
    return build(method, random_state=0).fit(frame, Y, **options)


@pytest.mark.parametrize("method", METHODS)
def test_only_levels_with_rows_that_count_are_kept(method):
    kind = np.where(np.arange(200) < 20, "4", KIND)
    weight = (kind != "4").astype(float)
    declared = pd.Categorical(kind, categories=["3", "2", "10", "1", "4"])
    model = fit(method, declared, sample_weight=weight)
    assert model.category_levels_ == {"kind": ("1", "10", "2")}
    assert fit(method, declared).category_levels_ == {"kind": ("1", "10", "2", "4")}
    # A row of weight 0 tells no more of its category than a row without one.
    missing = fit(
        method, pd.Categorical(np.where(weight > 0, KIND, None)), sample_weight=weight
    )
    assert_array_equal(
        model.decision_function(frame_of(KIND)), missing.decision_function(frame_of(KIND))
    )


def test_an_order_of_levels_is_kept_where_it_means_something():
    sizes = pd.Categorical(KIND, categories=["10", "2", "1"], ordered=True)
    assert fit(kind=sizes).category_levels_ == {"kind": ("10", "2", "1")}


def test_the_table_that_was_passed_is_left_alone():
    frame = frame_of(pd.Categorical(KIND, categories=["0", "1", "10", "2"]))
    before = frame.copy()
    build("naive-forest", random_state=0).fit(frame, Y).decision_function(frame)
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize("kind", ["Categorical", "Enum"])
def test_polars_may_list_levels_as_rows_bring_them_up(kind):
    polars = pytest.importorskip("polars")
    dtype = polars.Categorical if kind == "Categorical" else polars.Enum(["2", "10", "1", "0"])

    def table(rows):
        columns = {"x": NUMBERS[rows], "kind": polars.Series(KIND[rows].tolist(), dtype=dtype)}
        return polars.DataFrame(columns)

    rows, shuffled = np.arange(200), np.random.default_rng(1).permutation(200)
    one, two = (
        build("naive-xgb", random_state=0).fit(table(some), Y[some])
        for some in (rows, shuffled)
    )
    assert one.category_levels_ == two.category_levels_
    plain = one.decision_function(frame_of(KIND))
    assert_array_equal(one.decision_function(table(shuffled)), plain[shuffled])


@pytest.mark.parametrize("method", METHODS)
def test_plain_columns_are_read_as_the_categories_of_training(method):
    model = fit(method)
    expected = model.decision_function(frame_of(pd.Categorical(KIND)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kind in (KIND, KIND.astype(object), KIND.astype(int), KIND.astype(float)):
            assert_array_equal(model.decision_function(frame_of(kind)), expected)


def test_a_number_that_might_be_two_categories_is_missing_and_named():
    model = fit(kind=pd.Categorical(np.where(np.arange(200) < 30, "01", KIND)))
    with pytest.warns(UserWarning, match=r"'kind'.*'01', '1'"):
        scores = model.decision_function(frame_of(KIND.astype(int)))
    expected = model.decision_function(frame_of(np.where(KIND == "1", None, KIND)))
    assert_array_equal(scores, expected)


def test_a_column_without_any_known_category_is_named():
    model = fit()
    with pytest.warns(UserWarning, match="'kind'") as told:
        model.decision_function(frame_of(pd.to_datetime(["2020-01-01"] * 200)))
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.decision_function(frame_of(np.where(NUMBERS > 0, "unseen", KIND)))
        model.decision_function(frame_of(np.full(200, None)))


def test_a_column_that_was_always_missing_may_be_filled_later():
    model = fit(kind=pd.Categorical([None] * 200, categories=["1"]))
    assert model.category_levels_ == {"kind": ()}
    with pytest.warns(UserWarning, match="None"):
        scores = model.decision_function(frame_of(KIND))
    assert_array_equal(scores, model.decision_function(frame_of(np.full(200, None))))


def test_a_lazy_frame_is_collected():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"a": [0.0, 1, 2, 3], "b": [1.0, 0, 1, 0]})
    model = build("naive-logistic").fit(frame.lazy(), [1, 0, 0, 1])
    assert model.decision_function(frame.lazy()).tolist() == (
        model.decision_function(frame).tolist()
    )
