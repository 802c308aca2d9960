"""Equation 2 (the labels of a half-space), Perrot & von Luxburg 2019."""

from itertools import chain

from boosttheory.claims import Claim, Reading, Role, Verdict
from boosttheory.exact_tripletboost import answers, costs, labels_by_weight, pair_cases

claim = Claim(
    id="triplet.eq2",
    paper="perrot2019",
    locator="Equation 2, Section 2.2",
    title="labels of a half-space",
    role=Role.DEFINITION,
    reading=Reading.CANONICAL,
    statement=r"o_j=\Big\{y:\sum_{(x_i,y_i)\in S,\,(x_i,x_j,x_k)\in T}"
    r"(\mathbb I_{y=y_i}-\mathbb I_{y\ne y_i})\,w_{c,x_i,y}>0\Big\}",
    assumes=(r"T\text{ holds at most one answer of each question}",),
    expect=Verdict.CONFORMS,
    note="The chosen set is the smallest of all label sets with the least mass in error on its half-space: "
    "the strict inequality leaves out labels that change nothing.",
)


def small_pairs():
    """Weights on grids, all labellings and consistent answers."""
    return chain(
        pair_cases(2, 2, 4),
        pair_cases(2, 3, 3),
        pair_cases(2, 4, 2),
        pair_cases(3, 2, 3),
        pair_cases(3, 3, 2),
        pair_cases(3, 4, 1),
    )


SCOPE = (
    "one classifier, n <= 3 objects, K <= 4 labels, weights on simplex grids of denominator "
    "4 (n=2, K=2), 3 (2, 3), 2 (2, 4), 3 (3, 2), 2 (3, 3), 1 (3, 4), every consistent T"
)


def by_count(weights, y, closer):
    """Equation 2 with every weight replaced by 1."""
    return labels_by_weight(tuple((1,) * len(row) for row in weights), y, closer)


def with_ties(weights, y, closer):
    """Equation 2 with >= in place of >."""
    return labels_by_weight(weights, y, closer, includes=lambda d: d >= 0)


@claim.check("exhaustive", scope=SCOPE, over=small_pairs, relation="equivalence")
def chosen_set_is_the_smallest_minimiser(case, *, choose=labels_by_weight):
    """Among all 2^K label sets of each half-space, the chosen one is the smallest with the least error."""
    sides = answers(case.triplets, len(case.y), case.pair)
    for which in range(2):
        objects = [i for i, side in enumerate(sides) if side == which]
        number = sum(1 << label for label in choose(case.weights, case.y, objects))
        cost = costs(case, objects)
        least = min(cost)
        if cost[number] > least or any(c == least and b & number == b != number for b, c in enumerate(cost)):
            return False
    return True


chosen_set_is_the_smallest_minimiser.mutant("labels chosen by count instead of weight", choose=by_count)
chosen_set_is_the_smallest_minimiser.mutant("non-strict inequality", choose=with_ties)
