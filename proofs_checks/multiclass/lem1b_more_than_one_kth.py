"""Lemma 1, what its proof uses (more than T/k hits), Brukhim, Daniely, Mansour & Moran 2023."""

from fractions import Fraction
from functools import cache

import sympy as sp

from boosttheory.bounds import enclosure, ends, stated_rounds, stated_step
from boosttheory.claims import Claim, Reading, Verdict
from boosttheory.symbolic import Obligation, decide
from proofs_checks.multiclass.lem1a_remove_one_label import (
    ADVERSARY,
    BY_HAND,
    EDGE_RANGE,
    ORACLE,
    SLOW_ADVERSARY,
    UNIT,
    Run,
    certified,
    fewest,
    gamma,
    hits_of_an_example_right_early_and_wrong_late,
    more_settings,
    p,
    settings,
    spent,
    u,
)

claim = Claim(
    id="multiclass.lem1b",
    paper="brukhim2023",
    locator="Lemma 1, proof of the second part, Appendix A",
    title="every example is right in more than T/k rounds",
    reading=Reading.CANONICAL,
    statement=r"T\ge\frac{8\ln m}{\gamma^2},\ \eta=\sqrt{\frac{\ln m}{2T}}\ \Rightarrow\ H(x,y)>\frac "
    r"Tk\text{ for all }(x,y)\in S",
    assumes=(*ORACLE, r"T\ge1"),
    expect=Verdict.PROVED_UP_TO_LISTED_STEPS,
    quantifiers={"gamma": EDGE_RANGE},
    uses=("multiclass.alg1", "multiclass.lem1a.hoeffding"),
    note="All that the recursive booster needs of Lemma 1. It survives the wrong constant: 15γ/32 > 0. With "
    "T = 0, which m = 1 would allow, it says 0 > 0.",
)

# in units of the edge: what the regret leaves of 1/k + γ above 1/k must be positive, so at least 1/1000
STEPS = [
    Obligation("p(1 - p) <= 2c, c = 1/8", {p: UNIT}, lambda c, rounds: 2 * c - p * (1 - p)),
    Obligation(
        "(γ - ln(m)/(ηT) - cη)/γ > 0 for T >= 8 ln m/γ^2, u = √(8 ln m/T)/γ in [0, 1]",
        {gamma: EDGE_RANGE, u: UNIT},
        lambda c, rounds: sp.expand(1 - spent(1 / sp.sqrt(2), c, rounds) / gamma) - sp.Rational(1, 1000),
    ),
]


@claim.check(
    "symbolic",
    scope="the scalar steps of the proof, for every γ and every ratio ln m/T",
    over=STEPS,
    by_hand=("Hoeffding's lemma, see lem1a.hoeffding", *BY_HAND),
)
def steps_to_more_than_one_kth(step, *, curvature=sp.Rational(1, 8), rounds=8):
    """Each scalar step, decided on its whole range."""
    return decide(step.data(curvature, rounds), step.domain)


steps_to_more_than_one_kth.mutant("T >= ln m/(2γ^2)", rounds=sp.Rational(1, 2))
steps_to_more_than_one_kth.mutant("η/16 in place of η/8", curvature=sp.Rational(1, 16))


@cache
def shortened(run, divisor):
    """The same run with fewer rounds: ⌈8 ln m/(divisor γ²)⌉."""
    needed = enclosure(stated_rounds, 128, m=run.m, gamma=run.gamma) / divisor
    low, high = (-(-end // 1) for end in ends(needed))
    if low != high:
        raise ArithmeticError(f"the number of rounds of {run} is undecided at 128 bits")
    return Run(run.k, run.gamma, run.m, int(low))


@claim.check(
    "exhaustive",
    scope=ADVERSARY,
    over=settings,
    slow_over=more_settings,
    slow_scope=SLOW_ADVERSARY,
    replays=hits_of_an_example_right_early_and_wrong_late,
)
def hits_above_one_kth_under_the_adversary(run, *, divisor=1, level=Fraction(1)):
    """KH - T - 1 in whole numbers, with K the list length: at least 0 if H > T/k strictly."""
    if divisor != 1:
        run = shortened(run, divisor)
    if run.certificate:
        hits = certified(run.certificate).hits
    else:
        hits = fewest(run, stated_step, (("m", run.m), ("T", run.T)))
    return run.k * hits - level * run.T - 1


hits_above_one_kth_under_the_adversary.mutant("T = ⌈ln m/(2γ^2)⌉ with the stated η", divisor=16)
hits_above_one_kth_under_the_adversary.mutant("more than 4T/k", level=Fraction(4))
