"""The compiled loops as plain Python, where coverage and a debugger see them."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = """
import numpy as np
from boosttheory import TripletSet, engines

rng = np.random.default_rng(0)
for n, K in ((12, 2), (300, 3)):
    X = rng.normal(size=(n, 2))
    T = TripletSet.from_metric(X, proportion=0.3 if n == 12 else 0.01, noise=0.1, rng=rng)
    y = np.arange(n) % K
    plain, loops = (
        engines.train(T, y, K, 60, np.random.default_rng(1), engine=name) for name in ("numpy", "numba")
    )
    assert plain.pairs.tolist() == loops.pairs.tolist()
    assert plain.labels.tolist() == loops.labels.tolist()
    assert np.allclose(plain.alpha, loops.alpha, rtol=1e-11, atol=1e-13)
    more = [
        engines.train(T, y, K, 40, np.random.default_rng(2), engine=name, state=run.state)
        for name, run in (("numpy", plain), ("numba", loops))
    ]
    assert more[0].pairs.tolist() == more[1].pairs.tolist()
print("equal")
"""


@pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="numba is not installed")
def test_the_loops_do_without_a_compiler_what_numpy_does():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.stdout == "equal\n", done.stderr


def test_the_package_runs_as_a_module():
    command = [sys.executable, "-m", "boosttheory", "--version"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.startswith("boosttheory")
