"""Test accuracy of TripletBoost on Moons and Iris, beside the figures of an independent implementation.

Each cell is the mean over seeds of the test accuracy, as in Figure 2 of Perrot & von Luxburg: Moons with the
Euclidean metric and 0, 10, 20 % of wrong answers, Iris without noise and three metrics; 1, 5 and 10 % of the
triplets. A cell agrees if the means differ by at most four standard errors.

    python simulations/reference_table.py --rounds 100000 --seeds 10 --jobs 2
"""

from __future__ import annotations

import argparse
from math import sqrt
from statistics import mean, stdev

from joblib import Parallel, delayed

from boosttheory.trials import real_run

COLUMNS = [
    *(("moons", "euclidean", noise) for noise in (0.0, 0.1, 0.2)),
    *(("iris", metric, 0.0) for metric in ("euclidean", "cosine", "cityblock")),
]
# mean and standard deviation over 10 seeds at 100,000 rounds, by an independent implementation
REFERENCE = {
    0.01: [(0.853, 0.029), (0.838, 0.032), (0.796, 0.024), (0.692, 0.054), (0.712, 0.061), (0.686, 0.066)],
    0.05: [(0.940, 0.018), (0.913, 0.021), (0.881, 0.025), (0.910, 0.037), (0.948, 0.026), (0.910, 0.050)],
    0.10: [(0.975, 0.011), (0.954, 0.019), (0.913, 0.025), (0.926, 0.020), (0.974, 0.013), (0.934, 0.024)],
}


def main() -> int:
    """Run all cells, print them and return 1 if one disagrees."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=100_000)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=-1)
    options = parser.parse_args()
    cells = [(proportion, column) for proportion in REFERENCE for column in range(len(COLUMNS))]
    runs = Parallel(n_jobs=options.jobs)(
        delayed(real_run)(*COLUMNS[column], seed, proportion=proportion, n_rounds=options.rounds)
        for proportion, column in cells
        for seed in range(options.seeds)
    )
    disagree = 0
    print("triplets  data   metric     noise  here           reference      standard errors apart")
    for at, (proportion, column) in enumerate(cells):
        found = [run.test_accuracy for run in runs[at * options.seeds : (at + 1) * options.seeds]]
        (dataset, metric, noise), (m, s) = COLUMNS[column], REFERENCE[proportion][column]
        errors = abs(mean(found) - m) / sqrt((stdev(found) ** 2 + s**2) / options.seeds)
        disagree += errors > 4
        print(
            f"{proportion:8.0%}  {dataset:6} {metric:10} {noise:5.0%}  {mean(found):.3f} ± {stdev(found):.3f}"
            f"  {m:.3f} ± {s:.3f}  {errors:4.1f}{'  DISAGREES' if errors > 4 else ''}"
        )
    print(f"{len(cells) - disagree} of {len(cells)} cells agree within four standard errors")
    return int(disagree > 0)


if __name__ == "__main__":
    raise SystemExit(main())
