"""Rows to one self-contained page: no request leaves it, all in it is escaped, it works without scripts."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from boosttheory.claims import Verdict
from boosttheory.files import printable
from boosttheory.report import amount, choose, entries, plural, shortfall, tightness
from boosttheory.report.contents import (
    METHOD,
    certificates,
    changed,
    contents,
    downstream,
    missing,
    power,
    violation,
)
from boosttheory.report.formulas import formula, prose_html
from boosttheory.report.graph import LARGEST, SIGNS, WORDS, draw

__all__ = ["build"]

HERE = Path(__file__).parent
LONG = 160  # characters of a case shown before the reader asks for more
LONGEST = 20_000  # characters of a case shown at all
LINES = 200  # lines of a table of cases shown
MANY = 500  # claims from which on the browser lays out only what is seen


def _cell(value: Any) -> str:
    """Write one value of a table of cases, floats rounded to four digits."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}".replace("-", "−")
    return str(value).replace("-", "−") if _numeric(value) else str(value)


def lines_of(lines: Sequence[Mapping[str, Any]], limit: int = LINES) -> dict[str, Any]:
    """Lay out a table of cases: columns in order of first appearance, whether numeric, and cells as text."""
    names = list(dict.fromkeys(name for line in lines if isinstance(line, Mapping) for name in line))
    shown = [line for line in lines if isinstance(line, Mapping)][:limit]
    numeric = [all(_numeric(line.get(name)) for line in shown) for name in names]
    return {
        "columns": list(zip([name.replace("_", " ") for name in names], numeric, strict=True)),
        "rows": [[_cell(line.get(name)) for name in names] for line in shown],
        "total": len(lines),
    }


def _numeric(value: Any) -> bool:
    """Tell whether a value is a number, none, or the text of an exact fraction."""
    if isinstance(value, str):
        return value.lstrip("-").replace("/", "", 1).isdigit()
    return not isinstance(value, bool)


def _picture(figure: Mapping[str, Any]) -> str:
    """Write the SVG of a row as a data URI: as the source of an image it runs no script and loads nothing."""
    return "data:image/svg+xml;base64," + base64.b64encode(str(figure.get("svg", "")).encode()).decode()


def _download(text: str) -> str:
    """Write a file as a data URI."""
    return "data:application/json;base64," + base64.b64encode(text.encode()).decode()


def _cut(text: str) -> str:
    """Write a case, or the start of one that nobody could read."""
    return (
        text
        if len(text) <= LONGEST
        else f"{text[:LONGEST]}… ({len(text):,} characters; the rows hold it all)"
    )


def build(
    rows: Iterable[Mapping[str, Any]],
    *,
    title: str = "The ledger",
    ids: Iterable[str] = (),
    old: Iterable[Mapping[str, Any]] | None = None,
    source: str = "",
) -> str:
    """Build the page.

    Parameters
    ----------
    rows : iterable of mapping
        As from `boosttheory.rows.read_rows`, of any ledger. No check is run, and no claim is imported.
    title : str
        Heading of the page.
    ids : iterable of str
        Claims to show (ids, families or papers); all of them if empty.
    old : iterable of mapping, optional
        Rows of an earlier run: the page then says what has changed.
    source : str
        What to put before the path of a module to reach it from the page; without it modules are not linked.

    Returns
    -------
    str
        A whole HTML document that asks for nothing from outside.

    Raises
    ------
    ValueError
        If a row lacks a field that its verdict rests on.
    KeyError
        If an id names no claim of the rows.
    """
    import jinja2
    from markupsafe import Markup

    known = entries(rows)
    chosen = tuple(ids)
    found = choose(known, chosen)
    shown = {entry.id: entry for entry in found}
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "amount": amount,
        "cases": lines_of,
        "certificates": certificates,
        "cut": _cut,
        "download": _download,
        "formula": formula,
        "picture": _picture,
        "plural": plural,
        "power": power,
        "prose": prose_html,
        "shortfall": shortfall,
        "tightness": tightness,
        "violation": violation,
    }
    script = (HERE / "script.js").read_text(encoding="utf-8")
    shared = contents(found)
    return environment.get_template("template.html.jinja").render(
        shared,
        title=printable(title),
        entries=found,
        by_id=shown,
        changes=None if old is None else changed(old, found, chosen),
        downstream=lambda entry: downstream(entry, shown),
        graphs=[
            (paper, Markup(draw(group, alt=f"Which claims rest on which: {paper}")))
            for paper, _, group in shared["papers"]
        ],
        largest=LARGEST,
        source=lambda file: f"{source}{quote(file)}" if source and file else "",
        tones={str(v): "good" if v.holds else "bad" if v == Verdict.REFUTED else "open" for v in Verdict},
        strength={v: index for index, v in enumerate(Verdict)},
        signs=SIGNS,
        words=WORDS,
        method=METHOD,
        stale=[entry for entry in found if entry.changed == "source"],
        aged=sum(entry.changed == "library" for entry in found),
        missing=[] if chosen else missing(known),
        long=LONG,
        many=len(found) > MANY,
        dot=Markup("<wbr>."),
        style=Markup((HERE / "style.css").read_text(encoding="utf-8")),
        script=Markup(script),
        digest=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        font=base64.b64encode((HERE / "math.woff2").read_bytes()).decode(),
    )
