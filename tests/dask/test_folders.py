"""From a folder of parquet files to a model and a ranking, also on the command line."""

import json

import numpy as np
import pandas as pd
import pytest

import lopsided
from lopsided.dask.failures import WorkerLostError, _tell_lost
from lopsided.dask.folders import FolderRoles, connect, fit_folder, rank_folder
from lopsided.workflow.cli import main

N_ROWS = 1200


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("claims")
    rng = np.random.default_rng(0)
    amount = rng.lognormal(6, 1, N_ROWS)
    branch = rng.choice(["north", "south", "east"], N_ROWS)
    fraud = (amount > 800) & (branch == "north")
    claims = pd.DataFrame(
        {
            "claim": [f"C{i:05d}" for i in range(N_ROWS)],
            "amount": [f"${x:,.2f}" for x in amount],
            "branch": branch,
            "state": np.where(fraud & (rng.random(N_ROWS) < 0.5), "fraud", ""),
        }
    )
    claims.loc[~fraud & (rng.random(N_ROWS) < 0.02), "state"] = "cleared"
    for i, part in enumerate(np.array_split(np.arange(N_ROWS), 3)):
        claims.iloc[part].to_parquet(folder / f"{i}.parquet", index=False)
    return folder, claims.assign(fraud=fraud)


ROLES = FolderRoles("state", "fraud", "cleared", id="claim")


def read(path):
    return pd.concat(map(pd.read_parquet, sorted(path.glob("*.parquet")))).sort_values("rank")


def test_a_folder_is_ranked_by_what_its_cells_mean(tmp_path, client, folder):
    path, claims = folder
    model = fit_folder(path, ROLES, "naive-xgb", client=client)
    found = rank_folder(model, path, ROLES, tmp_path / "ranking", client=client)
    ranking = read(tmp_path / "ranking")
    assert list(ranking.columns) == [
        "rank",
        "score",
        "probability",
        "claim",
        "amount",
        "branch",
    ]
    assert found.n_rows == len(ranking) == (claims["state"] == "").sum()
    hidden = claims.set_index("claim")["fraud"]
    assert hidden[ranking["claim"][:20]].mean() > 0.8
    lopsided.save(model, tmp_path / "model.lop")
    raw = claims[["amount", "branch"]]
    scores = lopsided.load(tmp_path / "model.lop").decision_function(raw)
    by_claim = pd.Series(scores, claims["claim"])[ranking["claim"]]
    np.testing.assert_allclose(ranking["score"], by_claim)


def test_the_command_line_fits_and_ranks(tmp_path, client, folder, capsys):
    path, _ = folder
    words = ["--label", "state", "--positive", "fraud", "--negative", "cleared"]
    model, ranking = str(tmp_path / "model.lop"), str(tmp_path / "ranking")
    address = client.scheduler.address
    options = [*words, "--id", "claim", "--prior", "0.15", "--method", "ifpu-xgb"]
    assert main(["fit", str(path), *options, "-o", model, "--dask", address]) == 0
    ranked = ["rank", model, str(path), "-o", ranking, "--dask", address, "--top", "30", *words]
    assert main([*ranked, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == {"written": ranking, "rows": len(read(tmp_path / "ranking"))}
    assert read(tmp_path / "ranking")["rank"].max() <= 30


def test_a_lost_worker_ends_the_command_in_a_sentence(
    tmp_path, client, folder, capsys, monkeypatch
):
    def lose(*_, **__):
        raise WorkerLostError(_tell_lost("during training", training=True))

    monkeypatch.setattr("lopsided.dask.folders.fit_folder", lose)
    given = ["fit", str(folder[0]), "--label", "state", "-o", str(tmp_path / "model.lop")]
    assert main([*given, "--dask", client.scheduler.address]) == 2
    told = capsys.readouterr().err
    assert "A worker was lost during training, and no model was made" in told
    assert "with --checkpoint a fit goes on" in told


def test_local_starts_workers_here():
    with connect("local", 1) as own:
        assert len(own.scheduler_info()["workers"]) == 1
        assert own.submit(sum, [1, 2]).result() == 3


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--dask", "tcp://127.0.0.1:9"], "A Dask scheduler must be at 'tcp://127.0.0.1:9'"),
        (["--dask", "local", "--sep", ";"], "got --sep as well"),
        (["--dask", "local"], "Name one by --output"),
        (["--dask", "local", "--reasons", "all"], "without reasons, got --reasons"),
        (["--dask", "local", "--out-sep", ";"], "without reasons, got --out-sep"),
        (["--dask", "local", "-o", "OCCUPIED"], "must be new or hold a ranking"),
        (["--dask", "local", "-o", "TABLE"], "must be outside of the folder of the table"),
    ],
)
def test_what_does_not_fit_is_told(options, told, folder, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("lopsided.dask.folders._CONNECT", 1)
    (tmp_path / "notes.txt").write_text("mine")
    places = {"OCCUPIED": str(tmp_path), "TABLE": str(folder[0])}
    options = [places.get(word, word) for word in options]
    is_given = "-o" in options or "--output" in told
    output = [] if is_given else ["-o", str(tmp_path / "ranking")]
    code = main(["rank", str(folder[0]), "--label", "state", *options, *output])
    assert code != 0
    assert told in capsys.readouterr().err


def test_a_typo_in_a_named_value_and_a_ranking_in_the_table_are_refused(client, folder):
    path, _ = folder
    typo = FolderRoles("state", "fraud", "cleard", id="claim")
    with pytest.raises(ValueError, match=r"is 'cleard'\. Did you mean 'cleared'"):
        fit_folder(path, typo, "naive-xgb", client=client)
    with pytest.raises(ValueError, match="must be outside of the folder of the table"):
        rank_folder(None, path, ROLES, path / "ranking", client=client)
