"""Small games, against enumerations that use no symmetry."""

from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, product
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from boosttheory.bounds import (
    divergence,
    enclosure,
    ends,
    fewest_hits,
    interval_arithmetic,
    no_free_lunch,
    rounds,
    stated_step,
    tuned_step,
)
from boosttheory.compression_bounds import misled, region_errors, support_law
from boosttheory.concepts import FiniteClass, full_class, random_class, six_cycle, zero_and_singletons
from boosttheory.enumerations import compositions
from boosttheory.games import (
    best_booster,
    hedge_game,
    minimax_coverage,
    minimax_over_distributions,
    require_edge,
    worst_compression,
    worst_training_errors,
)
from boosttheory.hedge import hedge
from boosttheory.weak_games import best_mean_coverage, game_value
from proofs_checks.multiclass.lem1a_smallest_samples import certain, the_accuracy_itself, whole_examples


def brute_force(m, T, accuracy, decay):
    """Least hits over all sequences of subsets, one at a time for each history, in int64."""
    top, bottom = decay.numerator, decay.denominator
    power = np.array([top**n * bottom ** (T - n) for n in range(T + 1)], dtype=np.int64)
    subsets = np.array(list(product((0, 1), repeat=m)))
    histories = np.zeros((1, m), dtype=np.int64)
    for _ in range(T):
        weights = power[histories]
        enough = accuracy.denominator * (weights @ subsets.T) >= accuracy.numerator * weights.sum(
            axis=1, keepdims=True
        )
        at, chosen = np.nonzero(enough)
        histories = histories[at] + subsets[chosen]
    return int(histories.min(axis=1).min())


def replayed(game, accuracy, decay):
    """Hits of the returned adversary, each round's accuracy checked in rationals."""
    hits = [0] * game.answers.shape[1]
    for row in game.answers.tolist():
        weights = [decay**h for h in hits]
        assert sum(w for w, right in zip(weights, row, strict=True) if right) >= accuracy * sum(weights)
        hits = [h + right for h, right in zip(hits, row, strict=True)]
    return hits


ACCURACIES = [Fraction(1, 2), Fraction(3, 5), Fraction(2, 3), Fraction(3, 10), Fraction(5, 6), Fraction(1)]


@pytest.mark.parametrize("decay", [Fraction(1, 2), Fraction(2, 3), Fraction(9, 10), Fraction(1)])
@pytest.mark.parametrize("accuracy", ACCURACIES)
def test_every_adversary_on_three_examples(accuracy, decay):
    for m in (1, 2, 3):
        for T in (1, 2, 5):
            game = hedge_game(m, T, accuracy, decay=decay)
            assert game.value == brute_force(m, T, accuracy, decay)
            assert min(replayed(game, accuracy, decay)) == game.value == game.hits.min()


@pytest.mark.parametrize(
    ("accuracy", "decay"), [(Fraction(3, 5), Fraction(1, 2)), (Fraction(1, 2), Fraction(3, 4))]
)
def test_every_adversary_on_four_examples(accuracy, decay):
    assert hedge_game(4, 5, accuracy, decay=decay).value == brute_force(4, 5, accuracy, decay)


@settings(derandomize=True, deadline=None, max_examples=40)
@given(
    st.integers(1, 4),
    st.integers(1, 4),
    st.fractions(Fraction(1, 12), 1, max_denominator=12),
    st.fractions(Fraction(1, 10), 1, max_denominator=10),
)
def test_any_small_game(m, T, accuracy, decay):
    game = hedge_game(m, T, accuracy, decay=decay)
    assert game.value == brute_force(m, T, accuracy, decay)
    assert min(replayed(game, accuracy, decay)) == game.value


def test_ties_are_recognised_with_a_transcendental_step():
    """On m equal weights j of m is an exact tie, whatever the step."""

    def step(bits):
        return enclosure(stated_step, bits, m=4, T=8)

    tied = hedge_game(4, 8, Fraction(1, 2), step)
    above = hedge_game(4, 8, Fraction(1, 2) + Fraction(1, 10**9), step)
    assert tied.ties > above.ties == 0
    assert tied.value <= above.value
    assert tied.answers[0].sum() == 2


def test_a_near_tie_is_decided():
    decay = Fraction(1, 2) + Fraction(1, 10**30)
    # after one round with example 0 right, the other of two weighs just under 2/3
    assert hedge_game(2, 2, Fraction(2, 3), decay=decay).value == brute_force_exact(
        2, 2, Fraction(2, 3), decay
    )
    decay = Fraction(1, 2) - Fraction(1, 10**30)
    assert hedge_game(2, 2, Fraction(2, 3), decay=decay).value == brute_force_exact(
        2, 2, Fraction(2, 3), decay
    )


def brute_force_exact(m, T, accuracy, decay):
    """The same in rationals."""

    def least(hits, left):
        if not left:
            return min(hits)
        weights = [decay**h for h in hits]
        options = (
            tuple(h + r for h, r in zip(hits, row, strict=True))
            for row in product((0, 1), repeat=m)
            if sum(w * r for w, r in zip(weights, row, strict=True)) >= accuracy * sum(weights)
        )
        return min(least(option, left - 1) for option in options)

    return least((0,) * m, T)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_forty_rounds_on_five_examples(k):
    a = Fraction(1, k) + Fraction(1, 10)
    arithmetic = interval_arithmetic(128)
    # the largest multiple of 1/1000 with T kl(b‖a) >= ln m
    b = max(
        Fraction(i, 1000)
        for i in range(1, int(1000 * a))
        if ends(40 * enclosure(divergence, 128, b=Fraction(i, 1000), a=a))[0]
        >= ends(arithmetic.log(arithmetic.convert(5)))[1]
    )
    decay = b * (1 - a) / (a * (1 - b))
    game = hedge_game(5, 40, a, decay=decay)
    assert min(replayed(game, a, decay)) == game.value
    assert 40 * b <= game.value <= best_booster(5, 40, a)
    run = hedge(game.answers, 5, 40, -float(np.log(float(decay))), required=float(a))
    assert run.hits.min() == game.value
    by_interval = hedge_game(5, 40, a, lambda bits: enclosure(tuned_step, bits, b=b, a=a))
    assert by_interval.value == game.value


@pytest.mark.parametrize(("m", "k"), [(2, 3), (3, 3), (3, 4)])
def test_lemma_1_on_few_examples(m, k):
    gamma = Fraction(1, 2)
    T, a = rounds("paper", m, k, gamma), Fraction(1, k) + gamma
    game = hedge_game(m, T, a, lambda bits: enclosure(stated_step, bits, m=m, T=T))
    assert game.value >= T * (Fraction(1, k) + gamma / 2)
    step = enclosure(stated_step, 128, m=m, T=T)
    # the bound is for an example that is wrong in some round
    assert game.value >= min(T, ends(enclosure(fewest_hits, 128, m=m, T=T, eta=step, a=a))[0])


@pytest.mark.parametrize("m", [2, 3, 4])
@pytest.mark.parametrize("a", [Fraction(1, 3), Fraction(3, 5), Fraction(14, 75), Fraction(9, 10)])
def test_the_first_round_sharpens_the_lower_bound(m, a):
    for T in (1, 4, 9, 16):
        exact = hedge_game(m, T, a, lambda bits, T=T: enclosure(stated_step, bits, m=m, T=T)).value
        plain, sharp = (certain(m, T, a, first) for first in (the_accuracy_itself, whole_examples))
        assert plain <= sharp
        # an example that is never wrong is right in all rounds
        assert min(sharp, T) <= exact


def test_any_booster_by_recursion():
    """The value without symmetry and without the step from one round to the next."""

    @cache
    def most(hits, left, accuracy):
        if not left:
            return min(hits)
        subsets = list(product((0, 1), repeat=len(hits)))
        after = [
            most(tuple(h + r for h, r in zip(hits, s, strict=True)), left - 1, accuracy) for s in subsets
        ]
        for value in sorted(set(after), reverse=True):
            bad = [s for s, v in zip(subsets, after, strict=True) if v < value]
            if not bad or game_value(bad).high < accuracy:
                return value
        raise AssertionError

    for m, T, accuracy in product((1, 2, 3), (1, 2, 4), ACCURACIES[:5]):
        assert best_booster(m, T, accuracy) == most((0,) * m, T, accuracy)


def test_no_booster_beats_hedge_by_much_and_none_loses_to_it():
    for accuracy in ACCURACIES:
        for decay in (Fraction(1, 2), Fraction(4, 5)):
            assert hedge_game(4, 10, accuracy, decay=decay).value <= best_booster(4, 10, accuracy)


def test_a_game_that_is_too_large_says_what_fits():
    with pytest.raises(ValueError, match=r"m=8, T=100: .* positions need about .* GiB.*T=\d+ rounds fit"):
        hedge_game(8, 100, Fraction(1, 2), decay=Fraction(1, 2))


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((0, 3, Fraction(1, 2)), {"decay": Fraction(1, 2)}, "m=0"),
        ((2, 0, Fraction(1, 2)), {"decay": Fraction(1, 2)}, "T=0"),
        ((2, 3, Fraction(3, 2)), {"decay": Fraction(1, 2)}, "accuracy=3/2"),
        ((2, 3, Fraction(1, 2)), {}, "give one of the two"),
        ((2, 3, Fraction(1, 2)), {"decay": Fraction(2)}, "decay=2"),
    ],
)
def test_bad_games(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        hedge_game(*arguments, **options)


def test_too_many_examples_for_the_best_booster():
    with pytest.raises(ValueError, match="m=6: the families of subsets are too many"):
        best_booster(6, 3, Fraction(1, 2))


def test_large_weak_learning_games():
    rng = np.random.default_rng(0)
    for share in (0.1, 0.5, 0.9):
        table = rng.random((200, 500)) < share
        game = game_value(table)
        assert 0 <= game.high - game.low < Fraction(1, 10**9)


def test_an_edge_that_cannot_be_met():
    with pytest.raises(ValueError, match="accuracy=1/2 cannot be met: no hypothesis is right on example 1"):
        require_edge([[1, 0, 1], [1, 0, 0]], Fraction(1, 2))
    with pytest.raises(
        ValueError, match=r"on the distribution \{0: 1/2, 2: 1/2\} no hypothesis is more accurate"
    ):
        require_edge([[1, 1, 0], [0, 1, 1]], Fraction(3, 5))
    assert require_edge([[1, 1, 0], [0, 1, 1]], Fraction(1, 2)).low == Fraction(1, 2)


def best_deterministic(family, m, k):
    """Best worst-case coverage of rules without randomness, by enumeration of all of them."""
    rows, n = family.patterns.tolist(), family.n_points
    infos = sorted({(pts, tuple(row[p] for p in pts)) for row in rows for pts in product(range(n), repeat=m)})
    labels = range(len(family.labels))
    lists = list(combinations(labels, min(k, len(labels))))
    cells = [(info, x) for info in infos for x in range(n)]
    best = Fraction(0)
    for choice in product(lists, repeat=len(cells)):
        rule = dict(zip(cells, choice, strict=True))
        worst = min(
            sum(
                row[x] in rule[(pts, tuple(row[p] for p in pts)), x]
                for pts in product(range(n), repeat=m)
                for x in range(n)
            )
            for row in rows
        )
        best = max(best, Fraction(worst, n ** (m + 1)))
    return best


def test_list_games_against_all_rules():
    for family in (FiniteClass([[0, 0], [0, 1], [1, 0]]), FiniteClass([[0, 1], [1, 0]]), six_cycle()):
        game = minimax_coverage(family, 0)
        assert game.low == game.high
        assert best_deterministic(family, 0, 1) <= game.low
    family = FiniteClass([[0, 0], [0, 1], [1, 1]])
    game = minimax_coverage(family, 1)
    assert best_deterministic(family, 1, 1) <= game.low == game.high


@pytest.mark.parametrize(
    ("n_labels", "n", "m", "k"), [(2, 3, 1, 1), (3, 2, 1, 2), (2, 3, 2, 1), (3, 3, 1, 1)]
)
def test_the_full_class_is_the_no_free_lunch_value(n_labels, n, m, k):
    game = minimax_coverage(full_class(n_labels, n), m, k)
    assert game.low == game.high == best_mean_coverage(n_labels, n, m, k)
    assert game.low == no_free_lunch.exact(K=n_labels, n=n, m=m, k=k)


def test_list_games_are_enclosed():
    rng = np.random.default_rng(0)
    for _ in range(5):
        family = random_class(8, 3, 3, rng)
        for m in (0, 1, 2):
            game = minimax_coverage(family, m, 1, [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)])
            assert 0 <= game.high - game.low < Fraction(1, 10**6)
            assert sum(game.prior) == 1
    assert minimax_coverage(FiniteClass([[0, 1]]), 1) == (1, 1, (1,))
    # one list holds every label
    assert minimax_coverage(zero_and_singletons(3), 1, 2).low == 1


def value_of_all_rules(family, m, laws):
    """Value of the game of mixtures of all deterministic rules, the laws given on m + 1 points."""
    rows, n = family.patterns.tolist(), family.n_points
    cells = sorted(
        {
            (pts[:-1], tuple(row[p] for p in pts[:-1]), pts[-1])
            for row in rows
            for pts in product(range(n), repeat=m + 1)
            if pts[-1] not in pts[:-1]
        }
    )
    payoffs = []
    for choice in product(range(len(family.labels)), repeat=len(cells)):
        rule = dict(zip(cells, choice, strict=True))
        payoffs.append(
            [
                sum(
                    float(chance)
                    for pts, chance in law.items()
                    if pts[-1] in pts[:-1]
                    or rule[pts[:-1], tuple(row[p] for p in pts[:-1]), pts[-1]] == row[pts[-1]]
                )
                for row in rows
                for law in laws
            ]
        )
    table = np.array(payoffs)
    solved = linprog(
        np.append(np.zeros(len(table)), -1.0),
        A_ub=np.column_stack([-table.T, np.ones(table.shape[1])]),
        b_ub=np.zeros(table.shape[1]),
        A_eq=[[1.0] * len(table) + [0.0]],
        b_eq=[1.0],
        bounds=[(0, 1)] * len(table) + [(None, None)],
    )
    return -solved.fun


@pytest.mark.parametrize("m", [0, 1])
@pytest.mark.parametrize("parts", [2, 3, 4])
@pytest.mark.parametrize(
    "rows", [[[0, 0], [0, 1], [1, 1]], [[0, 1], [1, 0]], [[0, 0], [0, 1], [1, 0], [1, 1]]]
)
def test_games_over_distributions_against_all_rules(rows, parts, m):
    family = FiniteClass(rows)
    game = minimax_over_distributions(family, m, parts=parts)
    with_replacement, without = [], []
    for counts in compositions(parts, family.n_points):
        with_replacement.append(
            {
                pts: prod(Fraction(counts[p], parts) for p in pts)
                for pts in product(range(family.n_points), repeat=m + 1)
            }
        )
        urn = [p for p, count in enumerate(counts) for _ in range(count)]
        orders = list(permutations(urn, m + 1))
        without.append({pts: Fraction(orders.count(pts), len(orders)) for pts in set(orders)})
    assert float(game.high) == pytest.approx(value_of_all_rules(family, m, with_replacement), abs=1e-6)
    assert float(game.low) == pytest.approx(value_of_all_rules(family, m, without), abs=1e-6)


@pytest.mark.parametrize(
    ("n_labels", "n", "m", "k", "parts"), [(2, 2, 1, 1, 6), (3, 2, 2, 1, 5), (3, 2, 1, 2, 5)]
)
def test_the_full_class_for_every_distribution(n_labels, n, m, k, parts):
    game = minimax_over_distributions(full_class(n_labels, n), m, k, parts=parts)
    unseen = max(
        sum(Fraction(c, parts) * (1 - Fraction(c, parts)) ** m for c in counts)
        for counts in compositions(parts, n)
    )
    assert game.high == 1 - (1 - Fraction(k, n_labels)) * unseen


def test_enclosures_over_distributions_narrow():
    family = zero_and_singletons(3)
    games = [minimax_over_distributions(family, 1, parts=parts) for parts in (2, 4, 8)]
    lows, highs = [game.low for game in games], [game.high for game in games]
    # N draws without replacement are N draws from 2N points
    assert lows == sorted(lows)
    assert highs == sorted(highs, reverse=True)
    assert lows[-1] < highs[-1]
    # leave one out: no less than Lemma 7 at out-degree 1
    assert lows[0] >= Fraction(1, 2)
    for weights in ([Fraction(1, 3)] * 3, [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)]):
        assert minimax_coverage(family, 1, 1, weights).high >= lows[-1]


def test_bad_games_over_distributions():
    with pytest.raises(
        ValueError, match="m=2, k=1, parts=2: give m >= 0, k >= 1 and more parts than examples"
    ):
        minimax_over_distributions(six_cycle(), 2, parts=2)
    with pytest.raises(ValueError, match="cells are too many for the game; 10\\^6 fit"):
        minimax_over_distributions(zero_and_singletons(9), 3)


def test_bad_list_games():
    with pytest.raises(ValueError, match="too many for the game"):
        minimax_coverage(zero_and_singletons(15), 1)
    with pytest.raises(ValueError, match="weights that add up to 1"):
        minimax_coverage(six_cycle(), 1, 1, [Fraction(1, 2), Fraction(1, 3)])


def test_the_worst_reconstruction_is_the_worst_of_all():
    for weights in ([Fraction(1, 3)] * 3, [Fraction(1, 9), Fraction(3, 9), Fraction(5, 9)]):
        for m, level in product((2, 3, 5), (Fraction(1, 9), Fraction(1, 3), Fraction(2, 3))):
            law, every = support_law(weights, m), Fraction(0)
            for chosen in product(range(8), repeat=3):
                regions = {(z,): region for z, region in enumerate(chosen)}
                found = misled(range(8), regions, region_errors(weights, regions), level)
                every = max(every, sum(p for p, hit in zip(law, found, strict=True) if hit))
            found, regions = worst_compression(weights, m, level)
            assert found == every
            assert set(regions) == {(0,), (1,), (2,)}


def test_too_many_reconstructions():
    with pytest.raises(ValueError, match="9 examples have too many reconstructions"):
        worst_compression([Fraction(1, 9)] * 9, 3, Fraction(1, 2))


def test_worst_runs_of_tripletboost():
    attained, loose = worst_training_errors(((2, 2, 2), (2, 3, 1)))
    assert attained.attained
    assert attained.error == attained.bound == 1
    assert not loose.attained
    assert loose.bound > loose.error > 0
