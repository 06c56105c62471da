"""Runs the blocks of a page: Python and the commands of a shell, and what they print.

`python tests/page_blocks.py docs/journey.md` writes the outputs of a page anew.
"""

import os
import re
import shlex
import sys
import warnings
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?![\w])")
BLOCK = re.compile(r"```(python|sh)\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.DOTALL)


def list_blocks(text):
    """Return the blocks of a page: language, code, and the output under it or nothing."""
    return [match.groups() for match in BLOCK.finditer(text)]


def list_python(text):
    """Return the Python blocks of a page, each with the output under it or nothing."""
    return [(code, said) for language, code, said in list_blocks(text) if language == "python"]


def list_commands(code):
    """Return the words after `lopsided` of each such command in a block for a shell."""
    lines = code.replace("\\\n", " ").splitlines()
    words = [shlex.split(line, comments=True) for line in lines]
    return [found[1:] for found in words if found[:1] == ["lopsided"]]


def run_python(text, page="a page"):
    """Yield what each Python block of a page prints, and what the page says it does."""
    names = _start_module()
    for code, said in list_python(text):
        yield _run_code(code, page, names), said


def run_all(text, page="a page"):
    """Yield what each block prints, and what the page says; commands run here."""
    names = _start_module()
    for language, code, said in list_blocks(text):
        if language == "python":
            yield _run_code(code, page, names), said
        else:
            yield _run_commands(code), said


def settle(printed, said):
    """Return what was printed, with the numbers of the page where rounding alone differs.

    Words are compared exactly. Processors round the last bit differently, and a fit may carry
    that to a digit on the page: decimals may differ by one in the last digit, counts from 10 on
    by one row, and any number by one part in fifty.
    """
    said = said or ""
    if NUMBER.sub("0", printed) != NUMBER.sub("0", said):
        return printed
    known = iter(NUMBER.findall(said))
    return NUMBER.sub(lambda match: _settle_number(match[0], next(known)), printed)


def _settle_number(printed, said):
    found, wanted = (float(number.replace(",", "")) for number in (printed, said))
    decimals = len(said.partition(".")[2])
    step = 1.001 * 10.0**-decimals if decimals or wanted >= 10 else 0.0
    return said if abs(found - wanted) <= max(step, abs(wanted) / 50) else printed


def _start_module():
    """Return the names of a module that is there, so that classes of a page can be pickled."""
    module = sys.modules["page"] = ModuleType("page")
    return vars(module)


def _run_code(code, page, names):
    printed = StringIO()
    with redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # which no page shows
        exec(compile(code, str(page), "exec"), names)
    return _trim(printed.getvalue())


def _run_commands(code):
    """Return what a terminal shows of commands: notes and results as they come."""
    from lopsided.workflow.cli import main

    shown = StringIO()
    with redirect_stdout(shown), redirect_stderr(shown), warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)  # shown as notes, whatever a test ignores
        for words in list_commands(code):
            assert main(words) == 0, f"lopsided {shlex.join(words)}: {shown.getvalue()}"
    return _trim(shown.getvalue())


def _trim(text):
    """Return a text without spaces at the ends of lines, which no page can show."""
    return re.sub(r" +$", "", text, flags=re.MULTILINE)


def _write_anew(page):
    """Write the outputs of a page anew, where it has some."""
    text = page.read_text(encoding="utf-8")
    with TemporaryDirectory() as folder, chdir(folder):
        printed = iter([found for found, _ in run_all(text, page)])

    def fill(match):
        found = next(printed)
        if match[3] is None:
            return match[0]
        return f"```{match[1]}\n{match[2]}```\n\n```text\n{found}```\n"

    page.write_text(BLOCK.sub(fill, text), encoding="utf-8")


if __name__ == "__main__":
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    for path in sys.argv[1:]:
        _write_anew(Path(path).resolve())
