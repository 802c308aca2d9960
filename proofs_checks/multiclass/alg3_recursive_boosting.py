"""Algorithm 3 (recursive boosting), Brukhim, Daniely, Mansour & Moran 2023."""

from fractions import Fraction
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np

from boosttheory.adversaries import as_oracle, early_late, fewest_right
from boosttheory.bounds import enclosure, rounds, stated_step, tuned_step
from boosttheory.claims import Claim, Reading, Role, Verdict
from boosttheory.multiclass_trials import (
    boosted_trees,
    digits_split,
    histogram_accuracy,
    samme_accuracy,
)
from boosttheory.recursive import recursive_boost, thin_lists

claim = Claim(
    id="multiclass.alg3",
    paper="brukhim2023",
    locator="Algorithm 3, Section 3",
    title="recursive boosting",
    role=Role.ALGORITHM,
    statement=r"\mu_{j+1}(x)=\left\{y\in\mu_j(x):H_j(x,y)>\frac T{p-j+1}\right\},\quad|\mu_{j+1}(x)|\le p-j",
    assumes=(
        r"H_j\text{ counts the votes of the }T\text{ hypotheses of stage }j",
        r"\mu_j\text{ has at most }k=p-j+1\text{ labels}",
    ),
    expect=Verdict.CONFORMS,
    uses=("multiclass.alg1", "multiclass.alg2"),
    note="The proof of Theorem 2 applies Lemma 1 with k := p - j + 2; the threshold of line 4 is T/k at k = "
    "p - j + 1, which is the length of the lists that stage j gets. The size bound holds for every x, in "
    "the sample or not, since the votes for different labels add up to at most T.",
)
total = Claim(
    id="multiclass.alg3.total",
    paper="brukhim2023",
    locator="Algorithm 3, Section 3, output",
    title="the output is a predictor on all of X",
    statement=r"\bar H:=\mu_p\text{ maps }\mathcal X\text{ to }\mathcal Y",
    assumes=(r"\text{each hypothesis meets its edge on }S",),
    expect=Verdict.REFUTED,
    uses=("multiclass.alg3",),
    note="The output is announced as a function on X, while line 4 builds the lists on the points of S. Off "
    "the sample nothing is asked of the weak learner: all labels of a list may stay at T/k votes or below, "
    "and the last list is empty. A default label mends it.",
)
default = Claim(
    id="multiclass.alg3.default",
    paper="brukhim2023",
    locator="Algorithm 3, Section 3, with a default label",
    title="with a default label the output is a predictor",
    reading=Reading.CANONICAL,
    statement=r"\bar H(x)=y\text{ if }\mu_p(x)=\{y\},\text{ a default label if }\mu_p(x)=\emptyset",
    assumes=(r"\text{each hypothesis meets its edge on }S",),
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("multiclass.alg3",),
    repairs=("multiclass.alg3.total",),
    note="On the sample no list is empty, so the default label changes nothing there, nor in the bound.",
)


class Votes(NamedTuple):
    """Votes for the labels of one list of k in T rounds; what is missing went to other labels."""

    T: int
    votes: tuple[int, ...]


def vote_tables():
    """All votes for lists of up to four labels in up to eight rounds."""
    for k in (2, 3, 4):
        for T in range(1, 9):
            for votes in product(range(T + 1), repeat=k):
                if sum(votes) <= T:
                    yield Votes(T, votes)


def above(votes, T, k):
    """H > T/k."""
    return k * votes > T


def at_least(votes, T, k):
    """H >= T/k."""
    return k * votes >= T


def above_next(votes, T, k):
    """H > T/(k + 1)."""
    return (k + 1) * votes > T


def above_former(votes, T, k):
    """H > T/(k - 1)."""
    return (k - 1) * votes > T


@claim.check("exhaustive", scope="all votes with k <= 4 labels, T <= 8 rounds", over=vote_tables)
def lists_lose_a_label(case, *, passes=above):
    """K - 1 minus the number of labels that pass."""
    k = len(case.votes)
    return k - 1 - sum(passes(v, case.T, k) for v in case.votes)


lists_lose_a_label.mutant(">= in place of >", passes=at_least)
lists_lose_a_label.mutant("threshold T/(p - j + 2)", passes=above_next)


@claim.check(
    "exhaustive",
    scope="all votes with k <= 4 labels, T <= 8 rounds",
    over=vote_tables,
    relation="equivalence",
)
def shipped_lists_are_the_printed_ones(case, *, passes=above):
    """Whether the shipped function keeps the labels that pass."""
    k = len(case.votes)
    kept = thin_lists(np.arange(k)[None, :], np.array([case.votes]), case.T, k)[0].tolist()
    return {label for label in kept if label >= 0} == {
        i for i, v in enumerate(case.votes) if passes(v, case.T, k)
    }


shipped_lists_are_the_printed_ones.mutant(">= in place of >", passes=at_least)
shipped_lists_are_the_printed_ones.mutant("threshold T/(p - j)", passes=above_former)
shipped_lists_are_the_printed_ones.mutant("threshold T/(p - j + 2)", passes=above_next)


class Play(NamedTuple):
    """A whole run against the adversary: m examples, edge, schedule."""

    m: int
    gamma: Fraction
    schedule: str


PLAYS = [
    Play(m, gamma, schedule)
    for m, gamma in ((2, Fraction(1, 2)), (3, Fraction(1, 3)), (10, Fraction(1, 4)), (40, Fraction(1, 2)))
    for schedule in ("paper", "constant", "variance", "fast")
] + [Play(200, Fraction(1, 4), "fast"), Play(200, Fraction(1, 4), "constant")]


@cache
def played(case):
    """Run Algorithm 3: floor covers for the hint, then in every stage one example right early, wrong late."""
    m, gamma, schedule = case
    y = np.arange(m) % 5

    def make(accuracy, k):
        if k is None:
            return early_late(accuracy, 0)
        a, T = Fraction(1, k) + gamma, rounds(schedule, m, k, gamma)
        if a >= 1:
            return early_late(accuracy, T)
        if schedule == "fast":
            decay = (1 - a) / (a * (k - 1))
            n = fewest_right(m, T, a, lambda b: enclosure(tuned_step, b, b=Fraction(1, k), a=a), decay=decay)
        elif schedule == "paper":
            n = fewest_right(m, T, a, lambda b: enclosure(stated_step, b, m=m, T=T))
        else:
            n = T // k + 1
        return early_late(accuracy, n)

    return recursive_boost(as_oracle(make, y, float(gamma), 5), y, 5, float(gamma), schedule=schedule)


@claim.check(
    "search",
    scope="whole runs, m = 2 to 200, γ = 1/4 to 1/2, all four schedules, under the early right, late wrong "
    "adversary",
    over=PLAYS,
    relation="equivalence",
)
def labels_stay_in_their_lists_under_the_adversary(case, *, passes=above, length=0):
    """Whether every example keeps its label in every stage, and no list is longer than k - 1."""
    stages = played(case).stages[1:]
    kept = all(passes(stage.hits, stage.rounds, stage.size).all() for stage in stages)
    return kept and all(stage.list_sizes.max() <= stage.size - 1 - length for stage in stages)


labels_stay_in_their_lists_under_the_adversary.mutant("threshold T/(p - j)", passes=above_former)
labels_stay_in_their_lists_under_the_adversary.mutant("lists of one label less", length=1)


CALLS = 150


class Trees(NamedTuple):
    """Boosted trees on digits, and the test accuracy of two other boosters."""

    outcome: object
    samme: float
    histogram: float


def digits():
    """Trees of depth 1 to 4 on the digits, 150 calls each."""
    data = digits_split()
    histogram = histogram_accuracy(data, CALLS)
    for depth in (1, 2, 3, 4):
        yield Trees(boosted_trees(data, depth, CALLS), samme_accuracy(data, depth, CALLS), histogram)


def shown(case):
    """One row of the table."""
    outcome = case.outcome
    return {
        "depth of the trees": outcome.depth,
        "calls": outcome.calls,
        "test accuracy, %": f"{100 * outcome.test_accuracy:.1f}",
        "training accuracy, %": f"{100 * outcome.train_accuracy:.1f}",
        f"AdaBoost (SAMME), {CALLS} calls, %": f"{100 * case.samme:.1f}",
        f"HistGradientBoosting, {CALLS} trees, %": f"{100 * case.histogram:.1f}",
        "least edge": f"{outcome.least_edge:.3f}",
        "mean edge": f"{outcome.mean_edge:.3f}",
        "calls below γ = 0.1": f"{outcome.missed:.0%}",
        "largest lists: mean length, share of test labels inside": "; ".join(
            f"{size}: {length:.1f}, {inside:.3f}" for size, length, inside in outcome.sizes
        ),
    }


@claim.check(
    "search",
    scope="digits, 1,198 training and 599 test images, trees of depth 1 to 4, m0 = 500, at most 150 calls",
    over=digits,
    relation="equivalence",
    table=shown,
)
def sizes_and_hits_on_digits(case, *, fewer=0, share=0):
    """Whether all lists fit, and every example has the hits that the measured accuracies promise."""
    outcome = case.outcome
    fits = outcome.room - fewer >= 0
    return fits and all(least - promised - share * first > -1e-6 for least, promised, first in outcome.hits)


sizes_and_hits_on_digits.mutant("lists of one label less", fewer=1)
sizes_and_hits_on_digits.mutant("ln m left out of the hits that the accuracies promise", share=1)


class Outside(NamedTuple):
    """Two examples and one point off the sample."""

    gamma: Fraction


@cache
def last_list_outside(case):
    """Run Algorithm 3 with hypotheses right on both examples and of ever other labels on the third point."""
    calls = 0

    def weak(weights, lists):
        nonlocal calls
        calls += 1
        return lambda X, lists, label=calls % 5: np.where(X < 2, X, label)

    y = np.array([0, 1])
    run = recursive_boost(weak, y, 5, float(case.gamma), X=y)
    lists: list[list[int]] = run.model.lists(np.array([0, 1, 2])).tolist()
    return lists


def as_printed(row):
    """The labels of the list."""
    return [label for label in row if label >= 0]


def with_default(row):
    """The labels of the list, or the default label 0."""
    return as_printed(row) or [0]


def without_outside(row):
    """A default label in place of every list."""
    return [0]


@total.check(
    "witness", scope="two examples, γ = 1/2, one point off the sample", over=[Outside(Fraction(1, 2))]
)
def one_label_at_every_point(case, *, finish=as_printed):
    """Least number of labels at the three points, minus 1."""
    return min(len(finish(row)) for row in last_list_outside(case)) - 1


one_label_at_every_point.rescue("a default label", finish=with_default)


@default.check(
    "exhaustive",
    scope="two examples and a point off the sample, γ = 1/2, 1/3, 1/4, 1/5",
    over=[Outside(Fraction(1, d)) for d in (2, 3, 4, 5)],
    replays=one_label_at_every_point,
    relation="equivalence",
)
def exactly_one_label_and_the_sample_unchanged(case, *, finish=with_default):
    """Whether each point has one label, and the two examples their own."""
    found = [finish(row) for row in last_list_outside(case)]
    return all(len(labels) == 1 for labels in found) and found[:2] == [[0], [1]]


exactly_one_label_and_the_sample_unchanged.mutant("no default label", finish=as_printed)
exactly_one_label_and_the_sample_unchanged.mutant("the default label everywhere", finish=without_outside)
