"""Boosting where each of several workers has some of the rows, by any engine that joins them.

What a single machine learns of a table at a glance comes as a `TableSummary`. From there on
workers share sums alone: XGBoost its histograms, the objective one number a round.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from lopsided._rows import TrainingRows
from lopsided._terminal import quote
from lopsided._validation import as_generator, require
from lopsided.methods._categories import LevelMap
from lopsided.methods._label_totals import LabelTotals, check_local, weighs_by_label
from lopsided.methods._objective import fused_objective
from lopsided.methods._shapley import find_typical_row
from lopsided.methods.base import PUClassifier
from lopsided.methods.boosting import CURVATURE_FLOOR, MEAN_ROWS, BoostedRiskClassifier
from lopsided.methods.checkpoint import Checkpoint, list_facts
from lopsided.methods.registry import build, check_ranks
from lopsided.methods.table_summary import TableSummary, check_part
from lopsided.risks import Risk

__all__ = [
    "BoostingPlan",
    "PartObjective",
    "as_method",
    "know_columns",
    "plan_boosting",
    "sum_over_workers",
]

# Takes XGBoost's parameters, a number of rounds and the trees to start from, or None.
Train = Callable[[dict[str, Any], int, Any], Any]


def sum_over_workers(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum of an array over all workers of XGBoost's collective, who all call it."""
    collective = require("xgboost").collective
    return collective.allreduce(np.ascontiguousarray(values), collective.Op.SUM)


def as_method(method: Any, prior: Any = None, random_state: Any = None) -> PUClassifier:
    """Return an unfitted method from a name of the registry or a method, of which it is a copy.

    A prior or a seed that is not None replaces the method's own.
    """
    if isinstance(method, str):
        model = build(check_ranks(method), **({} if prior is None else {"prior": prior}))
    elif isinstance(method, PUClassifier):
        model = clone(method)
        if prior is not None:
            model.set_params(prior=prior)
    else:
        raise ValueError(
            f"method must be a name of list_methods() or a method, got {quote(method)}."
        )
    return model if random_state is None else model.set_params(random_state=random_state)


@dataclass
class PartObjective:
    """The objective of a risk for a worker that finds its rows' labels in a DMatrix.

    Every worker builds it at its first round and calls `reduce` then, and once a round, also
    with no labeled row or no row. It can be pickled.
    """

    risk: Risk
    prior: float
    scale: float
    reduce: Any = sum_over_workers
    n_threads: int | None = None  # None is what XGBoost has been told of, as Dask's workers do
    _built: Any = field(default_factory=WeakKeyDictionary, repr=False, compare=False)

    def __call__(self, scores: NDArray[Any], matrix: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return gradient and curvature of this worker's rows."""
        if matrix not in self._built:
            self._built[matrix] = fused_objective(
                self.risk,
                _rows_of(matrix),
                self.prior,
                self.scale,
                CURVATURE_FLOOR,
                reduce=self.reduce,
                n_threads=self.n_threads or _configured_threads(),
            )
        return self._built[matrix](scores, matrix)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_built": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _built=WeakKeyDictionary())


def _configured_threads() -> int:
    """Return the threads that XGBoost's configuration gives a worker, 1 where it is silent."""
    return max(1, int(require("xgboost").get_config().get("nthread") or 1))


def _rows_of(matrix: Any) -> TrainingRows:
    """Return the labels and weights of a DMatrix as rows without columns."""
    labels = matrix.get_label().astype(np.int8)
    weight = matrix.get_weight().astype(np.float64)
    y, reviewed = np.maximum(labels, 0), labels == -1
    return TrainingRows(None, y, weight if len(weight) else np.ones(len(y)), reviewed)


@dataclass(frozen=True)
class BoostingPlan:
    """All that workers need to boost trees together, and to make a model of them.

    Attributes
    ----------
    model : BoostedRiskClassifier
        Knows its columns, prior and risk, and has no trees yet.
    params : dict
        Parameters under XGBoost's names.
    totals : LabelTotals
        The weight of each label in the whole table.
    unweighted : bool
        Whether every row weighs 1.
    checksum : int
        Another one for another table.
    head : data frame or array
        Some rows of the table.
    """

    model: BoostedRiskClassifier
    params: dict[str, Any]
    totals: LabelTotals
    unweighted: bool
    checksum: int
    head: Any = field(repr=False)

    @property
    def n_estimators(self) -> int:
        """The number of rounds."""
        return int(self.model.n_estimators)

    @property
    def feature_types(self) -> list[str] | None:
        """Which columns are numbers and which categories, as XGBoost writes it."""
        return self.model._feature_types()

    def objective(self, reduce: Any = sum_over_workers) -> PartObjective:
        """Return the objective that every worker calls on its own rows."""
        scale = self.model.gradient_scale * self.totals.weight
        n_threads = self.params.get("nthread")
        return PartObjective(self.model.risk_, self.model.prior_, scale, reduce, n_threads)

    def boost(self, train: Train, checkpoint: Checkpoint | None = None) -> Any:
        """Return a booster of all rounds: in one go, or in steps with a file after each.

        `train(params, n_rounds, booster)` adds rounds to a booster, or starts one for None.
        """
        if checkpoint is None:
            return train(self.params, self.n_estimators, None)
        params = {**self.params, "seed_per_iteration": 1}

        def add(n_rounds: int, booster: Any) -> Any:
            return train(params, n_rounds, booster) if n_rounds else booster

        facts = list_facts(self.model, params, str(self.checksum))
        return checkpoint.boost(add, self.n_estimators, facts)

    def encode(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32] | None]:
        """Return a part as XGBoost reads it: numbers, labels, and weights where they differ."""
        X, labels, weight = check_part(X, y, sample_weight)
        shape = (len(labels), self.model.n_features_in_)
        numbers = self.model._numbers(X, reset=False) if len(labels) else np.empty(shape)
        trained = self.model._as_trained(numbers).astype(np.float32)
        weights = None if self.unweighted else weight.astype(np.float32)
        return trained, labels.astype(np.float32), weights

    def matrix(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Return this worker's rows in bins that all workers agree on."""
        numbers, labels, weight = self.encode(X, y, sample_weight)
        return require("xgboost").QuantileDMatrix(
            numbers,
            label=labels,
            weight=weight,
            max_bin=self.model.max_bin,
            nthread=self.params.get("nthread"),
            feature_types=self.feature_types,
            enable_categorical=True,
        )

    def finish(self, booster: Any) -> BoostedRiskClassifier:
        """Return the fitted model that the trees make."""
        model = self.model
        model.booster_ = booster
        model.n_estimators_ = booster.num_boosted_rounds()
        some = model._numbers(self.head, reset=False)
        model.typical_row_ = find_typical_row(some, np.ones(len(some)), model.categorical_)
        few = some[:: -(-len(some) // MEAN_ROWS)]
        model.mean_terms_ = model._terms(model._matrix(few)).mean(axis=0)
        model._advise()
        return model


def know_columns(model: PUClassifier, summary: TableSummary) -> PUClassifier:
    """Let a method know what `fit` would learn of the columns of the whole table."""
    levels, names = summary.category_levels, summary.names
    model.category_levels_ = levels
    model.categorical_ = tuple(
        place for place, name in enumerate(names or ()) if name in levels
    )
    model.n_features_in_ = summary.n_columns
    if names is not None and all(isinstance(name, str) for name in names):
        model.feature_names_in_ = np.array(names, dtype=object)
    model.classes_ = np.array([0, 1])
    return model


def plan_boosting(
    model: BoostedRiskClassifier, summary: TableSummary, sample: TrainingRows | None = None
) -> BoostingPlan:
    """Return what workers need to fit a boosted method on a table in parts.

    Parameters
    ----------
    model : BoostedRiskClassifier
        Unfitted; it becomes the plan's.
    summary : TableSummary
        Of all rows.
    sample : TrainingRows or None, default=None
        Rows that stand for the table, as `know_columns` encodes them: an estimated prior is
        estimated from them.

    Returns
    -------
    BoostingPlan
    """
    if model.early_stopping_rounds is not None:
        raise ValueError(
            "On several workers, early_stopping_rounds must be None, got "
            f"{quote(model.early_stopping_rounds)}. Choose n_estimators on a sample."
        )
    summary.check(model._min_labeled)
    know_columns(model, summary)
    rows = summary.as_rows()
    model._check_settings(rows.X)
    model.risk_ = model._checked_risk()
    if not weighs_by_label(model.risk_):
        check_local(model.risk_, sum_over_workers)
    rng = as_generator(model.random_state)
    model.prior_ = model._settle_prior(rows if sample is None else sample, rng)
    model.zeros_are_absent_ = False
    model.level_maps_ = {
        place: _all_seen(n_levels) for place, n_levels in model._levels().items()
    }
    totals = LabelTotals(*(summary.weights[label] for label in (0, 1, -1)))
    start = totals.fit_intercept_only(model.risk_, model.prior_)
    params = model._params(int(rng.integers(2**31)), start)
    if model.n_jobs is None:
        del params["nthread"]  # as many as an engine gives its worker
    return BoostingPlan(
        model, params, totals, summary.unweighted, summary.checksum, summary.head
    )


def _all_seen(n_levels: int) -> LevelMap:
    """Return the codes of a column whose levels all have rows."""
    return LevelMap(np.append(np.arange(n_levels, dtype=np.float64), np.nan), n_levels)
