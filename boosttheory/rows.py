"""Result rows: one JSON object a check, enough to rebuild a report from rows alone."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from boosttheory import __version__
from boosttheory.claims import (
    Check,
    Claim,
    Result,
    Verdict,
    approximate,
    covers_quantifiers,
    load,
    render,
    verdict,
)
from boosttheory.files import atomic_write, locked, parse_json

__all__ = [
    "SCHEMA",
    "atomic_write",
    "merge_rows",
    "read_rows",
    "row",
    "run",
    "surprises",
    "verdict_of",
    "write_rows",
]

SCHEMA = 1


def _number(value: Any) -> float | None:
    """Approximate an exact number for display; an infinity becomes null, as JSON has none."""
    nearest = approximate(value)
    return nearest if math.isfinite(nearest) else None


def _data(value: Any, depth: int = 0) -> Any:
    """Write a case as JSON data; exact numbers become strings."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        # readers of JSON keep 53 bits of a number
        return value if abs(value) < 2**53 else render(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {name: _data(item, depth + 1) for name, item in zip(value._fields, value, strict=True)}
    if isinstance(value, Mapping):
        return {str(k): _data(v, depth + 1) for k, v in value.items()}
    if isinstance(value, (tuple, list)) and len(value) <= 1000 and depth < 8:
        return [_data(v, depth + 1) for v in value]
    return render(value)


@cache
def _commit() -> str:
    """Return the commit of the source tree, or an empty string for an installed package."""
    import subprocess

    root = Path(__file__).resolve().parent.parent
    if not (root / ".git").exists():
        return ""
    try:
        done = subprocess.run(
            ["git", "-C", str(root), "rev-parse", "HEAD"],
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()


def source_hash(file: str) -> str:
    """Hash of an installed check module, by which a report tells a stale row; empty where none is installed.

    Parameters
    ----------
    file : str
        Path that starts with the top-level package, ``"proofs_checks/triplet/thm2_training_error.py"``.
        Nothing is imported, since rows may come from anywhere.
    """
    top, *rest = file.removesuffix(".py").split("/")
    if not all(part.isidentifier() for part in (top, *rest)):
        return ""
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return ""
    homes = (spec.submodule_search_locations or [spec.origin or ""]) if spec is not None else []
    for home in homes:
        path = Path(home, *rest[:-1], f"{rest[-1]}.py") if rest else Path(home)
        if path.is_file():
            return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    return ""


@cache
def library_hash() -> str:
    """Hash of what every check rests on: the modules of `boosttheory`, without its report and commands."""
    modules = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in modules)).hexdigest()[:16]


@cache
def environment() -> str:
    """Versions of Python and of the packages that compute."""
    import platform
    from importlib.metadata import version

    packages = ("numpy", "scipy", "sympy", "mpmath", "hypothesis")
    return ", ".join(
        [f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in packages)]
    )


def claim_fields(claim: Claim) -> dict[str, Any]:
    """Return what every row says of its claim."""
    file = claim.module.replace(".", "/") + ".py"
    return {
        "schema": SCHEMA,
        "claim": claim.id,
        "paper": claim.paper,
        "locator": claim.locator,
        "title": claim.title,
        "role": str(claim.role),
        "reading": str(claim.reading),
        "statement": claim.statement,
        "assumes": list(claim.assumes),
        "uses": list(claim.uses),
        "repairs": list(claim.repairs),
        "note": claim.note,
        "expect": str(claim.expect),
        "version": __version__,
        "commit": _commit(),
        "source_hash": source_hash(file),
        "library_hash": library_hash(),
        "environment": environment(),
        "file": file,
    }


def row(result: Result) -> dict[str, Any]:
    """Turn the result of one check into a row.

    Parameters
    ----------
    result : boosttheory.claims.Result
        What one run of a check found.

    Returns
    -------
    dict
        Only JSON types; exact numbers and cases both as text and as data.
    """
    check, finding = result.check, result.finding
    return _check_fields(check, result.seed, result.slow) | {
        "cases": finding.cases,
        "low": render(finding.low, 400),
        "high": render(finding.high, 400),
        "margin": _number(finding.high),
        "refutes": finding.refutes,
        "supports": finding.supports,
        "delta": render(finding.delta),
        "worst": render(finding.worst),
        "worst_data": _data(finding.worst),
        "whole": covers_quantifiers(check, seed=result.seed, slow=result.slow),
        "mutants": {
            label: render(trace.killer, 1000) if trace.killed else None
            for label, trace in result.mutants.items()
        },
        "coarse": result.coarse,
        "rescues": dict(result.rescues),
        "surprises": result.surprises,
        "table": [_data(line) for line in result.table],
        "figure": {} if check.figure is None else asdict(check.figure()),
        "certificates": {path.name: path.read_text(encoding="utf-8") for path in check.certificate_files},
        "seconds": round(result.seconds, 3),
    }


def _check_fields(check: Check, seed: int, slow: bool) -> dict[str, Any]:
    """Return what a row says of its check before it has run."""
    return claim_fields(check.claim) | {
        "expect": str(check.claim.expected(slow)),
        "check": check.name,
        "kind": str(check.kind),
        "relation": str(check.relation),
        "scope": check.slow_scope if slow and check.slow_scope else check.scope,
        "error": check.error,
        "by_hand": list(check.by_hand),
        "seed": seed,
        "slow": slow,
        "line": check.source[1],
        "description": (check.margin.__doc__ or "").strip(),
    }


def _failure(check: Check, seed: int, slow: bool, error: Exception) -> dict[str, Any]:
    """Return the row of a check that raised: it supports nothing and is a surprise."""
    return _check_fields(check, seed, slow) | {
        "cases": 0,
        "low": "",
        "high": "",
        "margin": None,
        "refutes": False,
        "supports": False,
        "delta": "0",
        "worst": "",
        "worst_data": None,
        "whole": False,
        "mutants": {},
        "coarse": [],
        "rescues": {},
        "surprises": [f"{check.id} failed with {type(error).__name__}: {error}"],
        "table": [],
        "figure": {},
        "seconds": 0.0,
    }


def verdict_of(claim: Claim, rows: Iterable[Mapping[str, Any]]) -> Verdict:
    """Compute the verdict of one claim from its rows."""
    return verdict(claim.role, [r for r in rows if r["claim"] == claim.id and r.get("check")])


def run_check(
    claim_id: str, name: str, seed: int, slow: bool, package: str = "proofs_checks"
) -> dict[str, Any]:
    """Run one check by name; the unit of work of a parallel run."""
    return _attempt(next(c for c in load(package)[claim_id].checks if c.name == name), seed, slow)


def _attempt(check: Check, seed: int, slow: bool) -> dict[str, Any]:
    """Run one check; if it raises, the others still run."""
    try:
        return row(check.run(seed=seed, slow=slow))
    except Exception as error:
        return _failure(check, seed, slow, error)


def run(
    claims: Mapping[str, Claim],
    *,
    seed: int = 0,
    slow: bool = False,
    jobs: int = 1,
    progress: Callable[[Mapping[str, Any]], None] | None = None,
) -> list[dict[str, Any]]:
    """Run every check of some claims.

    Parameters
    ----------
    claims : mapping of str to Claim
        As from `boosttheory.claims.load`.
    seed : int
        Root of every random stream.
    slow : bool
        Run the larger streams and the checks marked slow.
    jobs : int
        Number of processes; -1 for one a core.
    progress : callable, optional
        Called with each row as it comes.

    Returns
    -------
    list of dict
        One row a check, in ledger order; a claim without checks has one row whose ``check`` is null.
    """
    work: list[Check] = [check for claim in claims.values() for check in claim.runnable(slow)]
    rows: dict[str, dict[str, Any]] = {}

    def keep(found: dict[str, Any]) -> None:
        rows[f"{found['claim']}:{found['check']}"] = found
        if progress is not None:
            progress(found)

    if jobs == 1:
        for check in work:
            keep(_attempt(check, seed, slow))
    else:
        from joblib import Parallel, delayed

        tasks = (
            delayed(run_check)(check.claim.id, check.name, seed, slow, check.claim.module.partition(".")[0])
            for check in work
        )
        for found in Parallel(n_jobs=jobs, return_as="generator_unordered")(tasks):
            keep(found)
    bare = {"check": None}
    return [
        found
        for claim in claims.values()
        for found in [rows[c.id] for c in claim.runnable(slow)] or [claim_fields(claim) | bare]
    ]


def surprises(
    claims: Mapping[str, Claim], rows: Sequence[Mapping[str, Any]], *, slow: bool = False
) -> list[str]:
    """List, in sentences, every verdict that differs from what its claim expects and every weak check."""
    found = [sentence for r in rows for sentence in r.get("surprises", ())]
    for claim in claims.values():
        computed, expected = verdict_of(claim, rows), claim.expected(slow)
        if computed != expected:
            found.append(f"{claim.id}: the verdict is {str(computed)!r}, expected {str(expected)!r}")
    return found


def write_rows(path: str | os.PathLike[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows as JSON lines, atomically."""
    atomic_write(path, "".join(json.dumps(r, ensure_ascii=False, allow_nan=False) + "\n" for r in rows))


def merge_rows(
    path: str | os.PathLike[str], rows: Sequence[Mapping[str, Any]], order: Mapping[str, Any]
) -> None:
    """Put rows in the place of older rows of the same claims in a file; claims that left the ledger go.

    Parameters
    ----------
    path : path
        The file, which other runs may be changing: each waits for the others.
    rows : sequence of mapping
        New rows.
    order : mapping
        Its keys are the claims of the ledger, in order.
    """
    place = {name: index for index, name in enumerate(order)}
    fresh = {row["claim"] for row in rows}
    with locked(path, wait=True):
        old = read_rows(path) if Path(path).is_file() else []
        kept = [row for row in old if row["claim"] in place and row["claim"] not in fresh]
        write_rows(path, sorted([*kept, *rows], key=lambda row: place[row["claim"]]))


def read_rows(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """Read rows written by `write_rows`.

    Raises
    ------
    ValueError
        If a line is no JSON object, lacks a field or comes from a newer version; the message names file and
        line.
    """
    return list(_parse(Path(path)))


def _parse(path: Path) -> Iterator[dict[str, Any]]:
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                try:
                    yield _checked(parse_json(line))
                except ValueError as error:
                    reason = error if type(error) is ValueError else "not a JSON object; write the rows anew"
                    raise ValueError(f"{path}, line {number}: {reason}") from None


def _checked(found: Any) -> dict[str, Any]:
    if not isinstance(found, dict):
        raise ValueError("not a JSON object; write the rows anew")
    needed = ["schema", "claim", "check"]
    if found.get("check") is not None:
        needed += ["kind", "refutes", "supports", "by_hand", "whole"]
    if missing := [name for name in needed if name not in found]:
        raise ValueError(f"a row needs {', '.join(missing)}; write the rows anew")
    if not isinstance(found["claim"], str) or not isinstance(found["check"], (str, type(None))):
        raise ValueError("claim and check of a row are names; write the rows anew")
    if not isinstance(found["schema"], int) or found["schema"] > SCHEMA:
        raise ValueError(f"schema {found['schema']!r} is newer than {SCHEMA}; upgrade boosttheory")
    return found
