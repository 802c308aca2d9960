"""The example with three points (better than 1/k is too weak), Brukhim et al. 2023, Section 2."""

from fractions import Fraction
from itertools import product

import sympy as sp

from boosttheory.claims import Claim, Verdict
from boosttheory.symbolic import Obligation, decide
from boosttheory.weak_games import game_value

claim = Claim(
    id="multiclass.warmup",
    paper="brukhim2023",
    locator="Example with three points, Section 2",
    title="better than 1/3 is too weak for boosting",
    statement=r"\max_{j=1,2}\Pr_{(x,y)\sim D}[h_j(x)=y]\ge\tfrac12\text{ for every }D,\quad"
    r"\text{yet }\max_g\Pr_{(x,y)\in S}[g(h_1(x),h_2(x))=y]\le\tfrac23",
    assumes=(
        r"S=\{(a,1),(b,2),(c,3)\},\ h_1(a)=h_1(b)=1,\ h_2(a)=h_2(b)=2,\ h_1(c)=h_2(c)=3",
        r"g:\mathcal Y^2\to\mathcal Y\text{ is any way to aggregate the two predictions}",
    ),
    expect=Verdict.PROVED,
    quantifiers={"s": sp.Interval(0, 1), "u": sp.Interval(0, 1)},
    uses=("multiclass.def3",),
    note="Both numbers are attained: 1/2 where c has no weight and a, b share it, 2/3 by either classifier "
    "on its own. Of the nine values of g two matter, those at (1, 2) and at (3, 3).",
)

# D gives a, b and c the weights su, s(1 - u) and 1 - s
s, u = sp.symbols("s u", nonnegative=True)
HALF = sp.Rational(1, 2)
STEPS = [
    Obligation("h_1 where a is no lighter than b", {s: sp.Interval(0, 1), u: sp.Interval(HALF, 1)}, "a"),
    Obligation("h_2 where b is no lighter than a", {s: sp.Interval(0, 1), u: sp.Interval(0, HALF)}, "b"),
]


@claim.check("symbolic", scope="every distribution over the three examples", over=STEPS)
def better_classifier_has_accuracy_one_half(step, *, level=HALF, swapped=False):
    """Accuracy of the better classifier minus 1/2."""
    hit = s * u if (step.data == "a") != swapped else s * (1 - u)
    return decide(hit + (1 - s) - level, step.domain)


better_classifier_has_accuracy_one_half.mutant("more than 1/2", level=sp.Rational(51, 100))
better_classifier_has_accuracy_one_half.mutant("the worse classifier", swapped=True)

LABELS = (0, 1, 2)
FIRST, SECOND = (0, 0, 2), (1, 1, 2)


@claim.check(
    "exhaustive", scope="the game of the two classifiers; exact", over=[(FIRST, SECOND)], relation="equality"
)
def value_of_the_game(classifiers, *, value=Fraction(1, 2), target=LABELS):
    """Minus the distance of the game's value from 1/2, both ends of its enclosure."""
    game = game_value([[h == y for h, y in zip(row, target, strict=True)] for row in classifiers])
    return -max(abs(game.low - value), abs(game.high - value))


value_of_the_game.mutant("value 2/3", value=Fraction(2, 3))
value_of_the_game.mutant("a and b have the same label", target=(0, 0, 2))


def aggregators():
    """Values of g at the two pairs of predictions that occur."""
    return list(product(LABELS, repeat=2))


def from_predictions(values, x):
    """The final classifier sees the predictions only."""
    return values[0] if x < 2 else values[1]


def from_point(values, x):
    """The final classifier sees the point: a is told from b by adding 1."""
    return (values[0] + x) % 3 if x < 2 else values[1]


@claim.check("exhaustive", scope="all nine aggregators of the two predictions", over=aggregators)
def aggregators_err_on_a_third(values, *, final=from_predictions, bound=Fraction(2, 3)):
    """2/3 minus the training accuracy."""
    return bound - Fraction(sum(final(values, x) == y for x, y in enumerate(LABELS)), 3)


aggregators_err_on_a_third.mutant("aggregator that sees x", final=from_point)
aggregators_err_on_a_third.mutant("at most 1/3", bound=Fraction(1, 3))


@claim.check("exhaustive", scope="all nine aggregators, together", over=[aggregators()], relation="equality")
def best_aggregator_attains_two_thirds(given, *, bound=Fraction(2, 3), final=from_predictions):
    """Distance of the best training accuracy from 2/3."""
    hits = [sum(final(values, x) == y for x, y in enumerate(LABELS)) for values in given]
    return -abs(Fraction(max(hits), 3) - bound)


best_aggregator_attains_two_thirds.mutant("1/2 in place of 2/3", bound=Fraction(1, 2))
best_aggregator_attains_two_thirds.mutant("aggregator that sees x", final=from_point)
