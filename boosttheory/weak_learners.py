"""Weak learners with hints: the oracle protocol, learners restricted to lists, and draws of m₀ examples.

An oracle answers ``weak(D, lists)``, a distribution over the sample and a list of labels for each example
(None for all labels), with a hypothesis: the labels it predicts on the sample, a callable ``h(X, lists)``
that predicts labels anywhere, or an `Answer` that holds both. Labels are codes 0 to n_labels − 1; lists are
arrays of them, rows padded with −1. A learner is a deterministic map from a sequence of examples and their
lists to such a callable; `SampledOracle` makes an oracle of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Answer",
    "Hypothesis",
    "Learner",
    "Oracle",
    "SampledOracle",
    "best_in_lists",
    "finite_learner",
    "predicted_labels",
    "required_accuracy",
    "restricted_learner",
    "stump_learner",
]

Lists = NDArray[np.int64] | None
Hypothesis = Callable[[Any, Lists], NDArray[np.int64]]
Learner = Callable[[Any, NDArray[np.int64], Lists], Hypothesis]
Oracle = Callable[[NDArray[np.float64], Lists], Any]


class Answer(NamedTuple):
    """A hypothesis together with what it predicts on the sample.

    Attributes
    ----------
    hypothesis : callable
        ``h(X, lists) -> (n,) labels``.
    predicted : ndarray of int, shape (m,)
        Its labels on the sample, with the lists that the oracle was given.
    """

    hypothesis: Hypothesis
    predicted: NDArray[np.int64]


def required_accuracy(gamma: float, lists: Lists) -> float:
    """Return the accuracy that the BRG condition asks for.

    Parameters
    ----------
    gamma : float
        Edge γ.
    lists : ndarray of int, shape (m, k), or None
        The hint.

    Returns
    -------
    float
        1/k + γ, and γ without a hint.

    References
    ----------
    Brukhim et al. (2023), Definition 4 and footnote 3.
    """
    return gamma if lists is None else 1 / lists.shape[1] + gamma


def predicted_labels(answer: Any, X: Any, lists: Lists, m: int, n_labels: int, call: int) -> NDArray[Any]:
    """Read the labels that an oracle's answer predicts on the sample.

    Parameters
    ----------
    answer : array_like, callable or Answer
        What the oracle returned.
    X : array_like or None
        The sample, for callables.
    lists : ndarray or None
        The hint the oracle was given.
    m, n_labels : int
        Number of examples and of labels.
    call : int
        Number of the call, for messages.

    Returns
    -------
    ndarray of int, shape (m,)
        Codes in 0 to n_labels − 1.

    Raises
    ------
    ValueError
        If the answer has another shape, holds NaN or labels outside 0 to n_labels − 1.
    """
    if isinstance(answer, Answer):
        answer = answer.predicted
    predicted = np.asarray(answer(X, lists) if callable(answer) else answer)
    if predicted.shape != (m,):
        raise ValueError(
            f"weak learner: call {call} predicts an array of shape {predicted.shape}; "
            f"return one label for each of the {m} examples"
        )
    if predicted.dtype.kind not in "iu":
        if predicted.dtype.kind == "f" and np.isnan(predicted).any():
            raise ValueError(f"weak learner: call {call} predicts NaN; return labels only")
        raise ValueError(
            f"weak learner: call {call} predicts type {predicted.dtype}; return integer codes of labels"
        )
    low, high = int(predicted.min()), int(predicted.max())
    if low < 0 or high >= n_labels:
        wrong = low if low < 0 else high
        raise ValueError(
            f"weak learner: call {call} predicts the label {wrong}, outside the codes 0 to {n_labels - 1}; "
            "return labels of Y only"
        )
    return predicted


def best_in_lists(scores: NDArray[np.float64], lists: Lists) -> NDArray[np.int64]:
    """Return the label of the highest score within each list.

    Parameters
    ----------
    scores : ndarray of float, shape (n, n_labels)
        One score a label.
    lists : ndarray of int, shape (n, k), or None
        Rows padded with −1; None for all labels.

    Returns
    -------
    ndarray of int64, shape (n,)
        Ties go to the label that stands first in the list; an empty list counts as all labels.

    Examples
    --------
    >>> scores = np.array([[0.5, 0.2, 0.3], [0.5, 0.2, 0.3], [0.5, 0.2, 0.3]])
    >>> best_in_lists(scores, np.array([[2, 1], [1, -1], [-1, -1]]))
    array([2, 1, 0])
    """
    overall = scores.argmax(axis=1)
    if lists is None:
        return overall
    # −1 reads the last label, whose score is then taken away
    inside = np.where(lists >= 0, np.take_along_axis(scores, lists, axis=1), -np.inf)
    rows = np.arange(len(lists))
    chosen: NDArray[np.int64] = lists[rows, inside.argmax(axis=1)]
    return np.where(chosen >= 0, chosen, overall)


class _Restricted:
    """A fitted classifier whose label is the arg max of its probabilities within the list."""

    def __init__(self, fitted: Any, n_labels: int):
        self.fitted, self.n_labels = fitted, n_labels
        self.classes = np.asarray(fitted.classes_, dtype=np.int64)

    def scores(self, X: Any) -> NDArray[np.float64]:
        table = np.zeros((len(X), self.n_labels))
        if hasattr(self.fitted, "predict_proba"):
            table[:, self.classes] = self.fitted.predict_proba(X)
        else:
            table[np.arange(len(X)), self.fitted.predict(X)] = 1.0
        return table

    def __call__(self, X: Any, lists: Lists) -> NDArray[np.int64]:
        return best_in_lists(self.scores(X), lists)


class _RestrictedTree(_Restricted):
    """The same for one decision tree, without the checks of its public methods."""

    def __init__(self, fitted: Any, n_labels: int):
        super().__init__(fitted, n_labels)
        self.tree = fitted.tree_
        self.leaves = np.zeros((self.tree.node_count, n_labels))
        self.leaves[:, self.classes] = self.tree.value[:, 0, :]

    def scores(self, X: Any) -> NDArray[np.float64]:
        found: NDArray[np.float64] = self.leaves[self.tree.apply(np.ascontiguousarray(X, dtype=np.float32))]
        return found


class _Constant:
    """A hypothesis that knows one label, for a sample that holds no other."""

    def __init__(self, label: int, n_labels: int):
        self.row = np.zeros((1, n_labels))
        self.row[0, label] = 1.0

    def __call__(self, X: Any, lists: Lists) -> NDArray[np.int64]:
        return best_in_lists(np.broadcast_to(self.row, (len(X), self.row.shape[1])), lists)


def restricted_learner(estimator: Any, n_labels: int) -> Learner:
    """Make a learner of a scikit-learn classifier: its most probable label within the list.

    Parameters
    ----------
    estimator : scikit-learn classifier
        Cloned for each call; a ``random_state`` of None becomes 0, since a learner is deterministic.
    n_labels : int
        Number of labels.

    Returns
    -------
    callable
        ``learner(X, y, lists) -> h``. The lists of the examples do not matter to it, those at prediction do.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> learn = restricted_learner(DecisionTreeClassifier(max_depth=1), 3)
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> h = learn(X, np.array([0, 0, 1, 2]), None)
    >>> h(X, None), h(X, np.array([[0, 1], [1, 2], [1, 2], [2, 0]]))
    (array([0, 0, 1, 1]), array([0, 1, 1, 2]))
    """
    from sklearn.base import clone
    from sklearn.tree import BaseDecisionTree

    if estimator.get_params(deep=False).get("random_state", 0) is None:
        estimator = clone(estimator).set_params(random_state=0)
    reader = _RestrictedTree if isinstance(estimator, BaseDecisionTree) else _Restricted

    def learn(X: Any, y: NDArray[np.int64], lists: Lists) -> Hypothesis:
        if (y == y[0]).all():
            return _Constant(int(y[0]), n_labels)
        return reader(clone(estimator).fit(X, y), n_labels)

    return learn


def stump_learner(n_labels: int, depth: int = 1) -> Learner:
    """Make a learner of decision trees of a small depth, restricted to lists.

    Parameters
    ----------
    n_labels : int
        Number of labels.
    depth : int
        1 for decision stumps.

    Returns
    -------
    callable
        As in `restricted_learner`.
    """
    from sklearn.tree import DecisionTreeClassifier

    return restricted_learner(DecisionTreeClassifier(max_depth=depth, random_state=0), n_labels)


class _Row:
    """A function of a finite class."""

    def __init__(self, row: NDArray[np.int64]):
        self.row = row

    def __call__(self, X: Any, lists: Lists) -> NDArray[np.int64]:
        return self.row[np.asarray(X)]


def finite_learner(table: ArrayLike) -> Learner:
    """Make the empirical risk minimiser of a finite class.

    Parameters
    ----------
    table : array_like of int, shape (N, n)
        One row a hypothesis, its label at each point of the domain; X then holds points, 0 to n − 1.

    Returns
    -------
    callable
        ``learner(X, y, lists) -> h``, the first row that is right most often on the examples.

    Raises
    ------
    ValueError
        If the table is not a table of codes.

    Examples
    --------
    >>> learn = finite_learner([[0, 0, 2], [1, 1, 2]])
    >>> learn(np.array([0, 1, 1]), np.array([0, 1, 1]), None)(np.arange(3), None)
    array([1, 1, 2])
    """
    rows = np.asarray(table)
    if rows.ndim != 2 or not rows.size or rows.dtype.kind not in "iu" or rows.min() < 0:
        raise ValueError(
            f"table has shape {rows.shape} and type {rows.dtype}; give one row of label codes a hypothesis"
        )
    rows = rows.astype(np.int64)

    def learn(X: Any, y: NDArray[np.int64], lists: Lists) -> Hypothesis:
        return _Row(rows[int((rows[:, np.asarray(X)] == y).sum(axis=1).argmax())])

    return learn


class SampledOracle:
    """An oracle that draws m₀ examples, learns from them alone, and draws again until the accuracy holds.

    A learner that succeeds with probability 1/2 on m₀ examples needs two draws a call on average. What is
    returned after the last attempt is the most accurate hypothesis, so that the booster sees by how much the
    edge was missed.

    Parameters
    ----------
    learner : callable
        Deterministic ``learner(X, y, lists) -> h``.
    X : array_like, shape (m, ...)
        The sample.
    y : ndarray of int64, shape (m,)
        Its labels, codes.
    n_labels : int
        Number of labels.
    gamma : float
        Edge that a hypothesis must have.
    m0 : int
        Examples drawn, with repetition, from the distribution of a call.
    rng : numpy.random.Generator
        Source of the draws.
    attempts : int
        Draws a call at most.

    Attributes
    ----------
    draws : list of ndarray of int64, shape (m₀,)
        The examples behind the hypothesis of each call, in order.
    n_draws : int
        Draws made, those that were rejected included.

    References
    ----------
    Brukhim et al. (2023), Definition 4 and Section 5: a hypothesis is represented by the sequence of m₀
    examples it was trained on.

    Examples
    --------
    >>> y = np.array([0, 1, 2])
    >>> weak = SampledOracle(
    ...     finite_learner([[0, 0, 2], [1, 1, 2]]), np.arange(3), y, 3, 0.1, 5, np.random.default_rng(0)
    ... )
    >>> answer = weak(np.full(3, 1 / 3), None)
    >>> int((answer.predicted == y).sum()), len(weak.draws)
    (2, 1)
    """

    def __init__(
        self,
        learner: Learner,
        X: Any,
        y: NDArray[np.int64],
        n_labels: int,
        gamma: float,
        m0: int,
        rng: np.random.Generator,
        *,
        attempts: int = 10,
    ):
        if m0 < 1 or attempts < 1:
            raise ValueError(f"m0={m0}, attempts={attempts}: draw at least 1 example, at least once a call")
        self.learner, self.X, self.y, self.n_labels = learner, np.asarray(X), np.asarray(y), n_labels
        self.gamma, self.m0, self.attempts = gamma, m0, attempts
        self.draws: list[NDArray[np.int64]] = []
        self.n_draws = 0
        self._rng = rng

    def __call__(self, weights: NDArray[np.float64], lists: Lists) -> Answer:
        """Answer one call."""
        ends = np.cumsum(weights)
        last = int(np.flatnonzero(weights)[-1])
        required = required_accuracy(self.gamma, lists) - 1e-12
        best: tuple[float, NDArray[np.int64], Answer] | None = None
        for _ in range(self.attempts):
            drawn = np.searchsorted(ends, self._rng.random(self.m0) * ends[-1], side="right")
            drawn = np.minimum(drawn, last)
            h = self.learner(self.X[drawn], self.y[drawn], None if lists is None else lists[drawn])
            call = len(self.draws) + 1
            predicted = predicted_labels(h, self.X, lists, len(self.y), self.n_labels, call)
            accuracy = float(weights @ (predicted == self.y))
            self.n_draws += 1
            if best is None or accuracy > best[0]:
                best = accuracy, drawn, Answer(h, predicted)
            if accuracy >= required:
                break
        assert best is not None  # at least one attempt was made
        self.draws.append(best[1])
        return best[2]
