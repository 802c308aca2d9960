"""How many triplets does a study need: abstention by formula, accuracy by simulation or on answers at hand.

Theorems 4 and 5 of Perrot & von Luxburg (2019) say when a classifier abstains. Three corrections lead from
their count of distinct pairs to a run of Algorithm 1: references must have different labels, pairs are drawn
with repetition, and a half-space whose label set is empty votes for nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boosttheory import bounds
from boosttheory.estimators import TripletBoostClassifier
from boosttheory.model_selection import TripletKFold, cross_validate_triplets, quiet_set
from boosttheory.triplet_files import Answers
from boosttheory.triplets import TripletSet, n_possible

__all__ = [
    "CurvePoint",
    "Simulation",
    "TripletPlan",
    "clusters",
    "distinct_pairs",
    "learning_curve",
    "phase",
    "plan_triplets",
    "reached",
    "simulate_accuracy",
    "simulated_curve",
    "voting_probability",
]

NECESSARY = (
    "Not abstaining is necessary, not sufficient: a classifier that never abstains may still be wrong "
    "(see --simulate, and plan accuracy)."
)


@dataclass(frozen=True)
class TripletPlan:
    """Abstention that n objects and m triplets lead to, and the triplets that would bring it down.

    Attributes
    ----------
    objects, triplets, rounds, classes : int
        n, m, C and K.
    possible : int
        Number of questions one can ask.
    p : float
        m / possible, the availability of a triplet.
    exponent : int
        Number of training objects that may have a triplet about a pair: n − 2, or n if i may be j or k.
    pairs : float
        Expected number D of distinct reference pairs with different labels in C uniform draws.
    abstention : float
        Theorem 5 for C distinct pairs, at most n(n − 1)/2, chosen without looking at the triplets.
    abstention_pairs : float
        The same formula for D pairs.
    abstention_votes : float
        Probability that no half-space with a label set of its own votes: (1 − p·v)^D, see
        `voting_probability`.
    target : float
        The abstention aimed at.
    needed, needed_pairs, needed_votes : int or None
        Least m that reaches it by each of the three; None if no m does.
    k, beta : float
        m = n^k (p = 2n^k/n³) and C = n^β/2.
    boundary : float
        Value of k at which the limit of Theorem 4 jumps.
    phase : str
        On which side of it the plan lies, in words.
    """

    objects: int
    triplets: int
    rounds: int
    classes: int
    possible: int
    p: float
    exponent: int
    pairs: float
    abstention: float
    abstention_pairs: float
    abstention_votes: float
    target: float
    needed: int | None
    needed_pairs: int | None
    needed_votes: int | None
    k: float
    beta: float
    boundary: float
    phase: str

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as JSON data."""
        return asdict(self)


def distinct_pairs(n: int, classes: int, rounds: int) -> float:
    """Return the expected number of distinct pairs in C uniform draws of references with different labels.

    Parameters
    ----------
    n, classes, rounds : int
        Objects, in `classes` classes of equal size (to within one), and draws.

    Returns
    -------
    float
        At most C. Boosting concentrates the weights, so a run draws rather fewer.

    Examples
    --------
    >>> round(distinct_pairs(4, 2, 4), 3)
    2.734
    """
    sizes = np.full(classes, n // classes) + (np.arange(classes) < n % classes)
    usable = (n * n - int((sizes.astype(np.int64) ** 2).sum())) // 2
    return usable * -math.expm1(rounds * math.log1p(-1.0 / usable)) if usable > 1 else 1.0


def voting_probability(p: ArrayLike, n: int, classes: int) -> NDArray[np.float64]:
    """Probability that the half-space of an object has a label set, if sides told nothing about labels.

    Parameters
    ----------
    p : array_like of float
        Availability of a triplet, in [0, 1].
    n : int
        Number of training objects that may have a triplet about a pair.
    classes : int
        K classes of equal size.

    Returns
    -------
    ndarray of float64, the shape of p
        The half-space holds N ~ Binomial(n, p/2) training objects; with equal weights it has a label set if
        one class has more than half of them. An approximation: real sides gather similar
        objects, and weights that differ break ties.

    References
    ----------
    Perrot & von Luxburg (2019), Equation 2.
    """
    from scipy.stats import binom

    side = np.asarray(p, dtype=np.float64) / 2
    members = np.arange(1, int(binom.isf(1e-12, n, side.max())) + 1)
    one_class = np.minimum(classes * binom.sf(members // 2, members, 1.0 / classes), 1.0)
    return np.asarray(binom.pmf(members, n, side[..., None]) @ one_class)


def _votes(p: float, n: int, classes: int) -> float:
    """Return p·v, non-decreasing in p: further triplets cannot take votes away once weights differ."""
    grid = p * np.exp2(-np.arange(0, 12, 0.5))
    return float((grid * voting_probability(grid, n, classes)).max())


def phase(n: int, p: float, rounds: int) -> tuple[float, float, float, str]:
    """Place a plan in the phase diagram of Theorem 4.

    Parameters
    ----------
    n : int
        Number of training objects, at least 2.
    p : float
        Availability of a triplet, in (0, 1].
    rounds : int
        Number C of distinct pairs, at most n(n − 1)/2.

    Returns
    -------
    k, beta, boundary : float
        Exponents of p = 2n^k/n³ and C = n^β/2, and the k at which the limit jumps, max((5 − β)/2, 3 − β).
    words : str
        The regime.

    References
    ----------
    Perrot & von Luxburg (2019), Theorem 4 and Example 1, and the general case derived from them.

    Examples
    --------
    >>> k, beta, boundary, words = phase(100, 0.1, 4950)
    >>> round(boundary, 2), words.split(":")[0]
    (1.5, 'above the boundary')
    """
    log_n = math.log(n)
    k, beta = math.log(p * n**3 / 2) / log_n, math.log(2 * rounds) / log_n
    boundary = max((5 - beta) / 2, 3 - beta)
    silence = float(bounds.abstention.value(p=p, n=n, C=rounds))
    if 0.01 < silence < 0.99:
        side = "near the boundary: the classifier abstains on some objects and not on others"
    elif k < boundary:
        side = "below the boundary: as n grows with these exponents the classifier abstains on all objects"
    else:
        side = "above the boundary: as n grows with these exponents the classifier never abstains"
    return k, beta, boundary, f"{side}; n^k* is {n**boundary:,.0f} triplets"


def plan_triplets(
    n: int,
    triplets: int,
    *,
    rounds: int | None = None,
    classes: int = 2,
    target: float = 0.01,
    own: bool = False,
) -> TripletPlan:
    """Plan a study: expected abstention and triplets needed.

    Parameters
    ----------
    n : int
        Number of training objects, at least 3.
    triplets : int
        Number m of different questions answered, uniformly drawn.
    rounds : int, optional
        C; all n(n − 1)/2 pairs by default.
    classes : int
        K classes of equal size, from 2 to n.
    target : float
        Abstention aimed at, in (0, 1).
    own : bool
        Whether people are also asked about i in {j, k}.

    Returns
    -------
    TripletPlan

    Raises
    ------
    ValueError
        If a number is out of range.

    References
    ----------
    Perrot & von Luxburg (2019), Theorems 4 and 5, Example 1.
    """
    if n < 3:
        raise ValueError(f"objects={n}; a triplet needs at least 3")
    possible = n_possible(n, self_references=own)
    if not 1 <= triplets <= possible:
        raise ValueError(
            f"triplets={triplets}: {n} objects have {possible:,} different triplets; give 1 to that many"
        )
    if not 2 <= classes <= n:
        raise ValueError(f"classes={classes} for {n} objects; give 2 to {n}")
    rounds = n * (n - 1) // 2 if rounds is None else rounds
    if rounds < 1:
        raise ValueError(f"rounds={rounds} leaves nothing to learn; give at least 1")
    if not 0 < target < 1:
        raise ValueError(
            f"target={target} is no abstention to aim at; give a number strictly between 0 and 1"
        )
    heads, distinct = n if own else n - 2, distinct_pairs(n, classes, rounds)
    chosen = min(rounds, n * (n - 1) // 2)

    def by_formula(m: int) -> float:
        return float(bounds.abstention.value(p=m / possible, n=heads, C=chosen))

    def by_pairs(m: int) -> float:
        return float(bounds.abstention.value(p=m / possible, n=heads, C=distinct))

    def by_votes(m: int) -> float:
        return float(bounds.abstention_conditional.value(p=_votes(m / possible, heads, classes), D=distinct))

    k, beta, boundary, words = phase(n, triplets / possible, chosen)
    return TripletPlan(
        objects=n,
        triplets=triplets,
        rounds=rounds,
        classes=classes,
        possible=possible,
        p=triplets / possible,
        exponent=heads,
        pairs=distinct,
        abstention=by_formula(triplets),
        abstention_pairs=by_pairs(triplets),
        abstention_votes=by_votes(triplets),
        target=target,
        needed=_least(by_formula, target, possible),
        needed_pairs=_least(by_pairs, target, possible),
        needed_votes=_least(by_votes, target, possible),
        k=k,
        beta=beta,
        boundary=boundary,
        phase=words,
    )


def _least(falling: Callable[[int], float], target: float, most: int) -> int | None:
    """Return the least m in 1..most at which a falling function is at most the target."""
    if falling(most) > target:
        return None
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if falling(middle) <= target else (middle, high)
    return high


def clusters(
    n: int, classes: int, rng: np.random.Generator, *, separation: float = 2.75
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Draw objects in the plane: normal clusters of equal size, one a class, around a regular polygon.

    Parameters
    ----------
    n, classes : int
        Objects and clusters.
    rng : numpy.random.Generator
        Source of randomness.
    separation : float
        Distance of neighbouring centres.

    Returns
    -------
    X : ndarray of float64, shape (n, 2)
    y : ndarray of intp, shape (n,)
    """
    y = rng.permutation(np.arange(n) % classes)
    angle = 2 * np.pi * y / classes
    radius = separation / (2 * math.sin(math.pi / classes))
    return radius * np.stack([np.cos(angle), np.sin(angle)], axis=1) + rng.standard_normal((n, 2)), y


@dataclass(frozen=True)
class Simulation:
    """Accuracy on new objects of simulated studies.

    Attributes
    ----------
    triplets : int
        Number of training triplets in each.
    repetitions, tested : int
        Number of studies, and of new objects in all of them together.
    accuracy, low, high : float
        Share of new objects labelled right, with Student's confidence limits over studies: new objects of one
        study share its training set.
    abstained, silent : float
        Shares of new objects on which the classifier abstains, and for which nothing votes.
    """

    triplets: int
    repetitions: int
    tested: int
    accuracy: float
    low: float
    high: float
    abstained: float
    silent: float


def simulate_accuracy(
    n: int,
    classes: int,
    triplets: int,
    rng: np.random.Generator,
    *,
    noise: float = 0.0,
    separation: float = 2.75,
    rounds: int = 10_000,
    repetitions: int = 10,
    tests: int = 200,
    error: float = 0.05,
    own: bool = False,
) -> Simulation:
    """Run studies on `clusters`: m training triplets, and as large a share of the triplets of new objects.

    Parameters
    ----------
    n, classes, triplets : int
        Training objects, K, and m.
    rng : numpy.random.Generator
        Source of randomness.
    noise : float
        Probability that an answer is flipped.
    separation : float
        Distance of neighbouring cluster centres, in standard deviations of a cluster.
    rounds : int
        C.
    repetitions, tests : int
        Number of studies, and of new objects in each.
    error : float
        Probability that the limits miss.
    own : bool
        Whether i in {j, k} is asked.

    Returns
    -------
    Simulation

    Raises
    ------
    ValueError
        If a number is out of range.
    """
    if n < 3 or not 2 <= classes <= n:
        raise ValueError(f"objects={n} in classes={classes}: give at least 3 objects and 2 to {n} classes")
    if repetitions < 2 or tests < 1:
        raise ValueError(f"repetitions={repetitions}, tests={tests}: at least 2 studies and 1 new object")
    from scipy.stats import t as student

    accuracies = np.empty(repetitions)
    silent = abstained = 0
    share = triplets / n_possible(n, self_references=own)
    for study, stream in enumerate(rng.spawn(repetitions)):
        X, y = clusters(n + tests, classes, stream, separation=separation)
        seen = TripletSet.from_metric(
            X[:n], number=triplets, noise=noise, rng=stream, self_reference="keep" if own else "drop"
        )
        new = TripletSet.from_metric(X[:n], queries=X[n:], proportion=share, noise=noise, rng=stream)
        model = TripletBoostClassifier(rounds, random_state=stream).fit(seen, y[:n])
        accuracies[study] = model.score(new, y[n:])
        abstained += int(model.abstains(new).sum())
        silent += int((~model.model_.scores(new).any(axis=1)).sum())
    tested, accuracy = repetitions * tests, float(accuracies.mean())
    quantile = float(student.ppf(1 - error / 2, repetitions - 1))
    half = quantile * float(accuracies.std(ddof=1)) / math.sqrt(repetitions)
    return Simulation(
        triplets,
        repetitions,
        tested,
        accuracy,
        max(accuracy - half, 0.0),
        min(accuracy + half, 1.0),
        abstained / tested,
        silent / tested,
    )


@dataclass(frozen=True)
class CurvePoint:
    """Accuracy at one number of answers.

    Attributes
    ----------
    answers : int
        Answers used.
    accuracy, low, high : float
        Accuracy on objects held out, with confidence limits over objects.
    """

    answers: int
    accuracy: float
    low: float
    high: float


def learning_curve(
    answers: Answers,
    y: ArrayLike,
    estimator: Any,
    rng: np.random.Generator,
    *,
    shares: Sequence[float] = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0),
    folds: int = 5,
    error: float = 0.05,
    callback: Callable[[int, int], object] | None = None,
) -> list[CurvePoint]:
    """Cross-validate on growing parts of the answers at hand; each part holds the smaller ones.

    Parameters
    ----------
    answers : Answers
        All answers.
    y : array_like, shape (n,)
        Label of each object, in the order of their codes.
    estimator : TripletBoostClassifier or alike
        Cloned for every fold.
    rng : numpy.random.Generator
        Chooses the parts and the folds, which are the same for all parts.
    shares : sequence of float
        Sizes of the parts, in (0, 1].
    folds : int
        Number of folds.
    error : float
        Probability that the limits of one point miss.
    callback : callable, optional
        ``callback(points done, points)``.

    Returns
    -------
    list of CurvePoint
        In ascending order; a part too small to train on is left out.

    Raises
    ------
    ValueError
        If a share lies outside (0, 1], y does not fit the answers or all parts are too small.
    """
    if not all(0 < share <= 1 for share in shares):
        raise ValueError(f"shares={list(shares)} leaves (0, 1]; give parts of the answers")
    labels, order = np.asarray(y), rng.permutation(len(answers.rows))
    split = list(TripletKFold(folds, shuffle=True, random_state=rng).split(None, labels))
    points = []
    for number, share in enumerate(sorted(shares), 1):
        part = order[: max(1, round(share * len(order)))]
        drawn = quiet_set(answers.take(part), len(labels))
        if not all(len(drawn.restrict(train)) for train, _ in split):
            continue
        found = cross_validate_triplets(estimator, drawn, labels, cv=split)
        points.append(CurvePoint(len(part), found.accuracy, *found.interval(error)))
        if callback is not None:
            callback(number, len(shares))
    if not points:
        raise ValueError(
            f"answers holds {len(order)} rows, too few for {folds} folds to train on; collect more"
        )
    return points


def reached(points: Sequence[CurvePoint | Simulation], target: float) -> int | None:
    """Return the position of the first point from which on the accuracy reaches a target; None if beyond.

    Parameters
    ----------
    points : sequence of CurvePoint or Simulation
        In ascending order.
    target : float
        Accuracy aimed at, in (0, 1].

    Raises
    ------
    ValueError
        If the target is no accuracy.

    Examples
    --------
    >>> curve = [CurvePoint(10, 0.5, 0.3, 0.7), CurvePoint(20, 0.8, 0.6, 0.9)]
    >>> reached(curve, 0.8), reached(curve, 0.9)
    (1, None)
    """
    if not 0 < target <= 1:
        raise ValueError(f"target={target} is no accuracy; give a number above 0, at most 1")
    below = [index for index, point in enumerate(points) if point.accuracy < target]
    first = below[-1] + 1 if below else 0
    return first if first < len(points) else None


def simulated_curve(
    n: int,
    classes: int,
    target: float,
    rng: np.random.Generator,
    *,
    noise: float = 0.0,
    separation: float = 2.75,
    rounds: int = 10_000,
    repetitions: int = 5,
    callback: Callable[[int, int], object] | None = None,
) -> list[Simulation]:
    """Simulate studies with n√n triplets, then twice as many, and so on, until the target is surely reached.

    The studies of all sizes have the same objects.

    Parameters
    ----------
    n, classes : int
        Training objects and K.
    target : float
        Accuracy aimed at, in (0, 1].
    rng : numpy.random.Generator
        Source of randomness.
    noise, separation, rounds, repetitions
        As in `simulate_accuracy`.
    callback : callable, optional
        ``callback(points done, points at most)``.

    Returns
    -------
    list of Simulation
        In ascending order; the last has its lower limit above the target, or all triplets there are.
    """
    reached([], target)
    seed, possible = int(rng.integers(2**63)), n_possible(n, self_references=False)
    points: list[Simulation] = []
    sizes: list[int] = []
    size = math.ceil(n**1.5)
    while size < possible:
        sizes.append(size)
        size *= 2
    for number, size in enumerate([*sizes, possible], 1):
        points.append(
            simulate_accuracy(
                n,
                classes,
                size,
                np.random.default_rng(seed),
                noise=noise,
                separation=separation,
                rounds=rounds,
                repetitions=repetitions,
            )
        )
        if callback is not None:
            callback(number, len(sizes) + 1)
        if points[-1].low >= target:
            break
    return points
