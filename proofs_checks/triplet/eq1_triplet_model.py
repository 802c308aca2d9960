"""Equation 1 and the sampling and noise model of Section 2, Perrot & von Luxburg 2019."""

import warnings
from itertools import permutations, product
from typing import NamedTuple

import numpy as np

from boosttheory.claims import Claim, Enclosure, Reading, Role, Verdict
from boosttheory.confidence import clopper_pearson
from boosttheory.triplets import LazyTriplets, TripletSet, TripletWarning, pair_code

claim = Claim(
    id="triplet.eq1",
    paper="perrot2019",
    locator="Equation 1, Section 2",
    title="Triplets, their sampling and their noise",
    role=Role.DEFINITION,
    reading=Reading.CANONICAL,
    statement=r"(x_i,x_j,x_k)\in T\iff d(x_i,x_j)<d(x_i,x_k)",
    assumes=(
        r"\text{triplets are uniformly and independently sampled from the set of all possible triplets}",
        r"\text{an answer is swapped with the same probability, independently of all others}",
    ),
    expect=Verdict.CONFORMS,
    note="Sampling is read in two ways, both offered by the library: every head and pair is available "
    "with probability p on its own, which Theorems 4 and 5 need, or a given number is drawn "
    "uniformly without replacement. The two differ, see thm4.fixed. Equal distances, of which "
    "Equation 1 says nothing, give no triplet.",
)


def lines():
    """Two to four points on a line with integer coordinates, ties included."""
    return [points for size in (2, 3, 4) for points in permutations((0, 1, 2, 5), size)]


def closer(a, b):
    """Equation 1."""
    return a < b


@claim.check(
    "exhaustive",
    scope="2 to 4 points on a line, every order of 0, 1, 2, 5; all triplets, no noise",
    over=lines,
    relation="equality",
)
def relation_on_integer_points(points, *, relation=closer, heads=0):
    """Minus the number of triples on which the library and Equation 1 differ."""
    X = np.array(points)[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TripletWarning)
        found = TripletSet.from_metric(X, proportion=1.0, rng=np.random.default_rng(0))
    size = range(len(points))
    expected = {
        (i, j, k)
        for i, j, k in product(size, repeat=3)
        if j != k and relation(abs(points[i] - points[j]), abs(points[i] - points[k] + heads))
    }
    return -len(expected ^ set(map(tuple, found.to_array().tolist())))


relation_on_integer_points.mutant("not farther in place of closer", relation=lambda a, b: a <= b)
relation_on_integer_points.mutant("farther in place of closer", relation=lambda a, b: a > b)
relation_on_integer_points.mutant("distances measured from a shifted head", heads=1)


class Model(NamedTuple):
    """Availability p and noise of a source of triplets."""

    source: str
    p: float
    noise: float


class Law(NamedTuple):
    """How often each pattern of answers to three questions occurred."""

    model: Model
    counts: tuple[int, ...]


PATTERNS = list(product((0, 1, 2), repeat=3))  # each question: no answer, the true one, the swapped one


def patterns(model, rng, replicates=150_000):
    """Ask many copies of one object about the three pairs of three references."""
    X, queries = np.array([[0.0], [1.0], [3.0]]), np.zeros((replicates, 1))
    if model.source == "lazy":
        seed = int(rng.integers(2**32))
        half_spaces = LazyTriplets.from_metric(
            X, queries=queries, proportion=model.p, noise=model.noise, seed=seed
        ).half_spaces
    else:
        half_spaces = TripletSet.from_metric(
            X, queries=queries, proportion=model.p, noise=model.noise, rng=rng
        ).half_spaces
    answers = np.zeros((replicates, 3), dtype=np.int64)
    for j, k in ((0, 1), (0, 2), (1, 2)):
        for side, heads in enumerate(half_spaces(j, k)):
            answers[heads, int(pair_code(j, k))] = 1 + side
    counts = np.bincount(answers @ np.array([9, 3, 1]), minlength=27)
    return Law(model, tuple(counts.tolist()))


@claim.check(
    "statistical",
    scope="all 27 patterns of answers to three questions, 150,000 replicates, p and noise at three points,"
    " sampled and lazy sets",
    over=[
        Model(source, p, noise)
        for source in ("sampled", "lazy")
        for p, noise in ((0.5, 0.2), (0.2, 0.0), (0.9, 0.5))
    ],
    draw=patterns,
    error=6 * 27e-9,
    delta=0.0125,
    relation="equality",
)
def law_of_independent_answers(law, *, p_factor=1.0, noise_factor=1.0, together=False):
    """Confidence limits of minus the largest distance between a pattern's frequency and its probability."""
    p, noise = p_factor * law.model.p, noise_factor * law.model.noise
    one = np.array([1 - p, p * (1 - noise), p * noise])
    joint = np.array([one[a] * one[b] * one[c] for a, b, c in PATTERNS])
    if together:
        joint = np.array([one[a] if a == b == c else 0.0 for a, b, c in PATTERNS])
    low, high = clopper_pearson(law.counts, sum(law.counts), 1e-9)
    nearest = np.maximum(np.maximum(low - joint, joint - high), 0.0).max()
    return Enclosure(-float(np.maximum(joint - low, high - joint).max()), -float(nearest))


law_of_independent_answers.mutant("p/2 in place of p", p_factor=0.5)
law_of_independent_answers.mutant("noise halved", noise_factor=0.5)
law_of_independent_answers.mutant("three answers that come together", together=True)


class Subsets(NamedTuple):
    """How often each set of m of the nine comparisons of three objects was drawn."""

    m: int
    counts: tuple[int, ...]


def drawn(m, rng, replicates=80_000):
    """Draw m comparisons of three objects, many times."""
    X = np.array([[0.0], [1.0], [3.0]])
    found: dict[frozenset[tuple[int, int]], int] = {}
    for _ in range(replicates):
        triplets = TripletSet.from_metric(X, number=m, rng=rng).to_array()
        key = frozenset((int(i), int(pair_code(j, k))) for i, j, k in triplets)
        found[key] = found.get(key, 0) + 1
    return Subsets(m, tuple(found.values()))


@claim.check(
    "exhaustive",
    scope="every number m from 0 to 9 of comparisons of three objects, ten draws each",
    over=[(m, seed) for m in range(10) for seed in range(10)],
    relation="equality",
)
def number_of_different_comparisons(case, *, lost=0, question=pair_code):
    """Minus the distance between the number of different comparisons drawn and m."""
    m, seed = case
    triplets = TripletSet.from_metric(
        np.array([[0], [1], [3]]), number=m, rng=np.random.default_rng(seed)
    ).to_array()
    return -abs(len({(int(i), int(question(j, k))) for i, j, k in triplets}) - max(m - lost, 0))


number_of_different_comparisons.mutant("one comparison drawn twice", lost=1)
number_of_different_comparisons.mutant(
    "comparisons told apart by their closer reference only", question=lambda j, k: j
)


@claim.check(
    "statistical",
    scope="one and eight of the nine comparisons of three objects, 80,000 draws each",
    over=[1, 8],
    draw=drawn,
    error=2 * 9e-9,
    delta=0.0111,
    relation="equality",
    slow_only=True,
)
def law_of_a_fixed_number(subsets, *, cells=9):
    """Confidence limits of minus the largest distance between a set's frequency and 1/9."""
    counts = [*subsets.counts, *([0] * (cells - len(subsets.counts)))]
    low, high = clopper_pearson(counts, sum(counts), 1e-9)
    nearest = np.maximum(np.maximum(low - 1 / cells, 1 / cells - high), 0.0).max()
    return Enclosure(-float(np.maximum(1 / cells - low, high - 1 / cells).max()), -float(nearest))


law_of_a_fixed_number.mutant("heads outside the pair only, three comparisons", cells=3)
law_of_a_fixed_number.mutant("twice as many comparisons", cells=18)
