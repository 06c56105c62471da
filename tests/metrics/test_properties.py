"""PU metrics of any ranking equal a slow twin, and depend on ranks and weights alone."""

from math import ceil, log

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata

from lopsided import metrics

WITHOUT_PRIOR = ("pu_mean_log_rank", "pu_recall_at_k", "pu_lift_at_k")
NAMES = [*metrics.pu.__all__, *metrics.at_k.__all__]
EACH = pytest.mark.parametrize("name", NAMES)


def count_rows(k, n):
    return max(ceil(k * n - 1e-9), 1) if k < 1 else k


class Twin:
    """Slow and obvious metrics: labeled rows among the rows that a scenario ranks them with."""

    def __init__(self, y, scores, scenario="one-sample", prior=None):
        # In one sample a labeled row is a part of the population, in two it is not.
        self.inside = scenario == "one-sample"
        self.y, self.scores = y, scores
        self.rows = scores if self.inside else scores[y != 1]
        self.labeled = scores[y == 1]
        self.n = len(self.rows)
        known = len(self.labeled) * self.inside
        self.n_positives = known if prior is None else max(prior * self.n, known)
        self.prior = prior

    def places(self):
        """The mean place of each labeled row over the orders of its ties."""
        ties = [(self.rows == a).sum() - self.inside for a in self.labeled]
        above = [(self.rows > a).sum() for a in self.labeled]
        return 1 + np.array(above) + np.array(ties) / 2

    def recall(self, k):
        """The mean chance of a labeled row to be among the first k."""
        above = np.array([(self.rows > a).sum() for a in self.labeled])
        ties = np.array([(self.rows == a).sum() - self.inside for a in self.labeled])
        return np.clip((count_rows(k, self.n) - above) / (ties + 1), 0, 1).mean()

    def pu_mean_log_rank(self):
        n = self.n + (not self.inside)
        return np.mean([-log(place / n) for place in self.places()])

    def pu_damped_log_rank(self):
        n, share = self.n + (not self.inside), (self.y == 1).mean()
        width = min(2 * share, (1 + share) / 2) if self.prior is None else self.prior
        return np.mean([log((1 + width) / (p / n + width)) for p in self.places()])

    def pu_roc_auc(self):
        wins = [
            (self.rows < a).sum() + ((self.rows == a).sum() - self.inside) / 2
            for a in self.labeled
        ]
        # Half of the other positives rank below a positive, and are no negatives.
        others = self.n_positives - self.inside
        return (np.mean(wins) - others / 2) / (self.n - self.inside - others)

    def pu_average_precision(self):
        values = []
        for i, a in enumerate(self.labeled):
            at_least = (self.rows >= a).sum()
            for b in np.delete(self.labeled, i):
                if self.inside:
                    values.append((1 + (b >= a) * (self.n_positives - 1)) / at_least)
                else:
                    values.append(
                        (1 + (self.n_positives + 1) * (b >= a)) / (1 + at_least + (b >= a))
                    )
        return np.mean(values)

    def pu_recall_at_k(self, k):
        return self.recall(k)

    def pu_lift_at_k(self, k):
        return self.recall(k) * self.n / count_rows(k, self.n)

    def pu_precision_at_k(self, k):
        return self.n_positives * self.recall(k) / count_rows(k, self.n)

    def pu_f1_at_k(self, k):
        found = 2 * self.n_positives * self.recall(k)
        return found / (count_rows(k, self.n) + self.n_positives)


@st.composite
def rankings(draw):
    """Labels, scores with and without ties, and what a metric may be asked with them."""
    n = draw(st.integers(6, 40))
    labels = draw(st.lists(st.sampled_from([1, 0, 0, 0, -1]), min_size=n, max_size=n))
    y = np.array([1, 1, 0, 0, *labels])
    levels = draw(st.sampled_from([1, 3, 1000]))
    drawn = st.lists(st.integers(0, levels), min_size=len(y), max_size=len(y))
    scores = np.array(draw(drawn), float)
    scenario = draw(st.sampled_from(["one-sample", "two-sample"]))
    share = (y == 1).mean()
    prior = share + (1 - share) * draw(st.floats(0.05, 0.9))
    if scenario == "one-sample" and draw(st.booleans()):
        prior = None
    k = draw(st.one_of(st.integers(1, int((y == 0).sum())), st.floats(0.01, 0.99)))
    return y, scores, {"scenario": scenario, "prior": prior, "k": k}


def ask(name, y, scores, asked, **more):
    given = {"scenario": asked["scenario"]}
    given |= {} if name in WITHOUT_PRIOR else {"prior": asked["prior"]}
    given |= {"k": asked["k"]} if name in metrics.at_k.__all__ else {}
    return getattr(metrics, name)(y, scores, **given, **more)


@EACH
@given(rankings())
@settings(max_examples=30)
def test_a_metric_equals_its_slow_twin(name, ranking):
    y, scores, asked = ranking
    twin = Twin(y, scores, asked["scenario"], asked["prior"])
    cut = (asked["k"],) if name in metrics.at_k.__all__ else ()
    assert ask(name, *ranking) == pytest.approx(getattr(twin, name)(*cut), rel=1e-9)


@EACH
@given(rankings(), st.randoms(use_true_random=False))
@settings(max_examples=20)
def test_ranks_alone_decide_in_any_order_of_the_rows(name, ranking, random):
    y, scores, asked = ranking
    order = np.array(random.sample(range(len(y)), len(y)))
    found = ask(name, y, scores, asked)
    assert ask(name, y[order], scores[order], asked) == pytest.approx(found)
    assert ask(name, y, rankdata(scores, "dense"), asked) == pytest.approx(found)
    assert ask(name, y, np.exp(scores / 1000), asked) == pytest.approx(found)


@EACH
@given(rankings(), st.data())
@settings(max_examples=20)
def test_whole_weights_are_numbers_of_rows(name, ranking, data):
    y, scores, asked = ranking
    n = len(y)
    weight = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    weight[:4] = 1 + weight[:4]  # two labeled and two unlabeled rows stay
    repeated = np.repeat(y, weight), np.repeat(scores, weight)
    share = (repeated[0] == 1).mean()
    assume(asked["prior"] is None or asked["prior"] > share)
    assume(asked["k"] <= (repeated[0] == 0).sum())
    expected = ask(name, *repeated, asked)
    assert ask(name, y, scores, asked, sample_weight=weight) == pytest.approx(expected)
    heavy = weight > 0
    kept = ask(name, y[heavy], scores[heavy], asked, sample_weight=weight[heavy])
    assert kept == pytest.approx(expected)


@EACH
@given(rankings(), st.integers(0, 99))
@settings(max_examples=10)
def test_a_bootstrap_holds_its_value_and_repeats(name, ranking, seed):
    y, scores, asked = ranking
    given = {one: asked[one] for one in ("scenario", "prior")}
    given |= {"k": asked["k"]} if name in metrics.at_k.__all__ else {}
    found, again = (
        metrics.pu_bootstrap(name, y, scores, n_draws=20, random_state=seed, **given)
        for _ in range(2)
    )
    assert found == again
    assert 0 <= found.low <= found.clipped <= found.high
    assert found.standard_error >= 0


@given(rankings())
@settings(max_examples=30)
def test_metrics_against_the_truth_are_those_of_scikit_learn(ranking):
    from sklearn.metrics import average_precision_score, roc_auc_score

    y, scores, asked = ranking
    truth = (y == 1).astype(int)
    assert metrics.roc_auc(truth, scores) == pytest.approx(roc_auc_score(truth, scores))
    expected = average_precision_score(truth, scores)
    assert metrics.average_precision(truth, scores) == pytest.approx(expected)
    recall = Twin(truth, scores).recall(asked["k"])
    assert metrics.recall_at_k(truth, scores, asked["k"]) == pytest.approx(recall)
