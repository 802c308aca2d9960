"""Triplets in many files: an index on disk, cut into ranges of reference pairs and built by dask workers.

A part is read by one worker, which writes its keys in order; then each range of pairs is collected from all
parts by one worker, settled and cut into half-spaces. No worker holds more than a part or a range. Training
reads half-spaces off the disk: a round needs the list of one pair only.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boosttheory.files import atomic_write, locked, parse_json
from boosttheory.triplet_files import Answers, read_arrays
from boosttheory.triplets import (
    Buckets,
    Space,
    TripletSet,
    Writer,
    head_type,
    pair_code,
    part_readers,
    refuse_beyond_memory,
    settle,
    warn_of,
)

__all__ = ["PartitionedTriplets", "index_parts", "open_index"]

MANIFEST = "index.json"
ARRAYS = ("heads", "starts", "codes")


class _Range(NamedTuple):
    """Half-spaces of a range of pairs, mapped from disk."""

    heads: NDArray[Any]
    starts: NDArray[np.int64]
    codes: NDArray[np.int64]


class PartitionedTriplets:
    """A set of triplets on disk, to train from like a `TripletSet`; make one with `index_parts`.

    Parameters
    ----------
    folder : path
        Where `index_parts` wrote the index.

    Attributes
    ----------
    n_objects, n_references : int
        Number of objects, and of references.
    own_references, contradictory, repeated, self_references : bool
        As in `TripletSet`.
    counts : dict of str to int
        What was dropped or merged.
    names : tuple or None
        Names of the objects.

    Raises
    ------
    ValueError
        If the folder holds no index.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        try:
            meta = parse_json((self.folder / MANIFEST).read_bytes())
            self.n_objects, self.n_references = int(meta["n_objects"]), int(meta["n_references"])
            self.own_references, self.self_references = meta["own_references"], meta["self_references"]
            self.contradictory, self.repeated = meta["contradictory"], meta["repeated"]
            self.counts: dict[str, int] = dict(meta["counts"])
            self.names = None if meta["names"] is None else tuple(meta["names"])
            self.width, self.sizes = int(meta["width"]), [int(size) for size in meta["sizes"]]
            self._parts = self.folder / _part_folder(meta["parts"])
            flags = (self.own_references, self.self_references, self.contradictory, self.repeated)
            pairs = self.n_references * (self.n_references - 1) // 2
            if (
                not 0 < self.n_objects < 2**31
                or not 0 <= self.n_references < 2**31
                or not (min(self.sizes) >= 0 and sum(self.sizes) < 2**62)
            ):
                raise ValueError("impossible sizes")
            if self.width < 1 or self.width * len(self.sizes) < pairs or set(map(type, flags)) != {bool}:
                raise ValueError("fields that contradict each other")
            if self.names is not None and len(self.names) != self.n_objects:
                raise ValueError(f"{len(self.names)} names of {self.n_objects} objects")
        except (OSError, ValueError, KeyError, TypeError, OverflowError) as error:
            reason = f"{type(error).__name__}: {error}"
            raise ValueError(f"{folder} holds no index ({reason}); build one by index_parts") from None
        self._range = cache(self._map)

    def __len__(self) -> int:
        return sum(self.sizes)

    def __repr__(self) -> str:
        return f"PartitionedTriplets({len(self):,} triplets in {len(self.sizes)} ranges)"

    def _map(self, number: int) -> _Range:
        held: list[Any] = [read_arrays(_path(self._parts, name, number)) for name in ARRAYS]
        heads, starts, codes = held
        whole = all(array.ndim == 1 and array.dtype.kind in "iu" for array in held)
        if not whole or len(starts) != 2 * len(codes) + 1 or len(heads) != self.sizes[number]:
            raise self._broken(number)
        return _Range(heads, starts, codes)

    def _broken(self, number: int) -> ValueError:
        return ValueError(f"range {number} of the index in {self.folder} is broken; build it by index_parts")

    def half_spaces(self, j: int, k: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the objects that lie closer to j than to k, and those closer to k; read off the disk.

        Parameters
        ----------
        j, k : int
            Two different references.

        Returns
        -------
        near_j, near_k : ndarray
            Sorted objects.
        """
        if j == k or not (0 <= j < self.n_references and 0 <= k < self.n_references):
            raise ValueError(
                f"the pair ({j}, {k}) is no pair of the references 0 to {self.n_references - 1}; choose two"
            )
        code = int(pair_code(j, k))
        held = self._range(code // self.width)
        place = int(held.codes.searchsorted(code))
        if place == len(held.codes) or held.codes[place] != code:
            return held.heads[:0], held.heads[:0]
        first, middle, last = held.starts[2 * place : 2 * place + 3].tolist()
        found = np.asarray(held.heads[first:last])
        if not 0 <= first <= middle <= last <= len(held.heads) or not _below(found, self.n_objects):
            raise self._broken(code // self.width)
        low, high = found[: middle - first], found[middle - first :]
        return (low, high) if j < k else (high, low)

    def load(self) -> TripletSet:
        """Read the whole index into memory.

        Returns
        -------
        TripletSet
            The set that `TripletSet.from_parts` makes of the same parts.

        Raises
        ------
        ValueError
            If it would not fit.
        """
        m, kind = len(self), head_type(self.n_objects)
        pairs = self.n_references * (self.n_references - 1) // 2
        refuse_beyond_memory(
            np.dtype(kind).itemsize * m + 16 * min(pairs, m),
            f"the index of {m} triplets in {self.folder}",
            "train from it on disk",
        )
        writer = Writer(np.empty(m, kind), self.n_objects, self.n_references)
        for number in range(len(self.sizes)):
            held = self._map(number)
            sizes, base = np.diff(held.starts), number * self.width
            if sizes.min(initial=0) < 0 or held.starts[0] != 0 or held.starts[-1] != len(held.heads):
                raise self._broken(number)
            if not _below(held.heads, self.n_objects) or not _below(held.codes - base, self.width):
                raise self._broken(number)
            halves = np.repeat(np.arange(2 * len(held.codes)), sizes)
            pair = held.codes[halves >> 1] - base
            keys = (2 * pair + (halves & 1)) * self.n_objects + held.heads
            writer.add(keys, base)
        return TripletSet(
            self.n_objects,
            self.n_references,
            self.own_references,
            writer.heads,
            *writer.offsets(),
            counts=self.counts,
            names=self.names,
            reference_names=self.names,
            contradictory=self.contradictory,
            repeated=self.repeated,
            self_references=self.self_references,
        )


def open_index(folder: str | os.PathLike[str]) -> PartitionedTriplets:
    """Open an index that `index_parts` wrote."""
    return PartitionedTriplets(folder)


def _below(numbers: NDArray[Any], end: int) -> bool:
    """Tell whether all of some numbers lie from 0 to below an end."""
    return not len(numbers) or (int(numbers.min()) >= 0 and int(numbers.max()) < end)


def _part_folder(name: Any) -> str:
    """Return the name of a folder of parts, which lies in that of the index."""
    if not isinstance(name, str) or not re.fullmatch("parts-[0-9a-z_]+", name):
        raise ValueError(f"{name!r:.60} is no folder of parts")
    return name


def _path(folder: Path, name: str, number: int) -> Path:
    return folder / f"{name}-{number:05}.npy"


def _write(path: Path, array: NDArray[Any]) -> None:
    """Write an array and wait until it is on the disk; the manifest tells which ones are whole."""
    with path.open("wb") as stream:
        np.save(stream, array, allow_pickle=False)
        stream.flush()
        os.fsync(stream.fileno())


def _sort_part(
    read: Callable[[], Answers], number: int, folder: Path, space: Space, self_reference: str
) -> dict[str, int]:
    """Write the sorted keys of one part; return what was dropped."""
    counts: dict[str, int] = {}
    found = [keys for keys, _ in space.keys(read(), self_reference, counts)]
    keys = np.concatenate(found) if found else np.empty(0, np.uint64)
    keys.sort()
    _write(_path(folder, "keys", number), keys)
    return counts


def _merge_range(
    number: int,
    parts: int,
    folder: Path,
    space: Space,
    buckets: Buckets,
    duplicates: str,
    contradictions: str,
) -> tuple[int, dict[str, int], bool]:
    """Collect the keys of one range of pairs and write its half-spaces; return their size and the counts."""
    base = 2 * space.n_objects * buckets.width * number
    top = base + 2 * space.n_objects * buckets.width
    found = []
    for part in range(parts):
        keys = np.load(_path(folder, "keys", part), mmap_mode="r")
        first = int(keys.searchsorted(keys.dtype.type(base)))
        last = int(keys.searchsorted(keys.dtype.type(top))) if top <= np.iinfo(keys.dtype).max else len(keys)
        found.append((keys[first:last] - keys.dtype.type(base)).astype(buckets.dtype))
    keys, counts, clash = settle(np.concatenate(found), None, space.n_objects, duplicates, contradictions)
    writer = Writer(
        np.empty(len(keys), head_type(space.n_objects)), space.n_objects, space.n_references, sparse=True
    )
    writer.add(keys, buckets.width * number)
    for name, array in zip(ARRAYS, (writer.heads, *writer.offsets()), strict=True):
        _write(_path(folder, name, number), np.asarray(array))
    return len(keys), counts, clash


def index_parts(
    parts: Sequence[Any] | str | os.PathLike[str],
    folder: str | os.PathLike[str],
    *,
    n_objects: int,
    n_references: int | None = None,
    own_references: bool = True,
    duplicates: Literal["drop", "error", "keep"] = "drop",
    contradictions: Literal["majority", "error", "keep"] = "majority",
    self_reference: Literal["drop", "keep", "error"] = "drop",
    ranges: int = 16,
    client: Any = None,
    **layout: Any,
) -> PartitionedTriplets:
    """Index triplets that lie in many files, by dask workers, into a folder that all of them can write to.

    Parameters
    ----------
    parts : path of a folder, or sequence of paths or arrays
        See `TripletSet.from_parts`.
    folder : path
        Where to write the index; made when absent. It takes 2 bytes a triplet and 24 bytes a pair, and 8
        bytes a triplet more while it is built.
    n_objects, n_references, own_references, duplicates, contradictions, self_reference, **layout
        See `TripletSet.from_parts`.
    ranges : int
        Ranges of pairs, at least; a worker holds the keys of one.
    client : distributed.Client, optional
        The workers; without one the threads of this process.

    Returns
    -------
    PartitionedTriplets
        Its `load` equals `TripletSet.from_parts` of the same parts.

    Raises
    ------
    ImportError
        If dask is not installed.
    ValueError
        If a part is broken, or a policy forbids what the parts hold; the message of the worker.

    Warns
    -----
    TripletWarning
        If answers were dropped or merged.
    """
    try:
        import dask
    except ImportError:
        raise ImportError(
            "index_parts needs dask, which is not installed; run pip install 'boosttheory[dist]' or use "
            "TripletSet.from_parts"
        ) from None
    if ranges < 1:
        raise ValueError(f"ranges is {ranges}; give at least 1")
    names = None if layout.get("names") is None else tuple(layout["names"])
    space = Space(n_objects, n_references or n_objects, own_references, names, names)
    readers = part_readers(parts, n_objects, n_references, own_references, layout)
    buckets = Buckets.of(n_objects, space.n_references, 2**62, at_least=ranges)
    target = Path(os.path.realpath(folder))

    def run(tasks: list[Any]) -> list[Any]:
        if client is not None:
            return list(client.gather(client.compute(tasks)))
        return list(dask.compute(*tasks, scheduler="threads"))

    sort, merge = dask.delayed(_sort_part), dask.delayed(_merge_range)
    with locked(target / MANIFEST):
        made = Path(tempfile.mkdtemp(prefix="parts-", dir=target))
        try:
            dropped = run([sort(read, p, made, space, self_reference) for p, read in enumerate(readers)])
            merged = run(
                [
                    merge(number, len(readers), made, space, buckets, duplicates, contradictions)
                    for number in range(buckets.number)
                ]
            )
            for part in range(len(readers)):
                _path(made, "keys", part).unlink()
            made.chmod(target.stat().st_mode & 0o777)
            meta = _described(space, buckets, duplicates, dropped, merged) | {"parts": made.name}
            atomic_write(target / MANIFEST, json.dumps(meta).encode())
        except BaseException:
            shutil.rmtree(made, ignore_errors=True)
            raise
        # an index that this one replaces, and what a process that was killed has left
        for old in target.glob("parts-*"):
            if old != made:
                shutil.rmtree(old, ignore_errors=True)
    counts: dict[str, int] = meta["counts"]
    warn_of({k: v for k, v in counts.items() if not (k == "duplicates" and duplicates == "keep")}, 3)
    return PartitionedTriplets(target)


def _described(
    space: Space,
    buckets: Buckets,
    duplicates: str,
    dropped: Sequence[dict[str, int]],
    merged: Sequence[tuple[int, dict[str, int], bool]],
) -> dict[str, Any]:
    """Return what the manifest says of an index."""
    counts: dict[str, int] = {}
    for found in (*dropped, *(counted for _, counted, _ in merged)):
        for name, number in found.items():
            counts[name] = counts.get(name, 0) + number
    own = counts.pop("own", 0) > 0
    counts = {name: number for name, number in counts.items() if number}
    return {
        "n_objects": space.n_objects,
        "n_references": space.n_references,
        "own_references": space.own_references,
        "self_references": own,
        "contradictory": any(clash for _, _, clash in merged),
        "repeated": duplicates == "keep" and "duplicates" in counts,
        "counts": counts,
        "names": None if space.names is None else list(space.names),
        "width": buckets.width,
        "sizes": [size for size, _, _ in merged],
    }
