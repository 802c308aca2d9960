"""Monotonicity of the k-DS dimension in k, proof of Theorem 5, Brukhim, Daniely, Mansour & Moran 2023."""

from boosttheory.claims import Claim, Verdict
from boosttheory.concepts import full_class
from proofs_checks.multiclass.def7_k_ds_shattering import EVERY, EVERY_SCOPE, Small, family, small

claim = Claim(
    id="multiclass.ds.monotone",
    paper="brukhim2023",
    locator="proof of Theorem 5, Appendix C",
    title="the k-DS dimension falls with k",
    statement=r"d^{k'}_{DS}(\mathcal H)\le d^k_{DS}(\mathcal H)\quad(k'>k)",
    expect=Verdict.HOLDS_ON_EVERY_CASE,
    uses=("multiclass.def7",),
    note="A family in which everyone has k' neighbours serves for fewer. On {0,1}^n the dimensions are n for "
    "k = 1 and 0 beyond.",
)


@claim.check("exhaustive", scope=EVERY_SCOPE, over=lambda: small(*EVERY))
def fall_from_one_list_size_to_the_next(case, *, sign=1, less=0):
    """d_k - d_{k+1}."""
    h = family(case)
    return sign * (h.ds_dimension(case.k) - h.ds_dimension(case.k + 1)) - less


fall_from_one_list_size_to_the_next.mutant("reversed", sign=-1)
fall_from_one_list_size_to_the_next.mutant("strictly", less=1)


@claim.check(
    "exhaustive",
    scope="{0,1}^n, n <= 8; [3]^n, n <= 5; [4]^n, n <= 4",
    over=[(n_labels, n) for n_labels, most in ((2, 8), (3, 5), (4, 4)) for n in range(1, most + 1)],
    relation="equality",
)
def dimensions_of_all_functions(case, *, enough=lambda n_labels: n_labels - 1):
    """Minus the distance of d_k from n for k < K and from 0 for k = K."""
    n_labels, n = case
    h = full_class(n_labels, n)
    return -sum(abs(h.ds_dimension(k) - n * (k <= enough(n_labels))) for k in range(1, n_labels + 1))


dimensions_of_all_functions.mutant("K neighbours among K labels", enough=lambda n_labels: n_labels)
dimensions_of_all_functions.mutant("K − 2 neighbours at most", enough=lambda n_labels: n_labels - 2)


def classes(*boxes):
    """Sparse and dense classes in some boxes (K, n), with a list size below K."""
    from boosttheory.strategies import patterns

    shapes = [(n_labels, n, k) for n_labels, n in boxes for k in range(1, n_labels)]
    return patterns(shapes).map(lambda drawn: Small(*drawn))


LARGER = ((3, 3), (3, 4), (4, 3))
LARGER_SCOPE = "classes in [3]^3, [3]^4 and [4]^3, sparse and dense, hunted by hypothesis"


@claim.check("search", scope=LARGER_SCOPE, over=lambda: classes(*LARGER), examples=100)
def fall_for_larger_classes(case, *, sign=1, less=0):
    """d_k - d_{k+1}."""
    h = family(case)
    return sign * (h.ds_dimension(case.k) - h.ds_dimension(case.k + 1)) - less


fall_for_larger_classes.mutant("reversed", sign=-1)
fall_for_larger_classes.mutant("strictly", less=1)
