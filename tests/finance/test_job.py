import os
from pathlib import Path

import numpy as np
import pytest

from lopsided.cli import main
from lopsided.finance import job as finance_job
from lopsided.finance.job import finance
from lopsided.finance.models import MODELS, get_model, list_models
from lopsided.finance.run import Job, list_jobs
from lopsided.finance.source import Source
from lopsided.finance.tasks import COLUMNS, make_task
from lopsided.finance.told import list_standings, pivot_years, read_results

QUICK = ("random", "firm-memory", "fin-lr", "ifpu-xgb", "xgb-truth")
YEARS = (2005, 2006)


@pytest.fixture(scope="module")
def source(panel, tmp_path_factory):
    """A panel in a file, as a user has one."""
    file = tmp_path_factory.mktemp("panel") / "panel.parquet"
    panel.to_parquet(file)
    return Source(str(file), rows="all")


@pytest.fixture(scope="module")
def folder(source, tmp_path_factory):
    """The folder of a finished run."""
    out = tmp_path_factory.mktemp("finance")
    finance(source, str(out), QUICK, years=YEARS)
    return out


def test_a_run_leaves_table_figures_and_report(folder):
    page = (folder / "report.html").read_text()
    assert page.count("<svg") == 3
    for name in QUICK:
        assert name in page
    results = read_results(folder)
    assert set(results.table["model"]) == set(QUICK)
    assert set(results.table["view"]) == {
        *("released", "strict", "new firms", "strict, new firms")
    }
    assert np.isfinite(results.table["value"]).all()
    assert results.about["failed"] == []
    assert {"first", "second"} <= set(results.differences.columns)


def test_standings_are_means_over_years_and_seeds(folder):
    table = read_results(folder).table
    first, *_, last = list_standings(table, "released")
    assert first.means["r_precision"] >= last.means["r_precision"]
    random = next(one for one in list_standings(table, "released") if one.model == "random")
    rows = table[(table["view"] == "released") & (table["model"] == "random")]
    rows = rows[rows["measure"] == "r_precision"]
    assert random.means["r_precision"] == pytest.approx(rows["value"].mean())
    assert random.n_seeds == get_model("random").n_seeds
    assert pivot_years(table, "released").columns.tolist() == list(YEARS)


def test_a_second_run_takes_up_what_is_done_and_a_lost_part_is_done_again(source, folder):
    kept = Job("released", "fin-lr", 0, 2005).path(folder)
    lost = Job("released", "fin-lr", 0, 2006).path(folder)
    before, content = os.stat(kept).st_mtime_ns, lost.read_bytes()
    lost.unlink()
    finance(source, str(folder), QUICK, years=YEARS)
    assert os.stat(kept).st_mtime_ns == before
    assert lost.exists()
    old, new = (Path(folder / "table.parquet"), content)
    assert old.exists()
    assert new


def test_two_workers_give_what_one_gives(source, folder, tmp_path):
    finance(source, str(tmp_path), ("ifpu-xgb", "fin-lr"), years=YEARS, jobs=2)
    alone, beside = (read_results(path).table for path in (folder, tmp_path))
    alone = alone[alone["model"].isin(["ifpu-xgb", "fin-lr"])]
    columns = ["view", "model", "seed", "year", "measure"]
    alone, beside = (one.sort_values(columns)["value"].to_numpy() for one in (alone, beside))
    assert (alone == beside).all()


def test_a_folder_of_another_panel_is_refused(folder):
    with pytest.raises(ValueError, match="holds a run on another panel"):
        finance(Source(synthetic=True), str(folder), QUICK)


def test_a_model_that_fails_costs_only_itself(source, tmp_path, monkeypatch):
    jobs = [Job("released", "no-such-model", 0, 2005), Job("released", "fin-lr", 0, 2005)]
    from lopsided.finance.run import run_jobs

    with pytest.raises(ValueError, match="no-such-model"):
        run_jobs(source, jobs[:1], tmp_path, 1)
    jobs = [Job("relaesed", "fin-lr", 0, 2005), Job("released", "fin-lr", 0, 2005)]
    failed = run_jobs(source, jobs, tmp_path, 1)
    assert list(failed) == jobs[:1]
    assert "rule" in failed[jobs[0]]
    assert jobs[1].path(tmp_path).exists()


def test_every_model_of_the_comparison_scores_every_report(panel):
    small = panel[panel["gvkey"] % 2 == 0]
    task = make_task(small, 2007, "released")
    for model in MODELS:
        if model.group == "nets" or model.name in ("rusboost", "focused"):
            continue  # slow, or an extra; tested as methods
        own = make_task(small, 2007, "released", model.span, model.gap)
        scores = model.score(own, 0)
        assert scores.shape == (len(task.test),)
        assert np.isfinite(scores).all()


def test_boosting_on_balanced_samples_scores_every_report():
    pytest.importorskip("imblearn")
    task = make_task(Source(synthetic=True).load(), 2009, "released")
    scores = get_model("rusboost").score(task, 0)
    assert scores.shape == (len(task.test),)
    assert len(np.unique(scores)) > 10


def test_firm_memory_is_one_for_firms_known_in_the_training_years(panel):
    task = make_task(panel, 2009, "released")
    scores = get_model("firm-memory").score(task, 0)
    firms = set(task.train["gvkey"][task.y == 1])
    assert scores.tolist() == [float(firm in firms) for firm in task.test["gvkey"]]


def test_no_model_is_told_the_firm_and_truth_is_not_a_feature():
    for names in COLUMNS.values():
        assert not set(names) & {"gvkey", "fyear", "misstated", "restatement_year", "case_end"}


def test_what_has_seen_the_truth_is_run_once_for_all_rules():
    jobs = list_jobs([get_model("xgb-truth")], ["released", "strict"], [2005])
    assert [job.rule for job in jobs] == ["all"]


def test_models_have_names_of_their_own_and_groups():
    assert len({model.name for model in MODELS}) == len(MODELS)
    assert set(list_models()) & set(list_models("nets")) == set()
    with pytest.raises(ValueError, match="focsed"):
        get_model("focsed")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--panel", "nowhere.csv"], "There is no file nowhere.csv"),
        (["--synthetic", "--models", "focsed"], "focsed"),
        (["--synthetic", "--years", "1990"], "The year 1990 must have misstated reports"),
    ],
)
def test_bad_input_gets_a_sentence_and_code_2(arguments, said, tmp_path, capsys):
    code = main(["finance", *arguments, "--out", str(tmp_path / "out")])
    told = capsys.readouterr().err
    assert code == 2
    assert said in told
    assert told.count("\n") == 1


def test_bad_options_get_a_sentence(capsys):
    for option, said in (("--years=2005-2003", "earlier year"), ("--columns=a", "OLD=NEW")):
        with pytest.raises(SystemExit) as stop:
            main(["finance", option])
        assert stop.value.code == 2
        assert said in capsys.readouterr().err


def test_without_release_dates_only_the_released_views_are_told(panel, tmp_path):
    bare = panel.drop(columns=["aaer_year", "case_end"])
    bare.to_parquet(tmp_path / "panel.parquet")
    out = tmp_path / "out"
    finance(Source(str(tmp_path / "panel.parquet"), rows="all"), str(out), QUICK, years=(2006,))
    assert set(read_results(out).table["view"]) == {"released", "new firms"}
    assert finance_job.__doc__
