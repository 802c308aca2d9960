"""The methods that TripletBoost is compared with."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boosttheory.baselines import (
    adaboost,
    grow,
    kernel_svm,
    metric_answers,
    nearest_neighbour,
    triplet_kernel,
    tste,
)
from boosttheory.triplets import TripletSet

TREE = settings(derandomize=True, deadline=None, max_examples=40)


@TREE
@given(st.integers(1, 60), st.integers(0, 10**6))
def test_a_tree_holds_every_object_once_and_finds_it(n, seed):
    rng = np.random.default_rng(seed)
    closer = metric_answers(rng.normal(size=(n, 2)), "euclidean", 0.0, rng)
    tree = grow(closer, n, rng)
    assert tree.pivots.shape == tree.children.shape == (n - 1, 2)
    leaves = ~tree.children[tree.children < 0]
    assert sorted(leaves.tolist()) == (list(range(n)) if n > 1 else [])
    assert tree.find(closer, n).tolist() == list(range(n))
    assert tree.n_questions <= n * (n - 1) / 2


def test_a_tree_of_three_points_by_hand():
    class Pivots:
        def choice(self, members, size, replace):
            return np.sort(members)[:2]

    points = [[0.0], [10.0], [11.0]]
    closer = metric_answers(points, "euclidean", 0.0, np.random.default_rng(0))
    tree = grow(closer, 3, Pivots())
    assert tree.pivots.tolist() == [[0, 1], [1, 2]]
    assert tree.children.tolist() == [[~0, 1], [~1, ~2]]
    assert tree.n_questions == 1
    new = metric_answers(points, "euclidean", 0.0, np.random.default_rng(0), queries=[[4.0], [10.4], [99.0]])
    assert tree.find(new, 3).tolist() == [0, 1, 2]


def test_noise_flips_answers_and_ties_are_split():
    rng = np.random.default_rng(0)
    points = np.array([[0.0], [1.0]])
    near = np.zeros((4000, 1))
    flipped = metric_answers(points, "euclidean", 0.1, rng, queries=near)(np.arange(4000), 0, 1)
    assert abs(flipped.mean() - 0.9) < 0.03
    tied = metric_answers(points, "euclidean", 0.0, rng, queries=near + 0.5)(np.arange(4000), 0, 1)
    assert abs(tied.mean() - 0.5) < 0.04


def test_an_empty_tree():
    with pytest.raises(ValueError, match="n_objects=0"):
        grow(lambda heads, j, k: heads > 0, 0, np.random.default_rng(0))


@TREE
@given(st.integers(3, 12), st.floats(0.0, 1.0), st.integers(0, 10**6))
def test_the_kernel_counts_agreements(n, proportion, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n + 2, 2))
    seen = TripletSet.from_metric(X[:n], proportion=proportion, rng=rng)
    unseen = TripletSet.from_metric(X[:n], proportion=proportion, rng=rng, queries=X[n:])

    def answers(triplets):
        table = np.zeros((triplets.n_objects, n, n))
        for i, j, k in triplets.to_array().tolist():
            table[i, j, k], table[i, k, j] = 1, -1
        table = table.reshape(triplets.n_objects, -1)
        length = np.linalg.norm(table, axis=1, keepdims=True)
        return table / np.where(length == 0, 1, length)

    assert np.allclose(triplet_kernel(seen), answers(seen) @ answers(seen).T)
    assert np.allclose(triplet_kernel(unseen, seen), answers(unseen) @ answers(seen).T)


def test_a_kernel_of_different_references():
    rng = np.random.default_rng(0)
    sets = [TripletSet.from_metric(rng.normal(size=(n, 2)), rng=rng) for n in (5, 6)]
    with pytest.raises(ValueError, match="5 references, others 6"):
        triplet_kernel(*sets)


@pytest.fixture(scope="module")
def blobs():
    rng = np.random.default_rng(2)
    y = np.arange(60) % 3
    X = 6 * np.array([[0, 0], [1, 0], [0, 1]])[y] + rng.normal(size=(60, 2))
    seen = TripletSet.from_metric(X[:40], proportion=0.2, rng=rng)
    unseen = TripletSet.from_metric(X[:40], proportion=0.2, rng=rng, queries=X[40:])
    return X, y, seen, unseen


def test_all_methods_tell_three_blobs_apart(blobs):
    X, y, seen, unseen = blobs
    rng = np.random.default_rng(0)
    tree = grow(metric_answers(X[:40], "euclidean", 0.0, rng), 40, rng)
    leaves = tree.find(metric_answers(X[:40], "euclidean", 0.0, rng, queries=X[40:]), 20)
    predictions = [
        y[leaves],
        kernel_svm(seen, y[:40], unseen),
        nearest_neighbour(X[:40], y[:40], X[40:]),
        adaboost(X[:40], y[:40], X[40:], rounds=20, seed=0),
    ]
    for predicted in predictions:
        assert (predicted == y[40:]).mean() >= 0.9


def test_labels_of_one_object_are_not_cross_validated(blobs):
    _, y, seen, unseen = blobs
    labels = y[:40].copy()
    labels[0] = 7
    assert set(kernel_svm(seen, labels, unseen).tolist()) <= {0, 1, 2, 7}


def test_an_embedding(blobs):
    pytest.importorskip("cblearn.embedding")
    _, y, seen, unseen = blobs
    assert (tste(seen, y[:40], unseen) == y[40:]).mean() >= 0.9
