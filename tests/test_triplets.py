"""Sets of triplets: index, policies, sampling, subsets."""

import doctest
import tracemalloc
import warnings
from collections import Counter
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boosttheory.triplet_files import Answers, answers_from_arrays
from boosttheory.triplets import (
    LazyTriplets,
    TripletSet,
    TripletWarning,
    _bernoulli,
    _exactly,
    n_possible,
    pair_code,
    pair_members,
)


def rng(seed=0):
    return np.random.default_rng(seed)


def quietly(make, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TripletWarning)
        return make(*args, **kwargs)


def rows_of(triplets):
    return [tuple(row) for row in triplets.to_array().tolist()]


def members(triplets):
    found = set(rows_of(triplets))
    assert len(found) == len(triplets)
    return found


@st.composite
def triplet_rows(draw, n=5, max_size=30):
    """Rows of three codes with j != k; few objects, so that repetitions and contradictions occur."""
    row = st.tuples(*[st.integers(0, n - 1)] * 3).filter(lambda t: t[1] != t[2])
    return draw(st.lists(row, min_size=1, max_size=max_size))


def expected(rows, *, duplicates="drop", contradictions="majority", self_reference="drop"):
    """Apply the policies one question at a time."""
    votes = Counter(row for row in rows if self_reference == "keep" or len(set(row)) == 3)
    kept = []
    for (i, j, k), number in votes.items():
        other = votes.get((i, k, j), 0)
        if contradictions == "keep" or number > other:
            kept += [(i, j, k)] * (number if duplicates == "keep" else 1)
    return sorted(kept)


# Pairs


def test_pair_codes_count_pairs_in_order():
    pairs = [(j, k) for k in range(60) for j in range(k)]
    low, high = np.array(pairs).T
    assert pair_code(low, high).tolist() == list(range(len(pairs)))
    assert np.array_equal(pair_code(high, low), pair_code(low, high))


@given(st.integers(0, 2**61))
@settings(derandomize=True, deadline=None)
def test_pair_members_invert_pair_codes(code):
    j, k = pair_members(code)
    assert 0 <= j < k
    assert int(k) * (int(k) - 1) // 2 + int(j) == code


@pytest.mark.parametrize("n", [3, 4, 6])
def test_number_of_possible_triplets(n):
    every = [(i, pair) for i in range(n) for pair in combinations(range(n), 2)]
    assert n_possible(n) == len(every)
    assert n_possible(n, self_references=False) == sum(i not in pair for i, pair in every)
    assert n_possible(2, n) == 2 * n * (n - 1) // 2


# The index


@given(triplet_rows(), st.booleans())
@settings(derandomize=True, deadline=None)
def test_index_holds_exactly_the_triplets(rows, sparse):
    scale = 400 if sparse else 1
    scaled = [(i * scale, j * scale, k * scale) for i, j, k in rows]
    triplets = quietly(TripletSet.from_arrays, scaled, n_objects=5 * scale, self_reference="keep")
    assert (triplets.pair_codes is None) == (not sparse)
    wanted = expected(scaled, self_reference="keep")
    assert sorted(rows_of(triplets)) == wanted
    for j, k in permutations(range(5), 2):
        near, far = triplets.half_spaces(j * scale, k * scale)
        assert near.tolist() == sorted(i for i, a, b in wanted if (a, b) == (j * scale, k * scale))
        assert far.tolist() == sorted(i for i, a, b in wanted if (b, a) == (j * scale, k * scale))


@given(triplet_rows(), st.randoms(use_true_random=False))
@settings(derandomize=True, deadline=None)
def test_order_of_rows_changes_nothing(rows, random):
    shuffled = random.sample(rows, len(rows))
    first = quietly(TripletSet.from_arrays, rows, n_objects=5)
    assert first == quietly(TripletSet.from_arrays, shuffled, n_objects=5)


def test_heads_are_as_small_as_the_objects_allow():
    assert TripletSet.from_arrays([[0, 1, 2]], n_objects=32767).heads.dtype == np.int16
    assert TripletSet.from_arrays([[0, 1, 2]], n_objects=32768).heads.dtype == np.int32


def test_many_objects_take_no_quadratic_memory():
    tracemalloc.start()
    triplets = TripletSet.from_arrays([[0, 1, 2_000_000], [5, 2_000_000, 3]])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1e6
    assert triplets.half_spaces(2_000_000, 1)[1].tolist() == [0]
    assert triplets.half_spaces(4, 5)[0].tolist() == []
    assert triplets.positions(pair_code([1, 3, 0], [2_000_000, 2_000_000, 1])).tolist() == [0, 1, -1]
    with pytest.raises(ValueError, match="too many to number"):
        TripletSet.from_arrays([[0, 1, 2]], n_objects=3_000_000)


def test_narrow_integers_name_references():
    triplets = TripletSet.from_arrays([[0, 299, 298]])
    assert triplets.half_spaces(np.int16(298), np.int16(299))[1].tolist() == [0]
    assert triplets.half_spaces(np.uint8(7), np.uint8(200))[1].tolist() == []


def test_arrays_are_read_only():
    triplets = TripletSet.from_arrays([[0, 1, 2]])
    for array in (triplets.heads, triplets.starts, triplets.half_spaces(1, 2)[0]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_representation_is_short():
    assert repr(TripletSet.from_arrays([[0, 1, 2]])) == "TripletSet(1 triplets of 3 objects, 33.33% of all)"
    new = TripletSet.from_arrays([[0, 1, 2]], own_references=False)
    assert repr(new) == "TripletSet(1 triplets of 1 test objects against 3 references, 33.33% of all)"


def test_ten_million_rows_in_bounded_memory():
    rows = rng().integers(0, 500, (10_000_000, 3), dtype=np.int32)
    rows[:, 2] = (rows[:, 1] + 1 + rows[:, 2] % 499) % 500
    tracemalloc.start()
    triplets = quietly(TripletSet.from_arrays, rows)
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 30e6
    assert peak < 100e6
    counts = triplets.counts
    assert counts["self_references"] + counts["duplicates"] + len(triplets) < len(rows)


# Policies


@pytest.mark.parametrize("duplicates", ["drop", "keep"])
@pytest.mark.parametrize("contradictions", ["majority", "keep"])
@pytest.mark.parametrize("self_reference", ["drop", "keep"])
@given(rows=triplet_rows(n=3))
@settings(derandomize=True, deadline=None, max_examples=50)
def test_policies(duplicates, contradictions, self_reference, rows):
    policies = {
        "duplicates": duplicates,
        "contradictions": contradictions,
        "self_reference": self_reference,
    }
    triplets = quietly(TripletSet.from_arrays, rows, n_objects=3, **policies)
    assert sorted(rows_of(triplets)) == expected(rows, **policies)
    used = [row for row in rows if self_reference == "keep" or len(set(row)) == 3]
    clashes = {row for row in used if (row[0], row[2], row[1]) in used}
    assert triplets.counts.get("duplicates", 0) == len(used) - len(set(used))
    assert triplets.counts.get("contradictions", 0) == len(clashes) // 2
    assert triplets.counts.get("self_references", 0) == len(rows) - len(used)
    assert triplets.contradictory == (contradictions == "keep" and bool(clashes))
    assert triplets.repeated == (duplicates == "keep" and len(used) > len(set(used)))


def test_one_warning_tells_all_numbers():
    rows = [[0, 1, 2], [0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [1, 0, 1], [2, 0, 1]]
    with pytest.warns(TripletWarning) as caught:
        triplets = TripletSet.from_arrays(rows)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    for told in (
        "1 repeated",
        "2 questions with contradictory",
        "1 of them undecided",
        "1 triplets whose object",
    ):
        assert told in str(caught[0].message)
    assert triplets.counts == {"duplicates": 1, "contradictions": 2, "undecided": 1, "self_references": 1}
    assert members(triplets) == {(0, 1, 2), (2, 0, 1)}


@pytest.mark.parametrize(
    ("policy", "rows", "message"),
    [
        ("duplicates", [[0, 1, 2], [0, 1, 2]], "1 repeated answers"),
        ("contradictions", [[0, 1, 2], [0, 2, 1]], "1 questions both ways"),
        ("self_reference", [[0, 1, 2], [1, 1, 2]], "row 1 has its object as a reference"),
    ],
)
def test_error_policies(policy, rows, message):
    with pytest.raises(ValueError, match=message):
        TripletSet.from_arrays(rows, **{policy: "error"})
    with pytest.raises(ValueError, match=f"{policy} is 'ignore'; it is one of"):
        TripletSet.from_arrays(rows, **{policy: "ignore"})


@given(triplet_rows(n=4), st.data())
@settings(derandomize=True, deadline=None)
def test_votes_are_repeated_answers(rows, data):
    votes = data.draw(st.lists(st.tuples(*[st.integers(0, 3)] * 2), min_size=len(rows), max_size=len(rows)))
    given_votes = quietly(TripletSet.from_arrays, rows, votes=votes, n_objects=4)
    repeated = [row for row, (yes, _) in zip(rows, votes, strict=True) for _ in range(yes)]
    repeated += [(i, k, j) for (i, j, k), (_, no) in zip(rows, votes, strict=True) for _ in range(no)]
    assert given_votes == quietly(TripletSet.from_arrays, repeated, n_objects=4)


def test_votes_and_kept_duplicates_exclude_each_other():
    with pytest.raises(ValueError, match="votes are summed"):
        TripletSet.from_arrays([[0, 1, 2]], votes=[2], duplicates="keep")


# Formats


def test_most_central_and_odd_one_out():
    central = TripletSet.from_arrays([[0, 1, 2]], answer="most_central")
    assert members(central) == {(1, 0, 2), (2, 0, 1)}
    odd = TripletSet.from_arrays([[0, 1, 2]], answer="odd_one_out")
    assert members(odd) == {(1, 2, 0), (2, 1, 0)}


@pytest.mark.parametrize("answer", ["most_central", "odd_one_out"])
def test_answers_of_three_objects_in_a_line(answer):
    x = np.array([0.0, 1.0, 3.0])
    distances = abs(x[:, None] - x)
    total = distances.sum(axis=1)
    chosen = int(np.argmin(total) if answer == "most_central" else np.argmax(total))
    row = [chosen, *(i for i in range(3) if i != chosen)]
    for i, j, k in members(TripletSet.from_arrays([row], answer=answer)):
        assert distances[i, j] < distances[i, k]


def test_responses_with_an_explicit_encoding():
    queries = [[0, 1, 2], [1, 0, 2], [2, 0, 1]]
    found = TripletSet.from_responses(queries, [True, False, True], first=True, second=False)
    assert members(found) == {(0, 1, 2), (1, 2, 0), (2, 0, 1)}
    found = TripletSet.from_responses(queries, ["b", "?", "a"], first="a", second="b", skip=["?"])
    assert members(found) == {(0, 2, 1), (2, 0, 1)}
    with pytest.raises(ValueError, match=r"row 1 has the response '0', not 1 or -1"):
        TripletSet.from_responses(queries, [1, 0, -1], first=1, second=-1)


def test_data_frame_columns_and_names():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"who": [1, 2], "head": ["cat", "dog"], "winner": ["dog", "ant"], "loser": ["ant", "cat"]}
    )
    found = TripletSet.from_arrays(frame, columns=("head", "winner", "loser"))
    assert found.names == ("ant", "cat", "dog") == found.reference_names
    assert members(found) == {(1, 2, 0), (2, 0, 1)}
    named = TripletSet.from_arrays(
        frame, columns=("head", "winner", "loser"), names=["dog", "cat", "ant", "eel"]
    )
    assert named.n_objects == 4
    assert members(named) == {(1, 0, 2), (0, 2, 1)}


def test_numbers_and_text_name_the_same_object():
    found = TripletSet.from_arrays([[7, 30, 9]], names=["9", "7", "30"])
    assert members(found) == {(1, 2, 0)}
    assert TripletSet.from_arrays([["7", "30", "9"]], names=[9, 7, 30]).names == (9, 7, 30)


def test_one_based_indices():
    assert TripletSet.from_arrays([[1, 2, 3]], base=1) == TripletSet.from_arrays([[0, 1, 2]])


# Test objects


def test_test_objects_are_told_by_their_references():
    rows = [["new", "a", "b"], ["a", "b", "c"], ["b", "new", "c"], ["other", "c", "a"]]
    with pytest.warns(TripletWarning, match="1 triplets that use a test object as reference") as caught:
        found = TripletSet.from_arrays(rows, references=["c", "b", "a", "unseen"])
    assert "1 triplets about training objects" in str(caught[0].message)
    assert (found.names, found.reference_names) == (("new", "other"), ("c", "b", "a", "unseen"))
    assert (found.n_objects, found.n_references, found.own_references) == (2, 4, False)
    assert members(found) == {(0, 2, 1), (1, 0, 2)}


def test_choices_among_three_with_a_new_object():
    with pytest.warns(TripletWarning):
        central = TripletSet.from_arrays([[0, 1, 9]], answer="most_central", references=[0, 1], n_objects=10)
    assert central.names == tuple(range(2, 10))
    assert members(central) == {(7, 0, 1)}
    with pytest.warns(TripletWarning):
        odd = TripletSet.from_arrays([[1, 0, 2]], answer="odd_one_out", references=[0, 1])
    assert members(odd) == {(0, 0, 1)}
    with pytest.warns(TripletWarning, match="2 triplets that use a test object as reference"):
        odd = TripletSet.from_arrays([[2, 0, 1]], answer="odd_one_out", references=[0, 1])
    assert len(odd) == 0


def test_separately_numbered_test_objects():
    found = TripletSet.from_arrays([[0, 5, 3], [2, 3, 5]], own_references=False, n_references=6)
    assert (found.n_objects, found.n_references) == (3, 6)
    assert [a.tolist() for a in found.half_spaces(5, 3)] == [[0], [2]]
    with pytest.raises(ValueError, match=r"row 0 has the index 5, but n_references is 5"):
        TripletSet.from_arrays([[0, 5, 3]], own_references=False, n_references=5)
    with pytest.raises(ValueError, match="give references"):
        TripletSet.from_arrays([[0, 1, 2]], answer="most_central", own_references=False)


# Bad input


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([[0, 1, 2], [0, -1, 2]], {}, "triplets: row 1 has the index -1; indices run from 0"),
        ([[0, 1, 2], [0, 3, 1]], {"n_objects": 3}, "row 1 has the index 3; indices run from 0 to 2"),
        ([[0, 1, 2]], {"base": 1}, "row 0 has the index 0; indices run from 1"),
        ([[0.0, 1.0, 2.5]], {}, "row 0 has the value 2.5, which is no integer"),
        ([[0, 1, 2], [0, float("nan"), 2]], {}, "row 1 has the value nan"),
        ([[0, 1, 2], [0, None, 2]], {}, "row 1 has the value nan"),
        ([[0, 1, float("inf")]], {}, "row 0 has the value inf"),
        ([[0, 1, 2], [0, 2, 2]], {}, "row 1 compares object 2 with itself"),
        ([["a", "b", "b"]], {}, "row 0 compares object 'b' with itself"),
        ([[0, 1, 0]], {"answer": "most_central"}, "row 0 compares object 0 with itself"),
        ([[0, 1, 2]], {"answer": "closest"}, "answer is 'closest'; it is one of"),
        ([], {}, "triplets is empty"),
        ([[0, 1]], {}, r"triplets has shape \(1, 2\)"),
        ([["a", "b", "z"]], {"names": "abc"}, "row 0 has the object 'z', which names lacks"),
        ([[0, 1, 7]], {"names": range(7)}, "row 0 has the object '7', which names lacks"),
        ([["a", "b", ""]], {}, "row 0 lacks an object"),
        ([["a", "b", "c"]], {"names": ["a", "b", "c", "a"]}, "names holds 1 names twice"),
        ([[0, 1, 2]], {"votes": [-1]}, "row 0 has -1 votes"),
        ([[0, 1, 2]], {"votes": [1, 2]}, r"votes has shape \(2,\)"),
        ([[0, 1, 2]], {"votes": [[1, 2]], "answer": "odd_one_out"}, "votes has two columns"),
        ([[0, 1, 2]], {"response": [1], "first": 1}, "give both or neither"),
    ],
)
def test_bad_rows(rows, options, message):
    with pytest.raises(ValueError, match=message):
        TripletSet.from_arrays(rows, **options)


def test_truth_values_are_no_indices():
    with pytest.raises(TypeError, match="dtype bool"):
        TripletSet.from_arrays(np.ones((2, 3), bool))


def test_missing_column():
    with pytest.raises(ValueError, match="no column 'near'; its columns are head, winner, loser"):
        TripletSet.from_arrays({"head": [0], "winner": [1], "loser": [2]}, columns=("head", "near", "loser"))
    with pytest.raises(ValueError, match="say which by columns"):
        TripletSet.from_arrays({"who": [0], "head": [0], "winner": [1], "loser": [2]})


def test_empty_set_of_known_objects():
    empty = TripletSet.from_arrays([], n_objects=4)
    assert (len(empty), empty.proportion, empty.to_array().shape) == (0, 0.0, (0, 3))
    assert [a.tolist() for a in empty.half_spaces(0, 3)] == [[], []]
    assert empty == empty.restrict(range(4)) == empty.subsample(proportion=0.5, rng=rng())
    sparse = TripletSet.from_arrays([], n_objects=4000)
    assert sparse.positions([0, 5]).tolist() == [-1, -1]
    assert [a.tolist() for a in sparse.half_spaces(0, 3999)] == [[], []]


@pytest.mark.parametrize(("j", "k"), [(1, 1), (0, 3), (-1, 0)])
def test_bad_pairs(j, k):
    triplets = TripletSet.from_arrays([[0, 1, 2]])
    lazy = LazyTriplets.from_metric(np.eye(3), seed=0)
    for source in (triplets, lazy):
        with pytest.raises(ValueError, match=r"different references|outside the references"):
            source.half_spaces(j, k)


# Sampling from a metric


def euclidean(X, Y):
    return np.sqrt(((X[:, None] - Y[None]) ** 2).sum(axis=-1))


@pytest.mark.parametrize("self_reference", ["keep", "drop"])
def test_full_sample_answers_every_question(self_reference):
    X = rng().normal(size=(9, 2))
    found = TripletSet.from_metric(X, proportion=1.0, rng=rng(), self_reference=self_reference)
    D = euclidean(X, X)
    wanted = {
        (i, j, k)
        for i in range(9)
        for j, k in permutations(range(9), 2)
        if D[i, j] < D[i, k] and (self_reference == "keep" or i not in (j, k))
    }
    assert members(found) == wanted
    assert found.proportion == 1.0
    flipped = TripletSet.from_metric(X, proportion=1.0, noise=1.0, rng=rng(), self_reference=self_reference)
    assert members(flipped) == {(i, k, j) for i, j, k in wanted}


def test_queries_are_compared_with_the_references():
    X, Q = rng().normal(size=(6, 3)), rng(1).normal(size=(4, 3))
    found = TripletSet.from_metric(X, proportion=1.0, queries=Q, rng=rng())
    D = euclidean(Q, X)
    assert len(found) == 4 * 15
    assert all(D[i, j] < D[i, k] for i, j, k in rows_of(found))
    assert found == TripletSet.from_metric(
        euclidean(X, X), "precomputed", proportion=1.0, queries=D, rng=rng()
    )


@pytest.mark.parametrize(
    "metric",
    ["cosine", "cityblock", "l1", "l2", "manhattan", "chebyshev", "seuclidean", "mahalanobis", "haversine"],
)
def test_named_metrics_agree_with_scikit_learn(metric):
    from sklearn.metrics import pairwise_distances

    X = rng().random((8, 2))
    D = pairwise_distances(X, metric=metric)
    np.fill_diagonal(D, 0.0)
    found = TripletSet.from_metric(X, metric, proportion=1.0, rng=rng())
    assert found == TripletSet.from_metric(D, "precomputed", proportion=1.0, rng=rng())


def test_callable_metric_on_any_objects():
    words = ["a", "ab", "abcd", "abcdefgh"]
    found = TripletSet.from_metric(words, lambda a, b: abs(len(a) - len(b)), proportion=1.0, rng=rng())
    lengths = np.array([len(word) for word in words])[:, None]
    assert found == TripletSet.from_metric(lengths, "cityblock", proportion=1.0, rng=rng())


def test_size_of_a_sample_is_binomial():
    X = rng().normal(size=(60, 2))
    total = n_possible(60)
    for proportion in (0.01, 0.1, 0.7):
        sizes = [len(TripletSet.from_metric(X, proportion=proportion, rng=rng(s))) for s in range(20)]
        deviation = np.sqrt(total * proportion * (1 - proportion))
        assert abs(np.mean(sizes) - total * proportion) < 5 * deviation / np.sqrt(20)
        assert 0.5 < np.std(sizes) / deviation < 1.6


def test_noise_flips_its_share():
    X = rng().normal(size=(60, 2))
    D = euclidean(X, X)
    rows = TripletSet.from_metric(X, proportion=0.5, noise=0.2, rng=rng()).to_array()
    wrong = np.mean(D[rows[:, 0], rows[:, 1]] > D[rows[:, 0], rows[:, 2]])
    assert abs(wrong - 0.2) < 5 * np.sqrt(0.16 / len(rows))


def test_every_position_is_equally_likely():
    drawn = np.zeros(50)
    for seed in range(2000):
        for block in _bernoulli(50, 0.3, rng(seed)):
            drawn[block] += 1
    assert abs(drawn - 600).max() < 5 * np.sqrt(2000 * 0.21)


@pytest.mark.parametrize(("total", "number"), [(10, 0), (10, 4), (10, 7), (10, 10), (0, 0), (10**6, 600_000)])
def test_exact_draws_are_distinct(total, number):
    blocks = list(_exactly(total, number, rng()))
    drawn = np.concatenate(blocks) if blocks else np.empty(0, np.int64)
    assert len(drawn) == len(np.unique(drawn)) == number
    assert number == 0 or 0 <= drawn.min() <= drawn.max() < total


def test_exact_draws_are_uniform():
    counts = Counter()
    for seed in range(6000):
        counts[tuple(np.concatenate(list(_exactly(4, 2, rng(seed)))).tolist())] += 1
    assert len(counts) == 6
    assert max(abs(number - 1000) for number in counts.values()) < 5 * np.sqrt(6000 * 5 / 36)


def test_exact_number_of_triplets():
    X = rng().normal(size=(30, 2))
    assert len(TripletSet.from_metric(X, number=1234, rng=rng())) == 1234
    with pytest.raises(ValueError, match="number is 13051, but there are 13050 possible"):
        TripletSet.from_metric(X, number=13051, rng=rng())


def test_ties():
    X = [[0.0], [1.0], [-1.0]]
    with pytest.warns(TripletWarning, match="1 comparisons of equal distances"):
        abstained = TripletSet.from_metric(X, proportion=1.0, rng=rng())
    assert abstained.counts == {"ties": 1}
    assert abstained.half_spaces(1, 2)[0].tolist() == [1]
    sides = {TripletSet.from_metric(X, proportion=1.0, ties="random", rng=rng(s)).half_spaces(1, 2)[0].size
             for s in range(20)}  # fmt: skip
    assert sides == {1, 2}
    with pytest.raises(ValueError, match="object 0 is as far from 1 as from 2"):
        TripletSet.from_metric(X, proportion=1.0, ties="error", rng=rng())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"proportion": 1.5}, "proportion is 1.5; give a number from 0 to 1"),
        ({"proportion": -0.1}, "proportion is -0.1"),
        ({"proportion": float("nan")}, "proportion is nan"),
        ({"noise": 2.0}, "noise is 2.0"),
        ({"number": -1}, "number is -1"),
        ({"number": 3, "proportion": 0.5}, "give one of the two"),
        ({"metric": "nonsense"}, "metric is 'nonsense'"),
        ({"metric": "precomputed"}, "precomputed distances make a square matrix"),
        ({"queries": [[1.0, 2.0]]}, "queries has 2 columns and X 1"),
        ({"ties": "ignore"}, "ties is 'ignore'"),
        ({"self_reference": "error"}, "self_reference is 'error'"),
    ],
)
def test_bad_sampling(options, message):
    with pytest.raises(ValueError, match=message):
        TripletSet.from_metric([[0.0], [1.0], [3.0]], **options, rng=rng())


def test_distances_that_are_no_numbers():
    X = np.array([[0.0, 1.0], [np.nan, 0.0], [1.0, 2.0]])
    message = "the distance of object 0 to reference 1 is NaN"
    with pytest.raises(ValueError, match=message):
        TripletSet.from_metric(X, proportion=1.0, rng=rng())
    with pytest.raises(ValueError, match=message):
        LazyTriplets.from_metric(X, proportion=1.0, seed=0).half_spaces(0, 1)
    with pytest.raises(ValueError, match="object 0 to reference 2 is NaN"):
        TripletSet.from_metric(
            "abc", lambda a, b: float("nan") if b == "c" else 1.0, proportion=1.0, rng=rng()
        )


# Lazy sets


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "seuclidean", "precomputed", "callable"])
@pytest.mark.parametrize("self_reference", ["keep", "drop"])
def test_lazy_and_materialised_sets_are_equal(metric, self_reference):
    X = rng().normal(size=(14, 3))
    if metric == "precomputed":
        X = euclidean(X, X)
    if metric == "callable":
        metric = lambda a, b: float(abs(a - b).max())  # noqa: E731
    lazy = LazyTriplets.from_metric(
        X, metric, proportion=0.4, noise=0.1, seed=5, self_reference=self_reference
    )
    held = lazy.materialise()
    for j, k in permutations(range(14), 2):
        for a, b in zip(lazy.half_spaces(j, k), held.half_spaces(j, k), strict=True):
            assert np.array_equal(a, b)
            assert a.dtype == b.dtype
    assert (held.self_references, lazy.self_references) == (self_reference == "keep",) * 2
    assert self_reference == "keep" or all(len(set(row)) == 3 for row in rows_of(held))


def test_lazy_queries():
    X, Q = rng().normal(size=(6, 2)), rng(1).normal(size=(40, 2))
    lazy = LazyTriplets.from_metric(X, proportion=0.5, seed=9, queries=Q)
    assert (lazy.n_objects, lazy.n_references, lazy.own_references) == (40, 6, False)
    assert np.array_equal(lazy.half_spaces(5, 2)[0], lazy.materialise().half_spaces(5, 2)[0])
    assert repr(lazy) == "LazyTriplets(40 test objects against 6 references, 50.00% of all)"


def test_lazy_shares_and_seeds():
    X = rng().normal(size=(60, 2))
    D = euclidean(X, X)
    sets = [LazyTriplets.from_metric(X, proportion=0.3, noise=0.2, seed=s).materialise() for s in (0, 1)]
    total = n_possible(60)
    for held in sets:
        assert abs(len(held) / total - 0.3) < 5 * np.sqrt(0.21 / total)
        rows = held.to_array()
        wrong = np.mean(D[rows[:, 0], rows[:, 1]] > D[rows[:, 0], rows[:, 2]])
        assert abs(wrong - 0.2) < 5 * np.sqrt(0.16 / len(rows))
    both = len(members(sets[0]) & members(sets[1])) / total
    assert abs(both - 0.3**2 * (0.8**2 + 0.2**2)) < 5 * np.sqrt(0.06 / total)
    assert len(LazyTriplets.from_metric(X, proportion=0.0, seed=0).materialise()) == 0
    assert LazyTriplets.from_metric(X, proportion=1.0, seed=0).materialise().proportion == 1.0
    with pytest.raises(ValueError, match="seed is -1"):
        LazyTriplets.from_metric(X, seed=-1)


def test_lazy_sets_of_many_objects_hold_nothing():
    X = rng().normal(size=(5000, 4))
    tracemalloc.start()
    lazy = LazyTriplets.from_metric(X, proportion=0.1, seed=1)
    sizes = [sum(map(len, lazy.half_spaces(j, 4999 - j))) for j in range(100)]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2e6
    assert abs(np.mean(sizes) - 500) < 5 * np.sqrt(450 / 100)


# Subsets


@given(triplet_rows(n=7), st.permutations(range(7)), st.integers(0, 7), st.integers(0, 7))
@settings(derandomize=True, deadline=None)
def test_restrict_and_split(rows, order, a, b):
    train, test = order[: min(a, b)], order[max(a, b) :]
    whole = quietly(TripletSet.from_arrays, rows, n_objects=7)
    everything = members(whole)
    training, tests = whole.split(train, test)
    inside = {t for t in everything if set(t) <= set(train)}
    assert {tuple(train[o] for o in t) for t in members(training)} == inside
    wanted = {t for t in everything if t[0] in test and set(t[1:]) <= set(train)}
    assert {(test[i], train[j], train[k]) for i, j, k in members(tests)} == wanted
    assert training == whole.restrict(train)
    foreign = sum(t[0] in test and not set(t[1:]) <= set(train) for t in everything)
    assert tests.counts.get("as_reference", 0) == foreign
    assert (tests.n_objects, tests.n_references, tests.own_references) == (len(test), len(train), False)


def test_subsets_of_test_objects_and_names():
    rows = [["d", "a", "b"], ["c", "b", "a"]]
    found = TripletSet.from_arrays(rows, references=["a", "b"])
    cut = found.restrict([1])
    assert (cut.names, cut.reference_names) == (("d",), ("a", "b"))
    assert members(cut) == {(0, 0, 1)}
    mask = TripletSet.from_arrays([[0, 1, 2]]).restrict(np.array([True, True, True]))
    assert members(mask) == {(0, 1, 2)}


@pytest.mark.parametrize(
    ("train", "test", "message"),
    [
        ([0, 1], [1, 2], "both hold object 1"),
        ([0, 0], [1], "train holds an object twice"),
        ([0, 3], [1], "train holds 3; objects run from 0 to 2"),
        ([0.5], [1], "train: row 0 has the value 0.5"),
        ([True], [1], "train is a mask of shape"),
    ],
)
def test_bad_splits(train, test, message):
    with pytest.raises(ValueError, match=message):
        TripletSet.from_arrays([[0, 1, 2]]).split(train, test)
    new = TripletSet.from_arrays([[0, 1, 2]], own_references=False)
    with pytest.raises(ValueError, match="this one holds test objects"):
        new.split([0], [1])


def test_subsamples():
    whole = TripletSet.from_metric(rng().normal(size=(30, 2)), proportion=0.5, rng=rng())
    part = whole.subsample(number=1000, rng=rng(1))
    assert len(part) == 1000
    assert members(part) < members(whole)
    share = whole.subsample(proportion=0.25, rng=rng(1))
    assert abs(len(share) / len(whole) - 0.25) < 0.05
    assert members(share) < members(whole)
    assert whole.subsample(proportion=1.0, rng=rng()) == whole
    with pytest.raises(ValueError, match="give one of the two"):
        whole.subsample(rng=rng())


def test_subsample_of_a_sparse_set():
    whole = TripletSet.from_metric(rng().normal(size=(1500, 2)), number=2000, rng=rng())
    part = whole.subsample(number=700, rng=rng(1))
    assert part.pair_codes is not None
    assert len(part.pair_codes) <= 700
    assert members(part) < members(whole)
    assert members(part.restrict(range(1500))) == members(part)


# Answers


def test_answers_keep_rows_and_groups():
    answers = answers_from_arrays([[0, 1, 2], [0, 1, 2], [2, 1, 0]], groups=["p", "q", "p"], votes=[3, 1, 2])
    assert answers.group_names == ("p", "q")
    again = answers.take([2, 2, 0])
    assert again.rows.tolist() == [[2, 1, 0], [2, 1, 0], [0, 1, 2]]
    assert again.groups.tolist() == [0, 0, 0]
    assert again.votes.tolist() == [[2, 0], [2, 0], [3, 0]]
    assert isinstance(again, Answers)


@given(triplet_rows())
@settings(derandomize=True, deadline=None)
def test_triplets_of_answers(rows):
    answers = answers_from_arrays(
        [row for row in rows if len(set(row)) == 3] or [[0, 1, 2]], answer="most_central"
    )
    direct = quietly(TripletSet.from_arrays, answers.triplets(), n_objects=5)
    assert direct == quietly(TripletSet.from_answers, answers, n_objects=5)


def test_guide():
    guide = Path(__file__).parents[1] / "docs" / "triplets.md"
    failed, tried = doctest.testfile(str(guide), module_relative=False)
    assert tried > 30
    assert failed == 0
