import os

import pytest

from lopsided._kernel_cache import make_private

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="folders have no modes here")


def give_away(monkeypatch, path):
    """Let a folder belong to somebody else."""
    look = os.lstat

    def lstat(asked):
        found = list(look(asked))
        if os.fspath(asked) == os.fspath(path):
            found[4] = os.geteuid() + 1
        return os.stat_result(found)

    monkeypatch.setattr(os, "lstat", lstat)


def test_new_folders_are_for_the_user_alone_whatever_the_umask(tmp_path):
    before = os.umask(0)
    try:
        assert make_private(tmp_path / "a" / "b")
    finally:
        os.umask(before)
    for path in (tmp_path / "a", tmp_path / "a" / "b"):
        assert path.stat().st_mode & 0o777 == 0o700
    assert make_private(tmp_path / "a" / "b"), "a second time it is there"


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777, 0o755, 0o1777])
def test_a_folder_that_others_may_enter_is_refused(tmp_path, mode):
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(mode)
    assert not make_private(tmp_path / "open")


def test_a_folder_of_another_user_is_refused(tmp_path, monkeypatch):
    (tmp_path / "theirs").mkdir(mode=0o700)
    give_away(monkeypatch, tmp_path / "theirs")
    assert not make_private(tmp_path / "theirs")


def test_links_and_files_are_no_folders(tmp_path):
    (tmp_path / "folder").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    (tmp_path / "nowhere").symlink_to(tmp_path / "missing")
    (tmp_path / "file").touch(mode=0o700)
    for name in ("link", "nowhere", "file", "file/inside", "link/inside"):
        assert not make_private(tmp_path / name)
    assert not any((tmp_path / "folder").iterdir())


@pytest.mark.parametrize(
    ("mode", "trusted"), [(0o777, False), (0o775, False), (0o1777, True), (0o755, True)]
)
def test_nobody_may_replace_a_folder_in_one_above(tmp_path, mode, trusted):
    (tmp_path / "above").mkdir()
    (tmp_path / "above").chmod(mode)
    assert make_private(tmp_path / "above" / "middle" / "ours") is trusted
    assert (tmp_path / "above" / "middle").exists() is trusted, "nothing is left behind"


def test_the_owner_of_a_folder_above_could_replace_it(tmp_path, monkeypatch):
    (tmp_path / "theirs").mkdir()
    give_away(monkeypatch, tmp_path / "theirs")
    assert not make_private(tmp_path / "theirs" / "ours")
    assert not any((tmp_path / "theirs").iterdir())


def test_a_folder_that_cannot_be_made_or_written_to_is_refused(tmp_path, monkeypatch):
    assert not make_private(tmp_path / ("x" * 300))
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert not make_private(tmp_path / "read-only")


def test_where_users_have_no_numbers_any_folder_will_do(tmp_path, monkeypatch):
    monkeypatch.delattr(os, "geteuid")
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    assert make_private(tmp_path / "open" / "ours")
    assert not make_private(tmp_path / "open" / ("x" * 300))
