"""Exact square roots against sympy and against 200-digit arithmetic."""

import math
from fractions import Fraction

import mpmath
import pytest
import sympy as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from boosttheory.surds import Surd, sign, sqrt

exactly = settings(derandomize=True, deadline=None, max_examples=150)
small = st.fractions(-20, 20, max_denominator=12)
positive = st.fractions(Fraction(1, 12), 20, max_denominator=12)


@st.composite
def towers(draw, depth=3):
    """A number of a tower of at most ``depth`` roots, and the same number in sympy."""
    value = draw(small)
    exact, symbolic = value, sp.Rational(value.numerator, value.denominator)
    for _ in range(draw(st.integers(0, depth))):
        step = draw(st.sampled_from(["sqrt", "add", "scale", "square"]))
        number = draw(positive)
        rational = sp.Rational(number.numerator, number.denominator)
        if step == "sqrt":
            exact, symbolic = sqrt(abs(exact) + number), sp.sqrt(abs(symbolic) + rational)
        elif step == "add":
            exact, symbolic = exact - sqrt(number), symbolic - sp.sqrt(rational)
        elif step == "scale":
            exact, symbolic = exact * -number, symbolic * -rational
        else:
            exact, symbolic = exact * exact - number, symbolic * symbolic - rational
    return exact, symbolic


def precise(symbolic):
    return mpmath.mpf(sp.N(symbolic, 120, maxn=400))


@exactly
@given(towers())
def test_sign_and_float_agree_with_high_precision(pair):
    exact, symbolic = pair
    with mpmath.workdps(100):
        reference = precise(symbolic)
        if abs(reference) < mpmath.mpf(10) ** -60:
            assert sign(exact) == 0
            assert float(exact) == 0
        else:
            assert sign(exact) == int(mpmath.sign(reference))
            assert abs(float(exact) - reference) <= abs(reference) * 2**-52


@exactly
@given(towers(), towers())
def test_arithmetic_agrees_with_high_precision(first, second):
    (x, sx), (y, sy) = first, second
    with mpmath.workdps(100):
        px, py = precise(sx), precise(sy)
        for exact, reference in ((x + y, px + py), (x - y, px - py), (x * y, px * py)):
            assert abs(float(exact) - reference) <= abs(reference) * 2**-52 + mpmath.mpf(10) ** -60
        assert (x < y) == (py - px > mpmath.mpf(10) ** -60)


@exactly
@given(towers(), towers())
def test_field_axioms(first, second):
    x, y = first[0], second[0]
    assert x + y == y + x
    assert x * y == y * x
    assert (x + y) * (x - y) == x * x - y * y
    assume(sign(y) != 0)
    assert x / y * y == x
    assert 1 / (1 / y) == y
    assert y**-2 * y**2 == 1


def test_sign_at_a_near_tie():
    tiny = Fraction(1, 10**60)
    assert sign(sqrt(2 + tiny) - sqrt(2)) == 1
    assert sign(sqrt(2) - sqrt(2 + tiny)) == -1
    assert sqrt(2) + sqrt(3) > sqrt(5 + 2 * sqrt(6) - tiny)


def test_float_survives_cancellation():
    difference = sqrt(2 + Fraction(1, 10**40)) - sqrt(2)
    assert float(difference) == pytest.approx(1e-40 / (2 * math.sqrt(2)), rel=1e-15)
    assert float(10**200 * (sqrt(10**400 + 1) - 10**200)) == pytest.approx(0.5, rel=1e-15)


def test_float_of_a_number_beyond_the_range():
    big = sqrt(2) * 10**400
    assert big > 10**400
    assert float(big / 10**400) == math.sqrt(2)


def test_radicand_that_is_a_square_below():
    root = sqrt(2)
    nested = sqrt(3 + 2 * root)  # 1 + sqrt(2)
    assert isinstance(nested, Surd)
    assert nested == 1 + root
    assert sign(nested - 1 - root) == 0
    assert 1 / (nested + 1 + root) == 1 / (2 * (1 + root))
    assert float(nested - 1 - root) == 0.0
    with pytest.raises(ZeroDivisionError):
        1 / (nested - 1 - root)


def test_square_root_of_zero_in_a_tower():
    nothing = sqrt(2) - sqrt(2)
    hidden = sqrt(3 + 2 * sqrt(2)) - 1 - sqrt(2)
    assert sqrt(nothing) == 0
    assert sqrt(hidden) == 0
    assert not bool(hidden)


def test_independent_roots_mix():
    assert sqrt(2) * sqrt(3) == sqrt(6)
    assert sqrt(2) == sqrt(2)
    assert sqrt(8) == 2 * sqrt(2)


def test_floats_are_refused():
    root = sqrt(2)
    for operation in (
        lambda: root + 0.5,
        lambda: 0.5 + root,
        lambda: root - 0.5,
        lambda: root * 0.5,
        lambda: root / 0.5,
        lambda: 0.5 / root,
        lambda: root < 1.5,
        lambda: root**0.5,
        lambda: sqrt(2.0),
    ):
        with pytest.raises(TypeError):
            operation()


def test_infinities_compare():
    root = sqrt(2)
    assert -math.inf < root < math.inf
    assert root != math.inf
    assert max(-math.inf, root) is root


def test_negative_radicand():
    with pytest.raises(ValueError, match="at least 0"):
        sqrt(1 - sqrt(2))
