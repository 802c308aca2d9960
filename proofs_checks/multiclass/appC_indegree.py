"""Remark on the in-degree, Appendix C, Brukhim, Daniely, Mansour & Moran 2023."""

# ruff: noqa: N999
from functools import cache
from typing import NamedTuple

from boosttheory.claims import Claim, Reading, Verdict
from proofs_checks.multiclass.def7_k_ds_shattering import EVERY, EVERY_SCOPE, Small, family, small
from proofs_checks.multiclass.def14_list_orientation import best, orientations

LOCATOR = "third paragraph of Appendix C"

claim = Claim(
    id="multiclass.appC.indegree",
    paper="brukhim2023",
    locator=LOCATOR,
    title="minimising how often a vertex is listed suffices for a weak learner",
    reading=Reading.CANONICAL,
    statement=r"\sigma^k\text{ minimises }\max_v|\{e:v\in\sigma^k(e)\}|\implies\text{every vertex is "
    r"listed by one of "
    r"its }d+1\text{ edges},\text{ as Lemma 8 needs}",
    assumes=(r"\mathcal H\subseteq\mathcal Y^{d+1},\ d^k_{DS}(\mathcal H)\le d",),
    expect=Verdict.REFUTED,
    uses=("multiclass.def15",),
    note="The text says that the simpler task of minimizing the in-degree is sufficient to obtain a "
    "reasonable weak learner, and defines no in-degree. Here it is the number of edges that list a vertex, "
    "the counterpart of Definition 15. Empty lists minimise it, and never hold the right label. With lists "
    "as long as they can be it fails too: in the path {00, 01, 11} one best orientation lists 01 nowhere. "
    "If the edges point to the one label that they leave out, as the learners of wrong labels in Appendix "
    "C.2 do, then the in-degree is the out-degree of the lists, and the sentence is right.",
)
positive = Claim(
    id="multiclass.appC.indegree.positive",
    paper="brukhim2023",
    locator=LOCATOR,
    title="an in-degree of at least 1 everywhere suffices",
    reading=Reading.CANONICAL,
    statement=r"\mathcal H\subseteq\mathcal Y^n,\ d^k_{DS}(\mathcal H)<n\implies\exists\,\sigma^k\ "
    r"\forall v:\ "
    r"|\{e:v\in\sigma^k(e)\}|\ge1",
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("multiclass.lem6",),
    repairs=("multiclass.appC.indegree",),
    note="What makes a weak learner is that no vertex is left out by all of its edges: coverage 1/n. "
    "In-degree and out-degree add up to n, so this is Lemma 6; a large least in-degree is wanted, not a "
    "small one.",
)


class Orientations(NamedTuple):
    """A class and whether lists may be shorter than possible."""

    case: Small
    full_lists: bool


def in_degrees(rows, orientation):
    """Number of edges that list each vertex."""
    return [sum(v in listed for listed in orientation.values()) for v in range(len(rows))]


@cache
def all_in_degrees(found):
    """The in-degrees of all orientations."""
    rows, k = found.case.rows, found.case.k
    lengths = (
        (lambda size, k: [min(k, size)]) if found.full_lists else (lambda size, k: range(min(k, size) + 1))
    )
    return [in_degrees(rows, orientation) for orientation in orientations(rows, k, lengths)]


def least_largest(found):
    """The worst of the orientations that minimise the largest in-degree."""
    every = all_in_degrees(found)
    lowest = min(map(max, every))
    return min(min(degrees) for degrees in every if max(degrees) == lowest)


def largest_least(found):
    """An orientation that maximises the least in-degree."""
    return max(map(min, all_in_degrees(found)))


def least_out_degree(found):
    """The library's orientation, of least out-degree."""
    solved = best(found.case.n_labels, found.case.rows, found.case.k)
    return int(solved.chosen.sum(axis=0).min())


PATH = Small(2, 1, ((0, 0), (0, 1), (1, 1)))


@claim.check(
    "witness",
    scope="the path {00, 01, 11}, DS dimension 1, lists that may be empty, and lists as long as possible",
    over=[Orientations(PATH, False), Orientations(PATH, True)],
)
def least_in_degree_when_the_largest_is_minimised(found, *, rule=least_largest):
    """Least in-degree minus 1."""
    return rule(found) - 1


least_in_degree_when_the_largest_is_minimised.rescue("the out-degree minimised", rule=least_out_degree)
least_in_degree_when_the_largest_is_minimised.rescue("the least in-degree maximised", rule=largest_least)


def unshattered():
    """Classes that do not shatter all of their points."""
    return [
        Orientations(case, True)
        for case in small(*EVERY)
        if family(case).ds_dimension(case.k) < case.n_points
    ]


def longest_lists(found):
    """The longest lists, taken from the start of each edge."""
    graph = best(found.case.n_labels, found.case.rows, found.case.k).graph
    listed = {e: e[: found.case.k] for _, e in graph.edges()}
    return min(sum(v in listed[e] for _, e in graph.edges()) for v in range(graph.n_vertices))


@positive.check(
    "exhaustive",
    scope=f"{EVERY_SCOPE}, that does not shatter all of its points",
    over=unshattered,
    replays=least_in_degree_when_the_largest_is_minimised,
)
def least_in_degree_when_the_out_degree_is_minimised(found, *, rule=least_out_degree, needed=1):
    """Least in-degree minus 1."""
    return rule(found) - needed


least_in_degree_when_the_out_degree_is_minimised.mutant("in-degree 2 everywhere", needed=2)
least_in_degree_when_the_out_degree_is_minimised.mutant("the first k of each edge", rule=longest_lists)


@positive.check("exhaustive", scope=EVERY_SCOPE, over=lambda: small(*EVERY), relation="equality")
def in_degree_and_out_degree_add_up(case, *, total=lambda case: case.n_points):
    """Minus the largest distance of in-degree + out-degree from n."""
    found = best(case.n_labels, case.rows, case.k)
    inward = [sum(v in listed for listed in found.lists()) for v in range(len(case.rows))]
    outward = [
        sum(
            v in e and v not in listed
            for listed, (_, e) in zip(found.lists(), found.graph.edges(), strict=True)
        )
        for v in range(len(case.rows))
    ]
    return -max(abs(a + b - total(case)) for a, b in zip(inward, outward, strict=True))


in_degree_and_out_degree_add_up.mutant("n − 1", total=lambda case: case.n_points - 1)
in_degree_and_out_degree_add_up.mutant("the number of labels", total=lambda case: case.n_labels)
