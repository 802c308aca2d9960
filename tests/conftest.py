"""A run says at its end what it did not run, and the command that does."""

import os
import re
from collections import Counter

import pytest

REMEDIES = {
    r"chromium|axe-core": "make browser",
    r"real data|the folder \w+ is not there": "BOOSTTHEORY_DATA=FOLDER make test",
    r"\.\[docs\]": "make docs test",
    r"could not import '(cblearn|sparse)\b": ".venv/bin/pip install cblearn sparse && make test",
    r"could not import 'ray\b": ".venv/bin/pip install ray && make test",
    r"could not import '(?!fcntl)|needs build|numba is not": ".venv/bin/pip install -e '.[dev]' && make test",
    r"cblearn is not": ".venv/bin/pip install cblearn sparse && make test",
    r"typst is not": ".venv/bin/pip install -e '.[pdf]' && make test",
    r"pdftotext": "apt-get install poppler-utils && make test",
    r"^root ": "as another user than root: make test",
    r"^only root ": "as root: make test",
}
ELSEWHERE = (
    ("speed and memory", "make bench"),
    ("figures of the papers", "make figures"),
    ("coverage by lines", "make coverage"),
    ("lowest and newest versions", "make versions"),
    ("mutation testing, half an hour", "make mutants"),
)


def remedy(reason):
    """Return the command that runs what was skipped for a reason, or nothing."""
    return next((command for pattern, command in REMEDIES.items() if re.search(pattern, reason)), "")


def not_run(reasons, *, slow, whole):
    """Return lines (what, how to run it) for the reasons of skipped tests; ``whole`` adds what no test is."""
    lines = []
    for reason, count in Counter(reasons).items():
        lines.append((f"{count} skipped: {reason}", remedy(reason) or "see the reason"))
    if not slow:
        lines.append(("larger streams of the ledger, long fuzzing", "BOOSTTHEORY_SLOW=1 make test"))
    return lines + (list(ELSEWHERE) if whole else [])


def pytest_terminal_summary(terminalreporter, config):
    """Print the lines of `not_run`."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = [report.longrepr[2].removeprefix("Skipped: ") for report in skipped]
    slow = bool(
        config.getoption("--slow", default=False) or os.environ.get("BOOSTTHEORY_SLOW", "0") not in ("", "0")
    )
    whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    lines = not_run(reasons, slow=slow or not whole, whole=whole)
    if lines:
        terminalreporter.section("not run")
        width = max(len(what) for what, _ in lines)
        for what, how in lines:
            terminalreporter.write_line(f"{what:{width}}  {how}")
