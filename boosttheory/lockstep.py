"""Many runs of TripletBoost side by side, in numpy: replicates of a Monte Carlo study.

Round c of all runs is done before round c + 1 of any, so that one call of numpy serves all of them. Each run
has a generator of its own and is, pair for pair, the run that `boosttheory.tripletboost.train` makes from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boosttheory.tripletboost import FLOOR, RESCALE, TIE, UNIFORMS, Run, State, prepare, reader
from boosttheory.triplets import refuse_beyond_memory

__all__ = ["Weights", "train_many"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
TRIES = 2  # pairs drawn at once for each run, of 2 or 3 labels, of more one; who needs more draws 4 at once
AHEAD = 8  # uniform numbers that the single run looks at; it asks for new ones when fewer are left
COPIED = 1 << 30  # bytes of different sets that may be copied behind each other, to look all up at once


class Weights:
    """Weights of R runs, and the draw of references from them.

    Parameters
    ----------
    states : sequence of State
        One a run, of the same n objects.

    Attributes
    ----------
    signed : ndarray of float64, shape (R, m, K)
        Unnormalised weights with the sign of Ω; m is n, rounded up to a multiple of the block.
    packed : ndarray of void, shape (R m,)
        The same memory, one item an object: numpy scatters items of any size in one pass, rows of a matrix
        number by number.
    marginal : ndarray of float64, shape (R, m)
        Sums over the labels.
    """

    def __init__(self, states: Sequence[State]) -> None:
        n, n_labels = states[0].signed.shape
        self.n, self.block = n, max(int(np.sqrt(n)), 1)
        self.n_blocks = -(-n // self.block)
        runs, size = len(states), self.n_blocks * self.block
        self.signed = np.zeros((runs, size, n_labels))
        self.packed = self.signed.reshape(-1).view(f"V{8 * n_labels}")
        self.marginal = np.zeros((runs, size))
        self.classes = np.zeros((runs, size), np.intp)
        for r, state in enumerate(states):
            self.signed[r, :n] = state.signed
            self.marginal[r, :n] = state.marginal
            self.classes[r, :n] = state.classes
        self._ones = np.ones(self.block)
        # sums of all blocks before each, and of all
        self.cumulated = np.zeros((runs, self.n_blocks + 1))
        self.refresh()

    def refresh(self) -> None:
        """Sum the weights anew, block by block; a vanishing total is rescaled."""
        sums = self.marginal.reshape(-1, self.block).dot(self._ones).reshape(-1, self.n_blocks)
        sums.cumsum(axis=1, out=self.cumulated[:, 1:])
        self.total = self.cumulated[:, -1]
        low = np.flatnonzero(self.total < RESCALE)
        if len(low):
            self.signed[low] /= self.total[low, None, None]
            self.marginal[low] /= self.total[low, None]
            self.refresh()

    def find(self, runs: Ints, uniforms: Floats) -> Ints:
        """Invert the distribution functions of some runs.

        Parameters
        ----------
        runs : ndarray of intp, shape (A,)
            Numbers of the runs.
        uniforms : ndarray of float64, shape (A, B)
            Numbers in [0, 1).

        Returns
        -------
        ndarray of intp, shape (A, B)
            For each number the first position whose cumulated share exceeds it.
        """
        left = uniforms * self.total[runs, None]
        at = _steps(self.cumulated[runs, None, 1:], left)
        first = runs[:, None] * self.n_blocks + at
        left -= self.cumulated.reshape(-1).take(first + runs[:, None])
        inner = self.marginal.reshape(-1, self.block).take(first, axis=0).cumsum(axis=2)
        at *= self.block
        at += _steps(inner, left)
        return np.minimum(at, self.n - 1)

    def state(self, run: int) -> State:
        """Copy the weights of one run."""
        return State(
            self.signed[run, : self.n].copy(),
            self.marginal[run, : self.n].copy(),
            self.classes[run, : self.n].copy(),
        )


def _steps(rows: Floats, values: Floats) -> Ints:
    """Find in each row the first entry above a value; the entries increase."""
    above = rows > values[..., None]
    # rounding may put a value beyond the last sum: then the last position is meant
    above[..., -1] = True
    return above.argmax(axis=2)


class _Streams:
    """Uniform numbers of each run, asked for in the blocks of the single run."""

    def __init__(self, rngs: Sequence[np.random.Generator]) -> None:
        self.rngs = rngs
        self.held = np.empty((len(rngs), UNIFORMS + AHEAD))
        self.used = np.zeros(len(rngs), np.intp)
        self.stop = np.zeros(len(rngs), np.intp)

    def next(self, runs: Ints, count: int) -> Floats:
        """Look at the next numbers of some runs; they are not used up."""
        for r in runs[self.used[runs] + AHEAD > self.stop[runs]].tolist():
            rest = self.held[r, self.used[r] : self.stop[r]].copy()
            self.stop[r] = len(rest) + UNIFORMS
            self.held[r, : len(rest)] = rest
            self.held[r, len(rest) : self.stop[r]] = self.rngs[r].random(UNIFORMS)
            self.used[r] = 0
        first = runs * self.held.shape[1] + self.used[runs]
        return self.held.reshape(-1)[first[:, None] + np.arange(count)]


def _draw(weights: Weights, streams: _Streams, pairs: NDArray[np.int32]) -> None:
    """Fill in one reference pair (j, k) for every run."""
    width = weights.classes.shape[1]
    classes = weights.classes.reshape(-1)
    missing, count = np.arange(len(pairs)), 2 if weights.signed.shape[2] > 3 else 2 * TRIES
    while len(missing):
        found = weights.find(missing, streams.next(missing, count))
        labels = classes.take(found + missing[:, None] * width)
        good = labels[:, ::2] != labels[:, 1::2]
        first = 2 * good.argmax(axis=1)
        place = np.arange(0, found.size, count) + first
        hit = good.reshape(-1).take(place >> 1)
        streams.used[missing] += np.where(hit, first + 2, count)
        # what was not hit is drawn again, and written over
        pairs[missing] = found.reshape(-1, 2).take(place >> 1, axis=0)
        missing, count = missing[~hit], AHEAD


Look = Callable[[Ints, Ints], tuple[NDArray[Any], Ints, Ints]]


def _indexed(sets: Sequence[Any]) -> Look:
    """Look up a pair in each of many indexed sets, or many in one: objects, and how many on either side."""
    numbers, shift = np.arange(0), np.arange(len(sets)) * len(sets[0].starts)
    starts, heads = sets[0].starts, sets[0].heads
    if len(sets) > 1:
        begins = np.cumsum([0, *(len(one.heads) for one in sets[:-1])])
        starts = np.concatenate([one.starts + begin for one, begin in zip(sets, begins, strict=True)])
        heads = np.concatenate([one.heads for one in sets])

    def look(low: Ints, high: Ints) -> tuple[NDArray[Any], Ints, Ints]:
        nonlocal numbers
        at = 2 * (high * (high - 1) // 2 + low) + shift
        first, middle, last = starts[at], starts[at + 1], starts[at + 2]
        lengths = last - first
        ends = lengths.cumsum()
        if ends[-1] > len(numbers):
            numbers = np.arange(2 * ends[-1])
        where = (first - ends + lengths).repeat(lengths)
        where += numbers[: ends[-1]]
        return heads.take(where), middle - first, last - middle

    return look


def _many_sets(sets: Sequence[Any]) -> Look:
    """Look up one pair in each of many sets in turn: of what is lazy, sparse or too large to copy."""
    readers = [reader(triplets) for triplets in sets]

    def look(low: Ints, high: Ints) -> tuple[NDArray[Any], Ints, Ints]:
        found = [read(j, k) for read, j, k in zip(readers, low.tolist(), high.tolist(), strict=True)]
        near = np.array([split for _, split in found])
        return (
            np.concatenate([heads for heads, _ in found]),
            near,
            np.array([len(heads) for heads, _ in found]) - near,
        )

    return look


def train_many(
    triplets: Any,
    y: ArrayLike | Sequence[ArrayLike],
    n_labels: int,
    n_rounds: int,
    rngs: Sequence[np.random.Generator],
    *,
    states: Sequence[State] | None = None,
    debug: bool = False,
) -> list[Run]:
    """Run Algorithm 1 several times at once.

    Parameters
    ----------
    triplets : TripletSet or LazyTriplets, or sequence of R of them
        One set for all runs, or one a run; all of n objects.
    y : array_like, shape (n,) of int, or (n, K) of bool, or list of R such arrays
        Labels for all runs, or for each; see `tripletboost.train`.
    n_labels, n_rounds : int
        K, and C.
    rngs : sequence of R numpy.random.Generator
        The source of each run's reference pairs.
    states : sequence of State, optional
        Weights to go on from; unlike the other engines', they are copied, and the new ones are in the runs.
    debug : bool
        Check the weights after every round.

    Returns
    -------
    list of Run
        Run r is what ``tripletboost.train`` makes of ``rngs[r]``, up to rounding of the weights.

    Raises
    ------
    ValueError
        As `tripletboost.train`; if the sets differ in size, or their number is not that of the generators.

    References
    ----------
    Perrot & von Luxburg (2019), Algorithm 1 and Equations 2 to 4.

    Examples
    --------
    >>> from boosttheory.triplets import TripletSet
    >>> T = TripletSet.from_metric([[0.0], [1.0], [5.0], [6.5]], proportion=1.0, rng=np.random.default_rng(0))
    >>> runs = train_many(T, [0, 0, 1, 1], 2, 10, [np.random.default_rng(seed) for seed in range(3)])
    >>> [len(run.alpha) for run in runs]
    [10, 10, 10]
    """
    n_runs = len(rngs)
    sets = list(triplets) if isinstance(triplets, (list, tuple)) else [triplets] * n_runs
    labels_of: list[Any] = list(y) if isinstance(y, list) and np.ndim(y[0]) else [y] * n_runs
    given = [None] * n_runs if states is None else list(states)
    if not n_runs or not n_runs == len(sets) == len(labels_of) == len(given):
        raise ValueError(
            f"rngs has {n_runs} generators for {len(sets)} sets, {len(labels_of)} labellings and "
            f"{len(given)} states; give one of each a run"
        )
    if len({t.n_objects for t in sets}) > 1:
        raise ValueError(
            f"triplets have {sorted({t.n_objects for t in sets})} objects; give sets of one size, or train "
            "them apart"
        )
    refuse_beyond_memory(
        n_runs * n_rounds * (40 + 2 * n_labels),
        f"n_rounds={n_rounds} of {n_runs} runs: the trace",
        "take fewer runs at once",
    )
    prepared: dict[tuple[int, ...], State] = {}
    keys = [tuple(map(id, one)) for one in zip(sets, labels_of, given, strict=True)]
    for key, one, labels, state in zip(keys, sets, labels_of, given, strict=True):
        if key not in prepared:  # runs on the same data start alike
            # one round is enough to check the arguments; the traces of all runs share their arrays
            prepared[key] = prepare(one, labels, n_labels, min(n_rounds, 1), state)[0]
    weights = Weights([prepared[key] for key in keys])
    apart = [sets[0]] if all(t is sets[0] for t in sets) else sets
    dense = all(getattr(t, "pair_codes", False) is None for t in apart)
    copied = sum(t.starts.nbytes + t.heads.nbytes for t in apart) if dense and len(apart) > 1 else 0
    look = _indexed(apart) if dense and copied < COPIED else _many_sets(sets)
    streams = _Streams(rngs)
    pairs = np.empty((n_rounds, n_runs, 2), np.int32)
    labels = np.zeros((n_rounds, n_runs, 2, n_labels), bool)
    trace = np.zeros((4, n_rounds, n_runs))
    offsets = np.arange(n_runs) * weights.marginal.shape[1]
    for c in range(n_rounds):
        _draw(weights, streams, pairs[c])
        j, k = pairs[c].T.astype(np.intp)
        heads, near, far = look(np.minimum(j, k), np.maximum(j, k))
        if len(heads):
            rows = offsets.repeat(near + far)
            rows += heads
            _boost(weights, rows, np.stack((near, far), axis=1).reshape(-1), labels[c], trace[:, c])
        if debug:
            for r in range(n_runs):
                weights.state(r).check()
    swapped = pairs[:, :, 0] > pairs[:, :, 1]
    labels[swapped] = labels[swapped][:, ::-1]
    runs = []
    for r in range(n_runs):
        alpha, w_plus, w_minus, log_z = np.ascontiguousarray(trace[:, :, r])
        runs.append(
            Run(pairs[:, r].copy(), labels[:, r].copy(), alpha, w_plus, w_minus, log_z, weights.state(r))
        )
    return runs


def _boost(weights: Weights, rows: Ints, lengths: Ints, labels: NDArray[np.bool_], trace: Floats) -> None:
    """Do one round of all runs: `boosttheory.tripletboost.boost_pair` with one more axis.

    Parameters
    ----------
    weights : Weights
        Changed in place.
    rows : ndarray of intp, shape (L,)
        Objects of all half-spaces, as positions in the flattened ``weights.marginal``.
    lengths : ndarray of intp, shape (2R,)
        Sizes of the half-spaces.
    labels : ndarray of bool, shape (R, 2, K)
        Filled with the label sets.
    trace : ndarray of float64, shape (4, R)
        Filled with α, W+, W- and log Z.
    """
    n_runs, _, n_labels = labels.shape
    held = np.flatnonzero(lengths)
    begins = (lengths.cumsum() - lengths)[held]
    values = weights.signed.reshape(-1, n_labels).take(rows, axis=0)
    sizes = np.abs(values)
    sums, mass = np.zeros((2, 2 * n_runs, n_labels))
    sums[held] = np.add.reduceat(values, begins, axis=0)
    mass[held] = np.add.reduceat(sizes, begins, axis=0)
    edges, ties = np.abs(sums), TIE * mass
    chosen = sums > ties
    labels[:] = chosen.reshape(labels.shape)
    edges[edges <= ties] = 0.0
    half = mass.reshape(n_runs, -1).sum(axis=1) / (2 * weights.total)
    edge = edges.reshape(n_runs, -1).sum(axis=1) / (2 * weights.total)
    w_plus, w_minus = half + edge, np.maximum(half - edge, 0.0)
    smoothing = 1.0 / weights.n
    s = np.sqrt((w_plus + smoothing) / (w_minus + smoothing))
    s[edge == 0.0] = 1.0
    trace[0], trace[1], trace[2] = np.log(s), w_plus, w_minus
    trace[3] = np.log(1.0 - (s - 1.0) ** 2 * (w_minus + (s + 1.0) * smoothing / s))
    # by half-space, label and sign of Ω: what is missed grows by s, the rest shrinks
    s = s.repeat(2)[:, None, None]
    factors = np.where(chosen[..., None] ^ [False, True], s, 1.0 / s).reshape(-1)
    place = np.arange(0, factors.size, 2).reshape(-1, n_labels).repeat(lengths, axis=0)
    place += values > 0
    factor = factors.take(place)
    values *= factor
    sizes *= factor
    if sizes.min() < FLOOR * weights.total.max():
        np.maximum(sizes, FLOOR * weights.total.repeat(2).repeat(lengths)[:, None], out=sizes)
        values = np.copysign(sizes, values)
    weights.packed[rows] = values.reshape(-1).view(weights.packed.dtype)
    weights.marginal.reshape(-1)[rows] = sizes.dot(np.ones(n_labels))
    weights.refresh()
