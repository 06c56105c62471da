import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import skops.io
from sklearn.base import clone

from lopsided import build
from lopsided.workflow.tables import TableCleaner
from lopsided.workflow.tables._texts import PIP_LINE

N = 120
RNG = np.random.default_rng(0)
BRANDS = ("Quick Glass", "Blue Towing", "Nord Clinic", "Royal Motors")
CITIES = ("Berlin", "Hamburg", "Ulm")


def make_claims(n_rows=N, rng=RNG):
    """Return a table as people have it, all of it text."""
    return pd.DataFrame(
        {
            "claim_no": [f"CL-{number:05d}" for number in range(n_rows)],
            "amount": [f"{value:,.2f} €" for value in rng.lognormal(5, 1, n_rows)],
            "signed": pd.date_range("2024-01-01", periods=n_rows, freq="3D").strftime(
                "%d.%m.%Y"
            ),
            "at": [
                f"{hour:02d}:{minute:02d}" for hour, minute in rng.integers(0, 24, (n_rows, 2))
            ],
            "city": rng.choice([*CITIES, ""], n_rows),
            "insured": rng.choice(["ja", "nein", ""], n_rows),
            "rushed": rng.choice(["x", ""], n_rows),
            "merchant": [
                f"{rng.choice(BRANDS)} {rng.integers(10_000)} {rng.choice(CITIES)}"
                for _ in range(n_rows)
            ],
            "branch": "12",
            "remark": "",
        }
    )


CLAIMS = make_claims()
KINDS = {
    "claim_no": "id",
    "amount": "number",
    "signed": "date",
    "at": "time",
    "city": "category",
    "insured": "boolean",
    "rushed": "boolean",
    "merchant": "text",
    "branch": "constant",
    "remark": "blank",
}


@pytest.fixture(scope="module")
def cleaner():
    return TableCleaner().fit(CLAIMS)


def assert_same(ours, theirs):
    pd.testing.assert_frame_equal(ours, theirs, check_exact=True)


def test_types_are_guessed_kept_and_shown(cleaner):
    assert {column.name: column.kind for column in cleaner.columns_} == KINDS
    shown = cleaner.describe().splitlines()
    assert shown[0].split() == ["column", "kind", "read", "as", "features", "note"]
    assert [line.split()[0] for line in shown[1:]] == list(CLAIMS)
    assert shown[-1].endswith("left out: blank in every row")
    assert list(cleaner.feature_names_in_) == list(CLAIMS)
    assert cleaner.n_features_in_ == len(KINDS)


def test_features_are_floats_and_categories_that_name_their_source(cleaner):
    X = cleaner.transform(CLAIMS)
    assert list(X.columns) == list(cleaner.get_feature_names_out()) == list(cleaner.sources_)
    assert {str(dtype) for dtype in X.dtypes} == {"float64", "category"}
    features = [name for name, source in cleaner.sources_.items() if source == "merchant"]
    assert features[:2] == ["merchant: text 1", "merchant: text 2"]
    assert set(cleaner.sources_.values()) == set(KINDS) - {"claim_no", "branch", "remark"}
    assert set(X["rushed"]) == {0.0, 1.0}
    assert X["insured"].isna().sum() == (CLAIMS["insured"] == "").sum()
    assert list(X["city"].cat.categories) == sorted(CITIES)


def test_neither_the_order_of_rows_nor_that_of_columns_matters(cleaner):
    X = cleaner.transform(CLAIMS)
    order = RNG.permutation(N)
    assert_same(cleaner.transform(CLAIMS.iloc[order]), X.iloc[order])
    assert_same(cleaner.transform(CLAIMS[CLAIMS.columns[::-1]]), X)
    again = TableCleaner().fit(CLAIMS.iloc[order])
    assert_same(again.transform(CLAIMS), X)
    assert_same(cleaner.transform(CLAIMS.iloc[:7]), X.iloc[:7])


@pytest.mark.parametrize(
    "convert",
    [pl.from_pandas, lambda frame: pl.from_pandas(frame).lazy(), pa.Table.from_pandas],
    ids=["polars", "lazy", "pyarrow"],
)
def test_tables_of_other_libraries_are_the_same(cleaner, convert):
    X = cleaner.transform(CLAIMS)
    assert_same(cleaner.transform(convert(CLAIMS)), X)
    assert_same(TableCleaner().fit_transform(convert(CLAIMS)), X)


def test_a_table_with_types_is_read_as_the_same_in_text(tmp_path):
    typed = pd.DataFrame(
        {
            "a": RNG.normal(size=N),
            "count": pd.array(RNG.integers(0, 5, N), dtype="Int64"),
            "day": pd.date_range("2024-01-01", periods=N, freq="31h"),
            "flag": RNG.random(N) < 0.5,
            "kind": pd.Categorical(RNG.choice(["u", "v"], N)),
        }
    )
    typed.loc[3, ["a", "count", "day", "kind"]] = None
    typed.to_csv(tmp_path / "t.csv", index=False)
    text = pd.read_csv(tmp_path / "t.csv", dtype=str, na_filter=False)
    for trained in (typed, text):
        cleaner = TableCleaner().fit(trained)
        assert_same(cleaner.transform(text), cleaner.transform(typed))


def test_an_array_is_a_table_with_counted_columns():
    X = np.round(RNG.normal(size=(30, 3)), 3)
    found = TableCleaner().fit_transform(X)
    assert list(found) == ["x0", "x1", "x2"]
    np.testing.assert_array_equal(found, X)
    with pytest.raises(ValueError, match="must have rows and columns"):
        TableCleaner().fit(X[:, 0])
    with pytest.raises(ValueError, match="X has 2 features, but TableCleaner is expecting 3"):
        TableCleaner().fit(X).transform(X[:, :2])


def test_guesses_are_overridden():
    frame = pd.DataFrame({"branch": RNG.integers(100, 105, 40), "no": np.arange(40), "x": "a"})
    said = {"branch": "category", "no": "number", "x": "category"}
    X = TableCleaner(types=said).fit_transform(frame)
    assert list(X) == ["branch", "no", "x"]
    assert list(X["branch"].cat.categories) == ["100", "101", "102", "103", "104"]
    assert list(TableCleaner(types={"no": "drop"}).fit_transform(frame)) == ["branch"]
    assert list(TableCleaner(drop=["branch"], types={"no": "number"}).fit_transform(frame)) == [
        "no"
    ]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"types": {"amont": "number"}}, "No column is called 'amont'. Did you mean amount"),
        ({"types": {"amount": "numer"}}, "No type of a column is called 'numer'. Did you mean"),
        ({"types": {"city": "number"}}, "Column 'city' must hold numbers, as types says, got"),
        ({"types": {"city": "date"}}, "Column 'city' must hold dates or times, as types says"),
        ({"drop": ["citi"]}, "Did you mean city"),
        ({"drop": "city"}, r"drop must be a list of columns, got 'city'"),
        ({"decimal": ";"}, r"decimal must be 'auto', '\.' or ',', got ';'"),
        ({"day_first": "yes"}, "day_first must be 'auto', True or False, got 'yes'"),
        ({"text": "embed"}, "No way to read text is called 'embed'"),
        ({"drop": list(KINDS)}, "No column is left to learn from"),
    ],
    ids=range(10),
)
def test_wrong_parameters_are_refused_in_fit(params, message):
    with pytest.raises(ValueError, match=message):
        TableCleaner(**params).fit(CLAIMS)


def test_tables_that_are_none_are_refused():
    with pytest.raises(ValueError, match="must hold rows"):
        TableCleaner().fit(CLAIMS.iloc[:0])
    with pytest.raises(ValueError, match="No column is left"):
        TableCleaner().fit(CLAIMS[[]])
    with pytest.raises(ValueError, match="got 'city' twice"):
        TableCleaner().fit(pd.concat([CLAIMS, CLAIMS[["city"]]], axis=1))
    with pytest.raises(ValueError, match="must be a table with named columns, got str"):
        TableCleaner().fit("claims.csv")


def test_what_is_missing_in_new_rows_counts_as_missing_with_one_warning(cleaner):
    X = cleaner.transform(CLAIMS)
    lost = ["city", "rushed", "merchant"]
    with pytest.warns(
        UserWarning, match="The table lacks columns 'city', 'rushed', 'merchant'"
    ) as told:
        found = cleaner.transform(CLAIMS.drop(columns=[*lost, "remark"]))
    assert len(told) == 1
    gone = [feature for feature, source in cleaner.sources_.items() if source in lost]
    assert found[gone].isna().all(axis=None)
    assert_same(found.drop(columns=gone), X.drop(columns=gone))
    assert (found.dtypes == X.dtypes).all()


def test_what_training_had_not_is_ignored_with_one_warning(cleaner):
    with pytest.warns(UserWarning, match="ignored: 'new', 'newer'") as told:
        found = cleaner.transform(CLAIMS.assign(new=1, newer=2))
    assert len(told) == 1
    assert_same(found, cleaner.transform(CLAIMS))


def test_another_table_is_refused_with_names_that_may_be_meant(cleaner):
    other = CLAIMS.rename(columns=str.upper).rename(
        columns={"AMOUNT": "amounts", "CITY": "city2"}
    )
    with pytest.raises(
        ValueError, match=r"got 0 of 7\. Missing: 'amount' \(did you mean amounts"
    ):
        cleaner.transform(other)


def test_categories_that_training_had_not_are_missing(cleaner):
    X = cleaner.transform(CLAIMS.assign(city=["Bonn", *CLAIMS["city"][1:]]))
    assert X["city"].isna()[0]
    assert list(X["city"].cat.categories) == sorted(CITIES)
    with pytest.warns(UserWarning, match=r"'city' .* are categories that training had not"):
        cleaner.transform(CLAIMS.assign(city="Bonn"))


def test_a_column_that_cannot_be_read_any_more_is_told(cleaner):
    with pytest.warns(UserWarning, match="120 of 120 cells of column 'amount' cannot be read"):
        found = cleaner.transform(CLAIMS.assign(amount="a lot"))
    assert found["amount"].isna().all()
    with pytest.warns(UserWarning, match="column 'signed' cannot be read as dates with points"):
        cleaner.transform(CLAIMS.assign(signed="2024-01-01"))


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("number", np.arange(60) + 900, "id"),
        ("anything", RNG.permutation(60), "id"),
        ("anything", np.cumsum(RNG.integers(1, 15, 60)), "id"),
        ("policyId", RNG.choice(10**7, 60, replace=False), "id"),
        ("cents", RNG.choice(10**7, 60, replace=False), "number"),
        ("sorted", np.sort(RNG.choice(10**5, 60, replace=False)), "number"),
        ("claims", RNG.integers(0, 5, 60), "number"),
        ("amount", RNG.normal(size=60), "number"),
        ("reference", [f"{RNG.bytes(8).hex()}" for _ in range(60)], "id"),
        ("invoice", [f"INV-{number}" for number in range(60)], "id"),
        ("customer", [f"K{number % 20:03d}" for number in range(60)], "category"),
        ("text", [f"{BRANDS[i % 4]} branch {i}" for i in range(60)], "text"),
    ],
    ids=range(12),
)
def test_columns_that_only_name_rows_are_told_from_others(name, values, kind):
    frame = pd.DataFrame({name: values, "x": [0.5, 1, 2] * 20})
    assert TableCleaner().fit(frame).columns_[0].kind == kind
    assert TableCleaner().fit(frame.astype(str)).columns_[0].kind == kind


def test_keys_and_constants_are_kept_where_nothing_else_is_left():
    cleaner = TableCleaner().fit(pd.DataFrame({"no": np.arange(40), "x": 1}))
    assert list(cleaner.sources_) == ["no", "x"]
    assert "kept as no other column is left" in cleaner.columns_[0].note


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["yes", "No", ""], [1, 0, np.nan]),
        (["Y", "n", "N"], [1, 0, 0]),
        (["true", "FALSE", "true"], [1, 0, 1]),
        (["oui", "non", "Oui"], [1, 0, 1]),
        (["t", "f", "f"], [1, 0, 0]),
        (["x", "", "x"], [1, 0, 1]),
        ([True, None, False], [1, np.nan, 0]),
    ],
    ids=range(7),
)
def test_yes_and_no_are_one_and_zero(cells, values):
    found = TableCleaner().fit_transform(pd.DataFrame({"x": cells * 5}))
    np.testing.assert_array_equal(found["x"], values * 5)


def test_letters_that_are_no_yes_and_no_are_categories():
    frame = pd.DataFrame({"sex": ["m", "f"] * 10, "shift": ["o", "f"] * 10})
    assert [column.kind for column in TableCleaner().fit(frame).columns_] == ["category"] * 2


def test_text_reads_alike_what_is_written_alike(cleaner):
    cells = ["Quick Glass 4711 Ulm", "QUICK GLASS 815 Ulm", "Nord Clinic 4711 Bonn", ""]
    new = pd.concat([CLAIMS.iloc[:4].reset_index(drop=True)]).assign(merchant=cells)
    columns = [name for name, source in cleaner.sources_.items() if source == "merchant"]
    text = cleaner.transform(new)[columns].to_numpy()
    near, far = (np.linalg.norm(text[0] - text[place]) for place in (1, 2))
    assert near < far
    assert np.isnan(text[3]).all()


def test_text_is_left_out_on_request():
    kinds = {one.name: one for one in TableCleaner(text="drop").fit(CLAIMS).columns_}
    assert kinds["merchant"].features == ()
    assert "text='drop'" in kinds["merchant"].note


def test_without_skrub_text_is_left_out_with_the_line_to_type(monkeypatch):
    monkeypatch.setitem(sys.modules, "skrub", None)
    kinds = {one.name: one for one in TableCleaner().fit(CLAIMS).columns_}
    assert kinds["merchant"].note == f"left out: free text needs skrub. Type: {PIP_LINE}"
    with pytest.raises(ImportError, match="pip install"):
        TableCleaner(text="encode").fit(CLAIMS)


def test_features_never_take_the_name_of_a_column():
    frame = CLAIMS[["signed"]].assign(**{"signed: days": RNG.normal(size=N)})
    X = TableCleaner().fit_transform(frame)
    assert X.columns.is_unique
    np.testing.assert_array_equal(X["signed: days"], frame["signed: days"])


def test_a_cleaner_is_cloned_and_saved_without_code(cleaner):
    params = {"types": {"city": "text"}, "drop": ["at"], "decimal": ",", "day_first": True}
    assert clone(TableCleaner(**params)).get_params() == {**params, "text": "auto"}
    assert not hasattr(clone(cleaner), "columns_")
    saved = skops.io.dumps(cleaner)
    types = skops.io.get_untrusted_types(data=saved)
    assert all(name.partition(".")[0] in ("lopsided", "skrub") for name in types)
    loaded = skops.io.loads(saved, trusted=types)
    assert loaded.columns_ == cleaner.columns_
    assert_same(loaded.transform(CLAIMS), cleaner.transform(CLAIMS))


@pytest.mark.parametrize("method", ["naive-logistic", "focused-fast", "naive-xgb", "puet"])
def test_methods_take_what_comes_out_of_second_tables_too(cleaner, method):
    y = np.zeros(N, int)
    y[:12] = 1
    model = build(method, random_state=0, n_jobs=1).fit(cleaner.transform(CLAIMS), y)
    later = make_claims(20, np.random.default_rng(1)).drop(columns="city")
    with pytest.warns(UserWarning, match="lacks column 'city'"):
        X = cleaner.transform(later.assign(amount=""))
    assert np.isfinite(model.decision_function(X)).all()


def make_long_claims(n_rows):
    """Return a table with a text of its own in most cells."""
    cents = np.random.default_rng(2).integers(-(10**6), 10**6, (n_rows, 8)) / 100
    frame = pd.DataFrame({f"amount {i}": [f"{x:,.2f}" for x in cents[:, i]] for i in range(8)})
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(n_rows) * 977, unit="s")
    return frame.assign(
        seen=days.strftime("%d/%m/%Y %H:%M"),
        due=days.strftime("%b %d, %Y"),
        key=[f"CL-{number}" for number in range(n_rows)],
        city=np.resize(CITIES, n_rows),
        insured=np.resize(["ja", "nein", ""], n_rows),
        count=np.resize(np.arange(9), n_rows).astype(str),
        merchant=[f"{BRANDS[i % 4]} {i} {CITIES[i % 3]}" for i in range(n_rows)],
    )


def count_calls(frame):
    """Return how many functions are called, Python's and those in C, to clean a table."""
    n_calls = 0

    def count(_, event, __):
        nonlocal n_calls
        n_calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        TableCleaner(text="drop").fit_transform(frame)
    finally:
        sys.setprofile(before)
    return n_calls


def test_cleaning_takes_a_few_calls_per_distinct_cell_and_next_to_none_for_copies():
    short, long = make_long_claims(400), make_long_claims(800)
    copies = pd.concat([short] * 10, ignore_index=True)
    TableCleaner(text="drop").fit_transform(short)  # imports what it needs
    few = count_calls(short)
    assert few < 80 * short.size
    assert count_calls(long) < 2.1 * few
    assert count_calls(copies) < 1.2 * few
