"""Definition 7 (k-DS shattering, k-DS dimension), Brukhim, Daniely, Mansour & Moran 2023."""

from functools import cache
from itertools import chain, combinations, product
from typing import NamedTuple

from boosttheory.claims import Claim, Reading, Role, Verdict
from boosttheory.concepts import FiniteClass, k_core, shatters_by_definition
from boosttheory.enumerations import classes_up_to_symmetry, subsets

claim = Claim(
    id="multiclass.def7",
    paper="brukhim2023",
    locator="Definition 7, Section 4.2",
    title="k-DS shattering and the k-DS dimension",
    role=Role.DEFINITION,
    reading=Reading.CANONICAL,
    statement=r"\mathcal H\ k\text{-DS shatters }S\in\mathcal X^d\iff\exists\,\mathcal F\subseteq\mathcal "
    r"H,\ 0<|\mathcal F|<\infty:\ \forall f\in\mathcal F|_S\ \forall i\in[d]\ f\text{ has at least }k\ "
    r"i\text{-neighbors in }\mathcal F|_S",
    expect=Verdict.CONFORMS,
    note="The condition that the subfamily is not empty is added: without it every sequence is shattered, "
    "see def7.literal. Trying every subfamily, and peeling off members with too few neighbours until nothing "
    "changes, agree. A sequence that names a point twice is never shattered.",
)
literal = Claim(
    id="multiclass.def7.literal",
    paper="brukhim2023",
    locator="Definition 7, Section 4.2",
    title="the empty subfamily shatters everything",
    statement=r"\exists\,\mathcal F\subseteq\mathcal H,\ |\mathcal F|<\infty:\ \forall f\in\mathcal F|_S\ "
    r"\forall i\in[d]\ f\text{ has at least }k\ i\text{-neighbors, for every }S",
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    note="Read literally, Definition 7 admits the empty subfamily, and the dimension of every class is "
    "infinite.",
)


class Small(NamedTuple):
    """A class in [K]^n and a list size."""

    n_labels: int
    k: int
    rows: tuple[tuple[int, ...], ...]

    @property
    def n_points(self):
        """Number of points."""
        return len(self.rows[0])


@cache
def orbits(n_labels, n_points):
    """Classes in [K]^n up to symmetry, with how many each stands for."""
    return tuple(classes_up_to_symmetry(n_labels, n_points))


def small(*boxes, list_sizes=lambda n_labels: range(1, n_labels)):
    """Every class, up to symmetry, in some boxes (K, n), with every list size below K."""
    return [
        Small(n_labels, k, rows)
        for n_labels, n_points in boxes
        for rows, _ in orbits(n_labels, n_points)
        for k in list_sizes(n_labels)
    ]


TINY = ((2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (4, 1))
EVERY = ((2, 1), (2, 2), (2, 3), (2, 4), (3, 1), (3, 2), (4, 1), (4, 2))
TINY_SCOPE = (
    "every class in [2]^3, [3]^2 and [4]^1 or smaller, up to symmetry, every k below the number of labels"
)
EVERY_SCOPE = (
    "every class in [2]^4, [3]^2 and [4]^2 or smaller, up to symmetry, every k below the number of labels"
)


@cache
def family_of(n_labels, rows):
    """The class; one object each, so that its dimensions are computed once."""
    return FiniteClass(rows, labels=range(n_labels))


def family(case):
    """The class of a case."""
    return family_of(case.n_labels, case.rows)


def by_peeling(rows, k):
    """Remove members with too few neighbours among those left, until nothing changes."""
    return bool(k_core(rows, k).any())


def in_the_whole_class(rows, k):
    """Remove members with too few neighbours in H, once."""
    return any(
        all(
            sum(g[i] != h[i] and g[:i] + g[i + 1 :] == h[:i] + h[i + 1 :] for g in rows) >= k
            for i in range(len(h))
        )
        for h in rows
    )


def with_fewer(rows, k):
    """Ask for k − 1 neighbours."""
    return k == 1 or by_peeling(rows, k - 1)


@claim.check(
    "exhaustive",
    scope=TINY_SCOPE,
    over=lambda: small(*TINY),
    slow_over=lambda: small(*TINY, (4, 2)),
    slow_scope="also every class in [4]^2",
    relation="equivalence",
)
def peeling_agrees_with_every_subfamily(case, *, shattered=by_peeling):
    """Whether peeling leaves something just when some subfamily has k neighbours everywhere."""
    return shattered(case.rows, case.k) == shatters_by_definition(case.rows, case.k)


peeling_agrees_with_every_subfamily.mutant(
    "neighbours counted in H instead of F", shattered=in_the_whole_class
)
peeling_agrees_with_every_subfamily.mutant("k − 1 neighbours", shattered=with_fewer)


@cache
def longest(n_labels, rows, k, shattered):
    """Length of the longest shattered sequence, points repeated or not."""
    n = len(rows[0])
    return max(
        (
            length
            for length in range(1, n + 2)
            for points in product(range(n), repeat=length)
            if shattered(tuple(sorted({tuple(row[p] for p in points) for row in rows})), k)
        ),
        default=0,
    )


@cache
def shattered_by_definition(rows, k):
    """Try every subfamily, once for each class."""
    return shatters_by_definition(rows, k)


@claim.check(
    "exhaustive",
    scope=TINY_SCOPE + "; sequences of up to n + 1 points, repeated or not",
    over=lambda: small(*TINY),
    relation="equality",
)
def dimension_is_the_longest_shattered_sequence(case, *, more=0, shattered=shattered_by_definition):
    """Minus the distance between the library's dimension and the longest sequence by the definition."""
    return -abs(
        longest(case.n_labels, case.rows, case.k, shattered) - family(case).ds_dimension(case.k + more)
    )


dimension_is_the_longest_shattered_sequence.mutant("k + 1 neighbours", more=1)
dimension_is_the_longest_shattered_sequence.mutant(
    "neighbours counted in H instead of F", shattered=in_the_whole_class
)


def has_neighbours(chosen, k):
    """Whether every member of F has k neighbours in F in every direction; true of the empty F."""
    return all(
        sum(g[i] != h[i] and g[:i] + g[i + 1 :] == h[:i] + h[i + 1 :] for g in chosen) >= k
        for h in chosen
        for i in range(len(h))
    )


@literal.check("exhaustive", scope=TINY_SCOPE, over=lambda: small(*TINY), relation="equivalence")
def some_subfamily_has_enough_neighbours(case, *, smallest=0):
    """Whether a subfamily of at least ``smallest`` members shatters all points."""
    sizes = range(smallest, len(case.rows) + 1)
    return any(
        has_neighbours(f, case.k) for f in chain.from_iterable(combinations(case.rows, s) for s in sizes)
    )


some_subfamily_has_enough_neighbours.mutant("at least one member", smallest=1)
some_subfamily_has_enough_neighbours.mutant("at least three members", smallest=3)


def restrictions(case):
    """The restrictions of a class to each non-empty set of points."""
    for points in subsets(case.n_points):
        if points:
            yield points, tuple(sorted({tuple(row[p] for p in points) for row in case.rows}))
