"""Weak learning as a finite game: exact values, vote lists, learning curves and no free lunch.

A distribution is a mapping of examples (point, label) to Fractions that add up to 1; points are numbered from
0. A list function is a sequence of one list of labels a point; lists have a nominal length and may repeat
labels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from boosttheory.enumerations import compositions
from boosttheory.oneinclusion import certified_mixture

__all__ = [
    "Game",
    "best_mean_coverage",
    "brg_slack",
    "coverage",
    "game_value",
    "success_probability",
    "vote_lists",
]

Distribution = Mapping[tuple[int, Any], Fraction]
Lists = Sequence[Sequence[Any]]
LARGEST = 10**7  # cells of an enumeration


class Game(NamedTuple):
    """Value of a finite weak-learning game, enclosed by weak duality.

    Attributes
    ----------
    low, high : Fraction
        The value lies between them; they are equal where the linear program's solution was recognised.
    mixture : tuple of Fraction
        A distribution over the hypotheses that is right on every example with probability at least `low`.
    hard : tuple of Fraction
        A distribution over the examples on which no hypothesis is right with probability above `high`.
    """

    low: Fraction
    high: Fraction
    mixture: tuple[Fraction, ...]
    hard: tuple[Fraction, ...]


def game_value(right: ArrayLike) -> Game:
    """Solve min over distributions of max over hypotheses of the accuracy.

    Parameters
    ----------
    right : (M, m) array_like of bool
        Whether hypothesis h is right on example i; for lists, whether list h holds the label of example i.

    Returns
    -------
    Game
        The enclosure is exact, the linear program behind it is floating point.

    Raises
    ------
    ValueError
        If there is no hypothesis or no example.

    References
    ----------
    Brukhim, Daniely, Mansour & Moran 2023, Section 2 and the proof of Theorem 3, Appendix B.2.

    Examples
    --------
    >>> str(game_value([[1, 0, 1], [0, 1, 1]]).low)
    '1/2'
    """
    table = np.asarray(right, dtype=np.bool_)
    if table.ndim != 2 or not table.size:
        raise ValueError(f"right has shape {table.shape}; give one row a hypothesis, one column an example")
    mixture, loss, hard, floor = certified_mixture(~table)
    return Game(1 - loss, 1 - floor, mixture, hard)


def vote_lists(predictions: Lists, mixture: Sequence[Fraction], size: int) -> tuple[tuple[Any, ...], ...]:
    """Return, at every point, the labels with the most votes.

    Parameters
    ----------
    predictions : (M, n) nested sequence of labels
        What each hypothesis says at each point.
    mixture : sequence of M Fractions
        Votes of the hypotheses. Where they are right on an example with weight v or more in all, its label
        is among the ⌊1/v⌋ labels with the most votes.
    size : int
        Length of the lists, at least 0; a list is shorter where fewer labels get votes.

    Returns
    -------
    tuple of tuples of labels
        Most votes first; ties go to the hypothesis that comes first.

    Examples
    --------
    >>> vote_lists([["a", "b"], ["a", "c"], ["d", "c"]], [Fraction(1, 3)] * 3, 1)
    (('a',), ('c',))
    """
    if size < 0 or len(predictions) != len(mixture):
        raise ValueError(
            f"size={size}, {len(predictions)} hypotheses, {len(mixture)} weights: give one weight a "
            "hypothesis and a size of at least 0"
        )
    lists = []
    for labels in zip(*predictions, strict=True):
        votes: dict[Any, Any] = {}
        for label, weight in zip(labels, mixture, strict=True):
            if weight:
                votes[label] = votes.get(label, 0) + weight
        lists.append(tuple(sorted(votes, key=votes.__getitem__, reverse=True)[:size]))
    return tuple(lists)


def coverage(distribution: Distribution, lists: Lists) -> Fraction:
    """Probability that the list of the drawn point holds the drawn label."""
    return sum((p for (x, y), p in distribution.items() if y in lists[x]), Fraction(0))


def brg_slack(distribution: Distribution, hypothesis: Sequence[Any], lists: Lists, gamma: Any) -> Any:
    """Left side minus right side of the better-than-random-guess condition.

    Parameters
    ----------
    distribution : mapping of (point, label) to Fraction
        The distribution D, or an empirical one.
    hypothesis : sequence of labels
        h, one label a point.
    lists : sequence of sequences of labels
        μ, one list a point, all of the same nominal length k.
    gamma : Fraction
        The edge γ.

    Returns
    -------
    Fraction
        Pr[h(x) = y] - (1/k + γ) Pr[y in μ(x)], at least 0 where the condition holds.

    Raises
    ------
    ValueError
        If the lists are empty or differ in length.

    References
    ----------
    Brukhim, Daniely, Mansour & Moran 2023, Definitions 1, 2 and 4.

    Examples
    --------
    >>> half = Fraction(1, 2)
    >>> str(brg_slack({(0, "a"): half, (1, "b"): half}, "aa", ["ab", "ab"], Fraction(1, 10)))
    '-1/10'
    """
    lengths = {len(given) for given in lists}
    if len(lengths) != 1 or 0 in lengths:
        raise ValueError(f"lists have the lengths {sorted(lengths)}; give lists of one length, at least 1")
    right = coverage(distribution, [(label,) for label in hypothesis])
    return right - (Fraction(1, lengths.pop()) + gamma) * coverage(distribution, lists)


def success_probability(
    rule: Callable[[tuple[tuple[int, Any], ...]], Lists],
    distribution: Distribution,
    m: int,
    level: Fraction,
) -> Fraction:
    """Probability that a rule given m examples covers a share of at least `level`, by exact enumeration.

    Parameters
    ----------
    rule : callable
        Maps a sample, sorted, to a list function; lists of one label for a classifier.
    distribution : mapping of (point, label) to Fraction
        What the examples are drawn from, and what the coverage is measured on.
    m : int
        Number of examples, at least 0.
    level : Fraction
        1 - ε in Definition 5, γ in Definition 6.

    Returns
    -------
    Fraction
        In [0, 1].

    Raises
    ------
    ValueError
        If there are more than 10^7 multisets of examples.

    References
    ----------
    Brukhim, Daniely, Mansour & Moran 2023, Definitions 5 and 6.

    Examples
    --------
    >>> fair = {(0, "a"): Fraction(1, 2), (1, "b"): Fraction(1, 2)}
    >>> str(success_probability(lambda sample: [sample[0][1]] * 2, fair, 1, Fraction(1, 2)))
    '1'
    """
    examples = sorted(distribution)
    if math.comb(m + len(examples) - 1, m) > LARGEST:
        raise ValueError(f"m={m} draws of {len(examples)} examples are too many to enumerate; lower m")
    total = Fraction(0)
    for counts in compositions(m, len(examples)):
        sample = tuple(e for e, count in zip(examples, counts, strict=True) for _ in range(count))
        if coverage(distribution, rule(sample)) >= level:
            ways = math.factorial(m) // math.prod(map(math.factorial, counts))
            total += ways * math.prod(
                (distribution[e] ** count for e, count in zip(examples, counts, strict=True)),
                start=Fraction(1),
            )
    return total


def best_mean_coverage(n_labels: int, n_points: int, m: int, k: int = 1) -> Fraction:
    """Best coverage of a list rule on average over all targets in [K]^n, by exact enumeration.

    Parameters
    ----------
    n_labels, n_points : int
        K and n; the points are drawn uniformly.
    m : int
        Number of examples, at least 0.
    k : int
        Length of the lists, from 1 to K.

    Returns
    -------
    Fraction
        1 - (1 - k/K)(1 - 1/n)^m. No rule does better on every target, since none does on average.

    Raises
    ------
    ValueError
        For lists longer than K, or more than 10^7 cells.

    References
    ----------
    Brukhim, Daniely, Mansour & Moran 2023, remark on the class {1, 2, 3}^N, Section 2.

    Examples
    --------
    >>> str(best_mean_coverage(3, 5, 1))
    '7/15'
    """
    cells = n_labels**n_points * n_points**m * n_points
    if not 1 <= k <= n_labels or cells > LARGEST:
        raise ValueError(
            f"k={k} of {n_labels} labels, {cells} cells: give 1 <= k <= n_labels and at most {LARGEST} cells"
        )
    targets = np.indices((n_labels,) * n_points).reshape(n_points, -1)
    covered = 0
    for drawn in product(range(n_points), repeat=m):
        seen = np.zeros(targets.shape[1], dtype=np.int64)
        for point in drawn:
            seen = seen * n_labels + targets[point]
        for labels in targets:
            # targets that the sample cannot tell apart, by the label of the test point
            votes = np.bincount(seen * n_labels + labels, minlength=n_labels ** (m + 1))
            covered += int(np.sort(votes.reshape(-1, n_labels), axis=1)[:, n_labels - k :].sum())
    return Fraction(covered, cells)
