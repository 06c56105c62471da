"""Reviews in rounds: which rows to look at next, what verdicts teach, and when to stop."""

from lopsided.review.batch import Batch
from lopsided.review.evidence import Audit, estimate_prior_after_reviews
from lopsided.review.loop import ReviewLoop
from lopsided.review.propensity import review_propensity, review_weights
from lopsided.review.simulation import Simulation, simulate_reviews

__all__ = [
    "Audit",
    "Batch",
    "ReviewLoop",
    "Simulation",
    "estimate_prior_after_reviews",
    "review_propensity",
    "review_weights",
    "simulate_reviews",
]
