"""Hedge: the identity, equivariance, long runs, the oracle protocol and bad input."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boosttheory.hedge import EdgeError, distribution, hedge, hedge_oracle, hits_from_identity


@st.composite
def runs(draw):
    m, T = draw(st.integers(1, 8)), draw(st.integers(0, 12))
    table = draw(st.lists(st.lists(st.booleans(), min_size=m, max_size=m), min_size=T, max_size=T))
    return np.array(table, dtype=bool).reshape(T, m), draw(st.floats(1e-3, 2))


@settings(derandomize=True, deadline=None)
@given(runs())
def test_the_identity_recovers_the_hits(case):
    table, eta = case
    run = hedge(table, table.shape[1], len(table), eta)
    assert (run.hits == table.sum(axis=0)).all()
    recovered = hits_from_identity(eta, run.accuracies, run.distribution)
    np.testing.assert_allclose(eta * recovered, eta * run.hits, rtol=0, atol=1e-12)
    assert run.distribution.sum() == pytest.approx(1, abs=1e-14)


@settings(derandomize=True, deadline=None)
@given(runs(), st.randoms(use_true_random=False))
def test_a_permutation_of_the_examples_permutes_the_run(case, random):
    table, eta = case
    m = table.shape[1]
    order = list(range(m))
    random.shuffle(order)
    plain, permuted = hedge(table, m, len(table), eta), hedge(table[:, order], m, len(table), eta)
    assert (permuted.hits == plain.hits[order]).all()
    np.testing.assert_allclose(permuted.distribution, plain.distribution[order], rtol=1e-12)
    np.testing.assert_allclose(permuted.accuracies, plain.accuracies, atol=1e-14)


def test_a_round_is_the_update_of_the_paper():
    run = hedge([[True, False, False]], 3, 1, np.log(2))
    np.testing.assert_allclose(run.distribution, [0.2, 0.4, 0.4], rtol=1e-15)
    np.testing.assert_allclose(run.accuracies, [1 / 3], rtol=1e-15)


def test_weights_that_underflow_come_back():
    table = np.zeros((4000, 2), dtype=bool)
    table[:2000, 0] = table[2000:, 1] = True
    run = hedge(table, 2, 4000, 1.0)
    assert (run.hits == 2000).all()
    np.testing.assert_allclose(run.distribution, [0.5, 0.5])


def test_ten_thousand_rounds_on_ten_thousand_examples_keep_the_identity():
    m = T = 10**4
    answers = np.random.default_rng(0).random((32, m)) < 0.3
    calls = iter(range(T))
    run = hedge(lambda weights: answers[next(calls) % 32], m, T, 0.02)
    np.testing.assert_allclose(
        hits_from_identity(0.02, run.accuracies, run.distribution), run.hits, rtol=1e-10
    )


def test_an_oracle_sees_the_distribution_and_the_lists():
    y, lists = np.array([2, 0, 1]), np.array([[2, 0], [0, 1], [1, -1]])
    seen = []

    def weak(weights, given):
        seen.append((weights.copy(), given))
        return np.array([2, 1, 1])

    run = hedge_oracle(weak, y, 2, 0.5, lists=lists)
    assert run.hits.tolist() == [2, 0, 2]
    assert all(given is lists for _, given in seen)
    np.testing.assert_allclose(seen[1][0], distribution(np.array([1, 0, 1]), 0.5))
    assert len(run.hypotheses) == len(run) == 2


def test_a_hypothesis_may_be_a_function_of_the_instances():
    X = np.array([[0.0], [1.0], [2.0]])
    run = hedge_oracle(lambda w, lists: lambda X: (X[:, 0] > 0.5).astype(int), [0, 1, 0], 3, 0.1, X=X)
    assert run.hits.tolist() == [3, 3, 0]


def test_progress_is_reported():
    told = []
    hedge([[True], [True]], 1, 2, 0.1, callback=lambda t, accuracy: told.append((t, accuracy)))
    assert told == [(1, 1.0), (2, 1.0)]


def test_a_missed_edge_names_the_call_and_keeps_the_partial_run():
    with pytest.raises(EdgeError, match=r"call 2 has accuracy 0\.\d+, below the required 0.5") as error:
        hedge([[True, False], [True, False]], 2, 2, 0.5, required=0.5)
    assert error.value.call == 2
    assert error.value.run.hits.tolist() == [1, 0]
    assert len(error.value.run) == 1


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (([[True]], 0, 1, 0.1), "m=0"),
        (([[True]], 1, -1, 0.1), "T=-1"),
        (([[True]], 1, 1, -0.1), "eta=-0.1"),
        (([[True]], 1, 1, float("nan")), "eta=nan"),
        (([[True]], 1, 1, float("inf")), "eta=inf"),
        (([[True, False]], 1, 1, 0.1), "respond has shape"),
        ((lambda w: np.ones(3, bool), 2, 1, 0.1), "call 1 answers with shape"),
        ((lambda w: np.ones(2), 2, 1, 0.1), "type float64"),
    ],
)
def test_bad_input_is_named(arguments, part):
    with pytest.raises(ValueError, match=part):
        hedge(*arguments)


@pytest.mark.parametrize(
    ("answer", "part"),
    [
        (np.array([0, 1, 2]), "call 1 predicts an array of shape"),
        (np.array([0.0, np.nan]), "call 1 predicts NaN"),
        (np.array([[0, 1]]), "one label for each of the 2 examples"),
    ],
)
def test_a_bad_hypothesis_is_named(answer, part):
    with pytest.raises(ValueError, match=part):
        hedge_oracle(lambda w, lists: answer, [0, 1], 1, 0.1)
    with pytest.raises(ValueError, match="y has shape"):
        hedge_oracle(lambda w, lists: answer, [[0, 1]], 1, 0.1)


def test_a_step_of_zero_keeps_the_uniform_distribution():
    run = hedge([[1, 0, 0], [1, 1, 0]], 3, 2, 0.0)
    assert run.hits.tolist() == [2, 1, 0]
    np.testing.assert_allclose(run.distribution, [1 / 3] * 3)
    np.testing.assert_allclose(run.accuracies, [1 / 3, 2 / 3])


@pytest.mark.parametrize("eta", [0.1, 0.3, 0.7])
def test_an_accuracy_is_at_most_one_where_the_weights_add_up_to_more(eta):
    # example i is right in the first i rounds, then all are
    m = 9
    table = np.vstack([np.arange(m) > np.arange(m)[:, None], np.ones(m, dtype=bool)])
    run = hedge(table[:-1], m, m, eta)
    assert float(run.distribution @ np.ones(m)) > 1
    assert hedge(table, m, m + 1, eta).accuracies[-1] == 1


def test_the_required_accuracy_is_required_up_to_a_billionth_of_a_thousandth():
    assert (0.5 + 1e-12) - 1e-12 == 0.5
    assert len(hedge([[True, False]], 2, 1, 0.5, required=0.5 + 1e-12)) == 1
    with pytest.raises(EdgeError):
        hedge([[True, False]], 2, 1, 0.5, required=0.5 + 3e-12)


def test_labels_may_be_words():
    run = hedge_oracle(lambda w, lists: np.array(["cat", "dog"]), ["cat", "cat"], 2, 0.5)
    assert run.hits.tolist() == [2, 0]


def test_an_oracle_is_held_to_its_edge_and_its_progress_is_reported():
    told = []

    def run(required):
        return hedge_oracle(
            lambda w, lists: np.array([0, 0]),
            [0, 1],
            3,
            0.5,
            required=required,
            callback=lambda t, accuracy: told.append((t, round(accuracy, 3))),
        )

    assert len(run(0.1)) == 3
    assert told == [(1, 0.5), (2, 0.378), (3, 0.269)]
    with pytest.raises(EdgeError, match="call 2"):
        run(0.5)


def test_a_run_is_a_value_that_nobody_edits():
    run = hedge_oracle(lambda w, lists: np.zeros(1), [0], 1, 0.5)
    with pytest.raises(FrozenInstanceError):
        run.eta = 1.0
    # by identity: a comparison of its arrays has no truth value
    assert run != hedge_oracle(lambda w, lists: np.zeros(1), [0], 1, 0.5)
    assert len({run}) == 1
    assert "hypotheses" not in repr(run)
