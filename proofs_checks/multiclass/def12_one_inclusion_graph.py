"""Definition 12 (one-inclusion hypergraph), Brukhim, Daniely, Mansour & Moran 2023."""

from itertools import product

from boosttheory.claims import Claim, Reading, Role, Verdict
from boosttheory.oneinclusion import Graph
from proofs_checks.multiclass.def7_k_ds_shattering import EVERY, EVERY_SCOPE, small

claim = Claim(
    id="multiclass.def12",
    paper="brukhim2023",
    locator="Definition 12, Appendix C",
    title="one-inclusion hypergraph",
    role=Role.DEFINITION,
    reading=Reading.CANONICAL,
    statement=r"E=\{e_{i,f}\ne\varnothing:i\in[n],\ f:[n]\setminus\{i\}\to\mathcal Y\},\quad "
    r"e_{i,f}=\{h\in\mathcal H:h\text{ agrees with }f\text{ on }[n]\setminus\{i\}\};\quad "
    r"\text{every vertex lies in exactly }n\text{ edges}",
    expect=Verdict.CONFORMS,
    note="The definition says that every vertex is adjacent to exactly m edges, where it has no m; the "
    "remark below it has the n that is meant. Edges may have one vertex: without those the count fails.",
)


def every_edge(rows, n_labels):
    """The edges by the words: for each direction and each f, those that agree with it."""
    n = len(rows[0])
    made = set()
    for i in range(n):
        for f in product(range(n_labels), repeat=n - 1):
            e = frozenset(v for v, h in enumerate(rows) if h[:i] + h[i + 1 :] == f)
            if e:
                made.add((i, e))
    return made


def proper_edges(rows, n_labels):
    """Edges of more than one vertex, as hypergraphs usually have them."""
    return {(i, e) for i, e in every_edge(rows, n_labels) if len(e) > 1}


def in_any_direction(rows, n_labels):
    """Edges without their direction: two of one vertex are one."""
    return {(0, e) for _, e in every_edge(rows, n_labels)}


CASES = {"scope": EVERY_SCOPE.replace("every k below the number of labels", "as a graph")}


@claim.check(
    "exhaustive",
    over=lambda: small(*EVERY, list_sizes=lambda n_labels: [1]),
    relation="equality",
    **CASES,
)
def edges_of_the_library_and_of_the_definition(case, *, edges=every_edge):
    """Minus the number of edges that only one of the two has."""
    found = {(i, frozenset(members)) for i, members in Graph(case.rows).edges()}
    return -len(found ^ edges(case.rows, case.n_labels))


edges_of_the_library_and_of_the_definition.mutant("edges of one vertex left out", edges=proper_edges)
edges_of_the_library_and_of_the_definition.mutant("edges without a direction", edges=in_any_direction)


@claim.check(
    "exhaustive",
    over=lambda: small(*EVERY, list_sizes=lambda n_labels: [1]),
    relation="equality",
    **CASES,
)
def every_vertex_lies_in_n_edges(case, *, edges=every_edge, expected=lambda n_points, n_labels: n_points):
    """Minus the largest distance between the number of edges at a vertex and n."""
    made = edges(case.rows, case.n_labels)
    return -max(
        abs(sum(v in e for _, e in made) - expected(case.n_points, case.n_labels))
        for v in range(len(case.rows))
    )


every_vertex_lies_in_n_edges.mutant("edges of one vertex left out", edges=proper_edges)
every_vertex_lies_in_n_edges.mutant("as many edges as labels", expected=lambda n_points, n_labels: n_labels)
