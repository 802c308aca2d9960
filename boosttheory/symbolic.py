"""Scalar obligations: decide ``expression >= 0`` on a box, exactly.

A proof of a rational function bounds the sign of each factor of its numerator and denominator: by the
coefficients after the box has been mapped to the positive orthant, or by counting the real roots of a
univariate factor. Other functions are integrated up from a derivative that keeps its sign, or bisected in
interval arithmetic. A refutation is an exact point. Otherwise the obligation is undecided and says so.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import mpmath
import sympy as sp

from boosttheory.claims import Enclosure, reject_floats

__all__ = ["Obligation", "decide", "limit_of_power"]


@dataclass(frozen=True)
class Obligation:
    """One scalar statement of a symbolic check and the box it must hold on.

    Attributes
    ----------
    name : str
        The fact in words.
    domain : mapping of sympy.Symbol to sympy.Interval or sympy.Range
        The range of each variable. A `sympy.Range` is relaxed to the real interval it spans. The obligations
        of one check may split the quantifiers of their claim into several boxes, which together must cover
        them.
    data : object
        Whatever else the margin needs.
    """

    name: str
    domain: Mapping[Any, Any] = field(default_factory=dict)
    data: Any = None


@dataclass(frozen=True)
class _Side:
    """The real interval that a variable's range spans, and which of its ends belong to it."""

    low: Any
    high: Any
    has_low: bool
    has_high: bool

    @classmethod
    def of(cls, values: Any) -> _Side:
        if values.is_empty:
            raise ValueError("a variable has an empty range, nothing is left to decide; mend the domain")
        low, high = values.inf, values.sup
        return cls(low, high, bool(values.contains(low) == sp.true), bool(values.contains(high) == sp.true))

    def symbol(self) -> Any:
        """Return a fresh symbol that knows the sign of its range and nothing else."""
        positive = self.low > 0 or (self.low == 0 and not self.has_low)
        negative = self.high < 0 or (self.high == 0 and not self.has_high)
        known = {"positive": positive, "nonnegative": self.low >= 0, "negative": negative}
        known["nonpositive"] = self.high <= 0
        return sp.Dummy(real=True, **{name: True for name, holds in known.items() if holds})


_Box = Mapping[Any, _Side]

# what is real wherever its parts are; powers and logarithms are looked at
_REAL = (
    *(sp.Symbol, sp.Number, sp.NumberSymbol, sp.Add, sp.Mul, sp.Pow, sp.exp, sp.log, sp.sin, sp.cos),
    *(sp.Abs, sp.sign, sp.floor, sp.ceiling, sp.Min, sp.Max, sp.Piecewise),
    *(sp.functions.elementary.piecewise.ExprCondPair, sp.logic.boolalg.Boolean),
)


def _number_sign(number: Any) -> int | None:
    """Sign of an exact number, or None where SymPy cannot tell."""
    if number.is_zero:
        return 0
    return 1 if number.is_positive else -1 if number.is_negative else None


def _factor_sign(factor: Any, box: _Box) -> tuple[int, bool] | None:
    """Sign of a polynomial on the box and whether it vanishes nowhere on it; None if unknown."""
    if not factor.free_symbols:
        sign = _number_sign(factor)
        return None if sign is None else (sign, sign != 0)
    if len(factor.free_symbols) == 1:
        polynomial = sp.Poly(factor, *factor.free_symbols)
        if all(c.is_rational for c in polynomial.coeffs()):
            return _univariate_sign(polynomial, box[polynomial.gen])
    return _orthant_sign(factor, box)


def _univariate_sign(polynomial: Any, side: _Side) -> tuple[int, bool] | None:
    if any(end.is_finite and not end.is_rational for end in (side.low, side.high)):
        return _orthant_sign(polynomial.as_expr(), {polynomial.gen: side})
    ends = {end for end in (side.low, side.high) if end.is_finite and polynomial.eval(end) == 0}
    if polynomial.count_roots(side.low, side.high) > len(ends):
        return None
    if side.low == side.high:
        inner = side.low
    elif side.low == -sp.oo:
        inner = side.high - 1 if side.high.is_finite else sp.Integer(0)
    else:
        inner = side.low + 1 if side.high == sp.oo else (side.low + side.high) / 2
    met = (side.has_low and side.low in ends) or (side.has_high and side.high in ends)
    return int(sp.sign(polynomial.eval(inner))), not met


def _orthant_sign(factor: Any, box: _Box) -> tuple[int, bool] | None:
    """Map each variable to t in [0, oo), clear denominators, and compare the signs of the coefficients."""
    variables = sorted(factor.free_symbols, key=str)
    if any(box[x].low == -sp.oo and box[x].high == sp.oo for x in variables):
        return None
    replaced, fresh, faces = factor, [], []
    for index, x in enumerate(variables):
        side, t = box[x], sp.Dummy(f"t{index}", nonnegative=True)
        degree = sp.degree(factor, x)
        if side.low == side.high:
            replaced = replaced.subs(x, side.low)
            continue
        fresh.append(t)
        if side.high == sp.oo or side.low == -sp.oo:
            near, kept = (side.low, side.has_low) if side.high == sp.oo else (side.high, side.has_high)
            replaced = replaced.subs(x, near + t if side.high == sp.oo else near - t)
            faces.append([0] if kept else [None])
        else:
            replaced = sum(
                c * (side.low + side.high * t) ** k * (1 + t) ** (degree - k)
                for (k,), c in sp.Poly(replaced, x).terms()
            )
            faces.append([f for f, kept in ((0, side.has_low), (degree, side.has_high)) if kept] or [None])
    if not fresh:
        return _factor_sign(sp.expand(replaced), {})
    terms = sp.Poly(sp.expand(replaced), *fresh).terms()
    signs = {_number_sign(c) for _, c in terms}
    sign = signs.pop()
    if signs or sign is None:
        return None
    # on a closed face only the terms of that power of t are left
    strict = all(
        any(all(f is None or p == f for p, f in zip(powers, face, strict=True)) for powers, _ in terms)
        for face in itertools.product(*faces)
    )
    return sign, strict and sign != 0


def _polynomial_sign(polynomial: Any, box: _Box) -> tuple[int, bool] | None:
    symbols = sorted(polynomial.free_symbols, key=str)
    constant, factors = sp.factor_list(polynomial, *symbols) if symbols else (polynomial, [])
    sign = _number_sign(sp.sympify(constant))
    if sign is None:
        return None
    strict = sign != 0
    for factor, power in factors:
        found = _factor_sign(factor, box)
        if found is None and power % 2:
            return None
        sign *= 1 if power % 2 == 0 else found[0] if found else 0
        strict = strict and found is not None and found[1]
    return sign, strict


def _is_rational_function(expression: Any) -> bool:
    return (
        bool(expression.is_rational_function(*expression.free_symbols)) if expression.free_symbols else True
    )


def _rational_proof(expression: Any, box: _Box) -> bool:
    """Prove a rational function, whose denominators are known to vanish nowhere, to be at least 0."""
    if not _is_rational_function(expression):
        return False
    numerator, denominator = sp.fraction(sp.together(expression))
    top, bottom = _polynomial_sign(sp.expand(numerator), box), _polynomial_sign(sp.expand(denominator), box)
    return top is not None and bottom is not None and bottom[1] and top[0] * bottom[0] >= 0


def _keeps_off_zero(expression: Any, box: _Box, boxes: int, signs: tuple[int, ...], *, strict: bool) -> bool:
    """Tell whether the expression has one of the signs all over the box; strictly, or zeros allowed."""
    if not _is_rational_function(expression):
        return any(_interval_proof(s * expression, box, boxes, strict=strict) for s in signs)
    numerator, denominator = sp.fraction(sp.together(expression))
    top, bottom = (_polynomial_sign(sp.expand(part), box) for part in (numerator, denominator))
    if top is None or bottom is None:
        return False
    return (top[0] * bottom[0] in signs and (top[1] or not strict)) or (top[0] == 0 and not strict)


def _defined(expression: Any, box: _Box, boxes: int) -> bool:
    """Tell whether the expression is a real number all over the box: denominators, roots, logarithms."""
    if expression.has(sp.oo, -sp.oo, sp.nan, sp.zoo):
        return False
    if any(not isinstance(node, _REAL) for node in sp.preorder_traversal(expression)):
        return False
    for power in expression.atoms(sp.Pow):
        whole, vanishing = bool(power.exp.is_integer), bool(power.exp.is_nonnegative)
        signs = (1, -1) if whole else (1,)
        if not (whole and vanishing) and not _keeps_off_zero(
            power.base, box, boxes, signs, strict=not vanishing
        ):
            return False
    return all(
        _keeps_off_zero(log.args[0], box, boxes, (1,), strict=True) for log in expression.atoms(sp.log)
    )


def _enclose(node: Any, values: Mapping[Any, Any]) -> Any:
    """Evaluate an expression in interval arithmetic; NotImplementedError for a function it does not know."""
    iv = mpmath.iv
    if node.is_Symbol:
        return values[node]
    if node.is_Rational:
        return iv.mpf(int(node.p)) / int(node.q)
    if node is sp.pi or node is sp.E:
        return +(iv.pi if node is sp.pi else iv.e)
    if node.is_Pow:
        base = _enclose(node.base, values)
        if node.exp.is_Integer:
            return base ** int(node.exp)
        if node.exp == sp.S.Half:
            return iv.sqrt(base)
        return iv.exp(_enclose(node.exp, values) * iv.log(base))
    known = {sp.Add: operator.add, sp.Mul: operator.mul}
    if node.func in known:
        return functools.reduce(known[node.func], (_enclose(part, values) for part in node.args))
    single = {sp.exp: iv.exp, sp.log: iv.log, sp.Abs: abs}
    if node.func in single and len(node.args) == 1:
        return single[node.func](_enclose(node.args[0], values))
    raise NotImplementedError(node.func)


def _interval(low: Fraction, high: Fraction) -> Any:
    ends = [mpmath.iv.mpf(e.numerator) / e.denominator for e in (low, high)]
    return mpmath.iv.mpf([ends[0].a, ends[1].b])


def _interval_proof(expression: Any, box: _Box, boxes: int, *, strict: bool = False) -> bool:
    """Bisect the box until interval arithmetic shows the expression non-negative on every piece."""
    symbols = sorted(expression.free_symbols, key=str)
    sides = [box[x] for x in symbols]
    if not all(end.is_rational for side in sides for end in (side.low, side.high)):
        return False
    pending = [
        [(Fraction(int(s.low.p), int(s.low.q)), Fraction(int(s.high.p), int(s.high.q))) for s in sides]
    ]
    for _ in range(boxes):
        if not pending:
            return True
        piece = pending.pop()
        try:
            value = _enclose(
                expression, dict(zip(symbols, (_interval(*ends) for ends in piece), strict=True))
            )
            low, high = Enclosure.of(value).low, Enclosure.of(value).high
            if low > 0 or (low == 0 and not strict):
                continue
            if high < 0:
                return False
        except NotImplementedError:
            return False
        except (ValueError, ZeroDivisionError, AttributeError, mpmath.libmp.ComplexResult):
            pass
        widest = max(range(len(piece)), key=lambda i: piece[i][1] - piece[i][0], default=None)
        if widest is None or piece[widest][0] == piece[widest][1]:
            return False
        low, high = piece[widest]
        halves = (low, (low + high) / 2), ((low + high) / 2, high)
        pending.extend([*piece[:widest], half, *piece[widest + 1 :]] for half in halves)
    return not pending


def _monotone_proof(expression: Any, box: _Box, boxes: int, depth: int = 4) -> bool:
    """Prove a smooth function of one variable by its value at the lower end and its derivative's sign."""
    if len(expression.free_symbols) != 1 or expression.atoms(sp.Function) - expression.atoms(sp.exp, sp.log):
        return False
    (x,) = expression.free_symbols
    side = replace(box[x], has_low=True)
    if depth == 0 or not side.low.is_rational or not _defined(expression, {x: side}, boxes):
        return False
    start = expression.subs(x, side.low)
    if not (start.is_finite and start.is_nonnegative):
        return False
    slope = sp.expand(expression.diff(x))
    known = slope.subs(x, side.low + sp.Dummy(nonnegative=True))
    return _defined(slope, {x: side}, boxes) and (
        bool(known.is_nonnegative)
        or _rational_proof(slope, {x: side})
        or _monotone_proof(slope, {x: side}, boxes, depth - 1)
    )


def _points(domain: Mapping[Any, Any], per_axis: int) -> Iterator[tuple[Any, ...]]:
    axes = []
    for values in domain.values():
        low, high = values.inf, values.sup
        if isinstance(values, (sp.Range, sp.FiniteSet)):
            tried = [*itertools.islice(iter(values), per_axis), high]
        elif low == -sp.oo:
            middle = sp.Integer(0) if high == sp.oo else high
            tried = [middle - sp.Rational(i * i, 3) for i in range(per_axis)]
            tried += [-v for v in tried if high == sp.oo]
        elif high == sp.oo:
            tried = [low + sp.Rational(i * i, 3) for i in range(per_axis)] + [low + 1000]
        else:
            tried = [low + (high - low) * sp.Rational(i, per_axis - 1) for i in range(per_axis)]
        axes.append([v for v in tried if values.contains(v) == sp.true])
    return itertools.product(*axes)


def decide(expression: Any, domain: Mapping[Any, Any], *, per_axis: int = 5, boxes: int = 20000) -> Enclosure:
    """Decide ``expression >= 0`` on a box.

    Parameters
    ----------
    expression : sympy expression
        Its free symbols are those of ``domain``.
    domain : mapping of sympy.Symbol to sympy.Interval or sympy.Range
        The box.
    per_axis : int
        Exact sample points an axis, at least 2, for the refutation and for the value reported as tightness.
    boxes : int
        Bound on the interval bisection.

    Returns
    -------
    Enclosure
        ``low`` is 0 if proved and minus infinity if undecided; ``high`` is the least value at an exact
        sample point, which refutes the statement if negative. An expression that is undefined somewhere on
        the box is never proved, even where a denominator cancels.

    Raises
    ------
    TypeError
        If the expression or the domain holds a float.
    ValueError
        If the expression has a variable without a range, or a range is empty.

    Examples
    --------
    >>> import sympy as sp
    >>> x = sp.Symbol("x")
    >>> decide((x - 1) ** 2, {x: sp.Interval(0, 3)}).low
    0
    >>> decide(x - 1, {x: sp.Interval(0, 3)}).high
    -1
    """
    expression = sp.sympify(expression, strict=True)
    reject_floats((expression, dict(domain)), "the obligation")
    if unknown := expression.free_symbols - set(domain):
        raise ValueError(f"the expression has the variables {unknown} without a range; add them to domain")
    box = {symbol: _Side.of(values) for symbol, values in domain.items()}
    least, at, real = math.inf, None, True
    for point in _points(domain, per_axis):
        value = expression.xreplace(dict(zip(domain, point, strict=True)))
        if not (value.is_finite and value.is_extended_real):
            real = False
        elif bool(value < least):
            least, at = value, dict(zip(map(str, domain), point, strict=True))
    if at is not None and bool(least < 0):
        return Enclosure(least, least, at)
    fresh = {symbol: side.symbol() for symbol, side in box.items()}
    expression = expression.subs(fresh, simultaneous=True)
    box = {fresh[symbol]: side for symbol, side in box.items()}
    proved = (
        real
        and _defined(expression, box, boxes)
        and (
            _rational_proof(expression, box)
            or sp.simplify(expression) == 0
            or _monotone_proof(expression, box, boxes)
            or _interval_proof(expression, box, boxes)
        )
    )
    return Enclosure(0 if proved else -math.inf, least, at)


def limit_of_power(coefficient: Any, exponent: Any) -> Any:
    """Limit of ``coefficient * n**exponent`` as n grows, for a positive coefficient.

    The sign of the exponent is read off SymPy's assumptions; an unknown sign, or a coefficient that is known
    not to be positive, raises ValueError.
    """
    coefficient, exponent = sp.sympify(coefficient, strict=True), sp.simplify(exponent)
    if coefficient.is_positive is False:
        raise ValueError(f"the coefficient {coefficient} is not positive; take the sign out of the limit")
    if exponent.is_zero:
        return coefficient
    if exponent.is_positive:
        return sp.oo
    if exponent.is_negative:
        return sp.Integer(0)
    raise ValueError(f"the sign of the exponent {exponent} is not known; split its range or assume it")
