"""Speed and memory of TripletBoost against its peers: one command, ratios from one run.

python benchmarks/run.py [SECTION ...] [--large] [--out FOLDER]

Sections: rounds, scaling, multiclass, worst, index, predict, peers; iris only when named (a minute with
numba, ten with numpy).
``--large`` indexes 10^8 and 3 · 10^8 triplets too, which takes 4 GB of disk. Every section runs in a process
of its own, so that its peak of memory can be told; rows go to FOLDER/speed.jsonl and curves to
FOLDER/speed.svg.
Times are those of the processor, the best of several, taken in turns; the index is also timed by the clock.
On a busy machine look at the ratios.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from boosttheory import engines
from boosttheory.concepts import random_class
from boosttheory.hedge import hedge
from boosttheory.lockstep import train_many
from boosttheory.oneinclusion import Graph, orient
from boosttheory.recursive import recursive_boost
from boosttheory.spaces import load_space
from boosttheory.tripletboost import Model, State, train, training_bound
from boosttheory.triplets import TripletSet, TripletWarning

R = 100  # runs in lock-step
INDEX_LIMITS = {6_240_000: 0.5, 10**8: 12.0}  # seconds that an idle machine may take
FEW_ROWS, MANY_ROWS = "n=1,000, 1,000,000 rows", "n=1,000, 100,000,000 rows"
HERE = Path(__file__)
try:
    from boosttheory import numba_engine
except ImportError:
    numba_engine = None


def tell(section: str, case: str, value: float, unit: str, **more: Any) -> None:
    """Print one result as a line of JSON, for the parent to read."""
    print(json.dumps({"section": section, "case": case, "value": value, "unit": unit, **more}), flush=True)


def best(calls: dict[str, Callable[[], object]], rounds: int = 5) -> dict[str, float]:
    """Time several calls in turns; the least time of the processor that each took, in seconds."""
    found = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            start = time.process_time()
            call()
            found[name] = min(found[name], time.process_time() - start)
    return found


def peak() -> float:
    """Peak of the resident memory of this process so far, in MB."""
    with open("/proc/self/status") as status:
        return next(float(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024


def plane(n: int, proportion: float, n_labels: int = 2, seed: int = 0) -> tuple[TripletSet, np.ndarray]:
    """Triplets of n points of the plane, labelled by stripes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = np.argsort(np.argsort(X[:, 0])) * n_labels // n
    return TripletSet.from_metric(X, proportion=proportion, rng=rng), y


def wide(n: int, per_pair: int) -> tuple[TripletSet, np.ndarray, Callable[[], State]]:
    """Make a set of n objects about 60 of them, labels, and weights that lie almost all on the 60."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    codes = np.arange(60 * 59 // 2)
    halves = rng.integers(n, size=(2 * len(codes), per_pair // 2), dtype=np.int32)
    heads = np.sort(halves, axis=1).reshape(-1).astype(np.int16 if n < 2**15 else np.int32)
    starts = np.arange(2 * len(codes) + 1, dtype=np.int32) * (per_pair // 2)

    def state() -> State:
        fresh = State.initial(y, 2)
        fresh.signed[60:] *= 1e-200
        fresh.marginal = np.abs(fresh.signed).sum(axis=1)
        return fresh

    return TripletSet(n, n, True, heads, starts, codes), y, state


def single(engine: str, triplets: Any, y: Any, n_labels: int, rounds: int) -> Callable[[], object]:
    """Return a run of one engine, to be timed."""
    return lambda: engines.train(triplets, y, n_labels, rounds, np.random.default_rng(1), engine=engine)


def lockstep(triplets: Any, y: Any, n_labels: int, rounds: int, runs: int = R) -> Callable[[], object]:
    """Return runs side by side, to be timed."""
    return lambda: train_many(
        triplets, y, n_labels, rounds, [np.random.default_rng(seed) for seed in range(runs)]
    )


def scan(triplets: Any, y: Any, n_labels: int, rounds: int) -> Callable[[], object]:
    """Return a run of the peer, to be timed."""
    import peer

    return lambda: peer.train(triplets, y, n_labels, rounds, np.random.default_rng(1))


def rounds() -> None:
    """Microseconds a round of every engine, and how many times faster than a scan of T."""
    X, iris = load_space("iris")
    warnings.simplefilter("ignore", TripletWarning)
    cases = {
        "n=150, K=3, iris, 10 %": (TripletSet.from_metric(X, rng=np.random.default_rng(0)), iris, 3),
        "n=500, K=2, 10 %": (*plane(500, 0.1), 2),
        "n=500, K=10, 10 %": (*plane(500, 0.1, 10), 10),
        "n=5,000, K=2, 0.02 %": (*plane(5000, 0.0002), 2),
    }
    for case, (triplets, y, n_labels) in cases.items():
        rows = np.random.default_rng(0).permutation(triplets.to_array()).astype(np.int64)
        narrow = np.asfortranarray(rows.astype(np.int32))
        counts = {
            "scan of T": 5,
            "scan of 32-bit columns": 10,
            "numpy": 4000,
            "lockstep": 500,
            "numba": 200_000,
        }
        calls: dict[str, Callable[[], object]] = {
            "scan of T": scan(rows, y, n_labels, 5),
            "scan of 32-bit columns": scan(narrow, y, n_labels, 10),
            "numpy": single("numpy", triplets, y, n_labels, counts["numpy"]),
            "lockstep": lockstep(triplets, y, n_labels, counts["lockstep"]),
        }
        if numba_engine is not None:
            single("numba", triplets, y, n_labels, 10)()
            calls["numba"] = single("numba", triplets, y, n_labels, counts["numba"])
        seconds = best(calls)
        each = {name: s / counts[name] / (R if name == "lockstep" else 1) for name, s in seconds.items()}
        for name, s in each.items():
            ratio = each["scan of T"] / s
            more = {"of": "scan of T", "ratio": ratio}
            if case == "n=500, K=2, 10 %" and name in ("numpy", "numba"):
                more["bar"] = {"numpy": 200, "numba": 5000}[name]
            if name == "lockstep":
                more = {"of": "numpy", "ratio": each["numpy"] / s}
                if case == "n=500, K=2, 10 %":
                    more["bar"] = 5
            tell("rounds", f"{case}: {name}", 1e6 * s, "µs a round", triplets=len(triplets), **more)


def fit(name: str, xs: list[int], calls: list[list[Callable[[], object]]], repeats: int = 5) -> list[float]:
    """Time pairs of calls, and fit an exponent; the time of a point is the difference of its two."""
    seconds = best(
        {f"{x} {i}": call for x, pair in zip(xs, calls, strict=True) for i, call in enumerate(pair)},
        repeats,
    )
    ys = [
        seconds[f"{x} {len(pair) - 1}"] - (seconds[f"{x} 0"] if len(pair) > 1 else 0.0)
        for x, pair in zip(xs, calls, strict=True)
    ]
    slope = float(np.polyfit(np.log(xs[-3:]), np.log(ys[-3:]), 1)[0])
    tell("scaling", name, slope, "exponent", x=xs, y=ys)
    return ys


def scaling() -> None:
    """Exponents of the time of a round in one quantity, the others held; fitted to the last three points."""
    names = ("numpy",) if numba_engine is None else ("numpy", "numba")
    count = {"numpy": 1500, "numba": 40_000}

    def from_state(engine: str, triplets: TripletSet, y: Any, state: Callable[[], State], c: int) -> Any:
        return lambda: engines.train(
            triplets, y, 2, c, np.random.default_rng(1), engine=engine, state=state()
        )

    triplets, y = plane(500, 0.1)
    for engine in names:
        single(engine, triplets, y, 2, 10)()
        c = count[engine]
        grid = [c * factor for factor in (1, 4, 16, 64 if engine == "numba" else 32)]
        fit(f"rounds C, {engine}", grid, [[single(engine, triplets, y, 2, x)] for x in grid], 3)
        grid = [64, 1024, 4096, 16_384]
        sets = [wide(20_000, r) for r in grid]
        few = 1000 if engine == "numba" else 300  # in longer runs other objects come to weigh
        ys = fit(
            f"triplets a pair, {engine}",
            grid,
            [[from_state(engine, *one, few), from_state(engine, *one, 3 * few)] for one in sets],
        )
        slope, fixed = np.polyfit(grid, np.array(ys) / (2 * few), 1)
        tell("cost", f"one triplet in a round, {engine}", 1e9 * slope, "ns", fixed_us=1e6 * fixed)
        grid = [1000, 10_000, 100_000, 1_000_000]
        sets = [wide(n, 64) for n in grid]
        fit(
            f"objects n, 64 triplets a pair, {engine}",
            grid,
            [[from_state(engine, *one, c // 4), from_state(engine, *one, c)] for one in sets],
        )
        grid = [2, 4, 8, 16, 32]
        fit(
            f"labels K, {engine}",
            grid,
            [[single(engine, *plane(200, 0.1, k), k, c)] for k in grid],
        )
    grid = [4, 16, 64, 256]
    fit("runs R, lockstep", grid, [[lockstep(triplets, y, 2, 50, r)] for r in grid])


def multiclass() -> None:
    """Exponents of Hedge, recursive boosting, dimensions and one-inclusion graphs; memory without T."""
    import tracemalloc

    def sample(m: int, n_labels: int) -> tuple[np.ndarray, list[np.ndarray]]:
        rng = np.random.default_rng(0)
        y = rng.integers(n_labels, size=m)
        return y, [np.where(rng.random(m) < 0.6, y, rng.integers(n_labels, size=m)) for _ in range(16)]

    def hedged(m: int, T: int) -> Callable[[], object]:
        y, predictions = sample(m, 10)
        right = [predicted == y for predicted in predictions]
        turn = cycle(right)
        return lambda: hedge(lambda D: next(turn), m, T, 0.1)

    def boosted(m: int, n_labels: int, p: int, T: int) -> Callable[[], object]:
        y, predictions = sample(m, n_labels)

        def run() -> object:
            turn = cycle(predictions)
            return recursive_boost(
                lambda D, lists: next(turn), y, n_labels, 0.1, p=p, budget=p + T, strict=False
            )

        return run

    grid = [1000, 10_000, 100_000, 1_000_000]
    fit("examples m, Hedge", grid, [[hedged(m, 20), hedged(m, 60)] for m in grid], 3)
    fit("examples m, recursion", grid, [[boosted(m, 100, 4, 30), boosted(m, 100, 4, 60)] for m in grid], 3)
    grid = [10, 100, 1000, 10_000, 100_000]
    fit("labels K, recursion", grid, [[boosted(10_000, k, 4, 60), boosted(10_000, k, 4, 180)] for k in grid])
    grid = [4, 8, 16, 32, 64]
    fit("lists p, recursion", grid, [[boosted(10_000, 10**6, p, T) for T in (128, 384)] for p in grid])
    bytes_of = {}
    for T in (60, 600):
        run = boosted(10_000, 100, 4, T)
        tracemalloc.start()
        run()
        bytes_of[T] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    tell(
        "multiclass",
        "memory of 600 calls, m=10,000",
        bytes_of[600] / 1e6,
        "MB",
        of_60_calls=bytes_of[600] / bytes_of[60],
    )

    def classes(points: int, n_labels: int, size: int, use: Callable[[Any], object]) -> Any:
        """Make a class, and make one and use it: what is found out about a class is kept with it."""
        make = partial(random_class, size, points, n_labels)
        return [lambda: make(np.random.default_rng(0)), lambda: use(make(np.random.default_rng(0)))]

    grid = [500, 1000, 2000, 4000]
    fit("patterns, DS dimension", grid, [classes(12, 3, n, lambda c: c.ds_dimension()) for n in grid], 2)
    fit("patterns, 2-DS dimension", grid, [classes(12, 3, n, lambda c: c.ds_dimension(2)) for n in grid], 2)
    grid = [1000, 4000, 16_000, 64_000]
    fit("patterns, edges", grid, [classes(20, 2, n, Graph) for n in grid], 3)
    fit("patterns, orientation", grid, [classes(20, 2, n, orient) for n in grid], 3)


def worst() -> None:
    """Games, linear programs and trials of a fixed size, beside the seconds that they may take."""
    from fractions import Fraction

    from boosttheory.abstention import simulate_abstentions
    from boosttheory.games import hedge_game
    from boosttheory.weak_games import game_value

    y = np.arange(10_000) % 10
    rng = np.random.default_rng(0)
    table = rng.random((200, 500)) < 0.5
    turn = cycle([np.where(rng.random(len(y)) < 0.4, y, rng.integers(10, size=len(y))) for _ in range(20)])
    calls: dict[str, tuple[Callable[[], object], float]] = {
        f"Hedge against 5 examples, 40 rounds, k={k}": (
            partial(hedge_game, 5, 40, Fraction(1, k) + Fraction(1, 10), decay=Fraction(7, 10)),
            60.0,
        )
        for k in (2, 3, 5)
    }
    calls["weak-learning game, 200 x 500, enclosed"] = (lambda: game_value(table), 5.0)
    calls["recursion, 10^4 calls on 10^4 examples"] = (
        lambda: recursive_boost(lambda D, lists: next(turn), y, 10, 0.1, p=9, budget=10**4, strict=False),
        10.0,
    )
    calls["abstentions, 10^5 replicates at n=200"] = (
        lambda: simulate_abstentions(200, 2 * 200**-1.5, 19_900, 100_000, np.random.default_rng(1)),
        60.0,
    )
    for case, (call, limit) in calls.items():
        tell("worst", case, best({case: call}, 2)[case], "s", limit=limit)


def write_parts(folder: str, n: int, m: int) -> None:
    """Write random rows (i, j, k), answered by distances on a line, a million a file."""
    rng = np.random.default_rng(0)
    for number in range(-(-m // 10**6)):
        rows = rng.integers(n, size=(min(10**6, m - number * 10**6), 3), dtype=np.int32)
        i, j, k = rows.T
        k[:] = (j + 1 + k % (n - 1)) % n
        nearer, farther = np.abs(i - j), np.abs(i - k)
        swap = (nearer > farther) | ((nearer == farther) & (j > k))
        rows[swap, 1:] = rows[swap, :0:-1]
        np.save(Path(folder) / f"{number:05}.npy", rows)


def fresh(count: int) -> float:
    """Time what the system takes to give out memory that was never touched, in seconds."""
    held = np.empty(count, np.uint8)
    start = time.process_time()
    held[::4096] = 0
    return time.process_time() - start


def index_one(n: int, m: int) -> None:
    """Index m random triplets that are streamed from files, which another process writes before.

    Of the time of the processor, the part of the system is told apart: most of it gives out fresh memory,
    which on a virtual machine may take longer than all the sorting, and differs from minute to minute.
    """
    warnings.simplefilter("ignore", TripletWarning)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, str(HERE), "--child", f"parts:{folder}:{n}:{m}"], check=True)
        os.sync()
        part = max(file.stat().st_size for file in Path(folder).iterdir()) / 2**20
        TripletSet.from_parts([[[0, 1, 2]]], n_objects=3)  # loads what the index needs
        before, seconds = peak(), float("inf")
        user = system = float("inf")
        for _ in range(5 if m < 10**8 else 2):
            found = None
            start, used = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)
            found = TripletSet.from_parts(folder, n_objects=n, self_reference="keep")
            seconds = min(seconds, time.perf_counter() - start)
            after = resource.getrusage(resource.RUSAGE_SELF)
            user = min(user, after.ru_utime - used.ru_utime)
            system = min(system, after.ru_stime - used.ru_stime)
        megabytes = peak() - before - part
        assert found is not None
        size = found.heads.nbytes + found.starts.nbytes
        size += 0 if found.pair_codes is None else found.pair_codes.nbytes
        tell(
            "index",
            f"n={n:,}, {m:,} rows",
            seconds,
            "s",
            ns_per_row=1e9 * seconds / m,
            user_ns_per_row=1e9 * user / m,
            system_ns_per_row=1e9 * system / m,
            fresh_memory_ns_per_row=1e9 * fresh(4 * m) / m,
            megabytes_beyond_a_part=megabytes,
            of_result=megabytes * 2**20 / size,
            peak=before + megabytes + part,
            **({"limit": INDEX_LIMITS[m]} if m in INDEX_LIMITS else {}),
        )


def predict() -> None:
    """Test objects a second at 6,240 triplets each, by the table and by merging."""
    triplets, y = plane(500, 0.1)
    rng = np.random.default_rng(1)
    queries = TripletSet.from_metric(
        rng.normal(size=(500, 2)), queries=rng.normal(size=(4000, 2)), proportion=0.05, rng=rng
    )
    model = Model.from_run(engines.train(triplets, y, 2, 60_000, rng), 500, 2)
    few = Model.from_run(engines.train(triplets, y, 2, 2000, rng), 500, 2)
    rows = queries.restrict(np.arange(500)).to_array()

    def from_rows() -> object:
        block = TripletSet.from_arrays(rows, own_references=False, n_objects=500, n_references=500)
        return model.scores(block)

    seconds = best(
        {
            "table": lambda: model.scores(queries, table=True),
            "merge": lambda: model.scores(queries, table=False),
            "merge, 2,000 rounds": lambda: few.scores(queries, table=False),
            "unsorted rows, indexed first": from_rows,
        }
    )
    bars = {"table": 20_000, "merge": 1000}
    for name, s in seconds.items():
        more = {"bar": bars[name]} if name in bars else {}
        rate = (500 if name.startswith("unsorted") else 4000) / s
        tell("predict", name, rate, "objects/s", triplets_each=len(queries) / 4000, ratio=rate, **more)


def peers() -> None:
    """Other learners on Iris, trained on two thirds and tested on the rest; seconds and accuracy."""
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.neighbors import KNeighborsClassifier

    X, y = load_space("iris")
    rng = np.random.default_rng(0)
    order = rng.permutation(len(X))
    first, second = order[:100], order[100:]
    warnings.simplefilter("ignore", TripletWarning)
    training = TripletSet.from_metric(X[first], rng=rng)
    tests = TripletSet.from_metric(X[first], queries=X[second], rng=rng)
    for engine in ("numpy", "numba") if numba_engine is not None else ("numpy",):
        if engine == "numba":
            single(engine, training, y[first], 3, 10)()
        start = time.process_time()
        run = engines.train(training, y[first], 3, 10_000, np.random.default_rng(0), engine=engine)
        scores = Model.from_run(run, 100, 3).scores(tests)
        seconds = time.process_time() - start
        accuracy = float(np.mean(scores.argmax(axis=1) == y[second]))
        tell("peers", f"TripletBoost, {engine}, 10,000 rounds", seconds, "s", accuracy=accuracy)
    start = time.process_time()
    stumps = AdaBoostClassifier(n_estimators=100, random_state=0).fit(X[first], y[first])
    accuracy = float(stumps.score(X[second], y[second]))
    tell("peers", "AdaBoost on coordinates, 100 stumps", time.process_time() - start, "s", accuracy=accuracy)
    try:
        from cblearn.embedding import TSTE
    except ImportError:
        print("t-STE: cblearn is not installed", file=sys.stderr)
        return
    # all objects are embedded together from the same number of triplets a training object has
    whole = TripletSet.from_metric(X, proportion=0.1, rng=rng).to_array()
    start = time.process_time()
    embedded = TSTE(n_components=2, random_state=0).fit_transform(whole)
    near = KNeighborsClassifier(5).fit(embedded[first], y[first])
    accuracy = float(near.score(embedded[second], y[second]))
    tell("peers", "t-STE (cblearn) and 5 neighbours", time.process_time() - start, "s", accuracy=accuracy)


def iris(engine: str) -> None:
    """Accuracy after 10^5 and 10^6 rounds, ten seeds, and Theorem 2 on every run, in logs."""
    X, y = load_space("iris")
    sets = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        order = rng.permutation(len(X))
        first, second = order[:100], order[100:]
        options: dict[str, Any] = {"proportion": 0.1, "ties": "random", "rng": rng}
        training = TripletSet.from_metric(X[first], **options)
        sets.append(
            (training, TripletSet.from_metric(X[first], queries=X[second], **options), y[first], y[second])
        )
    start = time.perf_counter()
    if engine == "lockstep":
        rngs = [np.random.default_rng(seed) for seed in range(10)]
        runs = train_many([s[0] for s in sets], [s[2] for s in sets], 3, 10**6, rngs)
    else:
        function = train if engine == "numpy" else numba_engine.train
        runs = [function(s[0], s[2], 3, 10**6, np.random.default_rng(seed)) for seed, s in enumerate(sets)]
    seconds = time.perf_counter() - start
    accuracies: dict[int, list[float]] = {10**5: [], 10**6: []}
    holds = True
    for (training, tests, own, wanted), run in zip(sets, runs, strict=True):
        run.state.check()
        for count, found in accuracies.items():
            part = run.first(count)
            model = Model.from_run(part, 100, 3)
            found.append(float(np.mean(model.scores(tests).argmax(axis=1) == wanted)))
            scores = model.scores(training)
            rest = scores.copy()
            rest[np.arange(100), own] = -1.0
            error = float(np.mean(rest.max(axis=1) >= scores[np.arange(100), own]))
            holds &= error == 0.0 or np.log(error) <= training_bound(part)
    means = {count: float(np.mean(found)) for count, found in accuracies.items()}
    tell(
        "iris",
        f"{engine}: accuracy after 10^6 rounds",
        means[10**6],
        "mean of 10 seeds",
        after_1e5=means[10**5],
        difference=means[10**6] - means[10**5],
        theorem_2_holds=bool(holds),
        log_bounds=[float(training_bound(run)) for run in runs],
        seconds=seconds,
    )


def describe() -> dict[str, Any]:
    """Describe the machine."""
    with open("/proc/cpuinfo") as table:
        model = next((line.split(":")[1].strip() for line in table if line.startswith("model name")), "")
    return {
        "processor": model,
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": None if numba_engine is None else __import__("numba").__version__,
    }


def show(row: dict[str, Any]) -> None:
    """Print a result as a line of the table."""
    known = {
        "machine",
        "section",
        "case",
        "value",
        "unit",
        "x",
        "y",
        "ratio",
        "of",
        "bar",
        "limit",
        "log_bounds",
    }
    text = f"{row['section']:8} {row['case']:44} {row['value']:12,.4g} {row['unit']:11}"
    if "of" in row:
        text += f" {row['ratio']:9,.1f} times faster than {row['of']}"
    if "bar" in row:
        text += f" (at least {row['bar']:,}: {'yes' if row['ratio'] >= row['bar'] else 'NO'})"
    if "limit" in row:
        text += f" (at most {row['limit']:,}: {'yes' if row['value'] <= row['limit'] else 'NO'})"
    rest = {key: value for key, value in row.items() if key not in known}
    print(text, ", ".join(f"{k}={v:,.4g}" if isinstance(v, float) else f"{k}={v}" for k, v in rest.items()))


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    """Plot the scaling curves."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    curves = [row for row in rows if row["section"] == "scaling"]
    figure, axes = pyplot.subplots(
        2, -(-len(curves) // 2), figsize=(14, 6), layout="constrained", squeeze=False
    )
    for axis, row in zip(axes.flat, curves, strict=False):
        axis.loglog(row["x"], row["y"], "o-", color="#0072b2")
        axis.set_title(f"exponent {row['value']:.2f}", fontsize=9)
        axis.set_xlabel(row["case"], fontsize=9)
        axis.set_ylabel("seconds", fontsize=9)
    figure.savefig(path)


SECTIONS = {
    "rounds": rounds,
    "scaling": scaling,
    "multiclass": multiclass,
    "worst": worst,
    "predict": predict,
    "peers": peers,
}


def main() -> None:
    """Run the sections asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "sections", nargs="*", help="rounds, scaling, multiclass, worst, index, predict, peers, iris"
    )
    parser.add_argument("--large", action="store_true", help="index 10^8 and 3 · 10^8 triplets too")
    parser.add_argument("--out", type=Path, default=HERE.parent.parent / "reports")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        name, *rest = given.child.split(":")
        if name == "index":
            index_one(*map(int, rest))
        elif name == "parts":
            write_parts(rest[0], *map(int, rest[1:]))
        elif name == "iris":
            iris(*rest)
        else:
            SECTIONS[name]()
        if name not in ("index", "parts"):
            tell("memory", given.child, peak(), "MB")
        return
    wanted = given.sections or ["rounds", "scaling", "multiclass", "worst", "index", "predict", "peers"]
    children = []
    for name in wanted:
        if name == "index":
            sizes = [(1000, 10**6), (500, 6_240_000), (1000, 10**7)]
            sizes += [(1000, 10**8), (5000, 3 * 10**8)] if given.large else []
            children += [f"index:{n}:{m}" for n, m in sizes]
        elif name == "iris":
            children += [f"iris:{engine}" for engine in engines.ENGINES[1:]]
        else:
            children.append(name)
    rows, about = [], describe()
    print(", ".join(f"{key} {value}" for key, value in about.items()))
    for child in children:
        with subprocess.Popen(
            [sys.executable, str(HERE), "--child", child], stdout=subprocess.PIPE, text=True
        ) as process:
            for line in process.stdout or ():
                row = json.loads(line)
                show(row)
                rows.append({**row, "machine": about})
        if process.returncode:
            sys.exit(f"{child} failed")
    costs = [row["user_ns_per_row"] for row in rows if row["case"] in (FEW_ROWS, MANY_ROWS)]
    if len(costs) == 2:
        growth = {
            "section": "index",
            "case": f"{MANY_ROWS}, a row",
            "value": costs[1] / costs[0],
            "limit": 1.25,
        }
        rows.append({**growth, "unit": "of 10^6", "machine": about})
        show(rows[-1])
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "speed.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    if any(row["section"] == "scaling" for row in rows):
        draw(rows, given.out / "speed.svg")


if __name__ == "__main__":
    main()
