import json
import os
import subprocess
import sys
from pathlib import Path

import fake_ledger
import pytest
from click.testing import CliRunner

from boosttheory import __version__
from boosttheory.cli import main
from boosttheory.rows import read_rows


@pytest.fixture
def ledger(tmp_path, monkeypatch):
    """Run in a fresh folder with a small ledger on the path."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    fake_ledger.forget()
    yield fake_ledger.write(tmp_path)
    fake_ledger.forget()


def run(*words, code=0):
    """Run a command in this process; what it prints never holds a traceback."""
    done = CliRunner().invoke(main, [str(word) for word in words])
    assert done.exit_code == code, (done.output, done.exception)
    assert "Traceback" not in done.output
    return done


def check(*words, code=0):
    return run("check", "--ledger", "toy_ledger", "--jobs", 1, *words, code=code)


def explain(*words, code=0):
    return run("explain", "--ledger", "toy_ledger", *words, code=code)


def one_sentence(done):
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_help_and_version_load_no_heavy_module():
    program = (
        "import sys; from boosttheory.cli import main\n"
        "for words in (['-h'], ['--version'], ['check', '-h'], ['report', '-h'], ['explain', '-h']):\n"
        "    try: main(words)\n"
        "    except SystemExit as end: assert end.code == 0\n"
        "heavy = {'numpy', 'scipy', 'sympy', 'sklearn', 'matplotlib', 'pandas', 'rich', 'jinja2', 'joblib'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert __version__ in done.stdout
    for name in ("check", "explain", "report"):
        assert f"\n  {name} " in done.stdout


def test_check_writes_rows_and_prints_each_verdict_with_reading_scope_and_count(ledger):
    done = check()
    for words in (
        "holds on every case (as printed)",
        "refuted (as printed)",
        "conforms (canonical reading)",
        "not checked (as printed)",
        "exhaustive, 9 cases: x in [-2, 2] by halves",
        "2/2",
    ):
        assert words in done.stdout
    assert (
        "4 statements: 2 holds on every case, 1 refuted, 1 not checked; 1 algorithm: 1 conforms"
        in done.stderr
    )
    rows = read_rows("reports/rows.jsonl")
    assert [row["claim"] for row in rows] == ["toy.thm1", "toy.thm2", "toy.thm2.weak", "toy.alg1", "toy.open"]


def test_check_json_is_one_row_a_line(ledger):
    done = check("toy.thm1", "--json")
    (row,) = map(json.loads, done.stdout.splitlines())
    assert row["claim"] == "toy.thm1"
    assert row == read_rows("reports/rows.jsonl")[0]


def test_check_of_some_claims_keeps_the_rows_of_the_others(ledger, tmp_path):
    check()
    before = (tmp_path / "reports/rows.jsonl").read_text()
    check("toy.alg1", "--seed", 3)
    rows = {row["claim"]: row for row in read_rows("reports/rows.jsonl")}
    assert list(rows) == ["toy.thm1", "toy.thm2", "toy.thm2.weak", "toy.alg1", "toy.open"]
    assert rows["toy.alg1"]["seed"] == 3
    assert rows["toy.thm1"]["seed"] == 0
    gone = json.loads(before.splitlines()[0]) | {"claim": "toy.gone"}
    with open("reports/rows.jsonl", "a") as file:
        file.write(json.dumps(gone) + "\n")
    check("toy.thm1")
    assert "toy.gone" not in {row["claim"] for row in read_rows("reports/rows.jsonl")}


def test_check_of_a_family_runs_parts_and_repairs(ledger):
    done = check("toy.thm2.*", "--json")
    assert [json.loads(line)["claim"] for line in done.stdout.splitlines()] == ["toy.thm2", "toy.thm2.weak"]


def test_check_fails_on_a_surprise(ledger, tmp_path):
    text = fake_ledger.THM1.replace("HOLDS_ON_EVERY_CASE", "PROVED").replace("shift=1", "shift=-1")
    fake_ledger.write(tmp_path, thm1_squares=text)
    done = check("toy.thm1", code=1)
    assert "surprise: toy.thm1: the verdict is 'holds on every case', expected 'proved'" in done.stderr
    assert "surprise: toy.thm1:square_is_not_negative: the false variant 'one below' survives" in done.stderr
    assert "1/2" in done.stdout


def test_check_list_runs_nothing(ledger, tmp_path):
    assert check("--list").stdout.splitlines()[0].split() == [
        *("toy.thm1", "statement", "Theorem", "1,", "Section", "1:", "Squares")
    ]
    assert json.loads(check("--list", "--json").stdout.splitlines()[0])["expect"] == "holds on every case"
    assert not (tmp_path / "reports").exists()


def test_bad_input_is_one_sentence(ledger, tmp_path):
    assert "did you mean 'toy.thm2'" in one_sentence(check("toy.thmm2", code=2))
    assert "nowhere" in one_sentence(run("check", "--ledger", "nowhere", code=2))
    (tmp_path / "file").touch()
    assert "choose another place with --out" in one_sentence(check("--out", "file/rows.jsonl", code=2))
    assert "it is a folder" in one_sentence(check("--out", tmp_path, code=2))
    (tmp_path / "broken.jsonl").write_text('{"claim": 1')
    assert "broken.jsonl, line 1" in one_sentence(check("toy.thm1", "--out", "broken.jsonl", code=2))
    assert (tmp_path / "broken.jsonl").read_text() == '{"claim": 1'
    assert "--jobs" in check("--jobs", 0, code=2).stderr
    assert "names 2 claims" in one_sentence(explain("toy.thm2.*", code=2))


def test_a_check_that_raises_is_a_surprise_and_the_others_still_run(ledger, tmp_path):
    fake_ledger.write(tmp_path, thm1_squares=fake_ledger.THM1.replace("range(-4, 5)", "range(0)"))
    done = check(code=1)
    assert "toy.thm1:square_is_not_negative failed with ValueError" in done.stderr
    assert "vacuous" in done.stderr
    assert "the verdict is 'inconclusive', expected 'holds on every case'" in done.stderr
    rows = {row["claim"]: row for row in read_rows("reports/rows.jsonl")}
    assert list(rows) == ["toy.thm1", "toy.thm2", "toy.thm2.weak", "toy.alg1", "toy.open"]
    assert rows["toy.thm2.weak"]["supports"]
    assert (rows["toy.thm1"]["cases"], rows["toy.thm1"]["supports"]) == (0, False)
    assert run("report", "--out", tmp_path / "page.html").exit_code == 0


def test_explain_tells_all(ledger):
    text = explain("toy.thm1").stdout
    for words in (
        r"x^2 \ge 0",
        r"x \in \mathbb{Q}",
        "holds on every case (as printed), run just now",
        "mutant: the cube: killed by -2",
        "tightness: 0",
        "The square of x.",
        "toy_ledger/thm1_squares.py:",
        "used by: toy.thm2",
    ):
        assert words in text
    assert "repaired by: toy.thm2.weak" in explain("toy.thm2").stdout
    assert "rescue: not strictly: holds on the witness" in explain("toy.thm2").stdout


def test_explain_uses_rows_of_the_present_source_only(ledger, tmp_path):
    check()
    assert json.loads(explain("toy.thm1", "--json").stdout)["source"] == "from reports/rows.jsonl"
    home = tmp_path / "toy_ledger/thm1_squares.py"
    home.write_text(home.read_text() + "# changed\n")
    told = json.loads(explain("toy.thm1", "--json").stdout)
    assert told["source"] == "run just now"
    assert told["verdict"] == "holds on every case"
    assert told["used_by"] == ["toy.thm2"]
    assert told["command"] == "boosttheory check toy.thm1 --ledger toy_ledger"


def test_a_ledger_in_the_working_folder(tmp_path):
    fake_ledger.write(tmp_path)
    program = [sys.executable, "-c", "import sys; sys.path.pop(0); from boosttheory.cli import main; main()"]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parent.parent)}
    for name, code in (("toy_ledger", 0), ("absent", 2)):
        done = subprocess.run(
            [*program, "explain", "--ledger", name, "toy.thm1"],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == code, done.stderr
        assert ("is no package" in done.stderr) == bool(code)
