"""What the commands on answers and labels share: options, readers, warnings, progress."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from boosttheory.cli import console, shown
from boosttheory.files import csv_rows

if TYPE_CHECKING:
    from boosttheory.triplet_files import Answers

Command = TypeVar("Command", bound=Callable[..., Any])
FILE = click.Path(path_type=Path)
_TEXT = (".csv", ".tsv", ".tab", ".txt")
CHOICES = {"most_central": "most_central", "odd_one_out": "odd_one_out", "closer": "closer"}

_OPTIONS = (
    click.option(
        "--answer",
        type=click.Choice(list(CHOICES)),
        default="closer",
        show_default=True,
        help="What an answer says: the first object is closer to the second than to the third; or, with "
        "--response, which of three is most central, or the odd one.",
    ),
    click.option(
        "--columns", help="Three columns of objects, separated by commas; names, or positions from 0."
    ),
    click.option("--response", help="Column of the chosen object, where the columns only hold the question."),
    click.option("--first", help="Value of --response that means: the first of the two is closer."),
    click.option("--second", help="Value of --response that means: the second of the two is closer."),
    click.option("--skip", multiple=True, help="Value of --response that is no answer; may be repeated."),
    click.option("--votes", help="Column of votes for the answer, or two: for it and against it."),
    click.option(
        "--header/--no-header", default=None, help="Whether the first line names the columns.  [guessed]"
    ),
)


def answer_options(command: Command) -> Command:
    """Add the options that say how to read a file of answers."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def label_options(command: Command) -> Command:
    """Add the options that say how to read a file of labels."""
    command = click.option("--class", "class_column", help="Column of the classes.  [default: the second]")(
        command
    )
    return click.option("--id", "id_column", help="Column of the objects.  [default: the first]")(command)


def _columns(text: str | None) -> list[Any] | None:
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    return [int(name) for name in names] if all(map(str.isdecimal, names)) else names


def read(
    path: Path, options: dict[str, Any], groups: str | None = None, *, known: Collection[str]
) -> Answers:
    """Read a file of answers; every object that occurs gets its text as name.

    A first line of three names that are not among the ``known`` objects says nothing about them; unless the
    options decide, it is a header.
    """
    import numpy as np

    from boosttheory.triplet_files import read_answers

    votes = _columns(options["votes"])
    try:
        answers = read_answers(
            path,
            answer=options["answer"],
            columns=_columns(options["columns"]),
            response=options["response"],
            first=options["first"],
            second=options["second"],
            skip=options["skip"],
            votes=votes[0] if votes and len(votes) == 1 else votes,
            groups=groups,
            header=options["header"],
        )
    except TypeError as error:
        raise ValueError(f"{path}: {error}") from error
    if not len(answers.rows):
        raise ValueError(f"{path} holds no answers; give at least one")
    if options["header"] is None and answers.names is not None and path.suffix.lower() in _TEXT:
        first = {answers.names[code] for code in answers.rows[0].tolist()}
        if len(answers.rows) > 1 and first.isdisjoint(known):
            return read(path, {**options, "header": True}, groups, known=known)
    used, codes = np.unique(answers.rows, return_inverse=True)
    names = tuple(str(code if answers.names is None else answers.names[code]) for code in used.tolist())
    return answers._replace(rows=codes.reshape(answers.rows.shape).astype(np.int32), names=names)


def read_labels(path: Path, id_column: str | None, class_column: str | None) -> dict[str, str]:
    """Read the class of each object from a table with a header.

    Raises
    ------
    ValueError
        If a column is missing, a line is short or lacks its class, or an object is there twice.
    """
    delimiter = "\t" if path.suffix.lower() in (".tsv", ".tab") else ","
    with path.open(encoding="utf-8-sig", newline="") as text:
        return _labels(path, csv.reader(text, delimiter=delimiter), id_column, class_column)


def _labels(path: Path, table: Any, id_column: str | None, class_column: str | None) -> dict[str, str]:
    """Read the class of each object from the rows of a table."""
    rows = csv_rows(path, table)
    header = [name.strip() for name in next(rows, [])]
    if len(header) < 2:
        raise ValueError(f"{path} needs a header and two columns, objects and classes; it has {len(header)}")
    where = [_position(path, header, id_column, 0), _position(path, header, class_column, 1)]
    labels: dict[str, str] = {}
    for row in rows:
        if not row:
            continue
        name, label = (row[at].strip() if at < len(row) else "" for at in where)
        if not name or not label:
            raise ValueError(
                f"{path}, line {table.line_num}: no {'class' if name else 'object'}; mend the line"
            )
        if name in labels:
            raise ValueError(f"{path}, line {table.line_num}: object {name!r} is there twice; keep one line")
        labels[name] = label
    if not labels:
        raise ValueError(f"{path} holds no objects below its header; give one line an object")
    return labels


def _position(path: Path, header: Sequence[str], name: str | None, default: int) -> int:
    if name is None:
        return default
    if name not in header:
        raise ValueError(f"{path} has no column {name!r}; it has {', '.join(header)}")
    return header.index(name)


def labelled(answers: Answers, labels: dict[str, str]) -> Answers:
    """Keep the answers whose three objects have labels; objects are numbered in the order of the labels."""
    import numpy as np

    names = tuple(labels)
    place = {name: index for index, name in enumerate(names)}
    table = np.array([place.get(name, -1) for name in answers.names or ()], np.int32)
    rows = table[answers.rows]
    known = (rows >= 0).all(axis=1)
    lost = len(rows) - int(known.sum())
    if lost == len(rows):
        unknown = (answers.names or ("",))[int(answers.rows[0][rows[0] < 0][0])]
        raise ValueError(
            f"no answer has three objects with labels, {unknown!r} has none for instance; "
            "check that --id holds the names that the answers use"
        )
    if lost:
        warnings.warn(
            f"{lost:,} answers with an object that has no label, left out", UserWarning, stacklevel=2
        )
    return answers._replace(rows=rows)._replace(names=names).take(known)


@contextmanager
def told() -> Iterator[list[str]]:
    """Turn warnings into plain sentences on standard error, each once; they are also collected in a list."""
    messages: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield messages
    for warning in caught:
        if (text := str(warning.message)) not in messages:
            messages.append(text)
            console().print(f"warning: {text}", soft_wrap=True)


@contextmanager
def progress(title: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar on a terminal, and nothing elsewhere; yields ``callback(done, total)``."""
    out = console()
    if not out.is_terminal:
        yield lambda done, total: None
        return
    from rich.progress import Progress

    with Progress(console=out, transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def percent(value: float) -> str:
    """Write a share as per cent, small ones with another digit."""
    if 0 < value < 0.005:
        return f"{100 * value:.2f} %" if value >= 5e-5 else "< 0.01 %"
    return f"{100 * value:.1f} %"


def between(low: float, high: float) -> str:
    """Write an interval in per cent."""
    return f"{100 * low:.1f}–{100 * high:.1f} %"


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table on standard output; the first column to the left, the others to the right."""
    from rich.table import Table

    made = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for index, name in enumerate(columns):
        made.add_column(name, justify="right" if index else "left")
    for row in rows:
        made.add_row(*map(shown, row))
    console(stderr=False).print(made)
