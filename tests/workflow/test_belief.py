"""A belief on the label frequency goes from the fit through all that hangs on the prior."""

import numpy as np
import pytest

import lopsided
from lopsided.cli import main
from lopsided.priors import AutoPrior, Beta, build_prior, list_priors
from lopsided.tables import write_table
from lopsided.workflow.report import summarize_ranking

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
    assert moved["probability"].sum() == pytest.approx(hidden, rel=0.2)


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
    with pytest.raises(ValueError, match=message.replace("such as", "like").split("got")[-1]):
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
    assert made.prior_ == named.prior_
    assert made.prior_estimate_.low == named.prior_estimate_.low
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
