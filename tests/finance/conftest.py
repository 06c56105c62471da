import pytest

from lopsided.finance.generator import make_misstatement_panel
from lopsided.finance.source import Source


@pytest.fixture(scope="session")
def panel():
    """A small synthetic panel, sorted by year."""
    made = make_misstatement_panel(n_firms=200, prevalence=0.05, random_state=1)
    return made.sort_values(["fyear", "gvkey"], ignore_index=True)


@pytest.fixture(scope="session")
def source(panel, tmp_path_factory):
    """A panel in a file, as a user has one, with missing values."""
    file = tmp_path_factory.mktemp("panel") / "panel.csv"
    panel.to_csv(file, index=False)
    return Source(str(file), rows="all")
