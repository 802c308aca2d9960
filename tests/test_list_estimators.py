"""RecursiveBoostingClassifier and WeakToListClassifier: conventions, lists, edges, budgets, bad input."""

import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

from boosttheory import RecursiveBoostingClassifier, WeakToListClassifier
from boosttheory.list_estimators import EdgeWarning
from boosttheory.recursive import planned_rounds

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y]
TREE = DecisionTreeClassifier(max_depth=2)


@pytest.fixture(scope="module")
def fitted():
    return RecursiveBoostingClassifier(TREE, edge=0.15, random_state=0).fit(X, NAMES)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", [RecursiveBoostingClassifier, WeakToListClassifier])
def test_scikit_learn_conventions(kind):
    check_estimator(kind(max_calls=60, sample_size=50, attempts=3))


def test_labels_of_any_type(fitted):
    assert fitted.score(X, NAMES) > 0.95
    assert fitted.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    again = clone(fitted).fit(X, NAMES)
    assert (again.predict(X) == fitted.predict(X)).all()


def test_what_a_run_tells(fitted):
    plan = planned_rounds("fast", 150, 3, 0.15)
    assert fitted.n_calls_ == sum(plan.values()) == len(fitted.edges_)
    assert fitted.n_guesses_ == 1
    assert fitted.call_sizes_.tolist() == [3] * plan[3] + [2] * plan[2]
    assert (fitted.edges_ >= 0.15 - 1e-12).all()
    assert fitted.compression_size_ == 150 * fitted.n_calls_
    assert fitted.list_sizes_[0].tolist() == [3, 3, 1]
    assert (np.diff(fitted.list_sizes_[:, 1]) < 0).all()
    assert fitted.list_sizes_[-1].tolist() == [1, 1, 1]
    bound = fitted.error_bound(0.05)
    assert bound.vacuous
    assert bound.value == 1


def test_lists(fitted):
    for size in (1, 2, 3):
        lists = fitted.predict_list(X, size=size)
        assert max(map(len, lists)) <= size
        assert min(map(len, lists)) >= 1
        assert all(name in labels for name, labels in zip(NAMES, lists, strict=True))
    assert [labels[0] for labels in fitted.predict_list(X)] == fitted.predict(X).tolist()
    assert len(fitted.predict_list(X[:1], size=7)[0]) == 3
    with pytest.raises(ValueError, match="size=0"):
        fitted.predict_list(X, size=0)
    assert "no coverage guarantee" in " ".join(fitted.predict_list.__doc__.split())


def test_the_paper_schedule_uses_the_hint():
    model = RecursiveBoostingClassifier(TREE, schedule="paper", edge=0.5, sample_size=100, random_state=0)
    with pytest.warns(EdgeWarning, match="calls missed the edge 0.5"):
        model.fit(X, Y)
    assert model.call_sizes_[0] == 0
    assert model.run_.model.width == 11


def test_the_edge_is_halved_until_it_holds():
    model = RecursiveBoostingClassifier(TREE, random_state=0).fit(X, Y)
    assert model.edge_ in (0.25, 0.125, 0.0625)
    assert model.n_guesses_ == 1 - np.log2(model.edge_) - 1
    assert model.n_calls_ > len(model.edges_)
    assert model.n_calls_ <= 1000
    assert (model.edges_ >= model.edge_ - 1e-12).all()


def test_a_missed_edge_warns_and_the_model_works():
    with pytest.warns(EdgeWarning, match=r"calls missed the edge 0\.5.*measured is.*lists of"):
        model = RecursiveBoostingClassifier(edge=0.5, random_state=0).fit(X, Y)
    assert model.predict(X).shape == (150,)
    assert "vacuous" in model.error_bound(0.1).reason


def test_a_budget_is_kept():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EdgeWarning)
        for edge in ("auto", 0.05):
            model = RecursiveBoostingClassifier(edge=edge, max_calls=40, random_state=0).fit(X, Y)
            assert model.n_calls_ <= 40
            assert model.score(X, Y) > 0.8


def test_callback_counts_calls():
    seen = []
    RecursiveBoostingClassifier(
        TREE, edge=0.15, random_state=0, callback=lambda call, accuracy: seen.append(call)
    ).fit(X, Y)
    assert seen == list(range(1, len(seen) + 1))


@pytest.mark.parametrize("fallback", ["votes", "majority", 2])
def test_empty_lists_follow_the_fallback(fallback):
    rng = np.random.default_rng(0)
    model = RecursiveBoostingClassifier(edge=0.4, max_calls=6, fallback=fallback, random_state=0)
    with pytest.warns(EdgeWarning):
        model.fit(X, Y)
    new = 3 * rng.standard_normal((500, 4)) + X.mean(axis=0)
    last = model.model_.lists(new)[:, 0]
    predicted = model.predict(new)
    if fallback == 2:
        assert (predicted[last < 0] == 2).all()
    assert (predicted[last >= 0] == last[last >= 0]).all()
    assert all(len(labels) >= 1 for labels in model.predict_list(new))


@pytest.mark.filterwarnings("ignore::boosttheory.list_estimators.EdgeWarning")
def test_conflicting_labels_say_what_the_theory_says():
    with pytest.warns(UserWarning, match=r"different labels to equal rows of X \(1 times\).*1/2 at k = 2"):
        RecursiveBoostingClassifier(edge=0.1, max_calls=20, attempts=1, random_state=0).fit(
            np.vstack([X, X[:1]]), np.append(Y, 2)
        )


def test_weak_to_list():
    model = WeakToListClassifier(TREE, accuracy=0.6, random_state=0).fit(X, NAMES)
    assert model.list_length_ == 1
    assert model.score(X, NAMES) > 0.95
    pairs = WeakToListClassifier(accuracy=0.45, random_state=0).fit(X, NAMES)
    assert pairs.list_length_ == 2
    lists = pairs.predict_list(X)
    assert max(map(len, lists)) == 2
    assert all(name in labels for name, labels in zip(NAMES, lists, strict=True))
    with pytest.warns(EdgeWarning, match="max_calls=5 is below"):
        WeakToListClassifier(TREE, accuracy=0.6, max_calls=5, random_state=0).fit(X, Y)


@pytest.mark.filterwarnings("ignore::boosttheory.list_estimators.EdgeWarning")
@pytest.mark.parametrize(
    ("options", "y", "words"),
    [
        ({"edge": 0.0}, Y, "edge=0.0 is no edge"),
        ({"edge": 0.7}, Y, "edge=0.7 is no edge"),
        ({"edge": "half"}, Y, "edge='half' is no edge"),
        ({"schedule": "slow"}, Y, "schedule='slow' is unknown"),
        ({"max_calls": 0}, Y, "max_calls=0"),
        ({"sample_size": 0}, Y, "sample_size=0"),
        ({"sample_size": "all"}, Y, "sample_size='all'"),
        ({"attempts": 0}, Y, "attempts=0"),
        ({"fallback": 7}, Y, "fallback=7 is no class"),
        ({}, np.zeros(150), "one class only"),
    ],
)
def test_bad_input(options, y, words):
    with pytest.raises(ValueError, match=words):
        RecursiveBoostingClassifier(**options).fit(X, y)


@pytest.mark.parametrize("accuracy", [0, 1, 2.0])
def test_bad_accuracy(accuracy):
    with pytest.raises(ValueError, match="no accuracy of a weak learner"):
        WeakToListClassifier(accuracy=accuracy).fit(X, Y)


def test_no_sample_weight_and_no_prediction_before_fit():
    with pytest.raises(TypeError):
        RecursiveBoostingClassifier().fit(X, Y, sample_weight=np.ones(150))
    with pytest.raises(NotFittedError):
        RecursiveBoostingClassifier().predict(X)
    with pytest.raises(NotFittedError):
        RecursiveBoostingClassifier().error_bound()


def test_classes_not_seen_in_training_are_never_predicted(fitted):
    model = RecursiveBoostingClassifier(TREE, edge=0.2, random_state=0).fit(X[:100], NAMES[:100])
    assert set(model.predict(X)) <= {"setosa", "versicolor"}
    assert model.score(X, NAMES) < 0.7


def test_the_simulation_skips_data_that_are_absent(tmp_path):
    script = Path(__file__).parents[1] / "simulations" / "multiclass_real.py"
    done = subprocess.run(
        [sys.executable, str(script), "--data", str(tmp_path)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0
    assert done.stdout.count("is absent, skipped") == 4


def test_the_simulation_says_where_the_method_loses():
    root = Path(__file__).parents[1]
    folder = Path(os.environ.get("BOOSTTHEORY_DATA", root.parent / "shared" / "data")) / "derived"
    if not (folder / "Vowel.npz").is_file():
        pytest.skip("the real data are not here")
    script = root / "simulations" / "multiclass_real.py"
    options = ["--data", str(folder), "--only", "Vowel", "--calls", "60", "--depths", "1"]
    done = subprocess.run(
        [sys.executable, str(script), *options], capture_output=True, text=True, timeout=240
    )
    assert "11 classes" in done.stdout
    assert "Vowel, depth 1: recursive boosting loses to" in done.stdout
