"""Metric spaces: axioms, small cases, shapes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boosttheory.spaces import (
    clusters,
    edit_distances,
    graph_distances,
    load_space,
    mutated_words,
    random_graph,
    random_tree,
    tree_distances,
)


def rng(seed=0):
    return np.random.default_rng(seed)


def assert_metric(D, slack=1e-12):
    assert np.array_equal(D, D.T)
    assert not np.diag(D).any()
    assert (D[:, None, :] <= D[:, :, None] + D[None, :, :] + slack).all()


def test_clusters_are_even_and_tight():
    X, y = clusters(101, 5, rng(), n_features=3, spread=0.01)
    assert X.shape == (101, 3)
    assert sorted(np.bincount(y)) == [20, 20, 20, 20, 21]
    assert max(X[y == c].std(axis=0).max() for c in range(5)) < 0.02
    with pytest.raises(ValueError, match="n_clusters is 0"):
        clusters(5, 0, rng())


def test_tree_distances_are_path_lengths():
    networkx = pytest.importorskip("networkx")
    parents, lengths = random_tree(25, rng())
    D = tree_distances(parents, lengths)
    assert_metric(D)
    tree = networkx.Graph()
    tree.add_weighted_edges_from(
        (int(p), v, length) for v, (p, length) in enumerate(zip(parents, lengths, strict=True)) if v
    )
    for start, found in networkx.all_pairs_dijkstra_path_length(tree):
        assert np.allclose(D[start], [found[v] for v in range(25)])
    # Four points of a tree: the two largest of the three sums of opposite distances are equal.
    for a, b, c, d in rng().integers(25, size=(200, 4)):
        sums = sorted((D[a, b] + D[c, d], D[a, c] + D[b, d], D[a, d] + D[b, c]))
        assert sums[2] - sums[1] < 1e-12


@pytest.mark.parametrize(
    ("parents", "lengths", "message"),
    [
        ([-1, 2, 0], [0, 1, 1], r"parents\[1\] is 2"),
        ([-1, -1], [0, 1], r"parents\[1\] is -1"),
        ([-1, 0], [0, -1], "lengths holds -1"),
    ],
)
def test_bad_trees(parents, lengths, message):
    with pytest.raises(ValueError, match=message):
        tree_distances(parents, lengths)


def test_graph_distances():
    D = graph_distances(random_graph(60, rng(), n_neighbours=2))
    assert_metric(D)
    assert np.isfinite(D).all()
    with pytest.raises(ValueError, match="edges leaves node 0 unconnected to node 2"):
        graph_distances([[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    with pytest.raises(ValueError, match="edges holds -1"):
        graph_distances([[0, -1], [-1, 0]])


def plain_edit_distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, row = row, [i]
        for j, y in enumerate(b, 1):
            row.append(min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (x != y)))
    return row[-1]


@given(
    st.lists(st.text("abü", max_size=6), min_size=1, max_size=5),
    st.lists(st.text("abü", max_size=6), max_size=5),
)
@settings(derandomize=True, deadline=None)
def test_edit_distances(words, others):
    assert edit_distances(words).tolist() == [[plain_edit_distance(a, b) for b in words] for a in words]
    wanted = np.reshape([plain_edit_distance(a, b) for a in words for b in others], (len(words), len(others)))
    assert np.array_equal(edit_distances(words, others), wanted)


def test_mutated_words_lie_near_their_family():
    words, y = mutated_words(40, 4, rng())
    D = edit_distances(words)
    assert_metric(D)
    together = y[:, None] == y
    assert D[together].mean() < 0.6 * D[~together].mean()


def test_bundled_data_sets():
    for name, shape, classes in (("iris", (150, 4), 3), ("moons", (500, 2), 2), ("digits", (1797, 64), 10)):
        X, y = load_space(name, rng())
        assert (X.shape, len(np.unique(y)), X.dtype) == (shape, classes, np.float64)
    assert np.array_equal(load_space("moons", rng(3))[0], load_space("moons", rng(3))[0])
    assert not np.array_equal(load_space("moons", rng(3))[0], load_space("moons", rng(4))[0])
    with pytest.raises(ValueError, match="rng is None"):
        load_space("moons")
    with pytest.raises(ValueError, match="name is 'wine'"):
        load_space("wine")
