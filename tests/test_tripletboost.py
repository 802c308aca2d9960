import math
from dataclasses import FrozenInstanceError
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boosttheory import tripletboost
from boosttheory.exact_tripletboost import exact_run, normaliser, small_runs, training_error
from boosttheory.tripletboost import (
    FLOOR,
    Model,
    Run,
    State,
    Sums,
    boost_pair,
    draw_pair,
    reader,
    train,
    training_bound,
)
from boosttheory.triplets import LazyTriplets, TripletSet, TripletWarning, pair_code


def moons(n=90, proportion=0.3, seed=0):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 2))
    y = (points[:, 0] + 0.3 * points[:, 1] > 0).astype(int)
    return TripletSet.from_metric(points, proportion=proportion, rng=rng), y, points


def replay(triplets, y, n_labels, run):
    """The run again, by a loop over the definitions in float64."""
    n = len(y)
    w = np.full((n, n_labels), 1 / (n * n_labels))
    omega = np.where(np.asarray(y)[:, None] == np.arange(n_labels), 1.0, -1.0)
    for c, (j, k) in enumerate(run.pairs.tolist()):
        sides = triplets.half_spaces(j, k)
        labels = [(omega[side] * w[side]).sum(0) > 1e-15 for side in sides]
        vote = np.zeros((n, n_labels))
        for side, o in zip(sides, labels, strict=True):
            vote[side] = np.where(o, 1.0, -1.0)
        w_plus, w_minus = w[omega * vote > 0].sum(), w[omega * vote < 0].sum()
        alpha = 0.5 * math.log((w_plus + 1 / n) / (w_minus + 1 / n))
        w = w * np.exp(-alpha * omega * vote)
        z = w.sum()
        w /= z
        yield c, np.array(labels), w_plus, w_minus, alpha, z


def test_train_equals_the_definitions_round_by_round():
    triplets, y, _ = moons()
    run = train(triplets, y, 2, 300, np.random.default_rng(1))
    for c, labels, w_plus, w_minus, alpha, z in replay(triplets, y, 2, run):
        np.testing.assert_array_equal(run.labels[c], labels)
        np.testing.assert_allclose(
            [run.w_plus[c], run.w_minus[c], run.alpha[c], run.log_z[c]],
            [w_plus, w_minus, alpha, math.log(z)],
            atol=1e-12,
        )


def test_every_drawn_pair_has_two_labels_and_both_orders_occur():
    triplets, y, _ = moons()
    run = train(triplets, y, 2, 500, np.random.default_rng(1))
    assert (y[run.pairs[:, 0]] != y[run.pairs[:, 1]]).all()
    assert 0 < np.mean(run.pairs[:, 0] < run.pairs[:, 1]) < 1


def test_draw_pair_inverts_the_distribution_function_exactly():
    weights = np.array([1.0, 0.0, 2.0, 5.0])
    classes = np.array([0, 1, 1, 2])
    sums = Sums(weights)
    # breakpoints at 1/8, 1/8, 3/8: position 1 has no mass and is never drawn
    for u, expected in [(0.0, 0), (0.1249, 0), (0.125, 2), (0.3749, 2), (0.375, 3), (1 - 2**-53, 3)]:
        j, _, used = draw_pair(sums, classes, np.array([u, 0.0 if expected else 0.5]))
        assert (j, used) == (expected, 2)


def test_draw_pair_redraws_both_until_the_labels_differ():
    sums, classes = Sums(np.array([0.5, 0.5])), np.array([0, 1])
    assert draw_pair(sums, classes, np.array([0.1, 0.2, 0.9, 0.8, 0.7, 0.3])) == (1, 0, 6)
    assert draw_pair(sums, classes, np.array([0.1, 0.2])) == (-1, -1, 2)


def test_more_rounds_from_a_state_go_on_as_one_run():
    triplets, y, _ = moons()
    parts, state = [], None
    for count in (1, 150, 49):
        parts.append(train(triplets, y, 2, count, np.random.default_rng(count), state=state))
        state = parts[-1].state
    whole = Run(*map(np.concatenate, zip(*(part[:-1] for part in parts), strict=True)), state)
    for c, labels, *_, alpha, z in replay(triplets, y, 2, whole):
        np.testing.assert_array_equal(whole.labels[c], labels)
        np.testing.assert_allclose([whole.alpha[c], whole.log_z[c]], [alpha, math.log(z)], atol=1e-12)


def test_merged_model_equals_the_sum_over_rounds():
    triplets, y, _ = moons()
    run = train(triplets, y, 2, 400, np.random.default_rng(3))
    model = Model.from_run(run, len(y), 2)
    scores = np.zeros((len(y), 2))
    for (j, k), labels, alpha in zip(run.pairs.tolist(), run.labels, run.alpha, strict=True):
        for side, o in zip(triplets.half_spaces(j, k), labels, strict=True):
            scores[np.ix_(side, o)] += alpha
    np.testing.assert_allclose(model.scores(triplets), scores, atol=1e-10)
    np.testing.assert_array_equal(model.abstains(triplets), scores.sum(1) == 0)
    used = run.pairs[run.alpha > 0]
    assert model.n_pairs == len(set(pair_code(used[:, 0], used[:, 1]).tolist())) < 400


def test_scores_of_an_object_without_triplets_are_zeros():
    triplets, y, points = moons()
    model = Model.from_run(train(triplets, y, 2, 5, np.random.default_rng(3)), len(y), 2)
    silent = TripletSet.from_metric(points, proportion=0.0, rng=np.random.default_rng(0), queries=points[:2])
    scores = model.scores(silent)
    assert scores.dtype == np.float64
    assert scores.tolist() == [[0.0, 0.0]] * 2
    assert model.abstains(silent).all()


def test_lazy_triplets_give_the_same_run_and_scores():
    _, y, points = moons()
    lazy = LazyTriplets.from_metric(points, proportion=0.2, noise=0.1, seed=5)
    held = lazy.materialise()
    runs = [train(t, y, 2, 100, np.random.default_rng(0)) for t in (lazy, held)]
    for a, b in zip(runs[0][:-1], runs[1][:-1], strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)
    model = Model.from_run(runs[0], len(y), 2)
    np.testing.assert_allclose(model.scores(lazy), model.scores(held), atol=1e-12)


def test_training_bound_dominates_the_training_error_of_long_runs():
    triplets, y, _ = moons(n=40, proportion=0.5)
    run = train(triplets, y, 2, 20_000, np.random.default_rng(0))
    errors = np.mean(Model.from_run(run, len(y), 2).scores(triplets).argmax(1) != y)
    assert training_bound(run) < -50
    assert errors <= math.exp(training_bound(run))
    assert np.abs(run.state.signed).min() >= FLOOR * run.state.marginal.sum() / 2
    assert np.isfinite(run.log_z).all()


def test_multi_label_indicator_equals_codes_when_each_object_has_one_label():
    triplets, y, _ = moons()
    one = train(triplets, y, 2, 50, np.random.default_rng(0))
    two = train(triplets, np.eye(2, dtype=bool)[y], 2, 50, np.random.default_rng(0))
    for a, b in zip(one[:-1], two[:-1], strict=True):
        np.testing.assert_array_equal(a, b)


def test_callback_sees_every_step_of_a_short_run():
    triplets, y, _ = moons()
    seen = []
    run = train(
        triplets, y, 2, 7, np.random.default_rng(0), callback=lambda c, log_z: seen.append((c, log_z))
    )
    assert [c for c, _ in seen] == list(range(1, 8))
    assert seen[-1][1] == pytest.approx(run.log_z.sum())
    assert all(b[1] <= a[1] for a, b in pairwise(seen))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_rounds": 0}, "n_rounds=0"),
        ({"y": np.zeros(90, int)}, "one class only"),
        ({"y": np.zeros(3, int)}, "3 labels for 90 objects"),
        ({"y": np.full(90, 5)}, "code 5 outside 0..1"),
        ({"y": np.full(90, 0.5)}, "float64"),
        ({"y": np.ones((90, 3), bool)}, "3 columns, n_labels=2"),
    ],
)
def test_bad_input_is_named(change, message):
    triplets, y, _ = moons()
    options = {"y": y, "n_labels": 2, "n_rounds": 5, "rng": np.random.default_rng(0)} | change
    with pytest.raises(ValueError, match=message):
        train(triplets, **options)


def test_contradictory_and_foreign_triplets_are_refused():
    with pytest.warns(TripletWarning):
        both = TripletSet.from_arrays([[1, 0, 2], [1, 2, 0]], contradictions="keep", self_reference="keep")
    with pytest.raises(ValueError, match="contradictions='majority'"):
        train(both, np.array([0, 0, 1]), 2, 1, np.random.default_rng(0))
    triplets, y, points = moons()
    queries = TripletSet.from_metric(points, proportion=0.1, rng=np.random.default_rng(0), queries=points[:5])
    with pytest.raises(ValueError, match="5 objects with 90 references"):
        train(queries, y, 2, 1, np.random.default_rng(0))
    model = Model.from_run(train(triplets, y, 2, 5, np.random.default_rng(0)), 90, 2)
    with pytest.raises(ValueError, match="refer to 3 references"):
        model.scores(TripletSet.from_arrays([[0, 1, 2]], n_objects=3))


@settings(derandomize=True, deadline=None, max_examples=40)
@given(st.integers(2, 4), st.integers(5, 12), st.integers(0, 2**32 - 1))
def test_training_error_bound_on_random_runs(n_labels, n, seed):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % n_labels)
    triplets = TripletSet.from_metric(rng.normal(size=(n, 3)), proportion=0.5, rng=rng)
    run = train(triplets, y, n_labels, 8, rng)
    scores = Model.from_run(run, n, n_labels).scores(triplets)
    own = scores[np.arange(n), y]
    scores[np.arange(n), y] = -1
    assert np.mean(scores.max(1) >= own) <= math.exp(training_bound(run)) + 1e-12


def test_exact_runs_are_distributions_with_a_sound_bound():
    runs = small_runs(((2, 2, 2),))
    assert len(runs) == 9
    for run in runs:
        product = math.prod(float(normaliser(r)) for r in run.rounds)
        assert float(training_error(run)) <= product + 1e-12


def test_exact_run_by_hand():
    # object 0 is closer to itself than to 1: o_0 = {0}, W+ = 1/2, e^{2α} = (1/2 + 1/2)/(1/2) = 2
    run = exact_run((0, 1), 2, ((0, 0, 1),), [(0, 1)])
    (first,) = run.rounds
    assert first.labels == (frozenset({0}), frozenset())
    assert (first.w_plus, first.w_minus) == (0.5, 0)
    assert first.s * first.s == 2
    assert training_error(run) == 0.5


# --- the ends of every range --------------------------------------------------------------------------------


def test_weights_are_checked():
    def state():
        return State.initial([0, 1, 0], 2)

    state().check()
    for value, words in ((math.nan, "NaN"), (math.inf, "infinite"), (0.0, "zero")):
        broken = state()
        broken.signed[1, 1] = value
        with pytest.raises(AssertionError, match=words):
            broken.check()
    for scale in (1.0, 1e-20):
        stale = state()
        stale.signed *= scale
        stale.marginal *= scale
        stale.check()
        stale.marginal[2] *= 1 + 1e-11
        with pytest.raises(AssertionError, match="stale"):
            stale.check()


@pytest.mark.parametrize(
    ("y", "words"),
    [
        ([], "give one integer code"),
        ([1], "one class only"),
        ([-1, 1], "code -1 outside"),
        ([0, 2], "code 2 outside"),
        ([0, 5, 1, 6], "code 5 outside"),
        (np.ones((3, 2), bool), "one class only"),
    ],
)
def test_labels_at_their_ends(y, words):
    with pytest.raises(ValueError, match=words):
        State.initial(np.asarray(y, dtype=None if len(y) else int), 2)


def test_codes_may_be_unsigned():
    state = State.initial(np.array([0, 1], np.uint8), 3)
    assert (state.signed * 6).round(12).tolist() == [[1, -1, -1], [-1, 1, -1]]


def test_a_number_that_rounds_up_to_one_draws_the_last():
    sums, classes = Sums(np.array([1.0, 2.0, 5.0])), np.array([0, 1, 2])
    assert draw_pair(sums, classes, np.array([1.0, 0.0])) == (2, 0, 2)
    assert draw_pair(sums, classes, np.array([0.0, 1.0])) == (0, 2, 2)


@pytest.mark.parametrize("n", [100, 128])
def test_a_search_through_levels_stays_in_its_block(n):
    """The sum of a block and the sum of its members round differently; nobody falls off the end."""
    for seed in range(20):
        sums = Sums(np.random.default_rng(seed).random(n), flat=4)
        ends = sums.cumulated[:2] / sums.total
        uniforms = np.minimum(np.nextafter(np.append(ends, 1.0), 0), 1 - 2**-53)
        block = sums.cumulated.searchsorted(uniforms * sums.total, side="right")
        found = sums.find(uniforms)
        assert (found // 64).tolist() == block.tolist()
        assert found.max() == n - 1


def one_pair(signed, heads, split):
    signed = np.array(signed)
    state = State(signed, np.abs(signed).sum(axis=1), np.arange(len(signed)))
    return state, boost_pair(state, np.array(heads), split, float(np.abs(signed).sum()), 1 / len(signed))


def test_a_tie_up_to_rounding_is_a_tie():
    before = [[1 + 1e-14, 1.0], [-1.0, -1.0], [1.0, -1.0]]
    state, found = one_pair(before, [0, 1], 2)
    assert found.labels.tolist() == [[False, False], [False, False]]
    assert (found.alpha, found.z) == (0.0, 1.0)
    assert found.w_plus == found.w_minus == pytest.approx(1 / 3)
    assert state.signed.tolist() == before
    # beyond rounding it is none
    assert one_pair([[1 + 1e-11, 1.0], [-1.0, -1.0], [1.0, -1.0]], [0, 1], 2)[1].labels[0].tolist() == [
        True,
        False,
    ]


def test_a_weight_stops_at_its_share_of_the_total():
    least = FLOOR * 3e-30
    state, found = one_pair([[1e-30, -least], [-1e-30, 1e-30 / 3], [1e-30 / 3, -1e-30 / 3]], [0], 1)
    assert found.alpha > 0
    assert state.signed[0, 1] / -least == pytest.approx(1)
    assert state.marginal[0] == np.abs(state.signed[0]).sum()


def test_the_draws_are_those_of_one_stream():
    """No number of any block is skipped, and the generator is left where every engine leaves it."""
    points = np.random.default_rng(1).normal(size=(12, 2))
    y = np.arange(12) % 3
    triplets = TripletSet.from_metric(points, proportion=0.5, rng=np.random.default_rng(2))
    rng = np.random.default_rng(0)
    run = train(triplets, y, 3, 2500, rng)
    stream = np.random.default_rng(0)
    uniforms, used, w = stream.random(4096), 0, np.full(12, 1 / 12)
    weights = np.full((12, 3), 1 / 36)
    for c, labels, *_, alpha, _ in replay(triplets, y, 3, run):
        cumulated = w.cumsum()
        while True:
            if used == len(uniforms):
                uniforms, used = stream.random(4096), 0
            tried = uniforms[used : used + 2] * cumulated[-1]
            j, k = cumulated.searchsorted(tried, side="right").tolist()
            used += 2
            if y[j] != y[k]:
                break
        assert (j, k) == tuple(run.pairs[c].tolist())
        omega = np.where(y[:, None] == np.arange(3), 1.0, -1.0)
        for side, o in zip(triplets.half_spaces(j, k), labels, strict=True):
            weights[side] *= np.exp(-alpha * omega[side] * np.where(o, 1.0, -1.0))
        w = weights.sum(axis=1)
    assert set(run.pairs[:, 0].tolist()) == set(run.pairs[:, 1].tolist()) == set(range(12))
    assert rng.random() == stream.random()


def test_small_totals_are_rescaled_and_others_left_alone():
    triplets, y, _ = moons()
    plain = train(triplets, y, 2, 20, np.random.default_rng(0))
    for scale in (2.0**-150, 2.0**-1):
        state = State.initial(y, 2)
        state.signed *= scale
        state.marginal *= scale
        run = train(triplets, y, 2, 20, np.random.default_rng(0), state=state)
        np.testing.assert_array_equal(run.pairs, plain.pairs)
        np.testing.assert_allclose(run.alpha, plain.alpha, rtol=1e-12)
        total = plain.state.marginal.sum() * (1 if scale < 1e-40 else scale)
        assert run.state.marginal.sum() == pytest.approx(total, rel=1e-9)
        run.state.check()


def test_a_pair_without_triplets_changes_nothing():
    triplets = TripletSet.from_arrays([[0, 0, 1], [2, 2, 1]], n_objects=3, self_reference="keep")
    run = train(triplets, np.array([0, 1, 2]), 3, 60, np.random.default_rng(0))
    silent = np.sort(run.pairs, axis=1).tolist().index([0, 2])
    assert (run.alpha[silent], run.w_plus[silent], run.w_minus[silent], run.log_z[silent]) == (0, 0, 0, 0)
    assert not run.labels[silent].any()
    # pairs without a weight are no part of the model
    assert Model.from_run(run, 3, 3).codes.tolist() == [0, 2]


def test_progress_is_told_about_every_thousandth_and_at_the_end():
    triplets, y, _ = moons(n=12)
    told = []
    train(triplets, y, 2, 3002, np.random.default_rng(0), callback=lambda c, log_z: told.append(c))
    assert told == [*range(3, 3001, 3), 3002]


def test_the_training_bound_of_three_labels():
    triplets, _, _ = moons()
    run = train(triplets, np.arange(90) % 3, 3, 5, np.random.default_rng(0))
    assert training_bound(run) == pytest.approx(math.log(1.5) + run.log_z.sum(), rel=1e-14)
    assert training_bound(run, 6) == pytest.approx(math.log(3) + run.log_z.sum(), rel=1e-14)


def test_an_object_with_triplets_about_other_pairs_abstains():
    model = Model(np.array([0]), np.array([[[1.0, 0.0], [0.0, 1.0]]]), 4, 2)
    queries = TripletSet.from_arrays([[2, 0, 1], [3, 1, 2]], n_objects=4)
    assert model.abstains(queries).tolist() == [True, True, False, True]
    assert model.scores(queries, table=True).tolist() == [[0, 0], [0, 0], [1, 0], [0, 0]]
    # also where the model speaks of most pairs of the set
    model = Model(np.arange(4), np.ones((4, 2, 2)), 4, 2)
    queries = TripletSet.from_arrays([[2, 0, 1], [3, 0, 2], [0, 1, 3]], n_objects=4)
    assert model.abstains(queries).tolist() == [True, True, False, False]


def test_prediction_reads_what_the_model_shares_or_everything():
    points = np.random.default_rng(0).normal(size=(5, 2))
    triplets = TripletSet.from_metric(points, proportion=1.0, rng=np.random.default_rng(0))
    assert len(triplets.starts) == 2 * 10 + 1

    def parts(n_pairs, **options):
        model = Model(np.arange(n_pairs), np.ones((n_pairs, 2, 2)), 5, 2)
        return [heads for heads, _, _ in model._parts(triplets, **options)]

    shared = [int(triplets.starts[2 * d]) for d in range(11)]
    for n_pairs, table, read in [
        (4, None, shared[4]),
        (5, None, shared[5]),
        (6, None, shared[10]),
        (6, False, shared[6]),
        (1, True, shared[10]),
        (1, False, shared[1]),
    ]:
        (heads,) = parts(n_pairs, table=table)
        assert len(heads) == read


@pytest.mark.parametrize(("limit", "table"), [(21, True), (20, False)])
def test_a_table_that_does_not_fit_is_not_made(monkeypatch, limit, table):
    monkeypatch.setattr(tripletboost, "TABLE", limit)
    points = np.random.default_rng(0).normal(size=(5, 2))
    triplets = TripletSet.from_metric(points, proportion=1.0, rng=np.random.default_rng(0))
    model = Model(np.arange(8), np.ones((8, 2, 2)), 5, 2)
    ((heads, _, _),) = model._parts(triplets)
    assert len(heads) == (len(triplets) if table else triplets.starts[16])


@pytest.mark.parametrize("table", [True, False])
@pytest.mark.parametrize("limit", [1, 7, 10**6])
def test_parts_are_as_large_as_the_limit_allows(monkeypatch, limit, table):
    monkeypatch.setattr(tripletboost, "PART", limit)
    triplets = TripletSet.from_metric(
        np.random.default_rng(0).normal(size=(7, 2)), proportion=0.6, rng=np.random.default_rng(0)
    )
    spaces = np.diff(triplets.starts)
    model = Model(np.arange(21), np.ones((21, 2, 2)), 7, 2)
    parts = list(model._parts(triplets, table))
    assert np.concatenate([heads for heads, _, _ in parts]).tolist() == triplets.heads.tolist()
    assert np.concatenate([own for _, _, own in parts]).tolist() == list(range(42))
    assert [n for _, offsets, _ in parts for n in np.diff(offsets)] == spaces.tolist()
    for heads, offsets, _ in parts:
        assert offsets[0] == 0
        assert offsets[-1] == len(heads)
        assert len(heads) <= limit or len(offsets) == 2
    # the next half-space would not have fitted
    for (heads, _, _), (_, offsets, _) in pairwise(parts):
        assert len(heads) + offsets[1] > limit


def test_training_reads_a_dense_set_without_copies():
    triplets, _, points = moons()
    assert np.shares_memory(reader(triplets)(3, 1)[0], triplets.heads)
    lazy = LazyTriplets.from_metric(points, proportion=0.3, seed=0)
    for j, k in ((3, 1), (1, 3)):
        heads, split = reader(lazy)(j, k)
        near, far = lazy.half_spaces(1, 3)
        assert (heads[:split].tolist(), heads[split:].tolist()) == (near.tolist(), far.tolist())


def test_weights_are_checked_on_demand_only():
    triplets, y, _ = moons()
    for debug in (False, True):
        state = State.initial(y, 2)
        state.marginal *= 1 + 1e-6
        if debug:
            with pytest.raises(AssertionError, match="stale"):
                train(triplets, y, 2, 1, np.random.default_rng(0), state=state, debug=True)
        else:
            train(triplets, y, 2, 1, np.random.default_rng(0), state=state)


def test_one_model_is_merged_with_none():
    triplets, y, _ = moons()
    model = Model.from_run(train(triplets, y, 2, 9, np.random.default_rng(0)), 90, 2)
    with pytest.raises(FrozenInstanceError):
        model.n_labels = 3
    alone = Model.merged([model])
    assert (alone.n_references, alone.n_labels) == (90, 2)
    np.testing.assert_array_equal(alone.votes, model.votes)
