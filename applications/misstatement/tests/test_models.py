import numpy as np
import pytest

from lopsided.losses import CalibratedFocalLoss
from lopsided.risks import SupervisedRisk
from lopsided_misstatement.folds import COLUMNS, keep_complete, make_fold
from lopsided_misstatement.generator import make_misstatement_panel
from lopsided_misstatement.models import MODELS, get_model, list_models
from lopsided_misstatement.scorers import signed_log, train_net

SLOW = ("rusboost", "focused")  # the one has a test of its own, the other as a method
QUICK = [model for model in MODELS if model.group != "nets" and model.name not in SLOW]


@pytest.mark.filterwarnings("ignore:No prior was given")
@pytest.mark.parametrize("model", QUICK, ids=lambda model: model.name)
def test_a_model_scores_every_report_of_a_panel_with_gaps(model, source):
    panel = source.load()
    assert panel["state"].isna().any()
    fold = make_fold(panel[panel["gvkey"] % 2 == 0], 2007, "released", model.span, model.gap)
    scores = model.score(fold, 0)
    assert scores.shape == (len(fold.test),)
    assert np.isfinite(scores).all()


def test_boosting_on_balanced_samples_scores_every_report():
    pytest.importorskip("imblearn")
    # Of accounts that tell much: else it may end after its first tree.
    panel = make_misstatement_panel(n_firms=600, prevalence=0.1, strength=2.0)
    fold = make_fold(keep_complete(panel), 2009, "released")
    scores = get_model("rusboost").score(fold, 0)
    assert scores.shape == (len(fold.test),)
    assert len(np.unique(scores)) > 10


def test_a_net_watches_the_last_year_whatever_the_order_of_the_panel(panel, monkeypatch):
    pytest.importorskip("torch")
    from lopsided.methods.tab_gmlp import TabGMLPClassifier

    seen = {}

    def fit(self, X, y):
        seen.update(X=X, **self.get_params())
        return self

    monkeypatch.setattr(TabGMLPClassifier, "fit", fit)
    monkeypatch.setattr(
        TabGMLPClassifier, "decision_function", lambda self, X: np.zeros(len(X))
    )
    fold = make_fold(panel.sample(frac=1, random_state=0), 2007, "released")
    train_net(SupervisedRisk(CalibratedFocalLoss()))(fold, 0)
    n_last = int((fold.train["fyear"] == 2006).sum())
    assert (fold.train["fyear"].to_numpy()[-n_last:] == 2006).all()
    assert seen["validation"] == "last"
    assert (seen["n_epochs"], seen["n_estimators"]) == (60, 3)
    assert seen["patience"] < seen["n_epochs"]
    assert round(seen["validation_fraction"] * len(fold.train)) == n_last
    assert seen["X"]["at"].equals(signed_log(fold.train)["at"])


def test_items_are_bent_by_their_sign_and_size(panel):
    bent = signed_log(panel[["re", "bm"]])
    np.testing.assert_allclose(np.sign(bent["re"]) * np.expm1(bent["re"].abs()), panel["re"])
    assert bent["bm"].equals(panel["bm"])


def test_firm_memory_is_one_for_firms_known_in_the_training_years(panel):
    fold = make_fold(panel, 2009, "released")
    scores = get_model("firm-memory").score(fold, 0)
    firms = set(fold.train["gvkey"][fold.y == 1])
    assert scores.tolist() == [float(firm in firms) for firm in fold.test["gvkey"]]


def test_no_model_is_told_the_firm_the_year_or_what_comes_out():
    hidden = {"gvkey", "fyear", "misstated", "restatement_year", "aaer_year", "case_end"}
    for names in COLUMNS.values():
        assert not set(names) & (hidden | {"case", "severity"})


def test_models_have_names_of_their_own_and_groups():
    assert len({model.name for model in MODELS}) == len(MODELS)
    assert set(list_models()) & set(list_models("nets")) == set()
    with pytest.raises(ValueError, match="focsed"):
        get_model("focsed")
