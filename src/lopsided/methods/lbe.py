"""LBE: a net for who is positive and a net for the bias of labeling."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._math import sigmoid
from lopsided._rows import TrainingRows
from lopsided._terminal import quote
from lopsided._validation import check_count, check_optimizer, is_real, require
from lopsided.methods._encoders import EncodedClassifier

__all__ = ["LBEClassifier"]

_COUNTS = ("n_warmup_steps", "n_rounds", "n_steps")
_FRACTIONS = ("batch_fraction", "keep_fraction")
_TRAINING = (*_COUNTS, *_FRACTIONS, "learning_rate", "weight_decay")


@dataclass(eq=False, repr=False)
class LBEClassifier(EncodedClassifier):
    """Learn who is positive and how labels were given, with two nets trained in turns.

    Both nets start as classifiers of labeled against unlabeled rows with balanced classes. Each
    round then asks how likely every unlabeled row is a hidden positive, and trains the first
    net on these probabilities and the second, the propensity, on the labels of rows weighted by
    them.

    Parameters
    ----------
    width : int, default=100
        Units of the hidden layer of each net; 0 makes them logistic regressions.
    n_warmup_steps : int, default=100
        Steps on the labels before the first round.
    n_rounds : int, default=20
        Rounds of expectation and maximization.
    n_steps : int, default=40
        Steps of each net in a round.
    batch_fraction : float, default=0.1
        Share of the rows that a step looks at, at least 64 rows.
    keep_fraction : float, default=0.8
        Share of these, those with the least loss, that teach the first net. Where positives
        are rare the others are often just these: 1 keeps all.
    learning_rate, weight_decay : float, default=1e-3 and 1e-2
        Of Adam.
    device : str or None, default=None
        Where to train: "cpu", "cuda"; None takes a GPU if there is one.
    n_jobs : int or None, default=None
        Threads; None is 1 and -1 is all.
    random_state : int, Generator or None, default=None
        Seed of both nets and of their batches.

    Attributes
    ----------
    net_, propensity_net_ : torch.nn.Module
        The fitted nets; they give log-odds.

    References
    ----------
    Gong, Wang, Liu, Han, You, Yang, Tao: Instance-dependent positive and unlabeled learning
    with labeling bias estimation. TPAMI 2022.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = ((X[:, 0] > 1) & (X[:, 1] > 0)).astype(int)  # labeled where the second is large
    >>> model = LBEClassifier(width=0, n_warmup_steps=50, n_rounds=1, random_state=0).fit(X, y)
    >>> model.predict_propensity(X).shape
    (200,)
    """

    width: int = 100
    n_warmup_steps: int = 100
    n_rounds: int = 20
    n_steps: int = 40
    batch_fraction: float = 0.1
    keep_fraction: float = 0.8
    learning_rate: float = 1e-3
    weight_decay: float = 1e-2
    device: str | None = None
    n_jobs: int | None = None
    random_state: Any = None

    def _expects_hidden(self) -> bool:
        return True  # the propensity starts where the classifier does, far from 1

    def predict_propensity(self, X: Any) -> NDArray[np.float64]:
        """Return what the second net gives: the probability of a label, were a row positive."""
        return sigmoid(self._run(self.propensity_net_, self._read(X)))

    def _fit(self, rows: TrainingRows, rng: np.random.Generator) -> None:
        torch = require("torch")
        from lopsided.nets.lbe import make_net, train_pair
        from lopsided.nets.train import pick_device, threads

        self._check_settings()
        rows = self._encode(rows)
        device = pick_device(self.device)
        generator = torch.Generator().manual_seed(int(rng.integers(2**63)))
        nets = [make_net(rows.X.shape[1], self.width, generator).to(device) for _ in range(2)]
        X, y, weight = (
            torch.as_tensor(values, dtype=torch.float32, device=device)
            for values in (rows.X, rows.labels, rows.weight / rows.weight.mean())
        )
        settings = {name: getattr(self, name) for name in _TRAINING}
        with threads(self._n_threads()):
            train_pair(nets, X, y, weight, rng, **settings)
        self.net_, self.propensity_net_ = (net.cpu().double().eval() for net in nets)

    def _check_settings(self) -> None:
        for name in ("width", *_COUNTS):
            check_count(getattr(self, name), name, least=0)
        for name in _FRACTIONS:
            value = getattr(self, name)
            if not (is_real(value) and 0 < value <= 1):
                raise ValueError(
                    f"{name} must be above 0 and at most 1, got {quote(value)}. Pass a share."
                )
        check_optimizer(self.learning_rate, self.weight_decay)

    def _scores(self, X: Any) -> Any:
        return self._run(self.net_, X)

    def _run(self, net: Any, X: Any) -> NDArray[np.float64]:
        require("torch")
        from lopsided.nets.train import scores_of, threads

        with threads(self._n_threads()):
            return scores_of(net, self.encoder_.transform(X))
