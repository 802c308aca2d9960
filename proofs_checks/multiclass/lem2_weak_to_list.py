"""Lemma 2 (weak implies list learning), Brukhim, Daniely, Mansour & Moran 2023."""

from fractions import Fraction
from typing import NamedTuple

from boosttheory.bounds import enclosure, ends, interval_arithmetic, stated_rounds
from boosttheory.claims import Claim, Enclosure, Reading, Verdict

PARAMETERS = r"\sigma\in(0,\tfrac12],\ \epsilon,\delta\in(0,1],\ T=8\ln m/\sigma^2"

claim = Claim(
    id="multiclass.lem2",
    paper="brukhim2023",
    locator="Lemma 2, Section 4",
    title="weak implies list learning",
    reading=Reading.CANONICAL,
    statement=r"\gamma\text{-weak PAC}\Rightarrow(k-1)\text{-list PAC}:\ \text{for every }m_w\text{ some }m"
    r"\text{ satisfies }m\ge\frac{16\,m_w(1/2)\ln^2m}{\sigma^2\epsilon}"
    r"+\frac{\ln(2/\delta)}\epsilon",
    assumes=(
        r"m_w\text{ is non-increasing}",
        r"\text{each draw is repeated until }\gamma\text{ is met}",
        PARAMETERS,
    ),
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("multiclass.lem5",),
    repairs=("multiclass.lem2.fixedpoint",),
    note="Lemma 5 with m0 = m_w(1/2), a number free of m: a draw succeeds with probability 1/2, so two "
    "draws a call are made on average, and the compression stores the successful ones only. Since m_w(1/2) "
    "<= m_w(δ/T), Lemma 2 follows as printed, for a learner that redraws.",
)
fixedpoint = Claim(
    id="multiclass.lem2.fixedpoint",
    paper="brukhim2023",
    locator="Lemma 2, Section 4; Lemma 5, Appendix B",
    title="the condition of Lemma 5 on m can be met for every weak learner",
    reading=Reading.CANONICAL,
    statement=r"\text{for every }m_w\text{ some }m\ge2\text{ satisfies }m\ge\frac{16\,m_w(\delta/(2T))\ln^2m}"
    r"{\sigma^2\epsilon}+\frac{\ln(2/\delta)}\epsilon",
    assumes=(r"m_w\text{ is non-increasing}", PARAMETERS),
    expect=Verdict.REFUTED,
    uses=("multiclass.lem5",),
    note="Not printed, but what Lemma 2 takes from Lemma 5. T grows with m, so both sides do. For m_w(δ) = "
    "e^{1/δ} the right side is 16 ln^2(m) m^{16/(σ^2 δ)} or more, above m for every m >= 2 (the check "
    "reaches 2^200, the formula the rest): Lemma 5 then says nothing, and Lemma 2 does not follow from it "
    "as it stands. Growth like 1/δ or a power of it is harmless, and redrawing saves Lemma 2 itself.",
)


class Learner(NamedTuple):
    """Edge, accuracy and confidence, and how the sample complexity of the weak learner grows with 1/δ."""

    sigma: Fraction
    eps: Fraction
    delta: Fraction
    growth: str


def log_needed(f, inverse, growth):
    """Log of m_w, at 1/δ: e^{1/δ}, 1/δ or (1/δ)^3."""
    if growth == "exponential":
        return inverse
    return f.log(inverse) * (1 if growth == "linear" else 3)


def at_half(f, delta, T):
    """Confidence 1/2 in every call."""
    return f.convert(2)


def at_all_calls(f, delta, T):
    """Confidence δ/(2T)."""
    return 2 * T / f.convert(delta)


def best(case, confidence, growth):
    """Largest ln m minus the log of the right side: bounds over all m from 2 to 2^200.

    The upper bound pairs 2^{e+1} on the left with 2^e on the right, which covers every m between them; the
    lower bound is for m = 2^e.
    """
    f = interval_arithmetic(128)
    found = []
    for exponent in range(1, 200):
        m = 2**exponent
        T = enclosure(stated_rounds, 128, m=m, gamma=case.sigma)
        log_m = f.log(f.convert(m))
        log_first = (
            log_needed(f, confidence(f, case.delta, T), growth)
            + 2 * f.log(log_m)
            + f.log(f.convert(16 / (case.sigma**2 * case.eps)))
        )
        # ln(a + b) <= ln 2 + max(ln a, ln b); the first term alone bounds it from below
        second = f.log(f.log(f.convert(2 / case.delta)) / f.convert(case.eps))
        low, high = ends(log_m - log_first)
        under = min(low, ends(log_m - second)[0]) - Fraction(7, 10)
        found.append((under, high + Fraction(7, 10)))
    return Enclosure(max(low for low, _ in found), max(high for _, high in found))


@fixedpoint.check(
    "witness",
    scope="m_w(δ) = e^{1/δ}; σ = 1/2, ε = δ = 1 (the easiest), and σ = ε = 1/10, δ = 1/20; every m from 2 to "
    "2^200; interval arithmetic",
    over=[
        Learner(Fraction(1, 2), Fraction(1), Fraction(1), "exponential"),
        Learner(Fraction(1, 10), Fraction(1, 10), Fraction(1, 20), "exponential"),
    ],
)
def some_sample_is_large_enough(case, *, confidence=at_all_calls, growth=None):
    """Largest log of m over the right side."""
    return best(case, confidence, growth or case.growth)


some_sample_is_large_enough.rescue("m_w(δ) = 1/δ", growth="linear")
some_sample_is_large_enough.rescue("m_w(1/2) in every call, redrawn", confidence=at_half)


@claim.check(
    "exhaustive",
    scope="m_w = e^{1/δ}, 1/δ, 1/δ^3; σ = 1/2, 1/10, 1/100, ε and δ down to 1/1000; m = 2, 4, ..., 2^200",
    over=[
        Learner(Fraction(1, s), Fraction(1, e), Fraction(1, d), growth)
        for s in (2, 10, 100)
        for e in (1, 1000)
        for d in (1, 1000)
        for growth in ("linear", "cubic", "exponential")
    ],
    replays=some_sample_is_large_enough,
)
def some_sample_is_large_enough_with_redraws(case, *, confidence=at_half, growth=None):
    """Largest log of m over the right side."""
    return best(case, confidence, growth or case.growth)


some_sample_is_large_enough_with_redraws.mutant("m_w(δ/(2T)) in every call", confidence=at_all_calls)
some_sample_is_large_enough_with_redraws.mutant(
    "m_w(δ/T) in every call", confidence=lambda f, delta, T: T / f.convert(delta)
)
