"""``boosttheory hunt``, on conjectures of a reader and on the ledger."""

import json
import re
from pathlib import Path

import fake_ledger
import pytest
from click.testing import CliRunner

from boosttheory.cli import main

PAGE = Path(__file__).resolve().parent.parent / "docs" / "hunt.md"
CONJECTURES = '''
"""Two conjectures."""

from fractions import Fraction

from hypothesis import strategies as st

from boosttheory.claims import Claim, Verdict


class Point(tuple):
    def certificate(self):
        return {"x": str(self[0]), "y": str(self[1])}


points = st.tuples(st.integers(0, 1000), st.integers(0, 1000)).map(Point)
claim = Claim("toy.hole", "none", "a conjecture", "no hole", "x", Verdict.NOT_CHECKED)
bowl = Claim("toy.bowl", "none", "a conjecture", "a bowl", "x", Verdict.NOT_CHECKED)
tired = Claim("toy.tired", "none", "a conjecture", "an interrupt", "x", Verdict.NOT_CHECKED)
calls = []


@claim.check("search", scope="a square", over=points)
def distance_from_the_hole(point):
    return abs(point[0] - 700) + abs(point[1] - 300) - 20


@bowl.check("search", scope="a square", over=points)
def height(point):
    return Fraction(point[0] + 1, 7)


@tired.check("search", scope="a square", over=points)
def until_interrupted(point):
    calls.append(point)
    if len(calls) > 25:
        raise KeyboardInterrupt
    return point[0] + 1
'''


@pytest.fixture
def ledger(tmp_path, monkeypatch):
    """Run in a fresh folder with the conjectures on the path."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    fake_ledger.forget()
    yield fake_ledger.write(tmp_path, conjectures=CONJECTURES)
    fake_ledger.forget()


def hunt(*words, code=0):
    done = CliRunner().invoke(main, ["hunt", "--ledger", "toy_ledger", *map(str, words)])
    assert done.exit_code == code, (done.output, done.exception)
    assert "Traceback" not in done.output
    return done


def test_a_counterexample_ends_the_hunt(ledger):
    done = hunt("toy.hole", "--budget", "30s", code=1)
    assert "toy.hole:distance_from_the_hole: a counterexample, margin -" in done.stdout
    assert "best case: (" in done.stdout
    kept = json.loads(Path("reports/hunts/toy.hole.distance_from_the_hole.json").read_text())
    assert kept["refuted"] is True
    assert int(kept["margin"]) < 0
    certificate = Path("reports/hunts/toy.hole.distance_from_the_hole.certificate.json")
    assert kept["best"] == "({x}, {y})".format(**json.loads(certificate.read_text()))


def test_nothing_found_and_resumed(ledger):
    first = json.loads(hunt("toy.bowl", "--budget", "1", "--json").stdout)
    assert first["margin"] == "1/7"
    assert first["refuted"] is False
    assert sum(first["ways"].values()) == first["cases"]
    second = json.loads(hunt("toy.bowl", "--budget", "1s", "--json").stdout)
    assert second["cases"] > first["cases"]
    assert second["seconds"] > first["seconds"]
    third = json.loads(hunt("toy.bowl", "--budget", "1s", "--json", "--fresh").stdout)
    assert third["seconds"] < second["seconds"]
    assert "no counterexample in" in hunt("toy.bowl", "--budget", "1s", "--check", "height").stdout


def test_a_changed_module_starts_the_hunt_anew(ledger):
    first = json.loads(hunt("toy.bowl", "--budget", "1", "--json").stdout)
    module = Path("toy_ledger/conjectures.py")
    module.write_text(module.read_text() + "\n# changed\n")
    done = hunt("toy.bowl", "--budget", "0.3", "--json")
    assert "its module changed since the last hunt; starting anew" in done.stderr
    assert json.loads(done.stdout)["seconds"] < first["seconds"]


def test_the_known_margin_is_shown(ledger):
    Path("rows.jsonl").write_text(
        json.dumps({"schema": 1, "claim": "toy.bowl", "check": None})
        + "\n"
        + json.dumps(
            {
                "schema": 1,
                "claim": "toy.bowl",
                "check": "height",
                "kind": "search",
                "refutes": False,
                "supports": True,
                "by_hand": [],
                "whole": False,
                "high": "2/7",
            }
        )
        + "\n"
    )
    done = hunt("toy.bowl", "--budget", "0.5s", "--rows", "rows.jsonl")
    assert "margin of the last check: 2/7" in done.stdout


def test_an_interrupt_keeps_the_best(ledger):
    done = hunt("toy.tired", "--budget", "60s", code=130)
    assert "interrupted; the best case so far is kept" in done.stderr
    kept = json.loads(Path("reports/hunts/toy.tired.until_interrupted.json").read_text())
    assert kept["cases"] == 25


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("toy.thm1",), "toy.thm1 has no strategy to draw cases from; add a check of kind 'search'"),
        (("toy.nothing",), "unknown claim id 'toy.nothing'"),
        (("toy",), "'toy' names several claims"),
        (("toy.bowl", "--check", "depth"), "toy.bowl has no check named 'depth'; it has height"),
        (("toy.bowl", "--budget", "0"), "'0' is no time above 0; write 90, 90s, 10m or 2h"),
        (("toy.bowl", "--budget", "0s"), "'0s' is no time above 0"),
        (("toy.bowl", "--budget", "soon"), "'soon' is no time above 0"),
        (("toy.bowl", "--budget", "-5"), "no time above 0"),
        (("toy.bowl", "--budget", "1", "--out", "toy_ledger/__init__.py"), "cannot write"),
    ],
)
def test_bad_input(ledger, words, message):
    assert message in hunt(*words, code=2).stderr


def test_a_broken_file_of_an_earlier_hunt(ledger):
    folder = Path("reports/hunts")
    folder.mkdir(parents=True)
    (folder / "toy.bowl.height.json").write_text("{}")
    assert "is no hunt over toy.bowl:height; remove it" in hunt("toy.bowl", "--budget", "1", code=2).stderr


def test_the_conjecture_of_the_page(tmp_path, monkeypatch):
    (conjecture,) = re.findall(r"```python\n(\"\"\".*?)```", PAGE.read_text(), re.S)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    fake_ledger.forget("conjectures")
    home = tmp_path / "conjectures"
    home.mkdir()
    (home / "__init__.py").touch()
    (home / "three_votes.py").write_text(conjecture)
    words = ["hunt", "mine.three", "--ledger", "conjectures", "--budget", "60s"]
    done = CliRunner().invoke(main, words)
    fake_ledger.forget("conjectures")
    assert done.exit_code == 1, (done.output, done.exception)
    assert "mine.three:examples_right_by_three_votes: a counterexample, margin -1" in done.stdout
