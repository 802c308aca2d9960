"""``boosttheory explain``: everything known about one claim."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from boosttheory.cli import console, print_json
from boosttheory.cli._ledger import ledger_option
from boosttheory.cli.check import TONES, run_claims

if TYPE_CHECKING:
    from boosttheory.claims import Claim
    from boosttheory.report import Entry


def _stored(path: Path, claim: Claim, slow: bool) -> list[dict[str, Any]]:
    """Return the rows of a claim if they are of its present source and of every check it has, else none."""
    from boosttheory.rows import claim_fields, read_rows

    if not path.exists():
        return []
    rows = [row for row in read_rows(path) if row["claim"] == claim.id]
    now = claim_fields(claim)
    fresh = all(row.get(key) == now[key] for row in rows for key in ("source_hash", "version"))
    names = sorted(check.name for check in claim.runnable(slow))
    whole = sorted(row["check"] for row in rows if row["check"] and row.get("slow") is slow) == names
    return rows if fresh and whole else []


def _text(entry: Entry, source: str) -> Any:
    from rich.text import Text

    from boosttheory.report import evidence, tightness

    fields = entry.fields
    out = Text()

    def block(head: str, *lines: str) -> None:
        if any(lines):
            out.append(f"\n{head}\n", "bold")
            for line in lines:
                out.append(f"  {line}\n")

    out.append(f"{entry.id}: {fields['title']}\n", "bold")
    out.append(f"{fields['locator']} ({fields['role']})\n")
    block("Statement (LaTeX)", fields["statement"])
    block("Hypotheses", *fields["assumes"])
    out.append("\nVerdict\n", "bold")
    out.append(f"  {entry.phrase}", TONES[entry.tone])
    out.append(f", {source}\n")
    if not entry.expected:
        out.append(f"  a surprise: {fields['expect']!s} is expected\n", "bold red")
    for row in entry.checks:
        block(
            f"Check {row['check']}",
            evidence(row),
            *([" ".join(row["description"].split("\n\n")[0].split())] if row["description"] else []),
            f"tightness: {tightness(row)}",
            f"tightest case: {row['worst']}",
            *(f"by hand: {step}" for step in row["by_hand"]),
            *(
                f"mutant: {label}: " + ("SURVIVES" if killer is None else f"killed by {killer}")
                for label, killer in row["mutants"].items()
            ),
            *(
                f"rescue: {label}: {'holds' if ok else 'FAILS'} on the witness"
                for label, ok in row["rescues"].items()
            ),
            f"{fields['file']}:{row['line']}, {row['seconds']:.1f} s",
        )
    block("Note", fields["note"])
    relations = {
        "uses": fields["uses"],
        "used by": entry.used_by,
        "repairs": fields["repairs"],
        "repaired by": entry.repaired_by,
    }
    block("Relations", *(f"{name}: {', '.join(ids)}" for name, ids in relations.items() if ids))
    block("Source and command", fields["file"], entry.command)
    return out


@click.command("explain", short_help="Show all that is known about one claim.")
@click.argument("id_", metavar="ID")
@click.option(
    "--rows",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("reports/rows.jsonl"),
    show_default=True,
    help="Take the verdict from here if its rows are of the present source; otherwise the claim is run.",
)
@click.option("--slow", is_flag=True, help="Explain the slow run.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@ledger_option
def command(id_: str, rows: Path, slow: bool, as_json: bool, ledger: str) -> None:
    """Show statement, hypotheses, verdict, evidence, mutants, tightest case and relations of the claim ID."""
    from boosttheory.claims import load, select
    from boosttheory.report import entries
    from boosttheory.rows import claim_fields

    everything = load(ledger)
    chosen = select(everything, [id_])
    if len(chosen) != 1:
        raise ValueError(f"ID={id_!r} names {len(chosen)} claims; choose one of {', '.join(chosen)}")
    (claim,) = chosen.values()
    found = _stored(rows, claim, slow)
    source = f"from {rows}" if found else "run just now"
    found = found or run_claims(chosen, seed=0, slow=slow, jobs=1)
    others = [claim_fields(c) | {"check": None} for c in everything.values() if c is not claim]
    entry = next(e for e in entries([*found, *others]) if e.id == claim.id)
    if as_json:
        print_json(
            entry.fields
            | {
                "verdict": entry.verdict,
                "checks": entry.checks,
                "used_by": entry.used_by,
                "command": entry.command,
            }
            | {"repaired_by": entry.repaired_by, "source": source}
        )
    else:
        console(stderr=False).print(_text(entry, source), soft_wrap=True)
