"""The contract of a risk: what learners count on, checked on a small table."""

from collections.abc import Iterator
from copy import copy, deepcopy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from lopsided._terminal import quote
from lopsided._validation import check_prior
from lopsided.risks import Risk, SignedWeights
from lopsided.testing.breach import end_sentence, tell_error

_N_ROWS = 60
_SHARE = 0.1  # of labeled rows
_SUM_OF_WEIGHTS = (0.5, 2.0)  # about 1: a learner's settings bear a factor of two
_STEP = 1e-5  # of a difference quotient
_GIVEN = {"fit_intercept_only": ("y", "prior", "weight"), "log_odds": ("scores", "prior")}
_ALL = ("scores", "y", "prior", "weight")
_LOG_ODDS = " Give {} a method log_odds that is; it may return the margin."


class _Table(NamedTuple):
    """What learners give a risk, and in words what is special about it."""

    scores: NDArray[Any]
    y: NDArray[Any]
    prior: float
    weight: NDArray[Any] | None
    told: str

    def take(self, rows: NDArray[np.intp]) -> "_Table":
        """Return some rows, without their weights."""
        return self._replace(scores=self.scores[rows], y=self.y[rows], weight=None)


def check_risk(risk: Any, prior: float = 0.3) -> None:
    """Check that a risk is one that learners can lower, and raise at the first breach.

    A small table of labeled and unlabeled rows is asked about, then the same with some reviewed
    negatives (y = -1) unless the risk refuses them by a `ValueError` that names -1; each with
    and without sample weights. What must hold:

    - there is a finite weight of each kind for every row, and before any clamp all of them
      together sum to about 1, between 0.5 and 2, where the scores are 0;
    - labeled rows are lifted above the others, and reviewed negatives are not lifted;
    - a sample weight of 2 is the row twice and one of 0 the row missing, and of sample weights
      only the proportions count;
    - `gradient` is the slope of `objective`, with weights that depend on the scores taken as
      they are; `curvature` is nowhere below 0;
    - log-odds are finite for scores up to 20, and rise with them;
    - the risk and its parts can be copied by their parameters, and change no array that they
      are given.

    Parameters
    ----------
    risk : Risk
        A risk of your own, or one of `lopsided.risks`.
    prior : float, default=0.3
        The prior it is asked with, at least the share of labeled rows in the small table, 0.1.
        A risk that needs none is given that share, as learners do.

    Raises
    ------
    AssertionError
        If the risk breaks this contract; in one sentence.

    See Also
    --------
    check_method : checks a method, and the risk that it was given.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> from lopsided.losses import LogisticLoss
    >>> from lopsided.risks import Risk, SignedWeights, nnpu
    >>> check_risk(nnpu())
    >>> @dataclass
    ... class SumRisk(Risk):
    ...     def raw_weights(self, y, prior, weight=None):
    ...         rows = np.ones(len(y)) if weight is None else weight
    ...         return SignedWeights(rows * (y == 1), rows * (y != 1))
    >>> try:
    ...     check_risk(SumRisk(LogisticLoss()))
    ... except AssertionError as error:
    ...     print(str(error).partition(". ")[0])
    The weights of SumRisk must sum to about 1 (0.5 to 2), got 60 with labels 1 and 0
    """
    if not isinstance(risk, Risk):
        raise ValueError(f"risk must be a risk such as ifpu(), got {quote(risk)}.")
    risk.check()
    given = check_prior(prior, 0.0)
    given = max(given, _SHARE) if risk.needs_prior else _SHARE
    _check_parts(risk)
    bare = copy(risk)
    bare.clamp = None
    for y in _labels():
        tables = list(_tables(y, given))
        if _refuses(bare, tables[0]):
            continue
        for table in tables:
            _check_weights(bare, table)
        _check_directions(bare, tables[0])
        _check_sample_weights(risk, tables[-1])
        for table in tables:
            _check_slopes(risk, table)
    _check_log_odds(risk, given)


def _labels() -> Iterator[NDArray[np.int8]]:
    """Yield labels without reviewed negatives, then with some."""
    y = np.zeros(_N_ROWS, dtype=np.int8)
    y[:: round(1 / _SHARE)] = 1
    yield y
    yield np.where(np.arange(_N_ROWS) % 10 == 5, -1, y).astype(np.int8)


def _tables(y: NDArray[np.int8], prior: float) -> Iterator[_Table]:
    """Yield a table where a learner starts, amid its way and near its end, also weighted."""
    told = f"with labels 1{', 0 and -1' if (y == -1).any() else ' and 0'}"
    mixed = np.random.default_rng(0).normal(size=len(y))
    weight = 10.0 * (1 + np.arange(len(y)) // 10 % 3)  # of 10, 20 and 30 for each label
    for scores in (np.zeros(len(y)), mixed, np.where(y == 1, 5.0, -5.0) + mixed):
        yield _Table(scores, y, prior, None, told)
        yield _Table(scores, y, prior, weight, f"{told}, and sample weights of 10 to 30")


def _ask(risk: Risk, method: str, table: _Table) -> Any:
    """Return what a method of a risk answers; what it raises is a breach."""
    given = [getattr(table, name) for name in _GIVEN.get(method, _ALL)]
    lent = deepcopy(given)
    try:
        with np.errstate(all="ignore"):  # what is not finite is told
            answer = getattr(risk, method)(*lent)
    except Exception as error:
        raise AssertionError(
            f"{method} of {_name(risk)} must take a table {table.told}, got "
            f"{end_sentence(tell_error(error))}"
        ) from error
    kept = all(np.array_equal(one, other) for one, other in zip(given, lent, strict=True))
    _want(
        kept,
        f"{method} of {_name(risk)} must leave scores, y and weight as they are, got one of "
        "them changed. Work on copies.",
    )
    return answer


def _name(part: Any) -> str:
    return type(part).__name__


def _want(holds: Any, message: str) -> None:
    if not holds:
        raise AssertionError(message)


def _want_numbers(values: Any, what: str, table: _Table, advice: str = "") -> None:
    """Want an array with a finite number for each row."""
    shape = f"the shape {values.shape}" if isinstance(values, np.ndarray) else quote(values)
    _want(
        isinstance(values, np.ndarray) and values.shape == table.scores.shape,
        f"{what} must be an array with a number for each of {len(table.scores)} rows, got "
        f"{shape} {table.told}.",
    )
    _want(
        values.dtype.kind in "fiu",
        f"{what} must be numbers, got {values.dtype} {table.told}.",
    )
    bad = ~np.isfinite(values)
    _want(
        not bad.any(),
        f"{what} must be finite, got {values[bad][:1]} in {bad.sum()} of {len(bad)} rows "
        f"{table.told}.{advice}",
    )


def _check_parts(risk: Risk) -> None:
    own = type(risk)
    _want(
        own.raw_weights is not Risk.raw_weights or own.weights is not Risk.weights,
        f"{_name(risk)} must have a method raw_weights, or weights if scores matter to it, got "
        "neither. Return SignedWeights(positive, negative) from it.",
    )
    try:
        clone(risk)
    except Exception as error:
        raise AssertionError(
            f"{_name(risk)}, its loss and its clamp must be copied by their parameters, got "
            f"{end_sentence(tell_error(error))} Write each as a dataclass whose fields are its "
            "parameters."
        ) from error


def _refuses(risk: Risk, table: _Table) -> bool:
    """Say whether a risk refuses reviewed negatives on purpose."""
    if not (table.y == -1).any():
        return False
    try:
        _ask(risk, "weights", table)
    except AssertionError as error:
        return isinstance(error.__cause__, ValueError) and "-1" in str(error.__cause__)
    return False


def _check_weights(risk: Risk, table: _Table) -> None:
    weights = _ask(risk, "weights", table)
    _want(
        isinstance(weights, SignedWeights),
        f"The weights of {_name(risk)} must be SignedWeights(positive, negative), got "
        f"{quote(weights)}.",
    )
    for kind, values in weights._asdict().items():
        _want_numbers(values, f"The {kind} weights of {_name(risk)}", table)
    if table.scores.any():  # weights may fade with the scores
        return
    total, (least, most) = weights.positive.sum() + weights.negative.sum(), _SUM_OF_WEIGHTS
    _want(
        least <= total <= most,
        f"The weights of {_name(risk)} must sum to about 1 ({least:g} to {most:g}), got "
        f"{total:.4g} {table.told}. Divide all of them, positive and negative, by one number: "
        "learners take a risk for a mean over rows.",
    )


def _check_directions(risk: Risk, table: _Table) -> None:
    positive, negative = _ask(risk, "weights", table)
    lift = positive - negative  # in which direction a step takes a row that scores 0
    up, down = (float(lift[rows].mean()) for rows in (table.y == 1, table.y != 1))
    _want(
        up > down,
        f"{_name(risk)} must lift labeled rows above the others, got positive minus negative "
        f"weights of {up:.3g} for them and {down:.3g} for the others, on average "
        f"{table.told}. Are the two swapped?",
    )
    reviewed = lift[table.y == -1]
    _want(
        not reviewed.sum() > 0,
        f"{_name(risk)} must not lift reviewed negatives (y = -1), got positive minus negative "
        f"weights of {reviewed.mean() if len(reviewed) else 0:.3g} for them on average. Weigh "
        "them as negatives, or refuse -1.",
    )


def _check_sample_weights(risk: Risk, table: _Table) -> None:
    """Compare a table whose rows weigh 0, 1 and 2 with one that holds them so many times."""
    counts = (np.arange(len(table.y)) // 10 + 2) % 3  # 2, 0 and 1 for each label
    rows = np.repeat(np.arange(len(counts)), counts)
    weighted, repeated = table._replace(weight=counts.astype(float)), table.take(rows)
    for method in ("weights", "gradient"):
        answers = _ask(risk, method, weighted), _ask(risk, method, repeated)
        if method == "gradient":
            for answer, given in zip(answers, (weighted, repeated), strict=True):
                _want_numbers(answer, f"gradient of {_name(risk)}", given)
            answers = ((answers[0],), (answers[1],))
        for found, parts in zip(*answers, strict=True):
            wanted = np.bincount(rows, parts, len(counts))
            off = np.abs(found - wanted) > 1e-6 * np.abs(wanted).max(initial=1e-9)
            if off.any():
                row = int(np.flatnonzero(off)[0])
                same = ("no row", "the row", "the row twice")[counts[row]]
                raise AssertionError(
                    f"A row of sample weight {counts[row]} must count as {same} in {method} of "
                    f"{_name(risk)}, {wanted[row]:.4g}, got {found[row]:.4g}. Multiply by "
                    "`weight` before weights are divided by their sum."
                )


def _check_slopes(risk: Risk, table: _Table) -> None:
    for method in ("objective", "estimate", "fit_intercept_only"):
        value = _ask(risk, method, table)
        _want(
            np.ndim(value) == 0 and np.isfinite(value),
            f"{method} of {_name(risk)} must be one finite number, got {quote(value)} "
            f"{table.told}.",
        )
    gradient, curvature = _ask(risk, "gradient", table), _ask(risk, "curvature", table)
    _want_numbers(gradient, f"gradient of {_name(risk)}", table)
    _want_numbers(curvature, f"curvature of {_name(risk)}", table)
    _want(
        (curvature >= 0).all(),
        f"curvature of {_name(risk)} must nowhere be below 0, got {np.min(curvature):.4g} "
        f"{table.told}. Take the size of the weights, and a bound of the loss's second "
        "derivative.",
    )
    if not table.scores.any():  # where a loss may have a kink
        return
    tolerance = 1e-4 * np.abs(gradient).max() + 1e-9
    for row in (0, 5, 10, 15, 21, 33, 44, 59):
        slope = _slope(risk, table, row)
        _want(
            abs(gradient[row] - slope) <= tolerance,
            f"gradient of {_name(risk)} must be the slope of its objective, {slope:.4g} in "
            f"the score of row {row}, got {gradient[row]:.4g} {table.told}. Check the gradient "
            f"of {_name(risk.loss)}, or that of the risk if it has its own.",
        )


def _slope(risk: Risk, table: _Table, row: int) -> float:
    """Return a difference quotient of the objective in a score, the weights being constant."""
    step = np.zeros(len(table.y))
    step[row] = _STEP
    ends = [table._replace(scores=table.scores + sign * step) for sign in (1, -1)]
    weights = [_ask(risk, "weights", end) for end in ends]
    if np.array_equal(weights[0], weights[1]):
        up, down = (_ask(risk, "objective", end) for end in ends)
    else:  # no step goes through weights that depend on the scores
        positive, negative = _ask(risk, "weights", table)
        up, down = (
            positive[row] * risk.loss.value(end.scores)[row]
            + negative[row] * risk.loss.value(-end.scores)[row]
            for end in ends
        )
    return float((up - down) / (2 * _STEP))


def _check_log_odds(risk: Risk, prior: float) -> None:
    scores = np.linspace(-20, 20, 41)
    table = _Table(scores, np.zeros(41, np.int8), prior, None, "with scores from -20 to 20")
    found = _ask(risk, "log_odds", table)
    _want_numbers(
        found, f"log_odds of {_name(risk)}", table, _LOG_ODDS.format(_name(risk.loss))
    )
    _want(
        (np.diff(found) >= 0).all(),
        f"log_odds of {_name(risk)} must rise with the score, got {found[0]:.3g}, "
        f"{found[20]:.3g} and {found[40]:.3g} for -20, 0 and 20.",
    )
