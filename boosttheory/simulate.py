"""Monte Carlo experiments in blocks: seeded by what they are, stored as they come, resumed where they stop.

An experiment is a grid of points and a trial. A block is one call of the trial for some replicates of one
point; its stream depends on the seed, the experiment, the point and the number of the block alone, so that
results are the same on every machine, in every order and after every interruption. The parent process appends
one line a block to a store of JSON lines.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import json
import math
import os
import re
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np

from boosttheory import __version__
from boosttheory.confidence import clopper_pearson, confidence_sequence
from boosttheory.files import parse_json
from boosttheory.rows import _commit

__all__ = [
    "BACKENDS",
    "Block",
    "Experiment",
    "Progress",
    "Store",
    "Width",
    "expected_seconds",
    "run",
    "source_hash",
    "stream",
    "tabulate",
]

Point = Mapping[str, Any]
Record = dict[str, Any]
Trial = Callable[[Point, int, np.random.Generator], Sequence[Mapping[str, Any]]]

BACKENDS = ("loky", "threading", "dask", "ray")
SCHEMA = 1
WAIT = 10.0  # seconds in which a scheduler has to answer
DEATHS = 3  # times in a row that workers may die without finishing a block


@dataclass(frozen=True)
class Experiment:
    """A grid of points, and a trial that is repeated on each.

    Attributes
    ----------
    name : str
        Part of every stream.
    trial : callable
        ``trial(point, size, rng)`` runs ``size`` replicates at once and returns records, mappings of a name
        to a number or text; a function of an importable module, for other processes to find.
    points : tuple of mapping
        Flat mappings that JSON can hold. A grid may grow: streams depend on what a point holds, not on its
        place.
    replicates : int
        How many of each point, unless told otherwise.
    block : int
        How many replicates one call takes at most.
    axes : tuple of str
        Columns of the records that tell records of one replicate apart; all others are measured.
    counts : bool
        Whether a record counts ``hits`` of ``trials``, which are added up; if not, columns are averaged.
    work : callable
        ``work(point)`` is proportional to the time of one replicate, to foretell the time of a long run.
    modules : tuple of str
        Modules that results depend on, besides that of the trial and what it imports.
    path : str
        File or folder that the trial reads, handed to it as ``point["path"]`` and to no stream: name its
        content in the points, so that the same data gives the same results wherever it lies.
    note : str
        What a reader of the figure has to know about the data.
    said : str
        What the numbers are, with ``{}`` for the number of replicates; for a count it is not asked.
    """

    name: str
    trial: Trial
    points: tuple[Point, ...]
    replicates: int
    block: int = 1
    axes: tuple[str, ...] = ()
    counts: bool = False
    work: Callable[[Point], float] = lambda point: 1.0
    modules: tuple[str, ...] = ()
    path: str = ""
    note: str = ""
    said: str = "Mean and standard deviation of {:,} independent repetitions."

    def sizes(self, replicates: int) -> list[int]:
        """Split replicates into blocks, the last of which may be smaller."""
        full, rest = divmod(replicates, self.block)
        return [self.block] * full + [rest] * (rest > 0)


class Block(NamedTuple):
    """Name of one block: the point as JSON text, its number and its size."""

    point: str
    number: int
    size: int


class Progress(NamedTuple):
    """How far a run is: blocks and work, those found in the store apart from those done now."""

    stored: int
    done: int
    blocks: int
    seconds: float
    left: float


@dataclass(frozen=True)
class Width:
    """Sample until the confidence sequence of every point is narrower than this.

    Examples
    --------
    >>> Width.parse("width<0.005")
    Width(below=0.005)
    """

    below: float

    @classmethod
    def parse(cls, text: str) -> Width:
        """Read ``width<0.005``.

        Raises
        ------
        ValueError
            If the text says something else, or the width lies outside (0, 1).
        """
        found = re.fullmatch(r"\s*width\s*<\s*([0-9.eE+-]+)\s*", text)
        try:
            below = float(found[1]) if found else math.nan
        except ValueError:
            below = math.nan
        if not 0 < below < 1:
            raise ValueError(f"until={text!r} is no rule; write 'width<0.005', with a width between 0 and 1")
        return cls(below)

    def met(self, hits: int, trials: int, error: float) -> bool:
        """Tell whether limits are narrow enough."""
        low, high = confidence_sequence(hits, trials, error)
        return bool(high - low < self.below)


def _text(point: Point) -> str:
    return json.dumps(point, sort_keys=True, ensure_ascii=False, allow_nan=False)


def stream(seed: int, name: str, point: Point, block: int) -> np.random.Generator:
    """Return the generator of one block.

    Parameters
    ----------
    seed : int
        Root of every stream, at least 0.
    name : str
        The experiment.
    point : mapping
        The point; the order of its entries does not matter.
    block : int
        Number of the block at that point.

    Examples
    --------
    >>> first, again = (stream(0, "demo", point, 3) for point in ({"n": 5, "p": 0.1}, {"p": 0.1, "n": 5}))
    >>> bool(first.random() == again.random())
    True
    """
    key = [int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") for text in (name, _text(point))]
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(*key, block)))


def source_hash(*modules: str) -> str:
    """Hash modules and every module of their packages that they import, however far.

    A change of a caption, say, leaves the stored blocks of a long run valid; a change of the mathematics does
    not.

    Parameters
    ----------
    *modules : str
        Names of modules, ``"boosttheory.trials"``.
    """
    packages = {name.partition(".")[0] for name in modules}
    texts: dict[str, str] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        spec = importlib.util.find_spec(name) if name not in texts and name != "__main__" else None
        if spec is None or not spec.origin or not spec.origin.endswith(".py"):
            continue
        texts[name] = Path(spec.origin).read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(texts[name])):
            if isinstance(node, ast.Import):
                named = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                named = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            else:
                continue
            waiting += [
                n for n in named if n.partition(".")[0] in packages and n not in texts and _is_module(n)
            ]
    return hashlib.sha256("".join(texts[name] for name in sorted(texts)).encode()).hexdigest()[:16]


def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # the last part names no module but a function of one
        return False


class Store:
    """The blocks of one experiment as JSON lines, one a block; only one process writes.

    Parameters
    ----------
    path : path-like
        The file, made with its folder where there is none.
    experiment : Experiment
        Blocks of another experiment are refused.
    fresh : bool
        Throw away what the file holds.

    Attributes
    ----------
    rows : dict
        (seed, `Block`) to row.

    Raises
    ------
    ValueError
        If the file holds rows of another experiment, version or source, or is no store.
    OSError
        If the file cannot be written, or another run is writing it.

    Notes
    -----
    A last line that was cut in the middle of a write is removed on opening; no other file is changed.
    """

    def __init__(self, path: str | os.PathLike[str], experiment: Experiment, *, fresh: bool = False) -> None:
        self.path = Path(path)
        self.about = {
            "schema": SCHEMA,
            "experiment": experiment.name,
            "version": __version__,
            "source": source_hash(experiment.trial.__module__, *experiment.modules),
        }
        self._counts, self._axes = experiment.counts, experiment.axes
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o666)
        try:
            if not stat.S_ISREG(os.fstat(self._file).st_mode):
                raise OSError(22, "no file that can hold blocks; choose another folder with --out", self.path)
            self._lock()
            if fresh:
                os.ftruncate(self._file, 0)
            self.rows = {self._key(row): row for row in self._read()}
        except BaseException:
            os.close(self._file)
            raise

    def _lock(self) -> None:
        try:
            import fcntl
        except ImportError:  # no such locks on this system
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BlockingIOError(
                11, "another run writes it; wait for that run, or choose another folder with --out", self.path
            ) from None

    @staticmethod
    def _key(row: Mapping[str, Any]) -> tuple[int, Block]:
        return row["seed"], Block(_text(row["point"]), row["block"], row["size"])

    def _read(self) -> Iterator[dict[str, Any]]:
        content = self.path.read_bytes()
        whole = content.rfind(b"\n") + 1
        for number, line in enumerate(content[:whole].splitlines(), 1):
            try:
                row = parse_json(line)
                _check(row, self._counts, self._axes)
            except (ValueError, KeyError, TypeError):
                raise ValueError(
                    f"{self.path}, line {number}: no block of a simulation; start anew with --fresh"
                ) from None
            for name, ours in self.about.items():
                if row.get(name) != ours:
                    raise ValueError(
                        f"{self.path}, line {number}: {name} {row.get(name)!r}, where this run has {ours!r}; "
                        "start anew with --fresh, or keep the old blocks and choose another folder with --out"
                    )
            yield row
        # after a power cut the end of a line may be zeros
        left, start = content[whole:].rstrip(b"\0"), json.dumps(self.about, ensure_ascii=False).encode()[:-1]
        if left[: len(start)] != start[: len(left)]:
            raise ValueError(
                f"{self.path}: its last line is no block of a simulation; start anew with --fresh"
            )
        if whole < len(content):
            os.ftruncate(self._file, whole)

    def append(self, seed: int, block: Block, records: Sequence[Record], seconds: float) -> None:
        """Write one block."""
        row = self.about | {
            "commit": _commit(),
            "seed": seed,
            "point": json.loads(block.point),
            "block": block.number,
            "size": block.size,
            "seconds": round(seconds, 6),
            "records": records,
        }
        line = (json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n").encode()
        try:
            while line:
                line = line[os.write(self._file, line) :]
        except OSError as error:
            raise OSError(error.errno, f"{error.strerror}; the blocks before are kept", self.path) from error
        self.rows[seed, block] = row

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._file)


def _check(row: Any, counts: bool, axes: Sequence[str]) -> None:
    """Refuse a row whose fields are not of the types that `Store.append` writes."""
    kinds = {"seed": int, "block": int, "size": int, "point": dict, "records": list}
    if not isinstance(row, dict) or not all(isinstance(row[name], kind) for name, kind in kinds.items()):
        raise TypeError
    if not all(isinstance(record, dict) for record in row["records"]) or not 0 <= row["seconds"] < math.inf:
        raise TypeError
    for record in row["records"]:
        if counts and not 0 <= int(record["hits"]) <= int(record["trials"]):
            raise ValueError
        if not all(axis in record for axis in axes):
            raise ValueError
        if not all(isinstance(value, (str, int, float, type(None))) for value in record.values()):
            raise TypeError
    _text(row["point"])


def _plain(value: Any) -> Any:
    """Turn a value of a record into what JSON can hold; NaN becomes null."""
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _perform(
    trial: Trial, name: str, path: str, seed: int, block: Block
) -> tuple[Block, list[Record], float]:
    """Run one block; this is what travels to another process or machine."""
    point = json.loads(block.point)
    rng = stream(seed, name, point, block.number)
    start = time.perf_counter()
    records = trial(point | {"path": path} if path else point, block.size, rng)
    plain = [{key: _plain(value) for key, value in record.items()} for record in records]
    return block, plain, time.perf_counter() - start


@contextmanager
def _workers(backend: str, jobs: int, address: str | None) -> Iterator[None]:
    """Make a backend ready; a cluster made here ends here."""
    from joblib import parallel_config

    if backend not in BACKENDS:
        raise ValueError(f"backend={backend!r} is unknown; choose {', '.join(BACKENDS)}")
    if address is not None:
        if backend not in ("dask", "ray"):
            raise ValueError(f"address={address!r} is for the backends dask and ray, not for {backend}")
        _answers(address)
    if backend == "dask":
        try:
            from distributed import Client, LocalCluster
        except ImportError:
            raise ImportError(
                "the backend dask needs the package distributed; pip install 'boosttheory[dist]'"
            ) from None
        local = None
        if address is None:
            local = LocalCluster(n_workers=jobs, threads_per_worker=1, dashboard_address=None)
        client = _in_time(lambda: Client(address or local, timeout=WAIT))
        if client is None:
            raise ConnectionError(
                f"address={address}: no Dask scheduler answers in {WAIT:g} s; start one there with "
                "`dask scheduler`, or leave --address out"
            )
        try:
            with parallel_config(backend="dask"):
                yield
        finally:
            client.close()
            if local is not None:
                local.close()
    elif backend == "ray":
        try:
            import ray
        except ImportError:
            raise ImportError("the backend ray needs the package ray; pip install 'ray[default]'") from None
        quiet = {"configure_logging": False, "log_to_driver": False}
        if address is None:
            ray.init(address="local", num_cpus=jobs, include_dashboard=False, **quiet)
        elif _in_time(lambda: ray.init(address=address, **quiet)) is None:
            raise ConnectionError(
                f"address={address}: no Ray cluster answers in {WAIT:g} s; start one there with "
                "`ray start --head`, or leave --address out"
            )
        try:
            yield
        finally:
            ray.shutdown()
    else:
        with parallel_config(backend=backend, n_jobs=jobs):
            yield


def _in_time(connect: Callable[[], Any]) -> Any:
    """Return what a call returns, or None without an answer in time: Dask and Ray wait for a mute host."""
    import threading

    found: list[Any] = []

    def attempt() -> None:
        try:
            found.append(connect())
        except OSError:
            pass
        except Exception as error:
            found.append(error)

    thread = threading.Thread(target=attempt, daemon=True)
    thread.start()
    thread.join(WAIT)
    if found and isinstance(found[0], Exception):
        raise found[0]
    return found[0] if found else None


def _answers(address: str) -> None:
    """Try to connect to the host and port of an address."""
    import socket

    found = re.fullmatch(
        r"(?:\w+://)?(?:\[(?P<six>[0-9a-fA-F:]+)\]|(?P<host>[^:/\s]+)):(?P<port>\d+)", address
    )
    if found is None:
        raise ValueError(f"address={address!r} names no host and port; write it like tcp://host:8786")
    try:
        socket.create_connection((found["six"] or found["host"], int(found["port"])), timeout=WAIT).close()
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error) or "no answer"
        raise ConnectionError(
            f"address={address}: no scheduler answers ({reason}); start one there, or leave --address out"
        ) from None


_DEAD = ("TerminatedWorkerError", "BrokenProcessPool", "KilledWorker", "WorkerCrashedError")


def _on_ray(calls: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Block, list[Record], float]]:
    """Yield what blocks give as they are done: joblib waits for the slowest there."""
    import ray

    remote = ray.remote(max_retries=0)(_perform)
    waiting = [remote.remote(*call) for call in calls]
    while waiting:
        (first,), waiting = ray.wait(waiting)
        try:
            yield ray.get(first)
        except ray.exceptions.RayTaskError as error:
            if not isinstance(error.cause, ray.exceptions.RayError):
                raise error.cause from None  # what the trial raised, without the traceback in its text
            raise ChildProcessError(
                f"workers cannot run a block ({str(error.cause).splitlines()[-1]}); install there what is "
                "imported here, in the same versions"
            ) from None


def _performed(
    experiment: Experiment, seed: int, blocks: Sequence[Block], backend: str | None
) -> Iterator[tuple[Block, list[Record], float]]:
    """Run blocks and yield them as they are done; those of workers that died are run again."""
    name, what = experiment.name, (experiment.trial, experiment.name, experiment.path, seed)
    if backend is None:
        for block in blocks:
            yield _perform(*what, block)
        return
    from joblib import Parallel, delayed

    missing, deaths = dict.fromkeys(blocks), 0
    while missing:
        if backend == "ray":
            results = _on_ray([(*what, block) for block in missing])
        else:
            results = Parallel(return_as="generator_unordered", batch_size=1)(
                delayed(_perform)(*what, block) for block in list(missing)
            )
        try:
            for found in results:
                del missing[found[0]]
                deaths = 0
                yield found
        except Exception as error:
            if type(error).__name__ not in _DEAD:
                raise
            deaths += 1
            if deaths == DEATHS:
                raise ChildProcessError(
                    f"{name}: workers died {DEATHS} times in a row, {next(iter(missing)).point} is not done; "
                    "they may lack memory: take fewer --jobs"
                ) from error


def run(
    experiment: Experiment,
    path: str | os.PathLike[str],
    *,
    seed: int = 0,
    trials: int | None = None,
    until: Width | None = None,
    error: float = 0.05,
    jobs: int = 1,
    backend: str = "loky",
    address: str | None = None,
    fresh: bool = False,
    progress: Callable[[Progress], object] | None = None,
) -> list[Record]:
    """Run an experiment, or what is missing of it, and return its table.

    Parameters
    ----------
    experiment : Experiment
        Grid and trial.
    path : path-like
        The store.
    seed : int
        Root of every stream, at least 0.
    trials : int, optional
        Replicates of each point; by default those of the experiment.
    until : Width, optional
        Sample each point until its confidence sequence is narrow enough, instead of a fixed number.
    error : float
        Probability that the limits of one point miss.
    jobs : int
        Number of processes or threads; a cluster at an address has its own.
    backend : {"loky", "threading", "dask", "ray"}
        What runs the blocks; one job of loky runs them in this process.
    address : str, optional
        Scheduler of a running cluster.
    fresh : bool
        Throw away what is stored.
    progress : callable, optional
        Called with a `Progress` after each block.

    Returns
    -------
    list of dict
        As from `tabulate`: the same whatever the backend, the jobs and the interruptions.

    Raises
    ------
    ValueError
        If a number is out of range, or the store belongs to something else.
    OSError
        If the store cannot be written, no scheduler answers or workers keep dying. What was done is kept.
    """
    replicates = experiment.replicates if trials is None else trials
    if replicates < 1:
        raise ValueError(f"trials={replicates} leaves nothing to measure; give at least 1")
    if seed < 0 or jobs < 1:
        raise ValueError(f"seed={seed}, jobs={jobs}: a seed starts at 0, and there is at least one job")
    if until is not None and not experiment.counts:
        raise ValueError(f"{experiment.name} measures no probability, so until does not apply; give trials")
    points = [_text(point) for point in experiment.points]
    if len(set(points)) < len(points):
        raise ValueError(f"{experiment.name}: a point occurs twice in the grid; leave one out")
    in_process = backend == "loky" and jobs == 1
    with Store(path, experiment, fresh=fresh) as store:
        stored, start, done = len(store.rows), time.perf_counter(), 0
        pace = _Pace(experiment, store.rows.values())

        def wanted() -> list[Block]:
            if until is None:
                sizes = experiment.sizes(replicates)
                return [Block(point, number, size) for point in points for number, size in enumerate(sizes)]
            return [
                block for point in points for block in _prefix(store, seed, point, experiment, until, error)
            ]

        blocks = wanted()
        missing = [block for block in blocks if (seed, block) not in store.rows]
        if missing:
            with _workers(backend, jobs, address) if not in_process else _nothing():
                while missing:
                    # the longest first, so that no worker is left with a long one at the end
                    missing.sort(key=pace.work, reverse=True)
                    ahead = sum(map(pace.work, missing))
                    for found in _performed(experiment, seed, missing, None if in_process else backend):
                        store.append(seed, *found)
                        done += 1
                        ahead -= pace.work(found[0])
                        pace.add(store.rows[seed, found[0]])
                        if progress is not None:
                            now, left = (
                                time.perf_counter() - start,
                                pace.seconds(max(ahead, 0.0), jobs) or 0.0,
                            )
                            progress(Progress(stored, done, len(blocks), now, left))
                    blocks = wanted()
                    missing = [block for block in blocks if (seed, block) not in store.rows]
        rows = [store.rows[seed, block] for block in blocks]
    return tabulate(experiment, rows, error=error, sequential=until is not None)


@contextmanager
def _nothing() -> Iterator[None]:
    yield


def _prefix(
    store: Store, seed: int, point: str, experiment: Experiment, until: Width, error: float
) -> list[Block]:
    """Return the blocks up to the first at which the rule is met, or twice those there are if it is not."""
    hits = trials = number = 0
    blocks: list[Block] = []
    while (seed, block := Block(point, number, experiment.block)) in store.rows:
        blocks.append(block)
        (record,) = store.rows[seed, block]["records"]
        hits, trials, number = hits + record["hits"], trials + record["trials"], number + 1
        if until.met(hits, trials, error):
            return blocks
    return [Block(point, at, experiment.block) for at in range(max(2 * number, 1))]


class _Pace:
    """Seconds for a unit of work, as far as blocks tell."""

    def __init__(self, experiment: Experiment, rows: Iterable[Mapping[str, Any]]) -> None:
        self.experiment, self.spent, self.done = experiment, 0.0, 0.0
        for row in rows:
            self.add(row)

    def work(self, block: Block) -> float:
        return self.experiment.work(json.loads(block.point)) * block.size

    def add(self, row: Mapping[str, Any]) -> None:
        self.spent += row["seconds"]
        self.done += self.experiment.work(row["point"]) * row["size"]

    def seconds(self, ahead: float, jobs: int) -> float | None:
        return self.spent / self.done * ahead / jobs if self.done else None


def expected_seconds(
    experiment: Experiment,
    rows: Iterable[Mapping[str, Any]],
    *,
    seed: int = 0,
    trials: int | None = None,
    jobs: int = 1,
) -> float | None:
    """Foretell how long it takes to do what is missing, from the time that other blocks took.

    Parameters
    ----------
    experiment : Experiment
        Its ``work`` compares points.
    rows : iterable of mapping
        Rows of stores of this experiment, of any grid and seed.
    seed, trials, jobs
        As in `run`.

    Returns
    -------
    float or None
        Seconds; None if no row tells.
    """
    rows = list(rows)
    pace = _Pace(experiment, rows)
    known = {Store._key(row) for row in rows}
    sizes = experiment.sizes(experiment.replicates if trials is None else trials)
    blocks = [Block(_text(p), number, size) for p in experiment.points for number, size in enumerate(sizes)]
    missing = [block for block in blocks if (seed, block) not in known]
    return pace.seconds(sum(map(pace.work, missing)), max(1, min(jobs, len(missing))))


def tabulate(
    experiment: Experiment,
    rows: Iterable[Mapping[str, Any]],
    *,
    error: float = 0.05,
    sequential: bool = False,
) -> list[Record]:
    """Sum up the records of each point.

    Parameters
    ----------
    experiment : Experiment
        Says what is counted, what is averaged, and by which axes.
    rows : iterable of mapping
        Rows of a store, in the order of points and blocks.
    error : float
        Probability that the limits of one point miss.
    sequential : bool
        Whether the number of trials was not fixed in advance.

    Returns
    -------
    list of dict
        The point and the axes; then ``hits, trials, rate, low, high``, with the limits of
        `clopper_pearson` or `confidence_sequence`; or, of each measured column, the mean under its own name,
        the standard deviation under its name and ``_sd`` (None for one replicate), and ``replicates``. A list
        in a point, over which the records range, is left out.
    """
    groups: dict[str, tuple[Record, list[Mapping[str, Any]]]] = {}
    for row in rows:
        for record in row["records"]:
            place = {**row["point"], **{axis: record[axis] for axis in experiment.axes}}
            place = {name: value for name, value in place.items() if not isinstance(value, list)}
            groups.setdefault(_text(place), (place, []))[1].append(record)
    limits = confidence_sequence if sequential else clopper_pearson
    table = []
    for place, records in groups.values():
        if experiment.counts:
            hits, trials = (sum(record[name] for record in records) for name in ("hits", "trials"))
            low, high = limits(hits, trials, error)
            measured = {"hits": hits, "trials": trials, "rate": hits / trials}
            table.append({**place, **measured, "low": float(low), "high": float(high)})
            continue
        line: Record = {**place, "replicates": len(records)}
        for name in dict.fromkeys(key for record in records for key in record if key not in experiment.axes):
            values = [record[name] for record in records if record.get(name) is not None]
            if values and isinstance(values[0], str):
                line[name] = values[0]
                continue
            line[name] = None if not values else values[0] if len(values) == 1 else float(np.mean(values))
            line[f"{name}_sd"] = float(np.std(values, ddof=1)) if len(values) > 1 else None
        table.append(line)
    return table
