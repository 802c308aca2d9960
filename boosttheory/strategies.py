"""Hypothesis strategies for the searches of the ledger; the only importer of hypothesis besides `claims`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction

from hypothesis import strategies as st

from boosttheory.bounds import rounds
from boosttheory.games import FILLS, Adversary

__all__ = ["adversaries", "patterns"]


def patterns(
    boxes: Iterable[tuple[int, int, int]],
) -> st.SearchStrategy[tuple[int, int, tuple[tuple[int, ...], ...]]]:
    """Draw classes, sparse and dense, that shrink to few patterns or to few missing ones.

    Parameters
    ----------
    boxes : iterable of (int, int, int)
        Number of labels K, number of points n and list size k, from which one is drawn.

    Returns
    -------
    SearchStrategy
        Of (K, k, rows): a non-empty class in [K]^n, its patterns in lexicographic order.
    """

    def in_box(
        shape: tuple[int, int, int],
    ) -> st.SearchStrategy[tuple[int, int, tuple[tuple[int, ...], ...]]]:
        n_labels, n_points, k = shape
        cells = n_labels**n_points
        weights = [n_labels**i for i in reversed(range(n_points))]

        def build(drawn: tuple[set[int], bool]) -> tuple[int, int, tuple[tuple[int, ...], ...]]:
            marked, missing = drawn
            rows = [
                tuple(c // w % n_labels for w in weights) for c in range(cells) if (c in marked) != missing
            ]
            return n_labels, k, tuple(rows)

        marked = st.sets(st.integers(0, cells - 1), min_size=1, max_size=cells - 1)
        return st.tuples(marked, st.booleans()).map(build)

    return st.sampled_from(list(boxes)).flatmap(in_box)


def adversaries(longest: int = 2000, *, first: Adversary | None = None) -> st.SearchStrategy[Adversary]:
    """Draw weak learners against Hedge in the setting of Lemma 1: T ≥ 8 ln m/γ² rounds, accuracy 1/k + γ.

    Lists of 2 to 40 labels, edges 1/20 to 1/2 in steps of 1/40, 2 to 2^40 examples, up to 20 rounds more than
    needed, any density of right answers in each eighth of the rounds, four ways to choose the other examples.
    Shrinks to a target that is always right.

    Parameters
    ----------
    longest : int
        Most rounds that are needed, at least 600.
    first : Adversary, optional
        The simplest case, which a search always tries.

    Returns
    -------
    SearchStrategy
        Of `boosttheory.games.Adversary`.
    """

    @st.composite
    def drawn(draw: Callable[[st.SearchStrategy[int]], int]) -> Adversary:
        k = draw(st.integers(2, 40))
        # 1/k + γ stays below 1, and 8 ln 2/γ² below the longest
        least = math.ceil(40 * math.sqrt(8 * math.log(2.1) / longest))
        gamma = Fraction(draw(st.integers(least, 20 if k > 2 else 19)), 40)
        most = min(40.0, longest * float(gamma) ** 2 / 8 / math.log(2))
        exponent = draw(st.integers(0, math.floor(256 * (most - 1))))
        m = math.floor(2 ** (1 + exponent / 256))
        T = rounds("paper", m, k, gamma) + draw(st.integers(0, 20))
        plan = tuple(8 - draw(st.integers(0, 8)) for _ in range(8))
        return Adversary(k, gamma, m, T, plan, FILLS[draw(st.integers(0, len(FILLS) - 1))])

    return drawn() if first is None else st.just(first) | drawn()
