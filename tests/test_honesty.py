"""Honesty of the suite itself: what cannot fail is found out, and so is a list of excuses gone stale."""

from dataclasses import replace

import mutants
import pytest
from hypothesis import strategies as st

from boosttheory.claims import load

CHECKS = [check for claim in load().values() for check in claim.checks]


def ids(items):
    return [item.id for item in items]


def fails(check):
    """Tell whether a run of the ledger would report this check."""
    try:
        return bool(check.run().surprises)
    except ValueError as error:
        # `boosttheory check` makes a surprise of it
        return "vacuous" in str(error)


def first_case(check):
    """Return a stream of one case; a strategy stays, as a search draws from it."""
    source = check.points()
    return source if check.strategy() is not None else [next(iter(source))]


@pytest.mark.parametrize("check", CHECKS, ids=ids(CHECKS))
def test_a_margin_that_is_always_zero_fails(check):
    def zero(case, **ingredients):
        return 0

    zero.__name__ = check.name
    # a constant is the same on every case, so that one case tells
    draw = None if check.draw is None else lambda point, rng: point
    tame = replace(
        check, margin=zero, over=first_case(check), draw=draw, table=None, replays=None, examples=1
    )
    assert fails(tame), "with a margin that is 0 everywhere this check passes: it cannot fail"


@pytest.mark.parametrize("check", CHECKS, ids=ids(CHECKS))
def test_an_empty_stream_fails(check):
    nothing = [] if check.strategy() is None else st.nothing()
    assert fails(replace(check, over=nothing, table=None)), "without a single case this check passes"


MODULES = list(mutants.TESTS)


@pytest.mark.parametrize("module", MODULES)
def test_every_explained_mutant_is_one_and_has_a_reason(module):
    known = {mutant.key for mutant in mutants.mutants(module)[0]}
    excuses = mutants.explained()[module]
    assert sorted(excuses.keys() - known) == [], "no such place: strike it off tests/mutants.toml"
    for key, reason in excuses.items():
        assert len(reason.split()) >= 4, f"say why no test kills {key!r}"


def test_few_mutants_need_an_excuse():
    excuses = mutants.explained()
    assert sorted(excuses) == sorted(MODULES)
    everything = sum(len(mutants.mutants(module)[0]) for module in MODULES)
    assert sum(map(len, excuses.values())) <= 0.05 * everything, "too many excuses: write tests"


def test_every_mutant_is_other_code():
    found, tree = mutants.mutants("hedge")
    path = mutants.ROOT / "boosttheory" / "hedge.py"
    plain = compile(tree, str(path), "exec")
    assert all(mutants.compiled(mutant, tree, path) != plain for mutant in found)
    assert compile(tree, str(path), "exec") == plain
    assert len({mutant.key for mutant in found}) == len(found)
