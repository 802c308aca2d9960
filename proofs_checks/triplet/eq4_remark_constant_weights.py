"""Section 2.2, remark on Equation 4 (abstaining examples keep their weight), Perrot & von Luxburg 2019."""

from boosttheory.claims import Claim, Verdict
from boosttheory.exact_tripletboost import normaliser, small_runs, weights_after
from proofs_checks.triplet.alg1_tripletboost import without_abstentions

claim = Claim(
    id="triplet.eq4.remark",
    paper="perrot2019",
    locator="remark on Equation 4, Section 2.2",
    title="abstaining examples keep their weight",
    statement=r"h_c(x_i)=\vartheta\implies Z_c\,w_{c+1,x_i,y}=w_{c,x_i,y}",
    assumes=(r"w_{c+1}\text{ follows from }w_c\text{ by Equation 4}",),
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("triplet.alg1",),
    note="The text says that these weights are kept constant, and that all are normalised afterwards. True "
    "before dividing by Z; after it, they grow by 1/Z in every round that learns something.",
)


def before_normalising(weight, z):
    """The new weight times Z."""
    return weight * z


def after_normalising(weight, z):
    """The new weight as it stands."""
    return weight


@claim.check(
    "exhaustive",
    scope="every round of all runs with n <= 3, K <= 3, C <= 3 (n = 2) or C <= 2 (n = 3), up to symmetry",
    over=small_runs,
    relation="equality",
)
def weight_of_abstaining_examples(run, *, new=before_normalising, z=normaliser):
    """Largest change of the weight of an abstaining example, before dividing by Z."""
    weights = weights_after(run)
    return -max(
        (
            abs(new(after, z(round_)) - before)
            for c, round_ in enumerate(run.rounds)
            for i, side in enumerate(round_.sides)
            if side is None
            for before, after in zip(weights[c][i], weights[c + 1][i], strict=True)
        ),
        default=0,
    )


weight_of_abstaining_examples.mutant("constant after normalising too", new=after_normalising)
weight_of_abstaining_examples.mutant("Z without the abstained mass", z=without_abstentions)
