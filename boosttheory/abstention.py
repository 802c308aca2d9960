"""When does a combination of triplet classifiers abstain? Exact laws on small sets, and a fast simulation.

A pair of references is *useful* if some training example has a triplet for it; otherwise its weight is 0. A
combination abstains on a test example that has no triplet for any of its useful pairs.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "abstention_polynomial",
    "availability_counts",
    "fixed_number_abstention",
    "proportion_needed",
    "simulate_abstentions",
]


def availability_counts(n: int, *, own_heads: bool = True) -> NDArray[np.int64]:
    """Enumerate every set of training triplets of n objects and count it by which pairs it makes useful.

    Parameters
    ----------
    n : int
        Number of objects, 2 or 3 (2^{n²(n−1)/2} sets).
    own_heads : bool
        Whether a triplet may have one of its references as head.

    Returns
    -------
    ndarray of int64, shape (2^P, B + 1)
        Entry [u, s] counts the sets of s triplets whose useful pairs are the bits of u; P = n(n − 1)/2 pairs
        and B possible triplets.

    Raises
    ------
    ValueError
        If n is not 2 or 3.

    Examples
    --------
    >>> availability_counts(2).tolist()
    [[1, 0, 0], [0, 2, 1]]
    """
    if n not in (2, 3):
        raise ValueError(
            f"n={n}: only n = 2 and 3 can be enumerated; use the closed forms of bounds for more"
        )
    pairs = list(itertools.combinations(range(n), 2))
    slots = [q for q, pair in enumerate(pairs) for i in range(n) if own_heads or i not in pair]
    sets = np.arange(1 << len(slots))
    chosen = (sets[:, None] >> np.arange(len(slots))) & 1
    useful = np.bitwise_or.reduce(chosen << np.array(slots, dtype=np.int64), axis=1, initial=0)
    counts = np.zeros((1 << len(pairs), len(slots) + 1), dtype=np.int64)
    np.add.at(counts, (useful, chosen.sum(axis=1)), 1)
    return counts


def abstention_polynomial(n: int, active: Callable[[int], int], *, own_heads: bool = True) -> Any:
    """Abstention probability as a polynomial in p, by enumerating all training and test triplets.

    Parameters
    ----------
    n : int
        Number of training objects, 2 or 3.
    active : callable
        ``active(useful)``: the pairs of weight ≠ 0, as bits, given the useful pairs, as bits.
    own_heads : bool
        Whether a training triplet may have one of its references as head.

    Returns
    -------
    sympy expression
        In the symbol ``p``, the probability that a triplet is available, independently of all others.

    Examples
    --------
    >>> abstention_polynomial(2, lambda useful: useful).subs("p", Fraction(1, 2))
    5/8
    """
    import sympy as sp

    p = sp.Symbol("p")
    counts = availability_counts(n, own_heads=own_heads)
    pairs, slots = comb(n, 2), counts.shape[1] - 1
    total = sp.Integer(0)
    for useful, row in enumerate(counts.tolist()):
        train = sum(number * p**s * (1 - p) ** (slots - s) for s, number in enumerate(row))
        test = sum(
            p ** seen.bit_count() * (1 - p) ** (pairs - seen.bit_count())
            for seen in range(1 << pairs)
            if not seen & active(useful)
        )
        total += train * test
    return sp.expand(total)


def fixed_number_abstention(n: int, n_pairs: int, n_triplets: int, *, replacement: bool) -> Fraction:
    """Abstention probability when a fixed number of training triplets is drawn uniformly.

    Parameters
    ----------
    n : int
        Number of training examples, at least 2.
    n_pairs : int
        Number of distinct reference pairs, chosen without looking at the triplets; weight ≠ 0 if useful.
    n_triplets : int
        Number m of draws among the n²(n − 1)/2 possible triplets.
    replacement : bool
        Whether a triplet may be drawn again.

    Returns
    -------
    Fraction
        Exact probability. The test example has each pair with the probability p that a training triplet was
        drawn: m/N without replacement, 1 − (1 − 1/N)^m with it, N = n²(n − 1)/2.

    Raises
    ------
    ValueError
        If the pairs or the triplets are more than there are.

    Notes
    -----
    Expand the product of 1 − p + p·(pair is silent) over the pairs: j given pairs are silent together with
    probability (1 − j/P)^m with replacement and C(N − jn, m)/C(N, m) without, P = n(n − 1)/2.
    """
    total_pairs = comb(n, 2)
    total = n * total_pairs
    if n < 2 or not 0 <= n_pairs <= total_pairs or n_triplets < 0 or (n_triplets > total and not replacement):
        raise ValueError(
            f"n={n}, n_pairs={n_pairs}, n_triplets={n_triplets}: stay within n >= 2, "
            f"{total_pairs} pairs and {total} triplets"
        )
    if replacement:
        p = 1 - (1 - Fraction(1, total)) ** n_triplets
        silent = [(1 - Fraction(j, total_pairs)) ** n_triplets for j in range(n_pairs + 1)]
    else:
        p = Fraction(n_triplets, total)
        silent = [
            Fraction(comb(total - j * n, n_triplets), comb(total, n_triplets)) for j in range(n_pairs + 1)
        ]
    return sum(
        (comb(n_pairs, j) * (1 - p) ** (n_pairs - j) * p**j * silent[j] for j in range(n_pairs + 1)),
        Fraction(0),
    )


def simulate_abstentions(
    n: int,
    p: float,
    n_pairs: int,
    n_replicates: int,
    rng: np.random.Generator,
    *,
    distinct: bool = True,
    heads: int | None = None,
) -> int:
    """Count the replicates in which a combination abstains on a test example, with fresh triplets each time.

    Parameters
    ----------
    n : int
        Number of training examples, at least 2.
    p : float
        Probability that a triplet is available, in [0, 1].
    n_pairs : int
        Number C of reference pairs drawn without looking at the triplets.
    n_replicates : int
        Number of independent replicates.
    rng : numpy.random.Generator
        Source of randomness.
    distinct : bool
        Whether the pairs are distinct; if not, they are drawn uniformly with replacement.
    heads : int, optional
        Number of training examples that may have a triplet for a pair; n by default, n − 2 where a
        reference is never asked about.

    Returns
    -------
    int
        Number of abstentions, between 0 and ``n_replicates``.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    The test example reveals its pairs first; training triplets are drawn only for those, about C·p of them,
    instead of for all C.
    """
    total = comb(n, 2)
    if n < 2 or not 0 <= p <= 1 or n_pairs < 1 or n_replicates < 1 or (distinct and n_pairs > total):
        raise ValueError(
            f"n={n}, p={p}, n_pairs={n_pairs}, n_replicates={n_replicates}: need n >= 2, p in [0, 1], "
            f"at least one pair and replicate, and at most {total} distinct pairs"
        )
    heads = n if heads is None else heads
    if distinct:
        answered = rng.binomial(n_pairs, p, n_replicates)
    else:
        # of C draws some hit a pair that the test example has; only different ones count
        available = rng.binomial(total, p, n_replicates)
        hits = rng.binomial(n_pairs, available / total)
        owner = np.repeat(np.arange(n_replicates), hits)
        which = (rng.random(owner.size) * available[owner]).astype(np.int64)
        drawn = np.unique(owner * (total + 1) + which)
        answered = np.bincount(drawn // (total + 1), minlength=n_replicates)
    owner = np.repeat(np.arange(n_replicates), answered)
    useful = rng.binomial(heads, p, owner.size) > 0
    answers = np.zeros(n_replicates, dtype=bool)
    answers[owner[useful]] = True
    return int(n_replicates - answers.sum())


def proportion_needed(n: int, n_pairs: int, target: float) -> float:
    """Return the least availability with which C distinct pairs abstain with probability at most ``target``.

    Parameters
    ----------
    n : int
        Number of training examples, at least 2.
    n_pairs : int
        Number C of distinct reference pairs, at least 1.
    target : float
        Abstention probability, in (0, 1).

    Returns
    -------
    float
        p in [0, 1]: the root of `bounds.abstention`, which falls from 1 to 0 as p rises.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    References
    ----------
    Perrot & von Luxburg (2019), Theorem 5.

    Examples
    --------
    >>> round(proportion_needed(200, 19900, 0.156), 4)
    0.0007
    """
    from scipy.optimize import brentq

    from boosttheory.bounds import abstention

    if n < 2 or n_pairs < 1 or not 0 < target < 1:
        raise ValueError(
            f"n={n}, n_pairs={n_pairs}, target={target}: need n >= 2, n_pairs >= 1 and "
            f"a target between 0 and 1"
        )

    def excess(log_p: float) -> float:
        return float(abstention.value(p=np.exp(log_p), n=n, C=n_pairs)) - target

    # −log of the bound is at most C n p²/(1 − p), so at this p <= 1/2 the bound is still above the target
    low = 0.5 * np.log(-np.log(target) / (2.0 * n * n_pairs))
    root: Any = brentq(excess, min(low, np.log(0.5)), 0.0, xtol=1e-13)
    return float(np.exp(root))
