"""What goes wrong on a cluster, each in one sentence."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from lopsided._validation import require

__all__ = ["WorkerLostError", "in_partition", "naming_failures"]

# What XGBoost says where Dask has put another worker in the place of one.
_MARKS = ("Invalid worker address: ", "Missing required workers: ")


class WorkerLostError(RuntimeError):
    """A worker was lost during a fit or a ranking, and nothing was made of it.

    Examples
    --------
    >>> try:
    ...     raise WorkerLostError("Worker tcp://10.0.0.7:41002 was lost. Fit again.")
    ... except RuntimeError as error:
    ...     print(error)
    Worker tcp://10.0.0.7:41002 was lost. Fit again.
    """


def in_partition(function: Callable[..., Any], place: int) -> Callable[..., Any]:
    """Return a function whose errors say which partition is to blame."""

    @wraps(function)
    def named(*given: Any, **settings: Any) -> Any:
        try:
            return function(*given, **settings)
        except (ValueError, TypeError) as error:
            raise ValueError(f"Partition {place}: {error}") from None

    return named


@contextmanager
def naming_failures(what: str, *, training: bool = False) -> Iterator[None]:
    """Turn errors of Dask, Arrow and XGBoost's collective into a sentence each.

    Around XGBoost's training, an assertion of its own is a lost worker too: it finds none of
    the data of one. Elsewhere an assertion is the user's.
    """
    distributed, xgboost = require("distributed"), require("xgboost")
    arrow = require("pyarrow")
    lost: tuple[type[BaseException], ...] = (
        distributed.KilledWorker,
        distributed.CancelledError,
        *((AssertionError,) if training else ()),
    )
    try:
        yield
    except lost as error:
        raise WorkerLostError(_tell_lost(what, training)) from error
    except (arrow.ArrowException, FileNotFoundError) as error:
        first = str(error).strip().splitlines()[0] if str(error).strip() else repr(error)
        raise ValueError(
            f"A file of the collection cannot be read: {first} Write it again, or leave it out."
        ) from error
    except (ValueError, RuntimeError) as error:
        if str(error).startswith(_MARKS) or (
            isinstance(error, xgboost.core.XGBoostError) and "collective" in str(error)
        ):
            raise WorkerLostError(_tell_lost(what, training)) from error
        if "provided metadata" in str(error):  # Dask's own words on columns, in several lines
            raise ValueError(_tell_columns(" ".join(str(error).split()))) from error
        raise
    except KeyError as error:
        raise ValueError(_tell_columns(str(error).strip('"'))) from error


def _tell_columns(found: str) -> str:
    return (
        "All partitions must have the columns that the collection declares, got one that has "
        f"not: {found.rstrip('.')}. Mend that partition."
    )


def _tell_lost(what: str, training: bool) -> str:
    if not training:
        return f"A worker was lost {what}, and nothing came of it. Try again."
    return (
        f"A worker was lost {what}, and no model was made. Fit again; with checkpoint=FOLDER a "
        "fit goes on where it stopped."
    )
