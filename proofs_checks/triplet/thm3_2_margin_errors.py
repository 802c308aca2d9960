"""Theorem 3, part 2 (few training examples have a small margin), Perrot & von Luxburg 2019."""

from fractions import Fraction
from math import prod
from typing import NamedTuple

from boosttheory.charts import Curve, tightness_chart
from boosttheory.claims import Claim, Reading, Verdict
from boosttheory.exact_tripletboost import ExactRun, exp_score, normaliser, small_runs

claim = Claim(
    id="triplet.thm3.2",
    paper="perrot2019",
    locator="Theorem 3, part 2, Section 3.2",
    title="margins on the training set",
    reading=Reading.CANONICAL,
    statement=r"\Pr_{(x,y)\in S}[\theta_H(x,y)\le\theta]\le\frac{|\mathcal Y|}{2}\prod_{c=1}^{C}"
    r"Z_c\left(\frac{W_{c,+}+\frac1n}{W_{c,-}+\frac1n}\right)^{\theta/2}",
    assumes=(
        r"H\text{ is the output of Algorithm 1 after }C\text{ rounds on }S,T",
        r"\theta_H(x,y)=\tfrac12\Big(f(x,y)-\max_{l\ne y}f(x,l)\Big),"
        r"\quad f=\frac{\sum_c\alpha_ch_c}{\sum_c\alpha_c}",
        r"\sum_c\alpha_c>0",
    ),
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("triplet.alg1", "triplet.thm2"),
    note="The measure of confidence is inferred: the simple margin satisfies both parts of the theorem. "
    "If no classifier has a weight, the margin is undefined. With two labels, one round and every example "
    "right, there is equality at θ = 1. Both sides are raised to the denominator of θ: no root remains.",
)

THETAS = (Fraction(0), Fraction(1, 2), Fraction(1))


class MarginCase(NamedTuple):
    """A run and a margin θ."""

    run: ExactRun
    theta: Fraction


def runs_with_margins(thetas=THETAS):
    """Small runs with at least one weight, and θ on a grid."""
    for run in small_runs():
        if any(r.s != 1 for r in run.rounds):
            for theta in thetas:
                yield MarginCase(run, theta)


def share_of_small_margins(run, theta, inclusive=True):
    """P_S[θ_H <= θ], or with < in place of <=."""
    p, q = theta.numerator, theta.denominator
    scale = prod((r.s for r in run.rounds), start=Fraction(1)) ** (2 * p)
    small = 0
    for i, label in enumerate(run.y):
        own = exp_score(run, i, label)
        ratios = [(own / exp_score(run, i, other)) ** q for other in range(run.n_labels) if other != label]
        small += any(ratio <= scale if inclusive else ratio < scale for ratio in ratios)
    return Fraction(small, len(run.y))


def chart():
    """Bound and share over θ, for the run with errors that comes closest at each."""
    grid = [Fraction(c, 4) for c in range(5)]
    runs = [run for run in small_runs(((2, 2, 2), (3, 2, 1), (2, 3, 1))) if any(r.s != 1 for r in run.rounds)]

    def both(run, theta):
        bound = run.n_labels / 2 * prod(float(normaliser(r)) * float(r.s) ** theta for r in run.rounds)
        return bound, share_of_small_margins(run, theta)

    pairs = [[pair for run in runs if (pair := both(run, theta))[1]] for theta in grid]
    stated, found = zip(*(min(each, key=lambda pair: pair[0] - pair[1]) for each in pairs), strict=True)
    return tightness_chart(
        [
            Curve("stated", "(K/2)∏Z((W+ + 1/n)/(W− + 1/n))^(θ/2)", grid, stated),
            Curve("worst known", "closest small run", grid, found),
        ],
        x="margin θ",
        y="share of examples with a margin of at most θ",
        vacuous=(float(next((t for t, b in zip(grid, stated, strict=True) if b >= 1), 1)), 1),
        caption="Theorem 3, part 2: of all small runs in which some example has so small a margin, the one "
        "for which the bound is closest.",
    )


@claim.check(
    "exhaustive",
    scope="all runs with n <= 3, K <= 3, C <= 3 (n = 2) or C <= 2 (n = 3) that learn something, up to "
    "symmetry; θ in {0, 1/2, 1}",
    over=runs_with_margins,
    slow_scope="the same runs; θ in {0, 1/4, 1/3, 1/2, 2/3, 3/4, 1}",
    slow_over=lambda: runs_with_margins((*THETAS, *(Fraction(p, q) for q in (3, 4) for p in (1, q - 1)))),
    figure=chart,
)
def margin_bound(case, *, factor=Fraction(1, 2), exponent=Fraction(1), strict=False, z=normaliser):
    """Bound minus share, both to the power of the denominator of θ; (W+ + 1/n)/(W- + 1/n) is s²."""
    run, theta = case
    p, q = theta.numerator, theta.denominator
    product = prod((z(r) for r in run.rounds), start=Fraction(1)) * factor * run.n_labels
    growth = prod((r.s for r in run.rounds), start=Fraction(1)) ** int(p * exponent)
    margin = product**q * growth - share_of_small_margins(run, theta) ** q
    return Fraction(-1) if strict and margin == 0 else margin


margin_bound.mutant("exponent without the half, W+ and W- exchanged", exponent=Fraction(-2))
margin_bound.mutant("strict inequality in the conclusion", strict=True)
margin_bound.mutant("|Y|/3 in place of |Y|/2", factor=Fraction(1, 3))
margin_bound.mutant("no growth with θ", exponent=Fraction(0))
margin_bound.mutant("Z squared", z=lambda r: normaliser(r) ** 2)
