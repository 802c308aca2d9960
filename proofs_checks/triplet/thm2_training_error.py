"""Theorem 2 (reduction of the training error), Perrot & von Luxburg 2019."""

from fractions import Fraction
from itertools import product
from math import exp, prod, sqrt
from statistics import mean, stdev
from typing import NamedTuple

import sympy as sp

from boosttheory import bounds, trials
from boosttheory.charts import Curve, tightness_chart
from boosttheory.claims import Claim, Reading, Verdict
from boosttheory.enumerations import pair_sequences, pair_triplets
from boosttheory.exact_tripletboost import exact_run, normaliser, small_runs, training_error
from boosttheory.symbolic import Obligation, decide
from proofs_checks.triplet.alg1_tripletboost import without_abstentions

STATEMENT = r"\Pr_{(x,y)\in S}[H(x)\ne y]\le\frac{|\mathcal Y|}{2}\prod_{c=1}^{C}Z_c"
OUTPUT = r"H\text{ is the output of Algorithm 1 after }C\text{ rounds on }S,T"

claim = Claim(
    id="triplet.thm2",
    paper="perrot2019",
    locator="Theorem 2, Section 3.2",
    title="reduction of the training error",
    statement=STATEMENT,
    assumes=(OUTPUT,),
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("triplet.alg1",),
    note="Ties and abstentions count as errors. The bound is attained: with two labels and silent "
    "classifiers every example is an error and every Z is 1. Without |Y|/2 it fails for three labels. "
    "The identity behind it is checked with Algorithm 1.",
)
any_weights = Claim(
    id="triplet.thm2.anyweights",
    paper="perrot2019",
    locator="Theorem 2, Section 3.2",
    title="reduction of the training error, any weights",
    reading=Reading.CANONICAL,
    statement=STATEMENT
    + r"\quad\text{for every choice of }\alpha_c\in\mathbb R\text{ in place of Equation 3}",
    assumes=(r"Z_c=1-W_{c,+}-W_{c,-}+W_{c,+}e^{-\alpha_c}+W_{c,-}e^{\alpha_c}",),
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("triplet.alg1",),
    note="Stronger than Theorem 2: the bound needs no particular weight, negative ones included. With three "
    "labels it cannot be improved either: a run comes as close to it as one likes. Those of Algorithm 1 do "
    "not, see thm2.tight.",
)
monotone = Claim(
    id="triplet.thm2.monotone",
    paper="perrot2019",
    locator="after Theorem 2, Section 3.2",
    title="the bound never grows",
    reading=Reading.CANONICAL,
    statement=r"Z_c\le 1,\quad\text{with equality if and only if }s=1,\text{ that is }W_{c,+}=W_{c,-}",
    assumes=(r"s=e^{\alpha_c},\ \alpha_c=\tfrac12\log\frac{W_{c,+}+1/n}{W_{c,-}+1/n}",),
    expect=Verdict.PROVED,
    quantifiers={"b": sp.Interval(0, 1), "s": sp.Interval.open(0, sp.oo), "n": sp.Interval(1, sp.oo)},
    uses=("triplet.thm2.closed",),
    repairs=("triplet.thm2.decrease",),
    note="What falls with the rounds is the bound, not the training error itself.",
)
decrease = Claim(
    id="triplet.thm2.decrease",
    paper="perrot2019",
    locator="before Theorem 2, Section 3.2",
    title="the training error falls with every round",
    statement=r"\Pr_{(x,y)\in S}[H_{C+1}(x)\ne y]\le\Pr_{(x,y)\in S}[H_C(x)\ne y]",
    assumes=(OUTPUT,),
    expect=Verdict.REFUTED,
    uses=("triplet.thm2",),
    note="The text says that TripletBoost reduces the training error as the number of iterations increases. "
    "Round by round this is false: one more classifier can tie a label that was right.",
)
closed = Claim(
    id="triplet.thm2.closed",
    paper="perrot2019",
    locator="Theorem 2, Section 3.2",
    title="closed form of the gain of one round",
    reading=Reading.CANONICAL,
    statement=r"1-Z_c=(s-1)^2\left(W_{c,-}+\frac{s+1}{s\,n}\right),\qquad s=e^{\alpha_c}",
    assumes=(r"\alpha_c=\tfrac12\log\frac{W_{c,+}+1/n}{W_{c,-}+1/n}",),
    expect=Verdict.PROVED,
    quantifiers={"b": sp.Interval(0, 1), "s": sp.Interval.open(0, sp.oo), "n": sp.Interval(1, sp.oo)},
    note="Not in the paper; we have not met it in the literature. It gives Z <= 1 at sight.",
)

half = Fraction(1, 2)


@claim.check(
    "exhaustive",
    scope="all runs with n = 2, K <= 3, C <= 2; n = 2, K = 2, C = 3; n = 3, K <= 3, C <= 2, up to symmetry",
    over=small_runs,
)
def training_error_bound(run, *, factor=lambda n_labels: half * n_labels, z=normaliser):
    """(K/2)·∏Z minus the training error."""
    return factor(run.n_labels) * prod((z(r) for r in run.rounds), start=Fraction(1)) - training_error(run)


training_error_bound.mutant("the factor |Y|/2 left out", factor=lambda n_labels: 1)
training_error_bound.mutant("|Y|/2 replaced by |Y|/3", factor=lambda n_labels: Fraction(n_labels, 3))
training_error_bound.mutant("abstained mass left out of Z", z=without_abstentions)
training_error_bound.mutant("Z squared", z=lambda r: normaliser(r) ** 2)


class Cell(NamedTuple):
    """Three runs on one data set, metric and noise level, and the two baselines on coordinates."""

    runs: tuple
    baselines: tuple


def cells():
    """Iris, Moons and digits, three metrics, 10 % of the triplets, noise 0 and 10 %, three seeds."""
    for dataset, metric, noise in product(trials.DATASETS, trials.METRICS, (0.0, 0.1)):
        yield Cell(
            tuple(trials.real_run(dataset, metric, noise, seed) for seed in range(3)),
            tuple(trials.coordinate_baselines(dataset, seed) for seed in range(3)),
        )


def percent(values):
    """Mean and standard deviation, in percent."""
    return f"{100 * mean(values):.1f} ± {100 * stdev(values):.1f}"


def accuracies(cell):
    """One row of the table: test accuracy of TripletBoost beside 1-NN and AdaBoost on the coordinates."""
    first = cell.runs[0]
    return {
        "data": first.dataset,
        "metric": first.metric,
        "noise": f"{first.noise:.0%}",
        "training objects": first.n_train,
        "rounds": first.n_rounds,
        "TripletBoost, %": percent([run.test_accuracy for run in cell.runs]),
        "1-NN on coordinates, %": percent([accuracy for accuracy, _ in cell.baselines]),
        "AdaBoost on coordinates, %": percent([accuracy for _, accuracy in cell.baselines]),
        "training error": f"{mean(run.stages[-1][1] for run in cell.runs):.3f}",
        "log of the bound": f"{mean(run.stages[-1][2] for run in cell.runs):.1f}",
    }


@claim.check(
    "search",
    scope="Iris, Moons and digits (at most 500 objects), Euclidean, cosine and cityblock, 10 % of the "
    "triplets, noise 0 and 10 %, three seeds, after 1, 3, 10, 30, 100, 300, 1000 and 3000 rounds",
    over=cells,
    table=accuracies,
)
def training_error_bound_on_real_data(cell, *, factor=1.0, power=1.0):
    """(K/2)·∏Z minus the training error."""
    return min(
        factor * exp(power * log_bound) - error for run in cell.runs for _, error, log_bound in run.stages
    )


training_error_bound_on_real_data.mutant("|Y|/3 in place of |Y|/2", factor=2 / 3)
training_error_bound_on_real_data.mutant("Z to the power 4", power=4.0)

RATIOS = (Fraction(1, 3), Fraction(1), Fraction(7, 5), Fraction(4))


def runs_with_any_weights():
    """Small runs with e^α out of a few rationals, below 1 (a negative weight) included."""
    for n, n_labels, rounds in ((2, 2, 2), (2, 3, 2), (3, 2, 1), (3, 3, 1)):
        for y, pairs in pair_sequences(n, n_labels, rounds):
            for triplets in pair_triplets(n, pairs):
                for q in product(RATIOS, repeat=rounds):
                    yield exact_run(y, n_labels, triplets, pairs, q=q)


@any_weights.check(
    "exhaustive",
    scope="n <= 3, K <= 3, C <= 2 (C = 1 for n = 3), e^α in {1/3, 1, 7/5, 4}, up to symmetry",
    over=runs_with_any_weights,
)
def training_error_bound_for_any_weights(run, *, factor=half, z=normaliser):
    """(K/2)·∏Z minus the training error."""
    return factor * run.n_labels * prod((z(r) for r in run.rounds), start=Fraction(1)) - training_error(run)


training_error_bound_for_any_weights.mutant("|Y|/3 in place of |Y|/2", factor=Fraction(1, 3))
training_error_bound_for_any_weights.mutant("abstained mass left out of Z", z=without_abstentions)


@any_weights.check(
    "exhaustive",
    scope="two examples closer to the first, three labels, the same pair twice with α = log q, q = 2 to 1024",
    over=[2**e for e in range(1, 11)],
    relation="equality",
)
def slack_of_a_run_with_growing_weights(q, *, power=2, share=half):
    """Minus the distance of (K/2)·∏Z less the training error from 1/(2q²), which vanishes as q grows."""
    run = exact_run((0, 1), 3, ((0, 0, 1), (1, 0, 1)), [(0, 1)] * 2, q=(Fraction(q),) * 2)
    bound = half * run.n_labels * prod((normaliser(r) for r in run.rounds), start=Fraction(1))
    return -abs(bound - training_error(run) - share * Fraction(1, q**power))


slack_of_a_run_with_growing_weights.mutant("1/(2q)", power=1)
slack_of_a_run_with_growing_weights.mutant("1/q²", share=1)


RISING = exact_run((0, 0, 1), 3, ((0, 2, 0), (1, 2, 0), (2, 2, 0), (2, 1, 2)), [(0, 2), (1, 2), (0, 2)])


def bound_after(run, rounds):
    """The bound (K/2)·∏Z after some rounds."""
    return half * run.n_labels * prod((normaliser(r) for r in run.rounds[:rounds]), start=Fraction(1))


def error_after(run, rounds):
    """The training error after some rounds."""
    return training_error(run._replace(rounds=run.rounds[:rounds]))


@decrease.check(
    "witness", scope="three objects, three labels (one unused), four triplets, three rounds", over=[RISING]
)
def training_error_after_one_more_round(run, *, quantity=error_after):
    """Least fall of the training error from one round to the next."""
    return min(quantity(run, c) - quantity(run, c + 1) for c in range(1, len(run.rounds)))


training_error_after_one_more_round.rescue("the bound in place of the training error", quantity=bound_after)


@monotone.check(
    "exhaustive",
    scope="every small run (n <= 3, K <= 3, C <= 3); the run whose training error rises",
    over=small_runs,
    replays=training_error_after_one_more_round,
)
def bound_after_one_more_round(run, *, quantity=bound_after):
    """Least fall of the bound from one round to the next."""
    return min(quantity(run, c) - quantity(run, c + 1) for c in range(len(run.rounds)))


bound_after_one_more_round.mutant("the training error itself never grows", quantity=error_after)

right, wrong, s, n = sp.symbols("a b s n", positive=True)
ROUND = {wrong: sp.Interval(0, 1), s: sp.Interval.open(0, sp.oo), n: sp.Interval(1, sp.oo)}


def z_of(s):
    """Z in W-, s and n, with W+ eliminated by s² = (W+ + 1/n)/(W- + 1/n)."""
    w_plus = s**2 * (wrong + 1 / n) - 1 / n
    return 1 - w_plus - wrong + w_plus / s + wrong * s


def chart():
    """Z over the weight of the wrong examples, none abstaining."""
    shares = [c / 40 for c in range(21)]
    return tightness_chart(
        [
            Curve("stated", "1", shares[::20], [1, 1]),
            Curve(
                "worst known",
                "Z for n = 10",
                shares,
                [float(bounds.normaliser.value(w_plus=1 - w, w_minus=w, n=10)) for w in shares],
            ),
            Curve("best possible", "2√(W+W−), no 1/n", shares, [2 * sqrt(w * (1 - w)) for w in shares]),
        ],
        x="W−, with W+ = 1 − W−",
        y="Z",
        caption="One round without abstentions: the bound falls by Z, and by 2√(W+W−) if α is not smoothed "
        "by 1/n.",
    )


@monotone.check(
    "symbolic",
    scope="all W-, all s > 0 and n >= 1, W+ eliminated by s² = (W+ + 1/n)/(W- + 1/n)",
    over=[
        Obligation("Z <= 1", ROUND, lambda gain: gain),
        Obligation(
            "n(1 - Z) >= (s - 1)², so Z = 1 only if s = 1", ROUND, lambda gain: n * gain - (s - 1) ** 2
        ),
        Obligation(
            "Z >= 1 if s = 1",
            {wrong: sp.Interval(0, 1), n: sp.Interval(1, sp.oo)},
            lambda gain: -sp.cancel(gain.subs(s, 1)),
        ),
    ],
    figure=chart,
)
def gain_is_at_least_a_square(obligation, *, loss=0, share=1):
    """1 - Z is at least (s - 1)²/n."""
    return decide(obligation.data(share * (1 - z_of(s)) - loss), obligation.domain)


gain_is_at_least_a_square.mutant("Z <= 99/100", loss=sp.Rational(1, 100))
gain_is_at_least_a_square.mutant("half the gain", share=sp.Rational(1, 2))


@monotone.check(
    "symbolic",
    scope="all W+ and W- in [0, 1], all n >= 1",
    over=[
        Obligation(
            "(a+b)²(a+ε)(b+ε) - (2ab+ε(a+b))² = (a-b)²(ab+ε(a+b)), ε = 1/n",
            {right: sp.Interval(0, 1), wrong: sp.Interval(0, 1), n: sp.Interval(1, sp.oo)},
            "identity",
        ),
        Obligation(
            "(a+b)²(a+ε)(b+ε) >= (2ab+ε(a+b))²",
            {right: sp.Interval(0, 1), wrong: sp.Interval(0, 1), n: sp.Interval(1, sp.oo)},
            "inequality",
        ),
    ],
    by_hand=(
        "Z <= 1 says (a+b)√((a+ε)(b+ε)) >= 2ab + ε(a+b); both sides are at least 0 and may be squared.",
    ),
)
def squared_gain_is_a_square_times_a_positive(obligation, *, share=1, product_factor=2):
    """Z <= 1 is (a+b)√((a+ε)(b+ε)) >= 2ab + ε(a+b), squared."""
    eps, total = 1 / n, right + wrong
    left = total**2 * (right + eps) * (wrong + eps) - (product_factor * right * wrong + eps * total) ** 2
    if obligation.data == "identity":
        return decide(
            -((left - share * (right - wrong) ** 2 * (right * wrong + eps * total)) ** 2), obligation.domain
        )
    return decide(left, obligation.domain)


squared_gain_is_a_square_times_a_positive.mutant("2ab replaced by 3ab", product_factor=3)
squared_gain_is_a_square_times_a_positive.mutant("twice the gain", share=2)


@closed.check(
    "symbolic",
    scope="all W-, all s > 0 and n >= 1, W+ eliminated by s² = (W+ + 1/n)/(W- + 1/n)",
    over=[
        Obligation(
            "1 - Z = (s-1)²(W- + (s+1)/(sn))",
            ROUND,
        )
    ],
    relation="equality",
)
def gain_of_one_round(obligation, *, inner=lambda s: (s + 1) / s, power=2):
    """1 - Z minus the closed form, as a rational function of W-, s and n."""
    z = z_of(s)
    return decide(-((1 - z - (s - 1) ** power * (wrong + inner(s) / n)) ** 2), obligation.domain)


gain_of_one_round.mutant("s + 1 replaced by s", inner=lambda s: 1)
gain_of_one_round.mutant("the square replaced by a first power", power=1)


@closed.check("exhaustive", scope="every round of every small run", over=small_runs, relation="equality")
def gain_of_each_small_round(run, *, smoothing=1):
    """1 - Z minus the closed form, for exact rounds of Algorithm 1."""
    eps = Fraction(smoothing, len(run.y))
    return -max(
        abs(1 - normaliser(r) - (r.s - 1) ** 2 * (r.w_minus + (r.s + 1) / r.s * eps)) for r in run.rounds
    )


gain_of_each_small_round.mutant("smoothing 2/n in place of 1/n", smoothing=2)


@closed.check(
    "search",
    scope="the closed forms of the planner against each other on a grid of 1,000 points",
    over=[(i / 10, j / 10, 2.0**k) for i in range(10) for j in range(i + 1) for k in range(1, 20)],
    relation="equality",
)
def closed_form_of_the_library(point, *, gain=bounds.normaliser_gain, tolerance=1e-12):
    """bounds.normaliser + bounds.normaliser_gain = 1 in float64."""
    w_plus, w_minus, n_objects = point
    values = {"w_plus": w_plus, "w_minus": w_minus, "n": n_objects}
    return tolerance - abs(float(bounds.normaliser.value(**values) + gain.value(**values)) - 1)


closed_form_of_the_library.mutant("no gain at all", gain=bounds.normaliser)
