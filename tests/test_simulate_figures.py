"""Figures: their trials against counts by hand, their command, their files."""

import csv
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from boosttheory import bounds, gallery, trials
from boosttheory.abstention import simulate_abstentions
from boosttheory.cli import main
from boosttheory.confidence import clopper_pearson
from boosttheory.figures import COLOURS, MARKS, look, save, svg_text
from boosttheory.gallery import FIGURES, figure
from boosttheory.simulate import run
from boosttheory.spaces import read_points
from boosttheory.tripletboost import Model, train
from boosttheory.triplets import TripletSet

ROOT = Path(__file__).resolve().parent.parent
SMALL = {"dataset": "moons", "objects": 60, "metric": "euclidean", "proportion": 0.2, "noise": 0.0}


def command(*words, code=0):
    done = CliRunner().invoke(main, ["simulate", *map(str, words)])
    assert done.exit_code == code, (done.output, done.exception)
    assert "Traceback" not in done.output
    return done


# --- trials


def test_abstention_agrees_with_brute_force():
    """Every training and test triplet drawn, at n = 20."""
    n, pairs, replicates = 20, 190, 4000
    p = 2 * 20**1.5 / 20**3
    rng = np.random.default_rng(0)
    useful = (rng.random((replicates, pairs, n)) < p).any(axis=2)
    answered = rng.random((replicates, pairs)) < p
    by_force = int((~(useful & answered).any(axis=1)).sum())
    fast = trials.abstention_trial({"n": n, "k": 1.5, "beta": 2.0}, 40_000, rng)[0]["hits"]
    exact = float(bounds.abstention.value(p=p, n=n, C=pairs))
    for hits, of in ((by_force, replicates), (fast, 40_000)):
        low, high = clopper_pearson(hits, of, 1e-6)
        assert low < exact < high


def test_a_hundred_thousand_replicates_at_200():
    hits = simulate_abstentions(200, 2 * 200**1.5 / 200**3, 19_900, 100_000, np.random.default_rng(1))
    assert 0.14 < hits / 100_000 < 0.17


def test_availability_counts_all_pairs_at_most():
    assert trials.availability({"n": 20, "k": 1.5, "beta": 2.0})[2] == 190
    assert trials.availability({"n": 20, "k": 1.5, "beta": 0.0})[2] == 1
    assert trials.availability({"n": 20, "k": 3.0, "beta": 1.0})[1] == 1.0


def test_margins_by_hand():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    y = (np.arange(30) % 3).astype(np.intp)
    triplets = TripletSet.from_metric(X, proportion=0.3, rng=rng)
    run_ = train(triplets, y, 3, 40, rng)
    table = np.zeros((30, 30, 30), int)
    for i, j, k in triplets.to_array().tolist():
        table[i, j, k], table[i, k, j] = 1, -1
    f = np.zeros((30, 3))
    for (j, k), labels, alpha in zip(run_.pairs, run_.labels, run_.alpha, strict=True):
        for i in range(30):
            if table[i, j, k]:
                f[i] += alpha * (2 * labels[0 if table[i, j, k] > 0 else 1] - 1)
    f /= run_.alpha.sum()
    expected = [(f[i, y[i]] - max(np.delete(f[i], y[i]))) / 2 for i in range(30)]
    found = trials.margins(run_, Model.from_run(run_, 30, 3).scores(triplets), y)
    assert np.allclose(found, expected)


def test_bounds_hold_in_the_trials():
    point = SMALL | {"rounds": [1, 10, 100], "thetas": [0.0, 0.05, 0.2, 1.0]}
    lines = trials.margins_trial(point, 3, np.random.default_rng(0))
    assert len(lines) == 36
    assert all(line["share"] <= line["bound"] + 1e-12 for line in lines)
    errors = trials.training_error_trial(point, 3, np.random.default_rng(0))
    assert all(line["training_error"] <= 10 ** line["log10_bound"] + 1e-12 for line in errors)


def test_warmup_depends_on_the_labels():
    rng = np.random.default_rng(0)
    assert max(line["correct"] for line in trials.warmup_trial({"targets": [1, 2, 3]}, 1, rng)) == 2
    assert max(line["correct"] for line in trials.warmup_trial({"targets": [1, 1, 3]}, 1, rng)) == 3


def test_compression_of_one_step_by_its_law():
    """One threshold at 1/2: the error exceeds e where no example falls into (1/2 - e, 1/2)."""
    (line,) = trials.compression_trial({"r": 1, "m": 50, "delta": 0.05}, 40_000, np.random.default_rng(0))
    assert line["quantile"] == pytest.approx(1 - 0.05 ** (1 / 50), rel=0.03)
    assert line["mean"] == pytest.approx(1 / 51, rel=0.03)
    assert line["quantile"] < line["bound"]


def test_compression_agrees_with_drawn_samples():
    r, m, rng = 4, 30, np.random.default_rng(0)
    samples, errors = np.sort(rng.random((4000, m)), axis=1), np.zeros(4000)
    for threshold in np.arange(1, r + 1) / (r + 1):
        below = np.where(samples < threshold, samples, 0.0).max(axis=1)
        errors += threshold - np.maximum(below, threshold - 1 / (r + 1))
    (line,) = trials.compression_trial({"r": r, "m": m, "delta": 0.05}, 40_000, rng)
    assert line["samples"] == 40_000
    assert line["mean"] == pytest.approx(errors.mean(), rel=0.03)
    assert line["quantile"] == pytest.approx(np.quantile(errors, 0.95), rel=0.04)


def test_runs_side_by_side_are_single_runs(monkeypatch):
    point = SMALL | {"rounds": [3, 200]}
    together = trials.training_error_trial(point, 3, np.random.default_rng(0))

    def apart(sets, ys, n_labels, rounds, rngs):
        return [train(*one, n_labels, rounds, rng) for *one, rng in zip(sets, ys, rngs, strict=True)]

    monkeypatch.setattr(trials, "train_many", apart)
    for line, other in zip(
        together, trials.training_error_trial(point, 3, np.random.default_rng(0)), strict=True
    ):
        assert line == pytest.approx(other, rel=1e-9)


def test_the_share_of_the_gap_trial_is_that_of_fresh_test_triplets():
    point = SMALL | {"rounds": [1, 30], "tests": 4}
    lines = trials.abstention_gap_trial(point, 12, np.random.default_rng(0))
    assert [line["rounds"] for line in lines] == 12 * [1, 30]
    late = [line for line in lines if line["rounds"] == 30]
    assert np.mean([line["abstained"] - line["theorem5"] for line in late]) == pytest.approx(0, abs=0.02)
    assert all(line["pairs"] <= 30 for line in late)


def test_hedge_reaches_the_bound_from_above():
    point = {"log10_m": 3, "k": 4, "gamma": "1/10", "most": 10_000}
    (line,) = trials.hedge_trial(point, 1, np.random.default_rng(0))
    assert line["least"] <= line["played"] < line["least"] + 0.02
    (cut,) = trials.hedge_trial(point | {"most": 10}, 1, np.random.default_rng(0))
    assert cut["played"] is None


def test_methods_share_data_and_passive_ones_triplets():
    methods = ["TripletBoost", "kernel SVM", "CompTree", "1NN", "SAMME"]
    point = SMALL | {"rounds": 300, "stumps": 5, "lazy": False, "methods": methods}
    lines = trials.methods_trial(point, 2, np.random.default_rng(0))
    assert [line["method"] for line in lines] == 2 * methods
    told = [line["triplets"] for line in lines[:5]]
    assert told[0] == told[1] > 1000 > told[2] > told[3] == told[4] == 0
    alone = trials.methods_trial(point | {"methods": ["1NN"]}, 2, np.random.default_rng(0))
    assert [line["accuracy"] for line in alone] == [line["accuracy"] for line in lines[3::5]]
    lazy = trials.methods_trial(
        point | {"lazy": True, "methods": ["TripletBoost"]}, 1, np.random.default_rng(0)
    )
    assert lazy[0]["accuracy"] > 0.5
    with pytest.raises(ValueError, match="they are TripletBoost"):
        trials.methods_trial(point | {"methods": ["oracle"]}, 1, np.random.default_rng(0))


def test_a_method_gives_up_before_it_takes_too_long():
    point = {"proportion": 0.1, "noise": 0.1, "rounds": 50, "stumps": 0, "objects": [20, 40, 80]}
    rng = np.random.default_rng(0)
    lines = trials.training_time_trial(point | {"method": "kernel SVM", "limit": 1e-9}, 1, rng)
    assert [(line["objects"], line["gave_up"]) for line in lines] == [(20, 0), (40, 1)]
    assert lines[1]["seconds"] is None
    lines = trials.training_time_trial(point | {"method": "TripletBoost", "limit": 1e-9}, 1, rng)
    assert [line["objects"] for line in lines] == [20, 40, 80]


def test_recursive_boosting_keeps_every_label_and_the_allowed_length():
    lines = trials.recursive_trial(
        {"schedule": "fast", "m": 60, "labels": 12, "edge": 0.25}, 2, np.random.default_rng(0)
    )
    assert all(line["coverage"] == 1.0 and line["longest"] <= line["allowed"] for line in lines)
    assert lines[-1]["longest"] == 1


# --- points from files


def test_libsvm_lines(tmp_path):
    path = tmp_path / "points"
    path.write_text("# made up\n+1 1:0.5 3:-2\n\n-1 2:1e1 # comment\n2\n")
    X, y = read_points(str(path))
    assert X.tolist() == [[0.5, 0, -2], [0, 10, 0], [0, 0, 0]]
    assert y.tolist() == ["+1", "-1", "2"]


@pytest.mark.parametrize(
    "line", ["1 2:a", "1 0:1", "1 2:1 2:1", "1 3:1 2:1", "x 1:1", "1 1:nan", "1 1", "1 1:2:3"]
)
def test_a_broken_libsvm_line(tmp_path, line):
    path = tmp_path / "points"
    path.write_text(f"1 1:1\n{line}\n")
    with pytest.raises(ValueError, match=r"line 2: .* mend or drop the line"):
        read_points(str(path))


def test_no_points(tmp_path):
    (tmp_path / "points").write_text("\n")
    with pytest.raises(ValueError, match="no line of data"):
        read_points(str(tmp_path / "points"))


def test_arrays(tmp_path):
    np.savez(tmp_path / "a.npz", X=np.ones((3, 2, 2), np.uint8), y=np.array([0, 1, 1]))
    X, y = read_points(str(tmp_path / "a.npz"))
    assert X.shape == (3, 4)
    assert y.tolist() == ["0", "1", "1"]
    np.savez(tmp_path / "b.npz", X=np.ones((3, 2)))
    with pytest.raises(ValueError, match="lacks y"):
        read_points(str(tmp_path / "b.npz"))
    np.savez(tmp_path / "c.npz", X=np.ones((3, 2)), y=np.ones(2))
    with pytest.raises(ValueError, match="one label an object"):
        read_points(str(tmp_path / "c.npz"))


# --- the gallery and its command


def test_every_figure_of_the_gallery_has_a_script_and_a_page(tmp_path):
    (tmp_path / "some").touch()
    text = (ROOT / "docs" / "simulations.md").read_text()
    for name, drawing in FIGURES.items():
        assert (ROOT / "simulations" / f"{name}.py").exists()
        assert f"`{name}`" in text, name
        for full in (False, True):
            experiment = drawing.experiment(full, str(tmp_path / "some") if drawing.data else None)
            assert experiment.name == name
            assert experiment.points
            assert min(map(experiment.work, experiment.points)) > 0
            json.dumps(experiment.points)


def test_methods_look_the_same_everywhere_and_differ():
    assert set(MARKS) == set(trials.METHODS)
    assert (
        len({mark for _, mark in MARKS.values()})
        == len({colour for colour, _ in MARKS.values()})
        == len(MARKS)
    )
    assert all(re.fullmatch("#[0-9A-F]{6}", colour) for colour in COLOURS.values())


TINY = {
    "fig2a": {"objects": 45, "rounds": 50, "stumps": 3, "methods": ["TripletBoost", "CompTree"]},
    "fig2b": {"objects": 45, "rounds": 50, "stumps": 3, "methods": ["1NN", "kernel SVM"]},
    "fig2c": {"objects": 45, "rounds": 50, "stumps": 3, "methods": ["1NN"]},
    "fig3a": {"objects": 60, "rounds": 50, "stumps": 3},
    "fig3b": {"objects": 60, "rounds": 50, "stumps": 3},
    "fig3c": {"objects": [20, 40], "rounds": 50, "limit": 1e-9},
    "abstention": {},
    "abstention_phase": {},
    "abstention_gap": {"objects": 60, "rounds": [1, 10]},
    "margins": {"objects": 60, "rounds": [10, 100]},
    "margins_triplets": {"objects": 60, "rounds": [100]},
    "training_error": {"objects": 60, "rounds": [1, 10, 100]},
    "hedge_worst_case": {"most": 300},
    "recursive": {"m": 30, "labels": 8},
}


@pytest.mark.parametrize("name", [name for name, drawing in FIGURES.items() if not drawing.needs_data])
def test_every_figure_is_drawn(tmp_path, monkeypatch, name):
    monkeypatch.setattr(gallery, "_bundled_points", lambda: None)
    drawing = figure(name)
    experiment = drawing.experiment(False, None)
    points = [dict(point) | TINY.get(name, {}) for point in experiment.points]
    points = [p for p in points if p.get("log10_m", 0) <= 8 and p.get("method") != "t-STE"]
    tiny = replace(experiment, points=tuple({json.dumps(p): p for p in points}.values()))
    tables = [run(tiny, tmp_path / "s.jsonl", trials=number) for number in (1, 1 if drawing.once else 2)]
    for style, table in zip(("slides", "paper"), tables, strict=True):
        with look(style):
            paths = save(drawing.draw(table, style), tmp_path / style, title=drawing.title)
        assert [path.suffix for path in paths] == [".svg", ".pdf", ".png"]
    svg = paths[0].read_text()
    assert svg.startswith("<?xml")
    assert "prefers-color-scheme:dark" in svg
    assert "currentColor" in svg
    with look("paper"):
        again = svg_text(drawing.draw(table, "paper"), drawing.title)
    assert svg.endswith(again)


@pytest.fixture
def points(tmp_path, monkeypatch):
    """Sixty points of two classes, in a folder where the default data set of Figure 3 is looked for."""
    X = np.random.default_rng(0).normal(size=(60, 5))
    (tmp_path / "home" / "derived").mkdir(parents=True)
    np.savez(tmp_path / "home" / "derived" / gallery.POINTS, X=X, y=(X[:, 0] > 0).astype(np.uint8))
    monkeypatch.setenv("BOOSTTHEORY_DATA", str(tmp_path / "home"))
    return X


def small_figure(monkeypatch):
    """Make Figure 3a one of seconds."""
    drawing = gallery.FIGURES["fig3a"]

    def fewer(full, data):
        made = drawing.experiment(full, data)
        return replace(made, points=tuple(p | {"rounds": 20, "stumps": 2} for p in made.points))

    monkeypatch.setitem(gallery.FIGURES, "fig3a", replace(drawing, experiment=fewer))


def test_large_sets_are_mnist_where_it_is_and_digits_elsewhere(tmp_path, points, monkeypatch):
    small_figure(monkeypatch)
    done = command("fig3a", "--trials", 1, "--jobs", 1, "--out", tmp_path / "a")
    said = "Here: at most 2,000 objects of MNIST, mnist10k.npz."
    assert f"fig3a: {said}" in done.stderr
    for suffix in ("md", "svg"):
        assert said in (tmp_path / "a" / f"fig3a.{suffix}").read_text()
    # elsewhere the same file gives the same numbers, and no path is stored
    (tmp_path / "home").rename(tmp_path / "moved")
    monkeypatch.setenv("BOOSTTHEORY_DATA", str(tmp_path / "moved" / "derived"))
    command("fig3a", "--trials", 1, "--jobs", 1, "--out", tmp_path / "b")
    assert (tmp_path / "a" / "fig3a.csv").read_bytes() == (tmp_path / "b" / "fig3a.csv").read_bytes()
    assert str(tmp_path) not in (tmp_path / "b" / "fig3a.jsonl").read_text()
    monkeypatch.setattr(gallery, "_bundled_points", lambda: None)
    made = figure("fig3a").experiment(False, None)
    assert "digits of scikit-learn, for mnist10k.npz is neither" in made.note
    assert {point["dataset"] for point in made.points} == {"digits"}


def test_a_file_in_the_format_of_gisette(tmp_path, points, monkeypatch):
    small_figure(monkeypatch)
    lines = [
        f"{'+1' if row[0] > 0 else '-1'} {' '.join(f'{i}:{v:.3f}' for i, v in enumerate(row, 1))}\n"
        for row in points
    ]
    (tmp_path / "gisette_scale").write_text("".join(lines))
    words = ["fig3a", "--data", tmp_path / "gisette_scale", "--trials", 1, "--jobs", 1, "--out", tmp_path]
    assert "Here: at most 2,000 objects of gisette_scale." in command(*words).stderr
    table = list(csv.DictReader((tmp_path / "fig3a.csv").read_text().splitlines()))
    assert {line["method"] for line in table} == {"TripletBoost", "CompTree", "1NN", "SAMME"}
    assert f"--data {tmp_path / 'gisette_scale'}" in (tmp_path / "fig3a.md").read_text()
    # another content is another point, not a stored one
    (tmp_path / "gisette_scale").write_text("".join(lines[1:]))
    command(*words)
    assert len((tmp_path / "fig3a.jsonl").read_text().splitlines()) == 6
    (tmp_path / "gisette_scale").write_text("".join(lines[1:]) + "1 2:x\n")
    assert "gisette_scale, line 60: " in command(*words, code=2).stderr


def test_movielens_from_both_formats(tmp_path, monkeypatch):
    """Made-up ratings in the files of 100K and of 1M, by the command."""
    drawing, rng = gallery.FIGURES["movielens"], np.random.default_rng(0)

    def fewer(full, data):
        made = drawing.experiment(full, data)
        return replace(made, points=tuple(p | {"rounds": 50, "draws": 60} for p in made.points))

    monkeypatch.setitem(gallery.FIGURES, "movielens", replace(drawing, experiment=fewer))
    flags = rng.integers(2, size=(30, 2)) | np.array([[0, 1]])
    rated = [(u, m, rng.integers(1, 6)) for u in range(12) for m in range(30) if rng.random() < 0.7]
    small, large = tmp_path / "ml-100k", tmp_path / "ml-1m"
    small.mkdir()
    large.mkdir()
    (small / "u.genre").write_text("Action|0\nDrama|1\n\n")
    lines = [f"{m}|Film {m} é|01-Jan-1995||http://x|{a}|{d}\n" for m, (a, d) in enumerate(flags)]
    (small / "u.item").write_text("".join(lines), encoding="latin-1")
    (small / "u.data").write_text("".join(f"{u}\t{m}\t{s}\t881250949\n" for u, m, s in rated))
    lines = [f"{m}::Film {m} é::{'Action|' * a}{'Drama' * d}\n" for m, (a, d) in enumerate(flags)]
    (large / "movies.dat").write_text("".join(lines), encoding="latin-1")
    (large / "ratings.dat").write_text("".join(f"{u}::{m}::{s}::978300760\n" for u, m, s in rated))
    for folder in (small, large):
        words = ["movielens", "--data", folder, "--trials", 2, "--jobs", 1, "--out", tmp_path / "out"]
        assert f"Here: {folder.name}." in command(*words).stderr
        table = list(csv.DictReader((tmp_path / "out" / "movielens.csv").read_text().splitlines()))
        assert [line["method"] for line in table] == ["TripletBoost", "most frequent genres"]
        assert all(0 <= float(line[name]) <= 1 for line in table for name in ("first", "covered"))
    with (large / "movies.dat").open("a") as lines:
        lines.write("31;No separator;Drama\n")
    assert "movies.dat, line 31: " in command(*words, code=2).stderr


def test_a_missing_embedding_is_said(monkeypatch):
    monkeypatch.setattr(gallery, "_embeds", lambda: False)
    for name in ("fig2a", "fig3c"):
        made = figure(name).experiment(False, None)
        assert "t-STE is left out" in made.note
        assert not any("t-STE" in (point.get("method"), *point.get("methods", [])) for point in made.points)


def test_every_caption_says_what_may_be_done_with_it():
    for drawing in FIGURES.values():
        assert drawing.captioned("").endswith("Text and figure: CC BY 4.0.")
        assert drawing.captioned("").startswith(drawing.locator)


def test_movielens_is_drawn():
    lines = [
        {"method": method, "first": 0.5, "first_sd": sd, "covered": 0.7, "covered_sd": sd}
        for method, sd in (("TripletBoost", 0.1), ("most frequent genres", None))
    ]
    with look():
        assert "paper, MovieLens 1M" in svg_text(figure("movielens").draw(lines, "paper"))


def test_the_command_writes_everything_and_resumes(tmp_path):
    done = command("abstention", "--trials", 200, "--jobs", 1, "--out", tmp_path)
    assert "39 points × 200" in done.stderr
    assert {path.suffix for path in tmp_path.glob("abstention.*")} == {
        ".svg", ".pdf", ".png", ".csv", ".md", ".jsonl",
    }  # fmt: skip
    table = list(csv.DictReader((tmp_path / "abstention.csv").read_text().splitlines()))
    assert len(table) == 39
    assert {line["trials"] for line in table} == {"200"}
    page = (tmp_path / "abstention.md").read_text()
    assert "boosttheory simulate abstention --trials 200\n" in page
    assert "Clopper and Pearson" in page
    files = {path: path.read_bytes() for path in tmp_path.iterdir()}
    command("abstention", "--trials", 200, "--jobs", 1, "--out", tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == files


def test_until_is_said_to_be_sequential(tmp_path):
    command("abstention_phase", "--until", "width<0.9", "--jobs", 1, "--out", tmp_path)
    page = (tmp_path / "abstention_phase.md").read_text()
    assert "confidence sequence, sampled until width < 0.9" in page
    assert "--until 'width<0.9'" in page


def test_the_list_and_no_name():
    assert command("--list").output == command().output
    assert len(command().output.splitlines()) == len(FIGURES)


def test_json(tmp_path):
    done = command("warmup", "--json", "--out", tmp_path, "--jobs", 1)
    assert [json.loads(line)["examples"] for line in done.stdout.splitlines()] == [3] * 9


def test_a_claim_is_drawn_again_and_again(tmp_path):
    done = command("triplet.thm4.nonadaptive", "--trials", 2, "--jobs", 1, "--out", tmp_path)
    assert "fails in 0% of 2 draws" in done.stdout
    (path,) = tmp_path.glob("claims-*.csv")
    assert all(line["replicates"] == "2" for line in csv.DictReader(path.read_text().splitlines()))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["fig2d"], "did you mean 'fig2"),
        (["qqqq"], "--list"),
        (["triplet.thm99"], "unknown claim id"),
        (["fig1", "triplet.thm2"], "not both at once"),
        (["multiclass.warmup"], "no statistical check"),
        (["abstention", "--trials", 0], "0 leaves nothing to measure"),
        (["abstention", "--trials", -2], "-2 leaves nothing to measure"),
        (["abstention", "--trials", 5, "--until", "width<0.1"], "give one of them"),
        (["abstention", "--until", "soon"], "is no rule"),
        (["fig2a", "--until", "width<0.1"], "measures no probability"),
        (["movielens"], "needs --data"),
        (["fig1", "--trials", 3], "shows one run"),
        (["fig1", "--address", "tcp://127.0.0.1:1", "--backend", "dask"], "no scheduler answers"),
        (["fig3a", "--data", "nowhere.svm"], "does not exist"),
    ],
)
def test_bad_input_is_one_sentence(tmp_path, words, message):
    done = command(*words, "--jobs", 1, "--out", tmp_path, code=2)
    assert message in done.stderr
    assert "boosttheory.simulate" not in done.stderr
    assert "cannot write" not in done.stderr


def test_an_output_that_is_a_file(tmp_path):
    (tmp_path / "file").touch()
    done = command("fig1", "--out", tmp_path / "file", code=2)
    assert "choose another place with --out" in done.stderr


def test_a_store_of_another_version(tmp_path):
    command("fig1", "--jobs", 1, "--out", tmp_path)
    store = tmp_path / "fig1.jsonl"
    store.write_text(store.read_text().replace('"version": "', '"version": "9.'))
    done = command("fig1", "--jobs", 1, "--out", tmp_path, code=2)
    assert "--fresh" in done.stderr
    command("fig1", "--jobs", 1, "--out", tmp_path, "--fresh")


def test_an_interrupt_keeps_the_finished_blocks(tmp_path, monkeypatch):
    from boosttheory import simulate

    perform = simulate._perform
    calls = []

    def interrupted(*arguments):
        calls.append(arguments)
        if len(calls) == 5:
            raise KeyboardInterrupt
        return perform(*arguments)

    monkeypatch.setattr(simulate, "_perform", interrupted)
    done = command("abstention", "--trials", 10, "--jobs", 1, "--out", tmp_path, code=130)
    assert "the same command goes on from there" in done.stderr
    assert len((tmp_path / "abstention.jsonl").read_text().splitlines()) == 4


def test_a_script_runs_its_figure(tmp_path):
    script = ROOT / "simulations" / "fig1.py"
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    subprocess.run(
        [sys.executable, script, "--jobs", "1", "--out", tmp_path], env=environment, check=True, timeout=120
    )
    assert (tmp_path / "fig1.svg").exists()
