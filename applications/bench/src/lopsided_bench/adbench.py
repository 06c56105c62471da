"""ADBench's label-informed protocol: its rows, its labels, its seeds."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import MinMaxScaler

from lopsided_bench.datasets import describe, load
from lopsided_bench.protocols import NoSplitError, Protocol, TrainTestSplit, name_settings

if TYPE_CHECKING:
    from lopsided_bench.study import Setting, Study

__all__ = ["ADBenchProtocol", "LabeledShare"]


@dataclass(frozen=True)
class LabeledShare:
    r"""Label :math:`\lceil a n \rceil` of n positives, drawn at random, for a share a.

    ADBench labels anomalies in this way: at least one, and all of them if none is hidden.

    Parameters
    ----------
    hidden : float
        One minus the share that is labeled.

    Examples
    --------
    >>> import numpy as np
    >>> truth = np.repeat([1, 0], [30, 70])
    >>> [int(LabeledShare(h).draw(None, truth, np.random.RandomState(1)).sum())
    ...  for h in (0.99, 0.9, 0.0)]
    [1, 3, 30]
    """

    hidden: float

    def count(self, n_positives: int) -> int:
        """Return the number of labeled positives."""
        # 1 - 0.95 is a little more than 0.05, of which 20 positives would give 2 and not 1.
        share = round(1 - self.hidden, 9)
        return ceil(share * n_positives)

    def draw(self, X: Any, y_true: Any, rng: Any) -> NDArray[np.int8]:
        """Return y: 1 where a positive stays labeled, 0 elsewhere; X is not used."""
        positives = np.flatnonzero(np.asarray(y_true) == 1)
        y = np.zeros(len(y_true), dtype=np.int8)
        y[rng.choice(positives, self.count(len(positives)), replace=False)] = 1
        return y


class ADBenchProtocol(Protocol):
    """The label-informed protocol of ADBench, so that its printed numbers can be compared.

    A repeat is a seed; printed numbers are means over the seeds 1, 2 and 3. A single legacy
    generator draws at most 10,000 rows, splits them and draws the labels, in this order.
    Columns are scaled to 0 to 1 by the training rows.

    References
    ----------
    Han, Hu, Huang, Jiang, Zhao: ADBench: anomaly detection benchmark. NeurIPS 2022.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(2000, 3))
    >>> y_true = (X[:, 0] > 1.5).astype(int)
    >>> split = ADBenchProtocol().split_rows(X, y_true, seed=1)
    >>> split.X.shape, split.X.min(axis=0).tolist()
    ((1400, 3), [0.0, 0.0, 0.0])
    """

    name = "adbench"
    mechanisms = ("adbench",)
    hidden = (0.99, 0.95, 0.9, 0.75, 0.5, 0.25, 0.0)
    max_rows: ClassVar[int] = 10_000
    min_rows: ClassVar[int] = 1_000
    test_share: ClassVar[float] = 0.3

    def check(self, study: Study) -> None:
        """Refuse another share of test rows, and tables whose rows ADBench duplicates."""
        if study.test_share != self.test_share:
            raise ValueError(
                f"test_share is {self.test_share} in ADBench's protocol, got "
                f"{study.test_share:g}. Leave it out."
            )
        for name in study.datasets:
            if describe(name).rows < self.min_rows:
                raise ValueError(
                    f"ADBench's protocol needs data sets of at least {self.min_rows:,} rows, "
                    f"got {name} of {describe(name).rows}: smaller ones are filled up with "
                    "copies before the split. Leave it out."
                )

    def key_parts(self, study: Study) -> dict[str, Any]:
        """Return the name of the protocol, which determines everything else."""
        return {"protocol": self.name}

    def explain(self, study: Study) -> dict[str, str]:
        """Return sentences on splits, labels and seeds."""
        last = study.first + study.repeats - 1
        return {
            "Splits": f"ADBench's, for its seeds {study.first} to {last}: at most "
            f"{self.max_rows:,} rows of each data set are drawn, {100 * self.test_share:g} % "
            "of them are tested on, stratified by the truth; columns are scaled to 0 to 1 by "
            "the training rows. Every method meets the same rows and labels.",
            "Labels": "This share of the positives of the training rows is labeled, rounded "
            f"up: {name_settings(study)}. Test rows are measured by the truth.",
            "Seeds": "Rows and labels are drawn by ADBench's seeds. That of a fit is derived "
            f"from the study's seed, {study.seed}, the data set, the repeat, the share that is "
            "labeled and the method.",
        }

    def count_rows(self, dataset: str) -> int:
        """Return the number of rows that are used, at most 10,000."""
        return min(describe(dataset).rows, self.max_rows)

    def split(self, study: Study, dataset: str, repeat: int) -> TrainTestSplit:
        """Load a data set and split it for the seed that is the number of the repeat."""
        data = load(dataset)
        try:
            return self.split_rows(data.X, data.y_true, repeat)
        except NoSplitError as error:
            raise NoSplitError(f"{dataset}, seed {repeat}: {error}") from error

    def split_rows(self, X: Any, y_true: Any, seed: int) -> TrainTestSplit:
        """Draw rows of a table, split and scale them.

        Parameters
        ----------
        X : array of shape (n_rows, n_features)
            Finite numbers.
        y_true : array of shape (n_rows,)
            1 = positive, 0 = negative.
        seed : int
            Seed of the generator.
        """
        # Seeded alike, it gives the numbers of NumPy's global generator, which ADBench uses.
        rng = np.random.RandomState(seed)
        if len(X) > self.max_rows:
            kept = rng.choice(len(X), self.max_rows, replace=False)
            X, y_true = X[kept], y_true[kept]
        if (n_positives := int(np.sum(y_true))) < 2:
            raise NoSplitError(
                f"the rows drawn must hold 2 positives, got {n_positives}. Take another seed."
            )
        X, X_test, y_true, y_test = train_test_split(
            X, y_true, test_size=self.test_share, stratify=y_true, random_state=rng
        )
        scaler = MinMaxScaler().fit(X)
        return TrainTestSplit(
            scaler.transform(X), y_true, scaler.transform(X_test), y_test, rng
        )

    def draw_labels(
        self, study: Study, dataset: str, repeat: int, setting: Setting, split: TrainTestSplit
    ) -> NDArray[np.int8]:
        """Label a share of the positives, by the generator as the split has left it."""
        return setting.build().draw(split.X, split.y_true, deepcopy(split.rng))
