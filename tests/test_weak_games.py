"""Finite weak-learning games: values, vote lists, slack of the condition, learning curves, no free lunch."""

from fractions import Fraction
from itertools import product
from math import floor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boosttheory import bounds
from boosttheory.weak_games import (
    best_mean_coverage,
    brg_slack,
    coverage,
    game_value,
    success_probability,
    vote_lists,
)

F = Fraction
TABLES = st.integers(1, 4).flatmap(
    lambda m: st.lists(st.lists(st.booleans(), min_size=m, max_size=m), min_size=1, max_size=4)
)


@pytest.mark.parametrize("K", [1, 2, 3, 5])
def test_constants_have_value_one_kth(K):
    game = game_value(np.eye(K))
    assert game.low == game.high == F(1, K)
    assert game.hard == game.mixture == (F(1, K),) * K


def test_the_two_classifiers_of_the_warm_up_have_value_one_half():
    game = game_value([[1, 0, 1], [0, 1, 1]])
    assert (game.low, game.high) == (F(1, 2), F(1, 2))
    assert game.hard[2] == 0


@settings(derandomize=True, deadline=None, max_examples=60)
@given(TABLES)
def test_the_enclosure_is_certified_by_its_own_strategies(right):
    game = game_value(right)
    assert sum(game.mixture) == sum(game.hard) == 1
    assert min(game.mixture) >= 0
    assert min(game.hard) >= 0
    columns = list(zip(*right, strict=True))
    assert game.low == min(sum(q for q, ok in zip(game.mixture, c, strict=True) if ok) for c in columns)
    assert game.high == max(sum(w for w, ok in zip(game.hard, row, strict=True) if ok) for row in right)
    assert game.low <= game.high


@settings(derandomize=True, deadline=None, max_examples=60)
@given(TABLES, st.randoms(use_true_random=False))
def test_vote_lists_of_the_value_hold_the_right_label(right, random):
    game = game_value(right)
    predictions = [[0 if ok else random.randint(1, 3) for ok in row] for row in right]
    if game.low:
        lists = vote_lists(predictions, game.mixture, floor(1 / game.low))
        assert all(0 in labels for labels in lists)


def test_vote_lists_are_ordered_and_cut():
    predictions = [["a", "x"], ["b", "x"], ["b", "y"]]
    weights = [F(1, 2), F(1, 4), F(1, 8)]
    assert vote_lists(predictions, weights, 2) == (("a", "b"), ("x", "y"))
    assert vote_lists(predictions, weights, 1) == (("a",), ("x",))
    assert vote_lists(predictions, [F(0), F(0), F(1)], 2) == (("b",), ("y",))
    assert vote_lists(predictions, weights, 0) == ((), ())


def test_slack_counts_hits_outside_the_list_and_the_nominal_length():
    drawn = {(0, 0): F(1, 2), (1, 1): F(1, 4), (1, 2): F(1, 4)}
    assert coverage(drawn, [(0,), (1, 2)]) == 1
    assert brg_slack(drawn, (0, 1), [(0, 0), (2, 2)], F(0)) == F(3, 4) - F(1, 2) * F(3, 4)
    assert brg_slack(drawn, (1, 0), [(0, 1), (1, 2)], F(1, 4)) == -F(3, 4)


def test_success_of_the_constant_rule_is_certain_or_impossible():
    drawn = {(0, 0): F(1, 3), (1, 1): F(2, 3)}
    for m in (0, 1, 4):
        assert success_probability(lambda sample: [(0,), (0,)], drawn, m, F(1, 3)) == 1
        assert success_probability(lambda sample: [(0,), (0,)], drawn, m, F(1, 2)) == 0


def test_success_of_memorising_is_the_chance_to_see_every_point():
    drawn = {(x, 0): F(1, 2) for x in range(2)}

    def memorise(sample):
        seen = {x for x, _ in sample}
        return [(0,) if x in seen else (1,) for x in range(2)]

    for m in range(1, 6):
        assert success_probability(memorise, drawn, m, F(1)) == 1 - 2 * F(1, 2) ** m


@pytest.mark.parametrize(("K", "n", "m", "k"), [(2, 3, 2, 1), (3, 2, 3, 2), (4, 2, 1, 3), (3, 5, 1, 1)])
def test_no_free_lunch_has_the_closed_form(K, n, m, k):
    assert best_mean_coverage(K, n, m, k) == bounds.no_free_lunch.exact(K=K, n=n, m=m, k=k)


def test_no_rule_beats_the_best_mean_on_the_smallest_case():
    # one example of two points, two labels: a rule is what it says of the unseen point
    means = []
    for rule in product(range(2), repeat=4):
        hits = sum(
            1 + (rule[2 * seen + f[seen]] == f[1 - seen])
            for f in product(range(2), repeat=2)
            for seen in (0, 1)
        )
        means.append(F(hits, 4 * 2 * 2))
    assert max(means) == best_mean_coverage(2, 2, 1)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: game_value(np.zeros((0, 3))), "one row a hypothesis"),
        (lambda: game_value([1, 0]), "one row a hypothesis"),
        (lambda: vote_lists([["a"]], [F(1)], -1), "size=-1"),
        (lambda: vote_lists([["a"]], [F(1, 2)] * 2, 1), "one weight a hypothesis"),
        (lambda: brg_slack({}, (0, 0), [(0,), (0, 1)], F(0)), "lists of one length"),
        (lambda: brg_slack({}, (0,), [()], F(0)), "at least 1"),
        (lambda: success_probability(list, {(x, 0): F(1, 40) for x in range(40)}, 30, F(1)), "lower m"),
        (lambda: best_mean_coverage(3, 2, 1, 4), "k=4 of 3 labels"),
        (lambda: best_mean_coverage(3, 30, 1), "at most 10000000 cells"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
