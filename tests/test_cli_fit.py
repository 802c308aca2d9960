"""The commands fit, predict and plan: files, JSON, exit codes, and the pages that show them."""

import doctest
import importlib.util
import json
import os
import re
import shlex
import shutil
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from boosttheory.cli import main

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("BOOSTTHEORY_DATA", ROOT.parent / "shared" / "data"))
CENTRAL = ["--answer", "most_central", "--columns", "a,b,c", "--response", "chosen"]
EMBEDS = all(map(importlib.util.find_spec, ("cblearn", "sparse", "numba")))


def run(*args):
    return CliRunner().invoke(main, list(map(str, args)), env={"COLUMNS": "160"})


def good(*args):
    result = run(*args)
    assert result.exit_code == 0, result.output
    return result


def bad(message, *args):
    result = run(*args)
    assert result.exit_code == 2, result.output
    assert re.search(message, result.stderr), result.stderr
    assert "Traceback" not in result.output
    assert result.stdout == ""


def write_study(folder, objects, name, rows=1500, seed=0):
    """Answers "which of three is most central" about points on a line, two classes far apart."""
    rng = np.random.default_rng(seed)
    lines = ["who,chosen,a,b,c"]
    for _ in range(rows):
        three = rng.choice(list(objects), 3, replace=False).tolist()
        middle = sorted(three, key=objects.get)[1]
        inner = min((o for o in three if o != middle), key=lambda o: abs(objects[o] - objects[middle]))
        chosen = middle if rng.random() < 0.9 else inner
        lines.append(",".join([str(rng.integers(12)), chosen, *three]))
    (folder / name).write_text("\n".join(lines) + "\n")


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    objects = {f"o{i:02}": i + 30.0 * (i >= 12) for i in range(24)}
    write_study(folder, objects, "answers.csv")
    lines = ["name,genre,size"] + [f"{o},{'big' if x > 20 else 'small'},{x}" for o, x in objects.items()]
    (folder / "labels.csv").write_text("\n".join(lines) + "\n")
    write_study(folder, objects | {"new1": 3.5, "new2": 50.5}, "more.csv", seed=1)
    return folder


@pytest.fixture(scope="module")
def trained(study):
    model = study / "model.npz"
    effort = ("--rounds", 200, "--cv", 0, "--model", model)
    good("fit", study / "answers.csv", "--labels", study / "labels.csv", *CENTRAL, *effort)
    return model


def test_fit_as_json(study):
    columns = ("--id", "name", "--class", "genre", "--groups", "who")
    effort = ("--rounds", 100, "--bootstrap", 5, "--cv", 4)
    result = good(
        "fit", study / "answers.csv", "--labels", study / "labels.csv", *CENTRAL, *columns, *effort, "--json"
    )
    report = json.loads(result.stdout)
    assert report["objects"] == 24
    assert report["classes"] == {"big": 12, "small": 12}
    assert report["answers"] == 1500
    assert report["counted_from"] == "n(n−1)(n−2)/2"
    assert report["proportion"] == pytest.approx(report["triplets"] / (24 * 23 * 22 / 2))
    assert 0 < report["flip_rate"]["rate"] < 0.2
    assert report["dropped"]["contradictions"] > 0
    methods = {method["method"]: method for method in report["methods"]}
    assert methods["majority class"]["accuracy"] == 0.5
    assert methods["TripletBoost"]["accuracy"] > 0.8
    low, high = methods["TripletBoost"]["interval"]
    assert low < methods["TripletBoost"]["accuracy"] <= high
    assert report["bootstrap"]["groups"] == 12
    assert report["bootstrap"]["replicates"] == 5
    assert report["model"]["training_accuracy"] == 1
    assert any("depends on the distances" in text for text in report["warnings"])
    assert any("contradictory" in text for text in report["warnings"])
    assert "depends on the distances" in result.stderr


@pytest.mark.parametrize("engine", ["auto", "numpy", "numba"])
def test_engine_is_named_with_its_reason(study, engine, monkeypatch):
    args = (
        "fit",
        study / "answers.csv",
        "--labels",
        study / "labels.csv",
        *CENTRAL,
        "--cv",
        0,
        "--rounds",
        50,
    )
    if engine == "numba" and importlib.util.find_spec("numba") is None:
        pytest.skip("numba is not installed")
    model = json.loads(good(*args, "--engine", engine, "--json").stdout)["model"]
    assert model["engine"].startswith(
        "numpy: 50 rounds end before" if engine == "auto" else f"{engine}: as asked"
    )
    assert f"engine: {model['engine']}" in good(*args, "--engine", engine).stdout
    monkeypatch.setattr("boosttheory.engines.find_spec", lambda name: None)
    if engine == "numba":
        sentence = (
            r"engine='numba' needs numba, which is not installed; run pip install 'boosttheory\[fast\]'"
        )
        bad(sentence, *args, "--engine", engine)


def test_fit_for_people(study):
    out = good(
        "fit", study / "answers.csv", "--labels", study / "labels.csv", *CENTRAL, "--rounds", 50
    ).stdout
    assert "24 objects: big 12, small 12" in out
    assert re.search(r"TripletBoost +\d+\.\d %", out)
    assert "majority class" in out
    assert ("t-STE" in out) == EMBEDS


def test_seeds_fix_everything(study):
    args = (
        "fit",
        study / "answers.csv",
        "--labels",
        study / "labels.csv",
        *CENTRAL,
        "--rounds",
        50,
        "--json",
    )

    def report(seed):
        found = json.loads(good(*args, "--seed", seed).stdout)
        for method in found["methods"]:
            del method["seconds"]
        return found

    assert report(1) == report(1) != report(2)


def test_predict(study, trained, tmp_path):
    result = good("predict", trained, study / "more.csv", *CENTRAL, "--json")
    found = json.loads(result.stdout)
    assert found["predictions"] == [
        {"object": "new1", "class": "small", "abstained": False},
        {"object": "new2", "class": "big", "abstained": False},
    ]
    assert found["dropped"]["as_reference"] > 0
    assert "use a test object as reference" in result.stderr
    assert good("predict", trained, study / "more.csv", *CENTRAL).stdout.split()[-4:] == [
        "new1",
        "small",
        "new2",
        "big",
    ]
    good("predict", trained, study / "more.csv", *CENTRAL, "--out", tmp_path / "p.csv")
    assert (tmp_path / "p.csv").read_text() == "object,class,abstained\nnew1,small,0\nnew2,big,0\n"


def test_answers_without_names(tmp_path):
    rng = np.random.default_rng(0)
    place = np.arange(20) + 40 * (np.arange(20) >= 10)
    rows = rng.integers(20, size=(3000, 3))
    rows = rows[(rows[:, 0] != rows[:, 1]) & (rows[:, 0] != rows[:, 2]) & (rows[:, 1] != rows[:, 2])]
    near = abs(place[rows[:, 0]] - place[rows[:, 1]]) < abs(place[rows[:, 0]] - place[rows[:, 2]])
    rows = np.where(near[:, None], rows, rows[:, [0, 2, 1]])
    known = (rows < 18).all(axis=1)
    np.savetxt(tmp_path / "seen.csv", rows[known] + 1, "%d", ",")
    np.savetxt(tmp_path / "new.csv", rows[(rows[:, 0] >= 18)] + 1, "%d", ",")
    labels = "".join(f"{i + 1}\t{'far' if i >= 10 else 'close'}\n" for i in range(18))
    (tmp_path / "labels.tsv").write_text("object\tclass\n" + labels)
    effort = ("--rounds", 200, "--cv", 0, "--model", tmp_path / "m.npz")
    good("fit", tmp_path / "seen.csv", "--labels", tmp_path / "labels.tsv", *effort)
    found = json.loads(good("predict", tmp_path / "m.npz", tmp_path / "new.csv", "--json").stdout)
    assert [(p["object"], p["class"]) for p in found["predictions"]] == [("19", "far"), ("20", "far")]


def test_objects_without_labels_are_left_out(study, tmp_path):
    text = (study / "labels.csv").read_text().splitlines()
    (tmp_path / "part.csv").write_text("\n".join(text[:-2]) + "\n")
    result = good(
        "fit", study / "answers.csv", "--labels", tmp_path / "part.csv", *CENTRAL, "--rounds", 20, "--json"
    )
    report = json.loads(result.stdout)
    assert report["objects"] == 22
    assert report["answers"] < 1500
    assert "answers with an object that has no label, left out" in result.stderr


def test_vote_counts(study, tmp_path):
    rng = np.random.default_rng(0)
    lines = ["i,j,k,for,against"]
    for _ in range(800):
        i, j, k = rng.choice(24, 3, replace=False)
        near, far = sorted(
            (j, k), key=lambda other: abs(int(other) - int(i)) + 30 * ((other < 12) != (i < 12))
        )
        lines.append(f"o{i:02},o{near:02},o{far:02},{rng.binomial(3, 0.8)},{rng.binomial(3, 0.2)}")
    (tmp_path / "votes.csv").write_text("\n".join(lines) + "\n")
    options = ("--columns", "i,j,k", "--votes", "for,against", "--rounds", 100, "--json")
    report = json.loads(
        good("fit", tmp_path / "votes.csv", "--labels", study / "labels.csv", *options).stdout
    )
    assert report["flip_rate"]["rate"] == pytest.approx(0.2, abs=0.03)
    assert report["flip_rate"]["low"] < 0.2 < report["flip_rate"]["high"]
    assert report["methods"][0]["accuracy"] > 0.7


LABELS = {
    "missing column": (
        "object,class\no00,x\n",
        ["--class", "genre"],
        "has no column 'genre'; it has object, class",
    ),
    "short line": ("object,class\no00,x\no01\n", [], "line 3: no class; mend the line"),
    "twice": ("object,class\no00,x\no00,y\n", [], "line 3: object 'o00' is there twice"),
    "one column": ("object\no00\n", [], "needs a header and two columns"),
    "no CSV": (f"object,class\no00,x\no01,{'y' * 200_000}\n", [], "line 3: field larger than field limit"),
    "empty": ("", [], "needs a header and two columns"),
    "no objects": ("object,class\n", [], "holds no objects"),
    "others": ("object,class\nzebra,x\nape,y\n", [], "no answer has three objects with labels"),
    "one class": ("object,class\no00,x\no01,x\no02,x\n", [], "y holds one class only"),
}


@pytest.mark.parametrize("case", LABELS)
def test_bad_labels(study, tmp_path, case):
    text, options, message = LABELS[case]
    (tmp_path / "labels.csv").write_text(text)
    bad(message, "fit", study / "answers.csv", "--labels", tmp_path / "labels.csv", *CENTRAL, *options)


def test_bad_input_of_fit(study, tmp_path):
    labels = ("--labels", study / "labels.csv")
    bad("no file", "fit", tmp_path / "none.csv", *labels)
    bad("No such file", "fit", study / "answers.csv", "--labels", tmp_path / "none.csv", *CENTRAL)
    bad("nowhere", "fit", study / "answers.csv", *labels, *CENTRAL[:-1], "nowhere")
    bad("n_rounds=0 leaves nothing", "fit", study / "answers.csv", *labels, *CENTRAL, "--rounds", 0)
    bad("n_splits=1", "fit", study / "answers.csv", *labels, *CENTRAL, "--cv", 1, "--rounds", 5)
    bad(
        "n_splits=25 exceeds the 24",
        "fit",
        study / "answers.csv",
        *labels,
        *CENTRAL,
        "--cv",
        25,
        "--rounds",
        5,
    )
    bad(
        "cannot write .* with --model",
        "fit",
        study / "answers.csv",
        *labels,
        *CENTRAL,
        "--rounds",
        5,
        "--model",
        tmp_path,
    )
    (tmp_path / "broken.csv").write_text("who,chosen,a,b,c\n1,x,x,y,z\n1,x,x,y\n")
    bad("3", "fit", tmp_path / "broken.csv", *labels, *CENTRAL)
    (tmp_path / "latin.csv").write_bytes("object,class\no00,gr\xfcn\n".encode("latin-1"))
    bad("latin.csv", "fit", study / "answers.csv", "--labels", tmp_path / "latin.csv", *CENTRAL)
    (tmp_path / "empty.csv").write_text("who,chosen,a,b,c\n")
    bad("empty.csv", "fit", tmp_path / "empty.csv", *labels, *CENTRAL)


def test_bad_input_of_predict(study, trained, tmp_path):
    bad("none.npz: No such file", "predict", tmp_path / "none.npz", study / "more.csv", *CENTRAL)
    bad("no whole TripletBoost model", "predict", study / "more.csv", study / "more.csv", *CENTRAL)
    bad("holds no object other than", "predict", trained, study / "answers.csv", *CENTRAL)


def test_plan_triplets():
    plan = json.loads(good("plan", "triplets", "--objects", 800, "--triplets", 50000, "--json").stdout)
    assert plan["possible"] == 255_040_800
    assert plan["needed"] < plan["needed_pairs"] < plan["needed_votes"]
    assert plan["simulation"] is None
    assert "necessary, not sufficient" in plan["note"]
    out = good("plan", "triplets", "--objects", 800, "--triplets", 50000).stdout
    for text in (
        "n(n−1)(n−2)/2",
        "(1 − p + p(1 − p)^(n−2))^C",
        "without looking",
        "(1 − p)^D",
        "35,219",
        "necessary",
    ):
        assert text in out
    simulated = [
        "plan",
        "triplets",
        "--objects",
        30,
        "--triplets",
        900,
        "--classes",
        3,
        "--simulate",
        "--rounds",
        100,
    ]
    study = json.loads(good(*simulated, "--repetitions", 2, "--json").stdout)["simulation"]
    assert study["low"] <= study["accuracy"] <= study["high"]
    assert "simulated, 10 studies in 3 clusters" in good(*simulated).stdout


def test_plan_accuracy_on_answers(study):
    args = [
        "plan",
        "accuracy",
        study / "answers.csv",
        "--labels",
        study / "labels.csv",
        *CENTRAL,
        "--rounds",
        50,
    ]
    found = json.loads(good(*args, "--target", 0.7, "--json").stdout)
    assert found["curve"][-1]["answers"] == 1500
    assert found["reached_at"] in [point["answers"] for point in found["curve"]]
    assert not found["beyond"]
    beyond = json.loads(good(*args, "--target", 1, "--cv", 12, "--seed", 3, "--json").stdout)
    assert beyond["beyond"] == (beyond["reached_at"] is None)
    hard = good(*args, "--target", 1.0, "--rounds", 1).stdout
    assert "lies beyond your data: with all 1,500 answers" in hard
    assert "Nothing is extrapolated" in hard


def test_plan_accuracy_by_simulation():
    args = ["plan", "accuracy", "--objects", 20, "--classes", 2, "--rounds", 50, "--repetitions", 2]
    found = json.loads(good(*args, "--target", 0.55, "--json").stdout)
    assert found["unit"] == "triplets"
    out = good(*args, "--target", 1, "--noise", 0.5).stdout
    assert "lies beyond what was simulated: with all 3,420 triplets" in out


def test_bad_plans(study):
    bad("triplets=999: 4 objects have 12", "plan", "triplets", "--objects", 4, "--triplets", 999)
    bad("objects=1", "plan", "triplets", "--objects", 1, "--triplets", 9)
    bad("target=7.0 is no accuracy", "plan", "accuracy", "--objects", 9, "--target", 7)
    bad("--labels", "plan", "accuracy", study / "answers.csv", "--target", 0.5)
    bad("--objects", "plan", "accuracy", "--target", 0.5)


def test_faces_are_read_by_options(tmp_path):
    answers = DATA / "faces36" / "faces36_triplets.csv"
    if not answers.exists():
        pytest.skip("the folder faces36 is not there")
    # the data have no classes; these are made up
    (tmp_path / "labels.csv").write_text("face,half\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(36)))
    args = [
        "--columns",
        "head,winner,loser",
        "--groups",
        "participant",
        "--rounds",
        50,
        "--bootstrap",
        2,
        "--json",
    ]
    report = json.loads(good("fit", answers, "--labels", tmp_path / "labels.csv", *args).stdout)
    assert report["answers"] == 39_468
    assert report["bootstrap"]["groups"] == 39
    assert 0.1 < report["flip_rate"]["rate"] < 0.4


def blocks(page):
    """Yield the commands of a page and what it says they print."""
    for block in re.findall(
        r"```console\n(.*?)```", (ROOT / "docs" / page).read_text(encoding="utf-8"), re.S
    ):
        for part in block.split("$ ")[1:]:
            line, _, output = re.sub(r"\\\n\s*", "", part).partition("\n")
            yield shlex.split(line)[1:], output


def shown(text):
    """Strip what may differ between machines: times, layout, and a baseline that is not installed."""
    lines = (
        re.sub(r"(95 % over objects +Abstained|%  +\d+)  +[\d.s]+$", r"\1", line)
        for line in text.splitlines()
    )
    lines = (" ".join(line.split()) for line in lines if "t-STE" not in line)
    return [line for line in lines if line]


def test_python_of_the_page_runs():
    assert doctest.testfile(str(ROOT / "docs" / "fit.md"), module_relative=False).failed == 0


@pytest.mark.parametrize("page", ["fit.md", "plan.md"])
def test_pages_show_what_the_commands_print(page, tmp_path, monkeypatch):
    car60 = DATA / "car60"
    monkeypatch.chdir(tmp_path)
    if car60.exists():
        for name in ("survey_data.csv", "classes.csv"):
            shutil.copy(car60 / name, tmp_path)
        lines = Path("classes.csv").read_text().splitlines()
        Path("known.csv").write_text("\n".join(lines[:-4]) + "\n")
    ran = 0
    for args, output in blocks(page):
        if any(arg.endswith(".csv") for arg in args) and not car60.exists():
            continue
        ran += 1
        assert shown(good(*args).stdout) == shown(output)
    if not ran:
        pytest.skip("the folder car60 is not there")


def test_a_header_of_names_is_told_from_an_answer(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    place = "abcdef".index
    rows = [
        f"{i},{j},{k}"
        for i, j, k in permutations("abcdef", 3)
        if abs(place(i) - place(j)) < abs(place(i) - place(k))
    ]
    Path("with.csv").write_text("\n".join(["object,closer,farther", *rows]))
    Path("without.csv").write_text("\n".join(rows))
    Path("labels.csv").write_text("o,c\na,x\nb,x\nc,x\nd,y\ne,y\nf,y\n")
    options = ("--labels", "labels.csv", "--cv", 0, "--rounds", 30, "--model", "m.npz")
    with_header, without = (good("fit", name, *options).output for name in ("with.csv", "without.csv"))
    assert with_header == without
    assert "no label" not in without
    for text, objects in (
        ("object,closer,farther\nnew,a,f\nold,e,b\n", ["new", "old"]),
        ("new,a,f\n", ["new"]),
    ):
        Path("new.csv").write_text(text)
        found = json.loads(good("predict", "m.npz", "new.csv", "--json").stdout)["predictions"]
        assert [row["object"] for row in found] == objects
