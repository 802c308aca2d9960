"""Answers to triplet questions: encoding of objects, question formats, and readers of tables and files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Answer", "Answers", "answers_from_arrays"]

Answer = Literal["closer", "most_central", "odd_one_out"]
# The triplets (head, near, far) of an answer, as columns of its row.
_TRIPLETS = {
    "closer": ((0, 1, 2),),
    "most_central": ((1, 0, 2), (2, 0, 1)),
    "odd_one_out": ((1, 2, 0), (2, 1, 0)),
}
_CHUNK = 1 << 18


class Answers(NamedTuple):
    """Answers as they were given, one row each, before anything is dropped or merged.

    Attributes
    ----------
    rows : ndarray of shape (m, 3), int32
        Codes of three objects. ``"closer"``: head, nearer, farther. ``"most_central"``: the central object, then the
        two others. ``"odd_one_out"``: the odd object, then the two others.
    answer : str
        The format: ``"closer"``, ``"most_central"`` or ``"odd_one_out"``.
    names : tuple or None
        Name of each code; None when the objects are plain indices.
    votes : ndarray of shape (m, 2), int64, or None
        How many people gave this answer, and how many its opposite.
    groups : ndarray of shape (m,) or None
        What each row belongs to, a participant for example.
    """

    rows: NDArray[np.int32]
    answer: Answer = "closer"
    names: tuple[Any, ...] | None = None
    votes: NDArray[np.int64] | None = None
    groups: NDArray[Any] | None = None

    def take(self, index: ArrayLike) -> Answers:
        """Select rows by position or mask, repetitions allowed, as a bootstrap needs."""
        chosen = np.asarray(index)
        votes, groups = (None if a is None else a[chosen] for a in (self.votes, self.groups))
        return self._replace(rows=self.rows[chosen], votes=votes, groups=groups)

    def triplets(self) -> NDArray[np.int32]:
        """Write the answers as triplets (i, j, k), "i is closer to j than to k".

        Returns
        -------
        ndarray of shape (m, 3), or (2m, 3) when each answer holds two triplets
            The triplets of one answer stand next to each other. Votes for the opposite answer are left out.
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


def _shape_error(name: str, shape: tuple[int, ...]) -> ValueError:
    return ValueError(f"{name} has shape {shape}; give an array of shape (m, 3), one answer a row")


def _check_indices(rows: NDArray[Any], base: int, n_objects: int | None, name: str = "triplets") -> None:
    """Refuse indices that no object can have, naming the first row that has one."""
    if rows.size == 0:
        return
    low, high = rows.min(), rows.max()
    limit = np.iinfo(np.int32).max - 1 if n_objects is None else n_objects - 1 + base
    if low < base or high > limit:
        bad = (rows < base) | (rows > limit)
        row = int(np.flatnonzero(bad.any(axis=1))[0])
        value = int(rows[row][bad[row]][0])
        remedy = (
            f"indices run from {base} to {limit}" if n_objects is not None else f"the first index is {base}"
        )
        raise ValueError(
            f"{name}: row {row} has the index {value}, but {remedy}; set n_objects or base, or mend the row"
        )


def whole_numbers(values: NDArray[Any], name: str) -> NDArray[Any]:
    """Turn numbers that are whole into integers; refuse fractions, NaN and truth values."""
    if values.dtype.kind in "iu":
        return values
    if values.dtype.kind != "f":
        raise TypeError(f"{name} has dtype {values.dtype}; give integer indices or names as strings")
    flat = values.reshape(len(values), -1)
    bad = ~(np.isfinite(flat) & (flat == np.floor(flat)))
    if bad.any():
        row = int(np.flatnonzero(bad.any(axis=1))[0])
        value = flat[row][bad[row]][0]
        raise ValueError(
            f"{name}: row {row} has the value {value}, which is no index; remove or mend the row"
        )
    return np.clip(values, -(2.0**62), 2.0**62).astype(np.int64)


def encode(
    values: NDArray[Any], names: Sequence[Any] | None, name: str
) -> tuple[NDArray[np.int32], tuple[Any, ...]]:
    """Encode objects by position in ``names``; without names, by sorted order of the values that occur.

    Values and names are compared as text, so that the object 7 of an array and "7" of a file are the same.
    """
    flat = values.ravel()
    if names is None:
        found, codes = np.unique(flat.astype(str), return_inverse=True)
        return codes.astype(np.int32).reshape(values.shape), tuple(found.tolist())
    known = {str(item): code for code, item in enumerate(names)}
    if len(known) != len(names):
        raise ValueError(
            f"names holds {len(names) - len(known)} repeated names; give each object a name of its own"
        )
    found, codes = np.unique(flat if flat.dtype.kind in "iuU" else flat.astype(str), return_inverse=True)
    table = np.array([known.get(str(item), -1) for item in found.tolist()], dtype=np.int32)
    encoded = table[codes]
    if (table < 0).any():
        row = int(np.flatnonzero(encoded < 0)[0]) // (values.shape[1] if values.ndim > 1 else 1)
        value = found[table < 0][0]
        raise ValueError(
            f"{name}: row {row} or a later one has the object {str(value)!r}, which names lacks; add it"
        )
    return encoded.reshape(values.shape), tuple(names)


def _votes(votes: ArrayLike | None, length: int, answer: str) -> NDArray[np.int64] | None:
    if votes is None:
        return None
    given = whole_numbers(np.asarray(votes), "votes").astype(np.int64)
    if given.ndim == 1:
        given = np.column_stack([given, np.zeros_like(given)])
    if given.shape != (length, 2) and given.size:
        raise ValueError(
            f"votes has shape {np.shape(votes)}; give ({length},) or ({length}, 2), as many as there are rows"
        )
    if given.size and given.min() < 0:
        raise ValueError(
            f"votes: row {int(np.argmin(given.min(axis=1)))} has {given.min()} votes; counts start at 0"
        )
    if answer != "closer" and given[:, 1].any():
        raise ValueError(
            f"votes has two columns, but an answer of kind {answer!r} has no opposite; give one column"
        )
    return given


def answers_from_arrays(
    rows: ArrayLike,
    *,
    answer: Answer = "closer",
    votes: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    base: int = 0,
    names: Sequence[Any] | None = None,
    n_objects: int | None = None,
) -> Answers:
    """Validate and encode answers held in arrays.

    Parameters
    ----------
    rows : array_like of shape (m, 3)
        Indices, or names as strings. See `Answers` for the order of the columns.
    answer : {"closer", "most_central", "odd_one_out"}
        What a row says.
    votes : array_like of shape (m,) or (m, 2), optional
        Votes for the answer, and for its opposite.
    groups : array_like of shape (m,), optional
        Passed through.
    base : int
        Index of the first object, 0 or 1.
    names : sequence, optional
        All objects, in the order of their codes. Strings without ``names`` are coded in sorted order.
    n_objects : int, optional
        Number of objects, to refuse larger indices.

    Returns
    -------
    Answers

    Raises
    ------
    ValueError, TypeError
        If a row holds a negative, fractional, missing or too large index, an unknown name, or compares an object
        with itself.
    """
    if answer not in _TRIPLETS:
        raise ValueError(f"answer is {answer!r}; it is one of {', '.join(map(repr, _TRIPLETS))}")
    given = np.asarray(rows)
    if given.size == 0:
        given = np.empty((0, 3), dtype=np.int32)
    if given.ndim != 2 or given.shape[1] != 3:
        raise _shape_error("triplets", given.shape)
    if given.dtype.kind == "O" and not any(isinstance(value, str) for value in given[:100].flat):
        try:
            given = given.astype(float)
        except (TypeError, ValueError):
            raise TypeError(
                "triplets holds objects that are neither indices nor strings; give one of the two"
            ) from None
    if given.dtype.kind in "OUS":
        text = given.astype(str)
        codes, known = encode(text, names, "triplets")
        if n_objects is not None and n_objects != len(known):
            raise ValueError(
                f"n_objects is {n_objects}, but there are {len(known)} names; leave n_objects out"
            )
    elif names is not None:
        codes, known = encode(whole_numbers(given, "triplets"), names, "triplets")
    else:
        whole = whole_numbers(given, "triplets")
        _check_indices(whole, base, n_objects)
        codes = whole.astype(np.int32, copy=False) if base == 0 else (whole - base).astype(np.int32)
        known = None
    _check_distinct(codes, answer, base, known)
    return Answers(
        codes,
        answer,
        known,
        _votes(votes, len(codes), answer),
        None if groups is None else np.asarray(groups),
    )


def _check_distinct(codes: NDArray[np.int32], answer: str, base: int, names: tuple[Any, ...] | None) -> None:
    """Refuse comparisons of an object with itself; three distinct objects are a must where one of three is chosen."""
    pairs = ((1, 2),) if answer == "closer" else ((0, 1), (0, 2), (1, 2))
    for start in range(0, len(codes), _CHUNK):
        chunk = codes[start : start + _CHUNK]
        for a, b in pairs:
            same = chunk[:, a] == chunk[:, b]
            if same.any():
                row = int(np.argmax(same))
                code = int(chunk[row, a])
                value = code + base if names is None else repr(names[code])
                raise ValueError(
                    f"triplets: row {start + row} compares object {value} with itself; remove the row"
                )
