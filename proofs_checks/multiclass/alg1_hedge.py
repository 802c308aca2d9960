"""Algorithm 1 (boosting via Hedge), Brukhim, Daniely, Mansour & Moran 2023."""

from fractions import Fraction
from itertools import product
from math import log
from typing import NamedTuple

import numpy as np

from boosttheory.bounds import interval_arithmetic
from boosttheory.claims import Claim, Enclosure, Role, Verdict
from boosttheory.hedge import hedge, hits_from_identity

claim = Claim(
    id="multiclass.alg1",
    paper="brukhim2023",
    locator="Algorithm 1, Section 2",
    title="boosting via Hedge",
    role=Role.ALGORITHM,
    statement=r"w_{t+1}(i)=w_t(i)e^{-\eta\mathbb 1[h_t(x_i)=y_i]},\quad H(x,y)=\sum_{t=1}^T\mathbb "
    r"1[h_t(x)=y]",
    assumes=(r"w_1(i)=1", r"\mathcal D_t\text{ is }w_t\text{ normalised}", r"\eta>0"),
    expect=Verdict.CONFORMS,
    note="With a_t the accuracy of h_t on D_t, the whole analysis of the algorithm is one identity: H_i = "
    "-(1/η)[ln m + ln D_{T+1}(i) + Σ ln(1 - (1 - e^{-η})a_t)]. Examples enter it only through their hits.",
)


class Matrix(NamedTuple):
    """Where the hypothesis of each round is right, and the factor q = e^{-η}."""

    correct: tuple[tuple[bool, ...], ...]
    q: Fraction


def matrices(m, T):
    """All matrices of T rounds on m examples."""
    return product(product((False, True), repeat=m), repeat=T)


def small():
    """All runs with m T <= 9."""
    for m, T in ((1, 2), (2, 3), (3, 2), (3, 3), (4, 2)):
        for correct in matrices(m, T):
            for q in (Fraction(1, 2), Fraction(9, 10)):
                yield Matrix(correct, q)


def lower_right(weight, right, q):
    """The update of the algorithm."""
    return weight * q if right else weight


def lower_wrong(weight, right, q):
    """The examples that were wrong lose weight."""
    return weight if right else weight * q


def raise_right(weight, right, q):
    """The sign of the exponent flipped."""
    return weight / q if right else weight


def run_of(correct, q, update):
    """Return the last distribution and the accuracies of a run, exactly."""
    weights = [q / q] * len(correct[0])
    accuracies = []
    for row in correct:
        accuracies.append(sum(w for w, right in zip(weights, row, strict=True) if right) / sum(weights))
        weights = [update(w, right, q) for w, right in zip(weights, row, strict=True)]
    return [w / sum(weights) for w in weights], accuracies


@claim.check(
    "exhaustive",
    scope="all runs with m T <= 9, m <= 4, T <= 3, at e^{-η} = 1/2 and 9/10; in rationals",
    over=small,
    relation="equality",
)
def identity_of_hits_and_weights(case, *, update=lower_right, start=1):
    """q^H_i = m D_{T+1}(i) ∏(1 - (1 - q)α_t), the identity before the logarithm."""
    last, accuracies = run_of(case.correct, case.q, update)
    spent = Fraction(len(last), start)
    for accuracy in accuracies:
        spent *= 1 - (1 - case.q) * accuracy
    hits = [sum(column) for column in zip(*case.correct, strict=True)]
    return -max(abs(case.q**h - spent * d) for h, d in zip(hits, last, strict=True))


identity_of_hits_and_weights.mutant("wrong examples lose weight", update=lower_wrong)
identity_of_hits_and_weights.mutant("e^{+η} in place of e^{-η}", update=raise_right)
identity_of_hits_and_weights.mutant("ln m replaced by ln(m/2)", start=2)


class Run(NamedTuple):
    """A run whose step size is rational, so that its weights are not."""

    correct: tuple[tuple[bool, ...], ...]
    eta: Fraction


LONG = [
    Run(tuple(tuple((t * (i + 2)) % 7 < 3 for i in range(m)) for t in range(T)), eta)
    for m, T, eta in ((2, 40, Fraction(1, 3)), (5, 60, Fraction(1, 20)), (9, 30, Fraction(2)))
]


@claim.check(
    "exhaustive",
    scope="three runs of 30 to 60 rounds with rational η, in interval arithmetic, to 40 digits",
    over=LONG,
    relation="equality",
)
def identity_at_an_irrational_factor(case, *, update=lower_right, start=1):
    """10^-40 minus the largest error of the logarithmic identity."""
    arithmetic = interval_arithmetic(256)
    eta = arithmetic.convert(case.eta)
    q = arithmetic.exp(-eta)
    last, accuracies = run_of(case.correct, q, update)
    spent = arithmetic.log(arithmetic.convert(Fraction(len(last), start)))
    for accuracy in accuracies:
        spent = spent + arithmetic.log(1 - (1 - q) * accuracy)
    tolerance = Fraction(1, 10**40)
    margins = []
    for i, d in enumerate(last):
        error = Enclosure.of((spent + arithmetic.log(d)) / eta + sum(row[i] for row in case.correct))
        margins.append(Enclosure(tolerance - max(abs(error.low), abs(error.high)), tolerance - _least(error)))
    return Enclosure(min(x.low for x in margins), min(x.high for x in margins))


def _least(error):
    return 0 if error.low <= 0 <= error.high else min(abs(error.low), abs(error.high))


identity_at_an_irrational_factor.mutant("wrong examples lose weight", update=lower_wrong)
identity_at_an_irrational_factor.mutant("e^{+η} in place of e^{-η}", update=raise_right)


def shipped_cases():
    """Small runs for the array implementation, with permutations."""
    for m, T in ((1, 2), (2, 4), (3, 3), (4, 2)):
        for index, correct in enumerate(matrices(m, T)):
            yield np.array(correct, dtype=bool), index % m


@claim.check(
    "search",
    scope="all runs with m = 1 to 4, T = 2 to 4 by the shipped function, η = 0.3; to 1e-12",
    over=lambda: list(shipped_cases()),
)
def shipped_function_is_the_algorithm(case, *, eta_used=0.3, shift=None):
    """1e-12 minus the errors of the identity, of the direct weights and under a rotation of the examples."""
    correct, turn = case
    m, eta = correct.shape[1], 0.3
    run = hedge(correct, m, len(correct), eta_used)
    rotated = hedge(np.roll(correct, turn, axis=1), m, len(correct), eta)
    direct, accuracies = run_of(correct.tolist(), float(np.exp(-eta)), lower_right)
    moved = np.roll(run.hits, turn if shift is None else shift)
    errors = [
        np.abs(hits_from_identity(eta, run.accuracies, run.distribution) - run.hits).max(),
        np.abs(run.distribution - direct).max(),
        np.abs(run.accuracies - accuracies).max(),
        np.abs(rotated.hits - moved).max(),
    ]
    return 1e-12 - float(max(errors))


shipped_function_is_the_algorithm.mutant("another step size", eta_used=-log(0.75))
shipped_function_is_the_algorithm.mutant("examples keep their places under a rotation", shift=0)
