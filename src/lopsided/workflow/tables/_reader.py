"""What a reader of a column is and gives: features, and the cells that it could not read."""

from typing import Any, NamedTuple, Protocol

from lopsided.workflow.tables._cells import Cells


class Reading(NamedTuple):
    """The features of a column, and how many cells could not be read."""

    features: tuple[Any, ...]  # float arrays, or a pandas Categorical
    n_filled: int = 0
    n_unread: int = 0
    unread: tuple[str, ...] = ()  # a few such cells
    n_suspect: int = 0  # cells that may be thousands and are read as decimals, unlike before
    n_marked: int = 0  # of so many with that separator


class Reader(Protocol):
    """How a column is read, as decided in training; a dataclass of plain values."""

    kind: str

    @property
    def how(self) -> str: ...

    @property
    def parts(self) -> tuple[str, ...]: ...

    def read(self, column: Any) -> Reading: ...


def count_unread(cells: Cells, unread: Any) -> tuple[int, int, tuple[str, ...]]:
    """Return how many cells are filled, how many of them are unread, and the most frequent."""
    places = sorted(
        (place for place, missed in enumerate(unread) if missed),
        key=lambda place: (-cells.counts[place], place),
    )
    n_unread = int(sum(cells.counts[place] for place in places))
    return cells.n_filled, n_unread, tuple(cells.texts[place] for place in places[:4])
