"""Theorem 4 (lower bound on the probability that a strong classifier abstains), Perrot & von Luxburg 2019."""

from fractions import Fraction
from functools import cache
from itertools import product
from math import comb
from typing import NamedTuple

import sympy as sp

from boosttheory import bounds
from boosttheory.abstention import abstention_polynomial, fixed_number_abstention, simulate_abstentions
from boosttheory.charts import Curve, tightness_chart
from boosttheory.claims import Claim, Enclosure, Reading, Verdict
from boosttheory.confidence import clopper_pearson
from boosttheory.symbolic import Obligation, decide

p, n, u, x, v = sp.symbols("p n u x v")
STATEMENT = r"\Pr_{(x,y)\sim\mathcal D_S}[H(x)=\vartheta]\ge\left(1-p+p(1-p)^n\right)^C"
RANGES = (
    r"n\ge2,\quad p=2n^k/n^3,\ k\in\left[0,3-\tfrac{\log2}{\log n}\right],\quad "
    r"C=n^\beta/2,\ \beta\in\left[0,1+\tfrac{\log(n-1)}{\log n}\right]",
    r"\text{classifiers that abstain on all training examples have weight }0",
)
BERNOULLI = r"\text{each triplet is available with probability }p\text{, independently}"
LOCATOR = "Theorem 4, Section 3.3"


# Rules: the pairs of weight other than 0, as bits, given the useful pairs as bits, C and the number of pairs


def at_most(size, useful):
    """Keep ``size`` of the useful pairs."""
    while useful.bit_count() > size:
        useful &= useful - 1
    return useful


def first_pairs(useful, C, pairs):
    """C distinct pairs, chosen without looking at T."""
    return useful & ((1 << C) - 1)


def useful_first(useful, C, pairs):
    """C distinct pairs, those with a training triplet before the others."""
    return at_most(C, useful)


def useless_first(useful, C, pairs):
    """C distinct pairs, those without a training triplet before the others."""
    return at_most(max(C - (pairs - useful.bit_count()), 0), useful)


def one_weighted(useful, C, pairs):
    """C copies of one pair, or weight 0 for all pairs but one."""
    return useful & 1


def none_weighted(useful, C, pairs):
    """Weight 0 for all pairs."""
    return 0


@cache
def abstention(size, C, rule, own_heads=True):
    """Abstention probability of a rule, a polynomial in p."""
    pairs = comb(size, 2)
    return abstention_polynomial(size, lambda useful: rule(useful, C, pairs), own_heads=own_heads)


def printed(p, n, C):
    """Right side of Equation 6."""
    return bounds.abstention.expression(p=p, n=n, C=C)


@cache
def decided(expression, size):
    """Decide once; many rules have the same polynomial."""
    return decide(sp.expand(expression), {p: sp.Interval(sp.Rational(2, size**3), 1)})


class Small(NamedTuple):
    """A small instance: n examples, C classifiers, and how they are chosen."""

    n: int
    C: int
    rule: object
    own_heads: bool = True


def small(*rules, own_heads=(True, False)):
    """Every n in {2, 3} and C in 1..n(n − 1)/2 under some rules."""
    return [
        Small(size, C, rule, own)
        for size in (2, 3)
        for C in range(1, comb(size, 2) + 1)
        for rule in rules
        for own in own_heads
    ]


claim = Claim(
    id="triplet.thm4",
    paper="perrot2019",
    locator=LOCATOR,
    title="Lower bound on abstention, for any algorithm",
    statement=STATEMENT,
    assumes=(*RANGES, r"H\text{ combines }C\text{ triplet classifiers chosen by any algorithm}"),
    expect=Verdict.REFUTED,
    note="False for an algorithm that looks at T and prefers pairs with a training triplet: three "
    "examples and one classifier are enough, and two are not, since they have one pair only. False "
    "in another way under the sampling of Section 2, a given number of triplets drawn uniformly, "
    "where any pair is silent less often than (1 − p)^n says. Algorithm 1 itself looks at the "
    "triplets of pairs already drawn only, so the bound holds for it under independent availability;"
    " see the claims that repair this one. The sign of Equation 6 is lost in the text at hand and "
    "follows from the title.",
)


class Instance(NamedTuple):
    """Parameters of Theorem 4: n, k with p = 2n^k/n³, and C."""

    n: int
    k: int
    C: int


@claim.check(
    "witness",
    scope="n = 3, k = 1 (p = 2/9), C = 1: the classifier uses a pair that has a training triplet",
    over=[Instance(3, 1, 1)],
)
def bound_under_an_adaptive_choice(case, *, rule=useful_first, C=None, bound=printed):
    """Abstention of the adaptive rule minus the bound."""
    C = C or case.C
    availability = bounds.availability.exact(n=case.n, k=case.k)
    found = abstention(case.n, C, rule).subs(p, availability)
    return found - bound(sp.Rational(availability), case.n, C)


def useful_pairs_at_most(p, n, C):
    """E (1 − p)^min(C, U), U binomial: the number of useful pairs."""
    pairs, useful = sp.binomial(n, 2), bounds.usefulness.expression(p=p, n=n)
    return sum(
        sp.binomial(pairs, j) * useful**j * (1 - useful) ** (pairs - j) * (1 - p) ** min(C, j)
        for j in range(pairs + 1)
    )


bound_under_an_adaptive_choice.rescue("pairs chosen without looking at T", rule=first_pairs)
bound_under_an_adaptive_choice.rescue("all pairs, C = n(n − 1)/2", C=3)
bound_under_an_adaptive_choice.rescue("E (1 − p)^min(C, U) in place of the bound", bound=useful_pairs_at_most)


class Draws(NamedTuple):
    """n examples, C pairs, m training triplets drawn uniformly, with or without replacement."""

    n: int
    C: int
    m: int
    replacement: bool


def drawn_availability(case):
    """Probability that a given triplet is among the m drawn."""
    N = case.n * comb(case.n, 2)
    return 1 - (1 - Fraction(1, N)) ** case.m if case.replacement else Fraction(case.m, N)


@claim.check(
    "witness",
    scope="n = 2, C = 1, one training triplet drawn uniformly (k = 1, p = 1/2), with and without replacement",
    over=[Draws(2, 1, 1, True), Draws(2, 1, 1, False)],
)
def bound_under_uniform_draws(case, *, independent=False, sign=1):
    """Abstention when m triplets are drawn uniformly, minus the bound."""
    availability = drawn_availability(case)
    bound = bounds.abstention.exact(p=availability, n=case.n, C=case.C)
    if independent:
        return abstention(case.n, case.C, first_pairs).subs(p, availability) - bound
    return sign * (fixed_number_abstention(case.n, case.C, case.m, replacement=case.replacement) - bound)


bound_under_uniform_draws.rescue("triplets available independently", independent=True)
bound_under_uniform_draws.rescue("at most in place of at least", sign=-1)


nonadaptive = Claim(
    id="triplet.thm4.nonadaptive",
    paper="perrot2019",
    locator=LOCATOR,
    title="Lower bound on abstention, pairs chosen without looking at the triplets",
    reading=Reading.CANONICAL,
    statement=STATEMENT,
    assumes=(*RANGES, BERNOULLI, r"\text{the pairs are chosen without looking at }T"),
    expect=Verdict.PROVED_UP_TO_LISTED_STEPS,
    quantifiers={"n": sp.Range(2, sp.oo), "p": sp.Interval(0, 1)},
    repairs=("triplet.thm4",),
    note="What the theorem must mean: pairs, repeated or not, are fixed before T is seen, and every "
    "triplet is available on its own. Weights may be 0 as one likes. If a reference is never asked "
    "about, n − 2 examples are left and the bound with n still holds. Equality is Theorem 5.",
)

STEPS = [
    Obligation(
        "one pair abstains with probability 1 − p + p(1 − p)^n",
        {p: sp.Interval(0, 1), n: sp.Range(2, sp.oo)},
        "pair",
    ),
    Obligation(
        "the same if references are never asked about: at least",
        {p: sp.Interval(0, 1), v: sp.Interval(0, 1)},
        "heads",
    ),
    Obligation(
        "a further pair never raises the product", {x: sp.Interval(0, 1), v: sp.Interval(0, 1)}, "further"
    ),
    Obligation("weight 0 never lowers it", {p: sp.Interval(0, 1), u: sp.Interval(0, 1)}, "zero"),
]


@nonadaptive.check(
    "symbolic",
    scope="every n >= 2, C >= 1 and p in [0, 1]",
    over=STEPS,
    by_hand=(
        "different pairs have different triplets, so what they do is independent and probabilities multiply",
        "induction on the number of pairs, of which a repeated pair counts once",
    ),
)
def bound_by_independence(step, *, availability=lambda p: p, heads=lambda n: n, order=1):
    """The probability of one pair, and the product over pairs."""
    useful = bounds.usefulness.expression(p=p, n=n)
    one = useful * (1 - p) + (1 - useful)
    expressions = {
        "pair": -(sp.expand(one - printed(availability(p), heads(n), 1)) ** 2),
        # v is (1 − p)^{n−2}; silence of n examples is less likely than that of n − 2
        "heads": order * p * v * (1 - (1 - p) ** 2),
        "further": order * (v - v * x),
        "zero": 1 - (1 - p * u),
    }
    return decide(expressions[step.data], step.domain)


bound_by_independence.mutant("p/2 in place of p", availability=lambda p: p / 2)
bound_by_independence.mutant("exponent 1 in place of n", heads=lambda n: 1)
bound_by_independence.mutant("at most in place of at least", order=-1)


@nonadaptive.check(
    "exhaustive",
    scope="n = 2, 3, every C, triplets with i in {j, k} or without; distinct pairs, one repeated pair, "
    "and weights 0; every p in [2/n³, 1], as polynomials from all sets of triplets",
    over=small(first_pairs, one_weighted) + small(none_weighted, own_heads=(True,)),
    replays=bound_under_an_adaptive_choice,
)
def bound_on_every_set_of_triplets(case, *, availability=1, exponent=None, factor=1):
    """Abstention, enumerated, minus the bound."""
    if isinstance(case, Instance):
        case = Small(case.n, case.C, first_pairs)
    found = abstention(case.n, case.C, case.rule, case.own_heads)
    return decided(found - factor * printed(availability * p, exponent or case.n, case.C), case.n)


bound_on_every_set_of_triplets.mutant("p/2 in place of p", availability=sp.Rational(1, 2))
bound_on_every_set_of_triplets.mutant("exponent 1 in place of n", exponent=1)
bound_on_every_set_of_triplets.mutant("bound raised by a tenth", factor=sp.Rational(11, 10))


class Point(NamedTuple):
    """A point of the simulation: n examples, p = 2n^k/n³, C pairs, distinct or drawn with replacement."""

    n: int
    k: Fraction
    C: int
    distinct: bool


class Measured(NamedTuple):
    """A point and how often the combination abstained."""

    point: Point
    hits: int
    replicates: int


HALVES = Fraction(3, 2)
POINTS = [
    Point(400, Fraction(1), 79800, True),
    Point(20, Fraction(2), 10, True),
    Point(100, HALVES, 4950, True),
    Point(100, HALVES, 4950, False),
    Point(100, Fraction(9, 4), 4, True),
    Point(400, HALVES, 79800, True),
    Point(400, HALVES, 79800, False),
    Point(400, Fraction(7, 4), 4000, True),
]


def measure(point, rng):
    """Replicates with fresh triplets for each test example."""
    replicates = 100_000 if point.distinct else 30_000
    availability = float(bounds.availability.value(n=point.n, k=float(point.k)))
    hits = simulate_abstentions(point.n, availability, point.C, replicates, rng, distinct=point.distinct)
    return Measured(point, hits, replicates)


@nonadaptive.check(
    "statistical",
    scope="8 points with n = 20 to 400; fresh training triplets for each of 30,000 to 100,000 test examples",
    over=POINTS,
    draw=measure,
    error=8e-8,
    delta=0.012,
    table=lambda m: {
        **m.point._asdict(),
        "abstention": m.hits / m.replicates,
        "bound": float(simulated_bound(m.point)),
    },
)
def bound_in_simulation(measured, *, factor=1.0, availability=1.0, exponent=None):
    """Confidence limits of the abstention, minus the bound."""
    low, high = clopper_pearson(measured.hits, measured.replicates, 1e-8)
    bound = factor * simulated_bound(measured.point, availability, exponent)
    return Enclosure(float(low - bound), float(high - bound))


def simulated_bound(point, availability=1.0, exponent=None):
    """Right side of Equation 6 in float."""
    available = availability * bounds.availability.value(n=point.n, k=float(point.k))
    return bounds.abstention.value(p=available, n=exponent or point.n, C=point.C)


bound_in_simulation.mutant("p/2 in place of p", availability=0.5)
bound_in_simulation.mutant("exponent 1 in place of n", exponent=1)
bound_in_simulation.mutant("bound raised by a tenth", factor=1.1)


sequential = Claim(
    id="triplet.thm4.sequential",
    paper="perrot2019",
    locator=LOCATOR,
    title="Lower bound on abstention, for Algorithm 1",
    reading=Reading.CANONICAL,
    statement=STATEMENT,
    assumes=(
        *RANGES,
        BERNOULLI,
        r"\text{each pair is chosen by looking at the triplets of earlier pairs only}",
    ),
    expect=Verdict.PROVED_UP_TO_LISTED_STEPS,
    quantifiers={"p": sp.Interval(0, 1), "u": sp.Interval(0, 1)},
    uses=("triplet.alg1",),
    repairs=("triplet.thm4",),
    note="Algorithm 1 is such a rule: its weights, from which it draws the next pair, depend on the "
    "triplets of the pairs drawn so far and on nothing else. A pair not drawn before is as likely "
    "useful as ever, a pair drawn before adds nothing. So Algorithm 1 does not violate Theorem 4 "
    "when triplets are available independently.",
)


@sequential.check(
    "symbolic",
    scope="every n, C and p; u is the probability that a pair is useful, v the abstention of the rounds to "
    "come",
    over=[
        Obligation(
            "a new pair multiplies by 1 − pu",
            {p: sp.Interval(0, 1), u: sp.Interval(0, 1), v: sp.Interval(0, 1)},
            "new",
        ),
        Obligation(
            "an old pair costs no more",
            {p: sp.Interval(0, 1), u: sp.Interval(0, 1), v: sp.Interval(0, 1)},
            "old",
        ),
    ],
    by_hand=(
        "the triplets of a new pair are independent of those of the pairs drawn before",
        "induction backwards over the rounds, on the least abstention from any history",
    ),
)
def bound_by_backward_induction(step, *, available=lambda p: p, old=lambda v: v):
    """Least abstention with one round more against 1 − pu times that without it."""
    after = u * (1 - p) * v + (1 - u) * v if step.data == "new" else old(v)
    return decide(sp.expand(after - (1 - available(p) * u) * v), step.domain)


bound_by_backward_induction.mutant("p/2 in place of p", available=lambda p: p / 2)
bound_by_backward_induction.mutant("a pair drawn again counts again", old=lambda v: (1 - p) * v)


STOP = ()


@cache
def trees(pairs, rounds):
    """List the rules that choose up to ``rounds`` pairs: (pair, tree if useless, tree if useful), or stop."""
    if rounds == 0 or not pairs:
        return [STOP]
    found: list = [STOP]
    for index, pair in enumerate(pairs):
        below = trees(pairs[:index] + pairs[index + 1 :], rounds - 1)
        found += [(pair, left, right) for left, right in product(below, below)]
    return found


def followed(tree):
    """Turn a tree into a rule: the useful pairs that it meets."""

    def rule(useful, C, pairs):
        met, at = 0, tree
        while at:
            pair, left, right = at
            hit = useful >> pair & 1
            met, at = met | hit << pair, right if hit else left
        return met

    return rule


class Tree(NamedTuple):
    """n examples, C rounds and a rule as a decision tree over the pairs."""

    n: int
    C: int
    tree: tuple


def all_trees():
    """Every sequential rule for n = 2, 3, the first pair fixed by symmetry."""
    return [
        Tree(size, C, tree)
        for size in (2, 3)
        for C in range(1, comb(size, 2) + 1)
        for tree in trees(tuple(range(comb(size, 2))), C)
        if not tree or tree[0] == 0
    ]


@sequential.check(
    "exhaustive",
    scope="n = 2, 3, every C, every decision tree over the pairs up to symmetry; every p in [2/n³, 1]",
    over=all_trees,
    replays=bound_under_an_adaptive_choice,
)
def bound_for_every_sequential_rule(case, *, availability=1, exponent=None, factor=1):
    """Abstention of a decision tree, enumerated, minus the bound."""
    if isinstance(case, Instance):
        case = Tree(case.n, case.C, (0, STOP, STOP))
    found = tree_abstention(case.n, case.tree)
    return decided(found - factor * printed(availability * p, exponent or case.n, case.C), case.n)


@cache
def tree_abstention(size, tree):
    """Abstention probability of a decision tree."""
    return abstention(size, None, followed(tree))


bound_for_every_sequential_rule.mutant("p/2 in place of p", availability=sp.Rational(1, 2))
bound_for_every_sequential_rule.mutant("exponent 1 in place of n", exponent=1)
bound_for_every_sequential_rule.mutant("bound raised by a tenth", factor=sp.Rational(11, 10))


adaptive = Claim(
    id="triplet.thm4.adaptive",
    paper="perrot2019",
    locator=LOCATOR,
    title="Lower bound on abstention, for any algorithm, repaired",
    reading=Reading.CANONICAL,
    statement=r"\Pr[H(x)=\vartheta]\ge\mathbb E\left[(1-p)^{\min(C,U)}\right],\qquad "
    r"U\sim\mathrm{Bin}\left(\tfrac{n(n-1)}2,\,1-(1-p)^n\right)",
    assumes=(*RANGES, BERNOULLI),
    expect=Verdict.PROVED_UP_TO_LISTED_STEPS,
    quantifiers={"n": sp.Range(2, sp.oo), "p": sp.Interval(0, 1)},
    repairs=("triplet.thm4",),
    note="Of C pairs at most min(C, U) are useful, where U counts the useful ones among all; an algorithm"
    " that prefers useful pairs attains it. With all pairs, C = n(n − 1)/2, it is the printed bound,"
    " so Example 1 stands for every algorithm.",
)


@adaptive.check(
    "symbolic",
    scope="every n >= 2, C >= 1 and p in [0, 1]; v is the abstention of the other pairs",
    over=[
        Obligation(
            "a further pair of weight ≠ 0 never raises abstention",
            {p: sp.Interval(0, 1), v: sp.Interval(0, 1)},
            "more",
        ),
        Obligation(
            "the mean over one pair is the printed factor",
            {p: sp.Interval(0, 1), n: sp.Range(2, sp.oo)},
            "mean",
        ),
    ],
    by_hand=(
        "the pairs of weight other than 0 are useful and at most C, so their number is at most min(C, U)",
        "different pairs have different triplets: U is binomial, and with C = n(n − 1)/2 the mean is a "
        "product",
    ),
)
def bound_by_counting_useful_pairs(step, *, order=1, exponent=n):
    """Abstention given T is (1 − p) to the number of pairs of weight other than 0."""
    if step.data == "more":
        return decide(order * sp.expand(v - (1 - p) * v), step.domain)
    useful = bounds.usefulness.expression(p=p, n=n)
    return decide(-(sp.expand(useful * (1 - p) + 1 - useful - printed(p, exponent, 1)) ** 2), step.domain)


bound_by_counting_useful_pairs.mutant("at most in place of at least", order=-1)
bound_by_counting_useful_pairs.mutant("exponent 1 in place of n", exponent=1)


def chart():
    """Abstention over availability, three examples and one classifier."""
    shares = [sp.Rational(2, 27), *(sp.Rational(c, 12) for c in range(1, 13))]
    curves = {
        ("stated", "(1 − p + p(1 − p)^n)^C"): printed(p, 3, 1),
        ("repaired", "E(1 − p)^min(C, U)"): useful_pairs_at_most(p, 3, 1),
        ("worst known", "a pair with a triplet is preferred"): abstention(3, 1, useful_first),
        ("worst known, repaired", "pairs chosen without looking at T"): abstention(3, 1, first_pairs),
    }
    return tightness_chart(
        [Curve(*key, shares, [value.subs(p, share) for share in shares]) for key, value in curves.items()],
        x="availability p",
        y="probability to abstain",
        caption="Theorem 4 for n = 3 and one classifier, exact: the printed bound holds, and is attained, "
        "if pairs are chosen without looking at the triplets; the repaired bound is attained by looking.",
    )


@adaptive.check(
    "exhaustive",
    scope="n = 2, 3, every C, five ways of choosing, of which the first is best for each set of triplets; "
    "every p in [2/n³, 1]",
    over=small(useful_first, first_pairs, useless_first, one_weighted, none_weighted, own_heads=(True,)),
    replays=bound_under_an_adaptive_choice,
    figure=chart,
)
def bound_for_any_rule(case, *, bound=useful_pairs_at_most):
    """Abstention of a rule minus E (1 − p)^min(C, U)."""
    if isinstance(case, Instance):
        case = Small(case.n, case.C, useful_first)
    return decided(abstention(case.n, case.C, case.rule) - bound(p, case.n, case.C), case.n)


def one_more(p, n, C):
    """The bound for C − 1 classifiers."""
    return useful_pairs_at_most(p, n, C - 1)


bound_for_any_rule.mutant("the printed bound", bound=printed)
bound_for_any_rule.mutant("C − 1 in place of C", bound=one_more)


@adaptive.check(
    "exhaustive",
    scope="n = 2, 3, every C; every p",
    over=small(useful_first, own_heads=(True,)),
    relation="equality",
)
def bound_attained_by_preferring_useful_pairs(case, *, rule=useful_first, bound=useful_pairs_at_most):
    """Size of the coefficients by which the two polynomials differ."""
    difference = sp.Poly(abstention(case.n, case.C, rule) - bound(p, case.n, case.C), p)
    return -sum(map(abs, difference.coeffs()))


bound_attained_by_preferring_useful_pairs.mutant("pairs chosen without looking at T", rule=first_pairs)
bound_attained_by_preferring_useful_pairs.mutant("the printed bound", bound=printed)


@adaptive.check(
    "exhaustive",
    scope="n = 2, 3; all rules above with C = n(n − 1)/2; every p in [2/n³, 1]",
    over=lambda: [
        case
        for case in small(
            useful_first, first_pairs, useless_first, one_weighted, none_weighted, own_heads=(True,)
        )
        if comb(case.n, 2) == case.C
    ],
)
def printed_bound_with_all_pairs(case, *, exponent=None, factor=1):
    """Abstention minus the printed bound at the largest C."""
    found = abstention(case.n, case.C, case.rule)
    return decided(found - factor * printed(p, exponent or case.n, case.C), case.n)


printed_bound_with_all_pairs.mutant("exponent 1 in place of n", exponent=1)
printed_bound_with_all_pairs.mutant("bound raised by a tenth", factor=sp.Rational(11, 10))


fixed_number = Claim(
    id="triplet.thm4.fixed",
    paper="perrot2019",
    locator=LOCATOR,
    title="Abstention when a fixed number of triplets is drawn",
    reading=Reading.CANONICAL,
    statement=r"(1-p)^{Cu}\le\Pr[H(x)=\vartheta]\le\left(1-p+p(1-p)^n\right)^C,\qquad "
    r"u=1-\Pr[\text{no triplet about a given pair}]",
    assumes=(
        r"T\text{ is }m\text{ triplets drawn uniformly, with or without replacement; }p\text{ the share "
        r"drawn}",
        r"C\text{ distinct pairs chosen without looking at }T\text{, of weight}\ne0\text{ where useful}",
        r"\text{the test example has each pair with probability }p\text{, independently}",
    ),
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    repairs=("triplet.thm4",),
    note="Under the sampling of Section 2 Equation 6 points the other way: pairs are useful more often "
    "than under independent availability, and negatively associated. The lower bound is Jensen's "
    "inequality. Both sides have the limits of Example 1, which therefore does not depend on the "
    "sampling model.",
)


def draws(largest=5):
    """Every n <= largest, C, m and way of drawing."""
    return [
        Draws(size, C, m, replacement)
        for size in range(2, largest + 1)
        for C in range(1, comb(size, 2) + 1)
        for m in range(1, size * comb(size, 2) + 1)
        for replacement in (True, False)
    ]


def fixed_chart():
    """Abstention over the number of triplets drawn, three examples and two classifiers."""
    cases = [Draws(3, 2, m, False) for m in range(1, 9)]
    numbers, shares = [case.m for case in cases], [drawn_availability(case) for case in cases]
    below = [
        (1 - float(share)) ** float(2 * (1 - silence(case)))
        for case, share in zip(cases, shares, strict=True)
    ]
    return tightness_chart(
        [
            Curve(
                "stated",
                "(1 − p + p(1 − p)^n)^C",
                numbers,
                [bounds.abstention.exact(p=share, n=3, C=2) for share in shares],
            ),
            Curve("repaired", "(1 − p)^(Cu), from below", numbers, below),
            Curve(
                "worst known",
                "m triplets drawn",
                numbers,
                [fixed_number_abstention(3, 2, case.m, replacement=False) for case in cases],
            ),
        ],
        x="triplets drawn of 9",
        y="probability to abstain",
        caption="Theorem 4 under the sampling of Section 2, n = 3 and C = 2: the printed bound lies above, "
        "not below.",
    )


@fixed_number.check(
    "exhaustive",
    scope="n <= 4, every C and 1 <= m <= n²(n − 1)/2; exact",
    over=lambda: draws(4),
    slow_over=lambda: draws(6),
    slow_scope="n <= 6, every C and 1 <= m <= n²(n − 1)/2; exact",
    replays=bound_under_uniform_draws,
    figure=fixed_chart,
)
def printed_bound_from_above(case, *, exponent=0, factor=1, sign=1):
    """The printed bound minus the abstention."""
    bound = bounds.abstention.exact(p=drawn_availability(case), n=case.n + exponent, C=case.C)
    return sign * (
        factor * bound - fixed_number_abstention(case.n, case.C, case.m, replacement=case.replacement)
    )


printed_bound_from_above.mutant("exponent n + 1 in place of n", exponent=1)
printed_bound_from_above.mutant("bound lowered by a tenth", factor=Fraction(9, 10))
printed_bound_from_above.mutant("at least in place of at most", sign=-1)


@fixed_number.check(
    "exhaustive",
    scope="n <= 4, every C and 1 <= m < n²(n − 1)/2; intervals of 300 bits",
    over=lambda: [case for case in draws(4) if drawn_availability(case) < 1],
)
def jensen_from_below(case, *, power=1, sign=1):
    """Log of the abstention minus C u log(1 − p)."""
    from mpmath.ctx_iv import MPIntervalContext

    iv = MPIntervalContext()
    iv.prec = 300
    exponent = case.C * (1 - silence(case)) ** power
    found = fixed_number_abstention(case.n, case.C, case.m, replacement=case.replacement)
    availability = drawn_availability(case)
    if exponent.denominator == 1:
        return sign * (found - (1 - availability) ** exponent.numerator)
    bound = iv.mpf(exponent.numerator) / exponent.denominator * log(iv, 1 - availability)
    return sign * (log(iv, found) - bound)


def silence(case):
    """Probability that a given pair has no training triplet."""
    N, pairs = case.n * comb(case.n, 2), comb(case.n, 2)
    if case.replacement:
        return (1 - Fraction(1, pairs)) ** case.m
    return Fraction(comb(N - case.n, case.m), comb(N, case.m))


def log(iv, fraction):
    """Interval that holds the logarithm of a Fraction."""
    return iv.log(iv.mpf(fraction.numerator) / fraction.denominator)


jensen_from_below.mutant("u squared in place of u", power=2)
jensen_from_below.mutant("at most in place of at least", sign=-1)
