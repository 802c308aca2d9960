"""Folds by object, outcomes and their limits, baselines, bootstrap over groups, flip rate."""

import importlib.util

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boosttheory import LazyTriplets, TripletBoostClassifier, TripletSet
from boosttheory.confidence import clopper_pearson
from boosttheory.model_selection import (
    TripletKFold,
    bootstrap_groups,
    cross_validate_triplets,
    flip_rate,
    majority_baseline,
    tste_baseline,
)


@pytest.fixture(scope="module")
def clusters():
    rng = np.random.default_rng(0)
    y = np.array(["a", "b", "c"])[np.arange(45) % 3]
    X = 5.0 * np.eye(3)[np.arange(45) % 3] + rng.standard_normal((45, 3))
    return TripletSet.from_metric(X, proportion=0.3, rng=rng), y


@settings(derandomize=True, deadline=None)
@given(
    st.lists(st.integers(0, 4), min_size=2, max_size=40), st.integers(2, 8), st.booleans(), st.integers(0, 99)
)
def test_folds_partition_objects_and_share_classes(labels, n_splits, shuffle, seed):
    n = len(labels)
    folds = TripletKFold(n_splits, shuffle=shuffle, random_state=seed if shuffle else None)
    if n < n_splits:
        with pytest.raises(ValueError, match=f"exceeds the {n} objects"):
            list(folds.split(None, labels))
        return
    found = list(folds.split(None, labels))
    assert len(found) == folds.get_n_splits() == n_splits
    tests = np.concatenate([test for _, test in found])
    assert sorted(tests.tolist()) == list(range(n))
    for train, test in found:
        assert sorted([*train, *test]) == list(range(n))
        assert n // n_splits <= len(test) <= -(-n // n_splits)
        for label in set(labels):
            share = sum(labels[i] == label for i in test)
            assert abs(share - labels.count(label) / n_splits) < 1


def test_folds_follow_the_random_state(clusters):
    triplets, y = clusters

    def tests(shuffle, state):
        return [
            t.tolist() for _, t in TripletKFold(3, shuffle=shuffle, random_state=state).split(triplets, y)
        ]

    assert tests(True, 1) == tests(True, 1) != tests(True, 2)
    assert tests(False, 1) == tests(False, 2)
    with pytest.raises(ValueError, match="n_splits=1"):
        TripletKFold(1)
    with pytest.raises(ValueError, match=r"n_splits=2\.5"):
        TripletKFold(2.5)
    with pytest.raises(ValueError, match="y has 44 labels for 45 objects"):
        list(TripletKFold(3).split(triplets, y[:-1]))


def test_folds_of_label_sets():
    rows = np.array([[1, 0], [1, 0], [1, 1], [1, 1], [0, 1], [0, 1]])
    for _, test in TripletKFold(2).split(None, rows):
        assert np.unique(rows[test], axis=0).tolist() == [[0, 1], [1, 0], [1, 1]]


class Recorder(TripletBoostClassifier):
    """Keeps what it was shown."""

    seen: list = []  # noqa: RUF012

    def fit(self, triplets, y):
        Recorder.seen.append((triplets, y))
        return super().fit(triplets, y)

    def predict(self, triplets):
        Recorder.seen.append((triplets, None))
        return super().predict(triplets)


def test_references_stay_inside_the_training_fold(clusters):
    triplets, y = clusters
    folds = list(TripletKFold(5, shuffle=True, random_state=0).split(triplets, y))
    Recorder.seen = []
    cross_validate_triplets(Recorder(20, random_state=0), triplets, y, cv=folds)
    everything = {tuple(row) for row in triplets.to_array().tolist()}
    for (train, test), (seen, labels), (unseen, _) in zip(
        folds, Recorder.seen[::2], Recorder.seen[1::2], strict=True
    ):
        assert (labels == y[train]).all()
        inside = {tuple(train[row].tolist()) for row in seen.to_array()}
        assert inside == {row for row in everything if set(row) <= set(train.tolist())}
        outside = {(test[i], train[j], train[k]) for i, j, k in unseen.to_array().tolist()}
        references = set(train.tolist())
        assert outside == {
            row for row in everything if row[0] not in references and set(row[1:]) <= references
        }


def test_cross_validation(clusters):
    triplets, y = clusters
    heard = []
    found = cross_validate_triplets(
        TripletBoostClassifier(300, random_state=0),
        triplets,
        y,
        cv=3,
        callback=lambda *step: heard.append(step),
    )
    assert heard == [(1, 3), (2, 3), (3, 3)]
    assert found.method == "TripletBoost"
    assert found.accuracy == (found.predicted == y).mean() > 0.9
    low, high = clopper_pearson(int(found.correct.sum()), 45, 0.05)
    assert found.interval() == (low, high)
    assert low < found.accuracy <= high
    assert found.interval(0.5)[0] > low
    assert found.summary()["right"] == found.correct.sum()
    again = cross_validate_triplets(
        TripletBoostClassifier(300, random_state=0), triplets, y, cv=list(TripletKFold(3).split(triplets, y))
    )
    assert (again.predicted == found.predicted).all()
    with pytest.raises(ValueError, match="exactly once"):
        cross_validate_triplets(
            TripletBoostClassifier(5), triplets, y, cv=[(np.arange(30), np.arange(30, 40))]
        )


def test_lazy_triplets_are_cross_validated():
    X = np.repeat([[0.0], [9.0]], 10, axis=0) + np.random.default_rng(0).standard_normal((20, 1))
    lazy = LazyTriplets.from_metric(X, proportion=0.5, seed=0)
    y = np.repeat([0, 1], 10)
    a, b = (
        cross_validate_triplets(TripletBoostClassifier(50, random_state=0), t, y, cv=4)
        for t in (lazy, lazy.materialise())
    )
    assert (a.predicted == b.predicted).all()


def test_a_class_missing_from_a_fold_counts_as_missed(clusters):
    triplets, y = clusters
    rare = np.where(np.arange(45) == 7, "rare", y)
    found = cross_validate_triplets(TripletBoostClassifier(100, random_state=0), triplets, rare, cv=3)
    assert not found.correct[7]
    assert found.correct.sum() > 30


def test_label_sets_are_right_as_a_whole(clusters):
    triplets, y = clusters
    rows = np.stack([y == "a", y != "a"], axis=1).astype(int)
    found = cross_validate_triplets(TripletBoostClassifier(300, random_state=0), triplets, rows, cv=3)
    assert found.predicted.shape == (45, 2)
    assert (found.correct == (found.predicted == rows).all(axis=1)).all()
    assert found.accuracy > 0.9
    assert majority_baseline(rows, list(TripletKFold(3).split(triplets, rows))).accuracy == pytest.approx(
        2 / 3
    )


def test_majority_baseline():
    y = np.array(["x"] * 5 + ["y"] * 4)
    found = majority_baseline(y, list(TripletKFold(3).split(None, y)))
    assert found.predicted.tolist() == ["x"] * 9
    assert found.accuracy == pytest.approx(5 / 9)


@pytest.mark.skipif(
    not all(map(importlib.util.find_spec, ("cblearn", "sparse", "numba"))), reason="cblearn is not installed"
)
def test_embedding_baseline(clusters):
    triplets, y = clusters
    found = tste_baseline(triplets, y, list(TripletKFold(3).split(triplets, y)))
    assert found.accuracy > 0.8
    assert not found.abstained.any()


def test_bootstrap_draws_whole_groups():
    groups = np.array(["p", "q", "q", "r", "r", "r"])
    drawn = []

    def estimate(rows):
        drawn.append(rows)
        return float(len(rows))

    values = bootstrap_groups(estimate, groups, np.random.default_rng(0), replicates=40)
    assert values.tolist() == [len(rows) for rows in drawn]
    for rows in drawn:
        times = np.bincount(rows, minlength=6)
        assert times[1] == times[2]
        assert times[3] == times[4] == times[5]
        assert times[0] + times[1] + times[3] == 3
    assert len(set(values.tolist())) > 3
    with pytest.raises(ValueError, match="groups holds 1 group"):
        bootstrap_groups(estimate, ["p", "p"], np.random.default_rng(0))
    with pytest.raises(ValueError, match="replicates=1"):
        bootstrap_groups(estimate, groups, np.random.default_rng(0), replicates=1)


def test_bootstrap_standard_error_of_a_mean():
    rng = np.random.default_rng(0)
    values = np.repeat(rng.standard_normal(200), 3)
    found = bootstrap_groups(
        lambda rows: float(values[rows].mean()), np.arange(600) // 3, rng, replicates=400
    )
    assert found.std(ddof=1) == pytest.approx(values[::3].std() / np.sqrt(200), rel=0.2)


def test_flip_rate_by_hand():
    assert flip_rate([(0, 1, 2), (1, 0, 2)]) is None
    assert flip_rate([(0, 1, 2), (0, 1, 2)]).rate == 0
    # one question, answers 3 to 1: half of the six pairs disagree, 2q(1 − q) = 1/2
    found = flip_rate([(0, 1, 2), (0, 1, 2), (0, 2, 1), (0, 1, 2)])
    assert found.rate == 0.5
    assert (found.questions, found.answers) == (1, 4)
    # two questions, one pair each, one disagrees: D = 1/2; a question asked once says nothing
    found = flip_rate([(0, 1, 2), (0, 2, 1), (5, 1, 2), (5, 1, 2), (6, 1, 2)])
    assert found.rate == 0.5
    assert (found.questions, found.answers) == (2, 4)
    assert found.low < found.rate <= found.high == 0.5


@pytest.mark.parametrize("q", [0.0, 0.05, 0.2, 0.4])
def test_flip_rate_recovers_the_noise(q):
    rng = np.random.default_rng(1)
    rows = np.array([(i, j, k) for i in range(20) for j in range(20, 30) for k in range(j + 1, 30)])
    rows = np.concatenate([rows, rows, rows[::2]])
    flipped = rng.random(len(rows)) < q
    rows[flipped] = rows[flipped][:, [0, 2, 1]]
    found = flip_rate(rows, 1e-4)
    assert found.low <= q <= found.high
    assert found.rate == pytest.approx(q, abs=0.04)
    assert found.high - found.low < 0.4
