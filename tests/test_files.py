import os

import pytest

from lopsided._files import write_whole


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    target = tmp_path / "new" / "file.txt"
    with write_whole(target) as draft:
        draft.write_text("whole")
        assert not target.exists()
    assert target.read_text() == "whole"


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, OSError])
def test_a_failure_keeps_the_old_file_and_leaves_nothing_behind(tmp_path, error):
    target = tmp_path / "file.txt"
    target.write_text("old")

    def fail_halfway():
        with write_whole(target) as draft:
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
    with write_whole(link) as draft:
        draft.write_text("new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert target.stat().st_mode & 0o777 == 0o640


def test_a_new_file_has_ordinary_rights(tmp_path):
    with write_whole(tmp_path / "a") as draft:
        draft.write_text("")
    (tmp_path / "b").write_text("")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode
