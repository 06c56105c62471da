"""Slow and obvious twins of the metrics, row by row."""

from math import ceil, log
from typing import Any

import numpy as np

__all__ = ["PU_TWINS", "TRUE_TWINS"]


def _cut(k: Any, n: int) -> int:
    return max(ceil(float(k) * n - 1e-9), 1) if 0 < k < 1 else int(k)


def _roc_auc(y: Any, s: Any) -> float:
    wins = [(a > b) + (a == b) / 2 for a in s[y == 1] for b in s[y != 1]]
    return float(np.mean(wins))


def _average_precision(y: Any, s: Any) -> float:
    """Return the mean over positives of the precision of the rows with at least their score."""
    return float(np.mean([(y[s >= a] == 1).mean() for a in s[y == 1]]))


def _caught(y: Any, s: Any, k: int) -> float:
    """Return the positives among the first k rows, each of a block of ties in part."""
    return sum(_within(s, a, k, own=True) for a in s[y == 1])


def _within(rivals: Any, score: float, k: int, own: bool) -> float:
    ahead, tied = (rivals > score).sum(), (rivals == score).sum() - own
    return float(min(max((k - ahead) / (tied + 1), 0.0), 1.0))


TRUE_TWINS: dict[str, Any] = {
    "roc_auc": _roc_auc,
    "average_precision": _average_precision,
    "precision_at_k": lambda y, s, k: _caught(y, s, _cut(k, len(y))) / _cut(k, len(y)),
    "recall_at_k": lambda y, s, k: _caught(y, s, _cut(k, len(y))) / y.sum(),
    "r_precision": lambda y, s: _caught(y, s, int(y.sum())) / y.sum(),
}


class _Ranking:
    """The labeled rows among those of the population of a scenario."""

    def __init__(self, y: Any, s: Any, scenario: str):
        self.inside = scenario == "one-sample"
        self.rows = s if self.inside else s[y != 1]
        self.labeled = s[y == 1]
        self.n = len(self.rows)

    def places(self) -> Any:
        """Return the mean place of each labeled row."""
        return np.array(
            [
                1 + (self.rows > a).sum() + ((self.rows == a).sum() - self.inside) / 2
                for a in self.labeled
            ]
        )

    def recall(self, k: Any) -> float:
        cut = _cut(k, self.n)
        chances = [_within(self.rows, a, cut, self.inside) for a in self.labeled]
        return float(np.mean(chances))

    def n_positives(self, prior: Any) -> float:
        known = len(self.labeled) * self.inside
        prior = getattr(prior, "value", prior)
        return float(known if prior is None else max(prior * self.n, known))


def _clip(value: float, clip: Any) -> float:
    return min(max(value, 0.0), 1.0) if clip else value


def _mean_log_rank(y: Any, s: Any, scenario: str) -> float:
    ranking = _Ranking(y, s, scenario)
    n = ranking.n + (not ranking.inside)
    return float(np.mean([-log(place / n) for place in ranking.places()]))


def _damped_log_rank(y: Any, s: Any, scenario: str, prior: Any) -> float:
    ranking, share = _Ranking(y, s, scenario), (y == 1).mean()
    n = ranking.n + (not ranking.inside)
    prior = getattr(prior, "value", prior)
    width = min(2 * share, (1 + share) / 2) if prior is None else prior
    return float(np.mean([log((1 + width) / (p / n + width)) for p in ranking.places()]))


def _pu_roc_auc(y: Any, s: Any, scenario: str, prior: Any, clip: Any) -> float:
    ranking = _Ranking(y, s, scenario)
    wins = np.mean([_wins(ranking, a) for a in ranking.labeled])
    n, n_positives = ranking.n, ranking.n_positives(prior)
    # Of those that a positive does not outrank, half of the other positives are no negatives.
    others = n_positives - 1 if ranking.inside else n_positives
    rivals = n - 1 if ranking.inside else n
    return _clip(float((wins - others / 2) / (rivals - others)), clip)


def _wins(ranking: _Ranking, a: float) -> float:
    ties = (ranking.rows == a).sum() - ranking.inside
    return float((ranking.rows < a).sum() + ties / 2)


def _pu_average_precision(y: Any, s: Any, scenario: str, prior: Any, clip: Any) -> float:
    ranking, labeled = _Ranking(y, s, scenario), s[y == 1]
    n_positives, n_pairs = ranking.n_positives(prior), len(labeled) * (len(labeled) - 1)
    total = 0.0
    for i, a in enumerate(labeled):
        at_least = (ranking.rows >= a).sum()
        for j, b in enumerate(labeled):
            if i == j:
                continue
            if ranking.inside:
                total += (1 + (b >= a) * (n_positives - 1)) / at_least
            else:
                total += (1 + (n_positives + 1) * (b >= a)) / (1 + at_least + (b >= a))
    return _clip(total / n_pairs, clip)


def _precision(y: Any, s: Any, k: Any, scenario: str, prior: Any, clip: Any) -> float:
    ranking = _Ranking(y, s, scenario)
    found = ranking.n_positives(prior) * ranking.recall(k)
    return _clip(found / _cut(k, ranking.n), clip)


def _f1(y: Any, s: Any, k: Any, scenario: str, prior: Any, clip: Any) -> float:
    ranking = _Ranking(y, s, scenario)
    n_positives = ranking.n_positives(prior)
    return _clip(2 * n_positives * ranking.recall(k) / (_cut(k, ranking.n) + n_positives), clip)


def _lift(y: Any, s: Any, k: Any, scenario: str) -> float:
    ranking = _Ranking(y, s, scenario)
    return ranking.recall(k) * ranking.n / _cut(k, ranking.n)


PU_TWINS: dict[str, Any] = {
    "pu_mean_log_rank": _mean_log_rank,
    "pu_damped_log_rank": _damped_log_rank,
    "pu_roc_auc": _pu_roc_auc,
    "pu_average_precision": _pu_average_precision,
    "pu_recall_at_k": lambda y, s, k, scenario: _Ranking(y, s, scenario).recall(k),
    "pu_lift_at_k": _lift,
    "pu_precision_at_k": _precision,
    "pu_f1_at_k": _f1,
}
