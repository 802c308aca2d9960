"""Genres of movies from triplets of ratings, as in the last experiment of Perrot & von Luxburg (Section 4).

A user who rated three movies says "movie i is closer to j than to k" if the rating of i differs less from
that of j than from that of k; equal differences say nothing. Each triplet is one such user's: draw a movie i,
one of the users who rated it, and two others of that user's training movies. Where users contradict each
other the majority counts, and an even split says nothing. A movie has several genres, so labels are sets.

The ratings are not part of this package: MovieLens may be used for research, not redistributed. Fetch
ml-100k or ml-1m from GroupLens and name the folder.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boosttheory.spaces import refuse_other_content
from boosttheory.tripletboost import Model, train
from boosttheory.triplets import TripletSet, TripletWarning

__all__ = ["Ratings", "movielens_trial", "read_movielens", "sample_ratings", "top_genres"]

Ints = NDArray[np.int64]
MOST_GENRES = 1000


class Ratings(NamedTuple):
    """Ratings of movies with genres; movies without a rating or a genre are left out.

    Attributes
    ----------
    users, movies : ndarray of int64, shape (r,)
        Who rated what, codes from 0.
    stars : ndarray of float64, shape (r,)
        The ratings.
    titles, genres : tuple of str
        Names of movies and of genres.
    labels : ndarray of bool, shape (movies, genres)
        Genres of each movie.
    """

    users: Ints
    movies: Ints
    stars: NDArray[np.float64]
    titles: tuple[str, ...]
    genres: tuple[str, ...]
    labels: NDArray[np.bool_]


def _lines(path: Path, separator: str, least: int, parse: Callable[[list[str]], Any]) -> Iterator[Any]:
    """Split the lines of a file and parse them; a broken one is an error that names it."""
    with path.open(encoding="latin-1") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            words = line.rstrip("\r\n").split(separator)
            try:
                if len(words) < least:
                    raise ValueError
                yield parse(words)
            except (ValueError, IndexError):
                raise ValueError(
                    f"{path}, line {number}: {line.strip()[:60]!r} does not have {least} fields "
                    f"separated by {separator!r} as MovieLens has; mend or drop the line"
                ) from None


def _ratings(path: Path, separator: str) -> NDArray[np.void]:
    """Read users, movies and stars."""

    def rating(words: list[str]) -> tuple[int, int, float]:
        user, movie, stars = int(words[0]), int(words[1]), float(words[2])
        if not 0 < stars <= 5 or max(abs(user), abs(movie)) >= 2**62:
            raise ValueError
        return user, movie, stars

    kind = [("user", np.int64), ("movie", np.int64), ("stars", np.float64)]
    return np.fromiter(_lines(path, separator, 4, rating), kind)


def _flags(words: list[str], n_genres: int) -> NDArray[np.bool_]:
    flags = words[-n_genres:]
    if len(words) != 5 + n_genres or not set(flags) <= {"0", "1"}:
        raise ValueError
    return np.array(flags) == "1"


@cache
def read_movielens(folder: str, content: str = "") -> Ratings:
    """Read MovieLens 100K (``u.data``, ``u.item``, ``u.genre``) or 1M (``ratings.dat``, ``movies.dat``).

    Parameters
    ----------
    folder : str
        Where the files lie.
    content : str
        Its `boosttheory.spaces.digest`, if it has to be that one.

    Returns
    -------
    Ratings

    Raises
    ------
    ValueError
        If the folder holds neither or other data, or a line is broken; the message names file and line.

    References
    ----------
    Harper & Konstan (2016).
    """
    refuse_other_content(folder, content)
    home = Path(folder)
    if (home / "u.data").exists():
        genres = list(_lines(home / "u.genre", "|", 2, lambda words: (int(words[1]), words[0])))
        names = tuple(name for _, name in sorted(genres))
        items = {
            movie: (title, flags)
            for movie, title, flags in _lines(
                home / "u.item", "|", 5 + len(names), lambda w: (int(w[0]), w[1], _flags(w, len(names)))
            )
        }
        rated = _ratings(home / "u.data", "\t")
    elif (home / "ratings.dat").exists():
        listed = list(
            _lines(home / "movies.dat", "::", 3, lambda w: (int(w[0]), "::".join(w[1:-1]), w[-1].split("|")))
        )
        names = tuple(sorted({name for _, _, found in listed for name in found}))
        if len(names) > MOST_GENRES:
            raise ValueError(f"{folder}/movies.dat has {len(names)} genres, MovieLens has 18; mend the file")
        items = {movie: (title, np.isin(names, found)) for movie, title, found in listed}
        rated = _ratings(home / "ratings.dat", "::")
    else:
        raise ValueError(
            f"{folder} holds neither u.data (MovieLens 100K) nor ratings.dat (MovieLens 1M); name the "
            "unpacked folder"
        )
    kept = [movie for movie in np.unique(rated["movie"]).tolist() if movie in items and items[movie][1].any()]
    rated = rated[np.isin(rated["movie"], np.array(kept, np.int64))]
    if not len(rated):
        raise ValueError(
            f"{folder}: no rating is of a movie with a genre; check that the files belong together"
        )
    return Ratings(
        np.unique(rated["user"], return_inverse=True)[1].astype(np.int64),
        np.searchsorted(kept, rated["movie"]).astype(np.int64),
        rated["stars"].copy(),
        tuple(items[movie][0] for movie in kept),
        names,
        np.array([items[movie][1] for movie in kept]),
    )


def sample_ratings(
    ratings: Ratings, heads: Ints, references: Ints, number: int, rng: np.random.Generator
) -> TripletSet:
    """Draw triplets of movies about reference movies from ratings.

    Parameters
    ----------
    ratings : Ratings
        Who rated what.
    heads, references : ndarray of int64
        Movies; the same array twice for a training set.
    number : int
        Draws; those in which a user says nothing, and repetitions, give no triplet.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    TripletSet
        Heads and references by their places in the arrays.
    """
    place = np.full(len(ratings.titles), -1)
    place[references] = np.arange(len(references))
    known = np.flatnonzero(place[ratings.movies] >= 0)
    known = known[np.argsort(ratings.users[known], kind="stable")]  # ratings of references, by user
    n_users = int(ratings.users.max()) + 1
    counts = np.bincount(ratings.users[known], minlength=n_users)
    first = np.concatenate(([0], counts.cumsum()))
    # ratings of each movie by users who rated two references besides
    order = np.argsort(ratings.movies, kind="stable")
    spare = counts[ratings.users[order]] - (place[ratings.movies[order]] >= 0)
    order = order[spare >= 2]
    start = np.searchsorted(ratings.movies[order], np.arange(len(ratings.titles) + 1))
    rated = np.flatnonzero(np.diff(start)[heads])
    if not len(rated):
        return TripletSet.from_arrays(
            np.empty((0, 3), np.int64),
            n_objects=len(heads),
            n_references=len(references),
            own_references=heads is references,
        )
    own = rated[rng.integers(len(rated), size=number)]
    movie = heads[own]
    rating = order[rng.integers(start[movie], start[movie + 1])]
    user = ratings.users[rating]
    j, k = (known[rng.integers(first[user], first[user + 1])] for _ in range(2))
    gap_j, gap_k = (np.abs(ratings.stars[rating] - ratings.stars[other]) for other in (j, k))
    told = (gap_j != gap_k) & (j != rating) & (k != rating)
    near, far = np.where(gap_j < gap_k, (j, k), (k, j))[:, told]
    answers = np.stack((own[told], place[ratings.movies[near]], place[ratings.movies[far]]), axis=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TripletWarning)  # repetitions and contradictions are the rule here
        return TripletSet.from_arrays(
            answers,
            n_objects=len(heads),
            n_references=len(references),
            own_references=heads is references,
        )


def top_genres(scores: NDArray[np.float64], labels: NDArray[np.bool_], most: int = 5) -> tuple[float, float]:
    """Judge a ranking of genres.

    Parameters
    ----------
    scores : ndarray of float64, shape (n, K)
        Larger is likelier; the first of equals comes first.
    labels : ndarray of bool, shape (n, K)
        True genres, one at least.
    most : int
        How many of the likeliest are looked at.

    Returns
    -------
    first, covered : float
        Share of movies whose likeliest genre is right, and mean share of true genres among the likeliest.
    """
    ranked = np.argsort(-scores, axis=1, kind="stable")[:, :most]
    hits = np.take_along_axis(labels, ranked, axis=1)
    return float(hits[:, 0].mean()), float((hits.sum(axis=1) / labels.sum(axis=1)).mean())


def movielens_trial(point: Mapping[str, Any], size: int, rng: np.random.Generator) -> list[dict[str, Any]]:
    """Learn genres on two thirds of the movies and predict those of the rest.

    Parameters
    ----------
    point : mapping
        ``path`` of the folder, ``draws`` of triplets a training movie, and ``rounds`` C.
    size : int
        Number of independent splits.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    list of dict
        ``method``: TripletBoost, or the genres in the order of their frequency; ``first`` and ``covered`` as
        in `top_genres`, movies on which TripletBoost abstains being wrong; ``triplets`` for training.

    Notes
    -----
    Splits are done one after the other, and each is a block: their sets of triplets, tens of millions each,
    would not fit into memory side by side.

    References
    ----------
    Perrot & von Luxburg (2019), Section 4: 83 % and 92 % on MovieLens 1M.
    """
    ratings = read_movielens(point["path"], point.get("content", ""))
    records = []
    for _ in range(size):
        order, cut = rng.permutation(len(ratings.titles)), 2 * len(ratings.titles) // 3
        seen, new = order[:cut], order[cut:]
        triplets = sample_ratings(ratings, seen, seen, point["draws"] * len(seen), rng)
        labels, n_genres = ratings.labels, len(ratings.genres)
        run = train(triplets, labels[seen], n_genres, point["rounds"], rng)
        asked = sample_ratings(ratings, new, seen, point["draws"] * len(new), rng)
        scores = Model.from_run(run, len(seen), n_genres).scores(asked)
        silent = ~scores.any(axis=1)
        first, covered = top_genres(scores[~silent], labels[new][~silent]) if not silent.all() else (0.0, 0.0)
        said = 1 - float(silent.mean())
        frequent = np.tile(labels[seen].mean(axis=0), (len(new), 1))
        for method, found, told in (
            ("TripletBoost", (said * first, said * covered), len(triplets)),
            ("most frequent genres", top_genres(frequent, labels[new]), 0),
        ):
            records.append({"method": method, "first": found[0], "covered": found[1], "triplets": told})
    return records
