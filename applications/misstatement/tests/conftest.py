import os
from pathlib import Path

import pytest

from lopsided_misstatement.generator import make_misstatement_panel
from lopsided_misstatement.panel import load_panel
from lopsided_misstatement.source import Source

os.environ.setdefault("OMP_WAIT_POLICY", "passive")


@pytest.fixture(scope="session")
def panel():
    """A small synthetic panel, sorted by year."""
    made = make_misstatement_panel(n_firms=200, prevalence=0.08, random_state=1)
    return made.sort_values(["fyear", "gvkey"], ignore_index=True)


@pytest.fixture(scope="session")
def source(panel, tmp_path_factory):
    """A panel in a file, as a user has one, with missing values."""
    file = tmp_path_factory.mktemp("panel") / "panel.csv"
    panel.to_csv(file, index=False)
    return Source(str(file), rows="all")


@pytest.fixture(scope="session")
def finance():
    """The folder of what the authors released, where it is at hand."""
    folder = Path(os.environ.get("LOPSIDED_DATA", ""), "finance")
    if "LOPSIDED_DATA" not in os.environ or not folder.is_dir():
        pytest.skip("LOPSIDED_DATA holds no finance")
    return folder


@pytest.fixture(scope="session")
def released(finance):
    """The panel that the authors released."""
    return load_panel()
