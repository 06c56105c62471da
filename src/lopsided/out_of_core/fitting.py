"""Fit a method on parquet files that together are larger than memory."""

import os
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from lopsided._terminal import abbreviate
from lopsided._validation import as_generator, check_both_kinds, check_classifier, check_count
from lopsided.methods.batched import BatchedTable, TableDigest, fit_batched
from lopsided.methods.checkpoint import SEEDLESS, Checkpoint
from lopsided.methods.registry import build, check_ranks
from lopsided.out_of_core.parquet import ParquetTable, open_parquet
from lopsided.priors.estimation import PriorLike
from lopsided.workflow.tables.labels import LabelValues, read_labels

__all__ = ["fit_parquet", "read_label_column"]

_N_EVENLY = 64  # rows from all over the table
_N_SAMPLE = 200_000


def fit_parquet(
    source: Any,
    label: str,
    method: Any = "ifpu-xgb",
    *,
    drop: str | Iterable[str] = (),
    positive: str | None = None,
    negative: str | None = None,
    prior: PriorLike | None = None,
    n_sample: int = _N_SAMPLE,
    max_memory: int = 2**33,
    folder: str | os.PathLike[str] | None = None,
    checkpoint: Checkpoint | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
) -> Any:
    """Fit a method on parquet files, reading them in batches.

    Boosted trees ("ifpu-xgb", "nnpu-xgb", "focused-xgb" and others, or a
    `BoostedRiskClassifier` of your own) learn from every row. XGBoost keeps the table as bins,
    two bytes for each value: in memory up to `max_memory`, else in files. Labels, gradients
    and the like are in memory, about 50 bytes a row. Trees are those of a fit
    in memory where columns have no more than `max_bin` different values; with more, the
    quantiles that cut them are those of XGBoost's summary of the batches.

    Any other method ("focused", forests, nets) learns from all labeled rows and a random
    sample of the unlabeled ones, weighted so that prior and probabilities are those of the
    table, and a warning says so.

    A prior of "auto" comes from a forest on the same sample, whose scores are out-of-bag for
    its rows, and those of a model that has not seen them for up to two million other
    unlabeled rows.

    Parameters
    ----------
    source : path, list of paths or pyarrow Dataset
        A parquet file, or a folder of them, read in the order of their names; a folder in it
        such as year=2024 is a column "year". Columns of numbers and booleans are numbers, also
        where pandas wrote categories of numbers; texts are categories.
    label : str
        The column of labels: 1 = labeled positive, 0 or missing = unlabeled, -1 = reviewed
        negative.
    method : str or PUClassifier, default="ifpu-xgb"
        A name of `list_methods()`, or an estimator, which is fitted itself.
    drop : str or iterable of str, default=()
        Columns to leave out, such as ids.
    positive, negative : str or None, default=None
        The values of labeled positives and of reviewed negatives, where they are words.
    prior : float, str, estimator or None, default=None
        P(y_true = 1) in the table; None leaves it to the method.
    n_sample : int, default=200_000
        Unlabeled rows of the sample, and at most so many labeled and reviewed ones.
    max_memory : int, default=2**33
        The bytes that the binned table may take in memory.
    folder : path or None, default=None
        Where bins are kept during the fit if they are kept in files; None is the system's
        folder for such.
    checkpoint : Checkpoint or None, default=None
        Where boosted trees are kept on the way, so that a fit that was stopped goes on; it
        takes a `random_state` to be the same fit.
    n_jobs : int or None, default=None
        Threads, where `method` is a name; None is 1 and -1 is all.
    random_state : int, Generator or None, default=None
        Seed of the sample, and of the fit where `method` is a name.

    Returns
    -------
    PUClassifier
        The fitted method, as after `fit`: it scores data frames with the same columns, and
        `lopsided.save` keeps it.

    See Also
    --------
    rank_parquet : ranks files by it.

    Examples
    --------
    >>> import numpy as np, pandas as pd, tempfile
    >>> values = np.random.default_rng(0).normal(size=(500, 3))
    >>> table = pd.DataFrame(values, columns=list("abc"))
    >>> table["fraud"] = (table["a"] > 1.5).astype(int)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for place in range(2):
    ...         table[place::2].to_parquet(f"{folder}/part-{place}.parquet")
    ...     model = fit_parquet(folder, "fraud", prior=0.15, random_state=0)
    >>> model.decision_function(table[["a", "b", "c"]]).shape
    (500,)
    """
    if checkpoint is not None and random_state is None:
        raise ValueError(SEEDLESS)
    table = open_parquet(source)
    rng = as_generator(random_state).spawn(2)[1]  # the fit's own numbers stay the same
    labels = read_label_column(table, label, positive, negative)
    check_both_kinds(labels, f"Column {abbreviate(label)!r}")
    model = _make_model(method, prior, n_jobs, random_state)
    dropped = table.check_columns(drop)
    names, n_rows = table.features([label, *dropped]), check_count(n_sample, "n_sample")
    digest = None if checkpoint is None else TableDigest()
    rows = _take_sample(table, names, labels, n_rows, rng, digest)
    place = None if folder is None else os.fspath(folder)
    return fit_batched(model, rows, max_memory=max_memory, folder=place, checkpoint=checkpoint)


def _make_model(method: Any, prior: Any, n_jobs: int | None, random_state: Any) -> Any:
    if not isinstance(method, str):
        if prior is not None:
            raise ValueError(
                "prior goes with a method's name; set it on the estimator instead."
            )
        return check_classifier(method, "method")
    model = build(check_ranks(method), **({} if prior is None else {"prior": prior}))
    params = {"n_jobs": n_jobs, "random_state": random_state}
    return model.set_params(
        **{name: own for name, own in params.items() if hasattr(model, name)}
    )


def read_label_column(
    table: ParquetTable,
    label: str,
    positive: str | None = None,
    negative: str | None = None,
    need_labeled: bool = True,
) -> NDArray[np.int8]:
    """Return the labels of all rows: 1, 0 and -1.

    Values that are named and that no row has are warned of where something is to be learned,
    and refused where they seem to be typos.
    """
    table.check_columns([label], "label column")
    parts, found = [], LabelValues(label, positive, negative)
    for batch in table.read([label], 2**18):
        column = batch.column(label).combine_chunks().cast(table.type_of(label))
        if pa.types.is_nested(column.type):
            raise ValueError(
                f"Labels of column {abbreviate(label)!r} must be single values, got "
                f"{column.type}. Name another column."
            )
        column = column.dictionary_encode()  # anew: categories may hold values of no row
        values = pd.Series([*column.dictionary.to_pandas(), None], dtype=object)
        codes = column.indices.fill_null(len(values) - 1).to_numpy()
        found.update(values)
        parts.append(read_labels(values, label, positive, negative, need_labeled=False)[codes])
    found.check(need_labeled)
    return np.concatenate(parts)


def _take_sample(
    table: ParquetTable,
    names: list[str],
    labels: NDArray[np.int8],
    n_sample: int,
    rng: np.random.Generator,
    digest: TableDigest | None,
) -> BatchedTable:
    """Return the table in batches, with a sample of it in memory."""
    chosen = []
    for label in (1, 0, -1):
        own = np.flatnonzero(labels == label)
        if len(own) > n_sample:
            own = rng.choice(own, n_sample, replace=False, shuffle=False)
        chosen.append(own)
    positions = np.sort(np.concatenate(chosen))
    evenly = np.arange(len(labels))[:: -(-len(labels) // _N_EVENLY)]
    gathered = np.union1d(positions, evenly)
    levels: dict[str, Any] = {}
    frame = table.gather(gathered, names, levels, digest)
    return BatchedTable(
        lambda: table.frames(names),
        labels,
        frame.iloc[np.searchsorted(gathered, positions)].reset_index(drop=True),
        positions,
        frame.iloc[np.searchsorted(gathered, evenly)].reset_index(drop=True),
        digest,
    )
