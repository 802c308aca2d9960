"""Readers of answers: every format, the layouts of real data, and broken files."""

import json
import os
import tracemalloc
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boosttheory.triplet_files import answers_from_arrays, read_answers
from boosttheory.triplets import TripletSet, TripletWarning

DATA = Path(os.environ.get("BOOSTTHEORY_DATA", Path(__file__).parents[2] / "shared" / "data"))
real = pytest.mark.skipif(not (DATA / "car60").is_dir(), reason="the real data are not here")
ROWS = [[0, 1, 2], [2, 0, 1], [11, 3, 200]]


def same(a, b):
    return all(
        np.array_equal(x, y) if isinstance(x, np.ndarray) else x == y for x, y in zip(a, b, strict=True)
    )


def write(folder, text, name="answers.csv"):
    file = folder / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


# Text


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("0,1,2\n2,0,1\n11,3,200\n", "a.csv"),
        ("0,1,2\n2,0,1\n11,3,200", "a.csv"),
        ("0,1,2\r\n2,0,1\r\n11,3,200\r\n", "a.csv"),
        ("\ufeff0,1,2\n2,0,1\n11,3,200\n", "a.csv"),
        ("i,j,k\n0,1,2\n2,0,1\n11,3,200\n", "a.csv"),
        ("\ufeffi,j,k\r\n0,1,2\r\n2,0,1\r\n11,3,200\r\n", "a.csv"),
        ("0, 1, 2\n2, 0, 1\n11, 3, 200\n", "a.csv"),
        ('"0","1","2"\n2,0,1\n11,3,200\n', "a.csv"),
        ('0,1,2\n2,"0",1\n11,3,200\n', "a.csv"),
        ("0,1,2\n\n2,0,1\n\n11,3,200\n\n", "a.csv"),
        ("0;1;2\n2;0;1\n11;3;200\n", "a.csv"),
        ("0\t1\t2\n2\t0\t1\n11\t3\t200\n", "a.tsv"),
        ("0 1 2\n2 0 1\n11 3 200\n", "a.txt"),
        ("0  1   2\n2  0   1\n11 3 200\n", "a.txt"),
    ],
)
def test_text_layouts(tmp_path, text, name):
    found = read_answers(write(tmp_path, text, name))
    assert found.rows.tolist() == ROWS
    assert found.names is None


def test_blocks_meet_without_seams(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    rows = rng.permuted(np.tile(np.arange(300), (500, 1)), axis=1)[:, :3]
    text = "who,i,j,k\n" + "".join(f"p{i},{a},{b},{c}\n" for i, (a, b, c) in enumerate(rows))
    file = write(tmp_path, text)
    whole = read_answers(file, columns=("i", "j", "k"), groups="who")
    assert whole.rows.tolist() == rows.tolist()
    assert [whole.group_names[g] for g in whole.groups] == [f"p{i}" for i in range(500)]
    for size in (20, 64, 1000):
        monkeypatch.setattr("boosttheory.triplet_files._BLOCK", size)
        monkeypatch.setattr("boosttheory.triplet_files._BATCH", size)
        assert same(read_answers(file, columns=("i", "j", "k"), groups="who"), whole)
        quoted = write(tmp_path, text.replace("p77,", '"p77",'), "b.csv")
        assert same(read_answers(quoted, columns=("i", "j", "k"), groups="who"), whole)


FIELD = st.text("ab ,;\"'\nü€0", max_size=4).map(str.strip).filter(bool)


@given(st.lists(st.lists(FIELD, min_size=3, max_size=3, unique=True), min_size=1, max_size=20))
@settings(derandomize=True, deadline=None)
def test_any_names_survive_the_csv_format(tmp_path_factory, rows):
    import csv

    file = tmp_path_factory.mktemp("names") / "names.csv"
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["head", "near", "far"])
        writer.writerows(rows)
    found = read_answers(file, header=True)
    if found.names is not None:
        assert [[found.names[code] for code in row] for row in found.rows] == rows
        assert list(found.names) == sorted(found.names)


def test_columns_by_position_and_by_name(tmp_path):
    file = write(tmp_path, "7,x,0,1,2\n8,y,2,0,1\n")
    found = read_answers(file, columns=(2, 3, 4), groups=1)
    assert found.rows.tolist() == ROWS[:2]
    assert found.group_names == ("x", "y")
    file = write(tmp_path, "n,group,i,j,k\n7,x,0,1,2\n8,,2,0,1\n")
    found = read_answers(file, columns=("k", "j", "i"), groups="group", votes="n")
    assert found.rows.tolist() == [[2, 1, 0], [1, 0, 2]]
    assert found.votes.tolist() == [[7, 0], [8, 0]]
    assert found.group_names == ("", "x")


def test_responses_in_a_column(tmp_path):
    file = write(tmp_path, "A,B,C,eval\n0,1,2,1\n2,0,1,0\n0,2,1,NA\n")
    found = read_answers(file, columns=("A", "B", "C"), response="eval", first=1, second=0, skip=["NA"])
    assert found.rows.tolist() == [[0, 1, 2], [2, 1, 0]]
    file = write(tmp_path, "a,b,c,said\ncat,ant,bee,bee\nant,bee,cat,bee\n")
    found = read_answers(file, columns=("a", "b", "c"), response="said")
    assert [[found.names[code] for code in row] for row in found.rows] == [
        ["cat", "bee", "ant"],
        ["ant", "bee", "cat"],
    ]
    found = read_answers(file, columns=("a", "b", "c"), response="said", answer="odd_one_out")
    assert [found.names[row[0]] for row in found.rows] == ["bee", "bee"]
    assert all(sorted(row) == [0, 1, 2] for row in found.rows.tolist())


def test_objects_named_beforehand(tmp_path):
    file = write(tmp_path, "3,1,2\n2,3,1\n")
    for names in ([1, 2, 3], ["1", "2", "3"], [3, 2, 1, "extra"]):
        found = read_answers(file, names=names)
        assert [[str(found.names[code]) for code in row] for row in found.rows] == [list("312"), list("231")]
        assert found.names == tuple(names)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("0,1,2\n0,1\n2,0,1\n", {}, "line 2: 2 fields instead of 3"),
        ("0,1,2\n0,1\n2\n", {}, "line 2: 2 fields instead of 3"),
        ("0,1,2\n2,0,1\n0,1,2,3\n", {}, "line 3: 4 fields instead of 3"),
        ("0,1,2\n\n0,1,x\n", {}, "line 3: 'x' in column 2 is no integer"),
        ("i,j,k\n0,1,2\n0,1,2.5\n", {}, "line 3: '2.5' in column k is no integer"),
        ("i,j,k\n0,1,2\n0,,2\n", {}, "line 3: '' in column j is no integer"),
        ("i,j,k\n0,1,2\n0,nan,2\n", {}, "line 3: 'nan' in column j is no integer"),
        ("0,1,2\n0,-1,2\n", {}, "line 2 has the index -1; indices run from 0"),
        ("0,1,2\n0,1,7\n", {"n_objects": 7}, "line 2 has the index 7; indices run from 0 to 6"),
        ("1,2,3\n0,1,2\n", {"base": 1}, "line 2 has the index 0; indices run from 1"),
        ("0,1,2\n2,1,1\n", {}, "line 2 compares object 1 with itself"),
        ("a,b,c\na,c,c\n", {}, "line 2 compares object 'c' with itself"),
        ("a,b,c\nb,,c\n", {}, "line 2 lacks an object"),
        ("a,b,c\na,b,z\n", {"names": "abc"}, "line 2 has the object 'z', which names lacks"),
        ("0,1,2\n0,1,9\n", {"names": range(9)}, "line 2 has the object '9', which names lacks"),
        ('0,1,2\n0,"1,2\n', {}, "line 2: unreadable"),
        (b"a,b,c\n\xff,b,c\n", {}, "line 2 is not UTF-8"),
        (b"\xff,b,c\n", {}, "line 1: not UTF-8 text"),
        ("", {}, "has no first line"),
        ("i,j,k\n0,1,2\n", {"columns": ("i", "j", "near")}, "no column 'near'; its columns are i, j, k"),
        ("0,1,2\n", {"columns": (0, 1, 3)}, "no column 3; its columns are the positions 0 to 2"),
        ("i,j,k\n0,1,2\n", {"columns": ("i", "j")}, "name three columns"),
        ("i,j,k\n0,1,2\n", {"votes": "n"}, "no column 'n'"),
        ("a,b,c,d\n0,1,2,3\n", {}, "say which by columns"),
        (
            "i,j,k,r\n0,1,2,1\n0,1,2,5\n",
            {"response": "r"},
            "line 3 has the response '5', not one of its objects",
        ),
        (
            "i,j,k,r\n0,1,2,5\n",
            {"response": "r", "first": 1, "second": 0},
            "line 2 has the response '5', not 1 or 0",
        ),
        ("i,j,k,n\n0,1,2,-5\n", {"votes": "n"}, "line 2 has -5 votes"),
        ("0,1,2\n", {"delimiter": ", "}, "delimiter is ', '; give one ASCII character"),
    ],
)
def test_broken_text(tmp_path, text, options, message):
    file = write(tmp_path, text)
    with pytest.raises(ValueError, match=message) as caught:
        read_answers(file, **options)
    assert "\n" not in str(caught.value)


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no file '.*nothing\.csv'; check the path"):
        TripletSet.from_file(tmp_path / "nothing.csv")
    with pytest.raises(ValueError, match=r"ends in '.xlsx'; use .csv"):
        read_answers(write(tmp_path, "", "answers.xlsx"))


def test_header_without_rows(tmp_path):
    file = write(tmp_path, "i,j,k\n")
    assert read_answers(file, columns=("i", "j", "k"), n_objects=3).rows.shape == (0, 3)
    with pytest.raises(ValueError, match="triplets is empty"):
        TripletSet.from_file(file, columns=("i", "j", "k"))


def test_ten_million_lines_in_bounded_memory(tmp_path):
    file = write(tmp_path, b"0,1,2\n2,1,0\n" * 5_000_000)
    tracemalloc.start()
    found = read_answers(file)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.rows.shape == (10_000_000, 3)
    assert peak < 220e6


# Arrays, JSON, Parquet


def test_numpy_files(tmp_path):
    np.save(tmp_path / "a.npy", np.array(ROWS, np.uint8))
    assert read_answers(tmp_path / "a.npy").rows.tolist() == ROWS
    np.savez(tmp_path / "a.npz", triplets=ROWS)
    assert read_answers(tmp_path / "a.npz").rows.tolist() == ROWS
    np.savez(tmp_path / "b.npz", i=[0, 1], j=[1, 0], k=[2, 2], n=[[3, 1], [0, 2]], who=["x", "y"])
    found = read_answers(tmp_path / "b.npz", columns=("i", "j", "k"), votes="n", groups="who")
    assert found.votes.tolist() == [[3, 1], [0, 2]]
    table = np.array([(0, 1, 2, "x")], dtype=[("i", "i4"), ("j", "i4"), ("k", "i4"), ("who", "U3")])
    np.save(tmp_path / "c.npy", table)
    assert read_answers(tmp_path / "c.npy", groups="who").rows.tolist() == ROWS[:1]


def test_pickled_arrays_are_refused(tmp_path):
    np.save(tmp_path / "a.npy", np.array([[0, 1, {}]], object), allow_pickle=True)
    with pytest.raises(ValueError, match="save it without pickle"):
        read_answers(tmp_path / "a.npy")
    np.savez(tmp_path / "a.npz", triplets=np.array([[0, 1, {}]], object))
    with pytest.raises(ValueError, match="save it without pickle"):
        read_answers(tmp_path / "a.npz")
    with pytest.raises(ValueError, match="save it without pickle"):
        read_answers(write(tmp_path, "no array", "b.npy"))


def test_json_files(tmp_path):
    records = [{"head": i, "near": j, "far": k, "who": "x"} for i, j, k in ROWS]
    columns = {"triplets": ROWS, "votes": [[3, 1], [2, 0], [1, 1]], "note": ["a"]}
    assert read_answers(write(tmp_path, json.dumps(ROWS), "a.json")).rows.tolist() == ROWS
    found = read_answers(
        write(tmp_path, json.dumps(records), "b.json"), columns=("head", "near", "far"), groups="who"
    )
    assert (found.rows.tolist(), found.group_names) == (ROWS, ("x",))
    found = read_answers(write(tmp_path, json.dumps(columns), "c.json"), columns="triplets", votes="votes")
    assert found.votes.tolist() == columns["votes"]
    lines = "\n".join(map(json.dumps, records)) + "\n\n"
    assert read_answers(write(tmp_path, lines, "d.jsonl"), groups="who").rows.tolist() == ROWS


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ("[[0, 1, 2],\n[0, 1}", "a.json", "line 2: not JSON"),
        ("3", "a.json", "neither a list of records"),
        ("[[0, 1, 2], [0, 1]]", "a.json", "record 1 is no row of 3 values"),
        ('[{"i": 0, "j": 1, "k": 2}, {"i": 0, "j": 1}]', "a.json", r"record 1 lacks \['k'\]"),
        ('{"i": [[0, 1, 2], [0, 1]]}', "a.json", "rows of unequal length"),
        ("[[0, 1, 2], [0, null, 2]]", "a.json", "record 1 has the value nan"),
        ("[0, 1, 2]\n[0, 1,\n", "a.jsonl", "line 2: not JSON"),
        ("[0, 1, 2]\n\n[0, 1, 1]\n", "a.jsonl", "line 3 compares object 1 with itself"),
    ],
)
def test_broken_json(tmp_path, text, name, message):
    with pytest.raises(ValueError, match=message):
        read_answers(write(tmp_path, text, name))


def test_parquet_files(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table(
        {"who": ["x", "y"], "i": [0, 2], "j": [1, 0], "k": [2, 1], "abc": [[0, 1, 2], [2, 0, 1]]}
    )
    parquet.write_table(table, tmp_path / "a.parquet")
    found = read_answers(tmp_path / "a.parquet", columns=("i", "j", "k"), groups="who")
    assert (found.rows.tolist(), found.group_names) == (ROWS[:2], ("x", "y"))
    assert read_answers(tmp_path / "a.parquet", columns="abc").rows.tolist() == ROWS[:2]
    names = pyarrow.table({"a": ["p", "q"], "b": ["q", "r"], "c": ["r", "p"]})
    parquet.write_table(names, tmp_path / "b.parquet")
    assert read_answers(tmp_path / "b.parquet").names == ("p", "q", "r")
    missing = pyarrow.table({"i": [0, 0], "j": [1, None], "k": [2, 2]})
    parquet.write_table(missing, tmp_path / "c.parquet")
    with pytest.raises(ValueError, match="row 1 has the value nan"):
        read_answers(tmp_path / "c.parquet")
    with pytest.raises(ValueError, match="no column 'x'"):
        read_answers(tmp_path / "a.parquet", columns=("i", "j", "x"))
    with pytest.raises(ValueError, match="no Parquet file"):
        read_answers(write(tmp_path, "no table", "d.parquet"))


def test_every_format_gives_the_same_answers(tmp_path):
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    rows = rng.permuted(np.tile(np.arange(40), (300, 1)), axis=1)[:, :3]
    names = np.array([f"object {i:02}" for i in range(40)])
    frame = pandas.DataFrame(names[rows], columns=["head", "near", "far"]).assign(
        who=rng.integers(5, size=300)
    )
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_csv(tmp_path / "a.tsv", index=False, sep="\t")
    frame.to_json(tmp_path / "a.json", orient="records")
    frame.to_json(tmp_path / "a.jsonl", orient="records", lines=True)
    np.savez(
        tmp_path / "a.npz",
        **{name: frame[name].to_numpy().astype("U" if name != "who" else int) for name in frame},
    )
    layout = {"columns": ("head", "near", "far"), "groups": "who"}
    expected = answers_from_arrays(frame, **layout)
    assert np.array_equal(np.array(expected.names)[expected.rows], names[rows])
    for ending in ("csv", "tsv", "json", "jsonl", "npz"):
        assert same(read_answers(tmp_path / f"a.{ending}", **layout), expected)
    assert same(answers_from_arrays({name: frame[name].tolist() for name in frame}, **layout), expected)


# Real data


def quietly(path, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TripletWarning)
        return TripletSet.from_file(DATA / path, **options)


@real
def test_cars():
    central = {"answer": "most_central", "base": 1, "n_objects": 60}
    reduced = quietly("car60/ALL_REDUCED.csv", **central)
    assert (len(reduced), reduced.counts) == (2 * 6338, {})
    everything = quietly("car60/ALL.csv", **central)
    survey = quietly(
        "car60/survey_data.csv",
        columns=("triplet_object_1", "triplet_object_2", "triplet_object_3"),
        response="chosen_center",
        **central,
    )
    assert survey == everything
    named = quietly("car60/ALL.csv", answer="most_central", names=range(1, 61))
    assert named.names == tuple(range(1, 61))
    assert np.array_equal(named.heads, everything.heads)


@real
def test_faces():
    coded = quietly("faces36/faces36_triplets.csv", columns=("head", "winner", "loser"))
    assert coded.n_objects == 36
    named = quietly(
        "faces36/faces36_triplets.csv",
        columns=("head_name", "left_name", "right_name"),
        response="answer_name",
    )
    assert (len(named), named.counts) == (len(coded), coded.counts)
    answers = read_answers(
        DATA / "faces36" / "faces36_triplets.csv", columns=("head", "winner", "loser"), groups="participant"
    )
    assert (len(answers.rows), len(answers.group_names)) == (39468, 39)


@real
def test_materials():
    for part, questions, undecided in (("train", 22801, 1395), ("test", 3000, 262)):
        found = quietly(f"material/answers_processed_{part}.json", columns="answers", votes="agreement")
        assert len(found) == questions - undecided
        assert found.counts["undecided"] == undecided


@real
def test_categories():
    for part, size in (("food", 9000), ("scene", 8676)):
        found = quietly(
            f"crowdtsc/{part}_tscgt_by_category.csv",
            columns=("A", "B", "C"), response="eval", first=1, second=0,
        )  # fmt: skip
        assert (len(found), found.counts, found.n_objects) == (size, {}, 50)
