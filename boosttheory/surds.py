"""Exact real numbers in a tower of square roots: a + b√r, nested, with an exact sign.

An exact run of TripletBoost lives in such a tower, because e^α is a square root of a number of the tower below.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import total_ordering
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


@total_ordering
class Surd:
    """The number ``a + b*sqrt(radicand)``, where a, b and the radicand lie in the tower below.

    Arithmetic with ``+ - * /``, integer powers, comparison and ``float``.
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
        parts = self._split(other)
        return other + self if parts is None else self._make(self.a + parts[0], self.b + parts[1])

    def __neg__(self) -> Any:
        return Surd(-self.a, -self.b, self.root)

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
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
        return self._make(self.a / Fraction(other), self.b / Fraction(other))

    def __rtruediv__(self, other: Any) -> Any:
        return self.inverse() * other

    def __pow__(self, power: int) -> Any:
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

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (int, Fraction, Surd)):
            if isinstance(other, float) and math.isinf(other):
                return False
            return NotImplemented
        return sign(self - other) == 0

    def __lt__(self, other: Any) -> bool:
        if isinstance(other, float) and math.isinf(other):
            return other > 0
        return sign(self - other) < 0

    __hash__ = None  # type: ignore[assignment]  # equal numbers of two towers have no common normal form

    def __float__(self) -> float:
        return float(self.a) + float(self.b) * math.sqrt(float(self.root.radicand))

    def __repr__(self) -> str:
        return f"({self.a} + {self.b}*sqrt({self.root.radicand}))"


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
    if sign(x) < 0:
        raise ValueError(f"the square root of {x} is not real; give a number that is at least 0")
    if not isinstance(x, Surd):
        x = Fraction(x)
        p, q = math.isqrt(x.numerator), math.isqrt(x.denominator)
        if p * p == x.numerator and q * q == x.denominator:
            return Fraction(p, q)
    return Surd(Fraction(0), Fraction(1), _Root(x))
