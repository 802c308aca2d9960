"""Finite classes: time and memory of dimensions and orientations, and the ratio to a flow by networkx.

Run ``python benchmarks/concepts.py``; every line is measured in a process of its own, and the last column is
the time asked for.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from boosttheory import concepts as c
from boosttheory.oneinclusion import Graph, orient


def networkx_number(family: c.FiniteClass) -> int:
    """Return the orientation number by networkx, as a user without this library would."""
    import networkx as nx

    edges = [members for _, members in Graph(family).edges() if len(members) > 1]
    for d in range(family.n_points + 1):
        network = nx.DiGraph()
        network.add_node("source")
        for number, members in enumerate(edges):
            network.add_edge("source", ("edge", number), capacity=len(members) - 1)
            network.add_edges_from(((("edge", number), v) for v in members), capacity=1)
        network.add_edges_from(((v, "sink") for v in range(len(family))), capacity=d)
        if nx.maximum_flow_value(network, "source", "sink") == sum(len(e) - 1 for e in edges):
            return d
    raise AssertionError


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def staircase(steps: int) -> c.FiniteClass:
    i = np.arange(steps)
    return c.FiniteClass(np.stack([(i + 1) // 2, i // 2], axis=1))


# name: (what to build, what to time, seconds asked for)
CASES: dict[str, tuple[Callable[[], c.FiniteClass], Callable[[c.FiniteClass], Any], float | None]] = {
    "DS dimension, 2,000 random of [3]^12": (
        lambda: c.random_class(2000, 12, 3, rng()),
        lambda h: h.ds_dimension(),
        2,
    ),
    "2-DS dimension, the same": (lambda: c.random_class(2000, 12, 3, rng()), lambda h: h.ds_dimension(2), 2),
    "DS dimension, all of [3]^8": (lambda: c.full_class(3, 8), lambda h: h.ds_dimension(), 2),
    "2-DS dimension, all of [3]^8": (lambda: c.full_class(3, 8), lambda h: h.ds_dimension(2), 2),
    "Natarajan dimension, 2,000 random of [3]^12": (
        lambda: c.random_class(2000, 12, 3, rng()),
        lambda h: h.natarajan_dimension(),
        None,
    ),
    "orientation, ball of radius 4 in {0,1}^12": (
        lambda: c.hamming_ball(12, 4),
        lambda h: orient(h).out_degree,
        0.05,
    ),
    "the same by networkx": (lambda: c.hamming_ball(12, 4), networkx_number, None),
    "orientation, ball of radius 6 in {0,1}^20": (
        lambda: c.hamming_ball(20, 6),
        lambda h: orient(h).out_degree,
        10,
    ),
    "orientation, 100,000 random of {0,1}^20": (
        lambda: c.random_class(100_000, 20, 2, rng()),
        lambda h: orient(h).out_degree,
        10,
    ),
    "orientation, all of {0,1}^17": (lambda: c.full_class(2, 17), lambda h: orient(h).out_degree, None),
    "orientation, all of [3]^10": (lambda: c.full_class(3, 10), lambda h: orient(h).out_degree, 10),
    "orientation, grid [300]^2": (lambda: c.box([300, 300]), lambda h: orient(h).out_degree, 10),
    "orientation, staircase of 100,000": (lambda: staircase(100_000), lambda h: orient(h).out_degree, 10),
}


def measure(name: str) -> None:
    build, work, _ = CASES[name]
    orient(c.six_cycle())
    family = build()
    start = time.perf_counter()
    answer = work(family)
    seconds = time.perf_counter() - start
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{len(family):>8} {answer:>7} {seconds:>9.4f} {megabytes:>7.0f}")


def main() -> None:
    print(f"{'':48}patterns  answer   seconds      MB   asked")
    for name, (_, _, asked) in CASES.items():
        done = subprocess.run([sys.executable, __file__, name], capture_output=True, text=True, check=True)
        print(f"{name:48}{done.stdout.rstrip()}{'' if asked is None else f'{asked:>8}'}", flush=True)


if __name__ == "__main__":
    measure(sys.argv[1]) if len(sys.argv) > 1 else main()
