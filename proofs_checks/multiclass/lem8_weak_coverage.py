"""Lemma 8 (d examples cover 1/(d+1)), Brukhim, Daniely, Mansour & Moran 2023."""

from fractions import Fraction

from boosttheory.charts import Curve, tightness_chart
from boosttheory.claims import Claim, Reading, Verdict
from boosttheory.concepts import full_class, hamming_ball, random_class, six_cycle, zero_and_singletons
from proofs_checks.multiclass.def7_k_ds_shattering import family_of
from proofs_checks.multiclass.lem7_leave_one_out import (
    Instance,
    measured,
    targets,
    uneven,
    uniform,
    weighted,
)

claim = Claim(
    id="multiclass.lem8",
    paper="brukhim2023",
    locator="Lemma 8, Appendix C.1",
    title="d examples cover 1/(d + 1) in expectation",
    reading=Reading.CANONICAL,
    statement=r"\mathbb E_{U\sim\mathcal D^d}\left[\Pr_{(x,y)\sim\mathcal "
    r"D}[y\in\mu^k_U(x)]\right]\ge\frac1{d+1}",
    assumes=(
        r"d=d^k_{DS}(\mathcal H)<\infty,\ S\text{ is }\mathcal H\text{-realizable, }\mathcal D\text{ "
        r"is over }S",
        r"\text{the orientation is a function of the multiset }\{x_1,\dots,x_d,x\}",
    ),
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("multiclass.lem6", "multiclass.lem7.symmetric"),
    note="Lemma 8 rests on Lemma 7, and like it needs one orientation for each multiset of points. It "
    "holds for d = 0, "
    "where no example is drawn and every list is right.",
)


def dimension(case):
    """The k-DS dimension."""
    return family_of(case.n_labels, case.rows).ds_dimension(case.k)


def wide():
    """Balls, boxes, the 6-cycle and random classes on more points."""
    import numpy as np

    rng = np.random.default_rng(8)
    made = [
        *((2, 1, zero_and_singletons(n)) for n in (5, 9)),
        *((2, 1, hamming_ball(n, 2)) for n in (4, 6)),
        (2, 1, full_class(2, 3)),
        (3, 1, full_class(3, 2)),
        (3, 2, full_class(3, 3)),
        (3, 1, six_cycle()),
        *((3, k, random_class(12, 4, 3, rng)) for k in (1, 2) for _ in range(4)),
        *((4, k, random_class(20, 4, 4, rng)) for k in (1, 2, 3) for _ in range(3)),
    ]
    return [
        Instance(n_labels, k, tuple(h), weighted(tuple(h)[i], weights(h.n_points)), 0)
        for n_labels, k, h in made
        for i in {0, len(h) // 2, len(h) - 1}
        for weights in (uniform, uneven)
    ]


def population():
    """All of them."""
    return [*targets(((2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (4, 1)), (0,)), *wide()]


def chart():
    """Least coverage of the cases over their dimension."""
    least: dict = {}
    for case in population():
        d = dimension(case)
        least[d] = min(least.get(d, 1), 1 - measured(case._replace(n=d))[0])
    sizes = sorted(least)
    return tightness_chart(
        [
            Curve("stated", "1/(d + 1)", sizes, [Fraction(1, d + 1) for d in sizes]),
            Curve("worst known", "Algorithm 5", sizes, [least[d] for d in sizes]),
        ],
        x="dimension d",
        y="expected coverage after d examples",
        caption="Lemma 8: the least coverage of Algorithm 5 among the cases of this check.",
    )


@claim.check(
    "exhaustive",
    scope="every class in [2]^3, [3]^2 and [4]^1 or smaller, up to symmetry, every member as the "
    "truth, uniform and "
    "uneven weights; balls, boxes, the 6-cycle and 17 random classes on up to 9 points; all samples of "
    "d examples",
    over=population,
    figure=chart,
)
def coverage_less_its_bound(case, *, fewer=0, share=lambda d: Fraction(1, d + 1)):
    """Expected coverage minus 1/(d+1), exactly."""
    d = dimension(case)
    error, _ = measured(case._replace(n=max(d - fewer, 0)))
    return 1 - error - share(d)


coverage_less_its_bound.mutant("1/d in place of 1/(d + 1)", share=lambda d: Fraction(1, max(d, 1)))
coverage_less_its_bound.mutant("d − 1 examples in place of d", fewer=1)
