"""Boosted models for programs without Python: trees by treelite, and what is around them."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted

from lopsided._files import atomic_write
from lopsided._validation import require
from lopsided.losses import Loss
from lopsided.methods.boosting import BoostedRiskClassifier

__all__ = ["ScoreMap", "encode_rows", "export", "score_map", "to_treelite"]


@dataclass(frozen=True)
class ScoreMap:
    r"""From the sum of a row's leaves, the margin, to its score.

    .. math:: \log(-l'(-m)) - \log(-l'(m)) + \mathrm{shift}

    with :math:`l'` the slope of the loss: for the logistic loss the margin itself, plus the
    shift.

    Attributes
    ----------
    loss : Loss
        The loss that the trees were fitted on.
    shift : float
        What moves scores from the prior trained for to the real one.

    Examples
    --------
    >>> import lopsided, numpy as np
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = (X[:, 0] > 1.5).astype(int)
    >>> model = lopsided.build("focused-xgb", n_estimators=5, prior=0.1).fit(X, y)
    >>> score_map(model).transform(np.array([-1.0, 0.0, 1.0])).round(2)
    array([-5.82, -2.2 ,  1.43])
    """

    loss: Loss
    shift: float

    def transform(self, margins: Any) -> NDArray[np.float64]:
        """Return the scores of margins, as `decision_function` gives them."""
        return self.loss.log_odds(np.asarray(margins, np.float64)) + self.shift

    def facts(self) -> dict[str, Any]:
        """Return the map as a dict that JSON can hold."""
        return {
            "loss": type(self.loss).__name__,
            "params": self.loss.get_params(),
            "shift": self.shift,
        }


def to_treelite(model: Any) -> Any:
    """Return the trees of a boosted model as a treelite model.

    It predicts margins, of rows as `encode_rows` gives them: NaN is missing, and categories are
    codes. `score_map` turns margins into scores.

    Parameters
    ----------
    model : BoostedRiskClassifier
        Fitted, such as "focused-xgb" and all other methods whose names end in "-xgb".

    Returns
    -------
    treelite.Model

    Examples
    --------
    >>> import lopsided, numpy as np
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = (X[:, 0] > 1.5).astype(int)
    >>> model = lopsided.build("naive-xgb", n_estimators=5).fit(X, y)
    >>> to_treelite(model).num_tree  # doctest: +SKIP
    5
    """
    _check_boosted(model)
    return require("treelite").frontend.from_xgboost(model.booster_)


def score_map(model: Any) -> ScoreMap:
    """Return the map from the margins of a boosted model to its scores.

    Parameters
    ----------
    model : BoostedRiskClassifier
        Fitted.

    Returns
    -------
    ScoreMap

    Examples
    --------
    >>> import lopsided, numpy as np
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = (X[:, 0] > 1.5).astype(int)
    >>> model = lopsided.build("naive-xgb", n_estimators=5).fit(X, y)
    >>> score_map(model)
    ScoreMap(loss=LogisticLoss(), shift=0.0)
    """
    _check_boosted(model)
    risk, prior = model.risk_, model.prior_
    shift = float(risk.log_odds(0.0, prior) - risk.loss.log_odds(0.0))
    return ScoreMap(risk.loss, shift)


def encode_rows(model: Any, X: Any) -> NDArray[np.float32]:
    """Return rows as the trees of a boosted model read them.

    Parameters
    ----------
    model : BoostedRiskClassifier
        Fitted.
    X : array, sparse matrix or data frame of shape (n_rows, n_features)
        Columns as in `fit`.

    Returns
    -------
    ndarray of shape (n_rows, n_features)
        Categories as codes. Missing values are NaN; so is a zero, if the model was fitted on a
        sparse matrix.

    Examples
    --------
    >>> import lopsided, pandas as pd
    >>> table = pd.DataFrame({"age": [30, 41, 52, None] * 50})
    >>> table["kind"] = pd.Categorical(["fire", "water", "fire", "theft"] * 50)
    >>> model = lopsided.build("naive-xgb", n_estimators=5).fit(table, [1, 0, 0, 0] * 50)
    >>> encode_rows(model, table[:4])
    array([[30.,  0.],
           [41.,  2.],
           [52.,  0.],
           [nan,  1.]], dtype=float32)
    """
    _check_boosted(model)
    rows = model._read(X)
    if not model.zeros_are_absent_:
        sparse: bool = issparse(rows)
        numbers = model._as_trained(rows.toarray() if sparse else rows)
        return np.ascontiguousarray(numbers, np.float32)
    dense = model._as_trained(rows).toarray()
    return np.where(dense == 0, np.nan, dense).astype(np.float32)


def export(model: Any, path: str | os.PathLike[str]) -> tuple[Path, Path]:
    """Write the trees of a boosted model by treelite, and beside them what they need.

    Parameters
    ----------
    model : BoostedRiskClassifier
        Fitted.
    path : str or path
        The file of the trees, which `treelite.Model.deserialize` reads. A second file, named
        alike with `.json` at its end, holds the names of the columns, the code of each level of
        each category, whether zeros count as missing, and the score map.

    Returns
    -------
    tuple of path
        Both files.

    Examples
    --------
    >>> import json, lopsided, numpy as np, tempfile
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = (X[:, 0] > 1.5).astype(int)
    >>> model = lopsided.build("naive-xgb", n_estimators=5).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     trees, facts = export(model, f"{folder}/model.tl")
    ...     print(trees.name, facts.name, sorted(json.loads(facts.read_text())))
    model.tl model.tl.json ['categories', 'columns', 'prior', 'score', 'zeros_are_missing']
    """
    trees = to_treelite(model)
    text = json.dumps(_describe(model), indent=2)
    with atomic_write(path) as draft:
        trees.serialize(draft)
    beside = Path(f"{os.fspath(path)}.json")
    with atomic_write(beside) as draft:
        draft.write_text(text)
    return Path(path), beside


def _describe(model: Any) -> dict[str, Any]:
    """Return what a program needs to know besides the trees."""
    names = getattr(model, "feature_names_in_", range(model.n_features_in_))
    codes = {}
    for position, (name, levels) in zip(
        model.categorical_, model.category_levels_.items(), strict=True
    ):
        found = model.level_maps_[position].codes.tolist()
        codes[str(name)] = [
            {
                "level": level if isinstance(level, (str, int, float)) else str(level),
                "code": int(code),
            }
            for level, code in zip(levels, found, strict=False)
            if code == code  # a level without rows is missing
        ]
    return {
        "columns": [str(name) for name in names],
        "categories": codes,
        "zeros_are_missing": bool(model.zeros_are_absent_),
        "prior": float(model.prior_),
        "score": score_map(model).facts(),
    }


def _check_boosted(model: Any) -> None:
    if not isinstance(model, BoostedRiskClassifier):
        raise ValueError(
            "Only boosted trees that read raw columns can be exported (BoostedRiskClassifier), "
            f"got {type(model).__name__}. Use a method whose name ends in -xgb, or keep the "
            "model with lopsided.store.save."
        )
    check_is_fitted(model)
