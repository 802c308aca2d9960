"""Equation 6 (the accuracies add up to little more than the hits), Brukhim et al. 2023, Appendix A."""

import math
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import sympy as sp

from boosttheory.bounds import ends, interval_arithmetic
from boosttheory.charts import Curve, tightness_chart
from boosttheory.claims import Claim, Enclosure, Verdict
from boosttheory.symbolic import Obligation, decide
from proofs_checks.multiclass.alg1_hedge import lower_right, lower_wrong, matrices, run_of

claim = Claim(
    id="multiclass.eq6",
    paper="brukhim2023",
    locator="Equation 6, Appendix A",
    title="regret of Hedge",
    statement=r"\sum_{t=1}^T\Pr_{i\sim\mathcal D_t}[h_t(x_i)=y_i]\le\frac{\ln m}{\eta}+\eta T+H(x_i,y_i)",
    assumes=(r"H\text{ is the output of Algorithm 1 with any }h_1,\dots,h_T", r"\eta>0"),
    expect=Verdict.PROVED_UP_TO_LISTED_STEPS,
    quantifiers={"eta": sp.Interval.open(0, sp.oo), "alpha": sp.Interval(0, 1)},
    uses=("multiclass.alg1",),
    note="Holds with room to spare: η/8 in place of η is enough and cannot be lowered, see lem1a.hoeffding.",
)

x, y, alpha, eta = sp.symbols("x y alpha eta", nonnegative=True)
HALF_LINE = sp.Interval(0, sp.oo)
STEPS = [
    Obligation(
        "e^{-x} <= 1 - x + x^2 for x >= 0",
        {x: HALF_LINE},
        lambda square, linear: 1 - linear * x + square * x**2 - sp.exp(-x),
    ),
    Obligation(
        "the mean of e^{-x} over x in {0, η} is at most 1 - ηα + η^2, given the line above",
        {eta: HALF_LINE, alpha: sp.Interval(0, 1)},
        lambda square, linear: (
            (1 - eta * alpha + eta**2) - (1 - alpha + alpha * (1 - linear * eta + square * eta**2))
        ),
    ),
    Obligation("1 + y <= e^y for y >= 0", {y: HALF_LINE}, lambda square, linear: sp.exp(y) - 1 - linear * y),
    Obligation(
        "1 - y <= e^{-y} for y >= 0", {y: HALF_LINE}, lambda square, linear: sp.exp(-y) - 1 + linear * y
    ),
]


@claim.check(
    "symbolic",
    scope="the scalar inequalities of the proof, for every η > 0 and every accuracy",
    over=STEPS,
    by_hand=(
        "one round multiplies the sum of the weights by the mean of e^{-η 1[h_t(x_i) = y_i]} under D_t",
        "induction over the rounds and w_{T+1}(i) <= Σ w_{T+1} give e^{-ηH_i} <= m exp(-ηΣα_t + Tη^2)",
    ),
)
def scalar_steps_of_the_proof(step, *, square=sp.Integer(1), linear=sp.Integer(1)):
    """Each scalar inequality of the proof, decided on its whole range."""
    return decide(step.data(square, linear), step.domain)


scalar_steps_of_the_proof.mutant("x^2/4 in place of x^2", square=sp.Rational(1, 4))
scalar_steps_of_the_proof.mutant("2x^2 in place of x^2", square=sp.Integer(2))
scalar_steps_of_the_proof.mutant("the slope of e^{-x} at 0 taken to be -2", linear=sp.Integer(2))


class Regret(NamedTuple):
    """A run of Hedge given by its correctness, and a rational step size."""

    correct: tuple[tuple[bool, ...], ...]
    eta: Fraction


def alternating(T):
    """Two examples that take turns: each accuracy is just above 1/2."""
    return tuple((t % 2 == 0, t % 2 == 1) for t in range(T))


def regret_cases():
    """All small runs, and long runs of two examples that take turns."""
    for m, T in ((1, 2), (2, 3), (3, 2)):
        for correct in matrices(m, T):
            for step in (Fraction(1, 4), Fraction(2)):
                yield Regret(correct, step)
    yield Regret(alternating(40), Fraction(1))
    yield Regret(alternating(200), Fraction(1, 2))
    yield Regret(((True, False),) * 20, Fraction(1, 4))


@cache
def enclosed_run(case, update):
    """Return Σα_t and the hits of a run, the sum in interval arithmetic."""
    arithmetic = interval_arithmetic(128)
    q = arithmetic.exp(-arithmetic.convert(case.eta))
    _, accuracies = run_of(case.correct, q, update)
    return sum(accuracies), [sum(column) for column in zip(*case.correct, strict=True)]


def regret_margin(case, coefficient, update=lower_right):
    """Least of ln m/η + c η T + H_i - Σα_t over the examples, enclosed."""
    arithmetic = interval_arithmetic(128)
    total, hits = enclosed_run(case, update)
    step = arithmetic.convert(case.eta)
    slack = arithmetic.convert(coefficient) * step * len(case.correct)
    margin = arithmetic.log(arithmetic.convert(len(hits))) / step + slack + min(hits) - total
    return Enclosure(*ends(margin))


def chart():
    """Regret over the step size, two examples and 200 rounds."""
    steps, T = [Fraction(2**n, 64) for n in range(8)], 200

    def regret(eta):
        runs = [Regret(correct, eta) for correct in (alternating(T), ((True, False),) * T)]
        return max(
            float(total.mid) - min(hits) for total, hits in (enclosed_run(r, lower_right) for r in runs)
        )

    def bound(eta, coefficient):
        return math.log(2) / eta + coefficient * eta * T

    return tightness_chart(
        [
            Curve("stated", "ln m/η + ηT", steps, [bound(eta, 1) for eta in steps]),
            Curve("repaired", "ln m/η + ηT/8", steps, [bound(eta, 1 / 8) for eta in steps]),
            Curve("worst known", "the worse of two runs", steps, [regret(eta) for eta in steps]),
        ],
        x="step size η",
        y="Σα − H",
        log_x=True,
        log_y=True,
        vacuous=(float(next(eta for eta in steps if bound(eta, 1) >= T)), 2),
        caption="Regret of Hedge on two examples in 200 rounds: they take turns, or one is always right and "
        "the other never. Above T = 200 a bound says nothing.",
    )


@claim.check(
    "exhaustive",
    scope="all runs with m T <= 6, m <= 3, at η = 1/4 and 2; two examples that take turns, or of which one "
    "is always right; in interval arithmetic",
    over=regret_cases,
    figure=chart,
)
def accuracies_add_up_to_little_more_than_the_hits(case, *, coefficient=Fraction(1), update=lower_right):
    """Right side minus left side of Equation 6 for the worst example."""
    return regret_margin(case, coefficient, update)


accuracies_add_up_to_little_more_than_the_hits.mutant("η/16 in place of η", coefficient=Fraction(1, 16))
accuracies_add_up_to_little_more_than_the_hits.mutant("no ηT", coefficient=Fraction(0))
accuracies_add_up_to_little_more_than_the_hits.mutant("wrong examples lose weight", update=lower_wrong)
