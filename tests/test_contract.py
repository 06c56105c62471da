import traceback
from dataclasses import dataclass

import numpy as np
import pytest
from own_risks import Heavy
from sklearn.naive_bayes import GaussianNB

from lopsided import BoostedRiskClassifier
from lopsided._validation import _EXTRAS, require
from lopsided.exceptions import MissingExtraError
from lopsided.losses import LogisticLoss
from lopsided.methods.base import PUClassifier
from lopsided.methods.registry import METHODS, build, get_method
from lopsided.risks import SignedWeights, naive, nnpu
from lopsided.testing import check_method, contract_checks


def is_missing(package):
    try:
        require(package)
    except MissingExtraError:
        return True
    return False


def lacks(method):
    return any(map(is_missing, method.needs))


CASES = [
    pytest.param(
        check,
        id=f"{method.name}-{name}",
        marks=[] if method.needs else [pytest.mark.no_extras],
    )
    for method in METHODS
    if not lacks(method)
    for name, check in contract_checks(method.name)
]
OTHERS = [method.name for method in METHODS if lacks(method)]


@pytest.mark.parametrize("check", CASES)
def test_every_method_keeps_the_contract(check):
    check()


@pytest.mark.skipif(not OTHERS, reason="every optional package is installed")
@pytest.mark.parametrize("method", OTHERS or [None])
def test_a_method_that_lacks_a_package_says_what_to_install(method):
    X = np.random.default_rng(0).normal(size=(40, 2))
    extra = _EXTRAS[get_method(method).needs[0]]
    with pytest.raises(MissingExtraError, match=rf"pip install 'lopsided\[{extra}\]'"):
        build(method).fit(X, X[:, 0] > 1)


class Swapped(Heavy):
    def raw_weights(self, *given, **named):
        return SignedWeights(*super().raw_weights(*given, **named)[::-1])


@dataclass(eq=False, repr=False)
class Bayes(PUClassifier):
    """Gaussian naive Bayes, with faults to choose from."""

    sign: float = 1.0
    offset: float = 0.0
    noise: float = 0.0
    gap: bool = False

    def _fit(self, rows, rng):
        self.model_ = GaussianNB().fit(rows.X, rows.y == 1, rows.weight)

    def _scores(self, X):
        log = self.model_.predict_joint_log_proba(X)
        scores = self.sign * (log[:, 1] - log[:, 0]) + self.offset
        if self.gap:
            scores[3:5] = np.nan
        return scores + self.noise * np.random.default_rng().normal(size=len(X))


def boosted(risk):
    return BoostedRiskClassifier(risk=risk, n_estimators=10)


def test_a_risk_of_the_users_own_may_put_the_boundary_elsewhere():
    for times in (10.0, 30.0):
        check_method(boosted(Heavy(LogisticLoss(), times=times)))


def test_scikit_learn_judges_the_boundary_of_every_other_method():
    checks = dict(contract_checks(Bayes(offset=30.0)))
    with pytest.raises(AssertionError) as caught:
        checks["scikit-learn"]()
    said = str(caught.value)
    assert said.startswith("Bayes")
    for part in ("check_classifiers_train", "83 %", "y_pred) > 0.83", "poor_score"):
        assert part in said
    assert isinstance(caught.value.__cause__, AssertionError)
    assert "accuracy_score" in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize(
    ("method", "told"),
    [
        (
            boosted(Swapped(LogisticLoss())),
            "'risk'",
        ),
        (Bayes(sign=-1.0), "'labeled rows rank high'"),
        (Bayes(sign=0.0), "same score"),
        (Bayes(gap=True), "not finite"),
        (Bayes(noise=1e-3), "pickle"),
    ],
    ids=["swapped risk", "swapped score", "nothing learned", "not finite", "noise"],
)
def test_a_breach_names_the_check_and_says_what_came(method, told):
    with pytest.raises(AssertionError) as caught:
        check_method(method)
    said = str(caught.value)
    assert said.startswith(type(method).__name__)
    assert told in said
    assert caught.value.__cause__ is not None
    assert "\n" not in said


@pytest.mark.parametrize("name", ["two labeled rows suffice", "answers agree", "seed decides"])
def test_a_check_without_words_of_its_own_shows_what_failed(name):
    method = Bayes(gap=True) if name != "seed decides" else Bayes(noise=1.0)
    with pytest.raises(AssertionError, match=f"Bayes.*'{name}'") as caught:
        dict(contract_checks(method))[name]()
    assert len(str(caught.value)) > 60 + len(name)


def test_an_error_of_the_method_itself_is_told_with_its_kind():
    class Dies(Bayes):
        def _scores(self, X):
            raise KeyError("amount")

    with pytest.raises(AssertionError, match=r"KeyError.*'amount'"):
        dict(contract_checks(Dies()))["answers agree"]()


def test_the_risk_that_a_method_was_given_is_checked():
    for risk in (naive(), nnpu(), Heavy(LogisticLoss())):
        assert "risk" in dict(contract_checks(boosted(risk)))
    assert "risk" not in dict(contract_checks(BoostedRiskClassifier()))
    assert "risk" not in dict(contract_checks("naive-logistic"))
