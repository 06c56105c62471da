import subprocess
import sys

import pytest

import lopsided

HEAVY = (
    "sklearn",
    "pandas",
    "torch",
    "xgboost",
    "numba",
    "scipy",
    "matplotlib",
    "rich",
    "pooch",
    "dask",
    "distributed",
)


def modules_after(code):
    """Return the names of the modules that a fresh Python holds after running some code."""
    script = f"{code}\nimport sys\nprint('\\n'.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return {name.partition(".")[0] for name in done.stdout.split()}


@pytest.mark.parametrize(
    "code",
    [
        "import lopsided",
        "import lopsided, lopsided.losses, lopsided.risks, lopsided.labeling, lopsided.metrics",
        "import lopsided; lopsided.list_methods()",
        "import lopsided.datasets; lopsided.datasets.list_datasets()",
        "import lopsided.workflow.cli\n"
        "try: lopsided.workflow.cli.main(['--help'])\n"
        "except SystemExit as done: assert done.code == 0",
    ],
)
def test_light_imports_load_nothing_heavy(code):
    assert not modules_after(code) & set(HEAVY)


def test_fitting_trees_does_not_load_torch():
    code = (
        "import lopsided, numpy as np\n"
        "X = np.random.default_rng(0).normal(size=(50, 2))\n"
        "lopsided.build('ifpu-xgb', prior=.3, n_estimators=2).fit(X, X[:, 0] > 1)"
    )
    assert "torch" not in modules_after(code)


@pytest.mark.parametrize("name", lopsided.__all__)
def test_every_public_name_can_be_loaded(name):
    assert getattr(lopsided, name) is not None
    assert name in dir(lopsided)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="attribute nothing"):
        lopsided.nothing  # noqa: B018
