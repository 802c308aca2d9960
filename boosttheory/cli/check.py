"""``boosttheory check``: run checks and mutants, write rows, fail on any surprise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from boosttheory.cli import console, print_json, writing
from boosttheory.cli._ledger import ledger_option

if TYPE_CHECKING:
    from boosttheory.claims import Claim

TONES = {"good": "green", "bad": "bold red", "open": "yellow"}


def _cores() -> int:
    import os

    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_claims(claims: Mapping[str, Claim], *, seed: int, slow: bool, jobs: int) -> list[dict[str, Any]]:
    """Run checks with a progress bar, or one plain line a check where standard error is no terminal."""
    from boosttheory.rows import run

    total = sum(len(claim.runnable(slow)) for claim in claims.values())
    jobs = max(1, min(jobs, total))
    out = console()
    if out.is_terminal:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.description}", markup=False),
        )
        with Progress(*columns, console=out, transient=True) as bar:
            task = bar.add_task("", total=total)

            def show(row: Mapping[str, Any]) -> None:
                bar.update(task, advance=1, description=f"{row['claim']}: {row['check']}")

            return run(claims, seed=seed, slow=slow, jobs=jobs, progress=show)
    done = 0

    def count(row: Mapping[str, Any]) -> None:
        nonlocal done
        done += 1
        out.print(f"[{done}/{total}] {row['claim']}: {row['check']} ({row['seconds']:.1f} s)", soft_wrap=True)

    return run(claims, seed=seed, slow=slow, jobs=jobs, progress=count)


def _table(found: Sequence[Any]) -> Any:
    """Lay out one line a check, the claim's own cells on the first."""
    from rich.table import Table
    from rich.text import Text

    from boosttheory.report import evidence, tightness

    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("Claim", "Verdict (reading)"):
        table.add_column(name, ratio=2)
    table.add_column("Evidence", ratio=4)
    for name in ("Tightness", "Mutants", "s"):
        table.add_column(name, justify="right")
    for entry in found:
        head = (Text(f"{entry.id}\n{entry.fields['title']}"), Text(entry.phrase, TONES[entry.tone]))
        for row in entry.checks:
            killed = sum(killer is not None for killer in row["mutants"].values())
            table.add_row(
                *head,
                Text(evidence(row)),
                Text(tightness(row)),
                Text(f"{killed}/{len(row['mutants'])}", "" if killed == len(row["mutants"]) else "bold red"),
                f"{row['seconds']:.1f}",
            )
            head = (Text(), Text())
        if not entry.checks:
            table.add_row(*head, Text("no check"), "", "", "")
        table.add_section()
    return table


def summary(tally: Mapping[str, Mapping[str, int]]) -> str:
    """Sum up the verdicts in one line, statements apart from definitions and algorithms."""
    from boosttheory.report import plural

    parts = []
    for group, verdicts in tally.items():
        if verdicts:
            each = ", ".join(f"{count:,} {name}" for name, count in verdicts.items())
            parts.append(f"{plural(sum(verdicts.values()), group[:-1])}: {each}")
    return "; ".join(parts) or "no claims"


@click.command("check", short_help="Run checks and their mutants, write rows.")
@click.argument("ids", nargs=-1)
@click.option("--slow", is_flag=True, help="Run the larger streams and the checks marked slow.")
@click.option(
    "--jobs", type=click.IntRange(1), help="Number of processes.  [default: the cores; 1 for a few checks]"
)
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Root of every random stream."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("reports/rows.jsonl"),
    show_default=True,
    help="Rows go here; with IDS they replace the rows of those claims and leave the others.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the rows on standard output, one a line.")
@click.option("--list", "only_list", is_flag=True, help="List the claims and run nothing.")
@ledger_option
def command(
    ids: tuple[str, ...],
    slow: bool,
    jobs: int | None,
    seed: int,
    out: Path,
    as_json: bool,
    only_list: bool,
    ledger: str,
) -> None:
    """Run checks and their mutants, write rows, exit 1 on any surprise.

    IDS are claims (triplet.thm2), families (triplet.thm2.*: the claim, its parts and its repairs) or whole
    papers (triplet, multiclass); without any, the whole ledger runs. A surprise is a verdict other than
    expected, better ones too, a mutant that survives, or a rescue that fails.
    """
    from boosttheory.claims import load, select
    from boosttheory.report import counts, entries
    from boosttheory.rows import claim_fields, merge_rows, read_rows, surprises, write_rows

    everything = load(ledger)
    claims = select(everything, ids)
    if only_list:
        for claim in claims.values():
            if as_json:
                print_json(claim_fields(claim))
            else:
                click.echo(f"{claim.id:28} {claim.role:11} {claim.locator}: {claim.title}")
        return
    if ids and out.is_file():
        read_rows(out)  # a run of minutes is not thrown away for a broken file
    with writing(out):
        pass  # nor for a mistyped folder
    if jobs is None:
        # a process more takes seconds to start, as long as a few checks take
        few = sum(len(claim.runnable(slow)) for claim in claims.values()) < 6
        jobs = 1 if few and not slow else _cores()
    rows = run_claims(claims, seed=seed, slow=slow, jobs=jobs)
    with writing(out):
        merge_rows(out, rows, everything) if ids else write_rows(out, rows)
    found = entries(rows)
    messages = console()
    if as_json:
        for row in rows:
            print_json(row)
    else:
        console(stderr=False).print(_table(found))
    messages.print(summary(counts(found)), soft_wrap=True)
    unexpected = surprises(claims, rows, slow=slow)
    for sentence in unexpected:
        messages.print(f"surprise: {sentence}", style="bold red", soft_wrap=True)
    messages.print(f"rows: {out}", soft_wrap=True)
    if unexpected:
        click.get_current_context().exit(1)
