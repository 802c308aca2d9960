"""What TripletBoost is compared with: a tree of active questions, a kernel on triplets, t-STE, coordinates.

The comparison tree chooses its questions and the last two methods see coordinates, so they know more than a
passive learner; the kernel and t-STE get the same triplets as TripletBoost.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boosttheory.triplets import TripletSet

__all__ = [
    "ComparisonTree",
    "adaboost",
    "embed",
    "grow",
    "kernel_svm",
    "metric_answers",
    "nearest_neighbour",
    "triplet_kernel",
    "tste",
]

Ints = NDArray[np.intp]
Answers = Callable[[Ints, int, int], NDArray[np.bool_]]


def metric_answers(
    X: ArrayLike,
    metric: str,
    noise: float,
    rng: np.random.Generator,
    *,
    queries: ArrayLike | None = None,
) -> Answers:
    """Make an oracle that answers any question about a metric.

    Parameters
    ----------
    X : array_like, shape (n, d)
        References.
    metric : str
        Name of a metric that scipy knows.
    noise : float
        Probability that an answer is flipped.
    rng : numpy.random.Generator
        Source of the flips, and of answers where both distances are equal.
    queries : array_like, shape (q, d), optional
        The objects asked about; the references themselves by default.

    Returns
    -------
    callable
        ``closer(heads, j, k) -> bool array``: whether each head is closer to reference j than to k.
    """
    from scipy.spatial.distance import cdist

    references = np.asarray(X, dtype=np.float64)
    objects = references if queries is None else np.asarray(queries, dtype=np.float64)

    def closer(heads: Ints, j: int, k: int) -> NDArray[np.bool_]:
        to_j, to_k = cdist(references[[j, k]], objects[heads], metric)
        tied = to_j == to_k
        near = np.where(tied, rng.random(len(heads)) < 0.5, to_j < to_k)
        return np.asarray(near ^ (rng.random(len(heads)) < noise))

    return closer


@dataclass(frozen=True, eq=False)
class ComparisonTree:
    """A binary tree of reference pairs, each of whose leaves holds one object.

    Attributes
    ----------
    pivots : ndarray of intp, shape (n − 1, 2)
        The pair of each inner node; node 0 is the root.
    children : ndarray of intp, shape (n − 1, 2)
        Where objects closer to the first and to the second go: an inner node, or ``~object`` for a leaf.
    n_questions : int
        Triplets asked for to grow the tree.
    """

    pivots: Ints
    children: Ints
    n_questions: int

    def find(self, closer: Answers, n_queries: int) -> Ints:
        """Return the object of the leaf that each query falls into, some O(log n) questions a query.

        Parameters
        ----------
        closer : callable
            ``closer(queries, j, k) -> bool array``, as from `metric_answers` with queries.
        n_queries : int
            How many there are.
        """
        found = np.full(n_queries, ~0, np.intp)
        waiting = [(0, np.arange(n_queries))] if len(self.pivots) else []
        while waiting:
            node, members = waiting.pop()
            near = closer(members, *self.pivots[node].tolist())
            for child, part in zip(
                self.children[node].tolist(), (members[near], members[~near]), strict=True
            ):
                if child < 0:
                    found[part] = child
                elif len(part):
                    waiting.append((child, part))
        return ~found


def grow(closer: Answers, n_objects: int, rng: np.random.Generator) -> ComparisonTree:
    """Grow a comparison tree with leaves of one object from actively chosen triplets.

    Each node draws two of its objects as pivots and sends the others to the closer one.

    Parameters
    ----------
    closer : callable
        ``closer(heads, j, k) -> bool array``, as from `metric_answers`.
    n_objects : int
        n, at least 1.
    rng : numpy.random.Generator
        Source of the pivots.

    Returns
    -------
    ComparisonTree

    Raises
    ------
    ValueError
        If there is no object.

    References
    ----------
    Haghiri, Ghoshdastidar & von Luxburg (2017); Perrot & von Luxburg (2019), Section 4.
    """
    if n_objects < 1:
        raise ValueError(f"n_objects={n_objects} leaves nothing to find; give at least 1")
    pivots: list[tuple[int, int]] = []
    children, questions = np.empty((n_objects - 1, 2), np.intp), 0
    waiting = [(np.arange(n_objects), -1, 0)]
    while waiting:
        members, parent, side = waiting.pop()
        name = ~int(members[0]) if len(members) == 1 else len(pivots)
        if parent >= 0:
            children[parent, side] = name
        if name < 0:
            continue
        j, k = rng.choice(members, 2, replace=False).tolist()
        pivots.append((j, k))
        others = members[(members != j) & (members != k)]
        near = closer(others, j, k)
        questions += len(others)
        waiting.append((np.append(others[near], j), name, 0))
        waiting.append((np.append(others[~near], k), name, 1))
    return ComparisonTree(np.array(pivots, np.intp).reshape(-1, 2), children, questions)


def triplet_kernel(triplets: TripletSet, others: TripletSet | None = None) -> NDArray[np.float64]:
    """Compare objects by their answers about the same pairs of references.

    Each object is the vector of its answers, +1 closer to the first of a pair, −1 closer to the second, 0
    unknown, scaled to length 1; the kernel is the inner product: pairs on which two objects agree, less those
    on which they differ.

    Parameters
    ----------
    triplets, others : TripletSet
        Rows and columns, about the same references; by default the same set twice.

    Returns
    -------
    ndarray of float64, shape (n, n) or (n, n of the others)
        In [−1, 1]; 0 where an object has no triplet.

    Raises
    ------
    ValueError
        If the references differ in number.

    References
    ----------
    Kleindessner & von Luxburg (2017), "Kernel functions based on triplet comparisons", the kernel k1.
    """
    from scipy import sparse

    if others is not None and others.n_references != triplets.n_references:
        raise ValueError(
            f"triplets have {triplets.n_references} references, others {others.n_references}; "
            "compare objects about the same references"
        )
    n = triplets.n_references

    def answers(of: TripletSet) -> Any:
        spaces = np.repeat(np.arange(len(of.starts) - 1), np.diff(of.starts))
        columns = of.codes[spaces // 2]
        signs = 1.0 - 2.0 * (spaces % 2)
        rows = of.heads.astype(np.int64)
        scale = 1 / np.sqrt(np.maximum(np.bincount(rows, minlength=of.n_objects), 1))
        shape = of.n_objects, n * (n - 1) // 2
        return sparse.csr_array((signs * scale[rows], (rows, columns)), shape=shape)

    left = answers(triplets)
    right = left if others is None else answers(others)
    return np.asarray((left @ right.T).toarray(), dtype=np.float64)


def kernel_svm(
    seen: TripletSet, y: ArrayLike, unseen: TripletSet, *, grid: tuple[float, ...] = (1.0, 10.0, 100.0)
) -> NDArray[Any]:
    """Classify new objects by a support vector machine on `triplet_kernel`.

    Parameters
    ----------
    seen, unseen : TripletSet
        Triplets of the training objects, and of new objects about them.
    y : array_like, shape (n,)
        Training labels.
    grid : tuple of float
        Penalties, chosen from by threefold cross-validation.

    Returns
    -------
    ndarray, shape (n of unseen,)
        Predicted labels.
    """
    from sklearn.model_selection import GridSearchCV, StratifiedKFold
    from sklearn.svm import SVC

    labels = np.asarray(y)
    machine: Any = SVC(kernel="precomputed")
    folds = min(3, int(np.unique(labels, return_counts=True)[1].min()))
    if folds > 1:
        machine = GridSearchCV(machine, {"C": list(grid)}, cv=StratifiedKFold(folds))
    fitted = machine.fit(triplet_kernel(seen), labels)
    return np.asarray(fitted.predict(triplet_kernel(unseen, seen)))


def embed(
    seen: TripletSet, unseen: TripletSet, dimension: int, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Place training and new objects in a Euclidean space by t-STE; needs the package cblearn.

    Parameters
    ----------
    seen, unseen : TripletSet
        Triplets of the training objects, and of new objects about them: all are embedded together.
    dimension : int
        Of the space.
    seed : int
        Random state of the start.

    Returns
    -------
    training, new : ndarray of float64, shapes (n, dimension) and (n of unseen, dimension)

    Raises
    ------
    ImportError
        If cblearn cannot be imported.

    References
    ----------
    van der Maaten & Weinberger (2012); Perrot & von Luxburg (2019), Section 4.
    """
    from cblearn.embedding import TSTE

    n = seen.n_objects
    new = unseen.to_array()
    new[:, 0] += n
    answers = np.concatenate((seen.to_array(), new)).astype(np.intp)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its solver's options are deprecated
        fitted = TSTE(dimension, random_state=seed).fit(answers, n_objects=n + unseen.n_objects)
    places = np.asarray(fitted.embedding_, dtype=np.float64)
    return places[:n], places[n:]


def tste(
    seen: TripletSet,
    y: ArrayLike,
    unseen: TripletSet,
    *,
    dimension: int = 2,
    neighbours: int = 1,
    seed: int = 0,
) -> NDArray[Any]:
    """Classify new objects by `embed` and nearest neighbours.

    Parameters
    ----------
    seen, unseen, dimension, seed
        As in `embed`.
    y : array_like, shape (n,)
        Training labels.
    neighbours : int
        How many vote.

    Returns
    -------
    ndarray, shape (n of unseen,)
        Predicted labels.
    """
    places, new = embed(seen, unseen, dimension, seed)
    return nearest_neighbour(places, y, new, neighbours)


def nearest_neighbour(X: ArrayLike, y: ArrayLike, new: ArrayLike, neighbours: int = 1) -> NDArray[Any]:
    """Classify points by the Euclidean nearest neighbours among others."""
    from sklearn.neighbors import KNeighborsClassifier

    return np.asarray(KNeighborsClassifier(neighbours).fit(X, y).predict(new))


def adaboost(X: ArrayLike, y: ArrayLike, new: ArrayLike, *, rounds: int, seed: int) -> NDArray[Any]:
    """Classify points by AdaBoost (SAMME) of decision stumps."""
    from sklearn.ensemble import AdaBoostClassifier

    return np.asarray(AdaBoostClassifier(n_estimators=rounds, random_state=seed).fit(X, y).predict(new))
