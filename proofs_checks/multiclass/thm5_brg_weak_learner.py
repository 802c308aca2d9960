"""Remark before Theorem 5 (a weak learner with the BRG condition), Section 4.2, Brukhim et al. 2023."""

from fractions import Fraction
from functools import cache
from itertools import product
from typing import NamedTuple

import sympy as sp

from boosttheory.bounds import no_free_lunch
from boosttheory.claims import Claim, Reading, Verdict
from boosttheory.concepts import full_class
from boosttheory.symbolic import Obligation, decide
from proofs_checks.multiclass.lem7_leave_one_out import measured
from proofs_checks.multiclass.lem11_strong_coverage import instances

LOCATOR = "before Theorem 5, Section 4.2"
p = sp.Symbol("p", positive=True)

claim = Claim(
    id="multiclass.thm5.brg",
    paper="brukhim2023",
    locator=LOCATOR,
    title="bounded k-DS dimension gives a weak learner for every hint of two labels or more",
    reading=Reading.CANONICAL,
    statement=r"d^k_{DS}(\mathcal H)<\infty\implies\exists\,\mathcal W,\gamma>0,m_0:\ "
    r"\Pr[h(x)=y]\ge\tfrac1p+\gamma"
    r"\text{ for every hint of }p\ge2\text{ labels}",
    expect=Verdict.REFUTED,
    uses=("multiclass.def7",),
    note="False for k >= 2, read with hints of any length p >= 2, as Definitions 1 and 2 ask. {0,1}^N has "
    "2-DS dimension 0; a hint of both labels says nothing, and on n points m0 examples allow an accuracy of "
    "1 - (1 - 1/n)^{m0}/2 on average over the functions, near 1/2 for large n, whatever m0 and γ. "
    "Definition 4 speaks of some set of hints: for hints of more than k labels the sentence holds with an "
    "edge that falls with their length, see thm5.brg.hints. Theorem 5 does not need it: Algorithm 6 learns "
    "what the label is not, and votes that away.",
)
hints = Claim(
    id="multiclass.thm5.brg.hints",
    paper="brukhim2023",
    locator=LOCATOR,
    title="a weak learner for hints of more than k labels, its edge falling with their length",
    reading=Reading.CANONICAL,
    statement=r"d^{p-1}_{DS}\le d:\ \text{a random label of }\mu^{p-1}_U(x),\ |U|=4pd,\text{ is right "
    r"with probability at "
    r"least }\frac1p+\frac3{4p(p-1)}",
    assumes=(r"\text{a hint of }p\ge k+1\text{ labels that holds }y",),
    expect=Verdict.PROVED_UP_TO_LISTED_STEPS,
    quantifiers={"p": sp.Range(2, sp.oo)},
    uses=("multiclass.lem11", "multiclass.lem11.repaired", "multiclass.ds.monotone"),
    repairs=("multiclass.thm5.brg",),
    note="What Lemma 11 gives. The edge falls like 1/p², so that no single γ serves the hints of ln(m)/γ "
    "labels that Algorithm 3 starts from; Algorithm 6 does not need one.",
)


class Guessing(NamedTuple):
    """All functions from n points to two labels, the number of examples, and the edge asked for."""

    n: int
    m0: int
    edge: Fraction


@cache
def best_accuracy(n, size):
    """Best accuracy on average over {0,1}^n, uniform points: by enumeration where that is short."""
    if 2**n * n**size > 10**4:
        return no_free_lunch.exact(K=2, n=n, m=size, k=1)
    right = Fraction(0)
    for points in product(range(n), repeat=size):
        agreeing: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
        for h in product(range(2), repeat=n):
            agreeing.setdefault(tuple(h[x] for x in points), []).append(h)
        for group in agreeing.values():
            for x in range(n):
                ones = sum(h[x] for h in group)
                right += max(ones, len(group) - ones)
    return right / (n**size * 2**n * n)


def as_given(case):
    """The number of examples does not depend on n."""
    return case.m0


def eight_times_n(case):
    """4pd with p = 2 and the DS dimension d = n: examples grow with n."""
    return 8 * case.n


WITNESSES = [
    Guessing(4, 1, Fraction(1, 4)),
    Guessing(6, 2, Fraction(1, 4)),
    Guessing(1000, 100, Fraction(1, 10)),
]


@claim.check(
    "witness",
    scope="{0,1}^N, uniform on n points, with k = 2: n = 4, 6 (by enumeration) and 1000, with m0 = 1, 2, 100 "
    "and γ = 1/4, 1/4, 1/10",
    over=WITNESSES,
)
def best_accuracy_less_half_and_the_edge(case, *, examples=as_given):
    """Accuracy of the best learner for a hint of both labels, minus 1/2 + γ."""
    if case.n < 8 and full_class(2, case.n).ds_dimension(2):
        raise ValueError(f"n={case.n}: the 2-DS dimension is not 0; the case is not admissible")
    return best_accuracy(case.n, examples(case)) - Fraction(1, 2) - case.edge


best_accuracy_less_half_and_the_edge.rescue("8n examples, d the DS dimension n", examples=eight_times_n)


def edge_of_lemma_11(labels):
    """3/(4p(p-1))."""
    return Fraction(3, 4 * labels * (labels - 1))


def edge_of_one_over_p(labels):
    """1/p."""
    return Fraction(1, labels)


@hints.check(
    "exhaustive",
    scope="every class of dimension d >= 1 in [2]^2 and [3]^2 or smaller, and of dimension 1 in [2]^3, "
    "up to symmetry, "
    "every member as the truth, two distributions; all samples of 4pd examples; {0,1}^n with 8n examples",
    over=lambda: [*instances(((2, 1), (2, 2), (3, 1), (3, 2)), 2), *instances(((2, 3),), 1)],
    replays=best_accuracy_less_half_and_the_edge,
)
def accuracy_of_a_random_listed_label(case, *, edge=edge_of_lemma_11, fewer=1):
    """(coverage)/(p-1) minus 1/p plus the edge."""
    if isinstance(case, Guessing):
        return best_accuracy(case.n, eight_times_n(case) // fewer) - Fraction(1, 2) - edge(2)
    error, _ = measured(case._replace(n=case.n // fewer))
    labels = case.n_labels
    return (1 - error) / (labels - 1) - Fraction(1, labels) - edge(labels)


accuracy_of_a_random_listed_label.mutant("edge 1/p", edge=edge_of_one_over_p)
accuracy_of_a_random_listed_label.mutant("pd/2 examples in place of 4pd", fewer=8)


@hints.check(
    "symbolic",
    scope="every p >= 2",
    over=[Obligation("(1 - 1/(4p))/(p - 1) = 1/p + 3/(4p(p - 1))", {p: sp.Range(2, sp.oo)})],
    relation="equality",
    by_hand=(
        "Lemma 11 for the patterns inside the hint, whose (p-1)-DS dimension is at most d",
        "a uniformly random label of a list of p − 1 is the right one with probability coverage/(p − 1)",
    ),
)
def accuracy_from_the_coverage(obligation, *, coverage=4, edge=sp.Rational(3, 4)):
    """Minus the square of the difference."""
    left = (1 - 1 / (coverage * p)) / (p - 1)
    return decide(-(sp.simplify(left - 1 / p - edge / (p * (p - 1))) ** 2), obligation.domain)


accuracy_from_the_coverage.mutant("coverage 1 − 1/(2p)", coverage=2)
accuracy_from_the_coverage.mutant("edge 1/(p(p − 1))", edge=1)
