"""Compression schemes on a tiny domain: all of them, and the exact probability that one misleads.

Examples are numbered; a set of examples is the bit mask of its members. A reconstruction ρ appears through
its region: the set of the examples that ρ(S') labels rightly, or whose label its list holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["find_scheme", "misled", "region_errors", "support_law"]

Regions = Mapping[tuple[int, ...], int]


def find_scheme(samples: Sequence[Sequence[int]], regions: Sequence[int], r: int) -> dict[Any, int] | None:
    """Search for an m → r sample compression scheme.

    Parameters
    ----------
    samples : sequence of sequences of int
        The samples that must be compressed, as numbers of examples; repetitions count.
    regions : sequence of int
        Where each admissible hypothesis or list function is right, as a mask.
    r : int
        Number of examples kept, at least 0; a kept sequence may repeat an example.

    Returns
    -------
    dict or None
        For the kept sequences in use, the number of the reconstructed function; None if there is no scheme.

    References
    ----------
    Brukhim, Daniely, Mansour & Moran 2023, Definition 8.

    Examples
    --------
    Two examples of one point with two labels, and the two constant functions:

    >>> find_scheme([(0, 0), (1, 1)], [0b01, 0b10], 1)
    {(0,): 0, (1,): 1}
    >>> find_scheme([(0, 1)], [0b01, 0b10], 1) is None
    True
    """
    masks = {sum(1 << z for z in set(sample)): tuple(dict.fromkeys(sample)) for sample in samples}
    # large samples leave the fewest choices
    order = sorted(masks, key=lambda mask: -mask.bit_count())
    fitting = {mask: [i for i, region in enumerate(regions) if not mask & ~region] for mask in order}
    rho: dict[Any, int] = {}

    def extend(at: int) -> bool:
        if at == len(order):
            return True
        mask = order[at]
        kept = list(product(masks[mask], repeat=r))
        if any(key in rho and rho[key] in fitting[mask] for key in kept):
            return extend(at + 1)
        for key in kept:
            if key not in rho:
                for chosen in fitting[mask]:
                    rho[key] = chosen
                    if extend(at + 1):
                        return True
                    del rho[key]
        return False

    return rho if extend(0) else None


def support_law(weights: Sequence[Fraction], m: int) -> list[Fraction]:
    """Return the probability that m draws meet exactly the examples of each mask, by inclusion and exclusion.

    Examples
    --------
    >>> [str(p) for p in support_law([Fraction(1, 2)] * 2, 2)]
    ['0', '1/4', '1/4', '1/2']
    """
    law = [
        sum((w for z, w in enumerate(weights) if mask >> z & 1), Fraction(0)) ** m
        for mask in range(2 ** len(weights))
    ]
    for z in range(len(weights)):
        for mask in range(len(law)):
            if mask >> z & 1:
                law[mask] -= law[mask ^ (1 << z)]
    return law


def region_errors(weights: Sequence[Fraction], regions: Regions) -> dict[tuple[int, ...], Fraction]:
    """Return the error of each reconstructed function: the weight outside its region."""
    return {
        key: sum((w for z, w in enumerate(weights) if not region >> z & 1), Fraction(0))
        for key, region in regions.items()
    }


def misled(
    supports: ArrayLike, regions: Regions, errors: Mapping[tuple[int, ...], Any], level: Any
) -> NDArray[np.bool_]:
    """Tell on which samples some kept sequence gives a consistent function with an error of `level` or more.

    Parameters
    ----------
    supports : (N,) array_like of int64
        The samples, as masks; at most 63 examples.
    regions : mapping of r-tuples to int
        Where the function rebuilt from each sequence is right. All sequences that a sample holds may be
        kept, in any order and with repetitions: the worst algorithm based on the scheme.
    errors : mapping of r-tuples to number
        Its error.
    level : number
        Errors of at least this much are bad.

    Returns
    -------
    (N,) ndarray of bool

    References
    ----------
    Brukhim, Daniely, Mansour & Moran 2023, Theorem 6, Equation 11.
    """
    masks = np.asarray(supports, dtype=np.int64)
    found = np.zeros(masks.shape, dtype=np.bool_)
    for key, region in regions.items():
        if errors[key] >= level:
            needed = sum(1 << z for z in set(key))
            found |= (masks & needed == needed) & (masks & ~region == 0)
    return found
