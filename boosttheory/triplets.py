"""Sets of triplets "object i is closer to object j than to object k", indexed by reference pair.

Section 2 of Perrot & von Luxburg: a triplet classifier belongs to two references and speaks only for the
objects that have a triplet with both. So the index answers one question: which objects are known to lie on
which side of the references j and k?
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boosttheory.triplet_files import Answers, answers_from_arrays, read_answers, whole_numbers

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = [
    "LazyTriplets",
    "TripletSet",
    "TripletWarning",
    "n_possible",
    "pair_code",
    "pair_members",
    "refuse_beyond_memory",
]

Ints = NDArray[np.int64]
Metric = str | Callable[[Any, Any], float]
_CHUNK = 1 << 19  # numbers drawn at once: other sizes draw other sets from the same seed
_PIECE = 1 << 15  # keys worked on at once: they stay in the cache
_BUCKET = 1 << 18
PART_ENDINGS = (".csv", ".tsv", ".txt", ".npy", ".npz", ".json", ".jsonl", ".parquet")
_SMALL = 1024
_WORDS = {
    "duplicates": "repeated answers, counted once",
    "contradictions": "questions with contradictory answers",
    "undecided": "of them undecided and left out",
    "self_references": "triplets whose object is one of its own references, left out",
    "ties": "comparisons of equal distances, left out",
    "as_reference": "triplets that use a test object as reference, left out",
    "training_heads": "triplets about training objects, left out",
}


class TripletWarning(UserWarning):
    """Triplets were dropped, merged or repaired; the message says how many."""


def pair_code(j: ArrayLike, k: ArrayLike) -> Ints:
    """Compute the numbers of unordered pairs: ``k (k - 1) / 2 + j`` for ``j < k``.

    Parameters
    ----------
    j, k : array_like of int
        References, ``j != k``, in either order.

    Returns
    -------
    ndarray of int64

    Examples
    --------
    >>> pair_code([0, 2, 1], [1, 0, 2])
    array([0, 1, 2])
    """
    a, b = np.asarray(j, dtype=np.int64), np.asarray(k, dtype=np.int64)
    high = np.maximum(a, b)
    return high * (high - 1) // 2 + np.minimum(a, b)


def pair_members(code: ArrayLike) -> tuple[Ints, Ints]:
    """Return the references j < k of pair codes; the inverse of `pair_code`.

    Examples
    --------
    >>> pair_members([0, 1, 2])
    (array([0, 0, 1]), array([1, 2, 2]))
    """
    codes = np.asarray(code, dtype=np.int64)
    high = ((1.0 + np.sqrt(1.0 + 8.0 * codes)) / 2.0).astype(np.int64)
    # The square root of a large code is rounded, by less than one.
    high -= high * (high - 1) // 2 > codes
    high += high * (high + 1) // 2 <= codes
    return codes - high * (high - 1) // 2, high


def n_possible(n_objects: int, n_references: int | None = None, *, self_references: bool = True) -> int:
    """Count the possible triplets, one for each object and unordered pair of references.

    Parameters
    ----------
    n_objects : int
        Objects that are compared.
    n_references : int, optional
        Training references when the objects are others; without it objects and references are the same.
    self_references : bool
        Whether an object may be one of its own references.

    Returns
    -------
    int
        n²(n−1)/2 for a training set, n(n−1)(n−2)/2 without self references.

    References
    ----------
    Perrot & von Luxburg, Section 4.

    Examples
    --------
    >>> n_possible(4), n_possible(4, self_references=False), n_possible(2, 4)
    (24, 12, 12)
    """
    if n_references is not None:
        return n_objects * (n_references * (n_references - 1) // 2)
    usable = n_objects if self_references else n_objects - 1
    return max(0, n_objects * (usable * (usable - 1) // 2))


def memory_left() -> int | None:
    """Return how many bytes this process may still take, or None where the system does not say."""
    found = []
    try:
        with open("/proc/meminfo") as table:
            found += [1024 * int(line.split()[1]) for line in table if line.startswith("MemAvailable")]
        with open("/sys/fs/cgroup/memory.max") as limit, open("/sys/fs/cgroup/memory.current") as used:
            found.append(int(limit.read()) - int(used.read()))
    except (OSError, ValueError):  # another system, or a group without a limit
        pass
    return min(found, default=None)


def refuse_beyond_memory(size: int, what: str, remedy: str) -> None:
    """Raise an error if something would not fit into the memory that is left.

    Parameters
    ----------
    size : int
        Estimate in bytes.
    what, remedy : str
        The argument, its value and what is made of it; and what to do instead.

    Raises
    ------
    ValueError
        With both figures.
    """
    left = memory_left()
    if left is not None and size > left:
        raise ValueError(f"{what} needs {size / 1e9:.3g} GB, and {left / 1e9:.3g} GB are left; {remedy}")


def _choose(name: str, value: str, choices: tuple[str, ...]) -> str:
    if value not in choices:
        raise ValueError(f"{name} is {value!r}; it is one of {', '.join(map(repr, choices))}")
    return value


def _share(name: str, value: float) -> float:
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"{name} is {value}; give a number from 0 to 1")
    return float(value)


def warn_of(counts: Mapping[str, int], stacklevel: int) -> None:
    told = [f"{counts[key]} {words}" for key, words in _WORDS.items() if counts.get(key)]
    if told:
        warnings.warn("triplets: " + "; ".join(told), TripletWarning, stacklevel=stacklevel)


def _key_type(n_heads: int, n_references: int) -> type[np.unsignedinteger[Any]]:
    size = n_references * (n_references - 1) * n_heads
    if size > 2**64:
        raise ValueError(
            f"n_references is {n_references}, too many to number all triplets in 64 bits; take fewer objects"
        )
    return np.uint32 if size <= 2**32 else np.uint64


class Writer:
    """Cut sorted keys (2 · pair code + side) · n_heads + head into heads, offsets and pair codes.

    ``heads`` may be a view of the keys themselves: what is written never overtakes what is read.
    """

    def __init__(self, heads: NDArray[Any], n_heads: int, n_references: int, *, sparse: bool = False) -> None:
        m, all_pairs = len(heads), n_references * (n_references - 1) // 2
        self.heads, self.n_heads, self.filled = heads, n_heads, 0
        self.all_pairs, self.may_be_sparse = all_pairs, n_references > _SMALL
        # Offsets of all pairs take 8 bytes a pair, those of the pairs that occur 16, and they are at most m.
        self.sparse = sparse or (all_pairs > 2 * m and self.may_be_sparse)
        n_pairs = min(m, all_pairs) if self.sparse else all_pairs
        self.starts: NDArray[Any] = np.zeros(2 * n_pairs + 1, np.int32 if m < 2**31 else np.int64)
        self.codes: list[Ints] = []
        self.n_pairs, self.last = 0, -1

    def add(self, keys: NDArray[Any], first_pair: int = 0) -> None:
        """Append keys of larger pairs than before; their pair codes are counted from ``first_pair``."""
        for start in range(0, len(keys), _PIECE):
            chunk = keys[start : start + _PIECE]
            half = chunk // self.n_heads
            self.heads[self.filled : self.filled + len(chunk)] = chunk - half * self.n_heads
            self.filled += len(chunk)
            place = half.astype(np.int64) + 2 * first_pair
            if self.sparse:
                pairs = place >> 1
                fresh = np.diff(pairs, prepend=self.last) > 0
                self.last = int(pairs[-1])
                self.codes.append(pairs[fresh])
                place = 2 * (self.n_pairs - 1 + fresh.cumsum()) + (place & 1)
                self.n_pairs += len(self.codes[-1])
            first = int(place[0])
            lengths = np.bincount(place - first)
            part = slice(first + 1, first + 1 + len(lengths))
            np.add(self.starts[part], lengths, out=self.starts[part], casting="same_kind")

    def offsets(self) -> tuple[NDArray[Any], Ints | None]:
        """Return the offsets and the pair codes of everything written."""
        starts, codes = self.starts, None
        if self.sparse:
            codes = np.concatenate(self.codes) if self.codes else np.empty(0, np.int64)
            starts = starts[: 2 * len(codes) + 1].copy()
        elif self.all_pairs > 2 * self.filled and self.may_be_sparse:  # so many keys were dropped
            codes = np.flatnonzero(starts[1:].reshape(-1, 2).any(axis=1))
            starts = np.concatenate((starts[:1], starts[1:].reshape(-1, 2)[codes].reshape(-1)))
        np.cumsum(starts, out=starts)
        return starts, codes


def head_type(n_heads: int) -> type[np.signedinteger[Any]]:
    return np.int16 if n_heads <= 32767 else np.int32


def settle(
    keys: NDArray[Any], weights: Ints | None, n_heads: int, duplicates: str, contradictions: str
) -> tuple[NDArray[Any], dict[str, int], bool]:
    """Merge repeated and contradictory answers, in place.

    The keys (pair code · n_heads + head) · 2 + side put the two answers to one question side by side. They
    come in any order, and leave sorted as `_compact` wants them.
    """
    given = None if weights is None else keys.copy()
    keys.sort()
    keep = np.ones(len(keys), bool)
    found = [np.empty(0, np.int64)]
    for start in range(0, len(keys), _PIECE):
        chunk = keys[start : start + _PIECE + 1]
        step = chunk[1:] ^ chunk[:-1]
        np.not_equal(step, 0, out=keep[start + 1 : start + 1 + len(step)])
        found.append(np.flatnonzero(step == 1) + start)
    clash = np.concatenate(found)
    counts = {"duplicates": len(keys) - int(np.count_nonzero(keep)), "contradictions": len(clash)}
    if counts["duplicates"] and duplicates == "error":
        raise ValueError(
            f'triplets holds {counts["duplicates"]} repeated answers; remove them or set duplicates="drop"'
        )
    if len(clash) and contradictions == "error":
        raise ValueError(
            f"triplets answers {len(clash)} questions both ways; remove one answer each or set "
            'contradictions="majority"'
        )
    losers = np.empty(0, keys.dtype)
    if len(clash) and contradictions == "majority":
        low, high = keys[clash], keys[clash + 1]
        begin, end = np.searchsorted(keys, low), np.searchsorted(keys, high, "right")
        a, b = clash + 1 - begin, end - clash - 1
        if weights is not None and given is not None:
            unique = keys[keep]
            total = np.bincount(np.searchsorted(unique, given), weights=weights)
            a, b = (total[np.searchsorted(unique, side)].astype(np.int64) for side in (low, high))
        counts["undecided"] = int(np.count_nonzero(a == b))
        losers = np.concatenate([low[a <= b], high[b <= a]])
        losers.sort()
    if duplicates == "keep":
        keep[:] = True
    first, last = np.searchsorted(keys, losers), np.searchsorted(keys, losers, "right")
    for offset in range(int((last - first).max(initial=0))):
        keep[first[offset < last - first] + offset] = False
    filled = 0
    for start in range(0, len(keys), _PIECE):
        chunk = keys[start : start + _PIECE][keep[start : start + _PIECE]]
        question = chunk >> 1
        pair = question // n_heads
        keys[filled : filled + len(chunk)] = (2 * pair + (chunk & 1)) * n_heads + (question - pair * n_heads)
        filled += len(chunk)
    settled = keys[:filled]
    settled.sort()
    return settled, counts, bool(len(clash)) and contradictions == "keep"


class Space(NamedTuple):
    """The objects and references of a set, and where the codes of its answers lie among them."""

    n_objects: int
    n_references: int
    own_references: bool
    names: tuple[Any, ...] | None = None
    reference_names: tuple[Any, ...] | None = None
    head_of: NDArray[np.int32] | None = None
    reference_of: NDArray[np.int32] | None = None

    def keys(
        self, answers: Answers, self_reference: str, counts: dict[str, int]
    ) -> Iterator[tuple[NDArray[Any], Ints | None]]:
        """Compute the keys that `settle` wants, in chunks, with the votes for each; see `rows`."""
        dtype = _key_type(self.n_objects, self.n_references)
        for i, j, k, votes in self.rows(answers, self_reference, counts):
            found = self.pairs(j, k, dtype)
            found *= dtype(self.n_objects)
            found += i.astype(dtype)
            found *= dtype(2)
            found += j > k
            if votes is None:
                yield found, None
                continue
            for column in (0, 1):
                given = votes[:, column] > 0
                yield (found ^ dtype(column))[given], votes[given, column]

    @staticmethod
    def pairs(j: NDArray[np.int32], k: NDArray[np.int32], dtype: Any) -> NDArray[Any]:
        """Compute pair codes of the type of the keys; see `pair_code`."""
        found = np.maximum(j, k).astype(dtype)
        found *= found - dtype(1)
        found >>= dtype(1)
        found += np.minimum(j, k).astype(dtype)
        return found

    def rows(
        self, answers: Answers, self_reference: str, counts: dict[str, int]
    ) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], Ints | None]]:
        """Iterate over chunks of triplets that belong to the space: columns i, j, k and the votes.

        ``counts`` is added to: what was dropped, and as ``"own"`` how many objects are their own reference.
        """
        for where, i, j, k in answers.chunks():
            votes = None if answers.votes is None else answers.votes[where]
            keep: NDArray[np.bool_] | None = None
            if self.head_of is not None and self.reference_of is not None:
                i, j, k = self.head_of[i], self.reference_of[j], self.reference_of[k]
                known, foreign = i >= 0, (j < 0) | (k < 0)
                _count(counts, "as_reference", foreign)
                _count(counts, "training_heads", ~known & ~foreign)
                keep = known & ~foreign
            elif self.own_references:
                own = (i == j) | (i == k)
                number = _count(counts, "own" if self_reference == "keep" else "self_references", own)
                if number and self_reference == "error":
                    row = where.start + int(np.argmax(own))
                    raise ValueError(
                        f"triplets: row {row} has its object as a reference too; remove the row or set "
                        'self_reference="drop"'
                    )
                if number and self_reference == "drop":
                    keep = ~own
            if keep is not None:
                i, j, k = i[keep], j[keep], k[keep]
                votes = None if votes is None else votes[keep]
            yield i, j, k, votes


def _count(counts: dict[str, int], name: str, mask: NDArray[np.bool_]) -> int:
    number = int(np.count_nonzero(mask))
    counts[name] = counts.get(name, 0) + number
    return number


class Buckets(NamedTuple):
    """Ranges of pairs, so many that the keys of one fit into the cache and, as a rule, into 32 bits."""

    number: int
    width: int
    dtype: type[np.unsignedinteger[Any]]

    @classmethod
    def of(cls, n_objects: int, n_references: int, m: int, *, at_least: int = 0) -> Buckets:
        """Choose the ranges for m keys: one for small sets, else 64, and up to 256 to save memory."""
        pairs, dtype = n_references * (n_references - 1) // 2, _key_type(n_objects, n_references)
        wanted = min(max(-(-2 * pairs * n_objects // 2**32), 64), 256)
        number = 1 if m < _BUCKET else at_least or wanted
        width = max(1, -(-pairs // number))
        number = max(1, -(-pairs // width))
        return cls(number, width, np.uint32 if 2 * width * n_objects <= 2**32 else dtype)


class _Built(NamedTuple):
    """An index: the arrays of a `TripletSet`, what was dropped or merged, and what the set may hold."""

    heads: NDArray[Any]
    starts: NDArray[Any]
    pair_codes: Ints | None
    counts: dict[str, int]
    contradictory: bool
    self_references: bool


def _build(
    space: Space,
    parts: Iterable[Callable[[], Answers]],
    capacity: int | None,
    duplicates: str,
    contradictions: str,
    self_reference: str,
) -> _Built:
    """Index answers that come in parts, in memory for one key each.

    A first pass counts the keys of each bucket, unless the capacity is known and one bucket is enough; a
    second puts them there. Then bucket after bucket is settled and cut, in place.
    """
    n, n_references = space.n_objects, space.n_references
    counts: dict[str, int] = {}
    whole = _key_type(n, n_references)
    buckets = Buckets.of(n, n_references, 2**62 if capacity is None else capacity)
    sizes = np.zeros(buckets.number, np.int64)
    if capacity is None or buckets.number > 1:
        for part in parts:
            for _, j, k, votes in space.rows(part(), self_reference, {}):
                where = space.pairs(j, k, whole) // whole(buckets.width)
                for given in (slice(None),) if votes is None else votes.T > 0:
                    sizes += np.bincount(where[given].astype(np.intp), minlength=buckets.number)
        capacity = int(sizes.sum())
        if capacity < _BUCKET:
            buckets, sizes = Buckets.of(n, n_references, capacity), sizes.sum(keepdims=True)
    else:
        sizes[0] = capacity
    pairs = n_references * (n_references - 1) // 2
    refuse_beyond_memory(
        capacity * (np.dtype(buckets.dtype).itemsize + 1) + 8 * min(pairs, 2 * capacity),
        f"triplets: the index of {capacity} answers about {n} objects",
        "index them in parts on disk (boosttheory.partitioned) or take fewer",
    )
    held = np.empty(capacity, buckets.dtype)
    begins = np.concatenate(([0], sizes.cumsum()))
    filled = begins[:-1].tolist()
    weights: Ints | None = None
    bases = (2 * n * buckets.width * np.arange(buckets.number, dtype=np.uint64)).astype(whole)
    relative = buckets.dtype is not whole
    for part in parts:
        for keys, given in space.keys(part(), self_reference, counts):
            if given is not None and weights is None:
                weights = np.empty(capacity, np.int64)
            cuts = [0, len(keys)]
            if buckets.number > 1:
                if given is None:
                    keys.sort()
                else:
                    order = keys.argsort()
                    keys, given = keys[order], given[order]
                cuts = [*keys.searchsorted(bases).tolist(), len(keys)]
                if relative:
                    keys -= bases.repeat(np.diff(cuts))
            for b, (first, last) in enumerate(pairwise(cuts)):
                stop = filled[b] + last - first
                held[filled[b] : stop] = keys[first:last]
                if given is not None and weights is not None:
                    weights[filled[b] : stop] = given[first:last]
                filled[b] = stop
    kind = head_type(n)
    writer = Writer(held.view(kind)[:capacity], n, n_references)
    contradictory = False
    for b in range(buckets.number):
        part_of = slice(begins[b], filled[b])
        given = None if weights is None else weights[part_of]
        keys, merged, clash = settle(held[part_of], given, n, duplicates, contradictions)
        contradictory |= clash
        for name, number in merged.items():
            counts[name] = counts.get(name, 0) + number
        writer.add(keys, b * buckets.width if relative else 0)
    starts, pair_codes = writer.offsets()
    m = writer.filled
    # the heads take the front of the memory of the keys; the rest is given back
    del keys, writer
    held.resize(-(-m * np.dtype(kind).itemsize // held.itemsize), refcheck=False)
    own = counts.pop("own", 0) > 0
    return _Built(
        held.view(kind)[:m],
        starts,
        pair_codes,
        {k: v for k, v in counts.items() if v},
        contradictory,
        own,
    )


def part_readers(
    parts: Any, n_objects: int, n_references: int | None, own_references: bool, layout: Mapping[str, Any]
) -> list[Callable[[], Answers]]:
    """Return one function a part that reads it and refuses indices that are too large; see `from_parts`."""
    if isinstance(parts, (str, os.PathLike)):
        parts = sorted(f for f in Path(parts).iterdir() if f.suffix.lower() in PART_ENDINGS)
        if not parts:
            raise ValueError(f"parts: the folder holds no file that ends in {', '.join(PART_ENDINGS)}")
    if layout.get("votes") is not None:
        raise ValueError(f"votes is {layout['votes']!r}, but parts are not summed question by question")
    names = layout.get("names")
    if names is not None and len(names) != n_objects:
        raise ValueError(f"n_objects is {n_objects}, but names holds {len(names)} names; mend one of them")
    limit = n_objects if own_references and names is None else None

    def read(part: Any) -> Answers:
        reads = read_answers if isinstance(part, (str, os.PathLike)) else answers_from_arrays
        answers = reads(part, n_objects=limit, **layout)
        if names is None and answers.names is not None:
            raise ValueError(f"parts hold names like {answers.names[0]!r}; list all of them in names")
        if not own_references:
            _size(answers.rows[:, :1], n_objects, "n_objects")
            _size(answers.rows[:, 1:], n_references or n_objects, "n_references")
        return answers

    return [partial(read, part) for part in parts]


def _space(
    answers: Answers,
    references: ArrayLike | None,
    n_objects: int | None,
    n_references: int | None,
    own_references: bool,
) -> Space:
    """Decide which objects and references a set has."""
    rows, names = answers.rows, answers.names
    if references is not None:
        n_all = len(names) if names is not None else max(n_objects or 0, int(rows.max(initial=-1)) + 1)
        if names is None:
            chosen = whole_numbers(np.asarray(references), "references").astype(np.int64)
            n_all = max(n_all, int(chosen.max(initial=-1)) + 1)
            if chosen.size and chosen.min() < 0:
                raise ValueError(f"references holds the index {chosen.min()}; indices start at 0")
            where = chosen
        else:
            code = {str(name): index for index, name in enumerate(names)}
            chosen = np.asarray(references)
            # A training object without any answer keeps its place among the references.
            where = np.array([code.get(str(name), -1) for name in chosen.tolist()], dtype=np.int64)
        reference_of = np.full(n_all + 1, -1, np.int32)
        reference_of[where] = np.arange(len(where))
        reference_of = reference_of[:n_all]
        head_of = np.where(reference_of < 0, np.cumsum(reference_of < 0) - 1, -1).astype(np.int32)
        tests = np.flatnonzero(head_of >= 0)
        test_names = tuple(tests.tolist()) if names is None else tuple(names[t] for t in tests)
        return Space(len(tests), len(where), False, test_names, tuple(chosen.tolist()), head_of, reference_of)
    if own_references:
        if names is not None:
            n_objects = len(names)
        if n_objects is None:
            if not len(rows):
                raise ValueError("triplets is empty, so the number of objects is unknown; give n_objects")
            n_objects = int(rows.max()) + 1
        return Space(n_objects, n_objects, True, names, names)
    if answers.answer != "closer" or names is not None:
        raise ValueError(
            "own_references is False, but names and choices among three number all objects together; "
            "give references"
        )
    n_heads = _size(rows[:, :1], n_objects, "n_objects")
    return Space(n_heads, _size(rows[:, 1:], n_references, "n_references"), False)


def _size(codes: NDArray[np.int32], given: int | None, name: str) -> int:
    """Check codes against a given number of objects, or take the number from them."""
    if given is None:
        if not len(codes):
            raise ValueError(f"triplets is empty, so {name} is unknown; give {name}")
        return int(codes.max()) + 1
    if codes.size and codes.max() >= given:
        row = int(np.argmax(codes.max(axis=1) >= given))
        raise ValueError(
            f"triplets: row {row} has the index {codes[row].max()}, but {name} is {given}; mend one of them"
        )
    return given


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class TripletSet:
    """An immutable set of triplets (i, j, k), "object i is closer to reference j than to reference k".

    Objects and references are the same (a training set), or the objects are test objects and the references
    training objects. Make one with `from_arrays`, `from_responses`, `from_answers`, `from_file` or
    `from_metric`.

    Attributes
    ----------
    n_objects, n_references : int
        Number of objects, and of references.
    own_references : bool
        Whether the references are the objects themselves.
    heads : ndarray of shape (m,), int16 or int32
        The objects i, half-space after half-space, sorted within each.
    starts : ndarray of shape (2P + 1,), int32 or int64
        Half-space h is ``heads[starts[h]:starts[h + 1]]``. The pair at position q has the half-spaces 2q
        (closer to its smaller reference) and 2q + 1.
    pair_codes : ndarray of shape (P,), int64, or None
        Sorted codes (see `pair_code`) of the pairs that have triplets; None when all pairs are present, and
        position and code are the same.
    counts : dict of str to int
        What was dropped or merged.
    names, reference_names : tuple or None
        Names of the objects and of the references.
    contradictory : bool
        Whether some question is answered both ways.
    repeated : bool
        Whether a triplet may occur more than once.
    self_references : bool
        Whether an object may be one of its own references.

    References
    ----------
    Perrot & von Luxburg, Section 2, Equation 1.

    Examples
    --------
    >>> triplets = TripletSet.from_arrays([[0, 1, 2], [3, 2, 1]])
    >>> triplets.half_spaces(1, 2)
    (array([0], dtype=int16), array([3], dtype=int16))
    """

    n_objects: int
    n_references: int
    own_references: bool
    heads: NDArray[Any]
    starts: NDArray[Any]
    pair_codes: Ints | None = None
    counts: dict[str, int] = field(default_factory=dict)
    names: tuple[Any, ...] | None = None
    reference_names: tuple[Any, ...] | None = None
    contradictory: bool = False
    repeated: bool = False
    self_references: bool = True

    def __post_init__(self) -> None:
        for array in (self.heads, self.starts, self.pair_codes):
            if array is not None:
                array.flags.writeable = False

    @classmethod
    def _from_keys(
        cls, keys: NDArray[Any], n_objects: int, n_references: int, own_references: bool, **fields: Any
    ) -> TripletSet:
        writer = Writer(np.empty(len(keys), head_type(n_objects)), n_objects, n_references)
        writer.add(keys)
        return cls(n_objects, n_references, own_references, writer.heads, *writer.offsets(), **fields)

    @classmethod
    def from_arrays(
        cls,
        triplets: Any,
        *,
        references: ArrayLike | None = None,
        n_objects: int | None = None,
        n_references: int | None = None,
        own_references: bool = True,
        duplicates: Literal["drop", "error", "keep"] = "drop",
        contradictions: Literal["majority", "error", "keep"] = "majority",
        self_reference: Literal["drop", "keep", "error"] = "drop",
        **layout: Any,
    ) -> TripletSet:
        """Make a set from an array, a mapping of columns, or a data frame.

        Parameters
        ----------
        triplets : array_like of shape (m, 3), or table
            Answers about three objects each; by default rows (i, j, k), "i is closer to j than to k".
        references, n_objects, n_references, own_references, duplicates, contradictions, self_reference
            See `from_answers`.
        **layout
            What the rows say and which columns hold what: ``answer``, ``columns``, ``response``, ``first``,
            ``second``, ``skip``, ``votes``, ``base``, ``names``; see
            `boosttheory.triplet_files.answers_from_arrays`.

        Returns
        -------
        TripletSet

        Raises
        ------
        ValueError, TypeError
            If a row holds a negative, fractional, missing or too large index or an unknown name, or compares
            an object with itself; if a policy forbids what the answers hold.

        Warns
        -----
        TripletWarning
            If answers were dropped or merged; one warning, with the numbers.

        Examples
        --------
        >>> TripletSet.from_arrays([["ant", "bee", "cat"]], answer="most_central").to_array()
        array([[2, 0, 1],
               [1, 0, 2]], dtype=int32)
        """
        limit = n_objects if own_references and references is None else None
        return cls.from_answers(
            answers_from_arrays(triplets, n_objects=limit, **layout),
            references=references,
            n_objects=n_objects,
            n_references=n_references,
            own_references=own_references,
            duplicates=duplicates,
            contradictions=contradictions,
            self_reference=self_reference,
        )

    @classmethod
    def from_responses(
        cls, queries: ArrayLike, responses: ArrayLike, *, first: Any, second: Any, **options: Any
    ) -> TripletSet:
        """Make a set from questions and coded responses.

        Parameters
        ----------
        queries : array_like of shape (m, 3)
            Rows (i, j, k): is i closer to j, or to k?
        responses : array_like of shape (m,)
            The answers.
        first, second
            The response that means "closer to j", and the one that means "closer to k".
        **options
            See `from_arrays`.

        Returns
        -------
        TripletSet

        Raises
        ------
        ValueError
            If a response is neither of the two, nor listed in ``skip``.

        Examples
        --------
        >>> TripletSet.from_responses([[0, 1, 2], [3, 1, 2]], [1, -1], first=1, second=-1).to_array()
        array([[0, 1, 2],
               [3, 2, 1]], dtype=int32)
        """
        return cls.from_arrays(queries, response=responses, first=first, second=second, **options)

    @classmethod
    def from_file(
        cls,
        path: str | os.PathLike[str],
        *,
        references: ArrayLike | None = None,
        n_objects: int | None = None,
        n_references: int | None = None,
        own_references: bool = True,
        duplicates: Literal["drop", "error", "keep"] = "drop",
        contradictions: Literal["majority", "error", "keep"] = "majority",
        self_reference: Literal["drop", "keep", "error"] = "drop",
        **layout: Any,
    ) -> TripletSet:
        """Make a set from a file: CSV, TSV, npy, npz, JSON, JSON lines or Parquet.

        Parameters
        ----------
        path : path
            The file.
        references, n_objects, n_references, own_references, duplicates, contradictions, self_reference
            See `from_answers`.
        **layout
            As in `from_arrays`, and for text files ``header`` and ``delimiter``; see
            `boosttheory.triplet_files.read_answers`.

        Returns
        -------
        TripletSet

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        ValueError, TypeError
            If a row is broken; the message names its line.

        Warns
        -----
        TripletWarning
            If answers were dropped or merged.
        """
        limit = n_objects if own_references and references is None else None
        return cls.from_answers(
            read_answers(path, n_objects=limit, **layout),
            references=references,
            n_objects=n_objects,
            n_references=n_references,
            own_references=own_references,
            duplicates=duplicates,
            contradictions=contradictions,
            self_reference=self_reference,
        )

    @classmethod
    def from_answers(
        cls,
        answers: Answers,
        *,
        references: ArrayLike | None = None,
        n_objects: int | None = None,
        n_references: int | None = None,
        own_references: bool = True,
        duplicates: Literal["drop", "error", "keep"] = "drop",
        contradictions: Literal["majority", "error", "keep"] = "majority",
        self_reference: Literal["drop", "keep", "error"] = "drop",
    ) -> TripletSet:
        """Make a set from encoded answers.

        Parameters
        ----------
        answers : Answers
            See `boosttheory.triplet_files.read_answers`.
        references : array_like, optional
            The training objects, by name where the answers have names, else by code. The set then holds the
            other objects, in the order of their codes, against these references; triplets that use another
            reference, or that are about a training object, are dropped with a count.
        n_objects, n_references : int, optional
            Number of objects, and of references; by default one more than the largest index.
        own_references : bool
            False: rows (i, j, k) with test objects i and references j and k that are numbered apart.
        duplicates : {"drop", "error", "keep"}
            What becomes of repeated answers.
        contradictions : {"majority", "error", "keep"}
            What becomes of questions answered both ways: the side with more answers (or votes) stays, and
            neither when they are equal.
        self_reference : {"drop", "keep", "error"}
            What becomes of triplets with i = j or i = k.

        Returns
        -------
        TripletSet

        Raises
        ------
        ValueError
            If a policy forbids what the answers hold, or if there is no answer and no number of objects.

        Warns
        -----
        TripletWarning
            If answers were dropped or merged.
        """
        _choose("duplicates", duplicates, ("drop", "error", "keep"))
        _choose("contradictions", contradictions, ("majority", "error", "keep"))
        _choose("self_reference", self_reference, ("drop", "keep", "error"))
        if answers.votes is not None and duplicates == "keep":
            raise ValueError(
                'duplicates is "keep", but votes are summed question by question; set duplicates="drop"'
            )
        space = _space(answers, references, n_objects, n_references, own_references)
        per_row = (1 if answers.answer == "closer" else 2) * (1 if answers.votes is None else 2)
        return cls._from_parts(
            space,
            [lambda: answers],
            len(answers.rows) * per_row,
            duplicates,
            contradictions,
            self_reference,
            5,
        )

    @classmethod
    def from_parts(
        cls,
        parts: Sequence[Any],
        *,
        n_objects: int,
        n_references: int | None = None,
        own_references: bool = True,
        duplicates: Literal["drop", "error", "keep"] = "drop",
        contradictions: Literal["majority", "error", "keep"] = "majority",
        self_reference: Literal["drop", "keep", "error"] = "drop",
        **layout: Any,
    ) -> TripletSet:
        """Make a set from answers in many files or arrays, of which one is held at a time.

        Each part is read twice. Beyond one part, memory is taken for one key of 4 bytes a triplet (8 where
        there are more than 10^12 possible triplets), and given back but for the index.

        Parameters
        ----------
        parts : sequence of path or array_like of shape (m, 3), or path of a folder
            The parts; of a folder, the files in it that `read_answers` reads, in sorted order.
        n_objects : int
            Number of objects; they are plain indices, or names given by ``names``.
        n_references, own_references, duplicates, contradictions, self_reference
            See `from_answers`.
        **layout
            As in `from_file`; votes are not taken.

        Returns
        -------
        TripletSet
            The set that `from_arrays` makes of all parts together.

        Raises
        ------
        ValueError
            If a part is broken, or the index would not fit in memory.

        Warns
        -----
        TripletWarning
            If answers were dropped or merged.
        """
        names = None if layout.get("names") is None else tuple(layout["names"])
        space = Space(n_objects, n_references or n_objects, own_references, names, names)
        readers = part_readers(parts, n_objects, n_references, own_references, layout)
        return cls._from_parts(space, readers, None, duplicates, contradictions, self_reference, 4)

    @classmethod
    def _from_parts(
        cls,
        space: Space,
        parts: Sequence[Callable[[], Answers]],
        capacity: int | None,
        duplicates: str,
        contradictions: str,
        self_reference: str,
        stacklevel: int,
    ) -> TripletSet:
        built = _build(space, parts, capacity, duplicates, contradictions, self_reference)
        counts = built.counts
        warn_of(
            {key: n for key, n in counts.items() if not (key == "duplicates" and duplicates == "keep")},
            stacklevel,
        )
        return cls(
            space.n_objects,
            space.n_references,
            space.own_references,
            built.heads,
            built.starts,
            built.pair_codes,
            counts=counts,
            names=space.names,
            reference_names=space.reference_names,
            contradictory=built.contradictory,
            repeated=duplicates == "keep" and "duplicates" in counts,
            self_references=built.self_references,
        )

    @classmethod
    def from_metric(
        cls,
        X: Any,
        metric: Metric = "euclidean",
        *,
        proportion: float | None = None,
        number: int | None = None,
        noise: float = 0.0,
        rng: np.random.Generator,
        queries: Any = None,
        self_reference: Literal["keep", "drop"] = "keep",
        ties: Literal["abstain", "random", "error"] = "abstain",
    ) -> TripletSet:
        """Sample triplets from a metric, as the paper's experiments do.

        Parameters
        ----------
        X : array_like of shape (n, d)
            Objects, the references. With ``metric="precomputed"``: their distances, shape (n, n). With a
            callable: any sequence.
        metric : str or callable
            Name of a metric of scikit-learn or SciPy, ``"precomputed"``, or a symmetric function of two
            objects.
        proportion : float, optional
            Each object and unordered pair of references is available with this probability, independently;
            0.1 by default.
        number : int, optional
            Instead of ``proportion``: this many distinct comparisons, uniformly without replacement.
        noise : float
            Probability that an answer is flipped, independently.
        rng : numpy.random.Generator
            Source of randomness.
        queries : array_like of shape (n_test, d), optional
            Test objects to be compared with the references X (``"precomputed"``: their distances to them).
        self_reference : {"keep", "drop"}
            Whether an object may be one of its own references.
        ties : {"abstain", "random", "error"}
            What becomes of comparisons of equal distances.

        Returns
        -------
        TripletSet
            With ``number``, ties that abstain make the set smaller.

        Raises
        ------
        ValueError
            If a probability lies outside [0, 1], more triplets are wanted than there are, or a distance is
            NaN.

        Warns
        -----
        TripletWarning
            If comparisons of equal distances abstain; with the number.

        References
        ----------
        Perrot & von Luxburg, Sections 2 and 4.

        Examples
        --------
        >>> X = np.array([[0.0], [1.0], [3.0]])
        >>> T = TripletSet.from_metric(X, proportion=1.0, rng=np.random.default_rng(0))
        >>> len(T), [a.tolist() for a in T.half_spaces(0, 2)]
        (9, [[0, 1], [2]])
        """
        if proportion is not None and number is not None:
            raise ValueError(f"proportion is {proportion} and number is {number}; give one of the two")
        share = _share("proportion", 0.1 if proportion is None else proportion)
        flip = _share("noise", noise)
        _choose("self_reference", self_reference, ("keep", "drop"))
        _choose("ties", ties, ("abstain", "random", "error"))
        distances = _Distances.of(X, metric, queries)
        n_heads, n_references, own = distances.n_heads, distances.n_references, queries is None
        dtype = _key_type(n_heads, n_references)
        without_self = own and self_reference == "drop"
        usable = n_references - without_self
        pairs = max(0, usable * (usable - 1) // 2)
        expected = share * n_heads * pairs if number is None else number
        refuse_beyond_memory(
            int(2 * expected * np.dtype(dtype).itemsize),
            f"proportion or number: the index of about {expected:.3g} triplets",
            "take fewer, or LazyTriplets, which holds none",
        )
        if number is None:
            positions = _bernoulli(n_heads * pairs, share, rng)
        else:
            positions = _exactly(n_heads * pairs, number, rng)
        found, n_ties = [], 0
        for block in positions:
            i, code = np.divmod(block, pairs)
            j, k = pair_members(code)
            if without_self:
                j, k = j + (j >= i), k + (k >= i)
            to_j, to_k = distances.pairs(i, j, k)
            side = to_k < to_j
            if flip:
                side ^= rng.random(len(side)) < flip
            tied = to_j == to_k
            number_tied = int(np.count_nonzero(tied))
            if number_tied and ties == "error":
                t = int(np.argmax(tied))
                raise ValueError(
                    f'metric: object {i[t]} is as far from {j[t]} as from {k[t]}; set ties="abstain"'
                )
            if number_tied and ties == "random":
                side[tied] = rng.random(number_tied) < 0.5
            keys = (((k * (k - 1) // 2 + j) * 2 + side) * n_heads + i).astype(dtype)
            found.append(keys[~tied] if number_tied and ties == "abstain" else keys)
            n_ties += number_tied
        keys = np.concatenate(found) if found else np.empty(0, dtype)
        del found
        keys.sort()
        counts = {"ties": n_ties} if n_ties and ties == "abstain" else {}
        warn_of(counts, 3)
        return cls._from_keys(
            keys, n_heads, n_references, own, counts=counts, self_references=own and not without_self
        )

    def __len__(self) -> int:
        return len(self.heads)

    def __repr__(self) -> str:
        return f"TripletSet({len(self):,} triplets of {_parties(self)}, {self.proportion:.2%} of all)"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TripletSet):
            return NotImplemented
        sizes = [
            (s.n_objects, s.n_references, s.own_references, s.names, s.reference_names) for s in (self, other)
        ]
        return sizes[0] == sizes[1] and all(
            np.array_equal(a, b)
            for a, b in ((self.heads, other.heads), (self.starts, other.starts), (self.codes, other.codes))
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def n_pairs(self) -> int:
        """Number P of pairs that have a position."""
        return len(self.starts) // 2

    @property
    def codes(self) -> Ints:
        """Pair codes in order of position, ndarray of shape (P,), int64."""
        return np.arange(self.n_pairs) if self.pair_codes is None else self.pair_codes

    @property
    def proportion(self) -> float:
        """Share of the possible triplets (see `n_possible`) that the set holds."""
        possible = n_possible(
            self.n_objects,
            None if self.own_references else self.n_references,
            self_references=self.self_references,
        )
        return len(self) / possible if possible else 0.0

    def positions(self, codes: ArrayLike) -> Ints:
        """Find pairs by code.

        Parameters
        ----------
        codes : array_like of int
            See `pair_code`.

        Returns
        -------
        ndarray of int64
            Positions; -1 where the set has no such pair.
        """
        wanted = np.asarray(codes, dtype=np.int64)
        if self.pair_codes is None:
            return np.where((wanted >= 0) & (wanted < self.n_pairs), wanted, -1)
        if not len(self.pair_codes):
            return np.full(wanted.shape, -1, np.int64)
        place = np.minimum(np.searchsorted(self.pair_codes, wanted), len(self.pair_codes) - 1)
        return np.where(self.pair_codes[place] == wanted, place, -1)

    def half_spaces(self, j: int, k: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the objects that lie closer to j than to k, and those closer to k.

        Parameters
        ----------
        j, k : int
            Two different references.

        Returns
        -------
        near_j, near_k : ndarray
            Sorted objects, views of `heads`.

        Raises
        ------
        ValueError
            If j and k are the same, or no references.
        """
        _check_pair(j, k, self.n_references)
        smaller, larger = sorted((int(j), int(k)))
        place = larger * (larger - 1) // 2 + smaller
        if self.pair_codes is not None:
            place = int(self.positions(place))
        if place < 0:
            return self.heads[:0], self.heads[:0]
        a, b, c = self.starts[2 * place : 2 * place + 3].tolist()
        low, high = self.heads[a:b], self.heads[b:c]
        return (low, high) if j < k else (high, low)

    def _chunks(self) -> Iterator[tuple[slice, Ints]]:
        """Iterate over slices of the heads and the numbers of their half-spaces."""
        first, last = 0, len(self.starts) - 1
        while first < last:
            stop = max(
                first + 1, int(np.searchsorted(self.starts, int(self.starts[first]) + _CHUNK, "right")) - 1
            )
            where = slice(int(self.starts[first]), int(self.starts[stop]))
            yield where, np.repeat(np.arange(first, stop), np.diff(self.starts[first : stop + 1]))
            first = stop

    def _keys(self, where: slice, half: Ints) -> NDArray[Any]:
        pair = half >> 1 if self.pair_codes is None else self.pair_codes[half >> 1]
        dtype = _key_type(self.n_objects, self.n_references)
        return ((2 * pair + (half & 1)) * self.n_objects + self.heads[where]).astype(dtype)

    def subsample(
        self, *, proportion: float | None = None, number: int | None = None, rng: np.random.Generator
    ) -> TripletSet:
        """Draw a random subset.

        Parameters
        ----------
        proportion : float, optional
            Keep each triplet with this probability, independently.
        number : int, optional
            Keep this many, uniformly without replacement.
        rng : numpy.random.Generator
            Source of randomness.

        Returns
        -------
        TripletSet
            Of the same objects.
        """
        if (proportion is None) == (number is None):
            raise ValueError(f"proportion is {proportion} and number is {number}; give one of the two")
        chosen = np.zeros(len(self), bool)
        if proportion is not None:
            drawn = _bernoulli(len(self), _share("proportion", proportion), rng)
        else:
            drawn = _exactly(len(self), int(number or 0), rng)
        for block in drawn:
            chosen[block] = True
        keys = [self._keys(where, half)[chosen[where]] for where, half in self._chunks()]
        return TripletSet._from_keys(
            np.concatenate(keys) if keys else np.empty(0, _key_type(self.n_objects, self.n_references)),
            self.n_objects,
            self.n_references,
            self.own_references,
            names=self.names,
            reference_names=self.reference_names,
            contradictory=self.contradictory,
            repeated=self.repeated,
            self_references=self.self_references,
        )

    def _select(self, heads: Ints, references: Ints, own_references: bool) -> TripletSet:
        """Cut out some heads and references; count the triplets of these heads that use other references."""
        head_of, reference_of = np.full(self.n_objects, -1), np.full(self.n_references, -1)
        head_of[heads], reference_of[references] = np.arange(len(heads)), np.arange(len(references))
        low, high = (reference_of[members] for members in pair_members(self.codes))
        whole = (low >= 0) & (high >= 0)
        # Where the new order of j and k is the other one, the sides change places.
        base = np.where(whole, 2 * pair_code(low, np.where(whole, high, low + 1)) + (low > high), -1)
        dtype = _key_type(len(heads), len(references))
        found, foreign = [], 0
        for where, half in self._chunks():
            i, number = head_of[self.heads[where]], base[half >> 1]
            known = i >= 0
            keep = known & (number >= 0)
            foreign += int(np.count_nonzero(known)) - int(np.count_nonzero(keep))
            found.append((((number ^ (half & 1)) * len(heads) + i)[keep]).astype(dtype))
        keys = np.concatenate(found) if found else np.empty(0, dtype)
        keys.sort()
        names = None if self.names is None else tuple(self.names[i] for i in heads.tolist())
        chosen = self.reference_names
        return TripletSet._from_keys(
            keys,
            len(heads),
            len(references),
            own_references,
            counts={"as_reference": foreign} if foreign else {},
            names=names,
            reference_names=None if chosen is None else tuple(chosen[i] for i in references.tolist()),
            contradictory=self.contradictory,
            repeated=self.repeated,
            self_references=self.self_references and own_references,
        )

    def restrict(self, objects: ArrayLike) -> TripletSet:
        """Keep the triplets whose three objects are all among some objects, numbered anew in their order.

        Parameters
        ----------
        objects : array_like of int, or bool mask of shape (n_objects,)
            Objects to keep. Where the references are other objects, all of them stay.

        Returns
        -------
        TripletSet
        """
        chosen = _objects("objects", objects, self.n_objects)
        if self.own_references:
            return self._select(chosen, chosen, True)
        return self._select(chosen, np.arange(self.n_references), False)

    def split(self, train: ArrayLike, test: ArrayLike) -> tuple[TripletSet, TripletSet]:
        """Cut a set into a training set and test objects against the training objects as references.

        Parameters
        ----------
        train, test : array_like of int, or bool mask of shape (n_objects,)
            Disjoint objects.

        Returns
        -------
        training, tests : TripletSet
            ``counts["as_reference"]`` of each is the number of triplets of its objects that were left out
            because they use an object outside ``train`` as reference.

        Raises
        ------
        ValueError
            If the sets overlap, or if the objects are not their own references.
        """
        if not self.own_references:
            raise ValueError(
                "split needs a set whose objects are their own references; this one holds test objects"
            )
        training, tests = _objects("train", train, self.n_objects), _objects("test", test, self.n_objects)
        common = np.intersect1d(training, tests)
        if len(common):
            raise ValueError(f"train and test both hold object {common[0]}; an object belongs to one of them")
        return self._select(training, training, True), self._select(tests, training, False)

    def to_array(self) -> NDArray[np.int32]:
        """Write the triplets as rows (i, j, k), ordered by pair, side and object.

        Returns
        -------
        ndarray of shape (m, 3), int32
        """
        rows = np.empty((len(self), 3), np.int32)
        low, high = pair_members(self.codes)
        for where, half in self._chunks():
            pair, side = half >> 1, (half & 1).astype(bool)
            a, b = low[pair], high[pair]
            rows[where, 0] = self.heads[where]
            rows[where, 1] = np.where(side, b, a)
            rows[where, 2] = np.where(side, a, b)
        return rows

    def to_frame(self) -> DataFrame:
        """Write the triplets as a data frame, one a row.

        Returns
        -------
        pandas.DataFrame
            Columns object, closer and farther: names where the set has them, else indices. `from_arrays`
            reads it back.

        Raises
        ------
        ImportError
            If pandas is not installed.

        Examples
        --------
        >>> TripletSet.from_arrays([["bee", "ant", "cat"]]).to_frame().iloc[0].tolist()
        ['bee', 'ant', 'cat']
        """
        try:
            from pandas import DataFrame
        except ImportError as error:
            raise ImportError(
                "to_frame needs pandas, which is not installed; run pip install pandas"
            ) from error

        references = self.names if self.own_references else self.reference_names
        titles = {"object": self.names, "closer": references, "farther": references}
        return DataFrame(
            {
                title: codes if names is None else np.asarray(names)[codes]
                for (title, names), codes in zip(titles.items(), self.to_array().T, strict=True)
            }
        )


def _parties(triplets: TripletSet | LazyTriplets) -> str:
    if triplets.own_references:
        return f"{triplets.n_objects} objects"
    return f"{triplets.n_objects} test objects against {triplets.n_references} references"


def _objects(name: str, objects: ArrayLike, n_objects: int) -> Ints:
    """Turn a mask or indices into distinct indices."""
    chosen = np.asarray(objects)
    if chosen.dtype == bool:
        if chosen.shape != (n_objects,):
            raise ValueError(f"{name} is a mask of shape {chosen.shape}; give {n_objects} truth values")
        return np.flatnonzero(chosen)
    chosen = whole_numbers(chosen, name).astype(np.int64) if chosen.size else np.empty(0, np.int64)
    if chosen.size and not 0 <= chosen.min() <= chosen.max() < n_objects:
        bad = chosen[(chosen < 0) | (chosen >= n_objects)][0]
        raise ValueError(f"{name} holds {bad}; objects run from 0 to {n_objects - 1}")
    if len(np.unique(chosen)) < len(chosen):
        raise ValueError(f"{name} holds an object twice; name each object once")
    return chosen


def _check_pair(j: int, k: int, n_references: int) -> None:
    if j == k:
        raise ValueError(f"j and k are both {j}; a pair needs two different references")
    if not (0 <= j < n_references and 0 <= k < n_references):
        raise ValueError(
            f"the pair ({j}, {k}) lies outside the references 0 to {n_references - 1}; choose two of them"
        )


def _bernoulli(total: int, share: float, rng: np.random.Generator) -> Iterator[Ints]:
    """Draw each of ``total`` positions with probability ``share``; sorted, in blocks."""
    if share == 1.0:
        for start in range(0, total, _CHUNK):
            yield np.arange(start, min(start + _CHUNK, total))
        return
    size = min(_CHUNK, int(1.1 * total * share) + 100)
    last = -1
    while share and last < total:
        positions = last + np.cumsum(np.minimum(rng.geometric(share, size), total + 1))
        last = int(positions[-1])
        yield positions if last < total else positions[: np.searchsorted(positions, total)]


def _exactly(total: int, number: int, rng: np.random.Generator) -> Iterator[Ints]:
    """Draw ``number`` of ``total`` positions uniformly without replacement; sorted, in blocks.

    Repeated draws are thrown away and made good, a surplus is removed at random: no step depends on which
    position is which, so all sets are equally likely.
    """
    if not 0 <= number <= total:
        raise ValueError(f"number is {number}, but there are {total} possible triplets; take fewer")
    if 2 * number > total:
        free = np.ones(total, bool)
        for block in _exactly(total, total - number, rng):
            free[block] = False
        held = np.flatnonzero(free)
    else:
        held = np.empty(0, np.int64)
        while len(held) < number:
            more = rng.integers(total, size=(number - len(held)) * 21 // 20 + 10)
            held = np.concatenate([held, more])
            held.sort()
            held = held[np.diff(held, prepend=-1) > 0]
        if len(held) > number:
            held = np.delete(held, rng.choice(len(held), len(held) - number, replace=False))
    for start in range(0, number, _CHUNK):
        yield held[start : start + _CHUNK]


class _Distances(NamedTuple):
    """Distances of heads to references, computed where they are asked for.

    Every distance is computed on its own, so that it does not depend on what else is computed with it: equal
    distances stay equal, and lazy and materialised sets agree.
    """

    heads: Any
    references: Any
    metric: Metric
    options: dict[str, Any]
    n_heads: int
    n_references: int

    @classmethod
    def of(cls, X: Any, metric: Metric, queries: Any) -> _Distances:
        """Validate points or a matrix of distances."""
        options: dict[str, Any] = {}
        if callable(metric):
            points = list(X)
            others = points if queries is None else list(queries)
            return cls(others, points, metric, options, len(others), len(points))
        references = _matrix("X", X)
        heads = references if queries is None else _matrix("queries", queries)
        if metric == "precomputed":
            if queries is None and references.shape[0] != references.shape[1]:
                raise ValueError(
                    f"X has shape {references.shape}; precomputed distances make a square matrix"
                )
            n_references = references.shape[0]
            if heads.shape[1] != n_references:
                raise ValueError(
                    f"queries has {heads.shape[1]} columns; give distances to all {n_references} references"
                )
            return cls(heads, None, metric, options, len(heads), n_references)
        if heads.shape[1] != references.shape[1]:
            raise ValueError(
                f"queries has {heads.shape[1]} columns and X {references.shape[1]}; give the same features"
            )
        name = {"l2": "euclidean", "l1": "cityblock", "manhattan": "cityblock"}.get(metric, metric)
        if name == "seuclidean":
            options["V"] = references.var(axis=0, ddof=1)
        elif name == "mahalanobis":
            options["VI"] = np.linalg.inv(np.atleast_2d(np.cov(references.T))).T
        return cls(heads, references, name, options, len(heads), len(references))

    def __call__(self, heads: Any, references: Any) -> NDArray[np.float64]:
        """Compute the distances of some heads to some references; NaN is refused."""
        if self.metric == "precomputed":
            block = self.heads[heads][:, references]
        elif callable(self.metric):
            rows = np.arange(self.n_heads)[heads].tolist()
            columns = np.arange(self.n_references)[references].tolist()
            block = np.array(
                [[self.metric(self.heads[i], self.references[j]) for j in columns] for i in rows],
                dtype=np.float64,
            ).reshape(len(rows), len(columns))
        else:
            block = _vector_distances(
                self.heads[heads], self.references[references], self.metric, self.options
            )
        if np.isnan(block).any():
            row, column = np.argwhere(np.isnan(block))[0]
            i, j = np.arange(self.n_heads)[heads][row], np.arange(self.n_references)[references][column]
            raise ValueError(
                f"metric: the distance of object {i} to reference {j} is NaN; mend the objects or the metric"
            )
        return block

    def pairs(self, i: Ints, j: Ints, k: Ints) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return d(i, j) and d(i, k) for sorted heads i, from blocks of rows of bounded size."""
        to_j, to_k = np.empty(len(i)), np.empty(len(i))
        per_block = max(1, 8 * _CHUNK // max(1, self.n_references))
        start = 0
        while start < len(i):
            first = int(i[start])
            stop = int(np.searchsorted(i, first + per_block))
            rows = self(slice(first, int(i[stop - 1]) + 1), slice(None))
            part = slice(start, stop)
            local = i[part] - first
            to_j[part], to_k[part] = rows[local, j[part]], rows[local, k[part]]
            start = stop
        return to_j, to_k


def _matrix(name: str, values: Any) -> NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 2:
        raise ValueError(f"{name} has {array.ndim} dimensions; give one row an object")
    return array


def _vector_distances(
    a: NDArray[np.float64], b: NDArray[np.float64], metric: str, options: dict[str, Any]
) -> NDArray[np.float64]:
    from scipy.spatial.distance import cdist

    try:
        return cdist(a, b, metric, **options)
    except ValueError as error:
        if "Unknown Distance Metric" not in str(error):
            raise
    from sklearn.metrics import pairwise_distances

    try:
        return np.asarray(pairwise_distances(a, b, metric=metric), dtype=np.float64)
    except ValueError as error:
        raise ValueError(f"metric is {metric!r}: {error}") from None


def _mix(value: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scramble 64-bit words (the finaliser of the splitmix64 generator)."""
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


_GOLDEN = 0x9E3779B97F4A7C15


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class LazyTriplets:
    """A set of triplets that is computed pair by pair and never held.

    Whether the answer of object i about the references j and k is available, and whether it is flipped, are
    hashes of (seed, j, k, i); the answer itself comes from the metric. So a set of any size takes no memory,
    and every question always has the same answer.

    Attributes
    ----------
    n_objects, n_references : int
        Number of objects, and of references.
    own_references : bool
        Whether the references are the objects themselves.
    proportion, noise : float
        Probability that a triplet is available, and that it is flipped.
    seed : int
        Seed of the hash.
    self_references : bool
        Whether an object may be one of its own references.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(5000, 2))
    >>> lazy = LazyTriplets.from_metric(X, proportion=0.1, seed=7)
    >>> near, far = lazy.half_spaces(12, 4321)
    >>> 400 < len(near) + len(far) < 600
    True
    """

    n_objects: int
    n_references: int
    own_references: bool
    proportion: float
    noise: float
    seed: int
    self_references: bool
    _distances: _Distances

    @classmethod
    def from_metric(
        cls,
        X: Any,
        metric: Metric = "euclidean",
        *,
        proportion: float = 0.1,
        noise: float = 0.0,
        seed: int,
        queries: Any = None,
        self_reference: Literal["keep", "drop"] = "keep",
    ) -> LazyTriplets:
        """Make a lazy set from a metric.

        Parameters
        ----------
        X, metric, proportion, noise, queries, self_reference
            As in `TripletSet.from_metric`. Objects at equal distances from both references abstain.
        seed : int
            Seed of the hash, from 0 to 2^64 − 1.

        Returns
        -------
        LazyTriplets

        Raises
        ------
        ValueError
            If a probability lies outside [0, 1]; later, when a distance is NaN.
        """
        share, flip = _share("proportion", proportion), _share("noise", noise)
        _choose("self_reference", self_reference, ("keep", "drop"))
        if not 0 <= seed < 2**64:
            raise ValueError(f"seed is {seed}; give an integer from 0 to 2^64 - 1")
        distances = _Distances.of(X, metric, queries)
        own = queries is None
        return cls(
            distances.n_heads,
            distances.n_references,
            own,
            share,
            flip,
            seed,
            own and self_reference == "keep",
            distances,
        )

    def __repr__(self) -> str:
        return f"LazyTriplets({_parties(self)}, {self.proportion:.2%} of all)"

    def _available(self, j: NDArray[Any], k: NDArray[Any]) -> tuple[Ints, Ints, NDArray[np.bool_]]:
        """Return pair numbers (rows of j < k), available heads, and which of them are flipped."""
        words = np.array([self.seed], np.uint64)
        pairs = _mix(
            _mix(words + np.uint64(_GOLDEN)) + pair_code(j, k).astype(np.uint64) * np.uint64(_GOLDEN)
        )
        heads = np.arange(1, self.n_objects + 1, dtype=np.uint64) * np.uint64(_GOLDEN)
        hashes = _mix(pairs[:, None] + heads)
        # The upper 53 bits, read as a fraction, are exact in float64.
        available = (hashes >> 11) * 2.0**-53 < self.proportion
        if self.own_references and not self.self_references:
            rows = np.arange(len(j))
            available[rows, j] = available[rows, k] = False
        pair, head = np.nonzero(available)
        if not self.noise:
            return pair, head, np.zeros(len(pair), bool)
        again = _mix(hashes[pair, head] + np.uint64(_GOLDEN))
        return pair, head, (again >> 11) * 2.0**-53 < self.noise

    def half_spaces(self, j: int, k: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the objects known to lie closer to j than to k, and those closer to k.

        The distances of the available objects to j and k are computed: O(n d) for vectors of d features.

        Parameters
        ----------
        j, k : int
            Two different references.

        Returns
        -------
        near_j, near_k : ndarray
            Sorted objects.
        """
        _check_pair(j, k, self.n_references)
        low, high = min(j, k), max(j, k)
        _, heads, flipped = self._available(np.array([low]), np.array([high]))
        block = self._distances(heads, np.array([low, high]))
        side = (block[:, 1] < block[:, 0]) ^ flipped
        untied = block[:, 0] != block[:, 1]
        heads = heads.astype(np.int16 if self.n_objects <= 32767 else np.int32)
        near_low, near_high = heads[untied & ~side], heads[untied & side]
        return (near_low, near_high) if j < k else (near_high, near_low)

    def materialise(self) -> TripletSet:
        """Compute all triplets and index them.

        Returns
        -------
        TripletSet
            Its half-spaces are those of the lazy set.
        """
        n, dtype = self.n_objects, _key_type(self.n_objects, self.n_references)
        n_pairs = self.n_references * (self.n_references - 1) // 2
        rows = self._distances(slice(None), slice(None))
        per_block = max(1, _CHUNK // max(1, n))
        found, n_ties = [], 0
        for start in range(0, n_pairs, per_block):
            low, high = pair_members(np.arange(start, min(start + per_block, n_pairs)))
            pair, heads, flipped = self._available(low, high)
            to_low, to_high = rows[heads, low[pair]], rows[heads, high[pair]]
            untied = to_low != to_high
            n_ties += len(untied) - int(np.count_nonzero(untied))
            keys = (2 * (pair + start) + ((to_high < to_low) ^ flipped)) * n + heads
            found.append(keys[untied].astype(dtype))
        keys = np.concatenate(found) if found else np.empty(0, dtype)
        keys.sort()
        counts = {"ties": n_ties} if n_ties else {}
        warn_of(counts, 3)
        return TripletSet._from_keys(
            keys,
            n,
            self.n_references,
            self.own_references,
            counts=counts,
            self_references=self.self_references,
        )
