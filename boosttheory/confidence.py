"""Confidence limits with a stated error probability, for statistical checks and learning curves."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["clopper_pearson", "confidence_sequence"]


def _counts(hits: ArrayLike, trials: ArrayLike, error: float) -> tuple[NDArray[Any], NDArray[Any]]:
    k, n = np.asarray(hits), np.asarray(trials)
    if not 0 < error < 1:
        raise ValueError(f"error={error} is no probability; give a number strictly between 0 and 1")
    if not np.all((n >= 1) & (k >= 0) & (k <= n)):
        raise ValueError(f"hits={hits!r} of trials={trials!r}: need 0 <= hits <= trials and trials >= 1")
    return k, n


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

    k, n = _counts(hits, trials, error)
    with np.errstate(invalid="ignore"):
        low = np.where(k == 0, 0.0, beta.ppf(error / 2, k, n - k + 1))
        high = np.where(k == n, 1.0, beta.isf(error / 2, k + 1, n - k))
    return low, high


def confidence_sequence(
    hits: ArrayLike, trials: ArrayLike, error: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two-sided limits for a binomial probability that hold at all numbers of trials together.

    However often one looks, and whatever rule stops the sampling, some limits miss the truth with at most the
    stated probability. The price is a wider interval than `clopper_pearson` gives.

    Parameters
    ----------
    hits, trials : array_like of int
        Successes and trials so far, 0 <= hits <= trials; broadcast against each other.
    error : float
        Probability that any interval of the sequence misses the truth, in (0, 1).

    Returns
    -------
    low, high : ndarray of float64
        Limits in [0, 1].

    Raises
    ------
    ValueError
        If hits exceed trials, trials are not positive or error lies outside (0, 1).

    Notes
    -----
    Ville's inequality for the ratio of a mixture of binomials, by a Beta(1/2, 1/2) prior, to the binomial at
    q: a martingale if q is the truth, so it ever reaches 1/error with probability at most ``error``. The q
    at which it stays below are an interval, found by bisection.

    Examples
    --------
    >>> low, high = confidence_sequence(0, 10, 0.05)
    >>> float(low), round(float(high), 4)
    (0.0, 0.377)
    """
    from scipy.special import betaln, xlog1py, xlogy

    k, n = np.broadcast_arrays(*_counts(hits, trials, error))
    level = betaln(k + 0.5, n - k + 0.5) - betaln(0.5, 0.5) + np.log(error)
    estimate = k / n

    def inside(q: NDArray[np.float64]) -> NDArray[np.bool_]:
        return np.asarray(level <= xlogy(k, q) + xlog1py(n - k, -q))

    limits = []
    for end in (0.0, 1.0):
        out, within = np.full(k.shape, end), estimate.copy()
        while True:
            middle = (out + within) / 2
            if np.all((middle == out) | (middle == within)):
                break
            good = inside(middle)
            out, within = np.where(good, out, middle), np.where(good, middle, within)
        limits.append(np.where(k == end * n, end, out))
    return limits[0], limits[1]
