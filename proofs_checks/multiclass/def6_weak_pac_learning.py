"""Definition 6 (γ-weak PAC learning), Brukhim, Daniely, Mansour & Moran 2023."""

from fractions import Fraction
from itertools import product
from math import prod

from boosttheory.claims import Claim, Role, Verdict
from boosttheory.weak_games import success_probability
from proofs_checks.multiclass.def5_list_pac_learning import consistent_lists, examples, learnings

claim = Claim(
    id="multiclass.def6",
    paper="brukhim2023",
    locator="Definition 6, Section 4",
    title="γ-weak PAC learning",
    role=Role.DEFINITION,
    statement=r"\Pr_{S\sim\mathcal D^m}\left[\Pr_{(x,y)\sim\mathcal D}[y=h_S(x)]\ge\gamma\right]\ge1-\delta"
    r"\text{ for }m\ge m(\delta)",
    assumes=(r"\mathcal D\text{ is }\mathcal H\text{-realizable}",),
    expect=Verdict.CONFORMS,
    uses=("multiclass.def5",),
    note="γ is the accuracy itself, not an edge over random guessing as in Definition 3. With γ = 1 - ε it "
    "is Definition 5 for lists of one label and one ε.",
)


def single():
    """The instances of Definition 5 with lists of one label."""
    return (case for case in learnings() if case.k == 1)


def weak_success(case, gamma, rule):
    """Probability over ordered samples that the classifier is right with probability at least γ."""
    drawn = examples(case)
    total = Fraction(0)
    for sample in product(drawn, repeat=case.m):
        h = rule(sample)
        accuracy = sum(share for (x, y), share in drawn.items() if h[x] == y)
        if accuracy >= gamma:
            total += prod((drawn[e] for e in sample), start=Fraction(1))
    return total


def classifier(case):
    """The first label of the list at each point."""
    return lambda sample: [given[0] for given in consistent_lists(case)(sample)]


def constant(case):
    """The target's first label everywhere, whatever the sample."""
    return lambda sample: [case.target[0]] * 2


@claim.check(
    "exhaustive",
    scope="the classes of Definition 5, lists of one label, up to 3 examples",
    over=single,
    relation="equality",
)
def weak_learning_is_list_learning_with_one_label(case, *, accuracy=lambda eps: 1 - eps, h=classifier):
    """Success of the classifier at γ = 1 - ε against success of its lists at ε."""
    listed = success_probability(consistent_lists(case), examples(case), case.m, 1 - case.epsilon)
    return -abs(listed - weak_success(case, accuracy(case.epsilon), h(case)))


weak_learning_is_list_learning_with_one_label.mutant("γ = ε", accuracy=lambda eps: eps)
weak_learning_is_list_learning_with_one_label.mutant("a constant classifier", h=constant)


@claim.check("exhaustive", scope="the same, γ = 3/5 and 1", over=single)
def finite_classes_have_any_accuracy_below_one(case, *, members=len, draws=0):
    """Probability of accuracy γ minus 1 - (|H| - 1) γ^m."""
    gamma = 1 - case.epsilon
    promised = 1 - (members(case.rows) - 1) * gamma ** (case.m + draws)
    return weak_success(case, gamma, classifier(case)) - promised


finite_classes_have_any_accuracy_below_one.mutant("two members whatever the class", members=lambda rows: 2)
finite_classes_have_any_accuracy_below_one.mutant("three more draws", draws=3)
