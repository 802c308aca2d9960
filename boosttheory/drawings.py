"""Drawings of small one-inclusion graphs with their orientations, as SVG with a description in words."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

from boosttheory.claims import Figure
from boosttheory.concepts import FiniteClass
from boosttheory.figures import CYCLE, DASHES, INK, svg_text
from boosttheory.files import printable
from boosttheory.oneinclusion import orient, out_degrees

if TYPE_CHECKING:
    from boosttheory.oneinclusion import Orientation

__all__ = ["describe", "one_inclusion_graph"]

_LINES: tuple[tuple[str, Any], ...] = tuple(zip(CYCLE[:4], DASHES[:4], strict=True))
_MOST = 40
_LONGEST = 40  # characters of a pattern that are written beside its circle


def describe(best: Orientation, labels: tuple[Any, ...]) -> str:
    """Describe an orientation in words, edge by edge.

    Parameters
    ----------
    best : Orientation
        The orientation.
    labels : tuple
        The label of each code.

    Returns
    -------
    str
        Plain text; edges that leave no vertex out are not named.
    """
    rows = ["".join(str(labels[code]) for code in row) for row in best.graph.patterns.tolist()]
    said = [
        f"{'-'.join(rows[v] for v in members)} lists {', '.join(rows[v] for v in listed)}"
        for listed, (_, members) in zip(best.lists(), best.graph.edges(), strict=True)
        if len(listed) < len(members)
    ]
    return (
        f"One-inclusion graph of {len(rows)} patterns with a {best.k}-list orientation of out-degree "
        f"{best.out_degree}. " + ("; ".join(said) + "." if said else "No edge leaves a vertex out.")
    )


def _places(patterns: Any) -> list[tuple[float, float]]:
    """Put patterns in the plane: two points on a grid, further ones along slanted axes."""
    axes = [(1.0, 0.0), (0.0, 1.0), (0.45, 0.35), (-0.3, 0.55)]
    return [
        (sum(c * axes[i][0] for i, c in enumerate(row)), sum(c * axes[i][1] for i, c in enumerate(row)))
        for row in patterns.tolist()
    ]


def one_inclusion_graph(family: FiniteClass, k: int = 1, *, caption: str = "") -> Figure:
    """Draw a one-inclusion graph with its best k-list orientation.

    Parameters
    ----------
    family : FiniteClass
        At most 40 patterns on at most 4 points.
    k : int
        List size.
    caption : str
        Printed below, before the key.

    Returns
    -------
    Figure
        SVG that takes the reader's text colour, light or dark. Each pattern is a circle that holds its
        out-degree; an arrow leaves it along each edge that leaves it out, towards the vertices listed.

    Raises
    ------
    ValueError
        For a class too large to be readable.
    """
    if len(family) > _MOST or family.n_points > len(_LINES):
        raise ValueError(
            f"family has {len(family)} patterns on {family.n_points} points; a drawing takes {_MOST} on "
            f"{len(_LINES)}, restrict it first"
        )
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure as Canvas

    best = orient(family, k)
    places, degrees = _places(best.graph.patterns), out_degrees(best.graph, best.chosen, k).tolist()
    width = max(x for x, _ in places) - min(x for x, _ in places) + 1
    height = max(y for _, y in places) - min(y for _, y in places) + 1
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "boosttheory"}):
        canvas = Canvas(figsize=(1.5 * width, 1.5 * height), layout="tight")
        FigureCanvasSVG(canvas)
        axes = canvas.add_subplot(frameon=False, xticks=[], yticks=[])
        axes.set_aspect("equal")
        axes.margins(0.25 / max(width, height))
        for listed, (direction, members) in zip(best.lists(), best.graph.edges(), strict=True):
            colour, dashes = _LINES[direction]
            ends = sorted(places[v] for v in members)
            xs, ys = zip(*ends, strict=True)
            axes.plot(xs, ys, color=colour, ls=dashes, lw=1.6, zorder=1)
            for v in set(members) - set(listed):
                _arrow(axes, places[v], [places[w] for w in listed], colour)
        for row, place, degree in zip(best.graph.patterns.tolist(), places, degrees, strict=True):
            axes.plot(*place, "o", ms=15, mfc="#F0E442" if degree else "#FFFFFF", mec=INK, mew=1.2, zorder=3)
            # dark on the light circle, whatever the page
            axes.annotate(str(degree), place, ha="center", va="center", fontsize=9, color="#000000", zorder=4)
            name = printable("".join(str(family.labels[code]) for code in row))
            axes.annotate(
                name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…",
                place,
                xytext=(10, -13),
                textcoords="offset points",
                fontsize=9,
                color=INK,
                zorder=4,
                parse_math=False,
            )
        with warnings.catch_warnings():
            # the reader's fonts set the text, whatever this machine has; names may be wider than the drawing
            warnings.filterwarnings("ignore", "Glyph|Tight layout")
            svg = svg_text(canvas)
    key = "Each circle holds a pattern's out-degree; an arrow leaves it along an edge that leaves it out."
    return Figure(svg, describe(best, family.labels), f"{caption} {key}".strip())


def _arrow(axes: Any, start: tuple[float, float], listed: list[tuple[float, float]], colour: str) -> None:
    """Draw an arrowhead a third of the way to the nearest vertex of the list."""
    end = min(listed, key=lambda place: math.dist(start, place))
    near, far = (tuple(a + t * (b - a) for a, b in zip(start, end, strict=True)) for t in (0.3, 0.45))
    style = {"arrowstyle": "-|>", "color": colour, "lw": 1.6, "mutation_scale": 14}
    axes.annotate("", far, near, arrowprops=style, zorder=2)
