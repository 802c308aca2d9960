"""Compression of a boosted list function: the sequence of examples that rebuilds it.

A hypothesis is a deterministic function of the m₀ examples it was trained on and of their lists, and those
lists come from the stages before it. So the whole list function is stored as a sequence of examples, and
`reconstruct` needs nothing else but the weak learner.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boosttheory.bounds import compression_error
from boosttheory.recursive import ListModel, RecursiveRun
from boosttheory.weak_learners import Hypothesis, Learner, SampledOracle

__all__ = ["Compression", "ErrorBound", "compress", "error_bound", "reconstruct"]


@dataclass(frozen=True, eq=False)
class Compression:
    """A list function as a sequence of examples.

    Attributes
    ----------
    X : ndarray, shape (r, ...)
        The examples, in the order in which the calls used them; repetitions count.
    y : ndarray of int64, shape (r,)
        Their labels.
    indices : ndarray of int64, shape (r,)
        Where they stand in the sample.
    call_sizes : tuple of int
        How many of them each call used (m₀).
    stages : tuple of (int, int)
        List length k and number of rounds of each stage; k = 0 for the hint.
    n_labels : int
        Number of labels.
    from_votes : bool
        Whether it is the output of Algorithm 4.
    width : int
        Nominal length p of the hint.
    """

    X: NDArray[Any] = field(repr=False)
    y: NDArray[np.int64] = field(repr=False)
    indices: NDArray[np.int64] = field(repr=False)
    call_sizes: tuple[int, ...] = field(repr=False)
    stages: tuple[tuple[int, int], ...]
    n_labels: int
    from_votes: bool = False
    width: int = 0

    @property
    def size(self) -> int:
        """Count r, the examples stored."""
        return len(self.y)


def compress(run: RecursiveRun, oracle: SampledOracle) -> Compression:
    """Collect the examples behind a run.

    Parameters
    ----------
    run : RecursiveRun
        Result of `boosttheory.recursive.recursive_boost`, `initial_hint` or `weak_to_list`.
    oracle : SampledOracle
        The oracle of that run, used for nothing else.

    Returns
    -------
    Compression

    Raises
    ------
    ValueError
        If the oracle answered fewer calls than the run made.

    References
    ----------
    Brukhim et al. (2023), Section 5, proof of Theorem 2; Definition 8 and Appendix B for lists.
    """
    if len(oracle.draws) < run.n_calls:
        raise ValueError(
            f"oracle answered {len(oracle.draws)} calls, the run made {run.n_calls}; "
            "give the oracle of this run"
        )
    draws = oracle.draws[: run.n_calls]
    indices = np.concatenate(draws)
    return Compression(
        oracle.X[indices],
        oracle.y[indices],
        indices,
        tuple(map(len, draws)),
        tuple((stage.size, stage.rounds) for stage in run.stages),
        oracle.n_labels,
        run.model.from_votes,
        run.model.width,
    )


def reconstruct(compression: Compression, learner: Learner) -> ListModel:
    """Rebuild the list function from its examples alone.

    Parameters
    ----------
    compression : Compression
        Examples and the shape of the run.
    learner : callable
        The deterministic weak learner ``learner(X, y, lists) -> h``.

    Returns
    -------
    ListModel
        The same function as that of the run, on the sample and off it.

    References
    ----------
    Brukhim et al. (2023), Definition 8 and Section 5.
    """
    ends = np.concatenate([[0], np.cumsum(compression.call_sizes)]).astype(int)
    hint: tuple[Hypothesis, ...] | None = None
    done: list[tuple[int, tuple[Hypothesis, ...]]] = []
    call = 0
    for size, rounds in compression.stages:
        model = ListModel(compression.n_labels, hint, tuple(done), width=compression.width)
        bounds = ends[call : call + rounds + 1]
        call += rounds
        start = bounds[0]
        rows = slice(start, bounds[-1])
        plain = size == 0 or compression.from_votes
        lists = None if plain else model.lists(compression.X[rows])
        hypotheses = tuple(
            learner(
                compression.X[low:high],
                compression.y[low:high],
                None if lists is None else lists[low - start : high - start],
            )
            for low, high in pairwise(bounds)
        )
        if size == 0:
            hint = hypotheses
        else:
            done.append((size, hypotheses))
    return ListModel(compression.n_labels, hint, tuple(done), compression.from_votes, compression.width)


@dataclass(frozen=True)
class ErrorBound:
    """Theorem 6 for one run.

    Attributes
    ----------
    value : float
        Bound on the probability that a new label is not in its list; 1 where the theorem says nothing.
    vacuous : bool
        Whether the theorem says nothing.
    reason : str
        Why, in words, with the numbers.
    """

    value: float
    vacuous: bool
    reason: str

    def __float__(self) -> float:
        return self.value


def error_bound(r: int, m: int, delta: float, *, consistent: bool = True, choices: float = 0.0) -> ErrorBound:
    """Evaluate Theorem 6.

    Parameters
    ----------
    r : int
        Examples that rebuild the list function, repetitions included.
    m : int
        Size of the sample.
    delta : float
        Probability, over the sample, that the bound may fail; in (0, 1).
    consistent : bool
        Whether every example of the sample has its label in its list.
    choices : float
        Natural log of how many forms the scheme chose between after seeing the sample (a union bound).

    Returns
    -------
    ErrorBound

    Raises
    ------
    ValueError
        If delta is no probability.

    References
    ----------
    Brukhim et al. (2023), Theorem 6, Appendix B.

    Examples
    --------
    >>> round(error_bound(10, 10_000, 0.05).value, 6)
    0.009519
    >>> error_bound(10_000, 100, 0.05).vacuous
    True
    """
    if not 0 < delta < 1:
        raise ValueError(f"delta={delta} is no probability of failure; give a number between 0 and 1")
    if not consistent:
        return ErrorBound(1.0, True, "vacuous: some label of the sample is not in its list")
    if r >= m:
        return ErrorBound(1.0, True, f"vacuous: r = {r} examples rebuild the function, not below m = {m}")
    # log(1/δ) and the choices add up; exp(-choices) may underflow
    value = float(compression_error.value(r=r, m=m, delta=delta)) + choices / (m - r)
    if not value < 1 or not math.isfinite(value):
        return ErrorBound(
            1.0, True, f"vacuous: r ln m = {r * math.log(m):.4g} is not below m − r = {m - r}; more examples"
        )
    return ErrorBound(
        value, False, f"r = {r} of m = {m} examples rebuild the function, with confidence {1 - delta:g}"
    )
