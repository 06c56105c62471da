import subprocess
import sys

import pytest
from other_cpus import KERNELS, list_cpus, main, read_flags


def test_a_kernel_that_this_processor_cannot_run_is_skipped():
    settings, skipped = list_cpus({"avx", "avx2", "fma"})
    assert skipped == ["SkylakeX"]
    assert list(settings) == ["Haswell", "Zen", "Sandybridge", "generic"]
    assert list_cpus(set())[1] == list(KERNELS)


def test_a_processor_names_its_instructions(tmp_path):
    (tmp_path / "cpuinfo").write_text("model name\t: X\nflags\t\t: fpu avx avx2\nbugs\t: a\n")
    assert read_flags(tmp_path / "cpuinfo") == {"fpu", "avx", "avx2"}
    assert read_flags(tmp_path / "none") == set()


def test_a_failure_under_one_setting_is_the_result(monkeypatch, capsys):
    ran = []

    def run(command, env):
        ran.append(env)
        return subprocess.CompletedProcess(command, int(env.get("NUMBA_CPU_NAME") == "generic"))

    monkeypatch.setattr(subprocess, "run", run)
    assert main(["tests/test_math.py"]) == 1
    assert "failed: generic" in capsys.readouterr().out
    assert len(ran) == len(list_cpus(read_flags())[0])


@pytest.mark.parametrize("setting", list_cpus(read_flags())[0].values())
def test_numpy_takes_each_setting_without_a_word(setting):
    code = "import numpy as np; np.ones((9, 9)) @ np.ones((9, 9))"
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, env=setting, capture_output=True, check=True)
    assert not done.stderr
