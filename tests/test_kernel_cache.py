import ast
import os
import pickle
import shutil
import tempfile
import warnings
from importlib import import_module
from pathlib import Path

import numba
import pytest

from lopsided import _kernel_cache
from lopsided._kernel import njit_cached
from lopsided._kernel_cache import compile_cache_folder, hash_sources

PACKAGE = Path(_kernel_cache.__file__).parent


@pytest.fixture
def places(tmp_path, monkeypatch):
    """A package, a user's cache and a temporary folder of our own."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return tmp_path.resolve()


def spoil(*folders):
    """Let anybody write to these."""
    for folder in folders:
        folder.mkdir(exist_ok=True)
        folder.chmod(0o777)


def test_compiled_code_lies_beside_the_source(places):
    folder = compile_cache_folder(places / "package")
    assert folder.parent == places / "package" / "__pycache__"
    assert folder.is_dir()


def test_a_package_that_others_can_write_to_uses_the_users_cache(places):
    spoil(places / "package")
    assert compile_cache_folder(places / "package").parent == places / "cache" / "lopsided"


def test_without_a_users_cache_a_folder_by_the_users_number_serves(places):
    spoil(places / "package", places / "cache")
    folder = compile_cache_folder(places / "package")
    assert folder.parent.parent == places / "temporary"
    assert folder == compile_cache_folder(places / "package")


def test_a_planted_folder_is_not_used(places):
    spoil(places / "package", places / "cache")
    compile_cache_folder(places / "package").chmod(0o777)
    assert compile_cache_folder(places / "package") is None


def test_the_users_wish_comes_first_if_it_is_safe(places, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(places / "wish"))
    assert compile_cache_folder(places / "package").parent == places / "wish"
    spoil(places / "wish")
    with pytest.warns(UserWarning, match="NUMBA_CACHE_DIR must be a folder"):
        folder = compile_cache_folder(places / "package")
    assert folder.parent == places / "package" / "__pycache__"


def test_a_wish_that_is_a_link_is_followed_once_and_for_all(places, monkeypatch):
    (places / "link").symlink_to(places / "target")
    (places / "loop").symlink_to(places / "loop")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(places / "link"))
    assert compile_cache_folder(places / "package").parent == places / "target"
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(places / "loop"))
    with pytest.warns(UserWarning, match="NUMBA_CACHE_DIR"):
        compile_cache_folder(places / "package")


def test_a_cache_at_home_serves_where_none_is_named(places, monkeypatch):
    spoil(places / "package")
    monkeypatch.setenv("HOME", str(places / "home"))
    monkeypatch.delenv("XDG_CACHE_HOME")
    folder = compile_cache_folder(places / "package")
    assert folder.parent == places / "home/.cache/lopsided"


@pytest.mark.parametrize("name", ["XDG_CACHE_HOME", "HOME"])
def test_a_relative_cache_is_none(places, monkeypatch, name):
    spoil(places / "package")
    monkeypatch.chdir(places)
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv(name, "relative")
    assert compile_cache_folder(places / "package").is_relative_to(places / "temporary")
    assert not (places / "relative").exists()


def test_a_missing_temporary_folder_matters_only_where_it_is_needed(places, monkeypatch):
    def fail():
        raise FileNotFoundError(2, "No usable temporary directory found")

    monkeypatch.setattr(tempfile, "gettempdir", fail)
    assert compile_cache_folder(places / "package").is_relative_to(places / "package")
    spoil(places / "package", places / "cache")
    assert compile_cache_folder(places / "package") is None


def test_the_hash_changes_with_every_source_of_kernels(tmp_path):
    (tmp_path / "deep").mkdir()
    old, other, new = tmp_path / "old.py", tmp_path / "other.py", tmp_path / "deep" / "new.py"
    decorated = "from lopsided._kernel import njit_helper\n"
    old.write_text(decorated)
    other.write_text("a = 1\n")
    seen = [hash_sources(tmp_path)]
    old.write_text(decorated + "a = 1\n")
    seen.append(hash_sources(tmp_path))
    new.write_text(decorated)
    seen.append(hash_sources(tmp_path))
    new.write_text(decorated + "a = 1\n")
    seen.append(hash_sources(tmp_path))
    assert len(set(seen)) == 4
    other.write_text("a = 2\n")
    assert hash_sources(tmp_path) == seen[-1]


def test_kernels_take_nothing_from_files_outside_the_hash():
    hashed = [path for path in PACKAGE.rglob("*.py") if "lopsided._kernel" in path.read_text()]
    names = {
        ".".join(["lopsided", *path.relative_to(PACKAGE).with_suffix("").parts]): path
        for path in hashed
    }
    assert {"lopsided.trees.grower", "lopsided.methods._loss_kernels"} <= names.keys()
    for name, path in names.items():
        compiled = [
            value
            for value in vars(import_module(name)).values()
            if isinstance(value, numba.core.dispatcher.Dispatcher)
        ]
        used = {word for one in compiled for word in one.py_func.__code__.co_names}
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module.startswith("lopsided"):
                taken = used & {alias.asname or alias.name for alias in node.names}
                assert not taken or node.module in names, (name, node.module, taken)


def triple(x):
    return 3 * x


@pytest.fixture
def folder(places, monkeypatch):
    """A folder that kernels are kept in."""
    chosen = compile_cache_folder(places / "package")
    monkeypatch.setattr(_kernel_cache, "_chosen_folder", lambda: chosen)
    return chosen


def run_anew():
    """Run the kernel as a new process would; say whether it was compiled before."""
    fresh = njit_cached(triple)
    assert fresh(7) == 21
    return sum(fresh.stats.cache_hits.values()) == 1


def test_what_was_compiled_is_taken_from_the_cache(folder):
    assert [run_anew() for _ in range(2)] == [False, True]


def test_what_was_compiled_for_another_processor_is_not_used(folder, monkeypatch):
    run_anew()
    with monkeypatch.context() as patch:
        patch.setattr(numba.config, "CPU_NAME", "generic")
        patch.setattr(numba.config, "CPU_FEATURES", "")
        assert [run_anew() for _ in range(2)] == [False, True]
    assert run_anew()


def flip(content, place):
    place = int(len(content) * place)
    return content[:place] + bytes([content[place] ^ 255]) + content[place + 1 :]


DAMAGES = {
    "empty": lambda content: b"",
    "cut": lambda content: content[: len(content) // 2],
    "foreign": lambda content: b"no pickle, but text\n" * 50,
    "zeros": lambda content: bytes(len(content)),
    "another pickle": lambda content: pickle.dumps((1, 2, 3)),
    "flipped early": lambda content: flip(content, 0.3),
    "flipped late": lambda content: flip(content, 0.8),
}


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_cache_is_filled_anew(folder, suffix, damage):
    run_anew()
    (path,) = folder.rglob(f"*.{suffix}")
    path.write_bytes(damage(path.read_bytes()))
    assert [run_anew() for _ in range(2)] == [False, True]


def test_an_index_that_cannot_be_read_is_made_anew(folder):
    run_anew()
    (path,) = folder.rglob("*.nbi")
    path.unlink()
    path.mkdir()  # unreadable even for root
    assert [run_anew() for _ in range(2)] == [False, True]


def test_a_full_disk_costs_a_warning_that_names_the_folder(folder):
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        with pytest.warns(UserWarning, match=f"cannot be kept in {folder}.*NUMBA_CACHE_DIR"):
            assert not run_anew()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert [run_anew() for _ in range(2)] == [False, True], "with room it is kept again"


def test_a_cache_removed_while_running_is_made_anew(folder):
    running = njit_cached(triple)
    running(1)
    shutil.rmtree(folder)
    assert running(0.5) == 1.5
    assert folder.stat().st_mode & 0o777 == 0o700
    assert list(folder.rglob("*.nbc"))


def test_a_folder_that_others_got_hold_of_while_running_is_left_alone(folder):
    run_anew()
    folder.chmod(0o777)
    assert [run_anew() for _ in range(2)] == [False, False]


def test_without_any_folder_kernels_are_compiled_and_the_user_is_told(folder, monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr(_kernel_cache, "compile_cache_folder", lambda: None)
    _kernel_cache._chosen_folder.cache_clear()
    try:
        with pytest.warns(UserWarning, match="NUMBA_CACHE_DIR"):
            assert not run_anew()
        assert njit_cached(triple).stats.cache_path is None
    finally:
        _kernel_cache._chosen_folder.cache_clear()


class Plant:
    """A pickle that makes a folder when it is loaded."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.makedirs, (str(self.path), 0o700, True)


def test_a_planted_file_is_loaded_from_a_private_folder_only(folder, tmp_path):
    run_anew()
    (path,) = folder.rglob("*.nbi")
    path.write_bytes(pickle.dumps(Plant(tmp_path / "harm")))
    folder.chmod(0o777)
    run_anew()
    assert not (tmp_path / "harm").exists()
    folder.chmod(0o700)
    run_anew()
    assert (tmp_path / "harm").exists(), "the plant would have worked"


def test_no_folder_is_looked_for_before_a_kernel_is_called(monkeypatch):
    def fail():
        raise AssertionError("looked for a folder")

    monkeypatch.setattr(_kernel_cache, "_chosen_folder", fail)
    njit_cached(triple)


def test_numba_is_left_as_it_was(folder, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", "elsewhere")
    monkeypatch.setattr(numba.config, "CACHE_LOCATOR_CLASSES", "InTree", raising=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [run_anew() for _ in range(2)] == [False, True]
    assert numba.config.CACHE_DIR == "elsewhere"
    assert numba.config.CACHE_LOCATOR_CLASSES == "InTree"
