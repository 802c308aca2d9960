"""Blocks, streams, the store, backends and what interrupts them."""

import errno
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from boosttheory import simulate
from boosttheory.confidence import clopper_pearson, confidence_sequence
from boosttheory.simulate import Experiment, Store, Width, expected_seconds, run, source_hash, stream

HERE = Path(__file__).parent


def coins(point, size, rng):
    return [{"hits": int((rng.random(size) < point["p"]).sum()), "trials": size}]


def walks(point, size, rng):
    """Two records a replicate: a walk after 1 and 10 steps."""
    steps = rng.normal(size=(size, 10)).cumsum(axis=1)
    return [
        {"steps": t, "place": steps[r, t - 1], "far": bool(abs(steps[r, t - 1]) > 1), "kind": "walk"}
        for r in range(size)
        for t in (1, 10)
    ]


def slow_coins(point, size, rng):
    time.sleep(0.02)
    return coins(point, size, rng)


def deadly(point, size, rng):
    """Kill the process in which the first call runs."""
    if point["p"] == 0.5 and not os.path.exists(point["mark"]):
        Path(point["mark"]).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return coins(point, size, rng)


def always_deadly(point, size, rng):
    os._exit(1)


COINS = Experiment(
    "coins", coins, tuple({"p": p} for p in (0.1, 0.5)), replicates=1000, block=300, counts=True
)
WALKS = Experiment("walks", walks, ({"start": 0},), replicates=5, block=2, axes=("steps",))


def test_a_stream_depends_on_what_it_is_for():
    base = (0, "a", {"n": 3, "p": 0.5}, 0)
    first = stream(*base).random()
    assert stream(0, "a", {"p": 0.5, "n": 3}, 0).random() == first
    others = [(1, *base[1:]), (0, "b", *base[2:]), (0, "a", {"n": 4, "p": 0.5}, 0), (*base[:3], 1)]
    assert len({first, *(stream(*other).random() for other in others)}) == 5


def test_counts_are_added_up(tmp_path):
    table = run(COINS, tmp_path / "s.jsonl")
    assert [line["trials"] for line in table] == [1000, 1000]
    for line in table:
        low, high = clopper_pearson(line["hits"], 1000, 0.05)
        assert (line["low"], line["high"]) == (low, high)
        assert abs(line["rate"] - line["p"]) < 0.07
    sizes = [json.loads(line)["size"] for line in (tmp_path / "s.jsonl").read_text().splitlines()]
    assert sorted(sizes) == [100, 100] + [300] * 6


def test_measurements_are_averaged_by_axis(tmp_path):
    table = run(WALKS, tmp_path / "s.jsonl")
    places = {1: [], 10: []}
    for block, size in enumerate((2, 2, 1)):
        steps = stream(0, "walks", {"start": 0}, block).normal(size=(size, 10)).cumsum(axis=1)
        for t, found in places.items():
            found += steps[:, t - 1].tolist()
    for line in table:
        values = places[line["steps"]]
        assert line["replicates"] == 5
        assert line["place"] == pytest.approx(np.mean(values))
        assert line["place_sd"] == pytest.approx(np.std(values, ddof=1))
        assert line["far"] == pytest.approx(np.mean(np.abs(values) > 1))
        assert line["kind"] == "walk"


def test_one_replicate_has_no_deviation_and_nan_is_missing(tmp_path):
    def trial(point, size, rng):
        return [{"value": np.float64(2), "other": float("nan")}]

    (line,) = run(Experiment("e", trial, ({"a": 1},), 1), tmp_path / "s.jsonl")
    assert (line["value"], line["value_sd"], line["other"]) == (2.0, None, None)


def test_stored_blocks_are_not_run_again(tmp_path):
    path, calls = tmp_path / "s.jsonl", []

    def trial(point, size, rng):
        calls.append(point["p"])
        return coins(point, size, rng)

    counted = replace(COINS, trial=trial)
    first = run(counted, path, trials=600)
    assert len(calls) == 4
    assert run(counted, path, trials=600) == first
    assert len(calls) == 4
    run(counted, path, trials=900)
    assert len(calls) == 6
    wider = replace(counted, points=({"p": 0.9}, *COINS.points))
    assert run(wider, path, trials=600)[1:] == first
    assert len(calls) == 8
    run(counted, path, trials=600, seed=1)
    assert len(calls) == 12
    run(counted, path, trials=600, fresh=True)
    assert len(calls) == 16


def test_a_store_cut_anywhere_in_its_last_line_is_healed(tmp_path):
    path = tmp_path / "s.jsonl"
    table = run(COINS, path)
    whole = path.read_bytes()
    start = whole.rstrip().rfind(b"\n") + 1
    for cut in {start, start + 1, start + 40, len(whole) - 2, len(whole) - 1}:
        path.write_bytes(whole[:cut])
        assert run(COINS, path) == table
        assert sorted(json.loads(line)["block"] for line in path.read_text().splitlines()) == [
            0,
            0,
            1,
            1,
            2,
            2,
            3,
            3,
        ]


def test_a_broken_line_within_is_an_error(tmp_path):
    path = tmp_path / "s.jsonl"
    run(COINS, path)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text(lines[0] + "{}\n" + "".join(lines[1:]))
    with pytest.raises(ValueError, match="line 2: no block of a simulation; start anew with --fresh"):
        run(COINS, path)


@pytest.mark.parametrize("field", ["version", "source", "experiment"])
def test_rows_of_other_source_are_refused(tmp_path, field):
    path = tmp_path / "s.jsonl"
    table = run(COINS, path)
    lines = [json.loads(line) | {field: "another"} for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(ValueError, match=f"{field} 'another', where this run has .*--fresh"):
        run(COINS, path)
    assert run(COINS, path, fresh=True) == table


def test_the_source_is_that_of_the_mathematics():
    abstention = source_hash("boosttheory.abstention")
    assert source_hash("boosttheory.abstention") == abstention
    assert source_hash("boosttheory.planning") != abstention
    assert source_hash("boosttheory.abstention", "boosttheory.hedge") != abstention
    # a figure imports the mathematics, not the other way round
    assert source_hash("boosttheory.trials") != source_hash("boosttheory.gallery")


def test_two_runs_do_not_write_one_store(tmp_path):
    pytest.importorskip("fcntl")
    with Store(tmp_path / "s.jsonl", COINS), pytest.raises(BlockingIOError, match="another run writes it"):
        run(COINS, tmp_path / "s.jsonl")
    run(COINS, tmp_path / "s.jsonl")


def test_a_full_disk_loses_one_block(tmp_path, monkeypatch):
    path, table, write = tmp_path / "s.jsonl", run(COINS, tmp_path / "other.jsonl"), os.write
    calls = []

    def full(file, data):
        calls.append(file)
        if len(calls) == 3:
            write(file, data[:20])
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(file, data)

    monkeypatch.setattr(simulate.os, "write", full)
    with pytest.raises(OSError, match="No space left"):
        run(COINS, path)
    monkeypatch.undo()
    assert path.read_bytes().count(b"\n") == 2
    assert run(COINS, path) == table


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        run(COINS, tmp_path / "file" / "s.jsonl")


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError):
        run(COINS, tmp_path / "s.jsonl")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"trials": 0}, "trials=0"),
        ({"trials": -3}, "trials=-3"),
        ({"seed": -1}, "seed=-1"),
        ({"jobs": 0}, "jobs=0"),
        ({"backend": "mpi"}, "choose loky, threading, dask, ray"),
        ({"address": "tcp://localhost:1"}, "not for loky"),
        ({"backend": "dask", "address": "nowhere"}, "names no host and port"),
    ],
)
def test_bad_options(tmp_path, options, message):
    with pytest.raises(ValueError, match=message):
        run(COINS, tmp_path / "s.jsonl", **({"jobs": 2} | options))


def test_a_point_twice(tmp_path):
    with pytest.raises(ValueError, match="twice"):
        run(replace(COINS, points=({"p": 0.1}, {"p": 0.1})), tmp_path / "s.jsonl")


@pytest.mark.parametrize(
    ("backend", "address"),
    [("dask", "tcp://127.0.0.1:1"), ("dask", "127.0.0.1:99999"), ("ray", "ray://127.0.0.1:1")],
)
def test_no_scheduler_answers(tmp_path, backend, address):
    start = time.perf_counter()
    with pytest.raises(ConnectionError, match="no scheduler answers"):
        run(COINS, tmp_path / "s.jsonl", backend=backend, address=address)
    assert time.perf_counter() - start < 15


def test_something_else_answers(tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    import socket

    monkeypatch.setattr(simulate, "WAIT", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(ConnectionError, match="no Dask scheduler answers"):
            run(COINS, tmp_path / "s.jsonl", backend="dask", address=address)


def test_results_do_not_depend_on_the_backend(tmp_path):
    expected = run(WALKS, tmp_path / "s.jsonl"), run(COINS, tmp_path / "c.jsonl")
    for backend in ("loky", "threading"):
        home = tmp_path / backend
        found = [run(e, home / f"{e.name}.jsonl", jobs=2, backend=backend) for e in (WALKS, COINS)]
        assert tuple(found) == expected


@pytest.mark.filterwarnings("ignore")
def test_results_on_a_local_dask_cluster(tmp_path):
    distributed = pytest.importorskip("distributed")
    expected = run(COINS, tmp_path / "s.jsonl")
    assert run(COINS, tmp_path / "d.jsonl", jobs=2, backend="dask") == expected
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        address = cluster.scheduler_address
        assert run(COINS, tmp_path / "a.jsonl", backend="dask", address=address) == expected


@pytest.fixture
def ray(monkeypatch):
    """Ray, whose workers find the trials of this file."""
    pytest.importorskip("ray")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(HERE.parent), str(HERE))))


@pytest.mark.filterwarnings("ignore")
def test_results_on_ray(tmp_path, ray):
    expected = run(WALKS, tmp_path / "s.jsonl")
    assert run(WALKS, tmp_path / "r.jsonl", jobs=2, backend="ray") == expected
    points = tuple({"p": p, "mark": str(tmp_path / "mark")} for p in (0.1, 0.5, 0.7))
    deaths = Experiment("coins", deadly, points, replicates=100, block=50, counts=True)
    found = run(deaths, tmp_path / "d.jsonl", jobs=2, backend="ray")
    assert (tmp_path / "mark").exists()
    assert found == run(replace(deaths, trial=coins), tmp_path / "t.jsonl")
    with pytest.raises(KeyError, match=r"^'p'$"):
        run(replace(COINS, points=({"q": 1},)), tmp_path / "k.jsonl", jobs=2, backend="ray")


@pytest.mark.filterwarnings("ignore")
def test_something_else_answers_ray(tmp_path, monkeypatch, ray):
    import socket

    monkeypatch.setattr(simulate, "WAIT", 2.0)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(ConnectionError, match="no Ray cluster answers"):
            run(COINS, tmp_path / "s.jsonl", backend="ray", address=address)


def test_a_path_reaches_the_trial_and_no_stream(tmp_path):
    def trial(point, size, rng):
        return [{"value": rng.random(), "place": point.get("path", "")}]

    first = Experiment("e", trial, ({"a": 1, "several": [1, 2]},), 1)
    (here,) = run(first, tmp_path / "s.jsonl")
    (there,) = run(replace(first, path="there"), tmp_path / "t.jsonl")
    assert (here["place"], there["place"]) == ("", "there")
    assert here["value"] == there["value"]
    assert "several" not in here


def test_a_worker_that_dies_is_replaced(tmp_path):
    points = tuple({"p": p, "mark": str(tmp_path / "mark")} for p in (0.1, 0.5, 0.7))
    deaths = Experiment("coins", deadly, points, replicates=100, block=50, counts=True)
    found = run(deaths, tmp_path / "s.jsonl", jobs=2)
    assert (tmp_path / "mark").exists()
    assert found == run(replace(deaths, trial=coins), tmp_path / "t.jsonl")


def test_workers_that_always_die(tmp_path):
    with pytest.raises(ChildProcessError, match="workers died 3 times in a row"):
        run(replace(COINS, trial=always_deadly), tmp_path / "s.jsonl", jobs=2)


CHILD = """
import sys
sys.path.insert(0, {here!r})
from dataclasses import replace
from test_simulate import COINS, slow_coins
from boosttheory.simulate import run
run(replace(COINS, trial=slow_coins, block=25), sys.argv[1], trials=500)
"""


def test_killed_ten_times_and_resumed(tmp_path):
    undisturbed = run(replace(COINS, trial=slow_coins, block=25), tmp_path / "whole.jsonl", trials=500)
    path, rng, sizes = tmp_path / "s.jsonl", np.random.default_rng(3), []
    for _ in range(10):
        command = [sys.executable, "-c", CHILD.format(here=str(HERE)), str(path)]
        child = subprocess.Popen(command, env=os.environ | {"PYTHONPATH": str(HERE.parent)})
        before = path.stat().st_size if path.exists() else 0
        while child.poll() is None and (not path.exists() or path.stat().st_size == before):
            time.sleep(0.005)
        time.sleep(0.1 * rng.random())
        child.kill()
        child.wait()
        sizes.append(path.stat().st_size)
    assert sizes[0] < path.stat().st_size
    table = run(replace(COINS, trial=slow_coins, block=25), path, trials=500)
    assert json.dumps(table) == json.dumps(undisturbed)


def test_sampling_until_decided_does_not_depend_on_jobs(tmp_path):
    rule = Width.parse(" width < 0.1 ")
    tables = [
        run(COINS, tmp_path / f"{jobs}.jsonl", until=rule, jobs=jobs, backend="threading") for jobs in (1, 3)
    ]
    assert tables[0] == tables[1]
    for line in tables[0]:
        assert line["high"] - line["low"] < 0.1
        before = line["trials"] - 300
        assert line["trials"] % 300 == 0
        assert before == 0 or not rule.met(round(line["rate"] * before), before, 0.05) or before > 300
        low, high = confidence_sequence(line["hits"], line["trials"], 0.05)
        assert (line["low"], line["high"]) == (low, high)
    assert tables[0][0]["trials"] < tables[0][1]["trials"]


def test_until_needs_a_probability(tmp_path):
    with pytest.raises(ValueError, match="measures no probability"):
        run(WALKS, tmp_path / "s.jsonl", until=Width(0.1))


@pytest.mark.parametrize("text", ["width<2", "width<0", "width>0.1", "width<x", "width<1e", "0.1", ""])
def test_a_rule_that_says_nothing(text):
    with pytest.raises(ValueError, match="is no rule"):
        Width.parse(text)


def test_progress_and_foretold_time(tmp_path):
    seen = []
    run(COINS, tmp_path / "s.jsonl", trials=300)
    run(COINS, tmp_path / "s.jsonl", progress=seen.append)
    assert [p.done for p in seen] == list(range(1, 7))
    assert {(p.stored, p.blocks) for p in seen} == {(2, 8)}
    assert seen[-1].left == 0
    rows = [json.loads(line) for line in (tmp_path / "s.jsonl").read_text().splitlines()]
    assert expected_seconds(COINS, []) is None
    assert expected_seconds(COINS, rows) == 0
    twice = sum(row["seconds"] for row in rows)
    assert expected_seconds(COINS, rows, trials=3000, seed=1) == pytest.approx(3 * twice)
    harder = replace(COINS, work=lambda point: 10 * point["p"])
    # of 2000 replicates the stored blocks hold 900, the last of 100 being of another size
    assert expected_seconds(harder, rows, trials=2000) == pytest.approx(1.1 * twice)
