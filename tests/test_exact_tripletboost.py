import random
from fractions import Fraction
from itertools import permutations

import pytest

from boosttheory.enumerations import compositions, label_vectors, pair_sequences, pair_triplets, subsets
from boosttheory.exact_tripletboost import (
    PairCase,
    answers,
    costs,
    exact_run,
    is_error,
    least_error,
    normaliser,
    pair_cases,
    training_error,
    vote,
)


def test_compositions_are_the_grid_points_of_a_simplex():
    assert list(compositions(2, 2)) == [(0, 2), (1, 1), (2, 0)]
    assert len(list(compositions(4, 6))) == 126
    assert all(sum(c) == 4 and min(c) >= 0 for c in compositions(4, 6))


def test_subsets_are_all_of_them():
    assert len(set(subsets(5))) == 32


def test_labellings_up_to_renaming_are_bell_numbers_less_the_constant_one():
    assert [len(list(label_vectors(n, n))) for n in (2, 3, 4, 5)] == [1, 4, 14, 51]


def test_pair_sequences_cover_every_case_up_to_renaming():
    found = list(pair_sequences(3, 3, 2))
    assert len(found) == len(set(found)) == 4
    for y, pairs in found:
        assert all(y[j] != y[k] for j, k in pairs)


def test_contradictory_sets_are_the_only_additions():
    consistent = set(pair_triplets(2, ((0, 1),)))
    every = set(pair_triplets(2, ((0, 1), (0, 1)), contradictory=True))
    assert len(consistent) == 9
    assert len(every) == 16
    assert consistent < every
    assert all(any((i, k, j) in t for i, j, k in t) for t in every - consistent)


def test_first_case_of_the_classifier_wins():
    assert answers(((0, 0, 1), (0, 1, 0), (1, 1, 0)), 3, (0, 1)) == (0, 1, None)


def test_silent_run_errs_everywhere_with_the_bound_attained():
    run = exact_run((0, 1), 2, (), [(0, 1)])
    assert training_error(run) == 1 == normaliser(run.rounds[0])


def test_ties_are_errors():
    # both objects in one half-space: no label has a positive signed weight, and all scores are equal
    run = exact_run((0, 1), 2, ((0, 0, 1), (1, 0, 1)), [(0, 1)])
    assert run.rounds[0].labels == (frozenset(), frozenset())
    assert is_error(run, 0)
    assert is_error(run, 1)


def test_votes_are_plus_minus_and_silent():
    labels = (frozenset({1}), frozenset())
    assert [vote(labels, side, 1) for side in (0, 1, None)] == [1, -1, 0]


def test_costs_by_hand():
    case = PairCase((0, 1), ((2, 3), (5, 7)), ((0, 0, 1), (1, 0, 1)))
    # {}: 2 + 7; {0}: 5 + 7; {1}: 2 + 3; {0, 1}: 5 + 3
    assert costs(case, [0, 1]) == [9, 12, 5, 8]
    assert least_error(case) == 5


def test_least_error_is_what_brute_force_over_all_labellings_finds():
    for case in pair_cases(2, 2, 3, contradictory=True):
        sides = answers(case.triplets, 2, case.pair)
        best = min(
            sum(
                weight
                for i, side in enumerate(sides)
                if side is not None
                for label, weight in enumerate(case.weights[i])
                if (case.y[i] == label) != (label in (first, second)[side])
            )
            for first in map(frozenset, subsets(2))
            for second in map(frozenset, subsets(2))
        )
        assert least_error(case) == best


@pytest.mark.parametrize("seed", range(4))
def test_renaming_objects_and_labels_changes_nothing(seed):
    rng = random.Random(seed)
    y, pairs = rng.choice(list(pair_sequences(4, 3, 2)))
    triplets = rng.choice(list(pair_triplets(4, pairs[:1]))) + tuple((i, *pairs[1]) for i in range(2))
    triplets = tuple(t for n, t in enumerate(triplets) if (t[0], t[2], t[1]) not in triplets[:n])
    run = exact_run(y, 3, triplets, pairs)
    objects, labels = rng.choice(list(permutations(range(4)))), rng.choice(list(permutations(range(3))))
    renamed = exact_run(
        [labels[y[objects.index(i)]] for i in range(4)],
        3,
        tuple((objects[i], objects[j], objects[k]) for i, j, k in triplets),
        [(objects[j], objects[k]) for j, k in pairs],
    )
    assert training_error(renamed) == training_error(run)
    assert [r.s for r in renamed.rounds] == [r.s for r in run.rounds]


def test_any_weight_in_place_of_equation_3():
    run = exact_run((0, 1), 2, ((0, 0, 1),), [(0, 1)], q=[Fraction(3)])
    assert normaliser(run.rounds[0]) == Fraction(1, 2) + Fraction(1, 2) / 3
