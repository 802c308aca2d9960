"""Algorithms 2, 3 and 4: invariants on and off the sample, counts of calls, missed edges, bad input."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boosttheory.adversaries import as_oracle, early_late, fewest_right, floor_cover
from boosttheory.bounds import enclosure, hint_length, oracle_calls, rounds, stated_step, tuned_step
from boosttheory.hedge import EdgeError
from boosttheory.recursive import (
    MissedEdgeError,
    _Booster,
    distinct,
    initial_hint,
    list_length,
    planned_rounds,
    recursive_boost,
    thin_lists,
    weak_to_list,
)
from boosttheory.weak_learners import SampledOracle, stump_learner


def adversary(y, gamma, n_labels, schedule):
    """Floor covers for the hint; then early right and late wrong, as late as it can be."""
    m = len(y)

    def make(accuracy, k):
        if k is None:
            return early_late(accuracy, 0)
        a, T = Fraction(1, k) + Fraction(gamma), rounds(schedule, m, k, gamma)
        if a >= 1:
            return early_late(accuracy, T)
        if schedule == "paper":
            return early_late(accuracy, fewest_right(m, T, a, lambda b: enclosure(stated_step, b, m=m, T=T)))
        step = lambda b: enclosure(tuned_step, b, b=Fraction(1, k), a=a)  # noqa: E731
        return early_late(accuracy, fewest_right(m, T, a, step, decay=(1 - a) / (a * (k - 1))))

    return as_oracle(make, y, gamma, n_labels)


@pytest.mark.parametrize(("m", "gamma"), [(2, 0.5), (10, 0.25), (40, 0.5)])
@pytest.mark.parametrize("schedule", ["paper", "fast"])
def test_lists_shrink_and_keep_the_label_under_the_adversary(m, gamma, schedule):
    y = np.arange(m) % 7
    run = recursive_boost(adversary(y, gamma, 7, schedule), y, 7, gamma, schedule=schedule)
    p = hint_length(m, gamma)
    assert run.n_calls == oracle_calls(schedule, m, gamma) - p + run.stages[0].rounds
    assert [stage.size for stage in run.stages] == [0, *range(p, 1, -1)]
    for stage in run.stages[1:]:
        assert stage.list_sizes.max() <= stage.size - 1
        assert stage.coverage == 1.0
        assert (stage.size * stage.hits > stage.rounds).all()
    assert run.consistent
    assert (run.lists[:, 0] == y).all()
    assert (run.edges >= gamma - 1e-9).all()


@settings(derandomize=True, deadline=None)
@given(st.integers(1, 300), st.fractions(Fraction(1, 20), Fraction(1, 2)))
def test_the_hint_covers_every_example_under_the_worst_cover(m, gamma):
    y = np.arange(m)
    # right on the first ceil(γ n) of the n examples left

    def weak(weights, lists):
        left = np.flatnonzero(weights)
        right = left[: -(-gamma * len(left) // 1)]
        answer = (y + 1) % max(m, 2)
        answer[right] = y[right]
        return answer

    run = initial_hint(weak, y, max(m, 2), float(gamma))
    p = hint_length(m, float(gamma))
    assert list(run.remaining) == floor_cover(m, gamma, p)[: len(run.remaining)]
    assert run.remaining[-1] == 0
    assert run.consistent
    assert run.lists.shape == (m, p)
    assert run.stages[0].list_sizes.max() <= p


@settings(derandomize=True, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 5), st.integers(1, 12))
def test_thinned_lists_are_the_labels_above_the_threshold(seed, k, T):
    rng = np.random.default_rng(seed)
    lists = np.tile(np.arange(10, 10 + k), (20, 1))
    votes = np.stack([rng.multinomial(T, np.full(k + 1, 1 / (k + 1)))[:k] for _ in range(20)])
    thinned = thin_lists(lists, votes, T, k)
    assert thinned.shape == (20, max(k - 1, 1))
    for row, own in zip(thinned, votes, strict=True):
        assert set(row[row >= 0]) == {10 + i for i in range(k) if k * own[i] > T}


def test_distinct_keeps_the_first_of_equals():
    assert distinct(np.array([[3, 1, 3, 2, 1]])).tolist() == [[3, 1, 2, -1, -1]]
    assert distinct(np.array([[5]])).tolist() == [[5]]


@pytest.mark.parametrize("n_labels", [5, 200])
def test_votes_by_table_and_by_column_agree(n_labels):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 5, 30)
    pool = rng.integers(0, 5, size=(400, 30))
    pool[:, :] = np.where(rng.random((400, 30)) < 0.6, y, pool)
    runs = []
    for labels in (n_labels, 5):
        rows = iter(pool)
        runs.append(
            recursive_boost(
                lambda D, lists, rows=rows: next(rows), y, labels, 0.4, p=9, strict=False, schedule="fast"
            )
        )
    assert (runs[0].lists == runs[1].lists).all()


def blobs(m=120, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(m) % 4
    return 4.0 * np.eye(4)[y] + rng.standard_normal((m, 4)), y


def sampled(X, y, gamma, seed=0, depth=2):
    return SampledOracle(stump_learner(4, depth), X, y, 4, gamma, 60, np.random.default_rng(seed))


@pytest.mark.parametrize("hint", [True, False])
def test_the_model_repeats_the_lists_of_the_sample(hint):
    X, y = blobs()
    run = recursive_boost(sampled(X, y, 0.25), y, 4, 0.25, X=X, schedule="fast", hint=hint)
    assert run.consistent
    history = run.model.history(X)
    assert (history[-1] == run.lists).all()
    assert len(history) == len(run.stages) + (not hint)
    for lists, size in zip(
        run.model.history(X + 3.0)[1:], [s.size for s in run.stages if s.size], strict=True
    ):
        assert (lists >= 0).sum(axis=1).max() <= size - 1


def test_early_stop_and_callback():
    X, y = blobs()
    calls = []
    run = recursive_boost(
        sampled(X, y, 0.25),
        y,
        4,
        0.25,
        X=X,
        schedule="fast",
        stop_early=True,
        callback=lambda *c: calls.append(c),
    )
    assert run.stages[-1].list_sizes.max() == 1
    assert run.stages[-2].list_sizes.max() > 1
    assert [call for call, _ in calls] == list(range(1, run.n_calls + 1))
    assert run.edges.shape == run.sizes.shape == (run.n_calls,)


def test_a_budget_cuts_the_rounds():
    assert planned_rounds("paper", 100, 3, 0.1) == {3: 3685, 2: 3685}
    assert planned_rounds("paper", 100, 3, 0.1, budget=10) == {3: 5, 2: 5}
    X, y = blobs()
    run = recursive_boost(sampled(X, y, 0.1), y, 4, 0.1, X=X, hint=False, budget=30, strict=False)
    assert run.n_calls == 30


def test_one_example():
    run = recursive_boost(lambda D, lists: np.array([3]), [3], 5, 0.5)
    assert run.n_calls == 1
    assert run.lists.tolist() == [[3]]


def test_a_missed_edge_names_the_call_and_leaves_a_model():
    X, y = blobs()
    weak = sampled(X, y, 0.25)
    count = 0

    def failing(weights, lists):
        nonlocal count
        count += 1
        return weak(weights, lists) if count < 60 else (y + 1) % 4

    with pytest.raises(MissedEdgeError, match="call 60 has accuracy 0, below") as caught:
        recursive_boost(failing, y, 4, 0.25, X=X, schedule="fast", hint=False)
    error = caught.value
    assert isinstance(error, EdgeError)
    assert (error.call, error.accuracy) == (60, 0.0)
    assert [stage.size for stage in error.partial.stages] == [4]
    assert error.partial.model.lists(X).shape == (120, 3)


def test_a_missed_edge_in_the_hint():
    with pytest.raises(MissedEdgeError, match="call 2"):
        initial_hint(lambda D, lists: np.zeros(4, int), [0, 0, 1, 1], 2, 0.25)
    run = initial_hint(lambda D, lists: np.zeros(4, int), [0, 0, 1, 1], 2, 0.25, strict=False)
    assert not run.consistent
    assert run.remaining == (4, 2, 2, 2, 2, 2, 2)


def right(D, lists):
    return np.array([0, 1])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"gamma": 0.0}, "gamma=0.0 is no edge"),
        ({"gamma": 0.6}, "gamma=0.6 is no edge"),
        ({"y": [0, 5]}, "outside 0 to 1"),
        ({"y": [0.5, 1]}, "integer code"),
        ({"y": []}, "shape"),
        ({"p": 0}, "leaves every list empty"),
        ({"n_labels": 1, "y": [0, 0], "hint": False}, "nothing to choose"),
        ({"schedule": "slow"}, "unknown"),
        ({"weak": lambda D, lists: np.zeros(3, int)}, "call 1 predicts an array of shape"),
        ({"weak": lambda D, lists: np.full(2, np.nan)}, "call 1 predicts NaN"),
        ({"weak": lambda D, lists: np.full(2, 2)}, "the label 2, outside"),
    ],
)
def test_bad_input(options, words):
    given = {"weak": right, "y": [0, 1], "n_labels": 2, "gamma": 0.25, "schedule": "fast"} | options
    weak, y, n_labels, gamma = (given.pop(name) for name in ("weak", "y", "n_labels", "gamma"))
    with pytest.raises(ValueError, match=words):
        recursive_boost(weak, y, n_labels, gamma, **given)


@settings(derandomize=True, deadline=None)
@given(st.fractions(Fraction(1, 60), 1, max_denominator=60))
def test_list_length_is_the_floor_of_one_over_the_accuracy(accuracy):
    k = list_length(accuracy) + 1
    assert Fraction(1, k) < accuracy <= Fraction(1, k - 1)
    assert list_length(float(accuracy)) == k - 1


@pytest.mark.parametrize("schedule", ["paper", "fast"])
def test_weak_to_list_is_consistent(schedule):
    y = np.arange(12) % 3
    k, sigma = 3, 0.4 - 1 / 3
    T = rounds(schedule, 12, k, sigma)
    oracle = as_oracle(lambda accuracy, k: early_late(0.4, T // 3 + 10), y, 0.4, 3)
    run = weak_to_list(oracle, y, 3, 0.4, schedule=schedule)
    assert run.n_calls == T
    assert run.lists.shape == (12, 2)
    assert run.consistent
    with pytest.raises(ValueError, match="no accuracy"):
        weak_to_list(oracle, y, 3, 0.0)


def test_ten_thousand_rounds_at_ten_thousand_examples():
    m = 10**4
    y = np.arange(m) % 10
    rng = np.random.default_rng(0)
    pool = [np.where(rng.random(m) < 0.4, y, (y + i) % 10) for i in range(20)]
    count = iter(range(10**9))
    booster = _Booster(lambda D, lists: pool[next(count) % 20], y, 10, 0.1, None, False, None)
    lists = np.tile(np.arange(10), (m, 1))
    stage, _ = booster.stage(lists, 10, 10**4, 0.01, 0.2, booster.nothing())
    assert stage.hits.sum() == pytest.approx(stage.rounds * 0.4 * m, rel=0.15)
