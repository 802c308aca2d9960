"""Compression schemes for lists, Brukhim, Daniely, Mansour & Moran 2023, Appendix B."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from boosttheory.claims import Claim, Role, Verdict
from boosttheory.compression import compress, reconstruct
from boosttheory.compression_bounds import find_scheme, region_errors
from boosttheory.recursive import initial_hint
from boosttheory.weak_games import coverage
from boosttheory.weak_learners import SampledOracle, finite_learner
from proofs_checks.multiclass.def8_compression_scheme import (
    all_samples,
    everywhere,
    exists_by_table,
    somewhere,
)
from proofs_checks.multiclass.def8_compression_scheme import regions as function_regions

claim = Claim(
    id="multiclass.def8.lists",
    paper="brukhim2023",
    locator="Compression schemes for lists, Appendix B",
    title="list functions, consistency and compression for lists",
    role=Role.DEFINITION,
    statement=r"\mathcal A(S)=\mu=\rho(S'),\quad\mu\text{ is consistent with }S\iff y\in\mu(x)\text{ "
    r"for all }(x,y)"
    r"\in S,\quad\mathrm{err}_{\mathcal D}(\mu)=\Pr_{(x,y)\sim\mathcal D}[y\notin\mu(x)]",
    assumes=(r"\rho:(\mathcal X\times\mathcal Y)^r\to(\mathcal Y^k)^{\mathcal X}",),
    expect=Verdict.CONFORMS,
    uses=("multiclass.def8",),
    note="Unlike Definition 8 consistency is not part of the scheme: an algorithm may miss examples of "
    "its own "
    "sample, as Theorem 7 allows. A list of k labels can be consistent with up to k labels of one point. "
    "The text's strict inclusion of S' would exclude r = m.",
)


class Task(NamedTuple):
    """Numbers of points and labels, list size, sample size, kept examples."""

    points: int
    labels: int
    k: int
    m: int
    r: int


def list_functions(task):
    """Every list function with k distinct labels a point."""
    return list(product(combinations(range(task.labels), task.k), repeat=task.points))


def regions(task):
    """The examples that each list function covers, as masks."""
    return [
        sum(1 << (x * task.labels + y) for x, given in enumerate(lists) for y in given)
        for lists in list_functions(task)
    ]


class Drawn(NamedTuple):
    """A task, one list function, one sample."""

    task: Task
    lists: tuple[tuple[int, ...], ...]
    sample: tuple[int, ...]


def drawn():
    """All list functions on two points with three labels, all samples of two examples."""
    for k in (1, 2):
        task = Task(2, 3, k, 2, 1)
        for lists, sample in product(list_functions(task), all_samples(task)):
            yield Drawn(task, lists, sample)


def every(task, lists, sample):
    """Each example's label is in the list."""
    return all(z % task.labels in lists[z // task.labels] for z in sample)


def some(task, lists, sample):
    """Some example's label is in the list."""
    return any(z % task.labels in lists[z // task.labels] for z in sample)


def first(task, lists, sample):
    """Each example's label is the first of the list."""
    return all(z % task.labels == lists[z // task.labels][0] for z in sample)


@claim.check(
    "exhaustive",
    scope="all lists of 1 or 2 of 3 labels on 2 points, all samples of 2 examples, contradictory ones "
    "included",
    over=drawn,
    relation="equality",
)
def consistent_lists_have_empirical_error_zero(case, *, consistent=every):
    """Consistency against error 0 under the sample's distribution, from lists and from regions."""
    task, lists, sample = case
    share = Fraction(1, len(sample))
    distribution, weights = {}, [Fraction(0)] * (task.points * task.labels)
    for z in sample:
        weights[z] += share
        distribution[divmod(z, task.labels)] = weights[z]
    region = regions(task)[list_functions(task).index(lists)]
    error = region_errors(weights, {(): region})[()]
    return -abs(error - (1 - coverage(distribution, lists))) - (
        consistent(task, lists, sample) != (error == 0)
    )


consistent_lists_have_empirical_error_zero.mutant("one example is enough", consistent=some)
consistent_lists_have_empirical_error_zero.mutant("the first label only", consistent=first)


@claim.check(
    "exhaustive",
    scope="up to 2 points and 3 labels",
    over=[Task(x, y, 1, 1, 1) for x in (1, 2) for y in (1, 2, 3)],
    relation="equivalence",
)
def lists_of_one_label_are_functions(task, *, k=1):
    """The list functions with k = 1 are right where the functions of Definition 8 are."""
    task = task._replace(k=min(k, task.labels))
    return sorted(regions(task)) == sorted(function_regions(task))


lists_of_one_label_are_functions.mutant("lists of two", k=2)


@claim.check(
    "exhaustive",
    scope="one point, up to 4 labels, up to 4 examples all kept, every k",
    over=[Task(1, y, k, m, m) for y in (1, 2, 3, 4) for k in range(1, y + 1) for m in (1, 2, 3, 4)],
    relation="equivalence",
)
def contradictory_samples_fit_into_long_lists(task, *, more=0, met=min):
    """A scheme for all samples of one point exists if and only if min(m, |Y|) <= k."""
    exists = find_scheme(all_samples(task), regions(task), task.r) is not None
    return exists == (met(task.m, task.labels) <= task.k + more)


contradictory_samples_fit_into_long_lists.mutant("k + 1 in place of k", more=1)
contradictory_samples_fit_into_long_lists.mutant("max(m, |Y|)", met=max)


@claim.check(
    "exhaustive",
    scope="one point, up to 4 labels, one of up to 3 examples kept: every ρ",
    over=[Task(1, y, k, m, 1) for y in (2, 3, 4) for k in range(1, y + 1) for m in (1, 2, 3)],
    relation="equivalence",
)
def search_agrees_with_every_table_of_lists(task, *, kept=1, fits=everywhere):
    """The search for a scheme of lists succeeds if and only if some table ρ is one."""
    given, functions = all_samples(task), regions(task)
    found = find_scheme(given, functions, task.r) is not None
    return found == exists_by_table(given, functions, task.labels, kept, fits)


search_agrees_with_every_table_of_lists.mutant("nothing kept", kept=0)
search_agrees_with_every_table_of_lists.mutant("one example of S in its list is enough", fits=somewhere)


@cache
def hint(seed):
    """Run Algorithm 2 on 9 examples of a random class on 14 points, from 3 examples a call."""
    rng = np.random.default_rng(seed)
    table = rng.integers(4, size=(20, 14))
    table[:4] = np.arange(4)[:, None]
    learner, sample = finite_learner(table), rng.integers(14, size=9)
    y = table[4 + seed][sample]
    oracle = SampledOracle(learner, sample, y, 4, 0.2, 3, rng, attempts=50)
    run = initial_hint(oracle, y, 4, 0.2, X=sample)
    return run, compress(run, oracle), learner, sample


def whole(kept):
    """Everything that was stored."""
    return kept


def one_label(kept):
    """The stored examples with their labels lost."""
    return replace(kept, y=np.zeros_like(kept.y))


def fewer_examples(kept):
    """The same examples dealt out two a call."""
    return replace(kept, call_sizes=tuple(size - 1 for size in kept.call_sizes))


@claim.check(
    "exhaustive",
    scope="Algorithm 2 on ten random classes of 20 functions on 14 points, 9 examples; all 14 points",
    over=range(10),
    relation="equivalence",
)
def lists_rebuilt_from_the_kept_examples(seed, *, kept=whole):
    """ρ(S') is the list function of the run, on S and off it, and S' lies in S."""
    run, compression, learner, sample = hint(seed)
    points = np.arange(14)
    rebuilt = reconstruct(kept(compression), learner)
    inside = set(compression.X.tolist()) <= set(sample.tolist())
    return inside and bool((rebuilt.lists(points) == run.model.lists(points)).all())


lists_rebuilt_from_the_kept_examples.mutant("the labels of S' lost", kept=one_label)
lists_rebuilt_from_the_kept_examples.mutant("one example fewer a call", kept=fewer_examples)
