"""Time of one boosting round in pure numpy, and the time of 100,000 rounds.

python benchmarks/rounds.py
"""

from __future__ import annotations

import platform
import time

import numpy as np

from boosttheory.spaces import load_space
from boosttheory.tripletboost import train
from boosttheory.triplets import TripletSet


def main() -> None:
    """Print one line a data set."""
    print(f"{platform.machine()}, Python {platform.python_version()}, numpy {np.__version__}")
    for name, rounds in (("iris", 20_000), ("moons", 100_000)):
        rng = np.random.default_rng(0)
        X, y = load_space(name, rng=rng)
        start = time.perf_counter()
        triplets = TripletSet.from_metric(X, proportion=0.1, rng=rng)
        sampled = time.perf_counter() - start
        start = time.perf_counter()
        train(triplets, y, int(y.max()) + 1, rounds, rng)
        seconds = time.perf_counter() - start
        print(
            f"{name}: {len(X)} objects, {len(triplets):,} triplets sampled and indexed in {sampled:.2f} s; "
            f"{rounds:,} rounds in {seconds:.2f} s, {1e6 * seconds / rounds:.1f} µs a round"
        )


if __name__ == "__main__":
    main()
