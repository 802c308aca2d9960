"""Theorem 2 (boosting), Brukhim, Daniely, Mansour & Moran 2023."""

from fractions import Fraction
from functools import cache
from typing import NamedTuple

import numpy as np

from boosttheory.bounds import (
    compression_error,
    compression_size,
    enclosure,
    ends,
    hint_length,
    least_sample,
    required_sample,
    rounds,
)
from boosttheory.claims import Claim, Reading, Verdict
from boosttheory.compression import compress, reconstruct
from boosttheory.recursive import recursive_boost
from boosttheory.weak_learners import SampledOracle, finite_learner
from proofs_checks.multiclass.thm2_size_of_the_compression import everything, last_stage, stages_alone

claim = Claim(
    id="multiclass.thm2",
    paper="brukhim2023",
    locator="Theorem 2, Section 3; proof in Section 5",
    title="boosting",
    reading=Reading.CANONICAL,
    statement=r"\Pr_{S,\mathcal A}\left[\mathcal W\text{ meets its edge on }(S,\gamma,m_0,M)\ \Rightarrow\ "
    r"\Pr_{(x,y)\sim\mathcal D}[\bar H(x)\ne y]\le\epsilon\right]\ge1-\delta",
    assumes=(
        r"m\ge2,\ m\ge\frac{100\,m_0\ln^2m\ln(m/\delta)}{\gamma^3\epsilon}",
        r"T=\lceil8\ln m/\gamma^2\rceil,\ p=\lceil\ln m/\gamma\rceil\text{ or }\lceil2\ln m/\gamma\rceil,\ "
        r"\eta=\sqrt{\ln m/(2T)}",
        r"\text{each hypothesis has accuracy at least }1/k+\gamma\text{ on the distribution of its call}",
    ),
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=(
        "multiclass.lem4.nonempty",
        "multiclass.lem1b",
        "multiclass.alg3.default",
        "multiclass.thm2.size",
        "multiclass.thm2.arith.two",
        "multiclass.thm6",
    ),
    note="Changed to make it well defined: T and p equal to their ceilings, since r grows with them and the "
    "theorem says T >= and p >= only; the edge asked of each call; lists defined on all of X, with a "
    "default label. The theorem says p >= 2 ln m/γ, its proof p = ⌈ln m/γ⌉: both do. Lemma 1's constant, "
    "which is false, is not needed: H > T/k is enough. No run here has as many examples as the theorem "
    "asks: the steps of its proof are run on small samples, and the arithmetic is exact.",
)


class World(NamedTuple):
    """A finite domain with uniform weights, the size of the sample, edge, schedule and stream."""

    n: int
    m: int
    gamma: Fraction
    schedule: str
    seed: int


WORLDS = [
    World(n, m, gamma, schedule, seed)
    for n, m in ((12, 6), (30, 10))
    for gamma in (Fraction(1, 5), Fraction(1, 4))
    for schedule in ("paper", "fast")
    for seed in (0, 1)
]


@cache
def boosted(world):
    """Draw a sample with labels x mod 4, boost a finite class on it, and keep the run, compressed."""
    n, m, gamma, schedule, seed = world
    rng = np.random.default_rng(seed)
    domain, truth = np.arange(n), np.arange(n) % 4
    # each function is wrong on a sixth of the domain, at random
    table = np.stack(
        [np.where(rng.permutation(n) < n // 6, (truth + 1 + i % 3) % 4, truth) for i in range(40)]
    )
    X = rng.integers(0, n, m)
    weak = SampledOracle(finite_learner(table), X, truth[X], 4, float(gamma), 4, rng, attempts=200)
    run = recursive_boost(weak, truth[X], 4, float(gamma), X=X, schedule=schedule)
    return run, compress(run, weak), finite_learner(table), domain, X, truth


@claim.check(
    "search",
    scope="whole runs on finite domains of 12 and 30 points, samples of 6 and 10, γ = 1/5, 1/4, two "
    "schedules",
    over=WORLDS,
    relation="equivalence",
)
def proof_of_the_theorem_on_whole_runs(world, *, sent=everything, shorter=0):
    """Whether the run is consistent, its lists short everywhere, and its function the one sent."""
    run, compression, learner, domain, X, truth = boosted(world)
    history = run.model.history(domain)
    short = all(
        (lists >= 0).sum(axis=1).max() <= stage.size - 1 - shorter
        for lists, stage in zip(history[1:], run.stages[1:], strict=True)
    )
    rebuilt = reconstruct(sent(compression), learner).lists(domain)
    own = bool((rebuilt == history[-1]).all())
    return run.consistent and short and own and bool((rebuilt[X, 0] == truth[X]).all())


proof_of_the_theorem_on_whole_runs.mutant("without the examples of the hint", sent=stages_alone)
proof_of_the_theorem_on_whole_runs.mutant("from the last T m0 examples alone", sent=last_stage)
proof_of_the_theorem_on_whole_runs.mutant("lists of one label less", shorter=1)


class Setting(NamedTuple):
    """Parameters of the theorem."""

    gamma: Fraction
    eps: Fraction
    delta: Fraction
    m0: int
    doubled: bool


SETTINGS = [
    Setting(gamma, eps, delta, m0, doubled)
    for gamma in (Fraction(1, 10), Fraction(1, 3), Fraction(1, 2))
    for eps in (Fraction(1, 100), Fraction(1, 10), Fraction(1, 2))
    for delta in (Fraction(1, 1000), Fraction(1, 20))
    for m0 in (1, 10)
    for doubled in (False, True)
]


@claim.check(
    "exhaustive",
    scope="72 settings at the least m that the exact r allows; both lengths p of the hint; exact integers",
    over=SETTINGS,
    relation="equivalence",
)
def least_sample_meets_the_bound(s, *, below=0, hint=1):
    """Whether Theorem 6 gives ε at the least m, with r counted stage by stage."""
    gamma, eps, delta, m0, doubled = s

    def r(m):
        p = hint_length(m, gamma / 2 if doubled else gamma)
        return hint * p * m0 + (p - 1) * rounds("paper", m, 2, gamma) * m0

    m = least_sample(
        lambda m: enclosure(
            required_sample,
            r=compression_size("paper", m, gamma, m0, doubled_hint=doubled),
            m=m,
            epsilon=eps,
            delta=delta,
        )
    )
    m -= below
    return ends(enclosure(compression_error, r=r(m), m=m, delta=delta))[1] <= eps


least_sample_meets_the_bound.mutant("one example less", below=1)
least_sample_meets_the_bound.mutant("three times the examples of the hint", hint=3)
