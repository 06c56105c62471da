"""The contracts that every method and every risk keep, as checks to run on yours."""

from lopsided.testing.contract import (
    EXPECTED_FAILURES,
    LABEL_CHECKS,
    check_method,
    contract_checks,
)
from lopsided.testing.risks import check_risk

__all__ = ["EXPECTED_FAILURES", "LABEL_CHECKS", "check_method", "check_risk", "contract_checks"]
