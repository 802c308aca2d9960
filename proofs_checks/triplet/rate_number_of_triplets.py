"""How many triplets are needed (Sections 3.3 and 5), Perrot & von Luxburg 2019."""

import math
from functools import cache

import sympy as sp

from boosttheory import bounds
from boosttheory.charts import Curve, tightness_chart
from boosttheory.claims import Claim, Enclosure, Reading, Verdict
from boosttheory.symbolic import Obligation, decide, limit_of_power
from proofs_checks.triplet.ex1_abstention_limit import exponent_limits

n, p, m, k, x = sp.symbols("n p m k x")
t = sp.Symbol("t", positive=True)
tests = sp.Symbol("r", positive=True)
HALF, THRESHOLD = sp.Rational(1, 2), sp.Rational(3, 2)
UNDECIDED = Enclosure(-math.inf, math.inf)
SETTING = (r"C=n(n-1)/2\text{ distinct pairs},\ p=2n^k/n^3,\ \mathbb E|T|=n^k(1-1/n)",)
FAMILY = "Sections 3.3 and 5"


@cache
def limit_for_all(k, new):
    """Limit of the probability that all of ``new(n)`` test examples are abstained on; n is a power."""
    root = sp.Symbol("N", positive=True)
    size = root ** sp.Rational(k).q
    one = bounds.joint_abstention.expression(p=2 * size ** (k - 3), n=size, C=1, t=new(size))
    return sp.exp(sp.limit(size * (size - 1) / 2 * sp.log(one), root, sp.oo))


def as_many(size):
    """As many test examples as training examples."""
    return size


def single(size):
    """One test example."""
    return 1


def three(size):
    """Three test examples."""
    return 3


claim = Claim(
    id="triplet.rate",
    paper="perrot2019",
    locator=FAMILY,
    title="Below n√n triplets the classifier abstains on all the examples",
    statement=r"k<\tfrac32\implies\lim_{n\to\infty}\Pr[H(x)=\vartheta\text{ for all of }n\text{ test "
    r"examples }x]=1",
    assumes=SETTING,
    expect=Verdict.REFUTED,
    uses=("triplet.thm5.distinct",),
    note="The bottom line of Example 1, that the classifier abstains on all the examples when k < 3/2, "
    "read literally: on every one of as many test examples as there are training examples. Example 1"
    " is about one test example. The share of answered examples tends to 0 for k < 3/2, but their "
    "number, about 2n^(2k−2), grows for k > 1.",
)


@claim.check("witness", scope="k = 5/4, n test examples; the limit is exact", over=[sp.Rational(5, 4)])
def abstention_on_all_test_examples(k, *, new=as_many, below=0):
    """Limit of the probability minus 1."""
    return limit_for_all(k - below, new) - 1


abstention_on_all_test_examples.rescue("one test example", new=single)
abstention_on_all_test_examples.rescue("a fixed number of test examples, three", new=three)
abstention_on_all_test_examples.rescue("k lowered by a half, to 3/4", below=HALF)


def end_limits(k, new):
    """Limits of both ends of C u v <= −log(1 − u v)^C <= C u v/(1 − u v); v = u for n examples, r·p for r.

    u is the usefulness of a pair, v that of test examples; np/(1 + np) <= u <= min(1, np).
    """
    np_limit = limit_of_power(2, k - 2)
    if new == "n":
        power = limit_of_power(2, 2 * k - 2) if np_limit == 0 else limit_of_power(HALF, 2)
    else:
        power = limit_of_power(2 * new, 2 * k - 3) if np_limit == 0 else limit_of_power(new, k - 1)
    factor = 1 / (1 + np_limit) if np_limit != sp.oo else 1
    return power * factor**2, power


def stated(k, threshold, at):
    """1, a value at the threshold, 0; None if k lies on both sides."""
    difference = sp.simplify(k - threshold)
    if difference.is_zero:
        return at
    return sp.Integer(0) if difference.is_positive else sp.Integer(1) if difference.is_negative else None


BY_HAND = (
    "u v <= −log(1 − u v) <= u v/(1 − u v), and u v tends to 0 where the limit is not 0",
    "both ends have one limit, so what lies between them has it; 1 − 1/n tends to 1",
)

each = Claim(
    id="triplet.rate.each",
    paper="perrot2019",
    locator=FAMILY,
    title="A fixed number of test examples: threshold n√n",
    reading=Reading.CANONICAL,
    statement=r"\lim_{n\to\infty}\Pr[H\text{ abstains on }r\text{ given test examples}]=1,\ e^{-2r},\ 0"
    r"\quad\text{as }k<,=,>\tfrac32",
    assumes=(*SETTING, r"r\text{ fixed}"),
    expect=Verdict.PROVED_UP_TO_LISTED_STEPS,
    quantifiers={"k": sp.Interval.Ropen(0, 3)},
    uses=("triplet.ex1.squeeze", "triplet.thm5.distinct"),
    repairs=("triplet.rate",),
    note="What Example 1 gives: with fewer than order n√n triplets the classifier abstains on each test "
    "example with probability near 1, hence on almost all of them, and at k = 3/2 it answers a "
    "constant share.",
)

BANDS = [
    Obligation("k < 3/2", {k: sp.Interval.Ropen(0, THRESHOLD)}, THRESHOLD - t),
    Obligation("k = 3/2", {k: sp.FiniteSet(THRESHOLD)}, THRESHOLD),
    Obligation("3/2 < k < 2", {k: sp.Interval.open(THRESHOLD, 2)}, 2 - HALF / (1 + t)),
    Obligation("k = 2", {k: sp.FiniteSet(2)}, sp.Integer(2)),
    Obligation("2 < k < 3", {k: sp.Interval.open(2, 3)}, 3 - 1 / (1 + t)),
    Obligation("k = 17/12", {k: sp.FiniteSet(sp.Rational(17, 12))}, sp.Rational(17, 12)),
]


@each.check(
    "symbolic",
    scope="every k in [0, 3), every fixed number r of test examples",
    over=BANDS,
    relation="equivalence",
    by_hand=BY_HAND,
)
def limits_for_a_fixed_number(band, *, threshold=THRESHOLD, at=sp.exp(-2 * tests)):
    """Whether exp(−limit of either end) is the stated value, for every r."""
    value = stated(band.data, threshold, at)
    if value is None:
        return UNDECIDED
    return all(sp.simplify(sp.exp(-end) - value) == 0 for end in end_limits(band.data, tests))


limits_for_a_fixed_number.mutant("threshold 4/3", threshold=sp.Rational(4, 3))
limits_for_a_fixed_number.mutant("e⁻² for any number of test examples", at=sp.exp(-2))


@each.check(
    "exhaustive",
    scope="k = 5/4 (replayed), 1, 3/2, 7/4 and three test examples; limits of the logarithm by SymPy",
    over=[sp.Integer(1), THRESHOLD, sp.Rational(7, 4)],
    replays=abstention_on_all_test_examples,
    relation="equality",
)
def limits_for_three_test_examples(k, *, new=three, threshold=THRESHOLD):
    """Minus the distance between the limit and the stated value."""
    return -abs(limit_for_all(k, new) - stated(k, threshold, sp.exp(-6)))


limits_for_three_test_examples.mutant("n test examples", new=as_many)
limits_for_three_test_examples.mutant("threshold 5/4", threshold=sp.Rational(5, 4))


everyone = Claim(
    id="triplet.rate.all",
    paper="perrot2019",
    locator=FAMILY,
    title="As many test examples as training examples: threshold n",
    reading=Reading.CANONICAL,
    statement=r"\lim_{n\to\infty}\Pr[H\text{ abstains on all of }n\text{ test examples}]=1,\ e^{-2},\ 0"
    r"\quad\text{as }k<,=,>1",
    assumes=SETTING,
    expect=Verdict.PROVED_UP_TO_LISTED_STEPS,
    quantifiers={"k": sp.Interval.Ropen(0, 3)},
    uses=("triplet.ex1.squeeze", "triplet.thm5.distinct"),
    repairs=("triplet.rate",),
    note="Ours. Below order n triplets no test example is answered at all; between n and n√n almost none "
    "is. The probability is (1 − u²)^C, u = 1 − (1 − p)^n, since a pair must be useful and be asked "
    "about.",
)

ALL_BANDS = [
    Obligation("k < 1", {k: sp.Interval.Ropen(0, 1)}, 1 - t),
    Obligation("k = 1", {k: sp.FiniteSet(1)}, sp.Integer(1)),
    Obligation("1 < k < 2", {k: sp.Interval.open(1, 2)}, 2 - 1 / (1 + t)),
    Obligation("k = 2", {k: sp.FiniteSet(2)}, sp.Integer(2)),
    Obligation("2 < k < 3", {k: sp.Interval.open(2, 3)}, 3 - 1 / (1 + t)),
    Obligation("k = 5/4", {k: sp.FiniteSet(sp.Rational(5, 4))}, sp.Rational(5, 4)),
]


@everyone.check("symbolic", scope="every k in [0, 3)", over=ALL_BANDS, relation="equality", by_hand=BY_HAND)
def limits_for_all_test_examples(band, *, threshold=1, at=sp.exp(-2)):
    """Minus the distance between exp(−limit of either end) and the stated value."""
    value = stated(band.data, threshold, at)
    if value is None:
        return UNDECIDED
    return -max(abs(sp.exp(-end) - value) for end in end_limits(band.data, "n"))


limits_for_all_test_examples.mutant("threshold 3/2", threshold=THRESHOLD)
limits_for_all_test_examples.mutant("e⁻¹ at the threshold", at=sp.exp(-1))


def all_chart():
    """Abstention on all of n test examples over n."""
    sizes = [10.0**e for e in range(1, 9)]

    def together(exponent):
        return [
            float(
                bounds.joint_abstention.value(
                    p=bounds.availability.value(n=n, k=exponent), n=n, C=n * (n - 1) / 2, t=n
                )
            )
            for n in sizes
        ]

    return tightness_chart(
        [
            Curve("stated", "limit 1 for k = 5/4, as printed", sizes[::7], [1.0, 1.0]),
            Curve("repaired", "limit e⁻² for k = 1", sizes[::7], [math.exp(-2)] * 2),
            Curve("worst known", "k = 5/4", sizes, together(1.25)),
            Curve("worst known, repaired", "k = 1", sizes, together(1.0)),
            Curve("other", "k = 3/4", sizes, together(0.75)),
        ],
        x="training examples n, and as many test examples",
        y="probability to abstain on all",
        log_x=True,
        caption="The limits of abstention on all test examples, with n^k triplets and all pairs.",
    )


@everyone.check(
    "exhaustive",
    scope="k = 5/4 (replayed), 3/4, 1, 3/2; limits of the logarithm by SymPy",
    over=[sp.Rational(3, 4), sp.Integer(1), THRESHOLD],
    replays=abstention_on_all_test_examples,
    relation="equality",
    figure=all_chart,
)
def limits_for_all_test_examples_at_rational_points(k, *, threshold=1, new=as_many):
    """Minus the distance between the limit and the stated value."""
    return -abs(limit_for_all(k, new) - stated(k, threshold, sp.exp(-2)))


limits_for_all_test_examples_at_rational_points.mutant("threshold 3/2", threshold=THRESHOLD)
limits_for_all_test_examples_at_rational_points.mutant("three test examples", new=three)


never = Claim(
    id="triplet.rate.never",
    paper="perrot2019",
    locator=FAMILY,
    title="Above n√n triplets the classifier never abstains",
    statement=r"\lim_{n\to\infty}\Pr[H(x)=\vartheta\text{ for some of }n\text{ test examples "
    r"}x]=0\quad\text{if }k>\tfrac32",
    assumes=SETTING,
    expect=Verdict.PROVED_UP_TO_LISTED_STEPS,
    quantifiers={"k": sp.Interval.open(THRESHOLD, 3)},
    uses=("triplet.ex1.squeeze", "triplet.thm5.distinct"),
    note="The literal reading of never holds, by a union bound: n e^(−C n p²/(1 + np)) tends to 0, "
    "because the exponent is a positive power of n. At k = 3/2 itself a share e⁻² is abstained on, "
    "so k > 3/2 is needed, as the paper says, and order n√n is not enough. Distinct pairs of weight "
    "other than 0 are assumed; Algorithm 1 does not draw them all, see thm5.algorithm1.",
)


@never.check(
    "symbolic",
    scope="every k in (3/2, 3)",
    over=[band for band in BANDS if band.name in ("3/2 < k < 2", "k = 2", "2 < k < 3")],
    relation="equivalence",
    by_hand=("union bound over the test examples", "a positive power of n outgrows log n"),
)
def exponent_is_a_positive_power(band, *, beta=2, lower=0):
    """Whether the lower end C n p²/(1 + np), C ~ n^β/2, grows like a power of n."""
    return exponent_limits(band.data - lower, beta)[0] == sp.oo


exponent_is_a_positive_power.mutant("n/2 classifiers", beta=1)
exponent_is_a_positive_power.mutant("k lowered by a half", lower=HALF)


@never.check(
    "exhaustive",
    scope="k = 8/5, 7/4, 2, 5/2: limit of log n minus the lower end, by SymPy",
    over=[sp.Rational(8, 5), sp.Rational(7, 4), sp.Integer(2), sp.Rational(5, 2)],
    relation="equivalence",
)
def exponent_outgrows_the_logarithm(k, *, lower=0, share=1):
    """Whether log n − C n p²/(1 + np) tends to −∞."""
    k = k - lower
    root = sp.Symbol("N", positive=True)
    size = root**k.q
    number = (size * (size - 1) / 2) ** share
    end = bounds.abstention_exponent_lower.expression(p=2 * size ** (k - 3), n=size, C=number)
    return sp.limit(sp.log(size) - sp.simplify(end), root, sp.oo) == -sp.oo


exponent_outgrows_the_logarithm.mutant("k lowered by a quarter", lower=sp.Rational(1, 4))
exponent_outgrows_the_logarithm.mutant("one classifier", share=0)


needed = Claim(
    id="triplet.rate.needed",
    paper="perrot2019",
    locator=FAMILY,
    title="At least of order n√n triplets, for any algorithm",
    reading=Reading.CANONICAL,
    statement=r"\Pr[H(x)=\vartheta]\ge\exp\left(-\frac{2m^2}{n^2(n-1)(1-p)}\right),\qquad m=\mathbb "
    r"E|T|=p\,\frac{n^2(n-1)}2",
    assumes=(
        r"\text{each triplet is available with probability }p<1\text{, independently}",
        r"n\ge2",
    ),
    expect=Verdict.PROVED_UP_TO_LISTED_STEPS,
    quantifiers={"n": sp.Range(2, sp.oo), "p": sp.Interval.Ropen(0, 1)},
    uses=("triplet.ex1.squeeze", "triplet.thm4.adaptive"),
    note="Ours, and not asymptotic: to abstain with probability at most δ, any algorithm needs m ≥ "
    "n√((n−1)(1−p)ln(1/δ)/2) expected triplets. With p = 2n^k/n³ the mean is m = n^k(1 − 1/n): all n"
    " examples, references included, may be heads.",
)


@needed.check(
    "symbolic",
    scope="every n >= 2 and p in [0, 1)",
    over=[
        Obligation(
            "the upper end, with np for min(1, np), in terms of m",
            {n: sp.Range(2, sp.oo), p: sp.Interval.Ropen(0, 1)},
            "end",
        ),
        Obligation(
            "the mean number of triplets is n^k(1 − 1/n)",
            {n: sp.Range(2, sp.oo), k: sp.Interval(0, 3)},
            "mean",
        ),
    ],
    relation="equality",
    by_hand=(
        "Theorem 4 holds for any algorithm at C = n(n − 1)/2, and more pairs only lower the bound",
        "the squeeze of Example 1",
    ),
)
def number_of_triplets_in_the_exponent(step, *, factor=2, mean=lambda n, k: n**k * (1 - 1 / n)):
    """Minus the square of the difference between both forms."""
    if step.data == "mean":
        availability = bounds.availability.expression(n=n, k=k)
        difference = bounds.expected_triplets.expression(p=availability, n=n) - mean(n, k)
    else:
        number = bounds.expected_triplets.expression(p=p, n=n)
        end = bounds.abstention_exponent_upper.expression(n=n, p=p, C=n * (n - 1) / 2)
        end = end.replace(sp.Min, lambda *_: n * p)
        difference = end - factor * number**2 / (n**2 * (n - 1) * (1 - p))
    return decide(-(sp.simplify(difference) ** 2), step.domain)


number_of_triplets_in_the_exponent.mutant("1 in place of 2 in the exponent", factor=1)
number_of_triplets_in_the_exponent.mutant("mean n^k", mean=lambda n, k: n**k)
number_of_triplets_in_the_exponent.mutant(
    "mean without heads among the references", mean=lambda n, k: n**k * (1 - 1 / n) * (1 - 2 / n)
)


def chart():
    """Abstention over the mean number of triplets, 100 examples and all pairs."""
    size = 100
    shares = [2.0 * size ** (power / 10 - 3) for power in range(10, 21)]
    numbers = [float(bounds.expected_triplets.value(p=share, n=size)) for share in shares]
    found = [float(bounds.abstention.value(p=share, n=size, C=size * (size - 1) / 2)) for share in shares]
    bound = [
        math.exp(-2 * number**2 / (size**2 * (size - 1) * (1 - share)))
        for share, number in zip(shares, numbers, strict=True)
    ]
    return tightness_chart(
        [
            Curve("stated", "exp(−2m²/(n²(n − 1)(1 − p)))", numbers, bound),
            Curve("worst known", "all pairs", numbers, found),
        ],
        x="mean number m of triplets",
        y="probability to abstain",
        log_x=True,
        vacuous=(next(m for m, b in zip(numbers, bound, strict=True) if b < 1e-6), numbers[-1]),
        caption="How many triplets any algorithm needs, n = 100: the bound from below, and Equation 6 for "
        "all pairs, which no algorithm beats. Shaded: the bound is below 10⁻⁶.",
    )


@needed.check(
    "search",
    scope="n = 2, 3 with p = .1, .5, .9; n = 10, 10³, 10⁶ with p from 2/n³ to 2/n; float64",
    over=[
        (size, 2.0 * size ** (power - 3)) for size in (10.0, 1e3, 1e6) for power in (0.0, 1.0, 1.5, 1.6, 2.0)
    ]
    + [(size, share) for size in (2.0, 3.0) for share in (0.1, 0.5, 0.9)],
    figure=chart,
)
def exponential_of_the_number_of_triplets(case, *, factor=2.0):
    """Right side of Equation 6 with all pairs minus the exponential."""
    size, availability = case
    found = float(bounds.abstention.value(p=availability, n=size, C=size * (size - 1) / 2))
    number = float(bounds.expected_triplets.value(p=availability, n=size))
    return found - math.exp(-factor * number**2 / (size**2 * (size - 1) * (1 - availability))) + 1e-12


exponential_of_the_number_of_triplets.mutant("1 in place of 2 in the exponent", factor=1.0)
exponential_of_the_number_of_triplets.mutant("exponent without the square's factor", factor=0.5)
