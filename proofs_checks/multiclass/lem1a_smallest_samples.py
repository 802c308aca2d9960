"""Lemma 1, first part: the smallest samples on which it fails, Brukhim, Daniely, Mansour & Moran 2023."""

from fractions import Fraction
from functools import cache
from typing import NamedTuple

import numpy as np

from boosttheory.bounds import (
    enclosure,
    ends,
    fewest_hits,
    interval_arithmetic,
    rounds,
    stated_rounds,
    stated_step,
)
from boosttheory.claims import Claim, Reading, Verdict
from proofs_checks.multiclass.lem1a_remove_one_label import LOCATOR, ORACLE, PAPER, certified

claim = Claim(
    id="multiclass.lem1a.smallest",
    paper=PAPER,
    locator=LOCATOR,
    title="the smallest samples on which Lemma 1 fails",
    reading=Reading.CANONICAL,
    statement=r"\text{Lemma 1 fails at }m(k,\gamma)\text{ and holds below it, for }k\in\{5,10,20,50\},\ "
    r"\gamma\in\{\tfrac14,\tfrac16,\tfrac1{10}\}\text{ and the }m(k,\gamma)\text{ of the table}",
    assumes=(*ORACLE, r"\eta=\sqrt{\ln m/(2T)},\ T\ge 8\ln m/\gamma^2"),
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("multiclass.alg1", "multiclass.lem1a", "multiclass.lem1a.least"),
    note="A certificate for each pair, and the lower bound of lem1a.least on the hits of an example for "
    "every smaller sample and every T up to 289 ln m/(32γ^2), beyond which Hoeffding's lemma is enough. The "
    "bound is sharpened by one step: the first distribution is uniform, so the first accuracy is a multiple "
    "of 1/m, ⌈am⌉/m at least. Without it m = 209 at (50, 1/6), T = 1539, would stay open by two thousandths "
    "of a hit. In all twelve pairs the two meet. The certificates lie beside the module.",
)


class Cell(NamedTuple):
    """A pair (k, γ), and the smallest sample on which the lemma fails."""

    k: int
    gamma: Fraction
    m: int

    @property
    def certificate(self):
        """Name of the file."""
        return f"lem1_m{self.m}.json"


SMALLEST = {
    Fraction(1, 4): (11199, 1519, 739, 539),
    Fraction(1, 6): (2166, 528, 300, 230),
    Fraction(1, 10): (903, 253, 177, 131),
}
CELLS = [
    Cell(k, gamma, m)
    for gamma, sizes in SMALLEST.items()
    for k, m in zip((5, 10, 20, 50), sizes, strict=True)
]


class Part(NamedTuple):
    """Sample sizes from low to high, for a pair (k, γ)."""

    k: int
    gamma: Fraction
    low: int
    high: int


def parts():
    """The sizes below the smallest that fails; the first ten apart."""
    for cell in CELLS:
        yield Part(cell.k, cell.gamma, 2, 11)
        yield Part(cell.k, cell.gamma, 12, cell.m - 1)


def whole_examples(m, a):
    """Least accuracy on equal weights: a whole number of examples out of m."""
    return -(-m * a.numerator // a.denominator), m


def the_accuracy_itself(m, a):
    """No more than a."""
    return a.numerator, a.denominator


def gain(f, eta, a, first):
    """Hits that the first round adds to `fewest_hits`, if its accuracy is not a but ``first``."""
    lost = 1 - f.exp(-eta)
    return (f.log(1 - lost * a) - f.log(1 - lost * first)) / eta


def certain(m, T, a, first):
    """Least integer at or above the bound, in interval arithmetic."""
    f = interval_arithmetic(96)
    eta = enclosure(stated_step, 96, m=m, T=T)
    right, total = first(m, a)
    found = enclosure(fewest_hits, 96, m=m, T=T, eta=eta, a=a)
    low, _ = ends(found + gain(f, eta, f.convert(a), f.convert(Fraction(right, total))))
    return -(-low // 1)


@cache
def least_slack(part, share, first):
    """Least of ⌈`fewest_hits` and the gain of the first round⌉ - T(1/k + share·γ), over samples and all T.

    Float64 is off by far less than 1e-6; what it does not clear is decided in interval arithmetic.
    """
    sizes = np.arange(part.low, part.high + 1)
    exact = stated_rounds.value(m=sizes, gamma=float(part.gamma))
    start = np.floor(exact).astype(np.int64) + 1
    for i in np.flatnonzero(np.abs(exact - np.round(exact)) < 1e-6).tolist():
        start[i] = rounds("paper", int(sizes[i]), part.k, part.gamma)
    promise = Fraction(1, part.k) + share * part.gamma
    accuracy = Fraction(1, part.k) + part.gamma
    last = -(-start * 289 // 256)
    least = []
    for extra in range(int((last - start).max()) + 1):
        m, T = sizes[start + extra <= last], (start + extra)[start + extra <= last]
        eta = stated_step.value(m=m, T=T)
        value = fewest_hits.value(m=m, T=T, eta=eta, a=float(accuracy))
        value += gain(np, eta, float(accuracy), np.divide(*first(m, accuracy)))
        slack = np.ceil(value - 1e-6).astype(np.int64) * promise.denominator - T * promise.numerator
        for i in np.flatnonzero((slack < 0) & (np.abs(value - np.round(value)) < 1e-5)).tolist():
            hits = certain(int(m[i]), int(T[i]), accuracy, first)
            slack[i] = hits * promise.denominator - int(T[i]) * promise.numerator
        least.append(int(slack.min()))
    return Fraction(min(least), promise.denominator)


def line(cell):
    """One line of the table."""
    found = certified(cell.certificate)
    return {
        "k": cell.k,
        "γ": str(cell.gamma),
        "a = 1/k + γ": str(Fraction(1, cell.k) + cell.gamma),
        "holds for m ≤": cell.m - 1,
        "fails at m": cell.m,
        "T": found.T,
        "H": found.hits,
        "T(1/k + γ/2)": str(found.threshold),
        "certificate": cell.certificate,
    }


@claim.check(
    "exhaustive",
    scope="twelve pairs (k, γ); every smaller m and every T from 8 ln m/γ^2 to 289 ln m/(32γ^2); in "
    "integers wherever float64 is clear by 1e-6, in interval arithmetic elsewhere",
    over=lambda: [*parts()],
)
def lemma_1_on_every_smaller_sample(part, *, fewer=0, share=Fraction(1, 2), first=whole_examples):
    """Least over m and T of the least integer at or above the lower bound on H, minus T(1/k + γ/2)."""
    return least_slack(part, share, first) - fewer


lemma_1_on_every_smaller_sample.mutant("two hits fewer in the bound", fewer=2)
lemma_1_on_every_smaller_sample.mutant("a first round of accuracy a", first=the_accuracy_itself)
lemma_1_on_every_smaller_sample.mutant("8193/16384 in place of 1/2", share=Fraction(8193, 16384))


@claim.check(
    "exhaustive",
    scope="twelve certificates, replayed in integer interval arithmetic of 60 digits and more",
    over=CELLS,
    relation="equivalence",
    table=line,
)
def failure_on_the_smallest_sample(cell, *, share=Fraction(1, 2), more=0):
    """Whether every accuracy is at least 1/k + γ, and the target's hits stay below T(1/k + γ/2)."""
    found = certified(cell.certificate)
    same = (found.k, found.gamma, found.m) == (cell.k, cell.gamma, cell.m)
    return same and found.hits + more < found.T * (Fraction(1, cell.k) + share * cell.gamma)


failure_on_the_smallest_sample.mutant("15/32 in place of 1/2", share=Fraction(15, 32))
failure_on_the_smallest_sample.mutant("one hit more", more=1)
