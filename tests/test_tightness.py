"""Every bound of the ledger has a tightness chart, or a reason why it has none."""

import re
from pathlib import Path

import pytest

from boosttheory.claims import load

PAGE = Path(__file__).parent.parent / "docs" / "tightness.md"
LEDGER = load()
REASONS = dict(re.findall(r"^\| `([\w.]+)` \| (.+) \|$", PAGE.read_text(encoding="utf-8"), re.M))
BOUNDS = [
    claim
    for claim in LEDGER.values()
    if claim.role == "statement" and any(check.relation == "inequality" for check in claim.checks)
]


def drawn(claim):
    """Tell whether a chart stands beside some check."""
    return any(check.figure is not None for check in claim.checks)


@pytest.mark.parametrize("claim", BOUNDS, ids=lambda claim: claim.id)
def test_a_bound_has_a_chart_or_a_reason(claim):
    assert drawn(claim) != (claim.id in REASONS), "a chart, or a line in docs/tightness.md, not both"


@pytest.mark.parametrize("name", REASONS)
def test_a_reason_is_of_this_ledger(name):
    reason = REASONS[name]
    assert LEDGER[name] in BOUNDS
    other = re.fullmatch(r"with `([\w.]+)`", reason)
    if other:
        assert drawn(LEDGER[other[1]])
    else:
        assert reason.startswith("none: ")


QUICK = [
    check
    for claim in LEDGER.values()
    for check in claim.checks
    if check.figure is not None
    and check.figure.__module__ != "boosttheory.drawings"
    # these solve games first; a run of the ledger draws them
    and claim.id not in ("multiclass.lem1a.game", "multiclass.lem8.minimax", "multiclass.thm2.arith.constant")
]


@pytest.mark.parametrize("check", QUICK, ids=lambda check: check.claim.id)
def test_a_chart_is_small_and_said_in_words(check):
    drawing = check.figure()
    assert drawing.svg.startswith("<svg")
    if "<text" in drawing.svg and "matplotlib" not in drawing.svg:
        assert len(drawing.svg.encode()) < 3000
        assert drawing.alt.startswith(drawing.caption)
