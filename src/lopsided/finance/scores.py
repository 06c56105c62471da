"""The scores of one ranking in a file, which is checked when it is read."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._files import atomic_write

__all__ = ["DamagedFileError", "read_scores", "write_scores"]

_NUMBERS = ("score", "seconds")


class DamagedFileError(ValueError):
    """A file does not hold what was written to it."""


def write_scores(
    path: Path,
    firms: NDArray[Any],
    scores: NDArray[np.float64],
    seconds: float,
    mark: Mapping[str, str],
) -> None:
    """Write the scores of a ranking, whole or not at all.

    Parameters
    ----------
    path : Path
        The parquet file.
    firms, scores : arrays of shape (n_reports,)
        Who is ranked, and the scores.
    seconds : float
        How long the fit took.
    mark : mapping of str to str
        What the scores were made from, see `Source.mark`.
    """
    import pandas as pd

    frame = pd.DataFrame({"gvkey": firms, "score": scores, "seconds": seconds, **mark})
    with atomic_write(path) as draft:
        frame.to_parquet(draft, index=False)


def read_scores(path: Path, firms: NDArray[Any], mark: Mapping[str, str]) -> Any:
    """Return the table of a ranking, or raise if anything in it is not as it was written.

    Parameters
    ----------
    path : Path
        The parquet file.
    firms : array of shape (n_reports,)
        The firms that it must hold, in their order.
    mark : mapping of str to str
        What it must have been made from.
    """
    import pandas as pd

    try:
        frame = pd.read_parquet(path)
        wrong = _find_damage(frame, firms, mark)
    except Exception as error:  # damage shows in more ways than pyarrow documents
        raise DamagedFileError(f"{path} cannot be read") from error
    if wrong:
        raise DamagedFileError(f"{path} {wrong}")
    return frame


def _find_damage(frame: Any, firms: NDArray[Any], mark: Mapping[str, str]) -> str:
    """Return what is wrong with a table of scores, or nothing."""
    wanted = ["gvkey", *_NUMBERS, *mark]
    if list(frame.columns) != wanted:
        return f"must have the columns {', '.join(wanted)}"
    if any(frame[name].dtype != np.float64 for name in _NUMBERS):
        return "must hold numbers"
    if not np.isfinite(frame[list(_NUMBERS)]).to_numpy().all():
        return "must hold finite numbers"
    if not np.array_equal(frame["gvkey"].to_numpy(), firms):
        return "must hold the firms of its year"
    if not all((frame[name] == value).all() for name, value in mark.items()):
        return "is from another panel or version"
    return ""
