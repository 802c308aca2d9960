"""Definition 10 (DS dimension) and the remark that it is the 1-DS dimension, Brukhim et al. 2023."""

from itertools import combinations

from boosttheory.claims import Claim, Role, Verdict
from boosttheory.concepts import is_pseudo_cube
from proofs_checks.multiclass.def7_k_ds_shattering import TINY, TINY_SCOPE, family, restrictions, small

claim = Claim(
    id="multiclass.def10",
    paper="brukhim2023",
    locator="Definition 10, Appendix C",
    title="DS dimension",
    role=Role.DEFINITION,
    statement=r"S\in\mathcal X^n\text{ is DS-shattered}\iff\mathcal H|_S\text{ contains an "
    r"}n\text{-dimensional pseudo-cube};\quad d_{DS}(\mathcal H)=\max\{|S|:S\text{ is DS-shattered}\}",
    expect=Verdict.CONFORMS,
    uses=("multiclass.def9",),
    note="For two labels it is the VC dimension.",
)
equal = Claim(
    id="multiclass.def10.eq",
    paper="brukhim2023",
    locator="after Definition 11, Appendix C",
    title="the DS dimension is the 1-DS dimension",
    statement=r"d_{DS}(\mathcal H)=d^k_{DS}(\mathcal H)\text{ for }k=1",
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("multiclass.def7", "multiclass.def10"),
    note="The definitions differ in that one looks for a family of functions and restricts it, and the other "
    "looks among the restrictions.",
)


def by_pseudo_cubes(case):
    """The most points on which the class contains a pseudo-cube, trying every subset of the restrictions."""
    return max(
        (
            len(points)
            for points, rows in restrictions(case)
            if any(is_pseudo_cube(f) for size in range(len(rows) + 1) for f in combinations(rows, size))
        ),
        default=0,
    )


def by_subfamilies(case):
    """The most points that the restriction of some subfamily of H shatters."""
    return max(
        (
            len(points)
            for size in range(len(case.rows) + 1)
            for f in combinations(case.rows, size)
            for points, rows in restrictions(case._replace(rows=f) if f else case)
            if f and is_pseudo_cube(rows)
        ),
        default=0,
    )


def natarajan(case):
    """The Natarajan dimension."""
    return family(case).natarajan_dimension()


CASES = [(2, 1), (2, 2), (2, 3), (3, 1), (3, 2)]


@claim.check(
    "exhaustive",
    scope="every class in [2]^3 and [3]^2 or smaller, up to symmetry",
    over=lambda: small(*CASES, list_sizes=lambda n_labels: [1]),
    relation="equality",
)
def library_and_pseudo_cubes(case, *, k=1, dimension=by_pseudo_cubes):
    """Minus the distance between the library's DS dimension and the definition; for two labels also VC's."""
    h = family(case)
    vc = abs(h.vc_dimension() - h.ds_dimension(k)) if case.n_labels == 2 else 0
    return -max(vc, abs(h.ds_dimension(k) - dimension(case)))


library_and_pseudo_cubes.mutant("two neighbours", k=2)
library_and_pseudo_cubes.mutant("Boolean cubes in place of pseudo-cubes", dimension=natarajan)


@equal.check(
    "exhaustive",
    scope=TINY_SCOPE.replace("every k below the number of labels", "k = 1"),
    over=lambda: small(*TINY, list_sizes=lambda n_labels: [1]),
    relation="equality",
)
def two_definitions_of_the_dimension(case, *, one=by_subfamilies, other=by_pseudo_cubes):
    """Minus the distance between Definition 7 with k = 1 and Definition 10."""
    return -abs(one(case) - other(case))


two_definitions_of_the_dimension.mutant("Boolean cubes in place of pseudo-cubes", other=natarajan)
two_definitions_of_the_dimension.mutant(
    "two neighbours in place of one", one=lambda case: family(case).ds_dimension(2)
)
