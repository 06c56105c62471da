"""Whether what was said is one sentence that helps, and which sentence it is."""

import dis
import re
from pathlib import Path

from attacks.verdicts import Finding

__all__ = ["check_said", "check_sentence", "generalize"]

_MAX_LETTERS = 400
_RAW = (
    "could not convert",
    "Input contains",
    "Input X contains",
    "at least one array",
    "truth value",
    "Traceback",
    "object has no attribute",
    "out of bounds",
    "unhashable",
    "not supported between",
    "must be real number",
    "codec can't",
    "n_splits",
    "Expected ",
    "dtype",
    "cannot reindex",
    "shape mismatch",
)
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def check_sentence(error: Exception | str) -> str:
    """Return what an error or a note says; raise a finding if that is no sentence of ours.

    Parameters
    ----------
    error : Exception or str
        A refusal, which must have been raised on purpose by lopsided, or the text of a note.
    """
    text = str(error)
    if isinstance(error, Exception):
        shown = f"{type(error).__name__}: {' '.join(text.split())[:300]} (at {_place(error)})"
        if not isinstance(error, (ValueError, OSError, ImportError)) or not _is_ours(error):
            raise Finding("traceback", shown)
    problem = _why_no_sentence(text)
    if problem:
        raise Finding("sentence", f"{problem}: {text[:300]!r}")
    return text


def check_said(said: str) -> str:
    """Return the line by which a command refused its input; there must be one.

    Parameters
    ----------
    said : str
        What it wrote to standard error.
    """
    if said.startswith("usage: "):
        return said.splitlines()[-1]
    lines = [line for line in said.splitlines() if not line.startswith("note: ")]
    if len(lines) != 1 or not lines[0].startswith("lopsided: "):
        raise Finding("sentence", f"{len(lines)} lines on standard error: {said[-300:]!r}")
    text = lines[0].removeprefix("lopsided: ")
    problem = _why_no_sentence(text)
    if problem:
        raise Finding("sentence", f"{problem}: {text[:300]!r}")
    return text


def generalize(text: str) -> str:
    """Return a sentence without what it quotes, so that equal ones can be counted."""
    text = re.split(r", got |: Expected| \(|\. ", text.replace("\\'", ""))[0]
    text = re.sub(r"'[^']*'|\"[^\"]*\"", "…", text)
    text = re.sub(r"\S*/\S*", "FILE", text)
    return re.sub(r"\d+", "N", text)[:90].rstrip(".")


def _why_no_sentence(text: str) -> str:
    if len(text) > _MAX_LETTERS:
        return f"{len(text)} letters"
    if _CONTROLS.search(text):
        return "more than one line, or orders to a terminal"
    if not text.endswith((".", "?", "'")) or " " not in text:
        return "no end"
    raw = [one for one in _RAW if one in text]
    return f"the words of a library, {raw[0]}" if raw else ""


def _is_ours(error: Exception) -> bool:
    """Say whether an error was raised by a `raise` of lopsided's."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return False
    code = trace.tb_frame.f_code
    at_raise = dis.opname[code.co_code[trace.tb_lasti]] in ("RAISE_VARARGS", "RERAISE")
    return "/lopsided/" in code.co_filename and at_raise


def _place(error: Exception) -> str:
    """Return the innermost line of lopsided's in a traceback."""
    place, trace = "?", error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if "/lopsided/" in file:
            place = f"{Path(file).name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place
