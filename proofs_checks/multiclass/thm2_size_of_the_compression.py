"""Theorem 2 (size of the compression, Equation 5), Brukhim, Daniely, Mansour & Moran 2023."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import numpy as np

from boosttheory.bounds import compression_size, hint_length, rounds
from boosttheory.claims import Claim, Reading, Verdict
from boosttheory.compression import compress, reconstruct
from boosttheory.recursive import recursive_boost
from boosttheory.weak_learners import SampledOracle, finite_learner, stump_learner

claim = Claim(
    id="multiclass.thm2.size",
    paper="brukhim2023",
    locator="Equation 5, proof of Theorem 2, Section 5",
    title="size of the compression",
    reading=Reading.CANONICAL,
    statement=r"\bar H=\rho(S'),\quad|S'|=r=(p-1)\,T\,m_0+p\,m_0",
    assumes=(r"\text{the weak learner is a fixed map from }m_0\text{ examples and their lists}",),
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("multiclass.alg3", "multiclass.thm1.calls"),
    note="S' is a sequence: order and repetitions count. A stage needs the examples of all stages before it, "
    "which rebuild its lists, but no copies of them. Rounds of the hint for which no example is left store "
    "nothing.",
)


class Run(NamedTuple):
    """Examples, edge, m0 and schedule."""

    m: int
    gamma: Fraction
    m0: int
    schedule: str


RUNS = [
    Run(m, gamma, m0, schedule)
    for m, gamma in ((4, Fraction(1, 5)), (6, Fraction(1, 5)), (9, Fraction(1, 4)))
    for m0 in (1, 3)
    for schedule in ("fast", "paper")
] + [Run(6, Fraction(1, 10), 2, "fast")]


@cache
def stored(case):
    """Run with a class of functions, each wrong on a third of the points, and count what is stored."""
    m, gamma, m0, schedule = case
    points, y = np.arange(m), np.arange(m) % 3
    table = np.stack([np.where(points % 5 == i, (y + 1) % 3, y) for i in range(5)])
    weak = SampledOracle(
        finite_learner(table), points, y, 3, float(gamma), m0, np.random.default_rng(m), attempts=1
    )
    run = recursive_boost(weak, y, 3, float(gamma), X=points, schedule=schedule, strict=False)
    return compress(run, weak).size, run.stages[0].rounds


def as_printed(p, T, m0):
    """(p - 1) T m0 + p m0."""
    return (p - 1) * T * m0 + p * m0


def without_hint(p, T, m0):
    """(p - 1) T m0."""
    return (p - 1) * T * m0


def one_stage_more(p, T, m0):
    """P T m0 + p m0."""
    return p * T * m0 + p * m0


@claim.check(
    "exhaustive",
    scope="finite classes, m = 4 to 9, γ = 1/4, 1/5, 1/10, m0 = 1, 2, 3; examples counted, exact integers",
    over=RUNS,
    relation="equality",
)
def examples_stored_by_a_run(case, *, formula=as_printed):
    """Minus the distance of the examples counted, and of those left out of the hint, from the formula."""
    m, gamma, m0, schedule = case
    p, (size, hints) = hint_length(m, gamma), stored(case)
    if schedule == "paper":
        expected = formula(p, rounds("paper", m, 2, gamma), m0)
    else:
        total = sum(rounds(schedule, m, k, gamma) for k in range(2, p + 1))
        expected = Fraction(formula(p, Fraction(total, p - 1), m0))
    return -abs(size + (p - hints) * m0 - expected)


examples_stored_by_a_run.mutant("p m0 left out", formula=without_hint)
examples_stored_by_a_run.mutant("p stages", formula=one_stage_more)


@claim.check(
    "exhaustive",
    scope="the library's formula at m = 2 to 10^9, γ = 1/2 to 1/100, m0 = 1, 7",
    over=lambda: [
        Run(m, Fraction(1, d), m0, "paper")
        for m in (2, 10, 10**4, 10**9)
        for d in (2, 5, 100)
        for m0 in (1, 7)
    ],
    relation="equality",
)
def formula_of_the_library(case, *, formula=as_printed):
    """Minus the distance of compression_size from the printed r."""
    m, gamma, m0, schedule = case
    return -abs(
        compression_size(schedule, m, gamma, m0)
        - formula(hint_length(m, gamma), rounds(schedule, m, 2, gamma), m0)
    )


formula_of_the_library.mutant("p m0 left out", formula=without_hint)
formula_of_the_library.mutant("p stages", formula=one_stage_more)


class Replay(NamedTuple):
    """A run on points of the plane, and how it starts."""

    seed: int
    hint: bool
    schedule: str


@cache
def played(case):
    """Boost trees on three clusters; return the run, its compression, and points off the sample."""
    rng = np.random.default_rng(case.seed)
    y = np.arange(30) % 3
    X = 3.0 * np.eye(3, 2)[y] + rng.standard_normal((30, 2))
    weak = SampledOracle(stump_learner(3, 2), X, y, 3, 0.25, 8, rng, attempts=20)
    run = recursive_boost(
        weak, y, 3, 0.25, X=X, schedule=case.schedule, hint=case.hint, strict=False, budget=150
    )
    return run, compress(run, weak), np.vstack([X, 4.0 * rng.standard_normal((200, 2))])


def everything(compression):
    """All r examples."""
    return compression


def stages_alone(compression):
    """The examples of the stages, (p - 1)T m0; those of the hint are replaced by the first example."""
    held = sum(compression.call_sizes[: compression.stages[0][1]])
    X, y = compression.X.copy(), compression.y.copy()
    X[:held], y[:held] = X[0], y[0]
    return replace(compression, X=X, y=y)


def last_stage(compression):
    """The last T m0 examples; all others are replaced by the first example."""
    held = len(compression.y) - sum(compression.call_sizes[-compression.stages[-1][1] :])
    X, y = compression.X.copy(), compression.y.copy()
    X[:held], y[:held] = X[0], y[0]
    return replace(compression, X=X, y=y)


@claim.check(
    "search",
    scope="trees on three clusters, 30 examples and 200 points off the sample, with and without a hint",
    over=[Replay(0, True, "fast"), Replay(1, True, "paper"), Replay(2, False, "fast")],
    relation="equivalence",
)
def lists_rebuilt_from_their_examples(case, *, sent=everything):
    """Whether the function rebuilt from the examples has the same lists on and off the sample."""
    run, compression, points = played(case)
    again = reconstruct(sent(compression), stump_learner(3, 2))
    same = all((a == b).all() for a, b in zip(again.history(points), run.model.history(points), strict=True))
    return same and bool((again.lists(points[:30]) == run.lists).all())


lists_rebuilt_from_their_examples.mutant("without the examples of the hint", sent=stages_alone)
lists_rebuilt_from_their_examples.mutant("from the last T m0 examples alone", sent=last_stage)
