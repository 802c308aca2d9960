"""The dimensions of small classes side by side, Section 4.2 and Appendix C, Brukhim et al. 2023."""

from boosttheory.claims import Claim, Reading, Verdict
from proofs_checks.multiclass.def7_k_ds_shattering import EVERY, EVERY_SCOPE, family, orbits, small
from proofs_checks.multiclass.lem6_orientation import number

claim = Claim(
    id="multiclass.ds.atlas",
    paper="brukhim2023",
    locator="Section 4.2 and Appendix C",
    title="dimensions of small classes side by side",
    reading=Reading.CANONICAL,
    statement=r"\min_{\sigma^k}\mathsf{outdeg}^k(\sigma^k)\le d^k_{DS}(\mathcal H),\quad "
    r"d^k_N(\mathcal H)\le d^k_{DS}(\mathcal H)\le d^k_E(\mathcal H)",
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("multiclass.lem6.every", "multiclass.lem10.exp"),
    note="A product of (k + 1)-sets is a family with k neighbours everywhere, and such a family on d points "
    "has at least (k + 1)^d members. The table lists every class in [2]^3 and [3]^2 up to symmetry.",
)


def ordered(natarajan, ds, exponential, out_degree):
    """The differences that the statement says are not negative."""
    return ds - out_degree, ds - natarajan, exponential - ds


def dimensions(case):
    """Natarajan, DS and exponential dimension, and the least out-degree."""
    h = family(case)
    return (
        h.natarajan_dimension(case.k),
        h.ds_dimension(case.k),
        h.exponential_dimension(case.k),
        number(case),
    )


@claim.check("exhaustive", scope=EVERY_SCOPE, over=lambda: small(*EVERY))
def order_of_the_dimensions(case, *, differences=ordered):
    """Least of the differences between neighbours in the chain."""
    return min(differences(*dimensions(case)))


order_of_the_dimensions.mutant(
    "DS at most Natarajan", differences=lambda natarajan, ds, exponential, out_degree: (natarajan - ds,)
)
order_of_the_dimensions.mutant(
    "exponential at most DS", differences=lambda natarajan, ds, exponential, out_degree: (ds - exponential,)
)
order_of_the_dimensions.mutant(
    "out-degree at most the dimension less one",
    differences=lambda natarajan, ds, exponential, out_degree: (ds - 1 - out_degree,),
)


def line(case):
    """One line of the atlas."""
    h = family(case)
    stands_for = dict(orbits(case.n_labels, case.n_points))[case.rows]
    row = {
        "in": f"[{case.n_labels}]^{case.n_points}",
        "class": " ".join("".join(map(str, r)) for r in case.rows),
        "patterns": len(h),
        "stands for": stands_for,
        "Natarajan": h.natarajan_dimension(),
        "DS": h.ds_dimension(),
        "graph": h.graph_dimension(),
        "exponential": h.exponential_dimension(),
        "out-degree": number(case),
    }
    if case.n_labels > 2:
        row |= {"2-DS": h.ds_dimension(2), "2-list out-degree": number(case, 2)}
    return row


@claim.check(
    "exhaustive",
    scope="every class in [2]^3 and [3]^2, up to symmetry, k = 1",
    over=lambda: small((2, 3), (3, 2), list_sizes=lambda n_labels: [1]),
    table=line,
)
def atlas(case, *, differences=ordered):
    """Least of the differences between neighbours in the chain."""
    return min(differences(*dimensions(case)))


atlas.mutant(
    "DS at most Natarajan", differences=lambda natarajan, ds, exponential, out_degree: (natarajan - ds,)
)
atlas.mutant(
    "exponential at most DS", differences=lambda natarajan, ds, exponential, out_degree: (ds - exponential,)
)
