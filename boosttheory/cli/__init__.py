"""The command line: one module a command, imported when first asked for."""

from __future__ import annotations

import importlib
import json
import keyword
import pkgutil
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from boosttheory import __version__
from boosttheory.files import printable

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Failure", "console", "main", "print_json", "shown", "writing"]

ORDER = ("check", "explain", "report", "fit", "predict", "plan", "simulate", "hunt", "class", "verify")


class Failure(click.ClickException):
    """Bad input or an impossible output: one sentence on standard error, exit code 2."""

    exit_code = 2


def _sentence(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename is not None else ""
        return printable(f"{where}{error.strerror}")
    text = error.args[0] if isinstance(error, KeyError) and error.args else error
    return printable(" ".join(str(text).split())) or type(error).__name__


def shown(text: object) -> str:
    r"""Write a name from outside for a terminal: no controls, and text from right to left set apart.

    >>> shown("a\x1b[2J"), shown("\u05d0") == "\u2068\u05d0\u2069"
    ('a\\x1b[2J', True)
    """
    made = printable(text)
    mixed = any(unicodedata.bidirectional(character) in ("R", "AL") for character in made)
    return f"\u2068{made}\u2069" if mixed else made


class Commands(click.Group):
    """A group whose commands are the modules of this package."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the modules that exist, in the order of a first reading."""
        modules = (info.name for info in pkgutil.iter_modules(__path__))
        found = {name.rstrip("_") for name in modules if not name.startswith("_")}
        return [name for name in ORDER if name in found] + sorted(found.difference(ORDER))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of one command."""
        if cmd_name not in self.list_commands(ctx):
            return None
        module = cmd_name + "_" * keyword.iskeyword(cmd_name)
        command: click.Command = importlib.import_module(f"{__name__}.{module}").command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what the library raises on bad input becomes one sentence."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise
        except (ValueError, KeyError, OSError, ImportError) as error:
            raise Failure(_sentence(error)) from error


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="boosttheory")
def main() -> None:
    """Check, explain and report every numbered statement of two papers on boosting."""


def console(*, stderr: bool = True) -> Console:
    """Return a console for messages (standard error) or tables (standard output); plain if no terminal."""
    import os

    from rich.console import Console

    class Plain(Console):
        """Prints what comes from outside without its control characters."""

        def print(self, *objects: Any, **options: Any) -> None:
            super().print(*(printable(o) if isinstance(o, str) else o for o in objects), **options)

    made = Plain(stderr=stderr, highlight=False, markup=False, emoji=False)
    if not made.is_terminal and "COLUMNS" not in os.environ:
        made.width = 160
    return made


def print_json(value: Any) -> None:
    """Write one JSON object as one line on standard output."""
    click.echo(json.dumps(value, ensure_ascii=False, allow_nan=False))


@contextmanager
def writing(path: Path, option: str = "--out") -> Iterator[None]:
    """Turn an output that cannot be written into one sentence; an older file stays whole.

    Raises
    ------
    Failure
        If the folder or the file cannot be written, before the body is entered or in it.
    """
    import tempfile

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            raise IsADirectoryError(21, "it is a folder")
        tempfile.TemporaryFile(dir=path.parent).close()
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise Failure(f"cannot write {path} ({reason}); choose another place with {option}") from error
