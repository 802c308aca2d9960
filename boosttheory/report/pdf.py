"""Rows to a PDF of journal quality: the contents and formulas of the page, set by Typst (extra ``pdf``)."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from boosttheory.claims import Verdict
from boosttheory.files import printable
from boosttheory.report import Entry, amount, choose, entries, plural, shortfall, tightness
from boosttheory.report.contents import METHOD, changed, contents, downstream, missing, power, violation
from boosttheory.report.formulas import prose, typst
from boosttheory.report.graph import SIGNS, WORDS, draw
from boosttheory.report.html import lines_of

__all__ = ["MISSING", "available", "build"]

HERE = Path(__file__).parent
MISSING = "no PDF, since it needs Typst: pip install 'boosttheory[pdf]' brings it, then run this again"
CASE, KILLER = 700, 150  # characters of a case shown; the page and the rows hold it all
LINES = 12  # lines of a table of cases shown


def available() -> bool:
    """Tell whether Typst is installed."""
    from importlib.util import find_spec

    return find_spec("typst") is not None


def _formula(latex: str) -> list[Any]:
    """Return text and Typst mathematics; what does not convert is shown as it is, as code."""
    try:
        return [list(piece) for piece in typst(latex)]
    except ValueError:
        return [[latex, None]]


def _code(text: Any, limit: int = CASE) -> str:
    """Cut a case and let its lines break after each separator and within long numbers."""
    shown = str(text)
    if len(shown) > limit:
        shown = f"{shown[:limit]}… ({len(shown):,} characters)"
    return re.sub(r"(?<=[,;=)}\]_/])(?=\S)|(?<=\w{40})(?=\w)", "\u200b", shown)


def _drawing(svg: str) -> str:
    """Return an SVG that can be read and refers to no other file, or nothing."""
    try:
        root = ET.fromstring(svg)
    except ET.ParseError:
        return ""
    links = [v for e in root.iter() for name, v in e.attrib.items() if name.endswith("href")]
    return svg if root.tag.endswith("svg") and all(v.startswith(("#", "data:")) for v in links) else ""


def _check(row: Mapping[str, Any], entry: Entry) -> dict[str, Any]:
    table = lines_of(row["table"], LINES)
    chance = f"slack {row['delta']}, error probability {power(row['error'])}"
    return {
        "name": row["check"].replace("_", " ").capitalize(),
        "kind": row["kind"],
        "scope": prose(f"{amount(row)}: {row['scope']}"),
        "description": prose(row["description"]),
        "by_hand": [prose(str(step)) for step in row["by_hand"]],
        "measure": "Fails by" if row["refutes"] else "Tightness",
        "margin": (shortfall(row) if row["refutes"] else tightness(row)) or "–",
        "chance": chance if row["kind"] == "statistical" else "",
        "case": "Counterexample" if row["refutes"] else "Tightest case",
        "worst": _code(row["worst"]),
        "rescues": [
            prose(f"“{label}” {'holds' if ok else 'fails'} on the counterexample")
            for label, ok in row["rescues"].items()
        ],
        "mutants": [
            [
                prose(label + " (too coarse: fails everywhere)" * (label in row["coarse"])),
                None if killer is None else _code(killer, KILLER),
            ]
            for label, killer in row["mutants"].items()
        ],
        "figure": _drawing(str(row["figure"].get("svg", ""))),
        "alt": str(row["figure"].get("alt", "")),
        "caption": str(row["figure"].get("caption", "")),
        "columns": [name for name, _ in table["columns"]],
        "lines": table["rows"] if len(table["columns"]) <= 8 else [],
        "total": table["total"],
        "place": f"{entry.fields['file']}:{row['line']}",
        "seconds": f"{row['seconds']:.1f} s",
    }


def _claim(entry: Entry) -> dict[str, Any]:
    f = entry.fields
    relations = {
        "Uses": f["uses"],
        "Used by": entry.used_by,
        "Repairs": f["repairs"],
        "Repaired by": entry.repaired_by,
    }
    return {
        "id": entry.id,
        "title": prose(f["title"]),
        "locator": prose(f["locator"] + (f" · {f['role']}" if f["role"] != "statement" else "")),
        "verdict": str(entry.verdict),
        "phrase": entry.phrase,
        "tone": entry.tone,
        "warning": ", ".join(
            [f"stale: the {entry.changed} has changed since"] * entry.stale
            + [f"a surprise: {f['expect']} was expected"] * (not entry.expected)
        ),
        "statement": _formula(f["statement"]),
        "assumes": [_formula(line) for line in f["assumes"]],
        "note": prose(f["note"]),
        "evidence": "; ".join(entry.totals) or "none",
        "tightness": "–" if entry.least is None else tightness(entry.least),
        "caught": f"{entry.killed}/{entry.mutants}",
        "command": entry.command,
        "relations": [[name, list(ids)] for name, ids in relations.items() if ids],
        "checks": [_check(row, entry) for row in entry.checks],
    }


def _erratum(entry: Entry, among: Mapping[str, Entry]) -> dict[str, Any]:
    return {
        "id": entry.id,
        "failures": [
            {
                "how": prose(f"It fails: {violation(row)} on this case ({row['kind']}; {row['scope']}):"),
                "case": _code(row["worst"]),
                "rescues": [
                    prose(f"On the same case the weaker variant “{label}” {'holds' if ok else 'fails too'}.")
                    for label, ok in row["rescues"].items()
                ],
            }
            for row in entry.refuting
        ],
        "repairs": [name for name in entry.repaired_by if name in among],
        "downstream": [
            {"id": item.entry.id, "phrase": item.entry.phrase, "through": item.through}
            for item in downstream(entry, among)
        ],
    }


def _data(
    rows: Iterable[Mapping[str, Any]], title: str, ids: Iterable[str], old: Iterable[Mapping[str, Any]] | None
) -> dict[str, Any]:
    known = entries(rows)
    chosen = tuple(ids)
    found = choose(known, chosen)
    among = {entry.id: entry for entry in found}
    shared = contents(found)
    tones = {str(v): "good" if v.holds else "bad" if v == Verdict.REFUTED else "open" for v in Verdict}
    tally = shared["tally"]
    apart = [
        f"{plural(sum(tally[group].values()), group[:-1])} "
        f"({', '.join(f'{count} {name}' for name, count in tally[group].items())})"
        for group in ("definitions", "algorithms")
        if tally[group]
    ]
    killed, mutants = shared["killed"], shared["mutants"]
    chance = "No check here is statistical, so no verdict rests on chance."
    if shared["statistical"]:
        chance = f"{plural(shared['statistical'], 'statistical check')}: the probability that any of them "
        chance += f"misjudges is at most {power(shared['error'])}."
    return {
        "title": printable(title),
        "lead": f"{plural(len(found), 'claim')} of {plural(len(shared['papers']), 'paper')}, tested on "
        f"{plural(shared['cases'], 'case')}; {killed:,} of {plural(mutants, 'false variant')} caught."
        if found
        else "",
        "statements": plural(sum(tally["statements"].values()), "statement"),
        "tally": [[name, count, tones[name]] for name, count in tally["statements"].items()],
        "apart": " and ".join(apart),
        "findings": [{"text": prose(finding.text), "ids": finding.ids} for finding in shared["findings"]],
        "surprises": shared["surprises"],
        "stale": [entry.id for entry in found if entry.changed == "source"],
        "aged": sum(entry.changed == "library" for entry in found),
        "papers": [
            {
                "title": paper,
                "reference": reference,
                "graph": draw(group, alt=f"Which claims rest on which: {paper}", standalone=True),
                "claims": [_claim(entry) for entry in group],
            }
            for paper, reference, group in shared["papers"]
        ],
        "errata": [_erratum(entry, among) for entry in shared["errata"]],
        "changes": None
        if old is None
        else [
            [c.id, c.what, _code(c.before, KILLER), _code(c.after, KILLER)]
            for c in changed(old, found, chosen)
        ],
        "missing": []
        if chosen
        else [[r.id, f"{r.locator}: {r.without_claim or 'not among the rows'}"] for r in missing(known)],
        "method": [[str(v), tones[str(v)], *METHOD[v]] for v in Verdict],
        "chance": chance,
        "provenance": [[name, ", ".join(values)] for name, values in shared["provenance"].items() if values],
        "signs": SIGNS,
        "words": WORDS,
    }


def build(
    rows: Iterable[Mapping[str, Any]],
    *,
    title: str = "The ledger",
    ids: Iterable[str] = (),
    old: Iterable[Mapping[str, Any]] | None = None,
) -> bytes:
    """Build the PDF; the same rows give the same bytes.

    Parameters
    ----------
    rows, title, ids, old
        As for `boosttheory.report.html.build`.

    Returns
    -------
    bytes
        The file, its fonts embedded.

    Raises
    ------
    ModuleNotFoundError
        If Typst is not installed; the message says how to get it.
    ValueError
        If a row lacks a field that its verdict rests on.
    KeyError
        If an id names no claim of the rows.
    """
    if not available():
        raise ModuleNotFoundError(MISSING)
    import typst as engine

    data = json.dumps(_data(rows, title, ids, old), ensure_ascii=False)
    template = (HERE / "template.typ").read_bytes()
    options: dict[str, Any] = {"root": HERE, "ignore_system_fonts": True, "timestamp": 0}
    return engine.compile(template, format="pdf", sys_inputs={"report": data}, **options)
