import json

import numpy as np
import pandas as pd
import pytest
from parts import make_table, write_parts

import lopsided
from lopsided.workflow.cli import main

QUICK = ["--prior", "0.1", "--jobs", "1"]


@pytest.fixture
def folder(tmp_path):
    return write_parts(make_table(600), tmp_path / "parts")


def run(*words):
    return main([str(word) for word in words])


def fit(folder, *words):
    path = folder.parent / "model.lop"
    roles = ("--label", "fraud", "--id", "row", "--out-of-core")
    return run("fit", folder, *roles, *QUICK, "-o", path, *words), path


def test_a_folder_is_fitted_and_ranked_from_the_shell(folder, capsys):
    code, model = fit(folder)
    assert code == 0
    assert "Prior 0.1. Written to" in capsys.readouterr().err
    assert list(lopsided.load(model).feature_names_in_) == list("abcd")
    out = folder.parent / "ranked.parquet"
    words = ("--label", "fraud", "--id", "row", "--top", "20", "--out-of-core", "-o", out)
    assert run("rank", model, folder, *words) == 0
    assert "rows ranked, the first 20 in order." in capsys.readouterr().err
    ranked = pd.read_parquet(out)
    assert list(ranked.columns) == ["rank", "score", "probability", "row"]
    assert not set(ranked["row"]) & set(make_table(600).query("fraud == 1")["row"])


def test_a_folder_is_ranked_at_once_by_its_own_labels(folder, capsys):
    outs = [folder.parent / f"{place}.parquet" for place in (1, 2)]
    words = ("--label", "fraud", "--id", "row", "--out-of-core")
    assert run("rank", folder, *words, *QUICK, "-o", outs[0], "--json") == 0
    told = json.loads(capsys.readouterr().out)
    n_rows = int((make_table(600)["fraud"] == 0).sum())
    assert told == {"written": str(outs[0]), "rows": n_rows, "sorted": n_rows, "rank_error": 0}
    _, model = fit(folder, "-q")
    assert run("rank", model, folder, *words, "-o", outs[1], "-q") == 0
    np.testing.assert_array_equal(*(pd.read_parquet(out)["row"] for out in outs))


def test_a_checkpoint_is_kept_and_one_of_other_settings_refused(folder, capsys):
    kept = folder.parent / "kept"
    assert fit(folder, "--checkpoint", kept)[0] == 0
    assert (kept / "boosting.checkpoint").exists()
    assert fit(folder, "--checkpoint", kept, "--drop", "d")[0] == 2
    assert (
        "must be a checkpoint of this fit, got one with other columns, rows"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--group", "a"), "--group is for tables in memory, got it with --out-of-core"),
        (("--drop", "a,nowhere"), "No column is called 'nowhere'"),
        (("--method", "focused", "--checkpoint", "kept"), "A checkpoint is for boosted trees"),
    ],
)
def test_options_that_do_not_fit_get_a_sentence(folder, capsys, words, said):
    assert fit(folder, *words)[0] == 2
    shown = capsys.readouterr().err
    assert said in shown
    assert len(shown.splitlines()) == 1


def test_files_of_another_kind_get_a_sentence(folder, capsys):
    words = ("--label", "fraud", "--out-of-core")
    assert run("rank", folder, *words, "-o", folder.parent / "out.csv") == 2
    assert "--out-of-core writes a parquet file, got" in capsys.readouterr().err
    assert run("rank", folder, *words) == 2
    assert "got no name" in capsys.readouterr().err
    table = folder / "part-0.parquet"
    assert run("fit", table, "--label", "fraud", "--checkpoint", "x", "-o", "m.lop") == 2
    assert "--checkpoint goes with --out-of-core" in capsys.readouterr().err


def test_a_ranking_into_the_folder_of_the_table_is_refused_before_the_fit(
    folder, capsys, monkeypatch
):
    monkeypatch.setattr("lopsided.out_of_core.fit_parquet", None)
    words = ("--label", "fraud", "--out-of-core", "-o", folder / "ranked.parquet")
    assert run("rank", folder, *words) == 2
    assert "must be outside of the folder of the table" in capsys.readouterr().err
