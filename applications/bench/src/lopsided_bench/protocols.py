"""How rows are split for a trial, and which positives are labeled: a protocol, and ours."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from lopsided_bench.datasets import describe, load
from lopsided_bench.names import name_setting

if TYPE_CHECKING:
    from lopsided_bench.study import Setting, Study

__all__ = [
    "NoSplitError",
    "Protocol",
    "StratifiedProtocol",
    "TrainTestSplit",
    "name_settings",
    "seed_of",
]


class TrainTestSplit(NamedTuple):
    """The training and test rows of one repeat, with their truth.

    Attributes
    ----------
    X : ndarray of shape (n_train, n_features)
        Training rows.
    y_true : ndarray of shape (n_train,)
        Their truth.
    X_test : ndarray of shape (n_test, n_features)
        Test rows.
    y_true_test : ndarray of shape (n_test,)
        Their truth.
    rng : RandomState or None
        The state after the split, for protocols that draw labels with the same generator.

    Examples
    --------
    >>> from lopsided_bench.study import read_study
    >>> from lopsided_bench.trial import split_dataset
    >>> split = split_dataset(read_study("smoke"), "wine-rare", repeat=0)
    >>> int(split.y_true.sum()), int(split.y_true_test.sum())
    (11, 5)
    """

    X: NDArray[np.float64]
    y_true: NDArray[np.int8]
    X_test: NDArray[np.float64]
    y_true_test: NDArray[np.int8]
    rng: np.random.RandomState | None = None


class NoSplitError(ValueError):
    """The rows that a protocol draws for one repeat cannot be split.

    Examples
    --------
    >>> try:
    ...     raise NoSplitError("Table a has 1 positive: too few to split.")
    ... except ValueError as error:
    ...     print(error)
    Table a has 1 positive: too few to split.
    """


def seed_of(*words: Any) -> int:
    """Return a seed that depends on the words alone, not on order, workers or machine.

    Parameters
    ----------
    *words : object
        All that the seed depends on.

    Returns
    -------
    int

    Examples
    --------
    >>> seed_of(0, "wine-rare", 3) == seed_of(0, "wine-rare", 3) != seed_of(0, "wine-rare", 4)
    True
    """
    text = "|".join(map(str, words)).encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:4], "big")


@dataclass(frozen=True)
class Protocol(ABC):
    """How a study gets the rows and labels of its trials.

    Examples
    --------
    A study names its protocol. A custom protocol has these methods:

    >>> from lopsided_bench.study import read_study
    >>> read_study("smoke").protocol.name
    'stratified'
    >>> sorted(Protocol.__abstractmethods__)[:3]
    ['check', 'count_rows', 'draw_labels']
    """

    name: ClassVar[str]  # in a study file
    mechanisms: ClassVar[tuple[str, ...]]  # by which it hides labels
    hidden: ClassVar[tuple[float, ...]]  # shares that a mechanism hides if none is named

    @abstractmethod
    def check(self, study: Study) -> None:
        """Raise ValueError if it cannot split the data sets of a study."""

    @abstractmethod
    def key_parts(self, study: Study) -> dict[str, Any]:
        """Return what a split depends on, its data set, repeat and seed aside."""

    @abstractmethod
    def explain(self, study: Study) -> dict[str, str]:
        """Return sentences on how rows are split and labeled, by heading."""

    @abstractmethod
    def count_rows(self, dataset: str) -> int:
        """Return how many rows of a data set it uses."""

    @abstractmethod
    def split(self, study: Study, dataset: str, repeat: int) -> TrainTestSplit:
        """Load a data set and split it for one repeat."""

    @abstractmethod
    def draw_labels(
        self, study: Study, dataset: str, repeat: int, setting: Setting, split: TrainTestSplit
    ) -> NDArray[np.int8]:
        """Return the PU labels of the training rows of a split."""


class StratifiedProtocol(Protocol):
    """All rows, split for each repeat and stratified by the truth, with SCAR and SAR labels.

    The seed of a split is derived from the study's seed, the data set and the repeat; the seed
    of the labels also from the mechanism. Draws of a mechanism that hide more labels are
    therefore subsets of draws that hide fewer.

    Examples
    --------
    >>> from lopsided_bench.study import read_study
    >>> study = read_study("smoke")
    >>> split = StratifiedProtocol().split(study, "wine-rare", repeat=0)
    >>> y = StratifiedProtocol().draw_labels(study, "wine-rare", 0, study.settings[0], split)
    >>> int(y.sum()), int(split.y_true.sum())
    (2, 11)
    """

    name = "stratified"
    mechanisms = ("scar", "sar-near", "sar-far")
    hidden = (0.75, 0.5, 0.25)

    def check(self, study: Study) -> None:
        """Refuse a share of test rows that leaves no positive on one side."""
        for name in study.datasets:
            positives = describe(name).positives
            # With fewer than one positive on either side, nothing can be learned or measured.
            if positives * min(study.test_share, 1 - study.test_share) < 1:
                raise ValueError(
                    "test_share must leave positives to learn from and to test on, got "
                    f"{study.test_share}, of {positives} in {name}."
                )

    def key_parts(self, study: Study) -> dict[str, Any]:
        """Return the share of test rows."""
        return {"test_share": study.test_share}

    def explain(self, study: Study) -> dict[str, str]:
        """Return sentences on splits, labels and seeds."""
        return {
            "Splits": f"{study.repeats} of each data set, the first is number {study.first}; "
            f"{100 * study.test_share:g} % of the rows are tested on, stratified by the truth. "
            "Every method meets the same rows and labels.",
            "Labels": "Positives of the training rows keep their label as named: "
            f"{name_settings(study)}. SCAR hides all alike, SAR near hides those that look "
            "like negatives more often, SAR far less often. Test rows are measured by the "
            "truth.",
            "Seeds": f"All are derived from the study's seed, {study.seed}: that of a split "
            "adds data set and repeat, that of the labels the mechanism, that of a fit the "
            "method.",
        }

    def count_rows(self, dataset: str) -> int:
        """Return the rows of a data set."""
        return describe(dataset).rows

    def split(self, study: Study, dataset: str, repeat: int) -> TrainTestSplit:
        """Load a data set and split it for one repeat, stratified by the truth."""
        data = load(dataset)
        rows, test = train_test_split(
            np.arange(data.n_rows),
            test_size=study.test_share,
            stratify=data.y_true,
            random_state=seed_of(study.seed, dataset, repeat),
        )
        return TrainTestSplit(data.X[rows], data.y_true[rows], data.X[test], data.y_true[test])

    def draw_labels(
        self, study: Study, dataset: str, repeat: int, setting: Setting, split: TrainTestSplit
    ) -> NDArray[np.int8]:
        """Hide labels by the mechanism of the setting."""
        # Draws of one mechanism are nested, since the hidden share does not enter the seed.
        rng = np.random.default_rng(seed_of(study.seed, dataset, repeat, setting.mechanism))
        return setting.build().draw(split.X, split.y_true, rng)


def name_settings(study: Study) -> str:
    """Return the settings of a study as a report writes them.

    Parameters
    ----------
    study : Study
        The protocol.

    Returns
    -------
    str

    Examples
    --------
    >>> from lopsided_bench.study import read_study
    >>> study = read_study("smoke")
    >>> name_settings(study)
    'SCAR 25 %, SCAR 50 %, SAR near 25 %, SAR near 50 %'
    """
    return ", ".join(name_setting(*setting) for setting in study.settings)
