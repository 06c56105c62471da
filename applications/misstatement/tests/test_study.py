import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from lopsided_misstatement.cli import main
from lopsided_misstatement.models import get_model
from lopsided_misstatement.results_io import pivot_years, read_results, summarize_models
from lopsided_misstatement.source import Source
from lopsided_misstatement.study import run_study
from lopsided_misstatement.trials import Trial, list_trials, open_store, run_trials

QUICK = ("random", "firm-memory", "fin-lr", "ifpu-xgb", "xgb-truth")
YEARS, SEEDS = (2005, 2006), 3


@pytest.fixture(scope="module")
def folder(source, tmp_path_factory):
    """The folder of a finished run."""
    out = tmp_path_factory.mktemp("finished")
    run_study(source, str(out), QUICK, years=YEARS, seeds=SEEDS)
    return out


def test_a_run_leaves_table_figures_and_report(folder):
    page = (folder / "report.html").read_text()
    assert page.count("<svg") == 3
    for name in QUICK:
        assert name in page
    results = read_results(folder)
    assert set(results.table["model"]) == set(QUICK)
    assert set(results.table["view"]) == {"released", "strict", "new firms"}
    assert np.isfinite(results.table["value"]).all()
    assert results.about["failed"] == []
    pairs = set(zip(results.differences["first"], results.differences["second"], strict=True))
    assert pairs == {("ifpu-xgb", "fin-lr"), ("ifpu-xgb", "random"), ("fin-lr", "random")}


def test_summaries_are_means_over_years_and_seeds(folder):
    table = read_results(folder).table
    first, *_, last = summarize_models(table, "released")
    assert first.means["r_precision"] >= last.means["r_precision"]
    random = next(one for one in summarize_models(table, "released") if one.model == "random")
    rows = table[(table["view"] == "released") & (table["model"] == "random")]
    rows = rows[rows["measure"] == "r_precision"]
    assert random.means["r_precision"] == pytest.approx(rows["value"].mean())
    assert random.n_seeds == SEEDS
    assert pivot_years(table, "released").columns.tolist() == list(YEARS)


def test_a_second_run_takes_up_what_is_done_and_does_a_lost_part_again(source, folder):
    kept, lost = (
        folder / "scores" / f"{Trial('released', 'fin-lr', 0, year).key}.parquet"
        for year in YEARS
    )
    before, scores = kept.stat().st_mtime_ns, pd.read_parquet(lost)["score"]
    lost.unlink()
    run_study(source, str(folder), QUICK, years=YEARS, seeds=SEEDS)
    assert kept.stat().st_mtime_ns == before
    assert pd.read_parquet(lost)["score"].equals(scores)


@pytest.fixture(scope="module")
def whole(source, tmp_path_factory):
    """The table of a run of many short trials that nothing disturbed."""
    out = tmp_path_factory.mktemp("whole")
    run_study(source, str(out), ("random",), years=range(2003, 2011), seeds=6)
    return read_results(out).table


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_run_that_was_killed_goes_on_where_it_was(source, whole, tmp_path, number):
    command = [sys.executable, "-m", "lopsided_misstatement", "--panel", source.path]
    command += ["--all-rows", "--models", "random", "--years", "2003-2010", "--seeds", "6"]
    process = subprocess.Popen(
        [*command, "--out", str(tmp_path)], stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 120
    while not list(tmp_path.glob("scores/**/*.parquet")) and time.monotonic() < deadline:
        time.sleep(0.005)
    process.send_signal(number)
    said = process.communicate(timeout=60)[1]
    if number == signal.SIGKILL:
        assert process.returncode == -number
    else:
        assert process.returncode == 128 + number
        assert said == "lopsided-misstatement: stopped; nothing was left half written.\n"
    done = {path: path.stat().st_mtime_ns for path in tmp_path.glob("scores/**/*.parquet")}
    assert 0 < len(done) < 2 * 8 * 6  # rules, years, seeds
    assert not (tmp_path / "table.parquet").exists()

    run_study(source, str(tmp_path), ("random",), years=range(2003, 2011), seeds=6)
    assert all(path.stat().st_mtime_ns == written for path, written in done.items())
    resumed = read_results(tmp_path).table
    assert_frame_equal(resumed.drop(columns="seconds"), whole.drop(columns="seconds"))
    if number == signal.SIGTERM:
        assert not list(tmp_path.rglob(".*"))  # drafts


def test_two_workers_give_what_one_gives(source, folder, tmp_path):
    run_study(source, str(tmp_path), ("ifpu-xgb", "fin-lr"), years=YEARS, jobs=2)
    alone, beside = (read_results(path).table for path in (folder, tmp_path))
    alone = alone[alone["model"].isin(["ifpu-xgb", "fin-lr"])]
    columns = ["view", "model", "seed", "year", "measure"]
    alone, beside = (one.sort_values(columns)["value"].to_numpy() for one in (alone, beside))
    assert (alone == beside).all()


def test_seeds_can_be_limited(source, tmp_path):
    run_study(source, str(tmp_path), ("random", "fin-lr", "random"), years=(2006,), seeds=2)
    table = read_results(tmp_path).table
    assert table.groupby("model")["seed"].nunique().to_dict() == {"random": 2, "fin-lr": 1}


def test_a_folder_of_another_panel_is_refused_even_if_only_dates_differ(
    folder, panel, tmp_path
):
    panel.assign(restatement_year=np.inf).to_parquet(tmp_path / "panel.parquet")
    other = Source(str(tmp_path / "panel.parquet"), rows="all")
    other_dates = panel.assign(restatement_year=panel["restatement_year"] + 1)
    other_dates.to_parquet(tmp_path / "later.parquet")
    for source in (other, Source(str(tmp_path / "later.parquet"), rows="all")):
        with pytest.raises(
            ValueError, match=r"holds results of panel .*not of panel|can be ranked"
        ):
            run_study(source, str(folder), QUICK)


@pytest.mark.parametrize("name", ["about.json", "table.parquet", "report.html", "scores"])
def test_a_folder_with_files_of_others_is_refused(source, tmp_path, name):
    (tmp_path / name).write_text("mine")
    with pytest.raises(FileExistsError, match=rf"another {name}\. Name another folder"):
        run_study(source, str(tmp_path), ("random",), years=(2006,))
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "mine"


def test_a_panel_is_not_written_over_by_the_results(panel, tmp_path):
    table = tmp_path / "table.parquet"
    panel.to_parquet(table)
    before = table.read_bytes()
    with pytest.raises(FileExistsError, match=r"another table\.parquet"):
        run_study(Source(str(table), rows="all"), str(tmp_path), ("random",), years=(2006,))
    assert table.read_bytes() == before


def test_a_model_that_fails_costs_only_itself(source, tmp_path):
    trials = [Trial("relaesed", "fin-lr", 0, 2005), Trial("released", "fin-lr", 0, 2005)]
    failed = run_trials(source, trials, tmp_path, 1)
    assert list(failed) == trials[:1]
    assert "rule" in failed[trials[0]]
    assert trials[1].key in open_store(source, tmp_path)


def test_what_has_seen_the_truth_is_run_once_for_all_rules():
    trials = list_trials([get_model("xgb-truth")], ["released", "strict"], [2005])
    assert [trial.rule for trial in trials] == ["all"]


def test_one_model_that_has_seen_the_truth_has_a_report(source, tmp_path):
    run_study(source, str(tmp_path), ("xgb-truth",), years=(2006,))
    assert "xgb-truth is first" in (tmp_path / "report.html").read_text()
    assert not len(read_results(tmp_path).differences)


def test_a_year_in_which_too_little_is_known_is_left_out_by_name(panel, tmp_path):
    early = panel["fyear"].between(2000, 2002)
    late = panel.assign(restatement_year=panel["restatement_year"].where(~early, np.inf))
    late = late.drop(columns=["aaer_year", "case_end"])
    late.to_parquet(tmp_path / "panel.parquet")
    source, out = Source(str(tmp_path / "panel.parquet"), rows="all"), tmp_path / "out"
    run_study(source, str(out), ("firm-memory",))
    about = read_results(out).about
    assert 2003 not in about["years"]
    assert "To rank 2003, at least 2 misstatements" in about["failed"][0]
    with pytest.raises(ValueError, match="To rank 2003"):
        run_study(source, str(out), ("firm-memory",), years=(2003,))


def test_without_release_dates_only_the_released_views_are_told(panel, tmp_path):
    file, out = tmp_path / "panel.parquet", tmp_path / "out"
    panel.drop(columns=["aaer_year", "case_end"]).to_parquet(file)
    bare = Source(str(file), rows="all")
    run_study(bare, str(out), QUICK, years=(2006,), seeds=1)
    assert set(read_results(out).table["view"]) == {"released", "new firms"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--panel", "nowhere.csv"], "There is no file nowhere.csv"),
        (["--synthetic", "--models", "focsed"], "focsed"),
        (["--synthetic", "--years", "1990"], "The year 1990 must have misstated reports"),
        (["--synthetic", "--years", "2001"], "three years before it"),
        (["--synthetic", "--years", "1-9999"], "The year 1 must have misstated reports"),
        (["--synthetic", "--cases", "x.csv"], "takes no --cases"),
    ],
)
def test_bad_input_gets_a_sentence_and_code_2(arguments, said, tmp_path, capsys):
    code = main([*arguments, "--out", str(tmp_path / "out")])
    error = capsys.readouterr().err
    assert code == 2
    assert said in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("--years=2005-2003", "earlier year"),
        ("--years=soon", "2003-2005,2007 are wanted"),
        ("--years=1-9999999999", "2003-2005,2007 are wanted"),
        ("--years=" + "9" * 5000, "2003-2005,2007 are wanted"),
        ("--years=2003-", "2003-2005,2007 are wanted"),
        ("--columns=a", "OLD=NEW"),
        ("--seeds=0", "from 1"),
    ],
)
def test_bad_options_get_a_sentence(option, said, capsys):
    with pytest.raises(SystemExit) as stop:
        main([option])
    assert stop.value.code == 2
    assert said in capsys.readouterr().err
