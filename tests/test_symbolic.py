"""`decide` never calls something proved that is false, and leaves the undefined undecided."""

import math
from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from boosttheory.symbolic import Obligation, decide, limit_of_power

x, y, n = sp.symbols("x y n")
unit = sp.Interval(0, 1)


def status(expression, domain, **options):
    found = decide(expression, domain, **options)
    if found.high < 0:
        return "refuted"
    return "proved" if found.low == 0 else "undecided"


@pytest.mark.parametrize(
    ("expression", "domain", "expected"),
    [
        ((x - 1) ** 2, {x: sp.Interval(0, 3)}, "proved"),
        (x - 1, {x: sp.Interval(0, 3)}, "refuted"),
        (x**2 - 1, {x: sp.S.Reals}, "refuted"),
        (x**2 - x + 1, {x: sp.S.Reals}, "proved"),
        (x**2 - 2 * x * y + y**2, {x: sp.Interval(0, 2), y: sp.Interval(1, sp.oo)}, "proved"),
        (-x, {x: sp.Interval(-sp.oo, 0)}, "proved"),
        (x, {x: sp.Interval(-sp.oo, 0)}, "refuted"),
        (1 - x * y, {x: unit, y: unit}, "proved"),
        (x - 1, {x: sp.Range(1, sp.oo)}, "proved"),
        (5 - x, {x: sp.Range(1, 6)}, "proved"),
        (Fraction(9, 2) - x, {x: sp.Range(1, 6)}, "refuted"),
        (5 - x, {x: sp.Range(1, 10**6)}, "refuted"),
        (x - 2, {x: sp.FiniteSet(2, 7)}, "proved"),
        (sp.sqrt(2) * x - 1, {x: sp.Interval(1, 2)}, "proved"),
        (x - sp.sqrt(2), {x: sp.Interval(sp.sqrt(2), 2)}, "proved"),
        (sp.exp(x) - 1 - x, {x: sp.Interval(0, sp.oo)}, "proved"),
        (1 - x + x**2 / 2 - sp.exp(-x), {x: sp.Interval(0, sp.oo)}, "proved"),
        (x - sp.log(1 + x), {x: sp.Interval(0, sp.oo)}, "proved"),
        (sp.exp(x) - 2 * x, {x: sp.Interval(0, 3)}, "proved"),
        (sp.exp(x) - 3 * x, {x: sp.Interval(0, 3)}, "refuted"),
        (sp.Abs(x - y) + sp.Rational(1, 3), {x: unit, y: unit}, "proved"),
        (1 / x - 1, {x: sp.Interval.Lopen(0, 1)}, "proved"),
        (sp.log(1 / x), {x: sp.Interval(sp.Rational(1, 2), sp.Rational(9, 10))}, "proved"),
        (x / (1 + 1 / x), {x: sp.Interval.open(0, 1)}, "proved"),
    ],
)
def test_known_answers(expression, domain, expected):
    assert status(expression, domain) == expected


@pytest.mark.parametrize(
    ("expression", "domain"),
    [
        (1 / x, {x: unit}),
        (1 / (1 - x), {x: unit}),
        (1 / (x - sp.Rational(1, 3)) ** 2, {x: unit}),
        (1 / (x - y) ** 2, {x: sp.Interval(0, 1), y: sp.Interval(sp.Rational(1, 5), sp.Rational(1, 3))}),
        ((x**2 - sp.Rational(1, 9)) / (x - sp.Rational(1, 3)), {x: unit}),
        ((9 * x**2 - 1) / (3 * x - 1) - (3 * x + 1), {x: unit}),
        (sp.sqrt(x - sp.Rational(1, 10**6)) + 1, {x: unit}),
        (sp.log((x - sp.Rational(1, 3)) ** 2) ** 2, {x: unit}),
        (sp.tan(x) ** 2, {x: sp.Interval(0, 3)}),
        (sp.gamma(x - 2) ** 2 - sp.gamma(x - 2) ** 2 / 2, {x: sp.Interval(sp.Rational(1, 3), 4)}),
        (sp.Function("f")(x) ** 2, {x: unit}),
        (sp.Sum(x**n, (n, 0, sp.oo)), {x: sp.Interval(0, 2)}),
        (1 / (sp.exp(x) - 3) ** 2, {x: sp.Interval(1, 3)}),
    ],
)
def test_undefined_somewhere_is_never_proved(expression, domain):
    assert status(expression, domain, boxes=300) != "proved"


@pytest.mark.parametrize(
    "expression",
    [
        sp.Piecewise((-1, (x > sp.Rational(1, 3)) & (x < sp.Rational(2, 5))), (1, True)),
        sp.floor(3 * x - sp.Rational(1, 10)) + sp.Rational(1, 2) + sp.floor(sp.Rational(11, 10) - x),
        sp.Max(x, sp.Rational(1, 3)) - sp.Rational(2, 5),
        sp.Min(x, 1 - x) * (x - sp.Rational(1, 7)),
        sp.sign(x - sp.Rational(1, 7)) + 1 - sp.sign(x) / 2,
        sp.Abs(x - sp.Rational(1, 3)) - sp.Rational(1, 100),
        sp.Abs(x - sp.Rational(1, 3)) * x - sp.Rational(1, 10**9),
        x ** sp.Rational(1, 3) - x**2 - sp.Rational(1, 100),
    ],
)
def test_false_statements_about_unsmooth_functions_are_never_proved(expression):
    assert status(expression, {x: unit}, boxes=300) != "proved"


def test_rounding_does_not_prove_a_near_miss():
    assert (
        status(
            sp.exp(x) - sp.exp(sp.Rational(1, 3)) - sp.Rational(1, 10**30),
            {x: sp.Interval(sp.Rational(1, 3), 1)},
        )
        == "refuted"
    )
    third = sp.Interval(sp.Rational(1, 3), sp.Rational(1, 3))
    assert status(x - sp.Rational(1, 3) - sp.Rational(1, 10**40) + sp.exp(x - x), {x: third}) == "proved"


def test_assumptions_of_a_symbol_do_not_override_its_range():
    positive = sp.Symbol("p", positive=True)
    assert status(positive, {positive: sp.Interval(-1, 1)}) == "refuted"
    assert status(1 / positive, {positive: unit}) != "proved"


coefficients = st.fractions(-4, 4, max_denominator=4)
ends = st.fractions(-2, 2, max_denominator=3)


@st.composite
def polynomials(draw):
    powers = draw(
        st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), coefficients), min_size=1, max_size=4)
    )
    total = sum(sp.Rational(c.numerator, c.denominator) * x**i * y**j for i, j, c in powers)
    return (
        total**2 * draw(st.sampled_from([0, 1]))
        + draw(st.sampled_from([0, 1])) * total
        + draw(st.sampled_from([0, x, y**2]))
    )


@st.composite
def intervals(draw):
    low, high = sorted((draw(ends), draw(ends)))
    low, high = (sp.Rational(e.numerator, e.denominator) for e in (low, high))
    if low == high:
        return sp.FiniteSet(low)
    return draw(
        st.sampled_from(
            [
                sp.Interval(low, high),
                sp.Interval.open(low, high),
                sp.Interval.Lopen(low, high),
                sp.Interval(low, sp.oo),
                sp.Interval(-sp.oo, high),
                sp.Range(int(sp.floor(low)), int(sp.floor(low)) + 3),
            ]
        )
    )


def samples(values):
    low, high = values.inf, values.sup
    low = high - 7 if low == -sp.oo else low
    high = low + 7 if high == sp.oo else high
    grid = [low + (high - low) * sp.Rational(i, 12) for i in range(13)]
    return [Fraction(int(v.p), int(v.q)) for v in grid if values.contains(v) == sp.true]


@settings(derandomize=True, deadline=None, max_examples=60)
@given(polynomials(), polynomials(), st.booleans(), intervals(), intervals())
def test_no_false_proof_of_a_rational_function(top, bottom, squared, over_x, over_y):
    quotient = top / (bottom**2 if squared else bottom) if bottom != 0 else top
    domain = {x: over_x, y: over_y}
    found = decide(quotient, domain, per_axis=3, boxes=150)
    p, q = (sp.lambdify((x, y), part, "math") for part in sp.fraction(sp.together(quotient)))
    values = [(Fraction(p(a, b)), Fraction(q(a, b))) for a in samples(over_x) for b in samples(over_y)]
    if found.low == 0:
        assert all(b != 0 and a / b >= 0 for a, b in values)
    if found.high < 0:
        point = {s: found.at[str(s)] for s in (x, y)}
        assert all(bool(domain[s].contains(v)) for s, v in point.items())
        assert quotient.subs(point) == found.high


def test_bad_input():
    with pytest.raises(ValueError, match="without a range"):
        decide(x + y, {x: unit})
    with pytest.raises(TypeError, match="Float"):
        decide(x + 0.5, {x: unit})
    with pytest.raises(TypeError, match="Float"):
        decide(x, {x: sp.Interval(0.25, 1)})
    with pytest.raises(ValueError, match="empty range"):
        decide(x, {x: sp.S.EmptySet})


def test_undecided_is_no_support():
    found = decide(sp.sin(x) + sp.Rational(3, 2), {x: sp.Interval(0, 10)})
    assert found.low == -math.inf
    assert found.high >= 0


def test_limit_of_power():
    a = sp.Symbol("a", positive=True)
    assert limit_of_power(3, a) == sp.oo
    assert limit_of_power(3, -a) == 0
    assert limit_of_power(3, a - a) == 3
    with pytest.raises(ValueError, match="sign of the exponent"):
        limit_of_power(3, a - 1)
    with pytest.raises(ValueError, match="not positive"):
        limit_of_power(-3, a)


def test_obligation_defaults():
    assert Obligation("a fact").domain == {}
