"""Recursive boosting and weak-to-list boosting as scikit-learn estimators.

`RecursiveBoostingClassifier` is Algorithm 3 of Brukhim et al. (2023), `WeakToListClassifier` Algorithm 4,
with any scikit-learn classifier as weak learner. Both predict a label, and a short list of labels.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import BaseDecisionTree, DecisionTreeClassifier
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from boosttheory.bounds import hint_length, rounds
from boosttheory.compression import Compression, ErrorBound, compress, error_bound
from boosttheory.recursive import (
    ListModel,
    MissedEdgeError,
    RecursiveRun,
    list_length,
    planned_rounds,
    recursive_boost,
    weak_to_list,
)
from boosttheory.weak_learners import SampledOracle, restricted_learner

__all__ = ["EdgeWarning", "RecursiveBoostingClassifier", "WeakToListClassifier"]

SCHEDULES = ("paper", "fast", "variance", "constant")
FALLBACKS = ("votes", "majority")
LEAST_EDGE = 2.0**-7  # the halving search gives up below


class EdgeWarning(UserWarning):
    """The weak learner did not show the edge that the guarantee needs."""


class _ListClassifier(ClassifierMixin, BaseEstimator):
    """What both estimators share: the sample, the oracle, lists and the compression."""

    estimator: Any
    schedule: str
    sample_size: int | str
    attempts: int
    max_calls: int | None
    fallback: Any
    random_state: Any
    callback: Callable[[int, float], None] | None

    classes_: NDArray[Any]
    n_features_in_: int
    run_: RecursiveRun
    model_: ListModel
    compression_: Compression
    n_calls_: int
    n_guesses_: int
    list_sizes_: NDArray[np.float64]
    edges_: NDArray[np.float64]
    call_sizes_: NDArray[np.int64]

    def _sample(self, X: Any, y: Any) -> tuple[Any, NDArray[np.int64], np.random.Generator]:
        """Validate parameters and data; return the sample, codes of labels and a generator."""
        if self.schedule not in SCHEDULES:
            raise ValueError(f"schedule={self.schedule!r} is unknown; choose one of {', '.join(SCHEDULES)}")
        if self.max_calls is not None and self.max_calls < 1:
            raise ValueError(f"max_calls={self.max_calls} leaves nothing to learn; give at least 1, or None")
        if self.sample_size != "auto" and (isinstance(self.sample_size, str) or self.sample_size < 1):
            raise ValueError(f"sample_size={self.sample_size!r}: give at least 1 example a call, or 'auto'")
        X, y = validate_data(self, X, y)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y holds one class only, {self.classes_[0]!r}, so there is nothing to choose; "
                "give at least 2 classes"
            )
        if self.fallback not in FALLBACKS and self.fallback not in self.classes_.tolist():
            raise ValueError(
                f"fallback={self.fallback!r} is no class of y; choose a class, 'votes' or 'majority'"
            )
        self._majority = int(np.bincount(codes).argmax())
        _warn_conflicts(X, codes)
        rng = (
            np.random.default_rng(self.random_state.randint(2**31))
            if isinstance(self.random_state, np.random.RandomState)
            else np.random.default_rng(self.random_state)
        )
        return X, codes.astype(np.int64), rng

    def _oracle(
        self, X: Any, codes: NDArray[np.int64], gamma: float, rng: np.random.Generator
    ) -> SampledOracle:
        base = DecisionTreeClassifier(max_depth=1) if self.estimator is None else self.estimator
        if isinstance(base, BaseDecisionTree):
            X = X.astype(np.float32)
        learner = restricted_learner(base, len(self.classes_))
        m0 = min(len(codes), 500) if self.sample_size == "auto" else int(self.sample_size)
        return SampledOracle(learner, X, codes, len(self.classes_), gamma, m0, rng, attempts=self.attempts)

    def _finish(self, run: RecursiveRun, oracle: SampledOracle) -> None:
        self.run_, self.model_, self.compression_ = run, run.model, compress(run, oracle)
        self.edges_, self.call_sizes_ = run.edges, run.sizes
        first = (
            [] if run.model.hint is not None or run.model.from_votes else [[len(self.classes_)] * 2 + [1.0]]
        )
        after = [[s.list_sizes.mean(), s.list_sizes.max(), s.coverage] for s in run.stages]
        self.list_sizes_ = np.array([*first, *after], dtype=np.float64)

    def _tell_missed(self, gamma: float) -> None:
        missed = self.edges_ < gamma - 1e-12
        if missed.any():
            worst = int(self.edges_.argmin())
            size = self.call_sizes_[worst]
            where = f"lists of {size} labels" if size else "all labels"
            warnings.warn(
                f"{int(missed.sum())} of {len(self.edges_)} calls missed the edge {gamma:.4g}, by which "
                f"training labels may leave their lists; the least one measured is {self.edges_[worst]:.4g} "
                f"(call {worst + 1}, {where}): lower the edge, give a stronger weak learner or a larger "
                "sample_size",
                EdgeWarning,
                stacklevel=3,
            )

    @property
    def compression_size_(self) -> int:
        """r, the number of training examples that rebuild the lists, counted."""
        check_is_fitted(self, "compression_")
        return self.compression_.size

    def error_bound(self, delta: float = 0.05) -> ErrorBound:
        """Evaluate Theorem 6 on this very run.

        Parameters
        ----------
        delta : float
            Probability, over the training sample, that the bound may fail.

        Returns
        -------
        boosttheory.compression.ErrorBound
            A bound on the probability that a new label is not in the last list, and whether it is vacuous.
            It needs r ln m well below m, which is rare in practice. Guesses of the edge, and stages and
            rounds left out after seeing the sample, are paid for by a union bound.
        """
        check_is_fitted(self, "compression_")
        stages = [T for _, T in self.compression_.stages]
        chosen = [self.n_guesses_, self.n_calls_, len(stages), stages[0]]
        choices = sum(math.log(n * (n + 1)) for n in chosen)
        return error_bound(
            self.compression_size_,
            len(self.run_.lists),
            delta,
            consistent=self.run_.consistent,
            choices=choices,
        )

    def _history(self, X: Any) -> list[NDArray[np.int64]]:
        check_is_fitted(self, "model_")
        return self.model_.history(validate_data(self, X, reset=False))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the label with the most votes in the last list; empty lists follow the rule `fallback`.

        Parameters
        ----------
        X : array_like, shape (n, d)
            Points.

        Returns
        -------
        ndarray, shape (n,)
            Labels.
        """
        history = self._history(X)
        chosen = history[-1][:, 0]
        if self.fallback == "votes":
            for lists in reversed(history[:-1]):
                chosen = np.where(chosen < 0, lists[:, 0], chosen)
        return self.classes_[np.where(chosen < 0, self._default(), chosen)]

    def _default(self) -> int:
        if self.fallback in FALLBACKS:
            return self._majority
        return self.classes_.tolist().index(self.fallback)

    def predict_list(self, X: ArrayLike, size: int | None = None) -> list[NDArray[Any]]:
        """Predict a list of labels for each point.

        Parameters
        ----------
        X : array_like, shape (n, d)
            Points.
        size : int, optional
            Largest length wanted; by default that of the last stage.

        Returns
        -------
        list of ndarray
            For each point at least one and at most ``size`` labels, those with more votes first.

        Notes
        -----
        The lists carry no coverage guarantee, unlike conformal prediction sets: they hold the label of every
        training example when the weak learner keeps its edge, and off the sample nothing but `error_bound` is
        known.
        """
        if size is not None and size < 1:
            raise ValueError(f"size={size} leaves every list empty; give at least 1")
        history = self._history(X)
        fitting = [at for at, lists in enumerate(history) if size is None or lists.shape[1] <= size]
        at = fitting[0] if size is not None and fitting else len(history) - 1
        lists = history[at][:, : size or None].copy()
        empty = lists[:, 0] < 0
        lists[empty, 0] = self._default()
        return [self.classes_[row[row >= 0]] for row in lists]


class RecursiveBoostingClassifier(_ListClassifier):
    """Recursive boosting: lists of labels that shrink until one is left.

    Parameters
    ----------
    estimator : scikit-learn classifier, optional
        Weak learner, used as the arg max of its probabilities within the list of each point; a decision stump
        by default.
    schedule : {"fast", "paper", "variance", "constant"}
        Rounds and step size of each stage. "paper" is Algorithm 3 as printed, hint included.
    edge : float or "auto"
        γ: how much better than 1/k a hypothesis must be on lists of k labels. "auto" tries 1/2 and halves it
        as long as a call misses it (Section 3).
    sample_size : int or "auto"
        m₀, the examples drawn for a call; "auto" takes 500, or all if there are fewer.
    attempts : int
        Draws a call at most, until the edge is met.
    max_calls : int, optional
        Budget of oracle calls. A schedule that needs more is cut in proportion, and proves nothing; a search
        for the edge stops where the next schedule would no longer fit.
    hint : bool or "auto"
        Whether Algorithm 2 makes the first lists. "auto": always under schedule="paper"; else only if its
        lists, of p = ⌈ln m/γ⌉ labels, are shorter than the list of all labels.
    fallback : {"votes", "majority"} or a class
        Label where the last list is empty: the one with the most votes in the last list that is not, the most
        frequent class, or the given one.
    random_state : None, int, SeedSequence, Generator or RandomState
        Source of the draws.
    callback : callable, optional
        ``callback(call, accuracy)``.

    Attributes
    ----------
    classes_ : ndarray, shape (K,)
        Labels, sorted.
    edge_ : float
        The edge of the run that was kept.
    n_calls_ : int
        Oracle calls, those of the search for the edge included.
    n_guesses_ : int
        Edges tried.
    edges_, call_sizes_ : ndarray, shape (calls of the kept run,)
        Measured edge of every call (its accuracy for the hint), and its list length k (0 for the hint).
    list_sizes_ : ndarray of float, shape (lists, 3)
        After each stage: mean and largest list length on the training set, and the share of labels inside.
    compression_ : boosttheory.compression.Compression
        The examples that rebuild the lists.
    run_ : boosttheory.recursive.RecursiveRun
        The run.

    Notes
    -----
    There are no sample weights: each call draws its examples from the distribution of the booster. If a call
    misses the edge in the kept run, fit warns (`EdgeWarning`) and goes on; nothing is then guaranteed.

    References
    ----------
    Brukhim et al. (2023), Algorithms 2 and 3, Theorem 2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> weak = DecisionTreeClassifier(max_depth=2)
    >>> model = RecursiveBoostingClassifier(weak, edge=0.15, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.95), model.n_calls_ == len(model.edges_)
    (True, True)
    >>> [len(labels) for labels in model.predict_list(X[:2], size=2)]
    [1, 1]
    """

    edge_: float

    def __init__(
        self,
        estimator: Any = None,
        *,
        schedule: str = "fast",
        edge: float | str = "auto",
        sample_size: int | str = "auto",
        attempts: int = 10,
        max_calls: int | None = 1000,
        hint: bool | str = "auto",
        fallback: Any = "votes",
        random_state: Any = None,
        callback: Callable[[int, float], None] | None = None,
    ) -> None:
        self.estimator = estimator
        self.schedule = schedule
        self.edge = edge
        self.sample_size = sample_size
        self.attempts = attempts
        self.max_calls = max_calls
        self.hint = hint
        self.fallback = fallback
        self.random_state = random_state
        self.callback = callback

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Boost the weak learner.

        Parameters
        ----------
        X : array_like, shape (m, d)
            Training points.
        y : array_like, shape (m,)
            Labels.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If y has one class only or a parameter is out of range.
        """
        if self.edge != "auto" and (isinstance(self.edge, str) or not 0 < self.edge <= 0.5):
            raise ValueError(
                f"edge={self.edge!r} is no edge; give a number above 0 and at most 1/2, or 'auto'"
            )
        X, codes, rng = self._sample(X, y)
        self.n_calls_, self.n_guesses_ = 0, 0
        gamma = 0.5 if self.edge == "auto" else float(self.edge)
        while True:
            self.n_guesses_ += 1
            last = self.edge != "auto" or gamma / 2 < LEAST_EDGE or not self._fits(len(codes), gamma / 2)
            oracle = self._oracle(X, codes, gamma, rng)
            try:
                run = self._boost(oracle, gamma, strict=not last)
            except MissedEdgeError as error:
                self.n_calls_ += error.call
                gamma /= 2
                continue
            break
        self.n_calls_ += run.n_calls
        self.edge_ = gamma
        self._finish(run, oracle)
        self._tell_missed(gamma)
        return self

    def _uses_hint(self, m: int, gamma: float) -> bool:
        if self.hint != "auto":
            return bool(self.hint)
        return self.schedule == "paper" or hint_length(m, gamma) < len(self.classes_)

    def _fits(self, m: int, gamma: float) -> bool:
        """Tell whether a whole schedule still fits into the budget."""
        if self.max_calls is None:
            return True
        p = hint_length(m, gamma) if self._uses_hint(m, gamma) else 0
        stages = planned_rounds(self.schedule, m, p or len(self.classes_), gamma)
        return self.n_calls_ + p + sum(stages.values()) <= self.max_calls

    def _boost(self, oracle: SampledOracle, gamma: float, strict: bool) -> RecursiveRun:
        budget = None if self.max_calls is None else max(1, self.max_calls - self.n_calls_)
        p = hint_length(len(oracle.y), gamma)
        return recursive_boost(
            oracle,
            oracle.y,
            oracle.n_labels,
            gamma,
            X=oracle.X,
            schedule=self.schedule,
            hint=self._uses_hint(len(oracle.y), gamma),
            p=p if budget is None else min(p, budget),
            budget=budget,
            strict=strict,
            stop_early=True,
            callback=self.callback,
        )


class WeakToListClassifier(_ListClassifier):
    """Weak-to-list boosting: one call of Hedge without hints, then lists of at most ⌊1/γ⌋ labels.

    Parameters
    ----------
    estimator, schedule, sample_size, attempts, fallback, random_state, callback
        As in `RecursiveBoostingClassifier`.
    accuracy : float
        γ, in (0, 1): the accuracy that a hypothesis must have on the distribution it was drawn from. The
        lists have at most k − 1 = ⌊1/γ⌋ labels, where k is the least integer with 1/k < γ.
    max_calls : int, optional
        Budget of oracle calls; a longer schedule is cut, and proves nothing.

    Attributes
    ----------
    classes_, n_calls_, n_guesses_, edges_, call_sizes_, list_sizes_, compression_, run_
        As in `RecursiveBoostingClassifier`; ``edges_`` holds accuracies minus 1/k.
    list_length_ : int
        k − 1.

    References
    ----------
    Brukhim et al. (2023), Algorithm 4 and Lemma 5.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = WeakToListClassifier(accuracy=0.45, random_state=0).fit(X, y)
    >>> model.list_length_, max(map(len, model.predict_list(X)))
    (2, 2)
    """

    list_length_: int

    def __init__(
        self,
        estimator: Any = None,
        *,
        accuracy: float = 0.6,
        schedule: str = "fast",
        sample_size: int | str = "auto",
        attempts: int = 10,
        max_calls: int | None = 1000,
        fallback: Any = "votes",
        random_state: Any = None,
        callback: Callable[[int, float], None] | None = None,
    ) -> None:
        self.estimator = estimator
        self.accuracy = accuracy
        self.schedule = schedule
        self.sample_size = sample_size
        self.attempts = attempts
        self.max_calls = max_calls
        self.fallback = fallback
        self.random_state = random_state
        self.callback = callback

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Boost the weak learner.

        Parameters
        ----------
        X : array_like, shape (m, d)
            Training points.
        y : array_like, shape (m,)
            Labels.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If y has one class only or a parameter is out of range.
        """
        if not 0 < self.accuracy < 1:
            raise ValueError(
                f"accuracy={self.accuracy} is no accuracy of a weak learner; give a number between 0 and 1"
            )
        X, codes, rng = self._sample(X, y)
        oracle = self._oracle(X, codes, self.accuracy, rng)
        run = weak_to_list(
            oracle,
            codes,
            len(self.classes_),
            self.accuracy,
            X=oracle.X,
            schedule=self.schedule,
            budget=self.max_calls,
            strict=False,
            callback=self.callback,
        )
        self.n_calls_, self.n_guesses_, self.list_length_ = run.n_calls, 1, list_length(self.accuracy)
        self._finish(run, oracle)
        self._tell_missed(run.gamma)
        if self.max_calls is not None:
            needed = rounds(self.schedule, len(codes), self.list_length_ + 1, run.gamma)
            if needed > run.n_calls:
                warnings.warn(
                    f"max_calls={self.max_calls} is below the {needed} rounds of the schedule at the edge "
                    f"{run.gamma:.4g}; raise it, or give an accuracy further above 1/{self.list_length_ + 1}",
                    EdgeWarning,
                    stacklevel=2,
                )
        return self


def _warn_conflicts(X: NDArray[Any], codes: NDArray[np.int64]) -> None:
    """Warn of equal points with different labels."""
    points = len(np.unique(X, axis=0))
    pairs = len(np.unique(np.column_stack([X, codes]), axis=0))
    if pairs > points:
        warnings.warn(
            f"y gives different labels to equal rows of X ({pairs - points} times): no hypothesis is right "
            "on both, so on these alone no weak learner beats 1/2 at k = 2, no edge holds for every "
            "distribution, and the guarantee on the training set is void; remove or relabel them",
            UserWarning,
            stacklevel=4,
        )
