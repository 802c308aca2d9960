"""Finite classes H in Y^n: shattering, pseudo-cubes, and the dimensions of multiclass and list learning."""

from __future__ import annotations

import csv
import os
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import comb, prod
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boosttheory.files import csv_rows

__all__ = [
    "BUDGET",
    "Dimension",
    "FiniteClass",
    "Interrupted",
    "Notion",
    "box",
    "compress",
    "full_class",
    "hamming_ball",
    "is_pseudo_cube",
    "k_core",
    "linear_class",
    "neighbour_groups",
    "random_class",
    "shatters_by_definition",
    "six_cycle",
    "stump_class",
    "zero_and_singletons",
]

Notion = Literal["ds", "natarajan", "graph", "exponential", "vc"]
Ints = NDArray[Any]

BUDGET = 10**11
"""Default limit on the pattern visits of a search for a dimension, some minutes of work."""

_MAX_KEY = 2**62
_MAX_CELLS = 10**9


class Interrupted(KeyboardInterrupt):
    """A search was interrupted; `found` is the `Dimension` reached so far, a lower bound with its witness."""

    def __init__(self, found: Dimension) -> None:
        super().__init__(f"interrupted: the {found.notion} dimension is at least {found.value}")
        self.found = found


# ---------------------------------------------------------------------------------------- rows and their keys


def _append(key: Ints, radix: int, column: Ints, size: int) -> tuple[Ints, int]:
    """Append one column to mixed-radix keys; keys are compacted, in order, before they could overflow."""
    if radix * size > _MAX_KEY:
        distinct, key = np.unique(key, return_inverse=True)
        radix = len(distinct)
    return key * size + column, radix * size


def _keys(columns: Ints, sizes: Sequence[int]) -> Ints:
    """Return one integer a row, (n, N) columns: equal for equal rows only, and ordered as the rows are."""
    key, radix = np.zeros(columns.shape[1], dtype=np.int64), 1
    for column, size in zip(columns, sizes, strict=True):
        key, radix = _append(key, radix, column, size)
    return key


def _ranks(key: Ints) -> tuple[Ints, int]:
    distinct, rank = np.unique(key, return_inverse=True)
    return rank, len(distinct)


def _sizes(columns: Ints) -> list[int]:
    return [int(column.max()) + 1 for column in columns]


def _groups(columns: Ints, sizes: Sequence[int]) -> Ints:
    n, rows = columns.shape
    groups = np.empty((n, rows), dtype=np.int64 if n * rows > 2**31 - 1 else np.int32)
    total, volume = 0, prod(sizes)
    if volume <= _MAX_KEY:
        whole, weight = _keys(columns, sizes), volume
    else:
        suffix = [(np.zeros(rows, dtype=np.int64), 1)]
        for column, size in zip(columns[:0:-1], sizes[:0:-1], strict=True):
            suffix.append(_ranks(suffix[-1][0] * size + column))
        prefix = np.zeros(rows, dtype=np.int64)
    for i in range(n):
        if volume <= _MAX_KEY:
            weight //= sizes[i]
            left_out = whole - columns[i].astype(np.int64) * weight
        else:
            rest, count = suffix.pop()
            left_out = prefix * count + rest
            prefix, _ = _ranks(prefix * sizes[i] + columns[i])
        rank, count = _ranks(left_out)
        groups[i] = rank + total
        total += count
    return groups


def neighbour_groups(patterns: ArrayLike) -> NDArray[Any]:
    """Group patterns that agree everywhere but at one point: the hyperedges of the one-inclusion graph.

    Parameters
    ----------
    patterns : (N, n) array_like of int
        Distinct rows, entries at least 0.

    Returns
    -------
    (n, N) ndarray of int32 or int64
        Entry (i, v) is the number of the group in direction i that holds row v. Numbers run from 0 without
        gaps over all directions, so that those of different directions differ. Found by sorting integer keys:
        no pair of patterns is compared.

    Examples
    --------
    >>> neighbour_groups([[0, 0], [0, 1], [1, 1]])
    array([[0, 1, 1],
           [2, 2, 3]], dtype=int32)
    """
    columns = np.ascontiguousarray(np.asarray(patterns).T)
    return _groups(columns, _sizes(columns))


def _peel(groups: Ints, k: int) -> NDArray[np.bool_]:
    """Remove rows with fewer than k others in a group of theirs, until nothing changes; in linear time."""
    rows = groups.shape[1]
    sizes = np.bincount(groups.ravel())
    counts = sizes.copy()
    alive = np.ones(rows, dtype=np.bool_)
    leaving = np.flatnonzero((counts[groups] <= k).any(axis=0))
    if leaving.size in (0, rows):
        alive[leaving] = False
        return alive
    order = np.argsort(groups, axis=None, kind="stable") % rows
    starts = np.cumsum(sizes) - sizes
    while leaving.size:
        alive[leaving] = False
        touched = groups[:, leaving].ravel()
        np.subtract.at(counts, touched, 1)
        thin = np.unique(touched[counts[touched] <= k])
        lengths = sizes[thin]
        offsets = np.repeat(starts[thin] - (np.cumsum(lengths) - lengths), lengths)
        members = order[offsets + np.arange(len(offsets))]
        leaving = np.unique(members[alive[members]])
    return alive


def _peel_table(table: NDArray[np.bool_], k: int) -> NDArray[np.bool_]:
    """Peel a class given as a table of all cells: the fixed point of `_peel`, faster when cells are few."""
    left = -1
    while left != (left := int(np.count_nonzero(table))):
        for axis in range(table.ndim):
            counts = np.add.reduce(table, axis=axis, dtype=np.int32, keepdims=True)
            table &= counts > k
    return table


def k_core(patterns: ArrayLike, k: int = 1) -> NDArray[np.bool_]:
    """Find the largest subfamily in which everyone has at least k neighbours, in it, in every direction.

    Parameters
    ----------
    patterns : (N, n) array_like of int
        Distinct rows, entries at least 0.
    k : int
        Number of neighbours asked for, at least 1.

    Returns
    -------
    (N,) ndarray of bool
        Which rows stay. The union of two such subfamilies is one again, so the largest is unique and peeling
        finds it; the n points are k-DS shattered just when it is not empty.

    References
    ----------
    Brukhim, Daniely, Mansour & Moran, "Multiclass Boosting: Simple and Intuitive Weak Learning Criteria",
    Definition 7.

    Examples
    --------
    >>> k_core([[0, 0], [0, 1], [1, 0], [1, 1], [2, 0]])
    array([ True,  True,  True,  True, False])
    """
    _check_k(k)
    return _peel(neighbour_groups(patterns), k)


def compress(patterns: ArrayLike, point: int) -> NDArray[np.int64]:
    """Push every line at one point down: the j patterns of each group get the labels 0, ..., j - 1 there.

    Parameters
    ----------
    patterns : (N, n) array_like of int
        Distinct rows, entries at least 0.
    point : int
        The point, from 0 to n - 1.

    Returns
    -------
    (N, n) ndarray of int64
        As many distinct rows; row v comes from row v of `patterns`. No set of points gets more restrictions.

    Examples
    --------
    >>> compress([[0, 1], [0, 2], [1, 2]], 1).tolist()
    [[0, 0], [0, 1], [1, 0]]
    """
    rows = np.array(patterns, dtype=np.int64)
    group = neighbour_groups(rows)[point]
    order = np.lexsort([rows[:, point], group])
    _, first, sizes = np.unique(group[order], return_index=True, return_counts=True)
    rows[order, point] = np.arange(len(rows)) - np.repeat(first, sizes)
    return rows


def is_pseudo_cube(rows: Iterable[Sequence[Any]], k: int = 1) -> bool:
    """Decide by the words of the definition whether every row has at least k neighbours in every direction.

    Parameters
    ----------
    rows : iterable of sequences
        Patterns of one length; the labels may be anything hashable.
    k : int
        Number of neighbours asked for; 1 for a pseudo-cube.

    Returns
    -------
    bool
        False for no row at all.

    References
    ----------
    Brukhim, Daniely, Mansour & Moran, Definitions 7 and 9.

    Examples
    --------
    >>> is_pseudo_cube([(0, 0), (0, 1), (1, 1), (1, 2), (2, 2), (2, 0)])
    True
    """
    family = {tuple(row) for row in rows}
    directions = range(len(next(iter(family), ())))
    return bool(family) and all(
        sum(g[i] != h[i] and g[:i] + g[i + 1 :] == h[:i] + h[i + 1 :] for g in family) >= k
        for h in family
        for i in directions
    )


def shatters_by_definition(rows: Iterable[Sequence[Any]], k: int = 1) -> bool:
    """Decide whether the points are k-DS shattered by trying every subfamily F; the oracle for `k_core`.

    Parameters
    ----------
    rows : iterable of sequences
        At most 16 distinct patterns.
    k : int
        Number of neighbours asked for.

    Raises
    ------
    ValueError
        For more than 16 patterns.

    References
    ----------
    Brukhim, Daniely, Mansour & Moran, Definition 7.
    """
    family = sorted({tuple(row) for row in rows})
    if len(family) > 16:
        raise ValueError(
            f"rows has {len(family)} patterns, 2^{len(family)} subfamilies; use k_core beyond 16"
        )
    return any(
        is_pseudo_cube(chosen, k)
        for size in range(1, len(family) + 1)
        for chosen in combinations(family, size)
    )


# -------------------------------------------------------------------------------------------------- the class


def _check_k(k: int) -> None:
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)):
        raise TypeError(f"k is {k!r}; give an integer, at least 1")
    if k < 1:
        raise ValueError(f"k is {k}; give an integer, at least 1")


def _sorted_labels(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(sorted(set(values), key=lambda label: (type(label).__name__, label)))


def _encode(patterns: Any, labels: Sequence[Any] | None) -> tuple[Ints, tuple[Any, ...]]:
    """Return the codes, (N, n), and the alphabet they index."""
    if not isinstance(patterns, np.ndarray):
        rows = [tuple(row) for row in patterns]
        for number, row in enumerate(rows):
            if len(row) != len(rows[0]):
                raise ValueError(
                    f"patterns: row {number} has {len(row)} labels where row 0 has {len(rows[0])}; "
                    "give every pattern one label a point"
                )
        kinds = {type(label) for row in rows for label in row}
        patterns = np.array(rows) if kinds <= {int} and rows else _object_array(rows)
    if patterns.ndim != 2:
        raise ValueError(
            f"patterns has {patterns.ndim} dimensions; give one row a pattern and one column a point"
        )
    if not len(patterns):
        raise ValueError("patterns is empty; give at least one pattern")
    if not patterns.shape[1]:
        raise ValueError("patterns has no column; give at least one point")
    if patterns.dtype.kind == "f" and np.isnan(patterns).any():
        raise ValueError("patterns contains NaN; give every point a label")
    if patterns.dtype.kind == "O":
        present = _sorted_labels(patterns.ravel())
        index = {label: code for code, label in enumerate(present)}
        codes = np.array([[index[label] for label in row] for row in patterns], dtype=np.int64)
    elif patterns.dtype.kind in "iub" and patterns.min() >= 0 and int(patterns.max()) < 2**16:
        used = np.flatnonzero(np.bincount(patterns.ravel().astype(np.int64)))
        present = tuple(used.astype(patterns.dtype).tolist())
        codes = patterns if len(used) == used[-1] + 1 else np.searchsorted(used, patterns)
    else:
        distinct, codes = np.unique(patterns, return_inverse=True)
        present, codes = tuple(distinct.tolist()), codes.reshape(patterns.shape)
    if labels is None:
        return codes, present
    alphabet = tuple(labels)
    place = {label: code for code, label in enumerate(alphabet)}
    if len(place) != len(alphabet):
        raise ValueError(f"labels {alphabet!r} repeats a label; name each label once")
    if missing := [label for label in present if label not in place]:
        raise ValueError(f"patterns uses {missing[0]!r}, which labels {alphabet!r} lacks; add it to labels")
    return np.array([place[label] for label in present])[codes], alphabet


def _object_array(rows: list[tuple[Any, ...]]) -> Ints:
    table = np.empty((len(rows), len(rows[0]) if rows else 0), dtype=object)
    for number, row in enumerate(rows):
        table[number] = row
    return table


@dataclass(frozen=True, eq=False)
class Dimension:
    """A dimension with the points that attain it.

    Attributes
    ----------
    value : int
        The dimension; a lower bound when `complete` is false.
    points : tuple of int
        A shattered set of `value` points.
    patterns : (M, value) ndarray of int
        The family on these points that shatters them, as codes. For "ds" the largest one; for "natarajan" a
        product of sets of k + 1 labels.
    notion, k : str, int
        What was asked for.
    pivot : tuple of int or None
        The function f of the graph dimension, as codes on `points`.
    complete : bool
        False when the search stopped at `at_most` or was interrupted.
    """

    value: int
    points: tuple[int, ...]
    patterns: Ints
    notion: Notion
    k: int
    pivot: tuple[int, ...] | None = None
    complete: bool = True

    def verify(self, family: FiniteClass) -> bool:
        """Check the witness by brute force against the words of the definition.

        Parameters
        ----------
        family : FiniteClass
            The class the dimension was computed for.

        Returns
        -------
        bool
            True when every pattern is a restriction of the class and the family shatters the points.
        """
        rows = {tuple(row) for row in self.patterns.tolist()}
        if len(self.points) != self.value or len(set(self.points)) != self.value:
            return False
        if not rows <= {tuple(row) for row in family.patterns[:, list(self.points)].tolist()}:
            return False
        if self.notion in ("ds", "vc"):
            return is_pseudo_cube(rows, self.k)
        if self.notion == "exponential":
            return len(rows) >= (self.k + 1) ** self.value
        if self.notion == "natarajan":
            choices = [sorted({row[i] for row in rows}) for i in range(self.value)]
            return all(len(c) == self.k + 1 for c in choices) and rows == set(product(*choices))
        agreements = {tuple(a == b for a, b in zip(row, self.pivot or (), strict=True)) for row in rows}
        return len(agreements) == 2**self.value


class FiniteClass:
    """A finite hypothesis class: distinct patterns on n points, immutable.

    Parameters
    ----------
    patterns : (N, n) array_like
        One row a function, one column a point. Labels may be anything hashable and sortable; they are encoded
        as 0, 1, ... in their order and kept in `labels`. Repeated rows are dropped and counted.
    labels : sequence, optional
        The label set Y in the order of its codes, when it is larger than the set of labels used or ordered
        otherwise.

    Attributes
    ----------
    patterns : (N, n) ndarray of unsigned int
        Codes, in the smallest type that holds them, rows in lexicographic order; read only.
    labels : tuple
        The label of each code.
    duplicates : int
        Number of repeated rows that were dropped.

    Raises
    ------
    ValueError
        For no row, no column, rows of different lengths, NaN, or a label that `labels` lacks.

    References
    ----------
    Brukhim, Daniely, Mansour & Moran, Section 4.2 and Appendix C.

    Examples
    --------
    >>> cycle = FiniteClass(["ab", "bb", "bc", "cc", "ca", "aa"])
    >>> cycle.ds_dimension(), cycle.natarajan_dimension(), cycle.labels
    (2, 1, ('a', 'b', 'c'))
    """

    __slots__ = ("_known", "duplicates", "labels", "patterns")
    _known: dict[tuple[Notion, int, int | None], Dimension]
    patterns: Ints
    labels: tuple[Any, ...]
    duplicates: int

    def __init__(self, patterns: Any, *, labels: Sequence[Any] | None = None) -> None:
        codes, alphabet = _encode(patterns, labels)
        columns = np.ascontiguousarray(codes.T)
        _, first = np.unique(_keys(columns, _sizes(columns)), return_index=True)
        rows = codes[first].astype(np.min_scalar_type(max(len(alphabet) - 1, 0)))
        rows.flags.writeable = False
        set_ = object.__setattr__
        set_(self, "patterns", rows)
        set_(self, "labels", alphabet)
        set_(self, "duplicates", len(codes) - len(first))
        set_(self, "_known", {})

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a FiniteClass is immutable; make a new one to change {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a FiniteClass is immutable; {name!r} cannot be deleted")

    def __reduce__(self) -> Any:
        return _rebuild, (self.patterns, self.labels)

    @property
    def n_points(self) -> int:
        """Number of points, n."""
        return int(self.patterns.shape[1])

    @property
    def n_labels(self) -> int:
        """Size of the label set Y."""
        return len(self.labels)

    def __len__(self) -> int:
        return len(self.patterns)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        """Yield the patterns as tuples of labels."""
        for row in self.patterns.tolist():
            yield tuple(self.labels[code] for code in row)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FiniteClass):
            return NotImplemented
        return self.labels == other.labels and np.array_equal(self.patterns, other.patterns)

    def __hash__(self) -> int:
        return hash((self.labels, self.patterns.shape, self.patterns.tobytes()))

    def __repr__(self) -> str:
        return f"FiniteClass({len(self)} patterns, {self.n_points} points, {self.n_labels} labels)"

    @classmethod
    def from_functions(cls, functions: Iterable[Callable[[Any], Any]], domain: Iterable[Any]) -> FiniteClass:
        """Tabulate functions on a domain.

        Parameters
        ----------
        functions : iterable of callables
            The hypotheses.
        domain : iterable
            The points, in the order of the columns.

        Examples
        --------
        >>> FiniteClass.from_functions([abs, float], [-1, 2])
        FiniteClass(2 patterns, 2 points, 3 labels)
        """
        points = list(domain)
        return cls([[function(x) for x in points] for function in functions])

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], *, header: bool = False) -> FiniteClass:
        """Read a CSV file: one row a pattern, one column a point.

        Parameters
        ----------
        path : path-like
            The file. When every entry is an integer the labels are integers, else text.
        header : bool
            Whether the first row names the points and is to be skipped.

        Raises
        ------
        ValueError
            For an empty file or a row of another length than the first; the message names the line.
        """
        name, codes = os.fspath(path), dict[str, int]()
        cells, width = array("i"), 0
        with open(path, newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file)
            rows = csv_rows(name, reader)
            if header:
                next(rows, None)
            for row in filter(None, rows):
                width = width or len(row)
                if len(row) != width:
                    raise ValueError(
                        f"{name}, line {reader.line_num}: {len(row)} labels where the first pattern has "
                        f"{width}; give every pattern one label a point"
                    )
                cells.extend(codes.setdefault(entry.strip(), len(codes)) for entry in row)
        if not width:
            raise ValueError(f"{name} holds no pattern; give one row a pattern, one column a point")
        try:
            labels: list[Any] = [int(label) for label in codes]
        except ValueError:
            labels = list(codes)
        present = sorted(set(labels))
        place = {label: code for code, label in enumerate(present)}
        table = np.array([place[label] for label in labels], np.int32)[np.frombuffer(cells, np.intc)]
        return cls._of_codes(table.reshape(-1, width), tuple(present))

    def restrict(self, points: Sequence[int]) -> FiniteClass:
        """Restrict to a sequence of points: H|_S.

        Parameters
        ----------
        points : sequence of int
            At least one; a point may come twice.

        Returns
        -------
        FiniteClass
            The distinct restrictions, over the same label set.
        """
        return FiniteClass._of_codes(self.patterns[:, self._points(points)], self.labels)

    @classmethod
    def _of_codes(cls, codes: Ints, labels: tuple[Any, ...]) -> FiniteClass:
        made = cls(codes, labels=range(len(labels)))
        object.__setattr__(made, "labels", labels)
        return made

    def _points(self, points: Sequence[int]) -> list[int]:
        chosen = [int(p) for p in points]
        for p in chosen:
            if not 0 <= p < self.n_points:
                raise ValueError(f"points has {p}, but the class has the points 0 to {self.n_points - 1}")
        return chosen

    def shatter(self, points: Sequence[int], k: int = 1) -> Ints | None:
        """Find the largest family on some points in which everyone has k neighbours in every direction.

        Parameters
        ----------
        points : sequence of int
            The points, at least one.
        k : int
            Number of neighbours.

        Returns
        -------
        (M, len(points)) ndarray of unsigned int, or None
            The family as codes; None when the points are not k-DS shattered. A sequence that names a point
            twice is shattered by no class.

        References
        ----------
        Brukhim, Daniely, Mansour & Moran, Definition 7.
        """
        rows = self.restrict(points).patterns
        core = k_core(rows, k)
        return rows[core] if core.any() else None

    def dimension(
        self, notion: Notion = "ds", k: int = 1, *, at_most: int | None = None, budget: int = BUDGET
    ) -> Dimension:
        """Compute a dimension with a witness.

        Parameters
        ----------
        notion : {"ds", "natarajan", "graph", "exponential", "vc"}
            "ds": everyone in a subfamily has k neighbours in each direction. "natarajan": a product of sets
            of k + 1 labels. "graph": for some f, every pattern of agreement with f. "exponential": at least
            (k + 1)^d restrictions. "vc": all of {0, 1}^d; for two labels.
        k : int
            List size; 1 for the ordinary dimensions. "graph" and "vc" have no other.
        at_most : int, optional
            Stop at this dimension; the answer is then the smaller of the two, and `complete` tells which.
        budget : int
            Largest admitted estimate of pattern visits.

        Returns
        -------
        Dimension
            0 when not even one point is shattered, as for k >= the number of labels.

        Raises
        ------
        ValueError
            When the estimated work exceeds `budget`, for an unknown notion, or for more than two labels with
            "vc".
        Interrupted
            On a keyboard interrupt; it carries the dimension found so far.

        Notes
        -----
        All notions but the exponential are monotone: subsets of shattered sets are shattered. Points are
        added one by one to shattered sets, and a branch that cannot beat the best set known is left out. An
        exponentially shattered set of size d has at least one such subset of size d - 1 (Loomis & Whitney),
        so that search goes level by level.

        References
        ----------
        Brukhim, Daniely, Mansour & Moran, Definitions 7, 10 and 11 and Appendix C.2 (exponential dimension).

        Examples
        --------
        >>> found = box([2, 2, 3, 3]).dimension(k=2)
        >>> found.value, found.points, found.complete
        (2, (2, 3), True)
        """
        _check_k(k)
        if notion not in get_args(Notion):
            raise ValueError(f"notion is {notion!r}; choose one of {', '.join(get_args(Notion))}")
        if notion in ("graph", "vc") and k != 1:
            raise ValueError(f"k is {k}, but the {notion} dimension has no lists; leave k at 1")
        if notion == "vc" and self.n_labels > 2:
            raise ValueError(
                f"the class has {self.n_labels} labels; the VC dimension needs two, use 'ds' or 'natarajan'"
            )
        if at_most is not None and at_most < 0:
            raise ValueError(f"at_most is {at_most}; give 0 or more")
        key = (notion, k, at_most)
        if key not in self._known:
            self._known[key] = _Search(self, notion, k, at_most, budget).run()
        return self._known[key]

    def ds_dimension(self, k: int = 1) -> int:
        """Return the k-DS dimension (Definitions 7 and 11; k = 1: Definition 10)."""
        return self.dimension("ds", k).value

    def natarajan_dimension(self, k: int = 1) -> int:
        """Return the k-Natarajan dimension: the most points on which H contains a product of (k+1)-sets."""
        return self.dimension("natarajan", k).value

    def graph_dimension(self) -> int:
        """Return the graph dimension: the most points where H meets some f in every pattern of agreement."""
        return self.dimension("graph").value

    def exponential_dimension(self, k: int = 1) -> int:
        """Return the k-exponential dimension: the most points with (k+1)^d restrictions (Appendix C.2)."""
        return self.dimension("exponential", k).value

    def vc_dimension(self) -> int:
        """Return the VC dimension of a class with two labels."""
        return self.dimension("vc").value


def _rebuild(codes: Ints, labels: tuple[Any, ...]) -> FiniteClass:
    return FiniteClass._of_codes(codes, labels)


# ------------------------------------------------------------------------------------------------- the search


class _Search:
    """One search for a largest shattered set; `best` holds the deepest set so far at any moment."""

    def __init__(self, family: FiniteClass, notion: Notion, k: int, at_most: int | None, budget: int) -> None:
        self.columns = np.ascontiguousarray(family.patterns.T)
        self.sizes = _sizes(self.columns)
        self.notion, self.k = notion, k
        self.rows = len(family)
        n = family.n_points
        # A k-DS shattered set of d points carries at least (k+1)^d patterns, and so do the other notions'.
        possible = 0
        while possible < n and (k + 1) ** (possible + 1) <= self.rows:
            possible += 1
        self.goal = possible if at_most is None else min(at_most, possible)
        self.cut = self.goal < possible
        self.best: tuple[int, ...] = ()
        self.pivot: int | None = None
        sets = sum(comb(n, size) for size in range(1, self.goal + 1))
        visits = sets * self.rows * (self.rows if notion == "graph" else 1)
        if visits > budget:
            raise ValueError(
                f"the {notion} dimension of {self.rows} patterns on {n} points may take {sets} sets of "
                f"points and {visits:.1e} pattern visits, over budget={budget:.1e}; raise it, or pass at_most"
            )

    def run(self) -> Dimension:
        try:
            if self.notion == "exponential":
                self.by_levels()
            elif self.notion == "graph":
                self.by_pivots()
            else:
                self.descend()
        except KeyboardInterrupt:
            raise Interrupted(self.result(complete=False)) from None
        return self.result(complete=not (self.cut and len(self.best) == self.goal))

    def result(self, complete: bool) -> Dimension:
        columns = self.columns[list(self.best)]
        if not self.best:
            rows = np.zeros((1, 0), dtype=columns.dtype)
        else:
            _, first = np.unique(_keys(columns, _sizes(columns)), return_index=True)
            rows = columns[:, first].T
            if self.notion in ("ds", "vc"):
                rows = rows[k_core(rows, self.k)]
            elif self.notion == "natarajan":
                sides = _product_of_sets(rows.T, self.k)
                rows = np.array(list(product(*sides or ())), dtype=columns.dtype)
        rows.flags.writeable = False
        pivot = None if self.pivot is None else tuple(columns[:, self.pivot].tolist())
        return Dimension(len(self.best), self.best, rows, self.notion, self.k, pivot, complete)

    def descend(self) -> None:
        every = slice(None)
        start = np.zeros(self.columns.shape[1], dtype=np.int64)
        usable = [i for i, size in enumerate(self.sizes) if size > self.k]
        self.visit((), start, 1, every, self.extensions((), start, 1, every, usable))

    def visit(self, points: tuple[int, ...], key: Ints, radix: int, rows: Any, candidates: list[int]) -> None:
        """Deepen a shattered set by points that each keep it shattered; `key` numbers the patterns."""
        for place, p in enumerate(candidates):
            if len(self.best) >= min(self.goal, len(points) + len(candidates) - place):
                return
            here = (*points, p)
            deeper, volume = _append(key, radix, self.columns[p][rows], self.sizes[p])
            kept = self.extensions(here, deeper, volume, rows, candidates[place + 1 :])
            if kept:
                chosen = self.representatives(deeper, volume, rows, kept)
                self.visit(here, deeper[chosen], volume, np.arange(self.rows)[rows][chosen], kept)

    def representatives(self, key: Ints, radix: int, rows: Any, candidates: list[int]) -> Any:
        """Choose one row of each pattern on the set and its candidates, if that at least halves the rows."""
        if 2 * radix * prod(self.sizes[q] for q in candidates) > len(key):
            return slice(None)
        for q in candidates:
            key, radix = _append(key, radix, self.columns[q][rows], self.sizes[q])
        last = np.full(radix, -1)
        last[key] = np.arange(len(key))
        return last[last >= 0]

    def extensions(
        self, points: tuple[int, ...], key: Ints, radix: int, rows: Any, candidates: list[int]
    ) -> list[int]:
        """Return the candidates that keep the set shattered; stop when too few remain to beat the best."""
        kept: list[int] = []
        for place, p in enumerate(candidates):
            if len(self.best) >= min(self.goal, len(points) + len(kept) + len(candidates) - place):
                break
            here = (*points, p)
            if self.shattered(here, *_append(key, radix, self.columns[p][rows], self.sizes[p]), rows):
                kept.append(p)
                if len(here) > len(self.best):
                    self.best = here
        return kept

    def shattered(self, points: tuple[int, ...], key: Ints, volume: int, rows: Any) -> bool:
        shape = [self.sizes[p] for p in points]
        least = (self.k + 1) ** len(points)
        if volume < least:
            return False
        if volume == prod(shape) <= max(4096, 4 * len(key)):
            table = np.zeros(volume, dtype=np.bool_)
            table[key] = True
            if (count := np.count_nonzero(table)) < least:
                return False
            if count == volume:  # the whole box, whose sides all exceed k
                return True
            family = np.array(np.nonzero(_peel_table(table.reshape(shape), self.k)))
        else:
            _, first = np.unique(key, return_index=True)
            if len(first) < least:
                return False
            family = self.columns[list(points)][:, rows][:, first]
            family = family[:, _peel(_groups(family, shape), self.k)]
        if family.shape[1] < least:
            return False
        return self.notion != "natarajan" or _product_of_sets(family, self.k) is not None

    def by_pivots(self) -> None:
        """Graph dimension: the largest VC dimension of the classes of agreement with one member."""
        patterns = self.columns
        for number in range(self.rows):
            before = self.best
            self.columns = (patterns == patterns[:, number, None]).astype(np.uint8)
            self.sizes = _sizes(self.columns)
            try:
                self.descend()
            finally:
                self.columns = patterns
                if self.best != before:
                    self.pivot = number
            if len(self.best) >= self.goal:
                break

    def by_levels(self) -> None:
        level: set[tuple[int, ...]] = {()}
        while level and len(self.best) < self.goal:
            wider = {tuple(sorted({*s, p})) for s in level for p in range(len(self.columns)) if p not in s}
            level = set()
            for points in sorted(wider):
                chosen = list(points)
                key = _keys(self.columns[chosen], [self.sizes[p] for p in chosen])
                if len(np.unique(key)) >= (self.k + 1) ** len(points):
                    level.add(points)
                    if len(points) > len(self.best):
                        self.best = points


def _product_of_sets(columns: Ints, k: int) -> list[tuple[int, ...]] | None:
    """Find sets of k + 1 labels, one a point, whose product the distinct rows, (d, m) columns, contain."""
    d, rows = columns.shape
    if not d:
        return [] if rows else None
    rest = _keys(columns[1:], _sizes(columns[1:]))
    least = (k + 1) ** (d - 1)
    parts = [
        (int(label), rest[chosen])
        for label in np.unique(columns[0])
        if np.count_nonzero(chosen := columns[0] == label) >= least
    ]

    distinct, first = np.unique(rest, return_index=True)

    def choose(start: int, labels: tuple[int, ...], common: Ints) -> list[tuple[int, ...]] | None:
        if len(labels) == k + 1:
            where = first[np.isin(distinct, common, assume_unique=True)]
            tail = _product_of_sets(columns[1:, where], k)
            return None if tail is None else [labels, *tail]
        for place in range(start, len(parts)):
            label, keys = parts[place]
            both = np.intersect1d(common, keys, assume_unique=True)
            if len(both) >= least and (found := choose(place + 1, (*labels, label), both)) is not None:
                return found
        return None

    return choose(0, (), distinct)


# ------------------------------------------------------------------------------------------------- generators


def _check_count(name: str, value: int, least: int = 1) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} is {value!r}; give an integer, at least {least}")
    if value < least:
        raise ValueError(f"{name} is {value}; give an integer, at least {least}")


def _check_cells(what: str, rows: int, points: int) -> None:
    if rows * points > _MAX_CELLS:
        raise ValueError(
            f"{what} has {rows} patterns on {points} points, {rows * points:.1e} cells, more than the "
            f"{_MAX_CELLS:.0e} a class may have; ask for fewer points or labels, or use random_class"
        )


def box(sizes: Sequence[int]) -> FiniteClass:
    """Return the product [K_1] x ... x [K_n]; its k-DS dimension is the number of K_i > k.

    Parameters
    ----------
    sizes : sequence of int
        The number of labels at each point, at least 1.

    Returns
    -------
    FiniteClass
        With labels 0, ..., max(sizes) - 1. ``box([2] * n + [3] * m)`` has DS dimension n + m and 2-DS
        dimension m: as n grows, the first goes to infinity and the second stays.

    Examples
    --------
    >>> family = box([2] * 6 + [3])
    >>> family.ds_dimension(1), family.ds_dimension(2), family.ds_dimension(3)
    (7, 1, 0)
    """
    for size in sizes:
        _check_count("sizes", size)
    _check_cells("the box", prod(sizes), len(sizes))
    dtype = np.min_scalar_type(max(sizes, default=1) - 1)
    rows = np.indices(tuple(sizes), dtype=dtype).reshape(len(sizes), -1).T
    return FiniteClass(rows, labels=range(max(sizes, default=1)))


def full_class(n_labels: int, n_points: int) -> FiniteClass:
    """Return all functions from n points to [K] = {0, ..., K - 1}.

    Parameters
    ----------
    n_labels, n_points : int
        K and n, at least 1.
    """
    _check_count("n_labels", n_labels)
    _check_count("n_points", n_points)
    return box([n_labels] * n_points)


def hamming_ball(n_points: int, radius: int, n_labels: int = 2) -> FiniteClass:
    """Return the patterns with at most `radius` labels other than 0; its DS dimension is the radius.

    Parameters
    ----------
    n_points, radius, n_labels : int
        Points n, radius at most n, and number of labels, at least 2.

    Examples
    --------
    >>> hamming_ball(20, 6)
    FiniteClass(60460 patterns, 20 points, 2 labels)
    """
    _check_count("n_points", n_points)
    _check_count("radius", radius, 0)
    _check_count("n_labels", n_labels, 2)
    others = n_labels - 1
    _check_cells(
        "the ball", sum(comb(n_points, r) * others**r for r in range(min(radius, n_points) + 1)), n_points
    )
    parts = []
    for weight in range(min(radius, n_points) + 1):
        supports = np.array(list(combinations(range(n_points), weight)), dtype=np.intp)
        supports = supports.reshape(comb(n_points, weight), weight)
        values = 1 + np.indices((others,) * weight).reshape(weight, others**weight).T
        rows = np.zeros((len(supports), len(values), n_points), dtype=np.min_scalar_type(others))
        at = (
            np.arange(len(supports))[:, None, None],
            np.arange(len(values))[None, :, None],
            supports[:, None, :],
        )
        rows[at] = values[None]
        parts.append(rows.reshape(-1, n_points))
    return FiniteClass(np.concatenate(parts), labels=range(n_labels))


def zero_and_singletons(n_points: int) -> FiniteClass:
    """Return the zero function and the indicators of the points: VC dimension 1.

    Parameters
    ----------
    n_points : int
        At least 1.
    """
    return hamming_ball(n_points, 1)


def six_cycle() -> FiniteClass:
    """Return the 6-cycle in [3]^2: a pseudo-cube of dimension 2 that contains no 2 x 2 square.

    References
    ----------
    Brukhim, Daniely, Mansour & Moran, the remark after Definition 9.
    """
    return FiniteClass([(0, 0), (0, 1), (1, 1), (1, 2), (2, 2), (2, 0)])


def random_class(n_patterns: int, n_points: int, n_labels: int, rng: np.random.Generator) -> FiniteClass:
    """Draw distinct patterns uniformly from [K]^n.

    Parameters
    ----------
    n_patterns, n_points, n_labels : int
        How many, at most K^n, on n points, over K labels.
    rng : numpy.random.Generator
        Source of randomness.
    """
    for name, value in (("n_patterns", n_patterns), ("n_points", n_points), ("n_labels", n_labels)):
        _check_count(name, value)
    volume = n_labels**n_points
    if n_patterns > volume:
        raise ValueError(
            f"n_patterns is {n_patterns}, but [{n_labels}]^{n_points} has {volume} patterns; ask for fewer"
        )
    _check_cells("the class", n_patterns, n_points)
    dtype = np.min_scalar_type(n_labels - 1)
    if volume <= max(4096, 2 * n_patterns):
        codes = rng.choice(volume, size=n_patterns, replace=False)
        rows = np.array(np.unravel_index(codes, (n_labels,) * n_points), dtype=dtype).T
        return FiniteClass(rows, labels=range(n_labels))
    family = FiniteClass(
        rng.integers(n_labels, size=(n_patterns, n_points), dtype=dtype), labels=range(n_labels)
    )
    while len(family) < n_patterns:
        more = rng.integers(n_labels, size=(n_patterns - len(family), n_points), dtype=dtype)
        family = FiniteClass(np.concatenate([family.patterns, more]), labels=range(n_labels))
    return family


def stump_class(X: ArrayLike, n_labels: int = 2) -> FiniteClass:
    """Return all decision stumps on a data set: one label up to a threshold of one feature, one beyond.

    Parameters
    ----------
    X : (n, f) array_like of float
        The points, one a row, without NaN.
    n_labels : int
        Number of labels.

    Examples
    --------
    >>> stump_class([[0.0], [1.0], [2.0]]).vc_dimension()
    2
    """
    _check_count("n_labels", n_labels)
    data = _data(X)
    cuts = {np.full(len(data), True).tobytes()}
    for feature in data.T:
        cuts |= {(feature <= t).tobytes() for t in np.unique(feature)}
    below = np.array([np.frombuffer(cut, dtype=np.bool_) for cut in sorted(cuts)])
    pairs = list(product(range(n_labels), repeat=2))
    _check_cells("the stumps", len(below) * len(pairs), len(data))
    return FiniteClass(np.concatenate([np.where(below, a, b) for a, b in pairs]), labels=range(n_labels))


def linear_class(X: ArrayLike, n_labels: int, n_draws: int, rng: np.random.Generator) -> FiniteClass:
    """Return the patterns of randomly drawn affine classifiers, x -> argmax of W x + b with Gaussian W and b.

    Parameters
    ----------
    X : (n, f) array_like of float
        The points, one a row, without NaN.
    n_labels, n_draws : int
        Number of labels and of classifiers drawn; equal patterns are kept once.
    rng : numpy.random.Generator
        Source of randomness.
    """
    _check_count("n_labels", n_labels)
    _check_count("n_draws", n_draws)
    data = _data(X)
    _check_cells("the scores", n_draws * n_labels, len(data))
    weights = rng.standard_normal((n_draws, n_labels, data.shape[1]))
    scores = weights @ data.T + rng.standard_normal((n_draws, n_labels, 1))
    return FiniteClass(scores.argmax(axis=1), labels=range(n_labels))


def _data(X: ArrayLike) -> NDArray[np.float64]:
    data = np.asarray(X, dtype=np.float64)
    if data.ndim != 2 or not data.size or np.isnan(data).any():
        raise ValueError(
            f"X has shape {data.shape} or holds NaN; give one row a point, one column a feature, no NaN"
        )
    return data
