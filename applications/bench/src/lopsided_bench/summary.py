"""The contents of a report as typed records: scores, ranks, tests and failed trials."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from lopsided_bench import stats
from lopsided_bench.aggregate import DIGITS, blocks, failed_trials, macro, scores
from lopsided_bench.names import name_metric, name_setting
from lopsided_bench.published import Published, PublishedTable, read_published
from lopsided_bench.study import MAX_PRIOR, ORACLE, MethodSpec, Setting, Study

__all__ = ["Summary", "describe_protocol", "summarize"]


BASELINE = "naive-xgb"


@dataclass(frozen=True)
class MethodRank:
    """The average rank of a method, and how it stands to the best and to the baseline."""

    label: str
    rank: float
    best: bool
    behind_best: float | None
    p_value: float | None
    p_holm: float | None
    over_baseline: stats.Interval | None


@dataclass(frozen=True)
class Comparison:
    """Ranks and tests over data sets, or the reason why there are none."""

    reason: str = ""
    dropped: Sequence[str] = ()  # methods without a score for each data set
    few_repeats: Sequence[str] = ()  # methods with fewer repeats than others
    ranks: Sequence[MethodRank] = ()  # the best first
    baseline: str | None = None
    friedman: stats.Friedman | None = None
    critical_difference: float | None = None


@dataclass(frozen=True)
class Score:
    """The mean of a method over data sets in one setting; NaN if it has none."""

    mean: float
    deviation: float | None  # over repeats, if there are several
    partial: bool  # whether it lacks data sets or repeats
    place: int | None  # 1 is the best of its setting, 2 the second
    published: Published | None = None

    @property
    def difference(self) -> float | None:
        """Our mean minus the published one."""
        if self.published is None or self.partial:
            return None
        return self.mean - self.published.mean


@dataclass(frozen=True)
class MethodScores:
    """The scores of a method, one for each setting of its metric."""

    label: str
    oracle: bool
    n_repeats: int
    scores: Sequence[Score]

    @property
    def published(self) -> bool:
        """Whether some score stands beside a published one."""
        return any(score.published for score in self.scores)


@dataclass(frozen=True)
class MetricSummary:
    """The macro table of a metric, the best method first, and what the tests say of it."""

    name: str
    settings: Sequence[Setting]
    rows: Sequence[MethodScores]
    tests: Comparison

    @property
    def columns(self) -> list[str]:
        """The settings as headings."""
        return [name_setting(*setting) for setting in self.settings]


@dataclass(frozen=True)
class MethodSummary:
    """What is known of a method but its scores."""

    label: str
    oracle: bool
    n_datasets: int
    n_repeats: int
    seconds: float


@dataclass(frozen=True)
class Summary:
    """What a table of results says."""

    title: str
    study: str
    protocol: Mapping[str, str]
    versions: Sequence[str]
    n_trials: int
    datasets: Sequence[str]
    methods: Sequence[MethodSummary]
    metrics: Mapping[str, MetricSummary]
    published_note: str | None  # on the source of published numbers, if there are any
    failed: Sequence[Any]  # named tuples with the columns of `failed_trials`


def summarize(table: pd.DataFrame, study: Study) -> Summary:
    """Return the contents of the report on a table of results.

    A score is marked best or second among the methods that have one on every data set, those
    that were fitted on the truth aside. A published number is laid beside a method without
    settings of its own.
    """
    published = None if study.published is None else read_published(study.published)
    true_prior = table[np.isclose(table["prior_factor"], 1.0)]
    fine = true_prior[true_prior["status"] == "ok"]
    measured = [metric for metric in study.metrics if (fine["metric"] == metric).any()]
    return Summary(
        title=study.title,
        study=study.name,
        protocol=describe_protocol(study),
        versions=sorted(table["versions"].unique().tolist()),
        n_trials=int(table["key"].nunique()),
        datasets=sorted(fine["dataset"].unique().tolist()),
        methods=_summarize_methods(true_prior, study),
        metrics={
            name: _summarize_metric(true_prior, study, name, published) for name in measured
        },
        published_note=None if published is None else published.note,
        failed=list(failed_trials(table).itertuples(index=False, name="FailedTrial")),
    )


def _summarize_methods(table: pd.DataFrame, study: Study) -> list[MethodSummary]:
    """Return the methods of the study in its order, then others that the table has."""
    known = [method.label for method in study.methods]
    oracles, fine = _oracles(table), table[table["status"] == "ok"]
    found = []
    for label in [*known, *sorted(set(table["label"]) - set(known))]:
        rows = fine[fine["label"] == label]
        counts = rows["dataset"].nunique(), rows["repeat"].nunique()
        # A fit has a row for each metric, and its seconds in all of them.
        seconds = float(rows.drop_duplicates("key")["seconds"].mean())
        found.append(MethodSummary(label, label in oracles, *counts, seconds))
    return found


def _summarize_metric(
    table: pd.DataFrame, study: Study, metric: str, published: PublishedTable | None
) -> MetricSummary:
    """Return the macro table of a metric and what the tests say of it."""
    means: Any = macro(table, metric)
    deviations: Any = macro(table, metric, of="deviation")
    cells, oracles = scores(table, metric), _oracles(table)
    settings = [Setting(*setting) for setting in means.columns]
    datasets = set(cells["dataset"])
    counts = cells.pivot_table(
        index="label", columns=["mechanism", "hidden"], values="complete", aggfunc="sum"
    )
    partial = means.notna() & (counts.reindex_like(means) < len(datasets))
    ranked = means.mask(partial).drop(index=oracles, errors="ignore").round(DIGITS)
    places = ranked.rank(ascending=False, method="dense").reindex_like(means)
    places = places.where((places <= 2) & (ranked.count() > 1))
    fine = table[(table["status"] == "ok") & (table["metric"] == metric)]
    repeats = fine.groupby("label")["repeat"].nunique()
    names = {method.label: method.name for method in study.methods if not method.params}

    def score(label: str, setting: Setting) -> Score:
        name, place = names.get(label), places.at[label, setting]
        return Score(
            float(means.at[label, setting]),
            # The deviation of a single repeat is no information.
            float(deviations.at[label, setting]) if repeats[label] > 1 else None,
            bool(partial.at[label, setting]),
            int(place) if place == place else None,
            published.find(name, metric, setting, datasets) if published and name else None,
        )

    # The best first, and last what was fitted on the truth.
    order = means.mean(axis=1).sort_index().sort_values(ascending=False, kind="stable").index
    rows = [
        MethodScores(
            label,
            label in oracles,
            int(repeats[label]),
            [score(label, setting) for setting in settings],
        )
        for label in sorted(map(str, order), key=lambda label: label in oracles)
    ]
    return MetricSummary(name_metric(metric), settings, rows, compare_methods(table, metric))


def compare_methods(table: pd.DataFrame, metric: str) -> Comparison:
    """Return ranks, tests and intervals, or why there are none.

    Data sets are the blocks, each with its mean over settings: settings of one data set share
    their rows, and would count as evidence many times. The best method has the best average
    rank, the first by name among equals.
    """
    hidden = table[table["mechanism"] != ORACLE.mechanism]
    fine = hidden[(hidden["status"] == "ok") & (hidden["metric"] == metric)]
    if fine.empty:
        return Comparison("No method was fitted with hidden labels.")
    values = blocks(table, metric)
    dropped = sorted(set(hidden["label"]) - set(values.columns))
    n_blocks, n_methods = values.shape
    if n_blocks < 2 or n_methods < 2:
        reason = (
            "Tests need two data sets and two methods with scores on all of them, got "
            f"{n_blocks} and {n_methods}."
        )
        return Comparison(reason, dropped)
    repeats = fine.groupby("label")["repeat"].nunique()[list(values.columns)]
    ranks = stats.average_ranks(values).sort_index().sort_values(kind="stable")
    best = str(ranks.index[0])
    tests: Any = stats.wilcoxon_holm(values, best).set_index("second").drop(columns="first")

    def rank(label: str) -> MethodRank:
        over = None
        if BASELINE in values and label != BASELINE:
            over = stats.bootstrap_difference(values[label], values[BASELINE])
        behind, p_value, p_holm = (None,) * 3 if label == best else tests.loc[label]
        return MethodRank(label, ranks[label], label == best, behind, p_value, p_holm, over)

    return Comparison(
        dropped=dropped,
        few_repeats=sorted(map(str, repeats[repeats < repeats.max()].index)),
        ranks=[rank(label) for label in map(str, ranks.index)],
        baseline=BASELINE if BASELINE in values else None,
        friedman=stats.friedman(values),
        critical_difference=stats.critical_difference(n_methods, n_blocks),
    )


def _oracles(table: pd.DataFrame) -> set[str]:
    return set(table.loc[table["mechanism"] == ORACLE.mechanism, "label"])


def describe_protocol(study: Study) -> dict[str, str]:
    """Return what a table depends on, each part in a sentence, by its heading."""
    how = study.protocol.explain(study)
    return {
        "Data sets": f"{len(study.datasets)}: {', '.join(study.datasets)}.",
        "Methods": f"{', '.join(map(_name_method, study.methods))}.",
        "Splits": how["Splits"],
        "Labels": how["Labels"],
        "Prior": _describe_prior(study),
        "Oracle": "Rows marked as such were fitted on the truth, once for each split; they "
        "are a ceiling and take no part in ranks and tests.",
        "Seeds": how["Seeds"],
        "Time": f"A fit is given up after {study.timeout:g} s; seconds are those of a fit on "
        "one thread.",
    }


def _name_method(method: MethodSpec) -> str:
    """Return a method's label, with what sets it apart from its entry in the registry."""
    notes = [] if method.label == method.name else [method.name]
    notes += [f"{key}={value}" for key, value in method.params.items()]
    notes += [] if method.repeats is None else [f"{method.repeats} repeats"]
    return f"{method.label} ({', '.join(notes)})" if notes else method.label


def _describe_prior(study: Study) -> str:
    given = "The true prior of the training rows is given to each method that takes one"
    if study.prior_factors == (1.0,):
        return f"{given}."
    factors = ", ".join(f"{factor:g}" for factor in study.prior_factors)
    return (
        f"{given}, multiplied by {factors}, but never below the share of rows that are labeled "
        f"nor above {MAX_PRIOR:g}; tables and tests use factor 1."
    )
