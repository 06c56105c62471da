"""What is told of a check that fails: which one, what it holds, and what came."""

from traceback import extract_tb
from typing import Any

from lopsided._terminal import abbreviate

_MOST = 300  # letters of an error that are told; the whole of it stands above, as the cause


def tell_error(error: BaseException) -> str:
    """Return an error in one line: its words, or the line of code that it came from."""
    said = abbreviate(str(error).strip(), _MOST)
    kind = type(error).__name__
    if not said:
        frames = extract_tb(error.__traceback__)
        said = f"`{abbreviate(frames[-1].line, _MOST)}` failed" if frames else ""
    if isinstance(error, AssertionError):
        return said or kind
    return f"{kind}: {said}" if said else kind


def end_sentence(text: str) -> str:
    """Return a text that ends as a sentence does."""
    return text if text.endswith((".", "?", "!")) else f"{text}."


def breach(
    estimator: Any, check: str, error: BaseException, holds: str = "", advice: str = ""
) -> AssertionError:
    """Return the error for a method that fails a check, in words that name it."""
    about = f" ({holds})" if holds else ""
    told = f"{type(estimator).__name__} must pass {check!r} of the contract{about}"
    came = end_sentence(tell_error(error))
    return AssertionError(f"{told}, and does not: {came} {advice}".rstrip())
