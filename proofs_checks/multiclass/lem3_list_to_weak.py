"""Lemma 3 (a list learner gives a weak learner), Brukhim, Daniely, Mansour & Moran 2023."""

from fractions import Fraction
from itertools import product
from math import ceil
from typing import NamedTuple

import numpy as np
import sympy as sp

from boosttheory.bounds import (
    enclosure,
    ends,
    list_repetitions,
    selection_sample,
    sufficient_selection_sample,
)
from boosttheory.charts import Curve, tightness_chart
from boosttheory.claims import Claim, Enclosure, Verdict
from boosttheory.confidence import clopper_pearson
from boosttheory.symbolic import Obligation, decide
from boosttheory.weak_games import coverage
from proofs_checks.multiclass.def1_brg_condition import distribution, instances

claim = Claim(
    id="multiclass.lem3",
    paper="brukhim2023",
    locator="Lemma 3, Section 4; proof in Appendix B.1",
    title="a k-list learner gives a weak learner of accuracy (1 - 2ε)/k",
    statement=r"k\text{-list PAC}\Rightarrow\gamma\text{-weak PAC},\ \gamma=\frac{1-2\epsilon}k,\ "
    r"q=2k\ln\frac2\delta,\ r=\frac{10\ln(2q/\delta)}{(\epsilon/k)^2}",
    assumes=(
        r"\text{a call of the list learner covers }1-\epsilon\text{ with probability at least }\tfrac12",
        r"\log\text{ is the natural logarithm, }q\text{ and }r\text{ are rounded up}",
    ),
    expect=Verdict.PROVED_UP_TO_LISTED_STEPS,
    quantifiers={
        "x": sp.Interval.Lopen(0, sp.Rational(1, 2)),
        "z": sp.Interval(2, sp.oo),
        "eps": sp.Interval.open(0, 1),
    },
    uses=("multiclass.def5", "multiclass.def6"),
    note="The printed r is generous: 2 ln(4q/δ)(k/ε)² examples are enough to select, by Hoeffding's "
    "inequality. The minimax theorem is not needed: some entry of the list is at least as good as the mean. "
    "With the decimal logarithm q is too small.",
)

# x = 1/(2k), z = 2q/δ > 2
x, z, eps, k = sp.symbols("x z eps k", nonnegative=True)
STEPS = [
    Obligation(
        "(1 - x)^q <= e^{-qx} = δ/2 for x = 1/(2k) and q = 2k ln(2/δ)",
        {x: sp.Interval.Lopen(0, sp.Rational(1, 2))},
        lambda calls, size: -sp.log(1 - x) - x / calls,
    ),
    Obligation(
        "2 e^{-rε'²/2} <= δ/(2q) for r = 10 ln(2q/δ)/ε'², that is r >= 2 ln(4q/δ)/ε'²",
        {z: sp.Interval(2, sp.oo)},
        lambda calls, size: (
            size * (selection_sample.expression(k=1, eps=1, delta=1, q=z / 2))
            - sufficient_selection_sample.expression(k=1, eps=1, delta=1, q=z / 2)
        ),
    ),
    Obligation(
        "the chosen accuracy (1 - ε)/k - ε' is (1 - 2ε)/k at ε' = ε/k",
        {eps: sp.Interval.open(0, 1), k: sp.Interval(1, sp.oo)},
        lambda calls, size: (1 - eps) / k - eps / k - (1 - 2 * eps) / k,
    ),
]


@claim.check(
    "symbolic",
    scope="the scalar steps of the proof for every k >= 1, δ < 1, q >= 1, ε < 1",
    over=STEPS,
    by_hand=(
        "the k entries of the list are together right at least as often as the list, so one has 1/k of it",
        "a call and a random entry are good with probability 1/(2k), independently of the other calls",
        "Hoeffding's inequality for each hypothesis, and the union bound over the q hypotheses",
        "the best on the sample is within ε'/2 + ε'/2 of the best of the hypotheses",
    ),
)
def scalar_steps_of_the_proof(step, *, calls=1, size=1):
    """Each scalar step, decided on its whole range."""
    return decide(step.data(sp.sympify(calls), sp.sympify(size)), step.domain)


# log10 x = ln x / 2.302...
scalar_steps_of_the_proof.mutant("decimal logarithm in q", calls=Fraction(10, 23))
scalar_steps_of_the_proof.mutant("3 in place of 10 in r", size=Fraction(3, 10))


def entries(case):
    """The classifiers that read off one entry of the lists."""
    return [[(given[j],) for given in case.lists] for j in range(len(case.lists[0]))]


@claim.check(
    "exhaustive",
    scope="two equally likely examples on 2 points with 3 labels, all lists of 2 labels, some of 3",
    over=lambda: (case for case in instances() if case.hypothesis == (0, 0)),
)
def best_entry_has_its_share(case, *, share=1, choose=max):
    """Accuracy of the best entry minus 1/k of the coverage."""
    drawn = distribution(case.examples)
    covered = coverage(drawn, case.lists)
    return choose(coverage(drawn, h) for h in entries(case)) - Fraction(share, len(case.lists[0])) * covered


best_entry_has_its_share.mutant("2/k in place of 1/k", share=2)
best_entry_has_its_share.mutant("the worst entry", choose=min)


def whole(closed_form, **values):
    """Smallest integer that is not below a closed form."""
    low, high = (ceil(end) for end in ends(enclosure(closed_form, **values)))
    if low != high:
        raise ValueError(f"{closed_form.name} is too near an integer at {values}")
    return low


def stated_calls(k, delta):
    """⌈2k ln(2/δ)⌉."""
    return whole(list_repetitions, k=k, delta=delta)


def decimal_calls(k, delta):
    """⌈2k log10(2/δ)⌉."""
    return ceil(2 * k * np.log10(float(2 / delta)))


def fewer_calls(k, delta):
    """⌈k ln(2/δ)⌉."""
    return whole(list_repetitions, k=Fraction(k, 2), delta=delta)


class Calls(NamedTuple):
    """List size and confidence."""

    k: int
    delta: Fraction


@claim.check(
    "exhaustive",
    scope="k = 1, …, 20, δ = 9/10, …, 1/1000; exact",
    over=[
        Calls(k, Fraction(*d)) for k in range(1, 21) for d in ((9, 10), (1, 2), (1, 10), (1, 100), (1, 1000))
    ],
)
def no_good_call(case, *, calls=stated_calls):
    """δ/2 minus the probability (1 - 1/(2k))^q that no call gives a good hypothesis."""
    return case.delta / 2 - (1 - Fraction(1, 2 * case.k)) ** calls(case.k, case.delta)


no_good_call.mutant("decimal logarithm in q", calls=decimal_calls)
no_good_call.mutant("half as many calls", calls=fewer_calls)


class Trial(NamedTuple):
    """k, ε, δ, how the good lists share their coverage, accuracy of the useless entries; a seed."""

    k: int
    epsilon: Fraction
    delta: Fraction
    shared: bool
    useless: float
    seed: int = 0


REPETITIONS = 20000
TRIALS = [
    Trial(3, Fraction(1, 5), Fraction(1, 10), False, 0.0),
    Trial(4, Fraction(1, 10), Fraction(1, 10), True, 0.999),
    Trial(2, Fraction(1, 10), Fraction(1, 10), False, 0.999),
]


def stated_selection(k, epsilon, delta, q):
    """⌈10 ln(2q/δ)(k/ε)²⌉."""
    return whole(selection_sample, k=k, eps=epsilon, delta=delta, q=q)


def few_selection(k, epsilon, delta, q):
    """The same without (k/ε)²."""
    return whole(selection_sample, k=1, eps=1, delta=delta, q=q)


@claim.check(
    "statistical",
    scope="list learners that fail half of the time, with one good entry or k equal ones, and useless "
    "entries of accuracy 0 or just below (1 - 2ε)/k; 20,000 runs of the construction each",
    over=TRIALS,
    draw=lambda trial, rng: trial._replace(seed=int(rng.integers(2**32))),
    error=3e-8,
    delta=0.01,
)
def failure_of_the_whole_construction(case, *, calls=stated_calls, sample=stated_selection):
    """δ minus confidence limits of the probability that the chosen hypothesis has less than (1 - 2ε)/k."""
    rng = np.random.default_rng(case.seed)
    q = calls(case.k, case.delta)
    r = sample(case.k, case.epsilon, case.delta, q)
    target, covered = float((1 - 2 * case.epsilon) / case.k), float(1 - case.epsilon)
    good = rng.random((REPETITIONS, q)) < 0.5
    if not case.shared:
        good &= rng.integers(case.k, size=good.shape) == 0
    accuracy = np.where(good, covered / case.k if case.shared else covered, case.useless * target)
    chosen = rng.binomial(r, accuracy).argmax(axis=1)
    failures = int((accuracy[np.arange(REPETITIONS), chosen] < target).sum())
    low, high = clopper_pearson(failures, REPETITIONS, 1e-8)
    return Enclosure(float(case.delta) - float(high), float(case.delta) - float(low))


failure_of_the_whole_construction.mutant("decimal logarithm in q", calls=decimal_calls)
failure_of_the_whole_construction.mutant("a selection sample without (k/ε)²", sample=few_selection)


def chart():
    """Selection samples over ε, for lists of two labels at δ = 1/10."""
    k, delta, grid = 2, Fraction(1, 10), [Fraction(1, d) for d in (100, 50, 20, 10, 5, 3)]
    q = stated_calls(k, delta)

    def failure(r, epsilon):
        # one good hypothesis among q - 1 that are just too bad, each with a sample of its own; ties go wrong
        from scipy.stats import binom

        hits = np.arange(r + 1)
        bad = binom.cdf(hits - 1, r, float((1 - 2 * epsilon) / k)) ** (q - 1)
        return float(binom.pmf(hits, r, float((1 - epsilon) / k)) @ (1 - bad))

    def fewest(epsilon):
        low, high = 1, 1
        while failure(high, epsilon) > delta / 2:
            low, high = high, 2 * high
        while high - low > max(1, high // 100):
            middle = (low + high) // 2
            low, high = (middle, high) if failure(middle, epsilon) > delta / 2 else (low, middle)
        return low

    return tightness_chart(
        [
            Curve("stated", "10 ln(2q/δ)(k/ε)²", grid, [stated_selection(k, e, delta, q) for e in grid]),
            Curve(
                "repaired",
                "2 ln(4q/δ)(k/ε)²",
                grid,
                [whole(sufficient_selection_sample, k=k, eps=e, delta=delta, q=q) for e in grid],
            ),
            Curve("worst known", "not enough for independent hypotheses", grid, [fewest(e) for e in grid]),
        ],
        x="ε",
        y="examples to select from q hypotheses",
        log_x=True,
        log_y=True,
        caption="Lemma 3 for lists of two labels at δ = 1/10: selection samples, and the size up to which "
        "one good hypothesis loses against q − 1 that are just too bad with a probability above δ/2.",
    )


@claim.check(
    "exhaustive",
    scope="k <= 4, ε = 1/100, 1/10, 2/5, δ = 1/2, 1/100; in interval arithmetic",
    over=lambda: list(
        product(
            (1, 2, 4), (Fraction(1, 100), Fraction(1, 10), Fraction(2, 5)), (Fraction(1, 2), Fraction(1, 100))
        )
    ),
    figure=chart,
)
def sufficient_sample_is_at_most_the_stated_one(case, *, percent=100):
    """The stated r minus 2 ln(4q/δ)(k/ε)² at the rounded q."""
    k, epsilon, delta = case
    values = {"k": k, "eps": epsilon, "delta": delta, "q": stated_calls(k, delta)}
    stated = enclosure(selection_sample, **values)
    return Enclosure(*ends(stated * percent / 100 - enclosure(sufficient_selection_sample, **values)))


sufficient_sample_is_at_most_the_stated_one.mutant("a quarter of the stated r", percent=25)
sufficient_sample_is_at_most_the_stated_one.mutant("22 % of the stated r", percent=22)
