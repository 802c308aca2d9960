"""Lemma 4 (the initial hint holds every label), Brukhim, Daniely, Mansour & Moran 2023."""

from fractions import Fraction
from typing import NamedTuple

import sympy as sp

from boosttheory.adversaries import floor_cover
from boosttheory.bounds import hint_length
from boosttheory.charts import Curve, tightness_chart
from boosttheory.claims import Claim, Reading, Verdict
from boosttheory.symbolic import Obligation, decide

ASSUMES = (
    r"h_j\text{ has accuracy at least }\gamma\text{ on the uniform distribution on }S_j",
    r"0<\gamma\le1,\ m\ge1",
)

claim = Claim(
    id="multiclass.lem4",
    paper="brukhim2023",
    locator="Lemma 4, Appendix A",
    title="the hint holds every label, for one example too",
    statement=r"p=\lceil\ln m/\gamma\rceil\ \Rightarrow\ y\in\mu(x)\text{ for all }(x,y)\in S",
    assumes=ASSUMES,
    expect=Verdict.REFUTED,
    uses=("multiclass.alg2",),
    note="False for a sample of one example, and only there: p = 0, where Algorithm 2 wants p > 0; no "
    "hypothesis is asked for, and the list is empty. From two examples on the lemma is true as printed, see "
    "lem4.nonempty. The proof has |S_p| <= (1 - γ)^p m where it must say |S_{p+1}|, and its last step "
    "e^{-γp} m < 1 needs p >= 1.",
)
nonempty = Claim(
    id="multiclass.lem4.nonempty",
    paper="brukhim2023",
    locator="Lemma 4, Appendix A, with at least one round",
    title="the hint of max(1, p) hypotheses holds every label",
    reading=Reading.CANONICAL,
    statement=r"p=\max(1,\lceil\ln m/\gamma\rceil)\ \Rightarrow\ y\in\mu(x)\text{ for all }(x,y)\in S",
    assumes=ASSUMES,
    expect=Verdict.PROVED_UP_TO_LISTED_STEPS,
    quantifiers={"gamma": sp.Interval.Lopen(0, 1)},
    uses=("multiclass.alg2",),
    repairs=("multiclass.lem4",),
    note="The worst weak learner covers ⌈γ|S_j|⌉ examples: n - ⌈γn⌉ = ⌊(1 - γ)n⌋ grows with n, so covering "
    "more never hurts. One round less is not enough at γ = 1/2, m = 2.",
)


class Sample(NamedTuple):
    """Number of examples and edge."""

    m: int
    gamma: Fraction


def printed(case):
    """⌈ln m/γ⌉."""
    return 0 if case.m == 1 else hint_length(case.m, case.gamma)


def one_more(case):
    """One round more."""
    return printed(case) + 1


def at_least_one(case):
    """The repaired number of rounds."""
    return max(1, printed(case))


def one_less(case):
    """One round less."""
    return max(0, at_least_one(case) - 1)


def half(case):
    """Half of the rounds."""
    return max(1, at_least_one(case) // 2)


@claim.check(
    "witness", scope="one example, γ = 1/2: no round, and an empty list", over=[Sample(1, Fraction(1, 2))]
)
def every_example_is_covered(case, *, length=printed):
    """Minus the number of examples that the floor cover leaves."""
    return -floor_cover(case.m, case.gamma, length(case))[-1]


every_example_is_covered.rescue("one round more", length=one_more)


def samples():
    """A grid of samples and edges."""
    for gamma in (Fraction(1, d) for d in (2, 3, 4, 5, 7, 10, 20, 50, 100, 1000)):
        for m in (*range(1, 60), *(10**e for e in range(2, 13)), *(2**e + 1 for e in range(6, 40))):
            yield Sample(m, gamma)


def chart():
    """Length of the hint over the edge: stated, and what the floor cover needs."""
    edges, m = [Fraction(1, d) for d in (2, 3, 4, 5, 7, 10, 20, 50, 100)], 1000
    needed = [floor_cover(m, gamma, hint_length(m, gamma)).index(0) for gamma in edges]
    return tightness_chart(
        [
            Curve("stated", "⌈ln m/γ⌉", [float(g) for g in edges], [hint_length(m, g) for g in edges]),
            Curve("worst known", "floor cover, exact worst case", [float(g) for g in edges], needed),
        ],
        x="edge γ",
        y="hypotheses until every label is listed",
        log_x=True,
        log_y=True,
        caption="Lemma 4 at m = 1000: no weak learner needs more hypotheses than the floor cover.",
    )


@nonempty.check(
    "exhaustive",
    scope="the floor cover at γ = 1/2, 1/3, ..., 1/1000 and m = 1 to 10^12; exact integers",
    over=samples,
    replays=every_example_is_covered,
    figure=chart,
)
def floor_cover_leaves_nothing(case, *, length=at_least_one):
    """Minus the number of examples that the floor cover leaves."""
    return -floor_cover(case.m, case.gamma, length(case))[-1]


floor_cover_leaves_nothing.mutant("one round less", length=one_less)
floor_cover_leaves_nothing.mutant("half of the rounds", length=half)

gamma = sp.Symbol("gamma", positive=True)


@nonempty.check(
    "symbolic",
    scope="every γ in (0, 1]",
    over=[Obligation("1 - γ <= e^{-γ}", {gamma: sp.Interval.Lopen(0, 1)})],
    by_hand=(
        "induction: |S_{j+1}| <= (1 - γ)|S_j|, so |S_{p+1}| <= (1 - γ)^p m < e^{-γp} m <= 1 for p >= 1, and "
        "|S_{p+1}| is an integer; the middle step is strict because the curve touches its tangent at 0 only",
        "an example leaves S_j only when h_j is right on it, and then its label is in μ(x)",
    ),
)
def one_minus_gamma_is_below_its_exponential(step, *, linear=sp.Integer(1), rate=sp.Integer(1)):
    """The inequality behind (1 - γ)^p m < 1."""
    return decide(sp.exp(-rate * gamma) - (1 - linear * gamma), step.domain)


one_minus_gamma_is_below_its_exponential.mutant("1 - γ/2 in place of 1 - γ", linear=sp.Rational(1, 2))
one_minus_gamma_is_below_its_exponential.mutant("e^{-2γ} in place of e^{-γ}", rate=sp.Integer(2))
