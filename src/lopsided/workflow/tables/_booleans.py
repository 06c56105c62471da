"""Yes and no in words, as 1 and 0."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from lopsided.workflow.tables._cells import Cells, read_cells
from lopsided.workflow.tables._reader import Reading, count_unread

_YES_WORDS = "yes y true t ja j oui o si sí s wahr vrai on x ✓ ✔"
_NO_WORDS = "no n false f nein non falsch faux off"
_MARKED = "x ✓ ✔ yes y true t ja j oui si sí"  # where the others are blank
_YES, _NO, _MARKS = (frozenset(words.split()) for words in (_YES_WORDS, _NO_WORDS, _MARKED))
_LETTERS = tuple(frozenset(pair) for pair in ("yn", "tf", "jn", "on", "sn", "xn"))


@dataclass(frozen=True)
class BooleanReader:
    """Reads words for yes and no as 1 and 0; where only yes is marked, blanks are 0."""

    blank_is_no: bool
    kind = "boolean"

    @property
    def how(self) -> str:
        """What the column is read as, in words."""
        return "1 where marked, 0 where blank" if self.blank_is_no else "1 for yes, 0 for no"

    @property
    def parts(self) -> tuple[str, ...]:
        """What the features are called, after the column's name."""
        return ("",)

    def read(self, column: Any) -> Reading:
        """Return the column as 1 and 0."""
        cells = read_cells(column)
        values = _parse(cells.texts)
        rows = cells.spread(values)
        if self.blank_is_no:
            rows[cells.codes < 0] = 0.0
        return Reading((rows,), *count_unread(cells, np.isnan(values)))


def find_booleans(cells: Cells) -> BooleanReader | None:
    """Return how to read a column of words for yes and no, None if it is none."""
    words = {text.lower() for text in cells.texts}
    if len(words) == 1 and words <= _MARKS and cells.n_filled < len(cells.codes):
        return BooleanReader(blank_is_no=True)
    if not (words & _YES and words & _NO and words <= _YES | _NO):
        return None
    if all(len(word) == 1 for word in words) and frozenset(words) not in _LETTERS:
        return None
    return BooleanReader(blank_is_no=False)


def _parse(texts: tuple[str, ...]) -> Any:
    words = [text.lower() for text in texts]
    # "1" and "0" come from a file that has them as such.
    return np.array(
        [
            1.0
            if word in _YES or word in ("1", "1.0")
            else 0.0
            if word in _NO or word in ("0", "0.0")
            else np.nan
            for word in words
        ]
    )
