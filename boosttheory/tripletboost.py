"""Algorithm 1 of Perrot & von Luxburg (2019), TripletBoost: one round, a run, prediction.

A pair of references (j, k) cuts the objects that have a triplet about it into two half-spaces. `draw_pair`
chooses the pair; `boost_pair` chooses the labels of the half-spaces (Eq 2) and the weight of the classifier
(Eq 3) and updates the weights (Eq 4); `train` repeats both; `Model` predicts (Eq 5). The same algorithm in
exact arithmetic, `boosttheory.exact_tripletboost`, is the judge of this one.

Weights are kept unnormalised, one row an object and one column a label, with the sign of Ω: ``+`` where the
label is right for the object, ``-`` where it is wrong. So the sum over a half-space is the signed weight that
Eq 2 compares with zero, and only the rows that a round touches ever change.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boosttheory.triplets import pair_code, pair_members, refuse_beyond_memory

__all__ = [
    "Model",
    "Run",
    "State",
    "Sums",
    "boost_pair",
    "draw_pair",
    "prepare",
    "train",
    "training_bound",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

FLOOR = 1e-250  # of the total weight: keeps weights positive in runs of millions of rounds
RESCALE = 1e-40  # the total below which all weights are rescaled, so that FLOOR stays a normal float
TIE = 1e-12  # a label's signed sum within this share of its own mass counts as zero
TRIES = 4  # reference pairs looked up at once
UNIFORMS = 4096  # random numbers asked for at once, by every engine, so that all leave one stream behind
BLOCK = 64  # weights under one sum of `Sums`
FLAT = 16384  # sums that are cumulated anew in every round: faster than a search through levels
TABLE = 1 << 26  # half-spaces for which prediction may hold a table
PART = 1 << 19  # triplets that prediction reads at once


class HalfSpaces(Protocol):
    """What training needs to know of a set of triplets."""

    @property
    def n_objects(self) -> int:
        """Number of objects."""

    @property
    def n_references(self) -> int:
        """Number of references."""

    def half_spaces(self, j: int, k: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Objects closer to j, and objects closer to k."""


@dataclass
class State:
    """Weights of a run, from which more rounds can go on.

    Attributes
    ----------
    signed : ndarray of float64, shape (n, K)
        Unnormalised weights with the sign of Ω.
    marginal : ndarray of float64, shape (n,)
        Row sums of ``abs(signed)``: the unnormalised distribution of the reference points.
    classes : ndarray of intp, shape (n,)
        Equal for objects with equal label sets; references are redrawn until theirs differ.
    """

    signed: Floats
    marginal: Floats
    classes: Ints

    @classmethod
    def initial(cls, y: ArrayLike, n_labels: int) -> State:
        """Uniform weights 1/(nK) (line 1 of Algorithm 1).

        Parameters
        ----------
        y : array_like of int, shape (n,), or of bool, shape (n, K)
            Codes 0..K-1, or one indicator row an object (several right labels).
        n_labels : int
            K, at least 1.

        Raises
        ------
        ValueError
            If a code lies outside 0..K-1, the shape is wrong or all objects have the same labels.
        """
        labels = np.asarray(y)
        if labels.ndim == 2:
            if labels.shape[1] != n_labels:
                raise ValueError(
                    f"y has {labels.shape[1]} columns, n_labels={n_labels}; give one column a label"
                )
            right = labels.astype(bool)
            classes = np.unique(right, axis=0, return_inverse=True)[1].ravel()
        else:
            if labels.ndim != 1 or labels.size == 0 or labels.dtype.kind not in "iu":
                raise ValueError(
                    f"y has shape {labels.shape} and dtype {labels.dtype}; give one integer code an object"
                )
            if labels.min() < 0 or labels.max() >= n_labels:
                bad = labels[(labels < 0) | (labels >= n_labels)][0]
                raise ValueError(
                    f"y holds the code {bad} outside 0..{n_labels - 1}; encode the labels from 0"
                )
            right = labels[:, None] == np.arange(n_labels)
            classes = labels.astype(np.intp)
        if (classes == classes[0]).all():
            raise ValueError(
                "y holds one class only, so no two references differ; give objects of two classes"
            )
        n = len(labels)
        signed = np.where(right, 1.0, -1.0) / (n * n_labels)
        return cls(signed, np.full(n, 1.0 / n), classes)

    def check(self) -> None:
        """Assert what holds after every round: weights are finite, not zero, and add up to their marginals.

        Raises
        ------
        AssertionError
            If a weight is NaN, infinite or zero, or a marginal is not the sum of its row.
        """
        mass = np.abs(self.signed)
        assert np.isfinite(mass).all(), "a weight is NaN or infinite"
        assert (mass > 0).all(), "a weight is zero"
        assert np.allclose(mass.sum(axis=1), self.marginal, rtol=1e-12, atol=0), "a marginal is stale"


class Run(NamedTuple):
    """What happened in C rounds; row c is round c.

    Attributes
    ----------
    pairs : ndarray of int32, shape (C, 2)
        Reference pairs (j, k) as drawn.
    labels : ndarray of bool, shape (C, 2, K)
        Label sets o_j and o_k.
    alpha, w_plus, w_minus, log_z : ndarray of float64, shape (C,)
        Weight of the classifier (Eq 3), W+, W-, and log Z.
    state : State
        The weights after the last round.
    """

    pairs: NDArray[np.int32]
    labels: NDArray[np.bool_]
    alpha: Floats
    w_plus: Floats
    w_minus: Floats
    log_z: Floats
    state: State

    def first(self, rounds: int) -> Run:
        """Keep the first rounds; the state stays that of the last."""
        cut = slice(rounds)
        return Run(
            self.pairs[cut],
            self.labels[cut],
            self.alpha[cut],
            self.w_plus[cut],
            self.w_minus[cut],
            self.log_z[cut],
            self.state,
        )


class Round(NamedTuple):
    """One boosted pair: the label sets of its two half-spaces, α, W+, W- and Z."""

    labels: NDArray[np.bool_]
    alpha: float
    w_plus: float
    w_minus: float
    z: float


class Sums:
    """Sums of blocks of weights, and of blocks of these, so that a draw need not cumulate all n weights.

    Up to 16384 weights are cumulated as they are. More are summed in blocks of 64, as often as it takes; only
    the blocks of the weights that changed are summed anew, from their members, so that no error builds up.

    Parameters
    ----------
    weights : ndarray of float64, shape (n,)
        Positive weights.

    Attributes
    ----------
    weights : ndarray of float64, shape (n,)
        A copy of the weights; call `refresh` after changing them.
    cumulated : ndarray of float64
        Cumulated sums of the top level.

    Examples
    --------
    >>> sums = Sums(np.array([1.0, 2.0, 5.0]))
    >>> sums.find(np.array([0.0, 0.125, 0.374, 0.375])).tolist()
    [0, 1, 1, 2]
    """

    def __init__(self, weights: Floats, *, flat: int = FLAT) -> None:
        n = len(weights)
        self.levels = [weights.copy()]
        while len(self.levels[-1]) > flat:
            below = self.levels[-1]
            self.levels[-1] = np.concatenate((below, np.zeros(-len(below) % BLOCK)))
            self.levels.append(np.zeros(len(self.levels[-1]) // BLOCK))
        self.weights = self.levels[0][:n]
        self._ones, self._last = np.ones(BLOCK), n - 1
        self.refresh()

    @property
    def total(self) -> float:
        """Sum of all weights."""
        return float(self.cumulated[-1])

    def refresh(self, changed: NDArray[Any] | None = None) -> None:
        """Sum anew the blocks that hold some positions, or all blocks."""
        for below, above in pairwise(self.levels):
            blocks = below.reshape(-1, BLOCK)
            if changed is not None and len(changed) < len(blocks):
                changed = changed // BLOCK
                above[changed] = blocks.take(changed, axis=0).dot(self._ones)
            else:
                changed = None
                blocks.dot(self._ones, out=above[: len(blocks)])
        self.cumulated = self.levels[-1].cumsum()

    def find(self, uniforms: Floats) -> Ints:
        """Invert the distribution function: the first position whose cumulated share exceeds the number.

        Parameters
        ----------
        uniforms : ndarray of float64, shape (B,)
            Numbers in [0, 1).

        Returns
        -------
        ndarray of intp, shape (B,)
        """
        left = uniforms * self.cumulated[-1]
        at = self.cumulated.searchsorted(left, side="right")
        if len(self.levels) > 1:
            left = left - np.where(at > 0, self.cumulated[at - 1], 0.0)
        for below in self.levels[-2::-1]:
            blocks = below.reshape(-1, BLOCK)
            inner = blocks.take(at, axis=0, mode="clip").cumsum(axis=1)
            within = np.minimum((inner <= left[:, None]).sum(axis=1), BLOCK - 1)
            left = left - np.where(within > 0, inner[np.arange(len(at)), within - 1], 0.0)
            at = np.minimum(at, len(blocks) - 1) * BLOCK + within
        # a number below 1 times the total may round up to the total itself
        return at if len(self.levels) == 1 else np.minimum(at, self._last)


def draw_pair(sums: Sums, classes: Ints, uniforms: Floats) -> tuple[int, int, int]:
    """Draw two references independently from the marginal weights until their labels differ.

    Parameters
    ----------
    sums : Sums
        Unnormalised marginal weights.
    classes : ndarray of intp, shape (n,)
        Equal for objects with equal labels.
    uniforms : ndarray of float64, shape (B,)
        Uniform numbers in [0, 1); each try takes the next two.

    Returns
    -------
    j, k : int
        The references, or -1, -1 if no try of this block had two labels.
    used : int
        How many uniforms were taken.
    """
    drawn = sums.find(uniforms)
    last = len(classes) - 1
    found = classes.take(drawn, mode="clip").tolist()
    for at in range(0, len(found), 2):
        if found[at] != found[at + 1]:
            return min(int(drawn[at]), last), min(int(drawn[at + 1]), last), at + 2
    return -1, -1, len(found)


def boost_pair(state: State, heads: NDArray[Any], split: int, total: float, smoothing: float) -> Round:
    """Boost the classifier of one reference pair and update the weights in place (Eqs 2 to 4).

    Parameters
    ----------
    state : State
        Weights before the round; changed in place.
    heads : ndarray of int, shape (r,)
        The objects closer to j, then those closer to k.
    split : int
        How many are closer to j.
    total : float
        Sum of all unnormalised weights.
    smoothing : float
        The constant 1/n of Eq 3.

    Returns
    -------
    Round
        Label sets, shape (2, K), α ≥ 0, W+ ≥ W- and Z ≤ 1.
    """
    signed, marginal = state.signed, state.marginal
    rows = signed.take(heads, axis=0)
    mass = np.abs(rows)
    ones = np.ones(len(heads))
    near, far = ones[:split], ones[split:]
    sums = np.empty((2, 2, rows.shape[1]))  # signed sum and mass of each half-space and label
    near.dot(rows[:split], sums[0, 0])
    far.dot(rows[split:], sums[0, 1])
    near.dot(mass[:split], sums[1, 0])
    far.dot(mass[split:], sums[1, 1])
    weight = np.abs(sums[0])
    ties = TIE * sums[1]
    labels = sums[0] > ties
    weight[weight <= ties] = 0.0
    half, edge = float(sums[1].sum()) / (2 * total), float(weight.sum()) / (2 * total)
    w_plus, w_minus = half + edge, max(half - edge, 0.0)
    if edge == 0.0:
        return Round(labels, 0.0, half, half, 1.0)
    s = math.sqrt((w_plus + smoothing) / (w_minus + smoothing))
    z = 1.0 - (s - 1.0) ** 2 * (w_minus + (s + 1.0) * smoothing / s)
    missed = rows > 0
    missed[:split] ^= labels[0]
    missed[split:] ^= labels[1]
    rows *= np.where(missed, s, 1.0 / s)
    np.abs(rows, out=mass)
    if mass.min() < FLOOR * total:
        np.maximum(mass, FLOOR * total, out=mass)
        np.copysign(mass, rows, out=rows)
    signed[heads] = rows
    marginal[heads] = mass.dot(np.ones(mass.shape[1]))
    return Round(labels, math.log(s), w_plus, w_minus, z)


def train(
    triplets: HalfSpaces,
    y: ArrayLike,
    n_labels: int,
    n_rounds: int,
    rng: np.random.Generator,
    *,
    state: State | None = None,
    callback: Callable[[int, float], object] | None = None,
    debug: bool = False,
) -> Run:
    """Run Algorithm 1, one round after the other in numpy; the reference of all engines.

    Parameters
    ----------
    triplets : TripletSet or LazyTriplets
        Triplets of the training objects among themselves, without contradictory answers.
    y : array_like, shape (n,) of int, or (n, K) of bool
        Label codes 0..K-1, or one indicator row an object.
    n_labels : int
        K.
    n_rounds : int
        C, at least 1.
    rng : numpy.random.Generator
        Source of the reference pairs.
    state : State, optional
        Weights to go on from, changed in place; a fresh uniform state by default.
    callback : callable, optional
        ``callback(rounds done, log of the product of Z)``, about every thousandth of the run.
    debug : bool
        Check the weights after every round (see `State.check`).

    Returns
    -------
    Run
        The trace of the C rounds.

    Raises
    ------
    ValueError
        If C < 1, the trace would not fit in memory, y does not fit the objects, there is one class only, or
        the triplets contradict each other.

    References
    ----------
    Perrot & von Luxburg (2019), Algorithm 1 and Equations 2 to 4.
    """
    state, run = prepare(triplets, y, n_labels, n_rounds, state)
    sums = Sums(state.marginal)
    state.marginal = sums.weights
    half_spaces, smoothing = reader(triplets), 1.0 / triplets.n_objects
    uniforms, used, log_product, every = rng.random(0), 0, 0.0, max(n_rounds // 1000, 1)
    for c in range(n_rounds):
        total = sums.total
        if total < RESCALE:
            state.signed /= total
            state.marginal /= total
            sums.refresh()
            total = sums.total
        j = -1
        while j < 0:
            if used + 2 * TRIES > len(uniforms):
                uniforms, used = np.concatenate((uniforms[used:], rng.random(UNIFORMS))), 0
            j, k, taken = draw_pair(sums, state.classes, uniforms[used : used + 2 * TRIES])
            used += taken
        run.pairs[c] = j, k
        heads, split = half_spaces(j, k)
        if len(heads):
            o, run.alpha[c], run.w_plus[c], run.w_minus[c], z = boost_pair(
                state, heads, split, total, smoothing
            )
            run.labels[c] = o if j < k else o[::-1]
            run.log_z[c] = math.log(z)
            sums.refresh(heads)
        if debug:
            state.check()
        if callback is not None:
            log_product += run.log_z[c]
            if (c + 1) % every == 0 or c + 1 == n_rounds:
                callback(c + 1, log_product)
    return run


def prepare(
    triplets: HalfSpaces, y: ArrayLike, n_labels: int, n_rounds: int, state: State | None = None
) -> tuple[State, Run]:
    """Check the arguments of `train`, and make the weights and an empty trace; every engine starts here.

    Parameters
    ----------
    triplets, y, n_labels, n_rounds, state
        See `train`.

    Returns
    -------
    state : State
        The given one, or a uniform one.
    run : Run
        Of n_rounds rounds, all zero.

    Raises
    ------
    ValueError
        See `train`.
    """
    if n_rounds < 1:
        raise ValueError(f"n_rounds={n_rounds} leaves nothing to learn; give at least 1")
    if triplets.n_objects != triplets.n_references:
        raise ValueError(
            f"triplets compare {triplets.n_objects} objects with {triplets.n_references} references; "
            "training takes triplets of the training objects among themselves"
        )
    if getattr(triplets, "contradictory", False):
        raise ValueError(
            "triplets hold both answers of one question; build the set with contradictions='majority' "
            "so that every classifier is a function"
        )
    if len(np.asarray(y)) != triplets.n_objects:
        raise ValueError(
            f"y has {len(np.asarray(y))} labels for {triplets.n_objects} objects; give one an object"
        )
    if state is None:
        state = State.initial(y, n_labels)
    refuse_beyond_memory(
        n_rounds * (40 + 2 * n_labels),
        f"n_rounds={n_rounds}: the trace of the run",
        "train in parts with state=..., and merge the models of the parts by Model.merged",
    )
    alpha, w_plus, w_minus, log_z = (np.zeros(n_rounds) for _ in range(4))
    pairs, labels = np.empty((n_rounds, 2), np.int32), np.zeros((n_rounds, 2, n_labels), bool)
    return state, Run(pairs, labels, alpha, w_plus, w_minus, log_z, state)


def reader(triplets: Any) -> Callable[[int, int], tuple[NDArray[Any], int]]:
    """Return a function of two references that gives what `boost_pair` wants.

    Parameters
    ----------
    triplets : TripletSet or LazyTriplets
        Triplets of the training objects.

    Returns
    -------
    callable
        ``read(j, k)``, in either order: the objects closer to the smaller reference, then those closer to the
        larger one, in one array; and how many are of the first kind.
    """
    if getattr(triplets, "pair_codes", False) is None:
        starts, heads = triplets.starts, triplets.heads

        def read(j: int, k: int) -> tuple[NDArray[Any], int]:
            at = j * (j - 1) + 2 * k if j > k else k * (k - 1) + 2 * j
            first, middle, last = starts[at : at + 3].tolist()
            return heads[first:last], middle - first

        return read

    def gather(j: int, k: int) -> tuple[NDArray[Any], int]:
        low, high = triplets.half_spaces(min(j, k), max(j, k))
        return np.concatenate((low, high)), len(low)

    return gather


def training_bound(run: Run, n_labels: int | None = None) -> float:
    """Log of Theorem 2's bound (K/2)·∏Z on the training error; the product itself underflows in long runs.

    Parameters
    ----------
    run : Run
        One run, or all rounds so far concatenated.
    n_labels : int, optional
        K, by default read off the run.
    """
    return math.log((n_labels or run.labels.shape[2]) / 2) + float(run.log_z.sum())


@dataclass(frozen=True)
class Model:
    """A strong classifier: the votes of each reference pair, repeated pairs merged.

    Attributes
    ----------
    codes : ndarray of int64, shape (D,)
        Sorted codes k(k-1)/2 + j of the unordered pairs j < k that have a weight other than 0.
    votes : ndarray of float64, shape (D, 2, K)
        Summed α of each label, for objects closer to j and for objects closer to k.
    n_references, n_labels : int
        Number of training objects, and K.
    """

    codes: NDArray[np.int64]
    votes: Floats
    n_references: int
    n_labels: int

    @classmethod
    def from_run(cls, run: Run, n_references: int, n_labels: int) -> Model:
        """Merge the rounds of a run; rounds with α = 0 have no say.

        Parameters
        ----------
        run : Run
            The trace of training.
        n_references, n_labels : int
            Number of training objects, and K.
        """
        used = run.alpha != 0
        pairs, alpha, labels = run.pairs[used], run.alpha[used], run.labels[used]
        codes, place = np.unique(pair_code(pairs[:, 0], pairs[:, 1]), return_inverse=True)
        votes = np.zeros((len(codes), 2, n_labels))
        for which in range(2):
            # the side of o_j is 1 where j is the larger index
            at = 2 * place + ((pairs[:, 0] > pairs[:, 1]) ^ (which == 1))
            for y in range(n_labels):
                votes[:, :, y] += np.bincount(at, alpha * labels[:, which, y], 2 * len(codes)).reshape(-1, 2)
        return cls(codes, votes, n_references, n_labels)

    @classmethod
    def merged(cls, models: Sequence[Model]) -> Model:
        """Add up models of consecutive parts of a run, so that no trace of all its rounds has to be held.

        Parameters
        ----------
        models : sequence of Model
            At least one, of the same references and labels.
        """
        codes, place = np.unique(np.concatenate([m.codes for m in models]), return_inverse=True)
        votes = np.zeros((len(codes), 2, models[0].n_labels))
        np.add.at(votes, place, np.concatenate([m.votes for m in models]))
        return cls(codes, votes, models[0].n_references, models[0].n_labels)

    @property
    def n_pairs(self) -> int:
        """D, the number of distinct reference pairs with a weight other than 0."""
        return len(self.codes)

    def _parts(
        self, triplets: Any, table: bool | None = None
    ) -> Iterator[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]]:
        """Cut the set into parts of bounded size: objects, offsets of half-spaces, half-spaces of the model.

        With a table every half-space of the set is read, and the table says which one of the model it is (-1:
        none). Without, the codes of both are merged, and only what they share is read.
        """
        if triplets.n_references != self.n_references:
            raise ValueError(
                f"triplets refer to {triplets.n_references} references, the model to {self.n_references}; "
                "give triplets of new objects about the training objects"
            )
        if not hasattr(triplets, "starts"):
            yield from self._gathered(triplets)
            return
        starts, heads = triplets.starts, triplets.heads
        positions = triplets.positions(self.codes)
        known = np.flatnonzero(positions >= 0)
        spaces = (2 * positions[known, None] + np.arange(2)).ravel()
        own = (2 * known[:, None] + np.arange(2)).ravel()
        if table is None:
            table = len(starts) <= TABLE and 2 * len(spaces) > len(starts)
        if table:
            numbers = np.full(len(starts) - 1, -1, np.int32)
            numbers[spaces] = own
            first = 0
            while first < len(numbers):
                stop = int(starts.searchsorted(int(starts[first]) + PART, "right")) - 1
                stop = min(max(stop, first + 1), len(numbers))
                offsets = starts[first : stop + 1]
                yield heads[offsets[0] : offsets[-1]], offsets - offsets[0], numbers[first:stop]
                first = stop
            return
        begins = starts[spaces].astype(np.int64)
        ends = (starts[spaces + 1] - begins).cumsum()
        first, done = 0, 0
        while first < len(spaces):
            stop = max(first + 1, int(ends.searchsorted(done + PART, "right")))
            lengths = np.diff(ends[first:stop], prepend=done)
            offsets = np.concatenate(([0], lengths.cumsum()))
            at = np.arange(offsets[-1]) + np.repeat(begins[first:stop] - offsets[:-1], lengths)
            yield heads[at], offsets, own[first:stop]
            first, done = stop, int(ends[stop - 1])

    def _gathered(self, triplets: Any) -> Iterator[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]]:
        low, high = pair_members(self.codes)
        for index, (j, k) in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
            near, far = triplets.half_spaces(j, k)
            offsets = np.array([0, len(near), len(near) + len(far)])
            yield np.concatenate((near, far)), offsets, 2 * index + np.arange(2)

    def scores(self, triplets: Any, *, table: bool | None = None) -> Floats:
        """Sum the votes of every classifier that has a triplet about an object (inside of Eq 5).

        Parameters
        ----------
        triplets : TripletSet or LazyTriplets
            Triplets of the objects to classify about the training objects.
        table : bool, optional
            Read all triplets and look up their half-spaces in a table of 8 bytes a pair (True), or merge the
            pairs of the model with those of the set and read only the triplets they share (False). By
            default the table, where it fits and the model speaks of most pairs.

        Returns
        -------
        ndarray of float64, shape (n_objects, K)
            Scores, at least 0; all 0 for an object on which the model abstains.

        References
        ----------
        Perrot & von Luxburg (2019), Equation 5.
        """
        from scipy.sparse import csc_array

        votes = np.concatenate((self.votes.reshape(-1, self.n_labels), np.zeros((1, self.n_labels))))
        scores = np.zeros((triplets.n_objects, self.n_labels))
        for heads, offsets, own in self._parts(triplets, table):
            shape = triplets.n_objects, len(own)
            answers = csc_array((np.ones(len(heads)), heads.astype(np.int32), offsets), shape=shape)
            scores += answers @ votes[own]
        return scores

    def scores_of(self, blocks: Iterable[Any]) -> Iterator[Floats]:
        """Score a stream of test objects block by block; only one block is held.

        Parameters
        ----------
        blocks : iterable of TripletSet
            Triplets of the objects of each block, numbered from 0 in every block.

        Yields
        ------
        ndarray of float64, shape (objects of the block, K)
        """
        return map(self.scores, blocks)

    def abstains(self, triplets: Any) -> NDArray[np.bool_]:
        """Tell for each object whether no classifier with a weight other than 0 has a triplet about it."""
        spoken = np.zeros(triplets.n_objects, bool)
        for heads, _, _ in self._parts(triplets, table=False):
            spoken[heads] = True
        return ~spoken
