"""Theorem 2: the runs that come closest to the bound, Perrot & von Luxburg 2019."""

from fractions import Fraction
from functools import cache
from math import prod

from boosttheory.charts import Curve, tightness_chart
from boosttheory.claims import Claim, Reading, Verdict
from boosttheory.exact_tripletboost import normaliser, small_runs, training_error
from boosttheory.games import worst_training_errors

claim = Claim(
    id="triplet.thm2.tight",
    paper="perrot2019",
    locator="Theorem 2, Section 3.2",
    title="which runs attain the bound on the training error",
    reading=Reading.CANONICAL,
    statement=r"\min_{\text{runs with errors}}\frac{|\mathcal Y|}2\prod_cZ_c-\Pr_{(x,y)\in S}[H(x)\ne y]"
    r"\begin{cases}=0&|\mathcal Y|=2\\>\tfrac13&|\mathcal Y|=3\end{cases}",
    assumes=(r"n\le3,\ C\le2\ (C=1\text{ for }n=|\mathcal Y|=3)",),
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("triplet.thm2",),
    note="Over every labelling, pair and consistent set of triplets. With two labels the bound is attained "
    "by classifiers with W+ = W-: every Z is 1, and all examples are errors, by ties. "
    "With three labels it never comes within 1/3.",
)

SIZES = ((2, 2, 1), (2, 2, 2), (3, 2, 1), (3, 2, 2), (2, 3, 1), (2, 3, 2), (3, 3, 1))


@cache
def worst(size):
    """The run of a size that comes closest."""
    return worst_training_errors((size,))[0]


def line(size):
    """One line of the table."""
    found = worst(size)
    return {
        "n": found.n,
        "K": found.n_labels,
        "C": found.rounds,
        "runs": found.runs,
        "error": str(found.error),
        "bound": float(found.bound),
        "attained": found.attained,
        "labels": str(found.run.y),
        "pairs": str(tuple(r.pair for r in found.run.rounds)),
        "triplets of the run": str(found.run.triplets),
        "Z": ", ".join(f"{float(normaliser(r)):.4f}" for r in found.run.rounds),
    }


def chart():
    """Largest training error over the value of the bound, all small runs."""
    worst_at: dict = {}
    for run in small_runs(SIZES):
        value = round(
            float(run.n_labels * prod((normaliser(r) for r in run.rounds), start=Fraction(1)) / 2), 2
        )
        kind = run.n_labels
        worst_at[kind, value] = max(worst_at.get((kind, value), 0), training_error(run))
    points = {kind: sorted(item for item in worst_at.items() if item[0][0] == kind) for kind in (2, 3)}
    ends = [min(value for _, value in worst_at), 1.0, max(value for _, value in worst_at)]
    return tightness_chart(
        [
            Curve("stated", "(K/2)∏Z, at most 1", ends, [ends[0], 1.0, 1.0]),
            *(
                Curve(
                    role,
                    f"K = {kind}",
                    [value for (_, value), _ in points[kind]],
                    [e for _, e in points[kind]],
                )
                for role, kind in (("worst known", 2), ("worst known", 3))
            ),
        ],
        x="value of the bound, rounded to 1/100",
        y="training error",
        vacuous=(1, ends[-1]),
        caption="Theorem 2: the largest training error of all runs of the sizes of the table, over the "
        "value of the bound. Shaded: the bound is no less than 1.",
    )


@claim.check(
    "exhaustive",
    scope="every run of seven sizes, up to symmetry; exact",
    over=SIZES,
    table=line,
    figure=chart,
)
def slack_of_the_closest_run(size, *, gap=Fraction(1, 3), rest=0):
    """Bound minus error: less 1/3 if there are three labels, minus its distance from 0 if there are two."""
    found = worst(size)
    slack = found.bound - found.error
    return slack - gap if found.n_labels == 3 else -abs(slack - rest)


slack_of_the_closest_run.mutant("a gap of 2/5 with three labels", gap=Fraction(2, 5))
slack_of_the_closest_run.mutant("a gap of 1/10 with two labels", rest=Fraction(1, 10))
