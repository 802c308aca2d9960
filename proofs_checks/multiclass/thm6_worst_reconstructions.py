"""Theorem 6 at its worst (every reconstruction from one example), Brukhim, Daniely, Mansour & Moran 2023."""

from fractions import Fraction
from functools import cache
from typing import NamedTuple

from boosttheory.bounds import compression_error, compression_failure
from boosttheory.charts import Curve, tightness_chart
from boosttheory.claims import Claim, Reading, Verdict
from boosttheory.games import worst_compression

claim = Claim(
    id="multiclass.thm6.worst",
    paper="brukhim2023",
    locator="Theorem 6, Appendix B",
    title="how tight the compression bound is for r = 1",
    reading=Reading.CANONICAL,
    statement=r"\max_{\rho}\Pr_{S\sim\mathcal D^m}\left[\exists z\in S:\ \rho(z)\text{ is consistent with }"
    r"S,\ \mathrm{err}_{\mathcal D}(\rho(z))\ge\epsilon\right]\le m(1-\epsilon)^{m-1}",
    assumes=(
        r"\mathcal D\text{ is uniform on }N\text{ examples},\ \rho\text{ rebuilds a function from one}",
    ),
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("multiclass.thm6",),
    note="The largest probability over all reconstructions, exactly. The bound is attained for one draw at "
    "most: the union over the m examples counts samples several times.",
)


class Size(NamedTuple):
    """Number of equally likely examples, draws, and the error that counts as bad."""

    n_examples: int
    m: int
    level: Fraction


SIZES = [
    Size(count, m, Fraction(bad, count))
    for count in (2, 3, 4, 5)
    for m in (1, 2, 3, 5, 8, 13)
    for bad in range(1, count)
]


@cache
def worst(n_examples, m, level):
    """The largest probability, and the regions that reach it."""
    return worst_compression([Fraction(1, n_examples)] * n_examples, m, level)


def line(size):
    """One line of the table."""
    chance, regions = worst(*size)
    bound = compression_failure.exact(r=1, m=size.m, eps=size.level)
    return {
        "N": size.n_examples,
        "m": size.m,
        "ε": str(size.level),
        "worst probability": float(chance),
        "bound m(1-ε)^(m-1)": float(bound),
        "right on": " ".join(f"{region:0{size.n_examples}b}" for region in regions.values()),
    }


DELTA = Fraction(1, 20)


def chart():
    """Errors that the theorem promises and that occur, at δ = 1/20."""
    sizes = list(range(4, 41, 2))
    stated = [float(compression_error.value(r=1, m=m, delta=float(DELTA))) for m in sizes]
    reached = []
    for m in sizes:
        bad = [b for b in range(1, 5) if worst(5, m, Fraction(b, 5))[0] > DELTA]
        reached.append(max(bad, default=0) / 5)
    direct = [
        max(e / 200 for e in range(201) if e == 0 or m * (1 - e / 200) ** (m - 1) > DELTA) for m in sizes
    ]
    speaks = next(m for m in range(2, 100) if compression_error.value(r=1, m=m, delta=float(DELTA)) < 1)
    return tightness_chart(
        [
            Curve("stated", "(ln m + ln 1/δ)/(m − 1)", sizes, stated),
            Curve("repaired", "m(1 − ε)^(m − 1) = δ", sizes, direct),
            Curve("worst known", "worst reconstruction, 5 examples", sizes, reached),
        ],
        x="examples m",
        y="error exceeded with probability δ",
        caption=f"Theorem 6 for r = 1 and δ = {DELTA}: the promised error, the same before (1 − ε)^(m − 1) "
        "is bounded, and the largest error that some reconstruction on five equally likely examples reaches "
        "with a probability above δ.",
        vacuous=(0, speaks),
    )


@claim.check(
    "exhaustive",
    scope="2 to 5 equally likely examples, every reconstruction from one, m = 1, 2, 3, 5, 8, 13, every "
    "error; exact",
    over=SIZES,
    table=line,
    figure=chart,
)
def bound_less_the_worst_probability(size, *, sequences=1, spared=1):
    """m(1 - ε)^(m - 1) minus the largest probability of a consistent bad function."""
    return size.m**sequences * (1 - size.level) ** (size.m - spared) - worst(*size)[0]


bound_less_the_worst_probability.mutant("r ln m dropped", sequences=0)
bound_less_the_worst_probability.mutant("m in place of m - r", spared=0)
