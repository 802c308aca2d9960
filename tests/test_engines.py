"""All engines are one algorithm: the law of the draws, equal runs, and the exact engine as the judge."""

import doctest
import math
import sys
from fractions import Fraction
from itertools import accumulate
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boosttheory import TripletBoostClassifier, engines, lockstep, tripletboost
from boosttheory import triplets as triplet_module
from boosttheory.exact_tripletboost import exact_run, normaliser
from boosttheory.lockstep import Weights, train_many
from boosttheory.spaces import load_space
from boosttheory.tripletboost import FLOOR, Model, State, Sums, train, training_bound
from boosttheory.triplets import LazyTriplets, TripletSet

try:
    from boosttheory import numba_engine
except ImportError:
    numba_engine = None

compiled = pytest.mark.skipif(numba_engine is None, reason="numba is not installed")
FAST = ["lockstep", pytest.param("numba", marks=compiled)]
ENGINES = ["numpy", *FAST]


def sample(n=60, n_labels=2, proportion=0.3, seed=0):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 2))
    y = (np.argsort(np.argsort(points[:, 0])) * n_labels) // n
    return TripletSet.from_metric(points, proportion=proportion, rng=rng), y


def run(engine, triplets, y, n_labels, n_rounds, seed=1, **options):
    rng = np.random.default_rng(seed)
    return engines.train(triplets, y, n_labels, n_rounds, rng, engine=engine, **options)


def assert_same(one, other):
    np.testing.assert_array_equal(one.pairs, other.pairs)
    np.testing.assert_array_equal(one.labels, other.labels)
    for a, b in zip(one[2:-1], other[2:-1], strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12, rtol=0)


# The law of the draws


def finders(weights):
    """The search of each engine over the same weights, and of the block sums that large sets use."""
    yield "numpy", Sums(weights).find
    yield "numpy, many levels", Sums(weights, flat=4).find
    state = State(weights[:, None].copy(), weights, np.zeros(len(weights), np.intp))
    # a second run, of other weights, must not disturb the first
    other = State(weights[::-1, None].copy(), weights[::-1], np.zeros(len(weights), np.intp))
    many = Weights([other, state])
    yield "lockstep", lambda uniforms: many.find(np.array([1]), np.atleast_2d(uniforms))[0]
    if numba_engine is not None:
        yield "numba", numba_engine.Tree(weights).find


def definition(weights, uniform):
    """The first object whose cumulated share exceeds the number, in fractions."""
    sums = list(accumulate(map(Fraction, weights.tolist())))
    return next(i for i, below in enumerate(sums) if below > Fraction(uniform) * sums[-1])


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.lists(st.integers(1, 2**20), min_size=1, max_size=300))
def test_draws_invert_the_distribution_function_exactly(numerators):
    """Where all sums are exact every breakpoint is that of the definition, and so is the float below it."""
    weights = np.array([*numerators, 2**30 - sum(numerators)]) / 2.0**40
    cuts = weights.cumsum()[:-1] / weights.sum()
    uniforms = np.concatenate(([0.0], cuts, np.nextafter(cuts, 0), [1 - 2**-53]))
    expected = [definition(weights, u) for u in uniforms.tolist()]
    for name, find in finders(weights):
        assert find(uniforms).tolist() == expected, name


@pytest.mark.parametrize("n", [3, 40, 300])
@pytest.mark.parametrize("engine", ENGINES)
def test_every_draw_of_a_run_follows_the_weights_of_its_own_round(engine, n):
    """Fractions decide each try from the weights before the round: a law one round stale differs."""
    triplets, y = sample(n, proportion=1.0 if n == 3 else 0.2)
    state, rng, twin = State.initial(y, 2), np.random.default_rng(3), np.random.default_rng(3)
    for _ in range(30):
        uniforms = twin.random(4096)
        before = state.marginal.copy()
        at = 0
        while True:
            j, k = definition(before, uniforms[at]), definition(before, uniforms[at + 1])
            at += 2
            if y[j] != y[k]:
                break
        found = engines.train(triplets, y, 2, 1, rng, engine=engine, state=state, debug=True)
        assert found.pairs.tolist() == [[j, k]]
        state = found.state


def test_a_stale_law_would_be_seen():
    triplets, y = sample(40)
    state = State.initial(y, 2)
    before = state.marginal.copy()
    train(triplets, y, 2, 5, np.random.default_rng(0), state=state)
    uniforms = np.random.default_rng(1).random(200)
    assert [definition(before, u) for u in uniforms] != [definition(state.marginal, u) for u in uniforms]


@pytest.mark.parametrize("flat", [4, 100])
def test_sums_of_blocks_follow_changes(flat):
    rng = np.random.default_rng(0)
    weights = rng.integers(1, 1000, 700) / 1024
    sums = Sums(weights, flat=flat)
    for size in (1, 5, 400):
        changed = np.sort(rng.choice(700, size, replace=False))
        sums.weights[changed] *= rng.choice([0.25, 4.0], size)
        sums.refresh(changed)
        assert sums.total == sums.weights.sum()
        np.testing.assert_array_equal(
            sums.find(np.linspace(0, 1, 50, endpoint=False)),
            Sums(sums.weights).find(np.linspace(0, 1, 50, endpoint=False)),
        )


@pytest.mark.parametrize("engine", ENGINES)
def test_pairs_have_the_law_of_the_first_round(engine):
    """A smoke test: of 4 objects with labels 0, 0, 0, 1 each mixed pair comes up a sixth of the time."""
    triplets = TripletSet.from_arrays([[0, 1, 2]], n_objects=4)
    pairs = run(engine, triplets, [0, 0, 0, 1], 2, 6000).pairs
    counts = np.unique(pairs @ [4, 1], return_counts=True)[1]
    assert len(counts) == 6
    assert ((counts - 1000) ** 2 / 1000).sum() < 40


# One algorithm


@pytest.mark.parametrize("engine", FAST)
@pytest.mark.parametrize(("n", "n_labels", "proportion"), [(60, 2, 0.3), (150, 3, 0.1), (90, 10, 1.0)])
def test_engines_agree(engine, n, n_labels, proportion):
    triplets, y = sample(n, n_labels, proportion)
    reference, other = (run(name, triplets, y, n_labels, 3000, debug=True) for name in ("numpy", engine))
    assert_same(reference, other)
    first, second = (Model.from_run(r, n, n_labels).scores(triplets) for r in (reference, other))
    np.testing.assert_array_equal(first.argmax(axis=1), second.argmax(axis=1))
    np.testing.assert_allclose(other.state.marginal, np.abs(other.state.signed).sum(axis=1), rtol=1e-13)


@pytest.mark.parametrize("engine", FAST)
def test_engines_agree_on_sparse_lazy_and_multi_label_sets(engine):
    rng = np.random.default_rng(0)
    points = rng.normal(size=(1100, 3))
    sparse = TripletSet.from_metric(points, proportion=1e-4, rng=rng)
    assert sparse.pair_codes is not None
    y = (points[:, 0] > 0).astype(int)
    assert_same(run("numpy", sparse, y, 2, 400), run(engine, sparse, y, 2, 400))
    lazy = LazyTriplets.from_metric(points[:50], proportion=0.2, noise=0.1, seed=3)
    assert_same(run("numpy", lazy, y[:50], 2, 60), run(engine, lazy, y[:50], 2, 60, debug=True))
    several = rng.random((50, 3)) < 0.5
    held = lazy.materialise()
    assert_same(run("numpy", held, several, 3, 500), run(engine, held, several, 3, 500))


@pytest.mark.parametrize("engine", FAST)
def test_wide_numbers_give_the_same_run(engine):
    """Objects above 32,767 do not fit into 16 bits."""
    triplets = TripletSet.from_arrays([[40_000, 1, 40_001], [3, 1, 40_001]], n_objects=40_002)
    assert triplets.heads.dtype == np.int32
    y = np.arange(40_002) % 2
    assert_same(run("numpy", triplets, y, 2, 50), run(engine, triplets, y, 2, 50, debug=True))


@pytest.mark.parametrize("engine", ENGINES)
def test_exact_engine_is_the_judge(engine):
    for seed in range(12):
        triplets, y = sample(5, 2 + seed % 2, 0.6, seed)
        n_labels = 2 + seed % 2
        found = run(engine, triplets, y, n_labels, 3, seed)
        exact = exact_run(
            y.tolist(), n_labels, list(map(tuple, triplets.to_array().tolist())), found.pairs.tolist()
        )
        for c, judged in enumerate(exact.rounds):
            assert [set(np.flatnonzero(o)) for o in found.labels[c]] == [set(o) for o in judged.labels]
            expected = [math.log(judged.s), judged.w_plus, judged.w_minus, math.log(normaliser(judged))]
            trace = [found.alpha[c], found.w_plus[c], found.w_minus[c], found.log_z[c]]
            np.testing.assert_allclose(trace, [float(x) for x in expected], atol=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
def test_long_runs_keep_weights_above_the_floor_and_the_bound_in_logs(engine):
    triplets, y = sample(20, 2, 1.0)
    found = run(engine, triplets, y, 2, 20_000)
    found.state.check()
    total = found.state.marginal.sum()
    assert np.abs(found.state.signed).min() < 1e-200 * total
    assert np.abs(found.state.signed).min() >= FLOOR * total / 2
    errors = np.mean(Model.from_run(found, 20, 2).scores(triplets).argmax(axis=1) != y)
    assert training_bound(found) < -100
    assert errors <= math.exp(training_bound(found))


@pytest.mark.parametrize("engine", ENGINES)
def test_runs_go_on_from_a_state_in_any_engine(engine):
    triplets, y = sample()
    rngs = [np.random.default_rng(5) for _ in range(2)]
    half = train(triplets, y, 2, 200, rngs[0])
    other = engines.train(triplets, y, 2, 200, rngs[1], engine=engine)
    ends = [
        train(triplets, y, 2, 200, r, state=run_.state) for r, run_ in zip(rngs, (half, other), strict=True)
    ]
    assert_same(*ends)
    started = engines.train(triplets, y, 2, 200, rngs[0], engine=engine, state=ends[0].state)
    assert_same(started, train(triplets, y, 2, 200, rngs[1], state=ends[1].state))


@pytest.mark.parametrize("engine", ENGINES)
def test_callback_hears_of_the_end(engine):
    triplets, y = sample()
    heard = []
    found = run(engine, triplets, y, 2, 2500, callback=lambda c, log_z: heard.append((c, log_z)))
    assert heard[-1] == (2500, pytest.approx(found.log_z.sum()))
    assert [c for c, _ in heard] == ([2500] if engine == "lockstep" else list(range(2, 2501, 2)))


def test_lockstep_runs_are_single_runs():
    triplets, y = sample()
    runs = train_many(triplets, y, 2, 300, [np.random.default_rng(s) for s in range(7)])
    for seed, found in enumerate(runs):
        assert_same(found, train(triplets, y, 2, 300, np.random.default_rng(seed)))


@pytest.mark.parametrize("copied", [0, 1 << 30])
def test_lockstep_on_many_sets_and_labellings(monkeypatch, copied):
    monkeypatch.setattr(lockstep, "COPIED", copied)
    sets, labels = zip(*(sample(50, 3, 0.2, seed) for seed in range(5)), strict=True)
    runs = train_many(sets, list(labels), 3, 200, [np.random.default_rng(s) for s in range(5)], debug=True)
    for seed, found in enumerate(runs):
        assert_same(found, train(sets[seed], labels[seed], 3, 200, np.random.default_rng(seed)))
    onward = train_many(
        sets, list(labels), 3, 50, [np.random.default_rng(9)] * 5, states=[r.state for r in runs]
    )
    assert onward[0].state.marginal.sum() < runs[0].state.marginal.sum()


# Prediction


def test_table_and_merge_give_the_same_scores(monkeypatch):
    monkeypatch.setattr(tripletboost, "PART", 1000)  # several parts
    triplets, y = sample(80, 4, 0.3)
    model = Model.from_run(run("numpy", triplets, y, 4, 1500), 80, 4)
    rng = np.random.default_rng(0)
    queries = TripletSet.from_metric(rng.normal(size=(80, 2)), queries=rng.normal(size=(30, 2)), rng=rng)
    scores = np.zeros((30, 4))
    for code, votes in zip(model.codes.tolist(), model.votes, strict=True):
        k = int((1 + math.isqrt(1 + 8 * code)) // 2)
        for side, heads in enumerate(queries.half_spaces(code - k * (k - 1) // 2, k)):
            scores[heads] += votes[side]
    for table in (True, False, None):
        np.testing.assert_allclose(model.scores(queries, table=table), scores, atol=1e-10)
    one_by_one = (queries.restrict([i]) for i in range(30))
    np.testing.assert_allclose(np.concatenate(list(model.scores_of(one_by_one))), scores, atol=1e-10)


def test_models_of_parts_add_up_to_the_model_of_the_run():
    triplets, y = sample()
    whole = run("numpy", triplets, y, 2, 400)
    parts = [whole._replace(**{f: getattr(whole, f)[cut] for f in whole._fields[:-1]})
             for cut in (slice(150), slice(150, None))]  # fmt: skip
    merged = Model.merged([Model.from_run(part, 60, 2) for part in parts])
    model = Model.from_run(whole, 60, 2)
    np.testing.assert_array_equal(merged.codes, model.codes)
    np.testing.assert_allclose(merged.votes, model.votes, atol=1e-12)


# The choice, and bad input


def test_choice_gives_its_reason():
    triplets, _ = sample()
    assert engines.choose("auto", triplets, 10) == ("numpy", "10 rounds end before compiled loops are loaded")
    lazy = LazyTriplets.from_metric(np.arange(5.0)[:, None], seed=0)
    assert engines.choose("auto", lazy, 10**6)[0] == "numpy"
    assert engines.choose("lockstep", triplets, 10)[0] == "lockstep"


@compiled
def test_long_runs_take_numba_where_it_is_installed():
    assert engines.choose("auto", sample()[0], 10**6)[0] == "numba"


def test_numba_that_is_not_installed_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.setattr(engines, "find_spec", lambda name: None)
    triplets, y = sample()
    with pytest.raises(ImportError, match=r"boosttheory\[fast\]"):
        TripletBoostClassifier(10, engine="numba").fit(triplets, y)
    chosen = engines.choose("auto", triplets, 10**6)
    assert chosen[0] == "numpy"
    assert "boosttheory[fast]" in chosen[1]


@pytest.mark.parametrize("engine", ["auto", *ENGINES])
def test_estimator_names_its_engine_and_predicts_alike(engine):
    triplets, y = sample()
    model = TripletBoostClassifier(300, engine=engine, random_state=0).fit(triplets, y)
    reference = TripletBoostClassifier(300, engine="numpy", random_state=0).fit(triplets, y)
    assert model.engine_.startswith("numpy: 300 rounds" if engine == "auto" else f"{engine}: as asked")
    assert model.predict(triplets).tolist() == reference.predict(triplets).tolist()
    more = model.set_params(warm_start=True, n_rounds=400).fit(triplets, y)
    assert_same(more.run_, reference.set_params(warm_start=True, n_rounds=400).fit(triplets, y).run_)


def test_unknown_engine():
    with pytest.raises(ValueError, match="engine='gpu' is unknown; choose one of auto, numpy"):
        engines.train(*sample(), 2, 10, np.random.default_rng(0), engine="gpu")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("n_rounds", "message"), [(0, "n_rounds=0"), (10**15, r"n_rounds=10{15}.*GB, and .*Model.merged|fewer")]
)
def test_impossible_numbers_of_rounds(engine, n_rounds, message):
    with pytest.raises(ValueError, match=message):
        run(engine, *sample(), 2, n_rounds)


def test_memory_is_estimated_with_the_figures(monkeypatch):
    monkeypatch.setattr(triplet_module, "memory_left", lambda: 10**6)
    with pytest.raises(
        ValueError, match=r"n_rounds=100000: .* needs 0.0044 GB, and 0.001 GB are left; train in"
    ):
        run("numpy", *sample(), 2, 100_000)


def test_lockstep_refuses_sets_of_other_sizes():
    (small, y), (large, _) = sample(20), sample(30)
    rngs = [np.random.default_rng(0)] * 2
    with pytest.raises(ValueError, match=r"triplets have \[20, 30\] objects"):
        train_many([small, large], y, 2, 5, rngs)
    with pytest.raises(ValueError, match="2 generators for 1 sets"):
        train_many([small], y, 2, 5, rngs)


@pytest.mark.parametrize("engine", ENGINES)
def test_debug_mode_finds_broken_weights(engine):
    triplets, y = sample()
    state = State.initial(y, 2)
    state.signed[3, 1] = math.nan
    with pytest.raises(AssertionError, match="NaN"):
        run(engine, triplets, y, 2, 5, state=state, debug=True)


@pytest.mark.parametrize("engine", ENGINES)
def test_accuracy_on_iris_survives_long_runs(engine):
    """Without the floor weights reach zero, and the accuracy falls below one half."""
    X, y = load_space("iris")
    rng = np.random.default_rng(0)
    order = rng.permutation(len(X))
    first, second = order[:100], order[100:]
    options = {"proportion": 0.1, "rng": rng, "ties": "random"}
    triplets = TripletSet.from_metric(X[first], **options)
    tests = TripletSet.from_metric(X[first], queries=X[second], **options)
    found = run(engine, triplets, y[first], 3, 30_000)
    model = Model.from_run(found, 100, 3)
    assert np.mean(model.scores(tests).argmax(axis=1) == y[second]) > 0.8
    assert (model.scores(triplets).argmax(axis=1) == y[first]).all()
    assert training_bound(found) < -100


@pytest.mark.parametrize("name", ["speed.md", "scale.md"])
def test_examples_of_the_pages_run(name):
    if name == "scale.md":
        pytest.importorskip("dask")
    page = Path(__file__).resolve().parent.parent / "docs" / name
    assert doctest.testfile(str(page), module_relative=False).failed == 0
