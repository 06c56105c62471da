import pytest

from lopsided.finance.generator import make_misstatement_panel


@pytest.fixture(scope="session")
def panel():
    """A small synthetic panel, sorted by year."""
    made = make_misstatement_panel(n_firms=200, prevalence=0.05, random_state=1)
    return made.sort_values(["fyear", "gvkey"], ignore_index=True)
