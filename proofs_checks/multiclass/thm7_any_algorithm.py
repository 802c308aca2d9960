"""Theorem 7 (compression that need not be consistent), Brukhim, Daniely, Mansour & Moran 2023."""

from fractions import Fraction
from itertools import product
from typing import NamedTuple

from boosttheory.claims import Claim, Reading, Verdict
from boosttheory.compression_bounds import region_errors, support_law
from proofs_checks.multiclass.thm6_compression_bound import BASED, laws, levels

claim = Claim(
    id="multiclass.thm7",
    paper="brukhim2023",
    locator="Theorem 7, Appendix B",
    title="error of a compression that need not be consistent",
    reading=Reading.CANONICAL,
    statement=r"\Pr_{S\sim\mathcal D^m,\mathcal A}[\mathrm{err}_{\mathcal "
    r"D}(f_S)>\epsilon]\le\Pr_{S\sim\mathcal "
    r"D^m,\mathcal A}[f_S\text{ is not consistent with }S]+\delta",
    assumes=(BASED, r"\epsilon=\frac{r\ln m+\ln(1/\delta)}{m-r}"),
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("multiclass.thm6",),
    note="The hypotheses are those of Theorem 6; the text gives none. A bad function is consistent, which "
    "Theorem 6 bounds, or it is not. A randomised algorithm is a mixture of the deterministic ones below, "
    "and both sides are linear in it.",
)


class Algorithm(NamedTuple):
    """Weights, where the function of each kept example is right, the example kept of each set, m, ε."""

    weights: tuple[Fraction, ...]
    regions: tuple[int, ...]
    kept: tuple[int, ...]
    m: int
    level: Fraction


def algorithms():
    """Every deterministic algorithm with r = 1 on two examples; on three, regions of one or two examples."""
    for count, sizes in ((2, (2, 3, 5)), (3, (2, 4))):
        masks = range(1, 2**count)
        members = [[z for z in range(count) if mask >> z & 1] for mask in masks]
        some = range(2**count) if count == 2 else (0b001, 0b011, 0b110)
        for regions in product(some, repeat=count):
            for kept in product(*members):
                for weights in laws(count):
                    found = levels(weights, [((z,), region) for z, region in enumerate(regions)])
                    for level, m in product(found, sizes):
                        yield Algorithm(weights, regions, kept, m, level)


def split(case):
    """Probabilities of a bad function and of an inconsistent one."""
    errors = region_errors(case.weights, {(z,): region for z, region in enumerate(case.regions)})
    bad = inconsistent = Fraction(0)
    for mask, chance in enumerate(support_law(case.weights, case.m)):
        if mask:
            z = case.kept[mask - 1]
            bad += chance * (errors[z,] >= case.level)
            inconsistent += chance * bool(mask & ~case.regions[z])
    return bad, inconsistent


@claim.check(
    "exhaustive",
    scope="r = 1: every algorithm on two examples, m = 2, 3, 5, and on three with three regions, m = "
    "2, 4; two "
    "distributions; with δ = m(1 - ε)^(m - 1), which is smaller; exact",
    over=algorithms,
)
def bad_functions_are_inconsistent_or_rare(case, *, inconsistency=1, rare=1):
    """P[not consistent] + δ minus P[error of ε or more]."""
    bad, inconsistent = split(case)
    return inconsistency * inconsistent + rare * case.m * (1 - case.level) ** (case.m - 1) - bad


bad_functions_are_inconsistent_or_rare.mutant("without P[not consistent]", inconsistency=0)
bad_functions_are_inconsistent_or_rare.mutant("without δ", rare=0)
bad_functions_are_inconsistent_or_rare.mutant("half of P[not consistent]", inconsistency=Fraction(1, 2))
