"""Certificates: the shipped ones hold, also where no algorithm can be imported; bad ones are refused."""

import json
import math
import subprocess
import sys
from collections import Counter
from dataclasses import FrozenInstanceError
from fractions import Fraction
from pathlib import Path

import mpmath
import pytest
from click.testing import CliRunner

from boosttheory import certificates
from boosttheory.adversaries import tight_rounds
from boosttheory.certificates import (
    LARGEST_FILE,
    LARGEST_M,
    LARGEST_T,
    CertificateError,
    _decay,
    _integer,
    _prefix,
    _replay,
    read_certificate,
    verify,
)
from boosttheory.cli import main

FOLDER = Path(__file__).parent.parent / "proofs_checks" / "multiclass"
SHIPPED = {975: 154, 739: 148, 253: 664}


def small(**changes):
    return read_certificate(FOLDER / "lem1_m975.json") | changes


@pytest.mark.parametrize("m", SHIPPED)
def test_the_shipped_certificates_refute_lemma_1(m):
    found = verify(FOLDER / f"lem1_m{m}.json")
    assert found.refuted
    assert "but an example is right" in found.reason
    assert (found.m, found.hits) == (m, SHIPPED[m])
    assert found.hits < found.threshold == found.T * (Fraction(1, found.k) + found.gamma / 2)
    assert 0 <= found.least_excess < Fraction(1, 10**6)
    assert found.total_excess < Fraction(3, 20)


def test_a_process_that_cannot_import_the_algorithms_agrees():
    code = f"""
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        algorithm = name.startswith("boosttheory.") and name != "boosttheory.certificates"
        if algorithm or name in ("numpy", "sympy"):
            raise ImportError(name)
sys.meta_path.insert(0, Refuse())
from boosttheory.certificates import verify
found = verify({str(FOLDER / "lem1_m975.json")!r})
assert [name for name in sys.modules if name.startswith("boosttheory.")] == ["boosttheory.certificates"]
print(found.refuted, found.hits, found.threshold)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "154", "6167/40"]


def test_the_search_finds_the_smallest_sample_again():
    m, T = 739, 846
    rounds = tight_rounds(m, T, 0.3, math.sqrt(math.log(m) / (2 * T)), 148)
    assert verify(small(m="739", T="846", hits="148", rule="explicit", rounds=rounds)).refuted


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"hits": "155"}, "as the claim says"),
        ({"m": "974"}, "may have an accuracy below"),
        ({"T": "882"}, "may have an accuracy below"),
    ],
)
def test_a_run_that_proves_nothing_is_not_confirmed(changes, part):
    found = verify(small(**changes))
    assert not found.refuted
    assert part in found.reason


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"m": 975}, "m=975 is no exact number"),
        ({"m": "-3"}, "is no exact number"),
        ({"m": "9.75e2"}, "is no exact number"),
        ({"m": "1" + "0" * 5000}, "at most 80 digits"),
        ({"m": "1" + "0" * 70}, "must be an integer from 2"),
        ({"T": "1" + "0" * 9}, "must be an integer from 1"),
        ({"T": "880"}, "asks for more rounds"),
        ({"k": "1"}, "k=1 must be"),
        ({"k": "5/2"}, "k=5/2 must be"),
        ({"gamma": "3/4"}, "gamma=3/4"),
        ({"gamma": "1/0"}, "divides by zero"),
        ({"gamma": "0"}, "gamma=0"),
        ({"gamma": "1/2", "k": "2"}, "below 1"),
        ({"hits": "882"}, "hits=882"),
        ({"rule": "magic"}, "rule='magic'"),
        ({"rule": ["prefix"]}, "rule=['prefix']"),
        ({"claim": "multiclass.lem2"}, "claim='multiclass.lem2'"),
        ({"format": 2}, "format=2"),
        ({"rule": "explicit"}, "rounds must be a list"),
        ({"rule": "explicit", "rounds": [[0]] * 880}, "rounds must be a list"),
        ({"rule": "explicit", "rounds": [[1, -1]] * 881}, "rounds[0] must be a list of integers"),
        ({"rule": "explicit", "rounds": [[True]] * 881}, "rounds[0] must be a list of integers"),
        ({"rule": "explicit", "rounds": [[0, 975]] * 881}, "rounds[0] takes more examples"),
        ({"rule": "explicit", "rounds": [[], *[[0, 1]] * 880]}, "rounds[0] must be a list of integers"),
        ({"rule": "explicit", "rounds": [[0, 1], *[[0, 1, 974]] * 880]}, "rounds[1] takes more examples"),
        ({"rule": "explicit", "rounds": [[0, 1, 1]] * 881}, "rounds[0] takes more examples"),
        ({"m": f"1{'0' * 59}1"}, f"must be an integer from 2 to {float(LARGEST_M):.15g}"),
        ({"T": "100001"}, "must be an integer from 1 to 100000"),
        ({"T": "611", "gamma": "3/10", "hits": "1"}, "T=611 is below 8 ln m/gamma^2 = 611.77"),
        ({"turns": "154, 727"}, "turns must be a list"),
        ({"turns": [154, 726]}, "with sum 881"),
        ({"turns": [154, 728, -1]}, "at least 0"),
        ({"turns": [154, 726, True]}, "turns must be a list of integers"),
        ({"turns": [154, 727.0]}, "turns must be a list of integers"),
        ({"turns": [153, 728]}, "by its turns the target is right 153 times"),
        ({"turns": [0, 154, 727]}, "by its turns the target is right 727 times"),
        ({"turns": [100, 700, 50, 31]}, "by its turns the target is right 150 times"),
        ({"rule": "explicit", "rounds": [[10**30]] * 881}, "rounds[0] takes more examples"),
    ],
)
def test_a_wrong_field_is_refused_in_one_sentence(changes, part):
    with pytest.raises(CertificateError) as error:
        verify(small(**changes))
    assert part in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 300


@pytest.mark.parametrize("name", ["format", "claim", "k", "gamma", "m", "T", "hits", "rule"])
def test_a_missing_field_is_named(name):
    data = small()
    del data[name]
    with pytest.raises(CertificateError, match=f"'{name}' is missing"):
        verify(data)


@pytest.mark.parametrize("text", ["{", "[1]", "", '{"a": ' * 3000, "\x00", '"text"'])
def test_a_file_that_is_no_certificate_is_refused(tmp_path, text):
    file = tmp_path / "c.json"
    file.write_text(text)
    done = CliRunner().invoke(main, ["verify", str(file)])
    assert done.exit_code == 2
    assert done.output.startswith("Error: ")
    assert str(file) in done.output.replace("\n", "")


def test_a_huge_file_is_not_read(tmp_path):
    file = tmp_path / "c.json"
    with file.open("wb") as handle:
        handle.truncate(2**33)
    with pytest.raises(CertificateError, match="larger than"):
        verify(file)


def test_the_command_prints_the_numbers_and_its_exit_code_is_the_outcome(tmp_path):
    done = CliRunner().invoke(main, ["verify", str(FOLDER / "lem1_m975.json")])
    assert done.exit_code == 0
    assert "multiclass.lem1a: refuted (oracle reading)" in done.output
    assert "154.175" in done.output
    done = CliRunner().invoke(main, ["verify", "--json", str(FOLDER / "lem1_m975.json")])
    assert json.loads(done.output)["hits"] == 154
    file = tmp_path / "c.json"
    file.write_text(json.dumps(small(hits="155")))
    assert CliRunner().invoke(main, ["verify", str(file)]).exit_code == 1
    assert CliRunner().invoke(main, ["verify", str(tmp_path / "absent.json")]).exit_code == 2


def test_a_sample_of_10_to_the_48_is_no_more_work():
    gamma, m = Fraction(1, 4), 10**48
    T = math.ceil(8 * math.log(m) / gamma**2)
    found = verify(small(m=str(m), T=str(T), hits="2390"))
    assert found.refuted
    # the constant that is left of γ/2 is close to 15/32
    assert 0 < (Fraction(found.hits, T) - Fraction(1, 20)) / gamma - Fraction(15, 32) < Fraction(1, 100)


def by_the_definition(m, schedule, accuracy, decay, choose):
    """Excess of accuracy of every round, in exact fractions, for one true e^{−η}."""
    groups, mine, excess = Counter({0: m - 1}), 0, []
    for t, right in enumerate(schedule):
        levels = sorted(groups)
        chosen = choose(t, [groups[level] for level in levels])
        weight = {level: decay**level for level in (*levels, mine)}
        total = weight[mine] + sum(groups[level] * weight[level] for level in levels)
        reached = right * weight[mine] + sum(
            n * weight[level] for level, n in zip(levels, chosen, strict=True)
        )
        excess.append(reached / total - accuracy)
        after = Counter()
        for level, n in zip(levels, chosen, strict=True):
            after[level] += groups[level] - n
            after[level + 1] += n
        groups, mine = +after, mine + right
    return excess


def every_second(t, sizes):
    return [(size + t % 2) // 2 for size in sizes]


@pytest.mark.parametrize("accuracy", [Fraction(1, 5), Fraction(2, 5), Fraction(3, 4)])
@pytest.mark.parametrize(
    ("bits", "decay"), [(10, (600, 700)), (10, (1000, 1001)), (64, (2**63, 2**63 + 2**40))]
)
def test_bounds_hold_for_every_weight_in_a_wide_interval(bits, decay, accuracy):
    schedule = [True, True, False, True, False, False, True, False]
    least, total = _replay(9, schedule, accuracy, decay, bits, lambda t, sizes, *_: every_second(t, sizes))
    for true in (decay[0], Fraction(sum(decay), 2), decay[1]):
        excess = by_the_definition(9, schedule, accuracy, Fraction(true) / 2**bits, every_second)
        assert least <= min(excess)
        assert total >= sum(max(0, e) for e in excess)


@pytest.mark.parametrize("accuracy", [Fraction(1, 5), Fraction(3, 7), Fraction(3, 4)])
def test_bounds_are_close_where_the_weights_are_known(accuracy):
    schedule = [True, False] * 6
    decay = (2**300 // 3, 2**300 // 3 + 1)
    least, total = _replay(9, schedule, accuracy, decay, 300, lambda t, sizes, *_: every_second(t, sizes))
    excess = by_the_definition(9, schedule, accuracy, Fraction(1, 3), every_second)
    # one unit of 2^-128 for the least, of 2^-64 for each round that adds to the total
    assert 0 <= min(excess) - least < Fraction(1, 2**127)
    assert (least * 2**128).denominator == 1
    positive = [e for e in excess if e > 0]
    assert 0 < total - sum(positive) <= Fraction(len(positive), 2**64) + Fraction(1, 2**200)


def test_an_excess_of_zero_is_zero():
    # all are right in the only round
    assert _replay(4, [True], Fraction(1), (1, 2), 1, lambda t, sizes, *_: sizes)[0] == 0
    # half of the weight is right, half is asked for
    assert _replay(4, [True], Fraction(1, 2), (1, 2), 1, lambda t, sizes, *_: [1])[0] == 0


@pytest.mark.parametrize(("m", "T", "gamma"), [(2, 23, "1/2"), (975, 881, "1/4"), (10**48, 10**5, "1/4")])
def test_the_weights_keep_sixty_digits_and_those_of_m(m, T, gamma):
    (low, high), bits = _decay(m, T, Fraction(gamma))
    with mpmath.workprec(2 * bits):
        eta = mpmath.sqrt(mpmath.log(m) / (2 * T))
        exact = mpmath.mpf(2) ** bits * mpmath.exp(-eta)
        assert low <= exact <= high
        assert high - low == 1
        # each round adds an error of at most two units, and the smallest weight still keeps its digits
        assert mpmath.mpf(2) ** bits * mpmath.exp(-eta * T) > 2 * T * mpmath.mpf(10) ** 50 * m


def test_the_integer_part_of_an_end():
    for value, whole in ((5, 5), (8, 8), (2.75, 2), (0.5, 0), (2.0**70, 2**70)):
        assert _integer(mpmath.iv.mpf(value).a) == whole


@pytest.mark.parametrize(
    ("sizes", "weights", "need", "chosen"),
    [
        ([2, 3], [4, 1], -1, [0, 0]),
        ([2, 3], [4, 1], 0, [0, 0]),
        ([2, 3], [4, 1], 1, [0, 1]),
        ([2, 3], [4, 1], 4, [1, 0]),
        ([2, 3], [4, 1], 5, [1, 1]),
        ([2, 3], [4, 1], 10, [2, 2]),
        ([2, 3], [4, 1], 11, [2, 3]),
        ([2, 3], [4, 1], 20, [2, 3]),
        ([1, 1, 1], [9, 5, 3], 10, [1, 0, 1]),
    ],
)
def test_the_prefix_rule_on_two_weights(sizes, weights, need, chosen):
    assert _prefix(0, sizes, weights, need) == chosen


def test_turns_say_the_same_as_hits_and_more():
    plain = verify(small())
    assert verify(small(turns=[154, 727])) == plain
    assert verify(small(turns=[154, 727, 0])) == plain
    later = verify(small(turns=[0, 1, 154, 726]))
    assert (later.hits, later.threshold) == (plain.hits, plain.threshold)
    assert later.total_excess != plain.total_excess


def test_the_ends_of_every_range_are_admitted():
    # right in as many rounds as promised, not fewer
    even = verify(small(m="1300", T="920", hits="161"))
    assert even.least_excess >= 0
    assert even.hits == even.threshold
    assert not even.refuted
    assert "161 >= 161" in even.reason
    assert verify(small(hits="881")).hits == 881
    assert verify(small(hits="0")).hits == 0
    tiny = {"m": "2", "T": "23", "hits": "23", "gamma": "1/2", "k": "3"}
    assert verify(small(**tiny)).least_excess == Fraction(2**128 // 6, 2**128)
    with pytest.raises(CertificateError, match="asks for more rounds"):
        verify(small(m=str(LARGEST_M)))
    assert LARGEST_M == 10**60
    assert verify(small(**tiny | {"T": str(LARGEST_T)})).T == LARGEST_T == 10**5
    assert verify(small(T="612", gamma="3/10", hits="100")).T == 612


def test_a_file_of_the_largest_size_is_read(tmp_path):
    file = tmp_path / "c.json"
    for size, words in ((8 * 2**20, "not JSON"), (8 * 2**20 + 1, "larger than")):
        with file.open("wb") as handle:
            handle.truncate(size)
        with pytest.raises(CertificateError, match=words):
            read_certificate(file)
    assert LARGEST_FILE == 8 * 2**20


@pytest.mark.parametrize(
    ("lists", "objects", "words"),
    [
        (LARGEST_T + 8, 1, None),
        (LARGEST_T + 9, 1, "more lists than rounds"),
        (0, 2, "nested objects"),
        (LARGEST_T + 9, 2, "nested objects"),
    ],
)
def test_brackets_are_counted_before_they_are_read(tmp_path, lists, objects, words):
    file = tmp_path / "c.json"
    inner = '{"b": 1}' if objects == 2 else "1"
    file.write_text(f'{{"a": [{", ".join(["[]"] * (lists - 1))}], "c": {inner}}}')
    if words is None:
        assert len(read_certificate(file)["a"]) == lists - 1
    else:
        with pytest.raises(CertificateError, match=words):
            read_certificate(file)


def test_a_field_that_is_there_twice_is_refused(tmp_path):
    file = tmp_path / "c.json"
    file.write_text('{"m": "975", "m": "3"}')
    with pytest.raises(CertificateError, match="there twice"):
        read_certificate(file)


def test_a_replay_is_bounded_by_the_bits_it_adds_up(monkeypatch):
    # one group of weights a round, of 10 bits and 4 for the number of examples
    schedule, all_of_them = [True] * 5, lambda t, sizes, *_: sizes
    arguments = (9, schedule, Fraction(1, 5), (600, 700), 10, all_of_them)
    monkeypatch.setattr(certificates, "LARGEST_WORK", 5 * 14)
    assert _replay(*arguments)[0] > 0
    monkeypatch.setattr(certificates, "LARGEST_WORK", 5 * 14 - 1)
    with pytest.raises(CertificateError, match="too long, 4 of 5 rounds done"):
        _replay(*arguments)
    monkeypatch.undo()
    # a certificate that is known takes a fiftieth
    assert certificates.LARGEST_WORK == 10**10


def test_a_verification_is_not_edited():
    with pytest.raises(FrozenInstanceError):
        verify(small()).refuted = False
