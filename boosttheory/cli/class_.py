"""``boosttheory class``: dimensions, witness and orientation number of a finite class."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from boosttheory.cli import console, print_json, shown

if TYPE_CHECKING:
    from boosttheory.concepts import Dimension, FiniteClass, Notion

NAMES = {"ds": "DS", "natarajan": "Natarajan", "graph": "graph", "exponential": "exponential", "vc": "VC"}
SHOWN = 8


def _notions(family: FiniteClass, sizes: tuple[int, ...]) -> list[tuple[Notion, int]]:
    plain: list[tuple[Notion, int]] = [("graph", 1)]
    if family.n_labels <= 2:
        plain.append(("vc", 1))
    listed: tuple[Notion, ...] = ("ds", "natarajan", "exponential")
    return [(notion, k) for notion in listed for k in sizes] + plain


def _entry(family: FiniteClass, found: Dimension) -> dict[str, Any]:
    def named(row: Any) -> list[Any]:
        return [family.labels[code] for code in row]

    return {
        "notion": found.notion,
        "k": found.k,
        "value": found.value,
        "complete": found.complete,
        "points": list(found.points),
        "witness": [named(row) for row in found.patterns.tolist()] if found.value else [],
        "pivot": named(found.pivot) if found.pivot is not None else None,
    }


@click.command("class")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--header", is_flag=True, help="The first row names the points.")
@click.option(
    "-k",
    "sizes",
    type=click.IntRange(1),
    multiple=True,
    help="List size; may be repeated.  [default: 1 to |Y| - 1, at most 3]",
)
@click.option("--at-most", type=click.IntRange(0), help="Stop each search at this dimension.")
@click.option(
    "--budget", type=click.IntRange(1), help="Largest estimate of pattern visits that a search may have."
)
@click.option(
    "--json", "as_json", is_flag=True, help="One JSON object on standard output, witnesses in full."
)
def command(
    file: Path, header: bool, sizes: tuple[int, ...], at_most: int | None, budget: int | None, as_json: bool
) -> None:
    """Dimensions, witnesses and orientation numbers of the finite class in FILE.

    FILE is a CSV of patterns: one row a function, one column a point, entries are labels. A search that is
    interrupted reports the lower bound it has reached.
    """
    from boosttheory.concepts import BUDGET, FiniteClass, Interrupted
    from boosttheory.oneinclusion import Graph, orient

    family = FiniteClass.from_file(file, header=header)
    sizes = tuple(sorted(set(sizes))) or tuple(range(1, max(2, min(family.n_labels, 4))))
    dimensions: list[dict[str, Any]] = []
    orientations: list[dict[str, Any]] = []
    interrupted = False
    try:
        for notion, k in _notions(family, sizes):
            try:
                found = family.dimension(notion, k, at_most=at_most, budget=budget or BUDGET)
            except ValueError as error:
                dimensions.append({"notion": notion, "k": k, "value": None, "reason": str(error)})
            else:
                dimensions.append(_entry(family, found))
        graph = Graph(family)
        for k in sizes:
            best = orient(graph, k)
            dense = {"dense": len(best.dense), "density": str(best.density)}
            orientations.append({"k": k, "out_degree": best.out_degree} | dense)
    except KeyboardInterrupt as stop:
        interrupted = True
        if isinstance(stop, Interrupted):
            dimensions.append(_entry(family, stop.found))
    report = {
        "file": file.name,
        "patterns": len(family),
        "points": family.n_points,
        "labels": list(family.labels),
        "duplicates": family.duplicates,
        "dimensions": dimensions,
        "orientations": orientations,
        "interrupted": interrupted,
    }
    if as_json:
        print_json(report)
    else:
        _show(report)
    if interrupted:
        click.get_current_context().exit(130)


def _show(report: dict[str, Any]) -> None:
    from rich.table import Table

    out = console(stderr=False)
    labels = ", ".join(map(shown, report["labels"][:SHOWN])) + (
        ", ..." if len(report["labels"]) > SHOWN else ""
    )
    dropped = f"; repeated rows dropped: {report['duplicates']}" if report["duplicates"] else ""
    out.print(
        f"{report['patterns']} patterns on {report['points']} points over {len(report['labels'])} labels "
        f"({labels}){dropped}"
    )
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("Dimension", "k", "Value", "Shattered points", "Shattered by"):
        table.add_column(name, justify="right" if name in ("k", "Value") else "left")
    for row in report["dimensions"]:
        if row["value"] is None:
            table.add_row(NAMES[row["notion"]], str(row["k"]), "?", "", row["reason"])
            continue
        rows = [" ".join(map(shown, pattern)) for pattern in row["witness"][:SHOWN]]
        more = f" | ... {len(row['witness'])} in all" if len(row["witness"]) > SHOWN else ""
        value = str(row["value"]) if row["complete"] else f">= {row['value']}"
        points = ", ".join(map(str, row["points"]))
        table.add_row(NAMES[row["notion"]], str(row["k"]), value, points, " | ".join(rows) + more)
    out.print(table)
    for row in report["orientations"]:
        why = f"; {row['dense']} patterns of density {row['density']} allow no less" if row["dense"] else ""
        out.print(f"least maximal out-degree of a {row['k']}-list orientation: {row['out_degree']}{why}")
    if report["interrupted"]:
        out.print("interrupted: what is missing was not computed")
