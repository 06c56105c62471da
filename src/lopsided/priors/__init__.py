"""Estimators of the prior, the share of positives, from labels and out-of-fold scores."""

from lopsided.priors.auto import AutoPrior, LabelFrequencyPosterior
from lopsided.priors.bbe import BBEPrior
from lopsided.priors.belief import Beta
from lopsided.priors.dedpul import DEDPULPrior
from lopsided.priors.elkan_noto import ElkanNotoPrior
from lopsided.priors.estimation import PriorEstimate, estimate_prior
from lopsided.priors.km2 import KM2Prior
from lopsided.priors.protocol import PriorEstimator
from lopsided.priors.pulscar import PULSCARPrior
from lopsided.priors.registry import build_prior, list_priors
from lopsided.priors.tail_ratio import TailRatioPrior
from lopsided.priors.tice import TIcEPrior
from lopsided.priors.twice_labeled import TwiceLabeledPrior

__all__ = [
    "AutoPrior",
    "BBEPrior",
    "Beta",
    "DEDPULPrior",
    "ElkanNotoPrior",
    "KM2Prior",
    "LabelFrequencyPosterior",
    "PULSCARPrior",
    "PriorEstimate",
    "PriorEstimator",
    "TIcEPrior",
    "TailRatioPrior",
    "TwiceLabeledPrior",
    "build_prior",
    "estimate_prior",
    "list_priors",
]
