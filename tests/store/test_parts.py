"""Objects that give themselves as parts, and frames among them."""

import io
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from forging import read, sign
from sklearn.feature_extraction.text import TfidfVectorizer

import lopsided.store
from lopsided import build
from lopsided.store import load, save
from lopsided.store.frames import dump_frame, load_frame

N_ROWS = 60
RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(N_ROWS, 3)), columns=list("abc"))
Y = (X["a"] > 0.8).astype(int).to_numpy()

FRAME = pd.DataFrame(
    {
        "floats": [1.5, np.nan, -0.0],
        "single": np.array([1, 2, 3], np.float32),
        "whole": [1, 2, 2**60],
        "small": np.array([1, 2, 3], np.int8),
        "flags": [True, False, True],
        "text": ["a", None, "ü"],
        "nullable text": pd.array(["a", pd.NA, "b"], dtype="string"),
        "anything": pd.Series([1, "x", True], dtype=object),
        "gaps": pd.Series([None, np.nan, 1.0], dtype=object),
        "category": pd.Categorical(["x", None, "x"], ["z", "y", "x"]),
        "ordered": pd.Categorical(["x", "y", None], ["z", "y", "x"], ordered=True),
        "numbers": pd.Categorical([3, 1, 3], [1, 2, 3]),
        "shares": pd.Categorical([0.5, 1.0, None]),
        "answers": pd.Categorical([True, False, True]),
        "mixed": pd.Categorical([1, "a", None]),
        "days": pd.Categorical(pd.to_datetime(["2020-01-01", None, "2021-01-01"])),
        "dates": pd.to_datetime(["2020-01-01", None, "2021-01-01"]),
        "zoned": pd.to_datetime(["2020-01-01", None, "2021-01-01"]).tz_localize("Asia/Tokyo"),
        "nullable": pd.array([1, None, 3], dtype="Int64"),
        "nullable flags": pd.array([True, None, False], dtype="boolean"),
    }
)
FRAMES = {
    "all columns": FRAME,
    "text index": FRAME.set_index("text"),
    "date index": FRAME.set_index("dates"),
    "no rows": FRAME.iloc[:0],
    "other order": FRAME.iloc[[2, 0, 1]],
    "numbered columns": pd.DataFrame(RNG.normal(size=(3, 2))),
}


class Shelf:
    """A higher-level class: a cleaner's facts, an estimator and its training rows."""

    def __init__(self, model, rows, notes):
        self.model, self.rows, self.notes = model, rows, notes

    def to_parts(self):
        objects = {"model": self.model, "threshold": 0.25, "names": ["a", ("b", 1)]}
        return {"objects": objects, "frames": {"rows": self.rows}, "facts": self.notes}

    @classmethod
    def from_parts(cls, parts):
        assert parts["objects"]["threshold"] == 0.25
        assert parts["objects"]["names"] == ["a", ("b", 1)]
        return cls(parts["objects"]["model"], parts["frames"]["rows"], parts["facts"])


@pytest.fixture
def shelves(monkeypatch):
    target = f"{Shelf.__module__}:{Shelf.__qualname__}"
    monkeypatch.setattr(lopsided.store, "KINDS", {"estimator": None, "shelf": target})


@pytest.fixture(scope="module")
def model():
    return build("naive-logistic").fit(X, Y)


@pytest.mark.usefixtures("shelves")
def test_an_object_of_parts_comes_back(model, tmp_path):
    notes = {"label": "fraud", "counts": [1, 2.5, None], "nested": {"a": True}}
    save(Shelf(model, FRAME, notes), tmp_path / "shelf.lop")
    assert json.loads(read(tmp_path / "shelf.lop")["manifest.json"])["kind"] == "shelf"
    loaded = load(tmp_path / "shelf.lop")
    assert type(loaded) is Shelf
    assert loaded.notes == notes
    pd.testing.assert_frame_equal(loaded.rows, FRAME)
    np.testing.assert_array_equal(loaded.model.decision_function(X), model.decision_function(X))


@pytest.mark.usefixtures("shelves")
@pytest.mark.parametrize(
    "notes", [{"a": np.arange(2)}, {"a": float("nan")}, {1: 2}, {"a": (1,)}]
)
def test_facts_that_json_does_not_give_back_are_refused(notes, model, tmp_path):
    with pytest.raises(ValueError, match="takes facts that JSON"):
        save(Shelf(model, X, notes), tmp_path / "shelf.lop")


def test_a_class_that_is_no_kind_is_refused(model, tmp_path):
    with pytest.raises(ValueError, match="takes the kinds estimator, table-model, got"):
        save(Shelf(model, X, {}), tmp_path / "shelf.lop")


def test_a_kind_that_is_not_there_yet_is_refused_by_its_name(model, tmp_path, monkeypatch):
    target = f"{Shelf.__module__}:{Shelf.__qualname__}"
    with monkeypatch.context() as patch:
        patch.setattr(lopsided.store, "KINDS", {"estimator": None, "shelf": target})
        save(Shelf(model, X, {}), tmp_path / "shelf.lop")
    with pytest.raises(
        ValueError, match="must be of a kind in estimator, table-model, got 'shelf'"
    ):
        load(tmp_path / "shelf.lop")


@pytest.mark.parametrize("name", FRAMES)
def test_frames_come_back_equal(name):
    table, columns = dump_frame(FRAMES[name], name)
    assert dump_frame(FRAMES[name], name) == (table, columns)
    loaded = load_frame(table, columns, 2**31)
    pd.testing.assert_frame_equal(loaded, FRAMES[name])
    for own, other in zip(loaded, FRAMES[name], strict=True):
        assert list(map(repr, loaded[own])) == list(map(repr, FRAMES[name][other]))


@pytest.mark.parametrize(
    "odd",
    [
        pd.DataFrame({"a": pd.Series([{}, []], dtype=object)}),
        pd.DataFrame({"a": pd.period_range("2020", periods=2)}),
        pd.DataFrame({"a": [1j, 2j]}),
        pd.DataFrame({("a", "b"): [1]}),
        pd.DataFrame({"a": [1, 2]}, index=pd.MultiIndex.from_tuples([(1, 2), (3, 4)])),
        X["a"],
    ],
    ids=range(6),
)
def test_other_frames_are_refused_by_name(odd):
    with pytest.raises(ValueError, match="'rows'"):
        dump_frame(odd, "rows")


def test_a_frame_of_few_bytes_and_endless_rows_is_refused():
    table, columns = dump_frame(pd.DataFrame({"a": np.zeros(1_000_000)}), "rows")
    assert len(table) < 10_000
    with pytest.raises(ValueError, match="a frame of 1000000 rows"):
        load_frame(table, columns, 2**20)


@pytest.mark.usefixtures("shelves")
@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("n_rows", 7),
        ("n_rows", -1),
        ("n_rows", 10**15),
        ("columns", []),
        ("index", {"name": "x", "dtype": "int64"}),
        ("dtype", "float32"),
        ("dtype", "object"),
        ("dtype", "O"),
        ("dtype", "no such type"),
        ("name", ["a"]),
    ],
)
def test_frames_with_other_facts_are_refused(key, value, model, tmp_path):
    save(Shelf(model, X, {}), tmp_path / "shelf.lop")
    members = read(tmp_path / "shelf.lop")
    facts = json.loads(members["frames/0.json"])
    (facts["columns"][0] if key in ("dtype", "name") else facts)[key] = value
    members["frames/0.json"] = json.dumps(facts).encode()
    (tmp_path / "shelf.lop").write_bytes(sign(members))
    with pytest.raises(ValueError, match=r"^The model file .*\.$"):
        load(tmp_path / "shelf.lop")


def test_codes_beyond_the_values_are_refused():
    table, columns = dump_frame(pd.DataFrame({"a": ["x", "y"]}), "rows")
    facts = json.loads(columns)
    facts["columns"][0]["values"] = ["x"]
    with pytest.raises(ValueError, match="codes without a value"):
        load_frame(table, json.dumps(facts).encode(), 2**31)


@pytest.mark.parametrize("zone", ["dateutil//etc/hostname", "/etc/localtime", "no such zone"])
def test_a_zone_that_is_a_path_is_not_opened(zone):
    times = pd.DataFrame({"a": pd.to_datetime(["2020-01-01"]).tz_localize("Asia/Tokyo")})
    table, columns = dump_frame(times, "rows")
    facts = json.loads(columns)
    facts["columns"][0]["zone"] = zone
    with pytest.raises(ValueError, match="must have zones by their names"):
        load_frame(table, json.dumps(facts).encode(), 2**31)


@pytest.mark.parametrize("zone", ["UTC", "UTC+02:00", "America/St_Johns"])
def test_zones_come_back(zone):
    times = pd.DataFrame({"a": pd.to_datetime(["2020-01-01"]).tz_localize(zone)})
    loaded = load_frame(*dump_frame(times, "rows"), 2**31)
    assert (loaded["a"] == times["a"]).all()
    assert str(loaded["a"].dt.tz) == zone


def test_cells_of_any_length_are_refused_before_they_are_read():
    long = pa.table(
        {"a": pa.array(["x" * 10_000] * 5000).dictionary_encode().cast(pa.string())}
    )
    stream = io.BytesIO()
    pq.write_table(long, stream)
    kind = {"name": "a", "dtype": "float64"}
    facts = json.dumps({"n_rows": 5000, "columns": [kind]}).encode()
    with pytest.raises(ValueError, match="must have frames of numbers"):
        load_frame(stream.getvalue(), facts, 10**7)


def test_parts_cannot_ask_for_threads_or_open_texts():
    from lopsided.store.stand_ins import NeighborsPart, Parts

    params = {"metric": "minkowski", "n_jobs": 10**7}
    with pytest.raises(ValueError, match="n_jobs of at most"):
        Parts().put_together(NeighborsPart(params, np.zeros((3, 2))))
    with pytest.raises(ValueError, match="must read texts as they are"):
        Parts().put_together(TfidfVectorizer(input="filename"))
