"""Compression of boosted lists: replay on and off the sample, size counted, error bound."""

import numpy as np
import pytest

from boosttheory.bounds import compression_size, hint_length, rounds
from boosttheory.compression import Compression, compress, error_bound, reconstruct
from boosttheory.recursive import initial_hint, recursive_boost, weak_to_list
from boosttheory.weak_learners import SampledOracle, finite_learner, stump_learner

M0 = 15


def blobs(seed=0, m=80):
    rng = np.random.default_rng(seed)
    y = np.arange(m) % 4
    return 4.0 * np.eye(4)[y] + rng.standard_normal((m, 4)), y


def oracle(X, y, gamma=0.25):
    return SampledOracle(stump_learner(4, 2), X, y, 4, gamma, M0, np.random.default_rng(1), attempts=30)


def runs(X, y):
    for options in ({"hint": True}, {"hint": False}, {"hint": False, "stop_early": True}):
        weak = oracle(X, y)
        yield recursive_boost(weak, y, 4, 0.25, X=X, schedule="fast", strict=False, **options), weak
    weak = oracle(X, y, 0.6)
    yield weak_to_list(weak, y, 4, 0.6, X=X, schedule="fast", strict=False), weak
    weak = oracle(X, y)
    yield initial_hint(weak, y, 4, 0.25, X=X, strict=False), weak


def test_the_function_is_rebuilt_from_its_examples_alone():
    X, y = blobs()
    off, _ = blobs(seed=5, m=200)
    for run, weak in runs(X, y):
        stored = compress(run, weak)
        assert stored.size == M0 * run.n_calls == len(stored.y)
        alone = Compression(
            stored.X.copy(),
            stored.y.copy(),
            stored.indices * 0,
            stored.call_sizes,
            stored.stages,
            4,
            stored.from_votes,
            stored.width,
        )
        again = reconstruct(alone, stump_learner(4, 2))
        if run.model.stages:
            assert (again.lists(X) == run.lists).all()
            for rebuilt, own in zip(again.history(off), run.model.history(off), strict=True):
                assert (rebuilt == own).all()
        else:
            assert (again.first_lists(off) == run.model.first_lists(off)).all()


def test_one_example_changed_changes_the_function():
    X, y = blobs()
    run, weak = next(runs(X, y))
    stored = compress(run, weak)
    stored.y[: M0 * 3] = (stored.y[: M0 * 3] + 1) % 4
    again = reconstruct(stored, stump_learner(4, 2))
    assert (again.first_lists(X) != run.model.first_lists(X)).any()


def test_size_is_the_formula_when_no_round_is_left_out():
    y = np.arange(6) % 3
    table = np.stack([np.where(np.arange(6) // 2 == i, (y + 1) % 3, y) for i in range(3)])
    weak = SampledOracle(
        finite_learner(table), np.arange(6), y, 3, 0.1, 4, np.random.default_rng(0), attempts=200
    )
    run = recursive_boost(weak, y, 3, 0.1, X=np.arange(6), schedule="fast")
    p = hint_length(6, 0.1)
    unused = p - run.stages[0].rounds
    assert compress(run, weak).size == compression_size("fast", 6, 0.1, 4) - 4 * unused
    assert compression_size("paper", 6, 0.1, 4) == 4 * (p + (p - 1) * rounds("paper", 6, 2, 0.1))


def test_an_oracle_of_another_run_is_refused():
    X, y = blobs()
    run, _ = next(runs(X, y))
    with pytest.raises(ValueError, match="oracle answered 0 calls"):
        compress(run, oracle(X, y))


def test_error_bound_says_when_it_is_vacuous():
    bound = error_bound(10, 10**6, 0.05)
    assert not bound.vacuous
    assert float(bound) == pytest.approx((10 * np.log(1e6) + np.log(20)) / (10**6 - 10))
    assert float(error_bound(10, 10**6, 0.05, choices=2.0)) == pytest.approx(bound.value + 2 / (10**6 - 10))
    assert error_bound(10, 10**6, 0.05, consistent=False).reason.startswith("vacuous: some label")
    assert error_bound(100, 100, 0.05).reason.startswith("vacuous: r = 100")
    assert error_bound(40, 100, 0.05).reason.startswith("vacuous: r ln m")
    for delta in (0, 1, -1):
        with pytest.raises(ValueError, match="no probability"):
            error_bound(10, 100, delta)
