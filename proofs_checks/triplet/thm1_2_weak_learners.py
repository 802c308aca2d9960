"""Theorem 1, part 2 (a non-zero weight means a weak learner), Perrot & von Luxburg 2019."""

from fractions import Fraction

import sympy as sp

from boosttheory.claims import Claim, Reading, Verdict
from boosttheory.exact_tripletboost import exact_round, exact_run, small_runs
from boosttheory.symbolic import Obligation, decide
from proofs_checks.triplet.eq2_label_choice import SCOPE, small_pairs
from proofs_checks.triplet.thm1_1_label_optimality import answered_once

STATEMENT = r"\alpha_c\ne 0\iff W_{c,-}<W_{c,+}"
right, wrong, n = sp.symbols("a b n", nonnegative=True)

claim = Claim(
    id="triplet.thm1.2",
    paper="perrot2019",
    locator="Theorem 1, part 2, Section 3.1",
    title="non-zero weight means weak classifier",
    statement=STATEMENT,
    assumes=(
        r"\alpha_c=\tfrac12\log\frac{W_{c,+}+1/n}{W_{c,-}+1/n}",
        r"T\text{ is any set of triplets }(x_i,x_j,x_k),\ x_j\ne x_k",
    ),
    expect=Verdict.REFUTED,
    uses=("triplet.thm1.1",),
    note="With contradictory answers W+ < W- can happen within a run of Algorithm 1: three objects, five "
    "triplets, two rounds. Then the weight is negative, not zero, and the classifier worse than random.",
)
consistent = Claim(
    id="triplet.thm1.2.consistent",
    paper="perrot2019",
    locator="Theorem 1, part 2, Section 3.1",
    title="non-zero weight means weak classifier, T without contradictions",
    reading=Reading.CANONICAL,
    statement=STATEMENT + r",\qquad 0\le\alpha_c\le\tfrac12\log(n+1)",
    assumes=(
        r"\alpha_c=\tfrac12\log\frac{W_{c,+}+1/n}{W_{c,-}+1/n}",
        r"T\text{ holds at most one of }(x_i,x_j,x_k)\text{ and }(x_i,x_k,x_j)",
    ),
    expect=Verdict.PROVED_UP_TO_LISTED_STEPS,
    quantifiers={"a": sp.Interval(0, 1), "b": sp.Interval(0, 1), "n": sp.Interval(2, sp.oo)},
    uses=("triplet.thm1.1.consistent",),
    repairs=("triplet.thm1.2",),
    note="Part 1 gives W- <= W+; the sign of the weight is the sign of W+ - W-. The upper bound is attained "
    "when every object answers and the labels of both half-spaces are all right: n = 2 suffices.",
)


def squared_s(w_plus, w_minus, smoothing):
    """e^{2α} (Equation 3)."""
    return (w_plus + smoothing) / (w_minus + smoothing)


def numerator_only(w_plus, w_minus, smoothing):
    """e^{2α} with 1/n in the numerator only, cross-multiplied away from a division by zero."""
    return (w_plus + smoothing) / max(w_minus, smoothing / 1000)


def is_equivalent(w_plus, w_minus, n_objects, ratio):
    """Whether e^{2α} differs from 1 exactly if W- < W+."""
    return (ratio(w_plus, w_minus, Fraction(1, n_objects)) != 1) == (w_minus < w_plus)


def rounds_are_equivalent(run, ratio, triplets):
    """The equivalence in every round of a run, on T as cleaned by ``triplets``."""
    cleaned = triplets(run.triplets)
    if cleaned != run.triplets:
        run = exact_run(run.y, run.n_labels, cleaned, [r.pair for r in run.rounds])
    return all(is_equivalent(r.w_plus, r.w_minus, len(run.y), ratio) for r in run.rounds)


# object 2 answers the question (1, 2) both ways; its weight has doubled against object 0 in round 1
NEGATIVE_WEIGHT = exact_run(
    (0, 0, 1), 2, ((1, 0, 2), (0, 1, 2), (1, 2, 1), (2, 1, 2), (2, 2, 1)), [(0, 2), (1, 2)]
)


@claim.check(
    "witness",
    scope="a run of Algorithm 1: three objects, five triplets, two rounds",
    over=[NEGATIVE_WEIGHT],
    relation="equivalence",
)
def weight_is_zero_unless_weak_under_contradictory_answers(run, *, ratio=squared_s, triplets=tuple):
    """α != 0 if and only if W- < W+."""
    return rounds_are_equivalent(run, ratio, triplets)


weight_is_zero_unless_weak_under_contradictory_answers.rescue(
    "only the first answer is kept", triplets=answered_once
)


@consistent.check(
    "exhaustive",
    scope="every small run (n <= 3, K <= 3, C <= 3); the witness with one answer a question",
    over=small_runs,
    replays=weight_is_zero_unless_weak_under_contradictory_answers,
    relation="equivalence",
)
def weight_is_zero_exactly_for_random_classifiers_of_a_run(run, *, ratio=squared_s):
    """α != 0 if and only if W- < W+."""
    return rounds_are_equivalent(run, ratio, answered_once)


weight_is_zero_exactly_for_random_classifiers_of_a_run.mutant(
    "1/n only in the numerator", ratio=numerator_only
)


@consistent.check(
    "exhaustive",
    scope=SCOPE,
    over=small_pairs,
    relation="equivalence",
)
def weight_is_zero_exactly_for_random_classifiers(case, *, ratio=squared_s):
    """α != 0 if and only if W- < W+."""
    round_ = exact_round(case.weights, case.y, case.triplets, case.pair, s=1)
    w_plus, w_minus = (Fraction(w) / case.total for w in (round_.w_plus, round_.w_minus))
    return is_equivalent(w_plus, w_minus, len(case.y), ratio)


weight_is_zero_exactly_for_random_classifiers.mutant("1/n only in the numerator", ratio=numerator_only)
weight_is_zero_exactly_for_random_classifiers.mutant("weight without W-", ratio=lambda a, b, e: (a + e) / e)

DOMAIN = {right: sp.Interval(0, 1), wrong: sp.Interval(0, 1), n: sp.Interval(2, sp.oo)}


@consistent.check(
    "symbolic",
    scope="all W+ and W- in [0, 1], all n >= 2",
    over=[
        Obligation("e^{2α} - 1 = (W+ - W-)/(W- + 1/n), so the signs agree", DOMAIN, "identity"),
        Obligation("W- + 1/n is positive", DOMAIN, "denominator"),
        Obligation("e^{2α} <= n + 1", DOMAIN, "upper"),
    ],
    by_hand=("W- <= W+ is part 1 for sets without contradictions.",),
)
def weight_has_the_sign_of_the_advantage(obligation, *, inner=1, limit=1):
    """The sign of α is the sign of W+ - W-, and e^{2α} is at most n + 1."""
    ratio = (right + 1 / n) / (wrong * inner + 1 / n)
    if obligation.data == "identity":
        return decide(-((ratio - 1 - (right - wrong) / (wrong + 1 / n)) ** 2), DOMAIN)
    if obligation.data == "denominator":
        return decide(wrong * inner + 1 / n - sp.Rational(1, 2) / n, DOMAIN)
    return decide(n + limit - ratio, DOMAIN)


weight_has_the_sign_of_the_advantage.mutant("weight without W-", inner=0)
weight_has_the_sign_of_the_advantage.mutant("upper bound n in place of n + 1", limit=0)


@consistent.check("exhaustive", scope="every round of every small run (n <= 3)", over=small_runs)
def weight_is_at_most_half_log_n_plus_1(run, *, limit=1):
    """e^{2α} lies in [1, n + 1]; the upper end is attained."""
    n_objects = len(run.y)
    return min(min(r.s * r.s - 1, n_objects + limit - r.s * r.s) for r in run.rounds)


weight_is_at_most_half_log_n_plus_1.mutant("upper bound n in place of n + 1", limit=0)
