"""No block of a page is executed by nothing.

A page that a test of its own runs is named in `ELSEWHERE`. All others run here, as printed:
Python and the commands of `lopsided` for real, on a small table that stands in for a reader's.
Other commands are checked against what they name: nothing is installed or computed for hours.
"""

import re
import shlex
import tomllib
from pathlib import Path

import pandas as pd
import pytest
from page_blocks import list_blocks, list_commands, run_all, settle

from lopsided.datasets import make_claims
from lopsided.methods import registry
from lopsided.workflow.cli import build_parser, main

ROOT = Path(__file__).parents[2]
PAGES = {
    path.name: path.read_text(encoding="utf-8")
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/*.md"))]
    if not path.name.endswith(".in.md")  # templates of pages
}
# The test that runs a page, and the languages that it runs.
ELSEWHERE = {
    "README.md": ("tests/test_readme.py", {"python"}),
    "CONTRIBUTING.md": ("tests/test_contributing.py", {"python", "jinja"}),
    "choosing.md": ("tests/test_choosing.py", {"python", "sh"}),
    "dask.md": ("tests/dask/test_guide.py", {"python"}),
    "deciding.md": ("tests/test_deciding.py", {"python"}),
    "extend.md": ("tests/test_extend.py", {"python", "sh"}),
    "journey.md": ("tests/test_journey.py", {"python", "sh"}),
    "reviewing.md": ("tests/test_reviewing.py", {"python"}),
    "tables.md": ("tests/test_journey.py", {"python", "sh"}),
    "ten_minutes.md": ("tests/test_ten_minutes.py", {"python", "sh"}),
}
# Pages that fit the default method and show nothing of what comes out: its fast preset will do.
FAST = {"README.md", "install.md"}
# Commands that are only parsed: the page, how they begin, and why.
PARSED = [
    (
        "dask.md",
        "lopsided",
        "starts a cluster, as tests/dask/test_folders.py does",
    ),
    ("install.md", "lopsided demo", "tests/workflow/test_commands.py runs it"),
]
# Languages that are shown, not executed.
SHOWN = {"text"}


def list_fences(text):
    """Return the language of every block of a page, whoever may run it."""
    fences = re.findall(r"^ *(`{3,}|:{3,})([^\n]*)$", text, flags=re.MULTILINE)
    languages, inside = [], ""
    for mark, language in fences:
        if mark[0] == ":":
            continue
        if inside:
            inside = "" if mark == inside and not language else inside
        else:
            inside = mark
            languages.append(language.strip())
    return languages


def read_lines(code):
    """Return the words of each command of a block."""
    lines = code.replace("\\\n", " ").splitlines()
    return [words for line in lines if (words := shlex.split(line, comments=True))]


@pytest.mark.parametrize("page", PAGES)
def test_every_block_is_of_a_language_that_is_executed_or_shown(page):
    for language in list_fences(PAGES[page]):
        told = ELSEWHERE.get(page, ("", ()))[1]
        assert (
            language.startswith("{")  # a directive of the site
            or language in SHOWN
            or language in ("python", "sh")
            or language in told
        ), f"```{language} of {page} is executed by nothing"


def test_the_tests_of_pages_are_there_and_read_them():
    for page, (test, _) in ELSEWHERE.items():
        assert f'"{page}"' in (ROOT / test).read_text(encoding="utf-8"), page


@pytest.mark.parametrize(("page", "start", "reason"), PARSED)
def test_what_is_only_parsed_is_still_on_the_page(page, start, reason):
    commands = [
        shlex.join(words)
        for language, code, _ in list_blocks(PAGES[page])
        if language == "sh"
        for words in read_lines(code)
    ]
    assert any(command.startswith(start) for command in commands)
    for path in re.findall(r"tests/\S+\.py", reason):
        assert (ROOT / path).exists()


def is_parsed_only(page, words):
    command = shlex.join(words)
    return any(name == page and command.startswith(start) for name, start, _ in PARSED)


def check_make(words, page):
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    wanted = {word for word in words[1:] if not re.match(r"[A-Z]+=", word)}  # but variables
    assert wanted <= set(targets), words


def check_pip(words, page):
    assert words[1] == "install"
    for wanted in words[2:]:
        name, extras = re.fullmatch(r"([\w./-]+?)(?:\[([\w,]+)\])?", wanted).groups()
        folder = ROOT / ("." if name == "lopsided" else name)
        project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
        if extras:
            assert set(extras.split(",")) <= set(project["optional-dependencies"]), wanted


def check_script(words, page):
    script = (ROOT / words[1]).read_text(encoding="utf-8")
    for option in words[2:]:
        assert not option.startswith("--") or f'"{option}"' in script, words


def check_completion(words, page):
    assert words[1:] == ["<(lopsided", "completion", "bash)"]
    assert main(["completion", "bash"]) == 0


def check_application(words, page):
    cli = pytest.importorskip("lopsided_misstatement.cli")
    cli._parser().parse_args(words[1:])


def check_bench(words, page):
    """A study that a page names is there, and all that it asks for is known."""
    cli = pytest.importorskip("lopsided_bench.cli")
    from lopsided_bench.study import read_study

    options = cli.build_parser().parse_args(words[1:])
    assert read_study(ROOT / options.study).methods


CHECKS = {
    "make": check_make,
    "pip": check_pip,
    "python": check_script,
    "source": check_completion,
    "lopsided-bench": check_bench,
    "lopsided-misstatement": check_application,
}


@pytest.mark.parametrize("page", PAGES)
def test_every_other_command_of_a_page_can_be_typed(page, capfd):
    for language, code, _ in list_blocks(PAGES[page]):
        for words in read_lines(code) if language == "sh" else ():
            if words[0] != "lopsided":
                CHECKS[words[0]](words, page)
            elif is_parsed_only(page, words):
                build_parser().parse_args(words[1:])


def write_tables(page):
    """Write what a page's commands read."""
    claims = make_claims(400, labeled=0.5).table
    if page == "README.md":
        labels = claims["status"].map({"confirmed": "1", "cleared": "-1"}).fillna("")
        claims = claims.drop(columns="status").assign(fraud=labels)
        unlabeled = claims["fraud"] == ""
        claims.loc[claims.index[unlabeled][0], "claim_no"] = "C-1042"
        reviewed = claims[unlabeled].head(30).rename(columns={"claim_no": "id"})
        verdicts = ["1", *["-1"] * 29]
        reviewed.assign(verdict=verdicts).to_csv("reviewed.csv", index=False)
        claims.drop(columns="fraud").to_csv("next_month.csv", index=False)
    if page == "out_of_core.md":
        write_folder()
    claims.to_csv("claims.csv", index=False)


def write_folder():
    """Write a folder of parquet files with plain numbers."""
    Path("claims").mkdir()
    claims = make_claims(2000, labeled=0.5)
    status = claims.table["status"].map({"confirmed": 1, "cleared": -1}).fillna(0).astype(int)
    days = pd.to_numeric(claims.table["policy_days"], errors="coerce")
    table = pd.DataFrame({"claim_no": claims.table["claim_no"], "fraud": status, "days": days})
    for number, part in enumerate((table[:1000], table[1000:])):
        part.to_parquet(f"claims/{number}.parquet", index=False)


def leave_out(page, text):
    """Return a page without what another test runs and what is only parsed."""
    done = ELSEWHERE.get(page, ("", ()))[1]
    kept = []
    for language, code, said in list_blocks(text):
        if language in done:
            continue
        if language == "sh":
            lines = [["lopsided", *words] for words in list_commands(code)]
            lines = [shlex.join(words) for words in lines if not is_parsed_only(page, words)]
            code = "".join(f"{line}\n" for line in lines)
        below = f"\n```text\n{said}```\n" if said is not None else ""
        kept += [f"```{language}\n{code}```\n{below}"] if code else []
    return "\n".join(kept)


def hurry(monkeypatch):
    """Let the fast preset stand in for the default method."""
    methods = [
        method._replace(params={"preset": "fast"}) if method.name == "focused" else method
        for method in registry.METHODS
    ]
    monkeypatch.setattr(registry, "METHODS", tuple(methods))


@pytest.mark.parametrize(
    "page", [page for page, text in PAGES.items() if leave_out(page, text)]
)
def test_the_blocks_of_a_page_run_and_print_what_it_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if page in FAST:
        hurry(monkeypatch)
    write_tables(page)
    before = set(tmp_path.rglob("*"))
    for printed, said in run_all(leave_out(page, PAGES[page]), page):
        if said is not None:
            assert settle(printed, said) == said
    written = {path.name for path in set(tmp_path.rglob("*")) - before}
    for name in re.findall(r" -o (\S+)", leave_out(page, PAGES[page])):
        assert name in written


def test_a_block_that_fails_would_be_found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(KeyError):
        list(run_all(leave_out("new.md", "```python\n{}['a']\n```\n")))
    with pytest.raises(AssertionError, match=r"none\.csv"):
        list(run_all(leave_out("new.md", "```sh\nlopsided check none.csv --label y\n```\n")))
    with pytest.raises(SystemExit):
        check_bench(["lopsided-bench", "run", "--such"], "new.md")
    with pytest.raises(AssertionError):
        check_pip(["pip", "install", ".[nothing]"], "new.md")
    with pytest.raises(AssertionError):
        check_make(["make", "coffee"], "new.md")
