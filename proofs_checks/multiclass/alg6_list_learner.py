"""Algorithm 6 (k-list PAC learner), Brukhim, Daniely, Mansour & Moran 2023."""

from fractions import Fraction
from functools import cache
from typing import NamedTuple

import numpy as np

from boosttheory.claims import Claim, Reading, Role, Verdict
from boosttheory.concepts import (
    full_class,
    hamming_ball,
    random_class,
    six_cycle,
    zero_and_singletons,
)
from boosttheory.oneinclusion import ListLearner, reconstruct
from proofs_checks.multiclass.def7_k_ds_shattering import family_of, orbits

LOCATOR = "Algorithm 6, Appendix C"

claim = Claim(
    id="multiclass.alg6",
    paper="brukhim2023",
    locator=LOCATOR,
    title="k-list learner of a class of finite k-DS dimension",
    role=Role.ALGORITHM,
    reading=Reading.CANONICAL,
    statement=r"\mu:\mathcal X\to\mathcal Y^k\text{ consistent with }S,\text{ rebuilt from }r\text{ of "
    r"its examples}",
    assumes=(r"d^k_{DS}(\mathcal H)=d<\infty,\ S\text{ is }\mathcal H\text{-realizable}",),
    expect=Verdict.CONFORMS,
    uses=("multiclass.lem9.ceiling", "multiclass.thm8", "multiclass.alg6.dimension.inside"),
    note="Numbers are rounded up, and the patterns of H^j are those that stay inside the lists. Every "
    "run asserts the "
    "steps of the proof as it goes; the lists are rebuilt from the compressed examples. No weak "
    "learner of Definition "
    "4 is built on the way, see thm5.brg.",
)
dimension = Claim(
    id="multiclass.alg6.dimension",
    paper="brukhim2023",
    locator="proof of Theorem 5, Appendix C",
    title="converting labels keeps the dimension",
    statement=r"\mathcal H^j\text{ is }\mathcal H\text{ with all labels converted to }[p-j+1]\text{ "
    r"via }\mu_j:\quad "
    r"d^k_{DS}(\mathcal H^j)=d^k_{DS}(\mathcal H)",
    expect=Verdict.REFUTED,
    uses=("multiclass.def7",),
    note="The proof says that the dimension remains d. What becomes of a label outside the list is not "
    "said. If its patterns are left out, the dimension may fall, which does no harm. If it is converted to "
    "the first label of the list, the dimension may rise above d: {02, 11, 20, 22}, of dimension 1, becomes "
    "the square {1, 2}^2. A slip of wording, mended by leaving such patterns out.",
)
inside = Claim(
    id="multiclass.alg6.dimension.inside",
    paper="brukhim2023",
    locator="proof of Theorem 5, Appendix C",
    title="the patterns inside the lists have no larger dimension",
    reading=Reading.CANONICAL,
    statement=r"\mathcal H^j=\{h\in\mathcal H:h(x)\in\mu_j(x)\ \forall x\}:\quad d^k_{DS}(\mathcal H^j)\le "
    r"d^k_{DS}(\mathcal H)",
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("multiclass.def7",),
    repairs=("multiclass.alg6.dimension",),
    note="A subclass shatters no more. Algorithm 5 needs the condition on its sample and test point "
    "alone, where the "
    "sample's own pattern is inside, as the lists are consistent with it; on the whole domain no "
    "member may satisfy it.",
)


class Listed(NamedTuple):
    """A class, a list size, and a list of labels for each point."""

    n_labels: int
    k: int
    rows: tuple[tuple[int, ...], ...]
    lists: tuple[tuple[int, ...], ...]


def left_out(case):
    """The patterns inside the lists."""
    return tuple(h for h in case.rows if all(y in listed for y, listed in zip(h, case.lists, strict=True)))


def made_first(case):
    """A label outside its list becomes the first of it."""
    return tuple(
        sorted(
            {
                tuple(y if y in listed else listed[0] for y, listed in zip(h, case.lists, strict=True))
                for h in case.rows
            }
        )
    )


def change(case, convert):
    """d(H^j) - d(H)."""
    converted = convert(case)
    before = family_of(case.n_labels, case.rows).ds_dimension(case.k)
    return (family_of(case.n_labels, converted).ds_dimension(case.k) if converted else 0) - before


FALLS = Listed(2, 1, ((0,), (1,)), ((0,),))
RISES = Listed(3, 1, ((0, 2), (1, 1), (2, 0), (2, 2)), ((1, 2), (1, 2)))


@dimension.check(
    "witness",
    scope="two labels and the list {0}, other labels left out; four patterns in [3]^2 and the lists {1, 2}, "
    "other labels made 1",
    over=[(RISES, made_first), (FALLS, left_out)],
    relation="equality",
)
def change_of_the_dimension(pair, *, measure=lambda case, convert: -abs(change(case, convert))):
    """Minus the change of the dimension."""
    return measure(*pair)


change_of_the_dimension.rescue(
    "not larger, patterns outside the lists left out", measure=lambda case, convert: -change(case, left_out)
)


@dimension.check("witness", scope="the four patterns in [3]^2 and the lists {1, 2}", over=[RISES])
def rise_of_the_dimension_when_labels_are_made_the_first(case, *, convert=made_first):
    """d(H) - d(H^j): at least 0 if d bounds the dimension of H^j, which is what the proof uses."""
    return -change(case, convert)


rise_of_the_dimension_when_labels_are_made_the_first.rescue("labels left out", convert=left_out)


def listed_classes():
    """Every class of two and three labels, with lists that hold the labels of one member."""
    for n_labels, n_points in ((2, 1), (2, 2), (3, 1), (3, 2)):
        short = [tuple(y for y in range(n_labels) if bits >> y & 1) for bits in range(1, 2**n_labels)]
        for rows, _ in orbits(n_labels, n_points):
            for lists in ((a, b)[:n_points] for a in short for b in (short if n_points > 1 else short[:1])):
                for k in range(1, n_labels):
                    yield Listed(n_labels, k, rows, lists), left_out


@inside.check(
    "exhaustive",
    scope="every class in [2]^2 and [3]^2 or smaller, up to symmetry, every pair of lists",
    over=listed_classes,
    replays=change_of_the_dimension,
)
def fall_of_the_dimension(pair, *, convert=left_out, sign=-1):
    """d(H) - d(H^j) for the patterns inside the lists."""
    return sign * change(pair[0], convert)


fall_of_the_dimension.mutant("labels outside the list made the first of it", convert=made_first)
fall_of_the_dimension.mutant("not smaller", sign=1)


class Sampled(NamedTuple):
    """A class, a list size, a sample, and how the cover chooses."""

    n_labels: int
    k: int
    rows: tuple[tuple[int, ...], ...]
    sample: tuple[tuple[int, int], ...]
    choose: str


def small_samples():
    """Small classes with every member as the truth."""
    for n_labels, n_points in ((2, 2), (2, 3), (3, 1), (3, 2)):
        for rows, _ in orbits(n_labels, n_points):
            for h in rows:
                for k in range(1, n_labels):
                    yield Sampled(n_labels, k, rows, tuple(enumerate(h)), "least")


def large_samples():
    """Larger classes, some members as the truth."""
    rng = np.random.default_rng(6)
    made = [
        (3, 1, six_cycle()),
        (3, 1, full_class(3, 3)),
        (4, 2, full_class(4, 2)),
        (2, 1, zero_and_singletons(12)),
        (4, 1, hamming_ball(8, 1, 4)),
        *((4, k, random_class(20, 7, 4, rng)) for k in (1, 2)),
        (5, 1, random_class(16, 7, 5, rng)),
    ]
    for n_labels, k, h in made:
        rows = tuple(h)
        for truth in (rows[0], rows[len(rows) // 2]):
            yield Sampled(n_labels, k, rows, tuple(enumerate(truth)), "least")
            yield Sampled(
                n_labels, k, rows, ((0, truth[0]), *enumerate(truth[: len(truth) // 2 + 1])), "least"
            )


@cache
def learnt(case):
    """One run."""
    h = family_of(case.n_labels, case.rows)
    return ListLearner(h, case.k, choose=case.choose).fit(case.sample, np.random.default_rng(0))


def every_round(removals):
    """All rounds."""
    return removals


def but_the_last(removals):
    """All rounds but the last."""
    return removals[:-1]


@claim.check(
    "exhaustive",
    scope="every class in [2]^3 and [3]^2 or smaller, up to symmetry, every member as the truth; "
    "balls, boxes, the "
    "6-cycle and random classes on up to 12 points, p up to 5 labels, samples with a repeated example; "
    "the worst cover",
    over=lambda: [*small_samples(), *large_samples()],
)
def bound_less_the_examples_used(case, *, rounds=every_round, shorter=0):
    """Bound r minus the examples used; −1 unless the rebuilt lists are short, consistent and those learnt."""
    found = learnt(case)
    h = family_of(case.n_labels, case.rows)
    lists = reconstruct(h, case.k, found.cover.subsets, rounds(found.removals))
    used = {e for subset in found.cover.subsets for e in subset}
    used |= {e for step in found.removals for subset in step.subsets for e in subset}
    sound = (
        lists == found.lists
        and max(map(len, lists)) <= case.k - shorter
        and all(y in lists[x] for x, y in case.sample)
        and used <= set(case.sample)
    )
    return found.bound - found.size if sound else -1


bound_less_the_examples_used.mutant("the last round left out", rounds=but_the_last)
bound_less_the_examples_used.mutant("lists of k − 1 labels", shorter=1)


def bound_of_the_proof(found):
    """The bounds q and d."""
    return found.cover.bound, found.dimension


@claim.check(
    "exhaustive",
    scope="the same runs on more than three points",
    over=large_samples,
    table=lambda case: {
        "labels": case.n_labels,
        "points": len(case.rows[0]),
        "patterns": len(case.rows),
        "k": case.k,
        "d": learnt(case).dimension,
        "m": len(case.sample),
        "subsets of the cover": len(learnt(case).cover.subsets),
        "q": learnt(case).cover.bound,
        "longest list after it": max(map(len, learnt(case).cover.lists)),
        "rounds": len(learnt(case).removals),
        "examples used": learnt(case).size,
        "r": learnt(case).bound,
    },
)
def invariants_of_every_round(case, *, bounds=bound_of_the_proof):
    """Least slack of q, and in each round of d, of the game's value, of the votes and of the lengths."""
    found = learnt(case)
    q, d = bounds(found)
    slack, lists = [Fraction(q - len(found.cover.subsets))], found.cover.lists
    for step in found.removals:
        seen = sorted(dict(case.sample))
        rows = tuple(sorted({tuple(h[x] for x in seen) for h in case.rows}))
        inner = left_out(Listed(case.n_labels, case.k, rows, tuple(lists[x] for x in seen)))
        slack += [
            d - step.out_degree,
            d - family_of(case.n_labels, inner).ds_dimension(case.k),
            Fraction(1, 4 * step.list_size) - step.value,
            Fraction(1, 2 * step.list_size) - step.vote,
            step.list_size - 1 - max(map(len, step.lists)),
        ]
        lists = step.lists
    return min(slack)


invariants_of_every_round.mutant(
    "out-degree and dimension at most d − 1", bounds=lambda found: (found.cover.bound, found.dimension - 1)
)
invariants_of_every_round.mutant("two subsets in the cover", bounds=lambda found: (2, found.dimension))
