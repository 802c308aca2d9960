"""The engine: what a check accepts, what it finds, and the verdict that follows."""

import itertools
import math
import time
from collections import namedtuple
from dataclasses import FrozenInstanceError, dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import partial
from types import SimpleNamespace

import mpmath
import numpy as np
import pytest
import sympy as sp
from hypothesis import strategies as st

from boosttheory.claims import (
    Claim,
    Enclosure,
    Figure,
    Finding,
    Kind,
    Mutant,
    Reading,
    Relation,
    Role,
    Verdict,
    approximate,
    covers_quantifiers,
    load,
    reject_floats,
    render,
    select,
    verdict,
)
from boosttheory.surds import Surd, sqrt
from boosttheory.symbolic import Obligation, decide


def make(id="toy.thm1", **options):
    options = {"expect": "proved", "statement": "x", "title": "t", "paper": "p", "locator": "l"} | options
    return Claim(id=id, **options)


def attach(margin, kind="exhaustive", over=range(5), claim=None, **options):
    return (claim or make()).check(kind, scope="some", over=over, **options)(margin)


def at_least(x, *, bound=0, power=1):
    return x**power - bound


# --- mutants ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ingredients", "message"),
    [
        ({}, "replaces no ingredient"),
        ({"limit": 3}, "no ingredient"),
        ({"x": 3}, "no ingredient"),
        ({"bound": 0}, "leaves 'bound' as it is"),
        ({"bound": Fraction(0)}, "leaves 'bound' as it is"),
        ({"bound": 2, "power": 1}, "leaves 'power' as it is"),
    ],
)
def test_a_variant_must_replace_an_ingredient(ingredients, message):
    check = attach(at_least)
    with pytest.raises(ValueError, match=message):
        check.mutant("variant", **ingredients)
    with pytest.raises(ValueError, match=message):
        check.rescue("variant", **ingredients)


def test_a_variant_by_an_equal_array_is_refused():
    same = np.array([1, 2])

    def margin(x, *, weights=same):
        return x * int(weights.sum())

    check = attach(margin)
    with pytest.raises(ValueError, match="as it is"):
        check.mutant("equal", weights=np.array([1, 2]))
    check.mutant("other", weights=np.array([1, -2]))
    assert check.run().survivors == []


def test_a_variant_by_the_same_nan_is_refused():
    check = attach(lambda x, *, scale=math.nan: x)
    with pytest.raises(ValueError, match="as it is"):
        check.mutant("same", scale=math.nan)


def test_a_label_is_used_once():
    check = attach(at_least)
    check.mutant("label", bound=1)
    with pytest.raises(ValueError, match="is taken"):
        check.rescue("label", bound=2)


def test_a_margin_that_ignores_its_ingredients_cannot_pass():
    def nothing(x, *, bound=0):
        return 0

    check = attach(nothing)
    check.mutant("bound 7", bound=7)
    result = check.run()
    assert result.survivors == ["bound 7"]
    assert any("survives" in sentence for sentence in result.surprises)


def test_coarse_mutants_of_an_inequality():
    check = attach(at_least)
    check.mutant("fine", bound=2)
    check.mutant("coarse", bound=9)
    assert check.run().coarse == ["coarse"]
    equal = attach(lambda x, *, shift=0: -abs(shift), relation="equality")
    equal.mutant("shifted", shift=1)
    assert equal.run().coarse == []


def test_a_refuting_case_kills_no_mutant():
    check = attach(at_least, over=[-1, 3])
    check.mutant("changes nothing on these cases", bound=-1, power=2)
    check.mutant("false at three", bound=4)
    result = check.run()
    assert result.finding.refutes
    assert result.survivors == ["changes nothing on these cases"]


def test_the_killer_is_kept():
    check = attach(at_least)
    check.mutant("above one", bound=2)
    trace = check.run().mutants["above one"]
    assert (trace.killed, trace.held, trace.killer) == (True, True, 0)


# --- cases --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("over", [[], lambda: iter(()), lambda: (x for x in range(5) if x > 9)])
def test_no_case_is_an_error(over):
    with pytest.raises(ValueError, match="vacuous"):
        attach(at_least, over=over).run()


def test_a_search_without_examples_is_vacuous():
    with pytest.raises(ValueError, match="vacuous"):
        attach(at_least, "search", st.integers(0, 3).filter(lambda x: x > 9)).run()


def test_an_iterator_is_refused():
    with pytest.raises(TypeError, match="iterator"):
        attach(at_least, over=iter([1, 2]))
    with pytest.raises(TypeError, match="iterator"):
        attach(at_least, slow_over=(x for x in [1]))


def test_a_list_that_can_be_mapped_is_no_strategy():
    class Mapped(list):
        def map(self, function):
            return Mapped(map(function, self))

    assert attach(at_least, over=Mapped([1, 2])).run().finding.cases == 2


def test_only_a_search_draws_from_a_strategy():
    with pytest.raises(ValueError, match="only a search"):
        attach(at_least, over=st.integers()).run()


def test_slow_streams():
    check = attach(at_least, over=range(5), slow_over=lambda: range(-3, 5), slow_scope="more")
    assert check.run().finding.cases == 5
    assert check.run(slow=True).finding.cases == 8
    assert check.run(slow=True).finding.refutes


def test_the_witness_is_replayed_first():
    broken = make("toy.false")
    witness = attach(lambda x, *, strict=1: x - strict, "witness", [0], broken)
    mended = attach(at_least, over=[1, 2], replays=witness)
    assert list(mended.cases()) == [0, 1, 2]
    search = attach(at_least, "search", st.integers(5, 9), replays=witness)
    assert search.run().finding.worst == 0
    negative = attach(lambda x: x, "witness", [-4])
    assert attach(at_least, "search", st.integers(5, 9), replays=negative).run().finding.refutes


def test_a_replayed_witness_does_not_stand_in_for_cases():
    witness = attach(at_least, "witness", [0, 1], make("toy.false"), slow_over=[0, 1, 2], slow_scope="more")
    for kind, nothing in (("exhaustive", []), ("search", st.nothing()), ("search", ())):
        for slow in (False, True):
            with pytest.raises(ValueError, match="vacuous"):
                attach(at_least, kind, nothing, replays=witness).run(slow=slow)


def test_a_witness_refutes_or_has_a_false_variant():
    idle = attach(lambda x, *, strict=1: x - strict, "witness", [1])
    assert idle.run().surprises == ["toy.thm1:<lambda>: the witness refutes nothing and has no false variant"]
    idle.mutant("twice as strict", strict=2)
    assert idle.run().surprises == []
    assert attach(lambda x, *, strict=1: x - strict, "witness", [0]).run().surprises == []
    assert attach(at_least).run().surprises == []


def test_rescues():
    check = attach(lambda x, *, strict=1: x - strict, "witness", [0])
    check.rescue("not strictly", strict=0)
    check.rescue("still false", strict=Fraction(1, 2))
    result = check.run()
    assert result.rescues == {"not strictly": True, "still false": False}
    assert result.surprises == ["toy.thm1:<lambda>: the rescue 'still false' fails on the witness"]


def test_rescues_of_a_search():
    check = attach(at_least, "search", st.integers(-5, 9))
    check.rescue("the square", power=2)
    check.rescue("a little less", bound=Fraction(-1, 2))
    assert check.run().rescues == {"the square": True, "a little less": False}


# --- exactness ----------------------------------------------------------------------------------------------

Pair = namedtuple("Pair", "first second")


@dataclass(frozen=True)
class Nested:
    inner: object


class Slotted:
    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


HIDDEN = [
    0.5,
    1j,
    math.nan,
    np.float64(1),
    np.float32(1),
    np.array([1.0]),
    np.complex64(1),
    np.array([1j]),
    np.array([0.5, 1], dtype=object),
    sp.Float(2),
    sp.Symbol("x") + sp.Float("0.5"),
    sp.Matrix([[sp.Float(1)]]),
    sp.Interval(0, 0.5),
    mpmath.mpf(1),
    mpmath.mpc(1),
    Decimal(1),
]


@pytest.mark.parametrize(
    "wrap", [lambda v: v, Nested, Slotted, lambda v: SimpleNamespace(v=v), lambda v: [(v,)]]
)
@pytest.mark.parametrize("value", HIDDEN, ids=repr)
def test_hidden_floats_are_found(value, wrap):
    with pytest.raises(TypeError, match="exact"):
        reject_floats(wrap(value), "here")


def test_floats_in_containers():
    for value in (
        {1: {2: 0.5}},
        {0.5: 1},
        {0.5},
        frozenset([0.5]),
        Pair(1, 0.5),
        Nested(Nested([0.5])),
        Surd(0.5, 1, sqrt(2).root),
    ):
        with pytest.raises(TypeError, match="exact"):
            reject_floats(value, "here")


def test_what_a_float_hides_in_is_named():
    with pytest.raises(TypeError, match=r"sympy\.Float"):
        reject_floats(sp.Symbol("x") + sp.Float("0.5"), "here")


def test_things_that_look_like_expressions_are_searched():
    for value in (
        SimpleNamespace(atoms=[0.5]),
        SimpleNamespace(free_symbols=[0.5]),
        type("OneSlot", (), {"__slots__": "inner"})(),
    ):
        if not hasattr(value, "__dict__"):
            value.inner = 0.5
        with pytest.raises(TypeError, match="here is the float"):
            reject_floats(value, "here")


def test_functions_and_modules_are_not_searched():
    def function():
        pass

    function.tolerance = 0.5
    reject_floats([function, SimpleNamespace(module=math), Slotted.__new__(Slotted)], "here")


def test_exact_values_pass():
    loop = SimpleNamespace(value=1)
    loop.itself = loop
    for value in (
        1,
        True,
        Fraction(1, 2),
        "0.5",
        None,
        sp.sqrt(2),
        sp.Symbol("x"),
        np.int64(3),
        np.arange(3),
        sqrt(2),
        loop,
        mpmath.iv.mpf([0, 1]),
        {"a": [Fraction(1)]},
        range(3),
        math.sqrt,
        Obligation("fact", {sp.Symbol("x"): sp.Interval(0, 1)}),
    ):
        reject_floats(value, "here")


@pytest.mark.parametrize("kind", ["exhaustive", "witness", "symbolic"])
def test_exact_kinds_refuse_floats(kind):
    with pytest.raises(TypeError, match="a case of"):
        attach(at_least, kind, [0.5]).run()
    for margin in (
        lambda x: x / 2,
        lambda x: sp.Float(x),
        lambda x: np.float64(x),
        lambda x: Enclosure(0.0, 1),
    ):
        with pytest.raises(TypeError, match="the margin of"):
            attach(margin, kind, [1]).run()


def test_other_kinds_take_floats():
    assert attach(at_least, "search", [0.5, 1.5]).run().finding.low == 0.5


@pytest.mark.parametrize("value", [math.nan, sp.nan, Enclosure(math.nan, 1)])
@pytest.mark.parametrize("kind", ["search", "exhaustive"])
def test_nan_is_never_swallowed(value, kind):
    with pytest.raises((ValueError, TypeError), match=r"NaN|float"):
        attach(lambda x: value if x else 1, kind, [0, 1]).run()


def test_a_margin_returns_something():
    with pytest.raises(TypeError, match="returns None"):
        attach(lambda x: None).run()


# --- margins ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("truth", [bool, np.bool_, sp.sympify])
def test_truth_values(truth):
    assert attach(lambda x: truth(x > 0), over=[1]).run().finding.supports
    assert attach(lambda x: truth(x > 1), over=[1]).run().finding.refutes


def test_an_interval_around_zero_is_inconclusive():
    for margin in (mpmath.iv.mpf([-1, 1]), Enclosure(-1, 1)):
        finding = attach(lambda x, found=margin: found, over=[1]).run().finding
        assert not finding.refutes
        assert not finding.supports
    found = Enclosure.of(mpmath.iv.mpf(1) / 3)
    assert found.low < Fraction(1, 3) < found.high


def test_one_undecided_case_spoils_support():
    margins = {0: Enclosure(2, 5), 1: Enclosure(-1, 9), 2: 3}
    finding = attach(lambda x: margins[x], over=range(3)).run().finding
    assert (finding.low, finding.high) == (-1, 3)
    assert not finding.supports
    hunted = attach(lambda x: margins[x], "search", st.sampled_from([0, 1, 2])).run().finding
    assert (hunted.low, hunted.high) == (-1, 3)


def test_the_point_of_a_symbolic_refutation_is_kept():
    x = sp.Symbol("x")
    check = attach(
        lambda o: decide(o.data, o.domain), "symbolic", [Obligation("f", {x: sp.Interval(0, 1)}, x - 1)]
    )
    finding = check.run().finding
    assert finding.refutes
    assert finding.worst[1] == {"x": 0}


def test_ends_of_margins():
    assert Enclosure.of(True) == Enclosure(0, 0)
    assert Enclosure.of(False) == Enclosure(-1, -1)
    libmp = mpmath.libmp
    wide = Enclosure.of(SimpleNamespace(_mpi_=(libmp.fninf, libmp.finf)))
    assert (wide.low, wide.high) == (-math.inf, math.inf)
    assert math.isnan(Enclosure.of(SimpleNamespace(_mpi_=(libmp.fnan, libmp.fnan))).low)


@pytest.mark.parametrize(
    ("low", "high", "delta", "refutes", "supports"),
    [
        (0, 0, 0, False, True),
        (-1, 0, 0, False, False),
        (-1, -1, 0, True, False),
        (-1, -1, 1, False, True),
        (-2, -1, 1, False, False),
        (-3, -2, 1, True, False),
        (Fraction(1, 2), Fraction(1, 2), 1, False, True),
    ],
)
def test_what_a_finding_says(low, high, delta, refutes, supports):
    finding = Finding(1, low, high, None, delta)
    assert (finding.refutes, finding.supports) == (refutes, supports)


def test_the_first_of_the_worst_cases_is_kept_and_the_table_has_a_line_each():
    check = attach(
        lambda x: abs(x), over=[3, -1, 1, 2], table=lambda x: {"x": x, "square": x * x}, relation="equality"
    )
    result = check.run()
    assert result.finding.worst == -1
    assert result.table == tuple({"x": x, "square": x * x} for x in (3, -1, 1, 2))
    assert 0 <= result.seconds < 60


def test_the_point_of_a_symbolic_mutant_is_kept():
    x = sp.Symbol("x")
    check = attach(
        lambda o, *, shift=0: decide(o.data - shift, o.domain),
        "symbolic",
        [Obligation("f", {x: sp.Interval(0, 1)}, x)],
    )
    check.mutant("one less", shift=1)
    assert check.run().mutants["one less"].killer[1] == {"x": 0}


# --- search and statistics ----------------------------------------------------------------------------------


def test_a_search_finds_and_shrinks():
    check = attach(lambda x, *, bound=1000: bound - x * x, "search", st.integers(0, 10**6))
    finding = check.run().finding
    assert finding.refutes
    assert finding.worst == 32
    held = attach(at_least, "search", st.integers(0, 10**6))
    held.mutant("above ten", bound=10)
    result = held.run()
    assert (result.finding.low, result.finding.worst) == (0, 0)
    assert result.survivors == result.coarse == []


def test_a_search_reports_coarse_mutants():
    check = attach(at_least, "search", st.integers(0, 9))
    check.mutant("fine", bound=2)
    check.mutant("coarse", bound=99)
    assert check.run().coarse == ["coarse"]


def test_a_search_depends_on_its_seed_alone():
    check = attach(lambda x: abs(x - 777_777), "search", st.integers(0, 10**6), examples=30)
    worst = [check.run(seed=seed).finding for seed in (0, 0, 1)]
    assert worst[0] == worst[1]
    assert worst[0] != worst[2]


def test_a_search_takes_huge_margins():
    assert attach(lambda x: x, "search", st.just(10**400)).run().finding.low == 10**400
    assert approximate(10**400) == math.inf
    assert approximate(-Fraction(10**400)) == -math.inf


def test_statistical_streams_depend_on_seed_check_and_point_alone():
    def draw(point, rng):
        return point, rng.random()

    options = {"draw": draw, "error": 1e-6}
    check = attach(lambda case: case[1], "statistical", ["a", "b", "c"], **options)
    cases = list(check.cases(seed=3))
    assert cases == list(check.cases(seed=3))
    assert cases != list(check.cases(seed=4))
    assert len({value for _, value in cases}) == 3
    shorter = attach(lambda case: case[1], "statistical", ["a", "b"], **options)
    assert list(shorter.cases(seed=3)) == cases[:2]
    other = attach(lambda case: case[1], "statistical", ["a"], claim=make("toy.thm2"), **options)
    assert next(other.cases(seed=3)) != cases[0]


def test_the_slack_of_a_statistical_check():
    finding = attach(lambda x: Enclosure(-0.05, 0.1), "statistical", [1], error=1e-6, delta=0.1).run().finding
    assert finding.supports
    finding = (
        attach(lambda x: Enclosure(-0.2, -0.11), "statistical", [1], error=1e-6, delta=0.1).run().finding
    )
    assert finding.refutes
    finding = attach(lambda x: Enclosure(-0.2, 0.11), "statistical", [1], error=1e-6, delta=0.1).run().finding
    assert not finding.refutes
    assert not finding.supports


def test_a_mutant_is_judged_up_to_the_slack_as_well():
    check = attach(lambda x, *, shift=0: x - shift, "statistical", [0.25], error=1e-6, delta=0.5)
    check.mutant("within the slack", shift=0.375)
    check.mutant("at the slack", shift=0.75)
    check.mutant("beyond", shift=2.0)
    result = check.run()
    assert result.survivors == ["within the slack", "at the slack"]
    assert [trace.held for trace in result.mutants.values()] == [True, True, False]


def test_a_run_draws_from_its_seed():
    options = {"draw": lambda point, rng: rng.random(), "error": 1e-6}
    check = attach(lambda x: x, "statistical", range(5), **options)
    for seed in (0, 1):
        assert check.run(seed=seed).finding.worst == min(check.cases(seed=seed))
    assert list(check.cases()) == list(check.cases(seed=0)) != list(check.cases(seed=1))
    assert check.run().seed == 0
    assert check.run().finding.worst == check.run(seed=0).finding.worst
    # what is replayed is drawn from the same seed
    again = attach(lambda x: x, "search", [2.0], replays=check)
    assert again.run(seed=1).finding.worst == check.run(seed=1).finding.worst
    hunted = attach(lambda x: x, "search", st.just(2.0), replays=check)
    assert hunted.run(seed=1).finding.worst == check.run(seed=1).finding.worst


def test_the_slow_cases_of_a_witness_are_replayed_in_a_slow_run():
    witness = attach(at_least, "witness", [1], slow_over=[1, -3], slow_scope="more")
    listed = attach(at_least, over=[5], replays=witness)
    hunted = attach(at_least, "search", st.just(5), replays=witness)
    assert list(listed.cases()) == list(listed.cases(slow=False)) == [1, 5]
    assert list(listed.cases(slow=True)) == [1, -3, 5]
    for check in (listed, hunted):
        assert check.run().finding.low == 1
        assert check.run(slow=True).finding.low == -3
    assert attach(at_least, "search", [1], slow_over=st.just(1)).strategy() is None


def test_a_refuted_search_kills_mutants_only_where_the_statement_holds():
    check = attach(
        lambda x, *, bound=0, hole=None: -1 if x == hole else x - bound, "search", st.integers(-5, 5)
    )
    check.mutant("weaker", bound=-2)
    check.mutant("false at one", hole=1)
    check.mutant("false at zero", hole=0)
    check.mutant("stronger", bound=3)
    check.rescue("a little less", bound=-1)
    check.rescue("a half less", bound=Fraction(-1, 2))
    result = check.run()
    assert result.finding.refutes
    assert result.finding.worst == -1
    assert result.survivors == ["weaker"]
    assert result.rescues == {"a little less": True, "a half less": False}


def test_a_mutant_that_held_once_has_held():
    calls = []

    def margin(x, *, bound=0):
        calls.append(x)
        return x - bound

    check = attach(margin, "search", st.sampled_from([2, 0]))
    check.mutant("up to two", bound=2)
    assert check.run().mutants["up to two"].held
    assert {0, 2} <= set(calls)


def test_a_search_counts_its_cases_and_keeps_the_first_of_equals():
    calls = []

    def margin(x):
        calls.append(x)
        return 0

    for slow in (False, True):
        calls.clear()
        check = attach(margin, "search", st.integers(0, 10**9), examples=30)
        finding = check.run(slow=slow).finding
        assert finding.cases == len(calls) == (600 if slow else 30)
        assert finding.worst == calls[0]


def test_a_search_climbs_towards_the_least_margin():
    check = attach(lambda x: abs(x - 777_777), "search", st.integers(0, 10**6), examples=400)
    # 400 numbers at random come within a thousand or so
    assert check.run().finding.low < 50


def test_a_search_minds_neither_slow_cases_nor_rare_ones():
    def slowly(x):
        time.sleep(0.25)
        return x

    assert attach(slowly, "search", st.just(1), examples=1).run().finding.supports
    rare = st.integers(0, 10**6).filter(lambda x: x % 25 == 0)
    assert attach(lambda x: x, "search", rare).run().finding.supports


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("statistical", {}, "no probability"),
        ("statistical", {"error": 1}, "no probability"),
        ("exhaustive", {"delta": 1}, "belong to statistical"),
        ("search", {"draw": print}, "belong to statistical"),
        ("exhaustive", {"by_hand": ("step",)}, "belongs to symbolic"),
    ],
)
def test_options_of_the_wrong_kind(kind, options, message):
    with pytest.raises(ValueError, match=message):
        attach(at_least, kind, **options)


def test_names_and_scopes():
    claim = make()
    attach(at_least, claim=claim)
    with pytest.raises(ValueError, match="another name"):
        attach(at_least, claim=claim)
    with pytest.raises(ValueError, match="scope is empty"):
        claim.check("exhaustive", scope=" ", over=[1])(lambda x: x)


def test_values_are_not_edited_and_checks_are_themselves():
    result = attach(at_least).run()
    for value, name in (
        (Enclosure(0, 1), "low"),
        (result.finding, "low"),
        (Figure("", ""), "svg"),
        (Mutant("label", {}), "label"),
        (result, "seed"),
    ):
        with pytest.raises(FrozenInstanceError):
            setattr(value, name, 1)
    assert attach(at_least) != attach(at_least)
    assert make() != make()
    assert len({result.check, result.check.claim}) == 2


def test_what_nobody_says_is_nothing():
    check = attach(at_least)
    assert (check.slow_scope, check.error, check.slow_only, check.examples) == ("", 0, False, 200)
    assert (check.claim.note, check.claim.module) == ("", __name__)
    assert Figure("svg", "alt").caption == ""
    assert Finding(1, -1, -1, None).refutes
    nameless = {"Claim": Claim}
    exec('claim = Claim("a", "p", "l", "t", "s", "proved")', nameless)
    assert nameless["claim"].module == ""


def test_a_caption_is_shown_where_there_is_one():
    assert "figcaption" not in Figure("<svg/>", "alt")._repr_html_()
    assert "<figcaption>less &lt; more</figcaption>" in Figure("<svg/>", "alt", "less < more")._repr_html_()
    assert "XX" not in Figure("<svg/>", "alt")._repr_html_()


def test_slow_runs_have_their_own_verdict_and_checks():
    claim = make(expect="holds on every case", expect_slow="refuted")
    assert claim.expected(slow=False) == Verdict.HOLDS_ON_EVERY_CASE
    assert claim.expected(slow=True) == Verdict.REFUTED
    assert make().expected(slow=True) == Verdict.PROVED
    quick = attach(lambda x: x, claim=claim)
    late = claim.check("exhaustive", scope="some", over=[1], slow_only=True)(at_least)
    assert claim.runnable(slow=False) == [quick]
    assert claim.runnable(slow=True) == [quick, late]


# the words that stored rows hold
WORDS = {
    Role: "statement definition algorithm",
    Reading: "as printed, canonical",
    Kind: "symbolic exhaustive witness search statistical",
    Relation: "inequality equality equivalence",
    Verdict: "proved, proved up to listed steps, holds on every case, no counterexample found, "
    "holds statistically, conforms, refuted, inconclusive, not checked",
}


@pytest.mark.parametrize("names", WORDS, ids=lambda names: names.__name__)
def test_the_words_of_stored_rows_stay(names):
    words = WORDS[names]
    assert [str(name) for name in names] == (words.split(", ") if ", " in words else words.split())


# --- verdicts -----------------------------------------------------------------------------------------------


def found(kind, refutes=False, supports=True, by_hand=(), whole=False):
    return {"kind": kind, "refutes": refutes, "supports": supports, "by_hand": by_hand, "whole": whole}


ROWS = [
    found(kind, refutes, supports, by_hand, whole)
    for kind in map(str, Kind)
    for refutes, supports in ((True, False), (False, True), (False, False))
    for by_hand, whole in (
        itertools.product(((), ("step",)), (False, True)) if kind == "symbolic" else [((), False)]
    )
]


def rank(row):
    """The verdict of one supporting row, as a position: lower is stronger."""
    if row["kind"] == "symbolic" and row["whole"]:
        return 1 if row["by_hand"] else 0
    return {"search": 3, "statistical": 4}.get(row["kind"], 2)


@pytest.mark.parametrize("role", ["statement", "definition", "algorithm"])
def test_verdict_table(role):
    order = [
        Verdict.PROVED,
        Verdict.PROVED_UP_TO_LISTED_STEPS,
        Verdict.HOLDS_ON_EVERY_CASE,
        Verdict.NO_COUNTEREXAMPLE_FOUND,
        Verdict.HOLDS_STATISTICALLY,
    ]
    assert verdict(role, []) == Verdict.NOT_CHECKED
    for rows in itertools.chain(((row,) for row in ROWS), itertools.product(ROWS, repeat=2)):
        computed = verdict(role, rows)
        if any(row["refutes"] for row in rows):
            assert computed == Verdict.REFUTED
        elif not all(row["supports"] for row in rows):
            assert computed == Verdict.INCONCLUSIVE
        elif role != "statement":
            assert computed == Verdict.CONFORMS
        else:
            assert computed == order[min(map(rank, rows))]


def test_which_verdicts_hold():
    assert {v for v in Verdict if not v.holds} == {Verdict.REFUTED, Verdict.INCONCLUSIVE, Verdict.NOT_CHECKED}


# --- symbolic coverage --------------------------------------------------------------------------------------

k, n = sp.symbols("k n")
Box, R, HALF = sp.Interval, sp.Range, sp.Rational(1, 2)


@pytest.mark.parametrize(
    ("quantifiers", "domains", "whole"),
    [
        ({"k": Box(0, 2)}, [{k: Box(0, 2)}], True),
        ({"k": Box(0, 2)}, [{k: Box(0, 3)}], True),
        ({"k": Box(0, 2)}, [{k: Box(0, 1)}, {k: Box(1, 2)}], True),
        ({"k": Box(0, 2)}, [{k: Box.Ropen(0, 1)}, {k: Box.Lopen(1, 2)}], False),
        ({"k": Box(0, 2)}, [{k: Box.Ropen(0, 1)}, {k: sp.FiniteSet(1)}, {k: Box.Lopen(1, 2)}], True),
        ({"k": Box(0, 2)}, [{k: Box.Lopen(0, 2)}], False),
        ({"k": Box(0, 2)}, [{n: Box(0, 2)}], False),
        ({"k": Box(0, 2)}, [{}], False),
        ({"k": Box(0, 2), "n": Box(0, 2)}, [{k: Box(0, 2)}], True),
        (
            {"k": Box(0, 2), "n": Box(0, 2)},
            [{k: Box(0, 1), n: Box(0, 1)}, {k: Box(1, 2), n: Box(1, 2)}],
            False,
        ),
        (
            {"k": Box(0, 2), "n": Box(0, 2)},
            [{k: Box(0, 1)}, {k: Box(1, 2), n: Box(1, 2)}, {k: Box(1, 2), n: Box(0, 1)}],
            True,
        ),
        (
            {"k": Box(0, 2), "n": Box(0, 2)},
            [{k: Box(0, 1)}, {n: Box(0, 1)}, {k: Box(1, 2), n: Box(1, 2)}],
            True,
        ),
        (
            {"k": Box(0, 2), "n": Box(0, 2)},
            [{k: Box(0, 1)}, {n: Box(0, 1)}, {k: Box(1, 2), n: Box.Lopen(HALF + 1, 2)}],
            False,
        ),
        ({"n": sp.S.Naturals}, [{n: R(1, sp.oo)}], True),
        ({"n": sp.S.Naturals}, [{n: Box(1, sp.oo)}], True),
        ({"n": sp.S.Naturals}, [{n: R(1, 10**6)}], False),
        ({"n": sp.S.Naturals}, [{n: R(1, 10)}, {n: R(10, sp.oo)}], True),
        ({"n": sp.S.Naturals}, [{n: R(10, sp.oo)}, {n: R(1, 10)}], True),
        ({"n": sp.S.Naturals}, [{n: R(11, sp.oo)}, {n: R(1, 10)}], False),
        ({"n": sp.S.Integers}, [{n: R(-sp.oo, 0)}, {n: R(0, sp.oo)}], True),
        ({"n": sp.S.Integers}, [{n: R(-sp.oo, 0)}, {n: R(1, sp.oo)}], False),
        ({"n": sp.S.Integers}, [{n: R(-2, 3)}, {n: R(3, sp.oo)}, {n: R(-sp.oo, -2)}], True),
        ({"n": sp.S.Naturals}, [{n: sp.FiniteSet(1)}, {n: Box(2, sp.oo)}], True),
        ({"n": R(1, sp.oo)}, [{n: R(2, sp.oo)}], False),
        ({"n": R(1, 11)}, [{n: R(1, 4)}, {n: R(4, 11)}], True),
        ({"n": R(1, 11)}, [{n: R(1, 4)}, {n: R(5, 11)}], False),
        ({"n": R(1, 11)}, [{n: R(4, 7)}, {n: R(1, 4)}, {n: R(7, 11)}], True),
        ({"n": R(1, 11)}, [{n: R(4, 7)}, {n: R(2, 4)}, {n: R(7, 11)}], False),
        ({"n": R(1, 11)}, [{n: R(4, 7)}, {n: R(1, 4)}, {n: R(8, 11)}], False),
        ({"n": R(1, 11)}, [{n: R(4, 7)}, {n: R(1, 4)}, {n: R(7, 10)}], False),
        ({"n": R(1, 11)}, [{n: R(4, 7)}, {n: R(1, 3)}, {n: R(7, 11)}], False),
        ({"n": R(1, 8)}, [{n: sp.FiniteSet(2, 3, 5)}, {n: R(1, 2)}, {n: R(6, 8)}], False),
        ({"n": R(1, 8)}, [{n: sp.FiniteSet(2, 5)}, {n: R(1, 2)}, {n: R(6, 8)}], False),
        ({}, [{k: Box(0, 2)}], False),
    ],
)
def test_symbolic_coverage(quantifiers, domains, whole):
    claim = make(quantifiers=quantifiers)
    check = attach(lambda o: 1, "symbolic", [Obligation("fact", domain) for domain in domains], claim)
    assert covers_quantifiers(check) is whole


def test_the_slow_obligations_cover_in_a_slow_run():
    claim = make(quantifiers={"k": Box(0, 2)})
    part, rest = Obligation("a", {k: Box(0, 1)}), Obligation("b", {k: Box(1, 2)})
    check = attach(lambda o: 1, "symbolic", [part], claim, slow_over=[part, rest], slow_scope="more")
    assert not covers_quantifiers(check)
    assert covers_quantifiers(check, slow=True)


def test_only_symbolic_checks_cover():
    claim = make(quantifiers={"k": Box(0, 2)})
    assert not covers_quantifiers(
        attach(lambda o: 1, "exhaustive", [Obligation("fact", {k: Box(0, 2)})], claim)
    )


# --- the ledger ---------------------------------------------------------------------------------------------

LEDGER = {
    "toy.thm1": make(),
    "toy.thm1.closed": make("toy.thm1.closed"),
    "toy.thm10": make("toy.thm10"),
    "toy.mended": make("toy.mended", repairs=("toy.thm1.closed",)),
    "other.thm1": make("other.thm1"),
}


@pytest.mark.parametrize(
    ("ids", "chosen"),
    [
        ([], list(LEDGER)),
        (["toy.thm1"], ["toy.thm1"]),
        (["toy.thm1.*"], ["toy.thm1", "toy.thm1.closed", "toy.mended"]),
        (["other"], ["other.thm1"]),
        (["other.*"], ["other.thm1"]),
        (["other", "toy.thm10", "toy.thm10"], ["toy.thm10", "other.thm1"]),
        (iter(["toy.thm10"]), ["toy.thm10"]),
        (["toy"], [name for name in LEDGER if name != "other.thm1"]),
    ],
)
def test_select(ids, chosen):
    assert list(select(LEDGER, ids)) == chosen


@pytest.mark.parametrize(
    "unknown", ["toy.thm11", "toy.thm", "nothing.at.all", "", ".*", "toy.thm1.", "thm9.*"]
)
def test_an_unknown_id_never_means_everything(unknown):
    with pytest.raises(KeyError, match="unknown claim id"):
        select(LEDGER, [unknown])


def test_a_child_does_not_stand_for_its_parent():
    with pytest.raises(KeyError, match="unknown claim id"):
        select({"toy.thm1.closed": make("toy.thm1.closed")}, ["toy.thm1"])


@pytest.mark.parametrize("typed", ["othr.thm1", "ohr1", "othr.thm1.*"])
def test_an_unknown_id_suggests_the_nearest(typed):
    with pytest.raises(KeyError, match=r"did you mean 'other\.thm1'"):
        select(LEDGER, [typed])


def test_an_id_like_no_other_gets_the_list():
    with pytest.raises(KeyError, match="check --list"):
        select(LEDGER, ["qqqqqqq"])


def write_package(folder, name, **modules):
    home = folder / name
    home.mkdir()
    for module, text in ({"__init__": ""} | modules).items():
        path = home / f"{module.replace('.', '/')}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


ONE = """
from boosttheory.claims import Claim
claim = Claim(id="{}", paper="p", locator="l", title="t", statement="s", expect="proved")
"""


def test_load_in_natural_order(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    write_package(
        tmp_path,
        "ordered",
        thm10_x=ONE.format("a.thm10"),
        thm2_x=ONE.format("a.thm2"),
        conftest="raise OSError",
    )
    assert list(load("ordered")) == ["a.thm2", "a.thm10"]
    assert load("ordered")["a.thm2"].module == "ordered.thm2_x"


def test_an_id_is_taken_once(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    write_package(tmp_path, "twice", a=ONE.format("a.thm1"), b=ONE.format("a.thm1"))
    with pytest.raises(ValueError, match="taken twice"):
        load("twice")


def test_a_package_that_fails_to_import_is_not_skipped(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    write_package(tmp_path, "broken", **{"part.__init__": "import nowhere_to_be_found"})
    with pytest.raises(ImportError):
        load("broken")


@dataclass
class Quiet:
    shown: int
    hidden: int = field(repr=False)


# --- text ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(1, 2), "1/2"),
        (Fraction(3), "3"),
        (Pair(1, (2,)), "Pair(first=1, second=(2,))"),
        (Nested({"a": [1]}), "Nested(inner={a: [1]})"),
        ({"b", "a10", "a9"}, "{a9, a10, b}"),
        (np.arange(3), "[0, 1, 2]"),
        (math.inf, "inf"),
        ((Fraction(1, 2),), "(1/2,)"),
        ((Fraction(1, 2), 3), "(1/2, 3)"),
        ([Fraction(1, 2), "word"], "[1/2, word]"),
        (math.sqrt, "sqrt"),
        (Quiet(1, 2), "Quiet(shown=1)"),
        (2**9_999, str(2**9_999)),
        (2**10_000, hex(2**10_000)),
    ],
)
def test_render(value, text):
    assert render(value, 10_000) == text


def test_render_takes_numbers_too_long_for_decimal():
    assert render(Fraction(10**5000, 3), 10_000) == f"{hex(10**5000)}/3"


def test_render_cuts():
    assert render("x" * 50, 10) == "xxxxxxxxxx… (50 characters)"
    assert render("x" * 10, 10) == "x" * 10
    assert render("x" * 4000) == "x" * 4000
    assert render("x" * 4001) == "x" * 4000 + "… (4001 characters)"


def test_render_takes_a_callable_without_a_name():
    assert render(partial(math.pow, 2)).startswith("functools.partial")


def test_certificates_lie_beside_the_module():
    check, *_ = load()["multiclass.lem1a"].checks
    assert [path.name for path in check.certificate_files] == list(check.certificates)
    assert all(path.parent.name == "multiclass" and path.is_file() for path in check.certificate_files)
