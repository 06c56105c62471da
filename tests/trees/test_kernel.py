import os
import tempfile
from pathlib import Path

import numba
import pytest

from lopsided import _kernel
from lopsided._kernel import cache_folder, formula, kernel, part


@pytest.fixture
def places(tmp_path, monkeypatch):
    """A package, a user's cache and a temporary folder of our own."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return tmp_path


def forbid_writing(monkeypatch, *folders):
    allowed = os.access
    monkeypatch.setattr(
        os,
        "access",
        lambda path, mode: (
            not any(Path(path).is_relative_to(folder) for folder in folders)
            and allowed(path, mode)
        ),
    )


def forbid_making(monkeypatch, *folders):
    make = Path.mkdir

    def refuse(self, *args, **kwargs):
        if any(self.is_relative_to(folder) for folder in folders):
            raise PermissionError(13, "Permission denied", str(self))
        make(self, *args, **kwargs)

    monkeypatch.setattr(Path, "mkdir", refuse)


def test_compiled_code_lies_beside_the_source(places):
    folder = cache_folder(places / "package")
    assert folder.parent == places / "package" / "__pycache__"
    assert folder.is_dir()


@pytest.mark.parametrize("forbid", [forbid_writing, forbid_making])
def test_a_package_that_cannot_be_written_to_uses_the_users_cache(places, monkeypatch, forbid):
    forbid(monkeypatch, places / "package")
    assert cache_folder(places / "package").parent == places / "cache" / "lopsided"


@pytest.mark.parametrize("forbid", [forbid_writing, forbid_making])
def test_without_a_users_cache_a_temporary_folder_serves(places, monkeypatch, forbid):
    forbid(monkeypatch, places / "package", places / "cache")
    assert cache_folder(places / "package").parent == places / "temporary"


def test_where_nothing_can_be_kept_a_new_temporary_folder_serves(places, monkeypatch):
    forbid_writing(monkeypatch, places)
    one, other = (cache_folder(places / "package") for _ in range(2))
    assert one.is_dir()
    assert one != other


def test_the_users_wish_comes_first(places, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(places / "wish"))
    assert cache_folder(places / "package").parent == places / "wish"
    forbid_making(monkeypatch, places / "wish")
    assert cache_folder(places / "package").parent == places / "package" / "__pycache__"


def test_without_a_cache_of_its_own_a_user_has_one_at_home(places, monkeypatch):
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(places / "home"))
    forbid_making(monkeypatch, places / "package")
    assert cache_folder(places / "package").parent == places / "home/.cache/lopsided"


def test_the_fingerprint_changes_with_every_source_of_kernels(tmp_path, monkeypatch):
    sources = ["trees/grower.py", "trees/random.py", "methods/_objective.py"]
    for source in sources:
        (tmp_path / source).parent.mkdir(exist_ok=True)
        (tmp_path / source).write_text("a = 1\n")
    (tmp_path / "other.py").write_text("a = 1\n")
    monkeypatch.setattr(_kernel, "_PACKAGE", tmp_path)
    seen = [_kernel._fingerprint()]
    for source in sources:
        (tmp_path / source).write_text("a = 2\n")
        seen.append(_kernel._fingerprint())
    assert len(set(seen)) == 4
    (tmp_path / "other.py").write_text("a = 2\n")
    assert _kernel._fingerprint() == seen[-1]
    (tmp_path / "trees" / "new.py").write_text("a = 1\n")
    assert _kernel._fingerprint() not in seen


def test_every_module_with_kernels_is_in_the_fingerprint():
    package = Path(_kernel.__file__).parent
    users = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if "lopsided._kernel import" in path.read_text()
    }
    assert users
    assert all(user.startswith("trees/") or user == "methods/_objective.py" for user in users)


def test_kernels_are_kept_and_parts_are_not():
    before = numba.config.CACHE_DIR

    def double(x):
        return 2 * x

    kept, inner, written_out = kernel(double), part(double), formula(double)

    @numba.njit
    def call(x):  # Python itself cannot call a part
        return inner(x)

    assert kept(3) == call(3) == written_out(3) == 6
    assert "lopsided-kernels-" in kept.stats.cache_path
    assert inner.stats.cache_path is None
    assert kept.targetoptions["nogil"]
    assert before == numba.config.CACHE_DIR
