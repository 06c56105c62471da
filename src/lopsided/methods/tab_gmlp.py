"""A transformer over categories and gMLP blocks over all columns, on any PU risk."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from lopsided._rows import TrainingRows
from lopsided._validation import check_choice, check_count, check_optimizer, require
from lopsided.losses import CalibratedFocalLoss
from lopsided.methods._encoders import OrdinalEncoder, fit_ordinal_encoder
from lopsided.methods._risk_classifier import RiskClassifier, check_hold_out, hold_out
from lopsided.methods.base import Accepts
from lopsided.priors.estimation import PriorLike
from lopsided.risks import Risk, nnpu

__all__ = ["TabGMLPClassifier"]


@dataclass(eq=False, repr=False)
class TabGMLPClassifier(RiskClassifier):
    """Train a net that reads columns as tokens on a PU risk.

    Each category has a learned vector, and a small transformer lets the categories of a row see
    each other. Joined with the numbers they pass through gMLP blocks, in which tokens gate each
    other, and the mean token gives the score. Numbers are winsorized at 1 and 99 %,
    standardized, and imputed by the median with flags, all inside the estimator; columns with
    long tails are the better for a logarithm before. Every mini-batch holds labeled rows.

    Parameters
    ----------
    risk : Risk or None, default=None
        What to lower; None is the focused PU risk with the calibrated focal loss.
    prior : float, estimate, estimator or "auto", default="auto"
        P(y_true = 1) in the whole table; "auto" estimates it, see `lopsided.priors`.
    tokenizer : {"columns", "scalars"}, default="columns"
        What a token of the gMLP is: a category in context or a number with vectors of its own,
        or, slower, each scalar of all these laid side by side.
    depth : int, default=2
        Layers of the transformer over the categories; 0 leaves their vectors as they are.
    n_blocks : int, default=4
        Blocks of the gMLP.
    n_epochs : int, default=15
        Rounds over all rows.
    batch_size : int, default=512
        Rows of a batch, about.
    learning_rate, weight_decay : float, default=1e-3 and 1e-4
        Of AdamW; the rate sinks along half a cosine.
    patience : int or None, default=None
        Stop when the average precision of the labels of held-out rows has not risen for so many
        epochs, then train anew on all rows up to the best epoch. Several nets are judged by
        their mean score, and share that epoch. None runs all epochs, and so do fewer than 4
        labeled rows among those held out.
    validation : {"random", "last"}, default="random"
        Which rows to hold out: any, or the last of the table, for one sorted by time.
    validation_fraction : float, default=0.2
        Share of the rows to hold out.
    n_estimators : int, default=1
        Nets with weights and batches of their own, whose scores are averaged.
    device : str or None, default=None
        Where to train: "cpu", "cuda"; None takes a GPU if there is one.
    n_jobs : int or None, default=None
        Threads; None is 1 and -1 is all.
    random_state : int, Generator or None, default=None
        Seed of weights, batches, dropout and random validation.

    Attributes
    ----------
    nets_ : list of torch.nn.Module
        The trained nets.
    n_epochs_ : int
        Epochs that each of them was trained for.
    risk_ : Risk
        The risk that was lowered.

    References
    ----------
    Huang, Khetan, Cvitkovic, Karnin: TabTransformer. 2020. Liu, Dai, So, Le: Pay attention to
    MLPs. NeurIPS 2021. Cholakov, Kolev: The GatedTabTransformer. 2022. Mukhoti et al.:
    Calibrating deep neural networks using focal loss. NeurIPS 2020.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame({"amount": rng.normal(size=200)})
    >>> table["kind"] = pd.Categorical(rng.choice(["fire", "water"], 200))
    >>> y = ((table["amount"] > 1) & (table["kind"] == "fire")).astype(int)
    >>> model = TabGMLPClassifier(
    ...     prior=0.15, depth=1, n_blocks=1, n_epochs=15, batch_size=64, random_state=0
    ... )
    >>> order = model.fit(table, y).decision_function(table).argsort()[::-1]
    >>> table["kind"].iloc[order[:5]].tolist()
    ['fire', 'fire', 'fire', 'fire', 'fire']
    """

    _accepts: ClassVar[Accepts] = Accepts(nan=True, categories=True)
    risk: Risk | None = None
    prior: PriorLike = "auto"
    tokenizer: Literal["columns", "scalars"] = "columns"
    depth: int = 2
    n_blocks: int = 4
    n_epochs: int = 15
    batch_size: int = 512
    learning_rate: float = 1e-3
    weight_decay: float = 1e-4
    patience: int | None = None
    validation: Literal["random", "last"] = "random"
    validation_fraction: float = 0.2
    n_estimators: int = 1
    device: str | None = None
    n_jobs: int | None = None
    random_state: Any = None

    def _default_risk(self) -> Risk:
        return nnpu(CalibratedFocalLoss())

    def _fit(self, rows: TrainingRows, rng: np.random.Generator) -> None:
        require("torch")
        from lopsided.nets.train import threads

        self._check_settings()
        self.risk_ = self._checked_risk()
        self.encoder_ = fit_ordinal_encoder(rows.X, self._levels(), rows.weight)
        self.nets_: list[Any] = []
        seeds = [int(seed) for seed in rng.integers(2**63, size=self.n_estimators)]
        with threads(self._n_threads()):
            stop = None if self.patience is None else self._choose_epochs(rows, rng)
            encoded = _encoded(rows, self.encoder_)
            for i, seed in enumerate(seeds):
                label = f"training net {i + 1} of {self.n_estimators}"
                trained = self._train(encoded, self.encoder_, [seed], label, stop=stop)
                (net,), self.n_epochs_ = trained
                # In double, so that scores hardly depend on batches.
                self.nets_.append(net.cpu().double().eval())

    def _choose_epochs(self, rows: TrainingRows, rng: np.random.Generator) -> int | None:
        """Return for how many epochs the nets rank held-out rows best; None if too few."""
        from lopsided.nets.train import LabelPrecision

        seed = int(rng.integers(2**31))
        split = hold_out(rows, self.validation_fraction, seed, self.validation)
        if split is None:
            return None
        train, held_out = split
        encoder = fit_ordinal_encoder(train.X, self._levels(), train.weight)
        _, n_epochs = self._train(
            _encoded(train, encoder),
            encoder,
            [int(seed) for seed in rng.integers(2**63, size=self.n_estimators)],
            "choosing the number of epochs",
            validation=(LabelPrecision(), _encoded(held_out, encoder)),
        )
        return n_epochs

    def _train(
        self,
        rows: TrainingRows,
        encoder: OrdinalEncoder,
        seeds: Sequence[int],
        label: str,
        **options: Any,
    ) -> tuple[list[Any], int]:
        """Return a net of each seed, trained on encoded rows, and for how many epochs."""
        import torch

        from lopsided.nets.tab_gmlp import TabGMLP
        from lopsided.nets.train import CosineSchedule, pick_device, seeded, train

        device = pick_device(self.device)
        nets = [
            TabGMLP(
                encoder.n_numbers,
                encoder.levels,
                self.risk_.fit_intercept_only(rows.labels, self.prior_, rows.weight),
                torch.Generator().manual_seed(seed),
                self.tokenizer,
                self.depth,
                self.n_blocks,
            ).to(device)
            for seed in seeds
        ]
        schedule = CosineSchedule(
            batch_size=self.batch_size,
            learning_rate=self.learning_rate,
            weight_decay=self.weight_decay,
            patience=1 if self.patience is None else self.patience,
            n_epochs=self.n_epochs,
        )
        with seeded(seeds[0], device):
            rng = np.random.default_rng(seeds[0])
            given = (nets, self.risk_, rows, self.prior_, schedule, rng)
            return nets, train(*given, label=label, **options)

    def _check_settings(self) -> None:
        from lopsided.nets.tab_gmlp import TOKENIZERS

        check_choice(self.tokenizer, TOKENIZERS, "tokenizer")
        check_hold_out(self.validation_fraction, self.validation)
        check_count(self.depth, "depth", least=0)
        check_count(self.batch_size, "batch_size", least=2)
        for name in ("n_blocks", "n_epochs", "n_estimators"):
            check_count(getattr(self, name), name)
        if self.patience is not None:
            check_count(self.patience, "patience")
        check_optimizer(self.learning_rate, self.weight_decay)

    def _scores(self, X: Any) -> Any:
        require("torch")
        from lopsided.nets.train import mean_scores, threads

        inputs = self.encoder_.transform(X)
        with threads(self._n_threads()):
            scores = mean_scores(self.nets_, inputs)
        return self.risk_.log_odds(scores, self.prior_)


def _encoded(rows: TrainingRows, encoder: OrdinalEncoder) -> TrainingRows:
    return replace(rows, X=encoder.transform(rows.X))
