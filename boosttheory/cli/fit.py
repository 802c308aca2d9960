"""``boosttheory fit``: train TripletBoost on a file of answers, and tell how well it does on new objects."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from boosttheory.cli import console, print_json, shown, writing
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
    from boosttheory.triplet_files import Answers

HUMAN = (
    "The noise of human answers depends on the distances: the closer the two, the likelier the error. "
    "Section 2 of the paper excludes that: its theorems do not cover these answers; cross-validation does."
)


@click.command("fit")
@click.argument("answers", type=FILE)
@click.option(
    "--labels", required=True, type=FILE, help="Table of objects and classes, CSV or TSV with a header."
)
@label_options
@answer_options
@click.option("--groups", help="Column that says whose answer it is; asks for a bootstrap over groups.")
@click.option("--cv", type=click.IntRange(0), default=5, show_default=True, help="Folds of objects; 0: none.")
@click.option(
    "--bootstrap", type=click.IntRange(0), default=30, show_default=True, help="Bootstrap samples of groups."
)
@click.option("--rounds", type=int, default=10_000, show_default=True, help="Boosting rounds, C.")
@click.option(
    "--engine",
    type=click.Choice(["auto", "numpy", "numba"]),
    default="auto",
    show_default=True,
    help="Implementation of the rounds; all give the same model. numba: boosttheory[fast].",
)
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Root of every random choice."
)
@click.option("--model", type=FILE, help="Write the model, trained on all answers, to this npz file.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
def command(
    answers: Path,
    labels: Path,
    id_column: str | None,
    class_column: str | None,
    groups: str | None,
    cv: int,
    bootstrap: int,
    rounds: int,
    engine: str,
    seed: int,
    model: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Train TripletBoost on the file ANSWERS and cross-validate it by object.

    A fold holds out objects; references stay inside the training fold. The limits of an accuracy are over
    objects, the bootstrap is over the people who were asked. The baselines are the majority class and, if
    cblearn is installed, nearest neighbours in a t-STE embedding, on the same folds.
    """
    with told() as messages:
        classes = read_labels(labels, id_column, class_column)
        given = labelled(read(answers, options, groups, known=classes), classes)
        report = _report(
            given, list(classes.values()), cv, bootstrap if groups else 0, rounds, engine, seed, model
        )
    report["warnings"] = [*messages, HUMAN]
    if as_json:
        print_json(report)
    else:
        _show(report)
    console().print(HUMAN, soft_wrap=True)


def _report(
    answers: Answers,
    labels: list[str],
    cv: int,
    bootstrap: int,
    rounds: int,
    engine: str,
    seed: int,
    path: Path | None,
) -> dict[str, Any]:
    """Train, cross-validate and describe."""
    import numpy as np

    from boosttheory.estimators import TripletBoostClassifier
    from boosttheory.model_selection import flip_rate
    from boosttheory.triplets import TripletSet

    y = np.array(labels)
    triplets = TripletSet.from_answers(answers)
    estimator = TripletBoostClassifier(rounds, engine=engine, random_state=seed)
    found, counts = np.unique(y, return_counts=True)
    flips = flip_rate(_single(answers))
    report: dict[str, Any] = {
        "objects": len(y),
        "classes": dict(zip(found.tolist(), counts.tolist(), strict=True)),
        "answers": len(answers.rows),
        "triplets": len(triplets),
        "proportion": triplets.proportion,
        "counted_from": "n²(n−1)/2" if triplets.self_references else "n(n−1)(n−2)/2",
        "dropped": triplets.counts,
        "flip_rate": None if flips is None else flips._asdict(),
        "methods": [],
        "bootstrap": None,
    }
    with progress("training") as tick:
        full = TripletBoostClassifier(
            rounds, engine=engine, random_state=seed, callback=lambda done, _: tick(done, rounds)
        ).fit(triplets, y)
    report["model"] = {
        "rounds": full.n_rounds_,
        "engine": full.engine_,
        "pairs": full.n_pairs_,
        "log_training_bound": full.train_bound_,
        "training_accuracy": full.score(triplets, y),
        "file": None if path is None else str(path),
    }
    if path is not None:
        with writing(path, "--model"):
            full.save(path)
    if cv:
        _validate(report, estimator, answers, triplets, y, cv, bootstrap, seed)
    return report


def _single(answers: Answers) -> Any:
    """Write every vote as a triplet of its own, in random order where votes come counted."""
    import numpy as np

    rows = answers.triplets()
    if answers.votes is None:
        return rows
    votes = np.repeat(answers.votes, len(rows) // len(answers.votes), axis=0)
    each = np.concatenate(
        (np.repeat(rows, votes[:, 0], axis=0), np.repeat(rows[:, [0, 2, 1]], votes[:, 1], axis=0))
    )
    return np.random.default_rng(0).permutation(each)


def _validate(
    report: dict[str, Any],
    estimator: Any,
    answers: Answers,
    triplets: Any,
    y: Any,
    cv: int,
    bootstrap: int,
    seed: int,
) -> None:
    """Add the methods on the same folds, and the bootstrap over groups."""
    import warnings

    import numpy as np

    from boosttheory.model_selection import (
        TripletKFold,
        bootstrap_groups,
        cross_validate_triplets,
        majority_baseline,
        quiet_set,
        tste_baseline,
    )

    folds = list(TripletKFold(cv, shuffle=True, random_state=seed).split(triplets, y))
    with progress("cross-validation") as tick:
        outcomes = [cross_validate_triplets(estimator, triplets, y, cv=folds, callback=tick)]
    outcomes.append(majority_baseline(y, folds))
    try:
        outcomes.append(tste_baseline(triplets, y, folds, seed=seed))
    except ImportError:
        warnings.warn("no t-STE baseline, because cblearn is not installed", UserWarning, stacklevel=2)
    report["methods"] = [outcome.summary() for outcome in outcomes]
    groups = answers.groups
    if bootstrap and groups is not None:

        def accuracy(rows: Any) -> float:
            drawn = quiet_set(answers.take(rows), len(y))
            return cross_validate_triplets(estimator, drawn, y, cv=folds).accuracy

        with progress("bootstrap") as tick:
            values = bootstrap_groups(
                accuracy, groups, np.random.default_rng(seed), replicates=bootstrap, callback=tick
            )
        error = float(values.std(ddof=1))
        centre = outcomes[0].accuracy
        report["bootstrap"] = {
            "groups": len(np.unique(groups)),
            "replicates": bootstrap,
            "mean": float(values.mean()),
            "standard_error": error,
            "interval": [max(centre - 1.96 * error, 0.0), min(centre + 1.96 * error, 1.0)],
            "confidence": 0.95,
        }


def _show(report: dict[str, Any]) -> None:
    """Print the report for people."""
    sizes = ", ".join(f"{shown(name)} {count}" for name, count in report["classes"].items())
    click.echo(f"{report['objects']} objects: {sizes}")
    click.echo(
        f"{report['answers']:,} answers, {report['triplets']:,} different triplets: "
        f"p = {percent(report['proportion'])} of {report['counted_from']}"
    )
    if flips := report["flip_rate"]:
        click.echo(
            f"flipped answers: {percent(flips['rate'])} ({between(flips['low'], flips['high'])}), "
            f"from {flips['questions']:,} repeated questions"
        )
    model = report["model"]
    click.echo(
        f"trained on all: {model['rounds']:,} rounds, {model['pairs']:,} distinct pairs with a vote, "
        f"training accuracy {percent(model['training_accuracy'])}, log of Theorem 2's bound on its "
        f"error {model['log_training_bound']:.1f}"
    )
    click.echo(f"engine: {model['engine']}")
    if report["methods"]:
        click.echo()
        rows = [
            [
                method["method"],
                percent(method["accuracy"]),
                between(*method["interval"]),
                str(method["abstained"]),
                f"{method['seconds']:.1f}",
            ]
            for method in report["methods"]
        ]
        table(["Objects held out", "Accuracy", "95 % over objects", "Abstained", "s"], rows)
    if boot := report["bootstrap"]:
        click.echo(
            f"over {boot['groups']} groups (bootstrap, {boot['replicates']} samples): standard error "
            f"{percent(boot['standard_error'])}, 95 % {between(*boot['interval'])}"
        )
    if model["file"]:
        click.echo(f"model: {model['file']}")
