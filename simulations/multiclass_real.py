"""Recursive boosting of small trees on Letter, Vowel, Shuttle and Satellite, beside two other boosters.

For trees of depth 1 and 2 (and those that --depths adds): accuracy, oracle calls, measured edges, the length
and the coverage of the lists over the stages, next to AdaBoost (SAMME) with as many trees of the same depth
and HistGradientBoosting with as many trees. Where MAPIE is installed, its prediction sets at the coverage of
our lists of three labels are shown too. A data set whose file is absent is skipped.

    python simulations/multiclass_real.py --data ../shared/data/derived --calls 500 --depths 1 2 4
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np

from boosttheory.multiclass_trials import boosted_trees, histogram_accuracy, samme_accuracy

FILES = {
    "Letter": "LetterRecognition.npz",
    "Vowel": "Vowel.npz",
    "Shuttle": "Shuttle.npz",
    "Satellite": "Satellite.npz",
}
LARGEST = 6000  # examples of a set used at most


def load(path, seed):
    """Read one file; return two thirds for training and one third for testing, at most 6,000 examples."""
    from sklearn.model_selection import train_test_split

    with np.load(path, allow_pickle=False) as stored:
        X, y = np.asarray(stored["X"], dtype=np.float64), np.unique(stored["y"], return_inverse=True)[1]
    order = np.random.default_rng(seed).permutation(len(y))[:LARGEST]
    X, y = X[order], y[order]
    # a class of one example cannot be split
    kept = np.bincount(y)[y] >= 3
    X, y = X[kept], np.unique(y[kept], return_inverse=True)[1]
    return tuple(train_test_split(X, y, test_size=1 / 3, random_state=seed, stratify=y))


def conformal(data, depth, calls, coverage, seed):
    """Return mean length and coverage of MAPIE's sets around AdaBoost, or None where it is not installed."""
    try:
        from mapie.classification import SplitConformalClassifier
    except ImportError:
        return None
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.model_selection import train_test_split
    from sklearn.tree import DecisionTreeClassifier

    X, new, y, truth = data
    fit, hold, y_fit, y_hold = train_test_split(X, y, test_size=0.3, random_state=seed)
    base = AdaBoostClassifier(DecisionTreeClassifier(max_depth=depth), n_estimators=calls, random_state=seed)
    sets = SplitConformalClassifier(base.fit(fit, y_fit), confidence_level=coverage, prefit=True)
    _, inside = sets.conformalize(hold, y_hold).predict_set(new)
    inside = inside[:, :, 0]
    known = np.searchsorted(base.classes_, truth)
    return float(inside.sum(axis=1).mean()), float(inside[np.arange(len(truth)), known].mean())


def report(name, data, options):
    """Print the comparison on one data set; return one line on who wins."""
    _, new, y, _ = data
    print(f"\n{name}: {len(y)} training and {len(new)} test examples, {len(np.unique(y))} classes")
    histogram = histogram_accuracy(data, options.calls, seed=options.seed)
    sentences = []
    for depth in options.depths:
        ours = boosted_trees(
            data, depth, options.calls, edge=options.edge, sample_size=options.m0, seed=options.seed
        )
        samme = samme_accuracy(data, depth, options.calls, seed=options.seed)
        print(
            f"  depth {depth}: {ours.calls} calls; test accuracy {ours.test_accuracy:.3f} (training "
            f"{ours.train_accuracy:.3f}), AdaBoost {samme:.3f}, HistGradientBoosting {histogram:.3f}\n"
            f"    edge: least {ours.least_edge:.3f}, mean {ours.mean_edge:.3f}; {ours.missed:.0%} of "
            f"the calls below {options.edge}"
        )
        shown = ours.sizes[:: max(1, len(ours.sizes) // 6)]
        print(
            "    lists (greatest length: mean length, coverage): "
            + "; ".join(f"{k}: {length:.2f}, {inside:.3f}" for k, length, inside in shown)
        )
        three = [size for size in ours.sizes if size[0] == 3]
        if three and 0.5 < three[0][2] < 1:
            sets = conformal(data, depth, options.calls, three[0][2], options.seed)
            if sets is not None:
                print(
                    f"    at coverage {three[0][2]:.3f}: our lists {three[0][1]:.2f} labels on average, "
                    f"conformal sets {sets[0]:.2f} (coverage {sets[1]:.3f})"
                )
        better = [
            rival
            for rival, value in (("AdaBoost", samme), ("HistGradientBoosting", histogram))
            if value > ours.test_accuracy
        ]
        outcome = f"loses to {' and '.join(better)}" if better else "loses to neither"
        weak = ", and the trees miss their edge" if ours.missed > 0 else ", and every call keeps its edge"
        sentences.append(f"{name}, depth {depth}: recursive boosting {outcome}{weak}.")
    return sentences


def main() -> int:
    """Run every data set that is there."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data/derived"))
    parser.add_argument("--calls", type=int, default=500)
    parser.add_argument("--depths", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--edge", type=float, default=0.1)
    parser.add_argument("--m0", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="+", choices=sorted(FILES), default=sorted(FILES))
    options = parser.parse_args()
    sentences = []
    for name in options.only:
        path = options.data / FILES[name]
        if not path.is_file():
            print(f"{name}: {path} is absent, skipped")
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sentences += report(name, load(path, options.seed), options)
    print("\n" + "\n".join(sentences))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
