"""Lists as they are printed and written: in the manner of the table they come from."""

import io

import numpy as np
import pandas as pd
import pytest

import lopsided
from lopsided.workflow.cli import main
from lopsided.workflow.tables import read_table

pytestmark = pytest.mark.filterwarnings("ignore:.* is not UTF-8 text and was read as cp1252")
WORDS = ["--label", "status", "--positive", "bestätigt", "--id", "Fall"]
QUICK = ["--method", "naive-logistic", "--prior", "0.2", "--jobs", "1", "-q"]


@pytest.fixture(scope="module")
def german():
    """Cases as a German desk writes them, positives with high amounts."""
    rng = np.random.default_rng(0)
    amount = np.r_[rng.lognormal(8, 0.3, 20), rng.lognormal(6, 0.5, 180)]
    return pd.DataFrame(
        {
            "Fall": [f"F{row:03}" for row in range(200)],
            "Betrag": [f"{one:.2f}".replace(".", ",") for one in amount],
            "Straße": rng.choice(["Allee", "Weg"], 200),
            "status": np.where(np.arange(200) < 12, "bestätigt", ""),
        }
    )


@pytest.fixture
def source(german, tmp_path):
    path = tmp_path / "faelle.csv"
    german.to_csv(path, sep=";", index=False, encoding="latin-1")
    return path


def rank(source, *words):
    assert main(["rank", str(source), *WORDS, *QUICK, *words]) == 0


def test_a_list_is_written_as_its_table_is_and_comes_back(source, tmp_path, capsys):
    ranked, model = tmp_path / "liste.csv", tmp_path / "faelle.lop"
    rank(source, "-o", str(ranked))
    assert ranked.read_bytes().startswith(b"\xef\xbb\xbfrank;id;score;")
    frame = pd.read_csv(ranked, sep=";", decimal=",", encoding="utf-8-sig")
    assert frame["score"].dtype == frame["Betrag"].dtype == float
    assert main(["fit", str(source), *WORDS, *QUICK, "-o", str(model)]) == 0
    reviewed = read_table(ranked).head(6).assign(verdict="-1")
    reviewed.to_csv(tmp_path / "zurück.csv", sep=";", index=False, encoding="utf-8-sig")
    words = ["feedback", str(model), str(tmp_path / "zurück.csv"), "--jobs", "1"]
    assert main([*words, "-o", str(tmp_path / "neu.lop")]) == 0
    taught = lopsided.load(tmp_path / "neu.lop")
    assert taught.count_labels() == {1: 12, 0: 182, -1: 6}
    assert "not in training" not in capsys.readouterr().err


def test_standard_output_has_the_separator_but_no_mark(source, capsys):
    rank(source, "--top", "2")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("rank;id;score")
    assert "," in lines[1].split(";")[2]


@pytest.mark.parametrize(
    ("name", "words", "separator", "decimal"),
    [("a.csv", ["--out-sep", ","], ",", "."), ("a.tsv", [], "\t", ",")],
)
def test_the_separator_of_a_list_can_be_another(
    source, tmp_path, name, words, separator, decimal
):
    rank(source, "-o", str(tmp_path / name), *words)
    frame = pd.read_csv(tmp_path / name, sep=separator, decimal=decimal)
    assert frame["score"].dtype == float


def test_a_table_with_commas_makes_a_list_with_commas_and_keeps_a_mark(german, tmp_path):
    plain = german.assign(Betrag=german["Betrag"].str.replace(",", "."))
    for encoding, start in (("utf-8", b"rank,id"), ("utf-8-sig", b"\xef\xbb\xbfrank,id")):
        plain.to_csv(tmp_path / "a.csv", index=False, encoding=encoding)
        rank(tmp_path / "a.csv", "-o", str(tmp_path / "b.csv"))
        assert (tmp_path / "b.csv").read_bytes().startswith(start)
    assert pd.read_csv(tmp_path / "b.csv")["score"].dtype == float


def test_figures_of_a_csv_have_six_digits_in_the_same_order(source, tmp_path):
    rank(source, "-o", str(tmp_path / "a.parquet"))
    rank(source, "-o", str(tmp_path / "a.csv"))
    whole = pd.read_parquet(tmp_path / "a.parquet")
    short = pd.read_csv(tmp_path / "a.csv", sep=";", decimal=",")
    assert short["score"].is_monotonic_decreasing
    assert (short["id"] == whole["id"]).all()
    np.testing.assert_allclose(short["score"], whole["score"], rtol=1e-5)
    texts = pd.read_csv(tmp_path / "a.csv", sep=";", dtype=str)
    for name in ("score", "probability"):
        assert (
            texts[name].str.replace("e.*|[-,]", "", regex=True).str.lstrip("0").str.len().max()
            <= 6
        )
        assert (whole[name] != short[name]).any()


def test_a_printed_list_shows_its_own_columns_within_the_width(german, monkeypatch):
    monkeypatch.setenv("COLUMNS", "72")
    options = {"label": "status", "positive": "bestätigt", "id": "Fall"}
    wide = german.assign(**{f"column {place}": german["Betrag"] for place in range(9)})
    ranked = lopsided.rank(wide, **options, method="naive-logistic", prior=0.2, reasons=3)
    lines = repr(ranked).splitlines()
    assert lines[0].split() == ["rank", "id", "score", "probability", "reasons"]
    assert lines[1].split()[:2] == ["1", ranked["id"][0]]
    assert "Betrag" in lines[1]
    assert max(map(len, lines[:-1])) <= 72
    assert "20 of 188 rows" in lines[-1]
    assert "column 1" in lines[-1]
    assert pd.read_csv(io.StringIO(ranked.to_csv(index=False))).shape == ranked.shape
