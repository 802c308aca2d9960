"""LaTeX to mathematics: one MathML tree, set as it is in the page and as Typst in the PDF.

A formula is cut where a line may break: around text, after the commas between conditions and before arrows.
Browsers break no line within a formula, and many a statement is longer than a telephone is wide.
"""

from __future__ import annotations

import html
import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = ["formula", "pieces", "prose", "prose_html", "typst"]

_ARROWS = frozenset("⇒⟹⟺⇔⟸⇐")
_OPEN, _CLOSE = frozenset("([{⌊⌈⟨|‖⟦\u2063"), frozenset(")]}⌋⌉⟩|‖⟧\u2063")
_RELATIONS = frozenset("=<>≤≥≠∈∉⊆⊂∼≈→") | _ARROWS
_INVISIBLE = frozenset("\u2061\u2062\u2063\u2064")
_VARIATION = dict.fromkeys((0xFE00, 0xFE01))
_ACCENTS = {
    "^": "hat", "ˆ": "hat", "~": "tilde", "˜": "tilde", "¯": "macron", "‾": "overline", "→": "arrow",
    "˙": "dot", "¨": "dot.double", "ˇ": "caron", "\u0332": "overline", "⏞": "overbrace",
}  # fmt: skip
_ACCENTS_BELOW = {"⏟": "underbrace", "_": "underline", "‾": "underline", "\u0332": "underline"}


_COMPARISONS = {"<=": "≤", ">=": "≥", "!=": "≠"}
_SCRIPT = re.compile(
    r"(?<![\w.])(?P<base>[^\W\d_])_(?:\{(?P<low>[^{}]*)\}|(?P<short>\w{1,2})(?!\w))"
    r"|(?<=[\w)}\]])\^(?:\{(?P<high>[^{}]*)\}|(?P<power>[-−]?\w+))"
)


class UnknownElementError(ValueError):
    """A MathML element for which there is no rule."""


@cache
def _converter() -> Any:
    from math_core import LatexToMathML

    return LatexToMathML()


def _tree(latex: str) -> ET.Element:
    """Parse the MathML of a formula.

    Raises
    ------
    math_core.LatexError
        If the LaTeX does not convert.
    """
    mathml = _converter().convert_with_local_state(latex, displaystyle=True)
    # XML knows five names of characters, HTML two thousand
    named = re.sub(r"&(?!(?:amp|lt|gt|quot);)(\w+);", lambda found: html.unescape(found.group()), mathml)
    return ET.fromstring(named)


def _text(element: ET.Element) -> str:
    return "".join(element.itertext()).translate(_VARIATION)


def _breaks(row: Sequence[ET.Element], after: ET.Element) -> bool:
    """Tell whether a line may break between a row and the element that follows it."""
    if after.tag == "mspace":
        return False
    *rest, last = row
    if last.tag == "mspace":
        width = re.fullmatch(r"([\d.]+)em", last.get("width", ""))
        wide = width is not None and float(width[1]) >= 1
        return wide or (bool(rest) and rest[-1].tag == "mo" and _text(rest[-1]) in (",", ";", ":"))
    return after.tag == "mo" and _text(after) in _ARROWS


@cache
def pieces(latex: str) -> tuple[str | tuple[ET.Element, ...], ...]:
    """Cut a formula into text and rows of MathML elements, between which a line may break.

    Parameters
    ----------
    latex : str
        Mathematics without dollar signs.

    Returns
    -------
    tuple
        Strings, and tuples of elements.

    Raises
    ------
    math_core.LatexError
        If the LaTeX does not convert.
    """
    rows: list[str | list[ET.Element]] = []
    for element in _tree(latex):
        row = rows[-1] if rows else ""
        if element.tag == "mtext" and "\xa0" in _text(element):  # a single word may be a function's name
            rows.append(_text(element).replace("\xa0", " "))
        elif isinstance(row, str) or _breaks(row, element):
            rows.append([element])
        else:
            row.append(element)
    return tuple(row if isinstance(row, str) else tuple(row) for row in rows)


@cache
def formula(latex: str, display: bool = False) -> Markup:
    """Turn LaTeX into MathML; what does not convert is shown as it is, escaped.

    Parameters
    ----------
    latex : str
        Mathematics without dollar signs.
    display : bool
        Whether fractions and limits are set large.
    """
    from markupsafe import Markup, escape
    from math_core import LatexError

    try:
        cut = pieces(latex)
    except (LatexError, ET.ParseError):
        return Markup('<code class="tex">{}</code>').format(latex)
    start = '<math displaystyle="true">' if display else "<math>"
    made = []
    for piece in cut:
        if isinstance(piece, str):
            made.append(str(escape(piece)))
        else:
            rows = ("".join(ET.tostring(e, encoding="unicode") for e in row) for row in _lines(piece))
            made.extend(f"{start}{row}</math>" for row in rows)
    return Markup("<wbr>".join(made))


def _lines(row: Sequence[ET.Element]) -> list[list[ET.Element]]:
    """Cut a row before its relations, those between brackets apart; Typst breaks there by itself."""
    lines: list[list[ET.Element]] = [[]]
    depth = 0
    for element in row:
        text = _text(element) if element.tag == "mo" else ""
        depth += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
        if depth == 0 and text in _RELATIONS and lines[-1]:
            lines.append([])
        lines[-1].append(element)
    return lines


def prose(text: str) -> list[tuple[str, str]]:
    """Cut plain words at what a typewriter writes for indices and exponents.

    Parameters
    ----------
    text : str
        A note, a scope or a title: ``w_{T+1}``, ``n^2`` and ``<=`` are read as they are meant, names of
        several letters such as ``n_labels`` are left alone.

    Returns
    -------
    list of (str, str)
        Text, and ``sub``, ``sup`` or nothing.

    Examples
    --------
    >>> prose("n^2 <= w_{t+1}")
    [('n', ''), ('2', 'sup'), (' ≤ w', ''), ('t+1', 'sub')]
    """
    made, end = [], 0
    for sign, better in _COMPARISONS.items():
        text = text.replace(sign, better)
    for found in _SCRIPT.finditer(text):
        low = found["base"] is not None
        made.append((text[end : found.start()] + (found["base"] or ""), ""))
        script = (found["low"] or found["short"]) if low else (found["high"] or found["power"])
        made.append((re.sub(r"^-", "−", script or ""), "sub" if low else "sup"))
        end = found.end()
    made.append((text[end:], ""))
    return [piece for piece in made if piece[0]]


def prose_html(text: str) -> Markup:
    """Write plain words for the page, escaped, their indices and exponents in place."""
    from markupsafe import Markup, escape

    parts = (f"<{how}>{escape(part)}</{how}>" if how else str(escape(part)) for part, how in prose(str(text)))
    return Markup("".join(parts))


@cache
def typst(latex: str) -> tuple[tuple[str, bool], ...]:
    """Turn LaTeX into pieces for Typst, the same cuts as in the page.

    Returns
    -------
    tuple of (str, bool)
        Text, and whether it is the source of Typst mathematics rather than plain text.

    Raises
    ------
    ValueError
        If the LaTeX does not convert; the message names the formula.
    """
    from math_core import LatexError

    try:
        cut = pieces(latex)
        made = [(p, False) if isinstance(p, str) else (_sequence(p), True) for p in cut]
    except (LatexError, ET.ParseError, UnknownElementError) as error:
        reason = error if isinstance(error, UnknownElementError) else "no LaTeX that math-core reads"
        raise ValueError(
            f"the formula {latex!r} does not convert: {reason}; write it in other commands"
        ) from None
    for index, (before, after) in enumerate(pairwise(cut)):
        if isinstance(before, str) and not isinstance(after, str) and _text(after[0]) in _RELATIONS:
            # Typst sets no space before a relation at the start of a formula
            made[index + 1] = ("#h(0.2778em) " + made[index + 1][0], True)
    return tuple(made)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _symbol(text: str) -> str:
    """Write one character of a formula; of ASCII only letters and digits mean themselves."""
    if text.isascii():
        return text if text.isalnum() else "\\" + text
    return _quoted(text) if text.isdecimal() else text


def _space(element: ET.Element) -> str:
    """Write the width of a space in ems, negative ones too; nothing for a space without one."""
    found = re.search(r"(?:^|margin-left:)(-?[\d.]+)em", element.get("width") or element.get("style") or "")
    return f"#h({found[1]}em)" if found else ""


def _sequence(elements: Sequence[ET.Element]) -> str:
    """Write a row; one between delimiters that stretch grows with what it holds."""
    row = ""
    for made in filter(None, map(_typst, elements)):
        # letters that touch would be one name; Typst shows the blanks beside anything quoted
        row += made if not row or row.endswith('"') or made.startswith('"') else f" {made}"
    if len(elements) > 1 and _stretches(elements[0], _OPEN) and _stretches(elements[-1], _CLOSE):
        return f"lr({row})"
    return row


def _stretches(element: ET.Element, among: frozenset[str]) -> bool:
    return (
        element.tag == "mo"
        and element.get("stretchy") != "false"
        and element.get("minsize") is None
        and _text(element) in among
    )


def _argument(element: ET.Element) -> str:
    return _typst(element) or '""'


def _operator(element: ET.Element) -> str:
    text = _text(element)
    if text in _INVISIBLE or not text:
        width = (element.get("lspace") or "").removesuffix("em")
        return f"#h({width}em)" if width not in ("", "0") else ""
    made = _symbol(text) if len(text) == 1 else _quoted(text)
    if size := element.get("minsize"):
        return f"lr(size: #{size}, {made})"
    if element.get("lspace") == element.get("rspace") == "0":
        return f'class("normal", {made})'
    return made


def _scripts(element: ET.Element) -> str:
    base, *scripts = element
    tag, made = element.tag, _argument(base)
    accents = _ACCENTS if tag == "mover" else _ACCENTS_BELOW if tag == "munder" else {}
    if len(scripts) == 1 and scripts[0].tag == "mo" and (name := accents.get(_text(scripts[0]))):
        return f"{name}({made})"
    places = {"msub": "b", "msup": "t", "munder": "b", "mover": "t"}.get(tag, "bt")
    how = "limits" if tag in ("munder", "mover", "munderover") else "scripts"
    named = ", ".join(f"{place}: {_argument(s)}" for place, s in zip(places, scripts, strict=True))
    return f"attach({how}({made}), {named})"


def _table(element: ET.Element) -> str:
    rows = [[_argument(cell) for cell in row] for row in element]
    if element.get("displaystyle") == "true":
        return "display(" + " \\ ".join(" & ".join(row) for row in rows) + ")"
    left = any("left" in cell.get("style", "") for row in element for cell in row)
    body = "; ".join(", ".join(row) for row in rows)
    return f"mat(delim: #none, align: #{'left' if left else 'center'}, column-gap: #1em, {body})"


def _typst(element: ET.Element) -> str:
    """Write one element of MathML as Typst mathematics."""
    children = list(element)
    match element.tag:
        case "mrow" | "mstyle" | "mpadded" | "mtd":
            return _sequence(children)
        case "mphantom":
            return f"#hide($ {_sequence(children)} $)"
        case "mi" | "mn" | "mtext":
            text = _text(element)
            if len(text) != 1 or element.tag == "mtext":
                return _quoted(text)
            return f"upright({_symbol(text)})" if element.get("mathvariant") == "normal" else _symbol(text)
        case "mo":
            return _operator(element)
        case "mspace":
            return _space(element)
        case "mfrac":
            top, bottom = map(_argument, children)
            if element.get("linethickness") in ("0", "0px"):
                return f"mat(delim: #none, {top}; {bottom})"
            small = element.get("displaystyle") == "false"
            return f"inline(frac({top}, {bottom}))" if small else f"frac({top}, {bottom})"
        case "msqrt":
            return f"sqrt({_sequence(children)})"
        case "mroot":
            return f"root({_argument(children[1])}, {_argument(children[0])})"
        case "msub" | "msup" | "msubsup" | "munder" | "mover" | "munderover":
            return _scripts(element)
        case "mtable":
            return _table(element)
    raise UnknownElementError(f"no rule for the MathML element {element.tag}")
