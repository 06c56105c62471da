"""Where a panel comes from, so that every worker can fetch it for itself."""

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from lopsided import __version__
from lopsided.finance.panel import check_panel, load_panel
from lopsided.finance.ratios import RATIOS, compute_ratios
from lopsided.finance.tasks import keep_complete

__all__ = ["Source"]

_N_FIRMS, _PREVALENCE = 800, 0.03  # of a synthetic panel: small, and misstatements enough


@dataclass(frozen=True)
class Source:
    """A panel by its address.

    Parameters
    ----------
    path : str or None, default=None
        A file or folder, see `load_panel`; None is the one in LOPSIDED_DATA.
    synthetic : bool, default=False
        Make one up instead.
    columns : tuple of (str, str), default=()
        The file's names of columns, and ours.
    cases : str or None, default=None
        SEC cases, see `load_panel`.
    rows : {"complete", "all"}, default="complete"
        Whether reports with missing values are left out, as the authors do.
    """

    path: str | None = None
    synthetic: bool = False
    columns: tuple[tuple[str, str], ...] = ()
    cases: str | None = None
    rows: Literal["complete", "all"] = "complete"

    def load(self) -> Any:
        """Return the rows that models learn from and rank, with ratios."""
        return _keep(self)

    def mark(self) -> dict[str, str]:
        """Return what tells results on these rows, by this version, from any others."""
        return {"panel": _hash(self), "lopsided": __version__}

    def load_all(self) -> Any:
        """Return all rows of the panel, with ratios."""
        return _load(self)


@lru_cache(maxsize=1)
def _hash(source: Source) -> str:
    import pandas as pd

    rows = pd.util.hash_pandas_object(source.load(), index=False).to_numpy()
    return hashlib.sha256(rows.tobytes()).hexdigest()


@lru_cache(maxsize=1)
def _keep(source: Source) -> Any:
    panel = _load(source)
    return keep_complete(panel) if source.rows == "complete" else panel


@lru_cache(maxsize=1)
def _load(source: Source) -> Any:
    if source.synthetic:
        from lopsided.finance.generator import make_misstatement_panel

        panel = check_panel(make_misstatement_panel(_N_FIRMS, prevalence=_PREVALENCE))
        panel = panel.sort_values(["fyear", "gvkey"], ignore_index=True)
        panel = panel.drop(columns="aaer_year")  # later than its own dates: nothing to compare
    else:
        panel = load_panel(source.path, dict(source.columns), source.cases)
    missing = [name for name in RATIOS if name not in panel]
    return panel.assign(**compute_ratios(panel)[missing]) if missing else panel
