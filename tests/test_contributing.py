import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
QUOTES = re.findall(
    r"^```python\n# (\S+)\n(.*?)^```", (ROOT / "CONTRIBUTING.md").read_text(), re.M | re.S
)


@pytest.mark.parametrize(("path", "quote"), QUOTES, ids=[path for path, _ in QUOTES])
def test_the_lines_that_a_guide_quotes_are_those_of_the_tree(path, quote):
    source = (ROOT / path).read_text()
    for lines in quote.split("...\n"):
        assert lines in source


def test_the_guide_quotes_where_things_go():
    places = ("trees/criteria.py", "trees/predictor.py", "risks/pu.py", "metrics/at_k.py")
    assert {f"src/lopsided/{place}" for place in places} <= {path for path, _ in QUOTES}


@pytest.mark.parametrize(
    "path", re.findall(r"`((?:\w+/)*\w+\.(?:py|html))`", (ROOT / "CONTRIBUTING.md").read_text())
)
def test_every_file_that_the_guide_names_is_there(path):
    trees = ("src/lopsided", "applications/bench/src/lopsided_bench")
    assert any(list((ROOT / tree).rglob(path)) for tree in trees) or (ROOT / path).exists()
