"""When the SEC announced a case: release numbers are given out in order."""

from bisect import bisect_left
from typing import Any

import numpy as np

__all__ = ["match_cases", "release_year"]

# The last number of an Accounting and Auditing Enforcement Release in each year, from the lists
# of the SEC; 2012 without a number that these lists misprint.
_FIRST_YEAR = 1999
_LAST_NUMBERS = (
    *(1212, 1357, 1483, 1696, 1936, 2157, 2358, 2530, 2762, 2913, 3093),
    *(3222, 3350, 3434, 3524, 3618, 3730, 3839, 3915, 4012, 4109, 4199),
)


def release_year(number: int) -> int:
    """Return the year in which a release came out: 1999 for earlier ones, 2021 for later ones.

    Examples
    --------
    >>> release_year(1357), release_year(1358)
    (2000, 2001)
    """
    if number < 1:
        raise ValueError(f"The number of a release must be at least 1, got {number}.")
    return _FIRST_YEAR + bisect_left(_LAST_NUMBERS, number)


def match_cases(panel: Any, cases: Any) -> Any:
    """Return a panel with the year in which the SEC announced each misstated firm-year.

    Parameters
    ----------
    panel : DataFrame
        Firm-years.
    cases : DataFrame
        `p_aaer` (number of the first release), `gvkey`, and the first and last misstated year,
        `min_year` and `max_year`.

    Returns
    -------
    DataFrame
        The panel with `aaer_year` (of the first release that covers the year, NaN without) and
        `case_end` (the last misstated year of that case).
    """
    needed = ["p_aaer", "gvkey", "min_year", "max_year"]
    missing = [name for name in needed if name not in cases]
    if missing:
        raise ValueError(
            f"Cases must have the columns {', '.join(needed)}; they lack {', '.join(missing)}."
        )
    cases = cases[needed].astype(np.int64)
    cases = cases.assign(aaer_year=[release_year(number) for number in cases["p_aaer"]])
    rows = panel[["gvkey", "fyear"]].assign(row=np.arange(len(panel)))
    pairs = rows.merge(cases, on="gvkey")
    covered = pairs[pairs["fyear"].between(pairs["min_year"], pairs["max_year"])]
    first = covered.sort_values(["row", "aaer_year"]).drop_duplicates("row")
    years, ends = np.full((2, len(panel)), np.nan)
    years[first["row"]], ends[first["row"]] = first["aaer_year"], first["max_year"]
    return panel.assign(aaer_year=years, case_end=ends)
