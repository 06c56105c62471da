"""The examples run, and engines fit the model of one process."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.mark.parametrize(
    ("engine", "script"), [("pyspark", "spark_barrier.py"), ("ray", "ray_tasks.py")]
)
def test_an_engine_fits_the_model_of_one_process(engine, script):
    pytest.importorskip(engine)
    settings = {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run(
        [sys.executable, EXAMPLES / script],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = re.search(r"100 rounds; largest difference from one process: (\S+)", done.stdout)
    assert found
    assert float(found[1]) < 1e-6
