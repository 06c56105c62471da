"""What an attack may end in, and where the line between a refusal and a traceback is."""

import dis
import re
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

__all__ = [
    "BAD",
    "VERDICTS",
    "Finding",
    "Outcome",
    "check_refusal",
    "check_terminal",
    "check_warnings",
    "judge_error",
]

GOOD = ("result", "error")
BAD = ("traceback", "hang", "wrong", "lost", "stray")
VERDICTS = GOOD + BAD

_REFUSALS = {
    "ValueError", "TypeError", "ImportError", "MissingExtraError", "NotFittedError",
    "InvalidParameterError",
}  # fmt: skip
_VALIDATION = (
    "utils/validation", "utils/_param_validation", "utils/_array_api", "model_selection/_split",
)  # fmt: skip
_MAX_LINES, _MAX_LETTERS = 3, 600
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x9b]")  # what a terminal obeys


class Outcome(NamedTuple):
    """How one case ended, and the words to find it again by."""

    verdict: str
    note: str = ""


class Finding(Exception):
    """Ends a case with a verdict."""

    def __init__(self, verdict: str, note: str):
        super().__init__(note)
        self.outcome = Outcome(verdict, note)


def judge_error(error: BaseException, also: tuple[type[BaseException], ...] = ()) -> Outcome:
    """Tell a refusal, which a user can act on, from an error that got out by accident.

    A refusal was raised on purpose, by a `raise` in lopsided or by scikit-learn's validation,
    and says so in a sentence. An error of the same type that NumPy or XGBoost met deep inside
    is none, however short its words. `also` are types that are an answer here.
    """
    shown = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
    codes = list(_walk(error.__traceback__))
    ours = [i for i, (file, _) in enumerate(codes) if "/lopsided/" in file]
    inner = codes[ours[-1] + 1 :] if ours else codes
    validated = any(_is_validation(file) for file, _ in inner)
    raised = bool(ours) and not inner and codes[-1][1]
    own = isinstance(error, ValueError) and type(error).__module__.startswith("lopsided")
    known = own or type(error).__name__ in _REFUSALS or isinstance(error, also)
    if not known or not (validated or raised):
        where = f" (at {_place(error.__traceback__)})"
        return Outcome("traceback", shown + where)
    # scikit-learn lists the names of columns, a line each.
    if problem := _why_no_sentence(str(error), 20 if validated else _MAX_LINES):
        return Outcome("traceback", f"{problem}: {shown}")
    return Outcome("error", shown)


def check_refusal(said: str) -> None:
    """Raise a finding unless a command that refused its input said why, in a sentence."""
    if "Traceback (most" in said:
        last = [line for line in said.splitlines() if re.match(r"\w+(\.\w+)*(: |$)", line)]
        raise Finding("traceback", last[-1][:300] if last else said[-300:])
    lines = [line for line in said.splitlines() if line and not line.startswith("note: ")]
    told = "\n".join(lines)
    if not told.startswith(("lopsided: ", "usage: ")):
        raise Finding("traceback", f"No sentence: {said[-300:]!r}")
    limit = 30 if told.startswith("usage: ") else _MAX_LINES
    if problem := _why_no_sentence(told, limit):
        raise Finding("traceback", f"{problem}: {told[:300]!r}")
    internal = re.match(
        r"lopsided: (\w*(Key|Index|Attribute|ZeroDivision)Error\b.*|'\w+')$", told
    )
    if internal:
        raise Finding("traceback", f"An internal error as a sentence: {told[:300]}")


def check_terminal(said: str) -> None:
    """Raise a finding if a terminal would be given orders."""
    if found := _CONTROL.search(said.replace("\r\n", "\n")):
        raise Finding("wrong", f"The terminal is given {found.group()!r}: {said[-200:]!r}")


def check_warnings(caught: Iterable[Any]) -> None:
    """Raise a finding for a warning that is none of ours, and tells a user nothing."""
    for one in caught:
        if not issubclass(one.category, UserWarning):
            place = f"{Path(one.filename).name}:{one.lineno}"
            note = f"{one.category.__name__} leaks: {str(one.message)[:200]} (at {place})"
            raise Finding("traceback", note)


def _why_no_sentence(text: str, limit: int) -> str:
    """Return what keeps a message from being a sentence, or nothing."""
    if not text.strip():
        return "An empty message"
    if "Traceback" in text:
        return "A traceback in a message"
    if len(text) > _MAX_LETTERS * (1 if limit <= _MAX_LINES else 3):
        return f"A message of {len(text)} letters"
    if len(text.splitlines()) > limit:
        return f"A message of {len(text.splitlines())} lines"
    return ""


def _walk(trace: TracebackType | None) -> Iterable[tuple[str, bool]]:
    """Yield the file of each frame, and whether it is at a `raise`."""
    while trace is not None:
        code = trace.tb_frame.f_code
        name = dis.opname[code.co_code[trace.tb_lasti]]
        yield code.co_filename, name in ("RAISE_VARARGS", "RERAISE")
        trace = trace.tb_next


def _is_validation(file: str) -> bool:
    return any(f"/sklearn/{name}.py" in file for name in _VALIDATION)


def _place(trace: TracebackType | None) -> str:
    """Return the innermost line of lopsided's in a traceback."""
    place = "?"
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if "/lopsided/" in file:
            place = f"{Path(file).name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place
