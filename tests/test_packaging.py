"""Start-up is light, and the archives are the same bytes every time."""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
HEAVY = {"matplotlib", "sympy", "scipy", "sklearn", "pandas", "hypothesis"}
LIST = f"import sys; print(*sorted({HEAVY!r} & sys.modules.keys()))"


def python(*arguments):
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    return done.stdout


@pytest.mark.parametrize("module", ["boosttheory", "boosttheory.cli"])
def test_an_import_loads_nothing_heavy(module):
    assert python("-c", f"import {module}; {LIST}").strip() == ""


def test_the_probe_for_heavy_modules_sees_them():
    assert python("-c", f"import boosttheory.estimators; {LIST}").split()


@pytest.mark.skipif(not all(map(find_spec, ("build", "hatchling"))), reason="needs build and hatchling")
@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_archives_have_the_same_bytes_whenever_and_wherever_they_are_made(tmp_path):
    ignored = shutil.ignore_patterns(".git", ".venv", "__pycache__", "*.egg-info", "build", "dist")
    shutil.copytree(ROOT, tmp_path / "tree", ignore=ignored)
    ready = tmp_path / "ready"
    archives = []
    for name in ("first", "second"):
        source = tmp_path / name
        shutil.copytree(tmp_path / "tree", source, copy_function=shutil.copy)
        ready.mkdir(exist_ok=True)
        (ready / ".developed").touch()
        command = ["make", "-C", source, "dist", f"VENV={ready}", f"BIN={Path(sys.executable).parent}"]
        environment = os.environ | {"SOURCE_DATE_EPOCH": "1700000000"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        archives.append({path.name: path.read_bytes() for path in (source / "dist").iterdir()})
    assert sorted(name.rpartition(".")[2] for name in archives[0]) == ["gz", "whl"]
    assert archives[0] == archives[1]
