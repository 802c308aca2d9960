"""One run on a real data set, as in Section 4 of Perrot & von Luxburg: what checks and simulations share."""

from __future__ import annotations

from functools import cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boosttheory.spaces import load_space
from boosttheory.tripletboost import Model, Run, train, training_bound
from boosttheory.triplets import TripletSet

__all__ = [
    "DATASETS",
    "METRICS",
    "RealRun",
    "Split",
    "coordinate_baselines",
    "early_abstentions",
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


class _Trial:
    """One stream of triplets of one data set, metric and noise level, and the run on it."""

    def __init__(self, dataset: Dataset, metric: str, noise: float, seed: int, proportion: float) -> None:
        self.split = split_space(dataset, seed)
        key = DATASETS.index(dataset), METRICS.index(metric), round(100 * noise), round(1e4 * proportion)
        self.rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))
        self.metric, self.noise, self.proportion = metric, noise, proportion
        self.triplets = self.sample(None)

    def sample(self, queries: NDArray[np.float64] | None) -> TripletSet:
        """Sample triplets of the queries, or of the training objects; ties are answered at random."""
        return TripletSet.from_metric(
            self.split.train,
            self.metric,
            proportion=self.proportion,
            noise=self.noise,
            rng=self.rng,
            queries=queries,
            ties="random",
        )

    def run(self, n_rounds: int) -> Run:
        """Boost; fewer rounds are the first ones of more."""
        return train(self.triplets, self.split.y_train, int(self.split.y_train.max()) + 1, n_rounds, self.rng)

    def model(self, run: Run, rounds: int) -> Model:
        """Model of the first rounds of a run."""
        return Model.from_run(run.first(rounds), len(self.split.train), run.labels.shape[2])


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
    trial = _Trial(dataset, metric, noise, seed, proportion)
    run, split = trial.run(n_rounds), trial.split
    stages = []
    for rounds in (*(c for c in STAGES if c < n_rounds), n_rounds):
        model = trial.model(run, rounds)
        error = float(errs(model.scores(trial.triplets), split.y_train).mean())
        stages.append((rounds, error, training_bound(run.first(rounds))))
    accuracy = 1.0 - float(errs(model.scores(trial.sample(split.test)), split.y_test).mean())
    n = len(split.train)
    return RealRun(
        dataset, metric, noise, proportion, seed, n_rounds, n, model.n_pairs, tuple(stages), accuracy
    )


def early_abstentions(
    dataset: Dataset, metric: str, noise: float, seed: int, *, distinct: int, proportion: float = 0.1
) -> tuple[int, int]:
    """Count test objects on which the run of `real_run` abstains once it has some distinct pairs.

    Parameters
    ----------
    dataset, metric, noise, seed, proportion
        See `real_run`: the rounds are the first ones of that run.
    distinct : int
        D, the number of distinct reference pairs with a weight other than 0; at most some 30.

    Returns
    -------
    abstentions, tested : int
        Each test object is tried with several fresh draws of its triplets, 400 at least in all.
    """
    trial = _Trial(dataset, metric, noise, seed, proportion)
    run = trial.run(4 * distinct)
    model = next(
        model
        for rounds in range(distinct, len(run.alpha) + 1)
        if (model := trial.model(run, rounds)).n_pairs == distinct
    )
    queries = np.tile(trial.split.test, (-(-400 // len(trial.split.test)), 1))
    return int(model.abstains(trial.sample(queries)).sum()), len(queries)


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
