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


def test_the_guide_quotes_where_a_split_criterion_goes():
    assert {"src/lopsided/trees/criteria.py", "tests/trees/twin.py"} <= {p for p, _ in QUOTES}
