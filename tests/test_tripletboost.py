import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boosttheory.exact_tripletboost import exact_run, normaliser, small_runs, training_error
from boosttheory.tripletboost import FLOOR, Model, Run, Sums, draw_pair, train, training_bound
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
