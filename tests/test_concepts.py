import copy
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from boosttheory import concepts
from boosttheory.concepts import (
    FiniteClass,
    Interrupted,
    box,
    compress,
    full_class,
    hamming_ball,
    is_pseudo_cube,
    k_core,
    linear_class,
    neighbour_groups,
    random_class,
    shatters_by_definition,
    six_cycle,
    stump_class,
    zero_and_singletons,
)
from boosttheory.enumerations import classes_up_to_symmetry

exactly = settings(derandomize=True, deadline=None, max_examples=60)


@st.composite
def families(draw, most=14, points=4, labels=4):
    n = draw(st.integers(1, points))
    rows = st.tuples(*[st.integers(0, draw(st.integers(0, labels - 1)))] * n)
    return FiniteClass(draw(st.lists(rows, min_size=1, max_size=most)))


def deepest(family, shattered):
    """The largest size of a set of points that a predicate on its restrictions accepts."""
    best = 0
    for size in range(1, family.n_points + 1):
        for points in combinations(range(family.n_points), size):
            if shattered({tuple(row) for row in family.patterns[:, points].tolist()}):
                best = size
    return best


def natarajan(k):
    def shattered(rows):
        sides = [combinations(sorted({row[i] for row in rows}), k + 1) for i in range(len(next(iter(rows))))]
        return any(set(product(*choice)) <= rows for choice in product(*sides))

    return shattered


def graph(rows):
    return any(
        len({tuple(a == b for a, b in zip(f, h, strict=True)) for h in rows}) == 2 ** len(f) for f in rows
    )


@exactly
@given(families(), st.integers(1, 3))
@example(six_cycle(), 1)
def test_dimensions_are_those_of_the_definitions(family, k):
    assert family.ds_dimension(k) == deepest(family, lambda rows: shatters_by_definition(rows, k))
    assert family.natarajan_dimension(k) == deepest(family, natarajan(k))
    assert family.graph_dimension() == deepest(family, graph)
    exponential = deepest(family, lambda rows: len(rows) >= (k + 1) ** len(next(iter(rows))))
    assert family.exponential_dimension(k) == exponential


@exactly
@given(families(most=60, points=6), st.integers(1, 2))
def test_every_witness_survives_brute_force_and_a_spoilt_one_does_not(family, k):
    for notion in ("ds", "natarajan", "graph", "exponential"):
        found = family.dimension(notion, k if notion != "graph" else 1)
        assert found.verify(family)
        assert found.complete
        if found.value:
            object.__setattr__(found, "patterns", found.patterns[:1])
            assert not found.verify(family)
            object.__setattr__(found, "patterns", found.patterns + np.uint8(family.n_labels))
            assert not found.verify(family)
            object.__setattr__(found, "points", found.points[1:])
            assert not found.verify(family)
            family._known.clear()


@exactly
@given(families(labels=2))
def test_the_vc_dimension_is_every_dimension_of_two_labels(family):
    d = family.vc_dimension()
    assert {family.ds_dimension(), family.natarajan_dimension(), family.graph_dimension()} == {d}


@exactly
@given(families(most=40, points=5))
def test_the_dimension_falls_with_k_and_lies_between_its_neighbours(family):
    values = [family.ds_dimension(k) for k in range(1, family.n_labels + 1)]
    assert values == sorted(values, reverse=True)
    assert values[-1] == 0
    for k, value in enumerate(values, 1):
        assert family.natarajan_dimension(k) <= value <= family.exponential_dimension(k)


@exactly
@given(families(most=30), st.integers(1, 2))
def test_the_core_is_the_largest_family_that_holds_itself_up(family, k):
    core = family.patterns[k_core(family.patterns, k)]
    assert not len(core) or is_pseudo_cube(core.tolist(), k)
    if len(family) <= 10:
        rows = family.patterns.tolist()
        held = [
            set(map(tuple, chosen))
            for size in range(1, len(rows) + 1)
            for chosen in combinations(rows, size)
            if is_pseudo_cube(chosen, k)
        ]
        assert set(map(tuple, core.tolist())) == set().union(*held)


@exactly
@given(families(most=30), st.integers(1, 2))
def test_both_ways_of_peeling_agree(family, k):
    table = np.zeros([int(c.max()) + 1 for c in family.patterns.T], dtype=bool)
    table[tuple(family.patterns.T)] = True
    kept = np.argwhere(concepts._peel_table(table, k))
    assert np.array_equal(kept, family.patterns[k_core(family.patterns, k)])


@exactly
@given(families(most=30), st.data())
def test_compression_keeps_the_edges_and_never_adds_restrictions(family, data):
    point = data.draw(st.integers(0, family.n_points - 1))
    pushed = compress(family.patterns, point)
    edges = np.unique(neighbour_groups(family.patterns)[point], return_counts=True)[1].tolist()
    assert np.array_equal(np.delete(pushed, point, axis=1), np.delete(family.patterns, point, axis=1))
    assert np.unique(neighbour_groups(pushed)[point], return_counts=True)[1].tolist() == edges
    assert np.array_equal(np.sort(compress(pushed, point), axis=0), np.sort(pushed, axis=0))
    for size in range(1, family.n_points + 1):
        for points in combinations(range(family.n_points), size):
            assert len(np.unique(pushed[:, points], axis=0)) <= len(family.restrict(points))
    assert len(np.unique(pushed, axis=0)) == len(family)


@pytest.mark.parametrize("stretch", [1, 10**6])
def test_groups_are_pairs_that_agree_but_at_one_point(stretch):
    # Stretched labels on 12 points need more than 64 bits of a key.
    rng = np.random.default_rng(0)
    rows = np.unique(
        rng.integers(2, size=(60, 4)).repeat(3, axis=1) * stretch + rng.integers(2, size=(60, 12)), axis=0
    )
    groups = neighbour_groups(rows)
    for i in range(12):
        for v, w in combinations(range(len(rows)), 2):
            agree = np.array_equal(np.delete(rows[v], i), np.delete(rows[w], i))
            assert (groups[i, v] == groups[i, w]) == agree
    assert np.array_equal(np.unique(groups), np.arange(groups.max() + 1))
    assert all(set(groups[i]).isdisjoint(groups[j]) for i, j in combinations(range(12), 2))


def test_a_cube_among_many_labels_is_found_beyond_64_bits():
    constants = np.repeat(np.arange(2, 2000)[:, None], 9, axis=1)
    family = FiniteClass(np.concatenate([full_class(2, 9).patterns, constants]))
    found = family.dimension()
    assert (found.value, len(found.patterns)) == (9, 512)
    assert family.dimension("natarajan").value == 9
    assert family.ds_dimension(2) == 1


def test_a_long_staircase_is_peeled_in_linear_time():
    steps = np.arange(40_000)
    stairs = np.stack([(steps + 1) // 2, steps // 2], axis=1)
    assert not k_core(stairs).any()


@pytest.mark.parametrize(
    ("family", "size", "ds"),
    [
        (six_cycle(), 6, (2, 1)),
        (full_class(3, 4), 81, (4, 4, 0)),
        (box([2, 2, 2, 3]), 24, (4, 1, 0)),
        (box([1, 1]), 1, (0,)),
        (hamming_ball(7, 3), 64, (3, 0)),
        (hamming_ball(5, 2, 3), 51, (2, 2, 0)),
        (zero_and_singletons(6), 7, (1, 0)),
        (FiniteClass([[0, 0, 0]]), 1, (0, 0)),
        (FiniteClass([[0], [1], [2]]), 3, (1, 1, 0)),
    ],
)
def test_known_dimensions(family, size, ds):
    assert len(family) == size
    assert tuple(family.ds_dimension(k) for k in range(1, len(ds) + 1)) == ds


def test_the_six_cycle_separates_the_dimensions():
    cycle = six_cycle()
    assert cycle.natarajan_dimension() == 1
    assert cycle.graph_dimension() == cycle.exponential_dimension() == 2
    assert is_pseudo_cube(cycle)
    assert not is_pseudo_cube(list(cycle)[1:])


def test_exponential_sets_may_have_thin_subsets():
    family = FiniteClass([(0, y) for y in range(4)])
    found = family.dimension("exponential")
    assert (found.value, found.points) == (2, (0, 1))


def test_ds_grows_while_2_ds_stays():
    assert [(box([2] * n + [3]).ds_dimension(1), box([2] * n + [3]).ds_dimension(2)) for n in (1, 4, 7)] == [
        (2, 1),
        (5, 1),
        (8, 1),
    ]


def test_random_classes_have_the_size_asked_for():
    rng = np.random.default_rng(2)
    for n_patterns, n_points, n_labels in [(27, 3, 3), (2000, 12, 3), (5, 30, 7)]:
        family = random_class(n_patterns, n_points, n_labels, rng)
        assert (len(family), family.n_points, family.n_labels) == (n_patterns, n_points, n_labels)
    assert random_class(9, 4, 3, np.random.default_rng(5)) == random_class(9, 4, 3, np.random.default_rng(5))


def test_stumps_and_linear_classes_on_data():
    X = np.array([[0.0, 1.0], [1.0, 3.0], [2.0, 2.0], [2.0, 0.0]])
    stumps = {
        tuple(np.where(X[:, f] <= t, a, b).tolist())
        for f in (0, 1)
        for t in (-1, *X[:, f])
        for a in range(3)
        for b in range(3)
    }
    assert set(stump_class(X, 3)) == stumps
    drawn = linear_class(X, 2, 4000, np.random.default_rng(3))
    assert drawn.vc_dimension() == 3
    assert len(drawn) <= 14


def test_classes_up_to_symmetry_represent_all_with_their_dimensions():
    orbits = list(classes_up_to_symmetry(3, 2))
    assert sum(orbit for _, orbit in orbits) == 2**9 - 1
    cells = list(product(range(3), repeat=2))
    everything = (
        FiniteClass(chosen, labels=range(3)) for size in range(1, 10) for chosen in combinations(cells, size)
    )
    wanted = sorted(
        (len(h), h.ds_dimension(), h.ds_dimension(2), h.natarajan_dimension()) for h in everything
    )
    found = []
    for rows, orbit in orbits:
        h = FiniteClass(rows, labels=range(3))
        found += [(len(h), h.ds_dimension(), h.ds_dimension(2), h.natarajan_dimension())] * orbit
    assert sorted(found) == wanted
    with pytest.raises(ValueError, match=r"27 patterns.*1 to 16"):
        next(classes_up_to_symmetry(3, 3))


def test_labels_are_encoded_and_kept():
    family = FiniteClass([("no", 1.5), ("yes", 2), ("no", 1.5)])
    assert set(family) == {("no", 1.5), ("yes", 2)}
    assert family.duplicates == 1
    assert family.patterns.dtype == np.uint8
    assert FiniteClass(np.array([[-5, 7], [7, -5]])).labels == (-5, 7)
    assert FiniteClass(np.array([[0.5, 7.0]])).labels == (0.5, 7.0)
    assert FiniteClass([[True, False]]).labels == (False, True)
    assert FiniteClass([[2, 0]], labels=range(3)).n_labels == 3
    assert FiniteClass(["ba"], labels="ba").patterns.tolist() == [[0, 1]]
    assert FiniteClass([[0, 300]], labels=range(301)).patterns.dtype == np.uint16


def test_a_class_is_immutable_and_comparable():
    family = six_cycle()
    with pytest.raises(AttributeError, match="immutable"):
        family.labels = ()
    with pytest.raises(AttributeError, match="immutable"):
        del family.labels
    with pytest.raises(ValueError, match="read-only"):
        family.patterns[0, 0] = 1
    assert family == copy.deepcopy(family) == FiniteClass(list(family)[::-1])
    assert len({family, six_cycle()}) == 1
    assert family != FiniteClass(list(family), labels=range(4))
    assert family != 6
    assert (0, 1) in family
    assert (1, 0) not in family


def test_restrictions_may_repeat_points():
    family = six_cycle()
    assert family.restrict([1]).patterns.tolist() == [[0], [1], [2]]
    assert family.restrict([0, 0]).patterns.tolist() == [[0, 0], [1, 1], [2, 2]]
    assert family.shatter([0, 0]) is None
    assert len(family.shatter([1, 0])) == 6
    kept = FiniteClass(["ab", "bb"]).restrict([1])
    assert kept.labels == ("a", "b")
    assert list(kept) == [("b",)]


def test_functions_become_patterns():
    family = FiniteClass.from_functions([lambda x: x % 2, lambda x: 0], range(3))
    assert list(family) == [(0, 0, 0), (0, 1, 0)]


def test_files_are_read(tmp_path):
    path = tmp_path / "class.csv"
    path.write_text("x,y\n0, 1\n\n1,0\n")
    assert list(FiniteClass.from_file(path, header=True)) == [(0, 1), (1, 0)]
    assert FiniteClass.from_file(path).labels == ("0", "1", "x", "y")
    path.write_text("0,1\n1\n")
    with pytest.raises(ValueError, match=r"class.csv, line 2: 1 labels"):
        FiniteClass.from_file(path)
    path.write_text("\n")
    with pytest.raises(ValueError, match="holds no pattern"):
        FiniteClass.from_file(path)


@pytest.mark.parametrize(
    ("patterns", "sentence"),
    [
        ([], "empty"),
        (np.zeros((0, 3), dtype=int), "empty"),
        ([[], []], "at least one point"),
        ([[0, 1], [0]], "row 1 has 1 labels where row 0 has 2"),
        (np.array([0, 1]), "1 dimensions"),
        (np.array([[np.nan, 1.0]]), "NaN"),
    ],
)
def test_bad_patterns_are_named(patterns, sentence):
    with pytest.raises(ValueError, match=sentence):
        FiniteClass(patterns)


@pytest.mark.parametrize(
    ("call", "kind", "sentence"),
    [
        (lambda: FiniteClass([[0, 2]], labels=(0, 1)), ValueError, "2, which labels"),
        (lambda: FiniteClass([[0]], labels=(0, 0)), ValueError, "repeats"),
        (lambda: six_cycle().ds_dimension(0), ValueError, "k is 0"),
        (lambda: six_cycle().ds_dimension(1.5), TypeError, r"k is 1\.5"),
        (lambda: six_cycle().dimension("vapnik"), ValueError, "vapnik"),
        (lambda: six_cycle().vc_dimension(), ValueError, "3 labels"),
        (lambda: six_cycle().dimension("graph", 2), ValueError, "k is 2"),
        (lambda: six_cycle().dimension(at_most=-1), ValueError, "at_most is -1"),
        (lambda: six_cycle().restrict([2]), ValueError, "points has 2"),
        (lambda: six_cycle().restrict([]), ValueError, "at least one point"),
        (lambda: full_class(3, 5).dimension(budget=1000), ValueError, r"31 sets of points .* at_most"),
        (lambda: full_class(2, 40), ValueError, r"1099511627776 patterns .* random_class"),
        (lambda: hamming_ball(60, 30), ValueError, "cells"),
        (lambda: random_class(5, 2, 2, np.random.default_rng(0)), ValueError, "4 patterns; ask for fewer"),
        (lambda: box([2, 0]), ValueError, "sizes is 0"),
        (lambda: full_class(2, True), TypeError, "n_points is True"),
        (lambda: stump_class([1.0, 2.0]), ValueError, "X has shape"),
        (lambda: shatters_by_definition(product(range(2), repeat=5)), ValueError, "32 patterns"),
    ],
)
def test_bad_requests_are_named(call, kind, sentence):
    with pytest.raises(kind, match=sentence):
        call()


def test_a_limited_search_says_so():
    family = full_class(3, 5)
    some = family.dimension(at_most=2)
    assert (some.value, some.complete) == (2, False)
    assert some.verify(family)
    assert hamming_ball(6, 2).dimension(at_most=3).complete
    assert family.dimension(at_most=5).complete


@pytest.mark.parametrize(("notion", "calls"), [("ds", 30), ("graph", 200)])
def test_an_interrupted_search_reports_a_lower_bound(monkeypatch, notion, calls):
    family = random_class(60, 8, 2, np.random.default_rng(4))
    shattered, left = concepts._Search.shattered, [calls]

    def interrupted(*args):
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt
        return shattered(*args)

    monkeypatch.setattr(concepts._Search, "shattered", interrupted)
    with pytest.raises(Interrupted, match="at least") as stop:
        family.dimension(notion)
    found = stop.value.found
    assert found.value > 0
    assert not found.complete
    assert found.verify(family)
    monkeypatch.undo()
    assert family.dimension(notion).value >= found.value
