"""``boosttheory hunt``: look for a counterexample to a claim, or for a tighter case."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from boosttheory.cli import console, print_json, writing
from boosttheory.cli._ledger import ledger_option

if TYPE_CHECKING:
    from boosttheory.hunting import Hunt

_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}


def _seconds(ctx: click.Context, param: click.Parameter, value: str) -> float:
    """Read a time: 90, 90s, 10m or 2h."""
    found = re.fullmatch(r"(\d+(?:\.\d*)?)\s*([smh]?)", value.strip())
    if found is None or float(found[1]) == 0:
        raise click.BadParameter(f"{value!r} is no time above 0; write 90, 90s, 10m or 2h")
    return float(found[1]) * _UNITS[found[2]]


@contextmanager
def _watching(name: str) -> Iterator[Callable[[Hunt], None] | None]:
    """Show the state of a hunt on a terminal, and nothing elsewhere."""
    out = console()
    if not out.is_terminal:
        yield None
        return
    from rich.markup import escape

    with out.status(escape(name)) as status:
        yield lambda found: status.update(escape(f"{found.seconds:.0f} s: {found.sentence()}"))


def _known(rows: Path, check: str) -> str:
    """Return the least margin of the last run of a check, as text; empty if there was none."""
    from boosttheory.rows import read_rows

    if not rows.exists():
        return ""
    found = [row for row in read_rows(rows) if f"{row['claim']}:{row['check']}" == check]
    return str(found[-1].get("high", "")) if found else ""


@click.command("hunt", short_help="Look for a counterexample or a tighter case.")
@click.argument("claim_id", metavar="ID")
@click.option("--budget", callback=_seconds, default="60s", show_default=True, help="Time for each check.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Root of the draws.")
@click.option("--check", "name", help="Hunt this check only.  [default: every one that can be hunted]")
@click.option("--fresh", is_flag=True, help="Start anew, do not resume an earlier hunt.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("reports/hunts"),
    show_default=True,
    help="Folder that keeps the best case, from which the next hunt goes on.",
)
@click.option(
    "--rows",
    type=click.Path(path_type=Path),
    default=Path("reports/rows.jsonl"),
    show_default=True,
    help="Rows of the last check, for the margin known so far.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a check on standard output.")
@ledger_option
@click.pass_context
def command(
    ctx: click.Context,
    claim_id: str,
    budget: float,
    seed: int,
    name: str | None,
    fresh: bool,
    out: Path,
    rows: Path,
    as_json: bool,
    ledger: str,
) -> None:
    """Look for a counterexample to the claim ID, or for a case with a smaller margin.

    A claim can be hunted if one of its checks draws its cases from a strategy. Exit code 0: no
    counterexample. 1: one was found. 2: ID cannot be hunted. 130: interrupted; the best case so far is kept.
    """
    from boosttheory.claims import load, render, select
    from boosttheory.files import locked
    from boosttheory.hunting import hunt, hunt_file, hunted_checks, read_hunt, resumable, write_hunt

    claims = select(load(ledger), [claim_id])
    if claim_id not in claims:
        raise ValueError(f"{claim_id!r} names several claims; name one, such as {next(iter(claims))!r}")
    checks = hunted_checks(claims[claim_id], name)
    refuted = interrupted = False
    for check in checks:
        # held until the command ends: the best case of another hunt over the same check would be lost
        with writing(out / "hunt"):
            ctx.with_resource(locked(hunt_file(out, check.id)))
        start = None if fresh else read_hunt(out, check)
        if start is not None and not resumable(check, start):
            console().print(
                f"{check.id}: its module changed since the last hunt; starting anew", soft_wrap=True
            )
            start = None
        with _watching(check.id) as progress:
            found = hunt(check, budget, seed=seed, start=start, progress=progress)
        with writing(out / "hunt"):
            paths = write_hunt(out, found)
        if as_json:
            print_json(found.as_dict())
        else:
            click.echo(found.sentence())
            ways = ", ".join(f"{count:,} by {way}" for way, count in found.ways.items())
            click.echo(f"  {found.seconds:.0f} s, seed {found.seed}; cases: {ways}")
            if found.margin is not None:
                click.echo(f"  best case: {render(found.best, 1000)}")
                click.echo(f"  its margin: {render(found.margin, 200)}")
            if known := _known(rows, check.id):
                click.echo(f"  margin of the last check: {known}")
            click.echo(f"  kept in: {', '.join(map(str, paths))}")
        refuted, interrupted = refuted or found.refuted, found.interrupted
        if interrupted:
            console().print("interrupted; the best case so far is kept", soft_wrap=True)
            break
    ctx.exit(130 if interrupted else int(refuted))
