"""What is published: its files, its bounds, and the versions that it is tested with."""

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_bytes
from itertools import chain
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "lopsided"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
TOOLS = ("dev", "docs")  # extras that nobody needs who uses the package
BENCH = tomllib.loads((ROOT / "applications/bench/pyproject.toml").read_text())["project"]
PARTS = [("", PROJECT["dependencies"]), *EXTRAS.items(), ("", BENCH["dependencies"])]
USED = {
    str(Requirement(line)): Requirement(line)
    for name, lines in [*PARTS, *BENCH["optional-dependencies"].items()]
    for line in lines
    if name not in (*TOOLS, "all") and not line.startswith("lopsided")
}


def every_requirement(project):
    return list(chain(project["dependencies"], *project["optional-dependencies"].values()))


def read_constraints(name):
    lines = (ROOT / name).read_text().splitlines()
    pins = (line.split("==") for line in lines if not line.startswith("#"))
    return {canonicalize_name(package): Version(version) for package, version in pins}


def lower_bound(requirement):
    (bound,) = (Version(s.version) for s in requirement.specifier if s.operator == ">=")
    return bound


@pytest.mark.parametrize("requirement", USED.values(), ids=USED)
def test_the_oldest_set_holds_every_lower_bound(requirement):
    name = canonicalize_name(requirement.name)
    pinned = read_constraints("constraints-oldest.txt")[name]
    if name == "torch":  # whose other builds bring gigabytes
        assert pinned == read_constraints("constraints.txt")[name] >= lower_bound(requirement)
    else:
        assert pinned == lower_bound(requirement)


@pytest.mark.parametrize("constraints", ["constraints.txt", "constraints-oldest.txt"])
def test_what_make_installs_is_pinned_within_the_bounds(constraints):
    pins = read_constraints(constraints)
    for line in every_requirement(PROJECT) + every_requirement(BENCH):
        requirement = Requirement(line)
        if requirement.name != PROJECT["name"]:
            assert pins[canonicalize_name(requirement.name)] in requirement.specifier, line


@pytest.mark.parametrize("name", ["bench", "misstatement"])
def test_an_application_asks_for_no_other_versions_than_the_library(name):
    path = ROOT / "applications" / name / "pyproject.toml"
    project = tomllib.loads(path.read_text())["project"]
    lines = every_requirement(project)
    asked = [Requirement(line) for line in lines if not line.startswith("lopsided")]
    known = {requirement.name: str(requirement) for requirement in USED.values()}
    assert {one.name: str(one) for one in asked}.items() <= known.items()
    assert project["requires-python"] == PROJECT["requires-python"]


def read_workflow():
    (job,) = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text())["jobs"].values()
    rows = job["strategy"]["matrix"]["include"]
    return rows, [step["run"] for step in job["steps"] if "run" in step]


def test_public_tests_run_on_every_version_of_python_that_is_promised():
    promised = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    rows = {(row["python"], row["constraints"]) for row in read_workflow()[0]}
    newest = {(python, "constraints.txt") for python in promised}
    assert rows == newest | {(promised[0], "constraints-oldest.txt")}
    assert [row["machine"] for row in read_workflow()[0] if "machine" in row] == [
        "ubuntu-24.04-arm"
    ]
    assert PROJECT["requires-python"] == f">={promised[0]}"
    assert promised == sorted(promised, key=Version)


def test_public_tests_run_commands_that_exist():
    commands = read_workflow()[1]
    assert commands == ["bash .ci/run", "make fresh"]
    script = (ROOT / ".ci/run").read_text()
    targets = re.findall(r"^make (\w+)", "\n".join([*commands, script]), re.MULTILINE)
    assert {"test", "cpus", "dist", "fresh"} <= set(targets)
    known = subprocess.run(
        ["make", "--dry-run", "--question", "--print-data-base", "clean"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    ).stdout  # fmt: skip
    assert set(targets) <= set(re.findall(r"^(\w+):", known, re.MULTILINE))


def run_hatchling(project, kind, out):
    """Build a wheel or an sdist as `python -m build --no-isolation` does."""
    pytest.importorskip("hatchling")
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", out]
    subprocess.run(command, cwd=project, check=True, capture_output=True)
    (built,) = Path(out).iterdir()
    return built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return zipfile.ZipFile(run_hatchling(ROOT, "wheel", tmp_path_factory.mktemp("wheel")))


def test_the_wheel_holds_the_package_alone_and_all_of_it(wheel):
    inside = {name for name in wheel.namelist() if ".dist-info/" not in name}
    files = (path for path in SOURCE.rglob("*") if path.is_file())
    assert inside == {
        path.relative_to(SOURCE.parent).as_posix()
        for path in files
        if "__pycache__" not in path.parts
    }
    kinds = {Path(name).suffix for name in inside}
    assert kinds == {".py", ".pyi", ".typed", ".html", ".css", ".js"}


def read_metadata(wheel):
    (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    return message_from_bytes(wheel.read(name))


def test_the_wheel_says_what_the_project_says(wheel):
    metadata = read_metadata(wheel)
    version = re.search(r'__version__ = "(.+)"', (SOURCE / "__init__.py").read_text())[1]
    assert metadata["Name"] == "lopsided"
    assert metadata["Version"] == version
    assert metadata["Requires-Python"] == PROJECT["requires-python"]
    assert metadata["License-Expression"] == PROJECT["license"]
    assert metadata.get_all("Classifier") == sorted(PROJECT["classifiers"])
    assert set(metadata.get_all("Provides-Extra")) == set(EXTRAS)
    needed = [Requirement(line) for line in metadata.get_all("Requires-Dist")]
    core = {str(line) for line in needed if line.marker is None}
    assert core == {str(Requirement(canonical(line))) for line in PROJECT["dependencies"]}
    (scripts,) = (name for name in wheel.namelist() if name.endswith("entry_points.txt"))
    assert wheel.read(scripts).decode().split("\n")[1] == "lopsided = lopsided.__main__:main"


def canonical(line):
    name = Requirement(line).name
    return line.replace(name, canonicalize_name(name), 1)


def test_the_source_archive_builds_the_same_wheel(wheel, tmp_path):
    archive = run_hatchling(ROOT, "sdist", tmp_path / "sdist")
    with tarfile.open(archive) as stream:
        stream.extractall(tmp_path / "tree", filter="data")
    (tree,) = (tmp_path / "tree").iterdir()
    assert {path.name for path in tree.iterdir()} == {
        *("src", "README.md", "CHANGELOG.md", "CITATION.cff", "LICENSE"),
        *("pyproject.toml", "PKG-INFO", ".gitignore"),
    }
    again = zipfile.ZipFile(run_hatchling(tree, "wheel", tmp_path / "wheel"))
    assert {i.filename: i.CRC for i in again.infolist()} == {
        i.filename: i.CRC for i in wheel.infolist()
    }


def test_what_is_in_the_wheel_runs_without_the_rest_of_the_tree(wheel, tmp_path):
    site = tmp_path / "site"
    wheel.extractall(site)

    def run(*command):
        environment = {**os.environ, "PYTHONPATH": str(site)}
        done = subprocess.run(
            [sys.executable, *command],
            cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert Path(run("-c", "import lopsided; print(lopsided.__file__)")).is_relative_to(site)
    assert "naive-xgb" in run("-m", "lopsided", "methods")
