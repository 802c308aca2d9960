"""Weak learners: the oracle protocol, restriction to lists, finite classes, draws of examples, bad input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from boosttheory.weak_learners import (
    Answer,
    SampledOracle,
    best_in_lists,
    finite_learner,
    predicted_labels,
    required_accuracy,
    restricted_learner,
    stump_learner,
)


def test_required_accuracy():
    assert required_accuracy(0.1, None) == 0.1
    assert required_accuracy(0.1, np.zeros((5, 4), int)) == pytest.approx(0.35)


@settings(derandomize=True, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(2, 6))
def test_best_in_lists_is_the_maximum_over_the_list(seed, k, n_labels):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 4, size=(8, n_labels)).astype(float)
    k = min(k, n_labels)
    lists = rng.permuted(np.tile(np.arange(n_labels), (8, 1)), axis=1)[:, :k]
    lists = np.where(np.arange(k) < rng.integers(0, k + 1, size=8)[:, None], lists, -1)
    for label, row, own in zip(best_in_lists(scores, lists), lists, scores, strict=True):
        members = [y for y in row if y >= 0]
        expected = max(members, key=lambda y: own[y]) if members else own.argmax()
        assert label == expected


def test_a_tree_without_checks_is_the_tree():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((200, 3)), rng.integers(0, 4, 200)
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    lists = rng.permuted(np.tile(np.arange(5), (200, 1)), axis=1)[:, :3]
    probabilities = np.zeros((200, 5))
    probabilities[:, :4] = tree.fit(X, y).predict_proba(X)
    h = restricted_learner(DecisionTreeClassifier(max_depth=2), 5)(X, y, None)
    assert (h(X, lists) == best_in_lists(probabilities, lists)).all()
    assert (stump_learner(5, depth=2)(X, y, None)(X, None) == tree.predict(X)).all()


@pytest.mark.parametrize("estimator", [LogisticRegression(), LinearSVC()])
def test_any_classifier_stays_inside_the_lists(estimator):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((60, 2))
    y = (X[:, 0] > 0).astype(int) + 2 * (X[:, 1] > 0)
    h = restricted_learner(estimator, 4)(X, y, None)
    assert (h(X, None) == y).mean() > 0.8
    lists = np.stack([y, (y + 1) % 4], axis=1)
    assert (h(X, lists)[:, None] == lists).any(axis=1).all()


def test_a_sample_of_one_label_gives_a_constant():
    h = restricted_learner(LogisticRegression(), 3)(np.zeros((4, 1)), np.full(4, 2), None)
    assert h(np.zeros((2, 1)), None).tolist() == [2, 2]
    assert h(np.zeros((2, 1)), np.array([[0, 1], [1, 2]])).tolist() == [0, 2]


@settings(derandomize=True, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_a_finite_class_is_minimised_exactly(seed):
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 3, size=(6, 5))
    points, y = rng.integers(0, 5, 9), rng.integers(0, 3, 9)
    h = finite_learner(table)(points, y, None)
    right = (table[:, points] == y).sum(axis=1)
    assert (h(np.arange(5), None) == table[right.argmax()]).all()


def oracle(gamma=0.2, m0=20, attempts=10, seed=0):
    y = np.arange(30) % 3
    X = np.column_stack([y, np.arange(30)]).astype(float)
    return SampledOracle(stump_learner(3), X, y, 3, gamma, m0, np.random.default_rng(seed), attempts=attempts)


def test_draws_follow_the_distribution_and_are_recorded():
    weak, weights = oracle(), np.zeros(30)
    weights[[3, 4, 5]] = 1 / 3
    answer = weak(weights, None)
    assert isinstance(answer, Answer)
    assert set(weak.draws[0]) <= {3, 4, 5}
    assert len(weak.draws[0]) == 20
    assert weights @ (answer.predicted == weak.y) >= 0.2
    again = weak.learner(weak.X[weak.draws[0]], weak.y[weak.draws[0]], None)
    assert (again(weak.X, None) == answer.predicted).all()


def test_draws_are_repeated_until_the_accuracy_holds():
    weak = oracle(gamma=0.5, m0=1, attempts=50)
    weights = np.full(30, 1 / 30)
    lists = np.tile(np.arange(3), (30, 1))
    weak(weights, lists)
    assert weak.n_draws == 50
    assert len(weak.draws) == 1
    easy = oracle(gamma=0.01, m0=20)
    easy(weights, lists)
    assert easy.n_draws == 1


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (np.zeros(3, int), r"call 7 predicts an array of shape \(3,\)"),
        (np.full(4, np.nan), "call 7 predicts NaN"),
        (np.zeros(4), "type float64"),
        (np.array(["a"] * 4), "integer codes"),
        (np.array([0, 1, 5, 0]), "the label 5, outside the codes 0 to 2"),
        (np.array([0, -1, 1, 0]), "the label -1, outside"),
        (lambda X, lists: np.zeros((4, 1), int), r"shape \(4, 1\)"),
    ],
)
def test_wrong_answers_are_refused_with_their_call(answer, words):
    with pytest.raises(ValueError, match=words):
        predicted_labels(answer, None, None, 4, 3, 7)


@pytest.mark.parametrize("table", [[[0.5]], [], [[-1]], [0, 1]])
def test_a_table_of_a_class_is_checked(table):
    with pytest.raises(ValueError, match="table has shape"):
        finite_learner(table)


@pytest.mark.parametrize("options", [{"m0": 0}, {"attempts": 0}])
def test_a_draw_has_examples(options):
    with pytest.raises(ValueError, match="at least"):
        oracle(**options)
