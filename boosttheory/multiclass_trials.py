"""Recursive boosting on real data beside two other boosters: what checks and simulations share."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boosttheory.hedge import hits_from_identity

__all__ = ["Outcome", "boosted_trees", "digits_split", "histogram_accuracy", "samme_accuracy"]

Split = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[Any], NDArray[Any]]


class Outcome(NamedTuple):
    """One run of recursive boosting of trees.

    Attributes
    ----------
    depth, calls : int
        Depth of the trees, and oracle calls.
    train_accuracy, test_accuracy : float
        Shares of right labels.
    least_edge, mean_edge : float
        Measured edges, accuracy − 1/k, over all calls.
    missed : float
        Share of calls below the edge asked for.
    sizes : tuple of (int, float, float)
        After each stage: greatest length, mean length on the test set, share of test labels inside.
    room : int
        Least k − 1 − |μ(x)| over stages, training and test points.
    hits : tuple of (float, float, float)
        For each stage: the fewest hits of an example, the fewest that the identity of Hedge allows at these
        accuracies (all weight on the example), and ln m/η.
    """

    depth: int
    calls: int
    train_accuracy: float
    test_accuracy: float
    least_edge: float
    mean_edge: float
    missed: float
    sizes: tuple[tuple[int, float, float], ...]
    room: int
    hits: tuple[tuple[float, float, float], ...]


def digits_split(seed: int = 0) -> Split:
    """Return two thirds of the digits for training and one third for testing: X, X, y, y."""
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    X, y = load_digits(return_X_y=True)
    split: Split = tuple(train_test_split(X, y, test_size=1 / 3, random_state=seed, stratify=y))
    return split


def boosted_trees(
    data: Split, depth: int, calls: int, *, edge: float = 0.1, sample_size: int = 500, seed: int = 0
) -> Outcome:
    """Boost trees of one depth under a budget of calls.

    Parameters
    ----------
    data : tuple
        X train, X test, y train, y test.
    depth, calls : int
        Depth of the trees; budget.
    edge : float
        γ, which sets the step sizes and the share of each stage.
    sample_size : int
        m₀.
    seed : int
        Stream.

    Returns
    -------
    Outcome
    """
    from sklearn.tree import DecisionTreeClassifier

    from boosttheory.list_estimators import EdgeWarning, RecursiveBoostingClassifier

    X, new, y, truth = data
    model = RecursiveBoostingClassifier(
        DecisionTreeClassifier(max_depth=depth),
        edge=edge,
        sample_size=sample_size,
        max_calls=calls,
        attempts=1,
        random_state=seed,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EdgeWarning)
        model.fit(X, y)
    history = model.model_.history(new)
    codes = np.searchsorted(model.classes_, truth)
    sizes, hits, room = [], [], 0
    for stage, lists in zip(model.run_.stages, history[-len(model.run_.stages) :], strict=True):
        lengths = (lists >= 0).sum(axis=1)
        inside = (lists == codes[:, None]).any(axis=1).mean()
        sizes.append((stage.size - 1, float(lengths.mean()), float(inside)))
        room = min(room, stage.size - 1 - max(int(lengths.max()), int(stage.list_sizes.max())))
        first = np.log(len(y)) / stage.eta
        alone = float(hits_from_identity(stage.eta, stage.accuracies, np.ones(1))[0])
        hits.append((float(stage.hits.min()), alone - first, first))
    return Outcome(
        depth,
        model.n_calls_,
        float(model.score(X, y)),
        float(model.score(new, truth)),
        float(model.edges_.min()),
        float(model.edges_.mean()),
        float((model.edges_ < edge).mean()),
        tuple(sizes),
        room,
        tuple(hits),
    )


def samme_accuracy(data: Split, depth: int, calls: int, *, seed: int = 0) -> float:
    """Return the test accuracy of AdaBoost (SAMME) with as many trees of the same depth.

    Parameters
    ----------
    data, depth, calls, seed
        As in `boosted_trees`.
    """
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.tree import DecisionTreeClassifier

    X, new, y, truth = data
    tree = DecisionTreeClassifier(max_depth=depth, random_state=seed)
    return float(AdaBoostClassifier(tree, n_estimators=calls, random_state=seed).fit(X, y).score(new, truth))


def histogram_accuracy(data: Split, calls: int, *, seed: int = 0) -> float:
    """Return the test accuracy of HistGradientBoosting with as many trees of its default size.

    It fits one tree a class and iteration, so it makes calls // K iterations.

    Parameters
    ----------
    data, calls, seed
        As in `boosted_trees`.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier

    X, new, y, truth = data
    model = HistGradientBoostingClassifier(
        max_iter=max(1, calls // len(np.unique(y))), early_stopping=False, random_state=seed
    )
    return float(model.fit(X, y).score(new, truth))
