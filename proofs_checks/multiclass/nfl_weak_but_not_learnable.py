"""The remark on {1,2,3}^N (weakly learnable, not learnable), Brukhim et al. 2023, Section 2."""

import math
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from boosttheory.bounds import ends, interval_arithmetic, no_free_lunch
from boosttheory.charts import Curve, tightness_chart
from boosttheory.claims import Claim, Enclosure, Reading, Verdict
from boosttheory.enumerations import compositions
from boosttheory.weak_games import best_mean_coverage, coverage, game_value, success_probability

PAPER, LOCATOR = "brukhim2023", "Remark on {1,2,3}^N, Section 2"
HALF = Fraction(1, 2)

claim = Claim(
    id="multiclass.nfl",
    paper=PAPER,
    locator=LOCATOR,
    title="a class that is not learnable has a rule of accuracy 1/2 on some distribution",
    statement=r"\{1,2,3\}^{\mathbb N}\text{ is not PAC learnable, yet some rule has accuracy }\tfrac12>"
    r"\tfrac13\text{ over an }\mathcal H\text{-realizable distribution}",
    assumes=(r"\text{``an'' means: some distribution}",),
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("multiclass.warmup", "multiclass.def3"),
    note="True word for word, but weakly so: every rule that is right somewhere has such a distribution. As "
    "an example of weak-BRG learning it would need every distribution, where it fails (nfl.every); the class "
    "{1,2}^N, seen as a class with three labels, makes the point (nfl.two). The no-free-lunch value is a "
    "closed form that enumeration confirms on small cases.",
)
every = Claim(
    id="multiclass.nfl.every",
    paper=PAPER,
    locator=LOCATOR,
    title="accuracy 1/2 on every realizable distribution",
    reading=Reading.CANONICAL,
    statement=r"\exists\text{ rule, }m:\quad\mathbb E_{S\sim\mathcal D^m}\Pr_{(x,y)\sim\mathcal D}[h_S(x)=y]"
    r"\ge\tfrac12\text{ for every }\{1,2,3\}^{\mathbb N}\text{-realizable }\mathcal D",
    assumes=(r"\text{``an'' means: every distribution, as Definition 3 asks}",),
    expect=Verdict.REFUTED,
    uses=("multiclass.nfl",),
    note="On n points drawn uniformly, with labels drawn at random, no rule is right more often than 1 - "
    "(2/3)(1 - 1/n)^m on average over the targets: 1/3 plus a term that vanishes as n grows. For m = 1 "
    "five points are the fewest that refute; for every m some n does.",
)
two = Claim(
    id="multiclass.nfl.two",
    paper=PAPER,
    locator=LOCATOR,
    title="{1,2}^N with three labels: weakly learnable, not learnable",
    reading=Reading.CANONICAL,
    statement=r"\{1,2\}^{\mathbb N}\text{ with }\mathcal Y=\{1,2,3\}:\quad\Pr_{S\sim\mathcal D^m}\left[\Pr_{"
    r"\mathcal D}[h_S(x)=y]\ge\tfrac13+\tfrac1{12}\right]\ge1-e^{-m/72}\text{ for every }\mathcal D,\text{ "
    r"and no rule has }\epsilon<\tfrac14",
    assumes=(
        r"h_S\text{ is the constant that is more often right on }S",
        r"\mathcal D\text{ is }\{1,2\}^{\mathbb N}\text{-realizable}",
    ),
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    repairs=("multiclass.nfl.every",),
    uses=("multiclass.def3",),
    note="One of the two constants has accuracy 1/2 on every distribution and a sample finds it up to 1/12, "
    "by Hoeffding's inequality, so the class is weak-BRG learnable with three labels; on twice as many "
    "points as examples every rule errs on a quarter on average, so it is not PAC learnable.",
)


class Lunch(NamedTuple):
    """K labels, n points, m examples, lists of k."""

    K: int
    n: int
    m: int
    k: int


def lunches():
    """Small numbers."""
    for K, n, m in product((2, 3, 4), (1, 2, 3, 4), (0, 1, 2, 3)):
        if K**n * n ** (m + 1) <= 20000:
            for k in range(1, K):
                yield Lunch(K, n, m, k)


@claim.check(
    "exhaustive",
    scope="K = 2, 3, 4 labels, up to 4 points and 3 examples, all targets and samples; exact",
    over=lunches,
    relation="equality",
)
def best_rule_on_average_over_the_targets(case, *, seen=0, points=0):
    """Minus the distance of 1 - (1 - k/K)(1 - 1/n)^m from the best mean coverage by enumeration."""
    closed = no_free_lunch.exact(K=case.K, n=case.n + points, m=case.m + seen, k=case.k)
    return -abs(closed - best_mean_coverage(case.K, case.n, case.m, case.k))


best_rule_on_average_over_the_targets.mutant("m + 1 examples in place of m", seen=1)
best_rule_on_average_over_the_targets.mutant("n + 1 points in place of n", points=1)


def twice(m):
    """Twice as many points as examples."""
    return 2 * m


@claim.check("exhaustive", scope="1 to 60 examples of three labels, twice as many points", over=range(1, 61))
def class_is_not_learnable(m, *, points=twice, level=Fraction(2, 3)):
    """2/3 minus the best mean accuracy: some target costs every rule an error of a third."""
    return level - no_free_lunch.exact(K=3, n=points(m), m=m, k=1)


class_is_not_learnable.mutant("one point more than examples", points=lambda m: m + 1)
class_is_not_learnable.mutant("an error of two fifths", level=Fraction(3, 5))


def realizable(labels, points=3, grain=6):
    """All distributions on some points with weights in sixths and a label each."""
    for counts in compositions(grain, points):
        for target in product(labels, repeat=points):
            yield {(x, y): Fraction(c, grain) for x, (y, c) in enumerate(zip(target, counts, strict=True))}


def better_constant(distribution):
    """Accuracy of the better of the constants 0 and 1."""
    return max(coverage(distribution, [(label,)] * 3) for label in (0, 1))


@claim.check(
    "exhaustive",
    scope="all distributions on three points with weights in sixths and labels 1, 2, 3; those on labels 1, 2",
    over=lambda: list(realizable((0, 1, 2))),
)
def accuracy_one_half_where_two_labels_occur(distribution, *, given=(0, 1), level=HALF):
    """Accuracy of the better of two constants minus 1/2, or 0 where a third label occurs."""
    used = {y for (_, y), p in distribution.items() if p}
    return better_constant(distribution) - level if used <= set(given) else Fraction(0)


accuracy_one_half_where_two_labels_occur.mutant("every realizable distribution", given=(0, 1, 2))
accuracy_one_half_where_two_labels_occur.mutant("accuracy 2/3", level=Fraction(2, 3))


def refuting_sizes():
    """For each number of examples the fewest points that refute, by enumeration while that is small."""
    return [Lunch(3, 5, 1, 1), *(Lunch(3, fewest_points(m), m, 1) for m in range(2, 31))]


def fewest_points(m):
    """Smallest n with (1 - 1/n)^m > 3/4."""
    n = 1
    while (1 - Fraction(1, n)) ** m <= Fraction(3, 4):
        n += 1
    return n


def chart():
    """Accuracy over the number of points, three examples of three labels."""
    points = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30]
    short = next(n for n in range(1, 31) if no_free_lunch.exact(K=3, n=n, m=3, k=1) < HALF)
    return tightness_chart(
        [
            Curve("stated", "1/2", points[:: len(points) - 1], [0.5, 0.5]),
            Curve("other", "guessing, 1/3", points[:: len(points) - 1], [1 / 3, 1 / 3]),
            Curve(
                "best possible",
                "best rule on average over the targets",
                points,
                [no_free_lunch.exact(K=3, n=n, m=3, k=1) for n in points],
            ),
        ],
        x="equally likely points n",
        y="accuracy",
        caption="The class {1,2,3}^N after three examples: no rule has accuracy 1/2 from "
        f"{short} points on.",
    )


@every.check(
    "witness",
    scope="1 to 30 examples, three labels, the fewest points that refute: 5 points for one example",
    over=refuting_sizes,
    figure=chart,
)
def best_rule_falls_short(case, *, level=HALF, labels=3):
    """Best mean accuracy over the targets minus 1/2; one example by enumeration, more by the closed form."""
    if case.m == 1:
        return best_mean_coverage(labels, case.n, 1) - level
    return no_free_lunch.exact(K=labels, n=case.n, m=case.m, k=1) - level


best_rule_falls_short.rescue("1/3 in place of 1/2", level=Fraction(1, 3))
best_rule_falls_short.rescue("two labels", labels=2)


@two.check(
    "exhaustive",
    scope="the points and examples of the witness, and 1, 2 or 20 points; two labels",
    over=[Lunch(2, n, m, 1) for n in (1, 2, 20) for m in (1, 2, 3)],
    replays=best_rule_falls_short,
)
def two_labels_at_the_witness(case, *, labels=2, level=HALF):
    """Best mean accuracy over the targets in {1,2}^n minus 1/2."""
    return no_free_lunch.exact(K=labels, n=case.n, m=case.m, k=1) - level


two_labels_at_the_witness.mutant("three labels", labels=3)
two_labels_at_the_witness.mutant("accuracy 3/5", level=Fraction(3, 5))


@two.check(
    "exhaustive",
    scope="all distributions of the check above on labels 1, 2",
    over=lambda: list(realizable((0, 1))),
)
def better_constant_has_accuracy_one_half(distribution, *, level=HALF, choose=max):
    """Accuracy of the better constant minus 1/2."""
    return choose(coverage(distribution, [(label,)] * 3) for label in (0, 1)) - level


better_constant_has_accuracy_one_half.mutant("accuracy 2/3", level=Fraction(2, 3))
better_constant_has_accuracy_one_half.mutant("the worse constant", choose=min)


@two.check(
    "exhaustive",
    scope="the game of two constants on 1 to 4 examples of each label",
    relation="equality",
    over=range(1, 5),
)
def value_of_the_constants(size, *, value=HALF):
    """Minus the distance of the game's value from 1/2."""
    game = game_value([[label == y for y in (0, 1) for _ in range(size)] for label in (0, 1)])
    return -max(abs(game.low - value), abs(game.high - value))


value_of_the_constants.mutant("value 1/3", value=Fraction(1, 3))
value_of_the_constants.mutant("value 2/3", value=Fraction(2, 3))


class Vote(NamedTuple):
    """m examples, the share q of label 1."""

    m: int
    q: Fraction


def more_frequent(sample):
    """The constant that is more often right on the sample."""
    ones = sum(y for _, y in sample)
    return [(int(2 * ones >= len(sample)),)] * 2


def failure_chart():
    """Failure of the better constant over the number of examples."""
    sizes = [1, 2, 3, 5, 8, 13, 20, 36, 72]

    def failing(m):
        return 1 - min(
            success_probability(more_frequent, {(0, 0): 1 - q, (1, 1): q}, m, HALF - Fraction(1, 12))
            for q in (Fraction(c, 48) for c in range(49))
        )

    return tightness_chart(
        [
            Curve("stated", "e^(−m/72)", sizes, [math.exp(-m / 72) for m in sizes]),
            Curve("worst known", "worst share of the labels", sizes, [failing(m) for m in sizes]),
        ],
        x="examples m",
        y="probability of an accuracy below 5/12",
        caption="{1,2}^N with three labels: the constant that is more often right on the sample, and "
        "Hoeffding's bound.",
    )


@two.check(
    "exhaustive",
    scope="m = 1, …, 72 examples, share of label 1 in forty-eighths; exact laws against intervals",
    over=lambda: [Vote(m, Fraction(c, 48)) for m in (1, 2, 3, 8, 20, 72) for c in range(49)],
    figure=failure_chart,
)
def failure_of_the_better_constant(case, *, rate=72, gap=Fraction(1, 12)):
    """e^{-m/72} minus the probability of an accuracy below 5/12."""
    arithmetic = interval_arithmetic(128)
    drawn = {(0, 0): 1 - case.q, (1, 1): case.q}
    failing = 1 - success_probability(more_frequent, drawn, case.m, HALF - gap)
    return Enclosure(
        *ends(arithmetic.exp(arithmetic.convert(Fraction(-case.m, rate))) - arithmetic.convert(failing))
    )


failure_of_the_better_constant.mutant("e^{-m/3}", rate=3)
failure_of_the_better_constant.mutant("accuracy 1/2 in place of 5/12", gap=Fraction(0))


@two.check("exhaustive", scope="1 to 60 examples of two labels, twice as many points", over=range(1, 61))
def two_labels_are_not_learnable(m, *, points=twice, level=Fraction(3, 4)):
    """3/4 minus the best mean accuracy."""
    return level - no_free_lunch.exact(K=2, n=points(m), m=m, k=1)


two_labels_are_not_learnable.mutant("one point more than examples", points=lambda m: m + 1)
two_labels_are_not_learnable.mutant("an error of three tenths", level=Fraction(7, 10))
