"""Equations 33 to 36 (number of examples of the scheme), proof of Theorem 5, Brukhim et al. 2023."""

from fractions import Fraction
from functools import cache
from typing import NamedTuple

import sympy as sp

from boosttheory.charts import Curve, tightness_chart
from boosttheory.claims import Claim, Enclosure, Reading, Verdict
from boosttheory.oneinclusion import ceil_log
from boosttheory.symbolic import Obligation, decide
from proofs_checks.multiclass.lem9_preprocessing import log_twice

LOCATOR = "Equations 33 to 36, proof of Theorem 5, Appendix C"

claim = Claim(
    id="multiclass.eq33",
    paper="brukhim2023",
    locator=LOCATOR,
    title="number of examples, the sum as printed",
    statement=r"\sum_{j=2}^{p-k+1}r_j,\ r_j=4(p-j+1)d\cdot\lceil8(p-j+1)^2\ln(2m)\rceil,\text{ is what "
    r"Theorem 8 allots to the rounds }j=1,\dots,p-k\text{ of Algorithm 6}",
    assumes=(r"p=k\lceil(d+1)\ln(2m)\rceil",),
    expect=Verdict.REFUTED,
    uses=("multiclass.alg6", "multiclass.thm8"),
    note="A slip of one in the index. The rounds j = 1, ..., p − k start from p − j + 1 labels, p down to k "
    "+ 1, while the sum runs over p − 1 down to k: it leaves out the first and most expensive round. "
    "Algorithm 6 itself is right, and so is Eq 35.",
)
count = Claim(
    id="multiclass.eq33.count",
    paper="brukhim2023",
    locator=LOCATOR,
    title="number of examples, the sum over the rounds that are run",
    reading=Reading.CANONICAL,
    statement=r"r=qd+\sum_{P=k+1}^{p}4Pd\cdot\lceil8P^2\ln(2m)\rceil,\quad p=kq,\ q=\lceil(d+1)\ln(2m)\rceil",
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("multiclass.alg6", "multiclass.thm8"),
    repairs=("multiclass.eq33",),
    note="One round for each number of labels from p down to k + 1.",
)
bound = Claim(
    id="multiclass.eq33.bound",
    paper="brukhim2023",
    locator=LOCATOR,
    title="Equation 35",
    statement=r"qd+\sum_{P=k+1}^{p}4Pd\cdot\lceil8P^2\ln(2m)\rceil\le d(d+1)\ln(2m)+32d\ln(2m)p^4+p",
    assumes=(r"p=kq,\ q=\lceil(d+1)\ln(2m)\rceil,\ p\ge2",),
    expect=Verdict.PROVED_UP_TO_LISTED_STEPS,
    quantifiers={
        "d": sp.Range(1, sp.oo),
        "p": sp.Range(2, sp.oo),
        "L": sp.Interval(sp.Rational(69, 100), sp.oo),
    },
    uses=("multiclass.eq33.count",),
    note="Holds for the right sum too, as a sum of cubes is about a quarter of the fourth power. The "
    "rounding costs up to 2dp², more than the p that is added for it, and the slack pays. For d = 0 nothing "
    "is drawn.",
)
order = Claim(
    id="multiclass.eq33.order",
    paper="brukhim2023",
    locator=LOCATOR,
    title="Equation 36 with a constant",
    reading=Reading.CANONICAL,
    statement=r"d(d+1)\ln(2m)+32d\ln(2m)p^4+p\le4830\,d^5k^4\ln^5(2m)\quad(d,k,m\ge1)",
    assumes=(r"p=k\lceil(d+1)\ln(2m)\rceil",),
    expect=Verdict.PROVED_UP_TO_LISTED_STEPS,
    quantifiers={
        "d": sp.Range(1, sp.oo),
        "k": sp.Range(1, sp.oo),
        "L": sp.Interval(sp.Rational(69, 100), sp.oo),
    },
    uses=("multiclass.eq33.bound",),
    note="ln 2m for the printed ln m, which is 0 at m = 1. At d = 0 the right side is 0 and Eq 35 is p, so "
    "that the step from 35 to 36 needs d >= 1; the scheme itself needs no example then.",
)


class Parameters(NamedTuple):
    """List size, dimension, number of examples."""

    k: int
    d: int
    m: int

    @property
    def labels(self):
        """Number of labels p, with q rounded up."""
        return self.k * ceil_log(self.d + 1, self.m)


@cache
def round_cost(P, d, m):
    """Examples of the round that starts from P labels."""
    return 4 * P * d * ceil_log(8 * P * P, m)


def rounds_of_algorithm_6(case):
    """The labels that the rounds j = 1, ..., p - k start from."""
    return [case.labels - j + 1 for j in range(1, case.labels - case.k + 1)]


def sum_as_printed(case):
    """Rounds j = 2, ..., p - k + 1."""
    return [case.labels - j + 1 for j in range(2, case.labels - case.k + 2)]


def sum_over_the_rounds(case):
    """Labels P = k + 1, ..., p."""
    return list(range(case.k + 1, case.labels + 1))


def used(case, terms):
    """Examples of the rounds."""
    return sum(round_cost(P, case.d, case.m) for P in terms(case))


FIRST = [Parameters(1, 1, 1), Parameters(1, 1, 2), Parameters(2, 1, 10)]


@claim.check("witness", scope="k = 1, d = 1, m = 1 and 2; k = 2, d = 1, m = 10", over=FIRST)
def printed_sum_less_the_examples_of_the_rounds(case, *, terms=sum_as_printed):
    """The sum minus what the rounds j = 1, ..., p - k use when every subset has 4Pd examples."""
    return used(case, terms) - used(case, rounds_of_algorithm_6)


printed_sum_less_the_examples_of_the_rounds.rescue("P = k + 1, ..., p", terms=sum_over_the_rounds)


def grid():
    """Parameters from the smallest on."""
    return [
        Parameters(k, d, m)
        for k in (1, 2, 3)
        for d in range(4)
        for m in (1, 2, 3, 10, 100)
        if k * (d + 1) * m <= 600
    ]


@count.check(
    "exhaustive",
    scope="k <= 3, d <= 3, m in {1, 2, 3, 10, 100}",
    over=grid,
    replays=printed_sum_less_the_examples_of_the_rounds,
    relation="equality",
)
def sum_and_rounds(case, *, terms=sum_over_the_rounds):
    """Minus the distance between the sum and what the rounds use."""
    return -abs(used(case, terms) - used(case, rounds_of_algorithm_6))


sum_and_rounds.mutant("P = k, ..., p − 1, as printed", terms=sum_as_printed)
sum_and_rounds.mutant("P = k, ..., p", terms=lambda case: range(case.k, case.labels + 1))


@bound.check(
    "exhaustive",
    scope="k <= 3, d <= 3, m in {1, 2, 3, 10, 100}, p >= 2; ln 2m in interval arithmetic",
    over=lambda: [case for case in grid() if case.labels >= 2],
    table=lambda case: {
        **case._asdict(),
        "p": case.labels,
        "examples": ceil_log(case.d + 1, case.m) * case.d + used(case, sum_over_the_rounds),
    },
)
def equation_35_less_the_examples(case, *, power=4, factor=32):
    """Right side of Eq 35 minus r."""
    p, d = case.labels, case.d
    r = ceil_log(d + 1, case.m) * d + used(case, sum_over_the_rounds)
    return Enclosure(*(d * (d + 1) * log + factor * d * log * p**power + p - r for log in log_twice(case.m)))


equation_35_less_the_examples.mutant("p³ in place of p⁴", power=3)
equation_35_less_the_examples.mutant("8 in place of 32", factor=8)

d, k, p, L = sp.symbols("d k p L", positive=True)
LOG = sp.Interval(sp.Rational(69, 100), sp.oo)
BOX = {d: sp.Range(1, sp.oo), p: sp.Range(2, sp.oo), L: LOG}


@bound.check(
    "symbolic",
    scope="every d >= 1, p >= 2 and L = ln 2m >= 69/100",
    over=[
        Obligation(
            "4P(8P²L + 1) summed over P = 1, ..., p, and qd <= d(d+1)L + d, below the right side", BOX
        ),
    ],
    by_hand=(
        "⌈x⌉ <= x + 1, and the sum over P = k + 1, ..., p is at most that over P = 2, ..., p",
        "ΣP³ = (p(p+1)/2)², ΣP = p(p+1)/2",
        "ln 2 > 69/100",
    ),
)
def equation_35_for_every_d_p_and_m(obligation, *, power=4, factor=32):
    """Right side minus an upper bound on the left side."""
    cubes, firsts = (p * (p + 1) / 2) ** 2 - 1, p * (p + 1) / 2 - 1
    left = d * (d + 1) * L + d + 32 * d * L * cubes + 4 * d * firsts
    return decide(sp.expand(d * (d + 1) * L + factor * d * L * p**power + p - left), obligation.domain)


equation_35_for_every_d_p_and_m.mutant("p³ in place of p⁴", power=3)
equation_35_for_every_d_p_and_m.mutant("8 in place of 32", factor=8)


@order.check(
    "symbolic",
    scope="every d, k >= 1 and L = ln 2m >= 69/100",
    over=[
        Obligation(
            "7dL/2 >= (d+1)L + 1, which is at least q",
            {d: sp.Range(1, sp.oo), k: sp.Range(1, sp.oo), L: LOG},
            "q",
        ),
        Obligation(
            "with p <= 7kdL/2: Eq 35 <= 4830 d⁵k⁴L⁵",
            {d: sp.Range(1, sp.oo), k: sp.Range(1, sp.oo), L: LOG},
            "r",
        ),
    ],
    by_hand=("the right side of Eq 35 grows with p, and p = kq", "ln 2 > 69/100"),
)
def equation_36_with_its_constant(obligation, *, constant=4830, share=sp.Rational(7, 2)):
    """Each step, decided on its whole range."""
    most = share * k * d * L
    if obligation.data == "q":
        return decide(sp.expand(share * d * L - (d + 1) * L - 1 + 0 * k), obligation.domain)
    left = d * (d + 1) * L + 32 * d * L * most**4 + most
    return decide(sp.expand(constant * d**5 * k**4 * L**5 - left), obligation.domain)


equation_36_with_its_constant.mutant("3dL in place of 7dL/2", share=3)
equation_36_with_its_constant.mutant("4800 in place of 4830", constant=4800)


def chart():
    """Examples of Algorithm 6 over the size of the sample, for k = d = 1."""
    cases = [Parameters(1, 1, m) for m in (1, 2, 5, 10, 100, 1000, 10**4, 10**5, 10**6)]
    sizes, logs = [case.m for case in cases], [float(log_twice(case.m)[0]) for case in cases]
    examples = [ceil_log(2, case.m) + used(case, sum_over_the_rounds) for case in cases]
    before = [
        2 * log + 32 * log * case.labels**4 + case.labels for case, log in zip(cases, logs, strict=True)
    ]
    return tightness_chart(
        [
            Curve("stated", "4830 d⁵k⁴ ln⁵(2m), Equation 36", sizes, [4830 * log**5 for log in logs]),
            Curve("other", "Equation 35", sizes, before),
            Curve("worst known", "sum over the rounds", sizes, examples),
        ],
        x="examples m",
        y="examples kept",
        log_x=True,
        log_y=True,
        vacuous=(1, max(m for m, kept in zip(sizes, examples, strict=True) if kept >= m)),
        caption="Size of the compression of Algorithm 6 at k = d = 1. Everything here is larger than the "
        "sample: a compression to more than m examples says nothing.",
    )


@order.check(
    "exhaustive",
    scope="k <= 3, 1 <= d <= 3, m in {1, 2, 3, 10, 100}; k = 1, d = 30 and 60; ln 2m in interval arithmetic",
    over=lambda: [*(case for case in grid() if case.d), Parameters(1, 30, 1), Parameters(1, 60, 2)],
    figure=chart,
)
def equation_36_less_the_examples(case, *, constant=4830, power=5):
    """4830 d⁵k⁴ ln⁵(2m) minus the number of examples."""
    r = ceil_log(case.d + 1, case.m) * case.d + used(case, sum_over_the_rounds)
    return Enclosure(*(constant * case.d**power * case.k**4 * log**5 - r for log in log_twice(case.m)))


equation_36_less_the_examples.mutant("d² in place of d⁵", power=2)
equation_36_less_the_examples.mutant("100 in place of 4830", constant=Fraction(100))
