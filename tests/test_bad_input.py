"""Bad input is refused by the name of what is wrong and by what came."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

import lopsided
from lopsided import diagnostics, metrics, review, risks
from lopsided._validation import as_generator, require
from lopsided.calibration import (
    PUCalibratedClassifier,
    fit_calibration,
    pu_calibration_error,
    pu_log_loss,
    pu_reliability_curve,
)
from lopsided.exceptions import MissingExtraError
from lopsided.explain import explain
from lopsided.labeling import SAR, SCAR
from lopsided.losses import FocalLoss, LogisticLoss
from lopsided.model_selection import (
    DelayedLabelClassifier,
    GroupTimeSeriesSplit,
    PUGroupKFold,
    PUSearchCV,
    PUStratifiedKFold,
    PUTimeSplit,
    compare,
    labels_as_of,
    out_of_fold_scores,
    rank_against,
)
from lopsided.priors import BBEPrior, Beta, estimate_prior
from lopsided.testing import check_risk
from lopsided.trees.sampling import Bagging, Bootstrap

RNG = np.random.default_rng(0)
Y = np.repeat([1, 0], [8, 32])
X = RNG.normal(size=(40, 3)) + Y[:, None]
NAMED = pd.DataFrame(X, columns=list("abc"))
CITY = pd.DataFrame({"city": ["x", "y"] * 20})
DAYS = pd.DataFrame({"day": pd.date_range("2024", periods=40)})
KINDS = pd.DataFrame({"kind": pd.Categorical(["x", "y"] * 20), "a": X[:, 0]})
TWICE = pd.DataFrame(X, columns=["a", "b", "a"])
SCORES = np.arange(40.0)
PROBA = SCORES / 40
YEARS = np.repeat(np.arange(2000, 2008), 5)
TIMES = pd.DataFrame({"a": X[:, 0], "time": YEARS, "known_since": 2001})
FEW = np.repeat([1, 0], [4, 16])
SEVEN = (np.arange(40) < 7).astype(int)
LOGISTIC = LogisticRegression()


def fit(table=X, labels=Y, weight=None, method="naive-xgb", **params):
    return lopsided.build(method, **params).fit(table, labels, sample_weight=weight)


def rank(table=X, labels=Y, method="naive-logistic", **options):
    return lopsided.rank_unlabeled(table, labels, method, **options)


def split(cv, labels=FEW, groups=None):
    return list(cv.split(labels, labels, groups))


def search(grid=None, labels=Y, **options):
    return PUSearchCV(LOGISTIC, {"C": [1.0]} if grid is None else grid, **options).fit(
        X, labels
    )


def delayed(table=TIMES, estimator=LOGISTIC, **options):
    return DelayedLabelClassifier(estimator, **options).fit(table, Y)


def diagnose(estimator="naive-logistic", **options):
    return diagnostics.diagnose(X, Y, estimator, **{"prior": 0.3, **options})


def finds(**change):
    given = {"y": Y, "scores": SCORES, "k": 10, "prior": 0.3, **change}
    return diagnostics.expected_finds(**given)


def prior(labels=Y, scores=SCORES, **options):
    return estimate_prior(labels, scores, **{"n_draws": 2, **options})


def calibrated(**change):
    given = {"estimator": LOGISTIC, "prior": 0.3, **change}
    return PUCalibratedClassifier(**given)


def explained():
    return explain(fit(method="naive-logistic"), X)


def kinds(labels, table=X, **options):
    return lopsided.MultiPositiveClassifier("naive-logistic", **options).fit(table, labels)


TABLES = [
    ("0 sample", lambda: fit(np.empty((0, 3)), np.empty(0))),
    ("0 feature", lambda: fit(np.empty((40, 0)))),
    ("text.*'city'", lambda: fit(CITY)),
    ("dates.*'day'", lambda: fit(DAYS)),
    ("'day'.*'city'", lambda: fit(DAYS.join(CITY))),
    ("X.*infinity", lambda: fit(np.where(X > 1, np.inf, X))),
    (r"3\.4e38.*1e\+39", lambda: fit(np.where(X.max() == X, 1e39, X))),
    (r"3\.4e38.*1e\+300", lambda: fit().decision_function(np.full((1, 3), 1e300))),
    ("X.*1D", lambda: fit(np.arange(40.0))),
    ("X.*int", lambda: rank(7)),
    ("'a'", lambda: fit(TWICE)),
    ("'a'", lambda: fit(NAMED).decision_function(TWICE)),
    ("feature names", lambda: fit(NAMED).decision_function(NAMED[["a", "b"]])),
    ("3 features", lambda: fit().decision_function(X[:, :2])),
    ("data frame", lambda: fit(KINDS).decision_function(X[:, :2])),
    ("65535.*65536", lambda: fit(np.zeros((40, 65536), np.float32), method="naive-forest")),
]  # fmt: skip
LABELS = [
    ("y.*2", lambda: fit(labels=2 * Y)),
    ("y.*-2", lambda: fit(labels=np.where(Y == 1, 1, -2))),
    ("y.*NaN", lambda: fit(labels=np.where(Y == 1, 1, np.nan))),
    ("y.*NaN", lambda: fit(labels=np.ma.masked_where(SCORES % 9 == 0, Y))),
    ("y.*'no'", lambda: fit(labels=np.where(Y == 1, "yes", "no"))),
    ("labeled positive.*none", lambda: fit(labels=0 * Y)),
    ("unlabeled", lambda: fit(labels=Y**0)),
    ("unlabeled.*32", lambda: fit(labels=2 * Y - 1)),
    ("40.*39", lambda: fit(labels=Y[:-1])),
    ("column", lambda: fit(labels=np.column_stack([Y, Y]))),
    ("y", lambda: fit(labels=None)),
    ("two unlabeled.*1", lambda: rank(X[:4], [1, 1, 1, 0])),
    ("unlabeled", lambda: rank(labels=2 * Y - 1)),
    ("kinds.*-2", lambda: kinds(-2 * Y)),
    ("kinds", lambda: kinds(1.5 * Y)),
    ("kinds", lambda: kinds(np.where(Y, "fraud", "none"))),
    ("labeled positive", lambda: kinds(0 * Y)),
    ("unlabeled", lambda: kinds(Y + 1)),
    ("number of rows", lambda: kinds(Y[:-1])),
    ("label_frequency", lambda: kinds(Y, label_frequency={1: 1.5})),
    ("label_frequency", lambda: kinds(Y, label_frequency=0.5)),
]
WEIGHTS_AND_GROUPS = [
    ("sample_weight", lambda: fit(weight=np.ones(39))),
    ("(?i)negative", lambda: fit(weight=-np.ones(40))),
    ("NaN", lambda: fit(weight=np.full(40, np.nan))),
    ("weight.* labeled rows.*0", lambda: fit(weight=1 - Y)),
    ("weight.* unlabeled rows.*0", lambda: fit(weight=Y)),
    ("weight.* labeled rows.*0", lambda: fit(weight=1 - Y, method="focused-fast")),
    ("weight.* unlabeled rows.*0", lambda: fit(weight=Y, method="sarem")),
    ("weight.*1", lambda: fit(weight=np.where(Y, SCORES == 1, 1.0), method="spy")),
    (r"1e-30.*1e\+300", lambda: fit(weight=np.full(40, 1e300))),
    ("groups", lambda: fit(method="focused-fast").fit(X, Y, groups=Y[1:])),
    ("groups", lambda: fit(method="focused-fast").fit(X, Y, groups=np.where(Y, np.nan, 1))),
    ("groups", lambda: fit(method="focused-fast", cv=PUGroupKFold(3))),
    ("groups.*1", lambda: rank(groups=0 * Y)),
    ("groups", lambda: rank(groups=np.where(Y, 0, SCORES))),
]
RANKING = [
    ("folds.*2.5", lambda: rank(folds=2.5)),
    ("folds.*0", lambda: rank(folds=0)),
    ("method.*None", lambda: rank(method=None)),
    ("method.*Ridge", lambda: rank(method=Ridge())),
    ("method.*LogisticRegression", lambda: rank(method=LogisticRegression)),
    ("ifpu-xgb", lambda: rank(method="ifpu_xgb")),
    ("xgb.*true labels", lambda: rank(method="xgb")),
    ("prior", lambda: rank(prior=0.1)),
    ("estimator", lambda: rank(method=lopsided.build("nnpu-xgb", prior=0.1), prior=0.1)),
    ("estimator.*sample_weight", lambda: fit(method="sarem", estimator=KNeighborsClassifier())),
    ("ratio", lambda: fit(method="pu-bagging", sampling=Bagging(-1.0))),
    ("prior.*'auto'.*None", lambda: lopsided.BoostedRiskClassifier(prior=None).fit(X, Y)),
    ("gama.*gamma", lambda: lopsided.build("ifpu-xgb", gama=1)),
    ("'gamma'", lambda: lopsided.build("nnpu-xgb", gamma=1)),
    ("'scenario'", lambda: lopsided.build("naive-xgb", scenario="two-sample")),
    ("naive-xgb.*prior", lambda: lopsided.build("naive-xgb", prior=0.1)),
    ("peers.*peer", lambda: lopsided.list_methods("peers")),
    ("wine-rarer.*wine-rare", lambda: lopsided.datasets.load("wine-rarer")),
    ("labeled.*1", lambda: lopsided.datasets.make_claims(60, labeled=1.0)),
    ("first_day.*soon", lambda: lopsided.datasets.make_claims(60, first_day="soon")),
    ("0.5", lambda: explain(0.5, X)),
    ("naive-logistic", lambda: explain("naive-logistic", X)),
    ("score.*shape", lambda: explain(SVC().fit(X, np.arange(40) % 3), X)),
    ("sources.*3.*2", lambda: explained().grouped(["day", "size"])),
    ("typical.*1", lambda: explained().centered([1])),
    ("k.*0", lambda: explained().top(0)),
    ("grouped", lambda: explained().grouped(["a", "a", "b"]).direction(X)),
]
METRICS = [
    ("scores.*one number per label", lambda: metrics.roc_auc(Y, SCORES[:-1])),
    ("NaN", lambda: metrics.roc_auc(Y, SCORES * np.nan)),
    ("y_true.*single class", lambda: metrics.average_precision([0, 0], [1, 2])),
    ("k.*2.5", lambda: metrics.precision_at_k(Y, SCORES, 2.5)),
    ("k.*40.*41", lambda: metrics.precision_at_k(Y, SCORES, 41)),
    ("k.*0", lambda: metrics.pu_precision_at_k(Y, SCORES, 0)),
    ("k.*32.*40", lambda: metrics.pu_recall_at_k(Y, SCORES, 40, scenario="two-sample")),
    ("prior", lambda: metrics.pu_average_precision(Y, SCORES, scenario="two-sample")),
    ("three-sample", lambda: metrics.pu_roc_auc(Y, SCORES, scenario="three-sample")),
    (r"\(0.9, 0.6\)", lambda: metrics.pu_precision_at_k(Y, SCORES, 1, (0.9, 0.6))),
    ("prior.*0.2.*0.1", lambda: metrics.pu_roc_auc(Y, SCORES, 0.1)),
    ("prior.*2", lambda: metrics.pu_roc_auc(Y, SCORES, 2)),
    ("scores.*'a'", lambda: metrics.pu_roc_auc(Y, ["a"] * 40)),
    ("labeled.*none", lambda: metrics.pu_mean_log_rank(0 * Y, SCORES)),
    ("unlabeled", lambda: metrics.pu_roc_auc(Y**0, SCORES)),
    ("two labeled", lambda: metrics.pu_average_precision(SCORES == 0, SCORES)),
    ("sample_weight.*0", lambda: metrics.pu_roc_auc(Y, SCORES, sample_weight=-Y)),
    ("sample_weight", lambda: metrics.pu_roc_auc(Y, SCORES, sample_weight=1 - Y)),
    ("rows", lambda: metrics.pu_roc_auc(Y, SCORES, sample_weight=np.full(40, 1 / 40))),
    ("sample_weight", lambda: metrics.pu_bootstrap("pu_roc_auc", Y, SCORES, sample_weight=Y)),
    ("pu_roc_auk.*pu_roc_auc", lambda: metrics.pu_bootstrap("pu_roc_auk", Y, SCORES)),
    ("'roc_auc'", lambda: metrics.pu_bootstrap(metrics.roc_auc, Y, SCORES)),
    ("level.*1", lambda: metrics.pu_bootstrap("pu_roc_auc", Y, SCORES, level=1)),
    ("n_draws.*0", lambda: metrics.pu_bootstrap("pu_roc_auc", Y, SCORES, n_draws=0)),
    ("k.*none", lambda: metrics.pu_bootstrap("pu_recall_at_k", Y, SCORES)),
    ("k.*'5'", lambda: metrics.pu_bootstrap("pu_recall_at_k", Y, SCORES, k="5")),
    ("'roc_auc'.*pu_roc_auc", lambda: metrics.make_pu_scorer("roc_auc")),
    (r"prior.*\(0.1, 0.2\)", lambda: metrics.make_pu_scorer("pu_roc_auc", prior=(0.1, 0.2))),
    ("prior.*1.5", lambda: metrics.make_pu_scorer("pu_roc_auc", prior=1.5)),
    ("proba.*'a'", lambda: pu_log_loss(Y, ["a"] * 40, 0.3)),
    ("probabilities", lambda: pu_calibration_error(Y, SCORES, 0.3)),
    ("one number per label", lambda: pu_reliability_curve(Y, PROBA[1:], 0.3)),
    ("prior.*None", lambda: pu_log_loss(Y, PROBA, None)),
    ("prior.*'auto'", lambda: pu_reliability_curve(Y, PROBA, "auto")),
    ("n_bins.*0", lambda: pu_calibration_error(Y, PROBA, 0.3, 0)),
]
PRIORS = [
    ("weight.*40.*2", lambda: prior(weight=[1, 2])),
    ("weight.*-1", lambda: prior(weight=1.0 - 2 * Y)),
    ("labeled", lambda: prior(weight=1 - Y)),
    ("unlabeled", lambda: prior(weight=Y)),
    ("BBEPrior", lambda: prior(method=BBEPrior)),
    ("elkan.*elkan-noto", lambda: prior(method="elkan")),
    ("numbers.*'x'", lambda: prior(method="tice", X=CITY)),
    ("X.*40", lambda: prior(method="km2", X=X[:-1])),
    ("scores.*'high'", lambda: prior(scores=["high"] * 40)),
    ("scores.*NaN", lambda: prior(scores=SCORES * np.nan)),
    ("one number per label", lambda: prior(scores=[1, 2])),
    ("two labeled.*1", lambda: prior(SCORES == 0, method="tail-ratio")),
    ("label_frequency.*0.5", lambda: prior(label_frequency=0.5)),
    ("label frequency.*auto.*bbe", lambda: prior(label_frequency=Beta(2, 2), method="bbe")),
    ("positive numbers.*0", lambda: prior(label_frequency=Beta(0, 2))),
    ("level.*0", lambda: prior(level=0)),
    ("n_rows.*-1", lambda: prior(weight=SCORES, n_rows=-1)),
    ("case-control", lambda: prior(scenario="case-control")),
    ("above 0.*1.5", lambda: Beta.around(1.5)),
    ("plat", lambda: fit_calibration(SCORES, Y, 0.3, "plat")),
    ("prior.*None", lambda: fit_calibration(SCORES, Y, None)),
    ("scores.*one number per label", lambda: fit_calibration(SCORES[:5], Y, 0.3)),
    ("score", lambda: fit_calibration(np.where(Y, np.nan, SCORES), Y, 0.3)),
    ("scores.*'a'", lambda: fit_calibration(["a"] * 40, Y, 0.3)),
    ("sample_weight", lambda: fit_calibration(SCORES, Y, 0.3, sample_weight=-Y)),
    ("1 and 39", lambda: calibrated().fit(X, SCORES == 0)),
    ("sigmoid", lambda: calibrated(method="sigmoid").fit(X, Y)),
    ("guess.*auto", lambda: calibrated(prior="guess").fit(X, Y)),
    ("'auto'.*None", lambda: calibrated(prior=None).fit(X, Y)),
    ("cv.*1", lambda: calibrated(cv=1).fit(X, Y)),
    ("estimator.*'forest'", lambda: calibrated(estimator="forest").fit(X, Y)),
]  # fmt: skip
SELECTION = [
    ("n_splits|labeled rows, 4, got 5", lambda: split(PUStratifiedKFold(5))),
    ("2 labeled", lambda: split(PUStratifiedKFold(2), [1, 1, 0, 0, 0])),
    ("group.*None", lambda: split(PUGroupKFold(3))),
    ("2.*3", lambda: split(PUGroupKFold(3), groups=np.arange(20) // 2)),
    ("1.*2", lambda: split(PUGroupKFold(2), groups=np.arange(20) // 4)),
    ("labeled.*1", lambda: split(PUGroupKFold(2), groups=[0] * 3 + [1] + [2] * 16)),
    ("missing.*0", lambda: split(PUGroupKFold(2), groups=[None, *range(19)])),
    ("20.*19", lambda: split(PUGroupKFold(2), groups=range(19))),
    (
        "groups.*int.*str",
        lambda: split(PUGroupKFold(2), groups=np.array([1, "a", 2, "b"] * 5, object)),
    ),
    ("n_splits.*2.*3", lambda: split(PUTimeSplit(3))),
    ("n_splits.*0", lambda: split(PUTimeSplit(0))),
    ("'day'", lambda: split(PUTimeSplit(2, time="day"))),
    ("time.*missing", lambda: split(PUTimeSplit(2, time=[np.nan] * 20))),
    ("2000", lambda: split(GroupTimeSeriesSplit([2000]), Y, YEARS)),
    ("2008", lambda: split(GroupTimeSeriesSplit([2008]), Y, YEARS)),
    ("1 period", lambda: split(GroupTimeSeriesSplit(), Y[:5], YEARS[:5])),
    ("period.*None", lambda: split(GroupTimeSeriesSplit(), Y)),
    ("number.*U", lambda: split(GroupTimeSeriesSplit(), Y, YEARS.astype(str))),
    ("gap.*-1", lambda: split(GroupTimeSeriesSplit(gap=-1), Y, YEARS)),
    ("max_train_size.*0", lambda: split(GroupTimeSeriesSplit(max_train_size=0), Y, YEARS)),
    ("numbers of samples", lambda: split(GroupTimeSeriesSplit(), Y[1:], YEARS)),
    ("test_groups", lambda: split(GroupTimeSeriesSplit(3), Y, YEARS)),
    ("y_true", lambda: labels_as_of(["a"], [1], 2)),
    ("date.*nan", lambda: labels_as_of([1, 0], [1, 2], np.nan)),
    ("known_since", lambda: labels_as_of([1, 0], ["a", "b"], 2)),
    ("estimator.*3", lambda: delayed(estimator=3)),
    ("horizon.*'a'", lambda: delayed(horizon="a")),
    ("'time'.*'known_since'", lambda: delayed(TIMES.drop(columns="time"))),
    ("ndarray", lambda: delayed(TIMES.to_numpy())),
    ("2008.*none", lambda: delayed(TIMES.assign(known_since=np.inf))),
    ("feature names", lambda: delayed().predict(TIMES.rename(columns={"a": "b"}))),
    ("estimator.*0.5", lambda: out_of_fold_scores(0.5, X, Y)),
    ("3 labeled.*2", lambda: out_of_fold_scores(LOGISTIC, X, SCORES < 2)),
    ("8.*1 group", lambda: out_of_fold_scores(LOGISTIC, X, Y, groups=np.where(Y, 0, SCORES))),
    ("scores.*'a'", lambda: rank_against([1], ["a"])),
    ("weights.*2.*1", lambda: rank_against([1, 2], [1], [1])),
    ("estimators.*3", lambda: compare(3, X, Y)),
    ("'a'.*1", lambda: compare({"a": 1}, X, Y)),
    ("names", lambda: compare([LOGISTIC], X, Y)),
    ("xgb.*true labels", lambda: compare(["xgb"], X, Y)),
    ("accuracy", lambda: compare([], X, Y, metric="accuracy")),
    ("level.*90", lambda: compare([], X, Y, level=90)),
    ("param_grid.*3", lambda: search(3)),
    ("'D'", lambda: search({"D": [1]})),
    ("C.*1", lambda: search({"C": 1})),
    ("none", lambda: search({"C": ["a"]})),
    ("splits.*none", lambda: search(cv={})),
    ("cv", lambda: search(cv="five")),
    ("2 labeled.*1", lambda: search(labels=SEVEN, cv=PUStratifiedKFold(5))),
    ("4 labeled.*3", lambda: search(labels=SCORES < 3)),
    ("n_standard_errors.*-1", lambda: search(n_standard_errors=-1)),
    ("roc_au", lambda: search(scoring="roc_au")),
]
DIAGNOSTICS = [
    ("xgb.*true labels", lambda: diagnose("xgb")),
    (r"rivals\['d'\].*40", lambda: diagnose(rivals={"d": [1, 2, 3]})),
    (r"rivals\['d'\].*'high'", lambda: diagnose(rivals={"d": ["high"] * 40})),
    ("k.*'10'", lambda: diagnose(k="10")),
    ("prior.*label_frequency", lambda: diagnose(label_frequency=Beta(2, 2))),
    ("k.*1", lambda: finds(k=0)),
    ("5000", lambda: finds(k=5000)),
    ("k.*1.5", lambda: finds(k=1.5)),
    ("scores.*'high'", lambda: finds(scores=["high"] * 40)),
    ("prior.*0.2.*0.01", lambda: finds(prior=0.01)),
    (r"\(0.4, 0.3\)", lambda: finds(prior=(0.4, 0.3))),
    ("prior.*'much'", lambda: finds(prior="much")),
    ("level.*1", lambda: finds(level=1.0)),
    ("three-sample", lambda: finds(scenario="three-sample")),
    ("one number per label", lambda: finds(scores=SCORES[:-1])),
    ("labeled", lambda: finds(scores=np.where(Y, np.nan, SCORES))),
    ("rivals", lambda: diagnostics.blind_recall(Y, SCORES, 5, rivals=0.5)),
    ("X.*3", lambda: diagnostics.find_leaks(3, Y)),
    ("tilt.*1", lambda: diagnostics.sensitivity(Y, SCORES, 10, 0.3, tilt=1)),
    ("tilt.*'3'", lambda: diagnostics.sensitivity(Y, SCORES, 10, 0.3, tilt="3")),
    ("2 labeled", lambda: diagnostics.check_signal_in_table(X, SCORES == 0)),
]
LABELING = [
    ("positives.*5", lambda: SCAR(0.75).draw(None, np.repeat([1, 0], [5, 20]), rng=0)),
    ("hidden.*1.5", lambda: SCAR(1.5).draw(None, Y, rng=0)),
    ("hidden.*'half'", lambda: SCAR("half").draw(None, Y, rng=0)),
    ("y_true", lambda: SCAR(0.5).draw(None, np.ones(5), rng=0)),
    ("y_true", lambda: SCAR(0.5).draw(None, [1, np.nan, 0], rng=0)),
    ("finite", lambda: SAR(0.5).draw(X * np.nan, Y, rng=0)),
    ("numbers", lambda: SAR(0.5).draw(np.full((40, 2), "a"), Y, rng=0)),
    ("40", lambda: SAR(0.5).draw(X[:3], Y, rng=0)),
    ("nearby.*near", lambda: SAR(0.5, "nearby").draw(X, Y, rng=0)),
    ("nearest", lambda: SAR(0.5, "near", "neares").draw(X, Y, rng=0)),
]
RISKS = [
    ("clamp.*ClipAtZero", lambda: risks.nnpu(clamp=risks.ClipAtZero).check()),
    ("loss.*'logistic'", lambda: risks.PURisk("logistic").check()),
    ("reviewed_weight.*0.5", lambda: risks.PURisk(FocalLoss(), reviewed_weight=0.5).check()),
    ("target_prior", lambda: risks.ifpu(target_prior={}).check()),
    ("gamma.*1e.?308", lambda: FocalLoss(1e308).check()),
    ("clamp.*'gamma'", lambda: risks.ifpu().set_params(gamma=1)),
    ("clamp.*None", lambda: risks.upu().set_params(clamp__beta=1)),
    ("ratio.*'rate'", lambda: Bagging().set_params(rate=3)),
    ("risk.*'nnpu'", lambda: check_risk("nnpu")),
    ("risk.*LogisticLoss", lambda: check_risk(LogisticLoss())),
    ("prior.*1.5", lambda: check_risk(risks.ifpu(), prior=1.5)),
    ("2 rows", lambda: review.review_propensity([1, 0], [1.0])),
    ("reviewed_top", lambda: review.review_propensity([1, 0], [1.0, 2.0])),
    ("propensity.*'a'", lambda: review.review_weights(Y, "a")),
    ("0 to 1.*2", lambda: review.review_weights([1, 0], [2.0, 0.0])),
    ("label_frequency.*0", lambda: review.review_weights(Y, PROBA, label_frequency=0)),
    ("max_weight.*0.5", lambda: review.review_weights(Y, PROBA, max_weight=0.5)),
    ("300", lambda: review.estimate_prior_after_reviews(Y, 300 * Y, SCORES)),
    ("audits", lambda: review.estimate_prior_after_reviews(Y, Y, SCORES, audits="a")),
]
CASES = [
    *TABLES, *LABELS, *WEIGHTS_AND_GROUPS, *RANKING, *METRICS, *PRIORS, *SELECTION,
    *DIAGNOSTICS, *LABELING, *RISKS,
]  # fmt: skip


@pytest.mark.parametrize(("named", "call"), CASES, ids=[named for named, _ in CASES])
def test_bad_input_is_refused_by_name_and_value(named, call):
    with pytest.raises(ValueError, match=named) as refusal:
        call()
    assert len(str(refusal.value)) < 500


# What is wrong with a parameter of a method: its values by method and name.
PARAMETERS = {
    "ifpu-xgb": {
        "prior": [0, 1.5, True, "half"], "scenario": ["one"], "target_prior": [1.5],
        "gamma": [-1, "a"], "clamp": ["hold"], "n_estimators": [0, 1.5, None],
        "gradient_scale": [-1], "subsample": [0, 2], "early_stopping_rounds": [0],
        "max_bin": [1], "max_cat_threshold": [0], "max_depth": [-1], "max_leaves": [-1],
        "n_parallel_trees": [0], "learning_rate": [-1, "a"], "colsample_bynode": [1.5],
        "reg_lambda": [-1], "grow_policy": ["wide"], "monotone_constraints": [(1,), False],
        "random_state": [-1, 1.5], "n_jobs": [0, "a"], "risk": ["nnpu"],
    },
    "naive-forest": {
        "criterion": ["ginni"], "splitter": ["rand"], "n_estimators": [0, 2.5, "many"],
        "min_samples_leaf": [0, 0.5, None], "max_depth": [0, "deep"],
        "max_features": [0, 1.5, "all", True], "sampling": ["bootstrap", Bootstrap],
        "random_state": ["a"], "n_jobs": [1.5],
    },
    "puhrf": {"prior": [1.5]},
    "naive-logistic": {
        "C": [0], "normalize": ["quantiles"], "random_state": [-1], "n_jobs": [0]
    },
    "focused": {
        "estimators": [5], "weighting": ["equals"], "preset": ["fats"], "gamma": [-1],
        "target_prior": ["foo"], "prior": [1.5, "high"], "n_jobs": [True],
    },
    "spy": {"spy_share": [1.0], "noise": [-0.1], "n_jobs": [0]},
    "elkan-noto": {"frequency": ["median"], "n_folds": [1]},
    "nnif": {"treatment": ["burn"], "n_neighbors": ["a"]},
    "sarem": {
        "max_iter": [0, 2.5], "window": [1], "min_propensity": [5], "propensity_columns": [[7]],
        "propensity_model": ["forest"],
    },
    "lbe": {
        "keep_fraction": [0.0, "most"], "batch_fraction": [2, True], "n_rounds": [-1],
        "learning_rate": ["fast", 0], "weight_decay": [None, -1],
    },
    "ifpu-mlp": {
        "risk": ["nnpu"], "hidden_layer_sizes": [2.5], "n_steps": [None, 0],
        "batch_size": [1], "device": ["abacus"], "learning_rate": ["fast"],
        "weight_decay": [-1],
    },
    "ifpu-tabgmlp": {
        "risk": ["nnpu"], "tokenizer": ["column"], "validation": ["first"], "depth": [-1],
        "n_blocks": [0], "n_epochs": [1.5], "n_estimators": [0], "batch_size": [1],
        "patience": [0], "validation_fraction": [1], "learning_rate": [0, "fast"],
        "weight_decay": [-1], "device": ["abacus"],
    },
    "devnet": {"margin": [0, "wide", float("nan")], "learning_rate": ["fast"]},
    "prenet": {"targets": [(8, 4, 0), ("a", "b", "c"), 8], "batch_size": [2]},
}  # fmt: skip
NETS = ("lbe", "ifpu-mlp", "ifpu-tabgmlp", "devnet", "prenet")
EACH = [
    (method, name, value)
    for method, params in PARAMETERS.items()
    for name, values in params.items()
    for value in values
]


@pytest.mark.parametrize(("method", "name", "value"), EACH)
def test_a_bad_parameter_is_refused_by_name_and_value(method, name, value):
    if method in NETS:
        pytest.importorskip("torch")
    with pytest.raises(ValueError, match=f"(?s){name}.*{re.escape(repr(value))}"):
        fit(method=method, **{name: value})


def test_a_missing_extra_names_the_line_to_type(monkeypatch):
    with pytest.raises(MissingExtraError, match="pip install 'no_such_package'"):
        require("no_such_package.part")
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'lopsided\[nets\]'"):
        require("torch")


@pytest.mark.parametrize("state", [None, 0, np.random.RandomState(0), np.random.default_rng(0)])
def test_every_kind_of_seed_becomes_a_generator(state):
    assert isinstance(as_generator(state), np.random.Generator)


@pytest.mark.parametrize("method", ["naive-xgb", "naive-forest", "naive-logistic", "spy"])
@pytest.mark.filterwarnings("ignore:No split lowered the risk")
def test_weights_that_fade_to_nothing_count_as_nothing(method):
    faded = np.exp(-np.arange(40.0)[::-1] * 5)
    faded[Y == 1] = 1
    weights = faded, np.where(faded < 1e-30, 0, faded)
    one, two = (fit(weight=weight, method=method, random_state=0) for weight in weights)
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64, object])
def test_masked_cells_count_as_missing(kind):
    table = (10 * X).astype(kind)
    masked = np.ma.masked_where(np.abs(X) > 1, table)
    holes = np.where(np.abs(X) > 1, np.nan, table.astype(float))
    scores = [fit(cells).decision_function(cells) for cells in (masked, holes)]
    np.testing.assert_array_equal(*scores)
    assert (fit(table).decision_function(table) != scores[0]).any()
    ranks = [rank(cells, random_state=0) for cells in (masked, holes)]
    np.testing.assert_array_equal(*ranks)


def test_a_difference_lies_within_its_interval_where_ties_break_counts():
    rng = np.random.default_rng(1)
    for _ in range(40):
        y = (rng.random(40) < 0.4).astype(int)
        y[:2] = 1, 0
        ours, theirs = rng.integers(0, 2, (2, 40))
        found = diagnostics.blind_recall(
            y, ours, int((y == 0).sum()) // 2, rivals={"a": theirs}, level=0.05
        )
        (rival,) = found.rivals
        assert rival.low <= rival.difference <= rival.high
