"""Lemma 1, first part (every example is often right), Brukhim, Daniely, Mansour & Moran 2023."""

from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import sympy as sp

from boosttheory.adversaries import fewest_right
from boosttheory.bounds import (
    divergence,
    doubled_step,
    enclosure,
    ends,
    fewest_hits,
    guaranteed_hits,
    interval_arithmetic,
    rounds,
    stated_step,
    tuned_step,
)
from boosttheory.certificates import verify
from boosttheory.charts import Curve, tightness_chart
from boosttheory.claims import Claim, Reading, Verdict
from boosttheory.games import Adversary
from boosttheory.strategies import adversaries
from boosttheory.symbolic import Obligation, decide
from proofs_checks.multiclass.alg1_hedge import lower_right, lower_wrong
from proofs_checks.multiclass.eq6_regret import Regret, alternating, regret_cases, regret_margin

PAPER, LOCATOR = "brukhim2023", "Lemma 1, Section 2"
ORACLE = (
    r"\text{each hypothesis }h_t\text{ has accuracy at least }1/k+\gamma\text{ on the }\mathcal D_t\text{ "
    r"it was given}",
    r"k\ge2,\ \gamma\in(0,1/2],\ m\ge1",
)
BY_HAND = (
    "induction over the rounds: Σ w_{T+1} = m ∏(1 - (1 - e^{-η})α_t), see alg1, and w_{T+1}(i) <= Σ w_{T+1}",
    "T α >= T(1/k + γ): the oracle reading, in every round",
    "m = 1: the one example is right in every round",
)
EDGE_RANGE = sp.Interval.Lopen(0, sp.Rational(1, 2))
gamma, u, p, q, a, v, alpha, eta, x = sp.symbols("gamma u p q a v alpha eta x", nonnegative=True)
UNIT = sp.Interval(0, 1)

claim = Claim(
    id="multiclass.lem1a",
    paper=PAPER,
    locator=LOCATOR,
    title="oracle reading: every example is right in a share 1/k + γ/2 of the rounds",
    reading=Reading.CANONICAL,
    statement=r"T\ge\frac{8\ln m}{\gamma^2},\ \eta=\sqrt{\frac{\ln m}{2T}}\ \Rightarrow\ "
    r"\frac{H(x,y)}T\ge\frac1k+\frac\gamma2\text{ for all }(x,y)\in S",
    assumes=ORACLE,
    expect=Verdict.REFUTED,
    uses=("multiclass.alg1",),
    note="Definition 3 carries no usable failure probability on a sample, so the accuracy is asked of each "
    "call. The log of the lemma is ln, as in its proof, in Theorem 2 and in Lemma 5; to base 2 the longer "
    "run would do, since 17√(ln 2)/32 < 1/2. The proof keeps the first of the two terms of ln(m)/η + ηT, "
    "which together cost 3γ/4; with the sharp η/8 they cost 17γ/32. The certificates (boosttheory verify) "
    "hold one example to few hits: it is right early and wrong late. No example can be held below the bound "
    "of lem1a.least, which excludes m <= 738 for (k, γ) = (20, 1/4) and m <= 252 for (10, 1/10); the search "
    "found m = 739 and m = 253, so these are the smallest. m = 975 needs no search, its rule is heaviest "
    "first. Nothing is special about these parameters: as m grows, the adversary's H/T tends to -ln(1 - (1 "
    "- e^{-η})a)/η - γ/2 at η = γ/4 and a = 1/k + γ, which is below 1/k + γ/2 for every a < 1.",
)
hoeffding = Claim(
    id="multiclass.lem1a.hoeffding",
    paper=PAPER,
    locator=LOCATOR,
    title="the stated η and T give 15γ/32",
    reading=Reading.CANONICAL,
    statement=r"T\ge\frac{8\ln m}{\gamma^2},\ \eta=\sqrt{\frac{\ln m}{2T}}\ \Rightarrow\ "
    r"\frac{H(x,y)}T\ge\frac1k+\frac{15\gamma}{32}\text{ for all }(x,y)\in S",
    assumes=ORACLE,
    expect=Verdict.PROVED_UP_TO_LISTED_STEPS,
    quantifiers={"gamma": EDGE_RANGE, "alpha": UNIT},
    uses=("multiclass.alg1",),
    repairs=("multiclass.lem1a",),
    note="Hoeffding's lemma in place of e^{-x} <= 1 - x + x^2. Unimprovable in the limit of large m, then "
    "small γ, at k = 2: the adversary comes as close as its sample is large.",
)
doubled = Claim(
    id="multiclass.lem1a.eta",
    paper=PAPER,
    locator=LOCATOR,
    title="with η = √(2 ln m/T) the stated T gives γ/2",
    reading=Reading.CANONICAL,
    statement=r"T\ge\frac{8\ln m}{\gamma^2},\ \eta=\sqrt{\frac{2\ln m}T}\ \Rightarrow\ "
    r"\frac{H(x,y)}T\ge\frac1k+\frac\gamma2\text{ for all }(x,y)\in S",
    assumes=ORACLE,
    expect=Verdict.PROVED_UP_TO_LISTED_STEPS,
    quantifiers={"gamma": EDGE_RANGE, "alpha": UNIT},
    uses=("multiclass.alg1",),
    repairs=("multiclass.lem1a",),
    note="e^{-x} <= 1 - x + x^2/2 turns the regret into ln(m)/η + ηT/2, and this η balances the two terms. "
    "Probably what the paper means.",
)
tuned = Claim(
    id="multiclass.lem1a.kl",
    paper=PAPER,
    locator=LOCATOR,
    title="the best step size, by relative entropy",
    reading=Reading.CANONICAL,
    statement=r"0<b<a=\tfrac1k+\gamma<1,\ T\,\mathrm{kl}(b\|a)\ge\ln m,\ \eta=\ln\frac{a(1-b)}{b(1-a)}\ "
    r"\Rightarrow\ \frac{H(x,y)}T\ge b\text{ for all }(x,y)\in S",
    assumes=ORACLE,
    expect=Verdict.PROVED_UP_TO_LISTED_STEPS,
    quantifiers={"a": sp.Interval.open(0, 1), "v": sp.Interval.open(0, 1)},
    uses=("multiclass.alg1",),
    repairs=("multiclass.lem1a",),
    note="No other η gives more from the sum of the weights; the adversary shows how little is lost. For "
    "two labels this is the step and the bound of AdaBoost_ϱ (Rätsch & Warmuth, JMLR 2005), with shares of "
    "hits in place of margins; only its use for Lemma 1 is ours.",
)
least = Claim(
    id="multiclass.lem1a.least",
    paper=PAPER,
    locator=LOCATOR,
    title="Lemma 1 holds on small samples",
    reading=Reading.CANONICAL,
    statement=r"H(x,y)/T\ge1/k+\gamma/2\text{ if }(k,\gamma)=(20,\tfrac14),m\le738\text{ or "
    r"}(k,\gamma)=(10,\tfrac1{10}),m\le252",
    assumes=(*ORACLE, r"\eta=\sqrt{\ln m/(2T)},\ T\ge 8\ln m/\gamma^2"),
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("multiclass.alg1", "multiclass.lem1a"),
    note="An example that is wrong in round t has weight at most 1 - 1/k - γ there, which bounds its last "
    "weight and, by the identity, its hits from below. Where no integer lies between that bound and T(1/k + "
    "γ/2), Lemma 1 holds. The next sample size fails in both cases, so the certificates for m = 739 and m = "
    "253 are the smallest there are. T beyond 289 ln m/(32 γ^2) needs no check, by Hoeffding's lemma.",
)


# the refutation


class Run(NamedTuple):
    """Parameters of a run of Hedge; ``hits`` of the worst example if a certificate holds them."""

    k: int
    gamma: Fraction
    m: int
    T: int
    certificate: str = ""

    @property
    def accuracy(self):
        """The accuracy 1/k + γ of every round."""
        return Fraction(1, self.k) + self.gamma


@cache
def certified(name):
    """Replay a certificate by the independent verifier."""
    found = verify(Path(__file__).with_name(name))
    if found.least_excess < 0:
        raise ValueError(f"{name}: some round misses the accuracy; the run is not admissible")
    return found


CERTIFICATES = ("lem1_m975.json", "lem1_m739.json", "lem1_m253.json")


def certificates():
    """The shipped counterexamples."""
    for name in CERTIFICATES:
        found = certified(name)
        yield Run(found.k, found.gamma, found.m, found.T, name)


@cache
def fewest(run, form, values, decay=None):
    """Fewest hits to which the adversary holds an example, exactly."""
    step = partial(enclosure, form, **dict(values))
    return fewest_right(run.m, run.T, run.accuracy, step, decay=decay)


def stated_hits(run):
    """Fewest hits known for the stated step size."""
    if run.certificate:
        return certified(run.certificate).hits
    return fewest(run, stated_step, (("m", run.m), ("T", run.T)))


def hits_at_the_doubled_step(run):
    """Fewest hits that the adversary reaches with η = √(2 ln m/T)."""
    return fewest(run, doubled_step, (("m", run.m), ("T", run.T)))


@claim.check(
    "witness",
    scope="certificates lem1_m975.json, lem1_m739.json, lem1_m253.json; integer interval arithmetic of 60 "
    "digits and more",
    over=certificates,
    certificates=CERTIFICATES,
)
def hits_of_an_example_right_early_and_wrong_late(run, *, share=Fraction(1, 2), hits=stated_hits):
    """H/T - (1/k + γ/2) where every round has accuracy at least 1/k + γ."""
    return Fraction(hits(run), run.T) - Fraction(1, run.k) - share * run.gamma


hits_of_an_example_right_early_and_wrong_late.rescue("15/32 in place of 1/2", share=Fraction(15, 32))
hits_of_an_example_right_early_and_wrong_late.rescue("η = √(2 ln m/T)", hits=hits_at_the_doubled_step)


RANGE = (
    "weak learners that treat one example by a plan and the others alike: lists of 2 to 40 labels, γ from "
    "1/20 to 1/2, up to 2^40 examples and 2020 rounds; the plan says how often the example is right in each "
    "eighth of the run, a rule of four which others are"
)


def hits_by_plan(case, step=stated_step):
    """Hits of the example that the plan is about."""
    return case.play(float(step.value(m=case.m, T=case.T))).hits


@claim.check("search", scope=RANGE, over=adversaries, examples=10)
def hits_of_an_example_treated_by_a_plan(case, *, share=Fraction(1, 2), hits=hits_by_plan):
    """H/T - (1/k + γ/2) where every round has accuracy at least 1/k + γ."""
    return Fraction(hits(case), case.T) - Fraction(1, case.k) - share * case.gamma


hits_of_an_example_treated_by_a_plan.mutant("3γ/2 in place of γ/2", share=Fraction(3, 2))
hits_of_an_example_treated_by_a_plan.mutant("half of the hits", hits=lambda case: hits_by_plan(case) // 2)


# the repairs


def chart():
    """What the worst weak learner known leaves of the edge, over the number of examples."""
    runs = [run for run in settings(((4, Fraction(1, 4)),)) if run.m > 2]
    sizes = [float(run.m) for run in runs]

    def left(hits, run):
        return float((Fraction(hits, run.T) - Fraction(1, run.k)) / run.gamma)

    doubled = [left(hits_at_the_doubled_step(run), run) for run in runs]
    return tightness_chart(
        [
            Curve("stated", "γ/2", sizes, [0.5] * len(sizes)),
            Curve("repaired", "15γ/32", sizes, [15 / 32] * len(sizes)),
            Curve("worst known", "stated step η", sizes, [left(stated_hits(run), run) for run in runs]),
            Curve("worst known, repaired", "doubled step η", sizes, doubled),
        ],
        x="examples m",
        y="(H/T − 1/k)/γ",
        log_x=True,
        caption="Lemma 1 at k = 4, γ = 1/4 and T = ⌈8 ln m/γ²⌉: the share of the edge γ that the worst weak "
        "learner known leaves, at the stated step size and at twice that.",
    )


EDGES = ((20, Fraction(1, 4)), (4, Fraction(1, 4)), (3, Fraction(1, 2)))
SMALLER = ((10, Fraction(1, 10)), (3, Fraction(1, 6)))
ADVERSARY = (
    "the certificates; the early right, late wrong adversary on 2 to 10^48 examples, three pairs (k, γ) "
    "with γ from 1/4 to 1/2, in integer interval arithmetic"
)
SLOW_ADVERSARY = f"{ADVERSARY}; also γ = 1/10 and 1/6, and 10^96 examples"


def settings(edges=EDGES, powers=(6, 12, 24, 48)):
    """Runs with T = ⌈8 ln m/γ²⌉ for each (k, γ), on a few examples and on powers of ten."""
    return [
        Run(k, g, m, rounds("paper", m, k, g)) for k, g in edges for m in (2, 40, *(10**e for e in powers))
    ]


def more_settings():
    """Smaller edges and larger samples."""
    return settings((*EDGES, *SMALLER), powers=(6, 12, 24, 48, 96))


psi = sp.log(1 - alpha + alpha * sp.exp(-eta))


def spent(step, curvature, factor):
    """(ln m/T)/η + cη at η = step·√(ln m/T), with √(ln m/T) = γu/√factor."""
    s = gamma * u / sp.sqrt(factor)
    return s / step + curvature * step * s


def balance(step):
    """What is left of the edge after the regret, less what the lemma promises."""
    return Obligation(
        "ln(m)/(ηT) + cη <= (1 - share)γ for T >= 8 ln m/γ^2, u = √(8 ln m/T)/γ in [0, 1]",
        {gamma: EDGE_RANGE, u: UNIT},
        lambda curvature, share, factor: sp.expand((1 - share) * gamma - spent(step, curvature, factor)),
    )


HOEFFDING = [
    Obligation(
        "ψ(η) = ln(1 - α + αe^{-η}) has slope -α at 0",
        {alpha: UNIT},
        lambda curvature, share, factor: -sp.Abs(sp.simplify(sp.diff(psi, eta).subs(eta, 0) + alpha)),
    ),
    Obligation(
        "ψ'' = p(1 - p) with p = αe^{-η}/(1 - α + αe^{-η})",
        {alpha: sp.Interval.Ropen(0, 1), eta: sp.Interval(0, sp.oo)},
        lambda curvature, share, factor: (
            -sp.Abs(
                sp.simplify(
                    sp.diff(psi, eta, 2)
                    - alpha * sp.exp(-eta) * (1 - alpha) / (1 - alpha + alpha * sp.exp(-eta)) ** 2
                )
            )
        ),
    ),
    Obligation("p(1 - p) <= 2c, c = 1/8", {p: UNIT}, lambda c, share, factor: 2 * c - p * (1 - p)),
    balance(1 / sp.sqrt(2)),
]


@hoeffding.check(
    "symbolic",
    scope="the scalar steps of the proof, for every γ, accuracy and ratio ln m/T",
    over=HOEFFDING,
    by_hand=("Taylor: ψ(0) = 0, ψ'(0) = -α and ψ'' <= 2c give ψ(η) <= -ηα + cη^2", *BY_HAND),
)
def steps_by_hoeffdings_lemma(step, *, curvature=sp.Rational(1, 8), share=sp.Rational(15, 32), factor=8):
    """Each scalar step, decided on its whole range."""
    return decide(step.data(curvature, share, factor), step.domain)


steps_by_hoeffdings_lemma.mutant("0.485 in place of 15/32", share=sp.Rational(97, 200))
steps_by_hoeffdings_lemma.mutant("η/16 in place of η/8", curvature=sp.Rational(1, 16))
steps_by_hoeffdings_lemma.mutant("T >= 7 ln m/γ^2", factor=7)


@hoeffding.check(
    "exhaustive",
    scope=ADVERSARY,
    over=settings,
    slow_over=more_settings,
    slow_scope=SLOW_ADVERSARY,
    replays=hits_of_an_example_right_early_and_wrong_late,
    figure=chart,
)
def hits_under_the_adversary_at_the_stated_step(run, *, share=Fraction(15, 32)):
    """H/T - (1/k + 15γ/32) for the example that the adversary holds back."""
    return Fraction(stated_hits(run), run.T) - Fraction(1, run.k) - share * run.gamma


hits_under_the_adversary_at_the_stated_step.mutant("0.485 in place of 15/32", share=Fraction(97, 200))
hits_under_the_adversary_at_the_stated_step.mutant("0.473 in place of 15/32", share=Fraction(473, 1000))
hits_under_the_adversary_at_the_stated_step.mutant("1/2 in place of 15/32, as printed", share=Fraction(1, 2))


def extremal_adversaries():
    """A run right early and wrong late, then plans."""
    early = Adversary(2, Fraction(3, 10), 2**20, 1233, (8, 8, 8, 8, 0, 0, 0, 0), "tight")
    return adversaries(first=early)


@hoeffding.check("search", scope=RANGE, over=extremal_adversaries, examples=10)
def hits_by_plan_at_the_stated_step(case, *, share=Fraction(15, 32), hits=hits_by_plan):
    """H/T - (1/k + 15γ/32) for the example that the plan is about."""
    return Fraction(hits(case), case.T) - Fraction(1, case.k) - share * case.gamma


hits_by_plan_at_the_stated_step.mutant("3γ/2 in place of 15γ/32", share=Fraction(3, 2))
hits_by_plan_at_the_stated_step.mutant("half of the hits", hits=lambda case: hits_by_plan(case) // 2)


@hoeffding.check(
    "exhaustive",
    scope="all runs with m T <= 6, m <= 3, at η = 1/4 and 2; two examples that take turns, up to 1600 rounds",
    over=lambda: [*regret_cases(), Regret(alternating(1600), Fraction(1, 4))],
)
def regret_with_an_eighth(case, *, coefficient=Fraction(1, 8), update=lower_right):
    """ln(m)/η + ηT/8 + H - Σα_t: Equation 6 with its best constant."""
    return regret_margin(case, coefficient, update)


regret_with_an_eighth.mutant("15/128 in place of 1/8", coefficient=Fraction(15, 128))
regret_with_an_eighth.mutant("1/16 in place of 1/8", coefficient=Fraction(1, 16))
regret_with_an_eighth.mutant("wrong examples lose weight", update=lower_wrong)

DOUBLED = [
    Obligation(
        "e^{-x} <= 1 - x + cx^2, c = 1/2",
        {x: sp.Interval(0, sp.oo)},
        lambda curvature, share, factor: 1 - x + curvature * x**2 - sp.exp(-x),
    ),
    Obligation(
        "the mean of e^{-x} over x in {0, η} is at most 1 - ηα + cη^2, given the line above",
        {alpha: UNIT, eta: sp.Interval(0, sp.oo)},
        lambda c, share, factor: (
            (1 - eta * alpha + c * eta**2) - (1 - alpha + alpha * (1 - eta + c * eta**2))
        ),
    ),
    balance(sp.sqrt(2)),
]


@doubled.check(
    "symbolic",
    scope="the scalar steps of the proof, for every γ, accuracy and ratio ln m/T",
    over=DOUBLED,
    by_hand=("1 + y <= e^y, see eq6", *BY_HAND),
)
def steps_with_the_doubled_step(step, *, curvature=sp.Rational(1, 2), share=sp.Rational(1, 2), factor=8):
    """Each scalar step, decided on its whole range."""
    return decide(step.data(curvature, share, factor), step.domain)


steps_with_the_doubled_step.mutant("3γ/4 in place of γ/2", share=sp.Rational(3, 4))
steps_with_the_doubled_step.mutant("x^2/4 in place of x^2/2", curvature=sp.Rational(1, 4))
steps_with_the_doubled_step.mutant("T >= 4 ln m/γ^2", factor=4)


@doubled.check(
    "exhaustive",
    scope=ADVERSARY,
    over=settings,
    slow_over=more_settings,
    slow_scope=SLOW_ADVERSARY,
    replays=hits_of_an_example_right_early_and_wrong_late,
)
def hits_under_the_adversary_at_the_doubled_step(run, *, share=Fraction(1, 2), hits=hits_at_the_doubled_step):
    """H/T - (1/k + γ/2) for the example that the adversary holds back."""
    return Fraction(hits(run), run.T) - Fraction(1, run.k) - share * run.gamma


hits_under_the_adversary_at_the_doubled_step.mutant("3γ/4 in place of γ/2", share=Fraction(3, 4))
hits_under_the_adversary_at_the_doubled_step.mutant("the paper's η", hits=stated_hits)


@doubled.check("search", scope=RANGE, over=extremal_adversaries, examples=10)
def hits_by_plan_at_the_doubled_step(case, *, share=Fraction(1, 2), step=doubled_step, factor=1):
    """H/T - (1/k + γ/2) for the example that the plan is about."""
    return factor * Fraction(hits_by_plan(case, step), case.T) - Fraction(1, case.k) - share * case.gamma


hits_by_plan_at_the_doubled_step.mutant("3γ/2 in place of γ/2", share=Fraction(3, 2))
hits_by_plan_at_the_doubled_step.mutant("half of the hits", factor=Fraction(1, 2))

b = a * v
B = sp.Symbol("b", positive=True)
OPEN = sp.Interval.open(0, 1)
BOX = {a: OPEN, v: OPEN}


def distance(left, right):
    """Minus the distance of two expressions, which is 0 if they are equal."""
    return -sp.Abs(sp.cancel(sp.expand(sp.expand_log(left - right, force=True))).subs(B, b))


def factor(b, scale):
    """e^{-η}, with η multiplied by ``scale``."""
    return (b * (1 - a) / (a * (1 - b))) ** scale


TUNED = [
    Obligation("e^{-η} <= 1, as b = av <= a", BOX, lambda kl, scale: sp.factor(1 - factor(b, scale))),
    Obligation(
        "1 - (1 - e^{-η})α <= 1 - (1 - e^{-η})a for α = a + u(1 - a) >= a",
        {q: UNIT, a: UNIT, u: UNIT},
        lambda kl, scale: (1 - q) * u * (1 - a),
    ),
    Obligation(
        "1 - (1 - e^{-η})a = (1 - a)/(1 - b)",
        BOX,
        lambda kl, scale: distance(1 - (1 - factor(B, scale)) * a, (1 - a) / (1 - B)),
    ),
    Obligation(
        "-ln((1 - a)/(1 - b)) = kl(b‖a) + bη",
        BOX,
        lambda kl, scale: distance(kl(B, a) - B * sp.log(factor(B, scale)), -sp.log((1 - a) / (1 - B))),
    ),
    Obligation(
        "no other η: the slope of -ln(1 - (1 - e^{-η})a) - bη vanishes at this one",
        BOX,
        lambda kl, scale: distance(a * factor(B, scale) / (1 - (1 - factor(B, scale)) * a), B),
    ),
]


def relative_entropy(b, a):
    """kl(b‖a)."""
    return divergence.expression(b=b, a=a)


def reversed_entropy(b, a):
    """kl(a‖b)."""
    return divergence.expression(b=a, a=b)


@tuned.check(
    "symbolic",
    scope="the scalar steps of the proof, for every 0 < b = av < a < 1",
    over=TUNED,
    by_hand=(
        "ηH_i >= T(kl(b‖a) + bη) - ln m: the four lines together, after T rounds",
        "a concave function is largest where its slope vanishes; ψ'' = p(1 - p) >= 0, see lem1a.hoeffding",
        *BY_HAND,
    ),
)
def steps_with_the_best_step(step, *, kl=relative_entropy, scale=1):
    """Each scalar step, decided on its whole range."""
    return decide(step.data(kl, scale), step.domain, per_axis=4, boxes=200)


steps_with_the_best_step.mutant("kl(a‖b) in place of kl(b‖a)", kl=reversed_entropy)
steps_with_the_best_step.mutant("twice the step size", scale=2)


def plain(b, a):
    """The variables of kl(b‖a)."""
    return {"b": b, "a": a}


def swapped(b, a):
    """The variables of kl(a‖b)."""
    return {"b": a, "a": b}


@cache
def aim(run, order, room=1):
    """Largest multiple b of 2^-20 below a with T kl >= ln m, 0 if none; ``room`` multiplies T."""
    arithmetic = interval_arithmetic(128)
    needed = ends(arithmetic.log(arithmetic.convert(run.m)) / run.T / room)[1]
    low, high = 0, int(run.accuracy * 2**20)
    while high - low > 1:
        middle = (low + high) // 2
        found = enclosure(divergence, 128, **order(Fraction(middle, 2**20), run.accuracy))
        low, high = (middle, high) if ends(found)[0] >= needed else (low, middle)
    return Fraction(low, 2**20)


@tuned.check(
    "exhaustive",
    scope=ADVERSARY + "; b the largest multiple of 2^-20",
    over=lambda: [run for run in settings() if aim(run, plain)],
    slow_over=lambda: [run for run in more_settings() if aim(run, plain)],
    slow_scope=SLOW_ADVERSARY + "; b the largest multiple of 2^-20",
    replays=hits_of_an_example_right_early_and_wrong_late,
)
def hits_under_the_adversary_at_the_best_step(run, *, order=plain, room=1):
    """H/T - b for the example that the adversary holds back."""
    goal = aim(run, order, room)
    step = (("b", goal), ("a", run.accuracy))
    hits = fewest(run, tuned_step, step, goal * (1 - run.accuracy) / (run.accuracy * (1 - goal)))
    return Fraction(hits, run.T) - goal


hits_under_the_adversary_at_the_best_step.mutant("kl(a‖b) in place of kl(b‖a)", order=swapped)
hits_under_the_adversary_at_the_best_step.mutant("half the rounds", room=2)


def aiming_adversaries():
    """Those that are long enough for some aim b."""
    return extremal_adversaries().filter(lambda case: aim(case, plain))


@tuned.check(
    "search", scope=RANGE + "; b the largest multiple of 2^-20", over=aiming_adversaries, examples=10
)
def hits_by_plan_at_the_best_step(case, *, factor=1, more=0):
    """H/T - b for the example that the plan is about."""
    goal = aim(case, plain)
    hits = case.play(float(tuned_step.value(b=float(goal), a=float(case.accuracy)))).hits
    return factor * Fraction(hits, case.T) - goal - more * case.gamma


hits_by_plan_at_the_best_step.mutant("b and γ/2", more=Fraction(1, 2))
hits_by_plan_at_the_best_step.mutant("half of the hits", factor=Fraction(1, 2))


# small samples


def small_samples(every_length=False):
    """Sample sizes up to the excluded ones; the first T >= 8 ln m/γ^2, or each up to 289 ln m/(32γ^2)."""
    for k, edge, largest in ((20, Fraction(1, 4), 738), (10, Fraction(1, 10), 252)):
        for m in range(2, largest + 1):
            first = rounds("paper", m, k, edge)
            # 289/32 is 289/256 of 8
            last = -(-289 * first // 256) if every_length else first
            yield from (Run(k, edge, m, T) for T in range(first, last + 1))


@least.check(
    "exhaustive",
    scope="m from 2 to 738 and 252, T = ⌈8 ln m/γ^2⌉; in interval arithmetic",
    over=small_samples,
    slow_over=lambda: small_samples(every_length=True),
    slow_scope="m from 2 to 738 and 252, every T from 8 ln m/γ^2 to 289 ln m/(32γ^2); in interval arithmetic",
)
def least_possible_hits_reach_the_bound(run, *, bound=fewest_hits, share=Fraction(1, 2)):
    """Least integer at or above the lower bound on H, minus T(1/k + γ/2)."""
    step = enclosure(stated_step, 96, m=run.m, T=run.T)
    low, _ = ends(enclosure(bound, 96, m=run.m, T=run.T, eta=step, a=run.accuracy))
    return -(-low // 1) - run.T * (Fraction(1, run.k) + share * run.gamma)


least_possible_hits_reach_the_bound.mutant("without the bound on the last weight", bound=guaranteed_hits)
least_possible_hits_reach_the_bound.mutant("17/32 in place of 1/2", share=Fraction(17, 32))
