"""One visual language for all figures: colours, marks and lines that mean the same everywhere, three formats.

Colours are those of Okabe & Ito, which the colour-blind tell apart; a mark or a dash always goes with them.
Theory is a line, measurement points with a band or bars.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

from boosttheory.rows import atomic_write

__all__ = [
    "COLOURS",
    "INK",
    "LICENCE",
    "MARKS",
    "STYLES",
    "canvas",
    "curve",
    "look",
    "measured",
    "save",
    "svg_text",
    "theory",
    "write_csv",
]

COLOURS = {
    "blue": "#0072B2",
    "orange": "#D55E00",
    "green": "#009E73",
    "pink": "#CC79A7",
    "yellow": "#E69F00",
    "sky": "#56B4E9",
    "grey": "#8A8F98",
}
CYCLE = tuple(COLOURS.values())
# each method looks the same in every figure
MARKS = {
    "TripletBoost": ("blue", "o"),
    "t-STE": ("orange", "s"),
    "kernel SVM": ("pink", "D"),
    "CompTree": ("green", "^"),
    "1NN": ("grey", "v"),
    "SAMME": ("yellow", "P"),
}
SHAPES = ("o", "s", "^", "D", "v", "P", "X")
DASHES: tuple[Any, ...] = ("solid", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)), (0, (3, 1, 1, 1, 1, 1)))
STYLES = ("paper", "slides")
LICENCE = "Text and figure: CC BY 4.0."  # ends every caption; code has the licence of the project
INK = "#010203"  # stands for currentColor in SVG until the text is written
DARK = "<style>svg{color:#1d2127}@media (prefers-color-scheme:dark){svg{color:#e3e5e8}}</style>"


@contextmanager
def look(style: str = "paper") -> Iterator[None]:
    """Draw in the common style: ``"paper"``, or ``"slides"`` with larger type and thicker lines.

    Raises
    ------
    ValueError
        If there is no such style.
    """
    if style not in STYLES:
        raise ValueError(f"style={style!r} is unknown; choose {' or '.join(STYLES)}")
    import cycler
    import matplotlib as mpl

    size, width = (9.0, 1.5) if style == "paper" else (15.0, 2.6)
    settings: Any = {
        "svg.fonttype": "none",
        "svg.hashsalt": "boosttheory",
        "pdf.fonttype": 42,
        "font.family": "DejaVu Sans",
        "font.size": size,
        "axes.titlesize": size,
        "legend.fontsize": size - 1,
        "legend.frameon": False,
        "lines.linewidth": width,
        "lines.markersize": 3.2 * width,
        "axes.linewidth": 0.5 * width,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.prop_cycle": cycler.cycler(color=CYCLE),
        "savefig.dpi": 200,
    }
    for name in ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"):
        settings[name] = INK
    with mpl.rc_context(settings):
        yield


def canvas(width: float, height: float, style: str = "paper") -> Any:
    """Make an empty matplotlib figure, some inches wide and high; slides are larger to hold larger type."""
    from matplotlib.figure import Figure

    factor = 1.0 if style == "paper" else 1.5
    return Figure(figsize=(factor * width, factor * height), layout="constrained")


def measured(
    axes: Any,
    x: Sequence[Any],
    y: Sequence[float],
    low: Sequence[float] | None = None,
    high: Sequence[float] | None = None,
    *,
    name: str = "",
    which: int = 0,
    label: str | None = None,
    joined: bool = False,
) -> None:
    """Plot measurements as points with bars from low to high.

    Parameters
    ----------
    axes : matplotlib Axes
        Where.
    x, y, low, high : sequence
        Places, values and, if there are any, their limits.
    name : str
        A method of `MARKS`; if it is none, ``which`` chooses colour and mark.
    which : int
        Number of the series.
    label : str, optional
        For the legend; the name by default.
    joined : bool
        Whether a thin line joins the points.
    """
    colour, mark = MARKS.get(name, (list(COLOURS)[which % len(COLOURS)], SHAPES[which % len(SHAPES)]))
    colour = COLOURS[colour]
    bars = None
    if low is not None and high is not None:
        bars = (
            [max(v - b, 0.0) for v, b in zip(y, low, strict=True)],
            [max(t - v, 0.0) for v, t in zip(y, high, strict=True)],
        )
    axes.errorbar(
        x,
        y,
        bars,
        fmt=mark,
        color=colour,
        ls="-" if joined else "",
        lw=0.8,
        elinewidth=0.9,
        capsize=2,
        label=name or None if label is None else label,
        zorder=3,
    )


def curve(
    axes: Any,
    x: Sequence[float],
    y: Sequence[float],
    spread: Sequence[float | None] | None = None,
    *,
    which: int = 0,
    label: str | None = None,
) -> None:
    """Plot a measured curve with a band of one standard deviation on either side."""
    colour = CYCLE[which % len(CYCLE)]
    axes.plot(x, y, color=colour, marker=SHAPES[which % len(SHAPES)], ms=3.5, label=label, zorder=3)
    if spread is not None and all(s is not None for s in spread):
        bands = [(v - (s or 0.0), v + (s or 0.0)) for v, s in zip(y, spread, strict=True)]
        axes.fill_between(x, *zip(*bands, strict=True), color=colour, alpha=0.2, lw=0, zorder=1)


def theory(
    axes: Any, x: Sequence[float], y: Sequence[float], *, which: int = 0, label: str | None = None
) -> None:
    """Plot what a theorem says as a line; ``which`` chooses colour and dashes, −1 the ink."""
    colour = INK if which < 0 else CYCLE[which % len(CYCLE)]
    axes.plot(x, y, color=colour, ls=DASHES[max(which, 0) % len(DASHES)], label=label, zorder=2)


def svg_text(figure: Any, title: str = "", description: str = "") -> str:
    """Return a figure as SVG that takes the reader's text colour, light or dark, and has no background."""
    said = {name: text for name, text in (("Title", title), ("Description", description)) if text}
    metadata = {"Date": None, "Creator": None, **said}
    text = StringIO()
    figure.savefig(text, format="svg", transparent=True, metadata=metadata)
    svg = text.getvalue().replace(INK, "currentColor")
    head, rest = svg[svg.index("<svg") :].split(">", 1)
    return f"{head}>{DARK}{rest}"


def save(figure: Any, stem: Path, *, title: str = "", description: str = "") -> list[Path]:
    """Write a figure as SVG, PDF and PNG, each whole or not at all; the same input gives the same bytes.

    Parameters
    ----------
    figure : matplotlib Figure
        As from `canvas`, drawn within `look`.
    stem : Path
        Folder and name, without a suffix.
    title, description : str
        Put into the files.

    Returns
    -------
    list of Path
    """
    header = '<?xml version="1.0" encoding="utf-8"?>\n'
    contents: dict[str, str | bytes] = {"svg": header + svg_text(figure, title, description)}
    for kind, metadata in (
        ("pdf", {"CreationDate": None, "Title": title, "Subject": description}),
        ("png", {"Software": None, "Title": title, "Description": description}),
    ):
        data = BytesIO()
        figure.savefig(data, format=kind, facecolor="white", metadata=metadata)
        contents[kind] = data.getvalue()
    paths = []
    for kind, content in contents.items():
        paths.append(stem.with_name(f"{stem.name}.{kind}"))
        atomic_write(paths[-1], content)
    return paths


def write_csv(path: Path, table: Sequence[Mapping[str, Any]]) -> None:
    """Write a table as CSV with a header; columns in the order of their first occurrence."""
    columns = dict.fromkeys(name for line in table for name in line)
    text = StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(
        {k: " ".join(map(str, v)) if isinstance(v, list) else v for k, v in line.items()} for line in table
    )
    atomic_write(path, text.getvalue())
