"""Formats of cblearn, data frames, and model selection of scikit-learn with triplets."""

import json
import pickle
import sys
from collections import Counter
from dataclasses import fields, replace

import numpy as np
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import parallel_config
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

import boosttheory
from boosttheory import TripletBoostClassifier, TripletSet
from boosttheory.claims import load
from boosttheory.estimators import ObjectClassifier
from boosttheory.interop import (
    FORMATS,
    ScikitTriplets,
    answers_from_cblearn,
    from_cblearn,
    load_results,
    to_cblearn,
)
from boosttheory.model_selection import TripletKFold, cross_validate_triplets
from boosttheory.rows import run, write_rows
from boosttheory.triplet_files import Answers
from boosttheory.triplets import TripletWarning

exactly = settings(derandomize=True, deadline=None)
triplet = st.permutations(range(6)).map(lambda order: tuple(order[:3]))
votes = st.tuples(triplet, st.integers(0, 3), st.integers(0, 3)).filter(lambda row: row[1] + row[2] > 0)
many = st.lists(votes, min_size=1, max_size=20)


def answers(rows):
    objects = np.array([row[0] for row in rows], np.int32)
    return Answers(objects, votes=np.array([row[1:] for row in rows], np.int64))


def tally(found):
    """Count each triplet: what no conversion may change."""
    count = Counter()
    votes = found.votes if found.votes is not None else np.ones((len(found.rows), 1), int)
    for (i, j, k), (pro, *contra) in zip(found.rows.tolist(), votes.tolist(), strict=True):
        count[i, j, k] += pro
        count[i, k, j] += sum(contra)
    return +count


def one_way(rows):
    """Keep the votes for one side of each question."""
    sides = {}
    for (i, j, k), *counts in rows:
        sides[i, min(j, k), max(j, k)] = ((i, j, k), max(counts), 0)
    return list(sides.values())


def there_and_back(found, format, **options):
    written = to_cblearn(found, format, **options)
    return answers_from_cblearn(*(written if isinstance(written, tuple) else (written,)), format=format)


@exactly
@given(many)
@pytest.mark.parametrize("format", ["list-order", "list-boolean", "list-count"])
def test_lists_lose_no_vote(format, rows):
    found = answers(rows)
    assert tally(there_and_back(found, format)) == tally(found)


@exactly
@given(many)
def test_tensors_lose_no_vote(rows):
    found = answers(one_way(rows))
    assert tally(there_and_back(found, "tensor-count", tensor="scipy")) == tally(found)


@exactly
@given(many)
@pytest.mark.parametrize("format", FORMATS)
def test_sets_come_back(format, rows):
    objects = [row[0] for row in one_way(rows)]
    triplets = TripletSet.from_arrays(objects, n_objects=9)
    written = to_cblearn(triplets, format, **({"tensor": "scipy"} if format == "tensor-count" else {}))
    back = from_cblearn(*(written if isinstance(written, tuple) else (written,)), format=format, n_objects=9)
    assert back.to_array().tolist() == triplets.to_array().tolist()


def test_a_tensor_knows_of_objects_without_answers():
    triplets = TripletSet.from_arrays([[0, 1, 2]], n_objects=7)
    assert from_cblearn(to_cblearn(triplets, "tensor-count", tensor="scipy")).n_objects == 7


def test_two_triplets_an_answer():
    central = Answers(np.array([[1, 0, 2]], np.int32), "most_central")
    assert to_cblearn(central).tolist() == central.triplets()[np.lexsort(central.triplets().T[::-1])].tolist()


def test_counts_of_a_question_answered_both_ways():
    query, counts = to_cblearn(answers([((0, 1, 2), 3, 1)]), "list-count")
    assert query.tolist() == [[0, 1, 2], [0, 1, 2]]
    assert counts.tolist() == [3, -1]
    with pytest.raises(ValueError, match="both ways"):
        to_cblearn(answers([((0, 1, 2), 3, 1)]), "tensor-count", tensor="scipy")


def test_undecided_rows():
    with pytest.raises(ValueError, match=r"row 1 is 0, undecided"):
        answers_from_cblearn([[0, 1, 2], [1, 0, 2]], [2, 0])
    found = answers_from_cblearn([[0, 1, 2], [1, 0, 2]], [2, 0], undecided="drop")
    assert tally(found) == {(0, 1, 2): 2}


BAD = {
    "ambiguous": (([[0, 1, 2]], [0]), {}, "truth values or counts"),
    "quadruplets": (([[0, 1, 2, 3]], [True]), {}, r"shape \(1, 4\)"),
    "lengths": (([[0, 1, 2]], [True, False]), {}, "one a row"),
    "fraction": (([[0, 1, 2]], [1.5]), {}, "no integer"),
    "huge": (([[0, 1, 2]], [2**40]), {}, "exceeds"),
    "words": (([[0, 1, 2]], ["left"]), {}, "integers"),
    "unknown format": (([[0, 1, 2]],), {"format": "matrix"}, "choose one of"),
    "no responses": (([[0, 1, 2]],), {"format": "list-count"}, "responses is missing"),
    "superfluous": (([[0, 1, 2]], [1]), {"format": "list-order"}, "order of a row"),
    "no tensor": (([[0, 1, 2]],), {"format": "tensor-count"}, "not a sparse tensor"),
    "not boolean": (([[0, 1, 2]], [2]), {"format": "list-boolean"}, "more than truth values"),
    "undecided": (([[0, 1, 2]], [1]), {"undecided": "keep"}, "choose"),
    "negative": (([[0, -1, 2]], [1]), {}, "-1"),
}


@pytest.mark.parametrize(("arguments", "options", "message"), BAD.values(), ids=BAD)
def test_bad_answers(arguments, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        answers_from_cblearn(*arguments, **options)


def test_bad_sets_and_tensors():
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(ValueError, match=r"shape \(2, 3\)"):
        answers_from_cblearn(sparse.coo_array((2, 3)))
    triplets = TripletSet.from_arrays([[0, 1, 2]])
    with pytest.raises(ValueError, match="at least 3"):
        to_cblearn(triplets, "tensor-count", n_objects=2, tensor="scipy")
    with pytest.raises(ValueError, match='"sparse" or "scipy"'):
        to_cblearn(triplets, "tensor-count", tensor="dense")
    apart = TripletSet.from_arrays([[0, 1, 2]], own_references=False)
    for format in FORMATS:
        with pytest.raises(ValueError, match="references apart"):
            to_cblearn(apart, format)


@exactly
@given(many)
def test_cblearn_reads_what_is_written(rows):
    check = pytest.importorskip("cblearn.utils").check_query_response
    found = answers(one_way(rows))
    expected = tally(found)
    lists = [to_cblearn(found), *(to_cblearn(found, f) for f in ("list-boolean", "list-count"))]
    for written in [*lists, to_cblearn(found, "tensor-count")]:
        query, responses = written if isinstance(written, tuple) else (written, None)
        ordered = check(query, responses, result_format="list-order")
        assert Counter(map(tuple, np.asarray(ordered).tolist())) == expected


@exactly
@given(many)
def test_what_cblearn_writes_is_read(rows):
    check = pytest.importorskip("cblearn.utils").check_query_response
    ordered = to_cblearn(answers(one_way(rows)))
    for format in FORMATS:
        written = check(ordered, None, result_format=format)
        written = written if isinstance(written, tuple) else (written,)
        found = answers_from_cblearn(*written, format=format)
        assert tally(found) == Counter(map(tuple, ordered.tolist()))


@exactly
@given(many)
@pytest.mark.parametrize("names", [None, ["ö", "b,c", "a", '"', "שלום", " x"]])
def test_frames_come_back(names, rows):
    pytest.importorskip("pandas")
    objects = [row[0] for row in one_way(rows)]
    if names is not None:
        objects = [[names[code] for code in row] for row in objects]
    triplets = TripletSet.from_arrays(objects, names=names, n_objects=6)
    frame = triplets.to_frame()
    assert frame.columns.tolist() == ["object", "closer", "farther"]
    back = TripletSet.from_arrays(frame, names=names, n_objects=6)
    assert back.to_array().tolist() == triplets.to_array().tolist()


def test_a_frame_of_new_objects_names_both_kinds():
    pytest.importorskip("pandas")
    rows = [["new", "a", "b"], ["a", "b", "c"], ["c", "a", "b"]]
    with pytest.warns(TripletWarning):
        triplets = TripletSet.from_arrays(rows, references=["a", "b", "c"])
    assert triplets.to_frame().values.tolist() == [["new", "a", "b"]]


def test_results_of_the_ledger(tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reports").mkdir()
    ledger = load()
    rows = run({"triplet.count": ledger["triplet.count"]})
    write_rows("reports/rows.jsonl", rows)
    frame = load_results("rows")
    assert frame["claim"].tolist() == ["triplet.count"] * len(rows)
    assert frame["cases"].tolist() == [row["cases"] for row in rows]
    with pytest.raises(FileNotFoundError, match="run boosttheory check"):
        load_results("absent")


def test_results_of_a_simulation(tmp_path):
    pytest.importorskip("pandas")
    place = {"n": 5, "hits": [0, 1]}
    block = {"experiment": "x", "seed": 3, "point": place, "block": 0, "records": [{"hit": 1}, {"hit": 0}]}
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(block) + "\n")
    assert load_results(path).to_dict("list") == {
        "experiment": ["x"] * 2, "seed": [3] * 2, "block": [0] * 2, "n": [5] * 2, "hit": [1, 0],
    }  # fmt: skip
    assert boosttheory.load_results is load_results
    path.write_text(json.dumps(block) + '\n{"experiment": 1}\n')
    with pytest.raises(ValueError, match="line 2"):
        load_results(path)


@pytest.fixture(scope="module")
def study():
    rng = np.random.default_rng(5)
    y = np.repeat(["a", "b", "c"], 14)
    X = rng.normal(size=(42, 2)) + 2 * np.repeat(np.eye(3)[:, :2], 14, axis=0)
    return ScikitTriplets.of(TripletSet.from_metric(X, proportion=0.3, rng=rng)), y


def test_cross_val_score_is_that_of_the_library(study):
    triplets, y = study
    model, folds = TripletBoostClassifier(60, random_state=0), TripletKFold(4, shuffle=True, random_state=1)
    scores = cross_val_score(model, triplets, y, cv=folds, error_score="raise")
    ours = cross_validate_triplets(model, triplets, y, cv=folds)
    assert scores.tolist() == [ours.correct[test].mean() for _, test in folds.split(triplets, y)]
    assert len(set(scores)) > 1


def test_no_fold_refers_to_an_object_held_out(study):
    triplets, y = study
    for train, test in StratifiedKFold(3).split(np.zeros(len(y)), y):
        among, about = triplets[np.ix_(train, train)], triplets[np.ix_(test, train)]
        assert among.to_array().tolist() == triplets.split(train, test)[0].to_array().tolist()
        assert about.to_array().tolist() == triplets.split(train, test)[1].to_array().tolist()
        assert (about.n_objects, about.n_references) == (len(test), len(train))


@pytest.mark.parametrize("jobs", [None, 2])
def test_a_grid_search_refits_on_all_objects(study, jobs):
    triplets, y = study
    grid = {"n_rounds": [1, 80]}
    search = GridSearchCV(
        TripletBoostClassifier(random_state=0), grid, cv=TripletKFold(3), error_score="raise", n_jobs=jobs
    )
    with parallel_config(backend="threading"):
        search.fit(triplets, y)
    assert search.best_params_ == {"n_rounds": 80}
    again = TripletBoostClassifier(80, random_state=0).fit(triplets, y)
    assert (search.predict(triplets) == again.predict(triplets)).all()


def test_a_set_about_others_cannot_be_cut():
    with pytest.raises(ValueError, match="references apart"):
        ScikitTriplets.of(TripletSet.from_arrays([[0, 1, 2]], own_references=False))


def test_sets_travel_to_other_processes(study):
    triplets, _ = study
    back = pickle.loads(pickle.dumps(triplets))
    assert back.shape == triplets.shape
    assert back.to_array().tolist() == triplets.to_array().tolist()


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        model = ObjectClassifier(TripletBoostClassifier(60, random_state=0))
        for method in ("fit", "predict", "score"):
            getattr(model, f"set_{method}_request")(triplets=True)
        yield model


@pytest.mark.parametrize("named", [False, True])
def test_routed_triplets_give_the_same_scores(study, routing, named):
    triplets, y = study
    X, folds = np.arange(42)[:, None], StratifiedKFold(4)
    given = TripletSet(**{f.name: getattr(triplets, f.name) for f in fields(TripletSet)})
    if named:
        given = replace(given, names=tuple(f"object {i}" for i in range(42)))
        X = np.array(given.names)[:, None]
    routed = cross_val_score(routing, X, y, cv=folds, params={"triplets": given}, error_score="raise")
    plain = cross_val_score(routing.estimator, triplets, y, cv=folds, error_score="raise")
    assert routed.tolist() == plain.tolist()


def test_routed_triplets_pass_pipelines_and_grids(study, routing):
    triplets, y = study
    X = np.column_stack([np.linspace(0, 1, 42), np.arange(42)])
    pipeline = Pipeline([("column", FunctionTransformer(lambda X: X[:, 1].astype(int))), ("boost", routing)])
    search = GridSearchCV(pipeline, {"boost__estimator__n_rounds": [1, 80]}, cv=3, error_score="raise")
    search.fit(X, y, triplets=triplets)
    plain = GridSearchCV(routing.estimator, {"n_rounds": [1, 80]}, cv=3, error_score="raise").fit(triplets, y)
    assert search.cv_results_["mean_test_score"].tolist() == plain.cv_results_["mean_test_score"].tolist()
    again = plain.best_estimator_
    assert (search.best_estimator_.predict(X, triplets=triplets) == again.predict(triplets)).all()


def test_objects_held_out_have_probabilities(study):
    triplets, y = study
    train, test = np.arange(0, 42, 2), np.arange(1, 42, 2)
    model = clone(ObjectClassifier(TripletBoostClassifier(60, random_state=0))).fit(train, y[train], triplets)
    chances = model.predict_proba(test, triplets)
    assert chances.shape == (21, 3)
    assert (model.classes_[chances.argmax(axis=1)] == model.predict(test, triplets)).mean() > 0.9
    right = model.predict(test, triplets) == y[test]
    assert (
        model.score(test, y[test], triplets, sample_weight=1 + right) == 2 * right.sum() / (1 + right).sum()
    )
    assert ObjectClassifier().fit(train, y[train], triplets).estimator_.n_rounds == 10_000


@pytest.mark.parametrize(
    ("X", "error", "sentence"),
    [
        (np.zeros((3, 2), int), ValueError, "one column"),
        ([0, 42], ValueError, "count from 0"),
        ([-1, 2], ValueError, "holds -1"),
        ([1, 1], ValueError, "twice"),
        (["a", "b"], TypeError, "no names"),
        ([0.5, 1.0], TypeError, "no names"),
    ],
)
def test_what_names_no_objects(study, X, error, sentence):
    with pytest.raises(error, match=sentence):
        ObjectClassifier().fit(X, ["a", "b"], study[0])


def test_a_name_that_nobody_has(study):
    named = replace(study[0], names=tuple(map(str, range(42))))
    with pytest.raises(ValueError, match="'x', which triplets does not know"):
        ObjectClassifier().fit(["0", "x"], ["a", "b"], named)


def test_old_and_new_objects_do_not_mix(study):
    triplets, y = study
    model = ObjectClassifier(TripletBoostClassifier(5, random_state=0)).fit(np.arange(20), y[:20], triplets)
    with pytest.raises(ValueError, match="both hold object"):
        model.predict([3, 30], triplets)


@pytest.mark.parametrize(
    ("package", "call"),
    [
        ("pandas", lambda triplets: triplets.to_frame()),
        ("pandas", lambda triplets: load_results("rows")),
        ("sparse", lambda triplets: to_cblearn(triplets, "tensor-count")),
    ],
    ids=["frame", "results", "tensor"],
)
def test_a_missing_package_is_named(study, monkeypatch, package, call):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=f"pip install {package}"):
        call(study[0])
