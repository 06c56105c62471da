"""Errors and warnings that a caller may want to catch."""

__all__ = ["FindingWarning", "MissingExtraError", "PriorWarning"]


class PriorWarning(UserWarning):
    """The prior was guessed or moved; give `prior` to decide it yourself.

    Examples
    --------
    >>> import warnings
    >>> import lopsided, numpy as np
    >>> y = np.repeat([1, 0], [20, 80])
    >>> model = lopsided.build("ifpu-xgb", prior=0.05, n_estimators=2)  # yet 20 % are labeled
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     model = model.fit(np.arange(100.0)[:, None], y)
    >>> print(caught[0].category.__name__, model.prior_)
    PriorWarning 0.2
    """


class FindingWarning(UserWarning):
    """Something in a table will hurt its ranking; `model.findings` has all that was found.

    Examples
    --------
    >>> import warnings
    >>> import lopsided, pandas as pd
    >>> table = pd.DataFrame({"amount": range(200), "fraud": [1] * 20 + [0] * 180})
    >>> table["closed by"] = ["fraud desk"] * 20 + [""] * 180
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     model = lopsided.fit(table, label="fraud", method="naive-logistic")
    >>> {one.category.__name__ for one in caught}
    {'FindingWarning'}
    >>> print(model.findings[0].text.partition(":")[0])
    Column 'closed by' gives the label away
    """


class MissingExtraError(ImportError):
    """An optional package is not installed.

    Examples
    --------
    It is an `ImportError` whose sentence has the line to type:

    >>> try:
    ...     raise MissingExtraError("This needs torch: pip install 'lopsided[nets]'.")
    ... except ImportError as error:
    ...     print(error)
    This needs torch: pip install 'lopsided[nets]'.
    """
