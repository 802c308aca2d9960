"""``boosttheory plan``: how many triplets a study needs, by formula, by simulation, or on answers at hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from boosttheory.cli import _plan_multiclass, print_json
from boosttheory.cli._answers import (
    FILE,
    answer_options,
    between,
    label_options,
    labelled,
    percent,
    progress,
    read,
    read_labels,
    table,
    told,
)

if TYPE_CHECKING:
    from boosttheory.planning import TripletPlan


@click.group("plan")
def command() -> None:
    """Plan a study: how many triplets, rounds or examples it needs."""


command.add_command(_plan_multiclass.rounds)
command.add_command(_plan_multiclass.sample)


@command.command("triplets")
@click.option("--objects", "n", type=int, required=True, help="Number n of training objects.")
@click.option("--triplets", "m", type=int, required=True, help="Number m of different questions answered.")
@click.option("--rounds", type=int, help="Boosting rounds, C.  [default: all n(n-1)/2 pairs]")
@click.option("--classes", type=int, default=2, show_default=True, help="Number K of classes.")
@click.option("--target", type=float, default=0.01, show_default=True, help="Abstention to aim at.")
@click.option("--own", is_flag=True, help="People are also asked whether an object is closer to itself.")
@click.option("--simulate", is_flag=True, help="Also run studies of this size on simulated clusters.")
@click.option(
    "--noise", type=float, default=0.0, show_default=True, help="Simulation: share of flipped answers."
)
@click.option(
    "--separation", type=float, default=2.75, show_default=True, help="Simulation: distance of centres."
)
@click.option("--repetitions", type=int, default=10, show_default=True, help="Simulation: number of studies.")
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Root of every random choice."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
def triplets(
    n: int,
    m: int,
    rounds: int | None,
    classes: int,
    target: float,
    own: bool,
    simulate: bool,
    noise: float,
    separation: float,
    repetitions: int,
    seed: int,
    as_json: bool,
) -> None:
    """Say how often a classifier will abstain on a new object, and how many triplets bring that down."""
    import numpy as np

    from boosttheory.planning import NECESSARY, plan_triplets, simulate_accuracy

    plan = plan_triplets(n, m, rounds=rounds, classes=classes, target=target, own=own)
    study = None
    if simulate:
        with told():
            study = simulate_accuracy(
                n,
                classes,
                m,
                np.random.default_rng(seed),
                noise=noise,
                separation=separation,
                repetitions=repetitions,
                own=own,
                **({} if rounds is None else {"rounds": rounds}),
            )
    if as_json:
        print_json(
            {
                **plan.as_dict(),
                "formulas": _formulas(plan),
                "note": NECESSARY,
                "simulation": None if study is None else vars(study),
            }
        )
        return
    _show(plan)
    if study is not None:
        click.echo(
            f"\nsimulated, {study.repetitions} studies in {classes} clusters, noise {percent(noise)}: "
            f"accuracy {percent(study.accuracy)} ({between(study.low, study.high)} over studies), "
            f"abstained {percent(study.abstained)}, without a vote {percent(study.silent)}"
        )
    click.echo(f"\n{NECESSARY}")


def _formulas(plan: TripletPlan) -> dict[str, str]:
    e = f"(1 − p)^{'n' if plan.exponent == plan.objects else '(n−2)'}"
    return {
        "abstention": f"(1 − p + p{e})^C, C distinct pairs chosen without looking at the triplets",
        "abstention_pairs": f"(1 − p + p{e})^D, D distinct pairs with y_j ≠ y_k in C draws with repetition",
        "abstention_votes": "(1 − p v)^D, v the chance that a half-space has a label set (approximate)",
        "trained_model": "(1 − p)^D, D = n_pairs_ of the model, exact given the model",
    }


def _show(plan: TripletPlan) -> None:
    asked = "n²(n−1)/2" if plan.exponent == plan.objects else "n(n−1)(n−2)/2"
    click.echo(
        f"{plan.objects:,} objects, {plan.triplets:,} triplets of {plan.possible:,} ({asked}): "
        f"p = {plan.p:.3g}; C = {plan.rounds:,} rounds, K = {plan.classes}, D = {plan.pairs:,.0f} distinct "
        "pairs expected"
    )
    click.echo(
        f"m = n^{plan.k:.2f}, C = n^{plan.beta:.2f}/2, boundary k* = {plan.boundary:.2f}: {plan.phase}\n"
    )
    formulas = _formulas(plan)
    rows = [
        [formulas[name], percent(value), "none" if needed is None else f"{needed:,}"]
        for name, value, needed in (
            ("abstention", plan.abstention, plan.needed),
            ("abstention_pairs", plan.abstention_pairs, plan.needed_pairs),
            ("abstention_votes", plan.abstention_votes, plan.needed_votes),
        )
    ]
    table(
        ["Probability of abstaining on a new object", "Expected", f"Triplets for {percent(plan.target)}"],
        rows,
    )
    click.echo(f"For a trained model: {formulas['trained_model']}.")


@command.command("accuracy")
@click.argument("answers", type=FILE, required=False)
@click.option("--labels", type=FILE, help="Table of objects and classes, CSV or TSV with a header.")
@label_options
@answer_options
@click.option("--target", type=float, required=True, help="Accuracy to aim at, for example .8.")
@click.option("--cv", type=click.IntRange(2), default=5, show_default=True, help="Folds of objects.")
@click.option("--objects", "n", type=int, help="Without ANSWERS: number of training objects.")
@click.option("--classes", type=int, default=2, show_default=True, help="Without ANSWERS: number of classes.")
@click.option(
    "--noise", type=float, default=0.0, show_default=True, help="Without ANSWERS: share of flipped answers."
)
@click.option(
    "--separation", type=float, default=2.75, show_default=True, help="Without ANSWERS: distance of centres."
)
@click.option(
    "--repetitions", type=int, default=5, show_default=True, help="Without ANSWERS: studies of each size."
)
@click.option("--rounds", type=int, default=10_000, show_default=True, help="Boosting rounds, C.")
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Root of every random choice."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
def accuracy(
    answers: Path | None,
    labels: Path | None,
    id_column: str | None,
    class_column: str | None,
    target: float,
    cv: int,
    n: int | None,
    classes: int,
    noise: float,
    separation: float,
    repetitions: int,
    rounds: int,
    seed: int,
    as_json: bool,
    **options: Any,
) -> None:
    """Draw a learning curve and say where it reaches an accuracy.

    With ANSWERS and --labels it subsamples those answers and cross-validates by object. Without, it simulates
    studies of --objects in --classes clusters with --noise.
    """
    import numpy as np

    from boosttheory.estimators import TripletBoostClassifier
    from boosttheory.planning import learning_curve, reached, simulated_curve

    rng = np.random.default_rng(seed)
    points: Any
    if answers is not None:
        if labels is None:
            raise click.UsageError("ANSWERS needs the classes of its objects; give them with --labels")
        with told(), progress("learning curve") as tick:
            known = read_labels(labels, id_column, class_column)
            given = labelled(read(answers, options, known=known), known)
            reached([], target)
            curve = learning_curve(
                given,
                list(known.values()),
                TripletBoostClassifier(rounds, random_state=seed),
                rng,
                folds=cv,
                callback=tick,
            )
        points, sizes, unit = curve, [point.answers for point in curve], "answers"
    else:
        if n is None:
            raise click.UsageError("give a file of ANSWERS, or the number of --objects to simulate")
        reached([], target)
        with told(), progress("simulation") as tick:
            studies = simulated_curve(
                n,
                classes,
                target,
                rng,
                noise=noise,
                separation=separation,
                rounds=rounds,
                repetitions=repetitions,
                callback=tick,
            )
        points, sizes, unit = studies, [study.triplets for study in studies], "triplets"
    where = reached(points, target)
    sentence = _verdict(points, sizes, unit, target, where, answers is not None)
    if as_json:
        print_json(
            {
                "target": target,
                "unit": unit,
                "curve": [
                    {unit: size, "accuracy": point.accuracy, "interval": [point.low, point.high]}
                    for size, point in zip(sizes, points, strict=True)
                ],
                "reached_at": None if where is None else sizes[where],
                "beyond": where is None,
                "verdict": sentence,
            }
        )
        return
    rows = [
        [f"{size:,}", percent(point.accuracy), between(point.low, point.high)]
        for size, point in zip(sizes, points, strict=True)
    ]
    table([unit.capitalize(), "Accuracy", "95 % over " + ("objects" if answers else "studies")], rows)
    click.echo(f"\n{sentence}")


def _verdict(points: Any, sizes: list[int], unit: str, target: float, where: int | None, real: bool) -> str:
    last = points[-1]
    if where is None:
        reach = "your data" if real else "what was simulated"
        return (
            f"The target of {percent(target)} lies beyond {reach}: with all {sizes[-1]:,} {unit} the "
            f"accuracy is {percent(last.accuracy)} ({between(last.low, last.high)}). Nothing is extrapolated."
        )
    sure = points[where].low >= target
    tail = "" if sure else "; its lower limit lies below the target, so more may be needed"
    return f"The target of {percent(target)} is reached with {sizes[where]:,} {unit}{tail}."
