"""Lemma 11 (4pd examples cover 1 - 1/(4p)), Brukhim, Daniely, Mansour & Moran 2023."""

from fractions import Fraction
from typing import NamedTuple

import sympy as sp

from boosttheory.charts import Curve, tightness_chart
from boosttheory.claims import Claim, Reading, Verdict
from boosttheory.games import minimax_coverage
from boosttheory.symbolic import Obligation, decide
from proofs_checks.multiclass.def7_k_ds_shattering import family_of, orbits
from proofs_checks.multiclass.lem7_leave_one_out import Instance, measured, uniform, weighted
from proofs_checks.multiclass.lem8_weak_coverage import dimension

LOCATOR = "Lemma 11, Appendix C.2"
p, d = sp.symbols("p d", positive=True)

claim = Claim(
    id="multiclass.lem11",
    paper="brukhim2023",
    locator=LOCATOR,
    title="4pd examples cover 1 − 1/(4p) in expectation",
    reading=Reading.CANONICAL,
    statement=r"\mathbb E_{U\sim\mathcal D^{4pd}}\left[\Pr_{(x,y)\sim\mathcal "
    r"D}[y\in\mu^{p-1}_U(x)]\right]\ge1-\frac1{4p}",
    assumes=(
        r"\mathcal H\subseteq[p]^{\mathcal X},\ d^{p-1}_{DS}(\mathcal H)\le d,\ \mathcal D\text{ is "
        r"over an }\mathcal H"
        r"\text{-realizable set}",
        r"\text{the orientation is a function of the multiset }\{x_1,\dots,x_{4pd},x\}",
    ),
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("multiclass.lem7.symmetric", "multiclass.lem10.d"),
    note="True, though not by the argument given: see lem11.proof. Like Lemma 7 it needs one orientation for "
    "each multiset of points. The cases put weight near 1/(n + 1) "
    "on one point, "
    "where half of the bound M/(n + 1) is reached.",
)
proof = Claim(
    id="multiclass.lem11.proof",
    paper="brukhim2023",
    locator="proof of Lemma 11, Appendix C.2",
    title="Lemma 11 from Lemma 10",
    statement=r"\text{by Lemma 10 and Lemma 7 with }n=4pd:\quad\frac{M}{4pd+1}<\frac1{4p},\quad M=4(p-1)^2d",
    assumes=(r"p\ge2,\ d\ge1",),
    expect=Verdict.REFUTED,
    uses=("multiclass.lem7.symmetric", "multiclass.lem10"),
    note="The proof says that by Lemma 10 there is an orientation of out-degree at most d. Lemma 10 "
    "gives 4(p − 1)²d, "
    "with which the bound on the error is at least 1 from p = 3 on. With that constant 16p(p − 1)²d "
    "examples would be "
    "needed, and p^6 in Eq 35. Out-degree d is true, see lem10.d, and repairs the proof.",
)
repaired = Claim(
    id="multiclass.lem11.repaired",
    paper="brukhim2023",
    locator="proof of Lemma 11, Appendix C.2",
    title="Lemma 11 from out-degree d",
    reading=Reading.CANONICAL,
    statement=r"\frac1{4p}-\frac{d}{4pd+1}=\frac1{4p(4pd+1)}>0",
    expect=Verdict.PROVED,
    quantifiers={"p": sp.Range(2, sp.oo), "d": sp.Range(0, sp.oo)},
    uses=("multiclass.lem7.symmetric", "multiclass.lem10.d"),
    repairs=("multiclass.lem11.proof",),
    note="The arithmetic alone: with lem10.d in place of Lemma 10, Lemma 7 gives Lemma 11.",
)


def instances(boxes, most):
    """Every class in some boxes, k = p - 1, every member; weight 1/(n+1) on one point, or equal weights."""
    for n_labels, n_points in boxes:
        for rows, _ in orbits(n_labels, n_points):
            bare = Instance(n_labels, n_labels - 1, rows, (), 0)
            if not 0 < (size := dimension(bare)) <= most:
                continue
            n = 4 * n_labels * size
            light = Fraction(1, n + 1)
            rare = (
                (*((1 - light) / (n_points - 1) for _ in range(n_points - 1)), light) if n_points > 1 else ()
            )
            for h in rows:
                for weights in {uniform(n_points), rare or uniform(n_points)}:
                    yield bare._replace(weights=weighted(h, weights), n=n)


def chart():
    """Expected error over the number of labels, on a heavy and a light point."""
    labels, worst, best = [2, 3, 4, 5, 6], [], []
    for p in labels:
        rows, n = tuple((0, y) for y in range(p)), 4 * p
        weights = (1 - Fraction(1, n + 1), Fraction(1, n + 1))
        worst.append(max(measured(Instance(p, p - 1, rows, weighted(h, weights), n))[0] for h in rows))
        best.append(1 - minimax_coverage(family_of(p, rows), n, p - 1, weights).high)
    return tightness_chart(
        [
            Curve("stated", "1/(4p)", labels, [Fraction(1, 4 * p) for p in labels]),
            Curve("worst known", "Algorithm 5", labels, worst),
            Curve("best possible", "any rule", labels, best),
        ],
        x="labels p",
        y="expected error of lists of p − 1",
        caption="Lemma 11 for d = 1: a class with one free point of weight 1/(4p + 1), after 4p examples.",
    )


@claim.check(
    "exhaustive",
    scope="every class of dimension d >= 1 in [2]^2 and [3]^2 or smaller, and of dimension 1 in [2]^3, "
    "up to symmetry, "
    "every member as the truth, two distributions; all samples of 4pd examples",
    over=lambda: [*instances(((2, 1), (2, 2), (3, 1), (3, 2)), 2), *instances(((2, 3),), 1)],
    slow_over=lambda: [
        *instances(((2, 1), (2, 2), (3, 1), (3, 2), (4, 1), (4, 2)), 2),
        *instances(((2, 3),), 3),
    ],
    slow_scope="also every class in [4]^2 and [2]^3",
    figure=chart,
)
def coverage_less_its_bound(case, *, factor=4, fewer=1):
    """Expected coverage minus 1 - 1/(4p), exactly."""
    error, _ = measured(case._replace(n=case.n // fewer))
    return Fraction(1, factor * case.n_labels) - error


coverage_less_its_bound.mutant("1/(12p) in place of 1/(4p)", factor=12)
coverage_less_its_bound.mutant("pd/2 examples in place of 4pd", fewer=8)


class Constants(NamedTuple):
    """Number of labels and dimension."""

    p: int
    d: int


def from_lemma_10(p, d):
    """4(p-1)²d."""
    return 4 * (p - 1) ** 2 * d


def at_most_d(p, d):
    """The out-degree of lem10.d."""
    return d


def four_pd(p, d):
    """4pd examples."""
    return 4 * p * d


def enough_for_lemma_10(p, d):
    """16p(p-1)²d examples."""
    return 16 * p * (p - 1) ** 2 * d


@proof.check(
    "witness",
    scope="p = 2 to 5, d = 1",
    over=[Constants(p, 1) for p in (2, 3, 4, 5)],
    table=lambda case: {
        "p": case.p,
        "d": case.d,
        "examples 4pd": four_pd(*case),
        "allowed error 1/(4p)": str(Fraction(1, 4 * case.p)),
        "error bound with out-degree d": str(Fraction(case.d, four_pd(*case) + 1)),
        "with 4(p−1)²d": str(Fraction(from_lemma_10(*case), four_pd(*case) + 1)),
        "examples needed with 4(p−1)²d": enough_for_lemma_10(*case),
    },
)
def allowed_error_less_the_bound(case, *, degree=from_lemma_10, examples=four_pd):
    """1/(4p) minus M/(n+1)."""
    return Fraction(1, 4 * case.p) - Fraction(degree(*case), examples(*case) + 1)


allowed_error_less_the_bound.rescue("out-degree d", degree=at_most_d)
allowed_error_less_the_bound.rescue("16p(p − 1)²d examples", examples=enough_for_lemma_10)


@repaired.check(
    "exhaustive",
    scope="p = 2 to 12, d = 0 to 12; p = 2 to 5, d = 1",
    over=[Constants(p, d) for p in range(2, 13) for d in range(13)],
    replays=allowed_error_less_the_bound,
)
def allowed_error_less_the_bound_from_out_degree_d(case, *, degree=at_most_d, examples=four_pd):
    """1/(4p) minus d/(n+1)."""
    return Fraction(1, 4 * case.p) - Fraction(degree(*case), examples(*case) + 1)


allowed_error_less_the_bound_from_out_degree_d.mutant("4(p − 1)²d in place of d", degree=from_lemma_10)
allowed_error_less_the_bound_from_out_degree_d.mutant(
    "4pd − 2 examples", examples=lambda p, d: max(4 * p * d - 2, 0)
)


SPAN = {p: sp.Range(2, sp.oo), d: sp.Range(0, sp.oo)}


@repaired.check(
    "symbolic",
    scope="every p >= 2 and d >= 0",
    over=[Obligation("1/(4p) - d/(4pd+1) = 1/(4p(4pd+1))", SPAN)],
    relation="equality",
)
def allowed_error_less_the_bound_for_every_p_and_d(obligation, *, factor=4, share=1):
    """Minus the distance of 1/(4p) - d/(4pd+1) from a positive fraction."""
    gap = 1 / (4 * p) - share * d / (factor * p * d + 1)
    return decide(-sp.Abs(sp.cancel(gap - 1 / (4 * p * (4 * p * d + 1)))), obligation.domain)


allowed_error_less_the_bound_for_every_p_and_d.mutant("4(p − 1)²d in place of d", share=4 * (p - 1) ** 2)
allowed_error_less_the_bound_for_every_p_and_d.mutant("3pd examples", factor=3)
