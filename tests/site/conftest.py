"""The site, built once for all tests without running the gallery.

Pages, reference and links are those of `make docs`; only the outputs of the gallery are left
out, since its examples take minutes. The sources are copied, so that a build of the tree and
its generated pages stay as they are. Workers of a run share the build, which takes half a
minute of one core.
`LOPSIDED_SITE=out/site` tests the site that `make docs` has built instead.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from chromium import browser as browser

ROOT = Path(__file__).parents[2]
GENERATED = shutil.ignore_patterns(
    "auto_examples", "generated", "backreferences", "results", "__pycache__"
)


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The folder of the built site."""
    if built := os.environ.get("LOPSIDED_SITE"):
        return (ROOT / built).resolve()
    pytest.importorskip("sphinx", reason="needs the extra docs")
    pytest.importorskip("sphinx_gallery", reason="needs the extra docs")
    fcntl = pytest.importorskip("fcntl")
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    with (shared / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # until the file is closed
        said = shared / "site.txt"
        if not said.exists():
            said.write_text(build(shared / "tree", shared / "site"), encoding="utf-8")
    assert not said.read_text(encoding="utf-8"), said.read_text(encoding="utf-8")[-4000:]
    return shared / "site"


def build(tree, out):
    """Build the site from a copy of the pages beside all else, and return complaints."""
    tree.mkdir()
    for path in ROOT.iterdir():
        if path.name not in ("docs", "out", ".venv", ".git"):
            (tree / path.name).symlink_to(path)
    shutil.copytree(ROOT / "docs", tree / "docs", ignore=GENERATED)
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q"]
    command += ["-D", "plot_gallery=0", tree / "docs", out]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    return done.stderr if done.returncode else ""
