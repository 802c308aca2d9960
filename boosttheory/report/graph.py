"""The dependency graph as SVG: what a claim rests on stands above it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import islice
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
_LETTER, _ROW, _HEIGHT, _GAP, _BETWEEN, _WIDE = 6.4, 29, 21, 8, 30, 940
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
    layer: int = 0
    x: float = 0.0
    y: float = 0.0

    @property
    def width(self) -> float:
        return len(self.label) * _LETTER + 38

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


def _nodes(group: Sequence[Entry]) -> dict[str, _Node]:
    names = {entry.id for entry in group}
    prefix = {name.partition(".")[0] for name in names}
    cut = len(prefix.pop()) + 1 if len(prefix) == 1 else 0
    nodes = {e.id: _Node(e, e.id[cut:] or e.id, [], []) for e in group}
    for name, node in nodes.items():
        linked = dict.fromkeys((*node.entry.fields["uses"], *node.entry.fields["repairs"]))
        node.before = [other for other in linked if other in names and other != name]
        for other in node.before:
            nodes[other].after.append(name)
    return nodes


def _layers(nodes: Mapping[str, _Node]) -> list[list[str]]:
    """Put each claim below all that it uses; a circle is cut where it is first closed."""
    state: dict[str, int] = {}

    def above(name: str) -> list[str]:
        return [other for other in nodes[name].before if other in nodes[name].entry.fields["uses"]]

    for root in nodes:
        stack = [(root, iter(above(root)))] if root not in state else []
        while stack:
            name, rest = stack[-1]
            state[name] = 1
            other = next(rest, None)
            if other is None:
                state[name] = 2
                done = [nodes[o].layer + 1 for o in above(name) if state.get(o) == 2]
                nodes[name].layer = max(done, default=0)
                stack.pop()
            elif other not in state:
                stack.append((other, iter(above(other))))
    layers: list[list[str]] = [[] for _ in range(max((n.layer for n in nodes.values()), default=-1) + 1)]
    for name, node in nodes.items():
        layers[node.layer].append(name)
    return layers


def _place(nodes: Mapping[str, _Node], layers: Sequence[list[str]]) -> float:
    """Order each layer by the mean place of its neighbours, in lines as need be; return the height."""
    for layer in layers:
        share = _WIDE / len(layer)
        for index, name in enumerate(layer):
            nodes[name].x = (index + 0.5) * share - nodes[name].width / 2
    for sweep in range(16):
        order, side = (layers, "before") if sweep % 2 == 0 else (layers[::-1], "after")
        for layer in order:
            wish = {}
            for name in layer:
                near = [nodes[other].middle for other in getattr(nodes[name], side)]
                wish[name] = sum(near) / len(near) if near else nodes[name].middle
            layer.sort(key=wish.__getitem__)
            for line in _wrapped(layer, nodes):
                _spread([nodes[name] for name in line], [wish[name] for name in line])
    y = 0.0
    for layer in layers:
        for line in _wrapped(layer, nodes):
            for name in line:
                nodes[name].y = y
            y += _ROW
        y += _BETWEEN
    return y - _BETWEEN


def _wrapped(layer: Sequence[str], nodes: Mapping[str, _Node]) -> list[list[str]]:
    """Deal a layer out to lines, each of which runs over the whole width."""
    lines = math.ceil(sum(nodes[name].width + 2 * _GAP for name in layer) / (0.9 * _WIDE))
    return [list(layer[line::lines]) for line in range(lines)]


def _spread(line: Sequence[_Node], middles: Sequence[float]) -> None:
    """Set boxes as near to the wished middles as their order and the edges allow."""
    blocks: list[list[float]] = []  # sum of wished starts, number of boxes, width
    for node, middle in zip(line, middles, strict=True):
        blocks.append([middle - node.width / 2, 1, node.width + _GAP])
        while (
            len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] + blocks[-2][2] > blocks[-1][0] / blocks[-1][1]
        ):
            total, boxes, width = blocks.pop()
            blocks[-1][0] += total - boxes * blocks[-1][2]
            blocks[-1][1] += boxes
            blocks[-1][2] += width
    boxes_left = iter(line)
    for total, boxes, _ in blocks:
        x = total / boxes
        for node in islice(boxes_left, int(boxes)):
            node.x = x
            x += node.width + _GAP
    edge = float(_WIDE)
    for node in reversed(line):
        node.x = min(node.x, edge - node.width)
        edge = node.x - _GAP
    edge = 0.0
    for node in line:
        node.x = max(node.x, edge)
        edge = node.x + node.width + _GAP


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
            x, y, to, end = start.middle, start.y + _HEIGHT, node.middle, node.y
            if end > y:
                bend = max((end - y) / 2, 12)
            else:  # a repair beside what it repairs, or above it
                y, bend = start.y + _HEIGHT / 2, 0
                end = node.y + _HEIGHT / 2
            made.append(
                f'<path class="{"edge repair" if repair else "edge"}" d="M{x:.0f} {y:.1f}C{x:.0f} '
                f'{y + bend:.1f} {to:.0f} {end - bend:.1f} {to:.0f} {end:.1f}" '
                f'data-from="{escape(other)}" data-to="{escape(name)}"/>'
            )
    return "".join(made)


def _style(colours: Mapping[str, str] | None) -> str:
    def colour(name: str) -> str:
        return f"var(--{name})" if colours is None else colours[name]

    rules = [f".dag text{{font:11px sans-serif;fill:{colour('fg')}}}.dag .sign{{text-anchor:end}}"]
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
    height = 0.0
    if linked:
        height = _place(linked, _layers(linked)) + _BETWEEN / 2
    x = 0.0
    for node in alone:
        if x and x + node.width > _WIDE:
            x, height = 0.0, height + _ROW
        node.x, node.y = x, height
        x += node.width + _GAP
    height += _ROW if alone else -_BETWEEN / 2
    width = max(node.x + node.width for node in nodes.values())
    body = _edges(linked) + "".join(_node(node, not standalone) for node in nodes.values())
    style = _style(_COLOURS if standalone else None)
    box = f"{width + 4:.0f} {height + 4:.0f}"
    size = 'viewBox="-2 -2 {0} {1}" width="{0}" height="{1}"'.format(*box.split())
    name = f'role="{"img" if standalone else "group"}" aria-label="{escape(alt)}"'
    start = f'<svg xmlns="http://www.w3.org/2000/svg" class="dag" {size} {name}>'
    return f"{start}<style>{style}</style>{body}</svg>"
