"""Confidence limits with a stated error probability, for statistical checks and learning curves."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["clopper_pearson"]


def clopper_pearson(
    hits: ArrayLike, trials: ArrayLike, error: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Exact two-sided confidence limits for a binomial probability, for a number of trials fixed in advance.

    Parameters
    ----------
    hits, trials : array_like of int
        Successes and trials, 0 <= hits <= trials; broadcast against each other.
    error : float
        Probability that the interval misses the truth, in (0, 1).

    Returns
    -------
    low, high : ndarray of float64
        Limits in [0, 1].

    Raises
    ------
    ValueError
        If hits exceed trials, trials are not positive or error lies outside (0, 1).

    Examples
    --------
    >>> low, high = clopper_pearson(0, 10, 0.05)
    >>> float(low), round(float(high), 4)
    (0.0, 0.3085)
    """
    from scipy.stats import beta

    k, n = np.asarray(hits), np.asarray(trials)
    if not 0 < error < 1:
        raise ValueError(f"error={error} is no probability; give a number strictly between 0 and 1")
    if not np.all((n >= 1) & (k >= 0) & (k <= n)):
        raise ValueError(f"hits={hits!r} of trials={trials!r}: need 0 <= hits <= trials and trials >= 1")
    with np.errstate(invalid="ignore"):
        low = np.where(k == 0, 0.0, beta.ppf(error / 2, k, n - k + 1))
        high = np.where(k == n, 1.0, beta.isf(error / 2, k + 1, n - k))
    return low, high
