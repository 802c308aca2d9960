"""``boosttheory report``: result rows to one page; runs nothing."""

from __future__ import annotations

from pathlib import Path

import click

from boosttheory.cli import console, print_json, writing

ROWS = Path("reports/rows.jsonl")


@click.command("report", short_help="Turn result rows into one self-contained page.")
@click.argument("rows", nargs=-1, type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("reports/index.html"),
    show_default=True,
    help="The page, or the folder in which to write index.html.",
)
@click.option("--title", default="The ledger", show_default=True, help="Heading of the page.")
@click.option("--select", "ids", multiple=True, help="Claims, families or papers to show; may be repeated.")
@click.option("--json", "as_json", is_flag=True, help="Print what was written as one JSON object.")
def command(rows: tuple[Path, ...], out: Path, title: str, ids: tuple[str, ...], as_json: bool) -> None:
    """Turn ROWS (files written by `boosttheory check`; reports/rows.jsonl by default) into one HTML page.

    No check is run: verdicts are computed from the rows, and rows whose source has changed are shown as
    stale. The page is one file that asks for nothing from outside.
    """
    from boosttheory.report import choose, counts, entries
    from boosttheory.report.html import build
    from boosttheory.rows import atomic_write, read_rows

    paths = rows or ((ROWS,) if ROWS.exists() else ())
    every = [row for path in paths for row in read_rows(path)]
    messages = console()
    if not every:
        messages.print("no rows, so the page is empty: run `boosttheory check` first", soft_wrap=True)
    distinct = len({(row["claim"], row["check"]) for row in every})
    if distinct < len(every):
        messages.print(f"{len(every) - distinct} rows come again later and are replaced", soft_wrap=True)
    ids = tuple(part for given in ids for part in given.replace(",", " ").split())
    page = build(every, title=title, ids=ids)
    target = out / "index.html" if out.is_dir() or not out.suffix else out
    with writing(target):
        atomic_write(target, page)
    if as_json:
        found = choose(entries(every), ids)
        stale = [entry.id for entry in found if entry.stale]
        print_json({"page": str(target), "claims": len(found), "verdicts": counts(found), "stale": stale})
    else:
        messages.print(f"page: {target}", soft_wrap=True)
