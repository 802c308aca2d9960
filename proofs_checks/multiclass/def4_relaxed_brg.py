"""Definition 4 (relaxed empirical BRG learning), Brukhim, Daniely, Mansour & Moran 2023."""

from fractions import Fraction

from boosttheory.bounds import required_accuracy
from boosttheory.claims import Claim, Role, Verdict
from boosttheory.weak_games import brg_slack
from proofs_checks.multiclass.def1_brg_condition import distinct, distribution, instances, nominal
from proofs_checks.multiclass.def2_empirical_brg import (
    SCOPE,
    every_sample,
    half_of_the_samples,
    meets,
    near_points,
    rules,
)

claim = Claim(
    id="multiclass.def4",
    paper="brukhim2023",
    locator="Definition 4, Section 3",
    title="relaxed empirical BRG learning",
    role=Role.DEFINITION,
    statement=r"\Pr_{(x,y)\sim p}[h(x)=y]\ge\frac1k+\gamma",
    assumes=(
        r"\mu\in M,\ y_i\in\mu(x_i)\text{ for all }\mu\in M\text{ and }i\in[m]",
        r"h\text{ is the output for }m_0\text{ examples drawn from }p\text{, and }\mu:\mathcal X\to\mathcal "
        r"Y^k",
    ),
    expect=Verdict.CONFORMS,
    uses=("multiclass.def1", "multiclass.def2"),
    note="Equation 2 for lists that hold every label. The text allows any k; at k = 1 no hypothesis has the "
    "accuracy 1 + γ, and Algorithm 3 asks for k >= 2 only. No failure probability is named: read "
    "literally the learner is right on all of S, as in Definition 2; the other claims read it as "
    "def2.oracle. For lists of all labels without bound the demand is γ, the limit of 1/k + γ.",
)


def given_lists(case):
    """The lists of the instance."""
    return case.lists


def first_label_dropped(case):
    """Lists in which label 0 is replaced by label 2."""
    return tuple(tuple(label or 2 for label in given) for given in case.lists)


@claim.check(
    "exhaustive",
    scope="two equally likely examples on 2 points with 3 labels, all hypotheses and lists that hold the "
    "labels",
    over=lambda: (case for case in instances() if all(y in case.lists[x] for x, y in case.examples)),
    relation="equality",
)
def relaxed_condition_is_equation_2_for_good_lists(case, *, length=nominal, lists=given_lists):
    """Accuracy minus 1/k + γ against the slack of Equation 2."""
    hits = Fraction(sum(case.hypothesis[x] == y for x, y in case.examples), len(case.examples))
    demand = required_accuracy.exact(k=length(case.lists), gamma=case.gamma)
    slack = brg_slack(distribution(case.examples), case.hypothesis, lists(case), case.gamma)
    return -abs(hits - demand - slack)


relaxed_condition_is_equation_2_for_good_lists.mutant("k counts distinct labels", length=distinct)
relaxed_condition_is_equation_2_for_good_lists.mutant(
    "lists that miss a label allowed", lists=first_label_dropped
)


@claim.check(
    "exhaustive",
    scope=SCOPE + "lists of 2 labels that hold the right one, γ = 1/10",
    over=lambda: (r for r in rules() if all(y in given for y, given in zip(r.y, r.lists, strict=True))),
    relation="equivalence",
)
def printed_condition_means_right_on_the_sample(rule, *, demand=every_sample, length=2, conclude=all):
    """Equation 4 holds on the distributions tried iff every h_u is right on all of S."""
    return meets(rule, near_points, demand, length) == conclude(h == rule.y for h in rule.answers)


printed_condition_means_right_on_the_sample.mutant("right for some sample is enough", conclude=any)
printed_condition_means_right_on_the_sample.mutant(
    "success with probability 1/2 over the sample", demand=half_of_the_samples
)
printed_condition_means_right_on_the_sample.mutant("k = 1 allowed", length=1)


@claim.check(
    "exhaustive", scope="γ = 1/10, …, 1/2", over=[Fraction(g, 10) for g in range(1, 6)], relation="equality"
)
def demand_of_unbounded_lists(gamma, *, share=1):
    """Distance of the limit of 1/k + γ from γ, the demand of the footnote for infinite lists."""
    import sympy as sp

    k = sp.Symbol("k", positive=True)
    demand = required_accuracy.expression(k=k, gamma=gamma)
    return -abs(sp.limit(demand, k, sp.oo) - share * sp.Rational(gamma))


demand_of_unbounded_lists.mutant("twice γ", share=2)
