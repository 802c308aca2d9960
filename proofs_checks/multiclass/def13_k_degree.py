"""Definition 13 (k-degree), Brukhim, Daniely, Mansour & Moran 2023."""

from boosttheory.claims import Claim, Role, Verdict
from boosttheory.concepts import is_pseudo_cube
from boosttheory.oneinclusion import Graph
from proofs_checks.multiclass.def7_k_ds_shattering import EVERY, EVERY_SCOPE, small
from proofs_checks.multiclass.def12_one_inclusion_graph import every_edge

claim = Claim(
    id="multiclass.def13",
    paper="brukhim2023",
    locator="Definition 13, Appendix C",
    title="k-degree",
    role=Role.DEFINITION,
    statement=r"\mathsf{deg}^k(v)=|\{e\in E:v\in e,\ |e|>k\}|",
    expect=Verdict.CONFORMS,
    uses=("multiclass.def12",),
    note="A vertex has k neighbours in every direction just when its k-degree is n.",
)


def wider(size, k):
    """|e| > k."""
    return size > k


def at_least(size, k):
    """|e| >= k."""
    return size >= k


def next_size(size, k):
    """|e| = k + 1."""
    return size == k + 1


@claim.check("exhaustive", scope=EVERY_SCOPE, over=lambda: small(*EVERY), relation="equality")
def degrees_of_the_library_and_of_the_definition(case, *, counts=wider):
    """Minus the largest distance of a degree from the count by the words."""
    made = every_edge(case.rows, case.n_labels)
    found = Graph(case.rows).degrees(case.k).tolist()
    return -max(
        abs(found[v] - sum(v in e and counts(len(e), case.k) for _, e in made)) for v in range(len(found))
    )


degrees_of_the_library_and_of_the_definition.mutant("edges of k vertices counted too", counts=at_least)
degrees_of_the_library_and_of_the_definition.mutant("only edges of size k + 1", counts=next_size)


@claim.check("exhaustive", scope=EVERY_SCOPE, over=lambda: small(*EVERY), relation="equality")
def sum_of_the_degrees(case, *, counts=wider):
    """Minus the distance between Σ deg and the sum of the sizes of the edges counted."""
    sizes = Graph(case.rows).sizes.tolist()
    return -abs(
        int(Graph(case.rows).degrees(case.k).sum()) - sum(size for size in sizes if counts(size, case.k))
    )


sum_of_the_degrees.mutant("edges of k vertices counted too", counts=at_least)
sum_of_the_degrees.mutant("only edges of size k + 1", counts=next_size)


@claim.check("exhaustive", scope=EVERY_SCOPE, over=lambda: small(*EVERY), relation="equivalence")
def full_degrees_are_k_neighbours_everywhere(case, *, missing=0, more=0):
    """Whether all degrees are n just when everyone has k neighbours in every direction."""
    full = (Graph(case.rows).degrees(case.k) >= case.n_points - missing).all()
    return bool(full) == is_pseudo_cube(case.rows, case.k + more)


full_degrees_are_k_neighbours_everywhere.mutant("degrees of n − 1", missing=1)
full_degrees_are_k_neighbours_everywhere.mutant("k + 1 neighbours", more=1)
