"""Section 3.2, remark on Theorem 3 (triplets act through the margins), Perrot & von Luxburg 2019."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from boosttheory.claims import Claim, Enclosure, Reading, Verdict
from boosttheory.confidence import clopper_pearson
from boosttheory.trials import margins_trial

PROPORTIONS = (0.01, 0.03, 0.1)
THETA = 0.02
RUNS = 32

claim = Claim(
    id="triplet.thm3.remark",
    paper="perrot2019",
    locator="remark on Theorem 3, Section 3.2",
    title="more triplets, larger margins",
    reading=Reading.CANONICAL,
    statement=r"m<m'\implies\Pr\big[\,p_\theta(m)>p_\theta(m')\,\big]>\tfrac12,"
    r"\qquad p_\theta(m)=\Pr_{(x,y)\in S}[\theta_H(x,y)\le\theta]\text{ with }m\text{ triplets}",
    assumes=(r"\text{Moons, 150 training objects, Euclidean metric}", r"C=300,\ \theta=0.02"),
    expect=Verdict.HOLDS_STATISTICALLY,
    uses=("triplet.thm3.1", "triplet.thm3.2"),
    note="Theorem 3 does not name m. The text says that few triplets mean a small probability of a large "
    "margin. Read as: of two independent runs, the one with more triplets has the smaller share of training "
    "examples with a margin of at most 0.02, more often than not.",
)


class Shares(NamedTuple):
    """Share of small margins in independent runs with fewer and with more triplets."""

    fewer: float
    more: float
    with_fewer: np.ndarray
    with_more: np.ndarray


def share_of_small_margins(proportion, rng):
    """P_S[θ_H <= θ] of one run."""
    place = {"dataset": "moons", "objects": 225, "metric": "euclidean", "noise": 0.0}
    (line,) = margins_trial({**place, "proportion": proportion, "rounds": [300], "thetas": [THETA]}, 1, rng)
    return line["share"]


def draw(pair, rng):
    """Runs at two neighbouring proportions."""
    return Shares(*pair, *(np.array([share_of_small_margins(p, rng) for _ in range(RUNS)]) for p in pair))


@claim.check(
    "statistical",
    scope=f"1, 3 and 10 % of the triplets, each against the next, {RUNS} pairs of runs",
    over=list(pairwise(PROPORTIONS)),
    draw=draw,
    error=1e-6,
    relation="equivalence",
    table=lambda case: {
        "triplets": f"{case.fewer:.0%} → {case.more:.0%}",
        "mean share of margins ≤ 0.02": f"{case.with_fewer.mean():.3f} → {case.with_more.mean():.3f}",
    },
)
def more_triplets_mean_fewer_small_margins(case, *, compare=np.greater, least=0.5):
    """Probability that the share falls, minus one half."""
    hits = int(compare(case.with_fewer, case.with_more).sum())
    low, high = clopper_pearson(hits, RUNS, 1e-6 / (len(PROPORTIONS) - 1))
    return Enclosure(float(low) - least, float(high) - least)


more_triplets_mean_fewer_small_margins.mutant("the share rises", compare=np.less)
more_triplets_mean_fewer_small_margins.mutant("the share stays", compare=np.equal)
