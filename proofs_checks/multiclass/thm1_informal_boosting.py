"""Theorem 1 (boosting, informal), Brukhim, Daniely, Mansour & Moran 2023."""

from fractions import Fraction
from functools import cache
from typing import NamedTuple

from boosttheory.bounds import (
    compression_size,
    enclosure,
    ends,
    interval_arithmetic,
    least_sample,
    oracle_calls,
    required_sample,
)
from boosttheory.claims import Claim, Enclosure, Reading, Verdict

claim = Claim(
    id="multiclass.thm1",
    paper="brukhim2023",
    locator="Theorem 1, Section 1.1",
    title="boosting, informal",
    reading=Reading.CANONICAL,
    statement=r"m=\tilde O\left(\frac{m_0}{\gamma^3\epsilon}\right)\text{ examples and }"
    r"\tilde O\left(\frac1{\gamma^3}\right)\text{ calls give error at most }\epsilon\text{ with "
    r"probability }1-\delta",
    assumes=(r"\mathcal W\text{ meets its edge }\gamma\text{ in every call}",),
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("multiclass.thm2", "multiclass.thm1.calls"),
    note="With explicit constants: the least m satisfies m <= 9 m0 ln^2(m) ln(m/δ)/(γ^3 ε) with p = ⌈ln "
    "m/γ⌉, and a run makes at most (8L^2 + 2L + 1)/γ^3 calls there. The exponent 3 belongs to the paper's "
    "schedule, not to the problem: see thm2.fast.",
)


class Setting(NamedTuple):
    """Parameters of Theorem 1."""

    gamma: Fraction
    eps: Fraction
    delta: Fraction
    m0: int


SETTINGS = [
    Setting(gamma, eps, delta, m0)
    for gamma in (Fraction(1, 1000), Fraction(1, 100), Fraction(1, 10), Fraction(1, 4), Fraction(1, 2))
    for eps in (Fraction(1, 1000), Fraction(1, 10), Fraction(1))
    for delta in (Fraction(1, 10**9), Fraction(1, 20))
    for m0 in (1, 100)
]


@cache
def least(s):
    """Least m that the exact r allows."""
    return least_sample(
        lambda m: enclosure(
            required_sample,
            r=compression_size("paper", m, s.gamma, s.m0),
            m=m,
            epsilon=s.eps,
            delta=s.delta,
        )
    )


@claim.check("exhaustive", scope="60 settings, γ = 1/1000 to 1/2; interval arithmetic", over=SETTINGS)
def samples_of_the_stated_order(s, *, constant=9, logs=2):
    """The constant minus m γ³ε/(m0 ln²m ln(m/δ)) at the least m."""
    f = interval_arithmetic(128)
    log_m = f.log(f.convert(least(s)))
    used = f.convert(least(s) * s.gamma**3 * s.eps / s.m0) / log_m**logs
    return Enclosure(*ends(constant - used / (log_m - f.log(f.convert(s.delta)))))


samples_of_the_stated_order.mutant("the constant 7", constant=7)
samples_of_the_stated_order.mutant("ln m in place of ln²m, with the constant 200", logs=1, constant=200)


@claim.check("exhaustive", scope="60 settings at their least m; interval arithmetic", over=SETTINGS)
def calls_of_the_stated_order(s, *, lead=Fraction(8)):
    """8L² + 2Lγ² + γ³, at most 8L² + 2L + 1, minus the calls times γ³."""
    f = interval_arithmetic(128)
    log_m = f.log(f.convert(least(s)))
    calls = oracle_calls("paper", least(s), s.gamma) * s.gamma**3
    return Enclosure(
        *ends(
            f.convert(lead) * log_m**2
            + f.convert(2 * s.gamma**2) * log_m
            + f.convert(s.gamma**3)
            - f.convert(Fraction(calls))
        )
    )


calls_of_the_stated_order.mutant("79/10 in place of 8", lead=Fraction(79, 10))
calls_of_the_stated_order.mutant("799/100 in place of 8", lead=Fraction(799, 100))
