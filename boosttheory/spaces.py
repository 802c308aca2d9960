"""Metric spaces to sample triplets from: synthetic ones, and data sets bundled with scikit-learn."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boosttheory.triplet_files import read_arrays
from boosttheory.triplets import refuse_beyond_memory

__all__ = [
    "clusters",
    "digest",
    "edit_distances",
    "graph_distances",
    "load_space",
    "mutated_words",
    "random_graph",
    "random_tree",
    "read_points",
    "refuse_other_content",
    "tree_distances",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_LONGEST = 64  # characters of a label
_UNPACKED, _SPARE = 100, 1 << 24  # how many times its size a sparse file may take, and bytes besides


def clusters(
    n_objects: int,
    n_clusters: int,
    rng: np.random.Generator,
    *,
    n_features: int = 2,
    spread: float = 0.5,
) -> tuple[Floats, Ints]:
    """Draw Gaussian clusters around standard normal centres.

    Parameters
    ----------
    n_objects, n_clusters, n_features : int
        Sizes; the clusters differ by one object at most.
    rng : numpy.random.Generator
        Source of randomness.
    spread : float
        Standard deviation within a cluster.

    Returns
    -------
    X : ndarray of shape (n_objects, n_features)
        Points.
    y : ndarray of shape (n_objects,), int64
        Clusters, from 0.
    """
    if n_clusters < 1:
        raise ValueError(f"n_clusters is {n_clusters}; give at least 1")
    y = rng.permutation(np.arange(n_objects) % n_clusters)
    centres = rng.normal(size=(n_clusters, n_features))
    return centres[y] + spread * rng.normal(size=(n_objects, n_features)), y


def random_tree(n_nodes: int, rng: np.random.Generator) -> tuple[Ints, Floats]:
    """Draw a recursive tree: each node hangs on a uniformly drawn earlier one, edges are exponential.

    Parameters
    ----------
    n_nodes : int
        Number of nodes; node 0 is the root.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    parents : ndarray of shape (n_nodes,), int64
        ``parents[v] < v``; −1 for the root.
    lengths : ndarray of shape (n_nodes,)
        Length of the edge to the parent; 0 for the root.
    """
    parents = np.full(n_nodes, -1, np.int64)
    lengths = np.zeros(n_nodes)
    if n_nodes > 1:
        parents[1:] = rng.integers(np.arange(1, n_nodes))
        lengths[1:] = rng.exponential(size=n_nodes - 1)
    return parents, lengths


def tree_distances(parents: ArrayLike, lengths: ArrayLike) -> Floats:
    """Compute the lengths of the paths between all nodes of a tree.

    Parameters
    ----------
    parents : array_like of shape (n,)
        ``parents[v] < v`` for every node but the root, node 0.
    lengths : array_like of shape (n,)
        Length of the edge from each node to its parent.

    Returns
    -------
    ndarray of shape (n, n)
        Symmetric, 0 on the diagonal.

    Raises
    ------
    ValueError
        If a node comes before its parent, or a length is negative.

    Examples
    --------
    >>> tree_distances([-1, 0, 0], [0.0, 1.0, 2.5])
    array([[0. , 1. , 2.5],
           [1. , 0. , 3.5],
           [2.5, 3.5, 0. ]])
    """
    above, edges = np.asarray(parents, dtype=np.int64), np.asarray(lengths, dtype=np.float64)
    n = len(above)
    late = (above[1:] < 0) | (above[1:] >= np.arange(1, n))
    if late.any():
        node = int(np.argmax(late)) + 1
        raise ValueError(f"parents[{node}] is {above[node]}; number the nodes so that parents come first")
    if (edges < 0).any():
        raise ValueError(f"lengths holds {edges.min()}; lengths start at 0")
    distances = np.zeros((n, n))
    for node in range(1, n):
        # The path from a later node to an earlier one passes through the parent of the later one.
        row = distances[above[node], :node] + edges[node]
        distances[node, :node] = distances[:node, node] = row
    return distances


def random_graph(n_nodes: int, rng: np.random.Generator, *, n_neighbours: int = 5) -> Floats:
    """Draw points in the unit square and join each to its nearest ones.

    Parameters
    ----------
    n_nodes, n_neighbours : int
        Number of nodes, and of the neighbours that each is joined to. A path through the nodes in random
        order keeps the graph in one piece.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    ndarray of shape (n_nodes, n_nodes)
        Lengths of the edges, symmetric; 0 where there is no edge.
    """
    points = rng.random((n_nodes, 2))
    distances = np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1))
    joined = np.zeros((n_nodes, n_nodes), bool)
    near = np.argsort(distances, axis=1)[:, 1 : n_neighbours + 1]
    joined[np.arange(n_nodes)[:, None], near] = True
    path = rng.permutation(n_nodes)
    joined[path[1:], path[:-1]] = True
    return np.where(joined | joined.T, distances, 0.0)


def graph_distances(edges: ArrayLike) -> Floats:
    """Compute the lengths of the shortest paths between all nodes of an undirected graph.

    Parameters
    ----------
    edges : array_like of shape (n, n)
        Lengths of the edges; 0 where there is none.

    Returns
    -------
    ndarray of shape (n, n)

    Raises
    ------
    ValueError
        If a length is negative, or some node cannot be reached.

    Examples
    --------
    >>> graph_distances([[0, 1, 5], [1, 0, 2], [5, 2, 0]])
    array([[0., 1., 3.],
           [1., 0., 2.],
           [3., 2., 0.]])
    """
    from scipy.sparse.csgraph import shortest_path

    lengths = np.asarray(edges, dtype=np.float64)
    if (lengths < 0).any():
        raise ValueError(f"edges holds {lengths.min()}; lengths start at 0")
    distances = np.asarray(shortest_path(lengths, directed=False), dtype=np.float64)
    if np.isinf(distances).any():
        i, j = np.argwhere(np.isinf(distances))[0]
        raise ValueError(f"edges leaves node {i} unconnected to node {j}; add an edge")
    # A path and its reverse are summed in different orders.
    return np.minimum(distances, distances.T)


def mutated_words(
    n_words: int, n_families: int, rng: np.random.Generator, *, length: int = 12, rate: float = 0.2
) -> tuple[list[str], Ints]:
    """Draw families of words: copies of one ancestor each, with letters replaced, dropped or doubled.

    Parameters
    ----------
    n_words, n_families, length : int
        Number of words and families, and length of an ancestor.
    rng : numpy.random.Generator
        Source of randomness.
    rate : float
        Probability that a letter changes.

    Returns
    -------
    words : list of str
    y : ndarray of shape (n_words,), int64
        Families, from 0.
    """
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    ancestors = rng.choice(letters, size=(n_families, length))
    y = rng.permutation(np.arange(n_words) % n_families)
    words = ancestors[y]
    change = rng.random(words.shape)
    words = np.where(change < rate / 3, rng.choice(letters, size=words.shape), words)
    repeats = np.where(
        change < rate / 3, 1, np.where(change < 2 * rate / 3, 0, np.where(change < rate, 2, 1))
    )
    return ["".join(np.repeat(word, count)) for word, count in zip(words, repeats, strict=True)], y


def edit_distances(words: Sequence[str], others: Sequence[str] | None = None) -> Floats:
    """Compute the edit (Levenshtein) distances of words.

    Parameters
    ----------
    words : sequence of str
        Rows.
    others : sequence of str, optional
        Columns; by default the same words.

    Returns
    -------
    ndarray of shape (len(words), len(others))
        Fewest insertions, deletions and replacements of a letter that turn one word into the other.

    Examples
    --------
    >>> edit_distances(["kitten", "sitting", ""])
    array([[0., 3., 6.],
           [3., 0., 7.],
           [6., 7., 0.]])
    """
    columns = list(words if others is None else others)
    widest = max(map(len, columns), default=0)
    letters = np.zeros((len(columns), widest), np.int64)
    for column, word in enumerate(columns):
        letters[column, : len(word)] = [ord(letter) for letter in word]
    ends = np.array([len(word) for word in columns], dtype=np.int64)
    steps = np.arange(widest + 1)
    distances = np.empty((len(words), len(columns)))
    for position, word in enumerate(words):
        row = np.repeat(steps[None], len(columns), axis=0)
        for letter in word:
            # Deletions and replacements first; insertions then run along the row, as a minimum over prefixes.
            below = row + 1
            below[:, 1:] = np.minimum(below[:, 1:], row[:, :-1] + (letters != ord(letter)))
            row = np.minimum.accumulate(below - steps, axis=1) + steps
        distances[position] = row[np.arange(len(columns)), ends]
    return distances


def load_space(
    name: Literal["iris", "moons", "digits"], rng: np.random.Generator | None = None
) -> tuple[Floats, Ints]:
    """Load a data set that needs no network.

    Parameters
    ----------
    name : {"iris", "moons", "digits"}
        Iris: 150 × 4, three classes. Moons: 500 × 2 with noise 0.1, two classes, drawn anew. Digits: 1797 ×
        64, ten classes.
    rng : numpy.random.Generator, optional
        Source of randomness; Moons needs it.

    Returns
    -------
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,), int64

    Raises
    ------
    ValueError
        If there is no such data set, or Moons is asked for without a generator.

    References
    ----------
    Perrot & von Luxburg, Section 4, for Iris and the size of Moons.
    """
    from sklearn import datasets

    if name == "moons":
        if rng is None:
            raise ValueError("rng is None, but moons are drawn at random; give a numpy.random.Generator")
        seed = int(rng.integers(2**32))
        X, y = datasets.make_moons(500, noise=0.1, random_state=seed)
    elif name in ("iris", "digits"):
        X, y = (datasets.load_iris if name == "iris" else datasets.load_digits)(return_X_y=True)
    else:
        raise ValueError(f"name is {name!r}; it is one of 'iris', 'moons', 'digits'")
    return np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.int64)


def digest(path: str) -> str:
    """Hash the content of a file, or of the files in a folder, to tell whether data is the same.

    Parameters
    ----------
    path : str
        The file or folder.

    Returns
    -------
    str
        Twelve hexadecimal digits.
    """
    place, found = Path(path), hashlib.sha256()
    for file in sorted(place.iterdir()) if place.is_dir() else [place]:
        if file.is_file():
            with file.open("rb") as content:
                found.update(hashlib.file_digest(content, "sha256").digest())
    return found.hexdigest()[:12]


def refuse_other_content(path: str, content: str) -> None:
    """Refuse data other than what a run was started with, as another machine may have it.

    Raises
    ------
    ValueError
        If ``content`` is not empty, nor the `digest` of the path.
    """
    if content and (found := digest(path)) != content:
        raise ValueError(
            f"{path} holds {found}, where the run was started with {content}; put the same data there"
        )


@cache
def read_points(path: str, content: str = "") -> tuple[Floats, NDArray[np.str_]]:
    """Read a data set of points with labels from a file.

    Parameters
    ----------
    path : str
        ``.npz`` with the arrays X and y; anything else is LIBSVM's format, one line
        ``label index:value index:value ...`` an object, indices from 1 and rising, ``#`` before a comment.
    content : str
        Its `digest`, if it has to be that one.

    Returns
    -------
    X : ndarray of shape (n, d)
        A feature that a line leaves out is 0.
    y : ndarray of shape (n,)
        Labels as text.

    Raises
    ------
    ValueError
        If a line is broken (the message names it), an array is missing, sizes differ or it is another file.
    OSError
        If there is no such file.
    """
    refuse_other_content(path, content)
    if path.endswith(".npz"):
        arrays = dict(read_arrays(path))
        if missing := {"X", "y"}.difference(arrays):
            raise ValueError(f"{path} lacks {' and '.join(sorted(missing))}; save the arrays X and y")
        X, y = arrays["X"], arrays["y"]
        if X.dtype.kind not in "biuf":
            raise ValueError(f"{path}: X holds {X.dtype}; give numbers")
        if y.ndim != 1 or X.ndim < 1 or len(X) != len(y) or not X.size:
            raise ValueError(f"{path}: X has shape {X.shape}, y {y.shape}; give one label an object")
        return np.asarray(X.reshape(len(X), -1), dtype=np.float64), y.astype(np.str_)
    labels: list[str] = []
    rows, columns, values = array("q"), array("q"), array("d")
    with Path(path).open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            words = line.partition("#")[0].split()
            if not words:
                continue
            try:
                float(words[0])
                if len(words[0]) > _LONGEST:
                    raise ValueError
                pairs = [word.split(":") for word in words[1:]]
                indices = [int(index) for index, _ in pairs]
                features = [float(value) for _, value in pairs]
                if any(a >= b for a, b in zip([0, *indices], indices, strict=False)):
                    raise ValueError
                if not np.isfinite(features).all():
                    raise ValueError
                columns.extend(indices)
            except (ValueError, OverflowError):
                raise ValueError(
                    f"{path}, line {number}: {line.strip()[:60]!r} is not 'label index:value ...' with "
                    "finite values and rising indices from 1; mend or drop the line"
                ) from None
            rows.extend([len(labels)] * len(indices))
            values.extend(features)
            labels.append(words[0])
    if not labels:
        raise ValueError(f"{path} holds no line of data; give one line an object")
    width = max(columns, default=0)
    size = Path(path).stat().st_size
    if 8 * len(labels) * width > _UNPACKED * size + _SPARE:
        raise ValueError(
            f"{path} has {width} features and names few of them; with all of them it would be more than "
            f"{_UNPACKED} times as large, drop the last"
        )
    refuse_beyond_memory(8 * len(labels) * width, f"{path} with {width} features", "drop the last features")
    X = np.zeros((len(labels), width))
    X[rows, np.array(columns, dtype=np.intp) - 1] = values
    return X, np.array(labels)
