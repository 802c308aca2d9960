"""MovieLens: both formats on made-up lines, the construction of triplets, the ranking of genres."""

import numpy as np
import pytest

from boosttheory.movielens import movielens_trial, read_movielens, sample_ratings, top_genres
from boosttheory.spaces import digest

RATED = [(1, 10, 5), (1, 20, 3), (1, 30, 1), (2, 10, 4), (2, 30, 4), (2, 20, 1), (7, 40, 2)]


def small(folder):
    """Three genres, five movies, one of which nobody rated and one of which has no genre."""
    (folder / "u.genre").write_text("unknown|0\nAction|1\nDrama|2\n\n")
    flags = {10: "0|1|0", 20: "0|1|1", 30: "0|0|1", 40: "0|0|0", 50: "1|0|0"}
    lines = [f"{movie}|Film {movie} é|01-Jan-1995||http://x|{flag}\n" for movie, flag in flags.items()]
    (folder / "u.item").write_text("".join(lines), encoding="latin-1")
    (folder / "u.data").write_text("".join(f"{u}\t{m}\t{s}\t881250949\n" for u, m, s in RATED))
    return folder


def million(folder):
    lines = ["10::One::Two (1995)::Action", "20::Twenty (1995)::Action|Drama", "30::Thirty (1995)::Drama"]
    (folder / "movies.dat").write_text("\n".join(lines) + "\n")
    (folder / "ratings.dat").write_text("".join(f"{u}::{m}::{s}::978300760\n" for u, m, s in RATED))
    return folder


def test_both_formats(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    found, other = read_movielens(str(small(tmp_path / "a"))), read_movielens(str(million(tmp_path / "b")))
    assert found.titles == ("Film 10 é", "Film 20 é", "Film 30 é")
    assert found.genres == ("unknown", "Action", "Drama")
    assert found.labels.tolist() == [[False, True, False], [False, True, True], [False, False, True]]
    assert other.titles == ("One::Two (1995)", "Twenty (1995)", "Thirty (1995)")
    assert other.genres == ("Action", "Drama")
    assert other.labels.tolist() == [[True, False], [True, True], [False, True]]
    for ratings in (found, other):
        assert ratings.users.tolist() == [0, 0, 0, 1, 1, 1]
        assert ratings.movies.tolist() == [0, 1, 2, 0, 2, 1]
        assert ratings.stars.tolist() == [5, 3, 1, 4, 4, 1]


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("u.data", "1\t10\tfive\t8"),
        ("u.data", "1\t10"),
        ("u.data", "1\t10\t9\t8"),
        ("u.item", "60|Film|||x|0|1"),
        ("u.item", "60|Film|||x|0|1|2"),
        ("u.genre", "Horror"),
    ],
)
def test_a_broken_line_of_the_small_set(tmp_path, file, line):
    path = small(tmp_path) / file
    path.write_text(line + "\n" + path.read_text(encoding="latin-1"), encoding="latin-1")
    with pytest.raises(ValueError, match=rf"{file}, line 1: .*mend or drop the line"):
        read_movielens(str(tmp_path))


@pytest.mark.parametrize(
    ("file", "line", "number"),
    [
        ("ratings.dat", "1::2", 8),
        ("ratings.dat", "1::10::six::0", 8),
        ("ratings.dat", "1\t10\t4\t0", 8),
        ("movies.dat", "60::No genre", 4),
        ("movies.dat", "x::Sixty::Drama", 4),
    ],
)
def test_a_broken_line_of_the_large_set(tmp_path, file, line, number):
    with (million(tmp_path) / file).open("a") as lines:
        lines.write(line + "\n")
    with pytest.raises(ValueError, match=rf"{file}, line {number}: .*mend or drop the line"):
        read_movielens(str(tmp_path))


def test_titles_are_in_latin_1(tmp_path):
    path = million(tmp_path) / "movies.dat"
    path.write_bytes(path.read_bytes().replace(b"Thirty", "Misérables, Les".encode("latin-1")))
    assert read_movielens(str(tmp_path)).titles[2] == "Misérables, Les (1995)"


def test_another_folder_than_that_of_the_run_is_refused(tmp_path):
    folder = str(million(tmp_path))
    content = digest(folder)
    assert read_movielens(folder, content).genres == ("Action", "Drama")
    (tmp_path / "ratings.dat").write_text("1::10::4::0\n")
    read_movielens.cache_clear()
    with pytest.raises(ValueError, match="put the same data there"):
        read_movielens(folder, content)


def test_no_movielens_folder(tmp_path):
    with pytest.raises(ValueError, match=r"neither u\.data"):
        read_movielens(str(tmp_path))


def test_files_that_do_not_belong_together(tmp_path):
    (small(tmp_path) / "u.data").write_text("1\t99\t3\t8\n")
    with pytest.raises(ValueError, match="no rating is of a movie with a genre"):
        read_movielens(str(tmp_path))


def of_users(ratings, *users):
    kept = np.isin(ratings.users, users)
    return ratings._replace(users=ratings.users[kept], movies=ratings.movies[kept], stars=ratings.stars[kept])


def test_triplets_are_what_users_say(tmp_path):
    ratings, rng = read_movielens(str(small(tmp_path))), np.random.default_rng(0)
    movies = np.array([2, 0, 1])  # places 0, 1, 2 are the movies 30, 10, 20
    # ratings of 30, 10, 20: user 1 gave 1, 5, 3, where 20 is a tie; user 2 gave 4, 4, 1, where 20 is one too
    first = sample_ratings(of_users(ratings, 0), movies, movies, 400, rng)
    assert first.own_references
    assert sorted(first.to_array().tolist()) == [[0, 2, 1], [1, 2, 0]]
    second = sample_ratings(of_users(ratings, 1), movies, movies, 400, rng)
    assert sorted(second.to_array().tolist()) == [[0, 1, 2], [1, 0, 2]]
    assert {row[0] for row in sample_ratings(ratings, movies, movies, 401, rng).to_array().tolist()} <= {0, 1}


def test_triplets_of_a_new_movie(tmp_path):
    ratings = of_users(read_movielens(str(small(tmp_path))), 0)
    triplets = sample_ratings(ratings, np.array([2]), np.array([0, 1]), 50, np.random.default_rng(0))
    assert not triplets.own_references
    assert triplets.to_array().tolist() == [[0, 1, 0]]


def test_a_movie_that_no_one_compares(tmp_path):
    ratings = read_movielens(str(small(tmp_path)))
    triplets = sample_ratings(ratings, np.array([0]), np.array([1]), 50, np.random.default_rng(0))
    assert len(triplets) == 0
    assert (triplets.n_objects, triplets.n_references) == (1, 1)


def test_top_genres_by_hand():
    scores = np.array([[3.0, 2, 1], [0, 1, 2]])
    labels = np.array([[True, False, True], [True, True, False]])
    assert top_genres(scores, labels, 2) == (0.5, 0.5)
    assert top_genres(scores, labels, 3) == (0.5, 1.0)


def test_genres_are_learned_from_made_up_ratings(tmp_path):
    rng = np.random.default_rng(0)
    genres = rng.integers(2, size=90)
    taste = rng.integers(2, size=60)
    (tmp_path / "movies.dat").write_text("".join(f"{m}::Film::{'AB'[g]}\n" for m, g in enumerate(genres)))
    (tmp_path / "ratings.dat").write_text(
        "".join(
            f"{u}::{m}::{rng.integers(4, 6) if taste[u] == genres[m] else rng.integers(1, 3)}::0\n"
            for u in range(60)
            for m in range(90)
            if rng.random() < 0.4
        )
    )
    point = {"path": str(tmp_path), "draws": 500, "rounds": 500}
    boosted, frequent = movielens_trial(point, 1, np.random.default_rng(1))
    assert boosted["first"] > 0.9 > frequent["first"]
    assert boosted["covered"] == frequent["covered"] == 1.0
