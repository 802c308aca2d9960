"""Files and text from outside: written whole or not at all, locked, parsed within bounds, shown safely."""

from __future__ import annotations

import csv
import json
import os
import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fractions import Fraction
from glob import escape
from pathlib import Path
from typing import Any

__all__ = ["atomic_write", "csv_rows", "locked", "parse_fraction", "parse_json", "printable"]

# controls but tab and line feed, what turns the direction of text, line separators, lone surrogates
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufff9-\ufffb\ufffe\uffff]"
)
_UNFINISHED = ".unfinished"
_OLD = 86_400  # seconds after which nobody finishes an unfinished file
_SPARE = 16 << 20  # bytes that nested data may take whatever the size of the text


def atomic_write(path: str | os.PathLike[str], data: str | bytes) -> None:
    """Write a file under a temporary name beside it and rename it: readers see the old or the new, whole.

    Parameters
    ----------
    path : path
        A link is followed, the permissions of an older file are kept, and a pipe or a device is written to.
        Folders are made.
    data : str or bytes
        Text becomes UTF-8.

    Raises
    ------
    OSError
        If it cannot be written; the older file is whole, and nothing is left behind. What a process that was
        killed has left is removed by a write of the same file a day later.
    """
    target = Path(os.path.realpath(path))
    content = data.encode() if isinstance(data, str) else data
    if target.exists() and not target.is_file() and not target.is_dir():
        target.write_bytes(content)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    prefix = f".{target.name[:40]}."
    for left in target.parent.glob(f"{escape(prefix)}*{_UNFINISHED}"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > _OLD:
                left.unlink()
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=prefix, suffix=_UNFINISHED)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, target.stat().st_mode & 0o777 if target.is_file() else 0o666 & ~umask)
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


@contextmanager
def locked(path: str | os.PathLike[str], *, wait: bool = False) -> Iterator[None]:
    """Hold a lock beside a file that is read, changed and replaced, so that no change is lost.

    Parameters
    ----------
    path : path
        The file; it need not exist. The lock is a file of its own, ``.name.lock``, which goes in the end.
    wait : bool
        Wait for another holder.

    Raises
    ------
    BlockingIOError
        If another process, or another holder in this one, has the lock.
    """
    target = Path(os.path.realpath(path))
    try:
        import fcntl
    except ImportError:  # no such locks on this system
        fcntl = None  # type: ignore[assignment]
    if fcntl is None or (target.exists() and not target.is_file()):
        yield
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = target.with_name(f".{target.name[:200]}.lock")
    while True:
        handle = os.open(beside, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            # who held it before may have removed the file meanwhile
            if os.path.samestat(os.fstat(handle), os.stat(beside)):
                break
            os.close(handle)
        except FileNotFoundError:
            os.close(handle)
        except BlockingIOError:
            os.close(handle)
            raise BlockingIOError(11, "another run writes it; wait for that run", str(path)) from None
        except BaseException:
            os.close(handle)
            raise
    try:
        yield
    finally:
        beside.unlink(missing_ok=True)
        os.close(handle)


def csv_rows(path: str | os.PathLike[str], reader: Any) -> Iterator[list[str]]:
    """Iterate over the rows of a CSV reader.

    Raises
    ------
    ValueError
        Where the file is no CSV or no UTF-8 text; the message names the line.
    """
    try:
        yield from reader
    except csv.Error as error:
        line = f"{os.fspath(path)}, line {reader.line_num}"
        raise ValueError(f"{line}: {error}; mend the line") from None
    except UnicodeDecodeError:
        line = f"{os.fspath(path)}, line {reader.line_num + 1} or below"
        raise ValueError(f"{line}: no UTF-8 text; save the file as UTF-8") from None


def parse_json(content: str | bytes) -> Any:
    """Parse JSON from outside.

    Parameters
    ----------
    content : str or bytes
        The text.

    Raises
    ------
    ValueError
        If it is no JSON, or holds so many or so deeply nested lists and objects that they would take more
        than ten times its size in memory.

    Examples
    --------
    >>> parse_json("[1, 2]")
    [1, 2]
    """
    if isinstance(content, str):
        lists, objects = content.count("["), content.count("{")
    else:
        lists, objects = content.count(b"["), content.count(b"{")
    if 96 * lists + 240 * objects > 10 * len(content) + _SPARE:
        raise ValueError(f"it nests {lists + objects:,} lists and objects, more than its size allows")
    try:
        return json.loads(content)
    except RecursionError:
        raise ValueError("its lists and objects are nested too deeply") from None


def parse_fraction(text: str) -> Fraction | None:
    """Parse an exact number from outside; None where it is none, or too long an exponent to write it out.

    Parameters
    ----------
    text : str
        Such as ``"3"``, ``"-1/3"``, ``"0.25"`` or ``"1e-5"``.

    Examples
    --------
    >>> parse_fraction("2/6"), parse_fraction("1/0"), parse_fraction("1e999999999")
    (Fraction(1, 3), None, None)
    """
    if re.search(r"e[-+]?[\d_]{4}", text, re.IGNORECASE):
        return None
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None


def printable(text: object) -> str:
    r"""Write control characters as escapes: text from outside then steers no terminal and hides nothing.

    Parameters
    ----------
    text : object
        A name, a label or a sentence; line feeds, tabs and what joins emoji are kept.

    Examples
    --------
    >>> printable("a\x1b[31mb\u202ec")
    'a\\x1b[31mb\\u202ec'
    """
    return _UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode(), str(text))
