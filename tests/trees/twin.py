"""A slow, obvious twin of the grower: raw values, recursion, and every cut tried.

It has its own random numbers (splitmix64 in plain Python) and its own formulas, and sums over
masks of rows. Weights should be multiples of a power of two, so that sums are exact in any
order and ties are ties in both.
"""

import math
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from lopsided.trees.binning import MAX_LEVELS
from lopsided.trees.criteria import CRITERIA
from lopsided.trees.grower import LEAF, MISSING_LEFT, SUBSET, grow, read_table
from lopsided.trees.splitting import TreeParams, make_tree_params


def make_params(criterion="gini", inverse_label_frequency=2.0, splitter="best", **limits):
    """Parameters as the forest makes them."""
    return make_tree_params(criterion, inverse_label_frequency, splitter, **limits)


def name_of(params):
    return next(name for name, known in CRITERIA.items() if known.code == params.criterion)


class Random:
    """splitmix64 (Steele, Lea, Flood 2014)."""

    def __init__(self, seed):
        self.state = int(seed)

    def uniform(self):
        mask = 2**64 - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return ((z ^ (z >> 31)) >> 11) / 2**53

    def randint(self, n):
        return int(self.uniform() * n)


# The criteria, each from the labeled and unlabeled weight of the two children.


def gini_gain(left, right, _):
    def purity(labeled, unlabeled):
        return (labeled**2 + unlabeled**2) / (labeled + unlabeled)

    return purity(*left) + purity(*right) - purity(*_add(left, right))


def entropy_gain(left, right, _):
    def purity(labeled, unlabeled):
        a, b, both = (
            x * math.log(x) if x else 0.0 for x in (labeled, unlabeled, labeled + unlabeled)
        )
        return a + b - both

    return purity(*left) + purity(*right) - purity(*_add(left, right))


def hellinger_components(left, right, inverse_label_frequency):
    """Section 1 of the specification; inverse_label_frequency is its w."""
    (ll, ul), (lr, ur) = left, right
    tl, tr = ll + ul, lr + ur
    pl, pr = min(inverse_label_frequency * ll, tl), min(inverse_label_frequency * lr, tr)
    nl, nr = tl - pl, tr - pr
    p, n = pl + pr, nl + nr
    if p == 0:
        return -math.inf, -math.inf
    n = 1.0 if n == 0 else n
    return (
        (math.sqrt(nl / n) - math.sqrt(pl / p)) ** 2,
        (math.sqrt(nr / n) - math.sqrt(pr / p)) ** 2,
    )


def pu_hellinger_gain(left, right, inverse_label_frequency):
    return sum(hellinger_components(left, right, inverse_label_frequency))


def hellinger_gain(left, right, _):
    return pu_hellinger_gain(left, right, 1.0)


def nnpu_gain(left, right, inverse_label_frequency):
    """Wilton et al. 2022: the best constant's squared loss on P and on max(T - P, 0)."""

    def risk(labeled, unlabeled):
        p = inverse_label_frequency * labeled
        n = max(labeled + unlabeled - p, 0.0)
        return p * n / (p + n) if p + n > 0 else 0.0

    return risk(*_add(left, right)) - risk(*left) - risk(*right)


GAINS = {
    "gini": gini_gain,
    "entropy": entropy_gain,
    "hellinger": hellinger_gain,
    "pu-hellinger": pu_hellinger_gain,
    "nnpu": nnpu_gain,
}


def _add(left, right):
    return left[0] + right[0], left[1] + right[1]


@dataclass
class TwinNode:
    labeled: float
    unlabeled: float
    left: int = LEAF
    feature: int = 0
    threshold: float = math.nan
    missing_left: bool = False
    levels: set | None = None  # the categories that go left
    rows: np.ndarray | None = None
    gain: float = math.nan


@dataclass
class Twin:
    """Grows a tree as a list of nodes, numbered as the engine numbers them."""

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    categorical: np.ndarray
    params: TreeParams
    seed: int
    nodes: list = field(default_factory=list)

    def grow(self):
        self.random = Random(self.seed)
        self.features = list(range(self.X.shape[1]))
        self.gain = GAINS[name_of(self.params)]
        rows = np.flatnonzero(self.weight > 0)
        self.nodes.append(TwinNode(*self.weigh(rows), rows=rows))
        self.visit(0, depth=0)
        return self.nodes

    def weigh(self, rows):
        labels, weights = self.y[rows], self.weight[rows]
        return float(weights[labels == 1].sum()), float(weights[labels == 0].sum())

    def visit(self, place, depth):
        node, params = self.nodes[place], self.params
        if depth >= params.max_depth or len(node.rows) < 2 * params.min_samples_leaf:
            return
        if node.labeled == 0 or node.unlabeled == 0:
            return
        split = self.search(node)
        if split is None:
            return
        gain, feature, threshold, levels, missing_left, goes_left = split
        node.gain, node.feature, node.threshold = gain, feature, threshold
        node.left = len(self.nodes)
        children = node.rows[goes_left], node.rows[~goes_left]
        weights = [self.weigh(rows) for rows in children]
        values = self.X[node.rows, feature]
        if not np.isnan(values).any():  # the heavier child takes what the node has not seen
            missing_left = sum(weights[0]) > sum(weights[1])
        node.missing_left = missing_left
        if levels is not None:
            absent = set(range(MAX_LEVELS)) - set(values)
            node.levels = levels | absent if missing_left else levels
        for rows, (labeled, unlabeled) in zip(children, weights, strict=True):
            self.nodes.append(TwinNode(labeled, unlabeled, rows=rows))
        may_split = (True, True)
        if "hellinger" in name_of(params):
            w = 1.0 if name_of(params) == "hellinger" else params.inverse_label_frequency
            may_split = [part > 0 for part in hellinger_components(*weights, w)]
        for side in (0, 1):
            if may_split[side]:
                self.visit(node.left + side, depth + 1)

    def search(self, node):
        best, visited = None, 0
        for k in range(len(self.features)):
            swap = k + self.random.randint(len(self.features) - k)
            self.features[k], self.features[swap] = self.features[swap], self.features[k]
            candidates = self.candidates(node, self.features[k])
            if candidates is None:  # constant
                continue
            for candidate in candidates:
                found = self.gain_of(node, candidate[-1])
                if found > (-math.inf if best is None else best[0]):
                    best = (found, *candidate)
            visited += 1
            if visited == self.params.max_features:
                break
        return best

    def gain_of(self, node, goes_left):
        n_left = goes_left.sum()
        if min(n_left, len(goes_left) - n_left) < self.params.min_samples_leaf:
            return -math.inf
        children = (self.weigh(node.rows[side]) for side in (goes_left, ~goes_left))
        return self.gain(*children, self.params.inverse_label_frequency)

    def candidates(self, node, feature):
        """Return feature, threshold, levels, missing_left and mask of each way to part."""
        values = self.X[node.rows, feature]
        missing = np.isnan(values)
        distinct = np.unique(values[~missing])
        if len(distinct) == 0 or (len(distinct) == 1 and not missing.any()):
            return None
        if self.params.random_splitter:
            draw = self.draw_levels if self.categorical[feature] else self.draw_threshold
            ways = [draw(feature, distinct)]
        elif self.categorical[feature]:
            ways = self.subsets(node, values, distinct)
        else:
            ways = self.thresholds(distinct)
        found = []
        for threshold, levels in ways:
            chosen = () if levels is None else list(levels)
            goes_left = values <= threshold if levels is None else np.isin(values, chosen)
            if not (goes_left | missing).all():
                found.append((feature, threshold, levels, False, goes_left))
                if missing.any():
                    found.append((feature, threshold, levels, True, goes_left | missing))
            elif missing.any():  # nothing but missing values on the right
                found.append((feature, threshold, levels, False, goes_left))
        return found

    def thresholds(self, distinct):
        for low, high in pairwise(distinct):
            middle = low + (high - low) / 2
            yield (middle if middle < high else low), None
        yield math.inf, None

    def subsets(self, node, values, distinct):
        mix = 10 * node.labeled / (node.labeled + node.unlabeled)

        def share(level):
            labeled, unlabeled = self.weigh(node.rows[values == level])
            return (labeled + mix) / (labeled + unlabeled + 10)

        ranked = sorted(distinct, key=share)
        for n_left in range(1, len(ranked) + 1):
            yield math.nan, set(ranked[:n_left])

    def draw_threshold(self, feature, distinct):
        low, high = distinct[0], distinct[-1]
        if low == high:
            return math.inf, None
        threshold = low + self.random.uniform() * (high - low)
        if threshold >= high:  # by rounding
            threshold = np.nextafter(high, low)
        return threshold, None

    def draw_levels(self, feature, distinct):
        levels = {level for level in distinct if self.random.uniform() < 0.5}
        if not levels:
            levels = {distinct[-1]}
        elif len(levels) == len(distinct) > 1:
            levels.remove(distinct[-1])
        return math.nan, levels


def grow_engine(X, y, weight, categorical, params, seed):
    """Grow a tree with the engine from the same arguments as the twin."""
    table = read_table(X, categorical, params)
    bag = np.flatnonzero(weight).astype(np.uint32)
    signed = np.where(y[bag] == 1, weight[bag], -weight[bag])
    return grow(table, bag, signed, params, np.uint64(seed))


def left_levels(tree, node):
    """Return the categories that go left at a node that splits by them."""
    words = tree.left_category_bitsets[int(node["threshold"])]
    bits = np.unpackbits(words.astype("<u8").view(np.uint8), bitorder="little")
    return set(np.flatnonzero(bits).tolist())


def goes_left(tree, node, values):
    """Return which values go left at a node."""
    missing = np.isnan(values)
    if node["flags"] & SUBSET:
        left = np.isin(values, list(left_levels(tree, node)))
    else:
        left = values <= node["threshold"]
    return np.where(missing, bool(node["flags"] & MISSING_LEFT), left)


def rows_of_nodes(tree, X, rows):
    """Return the rows that come by each node."""
    found = [None] * len(tree.nodes)
    found[0] = rows
    for place, node in enumerate(tree.nodes):  # a child's number is above its parent's
        if node["left"] != LEAF:
            left = goes_left(tree, node, X[found[place], node["feature"]])
            found[node["left"]] = found[place][left]
            found[node["left"] + 1] = found[place][~left]
    return found


def walk(tree, row):
    """Return the leaf value of one row."""
    node = tree.nodes[0]
    while node["left"] != LEAF:
        value = float(row[node["feature"]])
        if math.isnan(value):
            left = node["flags"] & MISSING_LEFT
        elif node["flags"] & SUBSET:
            left = value in left_levels(tree, node)
        else:
            left = value <= node["threshold"]
        node = tree.nodes[node["left"] + (0 if left else 1)]
    return node["threshold"]


def most_bins(n_rows):
    """The bins a node of so many rows may have: one for two of them, 1024 to 65536."""
    return min(max(1024, 2 ** math.ceil(math.log2(max(n_rows // 2, 1)))), 65536)
