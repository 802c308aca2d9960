"""Theorem 1 (number of oracle calls), Brukhim, Daniely, Mansour & Moran 2023."""

import math
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import numpy as np
import sympy as sp

from boosttheory.bounds import hint_length, oracle_calls, rounds
from boosttheory.charts import Curve, tightness_chart
from boosttheory.claims import Claim, Reading, Verdict
from boosttheory.recursive import recursive_boost
from boosttheory.symbolic import Obligation, decide

L, gamma = sp.symbols("L gamma", nonnegative=True)
BOX = {L: sp.Interval(0, sp.oo), gamma: sp.Interval.Lopen(0, 1)}

claim = Claim(
    id="multiclass.thm1.calls",
    paper="brukhim2023",
    locator="Theorem 1, Section 1.1",
    title="number of oracle calls",
    reading=Reading.CANONICAL,
    statement=r"p+(p-1)T\le\frac{8L^2+2L+1}{\gamma^3}=\tilde O(1/\gamma^3),\quad L=\ln m",
    assumes=(r"p=\lceil L/\gamma\rceil,\ T=\lceil8L/\gamma^2\rceil", r"m\ge2,\ 0<\gamma\le1"),
    expect=Verdict.PROVED_UP_TO_LISTED_STEPS,
    quantifiers={"L": sp.Interval(0, sp.oo), "gamma": sp.Interval.Lopen(0, 1)},
    uses=("multiclass.alg3",),
    note="The text's Õ hides ln^2 m. Counted on runs, the number is p + (p - 1)T exactly, less the rounds of "
    "the hint for which no example is left. thm2.fast needs O(ln^2 m/γ^2).",
)


class Run(NamedTuple):
    """Number of examples and edge."""

    m: int
    gamma: Fraction


RUNS = [
    Run(m, g)
    for m, g in (
        *((m, Fraction(1, 2)) for m in (2, 3, 5, 10, 50, 200)),
        *((m, Fraction(1, 4)) for m in (2, 3, 7)),
        (2, Fraction(1, 6)),
    )
]


@cache
def counted(case):
    """Count the calls of a run with a weak learner that is right on the first half of what is left."""
    y, calls = np.arange(case.m) % 3, 0

    def weak(weights, lists):
        nonlocal calls
        calls += 1
        if lists is not None:
            return y
        left = np.flatnonzero(weights)
        answer = (y + 1) % 3
        answer[left[: -(-len(left) // 2)]] = y[left[: -(-len(left) // 2)]]
        return answer

    run = recursive_boost(weak, y, 3, float(case.gamma))
    return calls, run.stages[0].rounds


def printed(p, T):
    """P + (p - 1)T."""
    return p + (p - 1) * T


def product_of_both(p, T):
    """P T."""
    return p * T


def without_hint(p, T):
    """(p - 1)T."""
    return (p - 1) * T


@claim.check(
    "exhaustive",
    scope="runs counted at m = 2 to 200, γ = 1/2, 1/4, 1/6; exact integers",
    over=RUNS,
    relation="equality",
)
def calls_counted_on_runs(case, *, formula=printed):
    """Minus the distance of the calls, and the rounds of the hint left out, from p + (p - 1)T."""
    p, T = hint_length(case.m, case.gamma), rounds("paper", case.m, 2, case.gamma)
    calls, hints = counted(case)
    return -abs(calls + (p - hints) - formula(p, T))


calls_counted_on_runs.mutant("p T", formula=product_of_both)
calls_counted_on_runs.mutant("the hint left out", formula=without_hint)


class Pair(NamedTuple):
    """Examples at γ = 1/10, and how many times fewer calls the fast schedule makes."""

    m: int
    times: int


@cache
def calls_of(schedule, m):
    """Count the calls of a run at γ = 1/10 with a weak learner that is right everywhere once it has lists."""
    y, calls = np.arange(m) % 3, 0

    def weak(weights, lists):
        nonlocal calls
        calls += 1
        # one tenth of what is left, so that the hint needs its rounds
        left = np.flatnonzero(weights)
        answer = y if lists is not None else (y + 1) % 3
        if lists is None:
            answer[left[: -(-len(left) // 10)]] = y[left[: -(-len(left) // 10)]]
        return answer

    recursive_boost(weak, y, 3, 0.1, schedule=schedule)
    return calls


@claim.check(
    "exhaustive",
    scope="runs at γ = 1/10 on 60 examples, all schedules side by side, counted",
    over=[Pair(60, 30)],
    slow_over=[Pair(60, 30), Pair(10**4, 40)],
    slow_scope="runs at γ = 1/10 on 60 and 10,000 examples, all schedules side by side, counted",
    relation="equivalence",
)
def schedules_counted_side_by_side(case, *, more=1, shortest="fast"):
    """Whether each schedule makes fewer calls than the one before, the last by the stated factor."""
    paper, constant, variance, fast = (
        calls_of(s, case.m) for s in ("paper", "constant", "variance", shortest)
    )
    return paper > constant > variance > fast and paper >= more * case.times * fast


schedules_counted_side_by_side.mutant("half as many again", more=Fraction(3, 2))
schedules_counted_side_by_side.mutant("the constant schedule as the shortest", shortest="constant")


def chart():
    """Calls over the edge, 10,000 examples."""
    edges, m = [Fraction(1, d) for d in (100, 50, 20, 10, 5, 3, 2)], 10**4
    log = math.log(m)
    return tightness_chart(
        [
            Curve("stated", "(8L² + 2L + 1)/γ³", edges, [(8 * log**2 + 2 * log + 1) / g**3 for g in edges]),
            Curve("worst known", "p + (p − 1)T", edges, [oracle_calls("paper", m, g) for g in edges]),
            Curve("repaired", "fast schedule", edges, [oracle_calls("fast", m, g) for g in edges]),
        ],
        x="edge γ",
        y="calls of the oracle",
        log_x=True,
        log_y=True,
        caption="Calls of Algorithm 3 on 10^4 examples: stated, counted, and those of the fast schedule.",
    )


@claim.check(
    "symbolic",
    scope="every L >= 0 and γ in (0, 1]",
    over=[Obligation("(L/γ + 1) + (L/γ)(8L/γ² + 1) <= (8L² + 2L + 1)/γ³", BOX)],
    by_hand=("⌈x⌉ <= x + 1 for p, T and p - 1 <= L/γ",),
    figure=chart,
)
def calls_are_of_order_ln2_m_over_gamma3(step, *, lead=sp.Integer(8), power=3):
    """The right side minus the left side."""
    left = (L / gamma + 1) + (L / gamma) * (8 * L / gamma**2 + 1)
    return decide((lead * L**2 + 2 * L + 1) / gamma**power - left, step.domain)


calls_are_of_order_ln2_m_over_gamma3.mutant("7 L² in place of 8 L²", lead=sp.Integer(7))
calls_are_of_order_ln2_m_over_gamma3.mutant("γ^-2 in place of γ^-3", power=2)
