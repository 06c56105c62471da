"""Files of a run that were damaged after it: each is named and made again."""

import shutil
import sys

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from lopsided.exceptions import MissingExtraError
from lopsided.finance.evaluation import VIEWS
from lopsided.finance.job import _claim, finance
from lopsided.finance.models import get_model
from lopsided.finance.results import Rankings
from lopsided.finance.run import Job, run_jobs
from lopsided.finance.scores import DamagedFileError, read_scores, write_scores
from lopsided.finance.source import Source
from lopsided.finance.told import OUTPUTS, read_results

YEAR = 2006
MARK = {"panel": "abc", "lopsided": "1"}
FIRMS = np.array([3, 1, 2])


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
    "lost mark": rewrite(lambda frame: frame.drop(columns=["panel", "lopsided"])),
    "no rows": rewrite(lambda frame: frame[:0]),
    "fewer rows": rewrite(lambda frame: frame[:-1]),
    "text for scores": rewrite(lambda frame: frame.assign(score="high")),
    "whole numbers for scores": rewrite(lambda frame: frame.assign(score=1)),
    "lists for firms": rewrite(lambda frame: frame.assign(gvkey=[[1]] * len(frame))),
    "text for seconds": rewrite(lambda frame: frame.assign(seconds="soon")),
    "not a number": rewrite(lambda frame: frame.assign(score=np.nan)),
    "other firms": rewrite(lambda frame: frame.assign(gvkey=frame["gvkey"].to_numpy()[::-1])),
    "another panel": rewrite(lambda frame: frame.assign(panel="xyz")),
    "another version": rewrite(lambda frame: frame.assign(lopsided="0")),
}


@pytest.fixture(scope="module")
def finished(source, tmp_path_factory):
    """The folder of a finished run of the quickest model."""
    out = tmp_path_factory.mktemp("finished")
    finance(source, str(out), ("random",), years=(YEAR,))
    return out


@pytest.fixture
def folder(finished, tmp_path):
    """A copy of it, to damage."""
    return shutil.copytree(finished, tmp_path / "copy")


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_scores_are_read_as_they_were_written_or_not_at_all(damage, tmp_path):
    path = tmp_path / "scores.parquet"
    write_scores(path, FIRMS, np.array([0.1, 0.2, 0.3]), 1.5, MARK)
    frame = read_scores(path, FIRMS, MARK)
    assert frame["score"].tolist() == [0.1, 0.2, 0.3]
    assert frame["seconds"].tolist() == [1.5] * 3
    damage(path)
    with pytest.raises(DamagedFileError, match=r"scores.parquet (cannot|must|is from)"):
        read_scores(path, FIRMS, MARK)


def test_damaged_scores_are_named_and_made_again(source, finished, folder):
    damaged = [
        Job("released", "random", seed, YEAR).path(folder) for seed in range(len(DAMAGES))
    ]
    for path, damage in zip(damaged, DAMAGES.values(), strict=True):
        damage(path)
    with pytest.warns(UserWarning, match="17 damaged file") as caught:
        finance(source, str(folder), ("random",), years=(YEAR,))
    told = str(caught[0].message)
    assert all(str(path) in told for path in damaged[:10])
    assert "and 7 more" in told
    before, after = (
        read_results(one).table.drop(columns="seconds") for one in (finished, folder)
    )
    assert_frame_equal(after, before)
    assert run_jobs(source, [Job("released", "random", 0, YEAR)], folder, 1) == {}


def test_damaged_scores_that_could_not_be_made_again_cost_their_seed_alone(source, folder):
    rankings, model = Rankings(source, (YEAR,), folder), get_model("random")
    DAMAGES["empty"](Job("released", "random", 4, YEAR).path(folder))
    assert set(rankings.of(model, VIEWS[0])) == set(range(model.n_seeds)) - {4}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '{"panel": "ab',
        "[]",
        "5",
        "{}",
        '{"panel": 1, "lopsided": 2}',
        "[" * 9999,
        "\0",
    ],
    ids=["empty", "brace", "cut", "list", "number", "bare", "types", "deep", "nul"],
)
def test_a_damaged_mark_is_named_and_written_again(source, folder, text):
    mark = folder / "panel.json"
    before = mark.read_text()
    mark.write_text(text)
    with pytest.warns(UserWarning, match=r"panel.json is damaged and is written again"):
        _claim(folder, source.mark())
    assert mark.read_text() == before


def test_a_run_without_its_mark_and_with_damaged_results_is_taken_up(source, finished, folder):
    for name in ("panel.json", *OUTPUTS):
        (folder / name).write_bytes(b"" if name == "report.html" else b"{")
    with pytest.warns(UserWarning, match="panel.json is damaged") as notes:
        finance(source, str(folder), ("random",), years=(YEAR,))
    assert len(notes) == 1  # the scores tell by themselves what they were made from
    assert_frame_equal(read_results(folder).table, read_results(finished).table)


def test_without_its_mark_a_folder_still_keeps_another_panel_apart(panel, folder, tmp_path):
    other = panel.assign(restatement_year=panel["restatement_year"] + 1)
    other.to_parquet(tmp_path / "later.parquet")
    later = Source(str(tmp_path / "later.parquet"), rows="all")
    (folder / "panel.json").unlink()
    with pytest.warns(UserWarning, match="damaged file.*is from another panel"):
        finance(later, str(folder), ("random",), years=(YEAR,), seeds=1)


def test_a_model_whose_package_is_missing_is_left_out_with_one_note(
    source, tmp_path, monkeypatch
):
    for module in [name for name in sys.modules if name.partition(".")[0] == "imblearn"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "imblearn", None)
    with pytest.warns(UserWarning, match="Left out") as notes:
        said = finance(source, str(tmp_path), ("random", "rusboost"), years=(YEAR,), seeds=1)
    assert len(notes) == 1
    told = str(notes[0].message)
    assert told.startswith("Left out: rusboost. imblearn is needed")
    assert "pip install 'lopsided[finance]'" in told
    assert "failed" not in said
    assert "of 1 models" in said
    assert read_results(tmp_path).about["failed"] == [told]
    with pytest.raises(MissingExtraError, match="Left out: rusboost"):
        finance(source, str(tmp_path), ("rusboost",), years=(YEAR,))
