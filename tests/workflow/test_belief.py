"""A belief on the label frequency goes from the fit through all that hangs on the prior."""

import numpy as np
import pandas as pd
import pytest

import lopsided
from lopsided import priors
from lopsided.priors import AutoPrior, Beta, build_prior, list_priors
from lopsided.workflow.cli import main
from lopsided.workflow.report import summarize_ranking
from lopsided.workflow.tables import write_table

ROLES = {"label": "status", "positive": "confirmed", "negative": "cleared", "id": "claim_no"}
WORDS = ["--label", "status", "--positive", "confirmed", "--negative", "cleared"]
QUICK = ["--method", "focused-fast", "--jobs", "1", "-q"]
BELIEF = Beta.around(0.1)


@pytest.fixture(scope="module")
def believing(claims):
    return lopsided.fit(
        claims.table, **ROLES, method="focused-fast", n_jobs=1, label_frequency=BELIEF
    )


def test_a_belief_at_the_fit_is_that_of_a_question_afterwards(model, believing):
    found, asked = believing.prior_estimate(), model.prior_estimate(label_frequency=BELIEF)
    np.testing.assert_allclose(
        (found.value, found.low, found.high), (asked.value, asked.low, asked.high)
    )
    assert found.low < found.value < found.high
    assert found.value > 1.5 * model.prior_estimate().value
    assert believing.prior_estimate(label_frequency=Beta()).value < found.value


def test_a_belief_moves_probabilities_and_no_row(claims, ranking, believing):
    moved = believing.rank(claims.table, reasons=0)
    assert (moved["id"] == ranking["id"]).all()
    assert (moved["probability"] > ranking["probability"])[:50].all()
    hidden = believing.prior_estimate().n_hidden
    assert moved["probability"].sum() == pytest.approx(hidden, rel=1e-6)


def test_expected_finds_are_by_the_belief_with_its_interval(model, believing):
    asked = model.diagnose(k=50, label_frequency=BELIEF)
    kept = believing.diagnose(k=50)
    assert kept.prior == believing.prior_estimate()
    assert asked.prior.value == pytest.approx(kept.prior.value)
    known = believing.diagnose(k=50, prior=kept.prior.value)
    assert known.prior == kept.prior.value
    assert known.finds[0].high - known.finds[0].low < kept.finds[0].high - kept.finds[0].low


def test_a_page_says_on_what_belief_it_rests(model, believing, claims):
    made = [summarize_ranking(one, claims.table, n_jobs=1).made for one in (model, believing)]
    heading = "Belief on the share that is labeled"
    assert heading not in made[0]
    assert made[1][heading] == "about 0.1, Beta(a=2.0, b=18.0)"
    assert believing.to_dict()["label_frequency"] == {"a": 2.0, "b": 18.0}


def test_a_prior_that_rests_on_no_belief_of_yours_says_so(claims, tmp_path, capsys):
    status = claims.table["status"].mask(
        np.cumsum(claims.table["status"] == "confirmed") > 4, ""
    )
    few = claims.table.assign(status=status)  # too few labels to tell the prior
    for words, told in (({}, 1), ({"label_frequency": BELIEF}, 0)):
        kept = tmp_path / f"{told}.lop"
        lopsided.fit(few, **ROLES, method="naive-logistic", n_jobs=1, **words).save(kept)
        assert main(["prior", str(kept)]) == 0
        assert capsys.readouterr().err.count("half of the positives are believed") == told


def test_a_belief_is_kept_in_the_file_and_after_reviews(believing, claims, truth, tmp_path):
    believing.save(tmp_path / "model.lop")
    loaded = lopsided.load(tmp_path / "model.lop")
    assert loaded.label_frequency == BELIEF
    assert loaded.prior_estimate() == believing.prior_estimate()
    top = believing.rank(claims.table, top=30, reasons=0)
    reviewed = top.assign(verdict=np.where(top["id"].map(truth) == 1, 1, -1))
    taught = believing.feedback(reviewed, n_jobs=1)
    assert taught.label_frequency == BELIEF
    asked = taught.prior_estimate(label_frequency=Beta())
    assert asked.value < taught.prior_estimate().value
    assert (
        taught.diagnose(k=20).prior.value
        > taught.diagnose(k=20, label_frequency=Beta()).prior.value
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"label_frequency": BELIEF, "prior": 0.1}, "must be given, got both"),
        ({"label_frequency": 0.1}, r"such as Beta.around\(0.05\), got 0.1"),
    ],
)
def test_a_belief_is_one_and_stands_alone(claims, model, options, message):
    with pytest.raises(ValueError, match=message):
        lopsided.fit(claims.table, **ROLES, method="naive-logistic", **options)
    with pytest.raises(ValueError, match=message):
        model.diagnose(**options)


def test_a_command_takes_a_belief_where_it_takes_a_prior(claims, tmp_path, capsys):
    table, kept = tmp_path / "claims.csv", tmp_path / "model.lop"
    write_table(claims.table, table)
    fit = ["fit", str(table), *WORDS, "--id", "claim_no", *QUICK, "-o", str(kept)]
    assert main([*fit, "--label-frequency", "0.1"]) == 0
    assert lopsided.load(kept).label_frequency == BELIEF
    assert main([*fit, "--label-frequency", "0.1", "--prior", "0.2"]) == 2
    assert "Either --prior or --label-frequency must be given" in capsys.readouterr().err
    assert main([*fit, "--label-frequency", "2"]) == 2
    assert main(["rank", str(kept), str(table), "--label-frequency", "0.1"]) == 2
    assert "knows how its table is read and learned from" in capsys.readouterr().err


def test_a_folder_out_of_core_is_fitted_with_a_belief(claims, tmp_path):
    frame = claims.table[["policy_days", "earlier_claims", "age"]].apply(
        lambda column: column.astype(str).str.extract(r"(\d+)")[0].astype(float)
    )
    y = (claims.table["status"] == "confirmed").astype(int)
    write_table(frame.assign(y=y), tmp_path / "t.parquet")
    words = ["fit", str(tmp_path / "t.parquet"), "--label", "y", "--out-of-core", "-q"]
    found = {}
    for name, belief in {"none": [], "few": ["--label-frequency", "0.05"]}.items():
        assert main([*words, *belief, "--jobs", "1", "-o", str(tmp_path / name)]) == 0
        found[name] = lopsided.load(tmp_path / name).prior_
    assert found["few"] > 1.5 * found["none"]


@pytest.mark.parametrize("name", list_priors())
def test_an_estimator_as_the_prior_is_that_of_its_name(name):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = ((X[:, 0] > 1) & (rng.random(300) < 0.5)).astype(int)
    given = {"n_estimators": 3, "random_state": 0}
    named, made = (
        lopsided.build("ifpu-xgb", prior=prior, **given).fit(X, y)
        for prior in (name, build_prior(name))
    )
    assert made.prior_estimate_ == named.prior_estimate_
    np.testing.assert_array_equal(made.decision_function(X), named.decision_function(X))


@pytest.mark.parametrize("method", ["focused-fast", "ifpu-xgb", "puhrf"])
def test_a_method_and_its_calibration_take_an_estimator_with_a_belief(method):
    from lopsided.calibration import PUCalibratedClassifier

    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = ((X[:, 0] + X[:, 1] > 1.5) & (rng.random(400) < 0.3)).astype(int)
    few, most = AutoPrior(Beta.around(0.1)), AutoPrior(Beta.around(0.9))
    for make in (
        lambda prior: lopsided.build(method, prior=prior, random_state=0),
        lambda prior: PUCalibratedClassifier(
            lopsided.build("naive-logistic"), prior=prior, random_state=0
        ),
    ):
        priors = [make(prior).fit(X, y).prior_ for prior in (few, "auto", most)]
        assert priors == sorted(priors, reverse=True)
        assert priors[0] > 1.5 * priors[2]


@pytest.mark.parametrize("method", ["focused-fast", "ifpu-xgb", "puhrf", "naive-logistic"])
def test_a_belief_that_the_labels_contradict_is_doubted_and_fits_all_the_same(claims, method):
    found = []
    for share in (1e-2, 1e-3, 1e-5):
        belief = Beta.around(share)  # of 160 claims, or 3, or none, 16 could not be labeled
        model = lopsided.fit(
            claims.table, **ROLES, method=method, n_jobs=1, label_frequency=belief
        )
        found.append(model.prior_estimate())
        assert np.isfinite(model.rank(claims.table, reasons=0)["score"]).all()
    values = [one.value for one in found]
    assert values == sorted(values)
    assert 0.9 < values[-1] < 1
    assert not any(one.identified for one in found if one.value > 0.9)
    assert "nearly all rows would have to be positive" in found[-1].sentence


def test_a_belief_given_before_there_are_labels_counts_when_reviews_bring_them(claims, truth):
    bare = claims.table.assign(status="")
    model = lopsided.fit(bare, **ROLES, n_jobs=1, label_frequency=BELIEF)
    rows = claims.table["claim_no"].head(200)
    reviewed = pd.DataFrame(
        {"claim_no": rows, "verdict": np.where(rows.map(truth) == 1, 1, -1)}
    )
    table = bare.merge(reviewed, on="claim_no")
    taught = model.feedback(table, n_jobs=1)
    assert taught.label_frequency == BELIEF
    assert taught.estimator.prior == AutoPrior(BELIEF)


def test_auto_is_what_the_model_knows_of_the_prior(believing):
    assert believing.diagnose(k=20, prior="auto").prior == believing.prior_estimate()


class Answers:
    """An estimator of the prior that answers what it was told to."""

    def __init__(self, answer, value=None):
        self.answer, self.value = answer, value

    def estimate(self, scores, y, rng, X=None, weight=None):
        return self.answer


class NoAnswers:
    def estimate(self, y):
        return 0.3


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        *(
            (Answers(one), "Answers must estimate a share of all rows")
            for one in (5.0, np.nan, "x")
        ),
        (NoAnswers(), r"have estimate\(scores, y, rng, X, weight\), got"),
        (lopsided.risks.ifpu(), r"have estimate\(scores, y, rng, X, weight\), got PURisk"),
        (AutoPrior, r"got the class AutoPrior. Write AutoPrior\(\)\."),
        (BELIEF, r"Pass AutoPrior\(Beta\(a=2.0, b=18.0\)\)\."),
        (AutoPrior(0.05), "belief must be one on the share of the positives that are labeled"),
        (AutoPrior(noise="x"), "noise must be a number from 0, got 'x'"),
    ],
)
@pytest.mark.parametrize("method", ["focused-fast", "ifpu-xgb"])
def test_an_estimator_that_is_none_is_refused_in_a_sentence(prior, message, method):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 2)), np.repeat([1, 0], [20, 180])
    with pytest.raises(ValueError, match=message):
        lopsided.build(method, prior=prior, random_state=0).fit(X, y)


def test_a_fit_of_a_table_takes_a_number_and_a_belief_apart(claims):
    with pytest.raises(ValueError, match="with what you believe of the label frequency"):
        lopsided.fit(claims.table, **ROLES, prior=AutoPrior(BELIEF))


def test_parts_of_a_table_ask_an_estimator_that_has_a_value(claims):
    from lopsided.model_selection import PUSearchCV

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 2)), np.repeat([1, 0], [20, 180])
    method = lopsided.build("ifpu-xgb", n_estimators=2, prior=Answers(0.4, value=0.2))
    search = PUSearchCV(method, {"max_depth": [1, 2]}, cv=2, random_state=0).fit(X, y)
    assert search.best_estimator_.prior_ == 0.4


@pytest.mark.parametrize(
    "prior",
    [
        priors.DEDPULPrior(tolerance="a"),
        priors.BBEPrior(delta={}),
        priors.BBEPrior(gamma=[1]),
        priors.KM2Prior(max_rows="a"),
        priors.KM2Prior(threshold=[2.0]),
        priors.TIcEPrior(n_folds="a"),
        priors.PULSCARPrior(n_steps=None),
        priors.TailRatioPrior(min_recall=2),
    ],
    ids=repr,
)
def test_a_setting_of_an_estimator_that_is_none_is_refused(prior):
    y = np.repeat([1, 0], [20, 180])
    with pytest.raises(ValueError, match=r"must be a (whole )?number .*, got "):
        priors.estimate_prior(y, np.arange(200.0), method=prior)
    with pytest.raises(ValueError, match="X must be a table of 200 rows"):
        priors.estimate_prior(y, np.arange(200.0), method="bbe", X=np.ones((3, 1)))
