"""Lemma 6 (an orientation of out-degree at most the dimension), Brukhim et al. 2023."""

from boosttheory.claims import Claim, Reading, Verdict
from boosttheory.concepts import full_class, hamming_ball
from boosttheory.drawings import one_inclusion_graph
from proofs_checks.multiclass.def7_k_ds_shattering import EVERY, EVERY_SCOPE, Small, family, small
from proofs_checks.multiclass.def14_list_orientation import best
from proofs_checks.multiclass.ds_monotone_in_k import LARGER, LARGER_SCOPE, classes

claim = Claim(
    id="multiclass.lem6",
    paper="brukhim2023",
    locator="Lemma 6, Appendix C",
    title="n = d + 1: an orientation of out-degree at most d",
    statement=r"\mathcal H\subseteq\mathcal Y^{d+1},\ d^k_{DS}(\mathcal H)\le d\implies\exists\,\sigma^k:\ "
    r"\mathsf{outdeg}^k(\sigma^k)\le d",
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("multiclass.def7", "multiclass.def15"),
    note="Any class that does not shatter all of its points. A maximal flow finds the orientation of least "
    "out-degree, and a dense subclass proves that nothing smaller is possible.",
)
every_n = Claim(
    id="multiclass.lem6.every",
    paper="brukhim2023",
    locator="Lemma 6, Appendix C",
    title="an orientation of out-degree at most d for every number of points",
    reading=Reading.CANONICAL,
    statement=r"\mathcal H\subseteq\mathcal Y^n,\ d^k_{DS}(\mathcal H)\le d\implies\exists\,\sigma^k:\ "
    r"\mathsf{outdeg}^k(\sigma^k)\le d",
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("multiclass.lem6",),
    note="Stronger than Lemma 6, and known: the density of a class is at most its dimension (Pabbaraju, "
    "arXiv 2604.24749). Only the check is ours.",
)


def not_shattered(cases):
    """Cases that do not shatter all of their points."""
    return [case for case in cases if family(case).ds_dimension(case.k) < case.n_points]


def unshattered_classes(*boxes):
    """The same among the classes hypothesis draws."""
    return classes(*boxes).filter(lambda case: family(case).ds_dimension(case.k) < case.n_points)


def number(case, k=None):
    """The least maximal out-degree."""
    return best(case.n_labels, case.rows, k or case.k).out_degree


NOT_SHATTERED = "that does not shatter all of its points"


@claim.check(
    "exhaustive",
    scope=f"{EVERY_SCOPE}, {NOT_SHATTERED}",
    over=lambda: not_shattered(small(*EVERY)),
)
def dimension_less_the_out_degree(case, *, less=0, power=1):
    """Dimension n - 1 minus the least out-degree."""
    return (case.n_points - 1) ** power - less - number(case)


dimension_less_the_out_degree.mutant("d − 1 in place of d", less=1)
dimension_less_the_out_degree.mutant("1 in place of d", power=0)


@claim.check(
    "search",
    scope=f"{LARGER_SCOPE}, {NOT_SHATTERED}",
    over=lambda: unshattered_classes(*LARGER),
    examples=100,
)
def dimension_less_the_out_degree_of_larger_classes(case, *, less=0):
    """Dimension n - 1 minus the least out-degree."""
    return case.n_points - 1 - less - number(case)


dimension_less_the_out_degree_of_larger_classes.mutant("d − 1 in place of d", less=1)
dimension_less_the_out_degree_of_larger_classes.mutant("d − 2 in place of d", less=2)


def ds(case):
    """The k-DS dimension."""
    return family(case).ds_dimension(case.k)


def extremal():
    """Balls and boxes, whose out-degree is their dimension or near it."""
    made = [(2, 1, hamming_ball(n, r)) for n in range(2, 9) for r in range(1, min(n, 4))]
    made += [(3, k, hamming_ball(n, r, 3)) for n, r in ((3, 1), (4, 2), (5, 2)) for k in (1, 2)]
    made += [(n_labels, k, full_class(n_labels, 3)) for n_labels in (2, 3, 4) for k in range(1, n_labels)]
    return [Small(n_labels, k, tuple(h)) for n_labels, k, h in made]


@every_n.check(
    "exhaustive",
    scope=f"{EVERY_SCOPE}; balls of radius up to 3 on up to 8 points, [2]^3, [3]^3, [4]^3",
    over=lambda: [*small(*EVERY), *extremal()],
    figure=lambda: one_inclusion_graph(
        hamming_ball(3, 1, 3), caption="The ball of radius 1 in [3]^3, DS dimension 1."
    ),
)
def dimension_less_the_out_degree_for_every_n(case, *, dimension=ds, less=0):
    """Dimension minus the least out-degree."""
    return dimension(case) - less - number(case)


dimension_less_the_out_degree_for_every_n.mutant("d − 1 in place of d", less=1)
dimension_less_the_out_degree_for_every_n.mutant(
    "the (k + 1)-DS dimension", dimension=lambda case: family(case).ds_dimension(case.k + 1)
)


@every_n.check("search", scope=LARGER_SCOPE, over=lambda: classes(*LARGER), examples=100)
def dimension_less_the_out_degree_of_larger_classes_for_every_n(case, *, dimension=ds, less=0):
    """Dimension minus the least out-degree."""
    return dimension(case) - less - number(case)


dimension_less_the_out_degree_of_larger_classes_for_every_n.mutant("d − 1 in place of d", less=1)
dimension_less_the_out_degree_of_larger_classes_for_every_n.mutant(
    "the (k + 1)-DS dimension", dimension=lambda case: family(case).ds_dimension(case.k + 1)
)
