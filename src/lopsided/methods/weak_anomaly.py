"""Small nets of weakly supervised anomaly detection: a few anomalies are labeled."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._rows import TrainingRows
from lopsided._terminal import quote
from lopsided._validation import check_count, check_optimizer, is_real, require
from lopsided.methods._encoders import EncodedClassifier

__all__ = ["DevNetClassifier", "PReNetClassifier"]

_COUNTS = ("width", "n_epochs", "n_batches")
_SCHEDULE = ("n_epochs", "n_batches", "batch_size", "learning_rate")


class _PooledClassifier(EncodedClassifier):
    """Base of nets that learn from equal shares of labeled and of unlabeled rows.

    Columns are scaled to 0 to 1 for the training, and the scaling then becomes a part of the
    net. Reviewed negatives are in the pool of the unlabeled rows, which are taken for negatives
    too, with half of its draws.
    """

    def _fit(self, rows: TrainingRows, rng: np.random.Generator) -> None:
        torch = require("torch")
        from lopsided.nets.one_layer import PoolSampler, UnitInterval
        from lopsided.nets.train import pick_device, threads

        self._check_settings()
        rows = self._encode(rows)
        device = pick_device(getattr(self, "device", None))
        generator = torch.Generator().manual_seed(int(rng.integers(2**63)))
        X = torch.as_tensor(rows.X, device=device)
        scaling = UnitInterval(X[torch.as_tensor(rows.weight > 0, device=device)])
        weights = [torch.as_tensor(weight) for weight in _pool_weights(rows)]
        pools = [PoolSampler(torch.arange(len(rows)), weight) for weight in weights]
        with threads(self._n_threads()):
            net = self._train(scaling.transform(X), weights, pools, generator)
        self.net_ = net.double().eval()
        scaling.move_into(self.net_.hidden)
        self.net_.cpu()

    def _train(self, X: Any, weights: Any, pools: Any, generator: Any) -> Any:
        """Return a net of one layer, trained on rows from 0 to 1."""
        raise NotImplementedError

    def _schedule(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _SCHEDULE}

    def _check_settings(self) -> None:
        for name in _COUNTS:
            check_count(getattr(self, name), name)
        check_count(getattr(self, "batch_size", None), "batch_size", least=4)
        check_optimizer(getattr(self, "learning_rate", None), getattr(self, "weight_decay", 0))

    def _scores(self, X: Any) -> Any:
        require("torch")
        from lopsided.nets.train import scores_of, threads

        with threads(self._n_threads()):
            return scores_of(self.net_, self.encoder_.transform(X))


@dataclass(eq=False, repr=False)
class DevNetClassifier(_PooledClassifier):
    """Train a net whose scores of labeled rows deviate far from a normal reference.

    Half of each batch are labeled rows, half unlabeled ones. With 5,000 draws of a standard
    normal distribution as the reference, the deviation of a score is its distance from their
    mean in standard deviations; that of unlabeled rows is drawn to 0, that of labeled rows
    above the margin. The weights after the epoch with the least loss are kept. Scores are
    deviations less half of the margin.

    Parameters
    ----------
    width : int, default=20
        Units of the hidden layer.
    margin : float, default=5
        How far labeled rows shall deviate at least.
    n_epochs, n_batches, batch_size : int, default=50, 20 and 512
        Epochs, batches of an epoch, and rows of a batch.
    learning_rate : float, default=1e-3
        Of RMSprop.
    device : str or None, default=None
        Where to train: "cpu", "cuda"; None takes a GPU if there is one.
    n_jobs : int or None, default=None
        Threads; None is 1 and -1 is all.
    random_state : int, Generator or None, default=None
        Seed of weights, batches and the reference.

    Attributes
    ----------
    net_ : torch.nn.Module
        The trained net; it gives scores.

    References
    ----------
    Pang, Shen, van den Hengel: Deep anomaly detection with deviation networks. KDD 2019.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = (X[:, 0] > 1.5).astype(int)
    >>> model = DevNetClassifier(n_epochs=5, random_state=0)
    >>> model.fit(X, y).decision_function(X).argmax() in np.flatnonzero(y)
    True
    """

    width: int = 20
    margin: float = 5.0
    n_epochs: int = 50
    n_batches: int = 20
    batch_size: int = 512
    learning_rate: float = 1e-3
    device: str | None = None
    n_jobs: int | None = None
    random_state: Any = None

    def _train(self, X: Any, weights: Any, pools: Any, generator: Any) -> Any:
        import torch

        from lopsided.nets.deviation import train_deviation
        from lopsided.nets.one_layer import OneLayerNet

        net = OneLayerNet(X.shape[1], self.width, generator).to(X.device)
        reference = train_deviation(
            net, X, pools, generator, margin=self.margin, **self._schedule()
        )
        output = net.double().output
        with torch.no_grad():  # the net then gives deviations, less half of the margin
            output.weight /= reference.std
            output.bias.copy_(reference.deviation(output.bias) - self.margin / 2)
        return net

    def _check_settings(self) -> None:
        super()._check_settings()
        if not (is_real(self.margin) and self.margin > 0):
            raise ValueError(f"margin must be above 0, got {quote(self.margin)}. Pass 5.")


@dataclass(eq=False, repr=False)
class PReNetClassifier(_PooledClassifier):
    """Train a net to tell of two rows whether none, one or both of them are labeled.

    Of the pairs in a batch, half have no labeled row, a quarter one and a quarter two; their
    targets are 0, 4 and 8, and the net lowers the mean absolute error. A row is scored by the
    mean over its pairs with labeled rows plus the mean over its pairs with unlabeled rows. As a
    pair's score is a sum over its two rows, the mean over all possible pairs is as easy as one,
    and no random choice of partners is left. Scores are these sums less what lies half-way
    between a labeled and an unlabeled row, 8.

    Parameters
    ----------
    width : int, default=20
        Units of the hidden layer that both rows share.
    targets : sequence of float, default=(0, 4, 8)
        What pairs with no, one and two labeled rows shall score.
    n_epochs, n_batches, batch_size : int, default=50, 20 and 512
        Epochs, batches of an epoch, and pairs of a batch.
    learning_rate, weight_decay : float, default=1e-3 and 1e-2
        Of RMSprop; the decay is added to the gradient.
    device : str or None, default=None
        Where to train: "cpu", "cuda"; None takes a GPU if there is one.
    n_jobs : int or None, default=None
        Threads; None is 1 and -1 is all.
    random_state : int, Generator or None, default=None
        Seed of weights and pairs.

    Attributes
    ----------
    net_ : torch.nn.Module
        The trained net, for single rows; it gives scores.

    References
    ----------
    Pang, Shen, Jin, van den Hengel: Deep weakly-supervised anomaly detection. KDD 2023.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = (X[:, 0] > 1.5).astype(int)
    >>> model = PReNetClassifier(n_epochs=5, random_state=0)
    >>> model.fit(X, y).decision_function(X).argmax() in np.flatnonzero(y)
    True
    """

    width: int = 20
    targets: Sequence[float] = (0.0, 4.0, 8.0)
    n_epochs: int = 50
    n_batches: int = 20
    batch_size: int = 512
    learning_rate: float = 1e-3
    weight_decay: float = 1e-2
    device: str | None = None
    n_jobs: int | None = None
    random_state: Any = None

    def _train(self, X: Any, weights: Any, pools: Any, generator: Any) -> Any:
        import torch

        from lopsided.nets.pairs import PairNet, train_pairs

        pairs = PairNet(X.shape[1], self.width, generator).to(X.device)
        training = {**self._schedule(), "weight_decay": self.weight_decay}
        train_pairs(pairs, X, pools, generator, targets=self.targets, **training)
        pairs.double()
        net = pairs.mean_over_pairs(X.double(), [weight.to(X.device) for weight in weights])
        none, one, two = self.targets
        with torch.no_grad():  # an unlabeled row has one + none, a labeled one two + one
            net.output.bias -= (none + two) / 2 + one
        return net

    def _check_settings(self) -> None:
        super()._check_settings()
        targets = list(self.targets) if isinstance(self.targets, Iterable) else []
        numbers = len(targets) == 3 and all(map(is_real, targets))
        if not numbers or sorted(set(targets)) != targets:
            raise ValueError(
                "targets must be three rising numbers, for pairs with no, one and two labeled "
                f"rows, got {quote(self.targets)}. Pass (0, 4, 8)."
            )


def _pool_weights(rows: TrainingRows) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the weight of each row among those that are not labeled, and among the labeled."""
    others = np.where(rows.y == 0, rows.weight, 0.0)
    if rows.reviewed is not None:
        reviewed = np.where(rows.reviewed, others, 0.0)
        share = reviewed.sum() / others.sum()
        if 0 < share < 0.5:  # as much as all that only may be negatives
            others = others - reviewed + reviewed * (1 - share) / share
    return others, np.where(rows.y == 1, rows.weight, 0.0)
