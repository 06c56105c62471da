"""From a file to a ranking: no column, row or cell is lost on the way."""

import csv
import os
import subprocess
import sys
import threading

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lopsided
from lopsided.workflow.cli import main
from lopsided.workflow.ranked import Scored
from lopsided.workflow.tables import write_table

N = 60
HEAD = ["rank", "id", "score", "probability", "reasons"]
RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "a": RNG.normal(size=N),
        "b": RNG.normal(size=N),
        "c, d": RNG.normal(size=N),
        "y": [1, 0, 0] * (N // 3),
    }
)


def rank(path, **options):
    return lopsided.rank(path, label="y", method="naive-logistic", reasons=0, **options)


def test_the_last_bit_of_a_score_decides_no_rank():
    scores = np.array([0.1, 0.3, np.nextafter(0.3, 1), 0.2])
    rows = Scored(None, None, np.zeros(4, np.int8), scores, scores, scores < 0, scores)
    assert rows.order.tolist() == [1, 2, 3, 0]


@pytest.mark.parametrize(
    ("words", "n_features"),
    [
        ([], 3),
        (["--drop", "a", "--drop", "b"], 1),
        (["--drop", "a,b"], 1),
        (["--drop", "c, d"], 2),
        (["--drop", "c, d", "--drop", "a"], 1),
        (["--drop", "a, b,", "--drop", ""], 1),
    ],
)
def test_all_columns_to_drop_are_dropped_commas_or_not(tmp_path, capsys, words, n_features):
    FRAME.to_csv(tmp_path / "t.csv", index=False)
    path = str(tmp_path / "t.csv")
    assert main(["rank", path, "--label", "y", "--method", "naive-logistic", *words]) == 0
    assert f"and {n_features} column" in capsys.readouterr().err


def test_a_column_to_drop_that_is_not_there_is_named(tmp_path, capsys):
    FRAME.to_csv(tmp_path / "t.csv", index=False)
    assert main(["rank", str(tmp_path / "t.csv"), "--label", "y", "--drop", "a,bb"]) == 2
    assert "No column is called 'bb'" in capsys.readouterr().err


@pytest.mark.parametrize("cell", ["x\ry", "\r", "x\r\ny", "x\ny", 'q"', "p,q", "\u2028", "\0"])
@pytest.mark.parametrize("to_file", [True, False])
def test_a_ranking_has_the_rows_of_its_table_whatever_they_hold(tmp_path, capfd, cell, to_file):
    out = tmp_path / "r.csv"
    table = tmp_path / "t.csv"
    FRAME.assign(note=cell).to_csv(table, index=False, lineterminator="\r\n")
    words = ["rank", str(table), "--label", "y", "--method", "naive-logistic"]
    assert main([*words, *(["-o", str(out)] if to_file else [])]) == 0
    if not to_file:
        out.write_text(capfd.readouterr().out, newline="")
    with open(out, newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == N * 2 // 3
    assert {row["note"] for row in rows} == {cell}
    if cell != "\0" or pd.__version__ >= "3":  # pandas 2 ends a cell at a null byte
        ranked = pd.read_csv(out, dtype=str, na_filter=False)
        assert len(ranked) == len(rows)
        assert set(ranked["note"]) == {cell}
    assert b"\r" not in out.read_bytes().replace(cell.encode(), b"")


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("index", "columns"),
    [
        (pd.Index([f"c{i}" for i in range(N)]), ["row_label"]),
        (pd.Index(RNG.permutation(N)), ["row_label"]),
        (pd.RangeIndex(5, 5 + N), ["row_label"]),
        (pd.Index([f"c{i}" for i in range(N)], name="claim"), ["claim"]),
        (pd.MultiIndex.from_product([range(20), list("abc")]), ["row_label_1", "row_label_2"]),
        (pd.MultiIndex.from_product([range(20), list("abc")], names=["f", "t"]), ["f", "t"]),
        (pd.RangeIndex(N), []),
    ],
    ids=["text", "shuffled", "later", "named", "levels", "named levels", "count"],
)
def test_row_labels_of_parquet_stay_with_their_rows(tmp_path, index, columns, suffix):
    FRAME.set_axis(index).to_parquet(tmp_path / "t.parquet")
    done = rank(tmp_path / "t.parquet")
    write_table(done, tmp_path / f"r.{suffix}")
    read = pd.read_csv if suffix == "csv" else pd.read_parquet
    ranked = read(tmp_path / f"r.{suffix}")
    assert list(ranked.columns) == [*HEAD, *columns, *FRAME.columns]
    if columns:
        labels = pd.Series(FRAME["a"].to_numpy(), index)
        keys = ranked[columns].itertuples(index=False, name=None)
        found = [labels.loc[key if len(key) > 1 else key[0]] for key in keys]
        np.testing.assert_allclose(ranked["a"], found)
    assert ("Row labels are kept" in done.summary) == ("row_label" in "".join(columns))


def test_names_of_row_labels_give_way_to_columns(tmp_path):
    frame = FRAME.assign(row_label=1.5).set_axis(RNG.permutation(N))
    frame.to_parquet(tmp_path / "t.parquet")
    assert list(rank(tmp_path / "t.parquet").columns[5:7]) == ["row_label_", "a"]


def test_row_labels_without_a_name_are_not_learned_from(tmp_path):
    labels = np.where(FRAME["y"] == 1, np.arange(N), np.arange(N) + 1000)
    FRAME.to_parquet(tmp_path / "plain.parquet")
    FRAME.set_axis(labels).to_parquet(tmp_path / "labels.parquet")
    plain, with_labels = (
        rank(tmp_path / f"{name}.parquet")["score"] for name in ("plain", "labels")
    )
    np.testing.assert_array_equal(plain, with_labels)


NESTED = {
    "map": pa.array([[("k", 1)], None] * (N // 2), pa.map_(pa.string(), pa.int64())),
    "list": pa.array([[1, 2], [3, None]] * (N // 2)),
    "struct": pa.array([{"a": 1, "b": b"x"}, None] * (N // 2)),
    "bytes": pa.array([b"\xff%d" % i for i in range(N)]),
    "coded": pa.array([b"x", None] * (N // 2)).dictionary_encode(),
}


@pytest.mark.filterwarnings("always:Lists, maps, structs and bytes are read as text")
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_nested_and_binary_columns_are_named_and_come_out_as_text(tmp_path, suffix, capsys):
    table, out = tmp_path / "t.parquet", tmp_path / f"r.{suffix}"
    columns = {name: FRAME[name].to_numpy() for name in FRAME}
    pq.write_table(pa.table({**columns, **NESTED}), table)
    words = ["rank", str(table), "--label", "y", "--method", "naive-logistic"]
    assert main([*words, "-o", str(out)]) == 0
    said = capsys.readouterr().err
    assert "read as text, here those of 'map', 'list', 'struct', 'bytes', 'coded'." in said
    ranked = pd.read_csv(out) if suffix == "csv" else pd.read_parquet(out)
    assert set(ranked["map"].dropna()) == {'[["k", 1]]'}
    assert set(ranked["list"]) == {"[1.0, 2.0]", "[3.0, NaN]"}
    assert set(ranked["struct"].dropna()) == {'{"a": 1.0, "b": "78"}'}
    assert set(ranked["coded"].dropna()) == {"x"}
    number = [int(bytes.fromhex(cell)[1:]) for cell in ranked["bytes"]]
    np.testing.assert_allclose(ranked["a"], FRAME["a"].to_numpy()[number])


@pytest.mark.parametrize("name", list(NESTED))
def test_a_nested_or_binary_column_as_label_gets_a_sentence_that_names_it(tmp_path, name):
    pq.write_table(
        pa.table({"a": FRAME["a"].to_numpy(), name: NESTED[name]}), tmp_path / "t.pq"
    )
    with (
        pytest.warns(UserWarning, match=f"'{name}'"),
        pytest.raises(ValueError, match=f"Column '{name}' must hold 1"),
    ):
        lopsided.rank(tmp_path / "t.pq", label=name)


def write(frame, path):
    frame.to_parquet(path) if path.suffix == ".parquet" else frame.to_csv(path, index=False)
    return path


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".parquet", ""])
def test_a_named_pipe_is_read_once(tmp_path, suffix):
    table = write(FRAME, tmp_path / f"t{suffix or '.csv'}")
    fifo = tmp_path / f"pipe{suffix}"
    os.mkfifo(fifo)
    writer = threading.Thread(target=lambda: fifo.write_bytes(table.read_bytes()), daemon=True)
    writer.start()
    from_pipe = rank(fifo)
    writer.join()
    pd.testing.assert_frame_equal(from_pipe, rank(table))


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_what_a_shell_substitutes_is_read_by_its_content(tmp_path, suffix):
    table = write(FRAME, tmp_path / f"t{suffix}")
    reads, writes = os.pipe()

    def fill():
        with open(writes, "wb") as stream:
            stream.write(table.read_bytes())

    threading.Thread(target=fill, daemon=True).start()
    from_pipe = rank(f"/dev/fd/{reads}")
    os.close(reads)
    pd.testing.assert_frame_equal(from_pipe, rank(table))


def test_standard_input_is_a_table_too(tmp_path):
    table = write(FRAME, tmp_path / "t.csv")
    command = [sys.executable, "-m", "lopsided", "rank", "-", "--label", "y"]
    done = subprocess.run(
        [*command, "--method", "naive-logistic"],
        input=table.read_bytes(),
        capture_output=True,
        timeout=120,
        check=True,
    )
    assert len(done.stdout.splitlines()) == N * 2 // 3 + 1


def test_what_never_ends_is_refused():
    with pytest.raises(ValueError, match="neither a file nor a pipe"):
        rank("/dev/zero")


@pytest.mark.parametrize("from_pipe", [False, True])
def test_a_labeled_row_that_lacks_its_label_is_refused_by_its_line(tmp_path, capsys, from_pipe):
    lines = FRAME.to_csv(index=False).splitlines()
    lines[31] = lines[31].removesuffix(",1")
    table, path = "\n".join([*lines, ""]), tmp_path / "t.csv"
    if from_pipe:
        os.mkfifo(path)
        threading.Thread(target=lambda: path.write_text(table), daemon=True).start()
    else:
        path.write_text(table)
    assert main(["rank", str(path), "--label", "y", "--method", "naive-logistic"]) == 2
    assert "must have 4 cells, as the header has, got 3 in line 32." in capsys.readouterr().err


@pytest.mark.filterwarnings("always:X holds the same values in every row")
@pytest.mark.filterwarnings("ignore:.* gave all rows of a fold the same score")
def test_a_table_of_equal_rows_is_ranked_with_one_note(tmp_path, capsys):
    FRAME.assign(a=1, b=2, **{"c, d": "x"}).to_csv(tmp_path / "t.csv", index=False)
    path = str(tmp_path / "t.csv")
    assert main(["rank", path, "--label", "y", "--method", "naive-logistic"]) == 0
    assert capsys.readouterr().err.count("note: X holds the same values in every row") == 1
