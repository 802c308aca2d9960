"""Algorithm 4 (boosting weak-to-list learning), Brukhim, Daniely, Mansour & Moran 2023."""

from fractions import Fraction
from itertools import product
from math import floor
from typing import NamedTuple

import numpy as np

from boosttheory.claims import Claim, Role, Verdict
from boosttheory.recursive import list_length, weak_to_list
from proofs_checks.multiclass.alg3_recursive_boosting import above, above_next, at_least, vote_tables

claim = Claim(
    id="multiclass.alg4",
    paper="brukhim2023",
    locator="Algorithm 4, Appendix B",
    title="boosting weak-to-list learning",
    role=Role.ALGORITHM,
    statement=r"\mu(x)=\{\ell\in\mathcal Y:H(x,\ell)>T/k\},\quad|\mu(x)|\le k-1=\lfloor1/\gamma\rfloor",
    assumes=(r"k\text{ is the least integer with }1/k<\gamma",),
    expect=Verdict.CONFORMS,
    uses=("multiclass.alg1",),
    note="The comment in line 4 truncates lists off S that hold more than k - 1 labels: there are none, on S "
    "or off it, because the votes add up to T.",
)


@claim.check(
    "exhaustive",
    scope="every γ = a/b in (0, 1] with b <= 150",
    over=sorted({Fraction(a, b) for b in range(1, 151) for a in range(1, b + 1)}),
    relation="equivalence",
)
def least_k_is_one_more_than_the_floor(gamma, *, strict=True, shift=0):
    """Whether k - 1 = ⌊1/γ⌋ for the least k with 1/k < γ, in the library too."""
    k = next(k for k in range(1, 152) if (Fraction(1, k) < gamma if strict else Fraction(1, k) <= gamma))
    return k - 1 == floor(1 / gamma) + shift == list_length(gamma) + shift


least_k_is_one_more_than_the_floor.mutant("least k with 1/k <= γ", strict=False)
least_k_is_one_more_than_the_floor.mutant("k - 1 = ⌊1/γ⌋ + 1", shift=1)


@claim.check("exhaustive", scope="all votes for k labels, k <= 4, T <= 8 rounds", over=vote_tables)
def truncation_is_never_needed(case, *, passes=above):
    """K - 1 minus the number of labels that pass, whatever x."""
    k = len(case.votes)
    return k - 1 - sum(passes(v, case.T, k) for v in case.votes)


truncation_is_never_needed.mutant(">= in place of >", passes=at_least)
truncation_is_never_needed.mutant("threshold T/(k + 1)", passes=above_next)


class Answers(NamedTuple):
    """What the weak learner predicts on two examples, round by round, and its accuracy γ."""

    rows: tuple[tuple[int, ...], ...]
    gamma: Fraction


def answers():
    """All answers in four rounds with two labels, two rounds with three."""
    for n_labels, T in ((2, 4), (3, 2)):
        for rows in product(product(range(n_labels), repeat=2), repeat=T):
            for gamma in (Fraction(1, 3), Fraction(2, 5), Fraction(1, 2), Fraction(3, 4)):
                yield Answers(rows, gamma)


@claim.check(
    "exhaustive",
    scope="all answers on two examples, K = 2, T = 4 and K = 3, T = 2; γ = 1/3, 2/5, 1/2, 3/4",
    over=answers,
    relation="equivalence",
)
def shipped_function_is_the_algorithm(case, *, passes=above):
    """Whether the lists are those of line 3, for the rounds that were asked for."""
    rows = iter(case.rows)
    run = weak_to_list(
        lambda D, lists: np.array(next(rows)),
        [0, 1],
        3,
        float(case.gamma),
        budget=len(case.rows),
        strict=False,
    )
    k, T = list_length(case.gamma) + 1, run.n_calls
    found = [{label for label in row if label >= 0} for row in run.lists.tolist()]
    votes = [[sum(row[i] == label for row in case.rows[:T]) for label in range(3)] for i in range(2)]
    return found == [{label for label in range(3) if passes(own[label], T, k)} for own in votes]


shipped_function_is_the_algorithm.mutant(">= in place of >", passes=at_least)
shipped_function_is_the_algorithm.mutant("threshold T/(k + 1)", passes=above_next)
