"""Theorem 8 (a compression scheme for lists of p - 1), Brukhim, Daniely, Mansour & Moran 2023."""

from fractions import Fraction
from functools import cache
from math import ceil, comb
from typing import NamedTuple

import numpy as np
import sympy as sp

from boosttheory.charts import Curve, tightness_chart
from boosttheory.claims import Claim, Reading, Verdict
from boosttheory.concepts import FiniteClass, hamming_ball, random_class, zero_and_singletons
from boosttheory.oneinclusion import (
    Graph,
    OneInclusionLearner,
    Orientation,
    ceil_log,
    out_degrees,
    remove_one_label,
)
from boosttheory.symbolic import Obligation, decide
from proofs_checks.multiclass.def7_k_ds_shattering import family_of, orbits

LOCATOR = "Theorem 8, Appendix C.2"
SPACE = (
    r"\mathcal H\subseteq[p]^{\mathcal X},\ d^{p-1}_{DS}(\mathcal H)\le d,\ S\text{ is }\mathcal H"
    r"\text{-realizable}"
)

claim = Claim(
    id="multiclass.thm8",
    paper="brukhim2023",
    locator=LOCATOR,
    title="lists of p − 1 from 4pd⌈8p² ln 2m⌉ examples",
    statement=r"\exists\ m\to r\text{ scheme for }(p-1)\text{-lists, consistent with }S,\quad "
    r"r=4pd\cdot\lceil8p^2\ln(2m)\rceil",
    assumes=(SPACE,),
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("multiclass.lem11", "multiclass.alg5"),
    note="The scheme is run: a distribution Q over subsets from the game, certified in fractions, the "
    "draws from it, "
    "and the lists rebuilt from the drawn subsets alone. The best orientations of the library are so "
    "good that on "
    "small classes one subset errs nowhere and Q need not mix. With ties broken against the sample, "
    "which Algorithm 5 "
    "allows, every subset found errs somewhere and Q mixes many. For p = 1 there is nothing to check: "
    "no class "
    "is below dimension infinity.",
)
chernoff = Claim(
    id="multiclass.thm8.repetitions",
    paper="brukhim2023",
    locator="Eqs 31 and 32, Appendix C.2",
    title="⌈12p ln 2m⌉ repetitions suffice",
    reading=Reading.CANONICAL,
    statement=r"\ell\ge12p\ln(2m):\quad "
    r"m\cdot\Pr\left[\mathrm{Bin}\left(\ell,\tfrac1{4p}\right)\ge\tfrac{\ell}{2p}"
    r"\right]<1,\quad\text{so }r=4pd\lceil12p\ln(2m)\rceil\text{ will do}",
    expect=Verdict.PROVED_UP_TO_LISTED_STEPS,
    quantifiers={"p": sp.Range(2, sp.oo), "v": sp.Interval(0, sp.oo)},
    uses=("multiclass.thm8",),
    note="The multiplicative form of Chernoff's bound in place of the additive one of Eq 32: p in "
    "place of p². The "
    "table shows the least number of repetitions for which the exact binomial tail is below 1/m. We "
    "have not met "
    "it in the literature on this scheme.",
)
printed = Claim(
    id="multiclass.thm8.eq32",
    paper="brukhim2023",
    locator="Eqs 31 and 32, Appendix C.2",
    title="⌈8p² ln 2m⌉ repetitions suffice",
    statement=r"\ell=\lceil8p^2\ln(2m)\rceil:\quad\Pr\left[\mathrm{Bin}\left(\ell,\tfrac1{4p}\right)\ge\tfrac{\ell}{2p}"
    r"\right]\le\tfrac1{2m}",
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("multiclass.thm8",),
    note="A vote below 1/(2p) for the right label is more than the proof needs: the p votes add up to "
    "1, so below 1/p is "
    "enough.",
)


class Task(NamedTuple):
    """A class in [p]^N and the true function; the sample is the whole domain, with d = d^{p-1}_DS."""

    p: int
    rows: tuple[tuple[int, ...], ...]
    truth: tuple[int, ...]
    ties: str = "library"


class AgainstZero(OneInclusionLearner):
    """Zero and the singletons, ties broken so that each set of points has a place where zero is left out.

    With w distinct points the graph is a star, and an orientation of out-degree 1 may leave its centre out of
    any one edge: here the edge of the point with rank (sum of the points) mod w. A function of the set alone.
    """

    def orientation(self, x):
        """The star's orientation; the library's where a point is repeated."""
        points = tuple(sorted((*self._drawn, x)))
        if points in self._solved or len(set(points)) < len(points):
            return super().orientation(x)
        graph = Graph(FiniteClass._of_codes(self.family.patterns[:, points], self.family.labels))
        rows = graph.patterns
        zero = int(np.flatnonzero(~rows.any(axis=1))[0])
        chosen = np.ones(graph.edge_of.shape, dtype=np.bool_)
        left_out = sum(points) % len(points)
        for i in range(len(points)):
            single = int(np.flatnonzero((rows[:, i] == 1) & (rows.sum(axis=1) == 1))[0])
            chosen[i, zero if i == left_out else single] = False
        worst = int(out_degrees(graph, chosen).max())
        self._solved[points] = Orientation(graph, 1, chosen, worst, np.arange(len(rows)))
        return self._solved[points]


LEARNERS = {"library": OneInclusionLearner, "against zero": AgainstZero}


@cache
def removal(task):
    """The class's dimension and one run of the scheme."""
    h = family_of(task.p, task.rows)
    d = h.ds_dimension(task.p - 1)
    lists = [tuple(range(task.p))] * h.n_points
    sample = list(enumerate(task.truth))
    chosen = LEARNERS[task.ties](h, task.p - 1, lists=lists)
    return d, remove_one_label(h, sample, lists, task.p, d, np.random.default_rng(0), learner=chosen)


def rebuilt(task, drawn):
    """The lists from the drawn subsets alone: [p] without the label that most of them name as wrong."""
    chosen = LEARNERS[task.ties](family_of(task.p, task.rows), task.p - 1)
    votes = [[0] * task.p for _ in task.truth]
    for subset, count in drawn:
        chosen.fit(subset)
        for x, vote in enumerate(votes):
            listed = chosen.predict_list(x)
            vote[next(y for y in range(task.p) if y not in listed)] += count
    return tuple(tuple(y for y in range(task.p) if y != vote.index(max(vote))) for vote in votes)


def tasks():
    """Small classes with every member as the truth, and larger ones."""
    for p, n_points in ((2, 1), (2, 2), (2, 3), (3, 1), (3, 2)):
        for rows, _ in orbits(p, n_points):
            for truth in rows:
                yield Task(p, rows, truth)
    rng = np.random.default_rng(8)
    made = [
        (2, FiniteClass([[int(x >= t) for x in range(20)] for t in range(21)])),
        (2, zero_and_singletons(12)),
        (3, hamming_ball(6, 1, 3)),
        *((3, random_class(20, 6, 3, rng)) for _ in range(3)),
        *((4, random_class(40, 5, 4, rng)) for _ in range(2)),
    ]
    for p, h in made:
        rows = tuple(h)
        for truth in (rows[0], rows[len(rows) // 2]):
            yield Task(p, rows, truth)
    yield Task(2, tuple(zero_and_singletons(30)), (0,) * 30, "against zero")


def times_8_p_squared(p, m):
    """⌈8p² ln 2m⌉."""
    return ceil_log(8 * p * p, m)


def times_12_p(p, m):
    """⌈12p ln 2m⌉."""
    return ceil_log(12 * p, m)


def without_p(p, m):
    """⌈8 ln 2m⌉, whatever p."""
    return ceil_log(8, m)


@claim.check(
    "exhaustive",
    scope="every class in [2]^3 and [3]^2 or smaller, up to symmetry, every member as the truth; "
    "thresholds, balls and "
    "random classes on up to 20 points with p <= 4; zero and singletons on 30 points with adversarial ties",
    over=tasks,
)
def size_less_the_examples_used(task, *, repetitions=times_8_p_squared, factor=4):
    """Bound r minus the number of examples drawn, or −1 where the scheme fails."""
    d, step = removal(task)
    m = len(task.truth)
    lists = rebuilt(task, zip(step.subsets, step.counts, strict=True))
    sound = (
        lists == step.lists
        and all(y in lists[x] and len(lists[x]) == task.p - 1 for x, y in enumerate(task.truth))
        and all(example in enumerate(task.truth) for subset in step.subsets for example in subset)
        and step.out_degree <= d
        and step.floor <= step.value < Fraction(1, 4 * task.p)
    )
    used = sum(len(subset) * count for subset, count in zip(step.subsets, step.counts, strict=True))
    return factor * task.p * d * repetitions(task.p, m) - used if sound else -1


size_less_the_examples_used.mutant("repetitions independent of p", repetitions=without_p)
size_less_the_examples_used.mutant("pd/2 examples a subset in place of 4pd", factor=Fraction(1, 2))


def all_draws(drawn):
    """Every subset that was drawn."""
    return drawn


def first_draw(drawn):
    """The first subset alone."""
    return drawn[:1]


@claim.check(
    "exhaustive",
    scope="zero and singletons on 20, 25 and 30 points, zero is true, ties broken against zero",
    over=[Task(2, tuple(zero_and_singletons(n)), (0,) * n, "against zero") for n in (20, 25, 30)],
    relation="equivalence",
    table=lambda task: {
        "points": len(task.truth),
        "subsets mixed by Q": sum(q > 0 for q in removal(task)[1].mixture),
        "value of Q": str(removal(task)[1].value),
        "allowed 1/(4p)": "1/8",
        "largest vote": str(removal(task)[1].vote),
        "allowed 1/(2p)": "1/4",
    },
)
def lists_where_each_subset_errs(task, *, drawn=all_draws, value=Fraction(1, 8)):
    """Whether the drawn subsets rebuild consistent lists together and none alone; value below 1/(4p)."""
    _, step = removal(task)
    pairs = list(zip(step.subsets, step.counts, strict=True))
    alone = [rebuilt(task, [pair]) for pair in pairs]
    if any(all(0 in listed for listed in lists) for lists in alone):
        return False
    return 0 < step.value < value and all(0 in listed for listed in rebuilt(task, drawn(pairs)))


lists_where_each_subset_errs.mutant("one subset in place of many", drawn=first_draw)
lists_where_each_subset_errs.mutant("value below 1/(16p)", value=Fraction(1, 32))


class Setting(NamedTuple):
    """Number of labels and of examples."""

    p: int
    m: int


@cache
def tail(repetitions, p, parts):
    """Exact probability that Bin(ℓ, 1/(4p)) is at least ℓ/(parts·p)."""
    first = ceil(Fraction(repetitions, parts * p))
    below = sum(comb(repetitions, j) * (4 * p - 1) ** (repetitions - j) for j in range(first))
    return 1 - Fraction(below, (4 * p) ** repetitions)


@cache
def least_repetitions(p, m):
    """Least ℓ from which on every number of repetitions up to ⌈12p ln 2m⌉ has m·tail < 1."""
    enough = times_12_p(p, m)
    while enough > 1 and m * tail(enough - 1, p, 2) < 1:
        enough -= 1
    return enough


def line(case):
    """One line of the table."""
    return {
        "p": case.p,
        "m": case.m,
        "printed ⌈8p² ln 2m⌉": times_8_p_squared(*case),
        "⌈12p ln 2m⌉": times_12_p(*case),
        "least": least_repetitions(*case),
    }


SETTINGS = [Setting(p, m) for p in (2, 3, 4, 6, 8) for m in (1, 2, 3, 10, 100, 10**4)]
LONG = [Setting(p, m) for p in (*range(2, 13), 20) for m in (1, 2, 3, 10, 100, 1000, 10**4, 10**6)]
SCOPE = "p in {2, 3, 4, 6, 8}, m in {1, 2, 3, 10, 100, 10^4}; exact binomial tails"


@printed.check("exhaustive", scope=SCOPE, over=SETTINGS)
def half_an_example_less_the_tail(case, *, repetitions=times_8_p_squared, allowed=Fraction(1, 2)):
    """1/2 - m·P[Bin >= ℓ/(2p)]."""
    return allowed - case.m * tail(repetitions(*case), case.p, 2)


half_an_example_less_the_tail.mutant("repetitions independent of p", repetitions=without_p)
half_an_example_less_the_tail.mutant("⌈p ln 2m⌉ repetitions", repetitions=lambda p, m: ceil_log(p, m))


def chart():
    """Repetitions over the number of labels, 100 examples."""
    labels, m = [2, 3, 4, 6, 8], 100
    return tightness_chart(
        [
            Curve("stated", "⌈8p² ln 2m⌉", labels, [times_8_p_squared(p, m) for p in labels]),
            Curve("repaired", "⌈12p ln 2m⌉", labels, [times_12_p(p, m) for p in labels]),
            Curve("best possible", "exact binomial tail", labels, [least_repetitions(p, m) for p in labels]),
        ],
        x="labels p",
        y="repetitions",
        log_y=True,
        caption="Theorem 8 on 100 examples: repetitions, and the fewest with which the union bound over the "
        "examples gives a list that is right on all.",
    )


@chernoff.check(
    "exhaustive",
    scope=SCOPE,
    over=SETTINGS,
    slow_over=LONG,
    slow_scope="p from 2 to 12 and 20, m from 1 to 10^6; exact binomial tails",
    table=line,
    figure=chart,
)
def one_less_the_expected_number_of_failures(case, *, repetitions=times_12_p):
    """1 - m·P[Bin >= ℓ/(2p)]."""
    return 1 - case.m * tail(repetitions(*case), case.p, 2)


one_less_the_expected_number_of_failures.mutant("repetitions independent of p", repetitions=without_p)
one_less_the_expected_number_of_failures.mutant(
    "⌈3p ln 2m⌉ repetitions", repetitions=lambda p, m: ceil_log(3 * p, m)
)

p, v = sp.symbols("p v", positive=True)
BOX = {p: sp.Range(2, sp.oo), v: sp.Interval(0, sp.oo)}
CHERNOFF = [
    Obligation("E 2^X = (1 + 1/(4p))^ℓ, as 1 + (2 − 1)/(4p) is the mean of one factor", BOX, "mean"),
    Obligation("(e/4)^μ <= e^{-μ/3}: 2 ln 2 - 1 >= 1/3", BOX, "exponent"),
    Obligation("with μ = ℓ/(4p), ℓ = 12pv: μ/3 >= v = ln 2m", BOX, "count"),
]


@chernoff.check(
    "symbolic",
    scope="every p >= 2 and every v = ln 2m",
    over=CHERNOFF,
    by_hand=(
        "Markov's inequality for 2^X, X = Bin(ℓ, 1/(4p)): P[X >= 2μ] <= (1 + 1/(4p))^ℓ 4^{-μ} <= (e/4)^μ",
        "so each of m examples fails with probability at most e^{-ln 2m} = 1/(2m), and some draw serves all",
    ),
)
def steps_of_chernoffs_bound(step, *, factor=12, base=2):
    """Each scalar step, decided on its whole range."""
    if step.data == "mean":
        mean = sp.Rational(1) * (1 - 1 / (4 * p)) + base / (4 * p)
        return decide(-((mean - 1 - 1 / (4 * p)) ** 2), step.domain)
    if step.data == "exponent":
        return decide(base * sp.log(2) - 1 - sp.Rational(1, 3) + 0 * v, step.domain)
    return decide(factor * p * v / (4 * p) / 3 - v, step.domain)


steps_of_chernoffs_bound.mutant("9p in place of 12p", factor=9)
steps_of_chernoffs_bound.mutant("3 in place of 2 in Markov's inequality", base=3)
