"""A small ledger in a package of its own: one claim of each fate."""

import sys
import textwrap

THM1 = '''
"""Theorem 1: squares are not negative."""

from fractions import Fraction

from boosttheory.claims import Claim, Verdict

claim = Claim(
    id="toy.thm1",
    paper="perrot2019",
    locator="Theorem 1, Section 1",
    title="Squares",
    statement=r"x^2 \\\\ge 0",
    assumes=(r"x \\\\in \\\\mathbb{Q}",),
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    note="Equality at zero; <b>nothing</b> else.",
)


def row_of(x):
    return {"x": str(x), "square": float(x * x), "zero": x == 0}


halves = [Fraction(i, 2) for i in range(-4, 5)]


@claim.check("exhaustive", scope="x in [-2, 2] by halves", over=halves, table=row_of)
def square_is_not_negative(x, *, power=2, shift=0):
    """The square of x."""
    return x**power - shift


square_is_not_negative.mutant("the cube", power=3)
square_is_not_negative.mutant("one below", shift=1)
'''

THM2 = '''
"""Theorem 2: a false statement and its repair."""

from boosttheory.claims import Claim, Reading, Role, Verdict

claim = Claim(
    id="toy.thm2",
    paper="perrot2019",
    locator="Theorem 2, Section 1",
    title="A false statement",
    statement=r"n^2 > n",
    expect=Verdict.REFUTED,
    uses=("toy.thm1",),
)


@claim.check("witness", scope="the smallest case", over=[1])
def square_exceeds(n, *, strict=1, factor=1):
    return n * n - factor * n - strict


square_exceeds.rescue("not strictly", strict=0)

repaired = Claim(
    id="toy.thm2.weak",
    paper="perrot2019",
    locator="Theorem 2, Section 1",
    title="The repair",
    statement=r"n^2 \\\\ge n",
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    repairs=("toy.thm2",),
)


@repaired.check("exhaustive", scope="n up to 3", over=[2, 3], replays=square_exceeds)
def square_is_at_least(n, *, factor=1):
    return n * n - factor * n


square_is_at_least.mutant("twice", factor=2)

algorithm = Claim(
    id="toy.alg1",
    paper="perrot2019",
    locator="Algorithm 1",
    title="Doubling",
    statement=r"n \\\\mapsto 2n",
    role=Role.ALGORITHM,
    reading=Reading.CANONICAL,
    expect=Verdict.CONFORMS,
)


@algorithm.check("exhaustive", scope="n up to 3", over=[1, 2, 3], relation="equality")
def two_readings_agree(n, *, times=2):
    return -abs(n + n - times * n)


two_readings_agree.mutant("thrice", times=3)

bare = Claim(
    id="toy.open",
    paper="perrot2019",
    locator="Remark",
    title="Nobody knows",
    statement=r"P = NP",
    expect=Verdict.NOT_CHECKED,
)
'''


def write(folder, package="toy_ledger", **modules):
    """Write the package and return its name; further modules or replacements by keyword."""
    home = folder / package
    home.mkdir(parents=True, exist_ok=True)
    (home / "__init__.py").write_text("")
    for name, text in ({"thm1_squares": THM1, "thm2_false": THM2} | modules).items():
        (home / f"{name}.py").write_text(textwrap.dedent(text).replace("\\\\", "\\"))
    return package


def forget(package="toy_ledger"):
    """Drop the package from the imported modules."""
    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        del sys.modules[name]
