"""Claims, mutants and rescues are pytest items, with and without an ini file."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from fake_ledger import write

ROOT = Path(__file__).resolve().parent.parent

WEAK = """
from boosttheory.claims import Claim

claim = Claim("toy.thm3", "p", "Theorem 3", "Weak", "s", expect="holds on every case", expect_slow="refuted")


class TestLike:
    def __new__(cls):
        raise AssertionError("not for pytest")


def test_like():
    raise AssertionError("not for pytest")


@claim.check("exhaustive", scope="one", slow_scope="all", over=[5, 7], slow_over=[5, 7, -5])
def number(x, *, shift=0):
    return x - shift


number.mutant("shift one", shift=1)
number.mutant("shift six", shift=6)
number.mutant("shift nine, too coarse", shift=9)


@claim.check("exhaustive", scope="two", over=[2, 4], slow_only=True)
def slow_number(x, *, shift=0):
    return x - shift


slow_number.mutant("shift three", shift=3)
"""


@pytest.fixture
def package(tmp_path):
    home = tmp_path / write(tmp_path, thm3_weak=WEAK)
    shutil.copy(ROOT / "proofs_checks" / "conftest.py", home)
    return tmp_path


def pytest_in(folder, *arguments, **variables):
    environment = os.environ | {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA", *arguments]
    (folder / "empty").mkdir(exist_ok=True)
    done = subprocess.run(
        command,
        cwd=folder / "empty",
        env=environment | variables,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stdout + done.stderr


def fate(output, name):
    return [line.split()[0] for line in output.splitlines() if line.partition(" - ")[0].endswith(f"::{name}")]


@pytest.mark.parametrize("how", [["../toy_ledger"], ["--pyargs", "toy_ledger"]], ids=["by path", "by name"])
def test_every_claim_and_variant_is_an_item(package, how):
    code, output = pytest_in(package, *how)
    assert code == 1
    for name in (
        "toy.thm1[claim]",
        "square_is_not_negative[not: the cube]",
        "square_exceeds[rescue: not strictly]",
        "toy.thm2.weak[repaired]",
        "toy.open[bare]",
        "number[not: shift six]",
    ):
        assert fate(output, name) == ["PASSED"]
    for name in ("number[not: shift one]", "number[not: shift nine, too coarse]"):
        assert fate(output, name) == ["FAILED"]
    assert "2 failed, 12 passed" in output
    assert "not for pytest" not in output
    assert "slow_number" not in output


@pytest.mark.parametrize("how", [["../toy_ledger"], ["--pyargs", "toy_ledger"]], ids=["by path", "by name"])
def test_selection_by_file(package, how):
    code, output = pytest_in(package, *how, "-k", "thm1")
    assert code == 0
    assert "3 passed" in output


def test_a_file_named_on_the_command_line_is_collected_once(package):
    code, output = pytest_in(package, "../toy_ledger/thm1_squares.py")
    assert code == 0
    assert "3 passed" in output


def test_slow_checks(package):
    options = [("../toy_ledger", "--slow"), {}], [("--pyargs", "toy_ledger"), {"BOOSTTHEORY_SLOW": "1"}]
    for arguments, variables in options:
        code, output = pytest_in(package, *arguments, "-k", "thm3", **variables)
        assert code == 1
        assert fate(output, "toy.thm3[claim]") == ["PASSED"]
        assert fate(output, "slow_number[not: shift three]") == ["PASSED"]
        assert "2 failed, 3 passed" in output
