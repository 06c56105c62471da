"""A slice of benchmarks/attack.py: every public entry point, a few cases each."""

import importlib
import re
import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from attacks.drawn import CHUNK, Drawn, attack_once, find_entry, list_entries, run_chunk
from attacks.kinds import CASES, KINDS, list_seeds
from attacks.verdicts import BAD

import lopsided

DRAWN = [kind.name for kind in KINDS.values() if kind.drawn]
FAR = 10_000  # chunks on: none of those of the benchmark
SLICES = {  # cases of each entry
    "metrics": 12, "readers": 12, "formats": 10, "losses": 25, "splits": 15, "labels": 10,
    "priors": 8, "probabilities": 8, "diagnostics": 6, "reviews": 4, "methods": 2, "models": 2,
    "stored": 3, "cli": 2, "clusters": 0,
}  # fmt: skip
SLOW = (  # imports, processes, or many fits: the benchmark alone attacks them
    "methods.registry.build",
    "testing.contract_checks",
    "diagnostics.diagnose",
    "diagnostics.check_signal_in_table",
    "cli.report",
    "cli.process",
)
PACKAGES = (
    "metrics", "model_selection", "priors", "calibration", "diagnostics", "explain", "export",
    "labeling", "losses", "risks", "review", "ranking", "tables", "datasets", "store",
    "out_of_core", "dask", "collective", "testing",
)  # fmt: skip
NOT_ATTACKED = {
    **dict.fromkeys(PACKAGES, "a package: its names are attacked"),
    "methods": "a package: its classes are attacked",
    "exceptions": "warnings and an error, which take a text",
    "trees": "the engine behind PUForestClassifier, which checks what comes in",
    "__version__": "a text",
    "datasets.ChecksumError": "an error, which takes a text",
    "datasets.DatasetNotFoundError": "an error, which takes a text",
    "dask.WorkerLostError": "an error, which takes a text",
    "store.TRUSTED": "a tuple of names",
    "testing.EXPECTED_FAILURES": "a mapping of names",
    "testing.LABEL_CHECKS": "a mapping of names",
    "testing.check_method": "runs all of contract_checks, which takes seconds",
}


def list_public():
    """Return all public names: of the stub, and of the packages that it names."""
    stub = Path(lopsided.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    names = {line.split()[-1] for line in stub.splitlines() if " as " in line}
    for package in PACKAGES:
        module = importlib.import_module(f"lopsided.{package}")
        inside = getattr(module, "__all__", None)
        if package == "dask":
            stub = Path(module.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
            inside = re.findall(r" as (\w+)", stub)
        names |= {f"{package}.{name}" for name in inside}
    return names


def list_attacked():
    return {name for kind in DRAWN for entry in list_entries(kind) for name in entry.names}


def test_every_public_name_is_attacked_or_has_a_reason_not_to_be():
    public, attacked = list_public(), list_attacked()
    assert not public - attacked - set(NOT_ATTACKED)
    assert not attacked & set(NOT_ATTACKED)
    assert not {name for name in NOT_ATTACKED if "." in name} - public
    inner = ("cli", "methods.registry.")  # commands, and a module below the package
    assert not {name for name in attacked - public if not name.startswith(inner)}


@pytest.mark.parametrize("kind", [kind for kind in DRAWN if SLICES[kind]])
def test_a_slice_ends_in_results_or_in_one_sentence(kind):
    verdicts, defects = Counter(), {}
    entries = list_entries(kind)
    for place in sorted({entry.names[0]: i for i, entry in enumerate(entries)}.values()):
        if entries[place].names[0] in SLOW:
            continue
        chunk = FAR * len(entries) + place
        numbers = [chunk * CHUNK + case for case in range(SLICES[kind])]

        def take(number, outcome):
            verdicts[outcome.verdict] += 1
            if outcome.verdict in BAD:
                defects[f"{kind}:{number}"] = outcome

        run_chunk(kind, numbers, take)
    assert not defects
    assert verdicts["result"] > 0.4 * verdicts.total()  # else nothing was tried
    assert verdicts["error"] > 0 or SLICES[kind] < 10 or kind == "losses"


def test_the_cases_of_all_kinds_are_as_many_as_are_asked_for():
    assert sum(len(list_seeds(kind, CASES)) for kind in KINDS.values()) == CASES


@pytest.mark.parametrize("kind", DRAWN)
def test_a_small_run_has_a_case_of_every_entry(kind):
    seeds = list_seeds(KINDS[kind], 20_000)
    if len(seeds) > len(list_entries(kind)):
        tried = {find_entry(kind, seed).names[0] for seed in seeds}
        assert tried == {entry.names[0] for entry in list_entries(kind)}
    assert len(set(seeds)) == len(seeds)


def test_a_case_is_the_same_from_the_same_seed():
    seen = [[], []]
    for found in seen:
        run_chunk("metrics", [3, 5, 9], lambda number, one, found=found: found.append(one))
    assert len(seen[0]) == 3
    assert seen[0] == seen[1]


def test_cases_whose_arguments_cannot_be_drawn_are_defects():
    found, numbers = {}, range(CHUNK, CHUNK + 30)
    run_chunk("fakes", numbers, found.__setitem__)
    assert sorted(found) == list(numbers)
    assert {outcome.verdict for outcome in found.values()} == {"result", "traceback"}
    assert "fakes.undrawn: no arguments, for KeyError: 'arguments'" in found[max(numbers)].note


@pytest.mark.parametrize(
    ("how", "odd", "verdict"),
    [
        ("behaves", False, "result"),
        ("refuses", True, "error"),
        ("refuses", False, "wrong"),
        ("refuses without a sentence", True, "traceback"),
        ("fails in NumPy", True, "traceback"),
        ("meets a KeyError", True, "traceback"),
        ("lets a warning through", True, "traceback"),
        ("warns without a sentence", False, "traceback"),
        ("warns", False, "result"),
        ("is wrong", True, "wrong"),
        ("leaves a file", False, "stray"),
    ],
)
def test_every_defect_is_seen(how, odd, verdict):
    outcome = attack_once(find_entry("fakes", 0), Drawn({"how": how}, odd))
    assert outcome.verdict == verdict
