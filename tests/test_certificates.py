"""Certificates: the shipped ones hold, also where no algorithm can be imported; bad ones are refused."""

import json
import math
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

from boosttheory.adversaries import tight_rounds
from boosttheory.certificates import CertificateError, read_certificate, verify
from boosttheory.cli import main

FOLDER = Path(__file__).parent.parent / "proofs_checks" / "multiclass"
SHIPPED = {975: 154, 739: 148, 253: 664}


def small(**changes):
    return read_certificate(FOLDER / "lem1_m975.json") | changes


@pytest.mark.parametrize("m", SHIPPED)
def test_the_shipped_certificates_refute_lemma_1(m):
    found = verify(FOLDER / f"lem1_m{m}.json")
    assert found.refuted
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
