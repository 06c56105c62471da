from importlib.resources import files

import pytest

from lopsided.labeling import SAR, SCAR
from lopsided_bench.command import bench
from lopsided_bench.study import MethodSpec, Setting, read_study
from lopsided_bench.study_file import find_study, list_studies

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
        ("repeats = 3", "repeat = 3", "Did you mean repeats"),
        (
            "repeats = 3",
            "repeats = 0",
            "repeats must be a whole number from 1 to 1000000000, got 0",
        ),
        ("repeats = 3", "repeats = 'many'", "repeats must be a whole number from 1"),
        (
            "repeats = 3",
            "repeats = 2.7",
            "repeats must be a whole number from 1 to 1000000000, got 2.7",
        ),
        ("repeats = 3", "repeats = true", "repeats must be a whole number"),
        (
            "repeats = 3",
            "first = -3",
            "first must be a whole number from 0 to 1000000000, got -3",
        ),
        ("repeats = 3", "seed = 1.5", "seed must be a whole number"),
        ("repeats = 3", "timeout = nan", "timeout must be a number above 0, got nan"),
        ("repeats = 3", "test_share = 0", "test_share must be a number above 0"),
        ("repeats = 3", "metrics = []", "metrics must be a list that is not empty"),
        ("repeats = 3", "metrics = ['auc']", "No metric is called 'auc'"),
        ("[0.5, 1.0]", "[0.5, 2.0]", "prior_factors must hold 1"),
        ("[0.5, 1.0]", "[inf, 1.0]", "prior_factors must be a number above 0, got inf"),
        ("repeats = 2", "repeats = 0", "repeats of deep must be a whole number from 1"),
        ("{ max_depth = 9 }", "5", "params of ifpu-xgb must be a table"),
        ("{ max_depth = 9 }", "{ max_deep = 9 }", "Did you mean max_depth"),
        ("{ max_depth = 9 }", "{ prior = 0.9 }", "prior of ifpu-xgb is set by the study"),
        ('label = "deep"', 'label = "deep", seed_from = "naive-xbg"', "Did you mean naive-xgb"),
        (
            'label = "deep"',
            'label = "deep", like = "naive-xgb"',
            "No entry of a method is called",
        ),
        ("repeats = 3", "published = 5", "published must be a text of one line, got 5"),
        ("repeats = 3", "published = '/x.csv'", "must be a path from the folder of the study"),
        (
            "repeats = 3",
            "published = '../x.csv'",
            "must be a path from the folder of the study",
        ),
        ("repeats = 3", "published = 'x.csv'", "must be a csv file, and none is at .*x.csv"),
        ('label = "deep"', 'label = ""', "label must be a text"),
        ('label = "deep"', "label = 5", "label must be a text of one line, got 5"),
        ('label = "deep"', 'label = "a, b"', "must not hold a comma"),
        ('["digits-8", "bundled"]', "5", "datasets must be a list"),
        ('["digits-8", "bundled"]', "[5]", "A data set must be a text of one line, got 5"),
        ('["digits-8", "bundled"]', "[]", "datasets must be a list that is not empty"),
        ("hidden = [0.5]", "hidden = 0.5", "hidden must be a list"),
        ("repeats = 3", "test_share = 1.5", "test_share"),
        ('"naive-xgb"', '"naive-xbg"', "Did you mean naive-xgb"),
        ('label = "deep"', 'label = "naive-xgb"', "naive-xgb twice"),
        ('label = "deep"', 'lable = "deep"', "Did you mean label"),
        ('name = "ifpu-xgb", ', "", "A method needs name"),
        ('"digits-8"', '"digit-8"', "Did you mean digits-8"),
        ('"sar-far"', '"sar-fat"', "Did you mean sar-far"),
        ("hidden = [0.5]", "hidden = [1.5]", "hidden"),
        ("hidden = [0.5]", "hiden = [0.5]", "Did you mean hidden"),
        ('title = "A try"', "", "needs title"),
        ('title = "A try"', 'title = "A try"\nlabel = "x"', "entry"),
        ('title = "A try"', "title = ", "must be TOML"),
    ],
)
def test_what_is_wrong_is_said_with_the_name_of_the_file(tmp_path, old, new, words):
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
    bench(path, out=str(tmp_path / "out"))
    beside = read_study(tmp_path / "out" / "try.toml").published
    assert beside == tmp_path / "out" / "published" / "paper.csv"
    assert beside.read_text() == numbers.read_text()


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"No study is at .*gone.toml"):
        read_study(tmp_path / "gone.toml")


def test_the_smoke_study_is_part_of_the_package_and_has_a_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    inside = files("lopsided").joinpath("bench", "studies", "smoke.toml")
    assert find_study("smoke").read_text() == inside.read_text()
    assert read_study("smoke").name == "smoke"
    assert "smoke" in list_studies()
    assert bench("smoke", only=["naive-forest"], dry_run=True).startswith("smoke: 32 trials")


def test_a_file_wins_over_a_study_of_the_same_name_and_a_folder_does_not(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "smoke").mkdir()
    assert find_study("smoke") == find_study("smoke").resolve()
    (tmp_path / "smoke").rmdir()
    (tmp_path / "smoke").write_text(GOOD)
    assert read_study("smoke").title == "A try"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("smok", "Did you mean smoke"),
        ("studies/smoke.toml", "Did you mean smoke"),
        ("paper", "Name a .toml file, or smoke"),
        ("", "Name a .toml file, or smoke"),
    ],
)
def test_a_study_that_is_not_there_gets_a_hint(name, hint, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError, match=hint):
        read_study(name)
