"""How well does a classifier of triplets do on new objects: folds, intervals, baselines, noise of answers.

A fold holds out objects. Its classifier sees triplets whose three objects are all in the training fold, and
is tested on triplets of held-out objects about training objects; triplets that use a held-out object as a
reference are left out, for a new object never is one.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boosttheory.baselines import tste
from boosttheory.confidence import clopper_pearson
from boosttheory.triplet_files import Answers
from boosttheory.triplets import TripletSet, TripletWarning, pair_code

__all__ = [
    "FlipRate",
    "Outcomes",
    "TripletKFold",
    "bootstrap_groups",
    "cross_validate_triplets",
    "flip_rate",
    "majority_baseline",
    "tste_baseline",
]

Fold = tuple[NDArray[np.intp], NDArray[np.intp]]


class TripletKFold:
    """Folds of objects, each with nearly the same share of every class.

    Parameters
    ----------
    n_splits : int
        Number of folds, at least 2.
    shuffle : bool
        Deal the objects of a class in random order instead of theirs.
    random_state : None, int, SeedSequence or Generator
        Source of that order.

    Examples
    --------
    >>> [test.tolist() for _, test in TripletKFold(2).split(None, ["a", "a", "b", "b"])]
    [[0, 2], [1, 3]]
    """

    def __init__(self, n_splits: int = 5, *, shuffle: bool = False, random_state: Any = None) -> None:
        if isinstance(n_splits, bool) or not isinstance(n_splits, (int, np.integer)) or n_splits < 2:
            raise ValueError(
                f"n_splits={n_splits!r}; give an integer, at least 2, so that something is held out"
            )
        self.n_splits, self.shuffle, self.random_state = int(n_splits), shuffle, random_state

    def get_n_splits(self, triplets: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds."""
        return self.n_splits

    def split(self, triplets: Any, y: ArrayLike, groups: Any = None) -> Iterator[Fold]:
        """Yield the training objects and the test objects of each fold.

        Parameters
        ----------
        triplets : TripletSet, LazyTriplets or None
            Only its number of objects is used, to compare it with y.
        y : array_like, shape (n,) or (n, L)
            Labels, whose classes are dealt out evenly.
        groups : ignored
            For compatibility.

        Yields
        ------
        train, test : ndarray of intp
            Sorted indices of objects; cut a set with ``triplets.split(train, test)``.

        Raises
        ------
        ValueError
            If there are fewer objects than folds or y does not fit the triplets.
        """
        labels = np.asarray(y)
        n = len(labels)
        if triplets is not None and triplets.n_objects != n:
            raise ValueError(
                f"y has {n} labels for {triplets.n_objects} objects; give one an object, in their order"
            )
        if n < self.n_splits:
            raise ValueError(f"n_splits={self.n_splits} exceeds the {n} objects; give at most {n}")
        codes = np.unique(labels, axis=0, return_inverse=True)[1].reshape(-1)
        order = np.arange(n)
        if self.shuffle:
            order = np.random.default_rng(self.random_state).permutation(n)
        order = order[np.argsort(codes[order], kind="stable")]
        fold = np.empty(n, np.intp)
        fold[order] = np.arange(n) % self.n_splits
        for number in range(self.n_splits):
            yield np.flatnonzero(fold != number), np.flatnonzero(fold == number)


@dataclass(frozen=True)
class Outcomes:
    """What a method predicted for every object when it was held out.

    Attributes
    ----------
    method : str
        Name of the method.
    predicted : ndarray, shape (n,) or (n, L)
        Predicted labels.
    correct : ndarray of bool, shape (n,)
        Whether they are right.
    abstained : ndarray of bool, shape (n,)
        Whether the method abstained, so that the label follows its rule for abstention.
    seconds : float
        Time of fitting and predicting, all folds together.
    """

    method: str
    predicted: NDArray[Any]
    correct: NDArray[np.bool_]
    abstained: NDArray[np.bool_]
    seconds: float

    @property
    def accuracy(self) -> float:
        """Share of the objects that were labelled right when held out."""
        return float(self.correct.mean())

    def interval(self, error: float = 0.05) -> tuple[float, float]:
        """Confidence limits (Clopper–Pearson) of the accuracy on new objects like these.

        Objects count as independent draws; that folds share training objects is not accounted for.

        Parameters
        ----------
        error : float
            Probability that the interval misses.
        """
        low, high = clopper_pearson(int(self.correct.sum()), len(self.correct), error)
        return float(low), float(high)

    def summary(self, error: float = 0.05) -> dict[str, Any]:
        """Return the figures as JSON data."""
        return {
            "method": self.method,
            "accuracy": self.accuracy,
            "interval": list(self.interval(error)),
            "confidence": 1 - error,
            "objects": len(self.correct),
            "right": int(self.correct.sum()),
            "abstained": int(self.abstained.sum()),
            "seconds": round(self.seconds, 3),
        }


def _hits(predicted: NDArray[Any], labels: NDArray[Any]) -> NDArray[np.bool_]:
    same: NDArray[np.bool_] = np.asarray(predicted == labels)
    return np.all(same, axis=1) if same.ndim == 2 else same


def _collect(
    method: str,
    y: ArrayLike,
    folds: Sequence[Fold],
    predict: Callable[[NDArray[np.intp], NDArray[np.intp]], tuple[NDArray[Any], NDArray[np.bool_]]],
    callback: Callable[[int, int], object] | None = None,
) -> Outcomes:
    """Predict each fold and put the answers in the order of the objects."""
    labels = np.asarray(y)
    predicted: list[Any] = [None] * len(labels)
    abstained, seen, start = np.zeros(len(labels), bool), np.zeros(len(labels), int), time.perf_counter()
    for number, (train, test) in enumerate(folds, 1):
        found, abstained[test] = predict(train, test)
        seen[test] += 1
        for index, label in zip(test.tolist(), found, strict=True):
            predicted[index] = label
        if callback is not None:
            callback(number, len(folds))
    if (seen != 1).any():
        raise ValueError("cv does not hold out every object exactly once; use TripletKFold")
    answers = np.array(predicted)
    return Outcomes(method, answers, _hits(answers, labels), abstained, time.perf_counter() - start)


def cross_validate_triplets(
    estimator: Any,
    triplets: Any,
    y: ArrayLike,
    *,
    cv: TripletKFold | Sequence[Fold] | int = 5,
    callback: Callable[[int, int], object] | None = None,
) -> Outcomes:
    """Hold out every object once and predict it from triplets about the training objects of its fold.

    Parameters
    ----------
    estimator : TripletBoostClassifier or alike
        Cloned for each fold.
    triplets : TripletSet or LazyTriplets
        Triplets of all n objects among themselves; lazy ones are materialised.
    y : array_like, shape (n,) or (n, L)
        Labels.
    cv : TripletKFold, list of (train, test), or int
        The folds; a number stands for that many folds without shuffling.
    callback : callable, optional
        ``callback(folds done, folds)``.

    Returns
    -------
    Outcomes

    Raises
    ------
    ValueError
        If the folds do not hold out every object once, or an estimator cannot be fitted.
    """
    from sklearn.base import clone

    labels = np.asarray(y)
    held = triplets if hasattr(triplets, "split") else triplets.materialise()

    def predict(train: NDArray[np.intp], test: NDArray[np.intp]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        seen, unseen = held.split(train, test)
        model = clone(estimator).fit(seen, labels[train])
        return model.predict(unseen), model.abstains(unseen)

    name = type(estimator).__name__.removesuffix("Classifier")
    return _collect(name, labels, folds_of(cv, triplets, labels), predict, callback)


def folds_of(cv: TripletKFold | Sequence[Fold] | int, triplets: Any, y: ArrayLike) -> list[Fold]:
    """Return the folds as a list, so that several methods can be run on the same."""
    if isinstance(cv, (int, np.integer)):
        cv = TripletKFold(int(cv))
    return list(cv.split(triplets, y)) if isinstance(cv, TripletKFold) else list(cv)


def majority_baseline(y: ArrayLike, folds: Sequence[Fold]) -> Outcomes:
    """Predict the most frequent label of the training objects of each fold.

    Parameters
    ----------
    y : array_like, shape (n,) or (n, L)
        Labels.
    folds : sequence of (train, test)
        As from `TripletKFold.split`.

    Returns
    -------
    Outcomes
    """
    labels = np.asarray(y)

    def predict(train: NDArray[np.intp], test: NDArray[np.intp]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        values, counts = np.unique(labels[train], axis=0, return_counts=True)
        most = int(counts.argmax())
        return np.repeat(values[most : most + 1], len(test), axis=0), np.zeros(len(test), bool)

    return _collect("majority class", labels, folds, predict)


def tste_baseline(
    triplets: Any,
    y: ArrayLike,
    folds: Sequence[Fold],
    *,
    dimension: int = 2,
    neighbours: int = 5,
    seed: int = 0,
) -> Outcomes:
    """Embed the triplets of each fold by t-STE, classify by nearest neighbours; needs the package cblearn.

    The embedding sees the triplets that TripletBoost sees: those of the training objects, and those of
    held-out objects about them.

    Parameters
    ----------
    triplets : TripletSet
        Triplets of all n objects among themselves.
    y : array_like, shape (n,) or (n, L)
        Labels.
    folds : sequence of (train, test)
        As from `TripletKFold.split`.
    dimension, neighbours : int
        Dimension of the embedding, and how many neighbours vote.
    seed : int
        Random state of the embedding.

    Returns
    -------
    Outcomes

    Raises
    ------
    ImportError
        If cblearn cannot be imported.

    References
    ----------
    Perrot & von Luxburg (2019), Section 4; van der Maaten & Weinberger (2012).
    """
    labels = np.asarray(y)

    def predict(train: NDArray[np.intp], test: NDArray[np.intp]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        seen, unseen = triplets.split(train, test)
        votes = min(neighbours, len(train))
        predicted = tste(seen, labels[train], unseen, dimension=dimension, neighbours=votes, seed=seed)
        return predicted, np.bincount(unseen.heads, minlength=len(test)) == 0

    return _collect(f"t-STE ({dimension}-d) + {neighbours}-NN", labels, folds, predict)


def bootstrap_groups(
    estimate: Callable[[NDArray[np.intp]], float],
    groups: ArrayLike,
    rng: np.random.Generator,
    *,
    replicates: int = 30,
    callback: Callable[[int, int], object] | None = None,
) -> NDArray[np.float64]:
    """Recompute an estimate with groups of answers (participants) drawn with replacement.

    Parameters
    ----------
    estimate : callable
        ``estimate(rows)`` takes indices of answers, with repetitions, and returns a number.
    groups : array_like, shape (m,)
        The group of each answer.
    rng : numpy.random.Generator
        Source of the draws.
    replicates : int
        Number of bootstrap samples, at least 2.
    callback : callable, optional
        ``callback(replicates done, replicates)``.

    Returns
    -------
    ndarray of float64, shape (replicates,)
        Their standard deviation estimates the standard error due to who was asked. A bootstrap sample holds
        fewer distinct answers than the data, so the mean lies below the estimate: use the spread, not the
        quantiles.

    Raises
    ------
    ValueError
        If there are fewer than two groups or replicates.
    """
    names, codes = np.unique(np.asarray(groups), return_inverse=True)
    if len(names) < 2:
        raise ValueError(f"groups holds {len(names)} group; a bootstrap over groups needs at least 2")
    if replicates < 2:
        raise ValueError(f"replicates={replicates} shows no spread; give at least 2")
    order = np.argsort(codes, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(codes))[:-1])
    values = np.empty(replicates)
    for index in range(replicates):
        drawn = rng.integers(len(names), size=len(names))
        values[index] = estimate(np.concatenate([members[g] for g in drawn]))
        if callback is not None:
            callback(index + 1, replicates)
    return values


class FlipRate(NamedTuple):
    """Share of flipped answers, with its limits and what they rest on."""

    rate: float
    low: float
    high: float
    questions: int
    answers: int


def flip_rate(triplets: ArrayLike, error: float = 0.05) -> FlipRate | None:
    """Estimate the share of flipped answers from questions that were asked more than once.

    Two answers to one question disagree with probability 2q(1 − q) if each is flipped independently with
    probability q; the estimate averages over questions the
    share of pairs of answers that disagree, the limits use one pair a question.

    Parameters
    ----------
    triplets : array_like of int, shape (m, 3)
        Answers with repetitions: i is closer to j than to k.
    error : float
        Probability that the limits miss q, under that model.

    Returns
    -------
    FlipRate or None
        Rates in [0, 1/2]; None if no question was repeated.

    Examples
    --------
    >>> flip_rate([(0, 1, 2), (0, 2, 1), (3, 1, 2)]).rate
    0.5
    """
    rows = np.asarray(triplets, dtype=np.int64).reshape(-1, 3)
    side = rows[:, 1] > rows[:, 2]
    question = np.stack((rows[:, 0], pair_code(rows[:, 1], rows[:, 2])), axis=1)
    _, first, code, asked = np.unique(
        question, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    repeated = asked > 1
    if not repeated.any():
        return None
    code = code.reshape(-1)
    other = np.bincount(code, weights=side).astype(np.int64)
    disagreement = (other * (asked - other))[repeated] / (asked * (asked - 1) // 2)[repeated]
    rest = np.ones(len(rows), bool)
    rest[first] = False
    second = np.full(len(asked), -1)
    later = np.flatnonzero(rest)[::-1]
    second[code[later]] = later
    differ = side[first[repeated]] != side[second[repeated]]
    low, high = clopper_pearson(int(differ.sum()), len(differ), error)
    shares = np.minimum([disagreement.mean(), low, high], 0.5)
    rates = ((1 - np.sqrt(1 - 2 * shares)) / 2).tolist()
    return FlipRate(rates[0], rates[1], rates[2], int(repeated.sum()), int(asked[repeated].sum()))


def quiet_set(answers: Answers, n_objects: int) -> TripletSet:
    """Index a part of the answers without the warnings that the whole of them has already given."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TripletWarning)
        return TripletSet.from_answers(answers, n_objects=n_objects)
