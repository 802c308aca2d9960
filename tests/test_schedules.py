"""Schedules of Hedge: exact whole numbers of rounds, step sizes, and the duality behind the fast one."""

import math
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from boosttheory.bounds import (
    divergence,
    enclosure,
    ends,
    guaranteed_hits,
    hint_length,
    rounds,
    stated_rounds,
    step,
    tuned_step,
)

F = Fraction
SCHEDULES = ("paper", "constant", "variance", "fast")


@pytest.mark.parametrize(
    ("schedule", "k", "T"),
    [("paper", 10, 7369), ("constant", 10, 461), ("variance", 10, 369), ("fast", 10, 252), ("fast", 2, 452)],
)
def test_known_numbers_of_rounds(schedule, k, T):
    assert rounds(schedule, 10**4, k, F(1, 10)) == T


def test_the_fast_schedule_saves_what_is_claimed():
    def calls(schedule, gamma):
        p = hint_length(10**4, gamma)
        return p + sum(rounds(schedule, 10**4, k, gamma) for k in range(2, p + 1))

    assert calls("paper", F(1, 10)) == 93 + 92 * 7369 == 678041
    assert calls("fast", F(1, 10)) == 14985
    assert calls("constant", F(1, 10)) == 42505


@settings(derandomize=True, deadline=None)
@given(st.integers(2, 10**9), st.integers(2, 50), st.integers(1, 49))
def test_rounds_are_the_floor_of_the_closed_form(m, k, percent):
    gamma = F(percent, 100)
    assert rounds("paper", m, k, gamma) == math.ceil(float(stated_rounds.value(m=m, gamma=float(gamma))))
    lengths = [rounds(s, m, k, gamma) for s in SCHEDULES if F(1, k) + gamma < 1]
    if lengths:
        assert lengths[0] > lengths[1]
        assert lengths[3] <= min(lengths[1:3])


@settings(derandomize=True, deadline=None)
@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99), st.floats(-0.5, 0.5))
def test_the_tuned_step_is_the_best_and_gives_exactly_its_aim(a, share, nudge):
    b, T = a * share, 1000
    log_m = T * float(divergence.value(b=b, a=a))
    eta = float(tuned_step.value(b=b, a=a))

    def level(eta):
        return -(log_m + T * np.log(1 - (1 - np.exp(-eta)) * a)) / (eta * T)

    assert level(eta) == pytest.approx(b, abs=1e-12)
    assert level(eta * (1 + nudge)) <= b + 1e-12
    if log_m < 700:
        assert float(guaranteed_hits.value(m=math.exp(log_m), T=T, eta=eta, a=a)) == pytest.approx(
            T * b, abs=1e-9
        )


def test_a_perfect_learner_needs_one_round():
    assert rounds("fast", 10**6, 2, F(1, 2)) == 1
    assert step("fast", 10**6, 2, F(1, 2), 1) > 0


def test_one_example_needs_one_round():
    assert [rounds(s, 1, 2, F(1, 4)) for s in SCHEDULES] == [1, 1, 1, 1]
    assert hint_length(1, F(1, 4)) == 1


def test_step_sizes():
    m, k, gamma, T = 100, 4, F(1, 4), 50
    assert step("paper", m, k, gamma, T) == pytest.approx(math.sqrt(math.log(m) / (2 * T)), rel=1e-15)
    assert step("constant", m, k, gamma, T) == pytest.approx(math.sqrt(8 * math.log(m) / T), rel=1e-15)
    assert step("variance", m, k, gamma, T) == pytest.approx(2 * math.sqrt(math.log(m) / T), rel=1e-15)
    assert step("fast", m, k, gamma, T) == pytest.approx(math.log(3), rel=1e-15)


def test_an_enclosure_holds_the_exact_value():
    low, high = ends(enclosure(stated_rounds, 200, m=7, gamma=F(1, 3)))
    exact = 72 * sp.log(7)
    assert sp.Rational(low) < exact < sp.Rational(high)
    assert high - low < F(1, 2**180)


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("paper", 0, 2, F(1, 4)), "m=0"),
        (("paper", 10, 1, F(1, 4)), "k=1"),
        (("paper", 10, 2, 0), "gamma=0"),
        (("paper", 10, 2, 0.6), "gamma=0.6"),
        (("paper", 10, 2, float("nan")), "gamma=nan"),
        (("slow", 10, 2, F(1, 4)), "schedule='slow'"),
    ],
)
def test_bad_parameters_are_named(arguments, part):
    with pytest.raises(ValueError, match=part):
        rounds(*arguments)
    with pytest.raises(ValueError, match=part):
        step(*arguments, 5)
