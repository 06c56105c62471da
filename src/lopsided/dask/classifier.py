"""A method on a Dask collection, with the face of a scikit-learn classifier."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from lopsided._files import check_no_file
from lopsided._validation import as_generator, check_count, require
from lopsided._warnings import warn
from lopsided.dask.failures import naming_failures
from lopsided.dask.partitions import as_parts, compute, find_client
from lopsided.dask.scoring import map_scores
from lopsided.dask.training import boost, draw_sample, summarize
from lopsided.methods.base import PUClassifier
from lopsided.methods.boosting import BoostedRiskClassifier
from lopsided.methods.checkpoint import SEEDLESS, Checkpoint
from lopsided.methods.distributed import as_method, know_columns, plan_boosting
from lopsided.methods.row_sample import SAMPLE_SIZE, RowSample
from lopsided.methods.table_summary import TableSummary
from lopsided.priors.estimation import PriorLike
from lopsided.priors.registry import is_estimated

__all__ = ["DaskPUClassifier"]


@dataclass(eq=False, repr=False)
class DaskPUClassifier(ClassifierMixin, BaseEstimator):
    """Fit a method on a Dask collection, and score collections by it.

    A boosted method, such as "focused-xgb", learns from all rows where they are, through
    `xgboost.dask`: a risk needs sums over all rows, and gets them by one number that workers
    exchange each round, so that the model is that of one machine, wherever the labeled rows
    are. Two things differ: XGBoost sketches the bins of columns with very many values, and
    row samples (`subsample`) are drawn on each worker.

    Any other method, such as "focused", is fitted by one worker on all labeled and reviewed
    rows and a sample of the unlabeled ones, which weigh as all of them do; a warning says so.

    Parameters
    ----------
    method : str or PUClassifier, default="focused-xgb"
        A name of `lopsided.list_methods()` or a method, of which a copy is fitted.
    prior : float, str, estimator or None, default=None
        P(y_true = 1) in the whole table; None is the method's own. One that is to be estimated
        ("auto") is estimated by one worker from the sample, as a single machine does it.
    sample_size : int, default=200_000
        Unlabeled rows in the sample, drawn at random from all partitions.
    checkpoint : path or None, default=None
        Folder for the trees of a boosted fit under way, on the disk of this process. A fit that
        was stopped goes on from there to the same model; it takes a `random_state` for that.
    checkpoint_every : int, default=10
        Rounds between two checkpoints. With one, samples of rows and columns are drawn anew
        after each, so that models differ from those without where a method draws any.
    client : distributed.Client or None, default=None
        The cluster; None is the current client.
    random_state : int or None, default=None
        Seed of the sample and of the fit; None is the method's own. With a seed or a
        checkpoint, partitions go to workers by their order, so that another fit by as many
        workers has the same model; without, they stay where they are.

    Attributes
    ----------
    estimator_ : PUClassifier
        The fitted method, as `to_local` returns it.
    classes_ : ndarray of shape (2,)
        Always 0 and 1.
    prior_ : float
        The prior in use.
    n_features_in_ : int
        Number of columns.

    Examples
    --------
    >>> from lopsided.dask import DaskPUClassifier
    >>> DaskPUClassifier("ifpu-xgb", prior=0.01).method
    'ifpu-xgb'
    """

    method: Any = "focused-xgb"
    prior: PriorLike | None = None
    sample_size: int = SAMPLE_SIZE
    checkpoint: Any = None
    checkpoint_every: int = 10
    client: Any = None
    random_state: Any = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "DaskPUClassifier":
        """Learn from labeled positives and unlabeled rows.

        Parameters
        ----------
        X : Dask data frame or array of shape (n_rows, n_features)
            Numbers, NaN and categories; partitions may declare other categories. It is read
            twice, and once more where a prior is estimated: `persist` it where that costs more
            than memory.
        y : Dask series or array of shape (n_rows,)
            1 = labeled positive, 0 = unlabeled, -1 = reviewed negative.
        sample_weight : Dask series or array of shape (n_rows,), optional
            Weights of the rows; 2 counts a row twice.

        Returns
        -------
        self
        """
        client, saved = find_client(self.client), self._checkpoint()
        check_count(self.sample_size, "sample_size")
        model = as_method(self.method, self.prior, self.random_state)
        if saved is not None and not isinstance(model, BoostedRiskClassifier):
            raise ValueError(
                "checkpoint must be None for a method that is fitted on a sample, got one for "
                f"{type(model).__name__}. Leave it out, or take a boosted method such as "
                "focused-xgb."
            )
        if saved is not None and model.random_state is None:
            raise ValueError(SEEDLESS)
        parts = as_parts(X, y, sample_weight)
        summary = summarize(parts, client)
        if isinstance(model, BoostedRiskClassifier):
            sample = None
            summary.check()
            if model.needs_prior() and is_estimated(model.prior):
                sample = self._draw(parts)
            plan = self._on_worker(client, _plan, model, summary, sample)
            self.estimator_: PUClassifier = boost(plan, parts, client, saved)
        else:
            summary.check()
            self._warn_of_sample(model, summary)
            drawn = self._draw(parts)
            self.estimator_ = self._on_worker(client, _fit_sample, model, summary, drawn)
        return self

    def _checkpoint(self) -> Checkpoint | None:
        if self.checkpoint is None:
            return None
        check_no_file(self.checkpoint, " for the checkpoint")
        return Checkpoint(
            self.checkpoint, check_count(self.checkpoint_every, "checkpoint_every")
        )

    def _draw(self, parts: list[Any]) -> Any:
        seed = 0 if self.random_state is None else as_generator(self.random_state)
        number = seed if isinstance(seed, int) else int(seed.integers(2**31))
        return draw_sample(parts, int(self.sample_size), number)

    def _on_worker(self, client: Any, function: Any, *given: Any) -> Any:
        """Return what one worker makes, with the warnings that it met."""
        with naming_failures("while it fitted the sample"):
            task = require("dask").delayed(_noting)(function, *given)
            made, notes = compute(client, task)
        for category, text in notes:
            warn(text, category)
        return made

    def _warn_of_sample(self, model: PUClassifier, summary: TableSummary) -> None:
        n_sampled, n_rows = min(self.sample_size, summary.counts[0]), summary.counts[0]
        warn(
            f"{type(model).__name__} is fitted on one worker, on all {summary.counts[1]} "
            f"labeled rows and {n_sampled} of {n_rows} unlabeled ones, which weigh as all of "
            "them; a boosted method such as focused-xgb learns from every row.",
        )

    def decision_function(self, X: Any) -> Any:
        """Return one score per row, lazily: larger is more positive, 0 is the boundary.

        Parameters
        ----------
        X : Dask data frame or array of shape (n_rows, n_features)
            Columns as in `fit`.

        Returns
        -------
        Dask series or array of shape (n_rows,)
            With the partitions, and the index, of X.
        """
        check_is_fitted(self)
        return map_scores(self.estimator_, X, self.client, "decision_function")

    def predict_proba(self, X: Any) -> Any:
        """Return the probability of each class, lazily; parameters as in `decision_function`.

        Returns
        -------
        Dask data frame with columns 0 and 1, or array of shape (n_rows, 2)
        """
        check_is_fitted(self)
        return map_scores(self.estimator_, X, self.client, "predict_proba")

    def predict(self, X: Any) -> Any:
        """Return 1 where the score is above 0, else 0, lazily. Where positives are rare, rank.

        Parameters are those of `decision_function`.
        """
        check_is_fitted(self)
        return map_scores(self.estimator_, X, self.client, "predict")

    def to_local(self) -> PUClassifier:
        """Return the fitted method, which needs no Dask, and which `lopsided.save` writes."""
        check_is_fitted(self)
        return self.estimator_

    @property
    def classes_(self) -> Any:
        """The classes, 0 and 1."""
        return self.to_local().classes_

    @property
    def prior_(self) -> float:
        """The prior in use."""
        return self.to_local().prior_

    @property
    def n_features_in_(self) -> int:
        """The number of columns."""
        return self.to_local().n_features_in_

    def __sklearn_clone__(self) -> "DaskPUClassifier":
        """Return an unfitted copy with the same client, which cannot be copied."""
        params = self.get_params(deep=False)
        client = params.pop("client")
        copies = {name: clone(value, safe=False) for name, value in params.items()}
        return type(self)(**copies, client=client)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "estimator_")


def _plan(model: Any, summary: TableSummary, sample: RowSample | None) -> Any:
    rows = None if sample is None else sample.rows(know_columns(model, summary), summary)
    return plan_boosting(model, summary, rows)


def _fit_sample(model: Any, summary: TableSummary, sample: RowSample) -> Any:
    weight = sample.sample_weight
    weights = {} if np.all(weight == 1) else {"sample_weight": weight}
    return model.fit(sample.table(summary), sample.labels, **weights)


def _noting(function: Any, *given: Any) -> tuple[Any, list[tuple[type[Warning], str]]]:
    """Return a result and the warnings on the way to it, which would be lost on a worker."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = function(*given)
    known = [one for one in caught if issubclass(one.category, UserWarning)]
    return made, [(one.category, str(one.message)) for one in known]
