"""Rows to one self-contained page: no request leaves it, all in it is escaped, it works without scripts."""

from __future__ import annotations

import base64
import hashlib
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boosttheory.claims import Kind, Verdict
from boosttheory.papers import PAPERS, RESULTS, Result
from boosttheory.report import Entry, amount, choose, counts, entries, plural, shortfall, tightness

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = ["build"]

HERE = Path(__file__).parent
LONG = 160  # characters of a case shown before the reader asks for more
LINES = 200  # lines of a table of cases shown
SIGNS = {"good": "✓", "bad": "✗", "open": "?"}
METHOD = {
    Verdict.PROVED: (
        "Scalar obligations that imply the statement were decided exactly, over the whole declared range.",
        "That the obligations were stated rightly; they are short, and they can be read.",
    ),
    Verdict.PROVED_UP_TO_LISTED_STEPS: (
        "The same, but the listed steps of the argument were done by hand.",
        "That a program has looked at the listed steps.",
    ),
    Verdict.HOLDS_ON_EVERY_CASE: (
        "Every case in the stated scope was evaluated in exact arithmetic, and none fails.",
        "Anything about cases outside the scope.",
    ),
    Verdict.NO_COUNTEREXAMPLE_FOUND: (
        "A search that drives the margin down found no failing case.",
        "That there is none.",
    ),
    Verdict.HOLDS_STATISTICALLY: (
        "Confidence intervals of stated error probability lie on the right side, up to the stated slack.",
        "That the statement holds exactly, or at other points than those sampled.",
    ),
    Verdict.CONFORMS: (
        "Independent readings of a definition or an algorithm agree on every case looked at.",
        "That a theorem holds: definitions and algorithms are counted apart.",
    ),
    Verdict.REFUTED: (
        "One explicit case violates the statement in the stated reading; it is shown in full.",
        "That the paper's idea fails: see which variants hold on that case, and the repaired statement.",
    ),
    Verdict.INCONCLUSIVE: (
        "Some obligation or interval could not be decided.",
        "That the statement holds, or that it fails.",
    ),
    Verdict.NOT_CHECKED: ("No check ran; the note says why.", "Anything."),
}


@cache
def _converter() -> Any:
    from math_core import LatexToMathML

    return LatexToMathML(annotation=True)


def _pieces(latex: str) -> list[str]:
    """Split LaTeX at each wide space outside of groups, so that a line may break there."""
    pieces, depth = [""], 0
    for token in re.findall(r"\\[a-zA-Z]+|\\.|.", latex, re.DOTALL):
        depth += (token in ("{", r"\left", r"\begin")) - (token in ("}", r"\right", r"\end"))
        if token == r"\qquad" and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += token
    return [piece.strip() for piece in pieces if piece.strip()]


@cache
def formula(latex: str, display: bool = False) -> Markup:
    """Turn LaTeX into MathML; what does not convert is shown as it is, escaped.

    Parameters
    ----------
    latex : str
        Mathematics without dollar signs.
    display : bool
        Set on lines of its own.
    """
    from markupsafe import Markup, escape
    from math_core import LatexError

    made = []
    for piece in _pieces(latex):
        try:
            mathml = _converter().convert_with_local_state(piece, displaystyle=display)
        except LatexError:
            return Markup('<code class="tex">{}</code>').format(latex)
        label = str(escape(piece)).replace("\n", " ")
        made.append(mathml.replace("<math", f'<math alttext="{label}"', 1))
    return Markup(" ".join(made))


def _cell(value: Any) -> str:
    """Write one value of a table of cases, floats rounded to four digits."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}".replace("-", "−")
    return str(value).replace("-", "−") if _numeric(value) else str(value)


def _table(lines: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Lay out a table of cases: columns in order of first appearance, whether numeric, and cells as text."""
    names = list(dict.fromkeys(name for line in lines if isinstance(line, Mapping) for name in line))
    shown = [line for line in lines if isinstance(line, Mapping)][:LINES]
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


def _provenance(found: Iterable[Entry]) -> dict[str, list[str]]:
    """Collect versions, commits and seeds, most frequent first."""
    from collections import Counter

    rows = [row for entry in found for row in (entry.checks or [entry.fields])]
    return {
        "Versions": [
            str(v) for v, _ in Counter(row["version"] for row in rows if row["version"]).most_common()
        ],
        "Commits": [
            str(v)[:12] for v, _ in Counter(row["commit"] for row in rows if row["commit"]).most_common()
        ],
        "Seeds": [str(v) for v, _ in Counter(row["seed"] for row in rows if row["check"]).most_common()],
    }


def _papers(found: Iterable[Entry]) -> list[tuple[str, str, list[Entry]]]:
    """Group entries by paper: its title, its reference and its entries."""
    groups: dict[str, list[Entry]] = {}
    for entry in found:
        groups.setdefault(entry.fields["paper"], []).append(entry)
    return [
        (PAPERS[key].title, PAPERS[key].reference, group)
        if key in PAPERS
        else (key or "Other claims", "", group)
        for key, group in groups.items()
    ]


def _missing(found: Iterable[Entry]) -> list[Result]:
    """List the numbered results of the papers shown that no row speaks of."""
    ids = {entry.id for entry in found}
    papers = {result.paper for result in RESULTS if result.id in ids}
    return [result for result in RESULTS if result.paper in papers and result.id not in ids]


def _bound(probability: float) -> str:
    """Write a small probability rounded up to two digits.

    >>> _bound(8.04e-8)
    '8.1 · 10⁻⁸'
    """
    if probability <= 0:
        return "0"
    exponent = math.floor(math.log10(probability))
    digits = math.ceil(round(probability / 10**exponent * 10, 6)) / 10
    power = str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{digits:g} · 10{power}"


def build(rows: Iterable[Mapping[str, Any]], *, title: str = "The ledger", ids: Iterable[str] = ()) -> str:
    """Build the page.

    Parameters
    ----------
    rows : iterable of mapping
        As from `boosttheory.rows.read_rows`, of any ledger. No check is run, and no claim is imported.
    title : str
        Heading of the page.
    ids : iterable of str
        Claims to show (ids, families or papers); all of them if empty.

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
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "bound": _bound,
        "formula": formula,
        "tightness": tightness,
        "shortfall": shortfall,
        "plural": plural,
        "amount": amount,
        "cases": _table,
        "picture": _picture,
    }
    script = (HERE / "script.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    tally = counts(found)
    bad = [entry for entry in found if entry.verdict == Verdict.REFUTED]
    surprises = [sentence for entry in found for row in entry.checks for sentence in row["surprises"]]
    surprises += [
        f"{e.id}: the verdict is {e.verdict}, expected {e.fields['expect']}" for e in found if not e.expected
    ]
    return environment.get_template("template.html.jinja").render(
        title=title,
        entries=found,
        papers=_papers(found),
        shown={entry.id for entry in found},
        tally=tally,
        verdicts={str(v): v for v in Verdict},
        tones={str(v): "good" if v.holds else "bad" if v == Verdict.REFUTED else "open" for v in Verdict},
        strength={v: index for index, v in enumerate(Verdict)},
        signs=SIGNS,
        method=METHOD,
        errata=bad,
        holding={entry.id for entry in found if entry.verdict.holds},
        surprises=surprises,
        stale=[entry for entry in found if entry.stale],
        by_id={entry.id: entry for entry in found},
        missing=[] if chosen else _missing(known),
        error=sum(r["error"] for e in found for r in e.checks if r["kind"] == Kind.STATISTICAL),
        statistical=sum(r["kind"] == Kind.STATISTICAL for e in found for r in e.checks),
        cases=sum(row["cases"] for entry in found for row in entry.checks),
        mutants=sum(entry.mutants for entry in found),
        killed=sum(entry.killed for entry in found),
        provenance=_provenance(found),
        long=LONG,
        dot=Markup("<wbr>."),
        style=Markup((HERE / "style.css").read_text(encoding="utf-8")),
        script=Markup(script),
        digest=digest,
        font=base64.b64encode((HERE / "math.woff2").read_bytes()).decode(),
    )
