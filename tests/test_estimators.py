"""TripletBoostClassifier: scikit-learn conventions, abstention, label sets, files of models, bad input."""

import json
import pickle
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from boosttheory import LazyTriplets, TripletBoostClassifier, TripletSet
from boosttheory.estimators import MODEL_FORMAT
from boosttheory.triplet_files import answers_from_arrays
from boosttheory.triplets import TripletWarning

WORDS = np.array(["cat", "dog", "eel"])


def study(n=60, tests=30, classes=3, seed=0, proportion=0.2):
    rng = np.random.default_rng(seed)
    y = np.arange(n + tests) % classes
    X = 6.0 * np.eye(classes, 4)[y] + rng.standard_normal((n + tests, 4))
    seen = TripletSet.from_metric(X[:n], proportion=proportion, rng=rng, self_reference="drop")
    new = TripletSet.from_metric(X[:n], queries=X[n:], proportion=proportion, rng=rng)
    return seen, y[:n], new, y[n:]


@pytest.fixture(scope="module")
def clusters():
    return study()


@pytest.fixture(scope="module")
def fitted(clusters):
    seen, y, _, _ = clusters
    return TripletBoostClassifier(500, random_state=0).fit(seen, WORDS[y])


def test_learns_three_clusters(clusters, fitted):
    seen, y, new, truth = clusters
    assert fitted.classes_.tolist() == ["cat", "dog", "eel"]
    assert fitted.score(seen, WORDS[y]) == 1.0
    assert fitted.score(new, WORDS[truth]) > 0.9
    assert fitted.n_rounds_ == 500
    assert 0 < fitted.n_pairs_ <= 500
    assert not fitted.abstains(new).any()


def test_training_error_stays_below_its_bound(clusters):
    seen, y, _, _ = clusters
    for rounds in (1, 5, 50, 500):
        model = TripletBoostClassifier(rounds, random_state=1).fit(seen, y)
        assert 1 - model.score(seen, y) <= np.exp(model.train_bound_)
        assert model.train_bound_ == pytest.approx(np.log(1.5) + model.run_.log_z.sum())


def test_scores_and_probabilities(clusters, fitted):
    _, _, new, _ = clusters
    scores, shares = fitted.decision_function(new), fitted.predict_proba(new)
    assert scores.shape == shares.shape == (30, 3)
    assert (scores >= 0).all()
    assert shares.sum(axis=1) == pytest.approx(1)
    assert (fitted.predict(new) == WORDS[shares.argmax(axis=1)]).all()


def test_two_classes_have_one_decision_value(clusters):
    seen, y, new, _ = clusters
    model = TripletBoostClassifier(200, random_state=0).fit(seen, y > 0)
    values = model.decision_function(new)
    assert values.shape == (30,)
    assert (model.predict(new) == (values > 0)).all()
    assert model.classes_.dtype == bool


@pytest.mark.parametrize(
    "labels",
    [
        np.array([3.5, -1.0, 2.0]),
        np.array([7, 2, 9]),
        np.array(["x", "yy", "z"], object),
        np.array([1, 2, 3], object),
    ],
)
def test_labels_of_any_type(clusters, labels):
    seen, y, new, truth = clusters
    model = TripletBoostClassifier(300, random_state=0).fit(seen, labels[y])
    assert model.predict(new).dtype == labels.dtype
    assert (model.predict(new) == labels[truth]).mean() > 0.9


def test_conventions_of_scikit_learn(clusters, fitted):
    params = fitted.get_params()
    assert params["n_rounds"] == 500
    assert params["abstention"] == "random"
    other = clone(fitted).set_params(n_rounds=7)
    assert other.n_rounds == 7
    assert not hasattr(other, "model_")
    _, y, new, _ = clusters
    for call in (other.predict, other.decision_function, other.predict_proba, other.abstains):
        with pytest.raises(NotFittedError):
            call(new)
    with pytest.raises(NotFittedError):
        other.score(new, y)
    assert (pickle.loads(pickle.dumps(fitted)).predict(new) == fitted.predict(new)).all()


def test_random_state(clusters):
    seen, y, _, _ = clusters

    def pairs(state):
        return TripletBoostClassifier(40, random_state=state).fit(seen, y).run_.pairs

    assert (pairs(3) == pairs(3)).all()
    assert (pairs(3) != pairs(4)).any()
    assert (pairs(np.random.default_rng(3)) == pairs(3)).all()
    assert (pairs(np.random.RandomState(3)) == pairs(np.random.RandomState(3))).all()
    assert pairs(None).shape == (40, 2)


def test_lazy_triplets_predict_as_the_materialised(clusters):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 2)) + 4.0 * (np.arange(30) % 2)[:, None]
    y = np.arange(30) % 2
    lazy = LazyTriplets.from_metric(X, proportion=0.3, seed=1)
    a, b = (TripletBoostClassifier(100, random_state=0).fit(t, y) for t in (lazy, lazy.materialise()))
    assert (a.run_.alpha == b.run_.alpha).all()
    assert (a.predict(lazy) == b.predict(lazy.materialise())).all()


def test_arrays_and_answers_are_taken_too(clusters):
    seen, y, new, truth = clusters
    a = TripletBoostClassifier(300, random_state=0).fit(seen, y)
    b = TripletBoostClassifier(300, random_state=0).fit(answers_from_arrays(seen.to_array()), y)
    c = TripletBoostClassifier(300, random_state=0).fit(seen.to_array(), y)
    assert (a.predict(new) == truth).mean() > 0.9
    assert (c.predict(new.to_array()) == b.predict(new)).all()


def test_callback_and_rounds(clusters):
    seen, y, _, _ = clusters
    heard = []
    model = TripletBoostClassifier(20, random_state=0, callback=lambda done, log: heard.append((done, log)))
    model.fit(seen, y)
    assert [done for done, _ in heard] == list(range(1, 21))
    assert heard[-1][1] == pytest.approx(model.run_.log_z.sum())


@pytest.mark.parametrize("multilabel", [False, True])
@pytest.mark.parametrize("rule", ["random", "majority", "sentinel"])
def test_staged_score_is_the_score_of_each_prefix(clusters, rule, multilabel):
    seen, y, new, truth = study(30, 20, proportion=0.1, seed=3)
    table = np.array([[1, 0], [0, 1], [1, 1]])
    y, truth = (table[y], table[truth]) if multilabel else (y, truth)
    staged = list(
        TripletBoostClassifier(30, random_state=5, abstention=rule).fit(seen, y).staged_score(new, truth)
    )
    whole = [
        TripletBoostClassifier(rounds, random_state=5, abstention=rule).fit(seen, y).score(new, truth)
        for rounds in range(1, 31)
    ]
    assert staged == pytest.approx(whole, abs=0)
    assert len(set(whole)) > 1


def test_warm_start_adds_rounds(clusters):
    seen, y, _, _ = clusters
    model = TripletBoostClassifier(100, random_state=0, warm_start=True).fit(seen, y)
    first = model.run_.alpha.copy()
    model.set_params(n_rounds=250).fit(seen, y)
    assert model.n_rounds_ == 250
    assert (model.run_.alpha[:100] == first).all()
    assert len(model.run_.labels) == 250
    assert 1 - model.score(seen, y) <= np.exp(model.train_bound_)
    # the weights went on from where they were: mean exp(−ΩF) over objects and labels is the product of all Z
    scores = model.model_.scores(seen)
    everything = np.ones((250, 2, 1), bool)
    total = type(model.model_).from_run(model.run_._replace(labels=everything), 60, 1).scores(seen)
    omega = np.where(y[:, None] == np.arange(3), 1, -1)
    assert np.exp(-omega * (2 * scores - total)).mean() == pytest.approx(np.exp(model.run_.log_z.sum()))
    assert model.fit(seen, y).n_rounds_ == 250
    with pytest.raises(ValueError, match="n_rounds=10 is below the 250 rounds"):
        model.set_params(n_rounds=10).fit(seen, y)
    with pytest.raises(ValueError, match="warm_start"):
        model.set_params(n_rounds=300).fit(seen, y[::-1])


def silent_study():
    """Two labels three to one; of the new objects 0 and 2 have no triplet."""
    rng = np.random.default_rng(0)
    X = np.array([[0.0], [0.1], [0.25], [9.0]])
    seen = TripletSet.from_metric(X, proportion=1.0, rng=rng)
    new = TripletSet.from_arrays(
        [[1, 3, 0], [1, 3, 1], [1, 3, 2]], own_references=False, n_objects=3, n_references=4
    )
    return seen, np.array(["many", "many", "many", "few"]), new


def test_rules_for_abstention():
    seen, y, new = silent_study()

    def labels(**params):
        model = TripletBoostClassifier(50, random_state=0, **params).fit(seen, y)
        assert model.abstains(new).tolist() == [True, False, True]
        assert model.predict(new).tolist() == model.predict(new).tolist()
        return model.predict(new).tolist()

    assert labels(abstention="majority") == ["many", "few", "many"]
    assert labels(abstention="sentinel") == [-1, "few", -1]
    assert labels(abstention="sentinel", sentinel="no answer") == ["no answer", "few", "no answer"]
    drawn = [TripletBoostClassifier(50, random_state=s).fit(seen, y).predict(new) for s in range(30)]
    assert {row[0] for row in drawn} == {"few", "many"}
    assert {row[1] for row in drawn} == {"few"}
    raw = TripletBoostClassifier(50, random_state=0, abstention="sentinel").fit(seen, y.astype("S"))
    assert raw.predict(new).tolist() == [-1, b"few", -1]
    codes = TripletBoostClassifier(50, random_state=0, abstention="sentinel").fit(seen, [5, 5, 5, 7])
    assert codes.predict(new).tolist() == [-1, 7, -1]
    assert codes.predict(new).dtype.kind == "i"
    assert np.isnan(codes.set_params(sentinel=np.nan).predict(new)).tolist() == [True, False, True]
    assert codes.predict_proba(new)[0].tolist() == [0.5, 0.5]


def test_an_empty_label_set_is_no_vote():
    # the objects closer to 2 cancel exactly, so that side of the pair (2, 3) has no label
    seen = TripletSet.from_arrays([[0, 2, 3], [1, 2, 3], [2, 3, 0]], n_objects=4)
    y = np.array([0, 1, 0, 1])
    new = TripletSet.from_arrays([[0, 0, 1]], own_references=False, n_objects=2, n_references=4)
    model = TripletBoostClassifier(20, random_state=0, abstention="sentinel").fit(seen, y)
    assert model.predict(new).tolist() == [-1, -1]


def test_several_labels_an_object(clusters):
    rng = np.random.default_rng(1)
    bits = np.arange(90) % 4
    genres = np.stack([bits & 1, bits >> 1, np.ones(90, int)], axis=1)
    X = 6.0 * genres[:, :2] + rng.standard_normal((90, 2))
    seen = TripletSet.from_metric(X[:60], proportion=0.3, rng=rng)
    new = TripletSet.from_metric(X[:60], queries=X[60:], proportion=0.3, rng=rng)
    model = TripletBoostClassifier(1000, random_state=0).fit(seen, genres[:60])
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.predict(new).shape == (30, 3)
    assert model.score(new, genres[60:]) > 0.8
    values = model.decision_function(new)
    assert ((values > 0) == model.predict(new)).all()
    assert ((model.predict_proba(new) > 0.5) == (values > 0)).all()
    with pytest.raises(ValueError, match=r"y has shape \(30, 2\); give \(30, 3\)"):
        model.score(new, genres[60:, :2])
    nothing = TripletSet.from_arrays(
        np.empty((0, 3), int), own_references=False, n_objects=2, n_references=60
    )
    for rule in ("random", "majority"):
        rows = (
            TripletBoostClassifier(10, random_state=0, abstention=rule)
            .fit(seen, genres[:60])
            .predict(nothing)
        )
        assert all(row in genres.tolist() for row in rows.tolist())
    model = TripletBoostClassifier(10, random_state=0, abstention="sentinel").fit(seen, genres[:60])
    assert model.predict(nothing).tolist() == [[-1] * 3] * 2
    assert model.set_params(sentinel="none").predict(nothing).tolist() == [["none"] * 3] * 2


def test_new_objects_in_choices_among_three():
    names = [f"o{i}" for i in range(12)]
    place = {name: float(i) + 20.0 * (i >= 6) for i, name in enumerate(names)}
    y = ["near"] * 6 + ["far"] * 6
    rng = np.random.default_rng(0)

    def central(objects):
        rows = [rng.choice(objects, 3, replace=False) for _ in range(400)]
        return [sorted(row, key=lambda o: abs(place[o] - np.median([place[q] for q in row]))) for row in rows]

    seen = answers_from_arrays(central(names), answer="most_central", names=names)
    with pytest.warns(TripletWarning):
        model = TripletBoostClassifier(300, random_state=0).fit(seen, y)
    assert model.reference_names_ == tuple(names)
    place |= {"new": 2.5}
    asked = [row for row in central([*names, "new"]) if "new" in row]
    with pytest.warns(TripletWarning, match="use a test object as reference"):
        assert model.predict(answers_from_arrays(asked, answer="most_central")).tolist() == ["near"]
    odd = [["o11", "new", "o1"], ["o10", "o2", "new"], ["o9", "new", "o0"], ["o8", "o1", "new"]]
    with pytest.warns(TripletWarning, match="4 triplets that use a test object as reference"):
        assert model.predict(answers_from_arrays(odd, answer="odd_one_out")).tolist() == ["near"]
    stranger = TripletSet.from_arrays([["new", "a", "b"]], references=["a", "b", *names[:10]])
    with pytest.raises(ValueError, match="the model was trained on o0"):
        model.predict(stranger)


@pytest.mark.parametrize("name", ["words", "numbers", "several"])
def test_saved_models_predict_alike(tmp_path, clusters, name):
    seen, y, new, truth = clusters
    labels = {"words": WORDS[y], "numbers": y.astype(float), "several": np.eye(3, dtype=int)[y]}[name]
    model = TripletBoostClassifier(60, random_state=4, abstention="sentinel").fit(seen, labels)
    model.save(tmp_path / "m.npz")
    back = TripletBoostClassifier.load(tmp_path / "m.npz")
    assert (back.predict(new) == model.predict(new)).all()
    assert back.classes_.dtype == model.classes_.dtype
    assert back.train_bound_ == model.train_bound_
    assert back.n_pairs_ == model.n_pairs_
    assert back.get_params() == model.get_params()
    truth = {"words": WORDS[truth], "numbers": truth, "several": np.eye(3, dtype=int)[truth]}[name]
    assert list(back.staged_score(new, truth)) == list(model.staged_score(new, truth))
    assert back.fit(seen, labels).n_rounds_ == 60


def rewritten(path, change):
    """Write a model file anew with changed arrays."""
    with np.load(path) as file:
        arrays = dict(file)
    change(arrays)
    np.savez(path, **arrays)


def meta(arrays, **fields):
    text = json.loads(arrays["meta"].tobytes()) | fields
    arrays["meta"] = np.frombuffer(json.dumps(text).encode(), np.uint8)


DAMAGE = {
    "format 99": (
        lambda a: meta(a, format=MODEL_FORMAT + 98),
        "model format 99, this version of boosttheory reads",
    ),
    "huge sizes": (lambda a: meta(a, n_rounds=2**30), "'pairs' is int32 of shape"),
    "negative sizes": (lambda a: meta(a, n_rounds=-3), "impossible sizes"),
    "text for a size": (lambda a: meta(a, n_references="60"), "impossible sizes"),
    "names": (lambda a: meta(a, names=["one"]), "names 1 of 60 references"),
    "classes": (
        lambda a: meta(a, classes=["a", "b", "c", "d"], n_patterns=3),
        "counts 3 classes and names 4",
    ),
    "references": (lambda a: a.update(pairs=a["pairs"] + 60), "outside 0..59"),
    "NaN": (lambda a: a.update(trace=a["trace"] * np.nan), "no numbers"),
    "dtype": (lambda a: a.update(trace=a["trace"].astype(np.float32)), "'trace' is float32"),
    "objects": (lambda a: meta(a, dtype="no dtype"), "no whole TripletBoost model"),
    "no member": (lambda a: a.pop("labels"), "no whole TripletBoost model"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_models_are_refused(tmp_path, clusters, fitted, damage):
    change, message = DAMAGE[damage]
    fitted.save(tmp_path / "m.npz")
    rewritten(tmp_path / "m.npz", change)
    with pytest.raises(ValueError, match=message):
        TripletBoostClassifier.load(tmp_path / "m.npz")


def test_files_that_are_no_models(tmp_path, fitted):
    path = tmp_path / "m.npz"
    with pytest.raises(FileNotFoundError):
        TripletBoostClassifier.load(path)
    path.write_bytes(b"PK\x03\x04 nothing of the kind")
    with pytest.raises(ValueError, match="no whole TripletBoost model"):
        TripletBoostClassifier.load(path)
    fitted.save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match="no whole TripletBoost model"):
        TripletBoostClassifier.load(path)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("meta.npy", b"0" * 10_000_000)
    with pytest.raises(ValueError, match="compressed or oversized"):
        TripletBoostClassifier.load(path)
    np.savez(path, meta=np.array([{"format": 1}], dtype=object))
    with pytest.raises(ValueError, match="'meta' is broken"):
        TripletBoostClassifier.load(path)


def test_labels_that_no_file_keeps(tmp_path, clusters):
    seen, y, _, _ = clusters
    model = TripletBoostClassifier(5, random_state=0).fit(seen, y.astype("datetime64[D]"))
    with pytest.raises(ValueError, match="no model file keeps"):
        model.save(tmp_path / "m.npz")


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"n_rounds": 0}, ValueError, "n_rounds=0 leaves nothing to learn; give at least 1"),
        ({"n_rounds": -5}, ValueError, "n_rounds=-5"),
        ({"n_rounds": 2.5}, TypeError, "n_rounds=2.5 is no integer"),
        ({"engine": "gpu"}, ValueError, "engine='gpu' is unknown; choose one of"),
        ({"abstention": "guess"}, ValueError, "abstention='guess' is unknown; choose one of"),
        ({"abstention": "sentinel", "sentinel": 1}, ValueError, "sentinel=1 is a class of y"),
        ({"sentinel": [1]}, TypeError, r"sentinel=\[1\] is no label"),
    ],
)
def test_bad_parameters(clusters, params, error, message):
    seen, y, _, _ = clusters
    with pytest.raises(error, match=message):
        TripletBoostClassifier(**{"n_rounds": 5, **params}).fit(seen, y)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (lambda y: y[:-1], "y has 59 labels for 60 objects; give one an object"),
        (lambda y: 0 * y, "y holds one class only"),
        (lambda y: np.where(y == 1, np.nan, y), "missing .* for 20 entries, first at 1"),
        (lambda y: np.where(y == 1, None, y.astype(object)), "missing .* for 20 entries, first at 1"),
        (lambda y: pd.Series(np.where(y == 1, None, "a"), dtype="string"), "missing .* for 20 entries"),
        (lambda y: np.where(y == 1, "a", y.astype(object)), "mixes labels that cannot be sorted"),
        (lambda y: np.eye(3)[y] * 2, "two dimensions and entries other than 0 and 1"),
        (lambda y: np.ones((60, 2)), "y holds one class only"),
        (lambda y: np.zeros((60, 2, 2)), r"y has shape \(60, 2, 2\)"),
        (lambda y: [], r"y has shape \(0,\)"),
    ],
)
def test_bad_labels(clusters, labels, message):
    seen, y, _, _ = clusters
    with pytest.raises(ValueError, match=message):
        TripletBoostClassifier(5).fit(seen, labels(y))


def test_bad_triplets(clusters, fitted):
    _, y, new, truth = clusters
    model = TripletBoostClassifier(5)
    with pytest.raises(ValueError, match="triplets is empty"):
        model.fit(TripletSet.from_arrays(np.empty((0, 3), int), n_objects=60), y)
    with pytest.raises(ValueError, match="fit takes triplets of the training objects among themselves"):
        model.fit(new, truth)
    with pytest.warns(TripletWarning, match="1 questions with contradictory answers"):
        both = TripletSet.from_arrays([[0, 1, 2], [0, 2, 1]], n_objects=60, contradictions="keep")
    with pytest.raises(ValueError, match="both answers of one question"):
        model.fit(both, y)
    with pytest.raises(ValueError, match="index"):
        model.fit([[0, 1, 60]], y)
    with pytest.raises(ValueError, match="the model to 60"):
        fitted.predict(TripletSet.from_arrays([[0, 1, 2]], own_references=False, n_references=59))
    with pytest.raises(ValueError, match="label 'fox', which fit has never seen"):
        fitted.score(new, ["fox"] * 30)
    with pytest.raises(ValueError, match="y has 3 labels for 30 objects"):
        fitted.score(new, ["cat"] * 3)


@settings(derandomize=True, deadline=None, max_examples=30)
@given(st.permutations(range(12)), st.integers(0, 2**32 - 1))
def test_order_of_new_objects_does_not_matter(order, seed):
    seen, y, new, _ = study(24, 12, seed=1)
    model = TripletBoostClassifier(50, random_state=seed, abstention="majority").fit(seen, y)
    assert (model.predict(new.restrict(order)) == model.predict(new)[np.array(order)]).all()


@settings(derandomize=True, deadline=None, max_examples=30)
@given(st.permutations(["a", "b", "c"]), st.integers(0, 1000))
def test_names_of_classes_do_not_matter(names, seed):
    seen, y, new, _ = study(24, 12, seed=2)
    table = np.array(names)
    plain = TripletBoostClassifier(50, random_state=seed, abstention="sentinel").fit(seen, y)
    named = TripletBoostClassifier(50, random_state=seed, abstention="sentinel").fit(seen, table[y])
    clear = np.sort(plain.decision_function(new), axis=1)
    clear = clear[:, -1] > clear[:, -2] + 1e-9
    assert (table[plain.predict(new)[clear]] == named.predict(new)[clear]).all()
