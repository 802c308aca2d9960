"""Time and memory of the index of 6.2 million triplets: 500 objects, 10 % of all.

Run as ``python benchmarks/index.py``. Each step runs in a process of its own; its peak of resident memory is
counted from the moment before the step, so that imports and the triplets handed in do not count. Printed: the
step, the triplets, the best time of three, and the peak.
"""

from __future__ import annotations

import subprocess
import sys
import time
import warnings

import numpy as np

STEPS = ("index an array of rows", "sample from a metric and index", "restrict to two thirds of the objects")


def memory(field: str) -> float:
    """Read a field of the kernel's account of this process, in MB."""
    with open("/proc/self/status") as status:
        return next(float(line.split()[1]) for line in status if line.startswith(field)) / 1024


def measure(step: str) -> None:
    from scipy.spatial.distance import cdist

    from boosttheory.triplets import TripletSet, TripletWarning

    warnings.simplefilter("ignore", TripletWarning)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 2))
    cdist(X, X)
    whole = None if step == STEPS[1] else TripletSet.from_metric(X, proportion=0.1, rng=rng)
    rows = None
    if whole is not None and step == STEPS[0]:
        rows = rng.permutation(whole.to_array())
        del whole
    seconds = []
    with open("/proc/self/clear_refs", "w") as reset:
        reset.write("5")
    before = memory("VmRSS")
    for _ in range(3):
        found = None
        start = time.perf_counter()
        if rows is not None:
            found = TripletSet.from_arrays(rows, self_reference="keep")
        elif step == STEPS[1]:
            found = TripletSet.from_metric(X, proportion=0.1, rng=rng)
        else:
            found = whole.restrict(rng.permutation(500)[:333])
        seconds.append(time.perf_counter() - start)
    print(f"{step:40} {len(found):>12,} triplets {min(seconds):8.2f} s {memory('VmHWM') - before:8.0f} MB")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(STEPS[int(sys.argv[1])])
    else:
        for number in range(len(STEPS)):
            subprocess.run([sys.executable, __file__, str(number)], check=True)
