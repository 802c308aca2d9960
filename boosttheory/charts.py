"""Tightness charts: what a bound says, what its repair says, the worst known, and the best possible.

They are written as SVG without a plotting library: a page that holds dozens of them stays small.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from itertools import pairwise
from typing import Any, NamedTuple

from boosttheory.claims import Figure
from boosttheory.figures import DARK

__all__ = ["Curve", "tightness_chart"]

# Okabe & Ito's colours; roles are told apart by dashes and marks too
_LOOKS = {
    "stated": ("#D55E00", "line", ""),
    "repaired": ("#009E73", "line", "stroke-dasharray:18 7"),
    "worst known": ("#0072B2", "mark", "round"),
    "worst known, repaired": ("#56B4E9", "mark", "square"),
    "best possible": ("#CC79A7", "triangle", ""),
    "other": ("#8A6D00", "line", "stroke-dasharray:3 6"),
}
_WIDTH, _LEFT, _RIGHT, _TOP, _BOTTOM = 1000, 104, 976, 46, 430  # of the drawing, and of its frame
_ROW = 32
_COMMON = (
    "text{font:22px DejaVu Sans,Verdana,sans-serif;fill:currentColor}"
    ".e{text-anchor:end}.m{text-anchor:middle}"
    "path{fill:none;stroke-width:4}.a{stroke:currentColor;stroke-width:2}"
    ".g{stroke:#888;stroke-width:1;opacity:.35}"
)
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Curve(NamedTuple):
    """One line or one set of points of a chart.

    Attributes
    ----------
    role : {"stated", "repaired", "worst known", "worst known, repaired", "best possible", "other"}
        What it is; bounds are drawn as lines, cases as points.
    label : str
        Words for the key.
    x, y : sequence of float
        Points in order of x.
    """

    role: str
    label: str
    x: Sequence[Any]
    y: Sequence[Any]


class _Axis:
    """Maps numbers to whole places between two ends, and chooses round numbers to mark."""

    def __init__(self, values: Sequence[float], start: int, stop: int, log: bool, whole: bool = False):
        self.log, self.start, self.stop = log, start, stop
        low, high = self._scaled(min(values)), self._scaled(max(values))
        room = 0.03 * (high - low) or 0.5 * (1 if log else abs(high) or 1)
        # nothing lies beyond a bound of 0 that is met
        self.low = 0.0 if not log and 0 <= low <= 3 * room else low - room
        self.high = high + room
        self.ticks = self._decades() if log else self._round(self.low, self.high, whole)

    def _scaled(self, value: float) -> float:
        return math.log10(value) if self.log else value

    def __call__(self, value: float) -> int:
        share = (self._scaled(value) - self.low) / (self.high - self.low)
        return round(self.start + share * (self.stop - self.start))

    def _round(self, low: float, high: float, whole: bool = False) -> list[float]:
        size = 10.0 ** math.floor(math.log10((high - low) / 4))
        step = next(size * f for f in (1, 2, 5, 10) if (high - low) / (size * f) <= 6)
        step = max(1.0, step) if whole else step
        return [n * step for n in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]

    def _decades(self) -> list[float]:
        decades = range(math.floor(self.low), math.ceil(self.high) + 1)
        for digits, every in (((1, 2, 5), 1), ((1,), 1), ((1,), math.ceil(len(decades) / 8))):
            ticks = [float(f"{digit}e{n}") for n in decades if n % every == 0 for digit in digits]
            ticks = [value for value in ticks if self.low <= math.log10(value) <= self.high]
            if len(ticks) <= 8:
                break
        return ticks if len(ticks) > 2 else self._round(10**self.low, 10**self.high)


def _number(value: float) -> str:
    """Write a number that is marked on an axis."""
    if value and not 1e-3 <= abs(value) < 1e5:
        digits, power = f"{value:.2e}".split("e")
        lead = f"{float(digits):g}"
        return ("" if lead == "1" else f"{lead}·") + "10" + str(int(power)).translate(_SUPERSCRIPTS)
    return f"{value:.3g}".replace("-", "−") if abs(value) < 1000 else f"{value:.0f}".replace("-", "−")


def _line(points: Sequence[tuple[int, int]]) -> str:
    """Write a path in steps from point to point."""
    steps = (f"{x - u} {y - v}" for (u, v), (x, y) in pairwise(points))
    return f"M{points[0][0]} {points[0][1]}l{' '.join(steps)}"


def _marks(points: Sequence[tuple[int, int]], kind: str) -> str:
    """Write one mark a point: a dot of the pen, or a triangle."""
    return "".join(f"M{x} {y - 9}l9 16h-18z" if kind == "triangle" else f"M{x} {y}h.1" for x, y in points)


def _drawn(role: str, points: Sequence[tuple[int, int]]) -> str:
    look = list(_LOOKS).index(role)
    kind = _LOOKS[role][1]
    path = _line(points) if kind == "line" and len(points) > 1 else _marks(points, kind)
    return f'<path class="r{look}" d="{path}"/>'


def _looks(curves: Sequence[Curve]) -> list[str]:
    """Name the look of each curve: a second set of worst cases takes the look of a repair's."""
    looks: list[str] = []
    for curve in curves:
        looks.append("worst known, repaired" if curve.role in looks and "worst" in curve.role else curve.role)
    return looks


def _style(roles: Sequence[str]) -> str:
    """Write the style sheet of the roles that are drawn."""
    rules = [_COMMON]
    for index, (role, (colour, kind, extra)) in enumerate(_LOOKS.items()):
        if role in roles:
            fill = f"fill:{colour}" if kind == "triangle" else f"stroke:{colour}"
            pen = f"stroke-width:13;stroke-linecap:{extra}" if kind == "mark" else extra
            rules.append(f".r{index}{{{fill};{pen}}}")
    return f"<style>{''.join(rules)}</style>"


def tightness_chart(
    curves: Sequence[Curve],
    *,
    x: str,
    y: str,
    caption: str,
    log_x: bool = False,
    log_y: bool = False,
    vacuous: tuple[float, float] | None = None,
) -> Figure:
    """Draw how far a bound is from what happens, over its main parameter.

    Parameters
    ----------
    curves : sequence of Curve
        At least one.
    x, y : str
        Labels of the axes, with units.
    caption : str
        One or two sentences; the description in words starts with it.
    log_x, log_y : bool
        Logarithmic axes.
    vacuous : (float, float), optional
        Range of x where the stated bound says nothing; it is shaded.

    Returns
    -------
    Figure
        SVG that takes the reader's text colour, light or dark.

    Raises
    ------
    ValueError
        If a curve has no points, or not as many x as y; if a logarithmic axis meets a number that is not
        positive.

    Examples
    --------
    >>> bound = Curve("stated", "bound", [1, 2], [1, 4])
    >>> tightness_chart([bound], x="n", y="error", caption="A bound.").alt
    'A bound. Over n from 1 to 2: bound (stated), error from 1 to 4.'
    """
    for curve in curves:
        if not len(curve.x) or len(curve.x) != len(curve.y):
            raise ValueError(
                f"curve {curve.label!r} has {len(curve.x)} x and {len(curve.y)} y; give as many, at least one"
            )
        if (log_x and min(curve.x) <= 0) or (log_y and min(curve.y) <= 0):
            raise ValueError(f"curve {curve.label!r} is not positive; leave out what a logarithm cannot show")
    whole = all(isinstance(value, int) for curve in curves for value in curve.x)
    across = _Axis([float(v) for curve in curves for v in curve.x], _LEFT, _RIGHT, log_x, whole)
    up = _Axis([float(v) for curve in curves for v in curve.y], _BOTTOM, _TOP, log_y)
    parts = [f'<text y="24">{escape(y)}</text>']
    if vacuous is not None:
        left, right = (min(max(across(v), _LEFT), _RIGHT) for v in vacuous)
        parts.append(f'<path style="fill:#888;opacity:.18" d="M{left} {_TOP}H{right}V{_BOTTOM}H{left}z"/>')
    grid = [f"M{_LEFT} {up(v)}H{_RIGHT}" for v in up.ticks]
    parts.append(f'<path class="g" d="{"".join(grid)}"/>')
    ticks = "".join(f"M{across(v)} {_BOTTOM}v8" for v in across.ticks)
    parts.append(f'<path class="a" d="M{_LEFT} {_TOP}V{_BOTTOM}H{_RIGHT}{ticks}"/>')
    parts += [f'<text class="e" x="{_LEFT - 10}" y="{up(v) + 8}">{_number(v)}</text>' for v in up.ticks]
    parts += [f'<text class="m" x="{across(v)}" y="{_BOTTOM + 32}">{_number(v)}</text>' for v in across.ticks]
    parts.append(f'<text class="m" x="{(_LEFT + _RIGHT) // 2}" y="{_BOTTOM + 64}">{escape(x)}</text>')
    looks = _looks(curves)
    for curve, look in zip(curves, looks, strict=True):
        points = [(across(float(a)), up(float(b))) for a, b in zip(curve.x, curve.y, strict=True)]
        parts.append(_drawn(look, points))
    at = _BOTTOM + 100
    for curve, look in zip(curves, looks, strict=True):
        parts.append(
            _drawn(
                look,
                [(20, at - 8), (80, at - 8)] if _LOOKS[look][1] == "line" else [(50, at - 8)],
            )
        )
        parts.append(f'<text x="{_LEFT}" y="{at}">{escape(curve.label)} ({curve.role})</text>')
        at += _ROW
    if vacuous is not None:
        parts.append(f'<path style="fill:#888;opacity:.3" d="M20 {at - 18}h60v20h-60z"/>')
        parts.append(f'<text x="{_LEFT}" y="{at}">the bound says nothing</text>')
        at += _ROW
    height = at - _ROW + 14
    size = f'width="{_WIDTH * 16 // 25}" height="{height * 16 // 25}" viewBox="0 0 {_WIDTH} {height}"'
    style = DARK + _style(looks)
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{style}{"".join(parts)}</svg>'
    return Figure(svg, _words(curves, x, y, caption, vacuous), caption)


def _words(curves: Sequence[Curve], x: str, y: str, caption: str, vacuous: tuple[float, float] | None) -> str:
    """Describe a chart for those who do not see it."""
    low, high = min(float(min(c.x)) for c in curves), max(float(max(c.x)) for c in curves)
    said = [f"{c.label} ({c.role}), {y} from {float(c.y[0]):.4g} to {float(c.y[-1]):.4g}" for c in curves]
    shaded = "" if vacuous is None else f" The bound says nothing from {vacuous[0]:.4g} to {vacuous[1]:.4g}."
    return f"{caption} Over {x} from {low:.4g} to {high:.4g}: {'; '.join(said)}.{shaded}"
