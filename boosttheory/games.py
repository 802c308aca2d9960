"""Worst cases: the exact value of small games between a booster and its weak learner.

Hedge against an adversary is a finite game. Examples are alike, so a position is the multiset of their hits;
all positions of one length are solved at once, from the last round to the first. The order of two accuracies
is decided exactly: in float64 where the difference is clear, otherwise in integers or intervals, with equal
polynomials in e^{−η} as ties.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, groupby, product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boosttheory.adversaries import UndecidedError
from boosttheory.bounds import ends, interval_arithmetic
from boosttheory.compression_bounds import region_errors, support_law
from boosttheory.enumerations import compositions
from boosttheory.weak_games import Game, game_value

if TYPE_CHECKING:
    from boosttheory.concepts import FiniteClass
    from boosttheory.exact_tripletboost import ExactRun

__all__ = [
    "FILLS",
    "Adversary",
    "HedgeGame",
    "ListGame",
    "Played",
    "TrainingError",
    "best_booster",
    "hedge_game",
    "minimax_coverage",
    "minimax_over_distributions",
    "require_edge",
    "worst_compression",
    "worst_training_errors",
]

MEMORY = 2 * 2**30
_CLEAR = 1e-11  # far above the error of a sum of a few float64 weights, relative to their total


@dataclass(frozen=True, eq=False)
class HedgeGame:
    """The worst case of Hedge on m examples over T rounds.

    Attributes
    ----------
    value : int
        The least number of hits that an adversary can hold some example to.
    answers : (T, m) ndarray of bool
        One adversary that does it: which examples are right in which round. The first row answers the uniform
        distribution.
    positions : int
        Number of multisets of hits, up to a common shift.
    ties : int
        Accuracies of positions that equal the required one exactly.
    """

    value: int
    answers: NDArray[np.bool_]
    positions: int
    ties: int

    @property
    def hits(self) -> NDArray[np.int64]:
        """Hits of each example at the end, shape (m,)."""
        return np.asarray(self.answers.sum(axis=0), dtype=np.int64)


class _Positions:
    """Sorted hits above the least, ``lags`` of shape (N, m − 1), and what one round makes of them."""

    def __init__(self, m: int, T: int, memory: int):
        self.m, self.T = m, T
        count = math.comb(T + m - 1, m - 1)
        needed = count * (2**m * 6 + 40 * m)
        if needed > memory:
            fits = T
            while fits and math.comb(fits + m - 1, m - 1) * (2**m * 6 + 40 * m) > memory:
                fits -= 1
            raise ValueError(
                f"m={m}, T={T}: {count:,} positions need about {needed / 2**30:.1f} GiB, more than "
                f"memory={memory / 2**30:.1f} GiB; T={fits} rounds fit, or raise memory"
            )
        levels = combinations_with_replacement(range(T + 1), m - 1)
        self.lags = np.array(list(levels), dtype=np.int64).reshape(count, m - 1)
        # of all positions, those with a largest lag of at most r come first after this
        self.lags = self.lags[np.argsort(self.lags[:, -1], kind="stable")] if m > 1 else self.lags
        self.place = np.zeros(count, dtype=np.int32)
        self.place[self._rank(self.lags)] = np.arange(count, dtype=np.int32)
        self.subsets = np.array(list(product((0, 1), repeat=m)), dtype=np.int64)

    def _rank(self, lags: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of each non-decreasing row; its entries plus their index increase strictly."""
        size = self.T + self.m
        binomials = np.array([[math.comb(n, r) for r in range(self.m)] for n in range(size)], dtype=np.int64)
        rank = np.zeros(len(lags), dtype=np.int64)
        for i in range(self.m - 1):
            rank += binomials[lags[:, i] + i, i + 1]
        return rank

    def within(self, lag: int) -> int:
        """Return the number of positions with lags of at most ``lag``."""
        return math.comb(lag + self.m - 1, self.m - 1)

    def after(self) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
        """Next position and rise of the least count for each position and subset, shape (2^m, N')."""
        inner = self.lags[: self.within(self.T - 1)]
        hits = np.column_stack([np.zeros(len(inner), dtype=np.int64), inner])
        following = np.empty((len(self.subsets), len(inner)), dtype=np.int32)
        rises = np.empty((len(self.subsets), len(inner)), dtype=np.int8)
        for s, subset in enumerate(self.subsets):
            moved = np.sort(hits + subset, axis=1)
            rises[s] = moved[:, 0]
            following[s] = self.place[self._rank(moved[:, 1:] - moved[:, :1])]
        return following, rises


def _powers(eta: Any, decay: Fraction | None, bits: int) -> Callable[[int], tuple[Fraction, Fraction]]:
    """Return n ↦ an enclosure of e^{−ηn}."""
    if decay is not None:
        exact = decay
        return lambda n: (exact**n, exact**n)
    arithmetic = interval_arithmetic(bits)
    step = eta(bits) if callable(eta) else arithmetic.convert(Fraction(eta))
    return cache(lambda n: ends(arithmetic.exp(-step * n)))


def _admissible(
    positions: _Positions, accuracy: Fraction, eta: Any, decay: Fraction | None
) -> tuple[NDArray[np.bool_], int]:
    """Tell which subsets are accurate enough in which position, shape (2^m, N'), and count the ties."""
    p, q = accuracy.numerator, accuracy.denominator
    power = _powers(eta, decay, 256)
    table = np.array([float(power(n)[0]) for n in range(positions.T + 1)])
    inner = positions.lags[: positions.within(positions.T - 1)]
    weights = np.column_stack([np.ones(len(inner)), table[inner]])
    total = weights.sum(axis=1)
    enough = np.empty((len(positions.subsets), len(inner)), dtype=np.bool_)
    ties = 0
    memo: dict[tuple[tuple[int, int], ...], int] = {}
    for s, subset in enumerate(positions.subsets):
        margin = (weights @ subset) / total - p / q
        enough[s] = margin > 0
        for at in np.flatnonzero(np.abs(margin) < _CLEAR).tolist():
            # Σ_A w − a Σ w as a polynomial in e^{−η}: exponent → integer coefficient
            form: dict[int, int] = {}
            for lag, right in zip((0, *inner[at].tolist()), subset.tolist(), strict=True):
                form[lag] = form.get(lag, 0) + q * right - p
            key = tuple(sorted((lag, c) for lag, c in form.items() if c))
            if key not in memo:
                memo[key] = _sign(key, eta, decay)
            enough[s, at] = memo[key] >= 0
            ties += memo[key] == 0
    return enough, ties


def _sign(form: Sequence[tuple[int, int]], eta: Any, decay: Fraction | None) -> int:
    """Sign of a polynomial in e^{−η} with integer coefficients."""
    if not form:
        return 0
    for bits in (256, 1024, 4096):
        power = _powers(eta, decay, bits)
        low = sum(c * power(n)[0 if c > 0 else 1] for n, c in form)
        high = sum(c * power(n)[1 if c > 0 else 0] for n, c in form)
        if low > 0 or high < 0 or low == high:
            return (low > 0) - (high < 0)
    raise UndecidedError(f"the sign of {form} is undecided at 4096 bits; give decay, an exact e^(-eta)")


def _check_game(m: int, T: int, accuracy: Fraction) -> Fraction:
    if m < 1 or T < 1 or not 0 < accuracy <= 1:
        raise ValueError(
            f"m={m}, T={T}, accuracy={accuracy}: give at least 1 example, 1 round, and an accuracy above 0 "
            "and at most 1"
        )
    return Fraction(accuracy)


def hedge_game(
    m: int,
    T: int,
    accuracy: Fraction,
    eta: Any = None,
    *,
    decay: Fraction | None = None,
    memory: int = MEMORY,
) -> HedgeGame:
    """Solve Hedge against the worst adversary exactly.

    Parameters
    ----------
    m, T : int
        Numbers of examples and rounds, at least 1.
    accuracy : Fraction
        a, in (0, 1]: in each round the right examples weigh at least a of the total.
    eta : Fraction or callable, optional
        Step size; ``eta(bits)`` gives an mpmath interval of that precision.
    decay : Fraction, optional
        e^{−η} in (0, 1] where it is rational, in place of ``eta``.
    memory : int
        Bytes that the tables may take.

    Returns
    -------
    HedgeGame

    Raises
    ------
    ValueError
        If a parameter is out of range, or the positions are too many; the message says what would fit.
    UndecidedError
        If no precision up to 4096 bits tells an accuracy from the required one.

    References
    ----------
    Brukhim et al. (2023), Algorithm 1 and Lemma 1.

    Examples
    --------
    >>> game = hedge_game(3, 12, Fraction(3, 5), decay=Fraction(1, 2))
    >>> game.value, game.hits.tolist()
    (7, [7, 8, 9])
    """
    accuracy = _check_game(m, T, accuracy)
    if (eta is None) == (decay is None) or (decay is not None and not 0 < decay <= 1):
        raise ValueError(f"eta={eta}, decay={decay}: give one of the two, decay above 0 and at most 1")
    positions = _Positions(m, T, memory)
    following, rises = positions.after()
    enough, ties = _admissible(positions, accuracy, eta, decay)
    choices = np.empty((T, following.shape[1]), dtype=np.int8 if m < 8 else np.int16)
    values = np.zeros(len(positions.lags), dtype=np.int32)
    for left in range(1, T + 1):
        count = positions.within(T - left)
        best = np.full(count, np.iinfo(np.int32).max, dtype=np.int32)
        choice = choices[T - left, :count]
        for s in range(len(positions.subsets)):
            found = np.where(enough[s, :count], rises[s, :count] + values[following[s, :count]], best)
            better = found < best
            best[better] = found[better]
            choice[better] = s
        values = best
    answers = np.zeros((T, m), dtype=np.bool_)
    hits = np.zeros(m, dtype=np.int64)
    for t in range(T):
        order = np.argsort(hits, kind="stable")
        lags = (hits[order] - hits[order[0]])[None, 1:]
        at = int(positions.place[positions._rank(lags)][0])
        answers[t, order] = positions.subsets[choices[t, at]].astype(np.bool_)
        hits += answers[t]
    return HedgeGame(int(values[0]), answers, len(positions.lags), ties)


FILLS = ("heaviest", "lightest", "even", "tight")
_GUARD = 1e-10


class Played(NamedTuple):
    """What a run of Hedge against an `Adversary` came to.

    Attributes
    ----------
    hits : int
        Rounds in which the target was right.
    right : list of bool
        Whether it was right in each round.
    rounds : list of list of int
        The other examples that were right, as in an explicit certificate.
    """

    hits: int
    right: list[bool]
    rounds: list[list[int]]


class Adversary(NamedTuple):
    """A weak learner for Hedge that treats one example, the target, by a plan, and all others alike.

    Attributes
    ----------
    k : int
        List length.
    gamma : Fraction
        Edge: every round has accuracy at least a = 1/k + γ.
    m, T : int
        Numbers of examples and rounds.
    plan : tuple of int
        The rounds are cut into equal blocks; in each the target is right in this many of every eight rounds.
        Where it is planned to be wrong, but the others weigh less than a, it is right all the same.
    fill : {"heaviest", "lightest", "even", "tight"}
        How the others reach what is missing: heaviest first; lightest first; the same share of all; heaviest
        first up to below, then the lightest one that reaches it.
    """

    k: int
    gamma: Fraction
    m: int
    T: int
    plan: tuple[int, ...]
    fill: str

    @property
    def accuracy(self) -> Fraction:
        """The accuracy 1/k + γ of every round."""
        return Fraction(1, self.k) + self.gamma

    def play(self, eta: float) -> Played:
        """Play Hedge with step size ``eta``; every round is more accurate than a by 1e-10 of the total.

        Sums of positive float64 numbers are far closer than that, so that the accuracies are certain.
        """
        T, blocks, a = self.T, len(self.plan), float(self.accuracy) * (1 + _GUARD)
        power = np.exp(-eta * np.arange(T + 1)).tolist()
        counts: dict[int, int] = {0: self.m - 1}
        hits, right, rounds = 0, [], []
        for t in range(T):
            levels = sorted(counts)
            base = min(hits, levels[0])
            sizes, weights = [counts[c] for c in levels], [power[c - base] for c in levels]
            own = power[hits - base]
            others = sum(n * w for n, w in zip(sizes, weights, strict=True))
            need = a * (own + others)
            density = self.plan[t * blocks // T]
            now = (t + 1) * density // 8 > t * density // 8 or others < need
            chosen = _filled(self.fill, sizes, weights, need - own * now)
            for c, n in zip(reversed(levels), reversed(chosen), strict=True):
                if n:
                    counts[c] -= n
                    counts[c + 1] = counts.get(c + 1, 0) + n
                    if not counts[c]:
                        del counts[c]
            hits += now
            right.append(now)
            rounds.append([0, *chosen])
        return Played(hits, right, rounds)

    def certificate(self) -> dict[str, Any]:
        """Describe the run at the step size of Lemma 1, for `boosttheory.certificates.verify`."""
        played = self.play(math.sqrt(math.log(self.m) / (2 * self.T)))
        turns = [len(list(group)) for _, group in groupby([True, *played.right])]
        turns[0] -= 1
        return {
            "format": 1,
            "claim": "multiclass.lem1a",
            "k": str(self.k),
            "gamma": str(self.gamma),
            "m": str(self.m),
            "T": str(self.T),
            "hits": str(played.hits),
            "turns": turns,
            "rule": "explicit",
            "rounds": played.rounds,
        }


def _filled(fill: str, sizes: list[int], weights: list[float], need: float) -> list[int]:
    """Choose how many of each group are right, so that they weigh at least ``need``; heaviest group first."""
    chosen = [0] * len(sizes)
    if need <= 0:
        return chosen
    if fill == "even":
        share = need / sum(n * w for n, w in zip(sizes, weights, strict=True))
        return [min(n, math.ceil(share * n)) for n in sizes]
    order = range(len(sizes)) if fill != "lightest" else range(len(sizes) - 1, -1, -1)
    for i in order:
        wanted = math.ceil(need / weights[i])
        if wanted > sizes[i]:
            chosen[i] = sizes[i]
            need -= sizes[i] * weights[i]
            continue
        chosen[i] = wanted
        if fill == "tight":
            need -= (wanted - 1) * weights[i]
            lighter = next((j for j in reversed(order) if j > i and weights[j] >= need), i)
            chosen[i] -= lighter != i
            chosen[lighter] += lighter != i
        break
    return chosen


@cache
def _beats(m: int, bad: int, accuracy: Fraction) -> bool:
    """Whether some distribution makes every bad subset less accurate than asked."""
    subsets = [row for s, row in enumerate(product((0, 1), repeat=m)) if bad >> s & 1 and any(row)]
    if not subsets:
        return True
    game = game_value(subsets)
    if game.low < accuracy <= game.high:
        raise UndecidedError(f"a game lies between {game.low} and {game.high}, as {accuracy} does")
    return game.high < accuracy


def best_booster(m: int, T: int, accuracy: Fraction, *, memory: int = MEMORY) -> int:
    """Return the most hits that any booster can secure for every example.

    The booster may choose every distribution freely, and knows all that went before.

    Parameters
    ----------
    m, T, accuracy, memory
        As in `hedge_game`; m is at most 5.

    Returns
    -------
    int
        The value of the game; `hedge_game` is at most this.

    Raises
    ------
    ValueError
        As in `hedge_game`.

    Notes
    -----
    One more round raises a position's value by 0 or 1. It raises it if some distribution makes every subset
    after which the value would not have risen less accurate than the weak learner must be: a finite game,
    solved once for each family of subsets.

    References
    ----------
    Freund (1995), Boosting a weak learning algorithm by majority; Brukhim et al. (2023), Lemma 1.

    Examples
    --------
    >>> best_booster(3, 12, Fraction(3, 5)), best_booster(3, 12, Fraction(2, 3))
    (8, 8)
    """
    accuracy = _check_game(m, T, accuracy)
    if m > 5:
        raise ValueError(f"m={m}: the families of subsets are too many; give at most 5 examples")
    positions = _Positions(m, T, memory)
    following, rises = positions.after()
    values = np.zeros(len(positions.lags), dtype=np.int32)
    for left in range(1, T + 1):
        count = positions.within(T - left)
        bad = np.zeros(count, dtype=np.int64)
        for s in range(len(positions.subsets)):
            stays = rises[s, :count] + values[following[s, :count]] <= values[:count]
            bad |= stays.astype(np.int64) << s
        families, which = np.unique(bad, return_inverse=True)
        gains = np.array([_beats(m, family, accuracy) for family in families.tolist()], dtype=np.int32)
        values = values[:count] + gains[which]
    return int(values[0])


def require_edge(right: ArrayLike, accuracy: Fraction) -> Game:
    """Solve a weak-learning game whose hypotheses must reach an accuracy on every distribution.

    Parameters
    ----------
    right : (M, m) array_like of bool
        Whether hypothesis h is right on example i.
    accuracy : Fraction
        1/k + γ, or γ on all labels.

    Returns
    -------
    Game
        With ``low`` at least ``accuracy``: the edge is γ* = low − 1/k.

    Raises
    ------
    ValueError
        If the hypotheses cannot reach it; the message names an example on which none is right, or else the
        distribution on which all fall short.

    Examples
    --------
    >>> require_edge([[1, 1, 0], [0, 1, 1], [1, 0, 1]], Fraction(3, 5)).low
    Fraction(2, 3)
    """
    game = game_value(right)
    if game.low >= accuracy:
        return game
    never = np.flatnonzero(~np.asarray(right, dtype=np.bool_).any(axis=0))
    if len(never):
        proof = f"no hypothesis is right on example {never[0]}"
    elif game.high < accuracy:
        shares = ", ".join(f"{i}: {w}" for i, w in enumerate(game.hard[:1000]) if w)
        proof = f"on the distribution {{{shares}}} no hypothesis is more accurate than {game.high}"
    else:
        raise UndecidedError(f"the value lies between {game.low} and {game.high}, as {accuracy} does")
    raise ValueError(f"accuracy={accuracy} cannot be met: {proof}; lower it, or add hypotheses")


class ListGame(NamedTuple):
    """Best coverage of k-lists that a rule can promise for every target of a class, enclosed exactly.

    Attributes
    ----------
    low, high : Fraction
        A rule, randomised, covers ``low`` for every target; none covers more than ``high``.
    prior : tuple of Fraction
        Distribution over the patterns under which no rule covers more than ``high`` on average.
    """

    low: Fraction
    high: Fraction
    prior: tuple[Fraction, ...]


def minimax_coverage(
    family: FiniteClass, m: int, k: int = 1, weights: Sequence[Fraction] | None = None
) -> ListGame:
    """Solve list learning on a finite class as a game, for one distribution of the points.

    The rule sees m labelled points and lists k labels at a new one; it knows the class and the distribution,
    not the target.

    Parameters
    ----------
    family : FiniteClass
        The targets, on n points.
    m : int
        Number of examples, at least 0.
    k : int
        Length of the lists, at least 1.
    weights : sequence of n Fractions, optional
        Probabilities of the points; equal ones by default.

    Returns
    -------
    ListGame
        The two ends are equal where the linear program's solution was recognised.

    Raises
    ------
    ValueError
        If the linear program would have more than 10^5 variables.

    References
    ----------
    Brukhim et al. (2023), Lemmas 7, 8 and 11, Appendix C.

    Examples
    --------
    >>> from boosttheory.concepts import full_class
    >>> minimax_coverage(full_class(3, 2), 1).low
    Fraction(2, 3)
    """
    rows, n = family.patterns.tolist(), family.n_points
    shares = [Fraction(1, n)] * n if weights is None else [Fraction(w) for w in weights]
    if m < 0 or k < 1 or len(shares) != n or sum(shares) != 1 or min(shares) < 0:
        raise ValueError(
            f"m={m}, k={k}, weights={weights}: give m >= 0, k >= 1 and {n} weights that add up to 1"
        )
    if len(rows) * n * 2**n > 10**5:
        raise ValueError(
            f"family has {len(rows)} patterns on {n} points, too many for the game; restrict it first"
        )
    game, law = _Lists(k), support_law(shares, m)
    draws = [
        (mask, [z for z in range(n) if mask >> z & 1], x, chance * shares[x])
        for mask, chance in enumerate(law)
        for x in range(n)
        if chance * shares[x]
    ]
    for row in rows:
        game.add(row, draws)
    return game.solve()


def minimax_over_distributions(
    family: FiniteClass, m: int, k: int = 1, *, parts: int | None = None
) -> ListGame:
    """Solve list learning on a finite class as a game, for every distribution of the points at once.

    The rule sees m labelled points and lists k labels at a new one; it knows the class, but neither the
    target nor the distribution.

    Parameters
    ----------
    family : FiniteClass
        The targets, on n points.
    m : int
        Number of examples, at least 0.
    k : int
        Length of the lists, at least 1.
    parts : int, optional
        N: the enclosure narrows as it grows. At least m + 1; by default 2(m + 1).

    Returns
    -------
    ListGame
        Some rule, randomised, covers ``low`` for every target and every distribution; no rule covers more
        than ``high`` for all. ``prior`` is over the pairs of a pattern and a distribution with weights in
        N-ths, patterns first, distributions as in `boosttheory.enumerations.compositions`.

    Raises
    ------
    ValueError
        If a number is out of range, or the game has more than 10^6 cells.

    Notes
    -----
    Two linear programs. Above: the adversary chooses a target and a distribution with weights in N-ths.
    Below: it chooses a target and a multiset of N points, from which sample and new point are drawn without
    replacement. Every distribution is a mixture of the latter: N independent draws, then m + 1 of them. At
    N = m + 1 this is the leave-one-out argument of Lemma 7.

    References
    ----------
    Brukhim et al. (2023), Lemmas 7, 8 and 11, Appendix C.

    Examples
    --------
    >>> from boosttheory.concepts import full_class
    >>> game = minimax_over_distributions(full_class(2, 2), 1, parts=10)
    >>> game.low, game.high
    (Fraction(13, 18), Fraction(3, 4))
    """
    rows, n = family.patterns.tolist(), family.n_points
    N = 2 * (m + 1) if parts is None else parts
    if m < 0 or k < 1 or m >= N:
        raise ValueError(f"m={m}, k={k}, parts={parts}: give m >= 0, k >= 1 and more parts than examples")
    cells = len(rows) * math.comb(N + n - 1, n - 1) * math.comb(m + n - 1, n - 1) * n
    if cells > 10**6:
        raise ValueError(
            f"{len(rows)} patterns on {n} points, m={m}, parts={N}: {cells:,} cells are too many for the "
            "game; 10^6 fit, so restrict the class or lower m or parts"
        )
    samples = [(c, [z for z in range(n) if c[z]]) for c in compositions(m, n)]
    games = []
    for chance in (_without_replacement, _with_replacement):
        games.append(_Lists(k))
        laws = [
            [(c, seen, x, p) for c, seen in samples for x in range(n) if (p := chance(counts, c, x))]
            for counts in compositions(N, n)
        ]
        for row in rows:
            for draws in laws:
                games[-1].add(row, draws)
    below, above = (game.solve() for game in games)
    return ListGame(below.low, above.high, above.prior)


def _without_replacement(counts: Sequence[int], sample: Sequence[int], x: int) -> Fraction:
    """Probability to draw a sample, and then x, from a multiset of N points."""
    N, m = sum(counts), sum(sample)
    ways = math.prod(math.comb(n, c) for n, c in zip(counts, sample, strict=True))
    return Fraction(ways * (counts[x] - sample[x]), math.comb(N, m) * (N - m))


def _with_replacement(counts: Sequence[int], sample: Sequence[int], x: int) -> Fraction:
    """Probability to draw a sample, and then x, from the distribution that a multiset of N points gives."""
    N, m = sum(counts), sum(sample)
    ways = math.factorial(m) // math.prod(map(math.factorial, sample))
    return Fraction(
        ways * math.prod(n**c for n, c in zip(counts, sample, strict=True)) * counts[x], N ** (m + 1)
    )


class _Lists:
    """A zero-sum game over lists of k labels: the rule fills cells, the adversary chooses among targets."""

    def __init__(self, k: int):
        self.k = k
        self.columns: dict[tuple[Any, int], int] = {}  # what is seen and asked, and a label -> number
        self.known: list[Fraction] = []  # of each target, the coverage of points that were seen
        self.weights: list[dict[int, Fraction]] = []  # and what a label listed in a column adds

    def add(self, row: Sequence[int], draws: Sequence[tuple[Any, Sequence[int], int, Fraction]]) -> None:
        """Add a choice of the adversary: labels; what is drawn, points seen, the new one, the chance."""
        known, weights = Fraction(0), dict[int, Fraction]()
        for sample, seen, x, chance in draws:
            if x in seen:
                known += chance
            else:
                cell = (sample, tuple(row[z] for z in seen), x)
                weights[self.columns.setdefault((cell, row[x]), len(self.columns))] = chance
        self.known.append(known)
        self.weights.append(weights)

    def solve(self) -> ListGame:
        """Solve by linear programming, and enclose the value by rational strategies of both sides."""
        from scipy.optimize import linprog
        from scipy.sparse import csr_array, vstack

        count, width, order = len(self.known), len(self.columns), dict[Any, int]()
        place = [order.setdefault(cell, len(order)) for cell, _ in self.columns]
        if not width:
            worst = self.known.index(min(self.known))
            return ListGame(
                self.known[worst], self.known[worst], tuple(Fraction(r == worst) for r in range(count))
            )
        entries = [(r, c, -float(w)) for r, weights in enumerate(self.weights) for c, w in weights.items()]
        entries += [(r, width, 1.0) for r in range(count)]
        at, columns, values = zip(*entries, strict=True)
        covered = csr_array((values, (at, columns)), shape=(count, width + 1))
        lengths = csr_array(([1.0] * width, (place, range(width))), shape=(len(order), width + 1))
        solved = linprog(
            np.append(np.zeros(width), -1.0),
            A_ub=vstack([covered, lengths]),
            b_ub=np.append(np.array(self.known, dtype=np.float64), np.full(len(order), float(self.k))),
            bounds=[(0, 1)] * width + [(0, None)],
            method="highs-ds",
        )
        if not solved.success:
            raise RuntimeError(
                f"the linear program was not solved ({solved.message}); try another version of scipy"
            )
        masses = [_near(-x) for x in solved.ineqlin.marginals[:count]]
        whole = sum(masses)
        prior = [mass / whole for mass in masses]
        gains: list[dict[int, Fraction]] = [{} for _ in order]
        for share, weights in zip(prior, self.weights, strict=True):
            for c, w in weights.items() if share else ():
                gains[place[c]][c] = gains[place[c]].get(c, Fraction(0)) + share * w
        high = sum((share * known for share, known in zip(prior, self.known, strict=True)), Fraction(0))
        high += sum((sum(sorted(gain.values(), reverse=True)[: self.k]) for gain in gains), Fraction(0))
        listed = [min(_near(x), Fraction(1)) for x in solved.x[:-1]]
        total = [Fraction(0)] * len(order)
        for c, share in enumerate(listed):
            total[place[c]] += share
        listed = [share / max(Fraction(1), total[place[c]] / self.k) for c, share in enumerate(listed)]
        low = min(
            known + sum((w * listed[c] for c, w in weights.items()), Fraction(0))
            for known, weights in zip(self.known, self.weights, strict=True)
        )
        return ListGame(low, high, tuple(prior))


def _near(x: float) -> Fraction:
    """Return a fraction of small denominator near a number that should not be negative."""
    return Fraction(max(float(x), 0.0)).limit_denominator(10**6)


def worst_compression(
    weights: Sequence[Fraction], m: int, level: Fraction
) -> tuple[Fraction, dict[tuple[int, ...], int]]:
    """Find the reconstructions from one example that mislead most often.

    Parameters
    ----------
    weights : sequence of N Fractions
        Probabilities of the examples.
    m : int
        Number of draws, at least 1.
    level : Fraction
        Errors of at least this much, above 0, are bad.

    Returns
    -------
    probability : Fraction
        Largest probability of a sample that holds an example whose function is consistent and bad.
    regions : dict of 1-tuples to int
        Where the function rebuilt from each example is right, as a mask.

    Raises
    ------
    ValueError
        If the reconstructions are too many.

    References
    ----------
    Brukhim et al. (2023), Theorem 6, for r = 1.

    Examples
    --------
    >>> worst_compression([Fraction(1, 2)] * 2, 3, Fraction(1, 2))
    (Fraction(1, 4), {(0,): 1, (1,): 2})
    """
    law = support_law(weights, m)
    total = math.lcm(*(p.denominator for p in law))
    parts = [int(p * total) for p in law]
    best, kept = -1, tuple[int, ...]()
    for samples, chosen in _misled_samples(tuple(weights), Fraction(level)).items():
        chance = sum(part for mask, part in enumerate(parts) if samples >> mask & 1)
        if chance > best:
            best, kept = chance, chosen
    return Fraction(best, total), {(z,): region for z, region in enumerate(kept)}


@cache
def _misled_samples(weights: tuple[Fraction, ...], level: Fraction) -> dict[int, tuple[int, ...]]:
    """Return the sets of samples that reconstructions mislead on, each with the regions of one of them."""
    count = len(weights)
    errors = region_errors(weights, {(mask,): mask for mask in range(2**count)})
    bad = [mask for (mask,), error in errors.items() if error >= level]
    # a larger region that is still bad misleads on more samples
    maximal = [mask for mask in bad if not any(mask != other and mask & other == mask for other in bad)]
    found: dict[int, tuple[int, ...]] = {0: ()}
    for z in range(count):
        options = [mask for mask in maximal if mask >> z & 1] or [0]
        if len(found) * len(options) > 10**6:
            raise ValueError(f"{count} examples have too many reconstructions; give fewer, or raise level")
        hits = {
            region: sum(1 << mask for mask in range(2**count) if mask >> z & 1 and not mask & ~region)
            for region in options
        }
        found = {
            samples | hit: (*chosen, region)
            for samples, chosen in found.items()
            for region, hit in hits.items()
        }
    return found


class TrainingError(NamedTuple):
    """The runs of one size that come closest to the bound on the training error.

    Attributes
    ----------
    n, n_labels, rounds, runs : int
        Size, and number of runs up to symmetry.
    error, bound : exact number
        Training error, and (K/2)∏Z of the run for which the bound exceeds the error least, among those that
        err at all.
    attained : bool
        Whether the two are equal.
    run : ExactRun
        That run.
    """

    n: int
    n_labels: int
    rounds: int
    runs: int
    error: Fraction
    bound: Any
    attained: bool
    run: ExactRun


def worst_training_errors(sizes: tuple[tuple[int, int, int], ...]) -> tuple[TrainingError, ...]:
    """Find, for each size, the run of TripletBoost that comes closest to its bound, over all configurations.

    Parameters
    ----------
    sizes : tuple of (n, K, C)
        Objects, labels and rounds.

    Returns
    -------
    tuple of TrainingError

    References
    ----------
    Perrot & von Luxburg (2019), Theorem 2.

    Examples
    --------
    >>> worst = worst_training_errors(((2, 2, 1),))[0]
    >>> worst.error, worst.bound, worst.attained
    (Fraction(1, 1), Fraction(1, 1), True)
    """
    from boosttheory.exact_tripletboost import normaliser, small_runs, training_error

    found = []
    for size in sizes:
        runs = small_runs((size,))
        best: tuple[Any, Fraction, Any, ExactRun] | None = None
        for run in runs:
            error = training_error(run)
            bound = Fraction(run.n_labels, 2) * math.prod(
                (normaliser(r) for r in run.rounds), start=Fraction(1)
            )
            if error and (best is None or bound - error < best[0]):
                best = (bound - error, error, bound, run)
        if best is not None:
            slack, error, bound, run = best
            found.append(TrainingError(*size, len(runs), error, bound, bool(slack == 0), run))
    return tuple(found)
