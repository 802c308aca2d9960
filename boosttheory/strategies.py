"""Hypothesis strategies for the searches of the ledger; the only importer of hypothesis besides `claims`."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import strategies as st

__all__ = ["patterns"]


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
