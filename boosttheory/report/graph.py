"""The dependency graph as SVG: what a claim rests on stands to its left."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from urllib.parse import quote

from boosttheory.report import Entry

__all__ = ["LARGEST", "draw"]

LARGEST = 400  # claims of one paper; of more a drawing shows nothing
SIGNS = {"good": "✓", "bad": "✗", "open": "?"}
WORDS = {"good": "holds", "bad": "refuted", "open": "undecided"}
GROUNDS = {
    "good": "it and all that it rests on hold",
    "bad": "it or something that it rests on is refuted",
    "open": "it or something that it rests on is undecided",
}
_LETTER, _ROW, _HEIGHT, _GAP = 6.7, 29, 21, 58
# the page names its colours, a file of its own has them written in
_COLOURS = {
    "fg": "#1d2127", "soft": "#59626d", "card": "#ffffff", "good": "#0a6638", "bad": "#9c1c17",
    "open": "#7a4b00", "good-bg": "#e4f3ea", "bad-bg": "#fbe7e4", "open-bg": "#fbf0d9",
}  # fmt: skip


@dataclass
class _Node:
    entry: Entry
    label: str
    before: list[str]
    after: list[str]
    column: int = 0
    x: float = 0.0
    y: float = 0.0
    width: float = 0.0


def _links(entry: Entry) -> Iterable[str]:
    return dict.fromkeys((*entry.fields["uses"], *entry.fields["repairs"]))


def _nodes(group: Sequence[Entry]) -> dict[str, _Node]:
    names = {entry.id for entry in group}
    prefix = {name.partition(".")[0] for name in names}
    cut = len(prefix.pop()) + 1 if len(prefix) == 1 else 0
    nodes = {
        e.id: _Node(e, e.id[cut:] or e.id, [i for i in _links(e) if i in names and i != e.id], [])
        for e in group
    }
    for name, node in nodes.items():
        for other in node.before:
            nodes[other].after.append(name)
    return nodes


def _columns(nodes: Mapping[str, _Node]) -> list[list[str]]:
    """Put each claim right of all that it rests on; a circle is cut where it is first closed."""
    state: dict[str, int] = {}
    for root in nodes:
        stack = [(root, iter(nodes[root].before))] if root not in state else []
        while stack:
            name, rest = stack[-1]
            state[name] = 1
            other = next(rest, None)
            if other is None:
                state[name] = 2
                done = [nodes[o].column + 1 for o in nodes[name].before if state.get(o) == 2 and o != name]
                nodes[name].column = max(done, default=0)
                stack.pop()
            elif other not in state:
                stack.append((other, iter(nodes[other].before)))
    columns: list[list[str]] = [[] for _ in range(max((n.column for n in nodes.values()), default=-1) + 1)]
    for name, node in nodes.items():
        columns[node.column].append(name)
    return columns


def _place(nodes: Mapping[str, _Node], columns: Sequence[list[str]]) -> None:
    """Order each column by the mean height of the neighbours, each claim as near to it as the rest let it."""
    for column in columns:
        for row, name in enumerate(column):
            nodes[name].y = row * _ROW
    for sweep in range(12):
        order, side = (columns, "before") if sweep % 2 == 0 else (columns[::-1], "after")
        for column in order:
            wish = {}
            for name in column:
                near = [nodes[other].y for other in getattr(nodes[name], side)]
                wish[name] = sum(near) / len(near) if near else nodes[name].y
            column.sort(key=wish.__getitem__)
            _spread(column, wish, nodes)
    top = min(node.y for node in nodes.values())
    x = 0.0
    for column in columns:
        width = max(len(nodes[name].label) for name in column) * _LETTER + 40
        for name in column:
            nodes[name].x, nodes[name].width = x, width
            nodes[name].y -= top
        x += width + _GAP


def _spread(column: Sequence[str], wish: Mapping[str, float], nodes: Mapping[str, _Node]) -> None:
    """Give each its height, the order and the distance kept: neighbours that collide share their mean."""
    blocks: list[list[float]] = []  # sum of wished starts, number of rows
    for name in column:
        blocks.append([wish[name], 1])
        while (
            len(blocks) > 1
            and blocks[-2][0] / blocks[-2][1] + blocks[-2][1] * _ROW > blocks[-1][0] / blocks[-1][1]
        ):
            total, rows = blocks.pop()
            blocks[-1][0] += total - rows * blocks[-1][1] * _ROW
            blocks[-1][1] += rows
    names = iter(column)
    for total, rows in blocks:
        for row in range(int(rows)):
            nodes[next(names)].y = total / rows + row * _ROW


def _node(node: _Node, link: bool) -> str:
    entry = node.entry
    said = f"{entry.id}: {entry.fields['title']}. {entry.phrase.capitalize()}; {GROUNDS[entry.ground]}."
    own, ground = SIGNS[entry.tone], SIGNS[entry.ground]
    sign = own if own == ground else f"{own} {ground}"
    box = f'x="{node.x:.0f}" y="{node.y:.1f}" width="{node.width:.0f}" height="{_HEIGHT}" rx="4"'
    shape = f'<rect {box} class="node own-{entry.tone} on-{entry.ground}"/>'
    base = node.y + 15
    words = (
        f'<text x="{node.x + 8:.0f}" y="{base:.1f}">{escape(node.label)}</text>'
        f'<text x="{node.x + node.width - 6:.0f}" y="{base:.1f}" class="{entry.tone} sign">{sign}</text>'
    )
    body = f"<title>{escape(said)}</title>{shape}{words}"
    if not link:
        return f"<g>{body}</g>"
    return f'<a href="#{escape(quote(entry.id))}" data-node="{escape(entry.id)}">{body}</a>'


def _edges(nodes: Mapping[str, _Node]) -> str:
    made = []
    for name, node in nodes.items():
        for other in node.before:
            start, repair = nodes[other], other in node.entry.fields["repairs"]
            x, y, to, end = start.x + start.width, start.y + _HEIGHT / 2, node.x, node.y + _HEIGHT / 2
            bend = max(abs(to - x) / 2, 30)
            kind = "edge repair" if repair else "edge"
            made.append(
                f'<path class="{kind}" d="M{x:.0f} {y:.1f}C{x + bend:.0f} {y:.1f} {to - bend:.0f} {end:.1f} '
                f'{to:.0f} {end:.1f}" data-from="{escape(other)}" data-to="{escape(name)}"/>'
            )
    return "".join(made)


def _style(colours: Mapping[str, str] | None) -> str:
    def colour(name: str) -> str:
        return f"var(--{name})" if colours is None else colours[name]

    rules = [f".dag text{{font:11.5px sans-serif;fill:{colour('fg')}}}.dag .sign{{text-anchor:end}}"]
    rules.append(f".dag .edge{{fill:none;stroke:{colour('soft')};stroke-opacity:.55}}")
    rules.append(f".dag .repair{{stroke:{colour('good')};stroke-opacity:1;stroke-dasharray:5 3}}")
    for tone, line in (("good", "1.2"), ("bad", "3"), ("open", "1.6;stroke-dasharray:2 2")):
        rules.append(f".dag .own-{tone}{{stroke:{colour(tone)};stroke-width:{line}}}")
        rules.append(f".dag .on-{tone}{{fill:{colour(tone + '-bg')}}}.dag text.{tone}{{fill:{colour(tone)}}}")
    return "".join(rules)


def draw(group: Sequence[Entry], *, alt: str, standalone: bool = False) -> str:
    """Draw which claims rest on which.

    Parameters
    ----------
    group : sequence of Entry
        Claims, usually those of one paper.
    alt : str
        What the drawing shows, in words.
    standalone : bool
        Whether the drawing is a file of its own, without links and with its colours written in; otherwise it
        is part of a page that defines them.

    Returns
    -------
    str
        SVG: the border of a box tells the verdict of its claim, the filling the worst verdict among the
        claim and all that it rests on; a sign says both without colour. Claims without any link stand apart
        below. Empty for no claims, or for more than `LARGEST`.
    """
    if not 0 < len(group) <= LARGEST:
        return ""
    nodes = _nodes(group)
    linked = {name: node for name, node in nodes.items() if node.before or node.after}
    alone = [node for node in nodes.values() if not (node.before or node.after)]
    width = height = 0.0
    if linked:
        _place(linked, _columns(linked))
        width = max(node.x + node.width for node in linked.values())
        height = max(node.y for node in linked.values()) + _ROW
    x, height = 0.0, height + (8 if linked and alone else 0)
    for node in alone:
        node.width = len(node.label) * _LETTER + 40
        if x and x + node.width > max(width, 900):
            x, height = 0.0, height + _ROW
        node.x, node.y = x, height
        x += node.width + 10
        width = max(width, x - 10)
    height += _ROW if alone else 0
    body = _edges(linked) + "".join(_node(node, not standalone) for node in nodes.values())
    style = _style(_COLOURS if standalone else None)
    box = f"{width + 4:.0f} {height + 4:.0f}"
    size = 'viewBox="-2 -2 {0} {1}" width="{0}" height="{1}"'.format(*box.split())
    name = f'role="{"img" if standalone else "group"}" aria-label="{escape(alt)}"'
    start = f'<svg xmlns="http://www.w3.org/2000/svg" class="dag" {size} {name}>'
    return f"{start}<style>{style}</style>{body}</svg>"
