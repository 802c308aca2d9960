"""Extremal weak learners: early right and late wrong, floor covers, near-optimal for each schedule.

An adversary answers a distribution with a hypothesis that is just accurate enough and hurts the booster
most. Against Hedge, example 0 is right in the first rounds and wrong as long as the accuracy can be had
without it; the other examples take turns, heaviest first, so that no round is more accurate than it must
be. Their identity never matters, only how many of them have been right how often, so that a run is exact on
a few integers however large the sample is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boosttheory.bounds import enclosure, ends, fewest_hits, interval_arithmetic, rounds, step

__all__ = [
    "CountRun",
    "UndecidedError",
    "as_oracle",
    "count_run",
    "early_late",
    "fewest_right",
    "fill",
    "floor_cover",
    "near_optimal",
    "tight_rounds",
]

Respond = Callable[[NDArray[np.float64]], NDArray[np.bool_]]


def fill(weights: NDArray[np.float64], accuracy: float) -> NDArray[np.bool_]:
    """Choose few examples whose mass reaches an accuracy tightly.

    The longest heaviest-first prefix that stays below the accuracy, then the lightest remaining example
    that reaches it; ties go to the lowest index. On a uniform distribution this is the floor cover of
    ⌈accuracy · n⌉ examples.

    Parameters
    ----------
    weights : ndarray of float64, shape (m,)
        Non-negative.
    accuracy : float
        The mass to reach, up to 1e-12.

    Returns
    -------
    ndarray of bool, shape (m,)
        All examples if their mass stays below the accuracy; none if the accuracy is not positive.

    Examples
    --------
    >>> fill(np.array([0.4, 0.3, 0.2, 0.1]), 0.5)
    array([ True, False, False,  True])
    """
    chosen = np.zeros(len(weights), dtype=bool)
    if accuracy <= 0:
        return chosen
    order = np.argsort(-weights, kind="stable")
    mass = np.cumsum(weights[order])
    prefix = int(np.searchsorted(mass, accuracy - 1e-12))
    chosen[order[:prefix]] = True
    if prefix < len(order):
        missing = accuracy - 1e-12 - (mass[prefix - 1] if prefix else 0.0)
        # the last of the remaining ones that reach, then the lowest index among its equals
        reach = prefix + int(np.count_nonzero(weights[order[prefix:]] >= missing)) - 1
        level = weights[order[max(reach, prefix)]]
        chosen[order[prefix + int(np.argmax(weights[order[prefix:]] == level))]] = True
    return chosen


def early_late(accuracy: float, n_right: int, target: int = 0) -> Respond:
    """Make an adversary that is right on one example early, then wrong as long as it can be.

    Parameters
    ----------
    accuracy : float
        Accuracy that every answer has, up to 1e-12.
    n_right : int
        Number of rounds at the beginning in which the target is right; `fewest_right` tells the most
        harmful one.
    target : int
        Index of the example.

    Returns
    -------
    callable
        ``respond(D) -> correct`` for `boosttheory.hedge.hedge`, good for one run. Always admissible: when
        the other examples weigh less than the accuracy, the target is right again.
    """
    t = 0

    def respond(weights: NDArray[np.float64]) -> NDArray[np.bool_]:
        nonlocal t
        t += 1
        right = t <= n_right or 1 - weights[target] < accuracy - 1e-12
        others = weights.copy()
        others[target] = 0.0
        correct = fill(others, accuracy - right * float(weights[target]))
        correct[target] = right
        return correct

    return respond


def as_oracle(
    make: Callable[[float, int | None], Respond], y: ArrayLike, edge: float, n_labels: int
) -> Callable[[NDArray[np.float64], NDArray[np.int64] | None], NDArray[np.int64]]:
    """Turn adversaries of correctness into a weak learner that returns labels.

    Parameters
    ----------
    make : callable
        ``make(accuracy, k)`` gives the ``respond`` of a new stage, where k is the list length, None for all
        labels.
    y : array_like of int, shape (m,)
        The labels, 0 to n_labels − 1.
    edge : float
        γ: the accuracy is 1/k + γ on lists of k labels and γ on all labels.
    n_labels : int
        Number of labels, at least 2.

    Returns
    -------
    callable
        ``weak(D, lists) -> h``. A new array of lists opens a new stage. Where h is wrong it names, in turn,
        the other labels of the list (of all labels), so that none of them can be told from the true one by
        few votes; where the list holds no other label, the label after the true one.

    Raises
    ------
    ValueError
        If labels are out of range.
    """
    labels = np.asarray(y, dtype=np.int64)
    if n_labels < 2 or labels.ndim != 1 or labels.min(initial=0) < 0 or labels.max(initial=0) >= n_labels:
        raise ValueError(f"y holds labels outside 0 to {n_labels - 1}; give codes and at least 2 labels")
    everything = np.arange(n_labels)[None, :]
    stage: Any = ()
    respond: Respond
    wrong: NDArray[np.int64]
    choices: NDArray[np.int64]
    misses = np.zeros(len(labels), dtype=np.int64)

    def weak(weights: NDArray[np.float64], lists: NDArray[np.int64] | None) -> NDArray[np.int64]:
        nonlocal stage, respond, wrong, choices
        if lists is not stage:
            stage = lists
            k = None if lists is None else int(lists.shape[1])
            respond = make(edge + (1 / k if k else 0.0), k)
            table = np.broadcast_to(everything, (len(labels), n_labels)) if lists is None else lists
            usable = (table != labels[:, None]) & (table >= 0)
            choices = np.maximum(usable.sum(axis=1), 1)
            # usable labels first, in their order
            wrong = np.take_along_axis(table, np.argsort(~usable, axis=1, kind="stable"), axis=1).copy()
            bare = ~usable.any(axis=1)
            wrong[bare, 0] = (labels[bare] + 1) % n_labels
            misses[:] = 0
        correct = respond(weights)
        h = np.where(correct, labels, wrong[np.arange(len(labels)), misses % choices])
        misses[~correct] += 1
        return h

    return weak


def floor_cover(m: int, gamma: Fraction, p: int) -> list[int]:
    """Return how many examples stay uncovered if each hypothesis covers no more than it must.

    Parameters
    ----------
    m : int
        Number of examples.
    gamma : Fraction
        Each hypothesis is right on ⌈γ n⌉ of the n examples left.
    p : int
        Number of hypotheses.

    Returns
    -------
    list of int
        |S_1| = m, |S_2|, ..., |S_{p+1}|, exactly.

    References
    ----------
    Brukhim et al. (2023), Algorithm 2 and Lemma 4.

    Examples
    --------
    >>> floor_cover(10, Fraction(1, 2), 4)
    [10, 5, 2, 1, 0]
    """
    left = [m]
    for _ in range(p):
        left.append(left[-1] - math.ceil(gamma * left[-1]))
    return left


GUARD = 32


def _default_bits(m: int) -> int:
    return 200 + 2 * m.bit_length()


def _interval_step(eta: Any, bits: int) -> Any:
    """Enclose a step size with guard digits over the precision of a run."""
    if callable(eta):
        return eta(bits + GUARD)
    return interval_arithmetic(bits + GUARD).convert(Fraction(eta))


class UndecidedError(ArithmeticError):
    """A comparison of an exact run could not be decided at its precision."""


@dataclass(frozen=True)
class CountRun:
    """What a run of Hedge against the adversary of one target did.

    Attributes
    ----------
    hits : int
        Rounds in which the target was right.
    others : dict of int to int
        How many other examples were right how often.
    slack : Fraction
        Upper bound of Σ_t (α_t − a), the accuracy given away over the run.
    """

    hits: int
    others: dict[int, int]
    slack: Fraction


class _Powers:
    """Integer bounds of 2^bits · e^{−ηn}, extended as needed."""

    def __init__(self, eta: Any, bits: int):
        low, high = ends(eta.ctx.exp(-eta))
        scale = 1 << bits
        self.bits = bits
        self.factor = math.floor(low * scale), math.ceil(high * scale)
        self.low, self.high = [scale], [scale]

    def upto(self, n: int) -> tuple[list[int], list[int]]:
        while len(self.low) <= n:
            self.low.append(self.low[-1] * self.factor[0] >> self.bits)
            self.high.append(-(-self.high[-1] * self.factor[1] >> self.bits))
        return self.low, self.high


def _missing(
    form: Mapping[int, int], taken: Mapping[int, int], q: int, level: int, decay: Fraction | None
) -> int | None:
    """Return the exact least number of examples of a level that reaches the accuracy, None if unknown."""
    rest = {c: form.get(c, 0) - q * taken.get(c, 0) for c in form.keys() | taken.keys()}
    if decay is not None:
        return math.ceil(sum((n * decay ** (c - level) for c, n in rest.items()), Fraction(0)) / q)
    whole, remainder = divmod(rest.pop(level, 0), q)
    return whole if remainder == 0 and not any(rest.values()) else None


def _take(
    counts: Mapping[int, int],
    hits: int,
    right: bool,
    accuracy: Fraction,
    powers: _Powers,
    decay: Fraction | None,
) -> tuple[dict[int, int], int] | None:
    """Fill one round; return how many of each level are right, and 2^64 times the accuracy given away."""
    p, q = accuracy.numerator, accuracy.denominator
    levels = sorted(counts)
    base = min(hits, levels[0])
    low, high = powers.upto(max(hits, levels[-1]) - base)
    total_low = low[hits - base] + sum(counts[c] * low[c - base] for c in levels)
    total_high = high[hits - base] + sum(counts[c] * high[c - base] for c in levels)
    # what is missing, times q; the same as a form in the powers tells exact ties
    need_low = p * total_low - q * right * high[hits - base]
    need_high = p * total_high - q * right * low[hits - base]
    form = {c: p * n for c, n in counts.items()}
    form[hits] = form.get(hits, 0) + p - q * right
    taken: dict[int, int] = {}

    def take(c: int, n: int) -> None:
        nonlocal need_low, need_high
        taken[c] = taken.get(c, 0) + n
        need_low -= q * n * high[c - base]
        need_high -= q * n * low[c - base]

    def tie(c: int) -> int:
        exact = _missing(form, taken, q, c, decay)
        if exact is None:
            raise UndecidedError(f"a comparison is undecided at {powers.bits} bits; raise bits")
        return exact

    for c in levels:
        if need_high <= 0:
            break
        # bounds of the least number at this level that reaches the accuracy
        least, most = max(0, -(-need_low // (q * high[c - base]))), -(-need_high // (q * low[c - base]))
        if least != most and least <= counts[c]:
            least = tie(c)
        if least > counts[c]:
            take(c, counts[c])
            continue
        if least > 0:
            take(c, least - 1)
            for d in reversed(levels):
                if counts[d] == taken.get(d, 0) or q * high[d - base] < need_low:
                    continue
                if q * low[d - base] >= need_high or tie(d) <= 1:
                    take(d, 1)
                    break
        break
    else:
        if need_high > 0 and (need_low > 0 or tie(levels[-1]) > 0):
            return None
    return taken, -(((need_low << 64) // q) // total_low)


def count_run(
    m: int,
    T: int,
    accuracy: Fraction,
    eta: Any,
    n_right: int,
    *,
    decay: Fraction | None = None,
    bits: int | None = None,
) -> CountRun | None:
    """Play Hedge against `early_late` exactly, on counts, by integer interval arithmetic.

    Parameters
    ----------
    m : int
        Number of examples, at least 2; 10^48 is no more work than 100.
    T : int
        Number of rounds.
    accuracy : Fraction
        a, below 1: every round has accuracy at least a.
    eta : Fraction, float or callable
        Step size; ``eta(bits)`` gives an interval of that precision, see `boosttheory.bounds.enclosure`.
    n_right : int
        The target is right in the first ``n_right`` rounds and wrong in all others.
    decay : Fraction, optional
        e^{−η} where it is rational, by which every comparison is decided.
    bits : int, optional
        Working precision; by default 200 and twice the digits of m, and four times that if it is too low.

    Returns
    -------
    CountRun or None
        None if some round cannot reach the accuracy with a wrong target.

    Raises
    ------
    UndecidedError
        If the precision is too low for a comparison; exact ties are recognised.
    ValueError
        If a parameter is out of range.

    References
    ----------
    Brukhim et al. (2023), Algorithm 1 and Lemma 1.

    Examples
    --------
    >>> from boosttheory.bounds import stated_step
    >>> step = lambda bits: enclosure(stated_step, bits, m=975, T=881)
    >>> count_run(975, 881, Fraction(3, 10), step, 154).hits
    154
    """
    if m < 2 or T < 0 or not 0 < accuracy < 1 or not 0 <= n_right <= T:
        raise ValueError(
            f"m={m}, T={T}, accuracy={accuracy}, n_right={n_right}: need at least 2 examples, an accuracy "
            "between 0 and 1, and no more right rounds than rounds"
        )
    if bits is None:
        bits = _default_bits(m)
        try:
            return count_run(m, T, accuracy, eta, n_right, decay=decay, bits=bits)
        except UndecidedError:
            bits *= 4
    powers = _Powers(_interval_step(eta, bits), bits)
    counts, hits, slack = {0: m - 1}, 0, 0
    for t in range(T):
        answer = _take(counts, hits, t < n_right, accuracy, powers, decay)
        if answer is None:
            return None
        taken, given = answer
        slack += given
        for c in sorted(taken, reverse=True):
            counts[c] -= taken[c]
            counts[c + 1] = counts.get(c + 1, 0) + taken[c]
        counts = {c: n for c, n in counts.items() if n}
        hits += t < n_right
    return CountRun(hits, counts, Fraction(slack, 1 << 64))


def fewest_right(
    m: int, T: int, accuracy: Fraction, eta: Any, *, decay: Fraction | None = None, bits: int | None = None
) -> int:
    """Return the fewest hits that the adversary can hold an example to.

    Parameters
    ----------
    m, T, accuracy, eta, decay, bits
        As in `count_run`.

    Returns
    -------
    int
        The least n_right for which `count_run` goes through; T if none does.

    Raises
    ------
    UndecidedError, ValueError
        As in `count_run`.

    Examples
    --------
    >>> from boosttheory.bounds import stated_step
    >>> fewest_right(975, 881, Fraction(3, 10), lambda bits: enclosure(stated_step, bits, m=975, T=881))
    154
    """
    precision = bits or _default_bits(m)
    enclosed = _interval_step(eta, precision)
    least = ends(enclosure(fewest_hits, precision + GUARD, m=m, T=T, eta=enclosed, a=accuracy))[0]
    for n_right in range(max(0, math.ceil(least)), T):
        if count_run(m, T, accuracy, eta, n_right, decay=decay, bits=bits) is not None:
            return n_right
    return T


def near_optimal(schedule: str, m: int, gamma: Fraction | float) -> Callable[[float, int | None], Respond]:
    """Make the early right, late wrong adversary that does most harm to each stage of a schedule.

    Parameters
    ----------
    schedule : {"paper", "fast", "variance", "constant"}
        As in `boosttheory.bounds.rounds`.
    m : int
        Number of examples, at least 2.
    gamma : Fraction or float
        Edge, in (0, 1/2].

    Returns
    -------
    callable
        ``make(accuracy, k)`` for `as_oracle`: on all labels, or where only a perfect hypothesis is accurate
        enough, the cover `fill`; on lists of k labels `early_late` with the fewest hits of example 0.
    """

    def make(accuracy: float, k: int | None) -> Respond:
        if k is None or Fraction(1, k) + Fraction(gamma) >= 1:
            return lambda weights: fill(weights, accuracy)
        T = rounds(schedule, m, k, gamma)
        eta = step(schedule, m, k, gamma, T)
        return early_late(accuracy, fewest_right(m, T, Fraction(1, k) + Fraction(gamma), eta))

    return make


def tight_rounds(
    m: int, T: int, accuracy: float, eta: float, n_right: int, *, aim: float = 2e-6, reach: int = 8
) -> list[list[int]] | None:
    """Search an early right, late wrong run that gives almost no accuracy away.

    In each round the heaviest-first prefix is changed by up to ``reach`` examples in several of the groups
    around its end; of all such changes the one of least accuracy above a is met in the middle. More groups
    are tried until the accuracy given away is below ``aim``.

    Parameters
    ----------
    m, T, n_right
        As in `count_run`.
    accuracy, eta : float
        As in `count_run`; the search is in float64, `boosttheory.certificates.verify` judges the result.
    aim : float
        Accuracy that a round may give away.
    reach : int
        Largest change in one group, at least 1.

    Returns
    -------
    list of list of int or None
        The field ``rounds`` of a certificate; None if a round cannot reach the accuracy with a wrong target.

    Examples
    --------
    >>> len(tight_rounds(739, 846, 0.3, (np.log(739) / 1692) ** 0.5, 148))
    846
    """
    groups, hits, rounds = {0: m - 1}, 0, []
    for t in range(T):
        levels = sorted(groups)
        sizes = np.array([groups[level] for level in levels])
        weights = np.exp(-eta * (np.array(levels) - levels[0]))
        own = float(np.exp(-eta * (hits - levels[0])))
        total = own + float(sizes @ weights)
        need = accuracy * total - own * (t < n_right)
        mass = np.cumsum(sizes * weights)
        if mass[-1] < need:
            return None
        end = int(np.searchsorted(mass, need))
        prefix = np.where(np.arange(len(levels)) < end, sizes, 0)
        prefix[end] = np.clip(round((need - float(prefix @ weights)) / weights[end]), 0, sizes[end])
        found: tuple[float, NDArray[np.int64]] | None = None
        for width in (30, 100, 300, 1000, 4000):
            changed = _meet(prefix, sizes, weights, need + 1e-12 * total, end, reach, width)
            if changed is not None:
                excess = (float(changed @ weights) - need) / total
                found = min(found or (np.inf, changed), (excess, changed), key=lambda pair: pair[0])
            if found and found[0] < aim:
                break
        if found is None:
            return None
        chosen = found[1].tolist()
        full = next(
            (i for i, (n, size) in enumerate(zip(chosen, sizes, strict=True)) if n < size), len(chosen)
        )
        rest = chosen[full:]
        while rest and not rest[-1]:
            rest.pop()
        rounds.append([full, *rest])
        for level, n in sorted(zip(levels, chosen, strict=True), reverse=True):
            groups[level] -= n
            groups[level + 1] = groups.get(level + 1, 0) + n
        groups = {level: n for level, n in groups.items() if n}
        hits += t < n_right
    return rounds


def _meet(
    prefix: NDArray[np.int64],
    sizes: NDArray[np.int64],
    weights: NDArray[np.float64],
    need: float,
    end: int,
    reach: int,
    width: int,
) -> NDArray[np.int64] | None:
    """Change the prefix near its end so that its mass just reaches ``need``; two tables of changes meet."""
    tables: list[tuple[list[int], NDArray[np.float64], NDArray[np.int64]]] = [
        ([], np.zeros(1), np.zeros((1, 0), dtype=np.int64)) for _ in range(2)
    ]
    for i in sorted(range(len(sizes)), key=lambda i: (abs(i - end), i)):
        change = np.arange(-min(reach, prefix[i]), min(reach, sizes[i] - prefix[i]) + 1)
        side = min((0, 1), key=lambda s: len(tables[s][1]))
        members, masses, changes = tables[side]
        if len(masses) * len(change) > width:
            break
        tables[side] = (
            [*members, i],
            np.add.outer(masses, change * weights[i]).ravel(),
            np.column_stack([np.repeat(changes, len(change), axis=0), np.tile(change, len(masses))]),
        )
    (left, left_mass, left_change), (right, right_mass, right_change) = tables
    order = np.argsort(right_mass, kind="stable")
    missing = need - float(prefix @ weights)
    place = np.searchsorted(right_mass[order], missing - left_mass)
    reaches = place < len(order)
    if not reaches.any():
        return None
    partner = order[np.minimum(place, len(order) - 1)]
    best = int(np.argmin(np.where(reaches, left_mass + right_mass[partner], np.inf)))
    changed = prefix.copy()
    changed[left] += left_change[best]
    changed[right] += right_change[partner[best]]
    return changed
