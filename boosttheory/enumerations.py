"""Pure enumerations of small cases, up to symmetry."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations, pairwise, permutations, product

__all__ = [
    "classes_up_to_symmetry",
    "compositions",
    "label_vectors",
    "pair_sequences",
    "pair_triplets",
    "subsets",
]


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


def classes_up_to_symmetry(n_labels: int, n_points: int) -> Iterator[tuple[tuple[tuple[int, ...], ...], int]]:
    """All non-empty classes H in [K]^n, up to permuting the points and, at each point on its own, the labels.

    Parameters
    ----------
    n_labels, n_points : int
        K and n, with K^n at most 16: [2]^4, [4]^2, [3]^2, ...

    Yields
    ------
    rows : tuple of tuples of int
        One class of each orbit, the one with the smallest number, its patterns in lexicographic order.
    orbit : int
        How many classes it stands for; they add up to 2^(K^n) - 1.

    Raises
    ------
    ValueError
        If [K]^n has more than 16 patterns.

    Examples
    --------
    >>> list(classes_up_to_symmetry(2, 1))
    [(((0,),), 2), (((0,), (1,)), 1)]
    >>> orbits = [orbit for _, orbit in classes_up_to_symmetry(2, 4)]
    >>> len(orbits), sum(orbits)
    (401, 65535)
    """
    import numpy as np

    cells = list(product(range(n_labels), repeat=n_points))
    if not cells or len(cells) > 16:
        raise ValueError(f"[{n_labels}]^{n_points} has {len(cells)} patterns; all classes need 1 to 16")
    index = {cell: i for i, cell in enumerate(cells)}
    numbers = np.arange(2 ** len(cells), dtype=np.int32)
    least = numbers.copy()
    for order in permutations(range(n_points)):
        for renamings in product(list(permutations(range(n_labels))), repeat=n_points):
            moved = [index[tuple(renamings[i][cell[order[i]]] for i in range(n_points))] for cell in cells]
            # A class maps to the union of the images of its patterns: for all classes at once, by doubling.
            image = np.zeros(1, dtype=np.int32)
            for target in moved:
                image = np.concatenate([image, image | (1 << target)])
            np.minimum(least, image, out=least)
    leaders, orbits = np.unique(least[1:], return_counts=True)
    for leader, orbit in zip(leaders.tolist(), orbits.tolist(), strict=True):
        yield tuple(cell for i, cell in enumerate(cells) if leader >> i & 1), orbit
