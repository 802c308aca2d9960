"""Example 1 (limit of the abstention bound) and its extension to any C, Perrot & von Luxburg 2019."""

import math
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import sympy as sp

from boosttheory import bounds
from boosttheory.charts import Curve, tightness_chart
from boosttheory.claims import Claim, Enclosure, Reading, Verdict
from boosttheory.symbolic import Obligation, decide, limit_of_power

n, p, x, v, C, k, d = sp.symbols("n p x v C k d")
t = sp.Symbol("t", positive=True)
s = sp.Symbol("s", positive=True)
HALF = sp.Rational(1, 2)
THRESHOLD = sp.Rational(3, 2)
LOCATOR = "Example 1, Section 3.3"
UNDECIDED = Enclosure(-math.inf, math.inf)


squeeze = Claim(
    id="triplet.ex1.squeeze",
    paper="perrot2019",
    locator=LOCATOR,
    title="The abstention bound between two fractions",
    reading=Reading.CANONICAL,
    statement=r"\frac{Cnp^2}{1+np}\le-\log\left(1-p+p(1-p)^n\right)^C\le\frac{Cp\min(1,np)}{1-p}",
    assumes=(r"n\ge1,\ 0\le p<1,\ C\ge0",),
    expect=Verdict.PROVED_UP_TO_LISTED_STEPS,
    quantifiers={"n": sp.Range(1, sp.oo), "p": sp.Interval.Ropen(0, 1)},
    note="Ours. With p = 2n^k/n³ both ends are powers of n times a factor that tends to a constant, which"
    " gives every limit of Example 1 but one; the exception is k = 2, C = n/2.",
)

P, N = {p: sp.Interval.Ropen(0, 1)}, {n: sp.Range(1, sp.oo)}
STEPS = [
    Obligation("−log(1 − x) is at least x", {x: sp.Interval.Ropen(0, 1)}, "log below"),
    Obligation("−log(1 − x) is at most x/(1 − x)", {x: sp.Interval.Ropen(0, 1)}, "log above"),
    Obligation("1 − p is at most 1/(1 + p)", P, "inverse"),
    Obligation("Bernoulli for 1 + p, from n to n + 1", P | N, "plus"),
    Obligation("Bernoulli for 1 − p, from n to n + 1", P | N, "minus"),
    Obligation("p(1 − 1/(1 + np)) is the lower end", P | N, "lower end"),
    Obligation("pv/(1 − pv) is at most pv/(1 − p) for v <= 1", P | {v: sp.Interval(0, 1)}, "upper end"),
]


@squeeze.check(
    "symbolic",
    scope="every n >= 1, p in [0, 1) and C; seven scalar steps",
    over=STEPS,
    by_hand=(
        "induction on n in Bernoulli's inequality, both times from n = 1, where it is an equality",
        "the steps chained: x = p(1 − (1 − p)^n) with np/(1 + np) <= 1 − (1 − p)^n <= min(1, np)",
    ),
)
def squeeze_step(step, *, slack=1, below=1):
    """Each step as a difference that must not be negative."""
    expressions = {
        "log below": -sp.log(1 - x) - below * x,
        "log above": slack * x / (1 - x) + sp.log(1 - x),
        "inverse": 1 / (1 + p) - (1 - p),
        "plus": (1 + n * p) * (1 + p) - (1 + (n + 1) * p),
        "minus": (1 - n * p) * (1 - p) - (1 - (n + 1) * p),
        "lower end": p * (1 - 1 / (1 + n * p))
        - below * bounds.abstention_exponent_lower.expression(n=n, p=p, C=1),
        "upper end": slack * p * v / (1 - p) - p * v / (1 - p * v),
    }
    return decide(expressions[step.data], step.domain)


squeeze_step.mutant("upper end halved", slack=HALF)
squeeze_step.mutant("lower end raised by half", below=sp.Rational(3, 2))


class Place(NamedTuple):
    """n examples, C pairs, availability p."""

    n: int
    C: int
    p: Fraction


PLACES = [
    Place(size, pairs, Fraction(a, b))
    for size in (1, 2, 3, 10, 100)
    for pairs in (1, 45)
    for a, b in ((1, 1000), (1, 50), (1, 7), (1, 2), (9, 10))
]


def upper_end(place):
    """C p min(1, np)/(1 − p)."""
    return bounds.abstention_exponent_upper.exact(**place._asdict())


def lower_end(place):
    """C n p²/(1 + np)."""
    return bounds.abstention_exponent_lower.exact(**place._asdict())


def chart():
    """The bound and the two ends of the squeeze over n, at the threshold k = 3/2 with all pairs."""
    sizes = [10.0**e for e in (1, 1.5, 2, 2.5, 3, 3.5, 4, 5, 6)]
    places = [place_of(Sample(n, 1.5)) for n in sizes]

    def end(closed_form):
        return [math.exp(-float(closed_form.value(**place))) for place in places]

    return tightness_chart(
        [
            Curve("stated", "exp(−Cnp²/(1 + np)), from above", sizes, end(bounds.abstention_exponent_lower)),
            Curve(
                "repaired",
                "exp(−Cp min(1, np)/(1 − p)), from below",
                sizes,
                end(bounds.abstention_exponent_upper),
            ),
            Curve("worst known", "(1 − p + p(1 − p)^n)^C", sizes, [stable(place) for place in places]),
            Curve("other", "limit e⁻²", sizes[::8], [math.exp(-2)] * 2),
        ],
        x="examples n",
        y="probability to abstain",
        log_x=True,
        caption="Example 1 at its threshold k = 3/2 with all pairs: Equation 6, what squeezes it, and the "
        "limit.",
    )


@squeeze.check(
    "exhaustive",
    scope="50 places, n <= 100, C <= 45, 1/1000 <= p <= 9/10; 200-bit intervals",
    over=PLACES,
    figure=chart,
)
def both_ends(place, *, low=lower_end, high=upper_end):
    """The smaller of the two distances to the ends."""
    from mpmath.ctx_iv import MPIntervalContext

    iv = MPIntervalContext()
    iv.prec = 200
    value = bounds.abstention.exact(n=place.n, p=place.p, C=1)
    exponent = -place.C * iv.log(iv.mpf(value.numerator) / value.denominator)
    ends = [iv.mpf(end.numerator) / end.denominator for end in (low(place), high(place))]
    return min(Enclosure.of(exponent - ends[0]), Enclosure.of(ends[1] - exponent), key=lambda e: e.low)


both_ends.mutant("C n p² for the lower end", low=lambda q: q.C * q.n * q.p**2)
both_ends.mutant("1 − p left out of the upper end", high=lambda q: upper_end(q) * (1 - q.p))
both_ends.mutant("min(1, np) halved", high=lambda q: upper_end(q) / 2)


def exponent_limits(k, beta):
    """Limits of both ends of the squeeze for p = 2n^k/n³, k < 3, and C ~ n^β/2."""
    if limit_of_power(2, k - 3) != 0:
        raise ValueError(f"k={k}: p must tend to 0")
    np_limit = limit_of_power(2, k - 2)
    if np_limit == sp.oo:
        both = limit_of_power(1, beta + k - 3)
        return both, both
    lower = limit_of_power(2, beta + 2 * k - 5) / (1 + np_limit)
    return lower, (limit_of_power(2, beta + 2 * k - 5) if np_limit == 0 else limit_of_power(1, beta + k - 3))


@cache
def limit_at(k, beta, all_pairs=False):
    """Limit of the abstention bound at a rational point; n is a power, so that all exponents are whole."""
    k, beta = sp.Rational(k), sp.Rational(beta)
    root = sp.Symbol("N", positive=True)
    size = root ** sp.ilcm(k.q, beta.q)
    number = size * (size - 1) / 2 if all_pairs else size**beta / 2
    one = bounds.abstention.expression(p=2 * size ** (k - 3), n=size, C=1)
    return sp.exp(sp.limit(number * sp.log(one), root, sp.oo))


def side(k, threshold):
    """Sign of k − threshold, None if it is not the same throughout."""
    difference = sp.simplify(k - threshold)
    return (
        0 if difference.is_zero else 1 if difference.is_positive else -1 if difference.is_negative else None
    )


claim = Claim(
    id="triplet.ex1",
    paper="perrot2019",
    locator=LOCATOR,
    title="Limit of the abstention bound with all pairs",
    statement=r"\lim_{n\to\infty}\Pr_{(x,y)\sim\mathcal D_S}[H(x)=\vartheta]\ge\begin{cases}1&\text{if "
    r"}k<\frac32\\\exp(-2)&\text{if }k=\frac32\\0&\text{if }k>\frac32\end{cases}",
    assumes=(r"C=n(n-1)/2,\ p=2n^k/n^3,\ 0\le k<3",),
    expect=Verdict.PROVED_UP_TO_LISTED_STEPS,
    quantifiers={"k": sp.Interval.Ropen(0, 3)},
    uses=("triplet.ex1.squeeze", "triplet.thm4.adaptive", "triplet.thm5.distinct", "triplet.thm4.fixed"),
    note="The three values are limits of the right side of Equation 6, and of the probability itself "
    "under Theorem 5. At C = n(n − 1)/2 Equation 6 holds for every algorithm under independent "
    "availability, and a fixed number of triplets changes no limit, so Example 1 stands although "
    "Theorem 4 does not. The rate of convergence at k = 3/2 is √n: .156 at n = 200 for a limit of "
    ".135.",
)

BANDS = [  # t > 0 runs over the whole of each band
    Obligation("k < 3/2", {k: sp.Interval.Ropen(0, THRESHOLD)}, THRESHOLD - t),
    Obligation("k = 3/2", {k: sp.FiniteSet(THRESHOLD)}, THRESHOLD),
    Obligation("3/2 < k < 2", {k: sp.Interval.open(THRESHOLD, 2)}, 2 - HALF / (1 + t)),
    Obligation("k = 2", {k: sp.FiniteSet(2)}, sp.Integer(2)),
    Obligation("2 < k < 3", {k: sp.Interval.open(2, 3)}, 3 - 1 / (1 + t)),
    Obligation("k = 17/12", {k: sp.FiniteSet(sp.Rational(17, 12))}, sp.Rational(17, 12)),
]


def stated(k, threshold, at):
    """The three values of Example 1; None if k lies on both sides."""
    where = side(k, threshold)
    return None if where is None else {-1: sp.Integer(1), 0: at, 1: sp.Integer(0)}[where]


@claim.check(
    "symbolic",
    scope="every k in [0, 3), C = n(n − 1)/2 ~ n²/2",
    over=BANDS,
    relation="equality",
    by_hand=(
        "both ends of the squeeze have one limit, so what lies between them has it",
        "1 − 1/n tends to 1",
    ),
)
def limits_of_both_ends(band, *, threshold=THRESHOLD, at=sp.exp(-2)):
    """Minus the distance between exp(−limit of either end) and the stated value."""
    value = stated(band.data, threshold, at)
    if value is None:
        return UNDECIDED
    return -max(abs(sp.exp(-end) - value) for end in exponent_limits(band.data, 2))


limits_of_both_ends.mutant("e⁻¹ at the threshold", at=sp.exp(-1))
limits_of_both_ends.mutant("threshold 4/3", threshold=sp.Rational(4, 3))


@claim.check(
    "exhaustive",
    scope="k = 1, 17/12, 3/2, 7/4, 2; C = n(n − 1)/2; limits of the logarithm by SymPy",
    over=[sp.Rational(a, 12) for a in (12, 17, 18, 21, 24)],
    relation="equality",
)
def limits_at_rational_points(point, *, threshold=THRESHOLD, at=sp.exp(-2)):
    """Minus the distance between the limit and the stated value."""
    return -abs(limit_at(point, 2, True) - stated(point, threshold, at))


limits_at_rational_points.mutant("e⁻¹ at the threshold", at=sp.exp(-1))
limits_at_rational_points.mutant("threshold 4/3", threshold=sp.Rational(4, 3))
limits_at_rational_points.mutant("threshold 2", threshold=sp.Integer(2))


class Sample(NamedTuple):
    """A point of the curve."""

    n: float
    k: float


def stable(place):
    """The closed form as it is computed."""
    return float(bounds.abstention.value(**place))


def direct(place):
    """The closed form as it is printed."""
    return (1 - place["p"] + place["p"] * (1 - place["p"]) ** place["n"]) ** place["C"]


def place_of(sample):
    """Arguments of the closed forms."""
    return {
        "p": float(bounds.availability.value(n=sample.n, k=sample.k)),
        "n": sample.n,
        "C": sample.n * (sample.n - 1) / 2,
    }


@claim.check(
    "search",
    scope="n = 10², 10⁴, …, 10¹², k = 1, 1.4, 1.5, 1.6, 2; float64 to one part in 10⁹",
    over=[Sample(10.0**e, exponent) for exponent in (1.0, 1.4, 1.5, 1.6, 2.0) for e in (2, 4, 6, 8, 10, 12)],
    table=lambda sample: {**sample._asdict(), "abstention": stable(place_of(sample))},
)
def curve_between_both_ends(sample, *, evaluate=stable, shift=0.0):
    """Distance of the curve from exp(−end), relative, plus what rounding may cost."""
    place = place_of(sample) | {"p": float(bounds.availability.value(n=sample.n, k=sample.k + shift))}
    found = evaluate(place)
    ends = place_of(sample)
    high = math.exp(-float(bounds.abstention_exponent_lower.value(**ends)))
    low = math.exp(-float(bounds.abstention_exponent_upper.value(**ends)))
    return min(high * (1 + 1e-9) - found, found * (1 + 1e-9) - low)


curve_between_both_ends.mutant("computed as printed, which loses all digits", evaluate=direct)
curve_between_both_ends.mutant("k moved by a tenth", shift=0.1)


general = Claim(
    id="triplet.ex1.general",
    paper="perrot2019",
    locator="Example 1, Section 3.3, extended to C = n^β/2",
    title="Limit of the abstention bound for any number of classifiers",
    reading=Reading.CANONICAL,
    statement=r"\lim_{n\to\infty}\left(1-p+p(1-p)^n\right)^C=\begin{cases}1&k<k^*\\"
    r"e^{-2},\ e^{-(1-e^{-2})},\ e^{-1}&k=k^*<2,\ k=k^*=2,\ k=k^*>2\\0&k>k^*\end{cases},\qquad "
    r"k^*=\max\left(\tfrac{5-\beta}2,3-\beta\right)",
    assumes=(r"C=n^\beta/2\ge1,\ 0<\beta\le2,\ p=2n^k/n^3,\ 0\le k<3",),
    expect=Verdict.PROVED_UP_TO_LISTED_STEPS,
    quantifiers={"k": sp.Interval.Ropen(0, 3), "d": sp.Interval(-sp.oo, sp.oo)},
    uses=("triplet.ex1.squeeze",),
    note="Ours; the paper defers its extension of Example 1 to a longer version. d is the distance of β "
    "from the boundary, which is β = 5 − 2k for k < 2, β = 1 for k = 2, β = 3 − k for k > 2. Few "
    "triplets and few classifiers both lead to abstention, and which one matters changes at k = 2, "
    "where a pair has about two training triplets.",
)


def boundary(k, beta, shift=0, pick=sp.Max):
    """Sign of k − k*."""
    return side(k, pick((5 - beta + shift) / 2, 3 - beta))


def regime(k, beta, middle, shift=0, pick=sp.Max):
    """The limit as stated."""
    where = boundary(k, beta, shift, pick)
    return {-1: sp.Integer(1), 0: middle(k), 1: sp.Integer(0)}[where]


def at_boundary(k):
    """Value on the boundary."""
    return sp.exp({-1: -2, 0: -(1 - sp.exp(-2)), 1: -1}[side(k, 2)])


def cells():
    """Bands of k by sides of the boundary; β = boundary + d."""
    bands = [
        (sp.Interval.Ropen(0, 2), 2 - t, lambda k: 5 - 2 * k),
        (sp.FiniteSet(2), sp.Integer(2), lambda k: 1),
        (sp.Interval.open(2, 3), 3 - 1 / (1 + t), lambda k: 3 - k),
    ]
    sides = [
        (sp.Interval.open(-sp.oo, 0), -s),
        (sp.FiniteSet(0), sp.Integer(0)),
        (sp.Interval.open(0, sp.oo), s),
    ]
    return [
        Obligation(f"k in {band}, d in {values}", {k: band, d: values}, (at, line(at) + offset, offset))
        for band, at, line in bands
        for values, offset in sides
    ]


@general.check(
    "symbolic",
    scope="every k in [0, 3) and every β, in nine cells",
    over=cells,
    relation="equality",
    by_hand=("both ends of the squeeze have one limit, so what lies between them has it",),
)
def limits_in_every_cell(cell, *, middle=at_boundary, below=1):
    """Minus the distance between the limit in a cell and the stated value."""
    at, beta, offset = cell.data
    value = {-1: sp.Integer(below), 0: middle(at), 1: sp.Integer(0)}[side(offset, 0)]
    low, high = exponent_limits(at, beta)
    if low != high:
        return -abs(sp.simplify(limit_at(at, beta) - value))
    return -abs(sp.exp(-low) - value)


limits_in_every_cell.mutant("e⁻² on the whole boundary", middle=lambda k: sp.exp(-2))
limits_in_every_cell.mutant("limit 0 below the boundary", below=0)


GRID = [
    (sp.Rational(a, 4), sp.Rational(b, 2))
    for a, b in ((6, 4), (7, 4), (6, 3), (7, 3), (7, 2), (8, 2), (9, 2), (9, 1), (10, 1), (11, 1))
]
FULL_GRID = [(sp.Rational(a, 4), sp.Rational(b, 2)) for a in range(12) for b in range(1, 5)]


@general.check(
    "exhaustive",
    scope="10 points (k, β) on and around the boundary; limits of the logarithm by SymPy",
    over=GRID,
    slow_over=FULL_GRID,
    slow_scope="48 points (k, β), k = 0, 1/4, …, 11/4, β = 1/2, 1, 3/2, 2; limits of the logarithm by SymPy",
    relation="equality",
)
def limits_around_the_boundary(point, *, shift=0, pick=sp.Max, middle=at_boundary):
    """Minus the distance between the limit and the stated value."""
    return -abs(sp.simplify(limit_at(*point) - regime(point[0], point[1], middle, shift, pick)))


limits_around_the_boundary.mutant("boundary 2k + β = 4", shift=-1)
limits_around_the_boundary.mutant("the smaller of the two lines", pick=sp.Min)
limits_around_the_boundary.mutant("e⁻² on the whole boundary", middle=lambda k: sp.exp(-2))
