"""Algorithm 1 (TripletBoost) with Equations 3 to 5, Perrot & von Luxburg 2019."""

from fractions import Fraction
from itertools import combinations
from math import log, prod

import numpy as np

from boosttheory.claims import Claim, Reading, Role, Verdict
from boosttheory.exact_tripletboost import (
    ExactRound,
    exact_run,
    exp_score,
    labels_by_weight,
    normaliser,
    omega,
    small_runs,
    update,
    weights_after,
)
from boosttheory.surds import sign
from boosttheory.tripletboost import State, boost_pair

claim = Claim(
    id="triplet.alg1",
    paper="perrot2019",
    locator="Algorithm 1 and Equations 3 to 5, Section 2",
    title="TripletBoost",
    role=Role.ALGORITHM,
    reading=Reading.CANONICAL,
    statement=r"w_{c+1,x_i,y}=\frac{w_{c,x_i,y}}{Z_c}\exp\left(-\alpha_c\,\Omega_i(y)\,h_c(x_i,y)\right),"
    r"\qquad "
    r"\alpha_c=\frac12\log\frac{W_{c,+}+\frac1n}{W_{c,-}+\frac1n},\qquad "
    r"H(x)=\operatorname*{arg\,max}_{y\in\mathcal Y}\sum_{c=1}^{C}"
    r"\alpha_c\,\mathbb I[h_c(x)\ne\vartheta\wedge y\in h_c(x)]",
    assumes=(
        r"w_{1,x_i,y}=\frac{1}{n|\mathcal Y|}",
        r"T\text{ holds at most one answer of each question}",
    ),
    expect=Verdict.CONFORMS,
    note="Run exactly in towers of square roots. The displays of Equations 3 and 4 are restored from "
    "the readable fragments of the text. T must hold at most one of (i, j, k) and (i, k, j), else h_c "
    "is no function. With one class only, no reference pair is ever found: the library says so.",
)


def unnormalised(weights, y, round_):
    """Equation 4 without the division by Z."""
    z = normaliser(round_)
    return tuple(tuple(w * z for w in row) for row in update(weights, y, round_))


def updating_abstentions(weights, y, round_):
    """Equation 4 with abstaining objects treated as answered for j."""
    sides = tuple(0 if side is None else side for side in round_.sides)
    return update(weights, y, round_._replace(sides=sides))


def flipped_normaliser(round_: ExactRound):
    """Z with the ratio of W+ and W- the wrong way round."""
    return normaliser(round_._replace(s=1 / round_.s))


@claim.check(
    "exhaustive",
    scope="all runs with n = 2, K <= 3, C <= 2; n = 2, K = 2, C = 3; n = 3, K <= 3, C <= 2, up to symmetry",
    over=small_runs,
    relation="equality",
)
def weights_are_a_distribution(run, *, advance=update):
    """W_c sums to 1 before every round and after the last."""
    return -max(
        abs(sum((w for row in weights for w in row), Fraction(0)) - 1)
        for weights in weights_after(run, advance)
    )


weights_are_a_distribution.mutant("weights never renormalised", advance=unnormalised)
weights_are_a_distribution.mutant("abstaining examples updated too", advance=updating_abstentions)


@claim.check(
    "exhaustive",
    scope="the same runs",
    over=small_runs,
    relation="equality",
)
def mean_exponential_loss_is_the_product_of_normalisers(run, *, z=normaliser, first=Fraction(1)):
    r"""(1/(nK)) Σ exp(-Ω_i(y) F(x_i, y)) = ∏ Z_c."""
    n = len(run.y)
    cells = [(i, label) for i in range(n) for label in range(run.n_labels)]
    mean = sum(
        (exp_score(run, i, label) ** -omega(run.y, i, label) for i, label in cells), Fraction(0)
    ) / len(cells)
    return -abs(mean - prod((z(r) for r in run.rounds), start=first))


def without_abstentions(round_):
    """Z without the mass of the abstaining objects."""
    return normaliser(round_) - (1 - round_.w_plus - round_.w_minus)


mean_exponential_loss_is_the_product_of_normalisers.mutant("Z with the ratio flipped", z=flipped_normaliser)
mean_exponential_loss_is_the_product_of_normalisers.mutant(
    "abstained mass left out of Z", z=without_abstentions
)


@claim.check(
    "exhaustive",
    scope="all runs with n <= 3, K = 2, C <= 2, with the objects or the triplets in another order",
    over=lambda: small_runs(((2, 2, 2), (3, 2, 1), (3, 2, 2))),
    relation="equality",
)
def order_of_objects_and_triplets_is_immaterial(run, *, shift=1, swap=True):
    """Renaming objects cyclically, reversing the list T, exchanging j and k: W+, W- and Z stay."""
    n = len(run.y)
    name = [(i + 1) % n for i in range(n)]
    y = tuple(run.y[name.index((i + 1 - shift) % n)] for i in range(n))
    triplets = tuple((name[i], name[j], name[k]) for i, j, k in reversed(run.triplets))
    if not swap:
        triplets = tuple((i, k, j) for i, j, k in triplets[:1]) + triplets[1:]
    pairs = [(name[r.pair[1]], name[r.pair[0]]) for r in run.rounds]
    other = exact_run(y, run.n_labels, triplets, pairs)
    return -max(
        abs(a.w_plus - b.w_plus) + abs(a.w_minus - b.w_minus) + abs(normaliser(a) - normaliser(b))
        for a, b in zip(run.rounds, other.rounds, strict=True)
    )


order_of_objects_and_triplets_is_immaterial.mutant("labels stay behind when objects are renamed", shift=0)
order_of_objects_and_triplets_is_immaterial.mutant("one triplet answered the other way", swap=False)


def not_negative(signed_weight):
    """Equation 2 with a non-strict inequality."""
    return sign(signed_weight) >= 0


@claim.check(
    "search",
    scope="the same runs, round by round, float64 against exact",
    over=small_runs,
    relation="equality",
)
def float_core_equals_exact_core(run, *, includes=labels_by_weight, smoothing=1.0, tolerance=1e-12):
    """The same label sets; α, W+, W-, log Z and all weights within 1e-12."""
    n, n_labels = len(run.y), run.n_labels
    state = State.initial(np.array(run.y), n_labels)
    distance, replayed = 0.0, weights_after(run)
    for round_, weights, after in zip(run.rounds, replayed, replayed[1:], strict=False):
        closer = [[i for i, side in enumerate(round_.sides) if side == which] for which in range(2)]
        total = float(state.marginal.sum())
        found = boost_pair(
            state, np.array([*closer[0], *closer[1]], int), len(closer[0]), total, smoothing / n
        )
        expected = [includes(weights, run.y, objects) for objects in closer]
        if [set(np.flatnonzero(row).tolist()) for row in found.labels] != [
            set(labels) for labels in expected
        ]:
            return -1.0
        exact = [float(x) for x in (round_.s, round_.w_plus, round_.w_minus, normaliser(round_))]
        distance = max(
            distance,
            abs(found.alpha - log(exact[0])),
            abs(found.w_plus - exact[1]),
            abs(found.w_minus - exact[2]),
            abs(found.z - exact[3]),
            float(np.abs(np.abs(state.signed) / state.marginal.sum() - np.array(after, float)).max()),
        )
    return tolerance - distance


def labels_with_ties(weights, y, closer):
    """Equation 2 with >= in place of >."""
    return labels_by_weight(weights, y, closer, includes=not_negative)


float_core_equals_exact_core.mutant("non-strict > in Equation 2", includes=labels_with_ties)
float_core_equals_exact_core.mutant("smoothing 2/n in place of 1/n", smoothing=2.0)


@claim.check(
    "exhaustive", scope="the same runs, every training object", over=small_runs, relation="equivalence"
)
def scoring_by_votes_orders_the_labels_alike(run, *, outside=-1, inside=1):
    """Σ α I[y in h(x)] (Eq 5) and Σ α h(x, y) give the same order of the labels."""
    for sides in zip(*(r.sides for r in run.rounds), strict=True):
        spoken = [(r, side) for r, side in zip(run.rounds, sides, strict=True) if side is not None]
        pairs = [(Fraction(1), Fraction(1))] * run.n_labels
        for r, side in spoken:
            pairs = [
                (first * r.s, second * r.s**inside) if y in r.labels[side] else (first, second * r.s**outside)
                for y, (first, second) in enumerate(pairs)
            ]
        for a, b in combinations(pairs, 2):
            if sign(a[0] - b[0]) != sign(a[1] - b[1]):
                return False
    return True


scoring_by_votes_orders_the_labels_alike.mutant("labels outside the set count like those inside", outside=1)
scoring_by_votes_orders_the_labels_alike.mutant("votes counted against the labels inside", inside=-2)
