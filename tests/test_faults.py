"""Writers meet full disks, lost power, kills and each other: the old or the new, whole, and one sentence."""

import errno
import json
import os
import subprocess
import sys
import textwrap
import time
from functools import partial
from pathlib import Path

import fake_ledger
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import strategies as st

from boosttheory import TripletBoostClassifier, TripletSet, figures, files
from boosttheory.claims import Claim
from boosttheory.cli import main
from boosttheory.files import atomic_write, locked
from boosttheory.hunting import Hunt, hunt, read_hunt, write_hunt
from boosttheory.partitioned import index_parts, open_index
from boosttheory.rows import merge_rows, read_rows, write_rows
from boosttheory.simulate import Experiment, Store, run

ROWS = np.array([[0, 1, 2], [3, 2, 1], [2, 0, 3], [1, 3, 0]], np.int32)
ROW = {"schema": 1, "claim": "a.b", "check": None, "role": "statement", "reading": "as printed"}


def model(version):
    rng = np.random.default_rng(0)
    triplets = TripletSet.from_metric(rng.random((8, 2)), proportion=0.5, rng=rng)
    return TripletBoostClassifier(3 + version, random_state=0).fit(triplets, [0, 1] * 4)


def drawing(version):
    with figures.look("paper"):
        figure = figures.canvas(2.0, 2.0)
        figure.add_subplot().plot([0, version], [0, 1])
    return figure


def toss(point, size, rng):
    return [{"hits": int(rng.integers(size)), "trials": size, "version": point["p"]}]


def coin(version):
    return Experiment("coin", toss, tuple({"p": p} for p in range(version)), 20, 10)


# what is written, and how: a file or folder in the folder given, in version 1 or 2
WRITERS = {
    "file": lambda folder, version: atomic_write(folder / "a", b"x" * 50_000 * version),
    "rows": lambda folder, version: write_rows(folder / "a", [ROW] * 500 * version),
    "merged rows": lambda folder, version: merge_rows(folder / "a", [ROW] * 500 * version, {"a.b": 0}),
    "model": lambda folder, version: model(version).save(folder / "a"),
    "hunt": lambda folder, version: write_hunt(folder, Hunt("a:b", cases=version, margin=1, best="x" * 9999)),
    "figure": lambda folder, version: figures.save(drawing(version), folder / "a"),
    "table": lambda folder, version: figures.write_csv(folder / "a", [{"x": "a" * 50_000 * version}]),
    "index": lambda folder, version: index_parts([ROWS[: version + 2]], folder / "a", n_objects=4),
}


def content(folder):
    """Return all that is there: bytes by name."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def fail(error, *_args, **_options):
    raise error


FULL = OSError(errno.ENOSPC, "No space left on device")
FAULTS = {
    "disk full": ("fsync", FULL),
    "power lost": ("fsync", KeyboardInterrupt()),
    "no renaming": ("replace", PermissionError(errno.EACCES, "Permission denied")),
    "power lost at the end": ("replace", KeyboardInterrupt()),
}


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_leaves_the_old_whole_and_nothing_besides(tmp_path, monkeypatch, writer, fault):
    if writer == "index":
        pytest.importorskip("dask")
    write = WRITERS[writer]
    write(tmp_path, 1)
    before = content(tmp_path)
    name, error = FAULTS[fault]
    with monkeypatch.context() as patch:
        patch.setattr(files.os, name, partial(fail, error))
        with pytest.raises(type(error)):
            write(tmp_path, 2)
    assert content(tmp_path) == before
    write(tmp_path, 2)
    assert content(tmp_path) != before
    assert not [name for name in content(tmp_path) if "unfinished" in name or "lock" in name]


CHILD = """
import sys; sys.path.insert(0, {tests!r})
from pathlib import Path
import test_faults
write, folder = test_faults.WRITERS[{writer!r}], Path({folder!r})
write(folder, 2)
print("ready", flush=True)
while True:
    for version in (1, 2):
        write(folder, version)
"""


def child(text):
    command = [sys.executable, "-c", textwrap.dedent(text)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("writer", ["file", "merged rows", "model", "hunt", "table", "index"])
def test_a_killed_writer_leaves_the_old_or_the_new(tmp_path, writer):
    if writer == "index":
        pytest.importorskip("dask")
    whole = []
    for version in (1, 2):
        (folder := tmp_path / f"v{version}").mkdir()
        WRITERS[writer](folder, version)
        whole.append(readable(writer, folder))
    (folder := tmp_path / "killed").mkdir()
    delays = np.random.default_rng(0).uniform(0, 0.03, 3)
    for delay in delays:
        process = child(CHILD.format(tests=str(Path(__file__).parent), writer=writer, folder=str(folder)))
        assert process.stdout.readline() == "ready\n", process.stderr.read()
        time.sleep(delay)
        process.kill()
        process.communicate()
        assert readable(writer, folder) in whole
    WRITERS[writer](folder, 1)
    assert readable(writer, folder) == whole[0]
    if writer == "index":
        assert len([*(folder / "a").glob("parts-*")]) == 1


def readable(writer, folder):
    """Read what a writer wrote, in full."""
    if writer == "index":
        return open_index(folder / "a").load().to_array().tolist()
    if writer == "model":
        return TripletBoostClassifier.load(folder / "a").n_rounds_
    if writer == "merged rows":
        return len(read_rows(folder / "a"))
    if writer == "hunt":
        return json.loads((folder / "a.b.json").read_text())
    return (folder / "a").read_bytes()


LIMITED = """
import resource, signal, sys
sys.path.insert(0, {tests!r})
from pathlib import Path
import test_faults
write, folder = test_faults.WRITERS[{writer!r}], Path({folder!r})
write(folder, 1)
before = test_faults.content(folder)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (40, 40))
try:
    write(folder, 2)
except OSError as error:
    resource.setrlimit(resource.RLIMIT_FSIZE, (40, 40))
    assert test_faults.content(folder) == before, "changed"
    print(error.strerror)
"""


@pytest.mark.parametrize("writer", WRITERS)
def test_a_disk_that_takes_forty_bytes(tmp_path, writer):
    if writer == "index":
        pytest.importorskip("dask")
    process = child(LIMITED.format(tests=str(Path(__file__).parent), writer=writer, folder=str(tmp_path)))
    said, wrong = process.communicate(timeout=120)
    assert said == "File too large\n", wrong


def test_a_store_on_a_disk_that_takes_one_block_and_a_half(tmp_path):
    path = tmp_path / "s.jsonl"
    run(coin(3), tmp_path / "whole.jsonl")
    size = len((tmp_path / "whole.jsonl").read_bytes().splitlines(keepends=True)[0]) * 3 // 2
    process = child(f"""
        import resource, signal, sys
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        import test_faults
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))
        try:
            test_faults.run(test_faults.coin(3), {str(path)!r})
        except OSError as error:
            print(error.strerror)
    """)
    said, wrong = process.communicate(timeout=120)
    assert said == "File too large; the blocks before are kept\n", wrong
    assert path.read_bytes().count(b"\n") == 1
    assert path.stat().st_size == size


@pytest.mark.parametrize("cut", [1, 20, 60, 200])
@pytest.mark.parametrize("zeros", [0, 4096])
def test_a_store_after_a_power_cut(tmp_path, cut, zeros):
    path, experiment = tmp_path / "s.jsonl", coin(2)
    table = run(experiment, path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]) + lines[-1][:cut] + b"\0" * zeros)
    assert run(experiment, path) == table


@pytest.mark.parametrize("text", ["no store", '{"schema": 1, "other": 2}', "a\nb", "\0\1"])
def test_a_file_that_is_no_store_is_not_touched(tmp_path, text):
    (tmp_path / "notes.txt").write_text(text)
    with pytest.raises(ValueError, match="no block of a simulation; start anew with --fresh"):
        run(coin(2), tmp_path / "notes.txt")
    assert (tmp_path / "notes.txt").read_text() == text


def test_a_store_that_is_a_pipe_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="no file that can hold blocks"):
        run(coin(2), tmp_path / "pipe")


def test_places_that_cannot_be_written(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("old")
    for target in (tmp_path / "folder", tmp_path / "file" / "below"):
        with pytest.raises(OSError, match=r"folder|file"):
            atomic_write(target, "new")
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    atomic_write(loop, "new")
    assert loop.read_text() == "new"
    dangling = tmp_path / "dangling"
    dangling.symlink_to(tmp_path / "far" / "away")
    atomic_write(dangling, "new")
    assert (tmp_path / "far" / "away").read_text() == "new"
    long = tmp_path / ("é" * 120)
    atomic_write(long, "new")
    assert long.read_text() == "new"
    assert not [name for name in content(tmp_path) if "unfinished" in name]


def test_permissions_of_an_older_file_are_kept(tmp_path):
    atomic_write(tmp_path / "a", "secret")
    (tmp_path / "a").chmod(0o600)
    atomic_write(tmp_path / "a", "another")
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o600


def test_what_a_killed_writer_left_goes_a_day_later(tmp_path):
    for name, age in ((".a.old.unfinished", 90_000), (".a.new.unfinished", 60), (".a.swp", 90_000)):
        (tmp_path / name).write_text("half")
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    atomic_write(tmp_path / "a", "new")
    assert sorted(content(tmp_path)) == [".a.new.unfinished", ".a.swp", "a"]


@pytest.mark.skipif(not hasattr(os, "fork") or os.geteuid() != 0, reason="only root may become somebody else")
@pytest.mark.parametrize("writer", ["file", "rows", "hunt", "table"])
def test_a_folder_that_may_only_be_read(tmp_path, writer):
    WRITERS[writer](tmp_path, 1)
    before = content(tmp_path)
    for folder in (tmp_path, *tmp_path.parents[:-3]):
        folder.chmod(0o755)
    process = child(
        f"""
        import os, sys
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        import test_faults
        os.setuid(65534)
        try:
            test_faults.WRITERS[{writer!r}](test_faults.Path({str(tmp_path)!r}), 2)
        except OSError as error:
            print(error.strerror)
    """
    )
    said, wrong = process.communicate(timeout=120)
    assert said == "Permission denied\n", wrong
    assert content(tmp_path) == before


@pytest.fixture
def ledger(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield fake_ledger.write(tmp_path)
    fake_ledger.forget()


COMMANDS = {
    "check": ["check", "toy.thm1", "--ledger", "toy_ledger", "--jobs", "1", "--out", "made"],
    "report": ["report", "rows.jsonl", "--out", "made.html", "--no-pdf"],
    "fit": ["fit", "a.csv", "--labels", "l.csv", "--rounds", "5", "--cv", "0", "--model", "made"],
    "predict": ["predict", "model.npz", "new.csv", "--out", "made"],
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("fault", ["disk full", "no renaming", "folder"])
def test_commands_say_in_one_sentence_what_they_cannot_write(ledger, tmp_path, monkeypatch, command, fault):
    write_rows("rows.jsonl", [ROW])
    Path("l.csv").write_text("o,c\n" + "".join(f"o{i},{'ab'[i % 2]}\n" for i in range(6)))
    rng = np.random.default_rng(0)
    answers = ["o{},o{},o{}\n".format(*rng.choice(6, 3, replace=False)) for _ in range(200)]
    Path("a.csv").write_text("".join(answers))
    Path("new.csv").write_text("n,o1,o2\nn,o3,o2\n")
    started = CliRunner().invoke(main, [*COMMANDS["fit"][:-1], "model.npz"])
    assert started.exit_code == 0, started.output
    target = Path(COMMANDS[command][COMMANDS[command].index("--model" if command == "fit" else "--out") + 1])
    old = target
    if fault == "folder":
        target.mkdir()
        old = target / "kept"
    old.write_text("" if command == "check" else "old")
    before = content(tmp_path)
    with monkeypatch.context() as patch:
        if fault != "folder":
            name, error = FAULTS[fault]
            patch.setattr(files.os, name, partial(fail, error))
        done = CliRunner().invoke(main, COMMANDS[command])
    if fault == "folder" and command == "report":
        assert done.exit_code == 2 or (target / "index.html").exists()
        return
    assert done.exit_code == 2, done.output
    (said,) = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    assert said.startswith(f"Error: cannot write {target} (")
    assert "choose another place with --" in said
    after = content(tmp_path)
    assert {name: after.get(name) for name in before} == before
    assert not [name for name in after if "unfinished" in name or ".lock" in name]


def test_a_lock_is_held_by_one(tmp_path):
    pytest.importorskip("fcntl")
    with locked(tmp_path / "a"):
        with pytest.raises(BlockingIOError, match="another run writes it; wait"), locked(tmp_path / "a"):
            pass
        with locked(tmp_path / "b"):
            pass
    with locked(tmp_path / "a"):
        pass
    assert content(tmp_path) == {}


def test_the_lock_of_a_killed_run_is_free(tmp_path):
    pytest.importorskip("fcntl")
    process = child(f"""
        import time
        from boosttheory.files import locked
        with locked({str(tmp_path / "a")!r}):
            print("held", flush=True)
            time.sleep(60)
    """)
    assert process.stdout.readline() == "held\n"
    with pytest.raises(BlockingIOError), locked(tmp_path / "a"):
        pass
    process.kill()
    process.communicate()
    with locked(tmp_path / "a"):
        pass


def test_rows_of_runs_at_the_same_time_are_all_kept(tmp_path):
    pytest.importorskip("fcntl")
    path = tmp_path / "rows.jsonl"
    processes = [
        child(f"""
            from boosttheory.rows import merge_rows
            order = {{f"a.{{i}}": i for i in range(60)}}
            for i in range({start}, 60, 3):
                merge_rows({str(path)!r}, [{ROW!r} | {{"claim": f"a.{{i}}"}}], order)
        """)
        for start in range(3)
    ]
    for process in processes:
        _, wrong = process.communicate(timeout=120)
        assert process.returncode == 0, wrong
    assert [row["claim"] for row in read_rows(path)] == [f"a.{i}" for i in range(60)]
    assert sorted(content(tmp_path)) == ["rows.jsonl"]


def test_two_hunts_over_one_check(ledger, tmp_path):
    pytest.importorskip("fcntl")
    fake_ledger.write(tmp_path, thm3_hunted=HUNTED)
    words = ["hunt", "toy.thm3", "--budget", "1s", "--ledger", ledger, "--out", "hunts"]
    with locked(tmp_path / "hunts" / "toy.thm3.not_negative.json"):
        done = CliRunner().invoke(main, words)
    assert done.exit_code == 2
    assert "another run writes it; wait for that run" in done.stderr
    assert CliRunner().invoke(main, words).exit_code == 0
    assert sorted(content(tmp_path / "hunts")) == ["toy.thm3.not_negative.json"]


HUNTED = '''
"""Theorem 3: squares are not negative."""

from hypothesis import strategies as st

from boosttheory.claims import Claim, Verdict

claim = Claim("toy.thm3", "perrot2019", "Theorem 3", "Squares", "x^2", expect=Verdict.NO_COUNTEREXAMPLE_FOUND)


@claim.check("search", scope="integers", over=st.integers())
def not_negative(x, *, power=2):
    return x**power


not_negative.mutant("the cube", power=3)
'''


def test_two_indexes_in_one_folder(tmp_path):
    pytest.importorskip("fcntl")
    pytest.importorskip("dask")
    first = index_parts([ROWS], tmp_path / "a", n_objects=4)
    held = locked(tmp_path / "a" / "index.json")
    with held, pytest.raises(BlockingIOError, match="another run writes it"):
        index_parts([ROWS[:2]], tmp_path / "a", n_objects=4)
    assert len(open_index(tmp_path / "a")) == len(first)
    # one that is open goes on reading what it has read, from the files that were there
    near = first.half_spaces(0, 1)
    index_parts([ROWS[:1]], tmp_path / "a", n_objects=4)
    assert [array.tolist() for array in first.half_spaces(0, 1)] == [array.tolist() for array in near]


def test_two_processes_on_one_store(tmp_path):
    pytest.importorskip("fcntl")
    path = tmp_path / "s.jsonl"
    with Store(path, coin(1)) as store:
        process = child(f"""
            import sys
            sys.path.insert(0, {str(Path(__file__).parent)!r})
            import test_faults
            try:
                test_faults.run(test_faults.coin(1), {str(path)!r})
            except BlockingIOError as error:
                print(error.strerror)
        """)
        said, wrong = process.communicate(timeout=120)
        assert said.startswith("another run writes it; wait for that run"), wrong
        assert not store.rows
    assert path.read_bytes() == b""


JUMPS = {"back": -1e9, "forth": 1e9}


@pytest.mark.parametrize("jump", JUMPS)
def test_clocks_that_jump_change_no_budget_and_no_forecast(tmp_path, monkeypatch, jump):
    claim = Claim("toy.thm", "perrot2019", "", "", "x", "not checked")

    @claim.check("search", scope="integers", over=st.integers())
    def square(x):
        return x * x

    clock, calls = time.time, []

    def jumping():
        calls.append(1)
        return clock() + JUMPS[jump] * (len(calls) % 2)

    monkeypatch.setattr(time, "time", jumping)
    start = time.monotonic()
    found = hunt(square, 0.5)
    assert found.cases > 10
    assert 0.4 < found.seconds < 30
    assert 0.4 < time.monotonic() - start < 30
    seen = []
    table = run(coin(3), tmp_path / "s.jsonl", progress=seen.append)
    assert all(0 <= now.seconds < 60 and 0 <= now.left < 60 for now in seen)
    rows = [json.loads(line) for line in (tmp_path / "s.jsonl").read_text().splitlines()]
    assert all(0 <= row["seconds"] < 60 for row in rows)
    monkeypatch.undo()
    assert run(coin(3), tmp_path / "again.jsonl") == table
    atomic_write(tmp_path / "a", "x")


def test_a_hunt_that_was_cut_is_refused_and_kept(tmp_path):
    claim = Claim("toy.thm", "perrot2019", "", "", "x", "not checked")

    @claim.check("search", scope="integers", over=st.integers())
    def square(x):
        return x * x

    (path,) = write_hunt(tmp_path, Hunt(square.id, cases=3, margin=1, best=1))
    whole = path.read_bytes()
    assert read_hunt(tmp_path, square).cases == 3
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match=r"is no hunt over toy\.thm:square; remove it"):
        read_hunt(tmp_path, square)
    assert path.read_bytes() == whole[: len(whole) // 2]
