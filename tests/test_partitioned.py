"""Triplets in parts: the index of all of them, in one process, and by dask workers on disk."""

import json
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boosttheory import engines
from boosttheory import triplets as triplet_module
from boosttheory.partitioned import index_parts, open_index
from boosttheory.tripletboost import train
from boosttheory.triplets import TripletSet, TripletWarning


def rows_of(n, m, seed=0):
    """Random answers, with repetitions, contradictions and own references."""
    rng = np.random.default_rng(seed)
    j = rng.integers(n, size=m)
    k = (j + rng.integers(1, n, size=m)) % n
    return np.stack((rng.integers(n, size=m), j, k), axis=1).astype(np.int32)


@pytest.fixture
def small_buckets(monkeypatch):
    monkeypatch.setattr(triplet_module, "_BUCKET", 100)


@settings(derandomize=True, deadline=None, max_examples=40)
@given(
    st.integers(3, 12),
    st.integers(0, 300),
    st.sampled_from(["drop", "keep"]),
    st.sampled_from(["majority", "keep"]),
    st.sampled_from(["drop", "keep"]),
    st.integers(0, 2**31),
)
def test_parts_make_the_set_of_the_whole(n, m, duplicates, contradictions, self_reference, seed):
    rows = rows_of(n, m, seed)
    options = {"duplicates": duplicates, "contradictions": contradictions, "self_reference": self_reference}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TripletWarning)
        whole = TripletSet.from_arrays(rows, n_objects=n, **options)
        cut = TripletSet.from_parts(np.array_split(rows, 3), n_objects=n, **options)
    assert cut == whole
    assert cut.counts == whole.counts
    assert (cut.contradictory, cut.repeated, cut.self_references) == (
        whole.contradictory,
        whole.repeated,
        whole.self_references,
    )


@pytest.mark.parametrize("n", [1000, 2000, 40_000])
@pytest.mark.filterwarnings("ignore::boosttheory.triplets.TripletWarning")
def test_buckets_change_nothing(small_buckets, n):
    rows = rows_of(n, 5000)
    rows[3000:] = rows[:2000]  # answers come twice, some are contradicted
    rows[4500:, 1:] = rows[4500:, :0:-1]
    one = TripletSet.from_arrays(rows[:, [0, 1, 2]].astype(np.int64), n_objects=n)
    buckets = triplet_module.Buckets.of(n, n, 5000)
    assert buckets.number > 1
    assert TripletSet.from_parts([rows[:1000], rows[1000:]], n_objects=n) == one
    votes = np.stack((np.arange(5000) % 3 + 1, np.arange(5000) % 2), axis=1)
    voted = TripletSet.from_arrays(rows, votes=votes, n_objects=n)
    triplet_module._BUCKET = 10**6
    assert TripletSet.from_arrays(rows, n_objects=n) == one
    assert TripletSet.from_arrays(rows, votes=votes, n_objects=n) == voted
    assert one.heads.dtype == (np.int32 if n == 40_000 else np.int16)


def test_set_that_shrinks_below_half_of_its_pairs_is_sparse():
    n = 1100
    rows = np.tile(rows_of(n, 10), (40_000, 1))
    with pytest.warns(TripletWarning, match="repeated"):
        held = TripletSet.from_arrays(rows, n_objects=n, self_reference="keep")
    assert held.pair_codes is not None
    assert held == TripletSet.from_arrays(rows[:10], n_objects=n, self_reference="keep")


def test_files_of_any_format_and_test_objects(tmp_path):
    rows = rows_of(9, 60)
    rows[:, 0] %= 4
    np.save(tmp_path / "a.npy", rows[:20])
    np.savetxt(tmp_path / "b.csv", rows[20:40], fmt="%d", delimiter=",")
    (tmp_path / "c.json").write_text(json.dumps(rows[40:].tolist()))
    (tmp_path / "readme.md").write_text("no part")
    options = {"own_references": False, "n_objects": 4, "n_references": 9}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TripletWarning)
        whole = TripletSet.from_arrays(rows, **options)
        assert TripletSet.from_parts(tmp_path, **options) == whole
        with pytest.raises(ValueError, match="but n_references is 5"):
            TripletSet.from_parts(tmp_path, own_references=False, n_objects=4, n_references=5)


@pytest.mark.parametrize("ranges", [1, 7])
@pytest.mark.filterwarnings("ignore::boosttheory.triplets.TripletWarning")
def test_index_on_disk_equals_the_index_in_memory(tmp_path, ranges):
    pytest.importorskip("dask")
    for n, options in ((30, {}), (1200, {"duplicates": "keep"}), (40_000, {"contradictions": "keep"})):
        parts = np.array_split(rows_of(n, 3000), 4)
        whole = TripletSet.from_parts(parts, n_objects=n, **options)
        held = index_parts(parts, tmp_path / str(n), n_objects=n, ranges=ranges, **options)
        assert held.load() == whole
        assert (len(held), held.counts, held.contradictory) == (len(whole), whole.counts, whole.contradictory)
        for j, k in ((0, 1), (5, 2), *(whole.to_array()[[0, 99], 1:].tolist())):
            for a, b in zip(held.half_spaces(j, k), whole.half_spaces(j, k), strict=True):
                np.testing.assert_array_equal(a, b)
        assert not list((tmp_path / str(n)).glob("keys*"))


@pytest.mark.parametrize("engine", ["numpy", "lockstep", "numba"])
def test_training_from_disk_equals_training_from_memory(tmp_path, engine):
    pytest.importorskip("dask")
    if engine == "numba":
        pytest.importorskip("numba")
    rng = np.random.default_rng(0)
    whole = TripletSet.from_metric(rng.normal(size=(40, 2)), proportion=0.2, rng=rng)
    parts = np.array_split(rng.permutation(whole.to_array()), 3)
    held = index_parts(parts, tmp_path / "index", n_objects=40, self_reference="keep")
    y = np.arange(40) % 3
    runs = [
        train(whole, y, 3, 100, np.random.default_rng(1)),
        engines.train(open_index(tmp_path / "index"), y, 3, 100, np.random.default_rng(1), engine=engine),
    ]
    np.testing.assert_array_equal(runs[0].pairs, runs[1].pairs)
    np.testing.assert_allclose(runs[0].alpha, runs[1].alpha, atol=1e-12)
    assert repr(held).startswith("PartitionedTriplets(")


@pytest.mark.filterwarnings("ignore")
def test_dask_workers_on_parquet_and_csv_build_the_same_index(tmp_path):
    distributed = pytest.importorskip("distributed")
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    source = tmp_path / "parts"
    source.mkdir()
    for number, rows in enumerate(np.array_split(rows_of(50, 4000), 4)):
        table = pandas.DataFrame(rows, columns=["i", "j", "k"])
        if number % 2:
            table.to_csv(source / f"{number}.csv", index=False)
        else:
            table.to_parquet(source / f"{number}.parquet")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as own,
        distributed.Client(own) as client,
    ):
        held = index_parts(source, tmp_path / "index", n_objects=50, ranges=3, client=client)
    assert held.load() == TripletSet.from_parts(source, n_objects=50)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_objects": 3}, r"the index \d; indices run from 0 to 2"),
        ({"n_objects": 9, "names": ["a"]}, "n_objects is 9, but names holds 1"),
        ({"n_objects": 9, "votes": [1]}, "votes is"),
        ({"n_objects": 9, "contradictions": "error"}, "questions both ways"),
    ],
)
@pytest.mark.filterwarnings("ignore::boosttheory.triplets.TripletWarning")
def test_bad_parts(tmp_path, options, message):
    pytest.importorskip("dask")
    parts = np.array_split(rows_of(9, 300), 2)
    for make in (TripletSet.from_parts, lambda p, **o: index_parts(p, tmp_path / "x", **o)):
        with pytest.raises(ValueError, match=message):
            make(parts, **options)


def test_names_in_parts_must_be_listed():
    parts = [[["ant", "bee", "cat"]], [["bee", "cat", "dog"]]]
    names = ["ant", "bee", "cat", "dog"]
    held = TripletSet.from_parts(parts, n_objects=4, names=names)
    assert held == TripletSet.from_arrays(parts[0] + parts[1], names=names)
    with pytest.raises(ValueError, match="parts hold names like 'ant'; list all of them in names"):
        TripletSet.from_parts(parts, n_objects=4)


def test_folders_without_parts_or_index(tmp_path):
    with pytest.raises(ValueError, match=r"holds no file that ends in \.csv"):
        TripletSet.from_parts(tmp_path, n_objects=3)
    with pytest.raises(ValueError, match="holds no index"):
        open_index(tmp_path)


def test_memory_is_estimated_first(monkeypatch):
    monkeypatch.setattr(triplet_module, "memory_left", lambda: 10_000)
    with pytest.raises(ValueError, match=r"index of \d+ answers .* needs .* GB, and 1e-05 GB are left"):
        TripletSet.from_parts([rows_of(50, 3000)], n_objects=50)
    with pytest.raises(ValueError, match="LazyTriplets"):
        TripletSet.from_metric(np.arange(100.0)[:, None], rng=np.random.default_rng(0))


def test_missing_dask_is_named_with_its_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "dask", None)
    with pytest.raises(ImportError, match=r"boosttheory\[dist\]"):
        index_parts([], tmp_path, n_objects=3)
