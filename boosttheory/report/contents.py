"""What the page and the PDF both say, computed from the entries alone."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from boosttheory.claims import Kind, Relation, Verdict
from boosttheory.papers import PAPERS, RESULTS, Result
from boosttheory.report import Entry, amount, choose, closure, counts, entries, plural, shortfall, tightness

__all__ = [
    "METHOD",
    "Change",
    "Downstream",
    "Finding",
    "certificates",
    "changed",
    "changes",
    "contents",
    "downstream",
    "findings",
    "missing",
    "papers",
    "power",
    "provenance",
    "surprises",
    "violation",
]

LONGEST = 1 << 18  # characters of a counterexample that a page carries along
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
_VIOLATIONS = {
    Relation.INEQUALITY: "the side that should be the larger falls short by {}",
    Relation.EQUALITY: "the two sides differ by {}",
    Relation.EQUIVALENCE: "what should go together comes apart",
}


@dataclass(frozen=True)
class Finding:
    """One sentence or two of the summary, and the claims that it speaks of."""

    text: str
    ids: tuple[str, ...]


@dataclass(frozen=True)
class Change:
    """What is new about one claim: before and after, as text."""

    id: str
    what: str
    before: str
    after: str


@dataclass(frozen=True)
class Downstream:
    """A claim that rests on a refuted one.

    Attributes
    ----------
    entry : Entry
        The claim.
    through : list of str
        Repairs of the refuted claim on which it rests as well.
    """

    entry: Entry
    through: list[str]


def violation(row: Mapping[str, Any]) -> str:
    """Say in words how a refuting check fails."""
    return _VIOLATIONS.get(row["relation"], "the margin is −{}").format(shortfall(row))


def downstream(entry: Entry, among: Mapping[str, Entry]) -> list[Downstream]:
    """List what rests on a refuted claim, and through which of its repairs it can be carried on."""
    carried = {repair: set(closure([repair], among)) for repair in entry.repaired_by}
    return [
        Downstream(among[name], [repair for repair, users in carried.items() if name in users])
        for name in closure([entry.id], among)[1:]
        if name not in carried
    ]


def certificates(row: Mapping[str, Any]) -> dict[str, str]:
    """Return the files to download with a check: those it carries, else its counterexample as JSON."""
    if row["certificates"] or not row["refutes"] or row["worst_data"] is None:
        return {str(name): str(text) for name, text in row["certificates"].items()}
    shown = ("claim", "statement", "check", "scope", "high", "worst_data", "version", "commit", "seed")
    name = "".join(c if c.isalnum() or c in "._-" else "-" for c in f"{row['claim']}.{row['check']}.json")
    text = json.dumps({key: row[key] for key in shown}, ensure_ascii=False, indent=1)
    return {name: text} if len(text) <= LONGEST else {}


def _surname(author: str) -> str:
    """Return the last name, particles included.

    >>> _surname("Ulrike von Luxburg")
    'von Luxburg'
    """
    first, *names = author.split()
    small = [index for index, name in enumerate(names) if name[:1].islower()]
    return " ".join(names[small[0] :] if small else names[-1:]) or first


def _name(entry: Entry) -> str:
    paper = PAPERS.get(entry.fields["paper"])
    names = [_surname(author) for author in paper.authors] if paper else []
    who = f" ({names[0]} and others)" if len(names) > 2 else f" ({' and '.join(names)})" if names else ""
    return f"{entry.fields['locator']}{who}"


def _refutation(entry: Entry, among: Mapping[str, Entry]) -> Finding:
    row = min(entry.refuting, key=lambda row: len(row["worst"]))
    text = f"{_name(entry)}, “{entry.fields['title']}”, is {entry.phrase}: on one explicit case "
    text += f"{violation(row)}."
    repairs = [among[i] for i in entry.repaired_by if i in among and among[i].verdict.holds]
    if repairs:
        best = min(repairs, key=lambda repair: list(Verdict).index(repair.verdict))
        text += f" {plural(len(repairs), 'repair')} of it {'stands' if len(repairs) == 1 else 'stand'}: "
        text += f"“{best.fields['title']}” is {best.verdict}."
    rest = [name for name in closure([entry.id], among)[1:] if name not in entry.repaired_by]
    if rest:
        text += f" {plural(len(rest), 'claim')} here {'rests' if len(rest) == 1 else 'rest'} on it."
    return Finding(text, (entry.id, *(repair.id for repair in repairs)))


def findings(found: Sequence[Entry], limit: int = 3) -> list[Finding]:
    """Choose what a hurried reader should know, and say it in words.

    First the refuted statements, those on which most rests before others, none of which merely inherits the
    failure of another; at least one finding says what stands.

    Parameters
    ----------
    found : sequence of Entry
        The claims of the report.
    limit : int
        Largest number of findings.
    """
    among = {entry.id: entry for entry in found}
    statements = [entry for entry in found if entry.fields["role"] == "statement"]
    reach = {e.id: closure([e.id], among) for e in found if e.verdict == Verdict.REFUTED}
    inherited = {name for start, names in reach.items() for name in names[1:]}
    refuted = sorted(
        (among[name] for name in reach),
        key=lambda e: (e.id in inherited, -len(reach[e.id]), -len(e.repaired_by), e.reading != "as printed"),
    )
    made = [_refutation(entry, among) for entry in refuted[: limit - 1]]
    standing = [entry for entry in statements if entry.verdict.holds]
    tally = Counter(entry.verdict for entry in standing)
    if standing:
        listed = tally[Verdict.PROVED_UP_TO_LISTED_STEPS]
        proved = tally[Verdict.PROVED] + listed
        text = f"{len(standing)} of {plural(len(statements), 'statement')} "
        text += "stands" if len(standing) == 1 else "stand"
        if proved:
            text += f", {proved} of them proved over the whole range that they declare"
            text += f" ({listed} with steps by hand, which are listed)" * bool(listed)
        firm = [entry for entry in standing if entry.ground == "good"]
        text += (
            f"; {len(firm)} rest on nothing that is refuted or open." if len(firm) < len(standing) else "."
        )
        made.append(Finding(text, ()))
    tight = [entry.id for entry in standing if _attained(entry)]
    if tight:
        text = f"{plural(len(tight), 'bound')} cannot be improved: some case attains equality."
        made.append(Finding(text, tuple(tight[:6])))
    return made[:limit]


def _attained(entry: Entry) -> bool:
    """Tell whether some admissible case of an inequality attains equality."""
    row = entry.least
    return row is not None and row["relation"] == Relation.INEQUALITY and row["high"] == row["low"] == "0"


def changes(before: Sequence[Entry], after: Sequence[Entry]) -> list[Change]:
    """Compare two reports claim by claim: what came, what went, and what is said differently."""
    old, new = {e.id: e for e in before}, {e.id: e for e in after}
    made = [Change(name, "new claim", "–", entry.phrase) for name, entry in new.items() if name not in old]
    made += [Change(name, "gone", entry.phrase, "–") for name, entry in old.items() if name not in new]
    for name, entry in new.items():
        if name in old:
            was, now = _facts(old[name]), _facts(entry)
            made += [
                Change(name, what, was.get(what, "–"), now.get(what, "–"))
                for what in dict.fromkeys((*was, *now))
                if was.get(what) != now.get(what)
            ]
    return made


def changed(
    old: Iterable[Mapping[str, Any]], found: Sequence[Entry], ids: Sequence[str] = ()
) -> list[Change]:
    """Compare earlier rows with the claims of the report, both narrowed to the same ids."""
    before = entries(old)
    picked = {entry.id: entry for entry in ([] if ids else before)}
    for name in ids:
        with suppress(KeyError):  # the earlier rows may lack it
            picked |= {entry.id: entry for entry in choose(before, [name])}
    return changes([*picked.values()], found)


def _facts(entry: Entry) -> dict[str, str]:
    """Return what two reports can be compared by, as text; never times."""
    facts = {"verdict": entry.phrase}
    facts |= {what: str(entry.fields[what]) for what in ("title", "locator", "statement")}
    facts |= {what: "; ".join(map(str, entry.fields[what])) for what in ("assumes", "uses", "repairs")}
    for row in entry.checks:
        label = row["check"].replace("_", " ")
        facts[f"{label}: evidence"] = f"{row['kind']}, {amount(row)}"
        facts[f"{label}: tightness"] = tightness(row)
        caught = sum(killer is not None for killer in row["mutants"].values())
        facts[f"{label}: false variants caught"] = f"{caught} of {len(row['mutants'])}"
    return facts


def provenance(found: Iterable[Entry]) -> dict[str, list[str]]:
    """Collect versions, commits and seeds, most frequent first."""
    rows = [row for entry in found for row in (entry.checks or [entry.fields])]
    names = {
        "boosttheory": "version",
        "Computed with": "environment",
        "Commit": "commit",
        "Library": "library_hash",
        "Seed": "seed",
    }
    values = {
        label: Counter(str(row[name]) for row in rows if row.get(name) not in ("", None))
        for label, name in names.items()
    }
    return {label: [value for value, _ in tally.most_common()] for label, tally in values.items()}


def papers(found: Iterable[Entry]) -> list[tuple[str, str, list[Entry]]]:
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


def missing(found: Iterable[Entry]) -> list[Result]:
    """List the numbered results of the papers shown that no row speaks of."""
    ids = {entry.id for entry in found}
    shown = {result.paper for result in RESULTS if result.id in ids}
    return [result for result in RESULTS if result.paper in shown and result.id not in ids]


def surprises(found: Iterable[Entry]) -> list[str]:
    """List weak evidence and unexpected verdicts, in sentences."""
    shown = list(found)
    weak = [sentence for entry in shown for row in entry.checks for sentence in row["surprises"]]
    unexpected = [entry for entry in shown if not entry.expected]
    return weak + [
        f"{entry.id}: the verdict is {entry.verdict}, expected {entry.fields['expect']}"
        for entry in unexpected
    ]


def power(probability: float) -> str:
    """Write a small probability rounded up to two digits.

    >>> power(8.04e-8)
    '8.1 · 10⁻⁸'
    """
    if probability <= 0:
        return "0"
    exponent = math.floor(math.log10(probability))
    digits = math.ceil(round(probability / 10**exponent * 10, 6)) / 10
    raised = str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{digits:g} · 10{raised}"


def contents(found: Sequence[Entry]) -> dict[str, Any]:
    """Gather what both forms of the report show above the single claims."""
    return {
        "tally": counts(found),
        "papers": papers(found),
        "findings": findings(found),
        "surprises": surprises(found),
        "provenance": provenance(found),
        "errata": [entry for entry in found if entry.verdict == Verdict.REFUTED],
        "statistical": sum(row["kind"] == Kind.STATISTICAL for e in found for row in e.checks),
        "error": sum(row["error"] for e in found for row in e.checks if row["kind"] == Kind.STATISTICAL),
        "cases": sum(row["cases"] for entry in found for row in entry.checks),
        "mutants": sum(entry.mutants for entry in found),
        "killed": sum(entry.killed for entry in found),
    }
