"""One-inclusion hypergraphs: list orientations of least out-degree, and Algorithms 5 and 6 built on them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boosttheory.concepts import FiniteClass, _check_k, neighbour_groups

__all__ = [
    "Cover",
    "Graph",
    "ListLearner",
    "OneInclusionLearner",
    "Orientation",
    "ProofError",
    "Removal",
    "Sample",
    "ceil_log",
    "certified_mixture",
    "density",
    "expected_error",
    "greedy_cover",
    "orient",
    "orientation_number",
    "out_degrees",
    "reconstruct",
    "remove_one_label",
]

Bools = NDArray[np.bool_]
Ints = NDArray[Any]
Sample = Sequence[tuple[int, Any]]


class ProofError(AssertionError):
    """A step of a proof failed on this input: a counterexample to the statement, or a defect."""


def _hold(fact: bool, sentence: str) -> None:
    if not fact:
        raise ProofError(sentence)


# ----------------------------------------------------------------------------------------- graph, orientation


class Graph:
    """The one-inclusion hypergraph of a finite class; its arrays are read only.

    Parameters
    ----------
    patterns : FiniteClass or (N, n) array_like of int
        The class H, or its distinct patterns with entries at least 0. The vertices are the rows.

    Attributes
    ----------
    patterns : (N, n) ndarray of int
        The vertices.
    edge_of : (n, N) ndarray of int
        The edge of each vertex in each direction; every vertex lies in exactly n edges, some of size one.
    sizes : (E,) ndarray of int64
        The number of vertices of each edge.

    References
    ----------
    Brukhim, Daniely, Mansour & Moran, "Multiclass Boosting: Simple and Intuitive Weak Learning Criteria",
    Definition 12.

    Examples
    --------
    >>> graph = Graph(FiniteClass(["ab", "bb", "bc", "cc", "ca", "aa"]))
    >>> graph.n_edges, graph.sizes.tolist()
    (6, [2, 2, 2, 2, 2, 2])
    """

    __slots__ = ("edge_of", "patterns", "sizes")

    def __init__(self, patterns: FiniteClass | ArrayLike) -> None:
        self.patterns: Ints = patterns.patterns if isinstance(patterns, FiniteClass) else np.array(patterns)
        self.edge_of: Ints = neighbour_groups(self.patterns)
        self.sizes: NDArray[np.int64] = np.bincount(self.edge_of.ravel())
        for array in (self.patterns, self.edge_of, self.sizes):
            array.flags.writeable = False

    @property
    def n_vertices(self) -> int:
        """Number of vertices, N."""
        return int(self.edge_of.shape[1])

    @property
    def n_edges(self) -> int:
        """Number of edges of every size."""
        return len(self.sizes)

    def degrees(self, k: int = 1) -> Ints:
        """Return the k-degree of each vertex: its edges of more than k vertices (Definition 13).

        Parameters
        ----------
        k : int
            List size, at least 1.

        Returns
        -------
        (N,) ndarray of int64
        """
        _check_k(k)
        return np.count_nonzero(self.sizes[self.edge_of] > k, axis=0)

    def edges(self) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Yield (direction, vertices) of each edge, in the order of their numbers."""
        order = np.argsort(self.edge_of, axis=None, kind="stable").tolist()
        end = 0
        for size in self.sizes.tolist():
            part = order[end : end + size]
            end += size
            yield part[0] // self.n_vertices, tuple(position % self.n_vertices for position in part)


def density(graph: Graph, vertices: ArrayLike, k: int = 1) -> Fraction:
    """Return the edge density of a subclass: a lower bound on the out-degree of every k-list orientation.

    Parameters
    ----------
    graph : Graph
        The hypergraph.
    vertices : array_like of int
        A non-empty set U of vertices.
    k : int
        List size.

    Returns
    -------
    Fraction
        The sum over the edges e of max(0, |e ∩ U| − k), by |U|. Each edge leaves out at least |e ∩ U| − k
        vertices of U, so some vertex of U is left out at least this often.

    Examples
    --------
    >>> density(Graph([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 1, 2, 3])
    Fraction(1, 1)
    """
    _check_k(k)
    chosen = np.unique(np.asarray(vertices, dtype=np.int64))
    if not chosen.size:
        raise ValueError("vertices is empty; give at least one vertex")
    inside = np.bincount(graph.edge_of[:, chosen].ravel())
    return Fraction(int((inside - k).clip(0).sum()), len(chosen))


def out_degrees(graph: Graph, chosen: ArrayLike, k: int = 1) -> Ints:
    """Count the edges that leave each vertex out of their list.

    Parameters
    ----------
    graph : Graph
        The hypergraph.
    chosen : (n, N) array_like of bool
        Entry (i, v): vertex v is in the list of its edge in direction i.
    k : int
        List size.

    Returns
    -------
    (N,) ndarray of int64
        The k-out-degrees.

    Raises
    ------
    ValueError
        If some edge lists more than k vertices.

    References
    ----------
    Brukhim, Daniely, Mansour & Moran, Definitions 14 and 15.
    """
    _check_k(k)
    listed = np.asarray(chosen, dtype=np.bool_)
    if listed.shape != graph.edge_of.shape:
        raise ValueError(
            f"chosen has shape {listed.shape}; give one entry a direction and vertex, {graph.edge_of.shape}"
        )
    longest = int(np.bincount(graph.edge_of[listed], minlength=1).max())
    if longest > k:
        raise ValueError(f"chosen lists {longest} vertices of one edge, more than k={k}; leave some out")
    return np.count_nonzero(~listed, axis=0)


@dataclass(frozen=True, eq=False)
class Orientation:
    """A k-list orientation of least maximal out-degree, with the proof of both halves of that.

    Attributes
    ----------
    graph : Graph
        The hypergraph.
    k : int
        List size.
    chosen : (n, N) ndarray of bool
        Entry (i, v): vertex v is in the list of its edge in direction i. Proves that `out_degree` is enough.
    out_degree : int
        The maximal k-out-degree.
    dense : (M,) ndarray of int
        Vertices whose density exceeds `out_degree` − 1: proves that nothing smaller is enough. Empty when it
        is 0.
    """

    graph: Graph
    k: int
    chosen: Bools
    out_degree: int
    dense: Ints

    @property
    def density(self) -> Fraction:
        """Density of the dense subclass; its ceiling is the out-degree."""
        return density(self.graph, self.dense, self.k) if self.dense.size else Fraction(0)

    def lists(self) -> list[tuple[int, ...]]:
        """Return the vertices in the list of each edge, by edge number."""
        found: list[tuple[int, ...]] = []
        rank = self.chosen.ravel()
        for direction, members in self.graph.edges():
            start = direction * self.graph.n_vertices
            found.append(tuple(v for v in members if rank[start + v]))
        return found

    def verify(self) -> bool:
        """Recount both certificates edge by edge, from the patterns alone."""
        rows = [tuple(row) for row in self.graph.patterns.tolist()]
        dense = set(self.dense.tolist())
        listed: dict[tuple[Any, ...], int] = {}
        inside: dict[tuple[Any, ...], int] = {}
        worst = 0
        for v, row in enumerate(rows):
            left_out = 0
            for i in range(len(row)):
                edge = (i, row[:i], row[i + 1 :])
                inside[edge] = inside.get(edge, 0) + (v in dense)
                listed[edge] = listed.get(edge, 0) + bool(self.chosen[i, v])
                left_out += not self.chosen[i, v]
            worst = max(worst, left_out)
        enough = worst == self.out_degree and max(listed.values()) <= self.k
        needed = sum(max(0, size - self.k) for size in inside.values()) > (self.out_degree - 1) * len(dense)
        return enough and (needed or (self.out_degree == 0 and not dense))


def orient(graph: Graph | FiniteClass, k: int = 1, *, memory: int = 8 * 2**30) -> Orientation:
    """Find a k-list orientation of least maximal out-degree.

    Parameters
    ----------
    graph : Graph or FiniteClass
        The hypergraph, or the class it belongs to.
    k : int
        List size.
    memory : int
        Largest admitted estimate of the memory, in bytes.

    Returns
    -------
    Orientation
        With certificates for both directions. The answer is a function of the patterns alone.

    Raises
    ------
    ValueError
        When the flow network may need more than `memory`.

    Notes
    -----
    An edge e with more than k vertices sends |e| − k units, at most one to each of its vertices: those are
    left out. All units arrive with at most d at a vertex just when a maximal flow says so. Start at d =
    ⌈density of H⌉; where the flow falls short, the vertices reachable in the residual network form a subclass
    of density above d, and d rises to the ceiling of that density. So no flow is computed twice, the last one
    is the orientation and the last subclass the proof that d − 1 is too little.

    References
    ----------
    Brukhim, Daniely, Mansour & Moran, Definitions 14 and 15, Algorithm 5 step 2.

    Examples
    --------
    >>> from boosttheory.concepts import hamming_ball
    >>> best = orient(hamming_ball(5, 2))
    >>> best.out_degree, best.density, best.verify()
    (2, Fraction(25, 16), True)
    """
    if isinstance(graph, FiniteClass):
        graph = Graph(graph)
    _check_k(k)
    chosen = np.ones(graph.edge_of.shape, dtype=np.bool_)
    wide = np.flatnonzero(graph.sizes > k)
    if not wide.size:
        return Orientation(graph, k, chosen, 0, np.zeros(0, dtype=np.int64))
    n_vertices, sizes = graph.n_vertices, graph.sizes[wide]
    # Measured: some 120 bytes for each vertex of each edge in the network and the flow on it.
    if (estimate := 150 * int(sizes.sum())) > memory:
        raise ValueError(
            f"orienting {len(wide)} edges of {int(sizes.sum())} vertices may take {estimate / 2**30:.1g} GB, "
            f"over memory={memory / 2**30:.1g} GB; raise memory or restrict the class"
        )
    incident = np.argsort(graph.edge_of, axis=None, kind="stable")
    incident = incident[(graph.sizes > k)[graph.edge_of.ravel()[incident]]]
    members = (incident % n_vertices).astype(np.int32)
    supply = (sizes - k).astype(np.int32)
    dense = np.arange(n_vertices)
    degree = -(-int(supply.sum()) // n_vertices)
    while True:
        sent, reached = _send(members, sizes, supply, n_vertices, degree)
        if reached is None:
            chosen.ravel()[incident[sent]] = False
            return Orientation(graph, k, chosen, degree, dense)
        dense = reached
        degree = math.ceil(density(graph, dense, k))


def _send(
    members: NDArray[np.int32], sizes: Ints, supply: NDArray[np.int32], n_vertices: int, degree: int
) -> tuple[Bools, Ints | None]:
    """Send each edge's supply to members, at most `degree` a vertex, or find the subclass that forbids it."""
    from scipy.sparse import coo_array, csr_matrix
    from scipy.sparse.csgraph import breadth_first_order, maximum_flow

    # Nodes: source 0, edges 1..E, vertices E+1..E+N, sink. The rows come sorted, as csr wants them.
    n_edges = len(sizes)
    first, sink = 1 + n_edges, 1 + n_edges + n_vertices
    indices = np.concatenate(
        [
            np.arange(1, first, dtype=np.int32),
            members + np.int32(first),
            np.full(n_vertices, sink, dtype=np.int32),
        ]
    )
    rows = np.concatenate([[0, n_edges], sizes, np.ones(n_vertices, dtype=np.int64), [0]])
    capacity = np.concatenate(
        [supply, np.ones(len(members), dtype=np.int32), np.full(n_vertices, degree, dtype=np.int32)]
    )
    network = csr_matrix((capacity, indices, np.cumsum(rows).astype(np.int32)), shape=(sink + 1, sink + 1))
    found = maximum_flow(network, 0, sink, method="dinic")
    flow = found.flow.tocoo()
    edge = np.repeat(np.arange(n_edges), sizes)
    inner = (flow.row >= 1) & (flow.row < first) & (flow.col >= first) & (flow.data > 0)
    sent = np.zeros(len(members), dtype=np.bool_)
    place = edge.astype(np.int64) * n_vertices + members
    sent[
        np.searchsorted(place, (flow.row[inner].astype(np.int64) - 1) * n_vertices + flow.col[inner] - first)
    ] = True
    if found.flow_value == int(supply.sum()):
        return sent, None
    short = np.flatnonzero(np.bincount(edge[sent], minlength=n_edges) < supply)
    tail = np.concatenate([np.zeros(len(short), dtype=np.int64), np.where(sent, first + members, 1 + edge)])
    head = np.concatenate([1 + short, np.where(sent, 1 + edge, first + members)])
    residual = coo_array((np.ones(len(tail), dtype=np.int8), (tail, head)), shape=(sink, sink)).tocsr()
    reached = breadth_first_order(residual, 0, return_predecessors=False)
    return sent, np.sort(reached[reached >= first]) - first


def orientation_number(graph: Graph | FiniteClass, k: int = 1) -> int:
    """Return the least maximal k-out-degree of a k-list orientation."""
    return orient(graph, k).out_degree


# ------------------------------------------------------------------------------------------------ Algorithm 5


def _check_sample(family: FiniteClass, sample: Sample) -> list[tuple[int, int]]:
    """Return the sample with labels as codes; refuse unknown points and labels, and contradictions."""
    place = {label: code for code, label in enumerate(family.labels)}
    coded: list[tuple[int, int]] = []
    seen: dict[int, Any] = {}
    for x, y in sample:
        (point,) = family._points([x])
        if y not in place:
            raise ValueError(
                f"sample has the label {y!r}, which the class lacks; use one of {family.labels!r}"
            )
        if seen.setdefault(point, y) != y:
            raise ValueError(
                f"sample gives point {point} the labels {seen[point]!r} and {y!r}; keep one of them"
            )
        coded.append((point, place[y]))
    return coded


class OneInclusionLearner:
    """The one-inclusion list algorithm.

    Parameters
    ----------
    family : FiniteClass
        The class H; a point is the number of a column.
    k : int
        List size; an orientation lists at most k patterns an edge.
    lists : sequence of sequences of labels, optional
        One list of admitted labels a point: patterns count only where they stay inside (step 4 of Algorithm
        6).

    Notes
    -----
    The orientation is a function of the multiset of points alone, whatever their order and whichever of them
    is the test point, as the leave-one-out argument of Lemma 7 asks. Orientations are kept for the life of
    the learner.

    References
    ----------
    Brukhim, Daniely, Mansour & Moran, Algorithm 5 and Lemma 7.

    Examples
    --------
    >>> from boosttheory.concepts import six_cycle
    >>> OneInclusionLearner(six_cycle()).fit([(0, 1)]).predict_list(1)
    (2,)
    """

    def __init__(
        self, family: FiniteClass, k: int = 1, *, lists: Sequence[Sequence[Any]] | None = None
    ) -> None:
        _check_k(k)
        self.family, self.k = family, k
        self._admitted = np.ones((family.n_points, family.n_labels), dtype=np.bool_)
        if lists is not None:
            if len(lists) != family.n_points:
                raise ValueError(
                    f"lists has {len(lists)} entries for {family.n_points} points; give one list a point"
                )
            self._admitted = np.array(
                [[label in given for label in family.labels] for given in lists], dtype=np.bool_
            )
        self._solved: dict[tuple[int, ...], Orientation | None] = {}
        self._labels: dict[int, int] = {}
        self._drawn: tuple[int, ...] = ()

    def fit(self, sample: Sample) -> OneInclusionLearner:
        """Keep a sample.

        Parameters
        ----------
        sample : sequence of (point, label)
            May be empty, and may repeat examples.

        Raises
        ------
        ValueError
            For an unknown point or label, two labels of one point, or a sample that no member of the class
            realises.
        """
        coded = _check_sample(self.family, sample)
        self._fit(coded)
        points = list(self._labels)
        wanted = [self._labels[x] for x in points]
        if (
            not self._admitted[points, wanted].all()
            or not (self.family.patterns[:, points] == wanted).all(axis=1).any()
        ):
            raise ValueError(
                f"sample {list(sample)!r} is realised by no member of the class; drop examples or widen it"
            )
        return self

    def _fit(self, coded: Iterable[tuple[int, int]]) -> OneInclusionLearner:
        coded = list(coded)
        self._labels = dict(coded)
        self._drawn = tuple(x for x, _ in coded)
        return self

    def orientation(self, x: int) -> Orientation | None:
        """Return the orientation used for a test point; None when no pattern stays inside the lists.

        Its vertices are the patterns on the sample's points and x together, in ascending order with
        repetitions.
        """
        self.family._points([x])
        points = tuple(sorted((*self._drawn, int(x))))
        if points not in self._solved:
            rows = self.family.patterns[:, points]
            rows = rows[self._admitted[list(points), rows].all(axis=1)]
            self._solved[points] = (
                orient(FiniteClass._of_codes(rows, self.family.labels), self.k) if len(rows) else None
            )
        return self._solved[points]

    def predict_list(self, x: int) -> tuple[Any, ...]:
        """Predict at most k labels for a point.

        Parameters
        ----------
        x : int
            The point.

        Returns
        -------
        tuple of labels
            In the order of the class's labels.
        """
        return tuple(self.family.labels[code] for code in self._predict(x))

    def _predict(self, x: int) -> tuple[int, ...]:
        solved = self.orientation(x)
        if solved is None:
            return ()
        points = sorted((*self._drawn, x))
        at = points.index(x)
        rest = [i for i in range(len(points)) if i != at]
        rows = solved.graph.patterns
        revealed = (rows[:, rest] == [self._labels[points[i]] for i in rest]).all(axis=1)
        return tuple(np.unique(rows[revealed & solved.chosen[at], at]).tolist())


def expected_error(
    family: FiniteClass,
    k: int,
    distribution: Mapping[tuple[int, Any], Fraction],
    n: int,
    *,
    learner: OneInclusionLearner | None = None,
    max_samples: int = 10**6,
) -> tuple[Fraction, int]:
    """Compute exactly how often Algorithm 5 misses, by enumerating all samples.

    Parameters
    ----------
    family : FiniteClass
        The class H.
    k : int
        List size.
    distribution : mapping of (point, label) to Fraction
        A realisable distribution over examples; the probabilities add up to 1.
    n : int
        Sample size, at least 0.
    learner : OneInclusionLearner, optional
        A learner for this class and list size whose orientations are reused.
    max_samples : int
        Largest admitted number of multisets of n examples.

    Returns
    -------
    error : Fraction
        The probability that y is not in the list at x, over n examples and the test example (x, y).
    worst : int
        The largest out-degree of all orientations used, the M of Lemma 7.

    Raises
    ------
    ValueError
        If the probabilities are not positive with sum 1, the examples are not realisable, or the samples are
        too many.

    References
    ----------
    Brukhim, Daniely, Mansour & Moran, Lemmas 7, 8 and 11.

    Examples
    --------
    >>> from boosttheory.concepts import zero_and_singletons
    >>> expected_error(zero_and_singletons(3), 1, {(x, 0): Fraction(1, 3) for x in range(3)}, 1)
    (Fraction(1, 3), 1)
    """
    if any(w <= 0 for w in distribution.values()) or sum(distribution.values()) != 1:
        raise ValueError(
            f"distribution has the weights {[str(w) for w in distribution.values()]}; they must sum to 1"
        )
    examples = list(distribution)
    if (count := math.comb(len(examples) + n - 1, n)) > max_samples:
        raise ValueError(
            f"n is {n}: {count:.1e} multisets of {len(examples)} examples, more than "
            f"max_samples={max_samples}; raise it, or take fewer examples"
        )
    learner = (learner or OneInclusionLearner(family, k)).fit(examples)
    coded = _check_sample(family, examples)
    weight = [distribution[example] for example in examples]
    error, worst = Fraction(0), 0
    for draw in combinations_with_replacement(range(len(examples)), n):
        repeats = [draw.count(i) for i in set(draw)]
        chance = (
            math.factorial(n) // math.prod(map(math.factorial, repeats)) * math.prod(weight[i] for i in draw)
        )
        learner._fit(coded[i] for i in draw)
        for (x, y), w in zip(coded, weight, strict=True):
            solved = learner.orientation(x)
            worst = max(worst, solved.out_degree if solved else 0)
            if y not in learner._predict(x):
                error += chance * w
    return Fraction(error), worst


# ------------------------------------------------------------------------------------------------ Algorithm 6


def ceil_log(factor: int, m: int) -> int:
    """Return ⌈factor · ln(2m)⌉ exactly.

    Parameters
    ----------
    factor : int
        At least 0.
    m : int
        At least 1. As ln 2m is irrational, the product is an integer for factor 0 only, and 60 digits decide.

    Examples
    --------
    >>> ceil_log(3, 10)
    9
    """
    with localcontext() as context:
        context.prec = 60
        return math.ceil(factor * Decimal(2 * m).ln())


@dataclass(frozen=True)
class Cover:
    """What the pre-processing of Lemma 9 found.

    Attributes
    ----------
    subsets : tuple of samples
        The subsets S'_1, ..., of d examples each (labels as given).
    covered : tuple of Fraction
        The share of the remaining examples that each covers, at least 1/(d+1).
    bound : int
        q = ⌈(d+1) ln 2m⌉, at least the number of subsets.
    lists : tuple of tuples of labels
        The list of each point of the domain, at most kq labels, right on the whole sample.
    """

    subsets: tuple[tuple[tuple[int, Any], ...], ...]
    covered: tuple[Fraction, ...]
    bound: int
    lists: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class Removal:
    """One round of Algorithm 6: from lists of at most P labels to at most P − 1 (Theorem 8 with p = P).

    Attributes
    ----------
    list_size : int
        P.
    subsets : tuple of samples
        The subsets U of at most 4Pd examples that came out of the draws.
    counts : tuple of int
        How often each was drawn; their sum is the number of repetitions ⌈8P² ln 2m⌉.
    support : tuple of samples
        The subsets that Q mixes.
    mixture : tuple of Fraction
        The distribution Q over `support`.
    value : Fraction
        The largest probability under Q that f_U names the right label of an example; below 1/(4P).
    hard : mapping of example to Fraction
        A distribution over the examples under which every subset in `support` errs with probability at least
        `floor`.
    floor : Fraction
        See `hard`; by weak duality no distribution over `support` has a smaller value.
    vote : Fraction
        The largest share of the draws that name the right label of an example; below 1/(2P).
    out_degree : int
        The largest out-degree of the orientations used, at most d.
    lists : tuple of tuples of labels
        The new lists.
    """

    list_size: int
    subsets: tuple[tuple[tuple[int, Any], ...], ...]
    counts: tuple[int, ...]
    support: tuple[tuple[tuple[int, Any], ...], ...]
    mixture: tuple[Fraction, ...]
    value: Fraction
    hard: Mapping[tuple[int, Any], Fraction]
    floor: Fraction
    vote: Fraction
    out_degree: int
    lists: tuple[tuple[Any, ...], ...]


def _check_realised(family: FiniteClass, sample: Sample) -> list[tuple[int, Any]]:
    if not len(sample):
        raise ValueError("sample is empty; give at least one example")
    OneInclusionLearner(family).fit(sample)
    return [(int(x), y) for x, y in sample]


def _too_many(what: str, count: int, max_subsets: int) -> ValueError:
    return ValueError(
        f"{what} may try {count:.1e} subsets of the sample, more than max_subsets={max_subsets}; "
        "raise max_subsets or give fewer examples"
    )


def greedy_cover(
    family: FiniteClass, sample: Sample, k: int, d: int, *, choose: str = "best", max_subsets: int = 10**6
) -> Cover:
    """Cover a sample by lists of Algorithm 5 trained on few examples.

    Parameters
    ----------
    family : FiniteClass
        A class of k-DS dimension d.
    sample : sequence of (point, label)
        Realisable, at least one example; repeated examples count as often as they come.
    k, d : int
        List size and dimension.
    choose : {"best", "least"}
        Which subset of d of the remaining examples, repetition allowed, a step takes: the one that covers
        most of them, or the one that covers fewest but 1/(d+1) of them, the worst case that the proof admits
        (it makes long lists).
    max_subsets : int
        Limit on the subsets tried in a step.

    Returns
    -------
    Cover
        Subsets, shares and lists.

    Raises
    ------
    ProofError
        If no subset covers 1/(d+1) of the remaining examples, or more than q steps are needed.
    ValueError
        For a sample that is not realisable, or more than `max_subsets` subsets.

    References
    ----------
    Brukhim, Daniely, Mansour & Moran, Lemmas 8 and 9.
    """
    if choose not in ("best", "least"):
        raise ValueError(f"choose is {choose!r}; take 'best' or 'least'")
    remaining = _check_realised(family, sample)
    bound = ceil_log(d + 1, len(remaining))
    learner = OneInclusionLearner(family, k)
    subsets: list[tuple[tuple[int, Any], ...]] = []
    covered: list[Fraction] = []
    while remaining:
        distinct = list(dict.fromkeys(remaining))
        if (count := math.comb(len(distinct) + d - 1, d)) > max_subsets:
            raise _too_many("the cover", count, max_subsets)
        most = len(remaining) * d // (d + 1)
        taken: tuple[tuple[int, Any], ...] | None = None
        left: list[tuple[int, Any]] = []
        for subset in combinations_with_replacement(distinct, d):
            learner.fit(subset)
            missed = {(x, y) for x, y in distinct if y not in learner.predict_list(x)}
            rest = [example for example in remaining if example in missed]
            better = len(rest) < len(left) if choose == "best" else len(rest) > len(left)
            if len(rest) <= most and (taken is None or better):
                taken, left = subset, rest
            if taken is not None and len(left) == (0 if choose == "best" else most):
                break
        if taken is None:
            raise ProofError(f"Lemma 8: no {d} examples of {remaining} cover 1/{d + 1} of them")
        subsets.append(taken)
        covered.append(Fraction(len(remaining) - len(left), len(remaining)))
        remaining = left
    _hold(len(subsets) <= bound, f"Lemma 9: the cover took {len(subsets)} > q = {bound} subsets")
    lists = _union(learner, subsets)
    _hold(max(map(len, lists)) <= k * bound, f"Lemma 9: a list has more than kq = {k * bound} labels")
    _hold(all(y in lists[x] for x, y in sample), "Lemma 9: the lists miss an example")
    return Cover(tuple(subsets), tuple(covered), bound, lists)


def _union(learner: OneInclusionLearner, subsets: Iterable[Sample]) -> tuple[tuple[Any, ...], ...]:
    """Return the concatenated lists of Algorithm 5, one for each point of the domain."""
    family = learner.family
    found: list[set[Any]] = [set() for _ in range(family.n_points)]
    for subset in subsets:
        learner.fit(subset)
        for x, labels in enumerate(found):
            labels.update(learner.predict_list(x))
    return tuple(tuple(label for label in family.labels if label in labels) for labels in found)


def _wrong_label(learner: OneInclusionLearner, full: Sequence[Any], x: int) -> Any:
    """Return f_U(x): the first label of the full list that the learner's list leaves out."""
    listed = learner.predict_list(x)
    return next(label for label in full if label not in listed)


def _vote_away(
    learner: OneInclusionLearner,
    lists: Sequence[tuple[Any, ...]],
    size: int,
    subsets: Sequence[Sample],
    counts: Sequence[int],
) -> tuple[tuple[Any, ...], ...]:
    """Strike from each list of `size` labels the one that most of the drawn subsets name as wrong."""
    votes: list[dict[Any, int]] = [dict.fromkeys(full, 0) for full in lists]
    for subset, count in zip(subsets, counts, strict=True):
        learner.fit(subset)
        for x, full in enumerate(lists):
            if len(full) == size:
                votes[x][_wrong_label(learner, full, x)] += count
    shorter: list[tuple[Any, ...]] = []
    for full, vote in zip(lists, votes, strict=True):
        struck = max(full, key=vote.__getitem__) if len(full) == size else None
        shorter.append(tuple(label for label in full if len(full) < size or label != struck))
    return tuple(shorter)


def certified_mixture(
    wrong: ArrayLike,
) -> tuple[tuple[Fraction, ...], Fraction, tuple[Fraction, ...], Fraction]:
    """Solve a zero-sum game in floating point, and certify the answer in exact arithmetic.

    Parameters
    ----------
    wrong : (M, m) array_like of int
        The loss of strategy u on example i.

    Returns
    -------
    mixture : tuple of Fraction
        A distribution Q over the M strategies.
    value : Fraction
        The largest expected loss of Q over the examples.
    hard : tuple of Fraction
        A distribution over the m examples.
    floor : Fraction
        The smallest expected loss of a strategy under it; by weak duality floor <= value of the game <=
        value, and the two are equal when the game's solution was recognised exactly.

    Examples
    --------
    >>> mixture, value, hard, floor = certified_mixture([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> str(value), str(floor)
    ('1/3', '1/3')
    """
    from scipy.optimize import linprog

    losses = np.asarray(wrong, dtype=np.int64)
    strategies, examples = losses.shape
    solved = linprog(
        np.append(np.zeros(strategies), 1.0),
        A_ub=np.column_stack([losses.T, -np.ones(examples)]),
        b_ub=np.zeros(examples),
        A_eq=[np.append(np.ones(strategies), 0.0)],
        b_eq=[1.0],
        bounds=[(0, None)] * strategies + [(None, None)],
        method="highs-ds",
    )
    if not solved.success:
        raise RuntimeError(
            f"the linear program was not solved ({solved.message}); try another version of scipy"
        )
    mixture = _simplex(solved.x[:-1])
    hard = _simplex(-solved.ineqlin.marginals)
    # integers over a common denominator: sums of fractions would spend their time on greatest divisors
    q_total, w_total = math.lcm(*(q.denominator for q in mixture)), math.lcm(*(w.denominator for w in hard))
    q_parts = np.array([int(q * q_total) for q in mixture], dtype=object)
    w_parts = np.array([int(w * w_total) for w in hard], dtype=object)
    table = losses.astype(object)
    value, floor = Fraction(max(q_parts @ table), q_total), Fraction(min(table @ w_parts), w_total)
    return mixture, value, hard, floor


def _simplex(weights: NDArray[np.float64]) -> tuple[Fraction, ...]:
    """Round to a rational distribution: to small denominators, or if these do not go together to a grid."""
    rational = [Fraction(max(float(w), 0.0)).limit_denominator(10**6) for w in weights]
    if math.lcm(*(w.denominator for w in rational)).bit_length() > 256:
        rational = [Fraction(round(max(float(w), 0.0) * 2**60), 2**60) for w in weights]
    total = sum(rational)
    return tuple(w / total for w in rational)


def _multisets(examples: Sequence[tuple[int, Any]], size: int) -> Iterator[tuple[tuple[int, Any], ...]]:
    """Yield the multisets of at most `size` examples, each at most twice: a third copy changes no graph."""
    if not examples:
        yield ()
        return
    for copies in (1, 2, 0):
        if copies <= size:
            for rest in _multisets(examples[1:], size - copies):
                yield (examples[0],) * copies + rest


def remove_one_label(
    family: FiniteClass,
    sample: Sample,
    lists: Sequence[Sequence[Any]],
    size: int,
    d: int,
    rng: np.random.Generator,
    *,
    learner: OneInclusionLearner | None = None,
    max_subsets: int = 10**6,
) -> Removal:
    """Shorten lists of at most P labels to P − 1, keeping the label of every example.

    Parameters
    ----------
    family : FiniteClass
        A class whose patterns inside the lists have (P−1)-DS dimension at most d.
    sample : sequence of (point, label)
        Realisable, at least one example.
    lists : sequence of sequences of labels
        One list a point, of at most P labels, right on the sample.
    size : int
        P, at least 2.
    d : int
        The dimension.
    rng : numpy.random.Generator
        Draws the subsets from Q.
    learner : OneInclusionLearner, optional
        A learner for this class, list size P − 1 and these lists.
    max_subsets : int
        Limit on the subsets tried for one distribution over the examples.

    Returns
    -------
    Removal
        With Q found by column generation: for the hardest distribution D so far, search a subset U whose f_U
        is right with probability at most d/(4Pd+1) under D, which Lemma 11 promises; add it; solve again. The
        subset of the heaviest examples is tried first.

    Raises
    ------
    ProofError
        If a step of the proof fails: an orientation of out-degree above d, no such U, or no draw with small
        votes.
    ValueError
        For lists that miss an example or are too long, or when `max_subsets` is exceeded.

    References
    ----------
    Brukhim, Daniely, Mansour & Moran, Lemmas 10 and 11, Theorem 8, Eqs 30 to 32.
    """
    if size < 2:
        raise ValueError(f"size is {size}; give 2 or more")
    pairs = _check_realised(family, sample)
    full = [tuple(given) for given in lists]
    if len(full) != family.n_points or max(map(len, full)) > size:
        raise ValueError(
            f"lists has {len(full)} lists of up to {max(map(len, full))} labels; "
            f"give {family.n_points} of up to {size}"
        )
    if missed := [example for example in pairs if example[1] not in full[example[0]]]:
        raise ValueError(f"lists misses the example {missed[0]!r}; every list must hold its label")
    examples = list(dict.fromkeys(pairs))
    learner = learner or OneInclusionLearner(family, size - 1, lists=full)
    budget, promised, needed = 4 * size * d, Fraction(d, 4 * size * d + 1), Fraction(1, 4 * size)

    def errors(subset: Sample) -> list[int]:
        learner.fit(subset)
        return [int(len(full[x]) == size and _wrong_label(learner, full[x], x) == y) for x, y in examples]

    hard: tuple[Fraction, ...] = (Fraction(1, len(examples)),) * len(examples)
    support: list[tuple[tuple[int, Any], ...]] = []
    table: list[list[int]] = []
    while True:
        heavy = [examples[i] for i in sorted(range(len(examples)), key=hard.__getitem__, reverse=True)]
        for tried, subset in enumerate(_multisets(heavy, budget)):
            if tried == max_subsets:
                raise _too_many(f"the step from {size} to {size - 1} labels", 3 ** len(examples), max_subsets)
            losses = errors(subset)
            if sum(w for w, loss in zip(hard, losses, strict=True) if loss) <= promised:
                break
        else:
            raise ProofError(
                f"Lemma 11: no subset of at most {budget} examples errs at most {promised} under {hard}"
            )
        _hold(subset not in support, f"Theorem 8: the game over {support} does not fall below 1/{4 * size}")
        support.append(subset)
        table.append(losses)
        mixture, value, hard, floor = certified_mixture(table)
        if value < needed:
            break
    out_degree = max((o.out_degree for o in learner._solved.values() if o is not None), default=0)
    _hold(out_degree <= d, f"Lemma 10: an orientation has out-degree {out_degree} > d = {d}")
    repetitions = ceil_log(8 * size**2, len(pairs))
    chances = np.array([float(q) for q in mixture])
    for _ in range(100):
        counts = rng.multinomial(repetitions, chances / chances.sum())
        vote = Fraction(int((counts @ np.array(table)).max()), repetitions)
        if vote < Fraction(1, 2 * size):
            break
    else:
        raise ProofError(
            f"Theorem 8: 100 times {repetitions} draws, and none with all votes below 1/{2 * size}"
        )
    drawn = [i for i, count in enumerate(counts.tolist()) if count]
    subsets = tuple(support[i] for i in drawn)
    times = tuple(int(counts[i]) for i in drawn)
    shorter = _vote_away(learner, full, size, subsets, times)
    _hold(max(map(len, shorter)) < size, f"Theorem 8: a list has {size} labels still")
    _hold(all(y in shorter[x] for x, y in pairs), "Theorem 8: the lists miss an example")
    weights = dict(zip(examples, hard, strict=True))
    return Removal(
        size, subsets, times, tuple(support), mixture, value, weights, floor, vote, out_degree, shorter
    )


class ListLearner:
    """k-list PAC learning of a class of finite k-DS dimension.

    Parameters
    ----------
    family : FiniteClass
        The class H.
    k : int
        List size.
    choose : {"best", "least"}
        How the pre-processing chooses its subsets, see `greedy_cover`.
    max_subsets : int
        Limit on the subsets of the sample tried in one step.

    Attributes
    ----------
    dimension : int
        d, the k-DS dimension of the class.
    cover : Cover
        The pre-processing.
    removals : tuple of Removal
        The rounds that had a list to shorten. Rounds j with p − j labels at least as many as the longest list
        has change nothing and use no example; they are left out.
    lists : tuple of tuples of labels
        The final list of every point, at most k labels.
    size, bound : int
        The number of examples that describe the lists, and the bound r on it: Eqs 33 and 34 with ceilings
        taken, where the round that starts from lists of P labels costs 4Pd⌈8P² ln 2m⌉, P = k + 1, ..., p. (As
        printed, the sum runs over P = k, ..., p − 1.)

    Notes
    -----
    "H with all labels converted via μ_j" is read as the patterns of H that stay inside the lists on the
    points in question: others have no converted label, and the sample's pattern is inside by invariant (a).

    References
    ----------
    Brukhim, Daniely, Mansour & Moran, Algorithm 6 and Theorem 5.

    Examples
    --------
    >>> from boosttheory.concepts import six_cycle
    >>> learner = ListLearner(six_cycle()).fit([(0, 1), (1, 2)])
    >>> learner.predict_list(0), learner.predict_list(1)
    ((1,), (2,))
    """

    def __init__(
        self, family: FiniteClass, k: int = 1, *, choose: str = "best", max_subsets: int = 10**6
    ) -> None:
        self.family, self.k, self.choose, self.max_subsets = family, k, choose, max_subsets
        self.dimension = family.ds_dimension(k)

    def fit(self, sample: Sample, rng: np.random.Generator | None = None) -> ListLearner:
        """Learn lists that are right on the whole sample.

        Parameters
        ----------
        sample : sequence of (point, label)
            Realisable, at least one example.
        rng : numpy.random.Generator, optional
            Draws subsets from Q; a fixed stream when omitted.

        Raises
        ------
        ProofError
            If a step of the proof fails.
        ValueError
            For an empty, contradictory or unrealisable sample, or when `max_subsets` is exceeded.
        """
        generator = np.random.default_rng(0) if rng is None else rng
        family, k, d, m = self.family, self.k, self.dimension, len(sample)
        self.cover = greedy_cover(family, sample, k, d, choose=self.choose, max_subsets=self.max_subsets)
        lists = self.cover.lists
        removals: list[Removal] = []
        for size in range(max(map(len, lists)), k, -1):
            step = remove_one_label(family, sample, lists, size, d, generator, max_subsets=self.max_subsets)
            removals.append(step)
            lists = step.lists
        self.removals, self.lists = tuple(removals), lists
        self.size = sum(map(len, self.cover.subsets)) + sum(
            len(subset) * count
            for step in removals
            for subset, count in zip(step.subsets, step.counts, strict=True)
        )
        p = k * self.cover.bound
        self.bound = self.cover.bound * d + sum(
            4 * size * d * ceil_log(8 * size**2, m) for size in range(k + 1, p + 1)
        )
        _hold(
            self.size <= self.bound,
            f"Theorem 5: {self.size} examples describe the lists, more than r = {self.bound}",
        )
        return self

    def predict_list(self, x: int) -> tuple[Any, ...]:
        """Return the list of a point, at most k labels."""
        (point,) = self.family._points([x])
        return self.lists[point]


def reconstruct(
    family: FiniteClass, k: int, cover: Iterable[Sample], removals: Iterable[Removal]
) -> tuple[Any, ...]:
    """Rebuild the lists of Algorithm 6 from the compressed examples alone: the function ρ of the scheme.

    Parameters
    ----------
    family : FiniteClass
        The class H.
    k : int
        List size.
    cover : iterable of samples
        `Cover.subsets`.
    removals : iterable of Removal
        Only `list_size`, `subsets` and `counts` are read.

    Returns
    -------
    tuple of tuples of labels
        The list of every point.

    References
    ----------
    Brukhim, Daniely, Mansour & Moran, Definition 8 and the proof of Theorem 5.
    """
    lists = _union(OneInclusionLearner(family, k), cover)
    for step in removals:
        learner = OneInclusionLearner(family, step.list_size - 1, lists=lists)
        lists = _vote_away(learner, lists, step.list_size, step.subsets, step.counts)
    return lists
