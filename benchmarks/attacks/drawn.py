"""Cases whose arguments hypothesis draws: many of one entry point in a chunk of one seed."""

import itertools
import logging
import os
import re
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture import providers

import lopsided._warnings
from attacks.sentences import check_sentence
from attacks.verdicts import Finding, Outcome, judge_error

__all__ = ["CHUNK", "Draw", "Drawn", "Entry", "arguments", "attack_once", "find_entry"]
__all__ += ["list_entries", "run_chunk"]

CHUNK = 50  # cases of one seed
# Constants of the modules that happen to be loaded would make other cases of the same seed.
_none: Any = type(providers._local_constants)()
providers._get_local_constants = lambda: _none
_log = logging.getLogger("attack")


class Drawn(NamedTuple):
    """What an entry point is called with, and whether any of it is odd: may be refused."""

    values: dict[str, Any]
    odd: bool


class Entry(NamedTuple):
    """A way to attack some public names.

    Attributes
    ----------
    names : tuple of str
        The names that it calls, as `metrics.roc_auc`; the first is that of the entry.
    arguments : strategy of Drawn
        What it is called with.
    attack : callable
        Takes the values by name, calls, and raises a `Finding` if the answer is wrong.
    share : int
        Chunks of it in a round of all entries.
    errors : tuple of exception types
        Which errors may say no besides `ValueError` and `TypeError`.
    keeps : bool
        Whether it may leave files in the folder where it runs.
    """

    names: tuple[str, ...]
    arguments: Any
    attack: Callable[..., Any]
    share: int = 1
    errors: tuple[type[Exception], ...] = ()
    keeps: bool = False


class Draw:
    """Draws arguments one by one, and keeps in mind whether one of them is odd."""

    def __init__(self, draw: Any):
        self.draw, self.odd = draw, False

    def __call__(self, good: Any, odd: Any = None, share: float = 0.06) -> Any:
        """Return what a strategy draws, sometimes what another one for odd values does."""
        if odd is not None and self.chance(share):
            self.odd = True
            return self.draw(odd)
        return self.draw(good)

    def chance(self, share: float) -> bool:
        """Return True for a share of the draws."""
        return bool(self.draw(st.integers(0, 999)) >= 1000 * (1 - share))

    def one(self, *values: Any) -> Any:
        """Return one of some values."""
        return self.draw(st.sampled_from(values))


def arguments(function: Callable[[Draw], dict[str, Any]]) -> Any:
    """Turn a function that draws arguments one by one into a strategy for all of them."""

    @st.composite
    def draw_all(draw: Any) -> Drawn:
        one = Draw(draw)
        values = function(one)
        return Drawn(values, one.odd)

    return draw_all()


@cache
def list_entries(kind: str) -> tuple[Entry, ...]:
    """Return the entries of a kind, a frequent one as often as its share says."""
    entries = import_module(f"attacks.entries.{kind}").ENTRIES
    rounds = range(max(entry.share for entry in entries))
    return tuple(entry for turn in rounds for entry in entries if turn < entry.share)


def find_entry(kind: str, number: int) -> Entry:
    """Return the entry that a case of a kind attacks."""
    entries = list_entries(kind)
    return entries[number // CHUNK % len(entries)]


def run_chunk(kind: str, numbers: Sequence[int], done: Callable[[int, Outcome], Any]) -> None:
    """Run some cases of one chunk.

    Parameters
    ----------
    kind : str
        A module of `attacks.entries`.
    numbers : sequence of int
        Cases, all of one chunk. Those between are drawn and left out.
    done : callable
        Is told each number and its outcome.
    """
    entry, chunk = find_entry(kind, numbers[0]), numbers[0] // CHUNK
    left = {number - chunk * CHUNK for number in numbers}
    last = max(left)

    def take(place: int, drawn: Drawn) -> None:
        if place in left:
            left.remove(place)
            done(chunk * CHUNK + place, attack_once(entry, drawn))

    try:
        for_each(entry.arguments, chunk, take, last)
    except Exception as error:  # what an entry raises is judged: this is a flaw of the attack
        _log.info("Nothing was drawn:", exc_info=True)
        note = f"{entry.names[0]}: no arguments, for {type(error).__name__}: {error}"
        for place in sorted(left):
            done(chunk * CHUNK + place, Outcome("traceback", note))


class _Enough(BaseException):
    """Ends the draws of a chunk; hypothesis lets it pass."""


def for_each(
    strategy: Any, chunk: int, call: Callable[[int, Any], Any], last: int = CHUNK - 1
) -> None:
    """Call a function with each draw of a chunk, in the order in which they are drawn."""
    count = itertools.count()

    @seed(chunk)
    @settings(
        max_examples=CHUNK,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def one(drawn: Any) -> None:
        place = next(count)
        call(place, drawn)
        if place >= last:
            raise _Enough

    try:
        one()
    except _Enough:
        return
    raise RuntimeError(f"{strategy!r} drew {next(count)} of {CHUNK} cases.")


def attack_once(entry: Entry, drawn: Drawn) -> Outcome:
    """Call an entry point once, in a folder of its own, and judge what comes."""
    _log.info("%s%s: %s", entry.names[0], " (odd)" if drawn.odd else "", drawn.values)
    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="attack-") as folder:
        os.chdir(folder)
        try:
            outcome = _judge(entry, drawn, Path(folder))
            left = [] if entry.keeps else sorted(os.listdir(folder))
        finally:
            os.chdir(before)
    if left and outcome.verdict in ("result", "error"):
        outcome = Outcome("stray", f"{left[:3]}")
    if outcome.verdict == "result":
        return outcome
    return Outcome(outcome.verdict, f"{entry.names[0]}: {outcome.note}")


def _judge(entry: Entry, drawn: Drawn, folder: Path) -> Outcome:
    with warnings.catch_warnings(record=True) as caught, _listening() as ours:
        warnings.simplefilter("always")
        try:
            outcome = entry.attack(**drawn.values) or Outcome("result")
        except Finding as found:
            outcome = found.outcome
        except Exception as error:  # judged, never fatal
            _log.info("It was refused:", exc_info=True)
            outcome = _judge_refusal(error, entry, drawn.odd)
    if outcome.verdict in ("result", "error"):
        try:
            _check_warnings(caught, ours)
        except Finding as found:
            return found.outcome
    return outcome


def _judge_refusal(error: Exception, entry: Entry, odd: bool) -> Outcome:
    """Judge an error: raised on purpose, in a sentence, and because something is odd."""
    outcome = judge_error(error, entry.errors)
    if outcome.verdict != "error":
        return outcome
    if problem := _why_no_sentence(error):
        return Outcome("traceback", problem)
    if not odd:
        return Outcome("wrong", f"plain arguments are refused: {outcome.note}")
    return outcome


def _why_no_sentence(error: Exception) -> str:
    """Return what is wrong with the words of an error of ours; scikit-learn's are its own."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None or "/lopsided/" not in trace.tb_frame.f_code.co_filename:
        return ""
    text = str(error).replace("n_splits", "folds")  # a parameter of ours
    text = re.sub(r"(\barray\(.*?), dtype=\w+\)", r"\1)", text)  # an array is quoted
    if "could not be read as" in text:  # and why, in the words of the reader
        text = text.replace("Expected ", "expected ")
    try:
        check_sentence(text)
    except Finding as found:
        return str(found)
    return ""


@contextmanager
def _listening() -> Iterator[set[str]]:
    """Gather the texts that lopsided itself warns by."""
    said: set[str] = set()
    real = warnings.warn_explicit

    def tell(message: Any, *args: Any, **options: Any) -> None:
        said.add(str(message))
        real(message, *args, **options)

    module: Any = lopsided._warnings
    module.warnings = SimpleNamespace(warn_explicit=tell)
    try:
        yield said
    finally:
        module.warnings = warnings


def _check_warnings(caught: Any, ours: set[str]) -> None:
    """Raise a finding for a warning that is none of ours, or that is no sentence."""
    for one in caught:
        text, place = str(one.message), f"{Path(one.filename).name}:{one.lineno}"
        if text not in ours:
            raise Finding("traceback", f"{one.category.__name__} leaks: {text[:200]} ({place})")
        try:
            check_sentence(text)
        except Finding as found:
            raise Finding("traceback", f"a warning: {found}") from None
