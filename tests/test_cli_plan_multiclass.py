"""boosttheory plan rounds and plan sample: the chain of sample sizes, schedules, impossible parameters."""

import json
from fractions import Fraction

import pytest
from click.testing import CliRunner

from boosttheory.bounds import compression_error, compression_size, enclosure, least_sample, rounds
from boosttheory.cli import main

SAMPLE = ["plan", "sample", "--gamma", ".1", "--eps", ".1", "--delta", ".05", "--m0", "10"]


def run(*arguments):
    return CliRunner(env={"COLUMNS": "160"}).invoke(main, [*map(str, arguments)])


def test_chain_of_sample_sizes():
    result = run(*SAMPLE, "--json")
    assert result.exit_code == 0
    chain = json.loads(result.stdout)["chain"]
    assert [f"{row['m']:.2e}" for row in chain] == [
        "1.96e+11",
        "2.16e+10",
        "9.73e+09",
        "3.88e+08",
        "1.72e+08",
        "9.08e+07",
        "5.03e+07",
        "2.31e+07",
    ]
    assert chain[0]["formula"] == "100 m₀ ln²m ln(m/δ)/(γ³ε)"


def test_the_least_sample_is_least():
    m = json.loads(run(*SAMPLE, "--json").stdout)["chain"][5]["m"]
    for examples, holds in ((m, True), (m - 1, False)):
        r = compression_size("fast", examples, Fraction(1, 10), 10)
        value = enclosure(compression_error, r=r, m=examples, delta=Fraction(1, 20))
        assert (value.b <= 0.1) == holds


def test_sample_in_words():
    result = run(*SAMPLE)
    assert result.exit_code == 0
    for text in ("γ = 1/10", "Theorem 2: 100 m₀ ln²m ln(m/δ)/(γ³ε)", "9.73e+09", "kl(1/k‖a)", "Lemma 5"):
        assert text in result.stdout


def test_rounds_of_a_run():
    result = run("plan", "rounds", "--gamma", "1/10", "--m", 10**4, "--json")
    found = json.loads(result.stdout)
    assert found["p"] == 93
    calls = {row["schedule"]: row["calls"] for row in found["schedules"]}
    assert calls == {"paper": 678041, "constant": 42505, "variance": 24666, "fast": 14985}
    assert calls["paper"] >= 40 * calls["fast"]
    shown = run("plan", "rounds", "--gamma", ".1", "--m", 10**4)
    for text in ("p = ⌈ln m/γ⌉ = 93", "7,369", "678,041", "14,985", "Lemma 1, which is false"):
        assert text in shown.stdout


def test_rounds_of_a_stage():
    found = json.loads(run("plan", "rounds", "--gamma", ".1", "--m", 10**4, "--k", 10, "--json").stdout)
    assert [row["T"] for row in found["schedules"]] == [7369, 461, 369, 252]
    assert found["schedules"][0]["eta"] == pytest.approx((9.210340372 / 2 / 7369) ** 0.5)
    assert "calls" not in found["schedules"][0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["rounds", "--gamma", "0", "--m", 10], "an edge is above 0 and at most 1/2"),
        (["rounds", "--gamma", ".6", "--m", 10], "--gamma 3/5: an edge"),
        (["rounds", "--gamma", ".1", "--m", 1], "nothing to boost"),
        (["rounds", "--gamma", ".1", "--m", 10, "--k", 1], "leaves nothing to choose"),
        (["rounds", "--gamma", "1e-6", "--m", 10], "too many to add up"),
        (["rounds", "--gamma", "half", "--m", 10], "is no number"),
        (["rounds", "--gamma", "1/0", "--m", 10], "is no number"),
        (["sample", "--gamma", "-1", "--eps", ".1", "--m0", 1], "an edge is above 0"),
        (["sample", "--gamma", ".1", "--eps", "0", "--m0", 1], "--eps 0"),
        (["sample", "--gamma", ".1", "--eps", ".1", "--delta", "1", "--m0", 1], "--delta 1"),
        (["sample", "--gamma", ".1", "--eps", ".1", "--m0", 0], "at least 1 example a call"),
        (["sample", "--gamma", ".001", "--eps", ".1", "--m0", 1], "below 1/200"),
    ],
)
def test_impossible_parameters(arguments, words):
    result = run("plan", *arguments)
    assert result.exit_code == 2
    assert words in " ".join(result.stderr.split())


def test_a_sample_size_that_does_not_exist():
    with pytest.raises(ValueError, match="no number of examples below"):
        least_sample(lambda m: 2 * m)
    assert least_sample(lambda m: 7, start=10) == 10


def test_rounds_at_a_ratio_that_is_an_integer():
    # ln 3 / kl(1/4 || 3/4) = 2 exactly
    assert rounds("fast", 3, 4, Fraction(1, 2)) == 3
