"""Boosting algorithms as scikit-learn estimators.

`TripletBoostClassifier` is Algorithm 1 of Perrot & von Luxburg (2019) on labels of any type. It learns from a
set of triplets where other classifiers learn from a matrix; otherwise it keeps scikit-learn's conventions.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from os import PathLike
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted

from boosttheory import __version__, engines
from boosttheory.files import atomic_write, parse_json
from boosttheory.interop import ScikitTriplets
from boosttheory.triplet_files import Answers, unpacked
from boosttheory.tripletboost import Model, Run, State, training_bound
from boosttheory.triplets import LazyTriplets, TripletSet

__all__ = ["MODEL_FORMAT", "ObjectClassifier", "TripletBoostClassifier"]

MODEL_FORMAT = 1
ABSTENTIONS = ("random", "majority", "sentinel")
Triplets = TripletSet | LazyTriplets


class TripletBoostClassifier(ClassifierMixin, BaseEstimator):
    """TripletBoost: a classifier that learns from answers "x_i is closer to x_j than to x_k" alone.

    Parameters
    ----------
    n_rounds : int
        C, the number of boosting rounds, at least 1.
    engine : {"auto", "numpy", "lockstep", "numba"}
        Implementation of the rounds; all give the same model (see `boosttheory.engines`). ``"numba"`` needs
        the extra ``boosttheory[fast]``; ``"auto"`` takes it for long runs where it is installed.
    random_state : None, int, SeedSequence, Generator or RandomState
        Source of the reference pairs, and of the labels drawn under ``abstention="random"``.
    abstention : {"random", "majority", "sentinel"}
        The label of an object that no classifier votes for: drawn uniformly from the classes (the same draw
        at every call), the most frequent class of the training set, or `sentinel`. With several labels an
        object, a label set of the training set is drawn, the most frequent one is taken, or the row is filled
        with `sentinel`.
    sentinel : int, float, bool or str
        The label that marks such objects under ``abstention="sentinel"``; not a class of the training set.
    warm_start : bool
        Let `fit` add rounds, up to `n_rounds`, to those of the last call on the same triplets and labels.
    callback : callable, optional
        ``callback(rounds done in this call, log of the product of their Z)``, a thousand times a fit at most.

    Attributes
    ----------
    classes_ : ndarray, shape (K,)
        The labels, sorted; 0..K-1 when y is an indicator matrix.
    n_rounds_ : int
        Rounds done.
    engine_ : str
        The engine of the last `fit` and why it was chosen.
    n_pairs_ : int
        D, the number of distinct reference pairs with a weight other than 0.
    train_bound_ : float
        Natural log of Theorem 2's bound (K/2)·∏Z on the training error of a single-label model.
    run_ : boosttheory.tripletboost.Run
        The trace: reference pairs, label sets, α, W+, W- and log Z of every round.
    model_ : boosttheory.tripletboost.Model
        The votes of each pair.
    n_references_ : int
        Number of training objects, to which triplets of new objects must refer.
    reference_names_ : tuple of str or None
        Their names, when the triplets came with names.

    Notes
    -----
    Row i of ``y`` belongs to object i of the triplets (``triplets.names[i]`` where they have names).

    References
    ----------
    Perrot & von Luxburg (2019), Algorithm 1; Schapire & Singer (1999) for the sign rule with several labels.

    Examples
    --------
    >>> import numpy as np
    >>> from boosttheory import TripletBoostClassifier, TripletSet
    >>> X = np.array([[0.0], [1.1], [2.3], [10.0], [11.2], [12.7]])
    >>> T = TripletSet.from_metric(X, proportion=1.0, rng=np.random.default_rng(0))
    >>> y = ["low", "low", "low", "high", "high", "high"]
    >>> TripletBoostClassifier(50, random_state=0).fit(T, y).predict(T).tolist()
    ['low', 'low', 'low', 'high', 'high', 'high']
    """

    classes_: NDArray[Any]
    n_rounds_: int
    engine_: str
    n_pairs_: int
    train_bound_: float
    run_: Run
    model_: Model
    n_references_: int
    reference_names_: tuple[str, ...] | None

    def __init__(
        self,
        n_rounds: int = 10_000,
        *,
        engine: str = "auto",
        random_state: Any = None,
        abstention: str = "random",
        sentinel: Any = -1,
        warm_start: bool = False,
        callback: Callable[[int, float], object] | None = None,
    ) -> None:
        self.n_rounds = n_rounds
        self.engine = engine
        self.random_state = random_state
        self.abstention = abstention
        self.sentinel = sentinel
        self.warm_start = warm_start
        self.callback = callback

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True  # so that a splitter says both whom to test and whom to refer to
        return tags

    def fit(self, triplets: Triplets | Answers | ArrayLike, y: ArrayLike) -> Self:
        """Boost triplet classifiers.

        Parameters
        ----------
        triplets : TripletSet, LazyTriplets, Answers, or array_like of int, shape (m, 3)
            Triplets of the n training objects among themselves; a row (i, j, k) says that i is closer to j
            than to k.
        y : array_like, shape (n,), or of 0 and 1, shape (n, L)
            One label an object, of any sortable type, or an indicator matrix for objects with several labels.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If there are no triplets, they contradict each other, y does not fit the objects, is missing
            somewhere or holds one class only, or a parameter is out of range.
        ImportError
            If the engine needs a package that is not installed.
        """
        self._check_parameters()
        classes, encoded, patterns, counts = _encode(y)
        indexed = self._training_set(triplets, len(encoded))
        if self.abstention == "sentinel" and not patterns.ndim == 2 and self.sentinel in classes.tolist():
            raise ValueError(f"sentinel={self.sentinel!r} is a class of y; give a label that y does not hold")
        before = self._resumable(indexed, encoded, classes)
        n, rounds = indexed.n_references, self.n_rounds - (len(before.alpha) if before else 0)
        if before is None:
            self._rng = _generator(self.random_state)
            self._silence = int(self._rng.integers(2**32))
        if rounds:
            name, reason = engines.choose(self.engine, indexed, rounds)
            self.engine_ = f"{name}: {reason}"
            run = engines.train(
                indexed,
                encoded,
                len(classes),
                rounds,
                self._rng,
                engine=name,
                state=before.state if before else None,
                callback=self.callback,
            )
            self._finish(run if before is None else _joined(before, run), classes, patterns, counts, n)
        self._encoded, self._size = encoded, _size(indexed)
        self.reference_names_ = getattr(indexed, "reference_names", None)
        return self

    def _check_parameters(self) -> None:
        if isinstance(self.n_rounds, bool) or not isinstance(self.n_rounds, (int, np.integer)):
            raise TypeError(
                f"n_rounds={self.n_rounds!r} is no integer; give the number of rounds, at least 1"
            )
        if self.n_rounds < 1:
            raise ValueError(f"n_rounds={self.n_rounds} leaves nothing to learn; give at least 1")
        if self.engine not in engines.ENGINES:
            raise ValueError(f"engine={self.engine!r} is unknown; choose one of {', '.join(engines.ENGINES)}")
        if self.abstention not in ABSTENTIONS:
            raise ValueError(
                f"abstention={self.abstention!r} is unknown; choose one of {', '.join(ABSTENTIONS)}"
            )
        if not isinstance(self.sentinel, (int, float, str, np.number)):
            raise TypeError(f"sentinel={self.sentinel!r} is no label; give a number or a string")

    def _training_set(self, triplets: Any, n: int) -> Triplets:
        if isinstance(triplets, Answers):
            indexed: Triplets = TripletSet.from_answers(
                triplets, n_objects=n if triplets.names is None else None
            )
        elif hasattr(triplets, "half_spaces"):
            indexed = triplets
        else:
            indexed = TripletSet.from_arrays(triplets, n_objects=n)
        if not indexed.own_references:
            raise ValueError(
                f"triplets compare {indexed.n_objects} objects with {indexed.n_references} other references; "
                "fit takes triplets of the training objects among themselves"
            )
        if n != indexed.n_objects:
            raise ValueError(
                f"y has {n} labels for {indexed.n_objects} objects; give one an object, in their order"
            )
        if _size(indexed) == 0:
            raise ValueError("triplets is empty, so every classifier abstains; give at least one answer")
        return indexed

    def _resumable(self, triplets: Triplets, encoded: NDArray[Any], classes: NDArray[Any]) -> Run | None:
        """Return the run to which a warm start adds rounds."""
        if not self.warm_start or not hasattr(self, "_encoded"):
            return None
        if (
            not np.array_equal(encoded, self._encoded)
            or not np.array_equal(classes, self.classes_)
            or _size(triplets) != self._size
        ):
            raise ValueError(
                "warm_start=True adds rounds on the triplets and labels of the last fit, and these differ; "
                "use set_params(warm_start=False) to start anew"
            )
        if self.n_rounds < self.n_rounds_:
            raise ValueError(
                f"n_rounds={self.n_rounds} is below the {self.n_rounds_} rounds done; "
                "a warm start only adds rounds, so give a larger number"
            )
        return self.run_

    def _finish(
        self, run: Run, classes: NDArray[Any], patterns: NDArray[Any], counts: NDArray[Any], n_references: int
    ) -> None:
        """Set what follows from a run."""
        self.run_, self.classes_, self.n_references_ = run, classes, n_references
        self._patterns, self._counts = patterns, counts
        self.model_ = Model.from_run(run, n_references, len(classes))
        self.n_rounds_, self.n_pairs_ = len(run.alpha), self.model_.n_pairs
        self.train_bound_ = training_bound(run)

    @property
    def _multilabel(self) -> bool:
        return self._patterns.ndim == 2

    def _new_objects(self, triplets: Any) -> Triplets:
        check_is_fitted(self, "model_")
        known = self.reference_names_
        if isinstance(triplets, Answers):
            references = np.arange(self.n_references_) if known is None else known
            triplets = TripletSet.from_answers(triplets, references=references)
        elif not hasattr(triplets, "half_spaces"):
            triplets = TripletSet.from_arrays(triplets, own_references=False, n_references=self.n_references_)
        given = getattr(triplets, "reference_names", None)
        if known is not None and given is not None and list(map(str, known)) != list(map(str, given)):
            raise ValueError(
                f"triplets has the references {given[0]}, ..., {given[-1]}, the model was trained on "
                f"{known[0]}, ..., {known[-1]}; build the set with references=model.reference_names_"
            )
        return triplets

    def _weights(self, triplets: Triplets) -> NDArray[np.float64]:
        """Sum α over all classifiers that have a triplet about an object; shape (n_objects, 1)."""
        everything = np.ones((self.n_rounds_, 2, 1), bool)
        return Model.from_run(self.run_._replace(labels=everything), self.n_references_, 1).scores(triplets)

    def _fallback(self, n: int) -> NDArray[np.intp]:
        """Return which row of `_table` each of n objects gets if nothing votes for it."""
        if self.abstention == "random":
            return np.random.default_rng(self._silence).integers(len(self._counts), size=n)
        silent = int(self._counts.argmax()) if self.abstention == "majority" else len(self._counts)
        return np.full(n, silent, np.intp)

    def _table(self) -> NDArray[Any]:
        """Return the patterns, and the sentinel as the last row when it can be predicted."""
        if self.abstention != "sentinel":
            return self._patterns
        if self._multilabel:
            rows = [*self._patterns.astype(int).tolist(), [self.sentinel] * self._patterns.shape[1]]
            return np.array(rows, dtype=object if isinstance(self.sentinel, str) else None)
        kinds = "U" if isinstance(self.sentinel, str) else "iuf"
        plain = self._patterns.dtype.kind in kinds
        return np.array([*self._patterns.tolist(), self.sentinel], dtype=None if plain else object)

    def decision_function(self, triplets: Triplets | Answers | ArrayLike) -> NDArray[np.float64]:
        """Score each label (inside of Equation 5).

        Parameters
        ----------
        triplets : TripletSet, LazyTriplets, Answers, or array_like of int, shape (m, 3)
            Triplets of the objects to classify (numbered from 0) about the training objects.

        Returns
        -------
        ndarray of float64
            With K > 2 classes the sum of α over the classifiers that vote for each, shape (n, K); with two
            classes the second score minus the first, shape (n,); with several labels an object Σ α h_c(x, y),
            shape (n, L), positive where the label is predicted.
        """
        new = self._new_objects(triplets)
        scores = self.model_.scores(new)
        if self._multilabel:
            return 2.0 * scores - self._weights(new)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, triplets: Triplets | Answers | ArrayLike) -> NDArray[Any]:
        """Predict labels; ties go to the first of `classes_`, silence follows the rule `abstention`.

        Parameters
        ----------
        triplets : TripletSet, LazyTriplets, Answers, or array_like of int, shape (m, 3)
            Triplets of the objects to classify (numbered from 0) about the training objects.

        Returns
        -------
        ndarray, shape (n,) or (n, L)
            Labels, or indicator rows for a model of several labels an object.
        """
        new = self._new_objects(triplets)
        scores = self.model_.scores(new)
        silent: NDArray[np.bool_] = np.all(scores == 0, axis=1)
        fallback = self._table()[self._fallback(len(scores))]
        if self._multilabel:
            positive = (2.0 * scores > self._weights(new)).astype(fallback.dtype)
            return np.where(silent[:, None], fallback, positive)
        predicted = fallback.copy()
        predicted[~silent] = self.classes_[scores.argmax(axis=1)[~silent]]
        return predicted

    def predict_proba(self, triplets: Triplets | Answers | ArrayLike) -> NDArray[np.float64]:
        """Softmax of the scores: a monotone picture of them in [0, 1], uncalibrated and mostly near 0 or 1.

        Parameters
        ----------
        triplets : TripletSet, LazyTriplets, Answers, or array_like of int, shape (m, 3)
            Triplets of the objects to classify (numbered from 0) about the training objects.

        Returns
        -------
        ndarray of float64, shape (n, K)
            Rows that sum to 1, uniform on silence; with several labels an object 1/(1 + exp(-2F)) of each
            label.
        """
        from scipy.special import expit, softmax

        if self._fitted()._multilabel:
            return expit(2.0 * self.decision_function(triplets))
        return softmax(self.model_.scores(self._new_objects(triplets)), axis=1)

    def _fitted(self) -> Self:
        check_is_fitted(self, "model_")
        return self

    def abstains(self, triplets: Triplets | Answers | ArrayLike) -> NDArray[np.bool_]:
        """Tell on which objects the model abstains: no classifier with α ≠ 0 has a triplet about them.

        An object whose classifiers all answer with an empty label set is not counted here, though nothing
        votes for it either and `predict` follows the rule `abstention`.

        Parameters
        ----------
        triplets : TripletSet, LazyTriplets, Answers, or array_like of int, shape (m, 3)
            Triplets of the objects to classify (numbered from 0) about the training objects.

        Returns
        -------
        ndarray of bool, shape (n,)
        """
        new = self._new_objects(triplets)
        return self.model_.abstains(new)

    def _targets(self, y: ArrayLike, n: int) -> NDArray[Any]:
        """Encode y for a comparison with predictions: codes, or indicator rows."""
        labels = np.asarray(y)
        if len(labels) != n:
            raise ValueError(
                f"y has {len(labels)} labels for {n} objects; give one an object, in their order"
            )
        if self._multilabel:
            if labels.shape != (n, len(self.classes_)):
                raise ValueError(
                    f"y has shape {labels.shape}; give {(n, len(self.classes_))}, one column a label"
                )
            return labels.astype(bool)
        codes = {label: code for code, label in enumerate(self.classes_.tolist())}
        found = [codes.get(label, -1) for label in labels.tolist()]
        if -1 in found:
            raise ValueError(
                f"y holds the label {labels.tolist()[found.index(-1)]!r}, which fit has never seen; "
                "train on objects of that class or leave them out"
            )
        return np.array(found, np.intp)

    def score(
        self, triplets: Triplets | Answers | ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float:
        """Return the accuracy of `predict`; with several labels an object, of whole label sets.

        Parameters
        ----------
        triplets : TripletSet, LazyTriplets, Answers, or array_like of int, shape (m, 3)
            Triplets of the objects to classify (numbered from 0) about the training objects.
        y : array_like, shape (n,) or (n, L)
            Their labels.
        sample_weight : array_like, shape (n,), optional
            Weights of the objects.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If y does not fit the objects or holds a label that fit has never seen.
        """
        new = self._new_objects(triplets)
        target = self._targets(y, new.n_objects)
        predicted = self.predict(new)
        right = (predicted == target).all(axis=1) if self._multilabel else predicted == self.classes_[target]
        return float(np.average(right, weights=None if sample_weight is None else np.asarray(sample_weight)))

    def staged_score(self, triplets: Triplets | Answers | ArrayLike, y: ArrayLike) -> Iterator[float]:
        """Yield the score after each round, at a cost of the triplets of that round's pair.

        Parameters
        ----------
        triplets : TripletSet, LazyTriplets, Answers, or array_like of int, shape (m, 3)
            Triplets of the objects to classify (numbered from 0) about the training objects.
        y : array_like, shape (n,) or (n, L)
            Their labels.

        Yields
        ------
        float
            As `score` would return if training had stopped there.
        """
        new = self._new_objects(triplets)
        n = new.n_objects
        target = self._targets(y, n)
        fallback = self._table()[self._fallback(n)]
        right = (fallback == target).all(axis=1) if self._multilabel else fallback == self.classes_[target]
        scores, weights, hits = np.zeros((n, len(self.classes_))), np.zeros((n, 1)), int(right.sum())
        voted = np.zeros(n, bool)
        for (j, k), labels, alpha in zip(
            self.run_.pairs.tolist(), self.run_.labels, self.run_.alpha, strict=True
        ):
            if alpha:
                for side, heads in enumerate(new.half_spaces(j, k)):
                    scores[heads] += alpha * labels[side]
                    weights[heads] += alpha
                    voted[heads] |= labels[side].any()
                    heads = heads[voted[heads]]
                    hits -= int(right[heads].sum())
                    if self._multilabel:
                        right[heads] = ((2.0 * scores[heads] > weights[heads]) == target[heads]).all(axis=1)
                    else:
                        right[heads] = scores[heads].argmax(axis=1) == target[heads]
                    hits += int(right[heads].sum())
            yield hits / n

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model as an uncompressed npz file of plain arrays and one JSON text.

        Parameters
        ----------
        path : str or path
            Where to write; an existing file is replaced as a whole.

        Raises
        ------
        ValueError
            If the labels are neither numbers nor strings.
        """
        classes = self._fitted().classes_.tolist()
        if not all(isinstance(label, (str, int, float)) for label in classes):
            raise ValueError(
                f"classes_ holds {classes[0]!r}, which no model file keeps; use numbers or strings"
            )
        seed = self.random_state
        run, names = self.run_, self.reference_names_
        meta = {
            "format": MODEL_FORMAT,
            "version": __version__,
            "classes": classes,
            "dtype": "object" if self.classes_.dtype.kind == "O" else self.classes_.dtype.str,
            "n_references": self.n_references_,
            "n_rounds": self.n_rounds_,
            "n_patterns": len(self._counts),
            "multilabel": self._multilabel,
            "silence": self._silence,
            "names": None if names is None else list(names),
            "params": {
                "engine": self.engine,
                "abstention": self.abstention,
                "sentinel": self.sentinel.item() if isinstance(self.sentinel, np.generic) else self.sentinel,
                "random_state": int(seed) if isinstance(seed, (int, np.integer)) else None,
            },
        }
        arrays: dict[str, Any] = {
            "meta": np.frombuffer(json.dumps(meta).encode(), np.uint8),
            "pairs": run.pairs,
            "labels": np.packbits(run.labels.reshape(self.n_rounds_, -1), axis=1),
            "trace": np.stack([run.alpha, run.w_plus, run.w_minus, run.log_z]),
            "counts": self._counts.astype(np.int64),
        }
        if self._multilabel:
            arrays["patterns"] = self._patterns.astype(np.uint8)
        buffer = io.BytesIO()
        np.savez(buffer, **arrays)
        atomic_write(path, buffer.getvalue())

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model that `save` wrote; it predicts as before, and a further `fit` starts anew.

        Parameters
        ----------
        path : str or path
            A file written by `save`. Nothing in it is executed, and sizes are compared with the bytes that
            are there before anything is allocated.

        Returns
        -------
        TripletBoostClassifier

        Raises
        ------
        ValueError
            If the file is no model, has another format version or its sizes disagree.
        FileNotFoundError
            If there is no such file.
        """
        try:
            with zipfile.ZipFile(path) as archive:
                return cls._read(archive, Path(path))
        except (zipfile.BadZipFile, KeyError, TypeError, EOFError) as error:
            raise ValueError(f"{path} is no whole TripletBoost model; write one with save()") from error

    @classmethod
    def _read(cls, archive: zipfile.ZipFile, path: Path) -> Self:
        size = path.stat().st_size
        if any(
            info.compress_type != zipfile.ZIP_STORED or info.file_size > size for info in archive.infolist()
        ):
            raise ValueError(
                f"{path} holds compressed or oversized arrays; write the model again with save()"
            )
        text = _member(archive, "meta", np.uint8, None).tobytes()
        try:
            meta = parse_json(text)
        except ValueError as error:
            raise KeyError("meta") from error
        if meta["format"] != MODEL_FORMAT:
            raise ValueError(
                f"{path} has model format {meta['format']!r}, this version of boosttheory reads "
                f"{MODEL_FORMAT}; load it with version {meta.get('version')} or train and save it again"
            )
        n, rounds, k, patterns = (
            meta["n_references"],
            meta["n_rounds"],
            len(meta["classes"]),
            meta["n_patterns"],
        )
        if not all(isinstance(v, int) and 0 < v < 2**31 for v in (n, rounds, k, patterns)):
            raise ValueError(f"{path} states impossible sizes; write the model again with save()")
        kind = np.dtype(meta["dtype"])
        if k * kind.itemsize > 16 * size or kind.kind not in "biufUO" or int(meta["silence"]) < 0:
            raise ValueError(f"{path} holds no labels of type {kind}; write the model again with save()")
        if meta["names"] is not None and len(meta["names"]) != n:
            raise ValueError(
                f"{path} names {len(meta['names'])} of {n} references; write it again with save()"
            )
        pairs = _member(archive, "pairs", np.int32, (rounds, 2))
        bits = _member(archive, "labels", np.uint8, (rounds, (2 * k + 7) // 8))
        trace = _member(archive, "trace", np.float64, (4, rounds))
        counts = _member(archive, "counts", np.int64, (patterns,))
        classes = np.array(meta["classes"], dtype=kind)
        if meta["multilabel"]:
            table = _member(archive, "patterns", np.uint8, (patterns, k)).astype(bool)
        elif patterns == k:
            table = classes
        else:
            raise ValueError(
                f"{path} counts {patterns} classes and names {k}; write the model again with save()"
            )
        if pairs.min() < 0 or pairs.max() >= n or not np.isfinite(trace).all():
            raise ValueError(f"{path} holds references outside 0..{n - 1} or weights that are no numbers")
        labels = np.unpackbits(bits, axis=1, count=2 * k).reshape(rounds, 2, k).astype(bool)
        state = State(np.empty((0, k)), np.empty(0), np.empty(0, np.intp))
        model = cls(rounds, **meta["params"])
        model._check_parameters()
        model._silence = int(meta["silence"])
        model.reference_names_ = None if meta["names"] is None else tuple(map(str, meta["names"]))
        alpha, w_plus, w_minus, log_z = trace
        run = Run(pairs, labels, alpha, w_plus, w_minus, log_z, state)
        model._finish(run, classes, table, counts, n)
        return model


def _generator(random_state: Any) -> np.random.Generator:
    """Turn what scikit-learn calls a random state into a generator."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31, size=4))
    return np.random.default_rng(random_state)


def _joined(old: Run, new: Run) -> Run:
    """Put the rounds of a continued run behind those before it."""
    traces: list[tuple[Any, Any]] = list(zip(old[:-1], new[:-1], strict=True))
    return Run._make([*map(np.concatenate, traces), new.state])


def _size(triplets: Triplets) -> int | None:
    """Count the triplets, where that needs no pass over them."""
    return len(triplets) if hasattr(triplets, "__len__") else None


def _missing(label: Any) -> bool:
    """Tell NaN, None and whatever refuses a comparison with itself."""
    try:
        return label is None or bool(label != label)
    except TypeError:
        return True


def _encode(y: ArrayLike) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[np.int64]]:
    """Return classes (K,), codes (n,) or indicator (n, K), the label sets that occur, and their counts."""
    labels = np.asarray(y)
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        missing = np.isnan(labels)
    elif labels.dtype.kind == "O":
        missing = np.array([_missing(label) for label in labels.reshape(-1)], bool)
    else:
        missing = np.zeros(1, bool)
    if missing.any():
        raise ValueError(
            f"y is missing (NaN or None) for {int(missing.sum())} entries, first at {int(missing.argmax())}; "
            "leave those objects out or label them"
        )
    if labels.ndim == 2:
        if not np.isin(labels, (0, 1)).all():
            raise ValueError(
                "y has two dimensions and entries other than 0 and 1; give an indicator, one column a label"
            )
        encoded = labels.astype(bool)
        classes: NDArray[Any] = np.arange(labels.shape[1])
        patterns, counts = np.unique(encoded, axis=0, return_counts=True)
    elif labels.ndim == 1 and labels.size:
        try:
            classes, encoded, counts = np.unique(labels, return_inverse=True, return_counts=True)
        except TypeError as error:
            raise ValueError("y mixes labels that cannot be sorted; turn all of them into strings") from error
        patterns = classes
    else:
        raise ValueError(
            f"y has shape {labels.shape}; give one label an object, or an indicator with one row an object"
        )
    if len(counts) < 2:
        raise ValueError(
            f"y holds one class only ({labels[:1].tolist()[0]!r}), so no two references differ; "
            "give objects of two classes"
        )
    return classes, encoded, patterns, counts.astype(np.int64)


def _member(archive: zipfile.ZipFile, name: str, dtype: Any, shape: tuple[int, ...] | None) -> NDArray[Any]:
    """Read one array of a model file, after comparing its header with what is expected and with the bytes."""
    try:
        array = unpacked(archive.read(f"{name}.npy"))
    except ValueError as error:
        raise ValueError(
            f"{archive.filename}: the array {name!r} is broken ({error}); write the model again with save()"
        ) from None
    if array.dtype != dtype or array.ndim > 2 or (shape is not None and array.shape != shape):
        raise ValueError(
            f"{archive.filename}: the array {name!r} is {array.dtype} of shape {array.shape}, expected "
            f"{np.dtype(dtype)} of shape {shape}; write the model again with save()"
        )
    return array


class ObjectClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """A classifier of triplets whose X names objects, and whose triplets are metadata.

    X is what any splitter and any step of a pipeline can cut, a column of objects; the set of all triplets
    goes by their side. With ``sklearn.set_config(enable_metadata_routing=True)`` and
    ``set_fit_request(triplets=True)`` (and the same for predict and score) it is handed through
    ``cross_validate``, ``GridSearchCV`` and ``Pipeline``. `fit` uses the triplets among the objects in X;
    `predict` those of the objects in X about the objects of the training set, so that no object held out is a
    reference.

    Parameters
    ----------
    estimator : TripletBoostClassifier, optional
        What classifies; one with its defaults if it is not given.

    Attributes
    ----------
    classes_ : ndarray, shape (K,)
        The labels, sorted.
    estimator_ : TripletBoostClassifier
        The fitted classifier.
    objects_ : ndarray of int64, shape (n,)
        The training objects.

    Examples
    --------
    >>> import numpy as np
    >>> from boosttheory import TripletSet
    >>> points = np.array([[0.0], [1.1], [2.3], [10.0], [11.2], [12.7]])
    >>> T = TripletSet.from_metric(points, proportion=1.0, rng=np.random.default_rng(0))
    >>> model = ObjectClassifier(TripletBoostClassifier(50, random_state=0))
    >>> model.fit([[0], [1], [4], [5]], ["low", "low", "high", "high"], triplets=T)
    ObjectClassifier(estimator=TripletBoostClassifier(n_rounds=50, random_state=0))
    >>> model.predict([[2], [3]], triplets=T).tolist()
    ['low', 'high']
    """

    classes_: NDArray[Any]
    estimator_: TripletBoostClassifier
    objects_: NDArray[np.int64]

    def __init__(self, estimator: TripletBoostClassifier | None = None) -> None:
        self.estimator = estimator

    def fit(self, X: ArrayLike, y: ArrayLike, triplets: TripletSet) -> Self:
        """Boost on the triplets among some objects.

        Parameters
        ----------
        X : array_like of int or str, shape (n,) or (n, 1)
            Different objects: their indices, or their names where the triplets have names.
        y : array_like, shape (n,)
            Their labels.
        triplets : TripletSet
            Triplets whose references are their objects; more objects than those in X are welcome.

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError
            If X does not name objects of the set, or the rest is not as `TripletBoostClassifier` wants it.
        """
        objects = _objects_of(X, triplets)
        estimator = TripletBoostClassifier() if self.estimator is None else clone(self.estimator)
        self.estimator_ = estimator.fit(triplets.restrict(objects), y)
        self.objects_, self.classes_ = objects, self.estimator_.classes_
        return self

    def _about(self, X: ArrayLike, triplets: TripletSet) -> TripletSet:
        check_is_fitted(self)
        return ScikitTriplets.of(triplets)[_objects_of(X, triplets), self.objects_]

    def predict(self, X: ArrayLike, triplets: TripletSet) -> NDArray[Any]:
        """Predict the labels of the training objects, or of others.

        Parameters
        ----------
        X : array_like of int or str, shape (n,) or (n, 1)
            The training objects in the order of `fit`, or objects none of which is among them.
        triplets : TripletSet
            The set that holds what is known of both.

        Returns
        -------
        ndarray, shape (n,)

        Raises
        ------
        ValueError, TypeError
            If X mixes both kinds or does not name objects of the set.
        """
        return self.estimator_.predict(self._about(X, triplets))

    def predict_proba(self, X: ArrayLike, triplets: TripletSet) -> NDArray[np.float64]:
        """Return a softmax of the scores, shape (n, K); see `TripletBoostClassifier.predict_proba`."""
        return self.estimator_.predict_proba(self._about(X, triplets))

    def score(
        self, X: ArrayLike, y: ArrayLike, triplets: TripletSet, sample_weight: ArrayLike | None = None
    ) -> float:
        """Return the share of right labels, by weight if there are weights of shape (n,)."""
        return float(accuracy_score(y, self.predict(X, triplets), sample_weight=sample_weight))


def _objects_of(X: ArrayLike, triplets: TripletSet) -> NDArray[np.int64]:
    """Return the indices of the objects that X names."""
    named = np.asarray(X)
    if named.ndim == 2 and named.shape[1] == 1:
        named = named[:, 0]
    if named.ndim != 1:
        raise ValueError(f"X has shape {named.shape}; give one column of objects")
    if np.issubdtype(named.dtype, np.integer):
        wrong = named[(named < 0) | (named >= triplets.n_objects)]
        if len(wrong):
            raise ValueError(f"X holds {wrong[0]}; the {triplets.n_objects} objects count from 0")
    else:
        if triplets.names is None:
            raise TypeError(f"X holds {named.dtype}, and triplets has no names; give indices of objects")
        places = {name: place for place, name in enumerate(triplets.names)}
        unknown = [name for name in named.tolist() if name not in places]
        if unknown:
            raise ValueError(f"X holds {unknown[0]!r}, which triplets does not know; leave it out")
        named = np.array([places[name] for name in named.tolist()])
    if len(np.unique(named)) < len(named):
        raise ValueError("X holds an object twice; give each object one row")
    return named.astype(np.int64)
