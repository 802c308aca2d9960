"""TripletBoost as one would write it down from the paper: every round scans T, and touches every weight.

The peer of the benchmarks, and nothing else: `boosttheory.tripletboost` is the library's.
"""

from __future__ import annotations

import numpy as np


def train(triplets, y, n_labels, n_rounds, rng):
    """Run Algorithm 1 of Perrot & von Luxburg (2019) on rows (i, j, k) of T; return α and the pairs."""
    n = len(y)
    omega = np.where(y[:, None] == np.arange(n_labels), 1.0, -1.0)
    w = np.full((n, n_labels), 1 / (n * n_labels))
    trace = []
    for _ in range(n_rounds):
        reference = w.sum(axis=1)
        reference /= reference.sum()
        j = k = 0
        while y[j] == y[k]:
            j, k = rng.choice(n, p=reference), rng.choice(n, p=reference)
        closer_j = triplets[(triplets[:, 1] == j) & (triplets[:, 2] == k), 0]
        closer_k = triplets[(triplets[:, 1] == k) & (triplets[:, 2] == j), 0]
        h = np.zeros((n, n_labels))
        for closer in (closer_j, closer_k):
            h[closer] = np.where((omega * w)[closer].sum(axis=0) > 0, 1.0, -1.0)
        w_plus, w_minus = w[omega * h > 0].sum(), w[omega * h < 0].sum()
        alpha = 0.5 * np.log((w_plus + 1 / n) / (w_minus + 1 / n))
        w = w * np.exp(-alpha * omega * h)
        w /= w.sum()
        trace.append((j, k, alpha))
    return trace
