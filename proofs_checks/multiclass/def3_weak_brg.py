"""Definition 3 (weak-BRG learning), Brukhim, Daniely, Mansour & Moran 2023."""

from fractions import Fraction

from boosttheory.claims import Claim, Role, Verdict
from boosttheory.enumerations import compositions
from boosttheory.weak_games import brg_slack, success_probability
from proofs_checks.multiclass.def1_brg_condition import distribution, instances

claim = Claim(
    id="multiclass.def3",
    paper="brukhim2023",
    locator="Definition 3, Section 2",
    title="weak-BRG learning",
    role=Role.DEFINITION,
    statement=r"\Pr_{S\sim\mathcal D^{m_0}}\left[\Pr_{(x,y)\sim\mathcal D}[h(x)=y]\ge\frac1k+\gamma\right]"
    r"\ge1-\delta_0",
    assumes=(
        r"\mathcal D\text{ is }\mathcal H\text{-realizable},\ \mathcal H\subseteq[k]^{\mathcal X}",
        r"m_0\ge m_0(\delta_0)",
    ),
    expect=Verdict.CONFORMS,
    uses=("multiclass.def1",),
    note="Definition 1 with the list of all k labels. On a finite class every γ < 1 - 1/k is within reach; "
    "the definition says something on infinite classes, and for learners that are restricted.",
)


def binary_and_ternary():
    """The instances with labels 0, 1, 2, without their lists."""
    seen = set()
    for case in instances():
        if (key := (case.examples, case.hypothesis)) not in seen:
            seen.add(key)
            yield case


def all_labels(n_labels):
    """The list of all labels."""
    return tuple(range(n_labels))


def one_missing(n_labels):
    """The list without the last label."""
    return tuple(range(n_labels - 1))


@claim.check(
    "exhaustive",
    scope="two equally likely examples on 2 points with 3 labels, all hypotheses",
    over=binary_and_ternary,
    relation="equality",
)
def weak_brg_is_brg_with_the_full_list(case, *, full=all_labels, n_labels=3):
    """Equation 1 with μ(x) = [k] against Equation 3."""
    hits = sum(case.hypothesis[x] == y for x, y in case.examples)
    weak = Fraction(hits, len(case.examples)) - Fraction(1, n_labels) - case.gamma
    slack = brg_slack(distribution(case.examples), case.hypothesis, [full(3)] * 2, case.gamma)
    return -abs(weak - slack)


weak_brg_is_brg_with_the_full_list.mutant("a label missing from the list", full=one_missing)
weak_brg_is_brg_with_the_full_list.mutant("1/2 in place of 1/k", n_labels=2)

# the two classifiers of the warm-up: a and b together, c apart
FIRST, SECOND = [(0,), (0,), (2,)], [(1,), (1,), (2,)]


def empirical_minimiser(sample):
    """The classifier with more hits among the two of the warm-up, the first on a tie."""
    hits = sum(1 if y == 0 else -1 if y == 1 else 0 for _, y in sample)
    return FIRST if hits >= 0 else SECOND


@claim.check(
    "exhaustive",
    scope="the three examples of the warm-up, every distribution with denominator 12, five draws; exact",
    over=lambda: list(compositions(12, 3)),
)
def warm_up_learner_is_a_weak_brg_learner(
    counts, *, gamma=Fraction(1, 12), delta=Fraction(1, 4), rule=empirical_minimiser
):
    """Probability of accuracy 1/3 + γ over five draws, minus 1 - δ_0, at γ = 1/12 and δ_0 = 1/4."""
    drawn = {(i, i): Fraction(c, 12) for i, c in enumerate(counts)}
    return success_probability(rule, drawn, 5, Fraction(1, 3) + gamma) - (1 - delta)


warm_up_learner_is_a_weak_brg_learner.mutant("γ = 1/4", gamma=Fraction(1, 4))
warm_up_learner_is_a_weak_brg_learner.mutant("δ_0 = 1/5 with the same five draws", delta=Fraction(1, 5))
warm_up_learner_is_a_weak_brg_learner.mutant("always the first classifier", rule=lambda sample: FIRST)
