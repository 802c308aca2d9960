"""Definition 2 (the empirical BRG condition), Brukhim, Daniely, Mansour & Moran 2023."""

from fractions import Fraction
from itertools import combinations, product
from typing import NamedTuple

from boosttheory.claims import Claim, Reading, Role, Verdict
from boosttheory.enumerations import compositions
from boosttheory.weak_games import brg_slack, success_probability

PAPER, LOCATOR = "brukhim2023", "Definition 2, Section 1.1"
HALF = Fraction(1, 2)

claim = Claim(
    id="multiclass.def2",
    paper=PAPER,
    locator=LOCATOR,
    title="empirical BRG condition, as printed",
    role=Role.DEFINITION,
    statement=r"\exists m_0\ \forall p,\mu:\quad\sum_{i=1}^mp_i\mathbb 1[h(x_i)=y_i]\ge\left(\frac1k+\gamma"
    r"\right)\sum_{i=1}^mp_i\mathbb 1[y_i\in\mu(x_i)]",
    assumes=(
        r"h\text{ is the output for }m_0\text{ examples drawn from }p\text{, and }\mu:\mathcal X|_S\to"
        r"\mathcal Y^k,\ k\ge2",
    ),
    expect=Verdict.CONFORMS,
    uses=("multiclass.def1",),
    note="No failure probability is named. A sample can be drawn from every distribution with full support, "
    "also from one that lies almost wholly on one example, so the printed condition asks for a hypothesis "
    "that is right wherever the list is. With lists that hold every label this is a learner right on all "
    "of S, and boosting is not needed; def2.oracle is what the algorithms use.",
)
oracle = Claim(
    id="multiclass.def2.oracle",
    paper=PAPER,
    locator="Definitions 2 and 4, Sections 1.1 and 3, as an oracle",
    title="empirical BRG condition, as the algorithms use it",
    role=Role.DEFINITION,
    reading=Reading.CANONICAL,
    statement=r"\mathrm{weak}(p,\mu)=h:\quad\sum_{i=1}^mp_i\mathbb 1[h(x_i)=y_i]\ge\frac1k+\gamma",
    assumes=(
        r"y_i\in\mu(x_i)\text{ for all }i,\ k\ge2,\ \gamma\in(0,\tfrac12]",
        r"\text{a learner of }m_0\text{ draws reaches the accuracy with probability at least }\tfrac12"
        r"\text{ and is drawn again until it does}",
    ),
    expect=Verdict.CONFORMS,
    uses=("multiclass.def2",),
    note="The accuracy is asked on the distribution that the oracle was given, call by call. Such an oracle "
    "need not be right on all of S, and redrawing a learner that succeeds half of the time makes one.",
)


class Rule(NamedTuple):
    """Labels of two examples, their lists, and the hypothesis for each sample of one draw."""

    y: tuple[int, ...]
    lists: tuple[tuple[int, ...], ...]
    answers: tuple[tuple[int, ...], ...]


def rules():
    """All rules of one draw on two examples with 3 labels and lists of 2."""
    hypotheses = list(product(range(3), repeat=2))
    for y in ((0, 0), (0, 1)):
        for lists in product(combinations(range(3), 2), repeat=2):
            for answers in product(hypotheses, repeat=2):
                yield Rule(y, lists, answers)


GAMMA = Fraction(1, 10)


def near_points():
    """The uniform distribution, and distributions that lie almost wholly on one example."""
    return (HALF, HALF), (Fraction(9, 10), Fraction(1, 10)), (Fraction(1, 10), Fraction(9, 10))


def uniform_only():
    """The uniform distribution alone."""
    return ((HALF, HALF),)


def every_sample(chances):
    """Each sample yields a good hypothesis."""
    return sum(chances) == 1


def half_of_the_samples(chances):
    """A sample yields a good hypothesis with probability at least 1/2."""
    return sum(chances) >= HALF


def meets(rule, over, demand, length=2):
    """Tell whether the rule meets Equation 2 on some distributions."""
    lists = [given[:length] for given in rule.lists]
    for p in over():
        drawn = {(i, label): share for i, (label, share) in enumerate(zip(rule.y, p, strict=True))}
        good = [brg_slack(drawn, h, lists, GAMMA) >= 0 for h in rule.answers]
        if not demand([share for share, ok in zip(p, good, strict=True) if ok]):
            return False
    return True


SCOPE = "all rules u → h_u on two examples, one draw, 3 labels, "


@claim.check("exhaustive", scope=SCOPE + "lists of 2 labels, γ = 1/10", over=rules, relation="equivalence")
def printed_condition_means_right_wherever_the_list_is(
    rule, *, over=near_points, demand=every_sample, length=2, conclude=all
):
    """Equation 2 holds on the distributions tried iff every h_u is right wherever the list is."""
    right = (
        guess == y
        for h in rule.answers
        for guess, y, given in zip(h, rule.y, rule.lists, strict=True)
        if y in given[:length]
    )
    return meets(rule, over, demand, length) == conclude(right)


printed_condition_means_right_wherever_the_list_is.mutant("only the uniform distribution", over=uniform_only)
printed_condition_means_right_wherever_the_list_is.mutant(
    "success with probability 1/2 over the sample", demand=half_of_the_samples
)
printed_condition_means_right_wherever_the_list_is.mutant("k = 1 allowed", length=1)
printed_condition_means_right_wherever_the_list_is.mutant("met by an inconsistent learner", conclude=any)


def lightest(p):
    """The example with the least weight."""
    return min(range(len(p)), key=p.__getitem__)


def heaviest(p):
    """The example with the largest weight."""
    return max(range(len(p)), key=p.__getitem__)


@oracle.check(
    "exhaustive",
    scope="three examples, every distribution with denominator 12, hypotheses wrong on one example each",
    over=lambda: [tuple(Fraction(c, 12) for c in counts) for counts in compositions(12, 3)],
)
def oracle_that_is_never_right_everywhere(p, *, omit=lightest, gamma=Fraction(1, 6)):
    """Accuracy minus 1/2 - γ of the hypothesis that is wrong on the lightest example, with lists of 2."""
    drawn = {(i, 0): share for i, share in enumerate(p)}
    wrong = omit(p)
    hypothesis = [int(i == wrong) for i in range(len(p))]
    return brg_slack(drawn, hypothesis, [(0, 1)] * len(p), gamma)


oracle_that_is_never_right_everywhere.mutant("wrong on the heaviest example", omit=heaviest)
oracle_that_is_never_right_everywhere.mutant("γ = 1/4", gamma=Fraction(1, 4))


class Redraw(NamedTuple):
    """A learner right on the points it has seen: their weights, its draws, its accuracy, the attempts."""

    p: tuple[Fraction, ...]
    m0: int
    level: Fraction
    attempts: int


def chance(case):
    """Probability that one attempt reaches the accuracy."""
    drawn = {(i, 0): share for i, share in enumerate(case.p)}

    def rule(sample):
        seen = {x for x, _ in sample}
        return [(0,) if x in seen else (1,) for x in range(len(case.p))]

    return success_probability(rule, drawn, case.m0, case.level)


def redraws():
    """Learners that succeed with probability at least 1/2."""
    for counts in compositions(4, 3):
        for m0, level, attempts in product((1, 2, 3), (HALF, Fraction(2, 3), Fraction(3, 4)), (1, 2, 5)):
            case = Redraw(tuple(Fraction(c, 4) for c in counts), m0, level, attempts)
            if chance(case) >= HALF:
                yield case


@oracle.check(
    "exhaustive",
    scope="three examples with weights in quarters, up to 3 draws, three accuracies, up to 5 attempts",
    over=redraws,
)
def attempts_that_all_fail(case, *, base=2, more=0):
    """2^-r minus the probability that r independent attempts all fail."""
    return Fraction(1, base ** (case.attempts + more)) - (1 - chance(case)) ** case.attempts


attempts_that_all_fail.mutant("3^-r", base=3)
attempts_that_all_fail.mutant("one attempt fewer", more=1)
