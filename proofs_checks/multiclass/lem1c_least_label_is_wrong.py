"""Lemma 1, second part (the least scored label is wrong), Brukhim, Daniely, Mansour & Moran 2023."""

from typing import NamedTuple

import sympy as sp

from boosttheory.adversaries import count_run
from boosttheory.bounds import enclosure, stated_step
from boosttheory.claims import Claim, Reading, Verdict
from boosttheory.symbolic import Obligation, decide
from proofs_checks.multiclass.lem1a_remove_one_label import (
    ORACLE,
    hits_of_an_example_right_early_and_wrong_late,
    settings,
    stated_hits,
)

claim = Claim(
    id="multiclass.lem1c",
    paper="brukhim2023",
    locator="Lemma 1, second part, Section 2",
    title="the least scored label is wrong",
    reading=Reading.CANONICAL,
    statement=r"\hat\ell=\arg\min_{\ell\in[k]}H(x,\ell)\ne y\text{ for all }(x,y)\in S",
    assumes=(*ORACLE, r"T\ge8\ln m/\gamma^2,\ T\ge1,\ \eta=\sqrt{\ln m/(2T)}", r"\text{any rule for ties}"),
    expect=Verdict.PROVED_UP_TO_LISTED_STEPS,
    quantifiers={"k": sp.Range(2, sp.oo), "T": sp.Interval(1, sp.oo)},
    uses=("multiclass.lem1b",),
    note="The true label has more than T/k of at most T votes, so some label has fewer than T/k: the least "
    "is strictly below the true one, and no tie rule can choose it. The largest score may well be another "
    "label's.",
)

k, T, d = sp.symbols("k T d", nonnegative=True)
STEPS = [
    Obligation(
        "with H_y = T/k + d the other k - 1 labels have (T - H_y)/(k - 1) votes on average, at least d "
        "below H_y",
        {k: sp.Range(2, sp.oo), T: sp.Interval(1, sp.oo), d: sp.Interval.open(0, sp.oo)},
        lambda labels: (T / k + d) - (T - (T / k + d)) / labels - d,
    )
]


@claim.check(
    "symbolic",
    scope="every k >= 2, T and H_y > T/k",
    over=STEPS,
    by_hand=("the least of k - 1 numbers is at most their mean", "H_y > T/k: lem1b"),
)
def mean_of_the_other_labels_is_smaller(step, *, labels=k - 1):
    """The true label's votes minus the mean of the others, minus d."""
    return decide(step.data(labels), step.domain, per_axis=3)


mean_of_the_other_labels_is_smaller.mutant("half of the other labels share the votes", labels=(k - 1) / 2)


class Scores(NamedTuple):
    """Votes of each label, the true one first, in T rounds; rounds may vote for labels outside the list."""

    votes: tuple[int, ...]
    T: int


def vectors(k, total):
    """All vectors of k votes that add up to at most ``total``."""
    if k == 0:
        yield ()
        return
    for first in range(total + 1):
        for rest in vectors(k - 1, total - first):
            yield (first, *rest)


def score_tables():
    """All score vectors with the true label above T/k."""
    for labels in (2, 3, 4):
        for rounds in range(1, 9):
            for votes in vectors(labels, rounds):
                if labels * votes[0] > rounds:
                    yield Scores(votes, rounds)


@claim.check(
    "exhaustive",
    scope="all score vectors with H_y > T/k, k <= 4, T <= 8, votes outside the list included",
    over=score_tables,
    relation="equivalence",
)
def no_tie_rule_picks_the_true_label(case, *, pick=min, removed=0):
    """Whether the true label is not among the least scored ones."""
    votes = (case.votes[0] - removed, *case.votes[1:])
    return votes[0] != pick(votes)


no_tie_rule_picks_the_true_label.mutant("the largest score is the true label's", pick=max)
no_tie_rule_picks_the_true_label.mutant("one vote of the true label lost", removed=1)


def all_others(labels):
    """The wrong votes are spread over all other labels."""
    return labels - 1


def one_other(labels):
    """The wrong votes fall on one other label."""
    return 1


@claim.check(
    "exhaustive",
    scope="the certificates' runs; all examples of the adversary's runs on 2, 40, 10^6 and 10^12 examples",
    over=lambda: settings(powers=(6, 12)),
    replays=hits_of_an_example_right_early_and_wrong_late,
)
def least_label_is_wrong_under_the_adversary(run, *, voted=all_others, level=1):
    """H_y minus the votes of the least label that gets wrong votes, minus 1, as these are spread evenly."""
    hits = stated_hits(run)
    if not run.certificate:
        found = count_run(
            run.m, run.T, run.accuracy, lambda bits: enclosure(stated_step, bits, m=run.m, T=run.T), hits
        )
        hits = min([hits, *(found.others if found else ())])
    return hits - level * ((run.T - hits) // voted(run.k)) - 1


least_label_is_wrong_under_the_adversary.mutant("all wrong votes on one label", voted=one_other)
least_label_is_wrong_under_the_adversary.mutant("five times the votes of the least label", level=5)
