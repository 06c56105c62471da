"""An estimator that a search fits on parts of a table as on the whole of it."""

from typing import Any, Self

from sklearn.base import BaseEstimator, clone
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

from lopsided._validation import is_real
from lopsided.model_selection._prior_of_parts import LabelSums, is_two_sample, needs_prior
from lopsided.model_selection.out_of_fold import takes_groups
from lopsided.priors.registry import is_estimated


class PartFit(BaseEstimator):
    """An estimator with its own parameters, fitted with the groups and the prior of a part.

    scikit-learn's searches keep groups for the splitter; as `row_groups` they come through to
    the fit. A prior that is a number is that of the whole table: each part gets its labeled
    rows, and its share of the hidden positives.
    """

    __metadata_request__fit = {"row_groups": True}  # noqa: RUF012 - as scikit-learn reads it

    def __init__(self, estimator: Any, whole: LabelSums) -> None:
        self.estimator = estimator
        self.whole = whole

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters of the estimator, which are all that a search knows."""
        params: dict[str, Any] = self.estimator.get_params(deep)
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters of the estimator."""
        self.estimator.set_params(**params)
        return self

    def fit(self, X: Any, y: Any, row_groups: Any = None, **fit_params: Any) -> Self:
        """Fit the estimator on a part."""
        if row_groups is not None and takes_groups(self.estimator):
            fit_params["groups"] = row_groups
        part = LabelSums.of(y, fit_params.get("sample_weight"))
        if part != self.whole and needs_prior(self.estimator):
            self._adapt_prior(part)
        self.estimator.fit(X, y, **fit_params)
        return self

    def _adapt_prior(self, part: LabelSums) -> None:
        given = self.estimator.prior
        if is_estimated(given):  # from the part
            return
        prior = getattr(given, "value", given)
        # What is no prior the method says itself.
        if is_real(prior) and 0 < prior < 1 and not is_two_sample(self.estimator):
            self.estimator.set_params(prior=part.prior(self.whole.hidden_rate(prior)))

    def get_metadata_routing(self) -> MetadataRouter:
        """Return what the estimator asks for, and the groups."""
        router = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        to_fit = MethodMapping().add(caller="fit", callee="fit")
        return router.add(estimator=self.estimator, method_mapping=to_fit)

    def __sklearn_clone__(self) -> Self:
        return type(self)(clone(self.estimator), self.whole)

    def __sklearn_tags__(self) -> Any:
        return get_tags(self.estimator)
