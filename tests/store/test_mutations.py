"""A slice of the mutated files of benchmarks/mutated_models.py."""

import pytest
from mutations import DAMAGES, FORGERIES, judge, make_files, mutate

import lopsided.store

N_CASES = 168


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    pytest.importorskip("torch")
    kinds = lopsided.store.KINDS
    yield make_files(tmp_path_factory.mktemp("models"), slow=False)
    lopsided.store.KINDS = kinds


@pytest.mark.parametrize("start", range(8), ids=(*DAMAGES, *FORGERIES))
def test_mutated_files_are_refused_or_load(start, files, tmp_path):
    verdicts = set()
    for seed in range(start, N_CASES, 8):
        case = mutate(seed, files)
        verdict = judge(case, tmp_path / "model.lop", files[case.model][1])
        assert verdict in ("refused", "equal scores", "another model"), (seed, case.model)
        verdicts.add(verdict)
    assert "refused" in verdicts
