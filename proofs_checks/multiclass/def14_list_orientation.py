"""Definition 14 (list orientations), Brukhim, Daniely, Mansour & Moran 2023."""

from functools import cache
from itertools import combinations, product

from boosttheory.claims import Claim, Role, Verdict
from boosttheory.oneinclusion import Graph, orient
from proofs_checks.multiclass.def7_k_ds_shattering import EVERY, EVERY_SCOPE, family_of, small

claim = Claim(
    id="multiclass.def14",
    paper="brukhim2023",
    locator="Definition 14, Appendix C",
    title="list orientations",
    role=Role.DEFINITION,
    statement=r"\sigma^k:E\to\{V'\subseteq V:|V'|\le k\},\quad\sigma^k(e)\subseteq e",
    expect=Verdict.CONFORMS,
    uses=("multiclass.def12",),
    note="The library's orientation is one, and none of all orientations of the class has a smaller maximal "
    "out-degree. Shorter lists than possible never lower an out-degree, so that only lists of min(k, |e|) "
    "vertices need trying.",
)


def orientations(rows, k, lengths=lambda size, k: [min(k, size)]):
    """All list orientations, as (direction, edge) → list."""
    edges = list(Graph(rows).edges())
    for lists in product(*([c for r in lengths(len(e), k) for c in combinations(e, r)] for _, e in edges)):
        yield dict(zip(edges, lists, strict=True))


def out_degree(rows, orientation):
    """The maximal number of edges that leave a vertex out, by the words."""
    return max(
        sum(v in e and v not in listed for (_, e), listed in orientation.items()) for v in range(len(rows))
    )


@cache
def best(n_labels, rows, k):
    """The library's orientation, once for each class."""
    return orient(family_of(n_labels, rows), k)


@cache
def least_out_degree(rows, k):
    """The least maximal out-degree, by trying all orientations of the edges of more than k vertices."""
    edges = [e for _, e in Graph(rows).edges() if len(e) > k]
    loads = {(0,) * len(rows)}
    for e in edges:
        loads = {
            tuple(load + (v in e and v not in listed) for v, load in enumerate(before))
            for before in loads
            for listed in combinations(e, k)
        }
    return min(map(max, loads))


@claim.check("exhaustive", scope=EVERY_SCOPE, over=lambda: small(*EVERY), relation="equivalence")
def lists_of_the_library_are_short_and_inside_their_edges(case, *, shorter=0, spare=0):
    """Whether each list is part of its edge and has min(k, |e|) vertices, and the certificate verifies."""
    found = best(case.n_labels, case.rows, case.k)
    pairs = zip(found.lists(), found.graph.edges(), strict=True)
    return found.verify() and all(
        set(listed) <= set(e) and len(listed) == min(case.k - shorter, len(e) - spare)
        for listed, (_, e) in pairs
    )


lists_of_the_library_are_short_and_inside_their_edges.mutant("lists of k − 1 vertices", shorter=1)
lists_of_the_library_are_short_and_inside_their_edges.mutant("one vertex of each edge left out", spare=1)

SMALLER = ((2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (4, 1))


@claim.check(
    "exhaustive",
    scope="every class in [2]^3, [3]^2 and [4]^1 or smaller, up to symmetry, every k; all orientations",
    over=lambda: small(*SMALLER),
    slow_over=lambda: [*small(*SMALLER), *small((4, 2), list_sizes=lambda n_labels: [2, 3])],
    slow_scope="also every class in [4]^2 with k = 2 and 3",
    relation="equality",
)
def out_degree_is_least_among_all_orientations(case, *, less=0, more=0):
    """Minus the distance between the library's out-degree and the least of all orientations."""
    found = best(case.n_labels, case.rows, case.k + more).out_degree
    return -abs(max(found - less, 0) - least_out_degree(case.rows, case.k))


out_degree_is_least_among_all_orientations.mutant("one less", less=1)
out_degree_is_least_among_all_orientations.mutant("lists of k + 1 vertices", more=1)
