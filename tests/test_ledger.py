"""Invariants of the ledger: they hold whatever claims it has."""

from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from math_core import LatexToMathML

from boosttheory.claims import Kind, Verdict, load
from boosttheory.papers import PAPERS, RESULTS
from proofs_checks.conftest import result

LEDGER = load()
CLAIMS = list(LEDGER.values())
CHECKS = [check for claim in CLAIMS for check in claim.checks]
IDS = Path(__file__).with_name("ids.txt")
EXPECTED = {claim.id: {claim.expect, claim.expected(slow=True)} for claim in CLAIMS}


def ids(items):
    return [item.id for item in items]


def test_ids_never_disappear():
    listed = IDS.read_text().split()
    gone = [name for name in listed if name not in LEDGER]
    assert gone == [], "ids are permanent: bring these claims back"
    new = [name for name in LEDGER if name not in listed]
    assert new == [], f"append these ids to {IDS.name}, one a line, and never remove one"
    assert len(set(listed)) == len(listed)


def test_every_result_has_a_claim_or_a_reason():
    silent = [r.id for r in RESULTS if r.id not in LEDGER and not r.without_claim.strip()]
    assert silent == [], "write a claim, or say in boosttheory/papers.py why there is none"
    both = [r.id for r in RESULTS if r.id in LEDGER and r.without_claim]
    assert both == [], "these have a claim and a reason for having none"


@pytest.mark.parametrize("claim", CLAIMS, ids=ids(CLAIMS))
def test_claim_is_complete(claim):
    paper, *parts = claim.id.split(".")
    assert claim.paper in PAPERS
    assert PAPERS[claim.paper].prefix == paper
    assert claim.title.strip()
    assert claim.note.strip()
    assert claim.locator.strip()
    package, folder, module = claim.module.split(".")
    assert (package, folder) == ("proofs_checks", paper)
    stems = {"_".join(parts[:length]) for length in range(1, len(parts) + 1)}
    assert any(module == stem or module.startswith(f"{stem}_") for stem in stems), (
        f"{module}.py does not start with the last part of the id {claim.id}"
    )


@pytest.mark.parametrize("claim", CLAIMS, ids=ids(CLAIMS))
def test_statement_and_hypotheses_convert_to_mathml(claim):
    strict = LatexToMathML(fancy_error=False)
    for latex in (claim.statement, *claim.assumes):
        assert latex.strip()
        assert "$" not in latex
        strict.convert_with_local_state(latex, displaystyle=False)


def test_references_exist_and_are_acyclic():
    graph = {claim.id: {*claim.uses, *claim.repairs} for claim in CLAIMS}
    assert set().union(*graph.values()) <= graph.keys()
    TopologicalSorter(graph).prepare()


def test_a_repair_corrects_a_refuted_claim():
    for claim in CLAIMS:
        for name in claim.repairs:
            assert Verdict.REFUTED in EXPECTED[name], f"{claim.id} repairs {name}, which is not refuted"


@pytest.mark.parametrize("check", CHECKS, ids=ids(CHECKS))
def test_check_has_mutants_and_scopes(check):
    if check.kind != Kind.WITNESS:
        assert check.mutants, "a check that no false variant fails may be too weak"
    assert check.margin.__name__ != "<lambda>"
    if check.slow_over is not None:
        assert check.slow_scope.strip(), "say in slow_scope which cases the larger stream holds"


def test_mutants_on_average():
    tested = [check for check in CHECKS if check.kind != Kind.WITNESS]
    assert sum(len(check.mutants) for check in tested) >= 2 * len(tested)


def test_statistical_errors_add_up_to_little():
    assert sum(check.error for check in CHECKS) < 1e-4


PROVED = [claim for claim in CLAIMS if EXPECTED[claim.id] & {"proved", "proved up to listed steps"}]


@pytest.mark.parametrize("claim", PROVED, ids=ids(PROVED))
def test_a_proof_declares_quantifiers(claim):
    assert claim.quantifiers, "without declared ranges nothing tells whether the obligations cover the claim"


REFUTED = [claim for claim in CLAIMS if Verdict.REFUTED in EXPECTED[claim.id]]


@pytest.mark.parametrize("claim", REFUTED, ids=ids(REFUTED))
def test_a_refuted_claim_has_witness_rescue_and_repair(claim):
    witnesses = [check for check in claim.checks if check.kind == Kind.WITNESS]
    refuting = [check for check in witnesses if result(check).finding.refutes]
    assert refuting, "store the smallest counterexample as a check of kind witness"
    assert any(check.rescues for check in refuting), "a bug makes things false too: add a rescue"
    repairs = [other for other in CLAIMS if claim.id in other.repairs]
    assert repairs, "write the corrected statement as a claim that repairs this one"
    assert any(check.replays in refuting for other in repairs for check in other.checks), (
        "no check of a repair replays the witness"
    )
