"""Result rows: what is written, read back, refused, and computed in parallel."""

import json
import os
import stat
from fractions import Fraction

import pytest
from fake_ledger import forget, write

from boosttheory import rows
from boosttheory.claims import Claim, load, select
from boosttheory.surds import sqrt


@pytest.fixture
def ledger(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    forget()
    yield load(write(tmp_path))
    forget()


def timeless(found):
    return [{name: value for name, value in row.items() if name != "seconds"} for row in found]


def test_round_trip(ledger, tmp_path):
    found = rows.run(ledger)
    rows.write_rows(tmp_path / "rows.jsonl", found)
    assert rows.read_rows(tmp_path / "rows.jsonl") == json.loads(json.dumps(found))
    assert rows.surprises(ledger, found) == []
    assert [row["claim"] for row in found] == [
        "toy.thm1",
        "toy.thm2",
        "toy.thm2.weak",
        "toy.alg1",
        "toy.open",
    ]
    assert [row["check"] for row in found][-1] is None
    assert found[0]["table"][0] == {"x": "-2", "square": 4.0, "zero": False}
    for name, claim in ledger.items():
        assert rows.verdict_of(claim, found) == claim.expect, name


def test_parallel_equals_serial(ledger):
    seen = []
    parallel = rows.run(ledger, jobs=2, seed=5, progress=lambda row: seen.append(row["check"]))
    assert timeless(parallel) == timeless(rows.run(ledger, seed=5))
    assert sorted(seen) == sorted(row["check"] for row in parallel if row["check"])


def test_every_disagreement_is_a_surprise(ledger):
    found = rows.run(ledger)
    better = [row | {"refutes": False, "supports": True} for row in found]
    assert any("toy.thm2: the verdict is 'holds on every case'" in s for s in rows.surprises(ledger, better))
    missing = [row for row in found if row["claim"] != "toy.thm1"]
    assert rows.surprises(ledger, missing) == [
        "toy.thm1: the verdict is 'not checked', expected 'holds on every case'"
    ]
    chosen = select(ledger, ["toy.alg1"])
    assert rows.surprises(chosen, rows.run(chosen)) == []


def test_slow_expectations():
    claim = Claim("t.a", "p", "l", "t", "s", expect="not checked", expect_slow="holds on every case")
    claim.check("exhaustive", scope="one", over=[1], slow_only=True)(lambda x: x)
    claims = {"t.a": claim}
    assert rows.surprises(claims, rows.run(claims)) == []
    assert rows.surprises(claims, rows.run(claims, slow=True), slow=True) == []
    assert rows.surprises(claims, rows.run(claims), slow=True) != []


@pytest.mark.parametrize(
    ("margin", "text", "value"),
    [
        (Fraction(1, 3), "1/3", 1 / 3),
        (10**400, str(10**400), None),
        (10**9000, hex(10**9000)[:400] + f"… ({len(hex(10**9000))} characters)", None),
        (sqrt(2) - 1, "(-1 + 1*sqrt(2))", 2**0.5 - 1),
        (float("inf"), "inf", None),
    ],
    ids=["fraction", "large", "huge", "surd", "infinite"],
)
def test_numbers_of_every_size_are_written(margin, text, value):
    claim = Claim("t.a", "p", "l", "t", "s", expect="holds on every case")
    check = claim.check("exhaustive", scope="one", over=[(1, 2**60)])(lambda case: margin)
    row = rows.row(check.run())
    assert row["low"] == (text if len(text) <= 400 else row["low"])
    assert row["margin"] == pytest.approx(value)
    assert row["worst_data"] == [1, str(2**60)]
    json.dumps(row, allow_nan=False)


GOOD = {"schema": rows.SCHEMA, "claim": "a", "check": None}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"schema": 1, "claim": "a", "che', "not a JSON object"),
        (b"[1, 2]", "not a JSON object"),
        (b"\xff\xfe\x00", "not a JSON object"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"schema": 1, "claim": "a"}', "needs check"),
        (b'{"schema": 1, "claim": "a", "check": "b"}', "needs kind, refutes, supports, by_hand, whole"),
        (json.dumps(GOOD | {"schema": rows.SCHEMA + 1}).encode(), "upgrade boosttheory"),
        (json.dumps(GOOD | {"schema": "one"}).encode(), "upgrade boosttheory"),
    ],
    ids=["truncated", "list", "bytes", "deep", "no check", "no kind", "newer", "text"],
)
def test_a_broken_file_is_refused_in_one_sentence(tmp_path, line, message):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(json.dumps(GOOD).encode() + b"\n\n" + line + b"\n")
    with pytest.raises(ValueError, match=message) as caught:
        rows.read_rows(path)
    assert str(caught.value).startswith(f"{path}, line 3: ")
    assert "\n" not in str(caught.value)


def test_empty_lines_are_nothing(tmp_path):
    (tmp_path / "rows.jsonl").write_text("\n" + json.dumps(GOOD) + "\n\n")
    assert rows.read_rows(tmp_path / "rows.jsonl") == [GOOD]


def test_atomic_write(tmp_path):
    target = tmp_path / "new" / "file.txt"
    rows.atomic_write(target, "α")
    assert target.read_bytes() == "α".encode()
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(target.stat().st_mode) == 0o666 & ~umask
    rows.atomic_write(target, b"new")
    assert target.read_bytes() == b"new"
    assert list(target.parent.iterdir()) == [target]


def test_a_failed_write_leaves_the_old_file_whole(tmp_path, monkeypatch):
    target = tmp_path / "rows.jsonl"
    rows.write_rows(target, [GOOD])
    before = target.read_bytes()

    def full(handle):
        raise OSError("no space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="no space"):
            rows.write_rows(target, [GOOD, GOOD])
    with pytest.raises(ValueError, match="JSON compliant"):
        rows.write_rows(target, [GOOD, {"margin": float("nan")}])
    with pytest.raises(TypeError):
        rows.write_rows(target, [GOOD, {"margin": object()}])
    assert target.read_bytes() == before
    assert list(tmp_path.iterdir()) == [target]


def test_a_link_is_followed(tmp_path):
    target, link = tmp_path / "file", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    rows.atomic_write(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_device_is_written_to_and_not_replaced():
    rows.atomic_write(os.devnull, "nothing")
    assert not os.path.isfile(os.devnull)
