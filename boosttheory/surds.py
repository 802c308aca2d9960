"""Exact real numbers in a tower of square roots: a + b√r, nested, with an exact sign.

An exact run of TripletBoost lives in such a tower, because e^α is a square root of a number of the tower
below.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import cache
from typing import Any

__all__ = ["Surd", "sign", "sqrt"]


def sign(x: Any) -> int:
    """Sign of an int, a Fraction or a Surd: -1, 0 or 1."""
    if isinstance(x, Surd):
        return x.sign()
    return (x > 0) - (x < 0)


class _Root:
    """One adjoined square root. Roots are numbered as they are made, so a radicand holds lower ones only."""

    __slots__ = ("number", "radicand")
    _numbers = itertools.count()

    def __init__(self, radicand: Any):
        self.radicand = radicand
        self.number = next(self._numbers)


class Surd:
    """The number ``a + b*sqrt(radicand)``, where a, b and the radicand lie in the tower below.

    Arithmetic with ``+ - * /`` and comparison, among each other and with int and Fraction; integer powers;
    ``float``, correctly rounded but for the last digit.
    """

    __slots__ = ("a", "b", "root")

    def __init__(self, a: Any, b: Any, root: _Root):
        self.a, self.b, self.root = a, b, root

    def _split(self, other: Any) -> tuple[Any, Any] | None:
        """Write ``other`` as (a, b) over this number's root, or None if it lies higher."""
        if not isinstance(other, Surd):
            return other, 0
        if other.root is self.root:
            return other.a, other.b
        return (other, 0) if other.root.number < self.root.number else None

    def _make(self, a: Any, b: Any) -> Any:
        return Surd(a, b, self.root) if isinstance(b, Surd) or b != 0 else a

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, _EXACT):
            return NotImplemented
        parts = self._split(other)
        return other + self if parts is None else self._make(self.a + parts[0], self.b + parts[1])

    def __neg__(self) -> Any:
        return Surd(-self.a, -self.b, self.root)

    def __sub__(self, other: Any) -> Any:
        return self + -other if isinstance(other, _EXACT) else NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return -self + other if isinstance(other, _EXACT) else NotImplemented

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, _EXACT):
            return NotImplemented
        parts = self._split(other)
        if parts is None:
            return other * self
        c, d = parts
        if not isinstance(d, Surd) and d == 0:
            return self._make(self.a * c, self.b * c)
        return self._make(self.a * c + self.b * d * self.root.radicand, self.a * d + self.b * c)

    __radd__, __rmul__ = __add__, __mul__

    def inverse(self) -> Any:
        """Return 1/x; ZeroDivisionError at 0."""
        norm = self.a * self.a - self.b * self.b * self.root.radicand
        if sign(norm):
            return self._make(self.a / norm, -self.b / norm)
        # the radicand is a square below, and the number is 0 or 2a
        if self.sign() == 0:
            raise ZeroDivisionError("division by zero in a tower of square roots")
        return Fraction(1) / (2 * self.a)

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, Surd):
            return self * other.inverse()
        return self * Fraction(1, other) if isinstance(other, (int, Fraction)) else NotImplemented

    def __rtruediv__(self, other: Any) -> Any:
        return self.inverse() * other if isinstance(other, _EXACT) else NotImplemented

    def __pow__(self, power: int) -> Any:
        if not isinstance(power, int):
            return NotImplemented
        if power < 0:
            return self.inverse() ** -power
        result: Any = Fraction(1)
        for _ in range(power):
            result = result * self
        return result

    def sign(self) -> int:
        """Exact sign: -1, 0 or 1."""
        a, b = sign(self.a), sign(self.b)
        if a == b or b == 0:
            return a
        if a == 0:
            return b
        return a * sign(self.a * self.a - self.b * self.b * self.root.radicand)

    def __abs__(self) -> Any:
        return -self if self.sign() < 0 else self

    def __bool__(self) -> bool:
        return self.sign() != 0

    def _compare(self, other: Any) -> int | None:
        """Sign of the difference, or None where ``other`` is no exact number and no infinity."""
        if isinstance(other, _EXACT):
            return sign(self - other)
        return -sign(other) if isinstance(other, float) and math.isinf(other) else None

    def __eq__(self, other: object) -> bool:
        order = self._compare(other)
        return NotImplemented if order is None else order == 0

    def __lt__(self, other: Any) -> bool:
        order = self._compare(other)
        return NotImplemented if order is None else order < 0

    def __le__(self, other: Any) -> bool:
        order = self._compare(other)
        return NotImplemented if order is None else order <= 0

    def __gt__(self, other: Any) -> bool:
        order = self._compare(other)
        return NotImplemented if order is None else order > 0

    def __ge__(self, other: Any) -> bool:
        order = self._compare(other)
        return NotImplemented if order is None else order >= 0

    __hash__ = None  # type: ignore[assignment]  # equal numbers of two towers have no common normal form

    def __float__(self) -> float:
        return float(_approximation(self))

    def __repr__(self) -> str:
        return f"({self.a} + {self.b}*sqrt({self.root.radicand}))"


_EXACT = (int, Fraction, Surd)


@cache
def _context() -> Any:
    """Return a private context of mpmath: wide enough for a float's 53 bits, with unbounded exponents."""
    import mpmath

    context = mpmath.MPContext()
    context.prec = 100
    return context


def _approximation(x: Any) -> Any:
    """Evaluate without cancellation: where the two terms have opposite signs, through the conjugate."""
    if not isinstance(x, Surd):
        return _context().mpf(x.numerator) / x.denominator
    size = sign(x)
    if size == 0:
        return _context().mpf(0)
    a, root = _approximation(x.a), _context().sqrt(_approximation(x.root.radicand))
    b = _approximation(x.b) * root
    if a * b >= 0:
        return a + b
    norm = _approximation(x.a * x.a - x.b * x.b * x.root.radicand)
    return norm / (a - b)


def sqrt(x: Any) -> Any:
    """Exact non-negative square root, in the field of ``x`` if x is a rational square, else one root higher.

    Parameters
    ----------
    x : int, Fraction or Surd
        At least 0.

    Raises
    ------
    ValueError
        If x is negative.

    Examples
    --------
    >>> sqrt(Fraction(9, 4))
    Fraction(3, 2)
    >>> sqrt(2) * sqrt(sqrt(2)) > 1
    True
    """
    if not isinstance(x, _EXACT):
        raise TypeError(f"the square root of {x!r} is not exact; give an int, a Fraction or a Surd")
    if (size := sign(x)) < 0:
        raise ValueError(f"the square root of {x} is not real; give a number that is at least 0")
    if size == 0:
        return Fraction(0)
    if not isinstance(x, Surd):
        x = Fraction(x)
        p, q = math.isqrt(x.numerator), math.isqrt(x.denominator)
        if p * p == x.numerator and q * q == x.denominator:
            return Fraction(p, q)
    return Surd(Fraction(0), Fraction(1), _Root(x))
