"""Files of a run that were damaged after it: each is named and made again."""

import shutil
import sys

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from lopsided_bench.store import DamagedFileError
from lopsided_misstatement.evaluation import VIEWS
from lopsided_misstatement.models import get_model
from lopsided_misstatement.rankings import Rankings
from lopsided_misstatement.results_io import read_results
from lopsided_misstatement.source import Source
from lopsided_misstatement.study import run_study
from lopsided_misstatement.trials import Trial, open_store, run_trials

YEAR = 2006


def score_file(folder, seed):
    return folder / "scores" / f"{Trial('released', 'random', seed, YEAR).key}.parquet"


def rewrite(change):
    def damage(path):
        change(pd.read_parquet(path)).to_parquet(path, index=False)

    return damage


def cut(share):
    return lambda path: path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])


DAMAGES = {
    "empty": lambda path: path.write_bytes(b""),
    "cut in the middle": cut(0.5),
    "cut near the end": cut(0.97),
    "garbage": lambda path: path.write_bytes(bytes(range(256)) * 20),
    "bytes turned": lambda path: path.write_bytes(path.read_bytes()[::-1]),
    "lost column": rewrite(lambda frame: frame.drop(columns="gvkey")),
    "lost mark": rewrite(lambda frame: frame.drop(columns="made_from")),
    "no rows": rewrite(lambda frame: frame[:0]),
    "fewer rows": rewrite(lambda frame: frame[:-1]),
    "text for scores": rewrite(lambda frame: frame.assign(score="high")),
    "whole numbers for scores": rewrite(lambda frame: frame.assign(score=1)),
    "lists for firms": rewrite(lambda frame: frame.assign(gvkey=[[1]] * len(frame))),
    "text for seconds": rewrite(lambda frame: frame.assign(seconds="soon")),
    "not a number": rewrite(lambda frame: frame.assign(score=np.nan)),
    "other firms": rewrite(lambda frame: frame.assign(gvkey=frame["gvkey"].to_numpy()[::-1])),
    "another panel": rewrite(lambda frame: frame.assign(made_from="panel xyz")),
}


@pytest.fixture(scope="module")
def finished(source, tmp_path_factory):
    """The folder of a finished run of the quickest model."""
    out = tmp_path_factory.mktemp("finished")
    run_study(source, str(out), ("random",), years=(YEAR,))
    return out


@pytest.fixture
def folder(finished, tmp_path):
    """A copy of it, to damage."""
    return shutil.copytree(finished, tmp_path / "copy")


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_scores_are_read_as_they_were_written_or_not_at_all(damage, source, folder):
    store, key = open_store(source, folder / "scores"), Trial("released", "random", 0, YEAR).key
    frame = store.read(key)
    assert frame["gvkey"].tolist() == source.firms(YEAR).tolist()
    assert key in store
    damage(score_file(folder, 0))
    assert key not in store
    with pytest.raises(DamagedFileError, match=r"0-2006.parquet (cannot|must|is from)"):
        store.read(key)


def test_damaged_scores_are_named_and_made_again(source, finished, folder):
    damaged = [score_file(folder, seed) for seed in range(len(DAMAGES))]
    for path, damage in zip(damaged, DAMAGES.values(), strict=True):
        damage(path)
    with pytest.warns(UserWarning, match="16 damaged file") as caught:
        run_study(source, str(folder), ("random",), years=(YEAR,))
    note = str(caught[0].message)
    assert all(str(path) in note for path in damaged[:10])
    assert "and 6 more" in note
    before, after = (
        read_results(one).table.drop(columns="seconds") for one in (finished, folder)
    )
    assert_frame_equal(after, before)
    trials = [Trial("released", "random", 0, YEAR)]
    assert run_trials(source, trials, folder / "scores", 1) == {}


def test_damaged_scores_that_could_not_be_made_again_cost_their_seed_alone(source, folder):
    store, model = open_store(source, folder / "scores"), get_model("random")
    rankings = Rankings(source, (YEAR,), store)
    DAMAGES["empty"](score_file(folder, 4))
    assert set(rankings.of(model, VIEWS[0])) == set(range(model.n_seeds)) - {4}


def test_without_its_mark_a_folder_still_keeps_another_panel_apart(panel, folder, tmp_path):
    other = panel.assign(restatement_year=panel["restatement_year"] + 1)
    other.to_parquet(tmp_path / "later.parquet")
    later = Source(str(tmp_path / "later.parquet"), rows="all")
    (folder / "scores" / "fingerprint.json").unlink()
    with pytest.raises(FileExistsError, match="must be new or hold results"):
        run_study(later, str(folder), ("random",), years=(YEAR,), seeds=1)


def test_a_model_whose_package_is_missing_is_left_out_with_one_note(
    source, tmp_path, monkeypatch
):
    monkeypatch.setitem(sys.modules, "imblearn", None)
    with pytest.warns(UserWarning, match="Left out") as notes:
        said = run_study(source, str(tmp_path), ("random", "rusboost"), years=(YEAR,), seeds=1)
    assert len(notes) == 1
    note = str(notes[0].message)
    assert note.startswith("Left out: rusboost. imblearn is needed")
    assert "pip install 'lopsided-misstatement[rusboost]'" in note
    assert "failed" not in said
    assert "of 1 models" in said
    assert read_results(tmp_path).about["failed"] == [note]
    with pytest.raises(ImportError, match="Left out: rusboost"):
        run_study(source, str(tmp_path), ("rusboost",), years=(YEAR,))
