"""Theorem 4 (list boosting), Brukhim, Daniely, Mansour & Moran 2023."""

from fractions import Fraction
from itertools import combinations, product
from math import floor
from typing import NamedTuple

import sympy as sp

from boosttheory.charts import Curve, tightness_chart
from boosttheory.claims import Claim, Reading, Verdict
from boosttheory.symbolic import Obligation, decide
from boosttheory.weak_games import game_value, vote_lists
from proofs_checks.multiclass.thm3_optimal_sizes import solved

PAPER, LOCATOR = "brukhim2023", "Theorem 4, Section 4.1; proof in Appendix B.3"
GIVEN = (
    r"\text{with probability at least }1-\delta_0\text{ over }m(\epsilon_0,\delta_0)\text{ examples}"
    r"\text{ of any }\mathcal H\text{-realizable }\mathcal D,\ \mu_S:\mathcal X\to\mathcal "
    r"Y^{k_0}\text{ covers }1-\epsilon_0"
)

claim = Claim(
    id="multiclass.thm4",
    paper=PAPER,
    locator=LOCATOR,
    title="list boosting, for every ε_0 > 0",
    statement=r"\mathcal H\text{ is }k\text{-list PAC learnable for }k=\left\lfloor\frac{k_0}{1-2\epsilon_0}"
    r"\right\rfloor",
    assumes=(GIVEN, r"\epsilon_0,\delta_0>0"),
    expect=Verdict.REFUTED,
    uses=("multiclass.thm3",),
    note="The statement puts no upper limit on ε_0. At ε_0 = 1/2 the size is undefined and above it "
    "negative, while [K]^N meets the hypothesis for every ε_0 > 1 - k_0/K and needs lists of K. δ_0 = 1 "
    "would make the hypothesis empty. Below one half the statement is true but not the best: see "
    "thm4.half and "
    "thm4.size.",
)
remark = Claim(
    id="multiclass.thm4.remark",
    paper=PAPER,
    locator="Remark after Theorem 4, Section 4.1",
    title="the formula gives strong learning from any edge",
    statement=r"k_0=1,\ \epsilon_0\text{ slightly smaller than }\tfrac12\ \Rightarrow\ "
    r"\left\lfloor\frac{k_0}{"
    r"1-2\epsilon_0}\right\rfloor=1",
    assumes=(r"\tfrac14\le\epsilon_0<\tfrac12",),
    expect=Verdict.REFUTED,
    uses=("multiclass.thm4",),
    note="The printed size is 1 only for ε_0 < 1/4 and grows without bound as ε_0 approaches 1/2, so the "
    "theorem as printed does not imply that weak learning is strong learning. The conclusion is right all "
    "the same, with the size of thm4.size.",
)
half = Claim(
    id="multiclass.thm4.half",
    paper=PAPER,
    locator=LOCATOR,
    title="list boosting, for ε_0 < 1/2",
    reading=Reading.CANONICAL,
    statement=r"\mathcal H\text{ is }k\text{-list PAC learnable for }k=\left\lfloor\frac{k_0}{1-2\epsilon_0}"
    r"\right\rfloor",
    assumes=(GIVEN, r"0\le\epsilon_0<\tfrac12,\ 0<\delta_0<1"),
    expect=Verdict.PROVED_UP_TO_LISTED_STEPS,
    quantifiers={"e": sp.Interval.Ropen(0, sp.Rational(1, 2)), "kappa": sp.Interval(1, sp.oo)},
    uses=("multiclass.thm4.size",),
    repairs=("multiclass.thm4",),
    note="What the theorem must mean for its list size to be a number. It follows from thm4.size, whose "
    "lists are at most as long.",
)
size = Claim(
    id="multiclass.thm4.size",
    paper=PAPER,
    locator=LOCATOR,
    title="list boosting with lists of ⌊k_0/(1 - ε_0)⌋, for every ε_0 < 1",
    reading=Reading.CANONICAL,
    statement=r"\mathcal H\text{ is }k\text{-list PAC learnable for }k=\left\lfloor\frac{k_0}{1-\epsilon_0}"
    r"\right\rfloor",
    assumes=(GIVEN, r"0\le\epsilon_0<1,\ 0<\delta_0<1"),
    expect=Verdict.PROVED_UP_TO_LISTED_STEPS,
    quantifiers={"n": sp.Range(1, sp.oo), "f": sp.Interval.Ropen(0, 1)},
    uses=("multiclass.lem3", "multiclass.thm3"),
    repairs=("multiclass.thm4", "multiclass.thm4.remark"),
    note="Lemma 3 loses ε_0/k_0 in selecting a hypothesis, but the loss can be made as small as one likes by "
    "a larger selection sample, and a rounded size does not feel it. No smaller size will do whenever "
    "k_0/(1 - ε_0) is not an integer, because [K]^N with K = ⌊k_0/(1 - ε_0)⌋ meets the hypothesis. With "
    "k_0 = 1 and any ε_0 < 1/2 the size is 1: classical boosting. We have not met this size in the "
    "literature.",
)


class Lists(NamedTuple):
    """[K]^N, whose lists of k_0 constants cover k_0/K, more than 1 - ε_0."""

    k0: int
    epsilon: Fraction
    K: int


def printed(k0, epsilon):
    """⌊k_0/(1 - 2ε_0)⌋."""
    return floor(k0 / (1 - 2 * epsilon))


def best(k0, epsilon):
    """⌊k_0/(1 - ε_0)⌋."""
    return floor(k0 / (1 - epsilon))


def all_functions(least=Fraction(0), most=Fraction(1)):
    """[K]^N for K <= 8 and every k_0 < K: ε_0 just above 1 - k_0/K, and further above."""
    for K in range(2, 9):
        for k0 in range(1, K):
            for more in (Fraction(1, 1000), Fraction(1, 10), Fraction(1, 4)):
                epsilon = 1 - Fraction(k0, K) + more
                if least <= epsilon < most and epsilon != Fraction(1, 2):
                    yield Lists(k0, epsilon, K)


@claim.check(
    "witness",
    scope="[2]^N with lists of one label, ε_0 = 3/5: the printed size is -5",
    over=[Lists(1, Fraction(3, 5), 2)],
)
def printed_size_is_negative(case, *, length=printed):
    """The printed size minus K, the least size for [K]^N."""
    return length(case.k0, case.epsilon) - case.K


printed_size_is_negative.rescue("1 - ε_0 in place of 1 - 2ε_0", length=best)


@remark.check(
    "witness",
    scope="k_0 = 1, ε_0 = 49/100, where the printed size is 50",
    over=[Fraction(49, 100)],
    relation="equality",
)
def printed_size_is_not_one(epsilon, *, length=printed):
    """Distance of the printed size from 1."""
    return -abs(length(1, epsilon) - 1)


printed_size_is_not_one.rescue("1 - ε_0 in place of 1 - 2ε_0", length=best)

e, kappa = sp.symbols("e kappa", nonnegative=True)


@half.check(
    "symbolic",
    scope="every real k_0 >= 1 and 0 <= ε_0 < 1/2",
    over=[
        Obligation(
            "k_0/(1 - 2ε_0) is at least k_0/(1 - ε_0)",
            {e: sp.Interval.Ropen(0, sp.Rational(1, 2)), kappa: sp.Interval(1, sp.oo)},
        )
    ],
    by_hand=("a floor is monotone", "a list learner may pad its lists", "thm4.size"),
)
def printed_size_is_at_least_the_best(step, *, share=sp.Integer(1)):
    """Difference of the two sizes before rounding."""
    return decide(kappa / (1 - 2 * e) - share * kappa / (1 - e), step.domain)


printed_size_is_at_least_the_best.mutant("twice the best size", share=sp.Integer(2))
printed_size_is_at_least_the_best.mutant("101 % of the best size", share=sp.Rational(101, 100))


@half.check(
    "exhaustive",
    scope="[K]^N for K <= 8, ε_0 < 1/2 just above 1 - k_0/K, and 1/10 or 1/4 above",
    over=lambda: list(all_functions(most=Fraction(1, 2))),
)
def printed_size_is_enough_below_one_half(case, *, factor=2, fewer=0):
    """The printed size minus K."""
    return floor(case.k0 / (1 - factor * case.epsilon)) - fewer - case.K


printed_size_is_enough_below_one_half.mutant("ε_0/2 in place of 2ε_0", factor=Fraction(1, 2))
printed_size_is_enough_below_one_half.mutant("two labels fewer", fewer=2)


# k_0/(1 - ε_0) = n + f with n the list size; the weak learner has accuracy (1 - t)/(n + f)
n, f, x = sp.symbols("n f x", nonnegative=True)
BOX = {n: sp.Range(1, sp.oo), f: sp.Interval.Ropen(0, 1)}
STEPS = [
    Obligation(
        "(1 - x)^q <= δ/2 for q = ln(2/δ)/x calls that are good with probability x = (1 - δ_0)/k_0",
        {x: sp.Interval.open(0, 1)},
        lambda t: -sp.log(1 - x) - x,
    ),
    Obligation(
        "n + 1 is an integer k with 1/k < γ for the loss t = (1 - f)/(2(n + 1))",
        BOX,
        lambda t: (1 - t) / (n + f) - 1 / (n + 1),
    ),
    Obligation("γ <= 1/n, so that n + 1 is the smallest one", BOX, lambda t: 1 / n - (1 - t) / (n + f)),
    Obligation("the loss t is at least 0", BOX, lambda t: t),
]
LOSS = (1 - f) / (2 * (n + 1))


@size.check(
    "symbolic",
    scope="the scalar steps for every k_0 >= 1, ε_0 < 1, 0 < δ_0 < 1",
    over=STEPS,
    by_hand=(
        "Lemma 3 with 1 - δ_0 in place of 1/2, and a selection sample for ε' = t(1 - ε_0)/k_0",
        "Appendix B.2: accuracy γ gives lists of n labels where 1/(n + 1) < γ <= 1/n",
    ),
)
def scalar_steps_of_the_sharper_size(step, *, loss=LOSS):
    """Each scalar step, decided on its whole range."""
    return decide(sp.together(step.data(loss)), step.domain)


scalar_steps_of_the_sharper_size.mutant("four times the loss", loss=4 * LOSS)
scalar_steps_of_the_sharper_size.mutant("a loss that ignores f", loss=1 / (2 * (n + 1)))


def chart():
    """List sizes over ε_0, for lists of one label."""
    needed = sorted({case.K for case in all_functions() if case.k0 == 1})

    def steps(length, jumps):
        ends = [(jump, length(1, jump - after)) for jump in jumps for after in (Fraction(1, 1000), 0)]
        return zip((Fraction(0), 1), *ends, strict=True)

    return tightness_chart(
        [
            Curve("stated", "⌊1/(1 − 2ε_0)⌋", *steps(printed, [(1 - Fraction(1, K)) / 2 for K in needed])),
            Curve("repaired", "⌊1/(1 − ε_0)⌋", *steps(best, [1 - Fraction(1, K) for K in needed])),
            Curve(
                "best possible", "[K]^N, any ε_0 above 1 − 1/K", [1 - Fraction(1, K) for K in needed], needed
            ),
        ],
        x="ε_0",
        y="length of the lists",
        vacuous=(0.5, 1),
        caption="Theorem 4 for k_0 = 1. Just right of each triangle [K]^N meets the hypothesis and needs "
        "lists of K labels.",
    )


@size.check(
    "exhaustive",
    scope="[K]^N for K <= 8, every k_0 < K, ε_0 just above 1 - k_0/K, and 1/10 or 1/4 above",
    over=lambda: list(all_functions()),
    replays=printed_size_is_negative,
    figure=chart,
)
def size_is_enough_for_all_functions(case, *, length=best, shorter=0):
    """⌊k_0/(1 - ε_0)⌋ minus K."""
    return length(case.k0, case.epsilon) - shorter - case.K


size_is_enough_for_all_functions.mutant("one label fewer", shorter=1)
size_is_enough_for_all_functions.mutant("ε_0/2 in place of ε_0", length=lambda k0, eps: best(k0, eps / 2))
size_is_enough_for_all_functions.mutant("the printed size, beyond one half too", length=printed)


@size.check(
    "exhaustive",
    scope="k_0 = 1, ε_0 = 0, 1/100, …, 49/100",
    over=[Fraction(c, 100) for c in range(50)],
    replays=printed_size_is_not_one,
    relation="equality",
)
def any_edge_gives_strong_learning(epsilon, *, length=best):
    """Distance of the size from 1."""
    return -abs(length(1, epsilon) - 1)


any_edge_gives_strong_learning.mutant("the printed size", length=printed)
any_edge_gives_strong_learning.mutant("⌈1/(1 - ε_0)⌉", length=lambda k0, eps: -floor(-k0 / (1 - eps)))


@size.check(
    "exhaustive",
    scope="K <= 6 labels, every k_0 <= K; exact",
    over=[Lists(k0, Fraction(0), K) for K in range(2, 7) for k0 in range(1, K + 1)],
    relation="equality",
)
def constant_lists_cover_their_share(case, *, extra=0):
    """Distance from k_0/K of the value of the game of the lists of k_0 constants, both ends."""
    rows = [[y in given for y in range(case.K)] for given in combinations(range(case.K), case.k0)]
    game = game_value(rows)
    share = Fraction(case.k0 + extra, case.K)
    return -max(abs(game.low - share), abs(game.high - share))


constant_lists_cover_their_share.mutant("(k_0 + 1)/K", extra=1)
constant_lists_cover_their_share.mutant("(k_0 - 1)/K", extra=-1)


class Family(NamedTuple):
    """List functions of k_0 labels: on which examples each holds the right label."""

    k0: int
    holds: tuple[tuple[bool, ...], ...]

    def entries(self):
        """Read off the lists entry by entry; 0 is the right label, wrong entries agree on their place."""
        return [
            [0 if held and (i + j) % self.k0 == 0 else 1 + j for i, held in enumerate(row)]
            for row in self.holds
            for j in range(self.k0)
        ]


def families():
    """Families of up to three list functions on up to three examples, of positive value."""
    for k0, count, points in product((1, 2, 3), (1, 2, 3), (2, 3)):
        for rows in product(product((False, True), repeat=points), repeat=count):
            if list(rows) == sorted(rows, reverse=True) and solved(rows).low > 0:
                yield Family(k0, rows)


@size.check(
    "exhaustive",
    scope="up to 3 list functions of up to 3 labels on up to 3 examples, of value c = 1 - ε_0 > 0; exact",
    over=families,
    relation="equivalence",
)
def vote_lists_of_the_size_are_consistent(case, *, length=best, spread=True):
    """The ⌊k_0/c⌋ labels with the most votes among all entries hold the right one on every example."""
    game = solved(case.holds)
    mixture = [q / case.k0 for q in game.mixture for _ in range(case.k0)]
    if not spread:
        mixture = [q * (j == 0) for q in game.mixture for j in range(case.k0)]
    lists = vote_lists(case.entries(), mixture, length(case.k0, 1 - game.low))
    return all(0 in given for given in lists)


vote_lists_of_the_size_are_consistent.mutant("one label fewer", length=lambda k0, eps: best(k0, eps) - 1)
vote_lists_of_the_size_are_consistent.mutant("the first entry of each list only", spread=False)
