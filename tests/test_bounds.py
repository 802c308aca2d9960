"""Closed forms: one formula, the same number exactly, in float and as an expression; laws of abstention."""

from dataclasses import FrozenInstanceError
from fractions import Fraction
from math import comb, exp, inf, log, sqrt

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


# every formula a second time, as the paper prints it, in plain floats


def s_of(w_plus, w_minus, n):
    return sqrt((w_plus + 1 / n) / (w_minus + 1 / n))


def z_of(w_plus, w_minus, n):
    s = s_of(w_plus, w_minus, n)
    return (1 - w_plus - w_minus) + w_plus / s + w_minus * s


def kl(b, a):
    return b * log(b / a) + (1 - b) * log((1 - b) / (1 - a))


def least_hits(m, T, eta, a):
    return -(log(m) + T * log(1 - (1 - exp(-eta)) * a)) / eta


PRINTED = {
    "possible_triplets": lambda n: n**2 * (n - 1) / 2,
    "availability": lambda n, k: 2 * n**k / n**3,
    "expected_triplets": lambda p, n: p * n**2 * (n - 1) / 2,
    "usefulness": lambda p, n: 1 - (1 - p) ** n,
    "abstention": lambda p, n, C: (1 - p + p * (1 - p) ** n) ** C,
    "abstention_conditional": lambda p, D: (1 - p) ** D,
    "joint_abstention": lambda p, n, C, t: (1 - (1 - (1 - p) ** n) * (1 - (1 - p) ** t)) ** C,
    "abstention_exponent_lower": lambda p, n, C: C * n * p**2 / (1 + n * p),
    "abstention_exponent_upper": lambda p, n, C: C * p * min(1, n * p) / (1 - p),
    "vote": lambda w_plus, w_minus, n: log(s_of(w_plus, w_minus, n)),
    "normaliser": z_of,
    "normaliser_gain": lambda w_plus, w_minus, n: 1 - z_of(w_plus, w_minus, n),
    "training_error": lambda K, log_z: K / 2 * exp(log_z),
    "margin_errors_factor": lambda w_plus, w_minus, n, theta: z_of(w_plus, w_minus, n)
    * s_of(w_plus, w_minus, n) ** theta,
    "classifier_count": lambda n, K: n * (n - 1) / 2 * 4**K,
    "least_margin": lambda n, K, size: sqrt(log(size) / (16 * K**2 * n)),
    "generalisation": lambda margin_errors, n, K, size, theta, delta, N: margin_errors
    + 2 * K * exp(-N * theta**2 / 8)
    + sqrt((N * log(size) + log(N * (N + 1) ** 2 / delta)) / (2 * n)),
    "required_accuracy": lambda k, gamma: 1 / k + gamma,
    "stated_rounds": lambda m, gamma: 8 * log(m) / gamma**2,
    "stated_step": lambda m, T: sqrt(log(m) / (2 * T)),
    "doubled_step": lambda m, T: 2 * sqrt(log(m) / (2 * T)),
    "hint_rounds": lambda m, gamma: log(m) / gamma,
    "divergence": kl,
    "tuned_step": lambda b, a: log(a * (1 - b) / (b * (1 - a))),
    "fast_rounds": lambda m, k, gamma: log(m) / kl(1 / k, 1 / k + gamma),
    "variance_rounds": lambda m, k, gamma: 2 * (1 / k + gamma) * log(m) / gamma**2,
    "constant_rounds": lambda m, gamma: log(m) / (2 * gamma**2),
    "guaranteed_hits": least_hits,
    # the largest last weight of such an example is (1 − a)/((1 − a) + a e^{−η})
    "fewest_hits": lambda m, T, eta, a: least_hits(m, T, eta, a)
    - log((1 - a) / ((1 - a) + a * exp(-eta))) / eta,
    "no_free_lunch": lambda K, n, m, k: 1 - (1 - k / K) * (1 - 1 / n) ** m,
    "list_repetitions": lambda k, delta: 2 * k * log(2 / delta),
    "selection_sample": lambda k, eps, delta, q: 10 * log(2 * q / delta) * k**2 / eps**2,
    "sufficient_selection_sample": lambda k, eps, delta, q: 2 * log(4 * q / delta) * k**2 / eps**2,
    "compression_error": lambda r, m, delta: (r * log(m) - log(delta)) / (m - r),
    "compression_failure": lambda r, m, eps: m**r * (1 - eps) ** (m - r),
    "required_sample": lambda r, m, epsilon, delta: (r * (log(m) + epsilon) + log(1 / delta)) / epsilon,
    "stated_sample": lambda m, m0, gamma, epsilon, delta, c: c * m0 * log(m) ** 2 * log(m / delta)
    / (gamma**3 * epsilon),
    "list_sample": lambda m, m0, sigma, epsilon, delta: 16 * m0 * log(m) ** 2 / (sigma**2 * epsilon)
    + log(2 / delta) / epsilon,
}  # fmt: skip
SECOND = SAMPLE | {
    "p": F(2, 5),
    "n": F(2),
    "k": F(5, 2),
    "w_plus": F(1, 2),
    "w_minus": F(1, 100),
    "a": F(3, 4),
}


@pytest.mark.parametrize("sample", [SAMPLE, SECOND], ids=["first", "second"])
@pytest.mark.parametrize("closed_form", ALL, ids=lambda b: b.name)
def test_every_formula_is_what_the_paper_prints(closed_form, sample):
    values = {name: float(sample[name]) for name in closed_form.domain}
    found = closed_form.value(**values)
    assert isinstance(found, np.ndarray)
    assert float(found) == pytest.approx(PRINTED[closed_form.name](**values), rel=1e-12)
    assert closed_form.__doc__ == closed_form.formula.__doc__


@pytest.mark.parametrize("closed_form", ALL, ids=lambda b: b.name)
def test_an_interval_holds_the_exact_value(closed_form):
    values = {name: SAMPLE[name] for name in closed_form.domain}
    if closed_form.name == "abstention_exponent_upper":  # has a minimum
        return
    low, high = bounds.ends(bounds.enclosure(closed_form, **values))
    exact = sp.sympify(closed_form.exact(**values))
    nearest = F(str(sp.N(exact, 90))) if not exact.is_Rational else F(int(exact.p), int(exact.q))
    assert low - F(1, 10**60) <= nearest <= high + F(1, 10**60)
    assert high - low <= F(1, 10**60) * max(1, abs(low))


def test_a_perfect_learner_has_a_step():
    assert bounds.step("fast", 10**6, 2, F(1, 2), 1) == 1


def test_powers_in_intervals():
    arithmetic = bounds.interval_arithmetic(128)
    two, half = arithmetic.convert(2), arithmetic.convert(F(1, 2))
    for found, exact in (
        (arithmetic.power(two, 3), 8),
        (arithmetic.pow1p(half, 2), F(9, 4)),
        (arithmetic.pow1pm1(half, 2), F(5, 4)),
    ):
        low, high = bounds.ends(found)
        assert low <= exact <= high
        assert high - low < F(1, 2**100)


def test_an_interval_may_stand_for_a_variable():
    four_to_five = bounds.interval_arithmetic(128).context.mpf([4, 5])
    low, high = bounds.ends(bounds.enclosure(bounds.hint_rounds, 128, m=four_to_five, gamma=F(1, 2)))
    assert float(low) == pytest.approx(2 * log(4), rel=1e-15)
    assert float(high) == pytest.approx(2 * log(5), rel=1e-15)


def test_an_enclosure_asks_for_every_variable():
    with pytest.raises(TypeError, match="needs gamma"):
        bounds.enclosure(bounds.hint_rounds, m=2)


def test_rational_values_stay_fractions():
    for found, exact in (
        (bounds.abstention_exponent_upper.exact(p=F(1, 3), n=2, C=6), 2),
        (bounds.compression_failure.exact(r=2, m=4, eps=F(1, 2)), 4),
        (bounds.usefulness.exact(p=F(1, 2), n=2), F(3, 4)),
    ):
        assert type(found) is Fraction
        assert found == exact
    assert bounds.abstention_exponent_upper.exact(p=F(1, 3), n=9, C=6) == 3
    assert sp.expand(bounds.usefulness.exact(p=sp.sqrt(2) / 2, n=2)) == sp.sqrt(2) - sp.Rational(1, 2)
    assert bounds.availability.exact(n=2, k=F(5, 2)) == sp.sqrt(2)
    n = sp.Symbol("n", positive=True)
    assert bounds.availability.expression(n=n, k=1) == 2 / n**2


def test_the_ends_of_a_range_belong_to_it():
    for p, value in ((0, 1), (1, 0)):
        assert bounds.abstention.exact(p=p, n=3, C=2) == value == bounds.abstention.value(p=p, n=3, C=2)
    assert bounds.availability.exact(n=2, k=3) == 2
    assert bounds.abstention.value(p=F(1, 2), n=[1, 0], C=0).tolist() == [1, 1]
    assert bounds.abstention_conditional.value(p=1, D=0) == 1


@pytest.mark.parametrize(
    ("values", "words"),
    [({"n": 2, "k": 3.5}, "k=3.5 .* between 0 and 3"), ({"n": 0.5, "k": 1}, "n=0.5 .* at least 1$")],
)
def test_the_message_says_the_range(values, words):
    with pytest.raises(ValueError, match=words):
        bounds.availability.value(**values)


def test_an_expression_refuses_an_unknown_variable():
    with pytest.raises(TypeError, match="no variable q"):
        bounds.usefulness.expression(q=1)


def test_no_number_is_too_large_or_small_to_evaluate():
    with np.errstate(all="raise"):
        assert bounds.training_error.value(K=3, log_z=[1000, -1000]).tolist() == [inf, 0]
        assert bounds.usefulness.value(p=1, n=2) == 1


def test_symbols_know_their_signs_and_letters():
    for closed_form in ALL:
        for name, symbol in closed_form.symbols().items():
            assert symbol.is_real
            assert symbol.is_nonnegative is (None if name == "log_z" else True)
    letters = {name: str(s) for b in ALL for name, s in b.symbols().items() if name != str(s)}
    assert letters == {
        "w_plus": "W_+",
        "w_minus": "W_-",
        "log_z": r"\ell",
        "size": "|H|",
        "margin_errors": r"\hat P_\theta",
    }


def test_a_closed_form_is_itself():
    with pytest.raises(FrozenInstanceError):
        bounds.abstention.name = "other"
    assert len({bounds.abstention, bounds.usefulness}) == 2
    copy = bounds.bound("", p=(0, 1))(bounds.abstention.formula)
    assert copy != bounds.bound("", p=(0, 1))(bounds.abstention.formula)


def test_a_number_of_rounds_just_below_an_integer():
    # 8 ln 5/γ² is 100 − 10^-60: 128 bits do not tell it from 100
    with mpmath.workprec(600):
        gamma = mpmath.sqrt(8 * mpmath.log(5) / (100 - mpmath.mpf(10) ** -60))
        gamma = F(int(gamma * 2**500), 2**500)
    assert bounds.rounds("paper", 5, 2, gamma - F(1, 2**200)) == 101
    assert bounds.rounds("paper", 5, 2, gamma) == 100


def test_oracle_calls_and_sizes():
    for schedule, calls in (("paper", 678041), ("constant", 42505), ("variance", 24666), ("fast", 14985)):
        assert bounds.oracle_calls(schedule, 10**4, F(1, 10)) == calls
        assert bounds.compression_size(schedule, 10**4, F(1, 10), 10) == 10 * calls
    assert bounds.oracle_calls("paper", 10**4, F(1, 10), 3) == 3 + 2 * 7369
    assert bounds.oracle_calls("fast", 10**4, F(1, 10), 3) == 3 + sum(
        bounds.rounds("fast", 10**4, k, F(1, 10)) for k in (2, 3)
    )
    assert bounds.hint_length(10**4, F(1, 20)) == 185
    assert bounds.compression_size("paper", 10**4, F(1, 10), 10, doubled_hint=True) == 10 * (185 + 184 * 7369)


def test_the_least_sample():
    context = bounds.interval_arithmetic(64).context
    assert bounds.least_sample(lambda m: F(m, 2) + 10) == 20
    assert bounds.least_sample(lambda m: 1) == 2
    assert bounds.least_sample(lambda m: 1, start=7) == 7
    assert bounds.least_sample(lambda m: context.mpf([19.2, 19.7])) == 20
    assert bounds.least_sample(lambda m: context.mpf([19.2, 20.0]), 19) == 20
    assert bounds.least_sample(lambda m: 10**60 - 1) == 10**60 - 1
    with pytest.raises(ValueError, match="at m=2 is an integer"):
        bounds.least_sample(lambda m: context.mpf([19.7, 20.2]))
    for needed in (lambda m: 10**60, lambda m: m + 1 if m < 10**3 else 10**61):
        with pytest.raises(ValueError, match=r"below 10\^60"):
            bounds.least_sample(needed)


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
