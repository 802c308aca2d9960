"""Plans: the formulas and their corrections against hand counts and simulation, learning curves, targets."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boosttheory import TripletBoostClassifier, TripletSet, bounds
from boosttheory.planning import (
    CurvePoint,
    clusters,
    distinct_pairs,
    learning_curve,
    phase,
    plan_triplets,
    reached,
    simulate_accuracy,
    simulated_curve,
    voting_probability,
)
from boosttheory.triplet_files import answers_from_arrays


def test_distinct_pairs_by_enumeration():
    # two classes {0, 1} and {2}: the usable pairs are (0, 2) and (1, 2)
    expected = np.mean([len(set(draws)) for draws in itertools.product(range(2), repeat=3)])
    assert distinct_pairs(3, 2, 3) == pytest.approx(expected)
    assert distinct_pairs(4, 2, 1) == pytest.approx(1)
    assert distinct_pairs(4, 2, 10**6) == pytest.approx(4)
    assert distinct_pairs(5, 5, 10**6) == pytest.approx(10)


def test_voting_probability_by_enumeration():
    p, n, K = 0.6, 3, 2
    total = 0.0
    for inside in itertools.product((0, 1), repeat=n):
        chance = (p / 2) ** sum(inside) * (1 - p / 2) ** (n - sum(inside))
        for labels in itertools.product(range(K), repeat=n):
            counts = np.bincount([y for y, here in zip(labels, inside, strict=True) if here], minlength=K)
            total += chance / K**n * (2 * counts.max() > counts.sum())
    assert voting_probability(p, n, K) == pytest.approx(total)
    assert voting_probability(0.0, 5, 3) == 0
    assert voting_probability(1.0, 1, 9) == pytest.approx(0.5)


def test_plan_uses_the_closed_form():
    plan = plan_triplets(800, 50_000)
    possible = 800 * 799 * 798 // 2
    assert plan.possible == possible
    assert plan.rounds == 800 * 799 // 2
    p = 50_000 / possible
    assert plan.abstention == pytest.approx((1 - p + p * (1 - p) ** 798) ** plan.rounds)
    assert plan.abstention < plan.abstention_pairs < plan.abstention_votes
    assert plan.needed < plan.needed_pairs < plan.needed_votes
    own = plan_triplets(800, 50_000, own=True)
    assert own.possible == 800 * 800 * 799 // 2
    assert own.abstention == pytest.approx(
        float(bounds.abstention.value(p=50_000 / own.possible, n=800, C=plan.rounds))
    )
    assert plan_triplets(50, 1000, rounds=10**6).abstention == plan_triplets(50, 1000, rounds=1225).abstention


@settings(derandomize=True, deadline=None, max_examples=12)
@given(st.integers(4, 40), st.integers(2, 4), st.integers(1, 5000), st.floats(0.005, 0.5))
def test_needed_is_the_least_number(n, classes, rounds, target):
    plan = plan_triplets(n, 1, rounds=rounds, classes=classes, target=target)
    for needed, name in (
        (plan.needed, "abstention"),
        (plan.needed_pairs, "abstention_pairs"),
        (plan.needed_votes, "abstention_votes"),
    ):

        def value(m, name=name):
            return getattr(plan_triplets(n, m, rounds=rounds, classes=classes), name)

        if needed is None:
            assert value(plan.possible) > target
        else:
            assert value(needed) <= target
            assert needed == 1 or value(needed - 1) > target


@pytest.mark.parametrize(
    ("n", "triplets", "classes"), [(200, 2828, 2), (200, 6000, 2), (120, 1500, 5), (200, 4000, 10)]
)
def test_corrections_bracket_real_runs(n, triplets, classes):
    plan = plan_triplets(n, triplets, classes=classes)
    study = simulate_accuracy(
        n, classes, triplets, np.random.default_rng(1), rounds=plan.rounds, repetitions=4, tests=250
    )
    assert plan.abstention < plan.abstention_pairs < study.abstained + 0.03
    assert study.abstained < study.silent
    assert study.silent == pytest.approx(plan.abstention_votes, abs=0.08)


@pytest.mark.parametrize(("triplets", "accuracy"), [(3_000, 0.28), (30_000, 0.65), (100_000, 0.81)])
def test_not_abstaining_is_not_enough(triplets, accuracy):
    plan = plan_triplets(120, triplets, classes=5)
    study = simulate_accuracy(120, 5, triplets, np.random.default_rng(0), rounds=2000)
    assert plan.abstention < 0.001
    assert study.accuracy == pytest.approx(accuracy, abs=0.06)
    assert study.low < study.accuracy < study.high


def test_phase():
    k, beta, boundary, words = phase(1000, 2 * 1000**-1.5, 1000 * 999 // 2)
    assert (k, boundary) == (pytest.approx(1.5), pytest.approx(1.5, abs=1e-3))
    assert words.startswith("near")
    assert phase(1000, 1e-6, 499_500)[3].startswith("below")
    assert phase(1000, 0.01, 499_500)[3].startswith("above")
    # few classifiers: k + β = 3 is the boundary
    k, beta, boundary, _ = phase(10**4, 0.01, 50)
    assert beta == pytest.approx(0.5)
    assert boundary == pytest.approx(2.5)
    assert k == pytest.approx(math.log(0.005 * 10**12) / math.log(10**4))


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ({"n": 2}, "objects=2; a triplet needs at least 3"),
        ({"n": -4}, "objects=-4"),
        ({"triplets": 0}, "triplets=0: 10 objects have 360 different triplets"),
        ({"triplets": 361}, "triplets=361"),
        ({"classes": 1}, "classes=1 for 10 objects; give 2 to 10"),
        ({"classes": 11}, "classes=11"),
        ({"rounds": 0}, "rounds=0 leaves nothing to learn"),
        ({"target": 0.0}, "target=0.0"),
        ({"target": 1.5}, "target=1.5"),
        ({"target": math.nan}, "target=nan"),
    ],
)
def test_bad_plans(args, message):
    with pytest.raises(ValueError, match=message):
        plan_triplets(**{"n": 10, "triplets": 5, **args})


def test_bad_simulations():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="classes=1"):
        simulate_accuracy(10, 1, 5, rng)
    with pytest.raises(ValueError, match="repetitions=1"):
        simulate_accuracy(10, 2, 5, rng, repetitions=1)
    with pytest.raises(ValueError, match="noise"):
        simulate_accuracy(10, 2, 5, rng, noise=1.5)
    with pytest.raises(ValueError, match="target=2 is no accuracy"):
        simulated_curve(10, 2, 2, rng)


def test_clusters_have_equal_sizes():
    X, y = clusters(10, 3, np.random.default_rng(0))
    assert X.shape == (10, 2)
    assert sorted(np.bincount(y).tolist()) == [3, 3, 4]


def test_simulated_curve_stops_at_the_target():
    found = simulated_curve(30, 2, 0.6, np.random.default_rng(0), repetitions=4, rounds=200)
    assert [point.triplets for point in found] == [165 * 2**i for i in range(len(found))]
    assert found[-1].low >= 0.6
    assert reached(found, 0.6) is not None
    beyond = simulated_curve(8, 2, 1.0, np.random.default_rng(0), noise=0.4, repetitions=2, rounds=50)
    assert beyond[-1].triplets == 8 * 7 * 6 // 2
    assert reached(beyond, 1.0) is None


def test_learning_curve_rises():
    rng = np.random.default_rng(0)
    X, y = clusters(40, 2, rng, separation=6.0)
    answers = answers_from_arrays(
        TripletSet.from_metric(X, proportion=0.5, rng=rng, self_reference="drop").to_array()
    )
    heard = []
    points = learning_curve(
        answers,
        y,
        TripletBoostClassifier(200, random_state=0),
        rng,
        shares=(1.0, 0.01, 0.1),
        callback=lambda *step: heard.append(step),
    )
    total = len(answers.rows)
    assert [point.answers for point in points] == [round(total * share) for share in (0.01, 0.1, 1.0)]
    assert heard[-1] == (3, 3)
    assert points[-1].accuracy > points[0].accuracy
    assert all(point.low <= point.accuracy <= point.high for point in points)
    tiny = learning_curve(answers, y, TripletBoostClassifier(20), rng, shares=(1e-9, 1.0))
    assert len(tiny) == 1
    with pytest.raises(ValueError, match="too few for 5 folds"):
        learning_curve(answers.take([0]), y, TripletBoostClassifier(20), rng)
    with pytest.raises(ValueError, match="shares"):
        learning_curve(answers, y, TripletBoostClassifier(20), rng, shares=(0.0, 1.0))


def test_reached():
    curve = [CurvePoint(m, a, 0.0, 1.0) for m, a in ((1, 0.5), (2, 0.9), (3, 0.7), (4, 0.85), (5, 0.95))]
    assert reached(curve, 0.5) == 0
    assert reached(curve, 0.8) == 3
    assert reached(curve, 0.96) is None
    for target in (0, -1, 1.01, math.nan):
        with pytest.raises(ValueError, match="no accuracy"):
            reached(curve, target)
