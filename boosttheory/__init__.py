"""Executable theory of boosting: algorithms, and checks that compute a verdict for every numbered statement."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0.dev0"

_LAZY = {
    "TripletSet": "boosttheory.triplets",
    "LazyTriplets": "boosttheory.triplets",
    "TripletBoostClassifier": "boosttheory.estimators",
    "RecursiveBoostingClassifier": "boosttheory.estimators",
    "WeakToListClassifier": "boosttheory.estimators",
    "FiniteClass": "boosttheory.concepts",
}
__all__ = ["__version__", "TripletBoostClassifier", "TripletSet", "LazyTriplets"]  # noqa: RUF022

if TYPE_CHECKING:
    from boosttheory.estimators import TripletBoostClassifier
    from boosttheory.triplets import LazyTriplets, TripletSet


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'boosttheory' has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
