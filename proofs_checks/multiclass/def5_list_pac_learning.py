"""Definition 5 (k-list PAC learning), Brukhim, Daniely, Mansour & Moran 2023."""

from fractions import Fraction
from itertools import product
from math import prod
from typing import NamedTuple

from boosttheory.claims import Claim, Role, Verdict
from boosttheory.enumerations import classes_up_to_symmetry
from boosttheory.weak_games import coverage, success_probability

claim = Claim(
    id="multiclass.def5",
    paper="brukhim2023",
    locator="Definition 5, Section 4",
    title="k-list PAC learning",
    role=Role.DEFINITION,
    statement=r"\Pr_{S\sim\mathcal D^m}\left[\Pr_{(x,y)\sim\mathcal D}[y\in\mu_S(x)]\ge1-\epsilon\right]\ge1-"
    r"\delta\text{ for }m\ge m(\epsilon,\delta)",
    assumes=(r"\mathcal D\text{ is }\mathcal H\text{-realizable}", r"\mu_S:\mathcal X\to\mathcal Y^k"),
    expect=Verdict.CONFORMS,
    note="Every finite class is learnable with lists of one label, by any consistent rule; the definition "
    "parts infinite classes only.",
)


class Learning(NamedTuple):
    """A class on two points, the weights of a target's examples, list size, sample size, ε."""

    rows: tuple[tuple[int, ...], ...]
    target: tuple[int, ...]
    weight: Fraction
    k: int
    m: int
    epsilon: Fraction


def learnings(sizes=(1, 2, 3)):
    """All classes in [2]^2 and [3]^2 up to symmetry with up to four patterns, all targets."""
    classes = [rows for K in (2, 3) for rows, _ in classes_up_to_symmetry(K, 2) if len(rows) <= 4]
    for rows in classes:
        for target, k, m in product(rows, (1, 2), sizes):
            for weight, epsilon in product(
                (Fraction(1, 2), Fraction(2, 3), Fraction(1)), (Fraction(0), Fraction(2, 5))
            ):
                yield Learning(rows, target, weight, k, m, epsilon)


def examples(case):
    """The distribution over the examples of the target."""
    return {(0, case.target[0]): case.weight, (1, case.target[1]): 1 - case.weight}


def consistent_lists(case):
    """The rule that lists the first k labels of the members of the class that agree with the sample."""

    def rule(sample):
        left = [row for row in case.rows if all(row[x] == y for x, y in sample)]
        return [tuple(dict.fromkeys(row[x] for row in left))[: case.k] for x in range(2)]

    return rule


def by_sequences(case, rule, distinct, strict):
    """The outer probability of the definition, summed over ordered samples."""
    drawn = examples(case)
    total = Fraction(0)
    for sample in product(sorted(drawn), repeat=case.m):
        if distinct and len(set(sample)) < case.m:
            continue
        covered = coverage(drawn, rule(sample))
        if covered > 1 - case.epsilon or (covered == 1 - case.epsilon and not strict):
            total += prod((drawn[e] for e in sample), start=Fraction(1))
    return total


@claim.check(
    "exhaustive",
    scope="classes in [2]^2 and [3]^2 up to symmetry, at most 4 patterns, up to 3 examples, lists of 1, 2",
    over=learnings,
    relation="equality",
)
def evaluator_agrees_with_ordered_samples(case, *, distinct=False, strict=False):
    """Probability of success over multisets against the sum over ordered samples."""
    rule = consistent_lists(case)
    found = success_probability(rule, examples(case), case.m, 1 - case.epsilon)
    return -abs(found - by_sequences(case, rule, distinct, strict))


evaluator_agrees_with_ordered_samples.mutant("samples without repetition", distinct=True)
evaluator_agrees_with_ordered_samples.mutant("coverage strictly above 1 - ε", strict=True)


@claim.check(
    "exhaustive",
    scope="the same classes, up to 3 examples; the rule that lists labels of consistent members",
    over=learnings,
)
def finite_classes_are_list_learnable(case, *, members=len, power=1):
    """(|H| - 1)(1 - ε)^m minus the probability that the lists miss more than ε."""
    failing = 1 - success_probability(consistent_lists(case), examples(case), case.m, 1 - case.epsilon)
    return (members(case.rows) - 1) * (1 - case.epsilon) ** (power * case.m) - failing


finite_classes_are_list_learnable.mutant("two members whatever the class", members=lambda rows: 2)
finite_classes_are_list_learnable.mutant("(1 - ε)^3m", power=3)
