"""Classifiers abstain on all but 3 or 4 examples (Section 4), Perrot & von Luxburg 2019."""

from fractions import Fraction
from math import comb
from typing import NamedTuple

from boosttheory.claims import Claim, Enclosure, Verdict
from boosttheory.confidence import clopper_pearson
from boosttheory.triplets import TripletSet

claim = Claim(
    id="triplet.onepercent",
    paper="perrot2019",
    locator="Section 4, small scale regime",
    title="At 1 % a triplet classifier answers for 3 or 4 examples",
    statement=r"\text{when only }1\,\%\text{ of the triplets are available, the triplet classifiers "
    r"abstain on all but }3\text{ or }4\text{ examples on average}",
    assumes=(r"\text{Moons: }500\text{ objects, two thirds of them for training}",),
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    note="Read as a mean between 3 and 4: 333 training examples give 3.33, or 3.31 where references are "
    "never asked about. The share of training examples is not printed; it is inferred, and the "
    "sentence fits it: all 500 objects would give 5, and Iris with 100 training examples gives 1. A "
    "single classifier answers for exactly 3 or 4 examples with probability .41 only.",
)


class Training(NamedTuple):
    """Number of training examples that may have a triplet for a pair, and share of triplets."""

    heads: int
    share: Fraction


def mean(heads, share):
    """Mean of the number of examples with a triplet for a given pair, from its law."""
    law = (comb(heads, s) * share**s * (1 - share) ** (heads - s) for s in range(heads + 1))
    return sum((s * weight for s, weight in enumerate(law)), Fraction(0))


@claim.check(
    "exhaustive",
    scope="333 or 334 training examples; the two references included or not; exact",
    over=[Training(heads, Fraction(1, 100)) for heads in (331, 332, 333, 334)],
    relation="equivalence",
)
def mean_between_three_and_four(training, *, objects=None, times=1):
    """Whether the mean number of answered examples lies in [3, 4]."""
    return 3 <= mean(objects or training.heads, times * training.share) <= 4


mean_between_three_and_four.mutant("all 500 objects used for training", objects=500)
mean_between_three_and_four.mutant("100 training examples, as for Iris", objects=100)
mean_between_three_and_four.mutant("5 % of the triplets", times=5)


class Counted(NamedTuple):
    """Triplets sampled from a metric on n objects."""

    n: int
    pairs: int
    triplets: int


def sample(n, rng):
    """One set of triplets at 1 %."""
    triplets = TripletSet.from_metric(rng.normal(size=(n, 2)), proportion=0.01, rng=rng)
    return Counted(n, comb(n, 2), len(triplets))


@claim.check(
    "statistical",
    scope="one set of triplets of 333 points in the plane at 1 %, all 55,278 pairs",
    over=[333],
    draw=sample,
    error=1e-8,
    delta=0.1,
    relation="equality",
)
def mean_over_all_pairs_of_a_sample(found, *, objects=None, share=0.01):
    """Confidence limits of minus the distance between the mean number of answered examples and n/100."""
    low, high = clopper_pearson(found.triplets, found.n * found.pairs, 1e-8)
    least, most, expected = float(found.n * low), float(found.n * high), (objects or found.n) * share
    return Enclosure(-max(expected - least, most - expected), -max(least - expected, expected - most, 0.0))


mean_over_all_pairs_of_a_sample.mutant("all 500 objects used for training", objects=500)
mean_over_all_pairs_of_a_sample.mutant("5 % of the triplets", share=0.05)
