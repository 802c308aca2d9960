"""Theorem 5 (exact probability that a strong classifier abstains), Perrot & von Luxburg 2019."""

from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import comb
from typing import NamedTuple

import numpy as np
import sympy as sp

from boosttheory import bounds, trials
from boosttheory.abstention import abstention_polynomial, fixed_number_abstention
from boosttheory.claims import Claim, Enclosure, Reading, Verdict
from boosttheory.confidence import clopper_pearson
from boosttheory.exact_tripletboost import small_runs
from boosttheory.symbolic import Obligation, decide
from boosttheory.tripletboost import Model, train
from boosttheory.triplets import TripletSet, pair_code

p, n, q = sp.symbols("p n q")
STATEMENT = r"\Pr_{(x,y)\sim\mathcal D_S}[H(x)=\vartheta]=\left(1-p+p(1-p)^n\right)^C"
BERNOULLI = r"\text{each triplet is available with probability }p\text{, independently}"
WEIGHTS = r"\alpha_c=0\iff h_c(x_i)=\vartheta\text{ for all }(x_i,y_i)\in S"
RANGES = r"n\ge2,\ p\in[2/n^3,1],\ 1\le C\le n(n-1)/2"
LOCATOR = "Theorem 5, Section 3.3"


@cache
def abstention(size, chosen, own_heads=True):
    """Abstention probability when ``chosen`` (bits) pairs are combined, a polynomial in p."""
    return abstention_polynomial(size, lambda useful: useful & chosen, own_heads=own_heads)


def mask(pairs):
    """Bits of a sequence of pair numbers."""
    return sum(1 << pair for pair in set(pairs))


claim = Claim(
    id="triplet.thm5",
    paper="perrot2019",
    locator=LOCATOR,
    title="Exact abstention, for any algorithm",
    statement=STATEMENT,
    assumes=(RANGES, WEIGHTS, r"H\text{ combines }C\text{ triplet classifiers chosen by any algorithm}"),
    expect=Verdict.REFUTED,
    uses=("triplet.thm4",),
    note="Theorem 4's any algorithm is part of the hypothesis. One pair chosen twice counts once, and so "
    "breaks the equality with three examples and two classifiers; so does an algorithm that prefers "
    "pairs with a training triplet, and so does the sampling of Section 2, with two examples and one"
    " training triplet.",
)


class Instance(NamedTuple):
    """n, k with p = 2n^k/n³, and the number of each pair that is combined."""

    n: int
    k: int
    pairs: tuple[int, ...]


@claim.check(
    "witness",
    scope="n = 3, k = 1 (p = 2/9), C = 2: the same pair twice",
    over=[Instance(3, 1, (0, 0))],
    relation="equality",
)
def equality_with_a_repeated_pair(case, *, pairs=None, count=len):
    """Minus the distance between the abstention and the printed right side."""
    pairs = pairs or case.pairs
    availability = bounds.availability.exact(n=case.n, k=case.k)
    found = abstention(case.n, mask(pairs)).subs(p, availability)
    return -abs(found - bounds.abstention.exact(p=availability, n=case.n, C=count(pairs)))


equality_with_a_repeated_pair.rescue("two different pairs", pairs=(0, 1))
equality_with_a_repeated_pair.rescue(
    "the number of distinct pairs in place of C", count=lambda pairs: len(set(pairs))
)


@claim.check(
    "witness",
    scope="n = 2, C = 1, one training triplet drawn uniformly (k = 1, p = 1/2)",
    over=[Instance(2, 1, (0,))],
    relation="equality",
)
def equality_under_uniform_draws(case, *, independent=False):
    """The same distance when as many triplets are drawn as expected."""
    availability = bounds.availability.exact(n=case.n, k=case.k)
    drawn = int(bounds.expected_triplets.exact(p=availability, n=case.n))
    found = abstention(case.n, mask(case.pairs)).subs(p, availability)
    if not independent:
        found = fixed_number_abstention(case.n, len(case.pairs), drawn, replacement=False)
    return -abs(found - bounds.abstention.exact(p=availability, n=case.n, C=len(case.pairs)))


equality_under_uniform_draws.rescue("triplets available independently", independent=True)


distinct = Claim(
    id="triplet.thm5.distinct",
    paper="perrot2019",
    locator=LOCATOR,
    title="Exact abstention of distinct pairs",
    reading=Reading.CANONICAL,
    statement=STATEMENT,
    assumes=(
        RANGES,
        BERNOULLI,
        WEIGHTS,
        r"\text{the }C\text{ pairs are distinct and chosen without looking at }T",
    ),
    expect=Verdict.PROVED_UP_TO_LISTED_STEPS,
    quantifiers={"n": sp.Range(2, sp.oo), "p": sp.Interval(0, 1)},
    repairs=("triplet.thm5",),
    note="The exponent n counts every training example, the two references included; where references are"
    " never asked about, it is n − 2.",
)


@distinct.check(
    "symbolic",
    scope="every n >= 2, C >= 1 and p in [0, 1]",
    over=[
        Obligation("one pair", {p: sp.Interval(0, 1), n: sp.Range(2, sp.oo)}, "one"),
        Obligation(
            "one pair more", {p: sp.Interval(0, 1), n: sp.Range(2, sp.oo), q: sp.Interval(0, 1)}, "more"
        ),
    ],
    relation="equality",
    by_hand=("different pairs have different triplets, so what they do is independent", "induction on C"),
)
def product_over_pairs(step, *, availability=1, exponent=n):
    """The right side with C = 1, and what a further factor q = (right side for C) turns into."""
    useful = bounds.usefulness.expression(p=p, n=n)
    silent = useful * (1 - p) + (1 - useful)
    right = bounds.abstention.expression(p=availability * p, n=exponent, C=1)
    difference = silent - right if step.data == "one" else q * silent - q * right
    return decide(-(sp.expand(difference) ** 2), step.domain)


product_over_pairs.mutant("p/2 in place of p", availability=sp.Rational(1, 2))
product_over_pairs.mutant("exponent 1 in place of n", exponent=1)


class Small(NamedTuple):
    """n examples, the pairs that are combined, and whether references may be heads."""

    n: int
    pairs: tuple[int, ...]
    own_heads: bool = True


def small():
    """Every set of distinct pairs for n = 2, 3."""
    return [
        Small(size, pairs, own)
        for size in (2, 3)
        for C in range(1, comb(size, 2) + 1)
        for pairs in combinations(range(comb(size, 2)), C)
        for own in (True, False)
    ]


@distinct.check(
    "exhaustive",
    scope="n = 2, 3, every set of pairs, triplets with i in {j, k} or without (then n − 2 for n); "
    "polynomials in p",
    over=small,
    replays=equality_with_a_repeated_pair,
    relation="equality",
)
def equality_on_every_set_of_triplets(
    case, *, availability=1, exponent=None, heads=2, count=lambda pairs: len(set(pairs))
):
    """Size of the coefficients by which the enumeration and the right side differ."""
    own_heads = getattr(case, "own_heads", True)
    size = case.n - (0 if own_heads else heads)
    right = bounds.abstention.expression(p=availability * p, n=exponent or size, C=count(case.pairs))
    difference = sp.Poly(abstention(case.n, mask(case.pairs), own_heads) - right, p)
    return -sum(map(abs, difference.coeffs()))


equality_on_every_set_of_triplets.mutant("p/2 in place of p", availability=sp.Rational(1, 2))
equality_on_every_set_of_triplets.mutant("exponent 1 in place of n", exponent=1)
equality_on_every_set_of_triplets.mutant("exponent n where references are never asked about", heads=0)
equality_on_every_set_of_triplets.mutant("C in place of the number of distinct pairs", count=len)


conditional = Claim(
    id="triplet.thm5.conditional",
    paper="perrot2019",
    locator=LOCATOR,
    title="Exact abstention of a trained model",
    reading=Reading.CANONICAL,
    statement=r"\Pr[H(x)=\vartheta\mid S,T]=(1-p)^D,\qquad D=\left|\{\{j_c,k_c\}:\alpha_c\ne0\}\right|",
    assumes=(
        r"\text{the test example has a triplet for each pair with probability }p\text{, independently}",
    ),
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("triplet.alg1",),
    repairs=("triplet.thm5",),
    note="What is true of every model, however it was trained: only its distinct pairs of weight other "
    "than 0 count.",
)


def weighted_pairs(pairs, weighted):
    """Distinct pairs of weight other than 0."""
    return len({frozenset(pair) for pair, used in zip(pairs, weighted, strict=True) if used})


def all_rounds(pairs, weighted):
    """C in place of D."""
    return len(pairs)


def all_pairs(pairs, weighted):
    """Distinct pairs, of whatever weight."""
    return weighted_pairs(pairs, [True] * len(pairs))


def weighted_rounds(pairs, weighted):
    """Rounds of weight other than 0, repetitions included."""
    return sum(weighted)


@conditional.check(
    "exhaustive",
    scope="all exact runs of Algorithm 1 with n = 2, C <= 3 and n = 3, C <= 2, K <= 3, up to symmetry, "
    "and every set of test triplets; p = 1/3",
    over=small_runs,
    replays=equality_with_a_repeated_pair,
    relation="equality",
)
def power_of_the_number_of_weighted_pairs(run, *, exponent=weighted_pairs, availability=Fraction(1, 3)):
    """Minus the distance between the probability that no round with α ≠ 0 speaks and (1 − p)^D."""
    if isinstance(run, Instance):
        size, pairs, weighted = run.n, tuple((0, k + 1) for k in run.pairs), [True] * len(run.pairs)
    else:
        size, pairs, weighted = len(run.y), tuple(r.pair for r in run.rounds), [r.s != 1 for r in run.rounds]
    needed = frozenset(frozenset(pair) for pair, used in zip(pairs, weighted, strict=True) if used)
    return -abs(silence(size, needed, availability) - (1 - availability) ** exponent(pairs, weighted))


@cache
def silence(size, needed, availability):
    """Probability of the sets of test triplets that hold none of the needed pairs."""
    every = [frozenset(pair) for pair in combinations(range(size), 2)]
    return sum(
        availability ** len(seen) * (1 - availability) ** (len(every) - len(seen))
        for number in range(len(every) + 1)
        for seen in combinations(every, number)
        if needed.isdisjoint(seen)
    )


power_of_the_number_of_weighted_pairs.mutant("C in place of D", exponent=all_rounds)
power_of_the_number_of_weighted_pairs.mutant("pairs of weight 0 counted too", exponent=all_pairs)
power_of_the_number_of_weighted_pairs.mutant("repeated pairs counted again", exponent=weighted_rounds)


class Setting(NamedTuple):
    """n objects in two classes, availability p of a triplet, C rounds, share of flipped answers."""

    n: int
    p: float
    C: int
    noise: float = 0.0


def clusters(size, rng):
    """Two clusters in the plane, equally large."""
    y = np.arange(size) % 2
    return rng.normal(size=(size, 2)) + 2 * y[:, None], y


class Outcome(NamedTuple):
    """A trained model on test examples."""

    setting: Setting
    distinct: int
    rounds: int
    abstentions: int
    tests: int


def trained(setting, rng, tests=20_000):
    """Train once, test on fresh triplets."""
    X, y = clusters(setting.n, rng)
    triplets = TripletSet.from_metric(X, proportion=setting.p, noise=setting.noise, rng=rng)
    run = train(triplets, y, 2, setting.C, rng)
    model = Model.from_run(run, setting.n, 2)
    queries = TripletSet.from_metric(
        X, queries=clusters(tests, rng)[0], proportion=setting.p, noise=setting.noise, rng=rng
    )
    return Outcome(setting, model.n_pairs, setting.C, int(model.abstains(queries).sum()), tests)


@conditional.check(
    "statistical",
    scope="three models trained on clusters of 20 and 40 objects, 20,000 test examples each",
    over=[Setting(40, 0.01, 100), Setting(40, 0.005, 1000, 0.1), Setting(20, 0.03, 100, 0.2)],
    draw=trained,
    error=3e-8,
    delta=0.03,
    relation="equality",
    table=lambda t: {
        **t.setting._asdict(),
        "D": t.distinct,
        "abstention": t.abstentions / t.tests,
        "(1-p)^D": float(bounds.abstention_conditional.value(p=t.setting.p, D=t.distinct)),
    },
)
def power_of_the_number_of_weighted_pairs_in_trained_models(tested, *, exponent="distinct", availability=1.0):
    """Confidence limits of minus the distance between measured abstention and (1 − p)^D."""
    low, high = clopper_pearson(tested.abstentions, tested.tests, 1e-8)
    right = bounds.abstention_conditional.value(
        p=availability * tested.setting.p, D=getattr(tested, exponent)
    )
    nearest = max(float(low - right), float(right - high), 0.0)
    return Enclosure(-float(max(right - low, high - right)), -nearest)


power_of_the_number_of_weighted_pairs_in_trained_models.mutant("C in place of D", exponent="rounds")
power_of_the_number_of_weighted_pairs_in_trained_models.mutant("p/2 in place of p", availability=0.5)


class EarlyModels(NamedTuple):
    """The runs on all data sets at one noise level, stopped at D distinct pairs, and their test objects."""

    noise: float
    distinct: int
    abstentions: int
    tests: int


def early_models():
    """The runs of the real-data check of Theorem 2, stopped early."""
    for noise in (0.0, 0.1):
        counts = [
            trials.early_abstentions(dataset, metric, noise, seed, distinct=6)
            for dataset, metric, seed in product(trials.DATASETS, trials.METRICS, range(3))
        ]
        yield EarlyModels(noise, 6, *map(sum, zip(*counts, strict=True)))


@conditional.check(
    "statistical",
    scope="Iris, Moons and digits, three metrics, 10 % of the triplets, noise 0 and 10 %, three seeds: the "
    "runs of Theorem 2's check on real data, stopped at 6 distinct pairs, some 12,000 test draws each",
    over=early_models,
    error=2e-8,
    delta=0.05,
    relation="equality",
    table=lambda t: {
        "noise": f"{t.noise:.0%}",
        "D": t.distinct,
        "test draws": t.tests,
        "abstention": t.abstentions / t.tests,
        "(1-p)^D": 0.9**t.distinct,
    },
)
def power_of_the_number_of_weighted_pairs_on_real_data(tested, *, more=0, availability=0.1):
    """Confidence limits of minus the distance between measured abstention and (1 − p)^D."""
    low, high = clopper_pearson(tested.abstentions, tested.tests, 1e-8)
    right = bounds.abstention_conditional.value(p=availability, D=tested.distinct + more)
    nearest = max(float(low - right), float(right - high), 0.0)
    return Enclosure(-float(max(right - low, high - right)), -nearest)


power_of_the_number_of_weighted_pairs_on_real_data.mutant("two more pairs", more=2)
power_of_the_number_of_weighted_pairs_on_real_data.mutant("p/2 in place of p", availability=0.05)


algorithm1 = Claim(
    id="triplet.thm5.algorithm1",
    paper="perrot2019",
    locator="Theorem 5 and Example 1, Section 3.3",
    title="Algorithm 1 abstains far more often than Theorem 5 says",
    reading=Reading.CANONICAL,
    statement=r"\Pr[H(x)=\vartheta]\ge\tfrac32\left(1-p+p(1-p)^n\right)^{n(n-1)/2}",
    assumes=(
        BERNOULLI,
        r"p=2n^{-3/2},\ C=n(n-1)/2",
        r"H\text{ is the output of Algorithm 1 on two equally large clusters}",
    ),
    expect=Verdict.HOLDS_STATISTICALLY,
    uses=("triplet.alg1", "triplet.thm5.conditional"),
    note="C rounds are not C distinct pairs. References with different labels leave half of the pairs, "
    "draws repeat, and a half-space with an empty label set says nothing; that α = 0 for a useful "
    "pair matters little. The table gives the formula for all pairs, for pairs with different "
    "labels, for the pairs drawn, for those of weight other than 0, the measured abstention, and the"
    " share of test examples for which no label gets a vote.",
)


class Gap(NamedTuple):
    """Means over replicates, each with fresh objects, training triplets and test examples."""

    n: int
    p: float
    replicates: int
    abstentions: int
    drawn: float
    by_drawn: float
    by_weighted: float
    without_vote: float


class Place(NamedTuple):
    """n objects, availability p, and how often to train."""

    n: int
    p: float
    replicates: int


def gap(place, rng):
    """Train with C = n(n − 1)/2 rounds and test on one example, many times."""
    size, availability, replicates = place
    abstentions, means = 0, np.zeros(4)
    for _ in range(replicates):
        X, y = clusters(size, rng)
        triplets = TripletSet.from_metric(X, proportion=availability, rng=rng)
        run = train(triplets, y, 2, comb(size, 2), rng)
        model = Model.from_run(run, size, 2)
        query = rng.normal(size=(1, 2)) + 2 * rng.integers(2)
        test = TripletSet.from_metric(X, queries=query, proportion=availability, rng=rng)
        abstentions += bool(model.abstains(test)[0])
        drawn = np.unique(pair_code(run.pairs[:, 0], run.pairs[:, 1])).size
        means += np.array(
            [
                drawn,
                bounds.abstention.value(p=availability, n=size, C=drawn),
                bounds.abstention_conditional.value(p=availability, D=model.n_pairs),
                not model.scores(test).any(),
            ],
            dtype=float,
        )
    return Gap(size, availability, replicates, abstentions, *(means / replicates).tolist())


def decomposition(found):
    """Where the gap comes from, from the formula to the measurement."""
    unlike = (found.n // 2) * (found.n - found.n // 2)
    formula = {
        C: float(bounds.abstention.value(p=found.p, n=found.n, C=C)) for C in (comb(found.n, 2), unlike)
    }
    return {
        "n": found.n,
        "p": found.p,
        "C": comb(found.n, 2),
        "Theorem 5": formula[comb(found.n, 2)],
        "pairs with different labels": formula[unlike],
        "pairs drawn": found.by_drawn,
        "pairs of weight ≠ 0": found.by_weighted,
        "measured": found.abstentions / found.replicates,
        "no label gets a vote": found.without_vote,
    }


@algorithm1.check(
    "statistical",
    scope="n = 12, k = 3/2, 400 replicates; n = 12, p = 1, where nothing abstains",
    over=[Place(12, 2 * 12**-1.5, 400), Place(12, 1.0, 10)],
    slow_over=[Place(12, 2 * 12**-1.5, 2000), Place(12, 1.0, 10), Place(200, 2 * 200**-1.5, 150)],
    slow_scope="n = 12 (2,000 replicates) and n = 200 (150 replicates), k = 3/2; n = 12, p = 1, where "
    "nothing abstains",
    draw=gap,
    error=3e-7,
    delta=0.0,
    table=decomposition,
)
def excess_over_the_formula(found, *, factor=1.5):
    """Confidence limits of Algorithm 1's abstention, minus a multiple of the formula."""
    low, high = clopper_pearson(found.abstentions, found.replicates, 1e-7)
    bound = factor * bounds.abstention.value(p=found.p, n=found.n, C=comb(found.n, 2))
    return Enclosure(float(low - bound), float(high - bound))


excess_over_the_formula.mutant("four times the formula", factor=4.0)
excess_over_the_formula.mutant("five times the formula", factor=5.0)
