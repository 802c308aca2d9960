"""Exponential and DS dimension coincide for lists of p - 1, proof of Lemma 10, Brukhim et al. 2023."""

from boosttheory.claims import Claim, Verdict
from boosttheory.concepts import k_core
from proofs_checks.multiclass.def7_k_ds_shattering import EVERY, Small, family, restrictions, small
from proofs_checks.multiclass.ds_monotone_in_k import LARGER, LARGER_SCOPE, classes

claim = Claim(
    id="multiclass.lem10.exp",
    paper="brukhim2023",
    locator="proof of Lemma 10, Appendix C.2",
    title="exponential and DS dimension coincide for p labels and lists of p − 1",
    statement=r"\mathcal H\subseteq[p]^n:\ S\text{ is }(p-1)\text{-DS shattered}\iff|\mathcal H|_S|\ge "
    r"p^{|S|},\quad d^{p-1}_{DS}(\mathcal H)=d^{p-1}_E(\mathcal H)",
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("multiclass.def7",),
    note="Both say that every pattern occurs on S, for a non-empty family and distinct points (a repeated "
    "point makes both false). For shorter lists the two differ: {00, 01, 02, 10} has 2^2 patterns and is "
    "not 1-DS shattered.",
)


def longest_list(n_labels):
    """Lists of k = p - 1."""
    return [n_labels - 1]


def shorter(n_labels):
    """Lists of k = p - 2, where there are any."""
    return max(1, n_labels - 2)


FOUR = Small(3, 2, ((0, 0), (0, 1), (0, 2), (1, 0)))


@claim.check(
    "exhaustive",
    scope="every class in [2]^4, [3]^2 and [4]^2 or smaller, up to symmetry, k = p - 1; every set of points",
    over=lambda: [*small(*EVERY, list_sizes=longest_list), FOUR],
    relation="equivalence",
)
def shattered_both_ways(case, *, size=lambda p: p - 1, strict=0):
    """Whether the two kinds of shattering agree on every set of points, and so the dimensions."""
    k = size(case.n_labels)
    each = all(
        k_core(rows, k).any() == (len(rows) >= (k + 1) ** len(points) + strict)
        for points, rows in restrictions(case)
    )
    return each and family(case).ds_dimension(k) == family(case).exponential_dimension(k)


shattered_both_ways.mutant("k = p − 2", size=shorter)
shattered_both_ways.mutant("more than p^|S| restrictions", strict=1)


@claim.check(
    "search",
    scope=f"{LARGER_SCOPE}; k = p - 1",
    over=lambda: classes(*LARGER),
    examples=100,
    relation="equality",
)
def dimensions_of_larger_classes(case, *, size=lambda p: p - 1, more=0):
    """Minus the distance of the two dimensions."""
    k = size(case.n_labels)
    return -abs(family(case).ds_dimension(k) - family(case).exponential_dimension(k + more))


dimensions_of_larger_classes.mutant("k = p − 2", size=shorter)
dimensions_of_larger_classes.mutant("the p-exponential dimension", more=1)
