"""The ledger: a claim is one numbered statement of a paper, its checks are the evidence.

A check is a stream of admissible cases and a margin: ``margin(case) >= 0`` means that the statement holds on
that case. The verdict is computed from what the checks found and compared with what the claim expects. Each
check carries mutants, false variants of its own margin that some case must refute; a refuted check carries
rescues, weakened variants that must hold on the stored counterexample.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import math
import pkgutil
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from decimal import Decimal
from enum import Enum, StrEnum
from fractions import Fraction
from html import escape
from pathlib import Path
from types import ModuleType
from typing import Any

__all__ = [
    "Check",
    "Claim",
    "Enclosure",
    "Figure",
    "Finding",
    "Kind",
    "Mutant",
    "Reading",
    "Relation",
    "Result",
    "Role",
    "Verdict",
    "load",
    "render",
    "select",
    "verdict",
]


class Role(StrEnum):
    """What a numbered item of a paper is; definitions and algorithms are counted apart from statements."""

    STATEMENT = "statement"
    DEFINITION = "definition"
    ALGORITHM = "algorithm"


class Reading(StrEnum):
    """How the printed text is read."""

    AS_PRINTED = "as printed"
    CANONICAL = "canonical"  # what the statement must mean to be well defined; the note says what was changed


class Kind(StrEnum):
    """Kinds of evidence, the strongest first; the first three admit exact numbers only."""

    SYMBOLIC = "symbolic"
    EXHAUSTIVE = "exhaustive"
    WITNESS = "witness"
    SEARCH = "search"
    STATISTICAL = "statistical"

    @property
    def exact(self) -> bool:
        """Whether floats are refused in cases and margins."""
        return self in (Kind.SYMBOLIC, Kind.EXHAUSTIVE, Kind.WITNESS)


class Relation(StrEnum):
    """How a margin encodes its statement; only an inequality's mutant can be too coarse."""

    INEQUALITY = "inequality"  # right side minus left side
    EQUALITY = "equality"  # minus the distance
    EQUIVALENCE = "equivalence"  # 0 or -1; existence too


class Verdict(StrEnum):
    """What the evidence amounts to."""

    PROVED = "proved"
    PROVED_UP_TO_LISTED_STEPS = "proved up to listed steps"
    HOLDS_ON_EVERY_CASE = "holds on every case"
    NO_COUNTEREXAMPLE_FOUND = "no counterexample found"
    HOLDS_STATISTICALLY = "holds statistically"
    CONFORMS = "conforms"
    REFUTED = "refuted"
    INCONCLUSIVE = "inconclusive"
    NOT_CHECKED = "not checked"

    @property
    def holds(self) -> bool:
        """Whether the verdict counts as support for the claim."""
        return self not in (Verdict.REFUTED, Verdict.INCONCLUSIVE, Verdict.NOT_CHECKED)


@dataclass(frozen=True)
class Enclosure:
    """A margin known to lie between two numbers; ``at`` is the point where ``high`` is attained, if any."""

    low: Any
    high: Any
    at: Any = None

    @classmethod
    def of(cls, margin: Any) -> Enclosure:
        """Read a margin: a number, a boolean (0 or -1), an ``mpmath.iv`` interval or an enclosure."""
        if isinstance(margin, Enclosure):
            return margin
        if isinstance(margin, bool) or _is_foreign_boolean(margin):
            margin = 0 if margin else -1
        if hasattr(margin, "_mpi_"):
            return cls(*(_dyadic(end) for end in margin._mpi_))
        return cls(margin, margin)


def _is_foreign_boolean(value: Any) -> bool:
    """Tell whether ``value`` is a truth value of numpy or sympy."""
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    return kind == "b" or getattr(value, "is_Boolean", False) is True


def _dyadic(mpf: tuple[int, int, int, int]) -> Fraction | float:
    from mpmath.libmp import finf, fnan, fninf

    sign, mantissa, exponent, _ = mpf
    if mpf == fnan:
        return math.nan
    if mpf in (finf, fninf):
        return math.inf if mpf == finf else -math.inf
    value = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
    return -value if sign else value


@dataclass(frozen=True)
class Finding:
    """The least margin over the cases of a check.

    Attributes
    ----------
    cases : int
        Number of admissible cases evaluated.
    low, high : number
        Enclosure of the least margin; equal unless the margin is an interval.
    worst : object
        The case of the least margin (the witness).
    delta : number
        Slack of a statistical check.
    """

    cases: int
    low: Any
    high: Any
    worst: Any
    delta: Any = 0

    @property
    def refutes(self) -> bool:
        """Whether the statement fails on ``worst``."""
        return bool(self.high < -self.delta)

    @property
    def supports(self) -> bool:
        """Whether the statement is known to hold on every case."""
        return bool(self.low >= -self.delta)


@dataclass(frozen=True)
class Figure:
    """A drawing that goes with a check: SVG text, the same in plain words, and a caption."""

    svg: str
    alt: str
    caption: str = ""

    def _repr_html_(self) -> str:
        """Show the drawing in a notebook."""
        words = f"<figcaption>{escape(self.caption)}</figcaption>" if self.caption else ""
        return f'<figure role="img" aria-label="{escape(self.alt)}">{self.svg}{words}</figure>'


@dataclass(frozen=True)
class Mutant:
    """A variant of a margin with named ingredients replaced."""

    label: str
    ingredients: Mapping[str, Any]


@dataclass
class Trace:
    """What became of one mutant: the case that killed it, and whether it held on some case."""

    killer: Any = None
    killed: bool = False
    held: bool = False


@dataclass(frozen=True)
class Result:
    """Everything one run of a check found."""

    check: Check
    finding: Finding
    mutants: Mapping[str, Trace]
    rescues: Mapping[str, bool]
    seconds: float
    seed: int
    slow: bool
    table: tuple[Mapping[str, Any], ...] = ()

    @property
    def survivors(self) -> list[str]:
        """Labels of the mutants that no case killed."""
        return [label for label, trace in self.mutants.items() if not trace.killed]

    @property
    def coarse(self) -> list[str]:
        """Labels of the mutants of an inequality that fail on every case."""
        if self.check.relation != Relation.INEQUALITY or self.check.kind in (Kind.SYMBOLIC, Kind.WITNESS):
            return []
        return [label for label, trace in self.mutants.items() if trace.killed and not trace.held]

    @property
    def surprises(self) -> list[str]:
        """What is wrong with the evidence itself, in sentences."""
        name = self.check.id
        weak = [f"{name}: the false variant {x!r} survives: the check is too weak" for x in self.survivors]
        lost = [f"{name}: the rescue {x!r} fails on the witness" for x, ok in self.rescues.items() if not ok]
        idle = self.check.kind == Kind.WITNESS and not self.mutants and not self.finding.refutes
        return weak + lost + [f"{name}: the witness refutes nothing and has no false variant"] * idle


def _digest(text: str) -> int:
    """Return a number that depends on the text alone, unlike ``hash``."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def _is_strategy(source: Any) -> bool:
    return hasattr(source, "map") and hasattr(source, "example")


def _same(value: Any, other: Any) -> bool:
    """Tell whether two ingredients are equal; an array is compared as a whole."""
    if value is other:
        return True
    equal = value == other
    return bool(equal.all() if hasattr(equal, "all") else equal)


@dataclass(eq=False)
class Check:
    """Cases, a margin that is at least 0 where the statement holds, and mutants that some case must refute.

    Parameters
    ----------
    claim : Claim
        The claim that this is evidence for.
    margin : callable
        ``margin(case, *, ingredient=default, ...)``: a number, boolean, interval or `Enclosure`.
    kind : Kind
        Kind of evidence.
    scope : str
        Which cases were looked at; printed with every verdict.
    over : iterable or callable returning one, or a hypothesis strategy
        The admissible cases. A strategy, or a callable returning one, only for ``search``. Never an iterator,
        which a second run would find empty.
    slow_over, slow_scope
        A larger stream used instead with ``slow=True``.
    draw : callable, optional
        For ``statistical``: ``draw(point, rng)`` makes the case of one point; the generator depends on the
        seed, the check and the position of the point alone.
    error : float
        Bound on the probability that a statistical check misjudges.
    delta : number
        Slack of a statistical check: the statement is judged up to this much.
    relation : Relation
        How the margin encodes the statement.
    by_hand : tuple of str
        Prose steps of a symbolic argument that no code checks.
    replays : Check, optional
        The witness of the refuted claim whose cases come first here.
    slow_only : bool
        Skipped in a default run.
    examples : int
        Number of examples of a search.
    table : callable, optional
        ``table(case)`` gives a flat mapping for the report's table of cases.
    figure : callable, optional
        ``figure()`` makes a drawing for the report.
    certificates : tuple of str
        Names of files beside the claim's module that hold the cases in a form that others can verify.
    """

    claim: Claim
    margin: Callable[..., Any]
    kind: Kind
    scope: str
    over: Any
    slow_over: Any = None
    slow_scope: str = ""
    draw: Callable[..., Any] | None = None
    error: float = 0.0
    delta: Any = 0
    relation: Relation = Relation.INEQUALITY
    by_hand: tuple[str, ...] = ()
    replays: Check | None = None
    slow_only: bool = False
    examples: int = 200
    table: Callable[[Any], Mapping[str, Any]] | None = None
    figure: Callable[[], Figure] | None = None
    certificates: tuple[str, ...] = ()
    mutants: dict[str, Mutant] = field(default_factory=dict)
    rescues: dict[str, Mutant] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.kind, self.relation = Kind(self.kind), Relation(self.relation)
        if isinstance(self.over, Iterator) or isinstance(self.slow_over, Iterator):
            raise TypeError(
                f"{self.id}: over is an iterator, empty the second time; give a list or a function"
            )
        if not self.scope.strip():
            raise ValueError(f"{self.id}: scope is empty; say in words which cases are looked at")
        if self.kind == Kind.STATISTICAL and not 0 < self.error < 1:
            raise ValueError(
                f"{self.id}: error={self.error} is no probability; a statistical check states its own"
            )
        if self.kind != Kind.STATISTICAL and (self.delta != 0 or self.draw is not None):
            raise ValueError(
                f"{self.id}: delta and draw belong to statistical checks, this one is {self.kind}"
            )
        if self.by_hand and self.kind != Kind.SYMBOLIC:
            raise ValueError(f"{self.id}: by_hand belongs to symbolic checks, this one is {self.kind}")

    @property
    def name(self) -> str:
        """Name of the margin function: a noun phrase stating the fact."""
        return self.margin.__name__

    @property
    def id(self) -> str:
        """``claim id:check name``."""
        return f"{self.claim.id}:{self.name}"

    @property
    def source(self) -> tuple[str, int]:
        """Module and first line of the margin."""
        return self.margin.__module__, self.margin.__code__.co_firstlineno

    @property
    def certificate_files(self) -> list[Path]:
        """Paths of the certificates."""
        home = Path(self.margin.__code__.co_filename).parent
        return [home / name for name in self.certificates]

    def _variant(self, label: str, ingredients: Mapping[str, Any]) -> Mutant:
        keywords = inspect.signature(self.margin).parameters
        if not ingredients:
            raise ValueError(f"{self.id}: the variant {label!r} replaces no ingredient")
        if label in self.mutants or label in self.rescues:
            raise ValueError(f"{self.id}: the label {label!r} is taken")
        for name, value in ingredients.items():
            known = keywords.get(name)
            if known is None or known.kind is not inspect.Parameter.KEYWORD_ONLY:
                raise ValueError(
                    f"{self.id}: {name!r} is no ingredient (keyword-only parameter) of the margin"
                )
            if _same(value, known.default):
                raise ValueError(f"{self.id}: the variant {label!r} leaves {name!r} as it is")
        return Mutant(label, dict(ingredients))

    def mutant(self, label: str, /, **ingredients: Any) -> None:
        """Register a false variant: some case must refute the margin with these ingredients replaced."""
        self.mutants[label] = self._variant(label, ingredients)

    def rescue(self, label: str, /, **ingredients: Any) -> None:
        """Register a weakened variant that must hold on the counterexample of a refuted claim."""
        self.rescues[label] = self._variant(label, ingredients)

    def cases(self, *, seed: int = 0, slow: bool = False) -> Iterator[Any]:
        """Yield the admissible cases, those of the replayed witness first."""
        if self.replays is not None:
            yield from self.replays.cases(seed=seed, slow=slow)
        source = self.points(slow)
        if _is_strategy(source):
            raise ValueError(
                f"{self.id}: a hypothesis strategy cannot be listed; only a search draws from one"
            )
        for index, case in enumerate(source):
            yield case if self.draw is None else self.draw(case, self.stream(seed, index))

    def points(self, slow: bool = False) -> Any:
        """Return what the cases come from: the cases, the points of draws, or a strategy."""
        source = self.slow_over if slow and self.slow_over is not None else self.over
        return source() if callable(source) else source

    def stream(self, seed: int, point: int) -> Any:
        """Return the generator of one point of a statistical check."""
        import numpy as np

        return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(_digest(self.id), point)))

    def run(self, *, seed: int = 0, slow: bool = False) -> Result:
        """Evaluate the margin, every mutant and every rescue on the cases.

        Raises
        ------
        ValueError
            If no case is admissible: a vacuous check is an error, not a pass.
        TypeError
            If an exact kind meets a float.
        """
        start = time.perf_counter()
        traces = {label: Trace() for label in self.mutants}
        rescued = dict.fromkeys(self.rescues, True)
        table: list[Mapping[str, Any]] = []
        if (strategy := self.strategy(slow)) is not None:
            finding = self._search(strategy, traces, rescued, seed, slow)
        else:
            finding = self._scan(traces, rescued, table, seed, slow)
        return Result(self, finding, traces, rescued, time.perf_counter() - start, seed, slow, tuple(table))

    def _scan(
        self,
        traces: dict[str, Trace],
        rescued: dict[str, bool],
        table: list[Mapping[str, Any]],
        seed: int,
        slow: bool,
    ) -> Finding:
        alive = dict(self.mutants)
        count, low, high, worst = 0, None, None, None
        replayed = 0 if self.replays is None else sum(1 for _ in self.replays.cases(seed=seed, slow=slow))
        for count, case in enumerate(self.cases(seed=seed, slow=slow), 1):
            if self.kind.exact:
                reject_floats(case, f"a case of {self.id}")
            if self.table is not None:
                table.append(self.table(case))
            margin = self.evaluate(case)
            if count == 1 or margin.high < high:
                worst, high = (case if margin.at is None else (case, margin.at)), margin.high
            low = margin.low if count == 1 or margin.low < low else low
            # a case that refutes the statement itself would kill any variant, even one that changes nothing
            sound = not margin.high < -self.delta
            for label in list(alive):
                mutated, trace = self.evaluate(case, alive[label].ingredients), traces[label]
                if sound and not trace.killed and mutated.high < -self.delta:
                    trace.killer, trace.killed = (case if mutated.at is None else (case, mutated.at)), True
                trace.held = trace.held or bool(mutated.low >= -self.delta)
                if trace.killed and (trace.held or self.relation != Relation.INEQUALITY):
                    del alive[label]
            for label, rescue in self.rescues.items():
                rescued[label] &= bool(self.evaluate(case, rescue.ingredients).low >= 0)
        if count == replayed:
            raise ValueError(
                f"{self.id} is vacuous: no case meets the hypotheses; widen the scope or the filter"
            )
        return Finding(count, low, high, worst, self.delta)

    def evaluate(self, case: Any, ingredients: Mapping[str, Any] | None = None) -> Enclosure:
        """Return the margin of a case, with some ingredients replaced.

        Raises
        ------
        TypeError
            If the margin is None, or a float where the kind of evidence is exact.
        ValueError
            If it is NaN.
        """
        value = self.margin(case, **(ingredients or {}))
        if value is None:
            raise TypeError(
                f"the margin of {self.id} returns None; return a number, a boolean or an interval"
            )
        margin = Enclosure.of(value)
        for end in (margin.low, margin.high):
            # every ordered number is at most itself, NaN is not
            if not end <= end:
                raise ValueError(f"the margin of {self.id} is NaN on {render(case)}")
            if self.kind.exact and not (isinstance(end, float) and math.isinf(end)):
                reject_floats(end, f"the margin of {self.id}")
        return margin

    def _search(
        self, strategy: Any, traces: dict[str, Trace], rescued: dict[str, bool], seed: int, slow: bool
    ) -> Finding:
        def plain(case: Any) -> Enclosure:
            for label, mutant in self.mutants.items():
                if not traces[label].held:
                    traces[label].held = bool(self.evaluate(case, mutant.ingredients).low >= 0)
            return self.evaluate(case)

        finding = self.hunt(strategy, plain, seed, slow)
        for label, mutant in self.mutants.items():

            def mutated(case: Any, ingredients: Mapping[str, Any] = mutant.ingredients) -> Enclosure:
                if finding.refutes and self.evaluate(case).high < 0:
                    return Enclosure(math.inf, math.inf)
                return self.evaluate(case, ingredients)

            found = self.hunt(strategy, mutated, seed, slow)
            traces[label].killer, traces[label].killed = found.worst, found.refutes
        for label, rescue in self.rescues.items():
            rescued[label] = bool(self.evaluate(finding.worst, rescue.ingredients).low >= 0)
        return finding

    def strategy(self, slow: bool = False) -> Any:
        """Return the hypothesis strategy that the cases come from, or None if there is none."""
        source = self.points(slow) if self.kind == Kind.SEARCH else None
        return source if _is_strategy(source) else None

    def hunt(self, strategy: Any, margin_of: Callable[[Any], Enclosure], seed: int, slow: bool) -> Finding:
        """Let hypothesis hunt for the least margin; a counterexample comes back shrunk.

        Parameters
        ----------
        strategy : SearchStrategy
            Where cases come from.
        margin_of : callable
            The margin of a case.
        seed : int
            Root of the draws.
        slow : bool
            Draw 20 times as many examples.

        Raises
        ------
        ValueError
            If no case is admissible.
        """
        import hypothesis
        from hypothesis import HealthCheck, Phase, given, settings, target

        count, low, high = 0, math.inf, math.inf
        worst: Any = None

        class ViolationError(Exception):
            pass

        def body(case: Any) -> None:
            nonlocal count, low, high, worst
            margin = margin_of(case)
            count += 1
            low = min(low, margin.low)
            if count == 1 or margin.high < high or margin.high < 0:
                high, worst = margin.high, case
            if margin.high < 0:
                low = margin.low
                raise ViolationError
            if hypothesis.currently_in_test_context() and math.isfinite(size := approximate(margin.high)):
                target(-size)

        settled = settings(
            max_examples=self.examples * (20 if slow else 1),
            database=None,
            deadline=None,
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.generate, Phase.target, Phase.shrink),
        )
        hunt: Any = settled(given(strategy)(body))  # type: ignore[no-untyped-call]
        hunt = hypothesis.seed(_digest(f"{seed}:{self.id}"))(hunt)
        try:
            for case in self.replays.cases(seed=seed, slow=slow) if self.replays is not None else ():
                body(case)
            hunt()
        except ViolationError:
            pass
        except hypothesis.errors.Unsatisfiable:
            count = 0
        if count == 0:
            raise ValueError(f"{self.id} is vacuous: no case meets the hypotheses; widen the strategy")
        return Finding(count, low, high, worst, self.delta)


@dataclass(eq=False)
class Claim:
    """One numbered statement of a paper, printed as it stands there.

    Parameters
    ----------
    id : str
        Permanent identifier, ``"triplet.thm2"``; never reused.
    paper : str
        Key of `boosttheory.papers.PAPERS`.
    locator : str
        Where it stands, ``"Theorem 2, Section 3.2"``.
    statement : str
        LaTeX, as printed even where it is wrong.
    expect : Verdict
        The verdict that a default run must compute; anything else, better or worse, is a surprise.
    role, reading : Role, Reading
        What it is, and how it is read.
    assumes : tuple of str
        LaTeX, one hypothesis each.
    expect_slow : Verdict, optional
        The verdict of a run with ``slow=True``, if another.
    quantifiers : mapping of str to sympy set
        The declared range of each variable; a symbolic check proves the claim only if the boxes of its
        obligations cover their product.
    uses : tuple of str
        Ids this statement or its proof rests on.
    repairs : tuple of str
        Ids of refuted claims that this one corrects.
    note : str
        Plain words for a reader: what is known, what was changed, what is loose.
    title : str
        The subject in a few words.
    """

    id: str
    paper: str
    locator: str
    title: str
    statement: str
    expect: Verdict
    role: Role = Role.STATEMENT
    reading: Reading = Reading.AS_PRINTED
    assumes: tuple[str, ...] = ()
    expect_slow: Verdict | None = None
    quantifiers: Mapping[str, Any] = field(default_factory=dict)
    uses: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()
    note: str = ""
    checks: list[Check] = field(default_factory=list)
    module: str = ""

    def __post_init__(self) -> None:
        self.expect, self.role, self.reading = Verdict(self.expect), Role(self.role), Reading(self.reading)
        frame = inspect.currentframe()
        while frame is not None and frame.f_globals.get("__name__") == __name__:
            frame = frame.f_back
        self.module = self.module or (frame.f_globals.get("__name__", "") if frame is not None else "")

    def check(
        self, kind: Kind | str, *, scope: str, over: Any, **options: Any
    ) -> Callable[[Callable[..., Any]], Check]:
        """Decorate a margin function: it becomes a `Check` of this claim."""

        def register(margin: Callable[..., Any]) -> Check:
            check = Check(self, margin, Kind(kind), scope, over, **options)
            if any(other.name == check.name for other in self.checks):
                raise ValueError(
                    f"{self.id} has a check named {check.name} already; give this one another name"
                )
            self.checks.append(check)
            return check

        return register

    def expected(self, slow: bool) -> Verdict:
        """Return the verdict that a run must give."""
        return self.expect_slow if slow and self.expect_slow is not None else self.expect

    def runnable(self, slow: bool) -> list[Check]:
        """Return the checks that a run evaluates."""
        return [check for check in self.checks if slow or not check.slow_only]


def covers_quantifiers(check: Check, *, seed: int = 0, slow: bool = False) -> bool:
    """Tell whether the boxes of a symbolic check cover the product of the ranges that its claim declares.

    A variable that a box does not name is free in it. An obligation that names no declared variable is a
    lemma about others, and covers nothing.
    """
    quantifiers = check.claim.quantifiers
    if check.kind != Kind.SYMBOLIC or not quantifiers:
        return False
    domains = [getattr(case, "domain", {}) for case in check.cases(seed=seed, slow=slow)]
    named = [{str(symbol): values for symbol, values in domain.items()} for domain in domains]
    return _covered(list(quantifiers.items()), [box for box in named if box.keys() & quantifiers.keys()])


def _covered(axes: list[tuple[str, Any]], boxes: list[Mapping[str, Any]]) -> bool:
    """Cut the first axis into cells that each box contains or misses; cover each by the boxes over it."""
    if not boxes or not axes:
        return bool(boxes)
    (name, declared), rest = axes[0], axes[1:]
    cells = [(declared, [box for box in boxes if name not in box])]
    for box in boxes:
        if name in box:
            cells = [part for cell, over in cells for part in _cut(cell, over, box, box[name])]
    return all(_covered(rest, over) for _, over in cells)


def _cut(cell: Any, over: list[Any], box: Any, values: Any) -> list[tuple[Any, list[Any]]]:
    import sympy as sp

    if cell.is_subset(values):
        return [(cell, [*over, box])]
    inside, outside = cell.intersect(values), [cell - values]
    if cell.is_subset(sp.S.Integers) and inside.is_empty is False:
        first, last = inside.inf, inside.sup
        if sp.Range(first, last + 1).is_subset(inside):
            # a part without gaps leaves both ends of the cell; SymPy leaves their union unevaluated
            outside = [sp.Range(cell.inf, first), sp.Range(last + 1, cell.sup + 1)]
    parts = [(inside, [*over, box]), *((part, over) for part in outside)]
    return [(part, known) for part, known in parts if part.is_empty is not True]


def verdict(role: Role, findings: Iterable[Mapping[str, Any]]) -> Verdict:
    """Compute a verdict from findings; nobody types one.

    Parameters
    ----------
    role : Role
        Definitions and algorithms earn `Verdict.CONFORMS`.
    findings : iterable of mapping
        Each with ``kind``, ``refutes``, ``supports``, ``by_hand`` and ``whole`` (symbolic: whether the
        declared quantifiers are covered), as in a result row.

    Returns
    -------
    Verdict
        The strongest one that the findings earn.
    """
    found = list(findings)
    if not found:
        return Verdict.NOT_CHECKED
    if any(f["refutes"] for f in found):
        return Verdict.REFUTED
    if not all(f["supports"] for f in found):
        return Verdict.INCONCLUSIVE
    if Role(role) != Role.STATEMENT:
        return Verdict.CONFORMS
    whole = [f for f in found if f["kind"] == Kind.SYMBOLIC and f["whole"]]
    if any(not f["by_hand"] for f in whole):
        return Verdict.PROVED
    if whole:
        return Verdict.PROVED_UP_TO_LISTED_STEPS
    if any(Kind(f["kind"]).exact for f in found):
        return Verdict.HOLDS_ON_EVERY_CASE
    if any(f["kind"] == Kind.SEARCH for f in found):
        return Verdict.NO_COUNTEREXAMPLE_FOUND
    return Verdict.HOLDS_STATISTICALLY


def reject_floats(value: Any, where: str) -> None:
    """Raise TypeError if ``value`` is, or holds, a floating-point number.

    Those of Python, decimal, numpy, mpmath and sympy are known. Containers and the attributes of objects are
    searched; functions and classes are not.
    """
    _reject(value, where, set())


def _reject(value: Any, where: str, seen: set[int]) -> None:
    if value is None or isinstance(value, (int, str, bytes, Fraction, range, type, Enum, ModuleType)):
        return
    dtype = getattr(value, "dtype", None)
    if isinstance(value, (float, complex, Decimal)) or getattr(dtype, "kind", "") in ("f", "c"):
        raise TypeError(
            f"{where} is the float {value!r}: exact evidence takes int, Fraction or another exact number"
        )
    if hasattr(value, "_mpf_") or hasattr(value, "_mpc_"):
        raise TypeError(
            f"{where} is the mpmath float {value}: exact evidence takes exact numbers or mpmath.iv"
        )
    if hasattr(value, "atoms") and hasattr(value, "free_symbols"):
        import sympy as sp

        if value.atoms(sp.Float):
            raise TypeError(f"{where} holds the sympy.Float {value}: exact evidence takes exact numbers")
        return
    if id(value) in seen or (dtype is not None and dtype.kind != "O"):
        return
    seen.add(id(value))
    for item in _parts(value):
        _reject(item, where, seen)


def _parts(value: Any) -> Iterator[Any]:
    """Yield what an object holds."""
    if isinstance(value, Mapping):
        yield from value.keys()
        yield from value.values()
    elif isinstance(value, (tuple, list, set, frozenset)):
        yield from value
    elif hasattr(value, "dtype"):
        yield from value.flat
    elif not callable(value):
        yield from getattr(value, "__dict__", {}).values()
        for name in (name for base in type(value).__mro__ for name in _slots(base)):
            if hasattr(value, name):
                yield getattr(value, name)


def _slots(base: type) -> tuple[str, ...]:
    names = base.__dict__.get("__slots__", ())
    return (names,) if isinstance(names, str) else tuple(names)


def approximate(value: Any) -> float:
    """Return the nearest float, or an infinity where there is none."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def render(value: Any, limit: int = 4000) -> str:
    """Write a case or a number as exact text, cut at ``limit`` characters."""
    text = _text(value)
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"


def _text(value: Any) -> str:
    if isinstance(value, int) and value.bit_length() > 10_000:
        # Python refuses to write so long a number in decimal
        return hex(value)
    if isinstance(value, Fraction):
        top, bottom = _text(value.numerator), value.denominator
        return top if bottom == 1 else f"{top}/{_text(bottom)}"
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        inner = ", ".join(f"{name}={_text(item)}" for name, item in zip(value._fields, value, strict=True))
        return f"{type(value).__name__}({inner})"
    if is_dataclass(value) and not isinstance(value, type):
        shown = [entry.name for entry in fields(value) if entry.repr]
        inner = ", ".join(f"{name}={_text(getattr(value, name))}" for name in shown)
        return f"{type(value).__name__}({inner})"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_text(k)}: {_text(v)}" for k, v in value.items()) + "}"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_text, value)) + ("," if len(value) == 1 else "") + ")"
    if isinstance(value, list):
        return "[" + ", ".join(map(_text, value)) + "]"
    if isinstance(value, (set, frozenset)):
        # the order of a set of strings differs between processes
        return "{" + ", ".join(sorted(map(_text, value), key=_natural)) + "}"
    if hasattr(value, "tolist"):
        return str(value.tolist())
    if callable(value) and hasattr(value, "__name__"):
        return str(value.__name__)
    return str(value)


def load(package: str = "proofs_checks") -> dict[str, Claim]:
    """Import every check module and return the ledger, id → claim, in file order.

    Parameters
    ----------
    package : str
        Name of the package that holds one module per numbered result.

    Raises
    ------
    ValueError
        If an id is taken twice.

    Examples
    --------
    >>> from boosttheory.claims import load
    >>> load()["triplet.thm2"].locator
    'Theorem 2, Section 3.2'
    """
    root = importlib.import_module(package)
    ledger: dict[str, Claim] = {}
    modules = pkgutil.walk_packages(root.__path__, f"{package}.", onerror=_reraise)
    for info in sorted(modules, key=lambda i: _natural(i.name)):
        if info.ispkg or info.name.endswith(".conftest"):
            continue
        module = importlib.import_module(info.name)
        for claim in vars(module).values():
            if isinstance(claim, Claim) and claim.module == info.name and ledger.get(claim.id) is not claim:
                if claim.id in ledger:
                    raise ValueError(
                        f"claim id {claim.id!r} is taken twice; ids are permanent, choose another"
                    )
                ledger[claim.id] = claim
    return ledger


def _reraise(name: str) -> None:
    """Pass the failed import of a package on: skipped, its claims would be lost without a word."""
    raise


def _natural(name: str) -> list[Any]:
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def select(ledger: Mapping[str, Claim], ids: Iterable[str]) -> dict[str, Claim]:
    """Pick claims by id, family (``ID.*``: the claim, its children and what repairs them) or paper prefix.

    Without ids the whole ledger is picked.

    Raises
    ------
    KeyError
        If an id names nothing; the message holds the nearest known one.
    """
    names = list(ids)
    wanted: set[str] = set()
    for name in names:
        if name in ledger:
            chosen = [name]
        elif name.endswith(".*"):
            stem = name.removesuffix(".*")
            kin = {i for i in ledger if i == stem or i.startswith(f"{stem}.")}
            chosen = [i for i, claim in ledger.items() if i in kin or kin.intersection(claim.repairs)]
        else:
            chosen = [i for i in ledger if "." not in name and i.startswith(f"{name}.")]
        if not chosen:
            import difflib

            near = difflib.get_close_matches(name.removesuffix(".*"), ledger, cutoff=0.4)
            hint = f"did you mean {near[0]!r}?" if near else "`boosttheory check --list` shows every id"
            raise KeyError(f"unknown claim id {name!r}; {hint}")
        wanted.update(chosen)
    return {i: claim for i, claim in ledger.items() if i in wanted or not names}
