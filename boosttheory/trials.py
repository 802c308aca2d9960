"""One run on a real data set, as in Section 4 of Perrot & von Luxburg: what checks and simulations share."""

from __future__ import annotations

from functools import cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boosttheory.spaces import load_space
from boosttheory.tripletboost import Model, train, training_bound
from boosttheory.triplets import TripletSet

__all__ = [
    "DATASETS",
    "METRICS",
    "RealRun",
    "Split",
    "coordinate_baselines",
    "errs",
    "real_run",
    "split_space",
]

Dataset = Literal["iris", "moons", "digits"]
DATASETS: tuple[Dataset, ...] = ("iris", "moons", "digits")
METRICS = ("euclidean", "cosine", "cityblock")
LARGEST = 500  # objects of a data set used at most, so that a run takes a second
STAGES = (1, 3, 10, 30, 100, 300, 1000)  # rounds after which the training error is compared with its bound


class RealRun(NamedTuple):
    """Outcome of one training on two thirds of a data set and testing on the rest.

    Attributes
    ----------
    dataset, metric : str
        What was learned from.
    noise, proportion : float
        Share of flipped answers, and of the possible triplets.
    seed, n_rounds : int
        The stream, and C.
    n_train, n_pairs : int
        Training objects, and distinct reference pairs with a weight other than 0.
    stages : tuple of (int, float, float)
        Rounds, training error (ties and abstentions are errors) and log of Theorem 2's bound, at some
        stages and at the end.
    test_accuracy : float
        Share of right labels on test objects; an object abstained on counts as wrong.
    """

    dataset: str
    metric: str
    noise: float
    proportion: float
    seed: int
    n_rounds: int
    n_train: int
    n_pairs: int
    stages: tuple[tuple[int, float, float], ...]
    test_accuracy: float


class Split(NamedTuple):
    """Two thirds of a data set for training, one third for testing."""

    train: NDArray[np.float64]
    y_train: NDArray[np.intp]
    test: NDArray[np.float64]
    y_test: NDArray[np.intp]


@cache
def split_space(dataset: Dataset, seed: int) -> Split:
    """Load a bundled data set, at most 500 objects of it, and split it at random.

    Parameters
    ----------
    dataset : str
        One of `DATASETS`.
    seed : int
        Stream of the data (moons), the choice of objects and the split.
    """
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(DATASETS.index(dataset),)))
    X, y = load_space(dataset, rng=rng)
    order = rng.permutation(len(X))[:LARGEST]
    cut = 2 * len(order) // 3
    codes = np.unique(y, return_inverse=True)[1]
    first, second = order[:cut], order[cut:]
    return Split(X[first], codes[first], X[second], codes[second])


def errs(scores: NDArray[np.float64], y: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Tell where the right label does not win strictly: ties and abstentions are errors."""
    rows = np.arange(len(y))
    others = scores.copy()
    others[rows, y] = -np.inf
    return others.max(axis=1) >= scores[rows, y]


@cache
def real_run(
    dataset: Dataset, metric: str, noise: float, seed: int, *, proportion: float = 0.1, n_rounds: int = 3000
) -> RealRun:
    """Train and test once.

    Parameters
    ----------
    dataset : str
        One of `DATASETS`.
    metric : str
        Metric that answers the triplets.
    noise, proportion : float
        Share of flipped answers, and of the possible triplets.
    seed, n_rounds : int
        The stream, and C.
    """
    split = split_space(dataset, seed)
    key = DATASETS.index(dataset), METRICS.index(metric), round(100 * noise), round(1e4 * proportion)
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))

    def sample(queries: NDArray[np.float64] | None) -> TripletSet:
        return TripletSet.from_metric(
            split.train, metric, proportion=proportion, noise=noise, rng=rng, queries=queries, ties="random"
        )

    triplets, n, n_labels = sample(None), len(split.train), int(split.y_train.max()) + 1
    run = train(triplets, split.y_train, n_labels, n_rounds, rng)
    stages = []
    for rounds in (*(c for c in STAGES if c < n_rounds), n_rounds):
        first = run.first(rounds)
        model = Model.from_run(first, n, n_labels)
        error = float(errs(model.scores(triplets), split.y_train).mean())
        stages.append((rounds, error, training_bound(first)))
    accuracy = 1.0 - float(errs(model.scores(sample(split.test)), split.y_test).mean())
    return RealRun(
        dataset, metric, noise, proportion, seed, n_rounds, n, model.n_pairs, tuple(stages), accuracy
    )


@cache
def coordinate_baselines(dataset: Dataset, seed: int) -> tuple[float, float]:
    """Test accuracy of 1-nearest neighbours and of AdaBoost SAMME (100 stumps) on the coordinates."""
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.neighbors import KNeighborsClassifier

    split = split_space(dataset, seed)
    models = KNeighborsClassifier(1), AdaBoostClassifier(n_estimators=100, random_state=seed)
    first, second = (
        float(model.fit(split.train, split.y_train).score(split.test, split.y_test)) for model in models
    )
    return first, second
