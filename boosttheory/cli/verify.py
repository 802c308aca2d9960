"""``boosttheory verify``: re-check a counterexample, independently of the algorithms."""

from __future__ import annotations

from pathlib import Path

import click

from boosttheory.cli import print_json


@click.command("verify")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the numbers as JSON on standard output.")
@click.pass_context
def command(ctx: click.Context, file: Path, as_json: bool) -> None:
    """Re-check the counterexample in FILE by code that imports none of the algorithms.

    Exit code 0: the counterexample is confirmed, so the claim is refuted. 1: it is not confirmed. 2: FILE is
    no certificate.
    """
    from boosttheory.certificates import verify

    found = verify(file)
    if as_json:
        print_json(found.as_dict())
    else:
        word = "refuted" if found.refuted else "not confirmed"
        click.echo(f"{found.claim}: {word} (oracle reading): {found.reason}")
        click.echo(f"  k = {found.k}, gamma = {found.gamma}, m = {found.m}, T = {found.T}")
        click.echo(f"  H = {found.hits}, T(1/k + gamma/2) = {found.threshold} = {float(found.threshold):.6f}")
        click.echo(f"  accuracy - (1/k + gamma) >= {float(found.least_excess):.3e} in every round")
        click.echo(f"  given away over all rounds: at most {float(found.total_excess):.6f}")
    ctx.exit(0 if found.refuted else 1)
