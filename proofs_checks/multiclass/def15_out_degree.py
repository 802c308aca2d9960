"""Definition 15 (k-out-degree of a list orientation), Brukhim, Daniely, Mansour & Moran 2023."""

from boosttheory.claims import Claim, Role, Verdict
from boosttheory.concepts import six_cycle
from boosttheory.drawings import one_inclusion_graph
from boosttheory.oneinclusion import out_degrees
from proofs_checks.multiclass.def7_k_ds_shattering import EVERY, EVERY_SCOPE, small
from proofs_checks.multiclass.def14_list_orientation import best

claim = Claim(
    id="multiclass.def15",
    paper="brukhim2023",
    locator="Definition 15, Appendix C",
    title="k-out-degree of a list orientation",
    role=Role.DEFINITION,
    statement=r"\mathsf{outdeg}^k(v;\sigma^k)=|\{e:v\in e,v\notin\sigma^k(e)\}|,\quad "
    r"\mathsf{outdeg}^k(\sigma^k)=\sup_{v\in V}\mathsf{outdeg}^k(v;\sigma^k)",
    expect=Verdict.CONFORMS,
    uses=("multiclass.def13", "multiclass.def14"),
    note="Out-degree and in-degree of a vertex add up to n. Only edges of more than k vertices can leave one "
    "out, so the out-degree is at most the k-degree.",
)


def left_out(listed, v):
    """Whether the list leaves v out."""
    return v not in listed


def taken_in(listed, v):
    """Whether the list holds v: the in-degree."""
    return v in listed


def wide(found, k):
    """Number of edges of more than k vertices, times their excess."""
    return sum(max(0, len(e) - k) for _, e in found.graph.edges())


def narrow(found, k):
    """Number of edges of more than k vertices, each once."""
    return sum(len(e) > k for _, e in found.graph.edges())


def in_all(found, k):
    """Number of pairs of an edge and a vertex of it."""
    return sum(len(e) for _, e in found.graph.edges())


@claim.check(
    "exhaustive",
    scope=EVERY_SCOPE,
    over=lambda: small(*EVERY),
    relation="equality",
    figure=lambda: one_inclusion_graph(six_cycle(), caption="A 1-list orientation of the 6-cycle in [3]^2."),
)
def out_degrees_of_the_library_and_of_the_definition(case, *, counts=left_out):
    """Minus the largest distance of an out-degree from the count by the words, and of their maximum."""
    found = best(case.n_labels, case.rows, case.k)
    pairs = list(zip(found.lists(), found.graph.edges(), strict=True))
    words = [sum(v in e and counts(listed, v) for listed, (_, e) in pairs) for v in range(len(case.rows))]
    library = out_degrees(found.graph, found.chosen, case.k).tolist()
    return -max(
        *(abs(a - b) for a, b in zip(words, library, strict=True)), abs(max(words) - found.out_degree)
    )


out_degrees_of_the_library_and_of_the_definition.mutant("in-degrees", counts=taken_in)
out_degrees_of_the_library_and_of_the_definition.mutant(
    "only the first of the list counts as taken in", counts=lambda listed, v: v not in listed[:1]
)


@claim.check("exhaustive", scope=EVERY_SCOPE, over=lambda: small(*EVERY), relation="equality")
def sum_of_the_out_degrees(case, *, excess=wide):
    """Minus the distance between Σ outdeg and Σ max(0, |e| - k)."""
    found = best(case.n_labels, case.rows, case.k)
    return -abs(int(out_degrees(found.graph, found.chosen, case.k).sum()) - excess(found, case.k))


sum_of_the_out_degrees.mutant("one vertex left out of each wide edge", excess=narrow)
sum_of_the_out_degrees.mutant("every vertex of every edge left out", excess=in_all)


@claim.check("exhaustive", scope=EVERY_SCOPE, over=lambda: small(*EVERY))
def out_degree_is_at_most_the_degree(case, *, degree=lambda found, k: found.graph.degrees(k)):
    """Least k-degree minus out-degree of a vertex."""
    found = best(case.n_labels, case.rows, case.k)
    return int((degree(found, case.k) - out_degrees(found.graph, found.chosen, case.k)).min())


out_degree_is_at_most_the_degree.mutant(
    "the (k + 1)-degree in place of the k-degree", degree=lambda found, k: found.graph.degrees(k + 1)
)
out_degree_is_at_most_the_degree.mutant(
    "the k-degree less one", degree=lambda found, k: found.graph.degrees(k) - 1
)
