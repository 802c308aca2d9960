"""``boosttheory plan rounds`` and ``plan sample``: calls and examples of recursive boosting, by formula."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from boosttheory.cli import print_json
from boosttheory.cli._answers import table

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["rounds", "sample"]

SCHEDULES = {
    "paper": "⌈8 ln m/γ²⌉",
    "constant": "⌊ln m/(2γ²)⌋ + 1",
    "variance": "⌊2a ln m/γ²⌋ + 1, a = 1/k + γ",
    "fast": "⌊ln m/kl(1/k‖a)⌋ + 1, a = 1/k + γ",
}
STEPS = {
    "paper": "√(ln m/(2T))",
    "constant": "√(8 ln m/T)",
    "variance": "√(2 ln m/(aT))",
    "fast": "ln[a(k−1)/(1−a)]",
}
MOST_STAGES = 20_000


class Number(click.ParamType):  # type: ignore[type-arg]
    """An exact number: a decimal, or a fraction such as 1/3."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Fraction:
        """Read the text as a Fraction."""
        try:
            return Fraction(value)
        except (ValueError, ZeroDivisionError):
            self.fail(
                f"{value!r} is no number; give a decimal such as .1, or a fraction such as 1/3", param, ctx
            )


def edge(gamma: Fraction) -> Fraction:
    """Refuse what is no edge."""
    if not 0 < gamma <= Fraction(1, 2):
        raise ValueError(
            f"--gamma {gamma}: an edge is above 0 and at most 1/2, since 1/k + γ is an accuracy at k = 2 too"
        )
    return gamma


def probability(name: str, value: Fraction) -> Fraction:
    """Refuse what is no probability."""
    if not 0 < value < 1:
        raise ValueError(f"--{name} {value}: give a number between 0 and 1, both excluded")
    return value


@click.command("rounds")
@click.option("--gamma", type=Number(), required=True, help="Edge γ of the weak learner, in (0, 1/2].")
@click.option("--m", type=int, required=True, help="Number m of examples.")
@click.option("--k", type=int, help="List length; T and η of this stage alone.  [default: a whole run]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
def rounds(gamma: Fraction, m: int, k: int | None, as_json: bool) -> None:
    """Say how many rounds, with which step, recursive boosting needs under each schedule."""
    from boosttheory import bounds

    edge(gamma)
    if m < 2:
        raise ValueError(f"--m {m}: with one example there is nothing to boost; give at least 2")
    if k is not None and k < 2:
        raise ValueError(f"--k {k}: a list of one label leaves nothing to choose; give at least 2")
    p = bounds.hint_length(m, gamma)
    if k is None and p > MOST_STAGES:
        raise ValueError(
            f"--gamma {gamma}: a run has p = {p:,} stages, too many to add up; give one stage with --k"
        )
    stage = p if k is None else k
    rows: list[dict[str, Any]] = []
    for name, formula in SCHEDULES.items():
        T = bounds.rounds(name, m, max(stage, 2), gamma)
        eta = bounds.step(name, m, max(stage, 2), gamma, T)
        row = {"schedule": name, "T": T, "eta": eta, "formula": formula, "step": STEPS[name]}
        if k is None:
            row["calls"] = bounds.oracle_calls(name, m, gamma)
        rows.append(row)
    if as_json:
        print_json({"gamma": str(gamma), "m": m, "k": k, "p": p, "schedules": rows})
        return
    where = (
        f"lists of {k} labels" if k else f"p = ⌈ln m/γ⌉ = {p:,} rounds of the hint, then k = {p:,}, ..., 2"
    )
    click.echo(f"γ = {gamma}, m = {m:,}: {where}\n")
    head = ["Schedule, T", f"T at k = {max(stage, 2)}", "η", "Step"]
    body = [[f"{r['schedule']}: {r['formula']}", f"{r['T']:,}", f"{r['eta']:.4g}", r["step"]] for r in rows]
    if k is None:
        head.append("Calls of a run")
        body = [[*line, f"{r['calls']:,}"] for line, r in zip(body, rows, strict=True)]
    table(head, body)
    click.echo(
        "\nUnder each of them every training label stays in its list, if no call misses its edge. The "
        "paper's T and η do not give the share 1/k + γ/2 of Lemma 1, which is false; more than 1/k is enough."
    )


@click.command("sample")
@click.option("--gamma", type=Number(), required=True, help="Edge γ of the weak learner, in (0, 1/2].")
@click.option("--eps", type=Number(), required=True, help="Error ε aimed at.")
@click.option("--delta", type=Number(), default="1/20", show_default=True, help="Probability δ of failure.")
@click.option("--m0", type=int, required=True, help="Examples m₀ that the weak learner needs in a call.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
def sample(gamma: Fraction, eps: Fraction, delta: Fraction, m0: int, as_json: bool) -> None:
    """Say how many examples recursive boosting needs: as stated, and by the exact size of the compression."""
    edge(gamma)
    probability("eps", eps)
    probability("delta", delta)
    if m0 < 1:
        raise ValueError(f"--m0 {m0}: the weak learner needs at least 1 example a call")
    if gamma < Fraction(1, 200):
        raise ValueError(
            f"--gamma {gamma}: below 1/200 the sum over the stages of the fast schedules is too long; "
            "the stated sample size is 100 m₀ ln²m ln(m/δ)/(γ³ε)"
        )
    rows: list[dict[str, Any]] = [
        {"name": name, "formula": formula, "m": find()}
        for name, formula, find in _chain(gamma, eps, delta, m0)
    ]
    if as_json:
        given = {"gamma": str(gamma), "eps": str(eps), "delta": str(delta), "m0": m0}
        print_json({**given, "chain": rows})
        return
    click.echo(f"Recursive boosting, γ = {gamma}, ε = {eps}, δ = {delta}, m₀ = {m0}\n")
    table(
        ["Examples needed", "Least m", "In short"],
        [[f"{row['name']}: {row['formula']}", f"{row['m']:,}", f"{float(row['m']):.3g}"] for row in rows],
    )
    click.echo(
        "\nr is the number of examples that rebuild the predictor, p m₀ + Σ T m₀; m is the least with "
        "(r ln m + ln(1/δ))/(m − r) ≤ ε (Theorem 6). The last two rows are Lemma 5 at σ = γ, for lists alone."
    )


def _chain(
    gamma: Fraction, eps: Fraction, delta: Fraction, m0: int
) -> list[tuple[str, str, Callable[[], int]]]:
    """Return the name, the formula and the search of each sample size."""
    from boosttheory import bounds

    def exact(schedule: str, doubled: bool = False) -> Callable[[], int]:
        return lambda: bounds.least_sample(
            lambda m: bounds.enclosure(
                bounds.required_sample,
                r=bounds.compression_size(schedule, m, gamma, m0, doubled_hint=doubled),
                m=m,
                epsilon=eps,
                delta=delta,
            )
        )

    def stated() -> int:
        return bounds.least_sample(
            lambda m: bounds.enclosure(
                bounds.stated_sample, m=m, m0=m0, gamma=gamma, epsilon=eps, delta=delta, c=100
            )
        )

    def lists() -> int:
        return bounds.least_sample(
            lambda m: bounds.enclosure(bounds.list_sample, m=m, m0=m0, sigma=gamma, epsilon=eps, delta=delta)
        )

    def exact_lists() -> int:
        return bounds.least_sample(
            lambda m: bounds.enclosure(
                bounds.required_sample,
                r=m0 * bounds.rounds("paper", m, 2, gamma),
                m=m,
                epsilon=eps,
                delta=delta / 2,
            )
        )

    p = "p = ⌈ln m/γ⌉"
    return [
        ("Theorem 2", "100 m₀ ln²m ln(m/δ)/(γ³ε)", stated),
        ("exact r", f"p = ⌈2 ln m/γ⌉, T = {SCHEDULES['paper']}", exact("paper", doubled=True)),
        ("exact r", f"{p}, T = {SCHEDULES['paper']}", exact("paper")),
        *(
            ("exact r", f"{p}, T = {SCHEDULES[name]}", exact(name))
            for name in ("constant", "variance", "fast")
        ),
        ("Lemma 5", "16 m₀ ln²m/(σ²ε) + ln(2/δ)/ε", lists),
        ("exact r", f"m₀ T, T = {SCHEDULES['paper']}, δ/2", exact_lists),
    ]
