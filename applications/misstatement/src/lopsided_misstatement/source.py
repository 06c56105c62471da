"""Where a panel comes from, so that every worker can fetch it for itself."""

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import pandas as pd

import lopsided
from lopsided_misstatement.folds import keep_complete
from lopsided_misstatement.generator import make_misstatement_panel
from lopsided_misstatement.panel import check_panel, load_panel
from lopsided_misstatement.ratios import RATIOS, compute_ratios

__all__ = ["Source"]

_N_FIRMS = 1500  # of a synthetic panel: small, and misstatements enough


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

    @lru_cache(maxsize=1)  # noqa: B019, for each process, one panel
    def load_all(self) -> Any:
        """Return all rows of the panel, with ratios."""
        if self.synthetic:
            panel = check_panel(make_misstatement_panel(_N_FIRMS))
            panel = panel.sort_values(["fyear", "gvkey"], ignore_index=True)
        else:
            panel = load_panel(self.path, dict(self.columns), self.cases)
        missing = [name for name in RATIOS if name not in panel]
        return panel.assign(**compute_ratios(panel)[missing]) if missing else panel

    @lru_cache(maxsize=1)  # noqa: B019
    def load(self) -> Any:
        """Return the rows that models learn from and rank, with ratios."""
        panel = self.load_all()
        return keep_complete(panel) if self.rows == "complete" else panel

    @lru_cache(maxsize=1)  # noqa: B019
    def fingerprint(self) -> str:
        """Return what tells results on these rows, by this version, from any others."""
        rows = pd.util.hash_pandas_object(self.load(), index=False).to_numpy()
        digest = hashlib.sha256(rows.tobytes()).hexdigest()
        return f"panel {digest[:16]}, lopsided {lopsided.__version__}"

    def firms(self, year: int) -> Any:
        """Return who is ranked in a year, in the order of the panel."""
        panel = self.load()
        return panel["gvkey"].to_numpy()[panel["fyear"].to_numpy() == year]
