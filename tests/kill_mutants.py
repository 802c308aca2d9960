"""Break the library in one place at a time and see that a test notices: `make mutants`.

A mutant of a function gets its code put into the live function, in a child of a session of pytest that has
collected the tests; one that is met on import, in a child that imports everything anew. Only the tests that
reach the place are run, the quickest first, up to the first failure. One child runs at a time.
"""

import argparse
import gc
import importlib
import json
import os
import resource
import sys
import time
from importlib.machinery import SourceFileLoader
from types import CodeType, FunctionType

from mutants import ROOT, TESTS, compiled, explained, mutants

STORE = ROOT / "reports" / "mutants"
SURVIVES, KILLED = 0, 1
HEAVY = ("pytest", "hypothesis.strategies", "hypothesis.extra.numpy", "coverage", "scipy.sparse.csgraph",
         "scipy.optimize", "scipy.special", "scipy.stats", "sympy", "mpmath")  # fmt: skip


class Watch:
    """Notes how long each test takes and which lines it reaches."""

    def __init__(self, coverage):
        self.coverage, self.seconds = coverage, {}

    def pytest_runtest_logstart(self, nodeid, location):
        self.coverage.switch_context(nodeid)

    def pytest_runtest_logreport(self, report):
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0) + report.duration


class UpToTheFirstFailure:
    """Orders the tests by their time, and ends the process when one fails."""

    def __init__(self, seconds):
        self.seconds = seconds

    def pytest_collection_modifyitems(self, items):
        items.sort(key=lambda item: self.seconds.get(item.nodeid, 0))

    def pytest_runtest_logreport(self, report):
        if report.failed:
            os._exit(KILLED)


class Attempts(UpToTheFirstFailure):
    """Runs, for each mutant, its tests in a child of the collected session."""

    def __init__(self, attempts, path, put, report):
        super().__init__({})
        self.attempts, self.path, self.put, self.report = attempts, path, put, report

    def pytest_runtestloop(self, session):
        items = {item.nodeid: item for item in session.items}
        functions = [found for found in gc.get_objects() if isinstance(found, FunctionType)]
        live = [found for found in functions if found.__code__.co_filename == str(self.path)]
        gc.freeze()  # a child would copy every page that the collector touches
        for mutant, tests in self.attempts:

            def job(mutant=mutant, tests=tests):
                self.put(mutant, live)
                for test in tests:
                    session.config.hook.pytest_runtest_protocol(item=items[test], nextitem=None)
                return SURVIVES

            self.report(mutant, forked(job, sum(tests.values())))
        return True


def forked(job, usual=200):
    """Run a silent job in a child; return its exit code, or minus the signal that ended it for its time."""
    child = os.fork()
    if child == 0:
        code = KILLED
        try:
            os.dup2(os.open(os.devnull, os.O_RDWR), 1)
            os.dup2(1, 2)
            sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115
            limit = int(5 + 2 * usual)
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
            resource.setrlimit(resource.RLIMIT_DATA, (6 * 2**30, 6 * 2**30))
            code = int(job())
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def run(files, plugin):
    """Run pytest; a failure is enough, as nobody reads the shrunk example."""
    import pytest
    from hypothesis import Phase, settings

    settings.register_profile("mutants", phases=(Phase.explicit, Phase.generate, Phase.target))
    settings.load_profile("mutants")
    quiet = [
        "-q",
        "-s",
        "--tb=no",
        "--assert=plain",
        "--timeout=30",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:pytest_cov",
        "-p",
        "no:faulthandler",
    ]
    return pytest.main([*quiet, *files], plugins=[plugin])


def reach(path, files):
    """Return which tests reach each line, and the seconds of each, quickest first; all must pass."""
    notes = STORE / f"{path.stem}.json"

    def job():
        from coverage import Coverage

        watch = Watch(Coverage(data_file=None, include=[str(path)]))
        watch.coverage.start()
        code = run(files, watch)
        watch.coverage.stop()
        lines = watch.coverage.get_data().contexts_by_lineno(str(path))
        notes.write_text(json.dumps([lines, sorted(watch.seconds.items(), key=lambda item: item[1])]))
        return code

    if forked(job):
        raise SystemExit(f"the tests fail without a mutant: run `pytest {' '.join(files)}`")
    lines, seconds = json.loads(notes.read_text())
    return {int(line): set(tests) for line, tests in lines.items()}, dict(seconds)


def parts(code):
    """Yield a code object and those inside it."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from parts(inner)


def trial(module, found, tree, report):
    """Try every mutant and report whether it survives."""
    path = ROOT / "boosttheory" / f"{module}.py"
    files = [f"tests/test_{name}" for name in TESTS[module]]
    lines, seconds = reach(path, files)
    inside, on_import = [], []
    for mutant in found:
        tests = set().union(*(lines.get(line, set()) for line in mutant.lines))
        if mutant.whenever or "" in tests:
            on_import.append(mutant)
        elif tests:
            inside.append((mutant, {test: spent for test, spent in seconds.items() if test in tests}))
        else:
            report(mutant, SURVIVES)

    def put(mutant, live):
        known = {
            (part.co_qualname, part.co_firstlineno): part for part in parts(compiled(mutant, tree, path))
        }
        for function in live:
            place = function.__code__
            function.__code__ = known[place.co_qualname, place.co_firstlineno]

    session = os.fork()  # so that this process goes on without the library
    if session == 0:
        run(files, Attempts(inside, path, put, report))
        os._exit(0)
    os.waitpid(session, 0)
    read = SourceFileLoader.get_code
    for mutant in on_import:

        def job(mutant=mutant):
            code = compiled(mutant, tree, path)
            SourceFileLoader.get_code = lambda self, name: (
                code if self.path == str(path) else read(self, name)
            )
            return run(files, UpToTheFirstFailure(seconds))

        report(mutant, forked(job, sum(seconds.values())))


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("modules", nargs="*", help=f"of {', '.join(TESTS)}; all by default")
    options.add_argument("--again", action="store_true", help="only what survived last time")
    chosen = options.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    os.chdir(ROOT)
    STORE.mkdir(parents=True, exist_ok=True)
    for name in HEAVY:
        importlib.import_module(name)
    failed, table = False, []
    for module in chosen.modules or TESTS:
        start, store, known = time.perf_counter(), STORE / f"{module}.txt", explained()[module]
        found, tree = mutants(module)
        if chosen.again:
            before = set(store.read_text().splitlines())
            found = [mutant for mutant in found if mutant.key in before]
        store.write_text("")

        def report(mutant, code, module=module, store=store, known=known):
            if code == SURVIVES:
                with store.open("a") as lines:
                    lines.write(mutant.key + "\n")
                if mutant.key not in known:
                    print(f"  survives: {module}.py:{mutant.lines[0]}: {mutant.key}", flush=True)

        trial(module, found, tree, report)
        alive = set(store.read_text().splitlines())
        stale = sorted(known.keys() - alive) if not chosen.again else []
        for key in stale:
            print(f"  killed, though mutants.toml explains it: {module}.py: {key}")
        failed |= bool(alive - known.keys()) or bool(stale)
        table.append(
            f"{module:13} {len(found):4} mutants, {len(found) - len(alive):4} killed, "
            f"{len(alive):3} survive, {len(alive - known.keys()):3} of them unexplained, "
            f"{time.perf_counter() - start:5.0f} s"
        )
        print(table[-1], flush=True)
    print("\n".join(["", *table]))
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
