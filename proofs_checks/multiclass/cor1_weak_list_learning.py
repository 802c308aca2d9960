"""Corollary 1 (weak list learning is list learning), Brukhim, Daniely, Mansour & Moran 2023."""

from fractions import Fraction
from math import floor
from typing import NamedTuple

import sympy as sp

from boosttheory.claims import Claim, Verdict
from boosttheory.symbolic import Obligation, decide
from proofs_checks.multiclass.thm4_list_boosting import best, printed

claim = Claim(
    id="multiclass.cor1",
    paper="brukhim2023",
    locator="Corollary 1, Section 4.1",
    title="weakly list learnable classes are list learnable",
    statement=r"\left(\forall\epsilon\ \exists k_0(\epsilon):\ \mathcal H\text{ is learnable up to }\epsilon"
    r"\text{ with }k_0(\epsilon)\text{-lists}\right)\Rightarrow\exists k:\ \mathcal H\text{ is }k\text{-list "
    r"PAC learnable}",
    assumes=(r"\text{each }\epsilon\text{ with some confidence }1-\delta_0>0",),
    expect=Verdict.PROVED_UP_TO_LISTED_STEPS,
    quantifiers={"kappa": sp.Interval(1, sp.oo)},
    uses=("multiclass.thm4.half", "multiclass.thm4.size"),
    note="One ε_0 is enough: with the printed size of Theorem 4 any below 1/2, k = 2k_0(1/4) for instance; "
    "with thm4.size any below 1, and the best k that it gives is the least of ⌊k_0(ε_0)/(1 - ε_0)⌋ over ε_0.",
)

kappa = sp.Symbol("kappa", positive=True)


@claim.check(
    "symbolic",
    scope="every k_0(1/4) >= 1",
    over=[Obligation("⌊k_0/(1 - 2/4)⌋ = 2k_0", {kappa: sp.Interval(1, sp.oo)})],
    by_hand=("Theorem 4 at ε_0 = 1/4, where it holds (thm4.half)",),
)
def lists_at_one_quarter_give_a_fixed_size(step, *, quarter=sp.Rational(1, 4)):
    """2k_0 minus the printed size before rounding."""
    return decide(2 * kappa - kappa / (1 - 2 * quarter), step.domain)


lists_at_one_quarter_give_a_fixed_size.mutant("ε_0 = 1/3", quarter=sp.Rational(1, 3))
lists_at_one_quarter_give_a_fixed_size.mutant("ε_0 = 3/10", quarter=sp.Rational(3, 10))


class Weakly(NamedTuple):
    """[K]^N, weakly learnable with k_0(ε_0) = ⌊(1 - ε_0)K⌋ + 1 labels, at most K."""

    K: int
    epsilon: Fraction

    @property
    def k0(self):
        """List size for coverage 1 - ε_0."""
        return min(self.K, floor((1 - self.epsilon) * self.K) + 1)


def classes(most):
    """K <= 9 and ε_0 on a grid."""
    grid = [Fraction(c, 24) for c in range(1, 24)]
    return [Weakly(K, epsilon) for K in range(2, 10) for epsilon in grid if epsilon < most]


@claim.check(
    "exhaustive", scope="[K]^N for K <= 9, ε_0 = 1/24, …, 23/24; exact", over=lambda: classes(Fraction(1))
)
def sharper_size_reaches_every_class(case, *, length=best):
    """⌊k_0(ε_0)/(1 - ε_0)⌋ minus K, the least size."""
    return length(case.k0, case.epsilon) - case.K


sharper_size_reaches_every_class.mutant("k_0(ε_0) itself", length=lambda k0, eps: k0)
sharper_size_reaches_every_class.mutant("one label fewer", length=lambda k0, eps: best(k0, eps) - 1)


@claim.check(
    "exhaustive", scope="[K]^N for K <= 9, ε_0 = 1/24, …, 11/24; exact", over=lambda: classes(Fraction(1, 2))
)
def printed_size_reaches_every_class(case, *, length=printed):
    """⌊k_0(ε_0)/(1 - 2ε_0)⌋ minus K."""
    return length(case.k0, case.epsilon) - case.K


printed_size_reaches_every_class.mutant("k_0(ε_0) itself", length=lambda k0, eps: k0)
printed_size_reaches_every_class.mutant("two labels fewer", length=lambda k0, eps: printed(k0, eps) - 2)
