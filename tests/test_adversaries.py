"""Adversaries: admissible in every round, tight, and the exact count run equals Hedge on arrays."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boosttheory.adversaries import (
    as_oracle,
    count_run,
    early_late,
    fewest_right,
    fill,
    floor_cover,
    near_optimal,
    tight_rounds,
)
from boosttheory.bounds import enclosure, fewest_hits, guaranteed_hits, rounds, stated_step, step
from boosttheory.hedge import hedge, hedge_oracle

F = Fraction


def stated(m, T):
    return lambda bits: enclosure(stated_step, bits, m=m, T=T)


@settings(derandomize=True, deadline=None)
@given(st.lists(st.integers(1, 50), min_size=1, max_size=12), st.integers(1, 100))
def test_a_fill_reaches_the_accuracy_and_every_member_is_needed(units, percent):
    weights, accuracy = np.array(units) / sum(units), percent / 100
    chosen = fill(weights, accuracy)
    assert weights @ chosen >= accuracy - 1e-9
    last = weights[chosen].min()
    assert weights @ chosen - last < accuracy


def test_a_fill_takes_the_lightest_that_reaches_and_the_lowest_index_of_ties():
    assert fill(np.array([0.2, 0.2, 0.2, 0.2, 0.2]), 0.4).tolist() == [True, True, False, False, False]
    assert fill(np.array([0.1, 0.5, 0.1, 0.3]), 0.6).tolist() == [True, True, False, False]
    assert not fill(np.ones(3) / 3, 0).any()
    assert fill(np.ones(3) / 3, 2).all()


@pytest.mark.parametrize(("m", "k", "gamma"), [(50, 4, F(1, 4)), (200, 20, F(1, 4)), (975, 20, F(1, 4))])
def test_the_array_adversary_and_the_exact_counts_agree(m, k, gamma):
    T, a = rounds("paper", m, k, gamma), F(1, k) + gamma
    n_right = fewest_right(m, T, a, stated(m, T))
    exact = count_run(m, T, a, stated(m, T), n_right)
    run = hedge(early_late(float(a), n_right), m, T, step("paper", m, k, gamma, T), required=float(a))
    assert run.hits[0] == n_right == exact.hits
    assert dict(zip(*np.unique(run.hits[1:], return_counts=True), strict=True)) == exact.others
    assert (run.accuracies - float(a)).sum() == pytest.approx(float(exact.slack), abs=1e-9)


def test_the_numbers_of_the_counterexample():
    run = count_run(975, 881, F(3, 10), stated(975, 881), 154)
    assert run.hits == 154 < 881 * F(7, 40)
    assert sum(run.others.values()) == 974
    assert count_run(975, 881, F(3, 10), stated(975, 881), 153) is None


@settings(derandomize=True, deadline=None, max_examples=40)
@given(st.integers(2, 60), st.integers(5, 60), st.integers(1, 9), st.integers(1, 20))
def test_the_fewest_hits_respect_both_bounds(m, T, tenths, eta):
    a, eta = F(tenths, 10), F(eta, 20)
    hits = fewest_right(m, T, a, eta)
    low = enclosure(guaranteed_hits, 128, m=m, T=T, eta=eta, a=a)
    assert hits >= low.a
    if hits < T:
        assert hits >= enclosure(fewest_hits, 128, m=m, T=T, eta=eta, a=a).a


def test_exact_ties_are_recognised():
    # one tenth of ten equal examples is exactly one
    run = count_run(10, 1, F(1, 10), F(1, 3), 0)
    assert run.others == {0: 8, 1: 1}
    assert run.slack < F(1, 10**15)
    assert count_run(10, 1, F(1, 10), F(1, 3), 1).others == {0: 9}
    # a learner that must be right on all others to be accurate enough
    assert count_run(4, 1, F(3, 4), F(1, 3), 0).others == {1: 3}
    assert count_run(4, 2, F(3, 4), F(1, 3), 0) is None


def test_a_tight_search_gives_less_away_than_the_prefix():
    m, T = 300, rounds("paper", 300, 20, F(1, 4))
    eta = step("paper", m, 20, F(1, 4), T)
    n_right = fewest_right(m, T, F(3, 10), stated(m, T))
    found = tight_rounds(m, T, 0.3, eta, n_right)
    assert len(found) == T
    assert tight_rounds(m, T, 0.3, eta, n_right - 5) is None


def test_the_floor_cover_is_the_slowest_admissible_cover():
    assert floor_cover(2, F(1, 2), 1) == [2, 1]
    for m, gamma in ((100, F(1, 3)), (10**6, F(1, 10)), (7, F(1, 2))):
        left = floor_cover(m, gamma, 40)
        assert all(a - b == math.ceil(gamma * a) for a, b in itertools.pairwise(left))
        weights = np.full(m, 1 / m) if m < 1000 else None
        if weights is not None:
            assert fill(weights, float(gamma)).sum() == m - left[1]


def test_an_oracle_is_accurate_enough_on_every_stage_and_spreads_its_mistakes():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 6, 80)
    weak = as_oracle(lambda a, k: early_late(a, 5), y, 0.2, 6)
    free = hedge_oracle(weak, y, 30, 0.2, required=0.2)
    assert all(((h >= 0) & (h < 6)).all() for h in free.hypotheses)
    others = np.sort(np.array([rng.permutation(np.delete(np.arange(6), label))[:2] for label in y]), axis=1)
    lists = np.column_stack([others[:, 0], y, others[:, 1]])
    run = hedge_oracle(weak, y, 60, 0.2, lists=lists, required=1 / 3 + 0.2)
    votes = np.array(run.hypotheses)
    assert all(np.isin(votes[:, i], lists[i]).all() for i in range(80))
    wrong = [(votes[:, 0] == label).sum() for label in others[0]]
    assert abs(wrong[0] - wrong[1]) <= 1


def test_an_oracle_copes_with_short_lists():
    y = np.array([0, 1, 2])
    lists = np.array([[0, -1, -1], [1, 2, -1], [0, 1, 2]])
    weak = as_oracle(lambda a, k: lambda w: np.zeros(3, bool), y, 0.1, 3)
    answers = [weak(np.ones(3) / 3, lists).tolist() for _ in range(3)]
    assert answers == [[1, 2, 0], [1, 2, 1], [1, 2, 0]]


@pytest.mark.parametrize(
    "arguments",
    [(1, 5, F(1, 2), F(1), 0), (5, 5, F(1), F(1), 0), (5, 5, F(1, 2), F(1), 6), (5, -1, F(1, 2), F(1), 0)],
)
def test_bad_parameters_are_named(arguments):
    with pytest.raises(ValueError, match="need at least 2 examples"):
        count_run(*arguments)


def test_labels_out_of_range_are_named():
    with pytest.raises(ValueError, match="outside 0 to 2"):
        as_oracle(lambda a, k: early_late(a, 1), [0, 3], 0.1, 3)


@pytest.mark.parametrize("schedule", ["paper", "fast", "variance", "constant"])
def test_every_schedule_survives_its_own_adversary_and_the_fast_one_barely(schedule):
    rng = np.random.default_rng(1)
    m, k, gamma = 200, 5, F(1, 4)
    lists = np.array([rng.permutation(9)[:k] for _ in range(m)])
    y = lists[np.arange(m), rng.integers(0, k, m)]
    weak = as_oracle(near_optimal(schedule, m, gamma), y, float(gamma), 9)
    T = rounds(schedule, m, k, gamma)
    run = hedge_oracle(weak, y, T, step(schedule, m, k, gamma, T), lists=lists, required=1 / k + 0.25)
    assert k * run.hits.min() > T
    if schedule == "fast":
        assert k * (run.hits.min() - 1) <= T + k
    cover = as_oracle(near_optimal(schedule, m, gamma), y, float(gamma), 9)
    assert hedge_oracle(cover, y, 1, 0.1, required=0.25).hits.sum() == 50
