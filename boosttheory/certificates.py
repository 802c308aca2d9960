"""Exact counterexamples as small JSON files, and a verifier that imports nothing of the algorithms.

A certificate of Lemma 1 of Brukhim et al. holds its parameters as exact strings and says which examples are
right in which round. All examples but one, the target, are alike, so that a round is described by how many
of those that have been right equally often are right now. The verifier replays the weights in integer
interval arithmetic, asks every round for an accuracy of at least 1/k + γ, and counts the target's hits. It
needs the standard library and mpmath.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

__all__ = ["CertificateError", "Verification", "read_certificate", "verify"]

FORMAT = 1
LARGEST_M = 10**60
LARGEST_T = 10**5
LARGEST_FILE = 8 * 2**20
LARGEST_WORK = 10**10  # bits added up by a replay: half a minute; what is known takes a fiftieth
_NUMBER = re.compile(r"\d{1,80}(/\d{1,80})?")
_FIELDS = ("format", "claim", "k", "gamma", "m", "T", "hits", "rule")

Choose = Callable[[int, list[int], list[int], int], list[int]]


class CertificateError(ValueError):
    """A certificate that cannot be checked: malformed, incomplete, out of range or contradicting itself."""


@dataclass(frozen=True)
class Verification:
    """What the replay of a certificate found.

    Attributes
    ----------
    claim : str
        Id of the claim.
    refuted : bool
        Whether the claim fails on this run: every hypothesis holds and the conclusion does not.
    k, m, T, hits : int
        List length, examples, rounds, and rounds in which the target was right.
    gamma : Fraction
        Edge.
    threshold : Fraction
        T(1/k + γ/2), what the claim promises.
    least_excess : Fraction
        Lower bound, over the rounds, of the accuracy minus 1/k + γ; the hypotheses hold if it is at least 0.
    total_excess : Fraction
        Upper bound of the sum of the same.
    reason : str
        One sentence.
    """

    claim: str
    refuted: bool
    k: int
    m: int
    T: int
    hits: int
    gamma: Fraction
    threshold: Fraction
    least_excess: Fraction
    total_excess: Fraction
    reason: str

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as JSON data; exact numbers become strings."""
        return {
            name: str(value) if isinstance(value, Fraction) else value for name, value in asdict(self).items()
        }


def read_certificate(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a certificate from a JSON file.

    Raises
    ------
    CertificateError
        If the file is larger than 8 MiB or no JSON object.
    OSError
        If it cannot be read.
    """
    file = Path(path)
    if file.stat().st_size > LARGEST_FILE:
        raise CertificateError(
            f"{path}: larger than {LARGEST_FILE} bytes, no certificate is; name another file"
        )
    text = file.read_bytes()
    if text.count(b"[") > LARGEST_T + len(_FIELDS) or text.count(b"{") > 1:
        raise CertificateError("more lists than rounds, or nested objects; write the certificate anew")
    try:
        data = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise CertificateError(f"not JSON ({error}); write the certificate anew") from None
    if not isinstance(data, dict):
        raise CertificateError(
            f"a certificate is a JSON object, this is a {type(data).__name__}; name another file"
        )
    return data


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a field that is there twice: a reader might see the one, the verifier the other."""
    if len(data := dict(pairs)) < len(pairs):
        raise ValueError("a field is there twice")
    return data


def _exact(data: Mapping[str, Any], name: str) -> Fraction:
    value = data[name]
    if not isinstance(value, str) or not _NUMBER.fullmatch(value):
        shown = repr(value)[:60]
        raise CertificateError(f'{name}={shown} is no exact number of at most 80 digits; write it as "3/10"')
    top, _, bottom = value.partition("/")
    if bottom and not int(bottom):
        raise CertificateError(f"{name}={value!r} divides by zero; correct it")
    return Fraction(int(top), int(bottom or 1))


def _whole(data: Mapping[str, Any], name: str, low: int, high: int) -> int:
    value = _exact(data, name)
    if value.denominator != 1 or not low <= value <= high:
        raise CertificateError(
            f"{name}={value} must be an integer from {low} to {float(high):.15g}; correct it"
        )
    return value.numerator


def verify(certificate: Mapping[str, Any] | str | os.PathLike[str]) -> Verification:
    """Re-check a counterexample to the first part of Lemma 1, in the oracle reading.

    Parameters
    ----------
    certificate : mapping or path
        Fields ``format`` (1), ``claim`` ("multiclass.lem1a"), the exact strings ``k``, ``gamma``, ``m``,
        ``T`` and ``hits``, and ``rule``. The target is right in the first ``hits`` rounds and wrong in all
        others. Rule "prefix": the other examples are right heaviest first up to below 1/k + γ, then the
        lightest that reaches it. Rule "explicit": ``rounds`` holds one list [f, x_1, x_2, ...] a round: of
        the other examples, grouped by how often they have been right so far, seldom first, the first f
        groups are right, then x_1, x_2, ... of the next ones. With ``turns``, run lengths that begin with
        rounds in which the target is right and add up to T, it is right in every other run instead.

    Returns
    -------
    Verification

    Raises
    ------
    CertificateError
        If a field is missing or wrong.

    References
    ----------
    Brukhim et al. (2023), Lemma 1.
    """
    if isinstance(certificate, (str, os.PathLike)):
        try:
            return verify(read_certificate(certificate))
        except CertificateError as error:
            raise CertificateError(f"{os.fspath(certificate)}: {error}") from None
    if missing := [name for name in _FIELDS if name not in certificate]:
        raise CertificateError(f"the field {missing[0]!r} is missing; a certificate has {', '.join(_FIELDS)}")
    if certificate["format"] != FORMAT:
        raise CertificateError(f"format={certificate['format']!r:.60} is not {FORMAT}; upgrade boosttheory")
    if certificate["claim"] != "multiclass.lem1a":
        raise CertificateError(f"claim={certificate['claim']!r:.60} has no verifier; use 'multiclass.lem1a'")
    k, m = _whole(certificate, "k", 2, LARGEST_M), _whole(certificate, "m", 2, LARGEST_M)
    T, gamma = _whole(certificate, "T", 1, LARGEST_T), _exact(certificate, "gamma")
    hits = _whole(certificate, "hits", 0, T)
    accuracy = Fraction(1, k) + gamma
    if not 0 < gamma <= Fraction(1, 2) or accuracy >= 1:
        raise CertificateError(
            f"gamma={gamma} must be above 0 and at most 1/2, and 1/k + gamma below 1; correct it"
        )
    rule = certificate["rule"]
    if rule == "prefix":
        choose: Choose = _prefix
    elif rule == "explicit":
        choose = _explicit(certificate.get("rounds"), T)
    else:
        raise CertificateError(f"rule={rule!r:.60} is unknown; use 'prefix' or 'explicit'")

    right = _turns(certificate["turns"], T, hits) if "turns" in certificate else [t < hits for t in range(T)]
    decay, bits = _decay(m, T, gamma)
    least, total = _replay(m, right, accuracy, decay, bits, choose)
    threshold = T * (Fraction(1, k) + gamma / 2)
    admissible, short = least >= 0, hits < threshold
    if not admissible:
        reason = f"some round may have an accuracy below {accuracy}, so the run proves nothing"
    elif short:
        reason = f"every accuracy is at least {accuracy}, but an example is right {hits} < {threshold} times"
    else:
        reason = f"the example is right {hits} >= {threshold} times, as the claim says"
    return Verification(
        "multiclass.lem1a", admissible and short, k, m, T, hits, gamma, threshold, least, total, reason
    )


def _decay(m: int, T: int, gamma: Fraction) -> tuple[tuple[int, int], int]:
    """Return integer bounds of 2^bits · e^{−η} for η = √(ln m/(2T)), after checking T ≥ 8 ln m/γ²."""
    from mpmath.ctx_iv import MPIntervalContext

    iv = MPIntervalContext()
    # e^{−ηT} is the smallest weight; 60 digits and those of m are kept of it
    bits = 200 + 2 * m.bit_length() + math.ceil(1.5 * math.sqrt(math.log(m) * T / 2))
    iv.prec = bits + 64
    log_m = iv.log(iv.mpf(m))
    needed = 8 * log_m * (iv.mpf(gamma.denominator) / gamma.numerator) ** 2
    if not needed.b <= T:
        raise CertificateError(
            f"T={T} is below 8 ln m/gamma^2 = {float(needed.mid):.6f}; the lemma asks for more rounds"
        )
    scaled = iv.exp(-iv.sqrt(log_m / (2 * T))) * iv.mpf(2) ** bits
    return (_integer(scaled.a), _integer(scaled.b) + 1), bits


def _integer(end: Any) -> int:
    """Return the integer part of one end of a positive interval."""
    _, mantissa, exponent, _ = end._mpi_[0]
    return int(mantissa) << exponent if exponent >= 0 else int(mantissa) >> -exponent


def _turns(turns: Any, T: int, hits: int) -> list[bool]:
    """Expand run lengths into the rounds in which the target is right."""
    if not isinstance(turns, list) or not all(type(n) is int and n >= 0 for n in turns) or sum(turns) != T:
        raise CertificateError(
            f"turns must be a list of integers that are at least 0, with sum {T}; correct it"
        )
    right = [i % 2 == 0 for i, n in enumerate(turns) for _ in range(n)]
    if sum(right) != hits:
        raise CertificateError(
            f"hits={hits}, but by its turns the target is right {sum(right)} times; correct it"
        )
    return right


def _replay(
    m: int, schedule: list[bool], accuracy: Fraction, decay: tuple[int, int], bits: int, choose: Choose
) -> tuple[Fraction, Fraction]:
    """Replay the weights; return bounds of the least and the total excess of accuracy."""
    low, high = [1 << bits], [1 << bits]
    for _ in schedule:
        low.append(low[-1] * decay[0] >> bits)
        high.append(-(-high[-1] * decay[1] >> bits))
    groups, mine, work = {0: m - 1}, 0, 0
    p, q = accuracy.numerator, accuracy.denominator
    least, total = Fraction(1), Fraction(0)
    for t, right in enumerate(schedule):
        levels = sorted(groups)
        work += len(levels) * (bits + m.bit_length())
        if work > LARGEST_WORK:
            raise CertificateError(
                f"its replay takes too long, {t} of {len(schedule)} rounds done; shorten it"
            )
        sizes = [groups[level] for level in levels]
        sum_low = low[mine] + sum(n * low[level] for n, level in zip(sizes, levels, strict=True))
        sum_high = high[mine] + sum(n * high[level] for n, level in zip(sizes, levels, strict=True))
        # what the others must weigh, rounded up
        need = -(-p * sum_high // q) - right * low[mine]
        chosen = choose(t, sizes, [low[level] for level in levels], need)
        weigh_low = right * low[mine] + sum(n * low[level] for n, level in zip(chosen, levels, strict=True))
        weigh_high = right * high[mine] + sum(
            n * high[level] for n, level in zip(chosen, levels, strict=True)
        )
        least = min(least, Fraction(q * weigh_low - p * sum_high, q * sum_high))
        total += Fraction(max(0, (((q * weigh_high - p * sum_low) << 64) // (q * sum_low)) + 1), 1 << 64)
        for level, n in zip(levels, chosen, strict=True):
            if n:
                groups[level] -= n
                groups[level + 1] = groups.get(level + 1, 0) + n
                if not groups[level]:
                    del groups[level]
        mine += right
    return Fraction(math.floor(least * 2**128), 2**128), total


def _prefix(t: int, sizes: list[int], weights: list[int], need: int) -> list[int]:
    """Take the heaviest while they stay below ``need``, then the lightest that reaches it."""
    chosen = [0] * len(sizes)
    for i, (size, weight) in enumerate(zip(sizes, weights, strict=True)):
        chosen[i] = min(size, max(0, -(-need // weight) - 1))
        need -= chosen[i] * weight
        if chosen[i] < size:
            break
    for i in reversed(range(len(sizes))):
        if need > 0 and chosen[i] < sizes[i] and weights[i] >= need:
            chosen[i] += 1
            break
    return chosen


def _explicit(rounds: Any, T: int) -> Choose:
    if not isinstance(rounds, list) or len(rounds) != T:
        raise CertificateError(f"rounds must be a list of T={T} lists; correct it")
    for t, entry in enumerate(rounds):
        if not isinstance(entry, list) or not entry or not all(type(n) is int and n >= 0 for n in entry):
            raise CertificateError(f"rounds[{t}] must be a list of integers that are at least 0; correct it")

    def choose(t: int, sizes: list[int], weights: list[int], need: int) -> list[int]:
        full, *rest = rounds[t]
        chosen = [*sizes[:full], *rest]
        chosen += [0] * (len(sizes) - len(chosen))
        if (
            full > len(sizes)
            or len(chosen) > len(sizes)
            or any(n > s for n, s in zip(chosen, sizes, strict=True))
        ):
            raise CertificateError(f"rounds[{t}] takes more examples than there are; correct it")
        return chosen

    return choose
