"""Definition 8 (sample compression schemes), Brukhim, Daniely, Mansour & Moran 2023."""

from itertools import product
from typing import NamedTuple

from boosttheory.claims import Claim, Role, Verdict
from boosttheory.compression_bounds import find_scheme

claim = Claim(
    id="multiclass.def8",
    paper="brukhim2023",
    locator="Definition 8, Section 5",
    title="sample compression scheme",
    role=Role.DEFINITION,
    statement=r"\forall S\in(\mathcal X\times\mathcal Y)^m\ \exists S'\subseteq S,\ |S'|=r:\ "
    r"\rho(S')(x)=y\text{ "
    r"for all }(x,y)\in S",
    assumes=(r"\rho:(\mathcal X\times\mathcal Y)^r\to\mathcal Y^{\mathcal X},\ r\le m",),
    expect=Verdict.CONFORMS,
    note="S ranges over all samples, also those that give a point two labels, and no function is right "
    "on such "
    "a sample: read literally there is no scheme once m >= 2 and there are two labels. The text means "
    "samples "
    "that some function (of a class) labels. S' is a sequence: it may repeat examples, and its order counts.",
)


class Task(NamedTuple):
    """Numbers of points and labels, sample size, kept examples."""

    points: int
    labels: int
    m: int
    r: int


def regions(task):
    """Where each function is right; example number xL + y is (x, y) for L labels."""
    functions = product(range(task.labels), repeat=task.points)
    return [sum(1 << (x * task.labels + y) for x, y in enumerate(f)) for f in functions]


def all_samples(task):
    """Every sequence of m examples."""
    return list(product(range(task.points * task.labels), repeat=task.m))


def labelled_samples(task):
    """The sequences that give no point two labels."""
    return [
        s
        for s in all_samples(task)
        if all(a == b or a // task.labels != b // task.labels for a in s for b in s)
    ]


def everywhere(mask, region):
    """Right on the whole sample."""
    return not mask & ~region


def somewhere(mask, region):
    """Right on some example of the sample."""
    return bool(mask & region)


def exists_by_table(samples, functions, examples, kept, fits=everywhere):
    """Try every reconstruction function ρ; the functions are given by where they are right."""
    keys = list(product(range(examples), repeat=kept))
    masks = {sum(1 << z for z in set(s)): s for s in samples}
    choices = []
    for mask, sample in masks.items():
        inside = [at for at, key in enumerate(keys) if set(key) <= set(sample)]
        right = {i for i, region in enumerate(functions) if fits(mask, region)}
        choices.append((inside, right))
    return any(
        all(any(rho[at] in right for at in inside) for inside, right in choices)
        for rho in product(range(len(functions)), repeat=len(keys))
    )


TINY = [
    Task(points, labels, m, r)
    for points, labels, r in ((1, 1, 1), (1, 2, 1), (1, 2, 2), (1, 3, 1), (2, 1, 1), (2, 2, 1))
    for m in range(r, 4)
]


@claim.check(
    "exhaustive",
    scope="up to 2 points, 3 labels, 2 kept of up to 3 examples: every ρ, all samples and labelled samples",
    over=lambda: list(product(TINY, (all_samples, labelled_samples))),
    relation="equivalence",
)
def search_agrees_with_every_table(case, *, fewer=0, fits=everywhere):
    """The search for a scheme succeeds if and only if some table ρ is one."""
    task, samples = case
    given, functions = samples(task), regions(task)
    found = find_scheme(given, functions, task.r) is not None
    return found == exists_by_table(given, functions, task.points * task.labels, task.r - fewer, fits)


search_agrees_with_every_table.mutant("one example fewer kept", fewer=1)
search_agrees_with_every_table.mutant("right on one example of S is enough", fits=somewhere)


@claim.check(
    "exhaustive",
    scope="up to 2 points, 3 labels, 3 examples and every r <= m",
    over=[Task(x, y, m, r) for x in (1, 2) for y in (1, 2, 3) for m in (1, 2, 3) for r in range(1, m + 1)],
    relation="equivalence",
)
def contradictory_samples_rule_out_every_scheme(task, *, samples=all_samples, largest=1):
    """A scheme for all samples exists if and only if m = 1 or there is one label."""
    exists = find_scheme(samples(task), regions(task), task.r) is not None
    return exists == (task.m <= largest or task.labels == 1)


contradictory_samples_rule_out_every_scheme.mutant("labelled samples only", samples=labelled_samples)
contradictory_samples_rule_out_every_scheme.mutant("m = 2 possible", largest=2)


@claim.check(
    "exhaustive",
    scope="up to 2 points, 3 labels and 3 examples, r from the number of points to m; labelled samples",
    over=[Task(x, y, m, r) for x in (1, 2) for y in (1, 2, 3) for m in range(x, 4) for r in range(x, m + 1)],
    relation="equivalence",
)
def one_example_a_point_is_enough(task, *, saved=0, samples=labelled_samples):
    """A scheme for labelled samples exists that keeps as many examples as there are points."""
    return find_scheme(samples(task), regions(task), task.r - saved) is not None


one_example_a_point_is_enough.mutant("one example fewer", saved=1)
one_example_a_point_is_enough.mutant("contradictory samples too", samples=all_samples)
