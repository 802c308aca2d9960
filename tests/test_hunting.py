"""The hunter, on conjectures whose answer is known."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import strategies as st

from boosttheory.bounds import rounds, stated_step
from boosttheory.certificates import CertificateError, verify
from boosttheory.claims import Check, Claim
from boosttheory.games import FILLS, Adversary
from boosttheory.hedge import hedge
from boosttheory.hunting import Hunt, hunt, hunted_checks, read_hunt, resumable, write_hunt
from boosttheory.strategies import adversaries


def conjecture(margin, over, kind="search"):
    claim = Claim("toy.guess", "perrot2019", "Remark", "A guess", "x", "not checked")
    claim.check(kind, scope="some numbers", over=over)(margin)
    return claim.checks[0]


def least_divisor(n):
    value = n * n + n + 41
    return all(value % d for d in range(2, int(value**0.5) + 1))


def distance(point):
    """A square with a hole that random points hardly ever meet."""
    x, y = point
    return Fraction((x - 700) ** 2 + (y - 300) ** 2 - 50, 10**6)


SQUARE = st.tuples(st.integers(0, 10**6), st.integers(0, 10**6))


def test_a_counterexample_is_found_and_made_simple():
    found = hunt(conjecture(least_divisor, st.integers(0, 1000)), 20)
    assert (found.best, found.margin, found.refuted) == (40, -1, True)
    assert "a counterexample, margin -1, after" in found.sentence()


def test_a_narrow_hole_is_reached_by_climbing():
    found = hunt(conjecture(distance, SQUARE), 60, seed=1)
    assert found.refuted
    assert distance(found.best) == found.margin < 0
    assert sum(found.ways.values()) == found.cases


def test_nothing_is_found_where_nothing_is():
    def square(point):
        return Fraction(point[0] ** 2 + 1, 1000)

    found = hunt(conjecture(square, SQUARE), 1.5)
    assert not found.refuted
    assert found.best[0] == 0
    assert found.margin == Fraction(1, 1000)
    assert "no counterexample in" in found.sentence()
    assert "no margin below 1/1000" in found.sentence()
    assert all(found.ways.values())
    assert found.seconds < 10


def test_a_hunt_is_resumed(tmp_path):
    check = conjecture(distance, SQUARE)
    first = Hunt(check.id, 3, 1000, seconds=5.0, choices=None, margin=Fraction(1, 10), best=(1, 1))
    first.source = hunt(check, 0.2).source
    (path,) = write_hunt(tmp_path, first)
    again = read_hunt(tmp_path, check)
    assert (again.margin, again.cases, again.seconds, again.seed) == (Fraction(1, 10), 1000, 5.0, 3)
    assert resumable(check, again)
    found = hunt(check, 60, start=again)
    assert found.cases > 1000
    assert found.refuted
    assert first.cases == 1000
    write_hunt(tmp_path, found)
    after = read_hunt(tmp_path, check)
    if found.choices is not None:
        # the best case is drawn anew from its choices
        assert hunt(check, 1, start=after).margin == found.margin
    assert json.loads(path.read_text())["refuted"] is True


def test_a_hunt_over_other_code_is_not_resumed(tmp_path):
    check = conjecture(distance, SQUARE)
    assert read_hunt(tmp_path, check) is None
    assert not resumable(check, Hunt(check.id, source="abc"))
    assert not resumable(check, Hunt("toy.other:distance"))


@pytest.mark.parametrize("text", ["", "[]", '{"format": 1}', '{"format": 2, "check": "toy.guess:distance"}'])
def test_a_file_that_is_no_hunt(tmp_path, text):
    check = conjecture(distance, SQUARE)
    (tmp_path / "toy.guess.distance.json").write_text(text)
    with pytest.raises(ValueError, match=r"is no hunt over toy\.guess:distance; remove it"):
        read_hunt(tmp_path, check)


def test_an_interrupt_keeps_the_best():
    calls = 0

    def tired(point):
        nonlocal calls
        calls += 1
        if calls > 30:
            raise KeyboardInterrupt
        return point[0] + 1

    found = hunt(conjecture(tired, SQUARE), 60)
    assert found.interrupted
    assert found.cases == 30
    assert found.margin == found.best[0] + 1


@pytest.mark.parametrize("budget", [0, -1, float("inf"), float("nan")])
def test_no_budget(budget):
    with pytest.raises(ValueError, match=r"budget=.* is no time to hunt"):
        hunt(conjecture(distance, SQUARE), budget)


def test_no_strategy():
    listed = conjecture(distance, [(0, 0)], kind="exhaustive")
    with pytest.raises(ValueError, match="has no strategy to draw cases from; add a check of kind 'search'"):
        hunted_checks(listed.claim)
    with pytest.raises(ValueError, match=r"distance has no strategy"):
        hunt(listed, 1)
    with pytest.raises(ValueError, match=r"toy\.guess has no check named 'other'; it has distance"):
        hunted_checks(listed.claim, "other")


def test_no_admissible_case():
    with pytest.raises(ValueError, match=r"toy\.guess:distance is vacuous"):
        hunt(conjecture(distance, SQUARE.filter(lambda point: False)), 1)


# the adversaries by plan

SETTINGS = [
    (4, Fraction(1, 4), 40, (8, 0, 0, 0, 0, 0, 0, 0)),
    (20, Fraction(1, 4), 975, (8, 4, 0, 0, 0, 0, 0, 0)),
    (3, Fraction(1, 2), 2**20, (3, 1, 4, 1, 5, 0, 2, 6)),
    (2, Fraction(2, 5), 7, (0,) * 8),
]


@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize(("k", "gamma", "m", "plan"), SETTINGS)
def test_plans_are_played_accurately(k, gamma, m, plan, fill):
    adversary = Adversary(k, gamma, m, rounds("paper", m, k, gamma), plan, fill)
    certificate = adversary.certificate()
    found = verify(certificate)
    assert found.least_excess >= 0
    assert found.hits == int(certificate["hits"]) == sum(certificate["turns"][::2])
    played = adversary.play(float(stated_step.value(m=m, T=adversary.T)))
    assert sum(played.right) == played.hits == found.hits
    assert len(played.right) == len(played.rounds) == adversary.T


def test_a_plan_replayed_by_the_booster():
    adversary = Adversary(4, Fraction(1, 4), 40, 300, (6, 5, 4, 3, 2, 1, 0, 0), "tight")
    played = adversary.play(0.1)
    counts = np.zeros(39, dtype=int)
    answers = []
    for right, chosen in zip(played.right, played.rounds, strict=True):
        row = np.zeros(39, dtype=bool)
        for level, n in zip(np.unique(counts), chosen[1:], strict=True):
            row[np.flatnonzero(counts == level)[:n]] = True
        counts += row
        answers.append([right, *row])
    run = hedge(answers, 40, 300, 0.1, required=0.5)
    assert run.hits[0] == played.hits


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"turns": [3]}, "with sum"),
        ({"turns": [-1, 2]}, "at least 0"),
        ({"turns": "all"}, "list of integers"),
        ({"hits": "1"}, "hits=1, but by its turns the target is right"),
    ],
)
def test_bad_turns(change, message):
    adversary = Adversary(4, Fraction(1, 4), 40, rounds("paper", 40, 4, Fraction(1, 4)), (8,) * 8, "tight")
    with pytest.raises(CertificateError, match=message):
        verify(adversary.certificate() | change)


def test_adversaries_are_admissible():
    from hypothesis import given, settings

    @settings(derandomize=True, deadline=None, max_examples=50, database=None)
    @given(adversaries())
    def admissible(case):
        assert 2 <= case.m <= 2**40
        assert case.T <= 2020
        assert case.accuracy < 1
        assert rounds("paper", case.m, case.k, case.gamma) <= case.T

    admissible()


def test_lemma_1_is_refuted_without_help():
    """A hunt ends with its first counterexample; this one takes well under a minute."""
    from proofs_checks.multiclass.lem1a_remove_one_label import claim

    (check,) = hunted_checks(claim)
    assert isinstance(check, Check)
    found = hunt(check, 300, seed=0)
    assert found.refuted
    assert verify(found.certificate).refuted
