"""The protocol of a study in sentences."""

from lopsided.bench.display_names import name_setting
from lopsided.bench.study import MAX_PRIOR, MethodSpec, Study

__all__ = ["describe_protocol"]


def describe_protocol(study: Study) -> dict[str, str]:
    """Return what a table depends on, each part in a sentence, by its heading.

    Parameters
    ----------
    study : Study
        The protocol.
    """
    settings = [name_setting(*setting) for setting in study.settings]
    return {
        "Data sets": f"{len(study.datasets)}: {', '.join(study.datasets)}.",
        "Methods": f"{', '.join(map(_name_method, study.methods))}.",
        "Splits": f"{study.repeats} of each data set, the first is number {study.first}; "
        f"{100 * study.test_share:g} % of the rows are tested on, stratified by the truth. "
        "Every method meets the same rows and labels.",
        "Labels": "Positives of the training rows keep their label as named: "
        f"{', '.join(settings)}. SCAR hides all alike, SAR near hides those that look "
        "like negatives more often, SAR far less often. Test rows are measured by the truth.",
        "Prior": _describe_prior(study),
        "Oracle": "Rows marked as such were fitted on the truth, once for each split; they "
        "are a ceiling and take no part in ranks and tests.",
        "Seeds": f"All are derived from the study's seed, {study.seed}: that of a split adds "
        "data set and repeat, that of the labels the mechanism, that of a fit the method.",
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
