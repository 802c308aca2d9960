"""Scalar obligations: decide ``expression >= 0`` on a box, exactly.

A proof substitutes the box by the positive orthant and finds only non-negative coefficients, or isolates the real
roots of a univariate polynomial, or bisects in interval arithmetic. A refutation is an exact point. Otherwise the
obligation is undecided and says so.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from boosttheory.claims import Enclosure

__all__ = ["Obligation", "decide", "limit_of_power"]


@dataclass(frozen=True)
class Obligation:
    """One scalar statement of a symbolic check and the box it must hold on.

    Attributes
    ----------
    name : str
        The fact in words.
    domain : mapping of sympy.Symbol to sympy.Interval or sympy.Range
        The range of each variable. A `sympy.Range` is relaxed to the real interval it spans.
    data : object
        Whatever else the margin needs.
    """

    name: str
    domain: Mapping[Any, Any] = field(default_factory=dict)
    data: Any = None


def _ends(values: Any) -> tuple[Any, Any]:
    if isinstance(values, sp.FiniteSet):
        return min(values), max(values)
    return values.inf, values.sup


def _orthant(expression: Any, domain: Mapping[Any, Any]) -> tuple[Any, list[Any]]:
    """Substitute each variable by a function of a variable that runs over [0, oo)."""
    replacements, fresh = {}, []
    for index, (symbol, values) in enumerate(domain.items()):
        low, high = _ends(values)
        t = sp.Symbol(f"t{index}", nonnegative=True)
        fresh.append(t)
        if low == high:
            replacements[symbol] = low
        elif high == sp.oo:
            replacements[symbol] = low + t
        else:
            replacements[symbol] = (low + high * t) / (1 + t)
    return expression.subs(replacements, simultaneous=True), fresh


def _sign_of_polynomial(polynomial: Any, fresh: list[Any]) -> int | None:
    """Return +1 or -1 if the polynomial keeps that sign on the orthant (zeros allowed), 0 if zero, None if unknown."""
    if polynomial.is_number:
        return int(sp.sign(polynomial))
    sign = 1
    constant, factors = sp.factor_list(polynomial, *fresh)
    sign *= int(sp.sign(constant))
    for factor, power in factors:
        if power % 2 == 0:
            continue
        poly = sp.Poly(factor, *fresh)
        coefficients = poly.coeffs()
        if all(c >= 0 for c in coefficients):
            continue
        if all(c <= 0 for c in coefficients):
            sign = -sign
            continue
        free = list(poly.free_symbols)
        if len(free) == 1 and all(c.is_rational for c in coefficients):
            univariate = sp.Poly(factor, free[0])
            roots = univariate.count_roots(0, sp.oo)
            at_zero = univariate.eval(0)
            if roots == 0 or (roots == 1 and at_zero == 0):
                sign *= int(sp.sign(univariate.eval(1)))
                continue
        return None
    return sign


def _rational_proof(expression: Any, domain: Mapping[Any, Any]) -> bool:
    substituted, fresh = _orthant(expression, domain)
    numerator, denominator = sp.fraction(sp.together(substituted))
    numerator, denominator = sp.expand(numerator), sp.expand(denominator)
    if not (numerator.is_polynomial(*fresh) and denominator.is_polynomial(*fresh)):
        return False
    top, bottom = _sign_of_polynomial(numerator, fresh), _sign_of_polynomial(denominator, fresh)
    return top is not None and bottom not in (None, 0) and top * (bottom or 0) >= 0


def _interval_proof(expression: Any, domain: Mapping[Any, Any], boxes: int) -> bool:
    """Bisect the box until interval arithmetic shows the expression positive on every piece."""
    import mpmath

    symbols = list(domain)
    ends = [_ends(values) for values in domain.values()]
    if any(high == sp.oo or low == -sp.oo for low, high in ends):
        return False
    evaluate = sp.lambdify(
        symbols,
        expression,
        modules=[{"exp": mpmath.iv.exp, "log": mpmath.iv.log, "sqrt": mpmath.iv.sqrt}, mpmath.iv],
    )
    stack = [
        [
            (
                mpmath.iv.convert(sp.Rational(a).p) / int(sp.Rational(a).q),
                mpmath.iv.convert(sp.Rational(b).p) / int(sp.Rational(b).q),
            )
            for a, b in ends
        ]
    ]
    box = [mpmath.iv.mpf([low.a, high.b]) for low, high in stack.pop()]
    pending = [box]
    for _ in range(boxes):
        if not pending:
            return True
        box = pending.pop()
        try:
            value = evaluate(*box)
            if value.a >= 0:
                continue
            if value.b < 0:
                return False
        except (ValueError, ZeroDivisionError, mpmath.libmp.ComplexResult):
            pass
        widest = max(range(len(box)), key=lambda i: box[i].delta)
        middle = box[widest].mid
        for piece in (mpmath.iv.mpf([box[widest].a, middle.b]), mpmath.iv.mpf([middle.a, box[widest].b])):
            pending.append([*box[:widest], piece, *box[widest + 1 :]])
    return not pending


def _points(domain: Mapping[Any, Any], per_axis: int) -> Any:
    axes = []
    for values in domain.values():
        low, high = _ends(values)
        if isinstance(values, (sp.Range, sp.FiniteSet)):
            axes.append(list(itertools.islice(iter(values), per_axis)))
        elif high == sp.oo:
            axes.append([low + sp.Rational(i * i, 3) for i in range(per_axis)])
        else:
            axes.append([low + (high - low) * sp.Rational(i, per_axis - 1) for i in range(per_axis)])
        axes[-1] = [v for v in axes[-1] if values.contains(v) == sp.true]
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
        Exact sample points an axis, for the refutation and for the value reported as tightness.
    boxes : int
        Bound on the interval bisection.

    Returns
    -------
    Enclosure
        ``low`` is 0 if proved and minus infinity if undecided; ``high`` is the least value at an exact sample point,
        which refutes the statement if negative.

    Raises
    ------
    ValueError
        If the expression has a variable without a range.

    Examples
    --------
    >>> import sympy as sp
    >>> x = sp.Symbol("x")
    >>> decide((x - 1) ** 2, {x: sp.Interval(0, 3)}).low
    0
    >>> decide(x - 1, {x: sp.Interval(0, 3)}).high
    -1
    """
    expression = sp.sympify(expression)
    if unknown := expression.free_symbols - set(domain):
        raise ValueError(f"the expression has the variables {unknown} without a range; add them to domain")
    least, at = sp.oo, None
    for point in _points(domain, per_axis):
        value = expression.subs(dict(zip(domain, point, strict=True)), simultaneous=True)
        if value.is_finite and bool(value < least):
            least, at = value, dict(zip(map(str, domain), point, strict=True))
    if at is not None and bool(least < 0):
        return Enclosure(least, least, at)
    if sp.simplify(expression) == 0:
        return Enclosure(0, 0, at)
    proved = _rational_proof(expression, domain) or _interval_proof(expression, domain, boxes)
    return Enclosure(0 if proved else -math.inf, least if at is not None else math.inf, at)


def limit_of_power(coefficient: Any, exponent: Any) -> Any:
    """Limit of ``coefficient * n**exponent`` as n grows, for a positive coefficient.

    The sign of the exponent is read off SymPy's assumptions; an unknown sign raises ValueError.
    """
    exponent = sp.simplify(exponent)
    if exponent.is_zero:
        return sp.sympify(coefficient)
    if exponent.is_positive:
        return sp.oo
    if exponent.is_negative:
        return sp.Integer(0)
    raise ValueError(
        f"the sign of the exponent {exponent} does not follow from its assumptions; split the range"
    )
