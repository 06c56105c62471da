"""Estimators of the prior by their names."""

import inspect
from typing import Any, TypeGuard

from lopsided._terminal import quote
from lopsided._validation import check_choice, check_prior
from lopsided.priors.auto import AutoPrior
from lopsided.priors.bbe import BBEPrior
from lopsided.priors.belief import Beta
from lopsided.priors.dedpul import DEDPULPrior
from lopsided.priors.elkan_noto import ElkanNotoPrior
from lopsided.priors.km2 import KM2Prior
from lopsided.priors.protocol import PriorEstimator
from lopsided.priors.pulscar import PULSCARPrior
from lopsided.priors.tail_ratio import TailRatioPrior
from lopsided.priors.tice import TIcEPrior
from lopsided.priors.twice_labeled import TwiceLabeledPrior

__all__ = [
    "build_prior",
    "check_belief",
    "choose_prior",
    "is_estimated",
    "list_priors",
    "name_of_prior",
    "resolve_prior",
]

_ESTIMATORS: dict[str, Any] = {
    "auto": AutoPrior,
    "elkan-noto": ElkanNotoPrior,
    "tail-ratio": TailRatioPrior,
    "dedpul": DEDPULPrior,
    "bbe": BBEPrior,
    "tice": TIcEPrior,
    "km2": KM2Prior,
    "pulscar": PULSCARPrior,
    "twice-labeled": TwiceLabeledPrior,
}


def list_priors() -> list[str]:
    """Return the names of the estimators of the prior.

    Examples
    --------
    >>> list_priors()[:3]
    ['auto', 'elkan-noto', 'tail-ratio']
    """
    return list(_ESTIMATORS)


def build_prior(name: str, **params: Any) -> PriorEstimator:
    """Return an estimator of the prior by its name.

    Parameters
    ----------
    name : str
        One of `list_priors()`.
    **params
        Parameters of the estimator.

    Returns
    -------
    PriorEstimator

    Examples
    --------
    >>> build_prior("bbe", delta=0.2)
    BBEPrior(delta=0.2, gamma=0.01)
    """
    estimator: PriorEstimator = _ESTIMATORS[check_choice(name, _ESTIMATORS, "prior")](**params)
    return estimator


def name_of_prior(method: Any) -> str:
    """Return what an estimator is called: in the list, or else its class."""
    if isinstance(method, str):
        return method
    known = (name for name, own in _ESTIMATORS.items() if type(method) is own)
    return next(known, type(method).__name__)


def resolve_prior(method: Any) -> PriorEstimator:
    """Return an estimator, named or given."""
    if isinstance(method, str):
        return build_prior(method)
    if isinstance(method, type):
        raise ValueError(
            f"An estimator of the prior must be made, got the class {method.__name__}. Write "
            f"{method.__name__}()."
        )
    if isinstance(method, Beta):
        raise ValueError(
            f"A prior must be a share or an estimator of it, got {quote(method)}, a belief on "
            f"the label frequency. Pass AutoPrior({quote(method)})."
        )
    if not isinstance(method, PriorEstimator) or not _takes_labels(method):
        raise ValueError(
            "An estimator of the prior must be a name or have estimate(scores, y, rng, X, "
            f"weight), got {quote(method)}. Choose from {', '.join(list_priors())}."
        )
    if hasattr(method, "check"):  # its settings, before anything is fitted
        method.check()
    return method


def is_estimated(prior: Any) -> TypeGuard[str | PriorEstimator]:
    """Say whether a `prior` is to be estimated, and so what `resolve_prior` has to look at."""
    return isinstance(prior, (str, PriorEstimator, Beta))


def check_belief(label_frequency: Any, prior: Any = None) -> Beta:
    """Return a belief on the label frequency; there must be no prior beside it."""
    if not isinstance(label_frequency, Beta):
        raise ValueError(
            "label_frequency must be a belief on the share of the positives that are labeled, "
            f"such as Beta.around(0.05), got {quote(label_frequency)}."
        )
    if prior is not None:
        raise ValueError(
            "Either prior=... or label_frequency=... must be given, got both. Leave out the "
            "prior to have it estimated with that belief."
        )
    return label_frequency


def choose_prior(prior: Any, label_frequency: Beta | None) -> float | AutoPrior | None:
    """Return what a method is fitted with: a number, an estimator with a belief, or nothing.

    Parameters
    ----------
    prior : float, estimate or None
        The share of positives, if it is known.
    label_frequency : Beta or None
        A belief on the label frequency, to estimate the share with; not beside a prior.
    """
    if label_frequency is not None:
        return AutoPrior(check_belief(label_frequency, prior))
    if prior is None:
        return None
    if is_estimated(prior):
        raise ValueError(
            f"prior must be a number between 0 and 1, got {quote(prior)}. Leave it out to have "
            "it estimated, with what you believe of the label frequency (label_frequency=...)."
        )
    return check_prior(prior, 0.0)


def _takes_labels(method: PriorEstimator) -> bool:
    """Say whether an estimator can be asked as all are."""
    try:
        inspect.signature(method.estimate).bind("scores", "y", "rng", "X", "weight")
    except TypeError:
        return False
    return True
