"""Data in and out: the formats of cblearn, data frames of results, sets for scikit-learn.

cblearn knows four formats of answers to "is i closer to j or to k?". Nothing is lost here on the way: what a
format cannot hold is refused.

==============  ============================================  ===========================================
format          query                                         responses
==============  ============================================  ===========================================
list-order      rows (i, nearer, farther)                     none
list-boolean    rows (i, j, k)                                True: j is closer
list-count      rows (i, j, k)                                c > 0: j is closer, c times; c < 0: k is
tensor-count    sparse tensor, entry (i, j, k) is the count   none
==============  ============================================  ===========================================
"""

from __future__ import annotations

import os
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boosttheory.files import parse_json
from boosttheory.triplet_files import Answers, answers_from_arrays, whole_numbers
from boosttheory.triplets import TripletSet, refuse_beyond_memory

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["ScikitTriplets", "answers_from_cblearn", "from_cblearn", "load_results", "to_cblearn"]

Format = Literal["list-order", "list-boolean", "list-count", "tensor-count"]
FORMATS = ("list-order", "list-boolean", "list-count", "tensor-count")
Ints = NDArray[np.int64]
_MOST = 2**31 - 1


def _known(format: str) -> None:
    if format not in FORMATS:
        raise ValueError(f"format is {format!r}; choose one of {', '.join(FORMATS)}")


def _counted(triplets: TripletSet | Answers) -> tuple[Ints, Ints]:
    """Return distinct rows (i, nearer, farther), sorted, and how often each was answered."""
    if isinstance(triplets, TripletSet):
        if not triplets.own_references:
            raise ValueError(
                "triplets has references apart from its objects, and cblearn numbers both alike; convert a "
                "set of training objects"
            )
        rows, times = triplets.to_array().astype(np.int64), np.ones(len(triplets), np.int64)
    else:
        rows = triplets.triplets().astype(np.int64)
        votes = np.ones((len(triplets.rows), 1), np.int64) if triplets.votes is None else triplets.votes
        votes = np.repeat(votes, len(rows) // max(len(votes), 1), axis=0)
        rows = np.concatenate([rows, rows[:, [0, 2, 1]]][: votes.shape[1]])
        times = votes.T.ravel()
    kept = times > 0
    distinct, which = np.unique(rows[kept], axis=0, return_inverse=True)
    counts = np.zeros(len(distinct), np.int64)
    np.add.at(counts, which.reshape(-1), times[kept])
    return distinct.reshape(-1, 3), counts


def to_cblearn(
    triplets: TripletSet | Answers,
    format: Format = "list-order",
    *,
    n_objects: int | None = None,
    tensor: Literal["sparse", "scipy"] = "sparse",
) -> Any:
    """Write triplets in a format of cblearn.

    Parameters
    ----------
    triplets : TripletSet or Answers
        Training triplets. Votes and repetitions are kept.
    format : {"list-order", "list-boolean", "list-count", "tensor-count"}
        See the module. In all but the first j < k, as in cblearn's standard form.
    n_objects : int, optional
        Number of objects of the tensor; by default that of the set, or one more than the largest index.
    tensor : {"sparse", "scipy"}
        A `sparse.COO` of shape (n, n, n), or a `scipy.sparse.coo_array` of shape (n, n²).

    Returns
    -------
    query, or query and responses
        Arrays of int64 and shape (m, 3); bool or int64 and shape (m,). In "list-count" a question that was
        answered both ways takes two rows, one for each sign.

    Raises
    ------
    ValueError
        If the references are not the objects, or if a tensor would have to hold a question answered both
        ways: its two counts would cancel.
    ImportError
        If `sparse` is asked for and not installed.

    Examples
    --------
    >>> triplets = TripletSet.from_arrays([[0, 2, 1], [3, 1, 2]])
    >>> to_cblearn(triplets).tolist()
    [[3, 1, 2], [0, 2, 1]]
    >>> [part.tolist() for part in to_cblearn(triplets, "list-count")]
    [[[0, 1, 2], [3, 1, 2]], [-1, 1]]
    """
    _known(format)
    if format == "list-order" and isinstance(triplets, TripletSet) and triplets.own_references:
        return triplets.to_array().astype(np.int64)
    rows, counts = _counted(triplets)
    if format in ("list-order", "list-boolean"):
        refuse_beyond_memory(25 * int(counts.sum()), "one row for each vote", 'take format="list-count"')
    if format == "list-order":
        return np.repeat(rows, counts, axis=0)
    swapped = rows[:, 1] > rows[:, 2]
    query = np.where(swapped[:, None], rows[:, [0, 2, 1]], rows)
    order = np.lexsort((swapped, *query.T[::-1]))
    query, swapped, counts = query[order], swapped[order], counts[order]
    if format == "list-boolean":
        return np.repeat(query, counts, axis=0), np.repeat(~swapped, counts)
    signed = np.where(swapped, -counts, counts)
    if format == "list-count":
        return query, signed
    twice = np.flatnonzero((query[1:] == query[:-1]).all(axis=1))
    if len(twice):
        raise ValueError(
            f"triplets answers the question {query[twice[0]].tolist()} both ways, and a tensor would "
            'hold the difference; settle it with TripletSet, or take "list-count"'
        )
    least = int(query.max(initial=-1)) + 1
    n = n_objects
    if n is None:
        n = triplets.n_objects if isinstance(triplets, TripletSet) else least
    if n < least:
        raise ValueError(f"n_objects is {n}, but triplets has the index {least - 1}; give at least {least}")
    if tensor == "sparse":
        try:
            from sparse import COO
        except ImportError as error:
            raise ImportError(
                "tensor='sparse' needs sparse, which is not installed; run pip install sparse or take "
                "tensor='scipy'"
            ) from error

        return COO(query.T, signed, shape=(n, n, n))
    if tensor != "scipy":
        raise ValueError(f'tensor is {tensor!r}; choose "sparse" or "scipy"')
    from scipy.sparse import coo_array

    return coo_array((signed, (query[:, 0], query[:, 1] * n + query[:, 2])), shape=(n, n * n))


def _tensor(query: Any) -> tuple[Ints, NDArray[Any]]:
    """Return the coordinates and the entries of a sparse tensor."""
    shape = tuple(query.shape)
    n = shape[0] if shape else 0
    if shape not in ((n, n, n), (n, n * n)):
        raise ValueError(f"query has shape {shape}; give a tensor of shape (n, n, n) or (n, n²)")
    query = query.tocoo() if hasattr(query, "tocoo") else query
    i, *others = (np.asarray(axis, np.int64) for axis in query.coords)
    j, k = others if len(shape) == 3 else np.divmod(others[0], max(n, 1))
    return np.stack([i, j, k], axis=1), query.data


def answers_from_cblearn(
    query: Any,
    responses: ArrayLike | None = None,
    format: Format | None = None,
    *,
    undecided: Literal["error", "drop"] = "error",
) -> Answers:
    """Read answers in a format of cblearn, keeping every vote.

    Parameters
    ----------
    query : array_like of int, shape (m, 3), or sparse tensor
        Questions or answers; see the module.
    responses : array_like of bool or int, shape (m,), optional
        What was answered.
    format : {"list-order", "list-boolean", "list-count", "tensor-count"}, optional
        By default it is told by the types. Integers 0 and 1 may be truth values or counts, so that they
        need it.
    undecided : {"error", "drop"}
        What becomes of rows with the count 0. The zeros of a tensor are no rows.

    Returns
    -------
    Answers
        With one or two columns of votes, unless the format is "list-order".

    Raises
    ------
    ValueError, TypeError
        If a shape, an index or a response is not as the format wants it, if a row is undecided, or if the
        format cannot be told.

    Examples
    --------
    >>> answers_from_cblearn([[0, 1, 2], [0, 1, 2]], [3, -1]).votes.tolist()
    [[3, 0], [0, 1]]
    """
    if format is not None:
        _known(format)
    if undecided not in ("error", "drop"):
        raise ValueError(f'undecided is {undecided!r}; choose "error" or "drop"')
    if hasattr(query, "nnz"):
        if format not in (None, "tensor-count") or responses is not None:
            raise ValueError('query is a tensor; leave responses out, and format too or "tensor-count"')
        query, responses = _tensor(query)
        format, undecided = "tensor-count", "drop"
    elif format == "tensor-count":
        raise ValueError(
            f"query is a {type(query).__name__}, not a sparse tensor; give one, or another format"
        )
    if (responses is None) != (format in (None, "list-order")):
        if responses is None:
            raise ValueError(
                f'responses is missing; give them, or format="list-order" in place of "{format}"'
            )
        if format == "list-order":
            raise ValueError(
                'responses is given, but in format="list-order" the order of a row is the answer'
            )
    if responses is None:
        return answers_from_arrays(query)
    said = np.asarray(responses)
    rows = np.asarray(query)
    if said.shape != (len(rows),):
        raise ValueError(f"responses has shape {said.shape} for {len(rows)} rows; give one a row")
    if format is None:
        if said.dtype != bool and said.size and np.isin(said, (0, 1)).all() and not (said == 1).all():
            raise ValueError(
                "responses holds 0 and 1 only, truth values or counts; "
                'say format="list-boolean" or format="list-count"'
            )
        format = "list-boolean" if said.dtype == bool else "list-count"
    if format == "list-boolean":
        if said.dtype != bool and not np.isin(said, (0, 1)).all():
            raise ValueError('responses holds more than truth values; say format="list-count"')
        count = np.where(said.astype(bool), 1, -1)
    else:
        count = whole_numbers(said, "responses")
        if ((count > _MOST) | (count < -_MOST)).any():
            raise ValueError(f"responses: a count exceeds {_MOST}; mend it")
        count = count.astype(np.int64)
    if not count.all():
        if undecided == "error":
            row = int(np.argmax(count == 0))
            raise ValueError(
                f'responses: row {row} is 0, undecided; say undecided="drop" to leave such rows out'
            )
        rows, count = rows[count != 0], count[count != 0]
    return answers_from_arrays(rows, votes=np.stack([count.clip(0), (-count).clip(0)], axis=1))


def from_cblearn(
    query: Any,
    responses: ArrayLike | None = None,
    format: Format | None = None,
    *,
    n_objects: int | None = None,
    undecided: Literal["error", "drop"] = "error",
    **policies: Any,
) -> TripletSet:
    """Make a set from answers in a format of cblearn.

    Parameters
    ----------
    query, responses, format, undecided
        See `answers_from_cblearn`.
    n_objects : int, optional
        Number of objects; by default that of the tensor, or one more than the largest index of a list, which
        does not know of objects without answers.
    **policies
        ``duplicates``, ``contradictions`` and ``self_reference``; see `TripletSet.from_answers`.

    Returns
    -------
    TripletSet

    Raises
    ------
    ValueError, TypeError
        See `answers_from_cblearn` and `TripletSet.from_answers`.

    Warns
    -----
    TripletWarning
        If answers were dropped or merged.

    Examples
    --------
    >>> from_cblearn([[0, 1, 2], [3, 1, 2]], [True, False]).to_array().tolist()
    [[0, 1, 2], [3, 2, 1]]
    """
    if n_objects is None and hasattr(query, "nnz"):
        n_objects = query.shape[0]
    answers = answers_from_cblearn(query, responses, format, undecided=undecided)
    return TripletSet.from_answers(answers, n_objects=n_objects, **policies)


def load_results(name: str | os.PathLike[str]) -> DataFrame:
    """Read what a run has written, as a tidy data frame.

    Parameters
    ----------
    name : path, or str
        A file of `boosttheory check` or `boosttheory simulate`; or its name without ``.jsonl``, which is
        looked for in ``reports`` and ``reports/figures``: ``"rows"`` are the rows of the ledger.

    Returns
    -------
    pandas.DataFrame
        Of the ledger: a row a check, a column a field. Of a simulation: a row a record, with the seed, the
        block and the parameters of its point in front; lists, over which the records range, are left out.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If a line is neither.
    ImportError
        If pandas is not installed.
    """
    try:
        from pandas import DataFrame
    except ImportError as error:
        raise ImportError(
            "load_results needs pandas, which is not installed; run pip install pandas"
        ) from error
    from boosttheory.rows import read_rows

    tried = [Path(name), *(Path(folder, f"{name}.jsonl") for folder in ("reports", "reports/figures"))]
    path = next((found for found in tried if found.is_file()), None)
    if path is None:
        raise FileNotFoundError(
            2,
            f"no results, looked for {', '.join(map(str, tried))}; run boosttheory check or simulate",
            str(name),
        )
    with path.open("rb") as lines:
        first = lines.readline()
    if b'"experiment"' not in first:
        return DataFrame(read_rows(path))
    columns: dict[str, list[Any]] = {}
    length = 0
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                row = parse_json(line)
                place = {
                    key: value for key, value in dict(row["point"]).items() if not isinstance(value, list)
                }
                about = {name: row[name] for name in ("experiment", "seed", "block")} | place
                records = [dict(record) for record in row["records"]]
            except (ValueError, KeyError, TypeError):
                raise ValueError(f"{path}, line {number}: no block of a simulation; run it anew") from None
            # a list a column, since a dict a record would take ten times the file
            for key in dict.fromkeys([*about, *(key for record in records for key in record)]):
                column = columns.setdefault(key, [])
                column += [None] * (length - len(column))
                column += [record.get(key, about.get(key)) for record in records]
            length += len(records)
    for column in columns.values():
        column += [None] * (length - len(column))
    return DataFrame(columns)


class ScikitTriplets(TripletSet):
    """A set that the model selection of scikit-learn can cut by objects.

    ``cross_val_score``, ``cross_validate``, ``GridSearchCV`` and the like take it for X, with one label an
    object for y. As with `TripletBoostClassifier` everywhere, a fold trains on triplets among its training
    objects, and tests on triplets of held-out objects about training objects: no held-out object is a
    reference.

    Examples
    --------
    >>> from sklearn.model_selection import cross_val_score
    >>> from boosttheory import TripletBoostClassifier
    >>> from boosttheory.model_selection import TripletKFold
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((24, 1)) + 20 * (np.arange(24)[:, None] > 11)
    >>> triplets = ScikitTriplets.of(TripletSet.from_metric(X, proportion=0.5, rng=rng))
    >>> model = TripletBoostClassifier(200, random_state=0)
    >>> cross_val_score(model, triplets, ["low"] * 12 + ["high"] * 12, cv=TripletKFold(3)).tolist()
    [1.0, 1.0, 1.0]
    """

    __slots__ = ()

    @classmethod
    def of(cls, triplets: TripletSet) -> ScikitTriplets:
        """Take over a set; nothing is copied.

        Raises
        ------
        ValueError
            If the references are not the objects.
        """
        if not triplets.own_references:
            raise ValueError("triplets has references apart from its objects; give a set of training objects")
        return cls(**{field.name: getattr(triplets, field.name) for field in fields(TripletSet)})

    @property
    def shape(self) -> tuple[int, int]:
        """Number of objects and of references."""
        return self.n_objects, self.n_references

    def __getitem__(self, key: tuple[ArrayLike, Any]) -> TripletSet:
        """Return the triplets of some objects about others; for equal ones, those among themselves.

        ``[rows, ...]`` is how scikit-learn cuts metadata of as many rows as X; triplets stay whole there.
        """
        if key[1] is Ellipsis:
            return self
        objects, references = map(np.ravel, key)
        if np.array_equal(objects, references):
            return self.restrict(objects)
        return self.split(references, objects)[1]
