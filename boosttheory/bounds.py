"""Closed forms of the papers, each written once: exact, float, expression and LaTeX come from one formula.

A formula is a function of an arithmetic and of its variables. The exact arithmetic takes Fractions and SymPy;
the float arithmetic takes arrays and keeps the digits that a naive evaluation loses, because formulas say
``pow1p`` for (1 + x)^e and ``pow1pm1`` for (1 + x)^e − 1.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Bound",
    "abstention",
    "abstention_conditional",
    "abstention_exponent_lower",
    "abstention_exponent_upper",
    "availability",
    "bound",
    "classifier_count",
    "compression_error",
    "compression_failure",
    "compression_size",
    "constant_rounds",
    "divergence",
    "doubled_step",
    "enclosure",
    "ends",
    "expected_triplets",
    "fast_rounds",
    "fewest_hits",
    "generalisation",
    "guaranteed_hits",
    "hint_length",
    "hint_rounds",
    "interval_arithmetic",
    "joint_abstention",
    "least_margin",
    "least_sample",
    "list_repetitions",
    "list_sample",
    "margin_errors_factor",
    "no_free_lunch",
    "normaliser",
    "normaliser_gain",
    "oracle_calls",
    "possible_triplets",
    "required_accuracy",
    "required_sample",
    "rounds",
    "selection_sample",
    "stated_rounds",
    "stated_sample",
    "stated_step",
    "step",
    "sufficient_selection_sample",
    "training_error",
    "tuned_step",
    "usefulness",
    "variance_rounds",
    "vote",
]


class _Exact:
    """Arithmetic on Fractions and SymPy; SymPy is loaded by the first function that needs it."""

    @staticmethod
    def _sympy(name: str, *arguments: Any) -> Any:
        import sympy as sp

        return getattr(sp, name)(*(sp.sympify(argument, strict=True) for argument in arguments))

    def exp(self, x: Any) -> Any:
        return self._sympy("exp", x)

    def log(self, x: Any) -> Any:
        return self._sympy("log", x)

    def sqrt(self, x: Any) -> Any:
        return self._sympy("sqrt", x)

    def minimum(self, x: Any, y: Any) -> Any:
        if isinstance(x, numbers.Rational) and isinstance(y, numbers.Rational):
            return min(x, y)
        return self._sympy("Min", x, y)

    def power(self, x: Any, e: Any) -> Any:
        # a Fraction to a fractional power would silently become a float
        whole = isinstance(e, numbers.Rational) and e.denominator == 1
        return x**e if whole or not isinstance(x, numbers.Rational) else self._sympy("Pow", x, e)

    def pow1p(self, x: Any, e: Any) -> Any:
        return self.power(1 + x, e)

    def pow1pm1(self, x: Any, e: Any) -> Any:
        return self.power(1 + x, e) - 1


class _Float:
    """The same arithmetic on arrays of float64."""

    exp, log, sqrt, minimum, power = np.exp, np.log, np.sqrt, np.minimum, np.power

    @staticmethod
    def _log_power(x: Any, e: Any) -> Any:
        # an empty product is 1, also of zeros
        return e * np.where(e == 0, 0.0, np.log1p(x))

    def pow1p(self, x: Any, e: Any) -> Any:
        return np.exp(self._log_power(x, e))

    def pow1pm1(self, x: Any, e: Any) -> Any:
        return np.expm1(self._log_power(x, e))


_EXACT, _FLOAT = _Exact(), _Float()
_LETTERS = {
    "w_plus": "W_+",
    "w_minus": "W_-",
    "log_z": r"\ell",
    "size": "|H|",
    "margin_errors": r"\hat P_\theta",
}
Range = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Bound:
    r"""One closed form of a paper.

    Attributes
    ----------
    name : str
        Name of the quantity.
    locator : str
        Where it stands.
    formula : callable
        ``formula(arithmetic, **variables)``.
    domain : mapping of str to (low, high)
        Closed range of each variable, in the order of the arguments.

    Examples
    --------
    >>> abstention.exact(p=Fraction(1, 2), n=3, C=1)
    Fraction(9, 16)
    >>> float(abstention.value(p=0.5, n=3, C=1))
    0.5625
    >>> abstention_conditional.latex()
    '\\left(1 - p\\right)^{D}'
    """

    name: str
    locator: str
    formula: Callable[..., Any]
    domain: Mapping[str, Range]

    def _check(self, values: Mapping[str, Any]) -> None:
        if missing := self.domain.keys() - values.keys():
            raise TypeError(
                f"{self.name} needs {', '.join(sorted(missing))} as well; give a value to each variable"
            )
        if unknown := values.keys() - self.domain.keys():
            raise TypeError(
                f"{self.name} has no variable {', '.join(sorted(unknown))}; it takes {', '.join(self.domain)}"
            )

    def symbols(self) -> dict[str, Any]:
        """Return the SymPy symbol of each variable; all are non-negative."""
        import sympy as sp

        return {
            name: sp.Symbol(_LETTERS.get(name, name), real=True, nonnegative=low >= 0 or None)
            for name, (low, _) in self.domain.items()
        }

    def expression(self, **values: Any) -> Any:
        """Return the SymPy expression, with exact numbers or expressions put in for some variables."""
        import sympy as sp

        known = {**self.symbols(), **{name: sp.sympify(value, strict=True) for name, value in values.items()}}
        self._check(known)
        return sp.sympify(self.formula(_EXACT, **known))

    def latex(self) -> str:
        """Return the formula as LaTeX."""
        import sympy as sp

        return str(sp.latex(self.expression()))

    def exact(self, **values: Any) -> Any:
        """Evaluate exactly.

        Parameters
        ----------
        **values : int, Fraction or exact SymPy number
            One for each variable.

        Returns
        -------
        Fraction or SymPy expression
            A Fraction where the formula is rational in the values.

        Raises
        ------
        TypeError
            If a value is a float, or a variable is missing or unknown.
        ValueError
            If a value lies outside its range.
        """
        self._check(values)
        for name, value in values.items():
            if isinstance(value, (float, np.floating)):
                raise TypeError(
                    f"{name}={value!r} is a float; exact values take int, Fraction or exact SymPy numbers"
                )
            low, high = self.domain[name]
            if not (value >= low) or not (value <= high):
                raise ValueError(_outside(name, value, low, high))
        rational = {k: Fraction(v) if isinstance(v, numbers.Rational) else v for k, v in values.items()}
        return self.formula(_EXACT, **rational)

    def value(self, **values: ArrayLike) -> NDArray[np.float64]:
        """Evaluate in float64, elementwise.

        Parameters
        ----------
        **values : array_like of real
            One for each variable; they broadcast.

        Returns
        -------
        ndarray of float64
            Shape of the broadcast; accurate to a few units in the last place of the logarithm.

        Raises
        ------
        TypeError
            If a variable is missing or unknown.
        ValueError
            If a value lies outside its range or is NaN.
        """
        self._check(values)
        arrays = {name: np.asarray(value, dtype=np.float64) for name, value in values.items()}
        for name, array in arrays.items():
            low, high = self.domain[name]
            bad = ~((array >= low) & (array <= high))
            if bad.any():
                raise ValueError(_outside(name, float(array[bad].flat[0]), low, high))
        with np.errstate(divide="ignore", over="ignore", under="ignore"):
            return np.asarray(self.formula(_FLOAT, **arrays), dtype=np.float64)


def _outside(name: str, value: Any, low: float, high: float) -> str:
    span = f"at least {low:g}" if high == math.inf else f"between {low:g} and {high:g}"
    return f"{name}={value} lies outside its range; give a number {span}"


def bound(locator: str, **domain: Range) -> Callable[[Callable[..., Any]], Bound]:
    """Decorate a formula: it becomes a `Bound`, whose ``__doc__`` is the formula's."""

    def make(formula: Callable[..., Any]) -> Bound:
        made = Bound(formula.__name__, locator, formula, domain)
        object.__setattr__(made, "__doc__", formula.__doc__)
        return made

    return make


_UNIT, _COUNT, _POSITIVE = (0.0, 1.0), (0.0, math.inf), (1.0, math.inf)


# Perrot & von Luxburg 2019


@bound("Section 4", n=_COUNT)
def possible_triplets(m: Any, n: Any) -> Any:
    """Count n²(n − 1)/2 of triplets of n objects: a head i and a pair {j, k}, i in {j, k} allowed."""
    return n * n * (n - 1) / 2


@bound("Theorem 4, Section 3.3", n=_POSITIVE, k=(0.0, 3.0))
def availability(m: Any, n: Any, k: Any) -> Any:
    """Probability p = 2n^k/n³ that a triplet is available, from the exponent k."""
    return 2 * m.power(n, k - 3)


@bound("Section 3.3", p=_UNIT, n=_COUNT)
def expected_triplets(m: Any, p: Any, n: Any) -> Any:
    """Mean number p n²(n − 1)/2 of training triplets; with p = 2n^k/n³ it is n^k (1 − 1/n)."""
    return p * possible_triplets.formula(m, n)


@bound("Theorem 4, Section 3.3", p=_UNIT, n=_COUNT)
def usefulness(m: Any, p: Any, n: Any) -> Any:
    """Probability 1 − (1 − p)^n that a reference pair has a triplet for one of n training examples."""
    return -m.pow1pm1(-p, n)


@bound("Theorems 4 and 5, Section 3.3", p=_UNIT, n=_COUNT, C=_COUNT)
def abstention(m: Any, p: Any, n: Any, C: Any) -> Any:
    """Probability (1 − p + p(1 − p)^n)^C that C distinct pairs all abstain on a test example."""
    return m.pow1p(-p * usefulness.formula(m, p, n), C)


@bound("Theorem 5, Section 3.3", p=_UNIT, D=_COUNT)
def abstention_conditional(m: Any, p: Any, D: Any) -> Any:
    """Probability (1 − p)^D that a model with D distinct pairs of weight ≠ 0 abstains on a test example."""
    return m.pow1p(-p, D)


@bound("Example 1, Section 3.3", p=_UNIT, n=_COUNT, C=_COUNT, t=_COUNT)
def joint_abstention(m: Any, p: Any, n: Any, C: Any, t: Any) -> Any:
    """Probability (1 − (1 − (1 − p)^n)(1 − (1 − p)^t))^C that C distinct pairs abstain on t test examples."""
    return m.pow1p(-usefulness.formula(m, p, n) * usefulness.formula(m, p, t), C)


@bound("Example 1, Section 3.3", p=_UNIT, n=_COUNT, C=_COUNT)
def abstention_exponent_lower(m: Any, p: Any, n: Any, C: Any) -> Any:
    """Lower bound C n p²/(1 + n p) of −log of `abstention`."""
    return C * n * p * p / (1 + n * p)


@bound("Example 1, Section 3.3", p=_UNIT, n=_COUNT, C=_COUNT)
def abstention_exponent_upper(m: Any, p: Any, n: Any, C: Any) -> Any:
    """Upper bound C p min(1, n p)/(1 − p) of −log of `abstention`, for p < 1."""
    return C * p * m.minimum(1, n * p) / (1 - p)


def _odds(w_plus: Any, w_minus: Any, n: Any) -> Any:
    return (w_plus + 1 / n) / (w_minus + 1 / n)


@bound("Equation 3, Section 2.2", w_plus=_UNIT, w_minus=_UNIT, n=_POSITIVE)
def vote(m: Any, w_plus: Any, w_minus: Any, n: Any) -> Any:
    """Weight α = ½ log((W₊ + 1/n)/(W₋ + 1/n)) of a triplet classifier."""
    return m.log(_odds(w_plus, w_minus, n)) / 2


@bound("Theorem 2, Section 3.2", w_plus=_UNIT, w_minus=_UNIT, n=_POSITIVE)
def normaliser(m: Any, w_plus: Any, w_minus: Any, n: Any) -> Any:
    """Normaliser Z = (1 − W₊ − W₋) + W₊/s + W₋ s of one round, with s = e^α."""
    s = m.sqrt(_odds(w_plus, w_minus, n))
    return 1 - w_plus - w_minus + w_plus / s + w_minus * s


@bound("Theorem 2, Section 3.2", w_plus=_UNIT, w_minus=_UNIT, n=_POSITIVE)
def normaliser_gain(m: Any, w_plus: Any, w_minus: Any, n: Any) -> Any:
    """Gain 1 − Z = (s − 1)²(W₋ + (s + 1)/(s n)) of one round, with s = e^α."""
    s = m.sqrt(_odds(w_plus, w_minus, n))
    return (s - 1) ** 2 * (w_minus + (s + 1) / (s * n))


@bound("Theorem 2, Section 3.2", K=_POSITIVE, log_z=(-math.inf, math.inf))
def training_error(m: Any, K: Any, log_z: Any) -> Any:
    """Bound (K/2)·∏Z on the training error, from ℓ, the sum of log Z over the rounds."""
    return K / 2 * m.exp(log_z)


@bound("Theorem 3, Section 3.2", w_plus=_UNIT, w_minus=_UNIT, n=_POSITIVE, theta=_UNIT)
def margin_errors_factor(m: Any, w_plus: Any, w_minus: Any, n: Any, theta: Any) -> Any:
    """Factor Z ((W₊ + 1/n)/(W₋ + 1/n))^{θ/2} of one round in the bound on the margin errors."""
    return normaliser.formula(m, w_plus, w_minus, n) * m.power(_odds(w_plus, w_minus, n), theta / 2)


@bound("Theorem 3, Section 3.2", n=_POSITIVE, K=_POSITIVE)
def classifier_count(m: Any, n: Any, K: Any) -> Any:
    """Size |H| = n(n − 1)/2 · 4^K of the set of triplet classifiers with n references and K labels."""
    return n * (n - 1) / 2 * m.power(4, K)


@bound("Theorem 3, Section 3.2", n=_POSITIVE, K=_POSITIVE, size=_POSITIVE)
def least_margin(m: Any, n: Any, K: Any, size: Any) -> Any:
    """Margin √(log|H|/(16 K² n)) above which the first part of Theorem 3 speaks."""
    return m.sqrt(m.log(size) / (16 * K * K * n))


@bound(
    "Theorem 3, Section 3.2",
    margin_errors=_UNIT,
    n=_POSITIVE,
    K=_POSITIVE,
    size=_POSITIVE,
    theta=_UNIT,
    delta=_UNIT,
    N=_POSITIVE,
)
def generalisation(
    m: Any, margin_errors: Any, n: Any, K: Any, size: Any, theta: Any, delta: Any, N: Any
) -> Any:
    """Bound on the error of a new example: Theorem 3 with explicit constants, for any number N ≥ 1.

    P_S[θ_H ≤ θ] + 2K e^{−Nθ²/8} + √((N log|H| + log(N(N + 1)²/δ))/(2n)), for all N at once, so minimise. |H|
    counts the classifiers of a reference set that is fixed before the n examples are drawn.
    """
    complexity = N * m.log(size) + m.log(N * (N + 1) ** 2 / delta)
    return margin_errors + 2 * K * m.exp(-N * theta**2 / 8) + m.sqrt(complexity / (2 * n))


# Brukhim, Daniely, Mansour & Moran 2023: Hedge


class _Interval:
    """Arithmetic on the intervals of one mpmath context."""

    def __init__(self, context: Any):
        self.exp, self.log, self.sqrt, self.context = context.exp, context.log, context.sqrt, context

    def convert(self, x: Any) -> Any:
        if isinstance(x, numbers.Rational):
            return self.context.mpf(int(x.numerator)) / int(x.denominator)
        return x

    def power(self, x: Any, e: Any) -> Any:
        return self.exp(e * self.log(x))

    def pow1p(self, x: Any, e: Any) -> Any:
        return self.power(1 + x, e)

    def pow1pm1(self, x: Any, e: Any) -> Any:
        return self.power(1 + x, e) - 1


@cache
def interval_arithmetic(bits: int) -> _Interval:
    """Return the arithmetic on mpmath intervals of a precision in bits."""
    from mpmath.ctx_iv import MPIntervalContext

    context = MPIntervalContext()
    context.prec = bits
    return _Interval(context)


def enclosure(closed_form: Bound, bits: int = 256, **values: Any) -> Any:
    """Evaluate a closed form in interval arithmetic.

    Parameters
    ----------
    closed_form : Bound
        Without a minimum.
    bits : int
        Precision.
    **values : int, Fraction or interval of the same precision
        One for each variable.

    Returns
    -------
    mpmath interval
        Contains the exact value.

    Examples
    --------
    >>> value = enclosure(stated_rounds, m=975, gamma=Fraction(1, 4))
    >>> int(value.a) == int(value.b) == 880
    True
    """
    arithmetic = interval_arithmetic(bits)
    closed_form._check(values)
    return closed_form.formula(arithmetic, **{name: arithmetic.convert(v) for name, v in values.items()})


@bound("Section 3, Definition 4", k=_POSITIVE, gamma=_UNIT)
def required_accuracy(f: Any, k: Any, gamma: Any) -> Any:
    """Accuracy a = 1/k + γ of a weak hypothesis that is given lists of k labels."""
    return 1 / k + gamma


@bound("Lemma 1, Section 2", m=_POSITIVE, gamma=_UNIT)
def stated_rounds(f: Any, m: Any, gamma: Any) -> Any:
    """Length 8 ln m/γ², in rounds, of the paper's schedule, the same for every list size."""
    return 8 * f.log(m) / gamma**2


@bound("Lemma 1, Section 2", m=_POSITIVE, T=_POSITIVE)
def stated_step(f: Any, m: Any, T: Any) -> Any:
    """Step size η = √(ln m/(2T)) of the paper's schedule."""
    return f.sqrt(f.log(m) / (2 * T))


@bound("Lemma 1, Section 2, repaired", m=_POSITIVE, T=_POSITIVE)
def doubled_step(f: Any, m: Any, T: Any) -> Any:
    """Step size η = √(2 ln m/T), twice the paper's, with which T = 8 ln m/γ² rounds do give γ/2."""
    return f.sqrt(2 * f.log(m) / T)


@bound("Lemma 4, Appendix A", m=_POSITIVE, gamma=_UNIT)
def hint_rounds(f: Any, m: Any, gamma: Any) -> Any:
    """Length ln m/γ, in rounds, of the initial hint; its length p is the ceiling."""
    return f.log(m) / gamma


@bound("Theorem 2, Section 3, fast schedule", b=_UNIT, a=_UNIT)
def divergence(f: Any, b: Any, a: Any) -> Any:
    """Relative entropy kl(b‖a) of two coins, for 0 < b < 1 and 0 < a < 1."""
    return b * f.log(b / a) + (1 - b) * f.log((1 - b) / (1 - a))


@bound("Theorem 2, Section 3, fast schedule", b=_UNIT, a=_UNIT)
def tuned_step(f: Any, b: Any, a: Any) -> Any:
    """Step size η = ln[a(1 − b)/(b(1 − a))], the best for the aim H/T ≥ b when accuracies are at least a."""
    return f.log(a * (1 - b) / (b * (1 - a)))


@bound("Theorem 2, Section 3, fast schedule", m=_POSITIVE, k=_POSITIVE, gamma=_UNIT)
def fast_rounds(f: Any, m: Any, k: Any, gamma: Any) -> Any:
    """Length ln m/kl(1/k‖1/k + γ), in rounds, above which `tuned_step` gives H > T/k, for 1/k + γ < 1."""
    return f.log(m) / divergence.formula(f, 1 / k, 1 / k + gamma)


@bound("Theorem 2, Section 3, fast schedule", m=_POSITIVE, k=_POSITIVE, gamma=_UNIT)
def variance_rounds(f: Any, m: Any, k: Any, gamma: Any) -> Any:
    """Length 2a ln m/γ², in rounds, with a = 1/k + γ: at least `fast_rounds`, by e^{−x} ≤ 1 − x + x²/2."""
    return 2 * (1 / k + gamma) * f.log(m) / gamma**2


@bound("Theorem 2, Section 3, fast schedule", m=_POSITIVE, gamma=_UNIT)
def constant_rounds(f: Any, m: Any, gamma: Any) -> Any:
    """Length ln m/(2γ²), in rounds: at least `fast_rounds`, by Pinsker's inequality."""
    return f.log(m) / (2 * gamma**2)


@bound("Lemma 1, Appendix A, before any inequality", m=_POSITIVE, T=_POSITIVE, eta=_COUNT, a=_UNIT)
def guaranteed_hits(f: Any, m: Any, T: Any, eta: Any, a: Any) -> Any:
    """Hits −[ln m + T ln(1 − (1 − e^{−η})a)]/η that every example gets if every accuracy is at least a."""
    return -(f.log(m) + T * f.log(1 - (1 - f.exp(-eta)) * a)) / eta


@bound("Lemma 1, lower bound on the hits of an example", m=_POSITIVE, T=_POSITIVE, eta=_COUNT, a=_UNIT)
def fewest_hits(f: Any, m: Any, T: Any, eta: Any, a: Any) -> Any:
    """Hits that an example gets at least if it is wrong in some round, for a < 1.

    It is wrong in round t only with D_t ≤ 1 − a, so its last weight is at most (1 − a)/((1 − a) + a e^{−η}).
    """
    gain = f.log(1 + a * f.exp(-eta) / (1 - a)) / eta
    return guaranteed_hits.formula(f, m, T, eta, a) + gain


def _floor(closed_form: Bound, values: Mapping[str, Any]) -> int:
    """Return the integer part; what 2048 bits do not tell from an integer (ln 9/kl(1/4‖3/4)) is one."""
    for bits in (128, 512, 2048):
        low, high = (math.floor(end) for end in ends(enclosure(closed_form, bits, **values)))
        if low == high:
            break
    return high


def ends(interval: Any) -> tuple[Fraction, Fraction]:
    """Return the ends of an mpmath interval, or an exact number twice, exactly."""
    from boosttheory.claims import Enclosure

    found = Enclosure.of(interval)
    return found.low, found.high


def rounds(schedule: str, m: int, k: int, gamma: Fraction | float) -> int:
    """Return the number of rounds of one call of Hedge, an exact integer.

    Parameters
    ----------
    schedule : {"paper", "fast", "variance", "constant"}
        ⌈8 ln m/γ²⌉; or the least integer above `fast_rounds`, `variance_rounds`, `constant_rounds`.
    m : int
        Number of examples, at least 1.
    k : int
        Nominal list length, at least 2; the schedules "paper" and "constant" ignore it.
    gamma : Fraction or float
        Edge, in (0, 1/2]; 1/k + γ is at most 1.

    Returns
    -------
    int
        At least 1.

    Raises
    ------
    ValueError
        If a parameter is out of range or the schedule unknown.

    Examples
    --------
    >>> [rounds(s, 10**4, 10, Fraction(1, 10)) for s in ("paper", "constant", "variance", "fast")]
    [7369, 461, 369, 252]
    """
    edge = _edge(m, k, gamma)
    if schedule == "paper":
        return _floor(stated_rounds, {"m": m, "gamma": edge}) + 1
    if schedule == "constant":
        return _floor(constant_rounds, {"m": m, "gamma": edge}) + 1
    if schedule == "variance":
        return _floor(variance_rounds, {"m": m, "k": k, "gamma": edge}) + 1
    if schedule == "fast":
        # a perfect learner: one round
        return 1 if Fraction(1, k) + edge == 1 else _floor(fast_rounds, {"m": m, "k": k, "gamma": edge}) + 1
    raise ValueError(f"schedule={schedule!r} is unknown; choose 'paper', 'fast', 'variance' or 'constant'")


def step(schedule: str, m: int, k: int, gamma: Fraction | float, T: int) -> float:
    """Return the step size that goes with `rounds`.

    Parameters
    ----------
    schedule, m, k, gamma
        As in `rounds`.
    T : int
        Number of rounds, at least 1.

    Returns
    -------
    float
        √(ln m/(2T)), `tuned_step` at b = 1/k, √(2 ln m/(aT)) with a = 1/k + γ, or √(8 ln m/T).

    Raises
    ------
    ValueError
        As in `rounds`.
    """
    edge = _edge(m, k, gamma)
    a = 1 / k + float(edge)
    if schedule == "paper":
        return float(stated_step.value(m=m, T=T))
    if schedule == "constant":
        return math.sqrt(8 * math.log(m) / T)
    if schedule == "variance":
        return math.sqrt(2 * math.log(m) / (a * T))
    if schedule == "fast":
        # a perfect learner is right everywhere in its one round, whatever the step
        return 1.0 if Fraction(1, k) + edge == 1 else float(tuned_step.value(b=1 / k, a=a))
    raise ValueError(f"schedule={schedule!r} is unknown; choose 'paper', 'fast', 'variance' or 'constant'")


def hint_length(m: int, gamma: Fraction | float) -> int:
    """Return the length p = ⌈ln m/γ⌉ of the initial hint, at least 1.

    Examples
    --------
    >>> hint_length(10**4, Fraction(1, 10))
    93
    """
    edge = _edge(m, 2, gamma)
    return _floor(hint_rounds, {"m": m, "gamma": edge}) + 1


def _edge(m: int, k: int, gamma: Fraction | float) -> Fraction:
    if m < 1 or k < 2:
        raise ValueError(f"m={m}, k={k}: give at least 1 example and lists of at least 2 labels")
    if not 0 < gamma <= Fraction(1, 2):
        raise ValueError(f"gamma={gamma} is no edge; give a number above 0 and at most 1/2")
    return Fraction(gamma)


# Brukhim, Daniely, Mansour & Moran 2023: lists and compression


@bound("Remark on {1, 2, 3}^N, Section 2", K=_POSITIVE, n=_POSITIVE, m=_COUNT, k=_COUNT)
def no_free_lunch(f: Any, K: Any, n: Any, m: Any, k: Any) -> Any:
    """Best coverage 1 − (1 − k/K)(1 − 1/n)^m of k-lists on n points, on average over all targets in [K]^n."""
    return 1 - (1 - k / K) * f.pow1p(-1 / n, m)


@bound("Lemma 3, Appendix B.1", k=_POSITIVE, delta=_UNIT)
def list_repetitions(f: Any, k: Any, delta: Any) -> Any:
    """Count q = 2k ln(2/δ) of calls of a k-list learner; the ceiling is meant."""
    return 2 * k * f.log(2 / delta)


@bound("Lemma 3, Appendix B.1", k=_POSITIVE, eps=_UNIT, delta=_UNIT, q=_POSITIVE)
def selection_sample(f: Any, k: Any, eps: Any, delta: Any, q: Any) -> Any:
    """Size r = 10 ln(2q/δ)(k/ε)² of the sample that selects one of q hypotheses."""
    return 10 * f.log(2 * q / delta) * (k / eps) ** 2


@bound("Lemma 3, Appendix B.1, sharpened", k=_POSITIVE, eps=_UNIT, delta=_UNIT, q=_POSITIVE)
def sufficient_selection_sample(f: Any, k: Any, eps: Any, delta: Any, q: Any) -> Any:
    """Size 2 ln(4q/δ)(k/ε)² of the sample, by Hoeffding: no more than `selection_sample`."""
    return 2 * f.log(4 * q / delta) * (k / eps) ** 2


@bound("Theorem 6, Appendix B", r=_COUNT, m=_POSITIVE, delta=_UNIT)
def compression_error(f: Any, r: Any, m: Any, delta: Any) -> Any:
    """Error (r ln m + ln(1/δ))/(m − r) of a consistent function rebuilt from r of m examples, for r < m."""
    return (r * f.log(m) + f.log(1 / delta)) / (m - r)


@bound("Theorem 6, Appendix B, before any inequality", r=_COUNT, m=_POSITIVE, eps=_UNIT)
def compression_failure(f: Any, r: Any, m: Any, eps: Any) -> Any:
    """Bound m^r (1 − ε)^{m − r} on the probability of a consistent function with an error above ε."""
    return f.power(m, r) * f.pow1p(-eps, m - r)


# Brukhim, Daniely, Mansour & Moran 2023: number of examples


@bound("Theorem 6, Appendix B, solved for m", r=_COUNT, m=_POSITIVE, epsilon=_UNIT, delta=_UNIT)
def required_sample(f: Any, r: Any, m: Any, epsilon: Any, delta: Any) -> Any:
    """Least m, (r(ln m + ε) + ln(1/δ))/ε, for which `compression_error` is at most ε."""
    return (r * (f.log(m) + epsilon) - f.log(delta)) / epsilon


@bound("Theorem 2, Section 3", m=_POSITIVE, m0=_POSITIVE, gamma=_UNIT, epsilon=_UNIT, delta=_UNIT, c=_COUNT)
def stated_sample(f: Any, m: Any, m0: Any, gamma: Any, epsilon: Any, delta: Any, c: Any) -> Any:
    """Sample size c m₀ ln²m ln(m/δ)/(γ³ε) that Theorem 2 asks for, with c = 100."""
    return c * m0 * f.log(m) ** 2 * f.log(m / delta) / (gamma**3 * epsilon)


@bound("Lemma 5, Appendix B", m=_POSITIVE, m0=_POSITIVE, sigma=_UNIT, epsilon=_UNIT, delta=_UNIT)
def list_sample(f: Any, m: Any, m0: Any, sigma: Any, epsilon: Any, delta: Any) -> Any:
    """Sample size 16 m₀ ln²m/(σ²ε) + ln(2/δ)/ε that Lemma 5 asks for."""
    return 16 * m0 * f.log(m) ** 2 / (sigma**2 * epsilon) + f.log(2 / delta) / epsilon


def oracle_calls(schedule: str, m: int, gamma: Fraction | float, p: int | None = None) -> int:
    """Return the number p + Σ T_k of oracle calls of Algorithm 3.

    Parameters
    ----------
    schedule, m, gamma
        As in `rounds`.
    p : int, optional
        Length of the hint; by default `hint_length`.

    Returns
    -------
    int
        For the paper's schedule p + (p − 1)T.

    Examples
    --------
    >>> [oracle_calls(s, 10**4, Fraction(1, 10)) for s in ("paper", "constant", "variance", "fast")]
    [678041, 42505, 24666, 14985]
    """
    p = hint_length(m, gamma) if p is None else p
    if schedule in ("paper", "constant"):
        return p + (p - 1) * rounds(schedule, m, 2, gamma)
    return p + sum(rounds(schedule, m, k, gamma) for k in range(2, p + 1))


def compression_size(
    schedule: str, m: int, gamma: Fraction | float, m0: int, *, doubled_hint: bool = False
) -> int:
    """Return the number r of examples that represent the output of Algorithm 3.

    Parameters
    ----------
    schedule, m, gamma
        As in `rounds`.
    m0 : int
        Examples a call.
    doubled_hint : bool
        Whether p = ⌈2 ln m/γ⌉, as Theorem 2 says, in place of ⌈ln m/γ⌉, as its proof says.

    Examples
    --------
    >>> compression_size("paper", 10**4, Fraction(1, 10), 10)
    6780410
    """
    p = hint_length(m, Fraction(gamma) / 2 if doubled_hint else gamma)
    return m0 * oracle_calls(schedule, m, gamma, p)


def least_sample(needed: Callable[[int], Any], start: int = 2) -> int:
    """Return the least m ≥ start with m ≥ needed(m).

    Parameters
    ----------
    needed : callable
        Non-decreasing; ``needed(m)`` is an mpmath interval, int or Fraction.
    start : int
        Least number of examples admitted.

    Returns
    -------
    int
        Repeated use of ``needed`` from below converges to it.

    Raises
    ------
    ValueError
        If there is none below 10^60.

    Examples
    --------
    >>> least_sample(lambda m: Fraction(m, 2) + 10)
    20
    """
    m = start
    while m < 10**60:
        low, high = ends(needed(m))
        if math.ceil(low) != math.ceil(high):
            raise ValueError(f"the number of examples at m={m} is an integer, as far as its precision tells")
        if math.ceil(low) <= m:
            return m
        m = math.ceil(low)
    raise ValueError(
        "no number of examples below 10^60 is enough; raise gamma or epsilon, or lower the examples a call"
    )
