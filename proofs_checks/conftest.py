"""A claim is one pytest item (its verdict); so is each mutant and each rescue of its checks."""

import os
from functools import cache

import pytest

from boosttheory.claims import Check, Claim
from boosttheory.rows import row, verdict_of


def pytest_addoption(parser):
    """Add ``--slow``; where pytest reads this file too late for options, ``BOOSTTHEORY_SLOW=1`` serves."""
    parser.addoption("--slow", action="store_true", help="run the larger streams and the checks marked slow")


def is_slow(config):
    """Tell whether the larger streams are wanted."""
    asked = os.environ.get("BOOSTTHEORY_SLOW", "0") not in ("", "0")
    return bool(config.getoption("--slow", default=False) or asked)


def pytest_collect_file(file_path, parent):
    """Collect every check module, whatever an ini file says about names."""
    if file_path.suffix != ".py" or file_path.name in ("__init__.py", "conftest.py"):
        return None
    # pytest itself collects a file that was named on the command line
    return None if parent.session.isinitpath(file_path) else pytest.Module.from_parent(parent, path=file_path)


@cache
def result(check, slow=False):
    """Evaluate a check once for its claim and all its mutants."""
    return check.run(slow=slow)


def pytest_pycollect_makeitem(collector, name, obj):
    """Turn claims, mutants and rescues into pytest items, and nothing else, whatever its name."""
    slow = is_slow(collector.config)

    def item(label, call):
        return pytest.Function.from_parent(collector, name=label, callobj=call)

    home = obj.module if isinstance(obj, Claim) else obj.claim.module if isinstance(obj, Check) else None
    if home is None or home != collector.obj.__name__:
        return []
    if isinstance(obj, Claim):

        def gives_the_expected_verdict():
            rows = [row(result(check, slow)) for check in obj.runnable(slow)]
            found = [(r["check"], r["low"], r["high"], r["worst"]) for r in rows]
            assert verdict_of(obj, rows) == obj.expected(slow), found

        return [item(f"{obj.id}[{name}]", gives_the_expected_verdict)]
    if obj.slow_only and not slow:
        return []

    def killed(label):
        def test():
            assert label not in result(obj, slow).survivors, f"the false variant {label!r} survives"
            assert label not in result(obj, slow).coarse, f"the false variant {label!r} fails on every case"

        return item(f"{name}[not: {label}]", test)

    def holds(label):
        def test():
            assert result(obj, slow).rescues[label], f"the rescue {label!r} fails on the witness"

        return item(f"{name}[rescue: {label}]", test)

    return [*map(killed, obj.mutants), *map(holds, obj.rescues)]
