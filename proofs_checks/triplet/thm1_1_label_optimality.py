"""Theorem 1, part 1 (the chosen labels are optimal), Perrot & von Luxburg 2019."""

from itertools import chain

import sympy as sp

from boosttheory.claims import Claim, Reading, Verdict
from boosttheory.exact_tripletboost import (
    PairCase,
    exact_round,
    labels_by_weight,
    least_error,
    omega,
    pair_cases,
)
from boosttheory.symbolic import Obligation, decide
from proofs_checks.triplet.eq2_label_choice import SCOPE, by_count, small_pairs

STATEMENT = (
    r"W_{c,-}\le W_{c,+}\quad\text{and}\quad W_{c,-}=\min_{o_j,o_k\subseteq\mathcal Y}W_{c,-}(o_j,o_k)"
)
plus, minus = sp.symbols("a b", nonnegative=True)

claim = Claim(
    id="triplet.thm1.1",
    paper="perrot2019",
    locator="Theorem 1, part 1, Section 3.1",
    title="chosen labels are optimal",
    statement=STATEMENT,
    assumes=(
        r"W_c\text{ is an empirical distribution over }S\times\mathcal Y",
        r"h_c\text{ is chosen as in Section 2.2}",
        r"T\text{ is any set of triplets }(x_i,x_j,x_k),\ x_j\ne x_k",
    ),
    expect=Verdict.REFUTED,
    uses=("triplet.eq2",),
    note="Section 2 lets T hold both (i, j, k) and (i, k, j): triplets are drawn independently and may be "
    "noisy. Then the definition of h_c by cases answers o_j for x_i, while Equation 2 lets x_i vote on o_k "
    "too. Two objects and the first round of Algorithm 1 suffice to miss the best labelling; part 2 has a "
    "run whose second classifier is worse than a random predictor.",
)
consistent = Claim(
    id="triplet.thm1.1.consistent",
    paper="perrot2019",
    locator="Theorem 1, part 1, Section 3.1",
    title="chosen labels are optimal, T without contradictions",
    reading=Reading.CANONICAL,
    statement=STATEMENT,
    assumes=(
        r"W_c\text{ is an empirical distribution over }S\times\mathcal Y",
        r"T\text{ holds at most one of }(x_i,x_j,x_k)\text{ and }(x_i,x_k,x_j)",
    ),
    expect=Verdict.PROVED_UP_TO_LISTED_STEPS,
    quantifiers={"a": sp.Interval(0, 1), "b": sp.Interval(0, 1)},
    uses=("triplet.eq2",),
    repairs=("triplet.thm1.1",),
    note="Error and right mass are sums over pairs of a half-space and a label, and Equation 2 takes the "
    "smaller of the two masses in each. So W+ - W- is the sum of |D|, D a label's signed weight on one side.",
)

# the first round of Algorithm 1: object 0 answers (0, 1) both ways, object 1 is closer to itself
CONTRADICTION = PairCase((0, 1), ((1, 1), (1, 1)), ((0, 0, 1), (0, 1, 0), (1, 1, 0)))


def answered_once(triplets):
    """T without the second answer of a question (the first case of h_c)."""
    return tuple(t for t in triplets if (t[0], t[2], t[1]) not in triplets[: triplets.index(t)])


def margin_of_optimality(case, choose, triplets, share):
    """Least of W+ - W- and of the least error minus W-, in units of the weights' denominator."""
    case = case._replace(triplets=triplets(case.triplets))
    round_ = exact_round(case.weights, case.y, case.triplets, case.pair, s=1, choose=choose)
    return min(round_.w_plus - round_.w_minus, least_error(case) * share - round_.w_minus)


@claim.check(
    "witness",
    scope="two objects, two labels, uniform weights, one question answered both ways",
    over=[CONTRADICTION],
)
def error_is_minimal_under_contradictory_answers(case, *, choose=labels_by_weight, triplets=tuple):
    """W- <= W+, and no labelling has a smaller W-."""
    return margin_of_optimality(case, choose, triplets, 1)


error_is_minimal_under_contradictory_answers.rescue("only the first answer is kept", triplets=answered_once)


@claim.check(
    "exhaustive",
    scope="n = 2, K = 2, denominator 4 and n = 3, K = 2, denominator 3, contradictory answers included",
    over=lambda: chain(pair_cases(2, 2, 4, contradictory=True), pair_cases(3, 2, 3, contradictory=True)),
)
def error_is_minimal_for_any_set_of_triplets(case, *, choose=labels_by_weight):
    """The smallest cases where contradictory answers cost."""
    return margin_of_optimality(case, choose, tuple, 1)


error_is_minimal_for_any_set_of_triplets.mutant("labels chosen by count instead of weight", choose=by_count)


@consistent.check(
    "exhaustive",
    scope=SCOPE + "; the witness with one answer a question",
    over=small_pairs,
    replays=error_is_minimal_under_contradictory_answers,
)
def error_is_minimal_and_at_most_random(case, *, choose=labels_by_weight, share=1):
    """W- <= W+, and no labelling has a smaller W-."""
    return margin_of_optimality(case, choose, answered_once, share)


def by_majority_label(weights, y, closer):
    """Only the label of the largest signed weight."""
    signed = [sum(omega(y, i, label) * weights[i][label] for i in closer) for label in range(len(weights[0]))]
    return frozenset({signed.index(max(signed))})


error_is_minimal_and_at_most_random.mutant("labels chosen by count instead of weight", choose=by_count)
error_is_minimal_and_at_most_random.mutant("labels chosen by maximum only", choose=by_majority_label)
error_is_minimal_and_at_most_random.mutant("error at most half the least", share=0)

DOMAIN = {plus: sp.Interval(0, 1), minus: sp.Interval(0, 1)}
OBLIGATIONS = [
    Obligation("the chosen side of a label costs at most the other", DOMAIN, "chosen <= other"),
    Obligation("W+ - W- grows by |D| with each label", DOMAIN, "right - wrong = |a - b|"),
]


@consistent.check(
    "symbolic",
    scope="one label on one half-space, right mass a and wrong mass b in [0, 1], a > b and a <= b apart",
    over=OBLIGATIONS,
    by_hand=(
        "W- is the sum over half-spaces and labels of b where the label is included and of a where not, and "
        "the choices are independent, because h_c is a function when T answers each question once.",
    ),
)
def smaller_mass_is_paid(obligation, *, included=1):
    """With b = a - t (a > b: included) and a = b - t (a <= b: left out), the paid mass is the smaller."""
    t = sp.Symbol("t")
    domain = {plus: sp.Interval(0, 1), minus: sp.Interval(0, 1), t: sp.Interval(0, 1)}
    paid_if_included, paid_if_left_out = minus, plus
    gap_if_larger = (paid_if_left_out - paid_if_included * included).subs(plus, minus + t)
    gap_if_smaller = (paid_if_included - paid_if_left_out * included).subs(minus, plus + t)
    if obligation.data == "chosen <= other":
        return min(
            decide(gap_if_larger, domain), decide(gap_if_smaller, domain), key=lambda e: (e.low, e.high)
        )
    return min(
        decide(-((gap_if_larger - t) ** 2), domain),
        decide(-((gap_if_smaller - t) ** 2), domain),
        key=lambda e: (e.low, e.high),
    )


smaller_mass_is_paid.mutant("twice the chosen mass", included=2)
smaller_mass_is_paid.mutant("half the chosen mass", included=sp.Rational(1, 2))
