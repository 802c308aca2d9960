"""Confidence limits against the exact binomial distribution."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from boosttheory.confidence import clopper_pearson, confidence_sequence


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.integers(1, 400), st.floats(0.001, 0.999), st.sampled_from([0.05, 1e-3, 1e-7]))
def test_coverage_is_at_least_as_stated(trials, truth, error):
    hits = np.arange(trials + 1)
    low, high = clopper_pearson(hits, trials, error)
    missed = binom.pmf(hits, trials, truth)[(truth < low) | (truth > high)].sum()
    assert missed <= error * (1 + 1e-9)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.integers(1, 10**6), st.data(), st.sampled_from([0.05, 1e-6, 1e-20]))
def test_limits_enclose_the_estimate(trials, data, error):
    hits = data.draw(st.integers(0, trials))
    low, high = clopper_pearson(hits, trials, error)
    assert 0 <= low <= hits / trials <= high <= 1


def test_extremes():
    low, high = clopper_pearson([0, 10], 10, 0.05)
    assert low[0] == 0
    assert high[1] == 1
    assert high[0] == pytest.approx(1 - 0.025**0.1)
    assert low[1] == pytest.approx(0.025**0.1)


def test_a_tiny_error_keeps_a_limit_below_one():
    assert clopper_pearson(0, 1000, 1e-20)[1] < 0.05


@pytest.mark.parametrize(
    ("hits", "trials", "error"),
    [(3, 2, 0.1), (-1, 2, 0.1), (0, 0, 0.1), (np.nan, 2, 0.1), (1, np.nan, 0.1), ([1, 5], [2, 4], 0.1)],
)
def test_impossible_counts(hits, trials, error):
    with pytest.raises(ValueError, match="hits <= trials"):
        clopper_pearson(hits, trials, error)


@pytest.mark.parametrize("error", [0, 1, -0.1, 2, float("nan")])
def test_error_outside_the_unit_interval(error):
    with pytest.raises(ValueError, match="strictly between"):
        clopper_pearson(1, 2, error)


@pytest.mark.parametrize("truth", [0.1, 0.3, 0.5])
def test_a_sequence_misses_seldom_however_often_one_looks(truth):
    rng = np.random.default_rng(5)
    hits = (rng.random((2000, 400)) < truth).cumsum(axis=1)
    trials = np.arange(1, 401)
    # limits depend on the counts alone: one table serves all paths
    low, high = confidence_sequence(np.minimum(np.arange(401)[:, None], trials), trials, 0.05)
    missed = (low[hits, trials - 1] > truth) | (high[hits, trials - 1] < truth)
    # 0.05 and four standard errors
    assert missed.any(axis=1).mean() <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / 2000)
    fixed, top = clopper_pearson(hits[:, 49::10], trials[49::10], 0.05)
    assert ((fixed > truth) | (top < truth)).any(axis=1).mean() > 0.1


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.integers(1, 10**6), st.data(), st.sampled_from([0.05, 1e-6, 1e-20]))
def test_a_sequence_is_wider_than_limits_for_one_look(trials, data, error):
    hits = data.draw(st.integers(0, trials))
    low, high = confidence_sequence(hits, trials, error)
    once, above = clopper_pearson(hits, trials, error)
    assert 0 <= low <= once
    assert above <= high <= 1


def test_a_sequence_refuses_impossible_counts():
    with pytest.raises(ValueError, match="hits <= trials"):
        confidence_sequence(3, 2, 0.1)
    with pytest.raises(ValueError, match="strictly between"):
        confidence_sequence(1, 2, 0)
