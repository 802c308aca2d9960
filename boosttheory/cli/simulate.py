"""``boosttheory simulate``: run the simulations behind the figures, resumable, and draw them."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from boosttheory.cli import console, print_json, writing
from boosttheory.cli.check import _cores

if TYPE_CHECKING:
    from boosttheory.gallery import Drawing
    from boosttheory.simulate import Experiment, Progress, Width


def _duration(seconds: float) -> str:
    """Say a time in words of one unit."""
    for unit, size in (("days", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


@contextmanager
def _progress(name: str) -> Iterator[Callable[[Progress], None]]:
    """Show rate and time left: a bar on a terminal, or else a line every ten seconds."""
    out = console()

    def words(now: Progress) -> str:
        rate = now.done / now.seconds if now.seconds else 0.0
        return f"{rate:,.1f} blocks/s, {_duration(now.left)} left"

    if out.is_terminal:
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
        from rich.progress import Progress as Bar

        with Bar(
            TextColumn(name, markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.description}", markup=False),
            console=out,
            transient=True,
        ) as bar:
            task = bar.add_task("")

            def show(now: Progress) -> None:
                bar.update(task, completed=now.stored + now.done, total=now.blocks, description=words(now))

            yield show
        return
    last = time.monotonic()

    def line(now: Progress) -> None:
        nonlocal last
        if time.monotonic() - last > 10:
            last = time.monotonic()
            out.print(f"{name}: {now.stored + now.done}/{now.blocks} blocks, {words(now)}", soft_wrap=True)

    yield line


def _foretold(experiment: Experiment, store: Path, options: dict[str, Any]) -> str:
    """Foretell the time from stored blocks; where there are none, run the cheapest block first."""
    from dataclasses import replace

    from boosttheory.simulate import Store, expected_seconds, run

    plan = {name: options[name] for name in ("seed", "trials")}
    with Store(store, experiment, fresh=options["fresh"]) as opened:
        rows = list(opened.rows.values())
    if not rows:
        cheapest = replace(experiment, points=(min(experiment.points, key=experiment.work),))
        size = min(experiment.block, options["trials"] or experiment.replicates)
        # on a cluster, which may not answer, or else in this process, which starts at once
        place = {name: options[name] for name in ("jobs", "backend", "address")} if options["address"] else {}
        run(cheapest, store, seed=options["seed"], trials=size, **place)
        with Store(store, experiment) as opened:
            rows = list(opened.rows.values())
    seconds = expected_seconds(experiment, rows, jobs=options["jobs"], **plan)
    replicates = options["trials"] or experiment.replicates
    plural = "s" if len(experiment.points) > 1 else ""
    return (
        f"{experiment.name}: {len(experiment.points)} point{plural} × {replicates:,}, "
        f"about {_duration(seconds or 0.0)} on {options['jobs']} jobs"
    )


def _limits(experiment: Experiment, options: dict[str, Any]) -> str:
    """Say what the numbers are."""
    if experiment.counts and options["until"] is not None:
        return (
            f"95 % limits of a confidence sequence, sampled until width < {options['until'].below:g}: valid "
            "for the number of trials at which they stopped."
        )
    replicates = options["trials"] or experiment.replicates
    if experiment.counts:
        return f"95 % limits by Clopper and Pearson for {replicates:,} trials a point, fixed in advance."
    if replicates == 1:
        return "One run a point."
    return experiment.said.format(replicates)


def _run(experiment: Experiment, store: Path, options: dict[str, Any]) -> list[dict[str, Any]]:
    """Foretell, run with progress, return the table."""
    from boosttheory.simulate import run

    out = console()
    with writing(store):
        pass  # a run of hours is not thrown away for a mistyped folder
    if options["until"] is None:
        out.print(_foretold(experiment, store, options), soft_wrap=True)
        options = options | {"fresh": False}
    try:
        with _progress(experiment.name) as show:
            return run(experiment, store, progress=show, **options)
    except KeyboardInterrupt:
        out.print(
            f"stopped; the finished blocks are in {store}, the same command goes on from there",
            soft_wrap=True,
        )
        click.get_current_context().exit(130)


def _write(
    drawing: Drawing, table: Sequence[dict[str, Any]], out: Path, style: str, notes: str, command: str
) -> None:
    """Write figure, data and caption."""
    from boosttheory.figures import look, save, write_csv
    from boosttheory.rows import atomic_write

    stem, caption = out / drawing.name, drawing.captioned(notes)
    with look(style):
        save(drawing.draw(table, style), stem, title=drawing.title, description=caption)
    write_csv(out / f"{drawing.name}.csv", table)
    atomic_write(out / f"{drawing.name}.md", f"# {drawing.title}\n\n{caption}\n\n    {command}\n")


def _claims(names: Sequence[str]) -> dict[str, Any] | None:
    """Return the claims that these names pick, or None if they are figures."""
    from boosttheory.gallery import FIGURES, figure

    if all(name in FIGURES for name in names):
        return None
    from boosttheory.claims import load, select

    if any(name in FIGURES for name in names):
        raise click.UsageError("name figures, or claims, not both at once")
    if not any("." in name or name in ("triplet", "multiclass") for name in names):
        figure(next(name for name in names if name not in FIGURES))
    return select(load(), names)


@click.command("simulate", short_help="Run the simulations behind the figures and draw them.")
@click.argument("names", nargs=-1)
@click.option("--list", "only_list", is_flag=True, help="List the figures and run nothing.")
@click.option("--full", is_flag=True, help="The size of the paper; without it, a reduced one.")
@click.option("--trials", type=int, help="Replicates of each point, fixed: limits by Clopper and Pearson.")
@click.option("--until", help="Sample until 'width<0.005': limits of a confidence sequence.")
@click.option(
    "--data", type=click.Path(path_type=Path, exists=True), help="File or folder that a figure takes."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Root of every stream.")
@click.option("--jobs", type=click.IntRange(1), help="Number of workers.  [default: number of cores]")
@click.option(
    "--backend",
    type=click.Choice(["loky", "threading", "dask", "ray"]),
    default="loky",
    show_default=True,
    help="What runs the blocks; the results are the same.",
)
@click.option("--address", help="Scheduler of a running Dask or Ray cluster, tcp://host:8786.")
@click.option("--fresh", is_flag=True, help="Throw away stored blocks.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("reports/figures"),
    show_default=True,
    help="Folder of figures, data and stored blocks.",
)
@click.option("--style", type=click.Choice(["paper", "slides"]), default="paper", help="slides: larger type.")
@click.option("--json", "as_json", is_flag=True, help="Print the table on standard output, one line a row.")
def command(
    names: tuple[str, ...],
    only_list: bool,
    full: bool,
    trials: int | None,
    until: str | None,
    data: Path | None,
    seed: int,
    jobs: int | None,
    backend: str,
    address: str | None,
    fresh: bool,
    out: Path,
    style: str,
    as_json: bool,
) -> None:
    """Run the simulations behind the figures and draw them.

    NAMES are figures, "all" for every figure that needs no data of yours, or claims with statistical checks,
    which are drawn again and again. Each figure is written as SVG, PDF and PNG, its data as CSV, its caption
    beside it. Finished blocks are kept in OUT: a run can be stopped at any moment and goes on from there.
    """
    from boosttheory.figures import write_csv
    from boosttheory.gallery import FIGURES, claim_experiment
    from boosttheory.simulate import Width

    if only_list or not names:
        for drawing in FIGURES.values():
            click.echo(f"{drawing.name:18} {drawing.title} ({drawing.locator})")
        return
    if trials is not None and trials < 1:
        raise click.BadParameter(
            f"{trials} leaves nothing to measure; give at least 1", param_hint="'--trials'"
        )
    if trials is not None and until is not None:
        raise click.UsageError("--trials fixes the number of trials, --until does not; give one of them")
    rule: Width | None = None if until is None else Width.parse(until)
    options = {
        "seed": seed,
        "trials": trials,
        "until": rule,
        "jobs": jobs or _cores(),
        "backend": backend,
        "address": address,
        "fresh": fresh,
    }
    messages = console()
    if "all" in names:
        names = tuple(name for name, drawing in FIGURES.items() if not drawing.needs_data)
        left_out = [drawing for drawing in FIGURES.values() if drawing.needs_data]
        for drawing in left_out:
            messages.print(f"{drawing.name} is left out: it needs --data, {drawing.data}", soft_wrap=True)
    claims = _claims(names)
    if claims is not None:
        experiment = claim_experiment(claims)
        table = _run(experiment, out / f"{experiment.name}.jsonl", options)
        with writing(out / f"{experiment.name}.csv"):
            write_csv(out / f"{experiment.name}.csv", table)
        for line in table:
            if as_json:
                print_json(line)
            else:
                click.echo(
                    f"{line['claim']}: {line['check']}, point {line['at'] + 1}: margin {line['low']:.3g} to "
                    f"{line['high']:.3g}; holds in {line['holds']:.0%}, fails in {line['fails']:.0%} of "
                    f"{line['replicates']} draws"
                )
        return
    for name in names:
        drawing = FIGURES[name]
        if drawing.needs_data and data is None:
            raise click.UsageError(f"{name} needs --data: {drawing.data}")
        if drawing.once and trials is not None:
            raise click.UsageError(f"{name} shows one run, so --trials does not apply; leave it out")
        taken = str(data) if data is not None and drawing.data else None
        experiment = drawing.experiment(full, taken)
        if experiment.note:
            messages.print(f"{name}: {experiment.note}", soft_wrap=True)
        table = _run(experiment, out / f"{name}.jsonl", options)
        words = ["boosttheory", "simulate", *_shown(name, full, trials, until, taken, seed, style)]
        with writing(out / f"{name}.csv"):
            notes = f"{experiment.note} {_limits(experiment, options)}".strip()
            _write(drawing, table, out, style, notes, shlex.join(words))
        if as_json:
            for line in table:
                print_json(line)
        messages.print(f"{out / name}.svg, .pdf, .png, .csv, .md", soft_wrap=True)


def _shown(
    name: str, full: bool, trials: int | None, until: str | None, data: str | None, seed: int, style: str
) -> list[str]:
    """Return the arguments that make the same figure elsewhere."""
    words = [name, *["--full"] * full]
    for option, value in (("--trials", trials), ("--until", until), ("--data", data)):
        if value is not None:
            words += [option, str(value)]
    if seed:
        words += ["--seed", str(seed)]
    if style != "paper":
        words += ["--style", style]
    return words


def script(file: str) -> None:
    """Run the figure that a script is named after, with the options on its command line."""
    command([Path(file).stem, *sys.argv[1:]], prog_name=Path(file).name)
