"""Sampling schemes: how often each row is in the bag of a tree."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lopsided._validation import Params

__all__ = ["Bagging", "Bootstrap", "Sampling", "StratifiedBootstrap", "WholeTable"]


class Sampling(Params):
    """Draws the bag of a tree.

    Examples
    --------
    Nine rows in ten, drawn anew for each tree:

    >>> import numpy as np
    >>> class Subsample(Sampling):
    ...     def draw(self, y, rng):
    ...         return (rng.random(len(y)) < 0.9).astype(np.int64)
    >>> int(Subsample().draw(np.repeat([1, 0], [5, 95]), np.random.default_rng(0)).sum())
    84
    """

    leaves_out_labeled: ClassVar[bool] = True  # whether every labeled row is out of some bag
    leaves_out_unlabeled: ClassVar[bool] = True

    def draw(self, y: NDArray[Any], rng: np.random.Generator) -> NDArray[np.int64]:
        """Return how often each row is in the bag."""
        raise NotImplementedError


@dataclass
class Bootstrap(Sampling):
    """As many draws with replacement as there are rows, at least one of them labeled.

    Examples
    --------
    >>> import numpy as np
    >>> counts = Bootstrap().draw(np.repeat([1, 0], [5, 95]), np.random.default_rng(0))
    >>> counts[:5]  # how often each labeled row is in the bag
    array([3, 1, 2, 1, 2])
    >>> int(counts.sum())
    100
    """

    def draw(self, y: NDArray[Any], rng: np.random.Generator) -> NDArray[np.int64]:
        """Return how often each row is in the bag."""
        counts = _draws(np.arange(len(y)), len(y), len(y), rng)
        if not counts[y == 1].any():  # a tree of unlabeled rows alone would be a stump
            counts += _draws(np.flatnonzero(y == 1), 1, len(y), rng)
        return counts


@dataclass
class StratifiedBootstrap(Sampling):
    """All labeled rows once, and as many draws from the unlabeled as there are.

    References
    ----------
    Ortega Vazquez, vanden Broucke, De Weerdt: Hellinger distance decision trees for PU learning
    in imbalanced data sets. Machine Learning 2024.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.repeat([1, 0], [5, 95])
    >>> counts = StratifiedBootstrap().draw(y, np.random.default_rng(0))
    >>> counts[y == 1], int(counts[y == 0].sum())
    (array([1, 1, 1, 1, 1]), 95)
    """

    leaves_out_labeled: ClassVar[bool] = False

    def draw(self, y: NDArray[Any], rng: np.random.Generator) -> NDArray[np.int64]:
        """Return how often each row is in the bag."""
        unlabeled = np.flatnonzero(y != 1)
        counts = _draws(unlabeled, len(unlabeled), len(y), rng)
        counts[y == 1] = 1
        return counts


@dataclass
class Bagging(Sampling):
    """A bootstrap of the labeled rows and some unlabeled ones for each of them.

    Parameters
    ----------
    ratio : float, default=20.0
        Unlabeled rows per labeled one, drawn without replacement as far as they go.

    References
    ----------
    Mordelet, Vert: A bagging SVM to learn from positive and unlabeled examples. Pattern
    Recognition Letters 2014.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.repeat([1, 0], [5, 95])
    >>> counts = Bagging(ratio=4).draw(y, np.random.default_rng(0))
    >>> int(counts[y == 1].sum()), int(counts[y == 0].sum())
    (5, 20)
    """

    ratio: float = 20.0

    def draw(self, y: NDArray[Any], rng: np.random.Generator) -> NDArray[np.int64]:
        """Return how often each row is in the bag."""
        if not self.ratio > 0:
            raise ValueError(f"ratio must be above 0, got {self.ratio!r}.")
        labeled, unlabeled = np.flatnonzero(y == 1), np.flatnonzero(y != 1)
        counts = _draws(labeled, len(labeled), len(y), rng)
        n_wanted = max(round(self.ratio * len(labeled)), 1)
        if n_wanted < len(unlabeled):
            counts[rng.choice(unlabeled, n_wanted, replace=False)] += 1
        else:
            counts += _draws(unlabeled, len(unlabeled), len(y), rng)
        return counts


@dataclass
class WholeTable(Sampling):
    """Every row once.

    Examples
    --------
    >>> import numpy as np
    >>> WholeTable().draw(np.repeat([1, 0], [2, 3]), np.random.default_rng(0))
    array([1, 1, 1, 1, 1])
    """

    leaves_out_labeled: ClassVar[bool] = False
    leaves_out_unlabeled: ClassVar[bool] = False

    def draw(self, y: NDArray[Any], rng: np.random.Generator) -> NDArray[np.int64]:
        """Return how often each row is in the bag."""
        return np.ones(len(y), np.int64)


def _draws(
    pool: NDArray[Any], n_draws: int, n_rows: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Count draws with replacement from a pool of rows."""
    return np.bincount(pool[rng.integers(len(pool), size=n_draws)], minlength=n_rows)
