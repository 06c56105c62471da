"""Tasks side by side in processes, each on one thread."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from typing import Any

from joblib import Parallel, delayed, parallel_config
from threadpoolctl import threadpool_limits

__all__ = ["run_parallel"]


def run_parallel(
    function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]], n_jobs: int
) -> Iterator[Any]:
    """Yield what a function returns for the arguments of each task, as the tasks end.

    A single job runs in this process. Results are the same for any number of jobs, since
    linear algebra on several threads rounds in another way.
    """
    with parallel_config("loky", inner_max_num_threads=1):
        workers = Parallel(n_jobs, return_as="generator_unordered")
        calls = (delayed(_on_one_thread)(function, task) for task in tasks)
        try:
            with closing(workers(calls)) as results:
                yield from results
        except BrokenProcessPool as error:
            raise OSError(
                "A worker process died, perhaps for lack of memory. Run the command again with "
                "fewer --jobs: finished results are kept."
            ) from error


def _on_one_thread(function: Callable[..., Any], task: tuple[Any, ...]) -> Any:
    with threadpool_limits(1):
        return function(*task)
