import warnings

import pytest

import lopsided
from lopsided.datasets import make_claims

ROLES = {"label": "status", "positive": "confirmed", "negative": "cleared", "id": "claim_no"}


@pytest.fixture(scope="session")
def claims():
    """Claims of a quarter, some of them confirmed frauds, some cleared."""
    return make_claims(800, labeled=0.5, random_state=0)


@pytest.fixture(scope="session")
def model(claims):
    """What the fast preset learned from them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return lopsided.fit(claims.table, **ROLES, method="focused-fast", n_jobs=1)


@pytest.fixture(scope="session")
def ranking(claims, model):
    return model.rank(claims.table, reasons=20)


@pytest.fixture(scope="session")
def truth(claims):
    """Who committed fraud, by claim."""
    return dict(zip(claims.table["claim_no"], claims.y_true, strict=True))
