from itertools import product
from pathlib import Path

import pytest

from lopsided import list_methods
from lopsided.bench.study import MECHANISMS, METRICS, Setting
from lopsided.datasets import list_datasets
from lopsided.report.published import Published, read_published

PAPER = Path(__file__).parents[2] / "studies" / "published" / "paper.csv"
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
def test_what_is_no_table_of_published_numbers_is_refused_in_one_sentence(tmp_path, content):
    file = tmp_path / "printed.csv"
    file.write_bytes(content)
    with pytest.raises(ValueError, match="must be a csv file with the columns dataset, mech"):
        read_published(file)
