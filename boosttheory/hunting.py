"""A hunter for counterexamples: it looks for the least margin of a claim whose cases come from a strategy.

Three ways take turns. Two of them drive the claim's strategy with bytes: at random, and by changing a few
bytes of the best case so far, with restarts. The third lets hypothesis hunt, with the margin as its target.
A counterexample is made simpler at the end: smaller bytes are simpler cases.
"""

from __future__ import annotations

import json
import math
import random
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from boosttheory.claims import Check, Claim, Enclosure, approximate, render
from boosttheory.files import atomic_write, parse_fraction, parse_json
from boosttheory.rows import source_hash

__all__ = ["Hunt", "hunt", "hunted_checks", "read_hunt", "resumable", "write_hunt"]

WAYS = ("random", "climb", "target")
FORMAT = 1
_TAIL = 256  # bytes appended, so that a changed case may need more draws
_PATIENCE = 300  # steps of a climb without a gain before it starts anew


@dataclass
class Hunt:
    """What a hunt has found so far.

    Attributes
    ----------
    check : str
        ``claim id:check name``.
    seed : int
        Root of the draws.
    cases : int
        Number of admissible cases evaluated.
    ways : dict of str to int
        The same by way: random, climb, target.
    seconds : float
        Time spent.
    margin : number or None
        The least margin, exact where the check is; None before the first case.
    best : object
        Its case.
    choices : bytes or None
        The bytes that lead the strategy to it; None if hypothesis found it.
    certificate : dict or None
        What the case's own ``certificate()`` returns, if it is a counterexample and can.
    source : str
        Hash of the module of the claim.
    interrupted : bool
        Whether the hunt was stopped before its budget was spent.
    """

    check: str
    seed: int = 0
    cases: int = 0
    ways: dict[str, int] = field(default_factory=lambda: dict.fromkeys(WAYS, 0))
    seconds: float = 0.0
    margin: Any = None
    best: Any = None
    choices: bytes | None = None
    certificate: dict[str, Any] | None = None
    source: str = ""
    interrupted: bool = False

    @property
    def refuted(self) -> bool:
        """Whether a case with a negative margin was found."""
        return self.margin is not None and bool(self.margin < 0)

    def sentence(self) -> str:
        """Say what was found, and how many cases it took."""
        if self.margin is None:
            return f"{self.check}: no case yet"
        if self.refuted:
            return f"{self.check}: a counterexample, margin {_short(self.margin)}, after {self.cases:,} cases"
        return (
            f"{self.check}: no counterexample in {self.cases:,} cases; no margin below {_short(self.margin)}"
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as JSON data; the margin and the case become exact text."""
        return {
            "format": FORMAT,
            "check": self.check,
            "seed": self.seed,
            "cases": self.cases,
            "ways": dict(self.ways),
            "seconds": round(self.seconds, 3),
            "margin": None if self.margin is None else render(self.margin),
            "best": None if self.margin is None else render(self.best),
            "choices": None if self.choices is None else self.choices.hex(),
            "refuted": self.refuted,
            "source": self.source,
        }


def _short(margin: Any) -> str:
    exact = render(margin)
    near = approximate(margin)
    return exact if len(exact) <= 8 else f"{near:.6g}"


def hunted_checks(claim: Claim, name: str | None = None) -> list[Check]:
    """Return the checks of a claim that can be hunted: searches whose cases come from a strategy.

    Parameters
    ----------
    claim : Claim
        Of any ledger.
    name : str, optional
        Name of one check.

    Raises
    ------
    ValueError
        If there is none.
    """
    if name is not None and name not in (check.name for check in claim.checks):
        known = ", ".join(check.name for check in claim.checks) or "none"
        raise ValueError(f"{claim.id} has no check named {name!r}; it has {known}")
    chosen = [check for check in claim.checks if name in (None, check.name)]
    found = [check for check in chosen if check.strategy() is not None]
    if not found:
        raise ValueError(
            f"{name or claim.id} has no strategy to draw cases from; add a check of kind 'search' whose "
            "`over` is a hypothesis strategy (docs/hunt.md shows one)"
        )
    return found


def resumable(check: Check, found: Hunt) -> bool:
    """Tell whether a hunt went over this check as it stands now."""
    return found.check == check.id and found.source == _source(check)


def _source(check: Check) -> str:
    return source_hash(check.claim.module.replace(".", "/") + ".py")


class _Stop(Exception):  # noqa: N818
    """Ends a hunt from within a strategy's run."""


class _Driver:
    """Evaluates cases that a strategy draws from bytes."""

    def __init__(self, check: Check, found: Hunt, deadline: float):
        from hypothesis import HealthCheck, given, settings

        self.check, self.found, self.deadline = check, found, deadline
        self.strategy = check.strategy()
        self.case: Any = None

        def body(case: Any) -> None:
            self.case = (case, self.check.evaluate(case).high)

        quiet = settings(database=None, deadline=None, suppress_health_check=list(HealthCheck))
        test: Any = quiet(given(self.strategy)(body))  # type: ignore[no-untyped-call]
        self.run: Callable[[bytes], bytes | None] = test.hypothesis.fuzz_one_input

    def margin(self, data: bytes, way: str) -> tuple[Any, bytes] | None:
        """Evaluate the case of some bytes; None if they lead to none."""
        if time.monotonic() > self.deadline:
            raise _Stop
        self.case = None
        choices = self.run(data)
        if choices is None or self.case is None:
            return None
        case, margin = self.case
        self.keep(case, margin, choices, way)
        return margin, bytes(choices)

    def keep(self, case: Any, margin: Any, choices: bytes | None, way: str) -> None:
        """Count a case, and remember it if it is the best one."""
        found = self.found
        found.cases += 1
        found.ways[way] += 1
        if found.margin is None or margin < found.margin:
            found.margin, found.best = margin, case
            found.choices = None if choices is None else bytes(choices)


def hunt(
    check: Check,
    budget: float,
    *,
    seed: int = 0,
    start: Hunt | None = None,
    progress: Callable[[Hunt], None] | None = None,
) -> Hunt:
    """Look for a case with a negative margin, or a smaller one than known.

    Parameters
    ----------
    check : Check
        With a strategy, see `hunted_checks`.
    budget : float
        Seconds, above 0. The hunt ends early with a counterexample.
    seed : int
        Root of the draws.
    start : Hunt, optional
        An earlier hunt over the same check, to go on with.
    progress : callable, optional
        Called with the hunt about once a second.

    Returns
    -------
    Hunt
        Also after an interrupt (`KeyboardInterrupt`), with the best so far.

    Raises
    ------
    ValueError
        If the budget is not positive, the check has no strategy, or no case is admissible.

    Examples
    --------
    >>> from hypothesis import strategies as st
    >>> from boosttheory.claims import Check, Claim
    >>> euler = Claim("toy.euler", "euler1772", "", "", "n^2 + n + 41 is prime", "not checked")
    >>> @euler.check("search", scope="n <= 1000", over=st.integers(0, 1000))
    ... def least_divisor(n):
    ...     value = n * n + n + 41
    ...     return all(value % d for d in range(2, int(value**0.5) + 1))
    >>> hunt(least_divisor, 10).best
    40
    """
    if not 0 < budget < math.inf:
        raise ValueError(f"budget={budget} is no time to hunt; give a number of seconds above 0")
    if check.strategy() is None:
        hunted_checks(check.claim, check.name)
    begin = time.monotonic()
    found = (
        Hunt(check.id, seed) if start is None else replace(start, ways=dict(start.ways), interrupted=False)
    )
    found.source, spent = _source(check), found.seconds
    rng = random.Random(f"{seed}:{check.id}:{found.cases}")
    driver = _Driver(check, found, begin + budget)
    told = begin

    def report() -> None:
        nonlocal told
        found.seconds = spent + time.monotonic() - begin
        if progress is not None and time.monotonic() > told + 1:
            told = time.monotonic()
            progress(found)

    try:
        climb = _Climb(driver, rng)
        if found.choices is not None:
            climb.from_choices(found.choices)
        while not found.refuted:
            for _ in range(10):
                driver.margin(rng.randbytes(4096), "random")
            until = time.monotonic() + 0.6 * max(1.0, budget / 40)
            while time.monotonic() < until and not found.refuted:
                climb.step()
                report()
            if not found.refuted:
                _target(driver, rng.randrange(2**32), time.monotonic() + 0.4 * max(1.0, budget / 40))
            report()
        if found.choices is not None:
            driver.deadline = min(begin + budget, time.monotonic() + max(5.0, budget / 4))
            _simplify(driver, found.choices, rng)
    except _Stop:
        pass
    except KeyboardInterrupt:
        found.interrupted = True
    found.seconds = spent + time.monotonic() - begin
    if found.margin is None and not found.interrupted:
        raise ValueError(f"{check.id} is vacuous: no case meets the hypotheses; widen the strategy")
    if found.refuted and hasattr(found.best, "certificate"):
        found.certificate = found.best.certificate()
    return found


class _Climb:
    """Local search on the bytes of a case, with restarts."""

    def __init__(self, driver: _Driver, rng: random.Random):
        self.driver, self.rng = driver, rng
        self.here: tuple[Any, bytes] | None = None
        self.idle = 0

    def from_choices(self, choices: bytes) -> None:
        """Go on from a case of an earlier hunt."""
        self.here = self.driver.margin(choices, "climb")

    def step(self) -> None:
        """Start with the best of a few random cases, or change the present one."""
        rng, driver = self.rng, self.driver
        if self.here is None or self.idle > _PATIENCE:
            started = [driver.margin(rng.randbytes(4096), "climb") for _ in range(10)]
            fresh = [start for start in started if start is not None]
            # every other time back to the best case, if its bytes are known
            if self.here is not None and driver.found.choices is not None and rng.random() < 0.5:
                fresh = [(driver.found.margin, driver.found.choices)]
            self.here, self.idle = min(fresh, key=lambda pair: pair[0], default=None), 0
            return
        margin, choices = self.here
        changed = driver.margin(_changed(choices, rng) + rng.randbytes(_TAIL), "climb")
        self.idle += 1
        if changed is not None and changed[0] <= margin:
            self.idle *= not changed[0] < margin
            self.here = changed


def _changed(choices: bytes, rng: random.Random) -> bytes:
    """Change one byte, or a few: by a little, at random, to its neighbour's, or in pairs."""
    data = bytearray(choices)
    if not data:
        return b""
    for _ in range(1 + (rng.random() < 0.5) + 2 * (rng.random() < 0.2)):
        at = rng.randrange(len(data))
        kind = rng.random()
        if kind < 0.45:
            data[at] = min(255, max(0, data[at] + rng.choice((-16, -4, -2, -1, 1, 2, 4, 16))))
        elif kind < 0.7:
            data[at] = rng.randrange(256)
        else:
            other = rng.randrange(len(data)) if kind < 0.85 else max(0, at - 1)
            data[at], data[other] = (data[other], data[at]) if kind < 0.85 else (data[other], data[other])
    return bytes(data)


def _target(driver: _Driver, seed: int, until: float) -> None:
    """Let hypothesis hunt for a while."""

    def margin_of(case: Any) -> Enclosure:
        if time.monotonic() > min(until, driver.deadline):
            raise _Stop
        margin = driver.check.evaluate(case)
        driver.keep(case, margin.high, None, "target")
        return margin

    from hypothesis.errors import Flaky

    try:
        shrunk = replace(driver.check, examples=10**4).hunt(driver.strategy, margin_of, seed, False)
    except (_Stop, Flaky):
        # time was up; while a counterexample was being shrunk, that looks flaky
        if time.monotonic() > driver.deadline:
            raise _Stop from None
    else:
        if shrunk.refutes:
            driver.found.margin, driver.found.best, driver.found.choices = shrunk.high, shrunk.worst, None


def _simplify(driver: _Driver, choices: bytes, rng: random.Random) -> None:
    """Make a counterexample simpler: fewer bytes, then smaller ones, as long as the margin is negative."""
    found, at, last = driver.found, -1, len(choices)
    # round and round, until nothing could be made simpler since the last change
    while choices and last > 0:
        at, last = (at + 1) % len(choices), last - 1
        for data in _simpler(choices, at, rng):
            tried = driver.margin(data + bytes(_TAIL), "climb")
            if tried is not None and tried[0] < 0 and _rank(tried[1]) < _rank(choices):
                found.margin, found.best, found.choices = tried[0], driver.case[0], tried[1]
                choices, last = tried[1], len(tried[1])
                break


def _simpler(choices: bytes, at: int, rng: random.Random) -> Iterator[bytes]:
    """Yield the bytes without some, or with a smaller one; that one may need others after it."""
    for size in range(8, 0, -1):
        yield choices[:at] + choices[at + size :]
    for value in range(choices[at]):
        head = choices[:at] + bytes([value])
        yield head + choices[at + 1 :]
        for _ in range(3):
            yield head + rng.randbytes(len(choices))


def _rank(choices: bytes) -> tuple[int, bytes]:
    return len(choices), choices


def hunt_file(folder: Path, check: str) -> Path:
    """Return where a folder keeps the hunt over a check, given by its id; a hunt holds the lock of it."""
    return folder / f"{check.replace(':', '.')}.json"


def write_hunt(folder: Path, found: Hunt) -> list[Path]:
    """Write a hunt, and its certificate if there is one, atomically.

    Parameters
    ----------
    folder : Path
        Is made if it does not exist.
    found : Hunt
        What `hunt` returned.

    Returns
    -------
    list of Path
        The files written: ``claim.check.json``, ``claim.check.certificate.json``.
    """
    paths = [hunt_file(folder, found.check)]
    atomic_write(paths[0], json.dumps(found.as_dict(), indent=1, ensure_ascii=False) + "\n")
    if found.certificate is not None:
        paths.append(paths[0].with_suffix(".certificate.json"))
        atomic_write(paths[1], json.dumps(found.certificate) + "\n")
    return paths


def read_hunt(folder: Path, check: Check) -> Hunt | None:
    """Read what an earlier hunt over a check found.

    The best case is drawn anew from its choices by the next hunt; a margin that hypothesis found without them
    is kept as a number.

    Raises
    ------
    ValueError
        If the file is no hunt.
    """
    path = hunt_file(folder, check.id)
    if not path.exists():
        return None
    try:
        data: Mapping[str, Any] = parse_json(path.read_bytes())
        if data["format"] != FORMAT or data["check"] != check.id:
            raise ValueError
        choices = None if data["choices"] is None else bytes.fromhex(data["choices"])
        margin = None if data["margin"] is None else parse_fraction(data["margin"])
        return Hunt(
            check.id,
            int(data["seed"]),
            int(data["cases"]),
            {way: int(data["ways"].get(way, 0)) for way in WAYS},
            float(data["seconds"]),
            None if choices is not None else margin,
            data["best"] if choices is None else None,
            choices,
            source=str(data["source"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError) as error:
        raise ValueError(f"{path} is no hunt over {check.id}; remove it, or choose another folder") from error
