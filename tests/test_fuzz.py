"""Readers of files meet broken ones: a ValueError, TypeError or OSError with a message, and no more memory.

Sixty files a reader; with BOOSTTHEORY_SLOW=1 a hundred thousand.
"""

import json
import os
import time
import tracemalloc
import warnings
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from boosttheory import TripletBoostClassifier, TripletSet
from boosttheory.certificates import read_certificate, verify
from boosttheory.claims import load
from boosttheory.cli._answers import read_labels
from boosttheory.concepts import FiniteClass
from boosttheory.interop import load_results
from boosttheory.partitioned import index_parts, open_index
from boosttheory.rows import read_rows, run, write_rows
from boosttheory.spaces import read_points
from boosttheory.triplet_files import read_answers

SLOW = bool(os.environ.get("BOOSTTHEORY_SLOW"))
ROWS = np.array([[0, 1, 2], [3, 2, 1], [2, 0, 3]], np.int32)
SPARE = 24 << 20  # bytes that a reader may take whatever the size of the file: buffers and modules
pieces = st.sampled_from(
    [b"\x00", b"\xff", b'"', b",", b"\n", b"\r", b"-", b"9" * 30, b"1e999", b"NaN", b"[" * 3000, b"{", b"}",
     b"null", b"true", b"\\ud800", b"\xef\xbb\xbf", "\u202eא".encode(), b"=cmd()", b":", b"1:", b"0.5",
     b"x" * 200_000]
)  # fmt: skip


@st.composite
def broken(draw, whole):
    """Draw a file: noise, or a whole one with bytes cut out, replaced and put in."""
    if draw(st.integers(0, 5)) == 0:
        return draw(st.binary(max_size=300) | st.text(max_size=100).map(lambda text: text.encode()))
    content = whole
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(content)))
        end = min(len(content), start + draw(st.sampled_from([0, 0, 1, 1, 4, 40])))
        content = content[:start] + draw(pieces | st.binary(max_size=4)) + content[end:]
    return content[: draw(st.integers(0, len(content)))] if draw(st.booleans()) else content


def saved(**arrays):
    stream = BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def one_array():
    stream = BytesIO()
    np.save(stream, ROWS)
    return stream.getvalue()


def parquet():
    pyarrow, files = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    stream = BytesIO()
    files.write_table(pyarrow.table(dict(zip("ijk", ROWS.T, strict=True))), stream)
    return stream.getvalue()


def model():
    X = np.random.default_rng(0).normal(size=(8, 2))
    triplets = TripletSet.from_metric(X, proportion=0.5, rng=np.random.default_rng(0))
    made = TripletBoostClassifier(5, random_state=0).fit(triplets, [0, 1] * 4)
    return written(made.save, ".npz")


def ledger():
    claims = {"triplet.count": load()["triplet.count"]}
    return written(lambda path: write_rows(path, run(claims)), ".jsonl")


def written(write, ending):
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "whole" + ending)
        write(path)
        return path.read_bytes()


def index():
    pytest.importorskip("dask")

    def write(path):
        index_parts([ROWS], path.parent / "index", n_objects=4)
        path.write_bytes((path.parent / "index" / "index.json").read_bytes())

    return written(write, ".json")


def of_folder(path):
    return len(open_index(path.parent))


def answer_or_refuse(path):
    return verify(read_certificate(path))


def certificate():
    folder = Path(__file__).parent.parent / "proofs_checks" / "multiclass"
    return min(folder.glob("lem1_m*.json"), key=lambda file: file.stat().st_size).read_bytes()


def simulation():
    block = {"experiment": "x", "seed": 3, "point": {"n": 5}, "block": 0, "records": [{"hit": 1}, {"hit": 0}]}
    return (json.dumps(block) + "\n").encode() * 2


def records(make):
    return lambda: make([dict(zip("ijk", row, strict=True)) for row in ROWS.tolist()]).encode()


READERS = {
    "csv": ("a.csv", read_answers, lambda: b"i,j,k\n0,1,2\n3,2,1\n2,0,3\n"),
    "csv of names": ("a.csv", read_answers, lambda: 'i,j,k\n"a,b",ö,c\nc,"a,b",ö\n'.encode()),
    "tsv": ("a.tsv", read_answers, lambda: b"0\t1\t2\n3\t2\t1\n"),
    "txt": ("a.txt", read_answers, lambda: b"0 1 2\n3 2 1\n"),
    "npy": ("a.npy", read_answers, one_array),
    "npz": ("a.npz", read_answers, lambda: saved(**dict(zip("ijk", ROWS.T, strict=True)))),
    "json": ("a.json", read_answers, records(json.dumps)),
    "jsonl": ("a.jsonl", read_answers, records(lambda rows: "\n".join(map(json.dumps, rows)))),
    "parquet": ("a.parquet", read_answers, parquet),
    "labels": ("a.csv", lambda path: read_labels(path, None, None), lambda: b"object,class\na,x\nb,y\n"),
    "model": ("a.npz", TripletBoostClassifier.load, model),
    "rows": ("a.jsonl", read_rows, ledger),
    "results": ("a.jsonl", load_results, simulation),
    "certificate": ("a.json", answer_or_refuse, certificate),
    "class": ("a.csv", FiniteClass.from_file, lambda: b"0,1,2\n1,1,0\n"),
    "points": ("a.txt", lambda path: read_points.__wrapped__(str(path)), lambda: b"1 1:0.5 3:2\n-1 2:1\n"),
    "points as arrays": (
        "a.npz", lambda path: read_points.__wrapped__(str(path)), lambda: saved(X=np.eye(3), y=np.arange(3))
    ),
    "index": ("index.json", of_folder, index),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:Generating overly large repr")
@pytest.mark.parametrize(("name", "reader", "whole"), READERS.values(), ids=READERS)
def test_a_broken_file_is_refused_in_words(tmp_path, name, reader, whole):
    if reader is load_results:
        pytest.importorskip("pandas")
    path = tmp_path / name
    path.write_bytes(content := whole())
    reader(path)  # and loads the modules that it needs

    @settings(
        derandomize=True, deadline=None, max_examples=100_000 if SLOW else 60,
        suppress_health_check=list(HealthCheck), database=None,
    )  # fmt: skip
    @given(broken(content))
    def attack(content):
        path.write_bytes(content)
        tracemalloc.start()
        start = time.process_time()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                reader(path)
        except (ValueError, TypeError, OSError) as error:
            said = str(error)
        else:
            said = "nothing is wrong"
        finally:
            seconds = time.process_time() - start
            _, most = tracemalloc.get_traced_memory()
            tracemalloc.stop()
        assert said.strip()
        assert most < 10 * len(content) + SPARE
        assert seconds < 20

    attack()
