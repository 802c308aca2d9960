"""Tightness charts: what a bound says, what its repair says, the worst known, and the best possible."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from typing import Any, NamedTuple

from boosttheory.claims import Figure

__all__ = ["Curve", "tightness_chart"]

# Okabe & Ito's colours; roles are told apart by dashes and markers too
_STYLES: dict[str, dict[str, Any]] = {
    "stated": {"color": "#D55E00", "ls": "-"},
    "repaired": {"color": "#009E73", "ls": (0, (6, 2))},
    "worst known": {"color": "#0072B2", "ls": "none", "marker": "o", "ms": 4},
    "worst known, repaired": {"color": "#56B4E9", "ls": "none", "marker": "s", "ms": 4},
    "best possible": {"color": "#CC79A7", "ls": "none", "marker": "^", "ms": 5},
    "other": {"color": "#8A6D00", "ls": (0, (1, 1.5))},
}
_INK = "#010203"  # stands for currentColor until the text is written
_DARK = "<style>svg{color:#1d2127}@media (prefers-color-scheme:dark){svg{color:#e3e5e8}}</style>"


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
    x: Sequence[float]
    y: Sequence[float]


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
        If a curve has no points, or not as many x as y.

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
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure as Canvas
    from matplotlib.ticker import MaxNLocator

    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "boosttheory", "font.size": 9}):
        canvas = Canvas(figsize=(6.4, 3.6), layout="constrained")
        FigureCanvasSVG(canvas)
        axes = canvas.add_subplot()
        if vacuous is not None:
            axes.axvspan(*vacuous, color="#888888", alpha=0.18, lw=0, label="the bound says nothing")
        for curve in curves:
            axes.plot(curve.x, curve.y, lw=1.8, label=f"{curve.label} ({curve.role})", **_STYLES[curve.role])
        if log_x:
            axes.set_xscale("log")
        elif all(isinstance(value, int) for curve in curves for value in curve.x):
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        if log_y:
            axes.set_yscale("log")
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        axes.grid(color="#888888", alpha=0.25, lw=0.6)
        axes.spines[["top", "right"]].set_visible(False)
        longest = max(len(curve.role) + len(curve.label) for curve in curves)
        key = canvas.legend(loc="outside lower center", ncols=2 if longest < 44 else 1, frameon=False)
        for text in [axes.xaxis.label, axes.yaxis.label, *key.get_texts()]:
            text.set_color(_INK)
        axes.tick_params(which="both", colors=_INK)
        for spine in axes.spines.values():
            spine.set_edgecolor(_INK)
        written = StringIO()
        canvas.savefig(written, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    svg = written.getvalue().replace(_INK, "currentColor")
    head, rest = svg[svg.index("<svg") :].split(">", 1)
    return Figure(f"{head}>{_DARK}{rest}", _words(curves, x, y, caption, vacuous), caption)


def _words(curves: Sequence[Curve], x: str, y: str, caption: str, vacuous: tuple[float, float] | None) -> str:
    """Describe a chart for those who do not see it."""
    low, high = min(min(c.x) for c in curves), max(max(c.x) for c in curves)
    said = [f"{c.label} ({c.role}), {y} from {c.y[0]:.4g} to {c.y[-1]:.4g}" for c in curves]
    shaded = "" if vacuous is None else f" The bound says nothing from {vacuous[0]:.4g} to {vacuous[1]:.4g}."
    return f"{caption} Over {x} from {low:.4g} to {high:.4g}: {'; '.join(said)}.{shaded}"
