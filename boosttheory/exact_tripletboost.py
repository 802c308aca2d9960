"""TripletBoost in exact arithmetic: the judge of the float core and the source of exact cases.

e^α is a square root of a number known so far, so weights, W+, W-, Z and every comparison live in a tower
of square roots (`boosttheory.surds`). Everything is read off the paper literally: T is a set of ordered
triples and may hold both answers of a question; then the definition of h_c by cases lets the first case win.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from math import prod
from typing import Any, NamedTuple

from boosttheory.enumerations import compositions, label_vectors, pair_sequences, pair_triplets
from boosttheory.surds import sign, sqrt

__all__ = [
    "ExactRound",
    "ExactRun",
    "PairCase",
    "answers",
    "costs",
    "exact_round",
    "exact_run",
    "exp_score",
    "is_error",
    "labels_by_weight",
    "least_error",
    "masses",
    "normaliser",
    "omega",
    "pair_cases",
    "small_runs",
    "training_error",
    "uniform_weights",
    "update",
    "vote",
    "weights_after",
]

Triplet = tuple[int, int, int]
SMALL = ((2, 2, 1), (2, 3, 1), (2, 2, 2), (2, 3, 2), (2, 2, 3), (3, 2, 1), (3, 3, 1), (3, 2, 2), (3, 3, 2))
Weights = tuple[tuple[Any, ...], ...]
LabelSet = frozenset[int]


class ExactRound(NamedTuple):
    """One round: what was chosen, and the masses it was judged by.

    Attributes
    ----------
    pair : (int, int)
        References (j, k) as drawn.
    sides : tuple of int or None
        For each object 0 (h_c = o_j), 1 (h_c = o_k) or None (h_c abstains).
    labels : (frozenset, frozenset)
        o_j and o_k.
    w_plus, w_minus : exact number
        Eq 3.
    s : exact number
        e^α.
    """

    pair: tuple[int, int]
    sides: tuple[int | None, ...]
    labels: tuple[LabelSet, LabelSet]
    w_plus: Any
    w_minus: Any
    s: Any


class ExactRun(NamedTuple):
    """A finished run on n objects with labels ``y`` out of 0..K-1."""

    n_labels: int
    y: tuple[int, ...]
    triplets: tuple[Triplet, ...]
    rounds: tuple[ExactRound, ...]


def omega(y: Sequence[int], i: int, label: int) -> int:
    """Ω_i(y): +1 if the label is right for object i, else -1."""
    return 1 if y[i] == label else -1


def uniform_weights(n: int, n_labels: int) -> Weights:
    """w_1 = 1/(nK) for every object and label."""
    return ((Fraction(1, n * n_labels),) * n_labels,) * n


def answers(triplets: Sequence[Triplet], n: int, pair: tuple[int, int]) -> tuple[int | None, ...]:
    """Side of each object by the definition of h_c: 0 for o_j, else 1 for o_k, else None."""
    j, k = pair
    known = set(triplets)
    return tuple(0 if (i, j, k) in known else 1 if (i, k, j) in known else None for i in range(n))


def labels_by_weight(
    weights: Weights,
    y: Sequence[int],
    closer: Sequence[int],
    *,
    includes: Callable[[Any], bool] = lambda d: sign(d) > 0,
) -> LabelSet:
    """Eq 2: the labels whose signed weight over a half-space is positive, strictly.

    Parameters
    ----------
    weights : tuple of tuples
        w_{i,y}.
    y : sequence of int
        Labels.
    closer : sequence of int
        Objects of the half-space: all i with (i, j, k) in T.
    includes : callable
        The test of the signed weight.
    """
    return frozenset(
        label
        for label in range(len(weights[0]))
        if includes(sum((omega(y, i, label) * weights[i][label] for i in closer), Fraction(0)))
    )


def vote(labels: tuple[LabelSet, LabelSet], side: int | None, label: int) -> int:
    """h_c(x, y): +1 if the label is in the predicted set, -1 if not, 0 if h_c abstains."""
    return 0 if side is None else 1 if label in labels[side] else -1


def masses(
    weights: Weights, y: Sequence[int], sides: Sequence[int | None], labels: tuple[LabelSet, LabelSet]
) -> tuple[Any, Any]:
    """W+ and W- of Eq 3 over the objects on which h_c does not abstain."""
    found = {1: Fraction(0), -1: Fraction(0)}
    for i, side in enumerate(sides):
        if side is not None:
            for label, weight in enumerate(weights[i]):
                agrees = omega(y, i, label) * vote(labels, side, label)
                found[agrees] = found[agrees] + weight
    return found[1], found[-1]


def normaliser(round_: ExactRound) -> Any:
    """Z_c = 1 - W+ - W- + W+ e^{-α} + W- e^{α}."""
    return 1 - round_.w_plus - round_.w_minus + round_.w_plus / round_.s + round_.w_minus * round_.s


def exact_round(
    weights: Weights,
    y: Sequence[int],
    triplets: Sequence[Triplet],
    pair: tuple[int, int],
    *,
    s: Any = None,
    choose: Callable[..., LabelSet] = labels_by_weight,
) -> ExactRound:
    """Boost the classifier of one reference pair (Eqs 2 and 3).

    Parameters
    ----------
    weights : tuple of tuples
        w_{c,i,y}, a distribution.
    y : sequence of int
        Labels.
    triplets : sequence of (i, j, k)
        The set T.
    pair : (int, int)
        References (j, k), j != k.
    s : exact number, optional
        e^α in place of the paper's.
    choose : callable
        The rule of Eq 2.
    """
    n, (j, k) = len(y), pair
    sides = answers(triplets, n, pair)
    known = set(triplets)
    labels = (
        choose(weights, y, [i for i in range(n) if (i, j, k) in known]),
        choose(weights, y, [i for i in range(n) if (i, k, j) in known]),
    )
    w_plus, w_minus = masses(weights, y, sides, labels)
    if s is None:
        s = sqrt((w_plus + Fraction(1, n)) / (w_minus + Fraction(1, n)))
    return ExactRound(pair, sides, labels, w_plus, w_minus, s)


def update(weights: Weights, y: Sequence[int], round_: ExactRound) -> Weights:
    """Eq 4: multiply by exp(-α Ω h) and divide by Z."""
    z = normaliser(round_)
    factors = {1: 1 / (round_.s * z), -1: round_.s / z, 0: 1 / z}
    return tuple(
        tuple(
            weight * factors[omega(y, i, label) * vote(round_.labels, round_.sides[i], label)]
            for label, weight in enumerate(row)
        )
        for i, row in enumerate(weights)
    )


def exact_run(
    y: Sequence[int],
    n_labels: int,
    triplets: Sequence[Triplet],
    pairs: Sequence[tuple[int, int]],
    *,
    q: Sequence[Any] | None = None,
) -> ExactRun:
    """Run Algorithm 1 exactly on given reference pairs.

    Parameters
    ----------
    y : sequence of int
        Labels, out of 0..K-1.
    n_labels : int
        K.
    triplets : sequence of (i, j, k)
        The set T.
    pairs : sequence of (int, int)
        The reference pairs, one a round.
    q : sequence of exact numbers, optional
        e^α of each round in place of the paper's.

    Returns
    -------
    ExactRun
        The trace of the run.

    Examples
    --------
    >>> run = exact_run((0, 1), 2, ((0, 0, 1), (1, 1, 0)), [(0, 1)])
    >>> run.rounds[0].labels, run.rounds[0].s ** 2 == 3, training_error(run)
    ((frozenset({0}), frozenset({1})), True, Fraction(0, 1))
    """
    weights, rounds = uniform_weights(len(y), n_labels), list[ExactRound]()
    for c, pair in enumerate(pairs):
        if c:
            weights = update(weights, y, rounds[-1])
        rounds.append(exact_round(weights, y, triplets, pair, s=None if q is None else q[c]))
    return ExactRun(n_labels, tuple(y), tuple(triplets), tuple(rounds))


def weights_after(
    run: ExactRun, advance: Callable[[Weights, Sequence[int], ExactRound], Weights] = update
) -> list[Weights]:
    """Weights before each round and after the last, replayed from the trace with ``advance`` as Eq 4."""
    weights = [uniform_weights(len(run.y), run.n_labels)]
    for round_ in run.rounds:
        weights.append(advance(weights[-1], run.y, round_))
    return weights


def exp_score(run: ExactRun, i: int, label: int) -> Any:
    """Exp F(x_i, y) = ∏ e^{α_c h_c(x_i, y)}: scores are compared through their exponentials."""
    return prod((r.s ** vote(r.labels, r.sides[i], label) for r in run.rounds), start=Fraction(1))


def is_error(run: ExactRun, i: int) -> bool:
    """Whether H errs on training object i; ties and abstentions count as errors."""
    own = exp_score(run, i, run.y[i])
    return any(exp_score(run, i, label) >= own for label in range(run.n_labels) if label != run.y[i])


def training_error(run: ExactRun) -> Fraction:
    """P_{(x,y) in S}[H(x) != y]."""
    n = len(run.y)
    return Fraction(sum(is_error(run, i) for i in range(n)), n)


@cache
def small_runs(sizes: tuple[tuple[int, int, int], ...] = SMALL) -> tuple[ExactRun, ...]:
    """Every run of Algorithm 1 on n objects, K labels, C rounds for (n, K, C) in ``sizes``, up to symmetry.

    All labellings with at least two labels, all reference pairs with two labels, and all consistent answers
    about them: each object, the references included, answers one way, the other, or not at all.
    """
    return tuple(
        exact_run(y, n_labels, triplets, pairs)
        for n, n_labels, rounds in sizes
        for y, pairs in pair_sequences(n, n_labels, rounds)
        for triplets in pair_triplets(n, pairs)
    )


class PairCase(NamedTuple):
    """One triplet classifier before its labels are chosen.

    Attributes
    ----------
    y : tuple of int
        Labels of the objects.
    weights : tuple of tuples of int
        w_{i,y} times a common denominator, their sum.
    triplets : tuple of (i, j, k)
        The set T, about the references (0, n - 1) only.
    """

    y: tuple[int, ...]
    weights: tuple[tuple[int, ...], ...]
    triplets: tuple[Triplet, ...]

    @property
    def pair(self) -> tuple[int, int]:
        """The references: the first and the last object, whose labels differ."""
        return 0, len(self.y) - 1

    @property
    def total(self) -> int:
        """The common denominator of the weights."""
        return sum(map(sum, self.weights))


def pair_cases(n: int, n_labels: int, total: int, *, contradictory: bool = False) -> Iterator[PairCase]:
    """Every labelling, every weight on the grid of denominator ``total``, every T about (0, n-1)."""
    for y in label_vectors(n, n_labels):
        if y[0] != y[-1]:
            for flat in compositions(total, n * n_labels):
                weights = tuple(flat[i * n_labels : (i + 1) * n_labels] for i in range(n))
                for triplets in pair_triplets(n, ((0, n - 1),), contradictory=contradictory):
                    yield PairCase(y, weights, triplets)


def costs(case: PairCase, objects: Sequence[int]) -> list[int]:
    """Mass in error if a label set is predicted for some objects, for each of the 2^K label sets.

    Label set number b holds the label y if bit y of b is set.
    """
    labels = range(len(case.weights[0]))
    inside = [sum(case.weights[i][y] for i in objects if case.y[i] != y) for y in labels]
    outside = [sum(case.weights[i][y] for i in objects if case.y[i] == y) for y in labels]
    return [
        sum(inside[y] if number >> y & 1 else outside[y] for y in labels)
        for number in range(1 << len(labels))
    ]


def least_error(case: PairCase) -> int:
    """Least W- over all 4^K choices of (o_j, o_k), times the denominator."""
    sides = answers(case.triplets, len(case.y), case.pair)
    by_side = [costs(case, [i for i, side in enumerate(sides) if side == which]) for which in range(2)]
    return min(first + second for first in by_side[0] for second in by_side[1])
