"""Definition 11 (k-DS dimension) and the remark on infinite DS dimension, Brukhim et al. 2023."""

from itertools import combinations, product

from boosttheory.claims import Claim, Reading, Role, Verdict
from boosttheory.concepts import box, is_pseudo_cube
from proofs_checks.multiclass.def7_k_ds_shattering import TINY, TINY_SCOPE, family, restrictions, small

claim = Claim(
    id="multiclass.def11",
    paper="brukhim2023",
    locator="Definition 11, Appendix C",
    title="k-DS dimension, by analogy with Definition 10",
    role=Role.DEFINITION,
    reading=Reading.CANONICAL,
    statement=r"S\in\mathcal X^n\text{ is }k\text{-DS shattered}\iff\mathcal H|_S\text{ contains a finite "
    r"non-empty family in which everyone has at least }k\ i\text{-neighbors for each }i",
    expect=Verdict.CONFORMS,
    uses=("multiclass.def7",),
    note="The text of this definition is not printed; it is the analogue of Definition 10 that the sentence "
    "before it announces, and agrees with Definition 7.",
)
unbounded = Claim(
    id="multiclass.def11.infinite",
    paper="brukhim2023",
    locator="after Definition 11, Appendix C",
    title="infinite DS dimension with finite k-DS dimension",
    statement=r"d^1_{DS}([2]^n\times[k+1]^m)=n+m,\quad d^k_{DS}([2]^n\times[k+1]^m)=m\quad(k\ge2)",
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("multiclass.def11",),
    note="As n grows the DS dimension does and the k-DS dimension stays. A simpler example than the one "
    "cited: all functions with two values on infinitely many points and k + 1 on m others.",
)


def among_restrictions(case):
    """The most points on which some set of restrictions has k neighbours in every direction."""
    return max(
        (
            len(points)
            for points, rows in restrictions(case)
            if any(
                is_pseudo_cube(f, case.k) for size in range(len(rows) + 1) for f in combinations(rows, size)
            )
        ),
        default=0,
    )


def with_fewer(case):
    """The same with k − 1 neighbours (k = 1: as it is)."""
    return among_restrictions(case) if case.k < 2 else among_restrictions(case._replace(k=case.k - 1))


@claim.check("exhaustive", scope=TINY_SCOPE, over=lambda: small(*TINY), relation="equality")
def dimension_among_restrictions(case, *, dimension=among_restrictions, more=0):
    """Minus the distance between the library's dimension and the largest family among the restrictions."""
    return -abs(dimension(case) - family(case).ds_dimension(case.k + more))


dimension_among_restrictions.mutant("k − 1 neighbours", dimension=with_fewer)
dimension_among_restrictions.mutant("k + 1 neighbours", more=1)


@unbounded.check(
    "exhaustive",
    scope="n + m <= 5, k = 2 and 3 (k = 3: n + m <= 4)",
    over=[(n, m, k) for k in (2, 3) for n, m in product(range(6), repeat=2) if 0 < n + m <= 7 - k],
    relation="equality",
)
def dimensions_of_a_product(case, *, sides=2, more=1):
    """Minus the distance of the two dimensions from n + m and m."""
    n, m, k = case
    h = box([sides] * n + [k + more] * m)
    return -max(abs(h.ds_dimension(1) - n - m), abs(h.ds_dimension(k) - m))


dimensions_of_a_product.mutant("one label in place of two", sides=1)
dimensions_of_a_product.mutant("k labels in place of k + 1", more=0)
