"""Lemmas 7, 8 and 11 beside the best that any rule can do, Brukhim, Daniely, Mansour & Moran 2023."""

from fractions import Fraction
from functools import cache
from typing import NamedTuple

from boosttheory.charts import Curve, tightness_chart
from boosttheory.claims import Claim, Enclosure, Reading, Verdict
from boosttheory.concepts import full_class, zero_and_singletons
from boosttheory.enumerations import compositions
from boosttheory.games import minimax_coverage, minimax_over_distributions
from boosttheory.oneinclusion import expected_error
from proofs_checks.multiclass.def7_k_ds_shattering import family_of, orbits
from proofs_checks.multiclass.lem7_leave_one_out import learner

claim = Claim(
    id="multiclass.lem8.minimax",
    paper="brukhim2023",
    locator="Lemmas 7, 8 and 11, Appendix C",
    title="the best coverage that any rule can promise",
    reading=Reading.CANONICAL,
    statement=r"\max_{\text{rules}}\min_{h\in\mathcal H}\mathbb E_{U\sim\mathcal D^d}\Pr_{x\sim\mathcal D}["
    r"h(x)\in\mu_U(x)]\ge\frac1{d+1},\quad d=d^k_{DS}(\mathcal H)",
    assumes=(r"\mathcal D\text{ is uniform on the points},\ \mu_U(x)\text{ are lists of }k\text{ labels}",),
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("multiclass.lem8", "multiclass.lem7.symmetric", "multiclass.lem11"),
    note="The value of list learning as a game, enclosed by weak duality in rationals. No rule is better "
    "than it, Algorithm 5 included.",
)


class Instance(NamedTuple):
    """A class in [K]^n, its patterns, the list size, the dimension, and the number of examples."""

    n_labels: int
    rows: tuple[tuple[int, ...], ...]
    k: int
    d: int
    m: int


@cache
def value(instance):
    """The game's enclosure."""
    return minimax_coverage(family_of(instance.n_labels, instance.rows), instance.m, instance.k)


@cache
def algorithm_5(instance):
    """Least coverage of the library's one-inclusion rule over the targets."""
    n = len(instance.rows[0])
    family, rule = (
        family_of(instance.n_labels, instance.rows),
        learner(instance.n_labels, instance.k, instance.rows),
    )
    worst = Fraction(0)
    for row in instance.rows:
        law = {(x, y): Fraction(1, n) for x, y in enumerate(row)}
        worst = max(worst, expected_error(family, instance.k, law, instance.m, learner=rule)[0])
    return 1 - worst


def instances(boxes=((2, 2), (2, 3), (2, 4), (3, 2))):
    """Every class in some boxes, every list size below K, d examples."""
    for n_labels, n_points in boxes:
        for rows, _ in orbits(n_labels, n_points):
            for k in range(1, n_labels):
                d = family_of(n_labels, rows).ds_dimension(k)
                yield Instance(n_labels, rows, k, d, d)


SCOPE = (
    "every class in [2]^4 and [3]^2 or smaller up to symmetry, every k < K, equally likely points, d "
    "examples; exact"
)


def longer_samples():
    """Classes with k = K - 1 and 4Kd examples, as in Lemma 11; the value depends on few points only."""
    for n_labels, n_points in ((2, 2), (2, 3), (3, 2)):
        for rows, _ in orbits(n_labels, n_points):
            d = family_of(n_labels, rows).ds_dimension(n_labels - 1)
            yield Instance(n_labels, rows, n_labels - 1, d, 4 * n_labels * d)


def chart():
    """Coverage of the full class on d points and of zero and the singletons over the number of examples."""
    lengths = list(range(0, 9))
    family = zero_and_singletons(6)
    rows = tuple(map(tuple, family.patterns.tolist()))
    ones = [Instance(2, rows, 1, 1, m) for m in lengths]
    cube = full_class(2, 3)
    cubes = [float(minimax_coverage(cube, m).high) for m in lengths]
    return tightness_chart(
        [
            Curve(
                "stated", "1 − d/(n + 1) (Lemmas 6 and 7), d = 1", lengths, [1 - 1 / (m + 1) for m in lengths]
            ),
            Curve(
                "worst known",
                "Algorithm 5, zero and 6 singletons",
                lengths,
                [float(algorithm_5(i)) for i in ones],
            ),
            Curve(
                "best possible",
                "any rule, zero and 6 singletons",
                lengths,
                [float(value(i).high) for i in ones],
            ),
            Curve("other", "any rule, all of {0, 1}^3 (d = 3)", lengths, cubes),
        ],
        x="examples n",
        y="least expected coverage",
        caption="Learning single labels on equally likely points: the bound of Lemma 7 at out-degree d = 1, "
        "what Algorithm 5 reaches, and the exact minimax value of any rule.",
        vacuous=(0, 0.5),
    )


@claim.check("exhaustive", scope=SCOPE, over=lambda: [*instances()], figure=chart)
def best_rule_less_the_lemma(instance, *, more=1, share=1):
    """A lower bound of the best rule's coverage, minus 1/(d + 1)."""
    return value(instance).low - share * Fraction(1, instance.d + more)


best_rule_less_the_lemma.mutant("twice the bound", share=2)
best_rule_less_the_lemma.mutant("1/(d + 1/4)", more=Fraction(1, 4))


@claim.check("exhaustive", scope=SCOPE, over=lambda: [*instances()])
def best_rule_less_algorithm_5(instance, *, better=0, fewer=0):
    """An upper bound of the best rule's coverage, minus that of Algorithm 5."""
    rival = instance._replace(m=max(0, instance.m - fewer))
    return value(rival).high - algorithm_5(instance) - better


best_rule_less_algorithm_5.mutant("Algorithm 5 better by 1/100", better=Fraction(1, 100))
best_rule_less_algorithm_5.mutant("one example fewer for the best rule", fewer=1)


@claim.check(
    "exhaustive",
    scope="Lemma 11: every class in [2]^3 and [3]^2 or smaller up to symmetry, k = p - 1, equally likely "
    "points, 4pd examples; exact",
    over=longer_samples,
)
def best_rule_less_lemma_11(instance, *, factor=4, fewer=1):
    """A lower bound of the best rule's coverage with 4pd examples, minus 1 - 1/(4p)."""
    rival = instance._replace(m=instance.m // fewer)
    return value(rival).low - 1 + Fraction(1, factor * instance.n_labels)


best_rule_less_lemma_11.mutant("1 - 1/(40p) with pd/2 examples", factor=40, fewer=8)
best_rule_less_lemma_11.mutant("pd/4 examples", fewer=16)


every = Claim(
    id="multiclass.lem8.distributions",
    paper="brukhim2023",
    locator="Lemmas 7, 8 and 11, Appendix C",
    title="the best coverage that any rule can promise for every distribution",
    reading=Reading.CANONICAL,
    statement=r"\max_{\text{rules}}\inf_{\mathcal D}\min_{h\in\mathcal H}\mathbb E_{U\sim\mathcal D^n}"
    r"\Pr_{x\sim\mathcal D}[h(x)\in\mu_U(x)]\ge1-\frac d{n+1},\quad d=d^k_{DS}(\mathcal H)",
    assumes=(r"\mu_U(x)\text{ are lists of }k\text{ labels, the rule knows }\mathcal H\text{ alone}",),
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("multiclass.lem8", "multiclass.lem7.symmetric", "multiclass.lem6.every", "multiclass.lem11"),
    note="Lemma 7 with out-degree d: n = d is Lemma 8, n = 4pd with k = p - 1 is Lemma 11. Enclosed by two "
    "linear programs in rationals: distributions with weights in N-ths from above, samples drawn without "
    "replacement from N points from below, of which every distribution is a mixture. At N = n + 1 the lower "
    "one is the leave-one-out argument of Lemma 7.",
)


def universal(boxes=((2, 1), (3, 1), (4, 1), (2, 2), (2, 3), (3, 2))):
    """Every class in some boxes, every list size below K, up to two examples."""
    for n_labels, n_points in boxes:
        for rows, _ in orbits(n_labels, n_points):
            for k in range(1, n_labels):
                d = family_of(n_labels, rows).ds_dimension(k)
                yield from (Instance(n_labels, rows, k, d, m) for m in range(3))


@cache
def for_every_distribution(instance, parts):
    """Enclosure of the game over all distributions."""
    return minimax_over_distributions(
        family_of(instance.n_labels, instance.rows), instance.m, instance.k, parts=parts
    )


@cache
def algorithm_5_on(instance, parts):
    """Least coverage of the library's one-inclusion rule over targets and distributions in N-ths."""
    rule, worst = learner(instance.n_labels, instance.k, instance.rows), Fraction(0)
    for row in instance.rows:
        for counts in compositions(parts, len(row)):
            law = {(x, y): Fraction(c, parts) for x, (y, c) in enumerate(zip(row, counts, strict=True)) if c}
            family = family_of(instance.n_labels, instance.rows)
            worst = max(worst, expected_error(family, instance.k, law, instance.m, learner=rule)[0])
    return 1 - worst


def chart_over_distributions():
    """Coverage of zero and three singletons over the number of examples, the worst distribution for each."""
    lengths, parts = list(range(6)), 6
    rows = tuple(map(tuple, zero_and_singletons(4).patterns.tolist()))
    ones = [Instance(2, rows, 1, 1, m) for m in lengths]
    games = [for_every_distribution(one, parts) for one in ones]
    return tightness_chart(
        [
            Curve("stated", "1 − d/(n + 1), d = 1", lengths, [Fraction(m, m + 1) for m in lengths]),
            Curve("worst known", "Algorithm 5", lengths, [algorithm_5_on(one, parts) for one in ones]),
            Curve("best possible", "any rule, at most", lengths, [game.high for game in games]),
            Curve("other", "some rule, at least", lengths, [game.low for game in games]),
        ],
        x="examples n",
        y="coverage for the worst target and distribution",
        caption="Zero and three singletons: Lemma 7 at out-degree 1, what Algorithm 5 reaches where the "
        "weights are sixths, and an enclosure of what the best rule can promise.",
        vacuous=(0, 0.5),
    )


@every.check(
    "exhaustive",
    scope="every class in [2]^3, [3]^2 and [4]^1 or smaller up to symmetry, every k < K, n = 0, 1, 2, every "
    "distribution; exact",
    over=lambda: [*universal()],
    figure=chart_over_distributions,
)
def best_rule_for_every_distribution_less_the_lemma(instance, *, share=1, more=1):
    """The enclosure of the best rule's least coverage, minus 1 - d/(n + 1)."""
    game = for_every_distribution(instance, instance.m + 3)
    bound = 1 - share * Fraction(instance.d, instance.m + more)
    return Enclosure(game.low - bound, game.high - bound)


best_rule_for_every_distribution_less_the_lemma.mutant("d/2 in place of d", share=Fraction(1, 2))
best_rule_for_every_distribution_less_the_lemma.mutant("n + 2 in place of n + 1", more=2)


@every.check(
    "exhaustive",
    scope="every class in [2]^2 and [3]^1 up to symmetry, every k < K, n = 0, 1, 2, distributions with "
    "weights in sixths; exact",
    over=lambda: [*universal(((2, 1), (2, 2), (3, 1)))],
)
def best_rule_for_every_distribution_less_algorithm_5(instance, *, better=0, fewer=0):
    """An upper bound of the best rule's least coverage, minus that of Algorithm 5."""
    rival = instance._replace(m=max(0, instance.m - fewer))
    return for_every_distribution(rival, 6).high - algorithm_5_on(instance, 6) - better


best_rule_for_every_distribution_less_algorithm_5.mutant(
    "Algorithm 5 better by 1/100", better=Fraction(1, 100)
)
best_rule_for_every_distribution_less_algorithm_5.mutant("one example fewer for the best rule", fewer=1)
