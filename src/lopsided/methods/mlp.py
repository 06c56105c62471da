"""A neural network on any PU risk."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lopsided._rows import TrainingRows
from lopsided._validation import check_count, check_optimizer, require
from lopsided.methods._encoders import EncodedClassifier
from lopsided.methods._risk_classifier import RiskClassifier, check_hold_out, hold_out
from lopsided.priors.estimation import PriorLike
from lopsided.risks import Risk, ifpu

__all__ = ["NeuralRiskClassifier"]


@dataclass(eq=False, repr=False)
class NeuralRiskClassifier(RiskClassifier, EncodedClassifier):
    """Train a net of fully connected layers on a PU risk.

    Columns are standardized, missing values imputed with flags and categories spread out, all
    inside the estimator. Every mini-batch holds labeled rows. With `GradientAscent` as its
    clamp, a risk is lowered by algorithm 1 of the papers: where the negative part of a batch
    sinks below zero, the step goes up along that part alone.

    Parameters
    ----------
    risk : Risk or None, default=None
        What to lower; None is `ifpu()`, the focused PU risk.
    prior : float, estimate, estimator or "auto", default="auto"
        P(y_true = 1) in the whole table; "auto" estimates it, see `lopsided.priors`.
    hidden_layer_sizes : int or sequence of int, default=(300, 300, 300, 300)
        Units of each hidden layer.
    n_steps : int, default=200
        Steps of training, rounded up to whole epochs.
    batch_size : int, default=256
        Rows of a batch, about.
    learning_rate, weight_decay : float, default=1e-3 and 0.05
        Of Adam; the rate sinks from epoch to epoch, the decay is added to the gradient.
    patience : int or None, default=None
        Stop when the risk of held-out rows has not sunk for so many epochs, then train anew on
        all rows up to the best epoch. None runs all steps, and so do fewer than 4 labeled rows
        among those held out.
    validation_fraction : float, default=0.2
        Share of the rows to hold out for that.
    device : str or None, default=None
        Where to train: "cpu", "cuda"; None takes a GPU if there is one.
    n_jobs : int or None, default=None
        Threads; None is 1 and -1 is all.
    random_state : int, Generator or None, default=None
        Seed of weights and batches.

    Attributes
    ----------
    net_ : torch.nn.Module
        The trained net.
    n_epochs_ : int
        Epochs that it was trained for.
    risk_ : Risk
        The risk that was lowered.

    References
    ----------
    Kiryo, Niu, du Plessis, Sugiyama: Positive-unlabeled learning with non-negative risk
    estimator. NeurIPS 2017. Zavitsanos, Paliouras: Focused PU learning from imbalanced data.

    Examples
    --------
    >>> import numpy as np
    >>> from lopsided.risks import nnpu
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = (X[:, 0] > 1.5).astype(int)
    >>> model = NeuralRiskClassifier(
    ...     risk=nnpu(), prior=0.15, hidden_layer_sizes=16, n_steps=60, random_state=0
    ... )
    >>> bool(y[model.fit(X, y).decision_function(X).argmax()])  # a labeled row is the first
    True
    """

    risk: Risk | None = None
    prior: PriorLike = "auto"
    hidden_layer_sizes: int | Sequence[int] = (300, 300, 300, 300)
    n_steps: int = 200
    batch_size: int = 256
    learning_rate: float = 1e-3
    weight_decay: float = 0.05
    patience: int | None = None
    validation_fraction: float = 0.2
    device: str | None = None
    n_jobs: int | None = None
    random_state: Any = None

    def _default_risk(self) -> Risk:
        return ifpu()

    def _fit(self, rows: TrainingRows, rng: np.random.Generator) -> None:
        require("torch")
        from lopsided.nets.train import threads

        self._check_settings()
        self.risk_ = self._checked_risk()
        rows = self._encode(rows)
        seed, stop = int(rng.integers(2**63)), None
        with threads(self._n_threads()):
            if self.patience is not None:
                split = hold_out(rows, self.validation_fraction, int(rng.integers(2**31)))
                if split is not None:
                    train, validation = split
                    _, stop = self._train(train, seed, rng, validation=(self.risk_, validation))
            net, self.n_epochs_ = self._train(rows, seed, rng, stop=stop)
        self.net_ = net.cpu().double().eval()  # a row's score then hardly depends on its batch

    def _train(
        self, rows: TrainingRows, seed: int, rng: np.random.Generator, **options: Any
    ) -> tuple[Any, int]:
        """Return a net trained on some rows, and for how many epochs."""
        import torch

        from lopsided.nets.mlp import MLP
        from lopsided.nets.train import Schedule, pick_device, train

        start = self.risk_.fit_intercept_only(rows.labels, self.prior_, rows.weight)
        generator = torch.Generator().manual_seed(seed)
        net = MLP(self.encoder_.n_columns, self._layer_sizes(), start, generator)
        net.to(pick_device(self.device))
        schedule = Schedule(
            self.n_steps,
            self.batch_size,
            self.learning_rate,
            self.weight_decay,
            1 if self.patience is None else self.patience,
        )
        return net, train([net], self.risk_, rows, self.prior_, schedule, rng, **options)

    def _layer_sizes(self) -> tuple[int, ...]:
        sizes = self.hidden_layer_sizes
        return tuple(sizes) if isinstance(sizes, Iterable) else (sizes,)

    def _check_settings(self) -> None:
        check_count(self.n_steps, "n_steps")
        check_count(self.batch_size, "batch_size", least=2)
        if self.patience is not None:
            check_count(self.patience, "patience")
        for size in self._layer_sizes():
            check_count(size, "Each of hidden_layer_sizes")
        check_hold_out(self.validation_fraction)
        check_optimizer(self.learning_rate, self.weight_decay)

    def _scores(self, X: Any) -> Any:
        require("torch")
        from lopsided.nets.train import scores_of, threads

        with threads(self._n_threads()):
            scores = scores_of(self.net_, self.encoder_.transform(X))
        return self.risk_.log_odds(scores, self.prior_)
