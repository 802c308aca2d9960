"""Pure enumerations of small cases, up to symmetry."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations, pairwise, permutations, product

__all__ = ["compositions", "label_vectors", "pair_sequences", "pair_triplets", "subsets"]


def subsets(n: int) -> Iterator[tuple[int, ...]]:
    """All subsets of 0..n-1, smallest first."""
    return chain.from_iterable(combinations(range(n), r) for r in range(n + 1))


def compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All tuples of ``parts`` non-negative integers with the sum ``total``: the grid points of a simplex."""
    for bars in combinations(range(total + parts - 1), parts - 1):
        cuts = (-1, *bars, total + parts - 1)
        yield tuple(b - a - 1 for a, b in pairwise(cuts))


def label_vectors(n: int, n_labels: int, *, least: int = 2) -> Iterator[tuple[int, ...]]:
    """All labellings of n objects that use at least ``least`` of n_labels labels, up to renaming the labels.

    Examples
    --------
    >>> list(label_vectors(3, 2))
    [(0, 0, 1), (0, 1, 0), (0, 1, 1)]
    """
    for y in product(range(n_labels), repeat=n):
        seen = list(dict.fromkeys(y))
        if seen == sorted(seen) == list(range(len(seen))) and len(seen) >= least:
            yield y


def pair_sequences(
    n: int, n_labels: int, rounds: int
) -> Iterator[tuple[tuple[int, ...], tuple[tuple[int, int], ...]]]:
    """All (labels, one pair of differently labelled references a round), up to renaming objects and labels.

    Parameters
    ----------
    n, n_labels, rounds : int
        Numbers of objects, labels and rounds.

    Yields
    ------
    y : tuple of int
        Labels of the n objects.
    pairs : tuple of (int, int)
        Reference pairs j < k.

    Examples
    --------
    >>> list(pair_sequences(2, 2, 1))
    [((0, 1), ((0, 1),))]
    """
    seen = set()
    for y in label_vectors(n, n_labels):
        mixed = [pair for pair in combinations(range(n), 2) if y[pair[0]] != y[pair[1]]]
        for pairs in product(mixed, repeat=rounds):
            form = min(_renamed(y, pairs, order) for order in permutations(range(n)))
            if form not in seen:
                seen.add(form)
                yield y, pairs


def _renamed(
    y: tuple[int, ...], pairs: tuple[tuple[int, int], ...], order: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
    names: dict[int, int] = {}
    labels = tuple(names.setdefault(y[i], len(names)) for i in sorted(range(len(y)), key=order.__getitem__))
    return labels, tuple(tuple(sorted((order[j], order[k]))) for j, k in pairs)


def pair_triplets(
    n: int, pairs: tuple[tuple[int, int], ...], *, contradictory: bool = False
) -> Iterator[tuple[tuple[int, int, int], ...]]:
    """All sets T about some reference pairs: each object answers one way, the other, or not at all.

    Parameters
    ----------
    n : int
        Number of objects; those of the pair itself answer too.
    pairs : tuple of (int, int)
        Reference pairs; repeated ones count once.
    contradictory : bool
        Whether an object may give both answers.
    """
    cells = [(i, j, k) for j, k in dict.fromkeys(pairs) for i in range(n)]
    options = [
        ((), ((i, j, k),), ((i, k, j),), *([((i, j, k), (i, k, j))] if contradictory else []))
        for i, j, k in cells
    ]
    for chosen in product(*options):
        yield tuple(chain.from_iterable(chosen))
