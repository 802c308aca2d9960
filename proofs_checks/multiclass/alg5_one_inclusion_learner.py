"""Algorithm 5 (one-inclusion list algorithm), Brukhim, Daniely, Mansour & Moran 2023."""

from itertools import permutations, product
from typing import NamedTuple

from boosttheory.claims import Claim, Role, Verdict
from proofs_checks.multiclass.def7_k_ds_shattering import orbits
from proofs_checks.multiclass.def14_list_orientation import least_out_degree
from proofs_checks.multiclass.lem7_leave_one_out import learner

claim = Claim(
    id="multiclass.alg5",
    paper="brukhim2023",
    locator="Algorithm 5, Appendix C",
    title="one-inclusion list algorithm",
    role=Role.ALGORITHM,
    statement=r"\mu^k_U(x)=\{h(x):h\in\sigma^k(e)\},\quad e=\{h\in\mathcal H|_{(x_1,\dots,x_n,x)}:"
    r"\forall i\in[n]\ h(i)=y_i\},\quad\sigma^k\text{ of least maximal }k\text{-out-degree}",
    expect=Verdict.CONFORMS,
    uses=("multiclass.def14", "multiclass.def15"),
    note="The steps are followed again by hand: the patterns on the points, the least out-degree of "
    "all orientations, "
    "the edge, its list. The library's orientation is moreover a function of the multiset of points, "
    "which the "
    "algorithm leaves open and Lemma 7 needs. The test point may be one of the sample.",
)


class Query(NamedTuple):
    """A class in [K]^N, a list size, a sample of labelled points, and a test point."""

    n_labels: int
    k: int
    rows: tuple[tuple[int, ...], ...]
    sample: tuple[tuple[int, int], ...]
    x: int


def queries(boxes, sizes):
    """Every class in some boxes, every realisable sample of some sizes, every test point, every k."""
    for n_labels, n_points in boxes:
        for rows, _ in orbits(n_labels, n_points):
            for size in sizes:
                for points in product(range(n_points), repeat=size):
                    for sample in sorted({tuple((p, h[p]) for p in points) for h in rows}):
                        for x, k in product(range(n_points), range(1, n_labels)):
                            yield Query(n_labels, k, rows, sample, x)


def library(query):
    """The list that the library predicts."""
    return learner(*query[:3]).fit(query.sample).predict_list(query.x)


def first_labels(query):
    """The first k labels of the edge, whatever the orientation."""
    seen = {h[query.x] for h in query.rows if all(h[p] == y for p, y in query.sample)}
    return tuple(sorted(seen)[: query.k])


def whole_edge(query):
    """All labels of the edge."""
    return tuple(sorted({h[query.x] for h in query.rows if all(h[p] == y for p, y in query.sample)}))


SCOPE = (
    "every class in [2]^3 and [3]^2 or smaller, up to symmetry, every realisable sample of up to two "
    "examples, "
    "repeated or not, every test point, every k below the number of labels"
)
BOXES = ((2, 1), (2, 2), (2, 3), (3, 1), (3, 2))


@claim.check("exhaustive", scope=SCOPE, over=lambda: queries(BOXES, range(3)), relation="equivalence")
def four_steps_by_the_words(query, *, predicted=library):
    """Whether patterns, least out-degree, edge and list are those of the four steps."""
    points = sorted([*(p for p, _ in query.sample), query.x])
    patterns = sorted({tuple(h[p] for p in points) for h in query.rows})
    found = learner(*query[:3]).fit(query.sample).orientation(query.x)
    if [tuple(row) for row in found.graph.patterns.tolist()] != patterns:
        return False
    if found.out_degree != least_out_degree(tuple(patterns), query.k):
        return False
    at, labels = points.index(query.x), dict(query.sample)
    e = {v for v, h in enumerate(patterns) if all(h[i] == labels[p] for i, p in enumerate(points) if i != at)}
    (listed,) = (
        listed
        for listed, (i, members) in zip(found.lists(), found.graph.edges(), strict=True)
        if i == at and set(members) == e
    )
    return predicted(query) == tuple(sorted(patterns[v][at] for v in listed))


four_steps_by_the_words.mutant("the first k labels of the edge", predicted=first_labels)
four_steps_by_the_words.mutant("all labels of the edge", predicted=whole_edge)


def in_any_order(query):
    """Lists predicted from the sample in each order."""
    return {library(query._replace(sample=sample)) for sample in permutations(query.sample)}


def with_fewer(query):
    """Lists predicted from the sample without its first example, and from all of it."""
    return {library(query), library(query._replace(sample=query.sample[1:]))}


@claim.check("exhaustive", scope=SCOPE, over=lambda: queries(BOXES, range(3)), relation="equivalence")
def lists_that_the_order_does_not_change(query, *, lists=in_any_order, length=0):
    """Whether all orders give one list of 1 to k labels, and of the known label alone on the sample."""
    found = lists(query)
    known = dict(query.sample).get(query.x)
    return len(found) == 1 and all(
        0 < len(listed) <= query.k - length and (known is None or listed == (known,)) for listed in found
    )


lists_that_the_order_does_not_change.mutant("an example forgotten", lists=with_fewer)
lists_that_the_order_does_not_change.mutant("at most k − 1 labels", length=1)
