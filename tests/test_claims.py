"""The engine: what a check accepts, what it finds, and the verdict that follows."""

import itertools
import math
from collections import namedtuple
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import mpmath
import numpy as np
import pytest
import sympy as sp
from hypothesis import strategies as st

from boosttheory.claims import (
    Claim,
    Enclosure,
    Kind,
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
    witness = attach(lambda x, *, strict=1: x - strict, "witness", [0], make("toy.false"))
    for kind, nothing in (("exhaustive", []), ("search", st.nothing()), ("search", ())):
        with pytest.raises(ValueError, match="vacuous"):
            attach(at_least, kind, nothing, replays=witness).run()


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
        ({"n": sp.S.Naturals}, [{n: sp.FiniteSet(1)}, {n: Box(2, sp.oo)}], True),
        ({"n": R(1, sp.oo)}, [{n: R(2, sp.oo)}], False),
        ({}, [{k: Box(0, 2)}], False),
    ],
)
def test_symbolic_coverage(quantifiers, domains, whole):
    claim = make(quantifiers=quantifiers)
    check = attach(lambda o: 1, "symbolic", [Obligation("fact", domain) for domain in domains], claim)
    assert covers_quantifiers(check) is whole


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


def test_an_unknown_id_suggests_the_nearest():
    with pytest.raises(KeyError, match=r"did you mean 'other\.thm1'"):
        select(LEDGER, ["othr.thm1"])


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
    ],
)
def test_render(value, text):
    assert render(value, 10_000) == text


def test_render_takes_numbers_too_long_for_decimal():
    assert render(Fraction(10**5000, 3), 10_000) == f"{hex(10**5000)}/3"


def test_render_cuts():
    assert render("x" * 50, 10) == "xxxxxxxxxx… (50 characters)"


def test_certificates_lie_beside_the_module():
    check, *_ = load()["multiclass.lem1a"].checks
    assert [path.name for path in check.certificate_files] == list(check.certificates)
    assert all(path.parent.name == "multiclass" and path.is_file() for path in check.certificate_files)
