"""Theorem 3, part 1 (generalisation by margins), Perrot & von Luxburg 2019."""

from fractions import Fraction
from itertools import combinations, product
from math import comb, factorial, floor, prod
from typing import NamedTuple

import numpy as np
from mpmath import iv

from boosttheory import bounds
from boosttheory.charts import Curve, tightness_chart
from boosttheory.claims import Claim, Enclosure, Reading, Verdict
from boosttheory.enumerations import compositions

claim = Claim(
    id="triplet.thm3.1",
    paper="perrot2019",
    locator="Theorem 3, part 1, Section 3.2",
    title="generalisation by margins",
    reading=Reading.CANONICAL,
    statement=r"\Pr_{D}[H(x)\ne y]\le\Pr_{S}[\theta_H(x,y)\le\theta]+2|\mathcal Y|e^{-N\theta^2/8}"
    r"+\sqrt{\frac{N\log|\mathcal H|+\log\frac{N(N+1)^2}{\delta}}{2n}}"
    r"\quad\text{for all }N\ge 1,\ \theta\in(0,1]",
    assumes=(
        r"S\text{ is drawn i.i.d.}",
        r"\mathcal H\text{ is finite and fixed before }S\text{ is drawn}",
        r"\text{with probability at least }1-\delta",
    ),
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("triplet.alg1",),
    note="The printed O(·) is instantiated with explicit constants, and each inequality of the proof is "
    "checked exactly. The references are training points, so the set of classifiers depends on S; a clean "
    "statement takes them from a separate sample. The table tells from how many examples on the bound is "
    "below 1 with 50 references and two labels.",
)


def exp(x):
    """Interval enclosure of e^x for a rational x."""
    return iv.exp(iv.mpf(x.numerator) / x.denominator)


def exact(interval):
    """Interval as two Fractions."""
    return Enclosure.of(interval)


def difference(bound, value):
    """Enclosure of bound - value, for an interval and a Fraction."""
    ends = exact(bound)
    return Enclosure(ends.low - value, ends.high - value)


class Mixture(NamedTuple):
    """Votes of the drawn classifiers on one example with the right label 0.

    Attributes
    ----------
    votes : tuple of tuples of int
        h(x, y) in {-1, 0, 1} for each label y.
    weights : tuple of Fraction
        Probability of each.
    draws : int
        N.
    theta : Fraction
        The margin.
    """

    votes: tuple
    weights: tuple
    draws: int
    theta: Fraction


def margin(votes, weights):
    """(f(x, 0) - max f(x, l))/2 for f the weighted mean of the votes."""
    f = [sum(w * v[y] for w, v in zip(weights, votes, strict=True)) for y in range(len(votes[0]))]
    return (f[0] - max(f[1:])) / 2


def mean_margins(case):
    """Margin and probability of the mean g of N draws."""
    n = case.draws
    for counts in compositions(n, len(case.votes)):
        ways = factorial(n) // prod(map(factorial, counts))
        chance = ways * prod((w**c for w, c in zip(case.weights, counts, strict=True)), start=Fraction(1))
        yield margin(case.votes, [Fraction(c, n) for c in counts]), chance


def mixtures():
    """Two or three vote vectors for 2 or 3 labels, up to 4 draws; many draws of a binary vote."""
    for n_labels in (2, 3):
        vectors = [(0,) * n_labels, *product((-1, 1), repeat=n_labels)]
        for votes in combinations(vectors, 2):
            for weight in (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)):
                for draws in (1, 2, 4):
                    yield votes, (weight, 1 - weight), draws
    thirds = ((1, 1, -1), (1, -1, 1), (1, -1, -1))
    yield from ((thirds, (Fraction(9, 20), Fraction(9, 20), Fraction(1, 10)), draws) for draws in (1, 2, 3))
    for draws in (16, 64, 144):
        yield ((1, -1), (-1, 1)), (Fraction(3, 4), Fraction(1, 4)), draws
        yield ((1, -1), (-1, 1)), (Fraction(1, 2), Fraction(1, 2)), draws


def large_margins():
    """Mixtures and θ just below their margin, and half of it."""
    for votes, weights, draws in mixtures():
        theta = margin(votes, weights)
        if theta > 0:
            yield Mixture(votes, weights, draws, theta * Fraction(999, 1000))
            yield Mixture(votes, weights, draws, theta / 2)


def non_positive_margins():
    """Mixtures that err, and θ on a grid."""
    for votes, weights, draws in mixtures():
        if margin(votes, weights) <= 0:
            for theta in (Fraction(1, 10), Fraction(1, 2), Fraction(1)):
                yield Mixture(votes, weights, draws, theta)


SCOPE = (
    "mixtures of two vote vectors with weights 1/4, 1/2, 3/4 and N = 1, 2, 4 draws for 2 and 3 labels, three "
    "vectors for N <= 3, binary votes for N up to 144"
)


@claim.check("exhaustive", scope=f"{SCOPE}; θ just below the margin and half of it", over=large_margins)
def hoeffding_step_on_the_sample(case, *, labels=lambda n_labels: n_labels - 1, denominator=8):
    """(K-1) e^{-Nθ²/8} minus P[θ_g <= θ/2], where θ_f > θ."""
    small = sum((p for m, p in mean_margins(case) if m <= case.theta / 2), Fraction(0))
    bound = labels(len(case.votes[0])) * exp(-case.draws * case.theta**2 / denominator)
    return difference(bound, small)


hoeffding_step_on_the_sample.mutant("K - 1 dropped", labels=lambda n_labels: 1)
hoeffding_step_on_the_sample.mutant("exponent Nθ²/2 in place of Nθ²/8", denominator=2)


@claim.check("exhaustive", scope=f"{SCOPE}; θ in {{1/10, 1/2, 1}}", over=non_positive_margins)
def hoeffding_step_on_the_distribution(case, *, factor=1, denominator=8):
    """e^{-Nθ²/8} minus P[θ_g > θ/2], where θ_f <= 0."""
    large = sum((p for m, p in mean_margins(case) if m > case.theta / 2), Fraction(0))
    return difference(factor * exp(-case.draws * case.theta**2 / denominator), large)


hoeffding_step_on_the_distribution.mutant("half the bound", factor=0.5)
hoeffding_step_on_the_distribution.mutant("exponent Nθ²/2 in place of Nθ²/8", denominator=2)


@claim.check("exhaustive", scope="N = 1 … 60, θ = 1/(4N), …, 1", over=range(1, 61), relation="equality")
def levels_of_a_margin_of_votes(draws, *, levels=lambda n: n + 1):
    """The thresholds ⌊Nθ⌋ that θ in (0, 1] can give are N + 1."""
    met = {floor(Fraction(i, 4)) for i in range(1, 4 * draws + 1)}
    return -abs(levels(draws) - len(met))


levels_of_a_margin_of_votes.mutant("N levels", levels=lambda n: n)
levels_of_a_margin_of_votes.mutant("2N + 1 levels", levels=lambda n: 2 * n + 1)


@claim.check("exhaustive", scope="N = 1 … 60", over=range(1, 61))
def union_over_the_number_of_draws(draws, *, share=lambda n: Fraction(1, n * (n + 1))):
    """1 minus the shares 1/(N(N+1)) of δ spent so far."""
    return 1 - sum((share(n) for n in range(1, draws + 1)), Fraction(0))


union_over_the_number_of_draws.mutant("shares δ/N²", share=lambda n: Fraction(1, n * n))
union_over_the_number_of_draws.mutant("shares δ/(N + 1)", share=lambda n: Fraction(1, n + 1))


class Binomial(NamedTuple):
    """n draws with success probability q; the mean falls short by more than eps."""

    n: int
    q: Fraction
    eps: Fraction


def binomials():
    """Sample sizes up to 400, several probabilities and gaps."""
    for n in (1, 2, 5, 20, 100, 400):
        for q in (Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)):
            for eps in (Fraction(1, 20), Fraction(3, 20), Fraction(2, 5)):
                if eps < q:
                    yield Binomial(n, q, eps)


@claim.check(
    "exhaustive", scope="n in {1, 2, 5, 20, 100, 400}, q in {1/10, 1/2, 9/10}, three gaps", over=binomials
)
def hoeffding_step_of_one_function(case, *, rate=2):
    """e^{-2nε²} minus P[sample mean <= q - ε]."""
    n, q, eps = case
    last = floor(n * (q - eps))
    a, b = q.numerator, q.denominator - q.numerator
    tail = Fraction(sum(comb(n, c) * a**c * b ** (n - c) for c in range(last + 1)), q.denominator**n)
    return difference(exp(-rate * n * eps**2), tail)


hoeffding_step_of_one_function.mutant("e^{-3nε²}", rate=3)
hoeffding_step_of_one_function.mutant("e^{-4nε²}", rate=4)


class Coin(NamedTuple):
    """One object, label 1 with probability q, n examples; two constant classifiers and their mixtures."""

    n: int
    q: Fraction
    theta: Fraction
    delta: Fraction


def failing_probability(case, slack):
    """P_S[some mixture has an error above its margin errors + slack] for H = {always 0, always 1}."""
    n, q = case.n, case.q
    failing = Fraction(0)
    a, b = q.numerator, q.denominator - q.numerator
    for ones in range(n + 1):
        for spread in (Fraction(i, 10) for i in range(-10, 11)):
            # a mixture has the margin `spread` on label 1 and the opposite one on label 0
            error = (1 - q) * (spread >= 0) + q * (spread <= 0)
            small = Fraction(ones * (spread <= case.theta) + (n - ones) * (-spread <= case.theta), n)
            if float(error - small) > slack:
                failing += Fraction(comb(n, ones) * a**ones * b ** (n - ones), q.denominator**n)
                break
    return failing


def full_slack(case):
    """The two terms of the bound beyond the margin errors, at the best N <= 200."""
    values = {"n": case.n, "K": 2, "size": 2, "theta": float(case.theta), "delta": float(case.delta)}
    return float(bounds.generalisation.value(margin_errors=0, N=np.arange(1, 201), **values).min())


@claim.check(
    "search",
    scope="one object, two labels, n in {50, 400}, 21 mixtures of two classifiers, all N <= 200, exact law",
    over=[
        Coin(n, q, theta, Fraction(1, 20))
        for n in (50, 400)
        for q in (Fraction(1, 2), Fraction(2, 3), Fraction(1))
        for theta in (Fraction(1, 2), Fraction(9, 10))
    ],
)
def failure_probability_on_one_object(case, *, slack=full_slack):
    """δ minus the probability of a sample on which some mixture breaks the bound."""
    return float(case.delta - failing_probability(case, slack(case)))


# without the complexity term the best N is as large as can be, and the exponential vanishes
failure_probability_on_one_object.mutant("complexity term dropped", slack=lambda case: 0.0)
failure_probability_on_one_object.mutant("a tenth of the slack", slack=lambda case: full_slack(case) / 10)


def least_size(theta, size, n_labels=2):
    """Smallest n at which the bound is below 1 without margin errors, δ = 1/20, best N."""
    draws = np.arange(1, 40001)

    def value(n):
        return float(
            bounds.generalisation.value(
                margin_errors=0, n=n, K=n_labels, size=size, theta=theta, delta=0.05, N=draws
            ).min()
        )

    low, high = 1, 2
    while value(high) >= 1:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if value(middle) >= 1 else (low, middle)
    return high


def size_of_classifier_set(references, n_labels):
    """|H| = C(n, 2) 4^K."""
    return float(bounds.classifier_count.value(n=references, K=n_labels))


def chart():
    """The bound over the number of examples, without margin errors."""
    sizes = np.geomspace(100, 10**5, 40)
    values = {"margin_errors": 0, "K": 2, "size": size_of_classifier_set(50, 2), "delta": 0.05}
    draws = np.arange(1, 4001)[:, None]

    def bound(theta):
        return bounds.generalisation.value(n=sizes, theta=theta, N=draws, **values).min(axis=0).tolist()

    return tightness_chart(
        [
            Curve("stated", "θ = 1/2", sizes.tolist(), bound(0.5)),
            Curve("other", "stated, θ = 1/5", sizes.tolist(), bound(0.2)),
        ],
        x="training examples n",
        y="bound on the error",
        log_x=True,
        log_y=True,
        caption="Theorem 3 with explicit constants for two labels, 50 references, δ = 1/20 and no margin "
        "errors.",
        vacuous=(100.0, float(least_size(0.5, size_of_classifier_set(50, 2)))),
    )


@claim.check(
    "search",
    scope="K = 2, 50 references, no margin errors, δ = 1/20: smallest n with a bound below 1",
    over=[0.5, 0.2, 0.1, 0.05],
    relation="equivalence",
    table=lambda theta: {
        "θ": theta,
        "smallest n with a bound below 1": least_size(theta, size_of_classifier_set(50, 2)),
    },
    figure=chart,
)
def sample_size_at_which_the_bound_speaks(theta, *, factor=1.0):
    """The smallest n is 15 to 22 times log|H|/θ²."""
    size = size_of_classifier_set(50, 2)
    ratio = least_size(theta, size) * theta**2 / np.log(size) * factor
    return float(min(ratio - 15, 22 - ratio))


sample_size_at_which_the_bound_speaks.mutant("ten times fewer examples", factor=0.1)
sample_size_at_which_the_bound_speaks.mutant("ten times more examples", factor=10.0)
