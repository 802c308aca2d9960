"""Answers to triplet questions: formats, encoding of objects, readers of arrays, tables and files."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boosttheory.files import parse_json

__all__ = ["Answer", "Answers", "answers_from_arrays", "read_answers"]

Answer = Literal["closer", "most_central", "odd_one_out"]
Place = Callable[[int], str]
Column = NDArray[Any]
# The triplets (head, near, far) of an answer, as columns of its row.
_TRIPLETS = {
    "closer": ((0, 1, 2),),
    "most_central": ((1, 0, 2), (2, 0, 1)),
    "odd_one_out": ((1, 2, 0), (2, 1, 0)),
}
_CHUNK = 1 << 16
_BATCH = 1 << 15
_BLOCK = 1 << 22
_WIDEST = 200
_COLUMNS = 1000
_RECORD = 1 << 18
_INTEGER = re.compile(r"-?[0-9]{1,18}")


class Answers(NamedTuple):
    """Answers as they were given, one row each, before anything is dropped or merged.

    Attributes
    ----------
    rows : ndarray of shape (m, 3), int32
        Codes of three objects. ``"closer"``: head, nearer, farther. ``"most_central"``: the central object,
        then the two others. ``"odd_one_out"``: the odd object, then the two others.
    answer : str
        The format: ``"closer"``, ``"most_central"`` or ``"odd_one_out"``.
    names : tuple or None
        Name of each code; None when the objects are plain indices.
    votes : ndarray of shape (m, 2), int64, or None
        How many people gave this answer, and how many its opposite.
    groups : ndarray of shape (m,), int32, or None
        Code of what each row belongs to, a participant for example.
    group_names : tuple or None
        Name of each code of a group.
    """

    rows: NDArray[np.int32]
    answer: Answer = "closer"
    names: tuple[Any, ...] | None = None
    votes: NDArray[np.int64] | None = None
    groups: NDArray[np.int32] | None = None
    group_names: tuple[str, ...] | None = None

    def take(self, index: ArrayLike) -> Answers:
        """Select rows by position or mask, repetitions allowed, as a bootstrap needs."""
        chosen = np.asarray(index)
        votes, groups = (None if a is None else a[chosen] for a in (self.votes, self.groups))
        return self._replace(rows=self.rows[chosen], votes=votes, groups=groups)

    def triplets(self) -> NDArray[np.int32]:
        """Write the answers as triplets (i, j, k), "i is closer to j than to k".

        Returns
        -------
        ndarray of shape (m, 3), or (2m, 3) when an answer holds two triplets
            The triplets of one answer stand next to each other. Votes for the opposite are left out.
        """
        columns = np.array(_TRIPLETS[self.answer])
        return np.ascontiguousarray(self.rows[:, columns].reshape(-1, 3))

    def chunks(self) -> Iterator[tuple[slice, NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]]:
        """Iterate over the triplets: a slice of the rows, and the columns i, j, k that they give."""
        for start in range(0, len(self.rows), _CHUNK):
            where = slice(start, start + _CHUNK)
            columns = self.rows[where].T
            for i, j, k in _TRIPLETS[self.answer]:
                yield where, columns[i], columns[j], columns[k]


def whole_numbers(values: Column, name: str, place: Place | None = None) -> NDArray[Any]:
    """Turn numbers that are whole into integers; refuse fractions, NaN and truth values.

    Parameters
    ----------
    values : ndarray
        Numbers.
    name : str
        The argument, for messages.
    place : callable, optional
        Says in words where a row stands.
    """
    if values.dtype.kind in "iu":
        return values
    if values.dtype.kind != "f":
        raise TypeError(f"{name} has dtype {values.dtype}; give integers")
    bad = ~(np.isfinite(values) & (values == np.floor(values)) & (abs(values) < 2.0**62))
    if bad.any():
        row = int(np.argwhere(bad)[0][0])
        where = f"{name}: row {row}" if place is None else place(row)
        raise ValueError(
            f"{where} has the value {values[bad][0]}, which is no integer; mend or remove the row"
        )
    return values.astype(np.int64)


class _Codes(dict[Any, int]):
    """Codes of names, found by text or by its UTF-8 bytes; an open table gives new names new codes."""

    def __init__(self, names: Sequence[Any] | None, *, optional: bool = False) -> None:
        self.names: list[Any] = [] if names is None else list(names)
        self.open, self.optional = names is None, optional
        super().__init__((str(name), code) for code, name in enumerate(self.names))
        if len(self) < len(self.names):
            raise ValueError(
                f"names holds {len(self.names) - len(self)} names twice; give each object its own name"
            )
        self.numbers = self.by_number()

    def __missing__(self, key: Any) -> int:
        text = key.decode() if isinstance(key, bytes) else str(key)
        code = self.get(text, -1)
        if code < 0:
            if not self.open or not (text or self.optional):
                raise KeyError(text)
            code = self[text] = len(self.names)
            self.names.append(text)
        self[key] = code
        return code

    def by_number(self) -> NDArray[np.int32] | None:
        """Return codes indexed by name, if all names are small numbers written without leading zeros."""
        if self.open or not all(re.fullmatch("0|[1-9][0-9]{0,6}", str(name)) for name in self.names):
            return None
        table = np.full(max((int(name) for name in self.names), default=0) + 2, -1, np.int32)
        table[[int(name) for name in self.names]] = np.arange(len(self.names))
        return table

    def encode(self, column: Column, place: Place) -> NDArray[np.int32]:
        """Look up a column of names."""
        if column.dtype.kind in "iu" and self.numbers is not None:
            codes = self.numbers[np.where((column >= 0) & (column < len(self.numbers)), column, -1)]
            if codes.min(initial=0) >= 0:
                return codes
        if column.dtype.kind == "O":
            missing = [row for row, value in enumerate(column.tolist()) if value is None or value != value]
            if missing and not self.optional:
                raise ValueError(f"{place(missing[0])} lacks an object; mend or remove the row")
        elif column.dtype.kind == "f":
            column = whole_numbers(column, "", place)
        values = column.tolist()
        try:
            return np.fromiter(map(self.__getitem__, values), np.int32, len(values))
        except (KeyError, UnicodeDecodeError):
            pass
        for row, value in enumerate(values):
            try:
                self[value]
            except KeyError as error:
                text = error.args[0]
                lacking = (
                    f"has the object {text!r}, which names lacks; add it"
                    if text
                    else "lacks an object; mend it"
                )
                raise ValueError(f"{place(row)} {lacking}, or remove the row") from None
            except UnicodeDecodeError:
                raise ValueError(f"{place(row)} is not UTF-8 text; convert the file") from None
        raise AssertionError

    def sort(self) -> NDArray[np.int32]:
        """Renumber an open table in sorted order; return the new code of each old one."""
        order = sorted(range(len(self.names)), key=self.names.__getitem__)
        self.names = [self.names[code] for code in order]
        new = np.empty(len(order), np.int32)
        new[order] = np.arange(len(order))
        return new


def _equal(values: Column, wanted: Any) -> NDArray[np.bool_]:
    """Compare responses with one response: numbers as numbers, everything else as text."""
    if values.dtype.kind in "iufb" and not isinstance(wanted, str):
        return np.asarray(values == wanted)
    if values.dtype.kind == "S":
        return np.asarray(values == str(wanted).encode())
    return np.array([str(value) == str(wanted) for value in values.tolist()], bool)


class _Builder:
    """Collects answers chunk by chunk into arrays of known length."""

    def __init__(
        self,
        capacity: int,
        answer: Answer,
        *,
        names: Sequence[Any] | None,
        base: int,
        n_objects: int | None,
        first: Any,
        second: Any,
        skip: Sequence[Any],
    ) -> None:
        if answer not in _TRIPLETS:
            raise ValueError(f"answer is {answer!r}; it is one of {', '.join(map(repr, _TRIPLETS))}")
        if (first is None) != (second is None):
            raise ValueError(f"first is {first!r} and second is {second!r}; give both or neither")
        if first is not None and answer != "closer":
            raise ValueError(
                f"first is {first!r}, but the response to {answer!r} names an object; leave it out"
            )
        if names is not None and n_objects not in (None, len(names)):
            raise ValueError(
                f"n_objects is {n_objects}, but names holds {len(names)} names; leave n_objects out"
            )
        self.answer, self.base, self.n_objects = answer, base, n_objects
        self.first, self.second, self.skip = first, second, tuple(skip)
        self.codes = None if names is None else _Codes(names)
        self.numeric = False
        self.group_codes = _Codes(None, optional=True)
        self.capacity, self.rows = capacity, np.empty((0, 3), np.int32)
        self.votes: NDArray[np.int64] | None = None
        self.groups: NDArray[np.int32] | None = None
        self.filled = 0

    def encode(self, column: Column, place: Place) -> NDArray[np.int32]:
        """Turn a column of indices or names, or a block of indices, into codes."""
        if not self.numeric and self.codes is None:
            self.numeric = column.dtype.kind in "iufb"
            self.codes = None if self.numeric else _Codes(None)
        if self.codes is not None:
            return self.codes.encode(column, place)
        whole = whole_numbers(column, "triplets", place)
        last = (np.iinfo(np.int32).max if self.n_objects is None else self.n_objects) + self.base - 1
        if whole.size and not self.base <= whole.min() <= whole.max() <= last:
            bad = (whole < self.base) | (whole > last)
            raise ValueError(
                f"{place(int(np.argwhere(bad)[0][0]))} has the index {whole[bad][0]}; indices run from "
                f"{self.base} to {last}, mend it"
            )
        return (whole - self.base if self.base else whole).astype(np.int32, copy=False)

    def hold(self, rows: Column) -> None:
        """Hold codes as they are: they are checked, but millions of rows are not copied."""
        if rows.dtype == np.int32 and self.base == 0 and self.codes is None:
            self.rows = rows.view()
            self.rows.flags.writeable = False

    def add(
        self,
        objects: Sequence[Column] | Column,
        place: Place,
        response: Column | None = None,
        votes: Sequence[Column] = (),
        group: Column | None = None,
    ) -> None:
        """Append one chunk, of three columns or a block of them; nothing is kept when a row is refused."""
        if isinstance(objects, np.ndarray):
            if objects.dtype.kind in "iu" and self.codes is None:
                self.numeric, codes = True, self.encode(objects, place)
            else:
                objects = list(objects.T)
        if not isinstance(objects, np.ndarray):
            codes = np.stack([self.encode(column, place) for column in objects], axis=1)
        self._check_distinct(codes, place)
        counts = np.zeros((len(codes) if votes else 0, 2), np.int64)
        for position, column in enumerate(votes):
            counts[:, position] = whole_numbers(column, "votes", place)
        if (counts < 0).any():
            row = int(np.argmax(counts.min(axis=1) < 0))
            raise ValueError(f"{place(row)} has {counts[row].min()} votes; counts start at 0")
        if self.answer != "closer" and counts[:, 1].any():
            raise ValueError(
                f"votes has two columns, but {self.answer!r} has no opposite answer; give one column"
            )
        groups = None if group is None else self.group_codes.encode(group, place)
        if response is not None:
            codes = codes.copy()
            kept = self._arrange(codes, response, place)
            codes, counts = codes[kept], counts[kept] if votes else counts
            groups = None if groups is None else groups[kept]
        part = slice(self.filled, self.filled + len(codes))
        if self.rows.flags.writeable:
            if not len(self.rows):
                self.rows = np.empty((self.capacity, 3), np.int32)
            self.rows[part] = codes
        if votes:
            if self.votes is None:
                self.votes = np.zeros((self.capacity, 2), np.int64)
            self.votes[part] = counts
        if groups is not None:
            if self.groups is None:
                self.groups = np.zeros(self.capacity, np.int32)
            self.groups[part] = groups
        self.filled = part.stop

    def _check_distinct(self, codes: NDArray[np.int32], place: Place) -> None:
        """Refuse comparisons of an object with itself; a choice among three needs three objects."""
        for a, b in ((1, 2),) if self.answer == "closer" else ((0, 1), (0, 2), (1, 2)):
            same = codes[:, a] == codes[:, b]
            if same.any():
                row = int(np.argmax(same))
                code = int(codes[row, a])
                value = code + self.base if self.codes is None else repr(self.codes.names[code])
                raise ValueError(f"{place(row)} compares object {value} with itself; remove the row")

    def _arrange(self, codes: NDArray[np.int32], response: Column, place: Place) -> NDArray[np.bool_]:
        """Put the chosen object where the format wants it; return which rows hold an answer."""
        skipped = np.zeros(len(codes), bool)
        for value in self.skip:
            skipped |= _equal(response, value)
        candidates = (1, 2) if self.answer == "closer" else (0, 1, 2)
        if self.first is not None:
            chosen = [_equal(response, self.first), _equal(response, self.second)]
        else:
            named = np.full(len(codes), -1, np.int32)
            named[~skipped] = self.encode(
                response[~skipped], lambda row: place(int(np.flatnonzero(~skipped)[row]))
            )
            chosen = [codes[:, position] == named for position in candidates]
        unknown = ~(skipped | np.any(chosen, axis=0))
        if unknown.any():
            row = int(np.argmax(unknown))
            value = response[row].decode(errors="replace") if response.dtype.kind == "S" else response[row]
            allowed = "one of its objects" if self.first is None else f"{self.first!r} or {self.second!r}"
            raise ValueError(f"{place(row)} has the response {str(value)!r}, not {allowed}; mend or skip it")
        for position, here in zip(candidates[1:], chosen[1:], strict=True):
            swapped = here & ~skipped
            codes[swapped, candidates[0]], codes[swapped, position] = (
                codes[swapped, position],
                codes[swapped, candidates[0]],
            )
        return ~skipped

    def finish(self) -> Answers:
        """Return what was collected."""
        rows = self.rows[: self.filled]
        names = None if self.codes is None else tuple(self.codes.names)
        if self.codes is not None and self.codes.open:
            order = self.codes.sort()
            names = tuple(self.codes.names)
            for start in range(0, len(rows), _CHUNK):
                rows[start : start + _CHUNK] = order[rows[start : start + _CHUNK]]
        votes = None if self.votes is None else self.votes[: self.filled]
        if self.groups is None:
            return Answers(rows, self.answer, names, votes)
        groups = self.group_codes.sort()[self.groups[: self.filled]]
        return Answers(rows, self.answer, names, votes, groups, tuple(self.group_codes.names))


def _as_column(values: Any, name: str) -> Column:
    """Turn the values of a table's column into an array; None among numbers becomes NaN."""
    inner = values
    while isinstance(inner, (list, tuple)) and inner:
        inner = inner[0]
    try:
        # an array of strings is as wide as the longest of them
        array = np.array(values, object) if isinstance(inner, str) else np.asarray(values)
        if array.dtype.kind not in "O":
            return array
        if any(isinstance(value, (list, tuple)) for value in array.flat):
            raise ValueError
    except ValueError:
        raise ValueError(f"{name} has rows of unequal length; mend them") from None
    if any(isinstance(value, str) for value in array.flat):
        return array
    try:
        return array.astype(float)
    except (TypeError, ValueError):
        return array


def _listed(names: Sequence[Any]) -> str:
    """List names, the first of many."""
    shown = [str(name)[:40] for name in names[:20]]
    return ", ".join(shown + [f"... ({len(names)} in all)"] * (len(names) > 20))


class _Layout(NamedTuple):
    """Which columns of a table hold what."""

    columns: Any = None
    response: Any = None
    votes: Any = None
    groups: Any = None

    def vote_columns(self) -> tuple[Any, ...]:
        """Return the vote columns as a tuple."""
        if self.votes is None:
            return ()
        return (self.votes,) if isinstance(self.votes, (str, int)) else tuple(self.votes)

    def object_columns(self, known: Sequence[Any], source: str) -> tuple[Any, ...]:
        """Return the columns of objects: those given, or those that are left."""
        if isinstance(self.columns, (str, int)):
            return (self.columns,)
        if self.columns is not None:
            if len(self.columns) != 3:
                raise ValueError(f"columns is {self.columns!r}; name three columns")
            return tuple(self.columns)
        others = {self.response, self.groups, *self.vote_columns()}
        left = [name for name in known if name not in others]
        if len(left) not in (1, 3):
            raise ValueError(f"{source} has the columns {_listed(known)}; say which by columns=...")
        return tuple(left)


def _find(table: Any, name: Any, known: Sequence[Any], source: str) -> Column:
    """Take one column out of a table."""
    if name not in known:
        raise ValueError(f"{source} has no column {name!r}; its columns are {_listed(known)}")
    return _as_column(table[name], source)


def _spread(columns: Sequence[Column], wanted: int, name: str) -> list[Column]:
    """Cut a column of shape (m, wanted) into its columns."""
    if len(columns) == 1 and columns[0].ndim == 2 and columns[0].shape[1] <= wanted:
        columns = list(columns[0].T)
    for column in columns:
        if column.ndim != 1 or len(column) != len(columns[0]):
            raise ValueError(
                f"{name} has shape {column.shape}; give columns of one length, or an array of shape (m, 3)"
            )
    return list(columns)


def _add_table(builder: _Builder, table: Any, layout: _Layout, source: str, place: Place) -> None:
    """Append a table: a mapping or a data frame of columns."""
    known = list(table)
    objects = [_find(table, name, known, source) for name in layout.object_columns(known, source)]
    votes = [_find(table, name, known, source) for name in layout.vote_columns()]
    response = None if layout.response is None else _find(table, layout.response, known, source)
    group = None if layout.groups is None else _find(table, layout.groups, known, source)
    _add(builder, objects, votes, response, group, place, source)


def _shift(place: Place, start: int) -> Place:
    return lambda row: place(start + row)


def _add(
    builder: _Builder,
    objects: Sequence[Column],
    votes: Sequence[Column],
    response: Column | None,
    group: Column | None,
    place: Place,
    source: str,
) -> None:
    """Check shapes, then append chunk by chunk."""
    block = objects[0] if len(objects) == 1 and objects[0].ndim == 2 else None
    objects = _spread(objects, 3, source)
    if len(objects) != 3:
        raise ValueError(f"{source} has {len(objects)} columns of objects; give three, one answer a row")
    votes = _spread(votes, 2, "votes") if votes else []
    length = len(objects[0])
    for name, column in (("votes", votes[0] if votes else None), ("response", response), ("groups", group)):
        if column is not None and column.shape != (length,):
            raise ValueError(f"{name} has shape {column.shape}; give one value for each of the {length} rows")
    for start in range(0, length, _CHUNK):
        part = slice(start, start + _CHUNK)
        builder.add(
            [column[part] for column in objects] if block is None else block[part],
            _shift(place, start),
            None if response is None else response[part],
            [column[part] for column in votes],
            None if group is None else group[part],
        )


def answers_from_arrays(
    data: Any,
    *,
    answer: Answer = "closer",
    columns: Any = None,
    response: Any = None,
    first: Any = None,
    second: Any = None,
    skip: Sequence[Any] = (),
    votes: Any = None,
    groups: Any = None,
    base: int = 0,
    names: Sequence[Any] | None = None,
    n_objects: int | None = None,
) -> Answers:
    """Validate and encode answers held in an array, a mapping of columns, or a data frame.

    Parameters
    ----------
    data : array_like of shape (m, 3), or table
        Three objects a row: indices, or names as strings. Without ``response`` their order is the answer (see
        `Answers`). A table is a mapping from names to columns, or a pandas DataFrame.
    answer : {"closer", "most_central", "odd_one_out"}
        What a row says.
    columns : sequence of three names, or one name
        Of a table: the columns of objects, or the one column that holds three objects a row. May be left out
        when no other columns are there.
    response : array_like of shape (m,), or name of a column, optional
        What was answered. The rows then hold the question: a head and two objects for ``"closer"``, three
        objects otherwise.
    first, second : optional
        The responses that mean "the first of the two is closer" and "the second is". Without them the
        response names the chosen object itself.
    skip : sequence
        Responses that are no answer, "don't know" for example; their rows are left out.
    votes : array_like of shape (m,) or (m, 2), or names of one or two columns, optional
        How many people gave the answer of the row, and how many its opposite.
    groups : array_like of shape (m,), or name of a column, optional
        What a row belongs to, a participant for example.
    base : int
        Index of the first object, 0 or 1.
    names : sequence, optional
        All objects, in the order of their codes; objects are compared with them as text. Without it, strings
        are coded in sorted order.
    n_objects : int, optional
        Number of objects, so that larger indices are refused.

    Returns
    -------
    Answers

    Raises
    ------
    ValueError, TypeError
        If a row holds a negative, fractional, missing or too large index, an unknown name or response, or
        compares an object with itself; if a column is missing.

    Examples
    --------
    >>> asked = [["ant", "bee", "cat"], ["cat", "ant", "dog"]]
    >>> found = answers_from_arrays(asked, response=["left", "right"], first="left", second="right")
    >>> found.names
    ('ant', 'bee', 'cat', 'dog')
    >>> found.rows.tolist()
    [[0, 1, 2], [2, 3, 0]]
    """
    options = {
        "names": names,
        "base": base,
        "n_objects": n_objects,
        "first": first,
        "second": second,
        "skip": skip,
    }
    if isinstance(data, Mapping) or hasattr(data, "columns"):
        known = list(data)
        length = len(data) if not isinstance(data, Mapping) else max(map(len, data.values()), default=0)
        builder = _Builder(length, answer, **options)
        layout = _Layout(columns, response, votes, groups)
        _add_table(
            builder, {name: data[name] for name in known}, layout, "data", lambda row: f"data: row {row}"
        )
        return builder.finish()
    rows = _as_column(data, "triplets")
    if rows.size == 0:
        rows = np.empty((0, 3), np.int32)
    if rows.ndim != 2 or rows.shape[1] != 3:
        raise ValueError(f"triplets has shape {rows.shape}; give an array of shape (m, 3), one answer a row")
    builder = _Builder(len(rows), answer, **options)
    if response is None:
        builder.hold(rows)
    others = {"votes": votes, "response": response, "groups": groups}
    given, said, belongs = (None if v is None else _as_column(v, name) for name, v in others.items())
    _add(
        builder,
        [rows],
        [] if given is None else [given],
        said,
        belongs,
        lambda row: f"triplets: row {row}",
        "triplets",
    )
    return builder.finish()


def read_answers(
    path: str | os.PathLike[str],
    *,
    answer: Answer = "closer",
    columns: Any = None,
    response: Any = None,
    first: Any = None,
    second: Any = None,
    skip: Sequence[Any] = (),
    votes: Any = None,
    groups: Any = None,
    base: int = 0,
    names: Sequence[Any] | None = None,
    n_objects: int | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
) -> Answers:
    """Read answers from a file; the format follows from the ending of its name.

    ``.csv``, ``.tsv``, ``.txt``: text, read block by block. ``.npy``: an array of shape (m, 3), or a
    structured array. ``.npz``: arrays by name. ``.json``: a list of records or of rows, or an object of
    columns; read whole. ``.jsonl``: one record a line. ``.parquet``: needs pyarrow. Pickled data are refused.

    Parameters
    ----------
    path : path
        The file.
    answer, columns, response, first, second, skip, votes, groups, base, names, n_objects
        As in `answers_from_arrays`. Columns of a text file may also be given by position, from 0.
    header : bool, optional
        Whether the first line of a text file names the columns. Left out: it does if a column is asked for by
        name, or if the second line holds integers where the first does not.
    delimiter : str, optional
        Between the fields of a text file. Left out: a tab, semicolon, comma or space, whichever the first
        line has.

    Returns
    -------
    Answers

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError, TypeError
        If a row is broken; the message names the line, and nothing that was read is used.
    """
    file = Path(path)
    if not file.is_file():
        raise FileNotFoundError(f"there is no file {str(file)!r}; check the path")
    options = {
        "names": names,
        "base": base,
        "n_objects": n_objects,
        "first": first,
        "second": second,
        "skip": skip,
    }
    layout = _Layout(columns, response, votes, groups)
    readers: dict[str, Callable[..., Answers]] = {
        ".npy": _read_numpy,
        ".npz": _read_numpy,
        ".json": _read_json,
        ".jsonl": _read_json_lines,
        ".parquet": _read_parquet,
    }
    if file.suffix.lower() in readers:
        return readers[file.suffix.lower()](
            file, lambda capacity: _Builder(capacity, answer, **options), layout
        )
    if file.suffix.lower() not in (".csv", ".tsv", ".tab", ".txt"):
        raise ValueError(
            f"{file} ends in {file.suffix!r}; use .csv, .tsv, .txt, .npy, .npz, .json, .jsonl or .parquet"
        )
    sheet = _Sheet.open(file, layout, header, delimiter)
    return sheet.read(lambda capacity: _Builder(capacity, answer, **options))


Make = Callable[[int], _Builder]


def read_arrays(path: str | os.PathLike[str]) -> NDArray[Any] | dict[str, NDArray[Any]]:
    """Read the array of an ``.npy`` file, or the arrays of an ``.npz`` file by name.

    Parameters
    ----------
    path : path
        The file. Sizes are compared with the bytes that are there before anything is allocated, and pickled
        data are refused.

    Returns
    -------
    ndarray, mapped into memory, or dict of ndarray

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is broken, holds objects, or unpacks to more than a hundred times its size.
    """
    import zipfile

    file = Path(path)
    try:
        if file.suffix.lower() == ".npy":
            held = np.load(file, allow_pickle=False, mmap_mode="r")
            if not isinstance(held, np.ndarray):
                raise ValueError("several arrays")
            return held
        with zipfile.ZipFile(file) as archive:
            members = archive.infolist()
            if sum(member.file_size for member in members) > 100 * file.stat().st_size:
                raise ValueError("it unpacks to more than a hundred times its size")
            return {
                member.filename.removesuffix(".npy"): unpacked(archive.read(member)) for member in members
            }
    except FileNotFoundError:
        raise
    except (
        Exception
    ) as error:  # numpy and zipfile pass on whatever goes wrong in the parsers they are made of
        raise ValueError(
            f"{file} is no array file of plain numbers or strings ({error or type(error).__name__}); "
            "save it without pickle"
        ) from None


def unpacked(content: bytes) -> NDArray[Any]:
    """Read one array of an ``.npz`` file, after comparing its header with the bytes that follow."""
    import io

    stream = io.BytesIO(content)
    old = np.lib.format.read_magic(stream) == (1, 0)
    header = np.lib.format.read_array_header_1_0 if old else np.lib.format.read_array_header_2_0
    shape, _, dtype = header(stream)
    if dtype.hasobject or math.prod(shape) * dtype.itemsize != len(content) - stream.tell():
        raise ValueError(f"{dtype} of shape {shape} does not fit its bytes")
    stream.seek(0)
    found: NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
    return found


def _read_numpy(file: Path, make: Make, layout: _Layout) -> Answers:
    held = read_arrays(file)
    if isinstance(held, dict):
        return _whole_table(held, make, layout, file)
    builder = make(len(held) if held.ndim else 0)
    if held.dtype.names is None:
        builder.hold(held)
        _add(builder, [held], [], None, None, _rows_of(file), str(file))
    else:
        _add_table(
            builder, {name: held[name] for name in held.dtype.names}, layout, str(file), _rows_of(file)
        )
    return builder.finish()


def _rows_of(file: Path, word: str = "row") -> Place:
    return lambda row: f"{file}, {word} {row}"


def _whole_table(table: Mapping[str, Any], make: Make, layout: _Layout, file: Path) -> Answers:
    used = layout.object_columns(list(table), str(file))
    builder = make(len(table[used[0]]) if used[0] in table else 0)  # a missing column is refused below
    _add_table(builder, table, layout, str(file), _rows_of(file))
    return builder.finish()


def _read_parquet(file: Path, make: Make, layout: _Layout) -> Answers:
    try:
        from pyarrow import ArrowInvalid
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise ValueError(
            f"{file} is a Parquet file, which needs pyarrow; install pyarrow or save the file as CSV"
        ) from None
    try:
        held = ParquetFile(file)
    except ArrowInvalid as error:
        raise ValueError(f"{file} is no Parquet file ({error}); write it anew") from None
    with held:
        known = list(held.schema_arrow.names)
        used = [
            *layout.object_columns(known, str(file)),
            *layout.vote_columns(),
            layout.response,
            layout.groups,
        ]
        wanted = [name for name in used if name in known]
        if held.metadata.num_rows > 10 * file.stat().st_size:
            raise ValueError(
                f"{file} claims {held.metadata.num_rows} rows, too many for its size; write it anew"
            )
        builder = make(held.metadata.num_rows)
        start = 0
        for batch in held.iter_batches(batch_size=_CHUNK, columns=wanted):
            table = {name: batch.column(name).to_numpy(zero_copy_only=False) for name in batch.schema.names}
            table = {name: _stack(values) for name, values in table.items()}
            _add_table(builder, table, layout, str(file), _shift(_rows_of(file), start))
            start += batch.num_rows
    return builder.finish()


def _stack(values: Column) -> Column:
    """Turn a column of equally long arrays into one array."""
    if values.dtype.kind == "O" and len(values) and isinstance(values[0], np.ndarray):
        return np.stack(values.tolist())
    return values


def _records(batch: Sequence[Any], layout: _Layout, place: Place) -> Mapping[Any, Any]:
    """Turn records, or rows, into columns."""
    if not isinstance(batch[0], (Mapping, list)) or len(batch[0]) > _COLUMNS:
        raise ValueError(f"{place(0)} is no record or row; mend or remove it")
    if isinstance(batch[0], Mapping):
        keys = list(batch[0])
        used = {
            *layout.object_columns(keys, place(0)),
            *layout.vote_columns(),
            layout.response,
            layout.groups,
        } - {None}
        for row, record in enumerate(batch):
            if not isinstance(record, Mapping) or not used <= record.keys():
                lacking = (
                    sorted(map(str, used - record.keys())) if isinstance(record, Mapping) else "a record"
                )
                raise ValueError(f"{place(row)} lacks {lacking}; mend or remove it")
        return {name: [record[name] for record in batch] for name in keys if name in used}
    for row, record in enumerate(batch):
        if not isinstance(record, list) or len(record) != len(batch[0]):
            raise ValueError(f"{place(row)} is no row of {len(batch[0])} values; mend or remove it")
    return dict(enumerate(zip(*batch, strict=True)))


def _read_json(file: Path, make: Make, layout: _Layout) -> Answers:
    with file.open("rb") as stream:
        array = stream.read(1 << 16).removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"["
    if array:
        builder = make(file.stat().st_size // 7 + 1)
        return _add_records(file, "record", _elements(file), builder, layout)
    try:
        held = parse_json(file.read_bytes())
    except ValueError as error:
        line = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise ValueError(f"{file}{line}: not JSON ({error}); mend the file") from None
    if not isinstance(held, dict) or not all(isinstance(values, list) for values in held.values()):
        raise _unknown_json(file)
    if not held:
        return make(0).finish()
    return _whole_table(held, make, layout, file)


def _unknown_json(file: Path) -> ValueError:
    return ValueError(
        f"{file} holds neither a list of records or rows nor an object of columns; rearrange it"
    )


def _elements(file: Path) -> Iterator[tuple[int, Any]]:
    """Parse the records or rows of a JSON array one by one: a list of all would take ten times the file."""
    decode = json.JSONDecoder().raw_decode
    blank = re.compile(r"[ \t\n\r]*")
    number = dropped = 0
    with file.open(encoding="utf-8-sig", newline="") as stream:
        try:
            text, at, wanted = stream.read(_RECORD), 0, "["
            while wanted:
                at = blank.match(text, at).end()  # type: ignore[union-attr]
                try:
                    if wanted == "record" and text[at : at + 1] not in ("", "[", "{"):
                        if text[at] != "]" or number:
                            raise _unknown_json(file)
                        wanted = "]"
                    if wanted == "record":
                        record, at = decode(text, at)
                        yield number, record
                        number, wanted = number + 1, ","
                        continue
                    found = text[at : at + 1]
                    if wanted == "," and found == "]":
                        wanted = "]"
                    if found != wanted:
                        raise json.JSONDecodeError(f"{wanted!r} expected", text, at)
                    at, wanted = at + 1, {"[": "record", ",": "record", "]": ""}[wanted]
                except json.JSONDecodeError as error:
                    more = stream.read(_RECORD) if len(text) - at < _RECORD else ""
                    if not more:
                        raise ValueError(
                            f"{file}, line {dropped + error.lineno}: not JSON, or too long a record "
                            f"({error.msg}); mend the file"
                        ) from None
                    dropped += text.count("\n", 0, at)
                    text, at = text[at:] + more, 0
                except RecursionError:
                    raise ValueError(f"{file}, record {number}: nested too deeply; mend the file") from None
            if (text[at:] + stream.read(_RECORD)).strip():
                raise ValueError(f"{file}: more text follows its list; mend the file")
        except UnicodeDecodeError:
            raise ValueError(f"{file}: not UTF-8 text; convert the file") from None


def _most_rows(file: Path) -> int:
    """Count line ends, and one more for a last line without; a row has five characters at least."""
    with file.open("rb") as stream:
        lines = sum(block.count(b"\n") for block in iter(lambda: stream.read(_BLOCK), b"")) + 1
        return min(lines, stream.tell() // 5 + 1)


def _read_json_lines(file: Path, make: Make, layout: _Layout) -> Answers:
    def lines() -> Iterator[tuple[int, Any]]:
        with file.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                if not line.strip():
                    continue
                try:
                    yield number, parse_json(line)
                except ValueError as error:
                    raise ValueError(
                        f"{file}, line {number}: not JSON ({error}); mend or remove the line"
                    ) from None

    return _add_records(file, "line", lines(), make(_most_rows(file)), layout)


def _add_records(
    file: Path, word: str, numbered: Iterator[tuple[int, Any]], builder: _Builder, layout: _Layout
) -> Answers:
    """Append records batch by batch."""
    from itertools import islice

    while batch := list(islice(numbered, _BATCH)):
        numbers = [number for number, _ in batch]

        def place(row: int, numbers: Sequence[int] = numbers) -> str:
            return f"{file}, {word} {numbers[row]}"

        table = _records([record for _, record in batch], layout, place)
        _add_table(builder, table, layout, str(file), place)
    return builder.finish()


class _Sheet(NamedTuple):
    """A text file of delimited fields, its header read."""

    file: Path
    delimiter: str
    width: int
    titles: list[str]
    offset: int
    line: int
    objects: tuple[int, ...]
    response: int | None
    votes: tuple[int, ...]
    group: int | None
    numeric: bool

    @classmethod
    def open(cls, file: Path, layout: _Layout, header: bool | None, delimiter: str | None) -> _Sheet:
        """Read the first two lines and find the columns."""
        import csv

        with file.open("rb") as stream:
            raw = [stream.readline(), stream.readline()]
        if not raw[0].strip():
            raise ValueError(f"{file} has no first line; give a file with one answer a line")
        try:
            text = [raw[0].decode("utf-8-sig").rstrip("\r\n"), raw[1].decode(errors="replace").rstrip("\r\n")]
        except UnicodeDecodeError:
            raise ValueError(f"{file}, line 1: not UTF-8 text; convert the file") from None
        if delimiter is None:
            unquoted = re.sub('"[^"]*"', "", text[0])
            tabs = file.suffix.lower() in (".tsv", ".tab")
            delimiter = "\t" if tabs else next((d for d in "\t;," if d in unquoted), " ")
        if len(delimiter) != 1 or delimiter in '"\r\n' or ord(delimiter) > 127:
            raise ValueError(f"delimiter is {delimiter!r}; give one ASCII character")
        if text[0].count(delimiter) >= _COLUMNS:
            raise ValueError(f"{file} has more than {_COLUMNS} columns; leave some out")
        try:
            first, second = (list(next(_csv([line], delimiter, strict=False), [])) for line in text)
        except csv.Error as error:
            raise ValueError(f"{file}, line 1 or 2: unreadable ({error}); mend the line") from None
        width = len(first)
        asked = [layout.response, layout.groups, *layout.vote_columns()]
        asked += [layout.columns] if isinstance(layout.columns, (str, int)) else list(layout.columns or ())
        if header is None:
            integers = [all(map(_INTEGER.fullmatch, fields)) for fields in (first, second)]
            header = any(isinstance(name, str) for name in asked) or (
                bool(second) and not any(map(_INTEGER.fullmatch, first)) and integers[1]
            )
        titles = first if header else [str(position) for position in range(width)]
        source = str(file)

        def position(name: Any) -> int:
            if isinstance(name, str) and header and name in titles:
                return titles.index(name)
            if isinstance(name, int) and 0 <= name < width:
                return name
            known = _listed(titles) if header else f"the positions 0 to {width - 1}"
            raise ValueError(f"{source} has no column {name!r}; its columns are {known}")

        votes = tuple(position(name) for name in layout.vote_columns())
        response = None if layout.response is None else position(layout.response)
        group = None if layout.groups is None else position(layout.groups)
        if layout.columns is None:
            left = [p for p in range(width) if p not in (response, group, *votes)]
            chosen = _Layout().object_columns([titles[p] for p in left], source) if len(left) != 3 else left
            objects = tuple(position(name) for name in chosen)
        else:
            objects = tuple(position(name) for name in layout.object_columns(titles, source))
        if len(objects) != 3:
            raise ValueError(f"{source} has {width} columns; name the three that hold objects by columns=...")
        data = second if header else first
        numeric = len(data) == width and all(_INTEGER.fullmatch(data[p].strip()) for p in objects)
        skip = len(raw[0]) if header else len(raw[0]) - len(raw[0].removeprefix(b"\xef\xbb\xbf"))
        return cls(file, delimiter, width, titles, skip, 1 + header, objects, response, votes, group, numeric)

    def read(self, make: Make) -> Answers:
        """Read all rows."""
        builder = make(_most_rows(self.file))
        numeric = self.numeric and (builder.codes is None or builder.codes.numbers is not None)
        integers = {*self.votes, *(self.objects if numeric else ())}
        if numeric and self.response is not None and builder.first is None and not builder.skip:
            integers.add(self.response)
        positions = {*self.objects, *self.votes, self.response, self.group} - {None}
        for lines, columns in self._blocks({p: p in integers for p in positions if p is not None}):

            def place(row: int, lines: Sequence[int] = lines) -> str:
                return f"{self.file}, line {lines[row]}"

            builder.add(
                [columns[p] for p in self.objects],
                place,
                None if self.response is None else columns[self.response],
                [columns[p] for p in self.votes],
                None if self.group is None else columns[self.group],
            )
        return builder.finish()

    def _blocks(self, kinds: Mapping[int, bool]) -> Iterator[tuple[Sequence[int], dict[int, Column]]]:
        """Cut the file into columns, block by block; from the first that is not plain, by the csv module."""
        offset, line = self.offset, self.line
        with self.file.open("rb") as stream:
            stream.seek(offset)
            rest = b""
            while block := stream.read(_BLOCK):
                block = rest + block
                cut = block.rfind(b"\n") + 1
                if not cut and len(block) < 4 * _BLOCK:
                    rest = block
                    continue
                rest = block[cut:]
                found = _cut(block[:cut], ord(self.delimiter), self.width, kinds)
                if found is None:
                    break
                yield range(line, line + found[0]), found[1]
                line += found[0]
                offset += cut
            else:
                if not rest:
                    return
                found = _cut(rest + b"\n", ord(self.delimiter), self.width, kinds)
                if found is not None:
                    yield range(line, line + 1), found[1]
                    return
        yield from self._rows(offset, line, kinds)

    def _rows(
        self, offset: int, line: int, kinds: Mapping[int, bool]
    ) -> Iterator[tuple[Sequence[int], dict[int, Column]]]:
        """Read row by row from a position in the file."""
        import io
        from itertools import islice

        with self.file.open("rb") as binary:
            binary.seek(offset)
            with io.TextIOWrapper(binary, "utf-8", newline="") as text:
                numbered = _numbered(text, self.delimiter, self.width, line, self.file)
                while batch := list(islice(numbered, _BATCH)):
                    lines = [number for number, _ in batch]
                    columns = {p: np.array([fields[p] for _, fields in batch], object) for p in kinds}
                    for p, whole in kinds.items():
                        if whole:
                            columns[p] = self._integers(columns[p], p, lines)
                    yield lines, columns

    def _integers(self, column: Column, position: int, lines: Sequence[int]) -> Column:
        values = [value.strip() for value in column.tolist()]
        for row, value in enumerate(values):
            if not _INTEGER.fullmatch(value):
                raise ValueError(
                    f"{self.file}, line {lines[row]}: {value!r} in column {self.titles[position]} is no "
                    "integer; mend the row, or give names if the objects are named"
                )
        return np.array([int(value) for value in values], np.int64)


def _csv(lines: Iterable[str], delimiter: str, *, strict: bool = True) -> Any:
    import csv

    return csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=strict)


def _numbered(
    text: Iterable[str], delimiter: str, width: int, line: int, file: Path
) -> Iterator[tuple[int, list[str]]]:
    """Pair each row with its line number; blank lines are passed over."""
    import csv

    reader = _csv(text, delimiter)
    before = 0
    while True:
        try:
            fields = next(reader)
        except StopIteration:
            return
        except (csv.Error, UnicodeDecodeError) as error:
            raise ValueError(
                f"{file}, line {line + before}: unreadable ({error}); mend or remove the row"
            ) from None
        if fields:
            if len(fields) != width:
                raise ValueError(
                    f"{file}, line {line + before}: {len(fields)} fields instead of {width}; mend it"
                )
            yield line + before, fields
        before = reader.line_num


def _cut(
    block: bytes, delimiter: int, width: int, kinds: Mapping[int, bool]
) -> tuple[int, dict[int, Column]] | None:
    """Cut whole lines into columns of integers (True) or bytes (False); None when the block is not plain."""
    if b'"' in block:
        return None
    data = np.frombuffer(block, np.uint8)
    ends: Column = np.flatnonzero((data == delimiter) | (data == 10))
    if len(ends) % width:
        return None
    starts: Column = np.concatenate([[0], ends[:-1] + 1])[: len(ends)]
    starts, ends = np.reshape(starts, (-1, width)), np.reshape(ends, (-1, width))
    if not (data[ends[:, -1]] == 10).all() or block.count(b"\n") != len(ends):
        return None
    if b"\r" in block:
        ends[:, -1] -= data[ends[:, -1] - 1] == 13
    columns = {}
    for position, whole in kinds.items():
        column = (_digits if whole else _bytes)(data, starts[:, position], ends[:, position])
        if column is None:
            return None
        columns[position] = column
    return len(ends), columns


def _digits(data: NDArray[np.uint8], starts: Column, ends: Column) -> Column | None:
    """Read fields of decimal digits; None if one is empty, long, or holds anything else."""
    lengths = ends - starts
    if not len(lengths) or lengths.min() < 1 or lengths.max() > 18:
        return None if len(lengths) else np.empty(0, np.int64)
    values = np.zeros(len(ends), np.int64)
    for place in range(int(lengths.max())):
        digit = data[np.maximum(ends - 1 - place, 0)] - np.uint8(48)
        inside = place < lengths
        if (digit[inside] > 9).any():
            return None
        values += np.where(inside, digit, 0) * np.int64(10**place)
    return values


def _bytes(data: NDArray[np.uint8], starts: Column, ends: Column) -> Column | None:
    """Copy fields into an array of byte strings; None if one is very long, or begins with a space."""
    lengths = ends - starts
    longest = max(1, int(lengths.max(initial=0)))
    if longest > _WIDEST:
        return None
    index = starts[:, None] + np.arange(longest)
    inside = index < ends[:, None]
    fields = np.where(inside, data[np.minimum(index, len(data) - 1)], np.uint8(0))
    if (fields[:, 0] == 32).any() or (data[starts[lengths > 0]] == 0).any():
        return None
    return np.ascontiguousarray(fields).view(f"S{longest}").ravel()
