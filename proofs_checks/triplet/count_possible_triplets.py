"""Number of possible triplets (Section 4), Perrot & von Luxburg 2019."""

from itertools import product

from boosttheory import bounds
from boosttheory.claims import Claim, Verdict
from boosttheory.triplets import n_possible

claim = Claim(
    id="triplet.count",
    paper="perrot2019",
    locator="Section 4",
    title="Number of possible triplets",
    statement=r"\text{Given a set of }n\text{ examples there are }n^2(n-1)/2\text{ possible triplets}",
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    note="Of (i, j, k) and (i, k, j) one is true, so triplets are counted by a head and an unordered "
    "pair. The head may be one of the pair; without such triplets there are n(n − 1)(n − 2)/2, and "
    "that is what a study should count where nobody is asked whether an object is closer to itself.",
)


def questions(n, own_heads=True):
    """Heads and unordered pairs, listed."""
    triples = product(range(n), repeat=3)
    return {(i, frozenset((j, k))) for i, j, k in triples if j != k and (own_heads or i not in (j, k))}


def possible(n):
    """The number stated."""
    return bounds.possible_triplets.exact(n=n)


@claim.check("exhaustive", scope="n = 0 to 12", over=range(13), relation="equality")
def number_of_heads_and_pairs(n, *, formula=possible):
    """Minus the distance between the list's length and the formula."""
    return -abs(len(questions(n)) - formula(n))


number_of_heads_and_pairs.mutant("n(n − 1)(n − 2)/2", formula=lambda n: n * (n - 1) * (n - 2) // 2)
number_of_heads_and_pairs.mutant("ordered pairs", formula=lambda n: n * n * (n - 1))
number_of_heads_and_pairs.mutant("n(n − 1)²/2", formula=lambda n: n * (n - 1) ** 2 // 2)


@claim.check(
    "exhaustive",
    scope="n = 0 to 12, with and without i in {j, k}",
    over=[(n, own) for n in range(13) for own in (True, False)],
    relation="equality",
)
def number_used_by_the_library(case, *, flip=False):
    """Minus the distance between the list's length and `triplets.n_possible`."""
    n, own = case
    return -abs(len(questions(n, own)) - n_possible(n, self_references=own ^ flip))


number_used_by_the_library.mutant("the other count", flip=True)
