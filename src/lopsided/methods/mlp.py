"""A neural network on any PU risk."""

from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from lopsided._check import check_count, require
from lopsided.methods._encoders import fit_numeric_encoder
from lopsided.methods._rows import TrainingRows
from lopsided.methods.base import Accepts, PUClassifier
from lopsided.risks import Risk, check_risk, ifpu

__all__ = ["NeuralRiskClassifier"]

_ENOUGH_LABELS = 20  # fewer cannot spare any to be watched


class NeuralRiskClassifier(PUClassifier):
    """Train a net of fully connected layers on a PU risk.

    Columns are standardized, missing values imputed with flags and categories spread out, all
    inside the estimator. Every mini-batch holds labeled rows. With `GradientAscent` as its
    clamp, a risk is lowered by algorithm 1 of the papers: where the negative part of a batch
    sinks below zero, the step goes up along that part alone.

    Parameters
    ----------
    risk : Risk or None, default=None
        What to lower; None is `ifpu()`, the focused PU risk.
    prior : float or None, default=None
        P(y_true = 1) in the whole table; None guesses twice the labeled share.
    widths : int or sequence of int, default=(300, 300, 300, 300)
        Units of each hidden layer.
    n_steps : int, default=200
        Steps of training, rounded up to whole epochs.
    batch_size : int, default=256
        Rows of a batch, about.
    learning_rate, weight_decay : float, default=1e-3 and 0.05
        Of Adam; the rate sinks from epoch to epoch, the decay is added to the gradient.
    patience : int or None, default=None
        Stop when the risk of held-out rows has not sunk for so many epochs, and keep the net of
        the best. None runs all steps, and so do fewer than 20 labeled rows.
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
        Epochs whose result was kept.
    risk_ : Risk
        The risk that was lowered.

    References
    ----------
    Kiryo, Niu, du Plessis, Sugiyama: Positive-unlabeled learning with non-negative risk
    estimator. NeurIPS 2017. Zavitsanos, Paliouras: Focused PU learning from imbalanced data.
    """

    _accepts: ClassVar[Accepts] = Accepts(nan=True, categories=True)

    def __init__(
        self,
        risk=None,
        prior=None,
        widths=(300, 300, 300, 300),
        n_steps=200,
        batch_size=256,
        learning_rate=1e-3,
        weight_decay=0.05,
        patience=None,
        validation_fraction=0.2,
        device=None,
        n_jobs=None,
        random_state=None,
    ):
        self.risk = risk
        self.prior = prior
        self.widths = widths
        self.n_steps = n_steps
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.patience = patience
        self.validation_fraction = validation_fraction
        self.device = device
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _needs_prior(self) -> bool:
        return self._risk().needs_prior

    def _scenario(self) -> str:
        return getattr(self._risk(), "scenario", "one-sample")

    def _risk(self) -> Risk:
        return check_risk(self.risk, default=ifpu())

    def _fit(self, rows: TrainingRows, rng: np.random.Generator) -> None:
        X, y, weight = rows.X, rows.y, rows.weight
        torch = require("torch")
        from lopsided.nets.devices import pick_device, threads
        from lopsided.nets.mlp import MLP
        from lopsided.nets.train import Rows, Schedule, train

        self._check_settings()
        self.risk_ = self._risk()
        self.risk_.check()
        self.encoder_ = fit_numeric_encoder(X, self._levels(), weight)
        generator = torch.Generator().manual_seed(int(rng.integers(2**63)))
        start = self.risk_.fit_intercept_only(y, self.prior_, weight)
        net = MLP(self.encoder_.n_columns, self._widths(), start, generator)
        net.to(pick_device(self.device))
        schedule = Schedule(
            self.n_steps,
            self.batch_size,
            self.learning_rate,
            self.weight_decay,
            1 if self.patience is None else self.patience,
        )
        rows, watched = self._split(y, rng)
        inputs = self.encoder_.transform(X)

        def part(of: Any) -> Rows:
            return Rows(inputs[of], y[of], None if weight is None else weight[of])

        with threads(self._n_threads()):
            self.n_epochs_ = train(
                net,
                self.risk_.take(rows),
                part(rows),
                self.prior_,
                schedule,
                rng,
                None if watched is None else (self.risk_.take(watched), part(watched)),
            )
        self.net_ = net.cpu().double().eval()  # a row's score then hardly depends on its batch

    def _split(self, y: NDArray[np.int8], rng: np.random.Generator) -> tuple[Any, Any]:
        """Return the rows to train on, and those to watch or None."""
        everything = np.arange(len(y))
        held_out = self.validation_fraction * min(y.sum(), (y == 0).sum())
        if self.patience is None or y.sum() < _ENOUGH_LABELS or held_out < 1:
            return everything, None
        rows, watched = train_test_split(
            everything,
            test_size=self.validation_fraction,
            stratify=y,
            random_state=int(rng.integers(2**31)),
        )
        return rows, watched

    def _widths(self) -> tuple[int, ...]:
        return tuple(self.widths) if isinstance(self.widths, Iterable) else (self.widths,)

    def _check_settings(self) -> None:
        check_count(self.n_steps, "n_steps")
        check_count(self.batch_size, "batch_size", least=2)
        if self.patience is not None:
            check_count(self.patience, "patience")
        for width in self._widths():
            check_count(width, "Each of widths")
        if not 0 < self.validation_fraction < 1:
            raise ValueError(
                "validation_fraction must lie between 0 and 1, got "
                f"{self.validation_fraction!r}."
            )

    def _scores(self, X: Any) -> Any:
        require("torch")
        from lopsided.nets.devices import scores_of, threads

        with threads(self._n_threads()):
            scores = scores_of(self.net_, self.encoder_.transform(X))
        return self.risk_.log_odds(scores, self.prior_)
