"""Definition 9 (pseudo-cubes), Brukhim, Daniely, Mansour & Moran 2023."""

from itertools import combinations, product

from boosttheory.claims import Claim, Role, Verdict
from boosttheory.concepts import is_pseudo_cube, k_core, six_cycle
from boosttheory.oneinclusion import Graph
from proofs_checks.multiclass.def7_k_ds_shattering import EVERY, EVERY_SCOPE, Small, has_neighbours, small

LOCATOR = "Definition 9, Appendix C"

claim = Claim(
    id="multiclass.def9",
    paper="brukhim2023",
    locator=LOCATOR,
    title="pseudo-cubes",
    role=Role.DEFINITION,
    statement=r"\mathcal H\subseteq\mathcal Y^d\text{ is a pseudo-cube}\iff 0<|\mathcal H|<\infty\text{ and }"
    r"\forall h\in\mathcal H\ \forall i\in[d]\ \exists g\in\mathcal H:\ g(i)\ne h(i),\ g(j)=h(j)\ (j\ne i)",
    expect=Verdict.CONFORMS,
    note="Three readings agree: the words of the definition, nothing to peel off, and every vertex of the "
    "one-inclusion graph on d edges of more than one vertex.",
)
boolean = Claim(
    id="multiclass.def9.boolean",
    paper="brukhim2023",
    locator="after Definition 9, Appendix C",
    title="with two labels only the cube is a pseudo-cube",
    statement=r"\mathcal H\subseteq\{0,1\}^d\text{ is a pseudo-cube}\iff\mathcal H=\{0,1\}^d",
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("multiclass.def9",),
    note="A connected graph of degree d in the cube is the cube.",
)
no_square = Claim(
    id="multiclass.def9.other",
    paper="brukhim2023",
    locator="after Definition 9, Appendix C",
    title="with three labels there are other pseudo-cubes",
    statement=r"|\mathcal Y|>2:\ \text{every copy of the Boolean cube is a pseudo-cube, and some pseudo-cube "
    r"contains no copy of it}",
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("multiclass.def9",),
    note="The 6-cycle in [3]^2. Up to symmetry it is the only pseudo-cube in [3]^2 without a 2 x 2 square.",
)


def in_every_direction(rows):
    """Every vertex lies on an edge of more than one vertex in each direction."""
    return bool((Graph(rows).degrees(1) == len(rows[0])).all())


def in_some_direction(rows):
    """Every vertex lies on an edge of more than one vertex in some direction."""
    return bool((Graph(rows).degrees(1) > 0).all())


@claim.check(
    "exhaustive",
    scope=EVERY_SCOPE,
    over=lambda: small(*EVERY, list_sizes=lambda n_labels: [1]),
    relation="equivalence",
)
def three_readings_of_a_pseudo_cube(case, *, by_degree=in_every_direction, neighbours=1):
    """Whether the words, the peeling and the degrees agree."""
    words = bool(case.rows) and has_neighbours(case.rows, 1)
    return words == bool(k_core(case.rows, neighbours).all()) == by_degree(case.rows)


three_readings_of_a_pseudo_cube.mutant("a neighbour in some direction", by_degree=in_some_direction)
three_readings_of_a_pseudo_cube.mutant("two neighbours", neighbours=2)


@boolean.check(
    "exhaustive",
    scope="every class in {0,1}^d, d <= 4, up to symmetry",
    over=lambda: small((2, 1), (2, 2), (2, 3), (2, 4)),
    relation="equivalence",
)
def only_the_cube_is_a_pseudo_cube(case, *, dense=lambda d: 2**d, cube=is_pseudo_cube):
    """Whether being a pseudo-cube and having all patterns go together."""
    return cube(case.rows) == (len(case.rows) >= dense(case.n_points))


only_the_cube_is_a_pseudo_cube.mutant("one pattern missing", dense=lambda d: 2**d - 1)
only_the_cube_is_a_pseudo_cube.mutant("a neighbour in some direction", cube=in_some_direction)


def squares(rows):
    """Products of two-label sets, one a point, that the class contains."""
    labels = sorted({label for row in rows for label in row})
    sides = list(combinations(labels, 2))
    return [chosen for chosen in product(sides, repeat=len(rows[0])) if set(product(*chosen)) <= set(rows)]


def of_six(rows):
    """The rows of six patterns, nothing else."""
    return len(rows) == 6


@no_square.check(
    "exhaustive",
    scope="every class in [3]^2, up to symmetry, and every copy of {0,1}^2 and {0,1}^3 over three labels",
    over=lambda: [
        *small((3, 2), list_sizes=lambda n_labels: [1]),
        *(
            Small(3, 1, tuple(product(*sides)))
            for d in (2, 3)
            for sides in product(combinations(range(3), 2), repeat=d)
        ),
    ],
    relation="equivalence",
)
def pseudo_cubes_with_and_without_a_square(case, *, exception=of_six, cube=is_pseudo_cube):
    """A copy of the cube is a pseudo-cube; a pseudo-cube without a copy in it is a 6-cycle."""
    found = squares(case.rows)
    copy = any(len(case.rows) == 2 ** len(sides) for sides in found)
    if copy and not cube(case.rows):
        return False
    return not cube(case.rows) or bool(found) or exception(case.rows)


pseudo_cubes_with_and_without_a_square.mutant(
    "every pseudo-cube contains a Boolean cube", exception=lambda rows: False
)
pseudo_cubes_with_and_without_a_square.mutant("a neighbour in some direction", cube=in_some_direction)


@no_square.check(
    "witness",
    scope="the 6-cycle in [3]^2",
    over=[Small(3, 1, tuple(six_cycle()))],
    relation="equivalence",
)
def the_six_cycle(case, *, cube=is_pseudo_cube, holds_square=False):
    """A pseudo-cube that contains no 2 x 2 square."""
    return cube(case.rows) and bool(squares(case.rows)) == holds_square


the_six_cycle.mutant("two neighbours in every direction", cube=lambda rows: is_pseudo_cube(rows, 2))
the_six_cycle.mutant("every pseudo-cube contains a Boolean cube", holds_square=True)
