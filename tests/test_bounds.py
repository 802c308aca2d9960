"""Closed forms: one formula, the same number exactly, in float and as an expression; laws of abstention."""

from fractions import Fraction
from math import comb

import mpmath
import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from boosttheory import bounds
from boosttheory.abstention import (
    availability_counts,
    fixed_number_abstention,
    proportion_needed,
    simulate_abstentions,
)
from boosttheory.confidence import clopper_pearson

F = Fraction
ALL = [b for b in map(vars(bounds).get, bounds.__all__) if isinstance(b, bounds.Bound)]
SAMPLE = {
    "p": F(1, 7), "n": F(9), "C": F(11), "D": F(4), "t": F(3), "k": F(5, 4), "w_plus": F(1, 3),
    "w_minus": F(1, 5), "K": F(3), "log_z": F(-2), "theta": F(1, 4), "size": F(500), "margin_errors": F(1, 9),
    "delta": F(1, 20), "N": F(30), "m": F(40), "T": F(60),
    "gamma": F(1, 8), "eta": F(1, 6), "a": F(2, 5), "b": F(1, 4),
    "r": F(7), "q": F(13), "eps": F(1, 11), "epsilon": F(1, 11), "m0": F(10),
    "sigma": F(1, 12), "c": F(100),
}  # fmt: skip


@pytest.mark.parametrize("closed_form", ALL, ids=lambda b: b.name)
def test_exact_float_and_expression_agree(closed_form):
    values = {name: SAMPLE[name] for name in closed_form.domain}
    exact = sp.sympify(closed_form.exact(**values))
    assert not exact.atoms(sp.Float)
    assert float(closed_form.value(**{k: float(v) for k, v in values.items()})) == pytest.approx(
        float(exact), rel=1e-13
    )
    assert sp.simplify(closed_form.expression(**values) - exact) == 0
    assert closed_form.expression().free_symbols == set(closed_form.symbols().values())
    assert closed_form.latex()
    assert closed_form.__doc__.strip()


def test_known_values():
    assert bounds.possible_triplets.exact(n=3) == 9
    assert bounds.availability.exact(n=4, k=F(1, 2)) == sp.Rational(1, 16)
    assert bounds.expected_triplets.exact(p=F(1, 100), n=333) == F(333**2 * 332, 200)
    assert bounds.abstention.exact(p=F(1, 2), n=3, C=1) == F(9, 16)
    assert bounds.training_error.exact(K=3, log_z=0) == F(3, 2)
    assert bounds.classifier_count.exact(n=4, K=2) == 96


@pytest.mark.parametrize("n", [10**2, 10**6, 10**9, 10**12])
@pytest.mark.parametrize("k", [0.5, 1.5, 1.6, 2.5])
def test_the_abstention_bound_keeps_its_digits(n, k):
    p = 2.0 * float(n) ** (k - 3)
    C = n * (n - 1) // 2
    with mpmath.workdps(80):
        q = mpmath.mpf(p)
        truth = C * mpmath.log1p(-q * -mpmath.expm1(n * mpmath.log1p(-q)))
    found = float(bounds.abstention.value(p=p, n=n, C=C))
    # the exponent is right to a few units in the last place, the value to that times the exponent
    assert found == pytest.approx(float(mpmath.exp(truth)), rel=1e-14 * max(1.0, float(-truth)), abs=1e-300)


@settings(derandomize=True, deadline=None)
@given(st.floats(0, 1), st.integers(1, 10**6), st.integers(0, 10**6))
def test_the_abstention_bound_is_a_probability_that_falls_in_the_number_of_pairs(p, n, C):
    few, more = bounds.abstention.value(p=p, n=n, C=[C, C + 1])
    assert 0 <= more <= few <= 1


@settings(derandomize=True, deadline=None)
@given(st.fractions(0, 1), st.fractions(0, 1), st.integers(1, 50))
def test_the_gain_of_a_round_is_one_minus_its_normaliser(a, b, n):
    w_plus, w_minus = max(a, b) / 2, min(a, b) / 2
    found = 1 - bounds.normaliser.value(w_plus=w_plus, w_minus=w_minus, n=n)
    assert found == pytest.approx(
        float(bounds.normaliser_gain.value(w_plus=w_plus, w_minus=w_minus, n=n)), abs=1e-14
    )


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: bounds.abstention.value(p=1.5, n=3, C=1), ValueError, "p=1.5"),
        (lambda: bounds.abstention.value(p=float("nan"), n=3, C=1), ValueError, "p=nan"),
        (lambda: bounds.abstention.value(p=[0.1, -0.1], n=3, C=1), ValueError, "p=-0.1"),
        (lambda: bounds.abstention.exact(p=F(3, 2), n=3, C=1), ValueError, "p=3/2"),
        (lambda: bounds.abstention.exact(p=0.5, n=3, C=1), TypeError, "p=0.5 is a float"),
        (lambda: bounds.abstention.exact(p=F(1, 2), n=3), TypeError, "needs C"),
        (lambda: bounds.abstention.value(p=0.5, n=3, C=1, D=1), TypeError, "no variable D"),
        (lambda: availability_counts(4), ValueError, "n=4"),
        (lambda: fixed_number_abstention(3, 4, 1, replacement=True), ValueError, "n_pairs=4"),
        (lambda: fixed_number_abstention(3, 1, 10, replacement=False), ValueError, "n_triplets=10"),
        (lambda: simulate_abstentions(3, 2.0, 1, 1, np.random.default_rng(0)), ValueError, "p=2.0"),
        (lambda: simulate_abstentions(3, 0.5, 4, 1, np.random.default_rng(0)), ValueError, "n_pairs=4"),
        (lambda: proportion_needed(10, 5, 0.0), ValueError, "target=0.0"),
    ],
)
def test_bad_input_is_named(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_every_set_of_triplets_is_counted_once():
    for n, own_heads, slots in ((2, True, 2), (3, True, 9), (2, False, 0), (3, False, 3)):
        counts = availability_counts(n, own_heads=own_heads)
        assert counts.shape == (2 ** comb(n, 2), slots + 1)
        assert counts.sum(axis=0).tolist() == [comb(slots, s) for s in range(slots + 1)]


def test_a_fixed_number_of_triplets_agrees_with_enumeration():
    from itertools import combinations, product

    for n, m, replacement in ((2, 1, True), (3, 2, True), (3, 3, False), (3, 2, False)):
        slots = [q for q in range(comb(n, 2)) for _ in range(n)]
        N = len(slots)
        draws = list(product(range(N), repeat=m) if replacement else combinations(range(N), m))
        p = 1 - (1 - F(1, N)) ** m if replacement else F(m, N)
        for C in range(comb(n, 2) + 1):
            mean = sum((1 - p) ** len({slots[d] for d in draw} & set(range(C))) for draw in draws) / F(
                len(draws)
            )
            assert mean == fixed_number_abstention(n, C, m, replacement=replacement)


@pytest.mark.parametrize(("n", "p", "C", "distinct", "heads"), [(3, 0.4, 2, True, 3), (3, 0.4, 2, False, 1)])
def test_simulation_follows_the_exact_law(n, p, C, distinct, heads):
    hits = simulate_abstentions(n, p, C, 20000, np.random.default_rng(1), distinct=distinct, heads=heads)
    low, high = clopper_pearson(hits, 20000, 1e-6)
    # two draws from three pairs agree with probability 1/3
    shares = {2: 1.0} if distinct else {1: 1 / 3, 2: 2 / 3}
    truth = sum(w * float(bounds.abstention.value(p=p, n=heads, C=c)) for c, w in shares.items())
    assert low <= truth <= high


@settings(derandomize=True, deadline=None)
@given(st.integers(2, 10**6), st.integers(1, 10**9), st.floats(1e-6, 1 - 1e-6))
def test_the_needed_proportion_meets_its_target(n, C, target):
    p = proportion_needed(n, C, target)
    assert float(bounds.abstention.value(p=p, n=n, C=C)) == pytest.approx(target, rel=1e-6)
