"""Remark after Theorem 5 (comparison of bounds), Section 4.2, Brukhim, Daniely, Mansour & Moran 2023."""

from typing import NamedTuple

import sympy as sp

from boosttheory.claims import Claim, Reading, Verdict
from boosttheory.symbolic import Obligation, decide

LOCATOR = "after Theorem 5, Section 4.2"
d, k, x, w = sp.symbols("d k x w", positive=True)

claim = Claim(
    id="multiclass.thm5.remark",
    paper="brukhim2023",
    locator=f"{LOCATOR}; list of contributions, Section 1.1",
    title="an improved bound wherever the list size exceeds the dimension",
    statement=r"d<k,\text{ or }d\ll k\implies d^5k^4<d^{1.5}k^6",
    expect=Verdict.REFUTED,
    uses=("multiclass.thm5",),
    note="Section 1.1 says: where the list size is larger than the dimension; Section 4.2: where d ≪ k. The "
    "first is false at d = 4, k = 5. So is the second if it means d/k → 0: d = k^{3/4} gives d⁵k⁴ = "
    "k^{7.75}, above k^{7.125}. True if much smaller means d < k^{4/7}, see thm5.remark.threshold. Powers "
    "of ln m are left out on both sides.",
)
threshold = Claim(
    id="multiclass.thm5.remark.threshold",
    paper="brukhim2023",
    locator=LOCATOR,
    title="improved just below d = k^(4/7)",
    reading=Reading.CANONICAL,
    statement=r"d^5k^4<d^{1.5}k^6\iff d<k^{4/7}",
    expect=Verdict.PROVED_UP_TO_LISTED_STEPS,
    quantifiers={"x": sp.Interval(1, sp.oo), "w": sp.Interval.open(0, sp.oo)},
    uses=("multiclass.thm5",),
    repairs=("multiclass.thm5.remark",),
    note="The two bounds are equal on the curve d⁷ = k⁴.",
)


class Point(NamedTuple):
    """Dimension and list size, both fourth powers or so, for exact roots."""

    d: int
    k: int


# d < k, and d = k^{3/4}: the ratio d/k is 1/16, 1/256, 1/65536
CURVE = [Point(4, 5), *(Point(2 ** (3 * i), 2 ** (4 * i)) for i in (4, 8, 16))]


def squares(point, ours=(5, 4)):
    """Squares of the two bounds: d^10 k^8 and d^3 k^12."""
    return point.d ** (2 * ours[0]) * point.k ** (2 * ours[1]), point.d**3 * point.k**12


@claim.check("witness", scope="d = 4, k = 5; d = k^{3/4} for k = 2^16, 2^32, 2^64", over=CURVE)
def older_bound_over_the_new_one(point, *, ours=(5, 4)):
    """d³k¹² minus d¹⁰k⁸, the squares of the bounds."""
    new, old = squares(point, ours)
    return old - new


older_bound_over_the_new_one.rescue("d³k⁴ in place of d⁵k⁴", ours=(3, 4))


def below(point, exponents=(7, 4)):
    """d⁷ < k⁴."""
    return point.d ** exponents[0] < point.k ** exponents[1]


@threshold.check(
    "exhaustive",
    scope="d, k <= 60; points on and beside the curve d⁷ = k⁴; d = k^{3/4}",
    over=[
        *(Point(d, k) for d in range(1, 61) for k in range(1, 61)),
        *(Point(i**4 + j, i**7) for i in range(1, 9) for j in (-1, 0, 1) if i**4 + j > 0),
    ],
    replays=older_bound_over_the_new_one,
    relation="equivalence",
)
def better_just_below_the_threshold(point, *, exponents=(7, 4)):
    """Whether the new bound is smaller just when d⁷ < k⁴."""
    new, old = squares(point)
    return (new < old) == below(point, exponents)


better_just_below_the_threshold.mutant("d < k", exponents=(1, 1))
better_just_below_the_threshold.mutant("d < k^{1/2}", exponents=(2, 1))


@threshold.check(
    "symbolic",
    scope="every d = x⁴ >= 1 and k = x⁷w, w > 0",
    over=[
        Obligation("w >= 1: d^{1.5}k⁶ - d⁵k⁴ >= 0", {x: sp.Interval(1, sp.oo), w: sp.Interval(1, sp.oo)}, 1),
        Obligation(
            "w < 1: d⁵k⁴ - d^{1.5}k⁶ > 0 as x⁴⁸w⁴(1 - w²)",
            {x: sp.Interval(1, sp.oo), w: sp.Interval.open(0, 1)},
            -1,
        ),
    ],
    by_hand=(
        "every d >= 1 and k > 0 is of this form, and k⁴ > d⁷ just when w > 1",
        "strictness: 1 - w² is 0 at 1 alone",
    ),
)
def difference_of_the_bounds_along_the_curve(step, *, power=7):
    """The difference with x⁴ for d and x^power·w for k."""
    new, old = (x**4) ** 5 * (x**power * w) ** 4, (x**4) ** sp.Rational(3, 2) * (x**power * w) ** 6
    return decide(sp.expand(step.data * (old - new)), step.domain)


difference_of_the_bounds_along_the_curve.mutant("k = x⁶w", power=6)
difference_of_the_bounds_along_the_curve.mutant("k = x⁸w", power=8)
