"""The kinds of cases: which module knows each, its share of all cases, and its patience."""

from importlib import import_module
from typing import Any, NamedTuple

from attacks.drawn import CHUNK, list_entries

__all__ = ["CASES", "KINDS", "Kind", "get_kind", "list_seeds"]

CASES = 100_000


class Kind(NamedTuple):
    """A kind of cases.

    Attributes
    ----------
    name : str
        What the ledger and `--only` call it.
    cases : int
        How many of `CASES` there are.
    deadline : float
        Seconds that a case may take on a busy machine, until it counts as hanging.
    drawn : bool
        Whether hypothesis draws it, many cases of a seed, in `attacks.entries`.
    """

    name: str
    cases: int
    deadline: float
    drawn: bool

    @property
    def module(self) -> Any:
        """The module that runs a case that is not drawn."""
        return import_module(f"attacks.{self.name}")


# Most cases are at what is cheap to call, so that all of them take about an hour of one core.
_DRAWN = {
    "metrics": 30_000, "readers": 11_669, "formats": 5_000, "losses": 8_000, "splits": 8_000,
    "labels": 6_000, "priors": 5_000, "probabilities": 5_500, "diagnostics": 6_000,
    "reviews": 4_000, "methods": 3_000, "models": 1_400, "stored": 1_600, "cli": 1_200,
    "clusters": 100,
}  # fmt: skip
_TOLD = ("tables", "files", "kills", "studies", "results")
_PATIENCE = 240.0


def _make_kinds() -> dict[str, Kind]:
    found = {name: Kind(name, n, _PATIENCE, True) for name, n in _DRAWN.items()}
    return found | {name: _make_told(name) for name in _TOLD}


def _make_told(name: str) -> Kind:
    module = import_module(f"attacks.{name}")
    return Kind(name, module.CASES, module.DEADLINE, False)


KINDS = _make_kinds()


def get_kind(name: str) -> Kind:
    """Return a kind; those of the fakes of the self-test, too.

    Parameters
    ----------
    name : str
        Its name.
    """
    if name == "fakes":
        return Kind(name, CHUNK, 20.0, True)
    return KINDS[name] if name in KINDS else _make_told(name)


def list_seeds(kind: Kind, cases: int) -> list[int]:
    """Return the seeds of a kind's cases where there are so many in all.

    Of fewer than there are entries to attack, each chunk is cut short, so that every entry has
    its turn.
    """
    n = max(round(kind.cases * cases / CASES), 1)
    if not kind.drawn:
        return list(range(n))
    n_chunks = max(-(-n // CHUNK), len(list_entries(kind.name)))
    each, more = divmod(n, n_chunks)
    return [
        chunk * CHUNK + place
        for chunk in range(n_chunks)
        for place in range(each + (chunk < more))
    ]
