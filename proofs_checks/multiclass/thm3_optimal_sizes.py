"""Theorem 3 (optimal accuracy and optimal list size), Brukhim, Daniely, Mansour & Moran 2023."""

from fractions import Fraction
from functools import cache
from itertools import product
from math import floor
from typing import NamedTuple

import sympy as sp

from boosttheory.adversaries import fewest_right
from boosttheory.bounds import enclosure, no_free_lunch, stated_rounds, stated_step
from boosttheory.claims import Claim, Reading, Verdict
from boosttheory.symbolic import Obligation, decide
from boosttheory.weak_games import game_value, vote_lists
from proofs_checks.multiclass.lem3_list_to_weak import whole

claim = Claim(
    id="multiclass.thm3",
    paper="brukhim2023",
    locator="Theorem 3, Section 4; proof in Appendix B.2",
    title="optimal list size times optimal accuracy is 1",
    statement=r"k(\mathcal H)\cdot\gamma(\mathcal H)=1",
    assumes=(
        r"k(\mathcal H)<\infty\text{ is the smallest }k\text{ for which }\mathcal H\text{ is }k\text{-list"
        r" PAC learnable}",
        r"\gamma(\mathcal H)\text{ is the supremum of the }\gamma\text{ for which }\mathcal H\text{ is }"
        r"\gamma\text{-weak PAC learnable}",
    ),
    expect=Verdict.PROVED_UP_TO_LISTED_STEPS,
    quantifiers={"n": sp.Range(1, sp.oo), "f": sp.Interval.Ropen(0, 1)},
    repairs=("multiclass.thm3.rounds",),
    uses=("multiclass.lem3", "multiclass.lem1b", "multiclass.def5", "multiclass.def6", "multiclass.nfl"),
    note="The theorem holds; its proof has a slip: a learner of accuracy 1/k + σ_0/2 has the edge σ_0/2, so "
    "Lemma 5 must be used with σ = σ_0/2 and four times the rounds, see thm3.rounds. On finite classes both "
    "numbers are 1; on [K]^N they are K and 1/K. The finite heart of the theorem is the minimax theorem: "
    "votes of value v put the right label among the ⌊1/v⌋ most voted ones.",
)
slip = Claim(
    id="multiclass.thm3.rounds",
    paper="brukhim2023",
    locator="Proof of Theorem 3, Appendix B.2",
    title="number of rounds in the proof of Theorem 3",
    reading=Reading.CANONICAL,
    statement=r"T=\frac{8\ln m}{\sigma_0^2},\ \eta=\sqrt{\frac{\ln m}{2T}}\text{ and accuracy }\frac1k+\frac{"
    r"\sigma_0}2\text{ in every call}\ \Rightarrow\ H(x,y)>\frac Tk\text{ on }S",
    assumes=(
        r"k\text{ is the smallest integer with }\tfrac1k<\gamma(\mathcal H),\ \sigma_0=\gamma(\mathcal H)-"
        r"\tfrac1k",
        r"\text{each hypothesis has accuracy at least }\tfrac1k+\tfrac{\sigma_0}2\text{ on the "
        r"distribution it "
        r"was given}",
    ),
    expect=Verdict.REFUTED,
    uses=("multiclass.alg1",),
    note="The proof takes a learner of accuracy 1/k + σ_0/2 and uses Lemma 5 with σ = σ_0, a quarter of the "
    "rounds that this learner needs: the early right, late wrong adversary keeps one example off its list. "
    "The log of the printed T is ln, as in Lemma 5; to base 2 the rounds would just do. With σ = σ_0/2, "
    "four times the rounds, the step holds, and so does the theorem.",
)

# 1/γ(H) = n + f with n = k - 1 = ⌊1/γ(H)⌋, k the smallest integer with 1/k < γ(H)
n, f, eps = sp.symbols("n f epsilon", nonnegative=True)
gamma = 1 / (n + f)
edge = gamma - 1 / (n + 1)
BOX = {n: sp.Range(1, sp.oo), f: sp.Interval.Ropen(0, 1)}
STEPS = [
    Obligation("1/k < γ(H): the edge σ_0 = γ(H) - 1/k is at least 0", BOX, lambda sigma, half: edge),
    Obligation("γ(H) <= 1/(k - 1)", BOX, lambda sigma, half: 1 / n - gamma),
    Obligation(
        "a learner of accuracy 1/k + σ_0/2 has the edge σ = σ_0/2 that Lemma 5 is given",
        BOX,
        lambda sigma, half: (1 / (n + 1) + edge / 2) - 1 / (n + 1) - sigma * edge,
    ),
    Obligation(
        "k is the smallest integer for the accuracy 1/k + σ_0/2 too",
        BOX,
        lambda sigma, half: 1 / n - (1 / (n + 1) + edge / 2),
    ),
    Obligation(
        "Lemma 3 with ε/2 gives the accuracy (1 - ε)/k(H)",
        {eps: sp.Interval(0, 1), n: sp.Range(1, sp.oo)},
        lambda sigma, half: (1 - 2 * half * eps) / n - (1 - eps) / n,
    ),
]
HALF = sp.Rational(1, 2)


@claim.check(
    "symbolic",
    scope="the scalar steps of Appendix B.2, for every 0 < γ(H) <= 1",
    over=STEPS,
    by_hand=(
        "γ(H) >= 1/k(H): Lemma 3 for every ε > 0, and the supremum",
        "γ(H) <= 1/k(H): Algorithm 4 with σ = σ_0/2 puts y among at most k - 1 labels with H > T/k on the "
        "sample (lem1b), which generalises (thm7), so k(H) <= k - 1 <= 1/γ(H)",
        "T depends on m and m on the draws of a call: redrawing makes those independent of T",
    ),
)
def scalar_steps_of_the_proof(step, *, sigma=HALF, half=HALF):
    """Each scalar step, decided on its whole range."""
    return decide(sp.together(step.data(sigma, half)), step.domain)


scalar_steps_of_the_proof.mutant("σ = σ_0, as printed", sigma=sp.Integer(1))
scalar_steps_of_the_proof.mutant("Lemma 3 with ε, as printed", half=sp.Integer(1))


class Spread(NamedTuple):
    """K labels, n points, m examples, lists of k."""

    K: int
    n: int
    m: int
    k: int


@claim.check(
    "exhaustive",
    scope="K <= 6 labels, k < K, up to 5 examples, up to 1000 points; exact",
    over=[
        Spread(K, points, m, k)
        for K in range(2, 7)
        for k in range(1, K)
        for m in range(6)
        for points in (1, 2, 10, 1000)
    ],
)
def coverage_on_many_points_tends_to_its_share(case, *, examples=1, labels=0):
    """(k/K) + (1 - k/K) m/n minus the best mean coverage of k-lists in [K]^n."""
    share = Fraction(case.k + labels, case.K)
    closed = no_free_lunch.exact(K=case.K, n=case.n, m=case.m, k=case.k)
    return share + (1 - share) * examples * Fraction(case.m, case.n) - closed


coverage_on_many_points_tends_to_its_share.mutant("m/2 in place of m", examples=Fraction(1, 2))
coverage_on_many_points_tends_to_its_share.mutant("lists of k - 1", labels=-1)


def least_full_list(K):
    """Smallest k whose limit k/K of the coverage on many points is 1."""
    return min(k for k in range(1, K + 1) if Fraction(k, K) == 1)


@claim.check("exhaustive", scope="[K]^N for K = 2, …, 8; exact", over=range(2, 9), relation="equality")
def product_on_the_class_of_all_functions(K, *, size=least_full_list, entries=1):
    """Distance of k(H) γ(H) from 1: γ(H) is k/K at k = 1, and the value of the game of K constants."""
    limit = Fraction(entries, K)
    game = game_value([[label == y for y in range(K)] for label in range(K)])
    return -max(abs(size(K) * value - 1) for value in (limit, game.low, game.high))


product_on_the_class_of_all_functions.mutant("lists of K - 1 labels", size=lambda K: K - 1)
product_on_the_class_of_all_functions.mutant("accuracy of lists of two", entries=2)


class Votes(NamedTuple):
    """Where each hypothesis is right, and whether wrong hypotheses agree on a label."""

    right: tuple[tuple[bool, ...], ...]
    together: bool

    def predictions(self):
        """Labels: 0 is right everywhere, a wrong hypothesis says 1, or a label of its own."""
        return [
            [0 if ok else 1 if self.together else 1 + j for ok in row] for j, row in enumerate(self.right)
        ]


@cache
def solved(right):
    """The game's enclosed value and mixture."""
    return game_value(right)


def games():
    """All games of up to three hypotheses on up to three examples, and the game of K constants."""
    for hypotheses, points in ((1, 1), (2, 2), (2, 3), (3, 2), (3, 3)):
        for rows in product(product((False, True), repeat=points), repeat=hypotheses):
            # the order of the hypotheses does not matter
            if list(rows) == sorted(rows, reverse=True):
                yield from (Votes(rows, together) for together in (True, False))
    for K in (4, 5):
        rows = tuple(tuple(i == j for i in range(K)) for j in range(K))
        yield from (Votes(rows, together) for together in (True, False))


def value_lists(case, size=lambda v: floor(1 / v), mixture=None):
    """Vote lists of the game's mixture."""
    game = solved(case.right)
    weights = mixture(len(case.right)) if mixture else game.mixture
    return vote_lists(case.predictions(), weights, size(game.low))


@claim.check(
    "exhaustive",
    scope="up to 3 hypotheses on up to 3 examples with value v > 0, and K constants for K = 4, 5; exact",
    over=lambda: (case for case in games() if solved(case.right).low > 0),
    relation="equivalence",
)
def vote_lists_of_the_value_are_consistent(case, *, size=lambda v: floor(1 / v), mixture=None):
    """The ⌊1/v⌋ labels with the most votes hold the right one on every example."""
    return all(0 in given for given in value_lists(case, size, mixture))


vote_lists_of_the_value_are_consistent.mutant("lists of ⌊1/v⌋ - 1", size=lambda v: floor(1 / v) - 1)
vote_lists_of_the_value_are_consistent.mutant(
    "equal votes in place of the game's mixture", mixture=lambda M: [Fraction(1, M)] * M
)


class Places(NamedTuple):
    """Lists of k labels: the place of the right label for each example."""

    k: int
    places: tuple[int, ...]


@claim.check(
    "exhaustive",
    scope="lists of up to 4 labels that hold the right one, up to 4 examples, every place; exact",
    over=lambda: [
        Places(k, p) for k, m in ((1, 2), (2, 4), (3, 3), (4, 4)) for p in product(range(k), repeat=m)
    ],
)
def consistent_lists_have_value_one_kth(case, *, share=1, size=0):
    """Value of the game of the k entries minus 1/k."""
    rows = tuple(tuple(place == j for place in case.places) for j in range(case.k))
    return solved(rows).low - Fraction(share, case.k - size)


consistent_lists_have_value_one_kth.mutant("v >= 2/k", share=2)
# lists of one label have no shorter ones
consistent_lists_have_value_one_kth.mutant("v >= 1/(k - 1/2)", size=Fraction(1, 2))


class Boosted(NamedTuple):
    """List bound k, edge σ_0 <= 1/(k(k - 1)) of the best accuracy, sample size."""

    k: int
    edge: Fraction
    m: int


@cache
def fewest_hits(case, share):
    """Rounds for σ = share σ_0, and the hits that the adversary of accuracy 1/k + σ_0/2 leaves an example."""
    T = whole(stated_rounds, m=case.m, gamma=share * case.edge)
    accuracy = Fraction(1, case.k) + case.edge / 2
    return T, fewest_right(case.m, T, accuracy, lambda bits: enclosure(stated_step, bits, m=case.m, T=T))


@slip.check(
    "witness",
    scope="k = 3, γ(H) = 1/2: m = 5806, T = 2496, where one example has T/3 = 832 hits, and m = 10^6, T = "
    "3979, a sample that Lemma 5 allows, where one has 1319; every accuracy in intervals",
    over=[Boosted(3, Fraction(1, 6), 5806), Boosted(3, Fraction(1, 6), 10**6)],
)
def hits_with_the_printed_rounds(case, *, share=Fraction(1)):
    """KH - T - 1 in whole numbers, with K the list bound: at least 0 if H > T/k strictly."""
    T, hits = fewest_hits(case, share)
    return case.k * hits - T - 1


hits_with_the_printed_rounds.rescue("σ_0/2 in place of σ_0", share=Fraction(1, 2))


@claim.check(
    "exhaustive",
    scope="the witness, k = 2 and γ(H) = 3/4 or 1, k = 4 and γ(H) = 1/3, m up to 10^6; in intervals",
    over=[
        Boosted(2, Fraction(1, 2), 100),
        Boosted(2, Fraction(1, 4), 10**6),
        Boosted(4, Fraction(1, 12), 1000),
    ],
    replays=hits_with_the_printed_rounds,
)
def hits_with_four_times_the_rounds(case, *, share=Fraction(1, 2), level=1):
    """KH - T - 1 for rounds that fit the edge σ_0/2."""
    T, hits = fewest_hits(case, share)
    return case.k * hits - level * T - 1


hits_with_four_times_the_rounds.mutant("rounds for the edge σ_0, as printed", share=Fraction(1))
hits_with_four_times_the_rounds.mutant("more than 6/5 of T/k", level=Fraction(6, 5))
