"""Prior, metrics, calibration and ranks of a collection are those of its rows."""

import json

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from lopsided._math import sigmoid
from lopsided._sketch import ScoreSketch
from lopsided.calibration import fit_calibration
from lopsided.dask import judging, rank_to_parquet, read_folder, summarize_scores
from lopsided.dask.ranking_folder import check_ranking_folder, replacing
from lopsided.metrics import pu_average_precision, pu_mean_log_rank, pu_roc_auc
from lopsided.priors import estimate_prior

dd = pytest.importorskip("dask.dataframe")
da = pytest.importorskip("dask.array")


@pytest.fixture(scope="module")
def scored():
    rng = np.random.default_rng(3)
    y_true = rng.random(5000) < 0.1
    scores = np.round(rng.normal(size=5000) + 3 * y_true, 2)
    y = np.where(y_true & (rng.random(5000) < 0.5), 1, 0)
    y[:20] = np.where(y_true[:20], 1, -1)
    return pd.DataFrame({"id": np.arange(5000) + 10, "y": y, "score": scores})


@pytest.fixture(scope="module")
def summary(client, scored):
    collection = dd.from_pandas(scored, npartitions=5)
    return summarize_scores(collection["y"], collection["score"], client=client)


def test_metrics_are_those_of_all_rows(summary, scored):
    y, scores = scored["y"], scored["score"]
    assert summary.n_rows == 5000
    assert summary.n_labeled == (y == 1).sum()
    expected = {
        "pu_mean_log_rank": pu_mean_log_rank(y, scores),
        "pu_roc_auc": pu_roc_auc(y, scores),
        "pu_average_precision": pu_average_precision(y, scores),
    }
    assert summary.metrics() == pytest.approx(expected, rel=1e-9)
    with pytest.raises(ValueError, match="No PU metric is called 'roc_auc'"):
        summary.metric("roc_auc")


def test_the_prior_is_that_of_all_rows(summary, scored):
    found = summary.estimate_prior(random_state=0)
    whole = estimate_prior(scored["y"], scored["score"], random_state=0)
    assert found.value == pytest.approx(whole.value, rel=0.05)
    assert 0.07 < found.value < 0.13


def test_calibration_is_that_of_all_rows(summary, scored):
    grid = np.linspace(-3, 6, 20)
    whole = fit_calibration(scored["score"], scored["y"], 0.1)
    assert_allclose(
        summary.fit_calibration(0.1).transform(grid), whole.transform(grid), atol=1e-3
    )


def test_weights_count_rows(client, scored):
    collection = dd.from_pandas(scored.assign(w=2.0), npartitions=2)
    twice = summarize_scores(
        collection["y"], collection["score"], collection["w"], client=client
    )
    assert twice.n_rows == 10_000
    assert twice.metric("pu_roc_auc") == pytest.approx(
        pu_roc_auc(pd.concat([scored["y"]] * 2), pd.concat([scored["score"]] * 2))
    )


def test_ranks_of_all_unlabeled_rows_are_in_the_folder(tmp_path, client, scored):
    collection = dd.from_pandas(scored, npartitions=5)
    found = rank_to_parquet(
        collection["score"],
        collection["y"],
        tmp_path,
        columns=collection[["id"]],
        client=client,
    )
    ranking = pd.read_parquet(sorted(tmp_path.glob("part-*.parquet"))[0])
    assert ranking["rank"].is_monotonic_increasing
    files = sorted(tmp_path.glob("part-*.parquet"))
    ranking = pd.concat(map(pd.read_parquet, files)).sort_values("id")
    unlabeled = scored[scored["y"] == 0]
    assert (ranking["id"].to_numpy() == unlabeled["id"].to_numpy()).all()
    expected = unlabeled["score"].rank(ascending=False, method="min")
    assert (ranking["rank"].to_numpy() == expected.to_numpy()).all()
    assert_allclose(ranking["probability"], sigmoid(unlabeled["score"].to_numpy()))
    assert found.n_rows == found.n_unlabeled == len(unlabeled)
    assert "all ranks are exact" in str(found)
    assert json.loads((tmp_path / "ranking.json").read_text())["n_rows"] == len(unlabeled)


def test_only_the_first_rows_are_written_where_they_are_asked_for(tmp_path, client, scored):
    scores = da.from_array(scored["score"].to_numpy(), chunks=2000)
    y = da.from_array(scored["y"].to_numpy(), chunks=2000)
    rank_to_parquet(scores, y, tmp_path, client=client)
    found = rank_to_parquet(scores, y, tmp_path, top=50, client=client)  # ours: replaced
    ranking = pd.concat(map(pd.read_parquet, sorted(tmp_path.glob("*.parquet"))))
    assert len(ranking) == found.n_rows >= 50
    assert ranking["rank"].max() <= 50


def test_a_folder_of_somebody_else_is_left_alone(tmp_path, client, scored):
    (tmp_path / "part-00000.parquet").write_text("mine")
    collection = dd.from_pandas(scored, npartitions=2)
    with pytest.raises(FileExistsError, match="got a folder with other files"):
        rank_to_parquet(collection["score"], collection["y"], tmp_path, client=client)
    assert (tmp_path / "part-00000.parquet").read_text() == "mine"


def write_small_files(folder, scored, n_files=12):
    spare = {f"x{i}": np.arange(5000.0) + i for i in range(20)}
    rows = scored.assign(**spare, rank=1, rank_=2)
    for place, part in enumerate(np.array_split(np.arange(5000), n_files)):
        rows.iloc[part].to_parquet(folder / f"part-{place:05d}.parquet", index=False)


def test_many_small_files_are_ranked_with_the_columns_of_their_rows(tmp_path, client, scored):
    (tmp_path / "table").mkdir()
    write_small_files(tmp_path / "table", scored)
    rows = dd.read_parquet(tmp_path / "table")
    columns = rows[["id", "rank", "rank_"]]
    rank_to_parquet(rows["score"], rows["y"], tmp_path / "out", columns=columns, client=client)
    files = sorted((tmp_path / "out").glob("*.parquet"))
    ranking = pd.concat(map(pd.read_parquet, files)).sort_values("id")
    unlabeled = scored[scored["y"] == 0]
    assert (ranking["id"].to_numpy() == unlabeled["id"].to_numpy()).all()
    assert (ranking["score"].to_numpy() == unlabeled["score"].to_numpy()).all()
    assert (ranking[["rank__", "rank_"]] == [1, 2]).all().all()  # ours is rank


def test_a_table_is_not_ranked_into_its_own_folder(tmp_path, client, scored):
    write_small_files(tmp_path, scored, 2)
    (tmp_path / "ranking.json").write_text("{}")  # as if it were a ranking
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for rows in (dd.read_parquet(tmp_path), read_folder(tmp_path)):
        with pytest.raises(ValueError, match="another folder than the table's, got the one"):
            rank_to_parquet(rows["score"], rows["y"], tmp_path, client=client)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_ranking_that_fails_leaves_the_one_before(tmp_path, client, scored):
    rows = dd.from_pandas(scored, npartitions=2)
    rank_to_parquet(rows["score"], rows["y"], tmp_path, client=client)
    (tmp_path / "notes.txt").write_text("mine")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    odd = rows["y"].mask(rows["id"] == 4000, 7)
    with pytest.raises(ValueError, match="Partition 1: y must hold 1"):
        rank_to_parquet(rows["score"], odd, tmp_path, client=client)
    with pytest.raises(ValueError, match="Partition 1: y must hold 1"):
        rank_to_parquet(rows["score"], odd, tmp_path / "new", client=client)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_what_a_stopped_ranking_left_is_replaced(tmp_path):
    with pytest.raises(KeyboardInterrupt), replacing(tmp_path / "out"):
        raise KeyboardInterrupt
    assert not (tmp_path / "out").exists()
    left = tmp_path / "out" / ".lopsided-ranking-of-a-killed-process"
    left.mkdir(parents=True)
    (tmp_path / "out" / "part-00007.parquet").write_text("moved before the end")
    target = check_ranking_folder(tmp_path / "out")
    with replacing(target) as (draft, mark):
        (draft / "part-00000.parquet").write_text("new")
        mark.write_text("{}")
    assert sorted(path.name for path in target.iterdir()) == [
        "part-00000.parquet",
        "ranking.json",
    ]


def test_columns_that_come_twice_are_named(tmp_path, client, scored):
    rows = dd.from_pandas(scored, npartitions=2)
    columns = rows[["id", "id"]]
    with pytest.raises(ValueError, match="names of their own, got 'id' twice"):
        rank_to_parquet(rows["score"], rows["y"], tmp_path, columns=columns, client=client)


def test_beyond_the_exact_ranks_the_error_is_bounded(scored):
    parts = np.array_split(np.arange(5000), 7)
    rows = scored.assign(score=np.random.default_rng(0).normal(size=5000))
    sketches = [
        ScoreSketch(n_exact=200, n_points=256).update(
            rows["score"].iloc[part], rows["y"].iloc[part]
        )
        for part in parts
    ]
    merged = ScoreSketch(n_exact=200, n_points=256)
    for one in sketches:
        merged.merge(one)
    unlabeled = rows["score"][rows["y"] == 0]
    apart = np.abs(merged.rank_unlabeled(unlabeled) - unlabeled.rank(ascending=False))
    assert apart[unlabeled.rank(ascending=False) <= 200].max() == 0
    assert 0 < apart.max() <= merged.rank_error
    assert judging.ScoreSummary(merged).rank_error == merged.rank_error


def test_the_calibration_of_a_summary_counts_all_rows_of_its_table(scored, monkeypatch):
    sketch = ScoreSketch(n_exact=50, n_points=50).update(scored["score"], scored["y"])
    seen = {}
    monkeypatch.setattr(judging, "fit_calibration", lambda *_, **given: seen.update(given))
    judging.ScoreSummary(sketch).fit_calibration(0.1)
    assert len(seen["sample_weight"]) < seen["n_rows"] == 5000
