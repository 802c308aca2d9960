"""Runs and trials that checks and simulations share.

The first part is one run on a real data set, as in Section 4 of Perrot & von Luxburg. The trials after it
have the form that `boosttheory.simulate` takes: ``trial(point, size, rng)`` returns records of ``size``
replicates.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boosttheory import baselines, bounds
from boosttheory.abstention import simulate_abstentions
from boosttheory.lockstep import train_many
from boosttheory.spaces import load_space, read_points
from boosttheory.tripletboost import Model, Run, train, training_bound
from boosttheory.triplets import LazyTriplets, TripletSet

__all__ = [
    "DATASETS",
    "METRICS",
    "RealRun",
    "Split",
    "abstention_gap_trial",
    "abstention_trial",
    "claim_trial",
    "compression_trial",
    "coordinate_baselines",
    "early_abstentions",
    "errs",
    "half_spaces_trial",
    "hedge_trial",
    "margins",
    "margins_trial",
    "methods_trial",
    "real_run",
    "recursive_trial",
    "split_space",
    "training_error_trial",
    "training_time_trial",
    "warmup_trial",
]

Point = Mapping[str, Any]
Records = list[dict[str, Any]]

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


def margins(run: Run, scores: NDArray[np.float64], y: NDArray[np.intp]) -> NDArray[np.float64]:
    """Compute the margin θ of each example: half the lead of the mean vote for its label.

    Parameters
    ----------
    run : Run
        The rounds whose votes count.
    scores : ndarray of float64, shape (n, K)
        Their summed votes, as from `Model.scores`.
    y : ndarray of intp, shape (n,)
        The right labels.

    Returns
    -------
    ndarray of float64, shape (n,)
        In [−1, 1]; 0 where all abstain, and everywhere if no round has a weight.

    References
    ----------
    Perrot & von Luxburg (2019), Theorem 3.
    """
    rows = np.arange(len(y))
    others = scores.copy()
    others[rows, y] = -np.inf
    # a vote is +1 or −1, so half a difference of mean votes is a difference of scores over the sum of α
    lead = scores[rows, y] - others.max(axis=1)
    return np.asarray(lead / (float(run.alpha.sum()) or 1.0), dtype=np.float64)


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


# --- trials of simulations ---------------------------------------------------------------------------------


def _space(point: Point, rng: np.random.Generator) -> Split:
    """Draw at most so many objects of a bundled data set or a file, and split them: two thirds to train."""
    named = "path" in point
    X, y = read_points(point["path"], point["content"]) if named else load_space(point["dataset"], rng=rng)
    order = rng.permutation(len(X))[: point["objects"]]
    codes, cut = np.unique(y, return_inverse=True)[1], 2 * len(order) // 3
    first, second = order[:cut], order[cut:]
    return Split(X[first], codes[first], X[second], codes[second])


def _asked(split: Split, point: Point, rng: np.random.Generator, *, lazy: bool = False) -> tuple[Any, Any]:
    """Triplets of the training objects, and of the test objects about them."""
    options = {"metric": point["metric"], "proportion": point["proportion"], "noise": point["noise"]}

    def make(queries: NDArray[np.float64] | None) -> Any:
        if lazy:
            return LazyTriplets.from_metric(
                split.train, **options, seed=int(rng.integers(2**63)), queries=queries
            )
        return TripletSet.from_metric(split.train, **options, rng=rng, queries=queries, ties="random")

    return make(None), make(split.test)


def _train_all(
    sets: list[Any], splits: list[Split], n_labels: int, rounds: int, rng: np.random.Generator
) -> list[Run]:
    """Train on one set of triplets a split, all at once in lock-step; a single one by the reference engine.

    One generator gives the same run in both, so that only the time depends on the choice.
    """
    rngs = rng.spawn(len(sets))
    if len(sets) == 1:
        return [train(sets[0], splits[0].y_train, n_labels, rounds, rngs[0])]
    return train_many(sets, [split.y_train for split in splits], n_labels, rounds, rngs)


def methods_trial(point: Point, size: int, rng: np.random.Generator) -> Records:
    """Compare methods on the same data and, where they are passive, the same triplets.

    Parameters
    ----------
    point : mapping
        ``dataset`` (a bundled name; or any name, with the ``path`` of a file and its ``content``),
        ``objects``, ``metric``,
        ``proportion``, ``noise``, ``rounds`` of TripletBoost, ``stumps`` of AdaBoost, ``lazy`` and
        ``methods``, a list.
    size : int
        Number of independent data sets.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    list of dict
        One record a data set and method: ``method``, test ``accuracy`` and the ``triplets`` it was told of
        the training objects.

    Raises
    ------
    ValueError
        If a method is unknown.

    Notes
    -----
    Data sets are done one after the other: an embedding or a fit of scikit-learn takes one at a time, and
    those take nearly all of the time; so do the look-ups of lazy triplets, which lock-step cannot share. One
    replicate takes seconds to minutes, and each is a block of its own, the least that an interruption loses.
    """
    if unknown := [method for method in point["methods"] if method not in METHODS]:
        raise ValueError(f"methods holds {', '.join(map(repr, unknown))}; they are {', '.join(METHODS)}")
    records = []
    for _ in range(size):
        split = _space(point, rng)
        streams = dict(zip(("triplets", *METHODS), rng.spawn(1 + len(METHODS)), strict=True))
        seen, unseen = _asked(split, point, streams["triplets"], lazy=point["lazy"])
        told = (
            len(seen)
            if isinstance(seen, TripletSet)
            else round(point["proportion"] * float(bounds.possible_triplets.value(n=len(split.train))))
        )
        for method in point["methods"]:
            predicted, active = _predict(method, split, seen, unseen, point, streams[method])
            accuracy = float((predicted == split.y_test).mean())
            records.append(
                {"method": method, "accuracy": accuracy, "triplets": told if active is None else active}
            )
    return records


METHODS = ("TripletBoost", "t-STE", "kernel SVM", "CompTree", "1NN", "SAMME")


def _predict(
    method: str, split: Split, seen: Any, unseen: Any, point: Point, rng: np.random.Generator
) -> tuple[NDArray[Any], int | None]:
    """Train one method; return its predictions, and its number of triplets where `seen` does not tell."""
    n_labels = int(max(split.y_train.max(), split.y_test.max())) + 1
    if method == "TripletBoost":
        run = train(seen, split.y_train, n_labels, point["rounds"], rng)
        scores = Model.from_run(run, len(split.train), n_labels).scores(unseen)
        # an object on which all abstain is an error
        return np.where(scores.any(axis=1), scores.argmax(axis=1), -1), None
    if method == "t-STE":
        dimension = min(split.train.shape[1], len(split.train))
        seed = int(rng.integers(2**31))
        return baselines.tste(seen, split.y_train, unseen, dimension=dimension, seed=seed), None
    if method == "kernel SVM":
        return baselines.kernel_svm(seen, split.y_train, unseen), None
    if method == "CompTree":
        noise, metric = point["noise"], point["metric"]
        asked = baselines.metric_answers(split.train, metric, noise, rng)
        tree = baselines.grow(asked, len(split.train), rng)
        new = baselines.metric_answers(split.train, metric, noise, rng, queries=split.test)
        return split.y_train[tree.find(new, len(split.test))], tree.n_questions
    if method == "1NN":
        return baselines.nearest_neighbour(split.train, split.y_train, split.test), 0
    seed, stumps = int(rng.integers(2**31)), point["stumps"]
    return baselines.adaboost(split.train, split.y_train, split.test, rounds=stumps, seed=seed), 0


GROWTH = 8  # the time that twice the objects take, at most: as many times more triplets


def training_time_trial(point: Point, size: int, rng: np.random.Generator) -> Records:
    """Measure the training time of one method on Moons of growing size, until it gives up.

    Parameters
    ----------
    point : mapping
        ``method``, ``objects`` (a list, growing), ``proportion``, ``noise``, ``rounds``, ``stumps`` and
        ``limit``: a size is not tried if, from the size before, more seconds than that must be feared, or if
        its triplets would fill more than two gigabytes.
    size, rng
        As in `methods_trial`.

    Returns
    -------
    list of dict
        ``objects`` of the training set, ``seconds`` (None where it gave up) and ``gave_up``, 0 or 1. Making
        the triplets is not counted; TripletBoost computes those of a large set pair by pair, which is.

    Notes
    -----
    Replicates run one after the other: side by side they would time each other.
    """
    records = []
    place = {"metric": "euclidean", **point}
    method = point["method"]
    for _ in range(size):
        _timed(method, point["objects"][0], place, rng)  # imports what the method needs
        last = 0.0
        for before, n in itertools.pairwise((0, *point["objects"])):
            triplets = point["proportion"] * float(bounds.possible_triplets.value(n=n))
            growth = (n / before) ** math.log2(GROWTH) if before else 1.0
            needs_all = method in ("t-STE", "kernel SVM")
            if (needs_all and triplets > 5e7) or last * growth > point["limit"]:
                records.append({"objects": n, "seconds": None, "gave_up": 1})
                break
            seconds = _timed(method, n, place, rng, lazy=not needs_all and triplets > 2e6)
            # what does not grow with all triplets is never cut off by the fear that it might
            last = seconds if needs_all else 0.0
            records.append({"objects": n, "seconds": seconds, "gave_up": 0})
    return records


def _timed(method: str, n: int, place: Point, rng: np.random.Generator, *, lazy: bool = False) -> float:
    """Seconds to train one method on n objects of Moons and predict ten more."""
    from sklearn.datasets import make_moons

    X, y = make_moons(n + 10, noise=0.1, random_state=int(rng.integers(2**31)))
    split = Split(X[:n], y[:n].astype(np.intp), X[n:], y[n:].astype(np.intp))
    seen, unseen = _asked(split, place, rng, lazy=lazy) if method in PASSIVE else (None, None)
    start = time.perf_counter()
    _predict(method, split, seen, unseen, place, rng)
    return time.perf_counter() - start


PASSIVE = ("TripletBoost", "t-STE", "kernel SVM")


def abstention_trial(point: Point, size: int, rng: np.random.Generator) -> Records:
    """Count abstentions of n^β/2 distinct pairs, a training set with 2n^k/n³ of its triplets each time.

    Parameters
    ----------
    point : mapping
        ``n``, ``k`` and ``beta``.
    size, rng
        Replicates, and source of randomness.

    Returns
    -------
    list of dict
        One record, ``hits`` of ``trials``.

    References
    ----------
    Perrot & von Luxburg (2019), Theorems 4 and 5, Example 1.
    """
    n, p, pairs = availability(point)
    return [{"hits": simulate_abstentions(n, p, pairs, size, rng), "trials": size}]


def availability(point: Point) -> tuple[int, float, int]:
    """Return n, p = 2n^k/n³ and the number of distinct pairs, n^β/2 or all there are, for a point."""
    n = point["n"]
    p = float(bounds.availability.value(n=n, k=point["k"]))
    return n, min(p, 1.0), min(max(1, round(n ** point["beta"] / 2)), n * (n - 1) // 2)


def abstention_gap_trial(point: Point, size: int, rng: np.random.Generator) -> Records:
    """Compare the abstention of TripletBoost with the bound of Theorem 4 and the law of Theorem 5.

    Parameters
    ----------
    point : mapping
        ``dataset``, ``objects``, ``metric``, ``proportion``, ``noise``, ``rounds`` (a list) and ``tests``,
        the number of fresh draws of the test triplets.
    size, rng
        Replicates, and source of randomness.

    Returns
    -------
    list of dict
        For each number of rounds: ``abstained``, the share of test objects; ``theorem5``, (1 − p)^D for the
        ``pairs`` D of the model; ``theorem4``, the bound with that many classifiers, as if their pairs
        were distinct.
    """
    records = []
    fresh = {**point, "repeat": point["tests"]}
    for rounds, part, _, (split, _, unseen) in _staged(fresh, size, rng):
        n, p = len(split.train), point["proportion"]
        records.append(
            {
                "rounds": rounds,
                "abstained": float(part.abstains(unseen).mean()),
                "theorem5": float(bounds.abstention_conditional.value(p=p, D=part.n_pairs)),
                "theorem4": float(bounds.abstention.value(p=p, n=n, C=rounds)),
                "pairs": part.n_pairs,
            }
        )
    return records


def _staged(
    point: Point, size: int, rng: np.random.Generator
) -> Iterator[tuple[int, Model, Run, tuple[Split, TripletSet, TripletSet]]]:
    """Train all replicates at once, and yield rounds, model, run, data and triplets of each at each stage.

    The weights of boosting, where the time goes, are updated by one call of numpy a round for all replicates;
    data and triplets are made, and a model is read off, once a replicate, by calls that take a whole set.
    """
    splits = [_space(point, rng) for _ in range(size)]
    tests = point.get("repeat", 1)
    asked = [_asked(s._replace(test=np.tile(s.test, (tests, 1))), point, rng) for s in splits]
    n_labels = 1 + int(max(split.y_train.max() for split in splits))
    runs = _train_all([seen for seen, _ in asked], splits, n_labels, max(point["rounds"]), rng)
    for split, (seen, unseen), run in zip(splits, asked, runs, strict=True):
        for rounds in point["rounds"]:
            part = run.first(rounds)
            yield rounds, Model.from_run(part, len(split.train), n_labels), part, (split, seen, unseen)


def margins_trial(point: Point, size: int, rng: np.random.Generator) -> Records:
    """Measure the shares of small margins after some numbers of rounds, and Theorem 3's bound on them.

    Parameters
    ----------
    point : mapping
        ``dataset``, ``objects``, ``metric``, ``proportion``, ``noise``, ``rounds`` and ``thetas`` (lists).
    size, rng
        Replicates, and source of randomness.

    Returns
    -------
    list of dict
        For each number of ``rounds`` and ``theta``: ``share`` of training examples with a margin of at most
        θ, and ``bound``, at most 1: the second part of Theorem 3.
    """
    records = []
    for rounds, model, run, (split, seen, _) in _staged(point, size, rng):
        found = margins(run, model.scores(seen), split.y_train)
        for theta in point["thetas"]:
            # ((W+ + 1/n)/(W- + 1/n))^(θ/2) is e^(αθ)
            log_bound = training_bound(run) + theta * float(run.alpha.sum())
            bound = math.exp(min(log_bound, 0.0))
            share = float((found <= theta).mean())
            records.append({"rounds": rounds, "theta": theta, "share": share, "bound": bound})
    return records


def training_error_trial(point: Point, size: int, rng: np.random.Generator) -> Records:
    """Measure training and test error over rounds, and Theorem 2's bound.

    Parameters
    ----------
    point : mapping
        ``dataset``, ``objects``, ``metric``, ``proportion``, ``noise`` and ``rounds`` (a list).
    size, rng
        Replicates, and source of randomness.

    Returns
    -------
    list of dict
        For each number of ``rounds``: ``training_error``, ``test_error`` (ties and abstentions are errors)
        and ``log10_bound``, of (K/2)·∏Z.
    """
    return [
        {
            "rounds": rounds,
            "training_error": float(errs(model.scores(seen), split.y_train).mean()),
            "test_error": float(errs(model.scores(unseen), split.y_test).mean()),
            "log10_bound": training_bound(run) / math.log(10),
        }
        for rounds, model, run, (split, seen, unseen) in _staged(point, size, rng)
    ]


def half_spaces_trial(point: Point, size: int, rng: np.random.Generator) -> Records:
    """Draw Moons and one reference pair of different labels, and tell who is known to lie on which side.

    Parameters
    ----------
    point : mapping
        ``objects``, ``proportion``.
    size, rng
        Drawings, and source of randomness.

    Returns
    -------
    list of dict
        For each ``object``: coordinates ``x`` and ``y``, its ``label``, ``reference`` (1 for j, 2 for k, else
        0) and ``side`` (1 closer to j, 2 closer to k, 0 not known).

    Notes
    -----
    The figure shows one drawing, so there is nothing to do side by side.
    """
    from sklearn.datasets import make_moons

    records = []
    for _ in range(size):
        X, y = make_moons(point["objects"], noise=0.1, random_state=int(rng.integers(2**31)))
        j, k = (int(rng.choice(np.flatnonzero(y == label))) for label in (0, 1))
        triplets = TripletSet.from_metric(X, proportion=point["proportion"], rng=rng)
        sides = np.zeros(len(X), int)
        for side, heads in enumerate(triplets.half_spaces(j, k), 1):
            sides[heads] = side
        records += [
            {
                "object": i,
                "x": float(X[i, 0]),
                "y": float(X[i, 1]),
                "label": int(y[i]),
                "reference": 1 if i == j else 2 if i == k else 0,
                "side": int(sides[i]),
            }
            for i in range(len(X))
        ]
    return records


def warmup_trial(point: Point, size: int, rng: np.random.Generator) -> Records:
    """Enumerate the nine ways to aggregate the two classifiers of the example with three points.

    Parameters
    ----------
    point : mapping
        ``targets``: the labels of a, b and c.
    size, rng
        Not used: nothing is random.

    Returns
    -------
    list of dict
        For each ``aggregator``, its values at the predictions (1, 2) and (3, 3): ``correct`` of ``examples``.

    References
    ----------
    Brukhim et al. (2023), Section 2.
    """
    seen = ((1, 2), (1, 2), (3, 3))  # what the two classifiers say of a, b and c
    records = []
    for values in itertools.product((1, 2, 3), repeat=2):
        aggregate = dict(zip(((1, 2), (3, 3)), values, strict=True))
        correct = sum(aggregate[s] == y for s, y in zip(seen, point["targets"], strict=True))
        name = f"g(1,2)={values[0]}, g(3,3)={values[1]}"
        records.append({"aggregator": name, "correct": correct, "examples": len(seen)})
    return records


def recursive_trial(point: Point, size: int, rng: np.random.Generator) -> Records:
    """Follow recursive boosting against a nearly worst weak learner, stage by stage.

    Parameters
    ----------
    point : mapping
        ``schedule``, ``m`` examples, ``labels``, and the ``edge`` γ.
    size : int
        Replicates, with other labels each.
    rng : numpy.random.Generator
        Source of the labels.

    Returns
    -------
    list of dict
        For each ``stage``: ``calls`` so far, ``allowed`` (length k − 1 that the theorem allows), ``longest``
        and ``mean`` list on the sample, and ``coverage``, the share of labels in their lists.

    Notes
    -----
    Replicates run one after the other: the weak learner answers the weights of one run, and a call already
    takes all examples at once.

    References
    ----------
    Brukhim et al. (2023), Algorithm 3 and Theorem 2.
    """
    from boosttheory.adversaries import as_oracle, near_optimal
    from boosttheory.recursive import recursive_boost

    records = []
    m, edge, schedule = point["m"], point["edge"], point["schedule"]
    for _ in range(size):
        y = rng.permutation(np.arange(m) % point["labels"])
        weak = as_oracle(near_optimal(schedule, m, edge), y, edge, point["labels"])
        run = recursive_boost(weak, y, point["labels"], edge, schedule=schedule)
        calls = 0
        for number, stage in enumerate(run.stages):
            calls += stage.rounds
            records.append(
                {
                    "stage": number,
                    "calls": calls,
                    "allowed": stage.size - 1 if stage.size else stage.rounds,
                    "longest": int(stage.list_sizes.max()),
                    "mean": float(stage.list_sizes.mean()),
                    "coverage": stage.coverage,
                }
            )
    return records


def hedge_trial(point: Point, size: int, rng: np.random.Generator) -> Records:
    """Measure how far a worst-case weak learner pushes the hits of one example below Lemma 1.

    Parameters
    ----------
    point : mapping
        ``log10_m``, list length ``k``, edge ``gamma`` as a fraction in text, and ``most``, the rounds up to
        which the run is played.
    size, rng
        Not used: nothing is random.

    Returns
    -------
    list of dict
        ``rounds`` T; ``least``, the lower bound on (H/T − 1/k)/γ from the regret; ``played``, its value
        when Hedge plays the early right, late wrong adversary, None in longer runs.

    References
    ----------
    Brukhim et al. (2023), Lemma 1.
    """
    from boosttheory.adversaries import fewest_right

    m, k, gamma = 10 ** point["log10_m"], point["k"], Fraction(point["gamma"])
    T, a = bounds.rounds("paper", m, k, gamma), Fraction(1, k) + gamma

    def eta(bits: int) -> Any:
        return bounds.enclosure(bounds.stated_step, bits, m=m, T=T)

    def share(hits: Any) -> float:
        return float((Fraction(hits) / T - Fraction(1, k)) / gamma)

    least = bounds.fewest_hits.value(m=float(m), T=T, eta=bounds.step("paper", m, k, gamma, T), a=float(a))
    played = share(fewest_right(m, T, a, eta)) if point["most"] >= T else None
    return [{"rounds": T, "least": share(float(least)), "played": played}]


def compression_trial(point: Point, size: int, rng: np.random.Generator) -> Records:
    """Measure the error of functions rebuilt from r examples, and Theorem 6's bound.

    Parameters
    ----------
    point : mapping
        ``r``, ``m`` and ``delta``. The class: steps on [0, 1] at the thresholds 1/(r + 1), 2/(r + 1), ...;
        the scheme keeps the greatest example below each threshold.
    size, rng
        Samples, and source of randomness.

    Returns
    -------
    list of dict
        One record: ``mean`` error and its ``quantile`` at level 1 − δ over so many ``samples``, and the
        ``bound``, at most 1.

    Notes
    -----
    What is drawn is not the samples but what the error depends on: how many examples lie between two
    thresholds, and how far below the upper one the greatest of them lies.

    References
    ----------
    Brukhim et al. (2023), Theorem 6, Appendix B.
    """
    r, m, delta = point["r"], point["m"], point["delta"]
    # below each threshold the gap to the nearest example counts, up to the threshold before
    inside = rng.multinomial(m, np.full(r + 1, 1 / (r + 1)), size=size)[:, :r]
    with np.errstate(divide="ignore"):
        gaps = 1.0 - rng.random((size, r)) ** (
            1.0 / inside
        )  # the least of so many uniform numbers; 1 of none
    errors = gaps.sum(axis=1) / (r + 1)
    bound = min(1.0, float(bounds.compression_error.value(r=r, m=m, delta=delta)))
    mean, quantile = float(errors.mean()), float(np.quantile(errors, 1 - delta))
    return [{"samples": size, "mean": mean, "quantile": quantile, "bound": bound}]


def claim_trial(point: Point, size: int, rng: np.random.Generator) -> Records:
    """Draw one point of a statistical check and evaluate its margin.

    Parameters
    ----------
    point : mapping
        ``claim``, the name of its ``check``, and ``at``, the position among the points of the check.
    size, rng
        Replicates, and source of randomness.

    Returns
    -------
    list of dict
        ``low`` and ``high`` limits of the margin; ``holds`` and ``fails`` tell whether the interval lies
        above or below −δ.

    Notes
    -----
    Draws are made one after the other, as the check makes them: one draw is a whole experiment of its own.
    """
    from boosttheory.claims import Enclosure, load

    claim = load()[point["claim"]]
    check = next(check for check in claim.checks if check.name == point["check"])
    place = next(itertools.islice(check.points(), point["at"], None))
    records = []
    for _ in range(size):
        assert check.draw is not None
        margin = Enclosure.of(check.margin(check.draw(place, rng)))
        low, high = float(margin.low), float(margin.high)
        least = -float(check.delta)
        records.append({"low": low, "high": high, "holds": int(low >= least), "fails": int(high < least)})
    return records
