"""Kernels by pytest-benchmark: ``pytest benchmarks/test_kernels.py``."""

import numpy as np
import pytest

from boosttheory import engines
from boosttheory.lockstep import train_many
from boosttheory.tripletboost import Model, State, Sums, boost_pair, draw_pair
from boosttheory.triplets import TripletSet


@pytest.fixture(scope="module")
def plane():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 2))
    return TripletSet.from_metric(X, proportion=0.1, rng=rng), (X[:, 0] > 0).astype(int)


def test_draw(benchmark, plane):
    sums, uniforms = Sums(np.random.default_rng(0).random(500)), np.random.default_rng(1).random(8)
    benchmark(draw_pair, sums, plane[1], uniforms)


def test_boost(benchmark, plane):
    near, far = plane[0].half_spaces(3, 77)
    heads, state = np.concatenate((near, far)), State.initial(plane[1], 2)
    benchmark(boost_pair, state, heads, len(near), 1.0, 1 / 500)


@pytest.mark.parametrize("engine", ["numpy", "numba"])
def test_thousand_rounds(benchmark, plane, engine):
    if engine == "numba":
        pytest.importorskip("numba")
    benchmark(
        lambda: engines.train(*plane, 2, 1000, np.random.default_rng(0), engine=engine)  # warmed up by rounds
    )


def test_hundred_rounds_of_a_hundred_runs(benchmark, plane):
    benchmark(lambda: train_many(*plane, 2, 100, [np.random.default_rng(s) for s in range(100)]))


@pytest.mark.parametrize("table", [True, False])
def test_scores(benchmark, plane, table):
    model = Model.from_run(engines.train(*plane, 2, 20_000, np.random.default_rng(0)), 500, 2)
    benchmark(model.scores, plane[0], table=table)


def test_index(benchmark, plane):
    rows = np.random.default_rng(0).permutation(plane[0].to_array())[:1_000_000]
    benchmark(TripletSet.from_arrays, rows, n_objects=500, self_reference="keep")
