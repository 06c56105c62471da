import os
import runpy
from itertools import product
from pathlib import Path

import pytest

from lopsided import list_methods
from lopsided_bench.datasets import list_datasets
from lopsided_bench.published import Published, read_published
from lopsided_bench.study import MECHANISMS, METRICS, Setting

FOLDER = Path(__file__).parents[3] / "studies" / "published"
PAPER = FOLDER / "paper.csv"
if not PAPER.exists():
    pytest.skip("studies are not part of a source package", allow_module_level=True)
HEAD = "dataset,mechanism,hidden,method,metric,value,deviation\n"
SCAR = Setting("scar", 0.5)


@pytest.fixture(scope="module")
def paper():
    return read_published(PAPER)


@pytest.mark.parametrize(
    ("method", "metric", "mechanism", "hidden", "expected"),
    [
        ("puhrf", "average_precision", "scar", 0.75, (0.52, 0.09)),
        ("puhrf", "average_precision", "sar-near", 0.75, (0.45, 0.06)),
        ("ifpu-xgb", "average_precision", "sar-far", 0.75, (0.50, 0.05)),
        ("ifpu-xgb", "roc_auc", "sar-near", 0.25, (0.87, 0.05)),
        ("nnif", "roc_auc", "scar", 0.5, (0.85, 0.03)),
        ("xgb-focal", "average_precision", "scar", 0.25, (0.67, 0.05)),
    ],
)
def test_the_papers_numbers_are_as_printed(paper, method, metric, mechanism, hidden, expected):
    found = paper.find(method, metric, Setting(mechanism, hidden), list_datasets("paper"))
    assert found == Published(*expected)


def test_the_paper_has_a_full_row_for_each_of_its_methods_and_all_are_ours(paper):
    datasets = list_datasets("paper")
    assert len(paper.methods) == 12
    assert set(paper.methods) <= set(list_methods("any"))
    settings = [Setting(*setting) for setting in product(MECHANISMS, (0.75, 0.5, 0.25))]
    cells = product(paper.methods, METRICS[:2], settings)
    assert all(paper.find(*cell, datasets) is not None for cell in cells)
    assert paper.find("naive-xgb", "roc_auc", settings[0], datasets) is None
    assert paper.find("puhrf", "r_precision", settings[0], datasets) is None
    assert paper.find("puhrf", "roc_auc", settings[0], datasets[1:]) is None


def test_numbers_of_single_data_sets_are_averaged_if_each_has_one(tmp_path):
    file = tmp_path / "printed.csv"
    file.write_text(HEAD + "a,scar,0.5,m,roc_auc,0.5,0.1\nb,scar,0.5,m,roc_auc,0.75,\n")
    table = read_published(file)
    assert table.find("m", "roc_auc", SCAR, ["a"]).text == "0.50 ± 0.10"
    both = table.find("m", "roc_auc", SCAR, ["a", "b"])
    assert both.mean == 0.625
    assert both.text == "0.62"
    assert table.find("m", "roc_auc", SCAR, ["a", "c"]) is None
    assert table.find("m", "roc_auc", SCAR, []) is None


def test_the_best_of_each_data_set_may_be_another_method_and_needs_a_number_for_all(tmp_path):
    file = tmp_path / "printed.csv"
    rows = ["a,scar,0.5,m,roc_auc,0.5,", "b,scar,0.5,m,roc_auc,0.75,"]
    rows += ["a,scar,0.5,n,roc_auc,0.7,0.1", "a,scar,0.25,n,roc_auc,0.9,"]
    file.write_text(HEAD + "\n".join(rows))
    table = read_published(file)
    assert table.find_best("roc_auc", SCAR, ["a", "b"]).mean == pytest.approx(0.725)
    assert table.find_best("roc_auc", SCAR, ["a"]).mean == 0.7
    assert table.find_best("roc_auc", SCAR, ["a", "b", "c"]) is None
    assert table.find_best("roc_auc", SCAR, []) is None


@pytest.fixture(scope="module")
def adbench():
    return read_published(FOLDER / "adbench.csv")


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("catboost", (0.476, 0.674, 0.857)),
        ("prenet", (0.543, 0.669, 0.705)),
        ("random-forest", (0.219, 0.568, 0.842)),
        ("best", (0.612, 0.749, 0.876)),
    ],
)
def test_adbench_means_over_its_22_sets_are_those_of_the_printed_numbers(
    adbench, method, expected
):
    datasets = list_datasets("adbench")
    for hidden, mean in zip((0.99, 0.9, 0), expected, strict=True):
        where = "average_precision", Setting("adbench", hidden), datasets
        best = method == "best"
        found = adbench.find_best(*where) if best else adbench.find(method, *where)
        assert found.mean == pytest.approx(mean, abs=0.0006)


def test_adbench_lacks_nothing_but_one_net_on_one_set(adbench):
    datasets, settings = list_datasets("adbench"), [Setting("adbench", h) for h in (0.99, 0)]
    assert len(adbench.methods) == 16
    cells = product(adbench.methods, METRICS[:2], settings, datasets)
    missing = {(c[0], c[3]) for c in cells if adbench.find(*c[:3], [c[3]]) is None}
    assert missing == {("resnet", "adbench-cardio")}


@pytest.mark.data("adbench")
def test_adbench_numbers_are_what_the_script_makes_of_the_printed_tables(adbench):
    script = runpy.run_path(str(FOLDER / "make_adbench.py"))
    printed = Path(os.environ["LOPSIDED_DATA"]) / "adbench" / "published.csv"
    lines = [",".join(row) for row in script["read_printed"](printed)]
    assert (FOLDER / "adbench.csv").read_text().splitlines()[2:] == lines


@pytest.mark.parametrize(
    "content",
    [
        b"dataset,value\na,1\n",
        f"{HEAD}a,scar,half,m,roc_auc,0.5,\n".encode(),
        f"{HEAD}a,scar,0.5\n".encode(),
        b"\xff\xfe\x00",
        b'"' + 200_000 * b"a",
    ],
    ids=["columns", "number", "short", "bytes", "long"],
)
def test_what_is_no_table_of_published_numbers_is_refused(tmp_path, content):
    file = tmp_path / "printed.csv"
    file.write_bytes(content)
    with pytest.raises(ValueError, match=r"printed\.csv.*dataset, mechanism"):
        read_published(file)
