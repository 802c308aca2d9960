"""Engines of TripletBoost: one algorithm, several implementations, and the choice among them.

``"numpy"`` is the reference (`boosttheory.tripletboost`), ``"numba"`` compiles its loops
(`boosttheory.numba_engine`), ``"lockstep"`` does many runs at once (`boosttheory.lockstep`). One generator
gives the same pairs and labels in each, and the same α up to rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from boosttheory import tripletboost
from boosttheory.tripletboost import Run, State

__all__ = ["ENGINES", "choose", "train"]

ENGINES = ("auto", "numpy", "lockstep", "numba")
WORTHWHILE = 20_000  # rounds that take numpy about as long as numba takes to load its compiled loops


def choose(engine: str, triplets: Any, n_rounds: int) -> tuple[str, str]:
    """Choose an engine for a single run.

    Parameters
    ----------
    engine : {"auto", "numpy", "lockstep", "numba"}
        What was asked for.
    triplets : TripletSet or LazyTriplets
        The triplets of the run.
    n_rounds : int
        C.

    Returns
    -------
    name, reason : str
        An engine other than ``"auto"``, and why.

    Raises
    ------
    ValueError
        If there is no such engine.
    ImportError
        If ``"numba"`` is asked for and not installed.

    Examples
    --------
    >>> choose("lockstep", None, 10)
    ('lockstep', 'as asked')
    """
    if engine not in ENGINES:
        raise ValueError(f"engine={engine!r} is unknown; choose one of {', '.join(ENGINES)}")
    installed = find_spec("numba") is not None
    if engine == "numba" and not installed:
        raise ImportError(
            "engine='numba' needs numba, which is not installed; run pip install 'boosttheory[fast]' or take "
            "engine='numpy'"
        )
    if engine != "auto":
        return engine, "as asked"
    if not hasattr(triplets, "starts"):
        return "numpy", "half-spaces are looked up one pair at a time, which takes longer than the rounds"
    if n_rounds < WORTHWHILE:
        return "numpy", f"{n_rounds} rounds end before compiled loops are loaded"
    if not installed:
        return "numpy", "numba is not installed (pip install 'boosttheory[fast]')"
    return "numba", f"numba is installed and {n_rounds} rounds are worth loading its loops"


def train(
    triplets: Any,
    y: ArrayLike,
    n_labels: int,
    n_rounds: int,
    rng: np.random.Generator,
    *,
    engine: str = "auto",
    state: State | None = None,
    callback: Callable[[int, float], object] | None = None,
    debug: bool = False,
) -> Run:
    """Run Algorithm 1 in the engine of choice; see `boosttheory.tripletboost.train`.

    Parameters
    ----------
    triplets, y, n_labels, n_rounds, rng, state, callback, debug
        See `boosttheory.tripletboost.train`. The lock-step engine calls back once, at the end.
    engine : {"auto", "numpy", "lockstep", "numba"}
        See `choose`.

    Returns
    -------
    Run
        The trace of the C rounds.

    Raises
    ------
    ValueError, ImportError
        See `choose` and `boosttheory.tripletboost.train`.
    """
    name, _ = choose(engine, triplets, n_rounds)
    if name == "lockstep":
        from boosttheory.lockstep import train_many

        states = None if state is None else [state]
        (run,) = train_many(triplets, np.asarray(y), n_labels, n_rounds, [rng], states=states, debug=debug)
        if callback is not None:
            callback(n_rounds, float(run.log_z.sum()))
        return run
    if name == "numba":
        from boosttheory import numba_engine

        one = numba_engine.train
    else:
        one = tripletboost.train
    return one(triplets, y, n_labels, n_rounds, rng, state=state, callback=callback, debug=debug)
