"""The figures of both papers and those that go with them: what is run, how it is drawn, what to look for.

Each figure has two grids: a reduced one that takes seconds to a minute, and the size of the paper.
"""

from __future__ import annotations

import difflib
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from boosttheory import bounds, movielens, trials
from boosttheory.figures import COLOURS, CYCLE, DASHES, INK, LICENCE, MARKS, canvas, curve, measured, theory
from boosttheory.simulate import Experiment
from boosttheory.spaces import digest

__all__ = ["FIGURES", "Drawing", "claim_experiment", "figure"]

Table = Sequence[Mapping[str, Any]]
Draw = Callable[[Table, str], Any]


@dataclass(frozen=True)
class Drawing:
    """One figure.

    Attributes
    ----------
    name, title, locator : str
        Its name for the command, what it shows, and where in which paper.
    caption : str
        What to look for.
    experiment : callable
        ``experiment(full, data)`` gives the reduced or the full grid; ``data`` is a path or None.
    draw : callable
        ``draw(table, style)`` gives a matplotlib figure.
    data : str
        What the path of the option ``--data`` must hold; empty if the figure takes none.
    needs_data : bool
        Whether there is nothing to show without it.
    once : bool
        Whether it shows one run, so that repetitions make no sense.
    """

    name: str
    title: str
    locator: str
    caption: str
    experiment: Callable[[bool, str | None], Experiment]
    draw: Draw
    data: str = ""
    needs_data: bool = False
    once: bool = False

    def captioned(self, notes: str) -> str:
        """Return the whole caption: where in the paper, what to look for, what was run, the licence."""
        return f"{self.locator}. {self.caption} {notes} {LICENCE}"


def figure(name: str) -> Drawing:
    """Return a figure by name.

    Raises
    ------
    KeyError
        If there is none; the message names the nearest.
    """
    if name not in FIGURES:
        near = difflib.get_close_matches(name, FIGURES, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]!r}?" if near else "`boosttheory simulate --list` shows every name"
        raise KeyError(f"unknown figure {name!r}; {hint}")
    return FIGURES[name]


def claim_experiment(claims: Mapping[str, Any]) -> Experiment:
    """Return the experiment that draws the statistical checks of some claims again and again.

    Parameters
    ----------
    claims : mapping of str to Claim
        As from `boosttheory.claims.select`.

    Returns
    -------
    Experiment
        One point for each that such a check looks at.

    Raises
    ------
    ValueError
        If none of the claims has a statistical check with draws.
    """
    points, modules = [], []
    for claim in claims.values():
        for check in claim.checks:
            if check.draw is not None:
                for at, _ in enumerate(check.points()):
                    points.append({"claim": claim.id, "check": check.name, "at": at})
                modules.append(claim.module)
    if not points:
        raise ValueError(
            f"{', '.join(claims)}: no statistical check that draws; `boosttheory check` runs the others"
        )
    name = "claims-" + "-".join(sorted(claims))
    return Experiment(name, trials.claim_trial, tuple(points), 5, modules=tuple(dict.fromkeys(modules)))


# --- helpers -----------------------------------------------------------------------------------------------


def _column(lines: Table, name: str) -> list[Any]:
    return [line[name] for line in lines]


def _series(table: Table, name: str) -> dict[Any, list[Mapping[str, Any]]]:
    """Group the lines of a table by one column, in the order of their first occurrence."""
    groups: dict[Any, list[Mapping[str, Any]]] = {}
    for line in table:
        groups.setdefault(line[name], []).append(line)
    return groups


def _band(mean: Sequence[float], spread: Sequence[float | None]) -> tuple[list[float], list[float]]:
    """Return the limits one standard deviation below and above; none for one replicate."""
    sds = [s or 0.0 for s in spread]
    low = [v - s for v, s in zip(mean, sds, strict=True)]
    return low, [v + s for v, s in zip(mean, sds, strict=True)]


def _percent(share: float) -> str:
    return f"{100 * share:g} %"


def _legend_beside(axes: Any) -> None:
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


# --- Figures 2 and 3 of Perrot & von Luxburg ---------------------------------------------------------------


def _method_seconds(point: Mapping[str, Any]) -> float:
    """Rough seconds of `trials.methods_trial`; only ratios matter."""
    n, methods = point["objects"], point["methods"]
    seconds = point["rounds"] * (1e-7 * n if point["lazy"] else 2e-5)
    if "t-STE" in methods:
        seconds += 6e-6 * point["proportion"] * n**3
    if "SAMME" in methods:
        seconds += 1e-3 * point["stumps"] * (1 + n * (8 if point["lazy"] else 1) / 5000)
    return seconds


def _comparison(name: str, vary: str, values: Sequence[Any], **small: Any) -> Callable[..., Experiment]:
    """Make the grid of Figure 2: all methods, one parameter varied."""

    def experiment(full: bool, data: str | None) -> Experiment:
        base = {"dataset": "moons", "objects": 500 if full else 200, "metric": "euclidean", "proportion": 0.1}
        size = {"rounds": 1_000_000 if full else 10_000, "stumps": 1000 if full else 100}
        methods = [m for m in MARKS if m != "t-STE" or _embeds()]
        fixed = {**base, "noise": 0.0, **size, "lazy": False, "methods": methods, **small}
        points = tuple({**fixed, vary: value} for value in values)
        replicates = 10 if full else 4
        return Experiment(
            name, trials.methods_trial, points, replicates, axes=("method",), work=_method_seconds,
            note="" if _embeds() else WITHOUT,
        )  # fmt: skip

    return experiment


WITHOUT = "t-STE is left out: it needs cblearn ≥ 0.4, sparse and numba."


def _embeds() -> bool:
    """Whether cblearn is there to compute t-STE."""
    from importlib.util import find_spec

    return all(map(find_spec, ("cblearn", "sparse", "numba")))


POINTS = "mnist10k.npz"


def _bundled_points() -> Path | None:
    """Find ten thousand digits of MNIST: in the folder BOOSTTHEORY_DATA, or beside a clone."""
    named, clone = os.environ.get("BOOSTTHEORY_DATA"), Path(__file__).parents[1]
    homes = [*([Path(named)] if named else []), clone.parent / "shared" / "data"]
    places = (home / folder / POINTS for home in homes for folder in (".", "derived"))
    return next((place for place in places if place.is_file()), None)


def _large(name: str, vary: str, values: Sequence[Any]) -> Callable[..., Experiment]:
    """Make the grid of Figures 3a and 3b: a file, MNIST or digits; triplets are computed when asked for."""

    def experiment(full: bool, data: str | None) -> Experiment:
        path = Path(data) if data else _bundled_points()
        objects = 10_000 if full else 2000
        if path is None:
            base = {"dataset": "digits"}
            note = (
                f"Here: the 1,797 digits of scikit-learn, for {POINTS} is neither in the folder named by "
                "BOOSTTHEORY_DATA nor beside the clone."
            )
        else:
            base = {"dataset": path.name, "content": digest(str(path))}
            note = f"Here: at most {objects:,} objects of {'MNIST, ' * (not data)}{path.name}."
        size = {"objects": objects, "rounds": 1_000_000 if full else 10_000, "stumps": 1000 if full else 100}
        fixed = {**base, "metric": "euclidean", "proportion": 0.05, "noise": 0.0, **size, "lazy": True}
        methods = ["TripletBoost", "CompTree", "1NN", "SAMME"]
        points = tuple({**fixed, "methods": methods, vary: value} for value in values)
        return Experiment(
            name, trials.methods_trial, points, 10 if full else 3, axes=("method",), work=_method_seconds,
            path=str(path.resolve()) if path else "", note=note,
        )  # fmt: skip

    return experiment


def _draw_comparison(vary: str, label: str, text: Callable[[Any], str]) -> Draw:
    """Make a plot of mean accuracy and standard deviation by method, side by side at each value."""

    def draw(table: Table, style: str) -> Any:
        figure = canvas(6.2, 3.4, style)
        axes = figure.add_subplot()
        values = list(_series(table, vary))
        found = _series(table, "method")
        groups = {method: found[method] for method in MARKS if method in found}
        for at, (method, lines) in enumerate(groups.items()):
            x = [values.index(line[vary]) + 0.09 * (at - (len(groups) - 1) / 2) for line in lines]
            mean = _column(lines, "accuracy")
            measured(axes, x, mean, *_band(mean, _column(lines, "accuracy_sd")), name=method, joined=True)
        axes.set_xticks(range(len(values)), [text(value) for value in values])
        axes.set_xlabel(label)
        axes.set_ylabel("test accuracy")
        _legend_beside(axes)
        return figure

    return draw


# what gives up goes first: the largest n at which a method is asked at all
_GROWING = {False: (25, 50, 100, 200, 400, 800, 1600), True: (25, 50, 100, 200, 400, 800, 1600, 3200, 6400)}


def _times(full: bool, data: str | None) -> Experiment:
    size = {"rounds": 1_000_000 if full else 10_000, "limit": 3600 if full else 20}
    fixed = {"proportion": 0.1, "noise": 0.1, **size, "objects": list(_GROWING[full])}
    methods = [m for m in MARKS if m not in ("1NN", "SAMME") and (m != "t-STE" or _embeds())]
    points = tuple({"method": method, **fixed, "stumps": 0} for method in methods)
    work = {"t-STE": 4.0, "kernel SVM": 1.0, "TripletBoost": 2.0, "CompTree": 0.1}
    return Experiment(
        "fig3c",
        trials.training_time_trial,
        points,
        3 if full else 1,
        axes=("objects",),
        work=lambda point: work[point["method"]] * point["limit"],
        note="" if _embeds() else WITHOUT,
    )


def _draw_times(table: Table, style: str) -> Any:
    figure = canvas(6.2, 3.6, style)
    axes = figure.add_subplot(xscale="log", yscale="log")
    for method, lines in _series(table, "method").items():
        done = [line for line in lines if line["seconds"] is not None]
        measured(axes, _column(done, "objects"), _column(done, "seconds"), name=method, joined=True)
        for line in lines:
            if line["gave_up"]:
                colour, last = COLOURS[MARKS[method][0]], done[-1] if done else line
                top = last["seconds"] or 1.0
                axes.plot([last["objects"], line["objects"]], [top, top], ":", color=colour)
                axes.annotate(
                    f"gives up at n = {line['objects']:,}", (last["objects"], top), xytext=(0, 7),
                    textcoords="offset points", color=colour, fontsize="small",
                )  # fmt: skip
    axes.margins(y=0.12)
    axes.set_xlabel("training objects n")
    axes.set_ylabel("training time in seconds")
    _legend_beside(axes)
    return figure


def _movielens(full: bool, data: str | None) -> Experiment:
    home = Path(data or "")
    size = {"draws": 20_000, "rounds": 1_000_000 if full else 100_000}
    point = {"dataset": home.name, "content": digest(str(home)), **size}
    return Experiment(
        "movielens", movielens.movielens_trial, (point,), 10 if full else 3, axes=("method",),
        work=lambda place: 10 + 1e-4 * place["rounds"], path=str(home.resolve()), note=f"Here: {home.name}.",
    )  # fmt: skip


PAPER_GENRES = {"first": 0.83, "covered": 0.92}  # Section 4, MovieLens 1M


def _draw_movielens(table: Table, style: str) -> Any:
    figure = canvas(5.6, 3.2, style)
    axes = figure.add_subplot(ylim=(0, 1))
    columns = {"first": "likeliest genre\nis right", "covered": "five likeliest cover\nof the true genres"}
    for which, line in enumerate(table):
        mean, spread = ([line[f"{name}{end}"] for name in columns] for end in ("", "_sd"))
        method = line["method"] if line["method"] in MARKS else ""
        x = [at - 0.08 + 0.16 * which for at in range(2)]
        measured(axes, x, mean, *_band(mean, spread), name=method, which=6, label=line["method"])
    for at, name in enumerate(columns):
        axes.plot(
            [at - 0.25, at + 0.25],
            [PAPER_GENRES[name]] * 2,
            color=INK,
            ls="--",
            label=None if at else "paper, MovieLens 1M",
        )
    axes.set_xticks(range(2), columns.values())
    axes.set_xlim(-0.5, 1.5)
    axes.set_ylabel("share on new movies")
    _legend_beside(axes)
    return figure


# --- abstention --------------------------------------------------------------------------------------------


def _abstention_work(point: Mapping[str, Any]) -> float:
    _, p, pairs = trials.availability(point)
    return 1.0 + pairs * p


def _abstention(full: bool, data: str | None) -> Experiment:
    ks = [round(0.8 + 0.1 * at, 2) for at in range(13)]
    points = tuple({"n": n, "k": k, "beta": 2.0} for n in (20, 200, 1000) for k in ks)
    return Experiment(
        "abstention", trials.abstention_trial, points, 100_000 if full else 20_000, block=5000, counts=True,
        work=_abstention_work,
    )  # fmt: skip


def _draw_abstention(table: Table, style: str) -> Any:
    figure = canvas(5.8, 3.4, style)
    axes = figure.add_subplot()
    for which, (n, lines) in enumerate(_series(table, "n").items()):
        grid = [0.8 + 0.01 * at for at in range(121)]
        places = [trials.availability({"n": n, "k": k, "beta": 2.0}) for k in grid]
        bound = [float(bounds.abstention.value(p=p, n=n, C=pairs)) for _, p, pairs in places]
        theory(axes, grid, bound, which=which)
        ks, rate = _column(lines, "k"), _column(lines, "rate")
        measured(
            axes, ks, rate, _column(lines, "low"), _column(lines, "high"), which=which, label=f"n = {n:,}"
        )
    axes.plot([], [], color=INK, label="closed form")
    axes.axvline(1.5, color=INK, ls=":", lw=1)
    axes.axhline(math.exp(-2), color=INK, ls=":", lw=1)
    axes.annotate("k = 3/2", (1.5, 1.0), xytext=(4, -2), textcoords="offset points", va="top")
    axes.annotate("exp(−2)", (0.8, math.exp(-2)), xytext=(0, 3), textcoords="offset points")
    axes.set_xlabel("$k$, where the availability is $p = 2n^k/n^3$")
    axes.set_ylabel("probability of abstention")
    _legend_beside(axes)
    return figure


def _phase(full: bool, data: str | None) -> Experiment:
    steps = 25 if full else 13
    ks = [round(2.4 * at / (steps - 1), 3) for at in range(steps)]
    betas = [round(2.0 * at / (steps - 1), 3) for at in range(steps)]
    points = tuple({"n": 200, "k": k, "beta": beta} for k in ks for beta in betas)
    return Experiment(
        "abstention_phase", trials.abstention_trial, points, 20_000 if full else 2000, block=2000,
        counts=True, work=_abstention_work,
    )  # fmt: skip


def _draw_phase(table: Table, style: str) -> Any:
    import numpy as np

    figure = canvas(5.6, 4.2, style)
    axes = figure.add_subplot(xlim=(-0.1, 2.5), ylim=(-0.1, 2.1))
    ks, betas = np.linspace(-0.1, 2.5, 131), np.linspace(-0.1, 2.1, 111)
    n = table[0]["n"]
    p = np.minimum(2 * n ** (ks - 3.0), 1.0)
    bound = bounds.abstention.value(p=p[None, :], n=n, C=n ** betas[:, None] / 2)
    levels = {0.95: DASHES[2], 0.5: "solid", 0.05: DASHES[1]}
    for level, dashes in levels.items():
        axes.contour(ks, betas, bound, levels=[level], colors=INK, linewidths=0.9, linestyles=[dashes])
        axes.plot([], [], color=INK, lw=0.9, ls=dashes, label=f"closed form {level}")
    shown = axes.scatter(
        _column(table, "k"), _column(table, "beta"), c=_column(table, "rate"), cmap="cividis", vmin=0, vmax=1,
        s=28, marker="s", lw=0, zorder=2,
    )  # fmt: skip
    jumps = [1.5, 2.0, 2.5], [2.0, 1.0, 0.5]
    axes.plot(*jumps, color=COLOURS["orange"], lw=2, label="limit jumps here", zorder=3)
    axes.set_xlabel("$k$, with $p = 2n^k/n^3$")
    axes.set_ylabel("$\\beta$, with $C = n^\\beta/2$ pairs")
    axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2)
    figure.colorbar(shown, ax=axes, label="measured abstention")
    return figure


def _gap(full: bool, data: str | None) -> Experiment:
    fixed = {"dataset": "moons", "objects": 300, "metric": "euclidean", "noise": 0.0, "tests": 5}
    rounds = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
    points = tuple({**fixed, "proportion": p, "rounds": rounds} for p in (0.005, 0.02, 0.1))
    return Experiment(
        "abstention_gap", trials.abstention_gap_trial, points, 50 if full else 10, block=50, axes=("rounds",)
    )


def _draw_gap(table: Table, style: str) -> Any:
    figure = canvas(6.0, 3.4, style)
    axes = figure.add_subplot(xscale="log")
    for which, (p, lines) in enumerate(_series(table, "proportion").items()):
        rounds = _column(lines, "rounds")
        mean = _column(lines, "abstained")
        band = _band(mean, _column(lines, "abstained_sd"))
        measured(axes, rounds, mean, *band, which=which, label=f"measured, {_percent(p)}")
        axes.plot(
            rounds,
            _column(lines, "theorem5"),
            color=CYCLE[which],
            label=None if which else "(1 − p)^D, Theorem 5",
        )
        axes.plot(
            rounds, _column(lines, "theorem4"), color=CYCLE[which], ls=DASHES[2],
            label=None if which else "bound of Theorem 4",
        )  # fmt: skip
    axes.set_xlabel("rounds C of TripletBoost")
    axes.set_ylabel("share of test objects abstained on")
    _legend_beside(axes)
    return figure


# --- margins and errors over rounds ------------------------------------------------------------------------

_MOONS = {"dataset": "moons", "objects": 300, "metric": "euclidean", "noise": 0.0}


def _thetas(top: float, steps: int) -> list[float]:
    return [round(top * (at / (steps - 1)), 6) for at in range(-(steps // 4), steps)]


def _margins(full: bool, data: str | None) -> Experiment:
    rounds = [10, 100, 1000, 10_000]
    point = {**_MOONS, "proportion": 0.1, "rounds": rounds, "thetas": _thetas(0.12, 25)}
    return Experiment(
        "margins", trials.margins_trial, (point,), 50 if full else 10, block=10, axes=("rounds", "theta")
    )


def _margins_triplets(full: bool, data: str | None) -> Experiment:
    fixed = {**_MOONS, "rounds": [1000], "thetas": _thetas(0.12, 25)}
    points = tuple({**fixed, "proportion": p} for p in (0.01, 0.02, 0.05, 0.1))
    return Experiment(
        "margins_triplets", trials.margins_trial, points, 50 if full else 10, block=50,
        axes=("rounds", "theta"),
    )  # fmt: skip


def _draw_margins(by: str, text: Callable[[Any], str]) -> Draw:
    """Make a plot of shares of small margins, one curve a value, with the bound dashed."""

    def draw(table: Table, style: str) -> Any:
        figure = canvas(6.0, 3.4, style)
        axes = figure.add_subplot(ylim=(-0.03, 1.03))
        for which, (value, lines) in enumerate(_series(table, by).items()):
            thetas, share, spread = (_column(lines, name) for name in ("theta", "share", "share_sd"))
            colour = CYCLE[which]
            axes.plot(thetas, share, color=colour, label=text(value), zorder=3)
            if all(s is not None for s in spread):
                bands = [(max(v - s, 0.0), min(v + s, 1.0)) for v, s in zip(share, spread, strict=True)]
                axes.fill_between(thetas, *zip(*bands, strict=True), color=colour, alpha=0.2, lw=0)
            told = [
                (line["theta"], line["bound"]) for line in lines if line["theta"] >= 0 and line["bound"] < 1
            ]
            if told:
                axes.plot(*zip(*told, strict=True), color=colour, ls="--", lw=1.1)
        axes.plot([], [], color=INK, ls="--", lw=1.1, label="bound, where below 1")
        axes.set_xlabel("margin θ")
        axes.set_ylabel("share of training margins ≤ θ")
        _legend_beside(axes)
        return figure

    return draw


def _training_error(full: bool, data: str | None) -> Experiment:
    most = 6 if full else 4
    rounds = sorted({round(10 ** (at / 4)) for at in range(4 * most + 1)})
    points = tuple({**_MOONS, "proportion": p, "rounds": rounds} for p in (0.02, 0.1))
    return Experiment(
        "training_error", trials.training_error_trial, points, 10, block=5 if full else 10, axes=("rounds",),
        work=lambda point: max(point["rounds"]),
    )  # fmt: skip


def _draw_training_error(table: Table, style: str) -> Any:
    figure = canvas(6.4, 3.4, style)
    axes = figure.add_subplot(xscale="log", ylim=(-0.03, 1.03))
    for which, (p, lines) in enumerate(_series(table, "proportion").items()):
        rounds = _column(lines, "rounds")
        curve(
            axes, rounds, _column(lines, "training_error"), _column(lines, "training_error_sd"),
            which=2 * which, label=f"training error, {_percent(p)}",
        )  # fmt: skip
        curve(
            axes, rounds, _column(lines, "test_error"), _column(lines, "test_error_sd"),
            which=2 * which + 1, label=f"test error, {_percent(p)}",
        )  # fmt: skip
        bound = [10.0**value for value in _column(lines, "log10_bound")]
        axes.plot(rounds, bound, color=CYCLE[2 * which], ls="--", label=f"(K/2)·∏Z, {_percent(p)}")
    axes.set_xlabel("rounds C")
    axes.set_ylabel("error")
    _legend_beside(axes)
    return figure


# --- Figure 1 ----------------------------------------------------------------------------------------------


def _half_spaces(full: bool, data: str | None) -> Experiment:
    return Experiment(
        "fig1", trials.half_spaces_trial, ({"objects": 80, "proportion": 0.4},), 1, axes=("object",)
    )


def _draw_half_spaces(table: Table, style: str) -> Any:
    figure = canvas(5.6, 2.6, style)
    axes = figure.add_subplot(aspect="equal", xticks=[], yticks=[], xlabel="", ylabel="")
    j, k = (next((q["x"], q["y"]) for q in table if q["reference"] == which) for which in (1, 2))
    middle, along = ((j[0] + k[0]) / 2, (j[1] + k[1]) / 2), (k[1] - j[1], j[0] - k[0])
    axes.axline(middle, (middle[0] + along[0], middle[1] + along[1]), color=INK, ls="--", lw=1)
    sides = {
        1: ("blue", "o", "closer to j"),
        2: ("orange", "s", "closer to k"),
        0: ("grey", "o", "not known"),
    }
    for side, (colour, mark, label) in sides.items():
        part = [q for q in table if q["side"] == side and not q["reference"]]
        face = COLOURS[colour] if side else "none"
        places = _column(part, "x"), _column(part, "y")
        axes.plot(*places, mark, ms=5, mfc=face, mec=COLOURS[colour], ls="", label=label)
    for name, place, colour in (("j", j, "blue"), ("k", k, "orange")):
        axes.plot(*place, "*", ms=15, color=COLOURS[colour], mec=INK, mew=0.8)
        axes.annotate(f"$x_{name}$", place, xytext=(8, 6), textcoords="offset points", fontsize="large")
    for along_axis, limit in (("x", axes.set_xlim), ("y", axes.set_ylim)):
        values = _column(table, along_axis)
        limit(min(values) - 0.2, max(values) + 0.2)
    for edge in ("left", "bottom"):
        axes.spines[edge].set_visible(False)
    _legend_beside(axes)
    return figure


# --- Brukhim et al. ----------------------------------------------------------------------------------------


def _warmup(full: bool, data: str | None) -> Experiment:
    return Experiment("warmup", trials.warmup_trial, ({"targets": [1, 2, 3]},), 1, axes=("aggregator",))


def _draw_warmup(table: Table, style: str) -> Any:
    figure = canvas(6.0, 3.4, style)
    axes = figure.add_subplot(xlim=(0, 1.05))
    lines = sorted(table, key=lambda line: line["correct"])
    axes.barh(
        _column(lines, "aggregator"), [line["correct"] / line["examples"] for line in lines],
        color=COLOURS["blue"], height=0.6,
    )  # fmt: skip
    axes.axvline(2 / 3, color=COLOURS["orange"], ls="--", label="2/3")
    axes.axvline(1.0, color=INK, ls=":", lw=1, label="what boosting would have to reach")
    axes.set_xticks([0, 1 / 3, 2 / 3, 1], ["0", "1/3", "2/3", "1"])
    axes.set_xlabel("training accuracy")
    axes.set_ylabel("aggregator g of the predictions")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    return figure


def _recursive(full: bool, data: str | None) -> Experiment:
    m = 1000 if full else 150
    points = tuple({"schedule": s, "m": m, "labels": 30, "edge": 0.2} for s in ("paper", "fast"))
    return Experiment(
        "recursive", trials.recursive_trial, points, 1, axes=("stage",),
        work=lambda point: point["m"] * (10 if point["schedule"] == "paper" else 1),
    )  # fmt: skip


def _draw_recursive(table: Table, style: str) -> Any:
    figure = canvas(6.6, 3.6, style)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    upper.set_xscale("log")
    for which, (schedule, lines) in enumerate(_series(table, "schedule").items()):
        calls, name = (
            _column(lines, "calls"),
            {"paper": "paper's schedule", "fast": "fast schedule"}[schedule],
        )
        upper.step(calls, _column(lines, "allowed"), where="post", color=CYCLE[which], ls=":", lw=1)
        label = f"{name}: longest list,\n{calls[-1]:,} calls in all"
        measured(upper, calls, _column(lines, "longest"), which=which, joined=True, label=label)
        upper.plot(calls, _column(lines, "mean"), color=CYCLE[which], ls="--", label=f"{name}: mean length")
        measured(lower, calls, _column(lines, "coverage"), which=which, joined=True)
    upper.plot([], [], color=INK, ls=":", lw=1, label="length the theorem allows")
    upper.set_ylim(-1)
    upper.set_ylabel("labels in a list")
    lower.set_ylabel("coverage")
    lower.set_ylim(0, 1.1)
    lower.set_xlabel("calls of the weak learner")
    upper.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def _hedge(full: bool, data: str | None) -> Experiment:
    most = 100_000 if full else 20_000
    points = tuple(
        {"log10_m": e, "k": k, "gamma": gamma, "most": most}
        for k, gamma in ((2, "1/4"), (2, "1/10"), (4, "1/10"), (10, "1/10"))
        for e in (2, 3, 4, 6, 8, 12, 16, 24, 32, 48)
    )
    return Experiment(
        "hedge_worst_case", trials.hedge_trial, points, 1,
        work=lambda point: point["log10_m"] / float(Fraction(point["gamma"])) ** 2,
    )  # fmt: skip


def _draw_hedge(table: Table, style: str) -> Any:
    figure = canvas(6.2, 3.6, style)
    axes = figure.add_subplot(xscale="log")
    lines_of = _series([{**line, "series": (line["k"], line["gamma"])} for line in table], "series")
    for which, ((k, gamma), lines) in enumerate(lines_of.items()):
        theory(axes, [10.0 ** line["log10_m"] for line in lines], _column(lines, "least"), which=which)
        played = [line for line in lines if line["played"] is not None]
        sizes = [10.0 ** line["log10_m"] for line in played]
        measured(axes, sizes, _column(played, "played"), which=which, label=f"k = {k}, γ = {gamma}")
    axes.plot([], [], color=INK, label="bound from the regret")
    axes.axhline(0.5, color=INK, ls="--", lw=1)
    axes.axhline(15 / 32, color=INK, ls=":", lw=1.2)
    axes.annotate(
        "1/2: Lemma 1 as printed", (1e49, 0.5), xytext=(0, 3), textcoords="offset points", ha="right"
    )
    axes.annotate("15/32", (1e49, 15 / 32), xytext=(0, -11), textcoords="offset points", ha="right")
    axes.set_ylim(0.455)
    axes.set_xlabel("examples m")
    axes.set_ylabel("(H/T − 1/k)/γ of the worst example")
    _legend_beside(axes)
    return figure


def _compression(full: bool, data: str | None) -> Experiment:
    sizes = [2**e for e in range(3, 15 if full else 13)]
    points = tuple({"r": r, "m": m, "delta": 0.05} for r in (1, 4, 16) for m in sizes if m >= 4 * r)
    return Experiment(
        "compression", trials.compression_trial, points, 20_000 if full else 2000, block=2000,
        said="Quantiles over {:,} samples a point; those of blocks of 2,000 are averaged.",
    )  # fmt: skip


def _draw_compression(table: Table, style: str) -> Any:
    figure = canvas(5.8, 3.6, style)
    axes = figure.add_subplot(xscale="log", yscale="log")
    for which, (r, lines) in enumerate(_series(table, "r").items()):
        sizes = _column(lines, "m")
        theory(axes, sizes, _column(lines, "bound"), which=which)
        measured(axes, sizes, _column(lines, "quantile"), which=which, label=f"r = {r}")
    axes.plot([], [], color=INK, label="Theorem 6, δ = 0.05")
    axes.set_xlabel("examples m")
    axes.set_ylabel("error, 95 % quantile over samples")
    _legend_beside(axes)
    return figure


TRIPLET, MULTICLASS = "Perrot & von Luxburg (2019)", "Brukhim et al. (2023)"

_ALL = (
    Drawing(
        "fig1",
        "A triplet classifier",
        f"{TRIPLET}, Figure 1",
        "Two references cut the plane along the dashed line. The classifier knows the side of an object"
        " only if its triplet is there; it abstains on the hollow ones.",
        _half_spaces,
        _draw_half_spaces,
        once=True,
    ),
    Drawing(
        "fig2a",
        "Moons, by the proportion of triplets",
        f"{TRIPLET}, Figure 2a",
        "No noise, Euclidean metric; mean and standard deviation of test accuracy. TripletBoost needs "
        "some 5 % of the triplets. t-STE, told the same triplets, is better here: the metric is the one"
        " it assumes. CompTree chooses its few triplets; 1NN and SAMME see coordinates.",
        _comparison("fig2a", "proportion", (0.01, 0.05, 0.1)),
        _draw_comparison("proportion", "proportion of triplets", _percent),
    ),
    Drawing(
        "fig2b",
        "Moons, by noise",
        f"{TRIPLET}, Figure 2b",
        "10 % of the triplets. CompTree falls steeply, for one wrong answer on the path misleads it; "
        "the methods that see many triplets fall slowly. 1NN and SAMME see no triplet and no noise.",
        _comparison("fig2b", "noise", (0.0, 0.1, 0.2)),
        _draw_comparison("noise", "share of flipped triplets", _percent),
    ),
    Drawing(
        "fig2c",
        "Iris, by metric",
        f"{TRIPLET}, Figure 2c",
        "10 % of the triplets, no noise. TripletBoost assumes nothing about the metric. With 50 test "
        "objects most differences lie within a standard deviation.",
        _comparison("fig2c", "metric", trials.METRICS, dataset="iris", objects=150),
        _draw_comparison("metric", "metric that answers the triplets", str),
    ),
    Drawing(
        "fig3a",
        "Many objects, by the proportion of triplets",
        f"{TRIPLET}, Figure 3a",
        "Gisette in the paper. Triplets are computed when asked for, never stored. With more of them "
        "TripletBoost comes near CompTree, which chooses its triplets, and stays below 1NN, which sees "
        "coordinates.",
        _large("fig3a", "proportion", (0.01, 0.05, 0.1)),
        _draw_comparison("proportion", "proportion of triplets", _percent),
        data="points and labels: LIBSVM format, or .npz with X and y",
    ),
    Drawing(
        "fig3b",
        "Many objects, by noise",
        f"{TRIPLET}, Figure 3b",
        "5 % of the triplets. CompTree falls twice as fast as TripletBoost and ends below it; on ten "
        "classes TripletBoost falls too, more than on Moons.",
        _large("fig3b", "noise", (0.0, 0.1, 0.2)),
        _draw_comparison("noise", "share of flipped triplets", _percent),
        data="points and labels: LIBSVM format, or .npz with X and y",
    ),
    Drawing(
        "fig3c",
        "Training time",
        f"{TRIPLET}, Figure 3c",
        "Moons with 10 % of the triplets and 10 % noise. Methods that look at every triplet, of which "
        "there are some n³/20, give up where the next size would take too long; TripletBoost does not: "
        "from 400 objects on it computes triplets when asked for, which costs the step in its curve. "
        "Times are those of this machine: this figure alone differs from run to run.",
        _times,
        _draw_times,
    ),
    Drawing(
        "movielens",
        "Genres of movies",
        f"{TRIPLET}, Section 4",
        "Two thirds of the movies for training. Dashed: the paper's figures on MovieLens 1M; the paper "
        "says how triplets are made in its supplement only, here each is one user's. Grey: always the "
        "most frequent genres, without looking at any rating.",
        _movielens,
        _draw_movielens,
        data="a MovieLens folder, 100K or 1M",
        needs_data=True,
    ),
    Drawing(
        "abstention",
        "Abstention with all pairs",
        f"{TRIPLET}, Theorems 4 and 5, Example 1",
        "Lines: the closed form; points: simulated training and test triplets, with limits. As n grows "
        "the curve becomes a step at k = 3/2, where it passes through exp(−2).",
        _abstention,
        _draw_abstention,
    ),
    Drawing(
        "abstention_phase",
        "Abstention by triplets and pairs",
        f"{TRIPLET}, Theorem 4, general C",
        "n = 200. Squares: measured; thin lines: the closed form; thick line: where the limit jumps "
        "from 1 to 0 as n grows. Its slope changes at k = 2, where every pair has a training triplet "
        "and only the test triplets are scarce.",
        _phase,
        _draw_phase,
    ),
    Drawing(
        "abstention_gap",
        "Abstention of TripletBoost",
        f"{TRIPLET}, Theorems 4 and 5",
        "Points: share of test objects on which TripletBoost abstains after C rounds on Moons, mean and"
        " standard deviation; line: (1 − p)^D for the D distinct pairs it uses, which it follows; dots:"
        " the bound for C distinct pairs, below it except after a few rounds.",
        _gap,
        _draw_gap,
    ),
    Drawing(
        "margins",
        "Margins over rounds",
        f"{TRIPLET}, Theorem 3, part 2",
        "Share of training margins up to θ, mean and standard deviation, on Moons with 10 % of the "
        "triplets. More rounds lift the smallest margins and pull the largest down, for each object "
        "hears a tenth of the classifiers. Dashed: the bound of the theorem where it says anything.",
        _margins,
        _draw_margins("rounds", lambda value: f"{value:,} rounds"),
    ),
    Drawing(
        "margins_triplets",
        "Margins by the number of triplets",
        f"{TRIPLET}, Section 3.2, remark on Theorem 3",
        "The same after 1,000 rounds: fewer triplets, smaller margins.",
        _margins_triplets,
        _draw_margins("proportion", lambda value: f"{_percent(value)} of triplets"),
    ),
    Drawing(
        "training_error",
        "Error over rounds",
        f"{TRIPLET}, Theorem 2",
        "The training error stays below (K/2)·∏Z; ties and abstentions are errors. The test error goes "
        "on falling after the training error is 0.",
        _training_error,
        _draw_training_error,
    ),
    Drawing(
        "warmup",
        "Better than 1/k is too weak",
        f"{MULTICLASS}, Section 2",
        "Three points, two classifiers that are better than 1/3 on every distribution, and all nine "
        "ways to aggregate their predictions: none gets more than two of the points.",
        _warmup,
        _draw_warmup,
        once=True,
    ),
    Drawing(
        "recursive",
        "Recursive boosting against a nearly worst weak learner",
        f"{MULTICLASS}, Algorithm 3",
        "Lists on the sample shrink to one label while all of them keep the true one (below). The fast "
        "schedule gets there with a fraction of the calls.",
        _recursive,
        _draw_recursive,
    ),
    Drawing(
        "hedge_worst_case",
        "The path to 15/32",
        f"{MULTICLASS}, Lemma 1",
        "Hits of the example that the worst weak learner holds back, in units of the edge above 1/k. "
        "Lines: the lower bound from the regret; points: the adversary played against Hedge, where that"
        " is short enough. The printed 1/2 fails for large m; 15/32 holds for all.",
        _hedge,
        _draw_hedge,
        once=True,
    ),
    Drawing(
        "compression",
        "Error of what r examples rebuild",
        f"{MULTICLASS}, Theorem 6",
        "Steps on a line, rebuilt from r examples: the error that 5 % of samples exceed (points) stays "
        "below the bound at δ = 0.05 (lines), by a factor that grows from 2 to 6 with m and r.",
        _compression,
        _draw_compression,
    ),
)  # fmt: skip
FIGURES = {drawing.name: drawing for drawing in _ALL}
