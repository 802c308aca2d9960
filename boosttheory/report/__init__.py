"""What rows say of each claim, in the words that the terminal and the page share.

Nothing here runs a check: the only thing computed from rows is the verdict.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import SimpleNamespace
from typing import Any

from boosttheory.claims import Kind, Reading, Role, Verdict, approximate, select, verdict
from boosttheory.files import parse_fraction, printable
from boosttheory.rows import library_hash, source_hash

__all__ = [
    "Entry",
    "amount",
    "choose",
    "closure",
    "counts",
    "entries",
    "evidence",
    "plural",
    "shortfall",
    "tightness",
]

_LINES = (
    "paper",
    "locator",
    "title",
    "statement",
    "note",
    "version",
    "commit",
    "source_hash",
    "library_hash",
    "environment",
    "file",
)
_LISTS = ("assumes", "uses", "repairs")
_CHECK = {
    "scope": "", "cases": 0, "low": "", "high": "", "margin": None, "error": 0.0, "worst": "", "mutants": {},
    "coarse": [], "rescues": {}, "surprises": [], "table": [], "figure": {}, "certificates": {},
    "worst_data": None, "seconds": 0.0, "seed": 0,
    "slow": False, "line": 0, "relation": "inequality", "description": "", "delta": "0",
    "by_hand": [], "whole": False,
}  # fmt: skip


@dataclass
class Entry:
    """One claim as its rows tell it.

    Attributes
    ----------
    fields : dict
        Claim-level fields of the rows (`boosttheory.rows.claim_fields`), none missing.
    checks : list of dict
        Its rows with evidence, none of their fields missing.
    verdict : Verdict
        Computed from the checks.
    used_by, repaired_by : list of str
        Ids of other claims among the same rows.
    ground : str
        The worst ``tone`` among the claim and all that it rests on, through any number of steps; what is not
        among the rows counts as ``open``.
    """

    fields: dict[str, Any]
    checks: list[dict[str, Any]]
    verdict: Verdict
    used_by: list[str] = field(default_factory=list)
    repaired_by: list[str] = field(default_factory=list)
    ground: str = "good"

    @property
    def id(self) -> str:
        """Id of the claim."""
        return str(self.fields["claim"])

    @property
    def phrase(self) -> str:
        """The verdict with its reading: a verdict is never shown without it."""
        return f"{self.verdict} ({self.reading})"

    @property
    def tone(self) -> str:
        """One of ``good``, ``bad`` and ``open``."""
        return "good" if self.verdict.holds else "bad" if self.verdict == Verdict.REFUTED else "open"

    @property
    def expected(self) -> bool:
        """Whether the verdict is the one that the claim expects."""
        return self.fields["expect"] in ("", self.verdict)

    @property
    def seconds(self) -> float:
        """Time of all its checks."""
        return float(sum(row["seconds"] for row in self.checks))

    @property
    def mutants(self) -> int:
        """Number of false variants of all its checks."""
        return sum(len(row["mutants"]) for row in self.checks)

    @property
    def killed(self) -> int:
        """Number of false variants that some case caught."""
        return sum(killer is not None for row in self.checks for killer in row["mutants"].values())

    @property
    def totals(self) -> list[str]:
        """Evidence in brief: one line a kind, the strongest first, cases summed over its checks."""
        cases = {kind: sum(row["cases"] for row in self.checks if row["kind"] == kind) for kind in Kind}
        return [f"{kind}, {amount({'kind': kind, 'cases': n})}" for kind, n in cases.items() if n]

    @property
    def reading(self) -> str:
        """The reading in words."""
        reading = self.fields["reading"]
        return "as printed" if reading == Reading.AS_PRINTED else f"{reading} reading"

    @property
    def least(self) -> dict[str, Any] | None:
        """The check with the least margin, if any margin is finite."""
        finite = [row for row in self.checks if row["margin"] is not None]
        return min(finite, key=lambda row: row["margin"], default=None)

    @property
    def slack(self) -> str:
        """What the least margin amounts to: ``negative``, ``attained``, ``positive`` or ``none``."""
        if self.least is None:
            return "none"
        margin = self.least["margin"]
        return "negative" if margin < 0 else "positive" if margin > 0 else "attained"

    @property
    def slow(self) -> bool:
        """Whether the rows come from a slow run."""
        return any(row["slow"] for row in self.checks)

    @cached_property
    def changed(self) -> str:
        """What changed since the rows were written: ``source`` (the claim's own), ``library`` or nothing."""
        now, rows = source_hash(self.fields["file"]), self.checks or [self.fields]
        if not now:
            return ""
        if any(row["source_hash"] != now for row in rows):
            return "source"
        return "library" if any(row["library_hash"] not in ("", library_hash()) for row in rows) else ""

    @property
    def stale(self) -> bool:
        """Whether the source of the claim, or the library, has changed since the rows were written."""
        return bool(self.changed)

    @property
    def refuting(self) -> list[dict[str, Any]]:
        """Return the checks that refute the claim."""
        return [row for row in self.checks if row["refutes"]]

    @property
    def command(self) -> str:
        """The command that runs the claim again."""
        seed = next((row["seed"] for row in self.checks if row["seed"]), 0)
        package = self.fields["file"].split("/")[0]
        words = [
            "boosttheory check",
            self.id,
            "--slow" if self.slow else "",
            f"--seed {seed}" if seed else "",
        ]
        words.append(f"--ledger {package}" if package not in ("", "proofs_checks") else "")
        return " ".join(word for word in words if word)


def _sentence(text: str) -> str:
    """Start with a capital, unless the first letter is a symbol.

    >>> _sentence("a class"), _sentence("k-DS shattering"), _sentence("γ⁻² in place of γ⁻³")
    ('A class', 'k-DS shattering', 'γ⁻² in place of γ⁻³')
    """
    return text[:1].upper() + text[1:] if re.match(r"(a|[a-z]{2,})\b", text) else text


def _clean(value: Any) -> Any:
    """Write control characters in all text as escapes: no reader of a report, XML or terminal takes them."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, Mapping):
        return {printable(key): _clean(item) for key, item in value.items()}
    return [_clean(item) for item in value] if isinstance(value, list) else value


def _complete(row: Mapping[str, Any]) -> dict[str, Any]:
    """Fill what is only shown, demand what the verdict rests on."""
    row = _clean(row)
    name = f"{row['claim']}:{row['check']}"
    needed = {"role": Role, "reading": Reading} | ({"kind": Kind} if row["check"] else {})
    for key, allowed in needed.items():
        if row.get(key) not in list(allowed):
            known = ", ".join(allowed)
            raise ValueError(
                f"the row {name} has {key}={row.get(key)!r}, none of {known}; write the rows anew"
            )
    if row["check"]:
        for key in ("refutes", "supports"):
            if not isinstance(row.get(key), bool):
                raise ValueError(
                    f"the row {name} has {key}={row.get(key)!r}, no truth value; write the rows anew"
                )
    full = dict.fromkeys(_LINES, "") | {key: [] for key in _LISTS} | {"expect": ""} | dict(row)
    full["title"] = full["title"] or full["locator"] or full["claim"]
    for key, kind in (*dict.fromkeys(_LINES, str).items(), *dict.fromkeys(_LISTS, list).items()):
        listed = full[key] if kind is list else [full[key]]
        if not isinstance(full[key], kind) or not all(isinstance(item, str) for item in listed):
            raise ValueError(f"the row {name} has {key}={full[key]!r:.60}, no text; write the rows anew")
    for key in ("title", "locator"):
        full[key] = _sentence(str(full[key]))
    if row["check"]:
        full = _CHECK | full
        margin = full["margin"]
        if not isinstance(margin, (int, float, type(None))) or not math.isfinite(margin or 0):
            raise ValueError(f"the row {name} has margin={margin!r}, no number; write the rows anew")
        for key, default in _CHECK.items():
            kinds = (int, float) if isinstance(default, (bool, int, float)) else type(default)
            if default is not None and not isinstance(full[key], kinds):
                raise ValueError(
                    f"the row {name} has {key}={full[key]!r} of the wrong type; write the rows anew"
                )
    return full


def entries(rows: Iterable[Mapping[str, Any]]) -> list[Entry]:
    """Group rows by claim, in order of first appearance, and compute each verdict.

    Parameters
    ----------
    rows : iterable of mapping
        As from `boosttheory.rows.read_rows`; of two rows of one check the later counts.

    Returns
    -------
    list of Entry

    Raises
    ------
    ValueError
        If a row lacks a field that its verdict rests on.
    """
    grouped: dict[str, dict[str | None, dict[str, Any]]] = {}
    for row in rows:
        grouped.setdefault(row["claim"], {})[row["check"]] = _complete(row)
    made = {}
    for name, by_check in grouped.items():
        checks = [row for check, row in by_check.items() if check]
        last = [*by_check.values()][-1]
        made[name] = Entry(last, checks, verdict(last["role"], checks))
    for name, entry in made.items():
        for used in entry.fields["uses"]:
            if used in made:
                made[used].used_by.append(name)
        for repaired in entry.fields["repairs"]:
            if repaired in made:
                made[repaired].repaired_by.append(name)
    lacking = [name for name, entry in made.items() if any(used not in made for used in entry.fields["uses"])]
    for tone in ("open", "bad"):
        own = [name for name, entry in made.items() if entry.tone == tone]
        for name in closure([*own, *lacking] if tone == "open" else own, made):
            made[name].ground = tone
    return [*made.values()]


def closure(names: Iterable[str], among: Mapping[str, Entry]) -> list[str]:
    """List some claims and then all that rest on them, each once, the nearest first."""
    seen = dict.fromkeys(names)
    queue = [*seen]
    for name in queue:
        fresh = [user for user in among[name].used_by if user not in seen]
        seen.update(dict.fromkeys(fresh))
        queue.extend(fresh)
    return queue


def choose(found: Sequence[Entry], ids: Iterable[str]) -> list[Entry]:
    """Pick entries by id, family or paper, as `boosttheory.claims.select` does; all of them without ids.

    Raises
    ------
    KeyError
        If an id names none of them.
    """
    ledger: dict[str, Any] = {e.id: SimpleNamespace(repairs=e.fields["repairs"]) for e in found}
    wanted = select(ledger, ids)
    return [entry for entry in found if entry.id in wanted]


def counts(found: Iterable[Entry]) -> dict[str, dict[str, int]]:
    """Count verdicts, statements apart from definitions and algorithms.

    Returns
    -------
    dict
        ``{"statements": {verdict: count}, "definitions": ..., "algorithms": ...}``, strongest first.
    """
    tally: dict[str, dict[str, int]] = {f"{role}s": {} for role in Role}
    ordered = sorted(found, key=lambda entry: list(Verdict).index(entry.verdict))
    for entry in ordered:
        group = tally[f"{entry.fields['role']}s"]
        group[str(entry.verdict)] = group.get(str(entry.verdict), 0) + 1
    return tally


def plural(count: int, noun: str) -> str:
    """Write a count and its noun.

    >>> plural(1, "case"), plural(12345, "case")
    ('1 case', '12,345 cases')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def evidence(row: Mapping[str, Any]) -> str:
    """Say what kind of evidence a check is, with its number of cases and its scope."""
    return f"{row['kind']}, {amount(row)}: {row['scope']}"


def amount(row: Mapping[str, Any]) -> str:
    """Write the number of cases of a check, in the noun of its kind."""
    return plural(
        row["cases"], {Kind.SYMBOLIC: "obligation", Kind.STATISTICAL: "point"}.get(row["kind"], "case")
    )


def _short(text: str) -> str:
    """Write an exact number as it is if short, else rounded."""
    if len(text) <= 16:
        return {"0.0": "0", "-0.0": "0", "inf": "∞", "-inf": "−∞", "oo": "∞", "-oo": "−∞"}.get(
            text, text
        ).replace("-", "−")
    exact = parse_fraction(text)
    value = math.inf if exact is None else approximate(exact)
    if math.isinf(value):
        return ""
    return f"≈ {value:.4g}".replace("-", "−")


def tightness(row: Mapping[str, Any]) -> str:
    """Write the least margin of a check: exact where that is short."""
    low, high, margin = row["low"], row["high"], row["margin"]
    top = _short(high) or (f"≈ {margin:.4g}".replace("-", "−") if margin is not None else "")
    if low == high or row["supports"] or row["refutes"]:
        return top
    return f"between {_short(low) or '?'} and {top or '?'}"


def shortfall(row: Mapping[str, Any]) -> str:
    """Write by how much a refuting check fails: its tightness without the sign."""
    return tightness(row).replace("−", "", 1)
