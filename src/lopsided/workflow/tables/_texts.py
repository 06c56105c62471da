"""Free text as numbers, by an encoder of skrub: texts that look alike have similar ones."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from lopsided._blas import one_blas_thread
from lopsided._validation import require
from lopsided.exceptions import MissingExtraError
from lopsided.workflow.tables._cells import Cells, read_cells
from lopsided.workflow.tables._reader import Reading

PIP_LINE = "pip install 'lopsided[text]'"
_N_COMPONENTS = 20  # more of them rank worse where labels are few
_SEED = 0


@dataclass(frozen=True)
class TextReader:
    """Reads free text as the components of its character n-grams."""

    encoder: Any  # skrub.StringEncoder
    n_components: int
    kind = "text"

    @property
    def how(self) -> str:
        """What the column is read as, in words."""
        return f"text, {self.n_components} components of its letters"

    @property
    def parts(self) -> tuple[str, ...]:
        """What the features are called, after the column's name."""
        return tuple(f"text {number}" for number in range(1, self.n_components + 1))

    def read(self, column: Any) -> Reading:
        """Return the column's components, NaN where a cell is blank."""
        cells = read_cells(column)
        if not cells.texts:
            return Reading((np.full(len(column), np.nan),) * self.n_components)
        encoded = self.encoder.transform(_as_series(cells.texts)).to_numpy(np.float64)
        return Reading(tuple(cells.spread(values) for values in encoded.T))


def can_encode() -> bool:
    """Say whether skrub is installed."""
    try:
        require("skrub")
    except MissingExtraError:
        return False
    return True


def fit_text(cells: Cells) -> TextReader:
    """Learn the components of a column's texts; neither chance nor row order matter."""
    skrub: Any = require("skrub")
    encoder = skrub.StringEncoder(
        n_components=max(1, min(_N_COMPONENTS, len(cells.texts) // 2)), random_state=_SEED
    )
    rows = np.repeat(np.arange(len(cells.texts)), cells.counts)
    texts = np.array(cells.texts, object)[rows]
    # Texts that are all alike have no variance of which to explain a share.
    silent = np.errstate(invalid="ignore", divide="ignore")
    with one_blas_thread, warnings.catch_warnings(), silent:
        # A few short texts have fewer n-grams than components, and keep them as they are.
        warnings.filterwarnings("ignore", "The matrix shape is")
        encoded = encoder.fit_transform(_as_series(texts))
    return TextReader(encoder, int(encoded.shape[1]))


def _as_series(texts: Any) -> Any:
    return pd.Series(list(texts), dtype=str, name="text")
