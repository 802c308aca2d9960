"""Rounds of TripletBoost compiled by numba: the algorithm of `boosttheory.tripletboost`, loop by loop.

The draws, the order of the tries and every constant are those of the reference. Marginal weights are summed
in a tree in which every node has 16 children; after a round only the nodes above changed weights are summed
anew, from their children. Importing this module needs numba.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from boosttheory.tripletboost import FLOOR, RESCALE, TIE, TRIES, UNIFORMS, Run, State, prepare, reader

__all__ = ["Tree", "train"]

Floats = NDArray[np.float64]
# numba keeps compiled loops with the constants they were compiled with, those of tripletboost included, until
# this file changes
BITS = 4
WIDTH = 1 << BITS


class Tree:
    """Weights, sums of 16 weights, sums of 16 sums, and so on, up to a level of at most 16 sums.

    Parameters
    ----------
    weights : ndarray of float64, shape (n,)
        Positive weights.

    Attributes
    ----------
    nodes : ndarray of float64
        All levels, the weights first, each filled up with zeros to a multiple of 16.
    starts : ndarray of intp
        Where each level begins, and the end.
    weights : ndarray of float64, shape (n,)
        The part of ``nodes`` that holds the weights.
    """

    def __init__(self, weights: Floats) -> None:
        sizes = [-(-len(weights) // WIDTH) * WIDTH]
        while sizes[-1] > WIDTH:
            sizes.append(-(-sizes[-1] // WIDTH**2) * WIDTH)
        self.starts = np.concatenate(([0], np.cumsum(sizes))).astype(np.intp)
        self.nodes = np.zeros(self.starts[-1])
        self.weights = self.nodes[: len(weights)]
        self.weights[:] = weights
        _sum_all(self.nodes, self.starts)

    def find(self, uniforms: Floats) -> NDArray[np.intp]:
        """Invert the distribution function, as `boosttheory.tripletboost.Sums.find` does."""
        last = len(self.weights) - 1
        return np.array([_find(self.nodes, self.starts, last, u) for u in uniforms], np.intp)


@njit(cache=True, fastmath={"reassoc"})
def _add(blocks: Floats, block: int) -> float:
    """Sum a row of 16; of known length and in any order, so that it becomes a few vector additions."""
    total = 0.0
    for at in range(WIDTH):
        total += blocks[block, at]
    return total


@njit(cache=True, fastmath={"reassoc"})
def _sum_level(blocks: Floats, above: Floats) -> None:
    for node in range(len(blocks)):
        total = 0.0
        for at in range(WIDTH):
            total += blocks[node, at]
        above[node] = total


@njit(cache=True)
def _sum_all(nodes: Floats, starts: NDArray[np.intp]) -> None:
    for level in range(len(starts) - 2):
        blocks = nodes[starts[level] : starts[level + 1]].reshape(-1, WIDTH)
        _sum_level(blocks, nodes[starts[level + 1] : starts[level + 2]])


@njit(cache=True)
def _sum_above(nodes: Floats, starts: NDArray[np.intp], heads: NDArray[Any]) -> None:
    """Sum the nodes above some weights anew; neighbouring heads share nodes."""
    for level in range(len(starts) - 2):
        blocks = nodes[starts[level] : starts[level + 1]].reshape(-1, WIDTH)
        above = nodes[starts[level + 1] : starts[level + 2]]
        if len(blocks) <= len(heads):
            _sum_level(blocks, above)
            continue
        last = -1
        for head in heads:
            node = head >> (BITS * (level + 1))
            if node != last:
                above[node] = _add(blocks, node)
                last = node


@njit(cache=True)
def _total(nodes: Floats, starts: NDArray[np.intp]) -> float:
    return _add(nodes[starts[-2] :].reshape(-1, WIDTH), 0)


@njit(cache=True)
def _find(nodes: Floats, starts: NDArray[np.intp], last: int, uniform: float) -> int:
    left, node = uniform * _total(nodes, starts), 0
    for level in range(len(starts) - 2, -1, -1):
        at = starts[level] + node * WIDTH
        end = at + WIDTH - 1
        # rounding may leave more than the children hold: then the last one is meant
        while at < end and nodes[at] <= left:
            left -= nodes[at]
            at += 1
        node = at - starts[level]
        if level and node >= (starts[level] - starts[level - 1]) // WIDTH:
            return last
    return min(node, last)


@njit(cache=True)
def _draw(
    nodes: Floats,
    starts: NDArray[np.intp],
    classes: NDArray[np.intp],
    uniforms: Floats,
    used: int,
) -> tuple[int, int, int]:
    """Draw references until their labels differ; -1, -1 when the uniforms have to be filled up first."""
    while used + 2 * TRIES <= len(uniforms):
        for _ in range(TRIES):
            j = _find(nodes, starts, len(classes) - 1, uniforms[used])
            k = _find(nodes, starts, len(classes) - 1, uniforms[used + 1])
            used += 2
            if classes[j] != classes[k]:
                return j, k, used
    return -1, -1, used


@njit(cache=True)
def _boost(
    signed: Floats,
    marginal: Floats,
    heads: NDArray[Any],
    split: int,
    total: float,
    smoothing: float,
    labels: NDArray[np.bool_],
    sums: Floats,
) -> tuple[float, float, float, float]:
    """One round of `boosttheory.tripletboost.boost_pair`: fills the labels, returns α, W+, W- and Z.

    ``sums``, shape (2, 2, K), is room for the signed sum and the mass of each half-space and label.
    """
    n_labels = signed.shape[1]
    sums[:] = 0.0
    for position in range(len(heads)):
        side, i = int(position >= split), heads[position]
        for y in range(n_labels):
            weight = signed[i, y]
            sums[0, side, y] += weight
            sums[1, side, y] += abs(weight)
    mass, edges = 0.0, 0.0
    for side in range(2):
        for y in range(n_labels):
            tie = TIE * sums[1, side, y]
            labels[side, y] = sums[0, side, y] > tie
            mass += sums[1, side, y]
            if abs(sums[0, side, y]) > tie:
                edges += abs(sums[0, side, y])
    half, edge = mass / (2.0 * total), edges / (2.0 * total)
    if edge == 0.0:
        return 0.0, half, half, 1.0
    w_plus, w_minus = half + edge, max(half - edge, 0.0)
    s = math.sqrt((w_plus + smoothing) / (w_minus + smoothing))
    z = 1.0 - (s - 1.0) ** 2 * (w_minus + (s + 1.0) * smoothing / s)
    floor, inverse = FLOOR * total, 1.0 / s
    for position in range(len(heads)):
        side, i = int(position >= split), heads[position]
        row = 0.0
        for y in range(n_labels):
            weight = signed[i, y]
            weight *= s if (weight > 0.0) != labels[side, y] else inverse
            if abs(weight) < floor:
                weight = math.copysign(floor, weight)
            signed[i, y] = weight
            row += abs(weight)
        marginal[i] = row
    return math.log(s), w_plus, w_minus, z


@njit(cache=True)
def _place(codes: NDArray[np.int64], code: int) -> int:
    """Find a code among sorted ones; no codes at all stand for 0, 1, 2, ..."""
    if len(codes) == 0:
        return code
    low, high = 0, len(codes)
    while low < high:
        middle = (low + high) // 2
        if codes[middle] < code:
            low = middle + 1
        else:
            high = middle
    return low if low < len(codes) and codes[low] == code else -1


@njit(cache=True)
def _rounds(
    signed: Floats,
    marginal: Floats,
    nodes: Floats,
    starts: NDArray[np.intp],
    classes: NDArray[np.intp],
    heads: NDArray[Any],
    offsets: NDArray[Any],
    codes: NDArray[np.int64],
    uniforms: Floats,
    used: int,
    c: int,
    stop: int,
    pairs: NDArray[np.int32],
    labels: NDArray[np.bool_],
    trace: Floats,
) -> tuple[int, int]:
    """Go on from round c until ``stop`` or until the uniforms are used up; return the round and their use."""
    n, n_labels = signed.shape
    own, room = np.empty((2, n_labels), np.bool_), np.empty((2, 2, n_labels))
    while c < stop:
        total = _total(nodes, starts)
        if total < RESCALE:
            signed /= total
            marginal /= total
            _sum_all(nodes, starts)
            total = _total(nodes, starts)
        j, k, used = _draw(nodes, starts, classes, uniforms, used)
        if j < 0:
            return c, used
        pairs[c, 0], pairs[c, 1] = j, k
        low, high = min(j, k), max(j, k)
        place = _place(codes, high * (high - 1) // 2 + low)
        if place >= 0:
            first, middle, last = offsets[2 * place], offsets[2 * place + 1], offsets[2 * place + 2]
            if first < last:
                found = heads[first:last]
                alpha, w_plus, w_minus, z = _boost(
                    signed, marginal, found, middle - first, total, 1.0 / n, own, room
                )
                trace[0, c], trace[1, c], trace[2, c] = alpha, w_plus, w_minus
                trace[3, c] = math.log(z) if z < 1.0 else 0.0
                for y in range(n_labels):
                    labels[c, 0, y] = own[int(j > k), y]
                    labels[c, 1, y] = own[int(j < k), y]
                _sum_above(nodes, starts, found)
        c += 1
    return c, used


def train(
    triplets: Any,
    y: ArrayLike,
    n_labels: int,
    n_rounds: int,
    rng: np.random.Generator,
    *,
    state: State | None = None,
    callback: Callable[[int, float], object] | None = None,
    debug: bool = False,
) -> Run:
    """Run Algorithm 1 in compiled loops; arguments, result and draws are those of `tripletboost.train`.

    A lazy set computes its half-spaces in Python, one pair a round; its rounds are compiled one by one.

    References
    ----------
    Perrot & von Luxburg (2019), Algorithm 1 and Equations 2 to 4.
    """
    state, run = prepare(triplets, y, n_labels, n_rounds, state)
    tree, trace = Tree(state.marginal), np.zeros((4, n_rounds))
    state.signed, state.marginal = np.ascontiguousarray(state.signed), tree.weights
    weights = state.signed, state.marginal, tree.nodes, tree.starts, state.classes
    uniforms, used, c, told = rng.random(0), 0, 0, 0.0
    every = max(n_rounds // 1000, 1)
    one_by_one = _one_by_one(triplets, weights, run, trace) if not hasattr(triplets, "starts") else None
    codes = getattr(triplets, "pair_codes", None)
    codes = np.empty(0, np.int64) if codes is None else codes
    while c < n_rounds:
        if used + 2 * TRIES > len(uniforms):
            uniforms, used = np.concatenate((uniforms[used:], rng.random(UNIFORMS))), 0
        stop = n_rounds if callback is None else min(n_rounds, (c // every + 1) * every)
        stop, before = min(stop, c + 1) if debug else stop, c
        if one_by_one is not None:
            c, used = one_by_one(uniforms, used, c, stop)
        else:
            c, used = _rounds(
                *weights, triplets.heads, triplets.starts, codes, uniforms, used, c, stop,
                run.pairs, run.labels, trace,
            )  # fmt: skip
        if debug:
            state.check()
        if callback is not None and c > before:
            told += float(trace[3, before:c].sum())
            if c % every == 0 or c == n_rounds:
                callback(c, told)
    return run._replace(alpha=trace[0], w_plus=trace[1], w_minus=trace[2], log_z=trace[3])


def _one_by_one(
    triplets: Any, weights: tuple[Any, ...], run: Run, trace: Floats
) -> Callable[[Floats, int, int, int], tuple[int, int]]:
    """Return the rounds on half-spaces that only Python can look up, to be called like `_rounds`."""
    read = reader(triplets)
    signed, marginal, nodes, starts, classes = weights
    n = len(marginal)
    own, room = np.empty((2, signed.shape[1]), bool), np.empty((2, 2, signed.shape[1]))

    def go_on(uniforms: Floats, used: int, c: int, stop: int) -> tuple[int, int]:
        while c < stop:
            total = _total(nodes, starts)
            if total < RESCALE:
                signed[:] /= total
                marginal[:] /= total
                _sum_all(nodes, starts)
                total = _total(nodes, starts)
            j, k, used = _draw(nodes, starts, classes, uniforms, used)
            if j < 0:
                return c, used
            run.pairs[c] = j, k
            heads, split = read(j, k)
            if len(heads):
                *trace[:3, c], z = _boost(signed, marginal, heads, split, total, 1.0 / n, own, room)
                trace[3, c] = math.log(z) if z < 1.0 else 0.0
                run.labels[c] = own if j < k else own[::-1]
                _sum_above(nodes, starts, heads)
            c += 1
        return c, used

    return go_on
