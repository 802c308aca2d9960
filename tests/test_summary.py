"""The end of a run says what was left out."""

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ELSEWHERE, remedy

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = """
import pytest

@pytest.mark.parametrize("n", [1, 2])
def test_page(n):
    pytest.skip("no chromium: make browser installs it")

def test_runs():
    pass
"""


def reasons():
    """Every reason for which a test may be skipped, read off the tests."""
    for path in sorted(ROOT.glob("tests/test_*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and path.name != Path(__file__).name:
                name = ast.unparse(node.func)
                if name == "pytest.importorskip" and isinstance(node.args[0], ast.Constant):
                    yield f"could not import {node.args[0].value!r}: No module named {node.args[0].value!r}"
                for word in [k.value for k in node.keywords if k.arg == "reason" and "skipif" in name] + (
                    node.args if name == "pytest.skip" else []
                ):
                    yield ast.unparse(word).strip("f'\"")


def test_there_is_a_command_for_every_reason():
    found = set(reasons())
    assert len(found) > 10
    unknown = {reason for reason in found if not remedy(reason)}
    assert unknown <= {"make is not installed", "could not import 'fcntl': No module named 'fcntl'"}


def test_the_commands_exist():
    makefile = (ROOT / "Makefile").read_text()
    for command in filter(None, [how for _, how in ELSEWHERE] + [remedy(reason) for reason in reasons()]):
        for target in re.search(r"make ([a-z ]+)$", command)[1].split():
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), command


@pytest.mark.parametrize(
    ("arguments", "slow", "expected"),
    [
        ([], "", {"make browser", "BOOSTTHEORY_SLOW=1 make test", *(how for _, how in ELSEWHERE)}),
        ([], "1", {"make browser", *(how for _, how in ELSEWHERE)}),
        (["tests/test_example.py"], "", {"make browser"}),
        (["tests/test_example.py", "-k", "runs"], "", set()),
    ],
    ids=["whole", "slow", "a file", "nothing left out"],
)
def test_a_run_ends_with_what_it_left_out(tmp_path, arguments, slow, expected):
    (tmp_path / "tests").mkdir()
    (tmp_path / "pytest.ini").write_text("[pytest]\ntestpaths = tests\n")
    (tmp_path / "tests" / "test_example.py").write_text(EXAMPLE)
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path / "tests")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments],
        cwd=tmp_path,
        env=os.environ | {"BOOSTTHEORY_SLOW": slow},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    _, _, summary = done.stdout.partition("= not run =")
    assert ("2 skipped: no chromium" in summary) == ("make browser" in expected)
    commands = {re.split(r"\s{2,}", line)[-1] for line in summary.splitlines()[1:] if "  " in line}
    assert commands == expected
