"""A claim is one pytest item (its verdict); so is each mutant and each rescue of its checks."""

from functools import cache

import pytest

from boosttheory.claims import Check, Claim
from boosttheory.rows import row, verdict_of


def pytest_collect_file(file_path, parent):
    """Collect every check module, whatever an ini file says about names."""
    if file_path.suffix == ".py" and file_path.name not in ("__init__.py", "conftest.py"):
        return pytest.Module.from_parent(parent, path=file_path)
    return None


@cache
def result(check):
    """Evaluate a check once for its claim and all its mutants."""
    return check.run()


def pytest_pycollect_makeitem(collector, name, obj):
    """Turn claims, mutants and rescues into pytest items."""

    def item(label, call):
        return pytest.Function.from_parent(collector, name=label, callobj=call)

    home = obj.module if isinstance(obj, Claim) else obj.claim.module if isinstance(obj, Check) else None
    if home != collector.obj.__name__:
        return None
    if isinstance(obj, Claim):

        def gives_the_expected_verdict():
            rows = [row(result(check)) for check in obj.runnable(slow=False)]
            assert verdict_of(obj, rows) == obj.expect, [(r["check"], r["low"], r["worst"]) for r in rows]

        return [item(f"{obj.id}[{name}]", gives_the_expected_verdict)]

    if isinstance(obj, Check) and not obj.slow_only:

        def killed(label):
            def test():
                assert label not in result(obj).survivors, f"the false variant {label!r} survives"

            return item(f"{name}[not: {label}]", test)

        def holds(label):
            def test():
                assert result(obj).rescues[label], f"the rescue {label!r} fails on the witness"

            return item(f"{name}[rescue: {label}]", test)

        return [*map(killed, obj.mutants), *map(holds, obj.rescues)]
    return None
