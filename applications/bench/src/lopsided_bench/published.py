"""Published numbers to compare with, from a csv file that a study names."""

import csv
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from lopsided_bench.datasets import list_entries
from lopsided_bench.study import Setting

__all__ = ["Published", "PublishedTable", "read_published"]

_COLUMNS = ("dataset", "mechanism", "hidden", "method", "metric", "value")


class Published(NamedTuple):
    """A mean and its standard deviation as published; NaN if there is no deviation."""

    mean: float
    deviation: float = math.nan

    @property
    def text(self) -> str:
        """As papers print it: 0.52 ± 0.09, or 0.52."""
        return f"{self.mean:.2f} ± {self.deviation:.2f}".removesuffix(" ± nan")


@dataclass(frozen=True)
class PublishedTable:
    """Numbers by (method, metric, mechanism, hidden), then data set; a note on the source."""

    numbers: Mapping[tuple[str, str, str, float], Mapping[str, Published]]
    note: str = ""

    @property
    def methods(self) -> list[str]:
        """The methods with a number, in the order of the file."""
        return list(dict.fromkeys(method for method, _, _, _ in self.numbers))

    def find(
        self, method: str, metric: str, setting: Setting, datasets: Collection[str]
    ) -> Published | None:
        """Return the published mean over these data sets, or of their numbers; None if missing.

        A number for the mechanism "sar" is used for "sar-near" and "sar-far" too.
        """
        found = self._of(method, metric, setting)
        for name, number in found.items():
            group = {entry.name for entry in list_entries() if name == entry.group}
            if set(datasets) == (group or {name}):
                return number
        if not datasets or not set(datasets) <= set(found):
            return None
        parts = [found[name] for name in datasets]
        return Published(fmean(p.mean for p in parts), fmean(p.deviation for p in parts))

    def find_best(
        self, metric: str, setting: Setting, datasets: Collection[str]
    ) -> Published | None:
        """Return the mean over data sets of the best published number of each.

        The method differs between data sets and is chosen in hindsight, which no user can do.
        None if a data set has no number.
        """
        by_method = [self._of(method, metric, setting) for method in self.methods]
        best = [
            max((one[name].mean for one in by_method if name in one), default=math.nan)
            for name in datasets
        ]
        return None if not best or math.isnan(sum(best)) else Published(fmean(best))

    def _of(self, method: str, metric: str, setting: Setting) -> Mapping[str, Published]:
        """Return the numbers of a method in a setting by data set or group."""
        found: Mapping[str, Published] = {}
        for mechanism in (setting.mechanism.partition("-")[0], setting.mechanism):
            key = (method, metric, mechanism, round(setting.hidden, 9))
            found = self.numbers.get(key, found)
        return found


def read_published(path: str | Path) -> PublishedTable:
    """Read published numbers from a csv file.

    Its columns are dataset (or a group of the catalog, for a mean over it), mechanism, hidden,
    method, metric, value and, if known, deviation. Lines that begin with # come first and are
    shown with the numbers.
    """
    numbers: dict[tuple[str, str, str, float], dict[str, Published]] = {}
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
        notes = [line.lstrip("# ") for line in lines if line.startswith("#")]
        for row in csv.DictReader(lines[len(notes) :]):
            dataset, mechanism, hidden, method, metric, value = (row[name] for name in _COLUMNS)
            key = (method, metric, mechanism, round(float(hidden), 9))
            number = Published(float(value), float(row.get("deviation") or "nan"))
            numbers.setdefault(key, {})[dataset] = number
    except (KeyError, ValueError, TypeError, csv.Error) as error:
        wanted = f"{path} must be a csv file with the columns {', '.join(_COLUMNS)}"
        raise ValueError(f"{wanted}, and is not: {error}.") from error
    return PublishedTable(numbers, " ".join(notes))
