"""Section 1 (a first hint of about 1/γ labels), Brukhim, Daniely, Mansour & Moran 2023."""

from fractions import Fraction
from math import ceil, floor
from typing import NamedTuple

import numpy as np

from boosttheory.adversaries import as_oracle, early_late, fewest_right
from boosttheory.bounds import enclosure, hint_length, rounds, tuned_step
from boosttheory.charts import Curve, tightness_chart
from boosttheory.claims import Claim, Reading, Verdict
from boosttheory.recursive import weak_to_list

claim = Claim(
    id="multiclass.intro.hint",
    paper="brukhim2023",
    locator="Section 1, recursive boosting",
    title="a first hint of about 1/γ labels",
    reading=Reading.CANONICAL,
    statement=r"k=\lceil2/\gamma\rceil\ \Rightarrow\ \gamma-\tfrac1k\ge\tfrac\gamma2,\ "
    r"\text{and Hedge leaves lists of at most }k-1<2/\gamma\text{ labels that hold }y",
    assumes=(r"\text{each hypothesis has accuracy at least }\gamma\text{ on its distribution}",),
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("multiclass.alg2", "multiclass.alg4"),
    note="The text says: approximately 1/γ. Algorithm 2 gives lists of ⌈ln m/γ⌉, longer by ln m. Algorithm 4 "
    "gives ⌊1/γ⌋ at a price that grows without bound as γ falls to 1/k; with half of γ as edge, fewer than "
    "2/γ labels in O(ln m/γ^2) rounds.",
)

GAMMAS = sorted({Fraction(a, b) for b in range(2, 121) for a in range(1, b + 1) if Fraction(a, b) <= 1})


@claim.check("exhaustive", scope="every γ = a/b <= 1 with b <= 120", over=GAMMAS)
def half_of_the_accuracy_is_left_as_edge(gamma, *, share=Fraction(1, 2), labels=2):
    """Least of γ - 1/k - γ/2 and 2/γ - (k - 1), the second strictly above 0."""
    k = ceil(2 / gamma)
    spare = labels / gamma - (k - 1)
    return min(gamma - Fraction(1, k) - share * gamma, spare if spare else Fraction(-1))


half_of_the_accuracy_is_left_as_edge.mutant("11/20 of γ as edge", share=Fraction(11, 20))
half_of_the_accuracy_is_left_as_edge.mutant("lists of 3/(2γ) labels", labels=Fraction(3, 2))


class Hint(NamedTuple):
    """Examples and accuracy."""

    m: int
    gamma: Fraction


def hedged(case, rows):
    """Run Algorithm 4 with half of γ as edge, against the adversary, for a multiple of its rounds."""
    m, gamma = case
    k = ceil(2 / gamma)
    sigma = gamma - Fraction(1, k)
    y, T = np.arange(m) % 30, max(1, floor(rows * rounds("fast", m, k, sigma)))
    decay = (1 - gamma) / (gamma * (k - 1))
    n = fewest_right(m, T, gamma, lambda b: enclosure(tuned_step, b, b=Fraction(1, k), a=gamma), decay=decay)
    oracle = as_oracle(lambda a, _: early_late(float(gamma), n), y, float(gamma), 30)
    return weak_to_list(oracle, y, 30, float(gamma), schedule="fast", k=k, budget=T)


HINTS = [Hint(m, Fraction(1, d)) for m in (2, 10, 100) for d in (2, 3, 4, 5)] + [Hint(1000, Fraction(1, 3))]


def chart():
    """Length of the lists over the accuracy, 100 examples of 30 labels."""
    edges = [Fraction(1, d) for d in (5, 4, 3, 2)]
    fine = [Fraction(n, 60) for n in range(12, 31, 3)]
    return tightness_chart(
        [
            Curve("stated", "2/γ", fine, [2 / g for g in fine]),
            Curve("other", "⌈ln m/γ⌉, Algorithm 2", fine, [hint_length(100, g) for g in fine]),
            Curve(
                "worst known",
                "lists of a run",
                edges,
                [int((hedged(Hint(100, g), 1).lists >= 0).sum(axis=1).max()) for g in edges],
            ),
        ],
        x="accuracy γ",
        y="labels in a list",
        caption="Lists for 100 examples, with half of γ as edge, against the adversary.",
    )


@claim.check(
    "search",
    scope="whole runs against the adversary, m = 2 to 1,000, γ = 1/2 to 1/5, fast schedule",
    over=HINTS,
    relation="equivalence",
    figure=chart,
)
def hint_holds_every_label_in_short_lists(case, *, length=2, rows=1):
    """Whether the lists hold every label and are shorter than 2/γ."""
    run = hedged(case, rows)
    return run.consistent and run.lists.shape[1] < length / case.gamma


hint_holds_every_label_in_short_lists.mutant("lists shorter than 1/γ", length=1)
hint_holds_every_label_in_short_lists.mutant("a third of the rounds", rows=Fraction(1, 3))
