import json

import numpy as np
import pytest
from click.testing import CliRunner

from boosttheory import concepts
from boosttheory.cli import main
from boosttheory.concepts import box, six_cycle


def run(*words, code=0):
    done = CliRunner().invoke(main, ["class", *map(str, words)])
    assert done.exit_code == code, (done.output, done.exception)
    return done


@pytest.fixture
def file(tmp_path):
    def write(rows):
        path = tmp_path / "class.csv"
        path.write_text("".join(",".join(map(str, row)) + "\n" for row in rows))
        return path

    return write


def test_the_command_is_listed():
    assert " class " in CliRunner().invoke(main, ["--help"]).stdout


def test_the_six_cycle_as_text(file):
    text = run(file(["ab", "bb", "bc", "cc", "ca", "aa", "aa"])).stdout
    assert "6 patterns on 2 points over 3 labels (a, b, c); repeated rows dropped: 1" in text
    lines = [line.split() for line in text.splitlines()]
    assert ["DS", "1", "2", "0,", "1"] in [words[:5] for words in lines]
    assert ["Natarajan", "1", "1", "0"] in [words[:4] for words in lines]
    assert "out-degree of a 1-list orientation: 1; 6 patterns of density 1 allow no less" in text
    assert "out-degree of a 2-list orientation: 0" in text


def test_json_holds_the_witness(file):
    family = box([2, 2, 3])
    found = json.loads(run(file(family), "--json").stdout)
    assert (found["patterns"], found["points"], found["labels"]) == (12, 3, [0, 1, 2])
    values = {(d["notion"], d["k"]): d["value"] for d in found["dimensions"]}
    assert values["ds", 1] == values["natarajan", 1] == values["graph", 1] == 3
    assert values["ds", 2] == 1
    witness = next(d for d in found["dimensions"] if (d["notion"], d["k"]) == ("ds", 2))
    assert (witness["points"], witness["witness"]) == ([2], [[0], [1], [2]])
    assert [o["out_degree"] for o in found["orientations"]] == [2, 1]
    assert not found["interrupted"]


def test_two_labels_have_a_vc_dimension_and_k_is_optional(file):
    path = file(box([2, 2]))
    assert "VC" in run(path).stdout
    found = json.loads(run(path, "--json", "-k", 2, "-k", 5).stdout)
    assert {d["value"] for d in found["dimensions"] if d["k"] > 1} == {0}
    assert [o["k"] for o in found["orientations"]] == [2, 5]


def test_a_header_is_skipped_and_a_limit_shows(file):
    path = file([("x", "y"), (0, 0), (0, 1), (1, 0), (1, 1)])
    assert "4 patterns on 2 points over 2 labels (0, 1)" in run(path, "--header").stdout
    assert ">= 1" in run(path, "--header", "--at-most", 1).stdout
    assert "raise it, or pass at_most" in run(path, "--header", "--budget", 1).stdout


@pytest.mark.parametrize(
    ("rows", "sentence"), [([], "holds no pattern"), ([(0, 1), (0,)], "line 2: 1 labels")]
)
def test_bad_files_are_one_sentence(file, rows, sentence):
    done = run(file(rows), code=2)
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not done.stdout


def test_one_point_and_one_label(file):
    assert "1 patterns on 1 points over 1 labels (a)" in run(file(["a"])).stdout


def test_an_interrupt_reports_what_is_known(file, monkeypatch):
    path = file(six_cycle())
    calls = iter(range(3))

    def shattered(*args, original=concepts._Search.shattered):
        if next(calls, None) is None:
            raise KeyboardInterrupt
        return original(*args)

    monkeypatch.setattr(concepts._Search, "shattered", shattered)
    done = run(path, "--json", code=130)
    found = json.loads(done.stdout)
    assert found["interrupted"]
    assert not found["dimensions"][-1]["complete"]
    assert not found["orientations"]


def test_a_large_file_is_answered(file):
    rows = concepts.random_class(2000, 12, 3, np.random.default_rng(0)).patterns.tolist()
    found = json.loads(run(file(rows), "--json", "-k", 2, "--budget", 10**8).stdout)
    assert next(d for d in found["dimensions"] if d["notion"] == "ds")["value"] == 5
    assert next(d for d in found["dimensions"] if d["notion"] == "graph")["value"] is None
