"""Definition 1 (the better-than-random-guess condition), Brukhim, Daniely, Mansour & Moran 2023."""

from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from typing import NamedTuple

from boosttheory.claims import Claim, Role, Verdict
from boosttheory.enumerations import compositions
from boosttheory.weak_games import brg_slack

claim = Claim(
    id="multiclass.def1",
    paper="brukhim2023",
    locator="Definition 1, Section 1.1",
    title="BRG condition",
    role=Role.DEFINITION,
    statement=r"\Pr_{(x,y)\sim\mathcal D}[h(x)=y]\ge\left(\frac1k+\gamma\right)\Pr_{(x,y)\sim\mathcal "
    r"D}[y\in\mu(x)]",
    assumes=(r"\mu:\mathcal X\to\mathcal Y^k,\ k\ge2", r"0<\gamma\le\tfrac12"),
    expect=Verdict.CONFORMS,
    note="k is the nominal length of the lists, which may repeat labels. The left side also counts the hits "
    "outside the list. The paper gives no upper limit of γ: beyond 1/2 no hypothesis meets the condition "
    "for lists of two labels that hold every label; nor does any at k = 1.",
)


class Instance(NamedTuple):
    """Equally likely examples on two points with labels 0, 1, 2, a hypothesis and lists."""

    examples: tuple[tuple[int, int], ...]
    hypothesis: tuple[int, ...]
    lists: tuple[tuple[int, ...], ...]
    gamma: Fraction


def distribution(examples):
    """Each entry is equally likely."""
    return {e: Fraction(examples.count(e), len(examples)) for e in examples}


def instances():
    """All pairs of examples, all hypotheses, all lists of two labels and some of three."""
    support = list(product(range(2), range(3)))
    hints: list[tuple[int, ...]] = [*combinations_with_replacement(range(3), 2)]
    lists = [*product(hints, repeat=2), *product(((0, 1, 2), (0, 0, 1), (2, 2, 2)), repeat=2)]
    for counts in compositions(2, len(support)):
        examples = tuple(e for e, count in zip(support, counts, strict=True) for _ in range(count))
        for hypothesis, given in product(product(range(3), repeat=2), lists):
            yield Instance(examples, hypothesis, given, Fraction(1, 10))


def nominal(lists):
    """Length of the lists."""
    return len(lists[0])


def distinct(lists):
    """Largest number of distinct labels in a list."""
    return max(len(set(given)) for given in lists)


def anywhere(guess, y, given):
    """A hit counts wherever it lies."""
    return guess == y


def inside(guess, y, given):
    """A hit counts inside the list only."""
    return guess == y and y in given


@claim.check(
    "exhaustive",
    scope="two equally likely examples on 2 points with 3 labels, all hypotheses, all lists of 2 labels, "
    "some of 3",
    over=instances,
    relation="equality",
)
def evaluator_agrees_with_counting(case, *, length=nominal, hit=anywhere):
    """Distance of (k hits - (1 + kγ) covered)/(kN), counted over N examples, from the slack of Equation 1."""
    k = length(case.lists)
    hits = sum(hit(case.hypothesis[x], y, case.lists[x]) for x, y in case.examples)
    covered = sum(y in case.lists[x] for x, y in case.examples)
    counted = (k * hits - (1 + k * case.gamma) * covered) / (k * len(case.examples))
    slack = brg_slack(distribution(case.examples), case.hypothesis, case.lists, case.gamma)
    return -abs(counted - slack)


evaluator_agrees_with_counting.mutant("k counts distinct labels", length=distinct)
evaluator_agrees_with_counting.mutant("hits outside the list do not count", hit=inside)


def realizable():
    """The target as hypothesis, on three equally likely draws from its graph; lists of 2 or 3 labels."""
    for target in product(range(3), repeat=2):
        graph = list(enumerate(target))
        for examples in combinations_with_replacement(graph, 3):
            for k in (2, 3):
                for lists in product(combinations(range(3), k), repeat=2):
                    for gamma in (Fraction(1, 100), Fraction(1, 2)):
                        yield Instance(examples, target, lists, gamma)


@claim.check("exhaustive", scope="all targets on 2 points, 3 labels, γ = 1/100 and 1/2", over=realizable)
def target_meets_the_condition(case, *, least=2, stretch=1):
    """Slack of the target itself: the condition can be met for every k >= 2 and γ <= 1/2."""
    lists = [given[:least] if least < 2 else given for given in case.lists]
    return brg_slack(distribution(case.examples), case.hypothesis, lists, stretch * case.gamma)


target_meets_the_condition.mutant("k = 1 allowed", least=1)
target_meets_the_condition.mutant("γ up to 1 allowed", stretch=2)
