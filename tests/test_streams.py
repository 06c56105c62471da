"""A standard output that is closed or full gets a sentence, before the work if it can be."""

import io
import os
import subprocess
import sys
from contextlib import contextmanager

import pytest

from lopsided._terminal import print_result
from lopsided.workflow import fitting
from lopsided.workflow.cli import main

resource = pytest.importorskip("resource")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs a shell and /dev/full")


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,y\n" + "\n".join(f"{i},{i % 5 // 4}" for i in range(60)))
    return path


@pytest.fixture
def run(table):
    """Run words of a shell after `lopsided`."""

    def call(words):
        line = f"exec '{sys.executable}' -m lopsided {words}"
        return subprocess.run(
            line, shell=True, capture_output=True, text=True, cwd=table.parent, timeout=120
        )

    return call


RANK = "rank t.csv --label y --method naive-logistic"


@pytest.mark.parametrize("words", [RANK, "methods", "demo"])
def test_a_closed_standard_output_is_found_before_the_work(run, words, tmp_path):
    done = run(f"{words} >&-")
    assert done.returncode == 2
    assert done.stderr.startswith("lopsided: Standard output is closed")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_ranking_in_a_file_needs_no_open_stream(run, tmp_path):
    assert run(f"{RANK} -o ranked.csv <&- >&- 2>&-").returncode == 0
    lines = (tmp_path / "ranked.csv").read_text().splitlines()
    assert lines[0] == "rank,id,score,probability,reasons,a,y"
    assert len(lines) == 49


def test_where_a_page_went_is_not_said_to_a_closed_stream(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    print_result("Written to page.html.")
    assert sys.stdout is None


def test_messages_never_go_to_standard_output(run):
    done = run(f"{RANK} --top 1 2>&-")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 2


@pytest.mark.parametrize("words", [RANK, "methods", "--help"])
def test_a_full_standard_output_gets_one_sentence(run, words):
    done = run(f"{words} > /dev/full")
    assert done.returncode == 2
    said = [line for line in done.stderr.splitlines() if not line.startswith("note: ")]
    assert len(said) == 1
    assert "Standard output cannot be written to: No space left on device." in said[0]


def test_a_loop_and_a_long_name_are_found_before_the_fit(table, monkeypatch, capsys):
    monkeypatch.chdir(table.parent)
    (table.parent / "loop.csv").symlink_to("loop.csv")
    with monkeypatch.context() as patch:
        patch.delattr(fitting, "fit_estimator")
        for name, message in [("loop.csv", "loop of links"), ("x" * 252 + ".csv", "is longer")]:
            assert main([*RANK.split(), "-o", name]) == 2
            said = capsys.readouterr().err
            assert message in said
            assert said.count("\n") == 1
    assert main([*RANK.split(), "-o", f"{'x' * 251}.csv"]) == 0


@pytest.mark.parametrize("words", [["methods"], ["rank", "--help"], ["--version"]])
def test_a_line_is_there_when_it_is_printed_and_a_reader_may_go(monkeypatch, words):
    for stays in (True, False):
        reader, writer = os.pipe()
        with os.fdopen(writer, "w") as stream:  # Python fills its buffer first, left alone
            monkeypatch.setattr(sys, "stdout", stream)
            if not stays:
                os.close(reader)
            try:
                code = main(words)
            except SystemExit as stop:  # argparse, after help
                code = stop.code
            assert code == 0
            if stays:
                assert os.read(reader, 100).decode().isprintable() is False
                os.close(reader)
            monkeypatch.undo()


def test_text_that_an_encoding_lacks_is_spelled_out_or_refused_in_a_list(monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    print_result("Å")
    with pytest.raises(
        ValueError, match=r"takes ascii text, got '\\xe5'\. Set PYTHONIOENCODING"
    ):
        print_result("å", exact=True)
    assert stream.buffer.getvalue() == b"\\xc5\n"


@contextmanager
def small_files(most):
    """Let no file grow beyond so many bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.filterwarnings("ignore:Compiled code cannot be kept")  # where none is yet
@pytest.mark.parametrize(
    "suffix", ["csv", "csv.gz", "csv.zip", "parquet", "feather", "html", "lop"]
)
def test_a_full_disk_leaves_the_old_file_and_nothing_else(table, capsys, suffix):
    model, out = table.with_suffix(".lop"), table.parent / "out" / f"old.{suffix}"
    own = ["--prior", "0.4", "--jobs", "1", "-q"]
    fit = ["fit", str(table), *RANK.split()[2:], *own]
    assert main([*fit, "-o", str(model)]) == 0
    out.parent.mkdir()
    # Reports want a page of their own, or nothing, to write over.
    if suffix != "html":
        out.write_text("old")
    words = {
        "html": ["report", str(model), str(table), "-q"],
        "lop": fit,
    }.get(suffix, ["rank", str(model), str(table), "-q"])
    capsys.readouterr()
    with small_files(500):
        assert main([*words, "-o", str(out)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "larger than files may be here" in said
    left = [] if suffix == "html" else [(out, "old")]
    assert [(one, one.read_text()) for one in out.parent.iterdir()] == left
