"""Lemma 9 (pre-processing), Brukhim, Daniely, Mansour & Moran 2023."""

from fractions import Fraction
from functools import cache
from typing import NamedTuple

from boosttheory.bounds import ends, interval_arithmetic
from boosttheory.charts import Curve, tightness_chart
from boosttheory.claims import Claim, Enclosure, Reading, Verdict
from boosttheory.concepts import FiniteClass, full_class, hamming_ball, random_class, six_cycle
from boosttheory.oneinclusion import ceil_log, greedy_cover
from proofs_checks.multiclass.def7_k_ds_shattering import family_of, orbits

LOCATOR = "Lemma 9, Appendix C.1"
STATEMENT = (
    r"S\text{ of }m\text{ examples: some }\mu:\mathcal X\to\mathcal Y^p\text{ built by }\mathcal "
    r"L\text{ from }r=qd"
    r"\text{ of them is consistent with }S,\quad p=kq,\ q=(d+1)\ln(2m)"
)

claim = Claim(
    id="multiclass.lem9",
    paper="brukhim2023",
    locator=LOCATOR,
    title="lists of k(d + 1) ln 2m labels, numbers not rounded",
    statement=STATEMENT,
    assumes=(r"d^k_{DS}(\mathcal H)=d,\ S\text{ is }\mathcal H\text{-realizable}",),
    expect=Verdict.REFUTED,
    uses=("multiclass.lem8",),
    note="A matter of rounding alone. q is no integer; taken at its word the lemma fails in the most "
    "degenerate case only, d = 0 and m = 1, where a list of ln 2 labels holds none. Rounded up it is true "
    "(lem9.ceiling), and elsewhere even rounded down (lem9.floor).",
)
ceiling = Claim(
    id="multiclass.lem9.ceiling",
    paper="brukhim2023",
    locator=LOCATOR,
    title="lists of kq labels, q rounded up",
    reading=Reading.CANONICAL,
    statement=STATEMENT.replace(r"(d+1)\ln(2m)", r"\lceil(d+1)\ln(2m)\rceil"),
    assumes=claim.assumes,
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("multiclass.lem8",),
    repairs=("multiclass.lem9",),
    note="The greedy cover is run to the end, each step taking the best subset or the worst that the proof "
    "admits.",
)
floor = Claim(
    id="multiclass.lem9.floor",
    paper="brukhim2023",
    locator=LOCATOR,
    title="rounding down is enough",
    reading=Reading.CANONICAL,
    statement=r"d\ge1\text{ or }m\ge2:\quad\lfloor(d+1)\ln(2m)\rfloor\text{ subsets are enough}",
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("multiclass.lem8",),
    note="The worst cover takes ⌈left/(d + 1)⌉ of the examples left in each step. Between the steps it "
    "needs and q lies room for an integer: (d + 1) ln 2 > 1 for d >= 1. For d = 0 one step takes all. Not "
    "in the paper.",
)


@cache
def log_twice(m):
    """Rational ends of ln(2m)."""
    arithmetic = interval_arithmetic(192)
    return ends(arithmetic.log(arithmetic.convert(2 * m)))


class Covering(NamedTuple):
    """A class, a list size, a sample, and how the cover chooses among admissible subsets."""

    n_labels: int
    k: int
    rows: tuple[tuple[int, ...], ...]
    sample: tuple[tuple[int, int], ...]
    choose: str


@cache
def covered(case):
    """The class's dimension and the cover."""
    h = family_of(case.n_labels, case.rows)
    d = h.ds_dimension(case.k)
    return d, greedy_cover(h, case.sample, case.k, d, choose=case.choose)


def as_printed(m, d):
    """Rational ends of q = (d+1) ln 2m."""
    return tuple((d + 1) * end for end in log_twice(m))


def rounded_up(m, d):
    """The number q rounded up."""
    q = ceil_log(d + 1, m)
    return q, q


def room(case, steps):
    """Least of q minus subsets, kq minus the longest list, qd minus examples; −1 if an example is missed."""
    d, cover = covered(case)
    missed = any(y not in cover.lists[x] for x, y in case.sample)
    margins = [
        min(
            q - len(cover.subsets),
            case.k * q - max(map(len, cover.lists)),
            q * d - sum(map(len, cover.subsets)),
            -int(missed),
        )
        for q in steps(len(case.sample), d)
    ]
    return Enclosure(*margins)


SINGLE = Covering(1, 1, ((0,),), ((0, 0),), "best")


@claim.check("witness", scope="one function, one point, one example, k = 1", over=[SINGLE])
def room_in_the_printed_numbers(case, *, steps=as_printed):
    """Least of q minus subsets, kq minus the longest list, qd minus the examples used."""
    return room(case, steps)


room_in_the_printed_numbers.rescue("q rounded up", steps=rounded_up)


def coverings():
    """Small classes with every member as the truth; larger ones with some; both choices."""
    import numpy as np

    rng = np.random.default_rng(9)
    for n_labels, n_points in ((2, 1), (2, 2), (2, 3), (3, 1), (3, 2)):
        for rows, _ in orbits(n_labels, n_points):
            for h in rows:
                for k in range(1, n_labels):
                    yield Covering(n_labels, k, rows, tuple(enumerate(h)), "least")
    made = [
        (2, 1, hamming_ball(12, 1)),
        (2, 1, hamming_ball(7, 2)),
        (3, 1, full_class(3, 3)),
        (3, 2, full_class(3, 3)),
        (3, 1, six_cycle()),
        (4, 1, hamming_ball(8, 1, 4)),
        (2, 1, FiniteClass([[int(x >= t) for x in range(15)] for t in range(16)])),
        *((4, k, random_class(20, 7, 4, rng)) for k in (1, 2)),
        *((3, k, random_class(15, 8, 3, rng)) for k in (1, 2)),
    ]
    for n_labels, k, h in made:
        rows = tuple(h)
        for truth in (rows[0], rows[len(rows) // 2]):
            for choose in ("best", "least"):
                sample = tuple(enumerate(truth))
                yield Covering(n_labels, k, rows, sample, choose)
                yield Covering(n_labels, k, rows, (*sample[:1] * 4, *sample[1:]), choose)


@ceiling.check(
    "exhaustive",
    scope="every class in [2]^3 and [3]^2 or smaller, up to symmetry, every member as the truth, the "
    "whole domain as "
    "the sample; balls, boxes, thresholds, the 6-cycle and random classes on up to 15 points, an "
    "example repeated or "
    "not, best and least cover",
    over=coverings,
    replays=room_in_the_printed_numbers,
)
def room_in_the_numbers_rounded_up(case, *, steps=rounded_up):
    """Least of q minus subsets, kq minus the longest list, qd minus the examples used."""
    return room(case, steps)


room_in_the_numbers_rounded_up.mutant("q = d + 1", steps=lambda m, d: (d + 1, d + 1))
room_in_the_numbers_rounded_up.mutant(
    "q rounded down, minus 1", steps=lambda m, d: (int(as_printed(m, d)[0]) - 1,) * 2
)


@cache
def most_steps(m, d):
    """Steps of the cover that takes ⌈left/(d+1)⌉ of the examples left in each, all of them for d = 0."""
    steps = 0
    while m:
        m -= -(-m // (d + 1))
        steps += 1
    return steps


def rounded_down(m, d):
    """⌊(d+1) ln 2m⌋, certain as both ends of the interval agree."""
    low, high = (end.__floor__() for end in as_printed(m, d))
    if low != high:
        raise ArithmeticError(f"(d+1) ln 2m is too near an integer for m={m}, d={d}; raise the precision")
    return low


SIZES = [*range(1, 400), *(10**e for e in range(3, 13)), *(10**e + 1 for e in range(3, 13))]


def chart():
    """Subsets over the size of the sample, d = 3."""
    sizes = [1, 2, 3, 4, 6, 8, 10, 15, 20, 50, 100, 1000, 10**4, 10**5, 10**6]
    q = [float(as_printed(m, 3)[0]) for m in sizes]
    return tightness_chart(
        [
            Curve("stated", "(d + 1) ln 2m", sizes, q),
            Curve("worst known", "worst cover", sizes, [most_steps(m, 3) for m in sizes]),
        ],
        x="examples m",
        y="subsets of d examples",
        log_x=True,
        vacuous=(1, max(m for m, value in zip(sizes, q, strict=True) if value >= m)),
        caption="Lemma 9 at d = 3. Where (d + 1) ln 2m is at least m, a subset for each example would do.",
    )


@floor.check(
    "exhaustive",
    scope="d <= 30, m <= 400 and near powers of ten up to 10^12, except d = 0 and m = 1; the worst cover",
    over=[(m, d) for d in range(31) for m in SIZES if d or m > 1],
    figure=chart,
)
def subsets_less_the_steps_needed(case, *, steps=rounded_down):
    """⌊q⌋ minus the number of steps of the worst cover."""
    m, d = case
    return steps(m, d) - most_steps(m, d)


subsets_less_the_steps_needed.mutant("q = d + 1", steps=lambda m, d: d + 1)
subsets_less_the_steps_needed.mutant(
    "ln m in place of ln 2m", steps=lambda m, d: int((d + 1) * (log_twice(m)[0] - Fraction(6932, 10**4)))
)
