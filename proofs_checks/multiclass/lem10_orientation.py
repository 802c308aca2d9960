"""Lemma 10 (an orientation of out-degree at most 4(p-1)²d for p labels), Brukhim et al. 2023."""

from functools import cache
from itertools import pairwise

from boosttheory.charts import Curve, tightness_chart
from boosttheory.claims import Claim, Reading, Verdict
from boosttheory.concepts import compress, hamming_ball
from boosttheory.oneinclusion import Graph
from proofs_checks.multiclass.def7_k_ds_shattering import EVERY, Small, family_of, small
from proofs_checks.multiclass.ds_monotone_in_k import LARGER, LARGER_SCOPE, classes
from proofs_checks.multiclass.lem6_orientation import ds, number
from proofs_checks.multiclass.lem10_exp_exponential_dimension import longest_list

LOCATOR = "Lemma 10, Appendix C.2"
SPACE = r"\mathcal H\subseteq[p]^n,\ d^{p-1}_{DS}(\mathcal H)\le d<n"

claim = Claim(
    id="multiclass.lem10",
    paper="brukhim2023",
    locator=LOCATOR,
    title="an orientation of out-degree at most 4(p − 1)²d",
    statement=SPACE + r"\implies\exists\,\sigma^{p-1}:\ \mathsf{outdeg}^{p-1}(\sigma^{p-1})\le 4(p-1)^2d",
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("multiclass.lem10.exp", "multiclass.def15"),
    note="True and loose: out-degree d suffices, see lem10.d. For p = 1 it is vacuous, as every sequence is "
    "0-DS shattered. The bound is attained at d = 0 only.",
)
dimension = Claim(
    id="multiclass.lem10.d",
    paper="brukhim2023",
    locator=LOCATOR,
    title="out-degree d suffices",
    reading=Reading.CANONICAL,
    statement=SPACE + r"\implies\exists\,\sigma^{p-1}:\ \mathsf{outdeg}^{p-1}(\sigma^{p-1})\le d",
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("multiclass.lem10.exp", "multiclass.lem10"),
    note="Lists of p - 1 leave a vertex out of full edges (p vertices) alone, so by Hall's theorem it is "
    "enough that a class of dimension d has at most d full edges a vertex. Push the patterns of each line "
    "down, point by point: no full edge is lost, no set of points gains restrictions, and in the end each "
    "full edge has its own top, a pattern with the last label there; a pattern with that label on t points "
    "has all p^t patterns below it, so t <= d. Each step is checked on every class. A special case of "
    "lem6.every, which is known; the argument for it is short.",
)


def proper(case):
    """Whether d < n."""
    return ds(case) < case.n_points


def balls():
    """Patterns with at most r labels other than 0: dimension r."""
    made = [(p, n, r) for p, n in ((2, 6), (2, 8), (3, 4), (3, 5), (4, 3)) for r in range(1, 4) if r < n]
    return [Small(p, p - 1, tuple(hamming_ball(n, r, p))) for p, n, r in made]


def cases():
    """Every small class of dimension below n, and balls."""
    return [case for case in [*small(*EVERY, list_sizes=longest_list), *balls()] if proper(case)]


SCOPE = (
    "every class in [2]^4, [3]^2 and [4]^2 or smaller that does not shatter all points, up to symmetry, k = "
    "p - 1; balls of radius 1 to 3 in [2]^8, [3]^5 and [4]^3 or smaller"
)


def printed(p, d):
    """4(p-1)²d."""
    return 4 * (p - 1) ** 2 * d


def less_one(p, d):
    """The dimension less one."""
    return d - 1


def chart():
    """The stated bound, d, and the largest least out-degree among the cases, over the number of labels."""
    labels = sorted({case.n_labels for case in cases()})
    ones = [[case for case in cases() if case.n_labels == p and ds(case) == 1] for p in labels]
    return tightness_chart(
        [
            Curve("stated", "4(p − 1)²d", labels, [printed(p, 1) for p in labels]),
            Curve("repaired", "d", labels, [1] * len(labels)),
            Curve(
                "worst known", "largest least out-degree", labels, [max(map(number, some)) for some in ones]
            ),
        ],
        x="labels p",
        y="out-degree",
        log_y=True,
        caption="Lemma 10 at dimension d = 1, over every small class of that dimension and balls: d is "
        "attained.",
    )


@claim.check("exhaustive", scope=SCOPE, over=cases, figure=chart)
def bound_less_the_out_degree(case, *, bound=printed):
    """4(p-1)²d minus the least out-degree."""
    return bound(case.n_labels, ds(case)) - number(case)


bound_less_the_out_degree.mutant("d − 1 in place of 4(p − 1)²d", bound=less_one)
bound_less_the_out_degree.mutant("d/2 in place of 4(p − 1)²d", bound=lambda p, d: d // 2)


def larger():
    """Larger classes of dimension below n with k = p - 1."""
    return classes(*LARGER).map(lambda case: case._replace(k=case.n_labels - 1)).filter(proper)


@dimension.check("exhaustive", scope=SCOPE, over=cases)
def dimension_less_the_out_degree(case, *, bound=lambda p, d: d):
    """Dimension minus the least out-degree."""
    return bound(case.n_labels, ds(case)) - number(case)


dimension_less_the_out_degree.mutant("d − 1 in place of d", bound=less_one)
dimension_less_the_out_degree.mutant("d/2 in place of d", bound=lambda p, d: d // 2)


@dimension.check(
    "search", scope=f"{LARGER_SCOPE}, of dimension below n, k = p - 1", over=larger, examples=100
)
def dimension_less_the_out_degree_of_larger_classes(case, *, bound=lambda p, d: d):
    """Dimension minus the least out-degree."""
    return bound(case.n_labels, ds(case)) - number(case)


dimension_less_the_out_degree_of_larger_classes.mutant("d − 1 in place of d", bound=less_one)
dimension_less_the_out_degree_of_larger_classes.mutant("d/2 in place of d", bound=lambda p, d: d // 2)


def wide_edges(rows, size):
    """Number of edges of at least ``size`` vertices."""
    return int((Graph(rows).sizes >= size).sum())


def untouched(rows, point):
    """No compression."""
    return rows


def pushed(rows, point):
    """One compression."""
    return tuple(sorted(map(tuple, compress(rows, point).tolist())))


@cache
def compressions(rows, push):
    """The class after each compression that changes it."""
    chain, still = [rows], 0
    while still < len(rows[0]):
        after = push(chain[-1], (len(chain) + still - 1) % len(rows[0]))
        still = still + 1 if after == chain[-1] else 0
        if not still:
            chain.append(after)
    return chain


@dimension.check("exhaustive", scope=SCOPE, over=cases)
def steps_of_the_compression(case, *, push=pushed, full=0, tops=0):
    """Least slack of the steps: patterns kept, full edges kept, dimension not raised, tops, their number."""
    p, d = case.n_labels, ds(case)
    chain = compressions(case.rows, push)
    slack = []
    for before, after in pairwise(chain):
        slack += [
            -abs(len(after) - len(before)),
            wide_edges(after, p - full) - wide_edges(before, p - full),
            family_of(p, before).ds_dimension(p - 1) - family_of(p, after).ds_dimension(p - 1),
        ]
    last = set(chain[-1])
    below = all(
        (*row[:i], row[i] - 1, *row[i + 1 :]) in last for row in last for i in range(case.n_points) if row[i]
    )
    highest = [sum(label >= p - 1 - tops for label in row) for row in last]
    edges = wide_edges(tuple(last), p - full)
    slack += [
        below - 1,
        sum(highest) - edges,
        d - max(highest),
        d * len(last) - wide_edges(case.rows, p - full),
    ]
    return min(slack)


steps_of_the_compression.mutant("no compression", push=untouched)
steps_of_the_compression.mutant("edges of p − 1 vertices counted as full", full=1)
steps_of_the_compression.mutant("the last label but one counted as a top", tops=1)
