"""Theorem 6 (generalisation of consistent compression), Brukhim, Daniely, Mansour & Moran 2023."""

from fractions import Fraction
from itertools import permutations, product
from math import comb, perm
from typing import NamedTuple

import numpy as np
import sympy as sp

from boosttheory.bounds import compression_error, compression_failure
from boosttheory.claims import Claim, Enclosure, Reading, Verdict
from boosttheory.compression_bounds import misled, region_errors, support_law
from boosttheory.confidence import clopper_pearson
from boosttheory.symbolic import Obligation, decide

PAPER = "brukhim2023"
BASED = r"\mathcal A\text{ is based on an }m\to r\text{ compression scheme for }k\text{-lists},\ 1\le r<m"

claim = Claim(
    id="multiclass.thm6",
    paper=PAPER,
    locator="Theorem 6, Appendix B",
    title="a consistent function rebuilt from few examples generalises",
    reading=Reading.CANONICAL,
    statement=r"\Pr_{S\sim\mathcal D^m,\mathcal A}\left[f_S\text{ is consistent with "
    r"}S\Rightarrow\mathrm{err}_{"
    r"\mathcal D}(f_S)\le\frac{r\ln m+\ln(1/\delta)}{m-r}\right]\ge1-\delta",
    assumes=(BASED, r"\mathcal D\text{ is any distribution over }\mathcal X\times\mathcal Y"),
    expect=Verdict.PROVED_UP_TO_LISTED_STEPS,
    quantifiers={"eps": sp.Interval(0, 1)},
    uses=("multiclass.def8.lists", "multiclass.thm6.union"),
    note="The text allows r = m, where the bound is undefined. The kept sequence may repeat examples and its "
    "order counts: m^r sequences cover both. Equation 13 is not an equality, see thm6.eq13; the theorem does "
    "not need it.",
)
equality = Claim(
    id="multiclass.thm6.eq13",
    paper=PAPER,
    locator="Equation 13, proof of Theorem 6, Appendix B",
    title="the sum over index sequences as m^r equal terms",
    statement=r"\sum_{i_1,\dots,i_r\in[m]}\Pr_{S\sim\mathcal D^m}[f_{S'}\text{ consistent with }S\setminus S'"
    r"\land f_{S'}\text{ is bad}]=m^r\Pr_{S'\sim\mathcal D^r,S''\sim\mathcal D^{m-r}}[f_{S'}\text{ "
    r"consistent with"
    r" }S''\land f_{S'}\text{ is bad}]",
    assumes=(BASED,),
    expect=Verdict.REFUTED,
    note="A sequence with a repeated index keeps fewer than r examples, drawn alike, and leaves more "
    "than m - "
    "r. The equality holds for the sequences of distinct indices.",
)
union = Claim(
    id="multiclass.thm6.union",
    paper=PAPER,
    locator="Equations 12 to 17, proof of Theorem 6, Appendix B",
    title="the sum over index sequences is at most m^r (1 - ε)^(m - r)",
    reading=Reading.CANONICAL,
    statement=r"\sum_{i_1,\dots,i_r\in[m]}\Pr_{S\sim\mathcal D^m}[f_{S'}\text{ consistent with }S\setminus S'"
    r"\land f_{S'}\text{ is }\epsilon\text{-bad}]\le m^r(1-\epsilon)^{m-r}",
    assumes=(BASED,),
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    repairs=("multiclass.thm6.eq13",),
    note="Given the kept examples, at least m - r others are drawn independently, and each misses a bad "
    "function's errors with probability at most 1 - ε. A repeated index leaves more of them.",
)


class Scheme(NamedTuple):
    """Weights of the examples, where the function of each kept sequence is right, m, and the bad errors."""

    weights: tuple[Fraction, ...]
    regions: tuple[tuple[tuple[int, ...], int], ...]
    r: int
    m: int
    level: Fraction


def laws(count):
    """The uniform distribution and one with distinct weights."""
    uneven = [Fraction(2 * z + 1, count**2) for z in range(count)]
    return (Fraction(1, count),) * count, tuple(uneven)


def levels(weights, regions):
    """The errors that occur, 0 apart."""
    return sorted(set(region_errors(weights, dict(regions)).values()) - {Fraction(0)})


def reconstructions(count, r):
    """All reconstructions of r = 1; for r = 2 each pair may be right on itself and one more example."""
    if r == 1:
        keys: list[tuple[int, ...]] = [(z,) for z in range(count)]
        options = [[mask for mask in range(2**count) if mask >> z & 1] for z in range(count)]
    else:
        keys = list(product(range(count), repeat=2))
        own = [sum(1 << z for z in set(key)) for key in keys]
        options = [
            [mask | (1 << z) for z in sorted({*key, 0, 1})][:2] for key, mask in zip(keys, own, strict=True)
        ]
    return [tuple(zip(keys, chosen, strict=True)) for chosen in product(*(sorted(set(o)) for o in options))]


SHAPES = ((2, 1, (2, 3, 4)), (3, 1, (2, 3, 5)), (2, 2, (3, 4)), (3, 2, (3, 4, 6)))


def schemes(shapes=SHAPES):
    """Two and three examples with one kept, two and three examples with two kept."""
    for count, r, sizes in shapes:
        for regions in reconstructions(count, r):
            for weights in laws(count):
                for level in levels(weights, regions):
                    yield from (Scheme(weights, regions, r, m, level) for m in sizes)


def misleading_probability(case):
    """Probability of a sample on which some kept sequence gives a consistent bad function."""
    regions = dict(case.regions)
    found = misled(range(2 ** len(case.weights)), regions, region_errors(case.weights, regions), case.level)
    return sum(
        (p for p, hit in zip(support_law(case.weights, case.m), found, strict=True) if hit), Fraction(0)
    )


@claim.check(
    "exhaustive",
    scope="r = 1: every region on 2 or 3 examples; r = 2: ordered pairs with repetitions, right on at most "
    "one more; two distributions, m <= 6; exact. Examples may be contradictory, and lists hold any region",
    over=schemes,
    slow_over=lambda: schemes((*SHAPES, (4, 1, (4,)))),
    slow_scope="the same, and every region on 4 examples with r = 1, m = 4",
)
def failure_of_the_worst_algorithm(case, *, sequences=1, spared=1):
    """m^r (1 - ε)^(m - r) minus the probability that a consistent function with error ε can be chosen."""
    bound = case.m ** (sequences * case.r) * (1 - case.level) ** (case.m - spared * case.r)
    return bound - misleading_probability(case)


failure_of_the_worst_algorithm.mutant("r ln m dropped", sequences=0)
failure_of_the_worst_algorithm.mutant("m in place of m - r", spared=0)

eps, r, m, delta = sp.symbols("eps r m delta", positive=True)


@claim.check(
    "symbolic",
    scope="every error ε in [0, 1], every m, r and δ",
    over=[
        Obligation("1 - ε <= e^{-ε}", {eps: sp.Interval(0, 1)}, "exponential"),
        Obligation("m^r e^{-ε(m - r)} = δ at the stated ε", {eps: sp.Interval(0, 1)}, "solved"),
    ],
    by_hand=(
        "the chosen sequence is one of m^r, and the sum over them is at most m^r (1 - ε)^(m - r), see "
        "thm6.union",
        "the implication fails only where f_S is consistent and bad",
        "the algorithm's own randomness: the bound holds for the worst choice on every sample",
    ),
)
def scalar_steps_of_the_proof(step, *, spared=1, rate=1):
    """Each scalar step: 1 - ε under e^{-ε}, and the exponent at the stated error."""
    if step.data == "exponential":
        return decide(sp.exp(-rate * eps) - (1 - eps), step.domain)
    stated = compression_error.formula(sp, r=r, m=m, delta=delta)
    exponent = sp.expand_log(r * sp.log(m) - stated * (m - spared * r) - sp.log(delta))
    return -int(sp.simplify(exponent) != 0)


scalar_steps_of_the_proof.mutant("m in place of m - r", spared=0)
scalar_steps_of_the_proof.mutant("e^{-2ε}", rate=2)


class Simulated(NamedTuple):
    """Kept examples, sample size, error of the bad functions, samples and how many mislead."""

    r: int
    m: int
    error: Fraction
    samples: int
    hits: int


EXAMPLES = 60


def simulate(point, rng):
    """Draw samples; each kept sequence gives a function right on half of the examples, itself or not."""
    r, m, samples, own_right = point
    size = EXAMPLES // 2
    keys = list(product(range(EXAMPLES), repeat=r))
    bits = 1 << np.arange(EXAMPLES, dtype=np.int64)
    regions = np.empty(len(keys), dtype=np.int64)
    for at, key in enumerate(keys):
        own = sorted(set(key))
        others = np.setdiff1d(np.arange(EXAMPLES), own)
        regions[at] = bits[rng.choice(others, size - own_right * len(own), replace=False)].sum()
        regions[at] += own_right * bits[own].sum()
    hits = 0
    for _ in range(samples // 5000):
        drawn = rng.integers(EXAMPLES, size=(5000, m))
        masks = np.bitwise_or.reduce(bits[drawn], axis=1)
        codes = drawn if r == 1 else (drawn[:, :, None] * EXAMPLES + drawn[:, None, :]).reshape(5000, -1)
        hits += int(((masks[:, None] & ~regions[codes]) == 0).any(axis=1).sum())
    return Simulated(r, m, 1 - Fraction(size, EXAMPLES), samples, hits)


@claim.check(
    "statistical",
    scope="60 equally likely examples, random functions with error 1/2, r = 1 and 2, 100,000 and 60,000 "
    "samples; functions wrong on what they are rebuilt from, 10,000 samples",
    over=[(1, 10, 100000, True), (2, 16, 60000, True), (1, 10, 10000, False)],
    draw=simulate,
    error=3e-8,
    delta=0.0015,
)
def failure_on_random_functions(case, *, sequences=1, spared=1):
    """m^r (1 - ε)^(m - r) minus confidence limits of the probability of a misleading sample."""
    bound = case.m ** (sequences * case.r) * float(1 - case.error) ** (case.m - spared * case.r)
    low, high = clopper_pearson(case.hits, case.samples, 1e-8)
    return Enclosure(bound - float(high), bound - float(low))


failure_on_random_functions.mutant("r ln m dropped", sequences=0)
failure_on_random_functions.mutant("m in place of m - r", spared=0)


def sum_over_sequences(case, distinct=False):
    """Left side of Equation 13 by enumeration of all samples and index sequences."""
    regions = dict(case.regions)
    bad = {key for key, error in region_errors(case.weights, regions).items() if error >= case.level}
    indices = permutations(range(case.m), case.r) if distinct else product(range(case.m), repeat=case.r)
    sequences, total = list(indices), Fraction(0)
    for sample in product(range(len(case.weights)), repeat=case.m):
        count = 0
        for chosen in sequences:
            key = tuple(sample[i] for i in chosen)
            rest = (z for i, z in enumerate(sample) if i not in chosen)
            count += key in bad and all(regions[key] >> z & 1 for z in rest)
        if count:
            share = Fraction(1)
            for z in sample:
                share *= case.weights[z]
            total += count * share
    return total


def one_term(case):
    """Probability that f_{S'} is bad and consistent with m - r fresh examples, S' drawn on its own."""
    errors = region_errors(case.weights, dict(case.regions))
    total = Fraction(0)
    for key, error in errors.items():
        if error >= case.level:
            share = (1 - error) ** (case.m - case.r)
            for z in key:
                share *= case.weights[z]
            total += share
    return total


EQUAL = (Fraction(1, 2),) * 2
WITNESS = Scheme(EQUAL, (((0, 0), 1), ((0, 1), 1), ((1, 0), 1), ((1, 1), 1)), 2, 3, Fraction(1, 2))


@equality.check(
    "witness",
    scope="two equally likely examples, every function right on the first one only, r = 2, m = 3",
    over=[WITNESS],
    relation="equality",
)
def terms_with_a_repeated_index_differ(case, *, distinct=False):
    """Distance of the sum over index sequences from the number of sequences times one term."""
    count = perm(case.m, case.r) if distinct else case.m**case.r
    return -abs(sum_over_sequences(case, distinct) - count * one_term(case))


terms_with_a_repeated_index_differ.rescue("sequences of distinct indices", distinct=True)


def small_schemes():
    """Every reconstruction on two examples, right on what it keeps or not, up to four drawn."""
    for r, sizes in ((1, (2, 3)), (2, (3, 4))):
        keys = list(product(range(2), repeat=r))
        for chosen in product(range(4), repeat=len(keys)):
            regions = tuple(zip(keys, chosen, strict=True))
            for weights in laws(2):
                for level in levels(weights, regions):
                    yield from (Scheme(weights, regions, r, m, level) for m in sizes)


@union.check(
    "exhaustive",
    scope="two examples, every reconstruction with r <= 2, m <= 4, every sample and index sequence; exact",
    over=small_schemes,
    replays=terms_with_a_repeated_index_differ,
)
def sum_is_at_most_the_bound(case, *, sequences=lambda m, r: m**r, spared=1):
    """m^r (1 - ε)^(m - r) minus the sum over index sequences."""
    bound = compression_failure.exact(r=0, m=case.m - spared * case.r, eps=case.level)
    return sequences(case.m, case.r) * bound - sum_over_sequences(case)


sum_is_at_most_the_bound.mutant("subsets in place of sequences", sequences=comb)
sum_is_at_most_the_bound.mutant("m in place of m - r", spared=0)
