import inspect
from dataclasses import FrozenInstanceError
from fractions import Fraction
from itertools import combinations, permutations, product
from math import comb, log
from types import SimpleNamespace

import mpmath
import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boosttheory import oneinclusion
from boosttheory.concepts import (
    FiniteClass,
    box,
    full_class,
    hamming_ball,
    random_class,
    six_cycle,
    zero_and_singletons,
)
from boosttheory.enumerations import classes_up_to_symmetry
from boosttheory.oneinclusion import (
    Cover,
    Graph,
    ListLearner,
    OneInclusionLearner,
    ProofError,
    _hold,
    _multisets,
    _simplex,
    ceil_log,
    certified_mixture,
    density,
    expected_error,
    greedy_cover,
    orient,
    orientation_number,
    out_degrees,
    reconstruct,
    remove_one_label,
)

exactly = settings(derandomize=True, deadline=None, max_examples=60)


@st.composite
def families(draw, most=30, points=4, labels=4):
    n = draw(st.integers(1, points))
    rows = st.tuples(*[st.integers(0, draw(st.integers(0, labels - 1)))] * n)
    return FiniteClass(draw(st.lists(rows, min_size=1, max_size=most)), labels=range(labels))


def by_networkx(family, k):
    """The least d for which another library's flow serves every edge."""
    rows = [tuple(row) for row in family.patterns.tolist()]
    edges = {}
    for v, row in enumerate(rows):
        for i in range(len(row)):
            edges.setdefault((i, row[:i], row[i + 1 :]), []).append(v)
    demand = sum(max(0, len(e) - k) for e in edges.values())
    for d in range(len(rows[0]) + 1):
        network = nx.DiGraph()
        network.add_nodes_from(["source", "sink"])
        for name, members in edges.items():
            if len(members) > k:
                network.add_edge("source", name, capacity=len(members) - k)
                network.add_edges_from(((name, v) for v in members), capacity=1)
        network.add_edges_from(((v, "sink") for v in range(len(rows))), capacity=d)
        if nx.maximum_flow_value(network, "source", "sink") == demand:
            return d
    raise AssertionError


@exactly
@given(families(), st.integers(1, 3))
def test_the_orientation_is_optimal_and_certified(family, k):
    best = orient(family, k)
    assert best.out_degree == by_networkx(family, k) == orientation_number(family, k)
    assert best.verify()
    assert out_degrees(best.graph, best.chosen, k).max() == best.out_degree
    assert best.out_degree == -(-best.density.numerator // best.density.denominator)
    for listed, (_, members) in zip(best.lists(), best.graph.edges(), strict=True):
        assert set(listed) <= set(members)
        assert len(listed) == min(k, len(members))


@exactly
@given(families(most=5, points=3), st.integers(1, 2))
def test_no_orientation_at_all_is_better(family, k):
    graph = Graph(family)
    edges = [e for _, e in graph.edges() if len(e) > k]
    choices = [list(combinations(e, len(e) - k)) for e in edges]
    least = min(
        max([sum(v in out for out in left_out) for v in range(len(family))], default=0)
        for left_out in product(*choices)
    )
    assert orient(graph, k).out_degree == least


@exactly
@given(families(), st.integers(1, 3))
def test_the_out_degree_stays_within_the_dimension(family, k):
    assert orient(family, k).out_degree <= family.ds_dimension(k)


@exactly
@given(families(), st.integers(1, 3))
def test_edges_and_degrees_are_those_of_the_definitions(family, k):
    graph = Graph(family)
    rows = [tuple(row) for row in family.patterns.tolist()]
    edges = list(graph.edges())
    assert len(edges) == graph.n_edges
    assert sum(len(e) for _, e in edges) == graph.n_vertices * family.n_points
    for number, (i, members) in enumerate(edges):
        (rest,) = {rows[v][:i] + rows[v][i + 1 :] for v in members}
        assert members == tuple(v for v, row in enumerate(rows) if row[:i] + row[i + 1 :] == rest)
        assert all(graph.edge_of[i, v] == number for v in members)
    counted = [sum(v in e and len(e) > k for _, e in edges) for v in range(len(rows))]
    assert graph.degrees(k).tolist() == counted


def test_spoilt_certificates_are_refused():
    best = orient(hamming_ball(5, 2))
    overfull = best.chosen.copy()
    overfull[tuple(np.argwhere(~overfull)[0])] = True
    rows = best.graph.patterns
    square = np.flatnonzero(rows[:, 2:].sum(axis=1) == 0)
    assert density(best.graph, square) == 1
    for field, value in [
        ("chosen", overfull),
        ("dense", square),
        ("dense", np.zeros(0, int)),
        ("out_degree", 3),
        ("out_degree", 1),
        ("dense", np.arange(1)),
        ("chosen", ~best.chosen),
    ]:
        spoilt = orient(hamming_ball(5, 2))
        object.__setattr__(spoilt, field, value)
        assert not spoilt.verify()
    with pytest.raises(ValueError, match="more than k=1"):
        out_degrees(best.graph, np.ones_like(best.chosen))
    with pytest.raises(ValueError, match="chosen has shape"):
        out_degrees(best.graph, best.chosen[:1])
    with pytest.raises(ValueError, match="vertices is empty"):
        density(best.graph, [])


@pytest.mark.parametrize(
    ("family", "k", "number"),
    [
        (hamming_ball(12, 4), 1, 4),
        (full_class(2, 6), 1, 3),
        (full_class(3, 4), 1, 3),
        (full_class(3, 4), 2, 2),
        (six_cycle(), 1, 1),
        (six_cycle(), 2, 0),
        (full_class(3, 1), 3, 0),
        (FiniteClass([[0]]), 1, 0),
        (box([60, 60]), 1, 2),
    ],
)
def test_known_orientation_numbers(family, k, number):
    assert orientation_number(family, k) == number


def test_a_dense_corner_decides_for_a_sparse_class():
    corner = np.pad(full_class(2, 6).patterns, ((0, 0), (0, 14)))
    far = np.eye(20, dtype=int)[:, None].repeat(10, axis=1).reshape(-1, 20)
    scattered = np.random.default_rng(0).integers(2, size=(400, 20))
    best = orient(FiniteClass(np.concatenate([corner, far, scattered])))
    assert best.out_degree == 3
    assert best.verify()
    assert len(best.dense) < 400


def test_counts_at_their_ends():
    graph = Graph(full_class(2, 3))
    for call in (
        lambda: graph.degrees(0),
        lambda: density(graph, [0], 0),
        lambda: out_degrees(graph, np.zeros((3, 8)), 0),
    ):
        with pytest.raises(ValueError, match="k is 0"):
            call()
    assert out_degrees(graph, np.zeros((3, 8))).tolist() == [3] * 8
    best = orient(graph)
    assert out_degrees(graph, best.chosen.astype(int)).max() == best.out_degree
    nothing = orient(graph, 2)
    assert (nothing.out_degree, nothing.density, nothing.dense.tolist()) == (0, 0, [])
    assert nothing.dense.dtype == best.dense.dtype == np.int64


def test_the_arrays_of_a_graph_are_read_only():
    graph = Graph([[0, 1], [1, 1]])
    with pytest.raises(ValueError, match="read-only"):
        graph.edge_of[0, 0] = 3


# --------------------------------------------------------------------------------------------- Algorithm 5


@exactly
@given(families(most=12, points=4, labels=3), st.integers(1, 2), st.data())
def test_one_inclusion_lists_do_not_depend_on_the_order_of_the_sample(family, k, data):
    h = data.draw(st.sampled_from(list(family)))
    points = data.draw(st.lists(st.integers(0, family.n_points - 1), max_size=4))
    x = data.draw(st.integers(0, family.n_points - 1))
    lists = {
        OneInclusionLearner(family, k).fit([(p, h[p]) for p in order]).predict_list(x)
        for order in permutations(points)
    }
    assert len(lists) == 1
    (listed,) = lists
    assert 1 <= len(listed) <= k
    if x in points:
        assert listed == (h[x],)


@exactly
@given(families(most=12, points=4, labels=3), st.integers(1, 2), st.data())
def test_leaving_one_out_errs_as_often_as_the_out_degree_of_the_truth(family, k, data):
    h = data.draw(st.sampled_from(list(family)))
    points = data.draw(st.lists(st.integers(0, family.n_points - 1), min_size=1, max_size=4))
    learner = OneInclusionLearner(family, k)
    misses = sum(
        h[x] not in learner.fit([(p, h[p]) for p in points[:i] + points[i + 1 :]]).predict_list(x)
        for i, x in enumerate(points)
    )
    solved = learner.orientation(points[-1])
    row = [family.labels.index(h[p]) for p in sorted(points)]
    (v,) = np.flatnonzero((solved.graph.patterns == row).all(axis=1))
    assert misses == out_degrees(solved.graph, solved.chosen, k)[v] <= solved.out_degree


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_the_exact_error_stays_below_m_over_n_plus_one(n):
    weights = {(0, 0): Fraction(1, 2), (1, 0): Fraction(1, 3), (2, 1): Fraction(1, 6)}
    for family, k in [(zero_and_singletons(3), 1), (full_class(2, 3), 1), (full_class(3, 3), 2)]:
        error, worst = expected_error(family, k, weights, n)
        assert isinstance(error, Fraction)
        assert error <= Fraction(worst, n + 1)
        sampled = Fraction(0)
        for draw in product(weights, repeat=n + 1):
            x, y = draw[-1]
            chance = Fraction(1)
            for drawn in draw:
                chance *= weights[drawn]
            sampled += chance * (y not in OneInclusionLearner(family, k).fit(draw[:-1]).predict_list(x))
        assert sampled == error


def test_the_exact_error_reuses_orientations_and_refuses_too_many_samples():
    family, weights = zero_and_singletons(4), {(x, 0): Fraction(1, 4) for x in range(4)}
    shared = OneInclusionLearner(family)
    first = expected_error(family, 1, weights, 2, learner=shared)
    kept = dict(shared._solved)
    assert (
        expected_error(family, 1, weights, 2, learner=shared)
        == first
        == expected_error(family, 1, weights, 2)
    )
    assert shared._solved == kept
    with pytest.raises(ValueError, match=r"multisets of 4 examples, more than max_samples=9"):
        expected_error(family, 1, weights, 2, max_samples=9)


@pytest.mark.parametrize("weights", [(Fraction(3, 2), Fraction(-1, 2)), (1, 0), (Fraction(1, 2),) * 3])
def test_a_distribution_is_positive_and_adds_up(weights):
    with pytest.raises(ValueError, match="must sum to 1"):
        expected_error(full_class(2, 3), 1, {(x, 0): w for x, w in enumerate(weights)}, 1)


def test_the_exact_error_at_its_ends():
    weights = {(x, 0): Fraction(1, 4) for x in range(4)}
    assert expected_error(zero_and_singletons(4), 1, weights, 2, max_samples=10)[1] == 1
    assert expected_error(full_class(3, 2), 3, {(0, 0): Fraction(1)}, 1) == (0, 0)


def test_k_at_least_the_number_of_labels_lists_everything():
    family = full_class(3, 2)
    learner = OneInclusionLearner(family, 3).fit([(0, 2)])
    assert learner.predict_list(1) == (0, 1, 2)
    assert learner.orientation(1).out_degree == 0
    assert ListLearner(family, 5).fit([(0, 1)]).predict_list(1) == (0, 1, 2)


def test_labels_and_lists_are_respected():
    family = FiniteClass(["aa", "ab", "ba", "bb", "cc"])
    assert OneInclusionLearner(family).fit([(0, "c")]).predict_list(1) == ("c",)
    within = OneInclusionLearner(family, 2, lists=["ab", "a"])
    assert within.fit([]).predict_list(1) == ("a",)
    assert within.predict_list(0) == ("a", "b")
    assert OneInclusionLearner(family, 2, lists=["", "a"]).orientation(0) is None
    assert OneInclusionLearner(family, 2, lists=["", "a"]).predict_list(0) == ()
    # the pattern ab leaves the list of point 1, though not that of point 0
    assert within.fit([(0, "a")]).predict_list(1) == ("a",)
    with pytest.raises(ValueError, match="points has 9"):
        within.orientation(9)
    with pytest.raises(ValueError, match="realised by no member"):
        within.fit([(0, "c")])
    with pytest.raises(ValueError, match="lists has 1 entries for 2 points"):
        OneInclusionLearner(family, lists=["ab"])


@pytest.mark.parametrize("learner", [OneInclusionLearner(six_cycle()), ListLearner(six_cycle())])
@pytest.mark.parametrize(
    ("sample", "sentence"),
    [
        ([(0, 0), (0, 1)], "point 0 the labels 0 and 1"),
        ([(0, 0), (1, 2)], "realised by no member"),
        ([(5, 0)], "points has 5"),
        ([(0, 7)], "the label 7"),
    ],
)
def test_bad_samples_are_named(learner, sample, sentence):
    with pytest.raises(ValueError, match=sentence):
        learner.fit(sample)


# --------------------------------------------------------------------------------------------- Algorithm 6


@pytest.mark.parametrize("choose", ["best", "least"])
@pytest.mark.parametrize(
    ("family", "k"),
    [
        (six_cycle(), 1),
        (full_class(3, 3), 1),
        (full_class(4, 2), 2),
        (zero_and_singletons(12), 1),
        (hamming_ball(8, 1, 4), 1),
        (random_class(30, 9, 4, np.random.default_rng(0)), 1),
        (random_class(30, 9, 4, np.random.default_rng(1)), 2),
        (FiniteClass(["ab", "bb", "bc", "cc", "ca", "aa"]), 1),
    ],
)
def test_list_learning_is_consistent_and_compresses(family, k, choose):
    for h in list(family)[:: max(1, len(family) // 2)]:
        sample = [(x, h[x]) for x in range(family.n_points)]
        for drawn in (sample, sample[:1] * 3 + sample[1:]):
            learner = ListLearner(family, k, choose=choose).fit(drawn, np.random.default_rng(0))
            assert all(y in learner.predict_list(x) for x, y in drawn)
            assert max(map(len, learner.lists)) <= k
            assert learner.size <= learner.bound
            examples = {e for u in learner.cover.subsets for e in u}
            examples |= {e for step in learner.removals for u in step.subsets for e in u}
            assert examples <= set(drawn)
            assert reconstruct(family, k, learner.cover.subsets, learner.removals) == learner.lists
            d, m = learner.dimension, len(drawn)
            assert all(share >= Fraction(1, d + 1) for share in learner.cover.covered)
            for step in learner.removals:
                p = step.list_size
                assert sum(step.counts) == ceil_log(8 * p * p, m)
                assert all(len(u) <= 4 * p * d for u in step.subsets)
                assert step.floor <= step.value < Fraction(1, 4 * p)
                assert step.vote < Fraction(1, 2 * p)
                assert step.out_degree <= d
                assert sum(step.mixture) == sum(step.hard.values()) == 1


def test_the_least_cover_makes_rounds_that_shorten_lists():
    family = random_class(30, 9, 4, np.random.default_rng(0))
    sample = [(x, y) for x, y in enumerate(next(iter(family)))]
    long = ListLearner(family, 1, choose="least").fit(sample)
    assert [step.list_size for step in long.removals] == list(range(len(long.removals) + 1, 1, -1))
    assert len(long.removals) >= 2
    assert not ListLearner(family, 1).fit(sample).removals


@pytest.mark.parametrize("family", [random_class(30, 9, 4, np.random.default_rng(0)), full_class(3, 3)])
def test_the_number_of_examples_and_its_bound_are_those_of_equations_33_and_34(family):
    sample = [(x, y) for x, y in enumerate(next(iter(family)))]
    long = ListLearner(family, 1, choose="least").fit(sample)
    d, q, m = long.dimension, long.cover.bound, len(sample)
    described = [len(u) for u in long.cover.subsets]
    for step in long.removals:
        for u, count in zip(step.subsets, step.counts, strict=True):
            described += [len(u)] * count
    assert long.size == sum(described)
    assert long.bound == q * d + sum(4 * p * d * ceil_log(8 * p**2, m) for p in range(2, q + 1))


def test_a_multiset_holds_an_example_twice_at_most():
    found = list(_multisets([(0, "a"), (1, "b")], 3))
    counted = [(subset.count((0, "a")), subset.count((1, "b"))) for subset in found]
    assert sorted(counted) == [(i, j) for i in range(3) for j in range(3) if i + j <= 3]


def test_too_many_examples_contradict_theorem_5(monkeypatch):
    cover = Cover((((0, 1),),) * 99, (Fraction(1),) * 99, 1, ((1,), (2,)))
    monkeypatch.setattr(oneinclusion, "greedy_cover", lambda *arguments, **options: cover)
    with pytest.raises(ProofError, match="Theorem 5: 99 examples describe the lists"):
        ListLearner(six_cycle()).fit([(0, 1)])


def test_every_step_gets_the_generator_and_the_limit(monkeypatch):
    seen = []

    def recorded(*arguments, max_subsets, **options):
        seen.append((arguments[5], max_subsets))
        return remove_one_label(*arguments, max_subsets=max_subsets, **options)

    monkeypatch.setattr(oneinclusion, "remove_one_label", recorded)
    family, rng = random_class(30, 9, 4, np.random.default_rng(0)), np.random.default_rng(5)
    sample = [(x, y) for x, y in enumerate(next(iter(family)))]
    ListLearner(family, 1, choose="least", max_subsets=12345).fit(sample, rng)
    assert len(seen) >= 2
    assert all(given is rng and limit == 12345 for given, limit in seen)


def test_lists_are_rebuilt_inside_the_lists_so_far():
    family = FiniteClass([[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 2]])
    step = SimpleNamespace(list_size=2, subsets=[((0, 0),)], counts=[1])
    assert reconstruct(family, 1, [((0, 0),), ((0, 1),)], []) == ((0, 1), (0, 1))
    # outside them the pattern (2, 2) would count, and 0 be struck from the second list
    assert reconstruct(family, 1, [((0, 0),), ((0, 1),)], [step]) == ((0,), (0,))


def test_results_are_not_edited():
    best = orient(six_cycle())
    cover = greedy_cover(six_cycle(), [(0, 1)], 1, 1)
    step = remove_one_label(zero_and_singletons(3), [(0, 0)], [(0, 1)] * 3, 2, 1, np.random.default_rng(0))
    for value, name in ((best, "k"), (cover, "bound"), (step, "vote")):
        with pytest.raises(FrozenInstanceError):
            setattr(value, name, 1)
    # by identity: a comparison of its arrays has no truth value
    assert best != orient(six_cycle())
    assert len({best}) == 1


@pytest.mark.parametrize(
    ("function", "name", "limit"),
    [
        (orient, "memory", 8 * 2**30),
        (expected_error, "max_samples", 10**6),
        (greedy_cover, "max_subsets", 10**6),
        (remove_one_label, "max_subsets", 10**6),
        (ListLearner, "max_subsets", 10**6),
    ],
)
def test_work_is_limited_unless_the_caller_says_how(function, name, limit):
    assert inspect.signature(function).parameters[name].default == limit


def test_one_label_is_listed_unless_more_are_asked_for():
    graph = Graph(full_class(3, 4))
    assert graph.degrees(2).tolist() == [4] * 81
    assert graph.degrees(3).tolist() == [0] * 81
    assert Graph(full_class(2, 3)).degrees().tolist() == [3] * 8
    assert orientation_number(graph) == 3
    with pytest.raises(ValueError, match="k is 0"):
        OneInclusionLearner(six_cycle(), 0)


def test_q_mixes_subsets_when_each_errs_somewhere(monkeypatch):
    # Each subset names the right label of one example that depends on it, so that no single one will do.
    monkeypatch.setattr(
        oneinclusion, "_wrong_label", lambda learner, full, x: int(x != sum(learner._drawn) % 20)
    )
    sample = [(x, 0) for x in range(20)]
    step = remove_one_label(zero_and_singletons(20), sample, [(0, 1)] * 20, 2, 1, np.random.default_rng(0))
    assert sum(q > 0 for q in step.mixture) > 8
    assert step.floor <= step.value < Fraction(1, 8)
    assert 0 < step.vote < Fraction(1, 4)
    assert step.lists == ((0,),) * 20


def test_an_error_of_exactly_what_lemma_11_promises_will_do(monkeypatch):
    # each subset errs on one of nine examples: d/(4Pd + 1) of the uniform distribution
    monkeypatch.setattr(
        oneinclusion, "_wrong_label", lambda learner, full, x: int(x != sum(learner._drawn) % 9)
    )
    sample = [(x, 0) for x in range(9)]
    step = remove_one_label(zero_and_singletons(9), sample, [(0, 1)] * 9, 2, 1, np.random.default_rng(0))
    assert step.value == Fraction(1, 9)


def test_a_sample_beyond_the_subsets_is_learnt_from_them():
    family = FiniteClass([[int(x >= t) for x in range(40)] for t in range(41)])
    sample = list(enumerate(list(family)[20]))
    step = remove_one_label(family, sample, [(0, 1)] * 40, 2, 1, np.random.default_rng(0))
    assert step.lists == tuple((y,) for _, y in sample)
    assert max(map(len, step.support)) == 8


def test_a_dimension_that_is_too_small_breaks_the_proof():
    family = full_class(2, 4)
    sample = [(x, 0) for x in range(4)]
    with pytest.raises(ProofError, match="Lemma 8"):
        greedy_cover(full_class(3, 2), [(0, 0), (1, 0)], 1, 0)
    with pytest.raises(ProofError, match=r"Lemma 1[01]"):
        remove_one_label(family, sample, [(0, 1)] * 4, 2, 0, np.random.default_rng(0))


def test_the_cover_at_its_ends():
    sample = [(0, 1), (1, 2)]
    cover = greedy_cover(six_cycle(), sample, 1, 1)
    assert cover.bound == 3  # ⌈2 ln 4⌉
    assert len(cover.covered) == len(cover.subsets)
    assert greedy_cover(six_cycle(), sample, 1, 2, max_subsets=3) == greedy_cover(six_cycle(), sample, 1, 2)
    with pytest.raises(ValueError, match="max_subsets=2"):
        greedy_cover(six_cycle(), sample, 1, 2, max_subsets=2)
    # each example alone is realised, both together are not
    with pytest.raises(ValueError, match="realised by no member"):
        greedy_cover(FiniteClass([[0, 0], [1, 1]]), [(0, 0), (1, 1)], 1, 1)


@pytest.mark.parametrize(
    ("reach", "choose", "taken", "covered"),
    [
        # one of two is exactly the half that Lemma 8 promises
        ([{0}, {1}], "best", [0, 1], [Fraction(1, 2), 1]),
        ([{0}, {0, 1}], "best", [1], [1]),
        ([{0, 1}, {1}], "least", [1, 0], [Fraction(1, 2), 1]),
        # one of three is too few
        ([{0}, {1}, {0, 1, 2}], "best", [2], [1]),
        ([{0}, {1, 2}, {0, 1, 2}], "least", [1, 0], [Fraction(2, 3), 1]),
    ],
)
def test_which_subset_a_step_takes(monkeypatch, reach, choose, taken, covered):
    """Trained on example i alone, the learner is right on reach[i]."""
    monkeypatch.setattr(
        OneInclusionLearner, "predict_list", lambda self, x: (0,) if x in reach[self._drawn[0]] else (1,)
    )
    family, sample = zero_and_singletons(len(reach)), [(x, 0) for x in range(len(reach))]
    cover = greedy_cover(family, sample, 1, 1, choose=choose)
    assert [subset for (subset,) in cover.subsets] == [(x, 0) for x in taken]
    assert list(cover.covered) == covered


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("ceil_log", lambda factor, m: 0, "Lemma 9: the cover took 1 > q = 0"),
        ("_union", lambda learner, subsets: (tuple(range(99)),) * 2, "Lemma 9: a list has more than kq"),
        ("_union", lambda learner, subsets: ((),) * 2, "Lemma 9: the lists miss an example"),
        ("_union", lambda learner, subsets: ((1,), ()), "Lemma 9: the lists miss an example"),
    ],
)
def test_the_claims_of_lemma_9_are_checked(monkeypatch, name, value, words):
    monkeypatch.setattr(oneinclusion, name, value)
    with pytest.raises(ProofError, match=words):
        greedy_cover(six_cycle(), [(0, 1), (1, 2)], 1, 1)


def test_lists_of_kq_labels_are_what_lemma_9_admits(monkeypatch):
    lists = ((0, 1, 2), (0, 1, 2))
    monkeypatch.setattr(oneinclusion, "_union", lambda learner, subsets: lists)
    cover = greedy_cover(six_cycle(), [(0, 1), (1, 2)], 1, 1)
    assert (cover.bound, cover.lists) == (3, lists)


def test_a_false_step_is_a_proof_error():
    _hold(True, "fine")
    with pytest.raises(ProofError, match=r"^broken$"):
        _hold(False, "broken")


def test_draws_that_always_vote_wrong_are_given_up(monkeypatch):
    monkeypatch.setattr(
        oneinclusion, "_wrong_label", lambda learner, full, x: int(x != sum(learner._drawn) % 20)
    )
    calls = []

    def first_alone(n, chances):
        calls.append(n)
        return np.array([n] + [0] * (len(chances) - 1))

    sample, draws = [(x, 0) for x in range(20)], SimpleNamespace(multinomial=first_alone)
    with pytest.raises(ProofError, match="100 times 119 draws"):
        remove_one_label(zero_and_singletons(20), sample, [(0, 1)] * 20, 2, 1, draws)
    assert calls == [119] * 100


@pytest.mark.parametrize("most", [24, 20])
def test_a_vote_of_a_quarter_is_drawn_again(monkeypatch, most):
    # each of nine subsets errs on an example of its own; 96 draws, of which fewer than 24 may agree on one
    monkeypatch.setattr(
        oneinclusion, "_wrong_label", lambda learner, full, x: int(x != sum(learner._drawn) % 10)
    )
    answers = iter([[most, *[9] * 8], [0, *[12] * 8]])

    def multinomial(n, chances):
        counts = np.zeros(len(chances), int)
        counts[np.flatnonzero(chances > 1e-9)] = next(answers)
        return counts

    sample, draws = [(x, 0) for x in range(10)], SimpleNamespace(multinomial=multinomial)
    step = remove_one_label(zero_and_singletons(10), sample, [(0, 1)] * 10, 2, 1, draws)
    assert step.value == Fraction(1, 9)
    assert step.vote == Fraction(12 if most == 24 else 20, 96)
    assert len(step.counts) == len(step.subsets) == (8 if most == 24 else 9)
    assert min(step.counts) > 0


@pytest.mark.parametrize(
    ("shorter", "words"),
    [
        (((0, 1),) * 3, "Theorem 8: a list has 2 labels still"),
        (((0,), (1,), (0,)), "Theorem 8: the lists miss"),
    ],
)
def test_the_claims_of_theorem_8_are_checked(monkeypatch, shorter, words):
    monkeypatch.setattr(oneinclusion, "_vote_away", lambda *arguments: shorter)
    sample = [(0, 0), (1, 0)]
    with pytest.raises(ProofError, match=words):
        remove_one_label(zero_and_singletons(3), sample, [(0, 1)] * 3, 2, 1, np.random.default_rng(0))


def test_a_game_that_does_not_move_is_given_up(monkeypatch):
    whole = (Fraction(1),)
    monkeypatch.setattr(
        oneinclusion, "certified_mixture", lambda table: (whole, Fraction(1), whole, Fraction(0))
    )
    with pytest.raises(ProofError, match=r"Theorem 8: the game over .* does not fall below 1/8"):
        remove_one_label(zero_and_singletons(3), [(0, 0)], [(0, 1)] * 3, 2, 1, np.random.default_rng(0))


def test_the_claim_of_lemma_10_is_checked():
    family, lists = zero_and_singletons(3), [(0, 1)] * 3
    learner = OneInclusionLearner(family, lists=lists)
    learner._solved[0, 1, 2] = orient(full_class(2, 6))
    with pytest.raises(ProofError, match="Lemma 10: an orientation has out-degree 3 > d = 1"):
        remove_one_label(family, [(0, 0)], lists, 2, 1, np.random.default_rng(0), learner=learner)


def test_a_step_sees_only_patterns_inside_the_lists():
    family = FiniteClass([[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 2]])
    step = remove_one_label(family, [(0, 0)], [(0, 1)] * 2, 2, 2, np.random.default_rng(0))
    # outside them the pattern (2, 2) would count, and 0 be struck from the second list
    assert step.lists == ((0,), (0,))


def test_a_step_that_may_try_nothing_says_so():
    with pytest.raises(ValueError, match=r"the step from 2 to 1 labels may try .* max_subsets=0"):
        remove_one_label(
            zero_and_singletons(3),
            [(0, 0)],
            [(0, 1)] * 3,
            2,
            1,
            np.random.default_rng(0),
            max_subsets=0,
        )


def test_a_linear_program_that_fails_is_named(monkeypatch):
    monkeypatch.setattr(
        "scipy.optimize.linprog", lambda *a, **k: SimpleNamespace(success=False, message="lost")
    )
    with pytest.raises(RuntimeError, match="lost"):
        certified_mixture([[1]])


def test_weights_are_rounded_to_a_distribution():
    assert _simplex(np.array([0.5, 0.25, 0.25])) == (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4))
    assert _simplex(np.array([1 / 3, 2 / 3, -1e-18])) == (Fraction(1, 3), Fraction(2, 3), 0)
    assert _simplex(np.array([0.1, 0.2, 0.7])) == (Fraction(1, 10), Fraction(1, 5), Fraction(7, 10))
    # the denominators of so many do not go together
    weights = np.append(np.sqrt(np.arange(2, 60)), -1.0)
    weights /= weights[:-1].sum()
    rounded = _simplex(weights)
    assert sum(rounded) == 1
    assert rounded[-1] == 0
    assert max(abs(float(w) - v) for w, v in zip(rounded[:-1], weights, strict=False)) < 1e-16


def test_logarithms_of_large_factors():
    with mpmath.workdps(90):
        assert ceil_log(10**35, 3) == int(mpmath.ceil(10**35 * mpmath.log(6)))


def test_invariants_notice_a_broken_learner(monkeypatch):
    family = six_cycle()
    monkeypatch.setattr(OneInclusionLearner, "predict_list", lambda self, x: ())
    with pytest.raises(ProofError, match="Lemma 8"):
        ListLearner(family).fit([(0, 1), (1, 1)])


def test_votes_against_the_truth_are_noticed(monkeypatch):
    family = zero_and_singletons(6)
    sample = [(x, 0) for x in range(6)]
    monkeypatch.setattr(oneinclusion, "_wrong_label", lambda learner, full, x: 0)
    with pytest.raises(ProofError, match="Lemma 11"):
        remove_one_label(family, sample, [(0, 1)] * 6, 2, 1, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: ListLearner(six_cycle()).fit([]), "sample is empty"),
        (lambda: orient(full_class(2, 8), memory=10**5), r"1024 edges .* GB; raise memory"),
        (lambda: orient(six_cycle(), 0), "k is 0"),
        (
            lambda: ListLearner(full_class(2, 6), max_subsets=9).fit([(x, 0) for x in range(6)]),
            "max_subsets=9",
        ),
        (lambda: greedy_cover(six_cycle(), [(0, 1)], 1, 2, choose="most"), "'most'"),
        (
            lambda: remove_one_label(six_cycle(), [(0, 1)], [(0, 2), (0,)], 2, 2, np.random.default_rng(0)),
            r"misses the example \(0, 1\)",
        ),
        (
            lambda: remove_one_label(
                six_cycle(), [(0, 1)], [(0, 1, 2), (0,)], 2, 2, np.random.default_rng(0)
            ),
            "up to 3 labels",
        ),
        (
            lambda: remove_one_label(six_cycle(), [(0, 1)], [(1,), (0,)], 1, 2, np.random.default_rng(0)),
            "size is 1",
        ),
        (lambda: expected_error(six_cycle(), 1, {(0, 0): Fraction(1, 2)}, 1), "sum to 1"),
        (lambda: ListLearner(six_cycle()).fit([(0, 1)]).predict_list(9), "points has 9"),
    ],
)
def test_bad_requests_are_named(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()


@exactly
@given(st.integers(1, 6), st.integers(1, 6), st.randoms(use_true_random=False))
def test_the_mixture_is_certified(strategies, examples, random):
    wrong = [[random.randint(0, 1) for _ in range(examples)] for _ in range(strategies)]
    mixture, value, hard, floor = certified_mixture(wrong)
    assert sum(mixture) == sum(hard) == 1
    assert min(mixture) >= 0
    assert min(hard) >= 0
    assert floor == min(sum(w * x for w, x in zip(hard, row, strict=True)) for row in wrong)
    assert 0 <= value - floor < Fraction(1, 10**4)


@pytest.mark.parametrize("seed", range(5))
def test_the_mixture_is_certified_for_large_losses(seed):
    losses = np.random.default_rng(seed).integers(10**9, size=(3, 3)).tolist()
    mixture, value, hard, floor = certified_mixture(losses)
    assert value == max(sum(q * row[i] for q, row in zip(mixture, losses, strict=True)) for i in range(3))
    assert floor == min(sum(w * x for w, x in zip(hard, row, strict=True)) for row in losses)
    assert floor <= value


def test_a_point_without_labels_keeps_none():
    lists = [(0, 1), (), ()]
    family, rng = zero_and_singletons(3), np.random.default_rng(0)
    assert remove_one_label(family, [(0, 0)], lists, 2, 1, rng).lists == ((0,), (), ())
    # nor has it an orientation
    learner = OneInclusionLearner(family, lists=lists)
    assert learner.fit([]).predict_list(1) == ()
    assert remove_one_label(family, [(0, 0)], lists, 2, 1, rng, learner=learner).lists == ((0,), (), ())


def test_rounded_logarithms():
    assert [ceil_log(1, m) for m in (1, 2, 10, 10**30)] == [1, 2, 3, 70]
    assert ceil_log(0, 7) == 0
    assert all(ceil_log(f, m) - 1 < f * log(2 * m) < ceil_log(f, m) for f in (3, 72, 800) for m in (1, 5, 99))


def test_all_small_classes_obey_lemmas_6_and_10():
    for n_labels, n_points in [(2, 4), (3, 2)]:
        for rows, _ in classes_up_to_symmetry(n_labels, n_points):
            family = FiniteClass(rows, labels=range(n_labels))
            for k in range(1, n_labels):
                assert orientation_number(family, k) <= family.ds_dimension(k)


def test_the_ball_of_radius_six():
    family = hamming_ball(20, 6)
    assert len(family) == sum(comb(20, r) for r in range(7)) == 60460
    assert orient(family).out_degree == 6
