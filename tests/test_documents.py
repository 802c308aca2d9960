"""The texts at the root: their examples run, their facts agree with the package."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

from boosttheory import __version__
from boosttheory.claims import Verdict, load
from boosttheory.papers import PAPERS
from boosttheory.rows import run, surprises

ROOT = Path(__file__).resolve().parent.parent


def python_block(name, which=0):
    return re.findall(r"```python\n(.*?)```", (ROOT / name).read_text(), re.DOTALL)[which]


@pytest.mark.parametrize(
    ("page", "package", "file", "checks"),
    [
        ("CONTRIBUTING.md", "worked.triplet", "lem0_means.py", 2),
        ("docs/add_a_theorem.md", "ours.freund1997", "eq3_powers.py", 1),
    ],
)
def test_the_worked_theorems_are_complete(tmp_path, monkeypatch, page, package, file, checks):
    home = tmp_path / package.replace(".", "/")
    home.mkdir(parents=True)
    (home.parent / "__init__.py").touch()
    (home / "__init__.py").touch()
    (home / file).write_text(python_block(page))
    monkeypatch.syspath_prepend(tmp_path)
    ledger = load(package.split(".")[0])
    rows = run(ledger)
    assert list(ledger) == [f"{package.split('.')[1]}.{file.split('_')[0]}"]
    assert len(rows) == checks
    assert surprises(ledger, rows) == []
    assert [row["coarse"] for row in rows] == [[]] * checks


@pytest.fixture
def answers(tmp_path, monkeypatch):
    points, labels = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    i, j, k = rows = np.unique(rng.integers(150, size=(3, 20_000)), axis=1)
    near, far = (np.linalg.norm(points[i] - points[other], axis=1) for other in (j, k))
    kept = rows.T[(near < far) & (i != j)]
    head = {"fmt": "flower%d", "delimiter": ",", "comments": "", "header": "object,closer,farther"}
    np.savetxt(tmp_path / "answers.csv", kept, **head)
    lines = [f"flower{n},{'abc'[label]}\n" for n, label in enumerate(labels)]
    (tmp_path / "labels.csv").write_text("object,species\n" + "".join(lines))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("which", [0, 1])
def test_the_classifiers_of_the_readme(which, answers, capsys):
    exec(compile(python_block("README.md", which), "README.md", "exec"), {})
    assert float(capsys.readouterr().out.split()[0]) > 0.9


def boosttheory(*arguments):
    command = [sys.executable, "-c", "from boosttheory.cli import main; main()", *arguments]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_commands_of_the_readme(answers):
    fitted = boosttheory(
        "fit", "answers.csv", "--labels", "labels.csv", "--model", "model.npz", "--rounds", "100"
    )
    assert "TripletBoost" in fitted
    (answers / "new_answers.csv").write_text("object,closer,farther\nnew,flower1,flower120\n")
    (shown,) = re.findall(
        r"^150 objects:.*?model.npz$", (ROOT / "README.md").read_text(), re.DOTALL | re.MULTILINE
    )
    for line in shown.splitlines():
        assert re.split(r"[\d:]|  ", line)[0] in fitted
    boosttheory("predict", "model.npz", "new_answers.csv", "--out", "predictions.csv")
    assert "new," in (answers / "predictions.csv").read_text()


def test_the_readme_explains_every_verdict():
    text = (ROOT / "README.md").read_text()
    assert [str(verdict) for verdict in Verdict if str(verdict) not in text] == []


def test_links_lead_somewhere():
    for document in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text()):
            assert (document.parent / target).exists(), f"{document.name}: {target}"


def test_citation():
    text = (ROOT / "CITATION.cff").read_text()
    assert f"version: {__version__}\n" in text
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"] == __version__
    for paper in PAPERS.values():
        assert paper.title in text
        assert all(name.split()[-1] in text for name in paper.authors)
    yaml = pytest.importorskip("yaml")
    assert len(yaml.safe_load(text)["references"]) == len(PAPERS)


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_the_makefile_lists_its_targets():
    done = subprocess.run(["make", "-C", str(ROOT)], capture_output=True, text=True, timeout=60)
    for target in ("report", "test", "lint", "types", "check", "slow", "bench", "clean"):
        assert f"make {target}" in done.stdout
