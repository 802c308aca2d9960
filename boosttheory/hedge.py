"""Algorithm 1 of Brukhim, Daniely, Mansour and Moran: boosting by Hedge, and its exact identity.

Hedge lowers the weight of the examples a weak hypothesis gets right, so that every example is right often.
Only the correctness of a hypothesis on the sample matters to the weights; `hedge` works on arrays of it,
`hedge_oracle` on a weak learner that returns labels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["EdgeError", "HedgeRun", "distribution", "hedge", "hedge_oracle", "hits_from_identity"]

Respond = Callable[[NDArray[np.float64]], NDArray[np.bool_]]
Oracle = Callable[[NDArray[np.float64], "NDArray[np.int64] | None"], Any]


@dataclass(frozen=True, eq=False)
class HedgeRun:
    """One run of Hedge on a sample of m examples.

    Attributes
    ----------
    eta : float
        Step size.
    hits : ndarray of int64, shape (m,)
        H(x_i, y_i): in how many rounds example i was right.
    accuracies : ndarray of float64, shape (T,)
        Accuracy α_t of each hypothesis on the distribution it was given.
    distribution : ndarray of float64, shape (m,)
        D_{T+1}, the distribution after the last round.
    hypotheses : tuple
        What the weak learner returned, in order; empty for a run on correctness alone.
    """

    eta: float
    hits: NDArray[np.int64]
    accuracies: NDArray[np.float64]
    distribution: NDArray[np.float64]
    hypotheses: tuple[Any, ...] = field(default=(), repr=False)

    def __len__(self) -> int:
        return len(self.accuracies)


class EdgeError(ValueError):
    """A weak hypothesis was less accurate than the run requires.

    Attributes
    ----------
    call : int
        The call that fell short, counted from 1.
    accuracy, required : float
        Its accuracy on the distribution it was given, and the accuracy asked for.
    run : HedgeRun
        The run up to the call before, still usable.
    """

    def __init__(self, call: int, accuracy: float, required: float, run: HedgeRun):
        super().__init__(
            f"weak learner: call {call} has accuracy {accuracy:.6g}, below the required {required:.6g}; "
            "lower the edge, or give a stronger weak learner"
        )
        self.call, self.accuracy, self.required, self.run = call, accuracy, required, run


def distribution(hits: NDArray[np.int64], eta: float) -> NDArray[np.float64]:
    """Return the distribution that Hedge holds after the given numbers of hits.

    Parameters
    ----------
    hits : ndarray of int64, shape (m,)
        H_i so far.
    eta : float
        Step size, at least 0.

    Returns
    -------
    ndarray of float64, shape (m,)
        Proportional to e^{−η H_i}.
    """
    # a table of powers: the weights are a function of small integers, so no error builds up over the rounds
    lag = hits - hits.min()
    weights: NDArray[np.float64] = np.exp(-eta * np.arange(int(lag.max()) + 1))[lag]
    weights /= weights.sum()
    return weights


def hedge(
    respond: Respond | ArrayLike,
    m: int,
    T: int,
    eta: float,
    *,
    required: float | None = None,
    callback: Callable[[int, float], None] | None = None,
) -> HedgeRun:
    """Run Algorithm 1 on correctness alone.

    Parameters
    ----------
    respond : callable or array_like of bool, shape (T, m)
        ``respond(D)`` gives the (m,) bool array that tells where the hypothesis for the (m,) float64
        distribution D is right; an array holds the answers to all rounds in advance.
    m : int
        Number of examples, at least 1.
    T : int
        Number of rounds, at least 0.
    eta : float
        Step size, at least 0.
    required : float, optional
        Least accuracy that each answer must have, up to 1e-12.
    callback : callable, optional
        ``callback(t, accuracy)`` after round t = 1, ..., T.

    Returns
    -------
    HedgeRun

    Raises
    ------
    EdgeError
        If an answer falls short of ``required``.
    ValueError
        If m, T or eta is out of range, or an answer has another shape or type.

    References
    ----------
    Brukhim et al. (2023), Algorithm 1, Section 2.

    Examples
    --------
    >>> run = hedge([[True, False], [False, True]], 2, 2, 0.5)
    >>> run.hits
    array([1, 1])
    """
    if m < 1 or T < 0:
        raise ValueError(f"m={m}, T={T}: give at least 1 example and at least 0 rounds")
    if not 0 <= eta < np.inf:
        raise ValueError(f"eta={eta} is no step size; give a finite number that is at least 0")
    answer = respond if callable(respond) else _replay(respond, m, T)
    hits = np.zeros(m, dtype=np.int64)
    accuracies = np.zeros(T)
    for t in range(T):
        weights = distribution(hits, eta)
        correct = np.asarray(answer(weights))
        if correct.shape != (m,) or correct.dtype != np.bool_:
            raise ValueError(
                f"weak learner: call {t + 1} answers with shape {correct.shape} and type {correct.dtype}; "
                f"return a bool array of shape ({m},)"
            )
        accuracies[t] = min(1.0, float(weights @ correct))
        if required is not None and accuracies[t] < required - 1e-12:
            partial = HedgeRun(eta, hits, accuracies[:t], weights)
            raise EdgeError(t + 1, float(accuracies[t]), required, partial)
        hits += correct
        if callback is not None:
            callback(t + 1, float(accuracies[t]))
    return HedgeRun(eta, hits, accuracies, distribution(hits, eta))


def _replay(answers: ArrayLike, m: int, T: int) -> Respond:
    table = np.asarray(answers, dtype=bool)
    if table.shape != (T, m):
        raise ValueError(
            f"respond has shape {table.shape}; give one row of {m} answers for each of {T} rounds"
        )
    rows = iter(table)
    return lambda weights: next(rows)


def hedge_oracle(
    weak: Oracle,
    y: ArrayLike,
    T: int,
    eta: float,
    *,
    lists: NDArray[np.int64] | None = None,
    X: Any = None,
    required: float | None = None,
    callback: Callable[[int, float], None] | None = None,
) -> HedgeRun:
    """Run Algorithm 1 with a weak learner that returns labels.

    Parameters
    ----------
    weak : callable
        ``weak(D, lists) -> h``: D is a (m,) float64 distribution over the sample; h is a (m,) array of
        predicted labels on the sample, or a callable that gives it from ``X``.
    y : array_like of int, shape (m,)
        The labels.
    T, eta, required, callback
        As in `hedge`.
    lists : ndarray of int, shape (m, k), optional
        The hint handed to the weak learner, rows padded with −1; None for all labels.
    X : array_like, optional
        The sample, for hypotheses that are callables.

    Returns
    -------
    HedgeRun
        With ``hypotheses``.

    Raises
    ------
    EdgeError, ValueError
        As in `hedge`; also if a hypothesis predicts NaN or does not give one label an example.

    References
    ----------
    Brukhim et al. (2023), Algorithm 1, and line 3 of Algorithm 3.
    """
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise ValueError(f"y has shape {labels.shape}; give one label an example")
    hypotheses: list[Any] = []

    def respond(weights: NDArray[np.float64]) -> NDArray[np.bool_]:
        h = weak(weights, lists)
        predicted = np.asarray(h(X) if callable(h) else h)
        call = len(hypotheses) + 1
        if predicted.shape != labels.shape:
            raise ValueError(
                f"weak learner: call {call} predicts an array of shape {predicted.shape}; "
                f"return one label for each of the {len(labels)} examples"
            )
        if predicted.dtype.kind == "f" and np.isnan(predicted).any():
            raise ValueError(f"weak learner: call {call} predicts NaN; return labels only")
        hypotheses.append(h)
        return np.asarray(predicted == labels, dtype=np.bool_)

    run = hedge(respond, len(labels), T, eta, required=required, callback=callback)
    return HedgeRun(run.eta, run.hits, run.accuracies, run.distribution, tuple(hypotheses))


def hits_from_identity(
    eta: float, accuracies: Sequence[float] | NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Recover the hits from the last distribution and the accuracies.

    H_i = −(1/η)[ln m + ln D_{T+1}(i) + Σ_t ln(1 − (1 − e^{−η})α_t)], exactly: the paper's analysis of
    Algorithm 1 before any inequality is used.

    Parameters
    ----------
    eta : float
        Step size, above 0.
    accuracies : array_like of float, shape (T,)
        α_t.
    weights : ndarray of float64, shape (m,)
        D_{T+1}, positive.

    Returns
    -------
    ndarray of float64, shape (m,)

    References
    ----------
    Brukhim et al. (2023), Appendix A, proof of Lemma 1.

    Examples
    --------
    >>> run = hedge([[True, False, True], [True, True, False]], 3, 2, 0.25)
    >>> np.round(hits_from_identity(0.25, run.accuracies, run.distribution), 12)
    array([2., 1., 1.])
    """
    spent = np.log1p(np.expm1(-eta) * np.asarray(accuracies, dtype=np.float64)).sum()
    recovered: NDArray[np.float64] = -(np.log(len(weights)) + np.log(weights) + spent) / eta
    return recovered
