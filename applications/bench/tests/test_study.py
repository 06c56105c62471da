from importlib.resources import files

import pytest

from lopsided.labeling import SAR, SCAR
from lopsided_bench.runner import run_file
from lopsided_bench.study import MethodSpec, Setting, find_study, list_studies, read_study

GOOD = """
title = "A try"
datasets = ["digits-8", "bundled"]
mechanisms = ["sar-far", { kind = "scar", hidden = [0.5] }]
methods = [
    "naive-xgb",
    { label = "deep", name = "ifpu-xgb", params = { max_depth = 9 }, repeats = 2 },
]
repeats = 3
prior_factors = [0.5, 1.0]
"""


def write(folder, text):
    path = folder / "try.toml"
    path.write_text(text)
    return path


def test_a_study_is_read(tmp_path):
    study = read_study(write(tmp_path, GOOD))
    assert study.name == "try"
    assert study.datasets[0] == "digits-8"
    assert len(study.datasets) == len(set(study.datasets)) == 4
    assert study.settings[-1] == Setting("scar", 0.5)
    assert [s.hidden for s in study.settings[:3]] == [0.75, 0.5, 0.25]
    assert study.methods[0] == MethodSpec("naive-xgb", "naive-xgb")
    assert study.methods[1].params == {"max_depth": 9}
    assert (study.repeats, study.test_share, study.seed) == (3, 0.3, 0)


def test_a_word_alone_is_a_list_of_it_and_what_comes_twice_counts_once(tmp_path):
    text = GOOD.replace('["sar-far", { kind = "scar", hidden = [0.5] }]', '"scar"')
    text += 'metrics = ["roc_auc", "roc_auc"]'
    study = read_study(write(tmp_path, text))
    assert [setting.mechanism for setting in study.settings] == ["scar"] * 3
    assert study.metrics == ("roc_auc",)
    twice = GOOD.replace("hidden = [0.5]", "hidden = [0.5, 0.5]")
    assert len(read_study(write(tmp_path, twice)).settings) == 4


def test_settings_build_their_mechanisms():
    assert Setting("scar", 0.5).build() == SCAR(0.5)
    assert Setting("sar-near", 0.5).build() == SAR(0.5, "near")
    assert Setting("sar-far", 0.25).build() == SAR(0.25, "far")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("repeats = 3", "repeat = 3", "repeats"),
        ("repeats = 3", "repeats = 0", "repeats.* 0"),
        ("repeats = 3", "repeats = 'many'", "repeats.*many"),
        ("repeats = 3", "repeats = 2.7", r"repeats.* 2\.7"),
        ("repeats = 3", "first = -3", "first.* -3"),
        ("repeats = 3", "seed = 1.5", r"seed.* 1\.5"),
        ("repeats = 3", "timeout = nan", "timeout.* nan"),
        ("repeats = 3", "test_share = 0", "test_share.* 0"),
        ("repeats = 3", "test_share = 1.5", r"test_share.* 1\.5"),
        ("repeats = 3", "test_share = 0.999", r"test_share.* 0\.999"),
        ("repeats = 3", "metrics = ['auc']", "metric .*'auc'"),
        ("[0.5, 1.0]", "[0.5, 2.0]", r"prior_factors.*\[0\.5, 2\.0\]"),
        ("[0.5, 1.0]", "[-0.5, 1.0]", r"prior_factors.*-0\.5"),
        ("{ max_depth = 9 }", "5", "ifpu-xgb|params|int"),
        ("{ max_depth = 9 }", "{ max_deep = 9 }", "max_depth"),
        ("{ max_depth = 9 }", "{ prior = 0.9 }", "prior of ifpu-xgb"),
        ("{ max_depth = 9 }", "{ random_state = 1 }", "random_state of ifpu-xgb"),
        ('label = "deep"', 'label = "deep", seed_from = "naive-xbg"', "naive-xgb"),
        ('label = "deep"', 'label = "deep", like = "naive-xgb"', "like"),
        ("repeats = 3", "published = 'x.csv'", r"published.*x\.csv"),
        ('label = "deep"', 'label = "a, b"', "comma"),
        ('label = "deep"', 'label = "naive-xgb"', "naive-xgb twice"),
        ('label = "deep"', 'lable = "deep"', "label"),
        ('name = "ifpu-xgb", ', "", "name"),
        ('["digits-8", "bundled"]', "5", "datasets.* 5"),
        ('["digits-8", "bundled"]', "[]", "datasets"),
        ('"digits-8"', '"digit-8"', "digits-8"),
        ('"naive-xgb"', '"naive-xbg"', "naive-xgb"),
        ('"sar-far"', '"sar-fat"', "sar-far"),
        ("hidden = [0.5]", "hidden = [1.5]", r"hidden.* 1\.5"),
        ("hidden = [0.5]", "hiden = [0.5]", "hidden"),
        ('title = "A try"', "", "title"),
        ('title = "A try"', "title = ", "line 2"),
    ],
)
def test_an_error_names_the_file_and_the_value(tmp_path, old, new, words):
    path = write(tmp_path, GOOD.replace(old, new))
    with pytest.raises(ValueError, match=words) as caught:
        read_study(path)
    assert "try.toml" in str(caught.value)


def test_published_numbers_are_found_from_the_study_and_go_with_its_results(tmp_path):
    assert read_study(write(tmp_path, GOOD)).published is None
    numbers = tmp_path / "published" / "paper.csv"
    numbers.parent.mkdir()
    numbers.write_text("dataset,mechanism,hidden,method,metric,value\n")
    text = """
        title = "A try"
        datasets = "wine-rare"
        mechanisms = [{ kind = "scar", hidden = [0.5] }]
        methods = ["naive-logistic"]
        repeats = 1
        published = "published/paper.csv"
    """
    path = write(tmp_path, text)
    assert read_study(path).published == numbers
    run_file(path, out=str(tmp_path / "out"))
    beside = read_study(tmp_path / "out" / "try.toml").published
    assert beside == tmp_path / "out" / "published" / "paper.csv"
    assert beside.read_text() == numbers.read_text()


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"gone\.toml.*smoke"):
        read_study(tmp_path / "gone.toml")


def test_the_smoke_study_is_part_of_the_package_and_has_a_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    inside = files("lopsided_bench").joinpath("studies", "smoke.toml")
    assert find_study("smoke").read_text() == inside.read_text()
    assert read_study("smoke").name == "smoke"
    assert "smoke" in list_studies()
    assert run_file("smoke", only=["naive-forest"], dry_run=True).startswith("smoke: 32 trials")


def test_a_file_wins_over_a_study_of_the_same_name_and_a_folder_does_not(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "smoke").mkdir()
    assert find_study("smoke") == find_study("smoke").resolve()
    (tmp_path / "smoke").rmdir()
    (tmp_path / "smoke").write_text(GOOD)
    assert read_study("smoke").title == "A try"
