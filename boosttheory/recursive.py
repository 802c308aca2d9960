"""Algorithms 2, 3 and 4 of Brukhim, Daniely, Mansour and Moran: hint, recursive boosting, weak to list.

The booster keeps, for each example, a list of labels that holds the true one. A first hint comes from a few
hypotheses on ever smaller samples; each further stage runs Hedge with the lists as hint and drops the labels
with few votes, until one is left. Only the weak learner decides how many labels there may be: no count here
grows with their number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boosttheory.bounds import hint_length, rounds, step
from boosttheory.hedge import EdgeError, HedgeRun, hedge
from boosttheory.weak_learners import Answer, Hypothesis, Oracle, predicted_labels, required_accuracy

__all__ = [
    "ListModel",
    "MissedEdgeError",
    "RecursiveRun",
    "Stage",
    "initial_hint",
    "planned_rounds",
    "recursive_boost",
    "thin_lists",
    "weak_to_list",
]

Callback = Callable[[int, float], None]
_TABLE = 1 << 26  # votes kept for every label of every example, at most


@dataclass(frozen=True, eq=False)
class Stage:
    """One stage: the hint (size 0), or one call of Hedge on lists of ``size`` labels.

    Attributes
    ----------
    size : int
        Nominal length k of the lists the weak learner was given; 0 for the hint, and k of Algorithm 4, which
        gives no lists.
    rounds : int
        T, the number of hypotheses.
    eta : float
        Step size; 0 for the hint.
    accuracies : ndarray of float64, shape (T,)
        Accuracy of each hypothesis on the distribution it was given.
    hits : ndarray of int64, shape (m,)
        In how many rounds each example was right.
    hypotheses : tuple of callable
        In order; empty if the oracle returned labels only.
    list_sizes : ndarray of int64, shape (m,)
        Lengths of the lists that came out.
    coverage : float
        Share of the sample whose label is in its list.
    """

    size: int
    rounds: int
    eta: float
    accuracies: NDArray[np.float64]
    hits: NDArray[np.int64] = field(repr=False)
    hypotheses: tuple[Hypothesis, ...] = field(repr=False)
    list_sizes: NDArray[np.int64] = field(repr=False)
    coverage: float


@dataclass(frozen=True, eq=False)
class ListModel:
    """A list function on all of X, rebuilt from hypotheses.

    Attributes
    ----------
    n_labels : int
        Number of labels.
    hint : tuple of callable or None
        Hypotheses of Algorithm 2; None if the first lists hold all labels.
    stages : tuple of (int, tuple of callable)
        List length k and hypotheses of each call of Hedge. A stage of size k leaves at most k − 1 labels.
    from_votes : bool
        Algorithm 4: the one stage counts votes for all labels, without lists.
    width : int
        Nominal length p of the hint, to which its lists are padded.
    """

    n_labels: int
    hint: tuple[Hypothesis, ...] | None
    stages: tuple[tuple[int, tuple[Hypothesis, ...]], ...]
    from_votes: bool = False
    width: int = 0

    def first_lists(self, X: Any) -> NDArray[np.int64]:
        """Return μ_1: what the hint says, or all labels; shape (n, p)."""
        if self.hint is None:
            return np.tile(np.arange(self.n_labels), (len(X), 1))
        return padded(distinct(np.stack([h(X, None) for h in self.hint], axis=1)), self.width)

    def history(self, X: Any) -> list[NDArray[np.int64]]:
        """Return the lists of new points after every stage.

        Parameters
        ----------
        X : array_like, shape (n, ...)
            Points.

        Returns
        -------
        list of ndarray of int64, shape (n, k)
            μ_1, μ_2, ...: rows hold labels, those with more votes first, padded with −1.

        Notes
        -----
        Off the sample a list may lose the true label, and may be empty.
        """
        found = [] if self.from_votes else [self.first_lists(X)]
        for size, hypotheses in self.stages:
            lists = None if self.from_votes else found[-1]
            tally = _Tally(lists, len(X), self.n_labels)
            for h in hypotheses:
                tally.add(np.asarray(h(X, lists)))
            found.append(thin_lists(*tally.result(), len(hypotheses), size))
        return found

    def lists(self, X: Any) -> NDArray[np.int64]:
        """Return the last lists of new points, shape (n, k), padded with −1."""
        return self.history(X)[-1]


@dataclass(frozen=True, eq=False)
class RecursiveRun:
    """What Algorithm 3 or 4 did.

    Attributes
    ----------
    gamma : float
        The edge asked of every hypothesis.
    stages : tuple of Stage
        The hint first, if there was one.
    lists : ndarray of int64, shape (m, k)
        The last lists on the sample, padded with −1.
    model : ListModel
        The same on all of X; only if the hypotheses are callables.
    remaining : tuple of int
        |S_1|, |S_2|, ... of Algorithm 2.
    """

    gamma: float
    stages: tuple[Stage, ...]
    lists: NDArray[np.int64] = field(repr=False)
    model: ListModel = field(repr=False)
    remaining: tuple[int, ...] = ()

    @property
    def n_calls(self) -> int:
        """Number of calls of the oracle."""
        return sum(stage.rounds for stage in self.stages)

    @property
    def edges(self) -> NDArray[np.float64]:
        """Measured edge of every call: accuracy − 1/k, and the accuracy itself for the hint."""
        parts = [s.accuracies - (1 / s.size if s.size else 0.0) for s in self.stages]
        return np.concatenate(parts) if parts else np.zeros(0)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """List length k of every call, 0 for the hint."""
        return np.repeat([s.size for s in self.stages], [s.rounds for s in self.stages]).astype(np.int64)

    @property
    def consistent(self) -> bool:
        """Whether every example has its label in its last list."""
        return bool(self.stages) and self.stages[-1].coverage == 1.0


class MissedEdgeError(EdgeError):
    """A weak hypothesis missed the edge; the stages before it are a model that can be used.

    Attributes
    ----------
    partial : RecursiveRun
        The run up to the end of the stage before.
    """

    def __init__(self, call: int, accuracy: float, required: float, run: HedgeRun, partial: RecursiveRun):
        super().__init__(call, accuracy, required, run)
        self.partial = partial


def padded(lists: NDArray[np.int64], width: int) -> NDArray[np.int64]:
    """Fill rows up to a length with −1."""
    return np.pad(lists, ((0, 0), (0, max(0, width - lists.shape[1]))), constant_values=-1)


def distinct(lists: NDArray[np.int64]) -> NDArray[np.int64]:
    """Keep the first of equal labels in each row; the others become −1 and move to the end."""
    order = np.argsort(lists, axis=1, kind="stable")
    in_order = np.take_along_axis(lists, order, axis=1)
    repeated = np.zeros(lists.shape, dtype=bool)
    np.put_along_axis(repeated, order[:, 1:], in_order[:, 1:] == in_order[:, :-1], axis=1)
    kept = np.where(repeated, -1, lists)
    return np.take_along_axis(kept, np.argsort(repeated, axis=1, kind="stable"), axis=1)


def thin_lists(
    lists: NDArray[np.int64], votes: NDArray[np.int64], T: int, k: int, *, strict: bool = True
) -> NDArray[np.int64]:
    """Keep the labels with more than T/k votes.

    Parameters
    ----------
    lists : ndarray of int64, shape (n, c)
        Labels, padded with −1.
    votes : ndarray of int64, shape (n, c)
        H(x, y) for each entry.
    T, k : int
        Number of rounds and nominal list length.
    strict : bool
        Whether the votes must exceed T/k, as in the paper.

    Returns
    -------
    ndarray of int64, shape (n, max(k − 1, 1))
        Labels with more votes first (ties keep their order), padded with −1.

    References
    ----------
    Brukhim et al. (2023), line 4 of Algorithm 3 and line 3 of Algorithm 4. At most k − 1 labels of any x
    pass, since its votes add up to at most T.

    Examples
    --------
    >>> thin_lists(np.array([[4, 7, 9]]), np.array([[2, 5, 3]]), 10, 3)
    array([[ 7, -1]])
    """
    kept = (lists >= 0) & ((k * votes > T) if strict else (k * votes >= T))
    width = max(k - 1, 1)
    order = np.argsort(np.where(kept, -votes, 1), axis=1, kind="stable")[:, :width]
    thinned = np.take_along_axis(np.where(kept, lists, -1), order, axis=1)
    return padded(thinned, width)


class _Tally:
    """Votes for the labels of the lists; a table over all labels where it is small, else by column."""

    def __init__(self, lists: NDArray[np.int64] | None, n: int, n_labels: int):
        if lists is None and n * n_labels > _TABLE:
            raise ValueError(
                f"n_labels={n_labels}: the votes for all labels of {n} examples need too much memory; encode "
                "the labels that occur"
            )
        self.lists, self.n_labels = lists, n_labels
        # eight columns cost as much as the scattered table
        self.by_label = lists is None or (lists.shape[1] > 8 and n * n_labels <= _TABLE)
        if lists is None or self.by_label:
            self.votes = np.zeros(n * n_labels, dtype=np.int32)
            self.offsets = np.arange(n, dtype=np.int64) * n_labels
        else:
            self.columns = np.ascontiguousarray(lists.T)
            self.votes = np.zeros(self.columns.shape, dtype=np.int32)

    def add(self, predicted: NDArray[Any]) -> None:
        if self.by_label:
            self.votes[self.offsets + predicted] += 1
            return
        for column, votes in zip(self.columns, self.votes, strict=True):
            votes += column == predicted

    def result(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the lists and the votes for their entries."""
        if not self.by_label:
            assert self.lists is not None  # votes by column belong to lists
            return self.lists, self.votes.T.astype(np.int64)
        table = self.votes.reshape(-1, self.n_labels).astype(np.int64)
        if self.lists is None:
            return np.broadcast_to(np.arange(self.n_labels), table.shape), table
        return self.lists, np.take_along_axis(table, self.lists, axis=1)


class _Booster:
    """The sample, the oracle and the calls made so far."""

    def __init__(
        self,
        weak: Oracle,
        y: ArrayLike,
        n_labels: int,
        gamma: float,
        X: Any,
        strict: bool,
        callback: Callback | None,
    ):
        self.weak, self.y, self.X, self.n_labels = weak, np.asarray(y), X, n_labels
        if self.y.ndim != 1 or not len(self.y) or self.y.dtype.kind not in "iu":
            raise ValueError(
                f"y has shape {self.y.shape} and type {self.y.dtype}; give the integer code of each label"
            )
        if self.y.min() < 0 or self.y.max() >= n_labels:
            raise ValueError(f"y holds labels outside 0 to {n_labels - 1}; give codes, or raise n_labels")
        if not 0 < gamma <= 0.5:
            raise ValueError(f"gamma={gamma} is no edge; give a number above 0 and at most 1/2")
        self.gamma, self.strict, self.callback, self.calls = float(gamma), strict, callback, 0

    def ask(
        self, weights: NDArray[np.float64], lists: NDArray[np.int64] | None, kept: list[Hypothesis]
    ) -> NDArray[Any]:
        """Call the oracle once; remember the hypothesis if it can be used off the sample."""
        self.calls += 1
        answer = self.weak(weights, lists)
        predicted = predicted_labels(answer, self.X, lists, len(self.y), self.n_labels, self.calls)
        if isinstance(answer, Answer):
            kept.append(answer.hypothesis)
        elif callable(answer):
            kept.append(answer)
        return predicted

    def stage(
        self,
        lists: NDArray[np.int64] | None,
        k: int,
        T: int,
        eta: float,
        required: float,
        partial: RecursiveRun,
    ) -> tuple[Stage, NDArray[np.int64]]:
        """Run Hedge with a hint and thin the lists."""
        m, kept, before = len(self.y), list[Hypothesis](), self.calls
        tally = _Tally(lists, m, self.n_labels)

        def respond(weights: NDArray[np.float64]) -> NDArray[np.bool_]:
            predicted = self.ask(weights, lists, kept)
            tally.add(predicted)
            return np.asarray(predicted == self.y)

        tell = None if self.callback is None else self._shifted(before, self.callback)
        try:
            run = hedge(respond, m, T, eta, required=required if self.strict else None, callback=tell)
        except EdgeError as error:
            raise MissedEdgeError(
                before + error.call, error.accuracy, error.required, error.run, partial
            ) from None
        thinned = thin_lists(*tally.result(), T, k)
        return self._finished(k, eta, run.accuracies, run.hits, kept, thinned), thinned

    @staticmethod
    def _shifted(before: int, callback: Callback) -> Callback:
        return lambda t, accuracy: callback(before + t, accuracy)

    def _finished(
        self,
        size: int,
        eta: float,
        accuracies: NDArray[np.float64],
        hits: NDArray[np.int64],
        kept: Sequence[Hypothesis],
        lists: NDArray[np.int64],
    ) -> Stage:
        inside = (lists == self.y[:, None]).any(axis=1)
        sizes = (lists >= 0).sum(axis=1)
        return Stage(size, len(accuracies), eta, accuracies, hits, tuple(kept), sizes, float(inside.mean()))

    def nothing(self) -> RecursiveRun:
        """Return the run without a stage."""
        model = ListModel(self.n_labels, None, ())
        return RecursiveRun(self.gamma, (), np.zeros((len(self.y), 0), np.int64), model)

    def hint(self, p: int | None) -> RecursiveRun:
        """Run Algorithm 2, as long as examples are left."""
        m = len(self.y)
        p = hint_length(m, self.gamma) if p is None else p
        if p < 1:
            raise ValueError(f"p={p} leaves every list empty; give at least 1 hypothesis")
        left = np.ones(m, dtype=bool)
        answers, kept = list[NDArray[Any]](), list[Hypothesis]()
        accuracies, remaining = list[float](), [m]
        while len(answers) < p and remaining[-1]:
            predicted = self.ask(left / remaining[-1], None, kept)
            correct = predicted == self.y
            accuracy = int(np.count_nonzero(correct & left)) / remaining[-1]
            if self.strict and accuracy < self.gamma - 1e-12:
                empty = np.zeros(m, dtype=np.int64)
                run = HedgeRun(0.0, empty, np.array(accuracies), left / remaining[-1])
                raise MissedEdgeError(self.calls, accuracy, self.gamma, run, self.nothing())
            left &= ~correct
            answers.append(predicted)
            accuracies.append(accuracy)
            remaining.append(int(np.count_nonzero(left)))
            if self.callback is not None:
                self.callback(self.calls, accuracy)
        table = np.stack(answers, axis=1).astype(np.int64)
        # lists of the text have p entries; where fewer hypotheses were needed, the rest is padding
        lists = padded(distinct(table), p)
        hits = (table == self.y[:, None]).sum(axis=1)
        stage = self._finished(0, 0.0, np.array(accuracies), hits, kept, lists)
        model = ListModel(self.n_labels, stage.hypotheses, (), width=p)
        return RecursiveRun(self.gamma, (stage,), lists, model, tuple(remaining))


def initial_hint(
    weak: Oracle,
    y: ArrayLike,
    n_labels: int,
    gamma: float,
    p: int | None = None,
    *,
    X: Any = None,
    strict: bool = True,
    callback: Callback | None = None,
) -> RecursiveRun:
    """Run Algorithm 2: p hypotheses, each on the examples that the ones before got wrong.

    Parameters
    ----------
    weak : callable
        Oracle, see `boosttheory.weak_learners`.
    y : array_like of int, shape (m,)
        Labels, codes.
    n_labels : int
        Number of labels; no count depends on it.
    gamma : float
        Edge, in (0, 1/2].
    p : int, optional
        Number of hypotheses; by default max(1, ⌈ln m/γ⌉).
    X : array_like, optional
        The sample, for hypotheses that are callables.
    strict : bool
        Whether a missed edge is an error.
    callback : callable, optional
        ``callback(call, accuracy)``.

    Returns
    -------
    RecursiveRun
        With one stage. It stops early when no example is left, and a label may be predicted twice, so a list
        has at most p labels.

    Raises
    ------
    MissedEdgeError
        If a hypothesis has accuracy below γ and ``strict`` holds.
    ValueError
        If an argument or an answer is out of range.

    References
    ----------
    Brukhim et al. (2023), Algorithm 2 and Lemma 4.

    Examples
    --------
    >>> run = initial_hint(lambda D, lists: np.full(4, np.flatnonzero(D)[0]), [0, 1, 2, 3], 4, 0.25)
    >>> run.remaining, run.lists[2].tolist()
    ((4, 3, 2, 1, 0), [0, 1, 2, 3, -1, -1])
    """
    return _Booster(weak, y, n_labels, gamma, X, strict, callback).hint(p)


def planned_rounds(
    schedule: str, m: int, first: int, gamma: float, budget: int | None = None
) -> dict[int, int]:
    """Return the rounds of each stage.

    Parameters
    ----------
    schedule : str
        As in `boosttheory.bounds.rounds`.
    m : int
        Number of examples.
    first : int
        List length of the first stage; the last one has 2.
    gamma : float
        Edge.
    budget : int, optional
        Calls for all stages together; the rounds are cut in proportion where they need more.

    Returns
    -------
    dict of int to int
        List length k to rounds T_k ≥ 1, k falling.

    Examples
    --------
    >>> planned_rounds("fast", 100, 4, 0.25), planned_rounds("fast", 100, 4, 0.25, budget=30)
    ({4: 36, 3: 37, 2: 33}, {4: 10, 3: 10, 2: 9})
    """
    plan = {k: rounds(schedule, m, k, gamma) for k in range(first, 1, -1)}
    total = sum(plan.values())
    if budget is not None and total > budget:
        plan = {k: max(1, T * budget // total) for k, T in plan.items()}
    return plan


def recursive_boost(
    weak: Oracle,
    y: ArrayLike,
    n_labels: int,
    gamma: float,
    *,
    X: Any = None,
    schedule: str = "paper",
    hint: bool = True,
    p: int | None = None,
    budget: int | None = None,
    strict: bool = True,
    stop_early: bool = False,
    callback: Callback | None = None,
) -> RecursiveRun:
    """Run Algorithm 3: a hint, then lists of p − 1, p − 2, ..., 1 labels by Hedge.

    Parameters
    ----------
    weak, y, n_labels, gamma, X, p, strict, callback
        As in `initial_hint`.
    schedule : {"paper", "fast", "variance", "constant"}
        Rounds and step size of each stage, see `boosttheory.bounds.rounds`.
    hint : bool
        Whether the first lists come from Algorithm 2. If not, they hold all labels, and the stages start at
        k = n_labels: shorter when n_labels < p.
    budget : int, optional
        Calls of the stages; where the schedule needs more, it is cut in proportion and proves nothing.
    stop_early : bool
        Whether to stop as soon as every list on the sample has one label at most.

    Returns
    -------
    RecursiveRun
        Lists of at most one label; ``n_calls`` is p + Σ T_k, which is p + (p − 1)T for the paper's T.

    Raises
    ------
    MissedEdgeError
        If a hypothesis misses the edge and ``strict`` holds; its ``partial`` is the run so far.
    ValueError
        If an argument or an answer is out of range.

    References
    ----------
    Brukhim et al. (2023), Algorithm 3 and Theorem 2.

    Examples
    --------
    >>> y = np.array([3, 1, 4, 1, 5, 9, 2, 6])
    >>> run = recursive_boost(lambda D, lists: np.where(np.arange(8) % 4 > 0, y, 0), y, 10, 0.2, strict=False)
    >>> run.n_calls == 11 + 10 * 416, [stage.size for stage in run.stages][:3]
    (True, [0, 11, 10])
    """
    booster = _Booster(weak, y, n_labels, gamma, X, strict, callback)
    m = len(booster.y)
    if hint:
        run = booster.hint(p)
    else:
        if n_labels < 2:
            raise ValueError(f"n_labels={n_labels} leaves nothing to choose; give at least 2 labels")
        run = replace(booster.nothing(), lists=np.tile(np.arange(n_labels), (m, 1)))
    first = run.lists.shape[1]
    left = None if budget is None else max(1, budget - run.n_calls)
    for k, T in planned_rounds(schedule, m, first, gamma, left).items():
        if stop_early and bool(((run.lists >= 0).sum(axis=1) <= 1).all()):
            break
        eta = step(schedule, m, k, gamma, T)
        stage, lists = booster.stage(run.lists, k, T, eta, required_accuracy(gamma, run.lists), run)
        model = replace(run.model, stages=(*run.model.stages, (k, stage.hypotheses)))
        run = replace(run, stages=(*run.stages, stage), lists=lists, model=model)
    return run


def weak_to_list(
    weak: Oracle,
    y: ArrayLike,
    n_labels: int,
    accuracy: float,
    *,
    X: Any = None,
    schedule: str = "paper",
    k: int | None = None,
    budget: int | None = None,
    strict: bool = True,
    callback: Callback | None = None,
) -> RecursiveRun:
    """Run Algorithm 4: lists of at most k − 1 labels, k the least integer with 1/k below the accuracy.

    Parameters
    ----------
    weak, y, n_labels, X, schedule, strict, callback
        As in `recursive_boost`; the weak learner gets no lists.
    accuracy : float
        γ, in (0, 1]: what every hypothesis must have on its distribution. The edge is σ = γ − 1/k.
    k : int, optional
        A larger k, for longer lists with a larger edge.
    budget : int, optional
        Rounds at most.

    Returns
    -------
    RecursiveRun
        With one stage; ``gamma`` is σ.

    Raises
    ------
    MissedEdgeError, ValueError
        As in `recursive_boost`.

    References
    ----------
    Brukhim et al. (2023), Algorithm 4 and Lemma 5.

    Examples
    --------
    >>> y = np.array([0, 1, 2, 0, 1, 2])
    >>> half = lambda D, lists: np.where(np.arange(6) < 3, y, 0) if D[:3].sum() >= 0.5 else y[::-1].copy()
    >>> weak_to_list(half, y, 3, 0.4, strict=False).lists.shape
    (6, 2)
    """
    if not 0 < accuracy <= 1:
        raise ValueError(f"accuracy={accuracy} is no accuracy of a weak learner; give a number in (0, 1]")
    k = list_length(accuracy) + 1 if k is None else k
    if 1 / k >= accuracy:
        raise ValueError(f"k={k} leaves no edge: 1/k must be below accuracy={accuracy}; raise k")
    sigma = min(accuracy - 1 / k, 0.5)
    booster = _Booster(weak, y, n_labels, sigma, X, strict, callback)
    T = rounds(schedule, len(booster.y), k, sigma)
    T = T if budget is None else min(T, budget)
    eta = step(schedule, len(booster.y), k, sigma, T)
    stage, lists = booster.stage(None, k, T, eta, accuracy, booster.nothing())
    model = ListModel(n_labels, None, ((k, stage.hypotheses),), from_votes=True)
    return RecursiveRun(sigma, (stage,), lists, model)


def list_length(accuracy: Any) -> int:
    """Return k − 1 = ⌊1/γ⌋, the list length of Algorithm 4, where k is the least integer with 1/k < γ.

    Parameters
    ----------
    accuracy : Fraction or float
        γ, in (0, 1].

    Examples
    --------
    >>> from fractions import Fraction
    >>> [list_length(Fraction(1, d)) for d in (1, 2, 3)], list_length(0.4)
    ([1, 2, 3], 2)
    """
    # a float such as 0.1 means 1/10, not the binary number a little above it
    exact = Fraction(accuracy)
    return int(1 // (exact.limit_denominator(10**9) if isinstance(accuracy, float) else exact))
