"""Executable theory of boosting: algorithms, and checks that compute a verdict for each statement."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0.dev0"

_LAZY = {
    "TripletSet": "boosttheory.triplets",
    "LazyTriplets": "boosttheory.triplets",
    "TripletBoostClassifier": "boosttheory.estimators",
    "RecursiveBoostingClassifier": "boosttheory.list_estimators",
    "WeakToListClassifier": "boosttheory.list_estimators",
    "FiniteClass": "boosttheory.concepts",
    "load_results": "boosttheory.interop",
}
__all__ = [
    "LazyTriplets",
    "RecursiveBoostingClassifier",
    "TripletBoostClassifier",
    "TripletSet",
    "WeakToListClassifier",
    "__version__",
    "load_results",
]

if TYPE_CHECKING:
    from boosttheory.estimators import TripletBoostClassifier
    from boosttheory.interop import load_results
    from boosttheory.list_estimators import RecursiveBoostingClassifier, WeakToListClassifier
    from boosttheory.triplets import LazyTriplets, TripletSet


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'boosttheory' has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
