"""Stand-ins: what a model file holds in place of objects that must not be built unchecked.

Boosters, nets, trees of scikit-learn and neighbor searches are read by compiled code that
follows every index it is given. A file holds plain arrays for them, which are checked, or from
which the object is made anew.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided.store.boosters import count_threads, dump_booster, load_booster
from lopsided.store.container import Refused
from lopsided.store.nets import KINDS, dump_net, is_net, load_net
from lopsided.store.sklearn_trees import TreePart, TreesPart, check_ends, take_tree, take_trees
from lopsided.store.trusted import TRUSTED
from lopsided.trees.forest import Forest

_MAX_THREADS = 1024
_MANY = 8  # arrays, from which on they are kept as one


@dataclass(frozen=True)
class BoosterPart:
    """A booster of XGBoost, in a member of its own."""

    member: str
    n_threads: int


@dataclass(frozen=True)
class NetPart:
    """A net, its weights in a member of its own."""

    member: str
    kind: str


@dataclass(frozen=True)
class ArraysPart:
    """Many short arrays, one after the other."""

    values: NDArray[Any]
    ends: NDArray[np.int64]
    in_tuple: bool


@dataclass(frozen=True)
class NeighborsPart:
    """A search for neighbors: its parameters and rows, from which it is fitted again."""

    params: dict[str, Any]
    rows: NDArray[Any]


@dataclass(frozen=True)
class DatePart:
    """A date that is a level of a category."""

    text: str


@dataclass(frozen=True)
class IntervalPart:
    """An interval that is a level of a category."""

    left: Any
    right: Any
    closed: str


@dataclass
class Parts:
    """Takes a model apart, and puts it together again; `members` are files of their own."""

    members: dict[str, bytes] = field(default_factory=dict)

    def take_apart(self, value: Any) -> Any:
        """Return a copy of a value, with stand-ins in it; the value stays as it is."""
        swap = _find_swap(value)
        if swap is not None:
            return swap(self, value)
        packed = _take_list(self, value) if type(value) in (list, tuple) else None
        if packed is not None:
            return packed
        return _rebuild(value, self.take_apart, forget_cache=True)

    def put_together(self, value: Any) -> Any:
        """Return a value with the objects that its stand-ins stand for, all checked."""
        restore = _RESTORE.get(type(value))
        if restore is not None:
            whole = restore(self, value)
            _check_object(whole)
            return whole
        whole = _rebuild(value, self.put_together)
        _check_object(whole)
        return whole

    def add(self, folder: str, suffix: str, data: bytes) -> str:
        """Keep bytes as a member, and return its name."""
        name = f"{folder}/{len(self.members)}.{suffix}"
        self.members[name] = data
        return name

    def _member(self, name: Any) -> bytes:
        if not isinstance(name, str) or name not in self.members:
            raise Refused("must hold the parts of its model, got none of that name")
        return self.members[name]


def _rebuild(value: Any, change: Callable[[Any], Any], forget_cache: bool = False) -> Any:
    """Return a copy of a value, all that it holds changed; what holds nothing is itself."""
    kind = type(value)
    if kind is dict:
        for key in value:
            if type(key) not in (str, int, float, np.str_, np.int64, np.float64):
                raise Refused(f"takes text and numbers as keys, got {type(key).__name__}")
        return {key: change(item) for key, item in value.items()}
    if kind is list:
        return [change(item) for item in value]
    if isinstance(value, tuple):
        items = [change(item) for item in value]
        return tuple(items) if kind is tuple else kind(*items)
    if f"{kind.__module__}.{kind.__qualname__}" not in TRUSTED:
        return value
    copy = object.__new__(kind)
    for name, item in vars(value).items():
        # A folder of caches belongs to a machine, and what is read from it is pickled.
        copy.__dict__[name] = None if forget_cache and name == "memory" else change(item)
    return copy


def _check_object(value: Any) -> None:
    """Refuse what would ask for more than it should, once it is used."""
    if isinstance(value, Forest):
        value.check()
    own = getattr(value, "__dict__", {})
    if "n_codes" in own and not 0 <= own["n_codes"] <= len(own["codes"]):
        raise Refused("must have no more codes than levels, got others")
    if own.get("memory") is not None:
        raise Refused("must come without a folder for its cache, got one")
    if own.get("input", "content") != "content":  # of a vectorizer: texts would be opened
        raise Refused(f"must read texts as they are, got input={own['input']!r}")
    n_jobs = own.get("n_jobs")
    if n_jobs is not None and not (isinstance(n_jobs, int) and abs(n_jobs) <= _MAX_THREADS):
        raise Refused(f"must have n_jobs of at most {_MAX_THREADS}, got {n_jobs!r}")
    _check_ensemble(own)


def _check_ensemble(own: dict[str, Any]) -> None:
    """Refuse trees of scikit-learn that read columns which their ensemble does not give them.

    Of an ensemble it checks the columns once, and of its trees never again.
    """
    tree, n_features = own.get("tree_"), own.get("n_features_in_")
    if tree is not None and getattr(tree, "n_features", None) != n_features:
        raise Refused("must have trees of the columns of their estimator, got others")
    trees = own.get("estimators_")
    if not isinstance(trees, list):
        return
    columns = own.get("estimators_features_")
    for place, one in enumerate(trees):
        if not hasattr(one, "tree_"):
            continue
        given = n_features if columns is None else len(columns[place])
        if getattr(one, "n_features_in_", None) != given:
            raise Refused("must have trees of the columns of their ensemble, got others")


def _find_swap(value: Any) -> Callable[[Parts, Any], Any] | None:
    """Return how a value is replaced, if it is."""
    if is_net(value):
        return _take_net
    kind = type(value)
    return _SWAP.get(f"{kind.__module__}.{kind.__qualname__}")


def _take_booster(parts: Parts, booster: Any) -> BoosterPart:
    name = parts.add("boosters", "ubj", dump_booster(booster))
    return BoosterPart(name, count_threads(booster))


def _take_net(parts: Parts, net: Any) -> NetPart:
    kind, data = dump_net(net)
    return NetPart(parts.add("nets", "safetensors", data), kind)


def _take_neighbors(_: Parts, search: Any) -> NeighborsPart:
    params = search.get_params()
    if search.metric != "minkowski" or search.metric_params is not None:
        raise Refused(f"takes neighbors by Minkowski distance, got {search.metric!r}")
    rows = search._fit_X
    if not isinstance(rows, np.ndarray) or hasattr(search, "feature_names_in_"):
        raise Refused("takes neighbors among the rows of an array, got another table")
    return NeighborsPart(params, rows)


def _take_tree(_: Parts, tree: Any) -> TreePart:
    return take_tree(tree)


def _take_list(parts: Parts, items: Any) -> Any:
    """Return many trees or arrays as few; each of them alone would take a file of its own."""
    trees = take_trees(items) if type(items) is list else None
    if trees is not None:
        return replace(trees, template=parts.take_apart(trees.template))
    if len(items) < _MANY or not all(type(item) is np.ndarray for item in items):
        return None
    first = items[0]
    if any(
        item.ndim != 1 or item.dtype != first.dtype or item.dtype == object for item in items
    ):
        return None
    ends = np.cumsum([len(item) for item in items]).astype(np.int64)
    return ArraysPart(np.concatenate(items), ends, type(items) is tuple)


def _take_date(_: Parts, date: Any) -> DatePart:
    return DatePart(f"{date.unit} {date.isoformat()}")


def _take_interval(parts: Parts, interval: Any) -> IntervalPart:
    left, right = (parts.take_apart(end) for end in (interval.left, interval.right))
    return IntervalPart(left, right, interval.closed)


def _make_booster(parts: Parts, part: BoosterPart) -> Any:
    if type(part.n_threads) is not int or abs(part.n_threads) > _MAX_THREADS:
        raise Refused(f"must have boosters of at most {_MAX_THREADS} threads")
    return load_booster(parts._member(part.member), part.n_threads)


def _make_net(parts: Parts, part: NetPart) -> Any:
    if part.kind not in KINDS:
        raise Refused(f"takes nets of the kinds {', '.join(KINDS)}, got another")
    return load_net(part.kind, parts._member(part.member))


def _make_tree(_: Parts, part: TreePart) -> Any:
    return part.build()


def _make_trees(parts: Parts, part: TreesPart) -> list[Any]:
    return part.build(parts.put_together(part.template))


def _make_arrays(_: Parts, part: ArraysPart) -> Any:
    ends = check_ends(part.ends, len(part.values))
    arrays = [part.values[start:end] for start, end in pairwise([0, *ends])]
    return tuple(arrays) if part.in_tuple else arrays


def _make_neighbors(_: Parts, part: NeighborsPart) -> Any:
    from sklearn.neighbors import NearestNeighbors

    params = part.params
    plain = all(type(value) in (int, float, str, type(None)) for value in params.values())
    if not plain or params.get("metric") != "minkowski":
        raise Refused("must have neighbors by Minkowski distance, got others")
    search = NearestNeighbors(**params)
    _check_object(search)
    return search.fit(part.rows)


def _make_date(_: Parts, part: DatePart) -> Any:
    import pandas as pd

    unit, text = part.text.split(" ")
    date: Any = pd.Timestamp(text)
    return date.as_unit(unit)


def _make_interval(parts: Parts, part: IntervalPart) -> Any:
    import pandas as pd

    make: Any = pd.Interval
    left, right = (parts.put_together(end) for end in (part.left, part.right))
    return make(left, right, closed=part.closed)


_SWAP: dict[str, Callable[[Parts, Any], Any]] = {
    "xgboost.core.Booster": _take_booster,
    "sklearn.tree._tree.Tree": _take_tree,
    "sklearn.neighbors._unsupervised.NearestNeighbors": _take_neighbors,
    "pandas.Timestamp": _take_date,
    "pandas._libs.tslibs.timestamps.Timestamp": _take_date,
    "pandas.Interval": _take_interval,
    "pandas._libs.interval.Interval": _take_interval,
}
_RESTORE: dict[type, Callable[[Parts, Any], Any]] = {
    BoosterPart: _make_booster,
    NetPart: _make_net,
    TreePart: _make_tree,
    TreesPart: _make_trees,
    ArraysPart: _make_arrays,
    NeighborsPart: _make_neighbors,
    DatePart: _make_date,
    IntervalPart: _make_interval,
}
