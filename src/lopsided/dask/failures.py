"""What goes wrong on a cluster, each in one sentence."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from lopsided._check import require

__all__ = ["WorkerLostError", "in_partition", "naming_failures"]


class WorkerLostError(RuntimeError):
    """A worker was lost during training, and no model was made."""


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
def naming_failures(what: str) -> Iterator[None]:
    """Turn errors of Dask, Arrow and XGBoost's collective into a sentence each."""
    distributed, xgboost = require("distributed"), require("xgboost")
    arrow = require("pyarrow")
    try:
        yield
    except (
        distributed.KilledWorker,
        distributed.CancelledError,
        xgboost.core.XGBoostError,
    ) as error:
        raise WorkerLostError(_tell_lost(what)) from error
    except (arrow.ArrowException, OSError) as error:
        first = str(error).strip().splitlines()[0] if str(error).strip() else repr(error)
        raise ValueError(
            f"A file of the collection cannot be read: {first} Write it again, or leave it out."
        ) from error
    except (ValueError, RuntimeError, AssertionError) as error:
        if _is_of_lost_worker(error):
            raise WorkerLostError(_tell_lost(what)) from error
        if "provided metadata" in str(error):  # Dask's own words on columns, in several lines
            raise ValueError(_tell_columns(" ".join(str(error).split()))) from error
        raise
    except KeyError as error:
        raise ValueError(_tell_columns(str(error).strip('"'))) from error


def _is_of_lost_worker(error: BaseException) -> bool:
    """Say whether XGBoost found another worker in the place of one, or none of its data."""
    marks = ("Invalid worker address", "Missing required workers", "lost")
    return isinstance(error, AssertionError) or any(mark in str(error) for mark in marks)


def _tell_columns(found: str) -> str:
    return (
        "All partitions must have the columns that the collection declares, got one that has "
        f"not: {found.rstrip('.')}. Mend that partition."
    )


def _tell_lost(what: str) -> str:
    return (
        f"A worker was lost {what}, and no model was made. Fit again; with checkpoint=FOLDER a "
        "fit goes on where it stopped."
    )
