"""Abstract and Section 1.1 (bounds free of the number of labels), Brukhim, Daniely, Mansour & Moran 2023."""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from boosttheory.bounds import rounds
from boosttheory.claims import Claim, Reading, Verdict
from boosttheory.recursive import recursive_boost

claim = Claim(
    id="multiclass.labelfree",
    paper="brukhim2023",
    locator="Abstract and Section 1.1, footnote 3",
    title="no count depends on the number of labels",
    reading=Reading.CANONICAL,
    statement=r"\text{Algorithm 3 on }(S,\mathcal W)\text{ and on the same with labels renamed into a larger}"
    r"\ \mathcal Y\text{ makes the same calls and the same lists, renamed}",
    assumes=(
        r"\text{the weak learner answers alike, renamed}",
        r"\text{without a hint it has accuracy at least }\gamma,\text{ as for infinite }\mathcal Y",
    ),
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("multiclass.alg2", "multiclass.alg3"),
    note="|Y| enters nowhere: p, T and η are functions of m and γ, and lists come from hypotheses. A start "
    "from the list of all labels, which the library offers for few classes, does depend on it.",
)


class Renamed(NamedTuple):
    """Examples, edge, and the size of the larger set of labels."""

    m: int
    gamma: Fraction
    n_labels: int
    schedule: str


CASES = [
    Renamed(m, gamma, n_labels, schedule)
    for n_labels in (12, 1000, 10**6)
    for m, gamma in ((3, Fraction(1, 2)), (12, Fraction(1, 2)), (6, Fraction(1, 3)))
    for schedule in ("fast", "paper")
]


def trace(case, names, n_labels, hint):
    """Run with labels renamed; return calls, list lengths k, and hits and lists with the old names."""
    m, gamma, _, schedule = case
    codes = np.arange(m) % 10
    y, calls = names[codes], 0
    places = np.zeros(n_labels, dtype=np.int64)
    places[names] = np.arange(10)

    def weak(weights, lists):
        nonlocal calls
        calls += 1
        # right on all but one example, another in every round; without a hint on every second one
        correct = np.arange(m) % m != calls % m if lists is not None else (np.arange(m) + calls) % 2 == 0
        return np.where(correct, y, names[(codes + calls) % 10])

    run = recursive_boost(weak, y, n_labels, float(gamma), schedule=schedule, hint=hint, strict=False)
    lists = np.where(run.lists >= 0, places[run.lists], -1).tolist()
    return calls, [s.size for s in run.stages], [s.hits.tolist() for s in run.stages], lists


def as_planned(case):
    """The names of the larger set."""
    return np.random.default_rng(case.n_labels).permutation(case.n_labels)[:10]


@claim.check(
    "exhaustive",
    scope="10 labels renamed into 12, 1,000 and 10^6, m = 3 to 12, γ = 1/2, 1/3, two schedules; integers",
    over=CASES,
    relation="equivalence",
)
def renamed_runs_are_the_same(case, *, hint=True, longer=0):
    """Whether calls, stages, hits and lists agree."""
    small = trace(case, np.arange(10), 10, hint)
    large = trace(case, as_planned(case), case.n_labels, hint)
    extra = longer * (rounds("fast", case.n_labels, 2, case.gamma) - rounds("fast", 10, 2, case.gamma))
    return small[0] == large[0] + extra and small[1:] == large[1:]


renamed_runs_are_the_same.mutant("first lists of all labels", hint=False)
renamed_runs_are_the_same.mutant("rounds that grow with ln |Y|", longer=1)
