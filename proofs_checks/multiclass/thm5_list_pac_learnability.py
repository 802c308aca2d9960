"""Theorem 5 (classes of finite k-DS dimension are list PAC learnable), Brukhim et al. 2023."""

from typing import NamedTuple

import sympy as sp

from boosttheory.bounds import compression_error, enclosure, ends, interval_arithmetic
from boosttheory.claims import Claim, Enclosure, Verdict
from boosttheory.oneinclusion import ceil_log
from boosttheory.symbolic import Obligation, decide
from proofs_checks.multiclass.eq33_number_of_examples import Parameters, sum_over_the_rounds, used
from proofs_checks.multiclass.lem9_preprocessing import log_twice

s, L = sp.symbols("s L", positive=True)

claim = Claim(
    id="multiclass.thm5",
    paper="brukhim2023",
    locator="Theorem 5, Section 4.2; proof in Appendix C",
    title="classes of finite k-DS dimension are list PAC learnable",
    statement=r"\Pr_{(x,y)\sim\mathcal D}[\mu(x)\not\ni y]\le\tilde "
    r"O\left(\frac{d^5k^4+\log(1/\delta)}{m}\right)\quad "
    r"\text{with probability at least }1-\delta\text{ over }S\sim\mathcal D^m",
    assumes=(r"d^k_{DS}(\mathcal H)=d<\infty,\ \mathcal D\text{ is }\mathcal H\text{-realizable}",),
    expect=Verdict.PROVED_UP_TO_LISTED_STEPS,
    quantifiers={"s": sp.Interval(0, sp.Rational(1, 2)), "L": sp.Interval(1, sp.oo)},
    uses=(
        "multiclass.alg6",
        "multiclass.eq33.order",
        "multiclass.thm7",
        "multiclass.lem9.ceiling",
        "multiclass.thm8",
    ),
    note="With every constant written out the bound is (9660 d⁵k⁴ ln⁶(2m) + 2 ln(1/δ))/m for d >= 1: "
    "ln⁵ from the "
    "number of examples, one more from ln m in the compression bound. The bound is far from small "
    "samples: the "
    "table shows how many examples make it 1/10. For d = 0 no example is used and the error is 0.",
)


def compressed(k, d, size):
    """Number of examples r, with every number rounded up."""
    case = Parameters(k, d, size)
    return ceil_log(d + 1, size) * d + used(case, sum_over_the_rounds)


BOX = {s: sp.Interval(0, sp.Rational(1, 2)), L: sp.Interval(1, sp.oo)}


@claim.check(
    "symbolic",
    scope="every r = sm <= m/2 and r > m/2, every L = ln 2m >= 1",
    over=[
        Obligation("r <= m/2: 1/(m - r) <= 2/m, with r = sm", BOX, "half"),
        Obligation("r > m/2 and L >= 1: 2rL/m >= 1, so that the bound says nothing", BOX, "rest"),
        Obligation("twice 4830", BOX, "constant"),
    ],
    by_hand=(
        "Algorithm 6 returns lists that are consistent with S and are rebuilt from r of its examples: "
        "lem9.ceiling, "
        "thm8, alg6.dimension.inside, ds.monotone",
        "Theorem 7: a consistent k-list function rebuilt from r of m examples errs at most (r ln m + "
        "ln(1/δ))/(m - r)",
        "r <= 4830 d⁵k⁴ ln⁵(2m), see eq33.order; m = 1: the bound exceeds 1",
    ),
)
def steps_from_the_number_of_examples_to_the_error(step, *, twice=2, constant=9660):
    """Each scalar step, decided on its whole range."""
    if step.data == "half":
        return decide(twice - 1 / (1 - s) + 0 * L, step.domain)
    if step.data == "rest":
        return decide(twice * (s + sp.Rational(1, 2)) * L - 1, step.domain)
    return decide(sp.Integer(constant) - 4830 * 2 + 0 * (s + L), step.domain)


steps_from_the_number_of_examples_to_the_error.mutant("1 in place of 2", twice=1)
steps_from_the_number_of_examples_to_the_error.mutant("4830 in place of 9660", constant=4830)


class Sized(NamedTuple):
    """List size, dimension, number of examples, and the number of digits in δ = 10^-digits."""

    k: int
    d: int
    m: int
    digits: int


def sizes():
    """From the smallest samples to those for which the bound says something."""
    return [
        *(Sized(k, d, 10**power, 2) for k in (1, 2) for d in (1, 2, 3) for power in (0, 1, 3, 6, 9, 12, 15)),
        *(Sized(1, 20, 10**power, 2) for power in (15, 18)),
        *(Sized(1, 1, 10**15, digits) for digits in (3, 100, 10**4, 10**14)),
    ]


def confidence(digits):
    """Rational ends of ln(1/δ)."""
    arithmetic = interval_arithmetic(256)
    return tuple(digits * end for end in ends(arithmetic.log(arithmetic.convert(10))))


def guaranteed(case):
    """Rational ends of the compression bound with the exact r; 1 where r >= m."""
    size = compressed(case.k, case.d, case.m)
    if size >= case.m:
        return 1, 1
    plain = ends(enclosure(compression_error, r=size, m=case.m, delta=1))
    low, high = (
        end + sure / (case.m - size) for end, sure in zip(plain, confidence(case.digits), strict=True)
    )
    return min(low, 1), min(high, 1)


@claim.check(
    "exhaustive",
    scope="k <= 2, d <= 3 and d = 20, m from 1 to 10^18, ln(1/δ) up to 10^14 ln 10; the "
    "compression bound with the exact "
    "number of examples, in interval arithmetic",
    over=sizes,
    table=lambda case: {
        "k": case.k,
        "d": case.d,
        "m": f"{case.m:.0e}",
        "δ": f"1e-{case.digits}",
        "examples r": compressed(case.k, case.d, case.m),
        "guaranteed error": float(guaranteed(case)[1]),
    },
)
def bound_less_the_guaranteed_error(case, *, logs=6, dimensions=5, twice=2):
    """(9660 d⁵k⁴ ln⁶(2m) + 2 ln(1/δ))/m minus the compression bound."""
    bounds = [
        (9660 * case.d**dimensions * case.k**4 * log**logs + twice * sure) / case.m
        for log, sure in zip(log_twice(case.m), confidence(case.digits), strict=True)
    ]
    least, most = guaranteed(case)
    return Enclosure(bounds[0] - most, bounds[1] - least)


bound_less_the_guaranteed_error.mutant("ln² in place of ln⁶", logs=2)
bound_less_the_guaranteed_error.mutant("d in place of d⁵", dimensions=1)
bound_less_the_guaranteed_error.mutant("without ln(1/δ)", twice=0)
