"""``boosttheory predict``: classify new objects with a model that ``boosttheory fit`` wrote."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import click

from boosttheory.cli import print_json, writing
from boosttheory.cli._answers import FILE, answer_options, read, table, told


@click.command("predict")
@click.argument("model", type=FILE)
@click.argument("answers", type=FILE)
@answer_options
@click.option("--out", type=FILE, help="Write the predictions to this CSV file.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
def command(model: Path, answers: Path, out: Path | None, as_json: bool, **options: Any) -> None:
    """Classify the objects of the file ANSWERS that MODEL was not trained on.

    An answer counts when a new object is compared with two training objects. Triplets that use a new object
    as reference are left out, with a count: "most central" and "odd one out" answers yield some of them.
    """
    from boosttheory.estimators import TripletBoostClassifier
    from boosttheory.rows import atomic_write
    from boosttheory.triplets import TripletSet

    with told() as messages:
        trained = TripletBoostClassifier.load(model)
        known = trained.reference_names_ or tuple(map(str, range(trained.n_references_)))
        found = TripletSet.from_answers(read(answers, options, known=known), references=known)
        if not found.n_objects:
            raise ValueError(f"{answers} holds no object other than those that {model} was trained on")
        labels, silent = trained.predict(found), trained.abstains(found)
    names = found.names or ()
    rows = [
        {"object": str(name), "class": label, "abstained": bool(mute)}
        for name, label, mute in zip(names, labels.tolist(), silent.tolist(), strict=True)
    ]
    if out is not None:
        buffer = io.StringIO()
        writer = csv.DictWriter(buffer, ["object", "class", "abstained"], lineterminator="\n")
        writer.writeheader()
        writer.writerows({**row, "abstained": int(row["abstained"])} for row in rows)
        with writing(out):
            atomic_write(out, buffer.getvalue())
    if as_json:
        print_json(
            {"predictions": rows, "triplets": len(found), "dropped": found.counts, "warnings": messages}
        )
    elif out is None:
        table(
            ["Object", "Class", "Abstained"],
            [[row["object"], str(row["class"]), "yes" * row["abstained"]] for row in rows],
        )
    else:
        number = f"{len(rows)} prediction{'s' * (len(rows) != 1)}"
        click.echo(f"{number}, {int(silent.sum())} by the rule for abstention: {out}")
