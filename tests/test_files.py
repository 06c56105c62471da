import errno
import os
import stat
import subprocess
import sys

import pytest

from lopsided import _files
from lopsided._files import (
    atomic_write,
    check_folder,
    check_new_file,
    check_readable,
    check_writable,
    hold_folder,
)


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    target = tmp_path / "new" / "file.txt"
    with atomic_write(target) as draft:
        draft.write_text("whole")
        assert not target.exists()
    assert target.read_text() == "whole"


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, OSError])
def test_a_failure_keeps_the_old_file_and_leaves_nothing_behind(tmp_path, error):
    target = tmp_path / "file.txt"
    target.write_text("old")

    def fail_halfway():
        with atomic_write(target) as draft:
            draft.write_text("half")
            raise error

    with pytest.raises(error):
        fail_halfway()
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["file.txt"]


def test_links_and_rights_of_an_old_file_are_kept(tmp_path):
    target, link = tmp_path / "file.txt", tmp_path / "link.txt"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    with atomic_write(link) as draft:
        draft.write_text("new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert target.stat().st_mode & 0o777 == 0o640


def test_a_new_file_has_ordinary_rights(tmp_path):
    with atomic_write(tmp_path / "a") as draft:
        draft.write_text("")
    (tmp_path / "b").write_text("")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode


def test_file_and_folder_are_flushed_around_the_rename(tmp_path, monkeypatch):
    done = []

    def note_flush(handle, flush=os.fsync):
        done.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        flush(handle)

    def note_rename(old, new, rename=os.replace):
        done.append("rename")
        rename(old, new)

    monkeypatch.setattr(os, "fsync", note_flush)
    monkeypatch.setattr(os, "replace", note_rename)
    with atomic_write(tmp_path / "a") as draft:
        draft.write_text("on the disk")
    assert done == ["file", "rename", "folder"]


@pytest.mark.parametrize("length", [200, 254, 255])
def test_a_name_may_be_as_long_as_the_file_system_takes(tmp_path, length):
    with atomic_write(tmp_path / ("x" * length)) as draft:
        draft.write_text("long")
    assert (tmp_path / ("x" * length)).read_text() == "long"


def test_what_cannot_be_written_is_found_without_writing(tmp_path):
    (tmp_path / "loop").symlink_to(tmp_path / "pool")
    (tmp_path / "pool").symlink_to(tmp_path / "loop")
    (tmp_path / "self").symlink_to("self")
    (tmp_path / "file").write_text("")
    os.mkfifo(tmp_path / "pipe")
    before = sorted(os.listdir(tmp_path))
    for name, message in [
        ("loop", "loop of links"),
        ("self", "loop of links"),
        ("self/new/file.txt", "loop of links"),
        ("x" * 256, "longer than the file system takes"),
        ("new/" + "\N{GREEK SMALL LETTER ALPHA}" * 128, "longer than the file system takes"),
        ("x" * 256 + "/file.txt", "longer than the file system takes"),
        ("new/" * 1100 + "a", "longer than the file system takes"),
        ("pipe", "cannot be written"),
        ("file/file.txt", "cannot be written"),
        ("", "is a folder"),
        ("/", "is a folder"),
    ]:
        for write in (check_writable, lambda path: atomic_write(path).__enter__()):
            with pytest.raises(OSError, match=message):
                write(tmp_path / name)
    assert sorted(os.listdir(tmp_path)) == before


@pytest.mark.parametrize("check", [check_new_file, check_readable])
def test_a_sentence_holds_the_beginning_of_a_very_long_path(tmp_path, check):
    with pytest.raises(FileNotFoundError, match="There is no") as caught:
        check(tmp_path / "/".join(["y" * 200] * 19) / "out.csv")
    assert str(tmp_path) in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("path", [None, 3, 0.5, b"name", ["name"]])
def test_what_is_no_path_is_refused(path):
    with pytest.raises(ValueError, match="must be a path, got"):
        check_writable(path)


def test_a_link_to_a_file_that_is_still_missing_is_written_through(tmp_path):
    (tmp_path / "link").symlink_to("deep/er/file")
    assert check_writable(tmp_path / "link") == tmp_path / "deep" / "er" / "file"
    with atomic_write(tmp_path / "link") as draft:
        draft.write_text("there")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "deep" / "er" / "file").read_text() == "there"


@pytest.mark.skipif(sys.platform == "win32", reason="drafts are not locked there")
def test_a_draft_that_nobody_holds_is_swept_and_one_in_use_is_not(tmp_path):
    with atomic_write(tmp_path / "a") as held:
        held.write_text("half")
        (tmp_path / f"{_files._DRAFT}of-the-dead").write_text("half")
        (tmp_path / ".a.draft").write_text("not ours")
        (tmp_path / f"{_files._DRAFT}link").symlink_to(tmp_path / ".a.draft")
        with atomic_write(tmp_path / "b") as draft:
            draft.write_text("b")
        assert held.read_text() == "half"
        held.write_text("whole")
    assert (tmp_path / "a").read_text() == "whole"
    assert (tmp_path / ".a.draft").read_text() == "not ours"
    assert not (tmp_path / f"{_files._DRAFT}of-the-dead").exists()


def test_a_draft_that_is_swept_before_it_is_locked_is_made_again(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl")
    swept = []

    def lock_late(handle, how, lock=fcntl.flock):
        if not swept:
            (draft,) = tmp_path.iterdir()
            swept.append(draft)
            draft.unlink()
        lock(handle, how)

    monkeypatch.setattr(fcntl, "flock", lock_late)
    with atomic_write(tmp_path / "a") as draft:
        draft.write_text("whole")
    assert swept
    assert os.listdir(tmp_path) == ["a"]


def test_only_a_folder_without_our_mark_is_refused_for_what_it_holds(tmp_path):
    check_folder(tmp_path / "new", ["mark"], ["table"])
    (tmp_path / "notes").write_text("")
    check_folder(tmp_path, ["mark"], ["table"])
    (tmp_path / "table").symlink_to("nowhere")
    with pytest.raises(FileExistsError, match=r"another table\. Name another folder"):
        check_folder(tmp_path, ["mark"], ["table"])
    (tmp_path / "mark").write_text("")
    check_folder(tmp_path, ["mark"], ["table"])


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("path", ["/proc/x.csv", "/sys/x.csv", "/proc/new/x.csv"])
def test_a_folder_that_takes_no_files_is_found_before_anything_is_written(path):
    for write in (check_writable, lambda path: atomic_write(path).__enter__()):
        with pytest.raises(OSError, match=rf"^{path} cannot be written to: .*Choose another"):
            write(path)


def test_looking_whether_a_file_can_be_written_leaves_nothing(tmp_path):
    assert check_writable(tmp_path / "new" / "file") == tmp_path / "new" / "file"
    assert os.listdir(tmp_path) == []
    (tmp_path / "file").write_text("old")
    check_writable(tmp_path / "file")
    assert os.listdir(tmp_path) == ["file"]
    assert (tmp_path / "file").read_text() == "old"


@pytest.mark.parametrize("name", ["EFBIG", "ENOSPC", "EDQUOT", "EIO"])
def test_a_disk_that_fails_is_told_with_the_file_and_what_to_do(tmp_path, name):
    number = getattr(errno, name)
    with (
        pytest.raises(OSError, match=r"out\.csv cannot be written: .*elsewhere") as found,
        atomic_write(tmp_path / "out.csv"),
    ):
        raise OSError(number, os.strerror(number))
    assert "Errno" not in str(found.value)
    assert found.value.errno == number
    assert not list(tmp_path.iterdir())


def test_other_errors_while_writing_stay_as_they_are(tmp_path):
    with pytest.raises(BlockingIOError, match="again"), atomic_write(tmp_path / "out.csv"):
        raise BlockingIOError(errno.EAGAIN, "again")


WRITER = """
import sys
from lopsided._files import atomic_write
for turn in range(150):
    with atomic_write("list.csv") as draft:
        draft.write_text(sys.argv[1] * 20_000)
"""


def test_two_processes_that_write_one_file_never_mix_in_it(tmp_path):
    commands = [[sys.executable, "-c", WRITER, word] for word in "ab"]
    writers = [subprocess.Popen(command, cwd=tmp_path) for command in commands]
    seen = set()
    while any(writer.poll() is None for writer in writers):
        if (tmp_path / "list.csv").exists():
            text = (tmp_path / "list.csv").read_text()
            assert len(text) == 20_000
            seen |= set(text)
            assert len(set(text)) == 1
    assert [writer.returncode for writer in writers] == [0, 0]
    assert seen <= {"a", "b"}
    assert [one.name for one in tmp_path.iterdir()] == ["list.csv"]


def test_a_folder_is_held_by_one_run_at_a_time(tmp_path):
    pytest.importorskip("fcntl")
    folder = tmp_path / "new"
    with (
        hold_folder(folder),
        pytest.raises(OSError, match=r"Another run is writing to .*new"),
        hold_folder(folder, wait=False),
    ):
        raise AssertionError("held twice")
    with hold_folder(folder, wait=False):
        assert list(folder.iterdir()) == []
