"""``boosttheory report``: result rows to a page and a PDF; runs nothing."""

from __future__ import annotations

import os
from pathlib import Path

import click

from boosttheory.cli import Failure, console, print_json, writing

ROWS = Path("reports/rows.jsonl")


def _source(page: Path, files: set[str]) -> str:
    """Return the way from the page to the modules if they lie below the working folder, else nothing."""
    if not any(file and Path(file).is_file() for file in files):
        return ""
    return os.path.relpath(Path.cwd(), page.resolve().parent).replace(os.sep, "/") + "/"


@click.command("report", short_help="Turn result rows into one self-contained page and a PDF.")
@click.argument("rows", nargs=-1, type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("reports/index.html"),
    show_default=True,
    help="The page, or the folder in which to write index.html; the PDF lands beside it.",
)
@click.option("--pdf/--no-pdf", default=None, help="Write the PDF too.  [default: if Typst is installed]")
@click.option("--title", default="The ledger", show_default=True, help="Heading of the report.")
@click.option("--select", "ids", multiple=True, help="Claims, families or papers to show; may be repeated.")
@click.option(
    "--compare",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Rows of an earlier run: the report then says what has changed.",
)
@click.option(
    "--source",
    help="Address before the path of a module, such as https://host/project/blob/main/; by default the "
    "modules below the working folder are linked.",
)
@click.option("--json", "as_json", is_flag=True, help="Print what was written as one JSON object.")
def command(
    rows: tuple[Path, ...],
    out: Path,
    pdf: bool | None,
    title: str,
    ids: tuple[str, ...],
    compare: Path | None,
    source: str | None,
    as_json: bool,
) -> None:
    """Turn ROWS (files written by `boosttheory check`; reports/rows.jsonl by default) into a page and a PDF.

    No check is run: verdicts are computed from the rows, and rows whose source has changed are shown as
    stale. The page is one file that asks for nothing from outside. The PDF needs Typst: pip install
    'boosttheory[pdf]'.
    """
    from boosttheory.report import choose, counts, entries
    from boosttheory.report.html import build
    from boosttheory.report.pdf import MISSING, available
    from boosttheory.report.pdf import build as build_pdf
    from boosttheory.rows import atomic_write, read_rows

    paths = rows or ((ROWS,) if ROWS.exists() else ())
    every = [row for path in paths for row in read_rows(path)]
    old = None if compare is None else read_rows(compare)
    messages = console()
    if not every:
        messages.print("no rows, so the page is empty: run `boosttheory check` first", soft_wrap=True)
    distinct = len({(row["claim"], row["check"]) for row in every})
    if distinct < len(every):
        messages.print(f"{len(every) - distinct} rows come again later and are replaced", soft_wrap=True)
    ids = tuple(part for given in ids for part in given.replace(",", " ").split())
    target = out / "index.html" if out.is_dir() or not out.suffix else out
    if source is None:
        source = _source(target, {str(row.get("file", "")) for row in every})
    written: dict[Path, str | bytes] = {target: build(every, title=title, ids=ids, old=old, source=source)}
    printed = available() if pdf is None else pdf and available()
    if printed:
        written[target.with_suffix(".pdf")] = build_pdf(every, title=title, ids=ids, old=old)
    for path, content in written.items():
        with writing(path):
            atomic_write(path, content)
    if as_json:
        found = choose(entries(every), ids)
        stale = [entry.id for entry in found if entry.stale]
        files = {"page": str(target), "pdf": str(target.with_suffix(".pdf")) if printed else None}
        print_json(files | {"claims": len(found), "verdicts": counts(found), "stale": stale})
    else:
        for path in written:
            messages.print(f"{'PDF' if path != target else 'page'}: {path}", soft_wrap=True)
    if pdf and not printed:
        raise Failure(MISSING)
    if pdf is None and not printed:
        messages.print(MISSING, soft_wrap=True)
